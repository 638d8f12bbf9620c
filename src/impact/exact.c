/* exact.c: the power-law oscillator solved in closed form, MODELS.md 5.
 *
 * The map d = A x^q, dt/ds = A q x^(q-1), q = 2/(p+1), A = ((p+1)/2)^(1/(p+1)) turns
 * m d'' + alpha sqrt(m K) d^((p-1)/2) d' + K d^p = 0 into x'' + 2 a W0 x' + W0^2 x = 0 with x(0) = 0, x'(0) = v0.
 * Written with the phase th = W1 s (a < 1: x = (v0/W1) exp(-k th) sin th) or its hyperbolic twin, everything but the
 * partial durations is elementary; those are quadratures. */
#include "scree/exact.h"

#include <math.h>

#include "core/special.h"
#include "core/status.h"
#include "models/prepare.h"

/* The transformed oscillator. For a < 1, |a - 1| small and a > 1 alike, x = (v0/W0) S(u) with u = W0 s. */
typedef struct Oscillator {
  double p, q, r; /* r = (p-1)/(p+1) */
  double big_a, w0, a, v0, mass, k;
  double alpha;
} Oscillator;

static Oscillator oscillator(double p, double alpha, double v0, double mass, double k) {
  return (Oscillator){.p = p,
                      .q = 2.0 / (p + 1.0),
                      .r = (p - 1.0) / (p + 1.0),
                      .big_a = pow(0.5 * (p + 1.0), 1.0 / (p + 1.0)),
                      .w0 = sqrt(k / mass),
                      .a = alpha / sqrt(2.0 * (p + 1.0)),
                      .v0 = v0,
                      .mass = mass,
                      .k = k,
                      .alpha = alpha};
}

/* S(u) and S'(u) of S'' + 2 a S' + S = 0, S(0) = 0, S'(0) = 1. */
static void response(double a, double u, double *s, double *ds) {
  double gap = 1.0 - a * a;
  if (gap > 1e-14) {
    double w = sqrt(gap), decay = exp(-a * u), sine = sin(w * u) / w;
    *s = decay * sine;
    *ds = decay * (cos(w * u) - a * sine);
  } else if (gap < -1e-14) { /* two decays; the slow rate a - w is 1/(a + w) */
    double w = sqrt(-gap), fast = a + w, slow = 1.0 / fast;
    *s = -exp(-slow * u) * expm1(-2.0 * w * u) / (2.0 * w);
    *ds = (fast * exp(-fast * u) - slow * exp(-slow * u)) / (2.0 * w);
  } else {
    *s = u * exp(-u);
    *ds = (1.0 - u) * exp(-u);
  }
}

/* u at which S' = c S, 0 < w u < pi. With s = c + a the condition is w cot(w u) = s, or its hyperbolic twin
 * w u = ln((s + w)/(s - w))/2; `excess` is s - w for a > 1, which the caller knows without cancellation. */
static double phase_where(double a, double c, double excess) {
  double gap = 1.0 - a * a, slope = c + a;
  if (gap > 1e-14) {
    double w = sqrt(gap);
    return atan2(w, slope) / w;
  }
  if (gap < -1e-14) {
    double w = sqrt(-gap);
    return excess > 0.0 ? 0.5 * log((slope + w) / excess) / w : INFINITY;
  }
  return slope > 0.0 ? 1.0 / slope : INFINITY;
}

/* a - w = 1/(a + w) for a > 1; unused below. */
static double slow_rate(double a) { return 1.0 / (a + sqrt(fmax(a * a - 1.0, 0.0))); }

static double turning_phase(const Oscillator *o) { return phase_where(o->a, 0.0, slow_rate(o->a)); }
/* F = x^r (...)(S + 2 a S') up to constants: zero where S' = -S/(2a); there s - w = 1/(2 a (a + w)^2). */
static double zero_force_phase(const Oscillator *o) {
  double slow = slow_rate(o->a);
  return o->a > 0.0 ? phase_where(o->a, -0.5 / o->a, 0.5 / o->a * slow * slow) : acos(-1.0);
}
static double exit_phase(const Oscillator *o) { return o->a < 1.0 ? acos(-1.0) / sqrt(1.0 - o->a * o->a) : INFINITY; }

static double overlap_at(const Oscillator *o, double s) {
  return s > 0.0 ? o->big_a * pow(o->v0 / o->w0 * s, o->q) : 0.0;
}

/* K d^p + alpha sqrt(m K) d^((p-1)/2) v with v = v0 S'. */
static double force_at(const Oscillator *o, double s, double ds) {
  double d = overlap_at(o, s);
  return o->k * pow(d, o->p) + o->alpha * sqrt(o->mass * o->k) * pow(d, 0.5 * (o->p - 1.0)) * o->v0 * ds;
}

/* Time until phase u: integral of A q x^(q-1) ds, singular like u^(q-1) at both ends of the contact. */
typedef struct TimeIntegral {
  const Oscillator *o;
  double end;
} TimeIntegral;
static double time_integrand(double from_start, double to_end, void *context) {
  const TimeIntegral *t = context;
  const Oscillator *o = t->o;
  double s, ds;
  response(o->a, from_start, &s, &ds);
  /* next to the exit S vanishes: there it is exp(-k pi) sin(w * rest)/w with the rest known exactly */
  double rest = exit_phase(o) - t->end + to_end;
  if (o->a < 1.0 && rest < 0.1) {
    double w = sqrt(1.0 - o->a * o->a);
    s = exp(-o->a * from_start) * sin(w * rest) / w;
  }
  return s > 0.0 ? pow(s, o->q - 1.0) : 0.0;
}
static double time_until(const Oscillator *o, double u) {
  TimeIntegral t = {o, u};
  double scale = o->big_a * o->q / o->w0 * pow(o->v0 / o->w0, o->q - 1.0);
  return scale * scree_integrate(time_integrand, &t, 0.0, u);
}

/* Stationary total force: with z = S'/S, r c z^2 + (1 + r - 2 a c) z - c = 0 where c = 2a is the damping over the
 * elastic coefficient (both in transformed units); its positive root is the peak (MODELS.md 5.8). */
static double peak_force(const Oscillator *o, double *phase) {
  double first = o->p == 1.0 ? o->alpha * sqrt(o->mass * o->k) * o->v0 : 0.0;
  *phase = 0.0;
  /* K d^p = K A^p x^(2p/(p+1)) and alpha sqrt(mK) d^((p-1)/2) v = ... x^r v: ratio of their coefficients */
  double elastic = o->k * pow(o->big_a, o->p) * (o->v0 / o->w0),
         viscous = o->alpha * sqrt(o->mass * o->k) * pow(o->big_a, 0.5 * (o->p - 1.0)) * o->v0;
  double c = viscous / elastic, s, ds;
  double qa = o->r * c, qb = 1.0 + o->r - 2.0 * o->a * c, qc = -c;
  double root = qb * qb - 4.0 * qa * qc;
  double z = c == 0.0 ? 0.0 : (root >= 0.0 ? 2.0 * -qc / (qb + sqrt(root)) : -1.0);
  if (c > 0.0 && !(z > 0.0 && isfinite(z))) return first; /* it falls from first touch on */
  double at = phase_where(o->a, z, z + slow_rate(o->a));
  response(o->a, at, &s, &ds);
  double force = force_at(o, s, ds);
  if (force <= first) return first;
  *phase = at;
  return force;
}

ScreeExactDef scree_exact_def_default(void) {
  return (ScreeExactDef){
      .exponent = 1.5, .restitution = NAN, .alpha = NAN, .speed = 0.3, .mass = 4.6, .stiffness = 5.2e9};
}

static ScreeStatus in_range(const char *what, double value, double low, double high) {
  if (value >= low && value <= high) return SCREE_OK;
  if (isnan(value)) return scree_fail(SCREE_MISSING, "%s is missing", what);
  return scree_fail(SCREE_INVALID, "%s must be in %.3g ... %.3g (got %.10g)", what, low, high, value);
}

static ScreeStatus exact_alpha(const ScreeExactDef *def, double *alpha) {
  double spread = sqrt(2.0 * (def->exponent + 1.0));
  if (isnan(def->alpha) == isnan(def->restitution))
    return scree_fail(isnan(def->alpha) ? SCREE_MISSING : SCREE_INVALID, "give the restitution or alpha, one of them");
  if (!isnan(def->alpha)) return *alpha = def->alpha, in_range("alpha", def->alpha, 0.0, 1e6);
  if (!(def->restitution > 0.0 && def->restitution <= 1.0))
    return scree_fail(SCREE_INVALID, "the restitution must be 0 < e <= 1 (got %.10g)", def->restitution);
  *alpha = spread * scree_ratio_for_overlap_exit(def->restitution);
  return SCREE_OK;
}

/* Closed form of the whole duration by the complex Gamma function (MODELS.md 5.5); ratio to the undamped one. */
static double duration_ratio(const Oscillator *o) {
  double gap = 1.0 - o->a * o->a, kap = o->a / sqrt(gap) * o->r, half = 0.5 * (o->q + 1.0);
  return pow(gap, -0.5 * o->q) * exp(0.5 * kap * acos(-1.0)) * scree_gamma_abs2(half, 0.0) /
         scree_gamma_abs2(half, 0.5 * kap);
}

static void exact_zero_force(const Oscillator *o, ScreeExact *x) {
  double s, ds, u = zero_force_phase(o);
  response(o->a, u, &s, &ds);
  x->restitution_clamped = o->a > 0.0 ? exp(-2.0 * scree_exit_exponent(o->a)) : 1.0;
  x->overlap_zero_force = o->a > 0.0 ? overlap_at(o, s) : 0.0;
  x->duration_zero_force = o->a > 0.0 ? time_until(o, u) : x->duration;
  double left = x->energy_initial * x->restitution_clamped * x->restitution_clamped;
  double stored = o->k * pow(x->overlap_zero_force, o->p + 1.0) / (o->p + 1.0);
  x->energy_dissipated_unloading_zero_force = x->energy_initial - x->energy_dissipated_loading - left - stored;
}

ScreeStatus scree_exact_solve(const ScreeExactDef *def, ScreeExact *x) {
  SCREE_NEED(def);
  SCREE_NEED(x);
  double alpha = NAN, s, ds;
  SCREE_TRY(in_range("the exponent", def->exponent, 1.0, 10.0));
  SCREE_TRY(in_range("the speed", def->speed, 1e-12, 1e9));
  SCREE_TRY(in_range("the mass", def->mass, 1e-30, 1e30));
  SCREE_TRY(in_range("the stiffness", def->stiffness, 1e-30, 1e40));
  SCREE_TRY(exact_alpha(def, &alpha));
  Oscillator o = oscillator(def->exponent, alpha, def->speed, def->mass, def->stiffness);
  *x = (ScreeExact){
      .exponent = o.p, .alpha = alpha, .alpha_effective = o.a, .speed = o.v0, .mass = o.mass, .stiffness = o.k};
  double energy = x->energy_initial = 0.5 * o.mass * o.v0 * o.v0;
  double turn = o.a > 0.0 ? exp(-2.0 * scree_exit_exponent(o.a)) : 1.0; /* squared amplitude left at the turn */
  double e = x->restitution = o.a < 1.0 ? exp(-acos(-1.0) * o.a / sqrt(1.0 - o.a * o.a)) : 0.0;
  x->energy_dissipated_loading = o.a > 0.0 ? -energy * expm1(-2.0 * scree_exit_exponent(o.a)) : 0.0;
  x->energy_dissipated_unloading = energy * (turn - e * e);
  response(o.a, turning_phase(&o), &s, &ds);
  x->max_overlap = overlap_at(&o, s);
  double peak;
  x->max_force = peak_force(&o, &peak);
  x->max_force_time = peak > 0.0 ? time_until(&o, peak) : 0.0;
  double slow = pow(o.v0 / o.w0, -o.r) / o.w0;
  x->duration_elastic = o.big_a * o.q * slow * scree_beta(1.0 / (o.p + 1.0), 0.5);
  x->duration_ratio = o.a < 1.0 ? duration_ratio(&o) : INFINITY;
  x->duration = x->duration_elastic * x->duration_ratio;
  x->loading_time = time_until(&o, turning_phase(&o));
  exact_zero_force(&o, x);
  x->timestep_transformed = 4.0 * o.big_a / (o.p + 1.0) * slow;
  x->timestep_tangent = x->timestep_transformed * sqrt((o.p + 1.0) / (2.0 * o.p));
  return SCREE_OK;
}

/* ---- states ---- */

static Oscillator oscillator_of(const ScreeExact *x) {
  return oscillator(x->exponent, x->alpha, x->speed, x->mass, x->stiffness);
}

static ScreeExactPoint point_at(const Oscillator *o, double u, double time) {
  double s, ds;
  response(o->a, u, &s, &ds);
  if (o->a < 1.0 && u >= exit_phase(o)) s = 0.0;
  return (ScreeExactPoint){
      .time = time, .overlap = overlap_at(o, s), .velocity = o->v0 * ds, .force = force_at(o, s, ds)};
}

/* Overdamped contacts never end; their portrait is shown until twenty slow decay times after the turn. */
static double last_phase(const Oscillator *o) {
  return o->a < 1.0 ? exit_phase(o) : turning_phase(o) + 20.0 / slow_rate(o->a);
}

ScreeStatus scree_exact_at_phase(const ScreeExact *exact, double phase, ScreeExactPoint *out) {
  SCREE_NEED(exact);
  SCREE_NEED(out);
  if (!(phase >= 0.0 && phase <= 1.0))
    return scree_fail(SCREE_INVALID, "the phase must be in 0 ... 1 (got %.10g)", phase);
  Oscillator o = oscillator_of(exact);
  double u = phase * last_phase(&o);
  *out = point_at(&o, u, phase > 0.0 ? time_until(&o, u) : 0.0);
  return SCREE_OK;
}

typedef struct TimeSearch {
  const Oscillator *o;
  double time;
} TimeSearch;
static double time_mismatch(double u, void *context) {
  const TimeSearch *t = context;
  return (u > 0.0 ? time_until(t->o, u) : 0.0) - t->time;
}

ScreeStatus scree_exact_at_time(const ScreeExact *exact, double time, ScreeExactPoint *out) {
  SCREE_NEED(exact);
  SCREE_NEED(out);
  if (!(time >= 0.0 && time <= exact->duration * (1.0 + 1e-12)))
    return scree_fail(SCREE_INVALID, "the time must be in 0 ... %.10g s (got %.10g)", exact->duration, time);
  Oscillator o = oscillator_of(exact);
  TimeSearch t = {&o, time};
  bool ok = true;
  double high = last_phase(&o);
  while (o.a >= 1.0 && time_until(&o, high) < time && high < 1e6) high *= 2.0;
  double u = time_mismatch(high, &t) <= 0.0 ? high : scree_root(time_mismatch, &t, 0.0, high, 0.0, &ok);
  if (!ok) return scree_fail(SCREE_NO_CONVERGENCE, "no state found at time %.10g s", time);
  *out = point_at(&o, u, time);
  return SCREE_OK;
}

typedef struct OverlapSearch {
  const Oscillator *o;
  double overlap;
} OverlapSearch;
static double overlap_mismatch(double u, void *context) {
  const OverlapSearch *t = context;
  double s, ds;
  response(t->o->a, u, &s, &ds);
  return overlap_at(t->o, s) - t->overlap;
}

ScreeStatus scree_exact_velocity(const ScreeExact *exact, double overlap, bool unloading, double *velocity) {
  SCREE_NEED(exact);
  SCREE_NEED(velocity);
  if (!(overlap >= 0.0 &&
        overlap <= exact->max_overlap * (1.0 + 1e-9))) /* a measured maximum may be a rounding above */
    return scree_fail(SCREE_INVALID, "the overlap must be in 0 ... %.10g m (got %.10g)", exact->max_overlap, overlap);
  Oscillator o = oscillator_of(exact);
  if (overlap == 0.0 && (!unloading || o.a < 1.0)) /* the entry and the exit themselves */
    return *velocity = unloading ? -exact->restitution * o.v0 : o.v0, SCREE_OK;
  OverlapSearch t = {&o, overlap};
  bool ok = true;
  double turn = turning_phase(&o), s, ds;
  double u = overlap >= exact->max_overlap ? turn
             : unloading                   ? scree_root(overlap_mismatch, &t, turn, last_phase(&o), 0.0, &ok)
                                           : scree_root(overlap_mismatch, &t, 0.0, turn, 0.0, &ok);
  if (!ok) return scree_fail(SCREE_OUT_OF_RANGE, "the unloading branch does not come back to %.10g m", overlap);
  response(o.a, u, &s, &ds);
  *velocity = o.v0 * ds;
  return SCREE_OK;
}
