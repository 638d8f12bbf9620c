/* pool.h: threads for the stages of a step. */
#ifndef SCREE_POOL_H
#define SCREE_POOL_H

#include "scree/base.h"

typedef struct Pool Pool;
typedef void PoolJob(void *context, int number, int threads);

ScreeStatus scree_pool_create(int threads, Pool **pool);
void scree_pool_destroy(Pool *pool);
/* How many threads do the work from now on, the caller among them; the number of shares remains. */
void scree_pool_use(Pool *pool, int active);
int scree_pool_active(const Pool *pool);
/* Runs job(context, 0 ... threads - 1, threads), each on whatever thread, and waits for all of them. */
void scree_pool_run(Pool *pool, PoolJob *job, void *context);

/* The share of a range that falls to one thread. */
static inline size_t scree_pool_begin(size_t count, int number, int threads) {
  return count * (size_t)number / (size_t)threads;
}

#endif
