/* exact.c: `scree exact`: closed forms of the power-law oscillator (MODELS.md 5). */
#include "case.h"

#include "io/digits.h"
#include "output.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const char verb[] = "exact";

enum { KEY_JSON = 256, KEY_ALPHA };

typedef struct ExactOptions {
  Case collision;
  double alpha;
  bool json;
} ExactOptions;

static const struct argp_option own_options[] = {
    {"alpha", KEY_ALPHA, "A", 0, "damping strength, instead of --restitution", 1},
    {NULL, 0, NULL, 0, "Output:", 5},
    {"json", KEY_JSON, NULL, 0, "results as JSON", 5},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
  ExactOptions *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &o->collision; return 0;
  case KEY_JSON: o->json = true; return 0;
  case KEY_ALPHA:
    if (read_quantity(argument, "1", (Limits){0, 1e6, false}, &o->alpha) != SCREE_OK)
      refuse(state, "--alpha: %s", scree_last_error());
    return 0;
  case ARGP_KEY_ARG: refuse(state, "takes no argument (got \"%s\")", argument); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Closed forms of m d'' = -K d^p - alpha sqrt(m K) d^((p-1)/2) d', the generalised Tsuji law: p = 1 is the linear "
    "dashpot, p = 3/2 Tsuji's law on Hertz contact.\v"
    "Examples:\n"
    "  scree exact --restitution 0.5\n"
    "  scree exact --exponent 1 --alpha 0.4 --mass '1 kg' --stiffness '1 kN/mm' \\\n"
    "      --speed '1 m/s' --json";

#define FIELD(member, label, unit)                                                                                     \
  { #member, label, unit, offsetof(ScreeExact, member) }

static const struct {
  const char *key, *label, *unit;
  size_t offset;
} fields[] = {
    FIELD(exponent, "exponent p", ""),
    FIELD(restitution, "restitution", ""),
    FIELD(alpha, "alpha", ""),
    FIELD(alpha_effective, "alpha effective (damping ratio)", ""),
    FIELD(max_overlap, "maximum overlap", "m"),
    FIELD(duration, "duration", "s"),
    FIELD(duration_elastic, "duration without damping", "s"),
    FIELD(duration_ratio, "ratio of the two", ""),
    FIELD(energy_dissipated_loading, "dissipated loading", "J"),
    FIELD(energy_dissipated_unloading, "dissipated unloading", "J"),
    FIELD(restitution_clamped, "restitution, force kept >= 0", ""),
    FIELD(timestep_transformed, "time step, transformed estimate", "s"),
    FIELD(timestep_tangent, "time step, tangent limit", "s"),
    FIELD(max_force, "maximum force", "N"),
    FIELD(loading_time, "loading time", "s"),
    FIELD(duration_zero_force, "time until F = 0", "s"),
    FIELD(overlap_zero_force, "overlap at F = 0", "m"),
    FIELD(energy_initial, "initial energy", "J"),
    FIELD(energy_dissipated_unloading_zero_force, "dissipated unloading until F = 0", "J"),
};
#define FIELD_COUNT (sizeof fields / sizeof *fields)

static double value_of(size_t i, const ScreeExact *exact) {
  double value;
  memcpy(&value, (const char *)exact + fields[i].offset, sizeof value);
  return value;
}

static void print_json(const ScreeExact *exact, bool is_default) {
  json_t *object = json_object();
  for (size_t i = 0; i < FIELD_COUNT; i++) json_put(object, fields[i].key, value_of(i, exact));
  json_t *numbers = json_object();
  json_put(numbers, "speed", exact->speed);
  json_put(numbers, "mass", exact->mass);
  json_put(numbers, "stiffness", exact->stiffness);
  json_put(numbers, "exponent", exact->exponent);
  json_object_set_new(numbers, "default", json_boolean(is_default));
  json_object_set_new(object, "case", numbers);
  json_print(object);
}

/* All lengths of the table have one prefix, and all times: they are compared. */
static ScreePrefix table_prefix(const ScreeExact *exact, const char *unit) {
  double values[FIELD_COUNT];
  size_t count = 0;
  for (size_t i = 0; i < FIELD_COUNT; i++)
    if (strcmp(fields[i].unit, unit) == 0) values[count++] = value_of(i, exact);
  return scree_prefix_of_all(values, count, unit);
}

static void print_text(const ScreeExact *exact, bool is_default) {
  printf("case: mass %.8g kg, stiffness %.8g %s, speed %.8g m/s%s\n\n", exact->mass, exact->stiffness,
         stiffness_unit(exact->exponent).text, exact->speed, is_default ? " (default)" : "");
  Table *table = table_new("lll");
  table_cell(table, "%s", "");
  table_cell(table, "closed form");
  table_cell(table, "%s", "");
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    double value = value_of(i, exact);
    const ScreePrefix prefix = table_prefix(exact, fields[i].unit);
    table_cell(table, "%s", fields[i].label);
    table_number(table, value * prefix.factor, 10);
    table_cell(table, "%s", isfinite(value) ? prefix.unit : "");
  }
  table_print(table);
  if (isinf(exact->duration)) puts("note: overdamped: the overlap never returns to zero");
}

int verb_exact(int argc, char **argv) {
  ExactOptions o = {.collision = case_default(), .alpha = NAN};
  const struct argp_child children[] = {{case_argp(SCOPE_EXACT), 0, NULL, 0}, {0}};
  const struct argp argp = {own_options, parse, NULL, doc, children, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  bool has_restitution = !isnan(o.collision.restitution), has_alpha = !isnan(o.alpha);
  if (has_restitution && has_alpha) return misuse(verb, "--restitution and --alpha exclude each other");
  if (!has_restitution && !has_alpha) return misuse(verb, "--restitution is missing: give it, or --alpha");

  ScreeExactDef def = scree_exact_def_default();
  if (!isnan(o.collision.exponent)) def.exponent = o.collision.exponent;
  def.restitution = o.collision.restitution;
  def.alpha = o.alpha;
  bool is_default = false;
  ScreeStatus status = case_numbers(&o.collision, def.exponent, &def.stiffness, &def.mass, &def.speed, &is_default);
  ScreeExact exact;
  if (status == SCREE_OK) status = scree_exact_solve(&def, &exact);
  if (status != SCREE_OK) return report(verb, status);
  if (o.json)
    print_json(&exact, is_default);
  else
    print_text(&exact, is_default);
  return EXIT_DONE;
}
