/* oblique.c: a collision with a tangential part. The sliding speed of the surfaces, vs = vt + R1 w1 + R2 w2, is one
 * more degree of freedom with the mass meff/(1 + 1/j), I = j m R^2; it is coupled to the normal motion through the
 * friction law only. Laws with history stick or slide; the changes between both are located events of the same march.
 *
 * Sticking: mindlin dF/dt = -kt vs, and on unloading the force shrinks with kt (MODELS.md 7): + F (dkt/dt)/kt;
 * tangential_linear: F = -(kt x + gt vs), dx/dt = vs. Sliding: F = +-mu Fn, until the trial force would fall below the
 * limit again. */
#include <math.h>

#include "collision.h"
#include "core/status.h"

enum { SLIDE_SPEED, SLIDE_HISTORY, SLIDE_WORK };

static double force_unit(const ScreeMotion *m) { return m->mass * m->speed * m->speed / m->length; }

/* Force of a sticking contact from its history. */
static double sticking_force(const ScreeMotion *m, const double *y) {
  const ScreeSlide *s = m->slide;
  const double *z = y + s->at;
  if (s->law.law == SCREE_LAW_mindlin) return z[SLIDE_HISTORY] * force_unit(m);
  return -(s->law.kt * z[SLIDE_HISTORY] * m->length + s->law.gt * z[SLIDE_SPEED] * m->speed);
}

double scree_slide_force(const ScreeMotion *m, const double *y, double d, double normal) {
  const ScreeSlide *s = m->slide;
  double limit = s->law.friction * fmax(normal, 0.0);
  (void)d;
  switch (s->mode) {
  case SCREE_SMOOTH: return scree_coulomb_force(&s->law, fmax(normal, 0.0), y[s->at] * m->speed);
  case SCREE_SLIDING: return s->sign * limit;
  case SCREE_STICKING: break;
  }
  return sticking_force(m, y);
}

/* Rate of the sticking law's force at a state, per second. */
static double trial_rate(const ScreeMotion *m, const double *y, double d, double force) {
  const ScreeSlide *s = m->slide;
  double vs = y[s->at] * m->speed, v = y[STATE_W] * m->speed;
  if (s->law.law == SCREE_LAW_mindlin)
    return -scree_tangential_stiffness(&s->law, d) * vs + (v < 0.0 && d > 0.0 ? 0.5 * force * v / d : 0.0);
  return -(s->law.kt * vs + s->law.gt * force / s->mass);
}

void scree_slide_slope(const ScreeMotion *m, const double *y, double d, double normal, double stretch, double *dy) {
  const ScreeSlide *s = m->slide;
  double *dz = dy + s->at;
  double second = m->length / m->speed * stretch; /* dt/ds */
  double force = scree_slide_force(m, y, d, normal);
  double vs = y[s->at] * m->speed;
  dz[SLIDE_SPEED] = force / s->mass / m->speed * second;
  dz[SLIDE_WORK] = -force * vs / (m->mass * m->speed * m->speed) * second;
  dz[SLIDE_HISTORY] = 0.0;
  if (s->mode != SCREE_STICKING) return;
  bool mindlin = s->law.law == SCREE_LAW_mindlin;
  dz[SLIDE_HISTORY] = mindlin ? trial_rate(m, y, d, force) / force_unit(m) * second : vs / m->length * second;
}

double scree_slide_event(const ScreeMotion *m, const double *y) {
  const ScreeSlide *s = m->slide;
  double d = scree_motion_overlap(m, y), normal = scree_motion_force(m, y);
  if (s->mode == SCREE_STICKING) {
    if (!(normal > 0.0)) return s->law.friction - s->start_ratio; /* first touch: 0/0 */
    return s->law.friction - fabs(sticking_force(m, y)) / normal;
  }
  if (!(normal > 0.0) || !(d > 0.0)) return 1.0;
  double force = s->sign * s->law.friction * normal;
  double second = m->length / m->speed * m->q * pow(y[STATE_X], m->q - 1.0);
  double limit_rate = s->law.friction * scree_motion_force_trend(m, y) / second;
  return (s->sign * trial_rate(m, y, d, force) - limit_rate) * m->length / (m->speed * force_unit(m));
}

void scree_slide_switch(ScreeMotion *m, double *y) {
  ScreeSlide *s = m->slide;
  double normal = scree_motion_force(m, y);
  s->changes++;
  if (s->mode == SCREE_STICKING) {
    s->sign = sticking_force(m, y) < 0.0 ? -1.0 : 1.0;
    s->mode = SCREE_SLIDING;
    return;
  }
  double force = s->sign * s->law.friction * normal;
  s->mode = SCREE_STICKING;
  y[s->at + SLIDE_HISTORY] = s->law.law == SCREE_LAW_mindlin
                                 ? force / force_unit(m)
                                 : -(force + s->law.gt * y[s->at] * m->speed) / (s->law.kt * m->length);
}

/* Sticks at first touch unless the trial force outruns mu Fn as both grow from zero; compared a little way in. */
void scree_slide_begin(ScreeMotion *m, double *y) {
  ScreeSlide *s = m->slide;
  s->at = m->flowing ? 5 : 4;
  m->ode.size = s->at + 3;
  y[s->at] = s->speed / m->speed;
  for (int i = 0; i < 3; i++) m->ode.floor[s->at + i] = 1.0;
  s->sign = s->speed > 0.0 ? -1.0 : 1.0;
  s->mode = SCREE_SMOOTH;
  if (s->law.law == SCREE_LAW_coulomb) return;
  double ahead[SCREE_ODE_MAX] = {0.0};
  ahead[STATE_X] = 1e-4;
  ahead[STATE_W] = 1.0;
  double d = scree_motion_overlap(m, ahead), normal = scree_motion_force(m, ahead), time = d / m->speed;
  double trial = s->law.law == SCREE_LAW_mindlin ? 2.0 / 3.0 * scree_tangential_stiffness(&s->law, d) * s->speed * time
                                                 : s->law.kt * s->speed * time + s->law.gt * s->speed;
  s->start_ratio = fabs(trial) / normal;
  s->mode = s->start_ratio < s->law.friction ? SCREE_STICKING : SCREE_SLIDING;
}

/* ---- the oblique impact ---- */

ScreeObliqueDef scree_oblique_def_default(ScreeLawId normal, ScreeLawId tangential) {
  return (ScreeObliqueDef){
      .normal = scree_impact_def_default(normal),
      .tangential = {.law = tangential, .friction = NAN, .shear_stiffness = NAN, .kt = NAN, .gt = 0.0, .veps = 1e-3},
      .mass = {NAN, NAN},
      .inertia_factor = 0.4};
}

static ScreeStatus resolve_masses(ScreeObliqueDef *d) {
  ScreePairDef *p = &d->normal.pair;
  if (p->geometry != SCREE_SPHERE_PLANE && p->geometry != SCREE_SPHERE_SPHERE)
    return scree_fail(SCREE_UNSUPPORTED, "an oblique impact is between two spheres or a sphere and a plane wall");
  for (int i = 0; i < 2; i++) {
    bool wall = i == 1 && p->geometry == SCREE_SPHERE_PLANE;
    if (!wall && !(p->radius[i] > 0.0))
      return scree_fail(SCREE_MISSING, "an oblique impact needs the radii of the spheres");
    if (wall || isnan(d->mass[i])) d->mass[i] = scree_pair_def_body_mass(p, i);
    if (isnan(d->mass[i])) return scree_fail(SCREE_MISSING, "an oblique impact needs the spheres' masses or densities");
    if (!(d->mass[i] > 0.0)) return scree_fail(SCREE_INVALID, "a sphere's mass must be > 0 kg (got %.10g)", d->mass[i]);
  }
  double effective = 1.0 / (1.0 / d->mass[0] + 1.0 / d->mass[1]);
  if (isnan(p->mass)) p->mass = effective;
  if (fabs(p->mass - effective) > 1e-6 * effective)
    return scree_fail(SCREE_INVALID, "the effective mass %.10g kg contradicts the spheres' masses, which give %.10g kg",
                      p->mass, effective);
  return SCREE_OK;
}

/* What the definition leaves open comes from the pair; then the values are checked. */
static ScreeStatus resolve_tangential(ScreeObliqueDef *d) {
  ScreeTangential *t = &d->tangential;
  ScreePairDef pair = d->normal.pair;
  if (!isnan(t->friction)) pair.param[SCREE_PARAM_mu] = t->friction;
  if (!isnan(t->kt)) pair.param[SCREE_PARAM_kt] = t->kt;
  if (!isnan(t->gt)) pair.param[SCREE_PARAM_gt] = t->gt;
  if (!isnan(t->veps)) pair.param[SCREE_PARAM_veps] = t->veps;
  ScreeTangential prepared;
  if (t->law == SCREE_LAW_mindlin && !isnan(t->shear_stiffness)) pair.param[SCREE_PARAM_Gstar] = 1.0; /* not used */
  SCREE_TRY(scree_tangential_prepare(t->law, &pair, &prepared));
  prepared.regularisation = t->regularisation;
  if (!isnan(t->shear_stiffness)) prepared.shear_stiffness = t->shear_stiffness;
  if (t->law == SCREE_LAW_mindlin && !(prepared.shear_stiffness > 0.0 && prepared.shear_stiffness <= 1e30))
    return scree_fail(SCREE_INVALID, "the shear stiffness must be in 0 ... 1e30 N/m^1.5 (got %.10g)",
                      prepared.shear_stiffness);
  *t = prepared;
  return SCREE_OK;
}

static void report(const ScreeObliqueDef *d, const ScreeMotion *m, ScreeObliqueResult *r) {
  const ScreeSlide *s = m->slide;
  const double *z = m->final + s->at;
  double vn = d->normal.pair.speed, vt = d->tangential_speed, j = d->inertia_factor;
  double sliding = z[SLIDE_SPEED] * m->speed;
  double impulse = s->mass * (sliding - s->speed); /* tangential, on body 1 */
  r->sliding_speed = sliding;
  r->tangential_speed = vt + impulse / m->mass;
  double spin_energy = 0.0;
  for (int i = 0; i < 2; i++) {
    bool turns = isfinite(d->mass[i]) && d->normal.pair.radius[i] > 0.0;
    double inertia = turns ? j * d->mass[i] * d->normal.pair.radius[i] * d->normal.pair.radius[i] : 0.0;
    r->spin[i] = d->spin[i] + (turns ? impulse * d->normal.pair.radius[i] / inertia : 0.0);
    spin_energy += 0.5 * inertia * (r->spin[i] * r->spin[i] - d->spin[i] * d->spin[i]);
  }
  r->impact_angle = atan2(fabs(vt), vn);
  r->rebound_angle = atan2(r->tangential_speed, r->normal.exit_speed);
  r->contact_rebound_angle = atan2(sliding, r->normal.exit_speed);
  r->tangential_restitution = vt != 0.0 ? r->tangential_speed / vt : NAN;
  r->contact_restitution = s->speed != 0.0 ? -sliding / s->speed : NAN;
  r->impulse_ratio = impulse / (m->mass * (vn + r->normal.exit_speed));
  r->max_tangential_force = s->peak;
  double d_end = scree_motion_overlap(m, m->final), normal = fmax(scree_motion_force(m, m->final), 0.0);
  double force = scree_slide_force(m, m->final, d_end, normal), kt = scree_tangential_stiffness(&s->law, d_end);
  double spring = s->law.law == SCREE_LAW_tangential_linear ? -(force + s->law.gt * sliding) : force;
  double stored = kt > 0.0 ? spring * spring / (2.0 * kt) : 0.0;
  double work = z[SLIDE_WORK] * m->mass * m->speed * m->speed;
  r->energy_tangential_exit = stored;
  r->energy_friction = work - stored;
  double tangential = 0.5 * m->mass * (r->tangential_speed * r->tangential_speed - vt * vt) + spin_energy;
  r->energy_residual = r->normal.energy_residual - tangential - work;
  r->stick_slip_changes = s->changes;
}

ScreeStatus scree_oblique_run(const ScreeObliqueDef *def, ScreeObliqueResult *r) {
  SCREE_NEED(def);
  SCREE_NEED(r);
  ScreeObliqueDef d = *def;
  ScreeImpactDef ready;
  ScreeMotion motion;
  *r = (ScreeObliqueResult){0};
  if (!(d.inertia_factor > 0.0 && d.inertia_factor <= 1.0))
    return scree_fail(SCREE_INVALID, "the inertia factor must be in 0 ... 1 (got %.10g)", d.inertia_factor);
  if (!(fabs(d.tangential_speed) <= 1e9)) return scree_fail(SCREE_INVALID, "the tangential speed must be finite");
  if (!(fabs(d.spin[0]) <= 1e12 && fabs(d.spin[1]) <= 1e12))
    return scree_fail(SCREE_INVALID, "the spins must be finite");
  SCREE_TRY(resolve_masses(&d));
  SCREE_TRY(resolve_tangential(&d));
  SCREE_TRY(scree_impact_prepare(&d.normal, &ready, &r->normal));
  ScreeSlide slide = {.law = d.tangential, .mass = d.normal.pair.mass / (1.0 + 1.0 / d.inertia_factor)};
  double r2 = isfinite(d.mass[1]) ? d.normal.pair.radius[1] : 0.0;
  slide.speed = d.tangential_speed + d.normal.pair.radius[0] * d.spin[0] + r2 * d.spin[1];
  SCREE_TRY(scree_collide(&ready, &r->normal.pair, NULL, &slide, &motion, &r->normal));
  if (r->normal.outcome == SCREE_STALLED)
    return scree_fail(SCREE_UNSUPPORTED,
                      "the normal motion stalls: use separation force or clamp for an oblique impact");
  report(&d, &motion, r);
  return SCREE_OK;
}
