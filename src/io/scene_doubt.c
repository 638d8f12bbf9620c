/* scene_doubt.c: what a scene can hardly mean, though every number of it is allowed: walls that no grain can meet, a
 * fall that nothing ends, streams that ask for more than goes through their region. */
#include "io/scene_keys.h"

#include "core/sizes.h"
#include "io/units.h"

#include <math.h>
#include <string.h>

#define HUGE_WALL 100.0 /* of the domain's longest side */
#define DEPTH 4         /* a wall within a sixteenth of the domain counts as near */

typedef struct Doubts {
  const ScreeScene *scene;
  ScreeFault *fault;
  size_t count;
} Doubts;

/* As many as there is room for. */
#define DOUBT(d, node, ...)                                                                                            \
  ((d)->count < SCREE_SCENE_DOUBTS ? (void)scree_blame(&(d)->fault[(d)->count++], node, SCREE_OK, __VA_ARGS__)         \
                                   : (void)0)

static const ScreeNode *value_of(const ScreeNode *map, const char *key) {
  const ScreeNode *node = scree_node_value(map, key, NULL);
  return node ? node : map;
}

/* ---- walls ---- */

/* Does the surface come near a part of the domain? Distances change no faster than places, so that a part whose centre
 * is farther off than its corners are from it is met nowhere: one rule for every shape. */
static bool comes_near(const ScreeWorldDef *space, const ScreeWallDef *wall, const double *low, const double *high,
                       int depth) {
  double centre[3], square = 0;
  for (int k = 0; k < 3; k++) {
    centre[k] = 0.5 * (low[k] + high[k]);
    square += 0.25 * (high[k] - low[k]) * (high[k] - low[k]);
  }
  if (fabs(scree_wall_distance_in(space, wall, centre)) > sqrt(square)) return false;
  bool near = depth == 0;
  for (int part = 0; part < 8 && !near; part++) {
    double from[3], to[3];
    for (int k = 0; k < 3; k++) {
      from[k] = part >> k & 1 ? centre[k] : low[k];
      to[k] = part >> k & 1 ? high[k] : centre[k];
    }
    near = comes_near(space, wall, from, to, depth - 1);
  }
  return near;
}

/* Turning leaves drums where they are; what moves in another way, or comes later, may come from far. */
static bool comes_from_elsewhere(const ScreeSceneWall *w) {
  for (size_t i = 0; i < w->motions.count; i++)
    if (((const ScreeSceneMotion *)w->motions.at)[i].form != SCREE_KEY_motion_rotation) return true;
  return false;
}

static double longest_side(const ScreeSceneDomain *d) {
  return fmax(fmax(d->high[0] - d->low[0], d->high[1] - d->low[1]), d->high[2] - d->low[2]);
}

/* A radius without a unit that dwarfs the domain: with a unit it is meant, a floor that is nearly flat. */
static bool doubt_radius(Doubts *d, const ScreeNode *form) {
  const ScreeNode *node = form->kind == SCREE_NODE_MAP ? scree_node_value(form, "radius", NULL) : NULL;
  double value, side = longest_side(&d->scene->domain);
  bool bare = node && node->kind == SCREE_NODE_SCALAR && scree_parse_number(node->text, &value) == SCREE_OK;
  if (!bare || !(value > HUGE_WALL * side)) return false;
  DOUBT(d, node,
        "radius: %.40s has no unit and counts as %.40s m, %.3g times the longest side of the domain (%.4g m): did "
        "you mean %.40s mm? (with a unit it is taken as meant)",
        node->text, node->text, value / side, side, node->text);
  return true;
}

static void doubt_wall(Doubts *d, const ScreeSceneWall *w) {
  const ScreeSceneDomain *domain = &d->scene->domain;
  const char *shape = scree_keys[w->shape.form].name;
  const ScreeNode *form = value_of(w->item.node, shape);
  ScreeWorldDef space = scree_world_def_default();
  memcpy(space.low, domain->low, sizeof space.low);
  memcpy(space.high, domain->high, sizeof space.high);
  memcpy(space.periodic, domain->periodic, sizeof space.periodic);
  if (doubt_radius(d, form) || comes_from_elsewhere(w)) return;
  if (comes_near(&space, &w->def, domain->low, domain->high, DEPTH)) return;
  DOUBT(d, form,
        "this %s lies wholly outside the domain, [%.4g, %.4g, %.4g] ... [%.4g, %.4g, %.4g] m, where no grain can "
        "meet it: was a unit forgotten%s?",
        shape, domain->low[0], domain->low[1], domain->low[2], domain->high[0], domain->high[1], domain->high[2],
        w->def.shape == SCREE_WALL_MESH ? ", or is its scale wrong" : "");
}

/* ---- a floor ---- */

static bool has_fixed(const ScreeScene *s) {
  for (size_t i = 0; i < s->particles.count; i++)
    if (scree_scene_particles(s, i)->fixed) return true;
  return false;
}

/* Where grains are taken out that leave, falling out is meant. */
static void doubt_fall(Doubts *d) {
  const ScreeScene *s = d->scene;
  if (s->walls.count > 0 || s->outlets.count > 0 || s->domain.outside == SCREE_OUTSIDE_REMOVE || has_fixed(s)) return;
  int axis = -1;
  for (int k = 0; k < 3; k++)
    if (s->gravity[k] != 0 && !s->domain.periodic[k] && (axis < 0 || fabs(s->gravity[k]) > fabs(s->gravity[axis])))
      axis = k;
  if (axis < 0) return;
  DOUBT(d, value_of(&s->root, "domain"),
        "gravity pulls along %c, where the domain ends, and there is no wall to fall on: grains leave the domain "
        "and the run stops; add a wall, make %c periodic, or set gravity: [0, 0, 0]",
        "xyz"[axis], "xyz"[axis]);
}

/* ---- lattices ---- */

/* A jitter sets the places of a lattice apart: without a unit and beyond the radius it is hardly meant. */
static void doubt_jitter(Doubts *d, const ScreeSceneParticles *group) {
  const ScreeNode *map = scree_node_value(group->item.node, "lattice", NULL),
                  *node = map && map->kind == SCREE_NODE_MAP ? scree_node_value(map, "jitter", NULL) : NULL;
  ScreeSizes sizes = scree_scene_sizes(&group->radius);
  double value, radius = scree_sizes_largest(&sizes);
  bool bare = node && node->kind == SCREE_NODE_SCALAR && scree_parse_number(node->text, &value) == SCREE_OK;
  if (group->form != SCREE_KEY_particles_lattice || !bare || !(value > radius)) return;
  DOUBT(d, node,
        "jitter: %.40s has no unit and counts as %.40s m, %.3g times the radius, so that places are %.4g m apart: did "
        "you mean %.40s mm? (with a unit it is taken as meant)",
        node->text, node->text, value / radius, scree_scene_lattice(d->scene, group).step[0], node->text);
}

/* ---- streams ---- */

static void doubt_stream(Doubts *d, const ScreeSceneParticles *group) {
  const ScreeNode *stream = value_of(group->item.node, "stream");
  bool by_mass = !isnan(group->stream.rate);
  double asked = scree_scene_stream_rate(d->scene, group), most = scree_scene_stream_limit(d->scene, group);
  if (!(asked > most)) return;
  DOUBT(d, value_of(stream, by_mass ? "rate" : "number_rate"),
        "the stream asks for %.3g kg/s, but about %.3g kg/s go through its region at the speed of its grains: they "
        "will come late; lower the rate to %.2g of it, widen the region or raise the velocity",
        asked, most, most / asked);
}

size_t scree_scene_doubts(const ScreeScene *scene, ScreeFault doubts[SCREE_SCENE_DOUBTS]) {
  Doubts d = {.scene = scene, .fault = doubts};
  const ScreeSceneParticles *stream;
  if (strncmp(scene->source->text, SCREE_SCENE_RESOLVED, strlen(SCREE_SCENE_RESOLVED)) == 0) return 0;
  for (size_t i = 0; i < scene->walls.count; i++) doubt_wall(&d, scree_scene_wall(scene, i));
  doubt_fall(&d);
  for (size_t i = 0; i < scene->particles.count; i++) doubt_jitter(&d, scree_scene_particles(scene, i));
  for (size_t i = 0; (stream = scree_scene_stream(scene, i)); i++) doubt_stream(&d, stream);
  return d.count;
}
