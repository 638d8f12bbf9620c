/* share.c: which grains each thread has. As many for each would be simple, but a thread whose grains lie at the bottom
 * of a bed, or beside a mesh, has more to do than one whose grains fly, and the others wait for it. So threads get
 * stretches of grains that cost as much: by what the pairs of the list before cost, tile by tile. Grains stay about
 * where they were in the order, and the shares settle after a list or two. Nothing here leaves a trace in the results.
 */
#include <math.h>

#include "contact.h"

/* Cycles, measured once on a Zen 4 (docs/performance.md); only their ratios count. */
enum {
  PER_GRAIN = 10, /* it is fetched; swept it is apart from this, but nobody should have all those that fly */
  PER_PAIR = 42,
  PER_AWAY = 60,   /* more, of grains that touch one of another thread's: their loads wait, one by one */
  PER_GAP = 12,    /* of runs of which little touches: each pair is tested */
  PER_SLEEPER = 4, /* those that sleep are not, mostly */
  PER_PICKED = 72, /* and those that touch are packed */
  PER_WALL = 70    /* a slot of a mesh, with its part of the search for triangles; about as much for other walls */
};

static double run_cost(const Run *run) {
  double pairs = (double)(run->end - run->begin);
  if (run->walls) return PER_WALL * pairs;
  if (run->sparse) return (run->near ? PER_SLEEPER : PER_GAP) * pairs + PER_PICKED * (double)run->active;
  return (PER_PAIR + (run->away ? PER_AWAY : 0)) * pairs;
}

static double tile_cost(const ScreeWorld *w, size_t tile) {
  double cost = PER_GRAIN * (double)(w->tile[tile + 1].grains - w->tile[tile].grains);
  for (size_t r = w->tile[tile].runs; r < w->tile[tile + 1].runs; r++) cost += run_cost(&w->run[r]);
  return cost;
}

double scree_share_cost(const ScreeWorld *w, int thread) {
  double cost = 0.0;
  for (size_t t = w->worker[thread]->tile; t < w->worker[thread]->tile_end; t++) cost += tile_cost(w, t);
  return cost;
}

bool scree_shares_are_even(const ScreeWorld *w) {
  double most = 0.0, sum = 0.0;
  for (int n = 0; n < w->def.threads; n++) {
    double cost = scree_share_cost(w, n);
    most = fmax(most, cost), sum += cost;
  }
  return most * w->def.threads <= 1.02 * sum;
}

void scree_share_grains(const ScreeWorld *w, size_t *first) {
  int threads = w->def.threads, next = 1;
  double total = 0.0, sum = 0.0, before = w->tiles > 0 ? (double)w->tile[w->tiles].grains : 0.0;
  for (int n = 0; n <= threads; n++) first[n] = scree_pool_begin(w->count, n, threads);
  if (before == 0.0) return;
  for (size_t t = 0; t < w->tiles; t++) total += tile_cost(w, t);
  for (size_t t = 0; t < w->tiles; t++) {
    double cost = tile_cost(w, t), begin = (double)w->tile[t].grains, end = (double)w->tile[t + 1].grains;
    for (; next < threads && sum + cost >= total * next / threads; next++) {
      double part = cost > 0.0 ? (total * next / threads - sum) / cost : 0.0;
      first[next] = (size_t)fmin((begin + part * (end - begin)) / before * (double)w->count, (double)w->count);
    }
    sum += cost;
  }
}
