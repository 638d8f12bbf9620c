/* world.c: the world and its step, which reads as the list of its stages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "engine.h"
#include "memory.h"
#include "mesh.h"
#include "opening.h"
#include "start.h"

ScreeWorldDef scree_world_def_default(void) {
  return (ScreeWorldDef){.gravity = {0.0, 0.0, -9.81},
                         .low = {0.0, 0.0, 0.0},
                         .high = {1.0, 1.0, 1.0},
                         .timestep = NAN,
                         .expected_speed = NAN,
                         .max_overlap = 0.1,
                         .skin = NAN,
                         .threads = 1};
}

ScreeContactDef scree_contact_def_default(void) {
  ScreeContactDef def = {
      .normal = SCREE_LAW_zhang_sharf, .pair = scree_pair_def_default(), .tangential = SCREE_LAW_mindlin};
  def.pair.restitution = 0.8;
  def.pair.param[SCREE_PARAM_mu] = 0.5;
  def.rolling_damping = 0.3;
  return def;
}

static void list_images(ScreeWorld *w) {
  w->images = 0;
  for (int image = 0; image < 27; image++) {
    const int shift[3] = {(image % 3 + 1) % 3 - 1, (image / 3 % 3 + 1) % 3 - 1, (image / 9 + 1) % 3 - 1};
    bool wanted = true;
    for (int k = 0; k < 3; k++) {
      wanted = wanted && (shift[k] == 0 || w->def.periodic[k]);
      w->image[w->images][k] = shift[k] * (w->def.high[k] - w->def.low[k]);
    }
    w->images += wanted;
  }
}

ScreeStatus scree_world_create(const ScreeWorldDef *def, ScreeWorld **world) {
  SCREE_NEED(def);
  SCREE_NEED(world);
  for (int k = 0; k < 3; k++) {
    if (!isfinite(def->gravity[k]) || !isfinite(def->body_force[k]))
      return scree_fail(SCREE_INVALID, "gravity and the body force must be finite");
    if (!(fmax(fabs(def->low[k]), fabs(def->high[k])) <= SCREE_FARTHEST))
      return scree_fail(SCREE_INVALID, "the domain must lie within %.0e m of the origin (axis %d: %.10g ... %.10g m)",
                        SCREE_FARTHEST, k, def->low[k], def->high[k]);
    if (!(def->high[k] > def->low[k]))
      return scree_fail(SCREE_INVALID, "the domain must have high > low on every axis (axis %d: %.10g ... %.10g m)", k,
                        def->low[k], def->high[k]);
  }
  if (!(def->max_overlap > 0.0 && def->max_overlap <= 0.5))
    return scree_fail(SCREE_INVALID, "the overlap limit must be in 0 ... 0.5 of the radius (got %.10g)",
                      def->max_overlap);
  if (!isnan(def->skin) && !(def->skin >= 0.0 && isfinite(def->skin)))
    return scree_fail(SCREE_INVALID, "the skin must be >= 0 m (got %.10g)", def->skin);
  if (!isnan(def->expected_speed) && !(def->expected_speed > 0.0 && def->expected_speed <= 1e9))
    return scree_fail(SCREE_INVALID, "the expected speed must be in 0 ... 1e9 m/s (got %.10g)", def->expected_speed);
  if (def->outside != SCREE_OUTSIDE_STOP && def->outside != SCREE_OUTSIDE_REMOVE)
    return scree_fail(SCREE_UNKNOWN, "a grain that leaves the domain stops the run or is removed (got %d)",
                      (int)def->outside);
  if (def->threads < 1 || def->threads > 1024)
    return scree_fail(SCREE_INVALID, "threads must be in 1 ... 1024 (got %d)", def->threads);
  ScreeWorld *w = calloc(1, sizeof *w);
  if (!w) return scree_fail(SCREE_NO_MEMORY, "no memory for a world");
  w->def = *def;
  w->def.skin += 0.0; /* no negative zero */
  list_images(w);
  w->look_every = 1;
  w->next_id = 1;
  ScreeStatus status = scree_pool_create(def->threads, &w->pool);
  if (status != SCREE_OK) {
    free(w);
    return status;
  }
  *world = w;
  return SCREE_OK;
}

void scree_world_destroy(ScreeWorld *w) {
  if (!w) return;
  scree_pool_destroy(w->pool);
  scree_workers_destroy(w);
  scree_pairs_free(&w->pairs);
  scree_pairs_free_spare(w);
  scree_flow_free(w);
  for (int i = 0; i < w->bodies; i++)
    if (scree_is_mesh(w, w->body[i].first)) scree_mesh_destroy((ScreeMesh *)w->wall[w->body[i].first].mesh);
  free(w->material), free(w->class), free(w->wall), free(w->field), free(w->kick), free(w->known);
  scree_bodies_free(w);
  scree_free_apart(w->record), scree_free_apart(w->turn), scree_free_apart(w->load.four);
  scree_free_apart(w->load.two);
  free(w->tile), free(w->run), free(w->other), free(w->beside);
  free(w);
}

static ScreeStatus still_open(const ScreeWorld *w) {
  return w->started ? scree_fail(SCREE_INVALID, "the world has started: nothing can be added") : SCREE_OK;
}

ScreeStatus scree_world_add_material(ScreeWorld *w, ScreeMaterial m, int *id) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(id);
  SCREE_TRY(still_open(w));
  if (!(m.young > 0.0 && m.density > 0.0 && isfinite(m.young) && isfinite(m.density) && m.poisson > -1.0 &&
        m.poisson <= 0.5))
    return scree_fail(SCREE_INVALID,
                      "a material needs a Young modulus > 0 Pa, a density > 0 kg/m3 and a Poisson ratio in -1 ... 0.5 "
                      "(got %.10g, %.10g, %.10g)",
                      m.young, m.density, m.poisson);
  int n = w->materials + 1;
  ScreeMaterial *material = realloc(w->material, (size_t)n * sizeof *material);
  if (material) w->material = material;
  uint8_t *known = realloc(w->known, (size_t)n);
  if (known) w->known = known, known[n - 1] = 0;
  Class *class = calloc((size_t)n * (size_t)n, sizeof *class);
  if (!material || !known || !class) {
    free(class);
    return scree_fail(SCREE_NO_MEMORY, "no memory for a material");
  }
  for (int a = 0; a < w->materials; a++)
    for (int b = 0; b < w->materials; b++) class[a * n + b] = *scree_class_of(w, a, b);
  free(w->class);
  w->class = class;
  w->material[w->materials] = m;
  *id = w->materials++;
  return SCREE_OK;
}

static ScreeStatus check_contact(const ScreeContactDef *def) {
  const ScreeLawInfo *normal = scree_law_info(def->normal);
  if (!normal || (normal->group != SCREE_POINT && normal->group != SCREE_PLASTIC))
    return scree_fail(SCREE_UNSUPPORTED, "grains need a point law (got %s)", normal ? normal->name : "none");
  double rolling_most = def->rolling_model == SCREE_ROLLING_VISCOUS ? 1e6 : 10.0; /* s/m, or a coefficient */
  if (!(def->rolling >= 0.0 && def->rolling <= rolling_most))
    return scree_fail(SCREE_INVALID, "the rolling resistance must be in 0 ... %g (got %.10g)", rolling_most,
                      def->rolling);
  if (!(def->twisting >= 0.0 && def->twisting <= 10.0 && def->rolling_damping >= 0.0 && def->rolling_damping <= 10.0))
    return scree_fail(SCREE_INVALID,
                      "twisting resistance and the damping of rolling must be in 0 ... 10 (got %.10g, %.10g)",
                      def->twisting, def->rolling_damping);
  if (!(def->rolling_stiffness >= 0.0 && isfinite(def->rolling_stiffness)))
    return scree_fail(SCREE_INVALID, "the stiffness of rolling must be >= 0 N m/rad (got %.10g)",
                      def->rolling_stiffness);
  if ((int)def->rolling_model < SCREE_ROLLING_NONE || def->rolling_model > SCREE_ROLLING_SPRING)
    return scree_fail(SCREE_UNKNOWN, "no such model of rolling resistance (%d)", (int)def->rolling_model);
  if (def->regularisation != SCREE_TANH && def->regularisation != SCREE_SQRT)
    return scree_fail(SCREE_UNKNOWN, "no such regularisation of coulomb (%d)", (int)def->regularisation);
  if (def->pair.custom)
    return scree_fail(SCREE_UNSUPPORTED, "the engine takes no elastic force of the caller's own (%s)", normal->name);
  if (def->tangential == SCREE_LAW_NONE) return SCREE_OK;
  const ScreeLawInfo *tangential = scree_law_info(def->tangential);
  if (!tangential || tangential->group != SCREE_TANGENTIAL)
    return scree_fail(SCREE_UNSUPPORTED, "%s is no tangential law", tangential ? tangential->name : "this");
  return SCREE_OK;
}

ScreeStatus scree_world_set_contact(ScreeWorld *w, int a, int b, const ScreeContactDef *def) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(def);
  SCREE_TRY(still_open(w));
  SCREE_TRY(check_contact(def));
  if (a == -1 && b == -1) {
    w->contact_default = *def;
    w->has_default = true;
    return SCREE_OK;
  }
  if (a < 0 || b < 0 || a >= w->materials || b >= w->materials)
    return scree_fail(SCREE_UNKNOWN, "no such materials (%d, %d): there are %d", a, b, w->materials);
  *scree_class_of(w, a, b) = *scree_class_of(w, b, a) = (Class){.given = true, .asked = *def, .first = a};
  return SCREE_OK;
}

ScreeStatus scree_world_add_wall(ScreeWorld *w, const ScreeWallDef *def, int *id) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(def);
  SCREE_TRY(still_open(w));
  if (def->material < 0 || def->material >= w->materials)
    return scree_fail(SCREE_UNKNOWN, "the wall's material %d does not exist", def->material);
  ScreeWallDef part[6];
  int count = 0;
  SCREE_TRY(scree_wall_prepare(def, part, &count));
  ScreeWallDef *wall = realloc(w->wall, (size_t)(w->walls + count) * sizeof *wall);
  if (!wall) return scree_fail(SCREE_NO_MEMORY, "no memory for a wall");
  w->wall = wall;
  SCREE_TRY(scree_body_add(w, w->walls, count));
  memcpy(wall + w->walls, part, (size_t)count * sizeof *wall);
  if (id) *id = w->walls;
  w->walls += count;
  if (def->shape == SCREE_WALL_MESH) {
    w->meshes++;
    scree_mesh_share(def->mesh);
    w->body[w->bodies - 1].wear = w->wearing;
    w->wearing += def->wear ? scree_mesh_facets(def->mesh) : 0;
  }
  return SCREE_OK;
}

ScreeStatus scree_world_add_mesh(ScreeWorld *w, const ScreeMeshDef *def, int material, int *id) {
  SCREE_NEED_AS(w, "world");
  SCREE_TRY(still_open(w));
  ScreeWallDef wall = {.shape = SCREE_WALL_MESH, .material = material};
  ScreeMesh *mesh = NULL;
  SCREE_TRY(scree_mesh_create(def, &mesh));
  wall.mesh = mesh;
  ScreeStatus status = scree_world_add_wall(w, &wall, id);
  scree_mesh_destroy(mesh); /* the world has it now, if it could be added */
  return status;
}

/* What is new is zero. */
static bool grow_array(void *array, int number, size_t from, size_t to, size_t width) {
  void **slot = array;
  size_t size = (to + 1) * width;
  char *fresh = scree_allocate_apart(size, number);
  if (!fresh) return false;
  if (from > 0) memcpy(fresh, *slot, from * width);
  memset(fresh + from * width, 0, size - from * width);
  scree_free_apart(*slot);
  *slot = fresh;
  return true;
}

ScreeStatus scree_world_grow(ScreeWorld *w, size_t n) {
  size_t m = w->count, room = w->capacity + w->capacity / 2;
  if (n <= w->capacity && w->record) return SCREE_OK;
  if (room < n) room = n;
  if (!grow_array(&w->record, OF_RECORDS, m, room, sizeof *w->record) ||
      !grow_array(&w->turn, OF_TURNS, m, room, sizeof *w->turn) ||
      !grow_array(&w->load.four, OF_FOURS, m, room, sizeof *w->load.four) ||
      !grow_array(&w->load.two, OF_TWOS, m, room, sizeof *w->load.two))
    return scree_fail(SCREE_NO_MEMORY, "no memory for %zu grains", n);
  w->capacity = room;
  return SCREE_OK;
}

double scree_grain_mass(const ScreeWorld *w, double radius, int material) {
  return 4.0 / 3.0 * acos(-1.0) * radius * radius * radius * w->material[material].density;
}

ScreeStatus scree_world_check_grain(const ScreeWorld *w, const ScreeGrain *g) {
  unsigned long long id = g->id;
  bool finite = isfinite(g->radius);
  for (int k = 0; k < 3; k++)
    finite = finite && isfinite(g->position[k]) && isfinite(g->velocity[k]) && isfinite(g->spin[k]);
  if (!finite || !(g->radius > 0.0))
    return scree_fail(SCREE_INVALID, "grain %llu has a radius that is not > 0 or numbers that are not finite", id);
  if (g->material < 0 || g->material >= w->materials)
    return scree_fail(SCREE_UNKNOWN, "grain %llu has the material %d, which does not exist", id, g->material);
  double mass = scree_grain_mass(w, g->radius, g->material);
  if (!(mass > 0.0 && isfinite(mass)))
    return scree_fail(SCREE_INVALID, "grain %llu of %.10g m radius has no mass that can be computed with (%.10g kg)",
                      id, g->radius, mass);
  return SCREE_OK;
}

void scree_world_append(ScreeWorld *w, const ScreeGrain *g) {
  size_t at = w->count++;
  w->record[at] = (Record){.r = g->radius, .m = g->fixed ? INFINITY : scree_grain_mass(w, g->radius, g->material)};
  w->turn[at] = (Turn){.id = g->id, .material = g->material};
  scree_put_load(w->load, at, (Load){{0}, {0}});
  memcpy(w->record[at].x, g->position, sizeof g->position);
  memcpy(w->record[at].v, g->velocity, sizeof g->velocity);
  memcpy(w->turn[at].v, g->velocity, sizeof g->velocity);
  memcpy(w->turn[at].w, g->spin, sizeof g->spin);
  if (g->id >= w->next_id) w->next_id = g->id < UINT64_MAX ? g->id + 1 : UINT64_MAX;
}

void scree_world_set_sentinel(ScreeWorld *w) {
  w->record[w->count] = (Record){.x = {NAN, NAN, NAN}}; /* apart from everything */
  w->turn[w->count] = (Turn){0};
  scree_put_load(w->load, w->count, (Load){{0}, {0}});
}

ScreeStatus scree_world_add_grains(ScreeWorld *w, size_t count, const ScreeGrain *g) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED_AS(g, "grains");
  SCREE_TRY(still_open(w));
  if (count > (size_t)(INT32_MAX / 2) - w->count)
    return scree_fail(SCREE_INVALID, "more than %d grains", INT32_MAX / 2);
  for (size_t i = 0; i < count; i++) SCREE_TRY(scree_world_check_grain(w, &g[i]));
  SCREE_TRY(scree_world_grow(w, w->count + count));
  for (size_t i = 0; i < count; i++) scree_world_append(w, &g[i]);
  scree_world_set_sentinel(w);
  return SCREE_OK;
}

/* ---- start ---- */

static int by_id(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static ScreeStatus check_ids(const ScreeWorld *w) {
  uint64_t *ids = malloc((w->count + 1) * sizeof *ids);
  if (!ids) return scree_fail(SCREE_NO_MEMORY, "no memory to check ids");
  for (size_t i = 0; i < w->count; i++) ids[i] = w->turn[i].id;
  qsort(ids, w->count, sizeof *ids, by_id);
  ScreeStatus status = SCREE_OK;
  for (size_t i = 1; i < w->count && status == SCREE_OK; i++)
    if (ids[i] == ids[i - 1])
      status = scree_fail(SCREE_INVALID, "the id %llu is used twice", (unsigned long long)ids[i]);
  free(ids);
  return status;
}

/* m/s, where nothing moves and nothing falls: grains that are pressed fly apart at a part of the speed of sound. At an
 * overlap of some per cent of the radius that is a hundredth of it. */
static double speed_of_pressed(const ScreeWorld *w) {
  double fastest = 0.0;
  for (int m = 0; m < w->materials; m++) fastest = fmax(fastest, sqrt(w->material[m].young / w->material[m].density));
  return 0.01 * fastest;
}

static void choose_scales(ScreeWorld *w) {
  w->min_radius = w->expect_high > 0.0 ? w->expect_low : INFINITY;
  w->max_radius = w->expect_high;
  double fastest = w->expect_speed, height = 0.0, g = 0.0;
  for (size_t i = 0; i < w->count; i++) {
    const Record *r = &w->record[i];
    w->min_radius = fmin(w->min_radius, r->r);
    w->max_radius = fmax(w->max_radius, r->r);
    fastest = fmax(fastest, sqrt(r->v[0] * r->v[0] + r->v[1] * r->v[1] + r->v[2] * r->v[2]));
  }
  for (int k = 0; k < 3; k++) {
    double pull = 0.0;
    for (int m = 0; m < w->materials; m++) pull = fmax(pull, fabs(w->field[m][k]));
    g += pull * pull;
    if (!w->def.periodic[k]) height = fmax(height, pull * (w->def.high[k] - w->def.low[k]));
  }
  w->expected_speed = w->def.expected_speed;
  fastest = fmax(fastest, scree_bodies_speed(w));
  if (isnan(w->expected_speed)) /* a fall through the domain, at least one of a few diameters */
    w->expected_speed = fmax(2.0 * fastest, fmax(sqrt(2.0 * height), sqrt(20.0 * sqrt(g) * w->max_radius)));
  if (isnan(w->def.expected_speed) && w->expected_speed < 1e-6) w->expected_speed = speed_of_pressed(w);
  w->expected_speed = fmax(w->expected_speed, 1e-6);
  w->skin = isnan(w->def.skin) ? scree_least_skin(w) : w->def.skin;
}

static ScreeStatus find_least_force(ScreeWorld *w) {
  w->least_force = INFINITY;
  for (int a = 0; a < w->materials; a++)
    for (int b = a; b < w->materials; b++) {
      const Class *c = scree_class_of(w, a, b);
      Record grain = {.r = w->min_radius, .m = scree_grain_mass(w, w->min_radius, a)};
      ScreePair pair;
      double memory[SCREE_MAX_SLOTS] = {0.0};
      if (!c->meets) continue;
      SCREE_TRY(scree_contact_pair(w, c, a, b, &grain, &grain, &pair));
      ScreeLaw law = scree_law_touch(&pair, w->expected_speed, memory);
      double force = scree_law_force(c->def.normal, &law, w->def.max_overlap * w->min_radius, 0.0, memory);
      w->least_force = fmin(w->least_force, force);
    }
  return SCREE_OK;
}

/* Units of the integer sums: the force of the stiffest contact at the overlap limit is 2^53 to 2^54 of them. */
static ScreeStatus choose_units(ScreeWorld *w) {
  double most = 0.0;
  for (int a = 0; a < w->materials; a++)
    for (int b = a; b < w->materials; b++)
      for (int wall = 0; wall < 2; wall++) {
        Record grain = {.r = w->max_radius,
                        .m = 4.0 / 3.0 * acos(-1.0) * pow(w->max_radius, 3.0) * w->material[a].density};
        ScreePair pair;
        double memory[SCREE_MAX_SLOTS] = {0.0};
        const Class *c = scree_class_of(w, a, b);
        if (!c->meets) continue;
        SCREE_TRY(scree_contact_pair(w, c, a, b, &grain, wall ? NULL : &grain, &pair));
        ScreeLaw law = scree_law_touch(&pair, w->expected_speed, memory);
        double force =
            scree_law_force(c->def.normal, &law, w->def.max_overlap * w->max_radius, w->expected_speed, memory);
        most = fmax(most, force);
      }
  SCREE_TRY(find_least_force(w));
  int exponent;
  if (most == 0.0) most = 1.0; /* nothing can touch */
  if (!(most > 0.0 && isfinite(most))) return scree_fail(SCREE_INVALID, "the contact forces of this world overflow");
  frexp(most, &exponent);
  w->force_unit = ldexp(1.0, exponent + 8 - 62);
  w->unit_overlap = w->def.max_overlap;
  frexp(fmax(w->min_radius, w->max_radius / 64.0), &exponent); /* large grains' torques must fit, too */
  w->torque_unit = ldexp(w->force_unit, exponent - 1);
  w->energy_unit = ldexp(w->torque_unit, -8); /* a contact at the limit, moving by its overlap, stays below 2^56 */
  double farthest = 0.0, heaviest = 0.0, jump = 0.0;
  for (size_t i = 0; i < w->count; i++)
    if (!scree_is_fixed(&w->record[i])) heaviest = fmax(heaviest, w->record[i].m);
  for (int m = 0; m < w->materials; m++)
    if (w->known[m] & KNOWN_FREE) heaviest = fmax(heaviest, scree_grain_mass(w, w->expect_high, m));
  for (int m = 0; m < w->materials; m++)
    for (int k = 0; k < 3; k++) jump = fmax(jump, fabs(w->field[m][k]) * (w->def.high[k] - w->def.low[k]));
  frexp(heaviest * jump, &exponent);
  w->jump_unit = ldexp(1.0, exponent - 40); /* millions may cross in one step */
  for (int k = 0; k < 3; k++) farthest = fmax(farthest, fmax(fabs(w->def.low[k]), fabs(w->def.high[k])));
  farthest += scree_bodies_lever(w);
  frexp(farthest, &exponent);
  w->wall_arm = ldexp(1.0, -exponent - 1);
  return SCREE_OK;
}

/* What pulls on the grains of each material: gravity, and the body force over its density. */
static ScreeStatus prepare_field(ScreeWorld *w) {
  w->field = malloc((size_t)w->materials * sizeof *w->field);
  w->kick = scree_allocate((size_t)w->materials * sizeof *w->kick);
  if (!w->field || !w->kick) return scree_fail(SCREE_NO_MEMORY, "no memory for %d materials", w->materials);
  for (int m = 0; m < w->materials; m++)
    for (int k = 0; k < 3; k++) w->field[m][k] = w->def.gravity[k] + w->def.body_force[k] / w->material[m].density;
  return SCREE_OK;
}

static ScreeStatus prepare_friction(ScreeWorld *w) {
  for (int a = 0; a < w->materials; a++)
    for (int b = 0; b < w->materials; b++) {
      Class *c = scree_class_of(w, a, b);
      if (!c->meets || c->def.tangential == SCREE_LAW_NONE) continue;
      ScreePairDef pair = c->def.pair;
      ScreeTangential t;
      pair.geometry = SCREE_SPHERE_PLANE;
      pair.radius[0] = w->max_radius;
      pair.material[0] = w->material[a];
      pair.material[1] = w->material[b];
      SCREE_TRY(scree_tangential_prepare(c->def.tangential, &pair, &t));
      if (isnan(c->def.pair.param[SCREE_PARAM_Gstar]))
        c->def.pair.param[SCREE_PARAM_Gstar] = scree_composite_shear_modulus(w->material[a], w->material[b]);
    }
  return SCREE_OK;
}

static ScreeStatus check_inside(const ScreeWorld *w) {
  for (size_t i = 0; i < w->count; i++)
    for (int k = 0; k < 3; k++) {
      double x = w->record[i].x[k];
      if (!w->def.periodic[k] && !(x >= w->def.low[k] && x <= w->def.high[k]))
        return scree_fail(SCREE_OUT_OF_RANGE, "grain %llu lies outside the domain at (%.6g, %.6g, %.6g) m",
                          (unsigned long long)w->turn[i].id, w->record[i].x[0], w->record[i].x[1], w->record[i].x[2]);
    }
  return SCREE_OK;
}

/* A run that goes on may hold grains that are on their way out. */
static ScreeStatus check_domain(const ScreeWorld *w, bool all_inside) {
  for (int k = 0; k < 3; k++)
    if (w->def.periodic[k] && w->def.high[k] - w->def.low[k] < 4.0 * w->max_radius + 2.0 * w->skin)
      return scree_fail(SCREE_INVALID,
                        "a periodic domain must be at least two of the largest grains and two skins wide: %.6g m (axis "
                        "%d: %.6g m)",
                        4.0 * w->max_radius + 2.0 * w->skin, k, w->def.high[k] - w->def.low[k]);
  return all_inside ? check_inside(w) : SCREE_OK;
}

void scree_world_bring_in(const ScreeWorld *w, double *position) {
  for (int k = 0; k < 3; k++) {
    double *x = &position[k], low = w->def.low[k], high = w->def.high[k];
    if (!w->def.periodic[k] || (*x >= low && *x < high)) continue;
    *x = low + fmod(*x - low, high - low);
    if (*x < low) *x += high - low;
    if (*x >= high) *x = low;
  }
}

static ScreeStatus check_speeds(const ScreeWorld *w) {
  for (size_t i = 0; i < w->count; i++) {
    const Record *r = &w->record[i];
    double speed = sqrt(scree_dot(r->v, r->v));
    if (!(speed * w->dt <= r->r))
      return scree_fail(SCREE_OUT_OF_RANGE,
                        "grain %llu starts at %.6g m/s and would move more than its radius of %.6g m in a step of "
                        "%.4g s; is the expected speed of %.4g m/s too low?",
                        (unsigned long long)w->turn[i].id, speed, r->r, w->dt, w->expected_speed);
    double spin = sqrt(scree_dot(w->turn[i].w, w->turn[i].w));
    if (!(spin * w->dt <= 1.0))
      return scree_fail(SCREE_OUT_OF_RANGE,
                        "grain %llu starts with a spin of %.6g rad/s, more than a radian in a step of %.4g s",
                        (unsigned long long)w->turn[i].id, spin, w->dt);
  }
  return SCREE_OK;
}

/* Takes over what an earlier start chose. */
static void keep_choices(ScreeWorld *w, const ScreeWorld *chosen) {
  w->dt = chosen->dt, w->skin = chosen->skin, w->expected_speed = chosen->expected_speed;
  w->min_radius = chosen->min_radius, w->max_radius = chosen->max_radius;
  w->jump_unit = chosen->jump_unit, w->wall_arm = chosen->wall_arm;
}

/* The units of an earlier start, while they have room for the overlap limit. */
static void keep_units(ScreeWorld *w, const ScreeWorld *chosen) {
  if (w->def.max_overlap > chosen->unit_overlap && w->force_unit > chosen->force_unit) return;
  w->force_unit = chosen->force_unit, w->torque_unit = chosen->torque_unit, w->energy_unit = chosen->energy_unit;
  w->unit_overlap = chosen->unit_overlap;
}

ScreeStatus scree_world_prepare(ScreeWorld *w, const ScreeWorld *chosen) {
  SCREE_TRY(check_ids(w));
  SCREE_TRY(prepare_field(w));
  scree_bodies_prepare(w);
  choose_scales(w);
  if (chosen) keep_choices(w, chosen);
  for (size_t i = 0; i < w->count && !chosen; i++) scree_world_bring_in(w, w->record[i].x);
  SCREE_TRY(check_domain(w, !chosen));
  SCREE_TRY(scree_classes_prepare(w));
  if (!chosen) SCREE_TRY(check_speeds(w));
  if (!chosen) SCREE_TRY(scree_bodies_start(w));
  SCREE_TRY(prepare_friction(w));
  SCREE_TRY(choose_units(w));
  if (chosen) keep_choices(w, chosen), keep_units(w, chosen);
  SCREE_TRY(scree_flow_prepare(w));
  SCREE_TRY(scree_workers_create(w));
  return scree_rebuild(w, NULL, 0, false);
}

/* The forces at the start: no time passes, so no history is gathered and no work is done. */
static ScreeStatus first_forces(ScreeWorld *w) {
  w->starting = true;
  ScreeStatus status = scree_contacts(w, PASS_ALONE);
  w->starting = false;
  for (int i = 0; i < w->def.threads && status == SCREE_OK; i++) scree_collect_deferred(w, i);
  if (status == SCREE_OK) scree_bodies_feel(w);
  return status == SCREE_OK && w->too_deep ? scree_explain_overlap(w, 0) : status;
}

/* What is stored at the start was put there before. */
static ScreeStatus open_ledger(ScreeWorld *w) {
  ScreeMeasure m;
  w->ledger = (Ledger){0};
  w->started = true;
  SCREE_TRY(scree_world_measure(w, &m));
  w->ledger.viscous = -m.dissipated_viscous;
  w->ledger.plastic = -m.dissipated_plastic;
  w->ledger.tangential = -m.dissipated_friction;
  w->ledger.rolling = -m.dissipated_rolling;
  w->ledger.scale = 0.0;
  w->ledger.start = m.kinetic - m.scheme + m.potential + m.elastic;
  return SCREE_OK;
}

/* A start that failed may be tried again: it leaves nothing behind. */
void scree_world_undo_start(ScreeWorld *w) {
  scree_workers_destroy(w);
  scree_pairs_free(&w->pairs);
  scree_pairs_free_spare(w);
  free(w->field), free(w->kick), free(w->tile), free(w->run), free(w->other), free(w->beside);
  w->field = NULL, w->kick = NULL, w->tile = NULL, w->run = NULL, w->other = NULL, w->beside = NULL;
  w->tiles = 0;
  w->rebuilds = 0;
  w->constants = w->slots = 0;
  w->rolls = w->twists = w->resists = w->dashes = w->started = false;
  for (size_t i = 0; i < w->count; i++) { /* some forces may have been found */
    memset(w->load.four[i], 0, sizeof w->load.four[i]);
    memset(w->load.two[i], 0, sizeof w->load.two[i]);
  }
  w->max_overlap = w->peak_overlap = 0.0;
  w->too_deep = w->met = w->ahead = false;
}

ScreeStatus scree_world_start(ScreeWorld *w) {
  SCREE_NEED_AS(w, "world");
  SCREE_TRY(still_open(w));
  if (w->count == 0 && w->expect_high == 0.0)
    return scree_fail(SCREE_MISSING, "the world has no grains and expects none");
  SCREE_TRY(scree_world_grow(w, w->count));
  ScreeStatus status = scree_world_prepare(w, NULL);
  if (status == SCREE_OK) status = scree_openings_start(w);
  if (status == SCREE_OK) status = first_forces(w);
  if (status == SCREE_OK) status = open_ledger(w);
  if (status != SCREE_OK) scree_world_undo_start(w);
  return status;
}

/* ---- the step ---- */

ScreeStatus scree_world_step(ScreeWorld *w, long steps) {
  SCREE_NEED_AS(w, "world");
  if (!w->started) return scree_fail(SCREE_INVALID, "the world was not started");
  if (w->failed) return scree_fail(SCREE_INVALID, "the world has failed and cannot go on");
  if (steps < 0) return scree_fail(SCREE_INVALID, "steps must be >= 0 (got %ld)", steps);
  w->failed = true;  /* until the steps are done */
  bool whole = true; /* velocities are those of the time */
  ScreeStatus status = SCREE_OK;
  for (long s = 0; s < steps && status == SCREE_OK; s++) {
    SCREE_TRY(whole ? scree_drift(w) : scree_turnover(w)); /* a turnover ends the step before */
    SCREE_TRY(scree_bodies_drift(w));
    if (w->ahead)
      SCREE_TRY(scree_confirm_pass(w));
    else if (scree_needs_rebuild(w))
      SCREE_TRY(scree_rebuild(w, NULL, 0, false));
    SCREE_TRY(scree_contacts(w, scree_choose_pass(w, steps - s - 1)));
    scree_bodies_correct(w);
    w->step++;
    w->time = (double)w->step * w->dt;
    whole = false;
    if (w->too_deep) status = scree_explain_overlap(w, w->step); /* now: grains may be gone later */
    if (scree_flow_is_due(w, w->step)) SCREE_TRY(scree_flow(w, &whole));
  }
  if (!whole) SCREE_TRY(scree_correct(w));
  w->failed = false;
  return status;
}

/* ---- reading ---- */

bool scree_world_is_whole(const ScreeWorld *w) { return w && w->started && !w->failed; }
long scree_world_steps(const ScreeWorld *w) { return w ? w->step : 0; }
void scree_world_forget_peak(ScreeWorld *w) {
  if (w) w->peak_overlap = 0.0;
}
size_t scree_world_count(const ScreeWorld *w) { return w ? w->count : 0; }
int scree_world_threads(const ScreeWorld *w) { return w ? w->def.threads : 0; }
double scree_world_timestep(const ScreeWorld *w) { return w ? w->dt : NAN; }
double scree_world_expected_speed(const ScreeWorld *w) { return w ? w->expected_speed : NAN; }
const char *scree_world_timestep_reason(const ScreeWorld *w) { return w ? w->reason : ""; }

size_t scree_world_bytes(const ScreeWorld *w) {
  if (!w) return 0;
  size_t grain = sizeof(Record) + sizeof(Turn) + sizeof(Load);
  return w->capacity * grain + w->pairs.room + w->spare_room + w->tiles * sizeof(Tile) +
         (w->tile ? w->tile[w->tiles].runs * sizeof(Run) + w->tile[w->tiles].others * sizeof *w->other : 0) +
         w->beside_capacity * w->beside_width + scree_workers_bytes(w) + scree_openings_bytes(w);
}
