/* verify.h: the executable proof that the laws are right. An oracle measures a residual on a subject (a law, a line
 * law, a table) over many cases and holds the worst of them against a limit. The command prints the table, the tests
 * assert it; each oracle is written once, here, on the public interface alone. */
#ifndef SCREE_VERIFY_H
#define SCREE_VERIFY_H

#include "scree/scree.h"

/* One oracle on one subject. */
typedef struct ScreeCheck {
  const char *suite, *oracle, *shows; /* shows: what the oracle demonstrates, one line */
  const char *subject;
  double worst, limit; /* residual as the oracle defines it; infinite when a case could not be computed */
  int cases;
  char at[192]; /* the parameters of the worst case, or the sentence of the failure */
  bool passed;
} ScreeCheck;

typedef void ScreeCheckSink(const ScreeCheck *check, void *context);

int scree_verify_suite_count(void);
const char *scree_verify_suite_name(int index);
/* Runs a suite, or all when NULL; every check goes to the sink. SCREE_UNKNOWN lists the suites. */
ScreeStatus scree_verify(const char *suite, ScreeCheckSink *sink, void *context);

#endif
