/* Integer sums at both ends: what they hold, what is refused because they would not hold it, and what is too small for
 * them. */
#include <string.h>

#include "dem/engine.h"
#include "support/worlds.h"

static const ScreeMaterial soft = {5e6, 0.3, 2500.0};

static ScreeWorldDef quiet(double size) {
  ScreeWorldDef def = scree_world_def_default();
  memset(def.gravity, 0, sizeof def.gravity);
  for (int k = 0; k < 3; k++) def.low[k] = -size, def.high[k] = size;
  def.expected_speed = 1.0;
  return def;
}

static ScreeContactDef hertzian(void) {
  ScreeContactDef contact = scree_contact_def_default();
  contact.normal = SCREE_LAW_hertz;
  contact.pair.restitution = NAN;
  return contact;
}

/* N, of a grain on a plane or on another of its size. */
static double hertz(double r, double overlap, bool plane) {
  double modulus = 0.5 * soft.young / (1.0 - soft.poisson * soft.poisson);
  return 4.0 / 3.0 * modulus * sqrt(plane ? r : 0.5 * r) * overlap * sqrt(overlap);
}

/* Two thousand grains, each pressed to the overlap limit: twice as many as 64 bits of a pair's unit would hold. */
Test(bounds, a_wall_carries_more_contacts_than_64_bits_hold) {
  enum { SIDE = 45, COUNT = SIDE * SIDE };
  const double r = 1e-3, depth = 0.0999 * r, expected = COUNT * hertz(r, depth, true);
  static ScreeGrain grain[COUNT];
  ScreeWorldDef def = quiet(0.2);
  ScreeContactDef contact = hertzian();
  for (int threads = 1; threads <= 2; threads++) {
    double force[3], torque[3];
    ScreeWallLoad load;
    def.threads = threads;
    for (size_t i = 0; i < COUNT; i++)
      grain[i] = (ScreeGrain){
          .id = i, .radius = r, .position = {2.5e-3 * (double)(i % SIDE), 2.5e-3 * (double)(i / SIDE), r - depth}};
    ScreeWorld *w = empty_world(&def, &contact, soft);
    ScreeWallDef plane = {.shape = SCREE_WALL_PLANE, .axis = {0.0, 0.0, 1.0}};
    cr_assert_eq(scree_world_add_wall(w, &plane, NULL), SCREE_OK);
    start_with(w, COUNT, grain);
    cr_assert_eq(scree_world_wall_force(w, 0, force, torque), SCREE_OK);
    cr_assert_eq(scree_world_wall_load(w, 0, &load), SCREE_OK);
    cr_expect(fabs(force[2] / -expected - 1.0) < 1e-9, "%g N, expected %g", force[2], -expected);
    cr_expect(fabs(load.force[2] / -expected - 1.0) < 1e-9, "%g N, expected %g", load.force[2], -expected);
    cr_expect(fabs(torque[0] / (-expected * 22.0 * 2.5e-3) - 1.0) < 1e-9, "%g N m", torque[0]);

    void *state;
    size_t size; /* saved and restored it is the same */
    cr_assert_eq(scree_world_save(w, &state, &size), SCREE_OK);
    ScreeWorld *again = empty_world(&def, &contact, soft);
    cr_assert_eq(scree_world_add_wall(again, &plane, NULL), SCREE_OK);
    cr_assert_eq(scree_world_restore(again, state, size), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_wall_force(again, 0, torque, NULL), SCREE_OK);
    cr_expect_eq(torque[2], force[2]);
    free(state);
    scree_world_destroy(again);
    scree_world_destroy(w);
  }
}

/* A free grain on so many fixed ones that lie one in the other. */
static ScreeStatus press_on_fixed(size_t count, double *force, double *expected) {
  const double r = 1e-3, depth = 0.0999 * r;
  ScreeGrain *grain = calloc(count + 1, sizeof *grain);
  ScreeGrainLoad *load = calloc(count + 1, sizeof *load);
  ScreeWorldDef def = quiet(0.05);
  ScreeContactDef contact = hertzian();
  contact.tangential = SCREE_LAW_NONE;
  grain[0] = (ScreeGrain){.id = 1, .radius = r, .position = {0.0, 0.0, 2.0 * r - depth}};
  for (size_t i = 1; i <= count; i++) grain[i] = (ScreeGrain){.id = i + 1, .radius = r, .fixed = true};
  ScreeWorld *w = empty_world(&def, &contact, soft);
  cr_assert_eq(scree_world_add_grains(w, count + 1, grain), SCREE_OK);
  ScreeStatus status = scree_world_start(w);
  if (status == SCREE_OK) scree_world_read_loads(w, load);
  *force = load[0].force[2], *expected = (double)count * hertz(r, depth, false);
  free(grain), free(load);
  scree_world_destroy(w);
  return status;
}

Test(bounds, the_sum_of_a_grain_is_right_or_the_run_ends) {
  int held = 0, refused = 0;
  for (size_t count = 1; count <= 4096; count *= 2) {
    double force, expected;
    ScreeStatus status = press_on_fixed(count, &force, &expected);
    held += status == SCREE_OK, refused += status == SCREE_OUT_OF_RANGE;
    if (status == SCREE_OK)
      cr_expect(fabs(force / expected - 1.0) < 1e-9, "%zu: %g N, expected %g", count, force, expected);
    else
      cr_expect(strstr(scree_last_error(), "step 0: the forces on grain 1 add up to"), "%zu: %s", count,
                scree_last_error());
  }
  /* as many as can touch a grain of their size, several times over; not as many as would run over */
  cr_expect(held >= 7 && refused >= 2 && held + refused == 13, "%d held, %d refused", held, refused);
}

/* Gel of 0.1 mm that slides on a plane, alone and beside steel balls of 1 m: alone it takes spin by friction, and its
 * forces are resolved; beside the balls they are not, and the world tells. */
Test(bounds, forces_that_units_do_not_resolve_are_told) {
  const ScreeMaterial gel = {1e4, 0.3, 1000.0}, steel = {210e9, 0.3, 7850.0};
  for (int balls = 0; balls <= 2; balls += 2) {
    ScreeWorldDef def = quiet(10.0);
    ScreeContactDef contact = hertzian();
    ScreeResolution resolution;
    ScreeGrain grain[3] = {{.id = 1, .radius = 1e-4, .position = {0.0, 0.0, 1e-4}, .velocity = {1e-3, 0.0, 0.0}},
                           {.id = 2, .radius = 1.0, .position = {3.0, 3.0, 1.0}, .material = 1},
                           {.id = 3, .radius = 1.0, .position = {-3.0, 3.0, 1.0}, .material = 1}},
               now[3];
    int id;
    def.gravity[2] = -9.81;
    def.timestep = 5e-8;
    ScreeWorld *w = empty_world(&def, &contact, gel);
    cr_assert_eq(scree_world_add_material(w, steel, &id), SCREE_OK);
    ScreeWallDef plane = {.shape = SCREE_WALL_PLANE, .axis = {0.0, 0.0, 1.0}};
    cr_assert_eq(scree_world_add_wall(w, &plane, NULL), SCREE_OK);
    start_with(w, 1 + (size_t)balls, grain);
    cr_assert_eq(scree_world_step(w, 4000), SCREE_OK);
    cr_assert_eq(scree_world_read(w, now), SCREE_OK);
    cr_assert_eq(scree_world_resolution(w, &resolution), SCREE_OK);
    if (balls) {
      cr_expect(resolution.rounding > 1e-3 && resolution.material == 0 && resolution.radius == 1e-4, "%g",
                resolution.rounding);
      cr_expect(fabs(now[0].spin[1]) < 0.1, "%g rad/s", now[0].spin[1]);
    } else {
      cr_expect(resolution.rounding < 1e-3, "%g", resolution.rounding);
      cr_expect(now[0].spin[1] > 0.5, "%g rad/s", now[0].spin[1]);
    }
    cr_expect(fabs(resolution.force / (9.81 * 4.0 / 3.0 * 3.14159265358979 * 1e-12 * 1000.0) - 1.0) < 1e-9);
    scree_world_destroy(w);
  }
}

/* Forty pairs whose dashpots pull beyond all bounds in one step, and a wall that comes where forty grains are: the
 * sentence names the same grain for any number of threads, and whatever the order they were given in. */
Test(bounds, errors_name_the_same_grain_for_any_number_of_threads) {
  enum { PAIRS = 40 };
  char said[2][256] = {"", ""};
  scree_grains_per_thread = 1.0;
  scree_grains_per_tile = 8;
  for (int threads = 1; threads <= 4; threads++)
    for (int backwards = 0; backwards < 2; backwards++)
      for (int wall = 0; wall < 2; wall++) {
        ScreeWorldDef def = quiet(0.1);
        ScreeContactDef contact = hertzian();
        ScreeGrain grain[2 * PAIRS];
        contact.normal = SCREE_LAW_kelvin_voigt;
        contact.tangential = SCREE_LAW_NONE;
        contact.pair.stiffness = 1e3;
        contact.pair.param[SCREE_PARAM_D] = 1.0;
        def.threads = threads;
        def.expected_speed = 1e-3;
        def.timestep = 1e-7;
        for (int k = 0; k < 2 * PAIRS; k++) {
          double x = -0.09 + 4.5e-3 * (k / 2), z = k % 2 ? 2.0005e-3 : 0.0;
          grain[backwards ? 2 * PAIRS - 1 - k : k] =
              (ScreeGrain){.id = (uint64_t)(17 * k % (2 * PAIRS)) + 1, /* not in the order of places */
                           .radius = 1e-3,
                           .position = {x, 0.01 * (k / 2 % 7), z},
                           .velocity = {0.0, 0.0,
                                        wall    ? 0.0
                                        : k % 2 ? -50.0
                                                : 50.0}};
        }
        ScreeWorld *w = empty_world(&def, &contact, soft);
        ScreeWallDef plane = {.shape = SCREE_WALL_PLANE, .axis = {0.0, 0.0, 1.0}};
        int id = 0;
        if (wall) {
          cr_assert_eq(scree_world_add_wall(w, &plane, &id), SCREE_OK);
          cr_assert_eq(scree_world_time_wall(w, id, 5e-7, INFINITY), SCREE_OK, "%s", scree_last_error());
        }
        cr_assert_eq(scree_world_add_grains(w, 2 * PAIRS, grain), SCREE_OK);
        cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
        cr_assert_eq(scree_world_step(w, 100), SCREE_OUT_OF_RANGE);
        if (!*said[wall]) strncpy(said[wall], scree_last_error(), sizeof said[wall] - 1);
        cr_expect_str_eq(scree_last_error(), said[wall], "%d threads: %s", threads, scree_last_error());
        scree_world_destroy(w);
      }
  cr_expect(strstr(said[0], "grain 1 ") && strstr(said[0], "beyond all bounds"), "%s", said[0]);
  cr_expect(strstr(said[1], "is inserted at"), "%s", said[1]);
}
