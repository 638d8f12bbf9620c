/* pool.c: threads that wait for work. One job at a time, in as many shares as there are threads; scree_pool_run returns
 * when all are done. Every thread takes its own share, and the caller takes what nobody has begun when its own is done:
 * a thread that sleeps, or whose core another program has, keeps nobody waiting. Helpers look for work a while before
 * they sleep: a step has three jobs of some ten microseconds. */
#include "pool.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/status.h"

enum { PATIENCE = 4000 };

/* The last round in which a share was begun; each on a line of its own. */
typedef struct Share {
  _Alignas(64) atomic_uint begun;
} Share;

struct Pool {
  int threads;
  atomic_int active; /* threads that help, the caller among them */
  pthread_t *worker;
  Share *share;
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  atomic_int sleepers; /* helpers that wait to be woken */
  atomic_bool asleep;  /* who waits for the others */
  atomic_uint round;   /* counts the jobs */
  atomic_int left;     /* shares of the present one that are not done */
  atomic_bool closing;
  PoolJob *job;
  void *context;
  atomic_int next_number;
};

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/* Waits until another job than `seen` has begun; false when the pool closes. A helper that goes to sleep says so before
 * it looks for the last time; who announces a job looks for sleepers after it is there. */
static bool next_round(Pool *p, int number, unsigned *seen) {
  int patience = number < atomic_load_explicit(&p->active, memory_order_relaxed) ? PATIENCE : 0;
  for (int i = 0; i < patience; i++) {
    if (atomic_load_explicit(&p->round, memory_order_acquire) != *seen) break;
    relax();
  }
  if (atomic_load_explicit(&p->round, memory_order_acquire) == *seen) {
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->sleepers, 1);
    while (atomic_load(&p->round) == *seen) pthread_cond_wait(&p->wake, &p->lock);
    atomic_fetch_sub(&p->sleepers, 1);
    pthread_mutex_unlock(&p->lock);
  }
  *seen = atomic_load_explicit(&p->round, memory_order_acquire);
  return !atomic_load_explicit(&p->closing, memory_order_acquire);
}

/* Does a share of this round unless somebody has begun it. The job stays as it is until all of its shares are done. */
static void take(Pool *p, int number, unsigned round) {
  atomic_uint *begun = &p->share[number].begun;
  unsigned before = atomic_load_explicit(begun, memory_order_relaxed);
  bool open = round - before - 1 < UINT_MAX / 2; /* begun in an earlier round, not in this or, by now, the next */
  if (!open || !atomic_compare_exchange_strong(begun, &before, round)) return;
  p->job(p->context, number, p->threads);
  if (atomic_fetch_sub(&p->left, 1) == 1 && atomic_load(&p->asleep)) {
    pthread_mutex_lock(&p->lock); /* the sleeper holds it from its look at what is left until it sleeps */
    pthread_cond_signal(&p->done);
    pthread_mutex_unlock(&p->lock);
  }
}

static void *work(void *context) {
  Pool *p = context;
  int number = atomic_fetch_add(&p->next_number, 1);
  unsigned seen = 0;
  while (next_round(p, number, &seen)) {
    int active = atomic_load_explicit(&p->active, memory_order_relaxed);
    for (int i = number; number < active && i < p->threads; i += active) take(p, i, seen);
  }
  return NULL;
}

static void announce(Pool *p) {
  atomic_fetch_add(&p->round, 1);
  if (atomic_load(&p->sleepers) == 0) return;
  pthread_mutex_lock(&p->lock);
  pthread_cond_broadcast(&p->wake);
  pthread_mutex_unlock(&p->lock);
}

ScreeStatus scree_pool_create(int threads, Pool **pool) {
  Pool *p = calloc(1, sizeof *p);
  if (p) p->worker = calloc((size_t)threads, sizeof *p->worker);
  if (p) p->share = aligned_alloc(_Alignof(Share), (size_t)threads * sizeof *p->share);
  if (!p || !p->worker || !p->share) {
    if (p) free(p->worker), free(p->share);
    free(p);
    return scree_fail(SCREE_NO_MEMORY, "no memory for %d threads", threads);
  }
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, NULL);
  pthread_cond_init(&p->done, NULL);
  for (int i = 0; i < threads; i++) atomic_init(&p->share[i].begun, 0);
  atomic_store(&p->next_number, 1);
  atomic_store(&p->active, threads);
  p->threads = 1;
  for (int i = 1; i < threads; i++, p->threads++)
    if (pthread_create(&p->worker[i], NULL, work, p) != 0) {
      scree_pool_destroy(p);
      return scree_fail(SCREE_NO_MEMORY, "no more than %d threads could be started", i);
    }
  *pool = p;
  return SCREE_OK;
}

void scree_pool_destroy(Pool *p) {
  if (!p) return;
  atomic_store_explicit(&p->closing, true, memory_order_release);
  announce(p);
  for (int i = 1; i < p->threads; i++) pthread_join(p->worker[i], NULL);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->wake);
  pthread_cond_destroy(&p->done);
  free(p->worker), free(p->share);
  free(p);
}

void scree_pool_use(Pool *p, int active) {
  atomic_store(&p->active, active < 1 ? 1 : active > p->threads ? p->threads : active);
}

int scree_pool_active(const Pool *p) { return atomic_load_explicit(&p->active, memory_order_relaxed); }

/* Looks for a while, then sleeps: the others may need this core. */
static void await_others(Pool *p) {
  for (int i = 0; i < PATIENCE; i++) {
    if (atomic_load_explicit(&p->left, memory_order_acquire) == 0) return;
    relax();
  }
  pthread_mutex_lock(&p->lock);
  atomic_store(&p->asleep, true);
  while (atomic_load(&p->left) > 0) pthread_cond_wait(&p->done, &p->lock);
  atomic_store(&p->asleep, false);
  pthread_mutex_unlock(&p->lock);
}

void scree_pool_run(Pool *p, PoolJob *job, void *context) {
  int active = atomic_load_explicit(&p->active, memory_order_relaxed);
  if (active == 1) {
    for (int i = 0; i < p->threads; i++) job(context, i, p->threads);
    return;
  }
  p->job = job;
  p->context = context;
  atomic_store_explicit(&p->left, p->threads, memory_order_relaxed);
  announce(p);
  unsigned round = atomic_load_explicit(&p->round, memory_order_relaxed);
  for (int i = 0; i < p->threads; i += active) take(p, i, round);
  for (int i = 1; i < p->threads; i++) take(p, i, round);
  await_others(p);
}
