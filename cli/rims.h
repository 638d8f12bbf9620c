/* rims.h: rims of meshes and openings of outlets, in words and as JSON. */
#ifndef SCREE_CLI_RIMS_H
#define SCREE_CLI_RIMS_H

#include "io/scene.h"

#include <jansson.h>

/* "a circle of 50 mm"; the caller frees. */
char *rim_text(const ScreeRim *rim);
/* "rim 2 of hopper, a circle of 50 mm", "a disc of 50 mm"; NULL: the outlet has none. The caller frees. */
char *opening_text(const ScreeScene *scene, const ScreeSceneOutlet *outlet);

/* A line for each rim; those that are alike share one, and the shortest are counted only. */
void print_rims(const ScreeRims *rims);
/* rims (the first hundred), rim_count, cracks, chains, flipped_edges, pieces */
void rims_json(json_t *object, const ScreeRims *rims);

#endif
