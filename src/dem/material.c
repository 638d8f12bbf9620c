/* material.c: pairs of materials: their laws prepared, calibrated, and the time step they allow. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "engine.h"

/* The pair of two grains, or of a grain and a wall (r2 NaN), as the laboratory defines it. */
static ScreePairDef pair_of(const ScreeWorld *w, const Class *c, int ma, int mb, double r1, double r2, double m1,
                            double m2) {
  ScreePairDef p = c->def.pair;
  bool flat = isnan(r2);
  p.geometry = flat ? SCREE_SPHERE_PLANE : SCREE_SPHERE_SPHERE;
  p.radius[0] = r1;
  p.radius[1] = r2;
  if (flat && c->def.normal == SCREE_LAW_roy_carretero) { /* its lens needs a second sphere: a flat one */
    p.geometry = SCREE_SPHERE_SPHERE;
    p.radius[1] = 1e4 * r1;
  }
  p.material[0] = w->material[ma];
  p.material[1] = w->material[mb];
  p.mass = 1.0 / (1.0 / m1 + 1.0 / m2);
  return p;
}

/* Latched damping goes as 1/v0. A contact born slowly in a bed is later pressed far deeper than its own speed would,
 * and the damping latched then would be beyond what the time step can resolve; below a tenth of the expected speed
 * (more for strong damping) it grows no further, unless the pair names a floor of its own. */
ScreeStatus scree_contact_pair(const ScreeWorld *w, const Class *c, int ma, int mb, const Record *first,
                               const Record *second, ScreePair *pair) {
  ScreePairDef def = pair_of(w, c, ma, mb, first->r, second ? second->r : NAN, first->m, second ? second->m : INFINITY);
  def.speed = w->def.expected_speed;
  SCREE_TRY(scree_pair_prepare(c->def.normal, &def, pair));
  if (c->def.pair.min_speed <= 1e-9) pair->min_speed = fmax(0.1, 0.2 * pair->factor) * w->def.expected_speed;
  return SCREE_OK;
}

static double sphere_mass(double r, double density) { return 4.0 / 3.0 * acos(-1.0) * r * r * r * density; }

/* Calibrates the law at the mean radius and the expected speed, clamped as contacts are here; laws whose strength is
 * empirical always are. The parameter found holds for all radii of the pair. */
static ScreeStatus calibrate(ScreeWorld *w, Class *c, int ma, int mb) {
  const ScreeLawInfo *info = scree_law_info(c->def.normal);
  if (isnan(c->def.pair.restitution) || (!c->def.calibrated && !(info->flags & SCREE_EMPIRICAL))) return SCREE_OK;
  double r = 0.5 * (w->min_radius + w->max_radius);
  ScreeImpactDef def = scree_impact_def_default(c->def.normal);
  ScreeImpactResult result;
  def.pair =
      pair_of(w, c, ma, mb, r, r, sphere_mass(r, w->material[ma].density), sphere_mass(r, w->material[mb].density));
  def.pair.speed = w->def.expected_speed;
  def.separation = SCREE_CLAMPED;
  def.calibrated = c->def.calibrated;
  SCREE_TRY(scree_impact_run(&def, &result));
  if (!result.calibrated || result.parameter == SCREE_PARAM_COUNT) return SCREE_OK;
  c->def.pair.param[result.parameter] = result.parameter_value;
  c->def.pair.restitution = NAN;
  return SCREE_OK;
}

static void set_exponents(Class *c) {
  const ScreeLawInfo *info = scree_law_info(c->def.normal);
  const ScreePairDef *p = &c->def.pair;
  bool own_m = c->def.normal == SCREE_LAW_falcon && !isnan(p->param[SCREE_PARAM_gamma]);
  bool own_r = c->def.normal == SCREE_LAW_alizadeh && !isnan(p->param[SCREE_PARAM_nl]);
  c->n = isnan(p->exponent) ? info->exponent : p->exponent;
  c->m = own_m ? p->param[SCREE_PARAM_gamma] : info->damping_exponent == info->exponent ? c->n : info->damping_exponent;
  if (c->def.normal == SCREE_LAW_power_law_tsuji) c->m = 0.5 * (c->n - 1.0);
  c->r = own_r ? p->param[SCREE_PARAM_nl] : info->rate_exponent;
}

/* How many of u[] the law uses, from a prepared contact. */
static ScreeStatus measure_law(const ScreeWorld *w, Class *c, int ma, int mb) {
  Record grain = {.r = w->min_radius, .m = sphere_mass(w->min_radius, w->material[ma].density)};
  ScreePair pair;
  double memory[SCREE_MAX_SLOTS];
  SCREE_TRY(scree_contact_pair(w, c, ma, mb, &grain, &grain, &pair));
  ScreeLaw law = scree_law_touch(&pair, w->def.expected_speed, memory);
  c->constants = 0;
  for (int i = 0; i < 6; i++)
    if (law.u[i] != 0.0) c->constants = i + 1;
  set_exponents(c);
  c->slots = scree_law_info(c->def.normal)->slots;
  c->plastic = scree_law_info(c->def.normal)->group == SCREE_PLASTIC;
  return SCREE_OK;
}

/* The stability limit of the lightest pair; a tenth of it is recommended, a quarter still right. */
static ScreeStatus limit_of(const ScreeWorld *w, const Class *c, int ma, int mb, double *limit) {
  double r = w->min_radius;
  ScreeImpactDef def = scree_impact_def_default(c->def.normal);
  ScreeTimestep step;
  def.pair =
      pair_of(w, c, ma, mb, r, r, sphere_mass(r, w->material[ma].density), sphere_mass(r, w->material[mb].density));
  def.pair.speed = w->def.expected_speed;
  SCREE_TRY(scree_impact_timestep(&def, &step));
  *limit = step.lagged;
  return SCREE_OK;
}

static ScreeStatus choose_timestep(ScreeWorld *w, double limit, int ma, int mb) {
  const char *law = scree_law_info(scree_class_of(w, ma, mb)->def.normal)->name;
  if (isnan(w->def.timestep)) {
    w->dt = 0.1 * limit;
    snprintf(w->reason, sizeof w->reason,
             "a tenth of the stability limit of %s between materials %d and %d for the smallest grains at %.3g m/s",
             law, ma, mb, w->def.expected_speed);
    return SCREE_OK;
  }
  if (!(w->def.timestep > 0.0 && w->def.timestep <= 0.25 * limit))
    return scree_fail(
        SCREE_INVALID,
        "the time step %.6g s is not in 0 ... %.6g s, which %s between materials %d and %d allows at %.3g m/s",
        w->def.timestep, limit, law, ma, mb, w->def.expected_speed);
  w->dt = w->def.timestep;
  snprintf(w->reason, sizeof w->reason, "given; the limit is %.6g s (%s)", limit, law);
  return SCREE_OK;
}

ScreeStatus scree_classes_prepare(ScreeWorld *w) {
  double limit = INFINITY;
  int la = 0, lb = 0;
  for (int a = 0; a < w->materials; a++)
    for (int b = a; b < w->materials; b++) {
      Class *c = scree_class_of(w, a, b);
      if (!c->used && !w->has_default)
        return scree_fail(SCREE_MISSING, "no contact is defined between materials %d and %d, and there is no default",
                          a, b);
      if (!c->used) c->def = w->contact_default, c->used = true;
      SCREE_TRY(calibrate(w, c, a, b));
      SCREE_TRY(measure_law(w, c, a, b));
      double own;
      SCREE_TRY(limit_of(w, c, a, b, &own));
      if (own < limit) limit = own, la = a, lb = b;
      if (c->constants > w->constants) w->constants = c->constants;
      if (c->slots > w->slots) w->slots = c->slots;
      w->friction |= c->def.tangential != SCREE_LAW_NONE;
      w->rolls |= c->def.rolling_model == SCREE_ROLLING_SPRING;
      *scree_class_of(w, b, a) = *c;
    }
  return choose_timestep(w, limit, la, lb);
}
