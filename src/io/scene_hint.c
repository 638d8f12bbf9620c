/* scene_hint.c: numbers that are hardly meant, by the LIKELY rows of scene_keys.def: those whose unit was probably
 * forgotten, and those that no unit explains. A plain number is SI, so that "radius: 1.5" is a boulder; this is said
 * only where the scene is in SI at all: some number carries a unit, or gravity is that of the Earth. Scenes in units of
 * their own (diameter, density and gravity 1) have neither. */
#include "io/scene_reader.h"

#include "core/sizes.h"
#include "io/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_GRAIN 0.5    /* m */
#define WIDE_DOMAIN 5.0    /* m ... */
#define WIDE_IN_GRAINS 5e3 /* ... and radii: thousands of millions of grains */

typedef struct Hints {
  ScreeFault *fault;
  size_t count, named;
  const char *name[SCREE_SCENE_HINTS]; /* said once each */
  bool si, lengths;                    /* lengths: of them is one */
} Hints;

/* ---- is the scene in SI? ---- */

static bool is_bare(const ScreeNode *node, double *value) {
  return node && node->kind == SCREE_NODE_SCALAR && scree_parse_number(node->text, value) == SCREE_OK;
}

/* Angles and shares have the same numbers in all systems of units. */
static bool carries_unit(const ScreeNode *node) {
  double value;
  const char *text = node->text;
  if (!text || !(*text == '+' || *text == '-' || *text == '.' || (*text >= '0' && *text <= '9'))) return false;
  return scree_parse_number(text, &value) != SCREE_OK && scree_parse_quantity(text, "1", &value) != SCREE_OK &&
         scree_parse_quantity(text, "rad", &value) != SCREE_OK;
}

/* Words, and the clock of checkpoints, say nothing of the scene's units. */
static bool is_aside(const ScreeNode *key) {
  static const char *const names[] = {"title", "name", "file", "material", "checkpoint"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (key->kind == SCREE_NODE_SCALAR && strcmp(key->text, names[i]) == 0) return true;
  return false;
}

static bool has_units(const ScreeNode *node) {
  if (node->kind == SCREE_NODE_SCALAR) return carries_unit(node);
  size_t step = node->kind == SCREE_NODE_MAP ? 2 : 1;
  for (size_t i = step - 1; i < node->count; i += step)
    if (!(step == 2 && is_aside(&node->child[i - 1])) && has_units(&node->child[i])) return true;
  return false;
}

static bool is_si(const ScreeScene *s) {
  const double *g = s->gravity, earth = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  return (earth > 9.7 && earth < 9.9) || has_units(&s->root);
}

/* ---- the hints ---- */

/* Names a key in a sentence: the key of a distribution is a radius. */
static const char *shown_name(ScreeKeyId id) {
  switch (scree_keys[id].section) {
  case SCREE_SECTION_sizes:
  case SCREE_SECTION_uniform:
  case SCREE_SECTION_normal:
  case SCREE_SECTION_lognormal: return "radius";
  case SCREE_SECTION_rolling: return "rolling";
  default: return scree_keys[id].name;
  }
}

static void add(Hints *h, const ScreeNode *node, const char *name, const char *unit, const char *meant) {
  if (h->count < SCREE_SCENE_HINTS)
    scree_blame(
        &h->fault[h->count++], node, SCREE_OK,
        "%s: %.40s has no unit and counts as %.40s %s: did you mean %.40s %s? (with a unit it is taken as meant)", name,
        node->text, node->text, unit, node->text, meant);
}

/* These values are unlikely in any unit. */
static void add_unlikely(Hints *h, const ScreeNode *node, ScreeKeyId id, double value) {
  const char *name = shown_name(id), *most = scree_likely[id].limits + strlen("<= ");
  if (h->count >= SCREE_SCENE_HINTS) return;
  if (id == SCREE_KEY_run_duration)
    scree_blame(&h->fault[h->count++], node, SCREE_OK,
                "%s: %.40s are %.6g s of motion, more than the %s s that grains are hardly followed for: steps take "
                "microseconds; was \"%.4g ms\" meant, or the time by the clock, which no key sets?",
                name, node->text, value, most, strtod(node->text, NULL));
  else
    scree_blame(&h->fault[h->count++], node, SCREE_OK,
                "%s: %.40s counts as a coefficient, force over force, of which solids have hardly more than %s: an "
                "angle of %.4g degrees would be %.3g",
                name, node->text, most, value, tan(value * acos(-1.0) / 180));
}

static bool was_said(Hints *h, const char *name) {
  for (size_t i = 0; i < h->named; i++)
    if (strcmp(h->name[i], name) == 0) return true;
  h->name[h->named++] = name;
  return false;
}

/* One number. Once of a name is enough. */
static void look_at(Hints *h, const ScreeNode *node, ScreeKeyId id) {
  const ScreeLikely *likely = &scree_likely[id];
  bool coefficient = strcmp(scree_keys[id].unit, "1") == 0 || scree_keys[id].kind == SCREE_KEY_OWN;
  const char *unit = *scree_keys[id].unit ? scree_keys[id].unit : *likely->meant ? "m" : "1";
  double value;
  if (node->kind != SCREE_NODE_SCALAR) return;
  if (*likely->meant ? !h->si || !is_bare(node, &value) : scree_parse_quantity(node->text, unit, &value) != SCREE_OK)
    return;
  if (!*likely->meant && !coefficient && !h->si) return;
  if (scree_limit_holds(likely->limits, *likely->limits == '<' ? fabs(value) : value)) return;
  if (h->named >= SCREE_SCENE_HINTS || was_said(h, shown_name(id))) return;
  h->lengths = h->lengths || strcmp(unit, "m") == 0;
  if (*likely->meant)
    add(h, node, shown_name(id), unit, likely->meant);
  else
    add_unlikely(h, node, id, value);
}

/* The numbers of a key's value: itself, those of a vector, the first of each row of a table. */
static void look_at_all(Hints *h, const ScreeNode *node, ScreeKeyId id) {
  look_at(h, node, id);
  for (size_t i = 0; node->kind == SCREE_NODE_LIST && i < node->count; i++)
    look_at(h,
            node->child[i].kind == SCREE_NODE_LIST && node->child[i].count > 0 ? &node->child[i].child[0]
                                                                               : &node->child[i],
            id);
}

/* The section of the maps that a key holds; SCREE_SECTION_COUNT: it holds none. */
static ScreeSectionId held_by(ScreeKeyId id) {
  switch ((int)id) {
  case SCREE_KEY_scene_contacts: return SCREE_SECTION_contact;
  case SCREE_KEY_contact_rolling: return SCREE_SECTION_rolling;
  case SCREE_KEY_wall_motion: return SCREE_SECTION_motion;
  case SCREE_KEY_particles_radius: return SCREE_SECTION_sizes;
  case SCREE_KEY_particles_list: return SCREE_SECTION_grain;
  default: break;
  }
  ScreeKeyKind kind = scree_keys[id].kind;
  return kind == SCREE_KEY_PART || kind == SCREE_KEY_ITEMS || kind == SCREE_KEY_NAMES ? scree_keys[id].sub
                                                                                      : SCREE_SECTION_COUNT;
}

static void look_through(Hints *h, const ScreeNode *map, ScreeSectionId section);

static void look_below(Hints *h, const ScreeNode *node, ScreeKeyId id) {
  ScreeSectionId inner = held_by(id);
  bool names = scree_keys[id].kind == SCREE_KEY_NAMES || id == SCREE_KEY_scene_contacts;
  if (inner == SCREE_SECTION_COUNT) return;
  if (node->kind == SCREE_NODE_MAP && !names) look_through(h, node, inner);
  for (size_t i = 0; node->kind == SCREE_NODE_LIST && i < node->count; i++)
    if (node->child[i].kind == SCREE_NODE_MAP) look_through(h, &node->child[i], inner);
  for (size_t i = 1; node->kind == SCREE_NODE_MAP && names && i < node->count; i += 2)
    if (node->child[i].kind == SCREE_NODE_MAP) look_through(h, &node->child[i], inner);
}

static void look_through(Hints *h, const ScreeNode *map, ScreeSectionId section) {
  for (size_t i = 0; i + 1 < map->count; i += 2) {
    if (map->child[i].kind != SCREE_NODE_SCALAR) continue;
    ScreeKeyId id = scree_key_find(section, map->child[i].text);
    if (id == SCREE_KEY_COUNT) continue;
    if (scree_likely[id].limits) look_at_all(h, &map->child[i + 1], id);
    look_below(h, &map->child[i + 1], id);
  }
}

/* m; NaN: they are in files. */
static double largest_radius(const ScreeScene *s) {
  double largest = NAN;
  for (size_t i = 0; i < s->particles.count; i++) {
    const ScreeSceneParticles *group = scree_scene_particles(s, i);
    ScreeSizes sizes = scree_scene_sizes(&group->radius);
    if (scree_sizes_check(&sizes) == SCREE_OK) largest = fmax(largest, scree_sizes_largest(&sizes));
    for (size_t j = 0; j < group->list.count; j++)
      largest = fmax(largest, ((const ScreeSceneGrain *)group->list.at)[j].radius);
  }
  return largest;
}

static void hint_domain(Hints *h, const ScreeScene *s) {
  const ScreeNode *domain = scree_node_value(&s->root, "domain", NULL);
  double radius = largest_radius(s), value;
  for (size_t k = 0; k < 3; k++) {
    double width = s->domain.high[k] - s->domain.low[k];
    if (!(h->lengths ? width > LARGE_GRAIN : width > WIDE_DOMAIN && width > WIDE_IN_GRAINS * radius)) continue;
    for (int end = 0; end < 2; end++) {
      const ScreeNode *corner = scree_node_value(domain, end ? "low" : "high", NULL);
      if (!is_bare(&corner->child[k], &value) || !(fabs(value) > 0.25 * width)) continue;
      add(h, &corner->child[k], "domain", "m", "mm");
      return;
    }
  }
}

size_t scree_scene_hints(const ScreeScene *scene, ScreeFault hints[SCREE_SCENE_HINTS]) {
  Hints h = {.fault = hints, .si = is_si(scene)};
  bool ours = strncmp(scene->source->text, SCREE_SCENE_RESOLVED, strlen(SCREE_SCENE_RESOLVED)) == 0;
  if (ours) return 0;
  look_through(&h, &scene->root, SCREE_SECTION_scene);
  if (h.si) hint_domain(&h, scene);
  return h.count;
}
