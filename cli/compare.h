/* compare.h: what the parts of `scree compare` share: its options, its rows, the forms of its tables. */
#ifndef SCREE_CLI_COMPARE_H
#define SCREE_CLI_COMPARE_H

#include "case.h"
#include "compare_values.h"
#include "figures.h"
#include "result.h"

#define COMPARE_FIGURES_MAX 40

typedef struct CompareOptions {
  Case collision;
  ScreeLawId laws[SCREE_LAW_COUNT];
  int law_count;
  bool laws_named;
  ValueList restitutions, speeds, masses; /* speeds, masses: none when they are not swept */
  double reference;                       /* speed [m/s] at which a law is calibrated; NaN: each collision's own */
  bool calibrate_each;
  bool json, markdown, published, line;
  const char *csv, *plot, *format;
  int figures[COMPARE_FIGURES_MAX]; /* chosen by --figure; none: all that fit */
  int figure_count;
} CompareOptions;

/* One collision of one law. */
typedef struct CompareRow {
  ScreeLawId law;
  double requested, speed, mass; /* NaN: none was asked for, not known */
  bool ran;
  Strength strength; /* that was calibrated, for this row or all speeds */
  CaseResolved resolved;
  ScreeImpactResult result; /* under the case's separation */
  double overlap_e, clamped_e;
  double hertz_duration; /* s, of a Hertz contact with the same number K, mass and speed; NaN for line laws */
  char note[400];
} CompareRow;

/* The laws of the review's Table 2, in its order (compare_published.c). */
int compare_review_count(void);
ScreeLawId compare_review_law(int i);

/* Every --set name must mean something to one of the laws. */
ScreeStatus compare_check_settings(const Case *collision, const ScreeLawId *laws, int count);
/* The case of one row. Swept speeds and masses replace those of the default case or complete the given one. */
ScreeStatus compare_resolve(const Case *collision, ScreeLawId law, double speed, double mass, CaseResolved *out);
/* The strength that a law calibrates to the collision's restitution at the reference speed; none where that is NaN. */
ScreeStatus compare_calibrate(const Case *collision, ScreeLawId law, double reference, double mass, Strength *out);
/* compare_resolve, with that strength. */
ScreeStatus compare_define(const Case *collision, ScreeLawId law, double reference, double speed, double mass,
                           CaseResolved *out);
/* Duration [s] of a Hertz contact with the same number K, mass and speed; NaN where there is none (line laws). */
double compare_hertz_duration(const ScreeImpactDef *of);
/* Fails when there are too many. */
ScreeStatus compare_run(const CompareOptions *o, CompareRow **rows, int *count);

/* JSON, Markdown or text on standard output, and the CSV file. Return an exit status. */
int compare_write(const CompareOptions *o, const CompareRow *rows, int count);
int compare_published(const CompareOptions *o);

/* Prints a CSV field: empty for what is not finite; a quoted text. */
void csv_number(FILE *stream, double value);
void csv_text(FILE *stream, const char *text);

#endif
