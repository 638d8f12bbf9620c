/* integers.c: how the kernels make integers of numbers, compiled once per instruction set like the kernels. */
#include "integers.h"

#include "dem/lanes.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

void JOIN(test_integers_, SCREE_ISA)(const double *x, size_t count, unsigned touch, int64_t *large, int64_t *small) {
  for (size_t s = 0; s < count; s += WIDTH) {
    _Alignas(64) double lanes[WIDTH];
    for (int l = 0; l < WIDTH; l++) lanes[l] = x[s + (size_t)l];
    Int a = nearest(mask_of(touch & ((1U << WIDTH) - 1)), get(lanes)),
        b = nearest_small(mask_of(touch & ((1U << WIDTH) - 1)), get(lanes));
    for (int l = 0; l < WIDTH; l++) large[s + (size_t)l] = a[l], small[s + (size_t)l] = b[l];
  }
}
