/* scene_flow.c: the streams and outlets of a scene, as the library takes them. */
#include "io/scene_keys.h"

#include "core/sizes.h"

#include <math.h>
#include <string.h>

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
