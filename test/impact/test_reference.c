/* Every value of reference.csv, within 1e-8 relative; energies within 1e-8 of the initial energy. A row whose quantity
 * is not understood fails: nothing is skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

enum { MAX_ROWS = 4096 };

typedef struct Row {
  char model[64], quantity[40];
  double cr, n, v0, mass, k, value;
} Row;

typedef struct Group { /* rows of one case */
  char law[64], variant[32];
  const Row *first;
  int count;
} Group;

static Row rows[MAX_ROWS];
static int row_count;

static double number(const char *text) { return *text ? strtod(text, NULL) : NAN; }

static void read_rows(void) {
  FILE *file = fopen(SCREE_TEST_DATA "/reference.csv", "r");
  cr_assert(file, "reference.csv is missing");
  char line[512];
  cr_assert(fgets(line, sizeof line, file));
  while (fgets(line, sizeof line, file)) {
    char *field[8], *at = line;
    line[strcspn(line, "\r\n")] = '\0';
    for (int i = 0; i < 8; i++) {
      field[i] = at;
      at = strchr(at, ',');
      if (at) *at++ = '\0';
      cr_assert(at || i == 7, "short row");
    }
    cr_assert(row_count < MAX_ROWS);
    Row *r = &rows[row_count++];
    snprintf(r->model, sizeof r->model, "%s", field[0]);
    snprintf(r->quantity, sizeof r->quantity, "%s", field[6]);
    r->cr = number(field[1]), r->n = number(field[2]), r->v0 = number(field[3]), r->mass = number(field[4]);
    r->k = number(field[5]), r->value = number(field[7]);
  }
  fclose(file);
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }
static bool same_case(const Row *a, const Row *b) {
  return strcmp(a->model, b->model) == 0 && same(a->cr, b->cr) && same(a->n, b->n) && same(a->v0, b->v0);
}

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static const Row *find(const Group *g, const char *quantity) {
  for (int i = 0; i < g->count; i++)
    if (strcmp(g->first[i].quantity, quantity) == 0) return &g->first[i];
  return NULL;
}

/* ---- impacts ---- */

static ScreeImpactDef define(const Group *g, ScreeLawId law) {
  const Row *c = g->first;
  ScreeImpactDef def = scree_impact_def_default(law);
  def.pair.restitution = c->cr, def.pair.speed = c->v0, def.pair.mass = c->mass, def.pair.stiffness = c->k;
  if (scree_law_info(law)->flags & SCREE_FREE_EXPONENT) def.pair.exponent = c->n;
  for (int i = 0; i < g->count; i++)
    if (starts(g->first[i].quantity, "param_"))
      cr_assert_eq(scree_pair_def_set(&def.pair, law, g->first[i].quantity + 6, g->first[i].value), SCREE_OK, "%s: %s",
                   g->law, scree_last_error());
  return def;
}

typedef struct Runs {
  ScreeImpactResult by[3]; /* per separation */
  ScreeExact exact;
  ScreeTimestep step;
} Runs;

/* The computed value of a quantity; *energy is set when the tolerance is relative to the initial energy. */
static double computed(const char *q, const Runs *runs, double given, bool *energy) {
  const ScreeImpactResult *z = &runs->by[SCREE_AT_OVERLAP], *f = &runs->by[SCREE_AT_FORCE],
                          *c = &runs->by[SCREE_CLAMPED];
  const double *p = z->pair.resolved;
  *energy = starts(q, "E_diss");
  if (strcmp(q, "e_out") == 0) return z->restitution;
  if (strcmp(q, "delta_max") == 0) return z->max_overlap;
  if (strcmp(q, "F_max") == 0) return z->max_force;
  if (strcmp(q, "tau") == 0) return z->duration;
  if (strcmp(q, "t_load") == 0) return z->loading_time;
  if (strcmp(q, "E_diss_load") == 0) return z->energy_dissipated_loading;
  if (strcmp(q, "E_diss_unload") == 0) return z->energy_dissipated_unloading;
  if (strcmp(q, "E_diss_total") == 0) return z->energy_dissipated_loading + z->energy_dissipated_unloading;
  if (strcmp(q, "E_diss_total_F0") == 0) return f->energy_dissipated_loading + f->energy_dissipated_unloading;
  if (strcmp(q, "e_out_F0") == 0) return f->restitution;
  if (strcmp(q, "tau_F0") == 0) return f->duration;
  if (strcmp(q, "delta_F0") == 0) return f->exit_overlap;
  if (strcmp(q, "E_diss_unload_F0") == 0) return f->energy_dissipated_unloading;
  if (strcmp(q, "tau_clamp") == 0) return c->duration;
  if (strcmp(q, "delta_p") == 0 || strcmp(q, "delta_0") == 0 || strcmp(q, "delta_f") == 0) return z->exit_overlap;
  if (strcmp(q, "delta_switch") == 0) return z->switch_overlap;
  if (strcmp(q, "v_switch") == 0) return z->switch_speed;
  if (strcmp(q, "a_at_exit") == 0) return f->memory[0];
  if (strcmp(q, "K_unload") == 0) return z->max_force / (z->max_overlap - z->exit_overlap);
  if (strcmp(q, "e_thornton_1997_closed_form") == 0) return NAN; /* compared by the caller with scree_impact_exact */
  if (strcmp(q, "tau_elastic") == 0) return runs->exact.duration_elastic;
  if (strcmp(q, "tau_ratio") == 0) return runs->exact.duration_ratio;
  if (strcmp(q, "dt_transformed") == 0) return runs->step.transformed;
  if (strcmp(q, "dt_tangent") == 0) return runs->step.tangent;
  if (starts(q, "param_")) q += 6;
  for (int i = 0; i < SCREE_PARAM_COUNT; i++)
    if (strcmp(q, scree_param_name((ScreeParamId)i)) == 0) return p[i];
  (void)given;
  return NAN;
}

/* Rows are keyed on what the law reports; a row it cannot report at all is a failure. */
static int check_impact(const Group *g, ScreeLawId law) {
  Runs runs;
  ScreeImpactDef def = define(g, law);
  ScreeImpactResult exact;
  for (int s = 0; s < 3; s++) {
    def.separation = (ScreeSeparation)s;
    cr_assert_eq(scree_impact_run(&def, &runs.by[s]), SCREE_OK, "%s: %s", g->law, scree_last_error());
    cr_expect(!runs.by[s].calibrated, "%s: a given strength was calibrated again", g->law);
  }
  cr_assert_eq(scree_impact_timestep(&def, &runs.step), SCREE_OK);
  if (law == SCREE_LAW_power_law_tsuji) {
    ScreeExactDef x = {g->first->n, g->first->cr, NAN, g->first->v0, g->first->mass, g->first->k};
    cr_assert_eq(scree_exact_solve(&x, &runs.exact), SCREE_OK);
  }
  def.separation = SCREE_AT_OVERLAP;
  ScreeStatus closed = scree_impact_exact(&def, &exact);
  for (int i = 0; i < g->count; i++) {
    const Row *row = &g->first[i];
    bool energy;
    double value = computed(row->quantity, &runs, row->value, &energy);
    if (starts(row->quantity, "e_thornton")) value = closed == SCREE_OK ? exact.restitution : NAN;
    double scale = energy ? runs.by[0].energy_initial : fabs(row->value);
    cr_expect(fabs(value - row->value) <= 1e-8 * scale, "%s cr=%g n=%g %s: %.15g, reference %.15g", row->model, row->cr,
              row->n, row->quantity, value, row->value);
  }
  return g->count;
}

/* ---- line contacts ---- */

static int check_line(const Group *g) {
  static const struct {
    const char *name, *law, *variant;
  } readings[] = {{"cyl_radzimovsky_215_seed", "cyl_radzimovsky", "printed"},
                  {"cyl_radzimovsky_eq37_seed", "cyl_radzimovsky", "eq37"},
                  {"cyl_goldsmith_m1_si", "cyl_goldsmith", "printed"},
                  {"cyl_goldsmith_m1_si_pi", "cyl_goldsmith", "m1_si_pi"},
                  {"cyl_goldsmith_m3", "cyl_goldsmith", "m3"},
                  {"cyl_dubowsky_freudenstein", "cyl_dubowsky_freudenstein", "printed"},
                  {"cyl_esdu_78035", "cyl_esdu_78035", "printed"},
                  {"cyl_persson_half_modulus", "cyl_persson", "half_modulus"},
                  {"cyl_lankarani_nikravesh_n1.5", "cyl_lankarani_nikravesh", NULL},
                  {"cyl_lankarani_nikravesh_n1.1", "cyl_lankarani_nikravesh", NULL}};
  const char *name = g->law, *variant = NULL;
  for (size_t i = 0; i < sizeof readings / sizeof *readings; i++)
    if (strcmp(g->law, readings[i].name) == 0) name = readings[i].law, variant = readings[i].variant;
  ScreeLawId law;
  cr_assert_eq(scree_law_find(name, &law), SCREE_OK, "%s", scree_last_error());
  for (int i = 0; i < g->count; i++) {
    const Row *row = &g->first[i];
    ScreePairDef def = scree_pair_def_joint();
    ScreeLineResult line;
    def.variant = variant;
    def.exponent = row->n;
    cr_assert(starts(row->quantity, "F_at_delta_"));
    cr_assert_eq(scree_line_force(law, &def, strtod(row->quantity + 11, NULL), &line), SCREE_OK, "%s",
                 scree_last_error());
    cr_expect(relative(line.force, row->value) < 1e-8, "%s %s: %.15g, reference %.15g", row->model, row->quantity,
              line.force, row->value);
  }
  return g->count;
}

/* ---- stiffness and friction ---- */

static int check_stiffness(const Group *g) {
  ScreeMaterial aluminium = {70e9, 0.33, NAN};
  double k, n;
  ScreeGeometry geometry = SCREE_SPHERE_SPHERE;
  double a = 0.02, b = 0.02;
  if (strcmp(g->law, "stiffness_sphere_plane") == 0) geometry = SCREE_SPHERE_PLANE;
  if (strcmp(g->law, "stiffness_plane_plane") == 0) geometry = SCREE_PLANE_PLANE, a = 0.01;
  if (strcmp(g->law, "stiffness_sphere_in_sphere") == 0) geometry = SCREE_SPHERE_IN_SPHERE, a = 0.025;
  cr_assert_eq(scree_stiffness(geometry, aluminium, aluminium, a, b, &k, &n), SCREE_OK, "%s", scree_last_error());
  cr_expect(relative(k, g->first->value) < 1e-8 && n == g->first->n, "%s: %.15g, reference %.15g", g->first->model, k,
            g->first->value);
  return g->count;
}

static int check_mindlin(const Group *g) {
  ScreeMaterial a = {find(g, "param_E1")->value, find(g, "param_nu1")->value, NAN};
  ScreeMaterial b = {find(g, "param_E2")->value, find(g, "param_nu2")->value, NAN};
  double radius = find(g, "param_Reff")->value, modulus = scree_composite_modulus(a, b);
  ScreeTangential t = {.law = SCREE_LAW_mindlin,
                       .shear_stiffness = 8.0 * scree_composite_shear_modulus(a, b) * sqrt(radius)};
  for (int i = 0; i < g->count; i++) {
    const Row *row = &g->first[i];
    double value = row->value;
    if (strcmp(row->quantity, "E_star") == 0)
      value = modulus;
    else if (strcmp(row->quantity, "G_star") == 0)
      value = scree_composite_shear_modulus(a, b);
    else if (starts(row->quantity, "kt_at_delta_"))
      value = scree_tangential_stiffness(&t, strtod(row->quantity + 12, NULL));
    else if (starts(row->quantity, "kn_tangent_at_delta_"))
      value = 2.0 * modulus * sqrt(radius * strtod(row->quantity + 20, NULL));
    else
      cr_expect(starts(row->quantity, "param_"), "unknown quantity %s", row->quantity);
    cr_expect(relative(value, row->value) < 1e-8, "%s %s: %.15g, reference %.15g", row->model, row->quantity, value,
              row->value);
  }
  return g->count;
}

static int check_coulomb(const Group *g) {
  ScreeTangential t = {
      .law = SCREE_LAW_coulomb, .friction = find(g, "param_mu")->value, .veps = find(g, "param_veps")->value};
  double normal = find(g, "param_Fn")->value;
  for (int i = 0; i < g->count; i++) {
    const Row *row = &g->first[i];
    if (starts(row->quantity, "param_")) continue;
    t.regularisation = starts(row->quantity, "Ft_tanh") ? SCREE_TANH : SCREE_SQRT;
    cr_assert(starts(row->quantity, "Ft_tanh_at_vt_") || starts(row->quantity, "Ft_sqrt_at_vt_"));
    double value = scree_coulomb_force(&t, normal, strtod(row->quantity + 14, NULL));
    cr_expect(relative(value, row->value) < 1e-8, "%s: %.15g, reference %.15g", row->quantity, value, row->value);
  }
  return g->count;
}

/* ---- */

static int check_group(const Group *g) {
  ScreeLawId law;
  if (starts(g->law, "stiffness_")) return check_stiffness(g);
  if (strcmp(g->law, "tangential_mindlin") == 0) return check_mindlin(g);
  if (strcmp(g->law, "tangential_coulomb_regularised") == 0) return check_coulomb(g);
  if (starts(g->law, "cyl_")) return check_line(g);
  cr_assert_eq(scree_law_find(g->law, &law), SCREE_OK, "%s", scree_last_error());
  return check_impact(g, law);
}

Test(reference, every_value_is_reproduced_within_1e_8) {
  read_rows();
  int checked = 0;
  for (int i = 0; i < row_count;) {
    Group g = {.first = &rows[i]};
    snprintf(g.law, sizeof g.law, "%s", rows[i].model);
    char *hash = strchr(g.law, '#');
    if (hash) *hash = '\0';
    while (i + g.count < row_count && same_case(&rows[i], &rows[i + g.count])) g.count++;
    checked += check_group(&g);
    i += g.count;
  }
  cr_expect_eq(checked, row_count);
  cr_expect(row_count > 2000, "only %d rows", row_count);
}

/* ristow and lee_herrmann are schaefer's law with the strength over the mass (MODELS.md 10). */
Test(reference, ristow_and_lee_herrmann_equal_schaefer) {
  ScreeImpactDef def = scree_impact_def_default(SCREE_LAW_schaefer);
  def.pair = scree_pair_def_review();
  def.pair.param[SCREE_PARAM_chi] = 5370.217928683;
  ScreeImpactResult a, b;
  cr_assert_eq(scree_impact_run(&def, &a), SCREE_OK);
  const ScreeLawId twins[] = {SCREE_LAW_ristow, SCREE_LAW_lee_herrmann};
  for (int i = 0; i < 2; i++) {
    ScreeImpactDef twin = def;
    twin.law = twins[i];
    twin.pair.param[SCREE_PARAM_chi] = NAN;
    twin.pair.param[SCREE_PARAM_chi_over_meff] = 5370.217928683 / 4.6;
    cr_assert_eq(scree_impact_run(&twin, &b), SCREE_OK);
    cr_expect(relative(b.restitution, a.restitution) < 1e-12 && relative(b.duration, a.duration) < 1e-12);
  }
}
