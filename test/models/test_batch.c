/* Batches give the bits of the scalar law, for every instruction set, size and alignment. */
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

enum { MOST = 1031 };

typedef struct Arrays {
  double *all;
  double *d, *v, *k, *chi, *u[6], *memory[SCREE_MAX_SLOTS], *force;
} Arrays;

static Arrays allocate(int offset) {
  Arrays a = {.all = calloc(16 * (MOST + 16), sizeof(double))};
  double *at = a.all + offset;
  double **slots[] = {&a.d,    &a.v,    &a.k,    &a.chi,       &a.u[0],      &a.u[1], &a.u[2],
                      &a.u[3], &a.u[4], &a.u[5], &a.memory[0], &a.memory[1], &a.force};
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++, at += MOST + 8) *slots[i] = at;
  return a;
}

/* Contacts of one law: every pair a little different. */
static ScreeLaw fill(const ScreeLawInfo *info, Arrays *a, int count, uint64_t *random, ScreeLaw *laws) {
  ScreeImpactDef def = sample_case(info, 0.6);
  ScreeImpactResult r;
  cr_assert_eq(freeze_strength(&def), SCREE_OK, "%s: %s", info->name, scree_last_error());
  cr_assert_eq(scree_impact_run(&def, &r), SCREE_OK);
  for (int i = 0; i < count; i++) {
    double memory[SCREE_MAX_SLOTS];
    laws[i] = scree_law_touch(&r.pair, def.pair.speed * uniform(random, 0.5, 1.5), memory);
    laws[i].k *= uniform(random, 0.9, 1.1);
    a->d[i] = r.max_overlap * uniform(random, 0.01, 1.0);
    a->v[i] = def.pair.speed * uniform(random, -1.0, 1.0);
    a->k[i] = laws[i].k, a->chi[i] = laws[i].chi;
    for (int j = 0; j < 6; j++) a->u[j][i] = laws[i].u[j];
    a->memory[0][i] =
        info->group == SCREE_PLASTIC ? r.max_overlap * uniform(random, 0.0, 1.2) : (info->slots ? 1e-6 : 0.0);
  }
  return laws[0];
}

static void compare(const ScreeLawInfo *info, Arrays *a, int count, uint64_t *random) {
  static ScreeLaw laws[MOST];
  static double memory[MOST];
  ScreeLaw first = fill(info, a, count, random, laws);
  memcpy(memory, a->memory[0], (size_t)count * sizeof *memory);
  ScreeBatch batch = {.count = (size_t)count,
                      .n = first.n,
                      .m = first.m,
                      .r = first.r,
                      .d = a->d,
                      .v = a->v,
                      .k = a->k,
                      .chi = a->chi,
                      .u = {a->u[0], a->u[1], a->u[2], a->u[3], a->u[4], a->u[5]},
                      .memory = {a->memory[0], a->memory[1]},
                      .force = a->force};
  for (int isa = 0; isa < scree_batch_isa_count(); isa++) {
    if (scree_batch_use_isa(scree_batch_isa_name(isa)) != SCREE_OK) continue;
    cr_expect_str_eq(scree_batch_isa(), scree_batch_isa_name(isa));
    memcpy(a->memory[0], memory, (size_t)count * sizeof *memory);
    memset(a->force, 0xff, (size_t)count * sizeof *a->force);
    scree_batch_force(info->law, &batch);
    for (int i = 0; i < count; i++) {
      double own[SCREE_MAX_SLOTS] = {memory[i]};
      double scalar = scree_law_force(info->law, &laws[i], a->d[i], a->v[i], own);
      cr_assert(memcmp(&scalar, &a->force[i], sizeof scalar) == 0, "%s %s contact %d of %d: %.17g, scalar %.17g",
                info->name, scree_batch_isa(), i, count, a->force[i], scalar);
      if (info->slots) cr_assert(memcmp(own, &a->memory[0][i], sizeof *own) == 0, "%s: memory", info->name);
    }
  }
}

Test(batch, bits_are_those_of_the_scalar_law_for_every_instruction_set) {
  uint64_t random = 11;
  Arrays a = allocate(0);
  FOR_EACH_NORMAL_LAW(info) compare(info, &a, MOST, &random);
  free(a.all);
}

Test(batch, odd_sizes_and_unaligned_arrays_work) {
  uint64_t random = 12;
  for (int offset = 0; offset < 8; offset += 3) {
    Arrays a = allocate(offset);
    FOR_EACH_NORMAL_LAW(info)
    for (int count = 0; count < 20; count += 1 + count / 4)
      if (count) compare(info, &a, count, &random);
    free(a.all);
  }
}

Test(batch, other_exponents_take_the_general_path_with_the_same_bits) {
  uint64_t random = 13;
  static ScreeLaw laws[64];
  Arrays a = allocate(0);
  FOR_EACH_NORMAL_LAW(info) {
    if (!(info->flags & SCREE_FREE_EXPONENT)) continue;
    fill(info, &a, 64, &random, laws);
    for (double n = 1.0; n < 3.2; n += 0.25) {
      ScreeBatch batch = {.count = 64,
                          .n = n,
                          .m = 0.5 * (n - 1.0),
                          .r = laws[0].r,
                          .d = a.d,
                          .v = a.v,
                          .k = a.k,
                          .chi = a.chi,
                          .u = {a.u[0], a.u[1], a.u[2], a.u[3], a.u[4], a.u[5]},
                          .memory = {a.memory[0]},
                          .force = a.force};
      static double memory[64];
      memcpy(memory, a.memory[0], sizeof memory);
      scree_batch_force(info->law, &batch);
      for (int i = 0; i < 64; i++) {
        double own[SCREE_MAX_SLOTS] = {memory[i]};
        laws[i].n = n, laws[i].m = batch.m;
        double scalar = scree_law_force(info->law, &laws[i], a.d[i], a.v[i], own);
        cr_assert(memcmp(&scalar, &a.force[i], sizeof scalar) == 0, "%s n=%g: %.17g, scalar %.17g", info->name, n,
                  a.force[i], scalar);
      }
      memcpy(a.memory[0], memory, sizeof memory);
    }
  }
  free(a.all);
}

Test(batch, unknown_instruction_sets_are_refused) {
  cr_expect_eq(scree_batch_use_isa("mmx"), SCREE_UNKNOWN);
  cr_expect_null(scree_batch_isa_name(-1));
  cr_expect_null(scree_batch_isa_name(99));
}
