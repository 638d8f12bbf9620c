/* special.c: special functions, roots and quadrature in pure C17 + libm.
 *
 * The log roots carry the accuracy here. With y = 1 + u the equation y - ln y = 1 + excess reads u - log(1+u) = excess;
 * its two solutions are one power series in s = +-sqrt(2 excess), and W(x) for x < 0 is -y with excess = -1 - ln(-x).
 * So near the branch point every caller ends in the same series, and no caller subtracts nearly equal numbers. */
#include "core/special.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* Constants whose rounding error would be amplified come as an unevaluated sum, high + low. */
static const double E = 2.718281828459045235;
static const double INV_E = 0.36787944117144233, INV_E_LOW = -1.2428753672788363e-17;
static const double PI = 3.141592653589793116, PI_LOW = 1.2246467991473532e-16;
static const double TWO_PI = 6.283185307179586477;

/* ---- logarithmic roots and Lambert W ---- */

/* Below this excess (|s| = 0.8) the series is used on both branches; it ends where the lower root is about 0.4. */
static const double SERIES_EXCESS = 0.32;

/* u(s) where u - log(1+u) = s^2/2 and u has the sign of s. The coefficients follow from u u' = s (1+u); the radius of
 * convergence is 2 sqrt(pi), so at |s| = 0.8 the first omitted term is 1e-19. */
static double gap_series(double s) {
  // clang-format off
  static const double coefficient[] = {
    1.0,                     1.0 / 3.0,               1.0 / 36.0,              -1.0 / 270.0,
    1.0 / 4320.0,            1.0 / 17010.0,           -139.0 / 5443200.0,      1.0 / 204120.0,
    -2.428276122977769e-07,  -1.85406221071516e-07,   7.542464855411896e-08,   -1.47216272806884e-08,
    5.159887341078076e-10,   7.32986413160022e-10,    -2.921357345635569e-10,  5.717312238897994e-11,
    -1.5008349408791911e-12, -3.239317851416903e-12,  1.2822077905614429e-12,  -2.513834640057088e-13,
    5.2401866818838735e-15,  1.5326196647277207e-14,  -6.053864010513748e-15,  1.1889539086269768e-15,
  };
  // clang-format on
  double sum = 0.0;
  for (size_t i = COUNT(coefficient); i-- > 0;) sum = sum * s + coefficient[i];
  return s * sum;
}

/* W_0(x) for x >= -0.27, by Halley's method on w - x exp(-w): the exponential never overflows, and the rounding of the
 * last residual enters w divided by 1 + w. Cubic convergence: a step of 1e-6 leaves 1e-18. */
static double w0_away_from_branch(double x) {
  double l = log1p(x), w = l * (1.0 - log1p(l) / (2.0 + l));
  if (x > 3.0) { /* there the guess above is poor in exp(w): take the head of the asymptotic expansion */
    l = log(x);
    w = l - log(l) + log(l) / l;
  }
  for (int i = 0; i < 8; i++) {
    double e = x * exp(-w), f = w - e, slope = 1.0 + e;
    double step = f / (slope + 0.5 * f * e / slope);
    w -= step;
    if (fabs(step) <= 1e-6 * fmin(fabs(w), 1.0)) break;
  }
  return w;
}

double scree_log_root_upper_gap(double excess) {
  if (!(excess >= 0.0)) return NAN;
  if (isinf(excess)) return excess;
  if (excess < SERIES_EXCESS) return gap_series(sqrt(2.0 * excess));
  /* Newton from above, where the convex u - log(1+u) - excess lets it fall monotonically onto the root. Written so that
   * the rounding of the logarithm is damped: t is the fixed-point value, the rest a correction. */
  double u = excess + sqrt(2.0) * sqrt(excess); /* 2 excess could overflow */
  for (int i = 0; i < 8; i++) {
    double t = excess + log1p(u), correction = (t - u) / u, next = t + correction;
    double change = fabs(next - u);
    u = next;
    if (change <= 1e-8 * u) break;
  }
  return u;
}

double scree_log_root_upper(double excess) { return 1.0 + scree_log_root_upper_gap(excess); }

double scree_log_root_lower(double excess) {
  if (!(excess >= 0.0)) return NAN;
  if (excess < SERIES_EXCESS) return 1.0 + gap_series(-sqrt(2.0 * excess));
  /* exp(-1-excess) in two factors: rounding 1 + excess first would cost a relative error of excess * epsilon. */
  return -w0_away_from_branch(-INV_E * exp(-excess));
}

double scree_log_root_lower_gap(double excess) {
  if (!(excess >= 0.0)) return NAN;
  if (excess < SERIES_EXCESS) return -gap_series(-sqrt(2.0 * excess));
  return 1.0 - scree_log_root_lower(excess);
}

/* 1 + e x, accurate next to x = -1/e, where the sum with the high part of 1/e is exact. The double nearest to -1/e lies
 * 1.2e-17 outside the domain; it is taken for the branch point. */
static double branch_distance(double x) {
  if (x == -INV_E) return 0.0;
  return E * ((x + INV_E) + INV_E_LOW);
}

double scree_lambert_w0(double x) {
  if (isnan(x) || x < -INV_E) return NAN;
  if (isinf(x)) return x;
  if (x > -0.26) return w0_away_from_branch(x);
  return -scree_log_root_lower(-log1p(-branch_distance(x)));
}

double scree_lambert_wm1(double x) {
  if (isnan(x) || x < -INV_E || x >= 0.0) return NAN;
  double excess = x < -0.18 ? -log1p(-branch_distance(x)) : -1.0 - log(-x);
  return -scree_log_root_upper(excess);
}

/* With r = x/(2+x): log(1+x) = 2 atanh(r) and 2r - x = -x r, so the cancelling part is gone before rounding. */
double scree_log1pmx(double x) {
  static const double coefficient[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17,
                                       2.0 / 19, 2.0 / 21, 2.0 / 23, 2.0 / 25, 2.0 / 27, 2.0 / 29, 2.0 / 31, 2.0 / 33};
  if (isinf(x) && x > 0.0) return -x;
  if (x < -0.55 || x > 1.2) return log1p(x) - x;
  double r = x / (2.0 + x), r2 = r * r, sum = 0.0;
  for (size_t i = COUNT(coefficient); i-- > 0;) sum = sum * r2 + coefficient[i];
  return r * (r2 * sum - x);
}

/* ---- Gamma and Beta ---- */

/* Stirling's series is used from this modulus on: with 12 terms the first omitted one is then 2e-18. A larger modulus
 * would need fewer terms but more of the rounded factors that the shift to it multiplies up. */
static const double STIRLING_MODULUS = 7.0;

/* What rounding took from sum = a + b, exactly (Knuth's two-sum). */
static double lost_in_sum(double a, double b, double sum) {
  double b_seen = sum - a;
  return (a - (sum - b_seen)) + (b - b_seen);
}

/* Real part of log Gamma(z) - ((z - 1/2) log z - z + log(2 pi)/2) for z = x + i y, x > 0, |z| >= STIRLING_MODULUS. */
static double stirling_tail(double x, double y) {
  static const double coefficient[] = {1.0 / 12,         -1.0 / 360,         1.0 / 1260,     -1.0 / 1680,
                                       1.0 / 1188,       -691.0 / 360360,    1.0 / 156,      -3617.0 / 122400,
                                       43867.0 / 244188, -174611.0 / 125400, 77683.0 / 5796, -236364091.0 / 1506960};
  double modulus = hypot(x, y);
  double inv_re = x / modulus / modulus, inv_im = -(y / modulus / modulus);
  double sq_re = inv_re * inv_re - inv_im * inv_im, sq_im = 2.0 * inv_re * inv_im;
  double re = 0.0, im = 0.0;
  for (size_t i = COUNT(coefficient); i-- > 0;) {
    double next = re * sq_re - im * sq_im + coefficient[i];
    im = re * sq_im + im * sq_re;
    re = next;
  }
  return re * inv_re - im * inv_im;
}

/* exp(-2 y arg(x + i y)), x, y >= 0, as exp(-pi y + 2 y atan(x/y)): the second exponent is below 2 x, the first is
 * large and therefore kept to twice the precision. */
static double rotation_factor(double x, double y) {
  double product = PI * y, rest = fma(PI, y, -product) + PI_LOW * y;
  return exp(-product) * exp(2.0 * y * atan2(x, y) - rest);
}

double scree_gamma_abs2(double x, double y) {
  if (!(x > 0.0) || isnan(y)) return NAN;
  y = fabs(y);
  /* |Gamma(z)|^2 = |Gamma(z+n)|^2 / prod |z+k|^2 until Stirling's series serves */
  double product = 1.0, shift = 0.0, shifted = x, square = x * x + y * y;
  while (square < STIRLING_MODULUS * STIRLING_MODULUS) {
    product *= square;
    shift += 1.0;
    shifted = x + shift;
    square = shifted * shifted + y * y;
  }
  double tail = 2.0 * stirling_tail(shifted, y);
  if (shifted < 40.0 && y < 220.0) { /* every factor is far from overflow: multiplying loses less than adding logs */
    double slope = log(square);      /* of log |Gamma|^2 in x, for what x + shift lost */
    double correction = tail + slope * lost_in_sum(x, shift, shifted);
    return TWO_PI * pow(square, shifted - 0.5) * exp(-2.0 * shifted) * rotation_factor(shifted, y) * exp(correction) /
           product;
  }
  if (isinf(shifted)) return isinf(y) ? NAN : shifted;
  if (isinf(y)) return 0.0;
  double modulus = hypot(shifted, y), l = log(modulus);
  double per_modulus = (shifted / modulus) * (l - 1.0) - (y / modulus) * atan2(y, shifted);
  return exp(2.0 * modulus * per_modulus - l + log(TWO_PI) + tail);
}

/* B(a, b) where both are in Stirling's range. With r = b/a <= 1 it is sqrt(2 pi (1+r)/b) (1+r)^-a (r/(1+r))^b
 * exp(tails), whose rounding grows with the smaller argument only. a_lost and b_lost are tiny additions to a and b. */
static double beta_large(double a, double a_lost, double b, double b_lost) {
  if (a < b) return beta_large(b, b_lost, a, a_lost);
  double r = b / a, share = r / (1.0 + r), log_sum = log1p(r);
  double tails = stirling_tail(a, 0.0) + stirling_tail(b, 0.0) - stirling_tail(a + b, 0.0);
  double correction = tails + b_lost * log(share) - a_lost * log_sum;
  return sqrt(TWO_PI * (1.0 + r) / b) * exp(-a * log_sum) * pow(share, b) * exp(correction);
}

double scree_beta(double a, double b) {
  if (!(a > 0.0) || !(b > 0.0)) return NAN;
  double big = fmax(a, b), small = fmin(a, b), sum = a + b; /* ordered, so that B(a, b) and B(b, a) agree to the bit */
  if (isinf(big)) return 0.0;
  if (big > 1e20 && small < STIRLING_MODULUS) return tgamma(small) * pow(big, -small); /* the shift would overflow */
  /* B(a, b) = B(a+1, b) (a+b)/a, on either argument until Stirling's series serves */
  double factor = 1.0, shift = 0.0, shift_small = 0.0;
  for (; big + shift < STIRLING_MODULUS; shift += 1.0) factor *= (sum + shift) / (big + shift);
  for (; small + shift_small < STIRLING_MODULUS; shift_small += 1.0)
    factor *= (sum + shift + shift_small) / (small + shift_small);
  double up = big + shift, up_small = small + shift_small;
  return factor * beta_large(up, lost_in_sum(big, shift, up), up_small, lost_in_sum(small, shift_small, up_small));
}

/* ---- quadrature ---- */

/* Tanh-sinh: x = a + L/(1+q), q = exp(-pi sinh t), and the trapezoidal rule in t. The level with step 1/2 looks out to
 * t = 6 (a distance of 6e-276 L from each end) and finds where the contributions die; finer levels stop there. */
enum { COARSE_STEPS = 12, LEVELS = 10 };
static const double COARSE_STEP = 0.5, T_MAX = 6.1;

typedef struct Quadrature {
  ScreeIntegrand f;
  void *context;
  double length;
  double cutoff[2]; /* largest useful t towards a and towards b */
  double sum, rest; /* compensated sum of weight * f */
  double magnitude; /* sum of |weight * f| */
} Quadrature;

typedef struct QuadratureNode {
  double near, far, weight; /* distances from the nearer and the farther end, dx/dt */
  bool extreme;             /* nearer than the rounding of x itself */
} QuadratureNode;

static QuadratureNode quadrature_node(double length, double t) {
  double grow = exp(t), shrink = 1.0 / grow;
  double q = exp(-0.5 * PI * (grow - shrink)), far = length / (1.0 + q);
  double weight = 0.5 * PI * (grow + shrink) * q * far / (1.0 + q);
  return (QuadratureNode){.near = q * far, .far = far, .weight = weight, .extreme = q < DBL_EPSILON};
}

/* Adds one node's contribution, side 0 towards a and side 1 towards b, and returns it. */
static double quadrature_add(Quadrature *rule, QuadratureNode node, int side) {
  if (fabs(node.near) < DBL_MIN) return 0.0;
  double from_a = side == 0 ? node.near : node.far, to_b = side == 0 ? node.far : node.near;
  double value = node.weight * rule->f(from_a, to_b, rule->context);
  if (node.extreme && !isfinite(value)) return 0.0;
  double total = rule->sum + value;
  rule->rest += lost_in_sum(rule->sum, value, total);
  rule->sum = total;
  rule->magnitude += fabs(value);
  return value;
}

static void quadrature_first_level(Quadrature *rule) {
  double value[2][COARSE_STEPS];
  quadrature_add(rule, quadrature_node(rule->length, 0.0), 0);
  for (int i = 0; i < COARSE_STEPS; i++) {
    QuadratureNode node = quadrature_node(rule->length, (i + 1) * COARSE_STEP);
    for (int side = 0; side < 2; side++) value[side][i] = quadrature_add(rule, node, side);
  }
  /* Searched from the outside in, so that an integrand that lives only next to an end is not cut off. */
  for (int side = 0; side < 2; side++) {
    int last = COARSE_STEPS - 1;
    while (last > 0 && fabs(value[side][last]) <= 1e-18 * rule->magnitude) last--;
    rule->cutoff[side] = rule->magnitude > 0.0 ? fmin((last + 2) * COARSE_STEP, T_MAX) : T_MAX;
  }
}

/* Adds the nodes that halving the step brings in: the odd multiples of the new step. */
static void quadrature_refine(Quadrature *rule, double step) {
  double end = fmax(rule->cutoff[0], rule->cutoff[1]);
  for (int i = 1; i * step <= end; i += 2) {
    QuadratureNode node = quadrature_node(rule->length, i * step);
    for (int side = 0; side < 2; side++)
      if (i * step <= rule->cutoff[side]) quadrature_add(rule, node, side);
  }
}

/* The error left after a relative change, given the change before it: halving the step squares the error of an analytic
 * integrand (change_before^2 = change) and divides that of a kinked one by a constant; the ratio of the logs tells. */
static double quadrature_error(double change, double change_before) {
  if (change <= 4.0 * DBL_EPSILON) return 0.0;
  if (change >= 1.0 || change_before >= 1.0 || change >= change_before) return 1.0;
  return pow(change, fmin(log(change) / log(change_before), 2.0));
}

double scree_integrate(ScreeIntegrand f, void *context, double a, double b) {
  Quadrature rule = {.f = f, .context = context, .length = b - a};
  if (!isfinite(rule.length)) return NAN;
  if (rule.length == 0.0) return 0.0;
  quadrature_first_level(&rule);
  double step = COARSE_STEP, estimate = step * (rule.sum + rule.rest), change_before = 1.0;
  for (int level = 1; level < LEVELS && isfinite(estimate); level++) {
    step *= 0.5;
    quadrature_refine(&rule, step);
    double next = step * (rule.sum + rule.rest), scale = step * rule.magnitude;
    double change = scale > 0.0 ? fabs(next - estimate) / scale : 0.0;
    estimate = next;
    if (level >= 2 && quadrature_error(change, change_before) <= 1e-17) break;
    change_before = change;
  }
  return estimate;
}

/* ---- root ---- */

/* Ample: halving the widest bracket of doubles down to the smallest normal number takes 2050 steps. */
enum { ROOT_STEPS = 5000 };

/* The step from b that interpolation proposes: inverse quadratic through a, b, c, or the secant where a is c. NaN where
 * the values do not allow it. */
static double brent_step(double a, double fa, double b, double fb, double c, double fc) {
  double s = fb / fa;
  if (a == c) return (b - c) * s / (1.0 - s);
  double q = fa / fc, r = fb / fc;
  return s * ((b - a) * (r - 1.0) - (c - b) * q * (q - r)) / ((q - 1.0) * (r - 1.0) * (s - 1.0));
}

/* b is the best point, c brackets the root with it, a is the b before; step and step_before are the last two moves. */
double scree_root(ScreeFunction f, void *context, double lo, double hi, double tolerance, bool *ok) {
  double a = lo, fa = f(lo, context), b = hi, fb = f(hi, context), c = a, fc = fa;
  double step = b - a, step_before = step;
  *ok = false;
  if (isnan(fa) || isnan(fb) || (fa > 0.0 && fb > 0.0) || (fa < 0.0 && fb < 0.0)) return NAN;
  for (int i = 0; i < ROOT_STEPS; i++) {
    if (fabs(fc) < fabs(fb)) {
      a = b, fa = fb;
      b = c, fb = fc;
      c = a, fc = fa;
    }
    double finest = DBL_EPSILON * fabs(b) + 0.5 * tolerance + DBL_MIN; /* at least one unit in the last place of b */
    double half = 0.5 * c - 0.5 * b, proposed = NAN;
    if (fb == 0.0 || fabs(half) <= finest) {
      *ok = true;
      return b;
    }
    if (fabs(step_before) >= finest && fabs(fa) > fabs(fb)) proposed = brent_step(a, fa, b, fb, c, fc);
    bool useful = proposed / half >= 0.0 && 2.0 * fabs(proposed) < fmin(3.0 * fabs(half) - finest, fabs(step_before));
    step_before = useful ? step : half;
    step = useful ? proposed : half;
    a = b, fa = fb;
    b += fabs(step) > finest ? step : copysign(finest, half);
    fb = f(b, context);
    if (isnan(fb)) return NAN;
    if ((fb > 0.0) == (fc > 0.0)) {
      c = a, fc = fa;
      step = step_before = b - a;
    }
  }
  return NAN;
}
