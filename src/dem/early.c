/* early.c: grains that nobody needs any more where they are go on to the next step at once. In a world that does not
 * fit the caches a sweep would read from memory what the pass over the pairs has just written there, and the contacts
 * of the next step the same again. So a tile is swept (motion.c) as soon as its contacts are done, while it is in the
 * cache, and those of the tiles after it that its grains are in pairs of. And when all that its pairs meet have been
 * swept, a layer or so further on, its contacts of the next step are done, and it is swept again: two steps in one pass
 * through memory. Worlds of many grains that lie close are sorted and searched so that this is soon: in layers
 * (order.c), grains of one size in pairs of the first of them (grid.c). Tiles that meet the far end of a period have to
 * wait; what remains is done in its own step as ever.
 *
 *   tiles       before the second front | between them     | after the first front
 *   contacts    of both steps           | of the first one | none
 *   swept       twice                   | once             | not yet
 *
 * Between threads the last layer of one meets the first of the next, and owes loads to its grains. So every thread does
 * its last layer first, its `tail`, and shows what that owes; the next adds it to its first layer, which waits for
 * nothing else, and goes on with it. When its two fronts come to the tail, far later, the tail goes on too, and meets
 * once more the layer that has long gone on: what it owes for that step is shown when the next pass begins. Nobody
 * waits for anybody: fronts go ahead of a tile that has not got what it is owed, and soon leave it to its own step.
 *
 *   a thread's tiles   first layer: waits |  its own  | last layer: tail, owes
 *   order              2                  |  3        | 1
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

/* What fits the caches is faster in Morton order, swept when all contacts are done: 32,000 grains have 12 MB, these 33.
 */
enum { GRAINS_IN_CACHES = 90000 };
size_t scree_early_from = GRAINS_IN_CACHES;

/* ---- who needs whom ---- */

/* Layers at both ends of a periodic axis meet: tiles half the thread's grains apart are not waited for. */
static bool is_far(const Worker *worker, size_t tile, size_t other) {
  return (tile < other ? other - tile : tile - other) > (worker->tile_end - worker->tile) / 2;
}

void scree_early_meet(const ScreeWorld *w, const Worker *worker, size_t tile, size_t partner) {
  Tile *self = &w->tile[tile];
  if (partner >= self->grains && partner < w->tile[self->last + 1].grains) return; /* as most */
  bool own = partner >= worker->first && partner < worker->last;
  size_t at = own ? scree_tile_of(w, worker->tile, worker->tile_end, partner) : scree_tile_of(w, 0, w->tiles, partner);
  Tile *other = &w->tile[at];
  if (own && !is_far(worker, tile, at)) {
    if (at < self->first) self->first = at;
    if (at > self->last) self->last = at;
    if (tile > other->user) other->user = tile;
    return;
  }
  if (own) {
    self->bound = true;
    *(at > tile ? &other->kept : &other->held) = true;
  } else {
    self->owes = true;
    atomic_store_explicit(&other->waits, true, memory_order_relaxed); /* its owner may be at it */
  }
}

/* Where a thread's tiles owe loads to others: from `tail` on, in its last quarter, and otherwise before `head`. */
static void plan_share(const ScreeWorld *w, Worker *worker) {
  size_t last_quarter = worker->tile_end - (worker->tile_end - worker->tile) / 4;
  worker->head = worker->tile, worker->tail = worker->tile_end, worker->waits = 0;
  for (size_t t = worker->tile_end; t-- > worker->tile;) {
    worker->waits += w->tile[t].waits;
    if (!w->tile[t].owes) continue;
    if (t >= last_quarter)
      worker->tail = t;
    else if (t >= worker->head)
      worker->head = t + 1;
  }
}

/* Head and tail are done first, and what they owe is worth waiting for, where they are short: elsewhere, in columns for
 * one, tiles that owe lie all along, nothing can be shown before the end, and tiles are done in their order. */
void scree_early_plan(ScreeWorld *w) {
  size_t longest = 0;
  bool is_short = true;
  for (int n = 0; n < w->def.threads; n++) {
    const Worker *worker = w->worker[n];
    plan_share(w, w->worker[n]);
    size_t first = worker->head - worker->tile + worker->tile_end - worker->tail;
    is_short = is_short && 3 * first <= worker->tile_end - worker->tile;
    if (first > longest) longest = first;
  }
  w->held_up = is_short ? 2 * longest : 0;
  for (int n = 0; n < w->def.threads && !is_short; n++)
    w->worker[n]->head = w->worker[n]->tail = w->worker[n]->tile_end;
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

/* m, that grains closed in by in the last step, on each other or on a wall at rest. */
static double step_closed(const ScreeWorld *w) { return fmax(w->bulk.step_closed, w->bulk.step_way); }

/* m, that they may close in by in the next one: much more, or than nothing. */
static double room_for(const ScreeWorld *w) { return 8.0 * step_closed(w) + 0.05 * w->bulk.allowance[0]; }

static bool goes_twice(ScreeWorld *w) {
  double room = room_for(w);
  return !w->ahead && w->meshes == 0 && scree_bodies_rest(w) && !scree_flow_is_due(w, w->step + 2) &&
         deepest_to_come(w) + 1.01 * room / w->min_radius < w->def.max_overlap && scree_list_will_hold(w, room);
}

Pass scree_choose_pass(ScreeWorld *w, long steps) {
  if (steps < 1 || !goes_early(w)) return PASS_ALONE;
  if (steps < 2 || !goes_twice(w)) return PASS_ON;
  w->bulk.room = room_for(w);
  return PASS_TWICE;
}

ScreeStatus scree_confirm_pass(const ScreeWorld *w) {
  if (step_closed(w) <= w->bulk.room && scree_list_holds(w, 0.0) && goes_early(w)) return SCREE_OK;
  return scree_fail(
      SCREE_OUT_OF_RANGE,
      "step %ld: grains move by up to %.4g m against each other, and far less in the step before: a step of "
      "%.4g s is too long for so stiff contacts",
      w->step + 1, step_closed(w), w->dt);
}
