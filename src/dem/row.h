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
INLINE Row times(Row a, Row b) {
  EACH a.part[k] *= b.part[k];
  return a;
}
/* Three times one number, three times the other, and two zeros. */
INLINE Row three_each(Real2 a) {
  Row b;
#if defined(__AVX512DQ__)
  __m512i from = _mm512_setr_epi64(0, 0, 0, 1, 1, 1, 0, 0);
  b.part[0] = (Real)_mm512_maskz_permutexvar_pd(0x3f, from, _mm512_castpd128_pd512((__m128d)a));
#elif defined(__AVX2__)
  b.part[0] = (Real){a[0], a[0], a[0], a[1]};
  b.part[1] = (Real){a[1], a[1], 0.0, 0.0};
#else
  b.part[0] = (Real){a[0], a[0]}, b.part[1] = a, b.part[2] = (Real){a[1], a[1]}, b.part[3] = (Real){0.0, 0.0};
#endif
  return b;
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
  EACH a.part[k] = smaller_of(a.part[k], b.part[k]);
  return a;
}
INLINE Row greater(Row a, Row b) {
  EACH a.part[k] = larger_of(a.part[k], b.part[k]);
  return a;
}

/* ---- halves: the first four numbers of a row or the last four, of which three are a vector ---- */

/* A register twice as wide takes twice as long in the pipes: where a row is one register, halves are smaller ones. */
#if defined(__AVX512DQ__)
enum { HALF_PARTS = 1 };
typedef Real4 HalfReal;
#else
enum { HALF_PARTS = PARTS / 2 };
typedef Real HalfReal;
#endif

typedef struct Half {
  HalfReal part[HALF_PARTS];
} Half;

#define EACH_HALF UNROLLED(int k = 0; k < HALF_PARTS; k++)

INLINE Half half_of(const double *p) {
  Half a;
  memcpy(&a, __builtin_assume_aligned(p, 16), sizeof a);
  return a;
}
INLINE void put_half(double *p, Half a) { memcpy(__builtin_assume_aligned(p, 16), &a, sizeof a); }

/* The first half of a row; a row that begins with a half, of which nothing else counts. */
INLINE Half half_from(Row a) {
  Half b;
#if defined(__AVX512DQ__)
  b.part[0] = (Real4)_mm512_castpd512_pd256((__m512d)a.part[0]);
#else
  EACH_HALF b.part[k] = a.part[k];
#endif
  return b;
}
INLINE Row row_from(Half a) {
#if defined(__AVX512DQ__)
  return (Row){{(Real)_mm512_castpd256_pd512((__m256d)a.part[0])}};
#else
  Row b = {0};
  EACH_HALF b.part[k] = a.part[k];
  return b;
#endif
}

INLINE Half add_halves(Half a, Half b) {
  EACH_HALF a.part[k] += b.part[k];
  return a;
}
INLINE Half subtract_halves(Half a, Half b) {
  EACH_HALF a.part[k] -= b.part[k];
  return a;
}
INLINE Half scale_half(double s, Half a) {
  EACH_HALF a.part[k] *= s;
  return a;
}

/* Three numbers of a, the fourth of b. */
INLINE Half vector_of(Half a, Half b) {
#if defined(__AVX512DQ__)
  a.part[0] = (Real4)_mm256_blend_pd((__m256d)b.part[0], (__m256d)a.part[0], 7);
#else
  EACH_HALF a.part[k] = choose(mask_of(7U >> (k * WIDTH) & ((1U << WIDTH) - 1)), a.part[k], b.part[k]);
#endif
  return a;
}

INLINE Half lesser_half(Half a, Half b) {
#if defined(__AVX512DQ__)
  a.part[0] = (Real4)_mm256_min_pd((__m256d)a.part[0], (__m256d)b.part[0]);
#else
  EACH_HALF a.part[k] = smaller_of(a.part[k], b.part[k]);
#endif
  return a;
}
INLINE Half greater_half(Half a, Half b) {
#if defined(__AVX512DQ__)
  a.part[0] = (Real4)_mm256_max_pd((__m256d)a.part[0], (__m256d)b.part[0]);
#else
  EACH_HALF a.part[k] = larger_of(a.part[k], b.part[k]);
#endif
  return a;
}

/* Whether low <= a < high, for all four numbers. */
INLINE bool is_within(Half a, Half low, Half high) {
#if defined(__AVX512DQ__)
  __m256d x = (__m256d)a.part[0];
  __mmask8 above = _mm256_cmp_pd_mask(x, (__m256d)low.part[0], _CMP_GE_OQ);
  return _mm256_mask_cmp_pd_mask(above, x, (__m256d)high.part[0], _CMP_LT_OQ) == 15;
#else
  unsigned within = 0;
  EACH_HALF within |= bits_of(except(below(a.part[k], high.part[k]), below(a.part[k], low.part[k]))) << (k * WIDTH);
  return within == 15;
#endif
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

/* Four of them, two more, and two zeros. */
INLINE Row six_reals_of(const int64_t *four, const int64_t *two) {
  Row a;
#if defined(__AVX512DQ__)
  __m256i low = _mm256_loadu_si256((const __m256i *)four),
          high = _mm256_zextsi128_si256(_mm_loadu_si128((const __m128i *)two));
  a.part[0] = reals_of((Int)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
#elif defined(__AVX2__)
  Int2 end = *(const LooseInt2 *)two;
  a.part[0] = reals_of(*(const LooseInt4 *)four);
  a.part[1] = reals_of((Int){end[0], end[1], 0, 0});
#else
  UNROLLED(int k = 0; k < 3; k++) a.part[k] = reals_of(*(const LooseInt2 *)(k < 2 ? four + 2 * k : two));
  a.part[3] = splat(0.0);
#endif
  return a;
}

#endif
