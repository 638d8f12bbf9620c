/* random.h: random numbers that depend on nothing but where they are used: Philox 4x32-10 (Salmon et al. 2011), a
 * function of a seed and a counter. The same numbers come for any order of the draws. */
#ifndef SCREE_RANDOM_H
#define SCREE_RANDOM_H

#include <stdint.h>

/* What a number is for: draws for one purpose leave those for another alone. */
typedef enum ScreeDraw { SCREE_DRAW_RADIUS, SCREE_DRAW_PLACE, SCREE_DRAW_VELOCITY } ScreeDraw;

typedef struct ScreeRandom {
  uint64_t seed;
  uint32_t group; /* of grains: two groups of one seed differ */
} ScreeRandom;

/* Four even numbers in the open interval 0 ... 1, for one index and one attempt. */
void scree_random(const ScreeRandom *random, ScreeDraw draw, uint64_t index, uint32_t attempt, double out[4]);
/* Four normal numbers of mean 0 and variance 1. */
void scree_random_normal(const ScreeRandom *random, ScreeDraw draw, uint64_t index, uint32_t attempt, double out[4]);

#endif
