/* Judges: GSL, closed forms, and references iterated in long double, whose 64-bit mantissa on x86 leaves three digits
 * of room under the tolerances here. */
#include "core/special.h"

#include <criterion/criterion.h>
#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_lambert.h>
#include <math.h>

static const long double PI_L = 3.14159265358979323846264338327950288L;
static const long double E_L = 2.71828182845904523536028747135266250L;

/* ---- a sweep remembers its worst point ---- */

typedef struct Worst {
  double error, x, y;
} Worst;

static void note(Worst *worst, double x, double y, double got, long double want) {
  double error = want == 0.0L ? fabs(got) : (double)fabsl(((long double)got - want) / want);
  if (isnan(error)) error = INFINITY;
  if (error > worst->error) *worst = (Worst){error, x, y};
}

static void expect_below(Worst worst, double tolerance) {
  cr_assert(worst.error <= tolerance, "relative error %.3g > %.3g at (%.17g, %.17g)", worst.error, tolerance, worst.x,
            worst.y);
}

/* i-th of n points from lo to hi, evenly in the logarithm */
static double log_point(double lo, double hi, int i, int n) { return lo * exp(log(hi / lo) / (n - 1) * i); }
static double even_point(double lo, double hi, int i, int n) { return lo + (hi - lo) / (n - 1) * i; }
/* the same where hi / lo overflows */
static double wide_log_point(double lo, double hi, int i, int n) { return exp(even_point(log(lo), log(hi), i, n)); }

/* ---- references in long double ---- */

/* log(1+x) - x: Taylor where it cancels (the library uses another series) */
static long double log1pmx_reference(long double x) {
  if (fabsl(x) > 0.05L) return log1pl(x) - x;
  long double power = -x, sum = 0.0L;
  for (int k = 2; k < 40; k++) {
    power *= -x;
    sum -= power / k;
  }
  return sum;
}

/* u - log(1+u) = excess, u > 0 or -1 < u < 0, by Newton from a start on the convex side */
static long double gap_reference(long double excess, int sign) {
  long double s = sign * sqrtl(2.0L * excess), u = s + s * s / 3.0L + s * s * s / 36.0L;
  if (fabsl(s) < 1e-9L) return u; /* the next term is s^3/270 of it; squares would underflow below */
  if (sign > 0) u = excess + s;
  if (u > 1e10L) return excess + log1pl(excess + log1pl(excess + logl(excess)));
  for (int i = 0; i < 12; i++) u += (log1pmx_reference(u) + excess) * (1.0L + u) / u;
  return u;
}

/* y exp(-y) = exp(-1-excess), y <= 1; above excess 1/4 by Newton on y - exp(y-1-excess) from below */
static long double lower_reference(long double excess) {
  if (excess < 0.25L) return 1.0L + gap_reference(excess, -1);
  long double y = 0.0L;
  for (int i = 0; i < 60; i++) y -= (y - expl(y - 1.0L - excess)) / (1.0L - y);
  return y;
}

static long double w0_reference(long double x) {
  long double w = x < 3.0L ? log1pl(x) / (1.0L + 0.5L * log1pl(x)) : logl(x) - logl(logl(x));
  for (int i = 0; i < 60; i++) {
    long double e = x * expl(-w);
    w -= (w - e) / (1.0L + e);
  }
  return w;
}

/* 1 + e x: the sum with the double next to 1/e is exact close to the branch point, the remainder is known to 16 digits
 */
static long double excess_of(double x) {
  long double q = E_L * (((long double)x + 0.36787944117144233) - 1.2428753672788363e-17L);
  return -log1pl(-q);
}

/* ---- Lambert W ---- */

Test(special, lambert_w0_is_exact_to_rounding_from_1e_300_to_1e308) {
  Worst worst = {0};
  for (int i = 0; i < 20000; i++) {
    double x = wide_log_point(1e-300, 1e308, i, 20000);
    note(&worst, x, 0.0, scree_lambert_w0(x), w0_reference(x));
  }
  for (int i = 0; i < 20000; i++) {
    double x = even_point(1e-3, 12.0, i, 20000);
    note(&worst, x, 0.0, scree_lambert_w0(x), w0_reference(x));
  }
  for (int i = 0; i < 20000; i++) {
    double x = -wide_log_point(1e-300, 0.3, i, 20000);
    note(&worst, x, 0.0, scree_lambert_w0(x), -lower_reference(-1.0L - logl(-(long double)x)));
  }
  expect_below(worst, 1e-15);
}

Test(special, lambert_w0_stays_exact_up_to_the_branch_point) {
  Worst worst = {0};
  for (int i = 0; i < 20000; i++) {
    double x = -0.36787944117144233 + log_point(1e-16, 0.3, i, 20000);
    note(&worst, x, 0.0, scree_lambert_w0(x), -lower_reference(excess_of(x)));
  }
  expect_below(worst, 1e-15);
}

Test(special, lambert_wm1_is_exact_to_rounding_on_its_whole_domain) {
  Worst worst = {0};
  for (int i = 0; i < 20000; i++) {
    double x = -0.36787944117144233 + log_point(1e-16, 0.3, i, 20000);
    note(&worst, x, 0.0, scree_lambert_wm1(x), -1.0L - gap_reference(excess_of(x), 1));
  }
  for (int i = 0; i < 20000; i++) {
    double x = -wide_log_point(1e-307, 0.3, i, 20000);
    note(&worst, x, 0.0, scree_lambert_wm1(x), -1.0L - gap_reference(-1.0L - logl(-(long double)x), 1));
  }
  expect_below(worst, 1e-15);
}

Test(special, lambert_w_times_its_exponential_gives_x_back) {
  Worst worst = {0};
  for (int i = 1; i < 20000; i++) {
    double x = even_point(-0.36, 0.36, i, 20001);
    long double w = scree_lambert_w0(x);
    note(&worst, x, 0.0, x, w * expl(w)); /* conditioned by 1 + w >= 0.2 */
    if (x >= 0.0) continue;
    w = scree_lambert_wm1(x);
    note(&worst, x, -1.0, x, w * expl(w));
  }
  expect_below(worst, 2e-15);
}

Test(special, lambert_w_agrees_with_gsl) {
  Worst worst = {0};
  for (int i = 0; i < 5000; i++) {
    double x = wide_log_point(1e-10, 1e300, i, 5000);
    note(&worst, x, 0.0, scree_lambert_w0(x), gsl_sf_lambert_W0(x));
    x = -log_point(1e-10, 0.36, i, 5000); /* GSL stops iterating early below, even at W_0(-1e-48) = 0 */
    note(&worst, x, 0.0, scree_lambert_w0(x), gsl_sf_lambert_W0(x));
    note(&worst, x, -1.0, scree_lambert_wm1(x), gsl_sf_lambert_Wm1(x));
  }
  expect_below(worst, 2e-14);
}

Test(special, lambert_w_has_known_values_and_is_nan_outside_its_domain) {
  cr_assert_eq(scree_lambert_w0(0.0), 0.0);
  cr_assert(signbit(scree_lambert_w0(-0.0)));
  cr_assert_float_eq(scree_lambert_w0(1.0), 0.56714329040978387300, 2e-16); /* the omega constant */
  cr_assert_float_eq(scree_lambert_w0(2.71828182845904523536), 1.0, 3e-16);
  cr_assert_eq(scree_lambert_w0(-0.36787944117144233), -1.0);
  cr_assert_eq(scree_lambert_wm1(-0.36787944117144233), -1.0);
  cr_assert_eq(scree_lambert_w0(INFINITY), INFINITY);
  cr_assert_eq(scree_lambert_w0(5e-324), 5e-324);
  const double outside[] = {-0.3678794411714424, -1.0, -INFINITY, NAN};
  for (int i = 0; i < 4; i++) {
    cr_assert(isnan(scree_lambert_w0(outside[i])), "W_0(%g)", outside[i]);
    cr_assert(isnan(scree_lambert_wm1(outside[i])), "W_-1(%g)", outside[i]);
  }
  cr_assert(isnan(scree_lambert_wm1(0.0)));
  cr_assert(isnan(scree_lambert_wm1(1.0)));
}

/* ---- logarithmic roots ---- */

static const int ROOT_POINTS = 40000;

/* half the points spread over every magnitude, half over the switch from the series to the iteration */
static double excess_point(int i, double largest) {
  int half = ROOT_POINTS / 2;
  return i < half ? wide_log_point(1e-300, largest, i, half) : log_point(1e-3, 20.0, i - half, half);
}

Test(special, upper_log_root_and_gap_are_exact_to_rounding_from_1e_300_to_1e300) {
  Worst root = {0}, gap = {0};
  for (int i = 0; i < ROOT_POINTS; i++) {
    double excess = excess_point(i, 1e300);
    long double want = gap_reference(excess, 1);
    note(&root, excess, 0.0, scree_log_root_upper(excess), 1.0L + want);
    note(&gap, excess, 0.0, scree_log_root_upper_gap(excess), want);
  }
  expect_below(root, 5e-16);
  expect_below(gap, 1e-15);
}

Test(special, lower_log_root_and_gap_are_exact_to_rounding_until_underflow) {
  Worst root = {0}, gap = {0};
  for (int i = 0; i < ROOT_POINTS; i++) {
    double excess = excess_point(i, 700.0);
    long double y = lower_reference(excess);
    note(&root, excess, 0.0, scree_log_root_lower(excess), y);
    note(&gap, excess, 0.0, scree_log_root_lower_gap(excess), excess < 0.25 ? -gap_reference(excess, -1) : 1.0L - y);
  }
  expect_below(root, 1e-15);
  expect_below(gap, 1e-15);
}

Test(special, log_roots_satisfy_their_equation) {
  for (int i = 0; i < 2000; i++) {
    double excess = log_point(1e-6, 600.0, i, 2000);
    long double want = 1.0L + excess, up = scree_log_root_upper(excess), low = scree_log_root_lower(excess);
    cr_assert_float_eq((double)(up - logl(up) - want), 0.0, 3e-16 * (double)want, "upper, excess %.17g", excess);
    cr_assert_float_eq((double)(low - logl(low) - want), 0.0, 1e-15, "lower, excess %.17g", excess);
  }
}

Test(special, log_roots_are_minus_lambert_w) {
  Worst worst = {0};
  for (int i = 0; i < 2000; i++) {
    double excess = even_point(0.5, 600.0, i, 2000), x = -exp(-1.0 - excess);
    note(&worst, excess, 0.0, scree_log_root_upper(excess), -scree_lambert_wm1(x));
    note(&worst, excess, 1.0, scree_log_root_lower(excess), -scree_lambert_w0(x));
  }
  expect_below(worst, 3e-13); /* x itself carries a relative error of excess * epsilon */
}

Test(special, log_roots_end_gracefully_at_zero_and_at_huge_excess) {
  cr_assert_eq(scree_log_root_upper(0.0), 1.0);
  cr_assert_eq(scree_log_root_lower(0.0), 1.0);
  cr_assert_eq(scree_log_root_upper_gap(0.0), 0.0);
  cr_assert_eq(scree_log_root_lower_gap(0.0), 0.0);
  cr_assert_eq(scree_log_root_upper(DBL_MAX), DBL_MAX);
  cr_assert_eq(scree_log_root_upper(INFINITY), INFINITY);
  cr_assert_eq(scree_log_root_lower(1e300), 0.0);
  cr_assert_eq(scree_log_root_lower(INFINITY), 0.0);
  cr_assert_eq(scree_log_root_lower_gap(1e300), 1.0);
  double last = 1.0;
  for (int i = 0; i < 900; i++) {
    double y = scree_log_root_lower(i);
    cr_assert(y >= 0.0 && (y < last || (y <= last && y < DBL_MIN) || i == 0), "lower(%d) = %g after %g", i, y, last);
    last = y;
  }
  const double outside[] = {-1e-300, -1.0, NAN};
  for (int i = 0; i < 3; i++) {
    cr_assert(isnan(scree_log_root_upper(outside[i])));
    cr_assert(isnan(scree_log_root_lower(outside[i])));
    cr_assert(isnan(scree_log_root_upper_gap(outside[i])));
    cr_assert(isnan(scree_log_root_lower_gap(outside[i])));
  }
}

Test(special, log1pmx_is_exact_to_rounding_for_tiny_and_large_x) {
  Worst worst = {0};
  for (int i = 0; i < 20000; i++) {
    double x = wide_log_point(1e-150, 1e300, i, 20000);
    note(&worst, x, 0.0, scree_log1pmx(x), log1pmx_reference(x));
    x = -log_point(1e-150, 1.0 - 1e-15, i, 20000);
    note(&worst, x, 0.0, scree_log1pmx(x), log1pmx_reference(x));
    x = even_point(-0.999, 3.0, i, 20000);
    if (x != 0.0) note(&worst, x, 0.0, scree_log1pmx(x), log1pmx_reference(x));
  }
  expect_below(worst, 1e-15);
  cr_assert_eq(scree_log1pmx(0.0), 0.0);
  cr_assert_eq(scree_log1pmx(-1.0), -INFINITY);
  cr_assert_eq(scree_log1pmx(INFINITY), -INFINITY);
  cr_assert(isnan(scree_log1pmx(-1.5)));
  cr_assert(isnan(scree_log1pmx(NAN)));
}

/* ---- Beta and Gamma ---- */

Test(special, beta_is_a_ratio_of_gammas_to_5e_15) {
  Worst worst = {0};
  for (int i = 0; i < 200; i++) {
    for (int k = 0; k < 200; k++) {
      double a = even_point(0.05, 5.0, i, 200), b = even_point(0.05, 5.0, k, 200);
      note(&worst, a, b, scree_beta(a, b), tgammal(a) * tgammal(b) / tgammal((long double)a + b));
    }
  }
  expect_below(worst, 5e-15);
}

Test(special, beta_agrees_with_gsl_and_is_symmetric_to_the_bit) {
  Worst worst = {0};
  for (int i = 0; i < 100; i++) {
    for (int k = 0; k < 100; k++) {
      double a = log_point(1e-3, 80.0, i, 100), b = log_point(1e-3, 80.0, k, 100);
      note(&worst, a, b, scree_beta(a, b), gsl_sf_beta(a, b));
      cr_assert_eq(scree_beta(a, b), scree_beta(b, a), "B(%g, %g)", a, b);
    }
  }
  expect_below(worst, 2e-13); /* GSL's own error: it goes through lnbeta for large arguments */
}

Test(special, beta_has_its_closed_forms_also_far_out) {
  Worst worst = {0};
  for (int i = 0; i < 2000; i++) {
    double a = wide_log_point(1e-300, 1e300, i, 2000);
    note(&worst, a, 1.0, scree_beta(a, 1.0), 1.0L / a);
    if (a < 1e150) note(&worst, a, 2.0, scree_beta(a, 2.0), 1.0L / a / (1.0L + a)); /* beyond, it underflows */
    a = even_point(0.01, 0.99, i, 2000);
    note(&worst, a, 1.0 - a, scree_beta(a, 1.0 - a), PI_L / sinl(PI_L * a));
  }
  expect_below(worst, 1e-14);
  cr_assert_eq(scree_beta(INFINITY, 1.0), 0.0);
  worst = (Worst){0};
  for (int i = 0; i < 2000;
       i++) { /* B -> Gamma(b) a^-b, short of it by b^2/2a; shifting b must not lose digits of it */
    double a = log_point(1e18, 1e24, i, 2000), b = even_point(0.1, 6.0, (i * 619) % 2000, 2000);
    note(&worst, a, b, scree_beta(a, b), tgammal(b) * powl(a, -(long double)b));
  }
  expect_below(worst, 1e-14);
  cr_assert(isnan(scree_beta(0.0, 1.0)));
  cr_assert(isnan(scree_beta(1.0, -1.0)));
  cr_assert(isnan(scree_beta(NAN, 1.0)));
}

Test(special, gamma_abs2_has_its_hyperbolic_closed_forms_for_every_y_to_200) {
  Worst worst = {0};
  for (int i = 0; i < 20001; i++) {
    double y = even_point(-200.0, 200.0, i, 20001);
    if (y == 0.0) continue;
    long double y2 = (long double)y * y, half = PI_L / coshl(PI_L * y), one = PI_L * y / sinhl(PI_L * y);
    note(&worst, 0.5, y, scree_gamma_abs2(0.5, y), half);
    note(&worst, 1.5, y, scree_gamma_abs2(1.5, y), half * (0.25L + y2));
    note(&worst, 2.5, y, scree_gamma_abs2(2.5, y), half * (0.25L + y2) * (2.25L + y2));
    note(&worst, 1.0, y, scree_gamma_abs2(1.0, y), one);
    note(&worst, 2.0, y, scree_gamma_abs2(2.0, y), one * (1.0L + y2));
    note(&worst, 3.0, y, scree_gamma_abs2(3.0, y), one * (1.0L + y2) * (4.0L + y2));
  }
  expect_below(worst, 1e-14);
}

Test(special, gamma_abs2_is_tgamma_squared_on_the_real_axis) {
  Worst worst = {0};
  for (int i = 0; i < 5000; i++) {
    double x = log_point(1e-3, 39.0, i, 5000);
    long double gamma = tgammal(x);
    note(&worst, x, 0.0, scree_gamma_abs2(x, 0.0), gamma * gamma);
  }
  expect_below(worst, 2e-14); /* pow and the rounded |z|^2 grow with x; below 3 see the other tests */
}

/* Gamma(z) Gamma(1-z) = pi / sin(pi z), and Gamma(z+1) = z Gamma(z) */
Test(special, gamma_abs2_satisfies_reflection_and_recurrence_over_the_strip) {
  Worst reflection = {0}, recurrence = {0};
  for (int i = 0; i < 200; i++) {
    for (int k = 0; k < 200; k++) {
      double x = even_point(0.5, 0.99, i, 200), y = even_point(0.0, 50.0, k, 200);
      long double s = sinl(PI_L * x), h = sinhl(PI_L * y), product = PI_L * PI_L / (s * s + h * h);
      /* 1 - x is exact for x >= 1/2 */
      note(&reflection, x, y, scree_gamma_abs2(x, y) * scree_gamma_abs2(1.0 - x, y), product);
      x = even_point(0.5, 3.0, i, 201) + 0x1p-30;
      long double up = ((long double)x * x + (long double)y * y) * scree_gamma_abs2(x, y);
      note(&recurrence, x, y, scree_gamma_abs2(x + 1.0, y), up);
    }
  }
  expect_below(reflection, 1e-14); /* the errors of two values */
  expect_below(recurrence, 5e-15);
}

Test(special, gamma_abs2_agrees_with_gsl) {
  Worst worst = {0};
  for (int i = 0; i < 100; i++) {
    for (int k = 0; k < 200; k++) {
      double x = even_point(0.51, 3.0, i, 100), y = even_point(-50.0, 50.0, k, 200);
      gsl_sf_result log_modulus, argument;
      cr_assert_eq(gsl_sf_lngamma_complex_e(x, y, &log_modulus, &argument), GSL_SUCCESS);
      note(&worst, x, y, scree_gamma_abs2(x, y), expl(2.0L * log_modulus.val));
    }
  }
  expect_below(worst, 1e-12); /* GSL rounds a logarithm of up to 160 */
}

Test(special, gamma_abs2_neither_overflows_early_nor_leaves_its_domain_silently) {
  cr_assert_eq(scree_gamma_abs2(1.0, 1e3), 0.0);
  cr_assert_eq(scree_gamma_abs2(1.0, 1e200), 0.0);
  cr_assert_eq(scree_gamma_abs2(1.0, INFINITY), 0.0);
  cr_assert_eq(scree_gamma_abs2(1e200, 1e100), INFINITY);
  Worst worst = {0};
  for (int i = 0; i < 100; i++) { /* Gamma(90)^2 is 2.7e272 */
    double x = even_point(40.0, 90.0, i, 100);
    note(&worst, x, 0.0, scree_gamma_abs2(x, 0.0), tgammal(x) * tgammal(x));
  }
  expect_below(worst, 5e-13);
  cr_assert(isnan(scree_gamma_abs2(-0.5, 1.0)));
  cr_assert(isnan(scree_gamma_abs2(NAN, 1.0)));
  cr_assert(isnan(scree_gamma_abs2(1.0, NAN)));
}

/* ---- quadrature ---- */

typedef struct Powers {
  double p, q; /* from_a^p to_b^q */
  int calls;
  double nearest; /* smallest distance asked for */
} Powers;

static double powers(double from_a, double to_b, void *context) {
  Powers *c = context;
  c->calls++;
  c->nearest = fmin(c->nearest, fmin(from_a, to_b));
  return (c->p == 0.0 ? 1.0 : pow(from_a, c->p)) * (c->q == 0.0 ? 1.0 : pow(to_b, c->q));
}

Test(special, integral_of_a_power_singular_at_one_end_is_right_for_any_length) {
  const double exponent[] = {-0.95, -0.9, -0.8, -0.5, -0.1, 0.0, 0.5, 1.0, 1.5, 2.5, 7.0};
  const double length[] = {1.0, 1e-9, 3.7e-3, 42.0, 1e12};
  Worst worst = {0};
  for (int i = 0; i < 11; i++) {
    for (int k = 0; k < 5; k++) {
      double want = pow(length[k], exponent[i] + 1.0) / (exponent[i] + 1.0);
      Powers left = {.p = exponent[i]}, right = {.q = exponent[i]};
      note(&worst, exponent[i], length[k], scree_integrate(powers, &left, 0.0, length[k]), want);
      note(&worst, exponent[i], -length[k], scree_integrate(powers, &right, -length[k], 0.0), want);
      cr_assert_lt(left.calls, 150, "x^%g took %d calls", exponent[i], left.calls);
    }
  }
  expect_below(worst, 1e-14);
}

Test(special, integral_of_x_to_minus_four_fifths_is_five_and_needs_distances_below_the_rounding_of_x) {
  Powers context = {.p = -0.8, .nearest = 1.0};
  cr_assert_float_eq(scree_integrate(powers, &context, 0.0, 1.0), 5.0, 5e-15);
  cr_assert_lt(context.nearest, 1e-270);
  /* near an end far from the origin too: a + distance would be a there */
  cr_assert_float_eq(scree_integrate(powers, &context, 1000.0, 1001.0), 5.0, 5e-15);
}

Test(special, integral_singular_at_both_ends_is_the_beta_function) {
  Worst worst = {0};
  for (int i = 0; i < 40; i++) {
    for (int k = 0; k < 40; k++) {
      double a = even_point(0.1, 5.0, i, 40), b = even_point(0.1, 5.0, k, 40);
      Powers context = {.p = a - 1.0, .q = b - 1.0};
      note(&worst, a, b, scree_integrate(powers, &context, 0.0, 1.0), scree_beta(a, b));
    }
  }
  expect_below(worst, 1e-14);
}

typedef double (*Plain)(double x);
typedef struct PlainContext {
  Plain f;
  int calls;
} PlainContext;

static double call_plain(double from_a, double to_b, void *context) {
  (void)to_b;
  PlainContext *c = context;
  c->calls++;
  return c->f(from_a);
}

static double peak(double x) { return 1.0 / (1.0 + 100.0 * (x - 1.0) * (x - 1.0)); }
static double cos50(double x) { return cos(50.0 * x); }
static double kink(double x) { return fabs(x - 0.3); }
static double soft_kink(double x) { return pow(fabs(x - 0.3), 3.0); }
static double layer(double x) { return exp(-x / 1e-20) / 1e-20; }
static double nothing(double x) { return 0.0 * x; }
static double never(double x) { return NAN * x; }
static double rounded_singularity(double x) { return 1.0 / sqrt(1.0 - x); } /* infinite within 1e-16 of 1 */
static double gauss(double x) { return exp(-x * x); }

Test(special, integrals_of_smooth_layered_and_oscillating_functions_are_right) {
  const struct {
    Plain f;
    double to, want, tolerance;
    int calls;
  } cases[] = {
      {exp, 1.0, expm1(1.0), 1e-15, 100},
      {exp, 10.0, expm1(10.0), 2e-15, 150},
      {log, 1.0, -1.0, 1e-15, 100},
      {sqrt, 4.0, 16.0 / 3.0, 1e-15, 100},
      {gauss, 3.0, 0.5 * sqrt((double)PI_L) * erf(3.0), 2e-15, 300},
      {peak, 2.0, 0.2 * atan(10.0), 1e-14, 1000},
      {cos50, 1.0, sin(50.0) / 50.0, 2e-13, 500}, /* 0.005 left of an area of 0.64 */
      {layer, 1.0, 1.0, 1e-14, 2000},
      {soft_kink, 1.0, 0.06205, 1e-12, 10000},      /* slow convergence is not taken for fast */
      {kink, 1.0, 0.29, 1e-5, 10000},               /* not analytic: only bounded work is promised */
      {rounded_singularity, 1.0, 2.0, 1e-6, 10000}, /* likewise: 1 - x has lost its digits */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    PlainContext context = {.f = cases[i].f};
    double got = scree_integrate(call_plain, &context, 0.0, cases[i].to);
    cr_assert_float_eq(got / cases[i].want, 1.0, cases[i].tolerance, "case %zu: %.17g, not %.17g", i, got,
                       cases[i].want);
    cr_assert_leq(context.calls, cases[i].calls, "case %zu took %d calls", i, context.calls);
  }
}

Test(special, integral_knows_empty_reversed_vanishing_and_undefined_cases) {
  PlainContext context = {.f = nothing};
  cr_assert_eq(scree_integrate(call_plain, &context, 0.0, 1.0), 0.0);
  Powers one = {0};
  cr_assert_eq(scree_integrate(powers, &one, 2.0, 2.0), 0.0);
  cr_assert_float_eq(scree_integrate(powers, &one, 2.0, 5.0), 3.0, 1e-15);
  cr_assert_float_eq(scree_integrate(powers, &one, 5.0, 2.0), -3.0, 1e-15);
  cr_assert(isnan(scree_integrate(powers, &one, 0.0, INFINITY)));
  cr_assert(isnan(scree_integrate(powers, &one, NAN, 1.0)));
  context = (PlainContext){.f = never};
  cr_assert(isnan(scree_integrate(call_plain, &context, 0.0, 1.0)));
  cr_assert_lt(context.calls, 100);
}

static double distances_add_up(double from_a, double to_b, void *context) {
  int *bad = context;
  *bad += !(from_a > 0.0 && to_b > 0.0 && fabs(from_a + to_b - 7.0) <= 2e-15);
  return 1.0 / sqrt(from_a);
}

Test(special, integrand_receives_positive_distances_that_add_up_to_the_length) {
  int bad = 0;
  cr_assert_float_eq(scree_integrate(distances_add_up, &bad, -3.0, 4.0), 2.0 * sqrt(7.0), 1e-14);
  cr_assert_eq(bad, 0);
}

/* ---- root ---- */

static int root_calls;
static double cos_minus_x(double x, void *context) { return (void)context, root_calls++, cos(x) - x; }
static double minus_two(double x, void *context) { return (void)context, root_calls++, x * x * x - 2.0; }
static double triple(double x, void *context) { return (void)context, root_calls++, pow(x - 1.0, 3.0); }
static double tiny_root(double x, void *context) { return (void)context, root_calls++, x - 1e-10; }
static double jump(double x, void *context) { return (void)context, root_calls++, x < 0.123 ? -1.0 : 1.0; }
static double log_plus_5(double x, void *context) { return (void)context, root_calls++, log(x) + 5.0; }
static double flat_start(double x, void *context) { return (void)context, root_calls++, expm1(20.0 * (x - 0.7)); }
static double identity(double x, void *context) { return (void)context, root_calls++, x; }
static double hole(double x, void *context) { return (void)context, root_calls++, fabs(x) < 0.9 ? NAN : x; }

Test(special, root_is_found_to_rounding_from_either_side) {
  const struct {
    ScreeFunction f;
    double lo, hi, want, tolerance;
    int calls;
  } cases[] = {
      {cos_minus_x, 0.0, 1.0, 0.73908513321516064166, 1.2e-16, 9}, /* the Dottie number */
      {minus_two, 0.0, 2.0, 1.25992104989487316477, 2.3e-16, 10},
      {minus_two, -1e5, 1e5, 1.25992104989487316477, 2.3e-16, 45},
      {log_plus_5, 0.0, 1.0, 0.00673794699908546710, 2e-18, 18}, /* f(0) = -infinity */
      {flat_start, -3.0, 2.0, 0.7, 1.2e-16, 17},
      {jump, -1.0, 1.0, 0.123, 4e-17, 70},
      {tiny_root, 0.0, 1e300, 1e-10, 0.0, 8},
      {tiny_root, -1e308, 1e308, 1e-10, 0.0, 50}, /* hi - lo overflows */
      {triple, -5.0, 7.3, 1.0, 1e-15, 300},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (int swap = 0; swap < 2; swap++) {
      bool ok = false;
      root_calls = 0;
      double lo = swap ? cases[i].hi : cases[i].lo, hi = swap ? cases[i].lo : cases[i].hi;
      double x = scree_root(cases[i].f, NULL, lo, hi, 0.0, &ok);
      cr_assert(ok, "case %zu", i);
      cr_assert_float_eq(x, cases[i].want, cases[i].tolerance, "case %zu: %.17g", i, x);
      cr_assert_leq(root_calls, cases[i].calls, "case %zu took %d calls", i, root_calls);
    }
  }
}

Test(special, root_at_an_end_is_returned_at_once) {
  bool ok = false;
  root_calls = 0;
  cr_assert_eq(scree_root(identity, NULL, 0.0, 1.0, 0.0, &ok), 0.0);
  cr_assert(ok);
  cr_assert_eq(scree_root(identity, NULL, -1.0, 0.0, 0.0, &ok), 0.0);
  cr_assert(ok);
  cr_assert_eq(root_calls, 4);
}

Test(special, root_respects_a_looser_tolerance_with_less_work) {
  bool ok = false;
  root_calls = 0;
  scree_root(triple, NULL, -5.0, 7.3, 0.0, &ok);
  int full = root_calls;
  root_calls = 0;
  double x = scree_root(triple, NULL, -5.0, 7.3, 1e-4, &ok);
  cr_assert(ok);
  cr_assert_float_eq(x, 1.0, 1e-4);
  cr_assert_lt(root_calls, full / 2);
}

Test(special, root_reports_a_missing_sign_change_and_nan) {
  bool ok = true;
  cr_assert(isnan(scree_root(cos_minus_x, NULL, 2.0, 3.0, 0.0, &ok)));
  cr_assert_not(ok);
  ok = true;
  cr_assert(isnan(scree_root(hole, NULL, -1.0, 2.0, 0.0, &ok)));
  cr_assert_not(ok);
  ok = true;
  cr_assert(isnan(scree_root(log_plus_5, NULL, -1.0, 1.0, 0.0, &ok)));
  cr_assert_not(ok);
}
