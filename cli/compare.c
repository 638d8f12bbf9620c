/* compare.c: `scree compare`: many laws and restitutions, one row each; a law that cannot run says why in its row. */
#include "compare.h"

#include "core/status.h"
#include "figures_parts.h"
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char verb[] = "compare";

enum {
  KEY_JSON = 256,
  KEY_MARKDOWN,
  KEY_CSV,
  KEY_PLOT,
  KEY_FORMAT,
  KEY_FIGURE,
  KEY_RESTITUTION,
  KEY_SPEEDS,
  KEY_MASSES,
  KEY_REFERENCE,
  KEY_EACH,
  KEY_PUBLISHED,
  KEY_LINE
};

static const struct argp_option own_options[] = {
    {"restitution", KEY_RESTITUTION, "LIST", 0,
     "requested: one (0.5, default), a list (0.1,0.5) or a range (0:1:0.1 is low:high:step, 0.2:1 five values)", 1},
    {"speeds", KEY_SPEEDS, "LIST", 0,
     "impact speeds, a list or range (0.1:1:0.1 m/s; 0.2:4 is five, evenly in the logarithm)", 1},
    {"masses", KEY_MASSES, "LIST", 0, "effective masses, likewise (1,2,5 g)", 1},
    {"reference-speed", KEY_REFERENCE, "V", 0,
     "at which a law is calibrated to the requested restitution; its strength then holds for all speeds (default: the "
     "middle one of --speeds)",
     1},
    {"calibrate-each", KEY_EACH, NULL, 0, "calibrate at each speed anew", 1},
    {NULL, 0, NULL, 0, "Reviews:", 4},
    {"published", KEY_PUBLISHED, NULL, 0, "the restitutions printed in a review beside the exact ones", 4},
    {"line", KEY_LINE, NULL, 0,
     "cylinder contacts, elastic and damped by lankarani_nikravesh at 0.7, in the review's joint or a given one", 4},
    {NULL, 0, NULL, 0, "Output:", 5},
    {"json", KEY_JSON, NULL, 0, "results as JSON", 5},
    {"markdown", KEY_MARKDOWN, NULL, 0, "the table as Markdown", 5},
    {"csv", KEY_CSV, "FILE", 0, "write the table (- for standard output)", 5},
    {"plot", KEY_PLOT, "DIR", 0,
     "draw the figures into a folder, each with its script (.gp) and data (.csv); - draws in the terminal", 5},
    {"format", KEY_FORMAT, "KIND", 0, "of the figures: svg (default), png or pdf", 5},
    {"figure", KEY_FIGURE, "ID", 0, "draw this figure only (\"list\" lists them); may be repeated", 5},
    {0},
};

/* ---- options ---------------------------------------------------------------------------------------------------- */

static void add_law(CompareOptions *o, ScreeLawId law) {
  for (int i = 0; i < o->law_count; i++)
    if (o->laws[i] == law) return;
  o->laws[o->law_count++] = law;
}

static void take_law(struct argp_state *state, const char *name, CompareOptions *o) {
  ScreeLawId law = SCREE_LAW_NONE;
  if (scree_law_find(name, &law) != SCREE_OK) refuse(state, "%s", scree_last_error());
  if (scree_law_info(law)->group == SCREE_TANGENTIAL)
    refuse(state, "%s is a tangential law: it has no normal impact to compare", name);
  add_law(o, law);
  o->laws_named = true;
}

static void take_values(struct argp_state *state, const char *option, const char *text, const char *unit, Limits limits,
                        ValueList *out) {
  if (read_values(text, unit, limits, out) != SCREE_OK) refuse(state, "--%s: %s", option, scree_last_error());
}

static void take_format(struct argp_state *state, const char *text, CompareOptions *o) {
  static const char *const words[] = {"svg", "png", "pdf"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(text, words[i]) == 0) o->format = words[i];
  if (!o->format || strcmp(o->format, text) != 0)
    refuse(state, "--format: must be svg, png or pdf (got \"%.40s\")", text);
}

static _Noreturn void list_figures(void) {
  for (int i = 0; i < figure_count(); i++) printf("%-24s %s\n", figure_info(i)->id, figure_info(i)->title);
  exit(EXIT_DONE);
}

static void take_figure(struct argp_state *state, const char *id, CompareOptions *o) {
  if (strcmp(id, "list") == 0) list_figures();
  int figure = figure_find(id);
  if (figure < 0) refuse(state, "--figure: there is no \"%.40s\" (--figure list lists them)", id);
  if (o->figure_count < COMPARE_FIGURES_MAX) o->figures[o->figure_count++] = figure;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  static const Limits speeds = {0, 1e6, true}, masses = {0, 1e15, true}, unit_interval = {0, 1, false};
  CompareOptions *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &o->collision; return 0;
  case KEY_JSON: o->json = true; return 0;
  case KEY_MARKDOWN: o->markdown = true; return 0;
  case KEY_CSV: o->csv = argument; return 0;
  case KEY_PLOT: o->plot = argument; return 0;
  case KEY_FORMAT: take_format(state, argument, o); return 0;
  case KEY_FIGURE: take_figure(state, argument, o); return 0;
  case KEY_PUBLISHED: o->published = true; return 0;
  case KEY_LINE: o->line = true; return 0;
  case KEY_RESTITUTION: take_values(state, "restitution", argument, "1", unit_interval, &o->restitutions); return 0;
  case KEY_SPEEDS: take_values(state, "speeds", argument, "m/s", speeds, &o->speeds); return 0;
  case KEY_EACH: o->calibrate_each = true; return 0;
  case KEY_REFERENCE:
    if (read_quantity(argument, "m/s", speeds, &o->reference) != SCREE_OK)
      refuse(state, "--reference-speed: %s", scree_last_error());
    return 0;
  case KEY_MASSES: take_values(state, "masses", argument, "kg", masses, &o->masses); return 0;
  case ARGP_KEY_ARG: take_law(state, argument, o); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Laws side by side: requested and achieved restitution, peak force, overlap, duration, dissipation. Without names: "
    "the laws of the review's Table 2, then every other point, plastic and line law.\v"
    "--set reaches the laws that have the parameter. A law that cannot run says why in its row.\n\n"
    "Examples:\n"
    "  scree compare\n"
    "  scree compare hunt_crossley flores zhang_sharf --restitution 0.1:0.9:0.2\n"
    "  scree compare tsuji kuwabara_kono --speeds 0.01,0.1,1 --markdown\n"
    "  scree compare kuwabara_kono thornton --restitution 0.8 --speeds 0.1:10 \\\n"
    "      --reference-speed 1 --plot - --figure restitution_speed\n"
    "  scree compare --restitution 0.5 --csv table.csv\n"
    "  scree compare --published\n"
    "  scree compare --line --external --radius '10 mm' --radius2 '5 mm' \\\n"
    "      --length '20 mm' --young '210 GPa' --poisson 0.3\n"
    "  scree compare flores zhang_sharf --plot figures\n"
    "  scree compare --plot - --figure restitution";

static void choose_group(CompareOptions *o, ScreeGroup group) {
  for (int law = 0; law < SCREE_LAW_COUNT; law++)
    if (scree_law_info((ScreeLawId)law)->group == group) add_law(o, (ScreeLawId)law);
}

static void choose_laws(CompareOptions *o) {
  if (o->laws_named) return;
  if (!o->line) {
    for (int i = 0; i < compare_review_count(); i++) add_law(o, compare_review_law(i));
    choose_group(o, SCREE_POINT);
    choose_group(o, SCREE_PLASTIC);
  }
  choose_group(o, SCREE_LINE);
}

/* The review's two collisions of its joint: without damping, and damped. */
static void choose_line_case(CompareOptions *o) {
  const FigureSubject joint = figure_subject_default(FIGURES_LINE);
  if (!o->restitutions.count) o->restitutions = (ValueList){{1.0, joint.damped}, 2};
  if (o->collision.damping == SCREE_LAW_NONE) o->collision.damping = joint.collision.damping;
  const ScreePairDef pair = scree_pair_def_joint();
  Case *c = &o->collision;
  bool mass_given = !isnan(c->mass) || !isnan(c->material[0].density) || !isnan(c->material[1].density);
  mass_given = mass_given || o->masses.count;
  bool speed_given = !isnan(c->speed) || o->speeds.count;
  c->assumed_mass = speed_given && !mass_given; /* where neither is given, both are the case's own defaults */
  c->assumed_speed = mass_given && !speed_given;
  if (c->assumed_mass) c->mass = pair.mass;
  if (c->assumed_speed) c->speed = pair.speed;
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

/* The printed table is about the review's own collision: every option that describes another is refused. */
static ScreeStatus check_published(const CompareOptions *o) {
  if (o->line || o->laws_named || o->plot)
    return scree_fail(SCREE_INVALID, "--published is a table of its own: it takes no laws, no --line and no --plot");
  const char *given = o->restitutions.count  ? "restitution"
                      : o->speeds.count      ? "speeds"
                      : o->masses.count      ? "masses"
                      : !isnan(o->reference) ? "reference-speed"
                      : o->calibrate_each    ? "calibrate-each"
                                             : o->collision.given;
  if (given)
    return scree_fail(SCREE_INVALID, "--published is about the review's own collisions: it takes no --%s", given);
  return SCREE_OK;
}

static ScreeStatus check_options(const CompareOptions *o) {
  bool csv_first = o->csv && strcmp(o->csv, "-") == 0, drawing = o->plot && strcmp(o->plot, "-") == 0;
  if (o->json && csv_first)
    return scree_fail(SCREE_INVALID, "--json and --csv - exclude each other on standard output");
  if (o->markdown && (o->json || csv_first))
    return scree_fail(SCREE_INVALID, "--markdown and %s exclude each other on standard output",
                      o->json ? "--json" : "--csv -");
  if (drawing && (o->json || o->markdown || csv_first))
    return scree_fail(SCREE_INVALID, "--plot - draws on standard output: it excludes --json, --markdown and --csv -");
  if (o->published) SCREE_TRY(check_published(o));
  if (o->calibrate_each && !isnan(o->reference))
    return scree_fail(SCREE_INVALID, "--reference-speed and --calibrate-each exclude each other");
  if (o->speeds.count && !isnan(o->collision.speed))
    return scree_fail(SCREE_INVALID, "--speed and --speeds exclude each other");
  if (o->masses.count && !isnan(o->collision.mass))
    return scree_fail(SCREE_INVALID, "--mass and --masses exclude each other");
  if ((o->format || o->figure_count) && !o->plot)
    return scree_fail(SCREE_MISSING, "--%s needs --plot DIR", o->format ? "format" : "figure");
  for (int i = 0; o->line && i < o->law_count; i++)
    if (scree_law_info(o->laws[i])->group != SCREE_LINE)
      return scree_fail(SCREE_INVALID, "--line: %s is not a cylinder law (scree models --group line lists them)",
                        scree_law_info(o->laws[i])->name);
  return SCREE_OK;
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

/* Named laws are drawn; without names the review's, and the exact solution. */
static bool wants_figure(const CompareOptions *o, int i) {
  FigureSet set = figure_set(i);
  if (o->figure_count) {
    for (int k = 0; k < o->figure_count; k++)
      if (o->figures[k] == i) return true;
    return false;
  }
  if (o->line) return set == FIGURES_LINE;
  return !o->laws_named || set == FIGURES_POINT || set == FIGURES_SPEED;
}

/* The swept speed that a figure shows: the one nearest to where laws are calibrated, which is one of them by default.
 */
static double nearest_speed(const CompareOptions *o) {
  double nearest = o->speeds.values[0];
  for (int i = 1; i < o->speeds.count && !isnan(o->reference); i++)
    if (fabs(log(o->speeds.values[i] / o->reference)) < fabs(log(nearest / o->reference)))
      nearest = o->speeds.values[i];
  return nearest;
}

static void __attribute__((format(printf, 2, 3))) add_shown(FigureSubject *subject, const char *format, ...) {
  size_t length = strlen(subject->shown);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(subject->shown + length, sizeof subject->shown - length, format, arguments);
  va_end(arguments);
}

/* "at 0.3 m/s (one of 3 speeds), 2 kg (one of 2 masses)" */
static void say_shown(const CompareOptions *o, FigureSet set, FigureSubject *subject) {
  int requests = o->restitutions.count;
  if (set == FIGURES_SPEED) {
    add_shown(subject, "for e = %.4g", subject->requested);
    if (!isnan(o->reference)) add_shown(subject, " at %.4g m/s", o->reference);
    if (requests > 1) add_shown(subject, " (one of %d requested)", requests);
  } else if (o->speeds.count > 1) {
    add_shown(subject, "at %.4g m/s (one of %d speeds)", subject->speed, o->speeds.count);
  }
  if (o->masses.count > 1)
    add_shown(subject, "%s%.4g kg (one of %d masses)", *subject->shown ? ", " : "at ", subject->mass, o->masses.count);
}

/* The subject of a figure under these options. Exact figures and those of another kind of contact keep theirs. */
static FigureSubject subject_of(const CompareOptions *o, FigureSet set) {
  FigureSubject subject = figure_subject_default(set);
  if (set == FIGURES_EXACT || (set == FIGURES_LINE) != o->line) return subject;
  if (o->laws_named) {
    subject.laws = o->laws;
    subject.law_count = o->law_count;
  }
  if (o->line) subject.damped = o->restitutions.values[o->restitutions.count - 1];
  subject.collision = o->collision;
  subject.reference = o->reference;
  if (o->speeds.count) subject.speed = nearest_speed(o);
  if (o->masses.count) subject.mass = o->masses.values[0];
  subject.requested = o->restitutions.values[o->restitutions.count / 2];
  subject.speeds = values_span(&o->speeds);
  say_shown(o, set, &subject);
  return subject;
}

static int draw_in_terminal(const CompareOptions *o) {
  int status = EXIT_DONE;
  for (int i = 0; i < figure_count() && status == EXIT_DONE; i++) {
    if (!wants_figure(o, i)) continue;
    FigureSubject subject = subject_of(o, figure_set(i));
    if (figure_applies(i, &subject)) status = figure_draw_about(verb, i, "-", &subject);
  }
  return status;
}

static int draw_in_folder(const CompareOptions *o) {
  if (mkdir(o->plot, 0777) != 0 && errno != EEXIST)
    return failure(verb, "cannot make the folder %s: %s", o->plot, strerror(errno));
  const char *names[COMPARE_FIGURES_MAX];
  int count = 0;
  for (int i = 0; i < figure_count(); i++) {
    if (!wants_figure(o, i)) continue;
    FigureSubject subject = subject_of(o, figure_set(i));
    if (!figure_applies(i, &subject)) continue;
    char *path = checked_format("%s/%s.%s", o->plot, figure_info(i)->id, o->format ? o->format : "svg");
    bool written = figure_write_about(verb, i, path, &subject);
    free(path);
    if (!written) return EXIT_FAILED;
    names[count++] = figure_info(i)->id;
  }
  return count ? plot_run(verb, o->plot, names, count) : EXIT_DONE;
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

static bool any_ran(const CompareRow *rows, int count) {
  for (int i = 0; i < count; i++)
    if (rows[i].ran) return true;
  return false;
}

/* A case that no law can run is refused with the first reason; a drawing in the terminal has no table. */
static int run_rows(const CompareOptions *o, bool write) {
  CompareRow *rows = NULL;
  int count = 0;
  ScreeStatus status = compare_run(o, &rows, &count);
  if (status != SCREE_OK) return report(verb, status);
  int code = EXIT_DONE;
  if (!any_ran(rows, count))
    code = misuse(verb, "%s", rows[0].note);
  else if (write)
    code = compare_write(o, rows, count);
  free(rows);
  return code;
}

int verb_compare(int argc, char **argv) {
  static CompareOptions o;
  o = (CompareOptions){.collision = case_default(), .reference = NAN};
  const struct argp_child children[] = {{case_argp(SCOPE_COMPARE), 0, NULL, 0}, {0}};
  const struct argp argp = {own_options, parse, "[LAW...]", doc, children, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  ScreeStatus status = check_options(&o);
  if (status != SCREE_OK) return report(verb, status);
  if (o.published) return compare_published(&o);
  if (o.line) choose_line_case(&o);
  if (!o.restitutions.count) o.restitutions = (ValueList){{0.5}, 1};
  if (o.speeds.count && isnan(o.reference) && !o.calibrate_each) o.reference = values_middle(&o.speeds);
  choose_laws(&o);
  if (o.plot && o.laws_named && o.law_count > PLOT_STYLES)
    return misuse(verb, "--plot: name at most %d laws (%d are chosen): more cannot be told apart", PLOT_STYLES,
                  o.law_count);
  status = compare_check_settings(&o.collision, o.laws, o.law_count);
  if (status != SCREE_OK) return report(verb, status);
  bool terminal = o.plot && strcmp(o.plot, "-") == 0;
  int code = run_rows(&o, !terminal);
  if (code != EXIT_DONE || !o.plot) return code;
  return terminal ? draw_in_terminal(&o) : draw_in_folder(&o);
}
