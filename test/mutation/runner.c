/* runner.c [SUITE]: the verification of a mutant: exit 1 and the check's name at the first failure.
 *
 * Without a suite: those that run the scalar laws. The batch suite and the engine's are left out: the batch kernels are
 * not the mutant's, so they would catch every mutant of a law without any physics. With a suite, on the plainest
 * instruction set, the only one the engine's mutants are compiled for. */
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

int main(int count, char **arguments) {
  if (count > 1) {
    if (scree_batch_use_isa(scree_batch_isa_name(scree_batch_isa_count() - 1)) != SCREE_OK) return 2;
    return scree_verify(arguments[1], stop_at_failure, NULL) == SCREE_OK ? 0 : 2;
  }
  scree_verify("reference", stop_at_failure, NULL); /* the fastest first */
  for (int i = 0; i < scree_verify_suite_count(); i++) {
    const char *suite = scree_verify_suite_name(i);
    bool kernels = strcmp(suite, "batch") == 0 || strncmp(suite, "dem", 3) == 0;
    if (!kernels && strcmp(suite, "reference") != 0) scree_verify(suite, stop_at_failure, NULL);
  }
  return 0;
}
