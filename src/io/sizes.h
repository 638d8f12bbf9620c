/* sizes.h: radii of a group of grains. */
#ifndef SCREE_SIZES_H
#define SCREE_SIZES_H

#include "io/random.h"
#include "io/scene.h"

/* No draw is larger [m]. */
double scree_sizes_largest(const ScreeSizes *sizes);
/* The radius of the grain of that index [m]. */
double scree_sizes_draw(const ScreeSizes *sizes, const ScreeRandom *random, uint64_t index);

#endif
