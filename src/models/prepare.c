/* prepare.c: from what a user knows of a pair to constants a law computes with; every check on the way. */
#include "prepare.h"

#include "core/foreign.h"

#include <stdio.h>
#include <string.h>

#include "catalogue.h"

/* ---- definitions ---- */

ScreePairDef scree_pair_def_default(void) {
  ScreeMaterial unknown = {NAN, NAN, NAN};
  ScreePairDef def = {.stiffness = NAN,
                      .exponent = NAN,
                      .mass = NAN,
                      .restitution = NAN,
                      .speed = NAN,
                      .min_speed = 1e-9,
                      .radius = {NAN, NAN},
                      .length = NAN,
                      .half_width = NAN,
                      .material = {unknown, unknown},
                      .damping = SCREE_LAW_NONE,
                      .elastic = SCREE_LAW_NONE};
  for (int i = 0; i < SCREE_PARAM_COUNT; i++) def.param[i] = NAN;
  return def;
}

ScreePairDef scree_pair_def_review(void) {
  ScreePairDef def = scree_pair_def_default();
  def.mass = 4.6;
  def.stiffness = 5.2e9;
  def.speed = 0.3;
  def.geometry = SCREE_SPHERE_SPHERE;
  def.radius[0] = def.radius[1] = 0.02;
  def.material[0] = (ScreeMaterial){70e9, 0.33, 2700.0};
  return def;
}

ScreePairDef scree_pair_def_joint(void) {
  ScreePairDef def = scree_pair_def_default();
  def.mass = 37.6e-3 * 8.29e-3 / (37.6e-3 + 8.29e-3); /* both cylinders are free */
  def.speed = 0.2;
  def.geometry = SCREE_CYLINDER_INTERNAL;
  def.radius[0] = 5e-3;
  def.radius[1] = 4.75e-3;
  def.length = 15e-3;
  def.material[0] = (ScreeMaterial){210e9, 0.3, 7850.0};
  return def;
}

double scree_pair_def_body_mass(const ScreePairDef *def, int body) {
  double density = scree_given(def->material[body].density) ? def->material[body].density : def->material[0].density;
  double r = def->radius[body], pi = acos(-1.0);
  switch (def->geometry) {
  case SCREE_SPHERE_PLANE:
    if (body == 1) return INFINITY;
    break;
  case SCREE_SPHERE_SPHERE:
  case SCREE_SPHERE_IN_SPHERE: break;
  case SCREE_CYLINDER_INTERNAL:
  case SCREE_CYLINDER_EXTERNAL: return pi * r * r * def->length * density;
  case SCREE_NO_GEOMETRY:
  case SCREE_PLANE_PLANE: return NAN;
  }
  return 4.0 / 3.0 * pi * r * r * r * density;
}

double scree_pair_def_mass(const ScreePairDef *def) {
  if (scree_given(def->mass)) return def->mass;
  double first = scree_pair_def_body_mass(def, 0), second = scree_pair_def_body_mass(def, 1);
  bool hollow = def->geometry == SCREE_SPHERE_IN_SPHERE || def->geometry == SCREE_CYLINDER_INTERNAL;
  return hollow ? second : 1.0 / (1.0 / first + 1.0 / second);
}

ScreeStatus scree_pair_def_set(ScreePairDef *def, ScreeLawId law, const char *name, double value) {
  SCREE_NEED(def);
  SCREE_NEED(name);
  const ScreeLawInfo *info = scree_law_info(law);
  if (!info) return scree_fail(SCREE_UNKNOWN, "no such law");
  const ScreeParamInfo *param = scree_law_param(law, name);
  if (param) return def->param[param->id] = value, SCREE_OK;
  char list[256] = "";
  for (int i = 0; i < info->param_count; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", info->params[i].name);
  }
  const char *here = scree_foreign_word(name);
  if (here) return scree_fail(SCREE_UNKNOWN, "%s has no parameter \"%.40s\": %s", info->name, name, here);
  if (info->param_count == 0)
    return scree_fail(SCREE_UNKNOWN, "%s takes no parameters (got \"%.40s\")", info->name, name);
  return scree_fail(SCREE_UNKNOWN, "%s has no parameter \"%.40s\"; it takes: %s", info->name, name, list);
}

/* ---- what a law's preparation calls ---- */

static const char *name_of(const ScreePair *pair) { return scree_law_info(pair->law)->name; }

ScreeStatus scree_pair_pick(const ScreePairDef *def, const ScreePair *pair, int count, const ScreeAlternative *list,
                            double *value) {
  *value = NAN;
  ScreeParamId from = SCREE_PARAM_COUNT;
  for (int i = 0; i < count; i++) {
    double given = def->param[list[i].id];
    if (!scree_given(given)) continue;
    if (!(list[i].scale > 0.0) || isinf(list[i].scale))
      return scree_fail(SCREE_MISSING, "%s: %s needs the effective mass and the speed of the case", name_of(pair),
                        scree_param_name(list[i].id));
    double here = given * list[i].scale;
    if (scree_given(*value) && fabs(here - *value) > 1e-6 * fmax(fabs(here), fabs(*value)))
      return scree_fail(SCREE_INVALID, "%s: %s = %.10g contradicts %s", name_of(pair), scree_param_name(list[i].id),
                        given, scree_param_name(from));
    if (!scree_given(*value)) *value = here, from = list[i].id;
  }
  return SCREE_OK;
}

void scree_pair_resolve(ScreePair *pair, int count, const ScreeAlternative *list, double value) {
  for (int i = 0; i < count; i++)
    if (list[i].scale > 0.0) pair->resolved[list[i].id] = value / list[i].scale;
}

ScreeStatus scree_need_stiffness(const ScreePair *pair) {
  if (scree_given(pair->k)) return SCREE_OK;
  return scree_fail(SCREE_MISSING, "%s needs a stiffness, or materials and radii to compute it from", name_of(pair));
}

ScreeStatus scree_need_mass(const ScreePair *pair) {
  if (scree_given(pair->mass)) return SCREE_OK;
  return scree_fail(SCREE_MISSING, "%s needs the effective mass", name_of(pair));
}

ScreeStatus scree_need_restitution(const ScreePairDef *def, const ScreePair *pair) {
  if (scree_given(def->restitution)) return SCREE_OK;
  const ScreeLawInfo *info = scree_law_info(pair->law);
  if (info->param_count == 0) return scree_fail(SCREE_MISSING, "%s needs a restitution", info->name);
  return scree_fail(SCREE_MISSING, "%s needs a restitution, or its parameter %s", info->name, info->params[0].name);
}

double scree_param_or_preset(const ScreePairDef *def, const ScreePair *pair, ScreeParamId id) {
  if (scree_given(def->param[id])) return def->param[id];
  const ScreeParamInfo *param = scree_law_param(pair->law, scree_param_name(id));
  return param ? param->preset : NAN;
}

ScreeStatus scree_need_param(const ScreePairDef *def, ScreePair *pair, ScreeParamId id, double *value) {
  *value = scree_param_or_preset(def, pair, id);
  pair->resolved[id] = *value;
  if (scree_given(*value)) return SCREE_OK;
  return scree_fail(SCREE_MISSING, "%s needs the parameter %s", name_of(pair), scree_param_name(id));
}

ScreeStatus scree_no_strength(const ScreePair *pair) {
  const ScreeParamInfo *first = &scree_law_info(pair->law)->params[0];
  return scree_fail(SCREE_MISSING, "%s needs its parameter %s [%s] (%s), or a restitution to calibrate it to",
                    name_of(pair), first->name, first->unit, first->meaning);
}

bool scree_variant_is(const ScreePairDef *def, const char *name) {
  return def->variant && strcmp(def->variant, name) == 0;
}

ScreeStatus scree_check_variant(const ScreePairDef *def, const ScreePair *pair, const char *known) {
  if (!def->variant || strcmp(def->variant, "recommended") == 0) return SCREE_OK;
  size_t length = strlen(def->variant);
  for (const char *at = known; *at;) {
    size_t word = strcspn(at, " ");
    if (word == length && strncmp(at, def->variant, word) == 0) return SCREE_OK;
    at += word + (at[word] == ' ');
  }
  if (!*known) return scree_fail(SCREE_UNKNOWN, "%s has no variant \"%.40s\"", name_of(pair), def->variant);
  return scree_fail(SCREE_UNKNOWN, "%s has no variant \"%.40s\"; it has: recommended %s", name_of(pair), def->variant,
                    known);
}

/* ---- damping ratios and factors ---- */

double scree_elastic_duration(double k, double n, double mass, double speed) {
  double deepest = pow(0.5 * (n + 1.0) * mass * speed * speed / k, 1.0 / (n + 1.0));
  return 2.0 * deepest / speed * scree_beta(1.0 / (n + 1.0), 0.5) / (n + 1.0);
}

/* In Gonthier's variable d = X e and y = 1 - d the root obeys y = (1 + (1-y)/e) exp(-(1-y)(1+1/e)); ln y is the
 * variable that stays accurate where y underflows like exp(-1/e), and 1 - y where e is near one. */
typedef struct FactorEquation {
  double e;
} FactorEquation;
static double factor_equation(double x, void *context) {
  double e = ((const FactorEquation *)context)->e;
  /* X(1+e) - ln(1+X) + ln(1-X e), each term through log1pmx: the linear parts cancel exactly */
  return -scree_log1pmx(x) + scree_log1pmx(-x * e);
}
static double factor_gap_equation(double log_gap, void *context) {
  double e = ((const FactorEquation *)context)->e;
  double d = -expm1(log_gap);
  return log_gap - log1p(d / e) + d * (1.0 + 1.0 / e);
}
double scree_exact_factor(double e) {
  if (!(e > 0.0)) return INFINITY;
  if (e >= 1.0) return 0.0;
  bool ok;
  FactorEquation equation = {e};
  if (e > 0.3) {
    /* the trivial root X = 0 is excluded by the lower end, which lies below the series' X = 1.5 (1-e) */
    double x = scree_root(factor_equation, &equation, 1.2 * (1.0 - e), (1.0 - 1e-14) / e, 0.0, &ok);
    if (ok) return x;
  }
  double log_gap = scree_root(factor_gap_equation, &equation, -2.0 - 2.0 / e, -1e-3, 0.0, &ok);
  return ok ? -expm1(log_gap) / e : NAN;
}

double scree_ratio_for_overlap_exit(double e) {
  double l = -log(e);
  return l / hypot(acos(-1.0), l);
}

double scree_exit_exponent(double a) {
  double gap = 1.0 - a * a;
  if (fabs(gap) < 1e-4) { /* acos(a)/sqrt(1-a^2) = 1 + g/6 + 3 g^2/40 ..., g = 1 - a^2, times a */
    return a * (1.0 + gap * (1.0 / 6.0 + gap * (3.0 / 40.0 + gap * (5.0 / 112.0 + gap * 35.0 / 1152.0)))) * 1.0;
  }
  return gap > 0.0 ? a / sqrt(gap) * acos(a) : a / sqrt(-gap) * acosh(a);
}

typedef struct ExitEquation {
  double exponent;
} ExitEquation;
static double exit_equation(double log_ratio, void *context) {
  return scree_exit_exponent(exp(log_ratio)) - ((const ExitEquation *)context)->exponent;
}
/* Inverts scree_exit_exponent, which grows from 0 like (pi/2) a to ln(2a). */
static double ratio_for_exponent(double exponent) {
  if (exponent <= 0.0) return 0.0;
  bool ok;
  ExitEquation equation = {exponent};
  double low = log(exponent) - 3.0, high = exponent + 3.0;
  if (low > -3.0) low = -3.0;
  return exp(scree_root(exit_equation, &equation, low, high, 0.0, &ok));
}
double scree_ratio_for_force_exit(double e) { return ratio_for_exponent(-0.5 * log(e)); }
double scree_ratio_for_jankowski(double e) { return ratio_for_exponent(-log(e)); }

double scree_law_factor(ScreeLawId law, double restitution) {
  const ScreeLawInfo *info = scree_law_info(law);
  if (!info || !(info->flags & SCREE_FACTOR)) return NAN;
  ScreePairDef def = scree_pair_def_default();
  ScreePair pair;
  def.stiffness = def.mass = def.speed = 1.0;
  def.restitution = restitution;
  return scree_pair_prepare(law, &def, &pair) == SCREE_OK ? pair.factor : NAN;
}

/* ---- checks ---- */

static ScreeStatus check_positive(const char *what, const char *unit, double value, double low, double high) {
  if (!scree_given(value) || (value >= low && value <= high)) return SCREE_OK;
  return scree_fail(SCREE_INVALID, "%s must be in %.3g ... %.3g%s%s (got %.10g)", what, low, high, *unit ? " " : "",
                    unit, value);
}

ScreeStatus scree_law_accepts(ScreeLawId law, double e) {
  const ScreeLawInfo *info = scree_law_info(law);
  if (!info) return scree_fail(SCREE_UNKNOWN, "no such law");
  if (!scree_given(e) || info->group == SCREE_TANGENTIAL) return SCREE_OK;
  if (info->domain == SCREE_E_NONE)
    return scree_fail(SCREE_INVALID, "%s is conservative and takes no restitution (got %.10g)", info->name, e);
  bool low = info->domain == SCREE_E_CLOSED ? e >= 0.0 : e >= 1e-12;
  if (low && e <= 1.0) return SCREE_OK;
  return scree_fail(SCREE_INVALID, "%s needs a restitution %s e <= 1 (got %.10g)", info->name,
                    info->domain == SCREE_E_CLOSED ? "0 <=" : "0 <", e);
}

static ScreeStatus check_params(const ScreeLawInfo *info, const ScreePairDef *def) {
  for (int i = 0; i < info->param_count; i++) {
    const ScreeParamInfo *p = &info->params[i];
    double value = def->param[p->id];
    if (scree_given(value) && !(value >= p->low && value <= p->high))
      return scree_fail(SCREE_INVALID, "%s: %s must be in %.3g ... %.3g%s%s (got %.10g)", info->name, p->name, p->low,
                        p->high, strcmp(p->unit, "1") ? " " : "", strcmp(p->unit, "1") ? p->unit : "", value);
  }
  return SCREE_OK;
}

static ScreeStatus check_numbers(const ScreePairDef *def) {
  SCREE_TRY(check_positive("the effective mass", "kg", def->mass, 1e-30, 1e30));
  SCREE_TRY(check_positive("the speed", "m/s", def->speed, 1e-12, 1e9));
  SCREE_TRY(check_positive("the stiffness", "N/m^n", def->stiffness, 1e-30, 1e40));
  SCREE_TRY(check_positive("the smallest latched speed", "m/s", def->min_speed, 0.0, 1e9));
  for (int i = 0; i < 2; i++) {
    SCREE_TRY(check_positive("a radius", "m", def->radius[i], 1e-15, 1e12));
    SCREE_TRY(check_positive("the Young modulus", "Pa", def->material[i].young, 1e-6, 1e20));
    SCREE_TRY(check_positive("the Poisson ratio", "", def->material[i].poisson, -0.999, 0.5));
    SCREE_TRY(check_positive("the density", "kg/m3", def->material[i].density, 1e-6, 1e20));
  }
  SCREE_TRY(check_positive("the length", "m", def->length, 1e-15, 1e12));
  return check_positive("the half width", "m", def->half_width, 1e-15, 1e12);
}

/* The second material where it was not given is the first. */
static ScreeMaterial second_material(const ScreePairDef *def) {
  ScreeMaterial m = def->material[1];
  if (!scree_given(m.young)) m.young = def->material[0].young;
  if (!scree_given(m.poisson)) m.poisson = def->material[0].poisson;
  if (!scree_given(m.density)) m.density = def->material[0].density;
  return m;
}

static bool has_moduli(ScreeMaterial m) { return scree_given(m.young) && scree_given(m.poisson); }

static ScreeStatus resolve_elastic(const ScreeLawInfo *info, const ScreePairDef *def, ScreePair *p) {
  ScreeMaterial second = second_material(def);
  bool moduli = has_moduli(def->material[0]) && has_moduli(second);
  p->reduced_modulus = moduli ? scree_composite_modulus(def->material[0], second) : NAN;
  p->reduced_radius = scree_effective_radius(def->geometry, def->radius[0], def->radius[1]);
  p->n = scree_given(def->exponent) ? def->exponent : info->exponent;
  p->k = def->stiffness;
  if (scree_given(p->k) || def->geometry == SCREE_NO_GEOMETRY || !moduli || info->group == SCREE_LINE) return SCREE_OK;
  double natural, size = def->geometry == SCREE_PLANE_PLANE ? def->half_width : def->radius[0];
  SCREE_TRY(scree_stiffness(def->geometry, def->material[0], second, size, def->radius[1], &p->k, &natural));
  if (info->exponent == 2.0 || info->law == SCREE_LAW_yigit_linear || p->n == natural) return SCREE_OK;
  return scree_fail(
      SCREE_INVALID,
      "this geometry gives a stiffness in N/m^%.3g, but %s has the exponent %.3g: give the stiffness itself", natural,
      info->name, p->n);
}

static ScreeStatus check_exponent(const ScreeLawInfo *info, const ScreePairDef *def) {
  double n = def->exponent;
  if (!scree_given(n)) return SCREE_OK;
  if (!(n >= 1.0 && n <= 10.0)) return scree_fail(SCREE_INVALID, "the exponent must be in 1 ... 10 (got %.10g)", n);
  if (info->flags & SCREE_FREE_EXPONENT || n == info->exponent) return SCREE_OK;
  if (isnan(info->exponent)) return scree_fail(SCREE_INVALID, "%s is no power law and takes no exponent", info->name);
  return scree_fail(SCREE_INVALID, "%s has the fixed exponent %.3g (got %.10g)", info->name, info->exponent, n);
}

/* ---- line contacts ---- */

static ScreeStatus check_joint(const ScreeLawInfo *info, const ScreePairDef *def, const ScreePair *p) {
  bool external = def->geometry == SCREE_CYLINDER_EXTERNAL;
  if (!external && def->geometry != SCREE_CYLINDER_INTERNAL)
    return scree_fail(SCREE_MISSING, "%s is a line contact: it needs two cylinders, internal or external", info->name);
  if (external && info->flags & SCREE_INTERNAL_ONLY)
    return scree_fail(SCREE_UNSUPPORTED, "%s is defined for internal contact (pin in hole) only", info->name);
  if (!scree_given(def->radius[0]) || !scree_given(def->radius[1]) || !scree_given(def->length))
    return scree_fail(SCREE_MISSING, "%s needs both radii and the length of the cylinders", info->name);
  if (!external && def->radius[0] <= def->radius[1])
    return scree_fail(SCREE_INVALID, "internal contact needs a hole larger than the pin (radii %.10g m and %.10g m)",
                      def->radius[0], def->radius[1]);
  if (!scree_given(p->reduced_modulus))
    return scree_fail(SCREE_MISSING, "%s needs the Young modulus and Poisson ratio of the cylinders", info->name);
  return SCREE_OK;
}

/* Elastic unless a factor or a restitution asks for damping; then by the chosen law's factor, zhang_sharf's by default
 * since it delivers the restitution, and Pereira's own for his law (MODELS.md 8). */
static ScreeStatus damp_line(const ScreeLawInfo *info, const ScreePairDef *def, ScreePair *p) {
  double x = def->param[SCREE_PARAM_chi_hat];
  if (!scree_given(x) && scree_given(def->restitution)) {
    ScreeLawId by = def->damping;
    if (by == SCREE_LAW_NONE)
      by = info->law == SCREE_LAW_cyl_pereira ? SCREE_LAW_lankarani_nikravesh : SCREE_LAW_zhang_sharf;
    const ScreeLawInfo *damper = scree_law_info(by);
    if (!damper || !(damper->flags & SCREE_FACTOR))
      return scree_fail(SCREE_UNSUPPORTED, "%s has no damping factor: choose a law of the Hunt-Crossley form",
                        damper ? damper->name : "the damping law");
    SCREE_TRY(scree_law_accepts(by, def->restitution));
    p->damping = by;
    x = scree_law_factor(by, def->restitution);
  } else if (!scree_given(x) && def->damping != SCREE_LAW_NONE) {
    const ScreeLawInfo *damper = scree_law_info(def->damping);
    if (!damper) return scree_fail(SCREE_UNKNOWN, "no such damping law (%d)", (int)def->damping);
    return scree_fail(SCREE_MISSING, "damping by %s needs a restitution", damper->name);
  }
  if (!scree_given(x)) return SCREE_OK;
  p->factor = x;
  p->resolved[SCREE_PARAM_chi_hat] = x;
  return SCREE_OK;
}

/* luo_nahon over a law of the catalogue is that law, damped by the exact factor. */
static ScreeStatus unwrap(ScreeLawId *law, ScreePairDef *def) {
  if (*law != SCREE_LAW_luo_nahon || def->elastic == SCREE_LAW_NONE) return SCREE_OK;
  const ScreeLawInfo *inner = scree_law_info(def->elastic);
  if (!inner || !(inner->flags & SCREE_ELASTIC))
    return scree_fail(SCREE_UNSUPPORTED, "luo_nahon wraps an elastic law: hooke, hertz or a line law (got %s)",
                      inner ? inner->name : "none");
  if (inner->group == SCREE_LINE) {
    if (!scree_given(def->restitution) && !scree_given(def->param[SCREE_PARAM_chi_hat]))
      return scree_fail(SCREE_MISSING, "luo_nahon needs a restitution, or its parameter chi_hat");
    *law = inner->law;
    def->damping = SCREE_LAW_zhang_sharf;
  } else if (!scree_given(def->exponent)) {
    def->exponent = inner->exponent;
  }
  return SCREE_OK;
}

/* Lankarani & Nikravesh quote v0 <= 1e-5 sqrt(E/rho) (MODELS.md 3.2, D9): a warning, since everyone exceeds it. */
static void warn_speed(const ScreeLawInfo *info, const ScreePairDef *def, ScreePair *p) {
  double limit = 1e-5 * sqrt(def->material[0].young / def->material[0].density);
  if (info->law != SCREE_LAW_lankarani_nikravesh || !(def->speed > limit)) return;
  snprintf(p->warning, sizeof p->warning,
           "the impact speed %.4g m/s exceeds the limit quoted for this law, 1e-5 sqrt(E/rho) = %.4g m/s", def->speed,
           limit);
}

ScreeStatus scree_pair_prepare(ScreeLawId law, const ScreePairDef *user, ScreePair *p) {
  SCREE_NEED(user);
  SCREE_NEED(p);
  ScreePairDef def = *user;
  def.mass = scree_pair_def_mass(user);
  if (!scree_law_info(law)) return scree_fail(SCREE_UNKNOWN, "no such law");
  SCREE_TRY(unwrap(&law, &def));
  const ScreeLawInfo *info = scree_law_info(law);
  if (info->group == SCREE_TANGENTIAL)
    return scree_fail(SCREE_UNSUPPORTED, "%s is a tangential law: it has no normal force", info->name);
  *p = (ScreePair){
      .law = law, .r = 1.0, .mass = def.mass, .min_speed = def.min_speed, .limit = INFINITY, .damping = SCREE_LAW_NONE};
  for (int i = 0; i < SCREE_PARAM_COUNT; i++) p->resolved[i] = NAN;
  SCREE_TRY(check_numbers(&def));
  SCREE_TRY(scree_law_accepts(law, def.restitution));
  SCREE_TRY(check_params(info, &def));
  SCREE_TRY(check_exponent(info, &def));
  SCREE_TRY(resolve_elastic(info, &def, p));
  p->m = p->n;
  if (info->group == SCREE_LINE) {
    SCREE_TRY(check_joint(info, &def, p));
    SCREE_TRY(damp_line(info, &def, p));
  } else if (def.variant && strcmp(def.variant, "recommended") != 0) {
    return scree_fail(SCREE_UNKNOWN, "%s has no variants (got \"%.40s\")", info->name, def.variant);
  } else if (def.damping != SCREE_LAW_NONE &&
             !(info->law == SCREE_LAW_luo_nahon && def.damping == SCREE_LAW_zhang_sharf)) {
    return scree_fail(SCREE_UNSUPPORTED, "%s has its own damping: only line laws take another law's factor",
                      info->name);
  }
  SCREE_TRY(scree_law_ops(law)->prepare(&def, p));
  warn_speed(info, &def, p);
  return SCREE_OK;
}
