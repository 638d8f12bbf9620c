/* packed.h: what grains cost once they lie close. A run often starts with grains that fly, and these cost a tenth. */
#ifndef SCREE_CLI_PACKED_H
#define SCREE_CLI_PACKED_H

#include "cli.h"

#include "io/scene.h"

typedef struct Packed {
  double seconds; /* a grain's step */
  double bytes;   /* a grain */
} Packed;

/* Measured on a small block of touching grains with the scene's law, time step and threads; `low` and `high` are the
 * radii of the scene, `grains` how many there will be. False where the engine refuses the block. */
bool packed_measure(const ScreeScene *scene, const ScreeWorld *world, int material, double low, double high,
                    double grains, Packed *packed);

#endif
