/* unit_names.h: names of units, with prefixes and plurals, as scales and powers of the basic units. */
#ifndef SCREE_UNIT_NAMES_H
#define SCREE_UNIT_NAMES_H

#include "scree/base.h"

#include <stdbool.h>
#include <stddef.h>

enum {
  SCREE_METRE,
  SCREE_KILOGRAM,
  SCREE_SECOND,
  SCREE_AMPERE,
  SCREE_KELVIN,
  SCREE_MOLE,
  SCREE_CANDELA,
  SCREE_RADIAN,
  SCREE_BASIC_UNITS
};

/* A product of basic units to real powers, times a scale. */
typedef struct ScreeMeasure {
  double scale;
  double power[SCREE_BASIC_UNITS];
} ScreeMeasure;

/* SCREE_UNKNOWN for a name that is not there, SCREE_INVALID for one that has several meanings or a zero of its own. */
ScreeStatus scree_unit_named(const char *name, ScreeMeasure *out);

/* What a name that is unknown, or does not fit, may have been meant as: a unit that differs by the case of its letters
 * ("Mpa": MPa), least changes first, or two units written as one word ("Nm": N m). False where there is no `index`-th.
 */
#define SCREE_UNIT_GUESS_MAX 72
bool scree_unit_guess(const char *name, size_t index, char guess[SCREE_UNIT_GUESS_MAX]);

#endif
