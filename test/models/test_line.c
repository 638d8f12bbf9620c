/* Line contacts: inverses, limits, geometry, damping by any factor (MODELS.md 8). */
#include <string.h>

#include "support/cases.h"

#define FOR_EACH_LINE_LAW(info)                                                                                        \
  FOR_EACH_LAW(info)                                                                                                   \
  if (info->group == SCREE_LINE)

/* MODELS.md 8, column delta*. */
Test(line, overlap_limits_are_enforced) {
  ScreePairDef def = scree_pair_def_joint();
  double dr = 0.25e-3, r = def.radius[0] * def.radius[1] / dr, e2 = exp(-2.0);
  const struct {
    ScreeLawId law;
    double limit;
  } table[] = {{SCREE_LAW_cyl_hertz, 2.0 * dr * e2},
               {SCREE_LAW_cyl_johnson, 4.0 * dr * e2},
               {SCREE_LAW_cyl_radzimovsky, 8.0 / (acos(-1.0) * 2.56) * exp(-1.0 / 3.0) * dr},
               {SCREE_LAW_cyl_goldsmith, def.length * def.length / r},
               {SCREE_LAW_cyl_dubowsky_freudenstein, def.length * def.length / r},
               {SCREE_LAW_cyl_esdu_78035, 4.0 * dr}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    ScreeLineResult x;
    cr_assert_eq(scree_line_force(table[i].law, &def, 0.999 * table[i].limit, &x), SCREE_OK, "%s", scree_last_error());
    cr_expect(relative(x.overlap_limit, table[i].limit) < 1e-9, "%s: %.12g", scree_law_info(table[i].law)->name,
              x.overlap_limit);
    cr_expect_eq(scree_line_force(table[i].law, &def, 1.001 * table[i].limit, &x), SCREE_OUT_OF_RANGE);
    cr_expect(strstr(scree_last_error(), scree_law_info(table[i].law)->name));
    cr_expect_eq(scree_line_overlap(table[i].law, &def, 1e12, &x), SCREE_OUT_OF_RANGE);
  }
  ScreeLineResult x;
  cr_assert_eq(scree_line_force(SCREE_LAW_cyl_persson, &def, 1e-6, &x), SCREE_OK);
  cr_expect(fabs(x.overlap_limit / dr - 10.09) < 5e-3, "%.6f", x.overlap_limit / dr);
}

/* An impact that would press a log law beyond its limit stops with a sentence. */
Test(line, an_impact_beyond_the_limit_is_refused) {
  FOR_EACH_LINE_LAW(info) {
    ScreeImpactDef def = sample_case(info, 0.9);
    ScreeImpactResult r;
    def.pair.mass = 100.0;
    def.pair.speed = 500.0;
    def.max_evaluations = 200000;
    ScreeStatus status = scree_impact_run(&def, &r);
    bool limited = info->law != SCREE_LAW_cyl_liu && info->law != SCREE_LAW_cyl_lankarani_nikravesh &&
                   info->law != SCREE_LAW_cyl_pereira &&
                   info->law != SCREE_LAW_cyl_persson; /* Persson's force grows without bound towards its limit */
    if (limited)
      cr_expect_eq(status, SCREE_OUT_OF_RANGE, "%s: %s", info->name, scree_status_name(status));
    else
      cr_expect(status == SCREE_OK || status == SCREE_NO_CONVERGENCE || status == SCREE_OUT_OF_RANGE, "%s", info->name);
  }
}

Test(line, geometry_is_checked) {
  FOR_EACH_LINE_LAW(info) {
    ScreePairDef def = scree_pair_def_joint();
    ScreeLineResult x;
    def.geometry = SCREE_CYLINDER_EXTERNAL;
    ScreeStatus status = scree_line_force(info->law, &def, 1e-6, &x);
    if (info->flags & SCREE_INTERNAL_ONLY) {
      cr_expect_eq(status, SCREE_UNSUPPORTED, "%s", info->name);
      cr_expect(strstr(scree_last_error(), "internal"), "%s", scree_last_error());
    } else {
      cr_expect(status == SCREE_OK && x.force > 0.0, "%s: %s", info->name, scree_last_error());
    }
    def = scree_pair_def_joint();
    def.radius[1] = def.radius[0];
    cr_expect_eq(scree_line_force(info->law, &def, 1e-6, &x), SCREE_INVALID, "%s", info->name);
    def = scree_pair_def_joint();
    def.length = NAN;
    cr_expect_eq(scree_line_force(info->law, &def, 1e-6, &x), SCREE_MISSING, "%s", info->name);
    def = scree_pair_def_joint();
    def.variant = "nonsense";
    cr_expect_eq(scree_line_force(info->law, &def, 1e-6, &x), SCREE_UNKNOWN, "%s", info->name);
    cr_expect_eq(scree_line_force(info->law, &def, -1.0, &x), SCREE_UNKNOWN);
  }
  static const ScreeLawId internal[] = {SCREE_LAW_cyl_dubowsky_freudenstein, SCREE_LAW_cyl_esdu_78035,
                                        SCREE_LAW_cyl_liu, SCREE_LAW_cyl_persson};
  for (int i = 0; i < 4; i++) cr_expect(scree_law_info(internal[i])->flags & SCREE_INTERNAL_ONLY);
}

/* Persson tends to Hertz's width-load relation: f = pi E* a^2/(4 R) with half width a = R sin(eps), R1 ~ R2 (MODELS.md
 * 8). */
Test(line, persson_meets_hertz_at_small_contact_angles) {
  ScreePairDef def = scree_pair_def_joint();
  double dr = 0.25e-3, e_star = scree_composite_modulus(def.material[0], def.material[0]);
  double d = 1e-9 * dr, eps = acos(dr / (dr + d));
  ScreeLineResult x;
  cr_assert_eq(scree_line_force(SCREE_LAW_cyl_persson, &def, d, &x), SCREE_OK);
  eps = sqrt(2.0 * d / dr); /* acos loses it to rounding */
  cr_expect(relative(x.force_per_length, acos(-1.0) * e_star * dr * eps * eps / 4.0) < 1e-6, "%.9g",
            x.force_per_length);
}

/* MODELS.md D39: the two formulas of the exponent meet at 0.34954 mm. */
Test(line, pereira_is_continuous_where_its_exponent_changes) {
  ScreePairDef def = scree_pair_def_joint();
  ScreeLineResult a, b;
  def.radius[1] = def.radius[0] - 0.349539e-3;
  cr_assert_eq(scree_line_force(SCREE_LAW_cyl_pereira, &def, 1e-6, &a), SCREE_OK);
  def.radius[1] = def.radius[0] - 0.349541e-3;
  cr_assert_eq(scree_line_force(SCREE_LAW_cyl_pereira, &def, 1e-6, &b), SCREE_OK);
  cr_expect(relative(a.force, b.force) < 3e-4);
  def.radius[0] = 0.02;
  cr_expect_eq(scree_line_force(SCREE_LAW_cyl_pereira, &def, 1e-6, &b), SCREE_INVALID);
}
