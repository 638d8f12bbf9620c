/* race.c: worlds of several threads for a sanitizer that watches threads (preset tsan). A plain program: Criterion
 * forks and keeps threads of its own, which such a sanitizer does not follow. Everything the engine shares between
 * threads is passed through here: rebuilds, contacts that begin and end, friction, rolling, memory of plastic laws,
 * walls, periodic crossings, fixed grains, a stream and an outlet, several worlds at once, failures. Each run must also
 * have one thread's bits. */
#include <math.h>
#include <pthread.h>
#include <scree/scree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* src/dem/engine.h */
extern double scree_grains_per_thread;
extern size_t scree_grains_per_tile, scree_early_from;
extern enum { HELP_WHEN_DONE, HELP_NEVER, HELP_FIRST } scree_helpfulness;

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if ((call) != SCREE_OK) {                                                                                          \
      fprintf(stderr, "race.c:%d: %s\n", __LINE__, scree_last_error());                                                \
      exit(EXIT_FAILURE);                                                                                              \
    }                                                                                                                  \
  } while (0)

enum { SIDE = 5, COUNT = SIDE * SIDE * SIDE };

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

/* A shaken box, periodic in x and y, with a moving fixed grain in it: half of glass, half of a plastic material. */
static ScreeWorld *shaken(int threads, double max_overlap) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef viscous = scree_contact_def_default(), plastic = viscous;
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}}, ring = {.shape = SCREE_WALL_DISC,
                                                                               .point = {0.5, 0.5, 0.2},
                                                                               .axis = {0, 0, 1},
                                                                               .radius = 0.3,
                                                                               .radius2 = 0.1};
  ScreeGrain grain[COUNT];
  ScreeWorld *world = NULL;
  int soft, hard;
  uint64_t random = 11;
  def.periodic[0] = def.periodic[1] = true;
  def.body_force[0] = 9000.0;
  def.expected_speed = 2.0;
  def.max_overlap = max_overlap;
  def.threads = threads;
  viscous.normal = SCREE_LAW_tsuji;
  viscous.rolling_model = SCREE_ROLLING_SPRING;
  viscous.rolling = 0.1;
  viscous.twisting = 0.05;
  plastic.normal = SCREE_LAW_hysteretic_linear;
  plastic.pair.stiffness = 4e5;
  CHECK(scree_world_create(&def, &world));
  CHECK(scree_world_add_material(world, (ScreeMaterial){7e7, 0.25, 2500.0}, &soft));
  CHECK(scree_world_add_material(world, (ScreeMaterial){5e7, 0.3, 1500.0}, &hard));
  CHECK(scree_world_set_contact(world, -1, -1, &viscous));
  CHECK(scree_world_set_contact(world, hard, hard, &plastic));
  CHECK(scree_world_add_wall(world, &floor, NULL));
  CHECK(scree_world_add_wall(world, &ring, NULL));
  for (int i = 0; i < COUNT; i++) {
    int cell[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    grain[i] = (ScreeGrain){.id = (uint64_t)(i * 7 % COUNT), .radius = 0.06 + 0.03 * uniform(&random)};
    grain[i].material = i % 2 ? soft : hard;
    grain[i].fixed = i == COUNT / 2;
    for (int k = 0; k < 3; k++) {
      grain[i].position[k] = (cell[k] + 0.5) / SIDE;
      grain[i].velocity[k] = 2.0 * uniform(&random) - 1.0;
      grain[i].spin[k] = 20.0 * uniform(&random) - 10.0;
    }
    if (grain[i].fixed) memset(grain[i].velocity, 0, sizeof grain[i].velocity), grain[i].velocity[1] = 0.3;
  }
  CHECK(scree_world_add_grains(world, COUNT, grain));
  ScreeStreamDef rain = scree_stream_def_default();
  rain.region = (ScreeRegion){.shape = SCREE_REGION_BOX, .low = {0, 0, 0.8}, .high = {1, 1, 1.0}};
  rain.sizes = (ScreeSizes){.kind = SCREE_SIZES_UNIFORM, .min = 0.02, .max = 0.05};
  rain.number_rate = 3000.0;
  rain.material = soft;
  rain.velocity[2] = -1.0;
  ScreeRegion drain = {.shape = SCREE_REGION_SPHERE, .point = {0.5, 0.5, 0.0}, .radius = 0.3};
  CHECK(scree_world_add_stream(world, &rain, NULL));
  ScreeOpeningDef opening = scree_opening_def_default();
  opening.point[0] = opening.point[1] = opening.point[2] = 0.4, opening.radius = 0.2;
  opening.normal[2] = 1.0, opening.towards[2] = -1.0;
  CHECK(scree_world_add_outlet(world, &drain, NULL));
  CHECK(scree_world_set_opening(world, 0, &opening));
  CHECK(scree_world_start(world));
  return world;
}

static uint64_t run(int threads, long steps, ScreeMeasure *m) {
  ScreeWorld *world = shaken(threads, 0.5);
  for (int part = 0; part < 4; part++) {
    CHECK(scree_world_step(world, steps / 4));
    CHECK(scree_world_measure(world, m));
  }
  uint64_t hash = scree_world_hash(world);
  scree_world_destroy(world);
  return hash;
}

/* A long block of grains on a floor, each pressed against its neighbours: threads that help add to the same grains as
 * their owners, and those that do not go two steps at a time, showing each other what they owe. */
static uint64_t run_packed(int threads) {
  enum { LONG = 48, EDGE = 3, GRAINS = LONG * EDGE * EDGE };
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  ScreeGrain grain[GRAINS];
  ScreeWorld *world = NULL;
  int material;
  def.high[0] = LONG * 0.0995;
  def.periodic[0] = true;
  def.expected_speed = 1.0;
  def.threads = threads;
  CHECK(scree_world_create(&def, &world));
  CHECK(scree_world_add_material(world, (ScreeMaterial){7e7, 0.25, 2500.0}, &material));
  CHECK(scree_world_set_contact(world, -1, -1, &contact));
  CHECK(scree_world_add_wall(world, &floor, NULL));
  for (int i = 0; i < GRAINS; i++) {
    grain[i] = (ScreeGrain){.id = (uint64_t)i, .radius = 0.05};
    for (int k = 0; k < 3; k++)
      grain[i].position[k] = 0.05 + 0.0995 * (k == 0 ? i / (EDGE * EDGE) : k == 1 ? i / EDGE % EDGE : i % EDGE);
  }
  CHECK(scree_world_add_grains(world, GRAINS, grain));
  CHECK(scree_world_start(world));
  CHECK(scree_world_step(world, 400));
  uint64_t hash = scree_world_hash(world);
  scree_world_destroy(world);
  return hash;
}

static void *run_beside(void *hash) {
  ScreeMeasure m;
  *(uint64_t *)hash = run(2, 400, &m);
  return NULL;
}

int main(void) {
  ScreeMeasure one, many;
  bool same = true;
  scree_grains_per_thread = 1.0; /* all threads take part, few as the grains are, */
  scree_grains_per_tile = 10;    /* and have tiles to help each other with */
  uint64_t hash = run(1, 1200, &one), packed = run_packed(1);
  for (int threads = 2; threads <= 4; threads++)
    for (int help = HELP_WHEN_DONE; help <= HELP_FIRST; help++) {
      scree_helpfulness = help;
      scree_early_from = 0; /* and are swept while the others are at work */
      bool equal = run(threads, 1200, &many) == hash && many.residual == one.residual && many.kinetic == one.kinetic &&
                   run_packed(threads) == packed;
      if (!equal) fprintf(stderr, "race.c: %d threads give other bits than one (help %d)\n", threads, help);
      same = same && equal;
    }
  printf("%ld rebuilds, %zu contacts, lost %.3g J plastically, %.3g J in rolling; %zu came, %zu went\n", one.rebuilds,
         one.contacts, one.dissipated_plastic, one.dissipated_rolling, one.inserted.grains, one.removed.grains);
  if (one.inserted.grains < 20 || one.removed.grains < 5 || one.rebuilds < 10 || one.contacts < 20 ||
      !(one.dissipated_plastic > 0.0 && one.dissipated_rolling > 0.0)) {
    fprintf(stderr, "race.c: this run shows too little\n");
    return EXIT_FAILURE;
  }

  /* worlds beside each other */
  pthread_t other[2];
  uint64_t beside[2] = {0, 1};
  for (int i = 0; i < 2; i++)
    if (pthread_create(&other[i], NULL, run_beside, &beside[i]) != 0) return EXIT_FAILURE;
  for (int i = 0; i < 2; i++) pthread_join(other[i], NULL);
  same = same && beside[0] == beside[1];

  /* a run that stops: the sentence comes from one of the threads */
  ScreeWorld *world = shaken(3, 0.02);
  ScreeStatus status = scree_world_step(world, 100000);
  if (status != SCREE_OUT_OF_RANGE) {
    fprintf(stderr, "race.c: the overlap limit was not met: %s\n", scree_status_name(status));
    same = false;
  }
  scree_world_destroy(world);
  return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
