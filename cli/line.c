/* line.c: `scree line`: the static force or overlap of a cylinder contact (MODELS.md 8). */
#include "case.h"

#include "io/digits.h"
#include "output.h"

#include <math.h>

static const char verb[] = "line";

enum { KEY_JSON = 256, KEY_OVERLAP, KEY_FORCE };

typedef struct LineOptions {
  const char *law;
  Case collision;
  double overlap, force;
  bool json;
} LineOptions;

static const struct argp_option own_options[] = {
    {NULL, 0, NULL, 0, "State:", 1},
    {"overlap", KEY_OVERLAP, "D", 0, "overlap [m]: asks for the force", 1},
    {"force", KEY_FORCE, "F", 0, "force [N]: asks for the overlap", 1},
    {NULL, 0, NULL, 0, "Output:", 5},
    {"json", KEY_JSON, NULL, 0, "results as JSON", 5},
    {0},
};

static void take_number(struct argp_state *state, const char *option, const char *text, const char *unit,
                        double *value) {
  if (read_quantity(text, unit, (Limits){0, 1e15, true}, value) != SCREE_OK)
    refuse(state, "--%s: %s", option, scree_last_error());
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  LineOptions *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &o->collision; return 0;
  case KEY_JSON: o->json = true; return 0;
  case KEY_OVERLAP: take_number(state, "overlap", argument, "m", &o->overlap); return 0;
  case KEY_FORCE: take_number(state, "force", argument, "N", &o->force); return 0;
  case ARGP_KEY_ARG: return take_only_argument(state, argument, &o->law);
  case ARGP_KEY_END:
    if (!o->law) refuse(state, "which law? scree line LAW (scree models --group line lists them)");
    if (isnan(o->overlap) == isnan(o->force)) refuse(state, "give either --overlap or --force");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Force of a cylinder contact at an overlap, or the overlap that carries a force.\v"
    "Without bodies: the review's Table 5 joint, a 9.5 mm steel pin in a 10 mm hole, 15 mm long.\n\n"
    "Examples:\n"
    "  scree line cyl_johnson --overlap '1 um'\n"
    "  scree line cyl_esdu_78035 --force '2 kN' --json\n"
    "  scree line cyl_johnson --overlap '2 um' --external --radius '10 mm' \\\n"
    "      --radius2 '10 mm' --length '20 mm' --young '210 GPa' --poisson 0.3\n"
    "  scree line cyl_goldsmith --overlap '1 um' --variant printed";

static void print_json(ScreeLawId law, const LineOptions *o, const ScreePairDef *def, const ScreeLineResult *result) {
  json_t *object = json_object();
  json_object_set_new(object, "law", json_string(scree_law_info(law)->name));
  json_put(object, "overlap", result->overlap);
  json_put(object, "force", result->force);
  json_put(object, "force_per_length", result->force_per_length);
  json_put(object, "stiffness", result->stiffness);
  json_put(object, "overlap_limit", result->overlap_limit);
  json_put(object, "energy", result->energy);
  json_object_set_new(object, "variant", json_string(o->collision.variant ? o->collision.variant : "recommended"));
  json_object_set_new(object, "geometry", json_string(geometry_name(def->geometry)));
  json_print(object);
}

static void print_text(ScreeLawId law, const CaseResolved *resolved, const ScreeLineResult *result) {
  const ScreeLawInfo *info = scree_law_info(law);
  print_heading("%s (%s)", info->name, info->reference);
  print_wrapped("", 0, info->formula);
  case_print_bodies(resolved);
  const struct {
    const char *label, *unit;
    double value;
  } rows[] = {{"overlap", "m", result->overlap},
              {"force", "N", result->force},
              {"force per length", "N/m", result->force_per_length},
              {"stiffness dF/dd", "N/m", result->stiffness},
              {"elastic energy", "J", result->energy},
              {"overlap limit", "m", result->overlap_limit}};
  putchar('\n');
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    printf("%-18s %s\n", rows[i].label, scree_quantity(rows[i].value, rows[i].unit, 10).text);
}

int verb_line(int argc, char **argv) {
  LineOptions o = {.collision = case_default(), .overlap = NAN, .force = NAN};
  const struct argp_child children[] = {{case_argp(SCOPE_LINE), 0, NULL, 0}, {0}};
  const struct argp argp = {own_options, parse, "LAW", doc, children, NULL, NULL};
  parse_options(&argp, argc, argv, &o);

  ScreeLawId law = SCREE_LAW_NONE;
  ScreeStatus status = scree_law_find(o.law, &law);
  if (status != SCREE_OK) return report(verb, status);
  if (scree_law_info(law)->group != SCREE_LINE)
    return misuse(verb, "%s is not a cylinder law (scree models --group line lists them)", o.law);
  CaseResolved resolved;
  ScreeLineResult result;
  status = case_resolve(&o.collision, law, SCREE_LAW_NONE, &resolved);
  if (status != SCREE_OK) return report(verb, status);
  const ScreePairDef *pair = &resolved.def.pair;
  status = isnan(o.force) ? scree_line_force(law, pair, o.overlap, &result)
                          : scree_line_overlap(law, pair, o.force, &result);
  if (status != SCREE_OK) return report(verb, status);
  if (o.json)
    print_json(law, &o, pair, &result);
  else
    print_text(law, &resolved, &result);
  return EXIT_DONE;
}
