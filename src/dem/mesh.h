/* mesh.h: a surface of triangles, and where a sphere touches it. */
#ifndef SCREE_MESH_H
#define SCREE_MESH_H

#include <stddef.h>
#include <stdint.h>

#include "scree/world.h"

enum {
  MESH_SLOTS = 6, /* contacts of one grain with one mesh; the deepest are kept */
  MESH_FEET = 16, /* places where a grain may touch before they are blended */
};

/* A triangle beside a centre, close enough to be looked at each step. */
typedef struct Near {
  int32_t facet;
  float distance; /* m, when the list was made, rounded down */
} Near;

/* Where a sphere touches: the way from the surface to the centre, not longer than one, and how far that is. */
typedef struct Foot {
  double n[3], d;
  int32_t facet;  /* the one that carries most of it */
  int32_t view;   /* as the caller numbers them: images of the mesh */
  int32_t end[2]; /* vertices: both of a side, one of a corner twice; -1: within the triangle */
  bool shared;    /* with a triangle that comes nearer */
} Foot;

/* Room for the feet on every triangle near a centre. */
typedef struct Feet {
  Foot *foot;
  size_t capacity;
} Feet;

typedef struct NearList {
  Near *near;
  size_t count, capacity;
} NearList;

/* How a sphere meets a mesh. */
typedef struct Reach {
  double radius;
  double deepest; /* of the radius: contacts are never deeper */
} Reach;

/* How far from the centre the surface has a say: a little beyond the radius. */
double scree_mesh_reach(Reach reach);
/* Adds the triangles that come closer than `within`, the nearest first; false: no memory. */
bool scree_mesh_near(const ScreeMesh *mesh, const double *centre, double within, NearList *list);
/* All that may come so close, and some that do not, in any order, with lower bounds of their distances; stops where
 * there are more than `most`, and says so. */
bool scree_mesh_some(const ScreeMesh *mesh, const double *centre, double within, size_t most, NearList *list,
                     bool *many);
/* As scree_mesh_near, among those of such a list around a point not farther away than `away`. */
bool scree_mesh_pick(const ScreeMesh *mesh, const double *centre, double within, const Near *of, size_t count,
                     double away, NearList *list);
/* Adds to `found` feet those of the triangles of a list; how many there are then, -1: no memory. `moved`: how far the
 * centre moved at most since the distances of the list were taken. */
int scree_mesh_feet(const ScreeMesh *mesh, const double *centre, Reach reach, const Near *near, size_t count,
                    double moved, int32_t view, Feet *feet, int found);
void scree_mesh_fetch(const ScreeMesh *mesh, int32_t facet); /* into the caches, to be looked at soon */
/* The facet of the nearest of them, -1 when there is none. */
int32_t scree_mesh_nearest(const Foot *foot, int count);
/* The contacts that the feet make, the deepest first, MESH_SLOTS at most. The feet lose their order. */
int scree_mesh_settle(const ScreeMesh *mesh, Foot *foot, int count, Reach reach, Foot *contact);
/* Distance of a point from the surface, and the way from the point to it. */
double scree_mesh_gap(const ScreeMesh *mesh, const double *point, double *normal);
void scree_mesh_bounds(const ScreeMesh *mesh, double *low, double *high);
size_t scree_mesh_facets(const ScreeMesh *mesh); /* those that are looked at: without area, or twice, they are not */
uint32_t scree_mesh_triangle_of(const ScreeMesh *mesh, int32_t facet); /* as given */

#endif
