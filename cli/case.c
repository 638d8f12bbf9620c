/* case.c: the one table of options that describe a collision, and how a case is shown. */
#include "case.h"

#include "core/status.h"
#include "io/digits.h"
#include "io/units.h"
#include "output.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ------------------------------------------------------------------------------------------------------ */

static const char *const separation_words[] = {
    [SCREE_AT_OVERLAP] = "overlap", [SCREE_AT_FORCE] = "force", [SCREE_CLAMPED] = "clamp", NULL};

static const char *const geometry_words[] = {[SCREE_NO_GEOMETRY] = "none",
                                             [SCREE_SPHERE_SPHERE] = "sphere-sphere",
                                             [SCREE_SPHERE_PLANE] = "sphere-plane",
                                             [SCREE_SPHERE_IN_SPHERE] = "sphere-in-sphere",
                                             [SCREE_PLANE_PLANE] = "plane-plane",
                                             [SCREE_CYLINDER_INTERNAL] = "cylinder-internal",
                                             [SCREE_CYLINDER_EXTERNAL] = "cylinder-external",
                                             NULL};

const char *separation_name(ScreeSeparation separation) { return separation_words[separation]; }
const char *geometry_name(ScreeGeometry geometry) { return geometry_words[geometry]; }

static int word_index(const char *const *words, const char *text) {
  for (int i = 0; words[i]; i++)
    if (strcmp(words[i], text) == 0) return i;
  return -1;
}

StiffnessUnit stiffness_unit(double exponent) {
  StiffnessUnit unit;
  if (isnan(exponent))
    snprintf(unit.text, sizeof unit.text, "N/m^n");
  else if (exponent == 1)
    snprintf(unit.text, sizeof unit.text, "N/m");
  else
    snprintf(unit.text, sizeof unit.text, "N/m^%.6g", exponent);
  return unit;
}

/* ---- one option ------------------------------------------------------------------------------------------------- */

typedef struct CaseOption CaseOption;
typedef ScreeStatus Take(const CaseOption *option, const char *text, Case *c);
static Take take_quantity, take_stiffness, take_separation, take_geometry, take_law, take_text, take_flag, take_setting;

struct CaseOption {
  const char *name, *argument, *help;
  int group;
  unsigned scope;
  Take *take;
  size_t destination; /* offset in Case */
  const char *unit;
  Limits limits;
};

enum { GROUP_COLLISION = 1, GROUP_BODIES, GROUP_LAW };

static const char *const group_titles[] = {[GROUP_COLLISION] = "Collision (none given: 4.6 kg, 5.2e9 N/m^n, 0.3 m/s):",
                                           [GROUP_BODIES] = "Bodies, instead of stiffness and mass:",
                                           [GROUP_LAW] = "Law:"};

#define IN_CASE(member) offsetof(Case, member)
#define ALL_IMPACTS (SCOPE_IMPACT | SCOPE_CALIBRATE | SCOPE_COMPARE)
#define POSITIVE(limit)                                                                                                \
  { 0, limit, true }

#define FROM_ZERO_TO_ONE                                                                                               \
  { 0, 1, false }
#define POISSON                                                                                                        \
  { -1, 0.5, true }
#define NO_LIMITS                                                                                                      \
  { 0, 0, false }

static const CaseOption options[] = {
    {"restitution", "E", "requested restitution", GROUP_COLLISION, SCOPE_IMPACT | SCOPE_CALIBRATE | SCOPE_EXACT,
     take_quantity, IN_CASE(restitution), "1", FROM_ZERO_TO_ONE},
    {"speed", "V", "impact speed [m/s]", GROUP_COLLISION, ALL_IMPACTS | SCOPE_EXACT, take_quantity, IN_CASE(speed),
     "m/s", POSITIVE(1e6)},
    {"mass", "M", "effective mass m1 m2/(m1 + m2) [kg]", GROUP_COLLISION, ALL_IMPACTS | SCOPE_EXACT, take_quantity,
     IN_CASE(mass), "kg", POSITIVE(1e15)},
    {"stiffness", "K", "stiffness [N/m^n], n the elastic exponent", GROUP_COLLISION, ALL_IMPACTS | SCOPE_EXACT,
     take_stiffness, IN_CASE(stiffness), NULL, STIFFNESS_LIMITS},
    {"separation", "RULE",
     "when contact ends: overlap (d = 0, default), force (F = 0) or clamp (F kept >= 0 until d = 0)", GROUP_COLLISION,
     ALL_IMPACTS, take_separation, IN_CASE(separation), NULL, NO_LIMITS},
    {"geometry", "SHAPE", "sphere-plane (one radius), sphere-sphere (two radii), sphere-in-sphere or plane-plane",
     GROUP_BODIES, ALL_IMPACTS, take_geometry, IN_CASE(geometry), NULL, NO_LIMITS},
    {"radius", "R", "radius of body 1 (hollow or hole where there is one) [m]", GROUP_BODIES, ALL_IMPACTS | SCOPE_LINE,
     take_quantity, IN_CASE(radius[0]), "m", POSITIVE(1e6)},
    {"radius2", "R", "radius of body 2 (ball or pin in it) [m]", GROUP_BODIES, ALL_IMPACTS | SCOPE_LINE, take_quantity,
     IN_CASE(radius[1]), "m", POSITIVE(1e6)},
    {"half-width", "A", "half the side of a square patch, plane-plane [m]", GROUP_BODIES, ALL_IMPACTS, take_quantity,
     IN_CASE(half_width), "m", POSITIVE(1e6)},
    {"length", "L", "length of a cylinder contact [m]", GROUP_BODIES, ALL_IMPACTS | SCOPE_LINE, take_quantity,
     IN_CASE(length), "m", POSITIVE(1e6)},
    {"young", "E", "Young's modulus of body 1 [Pa]", GROUP_BODIES, ALL_IMPACTS | SCOPE_LINE, take_quantity,
     IN_CASE(material[0].young), "Pa", POSITIVE(1e15)},
    {"poisson", "NU", "Poisson's ratio of body 1", GROUP_BODIES, ALL_IMPACTS | SCOPE_LINE, take_quantity,
     IN_CASE(material[0].poisson), "1", POISSON},
    {"density", "RHO", "density of body 1 [kg/m3]; gives the mass", GROUP_BODIES, ALL_IMPACTS, take_quantity,
     IN_CASE(material[0].density), "kg/m3", POSITIVE(1e6)},
    {"young2", "E", "Young's modulus of body 2 (default: as body 1)", GROUP_BODIES, ALL_IMPACTS | SCOPE_LINE,
     take_quantity, IN_CASE(material[1].young), "Pa", POSITIVE(1e15)},
    {"poisson2", "NU", "Poisson's ratio of body 2 (default: as body 1)", GROUP_BODIES, ALL_IMPACTS | SCOPE_LINE,
     take_quantity, IN_CASE(material[1].poisson), "1", POISSON},
    {"density2", "RHO", "density of body 2 (default: as body 1)", GROUP_BODIES, ALL_IMPACTS, take_quantity,
     IN_CASE(material[1].density), "kg/m3", POSITIVE(1e6)},
    {"internal", NULL, "cylinders: a pin in a hole (default)", GROUP_BODIES, ALL_IMPACTS | SCOPE_LINE, take_flag,
     IN_CASE(internal), NULL, NO_LIMITS},
    {"external", NULL, "cylinders: side by side", GROUP_BODIES, ALL_IMPACTS | SCOPE_LINE, take_flag, IN_CASE(external),
     NULL, NO_LIMITS},
    {"exponent",
     "N",
     "elastic exponent, where the law leaves it free",
     GROUP_LAW,
     ALL_IMPACTS | SCOPE_EXACT | SCOPE_LINE,
     take_quantity,
     IN_CASE(exponent),
     "1",
     {1, 10, false}},
    {"set", "NAME=VALUE", "a parameter of the law (scree show LAW lists them); may be repeated", GROUP_LAW, ALL_IMPACTS,
     take_setting, 0, NULL, NO_LIMITS},
    {"damping", "LAW", "line laws and luo_nahon: the law whose factor damps", GROUP_LAW, ALL_IMPACTS, take_law,
     IN_CASE(damping), NULL, NO_LIMITS},
    {"elastic", "LAW", "luo_nahon: the elastic law under it", GROUP_LAW, ALL_IMPACTS, take_law, IN_CASE(elastic), NULL,
     NO_LIMITS},
    {"variant", "NAME", "line laws: recommended (default), printed or the law's own", GROUP_LAW,
     ALL_IMPACTS | SCOPE_LINE, take_text, IN_CASE(variant), NULL, NO_LIMITS},
    {"calibrated", NULL, "use the damping parameter that delivers the requested restitution", GROUP_LAW,
     SCOPE_IMPACT | SCOPE_COMPARE, take_flag, IN_CASE(calibrated), NULL, NO_LIMITS},
};
#define OPTION_COUNT (sizeof options / sizeof *options)

static ScreeStatus check_limits(double value, const char *unit, Limits limits) {
  const char *space = strcmp(unit, "1") == 0 ? "" : " ", *shown = *space ? unit : "";
  bool too_low = limits.low_open ? !(value > limits.low) : !(value >= limits.low);
  if (too_low)
    return scree_fail(SCREE_INVALID, "must be %s %.10g%s%s (got %.10g)", limits.low_open ? ">" : ">=", limits.low,
                      space, shown, value);
  if (value > limits.high)
    return scree_fail(SCREE_INVALID, "must be <= %.10g%s%s (got %.10g)", limits.high, space, shown, value);
  return SCREE_OK;
}

ScreeStatus read_quantity(const char *text, const char *unit, Limits limits, double *value) {
  double number = 0;
  SCREE_TRY(scree_parse_quantity(text, unit, &number));
  SCREE_TRY(check_limits(number, unit, limits));
  *value = number;
  return SCREE_OK;
}

static void *destination(const CaseOption *option, Case *c) { return (char *)c + option->destination; }

static ScreeStatus take_quantity(const CaseOption *option, const char *text, Case *c) {
  return read_quantity(text, option->unit, option->limits, destination(option, c));
}

static ScreeStatus take_text(const CaseOption *option, const char *text, Case *c) {
  *(const char **)destination(option, c) = text;
  return SCREE_OK;
}

/* The unit waits for the exponent; a plain number is checked at once. */
static ScreeStatus take_stiffness(const CaseOption *option, const char *text, Case *c) {
  double number = 0;
  if (scree_parse_number(text, &number) == SCREE_OK) SCREE_TRY(check_limits(number, "N/m^n", option->limits));
  return take_text(option, text, c);
}

static ScreeStatus take_flag(const CaseOption *option, const char *text, Case *c) {
  (void)text;
  *(bool *)destination(option, c) = true;
  return SCREE_OK;
}

static ScreeStatus take_law(const CaseOption *option, const char *text, Case *c) {
  return scree_law_find(text, destination(option, c));
}

static ScreeStatus take_separation(const CaseOption *option, const char *text, Case *c) {
  (void)option;
  int index = word_index(separation_words, text);
  if (index < 0) return scree_fail(SCREE_INVALID, "must be overlap, force or clamp (got \"%.40s\")", text);
  c->separation = (ScreeSeparation)index;
  return SCREE_OK;
}

static ScreeStatus take_geometry(const CaseOption *option, const char *text, Case *c) {
  (void)option;
  int index = word_index(geometry_words, text);
  if (index < SCREE_SPHERE_SPHERE || index > SCREE_PLANE_PLANE)
    return scree_fail(SCREE_INVALID,
                      "must be sphere-plane, sphere-sphere, sphere-in-sphere or plane-plane (got \"%.40s\")", text);
  c->geometry = (ScreeGeometry)index;
  return SCREE_OK;
}

static ScreeStatus take_setting(const CaseOption *option, const char *text, Case *c) {
  (void)option;
  const char *equals = strchr(text, '=');
  if (!equals || equals == text) return scree_fail(SCREE_INVALID, "must read NAME=VALUE (got \"%.40s\")", text);
  if (c->setting_count == CASE_SETTINGS_MAX)
    return scree_fail(SCREE_INVALID, "at most %d may be given", CASE_SETTINGS_MAX);
  c->settings[c->setting_count++] = text;
  return SCREE_OK;
}

/* ---- argp ------------------------------------------------------------------------------------------------------- */

Case case_default(void) {
  return (Case){.restitution = NAN,
                .speed = NAN,
                .mass = NAN,
                .exponent = NAN,
                .radius = {NAN, NAN},
                .half_width = NAN,
                .length = NAN,
                .material = {{NAN, NAN, NAN}, {NAN, NAN, NAN}},
                .separation = SCREE_AT_OVERLAP,
                .damping = SCREE_LAW_NONE,
                .elastic = SCREE_LAW_NONE};
}

#define FIRST_KEY 0x1000 /* beyond the verbs' own keys */

static error_t parse_case_option(int key, char *argument, struct argp_state *state) {
  if (key < FIRST_KEY || key >= FIRST_KEY + (int)OPTION_COUNT) return ARGP_ERR_UNKNOWN;
  const CaseOption *option = &options[key - FIRST_KEY];
  Case *c = state->input;
  if (option->take(option, argument, c) != SCREE_OK) refuse(state, "--%s: %s", option->name, scree_last_error());
  if (!c->given) c->given = option->name;
  return 0;
}

const struct argp *case_argp(unsigned scope) {
  enum { TITLES = sizeof group_titles / sizeof *group_titles };
  static struct argp_option list[OPTION_COUNT + TITLES + 1];
  static struct argp argp = {.options = list, .parser = parse_case_option};
  size_t n = 0;
  int group = 0;
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    const CaseOption *option = &options[i];
    if (!(option->scope & scope)) continue;
    if (option->group != group) {
      group = option->group;
      list[n++] = (struct argp_option){.doc = group_titles[group], .group = group};
    }
    list[n++] = (struct argp_option){option->name, FIRST_KEY + (int)i, option->argument, 0, option->help, group};
  }
  list[n] = (struct argp_option){0};
  return &argp;
}

/* ---- description ------------------------------------------------------------------------------------------------ */

void case_print_bodies(const CaseResolved *resolved) {
  const ScreePairDef *pair = &resolved->def.pair;
  char text[400];
  int n = snprintf(text, sizeof text, "%s", geometry_name(pair->geometry));
  const struct {
    double value;
    const char *name, *unit;
  } facts[] = {{pair->radius[0], "radius", "m"},
               {pair->radius[1], "radius2", "m"},
               {pair->half_width, "half width", "m"},
               {pair->length, "length", "m"},
               {pair->material[0].young, "E", "Pa"},
               {pair->material[0].poisson, "nu", ""},
               {pair->material[0].density, "rho", "kg/m3"},
               {pair->material[1].young, "E2", "Pa"},
               {pair->material[1].poisson, "nu2", ""},
               {pair->material[1].density, "rho2", "kg/m3"}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    if (!isnan(facts[i].value))
      n += snprintf(text + n, sizeof text - (size_t)n, ", %s %s", facts[i].name,
                    scree_quantity(facts[i].value, facts[i].unit, 8).text);
  if (resolved->default_joint)
    snprintf(text + n, sizeof text - (size_t)n, " (default: Table 5 of the review by Skrinjar et al. 2018)");
  print_wrapped("bodies:", 8, text);
}

/* The stiffness that acts, in N/m^n; NaN for laws that have none (roy_carretero's is per volume). */
static double shown_stiffness(const ScreePair *pair) {
  bool none = scree_law_info(pair->law)->group == SCREE_LINE || pair->law == SCREE_LAW_roy_carretero;
  return none || !(pair->k > 0) ? NAN : pair->k;
}

/* What of mass and speed is not the user's. */
static void print_default(const CaseResolved *r) {
  bool mass = r->default_mass && !r->swept_mass, speed = r->default_speed && !r->swept_speed;
  if (r->default_case) {
    const char *given = r->swept_mass && r->swept_speed ? "; all but mass and speed"
                        : r->swept_mass                 ? "; all but the mass"
                        : r->swept_speed                ? "; all but the speed"
                                                        : "";
    printf(" (default: Table 2 of the review by Skrinjar et al. 2018%s)", given);
  } else if (mass || speed) {
    printf(" (default%s)", mass && speed ? "" : mass ? " mass" : " speed");
  }
  putchar('\n');
}

void case_print(const CaseResolved *resolved, const ScreePair *pair) {
  const ScreePairDef *def = &resolved->def.pair;
  if (def->geometry != SCREE_NO_GEOMETRY && !resolved->default_case) case_print_bodies(resolved);
  printf("case: mass %.8g kg", pair->mass);
  double stiffness = shown_stiffness(pair);
  if (!isnan(stiffness)) printf(", stiffness %.8g %s", stiffness, stiffness_unit(pair->n).text);
  printf(", speed %.8g m/s", def->speed);
  print_default(resolved);
}

void case_print_damping(const ScreePair *pair) {
  const ScreeLawInfo *damper = scree_law_info(pair->damping);
  if (damper) printf("damping: the factor of %s (--damping LAW for another's)\n", damper->name);
}

json_t *case_damping_json(const ScreePair *pair) {
  const ScreeLawInfo *damper = scree_law_info(pair->damping);
  return json_text(damper ? damper->name : NULL);
}

json_t *case_json(const CaseResolved *resolved, const ScreePair *pair) {
  const ScreePairDef *def = &resolved->def.pair;
  json_t *object = json_object();
  json_put(object, "speed", def->speed);
  json_put(object, "mass", pair->mass);
  json_put(object, "stiffness", shown_stiffness(pair));
  json_put(object, "exponent", pair->n);
  bool ours = resolved->default_case || resolved->default_joint || resolved->default_mass || resolved->default_speed;
  json_object_set_new(object, "default", json_boolean(ours));
  if (def->geometry == SCREE_NO_GEOMETRY || resolved->default_case) return object;
  json_object_set_new(object, "geometry", json_string(geometry_name(def->geometry)));
  json_put_known(object, "radius", def->radius[0]);
  json_put_known(object, "radius2", def->radius[1]);
  json_put_known(object, "half_width", def->half_width);
  json_put_known(object, "length", def->length);
  const char *const keys[2][3] = {{"young", "poisson", "density"}, {"young2", "poisson2", "density2"}};
  for (int body = 0; body < 2; body++) {
    json_put_known(object, keys[body][0], def->material[body].young);
    json_put_known(object, keys[body][1], def->material[body].poisson);
    json_put_known(object, keys[body][2], def->material[body].density);
  }
  return object;
}
