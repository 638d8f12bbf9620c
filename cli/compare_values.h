/* compare_values.h: lists and ranges of quantities on the command line: "0.1,0.5", "0:1:0.1", "1:10:1 mm/s". */
#ifndef SCREE_CLI_COMPARE_VALUES_H
#define SCREE_CLI_COMPARE_VALUES_H

#include "case.h"

#define VALUES_MAX 1001

typedef struct ValueList {
  double values[VALUES_MAX];
  int count;
} ValueList;

/* A value, a list of them or low:high:step. A unit behind the last number holds for those that have none. */
ScreeStatus read_values(const char *text, const char *unit, Limits limits, ValueList *out);

/* low:high or one value, then both are the same. */
typedef struct Span {
  double low, high;
} Span;
ScreeStatus read_span(const char *text, const char *unit, Limits limits, Span *out);

#endif
