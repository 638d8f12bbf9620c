/* compare_values.h: lists and ranges of quantities on the command line: "0.1,0.5", "0:1:0.1", "0.2:4 m/s". */
#ifndef SCREE_CLI_COMPARE_VALUES_H
#define SCREE_CLI_COMPARE_VALUES_H

#include "case.h"

#define VALUES_MAX 1001

typedef struct ValueList {
  double values[VALUES_MAX];
  int count;
} ValueList;

/* A value, a list of them, low:high:step, or low:high, which is SPREAD values: evenly in the logarithm where all must
 * be > 0, otherwise evenly. A unit behind the last number holds for those that have none. */
ScreeStatus read_values(const char *text, const char *unit, Limits limits, ValueList *out);

/* low:high or one value, then both are the same. */
typedef struct Span {
  double low, high;
} Span;
ScreeStatus read_span(const char *text, const char *unit, Limits limits, Span *out);

/* The value that has as many below it as above; of an even number the upper one. */
double values_middle(const ValueList *list);

/* The smallest and the largest; NaN of an empty list. */
Span values_span(const ValueList *list);

#define SPREAD 5
/* The i-th of count values from low to high. */
double value_between(Span span, int i, int count, bool logarithmic);

#endif
