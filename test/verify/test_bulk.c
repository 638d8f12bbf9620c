/* The bulk oracles of the particle engine: a minute of gases, beds, silos, heaps and machines. */
#include "verify/verify.h"

#include <criterion/criterion.h>

static void expect(const ScreeCheck *check, void *context) {
  int *checks = context;
  ++*checks;
  cr_expect(check->passed, "%s / %s / %s: %.3g, limit %.3g, at %s", check->suite, check->oracle, check->subject,
            check->worst, check->limit, check->at);
}

Test(bulk, all) {
  int checks = 0;
  cr_assert_eq(scree_verify("dem.bulk", expect, &checks), SCREE_OK);
  cr_expect_eq(checks, 7);
}

Test(bulk, machines) {
  int checks = 0;
  cr_assert_eq(scree_verify("dem.machines", expect, &checks), SCREE_OK);
  cr_expect_eq(checks, 2);
}
