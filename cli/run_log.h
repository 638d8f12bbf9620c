/* run_log.h: the log of a run: the same columns on standard output, in log.txt and, with more of them, in log.csv. */
#ifndef SCREE_CLI_RUN_LOG_H
#define SCREE_CLI_RUN_LOG_H

#include "scree/world.h"

#include <stdbool.h>
#include <stdio.h>

/* What one line shows. */
typedef struct Sample {
  ScreeMeasure m;
  double speed; /* million particle-steps per second since the line before; 0 in the first */
} Sample;

/* All that was lost. */
double dissipated(const ScreeMeasure *m);

/* The two kinds of line; columns carry their units ("time [s]"); the heading of the text begins with '#', so that
 * gnuplot takes the file as it is. */
void log_text_heading(FILE *stream);
void log_text_line(FILE *stream, const Sample *sample);
void log_csv_heading(FILE *stream);
void log_csv_line(FILE *stream, const Sample *sample);

#endif
