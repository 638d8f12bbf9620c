/* result.h: how one collision's result is shown, by every verb that has one. */
#ifndef SCREE_CLI_RESULT_H
#define SCREE_CLI_RESULT_H

#include "cli.h"

#include <jansson.h>
#include <math.h>

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

/* A damping parameter that calibration found, and the impact speed [m/s] it was found at. */
typedef struct Strength {
  ScreeParamId parameter; /* SCREE_PARAM_COUNT: none was */
  double value, speed;
} Strength;
#define NO_STRENGTH ((Strength){SCREE_PARAM_COUNT, NAN, NAN})
/* That of a collision with this speed. */
Strength result_strength(const ScreeImpactResult *result, double speed);
/* Gives a collision this strength in place of a restitution to calibrate to; none leaves it as it is. */
void strength_hold(const Strength *strength, ScreeImpactDef *def);
/* { parameter, unit, value } */
json_t *strength_json(const Strength *strength, ScreeLawId law);

const char *outcome_name(ScreeOutcome outcome);

#endif
