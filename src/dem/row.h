/* row.h: eight doubles of one grain side by side, in as many registers as that takes. Lanes are named by bits; which
 * ones is known to the compiler. */
#ifndef SCREE_ROW_H
#define SCREE_ROW_H

#include "lanes.h"

enum { PARTS = 8 / WIDTH };

typedef struct Row {
  Real part[PARTS];
} Row;

#define EACH UNROLLED(int k = 0; k < PARTS; k++)
#define PART_OF(lanes) ((lanes) >> (k * WIDTH) & ((1U << WIDTH) - 1))

INLINE Row row_of(const double *p) {
  Row a;
  EACH a.part[k] = get(p + k * WIDTH);
  return a;
}
INLINE void put_row(double *p, Row a) { EACH put(p + k * WIDTH, a.part[k]); }

INLINE Row plus(Row a, Row b) {
  EACH a.part[k] += b.part[k];
  return a;
}
INLINE Row minus(Row a, Row b) {
  EACH a.part[k] -= b.part[k];
  return a;
}
INLINE Row times(Row a, Row b) {
  EACH a.part[k] *= b.part[k];
  return a;
}
INLINE Row over(Row a, Row b) {
  EACH a.part[k] /= b.part[k];
  return a;
}
INLINE Row all_of(double x) {
  Row a;
  EACH a.part[k] = splat(x);
  return a;
}
INLINE Row scaled(double s, Row a) {
  EACH a.part[k] *= s;
  return a;
}

/* In the lanes a, else b. */
INLINE Row pick(unsigned lanes, Row a, Row b) {
  EACH a.part[k] = choose(mask_of(PART_OF(lanes)), a.part[k], b.part[k]);
  return a;
}
INLINE Row keep(unsigned lanes, Row a) {
  EACH a.part[k] = only(mask_of(PART_OF(lanes)), a.part[k]);
  return a;
}

INLINE Row lesser(Row a, Row b) {
#if defined(__AVX512DQ__)
  EACH a.part[k] = (Real)_mm512_min_pd((__m512d)a.part[k], (__m512d)b.part[k]);
#else
  EACH a.part[k] = choose(below(a.part[k], b.part[k]), a.part[k], b.part[k]);
#endif
  return a;
}
INLINE Row greater(Row a, Row b) {
#if defined(__AVX512DQ__)
  EACH a.part[k] = (Real)_mm512_max_pd((__m512d)a.part[k], (__m512d)b.part[k]);
#else
  EACH a.part[k] = choose(below(b.part[k], a.part[k]), a.part[k], b.part[k]);
#endif
  return a;
}

/* The lanes in which a < b. */
INLINE unsigned lanes_below(Row a, Row b) {
  unsigned lanes = 0;
  EACH lanes |= bits_of(below(a.part[k], b.part[k])) << (k * WIDTH);
  return lanes;
}

/* The first four numbers as the last four, and the other way round. */
INLINE Row to_velocity(Row a) {
#if defined(__AVX512DQ__)
  a.part[0] = PICK(a.part[0], a.part[0], 0, 1, 2, 3, 0, 1, 2, 3);
#else
  for (int k = PARTS / 2; k < PARTS; k++) a.part[k] = a.part[k - PARTS / 2];
#endif
  return a;
}
INLINE Row from_velocity(Row a) {
#if defined(__AVX512DQ__)
  a.part[0] = PICK(a.part[0], a.part[0], 4, 5, 6, 7, 4, 5, 6, 7);
#else
  for (int k = 0; k < PARTS / 2; k++) a.part[k] = a.part[k + PARTS / 2];
#endif
  return a;
}

/* Integers to the nearest doubles, as a cast does. */
INLINE Real reals_of(Int x) {
#if defined(SCREE_WITHOUT_ORDER)
  return (Real)x;
#elif defined(__AVX512DQ__)
  return __builtin_convertvector(x, Real);
#else
  /* Halves of 32 bits, put where 2^84 + 2^32 high and 2^52 + low have their last places: the first difference is exact,
   * so the sum is the only rounding. The sign's bit, turned over, adds 2^63. */
  Whole bits = (Whole)x ^ 0x8000000000000000u, high = bits >> 32 | 0x4530000000000000u,
        low = (bits & 0xffffffffu) | 0x4330000000000000u;
  return ((Real)high - splat(0x1p84 + 0x1p63 + 0x1p52)) + (Real)low;
#endif
}

/* Six of them and two zeros; what lies behind may be another thread's. */
INLINE Row six_reals_of(const int64_t *p) {
  Row a;
#if defined(__AVX512DQ__)
  a.part[0] = reals_of((Int)_mm512_maskz_loadu_epi64(0x3f, p));
#elif defined(__AVX2__)
  Int2 end = *(const LooseInt2 *)(p + 4);
  a.part[0] = reals_of(*(const LooseInt4 *)p);
  a.part[1] = reals_of((Int){end[0], end[1], 0, 0});
#else
  UNROLLED(int k = 0; k < 3; k++) a.part[k] = reals_of(*(const LooseInt2 *)(p + 2 * k));
  a.part[3] = splat(0.0);
#endif
  return a;
}

#endif
