/* dem_flow.c: oracles of grains that come and go: what happens elsewhere leaves no trace, energy is booked, rates are
 * kept, nothing overlaps, nothing is missed. */
#include <stdlib.h>
#include <string.h>

#include "dem.h"
#include "dem_oracles.h"

static const ScreeMaterial soft = {1e7, 0.25, 2500.0};

static ScreeContactDef rubbing(void) {
  ScreeContactDef contact = scree_contact_def_default();
  contact.pair.restitution = 0.5;
  return contact;
}

/* ---- by hand ---- */

/* Two elastic grains at their deepest: one is taken out, and its kinetic energy and what the contact holds go with it.
 * The last push on the other, which is half a step's, is booked too: without it the residual would be of its size. */
static void take_from_contact(ScreeCheck *check, ScreeLawId tangential) {
  ScreeContactDef contact = rubbing();
  contact.pair.restitution = 1.0;
  contact.tangential = tangential;
  contact.pair.param[SCREE_PARAM_kt] = 1e4;
  Scene s = scree_scene(soft, &contact, 0.1);
  ScreeGrain g[2] = {
      {.id = 1, .position = {-0.0051, 0, 0}, .velocity = {0.7, 0.2, 0}, .radius = 0.005},
      {.id = 2, .position = {0.0050, 0, 0}, .velocity = {-0.3, 0, 0}, .spin = {0, 0, 20}, .radius = 0.005}};
  s.def.expected_speed = 1.0;
  s.grain = g, s.grains = 2;
  for (uint64_t gone = 1; gone <= 2; gone++) {
    ScreeWorld *w = scree_scene_start(check, &s);
    ScreeMeasure held = {0}, now = {0};
    if (!w) return;
    bool fine = true;
    for (double most = -1.0; fine && now.elastic >= most; most = held.elastic) {
      held = now;
      fine = scree_scene_steps(check, w, 1) && scree_world_measure(w, &now) == SCREE_OK;
    }
    fine = fine && scree_world_remove(w, 1, &gone) == SCREE_OK && scree_scene_steps(check, w, 2);
    ScreeMeasure after = {0};
    scree_world_measure(w, &after);
    double residual = fabs(after.residual) / after.scale; /* its own integration error is 8e-5 at this step */
    bool told = fine && after.grains == 1 && after.removed.grains == 1 && now.elastic > 0.3 * now.scale;
    scree_tally(check, told ? residual / 1e-4 : INFINITY, "grain %d of a squeezed pair, %s: residual %.1e", (int)gone,
                tangential == SCREE_LAW_NONE ? "frictionless" : scree_law_info(tangential)->name, residual);
    scree_world_destroy(w);
  }
}

enum { SIDE = 6, HEAP = SIDE * SIDE * SIDE, TROOP = 30 };

static void heap(ScreeGrain *g) {
  uint64_t random = 11;
  for (int i = 0; i < HEAP; i++) {
    int c[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    g[i] = (ScreeGrain){.id = (uint64_t)i + 1, .radius = 0.0048};
    for (int k = 0; k < 3; k++) {
      g[i].position[k] = -0.025 + 0.01 * c[k];
      g[i].velocity[k] = scree_uniform(&random, -0.3, 0.3);
    }
  }
}

/* A heap in a corner of a large box, and a troop that comes to another. One of them goes, which the list outlives, then
 * all the others, more than a tenth of all: so that among the lists that are made for it, every tenth of which sorts
 * the grains, are those of grains that go. */
static void leave_no_trace(ScreeCheck *check) {
  ScreeContactDef contact = rubbing();
  Scene s = scree_scene(soft, &contact, 0.4);
  ScreeGrain g[HEAP], far[TROOP];
  uint64_t id[TROOP];
  for (int i = 0; i < TROOP; i++) {
    id[i] = 1000 + (uint64_t)i;
    far[i] = (ScreeGrain){.id = id[i], .position = {0.15, 0.15, 0.15}, .velocity = {0, 0, 0.1}, .radius = 0.0048};
    far[i].position[0] -= 0.01 * i;
  }
  uint64_t hash[2] = {0, 1};
  heap(g);
  s.grain = g, s.grains = HEAP;
  for (int busy = 0; busy < 2; busy++) {
    ScreeWorld *w = scree_scene_start(check, &s);
    if (!w) return;
    for (int i = 0; i < 90; i++) {
      if (busy && i % 3 == 0 && scree_world_insert(w, TROOP, far) != SCREE_OK) scree_tally_failure(check, "insert");
      if (busy && i % 3 == 1 && scree_world_remove(w, 1, id) != SCREE_OK) scree_tally_failure(check, "remove");
      if (busy && i % 3 == 2 && scree_world_remove(w, TROOP - 1, id + 1) != SCREE_OK)
        scree_tally_failure(check, "remove");
      if (!scree_scene_steps(check, w, 23)) break;
    }
    hash[busy] = scree_world_hash(w);
    scree_world_destroy(w);
  }
  scree_tally(check, hash[0] == hash[1] ? 0.0 : INFINITY, "with and without grains far away: %016llx, %016llx",
              (unsigned long long)hash[0], (unsigned long long)hash[1]);
}

void scree_dem_coming_and_going(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  take_from_contact(check, SCREE_LAW_NONE);
  take_from_contact(check, SCREE_LAW_mindlin);
  take_from_contact(check, SCREE_LAW_tangential_linear);
  leave_no_trace(check);
}

/* ---- streams and outlets ---- */

static ScreeStreamDef rain(bool by_mass) {
  ScreeStreamDef d = scree_stream_def_default();
  d.region = (ScreeRegion){.shape = SCREE_REGION_BOX, .low = {-0.04, -0.04, 0.01}, .high = {0.04, 0.04, 0.05}};
  d.sizes = (ScreeSizes){.kind = SCREE_SIZES_UNIFORM, .min = 0.002, .max = 0.004};
  d.velocity[2] = -1.0;
  d.from = 0.004;
  d.until = 0.06;
  *(by_mass ? &d.mass_rate : &d.number_rate) = by_mass ? 1.5 : 5000.0;
  return d;
}

/* Rain on a floor with a layer that takes grains out beneath the middle of the box. */
static ScreeWorld *shower(ScreeCheck *check, bool by_mass, int threads) {
  ScreeContactDef contact = rubbing();
  Scene s = scree_scene(soft, &contact, 0.1);
  ScreeStreamDef d = rain(by_mass);
  ScreeWallDef box = {.shape = SCREE_WALL_BOX, .inside = true};
  ScreeRegion drain = {.shape = SCREE_REGION_BOX, .low = {-0.02, -0.02, -0.05}, .high = {0.02, 0.02, -0.045}};
  ScreeWorld *w = NULL;
  int id;
  s.def.gravity[2] = -9.81;
  s.def.threads = threads;
  memcpy(box.low, s.def.low, sizeof box.low);
  memcpy(box.high, s.def.high, sizeof box.high);
  if (scree_world_create(&s.def, &w) == SCREE_OK && scree_world_add_material(w, soft, &id) == SCREE_OK &&
      scree_world_set_contact(w, -1, -1, &contact) == SCREE_OK && scree_world_add_wall(w, &box, NULL) == SCREE_OK &&
      scree_world_add_outlet(w, &drain, NULL) == SCREE_OK && scree_world_add_stream(w, &d, NULL) == SCREE_OK &&
      scree_world_start(w) == SCREE_OK)
    return w;
  scree_tally_failure(check, "start");
  scree_world_destroy(w);
  return NULL;
}

/* The smallest gap between a grain that came since and any other, over the sum of their radii; against all others. */
static double smallest_gap(const ScreeWorld *w, uint64_t newest) {
  size_t n = scree_world_count(w);
  ScreeGrain *g = malloc((n + 1) * sizeof *g);
  double least = INFINITY;
  if (!g || scree_world_read(w, g) != SCREE_OK) n = 0;
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; g[a].id >= newest && b < n; b++) {
      double d[3];
      for (int k = 0; k < 3; k++) d[k] = g[a].position[k] - g[b].position[k];
      double reach = g[a].radius + g[b].radius;
      if (a != b) least = fmin(least, sqrt(scree_dot(d, d)) / reach - 1.0);
    }
  free(g);
  return least;
}

static void watch_shower(ScreeCheck *check, bool by_mass) {
  ScreeWorld *w = shower(check, by_mass, 1);
  ScreeStreamDef d = rain(by_mass);
  double rate = by_mass ? d.mass_rate : d.number_rate, grain = by_mass ? scree_sphere_mass(0.004, soft.density) : 1.0,
         worst = 0.0, gap = INFINITY;
  uint64_t newest = 0;
  ScreeMeasure m = {0};
  while (w && m.time < 0.08) {
    ScreeStreamFlow flow = {0};
    if (!scree_scene_steps(check, w, 32)) break;
    scree_world_measure(w, &m);
    scree_world_stream_flow(w, 0, &flow);
    double asked = rate * fmax(0.0, fmin(m.time, d.until) - d.from);
    worst = fmax(worst, fabs(flow.delivered - asked) / grain);
    gap = fmin(gap, smallest_gap(w, newest));
    newest = scree_world_next_id(w);
  }
  ScreeFlow out = {0};
  if (w) scree_world_outlet_flow(w, 0, &out);
  scree_tally(check, worst / 0.5000001, "a rate by %s is kept within %.3f grains", by_mass ? "mass" : "number", worst);
  scree_tally(check, gap >= -1e-9 ? 0.0 : INFINITY, "the smallest gap of a new grain is %.2e of its size", gap);
  bool adds_up = m.inserted.grains - m.removed.grains == m.grains && out.grains == m.removed.grains &&
                 out.mass == m.removed.mass && out.grains > 20 && m.inserted.grains > 200;
  scree_tally(check, adds_up ? 0.0 : INFINITY, "%zu came, %zu went, %zu are there", m.inserted.grains, m.removed.grains,
              m.grains);
  double residual = fabs(m.residual) / m.scale;
  scree_tally(check, residual / 3e-4, "residual %.1e of the energy", residual);
  scree_world_destroy(w);
}

/* Layers fall through a thin outlet. */
static void catch_all(ScreeCheck *check) {
  ScreeContactDef contact = rubbing();
  Scene s = scree_scene(soft, &contact, 0.4);
  ScreeGrain g[HEAP];
  ScreeRegion plate = {.shape = SCREE_REGION_BOX, .low = {-0.2, -0.2, -0.1}, .high = {0.2, 0.2, -0.0995}};
  ScreeWorld *w = NULL;
  ScreeFlow caught = {0}, past = {0};
  int id;
  heap(g);
  for (int i = 0; i < HEAP; i++) g[i].velocity[2] -= 2.0;
  s.def.outside = SCREE_OUTSIDE_REMOVE;
  bool fine = scree_world_create(&s.def, &w) == SCREE_OK && scree_world_add_material(w, soft, &id) == SCREE_OK &&
              scree_world_set_contact(w, -1, -1, &contact) == SCREE_OK &&
              scree_world_add_outlet(w, &plate, NULL) == SCREE_OK && scree_world_add_grains(w, HEAP, g) == SCREE_OK &&
              scree_world_start(w) == SCREE_OK;
  if (!fine) scree_tally_failure(check, "start");
  if (fine && scree_scene_steps(check, w, lround(0.2 / scree_world_timestep(w)))) {
    scree_world_outlet_flow(w, 0, &caught);
    scree_world_outlet_flow(w, -1, &past);
  }
  scree_tally(check, caught.grains == HEAP && past.grains == 0 ? 0.0 : INFINITY,
              "a thin outlet catches %zu of %d, %zu pass", caught.grains, HEAP, past.grains);
  scree_world_destroy(w);
}

void scree_dem_streams(ScreeCheck *check, const ScreeLawInfo *info) {
  uint64_t hash[2] = {0, 1};
  (void)info;
  watch_shower(check, true);
  watch_shower(check, false);
  catch_all(check);
  for (int i = 0; i < 2; i++) {
    ScreeWorld *w = shower(check, true, i + 1);
    if (w && scree_scene_steps(check, w, 3000)) hash[i] = scree_world_hash(w);
    scree_world_destroy(w);
  }
  scree_tally(check, hash[0] == hash[1] ? 0.0 : INFINITY, "one thread and two: %016llx, %016llx",
              (unsigned long long)hash[0], (unsigned long long)hash[1]);
}
