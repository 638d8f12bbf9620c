/* near.c: the test of distances when the list is made, sixteen candidates at a time; compiled once per instruction set.
 * In single precision, with reaches a little larger than asked for: a list may hold more pairs, never fewer. Every
 * operation is elementwise and correctly rounded, so all instruction sets list the same. */
#include "grid.h"
#include "lanes.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define INLINE static inline __attribute__((always_inline))

typedef float Float16 __attribute__((vector_size(64)));
typedef int32_t Int16 __attribute__((vector_size(64)));
typedef uint32_t Bits16 __attribute__((vector_size(64)));

INLINE Float16 away(const uint32_t *x, uint32_t centre, float size) {
  Bits16 at;
  memcpy(&at, x, sizeof at);
  return __builtin_convertvector((Int16)(at - centre), Float16) * size;
}

INLINE unsigned below16(Float16 a, Float16 b) {
#if defined(__AVX512DQ__)
  return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
#elif defined(__SSE2__)
  Int16 mask = a < b;
  __m128 part[4];
  memcpy(part, &mask, sizeof part);
  return (unsigned)(_mm_movemask_ps(part[0]) | _mm_movemask_ps(part[1]) << 4 | _mm_movemask_ps(part[2]) << 8 |
                    _mm_movemask_ps(part[3]) << 12);
#else
  Int16 mask = a < b;
  unsigned bits = 0;
  for (int l = 0; l < 16; l++) bits |= (unsigned)(mask[l] & 1) << l;
  return bits;
#endif
}

/* The chosen of sixteen, one behind the other. */
INLINE size_t keep(const int32_t *member, unsigned chosen, int32_t *out) {
#if defined(__AVX512DQ__)
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi32((__mmask16)chosen, _mm512_loadu_si512(member)));
  return (size_t)__builtin_popcount(chosen);
#else
  size_t n = 0;
  for (; chosen != 0; chosen &= chosen - 1) out[n++] = member[__builtin_ctz(chosen)];
  return n;
#endif
}

static size_t near(const Grids *g, const Grid *grid, const Row *row, int rows, Centre c, int32_t *out) {
  size_t n = 0;
  for (int k = 0; k < rows; k++)
    for (int32_t m = row[k].from; m < row[k].to; m += NEAR_LANES) {
      Float16 x = away(grid->x[0] + m, c.x[0], g->size[0]), y = away(grid->x[1] + m, c.x[1], g->size[1]),
              z = away(grid->x[2] + m, c.x[2], g->size[2]), reach;
      memcpy(&reach, grid->r + m, sizeof reach);
      reach += c.reach;
      unsigned those = below16(x * x + y * y + z * z, reach * reach);
      int32_t left = row[k].to - m;
      if (left < NEAR_LANES) those &= (1u << left) - 1;
      n += keep(grid->member + m, those, out + n);
    }
  return n;
}

extern NearKernel *const JOIN(scree_dem_near_, SCREE_ISA);
NearKernel *const JOIN(scree_dem_near_, SCREE_ISA) = near;
