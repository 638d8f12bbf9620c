/* runner.c: the verification of a mutant: exit 1 and the check's name at the first failure. The batch suite is left
 * out: its kernels are not the mutant's, so it would catch every mutant without any physics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/verify.h"

static void stop_at_failure(const ScreeCheck *check, void *context) {
  (void)context;
  if (check->passed) return;
  printf("%s / %s / %s\n", check->suite, check->oracle, check->subject);
  exit(1);
}

int main(void) {
  scree_verify("reference", stop_at_failure, NULL); /* the fastest first */
  for (int i = 0; i < scree_verify_suite_count(); i++) {
    const char *suite = scree_verify_suite_name(i);
    if (strcmp(suite, "batch") != 0 && strcmp(suite, "reference") != 0) scree_verify(suite, stop_at_failure, NULL);
  }
  return 0;
}
