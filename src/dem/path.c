/* path.c: motions of walls as functions of time: a pose depends on the time alone, not on the steps before it, so it
 * drifts nowhere and needs no state. Only servos have one: the coordinate that the grains push (body.c). */
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "engine.h"

ScreeMotionDef scree_motion_def_default(ScreeMotionKind kind) {
  return (ScreeMotionDef){.kind = kind, .stop = INFINITY, .inertia = NAN, .damping = NAN, .max_speed = NAN};
}

/* ---- definitions ---- */

static bool finite3(const double *v) { return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]); }

static bool is_zero(const double *v) { return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0; }

static bool needs_axis(const ScreeMotionDef *d) {
  bool turns = d->kind == SCREE_MOTION_OSCILLATION && d->angle != 0.0;
  for (size_t i = 0; d->kind == SCREE_MOTION_WAYPOINTS && i < d->waypoints; i++) turns |= d->waypoint[i].angle != 0.0;
  return turns || d->kind == SCREE_MOTION_ROTATION || d->kind >= SCREE_MOTION_SERVO;
}

static ScreeStatus check_times(const ScreeMotionDef *d) {
  if (!(d->start >= 0.0 && isfinite(d->start) && d->stop > d->start))
    return scree_fail(SCREE_INVALID,
                      "a motion must stop after it starts, and start at a time >= 0 s (got %.10g ... %.10g)", d->start,
                      d->stop);
  if (!(d->ramp >= 0.0 && isfinite(d->ramp) && 2.0 * d->ramp <= d->stop - d->start))
    return scree_fail(SCREE_INVALID,
                      "a motion's ramp must be >= 0 s and fit twice between start and stop (got %.10g s)", d->ramp);
  return SCREE_OK;
}

static ScreeStatus check_waypoints(const ScreeMotionDef *d) {
  if (d->waypoints < 2 || !d->waypoint) return scree_fail(SCREE_INVALID, "a table of waypoints needs two at least");
  for (size_t i = 0; i < d->waypoints; i++) {
    const ScreeWaypoint *p = &d->waypoint[i];
    if (!isfinite(p->time) || !isfinite(p->angle) || !finite3(p->shift))
      return scree_fail(SCREE_INVALID, "waypoint %zu has numbers that are not finite", i + 1);
    if (!(p->time >= 0.0) || (i > 0 && !(p->time > d->waypoint[i - 1].time)))
      return scree_fail(SCREE_INVALID, "the times of waypoints must ascend from 0 s on (waypoint %zu: %.10g s)", i + 1,
                        p->time);
  }
  if (!is_zero(d->waypoint[0].shift) || d->waypoint[0].angle != 0.0)
    return scree_fail(SCREE_INVALID, "the first waypoint must be where the wall is: without displacement and angle");
  return SCREE_OK;
}

static ScreeStatus check_servo(const ScreeMotionDef *d) {
  if (!isfinite(d->load)) return scree_fail(SCREE_INVALID, "a servo's load must be finite (got %.10g)", d->load);
  if (!isnan(d->inertia) && !(d->inertia > 0.0 && isfinite(d->inertia)))
    return scree_fail(SCREE_INVALID, "a servo's inertia must be > 0 (got %.10g)", d->inertia);
  if (!isnan(d->damping) && !(d->damping >= 0.0 && isfinite(d->damping)))
    return scree_fail(SCREE_INVALID, "a servo's damping must be >= 0 (got %.10g)", d->damping);
  if (!isnan(d->max_speed) && !(d->max_speed > 0.0 && isfinite(d->max_speed)))
    return scree_fail(SCREE_INVALID, "a servo's largest speed must be > 0 (got %.10g)", d->max_speed);
  if (d->ramp != 0.0) return scree_fail(SCREE_INVALID, "a servo has no ramp: its inertia makes it start slowly");
  return SCREE_OK;
}

static ScreeStatus check(const ScreeMotionDef *d) {
  if ((int)d->kind < SCREE_MOTION_LINEAR || d->kind > SCREE_MOTION_TURN_SERVO)
    return scree_fail(SCREE_UNKNOWN, "no such motion of a wall (%d)", (int)d->kind);
  if (!finite3(d->velocity) || !finite3(d->axis) || !finite3(d->point) || !finite3(d->amplitude) ||
      !isfinite(d->speed) || !isfinite(d->angle) || !isfinite(d->phase))
    return scree_fail(SCREE_INVALID, "a motion's numbers must be finite");
  SCREE_TRY(check_times(d));
  if (d->kind == SCREE_MOTION_OSCILLATION && !(d->frequency > 0.0 && isfinite(d->frequency)))
    return scree_fail(SCREE_INVALID, "an oscillation needs a frequency > 0 Hz (got %.10g)", d->frequency);
  if (d->kind == SCREE_MOTION_WAYPOINTS) SCREE_TRY(check_waypoints(d));
  if (d->kind >= SCREE_MOTION_SERVO) SCREE_TRY(check_servo(d));
  if (needs_axis(d) && is_zero(d->axis)) return scree_fail(SCREE_INVALID, "a motion needs an axis that is not zero");
  return SCREE_OK;
}

ScreeStatus scree_motion_prepare(const ScreeMotionDef *def, Course *course) {
  SCREE_TRY(check(def));
  *course = (Course){.def = *def};
  ScreeMotionDef *d = &course->def;
  double largest = fmax(fabs(d->axis[0]), fmax(fabs(d->axis[1]), fabs(d->axis[2])));
  for (int k = 0; k < 3 && largest > 0.0; k++) d->axis[k] /= largest; /* its square cannot overflow */
  double size = sqrt(scree_dot(d->axis, d->axis));
  for (int k = 0; k < 3 && largest > 0.0; k++) d->axis[k] = needs_axis(def) ? d->axis[k] / size : 0.0;
  d->waypoint = NULL;
  if (d->kind != SCREE_MOTION_WAYPOINTS) return SCREE_OK;
  ScreeWaypoint *copy = malloc(d->waypoints * sizeof *copy);
  if (!copy) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu waypoints", d->waypoints);
  memcpy(copy, def->waypoint, d->waypoints * sizeof *copy);
  d->waypoint = copy;
  return SCREE_OK;
}

/* ---- functions of time ---- */

/* A turn about the axis, then a displacement, and their rates. */
typedef struct Stage {
  double shift[3], shift_rate[3], angle, angle_rate;
} Stage;

/* The motion's own time, and how fast it runs. */
static double clock_of(const ScreeMotionDef *d, double time, double *rate) {
  double on = time - d->start, length = d->stop - d->start, left = length - on, ramp = d->ramp;
  *rate = 0.0;
  if (on < 0.0) return 0.0;
  if (left <= 0.0) return length - ramp;
  if (on < ramp) {
    *rate = on / ramp;
    return 0.5 * on * on / ramp;
  }
  if (left < ramp) {
    *rate = left / ramp;
    return length - ramp - 0.5 * left * left / ramp;
  }
  *rate = 1.0;
  return on - 0.5 * ramp;
}

static double component(const ScreeWaypoint *p, int axis) { return axis < 3 ? p->shift[axis] : p->angle; }

static double slope(const ScreeMotionDef *d, size_t i, int axis) {
  const ScreeWaypoint *a = &d->waypoint[i], *b = a + 1;
  return (component(b, axis) - component(a, axis)) / (b->time - a->time);
}

/* Of a smooth table at a waypoint: the harmonic mean of both sides' slopes, zero where it turns back, so that nothing
 * overshoots (Fritsch & Butland 1984); at rest at its ends, unless it repeats. */
static double tangent(const ScreeMotionDef *d, size_t i, int axis) {
  size_t last = d->waypoints - 1;
  bool end = i == 0 || i == last;
  if (end && !d->repeat) return 0.0;
  double before = slope(d, i == 0 ? last - 1 : i - 1, axis), after = slope(d, i == last ? 0 : i, axis);
  return before * after > 0.0 ? 2.0 * before * after / (before + after) : 0.0;
}

/* Between waypoints i and i + 1, at a share t of the way. */
static double between(const ScreeMotionDef *d, size_t i, int axis, double t, double *rate) {
  const ScreeWaypoint *p = &d->waypoint[i];
  double from = component(p, axis), step = component(p + 1, axis) - from, width = p[1].time - p->time;
  if (!d->smooth) {
    *rate = step / width;
    return from + step * t;
  }
  double m0 = tangent(d, i, axis) * width, m1 = tangent(d, i + 1, axis) * width;
  *rate = (m0 * (1.0 + t * (3.0 * t - 4.0)) + m1 * t * (3.0 * t - 2.0) + 6.0 * step * t * (1.0 - t)) / width;
  return from + t * (m0 * (1.0 - t) * (1.0 - t) - m1 * t * (1.0 - t) + step * t * (3.0 - 2.0 * t));
}

/* A table that repeats goes on from its last place. */
static void along_waypoints(const ScreeMotionDef *d, double clock, double rate, Stage *s) {
  const ScreeWaypoint *p = d->waypoint;
  size_t last = d->waypoints - 1, i = 0;
  double period = p[last].time - p[0].time, rounds = 0.0;
  if (d->repeat && clock > p[0].time) {
    rounds = floor((clock - p[0].time) / period);
    clock -= rounds * period;
  }
  while (i + 1 < last && clock >= p[i + 1].time) i++;
  double t = (clock - p[i].time) / (p[i + 1].time - p[i].time);
  if (t < 0.0 || t > 1.0) rate = 0.0;
  t = fmin(fmax(t, 0.0), 1.0);
  for (int axis = 0; axis < 4; axis++) {
    double fast, value = between(d, i, axis, t, &fast) + rounds * component(&p[last], axis);
    *(axis < 3 ? &s->shift[axis] : &s->angle) = value;
    *(axis < 3 ? &s->shift_rate[axis] : &s->angle_rate) = fast * rate;
  }
}

static Stage stage_of(const Course *c, double time) {
  const ScreeMotionDef *d = &c->def;
  Stage s = {0};
  double rate, clock = clock_of(d, time, &rate), turn = 2.0 * acos(-1.0) * d->frequency,
               angle = turn * clock + d->phase, swing = sin(angle) - sin(d->phase),
               swing_rate = turn * rate * cos(angle);
  switch (d->kind) {
  case SCREE_MOTION_LINEAR:
    for (int k = 0; k < 3; k++) s.shift[k] = d->velocity[k] * clock, s.shift_rate[k] = d->velocity[k] * rate;
    break;
  case SCREE_MOTION_ROTATION: s.angle = d->speed * clock, s.angle_rate = d->speed * rate; break;
  case SCREE_MOTION_OSCILLATION:
    for (int k = 0; k < 3; k++) s.shift[k] = d->amplitude[k] * swing, s.shift_rate[k] = d->amplitude[k] * swing_rate;
    s.angle = d->angle * swing, s.angle_rate = d->angle * swing_rate;
    break;
  case SCREE_MOTION_WAYPOINTS: along_waypoints(d, clock, rate, &s); break;
  case SCREE_MOTION_SERVO:
    for (int k = 0; k < 3; k++) s.shift[k] = c->s * d->axis[k], s.shift_rate[k] = c->v * d->axis[k];
    break;
  case SCREE_MOTION_TURN_SERVO: s.angle = c->s, s.angle_rate = c->v; break;
  }
  return s;
}

bool scree_motion_runs(const Course *c, double time) { return time >= c->def.start && time < c->def.stop; }

/* Of a table: no faster than its steepest stretch, or its steepest of some places on it. */
static double fastest_waypoint(const ScreeMotionDef *d, bool turns) {
  enum { PLACES = 32 };
  double fastest = 0.0;
  for (size_t i = 0; i + 1 < d->waypoints; i++)
    for (int place = 0; place <= PLACES; place++) {
      double rate[4];
      for (int axis = 0; axis < 4; axis++) between(d, i, axis, (double)place / PLACES, &rate[axis]);
      fastest = fmax(fastest, turns ? fabs(rate[3]) : sqrt(scree_dot(rate, rate)));
    }
  return fastest;
}

double scree_motion_speed(const Course *c, double *spin) {
  const ScreeMotionDef *d = &c->def;
  double turn = 2.0 * acos(-1.0) * d->frequency;
  *spin = 0.0;
  switch (d->kind) {
  case SCREE_MOTION_LINEAR: return sqrt(scree_dot(d->velocity, d->velocity));
  case SCREE_MOTION_ROTATION: *spin = fabs(d->speed); return 0.0;
  case SCREE_MOTION_OSCILLATION:
    *spin = turn * fabs(d->angle);
    return turn * sqrt(scree_dot(d->amplitude, d->amplitude));
  case SCREE_MOTION_WAYPOINTS: *spin = fastest_waypoint(d, true); return fastest_waypoint(d, false);
  case SCREE_MOTION_TURN_SERVO: *spin = isnan(d->max_speed) ? 0.0 : d->max_speed; return 0.0;
  case SCREE_MOTION_SERVO: return isnan(d->max_speed) ? 0.0 : d->max_speed;
  }
  return 0.0;
}

/* ---- poses ---- */

/* Rodrigues. */
static void rotation(const double *axis, double angle, double q[3][3]) {
  double c = cos(angle), s = sin(angle);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) q[i][j] = (i == j ? c : 0.0) + (1.0 - c) * axis[i] * axis[j];
  for (int k = 0; k < 3; k++) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    q[z][y] += s * axis[k];
    q[y][z] -= s * axis[k];
  }
}

static void multiply(double q[3][3], const double *v, double *result) {
  double x = scree_dot(q[0], v), y = scree_dot(q[1], v), z = scree_dot(q[2], v);
  result[0] = x, result[1] = y, result[2] = z;
}

static void turn_about(const ScreeMotionDef *d, const Stage *s, Frame *f) {
  double q[3][3], arm[3], spin[3], swing[3];
  rotation(d->axis, s->angle, q);
  for (int j = 0; j < 3; j++) {
    double column[3] = {f->turn[0][j], f->turn[1][j], f->turn[2][j]};
    multiply(q, column, column);
    for (int i = 0; i < 3; i++) f->turn[i][j] = column[i];
  }
  for (int k = 0; k < 3; k++) arm[k] = f->at[k] - d->point[k], spin[k] = s->angle_rate * d->axis[k];
  multiply(q, arm, arm);
  multiply(q, f->v, f->v);
  multiply(q, f->w, f->w);
  scree_cross(spin, arm, swing);
  for (int k = 0; k < 3; k++) {
    f->at[k] = d->point[k] + arm[k];
    f->v[k] += swing[k];
    f->w[k] += spin[k];
  }
}

static void carry(const Course *c, const Stage *s, Frame *f) {
  if (!is_zero(c->def.axis) && c->def.kind != SCREE_MOTION_SERVO) turn_about(&c->def, s, f);
  for (int k = 0; k < 3; k++) f->at[k] += s->shift[k], f->v[k] += s->shift_rate[k];
}

void scree_motion_carry(const Course *c, double time, Frame *f) {
  Stage s = stage_of(c, time);
  carry(c, &s, f);
}

void scree_motion_probe(const Course *c, double time, bool moves, Frame *f) {
  Stage s = stage_of(c, time);
  bool turns = c->def.kind == SCREE_MOTION_TURN_SERVO;
  for (int k = 0; k < 3; k++) s.shift_rate[k] = moves && !turns ? c->def.axis[k] : 0.0;
  s.angle_rate = moves && turns ? 1.0 : 0.0;
  carry(c, &s, f);
}
