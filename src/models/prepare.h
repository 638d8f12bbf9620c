/* prepare.h: helpers for the preparation of a pair: fetching parameters, resolving alternatives, common errors. */
#ifndef SCREE_PREPARE_H
#define SCREE_PREPARE_H

#include <math.h>

#include "core/special.h"
#include "core/status.h"
#include "scree/models.h"

typedef ScreeStatus ScreePrepare(const ScreePairDef *def, ScreePair *pair);
typedef double ScreeFactor(double restitution);

#define SCREE_NO_PRESET NAN
#define SCREE_P(name, unit, low, high, preset, meaning)                                                                \
  { SCREE_PARAM_##name, #name, unit, low, high, preset, meaning }
#define SCREE_P_END                                                                                                    \
  { SCREE_PARAM_COUNT, NULL, NULL, 0.0, 0.0, 0.0, NULL } /* ends a law's table */

static inline bool scree_given(double x) { return !isnan(x); }

/* One way to state a quantity: a parameter and the factor that turns it into the canonical one. */
typedef struct ScreeAlternative {
  ScreeParamId id;
  double scale;
} ScreeAlternative;

/* The quantity from whichever alternatives are given (they must agree to 1e-6), NaN when none is. Alternatives with a
 * scale that is not finite or not positive cannot be used (a mass is missing, say) and are skipped. */
ScreeStatus scree_pair_pick(const ScreePairDef *def, const ScreePair *pair, int count, const ScreeAlternative *list,
                            double *value);
/* Reports the quantity under all its names. */
void scree_pair_resolve(ScreePair *pair, int count, const ScreeAlternative *list, double value);
#define SCREE_PICK(def, pair, list, value) scree_pair_pick(def, pair, (int)(sizeof(list) / sizeof *(list)), list, value)
#define SCREE_RESOLVE(pair, list, value) scree_pair_resolve(pair, (int)(sizeof(list) / sizeof *(list)), list, value)

ScreeStatus scree_need_stiffness(const ScreePair *pair);
ScreeStatus scree_need_mass(const ScreePair *pair);
ScreeStatus scree_need_restitution(const ScreePairDef *def, const ScreePair *pair);
/* The value of a parameter that has to be there (given or preset). */
ScreeStatus scree_need_param(const ScreePairDef *def, ScreePair *pair, ScreeParamId id, double *value);
/* "needs chi (...)" for laws whose strength is empirical. */
ScreeStatus scree_no_strength(const ScreePair *pair);
/* A given parameter, else its preset, else NaN. */
double scree_param_or_preset(const ScreePairDef *def, const ScreePair *pair, ScreeParamId id);

/* True when def asks for that variant; NULL and "recommended" are the plain law. */
bool scree_variant_is(const ScreePairDef *def, const char *name);
/* An error when def asks for a variant that is not in the space-separated list. */
ScreeStatus scree_check_variant(const ScreePairDef *def, const ScreePair *pair, const char *known);

/* Duration of an undamped contact K d^n [s], MODELS.md 2. */
double scree_elastic_duration(double k, double n, double mass, double speed);
/* Root of X(1+e) = ln((1+X)/(1-X e)), MODELS.md 3.1. */
double scree_exact_factor(double restitution);
/* Damping ratio that gives e at d = 0 (MODELS.md 5.1) and at F = 0 (5.2). */
double scree_ratio_for_overlap_exit(double restitution);
double scree_ratio_for_force_exit(double restitution);
/* Damping ratio a of Jankowski's law that gives e (MODELS.md 4.3). */
double scree_ratio_for_jankowski(double restitution);
/* -ln e as a function of the damping ratio a: (a/sqrt(1-a^2)) acos a, continued over a = 1. Half the exponent of the
 * exit at F = 0, the whole of Jankowski's. */
double scree_exit_exponent(double ratio);

#endif
