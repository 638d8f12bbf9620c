/* run_advice.h: what `scree run` says beyond its log: that a run will take days, and that its ledger does not close. */
#ifndef SCREE_CLI_RUN_ADVICE_H
#define SCREE_CLI_RUN_ADVICE_H

#include "run.h"

/* A line on standard error where the forecast is more than a day. */
void warn_of_days(const char *verb, const ScreeScene *scene, const ScreeWorld *world);
/* Grains whose forces are smaller than what forces are rounded to resolves; returns the rounding over the force. */
double warn_of_rounding(const char *verb, const ScreeScene *scene, const ScreeWorld *world);

/* The energy residual over the ledger's scale. */
double relative_residual(const ScreeMeasure *m);
/* What is said of a residual beyond 1 %, with the account whose changes it follows most closely in log.csv; NULL where
 * the ledger closes. To be freed. */
char *residual_warning(const RunFolder *folder, const ScreeMeasure *m);
/* The same where run.max_residual ends the run; NULL where it does not. */
char *residual_error(const Run *run, const ScreeMeasure *m);

#endif
