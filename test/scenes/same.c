/* same.c: ways to run a scene that must leave no trace in the bits. */
#include "invariants.h"

#include <string.h>

#include "core/isa.h"
#include "dem/engine.h"

/* Differences of any kind count as the same failure, but what is read last often follows from what is read first. */
static const char *kind_of(const char *names) {
  const char *const kinds[] = {"starts",   "hash",  "grains",   "loads",   "walls",
                               "energies", "flows", "contacts", "sentence"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strstr(names, kinds[i])) return kinds[i];
  return "others";
}

static void compare(Trial *t, const char *name, const Way *way, bool with_ids) {
  static Outcome other;
  const Outcome *base = trial_base(t);
  char names[200];
  t->applies = t->applies || base->started;
  if (t->failed) return;
  scene_run(t->scene, way, &other);
  if (!outcome_difference(base, &other, with_ids, names, sizeof names)) return;
  /* a contact that ends and leaves the list in one step is booked apart, with another rounding */
  if (way->skin == 0.0 && (strcmp(names, "energies") == 0 || strcmp(names, "energies, flows") == 0)) return;
  bool words = base->steps != other.steps || strcmp(base->sentence, other.sentence) != 0;
  trial_fail(t, "%s: other %s", name, names);
  t->kind = kind_of(names);
  size_t at = strlen(t->reason);
  if (words)
    snprintf(t->reason + at, sizeof t->reason - at, ": \"%s\" after %ld steps, and \"%s\" after %ld", base->sentence,
             base->steps, other.sentence, other.steps);
}

void judge_threads(Trial *t) {
  Way way = way_default();
  way.threads = 2, way.helpfulness = HELP_FIRST, way.early = true;
  compare(t, "2 threads that help first", &way, true);
  way.threads = 3, way.helpfulness = HELP_WHEN_DONE, way.per_tile = 2, way.chunk = 7;
  compare(t, "3 threads, tiles of two grains, 7 steps a call", &way, true);
  way.threads = 3, way.helpfulness = HELP_NEVER, way.per_tile = 1, way.chunk = 0;
  compare(t, "3 threads that never help, tiles of one grain", &way, true);
  way.threads = 1, way.per_tile = 1000, way.chunk = 1, way.early = false;
  compare(t, "one tile, one step a call", &way, true);
}

void judge_isa(Trial *t) {
  for (int isa = 0; isa < scree_isa_count(); isa++) {
    Way way = way_default();
    char name[64];
    if (!scree_isa_supported(isa)) continue;
    way.isa = isa;
    snprintf(name, sizeof name, "instruction set %s", scree_isa_name(isa));
    compare(t, name, &way, true);
  }
}

void judge_resume(Trial *t) {
  Draws d = draws_of(t->scene->seed, "resume");
  for (int i = 0; i < 2; i++) {
    Way way = way_default();
    char name[80];
    way.resume = i == 0 ? draw_uniform(&d, 0.0, 1.0) : 1.0;
    way.resume_threads = 1 + draw_below(&d, 3);
    long at = (long)(way.resume * (double)t->scene->steps);
    snprintf(name, sizeof name, "restored at step %ld, then %d threads", at, way.resume_threads);
    compare(t, name, &way, true);
  }
}

void judge_order(Trial *t) {
  Draws d = draws_of(t->scene->seed, "order");
  int order[MAX_GRAINS];
  Way way = way_default();
  draw_permutation(&d, t->scene->grains, order);
  way.order = order;
  compare(t, "grains in another order", &way, true);
  for (int i = 0; i < t->scene->grains; i++) order[i] = t->scene->grains - 1 - i;
  compare(t, "grains in the reverse order", &way, true);
}

void judge_ids(Trial *t) {
  Draws d = draws_of(t->scene->seed, "other ids");
  int order[MAX_GRAINS];
  uint64_t ids[MAX_GRAINS];
  Way way = way_default();
  draw_permutation(&d, t->scene->grains, order);
  way.ids = ids;
  for (int i = 0; i < t->scene->grains; i++) ids[i] = t->scene->grain[order[i]].id;
  compare(t, "ids permuted", &way, false);
}

void judge_skin(Trial *t) {
  const double shares[] = {0.0, 0.02, 0.3};
  for (int i = 0; i < 3; i++) {
    Way way = way_default();
    char name[64];
    way.skin = shares[i] * t->scene->radius;
    snprintf(name, sizeof name, "a skin of %g radii", shares[i]);
    compare(t, name, &way, true);
  }
}
