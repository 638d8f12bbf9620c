/* trace.h: the course of one collision as CSV and as a figure. */
#ifndef SCREE_CLI_TRACE_H
#define SCREE_CLI_TRACE_H

#include "plot.h"

#include "cli.h"

typedef struct Trace {
  const char *title;
  const ScreeTracePoint *points;
  int count;
} Trace;

void trace_write_csv(FILE *stream, const void *trace);
Figure trace_figure(const Trace *trace);

#endif
