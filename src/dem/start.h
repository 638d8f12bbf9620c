/* start.h: what a start and a restore share. Private to the engine. */
#ifndef SCREE_START_H
#define SCREE_START_H

#include "engine.h"

/* Room for n grains and the sentinel: just so many at first, then by halves. */
ScreeStatus scree_world_grow(ScreeWorld *w, size_t n);
/* A grain's numbers, whatever world it comes to. */
ScreeStatus scree_world_check_grain(const ScreeWorld *w, const ScreeGrain *grain);
/* Where there is room; the sentinel is set afterwards. */
void scree_world_append(ScreeWorld *w, const ScreeGrain *grain);
void scree_world_set_sentinel(ScreeWorld *w);
/* A place outside along a periodic axis is brought in. */
void scree_world_bring_in(const ScreeWorld *w, double *position);
/* Laws, units, time step, the first list. chosen: the numbers of an earlier start, kept; NULL: chosen now. */
ScreeStatus scree_world_prepare(ScreeWorld *w, const ScreeWorld *chosen);
void scree_world_undo_start(ScreeWorld *w);

/* The grains in the order of their ids; to be freed. */
typedef struct ScreePlace {
  uint64_t id;
  size_t index;
} ScreePlace;
ScreePlace *scree_places(const ScreeWorld *w);

#endif
