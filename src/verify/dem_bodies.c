/* dem_bodies.c: what contacts must not depend on, and what sums must not do: bodies that a law tells apart, the lever
 * of a contact in a valley, and a grain on which more contacts press than its sums hold. */
#include <stdlib.h>
#include <string.h>

#include "dem.h"
#include "dem_oracles.h"

/* Viscosities of the first body and of the second. */
static ScreeContactDef two_viscosities(void) {
  ScreeContactDef c = scree_bare_contact(SCREE_LAW_roy_carretero, NAN);
  c.pair.restitution = NAN;
  c.pair.param[SCREE_PARAM_D1] = 2e3;
  c.pair.param[SCREE_PARAM_D2] = 5e4;
  return c;
}

/* Speed after an impact of a grain of material 1 on another of material 0, or on a wall of it. turned: the grains'
 * order in memory; named: which material the contact names first. */
static double rebound(ScreeCheck *check, bool wall, bool turned, int named) {
  const ScreeMaterial rubber = {1e7, 0.3, 1000.0};
  const double r[2] = {4e-3, 2e-3}, v = 0.3;
  ScreeContactDef contact = two_viscosities(), own = contact;
  ScreeWorldDef def = scree_world_def_default();
  ScreeWorld *w = NULL;
  ScreeGrain grain[2] = {{.id = 7, .radius = r[1], .position = {0.0, 0.0, wall ? r[1] : r[0] + r[1]}, .material = 1},
                         {.id = 3, .radius = r[0], .fixed = true, .material = 0}},
             now[2];
  int id;
  double speed = NAN;
  own.pair.param[SCREE_PARAM_D2] = own.pair.param[SCREE_PARAM_D1];
  grain[0].velocity[2] = -v;
  memset(def.gravity, 0, sizeof def.gravity);
  for (int k = 0; k < 3; k++) def.low[k] = -0.05, def.high[k] = 0.05;
  def.expected_speed = v, def.max_overlap = 0.5, def.timestep = 1e-6;
  if (turned) {
    ScreeGrain other = grain[0];
    grain[0] = grain[1], grain[1] = other;
    grain[0].id = 7, grain[1].id = 3;
  }
  bool made = scree_world_create(&def, &w) == SCREE_OK && scree_world_add_material(w, rubber, &id) == SCREE_OK &&
              scree_world_add_material(w, rubber, &id) == SCREE_OK &&
              scree_world_set_contact(w, -1, -1, &own) == SCREE_OK &&
              scree_world_set_contact(w, named, !named, &contact) == SCREE_OK;
  ScreeWallDef plane = {.shape = SCREE_WALL_PLANE, .axis = {0.0, 0.0, 1.0}};
  if (made && wall) made = scree_world_add_wall(w, &plane, &id) == SCREE_OK;
  if (made) made = scree_world_add_grains(w, wall ? 1 : 2, wall && turned ? &grain[1] : grain) == SCREE_OK;
  if (made && scree_world_start(w) == SCREE_OK && scree_scene_steps(check, w, 20000) &&
      scree_world_read(w, now) == SCREE_OK)
    speed = now[!wall && !turned].velocity[2];
  if (isnan(speed)) scree_tally_failure(check, "rebound");
  scree_world_destroy(w);
  return speed;
}

/* roy_carretero has two viscosities: which body has which follows from the materials alone. The effective one is that
 * of two layers in series, d1 d2/(r2 d1 + r1 d2): with the names exchanged the rebound is another. */
void scree_dem_bodies(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  double speed[2][2];
  for (int named = 0; named < 2; named++) {
    speed[0][named] = rebound(check, false, false, named);
    double again = rebound(check, false, true, named);
    scree_tally(check, fabs(again - speed[0][named]), "grains, material %d first: %.17g m/s and %.17g", named,
                speed[0][named], again);
  }
  double apart = fabs(speed[0][0] - speed[0][1]) / 0.3;
  scree_tally(check, apart > 0.01 ? 0.0 : 1.0, "grains: the viscosities exchanged change e by %.3g", apart);
  /* a layer of the wall is as thick as one of the grain: exchanged viscosities make no difference, a forgotten one does
   */
  speed[1][0] = rebound(check, true, false, 0), speed[1][1] = rebound(check, true, false, 1);
  scree_tally(check, fabs(speed[1][0] - speed[1][1]) / 0.3 < 1e-12 ? 0.0 : 1.0, "a wall: %.17g m/s and %.17g",
              speed[1][0], speed[1][1]);
}

/* A grain on many fixed ones in one place: the sum is right, or the world does not start. */
void scree_dem_sums(ScreeCheck *check, const ScreeLawInfo *info) {
  const ScreeMaterial soft = {5e6, 0.3, 2500.0};
  const double r = 1e-3, depth = 0.0999e-3;
  double one = 0.0;
  (void)info;
  for (size_t count = 1; count <= 4096; count *= 4) {
    ScreeContactDef contact = scree_bare_contact(SCREE_LAW_hertz, NAN);
    Scene s = scree_scene(soft, &contact, 0.1);
    ScreeGrain *grain = calloc(count + 1, sizeof *grain);
    ScreeGrainLoad *load = calloc(count + 1, sizeof *load);
    ScreeWorld *w = NULL;
    int id;
    s.def.max_overlap = 0.1, s.def.expected_speed = 1.0;
    for (size_t i = 0; grain && i <= count; i++) grain[i] = (ScreeGrain){.id = i, .radius = r, .fixed = i > 0};
    if (grain) grain[0].position[2] = 2.0 * r - depth;
    bool made = grain && load && scree_world_create(&s.def, &w) == SCREE_OK &&
                scree_world_add_material(w, soft, &id) == SCREE_OK &&
                scree_world_set_contact(w, -1, -1, &contact) == SCREE_OK &&
                scree_world_add_grains(w, count + 1, grain) == SCREE_OK;
    if (!made) {
      scree_tally_failure(check, "a pile of fixed grains");
    } else if (scree_world_start(w) == SCREE_OK && scree_world_read_loads(w, load) == SCREE_OK) {
      if (count == 1) one = load[0].force[2];
      scree_tally(check, scree_relative(load[0].force[2], (double)count * one), "%zu contacts: %.6g N, one %.6g", count,
                  load[0].force[2], one);
    } else {
      scree_tally(check, count >= 256 ? 0.0 : 1.0, "%zu contacts: refused", count);
    }
    scree_world_destroy(w);
    free(grain), free(load);
  }
}

/* A ball that rubs in a valley of two facets: force and torque on the mesh about the origin are opposite to the ball's.
 */
void scree_dem_valley_moments(ScreeCheck *check, const ScreeLawInfo *info) {
  const double slope = 0.4, r = 0.05, height = (r - 1e-3) * sqrt(1.0 + slope * slope);
  double vertex[6][3];
  const uint32_t triangle[4][3] = {{0, 2, 1}, {1, 2, 3}, {2, 4, 3}, {3, 4, 5}};
  ScreeMeshDef mesh_def = {(const double(*)[3])vertex, 6, triangle, 4};
  ScreeContactDef contact = scree_contact_def_default();
  ScreeMesh *mesh = NULL;
  ScreeGrain ball = {
      .id = 1, .radius = r, .position = {0.0, 0.1, height}, .velocity = {0.02, 0.3, -0.1}, .spin = {3.0, -5.0, 2.0}};
  (void)info;
  for (int k = 0; k < 6; k++)
    vertex[k][0] = k / 2 - 1.0, vertex[k][1] = k % 2 - 0.5, vertex[k][2] = slope * fabs(vertex[k][0]);
  Scene s = scree_scene((ScreeMaterial){70e6, 0.25, 2500.0}, &contact, 4.0);
  if (scree_mesh_create(&mesh_def, &mesh) != SCREE_OK) return scree_tally_failure(check, "mesh");
  s.def.expected_speed = 1.0, s.def.timestep = 2e-6;
  s.wall[0] = (ScreeWallDef){.shape = SCREE_WALL_MESH, .mesh = mesh};
  s.walls = 1;
  s.grain = &ball, s.grains = 1;
  ScreeWorld *w = scree_scene_start(check, &s);
  scree_mesh_destroy(mesh);
  for (int step = 0; w && step < 20 && scree_scene_steps(check, w, 5); step++) {
    ScreeGrainLoad load;
    ScreeWallLoad wall;
    double moment[3], worst = 0.0;
    if (scree_world_read(w, &ball) != SCREE_OK || scree_world_read_loads(w, &load) != SCREE_OK ||
        scree_world_wall_load(w, 0, &wall) != SCREE_OK)
      break;
    scree_cross(ball.position, load.force, moment);
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(wall.torque[k] + moment[k] + load.torque[k]));
    double size = r * sqrt(scree_dot(load.force, load.force));
    scree_tally(check, size > 0.0 ? worst / size : 1.0, "step %d: %.3g N m of %.3g are not opposite", 5 * step + 5,
                worst, size);
  }
  scree_world_destroy(w);
}
