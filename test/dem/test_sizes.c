/* Grains of very different sizes: a step costs what its contacts cost, not what the largest grain's surroundings hold.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/worlds.h"

enum { HOLES = 8, SIDE = 42, SMALL = SIDE * SIDE * SIDE };
static const double r = 0.5e-3, ratio = 20.0;

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A lattice of small grains that just press each other, with eight holes in it; the large grains fit into them. */
static size_t fill(ScreeGrain *g, bool with_large) {
  double pitch = 2.0 * r * 0.999, side = SIDE * pitch, far = ratio * r;
  ScreeGrain hole[HOLES];
  size_t n = 0;
  for (int b = 0; b < HOLES; b++) {
    hole[b] = (ScreeGrain){.id = (uint64_t)b, .radius = far};
    for (int k = 0; k < 3; k++) hole[b].position[k] = (0.25 + 0.5 * (b >> k & 1)) * side;
    if (with_large) g[n++] = hole[b];
  }
  for (int i = 0; i < SMALL; i++) {
    int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    ScreeGrain grain = {.id = (uint64_t)(HOLES + i), .radius = r};
    bool free = true;
    for (int k = 0; k < 3; k++) {
      grain.position[k] = (at[k] + 0.5) * pitch;
      grain.velocity[k] = 0.4 * ((i * (7 + 4 * k) % 11) / 5.0 - 1.0);
    }
    for (int b = 0; b < HOLES && free; b++) {
      double d2 = 0.0;
      for (int k = 0; k < 3; k++) d2 += pow(grain.position[k] - hole[b].position[k], 2.0);
      free = d2 > pow(far + 0.995 * r, 2.0);
    }
    if (free) g[n++] = grain;
  }
  return n;
}

/* The state is stirred so that lists are made anew. */
static ScreeWorld *stirred(bool with_large) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeGrain *g = malloc((SMALL + HOLES) * sizeof *g);
  size_t n = fill(g, with_large);
  memset(def.gravity, 0, sizeof def.gravity);
  for (int k = 0; k < 3; k++) def.high[k] = SIDE * 2.0 * r * 0.999, def.periodic[k] = true;
  def.expected_speed = 1.0;
  def.timestep = 2e-6; /* the same for both; the small ones ask for it */
  contact.normal = SCREE_LAW_tsuji;
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.25, 2500.0});
  start_with(w, n, g);
  cr_assert_eq(scree_world_step(w, 50), SCREE_OK, "%s", scree_last_error());
  free(g);
  return w;
}

/* Both in turns: a machine that is busy for a while is so for both. */
Test(sizes, large_grains_cost_what_their_contacts_cost) {
  enum { ROUNDS = 4, STEPS = 45 };
  ScreeWorld *w[2] = {stirred(false), stirred(true)};
  ScreeMeasure before[2], after[2];
  double cost[2] = {INFINITY, INFINITY}; /* s of the processor for a step, where it was least disturbed */
  for (int i = 0; i < 2; i++) cr_assert_eq(scree_world_measure(w[i], &before[i]), SCREE_OK);
  for (int n = 0; n < 2 * ROUNDS; n++) {
    double start = processor_seconds();
    cr_assert_eq(scree_world_step(w[n % 2], STEPS), SCREE_OK, "%s", scree_last_error());
    cost[n % 2] = fmin(cost[n % 2], (processor_seconds() - start) / STEPS);
  }
  for (int i = 0; i < 2; i++) {
    cr_assert_eq(scree_world_measure(w[i], &after[i]), SCREE_OK);
    cr_assert(after[i].rebuilds > before[i].rebuilds, "no list was made: the test would not see the search");
    scree_world_destroy(w[i]);
  }
  size_t few = after[0].contacts, many = after[1].contacts;
  double fair = cost[0] * (double)many / (double)few; /* by the contacts that came with the large ones */
  cr_log_info("%.3g s a step alone, %.3g s with grains twenty times as large (%zu and %zu contacts)", cost[0], cost[1],
              few, many);
  cr_assert(many > few + 1000, "%zu and %zu contacts", few, many);
  cr_assert(cost[1] < 1.5 * fair, "%.3g s a step with large grains, %.3g s without", cost[1], cost[0]);
}
