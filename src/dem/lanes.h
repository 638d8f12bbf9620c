/* lanes.h: as many doubles at a time as a register holds: WIDTH pairs of a group of eight. Every operation is
 * elementwise and correctly rounded, so all instruction sets give the same bits. (Vectors wider than the registers
 * would spare the distinction, but the compiler takes them apart into single numbers.) */
#ifndef SCREE_LANES_H
#define SCREE_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512DQ__)
enum { WIDTH = 8 };
#elif defined(__AVX2__)
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif

typedef double Real __attribute__((vector_size(8 * WIDTH)));
typedef int64_t Int __attribute__((vector_size(8 * WIDTH)));
typedef uint64_t Whole __attribute__((vector_size(8 * WIDTH)));
typedef float Float __attribute__((vector_size(4 * WIDTH)));
typedef double Real2 __attribute__((vector_size(16)));
typedef double Real4 __attribute__((vector_size(32)));
typedef int64_t Int2 __attribute__((vector_size(16)));
typedef int64_t Int4 __attribute__((vector_size(32)));
typedef uint64_t Whole2 __attribute__((vector_size(16)));
typedef uint64_t Whole4 __attribute__((vector_size(32)));

/* Where sums lie: addition takes them from there in one instruction. */
typedef double NearReal2 __attribute__((vector_size(16), may_alias));
typedef uint64_t NearWhole2 __attribute__((vector_size(16), may_alias));
/* Anywhere in memory. */
typedef double LooseReal2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double LooseReal4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t LooseInt2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t LooseInt4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint64_t LooseWhole2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef uint64_t LooseWhole4 __attribute__((vector_size(32), aligned(8), may_alias));

/* Loops over lanes and parts disappear: what they index stays in registers. */
#define UNROLLED _Pragma("GCC unroll 8") for

INLINE Real splat(double x) { return x - (Real){0}; }

/* Loads and stores of neighbours; arrays are aligned to 64 bytes. By a type, not by memcpy: a store of doubles changes
 * no pointer, which would be read again after it. */
INLINE Real get(const double *p) { return *(const Real *)__builtin_assume_aligned(p, 8 * WIDTH); }
/* Floats, as doubles. */
INLINE Real get_floats(const float *p) {
#if defined(__AVX512DQ__)
  return (Real)_mm512_cvtps_pd(_mm256_loadu_ps(p));
#else
  Float x;
  memcpy(&x, p, sizeof x);
  return __builtin_convertvector(x, Real);
#endif
}
INLINE void put_floats(float *p, Real x) {
  Float f = __builtin_convertvector(x, Float);
  memcpy(p, &f, sizeof f);
}
INLINE void put(double *p, Real x) { *(Real *)__builtin_assume_aligned(p, 8 * WIDTH) = x; }

/* ---- masks: a bit per lane where the machine has registers for them, else a lane of ones ---- */

#if defined(__AVX512DQ__)
typedef __mmask8 Mask;
INLINE Mask below(Real a, Real b) { return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ); }
INLINE Mask equal(Real a, Real b) { return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_EQ_OQ); }
INLINE unsigned bits_of(Mask mask) { return mask; }
INLINE Mask mask_of(unsigned bits) { return (Mask)bits; }
INLINE Mask both(Mask a, Mask b) { return a & b; }
INLINE Mask except(Mask a, Mask b) { return (Mask)(a & ~b); } /* a and not b */
/* Where the mask is set a, else b. */
INLINE Real choose(Mask mask, Real a, Real b) { return (Real)_mm512_mask_blend_pd(mask, (__m512d)b, (__m512d)a); }
/* Where the mask is set a, else 0. */
INLINE Real only(Mask mask, Real a) { return (Real)_mm512_maskz_mov_pd(mask, (__m512d)a); }
#else
typedef Int Mask;
INLINE Mask below(Real a, Real b) { return a < b; }
INLINE Mask equal(Real a, Real b) { return a == b; }
/* By a table: as instructions it would be four of them. */
INLINE Mask mask_of(unsigned bits) {
#if defined(__AVX2__)
#define ROW_OF(n)                                                                                                      \
  { -((n)&1), -((n) >> 1 & 1), -((n) >> 2 & 1), -((n) >> 3) }
  static const Int masks[16] = {ROW_OF(0),  ROW_OF(1),  ROW_OF(2),  ROW_OF(3), ROW_OF(4),  ROW_OF(5),
                                ROW_OF(6),  ROW_OF(7),  ROW_OF(8),  ROW_OF(9), ROW_OF(10), ROW_OF(11),
                                ROW_OF(12), ROW_OF(13), ROW_OF(14), ROW_OF(15)};
#undef ROW_OF
#else
  static const Int masks[4] = {{0, 0}, {-1, 0}, {0, -1}, {-1, -1}};
#endif
  return masks[bits & ((1U << WIDTH) - 1)];
}
INLINE Mask both(Mask a, Mask b) { return a & b; }
INLINE Mask except(Mask a, Mask b) { return ~b & a; }
INLINE Real only(Mask mask, Real a) { return (Real)(mask & (Int)a); }
INLINE Real choose(Mask mask, Real a, Real b) {
#if defined(__AVX2__)
  return (Real)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
  return (Real)((mask & (Int)a) | (~mask & (Int)b));
#endif
}
INLINE unsigned bits_of(Mask mask) {
#if defined(__AVX2__)
  return (unsigned)_mm256_movemask_pd((__m256d)mask);
#elif defined(__SSE2__)
  return (unsigned)_mm_movemask_pd((__m128d)mask);
#else
  return (unsigned)(mask[0] & 1) | (unsigned)(mask[1] & 2);
#endif
}
#endif

/* ---- arithmetic ---- */

INLINE Real root(Real x) {
#if defined(__AVX512DQ__)
  return (Real)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX2__)
  return (Real)_mm256_sqrt_pd((__m256d)x);
#elif defined(__SSE2__)
  return (Real)_mm_sqrt_pd((__m128d)x);
#else
  return (Real){sqrt(x[0]), sqrt(x[1])};
#endif
}

/* a where it is smaller, else b, which is what the instructions do as well. */
INLINE Real smaller_of(Real a, Real b) {
#if defined(__AVX512DQ__)
  return (Real)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
  return (Real)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
  return (Real)_mm_min_pd((__m128d)a, (__m128d)b);
#else
  return choose(below(a, b), a, b);
#endif
}
INLINE Real larger_of(Real a, Real b) {
#if defined(__AVX512DQ__)
  return (Real)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
  return (Real)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
  return (Real)_mm_max_pd((__m128d)a, (__m128d)b);
#else
  return choose(below(b, a), a, b);
#endif
}

/* The nearest whole number. */
INLINE Real whole_of(Real x) {
#if defined(__AVX512DQ__)
  return (Real)_mm512_roundscale_pd((__m512d)x, 0);
#elif defined(__AVX2__)
  return (Real)_mm256_round_pd((__m256d)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  const Real magic = splat(0x1.8p52);
  return (x + magic) - magic;
#endif
}

/* Integers, whose sums do not depend on an order. Without that promise, to measure its price (bench/price.py), doubles
 * take their place, and results depend on threads and on the order of the list. */
#if defined(SCREE_WITHOUT_ORDER)
INLINE Int nearest(Mask mask, Real x) { return (Int)only(mask, x); }
INLINE Int nearest_small(Mask mask, Real x) { return (Int)only(mask, x); }
INLINE Int sum_of(Int a, Int b) { return (Int)((Real)a + (Real)b); }
INLINE Int difference_of(Int a, Int b) { return (Int)((Real)a - (Real)b); }
#else

/* Where the mask is set the nearest integer, ties to even, as llrint; |x| < 2^54. Else 0. */
INLINE Int nearest(Mask mask, Real x) {
#if defined(__AVX512DQ__)
  return (Int)_mm512_maskz_cvtpd_epi64(mask, (__m512d)x);
#else
  /* In two parts of less than 51 bits each, by the sum with 1.5 * 2^52, whose last bit is worth one. */
  const Real magic = splat(0x1.8p52);
  x = only(mask, x);
  Real high = x * 0x1p-26 + magic, low = x - (high - magic) * 0x1p26 + magic;
  return (Int)(((Whole)high << 26) + (Whole)low - (((Whole)magic << 26) + (Whole)magic));
#endif
}

/* The same for |x| < 2^51, which needs one part. */
INLINE Int nearest_small(Mask mask, Real x) {
#if defined(__AVX512DQ__)
  return nearest(mask, x);
#else
  const Real magic = splat(0x1.8p52);
  return (Int)((Whole)(only(mask, x) + magic) - (Whole)magic);
#endif
}

/* Sums that may run over where a number is lost, which is found before they are used. */
INLINE Int sum_of(Int a, Int b) { return (Int)((Whole)a + (Whole)b); }
INLINE Int difference_of(Int a, Int b) { return (Int)((Whole)a - (Whole)b); }
#endif

INLINE int64_t total(Int x) {
  uint64_t sum = 0;
  UNROLLED(int l = 0; l < WIDTH; l++) sum += (uint64_t)x[l];
  return (int64_t)sum;
}

/* The least of them. */
INLINE double least_of(Real x) {
#if defined(__AVX512DQ__)
  return _mm512_reduce_min_pd((__m512d)x);
#else
  double least = x[0];
  UNROLLED(int l = 1; l < WIDTH; l++) least = x[l] < least ? x[l] : least;
  return least;
#endif
}

/* ---- rows and columns: WIDTH rows in memory, a register for each column ---- */

#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#if defined(__AVX512DQ__)
#define EVENS(a, b) PICK(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define ODDS(a, b) PICK(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define FIRSTS(a, b) PICK(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define SECONDS(a, b) PICK(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define EVEN_PAIRS(a, b) PICK(a, b, 0, 1, 4, 5, 8, 9, 12, 13)
#define ODD_PAIRS(a, b) PICK(a, b, 2, 3, 6, 7, 10, 11, 14, 15)
#elif defined(__AVX2__)
#define EVENS(a, b) PICK(a, b, 0, 4, 2, 6)
#define ODDS(a, b) PICK(a, b, 1, 5, 3, 7)
#define FIRSTS(a, b) PICK(a, b, 0, 1, 4, 5)
#define SECONDS(a, b) PICK(a, b, 2, 3, 6, 7)
#define EVEN_PAIRS FIRSTS
#define ODD_PAIRS SECONDS
#else
#define EVENS(a, b) PICK(a, b, 0, 2)
#define ODDS(a, b) PICK(a, b, 1, 3)
#endif

#if defined(__AVX2__)
/* Halves, side by side; the second may come from memory at no further cost. */
INLINE Real4 join2(Real2 a, Real2 b) {
  return (Real4)_mm256_insertf128_pd(_mm256_castpd128_pd256((__m128d)a), (__m128d)b, 1);
}
#endif
#if defined(__AVX512DQ__)
INLINE Real join(Real4 a, Real4 b) {
  return (Real)_mm512_insertf64x4(_mm512_castpd256_pd512((__m256d)a), (__m256d)b, 1);
}
#endif

/* Two neighbouring columns. */
INLINE void columns2(const double *const *row, int from, Real *c) {
  Real2 end[WIDTH];
  UNROLLED(int l = 0; l < WIDTH; l++) end[l] = *(const LooseReal2 *)(row[l] + from);
#if defined(__AVX512DQ__)
  Real pair[2];
  UNROLLED(int l = 0; l < 2; l++) { pair[l] = join(join2(end[l], end[l + 2]), join2(end[l + 4], end[l + 6])); }
#elif defined(__AVX2__)
  Real pair[2] = {join2(end[0], end[2]), join2(end[1], end[3])};
#else
  Real *pair = end;
#endif
  c[0] = EVENS(pair[0], pair[1]), c[1] = ODDS(pair[0], pair[1]);
}

/* Four: as they lie in memory, and then as columns. In between they can be subtracted from others. */
INLINE void rows4(const double *const *row, int from, Real *t) {
#if defined(__AVX2__)
  Real4 half[WIDTH];
  UNROLLED(int l = 0; l < WIDTH; l++) half[l] = *(const LooseReal4 *)(row[l] + from);
#if defined(__AVX512DQ__)
  UNROLLED(int l = 0; l < 2; l++) t[l] = join(half[l], half[l + 2]), t[l + 2] = join(half[l + 4], half[l + 6]);
#else
  UNROLLED(int l = 0; l < 4; l++) t[l] = half[l];
#endif
#else
  UNROLLED(int l = 0; l < 2; l++) {
    t[l] = *(const NearReal2 *)(row[l] + from), t[l + 2] = *(const NearReal2 *)(row[l] + from + 2);
  }
#endif
}

INLINE void columns_of(const Real *t, Real *c) {
#if defined(__AVX2__)
  Real a = EVENS(t[0], t[1]), b = EVENS(t[2], t[3]), e = ODDS(t[0], t[1]), f = ODDS(t[2], t[3]);
  c[0] = EVEN_PAIRS(a, b), c[2] = ODD_PAIRS(a, b), c[1] = EVEN_PAIRS(e, f), c[3] = ODD_PAIRS(e, f);
#else
  c[0] = EVENS(t[0], t[1]), c[1] = ODDS(t[0], t[1]), c[2] = EVENS(t[2], t[3]), c[3] = ODDS(t[2], t[3]);
#endif
}

INLINE void columns4(const double *const *row, int from, Real *c) {
  Real t[4];
  rows4(row, from, t);
  columns_of(t, c);
}

/* And back: six columns of integers, added to the rows, which lie as four and two. */
#if defined(SCREE_WITHOUT_ORDER)
INLINE void add2(int64_t *to, Int2 x) { *(NearReal2 *)__builtin_assume_aligned(to, 16) += (Real2)x; }
#else
INLINE void add2(int64_t *to, Int2 x) { *(NearWhole2 *)__builtin_assume_aligned(to, 16) += (Whole2)x; }
#endif

#if defined(__AVX2__)
#if defined(SCREE_WITHOUT_ORDER)
INLINE void add4(int64_t *to, Int4 x) { *(LooseReal4 *)to += (Real4)x; }
#else
INLINE void add4(int64_t *to, Int4 x) { *(LooseWhole4 *)to += (Whole4)x; }
#endif

typedef struct Rows {
  Int4 low[WIDTH];
  Int2 end[WIDTH];
} Rows;

INLINE Rows rows_of(const Int *c) {
  Rows r;
  Int a = EVENS(c[0], c[1]), b = EVENS(c[2], c[3]), e = ODDS(c[0], c[1]), f = ODDS(c[2], c[3]);
  Int t[4] = {FIRSTS(a, b), FIRSTS(e, f), SECONDS(a, b), SECONDS(e, f)},
      pair[2] = {EVENS(c[4], c[5]), ODDS(c[4], c[5])};
#if defined(__AVX512DQ__)
  UNROLLED(int l = 0; l < 4; l++) r.low[l] = PICK(t[l], t[l], 0, 1, 2, 3), r.low[l + 4] = PICK(t[l], t[l], 4, 5, 6, 7);
  UNROLLED(int l = 0; l < 2; l++) {
    r.end[l] = PICK(pair[l], pair[l], 0, 1), r.end[l + 2] = PICK(pair[l], pair[l], 2, 3);
    r.end[l + 4] = PICK(pair[l], pair[l], 4, 5), r.end[l + 6] = PICK(pair[l], pair[l], 6, 7);
  }
#else
  UNROLLED(int l = 0; l < 4; l++) r.low[l] = t[l];
  UNROLLED(int l = 0; l < 2; l++) r.end[l] = PICK(pair[l], pair[l], 0, 1), r.end[l + 2] = PICK(pair[l], pair[l], 2, 3);
#endif
  return r;
}

INLINE void add_row(int64_t *four, int64_t *two, const Rows *r, int l) {
  add4(four, r->low[l]);
  add2(two, r->end[l]);
}
/* Or written. */
INLINE void write_row(int64_t *four, int64_t *two, const Rows *r, int l) {
  *(LooseInt4 *)four = r->low[l];
  *(LooseInt2 *)two = r->end[l];
}
#else
typedef struct Rows {
  Int2 part[WIDTH][3];
} Rows;

INLINE Rows rows_of(const Int *c) {
  Rows r;
  UNROLLED(int k = 0; k < 3; k++) {
    r.part[0][k] = EVENS(c[2 * k], c[2 * k + 1]);
    r.part[1][k] = ODDS(c[2 * k], c[2 * k + 1]);
  }
  return r;
}

INLINE void add_row(int64_t *four, int64_t *two, const Rows *r, int l) {
  UNROLLED(int k = 0; k < 3; k++) add2(k < 2 ? four + 2 * k : two, r->part[l][k]);
}
INLINE void write_row(int64_t *four, int64_t *two, const Rows *r, int l) {
  *(LooseInt2 *)four = r->part[l][0];
  *(LooseInt2 *)(four + 2) = r->part[l][1];
  *(LooseInt2 *)two = r->part[l][2];
}
#endif

/* Writes where the lanes of a group of eight are whose bits are set, and perhaps rubbish after them, up to eight
 * numbers in all. Returns how many they are. */
INLINE int list_lanes(size_t *to, size_t first, unsigned bits) {
#if defined(__AVX512DQ__)
  __m512i all = _mm512_add_epi64(_mm512_set1_epi64((long long)first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi64((__mmask8)bits, all));
#else
  for (unsigned left = bits; left != 0; left &= left - 1) *to++ = first + (size_t)__builtin_ctz(left);
#endif
  return __builtin_popcount(bits);
}

/* Whether all of WIDTH numbers, from a first one on, are fewer than so many. */
INLINE bool all_below(const int32_t *x, uint32_t from, uint32_t bound) {
#if defined(__AVX512DQ__)
  __m256i all = _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)x), _mm256_set1_epi32((int)from));
  return _mm256_cmplt_epu32_mask(all, _mm256_set1_epi32((int)bound)) == 0xff;
#elif defined(__SSE4_1__)
  __m128i all = WIDTH == 4 ? _mm_loadu_si128((const __m128i *)x) : _mm_loadu_si64(x);
  all = _mm_sub_epi32(all, _mm_set1_epi32((int)from));
  all = _mm_cmpeq_epi32(_mm_max_epu32(all, _mm_set1_epi32((int)bound)), all); /* those beyond */
  return (_mm_movemask_ps(_mm_castsi128_ps(all)) & ((1 << WIDTH) - 1)) == 0;
#else
  bool fine = true;
  UNROLLED(int l = 0; l < WIDTH; l++) fine = fine & ((uint32_t)x[l] - from < bound);
  return fine;
#endif
}

#endif
