/* packed.c: see packed.h.
 *
 * The block is a simple cubic lattice, periodic, its grains pressed into each other a little and moving a little: three
 * contacts a grain, as many as a settled bed has (2.7), each with friction that has a history. What it lacks is new
 * neighbours, near misses and walls. */
#include "packed.h"

#include "output.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEWEST 8          /* grains along an edge: smaller periodic blocks are too small for neighbour lists */
#define PER_THREAD 4000.0 /* grains: a thread has enough to do, and the block is made in no time */
#define MOST 64000.0
#define PRESSED 1e-3 /* of the diameter: far below any limit */
#define WARM_STEPS 5
#define STRETCH 5 /* steps */
#define STRETCHES 48
#define MEASURE_SECONDS 0.2

static double unlike(uint64_t i) { /* 0 ... 1, without a pattern */
  i = (i + 1) * 0x9e3779b97f4a7c15u;
  i = (i ^ (i >> 31)) * 0xbf58476d1ce4e5b9u;
  return (double)((i ^ (i >> 29)) >> 11) * 0x1p-53;
}

/* Radii that differ in a scene cost more, because each contact keeps a stiffness of its own: they differ here too. */
static ScreeGrain *make_block(int edge, double radius, bool differ, double speed) {
  ScreeGrain *grain = checked_alloc((size_t)edge * (size_t)edge * (size_t)edge, sizeof *grain);
  for (uint64_t i = 0; i < (uint64_t)edge * (uint64_t)edge * (uint64_t)edge; i++) {
    uint64_t at[] = {i % (uint64_t)edge, i / (uint64_t)edge % (uint64_t)edge, i / (uint64_t)edge / (uint64_t)edge};
    grain[i] = (ScreeGrain){.id = i + 1, .radius = radius};
    if (differ) grain[i].radius *= 1 - 0.1 * PRESSED * unlike(i);
    for (int k = 0; k < 3; k++) {
      grain[i].position[k] = ((double)at[k] + 0.5) * 2 * radius * (1 - PRESSED);
      grain[i].velocity[k] = speed * (unlike(4 * i + (uint64_t)k) - 0.5);
    }
  }
  return grain;
}

static ScreeStatus start_block(const ScreeScene *s, const ScreeWorld *like, int material, int edge,
                               const ScreeGrain *grain, ScreeWorld **world) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_scene_contact_of(s, material, material)->def;
  int id;
  if (isnan(contact.pair.min_speed)) contact.pair.min_speed = scree_pair_def_default().min_speed;
  memset(def.gravity, 0, sizeof def.gravity);
  for (int k = 0; k < 3; k++) {
    def.low[k] = 0, def.high[k] = (double)edge * 2 * (grain[0].position[0]);
    def.periodic[k] = true;
  }
  def.timestep = scree_world_timestep(like);
  def.expected_speed = scree_world_expected_speed(like);
  def.threads = scree_world_threads(like);
  ScreeStatus status = scree_world_create(&def, world);
  if (status == SCREE_OK)
    status = scree_world_add_material(*world, scree_scene_material(s, (size_t)material)->material, &id);
  if (status == SCREE_OK) status = scree_world_set_contact(*world, -1, -1, &contact);
  if (status == SCREE_OK) status = scree_world_add_grains(*world, (size_t)edge * (size_t)edge * (size_t)edge, grain);
  return status == SCREE_OK ? scree_world_start(*world) : status;
}

bool packed_measure(const ScreeScene *scene, const ScreeWorld *world, int material, double low, double high,
                    double grains, Packed *packed) {
  double count = fmin(fmin(grains, PER_THREAD * scree_world_threads(world)), MOST),
         speed = 0.01 * scree_world_expected_speed(world);
  int edge = (int)fmax(FEWEST, ceil(cbrt(count)));
  ScreeGrain *grain = make_block(edge, 0.5 * (low + high), low < high, speed);
  ScreeWorld *block = NULL;
  ScreeStatus status = start_block(scene, world, material, edge, grain, &block);
  if (status == SCREE_OK) status = scree_world_step(block, WARM_STEPS);
  double best = INFINITY, spent = 0; /* the best stretch: what else goes on in the machine only slows */
  for (int i = 0; status == SCREE_OK && i < STRETCHES && spent < MEASURE_SECONDS; i++) {
    double start = wall_clock();
    status = scree_world_step(block, STRETCH);
    double stretch = wall_clock() - start;
    spent += stretch;
    best = fmin(best, stretch);
  }
  bool done = status == SCREE_OK && best > 0;
  count = (double)edge * (double)edge * (double)edge;
  if (done) *packed = (Packed){best / (STRETCH * count), (double)scree_world_bytes(block) / count};
  scree_world_destroy(block);
  free(grain);
  return done;
}
