/* catalogue.c: the one place where every law's .inl is compiled for scalar use, and the table that the rows of
 * catalogue.def expand to. */
#define SCREE_CATALOGUE
#include "catalogue.h"

#include "core/foreign.h"
#include "core/nearest.h"

#include <string.h>

#include "forms.h"
#include "laws.inc" /* generated: #include of every src/models/<law>.inl */

/* ---- the table ---- */

#define NO_EXPONENT NAN
#define CONSTANT_E SCREE_CONSTANT_E
#define USES_V0 SCREE_USES_V0
#define ATTRACTIVE SCREE_ATTRACTIVE
#define EMPIRICAL SCREE_EMPIRICAL
#define FREE_EXPONENT SCREE_FREE_EXPONENT
#define DELIVERS_E SCREE_DELIVERS_E
#define LOOP_WORK SCREE_LOOP_WORK
#define SELF_CLAMPED SCREE_SELF_CLAMPED
#define INTERNAL_ONLY SCREE_INTERNAL_ONLY
#define ELASTIC SCREE_ELASTIC
#define FACTOR SCREE_FACTOR

#define NORMAL_OPS(id)                                                                                                 \
  { id##_prepare, id##_touch, id##_force, id##_damping, id##_stored, id##_lost, id##_rest, id##_branch, id##_rate }
#define OPS_POINT(id) NORMAL_OPS(id)
#define OPS_PLASTIC(id) NORMAL_OPS(id)
#define OPS_LINE(id) NORMAL_OPS(id)
#define OPS_TANGENTIAL(id)                                                                                             \
  { NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

static const ScreeLawOps operations[] = {
#define SCREE_LAW(id, group, ...) OPS_##group(id),
#include "scree/catalogue.def"
#undef SCREE_LAW
};

/* Static initialisers cannot count a table that ends with a sentinel; the count is a size less one. */
static const ScreeLawInfo infos[] = {
#define SCREE_LAW(id, group, exponent, damping, rate, slots, flags, domain, aliases, reference, formula, limits)       \
  {SCREE_LAW_##id, #id,     aliases, SCREE_##group, exponent,                                                          \
   damping,        rate,    slots,   flags,         SCREE_##domain,                                                    \
   reference,      formula, limits,  id##_params,   (int)(sizeof id##_params / sizeof *id##_params) - 1},
#include "scree/catalogue.def"
#undef SCREE_LAW
};

const ScreeLawOps *scree_law_ops(ScreeLawId law) { return &operations[law]; }

const ScreeLawInfo *scree_law_info(ScreeLawId law) { return (unsigned)law < SCREE_LAW_COUNT ? &infos[law] : NULL; }

const char *scree_group_name(ScreeGroup group) {
  static const char *const names[] = {"point", "plastic", "line", "tangential"};
  return (unsigned)group < SCREE_GROUP_COUNT ? names[group] : "unknown";
}

const char *scree_param_name(ScreeParamId param) {
  static const char *const names[] = {
#define SCREE_PARAM(name) #name,
#include "scree/params.def"
#undef SCREE_PARAM
  };
  return (unsigned)param < SCREE_PARAM_COUNT ? names[param] : "";
}

const ScreeParamInfo *scree_law_param(ScreeLawId law, const char *name) {
  const ScreeLawInfo *info = name ? scree_law_info(law) : NULL;
  for (int i = 0; info && i < info->param_count; i++)
    if (strcmp(info->params[i].name, name) == 0) return &info->params[i];
  return NULL;
}

/* ---- finding a law ---- */

static bool has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; length > 0 && (at = strstr(at, word)); at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
  return false;
}

/* How far a law is from what was typed: a name that contains the word is near. */
static int unlikeness(const ScreeLawInfo *info, const char *name) {
  bool part =
      strlen(name) >= 3 && (strstr(info->name, name) || strstr(name, info->name) || strstr(info->aliases, name));
  return part ? 0 : scree_edit_distance(info->name, name);
}

ScreeStatus scree_law_find(const char *name, ScreeLawId *law) {
  if (!name) return scree_fail(SCREE_UNKNOWN, "no law was named");
  for (int i = 0; i < SCREE_LAW_COUNT; i++)
    if (strcmp(infos[i].name, name) == 0 || has_word(infos[i].aliases, name)) return *law = (ScreeLawId)i, SCREE_OK;
  const char *here = scree_foreign_word(name);
  if (here) return scree_fail(SCREE_UNKNOWN, "unknown law \"%.60s\": %s", name, here);
  enum { SUGGESTIONS = 3 };
  int best[SUGGESTIONS] = {-1, -1, -1};
  for (int i = 0; i < SCREE_LAW_COUNT; i++) {
    int candidate = i;
    for (int j = 0; j < SUGGESTIONS; j++) {
      if (best[j] >= 0 && unlikeness(&infos[best[j]], name) <= unlikeness(&infos[candidate], name)) continue;
      int moved = best[j];
      best[j] = candidate;
      candidate = moved;
      if (candidate < 0) break;
    }
  }
  return scree_fail(SCREE_UNKNOWN, "unknown law \"%.60s\"; nearest: %s, %s, %s", name, infos[best[0]].name,
                    infos[best[1]].name, infos[best[2]].name);
}

/* ---- one contact ---- */

ScreeLaw scree_law_touch(const ScreePair *pair, double v0, double *memory) {
  for (int i = 0; i < infos[pair->law].slots; i++) memory[i] = 0.0;
  return operations[pair->law].touch(pair, v0);
}
double scree_law_force(ScreeLawId id, const ScreeLaw *law, double d, double v, double *memory) {
  return operations[id].force(law, d, v, memory);
}
double scree_law_damping(ScreeLawId id, const ScreeLaw *law, double d, double v, const double *memory) {
  return operations[id].damping(law, d, v, memory);
}
double scree_law_stored(ScreeLawId id, const ScreeLaw *law, double d, const double *memory) {
  return operations[id].stored(law, d, memory);
}
double scree_law_lost(ScreeLawId id, const ScreeLaw *law, const double *memory) {
  return operations[id].lost(law, memory);
}
double scree_law_rest(ScreeLawId id, const ScreeLaw *law, const double *memory) {
  return operations[id].rest(law, memory);
}
double scree_law_branch(ScreeLawId id, const ScreeLaw *law, double d, double v, const double *memory) {
  return operations[id].branch(law, d, v, memory);
}
double scree_law_rate(ScreeLawId id, const ScreeLaw *law, double d, double v, const double *memory) {
  return operations[id].rate(law, d, v, memory);
}

/* ---- tangential laws: the third kind of kernel, without a normal law's operations ---- */

double scree_tangential_stiffness(const ScreeTangential *t, double d) {
  switch (t->law) {
  case SCREE_LAW_mindlin: return mindlin_stiffness(t, d);
  case SCREE_LAW_tangential_linear: return tangential_linear_stiffness(t, d);
  default: return coulomb_stiffness(t, d);
  }
}

double scree_coulomb_force(const ScreeTangential *t, double normal_force, double vt) {
  return coulomb_step(t, 0.0, normal_force, vt, 0.0, NULL);
}

double scree_tangential_step(const ScreeTangential *t, double d, double normal_force, double vt, double dt,
                             double memory[2]) {
  switch (t->law) {
  case SCREE_LAW_mindlin: return mindlin_step(t, d, normal_force, vt, dt, memory);
  case SCREE_LAW_tangential_linear: return tangential_linear_step(t, d, normal_force, vt, dt, memory);
  default: return coulomb_step(t, d, normal_force, vt, dt, memory);
  }
}
