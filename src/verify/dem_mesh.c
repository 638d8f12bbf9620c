/* dem_mesh.c: surfaces of triangles. Their judges are the analytic walls they are made of, and the energy whose
 * gradient the force must be. */
#include <stdlib.h>
#include <string.h>

#include "dem.h"
#include "dem_oracles.h"

enum { CELLS = 12, AROUND = 90 };

static const ScreeMaterial soft = {1e7, 0.3, 2500.0};

typedef struct Surface {
  double vertex[4 * AROUND + (CELLS + 1) * (CELLS + 1)][3];
  uint32_t triangle[8 * AROUND + 2 * CELLS * CELLS + 4][3];
  size_t vertices, triangles;
} Surface;

static uint32_t add_vertex(Surface *s, double x, double y, double z) {
  memcpy(s->vertex[s->vertices], (double[3]){x, y, z}, sizeof *s->vertex);
  return (uint32_t)s->vertices++;
}
static void add_triangle(Surface *s, uint32_t a, uint32_t b, uint32_t c) {
  memcpy(s->triangle[s->triangles++], (uint32_t[3]){a, b, c}, sizeof *s->triangle);
}

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

/* A sheet about z = 0, of cells of a size, with bumps; beyond it to the right a half that shares no corner with it. */
static void make_sheet(Surface *s, double cell, double bumps) {
  uint64_t random = 5;
  *s = (Surface){.vertices = 0};
  for (int j = 0; j <= CELLS; j++)
    for (int i = 0; i <= CELLS; i++)
      add_vertex(s, cell * (i - CELLS / 2), cell * (j - CELLS / 2), bumps * uniform(&random));
  for (uint32_t j = 0; j < CELLS; j++)
    for (uint32_t i = 0; i < CELLS; i++) {
      uint32_t a = j * (CELLS + 1) + i, c = a + CELLS + 1;
      add_triangle(s, a, a + 1, c), add_triangle(s, c + 1, c, a + 1);
    }
  double edge = cell * CELLS / 2;
  uint32_t a = add_vertex(s, edge, -edge, 0.0), b = add_vertex(s, 3.0 * edge, -edge, 0.0),
           c = add_vertex(s, 3.0 * edge, edge, 0.0), d = add_vertex(s, edge, edge, 0.0);
  add_triangle(s, a, b, c), add_triangle(s, a, c, d);
}

static void make_box(Surface *s, const double *low, const double *high) {
  static const uint32_t quad[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  *s = (Surface){.vertices = 0};
  for (int v = 0; v < 8; v++)
    add_vertex(s, v & 1 ? high[0] : low[0], v & 2 ? high[1] : low[1], v & 4 ? high[2] : low[2]);
  for (int q = 0; q < 6; q++) {
    add_triangle(s, quad[q][0], quad[q][1], quad[q][2]);
    add_triangle(s, quad[q][2], quad[q][3], quad[q][0]);
  }
}

static void make_tube(Surface *s, double radius) {
  const double turn = 2.0 * acos(-1.0) / AROUND;
  *s = (Surface){.vertices = 0};
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < AROUND; i++) add_vertex(s, radius * cos(turn * i), radius * sin(turn * i), j - 1.0);
  for (uint32_t j = 0; j < 2; j++)
    for (uint32_t i = 0; i < AROUND; i++) {
      uint32_t a = j * AROUND + i, b = j * AROUND + (i + 1) % AROUND;
      add_triangle(s, a, b, a + AROUND), add_triangle(s, b, b + AROUND, a + AROUND);
    }
}

static ScreeMesh *mesh_of(ScreeCheck *check, const Surface *s) {
  ScreeMeshDef def = {(const double(*)[3])s->vertex, s->vertices, (const uint32_t(*)[3])s->triangle, s->triangles};
  ScreeMesh *mesh = NULL;
  if (scree_mesh_create(&def, &mesh) != SCREE_OK) scree_tally(check, INFINITY, "%s", scree_last_error());
  return mesh;
}

/* ---- forces ---- */

typedef struct Probe {
  double force[3], energy;
  size_t contacts;
} Probe;

/* A ball at rest at a place: what it feels. */
static Probe probe(ScreeCheck *check, const ScreeWallDef *wall, const double *x, double radius) {
  ScreeContactDef contact = scree_bare_contact(SCREE_LAW_hertz, NAN);
  Scene s = scree_scene(soft, &contact, 4.0);
  ScreeGrain grain = {.id = 1, .radius = radius, .position = {x[0], x[1], x[2]}};
  ScreeGrainLoad load = {.contacts = 0};
  ScreeMeasure m = {0};
  s.def.max_overlap = 0.1;
  s.def.expected_speed = 0.1, s.def.timestep = 1e-6;
  s.wall[0] = *wall, s.walls = 1, s.grain = &grain, s.grains = 1;
  ScreeWorld *w = scree_scene_start(check, &s);
  if (!w) return (Probe){{NAN, NAN, NAN}, NAN, 0};
  scree_world_read_loads(w, &load);
  scree_world_measure(w, &m);
  scree_world_destroy(w);
  return (Probe){{load.force[0], load.force[1], load.force[2]}, m.elastic, m.contacts};
}

static double size_of(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void compare(ScreeCheck *check, const char *what, const ScreeWallDef *mesh, const ScreeWallDef *judge,
                    const double *x, double radius) {
  Probe a = probe(check, mesh, x, radius), b = probe(check, judge, x, radius);
  double d[3] = {a.force[0] - b.force[0], a.force[1] - b.force[1], a.force[2] - b.force[2]};
  scree_tally(check, a.contacts == b.contacts ? size_of(d) / fmax(size_of(b.force), 1e-6) : INFINITY,
              "%s: at (%.4f, %.4f, %.4f) m %zu contacts and %zu, %.10g and %.10g N", what, x[0], x[1], x[2], a.contacts,
              b.contacts, size_of(a.force), size_of(b.force));
}

static void compare_boxes(ScreeCheck *check, Surface *s) {
  const double low[3] = {-0.4, -0.3, -0.2}, high[3] = {0.4, 0.5, 0.3}, r = 0.08;
  ScreeWallDef block = {.shape = SCREE_WALL_BOX, .low = {-0.4, -0.3, -0.2}, .high = {0.4, 0.5, 0.3}}, inside = block;
  uint64_t random = 3;
  make_box(s, low, high);
  ScreeMesh *box = mesh_of(check, s);
  ScreeWallDef mesh = {.shape = SCREE_WALL_MESH, .mesh = box};
  inside.inside = true;
  for (int i = 0; i < 60 && box; i++) {
    double x[3], n[3], within[3];
    for (int k = 0; k < 3; k++) {
      int side = (int)(3.0 * uniform(&random));
      double at = low[k] + uniform(&random) * (high[k] - low[k]), depth = r * (0.92 + 0.07 * uniform(&random));
      x[k] = side == 0 ? low[k] : side == 1 ? high[k] : at;
      n[k] = side == 2 ? 0.0 : (side == 0 ? -1.0 : 1.0) * (0.1 + uniform(&random));
      within[k] = side == 0 ? low[k] + depth : side == 1 ? high[k] - depth : fmin(fmax(at, low[k] + r), high[k] - r);
    }
    double size = size_of(n);
    for (int k = 0; k < 3 && size > 0.0; k++) x[k] += 0.95 * r * n[k] / size;
    if (size > 0.0) compare(check, "block", &mesh, &block, x, r);
    compare(check, "box from inside", &mesh, &inside, within, r);
  }
  scree_mesh_destroy(box);
}

/* Over seams, a crack and a T-junction with friction, spin and bounces: as over the plane. */
static void roll(ScreeCheck *check, const Surface *s, double along, double across) {
  ScreeContactDef contact = scree_gritty(0.4, 0.01);
  ScreeGrain grain = {
      .id = 1, .radius = 0.05, .position = {-0.35, across, 0.06}, .velocity = {along, -0.2 * along, 0.0}};
  ScreeGrain now[2] = {grain, grain};
  ScreeMesh *mesh = mesh_of(check, s);
  for (int i = 0; i < 2 && mesh; i++) {
    Scene scene = scree_scene(soft, &contact, 4.0);
    scene.def.gravity[2] = -9.81;
    scene.def.timestep = 2e-5;
    scene.wall[0] = i == 0 ? (ScreeWallDef){.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}}
                           : (ScreeWallDef){.shape = SCREE_WALL_MESH, .mesh = mesh};
    scene.walls = 1, scene.grain = &grain, scene.grains = 1;
    ScreeWorld *w = scree_scene_start(check, &scene);
    if (!w) break;
    if (scree_scene_steps(check, w, 40000)) scree_world_read(w, &now[i]);
    scree_world_destroy(w);
  }
  double d[3], turn[3];
  for (int k = 0; k < 3; k++) {
    d[k] = (now[0].position[k] - now[1].position[k]) / grain.radius;
    turn[k] = (now[0].spin[k] - now[1].spin[k]) / (1.0 + size_of(now[0].spin));
  }
  scree_tally(check, now[0].position[0] > 0.35 ? fmax(size_of(d), size_of(turn)) : INFINITY,
              "rolling over triangles to (%.4f, %.4f) m", now[0].position[0], now[0].position[1]);
  scree_mesh_destroy(mesh);
}

void scree_dem_meshes(ScreeCheck *check, const ScreeLawInfo *info) {
  Surface *s = malloc(sizeof *s);
  (void)info;
  if (!s) return scree_tally(check, INFINITY, "no memory");
  compare_boxes(check, s);
  make_sheet(s, 0.05, 0.0);
  roll(check, s, 1.6, 0.02);
  roll(check, s, 1.5, 0.1); /* begins on a seam */
  free(s);
}

/* ---- valleys ---- */

/* The force is the gradient of the energy, and there is one contact. */
static void compare_gradient(ScreeCheck *check, const char *what, const ScreeWallDef *wall, const double *x, double r) {
  Probe here = probe(check, wall, x, r);
  const double h = 1e-5 * r;
  double worst = 0.0;
  for (int k = 0; k < 3; k++) {
    double y[3] = {x[0], x[1], x[2]};
    y[k] = x[k] + h;
    double up = probe(check, wall, y, r).energy;
    y[k] = x[k] - h;
    double slope = -(up - probe(check, wall, y, r).energy) / (2.0 * h);
    worst = fmax(worst, fabs(slope - here.force[k]) / size_of(here.force));
  }
  scree_tally(check, here.contacts == 1 ? worst : INFINITY, "%s: at (%.4f, %.4f, %.4f) m, %zu contacts", what, x[0],
              x[1], x[2], here.contacts);
}

void scree_dem_mesh_valleys(ScreeCheck *check, const ScreeLawInfo *info) {
  Surface *s = malloc(sizeof *s);
  uint64_t random = 9;
  (void)info;
  if (!s) return scree_tally(check, INFINITY, "no memory");
  make_tube(s, 1.0);
  ScreeMesh *tube = mesh_of(check, s);
  make_sheet(s, 0.1, 0.02);
  ScreeMesh *sheet = mesh_of(check, s);
  ScreeWallDef in_tube = {.shape = SCREE_WALL_MESH, .mesh = tube}, on_sheet = {.shape = SCREE_WALL_MESH, .mesh = sheet};
  for (int i = 0; i < 120 && tube && sheet; i++) {
    double r = 0.2, angle = 6.28 * uniform(&random), out = 1.0 - 0.915 * r;
    /* every second one in the middle of a valley */
    if (i % 2 == 0)
      angle = round(angle * AROUND / (2.0 * acos(-1.0))) * 2.0 * acos(-1.0) / AROUND + 1e-3 * (i - 60) / 60;
    compare_gradient(check, "tube of facets", &in_tube, (double[]){out * cos(angle), out * sin(angle), 0.3}, r);
    double x[3] = {0.6 * (uniform(&random) - 0.5), 0.6 * (uniform(&random) - 0.5), 1.2 * r};
    for (int step = 0; step < 8; step++) x[2] -= scree_mesh_distance(sheet, x) - 0.95 * r;
    compare_gradient(check, "crumpled sheet", &on_sheet, x, r);
  }
  scree_mesh_destroy(tube);
  scree_mesh_destroy(sheet);
  free(s);
}
