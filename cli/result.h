/* result.h: how one collision's result is shown, by every verb that has one. */
#ifndef SCREE_CLI_RESULT_H
#define SCREE_CLI_RESULT_H

#include "cli.h"

#include <jansson.h>

/* One number of ScreeImpactResult. */
typedef struct ResultField {
  const char *key, *label, *unit;
  size_t offset;
} ResultField;

/* The keys every result has, in their order; ends with a NULL key. Then those added since. */
extern const ResultField result_fields[];
extern const ResultField result_more_fields[];

double result_value(const ResultField *field, const ScreeImpactResult *result);

/* Adds the fields to an object. */
void result_put_fields(json_t *object, const ResultField *fields, const ScreeImpactResult *result);
/* { name: value } of every parameter the law used or reports. */
json_t *result_parameters(const ScreePair *pair);
/* The unit of a parameter in a law, "" for a pure number or an unknown one. */
const char *parameter_unit(ScreeLawId law, ScreeParamId parameter);
/* "chi = 5370.22 N s/m" */
typedef struct ParameterText {
  char text[120];
} ParameterText;
ParameterText parameter_text(ScreeLawId law, ScreeParamId parameter, double value, int digits);
/* Was a damping parameter found by calibration? */
bool result_calibrated(const ScreeImpactResult *result);

const char *outcome_name(ScreeOutcome outcome);

#endif
