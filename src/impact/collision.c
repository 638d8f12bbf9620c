/* collision.c: integrates one collision and locates its events. The course of it is scree_collide, at the end.
 *
 * Events are roots of functions of the state (velocity, overlap, force, a law's branch function). A step that changes
 * an event's sign is repeated with the length that ends on the root, so that no accepted step crosses a kink and every
 * event is as accurate as the integration itself. */
#include "collision.h"

#include <math.h>
#include <string.h>

#include "core/status.h"

/* ---- state and slope ---- */

/* x^q, and x^(q-1) in *lower. */
static double powers(double x, int q, double *lower) {
  double x2 = x * x, x3 = x2 * x;
  *lower = q == 1 ? 1.0 : q == 2 ? x : q == 4 ? x3 : x2 * x2 * x3;
  return *lower * x;
}

static double overlap_of(const ScreeMotion *m, const double *y) {
  double lower;
  return m->rest + m->length * powers(y[STATE_X], m->q, &lower);
}

/* Force at a state, on a copy of the memory. */
static double force_of(const ScreeMotion *m, const double *y, double d, double *memory) {
  memcpy(memory, m->memory, sizeof m->memory);
  if (m->flowing) memory[0] = y[STATE_MEMORY];
  return m->ops->force(&m->law, d, m->speed * y[STATE_W], memory);
}

static void slope_of(const double *y, double *dy, void *context) {
  const ScreeMotion *m = context;
  double memory[SCREE_MAX_SLOTS], lower;
  double d = m->rest + m->length * powers(y[STATE_X], m->q, &lower), w = y[STATE_W], v = m->speed * w;
  double force = force_of(m, y, d, memory);
  if (d > m->limit) force = NAN; /* the step is refused, and at last the collision */
  double stretch = m->q * lower; /* dt/ds in units of L/v0 */
  double unit = m->length / (m->mass * m->speed * m->speed);
  double power = m->loop_work ? force * w : 0.0;
  if (!m->loop_work && w != 0.0) power = m->ops->damping(&m->law, d, v, memory) * m->speed * w * w;
  dy[STATE_X] = w;
  dy[STATE_W] = -force * unit * stretch;
  dy[STATE_T] = stretch;
  dy[STATE_Q] = power * unit * stretch;
  if (m->flowing) dy[STATE_MEMORY] = m->ops->rate(&m->law, d, v, memory) * (m->length / m->speed) * stretch;
  if (m->slide) scree_slide_slope(m, y, d, force, stretch, dy);
}

double scree_motion_overlap(const ScreeMotion *m, const double *y) { return overlap_of(m, y); }
double scree_motion_force(const ScreeMotion *m, const double *y) {
  double memory[SCREE_MAX_SLOTS];
  return force_of(m, y, overlap_of(m, y), memory);
}

ScreeMotionPoint scree_motion_point(const ScreeMotion *m, const double *y) {
  double memory[SCREE_MAX_SLOTS];
  double d = overlap_of(m, y);
  return (ScreeMotionPoint){.d = d,
                            .v = m->speed * y[STATE_W],
                            .time = y[STATE_T] * m->length / m->speed,
                            .force = force_of(m, y, d, memory),
                            .dissipated = y[STATE_Q] * m->mass * m->speed * m->speed};
}

/* ---- scales ---- */

/* Smallest map exponent that turns both powers into polynomials; eight is smooth enough for the others. */
static int map_exponent(double n, double m) {
  if (isnan(n) || isnan(m)) return 4;
  for (int q = 1; q <= 4; q *= 2)
    if (q * n == floor(q * n) && q * m == floor(q * m)) return q;
  return 8;
}

/* An overlap of the order of the largest: F(L) L = m v0^2 by fixed-point iteration in the logarithm. */
static double length_scale(const ScreeMotion *m, const ScreePair *p) {
  double target = m->mass * m->speed * m->speed;
  double n = p->n >= 1.0 ? p->n : 1.2;
  double cap = isinf(p->limit) ? INFINITY : 0.5 * p->limit;
  double d = fmin(pow(target / p->k, 1.0 / (n + 1.0)), cap);
  if (!(d > 0.0) || isinf(d)) d = fmin(1e-6, cap);
  for (int i = 0; i < 60; i++) {
    double memory[SCREE_MAX_SLOTS] = {0.0};
    double work = m->ops->force(&m->law, d, 0.0, memory) * d;
    if (!(work > 0.0)) break;
    double change = fmin(fmax(pow(target / work, 1.0 / (n + 1.0)), 1e-3), 1e3);
    d = fmin(d * change, cap);
    if (fabs(change - 1.0) < 0.5 || d == cap) break;
  }
  return d;
}

ScreeStatus scree_motion_begin(const ScreeImpactDef *def, const ScreePair *pair, ScreeMotion *m, double *y) {
  const ScreeLawInfo *info = scree_law_info(pair->law);
  *m = (ScreeMotion){.ops = scree_law_ops(pair->law), .mass = pair->mass, .speed = def->pair.speed};
  m->law = scree_law_touch(pair, m->speed, m->memory);
  m->q = map_exponent(pair->n, pair->m);
  m->limit = pair->limit;
  m->loop_work = info->flags & SCREE_LOOP_WORK;
  m->length = length_scale(m, pair);
  double touch_rate = info->slots ? m->ops->rate(&m->law, m->length, m->speed, m->memory) : 0.0;
  m->flowing = touch_rate != 0.0;
  m->ode = (ScreeOde){.size = m->flowing ? 5 : 4, .slope = slope_of, .context = m, .tolerance = def->tolerance};
  for (int i = 0; i < 4; i++) m->ode.floor[i] = 1.0;
  m->ode.floor[STATE_MEMORY] = fabs(touch_rate) * m->length / m->speed;
  memset(y, 0, SCREE_ODE_MAX * sizeof *y);
  y[STATE_W] = 1.0;
  double memory[SCREE_MAX_SLOTS];
  if (!isfinite(m->length) || !isfinite(force_of(m, y, 0.5 * m->length, memory)))
    return scree_fail(SCREE_INVALID, "%s: the numbers of this case overflow", info->name);
  return SCREE_OK;
}

/* ---- events ---- */

typedef enum EventKind {
  EVENT_TURN,
  EVENT_EXIT,
  EVENT_ZERO_FORCE,
  EVENT_BRANCH,
  EVENT_SLIDE,
  EVENT_PEAK,
  EVENT_COUNT
} EventKind;

/* The marching of one run. */
typedef struct March {
  ScreeMotion *m;
  const ScreeImpactDef *def;
  const ScreeLawInfo *info;
  const ScreeRecorder *recorder;
  ScreeImpactResult *r;
  double y[SCREE_ODE_MAX], slope[SCREE_ODE_MAX];
  double h;
  double force_scale;        /* N */
  double value[EVENT_COUNT]; /* of the event functions at y */
  bool watched[EVENT_COUNT];
} March;

/* dF/ds along the motion, by a central difference: good to 1e-9, enough since F is stationary at the peak. */
double scree_motion_force_trend(const ScreeMotion *m, const double *y) {
  double memory[SCREE_MAX_SLOTS], ahead[SCREE_ODE_MAX], behind[SCREE_ODE_MAX], dy[SCREE_ODE_MAX];
  slope_of(y, dy, (void *)m);
  double step = 1e-5 * fmax(fabs(y[STATE_X]), 1e-3);
  for (int i = 0; i < m->ode.size; i++) {
    ahead[i] = y[i] + step * dy[i];
    behind[i] = y[i] - step * dy[i];
  }
  return (force_of(m, ahead, overlap_of(m, ahead), memory) - force_of(m, behind, overlap_of(m, behind), memory)) /
         (2.0 * step);
}

static double event_value(const March *a, EventKind kind, const double *y) {
  const ScreeMotion *m = a->m;
  double memory[SCREE_MAX_SLOTS], d = overlap_of(m, y), v = m->speed * y[STATE_W];
  switch (kind) {
  case EVENT_TURN: return y[STATE_W];
  case EVENT_EXIT: return y[STATE_X];
  case EVENT_SLIDE: return scree_slide_event(m, y);
  case EVENT_PEAK: return scree_motion_force_trend(m, y) / a->force_scale;
  case EVENT_ZERO_FORCE:
    if (!(a->info->flags & SCREE_SELF_CLAMPED)) return force_of(m, y, d, memory) / a->force_scale;
    break;
  default: break;
  }
  force_of(m, y, d, memory);
  return m->ops->branch(&m->law, d, v, memory);
}

/* d/ds of an event function where the slope holds it; NaN otherwise. */
static double event_slope(EventKind kind, const double *slope) {
  return kind == EVENT_TURN ? slope[STATE_W] : kind == EVENT_EXIT ? slope[STATE_X] : NAN;
}

/* A tried step of length h and the state and slope at its end. */
typedef struct Trial {
  double h;
  const double *end;
  double end_slope[SCREE_ODE_MAX];
} Trial;

/* The state after a share s of the step, by the cubic through both ends. */
static void between(const March *a, const Trial *t, double s, double *y) {
  double r = 1.0 - s, start = r * r * (1.0 + 2.0 * s), end = s * s * (3.0 - 2.0 * s);
  for (int i = 0; i < SCREE_ODE_MAX; i++)
    y[i] = start * a->y[i] + end * t->end[i] + t->h * s * r * (r * a->slope[i] - s * t->end_slope[i]);
}

/* Root of the event function on the cubic, and the function's slope there: a first guess that costs no step. */
static double guess(const March *a, EventKind kind, const Trial *t, double at_end, double *gradient) {
  double low = 0.0, high = 1.0, f_low = a->value[kind], f_high = at_end, y[SCREE_ODE_MAX], s = 0.5;
  for (int i = 0; i < 6; i++) {
    s = high - f_high * (high - low) / (f_high - f_low);
    if (i % 3 == 2 || !(s > low && s < high)) s = 0.5 * (low + high);
    between(a, t, s, y);
    double f = event_value(a, kind, y);
    if ((f > 0.0) == (f_low > 0.0))
      low = s, f_low = f;
    else
      high = s, f_high = f;
  }
  *gradient = (f_high - f_low) / ((high - low) * t->h);
  return t->h * (high - f_high * (high - low) / (f_high - f_low));
}

/* Step length in (0, h] at which the event function is zero, and the state there. Starts on the cubic; then Newton
 * where the function's slope is known, else secant; inside a bracket that falls back to bisection. Each trial is a step
 * from a->y. When the correction is below 1e-7 h the slope leads onto the root: what that leaves out is 1e-14 h^2.
 * Other events may lie where little overlap is left, and are pressed further; the force is stationary at its peak, so
 * less will do. */
static double locate(const March *a, EventKind kind, double h, double at_end, const double *end, double *out) {
  double low = 0.0, high = h, f_low = a->value[kind], gradient, slope[SCREE_ODE_MAX] = {0.0};
  Trial t = {.h = h, .end = end};
  slope_of(end, t.end_slope, a->m);
  double x = guess(a, kind, &t, at_end, &gradient), last = NAN, f_last = NAN;
  double precision = (kind == EVENT_PEAK ? 1e-5 : kind == EVENT_TURN || kind == EVENT_EXIT ? 1e-7 : 1e-11) * h;
  for (int i = 0; i < 100; i++) {
    scree_ode_step(&a->m->ode, a->y, a->slope, x, out);
    slope_of(out, slope, a->m);
    a->m->ode.evaluations++;
    double f = event_value(a, kind, out);
    if ((f > 0.0) == (f_low > 0.0))
      low = x;
    else
      high = x;
    if (i > 0 && x != last) gradient = (f - f_last) / (x - last);
    if (!isnan(event_slope(kind, slope))) gradient = event_slope(kind, slope);
    double change = -f / gradient;
    if (f == 0.0) return x;
    if (fabs(change) <= precision || high - low <= 1e-14 * h) {
      change = fmin(fmax(change, low - x), high - x);
      for (int j = 0; j < a->m->ode.size; j++) out[j] += change * slope[j];
      return x + change;
    }
    last = x, f_last = f;
    x = x + change > low && x + change < high && i < 20 ? x + change : 0.5 * (low + high);
  }
  return x;
}

/* ---- marching ---- */

static void note_force(March *a, const double *y) {
  ScreeMotionPoint p = scree_motion_point(a->m, y);
  if (p.force > a->r->max_force) {
    a->r->max_force = p.force;
    a->r->max_force_time = p.time;
  }
}

/* The peak of the force inside a step that ends at `next`, when its trend turns from rising to falling: the step length
 * to it, 0 when there is none. */
static double find_peak(March *a, double h, const double *next, double *peak) {
  double trend = event_value(a, EVENT_PEAK, next);
  if (!(a->value[EVENT_PEAK] > 0.0 && trend < 0.0)) return 0.0;
  double at = locate(a, EVENT_PEAK, h, trend, next, peak), before = a->r->max_force;
  note_force(a, peak);
  return a->r->max_force > before ? at : 0.0; /* a ripple of a creeping contact is no peak */
}

static void record(const March *a, const double *y, double span, bool mark) {
  ScreeSegment s = {.span = span, .rest = a->m->rest, .mark = mark};
  memcpy(s.y, y, sizeof s.y);
  slope_of(y, s.slope, a->m);
  memcpy(s.memory, a->m->memory, sizeof s.memory);
  a->recorder->segment(&s, a->recorder->context);
}

static void set_state(March *a, const double *y) {
  ScreeMotion *m = a->m;
  double memory[SCREE_MAX_SLOTS];
  memmove(a->y, y, sizeof a->y);
  force_of(m, a->y, overlap_of(m, a->y), memory);
  memcpy(m->memory, memory, sizeof memory);
  slope_of(a->y, a->slope, m);
  m->ode.evaluations++;
  for (int k = 0; k < EVENT_COUNT; k++)
    if (a->watched[k] || k == EVENT_PEAK) a->value[k] = event_value(a, (EventKind)k, a->y);
}

static void note_friction(March *a) {
  double d = overlap_of(a->m, a->y), normal = scree_motion_force(a->m, a->y);
  a->m->slide->peak = fmax(a->m->slide->peak, fabs(scree_slide_force(a->m, a->y, d, normal)));
}

static void accept(March *a, double h, const double *next, bool mark) {
  double peak[SCREE_ODE_MAX] = {0.0};
  double at = find_peak(a, h, next, peak);
  if (a->recorder) { /* the peak becomes a boundary between two segments */
    if (at > 0.0 && at < h) record(a, a->y, at, true);
    record(a, at > 0.0 && at < h ? peak : a->y, at < h ? h - at : h, mark);
  }
  note_force(a, next);
  set_state(a, next);
  if (a->m->slide) note_friction(a);
  a->r->steps++;
}

/* A step that meets the tolerance: tried length in *h, state in next; a->h becomes the proposal for the step after. */
static ScreeStatus controlled_step(March *a, double *h, double *next) {
  ScreeOde *ode = &a->m->ode;
  for (;;) {
    if (ode->evaluations > a->def->max_evaluations)
      return scree_fail(SCREE_NO_CONVERGENCE, "%s: the contact is too slow or too stiff, stopped after %ld evaluations",
                        a->info->name, ode->evaluations);
    *h = a->h;
    double error = scree_ode_step(ode, a->y, a->slope, *h, next);
    if (isnan(error)) {
      a->h *= 0.25;
      if (a->h < 1e-13)
        return scree_fail(SCREE_OUT_OF_RANGE, "%s: the overlap reached %.10g m, the limit of the law in this geometry",
                          a->info->name, overlap_of(a->m, a->y));
      continue;
    }
    /* twice at most: next to first touch the solution is so flat that the estimate sees nothing */
    double growth = error > 0.0 ? 0.9 * pow(error, -1.0 / 8.0) : 2.0;
    a->h *= fmin(fmax(growth, 0.2), 2.0);
    if (error <= 1.0) return SCREE_OK;
  }
}

/* Looks for the event inside a step of length h that ends at `end_state`; when it comes first, *first, *event and the
 * state `next` move to it. */
static void seek(const March *a, EventKind kind, double h, const double *end_state, double *first, EventKind *event,
                 double *next) {
  if (!a->watched[kind] || !(a->value[kind] > 0.0 || a->value[kind] < 0.0)) return;
  double end = event_value(a, kind, end_state), there[SCREE_ODE_MAX];
  if ((end > 0.0) == (a->value[kind] > 0.0)) return;
  double at = locate(a, kind, h, end, end_state, there);
  if (*event != EVENT_COUNT && at >= *first) return;
  *first = at;
  *event = kind;
  memcpy(next, there, sizeof there);
}

/* Advances by one step or to the first watched event inside it; EVENT_COUNT when there was none. */
static ScreeStatus advance(March *a, EventKind *event) {
  double end[SCREE_ODE_MAX], next[SCREE_ODE_MAX], h = 0.0;
  SCREE_TRY(controlled_step(a, &h, end));
  double first = h;
  *event = EVENT_COUNT;
  memcpy(next, end, sizeof next);
  for (int k = 0; k < EVENT_PEAK; k++) seek(a, (EventKind)k, h, end, &first, event, next);
  if (*event == EVENT_EXIT && a->watched[EVENT_ZERO_FORCE]) {
    /* the force may have turned and come back to zero with the overlap inside this step: look just before the exit */
    double before = first * (1.0 - 1e-7), almost[SCREE_ODE_MAX];
    scree_ode_step(&a->m->ode, a->y, a->slope, before, almost);
    seek(a, EVENT_ZERO_FORCE, before, almost, &first, event, next);
  }
  accept(a, first, next, *event != EVENT_COUNT);
  return SCREE_OK;
}

/* A branch change: keep where it was, and put the function's value on the far side so that it does not fire again. */
static void pass_branch(March *a, double before) {
  ScreeMotionPoint p = scree_motion_point(a->m, a->y);
  a->r->switch_overlap = p.d;
  a->r->switch_speed = p.v;
  a->value[EVENT_BRANCH] = -copysign(1e-300, before);
  a->h = fmin(a->h, 0.05);
}

/* Where a branch changes at the very turn or exit (choi without a return loss), the located state may lie beyond that
 * event by a rounding: it would never fire. */
static bool is_behind(const March *a, EventKind kind) { return a->watched[kind] && event_value(a, kind, a->y) <= 0.0; }

static void pass_slide(March *a) {
  scree_slide_switch(a->m, a->y);
  set_state(a, a->y);
  a->value[EVENT_SLIDE] = 1e-300; /* the new mode lasts from here on */
  a->h = fmin(a->h, 0.02);
}

static ScreeStatus march_until(March *a, const bool *watched, EventKind *end) {
  memcpy(a->watched, watched, sizeof a->watched);
  a->watched[EVENT_SLIDE] = a->m->slide && a->m->slide->mode != SCREE_SMOOTH;
  set_state(a, a->y);
  for (;;) {
    double side = a->value[EVENT_BRANCH];
    SCREE_TRY(advance(a, end));
    if (*end == EVENT_BRANCH) {
      pass_branch(a, side);
      if (is_behind(a, EVENT_TURN)) return *end = EVENT_TURN, SCREE_OK;
      if (is_behind(a, EVENT_EXIT)) return *end = EVENT_EXIT, SCREE_OK;
    } else if (*end == EVENT_SLIDE)
      pass_slide(a);
    else if (*end != EVENT_COUNT)
      return SCREE_OK;
    /* overdamped: the overlap creeps back ever more slowly and never arrives */
    bool creeping = fabs(a->y[STATE_W]) < 1e-8 && a->slope[STATE_W] >= 0.0;
    if (a->watched[EVENT_EXIT] && creeping) return *end = EVENT_COUNT, SCREE_OK;
  }
}

/* ---- one collision ---- */

static double initial_energy(const ScreeMotion *m) { return 0.5 * m->mass * m->speed * m->speed; }

static double dissipated(const ScreeMotion *m, const ScreeMotionPoint *p) {
  return p->dissipated + m->ops->lost(&m->law, m->memory);
}

static ScreeStatus load(March *a) {
  bool watched[EVENT_COUNT] = {[EVENT_TURN] = true, [EVENT_BRANCH] = true};
  EventKind end;
  SCREE_TRY(march_until(a, watched, &end));
  a->y[STATE_W] = 0.0;
  ScreeMotionPoint p = scree_motion_point(a->m, a->y);
  a->r->max_overlap = p.d;
  a->r->loading_time = p.time;
  a->r->energy_dissipated_loading = dissipated(a->m, &p);
  return SCREE_OK;
}

/* Unloads from the dent upwards: the map is laid anew so that the separation is at x = 0 again. */
static ScreeStatus unload(March *a, EventKind *end) {
  ScreeMotion *m = a->m;
  bool watched[EVENT_COUNT] = {[EVENT_EXIT] = true, [EVENT_BRANCH] = true};
  bool may_let_go = a->info->flags & (SCREE_ATTRACTIVE | SCREE_SELF_CLAMPED);
  watched[EVENT_ZERO_FORCE] = may_let_go && a->def->separation != SCREE_AT_OVERLAP;
  double rest = m->ops->rest(&m->law, m->memory);
  if (rest > 0.0) {
    double d = overlap_of(m, a->y);
    m->rest = rest;
    a->y[STATE_X] = pow((d - rest) / m->length, 1.0 / m->q);
  }
  a->h = fmin(a->h, 0.1);
  return march_until(a, watched, end);
}

static void finish(March *a, EventKind end) {
  ScreeImpactResult *r = a->r;
  ScreeMotion *m = a->m;
  ScreeMotionPoint p = scree_motion_point(m, a->y);
  if (end == EVENT_ZERO_FORCE && p.d < 1e-12 * r->max_overlap) end = EVENT_EXIT; /* undamped: both at once */
  if (end == EVENT_EXIT) p.d = m->rest;
  double stored = m->ops->stored(&m->law, p.d, m->memory);
  r->outcome = end == EVENT_COUNT ? SCREE_STALLED : SCREE_SEPARATED;
  r->exit_speed = fabs(p.v);
  r->duration = p.time;
  r->exit_overlap = p.d;
  r->energy_stored_exit = stored;
  r->energy_dissipated_unloading = dissipated(m, &p) - r->energy_dissipated_loading;
  r->energy_initial = initial_energy(m);
  double kinetic = 0.5 * m->mass * p.v * p.v;
  r->energy_residual = r->energy_initial - kinetic - dissipated(m, &p) - stored;
  if (end == EVENT_ZERO_FORCE && a->def->separation == SCREE_CLAMPED) {
    /* the body coasts to zero overlap; what was stored is lost (MODELS.md 1.1) */
    r->duration += p.d / r->exit_speed;
    r->exit_overlap = 0.0;
    r->energy_dissipated_unloading += stored;
    r->energy_stored_exit = 0.0;
  }
  if (r->outcome == SCREE_STALLED) {
    r->exit_speed = 0.0;
    r->exit_overlap = m->rest;
    r->duration = INFINITY;
  }
  r->restitution = r->exit_speed / m->speed;
  memcpy(r->memory, m->memory, sizeof r->memory);
  memcpy(m->final, a->y, sizeof m->final);
  r->evaluations = (int)m->ode.evaluations;
}

ScreeStatus scree_collide(const ScreeImpactDef *def, const ScreePair *pair, const ScreeRecorder *recorder,
                          ScreeSlide *slide, ScreeMotion *m, ScreeImpactResult *r) {
  March a = {.m = m, .def = def, .info = scree_law_info(pair->law), .recorder = recorder, .r = r, .h = 0.05};
  r->switch_overlap = r->switch_speed = NAN;
  r->max_force = 0.0;
  r->steps = 0;
  SCREE_TRY(scree_motion_begin(def, pair, m, a.y));
  m->slide = slide;
  if (slide) scree_slide_begin(m, a.y);
  a.force_scale = m->mass * m->speed * m->speed / m->length;
  note_force(&a, a.y); /* dashpots that jump at first touch may peak there */
  SCREE_TRY(load(&a));
  EventKind end;
  SCREE_TRY(unload(&a, &end));
  finish(&a, end);
  return SCREE_OK;
}
