/* random.h: random numbers that depend on nothing but where they are used: Philox 4x32-10 (Salmon et al. 2011), a
 * function of a seed and a counter. The same numbers come for any order of the draws. */
#ifndef SCREE_RANDOM_H
#define SCREE_RANDOM_H

#include <stdint.h>

typedef enum ScreeStream { SCREE_STREAM_RADIUS, SCREE_STREAM_PLACE, SCREE_STREAM_VELOCITY } ScreeStream;

typedef struct ScreeRandom {
  uint64_t seed;
  uint32_t group; /* of grains: two groups of one seed differ */
} ScreeRandom;

/* Four even numbers in the open interval 0 ... 1, for one index and one attempt. */
void scree_random(const ScreeRandom *random, ScreeStream stream, uint64_t index, uint32_t attempt, double out[4]);
/* Four normal numbers of mean 0 and variance 1. */
void scree_random_normal(const ScreeRandom *random, ScreeStream stream, uint64_t index, uint32_t attempt,
                         double out[4]);

#endif
