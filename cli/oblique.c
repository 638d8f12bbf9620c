/* oblique.c: see oblique.h. */
#include "oblique.h"

#include "core/status.h"
#include "output.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "io/units.h"

#define DEGREE (M_PI / 180)

/* ---- options ---------------------------------------------------------------------------------------------------- */

enum { KEY_ANGLE = 512, KEY_TANGENTIAL_SPEED, KEY_SPIN, KEY_SPIN2, KEY_FRICTION, KEY_TANGENTIAL, KEY_REGULARISATION };

static const struct argp_option options[] = {
    {"angle", KEY_ANGLE, "DEG", 0, "angle of the path from the normal [degrees]", 0},
    {"tangential-speed", KEY_TANGENTIAL_SPEED, "V", 0, "speed along the surface [m/s], instead of --angle", 0},
    {"spin", KEY_SPIN, "W", 0, "spin of body 1 [rad/s], positive where it adds to sliding", 0},
    {"spin2", KEY_SPIN2, "W", 0, "spin of body 2", 0},
    {"friction", KEY_FRICTION, "MU", 0, "coefficient of friction", 0},
    {"tangential", KEY_TANGENTIAL, "LAW", 0, "mindlin (default), coulomb or tangential_linear", 0},
    {"regularisation", KEY_REGULARISATION, "tanh|sqrt", 0, "how coulomb friction passes through rest (default tanh)",
     0},
    {0},
};

ObliqueOptions oblique_options_default(void) {
  return (ObliqueOptions){.angle = NAN, .tangential_speed = NAN, .spin = {NAN, NAN}, .friction = NAN};
}

/* Degrees unless a unit says otherwise. */
static ScreeStatus read_angle(const char *text, double *angle) {
  double number = 0;
  bool plain = scree_parse_number(text, &number) == SCREE_OK;
  if (plain)
    number *= DEGREE;
  else
    SCREE_TRY(scree_parse_quantity(text, "rad", &number));
  if (!(number >= 0 && number < 90 * DEGREE))
    return scree_fail(SCREE_INVALID, "must be >= 0 and < 90 degrees (got %s)", text);
  *angle = number;
  return SCREE_OK;
}

static ScreeStatus read_regularisation(const char *text, bool *square_root) {
  *square_root = strcmp(text, "sqrt") == 0;
  if (*square_root || strcmp(text, "tanh") == 0) return SCREE_OK;
  return scree_fail(SCREE_UNKNOWN, "must be tanh or sqrt (got %.40s)", text);
}

static ScreeStatus take(int key, const char *text, ObliqueOptions *o) {
  const Limits speed = {-1e6, 1e6, false}, spin = {-1e9, 1e9, false}, friction = {0, 100, false};
  switch (key) {
  case KEY_ANGLE: return read_angle(text, &o->angle);
  case KEY_TANGENTIAL_SPEED: return read_quantity(text, "m/s", speed, &o->tangential_speed);
  case KEY_SPIN: return read_quantity(text, "rad/s", spin, &o->spin[0]);
  case KEY_SPIN2: return read_quantity(text, "rad/s", spin, &o->spin[1]);
  case KEY_FRICTION: return read_quantity(text, "1", friction, &o->friction);
  case KEY_REGULARISATION: return read_regularisation(text, &o->sqrt_regularised);
  default: o->tangential = text; return SCREE_OK;
  }
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  if (key < KEY_ANGLE || key > KEY_REGULARISATION) return ARGP_ERR_UNKNOWN;
  if (take(key, argument, state->input) != SCREE_OK)
    refuse(state, "--%s: %s", options[key - KEY_ANGLE].name, scree_last_error());
  return 0;
}

const struct argp oblique_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

/* ---- definition ------------------------------------------------------------------------------------------------- */

ScreeStatus oblique_law(const ObliqueOptions *o, ScreeLawId *law) {
  *law = SCREE_LAW_NONE;
  bool wanted = !isnan(o->angle) || !isnan(o->tangential_speed) || !isnan(o->spin[0]) || !isnan(o->spin[1]) ||
                !isnan(o->friction) || o->tangential || o->sqrt_regularised;
  if (!wanted) return SCREE_OK;
  if (!isnan(o->angle) && !isnan(o->tangential_speed))
    return scree_fail(SCREE_INVALID, "--angle and --tangential-speed exclude each other");
  ScreeStatus status = scree_law_find(o->tangential ? o->tangential : "mindlin", law);
  if (status != SCREE_OK) return blame_option(status, "tangential");
  if (scree_law_info(*law)->group != SCREE_TANGENTIAL)
    return scree_fail(SCREE_INVALID, "--tangential: must be mindlin, coulomb or tangential_linear (got %s)",
                      o->tangential);
  return SCREE_OK;
}

static double or_zero(double x) { return isnan(x) ? 0 : x; }

/* The friction law's constants; --friction is its mu. */
static ScreeStatus friction_constants(const ObliqueOptions *o, ScreeLawId law, const ScreePairDef *bodies,
                                      ScreeTangential *t) {
  ScreePairDef pair = *bodies;
  if (!isnan(o->friction) && !isnan(pair.param[SCREE_PARAM_mu]))
    return scree_fail(SCREE_INVALID, "--friction and --set mu say the same: give one of them");
  if (!isnan(o->friction)) pair.param[SCREE_PARAM_mu] = o->friction;
  if (isnan(pair.param[SCREE_PARAM_mu]))
    return scree_fail(SCREE_MISSING, "--friction is missing: an oblique impact needs it");
  if (law == SCREE_LAW_tangential_linear && isnan(pair.param[SCREE_PARAM_kt]))
    return scree_fail(SCREE_MISSING, "--set kt=VALUE is missing: tangential_linear needs its stiffness [N/m]");
  if (o->sqrt_regularised && law != SCREE_LAW_coulomb)
    return scree_fail(SCREE_INVALID, "--regularisation is for --tangential coulomb");
  SCREE_TRY(scree_tangential_prepare(law, &pair, t));
  if (o->sqrt_regularised) t->regularisation = SCREE_SQRT;
  return SCREE_OK;
}

/* Each body's own mass: of a sphere against a wall it is the case's, of two spheres it comes from their densities. */
static ScreeStatus resolve_masses(const ScreePairDef *pair, double mass[2]) {
  if (pair->geometry == SCREE_SPHERE_PLANE) {
    mass[0] = pair->mass;
    mass[1] = INFINITY;
    return SCREE_OK;
  }
  for (int body = 0; body < 2; body++) mass[body] = scree_pair_def_body_mass(pair, body);
  double effective = mass[0] * mass[1] / (mass[0] + mass[1]);
  if (isnan(effective))
    return scree_fail(SCREE_MISSING, "--density is missing: two spheres with friction need their own masses");
  if (fabs(effective - pair->mass) > 1e-6 * pair->mass)
    return scree_fail(SCREE_INVALID, "--mass: %.8g kg contradicts the densities, which give %.8g kg", pair->mass,
                      effective);
  return SCREE_OK;
}

ScreeStatus oblique_def(const ObliqueOptions *o, ScreeLawId law, CaseResolved *resolved, ScreeObliqueDef *out) {
  ScreePairDef *pair = &resolved->def.pair;
  bool spheres = pair->geometry == SCREE_SPHERE_PLANE || pair->geometry == SCREE_SPHERE_SPHERE;
  if (!spheres || resolved->default_case || isnan(pair->radius[0]))
    return scree_fail(SCREE_MISSING, "--radius is missing: an oblique impact is one of a sphere and a wall, or of two "
                                     "spheres (--radius2)");
  *out = scree_oblique_def_default(resolved->def.law, law);
  SCREE_TRY(friction_constants(o, law, pair, &out->tangential));
  SCREE_TRY(resolve_masses(pair, out->mass));
  out->tangential_speed = or_zero(o->tangential_speed);
  if (!isnan(o->angle)) {
    out->tangential_speed = pair->speed * sin(o->angle);
    pair->speed *= cos(o->angle);
  }
  out->spin[0] = or_zero(o->spin[0]);
  out->spin[1] = or_zero(o->spin[1]);
  out->normal = resolved->def;
  return SCREE_OK;
}

/* ---- output ----------------------------------------------------------------------------------------------------- */

#define FIELD(key, member, label, unit, shown)                                                                         \
  { key, label, unit, offsetof(ScreeObliqueResult, member), shown }

/* shown: factor between the stored number and the one printed in `unit`. */
static const struct {
  const char *key, *label, *unit;
  size_t offset;
  double shown;
} fields[] = {
    FIELD("impact_angle", impact_angle, "impact angle", "deg", 1 / DEGREE),
    FIELD("rebound_angle", rebound_angle, "rebound angle", "deg", 1 / DEGREE),
    FIELD("contact_rebound_angle", contact_rebound_angle, "rebound angle of the contact point", "deg", 1 / DEGREE),
    FIELD("tangential_speed", tangential_speed, "tangential speed after", "m/s", 1),
    FIELD("sliding_speed", sliding_speed, "sliding speed after", "m/s", 1),
    FIELD("spin", spin[0], "spin of body 1 after", "rad/s", 1),
    FIELD("spin2", spin[1], "spin of body 2 after", "rad/s", 1),
    FIELD("tangential_restitution", tangential_restitution, "tangential restitution", "", 1),
    FIELD("contact_restitution", contact_restitution, "restitution of the contact point", "", 1),
    FIELD("impulse_ratio", impulse_ratio, "tangential over normal impulse", "", 1),
    FIELD("max_tangential_force", max_tangential_force, "maximum tangential force", "N", 1),
    FIELD("energy_friction", energy_friction, "lost to friction", "J", 1),
    FIELD("energy_tangential_exit", energy_tangential_exit, "tangential elastic energy at exit", "J", 1),
    FIELD("energy_residual", energy_residual, "energy residual", "J", 1),
};
#define FIELD_COUNT (sizeof fields / sizeof *fields)

static double field_value(size_t i, const ScreeObliqueResult *result) {
  double value;
  memcpy(&value, (const char *)result + fields[i].offset, sizeof value);
  return value;
}

json_t *oblique_json(const ScreeObliqueDef *def, const ScreeObliqueResult *result) {
  json_t *object = json_object();
  for (size_t i = 0; i < FIELD_COUNT; i++) json_put(object, fields[i].key, field_value(i, result));
  json_object_set_new(object, "stick_slip_changes", json_integer(result->stick_slip_changes));
  json_object_set_new(object, "law", json_string(scree_law_info(def->tangential.law)->name));
  json_put(object, "friction", def->tangential.friction);
  json_put(object, "initial_tangential_speed", def->tangential_speed);
  json_put(object, "initial_spin", def->spin[0]);
  json_put(object, "initial_spin2", def->spin[1]);
  return object;
}

void oblique_print(const ScreeObliqueDef *def, const ScreeObliqueResult *result) {
  printf("\noblique: %s, friction %.10g, normal speed %.10g m/s, tangential speed %.10g m/s, spins %.10g and %.10g "
         "rad/s\n",
         scree_law_info(def->tangential.law)->name, def->tangential.friction, def->normal.pair.speed,
         def->tangential_speed, def->spin[0], def->spin[1]);
  Table *table = table_new("lll");
  table_cell(table, "%s", "");
  table_cell(table, "integrated");
  table_cell(table, "%s", "");
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    double value = field_value(i, result) * fields[i].shown;
    if (isnan(value)) continue;
    bool residual = fields[i].offset == offsetof(ScreeObliqueResult, energy_residual);
    table_cell(table, "%s", fields[i].label);
    table_number(table, value, residual ? 3 : 10);
    table_cell(table, "%s", fields[i].unit);
  }
  table_print(table);
  printf("%d changes between sticking and sliding\n", result->stick_slip_changes);
}
