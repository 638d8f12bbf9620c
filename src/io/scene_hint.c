/* scene_hint.c: numbers whose unit was probably forgotten. A plain number is SI, so that "radius: 1.5" is a boulder;
 * said is it only where the scene is in SI at all: some number carries a unit, or gravity is that of the Earth. Scenes
 * in units of their own (diameter, density and gravity 1) have neither. A number with a unit is always meant. */
#include "io/scene.h"

#include "core/sizes.h"
#include "io/units.h"

#include <math.h>
#include <string.h>

#define LARGE_GRAIN 0.5    /* m */
#define LIGHT 20.0         /* kg/m3: no grain but foam is lighter */
#define SOFT 1e3           /* Pa: jelly */
#define WIDE_DOMAIN 5.0    /* m ... */
#define WIDE_IN_GRAINS 5e3 /* ... and radii: thousands of millions of grains */

typedef struct Hints {
  ScreeFault *fault;
  size_t count;
  bool lengths; /* of them is one */
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

static void add(Hints *h, const ScreeNode *node, const char *key, const char *unit, const char *meant) {
  scree_blame(&h->fault[h->count++], node, SCREE_OK,
              "%s: %.40s has no unit and counts as %.40s %s: did you mean %.40s %s? (with a unit it is taken as meant)",
              key, node->text, node->text, unit, node->text, meant);
}

static void hint_materials(Hints *h, const ScreeScene *s) {
  const struct {
    const char *key, *unit, *meant;
    double least;
  } rows[] = {{"density", "kg/m3", "g/cm3", LIGHT}, {"young", "Pa", "MPa", SOFT}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    for (size_t i = 0; i < s->materials.count; i++) {
      const ScreeNode *node = scree_node_value(scree_scene_material(s, i)->item.node, rows[r].key, NULL);
      double value;
      if (!is_bare(node, &value) || !(value < rows[r].least)) continue;
      add(h, node, rows[r].key, rows[r].unit, rows[r].meant);
      break; /* once is enough */
    }
}

static bool hint_radius(Hints *h, const ScreeNode *node) {
  double value;
  if (!is_bare(node, &value) || !(value > LARGE_GRAIN)) return false;
  add(h, node, "radius", "m", "mm");
  return h->lengths = true;
}

static bool hint_sizes(Hints *h, const ScreeNode *radius) {
  static const char *const paths[] = {"uniform.min", "uniform.max", "normal.mean", "lognormal.mean"};
  if (!radius) return false;
  if (radius->kind == SCREE_NODE_SCALAR) return hint_radius(h, radius);
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    if (hint_radius(h, scree_node_find(radius, paths[i]))) return true;
  const ScreeNode *table = scree_node_value(radius, "table", NULL);
  for (size_t i = 0; table && i < table->count; i++)
    if (table->child[i].count > 0 && hint_radius(h, &table->child[i].child[0])) return true;
  return false;
}

static void hint_radii(Hints *h, const ScreeScene *s) {
  for (size_t i = 0; i < s->particles.count; i++) {
    const ScreeNode *group = scree_scene_particles(s, i)->item.node, *list = scree_node_value(group, "list", NULL);
    if (hint_sizes(h, scree_node_value(group, "radius", NULL))) return;
    for (size_t j = 0; list && j < list->count; j++)
      if (hint_sizes(h, scree_node_value(&list->child[j], "radius", NULL))) return;
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
  Hints h = {.fault = hints};
  bool ours = strncmp(scene->source->text, SCREE_SCENE_RESOLVED, strlen(SCREE_SCENE_RESOLVED)) == 0;
  if (ours || !is_si(scene)) return 0;
  hint_materials(&h, scene);
  hint_radii(&h, scene);
  hint_domain(&h, scene);
  return h.count;
}
