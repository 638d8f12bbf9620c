/* order.c: sorts the grains so that neighbours in space are neighbours in memory: along a Morton curve, or, where there
 * are more than the caches hold and they lie close, in layers of small Morton cubes: then what a tile needs has just
 * been used, or follows in memory (early.c). Layers follow each other along the longest side; where one would be too
 * large for the caches it is cut into columns, each of which is gone through from one end to the other. Where threads
 * share a Morton curve there are two, one for each side of a plane that has the first half of the threads before it:
 * across the border of a curve that is simply divided half as many grains again meet, in flows twice as many. The order
 * has no influence on the results. */
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "engine.h"
#include "memory.h"

enum { BITS = 10, CELLS = 1 << BITS };                        /* per axis */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };           /* per pass of the radix sort */
enum { CUBE_BITS = 2, CUBE = 1 << CUBE_BITS, LAYER = 16384 }; /* cells of a cube's edge; cells of a layer, at most */
static const double CLOSE = 0.3;                              /* of the volume that grains take: each touches others */

typedef struct Key {
  uint32_t code;
  int32_t index;
} Key;

/* Spreads ten bits to every third place. */
static uint32_t spread(uint32_t x) {
  x = (x | x << 16) & 0x030000ffu;
  x = (x | x << 8) & 0x0300f00fu;
  x = (x | x << 4) & 0x030c30c3u;
  return (x | x << 2) & 0x09249249u;
}

/* What the threads sort with. A pass counts each thread's digits, then each puts its keys behind those of smaller
 * digits and of threads before it: stable, so the order is the same however the keys are divided. */
typedef struct Sort {
  ScreeWorld *w;
  Key *from, *to;
  int shift;
  double low[3], size;     /* m, of the cells */
  double *solid;           /* m3, per thread: of its grains */
  int axis[3];             /* of layers: the longest first */
  uint32_t cubes[3];       /* along these axes, within a column */
  uint32_t across[3];      /* columns along these axes */
  int cut_axis;            /* of a Morton curve: what lies beyond this place is the second half of the threads' */
  double cut;              /* m */
  double per_slice[3];     /* slices in a metre, along each axis */
  size_t (*slice)[DIGITS]; /* per thread and axis: grains in each */
  size_t *share;           /* where the threads' grains begin */
  Extent *box;             /* per thread */
  size_t (*start)[DIGITS]; /* per thread */
  int32_t *place;
} Sort;

static void box_share(void *context, int number, int threads) {
  const Sort *s = context;
  const ScreeWorld *w = s->w;
  size_t begin = scree_pool_begin(w->count, number, threads), end = scree_pool_begin(w->count, number + 1, threads);
  Extent box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  double cubes = 0.0;
  for (size_t i = begin; i < end; i++) {
    const Record *r = &w->record[i];
    cubes += r->r * r->r * r->r;
    for (int k = 0; k < 3; k++) {
      box.least[k] = r->x[k] < box.least[k] ? r->x[k] : box.least[k];
      box.most[k] = r->x[k] > box.most[k] ? r->x[k] : box.most[k];
    }
  }
  s->box[number] = box;
  s->solid[number] = 4.0 / 3.0 * acos(-1.0) * cubes;
}

static uint32_t morton(const uint32_t *cell) { return spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2; }

/* Column, layer, cube, place in the cube. */
static uint32_t layered(const Sort *s, const uint32_t *cell) {
  uint32_t cube[3], low[3], column = 0, code = 0;
  for (int k = 0; k < 3; k++) {
    uint32_t c = cell[s->axis[k]] / CUBE;
    low[k] = cell[s->axis[k]] % CUBE;
    cube[k] = c % s->cubes[k];
    column = column * s->across[k] + c / s->cubes[k];
  }
  code = ((column * s->cubes[0] + cube[0]) * s->cubes[1] + cube[1]) * s->cubes[2] + cube[2];
  return code << 3 * CUBE_BITS | morton(low);
}

static void keys_share(void *context, int number, int threads) {
  const Sort *s = context;
  const ScreeWorld *w = s->w;
  size_t begin = scree_pool_begin(w->count, number, threads), end = scree_pool_begin(w->count, number + 1, threads);
  for (size_t i = begin; i < end; i++) {
    uint32_t cell[3];
    for (int k = 0; k < 3; k++) cell[k] = (uint32_t)((w->record[i].x[k] - s->low[k]) / s->size);
    uint32_t beyond = (uint32_t)(w->record[i].x[s->cut_axis] >= s->cut) << 3 * BITS;
    s->from[i] = (Key){w->layered ? layered(s, cell) : morton(cell) | beyond, (int32_t)i};
  }
}

static uint32_t parts(uint32_t whole, uint32_t part) { return (whole + part - 1) / part; }

/* Layers across the longest side, in columns as wide as fits. */
static void choose_layers(Sort *s, const double *side) {
  uint32_t cubes[3];
  for (int k = 0; k < 3; k++) s->axis[k] = k;
  for (int k = 0; k < 3; k++) /* three exchanges sort three */
    if (side[s->axis[k % 2]] < side[s->axis[k % 2 + 1]]) {
      int longer = s->axis[k % 2 + 1];
      s->axis[k % 2 + 1] = s->axis[k % 2], s->axis[k % 2] = longer;
    }
  for (int k = 0; k < 3; k++) cubes[k] = (uint32_t)(side[s->axis[k]] / s->size) / CUBE + 1;
  uint32_t columns = parts(cubes[1] * cubes[2], LAYER >> 3 * CUBE_BITS);
  s->across[0] = 1;
  s->across[1] = (uint32_t)ceil(fmin(sqrt((double)columns * cubes[1] / cubes[2]), columns));
  s->across[2] = parts(columns, s->across[1]);
  for (int k = 0; k < 3; k++) s->cubes[k] = parts(cubes[k], s->across[k]);
}

static size_t slice_of(const Sort *s, int axis, double x) {
  return (size_t)fmin(fmax((x - s->low[axis]) * s->per_slice[axis], 0.0), DIGITS - 1);
}

static void slice_share(void *context, int number, int threads) {
  const Sort *s = context;
  const ScreeWorld *w = s->w;
  size_t begin = scree_pool_begin(w->count, number, threads), end = scree_pool_begin(w->count, number + 1, threads);
  size_t(*slice)[DIGITS] = s->slice + 3 * number;
  memset(slice, 0, 3 * sizeof *slice);
  for (size_t i = begin; i < end; i++)
    for (int k = 0; k < 3; k++) slice[k][slice_of(s, k, w->record[i].x[k])]++;
}

/* Where so many grains lie before a plane across an axis. */
static double place_of(const Sort *s, int axis, double wanted) {
  const size_t *slice = s->slice[axis];
  double before = 0.0, per = s->per_slice[axis];
  for (int n = 0; n < DIGITS && per > 0.0; before += (double)slice[n++])
    if (before + (double)slice[n] >= wanted && slice[n] > 0)
      return s->low[axis] + (n + (wanted - before) / (double)slice[n]) / per;
  return s->low[axis];
}

/* How many grains, about, have their centres within a radius of a plane, on either side; those that meet around a
 * period meet there as often again. */
static double grains_along(const Sort *s, int axis, double at) {
  double r = s->w->max_radius, count = 0.0;
  size_t from = slice_of(s, axis, at - r), to = slice_of(s, axis, at + r);
  double width = s->per_slice[axis] > 0.0 ? (double)(to - from + 1) / s->per_slice[axis] : 0.0;
  for (size_t n = from; n <= to; n++) count += (double)s->slice[axis][n];
  return count * 2.0 * r / fmax(width, 2.0 * r) * (s->w->def.periodic[axis] ? 2.0 : 1.0);
}

/* The plane with the fewest grains along it that leaves as many before it as the first half of the threads will have.
 * Halves of a period meet twice, and a curve's do not more often: there it is not cut. */
static void choose_cut(Sort *s, const double *side) {
  const ScreeWorld *w = s->w;
  double least = INFINITY, at[3];
  s->cut = INFINITY;
  if (w->def.threads == 1) return;
  for (int k = 0; k < 3; k++) s->per_slice[k] = side[k] > 1e-6 * w->max_radius ? (DIGITS - 0.5) / side[k] : 0.0;
  scree_pool_run(w->pool, slice_share, s);
  for (int t = 1; t < w->def.threads; t++)
    for (int k = 0; k < 3; k++)
      for (int n = 0; n < DIGITS; n++) s->slice[k][n] += s->slice[3 * t + k][n];
  scree_share_grains(w, s->share);
  for (int k = 0; k < 3; k++) {
    at[k] = place_of(s, k, (double)s->share[w->def.threads / 2]);
    double along = grains_along(s, k, at[k]);
    if (along < least) least = along, s->cut_axis = k;
  }
  if (!w->def.periodic[s->cut_axis]) s->cut = at[s->cut_axis];
}

/* Cells of one grain each, about. */
static void choose_cells(Sort *s) {
  ScreeWorld *w = s->w;
  double side[3], volume = 1.0, solid = 0.0;
  for (int k = 0; k < 3; k++) {
    s->low[k] = s->box[0].least[k];
    side[k] = s->box[0].most[k] - s->low[k];
    volume *= fmax(side[k], 2.0 * w->max_radius);
  }
  for (int t = 0; t < w->def.threads; t++) solid += s->solid[t];
  w->layered = w->count >= scree_early_from && solid > CLOSE * volume;
  s->size = w->layered ? cbrt(volume / (double)w->count) : 2.0 * w->min_radius;
  for (int k = 0; k < 3; k++) s->size = fmax(s->size, side[k] / (CELLS - 1));
  if (w->layered)
    choose_layers(s, side);
  else
    choose_cut(s, side);
}

static void make_keys(Sort *s) {
  const ScreeWorld *w = s->w;
  scree_pool_run(w->pool, box_share, s);
  for (int t = 1; t < w->def.threads; t++) scree_unite(&s->box[0], &s->box[t]);
  choose_cells(s);
  scree_pool_run(w->pool, keys_share, s);
}

static void count_share(void *context, int number, int threads) {
  const Sort *s = context;
  size_t n = s->w->count, end = scree_pool_begin(n, number + 1, threads);
  memset(s->start[number], 0, sizeof s->start[number]);
  for (size_t i = scree_pool_begin(n, number, threads); i < end; i++)
    s->start[number][(s->from[i].code >> s->shift) % DIGITS]++;
}

static void put_share(void *context, int number, int threads) {
  const Sort *s = context;
  size_t n = s->w->count, end = scree_pool_begin(n, number + 1, threads), *start = s->start[number];
  for (size_t i = scree_pool_begin(n, number, threads); i < end; i++)
    s->to[start[(s->from[i].code >> s->shift) % DIGITS]++] = s->from[i];
}

/* Least significant digits first. */
static void radix_pass(Sort *s) {
  size_t sum = 0;
  scree_pool_run(s->w->pool, count_share, s);
  for (int d = 0; d < DIGITS; d++)
    for (int t = 0; t < s->w->def.threads; t++) {
      size_t here = s->start[t][d];
      s->start[t][d] = sum;
      sum += here;
    }
  scree_pool_run(s->w->pool, put_share, s);
  Key *swap = s->from;
  s->from = s->to, s->to = swap;
  s->shift += DIGIT_BITS;
}

static void place_share(void *context, int number, int threads) {
  const Sort *s = context;
  size_t n = s->w->count, end = scree_pool_begin(n, number + 1, threads);
  for (size_t i = scree_pool_begin(n, number, threads); i < end; i++) s->place[s->from[i].index] = (int32_t)i;
}

/* ---- moving the arrays ---- */

typedef struct Move {
  const Key *key;
  const char *from;
  char *to;
  size_t width, count;
} Move;

static void move_share(void *context, int number, int threads) {
  const Move *m = context;
  size_t begin = scree_pool_begin(m->count, number, threads), end = scree_pool_begin(m->count, number + 1, threads);
  for (size_t i = begin; i < end; i++)
    memcpy(m->to + i * m->width, m->from + (size_t)m->key[i].index * m->width, m->width);
}

/* The sentinel after the last grain stays where it is. */
static void move_array(const ScreeWorld *w, void *from, void *to, size_t width, const Key *key) {
  Move move = {key, from, to, width, w->count};
  scree_pool_run(w->pool, move_share, &move);
  memcpy((char *)to + w->count * width, (char *)from + w->count * width, width);
  scree_free_apart(from);
}

/* All of them or none: what lies in two orders belongs to nobody. */
static ScreeStatus move_arrays(ScreeWorld *w, const Key *key) {
  size_t room = w->capacity + 1;
  Record *record = scree_allocate_apart(room * sizeof *record, OF_RECORDS);
  Turn *turn = scree_allocate_apart(room * sizeof *turn, OF_TURNS);
  Loads load = {scree_allocate_apart(room * sizeof *load.four, OF_FOURS),
                scree_allocate_apart(room * sizeof *load.two, OF_TWOS)};
  if (!record || !turn || !load.four || !load.two) {
    scree_free_apart(record), scree_free_apart(turn), scree_free_apart(load.four), scree_free_apart(load.two);
    return scree_fail(SCREE_NO_MEMORY, "no memory to sort %zu grains", w->count);
  }
  move_array(w, w->record, record, sizeof *record, key);
  move_array(w, w->turn, turn, sizeof *turn, key);
  move_array(w, w->load.four, load.four, sizeof *load.four, key);
  move_array(w, w->load.two, load.two, sizeof *load.two, key);
  w->record = record, w->turn = turn, w->load = load;
  return SCREE_OK;
}

ScreeStatus scree_sort_grains(ScreeWorld *w, int32_t *place) {
  size_t n = w->count, threads = (size_t)w->def.threads;
  Key *key = calloc(2 * n + 1, sizeof *key);
  Sort s = {.w = w, .from = key, .place = place};
  s.box = malloc(threads * sizeof *s.box);
  s.start = malloc(threads * sizeof *s.start);
  s.solid = malloc(threads * sizeof *s.solid);
  s.share = malloc((threads + 1) * sizeof *s.share);
  s.slice = malloc(3 * threads * sizeof *s.slice);
  ScreeStatus status = SCREE_OK;
  if (n < w->capacity / 4) w->capacity = n; /* most have gone: their memory too */
  if (key && s.box && s.start && s.solid && s.share && s.slice) {
    s.to = key + n;
    make_keys(&s);
    for (int pass = 0; pass < 3; pass++) radix_pass(&s);
    scree_pool_run(w->pool, place_share, &s);
    status = move_arrays(w, s.from);
  } else {
    status = scree_fail(SCREE_NO_MEMORY, "no memory to sort %zu grains", n);
  }
  free(key), free(s.box), free(s.start), free(s.solid), free(s.share), free(s.slice);
  return status;
}
