/* engine.c: `scree-bench engine`: what every law of the catalogue costs in the particle engine, and every instruction
 * set: a step of one settled bed, beside the same step with Hertz-Mindlin's (tsuji and mindlin, AVX-512 or whatever the
 * machine has best). Both are measured in turns: what disturbs the one disturbs the other. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 12, LAYERS = 24, GRAINS = SIDE * SIDE * LAYERS, TURNS = 7 };

static const double diameter = 1e-3, width = SIDE * 1.06e-3, timestep = 4e-6, stiffness = 100.0;

/* Laws whose force needs more than roots: pow, cbrt, exp, log, or a branch into one of them. */
static bool needs_powers(ScreeLawId law) {
  static const ScreeLawId laws[] = {SCREE_LAW_bordbar_hyppanen,
                                    SCREE_LAW_thornton,
                                    SCREE_LAW_yigit,
                                    SCREE_LAW_yigit_linear,
                                    SCREE_LAW_jian,
                                    SCREE_LAW_xiong,
                                    SCREE_LAW_choi,
                                    SCREE_LAW_roy_carretero,
                                    SCREE_LAW_goldsmith_plastic,
                                    SCREE_LAW_empirical_m1};
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
    if (laws[i] == law) return true;
  return false;
}

static ScreeWorld *bed(ScreeLawId normal, const ScreeGrain *g) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  const ScreeLawInfo *info = scree_law_info(normal);
  ScreeWorld *world = NULL;
  int id;
  def.high[0] = def.high[1] = width, def.high[2] = 1.5 * LAYERS * diameter, def.low[2] = -diameter;
  def.periodic[0] = def.periodic[1] = true;
  def.expected_speed = 0.5;
  def.timestep = timestep;
  def.max_overlap = 0.5; /* some laws are soft */
  contact.normal = normal;
  contact.pair.restitution = info->domain == SCREE_E_NONE ? NAN : 0.7;
  if (info->exponent == 1.0 && normal != SCREE_LAW_yigit_linear) contact.pair.stiffness = stiffness;
  bench_check(scree_world_create(&def, &world), info->name);
  bench_check(scree_world_add_material(world, (ScreeMaterial){1e7, 0.25, 2500.0}, &id), info->name);
  bench_check(scree_world_set_contact(world, -1, -1, &contact), info->name);
  bench_check(scree_world_add_wall(world, &floor, NULL), info->name);
  bench_check(scree_world_add_grains(world, GRAINS, g), info->name);
  bench_check(scree_world_start(world), info->name);
  return world;
}

/* Loose layers fall and come to rest. */
static void settle(ScreeGrain *g) {
  uint64_t random = 12345;
  for (int i = 0; i < GRAINS; i++) {
    g[i] = (ScreeGrain){.id = (uint64_t)i, .radius = 0.5 * diameter};
    int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    for (int k = 0; k < 3; k++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      double jitter = ((double)(random >> 11) * 0x1p-53 - 0.5) * 0.05 * diameter;
      g[i].position[k] = (at[k] + 0.5) * (k == 2 ? 1.08 * diameter : width / SIDE) + jitter;
    }
  }
  ScreeWorld *world = bed(SCREE_LAW_tsuji, g);
  bench_check(scree_world_step(world, lround(0.08 / timestep)), "settling");
  bench_check(scree_world_read(world, g), "settling");
  for (int i = 0; i < GRAINS; i++)
    memset(g[i].velocity, 0, sizeof g[i].velocity), memset(g[i].spin, 0, sizeof g[i].spin);
  scree_world_destroy(world);
}

/* Contacts, and nanoseconds of a step for each. */
typedef struct Cost {
  double best;
  size_t contacts;
} Cost;

static void measure(ScreeWorld *world, long steps, Cost *cost) {
  ScreeMeasure m;
  double begin = bench_clock();
  bench_check(scree_world_step(world, steps), "engine");
  double spent = bench_clock() - begin;
  bench_check(scree_world_measure(world, &m), "engine");
  cost->contacts = m.contacts;
  cost->best = fmin(cost->best, 1e9 * spent / (double)steps / (double)m.contacts);
}

typedef struct Row {
  const char *name;
  double cost, ratio, limit;
  size_t contacts;
} Row;

/* One law beside the reference; each goes on with its own bed on its own instruction set. */
static Row compare(const char *name, ScreeLawId law, const char *isa, const char *best_isa, double limit,
                   const ScreeGrain *g, double seconds) {
  ScreeWorld *world[2] = {bed(SCREE_LAW_tsuji, g), bed(law, g)};
  const char *set[2] = {best_isa, isa};
  Cost cost[2] = {{.best = INFINITY}, {.best = INFINITY}};
  long steps = 8;
  for (int turn = 0; turn <= TURNS; turn++)
    for (int k = 0; k < 2; k++) {
      double begin = bench_clock();
      bench_check(scree_batch_use_isa(set[k]), name);
      measure(world[k], steps, &cost[k]);
      if (turn == 0) cost[k].best = INFINITY; /* warm */
      double spent = bench_clock() - begin;
      if (turn == 0 && k == 1) steps = (long)fmax(8.0, (double)steps * seconds / (2.0 * TURNS) / fmax(spent, 1e-6));
    }
  bench_check(scree_batch_use_isa(best_isa), name);
  for (int k = 0; k < 2; k++) scree_world_destroy(world[k]);
  return (Row){name, cost[1].best, cost[1].best / cost[0].best, limit, cost[1].contacts};
}

static void print_row(const Row *r, bool json, bool first) {
  bool above = r->limit >= 1.0; /* a price has a limit above, a share of speed one below */
  double shown = above ? r->ratio : 1.0 / r->ratio;
  bool met = above ? shown <= r->limit : shown >= r->limit;
  if (json)
    printf(
        "%s\n  {\"name\": \"%s\", \"nanoseconds_per_contact\": %.4g, \"contacts\": %zu, \"%s\": %.4g, \"limit\": %.3g, "
        "\"met\": %s}",
        first ? "" : ",", r->name, r->cost, r->contacts, above ? "cost_ratio" : "speed_ratio", shown, r->limit,
        met ? "true" : "false");
  else
    printf("%-32s %8.2f ns a contact  %6.2f  limit %.2f  %s\n", r->name, r->cost, shown, r->limit, met ? "" : "BEYOND");
  fflush(stdout);
}

static bool is_met(const Row *r) { return r->limit >= 1.0 ? r->ratio <= r->limit : 1.0 / r->ratio >= r->limit; }

int bench_engine(const BenchOptions *options) {
  static ScreeGrain g[GRAINS];
  const char *best = scree_batch_isa();
  int beyond = 0, count = 0;
  settle(g);
  if (options->json) printf("{\"grains\": %d, \"instruction_set\": \"%s\", \"rows\": [", GRAINS, best);
  for (int law = 0; law < SCREE_LAW_COUNT; law++) {
    const ScreeLawInfo *info = scree_law_info((ScreeLawId)law);
    if (info->group != SCREE_POINT && info->group != SCREE_PLASTIC) continue;
    if (options->some && !options->only[law]) continue;
    Row r = compare(info->name, (ScreeLawId)law, best, best, needs_powers((ScreeLawId)law) ? 2.5 : 1.3, g,
                    options->seconds);
    print_row(&r, options->json, count++ == 0);
    beyond += !is_met(&r);
  }
  for (int i = 0; i < scree_batch_isa_count() && !options->some; i++) {
    const char *isa = scree_batch_isa_name(i);
    if (strcmp(isa, best) == 0 || scree_batch_use_isa(isa) != SCREE_OK) continue;
    Row r = compare(isa, SCREE_LAW_tsuji, isa, best, strstr(isa, "v3") ? 0.6 : 0.35, g, 4.0 * options->seconds);
    print_row(&r, options->json, count++ == 0);
    beyond += !is_met(&r);
  }
  if (options->json) printf("\n]}\n");
  return beyond == 0 ? EXIT_DONE : EXIT_FAILED;
}
