/* exact.c: oracles of the power-law oscillator's closed forms, MODELS.md 5. */
#include "oracle.h"

enum { POINTS = 40 };

/* States by time, and velocity by overlap, against the integrated trace. */
static void states(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  for (double p = 1.0; p <= 3.0; p += 0.5) {
    ScreeTracePoint points[POINTS];
    ScreeExactDef def = scree_exact_def_default();
    ScreeImpactDef impact = scree_sample_case(scree_law_info(SCREE_LAW_power_law_tsuji), 0.5);
    ScreeExact x;
    ScreeImpactResult r;
    def.exponent = impact.pair.exponent = p;
    def.restitution = 0.5;
    if (scree_exact_solve(&def, &x) != SCREE_OK || scree_impact_trace(&impact, POINTS, points, &r) != SCREE_OK)
      return scree_tally_failure(check, "exact");
    for (int i = 1; i < POINTS - 1; i++) {
      ScreeExactPoint at;
      if (scree_exact_at_time(&x, points[i].time, &at) != SCREE_OK) return scree_tally_failure(check, "state");
      double worst =
          fmax(fabs(at.overlap - points[i].overlap) / r.max_overlap, fabs(at.velocity - points[i].velocity) / x.speed);
      scree_tally(check, fmax(worst, fabs(at.force - points[i].force) / r.max_force), "p = %g, t = %.4g s", p,
                  points[i].time);
    }
  }
}

static void inverse(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  for (double e = 0.01; e < 1.0; e += 0.07) {
    ScreeExactDef def = scree_exact_def_default();
    ScreeExact x, y;
    def.restitution = e;
    if (scree_exact_solve(&def, &x) != SCREE_OK) return scree_tally_failure(check, "exact");
    def.restitution = NAN;
    def.alpha = x.alpha;
    if (scree_exact_solve(&def, &y) != SCREE_OK) return scree_tally_failure(check, "exact");
    scree_tally(check, scree_relative(y.restitution, e), "e = %g", e);
  }
}

/* Loading and unloading losses add up to 1 - e^2; the duration ratio respects its bound 1/sqrt(1-a^2) (MODELS.md D35).
 */
static void identities(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  for (double p = 1.0; p <= 4.0; p += 0.5)
    for (double a = 0.02; a < 1.0; a += 0.09) {
      ScreeExactDef def = scree_exact_def_default();
      ScreeExact x;
      def.exponent = p;
      def.alpha = a * sqrt(2.0 * (p + 1.0));
      if (scree_exact_solve(&def, &x) != SCREE_OK) return scree_tally_failure(check, "exact");
      double loss = (x.energy_dissipated_loading + x.energy_dissipated_unloading) / x.energy_initial;
      double bound = x.duration_ratio * sqrt(1.0 - a * a) < 1.0 - 1e-13 ? INFINITY : 0.0;
      scree_tally(check, fabs(loss - 1.0 + x.restitution * x.restitution) + bound, "p = %g, a = %g", p, a);
    }
}

/* The duration by the Gamma function against the quadrature over the whole phase. */
static void duration(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  for (double p = 1.0; p <= 4.0; p += 0.75)
    for (double e = 0.1; e < 1.0; e += 0.2) {
      ScreeExactDef def = scree_exact_def_default();
      ScreeExact x;
      ScreeExactPoint end;
      def.exponent = p;
      def.restitution = e;
      if (scree_exact_solve(&def, &x) != SCREE_OK || scree_exact_at_phase(&x, 1.0, &end) != SCREE_OK)
        return scree_tally_failure(check, "exact");
      scree_tally(check, scree_relative(end.time, x.duration), "p = %g, e = %g", p, e);
    }
}

static const Oracle oracles[] = {
    {"states", "d(t), v(t), F(t) lie on the integrated trace", 1e-9, states, NULL},
    {"inverse", "alpha of e and e of alpha", 1e-13, inverse, NULL},
    {"identities", "losses add up to 1 - e^2; the duration ratio has its lower bound", 1e-14, identities, NULL},
    {"duration", "the closed form by the Gamma function equals the quadrature", 1e-11, duration, NULL},
};

const Suite scree_suite_exact = {.name = "exact", .oracles = oracles, .count = sizeof oracles / sizeof *oracles};
