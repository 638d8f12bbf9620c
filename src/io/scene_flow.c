/* scene_flow.c: the streams and outlets of a scene, as the library takes them. */
#include "io/scene_keys.h"

#include "core/region.h"
#include "core/sizes.h"

#include <math.h>
#include <string.h>

#define UPRIGHT 0.1 /* rad from the vertical: the side of a bin, not of its cone */

const ScreeSceneParticles *scree_scene_stream(const ScreeScene *s, size_t stream) {
  for (size_t i = 0; i < s->particles.count; i++) {
    const ScreeSceneParticles *group = scree_scene_particles(s, i);
    if (group->form == SCREE_KEY_particles_stream && stream-- == 0) return group;
  }
  return NULL;
}

bool scree_scene_flows(const ScreeScene *s) {
  return s->outlets.count > 0 || s->domain.outside == SCREE_OUTSIDE_REMOVE || scree_scene_stream(s, 0);
}

ScreeStreamDef scree_scene_stream_def(const ScreeSceneParticles *group) {
  ScreeStreamDef def = scree_stream_def_default();
  const ScreeSceneStream *s = &group->stream;
  def.region = scree_shape_region(&s->region);
  def.mass_rate = s->rate;
  def.number_rate = s->number_rate;
  def.from = s->from;
  if (!isnan(s->until)) def.until = s->until;
  if (!isnan(group->mass)) def.mass = group->mass;
  if (group->count >= 0) def.count = (double)group->count;
  def.sizes = scree_scene_sizes(&group->radius);
  def.material = group->material_id;
  memcpy(def.velocity, group->velocity.vector, sizeof def.velocity);
  memcpy(def.spin, group->spin, sizeof def.spin);
  def.seed = (uint64_t)group->seed;
  return def;
}

/* The mean mass of a grain, from the first thousand. */
static double mean_mass(const ScreeScene *s, const ScreeStreamDef *def) {
  double sum = 0, density = scree_scene_material(s, (size_t)def->material)->material.density;
  for (uint64_t i = 0; i < 1000; i++) {
    double r = scree_sizes_draw(&def->sizes, &(ScreeRandom){.seed = def->seed}, i);
    sum += 4.0 / 3.0 * acos(-1.0) * r * r * r * density;
  }
  return sum / 1000;
}

double scree_scene_arrivals(const ScreeScene *s) {
  double grains = 0;
  const ScreeSceneParticles *group;
  for (size_t i = 0; (group = scree_scene_stream(s, i)); i++) {
    ScreeStreamDef def = scree_scene_stream_def(group);
    double span = fmax(0, fmin(def.until, s->run.duration) - def.from), mass = mean_mass(s, &def);
    double count = isnan(def.mass_rate) ? def.number_rate * span : def.mass_rate * span / mass;
    grains += fmin(count, fmin(def.count, def.mass / mass));
  }
  return grains;
}

double scree_scene_stream_rate(const ScreeScene *s, const ScreeSceneParticles *group) {
  ScreeStreamDef def = scree_scene_stream_def(group);
  return isnan(def.mass_rate) ? def.number_rate * mean_mass(s, &def) : def.mass_rate;
}

static double length_of(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* What a cylinder shows to somebody who looks along a direction of length 1. */
static double shown_cylinder(const double *axis, double radius, double length, const double *along) {
  double size = length_of(axis), across = 0;
  for (int k = 0; k < 3; k++) across += axis[k] * along[k] / size;
  across = fmin(1, fabs(across));
  return across * acos(-1.0) * radius * radius + sqrt(1 - across * across) * 2 * radius * length;
}

/* m2. A disc is as thick as its grains, whose centres reach its rim. */
static double shown_area(const ScreeRegion *g, double grain, const double *along) {
  double axis[3], size[3];
  for (int k = 0; k < 3; k++) axis[k] = g->to[k] - g->from[k], size[k] = g->high[k] - g->low[k];
  switch (g->shape) {
  case SCREE_REGION_BOX:
    return fabs(along[0]) * size[1] * size[2] + fabs(along[1]) * size[2] * size[0] + fabs(along[2]) * size[0] * size[1];
  case SCREE_REGION_CYLINDER: return shown_cylinder(axis, g->radius, length_of(axis), along);
  case SCREE_REGION_DISC: return shown_cylinder(g->normal, g->radius + grain, 2 * grain, along);
  case SCREE_REGION_SPHERE: return acos(-1.0) * g->radius * g->radius;
  case SCREE_REGION_BEYOND: return INFINITY;
  }
  return INFINITY;
}

/* Of a region, random places fill about so much. */
#define RANDOM_FILL 0.3

/* kg: what a region holds at once, one grain at least. */
static double holds_at_once(const ScreeScene *s, const ScreeStreamDef *def) {
  double density = scree_scene_material(s, (size_t)def->material)->material.density;
  double grain = scree_sizes_largest(&def->sizes), volume = scree_region_volume(&def->region);
  if (def->region.shape == SCREE_REGION_DISC)
    volume = acos(-1.0) * (def->region.radius + grain) * (def->region.radius + grain) * 2 * grain;
  return fmax(RANDOM_FILL * density * volume, 4.0 / 3.0 * acos(-1.0) * grain * grain * grain * density);
}

/* Grains leave a region that is deep along their fall faster than they came: v^2 = v0^2 + 2 g h. */
double scree_scene_stream_limit(const ScreeScene *s, const ScreeSceneParticles *group) {
  ScreeStreamDef def = scree_scene_stream_def(group);
  double density = scree_scene_material(s, (size_t)def.material)->material.density;
  double grain = scree_sizes_largest(&def.sizes), pull[3], low[3], high[3], along[3], square = 0;
  scree_region_bounds(&def.region, low, high);
  for (int k = 0; k < 3; k++) {
    pull[k] = s->gravity[k] + s->body_force[k] / density;
    square += def.velocity[k] * def.velocity[k] + 2 * fabs(pull[k]) * fmax(high[k] - low[k], 2 * grain);
  }
  const double *way = length_of(def.velocity) > 0 ? def.velocity : pull;
  double length = length_of(way), span = fmax(0, fmin(def.until, s->run.duration) - def.from);
  double mass = fmin(scree_scene_stream_rate(s, group) * span, fmin(def.mass, def.count * mean_mass(s, &def)));
  /* what fits in at once needs no way out; and where nothing moves nobody knows what makes room */
  if (!(length > 0) || mass <= holds_at_once(s, &def)) return INFINITY;
  for (int k = 0; k < 3; k++) along[k] = way[k] / length;
  return RANDOM_FILL * density * shown_area(&def.region, grain, along) * sqrt(square);
}

/* ---- what leads to an opening ---- */

static double size_of(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* Unit vector of gravity; false where nothing pulls. */
static bool downwards(const ScreeScene *s, double *down) {
  double size = size_of(s->gravity);
  for (int k = 0; k < 3; k++) down[k] = s->gravity[k] / size;
  return size > 0;
}

/* The slope of a mesh around its lowest rim, weighted by area: of the triangles that reach into the lowest half
 * diameter of the opening and are not upright. */
static double mesh_angle(const ScreeTriangles *t, const double *down, double orifice) {
  double lowest = -INFINITY, area = 0, sum = 0;
  for (size_t i = 0; i < t->vertices; i++) {
    const double *v = t->vertex[i];
    lowest = fmax(lowest, v[0] * down[0] + v[1] * down[1] + v[2] * down[2]);
  }
  for (size_t i = 0; i < t->triangles; i++) {
    const double *a = t->vertex[t->triangle[i][0]], *b = t->vertex[t->triangle[i][1]],
                 *c = t->vertex[t->triangle[i][2]];
    double reach = -INFINITY, n[3];
    for (int j = 0; j < 3; j++) {
      const double *v = t->vertex[t->triangle[i][j]];
      reach = fmax(reach, v[0] * down[0] + v[1] * down[1] + v[2] * down[2]);
    }
    for (int k = 0; k < 3; k++) {
      int p = (k + 1) % 3, q = (k + 2) % 3;
      n[k] = (b[p] - a[p]) * (c[q] - a[q]) - (b[q] - a[q]) * (c[p] - a[p]);
    }
    double size = size_of(n), angle = asin(fmin(1, fabs(n[0] * down[0] + n[1] * down[1] + n[2] * down[2]) / size));
    if (reach < lowest - 0.5 * orifice || angle < UPRIGHT) continue;
    area += size, sum += size * angle;
  }
  return area > 0 ? sum / area : NAN;
}

/* Angle of one wall that narrows to the opening; NaN for a wall that does not. */
static double angle_of(const ScreeSceneWall *wall, const double *down, double orifice) {
  const ScreeWallDef *w = &wall->def;
  double narrow = fmin(w->radius, w->radius2), wide = fmax(w->radius, w->radius2);
  if (w->shape == SCREE_WALL_MESH) return mesh_angle(&wall->mesh.triangles, down, orifice);
  if (w->shape == SCREE_WALL_CONE && w->length > 0 && fabs(narrow - 0.5 * orifice) < 0.25 * orifice)
    return atan((wide - narrow) / w->length);
  return NAN;
}

double scree_scene_outlet_angle(const ScreeScene *s, size_t outlet) {
  double down[3], steepest = NAN, orifice = scree_scene_outlet(s, outlet)->orifice;
  for (size_t i = 0; i < s->walls.count && downwards(s, down); i++)
    steepest = fmin(steepest, angle_of(scree_scene_wall(s, i), down, orifice));
  return steepest;
}
