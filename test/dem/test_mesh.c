/* Meshes as walls: many triangles must feel like the surface they make. The judges are the analytic walls, energy, and
 * the geometry of the contact itself. */
#include <stdlib.h>
#include <string.h>

#include "core/isa.h"
#include "dem/engine.h"
#include "dem/mesh.h"
#include "support/worlds.h"

static const ScreeMaterial rubber = {70e6, 0.25, 2500.0}, hard = {1e9, 0.25, 2500.0};
static const double PI = 3.14159265358979323846;

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cross(const double *a, const double *b, double *c) {
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}
static void direction(uint64_t *random, double *d) {
  double size;
  do {
    for (int k = 0; k < 3; k++) d[k] = uniform(random, -1.0, 1.0);
    size = sqrt(dot(d, d));
  } while (size > 1.0 || size < 0.1);
  for (int k = 0; k < 3; k++) d[k] /= size;
}

/* ---- surfaces ---- */

typedef struct Shape {
  double (*vertex)[3];
  uint32_t (*triangle)[3];
  size_t vertices, triangles;
} Shape;

static Shape shape_of(size_t vertices, size_t triangles) {
  return (Shape){malloc(vertices * 3 * sizeof(double)), malloc(triangles * 3 * sizeof(uint32_t)), 0, 0};
}
static void free_shape(Shape *s) { free(s->vertex), free(s->triangle); }

static uint32_t add_vertex(Shape *s, double x, double y, double z) {
  double v[3] = {x, y, z};
  memcpy(s->vertex[s->vertices], v, sizeof v);
  return (uint32_t)s->vertices++;
}
static void add_triangle(Shape *s, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t t[3] = {a, b, c};
  memcpy(s->triangle[s->triangles++], t, sizeof t);
}

static ScreeMeshDef def_of(const Shape *s) {
  return (ScreeMeshDef){(const double(*)[3])s->vertex, s->vertices, (const uint32_t(*)[3])s->triangle, s->triangles};
}
static ScreeMesh *mesh_of(const Shape *s) {
  ScreeMeshDef def = def_of(s);
  ScreeMesh *mesh = NULL;
  cr_assert_eq(scree_mesh_create(&def, &mesh), SCREE_OK, "%s", scree_last_error());
  return mesh;
}

/* The plane z = 0 from (x0, y0), n x n cells of a size; `random`: corners anywhere, diagonals either way. */
static Shape plane_shape(int n, double from, double cell, bool irregular, uint64_t random) {
  Shape s = shape_of((size_t)(n + 1) * (size_t)(n + 1), 2 * (size_t)n * (size_t)n);
  for (int j = 0; j <= n; j++)
    for (int i = 0; i <= n; i++) {
      bool inner = irregular && i > 0 && j > 0 && i < n && j < n;
      add_vertex(&s, from + cell * (i + (inner ? uniform(&random, -0.3, 0.3) : 0.0)),
                 from + cell * (j + (inner ? uniform(&random, -0.3, 0.3) : 0.0)), 0.0);
    }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      uint32_t a = (uint32_t)(j * (n + 1) + i), b = a + 1, c = a + (uint32_t)n + 1, d = c + 1;
      if (irregular && uniform(&random, 0.0, 1.0) < 0.5)
        add_triangle(&s, a, b, c), add_triangle(&s, d, c, b);
      else
        add_triangle(&s, a, b, d), add_triangle(&s, d, c, a);
    }
  return s;
}

static Shape box_shape(const double *low, const double *high) {
  static const uint32_t quad[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  Shape s = shape_of(8, 12);
  for (int v = 0; v < 8; v++)
    add_vertex(&s, v & 1 ? high[0] : low[0], v & 2 ? high[1] : low[1], v & 4 ? high[2] : low[2]);
  for (int q = 0; q < 6; q++) {
    add_triangle(&s, quad[q][0], quad[q][1], quad[q][2]);
    add_triangle(&s, quad[q][2], quad[q][3], quad[q][0]);
  }
  return s;
}

/* A tube along z, of facets between radius and the same on average. */
static Shape tube_shape(double radius, double from, double to, int around, int along) {
  Shape s = shape_of((size_t)around * (size_t)(along + 1), 2 * (size_t)around * (size_t)along);
  for (int j = 0; j <= along; j++)
    for (int i = 0; i < around; i++)
      add_vertex(&s, radius * cos(2 * PI * i / around), radius * sin(2 * PI * i / around),
                 from + (to - from) * j / along);
  for (int j = 0; j < along; j++)
    for (int i = 0; i < around; i++) {
      uint32_t a = (uint32_t)(j * around + i), b = (uint32_t)(j * around + (i + 1) % around), up = (uint32_t)around;
      add_triangle(&s, a, b, a + up);
      add_triangle(&s, b, b + up, a + up);
    }
  return s;
}

/* An octahedron whose triangles are cut into four, on a sphere. */
static Shape ball_shape(double radius, int rounds) {
  size_t most = 8;
  for (int i = 0; i < rounds; i++) most *= 4;
  Shape s = shape_of(3 * most, most);
  for (int c = 0; c < 8; c++) {
    uint32_t x = add_vertex(&s, c & 1 ? -radius : radius, 0, 0), y = add_vertex(&s, 0, c & 2 ? -radius : radius, 0),
             z = add_vertex(&s, 0, 0, c & 4 ? -radius : radius);
    add_triangle(&s, x, y, z);
  }
  for (int i = 0; i < rounds; i++) {
    Shape fine = shape_of(12 * s.triangles, 4 * s.triangles);
    for (size_t t = 0; t < s.triangles; t++) {
      double p[6][3];
      uint32_t v[6];
      for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) {
          p[c][k] = s.vertex[s.triangle[t][c]][k];
          p[3 + c][k] = p[c][k] + s.vertex[s.triangle[t][(c + 1) % 3]][k];
        }
      for (int c = 0; c < 6; c++) {
        double scale = c < 3 ? 1.0 : radius / sqrt(dot(p[c], p[c]));
        v[c] = add_vertex(&fine, scale * p[c][0], scale * p[c][1], scale * p[c][2]);
      }
      add_triangle(&fine, v[0], v[3], v[5]), add_triangle(&fine, v[3], v[1], v[4]);
      add_triangle(&fine, v[5], v[4], v[2]), add_triangle(&fine, v[3], v[4], v[5]);
    }
    free_shape(&s);
    s = fine;
  }
  return s;
}

/* ---- worlds ---- */

static ScreeWorldDef quiet_def(double size) {
  ScreeWorldDef def = scree_world_def_default();
  memset(def.gravity, 0, sizeof def.gravity);
  for (int k = 0; k < 3; k++) def.low[k] = -size, def.high[k] = size;
  def.expected_speed = 1.0;
  return def;
}

static ScreeContactDef elastic(void) {
  ScreeContactDef contact = scree_contact_def_default();
  contact.normal = SCREE_LAW_hertz;
  contact.pair.restitution = NAN;
  contact.tangential = SCREE_LAW_NONE;
  return contact;
}

static ScreeWorld *world_of(ScreeMaterial material, const ScreeWorldDef *def, const ScreeContactDef *contact,
                            const ScreeWallDef *wall) {
  ScreeWorld *w = empty_world(def, contact, material);
  cr_assert_eq(scree_world_add_wall(w, wall, NULL), SCREE_OK, "%s", scree_last_error());
  return w;
}

static ScreeWorld *world_with(const ScreeWorldDef *def, const ScreeContactDef *contact, const ScreeWallDef *wall) {
  return world_of(rubber, def, contact, wall);
}

static void advance(ScreeWorld *w, long steps) {
  cr_assert_eq(scree_world_step(w, steps), SCREE_OK, "%s", scree_last_error());
}

static ScreeGrain only_grain(const ScreeWorld *w) {
  ScreeGrain g;
  cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
  return g;
}

static double apart(const double *a, const double *b) {
  double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return sqrt(dot(d, d));
}

/* The force on a ball at rest at a place. */
static void force_at(const ScreeWallDef *wall, const double *x, double r, double *force, int *contacts) {
  ScreeWorldDef def = quiet_def(3.0);
  ScreeContactDef contact = elastic();
  def.timestep = 1e-6;
  ScreeWorld *w = world_with(&def, &contact, wall);
  ScreeGrain g = {.id = 1, .radius = r, .position = {x[0], x[1], x[2]}};
  ScreeGrainLoad load;
  start_with(w, 1, &g);
  cr_assert_eq(scree_world_read_loads(w, &load), SCREE_OK);
  memcpy(force, load.force, sizeof load.force);
  *contacts = load.contacts;
  scree_world_destroy(w);
}

/* ---- planes ---- */

/* A ball is thrown onto the plane, slides, bounces and rolls over a hundred seams: as over the analytic plane. */
static void roll_over(const Shape *s, ScreeLawId tangential, double speed, double spin, bool moving) {
  ScreeWorldDef def = quiet_def(4.0);
  ScreeContactDef contact = scree_contact_def_default();
  def.gravity[2] = -9.81;
  def.timestep = 1e-5;
  contact.tangential = tangential;
  contact.pair.restitution = 0.5;
  contact.pair.param[SCREE_PARAM_mu] = 0.3;
  contact.rolling_model = SCREE_ROLLING_SPRING;
  contact.rolling = 0.005;
  ScreeMesh *mesh = mesh_of(s);
  ScreeWallDef wall[2] = {{.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}}, {.shape = SCREE_WALL_MESH, .mesh = mesh}};
  ScreeMotionDef shake = scree_motion_def_default(SCREE_MOTION_OSCILLATION);
  shake.amplitude[0] = 0.02, shake.amplitude[2] = 0.004, shake.frequency = 3.0;
  ScreeGrain now[2],
      g = {.id = 1, .radius = 0.05, .position = {-0.9, -0.31, 0.07}, .velocity = {speed, 0.37 * speed, 0}};
  g.spin[1] = spin, g.spin[2] = 3.0;
  ScreeWorld *w[2];
  for (int i = 0; i < 2; i++) {
    w[i] = world_with(&def, &contact, &wall[i]);
    if (moving) cr_assert_eq(scree_world_move_wall(w[i], 0, &shake), SCREE_OK);
    start_with(w[i], 1, &g);
  }
  for (int block = 0; block < 100; block++) {
    for (int i = 0; i < 2; i++) {
      advance(w[i], 1000);
      now[i] = only_grain(w[i]);
    }
    cr_assert(apart(now[0].position, now[1].position) < 1e-9 && apart(now[0].velocity, now[1].velocity) < 1e-9 &&
                  apart(now[0].spin, now[1].spin) < 1e-8,
              "after %d steps at (%g, %g, %g): %.3g m, %.3g m/s, %.3g rad/s apart", 1000 * (block + 1),
              now[0].position[0], now[0].position[1], now[0].position[2], apart(now[0].position, now[1].position),
              apart(now[0].velocity, now[1].velocity), apart(now[0].spin, now[1].spin));
  }
  cr_expect(now[0].position[0] > -0.4, "the ball has crossed seams (%g)", now[0].position[0]);
  for (int i = 0; i < 2; i++) scree_world_destroy(w[i]);
  scree_mesh_destroy(mesh);
}

Test(mesh, a_plane_of_triangles_is_a_plane) {
  Shape regular = plane_shape(60, -1.5, 0.05, false, 0), irregular = plane_shape(75, -1.5, 0.04, true, 7),
        coarse = plane_shape(3, -1.5, 1.0, true, 9);
  roll_over(&regular, SCREE_LAW_mindlin, 1.5, 0.0, false);
  roll_over(&irregular, SCREE_LAW_mindlin, 1.5, 10.0, false);
  roll_over(&irregular, SCREE_LAW_coulomb, 1.5, 0.0, false);
  roll_over(&coarse, SCREE_LAW_mindlin, 2.0, -20.0, false);
  roll_over(&irregular, SCREE_LAW_mindlin, 1.5, 0.0, true);
  free_shape(&regular), free_shape(&irregular), free_shape(&coarse);
}

/* Along the seams themselves, where every decision is a tie. */
Test(mesh, rolling_along_seams_is_rolling) {
  Shape s = plane_shape(60, -1.5, 0.05, false, 0);
  ScreeMesh *mesh = mesh_of(&s);
  ScreeWallDef wall[2] = {{.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}}, {.shape = SCREE_WALL_MESH, .mesh = mesh}};
  for (int way = 0; way < 2; way++) { /* along an edge, along the diagonals */
    ScreeWorldDef def = quiet_def(4.0);
    ScreeContactDef contact = scree_contact_def_default();
    def.gravity[2] = -9.81;
    def.timestep = 2e-5;
    ScreeGrain now[2],
        g = {.id = 1, .radius = 0.05, .position = {-1.0, way ? -1.0 : 0.0, 0.05}, .velocity = {1, way, 0}};
    ScreeWorld *w[2];
    for (int i = 0; i < 2; i++) {
      w[i] = world_with(&def, &contact, &wall[i]);
      start_with(w[i], 1, &g);
      advance(w[i], 60000);
      now[i] = only_grain(w[i]);
      scree_world_destroy(w[i]);
    }
    cr_expect(apart(now[0].position, now[1].position) < 1e-9 && apart(now[0].spin, now[1].spin) < 1e-8,
              "%.3g m, %.3g rad/s", apart(now[0].position, now[1].position), apart(now[0].spin, now[1].spin));
    cr_expect(now[0].position[0] > -0.4, "%g", now[0].position[0]);
  }
  scree_mesh_destroy(mesh);
  free_shape(&s);
}

/* ---- edges and corners ---- */

Test(mesh, a_box_from_outside_is_a_block) {
  double low[3] = {-0.4, -0.3, -0.2}, high[3] = {0.4, 0.5, 0.3};
  Shape s = box_shape(low, high);
  ScreeMesh *mesh = mesh_of(&s);
  ScreeWallDef block = {.shape = SCREE_WALL_BOX}, wall = {.shape = SCREE_WALL_MESH, .mesh = mesh};
  memcpy(block.low, low, sizeof low), memcpy(block.high, high, sizeof high);
  uint64_t random = 3;
  int kinds[4] = {0};
  for (int i = 0; i < 600; i++) {
    double x[3], n[3], r = uniform(&random, 0.05, 0.5), d = r * uniform(&random, 0.91, 1.02);
    int outside = 0;
    for (int k = 0; k < 3; k++) { /* a point of the surface, then out along a direction of its normals */
      int side = (int)uniform(&random, 0.0, 3.0);
      x[k] = side == 0 ? low[k] : side == 1 ? high[k] : uniform(&random, low[k], high[k]);
      n[k] = side == 2 ? 0.0 : (side == 0 ? -1.0 : 1.0) * uniform(&random, 0.01, 1.0);
      outside += side != 2;
    }
    if (outside == 0) continue;
    kinds[outside]++;
    double size = sqrt(dot(n, n)), f[2][3];
    int contacts[2];
    for (int k = 0; k < 3; k++) x[k] += d * n[k] / size;
    cr_expect_float_eq(scree_mesh_distance(mesh, x), scree_wall_distance(&block, x), 1e-14);
    cr_expect_float_eq(scree_wall_distance(&wall, x), scree_wall_distance(&block, x), 1e-14);
    force_at(&block, x, r, f[0], &contacts[0]);
    force_at(&wall, x, r, f[1], &contacts[1]);
    cr_assert(contacts[0] == contacts[1], "%d and %d contacts", contacts[0], contacts[1]);
    cr_assert(apart(f[0], f[1]) <= 1e-9 * (sqrt(dot(f[0], f[0])) + 1.0), "(%g, %g, %g) and (%g, %g, %g) N", f[0][0],
              f[0][1], f[0][2], f[1][0], f[1][1], f[1][2]);
  }
  cr_expect(kinds[1] > 50 && kinds[2] > 50 && kinds[3] > 50, "faces, edges and corners");
  scree_mesh_destroy(mesh);
  free_shape(&s);
}

Test(mesh, a_box_from_inside_is_six_planes) {
  double low[3] = {-0.4, -0.3, -0.2}, high[3] = {0.4, 0.5, 0.3};
  Shape s = box_shape(low, high);
  ScreeMesh *mesh = mesh_of(&s);
  ScreeWallDef box = {.shape = SCREE_WALL_BOX, .inside = true}, wall = {.shape = SCREE_WALL_MESH, .mesh = mesh};
  memcpy(box.low, low, sizeof low), memcpy(box.high, high, sizeof high);
  uint64_t random = 5;
  int most = 0;
  for (int i = 0; i < 400; i++) {
    double x[3], r = uniform(&random, 0.05, 0.2), f[2][3];
    int contacts[2];
    for (int k = 0; k < 3; k++) {
      double d = r * uniform(&random, 0.91, 1.0);
      int side = (int)uniform(&random, 0.0, 3.0);
      x[k] = side == 0 ? low[k] + d : side == 1 ? high[k] - d : uniform(&random, low[k] + r, high[k] - r);
    }
    force_at(&box, x, r, f[0], &contacts[0]);
    force_at(&wall, x, r, f[1], &contacts[1]);
    most = contacts[0] > most ? contacts[0] : most;
    cr_assert(contacts[0] == contacts[1], "%d and %d contacts", contacts[0], contacts[1]);
    cr_assert(apart(f[0], f[1]) <= 1e-9 * (sqrt(dot(f[0], f[0])) + 1.0), "(%g, %g, %g) and (%g, %g, %g) N", f[0][0],
              f[0][1], f[0][2], f[1][0], f[1][1], f[1][2]);
  }
  cr_expect_eq(most, 3);
  scree_mesh_destroy(mesh);
  free_shape(&s);
}

/* Refined four times, the tube is closer to the cylinder by sixteen. */
Test(mesh, tubes_converge_to_the_cylinder) {
  ScreeWallDef cylinder = {.shape = SCREE_WALL_CYLINDER, .axis = {0, 0, 1}, .radius = 1.0, .inside = true};
  double worst[3] = {0.0, 0.0, 0.0};
  for (int level = 0; level < 3; level++) {
    int around = 64 << (2 * level);
    Shape s = tube_shape(1.0, -2.0, 2.0, around, 4);
    ScreeMesh *mesh = mesh_of(&s);
    ScreeWallDef wall = {.shape = SCREE_WALL_MESH, .mesh = mesh};
    uint64_t random = 11;
    for (int i = 0; i < 200; i++) {
      double angle = uniform(&random, 0.0, 2.0 * PI), r = 0.2, d = 1.0 - r * 0.93, f[2][3];
      double x[3] = {d * cos(angle), d * sin(angle), uniform(&random, -0.5, 0.5)};
      int contacts[2];
      force_at(&cylinder, x, r, f[0], &contacts[0]);
      force_at(&wall, x, r, f[1], &contacts[1]);
      cr_assert_eq(contacts[1], 1, "one contact, not one for each facet (%d)", contacts[1]);
      double size[2] = {sqrt(dot(f[0], f[0])), sqrt(dot(f[1], f[1]))};
      worst[level] = fmax(worst[level], fabs(size[1] / size[0] - 1.0));
    }
    scree_mesh_destroy(mesh);
    free_shape(&s);
  }
  cr_expect(worst[0] < 0.2 && worst[1] < worst[0] / 12.0 && worst[2] < worst[1] / 12.0, "%g %g %g", worst[0], worst[1],
            worst[2]);
}

/* ---- valleys ---- */

/* A centre that wanders over a faceted tube or a crumpled sheet, as deep as the limit allows: the distance changes by
 * no more than the way, its gradient is the normal, and the normal turns by no more than the way over a fifth of the
 * radius. */
static void wander(const Shape *s, double r, double most_depth, uint64_t random, bool shallow) {
  ScreeMesh *mesh = mesh_of(s);
  Reach reach = {r, 0.1};
  Feet feet = {NULL, 0};
  NearList list = {NULL, 0, 0};
  const double h = 1e-6 * r;
  int seen = 0;
  for (int path = 0; path < 60; path++) {
    double x[3], d[3], normal[3];
    const double *corner = s->vertex[(size_t)uniform(&random, 0.0, (double)s->vertices - 1.0)];
    direction(&random, d);
    for (int k = 0; k < 3; k++) x[k] = corner[k] + r * d[k];
    double gap = scree_mesh_gap(mesh, x, normal), depth = uniform(&random, 0.0, most_depth);
    for (int k = 0; k < 3; k++) x[k] += (gap - (1.0 - depth) * r) * normal[k];
    direction(&random, d);
    Foot before[MESH_SLOTS] = {{.d = 0.0}}, now[MESH_SLOTS] = {{.d = 0.0}};
    int was = -1;
    list.count = 0;
    cr_assert(scree_mesh_near(mesh, x, scree_mesh_reach(reach) + 0.01 * r, &list));
    for (int step = 0; step < 8000; step++) {
      int found = scree_mesh_feet(mesh, x, reach, list.near, list.count, 0.01 * r, 0, &feet, 0),
          contacts = scree_mesh_settle(mesh, feet.foot, found, reach, now);
      if (shallow) cr_assert(contacts <= 1, "%d contacts", contacts);
      if (contacts == 1 && was == 1 && now[0].d > 0.9 * r) {
        double change = now[0].d - before[0].d, along = 0.0;
        for (int k = 0; k < 3; k++) along += 0.5 * h * (now[0].n[k] + before[0].n[k]) * d[k];
        cr_assert(fabs(change - along) < 1e-4 * h, "the gradient is the normal: %g and %g", change / h, along / h);
        cr_assert(apart(now[0].n, before[0].n) <= 5.1 * h / r, "the normal turns by %g over a way of %g",
                  apart(now[0].n, before[0].n), h / r);
        seen++;
      }
      was = contacts;
      memcpy(before, now, sizeof before);
      for (int k = 0; k < 3; k++) x[k] += h * d[k];
    }
  }
  cr_expect(seen > 10000, "%d", seen);
  free(feet.foot), free(list.near);
  scree_mesh_destroy(mesh);
}

Test(mesh, forces_are_continuous_over_facets) {
  Shape fine = tube_shape(1.0, -1.0, 1.0, 400, 40), coarse = tube_shape(1.0, -1.0, 1.0, 18, 3),
        ball = ball_shape(1.0, 4), sheet = plane_shape(20, -1.0, 0.1, true, 5);
  uint64_t random = 8;
  for (size_t v = 0; v < sheet.vertices; v++) sheet.vertex[v][2] = uniform(&random, 0.0, 0.01);
  wander(&fine, 0.2, 0.08, 1, true);
  wander(&coarse, 0.2, 0.08, 2, true);
  wander(&ball, 0.2, 0.08, 3, true);
  wander(&sheet, 0.05, 0.08, 4, false);
  free_shape(&fine), free_shape(&coarse), free_shape(&ball), free_shape(&sheet);
}

/* ---- energy ---- */

static void bounce_inside(const Shape *s, double tolerance) {
  ScreeMesh *mesh = mesh_of(s);
  ScreeWallDef wall = {.shape = SCREE_WALL_MESH, .mesh = mesh};
  ScreeWorldDef def = quiet_def(2.0);
  ScreeContactDef contact = elastic();
  def.timestep = 4e-6;
  ScreeWorld *w = world_with(&def, &contact, &wall);
  ScreeGrain g = {.id = 1, .radius = 0.2, .velocity = {0.7, 0.53, 0.31}};
  ScreeMeasure m;
  start_with(w, 1, &g);
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  double start = m.kinetic;
  int touching = 0;
  for (int block = 0; block < 300; block++) {
    advance(w, 5000);
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    touching += m.contacts > 0;
    cr_assert(fabs((m.kinetic + m.elastic) / start - 1.0) < tolerance, "after %d steps: %.3g", 5000 * (block + 1),
              (m.kinetic + m.elastic) / start - 1.0);
    ScreeGrain now = only_grain(w);
    cr_assert(fabs(now.position[0]) < 1.0 && fabs(now.position[1]) < 1.0 && fabs(now.position[2]) < 1.0);
  }
  cr_expect(touching > 0 && fabs(m.residual) < tolerance * start, "%d", touching);
  scree_world_destroy(w);
  scree_mesh_destroy(mesh);
}

Test(mesh, elastic_balls_keep_their_energy) {
  double low[3] = {-1, -0.9, -0.8}, high[3] = {1, 0.9, 0.8};
  Shape box = box_shape(low, high), ball = ball_shape(1.0, 3);
  bounce_inside(&box, 1e-6);
  bounce_inside(&ball, 1e-6);
  free_shape(&box), free_shape(&ball);
}

/* Grains tumble over a bumpy, faceted bowl with friction and damping. */
Test(mesh, the_ledger_closes_over_facets) {
  Shape s = tube_shape(1.0, -1.0, 1.0, 40, 10);
  uint64_t random = 21;
  for (size_t v = 0; v < s.vertices; v++)
    for (int k = 0; k < 3; k++) s.vertex[v][k] += uniform(&random, -0.03, 0.03);
  ScreeMesh *mesh = mesh_of(&s);
  ScreeWallDef wall = {.shape = SCREE_WALL_MESH, .mesh = mesh, .wear = true};
  ScreeWorldDef def = quiet_def(2.0);
  ScreeContactDef contact = scree_contact_def_default();
  def.gravity[1] = -3.0;
  def.expected_speed = 4.0;
  def.timestep = 1e-5;
  contact.rolling_model = SCREE_ROLLING_SPRING;
  contact.rolling = 0.02;
  ScreeWorld *w = world_of(hard, &def, &contact, &wall);
  ScreeGrain g[30];
  for (int i = 0; i < 30; i++) {
    g[i] = (ScreeGrain){.id = (uint64_t)i, .radius = uniform(&random, 0.04, 0.07)};
    g[i].position[0] = -0.4 + 0.16 * (i % 6), g[i].position[1] = -0.3 + 0.16 * (i / 6);
    g[i].position[2] = uniform(&random, -0.05, 0.05);
    g[i].velocity[0] = uniform(&random, -1.0, 1.0);
  }
  start_with(w, 30, g);
  ScreeMeasure m;
  double *wear[2] = {calloc(s.triangles, sizeof(double)), calloc(s.triangles, sizeof(double))}, sum[2] = {0, 0};
  for (int block = 0; block < 18; block++) {
    advance(w, 8000);
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_assert(fabs(m.residual) < 1e-4 * m.scale, "residual %.3g of %.3g J", m.residual, m.scale);
  }
  cr_expect(m.dissipated_friction > 0.0);
  cr_assert_eq(scree_world_read_wear(w, 0, wear[0], wear[1]), SCREE_OK, "%s", scree_last_error());
  for (size_t t = 0; t < s.triangles; t++) sum[0] += wear[0][t], sum[1] += wear[1][t];
  cr_expect(sum[0] > 0.1 * m.dissipated_viscous && sum[0] < m.dissipated_viscous + m.dissipated_clamp + m.elastic,
            "%g of %g J", sum[0], m.dissipated_viscous);
  cr_expect(sum[1] > 0.1 * m.dissipated_friction && sum[1] < m.dissipated_friction + m.elastic, "%g of %g J", sum[1],
            m.dissipated_friction);
  free(wear[0]), free(wear[1]);
  scree_world_destroy(w);
  scree_mesh_destroy(mesh);
  free_shape(&s);
}

/* A ball rubs in valleys of several openings and depths: force and torque on the mesh about the origin are opposite to
 * the ball's. The common normal of two facets is shorter than one, the way to the contact is not. */
Test(mesh, moments_in_a_valley_are_those_on_the_ball) {
  for (int c = 0; c < 12; c++) {
    double slope = 0.2 + 0.15 * (c / 2), at = c % 2 ? 0.0007 : 0.0, r = 0.05, n = sqrt(1.0 + slope * slope);
    Shape s = shape_of(6, 4);
    for (int k = 0; k < 6; k++) add_vertex(&s, k / 2 - 1.0, k % 2 - 0.5, slope * fabs(k / 2 - 1.0));
    for (uint32_t k = 0; k < 4; k += 2) add_triangle(&s, k, k + 2, k + 1), add_triangle(&s, k + 1, k + 2, k + 3);
    ScreeWorldDef def = quiet_def(2.0);
    ScreeContactDef contact = elastic();
    def.timestep = 2e-6;
    contact.tangential = SCREE_LAW_mindlin;
    contact.pair.param[SCREE_PARAM_mu] = 0.5;
    ScreeMesh *mesh = mesh_of(&s);
    ScreeWorld *w = world_with(&def, &contact, &(ScreeWallDef){.shape = SCREE_WALL_MESH, .mesh = mesh});
    ScreeGrain g = {.id = 1,
                    .radius = r,
                    .position = {at, 0.1, (r - 1e-3) * n},
                    .velocity = {0.02, 0.3, -0.1},
                    .spin = {3.0, -5.0, 2.0}};
    ScreeGrainLoad load;
    start_with(w, 1, &g);
    for (int step = 0; step < 20; step++) {
      ScreeWallLoad wall;
      double moment[3], size = 0.0, friction = 0.0;
      advance(w, 5);
      g = only_grain(w);
      cr_assert_eq(scree_world_read_loads(w, &load), SCREE_OK);
      cr_assert_eq(scree_world_wall_load(w, 0, &wall), SCREE_OK);
      cross(g.position, load.force, moment);
      size = sqrt(dot(load.force, load.force)), friction = sqrt(dot(load.torque, load.torque)) / r;
      cr_assert(size > 0.0 && friction > (step < 10 ? 0.0 : 0.02) * size, "%g N, friction %g N", size, friction);
      for (int k = 0; k < 3; k++) {
        cr_assert(fabs(wall.force[k] + load.force[k]) < 1e-9 * size);
        cr_expect(fabs(wall.torque[k] + moment[k] + load.torque[k]) < 1e-9 * size * r,
                  "slope %g, step %d: %g N m on the mesh, %g on the ball", slope, step, wall.torque[k],
                  moment[k] + load.torque[k]);
      }
    }
    scree_world_destroy(w);
    scree_mesh_destroy(mesh);
    free_shape(&s);
  }
}

/* One ball that falls, slides and comes to rest wears just what it loses, there where it was. */
Test(mesh, wear_is_what_the_contact_took) {
  Shape s = plane_shape(20, -1.0, 0.1, true, 3);
  ScreeMesh *mesh = mesh_of(&s);
  ScreeWallDef wall = {.shape = SCREE_WALL_MESH, .mesh = mesh, .wear = true};
  ScreeWorldDef def = quiet_def(2.0);
  ScreeContactDef contact = scree_contact_def_default();
  def.gravity[2] = -9.81;
  ScreeWorld *w = world_with(&def, &contact, &wall);
  ScreeGrain g = {.id = 1, .radius = 0.05, .position = {-0.5, 0.02, 0.2}, .velocity = {0.8, 0, 0}};
  start_with(w, 1, &g);
  advance(w, (long)(0.8 / scree_world_timestep(w)));
  ScreeMeasure m;
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  double *normal = calloc(s.triangles, sizeof *normal), *shear = calloc(s.triangles, sizeof *shear), sum[2] = {0, 0};
  cr_assert_eq(scree_world_read_wear(w, 0, normal, shear), SCREE_OK);
  int worn = 0;
  for (size_t t = 0; t < s.triangles; t++) {
    bool beside = true;
    for (int c = 0; c < 3; c++) beside = beside && fabs(s.vertex[s.triangle[t][c]][1] - 0.02) < 0.2;
    sum[0] += normal[t], sum[1] += shear[t];
    worn += shear[t] != 0.0;
    cr_expect(beside || (normal[t] == 0.0 && shear[t] == 0.0), "triangle %zu is far from the ball's way", t);
  }
  cr_expect(worn >= 3, "%d triangles", worn);
  cr_expect_float_eq(sum[0] + sum[1], m.dissipated_viscous + m.dissipated_clamp + m.dissipated_friction + m.elastic,
                     1e-9 * sum[0]);
  cr_expect(m.dissipated_friction > 0.01 * sum[0]);
  cr_expect_neq(scree_world_read_wear(w, 6, normal, shear), SCREE_OK);
  free(normal), free(shear);
  scree_world_destroy(w);
  scree_mesh_destroy(mesh);
  free_shape(&s);
}

/* ---- shots ---- */

/* A tetrahedron about a point, thin as a needle or flat as a plate, turned at random. */
static void add_body(Shape *s, const double *at, double size, uint64_t *random) {
  double e[3][3], stretch[3] = {uniform(random, 0.2, 1.0), uniform(random, 0.2, 1.0), uniform(random, 0.2, 1.0)};
  static const double corner[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  uint32_t v[4];
  direction(random, e[0]);
  double other[3];
  direction(random, other);
  cross(e[0], other, e[1]);
  double length = sqrt(dot(e[1], e[1]));
  for (int k = 0; k < 3; k++) e[1][k] /= length;
  cross(e[0], e[1], e[2]);
  for (int c = 0; c < 4; c++) {
    double x[3];
    for (int k = 0; k < 3; k++) {
      x[k] = at[k];
      for (int a = 0; a < 3; a++) x[k] += 0.57 * size * stretch[a] * corner[c][a] * e[a][k];
    }
    v[c] = add_vertex(s, x[0], x[1], x[2]);
  }
  add_triangle(s, v[0], v[1], v[2]), add_triangle(s, v[0], v[2], v[3]);
  add_triangle(s, v[0], v[3], v[1]), add_triangle(s, v[1], v[3], v[2]);
}

/* Is the point within the four planes? */
static bool within(const Shape *s, size_t body, const double *x) {
  for (int f = 0; f < 4; f++) {
    const double *p[4];
    double a[3], b[3], n[3], to[3], in[3];
    for (int c = 0; c < 4; c++) p[c] = s->vertex[4 * body + (size_t)((f + c) % 4)];
    for (int k = 0; k < 3; k++)
      a[k] = p[1][k] - p[0][k], b[k] = p[2][k] - p[0][k], to[k] = x[k] - p[0][k], in[k] = p[3][k] - p[0][k];
    cross(a, b, n);
    if (dot(n, to) * dot(n, in) < 0.0) return false;
  }
  return true;
}

/* A thousand balls at a time, each shot at a corner, an edge or a face of its own body, from outside and from within.
 */
Test(mesh, a_hundred_thousand_shots_and_no_leak) {
  enum { SIDE = 10, BODIES = SIDE * SIDE * SIDE };
  ScreeContactDef contact = elastic();
  uint64_t random = 99;
  int hits = 0;
  for (int volley = 0; volley < 100; volley++) {
    Shape s = shape_of(4 * BODIES, 4 * BODIES);
    ScreeWorldDef def = quiet_def(2.0 * SIDE + 4.0);
    ScreeGrain *g = calloc(BODIES, sizeof *g), *now = calloc(BODIES, sizeof *now);
    bool inside = volley % 4 == 3;
    def.timestep = inside ? 2e-4 : 8e-4; /* 0.6 s: there and back, and no ball meets another */
    for (int i = 0; i < BODIES; i++) {
      double at[3] = {4.0 * (i % SIDE) - 18.0, 4.0 * (i / SIDE % SIDE) - 18.0, 4.0 * (i / SIDE / SIDE) - 18.0}, d[3];
      add_body(&s, at, inside ? 1.5 : 1.0, &random);
      const double *a = s.vertex[4 * i + volley % 4], *b = s.vertex[4 * i + (volley + 1) % 4],
                   *c = s.vertex[4 * i + (volley + 2) % 4];
      double u = uniform(&random, 0.0, 1.0), v = uniform(&random, 0.0, 1.0 - u), target[3], speed = 1.0;
      if (i % 3 == 0) u = v = 0.0; /* a corner */
      if (i % 3 == 1) v = 0.0;     /* an edge */
      direction(&random, d);
      g[i] = (ScreeGrain){.id = (uint64_t)i, .radius = inside ? 0.05 : 0.4};
      for (int k = 0; k < 3; k++) target[k] = a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k]);
      for (int k = 0; k < 3; k++) {
        g[i].position[k] = inside ? at[k] : target[k] + 0.7 * d[k];
        g[i].velocity[k] = inside ? target[k] - at[k] : -speed * d[k];
      }
      double size = sqrt(dot(g[i].velocity, g[i].velocity));
      for (int k = 0; k < 3; k++) g[i].velocity[k] /= size;
    }
    ScreeMesh *mesh = mesh_of(&s);
    ScreeWallDef wall = {.shape = SCREE_WALL_MESH, .mesh = mesh};
    for (int i = 0; i < BODIES; i++) { /* those that would start in a wall wait far from it */
      double gap = scree_mesh_distance(mesh, g[i].position);
      bool waits = !inside && (gap < g[i].radius || within(&s, (size_t)i, g[i].position));
      for (int k = 0; k < 3 && waits; k++) {
        g[i].position[k] = 4.0 * (k == 0 ? i % SIDE : k == 1 ? i / SIDE % SIDE : i / SIDE / SIDE) - 16.0;
        g[i].velocity[k] = 0.0;
      }
      if (gap < g[i].radius) g[i].radius = 0.9 * gap;
      if (!inside) g[i].radius = 0.4;
    }
    ScreeWorld *w = world_with(&def, &contact, &wall);
    start_with(w, BODIES, g);
    advance(w, inside ? 3000 : 750);
    cr_assert_eq(scree_world_read(w, now), SCREE_OK);
    for (int i = 0; i < BODIES; i++) {
      double before = dot(g[i].velocity, g[i].velocity), after = dot(now[i].velocity, now[i].velocity);
      hits += apart(g[i].velocity, now[i].velocity) > 1e-3;
      bool touching = scree_mesh_distance(mesh, now[i].position) < now[i].radius;
      cr_assert(touching || fabs(after - before) <= 2e-3 * before, "volley %d, ball %d: %g of its energy", volley, i,
                after / before);
      cr_assert(within(&s, (size_t)i, now[i].position) == inside, "volley %d: ball %d leaks", volley, i);
    }
    free(g), free(now);
    scree_world_destroy(w);
    scree_mesh_destroy(mesh);
    free_shape(&s);
  }
  cr_expect(hits > 50000, "%d hits", hits);
}

/* ---- bits ---- */

static void shuffle(Shape *s, uint64_t random) {
  for (size_t t = s->triangles - 1; t > 0; t--) {
    size_t other = (size_t)uniform(&random, 0.0, (double)t + 0.999);
    uint32_t swap[3];
    memcpy(swap, s->triangle[t], sizeof swap);
    memcpy(s->triangle[t], s->triangle[other], sizeof swap);
    for (int c = 0; c < 3; c++) s->triangle[other][c] = swap[(c + 1) % 3];
  }
}

/* A faceted bowl full of grains. */
static ScreeWorld *bowl(const ScreeMesh *mesh, int threads, double skin, bool start) {
  ScreeWallDef wall = {.shape = SCREE_WALL_MESH, .mesh = mesh, .wear = true};
  ScreeWorldDef def = quiet_def(2.0);
  ScreeContactDef contact = scree_contact_def_default();
  def.gravity[2] = -40.0; /* they are down soon */
  def.threads = threads;
  def.skin = skin;
  def.expected_speed = 4.0;
  ScreeWorld *w = world_of(hard, &def, &contact, &wall);
  ScreeMotionDef swing = scree_motion_def_default(SCREE_MOTION_ROTATION);
  swing.axis[0] = 1.0, swing.speed = 1.0;
  cr_assert_eq(scree_world_move_wall(w, 0, &swing), SCREE_OK);
  if (!start) return w;
  ScreeGrain g[216];
  uint64_t random = 4;
  for (int i = 0; i < 216; i++) {
    g[i] = (ScreeGrain){.id = (uint64_t)(i * 7 % 216), .radius = uniform(&random, 0.03, 0.06)};
    for (int k = 0; k < 3; k++) {
      g[i].position[k] = 0.122 * ((k == 0 ? i % 6 : k == 1 ? i / 6 % 6 : i / 36) - 2.5);
      g[i].velocity[k] = uniform(&random, -0.5, 0.5) - (k == 2 ? 2.0 : 0.0);
    }
  }
  start_with(w, 216, g);
  return w;
}

static uint64_t hash_after(const Shape *s, int threads, double skin) {
  ScreeMesh *mesh = mesh_of(s);
  ScreeWorld *w = bowl(mesh, threads, skin, true);
  advance(w, 9000);
  ScreeMeasure m;
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  cr_expect(m.contacts > 100 && m.rebuilds > 3, "%zu contacts, %ld rebuilds", m.contacts, m.rebuilds);
  uint64_t hash = scree_world_hash(w);
  scree_world_destroy(w);
  scree_mesh_destroy(mesh);
  return hash;
}

Test(mesh, bits_do_not_depend_on_threads_order_or_skin) {
  Shape s = ball_shape(0.7, 3);
  uint64_t first = hash_after(&s, 1, NAN);
  scree_grains_per_thread = 1.0; /* all threads take part, few as the grains are, */
  scree_grains_per_tile = 20;    /* and have tiles to help each other with */
  for (int threads = 2; threads <= 4; threads++) {
    scree_helpfulness = threads == 2 ? HELP_WHEN_DONE : HELP_FIRST;
    cr_expect_eq(hash_after(&s, threads, NAN), first, "%d threads", threads);
  }
  cr_expect_eq(hash_after(&s, 1, 0.008), first, "another skin");
  int usual = scree_isa_current();
  for (int isa = 0; isa < scree_isa_count(); isa++) {
    if (!scree_isa_supported(isa) || isa == usual) continue;
    scree_isa_use(isa);
    cr_expect_eq(hash_after(&s, 1, NAN), first, "instruction set %s", scree_isa_name(isa));
  }
  scree_isa_use(usual);
  shuffle(&s, 5);
  cr_expect_eq(hash_after(&s, 2, NAN), first, "triangles in another order");
  free_shape(&s);
}

Test(mesh, saved_in_contact_it_goes_on_bit_for_bit) {
  Shape s = ball_shape(0.7, 3);
  ScreeMesh *mesh = mesh_of(&s);
  ScreeWorld *w = bowl(mesh, 2, NAN, true), *again = bowl(mesh, 1, NAN, false);
  void *data = NULL;
  size_t size = 0;
  advance(w, 8000);
  cr_assert_eq(scree_world_save(w, &data, &size), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_restore(again, data, size), SCREE_OK, "%s", scree_last_error());
  cr_expect_eq(scree_world_hash(w), scree_world_hash(again));
  advance(w, 2000), advance(again, 2000);
  cr_expect_eq(scree_world_hash(w), scree_world_hash(again));
  double *wear[2] = {calloc(s.triangles, sizeof(double)), calloc(s.triangles, sizeof(double))};
  cr_assert_eq(scree_world_read_wear(w, 0, wear[0], NULL), SCREE_OK);
  cr_assert_eq(scree_world_read_wear(again, 0, wear[1], NULL), SCREE_OK);
  cr_expect(memcmp(wear[0], wear[1], s.triangles * sizeof(double)) == 0);
  for (size_t cut = 8; cut < size; cut += size / 13 / 8 * 8) { /* a state that is cut off is refused */
    ScreeWorld *fresh = bowl(mesh, 1, NAN, false);
    cr_expect_neq(scree_world_restore(fresh, data, cut), SCREE_OK);
    scree_world_destroy(fresh);
  }
  free(data), free(wear[0]), free(wear[1]);
  scree_world_destroy(w), scree_world_destroy(again);
  scree_mesh_destroy(mesh);
  free_shape(&s);
}

/* A floor that ends at the boundaries, where its images go on. */
Test(mesh, images_join_at_periodic_boundaries) {
  Shape s = plane_shape(7, -0.5, 1.0 / 7.0, true, 12);
  ScreeMesh *mesh = mesh_of(&s);
  ScreeWallDef wall[2] = {{.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}}, {.shape = SCREE_WALL_MESH, .mesh = mesh}};
  ScreeWorldDef def = quiet_def(0.5);
  ScreeContactDef contact = scree_contact_def_default();
  def.gravity[2] = -9.81;
  def.timestep = 1e-5;
  def.periodic[0] = def.periodic[1] = true;
  ScreeGrain now[2], g = {.id = 1, .radius = 0.05, .position = {0.3, 0.2, 0.06}, .velocity = {1.0, -0.7, 0}};
  for (int i = 0; i < 2; i++) {
    ScreeWorld *w = world_with(&def, &contact, &wall[i]);
    start_with(w, 1, &g);
    advance(w, 200000);
    now[i] = only_grain(w);
    scree_world_destroy(w);
  }
  cr_expect(apart(now[0].position, now[1].position) < 1e-9 && apart(now[0].spin, now[1].spin) < 1e-8,
            "%.3g m, %.3g rad/s", apart(now[0].position, now[1].position), apart(now[0].spin, now[1].spin));
  scree_mesh_destroy(mesh);
  free_shape(&s);
}

/* ---- misuse ---- */

Test(mesh, what_cannot_be_a_mesh_is_refused) {
  double vertex[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}};
  uint32_t triangle[2][3] = {{0, 1, 2}, {0, 1, 3}};
  ScreeMeshDef def = {(const double(*)[3])vertex, 4, (const uint32_t(*)[3])triangle, 2};
  ScreeMesh *mesh = NULL;
  cr_expect_neq(scree_mesh_create(NULL, &mesh), SCREE_OK);
  cr_expect_neq(scree_mesh_create(&def, NULL), SCREE_OK);
  cr_assert_eq(scree_mesh_create(&def, &mesh), SCREE_OK, "%s", scree_last_error());
  cr_expect_eq(scree_mesh_facets(mesh), 1, "the second has no area");
  cr_expect_float_eq(scree_mesh_distance(mesh, (double[]){0.2, 0.2, -3.0}), 3.0, 1e-15);
  cr_expect(isnan(scree_mesh_distance(mesh, (double[]){NAN, 0, 0})) && isnan(scree_mesh_distance(NULL, vertex[0])));
  scree_mesh_destroy(mesh);
  scree_mesh_destroy(NULL);
  triangle[0][1] = 4;
  cr_expect_neq(scree_mesh_create(&def, &mesh), SCREE_OK);
  cr_expect(strstr(scree_last_error(), "vertex 4"), "%s", scree_last_error());
  triangle[0][1] = 1, vertex[2][1] = 0.0;
  cr_expect_neq(scree_mesh_create(&def, &mesh), SCREE_OK, "all corners on one line");
}

Test(mesh, walls_without_their_mesh_are_refused) {
  ScreeWorldDef def = quiet_def(1.0);
  ScreeContactDef contact = elastic();
  ScreeWallDef none = {.shape = SCREE_WALL_MESH}, plane = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  ScreeWorld *w = world_with(&def, &contact, &plane);
  double vertex[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, NAN}};
  uint32_t triangle[1][3] = {{0, 1, 2}};
  ScreeMeshDef mesh = {(const double(*)[3])vertex, 3, (const uint32_t(*)[3])triangle, 1};
  int id = -1;
  cr_expect_neq(scree_world_add_wall(w, &none, NULL), SCREE_OK);
  cr_expect_neq(scree_world_add_mesh(w, &mesh, 0, &id), SCREE_OK);
  vertex[2][2] = 0.0;
  cr_expect_neq(scree_world_add_mesh(w, &mesh, 3, &id), SCREE_OK, "no such material");
  cr_expect_eq(scree_world_add_mesh(w, &mesh, 0, &id), SCREE_OK, "%s", scree_last_error());
  cr_expect_eq(id, 1);
  cr_expect(isnan(scree_wall_distance(&none, vertex[0])));
  scree_world_destroy(w);
}
