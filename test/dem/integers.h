/* integers.h: the kernels' integers of numbers, by instruction set. */
#ifndef TEST_INTEGERS_H
#define TEST_INTEGERS_H

#include <stddef.h>
#include <stdint.h>

#include "core/isa.h"

/* count: a multiple of eight. Lanes whose bit of touch is not set, again and again, become zero. */
#define TEST_INTEGERS_OF(isa, name)                                                                                    \
  void test_integers_##isa(const double *x, size_t count, unsigned touch, int64_t *large, int64_t *small);
SCREE_ISA_LIST(TEST_INTEGERS_OF)
#undef TEST_INTEGERS_OF

#endif
