/* cases.h: a case for every law of the catalogue, so that tests loop over laws and a new law is tested without touching
 * them; and a small deterministic generator for property tests. */
#ifndef TEST_CASES_H
#define TEST_CASES_H

#include <criterion/criterion.h>
#include <math.h>
#include <scree/scree.h>
#include <stdint.h>

#define FOR_EACH_LAW(info)                                                                                             \
  for (int law_ = 0; law_ < SCREE_LAW_COUNT; law_++)                                                                   \
    for (const ScreeLawInfo *info = scree_law_info((ScreeLawId)law_); info; info = NULL)

#define FOR_EACH_NORMAL_LAW(info)                                                                                      \
  FOR_EACH_LAW(info)                                                                                                   \
  if (info->group != SCREE_TANGENTIAL)

/* The review's case, or its journal bearing for line laws, at a requested restitution; laws that know none run as are.
 */
static inline ScreeImpactDef sample_case(const ScreeLawInfo *info, double restitution) {
  ScreeImpactDef def = scree_impact_def_default(info->law);
  def.pair = info->group == SCREE_LINE ? scree_pair_def_joint() : scree_pair_def_review();
  if (info->domain != SCREE_E_NONE) def.pair.restitution = restitution;
  return def;
}

/* The same with the damping strength of a calibrated law fixed, so that other speeds keep it. */
static inline ScreeStatus freeze_strength(ScreeImpactDef *def) {
  ScreeImpactResult r;
  ScreeStatus status = scree_impact_run(def, &r);
  if (status == SCREE_OK && r.calibrated) {
    def->pair.param[r.parameter] = r.parameter_value;
    /* presets that follow the case (delay, relaxation rate) stay what they were */
    if (def->law == SCREE_LAW_jian) def->pair.param[SCREE_PARAM_T] = r.pair.resolved[SCREE_PARAM_T];
    if (def->law == SCREE_LAW_xiong) def->pair.param[SCREE_PARAM_gamma] = r.pair.resolved[SCREE_PARAM_gamma];
    def->pair.restitution = NAN;
  }
  return status;
}

static inline double relative(double value, double expected) {
  if (value == expected || (isnan(value) && isnan(expected))) return 0.0;
  return fabs(value - expected) / fmax(fabs(expected), 1e-300);
}

/* SplitMix64: uniform in [low, high), or log-uniform. */
static inline double uniform(uint64_t *state, double low, double high) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}
static inline double log_uniform(uint64_t *state, double low, double high) {
  return exp(uniform(state, log(low), log(high)));
}

#endif
