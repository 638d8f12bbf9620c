/* cull.c: see cull.h. */
#include "cull.h"

#include <stdlib.h>

#include "shapes.h"

enum {
  CLUSTER = 32, /* grains */
  PATCH = 128,  /* triangles */
};
static const double widest = 8.0;          /* half the diagonal of a cluster's box, over the largest radius */
static const double rounding = 1.0 + 1e-6; /* of distances: bounds are a little wide */

Cluster scree_cluster(const ScreeWorld *w, size_t from, size_t end) {
  const Record *first = &w->record[from];
  Cluster c = {.from = from, .largest = first->r, .pace = scree_pace_of(w, from)};
  double low[3] = {first->x[0], first->x[1], first->x[2]}, high[3] = {low[0], low[1], low[2]}, size2 = 0.0;
  for (c.to = from + 1; c.to < end && c.to < from + CLUSTER; c.to++) {
    const Record *r = &w->record[c.to];
    double below[3], above[3], largest = fmax(c.largest, r->r), d2 = 0.0;
    for (int k = 0; k < 3; k++) {
      below[k] = r->x[k] < low[k] ? r->x[k] : low[k], above[k] = r->x[k] > high[k] ? r->x[k] : high[k];
      d2 += (above[k] - below[k]) * (above[k] - below[k]);
    }
    if (d2 > 4.0 * widest * widest * largest * largest) break;
    for (int k = 0; k < 3; k++) low[k] = below[k], high[k] = above[k];
    c.largest = largest, size2 = d2;
    if (scree_pace_of(w, c.to) > c.pace) c.pace = scree_pace_of(w, c.to);
  }
  for (int k = 0; k < 3; k++) c.middle[k] = 0.5 * (low[k] + high[k]);
  c.radius = 0.5 * sqrt(size2) * rounding;
  return c;
}

/* The middle has no radius, so that nothing is rounded off around axes: that of a grain changes a distance by half of
 * the part in which it is. */
double scree_cluster_gap(const ScreeWorld *w, int wall, const Cluster *c) {
  Record middle = {.x = {c->middle[0], c->middle[1], c->middle[2]}};
  double normal[3], lever[3];
  return scree_wall_gap(w, wall, &middle, normal, lever) - c->radius - 0.5 * SCREE_ROUNDED * c->largest;
}

static bool add_patch(Cull *c, const Patch *p) {
  if (c->patches == c->patch_capacity) {
    int capacity = c->patch_capacity ? 2 * c->patch_capacity : 8;
    Patch *grown = realloc(c->patch, (size_t)capacity * sizeof *grown);
    if (!grown) return false;
    c->patch = grown, c->patch_capacity = capacity;
  }
  c->patch[c->patches++] = *p;
  return true;
}

/* Triangles of every image of a mesh. */
static bool cull_mesh(const ScreeWorld *w, Cull *c, int wall) {
  const Body *b = scree_body_of(w, wall);
  const ScreeMesh *mesh = w->wall[wall].mesh;
  double within = scree_mesh_reach((Reach){c->of.largest, w->def.max_overlap}) + scree_wall_skin(w, c->of.pace);
  for (int image = 0; image < w->images; image++) {
    Patch p = {.wall = wall, .image = image, .near = c->near.count};
    double x[3], to[3];
    bool many;
    for (int k = 0; k < 3; k++) x[k] = c->of.middle[k] + w->image[image][k];
    if (b->moves)
      scree_enter(&b->frame, x, to, p.middle);
    else
      for (int k = 0; k < 3; k++) p.middle[k] = x[k];
    if (!scree_mesh_some(mesh, p.middle, within * rounding + c->of.radius, PATCH, &c->near, &many)) return false;
    if (c->near.count == p.near) continue;
    if (many) c->near.count = p.near;
    p.count = c->near.count - p.near;
    if (!add_patch(c, &p)) return false;
  }
  return true;
}

bool scree_cull(const ScreeWorld *w, Cull *c, size_t from, size_t end) {
  if (!c->wall) c->wall = malloc(((size_t)w->walls + 1) * sizeof *c->wall);
  if (!c->wall) return false;
  c->of = scree_cluster(w, from, end);
  c->walls = c->patches = 0;
  c->near.count = 0;
  for (int wall = 0; wall < w->walls; wall++) {
    const Body *b = scree_body_of(w, wall);
    if (!b->present) continue;
    if (!scree_is_mesh(w, wall)) {
      if (scree_cluster_gap(w, wall, &c->of) < (c->of.largest + scree_wall_skin(w, c->of.pace)) * rounding)
        c->wall[c->walls++] = wall;
    } else if (b->first == wall && !cull_mesh(w, c, wall)) {
      return false;
    }
  }
  return true;
}

void scree_cull_free(Cull *c) {
  free(c->wall), free(c->patch), free(c->near.near);
  *c = (Cull){.walls = 0};
}

size_t scree_cull_bytes(const ScreeWorld *w, const Cull *c) {
  return (c->wall ? (size_t)w->walls * sizeof *c->wall : 0) + (size_t)c->patch_capacity * sizeof *c->patch +
         c->near.capacity * sizeof *c->near.near;
}
