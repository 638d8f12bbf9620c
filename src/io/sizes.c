/* sizes.c: distributions of radii, by number of grains. */
#include "io/sizes.h"

#include "io/scene_keys.h"

#include <math.h>

static double lognormal_width(const ScreeSizes *s) { return sqrt(log1p(s->sd * s->sd / (s->mean * s->mean))); }

double scree_sizes_largest(const ScreeSizes *s) {
  double largest = 0, width = 0;
  switch (s->form) {
  case SCREE_KEY_sizes_uniform: return s->max;
  case SCREE_KEY_sizes_normal: return s->mean + 3 * s->sd;
  case SCREE_KEY_sizes_lognormal: width = lognormal_width(s); return s->mean * exp(3 * width - 0.5 * width * width);
  case SCREE_KEY_sizes_table:
    for (size_t i = 0; i < s->table.count; i++) largest = fmax(largest, ((ScreeShare *)s->table.at)[i].radius);
    return largest;
  default: return s->value;
  }
}

static double table_radius(const ScreeSizes *s, double u) {
  const ScreeShare *row = s->table.at;
  double total = 0, sum = 0;
  for (size_t i = 0; i < s->table.count; i++) total += row[i].share;
  for (size_t i = 0; i < s->table.count; i++) {
    sum += row[i].share;
    if (u * total < sum) return row[i].radius;
  }
  return row[s->table.count - 1].radius;
}

/* Within three standard deviations; almost always at the first attempt. */
static double cut_normal(const ScreeRandom *random, uint64_t index) {
  for (uint32_t attempt = 0;; attempt++) {
    double z[4];
    scree_random_normal(random, SCREE_STREAM_RADIUS, index, attempt, z);
    for (int i = 0; i < 4; i++)
      if (fabs(z[i]) <= 3) return z[i];
  }
}

double scree_sizes_draw(const ScreeSizes *s, const ScreeRandom *random, uint64_t index) {
  double u[4], width;
  switch (s->form) {
  case SCREE_KEY_sizes_uniform:
    scree_random(random, SCREE_STREAM_RADIUS, index, 0, u);
    return s->min + u[0] * (s->max - s->min);
  case SCREE_KEY_sizes_normal: return s->mean + s->sd * cut_normal(random, index);
  case SCREE_KEY_sizes_lognormal:
    width = lognormal_width(s);
    return s->mean * exp(width * cut_normal(random, index) - 0.5 * width * width);
  case SCREE_KEY_sizes_table: scree_random(random, SCREE_STREAM_RADIUS, index, 0, u); return table_radius(s, u[0]);
  default: return s->value;
  }
}
