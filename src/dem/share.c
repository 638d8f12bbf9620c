/* share.c: which grains each thread has. As many for each would be simple, but a thread whose grains lie at the bottom
 * of a bed, or beside a mesh, has more to do than one whose grains fly, and the others wait for it. So threads get
 * stretches of grains that cost as much: by what the pairs of the list before cost, tile by tile. Grains stay about
 * where they were in the order, and the shares settle after a list or two. What a pair costs is another number on
 * another processor, and a wall's is not to a grain's there what it was here: so some steps are timed, and the costs of
 * each thread's grains are corrected by what they took.
 *
 * Nor are cores equally fast: another program has one of them, or the other half of it; some processors have cores of
 * two kinds. So a thread that has done its tiles takes those that others have not begun (elsewhere.c). Nothing here
 * leaves a trace in the results: sums are integers, and do not know who did them. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <math.h>
#include <time.h>

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

static double grains_of(const ScreeWorld *w, size_t tile) {
  return (double)(w->tile[tile + 1].grains - w->tile[tile].grains);
}

/* Of a tile's contacts, as far as pairs tell. */
static double contact_cost(const ScreeWorld *w, size_t tile) {
  double cost = PER_GRAIN * grains_of(w, tile);
  for (size_t r = w->tile[tile].runs; r < w->tile[tile + 1].runs; r++) cost += run_cost(&w->run[r]);
  return cost;
}

static double tile_cost(const ScreeWorld *w, const Worker *owner, size_t tile) {
  return owner->dearer * contact_cost(w, tile) + (w->layered ? PER_SWEPT : 0) * grains_of(w, tile);
}

double scree_share_cost(const ScreeWorld *w, int thread) {
  const Worker *worker = w->worker[thread];
  double cost = 0.0;
  for (size_t t = worker->tile; t < worker->tile_end; t++) cost += tile_cost(w, worker, t);
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
  int threads = w->def.threads, next = 1, owner = 0;
  double total = 0.0, sum = 0.0, before = w->tiles > 0 ? (double)w->tile[w->tiles].grains : 0.0;
  for (int n = 0; n <= threads; n++) first[n] = scree_pool_begin(w->count, n, threads);
  if (before == 0.0) return;
  for (int n = 0; n < threads; n++) total += scree_share_cost(w, n);
  for (size_t t = 0; t < w->tiles; t++) {
    while (t >= w->worker[owner]->tile_end) owner++;
    double cost = tile_cost(w, w->worker[owner], t), begin = (double)w->tile[t].grains,
           end = (double)w->tile[t + 1].grains;
    for (; next < threads && sum + cost >= total * next / threads; next++) {
      double part = cost > 0.0 ? (total * next / threads - sum) / cost : 0.0;
      first[next] = (size_t)fmin((begin + part * (end - begin)) / before * (double)w->count, (double)w->count);
    }
    sum += cost;
  }
}

/* ---- what they took ---- */

enum { TIMED_EVERY = 7, TIMES = 4, REMEMBERED = 2 }; /* odd: passes of two steps come every other time */
bool scree_shares_timed = true;

/* Those whose tiles were not done in part by the pass before. */
bool scree_share_is_timed(const ScreeWorld *w) {
  long passes = w->passes[PASS_ALONE] + w->passes[PASS_ON] + w->passes[PASS_TWICE];
  return scree_shares_timed && w->def.threads > 1 && !w->ahead && passes % TIMED_EVERY == 0;
}

uint64_t scree_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

/* Of two times that follow each other the shorter one: another program seldom comes between both. */
void scree_share_timed(ScreeWorld *w, Worker *worker, size_t tile, uint64_t ticks) {
  Tile *t = &w->tile[tile];
  double now = (double)ticks, before = t->took;
  t->took = now;
  if (before == 0.0) return;
  worker->took += fmin(now, before);
  worker->reckoned += contact_cost(w, tile);
}

/* Cores are not equally fast from one list to the next, and that says nothing about the list to come: the mean of some
 * lists is believed, within bounds. What was timed too seldom waits for the next list's times. */
void scree_shares_learn(ScreeWorld *w) {
  static const double most = 1.25;
  double took = 0.0, reckoned = 0.0;
  for (int n = 0; n < w->def.threads; n++) {
    const Worker *worker = w->worker[n];
    if (worker->reckoned <= TIMES * scree_share_cost(w, n) / worker->dearer || worker->took == 0.0) return;
    took += worker->took, reckoned += worker->reckoned;
  }
  for (int n = 0; n < w->def.threads; n++) {
    Worker *worker = w->worker[n];
    double dearer = worker->took / worker->reckoned * (reckoned / took);
    if (worker->learnt < REMEMBERED) worker->learnt++;
    worker->dearer += (fmin(fmax(dearer, 1.0 / most), most) - worker->dearer) / worker->learnt;
    worker->took = worker->reckoned = 0.0;
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
