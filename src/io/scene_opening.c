/* scene_opening.c: the opening that grains must cross on their way to an outlet: its keys, and what becomes of them
 * when the meshes are loaded. Which way leads out is told by the outlet: a user need not know which way a normal
 * points. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strdup */
#endif
#include "io/scene_reader.h"

#include "core/region.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BESIDE 0.1 /* cosine of opening and way to the outlet, below which the outlet lies beside the opening */

static const ScreeNode *value_of(const ScreeNode *map, const char *name) {
  const ScreeNode *node = scree_node_value(map, name, NULL);
  return node ? node : map;
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cross(const double *a, const double *b, double *c) {
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* ---- keys ---- */

ScreeStatus scree_read_outlet_through(ScreeReader *r, const ScreeNode *node, void *target) {
  ScreeSceneThrough *t = &((ScreeSceneOutlet *)target)->through;
  SCREE_TRY(scree_preset_section(r, SCREE_SECTION_through, t));
  t->node = node;
  return scree_read_section(r, node, SCREE_SECTION_through, t, false, NULL);
}

ScreeStatus scree_read_through_mesh(ScreeReader *r, const ScreeNode *node, void *target) {
  ScreeSceneThrough *t = target;
  if (node->kind != SCREE_NODE_SCALAR || !*node->text)
    return scree_blame(r->fault, node, SCREE_INVALID, "mesh must be the name of a wall that is a mesh, not %s",
                       scree_node_kind_name(node));
  free(t->mesh);
  t->mesh = strdup(node->text);
  return t->mesh ? SCREE_OK : scree_blame(r->fault, node, SCREE_NO_MEMORY, "no memory for the scene");
}

ScreeStatus scree_finish_through(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  const ScreeSceneThrough *t = target;
  bool rim = t->form == SCREE_KEY_through_mesh;
  if (rim && t->rim < 0)
    return scree_blame(
        r->fault, map, SCREE_MISSING,
        "the opening lacks \"rim\": which of the mesh's rims it is, by the number that scree check shows");
  if (!rim && t->rim >= 0)
    return scree_blame(r->fault, value_of(map, "rim"), SCREE_INVALID, "rim is for openings of a mesh");
  if (scree_was_given(given, SCREE_KEY_through_towards) && !(dot(t->towards, t->towards) > 0.0))
    return scree_blame(r->fault, value_of(map, "towards"), SCREE_INVALID, "towards must be a direction, not [0, 0, 0]");
  return SCREE_OK;
}

ScreeStatus scree_finish_opening_disc(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  return scree_finish_plane(r, map, target, given);
}

ScreeStatus scree_finish_rectangle(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  const ScreeSceneRectangle *q = target;
  (void)given;
  double a2 = dot(q->side[0], q->side[0]), b2 = dot(q->side[1], q->side[1]), ab = dot(q->side[0], q->side[1]);
  if (a2 > 0.0 && b2 > 0.0 && fabs(ab) <= 1e-6 * sqrt(a2 * b2)) return SCREE_OK;
  return scree_blame(r->fault, value_of(map, "second"), SCREE_INVALID,
                     "the two sides of a rectangle must be longer than 0 and at right angles to each other");
}

/* ---- meshes ---- */

static ScreeStatus find_wall(ScreeScene *s, ScreeSceneThrough *t, ScreeFault *fault) {
  const ScreeNode *node = value_of(t->node, "mesh");
  char names[240] = "";
  size_t length = 0;
  for (size_t i = 0; i < s->walls.count; i++) {
    const ScreeSceneWall *w = scree_scene_wall(s, i);
    if (!w->name || !w->mesh.mesh) continue;
    if (strcmp(w->name, t->mesh) == 0) return t->wall = i, SCREE_OK;
    if (length < sizeof names - 60)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%.50s", length ? ", " : "", w->name);
  }
  for (size_t i = 0; i < s->walls.count; i++) {
    const ScreeSceneWall *w = scree_scene_wall(s, i);
    if (w->name && strcmp(w->name, t->mesh) == 0)
      return scree_blame(fault, node, SCREE_INVALID,
                         "the wall \"%.60s\" is no mesh: its opening is a disc or a rectangle", t->mesh);
  }
  return scree_blame(fault, node, SCREE_UNKNOWN, "there is no mesh of the name \"%.60s\"; there %s: %s", t->mesh,
                     strchr(names, ',') ? "are" : "is", *names ? names : "none with a name");
}

static ScreeStatus take_rim(ScreeScene *s, ScreeSceneThrough *t, ScreeFault *fault) {
  const ScreeNode *node = value_of(t->node, "rim");
  SCREE_TRY(find_wall(s, t, fault));
  const ScreeRims *rims = scree_scene_wall(s, t->wall)->mesh.rims;
  if ((uint64_t)t->rim > rims->count)
    return scree_blame(fault, node, SCREE_UNKNOWN, "the mesh \"%.60s\" has %zu rim%s: scree check shows %s", t->mesh,
                       rims->count, rims->count == 1 ? "" : "s", rims->count == 1 ? "it" : "them");
  const ScreeRim *rim = &rims->rim[t->rim - 1];
  if (!rim->closed || rim->area == 0.0)
    return scree_blame(fault, node, SCREE_INVALID, "rim %lld of the mesh \"%.60s\" is %s: grains cannot cross it",
                       (long long)t->rim, t->mesh, rim->closed ? "a crack without a width" : "no closed loop");
  t->def.corner = rim->corner, t->def.corners = rim->edges;
  return SCREE_OK;
}

const ScreeRim *scree_scene_opening_rim(const ScreeScene *s, const ScreeSceneOutlet *o) {
  if (o->through.form != SCREE_KEY_through_mesh) return NULL;
  return &scree_scene_wall(s, o->through.wall)->mesh.rims->rim[o->through.rim - 1];
}

/* ---- which way leads out ---- */

static void measure(const ScreeScene *s, const ScreeSceneOutlet *o, double *middle, double *across) {
  const ScreeSceneThrough *t = &o->through;
  const ScreeRim *rim = scree_scene_opening_rim(s, o);
  const double *from = rim ? rim->centre : t->disc.point, *normal = rim ? rim->normal : t->disc.axis;
  memcpy(middle, from, 24), memcpy(across, normal, 24);
  if (t->form != SCREE_KEY_through_rectangle) return;
  cross(t->corner.side[0], t->corner.side[1], across);
  for (int k = 0; k < 3; k++) middle[k] = t->corner.at[k] + 0.5 * (t->corner.side[0][k] + t->corner.side[1][k]);
}

static ScreeStatus find_way(const ScreeScene *s, ScreeSceneOutlet *o, ScreeFault *fault) {
  ScreeSceneThrough *t = &o->through;
  ScreeRegion region = scree_shape_region(&o->shape);
  double middle[3], across[3], low[3], high[3], to[3];
  measure(s, o, middle, across);
  scree_region_bounds(&region, low, high);
  for (int k = 0; k < 3; k++)
    to[k] = region.shape == SCREE_REGION_BEYOND ? region.normal[k] : 0.5 * (low[k] + high[k]) - middle[k];
  if (scree_region_holds(&region, middle))
    return scree_blame(fault, t->node, SCREE_INVALID,
                       "the middle of this opening, [%.4g, %.4g, %.4g] m, lies within the outlet: grains are taken out "
                       "before they have crossed it",
                       middle[0], middle[1], middle[2]);
  bool told = !isnan(t->towards[0]);
  if (told) memcpy(to, t->towards, sizeof to);
  double along = dot(to, across), size = sqrt(dot(to, to) * dot(across, across));
  if (!(fabs(along) > BESIDE * size))
    return scree_blame(fault, told ? value_of(t->node, "towards") : t->node, SCREE_INVALID,
                       told ? "towards lies in the opening: it must be the direction in which grains cross it"
                            : "the outlet lies beside this opening: say with towards: [x, y, z] in which direction "
                              "grains cross it");
  for (int k = 0; k < 3; k++) t->def.towards[k] = along > 0.0 ? across[k] : -across[k];
  return SCREE_OK;
}

static ScreeStatus find_opening(ScreeScene *s, ScreeSceneOutlet *o, ScreeFault *fault) {
  ScreeSceneThrough *t = &o->through;
  t->def = scree_opening_def_default();
  if (t->form == SCREE_KEY_through_mesh) SCREE_TRY(take_rim(s, t, fault));
  if (t->form == SCREE_KEY_through_disc) {
    memcpy(t->def.point, t->disc.point, sizeof t->def.point);
    memcpy(t->def.normal, t->disc.axis, sizeof t->def.normal);
    t->def.radius = t->disc.radius;
  }
  for (int i = 0; i < 4; i++) /* around it */
    for (int k = 0; k < 3; k++)
      t->line[i][k] = t->corner.at[k] + (i == 1 || i == 2) * t->corner.side[0][k] + (i >= 2) * t->corner.side[1][k];
  if (t->form == SCREE_KEY_through_rectangle) t->def.corner = (const double(*)[3])t->line, t->def.corners = 4;
  return find_way(s, o, fault);
}

ScreeStatus scree_find_openings(ScreeScene *s, ScreeFault *fault) {
  for (size_t i = 0; i < s->outlets.count; i++)
    if (scree_scene_outlet(s, i)->through.form != 0) SCREE_TRY(find_opening(s, scree_scene_outlet(s, i), fault));
  return SCREE_OK;
}
