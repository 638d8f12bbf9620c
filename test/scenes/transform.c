/* transform.c: see transform.h. */
#include "transform.h"

#include <string.h>

/* ---- rigid motions ---------------------------------------------------------------------------------------------- */

Motion3 motion3_shift(const double *shift) {
  Motion3 m = {{0, 1, 2}, {1.0, 1.0, 1.0}, {shift[0], shift[1], shift[2]}};
  return m;
}
Motion3 motion3_mirror(int axis) {
  Motion3 m = motion3_shift((double[]){0.0, 0.0, 0.0});
  m.sign[axis] = -1.0;
  return m;
}
Motion3 motion3_turn(int axis) {
  Motion3 m = motion3_shift((double[]){0.0, 0.0, 0.0});
  int a = (axis + 1) % 3, b = (axis + 2) % 3; /* a goes to b, b to -a */
  m.from[b] = a, m.from[a] = b, m.sign[a] = -1.0;
  return m;
}

double motion3_handedness(const Motion3 *m) {
  bool odd = (m->from[0] == 0) + (m->from[1] == 1) + (m->from[2] == 2) == 1; /* one transposition */
  return m->sign[0] * m->sign[1] * m->sign[2] * (odd ? -1.0 : 1.0);
}

void motion3_polar(const Motion3 *m, const double *v, double *out) {
  double in[3] = {v[0], v[1], v[2]};
  for (int k = 0; k < 3; k++) out[k] = m->sign[k] * in[m->from[k]];
}
void motion3_axial(const Motion3 *m, const double *w, double *out) {
  motion3_polar(m, w, out);
  for (int k = 0; k < 3; k++) out[k] *= motion3_handedness(m);
}
void motion3_point(const Motion3 *m, const double *x, double *out) {
  motion3_polar(m, x, out);
  for (int k = 0; k < 3; k++) out[k] += m->shift[k];
}

static void move_box(const Motion3 *m, double *low, double *high) {
  double a[3], b[3];
  motion3_point(m, low, a);
  motion3_point(m, high, b);
  for (int k = 0; k < 3; k++) low[k] = fmin(a[k], b[k]), high[k] = fmax(a[k], b[k]);
}

static void move_region(const Motion3 *m, ScreeRegion *r) {
  if (r->shape == SCREE_REGION_BOX) move_box(m, r->low, r->high);
  motion3_point(m, r->from, r->from);
  motion3_point(m, r->to, r->to);
  motion3_point(m, r->point, r->point);
  motion3_polar(m, r->normal, r->normal);
}

static void move_motion(const Motion3 *m, SceneMotion *motion) {
  ScreeMotionDef *d = &motion->def;
  motion3_polar(m, d->velocity, d->velocity);
  motion3_polar(m, d->amplitude, d->amplitude);
  motion3_point(m, d->point, d->point);
  if (d->kind == SCREE_MOTION_SERVO)
    motion3_polar(m, d->axis, d->axis);
  else
    motion3_axial(m, d->axis, d->axis);
  for (size_t i = 0; i < d->waypoints; i++) motion3_polar(m, motion->waypoint[i].shift, motion->waypoint[i].shift);
}

static void move_wall(const Motion3 *m, SceneWall *wall) {
  ScreeWallDef *w = &wall->def;
  motion3_point(m, w->point, w->point);
  motion3_point(m, wall->end, wall->end);
  motion3_polar(m, w->axis, w->axis);
  scene_align(wall);
  if (w->shape == SCREE_WALL_BOX) move_box(m, w->low, w->high);
  for (size_t i = 0; i < wall->mesh.vertices; i++) motion3_point(m, wall->mesh.vertex[i], wall->mesh.vertex[i]);
  for (int i = 0; i < wall->motions; i++) move_motion(m, &wall->motion[i]);
}

void scene_move(Scene *s, const Motion3 *m) {
  bool periodic[3] = {s->def.periodic[0], s->def.periodic[1], s->def.periodic[2]};
  motion3_polar(m, s->def.gravity, s->def.gravity);
  motion3_polar(m, s->def.body_force, s->def.body_force);
  move_box(m, s->def.low, s->def.high);
  for (int k = 0; k < 3; k++) s->def.periodic[k] = periodic[m->from[k]];
  for (int i = 0; i < s->walls; i++) move_wall(m, &s->wall[i]);
  for (int i = 0; i < s->outlets; i++) move_region(m, &s->outlet[i]);
  for (int i = 0; i < s->streams; i++) {
    move_region(m, &s->stream[i].region);
    motion3_polar(m, s->stream[i].velocity, s->stream[i].velocity);
    motion3_axial(m, s->stream[i].spin, s->stream[i].spin);
  }
  for (int i = 0; i < s->grains; i++) {
    motion3_point(m, s->grain[i].position, s->grain[i].position);
    motion3_polar(m, s->grain[i].velocity, s->grain[i].velocity);
    motion3_axial(m, s->grain[i].spin, s->grain[i].spin);
  }
}

/* ---- units ------------------------------------------------------------------------------------------------------ */

/* A number of the dimension length^l time^t mass^m, in the new units. */
static void convert(const Units3 *u, double *x, double l, double t, double m) {
  *x /= pow(u->length, l) * pow(u->time, t) * pow(u->mass, m);
}
static void convert3(const Units3 *u, double *x, double l, double t, double m) {
  for (int k = 0; k < 3; k++) convert(u, &x[k], l, t, m);
}

static void convert_contact(const Units3 *u, ScreeContactDef *c) {
  ScreePairDef *p = &c->pair;
  convert(u, &p->stiffness, 1.0 - scene_stiffness_exponent(c), -2.0, 1.0);
  convert(u, &p->min_speed, 1.0, -1.0, 0.0);
  convert(u, &p->param[SCREE_PARAM_veps], 1.0, -1.0, 0.0);
  convert(u, &p->param[SCREE_PARAM_kt], 0.0, -2.0, 1.0);
  convert(u, &p->param[SCREE_PARAM_gt], 0.0, -1.0, 1.0);
  const ScreeParamId viscosities[] = {SCREE_PARAM_D1, SCREE_PARAM_D2}, moduli[] = {SCREE_PARAM_E1, SCREE_PARAM_E2};
  for (int i = 0; i < 2; i++) {
    convert(u, &p->param[viscosities[i]], -1.0, -1.0, 1.0);
    convert(u, &p->param[moduli[i]], -1.0, -2.0, 1.0);
  }
  if (c->rolling_model == SCREE_ROLLING_VISCOUS) convert(u, &c->rolling, -1.0, 1.0, 0.0);
}

static void convert_region(const Units3 *u, ScreeRegion *r) {
  convert3(u, r->low, 1.0, 0.0, 0.0), convert3(u, r->high, 1.0, 0.0, 0.0);
  convert3(u, r->from, 1.0, 0.0, 0.0), convert3(u, r->to, 1.0, 0.0, 0.0);
  convert3(u, r->point, 1.0, 0.0, 0.0);
  convert(u, &r->radius, 1.0, 0.0, 0.0);
}

static void convert_motion(const Units3 *u, SceneMotion *m) {
  ScreeMotionDef *d = &m->def;
  double turns = d->kind == SCREE_MOTION_TURN_SERVO ? 1.0 : 0.0;
  convert3(u, d->velocity, 1.0, -1.0, 0.0);
  convert3(u, d->amplitude, 1.0, 0.0, 0.0);
  convert3(u, d->point, 1.0, 0.0, 0.0);
  convert(u, &d->speed, 0.0, -1.0, 0.0);
  convert(u, &d->frequency, 0.0, -1.0, 0.0);
  convert(u, &d->start, 0.0, 1.0, 0.0), convert(u, &d->stop, 0.0, 1.0, 0.0), convert(u, &d->ramp, 0.0, 1.0, 0.0);
  convert(u, &d->load, 1.0 + turns, -2.0, 1.0);
  convert(u, &d->inertia, 2.0 * turns, 0.0, 1.0);
  convert(u, &d->damping, 2.0 * turns, -1.0, 1.0);
  convert(u, &d->max_speed, 1.0 - turns, -1.0, 0.0);
  for (size_t i = 0; i < d->waypoints; i++) {
    convert(u, &m->waypoint[i].time, 0.0, 1.0, 0.0);
    convert3(u, m->waypoint[i].shift, 1.0, 0.0, 0.0);
  }
}

static void convert_wall(const Units3 *u, SceneWall *w) {
  convert3(u, w->def.point, 1.0, 0.0, 0.0);
  convert3(u, w->def.low, 1.0, 0.0, 0.0), convert3(u, w->def.high, 1.0, 0.0, 0.0);
  convert(u, &w->def.radius, 1.0, 0.0, 0.0), convert(u, &w->def.radius2, 1.0, 0.0, 0.0);
  convert3(u, w->end, 1.0, 0.0, 0.0);
  scene_align(w);
  convert(u, &w->insert_at, 0.0, 1.0, 0.0), convert(u, &w->remove_at, 0.0, 1.0, 0.0);
  for (size_t i = 0; i < w->mesh.vertices; i++) convert3(u, w->mesh.vertex[i], 1.0, 0.0, 0.0);
  for (int i = 0; i < w->motions; i++) convert_motion(u, &w->motion[i]);
}

static void convert_stream(const Units3 *u, ScreeStreamDef *d) {
  convert_region(u, &d->region);
  convert(u, &d->mass_rate, 0.0, -1.0, 1.0), convert(u, &d->number_rate, 0.0, -1.0, 0.0);
  convert(u, &d->from, 0.0, 1.0, 0.0), convert(u, &d->until, 0.0, 1.0, 0.0);
  convert(u, &d->mass, 0.0, 0.0, 1.0);
  double *radii[] = {&d->sizes.min, &d->sizes.max, &d->sizes.mean, &d->sizes.sd};
  for (int i = 0; i < 4; i++) convert(u, radii[i], 1.0, 0.0, 0.0);
  convert3(u, d->velocity, 1.0, -1.0, 0.0), convert3(u, d->spin, 0.0, -1.0, 0.0);
}

static void convert_world(const Units3 *u, ScreeWorldDef *d) {
  convert3(u, d->gravity, 1.0, -2.0, 0.0);
  convert3(u, d->body_force, -2.0, -2.0, 1.0);
  convert3(u, d->low, 1.0, 0.0, 0.0), convert3(u, d->high, 1.0, 0.0, 0.0);
  convert(u, &d->timestep, 0.0, 1.0, 0.0);
  convert(u, &d->expected_speed, 1.0, -1.0, 0.0);
  convert(u, &d->skin, 1.0, 0.0, 0.0);
}

void scene_convert(Scene *s, const Units3 *u) {
  convert(u, &s->radius, 1.0, 0.0, 0.0);
  convert(u, &s->speed, 1.0, -1.0, 0.0);
  convert(u, &s->time, 0.0, 1.0, 0.0);
  convert_world(u, &s->def);
  for (int i = 0; i < s->materials; i++) {
    convert(u, &s->material[i].young, -1.0, -2.0, 1.0);
    convert(u, &s->material[i].density, -3.0, 0.0, 1.0);
  }
  convert_contact(u, &s->contact);
  for (int a = 0; a < s->materials; a++)
    for (int b = a; b < s->materials; b++) convert_contact(u, &s->pair[a][b]);
  for (int i = 0; i < s->walls; i++) convert_wall(u, &s->wall[i]);
  for (int i = 0; i < s->outlets; i++) convert_region(u, &s->outlet[i]);
  for (int i = 0; i < s->streams; i++) convert_stream(u, &s->stream[i]);
  for (int i = 0; i < s->grains; i++) {
    convert3(u, s->grain[i].position, 1.0, 0.0, 0.0);
    convert3(u, s->grain[i].velocity, 1.0, -1.0, 0.0);
    convert3(u, s->grain[i].spin, 0.0, -1.0, 0.0);
    convert(u, &s->grain[i].radius, 1.0, 0.0, 0.0);
  }
}
