/* catalogue.h: a law's operations, as the library's own layers call them. */
#ifndef SCREE_CATALOGUE_H
#define SCREE_CATALOGUE_H

#include "scree/models.h"

typedef struct ScreeLawOps {
  ScreeStatus (*prepare)(const ScreePairDef *def, ScreePair *pair);
  ScreeLaw (*touch)(const ScreePair *pair, double v0);
  double (*force)(const ScreeLaw *l, double d, double v, double *memory);
  double (*damping)(const ScreeLaw *l, double d, double v, const double *memory);
  double (*stored)(const ScreeLaw *l, double d, const double *memory);
  double (*lost)(const ScreeLaw *l, const double *memory);
  double (*rest)(const ScreeLaw *l, const double *memory);
  double (*branch)(const ScreeLaw *l, double d, double v, const double *memory);
  double (*rate)(const ScreeLaw *l, double d, double v, const double *memory);
} ScreeLawOps;

/* law must be a normal law (not tangential); prepare is NULL otherwise. */
const ScreeLawOps *scree_law_ops(ScreeLawId law);

#endif
