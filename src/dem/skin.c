/* skin.c: how far the list reaches beyond those that touch, and when it should be made anew though it holds. A wide
 * skin makes it last, a narrow one makes it short. Bits do not depend on either. */
#include "listing.h"

/* How many pairs of grains the list holds that do not touch, and how their number grows with the skin: of some grains.
 */
void scree_skin_observe(const Rebuild *b) {
  enum { SAMPLES = 512 };
  ScreeWorld *w = b->w;
  size_t stride = w->count / SAMPLES + 1, grains = 0, near = 0, close = 0;
  for (size_t i = 0; i < w->count; i += stride, grains++) {
    size_t tile = scree_tile_of(w, 0, w->tiles, i), to = scree_found_end(b, tile, i);
    const Found *f = &b->found[b->search[tile].by];
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
void scree_skin_adapt(ScreeWorld *w, bool forced) {
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
