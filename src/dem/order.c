/* order.c: sorts the grains along a Morton curve, so that neighbours in space are neighbours in memory. The order has
 * no influence on the results. */
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "engine.h"
#include "memory.h"

enum { BITS = 10, DIGITS = 1 << BITS }; /* per axis, and per pass of the radix sort */

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
 * digits and of threads before it: stable, so the order is the same for any number of threads. */
typedef struct Sort {
  const ScreeWorld *w;
  Key *from, *to;
  int shift;
  double low[3], size;
  Extent *box;             /* per thread */
  size_t (*start)[DIGITS]; /* per thread */
  int32_t *place;
} Sort;

static void box_share(void *context, int number, int threads) {
  const Sort *s = context;
  const ScreeWorld *w = s->w;
  size_t begin = scree_pool_begin(w->count, number, threads), end = scree_pool_begin(w->count, number + 1, threads);
  Extent box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (size_t i = begin; i < end; i++)
    for (int k = 0; k < 3; k++) {
      double x = w->record[i].x[k];
      box.least[k] = x < box.least[k] ? x : box.least[k];
      box.most[k] = x > box.most[k] ? x : box.most[k];
    }
  s->box[number] = box;
}

static void keys_share(void *context, int number, int threads) {
  const Sort *s = context;
  const ScreeWorld *w = s->w;
  size_t begin = scree_pool_begin(w->count, number, threads), end = scree_pool_begin(w->count, number + 1, threads);
  for (size_t i = begin; i < end; i++) {
    uint32_t code = 0;
    for (int k = 0; k < 3; k++) code |= spread((uint32_t)((w->record[i].x[k] - s->low[k]) / s->size)) << k;
    s->from[i] = (Key){code, (int32_t)i};
  }
}

static void make_keys(Sort *s) {
  const ScreeWorld *w = s->w;
  scree_pool_run(w->pool, box_share, s);
  for (int t = 1; t < w->def.threads; t++) scree_unite(&s->box[0], &s->box[t]);
  s->size = 2.0 * w->min_radius;
  for (int k = 0; k < 3; k++) {
    s->low[k] = s->box[0].least[k];
    s->size = fmax(s->size, (s->box[0].most[k] - s->low[k]) / (DIGITS - 1));
  }
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
  s->shift += BITS;
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
static ScreeStatus move_array(ScreeWorld *w, void *array, size_t width, const Key *key) {
  void **slot = array;
  char *fresh = scree_allocate((w->capacity + 1) * width);
  if (!fresh) return scree_fail(SCREE_NO_MEMORY, "no memory to sort %zu grains", w->count);
  Move move = {key, *slot, fresh, width, w->count};
  scree_pool_run(w->pool, move_share, &move);
  memcpy(fresh + w->count * width, (char *)*slot + w->count * width, width);
  free(*slot);
  *slot = fresh;
  return SCREE_OK;
}

ScreeStatus scree_sort_grains(ScreeWorld *w, int32_t *place) {
  size_t n = w->count, threads = (size_t)w->def.threads;
  Key *key = calloc(2 * n + 1, sizeof *key);
  Sort s = {.w = w, .from = key, .place = place};
  s.box = malloc(threads * sizeof *s.box);
  s.start = malloc(threads * sizeof *s.start);
  ScreeStatus status = SCREE_OK;
  if (n < w->capacity / 4) w->capacity = n; /* most have gone: their memory too */
  if (key && s.box && s.start) {
    s.to = key + n;
    make_keys(&s);
    for (int pass = 0; pass < 3; pass++) radix_pass(&s);
    scree_pool_run(w->pool, place_share, &s);
    status = move_array(w, &w->record, sizeof *w->record, s.from);
    if (status == SCREE_OK) status = move_array(w, &w->turn, sizeof *w->turn, s.from);
    if (status == SCREE_OK) status = move_array(w, &w->load, sizeof *w->load, s.from);
  } else {
    status = scree_fail(SCREE_NO_MEMORY, "no memory to sort %zu grains", n);
  }
  free(key), free(s.box), free(s.start);
  return status;
}
