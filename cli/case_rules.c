/* case_rules.c: what completes a case: defaults, geometry from what is given, mass from density, the law's settings. */
#include "case.h"

#include "core/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The law whose elastic force acts: luo_nahon wraps another. */
static const ScreeLawInfo *elastic_law(const Case *c, ScreeLawId law) {
  bool wraps = law == SCREE_LAW_luo_nahon && c->elastic != SCREE_LAW_NONE;
  return scree_law_info(wraps ? c->elastic : law);
}

static bool is_line(const Case *c, ScreeLawId law) { return elastic_law(c, law)->group == SCREE_LINE; }

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
  ScreeStatus status = read_quantity(c->stiffness, stiffness_unit(exponent).text, (Limits)STIFFNESS_LIMITS, stiffness);
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
  return elastic_law(c, law)->exponent;
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

/* Is this parameter of the law set? */
static bool is_set(const Case *c, ScreeLawId law, const char *parameter) {
  for (int i = 0; i < c->setting_count; i++) {
    char name[32];
    case_setting_name(c->settings[i], name, sizeof name);
    if (strcmp(name, parameter) == 0 && scree_law_param(law, name)) return true;
  }
  return false;
}

/* Laws that may get their stiffness from a modulus of their own instead: thornton, roy_carretero. */
static bool own_stiffness(const Case *c, ScreeLawId law) { return is_set(c, law, "Estar") || is_set(c, law, "E1"); }

/* Mass and speed of a cylinder impact: both given, or both ours. */
static ScreeStatus resolve_joint_motion(const Case *c, CaseResolved *out) {
  ScreePairDef *pair = &out->def.pair;
  bool mass_given = !isnan(c->mass) || !isnan(c->material[0].density) || !isnan(c->material[1].density);
  if (!mass_given && isnan(c->speed)) {
    out->default_mass = out->default_speed = true;
    pair->mass = scree_pair_def_joint().mass;
    pair->speed = scree_pair_def_joint().speed;
    return SCREE_OK;
  }
  out->default_mass = c->assumed_mass;
  out->default_speed = c->assumed_speed;
  pair->mass = isnan(c->mass) ? scree_pair_def_mass(pair) : c->mass;
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
    use_bodies(pair, review);
    if (own_stiffness(c, out->def.law))
      pair->material[0] = pair->material[1]; /* unknown: the law's own counts */
    else
      pair->stiffness = review.stiffness;
    return SCREE_OK;
  }
  if (isnan(pair->stiffness) && !bodies && !own_stiffness(c, out->def.law))
    return scree_fail(SCREE_MISSING, "--stiffness is missing: give it, or --young, --poisson and --radius");
  pair->mass = isnan(c->mass) ? scree_pair_def_mass(pair) : c->mass;
  if (isnan(pair->mass)) return scree_fail(SCREE_MISSING, "--mass is missing: give it, or --density and --radius");
  pair->speed = c->speed;
  return isnan(pair->speed) ? missing_speed() : SCREE_OK;
}

/* Sizes and moduli that a stiffness from bodies needs, named as options. */
static ScreeStatus check_bodies(const Case *c, ScreeLawId law, const ScreePairDef *pair) {
  bool needed = pair->geometry != SCREE_NO_GEOMETRY && isnan(pair->stiffness);
  if (!needed || own_stiffness(c, law) || is_set(c, law, "Ge")) return SCREE_OK; /* jian takes a shear modulus */
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
  if (c->elastic != SCREE_LAW_NONE && law != SCREE_LAW_luo_nahon)
    return scree_fail(SCREE_INVALID, "--elastic: only luo_nahon wraps another law");
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
  ScreeStatus accepted = scree_law_accepts(law, c->restitution);
  if (accepted != SCREE_OK) return blame_option(accepted, "restitution");
  pair->exponent = c->exponent;
  pair->damping = c->damping;
  pair->elastic = c->elastic;
  pair->variant = c->variant;
  SCREE_TRY(resolve_bodies(c, line, out));
  if (!line) SCREE_TRY(read_stiffness(c, stiffness_exponent(c, law), &pair->stiffness));
  SCREE_TRY(check_bodies(c, law, pair));
  SCREE_TRY(line ? resolve_joint_motion(c, out) : resolve_motion(c, out));
  const ScreeLawInfo *info = scree_law_info(law);
  if (c->calibrated && info->param_count > 0 && is_set(c, law, info->params[0].name))
    return scree_fail(SCREE_INVALID, "--calibrated and --set %s exclude each other: calibration finds %s",
                      info->params[0].name, info->params[0].name);
  return apply_settings(c, law, second, pair);
}
