/* runs.c: how the pairs that were found lie in the list. The pairs of a tile are placed by their materials. Of those
 * that touch eight grains lie beside each other: the k-th group of a slice holds the k-th pair of each, so that the
 * kernels load those grains and sum their forces once per slice. Near ones are ordered by their gaps, in bands: a group
 * sleeps until the nearest of its pairs could touch.
 *
 * 1  tiles    as many for each thread
 * 2  fill     a thread searches the partners of a tile's grains, and gives each pair its place in its run while they
 *             are in its caches
 * 3  runs     of all tiles, one after the other: where they begin is known when all are filled
 * 4  place    pairs are written there */
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "listing.h"

enum { TILE = 1024, BANDS = 64 };

#define TURNED 0x80000000u /* of a found pair: its partner comes first */

/* Whether all grains of a run are as its first, and whether some meet around a period. */
struct Like {
  double r, m;
  bool even, alike; /* in radius, in mass */
  bool across;
};

/* What a thread needs to lay the pairs of one tile: keys x grains, or bands of near pairs. */
struct Slices {
  uint32_t *pairs; /* of each grain, or band, in each run */
  uint32_t *next;  /* where the next of them lies in the run */
};

/* ---- tiles ---- */

size_t scree_grains_per_tile = TILE;

/* As many for each thread, and as large as fits: each leaves some lanes empty. */
ScreeStatus scree_tiles_lay(ScreeWorld *w) {
  size_t threads = (size_t)w->def.threads, each = 1, *first = malloc((threads + 1) * sizeof *first);
  if (!first) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu threads", threads);
  scree_share_grains(w, first);
  for (size_t n = 0; n < threads; n++)
    if ((first[n + 1] - first[n]) / scree_grains_per_tile + 1 > each)
      each = (first[n + 1] - first[n]) / scree_grains_per_tile + 1;
  if (threads * each != w->tiles) {
    free(w->tile);
    w->tiles = threads * each;
    w->tile = calloc(w->tiles + 1, sizeof *w->tile);
  }
  for (size_t t = 0; w->tile && t <= w->tiles; t++) {
    size_t n = t < w->tiles ? t / each : threads - 1, part = t - n * each;
    size_t grains = first[n] + (first[n + 1] - first[n]) * part / each;
    w->tile[t] = (Tile){.grains = grains, .first = t, .last = t, .user = t};
  }
  free(first);
  return w->tile ? SCREE_OK : scree_fail(SCREE_NO_MEMORY, "no memory for %zu tiles", w->tiles);
}

/* ---- kinds of pairs ---- */

/* Which run of its tile a pair belongs to: its materials, and its kind. Grains that touch lie apart from those that are
 * only near: whole groups of the latter sleep, and no lane of the former is idle. Near pairs with a grain that is not
 * slow wake sooner, and lie by themselves. So do the slots of meshes after the first, which are rarely in use, and
 * grains that touch one of another thread: their loads wait. */
enum { TOUCHING, AWAY, NEAR, HASTY, AT_WALL, AT_SLOT, KINDS };

/* The least gap of two grains that go on as they do, as long as the last list lasted [m]: negative where they meet. */
static double gap_to_come(const ScreeWorld *w, size_t i, size_t j, const double *d) {
  double u[3], least2 = 0.0;
  for (int k = 0; k < 3; k++) u[k] = w->turn[j].v[k] - w->turn[i].v[k];
  double closing = -scree_dot(u, d), speed2 = scree_dot(u, u), life = w->life * w->dt;
  double time = closing <= 0.0 ? 0.0 : closing < speed2 * life ? closing / speed2 : life;
  for (int k = 0; k < 3; k++) least2 += (d[k] + u[k] * time) * (d[k] + u[k] * time);
  return sqrt(least2) - (w->record[i].r + w->record[j].r);
}

/* A near pair: in which of the bands of gaps, up to the widest of its kind. What will touch lies in the first. */
static int near_kind(const ScreeWorld *w, size_t i, size_t j, const double *d, uint32_t *band) {
  bool hasty = scree_pace_of(w, i) > 0 || scree_pace_of(w, j) > 0;
  double gap = gap_to_come(w, i, j, d), widest = 2.0 * w->bulk.allowance[hasty ? PACES - 1 : 0];
  *band = gap < widest ? (uint32_t)(BANDS * ((gap > 0.0 ? gap : 0.0) / widest)) : BANDS - 1;
  return hasty ? HASTY : NEAR;
}

static int kind_of(const ScreeWorld *w, const Worker *owner, size_t i, int32_t j, uint32_t *band, bool *across) {
  if (j < 0) return scree_is_mesh(w, -1 - j) && scree_body_of(w, -1 - j)->first != -1 - j ? AT_SLOT : AT_WALL;
  const Record *a = &w->record[i], *b = &w->record[j];
  double d[3], d2 = 0.0, reach = a->r + b->r;
  for (int k = 0; k < 3; k++) {
    double straight = b->x[k] - a->x[k];
    d[k] = scree_image(w, k, straight);
    d2 += d[k] * d[k];
    *across |= d[k] != straight;
  }
  if (d2 >= reach * reach) return near_kind(w, i, (size_t)j, d, band);
  return (size_t)j >= owner->first && (size_t)j < owner->last ? TOUCHING : AWAY;
}

static int run_key(const ScreeWorld *w, const Worker *owner, size_t i, int32_t j, uint32_t *band, bool *across) {
  int a = w->turn[i].material, b = scree_material_of(w, j), low = a < b ? a : b, high = a < b ? b : a, m = w->materials;
  return (kind_of(w, owner, i, j, band, across) * m + low) * m + high;
}

/* The first key of a kind. */
static uint32_t key_of(const ScreeWorld *w, int kind) { return (uint32_t)(kind * w->materials * w->materials); }
static bool is_near(const ScreeWorld *w, uint32_t key) { return key >= key_of(w, NEAR) && key < key_of(w, AT_WALL); }

static bool slices_allocate(Rebuild *b) {
  bool fine = true;
  for (int t = 0; t < b->w->def.threads; t++) {
    Slices *s = &b->slices[t];
    s->pairs = calloc((size_t)b->keys * TILE, sizeof *s->pairs);
    s->next = calloc((size_t)b->keys * TILE, sizeof *s->next);
    fine = fine && s->pairs && s->next;
  }
  return fine;
}

bool scree_runs_begin(Rebuild *b) {
  const ScreeWorld *w = b->w;
  b->keys = KINDS * w->materials * w->materials;
  b->runs = calloc(w->tiles * (size_t)b->keys + 1, sizeof *b->runs);
  b->like = calloc(w->tiles * (size_t)b->keys + 1, sizeof *b->like);
  b->slices = calloc((size_t)w->def.threads, sizeof *b->slices);
  return b->runs && b->like && b->slices && slices_allocate(b);
}

void scree_runs_end(Rebuild *b) {
  for (int t = 0; b->slices && t < b->w->def.threads; t++) free(b->slices[t].pairs), free(b->slices[t].next);
  free(b->slices), free(b->runs), free(b->like);
}

/* ---- a tile ---- */

enum { NUMBERS = 16 }; /* of pairs of a grain, that have slices of their own */

/* What is left at the end: by their numbers, the largest first, so that few lanes stay empty. */
static uint32_t lay_rest(Slices *s, const uint16_t *rest, size_t count, uint32_t at) {
  uint32_t most = 0, wide = 0;
  int lane = 0;
  for (size_t e = 0; e < count; e++) most = s->pairs[rest[e]] > most ? s->pairs[rest[e]] : most;
  while (most > 0) {
    uint32_t fewer = 0;
    for (size_t e = 0; e < count; e++) {
      uint32_t pairs = s->pairs[rest[e]];
      if (pairs < most && pairs > fewer) fewer = pairs;
      if (pairs != most) continue;
      if (lane == 0) wide = most;
      s->next[rest[e]] = at + (uint32_t)lane++;
      if (lane == LANES) at += wide * LANES, lane = 0;
    }
    most = fewer;
  }
  return lane > 0 ? at + wide * LANES : at;
}

/* A slice is eight grains of one run that have as many pairs; its k-th group holds the k-th pair of each. Grains take
 * the lanes of their number's slice as they come, so that those of a slice, and slices after each other, are neighbours
 * in space and in the caches. Returns the run's places. */
static uint32_t lay_slices(Slices *s, size_t grains) {
  uint16_t open[NUMBERS][LANES], rest[TILE];
  int lanes[NUMBERS] = {0};
  size_t left = 0;
  uint32_t at = 0;
  for (size_t g = 0; g < grains; g++) {
    uint32_t pairs = s->pairs[g];
    if (pairs >= NUMBERS) rest[left++] = (uint16_t)g;
    if (pairs == 0 || pairs >= NUMBERS) continue;
    open[pairs][lanes[pairs]++] = (uint16_t)g;
    if (lanes[pairs] < LANES) continue;
    for (uint32_t l = 0; l < LANES; l++) s->next[open[pairs][l]] = at + l;
    at += pairs * LANES;
    lanes[pairs] = 0;
  }
  for (int n = 1; n < NUMBERS; n++)
    for (int l = 0; l < lanes[n]; l++) rest[left++] = open[n][l];
  return lay_rest(s, rest, left, at);
}

static size_t whole(size_t count) { return (count + LANES - 1) / LANES * LANES; }

/* Near pairs lie band after band; slots of meshes and walls lie as they were found, grain after grain. */
static uint32_t lay_in_order(Slices *s, size_t columns) {
  uint32_t at = 0;
  for (size_t c = 0; c < columns; c++) s->next[c] = at, at += s->pairs[c];
  return (uint32_t)whole(at);
}

/* Pairs that touch may lie with either grain of the tile: with the one that has fewer. Numbers of pairs that differ
 * little leave few lanes empty. */
static void share_pairs(const Rebuild *b, Found *f, Slices *all, size_t tile) {
  const ScreeWorld *w = b->w;
  size_t first = w->tile[tile].grains, grains = w->tile[tile + 1].grains - first;
  uint32_t touching = key_of(w, NEAR);
  for (size_t g = 0; g < grains; g++) {
    size_t to = g + 1 < grains ? b->first[first + g + 1] : f->count;
    for (size_t e = b->first[first + g]; e < to; e++) {
      size_t other = (size_t)f->j[e] - first;
      if (f->key[e] >= touching || other >= grains) continue;
      uint32_t *pairs = all->pairs + f->key[e] * (size_t)TILE;
      if (pairs[g] <= pairs[other] + 1) continue;
      pairs[g]--, pairs[other]++;
      f->key[e] |= TURNED;
    }
  }
}

/* Gives every pair of a tile its place in its run. */
static void lay_tile(const Rebuild *b, Found *f, Slices *all, size_t tile) {
  const ScreeWorld *w = b->w;
  uint32_t *runs = b->runs + tile * (size_t)b->keys;
  size_t first = w->tile[tile].grains, grains = w->tile[tile + 1].grains - first;
  uint32_t touching = key_of(w, NEAR);
  for (uint32_t key = 0; key < (uint32_t)b->keys; key++) {
    if (runs[key] == 0) continue;
    Slices s = {all->pairs + (size_t)key * TILE, all->next + (size_t)key * TILE};
    size_t columns = is_near(w, key) ? BANDS : grains;
    runs[key] = key >= touching ? lay_in_order(&s, columns) : lay_slices(&s, grains);
    memset(s.pairs, 0, columns * sizeof *s.pairs);
  }
  for (size_t g = 0; g < grains; g++) {
    size_t to = g + 1 < grains ? b->first[first + g + 1] : f->count;
    for (size_t e = b->first[first + g]; e < to; e++) {
      uint32_t key = f->key[e] & ~TURNED;
      size_t column = is_near(w, key) ? f->at[e] : f->key[e] & TURNED ? (size_t)f->j[e] - first : g;
      uint32_t *next = &all->next[key * (size_t)TILE + column];
      f->at[e] = *next;
      *next += key >= touching ? 1 : LANES;
    }
  }
}

/* Partners from other tiles, to be fetched in time; those of near pairs are asleep, most of them. */
static bool is_other(const ScreeWorld *w, size_t tile, uint32_t key, int32_t j) {
  return j >= 0 && !is_near(w, key & ~TURNED) &&
         ((size_t)j < w->tile[tile].grains || (size_t)j >= w->tile[tile + 1].grains);
}

static void compare_pair(const ScreeWorld *w, size_t i, int32_t j, bool across, bool first, Like *like) {
  const Record *a = &w->record[i], *c = j < 0 ? a : &w->record[j];
  if (first) *like = (Like){a->r, a->m, true, true, false};
  like->even &= a->r == like->r && c->r == like->r;
  like->alike &= a->m == like->m && c->m == like->m;
  like->across |= across;
}

/* Which runs the pairs of a grain belong to. */
static void tell_runs(const Seeker *seeker, size_t i, size_t to) {
  const Rebuild *b = seeker->b;
  const ScreeWorld *w = b->w;
  Found *f = seeker->found;
  size_t tile = seeker->tile;
  uint32_t *pairs = b->slices[seeker->number].pairs, *runs = b->runs + tile * (size_t)b->keys;
  Like *like = b->like + tile * (size_t)b->keys;
  for (size_t e = b->first[i]; e < to; e++) {
    bool across = false;
    uint32_t key = f->key[e] = (uint32_t)run_key(w, seeker->owner, i, f->j[e], &f->at[e], &across);
    pairs[key * (size_t)TILE + (is_near(w, key) ? f->at[e] : i - w->tile[tile].grains)]++;
    compare_pair(w, i, f->j[e], across, runs[key] == 0, &like[key]);
    runs[key]++;
    if (w->layered && f->j[e] >= 0) scree_early_meet(w, seeker->owner, tile, (size_t)f->j[e]);
    w->tile[tile].others += is_other(w, tile, key, f->j[e]);
  }
}

static void fetch_found(const ScreeWorld *w, const Found *f, size_t from) {
  for (size_t e = from; e < f->count; e++) {
    if (f->j[e] < 0) continue;
    __builtin_prefetch(&w->record[f->j[e]]);
    __builtin_prefetch(&w->turn[f->j[e]]);
  }
}

/* What is known of partners is on its way while those of the next grain are searched. */
static bool fill_tile(const Seeker *seeker) {
  const Rebuild *b = seeker->b;
  Found *f = seeker->found;
  Slices *s = &b->slices[seeker->number];
  size_t tile = seeker->tile, first = b->w->tile[tile].grains, last = b->w->tile[tile + 1].grains;
  for (size_t i = first; i < last; i++) {
    b->first[i] = (uint32_t)f->count;
    if (!scree_search_grain(seeker, i)) return false;
    fetch_found(b->w, f, b->first[i]);
    if (i > first) tell_runs(seeker, i - 1, b->first[i]);
  }
  if (last > first) tell_runs(seeker, last - 1, f->count);
  share_pairs(b, f, s, tile);
  lay_tile(b, f, s, tile);
  b->search[tile] = (Search){seeker->number, f->count};
  return true;
}

/* Shares cost as much in the steps, not in the making of lists: who is done does tiles of others. Not where tiles leave
 * something with a thread: sites of meshes, and in layers who meets whom. */
static uint32_t left_to_owner(const ScreeWorld *w) { return w->meshes > 0 || w->layered ? HELPS_NOBODY : 0; }

static void fill_one(void *context, int number, const Worker *owner, size_t tile) {
  Rebuild *b = context;
  Seeker seeker = {b, tile, owner, b->w->worker[number], number, &b->found[number]};
  if (!atomic_load(&b->no_memory) && !fill_tile(&seeker)) atomic_store(&b->no_memory, true);
}

static void fill_share(void *context, int number, int threads) {
  const Rebuild *b = context;
  const Worker *worker = b->w->worker[number];
  (void)threads;
  scree_do_pieces(b->w, number, worker->tile, worker->tile_end, left_to_owner(b->w), fill_one, context);
}

ScreeStatus scree_tiles_fill(Rebuild *b) {
  ScreeWorld *w = b->w;
  for (int n = 0; n < w->def.threads; n++) {
    Worker *worker = w->worker[n];
    worker->tile = scree_pool_begin(w->tiles, n, w->def.threads);
    worker->tile_end = scree_pool_begin(w->tiles, n + 1, w->def.threads);
    worker->first = w->tile[worker->tile].grains;
    worker->last = w->tile[worker->tile_end].grains;
    scree_sites_clear(&worker->sites);
  }
  scree_pool_run(w->pool, fill_share, b);
  bool fine = !atomic_load(&b->no_memory);
  for (int n = 0; n < w->def.threads && fine; n++)
    fine = b->found[n].count <= UINT32_MAX && scree_sites_listed(&w->worker[n]->sites);
  return fine ? SCREE_OK : scree_fail(SCREE_NO_MEMORY, "no memory for the pairs of %zu grains", w->count);
}

/* ---- the list ---- */

static Run run_of(const ScreeWorld *w, int key, const Like *like, size_t begin, size_t end, size_t wake) {
  int m = w->materials, a = key % (m * m) / m, b = key % m, kind = key / (m * m);
  bool walls = kind >= AT_WALL, near = is_near(w, (uint32_t)key);
  return (Run){.begin = begin,
               .end = end,
               .a = a,
               .b = b,
               .walls = walls,
               .away = kind == AWAY,
               .across = like->across,
               .even = !walls && like->even,
               .alike = !walls && like->even && like->alike && a == b && !scree_class_of(w, a, b)->freezes,
               .sparse = near,
               .near = near,
               .hasty = kind == HASTY,
               .wake = wake};
}

/* From the places they take: the runs of every tile and where they lie. So the list has a length, and so many groups
 * that may sleep. */
ScreeStatus scree_runs_lay(Rebuild *b) {
  ScreeWorld *w = b->w;
  size_t runs = 0, at = 0;
  for (size_t e = 0; e < w->tiles * (size_t)b->keys; e++) runs += b->runs[e] > 0;
  size_t others = 0;
  for (size_t t = 0; t <= w->tiles; t++) {
    size_t more = w->tile[t].others;
    w->tile[t].others = others;
    others += more;
  }
  free(w->run), free(w->other);
  w->run = malloc((runs + 1) * sizeof *w->run);
  w->other = malloc((others + 1) * sizeof *w->other);
  if (!w->run || !w->other) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu runs", runs);
  runs = 0;
  for (size_t t = 0; t < w->tiles; t++) {
    w->tile[t].runs = runs;
    w->tile[t].pairs = at;
    for (int key = 0; key < b->keys; key++) {
      uint32_t *count = &b->runs[t * (size_t)b->keys + (size_t)key];
      if (*count == 0) continue;
      w->run[runs++] = run_of(w, key, &b->like[t * (size_t)b->keys + (size_t)key], at, at + *count, b->wakes);
      if (is_near(w, (uint32_t)key)) b->wakes += whole(*count / LANES); /* read by eights, none of another run's */
      size_t begin = at - w->tile[t].pairs;
      at += *count;
      *count = (uint32_t)begin;
    }
  }
  w->tile[w->tiles].runs = runs;
  w->tile[w->tiles].pairs = b->length = at;
  return SCREE_OK;
}

/* A pair with a slot of a mesh: it knows its spot, and its site knows where it lies. Sites and slots come in the order
 * in which they were found. */
static void note_slot(const ScreeWorld *w, Worker *worker, Pairs *p, size_t at, size_t *sites) {
  int wall = -1 - KEPT(p, j, at), slot = wall - scree_body_of(w, wall)->first;
  if (slot == 0) worker->sites.site[(*sites)++].pair = at;
  if (slot == 1) worker->sites.site[*sites - 1].more = at;
  p->spot[at] = (int32_t)((*sites - 1) * MESH_SLOTS) + slot;
}

/* Lanes of a slice whose grain has no pair left keep the grain, beside the sentinel: the slice stays one. The first
 * lane has pairs in every group. */
static void close_slices(Pairs *p, const Run *run) {
  for (size_t q = run->begin + LANES; q < run->end; q += LANES)
    for (size_t l = 1; l < LANES && KEPT(p, i, q) == KEPT(p, i, q - LANES); l++)
      KEPT(p, i, q + l) = KEPT(p, i, q + l - LANES);
}

/* Writes the pairs of a tile where its runs lie; what remains of a run are pairs of the sentinel. sites: the next one
 * of the thread, of meshes. */
static void place_tile(const Rebuild *b, Worker *worker, size_t t, size_t *sites) {
  ScreeWorld *w = b->w;
  Pairs p = b->fresh;
  const Found *f = &b->found[b->search[t].by];
  size_t base = w->tile[t].pairs, end = w->tile[t + 1].pairs, others = w->tile[t].others;
  const uint32_t *begin = b->runs + t * (size_t)b->keys;
  scree_pairs_clear(w, &p, base, end);
  for (size_t r = w->tile[t].runs; r < w->tile[t + 1].runs; r++)
    for (size_t q = w->run[r].end - LANES; q < w->run[r].end && w->run[r].walls; q++) KEPT(&p, j, q) = -1;
  for (size_t i = w->tile[t].grains; i < w->tile[t + 1].grains; i++) {
    size_t to = scree_found_end(b, t, i);
    for (size_t e = b->first[i]; e < to; e++) {
      bool turned = f->key[e] & TURNED;
      f->at[e] += begin[f->key[e] & ~TURNED];
      size_t at = base + f->at[e];
      KEPT(&p, i, at) = turned ? f->j[e] : (int32_t)i;
      KEPT(&p, j, at) = turned ? (int32_t)i : f->j[e];
      if (is_other(w, t, f->key[e], f->j[e])) w->other[others++] = f->j[e];
      if (f->j[e] < 0 && scree_is_mesh(w, -1 - f->j[e])) note_slot(w, worker, &p, at, sites);
    }
  }
  for (size_t r = w->tile[t].runs; r < w->tile[t + 1].runs; r++)
    if (!w->run[r].walls && !w->run[r].near) close_slices(&p, &w->run[r]);
}

typedef struct Placing {
  const Rebuild *b;
  size_t sites;
} Placing;

static void place_one(void *context, int number, const Worker *owner, size_t tile) {
  Placing *p = context;
  (void)owner;
  place_tile(p->b, p->b->w->worker[number], tile, &p->sites);
}

static void place_share(void *context, int number, int threads) {
  Placing p = {context, 0};
  const ScreeWorld *w = p.b->w;
  const Worker *worker = w->worker[number];
  (void)threads;
  scree_do_pieces(w, number, worker->tile, worker->tile_end, left_to_owner(w), place_one, &p);
}

void scree_pairs_place(Rebuild *b) {
  b->fresh.count = b->length;
  scree_pool_run(b->w->pool, place_share, b);
}
