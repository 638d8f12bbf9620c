/* law.c: see law.h. */
#include "law.h"

#include "output.h"

#include <math.h>
#include <string.h>

static const struct {
  ScreeLawFlag flag;
  const char *key;
} flags[] = {
    {SCREE_USES_V0, "uses_v0"},
    {SCREE_CONSTANT_E, "constant_restitution"},
    {SCREE_ATTRACTIVE, "attractive"},
    {SCREE_EMPIRICAL, "empirical"},
    {SCREE_FREE_EXPONENT, "free_exponent"},
    {SCREE_DELIVERS_E, "delivers_restitution"},
    {SCREE_LOOP_WORK, "loop_work_only"},
    {SCREE_SELF_CLAMPED, "self_clamped"},
    {SCREE_INTERNAL_ONLY, "internal_only"},
    {SCREE_ELASTIC, "elastic"},
    {SCREE_FACTOR, "damping_factor"},
};

static json_t *aliases_json(const char *aliases) {
  json_t *array = json_array();
  for (const char *word = aliases; *word;) {
    size_t length = strcspn(word, " ");
    if (length) json_array_append_new(array, json_stringn(word, length));
    word += length + strspn(word + length, " ");
  }
  return array;
}

static json_t *parameter_json(const ScreeParamInfo *parameter) {
  json_t *object = json_object();
  json_object_set_new(object, "name", json_string(parameter->name));
  json_object_set_new(object, "unit", json_string(parameter->unit));
  json_put(object, "low", parameter->low);
  json_put(object, "high", parameter->high);
  json_put(object, "preset", parameter->preset);
  json_object_set_new(object, "meaning", json_string(parameter->meaning));
  return object;
}

json_t *law_json(const ScreeLawInfo *info) {
  json_t *object = json_object();
  json_object_set_new(object, "id", json_string(info->name));
  json_object_set_new(object, "group", json_string(scree_group_name(info->group)));
  json_object_set_new(object, "aliases", aliases_json(info->aliases));
  json_put(object, "exponent", info->exponent);
  json_object_set_new(object, "slots", json_integer(info->slots));
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    json_object_set_new(object, flags[i].key, json_boolean(info->flags & flags[i].flag));
  json_object_set_new(object, "restitution_domain", json_string(domain_text(info->domain)));
  json_object_set_new(object, "reference", json_string(info->reference));
  json_object_set_new(object, "formula", json_string(info->formula));
  json_object_set_new(object, "limits", json_string(info->limits));
  json_t *parameters = json_array();
  for (int i = 0; i < info->param_count; i++) json_array_append_new(parameters, parameter_json(&info->params[i]));
  json_object_set_new(object, "parameters", parameters);
  return object;
}

const char *domain_text(ScreeDomain domain) {
  switch (domain) {
  case SCREE_E_CLOSED: return "0 <= e <= 1";
  case SCREE_E_OPEN: return "0 < e <= 1";
  case SCREE_E_NONE: break;
  }
  return "none";
}

const char *exponent_text(const ScreeLawInfo *info) {
  static char text[40];
  strcpy(text, number_text(info->exponent, 4).text);
  return text;
}

const char *restitution_text(const ScreeLawInfo *info) {
  if (info->group == SCREE_TANGENTIAL) return "-";
  return info->flags & SCREE_CONSTANT_E ? "constant" : "depends on v0";
}

bool takes_restitution(const ScreeLawInfo *info) {
  return info->domain != SCREE_E_NONE && !(info->flags & SCREE_EMPIRICAL);
}
