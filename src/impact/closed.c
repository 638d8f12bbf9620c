/* closed.c: collisions without integrating the motion: energies and restitution in closed form, durations as closed
 * forms or quadratures over the phase portrait. Returns what scree_impact_run returns. */
#include <math.h>
#include <string.h>

#include "collision.h"
#include "core/special.h"
#include "core/status.h"
#include "models/prepare.h"
#include "scree/exact.h"

/* ---- one branch of the phase portrait ---- */

/* Travel between an overlap and the turning point `deepest` under a force g(d) (1 + X v/v0), g conservative. */
typedef struct Branch {
  const ScreeLawOps *ops;
  ScreeLaw law; /* with its damping taken out */
  double memory[SCREE_MAX_SLOTS];
  bool virgin; /* loading of a plastic law: work done is stored plus lost, memory follows the overlap */
  double x;    /* X; 0: conservative */
  bool unloading;
  double mass, speed, deepest;
  double rest;  /* overlap at which the branch's force vanishes */
  double limit; /* of the law: the force is steep next to it */
  double kink;  /* overlap at which the force has a kink in its slope; 0: none */
  double from;  /* start of the current integral */
  double to;
} Branch;

static double branch_force(const Branch *b, double d) {
  double memory[SCREE_MAX_SLOTS];
  memcpy(memory, b->memory, sizeof memory);
  if (b->virgin) memory[0] = 0.0;
  return b->ops->force(&b->law, d, 0.0, memory);
}

static double branch_energy(const Branch *b, double d) {
  if (b->virgin) return b->ops->stored(&b->law, d, &d) + b->ops->lost(&b->law, &d);
  return b->ops->stored(&b->law, d, b->memory);
}

/* Energy over the stretch of length gap below `top`: when short by ten-point Gauss quadrature of the force, since the
 * difference of two stored energies would cancel. */
static double energy_below(const Branch *b, double top, double gap) {
  static const double node[5] = {0.148874338981631211, 0.433395394129247191, 0.679409568299024406, 0.865063366688984511,
                                 0.973906528517171720};
  static const double weight[5] = {0.295524224714752870, 0.269266719309996355, 0.219086362515982044,
                                   0.149451349150580593, 0.0666713443086881376};
  if (gap > fmin(0.2 * (top - b->rest), 0.1 * (b->limit - top)))
    return branch_energy(b, top) - branch_energy(b, top - gap);
  double sum = 0.0, half = 0.5 * gap;
  for (int i = 0; i < 5; i++) {
    sum += weight[i] * branch_force(b, top - half * (1.0 + node[i]));
    sum += weight[i] * branch_force(b, top - half * (1.0 - node[i]));
  }
  return half * sum;
}

/* Energy between the turning point and an overlap `gap` below it. */
static double energy_gap(const Branch *b, double gap) {
  double past = b->deepest - b->kink;
  if (b->kink <= 0.0 || gap <= past) return energy_below(b, b->deepest, gap);
  return energy_below(b, b->deepest, past) + energy_below(b, b->kink, gap - past);
}

/* |v| where the energy gap to the turning point is u (MODELS.md 3, phase portrait). */
static double branch_speed(const Branch *b, double u) {
  if (b->x == 0.0) return sqrt(2.0 * u / b->mass);
  double excess = b->x * b->x * u / (b->mass * b->speed * b->speed);
  return b->speed / b->x * (b->unloading ? scree_log_root_lower_gap(excess) : scree_log_root_upper_gap(excess));
}

static double slowness(double from_a, double to_b, void *context) {
  const Branch *b = context;
  (void)from_a;
  double gap = b->deepest - b->to + to_b;
  double speed = branch_speed(b, energy_gap(b, gap));
  return speed > 0.0 ? 1.0 / speed : 0.0;
}

static double travel_time(Branch *b, double from, double to) {
  b->from = from;
  b->to = to;
  return scree_integrate(slowness, b, from, to);
}

/* ---- laws of the form g(d) (1 + X v/v0): the Hunt-Crossley family, line laws, and the conservative ones ---- */

static double energy_mismatch(double log_d, void *context) {
  const Branch *b = context;
  double u = branch_energy(b, exp(log_d));
  return isnan(u) ? INFINITY : log(u / b->from);
}

/* The overlap at which the energy is u: bracketed around the scale of the motion. */
static double overlap_of_energy(Branch *b, double u, double scale) {
  double low = log(scale), high = low;
  b->from = u;
  while (energy_mismatch(low, b) > 0.0 && low > -700.0) low -= 1.0;
  while (energy_mismatch(high, b) < 0.0 && high < 700.0) high += 1.0;
  bool ok;
  double d = scree_root(energy_mismatch, b, low, high, 0.0, &ok);
  bool found = ok && fabs(energy_mismatch(d, b)) < 1e-9; /* else the law ends before it stores that much */
  return found ? exp(d) : NAN;
}

/* Stationary force on loading: g'/g = X^2 g/((y-1) m v0^2), y = 1 + X v/v0. */
static double peak_equation(double share, void *context) {
  const Branch *b = context;
  double d = share * b->deepest;
  double h = 1e-3 * fmin(d, fabs(b->deepest - d) + 1e-3 * d);
  double slope = (8.0 * (branch_force(b, d + h) - branch_force(b, d - h)) - branch_force(b, d + 2.0 * h) +
                  branch_force(b, d - 2.0 * h)) /
                 (12.0 * h);
  double g = branch_force(b, d), energy = b->mass * b->speed * b->speed;
  double excess = b->x * b->x * energy_gap(b, b->deepest - d) / energy;
  return slope * scree_log_root_upper_gap(excess) * energy - b->x * b->x * g * g;
}

static void peak_of_factor_form(Branch *b, ScreeImpactResult *r) {
  bool ok = b->x > 0.0;
  double d = b->deepest;
  if (ok) d *= scree_root(peak_equation, b, 1e-6, 1.0 - 1e-9, 1e-13, &ok);
  if (!ok) d = b->deepest;
  double v = ok ? branch_speed(b, energy_gap(b, b->deepest - d)) : 0.0;
  r->max_force = branch_force(b, d) * (1.0 + b->x * v / b->speed);
  r->max_force_time = ok ? travel_time(b, 0.0, d) : r->loading_time;
}

/* Loading of a factor form; leaves the branch at its turning point. */
static ScreeStatus factor_loading(const ScreeMotion *m, double limit, Branch *b, ScreeImpactResult *r) {
  double energy = m->mass * m->speed * m->speed;
  *b = (Branch){
      .ops = m->ops, .law = m->law, .x = m->law.chi * m->speed, .mass = m->mass, .speed = m->speed, .limit = limit};
  b->law.chi = 0.0;
  double at_turn = b->x > 0.0 ? -scree_log1pmx(b->x) / (b->x * b->x) * energy : 0.5 * energy;
  b->deepest = overlap_of_energy(b, at_turn, m->length);
  if (!(b->deepest < limit))
    return scree_fail(SCREE_OUT_OF_RANGE, "the overlap reaches the limit of the law in this geometry, %.10g m", limit);
  r->max_overlap = b->deepest;
  r->loading_time = travel_time(b, 0.0, b->deepest);
  r->energy_dissipated_loading = b->x > 0.0 ? 0.5 * energy - at_turn : 0.0;
  peak_of_factor_form(b, r);
  return SCREE_OK;
}

static ScreeStatus factor_form(const ScreeMotion *m, const ScreePair *pair, ScreeImpactResult *r) {
  Branch b;
  SCREE_TRY(factor_loading(m, pair->limit, &b, r));
  double energy = m->mass * m->speed * m->speed;
  double e = b.x > 0.0 ? scree_log_root_lower_gap(-scree_log1pmx(b.x)) / b.x : 1.0;
  b.unloading = true;
  r->restitution = e;
  r->duration = r->loading_time + travel_time(&b, 0.0, b.deepest);
  r->energy_dissipated_unloading = b.x > 0.0 ? 0.5 * energy * (1.0 - e * e) - r->energy_dissipated_loading : 0.0;
  return SCREE_OK;
}

/* Damped like a factor form while approaching, elastic after. */
static ScreeStatus pant(const ScreeMotion *m, const ScreePair *pair, ScreeImpactResult *r) {
  Branch b;
  (void)pair;
  SCREE_TRY(factor_loading(m, INFINITY, &b, r));
  r->restitution = b.x > 0.0 ? sqrt(-2.0 * scree_log1pmx(b.x)) / b.x : 1.0;
  r->duration = r->loading_time + 0.5 * acos(-1.0) * sqrt(m->mass / m->law.k);
  r->energy_dissipated_unloading = 0.0;
  return SCREE_OK;
}

/* ---- the power-law oscillator and Jankowski's half of it ---- */

static ScreeStatus solve_oscillator(const ScreeMotion *m, double p, ScreeExact *x) {
  ScreeExactDef def = {.exponent = p,
                       .restitution = NAN,
                       .alpha = m->law.chi / sqrt(m->mass * m->law.k),
                       .speed = m->speed,
                       .mass = m->mass,
                       .stiffness = m->law.k};
  return scree_exact_solve(&def, x);
}

static void oscillator_loading(const ScreeExact *x, ScreeImpactResult *r) {
  r->max_overlap = x->max_overlap;
  r->max_force = x->max_force;
  r->max_force_time = x->max_force_time;
  r->loading_time = x->loading_time;
  r->energy_dissipated_loading = x->energy_dissipated_loading;
}

static ScreeStatus tsuji_form(const ScreeMotion *m, const ScreePair *pair, ScreeSeparation separation,
                              ScreeImpactResult *r) {
  ScreeExact x;
  SCREE_TRY(solve_oscillator(m, pair->n, &x));
  oscillator_loading(&x, r);
  r->restitution = x.restitution;
  r->duration = x.duration;
  r->energy_dissipated_unloading = x.energy_dissipated_unloading;
  if (separation == SCREE_AT_OVERLAP) {
    if (isinf(x.duration)) r->outcome = SCREE_STALLED;
    return SCREE_OK;
  }
  double stored = x.stiffness * pow(x.overlap_zero_force, x.exponent + 1.0) / (x.exponent + 1.0);
  bool clamp = separation == SCREE_CLAMPED;
  r->restitution = x.restitution_clamped;
  r->energy_dissipated_unloading = x.energy_dissipated_unloading_zero_force + (clamp ? stored : 0.0);
  r->energy_stored_exit = clamp ? 0.0 : stored;
  r->exit_overlap = clamp ? 0.0 : x.overlap_zero_force;
  r->duration = x.duration_zero_force + (clamp ? x.overlap_zero_force / (x.restitution_clamped * x.speed) : 0.0);
  return SCREE_OK;
}

static ScreeStatus jankowski(const ScreeMotion *m, ScreeImpactResult *r) {
  ScreeExact x;
  SCREE_TRY(solve_oscillator(m, 1.5, &x));
  oscillator_loading(&x, r);
  r->restitution = exp(-scree_exit_exponent(x.alpha_effective));
  r->duration = r->loading_time + 0.5 * scree_elastic_duration(m->law.k, 1.5, m->mass, r->restitution * m->speed);
  r->energy_dissipated_unloading = 0.0;
  return SCREE_OK;
}

/* ---- plastic laws ---- */

static double deepest_mismatch(double log_d, void *context) {
  const Branch *b = context;
  return branch_energy(b, exp(log_d)) - b->from;
}

/* Thornton's restitution, MODELS.md 6.3. */
static double thornton_restitution(const ScreePair *pair, double speed) {
  double r = pair->resolved[SCREE_PARAM_v_yield] / speed;
  if (r >= 1.0) return 1.0;
  double ratio = r / (r + 2.0 * sqrt(1.2 - 0.2 * r * r));
  return sqrt(1.2 * sqrt(3.0)) * sqrt(1.0 - r * r / 6.0) * sqrt(sqrt(ratio));
}

static ScreeStatus plastic(const ScreeMotion *m, const ScreePair *pair, ScreeImpactResult *r) {
  double energy = 0.5 * m->mass * m->speed * m->speed;
  Branch b = {.ops = m->ops,
              .law = m->law,
              .virgin = true,
              .mass = m->mass,
              .speed = m->speed,
              .from = energy,
              .limit = INFINITY};
  bool ok;
  double scale = log(m->length);
  b.deepest = exp(scree_root(deepest_mismatch, &b, scale - 10.0, scale + 10.0, 0.0, &ok));
  if (!ok) return scree_fail(SCREE_NO_CONVERGENCE, "no deepest overlap found");
  double yield = pair->resolved[SCREE_PARAM_delta_y];
  bool kink = yield > 0.0 && yield < b.deepest && pair->law != SCREE_LAW_yigit_linear;
  b.kink = kink ? yield : 0.0;
  r->max_overlap = b.deepest;
  r->max_force = branch_force(&b, b.deepest);
  r->loading_time =
      kink ? travel_time(&b, 0.0, yield) + travel_time(&b, yield, b.deepest) : travel_time(&b, 0.0, b.deepest);
  r->max_force_time = r->loading_time;
  b.virgin = false;
  b.kink = 0.0;
  b.memory[0] = b.deepest;
  double rest = b.rest = m->ops->rest(&m->law, b.memory), stored = m->ops->stored(&m->law, b.deepest, b.memory);
  r->restitution = pair->law == SCREE_LAW_thornton ? thornton_restitution(pair, m->speed) : sqrt(stored / energy);
  r->duration = r->loading_time + travel_time(&b, rest, b.deepest);
  r->exit_overlap = rest;
  r->energy_dissipated_loading = m->ops->lost(&m->law, b.memory);
  r->energy_dissipated_unloading = 0.0;
  r->memory[0] = b.deepest;
  return SCREE_OK;
}

/* ---- which form a law has ---- */

static ScreeStatus solve_form(const ScreeImpactDef *def, const ScreePair *pair, const ScreeMotion *m,
                              ScreeImpactResult *r) {
  const ScreeLawInfo *info = scree_law_info(pair->law);
  bool factor =
      info->flags & (SCREE_FACTOR | SCREE_ELASTIC) || pair->law == SCREE_LAW_wang || pair->law == SCREE_LAW_wang_cubed;
  if (factor) return factor_form(m, pair, r);
  if (info->group == SCREE_PLASTIC) return plastic(m, pair, r);
  switch (pair->law) {
  case SCREE_LAW_pant_wijeyewickrema: return pant(m, pair, r);
  case SCREE_LAW_jankowski_simple:
  case SCREE_LAW_jankowski_refined:
  case SCREE_LAW_jankowski_exact: return jankowski(m, r);
  case SCREE_LAW_kelvin_voigt:
  case SCREE_LAW_anagnostopoulos:
  case SCREE_LAW_goyal:
  case SCREE_LAW_tsuji:
  case SCREE_LAW_power_law_tsuji: return tsuji_form(m, pair, def->separation, r);
  case SCREE_LAW_falcon:
    if (pair->m == 0.25) return tsuji_form(m, pair, def->separation, r);
    break;
  default: break;
  }
  return scree_fail(SCREE_UNSUPPORTED, "%s has no closed form: integrate it", info->name);
}

ScreeStatus scree_impact_exact(const ScreeImpactDef *def, ScreeImpactResult *r) {
  SCREE_NEED(r);
  ScreeImpactDef ready;
  ScreeMotion m;
  double y[SCREE_ODE_MAX];
  SCREE_TRY(scree_impact_prepare(def, &ready, r));
  SCREE_TRY(scree_motion_begin(&ready, &r->pair, &m, y));
  r->switch_overlap = r->switch_speed = NAN;
  SCREE_TRY(solve_form(&ready, &r->pair, &m, r));
  r->exit_speed = r->restitution * m.speed;
  r->energy_initial = 0.5 * m.mass * m.speed * m.speed;
  r->energy_residual = r->energy_initial * (1.0 - r->restitution * r->restitution) - r->energy_dissipated_loading -
                       r->energy_dissipated_unloading - r->energy_stored_exit;
  /* an overdamped contact keeps what it has not yet dissipated forever */
  if (r->outcome == SCREE_STALLED) r->energy_residual = 0.0;
  return SCREE_OK;
}
