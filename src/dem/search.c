/* search.c: who is near whom. The grids (grid.h) put grains into levels by size and pace, each level into cells as wide
 * as twice its largest reach. A grain looks for partners of its own level in half the cells around it and of every
 * later level in all: a size ratio of twenty costs a few levels more, not a search among thousands of small grains
 * around a large one, and a few fast grains do not widen the cells of the slow. Of the walls it looks at those that are
 * near its cluster (cull.h). Each thread lists the partners of its grains, grain by grain (Found). */
#include <stdlib.h>
#include <string.h>

#include "listing.h"

/* Bits that tell which grain is listed with which wall. */
static bool beside_room(ScreeWorld *w) {
  if (w->beside && w->count <= w->beside_capacity) return true;
  w->beside_width = ((size_t)w->walls + 7) / 8;
  w->beside_capacity = w->capacity;
  free(w->beside);
  w->beside = malloc(w->beside_capacity * w->beside_width + 1);
  return w->beside != NULL;
}

bool scree_search_begin(Rebuild *b) {
  ScreeWorld *w = b->w;
  b->first = malloc((w->count + 1) * sizeof *b->first);
  b->found = calloc((size_t)w->def.threads, sizeof *b->found);
  b->search = calloc(w->tiles + 1, sizeof *b->search);
  return b->first && b->found && b->search && beside_room(w) && scree_grids_build(&b->grids, w);
}

void scree_search_end(Rebuild *b) {
  scree_grids_free(&b->grids);
  for (int t = 0; b->found && t < b->w->def.threads; t++)
    free(b->found[t].j), free(b->found[t].key), free(b->found[t].at);
  free(b->found), free(b->search), free(b->first);
}

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

/* Whether grain i looks for grain j, where each could: the first of them does; of two threads' the first by the shorter
 * way around all numbers: where the last layer meets the first around a period, every thread owes loads to the next. */
static bool looks_for(const ScreeWorld *w, const Worker *owner, size_t i, size_t j) {
  bool own = j >= owner->first && j < owner->last;
  if (own) return j > i;
  return j > i ? j - i <= w->count / 2 : i - j > w->count / 2;
}

/* Partners of grain i in one level. */
static bool search_level(const Seeker *s, size_t i, int own, int level, Centre centre) {
  const Rebuild *b = s->b;
  Found *f = s->found;
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
    if (looks_for(b->w, s->owner, i, (size_t)f->j[e])) f->j[kept++] = f->j[e];
  f->count = kept;
  return true;
}

/* A grain near a mesh is listed with all its slots: contacts keep theirs. */
static bool search_mesh(const Seeker *s, size_t i, int wall) {
  Found *f = s->found;
  bool found = false;
  if (!scree_site_add(s->b->w, &s->worker->sites, &s->worker->cull, wall, i, &found)) return false;
  for (int slot = 0; slot < MESH_SLOTS && found; slot++) f->j[f->count++] = -1 - wall - slot;
  return true;
}

/* Of the walls that are near a grain of its cluster. */
static bool search_walls(const Seeker *s, size_t i) {
  const ScreeWorld *w = s->b->w;
  const Record *r = &w->record[i];
  const Cull *near = &s->worker->cull;
  const Tile *tile = &w->tile[s->tile];
  Found *f = s->found;
  double normal[3], lever[3];
  if (w->walls == 0) return true;
  memset(w->beside + i * w->beside_width, 0, w->beside_width);
  if (i == tile[0].grains || i == near->of.to) {
    if (!scree_cull(w, &s->worker->cull, i, tile[1].grains)) return false;
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
    if ((n == 0 || near->patch[n - 1].wall != wall) && !search_mesh(s, i, wall)) return false;
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

bool scree_search_grain(const Seeker *s, size_t i) {
  const Rebuild *b = s->b;
  const ScreeWorld *w = b->w;
  Found *f = s->found;
  int own = b->grids.levels > 1 ? scree_grids_level(&b->grids, i) : 0;
  size_t first = f->count;
  Centre centre = scree_grids_centre(&b->grids, i);
  for (int level = own; level < b->grids.levels; level++)
    if (!search_level(s, i, own, level, centre)) return false;
  if (!search_walls(s, i)) return false;
  if (scree_is_fixed(&w->record[i])) drop_fixed(w, first, f);
  return true;
}
