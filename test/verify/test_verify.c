/* The oracles of src/verify, all suites: what `scree verify` prints must be green here. */
#include "verify/verify.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

typedef struct Count {
  int checks, cases;
} Count;

static void expect(const ScreeCheck *check, void *context) {
  Count *count = context;
  count->checks++;
  count->cases += check->cases;
  cr_expect(check->passed, "%s / %s / %s: %.3g, limit %.3g, at %s", check->suite, check->oracle, check->subject,
            check->worst, check->limit, check->at);
}

static Count run(const char *suite) {
  Count count = {0};
  cr_assert_eq(scree_verify(suite, expect, &count), SCREE_OK);
  return count;
}

Test(verify, laws) { cr_expect(run("laws").checks > 700); }
Test(verify, line) { cr_expect(run("line").checks > 50); }
Test(verify, exact) { cr_expect(run("exact").checks >= 4); }
Test(verify, oblique) { cr_expect(run("oblique").checks >= 4); }
Test(verify, batch) { cr_expect(run("batch").checks > 60); }
/* Single contacts and small worlds of the particle engine, every point law among them; dem.bulk is in test_bulk.c. */
Test(verify, dem_contact) { cr_expect(run("dem.contact").checks >= 36 + 2 * 51); }

/* The table has 2,176 rows, and none is skipped. */
Test(verify, reference) { cr_expect_eq(run("reference").cases, 2176); }

Test(verify, an_unknown_suite_is_refused_with_the_list) {
  Count count = {0};
  cr_expect_eq(scree_verify("nonsense", expect, &count), SCREE_UNKNOWN);
  cr_expect(strstr(scree_last_error(), "laws") && strstr(scree_last_error(), "reference"));
  cr_expect_eq(scree_verify("de", expect, &count), SCREE_UNKNOWN);
  cr_expect_eq(scree_verify("dem.b", expect, &count), SCREE_UNKNOWN);
  cr_expect_eq(count.checks, 0);
}

/* Checks are deterministic: two runs give the same residuals to the bit. */
static double residuals[4096];
static int recorded;
static void record(const ScreeCheck *check, void *context) {
  (void)context;
  residuals[recorded++] = check->worst;
}
static void compare(const ScreeCheck *check, void *context) {
  int *at = context;
  cr_expect(memcmp(&residuals[*at], &check->worst, sizeof check->worst) == 0, "%s %s", check->oracle, check->subject);
  ++*at;
}
Test(verify, repeats_bit_for_bit) {
  int at = 0;
  scree_verify("laws", record, NULL);
  scree_verify("laws", compare, &at);
  cr_expect_eq(at, recorded);
}
