/* early.c: grains that nobody needs any more where they are go on to the next step at once. In a world that does not
 * fit the caches a sweep would read from memory what the pass over the pairs has just written there. So a tile is swept
 * (motion.c) as soon as its contacts are done, while it is in the cache, unless its grains are in pairs of tiles that
 * come after it, or of other threads. Worlds of many grains that lie close are sorted and searched so that few do: in
 * layers (order.c), every pair with its first grain (grid.c). What remains is swept as ever.
 *
 * A step that goes on at once cannot be looked at where it ends. It does so only where nobody will: the next step
 * follows by itself, and no contact can have become too deep, by what grains and walls have closed in by. Every grain
 * is moved by the same loads in the same way: nothing here leaves a trace in the results. */
#include "listing.h"

/* What fits the caches is faster in Morton order, and swept as a whole: of 32,000 grains 12 MB. */
enum { GRAINS_IN_CACHES = 150000 };
size_t scree_early_from = GRAINS_IN_CACHES;

void scree_early_meet(const ScreeWorld *w, const Worker *worker, size_t tile, size_t partner) {
  if (partner >= w->tile[tile].grains && partner < worker->last) return;
  bool own = partner >= worker->first && partner < worker->last;
  size_t other = own ? scree_tile_of(w, worker->tile, tile, partner) : scree_tile_of(w, 0, w->tiles, partner);
  atomic_store_explicit(&w->tile[other].waits, true, memory_order_relaxed); /* its owner may be at it */
}

/* Of the smaller radius: no contact of the step at hand can be deeper. */
static double deepest_to_come(const ScreeWorld *w) {
  double closed = fmax(w->bulk.step_closed, w->bulk.step_way + w->walls_step);
  return w->max_overlap + closed * (1.0 + 1e-6) / w->min_radius;
}

bool scree_goes_early(const ScreeWorld *w) {
  return w->layered && !scree_flow_is_due(w, w->step + 1) && deepest_to_come(w) < w->def.max_overlap;
}
