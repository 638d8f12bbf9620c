/* material.c: pairs of materials: their laws prepared, calibrated, and the time step they allow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "engine.h"

/* Whether a pair is named the other way round than laws have it, some of which tell its bodies apart: the grain of the
 * material that was named first comes first, of one material the larger grain. The order in memory must not decide. */
static bool is_turned(const Class *c, int ma, int mb, double r1, double r2) {
  return ma == mb ? r2 > r1 : mb == c->first;
}

/* The pair of two grains, or of a grain and a wall (r2 NaN), as the laboratory defines it. */
static ScreePairDef pair_of(const ScreeWorld *w, const Class *c, int ma, int mb, double r1, double r2, double m1,
                            double m2) {
  ScreePairDef p = c->def.pair;
  bool flat = isnan(r2);
  /* A wall is the second; it yields like a layer of the grain's radius, so that moduli and viscosities may change
   * places. */
  int second = !flat && is_turned(c, ma, mb, r1, r2) ? 0 : 1;
  p.geometry = flat ? SCREE_SPHERE_PLANE : SCREE_SPHERE_SPHERE;
  p.radius[!second] = r1;
  p.radius[second] = r2;
  p.material[!second] = w->material[ma];
  p.material[second] = w->material[mb];
  p.mass = 1.0 / (1.0 / m1 + 1.0 / m2);
  return p;
}

/* The calibrated parameter, carried over from the pair it was found for. */
static void scale_parameter(const Class *c, ScreePairDef *p, double r1, double r2) {
  if (c->scaled == SCREE_PARAM_COUNT) return;
  double radius = isnan(r2) ? r1 : r1 * r2 / (r1 + r2);
  p->param[c->scaled] *= pow(p->mass / c->mass, c->mass_power) * pow(radius / c->radius, c->radius_power);
}

ScreeStatus scree_contact_pair(const ScreeWorld *w, const Class *c, int ma, int mb, const Record *first,
                               const Record *second, ScreePair *pair) {
  double r2 = second ? second->r : NAN;
  ScreePairDef def = pair_of(w, c, ma, mb, first->r, r2, first->m, second ? second->m : INFINITY);
  def.speed = w->expected_speed;
  scale_parameter(c, &def, first->r, r2);
  return scree_pair_prepare(c->def.normal, &def, pair);
}

static double sphere_mass(double r, double density) { return 4.0 / 3.0 * acos(-1.0) * r * r * r * density; }

/* ---- calibration ---- */

/* The parameter that delivers the requested restitution at the expected speed, clamped as contacts are here. */
static ScreeStatus strength_of(const ScreeWorld *w, const Class *c, const ScreePairDef *pair,
                               ScreeImpactResult *result) {
  ScreeImpactDef def = scree_impact_def_default(c->def.normal);
  def.pair = *pair;
  def.pair.speed = w->expected_speed;
  def.separation = SCREE_CLAMPED;
  def.calibrated = c->def.calibrated;
  return scree_impact_run(&def, result);
}

/* How the parameter goes with one of the pair's numbers: the exponent from a second pair that differs in it. The course
 * of a contact depends on one dimensionless group of mass, stiffness, speed and the parameter, so it is a power. */
static ScreeStatus power_of(const ScreeWorld *w, const Class *c, const ScreePairDef *other, double ratio, double value,
                            double *power) {
  ScreeImpactResult result;
  SCREE_TRY(strength_of(w, c, other, &result));
  *power = log(result.parameter_value / value) / log(ratio);
  if (!(fabs(*power) > 1e-7)) *power = 0.0; /* a number without dimension, or zero damping */
  return SCREE_OK;
}

/* Calibrates a class; laws whose strength is empirical always are. */
static ScreeStatus calibrate(const ScreeWorld *w, Class *c, int ma, int mb) {
  const ScreeLawInfo *info = scree_law_info(c->def.normal);
  c->scaled = SCREE_PARAM_COUNT;
  if (isnan(c->def.pair.restitution) || (!c->def.calibrated && !(info->flags & SCREE_EMPIRICAL))) return SCREE_OK;
  double r = 0.5 * (w->min_radius + w->max_radius);
  ScreeImpactResult result;
  ScreePairDef pair =
      pair_of(w, c, ma, mb, r, r, sphere_mass(r, w->material[ma].density), sphere_mass(r, w->material[mb].density));
  SCREE_TRY(strength_of(w, c, &pair, &result));
  if (!result.calibrated || result.parameter == SCREE_PARAM_COUNT) return SCREE_OK;
  ScreePairDef heavier = pair, larger = pair;
  heavier.mass = 2.0 * pair.mass;
  larger.radius[0] = larger.radius[1] = 2.0 * r;
  c->mass = pair.mass;
  c->radius = 0.5 * r;
  SCREE_TRY(power_of(w, c, &heavier, 2.0, result.parameter_value, &c->mass_power));
  SCREE_TRY(power_of(w, c, &larger, 2.0, result.parameter_value, &c->radius_power));
  c->def.pair.param[result.parameter] = result.parameter_value;
  c->def.pair.restitution = NAN;
  if (c->mass_power != 0.0 || c->radius_power != 0.0) c->scaled = result.parameter;
  return SCREE_OK;
}

/* Is the force at rest k d^n? Plastic laws are, until they yield. */
static bool is_power_law(const Class *c, const ScreeLaw *law, const double *memory, double radius) {
  if (scree_law_info(c->def.normal)->group == SCREE_PLASTIC) return false;
  for (int k = 0; k < 2; k++) {
    double d = radius * (k == 0 ? 1e-4 : 1e-2), now[SCREE_MAX_SLOTS], power = law->k * pow(d, law->n);
    memcpy(now, memory, sizeof now);
    if (!(fabs(scree_law_force(c->def.normal, law, d, 0.0, now) - power) <= 1e-12 * power)) return false;
  }
  return true;
}

/* What a prepared contact tells of the law: exponents, and how many of u[] it uses. */
static ScreeStatus measure_law(const ScreeWorld *w, Class *c, int ma, int mb) {
  Record grain = {.r = w->min_radius, .m = sphere_mass(w->min_radius, w->material[ma].density)};
  ScreePair pair;
  double memory[SCREE_MAX_SLOTS];
  SCREE_TRY(scree_contact_pair(w, c, ma, mb, &grain, &grain, &pair));
  ScreeLaw law = scree_law_touch(&pair, w->expected_speed, memory);
  c->constants = 0;
  for (int i = 0; i < 6; i++)
    if (law.u[i] != 0.0) c->constants = i + 1;
  c->n = law.n, c->m = law.m, c->r = law.r;
  c->latch = c->rate = 0.0;
  c->freezes = scree_law_info(c->def.normal)->flags & SCREE_USES_V0;
  if (c->freezes) {
    double v = w->expected_speed, twice = scree_law_touch(&pair, 2.0 * v, memory).chi;
    c->latch = 2.0 * v * (law.chi - twice);
    c->rate = law.chi - c->latch / v;
  }
  c->power_law = is_power_law(c, &law, memory, w->min_radius);
  c->slots = scree_law_info(c->def.normal)->slots;
  c->dashes = c->def.tangential == SCREE_LAW_tangential_linear && c->def.pair.param[SCREE_PARAM_gt] > 0.0;
  c->plastic = scree_law_info(c->def.normal)->group == SCREE_PLASTIC;
  return SCREE_OK;
}

/* ---- time step ---- */

/* A light grain that carries a heavy one is pressed deeper than its own speed would press it, and stiffness and damping
 * grow with the overlap; what a tenth of the limit does not leave room for shortens it. */
static double burden(const ScreeWorld *w, const Class *c, double light, double r) {
  double heavy = 0.0;
  for (int m = 0; m < w->materials; m++) heavy = fmax(heavy, sphere_mass(r, w->material[m].density));
  double deeper = pow(fmax(heavy / light, 1.0), 1.0 / (c->n + 1.0));
  double damping = c->latch > 0.0 ? 0.5 * (c->n - 1.0) : c->m; /* a latched speed rises with the overlap (kernels.c) */
  return fmin(1.0, 2.5 * fmin(pow(deeper, -0.5 * (c->n - 1.0)), pow(deeper, -damping)));
}

/* The stability limit of the lightest pair; a tenth of it is recommended, a quarter still right. */
static ScreeStatus limit_of(const ScreeWorld *w, const Class *c, int ma, int mb, double *limit) {
  double r = w->min_radius, m1 = sphere_mass(r, w->material[ma].density), m2 = sphere_mass(r, w->material[mb].density);
  ScreeImpactDef def = scree_impact_def_default(c->def.normal);
  ScreeTimestep step;
  def.pair = pair_of(w, c, ma, mb, r, r, m1, m2);
  scale_parameter(c, &def.pair, r, r);
  def.pair.speed = w->expected_speed;
  SCREE_TRY(scree_impact_timestep(&def, &step));
  *limit = step.lagged * burden(w, c, fmin(m1, m2), r);
  if (c->def.rolling_model == SCREE_ROLLING_SPRING && c->def.rolling_stiffness == 0.0)
    *limit /= fmax(1.0, 1.1 * c->def.rolling);
  if (c->def.rolling_model == SCREE_ROLLING_SPRING && c->def.rolling_stiffness > 0.0) /* two grains, each 7/5 m r^2 */
    *limit = fmin(*limit, 2.0 * sqrt(0.7 * fmin(m1, m2) * r * r / c->def.rolling_stiffness));
  if (c->def.tangential == SCREE_LAW_tangential_linear) { /* the surface of a sphere is 7/2 lighter than the sphere */
    double mass = def.pair.mass / 3.5, gt = c->def.pair.param[SCREE_PARAM_gt];
    *limit = fmin(*limit, 2.0 * sqrt(mass / c->def.pair.param[SCREE_PARAM_kt]));
    if (gt > 0.0) *limit = fmin(*limit, 2.0 * mass / gt);
  }
  return SCREE_OK;
}

static ScreeStatus choose_timestep(ScreeWorld *w, double limit, int ma, int mb) {
  const char *law = scree_law_info(scree_class_of(w, ma, mb)->def.normal)->name;
  if (isnan(w->def.timestep)) {
    w->dt = 0.1 * limit;
    snprintf(w->reason, sizeof w->reason,
             "a tenth of the stability limit of %s between materials %d and %d for the smallest grains at %.3g m/s",
             law, ma, mb, w->expected_speed);
    return SCREE_OK;
  }
  double largest = 0.25 * limit;
  if (!(w->def.timestep > 0.0 && w->def.timestep <= largest))
    return scree_fail(
        SCREE_INVALID,
        "the time step %.6g s is too large or not > 0: at most %.6g s, a quarter of the stability limit of %s "
        "between materials %d and %d at %.3g m/s",
        w->def.timestep, largest * (1.0 - 1e-6), law, ma, mb, w->expected_speed);
  w->dt = w->def.timestep;
  snprintf(w->reason, sizeof w->reason, "given; the largest allowed is %.6g s (%s)", largest, law);
  return SCREE_OK;
}

/* ---- classes ---- */

/* Which pairs of materials can meet: two grains, of which one moves, or a grain and a wall. Grains to come count. */
static ScreeStatus find_meetings(ScreeWorld *w) {
  int n = w->materials;
  bool *free_grain = calloc(3 * (size_t)n, sizeof *free_grain), *any_grain = free_grain + n, *wall = any_grain + n;
  if (!free_grain) return scree_fail(SCREE_NO_MEMORY, "no memory for %d materials", n);
  for (size_t i = 0; i < w->count; i++)
    w->known[w->turn[i].material] |= scree_is_fixed(&w->record[i]) ? KNOWN_ANY : KNOWN_ANY | KNOWN_FREE;
  for (int m = 0; m < n; m++) any_grain[m] = w->known[m] & KNOWN_ANY, free_grain[m] = w->known[m] & KNOWN_FREE;
  for (int i = 0; i < w->walls; i++) wall[w->wall[i].material] = true;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      scree_class_of(w, a, b)->meets =
          (free_grain[a] && (any_grain[b] || wall[b])) || (free_grain[b] && (any_grain[a] || wall[a]));
  free(free_grain);
  return SCREE_OK;
}

/* Nothing can touch anything: a step that moves the fastest grain by a hundredth of the smallest radius. */
static ScreeStatus choose_free_timestep(ScreeWorld *w) {
  if (!isnan(w->def.timestep) && !(w->def.timestep > 0.0 && isfinite(w->def.timestep)))
    return scree_fail(SCREE_INVALID, "the time step must be > 0 s (got %.10g)", w->def.timestep);
  w->dt = isnan(w->def.timestep) ? 0.01 * w->min_radius / w->expected_speed : w->def.timestep;
  snprintf(w->reason, sizeof w->reason, "no grain can touch anything");
  return SCREE_OK;
}

/* Two grains of one material cannot be told apart. */
static ScreeStatus check_one_material(const ScreeWorld *w, const Class *c, int material) {
  const double *p = c->def.pair.param, *young = &w->material[material].young;
  double viscosity = isnan(p[SCREE_PARAM_D2]) ? p[SCREE_PARAM_D1] : p[SCREE_PARAM_D2],
         first = isnan(p[SCREE_PARAM_E1]) ? *young : p[SCREE_PARAM_E1],
         second = isnan(p[SCREE_PARAM_E2]) ? *young : p[SCREE_PARAM_E2];
  if (c->def.normal != SCREE_LAW_roy_carretero) return SCREE_OK;
  if (first == second && (isnan(viscosity) || viscosity == p[SCREE_PARAM_D1])) return SCREE_OK;
  return scree_fail(SCREE_INVALID,
                    "roy_carretero between grains of material %d alone: D1 and D2, E1 and E2 must be equal (got %.10g "
                    "and %.10g Pa s, %.10g and %.10g Pa)",
                    material, p[SCREE_PARAM_D1], p[SCREE_PARAM_D2], first, second);
}

ScreeStatus scree_classes_prepare(ScreeWorld *w) {
  double limit = INFINITY;
  int la = 0, lb = 0;
  SCREE_TRY(find_meetings(w));
  for (int a = 0; a < w->materials; a++)
    for (int b = a; b < w->materials; b++) {
      Class *c = scree_class_of(w, a, b);
      if (!c->meets) continue;
      if (!c->given && !w->has_default)
        return scree_fail(SCREE_MISSING, "no contact is defined between materials %d and %d, and there is no default",
                          a, b);
      c->def = c->given ? c->asked : w->contact_default;
      if (!c->given) c->first = a;
      if (a == b) SCREE_TRY(check_one_material(w, c, a));
      SCREE_TRY(calibrate(w, c, a, b));
      SCREE_TRY(measure_law(w, c, a, b));
      double own;
      SCREE_TRY(limit_of(w, c, a, b, &own));
      if (own < limit) limit = own, la = a, lb = b;
      if (c->constants > w->constants) w->constants = c->constants;
      if (c->slots > w->slots) w->slots = c->slots;
      w->rolls |= scree_winds(c);
      w->twists |= c->def.twisting > 0.0;
      w->resists |= scree_rolls(c);
      w->dashes |= c->dashes;
      bool given = scree_class_of(w, b, a)->given;
      ScreeContactDef asked = scree_class_of(w, b, a)->asked;
      *scree_class_of(w, b, a) = *c;
      scree_class_of(w, b, a)->given = given;
      scree_class_of(w, b, a)->asked = asked;
    }
  if (isinf(limit)) return choose_free_timestep(w);
  return choose_timestep(w, limit, la, lb);
}
