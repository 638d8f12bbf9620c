/* hopper.h: a hopper of triangles: a bin over a cone, some triangles of which may be missing. */
#ifndef TEST_HOPPER_H
#define TEST_HOPPER_H

#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "scree/rim.h"

typedef struct Hopper {
  double vertex[512][3];
  uint32_t triangle[1024][3];
  size_t vertices, triangles;
} Hopper;

static inline void hopper_triangle(Hopper *h, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t t[3] = {a, b, c};
  memcpy(h->triangle[h->triangles++], t, sizeof t);
}

/* Rings of a radius at a height, joined by 2 `around` triangles from each to the next. */
static inline Hopper hopper_of(int rings, const double (*ring)[2], int around) {
  Hopper h = {.vertices = 0};
  for (int i = 0; i < rings; i++)
    for (int a = 0; a < around; a++) {
      double angle = 2.0 * acos(-1.0) * a / around,
             x[3] = {ring[i][0] * cos(angle), ring[i][0] * sin(angle), ring[i][1]};
      memcpy(h.vertex[h.vertices++], x, sizeof x);
    }
  for (int i = 0; i + 1 < rings; i++)
    for (int a = 0; a < around; a++) {
      uint32_t p = (uint32_t)(i * around + a), q = (uint32_t)(i * around + (a + 1) % around), up = (uint32_t)around;
      hopper_triangle(&h, p, q, q + up), hopper_triangle(&h, p, q + up, p + up);
    }
  return h;
}

static inline void hopper_lose(Hopper *h, size_t first, size_t count) {
  memmove(h->triangle[first], h->triangle[first + count], (h->triangles - first - count) * sizeof *h->triangle);
  h->triangles -= count;
}

static inline ScreeMesh *hopper_mesh(const Hopper *h) {
  ScreeMeshDef def = {h->vertex, h->vertices, h->triangle, h->triangles};
  ScreeMesh *mesh = NULL;
  cr_assert_eq(scree_mesh_create(&def, &mesh), SCREE_OK, "%s", scree_last_error());
  return mesh;
}

static inline ScreeRims *rims_of(const Hopper *h) {
  ScreeMesh *mesh = hopper_mesh(h);
  ScreeRims *rims = NULL;
  cr_assert_eq(scree_mesh_rims(mesh, &rims), SCREE_OK, "%s", scree_last_error());
  scree_mesh_destroy(mesh);
  return rims;
}

#endif
