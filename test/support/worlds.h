/* worlds.h: what most tests of the engine begin with. */
#ifndef TEST_WORLDS_H
#define TEST_WORLDS_H

#include "cases.h"

/* A world of one material, the first, which meets itself and walls by one contact. */
static inline ScreeWorld *empty_world(const ScreeWorldDef *def, const ScreeContactDef *contact,
                                      ScreeMaterial material) {
  ScreeWorld *w = NULL;
  int id;
  cr_assert_eq(scree_world_create(def, &w), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_add_material(w, material, &id), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_set_contact(w, -1, -1, contact), SCREE_OK, "%s", scree_last_error());
  return w;
}

static inline void start_with(ScreeWorld *w, size_t count, const ScreeGrain *grain) {
  cr_assert_eq(scree_world_add_grains(w, count, grain), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
}

/* Uniform in [low, high), by Knuth's linear congruences: where grains are scattered, and how often they then meet,
 * hangs on the generator as on the seed. */
static inline double random_in(uint64_t *seed, double low, double high) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * ((double)(*seed >> 11) * 0x1p-53);
}

#endif
