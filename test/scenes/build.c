/* build.c: from a description to a world, and its run in one of many ways. */
#include "build.h"

#include <stdlib.h>
#include <string.h>

#include "core/isa.h"
#include "dem/engine.h"

Way way_default(void) {
  return (Way){.threads = 1, .isa = -1, .per_tile = 8, .skin = NAN, .resume = NAN, .resume_threads = 1};
}

/* ---- worlds ----------------------------------------------------------------------------------------------------- */

int scene_engine_walls(const Scene *s, int wall) {
  const ScreeWallDef *w = &s->wall[wall].def;
  return (w->shape == SCREE_WALL_BOX && w->inside) || w->shape == SCREE_WALL_MESH ? 6 : 1;
}

int scene_first_wall(const Scene *s, int wall) {
  int number = 0;
  for (int i = 0; i < wall; i++) number += scene_engine_walls(s, i);
  return number;
}

#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    ScreeStatus status_ = (call);                                                                                      \
    if (status_ != SCREE_OK) return status_;                                                                           \
  } while (0)

static ScreeStatus add_wall(ScreeWorld *w, const SceneWall *wall) {
  ScreeWallDef def = wall->def;
  ScreeMesh *mesh = NULL;
  int id;
  if (def.shape == SCREE_WALL_MESH) {
    const SceneMesh *m = &wall->mesh;
    ScreeMeshDef from = {(const double(*)[3])m->vertex, m->vertices, (const uint32_t(*)[3])m->triangle, m->triangles};
    TRY(scree_mesh_create(&from, &mesh));
  }
  def.mesh = mesh;
  ScreeStatus status = scree_world_add_wall(w, &def, &id);
  scree_mesh_destroy(mesh);
  TRY(status);
  for (int i = 0; i < wall->motions; i++) {
    ScreeMotionDef motion = wall->motion[i].def;
    motion.waypoint = wall->motion[i].waypoint;
    TRY(scree_world_move_wall(w, id, &motion));
  }
  return scree_world_time_wall(w, id, wall->insert_at, wall->remove_at);
}

static ScreeStatus define(const Scene *s, const Way *way, ScreeWorld *w) {
  int id;
  for (int i = 0; i < s->materials; i++) TRY(scree_world_add_material(w, s->material[i], &id));
  TRY(scree_world_set_contact(w, -1, -1, &s->contact));
  for (int a = 0; a < s->materials; a++)
    for (int b = a; b < s->materials; b++)
      if (s->has_own[a][b]) TRY(scree_world_set_contact(w, a, b, &s->pair[a][b]));
  for (int i = 0; i < s->walls; i++) TRY(add_wall(w, &s->wall[i]));
  for (int i = 0; i < s->outlets; i++) TRY(scree_world_add_outlet(w, &s->outlet[i], NULL));
  for (int i = 0; i < s->streams; i++) TRY(scree_world_add_stream(w, &s->stream[i], NULL));
  (void)way;
  return SCREE_OK;
}

static ScreeStatus create(const Scene *s, const Way *way, int threads, ScreeWorld **world) {
  ScreeWorldDef def = s->def;
  def.threads = threads;
  if (!isnan(way->skin)) def.skin = way->skin;
  TRY(scree_world_create(&def, world));
  ScreeStatus status = define(s, way, *world);
  if (status != SCREE_OK) scree_world_destroy(*world), *world = NULL;
  return status;
}

static ScreeStatus add_grains(const Scene *s, const Way *way, ScreeWorld *w) {
  static _Thread_local ScreeGrain grain[MAX_GRAINS];
  for (int i = 0; i < s->grains; i++) {
    int from = way->order ? way->order[i] : i;
    grain[i] = s->grain[from];
    if (way->ids) grain[i].id = way->ids[from];
  }
  return scree_world_add_grains(w, (size_t)s->grains, grain);
}

ScreeStatus scene_build(const Scene *s, const Way *way, ScreeWorld **world) {
  *world = NULL;
  TRY(create(s, way, way->threads, world));
  ScreeStatus status = add_grains(s, way, *world);
  if (status != SCREE_OK) scree_world_destroy(*world), *world = NULL;
  return status;
}

/* ---- readings --------------------------------------------------------------------------------------------------- */

static void add_bytes(uint64_t *hash, const void *data, size_t size) { /* FNV-1a */
  const unsigned char *byte = data;
  for (size_t i = 0; i < size; i++) *hash = (*hash ^ byte[i]) * 0x100000001b3u;
}
static void add_numbers(uint64_t *hash, const double *x, size_t count) { add_bytes(hash, x, count * sizeof *x); }
static void add_integer(uint64_t *hash, uint64_t x) { add_bytes(hash, &x, sizeof x); }

static const uint64_t basis = 0xcbf29ce484222325u;

/* Where a grain of that id stands in the scene; those that streams brought come after all of the scene's. */
static size_t place_of(const Scene *s, const Way *way, uint64_t id) {
  uint64_t largest = 0;
  for (int i = 0; i < s->grains; i++) {
    uint64_t own = way->ids ? way->ids[i] : s->grain[i].id;
    if (own == id) return (size_t)i;
    largest = own > largest ? own : largest;
  }
  return (size_t)s->grains + (size_t)(id - largest) - 1;
}

typedef struct Placed {
  size_t place, index;
} Placed;

static int by_place(const void *a, const void *b) {
  size_t x = ((const Placed *)a)->place, y = ((const Placed *)b)->place;
  return x < y ? -1 : x > y;
}

static void read_grains(const Scene *s, const Way *way, const ScreeWorld *w, Reading *r) {
  size_t count = scree_world_count(w);
  ScreeGrain *grain = calloc(count + 1, sizeof *grain);
  ScreeGrainLoad *load = calloc(count + 1, sizeof *load);
  Placed *placed = calloc(count + 1, sizeof *placed);
  scree_world_read(w, grain);
  scree_world_read_loads(w, load);
  for (size_t i = 0; i < count; i++) placed[i] = (Placed){place_of(s, way, grain[i].id), i};
  qsort(placed, count, sizeof *placed, by_place);
  for (size_t p = 0; p < count; p++) {
    const ScreeGrain *g = &grain[placed[p].index];
    const ScreeGrainLoad *l = &load[placed[p].index];
    add_integer(&r->grains, placed[p].place);
    add_numbers(&r->grains, g->position, 3);
    add_numbers(&r->grains, g->velocity, 3);
    add_numbers(&r->grains, g->spin, 3);
    add_numbers(&r->loads, l->force, 3);
    add_numbers(&r->loads, l->torque, 3);
    add_integer(&r->loads, (uint64_t)l->contacts);
  }
  free(grain), free(load), free(placed);
}

static void read_measure(ScreeWorld *w, Reading *r) {
  ScreeMeasure m;
  scree_world_measure(w, &m);
  const double energies[] = {m.kinetic,
                             m.potential,
                             m.elastic,
                             m.dissipated_viscous,
                             m.dissipated_plastic,
                             m.dissipated_clamp,
                             m.dissipated_friction,
                             m.dissipated_rolling,
                             m.kinetic_walls,
                             m.dissipated_walls,
                             m.work,
                             m.scale};
  add_numbers(&r->energies, energies, sizeof energies / sizeof *energies);
  add_numbers(&r->momenta, m.momentum, 3);
  add_numbers(&r->momenta, m.angular_momentum, 3);
  add_numbers(&r->overlaps, (double[]){m.max_overlap, m.peak_overlap}, 2);
  add_integer(&r->overlaps, m.contacts);
  add_integer(&r->flows, m.inserted.grains), add_integer(&r->flows, m.removed.grains);
  add_numbers(&r->flows, (double[]){m.inserted.mass, m.removed.mass, m.brought_in, m.taken_out, m.residual}, 5);
}

static void read_contacts(const ScreeWorld *w, Reading *r) {
  size_t count = scree_world_contact_count(w);
  ScreeContact *contact = calloc(count + 1, sizeof *contact);
  scree_world_read_contacts(w, contact);
  for (size_t i = 0; i < count; i++) {
    const ScreeContact *c = &contact[i];
    add_integer(&r->contacts, c->first), add_integer(&r->contacts, c->second), add_integer(&r->contacts, c->wall);
    add_numbers(&r->contacts, c->point, 3), add_numbers(&r->contacts, c->normal, 3);
    add_numbers(&r->contacts, c->friction, 3);
    add_numbers(&r->contacts, (double[]){c->overlap, c->force}, 2);
  }
  free(contact);
}

static void read_walls(const Scene *s, const ScreeWorld *w, Reading *r) {
  for (int i = 0; i < s->walls; i++) {
    int first = scene_first_wall(s, i);
    ScreeWallLoad load;
    double force[6];
    scree_world_wall_load(w, first, &load);
    add_numbers(&r->walls, load.force, 3), add_numbers(&r->walls, load.torque, 3);
    add_numbers(&r->walls, load.about, 3), add_numbers(&r->walls, load.position, 3);
    add_numbers(&r->walls, load.turn[0], 9);
    add_numbers(&r->walls, load.velocity, 3), add_numbers(&r->walls, load.spin, 3);
    add_numbers(&r->walls, (double[]){load.power, load.work}, 2);
    for (int part = 0; part < scene_engine_walls(s, i) && s->wall[i].def.shape != SCREE_WALL_MESH; part++) {
      scree_world_wall_force(w, first + part, force, force + 3);
      add_numbers(&r->walls, force, 6);
    }
    if (!s->wall[i].def.wear || s->wall[i].def.shape != SCREE_WALL_MESH) continue;
    double normal[MAX_TRIANGLES], shear[MAX_TRIANGLES];
    scree_world_read_wear(w, first, normal, shear);
    add_numbers(&r->wear, normal, s->wall[i].mesh.triangles);
    add_numbers(&r->wear, shear, s->wall[i].mesh.triangles);
  }
}

static void read_flows(const Scene *s, const ScreeWorld *w, Reading *r) {
  for (int i = -1; i < s->outlets; i++) {
    ScreeFlow flow;
    scree_world_outlet_flow(w, i, &flow);
    add_integer(&r->flows, flow.grains), add_numbers(&r->flows, &flow.mass, 1);
  }
  for (int i = 0; i < s->streams; i++) {
    ScreeStreamFlow flow;
    scree_world_stream_flow(w, i, &flow);
    add_integer(&r->flows, flow.brought.grains), add_integer(&r->flows, flow.waits);
    add_numbers(&r->flows, (double[]){flow.asked, flow.delivered, flow.brought.mass}, 3);
  }
}

static Reading read_all(const Scene *s, const Way *way, ScreeWorld *w) {
  Reading r;
#define READING_BEGIN(name) r.name = basis;
  READING_LIST(READING_BEGIN)
#undef READING_BEGIN
  r.hash = scree_world_hash(w);
  read_grains(s, way, w, &r);
  read_measure(w, &r);
  read_contacts(w, &r);
  read_walls(s, w, &r);
  read_flows(s, w, &r);
  return r;
}

/* What hangs on ids themselves; or, where grains go, on sums in the order of their ids. */
static bool goes_by_ids(const char *name, const Outcome *of) {
  if (strcmp(name, "hash") == 0 || strcmp(name, "contacts") == 0 || strcmp(name, "flows") == 0) return true;
  return strcmp(name, "energies") == 0 && of->measure.removed.grains > 0;
}

static size_t add_name(char *names, size_t size, size_t at, const char *name) {
  int added = snprintf(names + at, size - at, "%s%s", at > 0 ? ", " : "", name);
  return at + (size_t)added < size ? at + (size_t)added : at;
}

bool outcome_difference(const Outcome *a, const Outcome *b, bool with_ids, char *names, size_t size) {
  size_t at = 0;
  names[0] = '\0';
  if (a->started != b->started) at = add_name(names, size, at, "whether it starts");
  if (a->samples != b->samples || a->steps != b->steps) at = add_name(names, size, at, "how far it runs");
  for (int i = 0; i < a->samples && i < b->samples && at == 0; i++) {
    const Reading *x = &a->sample[i], *y = &b->sample[i];
#define READING_DIFFERS(name)                                                                                          \
  if (x->name != y->name && (with_ids || !goes_by_ids(#name, a))) at = add_name(names, size, at, #name);
    READING_LIST(READING_DIFFERS)
#undef READING_DIFFERS
  }
  if (a->status != b->status) at = add_name(names, size, at, "status");
  if (with_ids && strcmp(a->sentence, b->sentence) != 0) at = add_name(names, size, at, "sentence");
  return at > 0;
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static void use_way(const Way *way) {
  scree_grains_per_thread = 1.0; /* all threads take part, few as the grains are */
  scree_grains_per_tile = way->per_tile;
  scree_helpfulness = (Helpfulness)way->helpfulness;
  scree_early_from = way->early ? 0 : 1000000;
  int widest = 0;
  while (!scree_isa_supported(widest)) widest++;
  scree_batch_use_isa(scree_batch_isa_name(way->isa < 0 ? widest : way->isa));
}

static void note_failure(Outcome *out, ScreeStatus status) {
  out->status = status;
  snprintf(out->sentence, sizeof out->sentence, "%s", scree_last_error());
}

static ScreeStatus change_world(const Scene *s, const Way *way, ScreeWorld **world) {
  void *state = NULL;
  size_t size = 0;
  TRY(scree_world_save(*world, &state, &size));
  scree_world_destroy(*world);
  *world = NULL;
  ScreeStatus status = create(s, way, way->resume_threads, world);
  if (status == SCREE_OK) status = scree_world_restore(*world, state, size);
  free(state);
  return status;
}

/* To a step, by calls of `chunk` steps. */
static ScreeStatus step_to(const Way *way, ScreeWorld *w, long until) {
  while (scree_world_steps(w) < until) {
    long left = until - scree_world_steps(w), now = way->chunk > 0 && way->chunk < left ? way->chunk : left;
    TRY(scree_world_step(w, now));
  }
  return SCREE_OK;
}

static ScreeStatus run_parts(const Scene *s, const Way *way, ScreeWorld **world, Outcome *out) {
  long change = isnan(way->resume) ? -1 : (long)(way->resume * (double)s->steps);
  if (change == 0) TRY(change_world(s, way, world));
  for (int i = 0; i < SAMPLES; i++) {
    long until = s->steps * (i + 1) / SAMPLES;
    if (change > scree_world_steps(*world) && change <= until) {
      TRY(step_to(way, *world, change));
      TRY(change_world(s, way, world));
    }
    TRY(step_to(way, *world, until));
    out->sample[out->samples++] = read_all(s, way, *world);
  }
  return SCREE_OK;
}

void scene_run(const Scene *s, const Way *way, Outcome *out) {
  ScreeWorld *w = NULL;
  memset(out, 0, sizeof *out);
  use_way(way);
  ScreeStatus status = scene_build(s, way, &w);
  if (status == SCREE_OK) status = scree_world_start(w);
  out->started = status == SCREE_OK;
  if (out->started) {
    out->timestep = scree_world_timestep(w), out->expected_speed = scree_world_expected_speed(w);
    status = run_parts(s, way, &w, out);
  }
  if (status != SCREE_OK) note_failure(out, status);
  out->steps = scree_world_steps(w);
  if (out->started && scree_world_is_whole(w)) {
    scree_world_measure(w, &out->measure);
    out->grains = scree_world_count(w) <= 2 * MAX_GRAINS ? (int)scree_world_count(w) : 0;
    if (out->grains > 0) scree_world_read(w, out->grain);
  }
  scree_world_destroy(w);
}
