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

static void make_keys(const ScreeWorld *w, Key *key) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0.0;
  for (size_t i = 0; i < w->count; i++)
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], w->record[i].x[k]);
      high[k] = fmax(high[k], w->record[i].x[k]);
    }
  for (int k = 0; k < 3; k++) size = fmax(size, (high[k] - low[k]) / (DIGITS - 1));
  size = fmax(size, 2.0 * w->min_radius);
  for (size_t i = 0; i < w->count; i++) {
    uint32_t code = 0;
    for (int k = 0; k < 3; k++) code |= spread((uint32_t)((w->record[i].x[k] - low[k]) / size)) << k;
    key[i] = (Key){code, (int32_t)i};
  }
}

/* Least significant digits first; stable. */
static void radix_pass(const Key *from, Key *to, size_t n, int shift) {
  size_t start[DIGITS] = {0};
  for (size_t i = 0; i < n; i++) start[(from[i].code >> shift) % DIGITS]++;
  size_t sum = 0;
  for (int d = 0; d < DIGITS; d++) {
    size_t here = start[d];
    start[d] = sum;
    sum += here;
  }
  for (size_t i = 0; i < n; i++) to[start[(from[i].code >> shift) % DIGITS]++] = from[i];
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
  size_t n = w->count;
  Key *key = calloc(2 * n + 1, sizeof *key), *other = key + n;
  if (n < w->capacity / 4) w->capacity = n; /* most have gone: their memory too */
  if (!key) return scree_fail(SCREE_NO_MEMORY, "no memory to sort %zu grains", n);
  make_keys(w, key);
  for (int pass = 0; pass < 3; pass++) radix_pass(pass % 2 ? other : key, pass % 2 ? key : other, n, pass * BITS);
  for (size_t i = 0; i < n; i++) place[other[i].index] = (int32_t)i;
  ScreeStatus status = move_array(w, &w->record, sizeof *w->record, other);
  if (status == SCREE_OK) status = move_array(w, &w->turn, sizeof *w->turn, other);
  if (status == SCREE_OK) status = move_array(w, &w->load, sizeof *w->load, other);
  free(key);
  return status;
}
