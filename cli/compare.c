/* compare.c: `scree compare`: many laws and restitutions, one row each; a law that cannot run says why in its row. */
#include "case.h"

#include "core/status.h"
#include "law.h"
#include "output.h"
#include "plot.h"
#include "result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char verb[] = "compare";

enum { KEY_JSON = 256, KEY_CSV, KEY_PLOT, KEY_RESTITUTION };

#define MAX_REQUESTS 1001

typedef struct CompareOptions {
  Case collision;
  ScreeLawId laws[SCREE_LAW_COUNT];
  int law_count;
  double requests[MAX_REQUESTS];
  int request_count;
  bool json;
  const char *csv, *plot;
} CompareOptions;

static const struct argp_option own_options[] = {
    {"restitution", KEY_RESTITUTION, "LIST", 0,
     "requested: one (0.5, default), a list (0.1,0.5) or a range (0:1:0.1 is low:high:step)", 1},
    {NULL, 0, NULL, 0, "Output:", 5},
    {"json", KEY_JSON, NULL, 0, "results as JSON", 5},
    {"csv", KEY_CSV, "FILE", 0, "write the table (- for standard output)", 5},
    {"plot", KEY_PLOT, "DIR", 0, "draw restitution.svg and force.svg into a folder", 5},
    {0},
};

/* ---- requests --------------------------------------------------------------------------------------------------- */

static const Limits unit_interval = {0, 1, false};

static ScreeStatus add_request(CompareOptions *o, double value) {
  if (o->request_count == MAX_REQUESTS)
    return scree_fail(SCREE_INVALID, "at most %d values may be asked for", MAX_REQUESTS);
  o->requests[o->request_count++] = value;
  return SCREE_OK;
}

/* Copies the piece up to a separator and moves past it; NULL when nothing is left. */
static const char *next_piece(const char *text, char separator, char *piece, size_t size) {
  size_t length = strcspn(text, (char[]){separator, '\0'});
  snprintf(piece, size, "%.*s", (int)length, text);
  return text[length] ? text + length + 1 : NULL;
}

static ScreeStatus read_range(const char *text, CompareOptions *o) {
  double bounds[3];
  const char *rest = text;
  for (int i = 0; i < 3; i++) {
    char piece[80];
    if (!rest) return scree_fail(SCREE_INVALID, "a range reads low:high:step (got \"%.40s\")", text);
    rest = next_piece(rest, ':', piece, sizeof piece);
    SCREE_TRY(read_quantity(piece, "1", unit_interval, &bounds[i]));
  }
  if (rest || bounds[1] < bounds[0] || !(bounds[2] > 0))
    return scree_fail(SCREE_INVALID, "a range reads low:high:step with low <= high and step > 0 (got \"%.40s\")", text);
  double steps = floor((bounds[1] - bounds[0]) / bounds[2] + 1e-9);
  if (steps >= MAX_REQUESTS) return scree_fail(SCREE_INVALID, "at most %d values may be asked for", MAX_REQUESTS);
  for (int i = 0; i <= (int)steps; i++) {
    double value = bounds[0] + i * bounds[2];
    SCREE_TRY(add_request(o, round(value * 1e12) / 1e12)); /* 0.1 + 2*0.1 is 0.3 */
  }
  return SCREE_OK;
}

static ScreeStatus read_requests(const char *text, CompareOptions *o) {
  o->request_count = 0;
  if (strchr(text, ':')) return read_range(text, o);
  for (const char *rest = text; rest;) {
    char piece[80];
    double value = 0;
    rest = next_piece(rest, ',', piece, sizeof piece);
    SCREE_TRY(read_quantity(piece, "1", unit_interval, &value));
    SCREE_TRY(add_request(o, value));
  }
  return SCREE_OK;
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

static void take_law(struct argp_state *state, const char *name, CompareOptions *o) {
  ScreeLawId law = SCREE_LAW_NONE;
  if (scree_law_find(name, &law) != SCREE_OK) refuse(state, "%s", scree_last_error());
  if (scree_law_info(law)->group == SCREE_TANGENTIAL)
    refuse(state, "%s is a tangential law: it has no normal impact to compare", name);
  for (int i = 0; i < o->law_count; i++)
    if (o->laws[i] == law) return;
  o->laws[o->law_count++] = law;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  CompareOptions *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &o->collision; return 0;
  case KEY_JSON: o->json = true; return 0;
  case KEY_CSV: o->csv = argument; return 0;
  case KEY_PLOT: o->plot = argument; return 0;
  case KEY_RESTITUTION:
    if (read_requests(argument, o) != SCREE_OK) refuse(state, "--restitution: %s", scree_last_error());
    return 0;
  case ARGP_KEY_ARG: take_law(state, argument, o); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Laws side by side: requested and achieved restitution, peak force, overlap, duration, dissipation. Without names: "
    "every point, plastic and line law.\v"
    "--set reaches the laws that have the parameter. A law that cannot run says why in its row.\n\n"
    "Examples:\n"
    "  scree compare\n"
    "  scree compare hunt_crossley flores zhang_sharf --restitution 0.1:0.9:0.2\n"
    "  scree compare --restitution 0.5 --csv table.csv\n"
    "  scree compare flores zhang_sharf --restitution 0.1:0.9:0.1 --plot figures";

static void choose_all_laws(CompareOptions *o) {
  static const ScreeGroup order[] = {SCREE_POINT, SCREE_PLASTIC, SCREE_LINE};
  for (size_t g = 0; g < sizeof order / sizeof *order; g++)
    for (int law = 0; law < SCREE_LAW_COUNT; law++)
      if (scree_law_info((ScreeLawId)law)->group == order[g]) o->laws[o->law_count++] = (ScreeLawId)law;
}

/* Every --set name must mean something to one of the laws. */
static ScreeStatus check_settings(const CompareOptions *o) {
  for (int i = 0; i < o->collision.setting_count; i++) {
    char name[32];
    bool used = false;
    case_setting_name(o->collision.settings[i], name, sizeof name);
    for (int k = 0; k < o->law_count && !used; k++) used = scree_law_param(o->laws[k], name) != NULL;
    if (!used) return scree_fail(SCREE_UNKNOWN, "--set: none of the laws has a parameter \"%s\"", name);
  }
  return SCREE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

typedef struct Row {
  ScreeLawId law;
  double requested;
  bool ran;
  CaseResolved resolved;
  ScreeImpactResult result; /* under the case's separation */
  double overlap_e, clamped_e;
  char note[400];
} Row;

/* Restitution under another separation, with the very parameter that the row was calibrated to. */
static double achieved(const Row *row, ScreeSeparation separation) {
  const ScreeImpactResult *known = &row->result;
  ScreeImpactDef def = row->resolved.def;
  if (def.separation == separation) return known->restitution;
  def.separation = separation;
  if (result_calibrated(known)) {
    def.calibrated = false;
    def.pair.restitution = NAN;
    def.pair.param[known->parameter] = known->parameter_value;
  }
  ScreeImpactResult result;
  return scree_impact_run(&def, &result) == SCREE_OK ? result.restitution : NAN;
}

static void write_note(Row *row) {
  const ScreeImpactResult *result = &row->result;
  bool loop_work = scree_law_info(row->law)->flags & SCREE_LOOP_WORK;
  char calibrated[140] = "";
  if (result_calibrated(result))
    snprintf(calibrated, sizeof calibrated, "calibrated %s",
             parameter_text(row->law, result->parameter, result->parameter_value, 6).text);
  const char *more = result->outcome == SCREE_STALLED ? "stalls before the overlap returns to zero"
                     : loop_work                      ? "losses are the work of the loop"
                                                      : result->pair.warning;
  snprintf(row->note, sizeof row->note, "%s%s%s", calibrated, *calibrated && *more ? "; " : "", more);
}

static void run_row(const CompareOptions *o, Row *row) {
  Case collision = o->collision;
  collision.restitution = row->requested;
  row->overlap_e = row->clamped_e = NAN;
  ScreeStatus status = case_resolve(&collision, row->law, SCREE_LAW_NONE, &row->resolved);
  if (status == SCREE_OK) status = scree_impact_run(&row->resolved.def, &row->result);
  if (status != SCREE_OK) {
    snprintf(row->note, sizeof row->note, "%s", scree_last_error());
    return;
  }
  row->ran = true;
  row->overlap_e = achieved(row, SCREE_AT_OVERLAP);
  row->clamped_e = achieved(row, SCREE_CLAMPED);
  write_note(row);
}

/* All rows; a law that takes no restitution has one. */
static Row *run_rows(const CompareOptions *o, int *count) {
  Row *rows = checked_alloc((size_t)(o->law_count * o->request_count), sizeof *rows);
  *count = 0;
  for (int i = 0; i < o->law_count; i++) {
    bool takes_none = scree_law_info(o->laws[i])->domain == SCREE_E_NONE;
    for (int k = 0; k < (takes_none ? 1 : o->request_count); k++) {
      Row *row = &rows[(*count)++];
      row->law = o->laws[i];
      row->requested = takes_none ? NAN : o->requests[k];
      run_row(o, row);
    }
  }
  return rows;
}

/* ---- output ----------------------------------------------------------------------------------------------------- */

static double share(double part, double whole) { return part / whole; }

/* The columns of every form of the table. For readers lengths are in um, times in us, losses in per cent, so that a row
 * fits a terminal; files hold SI. */
static const struct {
  const char *key, *heading;
  int digits;
  double scale;
} columns[] = {{"requested_restitution", "asked", 4, 1.0},
               {"restitution", "e", 6, 1.0},
               {"restitution_clamped", "e clamp", 6, 1.0},
               {"max_force", "peak [N]", 6, 1.0},
               {"max_overlap", "depth [um]", 6, 1e6},
               {"duration", "time [us]", 6, 1e6},
               {"dissipated_share_loading", "lost, load", 4, 100.0},
               {"dissipated_share_unloading", "unload %", 4, 100.0}};
#define COLUMN_COUNT (sizeof columns / sizeof *columns)

static void row_values(const Row *row, double values[COLUMN_COUNT]) {
  const ScreeImpactResult *r = &row->result;
  const double all[COLUMN_COUNT] = {row->requested,
                                    row->overlap_e,
                                    row->clamped_e,
                                    r->max_force,
                                    r->max_overlap,
                                    r->duration,
                                    share(r->energy_dissipated_loading, r->energy_initial),
                                    share(r->energy_dissipated_unloading, r->energy_initial)};
  for (size_t i = 0; i < COLUMN_COUNT; i++) values[i] = row->ran || i == 0 ? all[i] : NAN;
}

static void print_json(const CompareOptions *o, const Row *rows, int count) {
  json_t *array = json_array();
  for (int i = 0; i < count; i++) {
    const Row *row = &rows[i];
    double values[COLUMN_COUNT];
    row_values(row, values);
    json_t *object = json_object();
    json_object_set_new(object, "law", json_string(scree_law_info(row->law)->name));
    for (size_t k = 0; k < COLUMN_COUNT; k++) json_put(object, columns[k].key, values[k]);
    json_object_set_new(object, "calibrated", json_boolean(row->ran && row->result.calibrated));
    json_object_set_new(object, "ran", json_boolean(row->ran));
    json_object_set_new(object, "note", json_string(row->note));
    if (row->ran) json_object_set_new(object, "case", case_json(&row->resolved, &row->result.pair));
    json_array_append_new(array, object);
  }
  json_t *all = json_object();
  json_object_set_new(all, "separation", json_string(separation_name(o->collision.separation)));
  json_object_set_new(all, "rows", array);
  json_print(all);
}

static void write_csv(FILE *stream, const Row *rows, int count) {
  fputs("law", stream);
  for (size_t k = 0; k < COLUMN_COUNT; k++) fprintf(stream, ",%s", columns[k].key);
  fputs(",note\n", stream);
  for (int i = 0; i < count; i++) {
    double values[COLUMN_COUNT];
    row_values(&rows[i], values);
    fputs(scree_law_info(rows[i].law)->name, stream);
    for (size_t k = 0; k < COLUMN_COUNT; k++) {
      fputc(',', stream);
      if (isfinite(values[k])) fprintf(stream, "%.17g", values[k]);
    }
    fputs(",\"", stream);
    for (const char *s = rows[i].note; *s; s++) fputs(*s == '"' ? "\"\"" : (char[]){*s, '\0'}, stream);
    fputs("\"\n", stream);
  }
}

static bool is_line_law(ScreeLawId law) { return scree_law_info(law)->group == SCREE_LINE; }

/* The collision the rows share: that of the first point law and of the first line law that ran. The unit of the
 * stiffness is each law's own, so its exponent is left open. */
static void print_cases(const Row *rows, int count) {
  bool shown[2] = {false, false};
  for (int i = 0; i < count; i++) {
    bool line = is_line_law(rows[i].law);
    if (!rows[i].ran || shown[line]) continue;
    ScreePair pair = rows[i].result.pair;
    for (int k = i; k < count; k++)
      if (rows[k].ran && is_line_law(rows[k].law) == line && rows[k].result.pair.n != pair.n) pair.n = NAN;
    case_print(&rows[i].resolved, &pair);
    shown[line] = true;
  }
}

static void print_text(const CompareOptions *o, const Row *rows, int count) {
  print_cases(rows, count);
  printf(
      "e: contact ends at zero overlap; e clamp: force kept >= 0; lost: per cent of the initial energy; separation of "
      "the other columns: %s\n\n",
      separation_name(o->collision.separation));
  Table *table = table_new("lrrrrrrrrl");
  table_cell(table, "law");
  for (size_t k = 0; k < COLUMN_COUNT; k++) table_cell(table, "%s", columns[k].heading);
  table_cell(table, "note");
  for (int i = 0; i < count; i++) {
    double values[COLUMN_COUNT];
    row_values(&rows[i], values);
    table_cell(table, "%s", scree_law_info(rows[i].law)->name);
    for (size_t k = 0; k < COLUMN_COUNT; k++) table_number(table, values[k] * columns[k].scale, columns[k].digits);
    table_cell(table, "%s", rows[i].note);
  }
  table_print(table);
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

#define FIGURE_POINTS 401

typedef struct Curves {
  const Row *rows;
  int count;
  double request; /* of the force figure */
} Curves;

/* Has the row a place in the figure? */
typedef bool Drawn(const Curves *curves, const Row *row);

static bool drawn_restitution(const Curves *c, const Row *row) {
  (void)c;
  return row->ran && !isnan(row->requested);
}

static bool drawn_force(const Curves *c, const Row *row) {
  return row->ran && (isnan(row->requested) || row->requested == c->request);
}

/* The next drawn row from `i` on, or count. *starts says whether its law has not been drawn yet. */
static int next_drawn(const Curves *c, Drawn *drawn, int i, ScreeLawId *law, bool *starts) {
  while (i < c->count && !drawn(c, &c->rows[i])) i++;
  if (i < c->count) {
    *starts = c->rows[i].law != *law;
    *law = c->rows[i].law;
  }
  return i;
}

/* Two blank lines between laws make them gnuplot's `index`. */
static void write_restitution_data(FILE *stream, const void *context) {
  const Curves *c = context;
  ScreeLawId law = SCREE_LAW_NONE;
  bool starts = false;
  fputs("# law,requested,achieved,achieved clamped\n", stream);
  for (int i = -1; (i = next_drawn(c, drawn_restitution, i + 1, &law, &starts)) < c->count;)
    fprintf(stream, "%s%s,%.17g,%.17g,%.17g\n", starts ? "\n\n" : "", scree_law_info(law)->name, c->rows[i].requested,
            c->rows[i].overlap_e, c->rows[i].clamped_e);
}

static void write_force_data(FILE *stream, const void *context) {
  const Curves *c = context;
  ScreeLawId law = SCREE_LAW_NONE;
  bool starts = false;
  ScreeTracePoint *points = checked_alloc(FIGURE_POINTS, sizeof *points);
  fputs("# law,overlap,force,time\n", stream);
  for (int i = -1; (i = next_drawn(c, drawn_force, i + 1, &law, &starts)) < c->count;) {
    ScreeImpactResult result;
    fputs("\n\n", stream);
    if (scree_impact_trace(&c->rows[i].resolved.def, FIGURE_POINTS, points, &result) != SCREE_OK) continue;
    for (int k = 0; k < FIGURE_POINTS; k++)
      fprintf(stream, "%s,%.17g,%.17g,%.17g\n", scree_law_info(law)->name, points[k].overlap, points[k].force,
              points[k].time);
  }
  free(points);
}

/* ", DATA index I using ..." for every law drawn. */
static void write_curves(FILE *stream, const char *data, const Curves *c, Drawn *drawn, const char *using_style) {
  ScreeLawId law = SCREE_LAW_NONE;
  bool starts = false;
  int index = 0;
  for (int i = -1; (i = next_drawn(c, drawn, i + 1, &law, &starts)) < c->count;) {
    if (!starts) continue;
    fprintf(stream, ", \\\n  %s index %d using %s lt %d title '%s'", data, index, using_style, index + 1,
            scree_law_info(law)->name);
    index++;
  }
  fputc('\n', stream);
}

static void write_restitution_script(FILE *stream, const char *data, bool terminal, const void *context) {
  (void)terminal;
  fputs("set xlabel 'requested restitution'\nset ylabel 'achieved restitution'\nset xrange [0:1]\nset yrange [0:1]\n"
        "set key outside right\nplot x with lines lw 1 lc rgb '#999999' dashtype 3 title 'exact'",
        stream);
  write_curves(stream, data, context, drawn_restitution, "2:3 with linespoints pt 7 ps 0.5");
}

static void write_force_script(FILE *stream, const char *data, bool terminal, const void *context) {
  (void)terminal;
  const Curves *c = context;
  fprintf(stream,
          "set title 'requested restitution %.4g'\nset xlabel 'overlap [um]'\nset ylabel 'force [N]'\n"
          "set key outside right\nplot 0 lc rgb '#999999' lw 1 notitle",
          c->request);
  write_curves(stream, data, c, drawn_force, "(1e6*$2):3 with lines");
}

static int draw_figures(const CompareOptions *o, const Row *rows, int count) {
  if (mkdir(o->plot, 0777) != 0 && errno != EEXIST)
    return failure(verb, "cannot make the folder %s: %s", o->plot, strerror(errno));
  Curves curves = {rows, count, o->requests[o->request_count / 2]};
  const Figure figures[] = {{write_restitution_data, write_restitution_script, &curves},
                            {write_force_data, write_force_script, &curves}};
  const char *const names[] = {"restitution.svg", "force.svg"};
  int status = EXIT_DONE;
  for (int i = 0; i < 2 && status == EXIT_DONE; i++) {
    char *path = checked_format("%s/%s", o->plot, names[i]);
    status = plot_draw(verb, path, &figures[i]);
    free(path);
  }
  return status;
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

static int write_outputs(const CompareOptions *o, const Row *rows, int count) {
  if (o->csv) {
    OutputFile file;
    if (!output_open(&file, verb, o->csv)) return EXIT_FAILED;
    write_csv(file.stream, rows, count);
    if (!output_commit(&file, verb)) return EXIT_FAILED;
  }
  if (o->json)
    print_json(o, rows, count);
  else if (!o->csv || strcmp(o->csv, "-") != 0)
    print_text(o, rows, count);
  return o->plot ? draw_figures(o, rows, count) : EXIT_DONE;
}

int verb_compare(int argc, char **argv) {
  static CompareOptions o;
  o = (CompareOptions){.collision = case_default(), .requests = {0.5}, .request_count = 1};
  const struct argp_child children[] = {{case_argp(SCOPE_COMPARE), 0, NULL, 0}, {0}};
  const struct argp argp = {own_options, parse, "[LAW...]", doc, children, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  if (o.json && o.csv && strcmp(o.csv, "-") == 0)
    return misuse(verb, "--json and --csv - exclude each other on standard output");
  if (!o.law_count) choose_all_laws(&o);
  if (o.plot && o.law_count > PLOT_STYLES)
    return misuse(verb, "--plot: name at most %d laws (%d are chosen): more cannot be told apart", PLOT_STYLES,
                  o.law_count);
  ScreeStatus status = check_settings(&o);
  if (status != SCREE_OK) return report(verb, status);
  int count = 0;
  Row *rows = run_rows(&o, &count);
  int code = write_outputs(&o, rows, count);
  free(rows);
  return code;
}
