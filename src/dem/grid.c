/* grid.c: sorting in space and the list of pairs within the skin.
 *
 * Grains are put into levels by size, each level into a grid of cells as wide as its largest diameter plus the skin. A
 * grain finds its partners of the own level and of every coarser one in the 27 cells around it: a size ratio of twenty
 * costs a few levels more, not a search among thousands of small grains around a large one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "engine.h"

enum { LEVELS = 16 };

typedef struct Grid {
  double low[3], width[3]; /* of a cell */
  int cells[3];
  double max_radius;
  int32_t *start;  /* cells + 1 */
  int32_t *member; /* grains by cell */
} Grid;

static int level_of(const ScreeWorld *w, double r) {
  int level = (int)floor(log2(r / w->min_radius) + 1e-9);
  return level < LEVELS - 1 ? level : LEVELS - 1;
}

static int cell_coordinate(const ScreeWorld *w, const Grid *g, int axis, double x) {
  int c = (int)floor((x - g->low[axis]) / g->width[axis]);
  (void)w;
  return c < 0 ? 0 : c >= g->cells[axis] ? g->cells[axis] - 1 : c;
}

static size_t cell_index(const Grid *g, const int *c) {
  return ((size_t)c[2] * (size_t)g->cells[1] + (size_t)c[1]) * (size_t)g->cells[0] + (size_t)c[0];
}

/* ---- sorting ---- */

/* Moves all arrays of grains into a new order. */
static ScreeStatus permute(ScreeWorld *w, const int32_t *from) {
  size_t n = w->count;
  char *buffer = malloc(n * sizeof(Record));
  if (!buffer) return scree_fail(SCREE_NO_MEMORY, "no memory to sort %zu grains", n);
#define MOVE(array)                                                                                                    \
  do {                                                                                                                 \
    memcpy(buffer, w->array, n * sizeof *w->array);                                                                    \
    for (size_t i = 0; i < n; i++)                                                                                     \
      memcpy(&w->array[i], buffer + (size_t)from[i] * sizeof *w->array, sizeof *w->array);                             \
  } while (0)
  MOVE(record);
  MOVE(turn);
  MOVE(sum);
  MOVE(half);
  MOVE(id);
#undef MOVE
  free(buffer);
  return SCREE_OK;
}

typedef struct Key {
  uint64_t cell;
  uint64_t id;
  int32_t index;
} Key;

static int by_cell(const void *a, const void *b) {
  const Key *x = a, *y = b;
  if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
  return x->id < y->id ? -1 : 1;
}

/* Interleaves the bits of three cell numbers (Morton order). */
static uint64_t interleave(const int *c) {
  uint64_t key = 0;
  for (int bit = 0; bit < 21; bit++)
    for (int k = 0; k < 3; k++) key |= (uint64_t)((c[k] >> bit) & 1) << (3 * bit + k);
  return key;
}

/* Order by cell, then id: the same for any input order. place[old] = new. */
static ScreeStatus sort_grains(ScreeWorld *w, int32_t *place) {
  size_t n = w->count;
  Key *keys = malloc(n * sizeof *keys);
  int32_t *from = malloc(n * sizeof *from);
  if (!keys || !from) {
    free(keys), free(from);
    return scree_fail(SCREE_NO_MEMORY, "no memory to sort %zu grains", n);
  }
  double size = 4.0 * w->max_radius;
  for (size_t i = 0; i < n; i++) {
    int c[3];
    for (int k = 0; k < 3; k++) c[k] = (int)fmin(fmax((w->record[i].x[k] - w->def.low[k]) / size, 0.0), 2e6);
    keys[i] = (Key){interleave(c), w->id[i], (int32_t)i};
  }
  qsort(keys, n, sizeof *keys, by_cell);
  for (size_t i = 0; i < n; i++) {
    from[i] = keys[i].index;
    place[keys[i].index] = (int32_t)i;
  }
  ScreeStatus status = permute(w, from);
  free(keys), free(from);
  return status;
}

/* ---- grids ---- */

static ScreeStatus build_grid(const ScreeWorld *w, int level, Grid *g) {
  *g = (Grid){0};
  size_t n = w->count, total = 1;
  for (size_t i = 0; i < n; i++)
    if (level_of(w, w->record[i].r) == level) g->max_radius = fmax(g->max_radius, w->record[i].r);
  if (g->max_radius == 0.0) return SCREE_OK;
  double wide = 2.0 * g->max_radius + w->skin;
  for (int k = 0; k < 3; k++) {
    double length = w->def.high[k] - w->def.low[k];
    g->low[k] = w->def.low[k];
    g->cells[k] = (int)fmax(floor(length / wide), 1.0);
    while ((double)g->cells[k] * (double)total > 8.0 * (double)n + 64.0 && g->cells[k] > 1) g->cells[k] /= 2;
    g->width[k] = length / g->cells[k];
    total *= (size_t)g->cells[k];
  }
  g->start = calloc(total + 1, sizeof *g->start);
  g->member = malloc((n + 1) * sizeof *g->member);
  if (!g->start || !g->member) return scree_fail(SCREE_NO_MEMORY, "no memory for a grid of %zu cells", total);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < n; i++) {
      if (level_of(w, w->record[i].r) != level) continue;
      int c[3];
      for (int k = 0; k < 3; k++) c[k] = cell_coordinate(w, g, k, w->record[i].x[k]);
      size_t cell = cell_index(g, c);
      if (pass == 0)
        g->start[cell + 1]++;
      else
        g->member[g->start[cell]++] = (int32_t)i;
    }
    if (pass == 0)
      for (size_t c = 0; c < total; c++) g->start[c + 1] += g->start[c];
  }
  for (size_t c = total; c > 0; c--) g->start[c] = g->start[c - 1]; /* the second pass moved each start to its end */
  g->start[0] = 0;
  return SCREE_OK;
}

/* ---- pairs ---- */

static ScreeStatus grow(Pairs *p, const ScreeWorld *w, size_t capacity) {
  void **arrays[] = {(void **)&p->k,        (void **)&p->chi,     (void **)&p->shear[0], (void **)&p->shear[1],
                     (void **)&p->shear[2], (void **)&p->last,    (void **)&p->memory,   (void **)&p->own[0],
                     (void **)&p->own[1],   (void **)&p->own[2],  (void **)&p->own[3],   (void **)&p->own[4],
                     (void **)&p->own[5],   (void **)&p->roll[0], (void **)&p->roll[1],  (void **)&p->roll[2]};
  for (int a = 0; a < 16; a++) {
    bool needed =
        a < 6 || (a == 6 && w->slots > 0) || (a >= 7 && a < 13 && a - 7 < w->constants) || (a >= 13 && w->rolls);
    if (!needed) continue;
    void *grown = realloc(*arrays[a], capacity * sizeof(double));
    if (!grown) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu pairs", capacity);
    *arrays[a] = grown;
  }
  int32_t *i = realloc(p->i, capacity * sizeof *i);
  if (i) p->i = i;
  int32_t *j = realloc(p->j, capacity * sizeof *j);
  if (j) p->j = j;
  float *press = realloc(p->press, capacity * sizeof *press);
  if (press) p->press = press;
  if (!i || !j || !press) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu pairs", capacity);
  p->capacity = capacity;
  return SCREE_OK;
}

static ScreeStatus add_pair(Pairs *p, const ScreeWorld *w, int32_t i, int32_t j) {
  if (p->count == p->capacity) SCREE_TRY(grow(p, w, p->capacity ? p->capacity + p->capacity / 4 : 1024));
  p->i[p->count] = i;
  p->j[p->count] = j;
  p->k[p->count++] = 0.0;
  return SCREE_OK;
}

/* Partners of grain i in a grid; of its own level only those that come after it. */
static ScreeStatus pairs_in_grid(ScreeWorld *w, Pairs *p, size_t i, const Grid *g, bool own) {
  const Record *a = &w->record[i];
  int lo[3], hi[3];
  for (int k = 0; k < 3; k++) {
    int c = cell_coordinate(w, g, k, a->x[k]), n = g->cells[k];
    bool wraps = w->def.periodic[k];
    lo[k] = n < 3 ? 0 : wraps ? c - 1 : (c > 0 ? c - 1 : 0);
    hi[k] = n < 3 ? n - 1 : wraps ? c + 1 : (c < n - 1 ? c + 1 : n - 1);
  }
  for (int z = lo[2]; z <= hi[2]; z++)
    for (int y = lo[1]; y <= hi[1]; y++)
      for (int x = lo[0]; x <= hi[0]; x++) {
        int c[3] = {(x + g->cells[0]) % g->cells[0], (y + g->cells[1]) % g->cells[1], (z + g->cells[2]) % g->cells[2]};
        size_t cell = cell_index(g, c);
        for (int32_t m = g->start[cell]; m < g->start[cell + 1]; m++) {
          int32_t j = g->member[m];
          if (own && (size_t)j <= i) continue;
          const Record *b = &w->record[j];
          if (scree_is_fixed(a) && scree_is_fixed(b)) continue;
          double reach = a->r + b->r + w->skin, d2 = 0.0;
          for (int k = 0; k < 3; k++) {
            double dx = scree_image(w, k, b->x[k] - a->x[k]);
            d2 += dx * dx;
          }
          if (d2 < reach * reach) SCREE_TRY(add_pair(p, w, (int32_t)i, j));
        }
      }
  return SCREE_OK;
}

static ScreeStatus pairs_with_walls(ScreeWorld *w, Pairs *p, size_t i) {
  double normal[3];
  if (scree_is_fixed(&w->record[i])) return SCREE_OK;
  for (int wall = 0; wall < w->walls; wall++)
    if (scree_wall_gap(&w->wall[wall], w->record[i].x, normal) < w->record[i].r + w->skin)
      SCREE_TRY(add_pair(p, w, (int32_t)i, -1 - wall));
  return SCREE_OK;
}

static ScreeStatus list_pairs(ScreeWorld *w, Pairs *p) {
  Grid grid[LEVELS];
  ScreeStatus status = SCREE_OK;
  for (int level = 0; level < LEVELS; level++) {
    grid[level] = (Grid){0};
    if (status == SCREE_OK) status = build_grid(w, level, &grid[level]);
  }
  for (size_t i = 0; i < w->count && status == SCREE_OK; i++) {
    int own = level_of(w, w->record[i].r);
    for (int level = own; level < LEVELS && status == SCREE_OK; level++)
      if (grid[level].start) status = pairs_in_grid(w, p, i, &grid[level], level == own);
    if (status == SCREE_OK) status = pairs_with_walls(w, p, i);
  }
  for (int level = 0; level < LEVELS; level++) free(grid[level].start), free(grid[level].member);
  return status;
}

/* ---- carrying contacts over ---- */

static void copy_contact(const ScreeWorld *w, Pairs *to, size_t t, const Pairs *from, size_t f, double sign) {
  to->k[t] = from->k[f];
  to->chi[t] = from->chi[f];
  to->last[t] = from->last[f];
  to->press[t] = from->press[f];
  for (int k = 0; k < 3; k++) to->shear[k][t] = sign * from->shear[k][f];
  for (int k = 0; k < 3 && w->rolls; k++) to->roll[k][t] = sign * from->roll[k][f];
  for (int k = 0; k < w->constants; k++) to->own[k][t] = from->own[k][f];
  if (w->slots > 0) to->memory[t] = from->memory[f];
}

/* Pairs are ordered by i: the contact of (i, j) is searched among the few pairs of i. History belongs to the first
 * grain of a pair; where the roles have changed its sign does too. */
static ScreeStatus carry_over(const ScreeWorld *w, Pairs *to, const Pairs *from, const int32_t *place) {
  size_t *start = calloc(w->count + 2, sizeof *start);
  if (!start) return scree_fail(SCREE_NO_MEMORY, "no memory to carry contacts over");
  for (size_t p = 0; p < to->count; p++) start[to->i[p] + 1]++;
  for (size_t i = 0; i < w->count; i++) start[i + 1] += start[i];
  for (size_t f = 0; f < from->count; f++) {
    if (from->k[f] == 0.0) continue;
    int32_t a = place[from->i[f]], b = from->j[f] < 0 ? from->j[f] : place[from->j[f]];
    double sign = 1.0;
    /* the list holds (i, j) with i first by level, then by position: try both */
    for (int turn = 0; turn < 2; turn++) {
      bool found = false;
      for (size_t t = start[a]; a >= 0 && t < start[a + 1] && !found; t++)
        if (to->j[t] == b) {
          copy_contact(w, to, t, from, f, sign);
          found = true;
        }
      if (found || b < 0) break;
      int32_t swap = a;
      a = b, b = swap, sign = -1.0;
    }
  }
  free(start);
  return SCREE_OK;
}

static void pairs_free(Pairs *p) {
  free(p->i), free(p->j), free(p->k), free(p->chi), free(p->last), free(p->memory), free(p->press);
  for (int k = 0; k < 3; k++) free(p->shear[k]), free(p->roll[k]);
  for (int k = 0; k < 6; k++) free(p->own[k]);
  *p = (Pairs){0};
}

ScreeStatus scree_rebuild(ScreeWorld *w) {
  int32_t *place = malloc((w->count + 1) * sizeof *place);
  if (!place) return scree_fail(SCREE_NO_MEMORY, "no memory to sort %zu grains", w->count);
  Pairs fresh = {0};
  ScreeStatus status = sort_grains(w, place);
  if (status == SCREE_OK) status = grow(&fresh, w, w->pairs.capacity ? w->pairs.capacity : 4 * w->count + 64);
  if (status == SCREE_OK) status = list_pairs(w, &fresh);
  if (status == SCREE_OK) status = carry_over(w, &fresh, &w->pairs, place);
  free(place);
  if (status != SCREE_OK) {
    pairs_free(&fresh);
    return status;
  }
  pairs_free(&w->pairs);
  w->pairs = fresh;
  for (size_t i = 0; i < w->count; i++) memcpy(&w->anchor[3 * i], w->record[i].x, 3 * sizeof(double));
  w->rebuilds++;
  return SCREE_OK;
}

bool scree_needs_rebuild(const ScreeWorld *w) {
  double limit = 0.25 * w->skin * w->skin; /* half the skin each */
  for (size_t i = 0; i < w->count; i++) {
    double moved = 0.0;
    for (int k = 0; k < 3; k++) {
      double dx = scree_image(w, k, w->record[i].x[k] - w->anchor[3 * i + (size_t)k]);
      moved += dx * dx;
    }
    if (moved > limit) return true;
  }
  return false;
}

void scree_pairs_free(Pairs *p) { pairs_free(p); }
