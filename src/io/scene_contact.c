/* scene_contact.c: how materials meet: a default, and pairs that inherit from it what they do not say themselves.
 * Beside the keys of the table every parameter of the chosen laws is a key, by its name in the catalogue. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/scene_reader.h"

#include "core/foreign.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CONTACTS 3000
#define MAX_CONTACT_KEYS 200

/* ---- laws and words ---- */

static ScreeStatus read_law(ScreeReader *r, const ScreeNode *node, const char *what, ScreeLawId *law) {
  if (node->kind != SCREE_NODE_SCALAR || !*node->text)
    return scree_blame(r->fault, node, SCREE_INVALID,
                       "%s must be the name of a law (`scree models` lists them), not %s", what,
                       scree_node_kind_name(node));
  if (scree_law_find(node->text, law) != SCREE_OK) return scree_blame_last(r->fault, node, SCREE_UNKNOWN, what);
  return SCREE_OK;
}

ScreeStatus scree_read_contact_normal(ScreeReader *r, const ScreeNode *node, void *target) {
  ScreeLawId law = SCREE_LAW_NONE;
  SCREE_TRY(read_law(r, node, "normal", &law));
  ScreeGroup group = scree_law_info(law)->group;
  if (group != SCREE_POINT && group != SCREE_PLASTIC)
    return scree_blame(r->fault, node, SCREE_UNSUPPORTED, "grains need a point or plastic law; %s is a %s law",
                       scree_law_info(law)->name, scree_group_name(group));
  ((ScreeSceneContact *)target)->def.normal = law;
  return SCREE_OK;
}

ScreeStatus scree_read_contact_tangential(ScreeReader *r, const ScreeNode *node, void *target) {
  ScreeLawId law = SCREE_LAW_NONE;
  if (node->kind != SCREE_NODE_SCALAR || strcmp(node->text, "none") != 0) {
    SCREE_TRY(read_law(r, node, "tangential", &law));
    if (scree_law_info(law)->group != SCREE_TANGENTIAL)
      return scree_blame(r->fault, node, SCREE_UNSUPPORTED,
                         "%s is no tangential law: take mindlin, coulomb, tangential_linear or none",
                         scree_law_info(law)->name);
  }
  ((ScreeSceneContact *)target)->def.tangential = law;
  return SCREE_OK;
}

ScreeStatus scree_read_contact_regularisation(ScreeReader *r, const ScreeNode *node, void *target) {
  return scree_read_word(r, node, "regularisation", "tanh|sqrt", &((ScreeSceneContact *)target)->regularisation);
}

ScreeStatus scree_read_rolling_model(ScreeReader *r, const ScreeNode *node, void *target) {
  return scree_read_word(r, node, "model", "none|constant|viscous|spring", &((ScreeSceneRolling *)target)->model);
}

ScreeStatus scree_read_contact_rolling(ScreeReader *r, const ScreeNode *node, void *target) {
  ScreeSceneRolling *rolling = &((ScreeSceneContact *)target)->rolling;
  *rolling = (ScreeSceneRolling){0};
  SCREE_TRY(scree_preset_section(r, SCREE_SECTION_rolling, rolling));
  if (node->kind == SCREE_NODE_MAP) return scree_read_section(r, node, SCREE_SECTION_rolling, rolling, false, NULL);
  return scree_read_number(r, node, "rolling", "1", ">= 0", &rolling->coefficient);
}

/* ---- parameters of laws ---- */

static const ScreeParamInfo *find_param(const ScreeContactDef *def, const char *name) {
  const ScreeParamInfo *param = scree_law_param(def->normal, name);
  return param || def->tangential == SCREE_LAW_NONE ? param : scree_law_param(def->tangential, name);
}

static size_t param_names(ScreeLawId law, const char **names, size_t count) {
  const ScreeLawInfo *info = scree_law_info(law);
  for (int i = 0; info && i < info->param_count; i++) names[count++] = info->params[i].name;
  return count;
}

static ScreeStatus unknown_contact_key(ScreeReader *r, const ScreeNode *key, const ScreeContactDef *def) {
  const char *words[SCREE_KEY_COUNT + 2 * SCREE_PARAM_COUNT];
  size_t count = 0;
  for (int i = 0; i < SCREE_KEY_COUNT; i++)
    if (scree_keys[i].section == SCREE_SECTION_contact) words[count++] = scree_keys[i].name;
  count = param_names(def->normal, words, count);
  if (def->tangential != SCREE_LAW_NONE) count = param_names(def->tangential, words, count);
  for (int i = 0; i < SCREE_PARAM_COUNT; i++)
    if (strcmp(scree_param_name((ScreeParamId)i), key->text) == 0)
      return scree_blame(r->fault, key, SCREE_UNKNOWN, "%s takes no parameter \"%s\" (`scree show %s` lists its own)",
                         scree_law_info(def->normal)->name, key->text, scree_law_info(def->normal)->name);
  return scree_unknown_word(r, key, "key", words, count);
}

static ScreeStatus read_params(ScreeReader *r, const ScreeNode *map, ScreeContactDef *def) {
  for (size_t i = 0; i + 1 < map->count; i += 2) {
    const ScreeNode *key = &map->child[i];
    if (scree_key_find(SCREE_SECTION_contact, key->text) != SCREE_KEY_COUNT) continue;
    const ScreeParamInfo *param = find_param(def, key->text);
    if (!param) return unknown_contact_key(r, key, def);
    for (size_t j = 0; j < i; j += 2)
      if (strcmp(map->child[j].text, key->text) == 0)
        return scree_blame(r->fault, key, SCREE_INVALID, "\"%s\" is there twice", key->text);
    double value = NAN;
    SCREE_TRY(scree_read_number(r, &map->child[i + 1], param->name, param->unit, "", &value));
    if (!(value >= param->low && value <= param->high))
      return scree_blame(r->fault, &map->child[i + 1], SCREE_INVALID, "%s must be in %.6g ... %.6g %s (got %.10g)",
                         param->name, param->low, param->high, param->unit, value);
    def->pair.param[param->id] = value;
  }
  return SCREE_OK;
}

/* A pair with another law forgets the default's parameters that this law does not have, and a stiffness that belongs to
 * another exponent. */
static void forget_params(const ScreeNode *map, ScreeContactDef *def, ScreeLawId before) {
  if (scree_law_info(before)->exponent != scree_law_info(def->normal)->exponent) {
    if (!scree_node_value(map, "stiffness", NULL)) def->pair.stiffness = NAN;
    if (!scree_node_value(map, "exponent", NULL)) def->pair.exponent = NAN;
  }
  for (int i = 0; i < SCREE_PARAM_COUNT; i++)
    if (i != SCREE_PARAM_mu && !find_param(def, scree_param_name((ScreeParamId)i))) def->pair.param[i] = NAN;
}

/* Where a normal law calls its viscosity mu, as friction laws call their coefficient, a coefficient that was inherited
 * or is the format's default is no viscosity; and the other way round. */
static void part_names(const ScreeNode *map, ScreeContactDef *def, ScreeLawId before) {
  bool viscous = scree_law_param(def->normal, "mu"), was = scree_law_param(before, "mu");
  double *mu = &def->pair.param[SCREE_PARAM_mu];
  if (viscous && !(map && scree_node_value(map, "mu", NULL)) && before != def->normal) *mu = NAN;
  if (!viscous && was && !(map && scree_node_value(map, "friction", NULL)))
    *mu = scree_contact_def_default().pair.param[SCREE_PARAM_mu];
}

/* ---- one entry ---- */

/* Does the law take the restitution? One that it takes none of is dropped unless it was asked for right here. */
static ScreeStatus check_restitution(ScreeReader *r, const ScreeNode *map, ScreeContactDef *def) {
  const ScreeLawInfo *info = scree_law_info(def->normal);
  const ScreeNode *node = map ? scree_node_value(map, "restitution", NULL) : NULL;
  if (info->domain == SCREE_E_NONE && !node) return def->pair.restitution = NAN, SCREE_OK;
  const char *damped = scree_foreign_word(info->name);
  if (info->domain == SCREE_E_NONE)
    return scree_blame(r->fault, node, SCREE_INVALID, "%s is conservative and takes no restitution%s%s", info->name,
                       damped ? ": " : "", damped ? damped : "");
  if (scree_law_accepts(def->normal, def->pair.restitution) != SCREE_OK)
    return scree_blame_last(r->fault, node ? node : map, SCREE_INVALID, "restitution");
  /* the strength of an empirical law, given as a number, is not calibrated away */
  if ((info->flags & SCREE_EMPIRICAL) && !node && info->param_count > 0 && !isnan(def->pair.param[info->params[0].id]))
    def->pair.restitution = NAN;
  return SCREE_OK;
}

static ScreeStatus check_laws(ScreeReader *r, const ScreeNode *map, const ScreeContactDef *def) {
  if (scree_law_param(def->normal, "mu") && def->tangential != SCREE_LAW_NONE)
    return scree_blame(
        r->fault, map, SCREE_UNSUPPORTED,
        "%s calls its viscosity mu as friction laws call their coefficient: it works with tangential: none "
        "only",
        scree_law_info(def->normal)->name);
  return SCREE_OK;
}

static ScreeStatus read_contact(ScreeReader *r, const ScreeNode *map, ScreeSceneContact *contact) {
  ScreeContactDef *def = &contact->def;
  ScreeLawId before = def->normal;
  if (map) {
    for (size_t i = 0; map->kind == SCREE_NODE_MAP && i < map->count; i += 2)
      if (map->child[i].kind != SCREE_NODE_SCALAR || map->count > 2 * MAX_CONTACT_KEYS)
        return scree_blame(r->fault, &map->child[i], SCREE_INVALID, "a key must be a word");
    SCREE_TRY(scree_read_section(r, map, SCREE_SECTION_contact, contact, true, NULL));
    forget_params(map, def, before);
    part_names(map, def, before);
    SCREE_TRY(read_params(r, map, def));
  }
  def->rolling_model = contact->rolling.coefficient > 0 ? (ScreeRolling)contact->rolling.model : SCREE_ROLLING_NONE;
  def->rolling = contact->rolling.coefficient;
  def->rolling_damping = contact->rolling.damping;
  def->rolling_stiffness = isnan(contact->rolling.stiffness) ? 0.0 : contact->rolling.stiffness;
  def->regularisation = (ScreeRegularisation)contact->regularisation;
  SCREE_TRY(check_laws(r, map, def));
  return check_restitution(r, map, def);
}

/* ---- all of them ---- */

/* Two names from "[a, b]": a list, or (in JSON) a text that looks like one. */
static ScreeStatus read_pair(ScreeReader *r, const ScreeNode *key, int *a, int *b) {
  char text[160] = "";
  if (key->kind == SCREE_NODE_LIST && key->count == 2 && key->child[0].kind == SCREE_NODE_SCALAR &&
      key->child[1].kind == SCREE_NODE_SCALAR) {
    SCREE_TRY(scree_find_material(r, &key->child[0], key->child[0].text, a));
    return scree_find_material(r, &key->child[1], key->child[1].text, b);
  }
  if (key->kind == SCREE_NODE_SCALAR) snprintf(text, sizeof text, "%s", key->text);
  size_t length = strlen(text);
  char *comma = strchr(text, ',');
  if (length < 5 || text[0] != '[' || text[length - 1] != ']' || !comma)
    return scree_blame(r->fault, key, SCREE_INVALID,
                       "a key of contacts must be \"default\" or a pair of materials, like [glass, steel]");
  text[length - 1] = *comma = '\0';
  const char *names[2] = {text + 1, comma + 1};
  int *ids[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    char name[160];
    snprintf(name, sizeof name, "%s", names[i] + strspn(names[i], " "));
    for (size_t n = strlen(name); n > 0 && name[n - 1] == ' '; n--) name[n - 1] = '\0';
    SCREE_TRY(scree_find_material(r, key, name, ids[i]));
  }
  return SCREE_OK;
}

static ScreeStatus read_entry(ScreeReader *r, const ScreeNode *key, const ScreeNode *value) {
  ScreeSceneContact entry = *scree_scene_contact(r->scene, 0);
  SCREE_TRY(read_pair(r, key, &entry.a, &entry.b));
  for (size_t i = 1; i < r->scene->contacts.count; i++) {
    const ScreeSceneContact *other = scree_scene_contact(r->scene, i);
    if ((other->a == entry.a && other->b == entry.b) || (other->a == entry.b && other->b == entry.a))
      return scree_blame(r->fault, key, SCREE_INVALID, "this pair of materials is there twice");
  }
  entry.item = (ScreeItem){.node = value};
  SCREE_TRY(read_contact(r, value, &entry));
  ScreeSceneContact *slot = scree_array_add(r, &r->scene->contacts, sizeof *slot);
  if (!slot) return SCREE_NO_MEMORY;
  *slot = entry;
  return SCREE_OK;
}

/* Materials may stand after contacts in the file: nothing is read yet. */
ScreeStatus scree_read_scene_contacts(ScreeReader *r, const ScreeNode *node, void *target) {
  (void)target;
  if (node->kind != SCREE_NODE_MAP)
    return scree_blame(r->fault, node, SCREE_INVALID,
                       "contacts must be a map of \"default\" and pairs like [glass, steel], not %s",
                       scree_node_kind_name(node));
  if (node->count > 2 * MAX_CONTACTS)
    return scree_blame(r->fault, node, SCREE_INVALID, "there are more than %d contacts", MAX_CONTACTS);
  return SCREE_OK;
}

ScreeStatus scree_read_contacts(ScreeReader *r) {
  const ScreeNode *map = scree_node_value(&r->scene->root, "contacts", NULL), *given = NULL;
  ScreeSceneContact *first = scree_array_add(r, &r->scene->contacts, sizeof *first);
  if (!first) return SCREE_NO_MEMORY;
  *first = (ScreeSceneContact){.a = -1, .b = -1, .def = scree_contact_def_default()};
  SCREE_TRY(scree_preset_section(r, SCREE_SECTION_contact, first));
  if (map) given = scree_node_value(map, "default", NULL);
  first->item.node = given ? given : map;
  SCREE_TRY(read_contact(r, given, first));
  for (size_t i = 0; map && i + 1 < map->count; i += 2) {
    const ScreeNode *key = &map->child[i];
    if (key->kind == SCREE_NODE_SCALAR && strcmp(key->text, "default") == 0) {
      if (&map->child[i + 1] != given) return scree_blame(r->fault, key, SCREE_INVALID, "\"default\" is there twice");
      continue;
    }
    SCREE_TRY(read_entry(r, key, &map->child[i + 1]));
  }
  return SCREE_OK;
}

const ScreeSceneContact *scree_scene_contact_of(const ScreeScene *s, int a, int b) {
  for (size_t i = 1; i < s->contacts.count; i++) {
    const ScreeSceneContact *c = scree_scene_contact(s, i);
    if ((c->a == a && c->b == b) || (c->a == b && c->b == a)) return c;
  }
  return scree_scene_contact(s, 0);
}
