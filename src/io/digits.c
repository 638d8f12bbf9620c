/* digits.c: see digits.h.
 *
 * Seventeen digits always read back the same; most of a program's own numbers need fifteen or fewer, results of an
 * integration sixteen or seventeen. The C library gives the seventeen once; fifteen and sixteen are cut from them and
 * tried, so that a number costs one conversion to text and one or two back.
 *
 * A cut is the nearest decimal, unless the seventeen digits end in a tie, which hides on which side of it the number
 * lies: then the C library rounds. Of a power of two the doubles below lie twice as close as those above: the next
 * decimal up may read back where the nearest, below it, does not. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* newlocale, strtod_l */
#endif
#include "io/digits.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 17, FEWEST = 15, PLAIN_ZEROS = 16, COMPACT_ZEROS = 5 };

/* digit[0].digit[1]... 10^exponent, of a number > 0 */
typedef struct Decimal {
  char digit[MOST + 1];
  int count, exponent;
} Decimal;

/* Made once and kept; without memory for it numbers have the program's locale. */
static locale_t plain;
static void make_plain(void) { plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); }
static locale_t plain_locale(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_plain);
  return plain;
}

/* By the C library, correctly rounded. */
static Decimal convert(double value, int count) {
  char text[40];
  Decimal d = {.count = count};
  snprintf(text, sizeof text, "%.*e", count - 1, value);
  d.digit[0] = text[0];
  if (count > 1) memcpy(d.digit + 1, text + 2, (size_t)count - 1);
  d.exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
  return d;
}

/* The next decimal of as many digits. */
static void bump(Decimal *d) {
  int i = d->count - 1;
  while (i >= 0 && d->digit[i] == '9') d->digit[i--] = '0';
  if (i >= 0) {
    d->digit[i]++;
    return;
  }
  d->digit[0] = '1'; /* 9.99 becomes 10.0 */
  d->exponent++;
}

static Decimal cut(double value, const Decimal *full, int count) {
  Decimal d = *full;
  const char *rest = full->digit + count;
  int left = full->count - count;
  bool tie = *rest == '5' && (int)strspn(rest + 1, "0") == left - 1;
  if (tie) return convert(value, count);
  d.count = count;
  memset(d.digit + count, '\0', sizeof d.digit - (size_t)count);
  if (*rest >= '5') bump(&d);
  return d;
}

/* zeros: so many at the end of a whole number, and sixteen digits, are written out. */
static ScreeDigits text_of(const Decimal *d, bool negative, int zeros) {
  ScreeDigits out;
  char *at = out.text;
  int count = d->count;
  while (count > 1 && d->digit[count - 1] == '0') count--;
  if (negative) *at++ = '-';
  if (d->exponent < -4 || d->exponent >= 16 || d->exponent >= count + zeros) {
    int written = snprintf(at, sizeof out.text - 1, "%c%s%.*se%+03d", d->digit[0], count > 1 ? "." : "", count - 1,
                           d->digit + 1, d->exponent);
    at[written] = '\0';
    return out;
  }
  if (d->exponent < 0) {
    memcpy(at, "0.0000", 6);
    at += 1 - d->exponent;
  }
  for (int i = 0; i < count || i <= d->exponent; i++) {
    if (i > 0 && i == d->exponent + 1) *at++ = '.';
    *at++ = i < count ? d->digit[i] : '0';
  }
  *at = '\0';
  return out;
}

static bool reads_back(const Decimal *d, double value) {
  ScreeDigits text = text_of(d, false, PLAIN_ZEROS);
  return strtod_l(text.text, NULL, plain_locale()) == value;
}

/* Does a decimal of so many digits read back? */
static bool try_digits(double value, const Decimal *full, int count, Decimal *out) {
  int power;
  *out = cut(value, full, count);
  if (reads_back(out, value)) return true;
  if (frexp(value, &power) != 0.5) return false;
  bump(out);
  return reads_back(out, value);
}

static Decimal shortest(double value) {
  Decimal d;
  const Decimal full = convert(value, MOST);
  /* a number with fewer than fifteen digits shows as one whose last are zero, except among the smallest of all */
  for (int count = value < DBL_MIN ? 1 : FEWEST; count < MOST; count++)
    if (try_digits(value, &full, count, &d)) return d;
  return full;
}

static ScreeDigits digits_of(double value, int zeros) {
  if (isnan(value)) return (ScreeDigits){"nan"};
  if (isinf(value)) return value > 0 ? (ScreeDigits){"inf"} : (ScreeDigits){"-inf"};
  if (value == 0) return signbit(value) ? (ScreeDigits){"-0"} : (ScreeDigits){"0"};
  locale_t own = plain_locale(), before = own ? uselocale(own) : (locale_t)0;
  const Decimal d = shortest(fabs(value));
  if (own) uselocale(before);
  return text_of(&d, value < 0, zeros);
}

ScreeDigits scree_digits(double value) { return digits_of(value, PLAIN_ZEROS); }
ScreeDigits scree_digits_compact(double value) { return digits_of(value, COMPACT_ZEROS); }

void scree_put_number(FILE *stream, double value) { fputs(scree_digits(value).text, stream); }

void scree_put_numbers(FILE *stream, const double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i) fputc(',', stream);
    scree_put_number(stream, values[i]);
  }
}

/* ---- for people ---- */

ScreePrefix scree_prefix(double value, const char *unit) {
  static const struct {
    double least; /* of the base unit; a number that would be rounded to 1000 has the next prefix */
    ScreePrefix metres, seconds;
  } rows[] = {{1, {"m", 1}, {"s", 1}},
              {1e-3, {"mm", 1e3}, {"ms", 1e3}},
              {1e-6, {"um", 1e6}, {"us", 1e6}},
              {1e-9, {"nm", 1e9}, {"ns", 1e9}},
              {0, {"pm", 1e12}, {"ps", 1e12}}};
  bool length = strcmp(unit, "m") == 0, time = strcmp(unit, "s") == 0;
  if (!(length || time) || value == 0 || !isfinite(value)) return (ScreePrefix){unit, 1};
  size_t i = 0;
  while (fabs(value) < rows[i].least * (1 - 1e-9)) i++;
  return length ? rows[i].metres : rows[i].seconds;
}

ScreePrefix scree_prefix_of_all(const double *values, size_t count, const char *unit) {
  double low = INFINITY, high = 0;
  for (size_t i = 0; i < count; i++) {
    double size = fabs(values[i]);
    if (!(size > 0 && isfinite(size))) continue;
    low = fmin(low, size);
    high = fmax(high, size);
  }
  return scree_prefix(high > 0 ? sqrt(low) * sqrt(high) : 0, unit);
}

ScreeQuantity scree_quantity(double value, const char *unit, int digits) {
  ScreeQuantity q;
  if (isnan(value)) return (ScreeQuantity){"-"};
  if (isinf(value)) return value > 0 ? (ScreeQuantity){"infinite"} : (ScreeQuantity){"-infinite"};
  const ScreePrefix prefix = scree_prefix(value, unit);
  snprintf(q.text, sizeof q.text, "%.*g%s%.30s", digits, value * prefix.factor, *prefix.unit ? " " : "", prefix.unit);
  return q;
}

static double largest_of(const double *v) { return fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2])); }

/* "[-70, -70, 300]" */
static void put_vector(char *text, size_t size, const double *v, double factor, int digits) {
  snprintf(text, size, "[%.*g, %.*g, %.*g]", digits, v[0] * factor, digits, v[1] * factor, digits, v[2] * factor);
}

ScreeQuantity scree_quantities(const double *vector, const char *unit, int digits) {
  ScreeQuantity q;
  const ScreePrefix prefix = scree_prefix(largest_of(vector), unit);
  put_vector(q.text, sizeof q.text - 8, vector, prefix.factor, digits);
  size_t length = strlen(q.text);
  snprintf(q.text + length, sizeof q.text - length, " %.6s", prefix.unit);
  return q;
}

ScreeBoxText scree_box_text(const double *low, const double *high, const char *unit, int digits) {
  ScreeBoxText box;
  char corner[2][72];
  const ScreePrefix prefix = scree_prefix(fmax(largest_of(low), largest_of(high)), unit);
  put_vector(corner[0], sizeof corner[0], low, prefix.factor, digits);
  put_vector(corner[1], sizeof corner[1], high, prefix.factor, digits);
  snprintf(box.text, sizeof box.text, "%s ... %s %.6s", corner[0], corner[1], prefix.unit);
  return box;
}
