/* list.c: the list of pairs within the skin, and the order in which it is made anew.
 *
 * 1  skin     how far the list should reach (skin.c)
 * 2  sort     now and then grains are put into the order of their places (order.c), and what they may do until the list
 *             is used up is written down (bulk.c)
 * 3  search   tile by tile: partners of every grain, from grids of cells (search.c), and
 * 4  runs     where each pair lies, so that the kernels find eight alike beside each other (runs.c)
 * 5  carry    contacts of the old list find their pairs in the new one (pairs.c)
 *
 * Bits do not depend on when the list is made, nor on the skin. */
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "listing.h"

enum { SORT_EVERY = 10 };

double scree_grains_per_thread = 300.0;

/* Sorts the grains; `moved`, where grains went before by themselves, goes on to where they are now. */
static ScreeStatus sort(Rebuild *b, const int32_t *moved, size_t before) {
  ScreeWorld *w = b->w;
  int32_t *sorted = malloc((w->count + 1) * sizeof *sorted), *all = moved ? malloc((before + 1) * sizeof *all) : NULL;
  ScreeStatus status = sorted && (all || !moved)
                           ? scree_sort_grains(w, sorted)
                           : scree_fail(SCREE_NO_MEMORY, "no memory to sort %zu grains", w->count);
  for (size_t i = 0; moved && status == SCREE_OK && i < before; i++) all[i] = moved[i] < 0 ? -1 : sorted[moved[i]];
  b->place = b->sorted = moved ? all : sorted;
  free(moved ? sorted : all);
  return status;
}

static ScreeStatus make_list(Rebuild *b) {
  ScreeWorld *w = b->w;
  SCREE_TRY(scree_tiles_lay(w));
  if (!scree_runs_begin(b) || !scree_search_begin(b))
    return scree_fail(SCREE_NO_MEMORY, "no memory for the grid of %zu grains", w->count);
  SCREE_TRY(scree_tiles_fill(b));
  scree_early_plan(w);
  SCREE_TRY(scree_runs_lay(b));
  SCREE_TRY(scree_pairs_allocate(&b->fresh, w, b->length, b->wakes));
  scree_pairs_place(b);
  return SCREE_OK;
}

static void release(Rebuild *b) {
  scree_search_end(b);
  scree_runs_end(b);
}

static void discard(Rebuild *b) {
  scree_pairs_free(&b->fresh);
  release(b);
  *b = (Rebuild){.w = b->w, .old = b->old, .place = b->place, .sorted = b->sorted};
}

/* The first list knows nothing of what grains cost. Where that matters they are sorted by what it tells, and others
 * made: the second knows their costs in another order, the third in this one. */
static ScreeStatus make_first_list(Rebuild *b, size_t before) {
  for (int n = 0; n < 3; n++) {
    SCREE_TRY(make_list(b));
    if (n == 2 || scree_shares_are_even(b->w)) break;
    discard(b);
    if (n > 0) continue;
    int32_t *sorted = b->sorted;
    ScreeStatus status = sort(b, sorted, before);
    free(sorted);
    SCREE_TRY(status);
  }
  return SCREE_OK;
}

static ScreeStatus renew(Rebuild *b, const int32_t *moved, size_t before, bool forced) {
  ScreeWorld *w = b->w;
  scree_skin_adapt(w, forced);
  scree_pool_use(w->pool, (int)fmin((double)w->count / scree_grains_per_thread, (double)w->def.threads));
  scree_shares_learn(w);
  if (w->rebuilds % SORT_EVERY == 0) SCREE_TRY(sort(b, moved, before));
  scree_bulk_begin(w);
  SCREE_TRY(w->rebuilds == 0 ? make_first_list(b, moved ? before : w->count) : make_list(b));
  SCREE_TRY(scree_borders_find(w, &b->fresh));
  scree_pairs_carry(b);
  scree_pairs_retire(w);
  w->pairs = b->fresh;
  w->wrapped = false;
  scree_bounds_listed(w);
  scree_skin_observe(b);
  scree_bodies_listed(w);
  w->rebuilds++;
  return SCREE_OK;
}

ScreeStatus scree_rebuild(ScreeWorld *w, const int32_t *moved, size_t before, bool forced) {
  Rebuild b = {.w = w, .old = w->pairs, .place = moved};
  ScreeStatus status = renew(&b, moved, before, forced);
  if (status != SCREE_OK) scree_pairs_free(&b.fresh);
  release(&b);
  free(b.sorted);
  return status;
}

typedef struct Forgetting {
  ScreeWorld *w;
  const int32_t *moved;
  size_t before;
} Forgetting;

/* Most stay where they are: what need not be written is not. */
static void follow(const Forgetting *f, int32_t *grain) {
  int32_t none = (int32_t)f->w->count,
          now = (size_t)*grain == f->before || f->moved[*grain] < 0 ? none : f->moved[*grain];
  if (now != *grain) *grain = now;
}

/* The pairs of a thread's tiles, and whom they meet. */
static void forget_share(void *context, int number, int threads) {
  const Forgetting *f = context;
  ScreeWorld *w = f->w;
  Pairs *q = &w->pairs;
  const Tile *tile = &w->tile[w->worker[number]->tile], *end = &w->tile[w->worker[number]->tile_end];
  int32_t none = (int32_t)w->count; /* the sentinel */
  (void)threads;
  for (size_t p = tile->pairs; p < end->pairs; p++) {
    int32_t *i = &KEPT(q, i, p), *j = &KEPT(q, j, p);
    follow(f, i);
    if (*j >= 0)
      follow(f, j);
    else if (*i == none)
      *j = -1;
  }
  for (size_t o = tile->others; o < end->others; o++) {
    follow(f, &w->other[o]);
    if (w->other[o] == none) w->other[o] = 0;
  }
}

void scree_list_forget(ScreeWorld *w, const int32_t *moved, size_t before) {
  Forgetting forgetting = {w, moved, before};
  size_t width = w->beside_width;
  scree_pool_run(w->pool, forget_share, &forgetting);
  /* forwards: who moves takes the place of one that has moved, or has gone */
  for (size_t i = 0; i < before && width > 0; i++)
    if (moved[i] >= 0 && (size_t)moved[i] != i)
      memmove(w->beside + (size_t)moved[i] * width, w->beside + i * width, width);
  for (int n = 0; n < w->def.threads; n++)
    scree_border_move(&w->worker[n]->border, moved, (int32_t)before, (int32_t)w->count);
}
