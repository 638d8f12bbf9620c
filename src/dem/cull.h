/* cull.h: which walls, and which triangles of meshes, are near a few grains that lie together: what is far from all of
 * them is not looked at for each. No gap changes faster than the centre moves, so a wall that is farther from the
 * middle of the grains than they are, and than any of them reaches, is beside none. Private to the engine. */
#ifndef SCREE_CULL_H
#define SCREE_CULL_H

#include "engine.h"
#include "mesh.h"

/* Grains that follow each other in memory, within a sphere. */
typedef struct Cluster {
  size_t from, to;
  double middle[3], radius; /* m, of the sphere that their centres fill */
  double largest;           /* m, radius of a grain */
  int pace;                 /* of the fastest */
} Cluster;

/* An image of a mesh that some grain of the cluster may be near to. */
typedef struct Patch {
  int wall, image;
  double middle[3];   /* of the cluster, in the mesh's own coordinates */
  size_t near, count; /* its triangles within reach, in any order; none: too many, the mesh's tree is quicker */
} Patch;

/* What is near a cluster. */
typedef struct Cull {
  Cluster of;
  int *wall; /* those that some grain may be listed with, without meshes */
  Patch *patch;
  int walls, patches, patch_capacity;
  NearList near;
} Cull;

/* Some grains from this one on. */
Cluster scree_cluster(const ScreeWorld *w, size_t from, size_t end);
/* m, lower bound of the distances of the cluster's centres from a wall that is no mesh. */
double scree_cluster_gap(const ScreeWorld *w, int wall, const Cluster *cluster);
/* A cluster from this grain on, and what is near it; false: no memory. */
bool scree_cull(const ScreeWorld *w, Cull *cull, size_t from, size_t end);
void scree_cull_free(Cull *cull);
size_t scree_cull_bytes(const ScreeWorld *w, const Cull *cull);

#endif
