/* chute.c: a layer of grains runs down a rough incline; how fast at which depth? Build against the installed library:
 *     cc chute.c $(pkg-config --cflags --libs scree) -lm -o chute
 *
 * Two materials with contacts of their own, friction and rolling resistance, a base of fixed grains, a domain that is
 * periodic along and across the slope. All numbers are SI. examples/settle.c explains the calls one by one. */
#include <math.h>
#include <scree/scree.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if ((call) != SCREE_OK) {                                                                                          \
      fprintf(stderr, "chute: %s\n", scree_last_error());                                                              \
      return EXIT_FAILURE;                                                                                             \
    }                                                                                                                  \
  } while (0)

enum { LONG = 9, WIDE = 5, DEEP = 7, BASE = LONG * WIDE, COUNT = BASE * (1 + DEEP), BINS = 4 };
static const double radius = 5e-3, spacing = 11e-3; /* m */
static const double slope = 27.0;                   /* degrees */

/* A number in 0 ... 1 that depends on its index alone. */
static double scatter(int index) {
  unsigned h = (unsigned)index * 2654435761u;
  h = (h ^ (h >> 15)) * 2246822519u;
  return (double)((h ^ (h >> 13)) & 0xffffu) / 65536.0;
}

/* The lowest layer is the base. `fixed` grains keep their velocity, here zero, whatever pushes them. */
static void place(ScreeGrain *grain, int base, int sand) {
  for (int i = 0; i < COUNT; i++) {
    bool fixed = i < BASE;
    double step = fixed ? 0.0 : 0.5 * spacing * (i / BASE % 2); /* every second layer lies in the gaps of the first */
    grain[i] = (ScreeGrain){.id = 100 + (uint64_t)i,
                            .radius = radius * (0.9 + 0.15 * scatter(i)),
                            .material = fixed ? base : sand,
                            .fixed = fixed};
    grain[i].position[0] = (i % LONG + 0.25) * spacing + step;
    grain[i].position[1] = (i / LONG % WIDE + 0.25) * spacing + step;
    grain[i].position[2] = (i / BASE + 0.5) * spacing + 1e-3 * fixed * scatter(COUNT + i); /* a rough base */
  }
}

/* Mean velocity along the slope, by depth. False unless the grains slide the faster the higher they are. */
static bool profile(const ScreeGrain *grain, size_t count) {
  double top = 0.0, speed[BINS] = {0.0};
  int members[BINS] = {0};
  for (size_t i = 0; i < count; i++) top = fmax(top, grain[i].position[2]);
  for (size_t i = 0; i < count; i++) {
    if (grain[i].fixed) continue;
    int bin = (int)(BINS * (grain[i].position[2] - spacing) / (top - spacing));
    bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
    speed[bin] += grain[i].velocity[0];
    members[bin]++;
  }
  bool faster = true;
  printf("\nheight over the base [mm]  grains  velocity along the slope [m/s]\n");
  for (int bin = BINS - 1; bin >= 0; bin--) {
    double height = (bin + 0.5) / BINS * (top - spacing);
    if (members[bin] > 0) speed[bin] /= members[bin];
    faster = faster && (bin == BINS - 1 || speed[bin] < speed[bin + 1]);
    printf("%25.1f  %6d  %30.4f\n", 1e3 * height, members[bin], speed[bin]);
  }
  return faster;
}

int main(void) {
  /* x points down the slope, z away from it: gravity leans instead of the base. */
  ScreeWorldDef def = scree_world_def_default();
  double angle = slope * acos(-1.0) / 180.0;
  def.gravity[0] = 9.81 * sin(angle);
  def.gravity[2] = -9.81 * cos(angle);
  def.periodic[0] = def.periodic[1] = true; /* what leaves on one side comes in on the other */
  def.high[0] = LONG * spacing;
  def.high[1] = WIDE * spacing;
  def.high[2] = 3 * DEEP * spacing;
  /* Impacts here are slow. By default the library thinks of a fall through the whole domain, which is safe, but asks
   * for shorter steps; calibrated contacts deliver their restitution at this speed. */
  def.expected_speed = 0.5; /* m/s */
  ScreeWorld *world = NULL;
  CHECK(scree_world_create(&def, &world));

  int sand, rubber;
  CHECK(scree_world_add_material(world, (ScreeMaterial){.young = 2e7, .poisson = 0.3, .density = 2650.0}, &sand));
  CHECK(scree_world_add_material(world, (ScreeMaterial){.young = 5e6, .poisson = 0.48, .density = 1200.0}, &rubber));

  /* Sand on sand: a law that delivers its restitution by itself, friction with history, a spring against rolling,
   * since sand is no heap of spheres. */
  ScreeContactDef contact = scree_contact_def_default();
  contact.normal = SCREE_LAW_zhang_sharf;
  contact.pair.restitution = 0.6;
  contact.pair.param[SCREE_PARAM_mu] = 0.5;
  contact.rolling_model = SCREE_ROLLING_SPRING;
  contact.rolling = 0.02;
  CHECK(scree_world_set_contact(world, sand, sand, &contact));

  /* Sand on rubber: tsuji is made for contacts that may pull at their end; grains do not, and e would be too high.
   * `calibrated` finds the damping that gives what was asked for. */
  contact = scree_contact_def_default();
  contact.normal = SCREE_LAW_tsuji;
  contact.calibrated = true;
  contact.pair.restitution = 0.3;
  contact.pair.param[SCREE_PARAM_mu] = 0.9;
  CHECK(scree_world_set_contact(world, sand, rubber, &contact));

  /* Every pair of materials needs a contact, also rubber on rubber, which never meet here: a default serves. */
  contact = scree_contact_def_default();
  CHECK(scree_world_set_contact(world, -1, -1, &contact));

  static ScreeGrain grain[COUNT];
  place(grain, rubber, sand);
  CHECK(scree_world_add_grains(world, COUNT, grain)); /* copied: the array is free for other use */
  CHECK(scree_world_start(world));

  double dt = scree_world_timestep(world);
  ScreeMeasure m;
  printf("%d grains on %d fixed ones, %g degrees, time step %.3g s\n\n", COUNT - BASE, BASE, slope, dt);
  printf("time [s]  contacts  kinetic [mJ]  lost in rolling [mJ]\n");
  for (int line = 0; line < 5; line++) {
    CHECK(scree_world_step(world, lround(0.1 / dt)));
    CHECK(scree_world_measure(world, &m));
    printf("%8.3f  %8zu  %12.3f  %20.3f\n", m.time, m.contacts, 1e3 * m.kinetic, 1e3 * m.dissipated_rolling);
  }

  CHECK(scree_world_read(world, grain)); /* by id: the base first, as it was numbered */
  bool faster = profile(grain, scree_world_count(world));
  printf("\nThe ledger closes to %.1e of %.3g mJ.\n", fabs(m.residual) / m.scale, 1e3 * m.scale);
  scree_world_destroy(world);
  return faster && fabs(m.residual) < 2e-3 * m.scale ? EXIT_SUCCESS : EXIT_FAILURE;
}
