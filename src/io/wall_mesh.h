/* wall_mesh.h: walls as polygons; what is endless ends at the domain. */
#ifndef SCREE_WALL_MESH_H
#define SCREE_WALL_MESH_H

#include "scree/world.h"

/* Polygons of walls. */
typedef struct ScreeSurface {
  double *point; /* points x 3, m */
  size_t points, point_capacity;
  int64_t *corner; /* indices of points */
  size_t corners, corner_capacity;
  int64_t *end;  /* of each polygon: one past its last corner */
  int32_t *wall; /* of each polygon: which wall it belongs to */
  size_t polygons, polygon_capacity;
  double *work[2]; /* J, of each polygon, where wear is written: of normal forces, of friction; else NULL */
  bool failed;     /* memory ran out */
} ScreeSurface;

/* Adds a wall; `number` is what its polygons are marked with. */
void scree_surface_add(ScreeSurface *surface, const ScreeWallDef *wall, int number, const double *low,
                       const double *high);
enum { SCREE_SURFACE_CORNERS = 256 };
/* Adds one convex polygon of SCREE_SURFACE_CORNERS at most. */
void scree_surface_add_polygon(ScreeSurface *surface, int number, const double (*point)[3], size_t count);
/* Two unit vectors across an axis: the first points of its rings lie there. */
void scree_surface_across(const double *axis, double *u, double *v);
void scree_surface_free(ScreeSurface *surface);

#endif
