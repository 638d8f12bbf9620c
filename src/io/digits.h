/* digits.h: numbers as text for other programs: the shortest decimal that reads back as the same double, "0.2" and not
 * "0.20000000000000001", whatever the locale. The one place where files get their numbers from. */
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

#endif
