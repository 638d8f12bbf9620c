/* show.c: `scree show`: one law or all, with the restitution they truly give; as Markdown it is the manual's chapter.
 */
#include "case.h"

#include "io/digits.h"
#include "law.h"
#include "output.h"
#include "result.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const char verb[] = "show";

enum { KEY_JSON = 256, KEY_MARKDOWN, KEY_ALL };

typedef struct ShowOptions {
  const char *law;
  bool all, json, markdown;
} ShowOptions;

static const struct argp_option own_options[] = {
    {"all", KEY_ALL, NULL, 0, "every law of the catalogue instead of one", 0},
    {"json", KEY_JSON, NULL, 0, "the same as JSON (with --all: an array)", 0},
    {"markdown", KEY_MARKDOWN, NULL, 0, "the same as Markdown", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
  ShowOptions *o = state->input;
  switch (key) {
  case KEY_JSON: o->json = true; return 0;
  case KEY_MARKDOWN: o->markdown = true; return 0;
  case KEY_ALL: o->all = true; return 0;
  case ARGP_KEY_ARG: return take_only_argument(state, argument, &o->law);
  case ARGP_KEY_END:
    if (!o->law && !o->all) refuse(state, "which law? scree show LAW (scree models lists them)");
    if (o->law && o->all) refuse(state, "--all and \"%s\" exclude each other", o->law);
    if (o->json && o->markdown) refuse(state, "--json and --markdown exclude each other");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] = "One law: formula, citation, parameters, validity, and the restitution it truly gives.\v"
                          "Examples:\n"
                          "  scree show hunt_crossley\n"
                          "  scree show cyl_johnson --json\n"
                          "  scree show --all --markdown";

/* ---- what is measured ------------------------------------------------------------------------------------------- */

/* One point of a law's curve: achieved restitution over the requested one, or over the speed, or a static force. */
typedef struct CurvePoint {
  double requested, speed;     /* NaN where not varied */
  double restitution, clamped; /* NaN where the collision could not run */
  double overlap, force;       /* line laws */
} CurvePoint;

#define CURVE_MAX 9

typedef struct Curve {
  enum { CURVE_NONE, CURVE_REQUESTED, CURVE_SPEED, CURVE_FORCE } kind;
  CaseResolved resolved;
  ScreePair pair; /* of the last collision that ran */
  CurvePoint points[CURVE_MAX];
  int count;
  ScreeParamId parameter; /* CURVE_SPEED: what was calibrated */
  double parameter_value;
  char reason[400]; /* CURVE_NONE: why */
} Curve;

static double achieved(ScreeImpactDef def, ScreeSeparation separation, ScreePair *pair) {
  ScreeImpactResult result;
  def.separation = separation;
  if (scree_impact_run(&def, &result) != SCREE_OK) return NAN;
  *pair = result.pair;
  return result.restitution;
}

static void add_point(Curve *curve, const ScreeImpactDef *def) {
  curve->points[curve->count++] = (CurvePoint){.requested = def->pair.restitution,
                                               .speed = def->pair.speed,
                                               .restitution = achieved(*def, SCREE_AT_OVERLAP, &curve->pair),
                                               .clamped = achieved(*def, SCREE_CLAMPED, &curve->pair)};
}

static void measure_requested(Curve *curve) {
  curve->kind = CURVE_REQUESTED;
  ScreeImpactDef def = curve->resolved.def;
  for (int i = 0; i < CURVE_MAX; i++) {
    def.pair.restitution = (i + 1) / 10.0;
    add_point(curve, &def);
  }
}

/* Calibrated to 0.5 at the default speed, then held. */
static void measure_speeds(Curve *curve) {
  static const double speeds[] = {0.003, 0.03, 0.3, 3};
  ScreeImpactDef def = curve->resolved.def;
  ScreeCalibration calibration;
  def.pair.restitution = 0.5;
  if (scree_impact_calibrate(&def, &calibration) != SCREE_OK) {
    snprintf(curve->reason, sizeof curve->reason, "%s", scree_last_error());
    return;
  }
  curve->kind = CURVE_SPEED;
  curve->parameter = calibration.parameter;
  curve->parameter_value = calibration.value;
  def.pair.restitution = NAN;
  def.pair.param[calibration.parameter] = calibration.value;
  for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
    def.pair.speed = speeds[i];
    add_point(curve, &def);
  }
}

static void measure_forces(Curve *curve, ScreeLawId law) {
  static const double overlaps[] = {1e-7, 1e-6, 5e-6, 1e-5, 5e-5};
  curve->kind = CURVE_FORCE;
  for (size_t i = 0; i < sizeof overlaps / sizeof *overlaps; i++) {
    ScreeLineResult line;
    if (scree_line_force(law, &curve->resolved.def.pair, overlaps[i], &line) != SCREE_OK) continue;
    curve->points[curve->count++] = (CurvePoint){.overlap = line.overlap, .force = line.force};
  }
}

static Curve measure(ScreeLawId law) {
  const ScreeLawInfo *info = scree_law_info(law);
  Curve curve = {.kind = CURVE_NONE};
  if (info->group == SCREE_TANGENTIAL) return curve;
  Case collision = case_default();
  if (case_resolve(&collision, law, SCREE_LAW_NONE, &curve.resolved) != SCREE_OK)
    snprintf(curve.reason, sizeof curve.reason, "%s", scree_last_error());
  else if (info->group == SCREE_LINE)
    measure_forces(&curve, law);
  else if (takes_restitution(info))
    measure_requested(&curve);
  else if (info->domain != SCREE_E_NONE)
    measure_speeds(&curve);
  return curve;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static json_t *shown_json(const ScreeLawInfo *info, const Curve *curve) {
  json_t *object = law_json(info);
  json_t *points = json_array();
  for (int i = 0; i < curve->count; i++) {
    const CurvePoint *p = &curve->points[i];
    json_t *point = json_object();
    if (curve->kind == CURVE_FORCE) {
      json_put(point, "overlap", p->overlap);
      json_put(point, "force", p->force);
    } else {
      if (curve->kind == CURVE_REQUESTED) json_put(point, "requested_restitution", p->requested);
      json_put(point, "speed", p->speed);
      json_put(point, "restitution", p->restitution);
      json_put(point, "restitution_clamped", p->clamped);
    }
    json_array_append_new(points, point);
  }
  json_object_set_new(object, "curve", points);
  if (curve->kind == CURVE_SPEED) {
    json_t *calibrated = json_object();
    json_put(calibrated, scree_param_name(curve->parameter), curve->parameter_value);
    json_object_set_new(object, "curve_parameter", calibrated);
  }
  return object;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void print_parameters(const ScreeLawInfo *info) {
  if (!info->param_count) return;
  puts("");
  Table *table = table_new("llrrrl");
  const char *const heading[] = {"parameter", "unit", "at least", "at most", "preset", "meaning"};
  for (size_t i = 0; i < sizeof heading / sizeof *heading; i++) table_cell(table, "%s", heading[i]);
  for (int i = 0; i < info->param_count; i++) {
    const ScreeParamInfo *p = &info->params[i];
    table_cell(table, "%s", p->name);
    table_cell(table, "%s", p->unit);
    table_number(table, p->low, 6);
    table_number(table, p->high, 6);
    table_number(table, p->preset, 6);
    table_cell(table, "%s", p->meaning);
  }
  table_print(table);
}

#define BAR_WIDTH 40

/* Achieved restitution as a bar from 0 to 1, the requested one marked. */
static void bar_text(double value, double mark, char bar[BAR_WIDTH + 2]) {
  memset(bar, ' ', BAR_WIDTH + 1);
  bar[BAR_WIDTH + 1] = '\0';
  int length = isnan(value) ? 0 : (int)lround(fmin(value, 1) * BAR_WIDTH);
  memset(bar, '=', (size_t)length);
  if (!isnan(mark)) bar[lround(mark * BAR_WIDTH)] = '|';
}

static void print_curve_table(const Curve *curve, bool over_speed) {
  Table *table = table_new("rrrl");
  table_cell(table, over_speed ? "speed [m/s]" : "requested e");
  table_cell(table, "achieved");
  table_cell(table, "achieved, clamp");
  table_cell(table, over_speed ? "0 to 1" : "0 to 1, | requested");
  for (int i = 0; i < curve->count; i++) {
    const CurvePoint *p = &curve->points[i];
    char bar[BAR_WIDTH + 2];
    bar_text(p->restitution, over_speed ? NAN : p->requested, bar);
    table_number(table, over_speed ? p->speed : p->requested, 4);
    table_cell(table, "%s", fixed_text(p->restitution, 4).text);
    table_cell(table, "%s", fixed_text(p->clamped, 4).text);
    table_cell(table, "%s", bar);
  }
  table_print(table);
}

static void print_forces(const Curve *curve) {
  case_print_bodies(&curve->resolved);
  const ScreePrefix prefix = scree_prefix(curve->points[curve->count - 1].overlap, "m");
  Table *table = table_new("rr");
  table_cell(table, "overlap [%s]", prefix.unit);
  table_cell(table, "force [N]");
  for (int i = 0; i < curve->count; i++) {
    table_number(table, curve->points[i].overlap * prefix.factor, 4);
    table_number(table, curve->points[i].force, 6);
  }
  table_print(table);
}

static void print_curve(ScreeLawId law, const Curve *curve) {
  puts("");
  switch (curve->kind) {
  case CURVE_REQUESTED:
    print_heading("true restitution");
    case_print(&curve->resolved, &curve->pair);
    print_curve_table(curve, false);
    break;
  case CURVE_SPEED:
    print_heading("true restitution over the speed");
    case_print(&curve->resolved, &curve->pair);
    printf("%s, calibrated to e = 0.5 at that speed\n",
           parameter_text(law, curve->parameter, curve->parameter_value, 6).text);
    print_curve_table(curve, true);
    break;
  case CURVE_FORCE: print_forces(curve); break;
  case CURVE_NONE:
    if (*curve->reason)
      printf("no sample curve: %s\n", curve->reason);
    else if (scree_law_info(law)->group != SCREE_TANGENTIAL)
      puts("true restitution: 1, whatever the speed");
    break;
  }
}

typedef struct RequestText {
  char text[100];
} RequestText;

/* The restitution a law accepts, and what it does with it. */
static RequestText request_text(const ScreeLawInfo *info) {
  RequestText t;
  bool calibrates = info->flags & SCREE_EMPIRICAL && info->param_count;
  snprintf(t.text, sizeof t.text, "%s%s%s", domain_text(info->domain), calibrates ? ", calibrates " : "",
           calibrates ? info->params[0].name : "");
  return t;
}

static void print_text(const ScreeLawInfo *info, const Curve *curve) {
  print_heading("%s", info->name);
  const int indent = 13;
  if (*info->aliases) print_wrapped("also", indent, info->aliases);
  print_wrapped("group", indent, scree_group_name(info->group));
  print_wrapped("formula", indent, info->formula);
  print_wrapped("reference", indent, info->reference);
  if (*info->limits) print_wrapped("validity", indent, info->limits);
  if (info->group != SCREE_TANGENTIAL) {
    print_wrapped("request", indent, request_text(info).text);
    print_wrapped("restitution", indent, restitution_text(info));
    print_wrapped("attraction", indent, info->flags & SCREE_ATTRACTIVE ? "at the end, unless clamped" : "none");
  }
  print_parameters(info);
  if (info->group != SCREE_TANGENTIAL) print_curve(info->law, curve);
}

/* ---- Markdown --------------------------------------------------------------------------------------------------- */

/* Text of a Markdown cell or paragraph: what would be read as markup is escaped. */
static void put_plain(const char *text) {
  for (; *text; text++) {
    if (strchr("|*_<>`", *text)) putchar('\\');
    putchar(*text);
  }
}

/* A fact about the law; nothing when it is empty. */
static void put_fact(const char *label, const char *text) {
  if (!*text) return;
  printf("- %s: ", label);
  put_plain(text);
  putchar('\n');
}

static void put_facts(const ScreeLawInfo *info) {
  put_fact("validity", info->limits);
  if (info->group != SCREE_TANGENTIAL) {
    put_fact("request", request_text(info).text);
    put_fact("restitution", info->flags & SCREE_DELIVERS_E
                                ? "delivered exactly when the contact ends as the law assumes"
                            : info->flags & SCREE_CONSTANT_E ? "the same at every speed"
                                                             : "depends on the impact speed");
    put_fact("attraction", info->flags & SCREE_ATTRACTIVE ? "at the end, unless clamped" : "none");
  }
  char memory[80];
  snprintf(memory, sizeof memory, "%s%s%.0d%s", info->flags & SCREE_USES_V0 ? "the impact speed" : "",
           info->flags & SCREE_USES_V0 && info->slots ? ", " : "", info->slots,
           info->slots ? info->slots == 1 ? " number" : " numbers" : "");
  put_fact("memory of a contact", *memory ? memory : "none");
  putchar('\n');
}

static void put_parameters(const ScreeLawInfo *info) {
  if (!info->param_count) return;
  puts("| parameter | unit | at least | at most | preset | meaning |\n|---|---|---:|---:|---:|---|");
  for (int i = 0; i < info->param_count; i++) {
    const ScreeParamInfo *p = &info->params[i];
    bool positive = p->low > 0 && p->low<1e-12, open = p->high> 1e11; /* guards, not limits of the law */
    printf("| `%s` | %s | %s |", p->name, p->unit, positive ? "> 0" : number_text(p->low, 6).text);
    printf(" %s |", open ? "-" : number_text(p->high, 6).text);
    printf(" %s | ", number_text(p->preset, 6).text);
    put_plain(p->meaning);
    puts(" |");
  }
  putchar('\n');
}

/* One row of a table that lies on its side. */
static void put_row(const char *label, const Curve *curve, size_t offset, int decimals) {
  printf("| %s |", label);
  for (int i = 0; i < curve->count; i++) {
    double value;
    memcpy(&value, (const char *)&curve->points[i] + offset, sizeof value);
    printf(" %s |", decimals ? fixed_text(value, decimals).text : number_text(value, 6).text);
  }
  putchar('\n');
}

static void put_curve(ScreeLawId law, const Curve *curve) {
  bool forces = curve->kind == CURVE_FORCE, speeds = curve->kind == CURVE_SPEED;
  if (curve->kind == CURVE_NONE) {
    if (*curve->reason) {
      fputs("No sample curve: ", stdout);
      put_plain(curve->reason);
      puts(".\n");
    }
    return;
  }
  if (speeds) {
    fputs("True restitution with ", stdout);
    put_plain(parameter_text(law, curve->parameter, curve->parameter_value, 6).text);
    puts(", calibrated to e = 0.5 at 0.3 m/s:\n");
  }
  size_t first = forces   ? offsetof(CurvePoint, overlap)
                 : speeds ? offsetof(CurvePoint, speed)
                          : offsetof(CurvePoint, requested);
  put_row(forces ? "overlap [m]" : speeds ? "speed [m/s]" : "requested e", curve, first, 0);
  fputs("|---|", stdout);
  for (int i = 0; i < curve->count; i++) fputs("---:|", stdout);
  putchar('\n');
  if (forces) {
    put_row("force [N]", curve, offsetof(CurvePoint, force), 0);
  } else {
    put_row("achieved e", curve, offsetof(CurvePoint, restitution), 4);
    put_row("achieved e, clamped", curve, offsetof(CurvePoint, clamped), 4);
  }
  putchar('\n');
}

static void print_markdown(const ScreeLawInfo *info, const Curve *curve) {
  printf("### %s\n\n```formula\n%s\n```\n\n", info->name, info->formula);
  put_plain(info->reference);
  if (*info->aliases) printf(". Also called `%s`", info->aliases);
  puts(".\n");
  put_facts(info);
  put_parameters(info);
  put_curve(info->law, curve);
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

static void show_text(const ShowOptions *o, ScreeLawId law) {
  Curve curve = measure(law);
  (o->markdown ? print_markdown : print_text)(scree_law_info(law), &curve);
}

static json_t *show_json(ScreeLawId law) {
  Curve curve = measure(law);
  return shown_json(scree_law_info(law), &curve);
}

static void show_all(const ShowOptions *o) {
  json_t *array = o->json ? json_array() : NULL;
  bool first = true;
  for (int group = 0; group < SCREE_GROUP_COUNT; group++) {
    if (o->markdown) printf("## Laws: %s\n\n", scree_group_name((ScreeGroup)group));
    for (int law = 0; law < SCREE_LAW_COUNT; law++) {
      if (scree_law_info((ScreeLawId)law)->group != (ScreeGroup)group) continue;
      if (o->json) {
        json_array_append_new(array, show_json((ScreeLawId)law));
        continue;
      }
      if (!first && !o->markdown) putchar('\n');
      show_text(o, (ScreeLawId)law);
      first = false;
    }
  }
  if (o->json) json_print(array);
}

int verb_show(int argc, char **argv) {
  ShowOptions o = {0};
  const struct argp argp = {own_options, parse, "LAW", doc, NULL, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  if (o.all) return show_all(&o), EXIT_DONE;
  ScreeLawId law = SCREE_LAW_NONE;
  ScreeStatus status = scree_law_find(o.law, &law);
  if (status != SCREE_OK) return report(verb, status);
  if (o.json)
    json_print(show_json(law));
  else
    show_text(&o, law);
  return EXIT_DONE;
}
