/* reference.c: every value of the reference table (test/data/reference.csv, compiled in), one check per model. A row
 * whose quantity is not understood is an infinite residual: nothing is skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

static const char *const lines[] = {
#include "reference.inc" /* generated: the rows of test/data/reference.csv as strings */
};
enum { LINES = sizeof lines / sizeof *lines, GROUP_MOST = 64 };

typedef struct Row {
  char model[64], quantity[40];
  double cr, n, v0, mass, k, value;
} Row;

typedef struct Group { /* rows of one case */
  char law[64];
  Row row[GROUP_MOST];
  int count;
} Group;

static double number(const char *text) { return *text ? strtod(text, NULL) : NAN; }

/* model,cr,p_or_n,v0,meff,K,quantity,value */
static bool read_row(const char *line, Row *r) {
  char copy[256], *field[8], *at = copy;
  snprintf(copy, sizeof copy, "%s", line);
  for (int i = 0; i < 8; i++) {
    field[i] = at;
    at = at ? strchr(at, ',') : NULL;
    if (at) *at++ = '\0';
    if (!at && i < 7) return false;
  }
  snprintf(r->model, sizeof r->model, "%.63s", field[0]);
  snprintf(r->quantity, sizeof r->quantity, "%.39s", field[6]);
  r->cr = number(field[1]), r->n = number(field[2]), r->v0 = number(field[3]), r->mass = number(field[4]);
  r->k = number(field[5]), r->value = number(field[7]);
  return true;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }
static bool same_case(const Row *a, const Row *b) {
  return strcmp(a->model, b->model) == 0 && same(a->cr, b->cr) && same(a->n, b->n) && same(a->v0, b->v0);
}

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static double find(const Group *g, const char *quantity) {
  for (int i = 0; i < g->count; i++)
    if (strcmp(g->row[i].quantity, quantity) == 0) return g->row[i].value;
  return NAN;
}

/* Residual of a row: relative, or over the initial energy for energies. */
static void compare(ScreeCheck *check, const Row *row, double value, double scale) {
  scree_tally(check, fabs(value - row->value) / scale, "%s, e = %g, n = %g: %.12g, reference %.12g", row->quantity,
              row->cr, row->n, value, row->value);
}
static double magnitude(const Row *row) { return fmax(fabs(row->value), 1e-300); }

/* ---- impacts ---- */

static ScreeStatus define(const Group *g, ScreeLawId law, ScreeImpactDef *def) {
  const Row *c = g->row;
  *def = scree_impact_def_default(law);
  def->pair.restitution = c->cr, def->pair.speed = c->v0, def->pair.mass = c->mass, def->pair.stiffness = c->k;
  if (scree_law_info(law)->flags & SCREE_FREE_EXPONENT) def->pair.exponent = c->n;
  /* a law that derives its parameters from the restitution must find them itself: they are compared, not given */
  bool derives = !isnan(c->cr) && !(scree_law_info(law)->flags & SCREE_EMPIRICAL);
  for (int i = 0; i < g->count && !derives; i++)
    if (starts(g->row[i].quantity, "param_")) {
      ScreeStatus status = scree_pair_def_set(&def->pair, law, g->row[i].quantity + 6, g->row[i].value);
      if (status != SCREE_OK) return status;
    }
  return SCREE_OK;
}

typedef struct Runs {
  ScreeImpactResult by[3]; /* per separation */
  ScreeImpactResult closed;
  ScreeExact exact;
  ScreeTimestep step;
} Runs;

/* Quantities that are a field of one of the runs: name, separation, offset. */
#define FIELD(name, separation, member)                                                                                \
  { name, separation, offsetof(ScreeImpactResult, member) }
static const struct {
  const char *name;
  ScreeSeparation separation;
  size_t offset;
} fields[] = {
    FIELD("e_out", SCREE_AT_OVERLAP, restitution),
    FIELD("delta_max", SCREE_AT_OVERLAP, max_overlap),
    FIELD("F_max", SCREE_AT_OVERLAP, max_force),
    FIELD("tau", SCREE_AT_OVERLAP, duration),
    FIELD("t_load", SCREE_AT_OVERLAP, loading_time),
    FIELD("E_diss_load", SCREE_AT_OVERLAP, energy_dissipated_loading),
    FIELD("E_diss_unload", SCREE_AT_OVERLAP, energy_dissipated_unloading),
    FIELD("e_out_F0", SCREE_AT_FORCE, restitution),
    FIELD("tau_F0", SCREE_AT_FORCE, duration),
    FIELD("delta_F0", SCREE_AT_FORCE, exit_overlap),
    FIELD("E_diss_unload_F0", SCREE_AT_FORCE, energy_dissipated_unloading),
    FIELD("tau_clamp", SCREE_CLAMPED, duration),
    FIELD("delta_p", SCREE_AT_OVERLAP, exit_overlap),
    FIELD("delta_0", SCREE_AT_OVERLAP, exit_overlap),
    FIELD("delta_f", SCREE_AT_OVERLAP, exit_overlap),
    FIELD("delta_switch", SCREE_AT_OVERLAP, switch_overlap),
    FIELD("v_switch", SCREE_AT_OVERLAP, switch_speed),
    FIELD("a_at_exit", SCREE_AT_FORCE, memory[0]),
};

static double total_loss(const ScreeImpactResult *r) {
  return r->energy_dissipated_loading + r->energy_dissipated_unloading;
}

static double computed(const char *q, const Runs *runs) {
  const ScreeImpactResult *z = &runs->by[SCREE_AT_OVERLAP];
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (strcmp(q, fields[i].name) == 0)
      return *(const double *)((const char *)&runs->by[fields[i].separation] + fields[i].offset);
  if (strcmp(q, "E_diss_total") == 0) return total_loss(z);
  if (strcmp(q, "E_diss_total_F0") == 0) return total_loss(&runs->by[SCREE_AT_FORCE]);
  if (strcmp(q, "K_unload") == 0) return z->max_force / (z->max_overlap - z->exit_overlap);
  if (strcmp(q, "e_thornton_1997_closed_form") == 0) return runs->closed.restitution;
  if (strcmp(q, "tau_elastic") == 0) return runs->exact.duration_elastic;
  if (strcmp(q, "tau_ratio") == 0) return runs->exact.duration_ratio;
  if (strcmp(q, "dt_transformed") == 0) return runs->step.transformed;
  if (strcmp(q, "dt_tangent") == 0) return runs->step.tangent;
  if (starts(q, "param_")) q += 6;
  for (int i = 0; i < SCREE_PARAM_COUNT; i++)
    if (strcmp(q, scree_param_name((ScreeParamId)i)) == 0) return z->pair.resolved[i];
  return NAN;
}

static void check_impact(ScreeCheck *check, const Group *g, ScreeLawId law) {
  Runs runs = {.closed.restitution = NAN};
  ScreeImpactDef def;
  if (define(g, law, &def) != SCREE_OK) return scree_tally_failure(check, "case");
  for (int s = 0; s < 3; s++) {
    def.separation = (ScreeSeparation)s;
    if (scree_impact_run(&def, &runs.by[s]) != SCREE_OK) return scree_tally_failure(check, "impact");
    if (runs.by[s].calibrated) scree_tally(check, INFINITY, "a given strength was calibrated again");
  }
  if (scree_impact_timestep(&def, &runs.step) != SCREE_OK) return scree_tally_failure(check, "time step");
  def.separation = SCREE_AT_OVERLAP;
  scree_impact_exact(&def, &runs.closed);
  ScreeExactDef x = {g->row->n, g->row->cr, NAN, g->row->v0, g->row->mass, g->row->k};
  if (law == SCREE_LAW_power_law_tsuji && scree_exact_solve(&x, &runs.exact) != SCREE_OK)
    return scree_tally_failure(check, "exact");
  for (int i = 0; i < g->count; i++) {
    const Row *row = &g->row[i];
    bool energy = starts(row->quantity, "E_diss");
    compare(check, row, computed(row->quantity, &runs), energy ? runs.by[0].energy_initial : magnitude(row));
  }
}

/* ---- line contacts ---- */

static void check_line(ScreeCheck *check, const Group *g) {
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
  if (scree_law_find(name, &law) != SCREE_OK) return scree_tally_failure(check, "law");
  for (int i = 0; i < g->count; i++) {
    const Row *row = &g->row[i];
    ScreePairDef def = scree_pair_def_joint();
    ScreeLineResult line;
    def.variant = variant;
    def.exponent = row->n;
    bool known = starts(row->quantity, "F_at_delta_");
    if (!known || scree_line_force(law, &def, strtod(row->quantity + 11, NULL), &line) != SCREE_OK)
      scree_tally_failure(check, row->quantity);
    else
      compare(check, row, line.force, magnitude(row));
  }
}

/* ---- stiffness and friction ---- */

static void check_stiffness(ScreeCheck *check, const Group *g) {
  ScreeMaterial aluminium = {70e9, 0.33, NAN};
  double k = NAN, n = NAN, a = 0.02, b = 0.02;
  ScreeGeometry geometry = SCREE_SPHERE_SPHERE;
  if (strcmp(g->law, "stiffness_sphere_plane") == 0) geometry = SCREE_SPHERE_PLANE;
  if (strcmp(g->law, "stiffness_plane_plane") == 0) geometry = SCREE_PLANE_PLANE, a = 0.01;
  if (strcmp(g->law, "stiffness_sphere_in_sphere") == 0) geometry = SCREE_SPHERE_IN_SPHERE, a = 0.025;
  if (scree_stiffness(geometry, aluminium, aluminium, a, b, &k, &n) != SCREE_OK)
    return scree_tally_failure(check, "stiffness");
  compare(check, g->row, n == g->row->n ? k : NAN, magnitude(g->row));
}

static void check_mindlin(ScreeCheck *check, const Group *g) {
  ScreeMaterial a = {find(g, "param_E1"), find(g, "param_nu1"), NAN},
                b = {find(g, "param_E2"), find(g, "param_nu2"), NAN};
  double radius = find(g, "param_Reff"), modulus = scree_composite_modulus(a, b);
  ScreeTangential t = {.law = SCREE_LAW_mindlin,
                       .shear_stiffness = 8.0 * scree_composite_shear_modulus(a, b) * sqrt(radius)};
  for (int i = 0; i < g->count; i++) {
    const Row *row = &g->row[i];
    double value = NAN;
    if (starts(row->quantity, "param_")) value = row->value;
    if (strcmp(row->quantity, "E_star") == 0) value = modulus;
    if (strcmp(row->quantity, "G_star") == 0) value = scree_composite_shear_modulus(a, b);
    if (starts(row->quantity, "kt_at_delta_")) value = scree_tangential_stiffness(&t, strtod(row->quantity + 12, NULL));
    if (starts(row->quantity, "kn_tangent_at_delta_"))
      value = 2.0 * modulus * sqrt(radius * strtod(row->quantity + 20, NULL));
    compare(check, row, value, magnitude(row));
  }
}

static void check_coulomb(ScreeCheck *check, const Group *g) {
  ScreeTangential t = {.law = SCREE_LAW_coulomb, .friction = find(g, "param_mu"), .veps = find(g, "param_veps")};
  for (int i = 0; i < g->count; i++) {
    const Row *row = &g->row[i];
    if (starts(row->quantity, "param_")) {
      compare(check, row, row->value, magnitude(row)); /* an input */
      continue;
    }
    t.regularisation = starts(row->quantity, "Ft_tanh") ? SCREE_TANH : SCREE_SQRT;
    bool known = starts(row->quantity, "Ft_tanh_at_vt_") || starts(row->quantity, "Ft_sqrt_at_vt_");
    double value = known ? scree_coulomb_force(&t, find(g, "param_Fn"), strtod(row->quantity + 14, NULL)) : NAN;
    compare(check, row, value, magnitude(row));
  }
}

/* ---- the table ---- */

static void check_group(ScreeCheck *check, const Group *g) {
  ScreeLawId law;
  if (starts(g->law, "stiffness_")) return check_stiffness(check, g);
  if (strcmp(g->law, "tangential_mindlin") == 0) return check_mindlin(check, g);
  if (strcmp(g->law, "tangential_coulomb_regularised") == 0) return check_coulomb(check, g);
  if (starts(g->law, "cyl_")) return check_line(check, g);
  if (scree_law_find(g->law, &law) != SCREE_OK) return scree_tally_failure(check, "law");
  check_impact(check, g, law);
}

/* The rows of one case from line `at` on; returns how many lines that took. */
static int read_group(int at, Group *g) {
  g->count = 0;
  for (; at + g->count < LINES && g->count < GROUP_MOST; g->count++) {
    if (!read_row(lines[at + g->count], &g->row[g->count])) break;
    if (!same_case(&g->row[0], &g->row[g->count])) break;
  }
  snprintf(g->law, sizeof g->law, "%s", g->row[0].model);
  g->law[strcspn(g->law, "#")] = '\0';
  return g->count > 0 ? g->count : 1;
}

/* The check of a model, begun when its first row appears: the table lists the models by turns. */
enum { MODELS = 96 };
typedef struct Report {
  ScreeCheck check[MODELS];
  char subject[MODELS][64];
  int count;
} Report;

static ScreeCheck *check_of(Report *r, const char *model) {
  for (int i = 0; i < r->count; i++)
    if (strcmp(r->subject[i], model) == 0) return &r->check[i];
  int at = r->count < MODELS ? r->count++ : MODELS - 1;
  snprintf(r->subject[at], sizeof r->subject[at], "%s", model);
  r->check[at] = (ScreeCheck){.suite = "reference",
                              .oracle = "reference values",
                              .subject = r->subject[at],
                              .limit = 1e-8,
                              .shows = "every value of the reference table is met"};
  return &r->check[at];
}

static void emit(ScreeCheckSink *sink, void *context) {
  static _Thread_local Group g;
  static _Thread_local Report report;
  report.count = 0;
  for (int i = 0; i < LINES;) {
    i += read_group(i, &g);
    check_group(check_of(&report, g.law), &g);
  }
  for (int i = 0; i < report.count; i++) {
    ScreeCheck *check = &report.check[i];
    check->passed = check->cases > 0 && check->worst <= check->limit;
    sink(check, context);
  }
}

const Suite scree_suite_reference = {.name = "reference", .emit = emit};
