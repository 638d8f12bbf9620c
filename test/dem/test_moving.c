/* Walls that move. What moves evenly must look as at rest from a frame that moves along; what turns and shakes must
 * leave the ledger closed; a ball on a moving wall has exact solutions. */
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

static const ScreeMaterial rubber = {20e6, 0.3, 1500.0};

static ScreeWorldDef domain_of(double size) {
  ScreeWorldDef def = scree_world_def_default();
  for (int k = 0; k < 3; k++) def.low[k] = -size, def.high[k] = size;
  def.expected_speed = 2.0;
  return def;
}

static ScreeWorld *world_of(const ScreeWorldDef *def, const ScreeContactDef *contact) {
  ScreeWorld *w = NULL;
  int id;
  cr_assert_eq(scree_world_create(def, &w), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_add_material(w, rubber, &id), SCREE_OK);
  cr_assert_eq(scree_world_set_contact(w, -1, -1, contact), SCREE_OK, "%s", scree_last_error());
  return w;
}

static int add_wall(ScreeWorld *w, ScreeWallDef wall) {
  int id = -1;
  cr_assert_eq(scree_world_add_wall(w, &wall, &id), SCREE_OK, "%s", scree_last_error());
  return id;
}

static void move(ScreeWorld *w, int wall, ScreeMotionDef motion) {
  cr_assert_eq(scree_world_move_wall(w, wall, &motion), SCREE_OK, "%s", scree_last_error());
}

static ScreeMotionDef linear(double x, double y, double z) {
  ScreeMotionDef m = scree_motion_def_default(SCREE_MOTION_LINEAR);
  m.velocity[0] = x, m.velocity[1] = y, m.velocity[2] = z;
  return m;
}

static ScreeMotionDef turning(double x, double y, double z, double speed) {
  ScreeMotionDef m = scree_motion_def_default(SCREE_MOTION_ROTATION);
  m.axis[0] = x, m.axis[1] = y, m.axis[2] = z;
  m.speed = speed;
  return m;
}

static ScreeMotionDef shaking(double x, double y, double z, double frequency) {
  ScreeMotionDef m = scree_motion_def_default(SCREE_MOTION_OSCILLATION);
  m.amplitude[0] = x, m.amplitude[1] = y, m.amplitude[2] = z;
  m.frequency = frequency;
  return m;
}

static void start_with(ScreeWorld *w, size_t count, const ScreeGrain *g) {
  cr_assert_eq(scree_world_add_grains(w, count, g), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
}

static void run_for(ScreeWorld *w, double time) {
  long steps = lround(time / scree_world_timestep(w));
  cr_assert_eq(scree_world_step(w, steps), SCREE_OK, "%s", scree_last_error());
}

static ScreeMeasure measure(ScreeWorld *w) {
  ScreeMeasure m;
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  return m;
}

static ScreeWallLoad load_on(ScreeWorld *w, int wall) {
  ScreeWallLoad load;
  cr_assert_eq(scree_world_wall_load(w, wall, &load), SCREE_OK, "%s", scree_last_error());
  return load;
}

/* Grains on a cubic lattice in a box of half widths a, jittered, with random velocities. */
static size_t heap(ScreeGrain *g, size_t most, const double *a, double radius, uint64_t random) {
  size_t count = 0;
  double pitch = 2.3 * radius;
  for (double z = -a[2] + 1.2 * radius; z < a[2] - 1.2 * radius; z += pitch)
    for (double y = -a[1] + 1.2 * radius; y < a[1] - 1.2 * radius; y += pitch)
      for (double x = -a[0] + 1.2 * radius; x < a[0] - 1.2 * radius && count < most; x += pitch) {
        g[count] = (ScreeGrain){.id = count + 1, .position = {x, y, z}, .radius = radius * uniform(&random, 0.8, 1.0)};
        for (int k = 0; k < 3; k++) {
          g[count].position[k] += 0.1 * radius * uniform(&random, -1.0, 1.0);
          g[count].velocity[k] = uniform(&random, -0.3, 0.3);
          g[count].spin[k] = uniform(&random, -5.0, 5.0);
        }
        count++;
      }
  return count;
}

/* ---- frames that move evenly ---- */

/* A handful of grains in a box that moves, and in one that does not: shifted, they do the same. Not to the bit, since
 * positions round differently; over some collisions to many digits. */
Test(moving, a_box_that_moves_evenly_is_a_box_at_rest) {
  double velocity[3] = {0.7, -0.4, 0.9};
  ScreeGrain now[2][8], g[8];
  ScreeWorldDef def = domain_of(4.0);
  ScreeContactDef contact = scree_contact_def_default();
  contact.rolling_model = SCREE_ROLLING_SPRING;
  contact.rolling = 0.05;
  contact.twisting = 0.02;
  double time = 0.4;
  for (int moves = 0; moves < 2; moves++) {
    ScreeWorld *w = world_of(&def, &contact);
    int box = add_wall(
        w, (ScreeWallDef){.shape = SCREE_WALL_BOX, .low = {-0.2, -0.2, -0.2}, .high = {0.2, 0.2, 0.2}, .inside = true});
    if (moves) move(w, box + 3, linear(velocity[0], velocity[1], velocity[2]));
    size_t count = heap(g, 8, (double[]){0.19, 0.19, 0.19}, 0.06, 5);
    for (size_t i = 0; i < count; i++)
      for (int k = 0; k < 3; k++) g[i].velocity[k] = 3.0 * g[i].velocity[k] + (moves ? velocity[k] : 0.0);
    start_with(w, count, g);
    run_for(w, time);
    cr_assert_eq(scree_world_read(w, now[moves]), SCREE_OK);
    time = measure(w).time;
    scree_world_destroy(w);
  }
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) {
      cr_expect_float_eq(now[1][i].position[k] - velocity[k] * time, now[0][i].position[k], 1e-9);
      cr_expect_float_eq(now[1][i].velocity[k] - velocity[k], now[0][i].velocity[k], 1e-7);
      cr_expect_float_eq(now[1][i].spin[k], now[0][i].spin[k], 1e-5);
    }
}

/* A ball let down on a conveyor slides until it rolls: friction gives 2/7 of the belt's speed to its motion, a little
 * more as the overlap d shortens its arm: 2/(2 + 5 (1 - d/2R)^2). The undamped spring of the contact lets the speed
 * waver about it, so the mean over many periods is judged; while it slid, its arm was not quite the last one. */
Test(moving, a_ball_on_a_conveyor_takes_two_sevenths_of_its_speed) {
  ScreeWorldDef def = domain_of(2.0);
  ScreeContactDef contact = scree_contact_def_default();
  ScreeContact touch;
  double radius = 0.02, belt = 0.8;
  contact.pair.restitution = 0.3;
  ScreeWorld *w = world_of(&def, &contact);
  int plane = add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}});
  move(w, plane, linear(belt, 0.0, 0.0));
  ScreeGrain g = {.id = 1, .position = {-1.0, 0.0, radius}, .radius = radius}, before;
  start_with(w, 1, &g);
  run_for(w, 1.0);
  cr_assert_eq(scree_world_read(w, &before), SCREE_OK);
  double from = measure(w).time;
  run_for(w, 2.0);
  cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
  cr_assert_eq(scree_world_contact_count(w), 1);
  cr_assert_eq(scree_world_read_contacts(w, &touch), SCREE_OK);
  double arm = 1.0 - 0.5 * touch.overlap / radius, expected = 2.0 / (2.0 + 5.0 * arm * arm) * belt,
         mean = (g.position[0] - before.position[0]) / (measure(w).time - from);
  cr_expect_float_eq(mean, expected, 3e-5 * belt, "%.9g, expected %.9g", mean, expected);
  cr_expect_leq(fabs(measure(w).residual), 1e-5 * measure(w).scale, "%g", measure(w).residual / measure(w).scale);
  scree_world_destroy(w);
}

/* A plane that moves in itself and a cylinder that turns about its axis change no gap: the list stays. */
Test(moving, walls_that_move_in_themselves_make_no_lists) {
  ScreeWorldDef def = domain_of(1.0);
  ScreeContactDef contact = scree_contact_def_default();
  contact.tangential = SCREE_LAW_NONE;
  def.gravity[2] = 0.0;
  ScreeMotionDef faster = turning(0.0, 0.6, 0.8, 40.0);
  for (int shape = 0; shape < 3; shape++) {
    ScreeWorld *w = world_of(&def, &contact);
    int wall = add_wall(
        w, shape == 0 ? (ScreeWallDef){.shape = SCREE_WALL_PLANE, .point = {0, 0, -0.1}, .axis = {0, 0, 1}}
           : shape == 1
               ? (ScreeWallDef){.shape = SCREE_WALL_CYLINDER, .axis = {0, 0.6, 0.8}, .radius = 0.1, .inside = true}
               : (ScreeWallDef){.shape = SCREE_WALL_DISC, .point = {0, 0, -0.1}, .axis = {0, 0, 1}, .radius = 0.2});
    move(w, wall, shape == 0 ? linear(3.0, 1.0, 0.0) : shape == 1 ? faster : turning(0, 0, 1, 40.0));
    ScreeGrain g = {.id = 1, .position = {0.0, 0.0, -0.05}, .radius = 0.0499};
    if (shape == 1) g.position[2] = 0.0, g.radius = 0.02;
    start_with(w, 1, &g);
    long before = measure(w).rebuilds;
    cr_assert_eq(scree_world_step(w, 400), SCREE_OK, "%s", scree_last_error());
    cr_expect_leq(measure(w).rebuilds, before, "shape %d: %ld lists in 400 steps", shape, measure(w).rebuilds);
    scree_world_destroy(w);
  }
}

/* ---- the ledger ---- */

typedef struct Vessel {
  const char *name;
  ScreeWallDef wall[2];
  int walls;
  ScreeMotionDef motion[3];
  int motions;
} Vessel;

static void keep_books(const Vessel *v, double time, double limit) {
  enum { MOST = 300 };
  static ScreeGrain g[MOST];
  ScreeWorldDef def = domain_of(0.5);
  ScreeContactDef contact = scree_contact_def_default();
  def.timestep = 1.5e-5; /* a third of the automatic one */
  ScreeWorld *w = world_of(&def, &contact);
  int wall[2];
  for (int i = 0; i < v->walls; i++) {
    wall[i] = add_wall(w, v->wall[i]);
    for (int m = 0; m < v->motions; m++) move(w, wall[i], v->motion[m]);
  }
  size_t count = heap(g, MOST, (double[]){0.09, 0.09, 0.09}, 0.012, 9);
  start_with(w, count, g);
  double worst = 0.0, work = 0.0;
  for (int block = 0; block < 10; block++) {
    run_for(w, 0.1 * time);
    ScreeMeasure m = measure(w);
    worst = fmax(worst, fabs(m.residual) / m.scale);
  }
  for (int i = 0; i < v->walls; i++) work += load_on(w, wall[i]).work;
  ScreeMeasure m = measure(w);
  cr_expect_leq(worst, limit, "%s: residual %.3g", v->name, worst);
  cr_expect_float_eq(work, m.work, 1e-9 * m.scale, "%s: the walls' work is the world's: %g %g", v->name, work, m.work);
  cr_expect_gt(fabs(m.work), 0.01 * m.scale, "%s: the walls do work (%g of %g J)", v->name, m.work, m.scale);
  cr_expect_gt(m.contacts, 20);
  cr_log_info("%s: residual %.3g, work %.3g of %.3g, %ld rebuilds in %ld steps", v->name, worst, m.work, m.scale,
              m.rebuilds, m.step);
  scree_world_destroy(w);
}

static const ScreeWallDef box = {
    .shape = SCREE_WALL_BOX, .low = {-0.1, -0.1, -0.1}, .high = {0.1, 0.1, 0.1}, .inside = true};
static const ScreeWallDef drum = {.shape = SCREE_WALL_CYLINDER, .axis = {0, 1, 0}, .radius = 0.14, .inside = true};

Test(moving, the_ledger_closes_in_a_shaken_box) {
  Vessel v = {"shaken", {box}, 1, {shaking(0.002, 0.0, 0.004, 20.0)}, 1};
  keep_books(&v, 0.5, 1e-4);
}

Test(moving, the_ledger_closes_in_a_turning_box) {
  Vessel v = {"turning", {box}, 1, {turning(1.0, 0.4, -0.2, 6.0)}, 1};
  keep_books(&v, 0.5, 1e-4);
}

Test(moving, the_ledger_closes_when_motions_are_carried_by_others) {
  ScreeMotionDef rock = scree_motion_def_default(SCREE_MOTION_OSCILLATION);
  rock.axis[0] = 1.0, rock.point[2] = -0.3, rock.angle = 0.2, rock.frequency = 2.0, rock.phase = 0.7;
  Vessel v = {"rocking", {box}, 1, {turning(0.0, 1.0, 0.0, 5.0), shaking(0.001, 0.001, 0.0, 15.0), rock}, 3};
  v.motion[0].point[0] = 0.03;
  keep_books(&v, 0.5, 1e-4);
}

Test(moving, the_ledger_closes_in_a_drum) {
  ScreeWallDef lid = {.shape = SCREE_WALL_PLANE, .point = {0, -0.1, 0}, .axis = {0, 1, 0}};
  Vessel v = {"drum", {drum, lid}, 2, {turning(0.0, 1.0, 0.0, 7.0)}, 1};

  keep_books(&v, 0.5, 1e-4);
}
