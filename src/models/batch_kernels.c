/* batch_kernels.c: every law's force over contiguous arrays. Compiled once per instruction set with SCREE_ISA set to
 * its name; the compiler vectorises the loops. Contraction to fused multiply-add stays off, so all widths give the same
 * bits.
 *
 * The exponents are those of the whole batch. Where they are the law's own the loop is compiled with them as literals,
 * so the powers become multiplications and square roots. */
#define SCREE_BATCHES
#include "forms.h"
#include "laws.inc"

#include "batch.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* The arrays of a batch do not overlap; gcc does not believe restrict on pointers taken from a struct. */
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Loads only what the law reads: the rest is never used and the loads vanish. */
#define LOAD_LAW(i, N, M, R, ROOTED)                                                                                   \
  {                                                                                                                    \
    .n = (N), .m = (M), .r = (R), .k = k[i], .chi = chi[i], .u = {u0[i], u1[i], u2[i], u3[i], u4[i], u5[i]},           \
    .rooted = (ROOTED), .root = root[i], .fourth = fourth[i]                                                           \
  }

#define POINTERS                                                                                                       \
  size_t count = b->count;                                                                                             \
  double n = b->n, m = b->m, r = b->r;                                                                                 \
  const double *restrict d = b->d, *restrict v = b->v, *restrict k = b->k, *restrict chi = b->chi,                     \
                         *restrict root = b->root ? b->root : b->d, *restrict fourth = b->fourth ? b->fourth : b->d;   \
  const double *restrict u0 = b->u[0], *restrict u1 = b->u[1], *restrict u2 = b->u[2], *restrict u3 = b->u[3],         \
                         *restrict u4 = b->u[4], *restrict u5 = b->u[5];                                               \
  double *restrict force = b->force;                                                                                   \
  double *restrict memory0 = b->memory[0];                                                                             \
  (void)k, (void)chi, (void)u0, (void)u1, (void)u2, (void)u3, (void)u4, (void)u5, (void)memory0;

#define LOOP_0(id, N, M, R, ROOTED)                                                                                    \
  INDEPENDENT for (size_t i = 0; i < count; i++) {                                                                     \
    ScreeLaw l = LOAD_LAW(i, N, M, R, ROOTED);                                                                         \
    force[i] = id##_force(&l, d[i], v[i], NULL);                                                                       \
  }
#define LOOP_1(id, N, M, R, ROOTED)                                                                                    \
  INDEPENDENT for (size_t i = 0; i < count; i++) {                                                                     \
    ScreeLaw l = LOAD_LAW(i, N, M, R, ROOTED);                                                                         \
    double memory = memory0[i];                                                                                        \
    force[i] = id##_force(&l, d[i], v[i], &memory);                                                                    \
    memory0[i] = memory;                                                                                               \
  }

/* N, M, R: the law's usual exponents. */
#define KERNEL(id, N, M, R, slots)                                                                                     \
  static void id##_batch(const ScreeBatch *b) {                                                                        \
    POINTERS                                                                                                           \
    bool usual = n == (N) && m == (M) && r == (R);                                                                     \
    if (usual && b->root && b->fourth) {                                                                               \
      LOOP_##slots(id, N, M, R, true)                                                                                  \
    } else if (usual) {                                                                                                \
      LOOP_##slots(id, N, M, R, false)                                                                                 \
    } else {                                                                                                           \
      LOOP_##slots(id, n, m, r, false)                                                                                 \
    }                                                                                                                  \
  }

#define NO_EXPONENT NAN
#define KERNEL_POINT(...) KERNEL(__VA_ARGS__)
#define KERNEL_PLASTIC(...) KERNEL(__VA_ARGS__)
#define KERNEL_LINE(...) KERNEL(__VA_ARGS__)
#define KERNEL_TANGENTIAL(...)
#define SCREE_LAW(id, group, n, m, r, slots, ...) KERNEL_##group(id, n, m, r, slots)
#include "scree/catalogue.def"
#undef SCREE_LAW

#define NAME_POINT(id) id##_batch
#define NAME_PLASTIC(id) id##_batch
#define NAME_LINE(id) id##_batch
#define NAME_TANGENTIAL(id) NULL

extern ScreeBatchKernel *const JOIN(scree_batch_kernels_, SCREE_ISA)[SCREE_LAW_COUNT];
ScreeBatchKernel *const JOIN(scree_batch_kernels_, SCREE_ISA)[SCREE_LAW_COUNT] = {
#define SCREE_LAW(id, group, ...) NAME_##group(id),
#include "scree/catalogue.def"
#undef SCREE_LAW
};
