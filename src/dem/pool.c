/* pool.c: threads that wait for work. One job at a time: every thread runs it with its own number, and scree_pool_run
 * returns when all have. Workers look for work a while before they sleep: a step has three jobs of some ten
 * microseconds. */
#include "pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/status.h"

enum { PATIENCE = 4000 };

struct Pool {
  int threads;
  pthread_t *worker;
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  atomic_bool asleep; /* who waits for the others */
  atomic_uint round;  /* counts the jobs */
  atomic_int busy;    /* workers still at the present one */
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

/* Waits until another job than `seen` has begun; false when the pool closes. */
static bool next_round(Pool *p, unsigned *seen) {
  for (int i = 0; i < PATIENCE; i++) {
    if (atomic_load_explicit(&p->round, memory_order_acquire) != *seen) break;
    relax();
  }
  if (atomic_load_explicit(&p->round, memory_order_acquire) == *seen) {
    pthread_mutex_lock(&p->lock);
    while (atomic_load_explicit(&p->round, memory_order_acquire) == *seen) pthread_cond_wait(&p->wake, &p->lock);
    pthread_mutex_unlock(&p->lock);
  }
  *seen = atomic_load_explicit(&p->round, memory_order_acquire);
  return !atomic_load_explicit(&p->closing, memory_order_acquire);
}

static void *work(void *context) {
  Pool *p = context;
  int number = atomic_fetch_add(&p->next_number, 1);
  unsigned seen = 0;
  while (next_round(p, &seen)) {
    p->job(p->context, number, p->threads);
    if (atomic_fetch_sub(&p->busy, 1) == 1 && atomic_load(&p->asleep)) {
      pthread_mutex_lock(&p->lock); /* the sleeper holds it from its look at busy until it sleeps */
      pthread_cond_signal(&p->done);
      pthread_mutex_unlock(&p->lock);
    }
  }
  return NULL;
}

static void announce(Pool *p) {
  pthread_mutex_lock(&p->lock);
  atomic_fetch_add_explicit(&p->round, 1, memory_order_release);
  pthread_cond_broadcast(&p->wake);
  pthread_mutex_unlock(&p->lock);
}

ScreeStatus scree_pool_create(int threads, Pool **pool) {
  Pool *p = calloc(1, sizeof *p);
  if (p) p->worker = calloc((size_t)threads, sizeof *p->worker);
  if (!p || !p->worker) {
    free(p);
    return scree_fail(SCREE_NO_MEMORY, "no memory for %d threads", threads);
  }
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, NULL);
  pthread_cond_init(&p->done, NULL);
  atomic_store(&p->next_number, 1);
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
  free(p->worker);
  free(p);
}

/* Looks for a while, then sleeps: the others may need this core. */
static void await_others(Pool *p) {
  for (int i = 0; i < PATIENCE; i++) {
    if (atomic_load_explicit(&p->busy, memory_order_acquire) == 0) return;
    relax();
  }
  pthread_mutex_lock(&p->lock);
  atomic_store(&p->asleep, true);
  while (atomic_load(&p->busy) > 0) pthread_cond_wait(&p->done, &p->lock);
  atomic_store(&p->asleep, false);
  pthread_mutex_unlock(&p->lock);
}

void scree_pool_run(Pool *p, PoolJob *job, void *context) {
  if (p->threads > 1) {
    p->job = job;
    p->context = context;
    atomic_store_explicit(&p->busy, p->threads - 1, memory_order_relaxed);
    announce(p);
  }
  job(context, 0, p->threads);
  if (p->threads > 1) await_others(p);
}
