/* judge.c: an integrator that shares nothing with the laboratory's: Gragg's midpoint rule with Richardson extrapolation
 * (Bulirsch & Stoer) in the plain variables d, v, memory. Slow where powers are fractional, and none the less right. */
#include <string.h>

#include "core/status.h"
#include "oracle.h"

enum { D, V, MEMORY, SIZE };
enum { ROWS = 8 };

typedef struct Judge {
  const ScreePair *pair;
  ScreeLaw law;
  double memory[SCREE_MAX_SLOTS];
  bool flowing;
  double length, speed, rest; /* scales; overlap at which unloading ends */
  long evaluations;
} Judge;

/* y = d/L, v/v0, memory; time in L/v0. */
static void slope(Judge *j, const double *y, double *dy) {
  double memory[SCREE_MAX_SLOTS];
  memcpy(memory, j->memory, sizeof memory);
  if (j->flowing) memory[0] = y[MEMORY];
  double d = fmax(y[D], 0.0) * j->length, v = y[V] * j->speed, second = j->length / j->speed;
  dy[D] = y[V];
  dy[V] = -scree_law_force(j->pair->law, &j->law, d, v, memory) / j->pair->mass * second / j->speed;
  dy[MEMORY] = j->flowing ? scree_law_rate(j->pair->law, &j->law, d, v, &y[MEMORY]) * second : 0.0;
  j->evaluations++;
}

static void midpoint(Judge *j, const double *y, const double *first, double h, int steps, double *out) {
  double before[SIZE], now[SIZE], dy[SIZE], step = h / steps;
  for (int i = 0; i < SIZE; i++) {
    before[i] = y[i];
    now[i] = y[i] + step * first[i];
  }
  for (int s = 1; s < steps; s++) {
    slope(j, now, dy);
    for (int i = 0; i < SIZE; i++) {
      double next = before[i] + 2.0 * step * dy[i];
      before[i] = now[i];
      now[i] = next;
    }
  }
  slope(j, now, dy);
  for (int i = 0; i < SIZE; i++) out[i] = 0.5 * (before[i] + now[i] + step * dy[i]);
}

/* One extrapolated step: T[k][r] = T[k][r-1] + (T[k][r-1] - T[k-1][r-1])/((n_k/n_(k-r))^2 - 1), n_k = 2(k+1). Returns
 * the difference of the last two columns. */
static double extrapolated(Judge *j, const double *y, double h, double *out) {
  double above[ROWS][SIZE], row[ROWS][SIZE], first[SIZE], error = 0.0;
  slope(j, y, first);
  for (int k = 0; k < ROWS; k++) {
    midpoint(j, y, first, h, 2 * (k + 1), row[0]);
    for (int r = 1; r <= k; r++) {
      double ratio = (k + 1.0) / (k - r + 1.0);
      for (int i = 0; i < SIZE; i++)
        row[r][i] = row[r - 1][i] + (row[r - 1][i] - above[r - 1][i]) / (ratio * ratio - 1.0);
    }
    memcpy(above, row, sizeof above);
  }
  for (int i = 0; i < SIZE; i++) {
    out[i] = row[ROWS - 1][i];
    if (i < MEMORY) error = fmax(error, fabs(row[ROWS - 1][i] - row[ROWS - 2][i]));
  }
  return error;
}

/* What ends a leg: the velocity or the overlap above the rest. */
static double goal(const Judge *j, const double *y, int component) {
  return component == V ? y[V] : y[D] - j->rest / j->length;
}

/* Marches until the goal changes sign, then halves the last step onto it; returns the time spent, NaN on failure. */
static double leg(Judge *j, double *y, int component) {
  const double tolerance = 1e-12;
  double time = 0.0, h = 1e-3, next[SIZE], side = component == V ? 1.0 : goal(j, y, component);
  while (j->evaluations < 4000000) {
    double error = extrapolated(j, y, h, next);
    if (!(error <= tolerance) && h > 1e-12) {
      h *= 0.5;
      continue;
    }
    double end = goal(j, next, component);
    if ((end > 0.0) != (side > 0.0)) {
      double low = 0.0, high = h, f_low = goal(j, y, component), f_high = end;
      for (int i = 0; i < 60 && high - low > 1e-15; i++) {
        double x = i % 3 < 2 ? high - f_high * (high - low) / (f_high - f_low) : 0.5 * (low + high);
        if (!(x > low && x < high)) x = 0.5 * (low + high);
        extrapolated(j, y, x, next);
        double f = goal(j, next, component);
        if ((f > 0.0) == (side > 0.0))
          low = x, f_low = f;
        else
          high = x, f_high = f;
      }
      memcpy(y, next, sizeof next);
      return time + high;
    }
    memcpy(y, next, sizeof next);
    time += h;
    h = fmin(error < 0.01 * tolerance ? 2.0 * h : h, 0.1);
  }
  return NAN;
}

ScreeStatus scree_judge(const ScreeImpactDef *def, const ScreePair *pair, ScreeImpactResult *r) {
  const ScreeLawInfo *info = scree_law_info(pair->law);
  Judge j = {.pair = pair, .length = r->max_overlap, .speed = def->pair.speed};
  j.law = scree_law_touch(pair, j.speed, j.memory);
  j.flowing = info->slots > 0 && info->group == SCREE_POINT;
  double y[SIZE] = {0.0, 1.0, 0.0}, second = j.length / j.speed;
  r->loading_time = leg(&j, y, V) * second;
  r->max_overlap = y[D] * j.length;
  if (!j.flowing) scree_law_force(pair->law, &j.law, r->max_overlap, 0.0, j.memory);
  j.rest = scree_law_rest(pair->law, &j.law, j.memory);
  y[V] = -1e-300;
  r->duration = r->loading_time + leg(&j, y, D) * second;
  r->restitution = -y[V];
  if (isnan(r->duration))
    return scree_fail(SCREE_NO_CONVERGENCE, "the judge gave up after %ld evaluations", j.evaluations);
  return SCREE_OK;
}
