/* sweep.h: the pass over all grains between two evaluations of the contacts (motion.c), compiled once per instruction
 * set. A grain's record and turn are one row of eight numbers each:
 *
 *   record   x  y  z  r   vx vy vz m
 *   turn     ux uy uz wx  wy wz id material|anchor
 *   load     fx fy fz tx  ty tz */
#ifndef SCREE_SWEEP_H
#define SCREE_SWEEP_H

#include "core/isa.h"
#include "engine.h"

/* What a sweep needs, and what it finds, as rows like those. */
typedef struct Sweep {
  _Alignas(64) double low[8],
      high[8];           /* m, of periodic axes: who is beyond comes in on the other side; else infinite */
  double limit[8];       /* (m/s)^2, (rad/s)^2: below these no grain runs away */
  double gradient[3][8]; /* 1/s, columns of B (bulk.c) */
  /* m/s, of each pace (all are of the first where there is but one): extremes of u, and of u - B x where there is a
   * gradient */
  double least[PACES][8], most[PACES][8], least_rest[PACES][8], most_rest[PACES][8];
  bool sheared, paced;
  const double (*kick)[8];     /* m/s, half a step of the field, per material */
  __extension__ __int128 work; /* of fixed grains, in energy units */
  int64_t gained;              /* potential of grains that crossed a periodic boundary, in jump units */
  bool doubtful;               /* a grain was beyond the limit: each must be looked at */
  bool away;                   /* one moves more than its radius, or turns a radian, in a step: */
  Record away_record;          /* of such grains that of the smallest id */
  Turn away_turn;
} Sweep;

/* Of the grains first ... last - 1. Correct: velocities become those of the end of the step; drift: then positions go
 * to the end of the next, and loads are cleared. */
typedef void SweepKernel(ScreeWorld *w, Sweep *s, size_t first, size_t last);
typedef struct SweepKernels {
  SweepKernel *drift, *correct, *turnover;
} SweepKernels;

#define SCREE_DEM_SWEEP(isa, name) extern const SweepKernels scree_dem_sweep_##isa;
SCREE_ISA_LIST(SCREE_DEM_SWEEP)
#undef SCREE_DEM_SWEEP

/* motion.c: what only few grains need. */
void scree_wrap(ScreeWorld *w, size_t grain, Sweep *s);
/* Half a step's work of what holds a fixed grain on its course, against the contacts, in energy units. */
int64_t scree_work_of_fixed(const ScreeWorld *w, size_t grain);

#endif
