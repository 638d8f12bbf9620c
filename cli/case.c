/* case.c: one table of options, and the rules that complete a case (defaults, geometry, mass from density). */
#include "case.h"

#include "core/status.h"
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
     take_stiffness, IN_CASE(stiffness), NULL, POSITIVE(1e30)},
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
  if (option->take(option, argument, state->input) != SCREE_OK)
    argp_failure(state, EXIT_MISUSE, 0, "--%s: %s", option->name, scree_last_error());
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

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static bool is_line(const Case *c, ScreeLawId law) {
  if (scree_law_info(law)->group == SCREE_LINE) return true;
  return c->elastic != SCREE_LAW_NONE && scree_law_info(c->elastic)->group == SCREE_LINE;
}

static bool bodies_given(const Case *c) {
  const double numbers[] = {
      c->radius[0],           c->radius[1],           c->half_width,          c->length,
      c->material[0].young,   c->material[0].poisson, c->material[0].density, c->material[1].young,
      c->material[1].poisson, c->material[1].density};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!isnan(numbers[i])) return true;
  return c->geometry != SCREE_NO_GEOMETRY || c->internal || c->external;
}

static bool numbers_given(const Case *c) { return !isnan(c->speed) || !isnan(c->mass) || c->stiffness; }

static ScreeStatus read_stiffness(const Case *c, double exponent, double *stiffness) {
  if (!c->stiffness) return SCREE_OK;
  ScreeStatus status = read_quantity(c->stiffness, stiffness_unit(exponent).text, (Limits)POSITIVE(1e30), stiffness);
  return status == SCREE_OK ? SCREE_OK : blame_option(status, "stiffness");
}

static ScreeStatus missing_speed(void) {
  return scree_fail(SCREE_MISSING, "--speed is missing: give the impact speed");
}

ScreeStatus case_numbers(const Case *c, double exponent, double *stiffness, double *mass, double *speed,
                         bool *is_default) {
  *is_default = !numbers_given(c);
  if (*is_default) return SCREE_OK;
  if (!c->stiffness) return scree_fail(SCREE_MISSING, "--stiffness is missing: give it in N/m^n");
  if (isnan(c->mass)) return scree_fail(SCREE_MISSING, "--mass is missing: give the effective mass");
  if (isnan(c->speed)) return missing_speed();
  *mass = c->mass;
  *speed = c->speed;
  return read_stiffness(c, exponent, stiffness);
}

/* n of the unit of --stiffness, N/m^n. */
static double stiffness_exponent(const Case *c, ScreeLawId law) {
  if (!isnan(c->exponent)) return c->exponent;
  if (law == SCREE_LAW_yigit_linear) return 1.5; /* its slope comes from a Hertz stiffness */
  return scree_law_info(c->elastic == SCREE_LAW_NONE ? law : c->elastic)->exponent;
}

static ScreeGeometry sphere_geometry(const Case *c) {
  if (c->geometry != SCREE_NO_GEOMETRY) return c->geometry;
  if (!isnan(c->half_width)) return SCREE_PLANE_PLANE;
  return isnan(c->radius[1]) ? SCREE_SPHERE_PLANE : SCREE_SPHERE_SPHERE;
}

static void use_bodies(ScreePairDef *pair, ScreePairDef from) {
  pair->geometry = from.geometry;
  memcpy(pair->radius, from.radius, sizeof pair->radius);
  memcpy(pair->material, from.material, sizeof pair->material);
  pair->length = from.length;
  pair->half_width = from.half_width;
}

static ScreeStatus resolve_bodies(const Case *c, bool line, CaseResolved *out) {
  ScreePairDef *pair = &out->def.pair;
  if (c->internal && c->external) return scree_fail(SCREE_INVALID, "--internal and --external contradict each other");
  if (!line && (c->internal || c->external))
    return scree_fail(SCREE_INVALID,
                      "--%s is for cylinder laws; for a ball in a hollow give --geometry sphere-in-sphere",
                      c->internal ? "internal" : "external");
  if (line && c->geometry != SCREE_NO_GEOMETRY)
    return scree_fail(SCREE_INVALID, "--geometry: a cylinder law takes --internal or --external");
  if (line && !bodies_given(c)) {
    out->default_joint = true;
    use_bodies(pair, scree_pair_def_joint());
    pair->material[0].density = NAN; /* the default mass is not the pin's */
    return SCREE_OK;
  }
  if (!bodies_given(c)) return SCREE_OK;
  if (line)
    pair->geometry = c->external ? SCREE_CYLINDER_EXTERNAL : SCREE_CYLINDER_INTERNAL;
  else
    pair->geometry = sphere_geometry(c);
  memcpy(pair->radius, c->radius, sizeof pair->radius);
  memcpy(pair->material, c->material, sizeof pair->material);
  pair->length = c->length;
  pair->half_width = c->half_width;
  return SCREE_OK;
}

/* Mass of one body [kg]; NaN when its size or density is not known. */
static double body_mass(const ScreePairDef *pair, int body) {
  double density = pair->material[body].density;
  if (isnan(density)) density = pair->material[0].density;
  double r = pair->radius[body];
  if (pair->geometry >= SCREE_CYLINDER_INTERNAL) return M_PI * r * r * pair->length * density;
  return 4.0 / 3.0 * M_PI * r * r * r * density;
}

/* Effective mass: walls, hollows and holes are fixed. */
static double effective_mass(const ScreePairDef *pair) {
  switch (pair->geometry) {
  case SCREE_SPHERE_PLANE: return body_mass(pair, 0);
  case SCREE_SPHERE_IN_SPHERE:
  case SCREE_CYLINDER_INTERNAL: return body_mass(pair, 1);
  case SCREE_SPHERE_SPHERE:
  case SCREE_CYLINDER_EXTERNAL: {
    double m1 = body_mass(pair, 0), m2 = body_mass(pair, 1);
    return m1 * m2 / (m1 + m2);
  }
  case SCREE_NO_GEOMETRY:
  case SCREE_PLANE_PLANE: break;
  }
  return NAN;
}

/* Laws that can get their stiffness from their own parameters instead: thornton, roy_carretero, jian. */
static bool own_stiffness(const Case *c) {
  static const char *const names[] = {"Estar", "E1", "R1", "Ge"};
  for (int i = 0; i < c->setting_count; i++) {
    char name[32];
    case_setting_name(c->settings[i], name, sizeof name);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
      if (strcmp(name, names[k]) == 0) return true;
  }
  return false;
}

/* Mass and speed of a cylinder impact: both given, or both ours. */
static ScreeStatus resolve_joint_motion(const Case *c, CaseResolved *out) {
  ScreePairDef *pair = &out->def.pair;
  bool mass_given = !isnan(c->mass) || !isnan(c->material[0].density) || !isnan(c->material[1].density);
  if (!mass_given && isnan(c->speed)) {
    out->default_motion = true;
    pair->mass = scree_pair_def_joint().mass;
    pair->speed = scree_pair_def_joint().speed;
    return SCREE_OK;
  }
  pair->mass = isnan(c->mass) ? effective_mass(pair) : c->mass;
  pair->speed = c->speed;
  if (isnan(pair->mass))
    return scree_fail(SCREE_MISSING, "--mass is missing: give it, or --density with --radius2 and --length");
  return isnan(pair->speed) ? missing_speed() : SCREE_OK;
}

static ScreeStatus resolve_motion(const Case *c, CaseResolved *out) {
  ScreePairDef *pair = &out->def.pair;
  bool bodies = pair->geometry != SCREE_NO_GEOMETRY;
  if (!numbers_given(c) && !bodies) {
    const ScreePairDef review = scree_pair_def_review();
    out->default_case = true;
    pair->mass = review.mass;
    pair->speed = review.speed;
    if (own_stiffness(c)) return SCREE_OK;
    pair->stiffness = review.stiffness;
    use_bodies(pair, review);
    return SCREE_OK;
  }
  if (isnan(pair->stiffness) && !bodies && !own_stiffness(c))
    return scree_fail(SCREE_MISSING, "--stiffness is missing: give it, or --young, --poisson and --radius");
  pair->mass = isnan(c->mass) ? effective_mass(pair) : c->mass;
  if (isnan(pair->mass)) return scree_fail(SCREE_MISSING, "--mass is missing: give it, or --density and --radius");
  pair->speed = c->speed;
  return isnan(pair->speed) ? missing_speed() : SCREE_OK;
}

/* Sizes and moduli that a stiffness from bodies needs, named as options. */
static ScreeStatus check_bodies(const ScreePairDef *pair) {
  if (pair->geometry == SCREE_NO_GEOMETRY || !isnan(pair->stiffness)) return SCREE_OK;
  bool patch = pair->geometry == SCREE_PLANE_PLANE;
  bool two_radii = !patch && pair->geometry != SCREE_SPHERE_PLANE;
  bool line = pair->geometry >= SCREE_CYLINDER_INTERNAL;
  const struct {
    bool needed;
    double value;
    const char *option;
  } needs[] = {{!patch, pair->radius[0], "radius"},      {two_radii, pair->radius[1], "radius2"},
               {patch, pair->half_width, "half-width"},  {line, pair->length, "length"},
               {true, pair->material[0].young, "young"}, {true, pair->material[0].poisson, "poisson"}};
  for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
    if (needs[i].needed && isnan(needs[i].value))
      return scree_fail(SCREE_MISSING, "--%s is missing: a %s contact needs it%s", needs[i].option,
                        geometry_name(pair->geometry), line ? "" : ", or give --stiffness");
  return SCREE_OK;
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

void case_setting_name(const char *setting, char *out, size_t size) {
  snprintf(out, size, "%.*s", (int)strcspn(setting, "="), setting);
}

static const ScreeParamInfo *find_parameter(ScreeLawId law, ScreeLawId second, const char *name) {
  const ScreeParamInfo *parameter = scree_law_param(law, name);
  if (!parameter && second != SCREE_LAW_NONE) parameter = scree_law_param(second, name);
  return parameter;
}

ScreeStatus case_check(const Case *c, ScreeLawId law, ScreeLawId second) {
  if (c->stiffness && is_line(c, law))
    return scree_fail(SCREE_INVALID, "--stiffness: a cylinder law has its own, from the bodies");
  for (int i = 0; i < c->setting_count; i++) {
    char name[32];
    case_setting_name(c->settings[i], name, sizeof name);
    if (find_parameter(law, second, name)) continue;
    ScreePairDef scratch = scree_pair_def_default();
    return blame_option(scree_pair_def_set(&scratch, law, name, 0), "set");
  }
  return SCREE_OK;
}

/* Settings of other laws are passed over: compare gives one list to many laws; the rest check first. */
static ScreeStatus apply_settings(const Case *c, ScreeLawId law, ScreeLawId second, ScreePairDef *pair) {
  for (int i = 0; i < c->setting_count; i++) {
    char name[32];
    case_setting_name(c->settings[i], name, sizeof name);
    const ScreeParamInfo *parameter = find_parameter(law, second, name);
    if (!parameter) continue;
    char option[40];
    snprintf(option, sizeof option, "set %s", name);
    Limits limits = {parameter->low, parameter->high, false};
    ScreeStatus status =
        read_quantity(strchr(c->settings[i], '=') + 1, parameter->unit, limits, &pair->param[parameter->id]);
    if (status != SCREE_OK) return blame_option(status, option);
  }
  return SCREE_OK;
}

ScreeStatus case_resolve(const Case *c, ScreeLawId law, ScreeLawId second, CaseResolved *out) {
  *out = (CaseResolved){.def = scree_impact_def_default(law)};
  ScreePairDef *pair = &out->def.pair;
  *pair = scree_pair_def_default();
  bool line = is_line(c, law);
  out->def.separation = c->separation;
  out->def.calibrated = c->calibrated;
  pair->restitution = c->restitution;
  pair->exponent = c->exponent;
  pair->damping = c->damping;
  pair->elastic = c->elastic;
  pair->variant = c->variant;
  SCREE_TRY(resolve_bodies(c, line, out));
  if (!line) SCREE_TRY(read_stiffness(c, stiffness_exponent(c, law), &pair->stiffness));
  SCREE_TRY(check_bodies(pair));
  SCREE_TRY(line ? resolve_joint_motion(c, out) : resolve_motion(c, out));
  return apply_settings(c, law, second, pair);
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
      n += snprintf(text + n, sizeof text - (size_t)n, ", %s %.8g%s%s", facts[i].name, facts[i].value,
                    *facts[i].unit ? " " : "", facts[i].unit);
  if (resolved->default_joint) snprintf(text + n, sizeof text - (size_t)n, " (default: the review's Table 5 joint)");
  print_wrapped("bodies:", 8, text);
}

/* The stiffness that acts, where the law is a power law. */
static double shown_stiffness(const ScreePair *pair) {
  return scree_law_info(pair->law)->group == SCREE_LINE || !(pair->k > 0) ? NAN : pair->k;
}

void case_print(const CaseResolved *resolved, const ScreePair *pair) {
  const ScreePairDef *def = &resolved->def.pair;
  if (def->geometry != SCREE_NO_GEOMETRY && !resolved->default_case) case_print_bodies(resolved);
  printf("case: mass %.8g kg", pair->mass);
  double stiffness = shown_stiffness(pair);
  if (!isnan(stiffness)) printf(", stiffness %.8g %s", stiffness, stiffness_unit(pair->n).text);
  printf(", speed %.8g m/s", def->speed);
  puts(resolved->default_case || resolved->default_motion ? " (default)" : "");
}

json_t *case_json(const CaseResolved *resolved, const ScreePair *pair) {
  const ScreePairDef *def = &resolved->def.pair;
  json_t *object = json_object();
  json_put(object, "speed", def->speed);
  json_put(object, "mass", pair->mass);
  json_put(object, "stiffness", shown_stiffness(pair));
  json_put(object, "exponent", pair->n);
  json_object_set_new(object, "default", json_boolean(resolved->default_case || resolved->default_motion));
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
