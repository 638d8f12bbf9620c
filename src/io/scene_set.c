/* scene_set.c: `path=value`, put into the tree before anything is checked. Keys are separated by dots, entries of lists
 * are counted from 0, a pair of materials is [a,b]: run.duration=2s, particles.0.count=100,
 * contacts.[glass,steel].friction=0.3. The value is YAML. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/scene_reader.h"

#include "core/status.h"

#include <stdlib.h>
#include <string.h>

/* The path's next part, and what follows it. Dots inside brackets belong to the part. */
static const char *next_part(const char *path, const char *end, char *part, size_t size) {
  const char *stop = path;
  if (*path == '[')
    while (stop < end && *stop != ']') stop++;
  while (stop < end && *stop != '.') stop++;
  snprintf(part, size, "%.*s", (int)(stop - path), path);
  return stop < end ? stop + 1 : NULL;
}

/* Do two texts say the same but for spaces? */
static bool same_words(const char *a, const char *b) {
  for (;; a++, b++) {
    while (*a == ' ') a++;
    while (*b == ' ') b++;
    if (*a != *b) return false;
    if (!*a) return true;
  }
}

/* "[a, b]" of a key that is written as a list. */
static bool names_pair(const ScreeNode *key, const char *part) {
  char text[160];
  if (key->kind != SCREE_NODE_LIST || key->count != 2) return false;
  if (key->child[0].kind != SCREE_NODE_SCALAR || key->child[1].kind != SCREE_NODE_SCALAR) return false;
  snprintf(text, sizeof text, "[%.70s,%.70s]", key->child[0].text, key->child[1].text);
  return same_words(text, part);
}

static ScreeStatus no_entry(ScreeReader *r, const ScreeNode *place, const ScreeNode *list, const char *part) {
  if (list->count == 0) return scree_blame(r->fault, place, SCREE_UNKNOWN, "\"%.60s\": the list is empty", part);
  return scree_blame(r->fault, place, SCREE_UNKNOWN, "there is no entry \"%.60s\": the list has 0 ... %zu", part,
                     list->count - 1);
}

/* The child that a part of the path names; a key that is not there yet is added. */
static ScreeStatus descend(ScreeReader *r, ScreeNode *place, const char *part, ScreeNode **node) {
  ScreeNode *at = *node;
  if (at->kind == SCREE_NODE_LIST) {
    char *end;
    unsigned long index = strtoul(part, &end, 10);
    if (!*part || *part < '0' || *part > '9' || *end || index >= at->count) return no_entry(r, place, at, part);
    *node = &at->child[index];
    return SCREE_OK;
  }
  if (at->kind == SCREE_NODE_SCALAR && at->text && *at->text)
    return scree_blame(r->fault, place, SCREE_INVALID, "\"%.60s\" is asked for in \"%.60s\", which is a value", part,
                       at->text);
  at->kind = SCREE_NODE_MAP;
  free(at->text);
  at->text = NULL;
  for (size_t i = 0; i + 1 < at->count; i += 2) {
    bool same = at->child[i].kind == SCREE_NODE_SCALAR && same_words(at->child[i].text, part);
    if (same || names_pair(&at->child[i], part)) return *node = &at->child[i + 1], SCREE_OK;
  }
  ScreeNode *key = scree_node_add(at);
  if (key) {
    key->source = place->source, key->at = place->at, key->end = place->end;
    key->text = strdup(part);
  }
  ScreeNode *value = key && key->text ? scree_node_add(at) : NULL;
  if (!value) return scree_blame(r->fault, place, SCREE_NO_MEMORY, "no memory for the scene");
  value->source = place->source, value->at = place->at, value->end = place->end;
  value->text = strdup("");
  *node = value;
  return value->text ? SCREE_OK : scree_blame(r->fault, place, SCREE_NO_MEMORY, "no memory for the scene");
}

static ScreeStatus keep_option(ScreeReader *r, const char *setting, ScreeSource **source) {
  char name[200];
  snprintf(name, sizeof name, "--set %.180s", setting);
  ScreeSource **slot = scree_array_add(r, &r->scene->options, sizeof *slot);
  if (!slot) return SCREE_NO_MEMORY;
  *slot = *source = scree_source_new(name, setting, strlen(setting), true);
  return *source ? SCREE_OK : scree_blame(r->fault, NULL, SCREE_NO_MEMORY, "no memory for the scene");
}

ScreeStatus scree_scene_set(ScreeReader *r, const char *setting) {
  ScreeSource *source = NULL;
  SCREE_TRY(keep_option(r, setting, &source));
  const char *equals = strchr(setting, '=');
  ScreeNode place = {.source = source, .end = equals ? (size_t)(equals - setting) : strlen(setting)};
  if (!equals || equals == setting)
    return scree_blame(r->fault, &place, SCREE_INVALID, "a setting is path=value, like run.duration=2s");
  ScreeNode value, *node = &r->scene->root;
  for (const char *path = setting; path;) {
    char part[128];
    place.at = (size_t)(path - setting);
    path = next_part(path, equals, part, sizeof part);
    place.end = path ? (size_t)(path - setting) - 1 : (size_t)(equals - setting);
    if (!*part) return scree_blame(r->fault, &place, SCREE_INVALID, "the path has an empty part");
    SCREE_TRY(descend(r, &place, part, &node));
  }
  if (!equals[1 + strspn(equals + 1, " \t\r\n")]) {
    place.at = place.end = (size_t)(equals - setting) + 1;
    return scree_blame(r->fault, &place, SCREE_MISSING, "there is no value after \"=\"");
  }
  SCREE_TRY(scree_tree_parse(source, (size_t)(equals - setting) + 1, &value, r->fault));
  scree_tree_free(node);
  *node = value;
  return SCREE_OK;
}
