/* Defects that were found once: each test fails on the code that had it. */
#include <string.h>

#include "support/cases.h"

static ScreeImpactDef case_of(ScreeLawId law, double e, double mass, double speed, double stiffness) {
  ScreeImpactDef def = scree_impact_def_default(law);
  def.pair.restitution = e, def.pair.mass = mass, def.pair.speed = speed, def.pair.stiffness = stiffness;
  return def;
}

/* The lens of two spheres is undefined when one has passed through the other. */
Test(regression, roy_carretero_stops_at_its_overlap_limit) {
  ScreeImpactDef def = scree_impact_def_default(SCREE_LAW_roy_carretero);
  ScreeImpactResult r;
  ScreeTimestep step;
  def.pair.mass = 1.0, def.pair.speed = 5.0;
  def.pair.param[SCREE_PARAM_E1] = 1e6, def.pair.param[SCREE_PARAM_D1] = 10.0;
  def.pair.param[SCREE_PARAM_R1] = def.pair.param[SCREE_PARAM_R2] = 0.01;
  cr_expect_eq(scree_impact_run(&def, &r), SCREE_OUT_OF_RANGE);
  cr_expect_eq(scree_impact_timestep(&def, &step), SCREE_OUT_OF_RANGE);
  def.pair.speed = 0.5;
  cr_expect_eq(scree_impact_run(&def, &r), SCREE_OK);
}

/* Kstar is bounded by the speed; the search must come close to that border. */
Test(regression, wang_is_calibrated_up_to_the_border_of_its_range) {
  for (double e = 0.2; e < 0.95; e += 0.1) {
    ScreeImpactDef def = sample_case(scree_law_info(SCREE_LAW_wang), e);
    ScreeCalibration c;
    cr_assert_eq(scree_impact_calibrate(&def, &c), SCREE_OK, "e = %g: %s", e, scree_last_error());
    cr_expect(fabs(c.restitution - e) < 1e-10);
  }
}

/* An absolute tolerance in metres once spoilt the peak force of small contacts. */
Test(regression, closed_peak_force_is_right_at_any_size) {
  const ScreeImpactDef cases[] = {case_of(SCREE_LAW_pant_wijeyewickrema, 0.144, 6.95e-7, 2.5e-3, 1.87e11),
                                  case_of(SCREE_LAW_ye_linear, 0.5, 1e-9, 1e-3, 1e10),
                                  case_of(SCREE_LAW_zhang_sharf, 0.5, 1e-6, 1e-3, 1e10),
                                  case_of(SCREE_LAW_flores, 0.5, 1e-15, 1e-4, 1e10)};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ScreeImpactResult a, b;
    cr_assert_eq(scree_impact_run(&cases[i], &a), SCREE_OK);
    cr_assert_eq(scree_impact_exact(&cases[i], &b), SCREE_OK);
    cr_expect(relative(b.max_force, a.max_force) < 1e-11, "case %zu: %.12g, closed %.12g", i, a.max_force, b.max_force);
  }
}

/* The closed form must not put the turning point onto the limit of a log law. */
Test(regression, closed_form_refuses_what_the_law_cannot_store) {
  FOR_EACH_NORMAL_LAW(info) {
    if (info->group != SCREE_LINE) continue;
    ScreeImpactDef def = sample_case(info, 0.5);
    ScreeImpactResult a, b;
    def.pair.speed = 100.0;
    ScreeStatus run = scree_impact_run(&def, &a), exact = scree_impact_exact(&def, &b);
    cr_expect_eq(run, exact, "%s: %s, closed form %s", info->name, scree_status_name(run), scree_status_name(exact));
  }
}

/* Ripples of a creeping contact used up the points of its trace. */
Test(regression, traces_of_creeping_contacts_reach_their_end) {
  static ScreeTracePoint points[401];
  const ScreeImpactDef cases[] = {case_of(SCREE_LAW_pant_wijeyewickrema_two_phase, 0.03, 4.6, 0.3, 5.2e9),
                                  case_of(SCREE_LAW_zhang_sharf, 0.005, 4.6, 0.3, 5.2e9)};
  const int counts[] = {8, 50, 401};
  for (int i = 0; i < 6; i++) {
    ScreeImpactResult r;
    int n = counts[i % 3];
    cr_assert_eq(scree_impact_trace(&cases[i / 3], n, points, &r), SCREE_OK, "%s", scree_last_error());
    cr_expect(relative(points[n - 1].time, r.duration) < 1e-12, "%d points end at %.4g of %.4g s", n,
              points[n - 1].time, r.duration);
    for (int k = 1; k < n; k++) cr_expect(points[k].time > points[k - 1].time);
  }
}

Test(regression, enums_out_of_range_get_a_sentence) {
  ScreeImpactDef def = sample_case(scree_law_info(SCREE_LAW_cyl_johnson), NAN);
  ScreeImpactResult r;
  ScreeCalibration c;
  def.pair.damping = (ScreeLawId)9999;
  cr_expect_eq(scree_impact_run(&def, &r), SCREE_UNKNOWN);
  def = sample_case(scree_law_info(SCREE_LAW_wang_cubed), 0.1);
  def.separation = (ScreeSeparation)7;
  cr_expect_eq(scree_impact_run(&def, &r), SCREE_UNKNOWN);
  cr_expect_eq(scree_impact_calibrate(&def, &c), SCREE_UNKNOWN);
  def = sample_case(scree_law_info(SCREE_LAW_luo_nahon), 0.5);
  def.pair.elastic = (ScreeLawId)-3;
  cr_expect_eq(scree_impact_run(&def, &r), SCREE_UNSUPPORTED);
}

/* Below the floor of the latched speed the damping is weaker than calibrated: say so instead of "ok". */
Test(regression, calibration_that_cannot_deliver_is_refused) {
  ScreeImpactDef def = sample_case(scree_law_info(SCREE_LAW_zhang_sharf), 0.5);
  ScreeCalibration c;
  def.pair.speed = 1e-10;
  cr_expect_eq(scree_impact_calibrate(&def, &c), SCREE_UNREACHABLE);
  cr_expect(strstr(scree_last_error(), "floor"), "%s", scree_last_error());
}

/* yu's fit jumps at 0.25: no input gives what lies between. */
Test(regression, no_input_restitution_is_made_up_at_a_jump) {
  ScreeImpactDef def = sample_case(scree_law_info(SCREE_LAW_yu), 0.2437);
  ScreeCalibration c;
  cr_assert_eq(scree_impact_calibrate(&def, &c), SCREE_OK);
  cr_expect(isnan(c.input_restitution) && fabs(c.restitution - 0.2437) < 1e-10, "%.9g", c.input_restitution);
}

/* sinh overflowed, and differences of nearly equal rates cancelled. */
Test(regression, overdamped_oscillators_stay_exact) {
  for (double alpha = 3.0; alpha < 2e5; alpha *= 3.0) {
    ScreeExactDef def = scree_exact_def_default();
    ScreeExact x;
    ScreeExactPoint last = {0}, at;
    def.alpha = alpha;
    cr_assert_eq(scree_exact_solve(&def, &x), SCREE_OK);
    cr_expect(isfinite(x.duration_zero_force) && x.duration_zero_force > x.loading_time, "alpha = %g", alpha);
    cr_expect(x.overlap_zero_force > 0.0 && x.overlap_zero_force < x.max_overlap);
    for (int i = 0; i <= 20; i++) {
      cr_assert_eq(scree_exact_at_phase(&x, i / 20.0, &at), SCREE_OK);
      cr_expect(isfinite(at.velocity) && isfinite(at.force) && (i == 0 || at.time > last.time), "alpha = %g, phase %g",
                alpha, i / 20.0);
      last = at;
    }
    ScreeImpactDef impact = sample_case(scree_law_info(SCREE_LAW_tsuji), NAN);
    ScreeImpactResult a, b;
    impact.pair.param[SCREE_PARAM_alpha] = alpha;
    impact.separation = SCREE_AT_FORCE;
    impact.max_evaluations = 200000;
    cr_assert_eq(scree_impact_exact(&impact, &b), SCREE_OK);
    if (scree_impact_run(&impact, &a) != SCREE_OK) continue; /* too stiff to integrate: the closed form stands alone */
    cr_expect(relative(b.restitution, a.restitution) < 1e-7, "alpha = %g: %.12g, %.12g", alpha, a.restitution,
              b.restitution);
    /* integration is accurate relative to the impact speed: where hardly any is left its clock is less sharp */
    double sharpness = 1e-11 / a.restitution;
    cr_expect(relative(b.duration, a.duration) < fmax(1e-11, sharpness) || a.restitution < 1e-4,
              "alpha = %g: %.12g, %.12g s", alpha, a.duration, b.duration);
  }
}

Test(regression, the_portrait_has_its_ends) {
  ScreeExactDef def = scree_exact_def_default();
  ScreeExact x;
  double in, out;
  def.restitution = 0.5;
  cr_assert_eq(scree_exact_solve(&def, &x), SCREE_OK);
  cr_assert_eq(scree_exact_velocity(&x, 0.0, false, &in), SCREE_OK);
  cr_assert_eq(scree_exact_velocity(&x, 0.0, true, &out), SCREE_OK);
  cr_expect(in == 0.3 && relative(out, -0.15) < 1e-14);
}

/* The false stall just after the turn: strong damping leaves little speed there. */
Test(regression, small_restitutions_are_no_stall) {
  const ScreeLawId laws[] = {SCREE_LAW_jankowski_exact, SCREE_LAW_jankowski_simple, SCREE_LAW_pant_wijeyewickrema};
  for (int i = 0; i < 3; i++) {
    ScreeImpactDef def = sample_case(scree_law_info(laws[i]), 1e-4);
    ScreeImpactResult r;
    def.calibrated = true;
    cr_assert_eq(scree_impact_run(&def, &r), SCREE_OK, "%s", scree_last_error());
    cr_expect(r.outcome == SCREE_SEPARATED && relative(r.restitution, 1e-4) < 1e-8, "%s: %.9g",
              scree_law_info(laws[i])->name, r.restitution);
  }
}

/* An empirical law whose case is incomplete once made calibration and run call each other for ever. */
Test(regression, calibration_of_an_incomplete_case_ends) {
  ScreeImpactDef def = scree_impact_def_default(SCREE_LAW_roy_carretero);
  ScreeImpactResult r;
  def.pair.restitution = 1.0, def.pair.speed = 100.0, def.pair.mass = 1e-3, def.pair.stiffness = 1e9;
  cr_expect_eq(scree_impact_run(&def, &r), SCREE_MISSING);
  cr_expect(strstr(scree_last_error(), "radii"), "%s", scree_last_error());
}

/* A delay was once compared with an overlap, so that the step hung on the unit of length. */
Test(regression, a_delay_leaves_the_time_step_alone) {
  ScreeTimestep step[2];
  for (int i = 0; i < 2; i++) {
    ScreeImpactDef def = sample_case(scree_law_info(SCREE_LAW_jian), 0.7);
    def.pair.param[SCREE_PARAM_T] = i == 0 ? 1e-9 : 1e-1; /* s: shorter than the contact, and longer */
    def.pair.param[SCREE_PARAM_A] = 1e-5, def.pair.restitution = NAN;
    cr_assert_eq(scree_impact_timestep(&def, &step[i]), SCREE_OK, "%s", scree_last_error());
  }
  cr_expect(relative(step[0].lagged, step[1].lagged) < 1e-14, "%.9g and %.9g s", step[0].lagged, step[1].lagged);
}
