/* change.c: grains that are put in and taken out, between steps.
 *
 * A grain that is put in touches nothing, so it brings kinetic and potential energy. One that is taken out has them,
 * and its contacts end with what they hold. Their last forces still push the partners for the half step that comes:
 * that work is not the contact's any more; when it is done it is booked as given back by the grain that went. Loads of
 * the others, and the memory of their contacts, stay as they are: what happens far away leaves no trace in their bits.
 */
#include <stdlib.h>
#include <string.h>

#include "contact.h"
#include "core/status.h"
#include "opening.h"
#include "start.h"
#include "vicinity.h"

/* ---- taking out ---- */

/* A contact of a grain that goes, and its place in an order that does not depend on memory. */
typedef struct Ended {
  uint64_t first, second;
  size_t pair;
  bool wall;
} Ended;

static int by_ids(const void *a, const void *b) {
  const Ended *x = a, *y = b;
  if (x->wall != y->wall) return x->wall ? 1 : -1;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  return x->second < y->second ? -1 : x->second > y->second;
}

/* Those of one thread's tiles. */
typedef struct EndedOf {
  Ended *list;
  size_t count, capacity;
  bool no_memory;
} EndedOf;

typedef struct Ending {
  const ScreeWorld *w;
  const uint8_t *gone;
  EndedOf *of; /* per thread */
} Ending;

static bool note_ended(EndedOf *of, Ended ended) {
  if (of->count == of->capacity) {
    size_t capacity = 2 * of->capacity + 64;
    Ended *grown = realloc(of->list, capacity * sizeof *grown);
    if (!grown) return false;
    of->list = grown, of->capacity = capacity;
  }
  of->list[of->count++] = ended;
  return true;
}

static void find_ended(void *context, int number, int threads) {
  const Ending *e = context;
  const ScreeWorld *w = e->w;
  const Pairs *q = &w->pairs;
  EndedOf *of = &e->of[number];
  size_t p = w->tile[w->worker[number]->tile].pairs, end = w->tile[w->worker[number]->tile_end].pairs;
  (void)threads;
  for (; p < end && !of->no_memory; p++) {
    int32_t i = KEPT(q, i, p), j = KEPT(q, j, p);
    bool wall = j < 0;
    if (!(e->gone[i] || (!wall && e->gone[j])) || q->k[p] == 0.0) continue;
    uint64_t a = w->turn[i].id, b = wall ? (uint64_t)(-1 - j) : w->turn[j].id;
    of->no_memory = !note_ended(of, wall || a < b ? (Ended){a, b, p, wall} : (Ended){b, a, p, wall});
  }
}

/* All of them in order; NULL: no memory. */
static Ended *list_ended(const ScreeWorld *w, const uint8_t *gone, size_t *count) {
  Ending e = {w, gone, calloc((size_t)w->def.threads, sizeof *e.of)};
  *count = 0;
  if (!e.of) return NULL;
  scree_pool_run(w->pool, find_ended, &e);
  EndedOf *all = &e.of[0];
  for (int n = 1; n < w->def.threads; n++) {
    for (size_t k = 0; k < e.of[n].count && !all->no_memory; k++) all->no_memory = !note_ended(all, e.of[n].list[k]);
    all->no_memory |= e.of[n].no_memory;
    free(e.of[n].list);
  }
  Ended *list = all->list ? all->list : malloc(sizeof *list); /* of none, too */
  if (all->no_memory) free(list), list = NULL;
  *count = all->count;
  if (list) qsort(list, *count, sizeof *list, by_ids);
  free(e.of);
  return list;
}

/* Work that the last forces of a pair do on a wall that moves, in the half step that comes. */
static double last_push_on_wall(const ScreeWorld *w, size_t p) {
  const Pairs *q = &w->pairs;
  int32_t i = KEPT(q, i, p), wall = -1 - KEPT(q, j, p);
  const Body *body = scree_body_of(w, wall);
  double n[3], lever[3], friction[3], power = 0.0, arm = w->record[i].r - 0.5 * KEPT(q, last, p);
  if (!body->moves) return 0.0;
  scree_friction_prev(scree_class_of(w, w->turn[i].material, scree_material_of(w, KEPT(q, j, p))), q, p, friction);
  scree_wall_gap(w, wall, &w->record[i], n, lever);
  if (scree_is_mesh(w, wall)) scree_mesh_normal(w, q, p, wall, n);
  for (int k = 0; k < 3; k++) lever[k] += arm * n[k];
  Surface surface = scree_surface(&body->frame, lever);
  for (int k = 0; k < 3; k++) power += ((double)q->press[p] * n[k] - friction[k]) * surface.u[k];
  for (int k = 0; k < 3 && w->resists; k++) power -= (double)q->torque_prev[k][p] * surface.w[k];
  return 0.5 * w->dt * power;
}

/* Work that the last forces of a pair do on its grain `on` in the half step that comes. */
static double last_push(const ScreeWorld *w, size_t p, int32_t on) {
  const Pairs *q = &w->pairs;
  int32_t i = KEPT(q, i, p), j = KEPT(q, j, p);
  double n[3], u[3], spin[3], friction[3], power = 0.0, side = on == i ? -1.0 : 1.0,
                                           arm = w->record[on].r - 0.5 * KEPT(q, last, p);
  scree_friction_prev(scree_class_of(w, w->turn[i].material, w->turn[j].material), q, p, friction);
  for (int k = 0; k < 3; k++) n[k] = scree_image(w, k, w->record[j].x[k] - w->record[i].x[k]);
  double size = sqrt(scree_dot(n, n));
  scree_middle(w, (size_t)on, u, spin);
  for (int k = 0; k < 3; k++) n[k] /= size;
  for (int k = 0; k < 3; k++) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    /* of the grain's surface at the contact, which lies towards the other; friction is kept as the force on i */
    double surface = u[k] - side * arm * (spin[y] * n[z] - spin[z] * n[y]);
    power += side * ((double)q->press[p] * n[k] * u[k] - friction[k] * surface);
    if (w->resists) power -= side * (double)q->torque_prev[k][p] * spin[k];
  }
  return 0.5 * w->dt * power;
}

static void end_contact(ScreeWorld *w, const uint8_t *gone, size_t p) {
  Ledger *l = &w->ledger;
  int32_t i = KEPT(&w->pairs, i, p), j = KEPT(&w->pairs, j, p);
  const Class *c = scree_class_of(w, w->turn[i].material, scree_material_of(w, j));
  Held held = scree_held(w, p);
  *(c->plastic ? &l->plastic : &l->viscous) -= held.normal;
  l->tangential -= held.tangential;
  l->rolling -= held.rolling;
  l->taken += held.normal + held.tangential + held.rolling;
  if (j < 0)
    l->pending += last_push_on_wall(w, p);
  else if (!(gone[i] && gone[j]))
    l->pending += last_push(w, p, gone[i] ? j : i);
  w->pairs.k[p] = KEPT(&w->pairs, last, p) = 0.0;
}

static void move_grain(ScreeWorld *w, size_t from, size_t to) {
  w->record[to] = w->record[from];
  w->turn[to] = w->turn[from];
  scree_put_load(w->load, to, scree_load_of(w->load, from));
}

/* A tile's grains that stay, from a place on: what is free of theirs is filled by its last. Returns where they end. */
static size_t close_tile(ScreeWorld *w, const uint8_t *gone, int32_t *moved, size_t begin, size_t end, size_t place) {
  size_t to = place, from = end, last = place;
  for (size_t i = begin; i < end; i++) last += !gone[i];
  for (;; to++) {
    while (to < last && to >= begin && !gone[to]) to++;
    if (to == last) return last;
    do from--;
    while (gone[from]);
    move_grain(w, from, to);
    moved[from] = (int32_t)to;
  }
}

void scree_close_gaps(ScreeWorld *w, const uint8_t *gone, int32_t *moved) {
  size_t begin = 0, place = 0;
  for (size_t i = 0; i < w->count; i++) moved[i] = gone[i] ? -1 : (int32_t)i;
  for (size_t t = 0; t < w->tiles; t++) {
    size_t end = w->tile[t + 1].grains;
    w->tile[t].grains = place;
    place = close_tile(w, gone, moved, begin, end, place);
    begin = end;
  }
  w->tile[w->tiles].grains = w->count = place;
  for (int n = 0; n < w->def.threads; n++) {
    Worker *worker = w->worker[n];
    worker->first = w->tile[worker->tile].grains, worker->last = w->tile[worker->tile_end].grains;
  }
  scree_world_set_sentinel(w);
}

ScreeStatus scree_take_out(ScreeWorld *w, const int32_t *grain, size_t count) {
  size_t before = w->count, ended = 0;
  if (count == 0) return SCREE_OK;
  w->met = false;
  uint8_t *gone = calloc(before + 1, 1);
  int32_t *moved = malloc((before + 1) * sizeof *moved);
  for (size_t i = 0; gone && i < count; i++) gone[grain[i]] = 1;
  Ended *list = gone ? list_ended(w, gone, &ended) : NULL;
  ScreeStatus status = SCREE_OK;
  if (!gone || !moved || !list) {
    status = scree_fail(SCREE_NO_MEMORY, "no memory to take %zu grains out", count);
  } else {
    for (size_t e = 0; e < ended; e++) end_contact(w, gone, list[e].pair);
    for (size_t i = 0; i < count; i++) {
      size_t at = (size_t)grain[i];
      w->ledger.taken += scree_grain_energy(w, at) - scree_telescoped(w, at);
      w->removed.grains++;
      w->removed.mass += scree_grain_mass(w, w->record[at].r, w->turn[at].material);
    }
    scree_close_gaps(w, gone, moved);
    if (w->meshes == 0 && count < before / 10)
      scree_list_forget(w, moved, before);
    else
      status = scree_rebuild(w, moved, before, true);
    if (status != SCREE_OK) w->failed = true;
  }
  free(gone), free(moved), free(list);
  return status;
}

static ScreeStatus can_change(const ScreeWorld *w) {
  if (!w->started) return scree_fail(SCREE_INVALID, "the world was not started: scree_world_add_grains adds to it");
  if (w->failed) return scree_fail(SCREE_INVALID, "the world has failed and cannot go on");
  return SCREE_OK;
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* The ids in order; to be freed. */
static uint64_t *sorted_ids(size_t count, const uint64_t *ids) {
  uint64_t *sorted = malloc((count + 1) * sizeof *sorted);
  if (!sorted) return NULL;
  memcpy(sorted, ids, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, by_value);
  return sorted;
}

static ScreeStatus find_all(const ScreeWorld *w, const uint64_t *id, size_t count, int32_t *grain) {
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && id[i] == id[i - 1])
      return scree_fail(SCREE_INVALID, "grain %llu is to be taken out twice", (unsigned long long)id[i]);
    grain[i] = -1;
  }
  for (size_t i = 0; i < w->count; i++) {
    const uint64_t *found = bsearch(&w->turn[i].id, id, count, sizeof *id, by_value);
    if (found) grain[found - id] = (int32_t)i;
  }
  for (size_t i = 0; i < count; i++)
    if (grain[i] < 0) return scree_fail(SCREE_UNKNOWN, "there is no grain %llu", (unsigned long long)id[i]);
  return SCREE_OK;
}

ScreeStatus scree_world_remove(ScreeWorld *w, size_t count, const uint64_t *ids) {
  SCREE_NEED_AS(w, "world");
  SCREE_TRY(can_change(w));
  if (count == 0) return SCREE_OK;
  SCREE_NEED(ids);
  if (count > w->count)
    return scree_fail(SCREE_UNKNOWN, "%zu grains are to be taken out, and there are %zu", count, w->count);
  uint64_t *sorted = sorted_ids(count, ids);
  int32_t *grain = malloc(count * sizeof *grain);
  ScreeStatus status = sorted && grain ? find_all(w, sorted, count, grain)
                                       : scree_fail(SCREE_NO_MEMORY, "no memory to take %zu grains out", count);
  if (status == SCREE_OK) status = scree_take_out(w, grain, count);
  free(sorted), free(grain);
  return status;
}

/* ---- putting in ---- */

ScreeStatus scree_put_in(ScreeWorld *w, const ScreeGrain *grain, size_t count) {
  size_t before = w->count;
  if (count == 0) return SCREE_OK;
  SCREE_TRY(scree_world_grow(w, before + count));
  w->met = false;
  for (size_t i = 0; i < count; i++) scree_world_append(w, &grain[i]);
  scree_world_set_sentinel(w);
  ScreeStatus status = scree_openings_enter(w, before);
  for (size_t i = before; i < w->count; i++) {
    w->ledger.brought += scree_grain_energy(w, i);
    w->inserted.grains++;
    w->inserted.mass += scree_grain_mass(w, w->record[i].r, w->turn[i].material);
  }
  if (status == SCREE_OK) status = scree_rebuild(w, NULL, before, true);
  if (status != SCREE_OK) w->failed = true;
  return status;
}

/* Everything about a grain by itself. */
static ScreeStatus check_expected(const ScreeWorld *w, const ScreeGrain *g) {
  unsigned long long id = g->id;
  double speed = sqrt(scree_dot(g->velocity, g->velocity)), spin = sqrt(scree_dot(g->spin, g->spin));
  SCREE_TRY(scree_world_check_grain(w, g));
  if (!(w->known[g->material] & (g->fixed ? KNOWN_ANY : KNOWN_FREE)))
    return scree_fail(SCREE_INVALID,
                      "grain %llu has the material %d, of which no grain was expected: scree_world_expect before the "
                      "start",
                      id, g->material);
  if (!(g->radius >= w->min_radius * (1.0 - 1e-10) && g->radius <= w->max_radius * (1.0 + 1e-10)))
    return scree_fail(SCREE_INVALID,
                      "grain %llu has a radius of %.6g m; %.6g ... %.6g m were expected: scree_world_expect before the "
                      "start",
                      id, g->radius, w->min_radius, w->max_radius);
  if (!(speed * w->dt <= g->radius) || (isnan(w->def.expected_speed) && speed > w->expected_speed))
    return scree_fail(SCREE_OUT_OF_RANGE,
                      "grain %llu comes at %.6g m/s, faster than the %.4g m/s that the time step of %.4g s was chosen "
                      "for: expect that speed before the start",
                      id, speed, w->expected_speed, w->dt);
  if (!(spin * w->dt <= 1.0))
    return scree_fail(SCREE_OUT_OF_RANGE,
                      "grain %llu comes with a spin of %.6g rad/s, more than a radian in a step of %.4g s", id, spin,
                      w->dt);
  for (int k = 0; k < 3; k++)
    if (!w->def.periodic[k] && !(g->position[k] >= w->def.low[k] && g->position[k] <= w->def.high[k]))
      return scree_fail(SCREE_OUT_OF_RANGE, "grain %llu lies outside the domain, at (%.6g, %.6g, %.6g) m", id,
                        g->position[0], g->position[1], g->position[2]);
  return SCREE_OK;
}

static ScreeStatus check_new_ids(const ScreeWorld *w, const ScreeGrain *g, size_t count) {
  uint64_t *id = malloc((count + 1) * sizeof *id);
  ScreeStatus status = SCREE_OK;
  if (!id) return scree_fail(SCREE_NO_MEMORY, "no memory to put %zu grains in", count);
  for (size_t i = 0; i < count; i++) id[i] = g[i].id;
  qsort(id, count, sizeof *id, by_value);
  for (size_t i = 1; i < count && status == SCREE_OK; i++)
    if (id[i] == id[i - 1]) status = scree_fail(SCREE_INVALID, "the id %llu is used twice", (unsigned long long)id[i]);
  for (size_t i = 0; i < w->count && status == SCREE_OK && (id[0] < w->next_id || w->next_id == UINT64_MAX); i++)
    if (bsearch(&w->turn[i].id, id, count, sizeof *id, by_value))
      status = scree_fail(SCREE_INVALID, "there is a grain %llu already", (unsigned long long)w->turn[i].id);
  free(id);
  return status;
}

/* Each against what is there, the walls, and those before it. */
static ScreeStatus check_free(const ScreeWorld *w, const ScreeGrain *g, size_t count) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  Vicinity v;
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) low[k] = fmin(low[k], g[i].position[k]), high[k] = fmax(high[k], g[i].position[k]);
  SCREE_TRY(scree_vicinity_open(&v, w, low, high));
  ScreeStatus status = SCREE_OK;
  for (size_t i = 0; i < count && status == SCREE_OK; i++) {
    Obstacle o = scree_vicinity_obstacle(&v, g[i].position, g[i].radius);
    if (o.kind != NOTHING)
      status = scree_fail(SCREE_INVALID, "grain %llu would overlap %s %llu by %.6g m", (unsigned long long)g[i].id,
                          o.kind == A_WALL ? "wall" : "grain", (unsigned long long)o.number, o.overlap);
    else
      status = scree_vicinity_add(&v, g[i].position, g[i].radius, g[i].id);
  }
  scree_vicinity_close(&v);
  return status;
}

ScreeStatus scree_world_insert(ScreeWorld *w, size_t count, const ScreeGrain *grains) {
  SCREE_NEED_AS(w, "world");
  SCREE_TRY(can_change(w));
  if (count == 0) return SCREE_OK;
  SCREE_NEED(grains);
  if (count > (size_t)(INT32_MAX / 2) - w->count)
    return scree_fail(SCREE_INVALID, "more than %d grains", INT32_MAX / 2);
  ScreeGrain *copy = malloc(count * sizeof *copy);
  if (!copy) return scree_fail(SCREE_NO_MEMORY, "no memory to put %zu grains in", count);
  memcpy(copy, grains, count * sizeof *copy);
  ScreeStatus status = SCREE_OK;
  for (size_t i = 0; i < count && status == SCREE_OK; i++) status = check_expected(w, &copy[i]);
  for (size_t i = 0; i < count && status == SCREE_OK; i++) scree_world_bring_in(w, copy[i].position);
  if (status == SCREE_OK) status = check_new_ids(w, copy, count);
  if (status == SCREE_OK) status = check_free(w, copy, count);
  if (status == SCREE_OK) status = scree_put_in(w, copy, count);
  free(copy);
  return status;
}

uint64_t scree_world_next_id(const ScreeWorld *w) { return w ? w->next_id : 0; }
