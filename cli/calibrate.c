/* calibrate.c: `scree calibrate`: the damping parameter that really delivers a restitution. */
#include "case.h"

#include "io/digits.h"
#include "output.h"
#include "result.h"

#include <math.h>

static const char verb[] = "calibrate";

enum { KEY_JSON = 256 };

typedef struct CalibrateOptions {
  const char *law;
  Case collision;
  bool json;
} CalibrateOptions;

static const struct argp_option own_options[] = {
    {NULL, 0, NULL, 0, "Output:", 5},
    {"json", KEY_JSON, NULL, 0, "results as JSON", 5},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
  CalibrateOptions *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &o->collision; return 0;
  case KEY_JSON: o->json = true; return 0;
  case ARGP_KEY_ARG: return take_only_argument(state, argument, &o->law);
  case ARGP_KEY_END:
    if (!o->law) refuse(state, "which law? scree calibrate LAW --restitution E");
    if (isnan(o->collision.restitution)) refuse(state, "--restitution is missing: give the one to deliver");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Finds the damping parameter with which a law delivers the restitution, for this collision and this separation "
    "rule.\v"
    "Examples:\n"
    "  scree calibrate hunt_crossley --restitution 0.5\n"
    "  scree calibrate tsuji --restitution 0.3 --separation clamp --json\n"
    "  scree calibrate kuwabara_kono --restitution 0.8 --stiffness 1e9 \\\n"
    "      --mass '5 g' --speed '1 m/s'";

static void print_json(ScreeLawId law, const CaseResolved *resolved, const ScreeCalibration *c, const ScreePair *pair) {
  json_t *object = json_object();
  json_object_set_new(object, "law", json_string(scree_law_info(law)->name));
  json_object_set_new(object, "parameter", json_string(c->name));
  json_object_set_new(object, "unit", json_string(c->unit));
  json_put(object, "value", c->value);
  json_put(object, "requested_restitution", resolved->def.pair.restitution);
  json_put(object, "restitution", c->restitution);
  json_put(object, "input_restitution", c->input_restitution);
  json_object_set_new(object, "damping", case_damping_json(pair));
  json_object_set_new(object, "separation", json_string(separation_name(resolved->def.separation)));
  json_object_set_new(object, "closed_form", json_boolean(c->closed_form));
  json_object_set_new(object, "impacts", json_integer(c->impacts));
  json_object_set_new(object, "case", case_json(resolved, pair));
  json_print(object);
}

static void print_answer(ScreeLawId law, const ScreeCalibration *c) {
  if (c->parameter == SCREE_PARAM_COUNT) {
    printf("the law has no damping parameter and delivers e = %.10g when %.10g is requested\n", c->restitution,
           c->value);
    return;
  }
  printf("%s delivers e = %.10g\n", parameter_text(law, c->parameter, c->value, 10).text, c->restitution);
  printf("use it: --set %s=%s\n", c->name, scree_digits(c->value).text);
  if (!isnan(c->input_restitution)) printf("the plain law delivers it when %.10g is requested\n", c->input_restitution);
}

static void print_text(ScreeLawId law, const CaseResolved *resolved, const ScreeCalibration *c, const ScreePair *pair) {
  const ScreeLawInfo *info = scree_law_info(law);
  print_heading("%s (%s)", info->name, info->reference);
  case_print(resolved, pair);
  case_print_damping(pair);
  printf("separation: %s\n\n", separation_name(resolved->def.separation));
  print_answer(law, c);
  if (c->closed_form)
    puts("found in closed form");
  else
    printf("found by %d integrated impacts\n", c->impacts);
  if (!(info->flags & SCREE_CONSTANT_E))
    puts("note: this law's restitution depends on the speed: the value holds for this one");
}

int verb_calibrate(int argc, char **argv) {
  CalibrateOptions o = {.collision = case_default()};
  const struct argp_child children[] = {{case_argp(SCOPE_CALIBRATE), 0, NULL, 0}, {0}};
  const struct argp argp = {own_options, parse, "LAW", doc, children, NULL, NULL};
  parse_options(&argp, argc, argv, &o);

  ScreeLawId law = SCREE_LAW_NONE;
  CaseResolved resolved;
  ScreeCalibration calibration;
  ScreeStatus status = scree_law_find(o.law, &law);
  if (status == SCREE_OK) status = case_check(&o.collision, law, SCREE_LAW_NONE);
  if (status == SCREE_OK) status = case_resolve(&o.collision, law, SCREE_LAW_NONE, &resolved);
  if (status == SCREE_OK) status = scree_impact_calibrate(&resolved.def, &calibration);
  if (status != SCREE_OK) return report(verb, status);

  /* the pair that the value makes, for the description of the case; a law that delivers e as it is has no parameter */
  ScreePairDef found = resolved.def.pair;
  if (calibration.parameter < SCREE_PARAM_COUNT) {
    found.param[calibration.parameter] = calibration.value;
    found.restitution = NAN;
  }
  ScreePair pair;
  status = scree_pair_prepare(law, &found, &pair);
  if (status != SCREE_OK) return report(verb, status);
  if (o.json)
    print_json(law, &resolved, &calibration, &pair);
  else
    print_text(law, &resolved, &calibration, &pair);
  return EXIT_DONE;
}
