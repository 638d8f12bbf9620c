/* scene_keys.h: the rows of scene_keys.def as tables. */
#ifndef SCREE_SCENE_KEYS_H
#define SCREE_SCENE_KEYS_H

#include "io/scene.h"

typedef enum ScreeSectionId {
#define SECTION(id, ...) SCREE_SECTION_##id,
#include "scene_keys.def"
  SCREE_SECTION_COUNT
} ScreeSectionId;

typedef enum ScreeKeyId {
#define KEY(section, name, ...) SCREE_KEY_##section##_##name,
#define PART KEY
#define FORM KEY
#define ITEMS KEY
#define NAMES KEY
#define OWN KEY
#define OWN_FORM KEY
#define LATER KEY
#include "scene_keys.def"
  SCREE_KEY_COUNT
} ScreeKeyId;

typedef enum ScreeKeyKind {
  SCREE_KEY_NUMBER,
  SCREE_KEY_AUTO,
  SCREE_KEY_VECTOR,
  SCREE_KEY_FLAG,
  SCREE_KEY_FLAGS,
  SCREE_KEY_WHOLE,
  SCREE_KEY_TEXT,
  SCREE_KEY_PART,
  SCREE_KEY_ITEMS,
  SCREE_KEY_NAMES,
  SCREE_KEY_OWN,
  SCREE_KEY_LATER,
} ScreeKeyKind;

typedef struct ScreeKey {
  ScreeSectionId section;
  const char *name;
  ScreeKeyKind kind;
  const char *what;   /* its kind in words, for OWN keys */
  const char *unit;   /* "" where there is none */
  const char *limits; /* "> 0", ">= 0", "a ... b", "" */
  const char *preset; /* as written; "": may be left out; NULL: needed */
  size_t offset;      /* of the member */
  ScreeSectionId sub; /* of PART, ITEMS, NAMES */
  bool form;          /* exactly one of the section's forms is given */
  const char *help;
} ScreeKey;

/* Beyond which a key's number is hardly meant; limits NULL: nothing is said of it. */
typedef struct ScreeLikely {
  const char *limits; /* "<= 2", ">= 20" */
  const char *meant;  /* the unit that was forgotten; "": a unit makes no difference */
} ScreeLikely;

typedef struct ScreeSection {
  const char *name, *title;
  size_t size;
  long form; /* offset of the member that says which form was chosen; -1: none */
} ScreeSection;

extern const ScreeKey scree_keys[SCREE_KEY_COUNT];
extern const ScreeLikely scree_likely[SCREE_KEY_COUNT];
extern const ScreeSection scree_sections[SCREE_SECTION_COUNT];

/* The key of that name in a section; SCREE_KEY_COUNT when there is none. */
ScreeKeyId scree_key_find(ScreeSectionId section, const char *name);
/* What a value of the key is, in words: "number", "vector", "yes or no", ... */
const char *scree_key_kind_name(ScreeKeyId key);

#endif
