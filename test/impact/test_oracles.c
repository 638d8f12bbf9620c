/* The three oracles of every law: closed form, energy balance, independent integration; and what its flags promise. */
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "support/cases.h"

static const double restitutions[] = {0.05, 0.2, 0.5, 0.8, 0.99};
enum { RESTITUTIONS = sizeof restitutions / sizeof *restitutions };

/* Laws that cannot go as low as asked say so; everything else must run. */
static bool run(const ScreeImpactDef *def, ScreeImpactResult *r) {
  ScreeStatus status = scree_impact_run(def, r);
  if (status != SCREE_OK)
    cr_expect_eq(status, SCREE_UNREACHABLE, "%s: %s", scree_law_info(def->law)->name, scree_last_error());
  return status == SCREE_OK;
}

/* ---- oracle 1: closed forms ---- */

static double worst_difference(const ScreeImpactResult *a, const ScreeImpactResult *b, int *field) {
  double energy = a->energy_initial, worst = 0.0;
  const double difference[] = {relative(a->restitution, b->restitution), relative(a->exit_speed, b->exit_speed),
                               relative(a->max_overlap, b->max_overlap), relative(a->max_force, b->max_force),
                               relative(a->duration, b->duration), relative(a->loading_time, b->loading_time),
                               relative(a->exit_overlap, b->exit_overlap),
                               fabs(a->energy_initial - b->energy_initial) / energy,
                               fabs(a->energy_dissipated_loading - b->energy_dissipated_loading) / energy,
                               fabs(a->energy_dissipated_unloading - b->energy_dissipated_unloading) / energy,
                               fabs(a->energy_stored_exit - b->energy_stored_exit) / energy,
                               /* the force is stationary at its peak: the time is known to the root of the rest */
                               1e-6 * fabs(a->max_force_time - b->max_force_time) / a->loading_time};
  for (size_t i = 0; i < sizeof difference / sizeof *difference; i++)
    if (!(difference[i] <= worst)) worst = difference[i], *field = (int)i;
  return worst;
}

Test(oracles, closed_form_equals_integration_within_1e_11) {
  int compared = 0;
  FOR_EACH_NORMAL_LAW(info)
  for (int i = 0; i < RESTITUTIONS * 3; i++) {
    ScreeImpactDef def = sample_case(info, restitutions[i / 3]);
    ScreeImpactResult integrated, closed;
    def.separation = (ScreeSeparation)(i % 3);
    if (!run(&def, &integrated)) continue;
    ScreeStatus status = scree_impact_exact(&def, &closed);
    if (status == SCREE_UNSUPPORTED) continue;
    cr_assert_eq(status, SCREE_OK, "%s: %s", info->name, scree_last_error());
    cr_expect_eq(integrated.outcome, closed.outcome, "%s", info->name);
    int field = 0;
    double worst = worst_difference(&integrated, &closed, &field);
    cr_expect(worst < 1e-11, "%s e=%g separation %d: %.3g in field %d", info->name, restitutions[i / 3], i % 3, worst,
              field);
    compared++;
  }
  cr_expect(compared > 400, "only %d cases have closed forms", compared);
}

Test(oracles, the_laws_named_in_the_literature_have_closed_forms) {
  static const char *const names[] = {"hooke",
                                      "hertz",
                                      "flores",
                                      "zhang_sharf",
                                      "wang",
                                      "ye_linear",
                                      "luo_nahon",
                                      "tsuji",
                                      "power_law_tsuji",
                                      "kelvin_voigt",
                                      "anagnostopoulos",
                                      "goyal",
                                      "jankowski_simple",
                                      "jankowski_refined",
                                      "jankowski_exact",
                                      "pant_wijeyewickrema",
                                      "thornton",
                                      "hysteretic_linear",
                                      "goldsmith_plastic",
                                      "yigit",
                                      "yigit_linear",
                                      "cyl_johnson",
                                      "cyl_persson",
                                      "cyl_liu"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ScreeLawId law;
    ScreeImpactResult r;
    cr_assert_eq(scree_law_find(names[i], &law), SCREE_OK);
    ScreeImpactDef def = sample_case(scree_law_info(law), 0.6);
    cr_expect_eq(scree_impact_exact(&def, &r), SCREE_OK, "%s: %s", names[i], scree_last_error());
  }
}

/* ---- oracle 2: energy ---- */

Test(oracles, energy_closes_for_random_parameters) {
  uint64_t random = 2026;
  FOR_EACH_NORMAL_LAW(info)
  for (int i = 0; i < 60; i++) {
    ScreeImpactDef def = sample_case(info, uniform(&random, 0.02, 1.0));
    def.separation = (ScreeSeparation)(i % 3);
    if (info->group != SCREE_LINE) {
      def.pair.stiffness = log_uniform(&random, 1e3, 1e12);
      def.pair.mass = log_uniform(&random, 1e-6, 1e4);
      if (info->flags & SCREE_FREE_EXPONENT) def.pair.exponent = uniform(&random, 1.0, 3.0);
    }
    /* the speed keeps the overlap of geometric laws inside their range */
    def.pair.speed = info->law == SCREE_LAW_roy_carretero || info->group == SCREE_LINE
                         ? log_uniform(&random, 1e-4, 0.3)
                         : log_uniform(&random, 1e-4, 50.0);
    if (info->law == SCREE_LAW_roy_carretero) def.pair.mass = 4.6;
    ScreeImpactResult r;
    if (!run(&def, &r)) continue;
    double residual = fabs(r.energy_residual) / r.energy_initial;
    cr_expect(residual < 2e-11, "%s e=%g v0=%g m=%g K=%g n=%g sep %d: residual %.3g", info->name, def.pair.restitution,
              def.pair.speed, def.pair.mass, def.pair.stiffness, def.pair.exponent, def.separation, residual);
    cr_expect(r.restitution >= 0.0 && r.restitution <= 1.0 + 1e-11, "%s: e = %.15g", info->name, r.restitution);
    /* a law without recoverable energy reports the work of the loop: what unloading gives back is negative */
    double unloading =
        r.energy_dissipated_unloading + (info->flags & SCREE_LOOP_WORK ? r.energy_dissipated_loading : 0.0);
    cr_expect(r.energy_dissipated_loading >= -1e-12 * r.energy_initial && unloading >= -1e-11 * r.energy_initial,
              "%s dissipates negatively", info->name);
  }
}

/* Recoverable energy is what slow unloading gives back: the integral of the force at v = -0 down to the end of contact.
 */
Test(oracles, stored_energy_is_the_work_of_slow_unloading) {
  FOR_EACH_NORMAL_LAW(info) {
    if (info->flags & SCREE_LOOP_WORK) continue;
    ScreeImpactDef def = sample_case(info, 0.6);
    ScreeImpactResult r;
    cr_assert(run(&def, &r), "%s: %s", info->name, scree_last_error());
    double fresh[SCREE_MAX_SLOTS];
    ScreeLaw law = scree_law_touch(&r.pair, def.pair.speed, fresh);
    for (int i = 1; i <= 6; i++) {
      double deep = r.max_overlap * 0.3 * i, memory[SCREE_MAX_SLOTS] = {0.0};
      scree_law_force(r.pair.law, &law, deep, 0.0, memory);
      double start = 0.9 * deep, rest = scree_law_rest(r.pair.law, &law, memory), work = 0.0;
      if (start <= rest) continue;
      /* substitution d = rest + s^4 smooths the powers at the end; Simpson with many points */
      enum { N = 4000 };
      double top = sqrt(sqrt(start - rest));
      for (int j = 0; j <= N; j++) {
        double s = top * j / N, weight = j == 0 || j == N ? 1.0 : (j % 2 ? 4.0 : 2.0);
        double d = rest + s * s * s * s, copy[SCREE_MAX_SLOTS];
        memcpy(copy, memory, sizeof copy);
        work += weight * scree_law_force(r.pair.law, &law, d, 0.0, copy) * 4.0 * s * s * s;
      }
      work *= top / N / 3.0;
      double stored = scree_law_stored(r.pair.law, &law, start, memory);
      cr_expect(relative(stored, work) < 1e-8, "%s at %g of the deepest: stored %.12g, work %.12g", info->name, 0.3 * i,
                stored, work);
    }
  }
}

/* Power of the dashpot: (F(v) - F(0)) v = c v^2 on the same branch. */
Test(oracles, damping_coefficient_is_the_viscous_power) {
  FOR_EACH_NORMAL_LAW(info) {
    if (info->group == SCREE_PLASTIC || info->flags & SCREE_LOOP_WORK) continue;
    ScreeImpactDef def = sample_case(info, 0.7);
    ScreeImpactResult r;
    if (!run(&def, &r)) continue;
    double memory[SCREE_MAX_SLOTS];
    ScreeLaw law = scree_law_touch(&r.pair, def.pair.speed, memory);
    if (info->law == SCREE_LAW_jian) memory[0] = 1e-4;
    for (int i = 0; i < 20; i++) {
      double d = r.max_overlap * (i + 1) / 20.0, v = def.pair.speed * (i % 2 ? -0.4 : 0.7);
      double viscous =
          (scree_law_force(r.pair.law, &law, d, v, memory) - scree_law_force(r.pair.law, &law, d, 0.0, memory)) * v;
      double c = scree_law_damping(r.pair.law, &law, d, v, memory);
      cr_expect(fabs(viscous - c * v * v) <= 1e-12 * fabs(viscous) + 1e-9 * r.max_force * fabs(v) * 1e-3,
                "%s: %.12g and %.12g", info->name, viscous, c * v * v);
    }
  }
}

/* ---- oracle 3: an independent integrator ---- */

typedef struct Cvode {
  const ScreeImpactDef *def;
  ScreePair pair;
  ScreeLaw law;
  double memory[SCREE_MAX_SLOTS];
  double length;
  bool flowing;
  double rest;
} Cvode;

/* y = d/L, v/v0, memory; time in L/v0. */
static double cvode_force(const Cvode *c, const double *y) {
  double memory[SCREE_MAX_SLOTS];
  memcpy(memory, c->memory, sizeof memory);
  if (c->flowing) memory[0] = y[2];
  return scree_law_force(c->pair.law, &c->law, fmax(y[0], 0.0) * c->length, y[1] * c->def->pair.speed, memory);
}
static int cvode_slope(realtype t, N_Vector state, N_Vector slope, void *user) {
  (void)t;
  Cvode *c = user;
  const double *y = NV_DATA_S(state);
  double *dy = NV_DATA_S(slope), v0 = c->def->pair.speed, memory[SCREE_MAX_SLOTS] = {y[2]};
  dy[0] = y[1];
  dy[1] = -cvode_force(c, y) * c->length / (c->pair.mass * v0 * v0);
  dy[2] = c->flowing
              ? scree_law_rate(c->pair.law, &c->law, fmax(y[0], 0.0) * c->length, y[1] * v0, memory) * c->length / v0
              : 0.0;
  return 0;
}
static int cvode_turn(realtype t, N_Vector state, realtype *g, void *user) {
  (void)t, (void)user;
  g[0] = NV_Ith_S(state, 1);
  return 0;
}
static int cvode_exit(realtype t, N_Vector state, realtype *g, void *user) {
  (void)t;
  const Cvode *c = user;
  g[0] = NV_Ith_S(state, 0) - c->rest / c->length;
  return 0;
}

/* One leg until the root function vanishes; returns the time reached, NaN on failure. */
static double leg(Cvode *c, N_Vector y, double from, CVRootFn root, SUNContext context) {
  void *cv = CVodeCreate(CV_ADAMS, context);
  SUNMatrix matrix = SUNDenseMatrix(3, 3, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  double t = from;
  CVodeInit(cv, cvode_slope, from, y);
  CVodeSetUserData(cv, c);
  CVodeSStolerances(cv, 1e-12, 1e-14);
  CVodeSetLinearSolver(cv, solver, matrix);
  CVodeSetMaxNumSteps(cv, 2000000);
  CVodeSetMaxStep(cv, 0.02);
  CVodeRootInit(cv, 1, root);
  int flag = CVode(cv, from + 1000.0, y, &t, CV_NORMAL);
  CVodeFree(&cv);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  return flag == CV_ROOT_RETURN ? t : NAN;
}

/* Every law is integrated by CVODE from the public scalar interface alone. */
Test(oracles, an_independent_integrator_agrees_on_every_law) {
  SUNContext context;
  cr_assert_eq(SUNContext_Create(NULL, &context), 0);
  FOR_EACH_NORMAL_LAW(info)
  for (int i = 0; i < 2; i++) {
    ScreeImpactDef def = sample_case(info, i ? 0.8 : 0.45);
    ScreeImpactResult r;
    if (!run(&def, &r)) continue;
    Cvode c = {.def = &def, .pair = r.pair, .length = r.max_overlap};
    c.law = scree_law_touch(&c.pair, def.pair.speed, c.memory);
    c.flowing = info->slots && info->group == SCREE_POINT;
    N_Vector y = N_VNew_Serial(3, context);
    NV_Ith_S(y, 0) = 0.0, NV_Ith_S(y, 1) = 1.0, NV_Ith_S(y, 2) = 0.0;
    double turn = leg(&c, y, 0.0, cvode_turn, context);
    double deepest = NV_Ith_S(y, 0) * c.length;
    if (!c.flowing) scree_law_force(c.pair.law, &c.law, deepest, 0.0, c.memory);
    c.rest = scree_law_rest(c.pair.law, &c.law, c.memory);
    NV_Ith_S(y, 1) = -1e-300;
    double end = leg(&c, y, turn, cvode_exit, context);
    double second = c.length / def.pair.speed;
    cr_expect(relative(deepest, r.max_overlap) < 2e-8, "%s: overlap %.12g, CVODE %.12g", info->name, r.max_overlap,
              deepest);
    cr_expect(relative(turn * second, r.loading_time) < 2e-7, "%s: loading %.12g, CVODE %.12g", info->name,
              r.loading_time, turn * second);
    cr_expect(relative(end * second, r.duration) < 2e-7, "%s: duration %.12g, CVODE %.12g", info->name, r.duration,
              end * second);
    cr_expect(relative(-NV_Ith_S(y, 1), r.restitution) < 2e-7, "%s: e %.12g, CVODE %.12g", info->name, r.restitution,
              -NV_Ith_S(y, 1));
    N_VDestroy(y);
  }
  SUNContext_Free(&context);
}

/* ---- what the flags promise ---- */

Test(flags, restitution_does_not_depend_on_speed_exactly_where_claimed) {
  FOR_EACH_NORMAL_LAW(info) {
    ScreeImpactDef def = sample_case(info, 0.6);
    ScreeImpactResult slow, fast;
    cr_assert_eq(freeze_strength(&def), SCREE_OK, "%s: %s", info->name, scree_last_error());
    def.pair.speed = info->group == SCREE_LINE ? 0.01 : 0.03;
    cr_assert(run(&def, &slow));
    def.pair.speed = info->group == SCREE_LINE ? 0.2 : 3.0;
    cr_assert(run(&def, &fast));
    double change = fabs(slow.restitution - fast.restitution);
    bool gamma_quarter = info->law == SCREE_LAW_falcon; /* its preset exponent makes it tsuji */
    if (info->flags & SCREE_CONSTANT_E || gamma_quarter)
      cr_expect(change < 1e-11, "%s: e changes by %.3g", info->name, change);
    else
      cr_expect(change > 1e-4, "%s claims that e depends on the speed; it changes by %.3g", info->name, change);
  }
}

Test(flags, attraction_appears_exactly_where_claimed) {
  enum { N = 400 };
  static ScreeTracePoint points[N];
  FOR_EACH_NORMAL_LAW(info) {
    ScreeImpactDef def = sample_case(info, 0.6);
    ScreeImpactResult r;
    cr_assert_eq(scree_impact_trace(&def, N, points, &r), SCREE_OK, "%s: %s", info->name, scree_last_error());
    double lowest = 0.0;
    for (int i = 0; i < N; i++) lowest = fmin(lowest, points[i].force);
    if (info->flags & SCREE_ATTRACTIVE)
      cr_expect(lowest < -1e-4 * r.max_force, "%s never attracts", info->name);
    else
      cr_expect(lowest > -1e-12 * r.max_force, "%s attracts: %.3g of its peak", info->name, lowest / r.max_force);
    def.separation = SCREE_CLAMPED;
    cr_assert_eq(scree_impact_trace(&def, N, points, &r), SCREE_OK);
    for (int i = 0; i < N; i++)
      cr_expect(points[i].force >= 0.0, "%s: clamped force %.3g", info->name, points[i].force);
  }
}

Test(flags, requested_restitution_is_delivered_where_claimed) {
  FOR_EACH_NORMAL_LAW(info) {
    if (info->domain == SCREE_E_NONE) continue;
    double worst = 0.0;
    for (int i = 0; i < RESTITUTIONS; i++) {
      ScreeImpactDef def = sample_case(info, restitutions[i]);
      ScreeImpactResult r;
      if (run(&def, &r) && !r.calibrated) worst = fmax(worst, fabs(r.restitution - restitutions[i]));
    }
    bool delivers = info->flags & SCREE_DELIVERS_E || (info->group == SCREE_LINE && info->law != SCREE_LAW_cyl_pereira);
    if (delivers)
      cr_expect(worst < 1e-11, "%s misses by %.3g", info->name, worst);
    else if (!(info->flags & SCREE_EMPIRICAL))
      cr_expect(worst > 1e-4, "%s delivers e and does not say so", info->name);
  }
}

Test(flags, an_empirical_law_calibrates_itself_and_says_so) {
  FOR_EACH_NORMAL_LAW(info) {
    if (!(info->flags & SCREE_EMPIRICAL)) continue;
    ScreeImpactDef def = sample_case(info, 0.75);
    ScreeImpactResult r;
    cr_assert(run(&def, &r), "%s: %s", info->name, scree_last_error());
    cr_expect(r.calibrated, "%s", info->name);
    cr_expect(fabs(r.restitution - 0.75) < 1e-10, "%s: %.12g", info->name, r.restitution);
    cr_expect_eq(r.parameter, info->params[0].id);
  }
}

/* ---- limits and similarity ---- */

Test(limits, damping_vanishes_as_restitution_tends_to_one) {
  FOR_EACH_NORMAL_LAW(info) {
    if (info->domain == SCREE_E_NONE || info->law == SCREE_LAW_gharib_hurmuzlu) continue; /* X(1) = 1 by construction */
    ScreeImpactDef def = sample_case(info, 1.0);
    ScreeImpactResult r;
    cr_assert(run(&def, &r), "%s: %s", info->name, scree_last_error());
    /* yu's fitted factor misses zero by its printed digits */
    double tolerance = info->law == SCREE_LAW_yu ? 1e-4 : 1e-11;
    cr_expect(fabs(r.restitution - 1.0) < tolerance, "%s: e = %.15g", info->name, r.restitution);
  }
}

/* Only the groups of MODELS.md 4 matter: the same problem in other units gives the same e. */
Test(limits, restitution_does_not_depend_on_units) {
  FOR_EACH_NORMAL_LAW(info) {
    if (info->group != SCREE_POINT || info->flags & SCREE_EMPIRICAL) continue;
    ScreeImpactDef def = sample_case(info, 0.4);
    ScreeImpactResult a, b;
    cr_assert(run(&def, &a));
    double mass = 1e3, length = 1e3, time = 1e-2; /* grams, millimetres, a hundredth of a second */
    double n = info->exponent;
    def.pair.mass *= mass;
    def.pair.speed *= length * time;
    def.pair.stiffness *= mass * pow(length, 1.0 - n) * time * time;
    def.pair.min_speed = 0.0;
    cr_assert(run(&def, &b));
    cr_expect(relative(b.restitution, a.restitution) < 1e-12, "%s", info->name);
    cr_expect(relative(b.max_overlap, a.max_overlap * length) < 1e-11, "%s", info->name);
    cr_expect(relative(b.duration, a.duration / time) < 1e-11, "%s", info->name);
  }
}

/* MODELS.md 4.2: e = 1 - C1 x + (3/5) C1^2 x^2, x = (chi/K)(K/m)^(2/5) v0^(1/5). */
Test(limits, viscoelastic_series_at_small_damping) {
  ScreeImpactDef def = sample_case(scree_law_info(SCREE_LAW_kuwabara_kono), NAN);
  const double c1 = pow(0.8, 0.4) * tgamma(0.6) * tgamma(1.5) / tgamma(2.1);
  for (double x = 1e-3; x < 2e-2; x *= 2.0) {
    ScreeImpactResult r;
    def.pair.param[SCREE_PARAM_chi] =
        x * def.pair.stiffness / pow(def.pair.stiffness / def.pair.mass, 0.4) / pow(def.pair.speed, 0.2);
    cr_assert(run(&def, &r));
    double series = 1.0 - c1 * x + 0.6 * c1 * c1 * x * x;
    cr_expect(fabs(r.restitution - series) < 2.0 * x * x * x, "x = %g: %.12g, series %.12g", x, r.restitution, series);
  }
}

/* MODELS.md 4.2: viscosities that are tau times the elastic moduli must give A = tau. */
Test(limits, viscosities_proportional_to_moduli_give_their_ratio) {
  const ScreeLawId laws[] = {SCREE_LAW_brilliantov_1996, SCREE_LAW_zheng, SCREE_LAW_brilliantov_2015,
                             SCREE_LAW_kuwabara_kono};
  for (int i = 0; i < 4; i++)
    for (double nu = 0.1; nu < 0.45; nu += 0.1) {
      ScreePairDef def = scree_pair_def_review();
      ScreePair pair;
      double young = def.material[0].young, tau = 1e-6;
      def.material[0].poisson = nu;
      def.stiffness = NAN;
      def.param[SCREE_PARAM_eta_shear] = tau * young / (2.0 * (1.0 + nu));
      def.param[SCREE_PARAM_eta_bulk] = tau * young / (3.0 * (1.0 - 2.0 * nu));
      cr_assert_eq(scree_pair_prepare(laws[i], &def, &pair), SCREE_OK, "%s", scree_last_error());
      cr_expect(relative(pair.resolved[SCREE_PARAM_A], tau) < 1e-12, "%s nu=%g: A = %.12g",
                scree_law_info(laws[i])->name, nu, pair.resolved[SCREE_PARAM_A]);
    }
}

Test(limits, overdamped_contacts_stall_and_say_so) {
  ScreeImpactDef def = sample_case(scree_law_info(SCREE_LAW_kelvin_voigt), NAN);
  ScreeImpactResult r;
  for (double zeta = 1.0; zeta < 4.0; zeta += 0.5) {
    def.pair.param[SCREE_PARAM_zeta] = zeta;
    def.separation = SCREE_AT_OVERLAP;
    cr_assert(run(&def, &r));
    cr_expect(r.outcome == SCREE_STALLED && r.restitution == 0.0 && isinf(r.duration), "zeta = %g", zeta);
    cr_expect(fabs(r.energy_residual) < 1e-10 * r.energy_initial);
    def.separation = SCREE_AT_FORCE;
    cr_assert(run(&def, &r));
    double s = sqrt(fabs(zeta * zeta - 1.0)), expected = zeta == 1.0 ? exp(-2.0) : exp(-2.0 * zeta / s * acosh(zeta));
    cr_expect(r.outcome == SCREE_SEPARATED && relative(r.restitution, expected) < 1e-11, "zeta = %g: %.12g", zeta,
              r.restitution);
  }
  def = sample_case(scree_law_info(SCREE_LAW_schaefer), NAN);
  def.pair.param[SCREE_PARAM_chi] = 5e4;
  cr_assert(run(&def, &r));
  cr_expect_eq(r.outcome, SCREE_STALLED);
}
