/* listing.h: what a list of pairs is made from while it is made. Private to list.c, which has the order of the making,
 * and to its parts. */
#ifndef SCREE_LISTING_H
#define SCREE_LISTING_H

#include "contact.h"
#include "grid.h"

/* What one thread found: partners of the grains of the tiles it searched, grain by grain. */
typedef struct Found {
  int32_t *j;
  uint32_t *key; /* the run it belongs to, and whether the partner comes first */
  uint32_t *at;  /* of near pairs first the band; then where the pair lies in its run */
  size_t count, capacity;
} Found;

/* Where the partners of a tile's grains are: in whose Found, and their end there. */
typedef struct Search {
  int by;
  size_t end;
} Search;

typedef struct Slices Slices; /* runs.c */
typedef struct Like Like;

typedef struct Rebuild {
  ScreeWorld *w;
  const int32_t *place; /* old index -> new; NULL: unchanged; grains that were removed have no contacts left */
  int32_t *sorted;      /* that one, where the grains were sorted */
  Pairs old, fresh;
  Grids grids;
  Found *found;          /* per thread */
  Search *search;        /* per tile */
  uint32_t *first;       /* per grain: where its partners begin in the Found they are in */
  Slices *slices;        /* per thread */
  uint32_t *runs;        /* tiles x keys: places of each run, then where it begins in the tile */
  Like *like;            /* tiles x keys */
  int keys;              /* possible runs of a tile */
  size_t length, wakes;  /* of the list, and its groups that may sleep */
  atomic_bool no_memory; /* of a thread */
} Rebuild;

/* Who looks for the partners of a tile's grains. Where there are meshes it is their owner, whose sites they get. */
typedef struct Seeker {
  const Rebuild *b;
  size_t tile;
  const Worker *owner; /* of the tile */
  Worker *worker;      /* who is at work */
  int number;          /* of that one */
  Found *found;        /* its own */
} Seeker;

/* Where the partners of a tile's grain end in the Found they are in. */
static inline size_t scree_found_end(const Rebuild *b, size_t tile, size_t grain) {
  return grain + 1 < b->w->tile[tile + 1].grains ? b->first[grain + 1] : b->search[tile].end;
}

/* Of the tiles low ... high - 1 that of a grain. */
static inline size_t scree_tile_of(const ScreeWorld *w, size_t low, size_t high, size_t grain) {
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    *(w->tile[middle].grains <= grain ? &low : &high) = middle;
  }
  return low;
}

/* early.c: a pair of the thread's tile has this grain in it. */
void scree_early_meet(const ScreeWorld *w, const Worker *worker, size_t tile, size_t partner);
void scree_early_plan(ScreeWorld *w); /* when all were met */

/* skin.c */
/* Before a list is made: how far it should reach; forced: because grains came or went. */
void scree_skin_adapt(ScreeWorld *w, bool forced);
/* Afterwards: what the next one is chosen by. */
void scree_skin_observe(const Rebuild *b);

/* search.c */
bool scree_search_begin(Rebuild *b); /* false: no memory */
void scree_search_end(Rebuild *b);
/* Partners of a grain, among grains and walls, to those found before; grains of a tile one after the other. */
bool scree_search_grain(const Seeker *s, size_t grain);

/* runs.c: tiles, then what they hold, then where that lies in the list, then the pairs themselves. */
ScreeStatus scree_tiles_lay(ScreeWorld *w);
bool scree_runs_begin(Rebuild *b);
void scree_runs_end(Rebuild *b);
ScreeStatus scree_tiles_fill(Rebuild *b);
ScreeStatus scree_runs_lay(Rebuild *b);
void scree_pairs_place(Rebuild *b);

/* pairs.c */
ScreeStatus scree_pairs_allocate(Pairs *pairs, ScreeWorld *w, size_t capacity, size_t wakes);
void scree_pairs_retire(ScreeWorld *w); /* those of the world give way to a new list's */
void scree_pairs_clear(const ScreeWorld *w, Pairs *pairs, size_t from, size_t to);
/* Contacts of the old list to the new one. */
void scree_pairs_carry(Rebuild *b);

#endif
