/* runner.c SUITE [FIRST]: the verification of a mutant: exit 1 and the check's name at the first failure, 0 without
 * one.
 *
 * SUITE is "scalar", all suites that run the scalar laws, or one of the engine's. The batch suite and the engine's are
 * no part of "scalar": the batch kernels are not the mutant's, so they would catch every mutant of a law without any
 * physics. The engine's suites run on the plainest instruction set, the only one the engine's mutants are compiled for,
 * and with threads that do the tiles of others before their own, small ones: what they share is seen at once.
 *
 * Only the order is the runner's own: first what is about FIRST, a law or an oracle, then all oracles that take no
 * time, then the dear ones. What passes so far faces the suites once more as `scree verify` runs them, so that no
 * mutant survives by this order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dem/engine.h"
#include "verify/oracle.h"

/* Oracles of more than some 0.1 s, the dearest last. */
static const char *const dear[] = {"independent integrator",
                                   "attraction",
                                   "delivered restitution",
                                   "traces",
                                   "calibration",
                                   "conventions",
                                   "closed form",
                                   "energy balance",
                                   "threads",
                                   "ledger's entries",
                                   "Chung & Ooi 3",
                                   "unlike grains",
                                   "rebuilds",
                                   "rolling spring",
                                   "streams and outlets",
                                   "company",
                                   "fast grains",
                                   "meshes",
                                   "rest",
                                   "rolling over every law",
                                   "friction, rolling, twisting",
                                   "restitution",
                                   "two grains in space"};
enum { DEAR = sizeof dear / sizeof *dear };

static const Suite *const all[] = {&scree_suite_laws, &scree_suite_line, &scree_suite_exact, &scree_suite_oblique,
                                   &scree_suite_dem_contact};
enum { SUITES = sizeof all / sizeof *all };

static void stop_at_failure(const ScreeCheck *check, void *context) {
  (void)context;
  if (check->passed) return;
  printf("%s / %s / %s\n", check->suite, check->oracle, check->subject);
  exit(1);
}

static bool chosen(const char *name, const char *suite) {
  bool kernels = strcmp(suite, "batch") == 0 || strncmp(suite, "dem", 3) == 0;
  return strcmp(name, "scalar") == 0 ? !kernels : strcmp(name, suite) == 0;
}

static void run_one(const Suite *suite, const Oracle *o, const ScreeLawInfo *info) {
  if ((info != NULL) != (o->applies != NULL) || (info && !o->applies(info))) return;
  ScreeCheck check = {.suite = suite->name, .oracle = o->name, .subject = info ? info->name : "", .limit = o->limit};
  o->run(&check, info);
  check.passed = check.cases > 0 && check.worst <= check.limit;
  stop_at_failure(&check, NULL);
}

static int price(const Oracle *o) {
  int i = 0;
  while (i < DEAR && strcmp(dear[i], o->name) != 0) i++;
  return i == DEAR ? 0 : i + 1;
}

/* Those of a price, 0 for all that cost nothing; how many there were. */
static int run_priced(const char *name, int wanted) {
  int found = 0;
  for (int i = 0; i < SUITES; i++)
    for (int k = 0; k < all[i]->count; k++) {
      const Oracle *o = &all[i]->oracles[k];
      found += price(o) == wanted;
      if (price(o) != wanted || !chosen(name, all[i]->name)) continue;
      run_one(all[i], o, NULL);
      for (int law = 0; law < SCREE_LAW_COUNT; law++) run_one(all[i], o, scree_law_info((ScreeLawId)law));
    }
  return found;
}

/* All that is about a law, or an oracle. */
static int run_first(const char *name, const char *first) {
  int found = 0;
  for (int i = 0; i < SUITES; i++)
    for (int k = 0; chosen(name, all[i]->name) && k < all[i]->count; k++) {
      const Oracle *o = &all[i]->oracles[k];
      bool whole = strcmp(o->name, first) == 0;
      found += whole;
      if (whole) run_one(all[i], o, NULL);
      for (int law = 0; law < SCREE_LAW_COUNT; law++) {
        const ScreeLawInfo *info = scree_law_info((ScreeLawId)law);
        bool about = strcmp(info->name, first) == 0;
        found += about;
        if (whole || about) run_one(all[i], o, info);
      }
    }
  return found;
}

int main(int count, char **arguments) {
  if (count < 2) return 2;
  const char *name = arguments[1];
  bool scalar = strcmp(name, "scalar") == 0;
  if (!scalar && scree_batch_use_isa(scree_batch_isa_name(scree_batch_isa_count() - 1)) != SCREE_OK) return 2;
  scree_grains_per_tile = 128;
  scree_early_from = 0;
  if (scalar) scree_verify("reference", stop_at_failure, NULL);
  for (int helpless = 0; count > 2 && helpless < 2; helpless++) { /* where nobody helps, threads go on by themselves */
    scree_helpfulness = helpless ? HELP_NEVER : HELP_FIRST;
    if (run_first(name, arguments[2]) == 0) return 2;
  }
  scree_helpfulness = HELP_FIRST;
  for (int wanted = 0; wanted <= DEAR; wanted++)
    if (run_priced(name, wanted) == 0) return 2; /* a name above is nobody's */
  bool found = false;
  for (int i = 0; i < scree_verify_suite_count(); i++) {
    const char *suite = scree_verify_suite_name(i);
    if (chosen(name, suite)) found = scree_verify(suite, stop_at_failure, NULL) == SCREE_OK;
  }
  return found ? 0 : 2;
}
