/* impact.c: the laboratory's front: checks, optional calibration, the run. */
#include <math.h>

#include "collision.h"
#include "core/status.h"

ScreeImpactDef scree_impact_def_default(ScreeLawId law) {
  return (ScreeImpactDef){.law = law,
                          .pair = scree_pair_def_default(),
                          .separation = SCREE_AT_OVERLAP,
                          .tolerance = 1e-13,
                          .max_evaluations = 20000000};
}

static ScreeStatus check(const ScreeImpactDef *def) {
  const ScreeLawInfo *info = scree_law_info(def->law);
  if (!info) return scree_fail(SCREE_UNKNOWN, "no such law");
  if (info->group == SCREE_TANGENTIAL)
    return scree_fail(SCREE_UNSUPPORTED, "%s is a tangential law: it needs a normal law beside it", info->name);
  if ((unsigned)def->separation > SCREE_CLAMPED)
    return scree_fail(SCREE_UNKNOWN, "no such separation (%d)", (int)def->separation);
  if (isnan(def->pair.speed)) return scree_fail(SCREE_MISSING, "the impact speed is missing");
  if (isnan(scree_pair_def_mass(&def->pair))) return scree_fail(SCREE_MISSING, "the effective mass is missing");
  if (!(def->tolerance >= 1e-15 && def->tolerance <= 1e-2))
    return scree_fail(SCREE_INVALID, "the tolerance must be in 1e-15 ... 1e-2 (got %.10g)", def->tolerance);
  return SCREE_OK;
}

/* A law without restitution of its own is calibrated to a requested one, unless its strength was given. */
static bool wants_calibration(const ScreeImpactDef *def, const ScreeLawInfo *info) {
  if (isnan(def->pair.restitution)) return false;
  if (def->calibrated) return true;
  if (!(info->flags & SCREE_EMPIRICAL)) return false;
  if (info->param_count > 0 &&
      !isnan(info->params[0].preset)) { /* the strength has a preset: look at all names for it */
    for (int i = 0; i < info->param_count; i++)
      if (!isnan(def->pair.param[info->params[i].id])) return false;
    return true;
  }
  ScreePair pair;
  ScreePairDef plain = def->pair;
  plain.restitution = NAN;
  return scree_pair_prepare(def->law, &plain, &pair) == SCREE_MISSING;
}

ScreeStatus scree_impact_prepare(const ScreeImpactDef *def, ScreeImpactDef *ready, ScreeImpactResult *result) {
  SCREE_NEED(def);
  SCREE_NEED(result);
  *ready = *def;
  ready->pair.mass = scree_pair_def_mass(&def->pair);
  *result = (ScreeImpactResult){
      .requested_restitution = def->pair.restitution, .parameter = SCREE_PARAM_COUNT, .parameter_value = NAN};
  SCREE_TRY(check(def));
  const ScreeLawInfo *info = scree_law_info(def->law);
  if (wants_calibration(def, info)) {
    ScreeCalibration found;
    SCREE_TRY(scree_impact_calibrate(ready, &found));
    ready->calibrated = false;
    result->calibrated = true;
    result->parameter = found.parameter;
    result->parameter_value = found.value;
    if (found.parameter < SCREE_PARAM_COUNT) ready->pair.param[found.parameter] = found.value;
  }
  return scree_pair_prepare(ready->law, &ready->pair, &result->pair);
}

ScreeStatus scree_impact_run(const ScreeImpactDef *def, ScreeImpactResult *result) {
  SCREE_NEED(result);
  ScreeImpactDef ready;
  ScreeMotion motion;
  SCREE_TRY(scree_impact_prepare(def, &ready, result));
  return scree_collide(&ready, &result->pair, NULL, NULL, &motion, result);
}
