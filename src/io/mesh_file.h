/* mesh_file.h: surfaces of triangles from files: STL (binary and ASCII), OBJ, PLY. */
#ifndef SCREE_MESH_FILE_H
#define SCREE_MESH_FILE_H

#include "scree/world.h"

/* A surface whose corners are shared: nearby ones of the file are one. */
typedef struct ScreeTriangles {
  double (*vertex)[3]; /* m */
  uint32_t (*triangle)[3];
  size_t vertices, triangles;
  size_t welded;        /* corners of the file that became one with another */
  size_t flat, twice;   /* triangles of the file without area, or there before: left out */
  size_t open, crossed; /* sides of one triangle alone, and of more than two */
  double area;          /* m2 */
  double low[3], high[3];
  uint64_t content; /* checksum of the file's bytes */
} ScreeTriangles;

/* How a file's numbers become places: scaled, turned about an axis through the origin, then shifted. */
typedef struct ScreePlacement {
  double scale;          /* m, the file's unit of length */
  double axis[3], angle; /* of any length; rad */
  double shift[3];       /* m */
} ScreePlacement;

/* The format is told by the name's ending (.stl, .obj, .ply) and the content. A file that cannot be used leaves a
 * sentence that names it. */
ScreeStatus scree_triangles_read(const char *path, const ScreePlacement *pose, ScreeTriangles *out);
/* The same of bytes in memory; `name` is for its ending and the sentence. */
ScreeStatus scree_triangles_parse(const char *name, const void *bytes, size_t size, const ScreePlacement *pose,
                                  ScreeTriangles *out);
void scree_triangles_free(ScreeTriangles *triangles);

#endif
