/* result.c: see result.h. */
#include "result.h"

#include "io/digits.h"
#include "output.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define FIELD(member, label, unit)                                                                                     \
  { #member, label, unit, offsetof(ScreeImpactResult, member) }

const ResultField result_fields[] = {
    FIELD(requested_restitution, "requested restitution", ""),
    FIELD(restitution, "restitution", ""),
    FIELD(max_overlap, "maximum overlap", "m"),
    FIELD(max_force, "maximum force", "N"),
    FIELD(duration, "duration", "s"),
    FIELD(loading_time, "loading time", "s"),
    FIELD(exit_overlap, "overlap at exit", "m"),
    FIELD(energy_initial, "initial energy", "J"),
    FIELD(energy_dissipated_loading, "dissipated loading", "J"),
    FIELD(energy_dissipated_unloading, "dissipated unloading", "J"),
    FIELD(energy_residual, "energy residual", "J"),
    {NULL, NULL, NULL, 0},
};

const ResultField result_more_fields[] = {
    FIELD(exit_speed, "exit speed", "m/s"),
    FIELD(max_force_time, "time of maximum force", "s"),
    FIELD(energy_stored_exit, "elastic energy left at exit", "J"),
    FIELD(switch_overlap, "overlap where the law changed branch", "m"),
    FIELD(switch_speed, "speed where the law changed branch", "m/s"),
    {NULL, NULL, NULL, 0},
};

double result_value(const ResultField *field, const ScreeImpactResult *result) {
  double value;
  memcpy(&value, (const char *)result + field->offset, sizeof value);
  return value;
}

void result_put_fields(json_t *object, const ResultField *fields, const ScreeImpactResult *result) {
  for (const ResultField *field = fields; field->key; field++)
    json_put(object, field->key, result_value(field, result));
}

json_t *result_parameters(const ScreePair *pair) {
  json_t *object = json_object();
  for (int i = 0; i < SCREE_PARAM_COUNT; i++)
    json_put_known(object, scree_param_name((ScreeParamId)i), pair->resolved[i]);
  return object;
}

const char *parameter_unit(ScreeLawId law, ScreeParamId parameter) {
  const ScreeParamInfo *info = scree_law_param(law, scree_param_name(parameter));
  return !info || strcmp(info->unit, "1") == 0 ? "" : info->unit;
}

ParameterText parameter_text(ScreeLawId law, ScreeParamId parameter, double value, int digits) {
  ParameterText t;
  snprintf(t.text, sizeof t.text, "%s = %s", scree_param_name(parameter),
           scree_quantity(value, parameter_unit(law, parameter), digits).text);
  return t;
}

bool result_calibrated(const ScreeImpactResult *result) {
  return result->calibrated && result->parameter < SCREE_PARAM_COUNT;
}

Strength result_strength(const ScreeImpactResult *result, double speed) {
  if (!result_calibrated(result)) return NO_STRENGTH;
  return (Strength){result->parameter, result->parameter_value, speed};
}

void strength_hold(const Strength *strength, ScreeImpactDef *def) {
  if (strength->parameter == SCREE_PARAM_COUNT) return;
  def->calibrated = false;
  def->pair.restitution = NAN;
  def->pair.param[strength->parameter] = strength->value;
}

json_t *strength_json(const Strength *strength, ScreeLawId law) {
  json_t *object = json_object();
  json_object_set_new(object, "parameter", json_string(scree_param_name(strength->parameter)));
  json_object_set_new(object, "unit", json_string(parameter_unit(law, strength->parameter)));
  json_put(object, "value", strength->value);
  return object;
}

const char *outcome_name(ScreeOutcome outcome) { return outcome == SCREE_STALLED ? "stalled" : "separated"; }
