/* dem_walls.c: where walls stand. A ball is put into a wall by a known depth along a known normal; the energy stored
 * tells the depth the engine sees, and the way the ball leaves tells the normal. */
#include <string.h>

#include "dem.h"
#include "dem_oracles.h"

typedef struct WallCase {
  const char *name;
  ScreeWallDef wall;
  double foot[3], out[3]; /* the wall's point nearest to the ball, and the unit vector from there to the ball */
} WallCase;

static const double r = 0.05;

static void check_wall(ScreeCheck *check, const WallCase *c) {
  ScreeMaterial m = {1e7, 0.3, 2500.0};
  ScreeContactDef contact = scree_bare_contact(SCREE_LAW_hertz, NAN);
  Scene s = scree_scene(m, &contact, 4.0);
  ScreeGrain grain = {.id = 1, .radius = r}, now;
  ScreeMeasure at, after;
  double depth = 0.02 * r, k = scree_hertz_stiffness(m, m, r, 0.0), stored = 0.4 * k * pow(depth, 2.5);
  for (int i = 0; i < 3; i++) grain.position[i] = c->foot[i] + (r - depth) * c->out[i];
  s.wall[0] = c->wall;
  s.walls = 1;
  s.def.expected_speed = sqrt(2.0 * stored / scree_sphere_mass(r, m.density));
  s.def.timestep = 4e-3 * depth / s.def.expected_speed; /* Verlet on d^1.5: error below its square */
  s.grain = &grain, s.grains = 1;
  ScreeWorld *w = scree_scene_start(check, &s);
  if (!w) return;
  double worst = INFINITY;
  if (scree_world_measure(w, &at) == SCREE_OK && at.contacts == 1) {
    worst = scree_relative(at.elastic, stored);
    long steps = lround(4.0 * depth / s.def.expected_speed / scree_world_timestep(w));
    if (scree_scene_steps(check, w, steps)) {
      scree_world_read(w, &now);
      scree_world_measure(w, &after);
      worst = fmax(worst, fabs(after.residual) / stored);
      for (int i = 0; i < 3; i++)
        worst = fmax(worst,
                     fabs(now.velocity[i] / s.def.expected_speed - c->out[i]) * (after.contacts == 0 ? 1.0 : INFINITY));
    }
  }
  scree_tally(check, worst, "%s: ball at (%.3f, %.3f, %.3f) m, stored %.6g J of %.6g J", c->name, grain.position[0],
              grain.position[1], grain.position[2], at.elastic, stored);
  scree_world_destroy(w);
}

/* a = (2, 3, 6)/7 and two unit vectors across it. */
#define A                                                                                                              \
  { 2.0 / 7, 3.0 / 7, 6.0 / 7 }
#define UP(s, t)                                                                                                       \
  { 0.1 + (s)*2.0 / 7 + (t)*3.0 / 7, -0.2 + (s)*3.0 / 7 - (t)*6.0 / 7, 0.3 + (s)*6.0 / 7 + (t)*2.0 / 7 }
#define TO(s, t)                                                                                                       \
  { (s) * 2.0 / 7 + (t)*3.0 / 7, (s)*3.0 / 7 - (t)*6.0 / 7, (s)*6.0 / 7 + (t)*2.0 / 7 }
#define P                                                                                                              \
  { 0.1, -0.2, 0.3 }

void scree_dem_walls(ScreeCheck *check, const ScreeLawInfo *info) {
  const WallCase cases[] = {
      {"plane", {.shape = SCREE_WALL_PLANE, .point = P, .axis = {4.0, 6.0, 12.0}}, UP(0.0, 0.4), A},
      {"box from inside",
       {.shape = SCREE_WALL_BOX, .low = {-0.5, -0.6, -0.7}, .high = {0.5, 0.8, 0.9}, .inside = true},
       {0.1, 0.8, 0.2},
       {0.0, -1.0, 0.0}},
      {"box from inside, floor",
       {.shape = SCREE_WALL_BOX, .low = {-0.5, -0.6, -0.7}, .high = {0.5, 0.8, 0.9}, .inside = true},
       {0.1, 0.2, -0.7},
       {0.0, 0.0, 1.0}},
      {"block, face",
       {.shape = SCREE_WALL_BOX, .low = {-0.2, -0.3, -0.1}, .high = {0.2, 0.1, 0.4}},
       {-0.2, 0.0, 0.2},
       {-1.0, 0.0, 0.0}},
      {"block, edge",
       {.shape = SCREE_WALL_BOX, .low = {-0.2, -0.3, -0.1}, .high = {0.2, 0.1, 0.4}},
       {0.2, 0.1, 0.2},
       {0.6, 0.8, 0.0}},
      {"block, corner",
       {.shape = SCREE_WALL_BOX, .low = {-0.2, -0.3, -0.1}, .high = {0.2, 0.1, 0.4}},
       {0.2, -0.3, 0.4},
       {2.0 / 7, -3.0 / 7, 6.0 / 7}},
      {"sphere from inside",
       {.shape = SCREE_WALL_SPHERE, .point = P, .radius = 0.7, .inside = true},
       UP(0.0, 0.7),
       TO(0.0, -1.0)},
      {"sphere from outside", {.shape = SCREE_WALL_SPHERE, .point = P, .radius = 0.7}, UP(-0.7, 0.0), TO(-1.0, 0.0)},
      {"cylinder from inside",
       {.shape = SCREE_WALL_CYLINDER, .point = P, .axis = {1.0, 1.5, 3.0}, .radius = 0.4, .inside = true},
       UP(-0.3, 0.4),
       TO(0.0, -1.0)},
      {"cylinder from outside",
       {.shape = SCREE_WALL_CYLINDER, .point = P, .axis = A, .radius = 0.4},
       UP(0.2, -0.4),
       TO(0.0, -1.0)},
      {"pipe, inside",
       {.shape = SCREE_WALL_CYLINDER, .point = P, .axis = A, .radius = 0.4, .length = 0.6},
       UP(0.5, 0.4),
       TO(0.0, -1.0)},
      {"pipe, outside",
       {.shape = SCREE_WALL_CYLINDER, .point = P, .axis = A, .radius = 0.4, .length = 0.6},
       UP(0.5, 0.4),
       TO(0.0, 1.0)},
      {"pipe, rim",
       {.shape = SCREE_WALL_CYLINDER, .point = P, .axis = A, .radius = 0.4, .length = 0.6},
       UP(0.6, 0.4),
       TO(0.8, -0.6)},
      {"pipe, first rim",
       {.shape = SCREE_WALL_CYLINDER, .point = P, .axis = A, .radius = 0.4, .length = 0.6},
       UP(0.0, 0.4),
       TO(-0.6, 0.8)},
      /* half angle with cos 0.8, sin 0.6: 0.5 m up the surface */
      {"cone",
       {.shape = SCREE_WALL_CONE, .point = P, .axis = A, .angle = 0.6435011087932844},
       UP(0.4, 0.3),
       TO(0.6, -0.8)},
      {"funnel, inside",
       {.shape = SCREE_WALL_CONE, .point = P, .axis = A, .radius = 0.1, .radius2 = 0.4, .length = 0.4},
       UP(0.2, 0.25),
       TO(0.6, -0.8)},
      {"funnel, outside",
       {.shape = SCREE_WALL_CONE, .point = P, .axis = A, .radius = 0.1, .radius2 = 0.4, .length = 0.4},
       UP(0.2, 0.25),
       TO(-0.6, 0.8)},
      {"funnel, rim",
       {.shape = SCREE_WALL_CONE, .point = P, .axis = A, .radius = 0.1, .radius2 = 0.4, .length = 0.4},
       UP(0.4, 0.4),
       TO(0.8, 0.6)},
      {"disc", {.shape = SCREE_WALL_DISC, .point = P, .axis = A, .radius = 0.5}, UP(0.0, 0.3), TO(1.0, 0.0)},
      {"disc, below", {.shape = SCREE_WALL_DISC, .point = P, .axis = A, .radius = 0.5}, UP(0.0, 0.3), TO(-1.0, 0.0)},
      {"disc, rim", {.shape = SCREE_WALL_DISC, .point = P, .axis = A, .radius = 0.5}, UP(0.0, 0.5), TO(0.6, 0.8)},
      {"disc, hole",
       {.shape = SCREE_WALL_DISC, .point = P, .axis = A, .radius = 0.5, .radius2 = 0.2},
       UP(0.0, 0.2),
       TO(0.8, -0.6)},
  };
  (void)info;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_wall(check, &cases[i]);
}
