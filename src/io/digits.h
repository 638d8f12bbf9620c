/* digits.h: numbers as text. For other programs: the shortest decimal that reads back as the same double, "0.2" and not
 * "0.20000000000000001", whatever the locale; the one place where files get their numbers from. For people: lengths and
 * times with a prefix that suits them. */
#ifndef SCREE_IO_DIGITS_H
#define SCREE_IO_DIGITS_H

#include <stddef.h>
#include <stdio.h>

typedef struct ScreeDigits {
  char text[32];
} ScreeDigits;

/* "0.2", "1e-07", "123456"; an exponent below 1e-4 and from 1e16 on; "nan", "inf", "-inf". */
ScreeDigits scree_digits(double value);

/* For people: "7e+10" instead of eleven digits. */
ScreeDigits scree_digits_compact(double value);

/* A number; `count` of them with commas between. */
void scree_put_number(FILE *stream, double value);
void scree_put_numbers(FILE *stream, const double *values, size_t count);

/* A unit in which a number is well read, and the number's factor: "mm" and 1e3. */
typedef struct ScreePrefix {
  const char *unit;
  double factor;
} ScreePrefix;

/* Of metres and seconds ("m", "s"): 1 <= value < 1000 in it, where one from pico to none gives that. Other units stay,
 * and the pointer is theirs. */
ScreePrefix scree_prefix(double value, const char *unit);
/* One that suits a column of numbers: the middle, in the logarithm, of the smallest and largest that are not zero. */
ScreePrefix scree_prefix_of_all(const double *values, size_t count, const char *unit);

/* "252.982 mm", with so many significant digits; "-" for NaN, "infinite" for infinity. */
typedef struct ScreeQuantity {
  char text[64];
} ScreeQuantity;
ScreeQuantity scree_quantity(double value, const char *unit, int digits);
/* "[-70, -70, 300] mm", three numbers in the unit of the largest. */
ScreeQuantity scree_quantities(const double *vector, const char *unit, int digits);

/* "[-70, -70, -80] ... [70, 70, 300] mm", the corners of a box. */
typedef struct ScreeBoxText {
  char text[160];
} ScreeBoxText;
ScreeBoxText scree_box_text(const double *low, const double *high, const char *unit, int digits);

#endif
