/* case.h: the options that describe a collision, parsed once for every verb, and the rules that complete them. */
#ifndef SCREE_CLI_CASE_H
#define SCREE_CLI_CASE_H

#include "cli.h"

#include <jansson.h>

/* Which verbs take an option. */
enum {
  SCOPE_IMPACT = 1 << 0,
  SCOPE_CALIBRATE = 1 << 1,
  SCOPE_COMPARE = 1 << 2,
  SCOPE_EXACT = 1 << 3,
  SCOPE_LINE = 1 << 4,
};

#define CASE_SETTINGS_MAX 32

/* What the user typed. Numbers not given are NaN, texts NULL. Texts point into argv. */
typedef struct Case {
  double restitution, speed, mass, exponent;
  const char *stiffness; /* read once the exponent, and so the unit, is known */
  ScreeGeometry geometry;
  bool internal, external;
  double radius[2], half_width, length;
  ScreeMaterial material[2];
  ScreeSeparation separation;
  ScreeLawId damping, elastic;
  const char *variant;
  bool calibrated;
  const char *settings[CASE_SETTINGS_MAX]; /* name=value */
  int setting_count;
  const char *given;                /* the first option that was, NULL: none */
  bool assumed_mass, assumed_speed; /* filled in by the verb */
} Case;

Case case_default(void);

/* The options of a scope as an argp child; its input is a Case. The storage is shared: one scope per program run. */
const struct argp *case_argp(unsigned scope);

/* The case of one law, complete. */
typedef struct CaseResolved {
  ScreeImpactDef def;
  bool default_case;                /* mass, stiffness and speed are the review's */
  bool default_joint;               /* the cylinders are the review's Table 5 joint */
  bool default_mass, default_speed; /* line laws: ours */
  bool swept_mass, swept_speed;     /* given in place of the default one */
} CaseResolved;

/* `second` may take --set names that `law` does not have (a tangential law), or is SCREE_LAW_NONE; its values are
 * left in def.pair.param too. */
ScreeStatus case_resolve(const Case *c, ScreeLawId law, ScreeLawId second, CaseResolved *out);

/* Fails where an option would have no effect on the law: a --set name it does not have, a stiffness of a line law. */
ScreeStatus case_check(const Case *c, ScreeLawId law, ScreeLawId second);
/* The name of a setting (up to its '='), copied into out. */
void case_setting_name(const char *setting, char *out, size_t size);

/* Stiffness, mass and speed as plain numbers: all given, or none, and then they stay as they are. */
ScreeStatus case_numbers(const Case *c, double exponent, double *stiffness, double *mass, double *speed,
                         bool *is_default);

/* One or two lines that say what collides; the pair is the prepared one. */
void case_print(const CaseResolved *resolved, const ScreePair *pair);
/* Whose factor damps a line law, as a line; nothing for other laws, or where none does. */
void case_print_damping(const ScreePair *pair);
/* Its name; null likewise. */
json_t *case_damping_json(const ScreePair *pair);
/* The line about the bodies alone. */
void case_print_bodies(const CaseResolved *resolved);
json_t *case_json(const CaseResolved *resolved, const ScreePair *pair);

const char *separation_name(ScreeSeparation separation);
const char *geometry_name(ScreeGeometry geometry);
/* "N/m^1.5" */
typedef struct StiffnessUnit {
  char text[32];
} StiffnessUnit;
StiffnessUnit stiffness_unit(double exponent);

/* Reads a quantity and holds it to its limits; the sentence names what is allowed. low_open: low itself is not. */
typedef struct Limits {
  double low, high;
  bool low_open;
} Limits;
#define STIFFNESS_LIMITS                                                                                               \
  { 0, 1e30, true }
ScreeStatus read_quantity(const char *text, const char *unit, Limits limits, double *value);

#endif
