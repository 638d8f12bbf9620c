/* trace.c: a collision as a series of points. The run records its accepted steps; any state inside a step is one step
 * of smaller length from its start, so the points are as accurate as the run. They are spaced by equal arcs of the
 * curve (d/dmax, v/v0, F/Fmax), so that both branches and the force peak are resolved alike, and events fall on points.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collision.h"
#include "core/status.h"

enum { PIECES = 12 }; /* of a segment when its arc is measured */

typedef struct Tape {
  ScreeSegment *segments;
  int count, capacity;
  bool out_of_memory;
} Tape;

static void record(const ScreeSegment *segment, void *context) {
  Tape *tape = context;
  if (tape->count == tape->capacity) {
    int capacity = tape->capacity ? 2 * tape->capacity : 64;
    ScreeSegment *grown = realloc(tape->segments, (size_t)capacity * sizeof *grown);
    if (!grown) {
      tape->out_of_memory = true;
      return;
    }
    tape->segments = grown;
    tape->capacity = capacity;
  }
  tape->segments[tape->count++] = *segment;
}

static ScreeMotionPoint point_in(ScreeMotion *m, const ScreeSegment *s, double h) {
  double y[SCREE_ODE_MAX];
  memcpy(m->memory, s->memory, sizeof m->memory);
  m->rest = s->rest;
  if (h > 0.0)
    scree_ode_step(&m->ode, s->y, s->slope, h, y);
  else
    memcpy(y, s->y, sizeof y);
  ScreeMotionPoint p = scree_motion_point(m, y);
  if (m->flowing) m->memory[0] = y[STATE_MEMORY];
  /* energies of plastic laws read the memory as the force leaves it */
  double memory[SCREE_MAX_SLOTS];
  memcpy(memory, m->memory, sizeof memory);
  m->ops->force(&m->law, p.d, p.v, memory);
  memcpy(m->memory, memory, sizeof memory);
  return p;
}

static ScreeTracePoint describe(const ScreeMotion *m, const ScreeMotionPoint *p, bool clamp) {
  double stored = m->ops->stored(&m->law, p->d, m->memory);
  return (ScreeTracePoint){.time = p->time,
                           .overlap = p->d,
                           .velocity = p->v,
                           .force = clamp ? fmax(p->force, 0.0) : p->force,
                           .elastic = stored,
                           .kinetic = 0.5 * m->mass * p->v * p->v,
                           .dissipated = p->dissipated + m->ops->lost(&m->law, m->memory)};
}

/* Arc length of each segment, piece by piece: arc[i * PIECES + j]. */
static double measure(ScreeMotion *m, const Tape *tape, const ScreeImpactResult *r, double *arc) {
  double total = 0.0;
  ScreeMotionPoint last = point_in(m, &tape->segments[0], 0.0);
  for (int i = 0; i < tape->count; i++) {
    const ScreeSegment *s = &tape->segments[i];
    for (int j = 0; j < PIECES; j++) {
      ScreeMotionPoint p = point_in(m, s, s->span * (j + 1) / PIECES);
      double dd = (p.d - last.d) / r->max_overlap, dv = (p.v - last.v) / m->speed,
             df = (p.force - last.force) / r->max_force;
      total += arc[i * PIECES + j] = sqrt(dd * dd + dv * dv + df * df);
      last = p;
    }
  }
  return total;
}

/* An event can fall on the end of a step but for rounding: the sliver between both would hold points at one time. Its
 * mark goes to the segment before. */
static void drop_slivers(ScreeMotion *m, Tape *tape, double *arc, double end) {
  int kept = 0;
  for (int i = 0; i < tape->count; i++) {
    const ScreeSegment *s = &tape->segments[i];
    if (kept > 0 && point_in(m, s, s->span).time - point_in(m, s, 0.0).time < 1e-13 * end) {
      tape->segments[kept - 1].mark |= tape->segments[i].mark;
      continue;
    }
    tape->segments[kept] = tape->segments[i];
    memmove(arc + kept * PIECES, arc + i * PIECES, PIECES * sizeof *arc);
    kept++;
  }
  tape->count = kept;
}

/* The point after an arc, by walking the pieces. *at and *used carry the walk on from one call to the next. */
static ScreeMotionPoint point_at_arc(ScreeMotion *m, const Tape *tape, const double *arc, double target, int *at,
                                     double *used) {
  int last = tape->count * PIECES - 1;
  while (*at < last && *used + arc[*at] < target) *used += arc[(*at)++];
  double share = arc[*at] > 0.0 ? fmin(fmax((target - *used) / arc[*at], 0.0), 1.0) : 1.0;
  const ScreeSegment *s = &tape->segments[*at / PIECES];
  return point_in(m, s, s->span * (*at % PIECES + share) / PIECES);
}

/* Distributes the points over the stretches between marks (events) by their arc, at least one each. */
static void sample(ScreeMotion *m, const Tape *tape, const double *arc, double total, int count, bool clamp,
                   ScreeTracePoint *out) {
  ScreeMotionPoint start = point_in(m, &tape->segments[0], 0.0);
  out[0] = describe(m, &start, clamp);
  int written = 1, at = 0, stretches = 0;
  for (int i = 0; i < tape->count; i++) stretches += tape->segments[i].mark;
  double used = 0.0, from = 0.0, left = total;
  for (int i = 0; i < tape->count && written < count; i++) {
    if (!tape->segments[i].mark && i < tape->count - 1) continue;
    double to = 0.0;
    for (int j = 0; j < (i + 1) * PIECES; j++) to += arc[j];
    int spare = count - written - (--stretches > 0 ? stretches : 0);
    int share = i == tape->count - 1 ? count - written : (int)lround((to - from) / left * (count - written));
    share = share < 1 ? 1 : share > spare ? spare : share;
    for (int j = 1; j <= share; j++) {
      ScreeMotionPoint p = point_at_arc(m, tape, arc, from + (to - from) * j / share, &at, &used);
      out[written++] = describe(m, &p, clamp);
    }
    left -= to - from;
    from = to;
  }
  const ScreeSegment *last = &tape->segments[tape->count - 1];
  ScreeMotionPoint end = point_in(m, last, last->span);
  out[count - 1] = describe(m, &end, clamp);
}

/* The clamped contact's coast from zero force to zero overlap: the last points, evenly in overlap. */
static void coast(const ScreeMotion *m, const ScreeTracePoint *from, int count, ScreeTracePoint *out) {
  for (int j = 1; j <= count; j++) {
    double d = from->overlap * (count - j) / count;
    double stored = m->ops->stored(&m->law, d, m->memory);
    out[j - 1] = (ScreeTracePoint){.time = from->time + (from->overlap - d) / fabs(from->velocity),
                                   .overlap = d,
                                   .velocity = from->velocity,
                                   .force = 0.0,
                                   .elastic = stored,
                                   .kinetic = from->kinetic,
                                   .dissipated = from->dissipated + from->elastic - stored};
  }
}

static ScreeStatus write_points(ScreeMotion *m, Tape *tape, const ScreeImpactDef *def, int count, ScreeTracePoint *out,
                                const ScreeImpactResult *r) {
  double *arc = malloc((size_t)tape->count * PIECES * sizeof *arc);
  if (!arc || tape->out_of_memory) {
    free(arc);
    return scree_fail(SCREE_NO_MEMORY, "no memory for the trace");
  }
  bool clamp = def->separation == SCREE_CLAMPED;
  double total = measure(m, tape, r, arc);
  const ScreeSegment *last_segment = &tape->segments[tape->count - 1];
  drop_slivers(m, tape, arc, point_in(m, last_segment, last_segment->span).time);
  ScreeMotionPoint end = point_in(m, &tape->segments[tape->count - 1], tape->segments[tape->count - 1].span);
  bool coasts = clamp && r->outcome == SCREE_SEPARATED && end.d > 1e-9 * r->max_overlap && r->exit_overlap == 0.0;
  double coast_arc = coasts ? end.d / r->max_overlap : 0.0;
  int coasting = coasts ? (int)lround(count * coast_arc / (total + coast_arc)) : 0;
  if (coasts && coasting < 1) coasting = 1;
  sample(m, tape, arc, total, count - coasting, clamp, out);
  if (coasts) {
    ScreeTracePoint *last = &out[count - coasting - 1];
    last->force = 0.0;
    coast(m, last, coasting, out + count - coasting);
  }
  free(arc);
  return SCREE_OK;
}

ScreeStatus scree_impact_trace(const ScreeImpactDef *def, int count, ScreeTracePoint *points,
                               ScreeImpactResult *result) {
  SCREE_NEED(points);
  SCREE_NEED(result);
  ScreeImpactDef ready;
  ScreeMotion motion;
  Tape tape = {0};
  ScreeRecorder recorder = {record, &tape};
  if (count < 8 || count > 10000000)
    return scree_fail(SCREE_INVALID, "a trace needs 8 ... 10000000 points (got %d)", count);
  SCREE_TRY(scree_impact_prepare(def, &ready, result));
  ScreeStatus status = scree_collide(&ready, &result->pair, &recorder, NULL, &motion, result);
  if (status == SCREE_OK) status = write_points(&motion, &tape, &ready, count, points, result);
  free(tape.segments);
  return status;
}
