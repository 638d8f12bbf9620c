/* pass.c: the contacts of a step, or of two (early.c), of all tiles. A thread takes its own, one after the other,
 * sweeps those that nobody needs any more where it may, and then helps the others (share.c, elsewhere.c). What each has
 * gathered becomes the world's at the end; what went wrong becomes a sentence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact.h"
#include "core/status.h"

/* ---- a thread's share ---- */

/* The pass before did this tile's contacts; not those of the next step. */
static bool is_done_ahead(ScreeWorld *w, size_t tile) {
  if (w->tile[tile].meets == 0) return false;
  w->tile[tile].meets--;
  return true;
}

/* Does tiles of threads that have not come to them. A tile that changes hands, and comes back in the next step, costs
 * about what it saves: of one alone nobody is relieved, and of a few not where those after them could go on. */
static void help_others(ScreeWorld *w, int number) {
  Worker *worker = w->worker[number];
  const Worker *owner;
  uint32_t few = w->pass == PASS_TWICE ? 4 : 1;
  size_t tile;
  if (scree_pool_active(w->pool) < w->def.threads) return;
  while (worker->now.tally.status == SCREE_OK && scree_others_need_help(w, number, few) && scree_help_room(w, worker) &&
         (owner = scree_take_others(w, number, few, &tile)) != NULL) {
    if (is_done_ahead(w, tile)) continue;
    scree_help_begin(w, worker, owner, tile);
    scree_run_tile(w, worker, tile);
  }
}

/* What is gathered from now on is of the next step, or again of this one. */
static void change_step(Worker *worker) {
  Gathered now = worker->now;
  worker->now = worker->next;
  worker->next = now;
}

/* Of a step nothing is gathered yet; its tally may hold what a rebuild before it found. */
static void gather_nothing(ScreeWorld *w, int number) {
  Worker *worker = w->worker[number];
  worker->now.max_overlap = 0.0;
  for (int late = 0; late < 2; late++) scree_owe_nothing(worker, &worker->now.owed[late]);
  worker->now.late = 0;
  if (w->walls > 0) memset(worker->now.wall, 0, (size_t)w->walls * sizeof *worker->now.wall);
  if (w->turning) scree_turnover_share(w, number);
}

/* Tiles go on when all that need them have met, but for those that went on in the pass before, or do not get what
 * others owe them. */
static void go_on(ScreeWorld *w, int number) {
  Worker *worker = w->worker[number];
  size_t front = worker->front[0], *t = &worker->gone[0];
  for (; *t < front && w->tile[*t].user < front && worker->now.tally.status == SCREE_OK; ++*t) {
    if (w->tile[*t].turns > 0 || w->tile[*t].held) continue;
    if (!w->tile[*t].waits || scree_get_owed(w, number)) {
      scree_turnover_tile(w, number, *t);
      if (w->tile[*t].waits && --worker->waiting == 0)
        atomic_store_explicit(&worker->moved, true, memory_order_release);
    } else if (front < worker->tile_end && front - *t <= w->held_up) {
      break; /* they are a few tiles behind with it */
    }
  }
}

/* Once more, but for those that somebody meets in the next pass only. */
static void go_on_again(ScreeWorld *w, int number) {
  Worker *worker = w->worker[number];
  size_t front = worker->front[1], *t = &worker->gone[1];
  for (; *t < front && w->tile[*t].user < front && worker->now.tally.status == SCREE_OK; ++*t) {
    const Tile *tile = &w->tile[*t];
    if (tile->meets > 0 && !tile->barred && !tile->kept && !tile->held && !tile->waits)
      scree_turnover_tile(w, number, *t);
  }
}

static bool others_have_moved(const ScreeWorld *w, int number) {
  for (int n = 0; n < w->def.threads; n++)
    if (n != number && !atomic_load_explicit(&w->worker[n]->moved, memory_order_acquire)) return false;
  return true;
}

/* Whether all that a tile's pairs meet have gone on to the next step. */
static bool can_meet_again(const ScreeWorld *w, int number, const Tile *tile) {
  if (tile->bound || (tile->owes && !others_have_moved(w, number))) return false;
  for (size_t t = tile->first; t <= tile->last; t++)
    if (w->tile[t].turns == 0) return false;
  return true;
}

/* Contacts of the next step, in tiles whose pairs meet only grains that have gone on to it. The others do theirs in the
 * next pass, and whom they meet stays for them. */
static void follow(ScreeWorld *w, int number) {
  Worker *worker = w->worker[number];
  size_t gone = worker->gone[0], *t = &worker->front[1];
  change_step(worker);
  worker->to_come = w->bulk.room;
  for (; *t < gone && w->tile[*t].last < gone && worker->now.tally.status == SCREE_OK; ++*t) {
    Tile *tile = &w->tile[*t];
    if (can_meet_again(w, number, tile)) {
      scree_run_tile(w, worker, *t);
      tile->meets++;
    } else {
      for (size_t other = tile->first; other <= tile->last; other++) w->tile[other].barred = true;
    }
  }
  go_on_again(w, number);
  worker->to_come = 0.0;
  change_step(worker);
}

static void meet(ScreeWorld *w, Worker *worker, size_t tile) {
  if (!is_done_ahead(w, tile)) scree_run_tile(w, worker, tile);
}

/* Tiles before the front have met: what follows from it. */
static void advance(ScreeWorld *w, int number, size_t front) {
  Worker *worker = w->worker[number];
  worker->front[0] = front;
  if (!w->turning) return;
  if (front >= worker->head) scree_show_owed(worker);
  go_on(w, number);
  if (w->pass == PASS_TWICE) follow(w, number);
}

/* Where some go on before all have met, the tail is not open: its owner does it first. */
static size_t end_of_open(const ScreeWorld *w, const Worker *worker) {
  return w->turning ? worker->tail : worker->tile_end;
}

/* What threads may ask of each other from the first moment on. Beside meshes each opens its own tiles, when it knows
 * what its grains are beside: until then nobody may help. */
static void begin_pass(const ScreeWorld *w) {
  for (int n = 0; n < w->def.threads; n++) {
    Worker *worker = w->worker[n];
    scree_open_tiles(worker, w->meshes == 0 ? end_of_open(w, worker) : worker->tile);
    atomic_store_explicit(&worker->shown, NULL, memory_order_relaxed);
    atomic_store_explicit(&worker->moved, worker->waits == 0, memory_order_relaxed);
    worker->waiting = worker->waits;
  }
}

static void run_share(void *context, int number, int threads) {
  ScreeWorld *w = context;
  Worker *worker = w->worker[number];
  size_t tile;
  (void)threads;
  worker->helps = 0;
  worker->got = false;
  for (int step = 0; step < 2; step++) worker->front[step] = worker->gone[step] = worker->tile;
  for (tile = worker->tile; tile < worker->tile_end; tile++) w->tile[tile].barred = false;
  if (w->ahead)
    change_step(worker);
  else
    gather_nothing(w, number);
  if (w->pass == PASS_TWICE) {
    change_step(worker);
    gather_nothing(w, number);
    change_step(worker);
  }
  if (w->meshes > 0 && !scree_sites_touch(w, worker)) {
    worker->no_memory = true;
    return;
  }
  if (w->meshes > 0) scree_open_tiles(worker, end_of_open(w, worker));
  if (scree_helpfulness == HELP_FIRST) help_others(w, number);
  scree_help_end(w, worker);
  for (tile = end_of_open(w, worker); tile < worker->tile_end && worker->now.tally.status == SCREE_OK; tile++)
    meet(w, worker, tile);
  advance(w, number, worker->tile);
  while (worker->now.tally.status == SCREE_OK && scree_take_tile(worker, &tile)) {
    meet(w, worker, tile);
    advance(w, number, tile + 1);
  }
  if (worker->front[0] == end_of_open(w, worker)) advance(w, number, worker->tile_end); /* nobody helped */
  if (scree_helpfulness == HELP_WHEN_DONE) help_others(w, number);
}

/* ---- what went wrong ---- */

static void name_partner(const ScreeWorld *w, int32_t j, char *name, size_t size) {
  if (j < 0)
    snprintf(name, size, "wall %d", -1 - j);
  else
    snprintf(name, size, "grain %llu", (unsigned long long)w->turn[j].id);
}

/* m/s; of a wall: to its surface about where the grain is. */
static double relative_speed(const ScreeWorld *w, int32_t i, int32_t j) {
  const Record *r = &w->record[i];
  double v[3], wall[3] = {0.0, 0.0, 0.0};
  if (j < 0 && scree_body_of(w, -1 - j)->moves) {
    const Frame *f = &scree_body_of(w, -1 - j)->frame;
    Surface surface = scree_surface(f, (double[]){r->x[0] - f->at[0], r->x[1] - f->at[1], r->x[2] - f->at[2]});
    memcpy(wall, surface.v, sizeof wall);
  }
  for (int k = 0; k < 3; k++) v[k] = r->v[k] - (j < 0 ? wall[k] : w->record[j].v[k]);
  return sqrt(scree_dot(v, v));
}

/* A pair whose force is no number, or more than the sums can hold. */
static ScreeStatus explain_lost(const ScreeWorld *w, size_t p) {
  int32_t one = KEPT(&w->pairs, i, p), two = KEPT(&w->pairs, j, p);
  bool turned = two >= 0 && w->turn[two].id < w->turn[one].id;
  int32_t i = turned ? two : one, j = turned ? one : two;
  const double *x = w->record[i].x;
  char other[64];
  name_partner(w, j, other, sizeof other);
  return scree_fail(SCREE_OUT_OF_RANGE,
                    "step %ld: the force between grain %llu at (%.6g, %.6g, %.6g) m and %s is beyond all bounds, at a "
                    "relative speed of %.4g m/s: the step of %.4g s is too long for this contact",
                    w->step + 1, (unsigned long long)w->turn[i].id, x[0], x[1], x[2], other, relative_speed(w, i, j),
                    w->dt);
}

/* Of the smaller radius; negative where a listed pair is apart. */
static double overlap_of(const ScreeWorld *w, const Worker *worker, size_t p) {
  int32_t i = KEPT(&w->pairs, i, p), j = KEPT(&w->pairs, j, p), none = (int32_t)w->count;
  const Record *a = &w->record[i];
  double d[3], lever[3];
  if (i == none || j == none) return -INFINITY;
  if (j < 0 && scree_is_mesh(w, -1 - j)) return 1.0 - worker->sites.spot[w->pairs.spot[p]].gap / a->r;
  if (j < 0) return 1.0 - scree_wall_gap(w, -1 - j, a, d, lever) / a->r;
  const Record *b = &w->record[j];
  for (int k = 0; k < 3; k++) d[k] = scree_image(w, k, b->x[k] - a->x[k]);
  return (a->r + b->r - sqrt(scree_dot(d, d))) / fmin(a->r, b->r);
}

typedef struct Deepest {
  double overlap;
  int32_t i, j;           /* of two grains that of the smaller id first */
  uint64_t first, second; /* their ids; of a wall a number above all grains' */
} Deepest;

static bool is_before(const Deepest *a, const Deepest *b) {
  if (a->overlap != b->overlap) return a->overlap > b->overlap;
  return a->first != b->first ? a->first < b->first : a->second < b->second;
}

/* Of all pairs: threads end where they first meet one beyond the bound, and which of them does is chance. */
static Deepest find_deepest(const ScreeWorld *w) {
  Deepest deepest = {.overlap = -INFINITY};
  for (int n = 0; n < w->def.threads; n++) {
    const Worker *worker = w->worker[n];
    for (size_t p = w->tile[worker->tile].pairs; p < w->tile[worker->tile_end].pairs; p++) {
      int32_t i = KEPT(&w->pairs, i, p), j = KEPT(&w->pairs, j, p);
      Deepest d = {overlap_of(w, worker, p), i, j, w->turn[i].id, j < 0 ? UINT64_MAX : w->turn[j].id};
      if (j >= 0 && d.second < d.first) d = (Deepest){d.overlap, j, i, d.second, d.first};
      if (is_before(&d, &deepest)) deepest = d;
    }
  }
  return deepest;
}

/* The speed is that of now, in the middle of a compression that has slowed it: that at the touch is not kept. */
ScreeStatus scree_explain_overlap(const ScreeWorld *w, long step) {
  Deepest deepest = find_deepest(w);
  int32_t i = deepest.i, j = deepest.j;
  const double *x = w->record[i].x;
  double speed = relative_speed(w, i, j);
  char other[64], cause[160];
  name_partner(w, j, other, sizeof other);
  if (step == 0)
    snprintf(cause, sizeof cause, "they start so; place them apart");
  else if (speed > w->expected_speed) /* which sets the step's length and not how deep a contact gets */
    snprintf(cause, sizeof cause,
             "they still move at %.4g m/s against each other, faster than the expected %.4g m/s:", speed,
             w->expected_speed);
  else
    snprintf(cause, sizeof cause,
             "the material is too soft for this load, or for their speed, still %.4g m/s against each other:", speed);
  return scree_fail(SCREE_OUT_OF_RANGE,
                    "step %ld: grain %llu at (%.6g, %.6g, %.6g) m overlaps %s by %.4g of the smaller radius (limit "
                    "%.4g): %s%s",
                    step, (unsigned long long)w->turn[i].id, x[0], x[1], x[2], other, deepest.overlap,
                    w->def.max_overlap, cause,
                    step == 0 ? "" : " a stiffer material, slower grains, or a larger overlap limit would pass");
}

static ScreeStatus explain(const ScreeWorld *w, const Worker *worker) {
  const Tally *t = &worker->now.tally;
  if (worker->no_memory) return scree_fail(SCREE_NO_MEMORY, "no memory for the contacts of step %ld", w->step + 1);
  if (*t->sentence) return scree_fail(t->status, "%s", t->sentence);
  return scree_explain_overlap(w, w->starting ? 0 : w->step + 1);
}

/* ---- the whole ---- */

/* The threads' tallies, of this stage and of a rebuild before it, become the world's; the order of integer sums does
 * not matter. */
static ScreeStatus collect(ScreeWorld *w) {
  __extension__ __int128 viscous = 0, plastic = 0, clamp = 0, tangential = 0, rolling = 0;
  double heaviest2 = 0.0;
  size_t lost = 0;
  w->max_overlap = 0.0;
  for (int i = 0; i < w->def.threads; i++) {
    Worker *worker = w->worker[i];
    Tally *t = &worker->now.tally;
    if (t->status != SCREE_OK || worker->no_memory) return explain(w, worker);
    lost = scree_first_lost(w, lost, t->lost);
    heaviest2 = fmax(heaviest2, t->heaviest2);
    viscous += t->viscous, plastic += t->plastic, clamp += t->clamp;
    tangential += t->tangential, rolling += t->rolling;
    *t = (Tally){0};
    w->max_overlap = fmax(w->max_overlap, worker->now.max_overlap);
  }
  if (lost > 0) return explain_lost(w, lost - 1);
  if (heaviest2 > 0.0) SCREE_TRY(scree_bounds_check(w, heaviest2));
  w->peak_overlap = fmax(w->peak_overlap, w->max_overlap);
  w->too_deep = w->max_overlap > w->def.max_overlap;
  w->ledger.viscous += (double)viscous * w->energy_unit;
  w->ledger.plastic += (double)plastic * w->energy_unit;
  w->ledger.clamp += (double)clamp * w->energy_unit;
  w->ledger.tangential += (double)tangential * w->energy_unit;
  w->ledger.rolling += (double)rolling * w->energy_unit;
  return SCREE_OK;
}

ScreeStatus scree_contacts(ScreeWorld *w, Pass pass) {
  w->pass = pass;
  if (pass != PASS_ALONE) scree_turnover_begin(w);
  begin_pass(w);
  scree_pool_run(w->pool, run_share, w);
  w->ahead = pass == PASS_TWICE;
  w->passes[pass]++;
  w->met = true;
  return collect(w);
}

/* ---- workers ---- */

ScreeStatus scree_workers_create(ScreeWorld *w) {
  w->worker = calloc((size_t)w->def.threads, sizeof *w->worker);
  if (!w->worker) return scree_fail(SCREE_NO_MEMORY, "no memory for %d threads", w->def.threads);
  for (int i = 0; i < w->def.threads; i++) {
    size_t size = (sizeof(Worker) + 63) / 64 * 64;
    Worker *worker = w->worker[i] = aligned_alloc(64, size);
    if (!worker) return scree_fail(SCREE_NO_MEMORY, "no memory for %d threads", w->def.threads);
    memset(worker, 0, size);
    worker->dearer = 1.0;
    worker->now.owed = worker->owed[0], worker->next.owed = worker->owed[1];
    worker->now.wall = calloc((size_t)w->walls + 1, sizeof *worker->now.wall);
    worker->next.wall = calloc((size_t)w->walls + 1, sizeof *worker->now.wall);
    if (!worker->now.wall || !worker->next.wall) return scree_fail(SCREE_NO_MEMORY, "no memory for %d walls", w->walls);
    worker->sites.wear = calloc(w->wearing + 1, sizeof *worker->sites.wear);
    if (!worker->sites.wear) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu triangles that wear", w->wearing);
  }
  return SCREE_OK;
}

void scree_workers_destroy(ScreeWorld *w) {
  for (int i = 0; w->worker && i < w->def.threads; i++) {
    if (!w->worker[i]) continue;
    free(w->worker[i]->now.wall), free(w->worker[i]->next.wall);
    scree_owed_free(w->worker[i]);
    scree_help_free(w->worker[i]);
    scree_sites_free(&w->worker[i]->sites);
    scree_cull_free(&w->worker[i]->cull);
    free(w->worker[i]);
  }
  free(w->worker);
  w->worker = NULL;
}

size_t scree_workers_bytes(const ScreeWorld *w) {
  size_t bytes = 0;
  for (int i = 0; w->worker && i < w->def.threads; i++)
    bytes += sizeof(Worker) + scree_owed_bytes(w->worker[i]) + scree_help_bytes(w->worker[i]) +
             scree_sites_bytes(&w->worker[i]->sites) + scree_cull_bytes(w, &w->worker[i]->cull);
  return bytes;
}
