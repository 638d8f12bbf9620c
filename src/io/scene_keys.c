/* scene_keys.c: the tables, expanded from scene_keys.def. */
#include "io/scene_keys.h"

#include <string.h>

/* Type_<section>: the struct a section is read into. */
#define SECTION(id, type, ...) typedef type Type_##id;
#include "scene_keys.def"

const ScreeSection scree_sections[SCREE_SECTION_COUNT] = {
#define SECTION(id, type, member, heading)                                                                             \
  [SCREE_SECTION_##id] = {.name = #id, .title = heading, .size = sizeof(type), .form = (long)(member)},
#include "scene_keys.def"
};

#define KIND_NUMBER SCREE_KEY_NUMBER
#define KIND_AUTO SCREE_KEY_AUTO
#define KIND_VECTOR SCREE_KEY_VECTOR
#define KIND_FLAG SCREE_KEY_FLAG
#define KIND_FLAGS SCREE_KEY_FLAGS
#define KIND_COUNT SCREE_KEY_WHOLE
#define KIND_TEXT SCREE_KEY_TEXT

const ScreeKey scree_keys[SCREE_KEY_COUNT] = {
#define NEEDED NULL
#define ROW(in, key, ...) [SCREE_KEY_##in##_##key] = {.section = SCREE_SECTION_##in, .name = #key, __VA_ARGS__},
#define KEY(in, key, type, si, range, value, member, text)                                                             \
  ROW(in, key, .kind = KIND_##type, .unit = si, .limits = range, .preset = value,                                      \
      .offset = offsetof(Type_##in, member), .help = text)
#define WITHIN(in, key, type, below, value, member, text, choice)                                                      \
  ROW(in, key, .kind = type, .unit = "", .limits = "", .preset = value, .offset = offsetof(Type_##in, member),         \
      .sub = SCREE_SECTION_##below, .form = choice, .help = text)
#define PART(in, key, below, value, member, text) WITHIN(in, key, SCREE_KEY_PART, below, value, member, text, false)
#define FORM(in, key, below, member, text) WITHIN(in, key, SCREE_KEY_PART, below, "", member, text, true)
#define ITEMS(in, key, below, value, member, text) WITHIN(in, key, SCREE_KEY_ITEMS, below, value, member, text, false)
#define NAMES(in, key, below, value, member, text) WITHIN(in, key, SCREE_KEY_NAMES, below, value, member, text, false)
#define OWN(in, key, words, value, text)                                                                               \
  ROW(in, key, .kind = SCREE_KEY_OWN, .what = words, .unit = "", .limits = "", .preset = value, .help = text)
#define OWN_FORM(in, key, words, text)                                                                                 \
  ROW(in, key, .kind = SCREE_KEY_OWN, .what = words, .unit = "", .limits = "", .preset = "", .form = true, .help = text)
#define LATER(in, key, text) ROW(in, key, .kind = SCREE_KEY_LATER, .unit = "", .limits = "", .preset = "", .help = text)
#include "scene_keys.def"
};

const ScreeLikely scree_likely[SCREE_KEY_COUNT] = {
#define LIKELY(in, key, range, unit) [SCREE_KEY_##in##_##key] = {.limits = range, .meant = unit},
#include "scene_keys.def"
};

ScreeKeyId scree_key_find(ScreeSectionId section, const char *name) {
  for (int i = 0; i < SCREE_KEY_COUNT; i++)
    if (scree_keys[i].section == section && strcmp(scree_keys[i].name, name) == 0) return (ScreeKeyId)i;
  return SCREE_KEY_COUNT;
}

const char *scree_key_kind_name(ScreeKeyId key) {
  switch (scree_keys[key].kind) {
  case SCREE_KEY_NUMBER: return "number";
  case SCREE_KEY_AUTO: return "number or auto";
  case SCREE_KEY_VECTOR: return "[x, y, z]";
  case SCREE_KEY_FLAG: return "yes or no";
  case SCREE_KEY_FLAGS: return "[yes or no, ...]";
  case SCREE_KEY_WHOLE: return "whole number";
  case SCREE_KEY_TEXT: return "text";
  case SCREE_KEY_PART: return "map";
  case SCREE_KEY_ITEMS: return "list of maps";
  case SCREE_KEY_NAMES: return "maps by name";
  case SCREE_KEY_OWN: return scree_keys[key].what;
  case SCREE_KEY_LATER: return "not in this version";
  }
  return "";
}
