/* forms.h: the forms that families of laws share. A law of a family is one line of macro in its .inl. */
#ifndef SCREE_FORMS_H
#define SCREE_FORMS_H

#include "kernel.h"
#include "prepare.h"

/* ---- Hunt-Crossley form: F = K d^n (1 + chi v), chi = X/v0 (MODELS.md 3) -------------------------------------------
 */

SCREE_KERNEL double hunt_crossley_form_force(const ScreeLaw *l, double d, double v) {
  return l->k * scree_power_of(l, d, l->n) * (1.0 + l->chi * v);
}
SCREE_KERNEL double power_law_energy(const ScreeLaw *l, double d) {
  return l->k * scree_power(d, l->n) * d / (l->n + 1.0);
}

#define SCREE_FACTOR_PARAM                                                                                             \
  SCREE_P(chi_hat, "1", 0.0, 1e15, SCREE_NO_PRESET, "damping factor X, instead of the law's own X(e)")

#define SCREE_HUNT_CROSSLEY_KERNELS(id)                                                                                \
  SCREE_KERNEL ScreeLaw id##_touch(const ScreePair *p, double v0) { return scree_frozen(p, scree_latched(p, v0)); }    \
  SCREE_HUNT_CROSSLEY_FORCE(id)

#define SCREE_HUNT_CROSSLEY_FORCE(id)                                                                                  \
  SCREE_KERNEL double id##_force(const ScreeLaw *l, double d, double v, double *memory) {                              \
    (void)memory;                                                                                                      \
    return hunt_crossley_form_force(l, d, v);                                                                          \
  }                                                                                                                    \
  SCREE_KERNEL double id##_damping(const ScreeLaw *l, double d, double v, const double *memory) {                      \
    (void)v, (void)memory;                                                                                             \
    return l->k * scree_power(d, l->n) * l->chi;                                                                       \
  }                                                                                                                    \
  SCREE_KERNEL double id##_stored(const ScreeLaw *l, double d, const double *memory) {                                 \
    (void)memory;                                                                                                      \
    return power_law_energy(l, d);                                                                                     \
  }                                                                                                                    \
  SCREE_MEMORYLESS(id)

/* A law of the family: its factor X as an expression in e. */
#define SCREE_HUNT_CROSSLEY(id, X_of_e)                                                                                \
  SCREE_HOST(                                                                                                          \
      static double id##_factor(double e) {                                                                            \
        return X_of_e;                                                                                                 \
      } static const ScreeParamInfo id##_params[] = {SCREE_FACTOR_PARAM, SCREE_P_END};                                 \
      static ScreeStatus id##_prepare(const ScreePairDef *def, ScreePair *p) {                                         \
        return hunt_crossley_form_prepare(def, p, id##_factor);                                                        \
      })                                                                                                               \
  SCREE_HUNT_CROSSLEY_KERNELS(id)

#ifdef SCREE_CATALOGUE
static ScreeStatus hunt_crossley_form_prepare(const ScreePairDef *def, ScreePair *p, ScreeFactor *factor) {
  SCREE_TRY(scree_need_stiffness(p));
  double x = def->param[SCREE_PARAM_chi_hat];
  if (!scree_given(x)) {
    SCREE_TRY(scree_need_restitution(def, p));
    x = factor(def->restitution);
  }
  p->factor = x;
  p->resolved[SCREE_PARAM_chi_hat] = x;
  return SCREE_OK;
}
#endif

#define WANG_PARAMS                                                                                                    \
  SCREE_P(Kstar, "1", 0.0, 1e6, 1.0, "yield-strength factor Ks"),                                                      \
      SCREE_P(cr_star, "1", 0.0, 1.0, SCREE_NO_PRESET, "restitution c at this speed, instead of Kstar"),               \
      SCREE_P(sigma_y1, "Pa", 0.0, 1e15, SCREE_NO_PRESET, "yield strength of one body, from which Kstar follows"),     \
      SCREE_P(sigma_y2, "Pa", 0.0, 1e15, SCREE_NO_PRESET, "yield strength of the other body"), SCREE_FACTOR_PARAM

#ifdef SCREE_CATALOGUE
/* Ks of two yield strengths (MODELS.md 3.3; "about equal" read as within 5 %). */
static double wang_kstar(double s1, double s2) {
  double high = fmax(s1, s2), low = fmin(s1, s2);
  if (high >= 2.0 * low) return high / (high - low);
  if (high <= 1.05 * low) return high / low;
  return high / (high + low);
}

/* Kstar, c or X, whichever is given; more than one must agree. u[0] = Kstar makes touch compute X from v0. */
static ScreeStatus wang_form_prepare(const ScreePairDef *def, ScreePair *p, ScreeFactor *factor) {
  SCREE_TRY(scree_need_stiffness(p));
  const double *given = def->param;
  double root = 0.26 * cbrt(def->speed); /* NaN without a speed */
  double ks = given[SCREE_PARAM_Kstar], x = given[SCREE_PARAM_chi_hat], cr = given[SCREE_PARAM_cr_star];
  if (!scree_given(ks) && given[SCREE_PARAM_sigma_y1] > 0.0 && given[SCREE_PARAM_sigma_y2] > 0.0)
    ks = wang_kstar(given[SCREE_PARAM_sigma_y1], given[SCREE_PARAM_sigma_y2]);
  if (!scree_given(ks) && !scree_given(cr) && !scree_given(x)) ks = 1.0;
  if (scree_given(ks)) {
    if (ks * root >= 1.0)
      return scree_fail(SCREE_INVALID, "the law needs a speed below %.10g m/s for Kstar = %.10g (got %.10g m/s)",
                        pow(0.26 * ks, -3.0), ks, def->speed);
    if (scree_given(cr) && fabs(cr - (1.0 - ks * root)) > 1e-6)
      return scree_fail(SCREE_INVALID, "cr_star = %.10g contradicts Kstar, which gives %.10g", cr, 1.0 - ks * root);
    cr = 1.0 - ks * root;
    p->u[0] = ks;
    p->resolved[SCREE_PARAM_Kstar] = ks;
  }
  double from_cr = factor(cr);
  if (scree_given(x) && scree_given(from_cr) && fabs(x - from_cr) > 1e-6 * fmax(1.0, x))
    return scree_fail(SCREE_INVALID, "chi_hat = %.10g contradicts cr_star, which gives %.10g", x, from_cr);
  p->factor = scree_given(from_cr) ? from_cr : x;
  p->resolved[SCREE_PARAM_cr_star] = cr;
  p->resolved[SCREE_PARAM_chi_hat] = p->factor;
  return SCREE_OK;
}
#endif

/* ---- spring and dashpot: F = K d^n + chi d^m v (MODELS.md 4) --------------------------------------------------------
 */

#define DASHPOT_PARAMS(ratio)                                                                                          \
  SCREE_P(D, "N s/m", 0.0, 1e30, SCREE_NO_PRESET, "dashpot coefficient"),                                              \
      SCREE_P(ratio, "1", 0.0, 1e6, SCREE_NO_PRESET, "damping ratio D/(2 sqrt(K m)), instead of D")
#define TSUJI_PARAMS                                                                                                   \
  SCREE_P(alpha, "1", 0.0, 1e6, SCREE_NO_PRESET, "damping strength, instead of the law's own function of e"),          \
      SCREE_P(alpha_eff, "1", 0.0, 1e6, SCREE_NO_PRESET, "damping ratio alpha/sqrt(2(p+1))"),                          \
      SCREE_P(chi, "N s/m^((p+1)/2)", 0.0, 1e30, SCREE_NO_PRESET, "damping coefficient alpha sqrt(m K)")
#define CHI_PARAM(unit) SCREE_P(chi, unit, 0.0, 1e30, SCREE_NO_PRESET, "damping coefficient")
#define CHI_OVER_MASS_PARAM                                                                                            \
  SCREE_P(chi_over_meff, "1/s", 0.0, 1e30, SCREE_NO_PRESET, "damping coefficient over the effective mass")

/* N, M: exponents as literals where the law fixes them, else l->n, l->m. */
#define SCREE_DASHPOT_KERNELS(id, N, M)                                                                                \
  SCREE_KERNEL ScreeLaw id##_touch(const ScreePair *p, double v0) {                                                    \
    (void)v0;                                                                                                          \
    return scree_frozen(p, p->c);                                                                                      \
  }                                                                                                                    \
  SCREE_KERNEL double id##_force(const ScreeLaw *l, double d, double v, double *memory) {                              \
    (void)memory;                                                                                                      \
    return l->k * scree_power_of(l, d, N) + l->chi * scree_power_of(l, d, M) * v;                                      \
  }                                                                                                                    \
  SCREE_KERNEL double id##_damping(const ScreeLaw *l, double d, double v, const double *memory) {                      \
    (void)d, (void)v, (void)memory;                                                                                    \
    return l->chi * scree_power(d, M);                                                                                 \
  }                                                                                                                    \
  SCREE_KERNEL double id##_stored(const ScreeLaw *l, double d, const double *memory) {                                 \
    (void)memory;                                                                                                      \
    return power_law_energy(l, d);                                                                                     \
  }                                                                                                                    \
  SCREE_MEMORYLESS(id)

#ifdef SCREE_CATALOGUE
/* Linear dashpot: D or its ratio zeta = D/(2 sqrt(K m)), under whichever name the law gives it. */
static ScreeStatus dashpot_prepare(const ScreePairDef *def, ScreePair *p, ScreeParamId ratio_name,
                                   double (*ratio)(double)) {
  SCREE_TRY(scree_need_stiffness(p));
  double critical = 2.0 * sqrt(p->k * p->mass);
  ScreeAlternative names[] = {{SCREE_PARAM_D, 1.0}, {ratio_name, critical}};
  p->m = 0.0;
  SCREE_TRY(SCREE_PICK(def, p, names, &p->c));
  if (!scree_given(p->c)) {
    if (!ratio) return scree_no_strength(p);
    SCREE_TRY(scree_need_restitution(def, p));
    SCREE_TRY(scree_need_mass(p));
    p->c = critical * ratio(def->restitution);
  }
  SCREE_RESOLVE(p, names, p->c);
  p->resolved[SCREE_PARAM_alpha] = 2.0 * p->c / critical;
  p->resolved[SCREE_PARAM_alpha_eff] = p->c / critical;
  return SCREE_OK;
}

/* chi = alpha sqrt(m K); a = alpha/sqrt(2(p+1)) is the damping ratio in transformed space (MODELS.md 5). */
static ScreeStatus tsuji_prepare_power(const ScreePairDef *def, ScreePair *p) {
  SCREE_TRY(scree_need_stiffness(p));
  SCREE_TRY(scree_need_mass(p));
  double unit = sqrt(p->mass * p->k);
  double spread = sqrt(2.0 * (p->n + 1.0));
  ScreeAlternative names[] = {
      {SCREE_PARAM_alpha, unit}, {SCREE_PARAM_alpha_eff, unit * spread}, {SCREE_PARAM_chi, 1.0}};
  p->m = (p->n - 1.0) / 2.0;
  SCREE_TRY(SCREE_PICK(def, p, names, &p->c));
  if (!scree_given(p->c)) {
    SCREE_TRY(scree_need_restitution(def, p));
    p->c = unit * spread * scree_ratio_for_overlap_exit(def->restitution);
  }
  SCREE_RESOLVE(p, names, p->c);
  return SCREE_OK;
}

/* Empirical strength chi, given as such or over the effective mass. */
static ScreeStatus chi_prepare(const ScreePairDef *def, ScreePair *p, double m) {
  SCREE_TRY(scree_need_stiffness(p));
  ScreeAlternative names[] = {{SCREE_PARAM_chi, 1.0}, {SCREE_PARAM_chi_over_meff, p->mass}};
  p->m = m;
  SCREE_TRY(SCREE_PICK(def, p, names, &p->c));
  if (!scree_given(p->c)) return scree_no_strength(p);
  SCREE_RESOLVE(p, names, p->c);
  return SCREE_OK;
}

/* Viscoelastic spheres (MODELS.md 4.2): chi = (3/2) K A, A given, or chi given, or A from viscosities. */
static ScreeStatus viscoelastic_prepare(const ScreePairDef *def, ScreePair *p,
                                        ScreeStatus (*from_viscosity)(const ScreePairDef *, ScreePair *, double *)) {
  SCREE_TRY(scree_need_stiffness(p));
  ScreeAlternative names[] = {{SCREE_PARAM_A, 1.5 * p->k}, {SCREE_PARAM_chi, 1.0}};
  p->m = 0.5;
  SCREE_TRY(SCREE_PICK(def, p, names, &p->c));
  if (!scree_given(p->c) && from_viscosity) SCREE_TRY(from_viscosity(def, p, &p->c));
  if (!scree_given(p->c)) return scree_no_strength(p);
  SCREE_RESOLVE(p, names, p->c);
  return SCREE_OK;
}

/* Viscosities by either convention: eta1 = 2 x shear, eta2 = bulk (MODELS.md 4.2, D16). NaN when not given. */
static ScreeStatus viscosities(const ScreePairDef *def, ScreePair *p, double *shear, double *bulk) {
  ScreeAlternative shear_names[] = {{SCREE_PARAM_eta_shear, 1.0}, {SCREE_PARAM_eta1, 0.5}};
  ScreeAlternative bulk_names[] = {{SCREE_PARAM_eta_bulk, 1.0}, {SCREE_PARAM_eta2, 1.0}};
  SCREE_TRY(SCREE_PICK(def, p, shear_names, shear));
  SCREE_TRY(SCREE_PICK(def, p, bulk_names, bulk));
  if (scree_given(*shear) != scree_given(*bulk))
    return scree_fail(SCREE_MISSING, "a viscosity is missing: give both the shear and the bulk viscosity");
  if (scree_given(*shear) && !(def->material[0].young > 0.0 && scree_given(def->material[0].poisson)))
    return scree_fail(SCREE_MISSING, "the viscosities need the material's Young modulus and Poisson ratio");
  return SCREE_OK;
}
#endif

#define SCREE_VISCOELASTIC_PARAMS                                                                                      \
  SCREE_P(A, "s", 0.0, 1e12, SCREE_NO_PRESET, "relaxation time, chi = (3/2) K A"),                                     \
      SCREE_P(chi, "N s/m^1.5", 0.0, 1e30, SCREE_NO_PRESET, "damping coefficient, instead of A")
#define SCREE_VISCOSITY_PARAMS                                                                                         \
  SCREE_P(eta_shear, "Pa s", 0.0, 1e30, SCREE_NO_PRESET, "shear viscosity, from which A follows"),                     \
      SCREE_P(eta_bulk, "Pa s", 0.0, 1e30, SCREE_NO_PRESET, "bulk viscosity")

/* ---- Jankowski: the dashpot of tsuji while approaching, Hertz while separating (MODELS.md 4.3) ---------------------
 */

#define SCREE_JANKOWSKI(id, ratio_of_e)                                                                                \
  SCREE_HOST(                                                                                                          \
      static const ScreeParamInfo id##_params[] = {SCREE_P(xi_bar, "1", 0.0, 1e15, SCREE_NO_PRESET,                    \
                                                           "damping ratio, instead of the law's own function of e"),   \
                                                   SCREE_P(alpha, "1", 0.0, 1e15, SCREE_NO_PRESET, "2 xi_bar"),        \
                                                   SCREE_P_END};                                                       \
      static ScreeStatus id##_prepare(const ScreePairDef *def, ScreePair *p) {                                         \
        SCREE_TRY(scree_need_stiffness(p));                                                                            \
        SCREE_TRY(scree_need_mass(p));                                                                                 \
        double unit = 2.0 * sqrt(p->k * p->mass);                                                                      \
        ScreeAlternative names[] = {{SCREE_PARAM_xi_bar, unit},                                                        \
                                    {SCREE_PARAM_alpha, 0.5 * unit},                                                   \
                                    {SCREE_PARAM_alpha_eff, 0.5 * sqrt(5.0) * unit}};                                  \
        p->m = 0.25;                                                                                                   \
        SCREE_TRY(SCREE_PICK(def, p, names, &p->c));                                                                   \
        if (!scree_given(p->c)) {                                                                                      \
          SCREE_TRY(scree_need_restitution(def, p));                                                                   \
          double e = def->restitution;                                                                                 \
          p->c = unit * (ratio_of_e);                                                                                  \
        }                                                                                                              \
        SCREE_RESOLVE(p, names, p->c);                                                                                 \
        return SCREE_OK;                                                                                               \
      })                                                                                                               \
  SCREE_KERNEL ScreeLaw id##_touch(const ScreePair *p, double v0) {                                                    \
    (void)v0;                                                                                                          \
    return scree_frozen(p, p->c);                                                                                      \
  }                                                                                                                    \
  SCREE_KERNEL double id##_force(const ScreeLaw *l, double d, double v, double *memory) {                              \
    (void)memory;                                                                                                      \
    return l->k * scree_power_of(l, d, 1.5) + l->chi * scree_power_of(l, d, 0.25) * scree_larger(v, 0.0);              \
  }                                                                                                                    \
  SCREE_KERNEL double id##_damping(const ScreeLaw *l, double d, double v, const double *memory) {                      \
    (void)memory;                                                                                                      \
    return v > 0.0 ? l->chi * scree_power(d, 0.25) : 0.0;                                                              \
  }                                                                                                                    \
  SCREE_KERNEL double id##_stored(const ScreeLaw *l, double d, const double *memory) {                                 \
    (void)memory;                                                                                                      \
    return power_law_energy(l, d);                                                                                     \
  }                                                                                                                    \
  SCREE_MEMORYLESS(id)

/* ---- Yigit: delta_y sets K_y = (3/2) K sqrt(delta_y) (MODELS.md 6.4) -----------------------------------------------
 */

#define YIGIT_PARAMS                                                                                                   \
  SCREE_P(delta_y, "m", 1e-30, 1e30, SCREE_NO_PRESET, "overlap at first yield"),                                       \
      SCREE_P(K_y, "N/m", 1e-30, 1e30, SCREE_NO_PRESET, "stiffness after yield, instead of delta_y")

#ifdef SCREE_CATALOGUE
static ScreeStatus yigit_form_prepare(const ScreePairDef *def, ScreePair *p) {
  SCREE_TRY(scree_need_stiffness(p));
  double yield = def->param[SCREE_PARAM_delta_y], slope = def->param[SCREE_PARAM_K_y];
  if (!scree_given(yield) && !scree_given(slope)) return scree_no_strength(p);
  if (!scree_given(yield)) yield = slope * slope / (2.25 * p->k * p->k);
  if (!(yield >= 1e-30)) return scree_fail(SCREE_INVALID, "K_y = %.10g N/m means a yield overlap below 1e-30 m", slope);
  p->u[0] = yield;
  p->c = 1.5 * p->k * sqrt(yield);
  if (scree_given(slope) && fabs(slope - p->c) > 1e-6 * p->c)
    return scree_fail(SCREE_INVALID, "K_y = %.10g contradicts delta_y, which gives %.10g N/m", slope, p->c);
  p->resolved[SCREE_PARAM_delta_y] = yield;
  p->resolved[SCREE_PARAM_K_y] = p->c;
  return SCREE_OK;
}
#endif

/* ---- line contacts: F = F_el(d) (1 + chi v) (MODELS.md 8) -----------------------------------------------------------
 */

/* Builds a line law from <id>_elastic (force) and <id>_energy, both of (law, d) with the constants u[] of the pair. */
#define SCREE_LINE_LAW(id)                                                                                             \
  SCREE_LINE_LAW_KERNELS(id)                                                                                           \
  SCREE_HOST(static const ScreeParamInfo id##_params[] = {SCREE_FACTOR_PARAM, SCREE_P_END};)

#define SCREE_LINE_LAW_KERNELS(id)                                                                                     \
  SCREE_KERNEL ScreeLaw id##_touch(const ScreePair *p, double v0) {                                                    \
    ScreeLaw l = scree_frozen(p, scree_latched(p, v0));                                                                \
    for (int i = 0; i < 6; i++) l.u[i] = p->u[i];                                                                      \
    return l;                                                                                                          \
  }                                                                                                                    \
  SCREE_KERNEL double id##_force(const ScreeLaw *l, double d, double v, double *memory) {                              \
    (void)memory;                                                                                                      \
    return id##_elastic(l, d) * (1.0 + l->chi * v);                                                                    \
  }                                                                                                                    \
  SCREE_KERNEL double id##_damping(const ScreeLaw *l, double d, double v, const double *memory) {                      \
    (void)v, (void)memory;                                                                                             \
    return id##_elastic(l, d) * l->chi;                                                                                \
  }                                                                                                                    \
  SCREE_KERNEL double id##_stored(const ScreeLaw *l, double d, const double *memory) {                                 \
    (void)memory;                                                                                                      \
    return id##_energy(l, d);                                                                                          \
  }                                                                                                                    \
  SCREE_MEMORYLESS(id)

/* Implicit log laws d = s f ln(B/f), f = F/L: u = {s, B, L}. Inverted in closed form by the lower Lambert branch:
 * with y = ln(B/f), y - ln y = ln(s B/d), so y is the upper root for excess ln(limit/d), limit = s B/e; NaN beyond. */
SCREE_KERNEL double log_law_force(const ScreeLaw *l, double d) {
  if (!(d > 0.0)) return 0.0;
  double excess = log(l->u[0] * l->u[1] / d) - 1.0;
  if (excess < 0.0) return NAN;
  return l->u[2] * d / (l->u[0] * scree_log_root_upper(excess));
}
/* Integral of F over d: with f as variable, L s f^2/2 (ln(B/f) - 1/2). */
SCREE_KERNEL double log_law_energy(const ScreeLaw *l, double d) {
  double f = log_law_force(l, d) / l->u[2];
  return d > 0.0 ? l->u[2] * l->u[0] * f * f * 0.5 * (log(l->u[1] / f) - 0.5) : 0.0;
}
#define SCREE_LOG_LAW(id)                                                                                              \
  SCREE_KERNEL double id##_elastic(const ScreeLaw *l, double d) { return log_law_force(l, d); }                        \
  SCREE_KERNEL double id##_energy(const ScreeLaw *l, double d) { return log_law_energy(l, d); }                        \
  SCREE_LINE_LAW(id)

#ifdef SCREE_CATALOGUE
typedef struct Joint {
  double clearance; /* dR: R1 - R2 internal, R1 + R2 external */
  double r1;
  double r2;
  double radius;
  double length;
  double modulus;
} Joint;

/* Geometry and modulus of a line contact, checked by scree_pair_prepare. */
static Joint joint(const ScreePairDef *def, const ScreePair *p) {
  double r1 = def->radius[0], r2 = def->radius[1];
  double dr = def->geometry == SCREE_CYLINDER_EXTERNAL ? r1 + r2 : r1 - r2;
  return (Joint){dr, r1, r2, r1 * r2 / dr, def->length, p->reduced_modulus};
}

static ScreeStatus log_law_prepare(ScreePair *p, double s, double b, double length) {
  p->u[0] = s;
  p->u[1] = b;
  p->u[2] = length;
  p->limit = s * b * exp(-1.0);
  p->n = NAN;
  p->m = NAN;
  return SCREE_OK;
}

#endif

#endif
