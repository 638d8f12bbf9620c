/* check_time.h: how long a run will take and what softer grains would give: the part of `scree check` that looks at
 * work. */
#ifndef SCREE_CLI_CHECK_TIME_H
#define SCREE_CLI_CHECK_TIME_H

#include "forecast.h"
#include "output.h"
#include "rehearse.h"

typedef struct RunTime {
  bool rehearsed;
  Rehearsal rehearsal;
  double low, high;    /* s of the whole run; NaN: unknown */
  double packed_bytes; /* of memory when all grains are there and lie close; NaN: not another state than that of now */
} RunTime;

/* `world` before its first step; `main` and `all`: the material with most grains, and all of them. */
RunTime run_time(const ScreeScene *scene, const ScreeWorld *world, const ScreeGrain *grain, int main, const Count *all);
void run_time_free(RunTime *t);

/* "run time    20 s to 50 s: ..." */
void print_run_time(const RunTime *t, const ScreeWorld *world, const char *fails);
void put_run_time(json_t *object, const RunTime *t);

/* Materials so much softer that the deepest impact is still shallow; factor 1: none would be of use. */
typedef struct Softer {
  double factor, faster;  /* of the moduli; of the time steps */
  double before, overlap; /* of the smaller radius, in the deepest impact: as the scene is, and softer */
} Softer;

Softer softer_grains(const ForecastCase *c, const ScreeWorld *world, const ScreeGrain *grain);
void print_softer(const ScreeScene *scene, const RunTime *t, const Softer *s);
void put_softer(json_t *object, const Softer *s);

#endif
