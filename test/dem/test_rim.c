/* Where a mesh is open: rims of shapes whose openings are known, odd input, and ways across against brute force. */
#include "support/hopper.h"

static const double PI = 3.14159265358979323846;
static const double bin[3][2] = {{0.025, 0.0}, {0.06, 0.035}, {0.06, 0.245}};

static double length_of(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void expect_near(double got, double want, double within, const char *what) {
  cr_expect(fabs(got - want) <= within, "%s: %.12g instead of %.12g", what, got, want);
}

Test(rim, a_hopper_has_two_circles) {
  Hopper h = hopper_of(3, bin, 64);
  ScreeRims *r = rims_of(&h);
  cr_assert_eq(r->count, 2);
  cr_expect(r->open == 128 && r->crossed == 0 && r->flipped == 0 && r->cracks == 0 && r->chains == 0 && r->pieces == 1);
  cr_expect_eq(r->edges, 64 * 3 + 64 * 4); /* rings, and lines and diagonals between them */
  for (size_t i = 0; i < 2; i++) {
    const ScreeRim *rim = &r->rim[i];
    double radius = i == 0 ? 0.06 : 0.025, z = i == 0 ? 0.245 : 0.0, polygon = 64 * sin(PI / 64);
    cr_expect(rim->closed && rim->flat && rim->edges == 64);
    expect_near(rim->length, 2 * radius * polygon, 1e-12, "length");
    expect_near(rim->radius, radius, 1e-12, "radius");
    expect_near(rim->area, radius * radius * polygon * cos(PI / 64), 1e-12, "area");
    expect_near(fabs(rim->normal[2]), 1.0, 1e-12, "normal");
    expect_near(rim->centre[2], z, 1e-12, "height");
    expect_near(rim->low[2], z, 1e-12, "lowest corner");
    /* the bin ends upwards, the cone inwards and downwards */
    for (size_t e = 0; e < rim->edges; e++) expect_near(rim->out[e][2], i == 0 ? 1.0 : -sqrt(0.5), 1e-3, "out");
  }
  scree_rims_destroy(r);
}

Test(rim, missing_triangles_are_a_rim_of_their_own) {
  const double rings[5][2] = {{0.025, 0.0}, {0.06, 0.035}, {0.06, 0.08}, {0.06, 0.12}, {0.06, 0.16}};
  Hopper h = hopper_of(5, rings, 32);
  hopper_lose(&h, 2 * 32 * 2 + 10, 4); /* two cells of the bin, side by side */
  ScreeRims *r = rims_of(&h);
  cr_assert_eq(r->count, 3);
  const ScreeRim *hole = &r->rim[2];
  double chord = 2 * 0.06 * sin(PI / 32);
  cr_expect(hole->closed && hole->edges == 6 && isnan(hole->radius));
  expect_near(hole->length, 4 * chord + 2 * 0.04, 1e-12, "length of the hole");
  expect_near(hole->low[2], 0.08, 1e-12, "its lower end");
  expect_near(hole->high[2], 0.12, 1e-12, "its upper end");
  expect_near(r->rim[1].radius, 0.025, 1e-12, "the outlet");
  scree_rims_destroy(r);
}

/* A sheet of cells, some of them left out. */
static Hopper sheet(int n, const char *holes) {
  Hopper h = {.vertices = 0};
  for (int j = 0; j <= n; j++)
    for (int i = 0; i <= n; i++) {
      double x[3] = {i, j, 0.0};
      memcpy(h.vertex[h.vertices++], x, sizeof x);
    }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      uint32_t a = (uint32_t)(j * (n + 1) + i), b = a + 1, c = a + (uint32_t)n + 1, d = c + 1;
      if (holes[j * n + i] == 'o') continue;
      hopper_triangle(&h, a, b, d), hopper_triangle(&h, a, d, c);
    }
  return h;
}

Test(rim, openings_that_touch_at_a_corner_are_two) {
  Hopper h = sheet(4, "xxxx"
                      "xoxx"
                      "xxox"
                      "xxxx");
  ScreeRims *r = rims_of(&h);
  cr_assert_eq(r->count, 3, "%zu rims", r->count);
  for (size_t i = 1; i < 3; i++) {
    cr_expect(r->rim[i].closed && r->rim[i].edges == 4);
    expect_near(r->rim[i].area, 1.0, 1e-12, "an opening");
    cr_expect(isnan(r->rim[i].radius), "a square is no circle");
  }
  expect_near(r->rim[0].length, 16.0, 1e-12, "around");
  scree_rims_destroy(r);
}

Test(rim, a_vane_is_a_chain_and_its_foot_an_edge_of_three) {
  Hopper h = sheet(2, "xxxx");
  double top[2][3] = {{1, 0, 1}, {1, 1, 1}};
  for (int i = 0; i < 2; i++) memcpy(h.vertex[h.vertices++], top[i], sizeof top[i]);
  hopper_triangle(&h, 1, 4, 10), hopper_triangle(&h, 1, 10, 9); /* over the line from (1, 0) to (1, 1) */
  ScreeRims *r = rims_of(&h);
  cr_expect_eq(r->crossed, 1);
  cr_expect_eq(r->count, 2, "%zu rims", r->count);
  cr_expect(r->rim[0].closed && r->rim[0].edges == 8, "the sheet's own rim stays whole");
  cr_expect(!r->rim[1].closed && r->rim[1].edges == 3 && r->chains == 1);
  expect_near(r->rim[1].length, 3.0, 1e-12, "the vane");
  scree_rims_destroy(r);
}

Test(rim, cracks_doubles_and_flat_triangles_open_nothing) {
  /* a square whose left half ends in one long edge, its right half in two: they touch along it */
  Hopper h = {.vertices = 0};
  double x[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 0.5, 0}, {2, 0, 0}, {2, 1, 0}, {-0.0, 0, 0}};
  for (size_t i = 0; i < 8; i++) memcpy(h.vertex[h.vertices++], x[i], sizeof x[i]);
  hopper_triangle(&h, 0, 1, 2), hopper_triangle(&h, 7, 2, 3); /* two zeros are one place */
  hopper_triangle(&h, 1, 5, 4), hopper_triangle(&h, 4, 5, 6), hopper_triangle(&h, 4, 6, 2);
  hopper_triangle(&h, 2, 0, 1), hopper_triangle(&h, 1, 0, 2); /* twice, and the other way round */
  hopper_triangle(&h, 1, 1, 2), hopper_triangle(&h, 0, 7, 3); /* no triangles at all */
  ScreeRims *r = rims_of(&h);
  cr_expect_eq(r->crossed, 0);
  cr_assert_eq(r->count, 2, "%zu rims", r->count);
  cr_expect_eq(r->cracks, 1);
  expect_near(r->rim[0].length, 6.0, 1e-12, "around");
  cr_expect(r->rim[1].closed && r->rim[1].area == 0.0);
  scree_rims_destroy(r);
}

Test(rim, a_closed_body_has_none_and_flipped_triangles_are_counted) {
  const double tube[2][2] = {{1.0, 0.0}, {1.0, 1.0}};
  Hopper h = hopper_of(2, tube, 6);
  for (uint32_t end = 0; end < 12; end += 6)
    for (uint32_t i = 1; i < 5; i++)
      end ? hopper_triangle(&h, end, end + i, end + i + 1) : hopper_triangle(&h, end, end + i + 1, end + i);
  ScreeRims *r = rims_of(&h);
  cr_expect(r->count == 0 && r->open == 0 && r->flipped == 0 && r->pieces == 1);
  scree_rims_destroy(r);
  uint32_t *t = h.triangle[3], other = t[1];
  t[1] = t[2], t[2] = other;
  r = rims_of(&h);
  cr_expect_eq(r->flipped, 3);
  scree_rims_destroy(r);
}

Test(rim, the_order_of_triangles_and_corners_leaves_no_trace) {
  Hopper h = hopper_of(3, bin, 24);
  hopper_lose(&h, 11, 1), hopper_lose(&h, 60, 4);
  ScreeRims *a = rims_of(&h);
  uint64_t random = 5;
  for (size_t i = h.triangles - 1; i > 0; i--) {
    size_t j = (size_t)uniform(&random, 0, (double)(i + 1));
    uint32_t t[3];
    memcpy(t, h.triangle[i], sizeof t), memcpy(h.triangle[i], h.triangle[j], sizeof t),
        memcpy(h.triangle[j], t, sizeof t);
    for (int k = 0; k < (int)(i % 3); k++) {
      uint32_t first = h.triangle[i][0];
      h.triangle[i][0] = h.triangle[i][1], h.triangle[i][1] = h.triangle[i][2], h.triangle[i][2] = first;
    }
  }
  ScreeRims *b = rims_of(&h);
  cr_assert_eq(a->count, b->count);
  cr_expect_eq(a->open, b->open);
  for (size_t i = 0; i < a->count; i++) {
    cr_expect(a->rim[i].edges == b->rim[i].edges && a->rim[i].length == b->rim[i].length);
    cr_expect_arr_eq(a->rim[i].corner, b->rim[i].corner, 24 * a->rim[i].edges);
  }
  scree_rims_destroy(a), scree_rims_destroy(b);
}

/* Triangles without order: every edge of the graph of open edges is in one rim, and no loop visits a corner twice. */
Test(rim, whatever_is_given_every_open_edge_is_in_one_rim) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    uint64_t random = seed;
    Hopper h = {.vertices = 12 + seed % 7};
    for (size_t v = 0; v < h.vertices; v++)
      for (int k = 0; k < 3; k++) h.vertex[v][k] = floor(uniform(&random, 0, 4));
    for (int t = 0; t < 40; t++) {
      uint32_t c[3];
      for (int k = 0; k < 3; k++) c[k] = (uint32_t)uniform(&random, 0, (double)h.vertices);
      hopper_triangle(&h, c[0], c[1], c[2]);
    }
    ScreeRims *r = rims_of(&h);
    size_t edges = 0;
    for (size_t i = 0; i < r->count; i++) {
      const ScreeRim *rim = &r->rim[i];
      double length = 0.0;
      edges += rim->edges;
      for (size_t e = 0; e < rim->edges; e++) {
        const double *a = rim->corner[e], *b = rim->corner[rim->closed ? (e + 1) % rim->edges : e + 1];
        double way[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        length += length_of(way);
        for (size_t f = 0; f < e; f++) cr_expect(memcmp(rim->corner[f], a, 24) != 0, "seed %d", (int)seed);
      }
      expect_near(length, rim->length, 1e-9, "length");
      cr_expect(!rim->closed || rim->edges >= 3);
    }
    cr_expect_eq(edges, r->open);
    scree_rims_destroy(r);
  }
}

/* ---- ways across ---- */

static bool brute_crosses(const Hopper *h, const double *a, const double *b, double *nearest) {
  bool any = false;
  for (size_t t = 0; t < h->triangles; t++) {
    double p[3][3], volume[3], side[2], n[3];
    for (int c = 0; c < 3; c++) memcpy(p[c], h->vertex[h->triangle[t][c]], 24);
    for (int k = 0; k < 3; k++) {
      int y = (k + 1) % 3, z = (k + 2) % 3;
      n[k] = (p[1][y] - p[0][y]) * (p[2][z] - p[0][z]) - (p[1][z] - p[0][z]) * (p[2][y] - p[0][y]);
    }
    for (int e = 0; e < 2; e++) {
      const double *x = e ? b : a;
      side[e] = n[0] * (x[0] - p[0][0]) + n[1] * (x[1] - p[0][1]) + n[2] * (x[2] - p[0][2]);
    }
    double least = INFINITY;
    for (int c = 0; c < 3; c++) {
      double u[3], v[3], w[3];
      for (int k = 0; k < 3; k++) u[k] = p[c][k] - a[k], v[k] = p[(c + 1) % 3][k] - a[k], w[k] = b[k] - a[k];
      volume[c] =
          w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) + w[2] * (u[0] * v[1] - u[1] * v[0]);
      least = fmin(least, fabs(volume[c]));
    }
    *nearest = fmin(*nearest, fmin(least, fmin(fabs(side[0]), fabs(side[1]))));
    bool same = (volume[0] > 0) == (volume[1] > 0) && (volume[1] > 0) == (volume[2] > 0);
    any = any || (same && (side[0] > 0) != (side[1] > 0));
  }
  return any;
}

Test(rim, ways_across_are_those_of_brute_force) {
  Hopper h = hopper_of(3, bin, 20);
  ScreeMesh *mesh = hopper_mesh(&h);
  uint64_t random = 3;
  int across = 0, judged = 0;
  for (int i = 0; i < 20000; i++) {
    double a[3], b[3], nearest = INFINITY;
    for (int k = 0; k < 3; k++) {
      a[k] = uniform(&random, k == 2 ? -0.05 : -0.08, k == 2 ? 0.3 : 0.08);
      b[k] = a[k] + uniform(&random, -0.04, 0.04);
    }
    bool want = brute_crosses(&h, a, b, &nearest);
    if (nearest < 1e-16) continue; /* too close to tell */
    judged++, across += want;
    cr_expect_eq(scree_mesh_crosses(mesh, a, b), want);
  }
  cr_expect(judged > 19000 && across > 1000, "%d judged, %d across", judged, across);
  /* along edges and through corners nothing slips */
  for (uint32_t v = 20; v < 40; v++) {
    double in[3], out[3];
    for (int k = 0; k < 3; k++)
      in[k] = (k < 2 ? 0.9 : 1.0) * h.vertex[v][k], out[k] = (k < 2 ? 1.1 : 1.0) * h.vertex[v][k];
    cr_expect(scree_mesh_crosses(mesh, in, out));
  }
  cr_expect_not(scree_mesh_crosses(mesh, (double[]){0, 0, 0.1}, (double[]){0, 0, -0.1}), "through the outlet");
  cr_expect(scree_mesh_crosses(mesh, (double[]){0, 0, 0.1}, (double[]){1, 0, 0.1}));
  cr_expect_not(scree_mesh_crosses(mesh, (double[]){0, 0, 0.1}, (double[]){NAN, 0, 0.1}));
  scree_mesh_destroy(mesh);
}

Test(rim, misuse_gets_a_sentence) {
  ScreeRims *r = NULL;
  cr_expect_neq(scree_mesh_rims(NULL, &r), SCREE_OK);
  Hopper h = hopper_of(3, bin, 8);
  ScreeMesh *mesh = hopper_mesh(&h);
  cr_expect_neq(scree_mesh_rims(mesh, NULL), SCREE_OK);
  scree_rims_destroy(NULL);
  scree_mesh_destroy(mesh);
}
