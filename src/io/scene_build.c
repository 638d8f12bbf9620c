/* scene_build.c: the world that a scene describes. What the engine refuses is blamed on the place in the file that
 * asked for it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/scene_keys.h"

#include "core/sizes.h"
#include "core/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Builder {
  const ScreeScene *scene;
  ScreeWorld *world;
  ScreeFault *fault;
} Builder;

static const ScreeNode *node_at(const Builder *b, const char *path) { return scree_node_find(&b->scene->root, path); }

static ScreeWorldDef world_def(const ScreeScene *s, int threads) {
  ScreeWorldDef def = scree_world_def_default();
  memcpy(def.gravity, s->gravity, sizeof def.gravity);
  memcpy(def.body_force, s->body_force, sizeof def.body_force);
  memcpy(def.low, s->domain.low, sizeof def.low);
  memcpy(def.high, s->domain.high, sizeof def.high);
  memcpy(def.periodic, s->domain.periodic, sizeof def.periodic);
  def.outside = (ScreeOutside)s->domain.outside;
  def.timestep = s->run.timestep;
  def.expected_speed = s->expected_speed;
  def.max_overlap = s->max_overlap;
  def.threads = threads;
  return def;
}

/* The contact as the engine takes it: a speed floor that was not given is its own to choose. */
static ScreeContactDef contact_def(const ScreeSceneContact *contact) {
  ScreeContactDef def = contact->def;
  if (isnan(def.pair.min_speed)) def.pair.min_speed = scree_pair_def_default().min_speed;
  return def;
}

/* ---- laws, pair by pair ---- */

/* Two grains of the two materials in a world of their own: what the law lacks shows here, where its entry is known. */
static ScreeStatus probe_pair(const ScreeScene *s, int a, int b, const ScreeContactDef *contact, double radius) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeWorld *world = NULL;
  int id;
  memset(def.gravity, 0, sizeof def.gravity);
  def.expected_speed = isnan(s->expected_speed) ? 1.0 : s->expected_speed;
  for (int k = 0; k < 3; k++) def.low[k] = -10 * radius, def.high[k] = 10 * radius;
  SCREE_TRY(scree_world_create(&def, &world));
  ScreeGrain grains[2] = {{.id = 1, .radius = radius}, {.id = 2, .radius = radius, .material = 1}};
  grains[1].position[0] = 5 * radius;
  ScreeStatus status = scree_world_add_material(world, scree_scene_material(s, (size_t)a)->material, &id);
  if (status == SCREE_OK) status = scree_world_add_material(world, scree_scene_material(s, (size_t)b)->material, &id);
  if (status == SCREE_OK) status = scree_world_set_contact(world, -1, -1, contact);
  if (status == SCREE_OK) status = scree_world_add_grains(world, 2, grains);
  if (status == SCREE_OK) status = scree_world_start(world);
  scree_world_destroy(world);
  return status;
}

static ScreeStatus check_contacts(Builder *b, double radius) {
  int count = (int)b->scene->materials.count;
  for (int i = 0; i < count; i++)
    for (int j = i; j < count; j++) {
      const ScreeSceneContact *contact = scree_scene_contact_of(b->scene, i, j);
      ScreeContactDef def = contact_def(contact);
      ScreeStatus status = probe_pair(b->scene, i, j, &def, radius);
      if (status == SCREE_OK) continue;
      char pair[140];
      snprintf(pair, sizeof pair, "between %.60s and %.60s", scree_scene_material(b->scene, (size_t)i)->item.name,
               scree_scene_material(b->scene, (size_t)j)->item.name);
      return scree_blame_last(b->fault, contact->item.node ? contact->item.node : node_at(b, "materials"), status,
                              pair);
    }
  return SCREE_OK;
}

/* ---- the world ---- */

static ScreeStatus add_materials(Builder *b) {
  const ScreeScene *s = b->scene;
  for (size_t i = 0; i < s->materials.count; i++) {
    int id;
    ScreeStatus status = scree_world_add_material(b->world, scree_scene_material(s, i)->material, &id);
    if (status != SCREE_OK) return scree_blame_last(b->fault, scree_scene_material(s, i)->item.node, status, NULL);
  }
  for (size_t i = 0; i < s->contacts.count; i++) {
    const ScreeSceneContact *contact = scree_scene_contact(s, i);
    ScreeContactDef def = contact_def(contact);
    ScreeStatus status = scree_world_set_contact(b->world, contact->a, contact->b, &def);
    if (status != SCREE_OK) return scree_blame_last(b->fault, contact->item.node, status, NULL);
  }
  return SCREE_OK;
}

static ScreeStatus add_motions(Builder *b, const ScreeSceneWall *wall, int number) {
  double from = isnan(wall->insert_at) ? -INFINITY : wall->insert_at,
         to = isnan(wall->remove_at) ? INFINITY : wall->remove_at;
  for (size_t i = 0; i < wall->motions.count; i++) {
    const ScreeSceneMotion *motion = (const ScreeSceneMotion *)wall->motions.at + i;
    ScreeMotionDef def = scree_scene_motion_def(motion);
    ScreeStatus status = scree_world_move_wall(b->world, number, &def);
    if (status != SCREE_OK) return scree_blame_last(b->fault, motion->item.node, status, NULL);
  }
  ScreeStatus status = scree_world_time_wall(b->world, number, from, to);
  return status == SCREE_OK ? status : scree_blame_last(b->fault, wall->item.node, status, NULL);
}

static ScreeStatus add_walls(Builder *b) {
  for (size_t i = 0; i < b->scene->walls.count; i++) {
    const ScreeSceneWall *wall = scree_scene_wall(b->scene, i);
    int number = 0;
    ScreeStatus status = scree_world_add_wall(b->world, &wall->def, &number);
    if (status != SCREE_OK) return scree_blame_last(b->fault, wall->item.node, status, NULL);
    SCREE_TRY(add_motions(b, wall, number));
  }
  return SCREE_OK;
}

/* The wall that a sentence names by its number, or NULL. */
static const ScreeSceneWall *wall_in(const ScreeScene *scene, const char *sentence, const char **at, int *end) {
  int number = -1;
  *at = strstr(sentence, "wall ");
  if (!*at || sscanf(*at, "wall %d%n", &number, end) != 1) return NULL;
  for (size_t i = scene->walls.count; i-- > 0;)
    if (number >= scree_scene_wall_number(scene, i)) return scree_scene_wall(scene, i);
  return NULL;
}

/* "wall 3" by the name it has in the scene. */
static void name_wall(const ScreeScene *scene, char *sentence, size_t size) {
  const char *at;
  int end = 0;
  const ScreeSceneWall *wall = wall_in(scene, sentence, &at, &end);
  if (!wall || !wall->name) return;
  char tail[400];
  snprintf(tail, sizeof tail, "%s", at + end);
  size_t head = (size_t)(at - sentence);
  snprintf(sentence + head, size - head, "wall %s%s", wall->name, tail);
}

static ScreeStatus add_flows(Builder *b) {
  const ScreeSceneParticles *group;
  for (size_t i = 0; i < b->scene->outlets.count; i++) {
    const ScreeSceneOutlet *outlet = scree_scene_outlet(b->scene, i);
    ScreeRegion region = scree_shape_region(&outlet->shape);
    ScreeStatus status = scree_world_add_outlet(b->world, &region, NULL);
    if (status != SCREE_OK) return scree_blame_last(b->fault, outlet->item.node, status, NULL);
    if (outlet->through.form == 0) continue;
    ScreeOpeningDef def = outlet->through.def;
    if (outlet->through.form == SCREE_KEY_through_mesh)
      def.wall = scree_scene_wall_number(b->scene, outlet->through.wall);
    status = scree_world_set_opening(b->world, (int)i, &def);
    if (status != SCREE_OK) return scree_blame_last(b->fault, outlet->through.node, status, NULL);
  }
  for (size_t i = 0; (group = scree_scene_stream(b->scene, i)); i++) {
    ScreeStreamDef def = scree_scene_stream_def(group);
    ScreeStatus status = scree_world_add_stream(b->world, &def, NULL);
    const ScreeNode *node = scree_node_value(group->item.node, "stream", NULL);
    if (status != SCREE_OK) return scree_blame_last(b->fault, node ? node : group->item.node, status, NULL);
  }
  return SCREE_OK;
}

void scree_scene_name_materials(const ScreeScene *scene, const char *sentence, char *named, size_t size) {
  const char *at = strstr(sentence, "materials ");
  int a = -1, b = -1, end = 0, count = (int)scene->materials.count;
  bool found = at && sscanf(at, "materials %d and %d%n", &a, &b, &end) == 2;
  if (found && a >= 0 && b >= 0 && a < count && b < count)
    snprintf(named, size, "%.*s%s and %s%s", (int)(at - sentence), sentence,
             scree_scene_material(scene, (size_t)a)->item.name, scree_scene_material(scene, (size_t)b)->item.name,
             at + end);
  else
    snprintf(named, size, "%s", sentence);
  name_wall(scene, named, size);
  size_t length = strlen(named);
  if (strstr(named, " left the domain at "))
    snprintf(named + length, size - length, "; domain: {outside: remove} would take such grains out and count them");
}

/* The time step is the one thing that only the whole world can judge; the rest has a place already. */
static ScreeStatus start(Builder *b) {
  ScreeStatus status = scree_world_start(b->world);
  if (status == SCREE_OK) return status;
  const ScreeNode *node = isnan(b->scene->run.timestep) ? NULL : node_at(b, "run.timestep");
  bool about_domain = strstr(scree_last_error(), "domain") != NULL,
       about_outlets = strstr(scree_last_error(), "an outlet is") != NULL;
  const char *at;
  int end;
  const ScreeSceneWall *wall = wall_in(b->scene, scree_last_error(), &at, &end);
  char named[400];
  scree_scene_name_materials(b->scene, scree_last_error(), named, sizeof named);
  scree_fail(status, "%s", named);
  return scree_blame_last(b->fault,
                          wall            ? wall->item.node
                          : about_outlets ? node_at(b, "outlets")
                          : about_domain  ? node_at(b, "domain")
                          : node          ? node
                                          : node_at(b, "particles"),
                          status, NULL);
}

/* All that a world is before it has grains: a start and a restore share it. */
static ScreeStatus define_world(Builder *b, int threads) {
  ScreeWorldDef def = world_def(b->scene, threads);
  ScreeStatus status = scree_world_create(&def, &b->world);
  if (status != SCREE_OK) return scree_blame_last(b->fault, NULL, status, NULL);
  SCREE_TRY(add_materials(b));
  SCREE_TRY(add_walls(b));
  return add_flows(b);
}

static ScreeStatus fill_world(Builder *b, int threads, const ScreeGrain *grains, size_t count) {
  double smallest = INFINITY;
  const ScreeSceneParticles *stream;
  for (size_t i = 0; i < count; i++) smallest = fmin(smallest, grains[i].radius);
  for (size_t i = 0; (stream = scree_scene_stream(b->scene, i)); i++) {
    ScreeSizes sizes = scree_scene_sizes(&stream->radius);
    smallest = fmin(smallest, scree_sizes_smallest(&sizes));
  }
  SCREE_TRY(check_contacts(b, smallest));
  SCREE_TRY(define_world(b, threads));
  ScreeStatus status = scree_world_add_grains(b->world, count, grains);
  if (status != SCREE_OK) return scree_blame_last(b->fault, node_at(b, "particles"), status, NULL);
  return start(b);
}

#define GRAINS_PER_THREAD 2000

int scree_scene_threads(int most, size_t grains) {
  size_t paying = grains / GRAINS_PER_THREAD;
  return paying < 1 ? 1 : paying < (size_t)most ? (int)paying : most;
}

int scree_scene_threads_for(const ScreeScene *scene, int threads, int most, size_t grains) {
  if (threads > 0) return threads;
  return scree_scene_threads(most, grains + (size_t)fmin(scree_scene_arrivals(scene), 1e9));
}

ScreeStatus scree_scene_build(const ScreeScene *scene, int threads, int most, ScreeWorld **world, ScreeFault *fault) {
  ScreeGrain *grains = NULL;
  size_t count = 0;
  SCREE_TRY(scree_scene_place(scene, &grains, &count, NULL, fault));
  threads = scree_scene_threads_for(scene, threads, most, count);
  ScreeStatus status = scree_scene_build_grains(scene, threads, grains, count, world, fault);
  free(grains);
  return status;
}

ScreeStatus scree_scene_build_grains(const ScreeScene *scene, int threads, const ScreeGrain *grains, size_t count,
                                     ScreeWorld **world, ScreeFault *fault) {
  Builder b = {.scene = scene, .fault = fault};
  ScreeStatus status = fill_world(&b, threads, grains, count);
  if (status == SCREE_OK)
    *world = b.world;
  else
    scree_world_destroy(b.world);
  return status;
}

ScreeStatus scree_scene_restore(const ScreeScene *scene, int threads, const void *state, size_t size,
                                ScreeWorld **world, ScreeFault *fault) {
  Builder b = {.scene = scene, .fault = fault};
  ScreeStatus status = define_world(&b, threads);
  if (status == SCREE_OK) {
    status = scree_world_restore(b.world, state, size);
    if (status != SCREE_OK) scree_blame_last(fault, NULL, status, NULL);
  }
  if (status == SCREE_OK)
    *world = b.world;
  else
    scree_world_destroy(b.world);
  return status;
}
