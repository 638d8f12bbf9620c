/* units.h: numbers with units, as users type them: "10 mm", "7.85 g/cm3", "60 rpm", "5.2e9 N/m^1.5". */
#ifndef SCREE_UNITS_H
#define SCREE_UNITS_H

#include "scree/base.h"

/* Longest text either function reads; longer is SCREE_INVALID. */
#define SCREE_QUANTITY_MAX 64

/* A decimal number and nothing else: no unit, no hexadecimal, no infinity, whatever the locale. */
ScreeStatus scree_parse_number(const char *text, double *value);

/* A number with an optional unit, converted to si_unit; a plain number is SI. si_unit "1" is a pure number. Powers may
 * be real ("kN/mm^1.5"). Radians count as a dimension, so that 10 Hz is refused where
 * rad/s is wanted. Where si_unit itself cannot be read (a symbolic power such as N/m^n) only plain numbers pass.
 * A unit of several meanings (a ton) is refused with those it may have, a mistyped one ("Mpa") with what was meant.
 * Thread safe; asks for no memory. */
ScreeStatus scree_parse_quantity(const char *text, const char *si_unit, double *value);

#endif
