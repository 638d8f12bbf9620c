/* dem_laws.c: every normal law through the engine against the laboratory: the error of the restitution at steps h, h/2,
 * h/4, over phases of the first touch, and the order at which it goes. */
#include <string.h>

#include "dem.h"
#include "dem_oracles.h"

enum { PHASES = 5, HALVINGS = 3 };

bool scree_dem_in_engine(const ScreeLawInfo *info) {
  return info->group == SCREE_POINT || info->group == SCREE_PLASTIC;
}

/* Two grains at 0.2 m/s. */
static EngineImpact sample(const ScreeLawInfo *info) {
  EngineImpact i = {.contact = scree_bare_contact(info->law, 0.7),
                    .material = {{70e6, 0.25, 2500.0}, {70e6, 0.25, 2500.0}},
                    .radius = {0.01, 0.01},
                    .normal_speed = 0.2,
                    .timestep = NAN};
  if (info->exponent == 1.0 && info->law != SCREE_LAW_yigit_linear)
    i.contact.pair.stiffness = 1e5; /* spheres are no linear springs */
  return i;
}

static ScreeImpactDef in_laboratory(const EngineImpact *i) {
  ScreeImpactDef def = scree_impact_def_default(i->contact.normal);
  def.pair = i->contact.pair;
  def.pair.geometry = SCREE_SPHERE_SPHERE;
  for (int b = 0; b < 2; b++) def.pair.radius[b] = i->radius[b], def.pair.material[b] = i->material[b];
  def.pair.speed = i->normal_speed;
  def.separation = SCREE_CLAMPED;
  return def;
}

static bool laboratory(ScreeCheck *check, const EngineImpact *i, ScreeImpactResult *r) {
  ScreeImpactDef def = in_laboratory(i);
  if (scree_impact_run(&def, r) == SCREE_OK) return true;
  scree_tally_failure(check, "laboratory");
  return false;
}

/* Root mean square over the phases of the error at a step. */
static double error_at(ScreeCheck *check, EngineImpact i, double expected, double *timestep) {
  double sum = 0.0;
  for (int p = 0; p < PHASES; p++) {
    EngineRebound out;
    i.phase = 1.0 + (p + 0.5) / PHASES;
    i.timestep = *timestep;
    if (!scree_engine_impact(check, &i, &out)) return NAN;
    double error = out.normal_speed / i.normal_speed - expected;
    sum += error * error / PHASES;
    if (isnan(*timestep) && p == PHASES - 1) *timestep = out.timestep;
  }
  return sqrt(sum);
}

/* What the engine's scheme may miss of e at a step h, T being the duration, in terms of h/T:
 * - velocity Verlet on an oscillator of half period T: (w h)^2/24; a damping force that sees the predicted velocity is
 *   off by h^2 v''/2, that is (w h)^2/2 of the (1 - e) it takes; w h = pi h/T;
 * - the first touch falls anywhere in a step: the law's force there, K d^n + c d^m v at d = v0 h, acts for a part of a
 *   step too long or too short, 1/sqrt(12) of it in the root mean square. Dashpots with m = 0, 1/4, 1/2 are therefore
 * of order 1, 5/4, 3/2 only;
 * - memory that flows with time advances by Euler's rule: h/T of the energy that is lost. */
static double allowance(const EngineImpact *i, const ScreeImpactResult *lab, double h, bool flows) {
  double memory[SCREE_MAX_SLOTS], v = i->normal_speed, e = lab->restitution, share = h / lab->duration, pi = acos(-1.0);
  ScreeLaw law = scree_law_touch(&lab->pair, v, memory);
  double touch = fmax(scree_law_force(lab->pair.law, &law, v * h, v, memory), 0.0) * h / (lab->pair.mass * v);
  return pi * pi * share * share * (1.0 / 24.0 + 0.5 * (1.0 - e)) + touch / sqrt(12.0) +
         (flows ? (1.0 - e * e) * share : 0.0);
}

/* The order that the allowance tends to. */
static double order_of(const ScreeLawInfo *info, bool flows) {
  return flows ? 1.0 : fmin(2.0, 1.0 + info->damping_exponent);
}

void scree_dem_restitution(ScreeCheck *check, const ScreeLawInfo *info) {
  EngineImpact i = sample(info);
  ScreeImpactResult lab;
  bool flows = info->slots > 0 && info->group == SCREE_POINT;
  double error[HALVINGS], step = NAN;
  if (!laboratory(check, &i, &lab)) return;
  for (int h = 0; h < HALVINGS; h++) {
    error[h] = error_at(check, i, lab.restitution, &step);
    scree_tally(check, error[h] / allowance(&i, &lab, step, flows), "e = %.5f, error %.2e at 1/%.0f of the contact",
                lab.restitution, error[h], lab.duration / step);
    step *= 0.5;
  }
  /* elastic and plastic contacts err by so little that the phases decide: no order to be seen in three steps */
  if ((info->flags & SCREE_ELASTIC) || info->group == SCREE_PLASTIC) return;
  double order = 0.5 * log2(error[0] / error[2]);
  scree_tally(check, (order_of(info, flows) - order) / 0.1, "order %.2f, expected %.2f", order, order_of(info, flows));
}

/* Unlike grains, either way round: what a law pairs with which body must not depend on who is named first. */
void scree_dem_unlike(ScreeCheck *check, const ScreeLawInfo *info) {
  bool flows = info->slots > 0 && info->group == SCREE_POINT;
  for (int way = 0; way < 4; way++) {
    bool swapped = way % 2;
    EngineImpact i = sample(info);
    ScreeImpactResult lab;
    EngineRebound out;
    i.reversed = way / 2;
    i.radius[!swapped] = 0.016;
    i.material[!swapped] = (ScreeMaterial){2.1e8, 0.35, 4000.0};
    ScreeImpactDef def = in_laboratory(&i); /* an empirical strength is found once, not by the engine for mean grains */
    if (scree_freeze_strength(&def) != SCREE_OK) return scree_tally_failure(check, "calibration");
    i.contact.pair.restitution = def.pair.restitution;
    memcpy(i.contact.pair.param, def.pair.param, sizeof def.pair.param);
    if (!laboratory(check, &i, &lab)) return;
    i.phase = 1.3;
    i.timestep = lab.duration / 200.0;
    if (!scree_engine_impact(check, &i, &out)) return;
    double error = fabs(out.normal_speed / i.normal_speed - lab.restitution);
    /* one phase: up to sqrt(3) of the root mean square over all */
    scree_tally(check, error / sqrt(3.0) / allowance(&i, &lab, i.timestep, flows),
                "%s first%s: e = %.5f, laboratory %.5f", swapped ? "the larger" : "the smaller",
                i.reversed ? ", materials reversed" : "", out.normal_speed / i.normal_speed, lab.restitution);
  }
}
