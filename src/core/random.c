/* random.c: see random.h. */
#include "core/random.h"

#include <Random123/philox.h>
#include <math.h>

void scree_random(const ScreeRandom *random, ScreeDraw draw, uint64_t index, uint32_t attempt, double out[4]) {
  philox4x32_key_t key = {{(uint32_t)random->seed, (uint32_t)(random->seed >> 32)}};
  philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), attempt, random->group << 2 | (uint32_t)draw}};
  philox4x32_ctr_t bits = philox4x32(counter, key);
  for (int i = 0; i < 4; i++) out[i] = ((double)bits.v[i] + 0.5) * 0x1p-32;
}

/* Box & Muller 1958, two pairs. */
void scree_random_normal(const ScreeRandom *random, ScreeDraw draw, uint64_t index, uint32_t attempt, double out[4]) {
  double u[4];
  scree_random(random, draw, index, attempt, u);
  for (int i = 0; i < 4; i += 2) {
    double size = sqrt(-2.0 * log(u[i])), angle = 2.0 * acos(-1.0) * u[i + 1];
    out[i] = size * cos(angle);
    out[i + 1] = size * sin(angle);
  }
}
