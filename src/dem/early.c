/* early.c: grains that nobody needs any more where they are go on to the next step at once. In a world that does not
 * fit the caches a sweep would read from memory what the pass over the pairs has just written there, and the contacts
 * of the next step the same again. So a tile is swept (motion.c) as soon as its contacts are done, while it is in the
 * cache, unless its grains are in pairs of tiles that come after it, or of other threads. And when all that its pairs
 * meet have been swept, a layer or so further on, its contacts of the next step are done, and it is swept again: two
 * steps in one pass through memory. Worlds of many grains that lie close are sorted and searched so that few have to
 * wait: in layers (order.c), every pair with its first grain (grid.c). What remains is done in its own step as ever.
 *
 *   tiles       before the second front | between them     | after the first front
 *   contacts    of both steps           | of the first one | none
 *   swept       twice                   | once             | not yet
 *
 * A step that goes on at once cannot be looked at where it ends. It does so only where nobody will: the next step
 * follows by itself, and no contact can have become too deep, by what grains and walls have closed in by. In a pass of
 * two steps the list must hold for the second as well, before it is known how fast grains are in it. So there must be
 * room for much faster ones than in the step before (`room_for`). Speeds grow so much within a step only where the step
 * is far too long for the contacts' stiffness; such a run is ended (`scree_confirm_pass`).
 *
 * Every grain is moved by the same loads in the same way: nothing here leaves a trace in the results. */
#include "core/status.h"
#include "listing.h"

/* What fits the caches is faster in Morton order, and swept as a whole: of 32,000 grains 12 MB. */
enum { GRAINS_IN_CACHES = 150000 };
size_t scree_early_from = GRAINS_IN_CACHES;
bool scree_passes_twice = true;

/* ---- who needs whom ---- */

/* Both layers at the ends of a periodic axis meet: tiles half the thread's grains apart are not waited for. */
static bool is_far(const Worker *worker, size_t tile, size_t other) {
  return other - tile > (worker->tile_end - worker->tile) / 2;
}

void scree_early_meet(const ScreeWorld *w, const Worker *worker, size_t tile, size_t partner) {
  Tile *self = &w->tile[tile];
  if (self->last < tile) self->last = tile;
  if (partner >= self->grains && partner < w->tile[self->last + 1].grains) return;
  bool own = partner >= worker->first && partner < worker->last;
  size_t other =
      own ? scree_tile_of(w, worker->tile, worker->tile_end, partner) : scree_tile_of(w, 0, w->tiles, partner);
  if (own && other > tile && !is_far(worker, tile, other)) {
    self->last = other;
    return;
  }
  self->bound = true;
  atomic_store_explicit(own && other > tile ? &w->tile[other].kept : &w->tile[other].waits, true,
                        memory_order_relaxed); /* its owner may be at it */
}

/* Of a thread's tiles in their order: which can do their contacts of the next step when those that they meet have gone
 * on to it, and which can then go on to the one after. */
static void plan_share(const ScreeWorld *w, const Worker *worker) {
  size_t needed = worker->tile; /* tiles before this one are met by some that cannot */
  for (size_t t = worker->tile; t < worker->tile_end; t++) {
    Tile *tile = &w->tile[t];
    if (tile->last < t) tile->last = t;
    tile->again = !tile->bound;
    for (size_t other = t; other <= tile->last && tile->again; other++) tile->again = !w->tile[other].waits;
    if (!tile->again && tile->last >= needed) needed = tile->last + 1;
    tile->onward = tile->again && !tile->kept && t >= needed;
  }
}

void scree_early_plan(const ScreeWorld *w) {
  for (int n = 0; n < w->def.threads && w->layered; n++) plan_share(w, w->worker[n]);
}

/* ---- what a pass may do ---- */

/* Of the smaller radius: no contact of the step at hand can be deeper. */
static double deepest_to_come(const ScreeWorld *w) {
  double closed = fmax(w->bulk.step_closed, w->bulk.step_way + w->walls_step);
  return w->max_overlap + closed * (1.0 + 1e-6) / w->min_radius;
}

static bool goes_early(const ScreeWorld *w) {
  return w->layered && w->met && !scree_flow_is_due(w, w->step + 1) && deepest_to_come(w) < w->def.max_overlap;
}

/* m, that grains and walls may close in by in the next step: much more than in the last one, or than nothing. */
static double room_for(const ScreeWorld *w) {
  const Bulk *b = &w->bulk;
  return 8.0 * fmax(b->step_closed, b->step_way) + 0.1 * b->allowance[0];
}

static bool goes_twice(const ScreeWorld *w) {
  double room = room_for(w);
  return scree_passes_twice && !w->ahead && w->meshes == 0 && scree_bodies_rest(w) &&
         !scree_flow_is_due(w, w->step + 2) && scree_list_holds(w, room) &&
         deepest_to_come(w) + 1.01 * room / w->min_radius < w->def.max_overlap;
}

Pass scree_choose_pass(ScreeWorld *w, long steps) {
  if (steps < 1 || !goes_early(w)) return PASS_ALONE;
  if (steps < 2 || !goes_twice(w)) return PASS_ON;
  w->bulk.room = room_for(w);
  return PASS_TWICE;
}

ScreeStatus scree_confirm_pass(const ScreeWorld *w) {
  const Bulk *b = &w->bulk;
  if (fmax(b->step_closed, b->step_way) <= b->room && scree_list_holds(w, 0.0) && goes_early(w)) return SCREE_OK;
  return scree_fail(
      SCREE_OUT_OF_RANGE,
      "step %ld: grains move by up to %.4g m against each other, and far less in the step before: a step of "
      "%.4g s is too long for so stiff contacts",
      w->step + 1, fmax(b->step_closed, b->step_way), w->dt);
}
