/* Walls that move. What moves evenly must look as at rest from a frame that moves along; what turns and shakes must
 * leave the ledger closed; a ball on a moving wall has exact solutions. */
#include <stdlib.h>
#include <string.h>

#include "support/worlds.h"

static const ScreeMaterial rubber = {20e6, 0.3, 1500.0};

static ScreeWorldDef domain_of(double size) {
  ScreeWorldDef def = scree_world_def_default();
  for (int k = 0; k < 3; k++) def.low[k] = -size, def.high[k] = size;
  def.expected_speed = 2.0;
  return def;
}

static ScreeWorld *world_of(const ScreeWorldDef *def, const ScreeContactDef *contact) {
  return empty_world(def, contact, rubber);
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

/* Grains at rest make no lists: a wall that comes must make its own. Each would have run over the ball long ago. */
Test(moving, walls_find_grains_that_rest) {
  const ScreeWallDef walls[] = {
      {.shape = SCREE_WALL_PLANE, .point = {0, 0, -0.2}, .axis = {0, 0, 1}},
      {.shape = SCREE_WALL_BOX, .low = {-0.3, -0.1, -0.02}, .high = {-0.1, 0.1, 0.02}},
      {.shape = SCREE_WALL_CYLINDER, .point = {0, 0, -0.3}, .axis = {0, 1, 0}, .radius = 0.1},
      {.shape = SCREE_WALL_DISC, .point = {0.3, 0, 0.0}, .axis = {0, 0, 1}, .radius = 0.1},
      {.shape = SCREE_WALL_SPHERE, .point = {0, 0, -0.3}, .radius = 0.1},
      {.shape = SCREE_WALL_CONE,
       .point = {0, 0, -0.3},
       .axis = {0, 0, -1},
       .radius = 0.1,
       .radius2 = 0.2,
       .length = 0.1},
  };
  const ScreeMotionDef motions[] = {linear(0, 0, 1.0),      turning(0, 1, 0, 4.0), linear(0, 0, 1.0),
                                    turning(0, 1, 0, -4.0), linear(0, 0, 1.0),     linear(0, 0, 1.0)};
  for (int i = 0; i < 6; i++) {
    ScreeWorldDef def = domain_of(1.0);
    ScreeContactDef contact = scree_contact_def_default();
    ScreeGrain g = {.id = 1, .position = {0.0, 0.0, 0.0}, .radius = 0.02};
    memset(def.gravity, 0, sizeof def.gravity);
    if (i == 1 || i == 3) g.position[0] = i == 1 ? -0.05 : 0.05, g.position[2] = 0.2; /* off the axis they turn about */
    if (i == 5) g.position[0] = 0.1;                                                  /* above the rim */
    ScreeWorld *w = world_of(&def, &contact);
    move(w, add_wall(w, walls[i]), motions[i]);
    start_with(w, 1, &g);
    run_for(w, 0.45);
    cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
    cr_expect_gt(fabs(g.velocity[0]) + fabs(g.velocity[2]), 0.3, "wall %d passed the ball", i);
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

/* ---- exact balances ---- */

/* What the walls' torque gives is what the grains' angular momentum gains: a box that tumbles, no gravity. The mean of
 * both ends of a step, as Verlet kicks. */
Test(moving, torque_on_a_turning_box_is_what_the_grains_take) {
  ScreeGrain g[40];
  ScreeWorldDef def = domain_of(0.5);
  ScreeContactDef contact = scree_contact_def_default();
  contact.rolling_model = SCREE_ROLLING_SPRING;
  contact.rolling = 0.1;
  contact.twisting = 0.05;
  memset(def.gravity, 0, sizeof def.gravity);
  ScreeWorld *w = world_of(&def, &contact);
  int wall = add_wall(w, box);
  ScreeMotionDef spin = turning(0.3, 0.2, 1.0, 12.0);
  spin.point[0] = 0.05, spin.point[1] = -0.02;
  move(w, wall, spin);
  start_with(w, heap(g, 40, (double[]){0.09, 0.09, 0.09}, 0.018, 3), g);
  ScreeMeasure first = measure(w);
  double taken[6] = {0}, dt = scree_world_timestep(w), before[6] = {0};
  for (int step = 0; step <= 4000; step++) {
    double now[6] = {0};
    if (step > 0) cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
    for (int face = 0; face < 6; face++) {
      double f[6];
      cr_assert_eq(scree_world_wall_force(w, wall + face, f, f + 3), SCREE_OK);
      for (int k = 0; k < 6; k++) now[k] += f[k];
    }
    for (int k = 0; k < 6 && step > 0; k++) taken[k] -= 0.5 * dt * (now[k] + before[k]);
    memcpy(before, now, sizeof now);
  }
  ScreeMeasure last = measure(w);
  for (int k = 0; k < 3; k++) {
    cr_expect_float_eq(last.momentum[k] - first.momentum[k], taken[k], 1e-9, "%g %g",
                       last.momentum[k] - first.momentum[k], taken[k]);
    cr_expect_float_eq(last.angular_momentum[k] - first.angular_momentum[k], taken[3 + k], 2e-6, "%g %g",
                       last.angular_momentum[k] - first.angular_momentum[k], taken[3 + k]);
  }
  cr_expect_gt(fabs(taken[5]), 0.01, "the box turns its grains: %g N m s", taken[5]);
  scree_world_destroy(w);
}

/* A drum in which grains flow steadily: what its motor gives is what is lost. */
Test(moving, the_power_of_a_drum_is_what_its_grains_lose) {
  static ScreeGrain g[400];
  ScreeWorldDef def = domain_of(0.3);
  ScreeContactDef contact = scree_contact_def_default();
  double speed = 5.0;
  contact.pair.restitution = 0.4;
  def.low[1] = -0.03, def.high[1] = 0.03, def.periodic[1] = true;
  def.expected_speed = NAN;
  ScreeWorld *w = world_of(&def, &contact);
  int wall = add_wall(w, drum);
  move(w, wall, turning(0.0, 1.0, 0.0, speed));
  size_t count = heap(g, 300, (double[]){0.09, 0.035, 0.09}, 0.008, 4);
  start_with(w, count, g);
  run_for(w, 1.0);
  ScreeMeasure first = measure(w);
  double work = load_on(w, wall).work, sum = 0.0, time = first.time;
  int looks = 200;
  for (int i = 0; i < looks; i++) {
    run_for(w, 0.01);
    ScreeWallLoad load = load_on(w, wall);
    cr_assert_float_eq(load.power, -speed * load.torque[1], 1e-12 + 1e-12 * fabs(load.power));
    sum += load.power / looks;
  }
  ScreeMeasure m = measure(w);
  double lost = m.dissipated_viscous + m.dissipated_friction + m.dissipated_clamp - first.dissipated_viscous -
                first.dissipated_friction - first.dissipated_clamp,
         mean = (load_on(w, wall).work - work) / (m.time - time);
  cr_expect_float_eq(mean * (m.time - time), lost, 0.02 * lost, "work %g, lost %g J", mean * (m.time - time), lost);
  cr_expect_float_eq(sum, mean, 0.05 * mean, "torque times speed %g, work over time %g W", sum, mean);
  cr_expect_leq(fabs(m.residual), 1e-3 * m.scale, "%g", m.residual / m.scale);
  scree_world_destroy(w);
}

/* ---- a ball on a plate that oscillates ---- */

typedef struct Bounce {
  double stiffness, mass, radius, amplitude, rate;
} Bounce;

static void fall(const Bounce *b, double t, const double *y, double *dy) {
  double d = b->radius - (y[0] - b->amplitude * sin(b->rate * t));
  dy[0] = y[1];
  dy[1] = -9.81 + (d > 0.0 ? b->stiffness * d * sqrt(d) / b->mass : 0.0);
}

/* Classical Runge-Kutta with steps far below the engine's. */
static void integrate(const Bounce *b, double from, double to, double *y) {
  long steps = lround((to - from) / 2e-6);
  double h = (to - from) / (double)steps;
  for (long s = 0; s < steps; s++) {
    double t = from + h * (double)s, k[4][2], at[2];
    fall(b, t, y, k[0]);
    for (int i = 1; i < 4; i++) {
      double part = i < 3 ? 0.5 * h : h;
      for (int n = 0; n < 2; n++) at[n] = y[n] + part * k[i - 1][n];
      fall(b, t + part, at, k[i]);
    }
    for (int n = 0; n < 2; n++) y[n] += h / 6.0 * (k[0][n] + 2.0 * k[1][n] + 2.0 * k[2][n] + k[3][n]);
  }
}

Test(moving, a_ball_bounces_on_an_oscillating_plate_as_integrated_by_itself) {
  ScreeWorldDef def = domain_of(1.0);
  ScreeContactDef contact = scree_contact_def_default();
  double radius = 0.01, young = rubber.young / (2.0 * (1.0 - 0.3 * 0.3));
  contact.normal = SCREE_LAW_hertz;
  contact.pair.restitution = NAN;
  contact.tangential = SCREE_LAW_NONE;
  def.timestep = 1e-6;
  Bounce b = {.stiffness = 4.0 / 3.0 * young * sqrt(radius),
              .mass = 4.0 / 3.0 * acos(-1.0) * radius * radius * radius * rubber.density,
              .radius = radius,
              .amplitude = 0.002,
              .rate = 2.0 * acos(-1.0) * 15.0};
  ScreeWorld *w = world_of(&def, &contact);
  move(w, add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}}), shaking(0.0, 0.0, 0.002, 15.0));
  ScreeGrain g = {.id = 1, .position = {0, 0, 0.02}, .radius = radius};
  double y[2] = {0.02, 0.0}, time = 0.0;
  start_with(w, 1, &g);
  for (int look = 0; look < 10; look++) {
    run_for(w, 0.04);
    cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
    integrate(&b, time, measure(w).time, y);
    time = measure(w).time;
    cr_expect_float_eq(g.position[2], y[0], 2e-8, "%g s: %.12g %.12g", time, g.position[2], y[0]);
    cr_expect_float_eq(g.velocity[2], y[1], 2e-6, "%g s: %.12g %.12g", time, g.velocity[2], y[1]);
  }
  cr_expect_gt(fabs(measure(w).work), 1e-5, "the plate gave or took: %g J", measure(w).work);
  scree_world_destroy(w);
}

/* ---- servos ---- */

/* A lid that presses a bed with a given force comes to rest, holds it, and the ledger closes. */
Test(moving, a_servo_holds_its_load) {
  static ScreeGrain g[300];
  ScreeWorldDef def = domain_of(0.2);
  ScreeContactDef contact = scree_contact_def_default();
  contact.pair.restitution = 0.5;
  ScreeWorld *w = world_of(&def, &contact);
  ScreeMotionDef press = scree_motion_def_default(SCREE_MOTION_SERVO);
  press.axis[2] = -2.0, press.load = 20.0;
  add_wall(w, (ScreeWallDef){
                  .shape = SCREE_WALL_BOX, .low = {-0.05, -0.05, -0.1}, .high = {0.05, 0.05, 0.15}, .inside = true});
  int lid = add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_PLANE, .point = {0, 0, 0.05}, .axis = {0, 0, -1}});
  move(w, lid, press);
  size_t count = heap(g, 300, (double[]){0.045, 0.045, 0.045}, 0.008, 6);
  for (size_t i = 0; i < count; i++) g[i].position[2] -= 0.05;
  start_with(w, count, g);
  run_for(w, 1.5);
  double mean = 0.0, lowest = INFINITY, highest = -INFINITY, height = load_on(w, lid).position[2];
  int looks = 500;
  for (int i = 0; i < looks; i++) {
    cr_assert_eq(scree_world_step(w, 7), SCREE_OK, "%s", scree_last_error());
    double force = load_on(w, lid).force[2];
    mean += force / looks, lowest = fmin(lowest, force), highest = fmax(highest, force);
  }
  ScreeMeasure m = measure(w);
  cr_expect_float_eq(mean, 20.0, 0.2, "mean %g N", mean);
  cr_expect(lowest > 19.8 && highest < 20.2, "it rings: %g ... %g N", lowest, highest);
  cr_expect_leq(fabs(m.residual), 3e-4 * m.scale, "residual %g", m.residual / m.scale);
  cr_expect_leq(m.kinetic_walls, 1e-9);
  cr_expect_gt(m.work, 0.1 * 20.0 * (0.0 - height), "the load's work: %g J", m.work);
  cr_expect_float_eq(load_on(w, lid).position[2], height, 1e-5);
  cr_expect_lt(height, -0.01, "it came down by %g m", -height);
  scree_world_destroy(w);
}

/* A free wall that a ball hits: a collision of two masses, on a line and about an axis, elastic. */
Test(moving, a_free_wall_and_a_ball_exchange_momentum_and_energy) {
  for (int turn = 0; turn < 2; turn++) {
    ScreeWorldDef def = domain_of(1.0);
    ScreeContactDef contact = scree_contact_def_default();
    double radius = 0.02, m = 4.0 / 3.0 * acos(-1.0) * radius * radius * radius * rubber.density, speed = 0.7,
           arm = 0.3, inertia = turn ? 2.0 * m * arm * arm : 2.0 * m;
    memset(def.gravity, 0, sizeof def.gravity);
    contact.normal = SCREE_LAW_hertz;
    contact.pair.restitution = NAN;
    contact.tangential = SCREE_LAW_NONE;
    def.timestep = 2e-6;
    ScreeWorld *w = world_of(&def, &contact);
    ScreeMotionDef free = scree_motion_def_default(turn ? SCREE_MOTION_TURN_SERVO : SCREE_MOTION_SERVO);
    free.axis[turn ? 1 : 2] = 1.0;
    free.point[0] = -arm;
    free.inertia = inertia, free.damping = 0.0, free.max_speed = 10.0;
    int wall = add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_DISC, .axis = {0, 0, 1}, .radius = 0.5});
    move(w, wall, free);
    ScreeGrain g = {.id = 1, .position = {0, 0, 0.021}, .velocity = {0, 0, -speed}, .radius = radius};
    start_with(w, 1, &g);
    run_for(w, 0.05);
    cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
    ScreeWallLoad load = load_on(w, wall);
    double moved = turn ? -load.spin[1] * arm : load.velocity[2];
    ScreeMeasure now = measure(w);
    cr_expect_float_eq(g.velocity[2], speed / 3.0, turn ? 2e-3 : 1e-6, "%d: %.9g", turn, g.velocity[2]);
    cr_expect_float_eq(moved, -2.0 / 3.0 * speed, turn ? 2e-3 : 1e-6, "%d: %.9g", turn, moved);
    cr_expect_float_eq(now.kinetic_walls, 0.5 * m * speed * speed * 8.0 / 9.0, (turn ? 1e-2 : 1e-5) * now.scale);
    cr_expect_leq(fabs(now.residual), 1e-6 * now.scale, "%d: %g", turn, now.residual / now.scale);
    cr_expect_leq(fabs(now.work), 1e-12, "no load, no work: %g", now.work);
    scree_world_destroy(w);
  }
}

Test(moving, a_speed_limit_and_a_damper_are_booked) {
  ScreeWorldDef def = domain_of(1.0);
  ScreeContactDef contact = scree_contact_def_default();
  memset(def.gravity, 0, sizeof def.gravity);
  for (int limited = 0; limited < 2; limited++) {
    ScreeWorld *w = world_of(&def, &contact);
    ScreeMotionDef pull = scree_motion_def_default(SCREE_MOTION_SERVO);
    pull.axis[0] = 1.0, pull.load = 3.0, pull.inertia = 0.5, pull.damping = 20.0;
    pull.max_speed = limited ? 0.1 : 10.0;
    pull.start = 0.01, pull.stop = 0.2;
    int wall = add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_PLANE, .point = {-0.5, 0, 0}, .axis = {1, 0, 0}});
    move(w, wall, pull);
    ScreeGrain g = {.id = 1, .position = {0.5, 0, 0}, .radius = 0.01};
    start_with(w, 1, &g);
    run_for(w, 0.19);
    ScreeMeasure m = measure(w);
    ScreeWallLoad load = load_on(w, wall);
    double time = m.time - 0.01, fast = 3.0 / 20.0, speed = fast * (1.0 - exp(-40.0 * time)),
           way = fast * (time - (1.0 - exp(-40.0 * time)) / 40.0);
    if (!limited) {
      cr_expect_float_eq(load.velocity[0], speed, 1e-4 * speed, "%.9g %.9g", load.velocity[0], speed);
      cr_expect_float_eq(load.position[0], way, 2e-3 * way, "%.9g %.9g", load.position[0], way);
    } else {
      cr_expect_float_eq(load.velocity[0], 0.1, 1e-12);
    }
    cr_expect_float_eq(m.work, 3.0 * load.position[0], 1e-9, "%.12g", m.work - 3.0 * load.position[0]);
    cr_expect_leq(fabs(m.residual), 2e-7 * m.scale, "residual %g of %g", m.residual, m.scale);
    run_for(w, 0.05);
    cr_expect_eq(load_on(w, wall).velocity[0], 0.0, "after its time it is held");
    cr_expect_leq(fabs(measure(w).residual), 2e-7 * m.scale);
    scree_world_destroy(w);
  }
}

/* ---- walls that come and go ---- */

/* A pile of two balls on a disc that is taken away: they fall freely, and what the contacts stored is booked as lost.
 */
Test(moving, a_wall_that_is_removed_lets_go_without_a_kick) {
  ScreeWorldDef def = domain_of(0.5);
  ScreeContactDef contact = scree_contact_def_default();
  contact.pair.restitution = 0.3;
  ScreeWorld *w = world_of(&def, &contact);
  int plate = add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_DISC, .axis = {0.05, 0, 1}, .radius = 0.1});
  cr_assert_eq(scree_world_time_wall(w, plate, -INFINITY, 0.3), SCREE_OK);
  ScreeGrain g[2] = {{.id = 1, .position = {0, 0, 0.0201}, .radius = 0.02},
                     {.id = 2, .position = {0.0, 0.04, 0.0201}, .radius = 0.02}};
  start_with(w, 2, g);
  double dt = scree_world_timestep(w);
  cr_assert_eq(scree_world_step(w, (long)(0.3 / dt) - 2), SCREE_OK);
  ScreeMeasure m = measure(w);
  cr_expect_geq(m.contacts, 2);
  double before = m.elastic, lost = m.dissipated_clamp + m.dissipated_friction + m.dissipated_viscous;
  cr_expect_gt(before, 1e-9);
  cr_expect(load_on(w, plate).present);
  cr_assert_eq(scree_world_step(w, 10), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_read(w, g), SCREE_OK);
  m = measure(w);
  cr_expect_not(load_on(w, plate).present);
  cr_expect_eq(load_on(w, plate).force[2], 0.0);
  cr_expect_leq(m.contacts, 1);
  for (int i = 0; i < 2; i++)
    cr_expect(g[i].velocity[2] < 0.01 && g[i].velocity[2] > -12.0 * 9.81 * dt - 0.01, "%g m/s", g[i].velocity[2]);
  cr_expect_float_eq(m.dissipated_clamp + m.dissipated_friction + m.dissipated_viscous - lost, before - m.elastic,
                     0.2 * before, "what was stored is lost");
  cr_expect_leq(fabs(m.residual), 1e-3 * m.scale, "%g", m.residual / m.scale);
  double speed = g[0].velocity[2], from = m.time;
  run_for(w, 0.1);
  cr_assert_eq(scree_world_read(w, g), SCREE_OK);
  cr_expect_float_eq(g[0].velocity[2], speed - 9.81 * (measure(w).time - from), 1e-9);
  scree_world_destroy(w);
}

/* A floor that comes catches a ball; one that would come into a ball is refused, with the ball's id and depth. */
Test(moving, a_wall_is_inserted_only_where_there_is_room) {
  ScreeWorldDef def = domain_of(1.0);
  ScreeContactDef contact = scree_contact_def_default();
  for (int late = 0; late < 2; late++) { /* it falls 11 cm in 0.15 s, 31 cm in 0.25 s */
    ScreeWorld *w = world_of(&def, &contact);
    int floor = add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}});
    cr_assert_eq(scree_world_time_wall(w, floor, late ? 0.25 : 0.15, INFINITY), SCREE_OK);
    ScreeGrain g = {.id = 77, .position = {0, 0, 0.3}, .radius = 0.05};
    start_with(w, 1, &g);
    cr_expect_not(load_on(w, floor).present);
    ScreeStatus status = scree_world_step(w, lround(0.4 / scree_world_timestep(w)));
    cr_expect_eq(status, late ? SCREE_OUT_OF_RANGE : SCREE_OK, "%s", scree_last_error());
    if (late)
      cr_expect(strstr(scree_last_error(), "grain 77") && strstr(scree_last_error(), "deep"), "%s", scree_last_error());
    cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
    if (!late) cr_expect_gt(g.position[2], 0.04, "it was caught: %g m", g.position[2]);
    if (!late) cr_expect_leq(fabs(measure(w).residual), 1e-3 * measure(w).scale);
    scree_world_destroy(w);
  }
}

/* ---- bits ---- */

/* Everything at once: a tumbling box with a shaken block in it, a servo, a disc that comes, a plate that goes. */
static ScreeWorld *busy_world(int threads, bool grains) {
  static ScreeGrain g[200];
  ScreeWorldDef def = domain_of(0.4);
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWaypoint table[] = {
      {0.0, {0, 0, 0}, 0.0}, {0.02, {0, 0, 0.01}, 0.3}, {0.05, {0.01, 0, 0}, -0.2}, {0.07, {0, 0, 0}, 0.0}};
  contact.rolling_model = SCREE_ROLLING_SPRING;
  contact.rolling = 0.05;
  def.threads = threads;
  def.low[1] = -0.12, def.high[1] = 0.12, def.periodic[1] = true;
  ScreeWorld *w = world_of(&def, &contact);
  int tube =
      add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_CYLINDER, .axis = {0, 1, 0}, .radius = 0.16, .inside = true});
  move(w, tube, turning(0, 1, 0, 4.0));
  move(w, tube, shaking(0.003, 0.0, 0.002, 12.0));
  int block =
      add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_BOX, .low = {-0.02, -0.02, -0.15}, .high = {0.02, 0.02, -0.12}});
  ScreeMotionDef path = scree_motion_def_default(SCREE_MOTION_WAYPOINTS);
  path.waypoint = table, path.waypoints = 4, path.smooth = path.repeat = true, path.axis[1] = 1.0, path.point[2] = -0.1;
  move(w, block, path);
  move(w, block, linear(0.0, 1.5, 0.0)); /* through the periodic boundary, again and again */
  int lid = add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_PLANE, .point = {0, 0, 0.12}, .axis = {0, 0, -1}});
  ScreeMotionDef press = scree_motion_def_default(SCREE_MOTION_SERVO);
  press.axis[2] = -1.0, press.load = 5.0, press.max_speed = 0.4;
  move(w, lid, press);
  int gate = add_wall(
      w, (ScreeWallDef){.shape = SCREE_WALL_DISC, .point = {0, 0.05, -0.05}, .axis = {0, 1, 1}, .radius = 0.05});
  cr_assert_eq(scree_world_time_wall(w, gate, -INFINITY, 0.06), SCREE_OK);
  int late = add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_SPHERE, .point = {0, 0, 0.35}, .radius = 0.02});
  cr_assert_eq(scree_world_time_wall(w, late, 0.05, INFINITY), SCREE_OK);
  move(w, late, linear(0.0, 0.0, -3.0));
  size_t count = heap(g, 200, (double[]){0.09, 0.11, 0.07}, 0.012, 8), kept = 0;
  for (size_t i = 0; i < count; i++) {
    double y = g[i].position[1] - 0.05, z = g[i].position[2] + 0.05;
    if (fabs(y + z) > 0.03) g[kept++] = g[i];
  }
  if (!grains) return w;
  cr_assert_gt(kept, 60);
  start_with(w, kept, g);
  return w;
}

Test(moving, bits_do_not_depend_on_threads_or_registers) {
  uint64_t first = 0;
  for (int threads = 1; threads <= 4; threads++) {
    ScreeWorld *w = busy_world(threads, true);
    run_for(w, 0.12);
    uint64_t hash = scree_world_hash(w);
    if (threads == 1) first = hash;
    if (threads == 1)
      cr_expect_leq(fabs(measure(w).residual), 2e-3 * measure(w).scale, "%g", measure(w).residual / measure(w).scale);
    cr_expect_eq(hash, first, "%d threads", threads);
    scree_world_destroy(w);
  }
  for (int i = 0; i < scree_batch_isa_count(); i++) {
    if (scree_batch_use_isa(scree_batch_isa_name(i)) != SCREE_OK) continue;
    ScreeWorld *w = busy_world(1, true);
    run_for(w, 0.12);
    cr_expect_eq(scree_world_hash(w), first, "%s", scree_batch_isa());
    scree_world_destroy(w);
  }
}

static bool same_load(const ScreeWallLoad *a, const ScreeWallLoad *b) {
  bool same = a->work == b->work && a->power == b->power && a->present == b->present;
  for (int k = 0; k < 3; k++)
    same = same && a->force[k] == b->force[k] && a->torque[k] == b->torque[k] && a->position[k] == b->position[k] &&
           a->velocity[k] == b->velocity[k] && a->spin[k] == b->spin[k] && a->turn[k][0] == b->turn[k][0];
  return same;
}

/* Saved at any step, before and after walls came and went, and restored with other threads. */
Test(moving, a_restored_state_goes_on_bit_for_bit) {
  enum { STATES = 7, WALLS = 5 };
  uint64_t random = 4;
  void *state[STATES];
  size_t size[STATES];
  ScreeWorld *whole = busy_world(2, true);
  long total = lround(0.1 / scree_world_timestep(whole)), at[STATES + 1] = {0};
  ScreeWallLoad load[STATES][WALLS];
  for (int i = 0; i < STATES; i++) {
    at[i] = (i > 0 ? at[i - 1] : 0) + (long)uniform(&random, 1.0, (double)total / STATES);
    cr_assert_eq(scree_world_step(whole, at[i] - (i > 0 ? at[i - 1] : 0)), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_save(whole, &state[i], &size[i]), SCREE_OK, "%s", scree_last_error());
    for (int wall = 0; wall < WALLS; wall++) load[i][wall] = load_on(whole, wall);
  }
  cr_assert_eq(scree_world_step(whole, total - at[STATES - 1]), SCREE_OK, "%s", scree_last_error());
  ScreeMeasure m = measure(whole);
  for (int i = 0; i < STATES; i++) {
    ScreeWorld *w = busy_world(1 + i % 3, false);
    cr_assert_eq(scree_world_restore(w, state[i], size[i]), SCREE_OK, "%s", scree_last_error());
    for (int wall = 0; wall < WALLS; wall++) {
      ScreeWallLoad now = load_on(w, wall);
      cr_expect(same_load(&now, &load[i][wall]), "wall %d at step %ld", wall, at[i]);
    }
    cr_assert_eq(scree_world_step(w, total - at[i]), SCREE_OK, "%s", scree_last_error());
    cr_expect_eq(scree_world_hash(w), scree_world_hash(whole), "from step %ld of %ld", at[i], total);
    ScreeMeasure n = measure(w);
    cr_expect(n.work == m.work && n.dissipated_walls == m.dissipated_walls && n.kinetic_walls == m.kinetic_walls);
    for (int wall = 0; wall < WALLS; wall++) {
      ScreeWallLoad a = load_on(w, wall), b = load_on(whole, wall);
      cr_expect(same_load(&a, &b), "wall %d from step %ld", wall, at[i]);
    }
    scree_world_destroy(w);
    ScreeWorld *other = busy_world(1, false);
    move(other, 0, linear(0.0, 0.0, 0.0));
    cr_expect_neq(scree_world_restore(other, state[i], size[i]), SCREE_OK, "a world of other motions");
    scree_world_destroy(other);
    free(state[i]);
  }
  scree_world_destroy(whole);
}

/* ---- functions of time ---- */

static double place_at(ScreeMotionDef motion, double time, double *velocity) {
  ScreeWorldDef def = domain_of(5.0);
  ScreeContactDef contact = scree_contact_def_default();
  ScreeGrain g = {.id = 1, .position = {4, 4, 4}, .radius = 0.1};
  memset(def.gravity, 0, sizeof def.gravity);
  def.timestep = 1e-4;
  ScreeWorld *w = world_of(&def, &contact);
  int wall = add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_SPHERE, .point = {-4, -4, -4}, .radius = 0.1});
  move(w, wall, motion);
  start_with(w, 1, &g);
  run_for(w, time);
  ScreeWallLoad load = load_on(w, wall);
  scree_world_destroy(w);
  *velocity = load.velocity[0];
  return load.position[0];
}

Test(moving, motions_start_stop_and_ramp) {
  double v;
  ScreeMotionDef m = linear(2.0, 0.0, 0.0);
  m.start = 0.1, m.stop = 0.5;
  cr_expect_float_eq(place_at(m, 0.05, &v), 0.0, 1e-15);
  cr_expect_eq(v, 0.0);
  cr_expect_float_eq(place_at(m, 0.3, &v), 0.4, 1e-12);
  cr_expect_eq(v, 2.0);
  cr_expect_float_eq(place_at(m, 0.8, &v), 0.8, 1e-12);
  cr_expect_eq(v, 0.0);
  m.ramp = 0.1; /* 0.1 s up, 0.2 s even, 0.1 s down */
  cr_expect_float_eq(place_at(m, 0.15, &v), 0.025, 1e-12);
  cr_expect_float_eq(v, 1.0, 1e-9);
  cr_expect_float_eq(place_at(m, 0.3, &v), 0.3, 1e-12);
  cr_expect_float_eq(place_at(m, 0.45, &v), 0.575, 1e-12);
  cr_expect_float_eq(v, 1.0, 1e-9);
  cr_expect_float_eq(place_at(m, 0.8, &v), 0.6, 1e-12);
  m = shaking(0.5, 0.0, 0.0, 2.0);
  m.phase = 0.3;
  double angle = 2.0 * acos(-1.0) * 2.0 * 0.2 + 0.3;
  cr_expect_float_eq(place_at(m, 0.2, &v), 0.5 * (sin(angle) - sin(0.3)), 1e-12);
  cr_expect_float_eq(v, 0.5 * 4.0 * acos(-1.0) * cos(angle), 1e-10);
}

Test(moving, waypoints_are_met_and_do_not_overshoot) {
  ScreeWaypoint table[] = {
      {0.0, {0, 0, 0}, 0.0}, {0.2, {1, 0, 0}, 0.0}, {0.3, {1, 0, 0}, 0.0}, {0.6, {-0.5, 0, 0}, 0.0}};
  ScreeMotionDef m = scree_motion_def_default(SCREE_MOTION_WAYPOINTS);
  double v;
  m.waypoint = table, m.waypoints = 4;
  cr_expect_float_eq(place_at(m, 0.1, &v), 0.5, 1e-12);
  cr_expect_float_eq(v, 5.0, 1e-12);
  cr_expect_float_eq(place_at(m, 0.25, &v), 1.0, 1e-12);
  cr_expect_float_eq(place_at(m, 0.45, &v), 0.25, 1e-12);
  cr_expect_float_eq(place_at(m, 0.9, &v), -0.5, 1e-12);
  cr_expect_eq(v, 0.0);
  m.repeat = true;
  cr_expect_float_eq(place_at(m, 0.7, &v), -0.5 + 0.5, 1e-12, "it goes on from its last place");
  m.repeat = false, m.smooth = true;
  double highest = 0.0, before = 0.0, jump = 0.0;
  for (int i = 1; i < 30; i++) {
    highest = fmax(highest, place_at(m, 0.02 * i, &v));
    jump = fmax(jump, fabs(v - before)), before = v;
  }
  cr_expect_float_eq(highest, 1.0, 1e-9);
  /* at most 6 m/(0.2 s)^2 for 0.02 s; straight lines jump by 5 m/s */
  cr_expect_lt(jump, 3.0, "the velocity does not jump: %g", jump);
  for (int i = 0; i < 4; i++) cr_expect_float_eq(place_at(m, table[i].time, &v), table[i].shift[0], 1e-9);
}

/* ---- what cannot be ---- */

Test(moving, motions_that_cannot_be_are_refused) {
  ScreeWorldDef def = domain_of(1.0);
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWorld *w = world_of(&def, &contact);
  ScreeWaypoint table[3] = {{0.0, {0, 0, 0}, 0.0}, {1.0, {1, 0, 0}, 0.0}, {0.5, {0, 0, 0}, 0.0}};
  int wall = add_wall(w, box);
  ScreeMotionDef bad[22];
  int n = 0;
  bad[n++] = linear(NAN, 0, 0);
  bad[n++] = linear(INFINITY, 0, 0);
  bad[n++] = turning(0, 0, 0, 3.0);
  bad[n++] = turning(0, 0, NAN, 3.0);
  bad[n++] = turning(0, 0, 1, NAN);
  bad[n++] = shaking(0.1, 0, 0, 0.0);
  bad[n++] = shaking(0.1, 0, 0, -5.0);
  bad[n++] = shaking(0.1, 0, 0, NAN);
  bad[n] = shaking(0.1, 0, 0, 1.0), bad[n++].angle = 0.1;
  bad[n] = linear(1, 0, 0), bad[n].start = 2.0, bad[n++].stop = 1.0;
  bad[n] = linear(1, 0, 0), bad[n++].start = -1.0;
  bad[n] = linear(1, 0, 0), bad[n].stop = 1.0, bad[n++].ramp = 0.6;
  bad[n] = linear(1, 0, 0), bad[n++].ramp = NAN;
  bad[n++] = scree_motion_def_default((ScreeMotionKind)9);
  bad[n++] = scree_motion_def_default((ScreeMotionKind)-1);
  bad[n++] = scree_motion_def_default(SCREE_MOTION_WAYPOINTS);
  bad[n] = scree_motion_def_default(SCREE_MOTION_WAYPOINTS), bad[n].waypoint = table, bad[n++].waypoints = 3;
  bad[n] = scree_motion_def_default(SCREE_MOTION_WAYPOINTS), bad[n].waypoint = table + 1, bad[n++].waypoints = 1;
  bad[n] = scree_motion_def_default(SCREE_MOTION_SERVO), bad[n++].load = 1.0;
  bad[n] = scree_motion_def_default(SCREE_MOTION_SERVO), bad[n].axis[0] = 1.0, bad[n++].inertia = -1.0;
  bad[n] = scree_motion_def_default(SCREE_MOTION_SERVO), bad[n].axis[0] = 1.0, bad[n++].load = NAN;
  bad[n] = scree_motion_def_default(SCREE_MOTION_TURN_SERVO), bad[n].axis[0] = 1.0, bad[n++].max_speed = 0.0;
  for (int i = 0; i < n; i++) {
    cr_expect_neq(scree_world_move_wall(w, wall, &bad[i]), SCREE_OK, "motion %d", i);
    cr_expect_gt(strlen(scree_last_error()), 10);
  }
  ScreeMotionDef fine = linear(1, 0, 0);
  cr_expect_neq(scree_world_move_wall(w, 6, &fine), SCREE_OK, "no such wall");
  cr_expect_neq(scree_world_move_wall(w, -1, &fine), SCREE_OK, "no such wall");
  cr_expect_neq(scree_world_move_wall(NULL, 0, &fine), SCREE_OK);
  cr_expect_neq(scree_world_move_wall(w, 0, NULL), SCREE_OK);
  cr_expect_neq(scree_world_time_wall(w, 0, 2.0, 1.0), SCREE_OK);
  cr_expect_neq(scree_world_time_wall(w, 0, NAN, 1.0), SCREE_OK);
  ScreeGrain g = {.id = 1, .radius = 0.02};
  start_with(w, 1, &g);
  cr_expect_neq(scree_world_move_wall(w, 0, &fine), SCREE_OK, "after the start");
  cr_expect_neq(scree_world_time_wall(w, 0, 0.0, 1.0), SCREE_OK, "after the start");
  ScreeWallLoad load;
  cr_expect_neq(scree_world_wall_load(w, 17, &load), SCREE_OK);
  scree_world_destroy(w);
}

/* What can be said but not computed is refused at the start, and the sentence names the wall. */
Test(moving, motions_that_cannot_be_computed_are_refused_at_the_start) {
  ScreeMotionDef bad[5];
  bad[0] = turning(0, 0, 1, 1.0), bad[0].point[0] = 1e300;
  bad[1] = turning(0, 0, 1, 1e7); /* about the centre of a tiny ball */
  bad[2] = scree_motion_def_default(SCREE_MOTION_SERVO), bad[2].axis[0] = 1.0, bad[2].inertia = 1e-300;
  bad[3] = scree_motion_def_default(SCREE_MOTION_TURN_SERVO), bad[3].axis[0] = 1.0, bad[3].inertia = 1e-12;
  bad[4] = shaking(1e308, 1e308, 0.0, 1e300);
  for (int i = 0; i < 5; i++) {
    ScreeWorldDef def = domain_of(1.0);
    ScreeContactDef contact = scree_contact_def_default();
    ScreeGrain g = {.id = 1, .position = {0.5, 0, 0}, .radius = 0.01};
    ScreeWorld *w = world_of(&def, &contact);
    move(w, add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_SPHERE, .radius = 1e-9}), bad[i]);
    cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
    cr_expect_eq(scree_world_start(w), SCREE_OUT_OF_RANGE, "motion %d", i);
    cr_expect(strstr(scree_last_error(), "wall 0"), "%s", scree_last_error());
    scree_world_destroy(w);
  }
}

/* A block that moves through a periodic boundary for many periods, and a ball that bounces between its images: as at
 * rest. */
Test(moving, images_of_a_moving_block_stay_with_it) {
  ScreeGrain now[2][2];
  double time = 0.0, velocity = 4.0;
  for (int moves = 0; moves < 2; moves++) {
    ScreeWorldDef def = domain_of(0.25);
    ScreeContactDef contact = scree_contact_def_default();
    memset(def.gravity, 0, sizeof def.gravity);
    def.periodic[1] = true;
    def.expected_speed = 8.0;
    contact.pair.restitution = 0.9;
    ScreeWorld *w = world_of(&def, &contact);
    int block =
        add_wall(w, (ScreeWallDef){.shape = SCREE_WALL_BOX, .low = {-0.1, -0.05, -0.1}, .high = {0.1, 0.05, 0.1}});
    if (moves) move(w, block, linear(0.0, velocity, 0.0));
    ScreeGrain g[2] = {{.id = 1, .position = {0.0, 0.12, 0.01}, .velocity = {0.0, 1.5, 0.0}, .radius = 0.02},
                       {.id = 2, .position = {0.07, -0.15, 0.0}, .velocity = {0.0, -1.1, 0.0}, .radius = 0.025}};
    for (int i = 0; i < 2; i++) g[i].velocity[1] += moves ? velocity : 0.0;
    start_with(w, 2, g);
    run_for(w, 0.8);
    time = measure(w).time;
    cr_assert_eq(scree_world_read(w, now[moves]), SCREE_OK);
    scree_world_destroy(w);
  }
  for (int i = 0; i < 2; i++) {
    double way = now[1][i].position[1] - velocity * time - now[0][i].position[1];
    cr_expect_float_eq(remainder(way, 0.5), 0.0, 1e-8, "ball %d: %g m", i, way);
    cr_expect_float_eq(now[1][i].position[0], now[0][i].position[0], 1e-8);
    for (int k = 0; k < 3; k++)
      cr_expect_float_eq(now[1][i].velocity[k] - (k == 1 ? velocity : 0.0), now[0][i].velocity[k], 1e-6);
  }
  cr_expect_lt(fabs(now[0][0].velocity[1]), 1.4, "it met the block: %g m/s", now[0][0].velocity[1]);
}

/* More than a grain's radius in a step is refused at the start; a fast wall shortens the automatic step. */
Test(moving, walls_too_fast_are_refused_with_numbers) {
  ScreeWorldDef def = domain_of(1.0);
  ScreeContactDef contact = scree_contact_def_default();
  ScreeGrain g = {.id = 1, .radius = 0.01};
  ScreeWorld *w = world_of(&def, &contact);
  move(w, add_wall(w, box), linear(1e6, 0, 0));
  cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
  cr_expect_eq(scree_world_start(w), SCREE_OUT_OF_RANGE);
  cr_expect(strstr(scree_last_error(), "1e+06 m/s"), "%s", scree_last_error());
  scree_world_destroy(w);
  double step[2];
  for (int fast = 0; fast < 2; fast++) {
    def.expected_speed = NAN;
    w = world_of(&def, &contact);
    move(w, add_wall(w, drum), turning(0, 1, 0, fast ? 300.0 : 1.0));
    start_with(w, 1, &g);
    step[fast] = scree_world_timestep(w);
    if (fast)
      cr_expect_float_eq(scree_world_expected_speed(w), 2.0 * 300.0 * drum.radius, 1e-9,
                         "a drum is as fast as its shell");
    scree_world_destroy(w);
  }
  cr_expect_lt(step[1], 0.8 * step[0]);
}
