/* pairs.c: what pairs keep. Their arrays, and how contacts are carried over when the list is made anew: every old
 * contact looks for its pair among the few of its grain and takes its memory there. */
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "listing.h"
#include "memory.h"

/* ---- pairs' arrays ---- */

/* PAIR_ARRAYS lists each array that pairs keep beside `eight`, and the worlds that need it. */
#define PAIR_ARRAYS(X)                                                                                                 \
  X(press, true)                                                                                                       \
  X(torque_prev[0], w->resists)                                                                                        \
  X(torque_prev[1], w->resists)                                                                                        \
  X(torque_prev[2], w->resists)                                                                                        \
  X(friction_prev[0], w->dashes)                                                                                       \
  X(friction_prev[1], w->dashes)                                                                                       \
  X(friction_prev[2], w->dashes)                                                                                       \
  X(k, true)                                                                                                           \
  X(chi, true)                                                                                                         \
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
  X(twist, w->twists)                                                                                                  \
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
  p->wake = carve(p->block, &at, p->wakes + GROUPS_AT_ONCE, sizeof *p->wake);
  p->spot = w->meshes > 0 ? carve(p->block, &at, p->capacity, sizeof *p->spot) : NULL;
#define CARVE(array, needed) p->array = (needed) ? carve(p->block, &at, p->capacity, sizeof *p->array) : NULL;
  PAIR_ARRAYS(CARVE)
#undef CARVE
  return at;
}

/* Where lists are made often the block of the one before is kept for the next: memory that comes anew from the system
 * is cleared by it, page by page, and that takes longer than all that is written to it here. Not for long where grains
 * come to rest. */
static bool lists_are_frequent(const ScreeWorld *w) {
  const double soon = 200.0, still = 280.0; /* steps; those of a shaken bed last 100 to 270, of one at rest more */
  return w->life > 0.0 && w->life < (w->takes_turns ? still : soon);
}
static bool is_overdue(const ScreeWorld *w) { return (double)(w->step - w->rebuilt_at) > 2.0 * w->life; }

static bool take_block(Pairs *p, ScreeWorld *w, size_t bytes) {
  if (w->spare_room < bytes || w->spare_room > 2 * bytes) scree_pairs_free_spare(w);
  if (!w->spare) {
    w->spare_room = lists_are_frequent(w) ? bytes + bytes / 32 : bytes; /* for one that is a little longer */
    w->spare = scree_allocate(w->spare_room);
  }
  p->block = w->spare, p->room = w->spare_room;
  w->spare = NULL, w->spare_room = 0;
  return p->block != NULL;
}

ScreeStatus scree_pairs_allocate(Pairs *p, ScreeWorld *w, size_t capacity, size_t wakes) {
  *p = (Pairs){.capacity = capacity, .wakes = wakes};
  if (!take_block(p, w, lay_out_pairs(p, w))) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu pairs", capacity);
  lay_out_pairs(p, w);
  memset(p->wake, 0, (wakes + GROUPS_AT_ONCE) * sizeof *p->wake); /* all awake */
  return SCREE_OK;
}

/* Pairs of the sentinel, without contacts: lanes that do not touch go through the arithmetic too, and denormal rubbish
 * would slow it. */
void scree_pairs_clear(const ScreeWorld *w, Pairs *p, size_t from, size_t to) {
  int32_t none = (int32_t)w->count;
  for (size_t g = from / LANES; g < to / LANES; g++) {
    p->eight[g] = (Eight){.last = {0.0}};
    for (int l = 0; l < LANES; l++) p->eight[g].i[l] = p->eight[g].j[l] = none;
  }
#define CLEAR(array, needed)                                                                                           \
  if (needed) memset(p->array + from, 0, (to - from) * sizeof *p->array);
  PAIR_ARRAYS(CLEAR)
#undef CLEAR
}

void scree_pairs_free(Pairs *p) {
  free(p->block);
  *p = (Pairs){0};
}

void scree_pairs_free_spare(ScreeWorld *w) {
  free(w->spare);
  w->spare = NULL;
  w->spare_room = 0;
}

void scree_pairs_tidy(ScreeWorld *w) {
  if (is_overdue(w)) scree_pairs_free_spare(w);
}

void scree_pairs_retire(ScreeWorld *w) {
  scree_pairs_free_spare(w);
  w->takes_turns = lists_are_frequent(w);
  if (w->takes_turns) {
    w->spare = w->pairs.block, w->spare_room = w->pairs.room;
    w->pairs = (Pairs){0};
  }
  scree_pairs_free(&w->pairs);
}

/* ---- carrying contacts over ---- */

static void copy_contact(const ScreeWorld *w, Pairs *to, size_t t, const Pairs *from, size_t f, double sign) {
  to->k[t] = from->k[f], to->chi[t] = from->chi[f];
  KEPT(to, last, t) = KEPT(from, last, f);
  to->press[t] = from->press[f];
  for (int k = 0; k < 3; k++) KEPT(to, shear[k], t) = sign * KEPT(from, shear[k], f);
  for (int k = 0; k < 3 && w->rolls; k++) to->roll[k][t] = sign * from->roll[k][f];
  if (w->twists) to->twist[t] = from->twist[f];
  for (int k = 0; k < 3 && w->resists; k++) to->torque_prev[k][t] = (float)sign * from->torque_prev[k][f];
  for (int k = 0; k < 3 && w->dashes; k++) to->friction_prev[k][t] = (float)sign * from->friction_prev[k][f];
  for (int k = 0; k < w->constants; k++) to->own[k][t] = from->own[k][f];
  if (w->slots > 0) to->memory[t] = from->memory[f];
  for (int k = 0; k < 3 && w->meshes > 0; k++) to->aim[k][t] = from->aim[k][f];
}

/* Where the pair that grain a found with b lies; false when it did not. */
static bool find_pair(const Rebuild *b, int32_t a, int32_t partner, size_t *at) {
  const ScreeWorld *w = b->w;
  size_t tile = scree_tile_of(w, 0, w->tiles, (size_t)a), to = scree_found_end(b, tile, (size_t)a);
  const Found *f = &b->found[b->search[tile].by];
  for (size_t e = b->first[a]; e < to; e++) {
    if (f->j[e] != partner) continue;
    *at = w->tile[tile].pairs + f->at[e];
    return true;
  }
  return false;
}

/* A contact that ended in this step and is beyond the skin at once, or whose wall is gone. */
static void end_far(const ScreeWorld *w, Worker *worker, const Pairs *old, size_t f, int32_t a, int32_t partner) {
  const Record *first = &w->record[a], *second = partner < 0 ? NULL : &w->record[partner];
  const Class *c = scree_class_of(w, w->turn[a].material, scree_material_of(w, partner));
  const Body *body = second ? NULL : scree_body_of(w, -1 - partner);
  double n[3], slide[3], lever[3], spin[3], distance2 = 0.0;
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
  for (int k = 0; k < 3; k++) spin[k] = w->turn[a].w[k] - (second ? w->turn[partner].w[k] : wall.w[k]);
  scree_end_rolling(w, worker, c, old, f, spin);
  if (body && !body->present && old->press[f] != 0.0F) scree_give_up(w, worker, c, old, f, 0.0);
}

enum { CARRIED_AT_ONCE = 4096 };

/* History belongs to the first grain of a pair; where the roles have changed its sign does too. */
static void carry_some(void *context, int number, const Worker *owner, size_t piece) {
  Rebuild *b = context;
  ScreeWorld *w = b->w;
  const Pairs *old = &b->old;
  size_t begin = piece * CARRIED_AT_ONCE, end = begin + CARRIED_AT_ONCE;
  (void)owner;
  for (size_t f = begin; f < end && f < old->count; f++) {
    if (old->k[f] == 0.0) continue;
    int32_t a = b->place ? b->place[KEPT(old, i, f)] : KEPT(old, i, f), j = KEPT(old, j, f);
    int32_t partner = j < 0 || !b->place ? j : b->place[j];
    size_t at;
    if (find_pair(b, a, partner, &at) || (partner >= 0 && find_pair(b, partner, a, &at)))
      copy_contact(w, &b->fresh, at, old, f, KEPT(&b->fresh, i, at) == a ? 1.0 : -1.0);
    else
      end_far(w, w->worker[number], old, f, a, partner);
  }
}

static void carry_share(void *context, int number, int threads) {
  const Rebuild *b = context;
  size_t pieces = (b->old.count + CARRIED_AT_ONCE - 1) / CARRIED_AT_ONCE;
  scree_do_pieces(b->w, number, scree_pool_begin(pieces, number, threads),
                  scree_pool_begin(pieces, number + 1, threads), 0, carry_some, context);
}

void scree_pairs_carry(Rebuild *b) { scree_pool_run(b->w->pool, carry_share, b); }
