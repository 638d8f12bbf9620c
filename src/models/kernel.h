/* kernel.h: what a law's .inl may use.
 *
 * An .inl is compiled twice: by catalogue.c (host: with its parameter table and preparation) and by batch_kernels.c
 * (once per instruction set: arithmetic only). SCREE_HOST(...) marks what the second one leaves out.
 *
 * Kernels use + - * / sqrt and selects for the common exponents, so that loops over them vectorise and give the same
 * bits for every vector width; pow appears only for exponents that are no multiple of a quarter. */
#ifndef SCREE_KERNEL_H
#define SCREE_KERNEL_H

#include <math.h>

#include "scree/models.h"

#define SCREE_KERNEL static inline __attribute__((always_inline))

#ifdef SCREE_CATALOGUE
#define SCREE_HOST(...) __VA_ARGS__
#else
#define SCREE_HOST(...)
#endif

/* d^n for d >= 0, whose root is known; the tests vanish where n is known at compile time. */
SCREE_KERNEL double scree_power_with(double d, double root, double fourth, double n) {
  if (n == 0.0) return 1.0;
  if (n == 0.25) return fourth;
  if (n == 0.5) return root;
  if (n == 1.0) return d;
  if (n == 1.5) return d * root;
  if (n == 2.0) return d * d;
  if (n == 2.5) return d * d * root;
  if (n == 3.0) return d * d * d;
  return pow(d, n);
}
SCREE_KERNEL double scree_power(double d, double n) { return scree_power_with(d, sqrt(d), sqrt(sqrt(d)), n); }

/* The root of the overlap that a force is asked for: of a batch it may be known already. */
#ifdef SCREE_BATCHES
typedef struct BatchLaw { /* as ScreeLaw */
  double n, m, r, k, chi, u[6];
  const ScreeElastic *custom;
  bool rooted;
  double root, fourth;
} BatchLaw;
#define ScreeLaw BatchLaw
SCREE_KERNEL double scree_root_of(const ScreeLaw *l, double d) { return l->rooted ? l->root : sqrt(d); }
SCREE_KERNEL double scree_fourth_of(const ScreeLaw *l, double d) { return l->rooted ? l->fourth : sqrt(sqrt(d)); }
#else
SCREE_KERNEL double scree_root_of(const ScreeLaw *l, double d) {
  (void)l;
  return sqrt(d);
}
SCREE_KERNEL double scree_fourth_of(const ScreeLaw *l, double d) { return sqrt(scree_root_of(l, d)); }
#endif
SCREE_KERNEL double scree_power_of(const ScreeLaw *l, double d, double n) {
  return scree_power_with(d, scree_root_of(l, d), scree_fourth_of(l, d), n);
}

/* sign(v) |v|^n */
SCREE_KERNEL double scree_signed_power(double v, double n) {
  if (n == 1.0) return v;
  return copysign(scree_power(fabs(v), n), v);
}

SCREE_KERNEL double scree_larger(double a, double b) { return a > b ? a : b; }
SCREE_KERNEL double scree_smaller(double a, double b) { return a < b ? a : b; }

/* Latched damping [s/m] of the Hunt-Crossley form: off when the contact begins while separating (MODELS.md 1). */
SCREE_KERNEL double scree_latched(const ScreePair *p, double v0) {
  return v0 > 0.0 ? p->factor / scree_larger(v0, p->min_speed) + p->rate : 0.0;
}

/* The frozen law with the coefficients every form has. */
SCREE_KERNEL ScreeLaw scree_frozen(const ScreePair *p, double chi) {
  return (ScreeLaw){.n = p->n, .m = p->m, .r = p->r, .k = p->k, .chi = chi, .custom = p->custom};
}

/* Laws without memory and branches. */
#define SCREE_MEMORYLESS(id)                                                                                           \
  SCREE_KERNEL double id##_lost(const ScreeLaw *l, const double *memory) {                                             \
    (void)l, (void)memory;                                                                                             \
    return 0.0;                                                                                                        \
  }                                                                                                                    \
  SCREE_KERNEL double id##_rest(const ScreeLaw *l, const double *memory) {                                             \
    (void)l, (void)memory;                                                                                             \
    return 0.0;                                                                                                        \
  }                                                                                                                    \
  SCREE_BRANCHLESS(id)                                                                                                 \
  SCREE_TIMELESS(id)

/* Laws of one branch; a branch function changes sign where the force changes its formula other than at v = 0. */
#define SCREE_BRANCHLESS(id)                                                                                           \
  SCREE_KERNEL double id##_branch(const ScreeLaw *l, double d, double v, const double *memory) {                       \
    (void)l, (void)d, (void)v, (void)memory;                                                                           \
    return NAN;                                                                                                        \
  }

/* Laws whose memory does not flow with time. */
#define SCREE_TIMELESS(id)                                                                                             \
  SCREE_KERNEL double id##_rate(const ScreeLaw *l, double d, double v, const double *memory) {                         \
    (void)l, (void)d, (void)v, (void)memory;                                                                           \
    return 0.0;                                                                                                        \
  }

/* Laws that dissipate through their history only. */
#define SCREE_UNDAMPED(id)                                                                                             \
  SCREE_KERNEL double id##_damping(const ScreeLaw *l, double d, double v, const double *memory) {                      \
    (void)l, (void)d, (void)v, (void)memory;                                                                           \
    return 0.0;                                                                                                        \
  }

#endif
