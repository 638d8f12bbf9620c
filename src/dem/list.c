/* list.c: the list of pairs within the skin, and how contacts are carried over when it is made anew.
 *
 * 1  grid     grains are put into levels by size and pace, each level into a grid of cells as wide as twice its largest
 *             reach. A grain looks for partners of its own level in half the cells around it and of every later level
 *             in all: a size ratio of twenty costs a few levels more, not a search among thousands of small grains
 *             around a large one, and a few fast grains do not widen the cells of the slow.
 * 2  search   each thread lists the partners of its grains, grain by grain (Found)
 * 3  runs     the pairs of a tile are placed by their materials. Of those that touch eight grains lie beside each
 *             other: the k-th group of a slice holds the k-th pair of each, so that the kernels load those grains and
 *             sum their forces once per slice. Near ones are ordered by their gaps, in bands: a group sleeps until the
 *             nearest of its pairs could touch
 * 4  carry    every old contact looks for its pair among the few of its grain and takes its memory there
 *
 * Bits do not depend on when the list is made, nor on the skin. */
#include <stdlib.h>
#include <string.h>

#include "contact.h"
#include "core/status.h"
#include "grid.h"
#include "memory.h"

enum { TILE = 1024, BANDS = 64, SORT_EVERY = 10 };

double scree_grains_per_thread = 300.0;

#define TURNED 0x80000000u /* of a found pair: its partner comes first */

/* What one thread found: partners of its grains, grain by grain. */
typedef struct Found {
  int32_t *j;
  uint32_t *key; /* the run it belongs to, and whether the partner comes first */
  uint32_t *at;  /* of near pairs first the band; then where the pair lies in its run */
  size_t count, capacity;
} Found;

/* Whether all grains of a run are as its first. */
typedef struct Like {
  double r, m;
  bool even, alike; /* in radius, in mass */
} Like;

/* What a thread needs to lay the pairs of one tile: keys x grains, or bands of near pairs. */
typedef struct Slices {
  uint32_t *pairs; /* of each grain, or band, in each run */
  uint32_t *next;  /* where the next of them lies in the run */
} Slices;

typedef struct Rebuild {
  ScreeWorld *w;
  Grids grids;
  Found *found;    /* per thread */
  uint32_t *first; /* per grain: where its partners begin in its thread's Found */
  Slices *slices;  /* per thread */
  uint32_t *runs;  /* tiles x keys: places of each run, then where it begins in the tile */
  Like *like;      /* tiles x keys */
  int keys;        /* possible runs of a tile */
  Pairs old, fresh;
  const int32_t *place; /* old index -> new; NULL: unchanged; grains that were removed have no contacts left */
  bool no_memory;       /* of a thread */
} Rebuild;

/* ---- pairs' arrays ---- */

#define PAIR_ARRAYS(X)                                                                                                 \
  X(memory, w->slots > 0)                                                                                              \
  X(own[0], w->constants > 0)                                                                                          \
  X(own[1], w->constants > 1)                                                                                          \
  X(own[2], w->constants > 2)                                                                                          \
  X(own[3], w->constants > 3)                                                                                          \
  X(own[4], w->constants > 4)                                                                                          \
  X(own[5], w->constants > 5)                                                                                          \
  X(roll[0], w->rolls)                                                                                                 \
  X(roll[1], w->rolls)                                                                                                 \
  X(roll[2], w->rolls)                                                                                                 \
  X(aim[0], w->meshes > 0)                                                                                             \
  X(aim[1], w->meshes > 0)                                                                                             \
  X(aim[2], w->meshes > 0)

/* The next array of a block: on a line of its own, and shifted against the others: streams whose addresses agree in
 * their low bits would push each other out of the caches. */
static void *carve(char *block, size_t *at, size_t count, size_t width) {
  void *array = block ? block + *at : NULL;
  *at += (count * width + 63) / 64 * 64 + 11 * 64;
  return array;
}

/* Gives every array its place in the block; returns how long it is. */
static size_t lay_out_pairs(Pairs *p, const ScreeWorld *w) {
  size_t at = 0;
  p->eight = carve(p->block, &at, p->capacity / LANES, sizeof *p->eight);
  p->press = carve(p->block, &at, p->capacity, sizeof *p->press);
  p->wake = carve(p->block, &at, p->wakes + GROUPS_AT_ONCE, sizeof *p->wake);
  p->spot = w->meshes > 0 ? carve(p->block, &at, p->capacity, sizeof *p->spot) : NULL;
#define CARVE(array, needed) p->array = (needed) ? carve(p->block, &at, p->capacity, sizeof(double)) : NULL;
  PAIR_ARRAYS(CARVE)
#undef CARVE
  return at;
}

static ScreeStatus pairs_allocate(Pairs *p, const ScreeWorld *w, size_t capacity, size_t wakes) {
  *p = (Pairs){.capacity = capacity, .wakes = wakes};
  p->block = scree_allocate(lay_out_pairs(p, w));
  if (!p->block) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu pairs", capacity);
  lay_out_pairs(p, w);
  memset(p->wake, 0, (wakes + GROUPS_AT_ONCE) * sizeof *p->wake); /* all awake */
  return SCREE_OK;
}

/* Pairs of the sentinel, without contacts: lanes that do not touch go through the arithmetic too, and denormal rubbish
 * would slow it. */
static void clear_pairs(const ScreeWorld *w, Pairs *p, size_t from, size_t to) {
  int32_t none = (int32_t)w->count;
  for (size_t g = from / LANES; g < to / LANES; g++) {
    p->eight[g] = (Eight){.k = {0.0}};
    for (int l = 0; l < LANES; l++) p->eight[g].i[l] = p->eight[g].j[l] = none;
  }
  memset(p->press + from, 0, (to - from) * sizeof *p->press);
#define CLEAR(array, needed)                                                                                           \
  if (needed) memset(p->array + from, 0, (to - from) * sizeof(double));
  PAIR_ARRAYS(CLEAR)
#undef CLEAR
}

void scree_pairs_free(Pairs *p) {
  free(p->block);
  *p = (Pairs){0};
}

size_t scree_pair_bytes(const ScreeWorld *w) {
  size_t bytes = sizeof(Eight) / LANES + sizeof(float) + (w->meshes > 0 ? sizeof(int32_t) : 0);
#define COUNT(array, needed) bytes += (needed) ? sizeof(double) : 0;
  PAIR_ARRAYS(COUNT)
#undef COUNT
  return bytes;
}

/* ---- search ---- */

static bool found_room(Found *f, size_t more) {
  if (f->count + more <= f->capacity) return true;
  size_t capacity = f->capacity + f->capacity / 2 + more + 1024;
  int32_t *j = realloc(f->j, capacity * sizeof *j);
  if (j) f->j = j;
  uint32_t *key = realloc(f->key, capacity * sizeof *key);
  if (key) f->key = key;
  uint32_t *at = realloc(f->at, capacity * sizeof *at);
  if (at) f->at = at;
  if (!j || !key || !at) return false;
  f->capacity = capacity;
  return true;
}

static NearKernel *const *const near_table[] = {
#define NEAR_OF(isa, name) &scree_dem_near_##isa,
    SCREE_ISA_LIST(NEAR_OF)
#undef NEAR_OF
};

/* Partners of grain i in one level. */
static bool search_level(const Rebuild *b, size_t i, int own, int level, Centre centre, Found *f) {
  const Grid *g = &b->grids.level[level];
  Row row[ROWS];
  bool later;
  int rows = scree_grids_rows(&b->grids, i, own, level, row, &later);
  size_t room = NEAR_LANES, first = f->count, kept = first;
  for (int k = 0; k < rows; k++) room += (size_t)(row[k].to - row[k].from);
  if (!found_room(f, room)) return false;
  f->count += (*near_table[scree_isa_current()])(&b->grids, g, row, rows, centre, f->j + f->count);
  if (!later) return true;
  for (size_t e = first; e < f->count; e++)
    if (f->j[e] > (int32_t)i) f->j[kept++] = f->j[e];
  f->count = kept;
  return true;
}

/* A grain near a mesh is listed with all its slots: contacts keep theirs. */
static bool search_mesh(const ScreeWorld *w, size_t i, int wall, Worker *worker, Found *f) {
  bool found = false;
  if (!scree_site_add(w, &worker->sites, &worker->cull, wall, i, &found)) return false;
  for (int slot = 0; slot < MESH_SLOTS && found; slot++) f->j[f->count++] = -1 - wall - slot;
  return true;
}

/* Of the walls that are near a grain of its cluster. */
static bool search_walls(const ScreeWorld *w, size_t i, Worker *worker, Found *f) {
  const Record *r = &w->record[i];
  const Cull *near = &worker->cull;
  double normal[3], lever[3];
  if (w->walls == 0) return true;
  memset(w->beside + i * w->beside_width, 0, w->beside_width);
  if (i == worker->first || i == near->of.to) {
    if (!scree_cull(w, &worker->cull, i, worker->last)) return false;
  }
  if (!found_room(f, (size_t)w->walls)) return false;
  for (int n = 0; n < near->walls; n++) {
    int wall = near->wall[n];
    if (!(scree_wall_gap(w, wall, r, normal, lever) < r->r + scree_wall_skin(w, scree_pace_of(w, i)))) continue;
    f->j[f->count++] = -1 - wall;
    w->beside[i * w->beside_width + (size_t)wall / 8] |= (uint8_t)(1u << wall % 8);
  }
  for (int n = 0; n < near->patches && !scree_is_fixed(r); n++) {
    int wall = near->patch[n].wall;
    if ((n == 0 || near->patch[n - 1].wall != wall) && !search_mesh(w, i, wall, worker, f)) return false;
  }
  return true;
}

/* Fixed grains do not meet each other, nor walls. */
static void drop_fixed(const ScreeWorld *w, size_t first, Found *f) {
  size_t kept = first;
  for (size_t e = first; e < f->count; e++)
    if (f->j[e] >= 0 && !scree_is_fixed(&w->record[f->j[e]])) f->j[kept++] = f->j[e];
  f->count = kept;
}

static bool search_grain(const Rebuild *b, size_t i, Worker *worker, Found *f) {
  const ScreeWorld *w = b->w;
  int own = b->grids.levels > 1 ? scree_grids_level(&b->grids, i) : 0;
  size_t first = f->count;
  Centre centre = scree_grids_centre(&b->grids, i);
  for (int level = own; level < b->grids.levels; level++)
    if (!search_level(b, i, own, level, centre, f)) return false;
  if (!search_walls(w, i, worker, f)) return false;
  if (scree_is_fixed(&w->record[i])) drop_fixed(w, first, f);
  return true;
}

/* ---- runs ---- */

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
  *band = gap < widest ? (uint32_t)(BANDS * (fmax(gap, 0.0) / widest)) : BANDS - 1;
  return hasty ? HASTY : NEAR;
}

static int kind_of(const ScreeWorld *w, const Worker *worker, size_t i, int32_t j, uint32_t *band) {
  if (j < 0) return scree_is_mesh(w, -1 - j) && scree_body_of(w, -1 - j)->first != -1 - j ? AT_SLOT : AT_WALL;
  const Record *a = &w->record[i], *b = &w->record[j];
  double d[3], d2 = 0.0, reach = a->r + b->r;
  for (int k = 0; k < 3; k++) {
    d[k] = scree_image(w, k, b->x[k] - a->x[k]);
    d2 += d[k] * d[k];
  }
  if (d2 >= reach * reach) return near_kind(w, i, (size_t)j, d, band);
  return (size_t)j >= worker->first && (size_t)j < worker->last ? TOUCHING : AWAY;
}

static int run_key(const ScreeWorld *w, const Worker *worker, size_t i, int32_t j, uint32_t *band) {
  int a = w->turn[i].material, b = scree_material_of(w, j), low = a < b ? a : b, high = a < b ? b : a, m = w->materials;
  return (kind_of(w, worker, i, j, band) * m + low) * m + high;
}

/* The first key of a kind. */
static uint32_t key_of(const ScreeWorld *w, int kind) { return (uint32_t)(kind * w->materials * w->materials); }
static bool is_near(const ScreeWorld *w, uint32_t key) { return key >= key_of(w, NEAR) && key < key_of(w, AT_WALL); }

/* A slice is eight grains of one run that have as many pairs; its k-th group holds the k-th pair of each. Grains take
 * the lanes of their number's slice as they come, so that those of a slice, and slices after each other, are neighbours
 * in space and in the caches. Returns the run's places. */
enum { NUMBERS = 16 };

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

static void compare_pair(const ScreeWorld *w, size_t i, int32_t j, bool first, Like *like) {
  const Record *a = &w->record[i], *c = j < 0 ? a : &w->record[j];
  if (first) *like = (Like){a->r, a->m, true, true};
  like->even &= a->r == like->r && c->r == like->r;
  like->alike &= a->m == like->m && c->m == like->m;
}

static bool search_tile(const Rebuild *b, size_t tile, Worker *worker, Found *f, Slices *s) {
  const ScreeWorld *w = b->w;
  uint32_t *runs = b->runs + tile * (size_t)b->keys;
  Like *like = b->like + tile * (size_t)b->keys;
  for (size_t i = w->tile[tile].grains; i < w->tile[tile + 1].grains; i++) {
    b->first[i] = (uint32_t)f->count;
    if (!search_grain(b, i, worker, f)) return false;
    for (size_t e = b->first[i]; e < f->count; e++) {
      f->key[e] = (uint32_t)run_key(w, worker, i, f->j[e], &f->at[e]);
      s->pairs[f->key[e] * (size_t)TILE + (is_near(w, f->key[e]) ? f->at[e] : i - w->tile[tile].grains)]++;
      compare_pair(w, i, f->j[e], runs[f->key[e]] == 0, &like[f->key[e]]);
      runs[f->key[e]]++;
      w->tile[tile].others += is_other(w, tile, f->key[e], f->j[e]);
    }
  }
  share_pairs(b, f, s, tile);
  lay_tile(b, f, s, tile);
  return true;
}

static void search_share(void *context, int number, int threads) {
  Rebuild *b = context;
  ScreeWorld *w = b->w;
  Worker *worker = w->worker[number];
  scree_sites_clear(&worker->sites);
  worker->tile = scree_pool_begin(w->tiles, number, threads);
  worker->tile_end = scree_pool_begin(w->tiles, number + 1, threads);
  worker->first = w->tile[worker->tile].grains;
  worker->last = w->tile[worker->tile_end].grains;
  for (size_t t = worker->tile; t < worker->tile_end; t++)
    if (!search_tile(b, t, worker, &b->found[number], &b->slices[number])) {
      b->no_memory = true; /* only ever set */
      return;
    }
}

static Run run_of(const ScreeWorld *w, int key, const Like *like, size_t begin, size_t end, size_t wake) {
  int m = w->materials, a = key % (m * m) / m, b = key % m, kind = key / (m * m);
  bool walls = kind >= AT_WALL, near = is_near(w, (uint32_t)key);
  return (Run){.begin = begin,
               .end = end,
               .a = a,
               .b = b,
               .walls = walls,
               .away = kind == AWAY,
               .even = !walls && like->even,
               .alike = !walls && like->even && like->alike && a == b && !scree_class_of(w, a, b)->freezes,
               .sparse = near,
               .near = near,
               .hasty = kind == HASTY,
               .wake = wake};
}

/* From the places they take: the runs of every tile and where they lie. Returns the length of the list, and its groups
 * that may sleep. */
static ScreeStatus lay_runs(Rebuild *b, size_t *length, size_t *wakes) {
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
      w->run[runs++] = run_of(w, key, &b->like[t * (size_t)b->keys + (size_t)key], at, at + *count, *wakes);
      if (is_near(w, (uint32_t)key)) *wakes += whole(*count / LANES); /* read eight at a time: none is another run's */
      size_t begin = at - w->tile[t].pairs;
      at += *count;
      *count = (uint32_t)begin;
    }
  }
  w->tile[w->tiles].runs = runs;
  w->tile[w->tiles].pairs = *length = at;
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

/* Writes the pairs of the thread's tiles where their runs lie; what remains of a run are pairs of the sentinel. */
static void place_share(void *context, int number, int threads) {
  Rebuild *b = context;
  ScreeWorld *w = b->w;
  Pairs *p = &b->fresh;
  Worker *worker = w->worker[number];
  Found *f = &b->found[number];
  size_t sites = 0;
  (void)threads;
  for (size_t t = worker->tile; t < worker->tile_end; t++) {
    size_t base = w->tile[t].pairs, end = w->tile[t + 1].pairs;
    clear_pairs(w, p, base, end);
    for (size_t r = w->tile[t].runs; r < w->tile[t + 1].runs; r++)
      for (size_t q = w->run[r].end - LANES; q < w->run[r].end && w->run[r].walls; q++) KEPT(p, j, q) = -1;
    const uint32_t *begin = b->runs + t * (size_t)b->keys;
    size_t others = w->tile[t].others;
    for (size_t i = w->tile[t].grains; i < w->tile[t + 1].grains; i++) {
      size_t to = i + 1 < worker->last ? b->first[i + 1] : f->count;
      for (size_t e = b->first[i]; e < to; e++) {
        bool turned = f->key[e] & TURNED;
        f->at[e] += begin[f->key[e] & ~TURNED];
        size_t at = base + f->at[e];
        KEPT(p, i, at) = turned ? f->j[e] : (int32_t)i;
        KEPT(p, j, at) = turned ? (int32_t)i : f->j[e];
        if (is_other(w, t, f->key[e], f->j[e])) w->other[others++] = f->j[e];
        if (f->j[e] < 0 && scree_is_mesh(w, -1 - f->j[e])) note_slot(w, worker, p, at, &sites);
      }
    }
    for (size_t r = w->tile[t].runs; r < w->tile[t + 1].runs; r++)
      if (!w->run[r].walls && !w->run[r].near) close_slices(p, &w->run[r]);
  }
}

/* ---- carrying contacts over ---- */

static void copy_contact(const ScreeWorld *w, Pairs *to, size_t t, const Pairs *from, size_t f, double sign) {
  KEPT(to, k, t) = KEPT(from, k, f);
  KEPT(to, chi, t) = KEPT(from, chi, f);
  KEPT(to, last, t) = KEPT(from, last, f);
  to->press[t] = from->press[f];
  for (int k = 0; k < 3; k++) KEPT(to, shear[k], t) = sign * KEPT(from, shear[k], f);
  for (int k = 0; k < 3 && w->rolls; k++) to->roll[k][t] = sign * from->roll[k][f];
  for (int k = 0; k < w->constants; k++) to->own[k][t] = from->own[k][f];
  if (w->slots > 0) to->memory[t] = from->memory[f];
  for (int k = 0; k < 3 && w->meshes > 0; k++) to->aim[k][t] = from->aim[k][f];
}

static int owner_of(const ScreeWorld *w, size_t grain) {
  int t = 0;
  while (t + 1 < w->def.threads && grain >= w->worker[t]->last) t++;
  return t;
}

/* Where the pair that grain a found with b lies; false when it did not. */
static bool find_pair(const Rebuild *b, int32_t a, int32_t partner, size_t *at) {
  const ScreeWorld *w = b->w;
  int owner = owner_of(w, (size_t)a);
  const Worker *worker = w->worker[owner];
  const Found *f = &b->found[owner];
  size_t to = (size_t)a + 1 < worker->last ? b->first[a + 1] : f->count;
  for (size_t e = b->first[a]; e < to; e++) {
    if (f->j[e] != partner) continue;
    size_t low = worker->tile, high = worker->tile_end; /* the tile of a */
    while (high - low > 1) {
      size_t middle = (low + high) / 2;
      *(w->tile[middle].grains <= (size_t)a ? &low : &high) = middle;
    }
    *at = w->tile[low].pairs + f->at[e];
    return true;
  }
  return false;
}

/* A contact that ended in this step and is beyond the skin at once, or whose wall is gone. */
static void end_far(const ScreeWorld *w, Worker *worker, const Pairs *old, size_t f, int32_t a, int32_t partner) {
  const Record *first = &w->record[a], *second = partner < 0 ? NULL : &w->record[partner];
  const Class *c = scree_class_of(w, w->turn[a].material, scree_material_of(w, partner));
  const Body *body = second ? NULL : scree_body_of(w, -1 - partner);
  double n[3], slide[3], lever[3], distance2 = 0.0;
  if (!second) scree_wall_gap(w, -1 - partner, first, n, lever);
  if (!second && scree_is_mesh(w, -1 - partner)) scree_mesh_normal(w, old, f, -1 - partner, n);
  for (int k = 0; k < 3 && !second; k++) lever[k] += first->r * n[k];
  Surface wall = body && body->moves ? scree_surface(&body->frame, lever) : (Surface){0};
  for (int k = 0; k < 3 && second; k++) {
    n[k] = scree_image(w, k, second->x[k] - first->x[k]);
    distance2 += n[k] * n[k];
  }
  for (int k = 0; k < 3; k++) {
    if (second) n[k] /= sqrt(distance2);
    slide[k] = w->turn[a].v[k] - (second ? w->turn[partner].v[k] : wall.u[k]);
  }
  double along = scree_dot(slide, n);
  for (int k = 0; k < 3; k++) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    const double *w1 = w->turn[a].w, *w2 = second ? w->turn[partner].w : NULL;
    double sy = first->r * w1[y] + (w2 ? second->r * w2[y] : 0.0),
           sz = first->r * w1[z] + (w2 ? second->r * w2[z] : 0.0);
    slide[k] += sy * n[z] - sz * n[y] - along * n[k];
  }
  scree_end_contact(w, worker, c, old, f, along, slide);
  if (body && !body->present && old->press[f] != 0.0F) scree_give_up(w, worker, c, old, f, 0.0);
}

/* History belongs to the first grain of a pair; where the roles have changed its sign does too. */
static void carry_share(void *context, int number, int threads) {
  Rebuild *b = context;
  ScreeWorld *w = b->w;
  const Pairs *old = &b->old;
  size_t begin = scree_pool_begin(old->count, number, threads), end = scree_pool_begin(old->count, number + 1, threads);
  for (size_t f = begin; f < end; f++) {
    if (KEPT(old, k, f) == 0.0) continue;
    int32_t a = b->place ? b->place[KEPT(old, i, f)] : KEPT(old, i, f), j = KEPT(old, j, f);
    int32_t partner = j < 0 || !b->place ? j : b->place[j];
    size_t at;
    if (find_pair(b, a, partner, &at) || (partner >= 0 && find_pair(b, partner, a, &at)))
      copy_contact(w, &b->fresh, at, old, f, KEPT(&b->fresh, i, at) == a ? 1.0 : -1.0);
    else
      end_far(w, w->worker[number], old, f, a, partner);
  }
}

/* ---- the whole ---- */

/* As many for each thread, and as large as fits: each leaves some lanes empty. */
static ScreeStatus lay_tiles(ScreeWorld *w) {
  size_t threads = (size_t)w->def.threads, each = 1, *first = malloc((threads + 1) * sizeof *first);
  if (!first) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu threads", threads);
  scree_share_grains(w, first);
  for (size_t n = 0; n < threads; n++)
    if ((first[n + 1] - first[n]) / TILE + 1 > each) each = (first[n + 1] - first[n]) / TILE + 1;
  if (threads * each != w->tiles) {
    free(w->tile);
    w->tiles = threads * each;
    w->tile = calloc(w->tiles + 1, sizeof *w->tile);
  }
  for (size_t t = 0; w->tile && t <= w->tiles; t++) {
    size_t n = t < w->tiles ? t / each : threads - 1, part = t - n * each;
    w->tile[t] = (Tile){.grains = first[n] + (first[n + 1] - first[n]) * part / each};
  }
  free(first);
  return w->tile ? SCREE_OK : scree_fail(SCREE_NO_MEMORY, "no memory for %zu tiles", w->tiles);
}

/* How many pairs of grains the list holds that do not touch, and how their number grows with the skin: of some grains.
 */
static void count_gaps(const Rebuild *b) {
  enum { SAMPLES = 2048 };
  ScreeWorld *w = b->w;
  size_t stride = w->count / SAMPLES + 1, grains = 0, near = 0, close = 0;
  for (size_t i = 0; i < w->count; i += stride, grains++) {
    int owner = owner_of(w, i);
    const Found *f = &b->found[owner];
    size_t to = i + 1 < w->worker[owner]->last ? b->first[i + 1] : f->count;
    for (size_t e = b->first[i]; e < to; e++) {
      if (f->j[e] < 0) continue;
      const Record *first = &w->record[i], *second = &w->record[f->j[e]];
      double d2 = 0.0, touch = first->r + second->r,
             half = 0.5 * (touch + scree_reach_of(w, i) + scree_reach_of(w, (size_t)f->j[e]));
      for (int k = 0; k < 3; k++) {
        double d = scree_image(w, k, second->x[k] - first->x[k]);
        d2 += d * d;
      }
      near += d2 >= touch * touch;
      close += d2 >= touch * touch && d2 < half * half;
    }
  }
  w->near_pairs = grains > 0 ? (double)near / (double)grains : 0.0;
  w->near_power = close > 0 ? fmin(fmax(log2((double)near / (double)close), 0.1), 3.0) : 3.0;
}

/* The skin balances two costs, in units of what it takes to test a pair that is near in a step: a list costs so many of
 * them for each grain and each pair, measured once (docs/performance.md), and lasts the longer the larger the skin;
 * near pairs, whose number grows by a power of the skin, cost in every step, most of them while they sleep: those that
 * are tested are close to each other, with any skin. Where grains come or go in intervals, lists are made then anyway:
 * a whole number of them in each. */
static double cost(const ScreeWorld *w, double life, double ratio) {
  const double per_grain = 25.0, per_pair = 4.0, asleep = 0.3;
  double near = w->near_pairs * pow(ratio, w->near_power), every = (double)w->forced_every,
         lists = 1.0 / (life * ratio);
  if (every > 0.0) lists = ceil(every / (0.9 * life * ratio)) / every;
  return asleep * near + (per_grain + per_pair * near) * lists;
}

/* The slow should use up what they are allowed a little before the fast do, of whom there are few. Where grains become
 * fast soon, the fast are allowed little more than the slow; where few move through many that rest, far more. A list
 * that lasts long needs no paces, which cost some in every step. */
static void adapt_haste(ScreeWorld *w, double lasted, const double *share) {
  enum { LONG = 150 };
  const double before = 1.3;
  double slow = share[0], fast = fmax(share[1], fmax(share[2], share[3]));
  if (lasted > LONG)
    w->haste = 1.0;
  else if (!w->bulk.paced || w->haste < 1.2)
    w->haste = 2.0;
  else if (slow > 0.0 && fast > 0.0 && isfinite(slow + fast))
    w->haste *= fmin(fmax(sqrt(before * fast / slow), 0.7), 1.5);
}

/* How often grains come or go; forgotten when they have not for long. */
static void note_forced(ScreeWorld *w, bool forced) {
  long since = w->step - w->forced_at;
  if (!forced && since > 3 * w->forced_every) w->forced_every = 0;
  if (!forced) return;
  w->forced_every = w->forced_at > 0 && since < 1000 ? since : 0;
  w->forced_at = w->step;
}

bool scree_list_is_wide(const ScreeWorld *w) {
  enum { EVERY = 500 };
  long lasted = w->step - w->rebuilt_at;
  double share[PACES];
  if (!isnan(w->def.skin) || lasted == 0 || lasted % EVERY != 0 || w->skin < 1.2 * scree_least_skin(w)) return false;
  double life = (double)lasted / fmax(scree_bulk_used(w, share), 0.01);
  return cost(w, life, 0.5) < 0.8 * cost(w, life, 1.0);
}

/* A list that ended because grains came or went, or had come to rest, would have lasted as long as what was left
 * allows. */
static void adapt_skin(ScreeWorld *w, bool forced) {
  double lasted = (double)(w->step - w->rebuilt_at), best = 1.0, share[PACES], used = scree_bulk_used(w, share);
  bool settled = scree_list_is_wide(w);
  bool known = w->rebuilds > 0 && w->step > 0 && lasted > 0.0 && (used > 0.1 || settled);
  note_forced(w, forced);
  if (known) adapt_haste(w, lasted, share);
  if (known && isnan(w->def.skin)) {
    double life = forced || settled ? lasted / fmax(used, 0.01) : lasted;
    for (double ratio = settled ? 0.2 : 0.7; ratio < 1.7; ratio *= 1.1)
      if (cost(w, life, ratio) < cost(w, life, best)) best = ratio;
    w->skin = fmin(fmax(w->skin * best, scree_least_skin(w)), 2.0 * w->min_radius);
    for (int k = 0; k < 3; k++) /* the shortest image must be the only one within reach */
      if (w->def.periodic[k]) w->skin = fmin(w->skin, 0.5 * (w->def.high[k] - w->def.low[k]) - 2.0 * w->max_radius);
  }
  w->rebuilt_at = w->step;
  if (known) w->life = lasted;
}

/* Bits that tell which grain is listed with which wall. */
static bool beside_room(ScreeWorld *w) {
  if (w->beside && w->count <= w->beside_capacity) return true;
  w->beside_width = ((size_t)w->walls + 7) / 8;
  w->beside_capacity = w->capacity;
  free(w->beside);
  w->beside = malloc(w->beside_capacity * w->beside_width + 1);
  return w->beside != NULL;
}

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

static ScreeStatus make_list(Rebuild *b) {
  ScreeWorld *w = b->w;
  size_t length = 0, wakes = 0;
  SCREE_TRY(lay_tiles(w));
  b->keys = KINDS * w->materials * w->materials;
  b->first = malloc((w->count + 1) * sizeof *b->first);
  b->runs = calloc(w->tiles * (size_t)b->keys + 1, sizeof *b->runs);
  b->like = calloc(w->tiles * (size_t)b->keys + 1, sizeof *b->like);
  b->found = calloc((size_t)w->def.threads, sizeof *b->found);
  b->slices = calloc((size_t)w->def.threads, sizeof *b->slices);
  if (!b->first || !b->runs || !b->like || !b->found || !b->slices || !slices_allocate(b) || !beside_room(w) ||
      !scree_grids_build(&b->grids, w))
    return scree_fail(SCREE_NO_MEMORY, "no memory for the grid of %zu grains", w->count);
  scree_pool_run(w->pool, search_share, b);
  for (int t = 0; t < w->def.threads && !b->no_memory; t++) {
    b->no_memory = b->found[t].count > UINT32_MAX || !scree_sites_listed(&w->worker[t]->sites);
  }
  if (b->no_memory) return scree_fail(SCREE_NO_MEMORY, "no memory for the pairs of %zu grains", w->count);
  SCREE_TRY(lay_runs(b, &length, &wakes));
  SCREE_TRY(pairs_allocate(&b->fresh, w, length, wakes));
  b->fresh.count = length;
  scree_pool_run(w->pool, place_share, b);
  return SCREE_OK;
}

static void release(Rebuild *b) {
  scree_grids_free(&b->grids);
  for (int t = 0; b->found && t < b->w->def.threads; t++)
    free(b->found[t].j), free(b->found[t].key), free(b->found[t].at);
  for (int t = 0; b->slices && t < b->w->def.threads; t++) free(b->slices[t].pairs), free(b->slices[t].next);
  free(b->found), free(b->slices), free(b->first), free(b->runs), free(b->like);
}

/* The first list knows nothing of what grains cost; where that matters, another one does. */
static ScreeStatus make_first_list(Rebuild *b) {
  SCREE_TRY(make_list(b));
  if (scree_shares_are_even(b->w)) return SCREE_OK;
  scree_pairs_free(&b->fresh);
  release(b);
  *b = (Rebuild){.w = b->w, .old = b->old, .place = b->place};
  return make_list(b);
}

/* Where the first grain from `index` on that stayed is now. */
static size_t place_from(const ScreeWorld *w, const int32_t *moved, size_t before, size_t index) {
  while (index < before && moved[index] < 0) index++;
  return index < before ? (size_t)moved[index] : w->count;
}

void scree_list_forget(ScreeWorld *w, const int32_t *moved, size_t before) {
  Pairs *q = &w->pairs;
  int32_t none = (int32_t)w->count; /* the sentinel */
  for (size_t p = 0; p < q->count; p++) {
    int32_t i = KEPT(q, i, p), j = KEPT(q, j, p);
    KEPT(q, i, p) = (size_t)i == before || moved[i] < 0 ? none : moved[i];
    if (j >= 0) KEPT(q, j, p) = (size_t)j == before || moved[j] < 0 ? none : moved[j];
    if (j < 0 && KEPT(q, i, p) == none) KEPT(q, j, p) = -1;
  }
  for (size_t o = 0; o < w->tile[w->tiles].others; o++) w->other[o] = moved[w->other[o]] < 0 ? 0 : moved[w->other[o]];
  for (size_t i = 0; i < before; i++)
    if (moved[i] >= 0)
      memmove(w->beside + (size_t)moved[i] * w->beside_width, w->beside + i * w->beside_width, w->beside_width);
  for (size_t t = 0; t <= w->tiles; t++) w->tile[t].grains = place_from(w, moved, before, w->tile[t].grains);
  for (int t = 0; t < w->def.threads; t++) {
    Worker *worker = w->worker[t];
    worker->first = place_from(w, moved, before, worker->first);
    worker->last = place_from(w, moved, before, worker->last);
  }
}

/* Sorts the grains; `moved`, where grains went before by themselves, goes on to where they are now. */
static ScreeStatus sort(ScreeWorld *w, const int32_t *moved, size_t before, int32_t **place) {
  int32_t *sorted = malloc((w->count + 1) * sizeof *sorted), *all = moved ? malloc((before + 1) * sizeof *all) : NULL;
  ScreeStatus status = sorted && (all || !moved)
                           ? scree_sort_grains(w, sorted)
                           : scree_fail(SCREE_NO_MEMORY, "no memory to sort %zu grains", w->count);
  for (size_t i = 0; moved && status == SCREE_OK && i < before; i++) all[i] = moved[i] < 0 ? -1 : sorted[moved[i]];
  *place = moved ? all : sorted;
  free(moved ? sorted : all);
  return status;
}

ScreeStatus scree_rebuild(ScreeWorld *w, const int32_t *moved, size_t before, bool forced) {
  Rebuild b = {.w = w, .old = w->pairs, .place = moved};
  int32_t *place = NULL;
  ScreeStatus status = SCREE_OK;
  adapt_skin(w, forced);
  scree_pool_use(w->pool, (int)fmin((double)w->count / scree_grains_per_thread, (double)w->def.threads));
  if (w->rebuilds % SORT_EVERY == 0) {
    status = sort(w, moved, before, &place);
    b.place = place;
  }
  if (status == SCREE_OK) {
    scree_bulk_begin(w);
    status = w->rebuilds == 0 ? make_first_list(&b) : make_list(&b);
  }
  if (status == SCREE_OK) {
    scree_pool_run(w->pool, carry_share, &b);
    scree_pairs_free(&w->pairs);
    w->pairs = b.fresh;
    count_gaps(&b);
    scree_bodies_listed(w);
    w->rebuilds++;
  } else {
    scree_pairs_free(&b.fresh);
  }
  release(&b);
  free(place);
  return status;
}
