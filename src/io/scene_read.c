/* scene_read.c: a tree becomes a scene, key by key, as scene_keys.def says. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/scene_reader.h"

#include "core/foreign.h"
#include "core/nearest.h"
#include "core/status.h"
#include "io/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_MATERIALS 64

/* ---- words ---- */

static const char *nearest_of(const char *typed, const char *const *words, size_t count) {
  const char *nearest = NULL;
  for (size_t i = 0; i < count; i++)
    if (scree_is_near(typed, words[i]) &&
        (!nearest || scree_edit_distance(typed, words[i]) < scree_edit_distance(typed, nearest)))
      nearest = words[i];
  return nearest;
}

/* `elsewhere`: where the word would have been right, "" where nowhere. */
static ScreeStatus refuse_word(ScreeReader *r, const ScreeNode *node, const char *what, const char *const *words,
                               size_t count, const char *elsewhere) {
  const char *typed = node->text, *nearest = nearest_of(typed, words, count), *here = scree_foreign_word(typed);
  if (here && !*elsewhere && strcmp(what, "key") == 0) /* other words are listed, or names of the scene's own */
    return scree_blame(r->fault, node, SCREE_UNKNOWN, "unknown %s \"%.60s\": %s", what, typed, here);
  if (nearest)
    return scree_blame(r->fault, node, SCREE_UNKNOWN, "unknown %s \"%.60s\"%s%s did you mean \"%s\"?", what, typed,
                       elsewhere, *elsewhere ? "; or" : ":", nearest);
  char list[360] = "";
  size_t length = 0, room = sizeof list - strlen(elsewhere);
  for (size_t i = 0; i < count && length < room - 60; i++)
    length += (size_t)snprintf(list + length, room - length, "%s%.50s", i ? ", " : "", words[i]);
  return scree_blame(r->fault, node, SCREE_UNKNOWN, "unknown %s \"%.60s\"%s; %sthere %s: %s", what, typed, elsewhere,
                     *elsewhere ? "here " : "", count == 1 ? "is" : "are", count ? list : "none");
}

ScreeStatus scree_unknown_word(ScreeReader *r, const ScreeNode *node, const char *what, const char *const *words,
                               size_t count) {
  return refuse_word(r, node, what, words, count, "");
}

static const char *lower_title(ScreeSectionId section, char out[64]) {
  snprintf(out, 64, "%s", scree_sections[section].title);
  if (*out >= 'A' && *out <= 'Z') *out = (char)(*out - 'A' + 'a');
  return out;
}

/* ": it is a key of the run", or of up to three others; "" where no section has it. */
static void find_elsewhere(const char *name, char *text, size_t size) {
  size_t length = 0;
  int found = 0;
  *text = '\0';
  for (int i = 0; i < SCREE_KEY_COUNT && found < 3; i++) {
    const ScreeKey *key = &scree_keys[i];
    char title[64];
    if (key->kind == SCREE_KEY_LATER || strcmp(key->name, name) != 0) continue;
    lower_title(key->section, title);
    if (strstr(text, title)) continue; /* walls and regions have boxes both */
    bool top = key->section == SCREE_SECTION_scene;
    length += (size_t)snprintf(text + length, size - length, "%s%s", found++ ? ", of " : " here: it is a key of ",
                               top ? "the scene itself, at the top level" : title);
  }
}

static ScreeStatus unknown_key(ScreeReader *r, const ScreeNode *node, ScreeSectionId section) {
  const char *words[SCREE_KEY_COUNT];
  char elsewhere[240];
  size_t count = 0;
  for (int i = 0; i < SCREE_KEY_COUNT; i++)
    if (scree_keys[i].section == section && scree_keys[i].kind != SCREE_KEY_LATER) words[count++] = scree_keys[i].name;
  find_elsewhere(node->text, elsewhere, sizeof elsewhere);
  return refuse_word(r, node, "key", words, count, elsewhere);
}

ScreeStatus scree_read_word(ScreeReader *r, const ScreeNode *node, const char *name, const char *words, int *index) {
  const char *list[16];
  char copy[200];
  size_t count = 0;
  snprintf(copy, sizeof copy, "%s", words);
  char *rest = copy;
  for (char *word = strsep(&rest, "|"); word && count < 16; word = strsep(&rest, "|")) list[count++] = word;
  if (node->kind != SCREE_NODE_SCALAR)
    return scree_blame(r->fault, node, SCREE_INVALID, "%s must be one of %s, not %s", name, words,
                       scree_node_kind_name(node));
  for (size_t i = 0; i < count; i++)
    if (strcmp(node->text, list[i]) == 0) return *index = (int)i, SCREE_OK;
  return scree_unknown_word(r, node, name, list, count);
}

/* ---- values ---- */

static ScreeStatus wrong_kind(ScreeReader *r, const ScreeNode *node, const char *name, const char *wanted) {
  return scree_blame(r->fault, node, SCREE_INVALID, "%s must be %s, not %s", name, wanted, scree_node_kind_name(node));
}

bool scree_limit_holds(const char *limits, double value) {
  double low, high;
  char first[32];
  if (!*limits) return true;
  if (strncmp(limits, ">= ", 3) == 0) return scree_parse_number(limits + 3, &low) == SCREE_OK && value >= low;
  if (strncmp(limits, "<= ", 3) == 0) return scree_parse_number(limits + 3, &low) == SCREE_OK && value <= low;
  if (strncmp(limits, "> ", 2) == 0) return scree_parse_number(limits + 2, &low) == SCREE_OK && value > low;
  const char *dots = strstr(limits, " ... ");
  snprintf(first, sizeof first, "%.*s", (int)(dots - limits), limits);
  return scree_parse_number(first, &low) == SCREE_OK && scree_parse_number(dots + 5, &high) == SCREE_OK &&
         value >= low && value <= high;
}

ScreeStatus scree_read_number(ScreeReader *r, const ScreeNode *node, const char *name, const char *unit,
                              const char *limits, double *value) {
  bool pure = strcmp(unit, "1") == 0;
  if (node->kind != SCREE_NODE_SCALAR || !*node->text)
    return wrong_kind(r, node, name, pure ? "a number" : "a number, with a unit if it is not SI");
  double number;
  ScreeStatus status = scree_parse_quantity(node->text, unit, &number);
  if (status == SCREE_UNKNOWN && !pure)
    return scree_blame(r->fault, node, status, "%s: %.300s; it must be one of %s, or none for SI", name,
                       scree_last_error(), unit);
  if (status != SCREE_OK) return scree_blame_last(r->fault, node, status, name);
  if (!scree_limit_holds(limits, number))
    return scree_blame(r->fault, node, SCREE_INVALID, "%s must be %s%s%s%s (got %.10g)", name,
                       strstr(limits, " ... ") ? "in " : "", limits, pure ? "" : " ", pure ? "" : unit, number);
  *value = number;
  return SCREE_OK;
}

static bool three(const ScreeNode *node) { return node->kind == SCREE_NODE_LIST && node->count == 3; }

static ScreeStatus not_three(ScreeReader *r, const ScreeNode *node, const char *name, const char *example) {
  if (node->kind != SCREE_NODE_LIST) return wrong_kind(r, node, name, example);
  return scree_blame(r->fault, node, SCREE_INVALID, "%s must be %s; this list has %zu values", name, example,
                     node->count);
}

ScreeStatus scree_read_vector(ScreeReader *r, const ScreeNode *node, const char *name, const char *unit,
                              double *value) {
  if (!three(node)) return not_three(r, node, name, "three numbers, like [0, 0, 1]");
  for (size_t k = 0; k < 3; k++) SCREE_TRY(scree_read_number(r, &node->child[k], name, unit, "", &value[k]));
  return SCREE_OK;
}

static ScreeStatus read_flag(ScreeReader *r, const ScreeNode *node, const char *name, bool *value) {
  static const char *const words[] = {"no", "yes", "false", "true"};
  for (int i = 0; i < 4 && node->kind == SCREE_NODE_SCALAR; i++)
    if (strcasecmp(node->text, words[i]) == 0) return *value = i % 2, SCREE_OK;
  if (node->kind != SCREE_NODE_SCALAR || !*node->text) return wrong_kind(r, node, name, "yes or no");
  return scree_blame(r->fault, node, SCREE_INVALID, "%s must be yes or no (got \"%.60s\")", name, node->text);
}

static ScreeStatus read_flags(ScreeReader *r, const ScreeNode *node, const char *name, bool *value) {
  if (!three(node)) return not_three(r, node, name, "three of yes or no, like [yes, yes, no]");
  for (size_t k = 0; k < 3; k++) SCREE_TRY(read_flag(r, &node->child[k], name, &value[k]));
  return SCREE_OK;
}

static ScreeStatus read_whole(ScreeReader *r, const ScreeNode *node, const ScreeKey *key, int64_t *value) {
  double number = 0;
  SCREE_TRY(scree_read_number(r, node, key->name, "1", key->limits, &number));
  if (number != floor(number))
    return scree_blame(r->fault, node, SCREE_INVALID, "%s must be a whole number (got %.10g)", key->name, number);
  *value = (int64_t)number;
  return SCREE_OK;
}

static ScreeStatus read_text(ScreeReader *r, const ScreeNode *node, const char *name, char **value) {
  if (node->kind != SCREE_NODE_SCALAR) return wrong_kind(r, node, name, "text");
  char *copy = strdup(node->text);
  if (!copy) return scree_blame(r->fault, node, SCREE_NO_MEMORY, "no memory for the scene");
  free(*value);
  *value = copy;
  return SCREE_OK;
}

static ScreeStatus read_auto(ScreeReader *r, const ScreeNode *node, const ScreeKey *key, double *value) {
  if (node->kind == SCREE_NODE_SCALAR && strcmp(node->text, "auto") == 0) return *value = NAN, SCREE_OK;
  return scree_read_number(r, node, key->name, key->unit, key->limits, value);
}

/* ---- lists and names ---- */

void *scree_array_add(ScreeReader *r, ScreeArray *array, size_t size) {
  if (array->count == array->capacity) {
    size_t capacity = array->capacity ? 2 * array->capacity : 4;
    void *at = realloc(array->at, capacity * size);
    if (!at) {
      scree_blame(r->fault, NULL, SCREE_NO_MEMORY, "no memory for the scene");
      return NULL;
    }
    array->at = at;
    array->capacity = capacity;
  }
  void *item = (char *)array->at + array->count++ * size;
  memset(item, 0, size);
  return item;
}

static ScreeStatus read_item(ScreeReader *r, const ScreeNode *node, const char *name, ScreeSectionId section,
                             ScreeArray *array) {
  ScreeItem *item = scree_array_add(r, array, scree_sections[section].size);
  if (!item) return SCREE_NO_MEMORY;
  SCREE_TRY(scree_preset_section(r, section, item));
  item->node = node;
  if (name && !(item->name = strdup(name)))
    return scree_blame(r->fault, node, SCREE_NO_MEMORY, "no memory for the scene");
  return scree_read_section(r, node, section, item, false, NULL);
}

static ScreeStatus read_items(ScreeReader *r, const ScreeNode *node, const ScreeKey *key, ScreeArray *array) {
  if (node->kind != SCREE_NODE_LIST) return wrong_kind(r, node, key->name, "a list of maps (each begins with \"- \")");
  for (size_t i = 0; i < node->count; i++) SCREE_TRY(read_item(r, &node->child[i], NULL, key->sub, array));
  return SCREE_OK;
}

/* A setting of a name that is not there makes a new entry, which lacks the rest: another name was meant. */
static void offer_name(ScreeReader *r, const ScreeNode *map, const ScreeNode *name) {
  const char *names[MAX_MATERIALS];
  size_t count = 0, length = strlen(r->fault->sentence);
  if (!name->source->option) return;
  for (size_t i = 0; i < map->count; i += 2)
    if (&map->child[i] != name && map->child[i].kind == SCREE_NODE_SCALAR) names[count++] = map->child[i].text;
  const char *nearest = nearest_of(name->text, names, count);
  if (nearest)
    snprintf(r->fault->sentence + length, sizeof r->fault->sentence - length,
             "; \"%.60s\" is new here: did you mean \"%.60s\"?", name->text, nearest);
}

static ScreeStatus read_names(ScreeReader *r, const ScreeNode *node, const ScreeKey *key, ScreeArray *array) {
  if (node->kind != SCREE_NODE_MAP) return wrong_kind(r, node, key->name, "a map of names (\"name: {...}\")");
  if (node->count > 2 * MAX_MATERIALS)
    return scree_blame(r->fault, node, SCREE_INVALID, "there are more than %d %s", MAX_MATERIALS, key->name);
  for (size_t i = 0; i < node->count; i += 2) {
    const ScreeNode *name = &node->child[i];
    if (name->kind != SCREE_NODE_SCALAR || !*name->text || strpbrk(name->text, "[],"))
      return scree_blame(r->fault, name, SCREE_INVALID, "a name of %s must be a word", key->name);
    for (size_t j = 0; j < array->count; j++)
      if (strcmp(((ScreeItem *)((char *)array->at + j * scree_sections[key->sub].size))->name, name->text) == 0)
        return scree_blame(r->fault, name, SCREE_INVALID, "\"%.60s\" is there twice", name->text);
    ScreeStatus status = read_item(r, &node->child[i + 1], name->text, key->sub, array);
    if (status == SCREE_MISSING) offer_name(r, node, name);
    SCREE_TRY(status);
  }
  return SCREE_OK;
}

/* ---- keys ---- */

static ScreeStatus (*const own[SCREE_KEY_COUNT])(ScreeReader *r, const ScreeNode *node, void *target) = {
#define SECTION(...)
#define KEY(...)
#define PART(...)
#define FORM(...)
#define ITEMS(...)
#define NAMES(...)
#define OWN(section, name, ...) [SCREE_KEY_##section##_##name] = scree_read_##section##_##name,
#define OWN_FORM OWN
#define LATER(...)
#include "scene_keys.def"
};

static ScreeFinish *const finish[SCREE_SECTION_COUNT] = {
    [SCREE_SECTION_domain] = scree_finish_domain,
    [SCREE_SECTION_wall] = scree_finish_wall,
    [SCREE_SECTION_plane] = scree_finish_plane,
    [SCREE_SECTION_rotate] = scree_finish_rotate,
    [SCREE_SECTION_wall_box] = scree_finish_wall_box,
    [SCREE_SECTION_wall_cylinder] = scree_finish_wall_cylinder,
    [SCREE_SECTION_cone] = scree_finish_cone,
    [SCREE_SECTION_disc] = scree_finish_disc,
    [SCREE_SECTION_box] = scree_finish_box,
    [SCREE_SECTION_cylinder] = scree_finish_cylinder,
    [SCREE_SECTION_lattice] = scree_finish_lattice,
    [SCREE_SECTION_inlet_disc] = scree_finish_inlet_disc,
    [SCREE_SECTION_beyond] = scree_finish_beyond,
    [SCREE_SECTION_outlet] = scree_finish_outlet,
    [SCREE_SECTION_stream] = scree_finish_stream,
    [SCREE_SECTION_particles] = scree_finish_particles,
    [SCREE_SECTION_uniform] = scree_finish_uniform,
    [SCREE_SECTION_normal] = scree_finish_normal,
    [SCREE_SECTION_lognormal] = scree_finish_lognormal,
    [SCREE_SECTION_run] = scree_finish_run,
    [SCREE_SECTION_motion] = scree_finish_motion,
    [SCREE_SECTION_rotation] = scree_finish_axis,
    [SCREE_SECTION_rocking] = scree_finish_axis,
    [SCREE_SECTION_servo] = scree_finish_axis,
    [SCREE_SECTION_torque_servo] = scree_finish_axis,
    [SCREE_SECTION_waypoints] = scree_finish_waypoints,
    [SCREE_SECTION_through] = scree_finish_through,
    [SCREE_SECTION_opening_disc] = scree_finish_opening_disc,
    [SCREE_SECTION_rectangle] = scree_finish_rectangle,
};

static ScreeStatus read_value(ScreeReader *r, const ScreeNode *node, ScreeKeyId id, void *target) {
  const ScreeKey *key = &scree_keys[id];
  void *member = (char *)target + key->offset;
  switch (key->kind) {
  case SCREE_KEY_NUMBER: return scree_read_number(r, node, key->name, key->unit, key->limits, member);
  case SCREE_KEY_AUTO: return read_auto(r, node, key, member);
  case SCREE_KEY_VECTOR: return scree_read_vector(r, node, key->name, key->unit, member);
  case SCREE_KEY_FLAG: return read_flag(r, node, key->name, member);
  case SCREE_KEY_FLAGS: return read_flags(r, node, key->name, member);
  case SCREE_KEY_WHOLE: return read_whole(r, node, key, member);
  case SCREE_KEY_TEXT: return read_text(r, node, key->name, member);
  case SCREE_KEY_PART: return scree_read_section(r, node, key->sub, member, false, NULL);
  case SCREE_KEY_ITEMS: return read_items(r, node, key, member);
  case SCREE_KEY_NAMES: return read_names(r, node, key, member);
  case SCREE_KEY_OWN: return own[id](r, node, target);
  case SCREE_KEY_LATER: break;
  }
  return scree_blame(r->fault, node, SCREE_UNSUPPORTED, "%s (%s) is not in this version of scree: leave it out",
                     key->name, key->help);
}

/* What a key is when nothing gives it. */
static void leave_out(const ScreeKey *key, void *member) {
  switch (key->kind) {
  case SCREE_KEY_NUMBER:
  case SCREE_KEY_AUTO: *(double *)member = NAN; break;
  case SCREE_KEY_VECTOR:
    for (int k = 0; k < 3; k++) ((double *)member)[k] = NAN;
    break;
  case SCREE_KEY_WHOLE: *(int64_t *)member = -1; break;
  default: break; /* texts, arrays: zero already */
  }
}

ScreeStatus scree_preset_section(ScreeReader *r, ScreeSectionId section, void *target) {
  for (int i = 0; i < SCREE_KEY_COUNT; i++) {
    const ScreeKey *key = &scree_keys[i];
    if (key->section != section) continue;
    leave_out(key, (char *)target + key->offset);
    if (key->kind == SCREE_KEY_PART && scree_sections[key->sub].form < 0 && !key->form)
      SCREE_TRY(scree_preset_section(r, key->sub, (char *)target + key->offset));
    if (!key->preset || !*key->preset) continue;
    ScreeSource source = {.name = (char *)"preset", .text = (char *)key->preset, .length = strlen(key->preset)};
    ScreeNode node;
    SCREE_TRY(scree_tree_parse(&source, 0, &node, r->fault));
    ScreeStatus status = read_value(r, &node, (ScreeKeyId)i, target);
    scree_tree_free(&node);
    SCREE_TRY(status);
  }
  return SCREE_OK;
}

static int first_key(ScreeSectionId section) {
  int i = 0;
  while (scree_keys[i].section != section) i++;
  return i;
}

bool scree_was_given(uint64_t given, ScreeKeyId key) {
  return given >> ((int)key - first_key(scree_keys[key].section)) & 1;
}

/* "fill, lattice or list" */
static const char *form_names(ScreeSectionId section, char out[160]) {
  const char *names[16];
  int count = 0;
  for (int i = 0; i < SCREE_KEY_COUNT; i++)
    if (scree_keys[i].section == section && scree_keys[i].form) names[count++] = scree_keys[i].name;
  int length = 0;
  *out = '\0';
  for (int i = 0; i < count; i++)
    length += snprintf(out + length, (size_t)(160 - length), "%s%s",
                       i == 0           ? ""
                       : i + 1 == count ? " or "
                                        : ", ",
                       names[i]);
  return out;
}

/* Notes the form that a key chooses; a second one is refused. Its own presets are set now: forms share a struct. */
static ScreeStatus choose_form(ScreeReader *r, const ScreeNode *node, ScreeKeyId id, void *target) {
  const ScreeKey *key = &scree_keys[id];
  int *form = (int *)((char *)target + scree_sections[key->section].form);
  if (*form != 0)
    return scree_blame(r->fault, node, SCREE_INVALID, "%s and %s exclude each other", scree_keys[*form].name,
                       key->name);
  if (key->kind == SCREE_KEY_PART) SCREE_TRY(scree_preset_section(r, key->sub, (char *)target + key->offset));
  *form = (int)id;
  return SCREE_OK;
}

static ScreeStatus check_complete(ScreeReader *r, const ScreeNode *map, ScreeSectionId section, const void *target,
                                  uint64_t given) {
  char title[64], names[160];
  for (int i = first_key(section), bit = 0; i < SCREE_KEY_COUNT && scree_keys[i].section == section; i++, bit++)
    if (!scree_keys[i].preset && !(given >> bit & 1))
      return scree_blame(r->fault, map, SCREE_MISSING, "%s lacks \"%s\": %s%s%s%s", lower_title(section, title),
                         scree_keys[i].name, scree_keys[i].help, *scree_keys[i].unit ? " [" : "", scree_keys[i].unit,
                         *scree_keys[i].unit ? "]" : "");
  long form = scree_sections[section].form;
  if (form >= 0 && *(const int *)((const char *)target + form) == 0)
    return scree_blame(r->fault, map, SCREE_MISSING, "%s lacks its form: %s", lower_title(section, title),
                       form_names(section, names));
  return SCREE_OK;
}

ScreeStatus scree_read_section(ScreeReader *r, const ScreeNode *map, ScreeSectionId section, void *target, bool stray,
                               uint64_t *given) {
  char title[64];
  uint64_t seen = 0;
  if (map->kind != SCREE_NODE_MAP) return wrong_kind(r, map, lower_title(section, title), "a map of keys");
  if (scree_sections[section].form >= 0) *(int *)((char *)target + scree_sections[section].form) = 0;
  for (size_t i = 0; i + 1 < map->count; i += 2) {
    const ScreeNode *name = &map->child[i];
    if (name->kind != SCREE_NODE_SCALAR) return wrong_kind(r, name, "a key", "a word");
    ScreeKeyId id = scree_key_find(section, name->text);
    if (id == SCREE_KEY_COUNT && stray) continue;
    if (id == SCREE_KEY_COUNT) return unknown_key(r, name, section);
    uint64_t bit = (uint64_t)1 << ((int)id - first_key(section));
    if (seen & bit) return scree_blame(r->fault, name, SCREE_INVALID, "\"%s\" is there twice", name->text);
    seen |= bit;
    if (scree_keys[id].form) SCREE_TRY(choose_form(r, name, id, target));
    const ScreeNode *place = scree_keys[id].kind == SCREE_KEY_LATER ? name : &map->child[i + 1];
    SCREE_TRY(read_value(r, place, id, target));
  }
  SCREE_TRY(check_complete(r, map, section, target, seen));
  if (given) *given = seen;
  return finish[section] ? finish[section](r, map, target, seen) : SCREE_OK;
}

/* ---- the whole ---- */

ScreeStatus scree_find_material(ScreeReader *r, const ScreeNode *node, const char *name, int *id) {
  const char *names[MAX_MATERIALS];
  for (size_t i = 0; i < r->scene->materials.count; i++) {
    names[i] = scree_scene_material(r->scene, i)->item.name;
    if (strcmp(names[i], name) == 0) return *id = (int)i, SCREE_OK;
  }
  ScreeNode place = *node; /* a name inside "[a, b]" is only a part of its node's text */
  place.text = (char *)name;
  return scree_unknown_word(r, &place, "material", names, r->scene->materials.count);
}

static ScreeStatus resolve_materials(ScreeReader *r) {
  const ScreeScene *s = r->scene;
  for (size_t i = 0; i < s->walls.count; i++) {
    ScreeSceneWall *wall = scree_scene_wall(s, i);
    const ScreeNode *node = scree_node_value(wall->item.node, "material", NULL);
    SCREE_TRY(scree_find_material(r, node, wall->material, &wall->material_id));
    wall->def.material = wall->material_id;
  }
  for (size_t i = 0; i < s->particles.count; i++) {
    ScreeSceneParticles *group = scree_scene_particles(s, i);
    const ScreeNode *node = scree_node_value(group->item.node, "material", NULL);
    SCREE_TRY(scree_find_material(r, node, group->material, &group->material_id));
  }
  return SCREE_OK;
}

static ScreeStatus not_empty(ScreeReader *r, size_t count, const char *key) {
  const ScreeNode *node = scree_node_value(&r->scene->root, key, NULL);
  return count > 0 ? SCREE_OK : scree_blame(r->fault, node, SCREE_MISSING, "%s is empty: one is needed at least", key);
}

static ScreeStatus read_scene(ScreeReader *r, const char *const *settings, size_t count) {
  ScreeScene *s = r->scene;
  SCREE_TRY(scree_tree_parse(s->source, 0, &s->root, r->fault));
  if (s->root.kind != SCREE_NODE_MAP)
    return scree_blame(r->fault, &s->root, SCREE_INVALID, "a scene is a map of keys (\"scree: 1\" and so on), not %s",
                       scree_node_kind_name(&s->root));
  for (size_t i = 0; i < count; i++) SCREE_TRY(scree_scene_set(r, settings[i]));
  SCREE_TRY(scree_preset_section(r, SCREE_SECTION_scene, s));
  SCREE_TRY(scree_read_section(r, &s->root, SCREE_SECTION_scene, s, false, NULL));
  SCREE_TRY(not_empty(r, s->materials.count, "materials"));
  SCREE_TRY(not_empty(r, s->particles.count, "particles"));
  SCREE_TRY(scree_read_contacts(r));
  return resolve_materials(r);
}

static ScreeStatus read_source(ScreeSource *source, const char *const *settings, size_t count, ScreeScene **scene,
                               ScreeFault *fault) {
  ScreeScene *s = calloc(1, sizeof *s);
  if (!s) {
    scree_source_free(source);
    return scree_blame(fault, NULL, SCREE_NO_MEMORY, "no memory for the scene");
  }
  s->source = source;
  ScreeReader reader = {.scene = s, .fault = fault};
  ScreeStatus status = read_scene(&reader, settings, count);
  if (status == SCREE_OK)
    *scene = s;
  else
    scree_scene_free(s);
  return status;
}

ScreeStatus scree_scene_read(const char *path, const char *const *settings, size_t count, ScreeScene **scene,
                             ScreeFault *fault) {
  ScreeSource *source = NULL;
  SCREE_TRY(scree_source_read(path, &source, fault));
  SCREE_TRY(read_source(source, settings, count, scene, fault));
  ScreeStatus status = scree_scene_load(*scene, path, fault);
  if (status == SCREE_OK) return status;
  scree_scene_free(*scene);
  *scene = NULL;
  return status;
}

ScreeStatus scree_scene_read_text(const char *name, const char *text, size_t length, const char *const *settings,
                                  size_t count, ScreeScene **scene, ScreeFault *fault) {
  ScreeSource *source = scree_source_new(name, text, length, false);
  if (!source) return scree_blame(fault, NULL, SCREE_NO_MEMORY, "no memory for the scene");
  return read_source(source, settings, count, scene, fault);
}

/* ---- the end ---- */

static void free_items(ScreeArray *array, ScreeSectionId section);

/* Texts, arrays and parts, as the keys say. */
static void free_section(ScreeSectionId section, void *target) {
  for (int i = 0; i < SCREE_KEY_COUNT; i++) {
    const ScreeKey *key = &scree_keys[i];
    void *member = (char *)target + key->offset;
    if (key->section != section) continue;
    if (key->kind == SCREE_KEY_TEXT) free(*(char **)member);
    if (key->kind == SCREE_KEY_ITEMS || key->kind == SCREE_KEY_NAMES) free_items(member, key->sub);
    if (key->kind == SCREE_KEY_PART) free_section(key->sub, member);
  }
}

static void free_items(ScreeArray *array, ScreeSectionId section) {
  for (size_t i = 0; i < array->count; i++) {
    void *item = (char *)array->at + i * scree_sections[section].size;
    free_section(section, item);
    free(((ScreeItem *)item)->name);
  }
  free(array->at);
  *array = (ScreeArray){0};
}

static void free_words(ScreeArray *words) {
  for (size_t i = 0; i < words->count; i++) free(((char **)words->at)[i]);
  free(words->at);
}

void scree_scene_free(ScreeScene *s) {
  if (!s) return;
  for (size_t i = 0; i < s->particles.count; i++) { /* what OWN keys made */
    free(scree_scene_particles(s, i)->list.at);
    free(scree_scene_particles(s, i)->radius.table.at);
    free_words(&scree_scene_particles(s, i)->csv.words);
    free_words(&scree_scene_particles(s, i)->lammps.words);
  }
  for (size_t i = 0; i < s->walls.count; i++)
    scree_scene_free_wall(scree_scene_wall(s, i)), scree_scene_free_mesh(&scree_scene_wall(s, i)->mesh);
  for (size_t i = 0; i < s->outlets.count; i++) free(scree_scene_outlet(s, i)->through.mesh);
  free_items(&s->contacts, SCREE_SECTION_contact);
  free_section(SCREE_SECTION_scene, s);
  scree_tree_free(&s->root);
  for (size_t i = 0; i < s->options.count; i++) scree_source_free(((ScreeSource **)s->options.at)[i]);
  free(s->options.at);
  scree_source_free(s->source);
  free(s);
}
