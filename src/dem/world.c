/* world.c: the world and its step, which reads as the list of its stages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "engine.h"
#include "memory.h"

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

ScreeStatus scree_world_create(const ScreeWorldDef *def, ScreeWorld **world) {
  SCREE_NEED(def);
  SCREE_NEED(world);
  for (int k = 0; k < 3; k++) {
    if (!isfinite(def->gravity[k]) || !isfinite(def->body_force[k]))
      return scree_fail(SCREE_INVALID, "gravity and the body force must be finite");
    if (!(def->high[k] > def->low[k]) || !isfinite(def->high[k] - def->low[k]))
      return scree_fail(SCREE_INVALID, "the domain must have high > low on every axis (axis %d: %.10g ... %.10g m)", k,
                        def->low[k], def->high[k]);
  }
  if (!(def->max_overlap > 0.0 && def->max_overlap <= 0.5))
    return scree_fail(SCREE_INVALID, "the overlap limit must be in 0 ... 0.5 of the radius (got %.10g)",
                      def->max_overlap);
  if (def->threads < 1 || def->threads > 1024)
    return scree_fail(SCREE_INVALID, "threads must be in 1 ... 1024 (got %d)", def->threads);
  ScreeWorld *w = calloc(1, sizeof *w);
  if (!w) return scree_fail(SCREE_NO_MEMORY, "no memory for a world");
  w->def = *def;
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
  free(w->material), free(w->class), free(w->wall), free(w->field);
  free(w->record), free(w->spin), free(w->load), free(w->half);
  free(w->tile), free(w->run);
  free(w);
}

static ScreeStatus still_open(const ScreeWorld *w) {
  return w->started ? scree_fail(SCREE_INVALID, "the world has started: nothing can be added") : SCREE_OK;
}

ScreeStatus scree_world_add_material(ScreeWorld *w, ScreeMaterial m, int *id) {
  SCREE_NEED(w);
  SCREE_NEED(id);
  SCREE_TRY(still_open(w));
  if (!(m.young > 0.0 && m.density > 0.0 && m.poisson > -1.0 && m.poisson <= 0.5))
    return scree_fail(SCREE_INVALID,
                      "a material needs a Young modulus > 0, a density > 0 and a Poisson ratio in -1 ... 0.5");
  int n = w->materials + 1;
  ScreeMaterial *material = realloc(w->material, (size_t)n * sizeof *material);
  if (material) w->material = material;
  Class *class = calloc((size_t)n * (size_t)n, sizeof *class);
  if (!material || !class) {
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
  if (!(def->rolling >= 0.0 && def->twisting >= 0.0 && def->rolling_damping >= 0.0))
    return scree_fail(SCREE_INVALID, "rolling and twisting resistance and their damping must be >= 0");
  if (def->tangential == SCREE_LAW_NONE) return SCREE_OK;
  const ScreeLawInfo *tangential = scree_law_info(def->tangential);
  if (!tangential || tangential->group != SCREE_TANGENTIAL)
    return scree_fail(SCREE_UNSUPPORTED, "%s is no tangential law", tangential ? tangential->name : "this");
  return SCREE_OK;
}

ScreeStatus scree_world_set_contact(ScreeWorld *w, int a, int b, const ScreeContactDef *def) {
  SCREE_NEED(w);
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
  *scree_class_of(w, a, b) = *scree_class_of(w, b, a) = (Class){.used = true, .def = *def};
  return SCREE_OK;
}

ScreeStatus scree_world_add_wall(ScreeWorld *w, const ScreeWallDef *def, int *id) {
  SCREE_NEED(w);
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
  memcpy(wall + w->walls, part, (size_t)count * sizeof *wall);
  if (id) *id = w->walls;
  w->walls += count;
  return SCREE_OK;
}

/* Room for n grains and the sentinel, in whole cache lines; what is new is zero. A row of spins is read with one number
 * more, so its array ends with another line. */
static bool grow_array(void *array, size_t from, size_t to, size_t width) {
  void **slot = array;
  size_t size = ((to + 1) * width + 127) / 64 * 64;
  char *fresh = scree_allocate(size);
  if (!fresh) return false;
  if (from > 0) memcpy(fresh, *slot, from * width);
  memset(fresh + from * width, 0, size - from * width);
  free(*slot);
  *slot = fresh;
  return true;
}

static ScreeStatus grow(ScreeWorld *w, size_t n) {
  size_t m = w->count;
  if (grow_array(&w->record, m, n, sizeof *w->record) && grow_array(&w->spin, m, n, sizeof *w->spin) &&
      grow_array(&w->load, m, n, sizeof *w->load) && grow_array(&w->half, m, n, sizeof *w->half))
    return SCREE_OK;
  return scree_fail(SCREE_NO_MEMORY, "no memory for %zu grains", n);
}

ScreeStatus scree_world_add_grains(ScreeWorld *w, size_t count, const ScreeGrain *g) {
  SCREE_NEED(w);
  SCREE_NEED(g);
  SCREE_TRY(still_open(w));
  size_t n = w->count + count;
  if (n > INT32_MAX / 2) return scree_fail(SCREE_INVALID, "more than %d grains", INT32_MAX / 2);
  for (size_t i = 0; i < count; i++) {
    bool finite = isfinite(g[i].radius);
    for (int k = 0; k < 3; k++)
      finite = finite && isfinite(g[i].position[k]) && isfinite(g[i].velocity[k]) && isfinite(g[i].spin[k]);
    if (!finite || !(g[i].radius > 0.0))
      return scree_fail(SCREE_INVALID, "grain %llu has a radius that is not > 0 or numbers that are not finite",
                        (unsigned long long)g[i].id);
    if (g[i].material < 0 || g[i].material >= w->materials)
      return scree_fail(SCREE_UNKNOWN, "grain %llu has the material %d, which does not exist",
                        (unsigned long long)g[i].id, g[i].material);
  }
  SCREE_TRY(grow(w, n));
  for (size_t i = 0; i < count; i++) {
    size_t at = w->count + i;
    double r = g[i].radius, mass = 4.0 / 3.0 * acos(-1.0) * r * r * r * w->material[g[i].material].density;
    w->record[at] = (Record){.r = r, .m = g[i].fixed ? INFINITY : mass};
    w->load[at] = (Load){.id = g[i].id, .material = g[i].material};
    memcpy(w->record[at].x, g[i].position, sizeof g[i].position);
    memcpy(w->record[at].v, g[i].velocity, sizeof g[i].velocity);
    memcpy(w->spin[at], g[i].spin, sizeof g[i].spin);
  }
  w->count = n;
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
  for (size_t i = 0; i < w->count; i++) ids[i] = w->load[i].id;
  qsort(ids, w->count, sizeof *ids, by_id);
  ScreeStatus status = SCREE_OK;
  for (size_t i = 1; i < w->count && status == SCREE_OK; i++)
    if (ids[i] == ids[i - 1])
      status = scree_fail(SCREE_INVALID, "the id %llu is used twice", (unsigned long long)ids[i]);
  free(ids);
  return status;
}

static void choose_scales(ScreeWorld *w) {
  w->min_radius = INFINITY;
  w->max_radius = 0.0;
  double fastest = 0.0, height = 0.0, g = 0.0;
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
  if (isnan(w->def.expected_speed)) /* a fall through the domain, at least one of a few diameters */
    w->def.expected_speed = fmax(2.0 * fastest, fmax(sqrt(2.0 * height), sqrt(20.0 * sqrt(g) * w->max_radius)));
  if (!(w->def.expected_speed > 1e-6)) w->def.expected_speed = 1e-6;
  w->skin = isnan(w->def.skin) ? 0.05 * w->min_radius : w->def.skin;
}

/* Units of the integer sums: the force of the stiffest contact at the overlap limit, sixty-four of which must fit. */
static ScreeStatus choose_units(ScreeWorld *w) {
  double most = 0.0;
  for (int a = 0; a < w->materials; a++)
    for (int b = a; b < w->materials; b++) {
      Record grain = {.r = w->max_radius,
                      .m = 4.0 / 3.0 * acos(-1.0) * pow(w->max_radius, 3.0) * w->material[a].density};
      ScreePair pair;
      double memory[SCREE_MAX_SLOTS] = {0.0};
      const Class *c = scree_class_of(w, a, b);
      SCREE_TRY(scree_contact_pair(w, c, a, b, &grain, NULL, &pair));
      ScreeLaw law = scree_law_touch(&pair, w->def.expected_speed, memory);
      double force =
          scree_law_force(c->def.normal, &law, w->def.max_overlap * w->max_radius, w->def.expected_speed, memory);
      most = fmax(most, force);
    }
  int exponent;
  if (!(most > 0.0 && isfinite(most))) return scree_fail(SCREE_INVALID, "the contact forces of this world overflow");
  frexp(most, &exponent);
  w->force_unit = ldexp(1.0, exponent + 8 - 62);
  frexp(w->min_radius, &exponent);
  w->torque_unit = ldexp(w->force_unit, exponent - 1);
  w->energy_unit = ldexp(w->torque_unit, -12);
  double farthest = 0.0;
  for (int k = 0; k < 3; k++) farthest = fmax(farthest, fmax(fabs(w->def.low[k]), fabs(w->def.high[k])));
  frexp(farthest, &exponent);
  w->wall_arm = ldexp(1.0, -exponent - 1);
  return SCREE_OK;
}

/* What pulls on the grains of each material: gravity, and the body force over its density. */
static ScreeStatus prepare_field(ScreeWorld *w) {
  free(w->field); /* of a start that failed */
  w->field = malloc((size_t)w->materials * sizeof *w->field);
  if (!w->field) return scree_fail(SCREE_NO_MEMORY, "no memory for %d materials", w->materials);
  for (int m = 0; m < w->materials; m++)
    for (int k = 0; k < 3; k++) w->field[m][k] = w->def.gravity[k] + w->def.body_force[k] / w->material[m].density;
  return SCREE_OK;
}

static ScreeStatus prepare_friction(ScreeWorld *w) {
  for (int a = 0; a < w->materials; a++)
    for (int b = 0; b < w->materials; b++) {
      Class *c = scree_class_of(w, a, b);
      if (c->def.tangential == SCREE_LAW_NONE) continue;
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
        return scree_fail(SCREE_OUT_OF_RANGE, "step %ld: grain %llu left the domain at (%.6g, %.6g, %.6g) m", w->step,
                          (unsigned long long)w->load[i].id, w->record[i].x[0], w->record[i].x[1], w->record[i].x[2]);
    }
  return SCREE_OK;
}

static ScreeStatus check_domain(const ScreeWorld *w) {
  for (int k = 0; k < 3; k++)
    if (w->def.periodic[k] && w->def.high[k] - w->def.low[k] < 4.0 * w->max_radius + 2.0 * w->skin)
      return scree_fail(
          SCREE_INVALID,
          "a periodic domain must be wider than two of the largest grains (axis %d: %.6g m, grains of %.6g m)", k,
          w->def.high[k] - w->def.low[k], 2.0 * w->max_radius);
  return check_inside(w);
}

ScreeStatus scree_world_start(ScreeWorld *w) {
  SCREE_NEED(w);
  SCREE_TRY(still_open(w));
  if (w->count == 0) return scree_fail(SCREE_MISSING, "the world has no grains");
  SCREE_TRY(check_ids(w));
  SCREE_TRY(prepare_field(w));
  choose_scales(w);
  SCREE_TRY(check_domain(w));
  SCREE_TRY(scree_classes_prepare(w));
  SCREE_TRY(prepare_friction(w));
  SCREE_TRY(choose_units(w));
  scree_workers_destroy(w);
  SCREE_TRY(scree_workers_create(w));
  SCREE_TRY(scree_rebuild(w));
  SCREE_TRY(scree_contacts(w));
  for (int i = 0; i < w->def.threads; i++) scree_collect_deferred(w, i);
  w->ledger = (Ledger){0}; /* nothing has moved yet */
  w->started = true;
  ScreeMeasure m;
  SCREE_TRY(scree_world_measure(w, &m));
  w->ledger.viscous = -m.dissipated_viscous; /* what is stored at the start was put there before */
  w->ledger.plastic = -m.dissipated_plastic;
  w->ledger.scale = 0.0;
  w->ledger.start = m.kinetic + m.potential + m.elastic;
  return SCREE_OK;
}

/* ---- the step ---- */

ScreeStatus scree_world_step(ScreeWorld *w, long steps) {
  SCREE_NEED(w);
  if (!w->started) return scree_fail(SCREE_INVALID, "the world was not started");
  if (w->failed) return scree_fail(SCREE_INVALID, "the world has failed and cannot go on");
  if (steps < 0) return scree_fail(SCREE_INVALID, "steps must be >= 0 (got %ld)", steps);
  w->failed = true; /* until the steps are done */
  for (long s = 0; s < steps; s++) {
    if (s == 0)
      scree_drift(w);
    else
      scree_turnover(w); /* ends the step before */
    if (scree_needs_rebuild(w)) {
      SCREE_TRY(check_inside(w));
      SCREE_TRY(scree_rebuild(w));
    }
    SCREE_TRY(scree_contacts(w));
    w->step++;
    w->time = (double)w->step * w->dt;
  }
  if (steps > 0) scree_correct(w);
  w->failed = false;
  return SCREE_OK;
}

/* ---- reading ---- */

size_t scree_world_count(const ScreeWorld *w) { return w->count; }
double scree_world_timestep(const ScreeWorld *w) { return w->dt; }
const char *scree_world_timestep_reason(const ScreeWorld *w) { return w->reason; }

size_t scree_world_bytes(const ScreeWorld *w) {
  size_t grain = sizeof(Record) + sizeof *w->spin + sizeof(Load) + sizeof(Half);
  return w->count * grain + w->pairs.capacity * scree_pair_bytes(w) + w->tiles * sizeof(Tile) +
         (w->tile ? w->tile[w->tiles].runs : 0) * sizeof(Run) + scree_workers_bytes(w);
}

static int by_grain_id(const void *a, const void *b) {
  return by_id(&((const ScreeGrain *)a)->id, &((const ScreeGrain *)b)->id);
}

ScreeStatus scree_world_read(const ScreeWorld *w, ScreeGrain *g) {
  SCREE_NEED(w);
  SCREE_NEED(g);
  for (size_t i = 0; i < w->count; i++) {
    g[i] = (ScreeGrain){.id = w->load[i].id,
                        .radius = w->record[i].r,
                        .material = w->load[i].material,
                        .fixed = scree_is_fixed(&w->record[i])};
    memcpy(g[i].position, w->record[i].x, sizeof g[i].position);
    memcpy(g[i].velocity, w->record[i].v, sizeof g[i].velocity);
    memcpy(g[i].spin, w->spin[i], sizeof g[i].spin);
  }
  qsort(g, w->count, sizeof *g, by_grain_id);
  return SCREE_OK;
}
