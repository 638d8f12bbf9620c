/* bench_cores.c: two threads hand a number to each other. What comes of it is what a thread waits for whatever another
 * has written: a tenth of a microsecond where cores share a cache, half of one between two sockets. The host of a
 * virtual machine may put its cores here or there, and elsewhere a moment later. */
#define _GNU_SOURCE
#include "bench_cores.h"

#include "progress.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { BATCHES = 80, TRIPS = 50, PATIENCE = 1000 };
#define LONGEST 0.2   /* s: where other programs have the cores, each trip may take milliseconds */
#define FARTHEST 1e-5 /* s: more is a thread that did not run, and no distance */

/* Each writes to a line of its own; neighbouring lines may come together. */
typedef struct Court {
  _Alignas(128) atomic_int there;
  _Alignas(128) atomic_int back;
} Court;

/* Two threads that share a core have to take turns. */
static void await(const atomic_int *number, int wanted) {
  for (int tries = 1; atomic_load_explicit(number, memory_order_acquire) < wanted; tries++)
    if (tries % PATIENCE == 0) sched_yield();
}

static void *answer(void *context) {
  Court *court = context;
  for (int i = 1; i <= BATCHES * TRIPS; i++) {
    await(&court->there, i);
    atomic_store_explicit(&court->back, i, memory_order_release);
  }
  return NULL;
}

/* The least of some batches: in the others one of the two did not run. */
double bench_round_trip(void) {
  Court court = {0, 0};
  pthread_t other;
  cpu_set_t mine;
  double least = INFINITY;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0 || CPU_COUNT(&mine) < 2) return NAN;
  if (pthread_create(&other, NULL, answer, &court) != 0) return NAN;
  double start = wall_clock();
  for (int batch = 0; batch < BATCHES && (batch == 0 || wall_clock() - start < LONGEST); batch++) {
    double begin = wall_clock();
    for (int i = 1; i <= TRIPS; i++) {
      int number = batch * TRIPS + i;
      atomic_store_explicit(&court.there, number, memory_order_release);
      await(&court.back, number);
    }
    least = fmin(least, (wall_clock() - begin) / TRIPS);
  }
  atomic_store_explicit(&court.there, BATCHES * TRIPS, memory_order_release); /* no more to wait for */
  pthread_join(other, NULL);
  return least < FARTHEST ? least : NAN;
}
