/* Calibration, traces, time-step limits, oblique impacts, the exact oscillator. */
#include <string.h>

#include "support/cases.h"

static const double pi = 3.14159265358979323846;

/* ---- calibration ---- */

Test(calibration, delivers_the_target_for_every_law_and_separation) {
  static const double targets[] = {0.15, 0.5, 0.9, 1.0};
  FOR_EACH_NORMAL_LAW(info)
  for (int i = 0; i < 12; i++) {
    ScreeImpactDef def = sample_case(info, 0.5);
    def.pair.restitution = targets[i / 3];
    def.separation = (ScreeSeparation)(i % 3);
    ScreeCalibration c;
    ScreeStatus status = scree_impact_calibrate(&def, &c);
    if (info->domain == SCREE_E_NONE) {
      cr_expect_eq(status, SCREE_UNSUPPORTED, "%s", info->name);
      continue;
    }
    if (status == SCREE_UNREACHABLE) {
      cr_expect(strstr(scree_last_error(), " ... "), "%s: no range in \"%s\"", info->name, scree_last_error());
      continue;
    }
    cr_assert_eq(status, SCREE_OK, "%s e=%g: %s", info->name, targets[i / 3], scree_last_error());
    cr_expect(fabs(c.restitution - targets[i / 3]) < 1e-10, "%s e=%g sep %d: %s = %.12g gives %.12g", info->name,
              targets[i / 3], i % 3, c.name, c.value, c.restitution);
    ScreeImpactResult r;
    def.calibrated = true;
    cr_assert_eq(scree_impact_run(&def, &r), SCREE_OK);
    cr_expect(r.calibrated && fabs(r.restitution - targets[i / 3]) < 1e-10, "%s", info->name);
  }
}

Test(calibration, the_input_restitution_makes_the_plain_law_deliver_the_target) {
  FOR_EACH_NORMAL_LAW(info) {
    if (!(info->flags & SCREE_FACTOR)) continue;
    ScreeImpactDef def = sample_case(info, 0.7);
    ScreeCalibration c;
    ScreeImpactResult r;
    cr_assert_eq(scree_impact_calibrate(&def, &c), SCREE_OK, "%s", scree_last_error());
    if (isnan(c.input_restitution)) continue;
    def.pair.restitution = c.input_restitution;
    cr_assert_eq(scree_impact_run(&def, &r), SCREE_OK);
    cr_expect(fabs(r.restitution - 0.7) < 1e-9, "%s(%.9g) gives %.12g", info->name, c.input_restitution, r.restitution);
  }
}

Test(calibration, an_unreachable_target_names_the_reachable_range) {
  ScreeImpactDef def = sample_case(scree_law_info(SCREE_LAW_wang_cubed), 0.1);
  ScreeCalibration c;
  cr_expect_eq(scree_impact_calibrate(&def, &c), SCREE_UNREACHABLE);
  cr_expect(strstr(scree_last_error(), "wang_cubed") && strstr(scree_last_error(), "..."), "%s", scree_last_error());
  def = sample_case(scree_law_info(SCREE_LAW_tsuji), 1.5);
  cr_expect_eq(scree_impact_calibrate(&def, &c), SCREE_UNREACHABLE);
  def.pair.restitution = 0.0;
  cr_expect_eq(scree_impact_calibrate(&def, &c), SCREE_UNREACHABLE);
}

/* With Rc = 1 the force has a kink at the very turn, where the search once lost the motion and gave up. */
Test(calibration, choi_without_a_return_loss_reaches_what_it_can) {
  static const struct {
    double e, ms, mi;
    ScreeSeparation separation;
  } rows[] = {{0.7215, 1, 1, SCREE_AT_FORCE},   {0.6296, 1, 1, SCREE_CLAMPED},  {0.309, 1, 1, SCREE_AT_FORCE},
              {0.9001, 2, 3, SCREE_AT_OVERLAP}, {0.0642, 2, 2, SCREE_AT_FORCE}, {0.1, 1.5, 1.5, SCREE_AT_OVERLAP}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ScreeImpactDef def = scree_impact_def_default(SCREE_LAW_choi);
    ScreeCalibration c;
    def.pair = scree_pair_def_review();
    def.pair.restitution = rows[i].e;
    def.pair.param[SCREE_PARAM_Rc] = 1.0;
    def.pair.param[SCREE_PARAM_ms] = rows[i].ms;
    def.pair.param[SCREE_PARAM_mi] = rows[i].mi;
    def.separation = rows[i].separation;
    cr_expect_eq(scree_impact_calibrate(&def, &c), SCREE_OK, "e = %g: %s", rows[i].e, scree_last_error());
  }
}

/* Xiong's law reaches one restitution twice: by damping, and again as a contact that is only stiffer. */
Test(calibration, takes_the_weakest_parameter_that_delivers) {
  ScreeImpactDef def = sample_case(scree_law_info(SCREE_LAW_xiong), NAN),
                 hertz = sample_case(scree_law_info(SCREE_LAW_hertz), NAN);
  ScreeImpactResult r, elastic;
  cr_assert_eq(scree_impact_run(&hertz, &elastic), SCREE_OK);
  for (double e = 0.3; e < 0.96; e += 0.05) {
    def.pair.restitution = e;
    cr_assert_eq(scree_impact_run(&def, &r), SCREE_OK, "e = %g: %s", e, scree_last_error());
    cr_expect(fabs(r.restitution - e) < 1e-10 && r.max_force < 2.5 * elastic.max_force, "e = %g: peak %.4g N", e,
              r.max_force);
  }
}

/* MODELS.md 5.2: alpha calibrated for the overlap exit gives these under the force exit. */
Test(calibration, tsuji_under_the_other_exit_gives_the_tabulated_values) {
  static const double table[5][2] = {{.1, .2527}, {.3, .3971}, {.5, .5503}, {.7, .7182}, {.9, .9020}};
  for (int i = 0; i < 5; i++) {
    ScreeImpactDef def = sample_case(scree_law_info(SCREE_LAW_tsuji), table[i][0]);
    ScreeImpactResult r;
    def.separation = SCREE_CLAMPED;
    cr_assert_eq(scree_impact_run(&def, &r), SCREE_OK);
    cr_expect(fabs(r.restitution - table[i][1]) < 5.1e-5, "%.5f", r.restitution);
  }
}

/* ---- traces ---- */

enum { POINTS = 201 };
static ScreeTracePoint points[100000];

static void check_events(const ScreeLawInfo *info, const ScreeImpactResult *r, int count) {
  bool peak = false, turn = false;
  for (int i = 0; i < count; i++) {
    peak |= relative(points[i].force, r->max_force) < 1e-9;
    turn |= relative(points[i].overlap, r->max_overlap) < 1e-12 && fabs(points[i].velocity) < 1e-6;
  }
  cr_expect(peak, "%s: the peak force is not among the points", info->name);
  cr_expect(turn, "%s: the maximum overlap is not among the points", info->name);
  cr_expect(points[0].time == 0.0 && points[0].overlap == 0.0);
  const ScreeTracePoint *end = &points[count - 1];
  cr_expect(relative(end->time, r->duration) < 1e-12, "%s: ends at %.12g of %.12g s", info->name, end->time,
            r->duration);
  cr_expect(fabs(end->overlap - r->exit_overlap) < 1e-9 * r->max_overlap, "%s", info->name);
  cr_expect(relative(-end->velocity, r->exit_speed) < 1e-12, "%s", info->name);
}

Test(trace, holds_the_events_and_closes_its_energy_at_every_point) {
  FOR_EACH_NORMAL_LAW(info)
  for (int s = 0; s < 3; s++) {
    ScreeImpactDef def = sample_case(info, 0.55);
    ScreeImpactResult r;
    def.separation = (ScreeSeparation)s;
    cr_assert_eq(scree_impact_trace(&def, POINTS, points, &r), SCREE_OK, "%s: %s", info->name, scree_last_error());
    check_events(info, &r, POINTS);
    for (int i = 0; i < POINTS; i++) {
      double sum = points[i].elastic + points[i].kinetic + points[i].dissipated;
      cr_expect(fabs(sum - r.energy_initial) < 1e-10 * r.energy_initial, "%s sep %d point %d: %.3g", info->name, s, i,
                sum / r.energy_initial - 1.0);
      if (i) cr_expect(points[i].time > points[i - 1].time, "%s: time stands still at point %d", info->name, i);
    }
  }
}

/* No step of the curve (d/dmax, v/v0, F/Fmax) is much longer than the mean one. */
Test(trace, resolves_both_branches_and_the_peak_evenly) {
  FOR_EACH_NORMAL_LAW(info) {
    ScreeImpactDef def = sample_case(info, 0.55);
    ScreeImpactResult r;
    double total = 0.0, longest = 0.0;
    int loading = 0;
    cr_assert_eq(scree_impact_trace(&def, POINTS, points, &r), SCREE_OK);
    for (int i = 1; i < POINTS; i++) {
      double d = (points[i].overlap - points[i - 1].overlap) / r.max_overlap,
             v = (points[i].velocity - points[i - 1].velocity) / def.pair.speed;
      double f = (points[i].force - points[i - 1].force) / r.max_force, arc = sqrt(d * d + v * v + f * f);
      total += arc;
      longest = fmax(longest, arc);
      loading += points[i].velocity > 0.0;
    }
    cr_expect(longest < 2.0 * total / (POINTS - 1), "%s: longest %.3g, mean %.3g", info->name, longest,
              total / (POINTS - 1));
    cr_expect(loading > POINTS / 4 && loading < 9 * POINTS / 10, "%s: %d of %d points on loading", info->name, loading,
              POINTS);
  }
}

Test(trace, any_number_of_points_works) {
  ScreeImpactDef def = sample_case(scree_law_info(SCREE_LAW_tsuji), 0.5);
  ScreeImpactResult r;
  for (int n = 8; n < 40; n++) {
    cr_assert_eq(scree_impact_trace(&def, n, points, &r), SCREE_OK);
    cr_expect(relative(points[n - 1].time, r.duration) < 1e-12, "%d points", n);
  }
  cr_assert_eq(scree_impact_trace(&def, 100000, points, &r), SCREE_OK);
  cr_expect_eq(scree_impact_trace(&def, 7, points, &r), SCREE_INVALID);
}

/* ---- time step ---- */

/* Restitution of a leap-frog impact with a given step and start phase. */
static double leap_frog(const ScreeImpactDef *def, double dt, double phase) {
  ScreePair pair;
  double memory[SCREE_MAX_SLOTS];
  cr_assert_eq(scree_pair_prepare(def->law, &def->pair, &pair), SCREE_OK);
  ScreeLaw law = scree_law_touch(&pair, def->pair.speed, memory);
  double d = phase * dt * def->pair.speed, v = def->pair.speed;
  for (int i = 0; i < 1000000 && d > 0.0; i++) {
    v -= scree_law_force(def->law, &law, d, v, memory) / pair.mass * dt;
    d += v * dt;
  }
  return -v / def->pair.speed;
}

static void spread(const ScreeImpactDef *def, double dt, double *low, double *high) {
  *low = INFINITY, *high = -INFINITY;
  for (int i = 1; i < 400; i++) {
    double e = leap_frog(def, dt, i / 400.0);
    *low = fmin(*low, e);
    *high = fmax(*high, e);
  }
}

/* MODELS.md 5.6: bounds found by leap-frog impacts with random start phase. */
Test(timestep, the_limits_mean_what_they_say) {
  ScreeImpactDef def = sample_case(scree_law_info(SCREE_LAW_hertz), NAN);
  ScreeTimestep step;
  double low, high;
  cr_assert_eq(scree_impact_timestep(&def, &step), SCREE_OK);
  cr_expect(relative(step.tangent, step.transformed * sqrt(2.5 / 3.0)) < 1e-14);
  spread(&def, step.transformed, &low, &high);
  cr_expect(high > 2.5, "at the transformed estimate impacts gain energy: e up to %.3f", high);
  spread(&def, 0.25 * step.transformed, &low, &high);
  cr_expect(low > 0.997 && high < 1.003, "%.4f ... %.4f", low, high);
  spread(&def, step.recommended, &low, &high);
  cr_expect(low > 1.0 - 5e-4 && high < 1.0 + 5e-4, "%.5f ... %.5f", low, high);
}

Test(timestep, exists_for_every_law_and_keeps_leap_frog_near_the_exact_restitution) {
  FOR_EACH_NORMAL_LAW(info) {
    ScreeImpactDef def = sample_case(info, 0.8);
    ScreeTimestep step;
    ScreeImpactResult r;
    cr_assert_eq(freeze_strength(&def), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_impact_timestep(&def, &step), SCREE_OK, "%s: %s", info->name, scree_last_error());
    cr_expect(step.tangent > 0.0 && step.lagged <= step.tangent && step.recommended == 0.1 * step.lagged, "%s",
              info->name);
    if (info->group == SCREE_PLASTIC || info->slots) continue; /* their exit is not at zero overlap, or memory flows */
    cr_assert_eq(scree_impact_run(&def, &r), SCREE_OK);
    double e = leap_frog(&def, step.recommended, 0.5);
    cr_expect(fabs(e - r.restitution) < 0.03, "%s: %.4f by leap-frog, %.4f exactly", info->name, e, r.restitution);
  }
}

/* Lagged damping tightens the limit: a step that ignored it would blow up here. */
Test(timestep, the_recommendation_survives_strong_damping) {
  ScreeImpactDef def = sample_case(scree_law_info(SCREE_LAW_kelvin_voigt), NAN);
  ScreeTimestep step;
  def.pair.param[SCREE_PARAM_D] = 1e7;
  cr_assert_eq(scree_impact_timestep(&def, &step), SCREE_OK);
  cr_expect(step.recommended < step.lagged && step.lagged < 0.2 * step.tangent);
  ScreePair pair;
  double memory[SCREE_MAX_SLOTS], d = 0.0, v = def.pair.speed;
  cr_assert_eq(scree_pair_prepare(def.law, &def.pair, &pair), SCREE_OK);
  ScreeLaw law = scree_law_touch(&pair, v, memory);
  for (int i = 0; i < 1000; i++) {
    d += v * step.recommended;
    v -= scree_law_force(def.law, &law, d, v, memory) / pair.mass * step.recommended;
    cr_assert(fabs(v) <= def.pair.speed, "v = %g after %d steps", v, i);
  }
}

/* ---- oblique impacts ---- */

/* Chung & Ooi's sphere: R = 2.5 mm aluminium oxide on a wall at 3.9 m/s. */
static ScreeObliqueDef oblique(ScreeLawId tangential, double degrees) {
  ScreeObliqueDef d = scree_oblique_def_default(SCREE_LAW_zhang_sharf, tangential);
  d.normal.pair.geometry = SCREE_SPHERE_PLANE;
  d.normal.pair.radius[0] = 2.5e-3;
  d.normal.pair.material[0] = (ScreeMaterial){380e9, 0.23, 4000.0};
  d.normal.pair.restitution = 0.98;
  d.normal.pair.speed = 3.9 * cos(degrees * pi / 180.0);
  d.tangential_speed = 3.9 * sin(degrees * pi / 180.0);
  d.tangential.friction = 0.092;
  d.tangential.kt = 2e7;
  return d;
}

/* Chung & Ooi 4 at 50 degrees, where the sphere slides throughout. */
Test(oblique, gross_sliding_meets_the_published_figures) {
  ScreeObliqueDef d = oblique(SCREE_LAW_mindlin, 50.0);
  ScreeObliqueResult r;
  cr_assert_eq(scree_oblique_run(&d, &r), SCREE_OK);
  cr_expect(fabs(r.tangential_restitution - 0.847) < 5e-4 && fabs(r.spin[0] + 456.7) < 0.1);
  cr_expect(fabs(r.contact_rebound_angle * 180.0 / pi - 29.5) < 0.05);
}

/* Chung & Ooi 7: equal spheres with opposite spins touch without sliding, so nothing tangential happens. */
Test(oblique, opposite_spins_of_equal_spheres_do_not_slide) {
  ScreeObliqueDef d = oblique(SCREE_LAW_mindlin, 0.0);
  ScreeObliqueResult r;
  d.normal.pair.geometry = SCREE_SPHERE_SPHERE;
  d.normal.pair.radius[1] = d.normal.pair.radius[0];
  d.tangential_speed = 0.0;
  d.spin[0] = 20.0, d.spin[1] = -20.0;
  cr_assert_eq(scree_oblique_run(&d, &r), SCREE_OK, "%s", scree_last_error());
  cr_expect(r.spin[0] == 20.0 && r.spin[1] == -20.0 && r.tangential_speed == 0.0);
}

/* Chung & Ooi 8: against a sphere of five times the radius and a thousand times the density a wall is approached. */
Test(oblique, a_huge_sphere_acts_like_a_wall_of_its_curvature) {
  ScreeObliqueDef d = oblique(SCREE_LAW_mindlin, 20.0), w = d;
  ScreeObliqueResult a, b;
  d.normal.pair.geometry = SCREE_SPHERE_SPHERE;
  d.normal.pair.radius[1] = 1e6 * d.normal.pair.radius[0];
  d.normal.pair.material[1] = d.normal.pair.material[0];
  cr_assert_eq(scree_oblique_run(&d, &a), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_oblique_run(&w, &b), SCREE_OK);
  cr_expect(relative(a.spin[0], b.spin[0]) < 1e-5 && relative(a.tangential_speed, b.tangential_speed) < 1e-5);
}

/* ---- the exact oscillator ---- */

Test(exact, states_lie_on_the_integrated_trace) {
  for (double p = 1.0; p <= 3.0; p += 0.5) {
    ScreeExactDef def = scree_exact_def_default();
    ScreeExact x;
    ScreeExactPoint at;
    ScreeImpactDef impact = sample_case(scree_law_info(SCREE_LAW_power_law_tsuji), 0.5);
    ScreeImpactResult r;
    def.exponent = impact.pair.exponent = p;
    def.restitution = 0.5;
    cr_assert_eq(scree_exact_solve(&def, &x), SCREE_OK);
    cr_assert_eq(scree_impact_trace(&impact, 50, points, &r), SCREE_OK);
    for (int i = 1; i < 49; i++) {
      double v;
      cr_assert_eq(scree_exact_at_time(&x, points[i].time, &at), SCREE_OK, "%s", scree_last_error());
      cr_expect(fabs(at.overlap - points[i].overlap) < 1e-10 * r.max_overlap, "p=%g point %d: %.3g", p, i,
                at.overlap / points[i].overlap - 1.0);
      cr_expect(fabs(at.velocity - points[i].velocity) < 1e-10 * x.speed, "p=%g point %d", p, i);
      cr_expect(fabs(at.force - points[i].force) < 1e-9 * r.max_force, "p=%g point %d: %.12g %.12g", p, i, at.force,
                points[i].force);
      cr_assert_eq(scree_exact_velocity(&x, points[i].overlap, points[i].velocity < 0.0, &v), SCREE_OK);
      cr_expect(fabs(v - points[i].velocity) < 1e-6 * x.speed, "p=%g point %d", p, i);
    }
    cr_assert_eq(scree_exact_at_phase(&x, 1.0, &at), SCREE_OK);
    cr_expect(at.overlap == 0.0 && relative(at.time, x.duration) < 1e-10 &&
              relative(-at.velocity, 0.5 * x.speed) < 1e-12);
  }
}

/* MODELS.md 5.4, 5.7, 5.8: loading share, share of attraction, times of the peaks. */
Test(exact, published_figures_of_the_oscillator) {
  static const double share[3][2] = {{.9, .516}, {.5, .600}, {.1, .755}};
  ScreeExactDef def = scree_exact_def_default();
  ScreeExact x;
  for (int i = 0; i < 3; i++) {
    def.restitution = share[i][0];
    cr_assert_eq(scree_exact_solve(&def, &x), SCREE_OK);
    double loss = x.energy_dissipated_loading + x.energy_dissipated_unloading;
    cr_expect(fabs(x.energy_dissipated_loading / loss - share[i][1]) < 6e-4);
    cr_expect(relative(loss, x.energy_initial * (1.0 - share[i][0] * share[i][0])) < 1e-13);
  }
  def.restitution = 0.5;
  cr_assert_eq(scree_exact_solve(&def, &x), SCREE_OK);
  cr_expect(fabs(x.max_force_time / x.duration - 0.326) < 6e-4 && fabs(x.loading_time / x.duration - 0.422) < 6e-4);
  cr_expect(fabs(1.0 - x.duration_zero_force / x.duration - 0.185) < 6e-4);
  def.exponent = 2.0;
  cr_assert_eq(scree_exact_solve(&def, &x), SCREE_OK);
  cr_expect(fabs(x.max_force_time / x.duration - 0.340) < 6e-4 && fabs(x.loading_time / x.duration - 0.415) < 6e-4);
}

Test(exact, alpha_and_restitution_are_inverse_and_overdamping_never_ends) {
  ScreeExactDef def = scree_exact_def_default();
  ScreeExact x, y;
  for (double e = 0.01; e < 1.0; e += 0.07) {
    def.restitution = e, def.alpha = NAN;
    cr_assert_eq(scree_exact_solve(&def, &x), SCREE_OK);
    def.restitution = NAN, def.alpha = x.alpha;
    cr_assert_eq(scree_exact_solve(&def, &y), SCREE_OK);
    cr_expect(relative(y.restitution, e) < 1e-13);
  }
  def.alpha = 3.0;
  cr_assert_eq(scree_exact_solve(&def, &x), SCREE_OK);
  cr_expect(x.restitution == 0.0 && isinf(x.duration) && x.alpha_effective > 1.0);
  cr_expect(x.restitution_clamped > 0.0 && x.restitution_clamped < 0.2);
  def.restitution = 0.5;
  cr_expect_eq(scree_exact_solve(&def, &x), SCREE_INVALID);
  def.restitution = def.alpha = NAN;
  cr_expect_eq(scree_exact_solve(&def, &x), SCREE_MISSING);
}

/* MODELS.md D35: the bound 1/sqrt(1-a^2) holds, the small-damping slope is (pi/2)(p-1)/(p+1). */
Test(exact, duration_ratio_has_its_bound_and_slope) {
  ScreeExactDef def = scree_exact_def_default();
  ScreeExact x;
  for (double p = 1.0; p <= 4.0; p += 0.5)
    for (double a = 0.01; a < 1.0; a += 0.07) {
      def.exponent = p;
      def.alpha = a * sqrt(2.0 * (p + 1.0));
      cr_assert_eq(scree_exact_solve(&def, &x), SCREE_OK);
      cr_expect(x.duration_ratio >= (1.0 - 1e-13) / sqrt(1.0 - a * a), "p=%g a=%g", p, a);
    }
  def.exponent = 3.0;
  def.alpha = 0.2 * sqrt(8.0);
  cr_assert_eq(scree_exact_solve(&def, &x), SCREE_OK);
  cr_expect(fabs(x.duration_ratio - 1.194) < 6e-4);
}
