/* bench_parts.h: what the benchmarks of the engine share: the clock, their options, best and median, and the bed that
 * some of them run. */
#ifndef SCREE_CLI_BENCH_PARTS_H
#define SCREE_CLI_BENCH_PARTS_H

#include "cli.h"

/* s: of the processor on one thread, which other programs disturb less; of the clock on more. */
double bench_clock(int threads);

/* Values of options, for argp parsers; others than allowed are refused. Seconds: more than none, up to `most`. */
long bench_count(const char *option, const char *argument, double low, double high, const struct argp_state *state);
double bench_seconds(const char *option, const char *argument, double most, const struct argp_state *state);

typedef struct Spread {
  double least, median, most; /* NaN: of nothing */
} Spread;
/* Sorts the values. */
Spread bench_spread(double *value, size_t count);

/* ---- the bed ---------------------------------------------------------------------------------------------------- */

#define BED_YOUNG 1e7 /* Pa */
enum { BED_SIDE = 9, BED_LAYERS = 21, BED_GRAINS = BED_SIDE * BED_SIDE * BED_LAYERS };

/* Grains of 1 mm that have come to rest on a floor, pressed to six contacts each, periodic sideways: repeated, they are
 * a bed of any size at the same state. */
typedef struct BedDef {
  ScreeWorldDef world; /* its box is the bed's */
  ScreeContactDef contact;
  int copies[2]; /* along x and y */
} BedDef;

/* Hertz-Mindlin grains with the engine's own time step, one copy. */
BedDef bed_def_default(void);
ScreeStatus bed_settle(int threads, ScreeGrain tile[BED_GRAINS]);
/* A world that is started; for the caller to destroy, after a failure too. */
ScreeStatus bed_build(const BedDef *def, const ScreeGrain tile[BED_GRAINS], ScreeWorld **world);

#endif
