/* body.c: the bodies that walls belong to: where they are, what pushes them, and the work they do.
 *
 * A step moves them as it moves grains: poses to the end of the step, then contacts, whose normal laws see the velocity
 * of the end and whose friction sees the displacement over the step; work is the mean of the loads at both ends times
 * that displacement, as everywhere in the ledger. Servos are integrated by the same scheme; their damper is implicit.
 */
#include <stdlib.h>
#include <string.h>

#include "contact.h"
#include "core/status.h"
#include "shapes.h"

/* ---- definitions ---- */

static bool is_servo(const Course *c) { return c->def.kind >= SCREE_MOTION_SERVO; }
static bool turns(const Course *c) {
  return c->def.kind != SCREE_MOTION_SERVO && scree_dot(c->def.axis, c->def.axis) > 0.0;
}

ScreeStatus scree_body_add(ScreeWorld *w, int first, int count) {
  Body *body = realloc(w->body, (size_t)(w->bodies + 1) * sizeof *body);
  if (body) w->body = body;
  int *of = realloc(w->body_of, (size_t)(first + count) * sizeof *of);
  if (of) w->body_of = of;
  if (!body || !of) return scree_fail(SCREE_NO_MEMORY, "no memory for a wall");
  for (int i = first; i < first + count; i++) of[i] = w->bodies;
  body[w->bodies++] =
      (Body){.first = first, .count = count, .present = true, .insert_at = -INFINITY, .remove_at = INFINITY};
  return SCREE_OK;
}

void scree_bodies_free(ScreeWorld *w) {
  for (int b = 0; b < w->bodies; b++) {
    for (int i = 0; i < w->body[b].courses; i++) free((void *)w->body[b].course[i].def.waypoint);
    free(w->body[b].course);
  }
  free(w->body), free(w->body_of);
}

static ScreeStatus find_wall(const ScreeWorld *w, int wall) {
  if (wall >= 0 && wall < w->walls) return SCREE_OK;
  return scree_fail(SCREE_UNKNOWN, "no such wall (%d): there are %d", wall, w->walls);
}

ScreeStatus scree_world_move_wall(ScreeWorld *w, int wall, const ScreeMotionDef *def) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(def);
  if (w->started) return scree_fail(SCREE_INVALID, "the world has started: walls get their motions before");
  SCREE_TRY(find_wall(w, wall));
  Body *body = scree_body_of(w, wall);
  Course fresh, *course = realloc(body->course, (size_t)(body->courses + 1) * sizeof *course);
  if (!course) return scree_fail(SCREE_NO_MEMORY, "no memory for a motion");
  body->course = course;
  SCREE_TRY(scree_motion_prepare(def, &fresh));
  course[body->courses++] = fresh;
  body->moves = true;
  body->turns |= turns(&fresh);
  return SCREE_OK;
}

ScreeStatus scree_world_time_wall(ScreeWorld *w, int wall, double insert_at, double remove_at) {
  SCREE_NEED_AS(w, "world");
  if (w->started) return scree_fail(SCREE_INVALID, "the world has started: walls get their times before");
  SCREE_TRY(find_wall(w, wall));
  if (isnan(insert_at) || isnan(remove_at) || !(remove_at > insert_at))
    return scree_fail(SCREE_INVALID, "a wall must be removed after it is inserted (got %.10g ... %.10g s)", insert_at,
                      remove_at);
  scree_body_of(w, wall)->insert_at = insert_at;
  scree_body_of(w, wall)->remove_at = remove_at;
  return SCREE_OK;
}

/* ---- poses ---- */

/* As it was defined, with its reference point in place. */
static Frame at_home(const Body *b) {
  Frame f = {.turn = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  memcpy(f.home, b->frame.home, sizeof f.home);
  memcpy(f.at, f.home, sizeof f.at);
  return f;
}

/* Bounded walls have images: the one whose reference point is nearest to home stands for them all. */
static void bring_near(const ScreeWorld *w, const Body *b, Frame *f) {
  bool bounded = scree_wall_is_bounded(&w->wall[b->first]);
  for (int k = 0; k < 3; k++) {
    f->near[k] = f->at[k];
    if (bounded && w->def.periodic[k])
      f->near[k] = f->home[k] + remainder(f->at[k] - f->home[k], w->def.high[k] - w->def.low[k]);
  }
}

static void place(const ScreeWorld *w, Body *b, double time) {
  Frame f = at_home(b);
  for (int i = 0; i < b->courses; i++) scree_motion_carry(&b->course[i], time, &f);
  bring_near(w, b, &f);
  memcpy(f.middle_v, f.v, sizeof f.v);
  memcpy(f.middle_w, f.w, sizeof f.w);
  b->frame = f;
  b->now = time;
}

/* Displacement and rotation of the step over its length. The rotation's vector is the antisymmetric part of the matrix
 * that leads from one pose to the next, whose length is the sine of the angle. */
static void set_middle(const ScreeWorld *w, const Frame *old, Frame *f) {
  double half[3], size;
  for (int k = 0; k < 3; k++) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    half[k] = 0.5 * (scree_dot(f->turn[z], old->turn[y]) - scree_dot(f->turn[y], old->turn[z]));
    f->middle_v[k] = (f->at[k] - old->at[k]) / w->dt;
  }
  size = sqrt(scree_dot(half, half));
  for (int k = 0; k < 3; k++) f->middle_w[k] = half[k] * (size > 1e-9 ? asin(fmin(size, 1.0)) / size : 1.0) / w->dt;
}

static bool is_present(const Body *b, double time) { return time >= b->insert_at && time < b->remove_at; }

void scree_bodies_prepare(ScreeWorld *w) {
  double time = w->step > 0 ? (double)w->step * w->dt : 0.0;
  for (int i = 0; i < w->bodies; i++) {
    Body *b = &w->body[i];
    b->present = is_present(b, time);
    for (int m = b->courses - 1; m >= 0; m--) {
      if (turns(&b->course[m])) memcpy(b->frame.home, b->course[m].def.point, sizeof b->frame.home);
      if (w->step == 0) b->course[m].s = b->course[m].v = 0.0;
    }
    place(w, b, time);
  }
}

double scree_bodies_lever(const ScreeWorld *w) {
  double farthest = 0.0;
  for (int i = 0; i < w->bodies; i++)
    for (int k = 0; k < 3 && w->body[i].turns; k++) farthest = fmax(farthest, fabs(w->body[i].frame.home[k]));
  return farthest;
}

void scree_bodies_listed(ScreeWorld *w) {
  for (int i = 0; i < w->bodies; i++) w->body[i].then = w->body[i].frame;
  w->walls_moved = w->meshes_moved = 0.0;
}

void scree_walls_seen(ScreeWorld *w) {
  for (int i = 0; i < w->bodies; i++)
    if (!scree_is_mesh(w, w->body[i].first)) w->body[i].then = w->body[i].frame;
  w->walls_moved = 0.0;
}

/* ---- speeds ---- */

/* Distance of a point from the axis of a turning motion. */
static double off_axis(const ScreeMotionDef *d, const double *x) {
  double to[3] = {x[0] - d->point[0], x[1] - d->point[1], x[2] - d->point[2]}, across[3];
  scree_cross(d->axis, to, across);
  return sqrt(scree_dot(across, across));
}

/* How far from the axis a wall can meet grains: not beyond itself, nor beyond the domain. */
static double reach_of(const ScreeWorld *w, const ScreeMotionDef *d, const ScreeWallDef *wall) {
  double domain = 0.0, own = INFINITY, across[3], end[3];
  for (int corner = 0; corner < 8; corner++) {
    double x[3], y[3];
    for (int k = 0; k < 3; k++) {
      x[k] = corner >> k & 1 ? w->def.high[k] : w->def.low[k];
      y[k] = corner >> k & 1 ? wall->high[k] : wall->low[k];
    }
    domain = fmax(domain, off_axis(d, x));
    if (wall->shape == SCREE_WALL_BOX || wall->shape == SCREE_WALL_MESH)
      own = fmax(corner > 0 ? own : 0.0, off_axis(d, y));
  }
  double widest = fmax(wall->radius, wall->radius2);
  for (int k = 0; k < 3; k++) end[k] = wall->point[k] + wall->length * wall->axis[k];
  scree_cross(d->axis, wall->axis, across);
  bool bounded = wall->shape != SCREE_WALL_BOX && wall->shape != SCREE_WALL_PLANE && wall->length > 0.0,
       coaxial = wall->shape == SCREE_WALL_CYLINDER && sqrt(scree_dot(across, across)) < 1e-9;
  if (bounded || coaxial || wall->shape == SCREE_WALL_SPHERE || wall->shape == SCREE_WALL_DISC)
    own = fmax(off_axis(d, wall->point), off_axis(d, end)) + widest;
  return fmin(domain, own);
}

static double speed_of(const ScreeWorld *w, const Body *b) {
  double sum = 0.0;
  for (int i = 0; i < b->courses; i++) {
    double spin, reach = 0.0;
    sum += scree_motion_speed(&b->course[i], &spin);
    for (int part = 0; part < b->count && spin > 0.0; part++)
      reach = fmax(reach, reach_of(w, &b->course[i].def, &w->wall[b->first + part]));
    sum += spin * reach;
  }
  return sum;
}

double scree_bodies_speed(const ScreeWorld *w) {
  double fastest = 0.0;
  for (int i = 0; i < w->bodies; i++) fastest = fmax(fastest, speed_of(w, &w->body[i]));
  return fastest;
}

/* Mass of the free grains, or their moment about the axis of a servo. Summed in integers: the grains' order does not
 * count. */
static double inertia_of(const ScreeWorld *w, const Course *c) {
  double most = 0.0;
  __extension__ __int128 sum = 0;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < w->count; i++) {
      const Record *r = &w->record[i];
      if (scree_is_fixed(r)) continue;
      double arm = turns(c) ? off_axis(&c->def, r->x) : 0.0,
             own = turns(c) ? r->m * (arm * arm + 0.4 * r->r * r->r) : r->m;
      if (pass == 0)
        most = fmax(most, own);
      else
        sum += llrint(own / most * 0x1p60);
    }
  return (double)sum * 0x1p-60 * most;
}

/* A wall as heavy as all the grains it may push is as slow as they are: the step that is right for them is for it. */
static void choose_servo(ScreeWorld *w, const Body *b, Course *c) {
  double reach = 0.0;
  for (int part = 0; part < b->count && turns(c); part++)
    reach = fmax(reach, reach_of(w, &c->def, &w->wall[b->first + part]));
  c->inertia = isnan(c->def.inertia) ? inertia_of(w, c) : c->def.inertia;
  c->max_speed = isnan(c->def.max_speed) ? 0.1 * w->expected_speed / (turns(c) ? reach : 1.0) : c->def.max_speed;
  c->damping = isnan(c->def.damping) ? fabs(c->def.load) / c->max_speed : c->def.damping;
  c->u = c->push = 0.0;
}

/* Far from its axis a wall is where rounding puts it; beyond a radian the rotation of a step is not unique. */
static ScreeStatus check_turn(const ScreeWorld *w, const Body *b, const Course *c) {
  double spin, size = 0.0;
  scree_motion_speed(c, &spin);
  for (int k = 0; k < 3; k++) size = fmax(size, fmax(fabs(w->def.low[k]), fabs(w->def.high[k])));
  for (int k = 0; k < 3 && turns(c); k++)
    if (!(fabs(c->def.point[k]) <= 1e6 * size))
      return scree_fail(SCREE_OUT_OF_RANGE,
                        "wall %d turns about a point at %.6g m, more than a million times the domain's %.6g m away",
                        b->first, c->def.point[k], size);
  if (!(spin * w->dt <= 1.0))
    return scree_fail(SCREE_OUT_OF_RANGE, "wall %d turns at up to %.6g rad/s, more than a radian in a step of %.4g s",
                      b->first, spin, w->dt);
  return SCREE_OK;
}

/* A wall lighter than a grain would follow it faster than the step can resolve. */
static ScreeStatus check_servo(const ScreeWorld *w, const Body *b, const Course *c) {
  double least = INFINITY;
  if (!(c->inertia > 0.0 && isfinite(c->damping)))
    return scree_fail(SCREE_INVALID,
                      "the servo of wall %d has nothing to choose its inertia or damping from: give them", b->first);
  for (size_t i = 0; i < w->count; i++) {
    const Record *r = &w->record[i];
    if (!scree_is_fixed(r)) least = fmin(least, turns(c) ? 0.4 * r->m * r->r * r->r : r->m);
  }
  if (isinf(least) || c->inertia >= least) return SCREE_OK;
  return scree_fail(SCREE_OUT_OF_RANGE,
                    "the servo of wall %d has an inertia of %.6g %s, less than the lightest grain's %.6g: it cannot be "
                    "followed in steps of %.4g s",
                    b->first, c->inertia, turns(c) ? "kg m2" : "kg", least, w->dt);
}

ScreeStatus scree_bodies_start(ScreeWorld *w) {
  for (int i = 0; i < w->bodies; i++) {
    Body *b = &w->body[i];
    double speed = speed_of(w, b);
    b->work = 0.0;
    if (!(speed * w->dt <= w->min_radius))
      return scree_fail(SCREE_OUT_OF_RANGE,
                        "wall %d moves at up to %.6g m/s: in a step of %.4g s more than the smallest grain's radius of "
                        "%.6g m; is the expected speed of %.4g m/s too low?",
                        b->first, speed, w->dt, w->min_radius, w->expected_speed);
    for (int m = 0; m < b->courses; m++) {
      SCREE_TRY(check_turn(w, b, &b->course[m]));
      if (!is_servo(&b->course[m])) continue;
      choose_servo(w, b, &b->course[m]);
      SCREE_TRY(check_servo(w, b, &b->course[m]));
    }
  }
  return SCREE_OK;
}

/* ---- loads ---- */

static double force_on(const ScreeWorld *w, const Body *b, int k) { return (double)b->load[k] * w->force_unit; }
static double torque_on(const ScreeWorld *w, const Body *b, int k) {
  return (double)b->load[3 + k] * w->force_unit / w->wall_arm;
}

/* Of the grains on the body, at the velocities of a frame. */
static double power_on(const ScreeWorld *w, const Body *b, const double *v, const double *spin) {
  double power = 0.0;
  for (int k = 0; k < 3; k++) power += force_on(w, b, k) * v[k] + torque_on(w, b, k) * spin[k];
  return power;
}

/* What the grains push a servo's coordinate with: their power at a rate of one. */
static double push_of(const ScreeWorld *w, const Body *b, int servo) {
  Frame f = at_home(b);
  for (int i = 0; i < b->courses; i++) scree_motion_probe(&b->course[i], b->now, i == servo, &f);
  return power_on(w, b, f.v, f.w);
}

static void sum_load(const ScreeWorld *w, Body *b) {
  memset(b->load, 0, sizeof b->load);
  for (int t = 0; t < w->def.threads; t++)
    for (int part = b->first; part < b->first + b->count; part++)
      for (int k = 0; k < 6; k++) b->load[k] += w->worker[t]->now.wall[part][k];
}

void scree_bodies_feel(ScreeWorld *w) {
  for (int i = 0; i < w->bodies; i++) {
    Body *b = &w->body[i];
    if (!b->moves) continue;
    sum_load(w, b);
    for (int m = 0; m < b->courses; m++)
      if (is_servo(&b->course[m])) b->course[m].push = push_of(w, b, m);
  }
}

/* ---- servos ---- */

static double within(double speed, double limit) { return fmin(fmax(speed, -limit), limit); }

/* Half of the step's work of grains and load on the coordinate, and of the damper, with the force of one end. */
static void book_servo(ScreeWorld *w, const Course *c) {
  w->ledger.push += 0.5 * w->dt * (c->push + c->def.load) * c->u;
  w->ledger.walls += 0.5 * w->dt * c->damping * c->v * c->u;
}

/* What a speed limit takes in the first half: the kinetic energy beyond it, less the work the forces no longer do. */
static void servo_drift(ScreeWorld *w, const Body *b, Course *c, double time) {
  if (!b->present || !scree_motion_runs(c, time)) { /* held */
    w->ledger.walls += 0.5 * c->inertia * c->v * c->v;
    c->v = c->u = 0.0;
    return;
  }
  double h = 0.5 * w->dt * (c->push + c->def.load - c->damping * c->v) / c->inertia, raw = c->v + h;
  c->u = within(raw, c->max_speed);
  w->ledger.walls += c->inertia * (raw - c->u) * (0.5 * (raw + c->u) - h);
  book_servo(w, c);
  c->s += c->u * w->dt;
  c->v = within(c->u + h, c->max_speed);
}

static void servo_correct(ScreeWorld *w, const Body *b, Course *c) {
  if (!b->present || !scree_motion_runs(c, b->now)) return;
  double share = 0.5 * w->dt / c->inertia, raw = (c->u + share * (c->push + c->def.load)) / (1.0 + share * c->damping);
  c->v = raw;
  book_servo(w, c);
  c->v = within(raw, c->max_speed);
  w->ledger.walls += 0.5 * c->inertia * (raw * raw - c->v * c->v);
}

/* ---- the step ---- */

/* Half a step's work on the grains, with the loads of one end. What goes through a servo is its load's. */
static void book_work(ScreeWorld *w, Body *b) {
  double work = -0.5 * w->dt * power_on(w, b, b->frame.middle_v, b->frame.middle_w);
  b->work += work;
  w->ledger.push += work;
}

/* A wall that comes into grains would throw them out. */
static ScreeStatus check_room(const ScreeWorld *w, const Body *b) {
  for (int wall = b->first; wall < b->first + b->count; wall++) {
    size_t first = w->count; /* by ids: the order in memory is of the threads */
    double deep = 0.0;
    for (size_t i = 0; i < w->count; i++) {
      const Record *r = &w->record[i];
      double normal[3], lever[3], depth = r->r - scree_wall_gap(w, wall, r, normal, lever);
      if (depth > 0.0 && !scree_is_fixed(r) && (first == w->count || w->turn[i].id < w->turn[first].id))
        first = i, deep = depth;
    }
    const double *x = w->record[first].x;
    if (first < w->count)
      return scree_fail(SCREE_OUT_OF_RANGE,
                        "step %ld: wall %d is inserted at %.6g s where grain %llu is, at (%.6g, %.6g, %.6g) m, %.4g m "
                        "deep; insert it later or elsewhere",
                        w->step + 1, wall, b->insert_at, (unsigned long long)w->turn[first].id, x[0], x[1], x[2], deep);
  }
  return SCREE_OK;
}

/* true: it comes in this step. */
static bool come_or_go(ScreeWorld *w, Body *b, double time) {
  bool present = is_present(b, time), comes = present && !b->present;
  if (present != b->present) w->walls_moved = INFINITY;
  b->present = present;
  return comes;
}

static void measure_way(ScreeWorld *w, const Body *b, const Frame *before) {
  double *most = scree_is_mesh(w, b->first) ? &w->meshes_moved : &w->walls_moved;
  for (int wall = b->first; wall < b->first + b->count && b->present; wall++) {
    *most = fmax(*most, scree_wall_shift(w, &w->wall[wall], &b->then, &b->frame));
    w->walls_step = fmax(w->walls_step, scree_wall_shift(w, &w->wall[wall], before, &b->frame));
  }
}

ScreeStatus scree_bodies_drift(ScreeWorld *w) {
  double time = (double)(w->step + 1) * w->dt;
  w->walls_step = 0.0;
  for (int i = 0; i < w->bodies; i++) {
    Body *b = &w->body[i];
    bool comes = come_or_go(w, b, time);
    if (b->moves) {
      Frame old = b->frame;
      for (int m = 0; m < b->courses; m++)
        if (is_servo(&b->course[m])) servo_drift(w, b, &b->course[m], time);
      place(w, b, time);
      set_middle(w, &old, &b->frame);
      book_work(w, b);
      measure_way(w, b, &old);
    }
    if (comes) SCREE_TRY(check_room(w, b));
  }
  return SCREE_OK;
}

bool scree_bodies_rest(const ScreeWorld *w) {
  for (int i = 0; i < w->bodies; i++) {
    const Body *b = &w->body[i];
    for (int s = 1; s <= 2; s++)
      if (b->moves || is_present(b, (double)(w->step + s) * w->dt) != b->present) return false;
  }
  return true;
}

/* Contacts saw the predicted speeds of servos; the rates of the pose are those of the corrected ones, as after a
 * restoration. */
static void renew_rates(Body *b) {
  Frame f = at_home(b);
  for (int m = 0; m < b->courses; m++) scree_motion_carry(&b->course[m], b->now, &f);
  memcpy(b->frame.v, f.v, sizeof f.v);
  memcpy(b->frame.w, f.w, sizeof f.w);
}

void scree_bodies_correct(ScreeWorld *w) {
  scree_bodies_feel(w);
  for (int i = 0; i < w->bodies; i++) {
    Body *b = &w->body[i];
    if (!b->moves) continue;
    book_work(w, b);
    bool any = false;
    for (int m = 0; m < b->courses; m++) {
      if (!is_servo(&b->course[m])) continue;
      servo_correct(w, b, &b->course[m]);
      any = true;
    }
    if (any) renew_rates(b);
  }
}

/* ---- contacts ---- */

Surface scree_surface(const Frame *f, const double *lever) {
  Surface s;
  for (int k = 0; k < 3; k++) {
    scree_ground(f, lever, k, &s.v[k], &s.u[k]);
    s.w[k] = f->middle_w[k];
  }
  return s;
}

/* ---- reading ---- */

ScreeStatus scree_world_wall_force(const ScreeWorld *w, int wall, double force[3], double torque[3]) {
  SCREE_NEED_AS(w, "world");
  if (!w->started) return scree_fail(SCREE_INVALID, "the world was not started");
  SCREE_TRY(find_wall(w, wall));
  const Body *b = scree_body_of(w, wall);
  double f[3], t[3], moved[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < 3; k++) {
    Wide push = 0, turn = 0;
    for (int i = 0; i < w->def.threads; i++)
      push += w->worker[i]->now.wall[wall][k], turn += w->worker[i]->now.wall[wall][3 + k];
    f[k] = (double)push * w->force_unit;
    t[k] = (double)turn * w->force_unit / w->wall_arm;
  }
  if (b->turns) scree_cross(b->frame.at, f, moved);
  for (int k = 0; k < 3; k++) {
    if (force) force[k] = f[k];
    if (torque) torque[k] = t[k] + moved[k];
  }
  return SCREE_OK;
}

ScreeStatus scree_world_wall_load(const ScreeWorld *w, int wall, ScreeWallLoad *out) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(out);
  if (!w->started) return scree_fail(SCREE_INVALID, "the world was not started");
  SCREE_TRY(find_wall(w, wall));
  const Body *b = scree_body_of(w, wall);
  const Frame *f = &b->frame;
  Body still = *b;
  if (!b->moves) sum_load(w, &still);
  *out = (ScreeWallLoad){.work = b->work, .moves = b->moves, .present = b->present};
  for (int k = 0; k < 3; k++) {
    out->force[k] = force_on(w, &still, k);
    out->torque[k] = torque_on(w, &still, k);
    out->home[k] = f->home[k], out->position[k] = f->at[k];
    out->about[k] = b->turns ? f->at[k] : 0.0;
    out->velocity[k] = f->v[k], out->spin[k] = f->w[k];
  }
  memcpy(out->turn, f->turn, sizeof out->turn);
  out->power = -power_on(w, &still, f->v, f->w) + 0.0; /* + 0: no -0 */
  return SCREE_OK;
}
