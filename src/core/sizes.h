/* sizes.h: radii of grains, from a distribution. */
#ifndef SCREE_SIZES_H
#define SCREE_SIZES_H

#include "core/random.h"
#include "scree/world.h"

/* No draw is larger, or smaller [m]. */
double scree_sizes_largest(const ScreeSizes *sizes);
double scree_sizes_smallest(const ScreeSizes *sizes);
/* The radius of the grain of that index [m]. */
double scree_sizes_draw(const ScreeSizes *sizes, const ScreeRandom *random, uint64_t index);
/* Numbers that no distribution can have get a sentence. */
ScreeStatus scree_sizes_check(const ScreeSizes *sizes);

#endif
