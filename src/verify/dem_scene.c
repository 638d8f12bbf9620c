/* dem_scene.c: small worlds for the oracles, and one impact through the engine. */
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "dem.h"

Scene scree_scene(ScreeMaterial material, const ScreeContactDef *contact, double size) {
  Scene s = {.def = scree_world_def_default(), .material = {material}, .materials = 1, .contact = *contact};
  for (int k = 0; k < 3; k++) {
    s.def.gravity[k] = 0.0;
    s.def.low[k] = -0.5 * size;
    s.def.high[k] = 0.5 * size;
  }
  s.def.max_overlap = 0.3;
  return s;
}

static ScreeStatus build(const Scene *s, ScreeWorld *world) {
  int id;
  for (int m = 0; m < s->materials; m++) SCREE_TRY(scree_world_add_material(world, s->material[m], &id));
  SCREE_TRY(scree_world_set_contact(world, -1, -1, &s->contact));
  for (int w = 0; w < s->walls; w++) {
    SCREE_TRY(scree_world_add_wall(world, &s->wall[w], &id));
    if (s->motion[w]) SCREE_TRY(scree_world_move_wall(world, id, s->motion[w]));
    if (s->remove_at[w] > 0.0) SCREE_TRY(scree_world_time_wall(world, id, 0.0, s->remove_at[w]));
  }
  for (int m = 0; m < s->courses; m++) SCREE_TRY(scree_world_move_wall(world, 0, &s->course[m]));
  SCREE_TRY(scree_world_add_grains(world, s->grains, s->grain));
  return scree_world_start(world);
}

ScreeWorld *scree_scene_start(ScreeCheck *check, const Scene *scene) {
  ScreeWorld *world = NULL;
  if (scree_world_create(&scene->def, &world) == SCREE_OK && build(scene, world) == SCREE_OK) return world;
  scree_tally_failure(check, "start");
  scree_world_destroy(world);
  return NULL;
}

bool scree_scene_steps(ScreeCheck *check, ScreeWorld *world, long steps) {
  if (scree_world_step(world, steps) == SCREE_OK) return true;
  scree_tally_failure(check, "step");
  return false;
}

ScreeContactDef scree_bare_contact(ScreeLawId normal, double restitution) {
  ScreeContactDef c = scree_contact_def_default();
  c.normal = normal;
  c.tangential = SCREE_LAW_NONE;
  c.pair.restitution = scree_law_info(normal)->domain == SCREE_E_NONE ? NAN : restitution;
  c.pair.param[SCREE_PARAM_mu] = NAN;
  return c;
}

double scree_sphere_mass(double radius, double density) {
  return 4.0 / 3.0 * acos(-1.0) * radius * radius * radius * density;
}

double scree_hertz_stiffness(ScreeMaterial a, ScreeMaterial b, double r1, double r2) {
  double modulus = 1.0 / ((1.0 - a.poisson * a.poisson) / a.young + (1.0 - b.poisson * b.poisson) / b.young);
  return 4.0 / 3.0 * modulus * sqrt(r2 > 0.0 ? r1 * r2 / (r1 + r2) : r1);
}

ScreeGrain *scree_lattice(const int *side, const double *low, double cell, double radius, double spread, double speed,
                          uint64_t random) {
  size_t n = (size_t)side[0] * (size_t)side[1] * (size_t)side[2];
  ScreeGrain *g = calloc(n, sizeof *g);
  double mean[3] = {0.0, 0.0, 0.0};
  for (size_t i = 0; g && i < n; i++) {
    size_t c[3] = {i % (size_t)side[0], i / (size_t)side[0] % (size_t)side[1], i / (size_t)side[0] / (size_t)side[1]};
    g[i] = (ScreeGrain){.id = i, .radius = radius * (1.0 + spread * scree_uniform(&random, -1.0, 1.0))};
    double room = 0.5 * cell - g[i].radius;
    for (int k = 0; k < 3; k++) {
      g[i].position[k] =
          low[k] + ((double)c[k] + 0.5) * cell + (room > 0.0 ? scree_uniform(&random, -room, room) : 0.0);
      /* the sum of four uniform numbers is nearly normal: the gas starts close to its equilibrium */
      for (int t = 0; t < 4; t++) g[i].velocity[k] += speed * scree_uniform(&random, -1.0, 1.0);
      mean[k] += g[i].velocity[k] / (double)n;
    }
  }
  for (size_t i = 0; g && i < n; i++)
    for (int k = 0; k < 3; k++) g[i].velocity[k] -= mean[k];
  return g;
}

const ScreeMaterial scree_grit = {5e6, 0.3, 2500.0};

ScreeContactDef scree_gritty(double friction, double rolling) {
  ScreeContactDef contact = scree_contact_def_default();
  contact.normal = SCREE_LAW_tsuji;
  contact.pair.restitution = 0.5;
  contact.pair.param[SCREE_PARAM_mu] = friction;
  contact.rolling_model = rolling > 0.0 ? SCREE_ROLLING_SPRING : SCREE_ROLLING_NONE;
  contact.rolling = rolling;
  return contact;
}

/* ---- one impact ---- */

/* A right-handed frame that is oblique to all axes: from body 1 to body 2, along the surface, and n x t. */
static const double normal[3] = {2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0}, tangent[3] = {6.0 / 7.0, -2.0 / 7.0, -3.0 / 7.0},
                    across[3] = {3.0 / 7.0, 6.0 / 7.0, 2.0 / 7.0};

static void along(double *out, double n, double t, double b) {
  for (int k = 0; k < 3; k++) out[k] = n * normal[k] + t * tangent[k] + b * across[k];
}

/* One material is enough for bodies of the same: a world prepares every pair of its materials. */
static bool alike(const EngineImpact *i) {
  const ScreeMaterial *a = &i->material[0], *b = &i->material[1];
  return a->young == b->young && a->poisson == b->poisson && a->density == b->density;
}

/* The grains at the start, body 1's centre at the origin; returns how many. */
static int place(const EngineImpact *i, double gap, ScreeGrain *g) {
  bool wall = !(i->radius[1] > 0.0), both = !wall && !i->fixed;
  double m1 = scree_sphere_mass(i->radius[0], i->material[0].density),
         m2 = both ? scree_sphere_mass(i->radius[1], i->material[1].density) : INFINITY;
  double share = both ? m2 / (m1 + m2) : 1.0;
  g[0] = (ScreeGrain){.id = 1, .radius = i->radius[0], .material = alike(i) ? 0 : i->reversed};
  along(g[0].velocity, share * i->normal_speed, share * i->tangential_speed, 0.0);
  along(g[0].spin, 0.0, 0.0, i->spin[0]);
  if (wall) return 1;
  g[1] = (ScreeGrain){.id = 2, .radius = i->radius[1], .material = alike(i) ? 0 : !i->reversed, .fixed = i->fixed};
  along(g[1].position, i->radius[0] + i->radius[1] + gap, 0.0, 0.0);
  along(g[1].velocity, (share - 1.0) * i->normal_speed, (share - 1.0) * i->tangential_speed, 0.0);
  along(g[1].spin, 0.0, 0.0, i->spin[1]);
  return 2;
}

/* The line of centres turns while grains touch; speeds are taken in the frame of the first touch, as impulses are. */
static void relative_motion(const ScreeGrain *g, int count, double *rel) {
  for (int k = 0; k < 3; k++) rel[k] = g[0].velocity[k] - (count > 1 ? g[1].velocity[k] : 0.0);
}

static double gap_of(const EngineImpact *i, const ScreeGrain *g, int count, double start) {
  if (count == 1) return start - scree_dot(g[0].position, normal);
  double dx[3];
  for (int k = 0; k < 3; k++) dx[k] = g[1].position[k] - g[0].position[k];
  return sqrt(scree_dot(dx, dx)) - i->radius[0] - i->radius[1];
}

static void summarise(const ScreeGrain *g, int count, EngineRebound *out) {
  double rel[3];
  relative_motion(g, count, rel);
  out->normal_speed = -scree_dot(rel, normal);
  out->tangential_speed = scree_dot(rel, tangent);
  out->out_of_plane = fabs(scree_dot(rel, across));
  for (int b = 0; b < 2; b++) {
    out->spin[b] = b < count ? scree_dot(g[b].spin, across) : 0.0;
    double rest = b < count ? fabs(scree_dot(g[b].spin, normal)) + fabs(scree_dot(g[b].spin, tangent)) : 0.0;
    out->out_of_plane = fmax(out->out_of_plane, b < count ? rest * g[b].radius : 0.0);
  }
}

static bool march(ScreeCheck *check, const EngineImpact *i, ScreeWorld *w, int count, double gap, EngineRebound *out) {
  ScreeGrain g[2];
  double mass = scree_sphere_mass(i->radius[0], i->material[0].density), before[3], rel[3], touched = NAN;
  bool met = false;
  scree_world_read(w, g);
  memcpy(before, g[0].velocity, sizeof before);
  touched = gap / i->normal_speed;
  for (long s = 1; s < 20000000; s++) {
    if (!scree_scene_steps(check, w, 1)) return false;
    scree_world_read(w, g);
    double overlap = -gap_of(i, g, count, gap), force = 0.0;
    out->max_overlap = fmax(out->max_overlap, overlap);
    for (int k = 0; k < 3; k++) force -= mass * (g[0].velocity[k] - before[k]) / out->timestep * normal[k];
    out->max_force = fmax(out->max_force, force);
    memcpy(before, g[0].velocity, sizeof before);
    if (i->audit && scree_world_measure(w, &out->measure) == SCREE_OK)
      out->residual = fmax(out->residual, fabs(out->measure.residual));
    met = met || overlap > 0.0;
    relative_motion(g, count, rel);
    if (!met || overlap > 0.0 || scree_dot(rel, normal) > 0.0) continue;
    out->duration = (double)s * out->timestep + overlap / -scree_dot(rel, normal) - touched;
    break;
  }
  summarise(g, count, out);
  return scree_world_measure(w, &out->measure) == SCREE_OK;
}

bool scree_engine_impact(ScreeCheck *check, const EngineImpact *i, EngineRebound *out) {
  double largest = fmax(i->radius[0], i->radius[1]), size = 60.0 * largest;
  Scene s = scree_scene(i->material[i->reversed], &i->contact, size);
  ScreeGrain g[2];
  *out = (EngineRebound){0};
  s.material[1] = i->material[!i->reversed];
  s.materials = alike(i) ? 1 : 2;
  s.def.expected_speed = i->normal_speed;
  s.def.timestep = i->timestep;
  s.def.skin = 0.2 * i->radius[0];
  s.grain = g;
  /* twice where the engine chooses the step, which decides how far a phase is */
  bool known = !isnan(i->timestep);
  double gap = known ? i->phase * i->timestep * i->normal_speed : 0.01 * i->radius[0];
  for (int turn = known; turn < 2; turn++) {
    s.grains = (size_t)place(i, gap, g);
    s.walls = s.grains == 1;
    s.wall[0] = (ScreeWallDef){.shape = SCREE_WALL_PLANE, .material = alike(i) ? 0 : !i->reversed};
    along(s.wall[0].point, i->radius[0] + gap, 0.3, -0.2);
    for (int k = 0; k < 3; k++) s.wall[0].axis[k] = -2.0 * normal[k];
    ScreeWorld *w = scree_scene_start(check, &s);
    if (!w) return false;
    out->timestep = scree_world_timestep(w);
    bool fine = turn == 0 || march(check, i, w, (int)s.grains, gap, out);
    scree_world_destroy(w);
    if (!fine) return false;
    gap = i->phase * out->timestep * i->normal_speed;
  }
  return true;
}
