/* impact.c: `scree impact`: one collision, integrated, in closed form where there is one, straight or oblique. */
#include "case.h"

#include "io/digits.h"
#include "oblique.h"
#include "output.h"
#include "result.h"
#include "trace.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char verb[] = "impact";

enum {
  KEY_JSON = 256,
  KEY_CSV,
  KEY_POINTS,
  KEY_PLOT,
};

#define DEFAULT_POINTS 401
#define MAX_POINTS 10000000

typedef struct ImpactOptions {
  const char *law;
  Case collision;
  ObliqueOptions oblique;
  bool json;
  const char *csv, *plot;
  int points;
} ImpactOptions;

static const struct argp_option own_options[] = {
    {NULL, 0, NULL, 0, "Output:", 5},
    {"json", KEY_JSON, NULL, 0, "results as JSON", 5},
    {"csv", KEY_CSV, "FILE", 0, "write the course of the collision (- for standard output)", 5},
    {"points", KEY_POINTS, "N", 0, "points of that course, default 401", 5},
    {"plot", KEY_PLOT, "FILE", 0,
     "draw it: FILE.svg, .png or .pdf (its script FILE.gp and data FILE.csv stay beside it), or - for the terminal", 5},
    {0},
};

static void take_points(struct argp_state *state, const char *text, int *points) {
  double number = 0;
  if (read_quantity(text, "1", (Limits){8, MAX_POINTS, false}, &number) != SCREE_OK)
    refuse(state, "--points: %s", scree_last_error());
  if (number != floor(number)) refuse(state, "--points: must be a whole number (got %s)", text);
  *points = (int)number;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  ImpactOptions *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &o->collision;
    state->child_inputs[1] = &o->oblique;
    return 0;
  case KEY_JSON: o->json = true; return 0;
  case KEY_CSV: o->csv = argument; return 0;
  case KEY_PLOT:
    if (!plot_path_valid(argument))
      refuse(state, "--plot: must end in .svg, .png or .pdf, or be - (got \"%s\")", argument);
    o->plot = argument;
    return 0;
  case KEY_POINTS: take_points(state, argument, &o->points); return 0;
  case ARGP_KEY_ARG: return take_only_argument(state, argument, &o->law);
  case ARGP_KEY_END:
    if (!o->law) refuse(state, "which law? scree impact LAW (scree models lists them)");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "One collision: integrated with located events, beside its closed form where one exists.\v"
    "Numbers may carry units; a plain number is SI. With --angle, --speed is the speed along the path; with "
    "--tangential-speed it is the normal one.\n\n"
    "Examples:\n"
    "  scree impact zhang_sharf --restitution 0.5\n"
    "  scree impact tsuji --restitution 0.8 --separation clamp --calibrated --json\n"
    "  scree impact kuwabara_kono --set A='2 us' --stiffness 1e9 --mass '5 g' \\\n"
    "      --speed '1 m/s'\n"
    "  scree impact flores --restitution 0.7 --radius '1 cm' --young '70 GPa' \\\n"
    "      --poisson 0.33 --density '2700 kg/m3' --speed '2 m/s' --plot flores.svg\n"
    "  scree impact cyl_johnson --restitution 0.6 --damping zhang_sharf\n"
    "  scree impact zhang_sharf --restitution 0.9 --radius '5 mm' \\\n"
    "      --young '70 GPa' --poisson 0.25 --density '2500 kg/m3' \\\n"
    "      --speed '3 m/s' --angle 30 --friction 0.1";

/* ---- the collision ---------------------------------------------------------------------------------------------- */

/* Everything that is known about one collision. */
typedef struct ImpactReport {
  CaseResolved resolved;
  ScreeImpactResult result, exact;
  bool has_exact, has_timestep, has_oblique;
  ScreeTimestep timestep;
  ScreeObliqueDef oblique_def;
  ScreeObliqueResult oblique;
} ImpactReport;

static ScreeStatus compute(const ImpactOptions *o, ScreeLawId law, ImpactReport *r, ScreeTracePoint *points) {
  ScreeLawId tangential = SCREE_LAW_NONE;
  ScreeStatus status = oblique_law(&o->oblique, &tangential);
  if (status == SCREE_OK) status = case_check(&o->collision, law, tangential);
  if (status == SCREE_OK) status = case_resolve(&o->collision, law, tangential, &r->resolved);
  if (status == SCREE_OK && tangential != SCREE_LAW_NONE) {
    status = oblique_def(&o->oblique, tangential, &r->resolved, &r->oblique_def);
    if (status == SCREE_OK) status = scree_oblique_run(&r->oblique_def, &r->oblique);
    r->has_oblique = true;
  }
  if (status != SCREE_OK) return status;
  const ScreeImpactDef *def = &r->resolved.def;
  status = points ? scree_impact_trace(def, o->points, points, &r->result) : scree_impact_run(def, &r->result);
  if (status != SCREE_OK) return status;
  r->has_exact = scree_impact_exact(def, &r->exact) == SCREE_OK;
  r->has_timestep = scree_impact_timestep(def, &r->timestep) == SCREE_OK;
  return SCREE_OK;
}

/* ---- notes ------------------------------------------------------------------------------------------------------ */

/* What a reader of the numbers should know, one sentence each; printed and put into the JSON alike. */
typedef struct Notes {
  char text[5][256];
  int count;
} Notes;

static void __attribute__((format(printf, 2, 3))) note(Notes *notes, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(notes->text[notes->count++], sizeof notes->text[0], format, arguments);
  va_end(arguments);
}

static Notes take_notes(ScreeLawId law, const ImpactReport *r) {
  Notes notes = {.count = 0};
  const ScreeImpactResult *result = &r->result;
  const ScreeLawInfo *info = scree_law_info(law);
  double requested = result->requested_restitution;
  if (*result->pair.warning) note(&notes, "%s", result->pair.warning);
  if (result_calibrated(result))
    note(&notes, "%s was calibrated to deliver e = %.10g in this very case",
         parameter_text(law, result->parameter, result->parameter_value, 10).text, requested);
  if (result->outcome == SCREE_STALLED)
    note(&notes,
         "stalled: the overlap creeps towards zero and never arrives; --separation force or clamp ends the contact");
  else if (!result->calibrated && fabs(result->restitution - requested) > 1e-6)
    note(&notes, "%.6g was requested and %.6g achieved; --calibrated delivers what is requested", requested,
         result->restitution);
  bool pulls = info->flags & SCREE_ATTRACTIVE && result->outcome == SCREE_SEPARATED && result->restitution < 1;
  if (pulls && r->resolved.def.separation == SCREE_AT_OVERLAP)
    note(&notes, "the force pulls before the overlap returns to zero; --separation force or clamp does without");
  if (info->flags & SCREE_LOOP_WORK)
    note(&notes,
         "this law defines no recoverable energy: its losses are the work of the force, given back in unloading");
  return notes;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static json_t *timestep_json(const ScreeTimestep *t) {
  json_t *object = json_object();
  json_put(object, "transformed", t->transformed);
  json_put(object, "tangent", t->tangent);
  json_put(object, "lagged", t->lagged);
  json_put(object, "recommended", t->recommended);
  return object;
}

static void print_json(ScreeLawId law, const ImpactReport *r) {
  const ScreeImpactResult *result = &r->result;
  json_t *object = json_object();
  json_object_set_new(object, "law", json_string(scree_law_info(law)->name));
  result_put_fields(object, result_fields, result);
  json_object_set_new(object, "steps", json_integer(result->steps));
  json_object_set_new(object, "evaluations", json_integer(result->evaluations));
  json_object_set_new(object, "separation", json_string(separation_name(r->resolved.def.separation)));
  json_object_set_new(object, "outcome", json_string(outcome_name(result->outcome)));
  result_put_fields(object, result_more_fields, result);
  json_object_set_new(object, "calibrated", json_boolean(result->calibrated));
  const Strength strength = result_strength(result, r->resolved.def.pair.speed);
  if (result_calibrated(result)) json_object_set_new(object, "calibration", strength_json(&strength, law));
  json_object_set_new(object, "damping", case_damping_json(&result->pair));
  json_object_set_new(object, "parameters", result_parameters(&result->pair));
  json_object_set_new(object, "case", case_json(&r->resolved, &result->pair));
  json_object_set_new(object, "warning", *result->pair.warning ? json_string(result->pair.warning) : json_null());
  Notes notes = take_notes(law, r);
  json_t *sentences = json_array();
  for (int i = 0; i < notes.count; i++) json_array_append_new(sentences, json_string(notes.text[i]));
  json_object_set_new(object, "notes", sentences);
  if (r->has_exact) {
    json_t *exact = json_object();
    result_put_fields(exact, result_fields, &r->exact);
    result_put_fields(exact, result_more_fields, &r->exact);
    json_object_set_new(object, "exact", exact);
  }
  if (r->has_timestep) json_object_set_new(object, "timestep", timestep_json(&r->timestep));
  if (r->has_oblique) json_object_set_new(object, "oblique", oblique_json(&r->oblique_def, &r->oblique));
  json_print(object);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* All lengths of the table have one prefix, and all times: they are compared. */
static ScreePrefix table_prefix(const ScreeImpactResult *result, const char *unit) {
  const ResultField *lists[] = {result_fields, result_more_fields};
  double values[32];
  size_t count = 0;
  for (int list = 0; list < 2; list++)
    for (const ResultField *field = lists[list]; field->key; field++)
      if (strcmp(field->unit, unit) == 0) values[count++] = result_value(field, result);
  return scree_prefix_of_all(values, count, unit);
}

static void print_results(const ImpactReport *r) {
  Table *table = table_new(r->has_exact ? "lllll" : "lll");
  table_cell(table, "%s", "");
  table_cell(table, "integrated");
  table_cell(table, "%s", "");
  if (r->has_exact) {
    table_cell(table, "closed form");
    table_cell(table, "difference");
  }
  const ResultField *lists[] = {result_fields, result_more_fields};
  for (int list = 0; list < 2; list++)
    for (const ResultField *field = lists[list]; field->key; field++) {
      double value = result_value(field, &r->result);
      if (isnan(value)) continue;
      bool residual = field->offset == offsetof(ScreeImpactResult, energy_residual);
      const ScreePrefix prefix = table_prefix(&r->result, field->unit);
      table_cell(table, "%s", field->label);
      table_number(table, value * prefix.factor, residual ? 3 : 10);
      table_cell(table, "%s", isinf(value) ? "" : prefix.unit);
      if (!r->has_exact) continue;
      double exact = result_value(field, &r->exact);
      bool comparable = !residual && isfinite(exact) && isfinite(value);
      table_number(table, residual ? NAN : exact * prefix.factor, 10);
      table_number(table, comparable ? (value - exact) * prefix.factor : NAN, 2);
    }
  table_print(table);
  printf("%d steps, %d force evaluations\n", r->result.steps, r->result.evaluations);
}

static void print_parameters(const ScreePair *pair, ScreeLawId law) {
  bool any = false;
  for (int i = 0; i < SCREE_PARAM_COUNT; i++) {
    if (isnan(pair->resolved[i])) continue;
    printf("%s%s", any ? ", " : "parameters: ", parameter_text(law, (ScreeParamId)i, pair->resolved[i], 10).text);
    any = true;
  }
  if (any) putchar('\n');
}

static void print_timestep(const ScreeTimestep *t) {
  puts("\ntime step of an explicit scheme:");
  printf("  tangent-stiffness limit  %s", scree_quantity(t->tangent, "s", 6).text);
  if (!isnan(t->lagged))
    printf(" (%s when damping uses the last half step's velocity)", scree_quantity(t->lagged, "s", 6).text);
  putchar('\n');
  if (!isnan(t->transformed))
    printf("  transformed estimate     %s (an estimate; the limit is the tangent one)\n",
           scree_quantity(t->transformed, "s", 6).text);
  printf("  recommended, at most     %s (a tenth of the limit with damping)\n",
         scree_quantity(t->recommended, "s", 6).text);
}

static void print_text(ScreeLawId law, const ImpactReport *r) {
  const ScreeLawInfo *info = scree_law_info(law);
  print_heading("%s (%s)", info->name, info->reference);
  print_wrapped("law:", 5, info->formula);
  case_print(&r->resolved, &r->result.pair);
  case_print_damping(&r->result.pair);
  print_parameters(&r->result.pair, law);
  static const char *const meaning[] = {[SCREE_AT_OVERLAP] = "contact ends where the overlap returns to zero",
                                        [SCREE_AT_FORCE] = "contact ends where the force returns to zero",
                                        [SCREE_CLAMPED] = "the force is kept >= 0, contact ends at zero overlap"};
  bool dent = info->group == SCREE_PLASTIC;
  printf("separation: %s (%s)\n\n", separation_name(r->resolved.def.separation),
         dent ? "contact ends at the permanent dent" : meaning[r->resolved.def.separation]);
  print_results(r);
  if (r->has_oblique) oblique_print(&r->oblique_def, &r->oblique);
  if (r->has_timestep) print_timestep(&r->timestep);
  Notes notes = take_notes(law, r);
  for (int i = 0; i < notes.count; i++) printf("note: %s\n", notes.text[i]);
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

static int write_outputs(const ImpactOptions *o, ScreeLawId law, const ImpactReport *r, const ScreeTracePoint *points) {
  char title[200];
  const ScreeLawInfo *info = scree_law_info(law);
  snprintf(title, sizeof title, "%s, e = %s, v0 = %.4g m/s", info->name, number_text(r->result.restitution, 4).text,
           r->resolved.def.pair.speed);
  Trace trace = {.title = title, .points = points, .count = o->points};
  Figure figure = trace_figure(&trace);
  bool picture = o->plot && strcmp(o->plot, "-") != 0;
  int code = picture ? plot_draw(verb, o->plot, &figure) : EXIT_DONE;
  if (o->csv) { /* after the picture: both may name one file */
    OutputFile file;
    if (!output_open(&file, verb, o->csv)) return EXIT_FAILED;
    trace_write_csv(file.stream, &trace);
    if (!output_commit(&file, verb)) return EXIT_FAILED;
  }
  if (o->json)
    print_json(law, r);
  else if (!o->csv || strcmp(o->csv, "-") != 0)
    print_text(law, r);
  if (picture && code == EXIT_DONE && !o->json && (!o->csv || strcmp(o->csv, "-") != 0))
    printf("drawn: %s, with its script and data (.gp, .csv) beside it\n", o->plot);
  return o->plot && !picture ? plot_draw(verb, o->plot, &figure) : code;
}

/* Standard output holds one thing. */
static bool outputs_clash(const ImpactOptions *o) {
  bool csv = o->csv && strcmp(o->csv, "-") == 0, plot = o->plot && strcmp(o->plot, "-") == 0;
  return (o->json && (csv || plot)) || (csv && plot);
}

int verb_impact(int argc, char **argv) {
  ImpactOptions o = {.collision = case_default(), .oblique = oblique_options_default(), .points = DEFAULT_POINTS};
  const struct argp_child children[] = {
      {case_argp(SCOPE_IMPACT), 0, NULL, 0}, {&oblique_argp, 0, "Oblique impact of spheres:", 4}, {0}};
  const struct argp argp = {own_options, parse, "LAW", doc, children, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  if (outputs_clash(&o)) return misuse(verb, "--json, --csv - and --plot - exclude each other on standard output");

  ScreeLawId law = SCREE_LAW_NONE;
  ScreeStatus status = scree_law_find(o.law, &law);
  if (status != SCREE_OK) return report(verb, status);
  if (scree_law_info(law)->group == SCREE_TANGENTIAL)
    return misuse(verb, "%s is a tangential law: give a normal one and --tangential %s", o.law, o.law);
  ScreeTracePoint *points = o.csv || o.plot ? checked_alloc((size_t)o.points, sizeof *points) : NULL;
  ImpactReport r = {0};
  status = compute(&o, law, &r, points);
  int code = status == SCREE_OK ? write_outputs(&o, law, &r, points) : report(verb, status);
  free(points);
  return code;
}
