/* oblique.h: the oblique part of `scree impact`: its options, its definition from a case, its output. */
#ifndef SCREE_CLI_OBLIQUE_H
#define SCREE_CLI_OBLIQUE_H

#include "case.h"

/* Not given: NaN, NULL. */
typedef struct ObliqueOptions {
  double angle; /* rad */
  double tangential_speed, spin[2], friction;
  const char *tangential;
  bool sqrt_regularised; /* coulomb: vt/sqrt(vt^2 + veps^2) instead of tanh */ /* the law's name */
} ObliqueOptions;

ObliqueOptions oblique_options_default(void);
extern const struct argp oblique_argp; /* its input is an ObliqueOptions */

/* The friction law, SCREE_LAW_NONE when the impact is straight. */
ScreeStatus oblique_law(const ObliqueOptions *options, ScreeLawId *law);
/* The collision's definition; --angle splits the speed, so resolved's normal speed changes with it. */
ScreeStatus oblique_def(const ObliqueOptions *options, ScreeLawId law, CaseResolved *resolved, ScreeObliqueDef *out);

json_t *oblique_json(const ScreeObliqueDef *def, const ScreeObliqueResult *result);
void oblique_print(const ScreeObliqueDef *def, const ScreeObliqueResult *result);

#endif
