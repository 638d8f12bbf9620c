/* timestep.c: how long an explicit step may be, MODELS.md 5.6. */
#include <math.h>

#include "collision.h"
#include "core/special.h"
#include "core/status.h"

/* Largest overlap of the same contact without damping. */
static double elastic_depth(const ScreeMotion *m, double limit) {
  double energy = 0.5 * m->mass * m->speed * m->speed, low = 0.0, high = m->length;
  ScreeLaw law = m->law;
  for (int i = 0; i < 60; i++) {
    double stored = m->ops->stored(&law, high, &high) + m->ops->lost(&law, &high);
    if (!(stored < energy) || high >= limit) break;
    low = high;
    high = fmin(2.0 * high, limit);
  }
  for (int i = 0; i < 200; i++) {
    double mid = 0.5 * (low + high);
    double stored = m->ops->stored(&law, mid, &mid) + m->ops->lost(&law, &mid);
    if (stored < energy)
      low = mid;
    else
      high = mid;
  }
  return low;
}

/* dF/dd at rest, on whichever side is stiffer: plastic laws unload more steeply than they load. */
static double tangent_stiffness(const ScreeMotion *m, double d) {
  double stiffest = 0.0;
  for (int side = -1; side <= 1; side += 2) {
    double memory[SCREE_MAX_SLOTS] = {0.0}, h = 1e-6 * d * side;
    double here = m->ops->force(&m->law, d, 0.0, memory);
    double there = m->ops->force(&m->law, d + h, 0.0, memory);
    double further = m->ops->force(&m->law, d + 2.0 * h, 0.0, memory);
    stiffest = fmax(stiffest, (4.0 * there - 3.0 * here - further) / (2.0 * h));
  }
  return stiffest;
}

ScreeStatus scree_impact_timestep(const ScreeImpactDef *def, ScreeTimestep *out) {
  SCREE_NEED(out);
  ScreeImpactDef ready;
  ScreeImpactResult r;
  ScreeMotion m;
  double y[SCREE_ODE_MAX];
  SCREE_TRY(scree_impact_prepare(def, &ready, &r));
  SCREE_TRY(scree_motion_begin(&ready, &r.pair, &m, y));
  const ScreeLawInfo *info = scree_law_info(r.pair.law);
  double deepest, stiffness, n = r.pair.n;
  bool power_law = info->group == SCREE_POINT && !isnan(n) && r.pair.law != SCREE_LAW_roy_carretero && !r.pair.custom;
  if (info->flags & SCREE_LOOP_WORK) { /* no stored energy to equate: the scale of the motion will do */
    deepest = m.length;
    stiffness = tangent_stiffness(&m, deepest);
    power_law = false;
  } else if (power_law) {
    deepest = pow(0.5 * (n + 1.0) * m.mass * m.speed * m.speed / m.law.k, 1.0 / (n + 1.0));
    stiffness = n * m.law.k * pow(deepest, n - 1.0);
  } else {
    deepest = elastic_depth(&m, r.pair.limit);
    if (deepest >= r.pair.limit * (1.0 - 1e-9)) { /* only damping keeps the contact inside the law's range */
      ScreeMotion damped;
      SCREE_TRY(scree_collide(&ready, &r.pair, NULL, NULL, &damped, &r));
      deepest = r.max_overlap;
    }
    stiffness = tangent_stiffness(&m, deepest);
  }
  double memory[SCREE_MAX_SLOTS] = {m.flowing ? INFINITY : deepest}; /* damping that grows with time: all of it */
  double zeta = m.ops->damping(&m.law, deepest, m.speed, memory) / (2.0 * sqrt(m.mass * stiffness));
  if (!(stiffness > 0.0) || isinf(stiffness) || isnan(zeta))
    return scree_fail(SCREE_OUT_OF_RANGE, "%s: the contact has no stiffness to limit a time step", info->name);
  out->tangent = 2.0 / sqrt(stiffness / m.mass);
  out->transformed = power_law ? out->tangent * sqrt(2.0 * n / (n + 1.0)) : NAN;
  out->lagged = out->tangent / (hypot(1.0, zeta) + zeta); /* sqrt(1 + zeta^2) - zeta without cancellation */
  out->recommended = 0.1 * out->lagged;
  return SCREE_OK;
}
