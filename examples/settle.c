/* settle.c: grains fall into a box, and every joule is accounted for. Build against the installed library:
 *     cc settle.c $(pkg-config --cflags --libs scree) -lm -o settle
 *
 * All numbers are SI: metres, kilograms, seconds, pascals, radians. */
#include <math.h>
#include <scree/scree.h>
#include <stdio.h>
#include <stdlib.h>

/* No call of the library prints or exits. A fallible one returns a status, and scree_last_error() holds a sentence that
 * names the value and its limit; what to do about it is the program's business. */
#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if ((call) != SCREE_OK) {                                                                                          \
      fprintf(stderr, "settle: %s\n", scree_last_error());                                                             \
      return EXIT_FAILURE;                                                                                             \
    }                                                                                                                  \
  } while (0)

enum { SIDE = 6, LAYERS = 8, COUNT = SIDE * SIDE * LAYERS };
static const double width = 0.06, height = 0.2; /* of the box [m] */

/* A number in 0 ... 1 that depends on its index alone, so that the program prints the same on every machine. */
static double scatter(int index) {
  unsigned h = (unsigned)index * 2654435761u;
  h = (h ^ (h >> 15)) * 2246822519u;
  return (double)((h ^ (h >> 13)) & 0xffffu) / 65536.0;
}

/* Grains on a loose lattice in the upper part of the box. The array stays ours: the world copies what it is given. */
static void place(ScreeGrain *grain, int material) {
  double cell = width / SIDE;
  for (int i = 0; i < COUNT; i++) {
    int column[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    grain[i] = (ScreeGrain){.id = (uint64_t)i, .material = material}; /* ids are the caller's: unique, permanent */
    grain[i].radius = 3.5e-3 + 1e-3 * scatter(i);
    for (int k = 0; k < 3; k++) {
      grain[i].position[k] = (column[k] + 0.5) * cell;
      grain[i].velocity[k] = 0.2 * (scatter(COUNT * (k + 1) + i) - 0.5);
    }
    grain[i].position[2] += 0.08;
  }
}

int main(void) {
  /* Every struct a caller fills has a function that gives its defaults: gravity -9.81 m/s2 along z, one thread, the
   * time step chosen by the library. */
  ScreeWorldDef def = scree_world_def_default();
  for (int k = 0; k < 3; k++) { /* grains that leave the domain stop the run */
    def.low[k] = 0.0;
    def.high[k] = k < 2 ? width : height;
  }

  /* The world is ours from here on, until scree_world_destroy. */
  ScreeWorld *world = NULL;
  CHECK(scree_world_create(&def, &world));

  /* Glass, with a modulus a thousand times too low: the time step grows thirtyfold, the bed hardly changes. */
  int glass;
  CHECK(scree_world_add_material(world, (ScreeMaterial){.young = 7e7, .poisson = 0.22, .density = 2500.0}, &glass));

  /* How grains meet: zhang_sharf with restitution 0.8 and mindlin with friction 0.5, unless changed. -1, -1: all pairs
   * of materials, walls included. */
  ScreeContactDef contact = scree_contact_def_default();
  contact.pair.restitution = 0.7;
  contact.pair.param[SCREE_PARAM_mu] = 0.4;
  CHECK(scree_world_set_contact(world, -1, -1, &contact));

  ScreeWallDef box = {.shape = SCREE_WALL_BOX, .inside = true, .high = {width, width, height}, .material = glass};
  CHECK(scree_world_add_wall(world, &box, NULL));

  ScreeGrain *grain = malloc(COUNT * sizeof *grain);
  if (!grain) return EXIT_FAILURE;
  place(grain, glass);
  CHECK(scree_world_add_grains(world, COUNT, grain));

  /* Checks the whole and chooses the time step; nothing can be added after it. */
  CHECK(scree_world_start(world));
  double dt = scree_world_timestep(world);
  printf("%d grains, time step %.3g s: %s\n\n", COUNT, dt, scree_world_timestep_reason(world));

  /* The ledger: kinetic + potential + elastic + all that was lost = what there was at the start (in mJ here). */
  printf("time [s]  contacts   kinetic  potential   elastic  dashpots  friction  residual\n");
  ScreeMeasure m;
  for (int line = 0; line <= 6; line++) {
    if (line > 0) CHECK(scree_world_step(world, lround(0.05 / dt)));
    CHECK(scree_world_measure(world, &m));
    printf("%8.3f  %8zu  %8.3f  %9.3f  %8.4f  %8.3f  %8.3f  %8.1e\n", m.time, m.contacts, 1e3 * m.kinetic,
           1e3 * m.potential, 1e3 * m.elastic, 1e3 * m.dissipated_viscous + 0.0, 1e3 * m.dissipated_friction,
           1e3 * m.residual);
  }

  /* Grains are read back in the order of their ids, into an array that we own. */
  CHECK(scree_world_read(world, grain));
  double top = 0.0, volume = 0.0;
  for (size_t i = 0; i < scree_world_count(world); i++) {
    top = fmax(top, grain[i].position[2]);
    volume += 4.0 / 3.0 * acos(-1.0) * pow(grain[i].radius, 3.0);
  }
  printf("\nThe highest centre lies at %.1f mm; below it grains fill %.0f %% of the box.\n", 1e3 * top,
         100.0 * volume / (width * width * top));

  /* The residual is judged against the energy that was moved about. */
  double error = fabs(m.residual) / m.scale;
  printf("The ledger closes to %.1e of %.3g mJ.\n", error, 1e3 * m.scale);
  free(grain);
  scree_world_destroy(world);
  return error < 2e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
