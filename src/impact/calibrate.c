/* calibrate.c: the damping parameter that really delivers a restitution. Closed form where the law has one; otherwise
 * the integrated restitution is bracketed over the parameter's logarithm and its root found. */
#include <math.h>
#include <stdio.h>

#include "collision.h"
#include "core/special.h"
#include "core/status.h"
#include "models/prepare.h"

/* ---- closed forms ---- */

/* e^2 = 2 (1/X - ln(1+X)/X^2), MODELS.md 4.4. */
static double pant_equation(double log_x, void *context) {
  double x = exp(log_x), e = *(const double *)context;
  return -2.0 * scree_log1pmx(x) / (x * x) - e * e;
}
static double pant_factor(double e) {
  bool ok;
  return e >= 1.0 ? 0.0 : exp(scree_root(pant_equation, &e, log(1e-14), log(4.0 / (e * e)) + 1.0, 0.0, &ok));
}

/* The parameter from a closed form, NaN when the law has none. prepared: the pair with a strength of its own. */
static double closed_parameter(const ScreeImpactDef *def, const ScreeLawInfo *info, ScreeParamId *id) {
  double e = def->pair.restitution, k = def->pair.stiffness, mass = def->pair.mass;
  bool overlap = def->separation == SCREE_AT_OVERLAP;
  double ratio = overlap ? scree_ratio_for_overlap_exit(e) : scree_ratio_for_force_exit(e);
  *id = info->param_count ? info->params[0].id : SCREE_PARAM_COUNT;
  switch (info->law) {
  case SCREE_LAW_kelvin_voigt:
  case SCREE_LAW_anagnostopoulos:
  case SCREE_LAW_goyal: return 2.0 * sqrt(k * mass) * ratio;
  case SCREE_LAW_tsuji: return sqrt(5.0) * ratio;
  case SCREE_LAW_power_law_tsuji:
    return sqrt(2.0 * ((isnan(def->pair.exponent) ? 1.5 : def->pair.exponent) + 1.0)) * ratio;
  case SCREE_LAW_jankowski_simple:
  case SCREE_LAW_jankowski_refined:
  case SCREE_LAW_jankowski_exact: return 0.5 * sqrt(5.0) * scree_ratio_for_jankowski(e);
  case SCREE_LAW_pant_wijeyewickrema: return pant_factor(e);
  case SCREE_LAW_hysteretic_linear: return k / (e * e);
  case SCREE_LAW_goldsmith_plastic: return e; /* its only input, and exact */
  default: break;
  }
  bool factor = info->flags & SCREE_FACTOR || info->group == SCREE_LINE;
  return factor ? scree_exact_factor(e) : NAN;
}

/* ---- search ---- */

typedef struct Search {
  ScreeImpactDef def;
  ScreeParamId id;
  double target;
  double low_e, high_e; /* reached so far */
  int impacts, converged;
  ScreeStatus status; /* of the last run that failed for another reason than stiffness */
} Search;

/* Achieved restitution for a parameter value; a contact too stiff to integrate does not rebound. */
static double achieved(Search *s, double value) {
  ScreeImpactResult r = {0};
  ScreeMotion motion;
  s->def.pair.param[s->id] = value;
  s->impacts++;
  s->status = scree_pair_prepare(s->def.law, &s->def.pair, &r.pair);
  if (s->status == SCREE_OK) s->status = scree_collide(&s->def, &r.pair, NULL, NULL, &motion, &r);
  if (s->status == SCREE_NO_CONVERGENCE)
    s->status = SCREE_OK, r.restitution = 0.0;
  else
    s->converged++;
  if (s->status != SCREE_OK) return NAN;
  s->low_e = fmin(s->low_e, r.restitution);
  s->high_e = fmax(s->high_e, r.restitution);
  return r.restitution;
}

static double mismatch(double log_value, void *context) {
  Search *s = context;
  double difference = achieved(s, exp(log_value)) - s->target;
  return fabs(difference) < 2e-13 ? 0.0 : difference; /* the integration's own accuracy: e = 1 is a plateau */
}

/* A value at which the damping force equals the elastic one; a time of the contact for laws without a dashpot. */
static double natural_value(Search *s) {
  ScreePair pair;
  ScreeMotion m;
  double y[SCREE_ODE_MAX];
  s->def.pair.param[s->id] = 1.0;
  if (scree_pair_prepare(s->def.law, &s->def.pair, &pair) != SCREE_OK) return 1.0;
  if (scree_motion_begin(&s->def, &pair, &m, y) != SCREE_OK) return 1.0;
  if (m.loop_work) return m.length / m.speed;
  double memory[SCREE_MAX_SLOTS] = {m.flowing ? m.length / m.speed : 0.0};
  double c = m.ops->damping(&m.law, m.length, m.speed, memory) * m.speed;
  double elastic = m.ops->stored(&m.law, m.length, memory) / m.length;
  return c > 0.0 && elastic > 0.0 && isfinite(elastic / c) ? elastic / c : 1.0;
}

/* Walks the parameter's logarithm from `at` in one direction until the target lies between two neighbours. */
static bool walk(Search *s, double at, double step, double end, double *low, double *high) {
  double f = mismatch(at, s);
  for (int i = 0; i < 160 && at != end && fabs(step) > 1e-9; i++) {
    double next = step > 0.0 ? fmin(at + step, end) : fmax(at + step, end);
    double g = mismatch(next, s);
    if (!isnan(f) && !isnan(g) && f * g <= 0.0) {
      *low = fmin(at, next);
      *high = fmax(at, next);
      return true;
    }
    if (isnan(g) && !isnan(f)) { /* beyond what the law allows: come nearer to the border */
      step *= 0.5;
      continue;
    }
    at = next, f = g;
  }
  return false;
}

/* Brackets the target. Damping grows from nothing, so the first crossing on the way up is the physical one: some laws
 * (xiong) come back to the same restitution with a contact that is merely stiffer. A yield limit dissipates less as it
 * grows, and is searched on both sides of any start. */
static bool bracket(Search *s, const ScreeParamInfo *param, double *low, double *high) {
  double floor = log(fmax(param->low, 1e-30)), ceiling = log(param->high);
  double start = fmin(fmax(log(natural_value(s)), floor), ceiling);
  if (param->low > 0.0) return walk(s, start, 1.0, ceiling, low, high) || walk(s, start, -1.0, floor, low, high);
  double weak = fmin(fmax(start + log(1e-3 * fmax(1.0 - s->target, 1e-9)), floor), ceiling);
  return walk(s, weak, 0.7, ceiling, low, high);
}

static const char *separation_name(ScreeSeparation s) {
  static const char *const names[] = {"overlap", "force", "clamp"};
  return names[s];
}

static ScreeStatus search(const ScreeImpactDef *def, const ScreeLawInfo *info, ScreeCalibration *out) {
  Search s = {
      .def = *def, .id = info->params[0].id, .target = def->pair.restitution, .low_e = INFINITY, .high_e = -INFINITY};
  s.def.pair.restitution = NAN;
  s.def.calibrated = false;
  s.def.max_evaluations = def->max_evaluations < 400000 ? def->max_evaluations : 400000;
  double low, high;
  if (!bracket(&s, &info->params[0], &low, &high)) {
    if (s.low_e > s.high_e) return s.status; /* no run at all: its own sentence stands */
    if (s.converged == 0)
      return scree_fail(SCREE_NO_CONVERGENCE, "%s: the contact is too stiff to integrate in this case", info->name);
    return scree_fail(
        SCREE_UNREACHABLE,
        "%s cannot reach e = %.10g in this case with separation %s: its parameter %s gives e in %.4g ... %.4g",
        info->name, s.target, separation_name(def->separation), info->params[0].name, s.low_e, s.high_e);
  }
  bool ok;
  double root = scree_root(mismatch, &s, low, high, 1e-15, &ok);
  if (!ok) { /* the strengths between two that run need not run */
    char reason[200];
    snprintf(reason, sizeof reason, "%s", scree_last_error());
    return scree_fail(
        SCREE_UNREACHABLE,
        "%s cannot reach e = %.10g in this case with separation %s: between %s = %.4g and %.4g it does not "
        "run (%s)",
        info->name, s.target, separation_name(def->separation), info->params[0].name, exp(low), exp(high), reason);
  }
  double e = achieved(&s, exp(root));
  if (!(fabs(e - s.target) < 1e-9)) /* where a contact begins to stall the restitution may jump to zero */
    return scree_fail(
        SCREE_UNREACHABLE,
        "%s cannot reach e = %.10g in this case with separation %s: e jumps over it at %s = %.10g, where it "
        "is %.4g; in all it gives e in %.4g ... %.4g",
        info->name, s.target, separation_name(def->separation), info->params[0].name, exp(root), e, s.low_e, s.high_e);
  out->value = exp(root);
  out->impacts = s.impacts;
  return SCREE_OK;
}

/* ---- the restitution to ask the plain law for ---- */

typedef struct InputSearch {
  const ScreeImpactDef *def;
  ScreeParamId id;
  double value;
} InputSearch;

static double input_mismatch(double e, void *context) {
  const InputSearch *s = context;
  ScreePairDef def = s->def->pair;
  ScreePair pair;
  def.restitution = e;
  def.param[s->id] = NAN;
  return scree_pair_prepare(s->def->law, &def, &pair) == SCREE_OK ? pair.resolved[s->id] - s->value : NAN;
}

static double input_restitution(const ScreeImpactDef *def, const ScreeLawInfo *info, ScreeParamId id, double value) {
  if (info->flags & SCREE_EMPIRICAL || id == SCREE_PARAM_COUNT || info->domain == SCREE_E_NONE) return NAN;
  bool ok;
  InputSearch s = {def, id, value};
  double low = info->domain == SCREE_E_CLOSED ? 0.0 : 1e-9;
  double e = scree_root(input_mismatch, &s, low, 1.0, 0.0, &ok);
  return ok && fabs(input_mismatch(e, &s)) <= 1e-6 * fmax(value, 1e-6) ? e : NAN; /* a jump of a fit is no root */
}

/* ---- */

static ScreeStatus check_target(const ScreeImpactDef *def, const ScreeLawInfo *info) {
  double e = def->pair.restitution;
  if (isnan(e)) return scree_fail(SCREE_MISSING, "calibration needs the wanted restitution");
  if (info->group == SCREE_TANGENTIAL || (info->flags & SCREE_ELASTIC && info->group != SCREE_LINE))
    return scree_fail(SCREE_UNSUPPORTED, "%s has no damping parameter to calibrate", info->name);
  if (!(e > 0.0 && e <= 1.0))
    return scree_fail(SCREE_UNREACHABLE, "%s cannot reach e = %.10g: a restitution 0 < e <= 1 can be reached",
                      info->name, e);
  if (e < 1e-6)
    return scree_fail(SCREE_UNREACHABLE, "%s cannot reach e = %.10g: calibration is made for e >= 1e-6", info->name, e);
  return SCREE_OK;
}

/* K as the preparation finds it, for closed forms that need it. */
static ScreeStatus resolve_stiffness(const ScreeImpactDef *def, const ScreeLawInfo *info, ScreeImpactDef *resolved) {
  ScreePair pair;
  *resolved = *def;
  if (info->group == SCREE_LINE || info->param_count == 0 || info->flags & SCREE_FACTOR) return SCREE_OK;
  if (isnan(def->pair.stiffness) && def->pair.geometry != SCREE_NO_GEOMETRY) {
    SCREE_TRY(scree_pair_prepare(info->exponent == 1.0 ? SCREE_LAW_hooke : SCREE_LAW_hertz,
                                 &(ScreePairDef){.stiffness = NAN,
                                                 .exponent = info->exponent,
                                                 .mass = def->pair.mass,
                                                 .restitution = NAN,
                                                 .speed = def->pair.speed,
                                                 .geometry = def->pair.geometry,
                                                 .radius = {def->pair.radius[0], def->pair.radius[1]},
                                                 .half_width = def->pair.half_width,
                                                 .length = NAN,
                                                 .material = {def->pair.material[0], def->pair.material[1]},
                                                 .damping = SCREE_LAW_NONE,
                                                 .elastic = SCREE_LAW_NONE},
                                 &pair));
    resolved->pair.stiffness = pair.k;
  }
  return SCREE_OK;
}

ScreeStatus scree_impact_calibrate(const ScreeImpactDef *user, ScreeCalibration *out) {
  SCREE_NEED(user);
  SCREE_NEED(out);
  ScreeImpactDef own = *user;
  const ScreeImpactDef *def = &own;
  own.pair.mass = scree_pair_def_mass(&user->pair);
  const ScreeLawInfo *info = scree_law_info(def->law);
  if (!info) return scree_fail(SCREE_UNKNOWN, "no such law");
  SCREE_TRY(check_target(def, info));
  if ((unsigned)def->separation > SCREE_CLAMPED)
    return scree_fail(SCREE_UNKNOWN, "no such separation (%d)", (int)def->separation);
  if (isnan(def->pair.speed)) return scree_fail(SCREE_MISSING, "the impact speed is missing");
  if (isnan(def->pair.mass)) return scree_fail(SCREE_MISSING, "the effective mass is missing");
  *out =
      (ScreeCalibration){.parameter = SCREE_PARAM_COUNT, .name = "restitution", .unit = "1", .input_restitution = NAN};
  ScreeImpactDef resolved;
  bool search_needed = info->flags & SCREE_EMPIRICAL && def->law != SCREE_LAW_kelvin_voigt;
  if (!search_needed) SCREE_TRY(resolve_stiffness(def, info, &resolved));
  out->value = search_needed ? NAN : closed_parameter(&resolved, info, &out->parameter);
  out->closed_form = !isnan(out->value);
  if (out->closed_form && def->law != SCREE_LAW_goldsmith_plastic && info->param_count == 0) out->value = NAN;
  if (!out->closed_form) {
    out->parameter = info->params[0].id;
    if (def->pair.restitution == 1.0 && info->params[0].low == 0.0)
      out->value = 0.0;
    else
      SCREE_TRY(search(def, info, out));
  }
  if (out->parameter < SCREE_PARAM_COUNT) {
    out->name = info->params[0].name;
    out->unit = info->params[0].unit;
  }
  out->input_restitution = input_restitution(def, info, out->parameter, out->value);
  ScreeImpactDef check = *def;
  ScreeImpactResult r;
  check.calibrated = false;
  if (out->parameter < SCREE_PARAM_COUNT) {
    check.pair.param[out->parameter] = out->value;
    check.pair.restitution = NAN; /* the strength is given: nothing is left to calibrate */
  }
  SCREE_TRY(scree_impact_run(&check, &r));
  out->restitution = r.restitution;
  if (fabs(r.restitution - def->pair.restitution) > 1e-6)
    return scree_fail(SCREE_UNREACHABLE,
                      "%s cannot reach e = %.10g in this case: %s = %.10g gives %.10g (is the speed below the floor "
                      "of %.3g m/s?)",
                      info->name, def->pair.restitution, out->name, out->value, r.restitution, def->pair.min_speed);
  return SCREE_OK;
}
