/* dem_moving.c: walls that move. */
#include <string.h>

#include "dem.h"
#include "dem_oracles.h"

static const ScreeMaterial stuff = {1e7, 0.3, 2000.0};
static const double r = 0.02;

static ScreeMotionDef linear(const double *v) {
  ScreeMotionDef m = scree_motion_def_default(SCREE_MOTION_LINEAR);
  memcpy(m.velocity, v, sizeof m.velocity);
  return m;
}

static ScreeMotionDef turning(double x, double y, double z, double speed) {
  ScreeMotionDef m = scree_motion_def_default(SCREE_MOTION_ROTATION);
  m.axis[0] = x, m.axis[1] = y, m.axis[2] = z;
  m.speed = speed;
  return m;
}

static ScreeContactDef full_contact(void) {
  ScreeContactDef c = scree_contact_def_default();
  c.pair.restitution = 0.6;
  c.pair.param[SCREE_PARAM_mu] = 0.4;
  c.rolling_model = SCREE_ROLLING_SPRING;
  c.rolling = 0.1;
  c.twisting = 0.05;
  return c;
}

static double largest(const double *a, const double *b, const double *shift, double scale) {
  double worst = 0.0;
  for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(a[k] - b[k] - (shift ? shift[k] : 0.0)) / scale);
  return worst;
}

/* ---- even motion ---- */

void scree_dem_moving_frame(ScreeCheck *check, const ScreeLawInfo *info) {
  static const ScreeWallShape shapes[] = {SCREE_WALL_PLANE, SCREE_WALL_BOX, SCREE_WALL_DISC, SCREE_WALL_CYLINDER};
  static const double velocity[3] = {0.5, -0.3, 0.8};
  (void)info;
  for (int i = 0; i < 4; i++) {
    ScreeGrain now[2];
    double time = 0.0;
    bool fine = true;
    for (int moves = 0; moves < 2 && fine; moves++) {
      ScreeContactDef contact = full_contact();
      Scene s = scree_scene(stuff, &contact, 4.0);
      ScreeGrain g = {.id = 1, .position = {0.0, 0.0, 1.05 * r}, .velocity = {0.4, 0.2, -0.5}, .spin = {3, 9, -20}};
      g.radius = r;
      s.wall[0] = (ScreeWallDef){.shape = shapes[i],
                                 .axis = {0.0, i == 3 ? 1.0 : 0.0, i == 3 ? 0.0 : 1.0},
                                 .point = {0.0, 0.0, i == 3 ? -0.3 : 0.0},
                                 .low = {-0.3, -0.3, -0.2},
                                 .high = {0.3, 0.3, 0.0},
                                 .radius = 0.3};
      s.walls = 1;
      for (int k = 0; k < 3 && moves; k++) g.velocity[k] += velocity[k];
      s.course[0] = linear(velocity), s.courses = moves;
      s.def.expected_speed = 1.0;
      s.grain = &g, s.grains = 1;
      ScreeWorld *w = scree_scene_start(check, &s);
      if (!w) return;
      fine = scree_scene_steps(check, w, 900) && scree_world_read(w, &now[moves]) == SCREE_OK;
      time = 900.0 * scree_world_timestep(w);
      scree_world_destroy(w);
    }
    double way[3] = {velocity[0] * time, velocity[1] * time, velocity[2] * time};
    double worst =
        fmax(largest(now[1].velocity, now[0].velocity, velocity, 0.5),
             fmax(largest(now[1].position, now[0].position, way, r), r * largest(now[1].spin, now[0].spin, NULL, 0.5)));
    bool touched = fabs(now[0].velocity[2] + 0.5) > 0.1;
    scree_tally(check, fine && touched ? worst : INFINITY, "shape %d: rebound at %.6g m/s", (int)shapes[i],
                now[1].velocity[2] - velocity[2]);
  }
}

/* ---- rotation ---- */

/* A ball presses on a plane that turns about the normal under it; on one at rest it spins the other way. What it gains
 * is what it would lose. And one that turns with the wall feels nothing. */
static void check_twist(ScreeCheck *check) {
  double gained[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < 3; i++) {
    ScreeContactDef contact = full_contact();
    Scene s = scree_scene(stuff, &contact, 1.0);
    ScreeGrain g = {.id = 1, .position = {0, 0, 0.999 * r}, .spin = {0, 0, i == 0 ? -30.0 : i == 2 ? 30.0 : 0.0}}, now;
    g.radius = r;
    s.def.gravity[2] = -9.81;
    s.wall[0] = (ScreeWallDef){.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
    s.walls = 1;
    s.course[0] = turning(0, 0, 1, 30.0), s.courses = i > 0;
    s.def.expected_speed = 1.0;
    s.grain = &g, s.grains = 1;
    ScreeWorld *w = scree_scene_start(check, &s);
    if (!w) return;
    if (scree_scene_steps(check, w, 2000) && scree_world_read(w, &now) == SCREE_OK) gained[i] = now.spin[2] - g.spin[2];
    scree_world_destroy(w);
  }
  scree_tally(check, fmax(scree_relative(gained[1], gained[0]), fabs(gained[2])), "spin gained: %.9g and %.9g rad/s",
              gained[0], gained[1]);
}

/* Off the axis the wall drags: under a ball at x it moves with speed w x across, as a plane would that moves so; while
 * the ball has not moved, both do the same. */
static void check_drag(ScreeCheck *check) {
  double v[2][3];
  for (int i = 0; i < 2; i++) {
    ScreeContactDef contact = full_contact();
    Scene s = scree_scene(stuff, &contact, 2.0);
    ScreeGrain g = {.id = 1, .position = {0.4, 0.0, 0.999 * r}, .radius = r}, now;
    s.def.gravity[2] = -9.81;
    s.wall[0] = (ScreeWallDef){.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
    s.walls = 1;
    s.course[0] = i == 0 ? turning(0, 0, 1, 1e-5) : linear((double[]){0.0, 0.4e-5, 0.0});
    s.courses = 1;
    s.def.expected_speed = 1.0;
    s.grain = &g, s.grains = 1;
    ScreeWorld *w = scree_scene_start(check, &s);
    if (!w) return;
    bool fine = scree_scene_steps(check, w, 100) && scree_world_read(w, &now) == SCREE_OK;
    for (int k = 0; k < 3; k++) v[i][k] = fine ? now.velocity[k] : NAN;
    scree_world_destroy(w);
  }
  bool dragged = v[0][1] > 1e-8;
  scree_tally(check, dragged ? 1e-6 * scree_relative(v[0][1], v[1][1]) : INFINITY, "dragged at %.9g and %.9g m/s",
              v[0][1], v[1][1]);
}

/* A wall that turns about a point far from it stands where it was defined: a ball in it stores what it should. */
static void check_place(ScreeCheck *check) {
  ScreeContactDef contact = scree_bare_contact(SCREE_LAW_hertz, NAN);
  Scene s = scree_scene(stuff, &contact, 2.0);
  double depth = 0.01 * r, stored = 0.4 * scree_hertz_stiffness(stuff, stuff, r, 0.0) * pow(depth, 2.5);
  ScreeGrain g = {.id = 1, .position = {0, 0, r - depth}, .radius = r};
  s.wall[0] = (ScreeWallDef){.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  s.walls = 1;
  s.course[0] = turning(0.0, 1.0, 1.0, 2.0), s.courses = 1;
  s.course[0].point[2] = 0.3;
  s.def.expected_speed = 1.0;
  s.grain = &g, s.grains = 1;
  ScreeWorld *w = scree_scene_start(check, &s);
  ScreeMeasure m;
  if (!w) return;
  scree_world_measure(w, &m);
  scree_tally(check, scree_relative(m.elastic, stored), "stored %.9g J of %.9g J", m.elastic, stored);
  scree_world_destroy(w);
}

void scree_dem_turning_wall(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  check_place(check);
  check_twist(check);
  check_drag(check);
}

/* Differences of the pose over two steps are the velocities in the middle, to the square of the step. */
void scree_dem_carried_motions(ScreeCheck *check, const ScreeLawInfo *info) {
  ScreeWaypoint table[] = {{0.0, {0, 0, 0}, 0.0}, {0.1, {0.1, 0, -0.05}, 0.7}, {0.3, {0.15, 0.1, 0}, 1.0}};
  ScreeContactDef contact = scree_bare_contact(SCREE_LAW_hertz, NAN);
  Scene s = scree_scene(stuff, &contact, 4.0);
  ScreeGrain g = {.id = 1, .position = {1.9, 1.9, 1.9}, .radius = r};
  ScreeMotionDef rock = scree_motion_def_default(SCREE_MOTION_OSCILLATION),
                 path = scree_motion_def_default(SCREE_MOTION_WAYPOINTS);
  (void)info;
  rock.axis[0] = 0.6, rock.axis[2] = 0.8, rock.angle = 0.4, rock.frequency = 3.0, rock.phase = 0.3;
  rock.amplitude[1] = 0.02, rock.point[0] = 0.2, rock.start = 0.01, rock.stop = 1.0, rock.ramp = 0.1;
  path.waypoint = table, path.waypoints = 3, path.smooth = path.repeat = true, path.axis[1] = 1.0;
  s.wall[0] = (ScreeWallDef){.shape = SCREE_WALL_SPHERE, .radius = 0.1};
  s.walls = 1;
  s.course[0] = turning(1, 2, 2, 8.0), s.course[1] = rock, s.course[2] = path;
  s.course[0].point[1] = -0.3;
  s.courses = 3;
  s.def.timestep = 2e-5, s.def.expected_speed = 1.0;
  s.grain = &g, s.grains = 1;
  ScreeWorld *w = scree_scene_start(check, &s);
  if (!w) return;
  for (int look = 0; look < 12; look++) {
    ScreeWallLoad at[3];
    double worst = INFINITY, dt = scree_world_timestep(w), v[3], spin[3];
    if (!scree_scene_steps(check, w, 1200)) break;
    for (int i = 0; i < 3; i++) {
      scree_world_wall_load(w, 0, &at[i]);
      if (!scree_scene_steps(check, w, 1)) break;
    }
    for (int k = 0; k < 3; k++) {
      int y = (k + 1) % 3, z = (k + 2) % 3;
      v[k] = (at[2].position[k] - at[0].position[k]) / (2.0 * dt);
      spin[k] = (scree_dot(at[2].turn[z], at[1].turn[y]) - scree_dot(at[0].turn[z], at[1].turn[y])) / (2.0 * dt);
    }
    worst = fmax(largest(v, at[1].velocity, NULL, 5.0), largest(spin, at[1].spin, NULL, 10.0));
    scree_tally(check, worst, "velocity (%.6g, %.6g, %.6g) m/s, spin (%.6g, %.6g, %.6g) rad/s", v[0], v[1], v[2],
                spin[0], spin[1], spin[2]);
  }
  scree_world_destroy(w);
}

/* ---- balances ---- */

/* A box that tumbles and shakes: impulses, ledger. */
void scree_dem_moving_balance(ScreeCheck *check, const ScreeLawInfo *info) {
  ScreeContactDef contact = full_contact();
  Scene s = scree_scene(stuff, &contact, 1.0);
  ScreeGrain g[8];
  ScreeMotionDef shake = scree_motion_def_default(SCREE_MOTION_OSCILLATION);
  (void)info;
  for (int i = 0; i < 8; i++) {
    g[i] = (ScreeGrain){.id = (uint64_t)i, .radius = r, .velocity = {0.1 * i, -0.3, 0.05 * i}, .spin = {i, 2, 3}};
    for (int k = 0; k < 3; k++) g[i].position[k] = i >> k & 1 ? 0.03 : -0.025;
  }
  shake.amplitude[0] = 0.003, shake.frequency = 25.0;
  s.wall[0] =
      (ScreeWallDef){.shape = SCREE_WALL_BOX, .low = {-0.06, -0.06, -0.06}, .high = {0.06, 0.06, 0.06}, .inside = true};
  s.walls = 1;
  s.course[0] = turning(0.3, 0.4, 1.0, 10.0), s.course[1] = shake;
  s.course[0].point[0] = 0.02;
  s.courses = 2;
  s.def.expected_speed = 1.0, s.def.timestep = 1e-5;
  s.grain = g, s.grains = 8;
  ScreeWorld *w = scree_scene_start(check, &s);
  if (!w) return;
  ScreeMeasure first, last;
  double taken[6] = {0}, before[6] = {0}, worst = 0.0, dt = scree_world_timestep(w);
  scree_world_measure(w, &first);
  for (int step = 0; step <= 6000; step++) {
    double now[6] = {0};
    if (step > 0 && !scree_scene_steps(check, w, 1)) break;
    for (int face = 0; face < 6; face++) {
      double f[6];
      scree_world_wall_force(w, face, f, f + 3);
      for (int k = 0; k < 6; k++) now[k] += f[k];
    }
    for (int k = 0; k < 6 && step > 0; k++) taken[k] -= 0.5 * dt * (now[k] + before[k]);
    memcpy(before, now, sizeof now);
  }
  scree_world_measure(w, &last);
  for (int k = 0; k < 3; k++) {
    worst = fmax(worst, fabs(last.momentum[k] - first.momentum[k] - taken[k]) / 0.1);
    worst = fmax(worst, fabs(last.angular_momentum[k] - first.angular_momentum[k] - taken[3 + k]) / 0.01);
  }
  ScreeWallLoad load;
  scree_world_wall_load(w, 0, &load);
  scree_tally(check, worst, "angular momentum (%.6g, %.6g, %.6g) kg m2/s", last.angular_momentum[0],
              last.angular_momentum[1], last.angular_momentum[2]);
  scree_tally(check, fabs(last.residual) / last.scale, "work %.6g J", last.work);
  scree_tally(check, fabs(load.work - last.work) / last.scale + (fabs(last.work) > 0.05 * last.scale ? 0.0 : INFINITY),
              "work of the box %.9g J", load.work);
  scree_world_destroy(w);
}

/* ---- free walls ---- */

/* One elastic grain and one wall that a servo moves. */
static ScreeWorld *start_servo(ScreeCheck *check, ScreeWallDef wall, const ScreeMotionDef *servo, double timestep,
                               ScreeGrain *g) {
  ScreeContactDef contact = scree_bare_contact(SCREE_LAW_hertz, NAN);
  Scene s = scree_scene(stuff, &contact, 2.0);
  s.wall[0] = wall, s.walls = 1;
  s.course[0] = *servo, s.courses = 1;
  s.def.timestep = timestep, s.def.expected_speed = 1.0;
  s.grain = g, s.grains = 1;
  return scree_scene_start(check, &s);
}

static void check_exchange(ScreeCheck *check, bool turn) {
  double m = scree_sphere_mass(r, stuff.density), speed = 0.7, arm = 0.3;
  ScreeGrain g = {.id = 1, .position = {0, 0, 1.02 * r}, .velocity = {0, 0, -speed}, .radius = r}, now;
  ScreeMotionDef servo = scree_motion_def_default(turn ? SCREE_MOTION_TURN_SERVO : SCREE_MOTION_SERVO);
  servo.axis[turn ? 1 : 2] = 1.0, servo.point[0] = -arm;
  servo.inertia = turn ? 2.0 * m * arm * arm : 2.0 * m;
  servo.damping = 0.0, servo.max_speed = 10.0;
  ScreeWallDef disc = {.shape = SCREE_WALL_DISC, .axis = {0, 0, 1}, .radius = 0.5};
  ScreeWorld *w = start_servo(check, disc, &servo, 2e-6, &g);
  if (!w) return;
  ScreeWallLoad load;
  ScreeMeasure after;
  if (scree_scene_steps(check, w, 10000) && scree_world_read(w, &now) == SCREE_OK) {
    scree_world_wall_load(w, 0, &load);
    scree_world_measure(w, &after);
    double moved = turn ? -load.spin[1] * arm : load.velocity[2],
           off = fmax(fabs(now.velocity[2] - speed / 3.0), fabs(moved + 2.0 / 3.0 * speed)) / speed;
    /* a wall that turns swings away under the ball: the arms change a little */
    scree_tally(check, fmax(turn ? 1e-2 * off : off, fabs(after.residual) / after.scale),
                "ball %.9g m/s, wall %.9g m/s", now.velocity[2], moved);
  }
  scree_world_destroy(w);
}

/* A load against a damper: v = F/c (1 - exp(-c t/M)), then held. */
static void check_load(ScreeCheck *check) {
  ScreeGrain g = {.id = 1, .position = {0.9, 0, 0}, .radius = r};
  ScreeMotionDef servo = scree_motion_def_default(SCREE_MOTION_SERVO);
  servo.axis[0] = 1.0, servo.load = 3.0, servo.inertia = 0.5, servo.damping = 20.0, servo.max_speed = 1.0;
  servo.stop = 0.2;
  ScreeWallDef plane = {.shape = SCREE_WALL_PLANE, .point = {-0.9, 0, 0}, .axis = {1, 0, 0}};
  ScreeWorld *w = start_servo(check, plane, &servo, 1e-5, &g);
  if (!w) return;
  ScreeWallLoad load;
  ScreeMeasure m;
  if (scree_scene_steps(check, w, 5000)) {
    scree_world_wall_load(w, 0, &load);
    scree_world_measure(w, &m);
    double speed = 0.15 * (1.0 - exp(-40.0 * m.time));
    scree_tally(check, scree_relative(load.velocity[0], speed), "%.9g m/s of %.9g m/s", load.velocity[0], speed);
    scree_tally(check, fmax(fabs(m.residual), fabs(m.work - 3.0 * load.position[0])) / m.scale,
                "work of the load %.9g J", m.work);
  }
  if (scree_scene_steps(check, w, 16000)) {
    scree_world_wall_load(w, 0, &load);
    scree_world_measure(w, &m);
    scree_tally(check, fmax(fabs(m.residual) / m.scale, fabs(load.velocity[0])), "held at %.9g m", load.position[0]);
  }
  scree_world_destroy(w);
}

void scree_dem_free_wall(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  check_exchange(check, false);
  check_exchange(check, true);
  check_load(check);
}

/* ---- walls that go ---- */

void scree_dem_removed_wall(ScreeCheck *check, const ScreeLawInfo *info) {
  ScreeContactDef contact = scree_bare_contact(SCREE_LAW_hertz, NAN);
  Scene s = scree_scene(stuff, &contact, 1.0);
  double depth = 0.01 * r, k = scree_hertz_stiffness(stuff, stuff, r, 0.0), stored = 0.4 * k * pow(depth, 2.5),
         gravity = k * pow(depth, 1.5) / scree_sphere_mass(r, stuff.density);
  ScreeGrain g = {.id = 1, .position = {0, 0, r - depth}, .radius = r}, now;
  ScreeWorld *w = NULL;
  int id;
  (void)info;
  s.def.gravity[2] = -gravity; /* at rest where it is; the last force is that of step 499 */
  s.def.timestep = 1e-6, s.def.expected_speed = 1.0;
  ScreeWallDef plane = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  bool built = scree_world_create(&s.def, &w) == SCREE_OK && scree_world_add_material(w, stuff, &id) == SCREE_OK &&
               scree_world_set_contact(w, -1, -1, &contact) == SCREE_OK &&
               scree_world_add_wall(w, &plane, NULL) == SCREE_OK &&
               scree_world_time_wall(w, 0, -INFINITY, 0.4995e-3) == SCREE_OK &&
               scree_world_add_grains(w, 1, &g) == SCREE_OK && scree_world_start(w) == SCREE_OK;
  if (!built) scree_tally_failure(check, "start");
  ScreeMeasure m;
  if (built && scree_scene_steps(check, w, 1000) && scree_world_read(w, &now) == SCREE_OK) {
    scree_world_measure(w, &m);
    scree_tally(check, scree_relative(now.velocity[2], -gravity * 0.5005e-3), "falls at %.6g m/s", now.velocity[2]);
    scree_tally(check, fmax(scree_relative(m.dissipated_clamp, stored), fabs(m.residual) / m.scale),
                "lost %.6g J of %.6g J", m.dissipated_clamp, stored);
    scree_tally(check, m.contacts == 0 ? 0.0 : INFINITY, "%zu contacts", m.contacts);
  }
  scree_world_destroy(w);
}
