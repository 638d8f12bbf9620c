/* units.h: numbers with units, as users type them: "10 mm", "7.85 g/cm3", "60 rpm", "5.2e9 N/m^1.5". */
#ifndef SCREE_UNITS_H
#define SCREE_UNITS_H

#include "scree/base.h"

/* Longest text either function reads; longer is SCREE_INVALID. */
#define SCREE_QUANTITY_MAX 64

/* A decimal number and nothing else: no unit, no hexadecimal, no infinity, whatever the locale. */
ScreeStatus scree_parse_number(const char *text, double *value);

/* A number with an optional unit, converted to si_unit; a plain number is SI. si_unit "1" is a pure number. Powers may
 * be real ("kN/mm^1.5"), which UDUNITS alone cannot read. Radians count as a dimension, so that 10 Hz is refused where
 * rad/s is wanted. Where si_unit itself cannot be read (a symbolic power such as N/m^n) only plain numbers pass.
 * Thread safe. The unit database is loaded when the first unit is met. */
ScreeStatus scree_parse_quantity(const char *text, const char *si_unit, double *value);

/* Frees the unit database; the next unit loads it again. */
void scree_units_release(void);

#endif
