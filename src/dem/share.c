/* share.c: which grains each thread has. As many for each would be simple, but a thread whose grains lie at the bottom
 * of a bed, or beside a mesh, has more to do than one whose grains fly, and the others wait for it. So threads get
 * stretches of grains that cost as much: by what the pairs of the list before cost, tile by tile. Grains stay about
 * where they were in the order, and the shares settle after a list or two.
 *
 * Nor are cores equally fast: another program has one of them, or the other half of it; some processors have cores of
 * two kinds. So a thread that has done its tiles takes those that others have not begun (elsewhere.c). Nothing here
 * leaves a trace in the results: sums are integers, and do not know who did them. */
#include <math.h>

#include "contact.h"

/* Cycles, measured once on a Zen 4 (docs/performance.md); only their ratios count. */
enum {
  PER_RUN = 800,  /* its law is prepared, and its last block is not full */
  PER_GRAIN = 4,  /* it is fetched */
  PER_SWEPT = 12, /* and swept in the same pass, in layers (early.c); otherwise apart from this, tile by tile */
  PER_PAIR = 42,
  PER_AWAY = 12,    /* more, of grains that touch one of another thread's: their sums lie elsewhere */
  PER_GAP = 15,     /* of runs of which little touches: each pair is tested */
  PER_SLEEPER = 4,  /* those that sleep are not, mostly */
  PER_PICKED = 100, /* and those that touch are packed */
  PER_WALL = 80     /* a slot of a mesh, with its part of the search for triangles; about as much for other walls */
};

static double run_cost(const Run *run) {
  double pairs = (double)(run->end - run->begin);
  if (run->walls) return PER_RUN + PER_WALL * pairs;
  if (run->sparse) return PER_RUN + (run->near ? PER_SLEEPER : PER_GAP) * pairs + PER_PICKED * (double)run->active;
  return PER_RUN + (PER_PAIR + (run->away ? PER_AWAY : 0)) * pairs;
}

static double tile_cost(const ScreeWorld *w, size_t tile) {
  double cost = (PER_GRAIN + (w->layered ? PER_SWEPT : 0)) * (double)(w->tile[tile + 1].grains - w->tile[tile].grains);
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
  return most * w->def.threads <= 1.005 * sum;
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

/* ---- tiles, and other pieces of work ---- */

Helpfulness scree_helpfulness = HELP_WHEN_DONE;

/* Those that nobody has begun follow each other: the first in the lower half of the number, the end in the upper. Their
 * owner takes the first, who helps takes the last. */
static uint64_t tiles_between(size_t first, size_t end) { return (uint64_t)end << 32 | (uint64_t)first; }
static uint32_t first_of(uint64_t open) { return (uint32_t)open; }
static uint32_t end_of(uint64_t open) { return (uint32_t)(open >> 32); }
static uint32_t number_of(uint64_t open) { return end_of(open) - first_of(open); }

static void open_pieces(Worker *worker, size_t first, size_t end) {
  atomic_store(&worker->open, tiles_between(first, end));
}
void scree_open_tiles(Worker *worker, size_t end) { open_pieces(worker, worker->tile, end); }

static bool take(Worker *worker, bool last, size_t *tile) {
  uint64_t open = atomic_load_explicit(&worker->open, memory_order_relaxed);
  while (number_of(open) > 0)
    if (atomic_compare_exchange_weak(&worker->open, &open, last ? open - tiles_between(0, 1) : open + 1)) {
      *tile = last ? end_of(open) - 1 : first_of(open);
      return true;
    }
  return false;
}

bool scree_take_tile(Worker *worker, size_t *tile) { return take(worker, false, tile); }

/* Who has most left, and more than some. */
static Worker *busiest_beside(const ScreeWorld *w, int number, uint32_t few) {
  Worker *busiest = NULL;
  uint32_t most = scree_helpfulness == HELP_FIRST && few < HELPS_NOBODY ? 0 : few;
  for (int n = 0; n < w->def.threads; n++) {
    uint32_t left = number_of(atomic_load_explicit(&w->worker[n]->open, memory_order_relaxed));
    if (n == number || left <= most) continue;
    busiest = w->worker[n], most = left;
  }
  return busiest;
}

bool scree_others_need_help(const ScreeWorld *w, int number, uint32_t few) {
  return busiest_beside(w, number, few) != NULL;
}

const Worker *scree_take_others(const ScreeWorld *w, int number, uint32_t few, size_t *tile) {
  for (;;) {
    Worker *busiest = busiest_beside(w, number, few);
    if (!busiest || take(busiest, true, tile)) return busiest;
  }
}

static void do_others(const ScreeWorld *w, int number, uint32_t few, PieceJob *job, void *context) {
  const Worker *owner;
  size_t piece;
  while ((owner = scree_take_others(w, number, few, &piece)) != NULL) job(context, number, owner, piece);
}

void scree_do_pieces(const ScreeWorld *w, int number, size_t first, size_t end, uint32_t few, PieceJob *job,
                     void *context) {
  Worker *worker = w->worker[number];
  size_t piece;
  open_pieces(worker, first, end);
  if (scree_helpfulness == HELP_FIRST) do_others(w, number, few, job, context);
  while (scree_take_tile(worker, &piece)) job(context, number, worker, piece);
  if (scree_helpfulness == HELP_WHEN_DONE) do_others(w, number, few, job, context);
}
