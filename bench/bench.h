/* bench.h: what the benchmarks share: options, the clock, the way they print. */
#ifndef SCREE_BENCH_H
#define SCREE_BENCH_H

#include <stdbool.h>

#include "scree/scree.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_MISUSE = 2 };

typedef struct BenchOptions {
  bool json;
  double seconds;             /* measuring time per law */
  bool only[SCREE_LAW_COUNT]; /* laws asked for; all when `some` is false */
  bool some;
} BenchOptions;

int bench_impact(const BenchOptions *options);
int bench_laws(const BenchOptions *options);
int bench_drum(const BenchOptions *options);

/* Processor time of this thread [s]: others on the machine do not count. */
double bench_clock(void);

/* "scree-bench: SENTENCE" to stderr; returns status. */
int bench_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Every failing library call is a mistake of the benchmark: says so with the library's sentence and ends. */
void bench_check(ScreeStatus status, const char *doing);

#endif
