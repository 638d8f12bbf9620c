/* special.h: special functions, roots and quadrature in pure C17 + libm. Private to the library. */
#ifndef SCREE_SPECIAL_H
#define SCREE_SPECIAL_H

#include <stdbool.h>

/* Lambert W, principal branch for x >= -1/e and lower branch for -1/e <= x < 0; NaN outside. */
double scree_lambert_w0(double x);
double scree_lambert_wm1(double x);

/* The roots of y - ln y = 1 + excess, excess >= 0: upper (y >= 1) is -W_-1(-exp(-1-excess)), lower (0 < y <= 1) is
 * -W_0(...). Exact to rounding near excess = 0 (y = 1 +- sqrt(2 excess)) and where exp(-1-excess) underflows, which the
 * W functions themselves cannot be. */
double scree_log_root_upper(double excess);
double scree_log_root_lower(double excess);
/* 1 - lower root, without cancellation for small excess; likewise upper root - 1. */
double scree_log_root_lower_gap(double excess);
double scree_log_root_upper_gap(double excess);

/* log(1+x) - x without cancellation, x > -1. */
double scree_log1pmx(double x);

/* Euler Beta function, a, b > 0. */
double scree_beta(double a, double b);
/* |Gamma(x + i y)|^2, x > 0. */
double scree_gamma_abs2(double x, double y);

/* Integral over [a, b] by tanh-sinh; integrable singularities at the ends are allowed. The integrand receives the
 * distances from both ends (from_a = x - a, to_b = b - x), each exact near its own end. Relative accuracy near 1e-14.
 */
typedef double (*ScreeIntegrand)(double from_a, double to_b, void *context);
double scree_integrate(ScreeIntegrand f, void *context, double a, double b);

/* Root of f in [lo, hi] with f(lo) f(hi) <= 0 (Brent); to rounding when tolerance is 0. *ok false without a sign change
 * or when f returns NaN. */
typedef double (*ScreeFunction)(double x, void *context);
double scree_root(ScreeFunction f, void *context, double lo, double hi, double tolerance, bool *ok);

#endif
