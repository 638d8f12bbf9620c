/* compare_values.c: see compare_values.h. */
#include "compare_values.h"

#include "core/status.h"
#include "io/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_MAX 120

/* A list under way: its text and what its numbers are. */
typedef struct Reading {
  const char *unit;
  Limits limits;
  char shared[40]; /* the unit behind the last number, "" when it has none */
} Reading;

/* Copies the piece up to a separator and moves past it; NULL when nothing is left. */
static const char *next_piece(const char *text, char separator, char *piece) {
  size_t length = strcspn(text, (char[]){separator, '\0'});
  snprintf(piece, PIECE_MAX, "%.*s", (int)(length < PIECE_MAX ? length : PIECE_MAX), text);
  return text[length] ? text + length + 1 : NULL;
}

static ScreeStatus read_piece(const Reading *reading, const char *piece, double *value) {
  double number = 0;
  char with_unit[PIECE_MAX + 48];
  bool plain = scree_parse_number(piece, &number) == SCREE_OK;
  snprintf(with_unit, sizeof with_unit, "%s %s", piece, reading->shared);
  return read_quantity(plain && *reading->shared ? with_unit : piece, reading->unit, reading->limits, value);
}

/* What follows the number of the last piece. */
static Reading reading_of(const char *text, char separator, const char *unit, Limits limits) {
  Reading reading = {.unit = unit, .limits = limits};
  const char *last = strrchr(text, separator);
  char *end = NULL;
  strtod(last ? last + 1 : text, &end);
  while (isspace((unsigned char)*end)) end++;
  snprintf(reading.shared, sizeof reading.shared, "%.*s", (int)sizeof reading.shared - 1, end);
  return reading;
}

static ScreeStatus too_many(void) {
  return scree_fail(SCREE_INVALID, "at most %d values may be asked for", VALUES_MAX);
}

/* The decimal number that was meant: 0.1 + 2*0.1 is 0.3. */
static double decimal(double value) {
  char text[40];
  snprintf(text, sizeof text, "%.13g", value);
  return strtod(text, NULL);
}

double value_between(Span span, int i, int count, bool logarithmic) {
  if (i == 0 || i == count - 1) return i ? span.high : span.low;
  double share = (double)i / (count - 1);
  return decimal(logarithmic ? span.low * pow(span.high / span.low, share) : span.low + (span.high - span.low) * share);
}

/* Reads the 1 ... most numbers between colons. */
static ScreeStatus read_bounds(const char *text, Reading reading, int most, double *bounds, int *count) {
  char piece[PIECE_MAX];
  *count = 0;
  for (const char *rest = text; rest; (*count)++) {
    if (*count == most)
      return scree_fail(SCREE_INVALID, "a range reads low:high%s (got \"%.40s\")", most == 3 ? " or low:high:step" : "",
                        text);
    rest = next_piece(rest, ':', piece);
    if (*count == 2) reading.limits.low = 0; /* a step may be smaller than the smallest value */
    SCREE_TRY(read_piece(&reading, piece, &bounds[*count]));
  }
  if (*count > 1 && bounds[1] < bounds[0])
    return scree_fail(SCREE_INVALID, "a range reads low:high with low <= high (got \"%.40s\")", text);
  return SCREE_OK;
}

static ScreeStatus read_range(const char *text, Reading reading, ValueList *out) {
  double bounds[3];
  int count;
  SCREE_TRY(read_bounds(text, reading, 3, bounds, &count));
  if (count == 2) {
    const Span span = {bounds[0], bounds[1]};
    out->count = span.high > span.low ? SPREAD : 1;
    for (int i = 0; i < out->count; i++) out->values[i] = value_between(span, i, out->count, reading.limits.low_open);
    return SCREE_OK;
  }
  if (!(bounds[2] > 0))
    return scree_fail(SCREE_INVALID, "a range reads low:high:step with step > 0 (got \"%.40s\")", text);
  double steps = floor((bounds[1] - bounds[0]) / bounds[2] + 1e-9);
  if (steps >= VALUES_MAX) return too_many();
  for (int i = 0; i <= (int)steps; i++) out->values[out->count++] = i ? decimal(bounds[0] + i * bounds[2]) : bounds[0];
  return SCREE_OK;
}

Span values_span(const ValueList *list) {
  Span span = {NAN, NAN};
  for (int i = 0; i < list->count; i++)
    span = (Span){fmin(span.low, list->values[i]), fmax(span.high, list->values[i])};
  return span;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double values_middle(const ValueList *list) {
  ValueList sorted = *list;
  qsort(sorted.values, (size_t)sorted.count, sizeof *sorted.values, by_size);
  return sorted.values[sorted.count / 2];
}

ScreeStatus read_values(const char *text, const char *unit, Limits limits, ValueList *out) {
  out->count = 0;
  if (strchr(text, ':')) return read_range(text, reading_of(text, ':', unit, limits), out);
  Reading reading = reading_of(text, ',', unit, limits);
  for (const char *rest = text; rest;) {
    char piece[PIECE_MAX];
    rest = next_piece(rest, ',', piece);
    if (out->count == VALUES_MAX) return too_many();
    SCREE_TRY(read_piece(&reading, piece, &out->values[out->count]));
    out->count++;
  }
  return SCREE_OK;
}

ScreeStatus read_span(const char *text, const char *unit, Limits limits, Span *out) {
  double bounds[2];
  int count;
  SCREE_TRY(read_bounds(text, reading_of(text, ':', unit, limits), 2, bounds, &count));
  *out = (Span){bounds[0], bounds[count - 1]};
  return SCREE_OK;
}
