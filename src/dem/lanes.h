/* lanes.h: eight doubles at a time, for every width of register: the compiler splits what the machine cannot hold.
 * Every operation is elementwise and correctly rounded, so all instruction sets give the same bits. */
#ifndef SCREE_LANES_H
#define SCREE_LANES_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512DQ__) || defined(__AVX__) || defined(__SSE2__)
#include <immintrin.h>
#endif

typedef double Real8 __attribute__((vector_size(64)));
typedef int64_t Int8 __attribute__((vector_size(64)));
typedef double Real4 __attribute__((vector_size(32)));
typedef int64_t Int4 __attribute__((vector_size(32)));
typedef int64_t Int2 __attribute__((vector_size(16)));
typedef float Float8 __attribute__((vector_size(32)));

static inline __attribute__((always_inline)) Real8 splat(double x) { return (Real8){x, x, x, x, x, x, x, x}; }

/* Loads and stores of eight neighbours; arrays are aligned to 64 bytes, rows of spins are not. */
static inline __attribute__((always_inline)) Real8 get(const double *p) {
  Real8 x;
  memcpy(&x, __builtin_assume_aligned(p, 64), sizeof x);
  return x;
}
static inline __attribute__((always_inline)) void put(double *p, Real8 x) {
  memcpy(__builtin_assume_aligned(p, 64), &x, sizeof x);
}

/* Where the mask is set a, else b. */
static inline __attribute__((always_inline)) Real8 choose(Int8 mask, Real8 a, Real8 b) {
#if defined(__AVX512DQ__)
  return (Real8)_mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)mask), (__m512d)b, (__m512d)a);
#else
  return (Real8)((mask & (Int8)a) | (~mask & (Int8)b));
#endif
}
/* Where the mask is set a, else 0. */
static inline __attribute__((always_inline)) Real8 only(Int8 mask, Real8 a) { return (Real8)(mask & (Int8)a); }

/* One bit per lane. */
static inline __attribute__((always_inline)) unsigned bits_of(Int8 mask) {
#if defined(__AVX512DQ__)
  return _mm512_movepi64_mask((__m512i)mask);
#else
  unsigned bits = 0;
  for (int l = 0; l < 8; l++) bits |= (unsigned)(mask[l] & 1) << l;
  return bits;
#endif
}

static inline __attribute__((always_inline)) Int8 mask_of(unsigned bits) {
  Int8 lane = {1, 2, 4, 8, 16, 32, 64, 128};
  return (Int8){0} != (lane & (int64_t)bits);
}

static inline __attribute__((always_inline)) Real8 root(Real8 x) {
#if defined(__AVX512DQ__)
  return (Real8)_mm512_sqrt_pd((__m512d)x);
#else
  Real8 y;
  for (int l = 0; l < 8; l++) y[l] = __builtin_sqrt(x[l]);
  return y;
#endif
}

/* Nearest integer, ties to even, as llrint; |x| < 2^54. */
static inline __attribute__((always_inline)) Int8 nearest(Real8 x) {
#if defined(__AVX512DQ__)
  return (Int8)_mm512_cvtpd_epi64((__m512d)x);
#else
  /* In two parts of less than 51 bits each, by the sum with 1.5 * 2^52, whose last bit is worth one. */
  const Real8 magic = splat(0x1.8p52);
  Real8 high = (x * 0x1p-26 + magic) - magic;
  Real8 low = x - high * 0x1p26;
  Int8 h = (Int8)(high + magic) - (Int8)magic, l = (Int8)(low + magic) - (Int8)magic;
  return (h << 26) + l;
#endif
}

/* Rows become columns. */
static inline __attribute__((always_inline)) void transpose(Real8 *r) {
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
  Real8 t[8], s[8];
  for (int k = 0; k < 8; k += 2) {
    t[k] = PICK(r[k], r[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[k + 1] = PICK(r[k], r[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int k = 0; k < 8; k += 4)
    for (int m = 0; m < 2; m++) {
      s[k + m] = PICK(t[k + m], t[k + m + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      s[k + m + 2] = PICK(t[k + m], t[k + m + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int k = 0; k < 4; k++) {
    r[k] = PICK(s[k], s[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r[k + 4] = PICK(s[k], s[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#undef PICK
}

#endif
