/* What the suites of src/verify cannot do for want of a second library: CVODE as independent integrator of every law;
 * and a few facts of the literature that belong to single laws. */
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "support/cases.h"

/* Laws that cannot go as low as asked say so; everything else must run. */
static bool run(const ScreeImpactDef *def, ScreeImpactResult *r) {
  ScreeStatus status = scree_impact_run(def, r);
  if (status != SCREE_OK)
    cr_expect_eq(status, SCREE_UNREACHABLE, "%s: %s", scree_law_info(def->law)->name, scree_last_error());
  return status == SCREE_OK;
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

/* ---- CVODE ---- */

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
