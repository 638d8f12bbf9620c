/* rim.h: where a mesh is open. The edges of one triangle alone form rims: closed loops around its openings, or chains
 * that end at an edge of three triangles or more.
 *
 *     scree_mesh_rims(mesh, &rims);
 *     for (size_t i = 0; i < rims->count; i++) rims->rim[i].length, .centre, .radius ...
 *     scree_rims_destroy(rims);
 */
#ifndef SCREE_RIM_H
#define SCREE_RIM_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ScreeRim {
  const double (*corner)[3]; /* m, in order: `edges` of a loop, one more of a chain */
  const double (*out)[3];    /* unit vectors, one per edge: in the plane of its triangle, away from it */
  size_t edges;
  bool closed;            /* a loop */
  double length;          /* m */
  double centre[3];       /* m, of its edges */
  double low[3], high[3]; /* m, of its corners */
  /* Of a loop: unit vector across the opening (its sign means nothing) and what the opening measures seen along it.
   * Zeros where it has no width: cracks along which triangles touch without sharing corners. */
  double normal[3], area; /* 1, m2 */
  bool flat;              /* all corners lie in one plane to a hundredth of the opening's width */
  double radius;          /* m, of a flat loop whose corners lie on a circle to a hundredth; otherwise NaN */
} ScreeRim;

/* The rims of a mesh: those with a width first, then cracks and chains, the longest of each first. */
typedef struct ScreeRims {
  const ScreeRim *rim;
  size_t count;
  size_t cracks, chains; /* loops without a width, and rims that are no loops, among them */
  size_t edges;          /* of the mesh in all */
  size_t open, crossed,
      flipped;   /* of one triangle; of more than two; of two whose corners run round the opposite way */
  size_t pieces; /* parts of the mesh that share no edge */
} ScreeRims;

/* Corners at the same place are one; a triangle counts once, one whose corners are two places does not count. The order
 * of triangles and corners leaves no trace. Time n log n, some 200 bytes per triangle. */
SCREE_API ScreeStatus scree_mesh_rims(const ScreeMesh *mesh, ScreeRims **rims);
SCREE_API void scree_rims_destroy(ScreeRims *rims);

/* Does the straight way from one point to another meet the mesh, its edges included? */
SCREE_API bool scree_mesh_crosses(const ScreeMesh *mesh, const double from[3], const double to[3]);

#ifdef __cplusplus
}
#endif
#endif
