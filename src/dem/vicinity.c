/* vicinity.c: see vicinity.h. */
#include "vicinity.h"

#include <stdlib.h>
#include <string.h>

#include "core/status.h"

static const double touching = 1e-9; /* overlap over size that is rounding */

static int64_t cell_of(const Vicinity *v, int axis, double x) {
  double cell = floor((x - v->w->def.low[axis]) / v->width[axis]);
  int64_t i = (int64_t)fmin(fmax(cell, -1e15), 1e15), n = v->cells[axis];
  return n ? (i % n + n) % n : i;
}

static size_t slot_of(const Vicinity *v, const int64_t *c) {
  uint64_t h = (uint64_t)c[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)c[1] * 0xc2b2ae3d27d4eb4fu ^
               (uint64_t)c[2] * 0x165667b19e3779f9u;
  return (size_t)(h ^ h >> 29 ^ h >> 47) & v->mask;
}

static ScreeStatus no_memory(void) { return scree_fail(SCREE_NO_MEMORY, "no memory to look for free places"); }

ScreeStatus scree_vicinity_add(Vicinity *v, const double *x, double r, uint64_t id) {
  if (v->count == v->capacity) {
    size_t capacity = v->capacity ? 2 * v->capacity : 256;
    Site *site = realloc(v->site, capacity * sizeof *site);
    if (!site) return no_memory();
    v->site = site;
    v->capacity = capacity;
  }
  int64_t c[3] = {cell_of(v, 0, x[0]), cell_of(v, 1, x[1]), cell_of(v, 2, x[2])};
  size_t slot = slot_of(v, c);
  v->site[v->count] = (Site){{x[0], x[1], x[2]}, r, id, v->head[slot]};
  v->head[slot] = ++v->count;
  return SCREE_OK;
}

/* Is a grain's centre within reach of the box, the nearest way around periodic axes? */
static bool is_near(const ScreeWorld *w, const double *x, const double *middle, const double *half, double reach) {
  for (int k = 0; k < 3; k++)
    if (!(fabs(scree_image(w, k, x[k] - middle[k])) <= half[k] + reach)) return false;
  return true;
}

ScreeStatus scree_vicinity_open(Vicinity *v, const ScreeWorld *w, const double *low, const double *high) {
  double middle[3], half[3], reach = 2.0 * w->max_radius * (1.0 + 1e-6);
  size_t slots = 1024;
  while (slots < w->count / 4 && slots < (size_t)1 << 20) slots *= 2;
  *v = (Vicinity){.w = w, .head = calloc(slots, sizeof *v->head), .mask = slots - 1};
  if (!v->head) return no_memory();
  for (int k = 0; k < 3; k++) {
    double length = w->def.high[k] - w->def.low[k];
    middle[k] = 0.5 * (low[k] + high[k]), half[k] = 0.5 * (high[k] - low[k]);
    v->width[k] = reach;
    if (!w->def.periodic[k]) continue;
    v->cells[k] = (int64_t)fmin(fmax(floor(length / reach), 1.0), 1e9);
    v->width[k] = length / (double)v->cells[k];
  }
  ScreeStatus status = SCREE_OK;
  for (size_t i = 0; i < w->count && status == SCREE_OK; i++)
    if (is_near(w, w->record[i].x, middle, half, reach))
      status = scree_vicinity_add(v, w->record[i].x, w->record[i].r, w->turn[i].id);
  if (status != SCREE_OK) scree_vicinity_close(v);
  return status;
}

static bool hits(const Vicinity *v, const Site *s, const double *x, double r, Obstacle *found) {
  double d2 = 0.0, reach = (r + s->r) * (1.0 - touching);
  for (int k = 0; k < 3; k++) {
    double dx = scree_image(v->w, k, x[k] - s->x[k]);
    d2 += dx * dx;
  }
  if (d2 >= reach * reach) return false;
  *found = (Obstacle){A_GRAIN, s->id, r + s->r - sqrt(d2)};
  return true;
}

Obstacle scree_vicinity_obstacle(const Vicinity *v, const double *x, double r) {
  Obstacle found = {NOTHING, 0, 0.0};
  Record grain = {.x = {x[0], x[1], x[2]}, .r = r};
  int wall;
  double gap = scree_nearest_wall(v->w, &grain, &wall);
  if (gap < r * (1.0 - touching)) return (Obstacle){A_WALL, (uint64_t)wall, r - gap};
  int64_t at[3] = {cell_of(v, 0, x[0]), cell_of(v, 1, x[1]), cell_of(v, 2, x[2])};
  for (int n = 0; n < 27; n++) {
    int64_t c[3] = {at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1};
    for (int k = 0; k < 3; k++)
      if (v->cells[k]) c[k] = (c[k] + v->cells[k]) % v->cells[k];
    for (size_t i = v->head[slot_of(v, c)]; i != 0; i = v->site[i - 1].next)
      if (hits(v, &v->site[i - 1], x, r, &found)) return found;
  }
  return found;
}

void scree_vicinity_close(Vicinity *v) {
  free(v->head), free(v->site);
  *v = (Vicinity){0};
}
