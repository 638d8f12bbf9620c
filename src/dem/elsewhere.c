/* elsewhere.c: what a thread has to add to grains of others. No two threads add to one grain at a time: what falls on a
 * grain of another's is kept, and added by its owner before the sweep. Grains of others that its own touch when the
 * list is made, its border, have sums here, one each, whose places are found with the list; the few that begin to touch
 * later are kept one by one. Of a tile that a thread does for another all its grains are another's: they get sums of
 * their own, which the owner adds as a whole. */
#include <stdlib.h>
#include <string.h>

#include "contact.h"
#include "core/status.h"
#include "memory.h"

bool scree_grow_owed(Worker *worker, Elsewheres *owed) {
  size_t capacity = owed->capacity + owed->capacity / 4 + 256;
  Elsewhere *grown = realloc(owed->item, capacity * sizeof *grown);
  if (!grown) {
    worker->no_memory = true;
    return false;
  }
  owed->item = grown;
  owed->capacity = capacity;
  return true;
}

void scree_owed_free(Worker *worker) {
  for (int n = 0; n < 4; n++) free(worker->owed[n / 2][n % 2].item), free(worker->owed[n / 2][n % 2].sum.four);
  free(worker->border.grain), free(worker->border.slot);
}

size_t scree_owed_bytes(const Worker *worker) {
  const Border *border = &worker->border;
  size_t bytes = border->groups * (sizeof *border->slot + LANES * sizeof *border->grain);
  bytes += border->groups > 0 ? 4 * (border->grains + 1) * sizeof(Load) : 0;
  for (int n = 0; n < 4; n++) bytes += worker->owed[n / 2][n % 2].capacity * sizeof(Elsewhere);
  return bytes;
}

/* ---- the border ---- */

static int by_number(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return x < y ? -1 : x > y;
}

/* The groups of its runs get their places; returns how many there are. */
static size_t number_groups(ScreeWorld *w, const Worker *worker) {
  size_t groups = 0;
  for (size_t r = w->tile[worker->tile].runs; r < w->tile[worker->tile_end].runs; r++) {
    w->run[r].border = groups;
    if (w->run[r].away) groups += (w->run[r].end - w->run[r].begin) / LANES;
  }
  return groups;
}

/* The second grains of these groups as they are, then each once and in order; lanes without one have the sentinel. */
static void find_grains(const ScreeWorld *w, const Worker *worker, const Pairs *pairs, Border *border) {
  size_t found = 0;
  for (size_t r = w->tile[worker->tile].runs; r < w->tile[worker->tile_end].runs; r++)
    for (size_t p = w->run[r].begin; p < w->run[r].end && w->run[r].away; p++) {
      int32_t j = KEPT(pairs, j, p);
      border->slot[found / LANES][found % LANES] = border->grain[found] = j;
      found++;
    }
  qsort(border->grain, found, sizeof *border->grain, by_number);
  for (size_t e = 0; e < found; e++)
    if ((size_t)border->grain[e] < w->count && (e == 0 || border->grain[e] != border->grain[e - 1]))
      border->grain[border->grains++] = border->grain[e];
}

/* Lanes that touch nothing add nothing, wherever that is. */
static void find_slots(Border *border) {
  for (size_t e = 0; e < border->groups * LANES; e++) {
    int32_t *slot = &border->slot[e / LANES][e % LANES];
    const int32_t *at = bsearch(slot, border->grain, border->grains, sizeof *border->grain, by_number);
    *slot = at ? (int32_t)(at - border->grain) : 0;
  }
}

typedef struct Finding {
  ScreeWorld *w;
  const Pairs *pairs;
} Finding;

static void forget_sums(Elsewheres *owed) {
  free(owed->sum.four);
  owed->sum = (Loads){0};
  owed->summed = false;
}

static void find_border(void *context, int number, int threads) {
  const Finding *finding = context;
  ScreeWorld *w = finding->w;
  Worker *worker = w->worker[number];
  Border *border = &worker->border;
  (void)threads;
  free(border->grain), free(border->slot);
  *border = (Border){.groups = number_groups(w, worker)};
  for (int n = 0; n < 4; n++) forget_sums(&worker->owed[n / 2][n % 2]);
  if (border->groups == 0) return;
  border->grain = malloc(border->groups * LANES * sizeof *border->grain);
  border->slot = scree_allocate(border->groups * sizeof *border->slot);
  if (!border->grain || !border->slot) {
    worker->no_memory = true;
    return;
  }
  find_grains(w, worker, finding->pairs, border);
  find_slots(border);
  for (int n = 0; n < 4; n++) {
    Elsewheres *owed = &worker->owed[n / 2][n % 2];
    owed->sum.four = scree_allocate((border->grains + 1) * sizeof(Load));
    owed->sum.two = owed->sum.four ? (int64_t(*)[2])(owed->sum.four + border->grains + 1) : NULL;
    worker->no_memory |= !owed->sum.four;
    owed->summed = owed->sum.four;
    scree_owe_nothing(worker, owed);
  }
}

ScreeStatus scree_borders_find(ScreeWorld *w, const Pairs *pairs) {
  Finding finding = {w, pairs};
  bool fine = true;
  scree_pool_run(w->pool, find_border, &finding);
  for (int n = 0; n < w->def.threads; n++) fine = fine && !w->worker[n]->no_memory;
  return fine ? SCREE_OK : scree_fail(SCREE_NO_MEMORY, "no memory for grains between threads");
}

void scree_border_move(Border *border, const int32_t *moved, int32_t before, int32_t none) {
  for (size_t b = 0; b < border->grains; b++) {
    int32_t *grain = &border->grain[b];
    *grain = *grain == before || moved[*grain] < 0 ? none : moved[*grain];
  }
}

void scree_owe_nothing(const Worker *worker, Elsewheres *owed) {
  owed->count = 0;
  if (owed->summed) memset(owed->sum.four, 0, (worker->border.grains + 1) * sizeof(Load));
  owed->summed = false;
}

/* ---- tiles of others ---- */

static size_t grains_of(const ScreeWorld *w, size_t tile) { return w->tile[tile + 1].grains - w->tile[tile].grains; }

/* An eighth of what a thread has itself: who would have to do more for others waits for a thread that hardly runs. */
static bool has_helped_enough(const ScreeWorld *w, const Worker *worker) {
  return worker->helps > w->tiles / (size_t)w->def.threads / 8 && scree_helpfulness != HELP_FIRST;
}

bool scree_help_room(const ScreeWorld *w, Worker *worker) {
  size_t grains = 1;
  if (has_helped_enough(w, worker)) return false;
  for (size_t t = 0; t < w->tiles; t++)
    if (grains_of(w, t) > grains) grains = grains_of(w, t);
  if (worker->helps == worker->help_capacity) {
    size_t capacity = worker->help_capacity + worker->help_capacity / 4 + 4;
    Help *grown = realloc(worker->help, capacity * sizeof *grown);
    if (!grown) return false;
    memset(grown + worker->help_capacity, 0, (capacity - worker->help_capacity) * sizeof *grown);
    worker->help = grown;
    worker->help_capacity = capacity;
  }
  Help *help = &worker->help[worker->helps];
  if (help->room >= grains) return true;
  free(help->load.four);
  *help = (Help){.load.four = scree_allocate(grains * sizeof(Load))};
  help->load.two = help->load.four ? (int64_t(*)[2])(help->load.four + grains) : NULL;
  help->room = help->load.four ? grains : 0;
  return help->room > 0;
}

/* Of tiles in which little touches sums of all grains would cost more than they save. */
static bool hardly_touches(const ScreeWorld *w, size_t tile) {
  size_t pairs = 0;
  for (size_t r = w->tile[tile].runs; r < w->tile[tile + 1].runs; r++) {
    const Run *run = &w->run[r];
    pairs += run->sparse ? run->active : run->end - run->begin;
  }
  return 4 * pairs < grains_of(w, tile);
}

void scree_help_begin(const ScreeWorld *w, Worker *worker, const Worker *owner, size_t tile) {
  worker->beside = &owner->sites;
  if (hardly_touches(w, tile)) {
    worker->sums = (Sums){w->load, 0, 0, NULL};
    return;
  }
  Help *help = &worker->help[worker->helps++];
  size_t first = w->tile[tile].grains, grains = grains_of(w, tile);
  help->tile = tile;
  memset(help->load.four, 0, grains * sizeof *help->load.four);
  memset(help->load.two, 0, grains * sizeof *help->load.two);
  /* as if the arrays began with the first grain of all: nothing before the tile's is looked at */
  Loads from = {(int64_t(*)[4])((uintptr_t)help->load.four - first * sizeof *from.four),
                (int64_t(*)[2])((uintptr_t)help->load.two - first * sizeof *from.two)};
  worker->sums = (Sums){from, first, w->tile[tile + 1].grains, NULL};
}

void scree_help_end(const ScreeWorld *w, Worker *worker) {
  worker->beside = &worker->sites;
  worker->sums = (Sums){w->load, worker->first, worker->last, &worker->border};
}

void scree_help_free(Worker *worker) {
  for (size_t h = 0; h < worker->help_capacity; h++) free(worker->help[h].load.four);
  free(worker->help);
}

size_t scree_help_bytes(const Worker *worker) {
  size_t bytes = worker->help_capacity * sizeof *worker->help;
  for (size_t h = 0; h < worker->help_capacity; h++) bytes += worker->help[h].room * sizeof(Load);
  return bytes;
}

/* ---- the sums ---- */

/* In place: a load on its way through the stack is written in other pieces than it is read in, and waited for. */
static inline void add(Loads to, size_t grain, const int64_t *four, const int64_t *two) {
  for (int k = 0; k < 4; k++) scree_add_wrapped(&to.four[grain][k], four[k]);
  for (int k = 0; k < 2; k++) scree_add_wrapped(&to.two[grain][k], two[k]);
}

static void add_owed(const ScreeWorld *w, const Worker *self, const Border *border, const Elsewheres *owed) {
  for (size_t b = 0; owed->summed && b < border->grains; b++) {
    size_t grain = (size_t)border->grain[b];
    if (grain >= self->first && grain < self->last) add(w->load, grain, owed->sum.four[b], owed->sum.two[b]);
  }
  for (size_t e = 0; e < owed->count; e++) {
    const Elsewhere *item = &owed->item[e];
    size_t grain = (size_t)item->grain;
    if (grain >= self->first && grain < self->last) add(w->load, grain, item->four, item->two);
  }
}

void scree_show_owed(Worker *worker) {
  if (worker->now.late == 1) return;
  worker->now.late = 1;
  atomic_store_explicit(&worker->shown, worker->now.owed, memory_order_release);
}

bool scree_get_owed(ScreeWorld *w, int number) {
  Worker *self = w->worker[number];
  if (self->got) return true;
  for (int t = 0; t < w->def.threads; t++)
    if (t != number && !atomic_load_explicit(&w->worker[t]->shown, memory_order_acquire)) return false;
  for (int t = 0; t < w->def.threads; t++)
    if (t != number)
      add_owed(w, self, &w->worker[t]->border, atomic_load_explicit(&w->worker[t]->shown, memory_order_relaxed));
  self->got = true;
  return true;
}

void scree_collect_deferred(ScreeWorld *w, int number) {
  const Worker *self = w->worker[number];
  for (int t = 0; t < w->def.threads; t++) {
    const Worker *other = w->worker[t];
    if (!self->got) add_owed(w, self, &other->border, &other->now.owed[0]);
    add_owed(w, self, &other->border, &other->now.owed[1]);
    for (size_t h = 0; h < other->helps; h++) {
      size_t tile = other->help[h].tile, first = w->tile[tile].grains;
      if (tile < self->tile || tile >= self->tile_end) continue;
      Loads load = other->help[h].load;
      for (size_t g = 0; g < grains_of(w, tile); g++) add(w->load, first + g, load.four[g], load.two[g]);
    }
  }
}
