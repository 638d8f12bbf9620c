/* oracle.h: what the suites share. Private to src/verify. */
#ifndef SCREE_ORACLE_H
#define SCREE_ORACLE_H

#include <math.h>
#include <stdint.h>

#include "verify.h"

typedef struct Oracle {
  const char *name, *shows;
  double limit;
  void (*run)(ScreeCheck *check, const ScreeLawInfo *info); /* info NULL for oracles that are not about one law */
  bool (*applies)(const ScreeLawInfo *info);                /* NULL: once, not per law */
} Oracle;

/* A suite: its oracles, or a function of its own that emits checks. */
typedef struct Suite {
  const char *name;
  const Oracle *oracles;
  int count;
  void (*emit)(ScreeCheckSink *sink, void *context);
  bool apart; /* it takes long: only when named */
} Suite;

extern const Suite scree_suite_laws, scree_suite_line, scree_suite_exact, scree_suite_oblique, scree_suite_batch,
    scree_suite_reference, scree_suite_dem_contact, scree_suite_dem_bulk, scree_suite_machines;

/* Counts a case; the largest residual is kept with its description. NaN is the worst of all. */
void scree_tally(ScreeCheck *check, double residual, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Counts a case that could not be computed: the last error's sentence. */
void scree_tally_failure(ScreeCheck *check, const char *what);

/* The review's case, or its journal bearing for line laws, at a requested restitution; laws that know none run as are.
 */
ScreeImpactDef scree_sample_case(const ScreeLawInfo *info, double restitution);
/* Fixes the damping strength of a law that calibrated itself, so that other speeds keep it. */
ScreeStatus scree_freeze_strength(ScreeImpactDef *def);
/* Runs; a restitution the law cannot reach is no failure: false without a tally. */
bool scree_run_case(ScreeCheck *check, const ScreeImpactDef *def, ScreeImpactResult *result);

/* Another integrator: extrapolated midpoint steps in the plain variables d, v. Overlap, times, restitution only. */
ScreeStatus scree_judge(const ScreeImpactDef *def, const ScreePair *pair, ScreeImpactResult *result);

static inline double scree_relative(double value, double expected) {
  if (value == expected || (isnan(value) && isnan(expected))) return 0.0;
  return fabs(value - expected) / fmax(fabs(expected), 1e-300);
}

static inline bool scree_is_normal(const ScreeLawInfo *info) { return info->group != SCREE_TANGENTIAL; }
static inline bool scree_is_line(const ScreeLawInfo *info) { return info->group == SCREE_LINE; }

/* SplitMix64: uniform in [low, high), or log-uniform. */
double scree_uniform(uint64_t *state, double low, double high);
double scree_log_uniform(uint64_t *state, double low, double high);

#endif
