/* bench_parts.c: clock, options, spread of values, and the settled bed of the benchmarks. */
#include "bench_parts.h"

#include "case.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

double bench_clock(int threads) {
  struct timespec t;
  clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

long bench_count(const char *option, const char *argument, double low, double high, const struct argp_state *state) {
  double count = 0;
  if (read_quantity(argument, "1", (Limits){low, high, false}, &count) != SCREE_OK || count != floor(count))
    refuse(state, "--%s must be a whole number in %g ... %g (got \"%s\")", option, low, high, argument);
  return (long)count;
}

double bench_seconds(const char *option, const char *argument, double most, const struct argp_state *state) {
  double seconds = 0;
  if (read_quantity(argument, "s", (Limits){0, most, true}, &seconds) != SCREE_OK)
    refuse(state, "--%s must be more than 0 and at most %g s (got \"%s\")", option, most, argument);
  return seconds;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

Spread bench_spread(double *value, size_t count) {
  if (count == 0) return (Spread){NAN, NAN, NAN};
  qsort(value, count, sizeof *value, ascending);
  return (Spread){value[0], 0.5 * (value[(count - 1) / 2] + value[count / 2]), value[count - 1]};
}

/* ---- the bed ---------------------------------------------------------------------------------------------------- */

static const double diameter = 1e-3, width = BED_SIDE * 1.08e-3; /* m; width: of one copy */

BedDef bed_def_default(void) {
  BedDef def = {scree_world_def_default(), scree_contact_def_default(), {1, 1}};
  def.world.low[2] = -diameter, def.world.high[2] = 2.5 * BED_LAYERS * diameter;
  def.world.periodic[0] = def.world.periodic[1] = true;
  def.world.gravity[2] *= 3.0; /* presses the bed to six contacts a grain, the state that the figures are stated for */
  def.world.expected_speed = 0.5;
  def.contact.normal = SCREE_LAW_tsuji;
  def.contact.pair.restitution = 0.5;
  return def;
}

static size_t grains_of(const BedDef *def) { return (size_t)def->copies[0] * (size_t)def->copies[1] * BED_GRAINS; }

/* The tile side by side with itself. */
static void repeat(const BedDef *def, const ScreeGrain *tile, ScreeGrain *all) {
  size_t across = (size_t)def->copies[0];
  for (size_t i = 0; i < grains_of(def); i++) {
    size_t copy = i / BED_GRAINS;
    all[i] = tile[i % BED_GRAINS];
    all[i].id = i;
    all[i].position[0] += width * (double)(copy % across);
    all[i].position[1] += width * (double)(copy / across);
  }
}

ScreeStatus bed_build(const BedDef *def, const ScreeGrain tile[BED_GRAINS], ScreeWorld **world) {
  ScreeWorldDef box = def->world;
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  size_t count = grains_of(def);
  ScreeGrain *all = checked_alloc(count, sizeof *all);
  int id;
  for (int k = 0; k < 2; k++) box.high[k] = width * def->copies[k];
  repeat(def, tile, all);
  ScreeStatus status = scree_world_create(&box, world);
  if (status == SCREE_OK) status = scree_world_add_material(*world, (ScreeMaterial){BED_YOUNG, 0.25, 2500.0}, &id);
  if (status == SCREE_OK) status = scree_world_set_contact(*world, -1, -1, &def->contact);
  if (status == SCREE_OK) status = scree_world_add_wall(*world, &floor, NULL);
  if (status == SCREE_OK) status = scree_world_add_grains(*world, count, all);
  if (status == SCREE_OK) status = scree_world_start(*world);
  free(all);
  return status;
}

/* Loose layers fall and come to rest; without friction, so that they pack to nearly six contacts a grain. */
ScreeStatus bed_settle(int threads, ScreeGrain g[BED_GRAINS]) {
  BedDef def = bed_def_default();
  ScreeWorld *world = NULL;
  uint64_t random = 12345;
  for (int i = 0; i < BED_GRAINS; i++) {
    g[i] = (ScreeGrain){.radius = 0.5 * diameter};
    int at[3] = {i % BED_SIDE, i / BED_SIDE % BED_SIDE, i / BED_SIDE / BED_SIDE};
    for (int k = 0; k < 3; k++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      double jitter = ((double)(random >> 11) * 0x1p-53 - 0.5) * 0.07 * diameter;
      g[i].position[k] = (at[k] + 0.5) * (k == 2 ? 1.1 * diameter : width / BED_SIDE) + jitter;
      g[i].velocity[k] = jitter * 2e3;
    }
  }
  def.world.threads = threads;
  def.contact.tangential = SCREE_LAW_NONE;
  ScreeStatus status = bed_build(&def, g, &world);
  if (status == SCREE_OK) status = scree_world_step(world, lround(0.12 / scree_world_timestep(world)));
  if (status == SCREE_OK) status = scree_world_read(world, g);
  scree_world_destroy(world);
  return status;
}
