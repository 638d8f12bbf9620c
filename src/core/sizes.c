/* sizes.c: distributions of radii. One by mass has the number density f(r) / r^3: a draw from f is kept with a
 * probability of (smallest / r)^3. */
#include "core/sizes.h"

#include "core/status.h"

#include <math.h>

static double lognormal_width(const ScreeSizes *s) { return sqrt(log1p(s->sd * s->sd / (s->mean * s->mean))); }

/* The lognormal radius at z standard deviations of its logarithm. */
static double lognormal_at(const ScreeSizes *s, double z) {
  double width = lognormal_width(s);
  return s->mean * exp(width * z - 0.5 * width * width);
}

double scree_sizes_largest(const ScreeSizes *s) {
  double largest = 0.0;
  switch (s->kind) {
  case SCREE_SIZES_UNIFORM: return s->max;
  case SCREE_SIZES_NORMAL: return s->mean + 3.0 * s->sd;
  case SCREE_SIZES_LOGNORMAL: return lognormal_at(s, 3.0);
  case SCREE_SIZES_TABLE:
    for (size_t i = 0; i < s->rows; i++)
      if (s->table[i].share > 0.0) largest = fmax(largest, s->table[i].radius);
    return largest;
  default: return s->mean;
  }
}

double scree_sizes_smallest(const ScreeSizes *s) {
  double smallest = INFINITY;
  switch (s->kind) {
  case SCREE_SIZES_UNIFORM: return s->min;
  case SCREE_SIZES_NORMAL: return s->mean - 3.0 * s->sd;
  case SCREE_SIZES_LOGNORMAL: return lognormal_at(s, -3.0);
  case SCREE_SIZES_TABLE:
    for (size_t i = 0; i < s->rows; i++)
      if (s->table[i].share > 0.0) smallest = fmin(smallest, s->table[i].radius);
    return smallest;
  default: return s->mean;
  }
}

static double share_of(const ScreeSizes *s, size_t row) {
  double r = s->table[row].radius / s->table[0].radius;
  return s->by_mass ? s->table[row].share / (r * r * r) : s->table[row].share;
}

static double table_radius(const ScreeSizes *s, double u) {
  double total = 0.0, sum = 0.0, last = s->table[0].radius;
  for (size_t i = 0; i < s->rows; i++) total += share_of(s, i);
  for (size_t i = 0; i < s->rows; i++) {
    sum += share_of(s, i);
    if (u * total < sum) return s->table[i].radius;
    if (s->table[i].share > 0.0) last = s->table[i].radius;
  }
  return last;
}

/* Within three standard deviations; almost always at the first attempt. */
static double cut_normal(const ScreeRandom *random, uint64_t index) {
  for (uint32_t attempt = 0;; attempt++) {
    double z[4];
    scree_random_normal(random, SCREE_DRAW_RADIUS, index, attempt, z);
    for (int i = 0; i < 4; i++)
      if (fabs(z[i]) <= 3.0) return z[i];
  }
}

static double draw_by_mass(const ScreeSizes *s, const ScreeRandom *random, uint64_t index) {
  double smallest = scree_sizes_smallest(s), r = smallest;
  for (uint32_t attempt = 0; attempt < 1000000; attempt += 2) {
    double u[4], z[4];
    scree_random(random, SCREE_DRAW_RADIUS, index, attempt, u);
    if (s->kind == SCREE_SIZES_UNIFORM) {
      r = s->min + u[0] * (s->max - s->min);
    } else {
      scree_random_normal(random, SCREE_DRAW_RADIUS, index, attempt + 1, z);
      if (!(fabs(z[0]) <= 3.0)) continue;
      r = s->kind == SCREE_SIZES_NORMAL ? s->mean + s->sd * z[0] : lognormal_at(s, z[0]);
    }
    double ratio = smallest / r;
    if (u[1] < ratio * ratio * ratio) break;
  }
  return r;
}

double scree_sizes_draw(const ScreeSizes *s, const ScreeRandom *random, uint64_t index) {
  double u[4];
  if (s->kind == SCREE_SIZES_ONE) return s->mean;
  if (s->kind == SCREE_SIZES_TABLE) {
    scree_random(random, SCREE_DRAW_RADIUS, index, 0, u);
    return table_radius(s, u[0]);
  }
  if (s->by_mass) return draw_by_mass(s, random, index);
  switch (s->kind) {
  case SCREE_SIZES_NORMAL: return s->mean + s->sd * cut_normal(random, index);
  case SCREE_SIZES_LOGNORMAL: return lognormal_at(s, cut_normal(random, index));
  default: scree_random(random, SCREE_DRAW_RADIUS, index, 0, u); return s->min + u[0] * (s->max - s->min);
  }
}

ScreeStatus scree_sizes_check(const ScreeSizes *s) {
  double total = 0.0;
  bool fine = true;
  switch (s->kind) {
  case SCREE_SIZES_ONE: break;
  case SCREE_SIZES_UNIFORM: fine = s->max >= s->min; break;
  case SCREE_SIZES_NORMAL: fine = s->sd >= 0.0 && 3.0 * s->sd < s->mean; break;
  case SCREE_SIZES_LOGNORMAL: fine = s->sd >= 0.0 && s->mean > 0.0 && s->sd <= 2.0 * s->mean; break;
  case SCREE_SIZES_TABLE:
    fine = s->table && s->rows > 0;
    for (size_t i = 0; fine && i < s->rows; i++) {
      fine = s->table[i].radius > 0.0 && isfinite(s->table[i].radius) && s->table[i].share >= 0.0;
      total += s->table[i].share;
    }
    fine = fine && total > 0.0 && isfinite(total);
    break;
  default: return scree_fail(SCREE_UNKNOWN, "no such distribution of radii (%d)", (int)s->kind);
  }
  double low = fine ? scree_sizes_smallest(s) : NAN, high = fine ? scree_sizes_largest(s) : NAN;
  if (low > 0.0 && isfinite(high)) return SCREE_OK;
  return scree_fail(SCREE_INVALID, "a distribution of radii must have radii > 0 m, min <= max, a standard deviation "
                                   "below a third of the mean (lognormal: twice), and shares with a sum > 0");
}
