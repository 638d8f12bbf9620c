/* batch.c: the vectorised kernels against the scalar law, bit for bit. */
#include <string.h>

#include "oracle.h"

enum { COUNT = 101 }; /* no multiple of a vector */

typedef struct Contacts {
  double d[COUNT], root[COUNT], fourth[COUNT], v[COUNT], k[COUNT], chi[COUNT], u[6][COUNT], memory[COUNT], force[COUNT];
  ScreeLaw law[COUNT];
} Contacts;

static bool prepare(Contacts *c, const ScreeLawInfo *info) {
  uint64_t random = 11;
  ScreeImpactDef def = scree_sample_case(info, 0.6);
  ScreeImpactResult r;
  if (scree_freeze_strength(&def) != SCREE_OK || scree_impact_run(&def, &r) != SCREE_OK) return false;
  for (int i = 0; i < COUNT; i++) {
    double memory[SCREE_MAX_SLOTS];
    c->law[i] = scree_law_touch(&r.pair, def.pair.speed * scree_uniform(&random, 0.5, 1.5), memory);
    c->law[i].k *= scree_uniform(&random, 0.9, 1.1);
    c->d[i] = r.max_overlap * scree_uniform(&random, 0.01, 1.0);
    c->root[i] = sqrt(c->d[i]), c->fourth[i] = sqrt(c->root[i]);
    c->v[i] = def.pair.speed * scree_uniform(&random, -1.0, 1.0);
    c->k[i] = c->law[i].k;
    c->chi[i] = c->law[i].chi;
    for (int j = 0; j < 6; j++) c->u[j][i] = c->law[i].u[j];
    c->memory[i] =
        info->group == SCREE_PLASTIC ? r.max_overlap * scree_uniform(&random, 0.0, 1.2) : (info->slots ? 1e-6 : 0.0);
  }
  return true;
}

static void bits(ScreeCheck *check, const ScreeLawInfo *info) {
  static _Thread_local Contacts c;
  char before[32];
  strncpy(before, scree_batch_isa(), sizeof before - 1);
  before[sizeof before - 1] = '\0';
  if (!prepare(&c, info)) return scree_tally_failure(check, "contacts");
  for (int way = 0; way < 2 * scree_batch_isa_count(); way++) {
    bool rooted = way % 2; /* the roots are known */
    if (scree_batch_use_isa(scree_batch_isa_name(way / 2)) != SCREE_OK) continue;
    double memory[COUNT];
    memcpy(memory, c.memory, sizeof memory);
    ScreeBatch batch = {.count = COUNT,
                        .n = c.law[0].n,
                        .m = c.law[0].m,
                        .r = c.law[0].r,
                        .d = c.d,
                        .root = rooted ? c.root : NULL,
                        .fourth = rooted ? c.fourth : NULL,
                        .v = c.v,
                        .k = c.k,
                        .chi = c.chi,
                        .u = {c.u[0], c.u[1], c.u[2], c.u[3], c.u[4], c.u[5]},
                        .memory = {memory},
                        .force = c.force};
    scree_batch_force(info->law, &batch);
    int different = 0;
    for (int i = 0; i < COUNT; i++) {
      double own[SCREE_MAX_SLOTS] = {c.memory[i]};
      double scalar = scree_law_force(info->law, &c.law[i], c.d[i], c.v[i], own);
      different += memcmp(&scalar, &c.force[i], sizeof scalar) != 0 ||
                   (info->slots && memcmp(own, &memory[i], sizeof *own) != 0);
    }
    scree_tally(check, different, "%s, %s: %d of %d contacts differ", scree_batch_isa(),
                rooted ? "roots known" : "plain", different, COUNT);
  }
  scree_batch_use_isa(before);
}

static const Oracle oracles[] = {
    {"bits", "batches have the bits of the scalar law on every instruction set", 0.0, bits, scree_is_normal}};

const Suite scree_suite_batch = {.name = "batch", .oracles = oracles, .count = sizeof oracles / sizeof *oracles};
