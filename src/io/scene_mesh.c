/* scene_mesh.c: walls that are meshes: their keys, and their files, which are looked for beside the scene. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/scene_reader.h"

#include "core/status.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ScreeNode *value_of(const ScreeNode *map, const char *name) {
  const ScreeNode *node = scree_node_value(map, name, NULL);
  return node ? node : map;
}

ScreeStatus scree_read_wall_mesh(ScreeReader *r, const ScreeNode *node, void *target) {
  ScreeSceneMesh *mesh = &((ScreeSceneWall *)target)->mesh;
  if (node->kind != SCREE_NODE_SCALAR || !*node->text)
    return scree_blame(r->fault, node, SCREE_INVALID, "mesh must be the name of a file (.stl, .obj or .ply), not %s",
                       scree_node_kind_name(node));
  mesh->file = strdup(node->text);
  return mesh->file ? SCREE_OK : scree_blame(r->fault, node, SCREE_NO_MEMORY, "no memory for the scene");
}

ScreeStatus scree_read_wall_rotate(ScreeReader *r, const ScreeNode *node, void *target) {
  ScreeSceneMesh *mesh = &((ScreeSceneWall *)target)->mesh;
  mesh->turned = true;
  return scree_read_section(r, node, SCREE_SECTION_rotate, &mesh->rotate, false, NULL);
}

ScreeStatus scree_finish_rotate(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  const double *a = ((ScreeSceneRotate *)target)->axis;
  double size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  (void)given;
  if (size > 0 && isfinite(size)) return SCREE_OK;
  return scree_blame(r->fault, value_of(map, "axis"), SCREE_INVALID, "axis must be a direction, not [0, 0, 0]");
}

ScreeStatus scree_check_wall_mesh(ScreeReader *r, const ScreeNode *map, const ScreeSceneWall *wall) {
  static const char *const keys[] = {"scale", "rotate", "translate", "wear"};
  const ScreeSceneMesh *m = &wall->mesh;
  const bool given[] = {!isnan(m->scale), m->turned, !isnan(m->translate[0]), m->wear};
  for (int i = 0; i < 4 && wall->shape.form != SCREE_KEY_wall_mesh; i++)
    if (given[i]) {
      const ScreeNode *key = NULL;
      scree_node_value(map, keys[i], &key);
      return scree_blame(r->fault, key ? key : map, SCREE_INVALID, "%s is for walls that are a mesh", keys[i]);
    }
  return SCREE_OK;
}

/* ---- files ---- */

/* Beside the scene, unless it is absolute; as the run's own scene will find it, from wherever. */
static char *path_of(const char *scene, const char *file) {
  const char *slash = scene ? strrchr(scene, '/') : NULL;
  char *beside = NULL, *whole;
  if (*file == '/' || !slash)
    beside = strdup(file);
  else if (asprintf(&beside, "%.*s/%s", (int)(slash - scene), scene, file) < 0)
    beside = NULL;
  if (!beside) return NULL;
  whole = realpath(beside, NULL);
  if (!whole && errno != ENOMEM) return beside; /* reading it will say what is wrong */
  free(beside);
  return whole;
}

static ScreeStatus load(ScreeSceneWall *wall, const char *scene, ScreeFault *fault) {
  ScreeSceneMesh *m = &wall->mesh;
  const ScreeNode *node = value_of(wall->item.node, "mesh");
  ScreePlacement place = {.scale = isnan(m->scale) ? 1.0 : m->scale, .angle = m->turned ? m->rotate.angle : 0.0};
  if (m->turned) memcpy(place.axis, m->rotate.axis, sizeof place.axis);
  if (!isnan(m->translate[0])) memcpy(place.shift, m->translate, sizeof place.shift);
  char *path = path_of(scene, m->file);
  if (!path) return scree_blame(fault, node, SCREE_NO_MEMORY, "no memory for the scene");
  free(m->file);
  m->file = path;
  ScreeStatus status = scree_triangles_read(path, &place, &m->triangles);
  if (status != SCREE_OK) return scree_blame_last(fault, node, status, NULL);
  ScreeMeshDef def = {(const double(*)[3])m->triangles.vertex, m->triangles.vertices,
                      (const uint32_t(*)[3])m->triangles.triangle, m->triangles.triangles};
  status = scree_mesh_create(&def, &m->mesh);
  if (status != SCREE_OK) return scree_blame_last(fault, node, status, path);
  wall->def.mesh = m->mesh;
  status = scree_mesh_rims(m->mesh, &m->rims);
  return status == SCREE_OK ? status : scree_blame_last(fault, node, status, path);
}

ScreeStatus scree_scene_load(ScreeScene *s, const char *path, ScreeFault *fault) {
  for (size_t i = 0; i < s->walls.count; i++) {
    ScreeSceneWall *wall = scree_scene_wall(s, i);
    if (wall->mesh.file && !wall->mesh.mesh) SCREE_TRY(load(wall, path, fault));
  }
  return scree_find_openings(s, fault);
}

void scree_scene_free_mesh(ScreeSceneMesh *m) {
  free(m->file);
  scree_triangles_free(&m->triangles);
  scree_mesh_destroy(m->mesh);
  scree_rims_destroy(m->rims);
}
