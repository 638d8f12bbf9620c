/* verify_report.h: the checks of `scree verify`, and their HTML report. */
#ifndef SCREE_CLI_VERIFY_REPORT_H
#define SCREE_CLI_VERIFY_REPORT_H

#include "verify/verify.h"

typedef struct VerifyCheck {
  ScreeCheck check;
  char subject[64];
} VerifyCheck;

/* All checks in the order of the suites; those of one oracle follow each other. */
typedef struct VerifyChecks {
  VerifyCheck *check;
  int count, capacity, failed;
} VerifyChecks;

bool verify_same_oracle(const VerifyCheck *a, const VerifyCheck *b);
/* Index after the last check of the oracle that begins at `first`. */
int verify_oracle_end(const VerifyChecks *all, int first);
int verify_worst(const VerifyChecks *all, int first, int end);

/* Writes one page that needs nothing else: tables, and the figures inline where gnuplot draws them. Exit status. */
int verify_write_report(const char *verb, const char *path, const VerifyChecks *all, double seconds);

#endif
