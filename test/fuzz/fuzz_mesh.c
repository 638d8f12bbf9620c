/* Any bytes as a mesh, the first of them tells the format: triangles that a world can use, or one sentence. */
#include "io/mesh_file.h"
#include "scree/rim.h"

#include "bytes.h"

#include <math.h>

static void fail(const char *promise, const char *more) {
  fprintf(stderr, "broken promise: %s: %s\n", promise, more);
  abort();
}

static void check_triangles(const ScreeTriangles *t) {
  if (t->triangles == 0 || !(t->area > 0.0)) fail("a mesh has triangles and an area", "");
  for (size_t i = 0; i < t->vertices; i++)
    for (int k = 0; k < 3; k++)
      if (!(t->vertex[i][k] >= t->low[k] && t->vertex[i][k] <= t->high[k])) fail("vertices are in the extent", "");
  for (size_t i = 0; i < t->triangles; i++)
    for (int c = 0; c < 3; c++)
      if (t->triangle[i][c] >= t->vertices) fail("triangles name vertices", "");
  ScreeMeshDef def = {(const double(*)[3])t->vertex, t->vertices, (const uint32_t(*)[3])t->triangle, t->triangles};
  ScreeMesh *mesh = NULL;
  if (scree_mesh_create(&def, &mesh) != SCREE_OK) fail("a mesh can be used", scree_last_error());
  double d = scree_mesh_distance(mesh, t->vertex[t->triangle[0][0]]), size = 0;
  for (int k = 0; k < 3; k++) size = fmax(size, t->high[k] - t->low[k]);
  if (!(d <= 1e-6 * size)) fail("a corner lies on the surface", "");
  ScreeRims *rims = NULL;
  size_t edges = 0;
  if (scree_mesh_rims(mesh, &rims) != SCREE_OK) fail("a mesh has rims", scree_last_error());
  for (size_t i = 0; i < rims->count; i++) edges += rims->rim[i].edges;
  if (edges != rims->open || rims->open != t->open) fail("every open edge is in one rim", "");
  scree_rims_destroy(rims);
  scree_mesh_destroy(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"fuzz.stl", "fuzz.obj", "fuzz.ply"};
  ScreePlacement pose = {.scale = 1.0};
  ScreeTriangles t;
  if (size == 0) return 0;
  const char *name = names[data[0] % 3];
  if (scree_triangles_parse(name, data + 1, size - 1, &pose, &t) == SCREE_OK)
    check_triangles(&t);
  else if (strlen(scree_last_error()) < 8 || strncmp(scree_last_error(), name, strlen(name)) != 0)
    fail("a failure has a sentence that names the file", scree_last_error());
  scree_triangles_free(&t);
  return 0;
}
