/* Any definition of a collision gets a status with a sentence, or a finite result whose energy closes and whose exit is
 * no faster than its entry; the closed form, where there is one, agrees. */
#include "bytes.h"

static double fraction_or_poisson(Bytes *b) {
  double value = take_fraction(b, NAN);
  return value * 0.5;
}

static ScreeImpactDef take_definition(Bytes *b) {
  static const char *const variants[] = {NULL, "recommended", "printed",      "eq37",
                                         "m3", "m1_si_pi",    "half_modulus", "no"};
  ScreeImpactDef def = scree_impact_def_default(take_law(b));
  ScreePairDef *pair = &def.pair;
  uint8_t mode = take_byte(b);
  def.separation = (ScreeSeparation)(mode % 3);
  def.calibrated = mode & 0x80;
  def.tolerance = mode & 0x40 ? 1e-10 : 1e-13;
  def.max_evaluations = 50000;
  pair->restitution = take_fraction(b, NAN);
  pair->speed = take_number(b, NAN, 1e-6, 1e4);
  pair->mass = take_number(b, NAN, 1e-12, 1e6);
  pair->stiffness = take_number(b, NAN, 1, 1e14);
  uint8_t details = take_byte(b);
  if (details & 1) pair->exponent = take_number(b, NAN, 1, 10);
  if (details & 2) take_parameters(b, def.law, pair);
  if (details & 4) {
    pair->geometry = (ScreeGeometry)(take_byte(b) % (SCREE_CYLINDER_EXTERNAL + 1));
    for (int i = 0; i < 2; i++) pair->radius[i] = take_number(b, NAN, 1e-6, 1e2);
    for (int i = 0; i < 2; i++) {
      pair->material[i].young = take_number(b, NAN, 1e3, 1e13);
      pair->material[i].poisson = fraction_or_poisson(b);
      pair->material[i].density = take_number(b, NAN, 1, 1e5);
    }
    pair->length = take_number(b, NAN, 1e-6, 1e2);
    pair->half_width = take_number(b, NAN, 1e-6, 1e2);
  }
  if (details & 8) pair->variant = variants[take_byte(b) % 8];
  if (details & 16) pair->damping = take_law(b);
  if (details & 32) pair->elastic = take_law(b);
  if (details & 64) pair->min_speed = take_number(b, 0, 1e-12, 1);
  return def;
}

static void check_finite(const ScreeImpactDef *def, const ScreeImpactResult *r, const char *route) {
  const struct {
    const char *name;
    double value;
  } fields[] = {{"restitution", r->restitution},
                {"exit_speed", r->exit_speed},
                {"max_overlap", r->max_overlap},
                {"max_force", r->max_force},
                {"max_force_time", r->max_force_time},
                {"loading_time", r->loading_time},
                {"exit_overlap", r->exit_overlap},
                {"energy_initial", r->energy_initial},
                {"energy_dissipated_loading", r->energy_dissipated_loading},
                {"energy_dissipated_unloading", r->energy_dissipated_unloading},
                {"energy_stored_exit", r->energy_stored_exit},
                {"energy_residual", r->energy_residual}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    PROMISE(isfinite(fields[i].value), def, "%s: %s = %g", route, fields[i].name, fields[i].value);
  PROMISE(isfinite(r->duration) || (r->outcome == SCREE_STALLED && r->duration > 0), def, "%s: duration %g, outcome %d",
          route, r->duration, (int)r->outcome);
}

static void check_result(const ScreeImpactDef *def, const ScreeImpactResult *r, const char *route) {
  check_finite(def, r, route);
  PROMISE(r->restitution >= 0 && r->restitution <= 1 + 1e-9, def, "%s: restitution %.17g", route, r->restitution);
  PROMISE(r->max_overlap > 0 && r->max_force >= 0, def, "%s: overlap %g, force %g", route, r->max_overlap,
          r->max_force);
  PROMISE(r->loading_time > 0 && r->loading_time <= r->duration, def, "%s: loading %g of %g", route, r->loading_time,
          r->duration);
  PROMISE(fabs(r->energy_residual) <= 1e-6 * r->energy_initial, def, "%s: residual %g of %g", route, r->energy_residual,
          r->energy_initial);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bytes bytes = {data, size};
  ScreeImpactDef def = take_definition(&bytes);
  ScreeImpactResult result, exact;
  ScreeStatus status = scree_impact_run(&def, &result);
  EXPLAINED(status, &def);
  if (status == SCREE_OK) check_result(&def, &result, "integrated");

  ScreeStatus closed = scree_impact_exact(&def, &exact);
  EXPLAINED(closed, &def);
  if (closed == SCREE_OK) check_result(&def, &exact, "closed form");
  if (closed == SCREE_OK && status == SCREE_OK && result.outcome == exact.outcome)
    PROMISE(fabs(result.restitution - exact.restitution) <= 1e-6, &def, "e = %.17g integrated, %.17g in closed form",
            result.restitution, exact.restitution);

  ScreeTimestep step;
  ScreeStatus limit = scree_impact_timestep(&def, &step);
  EXPLAINED(limit, &def);
  if (limit == SCREE_OK) PROMISE(step.tangent > 0 && step.recommended > 0, &def, "time step %g", step.tangent);
  return 0;
}
