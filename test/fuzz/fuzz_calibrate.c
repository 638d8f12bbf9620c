/* A calibration fails with a sentence, or its value delivers the restitution that was asked for. */
#include "bytes.h"

static ScreeImpactDef take_definition(Bytes *b) {
  ScreeImpactDef def = scree_impact_def_default(take_law(b));
  ScreePairDef *pair = &def.pair;
  def.separation = (ScreeSeparation)(take_byte(b) % 3);
  def.max_evaluations = 20000;
  pair->restitution = take_fraction(b, NAN);
  pair->speed = take_number(b, NAN, 1e-6, 1e3);
  pair->mass = take_number(b, NAN, 1e-9, 1e5);
  pair->stiffness = take_number(b, NAN, 1, 1e13);
  uint8_t details = take_byte(b);
  if (details & 1) pair->exponent = take_number(b, NAN, 1, 10);
  if (details & 2) take_parameters(b, def.law, pair);
  const ScreeLawInfo *info = scree_law_info(def.law);
  if (info && info->group == SCREE_LINE) { /* the review's joint around the case */
    ScreePairDef joint = scree_pair_def_joint();
    pair->geometry = joint.geometry;
    memcpy(pair->radius, joint.radius, sizeof pair->radius);
    memcpy(pair->material, joint.material, sizeof pair->material);
    pair->length = joint.length;
  }
  return def;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bytes bytes = {data, size};
  ScreeImpactDef def = take_definition(&bytes);
  ScreeCalibration found;
  ScreeStatus status = scree_impact_calibrate(&def, &found);
  EXPLAINED(status, &def);
  if (status != SCREE_OK) return 0;

  PROMISE(isfinite(found.restitution), &def, "achieved %g", found.restitution);
  PROMISE(fabs(found.restitution - def.pair.restitution) < 1e-6, &def, "%s = %.17g gives e = %.17g, wanted %.17g",
          found.name, found.value, found.restitution, def.pair.restitution);
  PROMISE(found.parameter == SCREE_PARAM_COUNT || isfinite(found.value), &def, "%s = %g", found.name, found.value);
  PROMISE(found.name && found.unit, &def, "a parameter without name or unit");
  PROMISE(isnan(found.input_restitution) || (found.input_restitution >= 0 && found.input_restitution <= 1), &def,
          "input restitution %g", found.input_restitution);
  return 0;
}
