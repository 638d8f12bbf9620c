/* kernels.c: the pair loop, as many pairs at a time as registers hold. Compiled once per instruction set with SCREE_ISA
 * set to its name.
 *
 * geometry   records of both grains, loaded whole and transposed, of equal grains their difference: overlap, normal,
 *            approach
 * pick       the same of runs of which little touches
 * slide      how surfaces slide, and the histories that lie with the pair, turned with the contact
 * finish     friction and rolling, the work of all forces, and the sums: integers, transposed back and added to the
 *            loads of the grains; of walls (side.c) the histories, too
 *
 * After geometry contact.c begins and ends contacts, after slide it runs the normal law. The groups of a slice
 * share their first grains (runs.c): those are loaded, and their loads added, once per slice.
 *
 * Each stage goes over all groups of a block before the next. Its operations on a group wait for each other, those on
 * the next group for nobody; but the processor sees no further than some 200 operations ahead, a group or two. So
 * geometry, sliding and sums do the second part of their work on a group after the first part of the next one's:
 * neither waits for what has just begun.
 *
 * Divisions and roots go through one unit, nine and sixteen cycles for eight lanes: two and four of them for eight
 * pairs, spread over the stages. */
#include "contact.h"
#include "friction.h"
#include "vectors.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#if defined(SCREE_WITHOUT_LEDGER) /* to measure its price (bench/price.py) */
enum { LEDGER = 0 };
#else
enum { LEDGER = 1 };
#endif

/* Groups between both parts of geometry and sums. Where a group takes several registers they serve as well. */
enum { LATER = WIDTH == 8 };
/* Integers of small numbers are cheaper where no instruction makes them: it is asked first whether all are small. */
enum { SMALL_FIRST = WIDTH < 8 };
#define FETCH(address) __builtin_prefetch(address, 0, 2)

/* ---- geometry ---- */

INLINE bool same_grains(const int32_t *a, const int32_t *b) { return memcmp(a, b, LANES * sizeof *a) == 0; }

/* Periods: lengths, and their inverses. */
typedef struct Periods {
  double length[3], per[3];
  bool has[3];
} Periods;

static Periods periods_of(const ScreeWorld *w) {
  Periods p = {{0.0}, {0.0}, {false}};
  for (int k = 0; k < 3; k++) {
    p.has[k] = w->def.periodic[k];
    if (!p.has[k]) continue;
    p.length[k] = w->def.high[k] - w->def.low[k];
    p.per[k] = 1.0 / p.length[k];
  }
  return p;
}

/* Where they matter. Grains that leave through a period come in on its other side at once (motion.c): from then until
 * the next list any pair may be across. Otherwise a pair's nearest image could change only at half a period, beyond
 * what lists reach (skin.c): neither image touches while the list holds. */
INLINE bool needs_images(const ScreeWorld *w, const Run *run) {
  return run->across || atomic_load_explicit(&w->wrapped, memory_order_relaxed);
}

/* Shortest image of a difference. Pairs of the list are much nearer to each other than half a period. */
INLINE Real image(const Periods *p, int axis, Real dx) {
  return p->has[axis] ? dx - p->length[axis] * whole_of(dx * p->per[axis]) : dx;
}

/* Of the smaller radius. */
INLINE void look_for_deepest(Block *b, Real d, Real smaller) {
  if (bits_of(below(b->max_overlap * smaller, d)) == 0) return; /* as mostly */
  for (int l = 0; l < WIDTH; l++)
    if (d[l] > b->max_overlap * smaller[l]) b->max_overlap = d[l] / smaller[l];
}

/* What lies with eight pairs: nothing else asks for it in time. */
INLINE void fetch_pairs(const Pairs *q, size_t p, bool alike) {
  const char *line = (const char *)&q->eight[p / LANES];
  UNROLLED(size_t k = 0; k < sizeof(Eight) / 64; k++) FETCH(line + 64 * k);
  if (!alike) {
    FETCH(q->k + p);
    FETCH(q->chi + p);
  }
  FETCH(q->press + p);
}

/* The grains of the next tile, those of others that its pairs meet, and its first pairs, before which there are none to
 * fetch them with, come into the second-level cache while this tile is at work; the first level has too few places for
 * lines on their way, and would stall. Within a tile everything is there already. */
INLINE void fetch_ahead(const ScreeWorld *w, Ahead *a) {
  if (a->pair < a->pair_end) {
    fetch_pairs(&w->pairs, a->pair, true); /* of what all have: stiffness and damping follow soon enough */
    a->pair += LANES;
  }
  for (int k = 0; k < a->grains_each; k++, a->grain++) { /* beyond the tile's end is no harm */
    FETCH(&w->record[a->grain]);
    FETCH(&w->turn[a->grain]);
    FETCH(&w->load.four[a->grain]);
  }
  FETCH(&w->load.two[a->grain]); /* of some at once */
  for (int k = 0; k < a->others_each && a->other < a->other_end; k++, a->other++) {
    size_t j = (size_t)w->other[a->other];
    FETCH(&w->record[j]);
    FETCH(&w->turn[j]);
    FETCH(&w->load.four[j]);
    FETCH(&w->load.two[j]);
  }
}

/* Some lanes of a group, before it is known whether any of it touches. */
typedef struct Gap {
  Records first, second;
  Vector dx;
  Real d2, reach;
  Real closing; /* m2/s, the approach times the distance */
} Gap;

/* From the first to the second. */
INLINE void measure_way(const Periods *p, Gap *gap, Vector dx) {
  gap->dx = (Vector){image(p, 0, dx.x), image(p, 1, dx.y), image(p, 2, dx.z)};
  gap->d2 = dot(gap->dx, gap->dx);
}
/* Between grains whose places are known. */
INLINE void measure_gap(const Periods *p, Gap *gap) {
  measure_way(p, gap, minus(gap->second.x, gap->first.x));
  gap->reach = gap->first.r + gap->second.r;
}
INLINE void measure_closing(Gap *gap) { gap->closing = dot(minus(gap->first.v, gap->second.v), gap->dx); }

/* Both, of grains of one radius: nothing but differences counts, and rows are subtracted before they become columns. */
INLINE void measure_even(const Periods *p, const RawRecords *first, const RawRecords *second, Real radius, Gap *gap) {
  gap->first.r = gap->second.r = radius;
  gap->reach = radius + radius;
  measure_way(p, gap, difference_of_rows(second->x, first->x));
  gap->closing = dot(difference_of_rows(first->v, second->v), gap->dx);
}

/* Returns the lanes that touch. `most`: the deepest of each lane, of even runs. */
INLINE unsigned close_in(const Gap *gap, Block *b, size_t s, bool even, Real *most) {
  const Records *first = &gap->first, *second = &gap->second;
  Real distance = root(gap->d2), overlap = gap->reach - distance, per = 1.0 / distance;
  Mask touch = below(splat(0.0), overlap);
  Real d = only(touch, overlap), half = 0.5 * d;
  put(b->d + s, d);
  put(b->per + s, per);
  put(b->arm1 + s, first->r - half);
  if (!even) put(b->arm2 + s, second->r - half);
  put3(COLUMNS(b->n), s, scale(per, gap->dx));
  put(b->v + s, per * gap->closing);
  if (!even) put(b->reff + s, first->r * second->r / gap->reach);
  if (even)
    *most = larger_of(d, *most);
  else
    look_for_deepest(b, d, smaller_of(first->r, second->r));
  return bits_of(touch);
}

/* Lanes that touched in the last step. */
INLINE unsigned known_of(const double *last) { return bits_of(below(splat(0.0), get(last))); }

/* The groups of a block so far. */
typedef struct Closed {
  Gap gap[LANES / WIDTH]; /* of the last one, which is to be closed yet (LATER) */
  unsigned known;
  Real most; /* m, the deepest of each lane, of even runs */
  int active;
  unsigned changes;
} Closed;

INLINE void close_now(Block *b, int g, const Gap *gap, unsigned known, bool even, Closed *all) {
  unsigned touch = 0;
  UNROLLED(int l = 0; l < LANES; l += WIDTH) {
    touch |= close_in(&gap[l / WIDTH], b, (size_t)(g * LANES + l), even, &all->most) << l;
  }
  b->known[g] = (uint8_t)known;
  b->touch[g] = (uint8_t)touch;
  all->changes |= known ^ touch;
  all->active += __builtin_popcount(known | touch);
}

INLINE void close_group(Block *b, int g, const Gap *gap, unsigned known, bool even, Closed *all) {
  if (!LATER) close_now(b, g, gap, known, even, all);
  if (LATER && g > 0) close_now(b, g - 1, all->gap, all->known, even, all);
  if (LATER) memcpy(all->gap, gap, sizeof all->gap), all->known = known;
}

INLINE void close_block(Block *b, int groups, bool even, Closed *all) {
  if (LATER && groups > 0) close_now(b, groups - 1, all->gap, all->known, even, all);
  if (even) look_for_deepest(b, all->most, splat(b->radius));
  b->begins[groups] = true;
  b->groups = groups;
  b->active = all->active;
  b->changes = all->changes;
}

/* The groups of a block follow each other in the list: it ends where nothing touches or touched. */
INLINE size_t geometry_of(const ScreeWorld *w, const Run *run, size_t p, Worker *worker, bool even, bool images) {
  Block *b = &worker->block;
  const Record *record = w->record;
  const Eight *eight = w->pairs.eight + p / LANES, *end = w->pairs.eight + run->end / LANES;
  Periods periods = images ? periods_of(w) : (Periods){0};
  const int32_t *held = NULL;
  Gap gap[LANES / WIDTH] = {0};
  RawRecords own[LANES / WIDTH] = {0};
  Real radius = splat(b->radius);
  Closed all = {0};
  int groups = 0;
  for (; eight < end && groups < GROUPS; eight++) {
    bool fresh = !held || !same_grains(eight->i, held);
    unsigned known = 0, touch = 0;
    held = eight->i;
    UNROLLED(int l = 0; l < LANES; l += WIDTH) {
      Gap *part = &gap[l / WIDTH];
      if (even) {
        if (fresh) own[l / WIDTH] = load_raw(record, eight->i + l);
        RawRecords other = load_raw(record, eight->j + l);
        measure_even(&periods, &own[l / WIDTH], &other, radius, part);
      } else {
        if (fresh) part->first = load_records(record, eight->i + l);
        part->second = load_records(record, eight->j + l);
        measure_gap(&periods, part);
        measure_closing(part);
      }
      known |= known_of(eight->last + l) << l;
      /* sqrt(x * x) = x exactly: what is apart by this test is apart by the next */
      touch |= bits_of(below(part->d2, part->reach * part->reach)) << l;
    }
    if ((known | touch) == 0 && groups > 0) break;
    if ((known | touch) == 0) continue;
    b->begins[groups] = fresh || groups == 0;
    if (groups == 0) scree_block_begin(w, b, (size_t)(eight - w->pairs.eight) * LANES);
    close_group(b, groups++, gap, known, even, &all);
  }
  close_block(b, groups, even, &all);
  return (size_t)(eight - w->pairs.eight) * LANES;
}

static size_t geometry(const ScreeWorld *w, const Run *run, size_t p, Worker *worker) {
  bool even = worker->block.even;
  if (needs_images(w, run))
    return even ? geometry_of(w, run, p, worker, true, true) : geometry_of(w, run, p, worker, false, true);
  return even ? geometry_of(w, run, p, worker, true, false) : geometry_of(w, run, p, worker, false, false);
}

/* ---- runs of which little touches ---- */

/* Only what the gap needs. */
INLINE Records load_places(const Record *record, const int32_t *grain) {
  const double *row[WIDTH];
  Real c[4];
  UNROLLED(int l = 0; l < WIDTH; l++) row[l] = record[grain[l]].x;
  columns4(row, 0, c);
  return (Records){.x = {c[0], c[1], c[2]}, .r = c[3]};
}

/* The groups of a run of which little touches, until there is no room for another one's pairs. */
typedef struct Picking {
  const ScreeWorld *w;
  const Run *run;
  Periods periods;
  Ahead ahead;
  float *wake;             /* of the run's groups */
  double closed, rounding; /* m, what grains have closed in by (bulk.c) */
  double to_come;          /* m, and what they may have since */
  double widest;           /* m */
  const int32_t *held;
  Gap gap[LANES / WIDTH];
} Picking;

/* A bit for each of some groups of a near run from p on: those whose pairs could touch by now. */
INLINE uint64_t awake_from(const Picking *k, size_t p) {
  size_t groups = (k->run->end - p) / LANES;
  uint64_t asleep = 0, all = groups < GROUPS_AT_ONCE ? ((uint64_t)1 << groups) - 1 : UINT64_MAX;
  if (!k->run->near) return all;
  const float *wake = k->wake + (p - k->run->begin) / LANES;
  for (size_t g = 0; g < groups && g < GROUPS_AT_ONCE; g += WIDTH)
    asleep |= (uint64_t)bits_of(below(splat(k->closed + k->to_come), get_floats(wake + g))) << g;
  return all & ~asleep;
}

/* Until what grains close in by is the least gap of the group. Lanes without a pair have none. */
INLINE void put_to_sleep(Picking *k, size_t p) {
  Real least = splat(k->widest);
  UNROLLED(int l = 0; l < LANES / WIDTH; l++) least = smaller_of(root(k->gap[l].d2) - k->gap[l].reach, least);
  k->wake[(p - k->run->begin) / LANES] = (float)((k->closed + (least_of(least) - k->rounding)) * (1.0 - 1e-6));
}

/* The lanes of a group that touch or did. */
INLINE unsigned test_group(Picking *k, size_t p) {
  const Eight *eight = k->w->pairs.eight + p / LANES;
  bool fresh = !k->held || !same_grains(eight->i, k->held);
  unsigned active = 0;
  k->held = eight->i;
  UNROLLED(int l = 0; l < LANES; l += WIDTH) {
    Gap *part = &k->gap[l / WIDTH];
    if (fresh) part->first = load_places(k->w->record, eight->i + l);
    part->second = load_places(k->w->record, eight->j + l);
    measure_gap(&k->periods, part);
    active |= (known_of(eight->last + l) | bits_of(below(part->d2, part->reach * part->reach))) << l;
  }
  return active;
}

/* Lists the pairs from p on that touch or did. Returns where to go on. */
INLINE size_t pick_pairs(Picking *k, size_t p, Pack *pack) {
  int count = 0;
  size_t end = k->run->end;
  while (p < end) {
    uint64_t awake = awake_from(k, p);
    for (uint64_t bits = awake; bits != 0; bits &= bits - 1) {
      const Eight *eight = k->w->pairs.eight + p / LANES + __builtin_ctzll(bits);
      FETCH(eight->i);
      FETCH(eight->last);
    }
    for (; awake != 0; awake &= awake - 1) {
      size_t q = p + (size_t)__builtin_ctzll(awake) * LANES;
      if (count > (GROUPS - 1) * LANES) {
        pack->count = count;
        return q;
      }
      fetch_ahead(k->w, &k->ahead);
      unsigned active = test_group(k, q);
      if (active == 0 && k->run->near) put_to_sleep(k, q);
      count += list_lanes(pack->from + count, q, active);
    }
    p += GROUPS_AT_ONCE * LANES;
  }
  pack->count = count;
  return end;
}

/* Brings together what the listed pairs keep; lanes that are left over are the sentinel's. */
static void pack_pairs(const ScreeWorld *w, Block *b) {
  const Pairs *q = &w->pairs;
  Pack *to = &b->pack;
  bool alike = b->alike;
  for (int s = 0; s < to->count; s++) {
    size_t p = to->from[s];
    KEPT(to, i, s) = KEPT(q, i, p), KEPT(to, j, s) = KEPT(q, j, p);
    if (!alike) to->k[s] = q->k[p], to->chi[s] = q->chi[p];
    KEPT(to, last, s) = KEPT(q, last, p), to->press[s] = q->press[p];
    for (int a = 0; a < 3; a++) KEPT(to, shear[a], s) = KEPT(q, shear[a], p);
    for (int a = 0; a < 3 && w->rolls; a++) to->roll[a][s] = q->roll[a][p];
    if (w->twists) to->twist[s] = q->twist[p];
    for (int a = 0; a < 3 && w->resists; a++) to->torque_prev[a][s] = q->torque_prev[a][p];
    for (int a = 0; a < 3 && w->dashes; a++) to->friction_prev[a][s] = q->friction_prev[a][p];
    for (int a = 0; a < w->constants; a++) to->own[a][s] = q->own[a][p];
    if (w->slots > 0) to->memory[s] = q->memory[p];
  }
  b->groups = (to->count + LANES - 1) / LANES;
  for (int s = to->count; s < b->groups * LANES; s++) {
    KEPT(to, i, s) = KEPT(to, j, s) = (int32_t)w->count;
    to->k[s] = to->chi[s] = KEPT(to, last, s) = to->memory[s] = 0.0;
    to->press[s] = 0.0F;
    for (int a = 0; a < 3; a++) KEPT(to, shear[a], s) = to->roll[a][s] = 0.0;
    to->twist[s] = 0.0;
    for (int a = 0; a < 3; a++) to->torque_prev[a][s] = to->friction_prev[a][s] = 0.0F;
    for (int a = 0; a < 6; a++) to->own[a][s] = 0.0;
  }
  b->packed = true;
  b->at = (Pairs){.eight = to->eight, .press = to->press, .memory = to->memory, .twist = to->twist};
  b->at.k = alike ? b->k : to->k, b->at.chi = alike ? b->chi : to->chi;
  for (int a = 0; a < 3; a++) {
    b->at.roll[a] = to->roll[a], b->at.torque_prev[a] = to->torque_prev[a];
    b->at.friction_prev[a] = w->dashes ? to->friction_prev[a] : NULL;
  }
  for (int a = 0; a < 6; a++) b->at.own[a] = to->own[a];
}

static size_t pick(const ScreeWorld *w, const Run *run, size_t p, Worker *worker) {
  Block *b = &worker->block;
  Picking k = {.w = w,
               .run = run,
               .periods = periods_of(w),
               .ahead = worker->ahead,
               .wake = w->pairs.wake + run->wake,
               .closed = w->bulk.closed[run->hasty],
               .to_come = worker->to_come,
               .rounding = scree_gap_rounding(w),
               .widest = scree_widest_gap(w)};
  Periods periods = k.periods;
  p = pick_pairs(&k, p, &b->pack);
  worker->ahead = k.ahead;
  pack_pairs(w, b);
  Closed all = {0};
  for (int g = 0; g < b->groups; g++) {
    const Eight *eight = &b->at.eight[g];
    Gap gap[LANES / WIDTH];
    unsigned known = 0;
    UNROLLED(int l = 0; l < LANES; l += WIDTH) {
      Gap *part = &gap[l / WIDTH];
      *part = (Gap){.first = load_records(w->record, eight->i + l), .second = load_records(w->record, eight->j + l)};
      measure_gap(&periods, part);
      measure_closing(part);
      known |= known_of(eight->last + l) << l;
    }
    close_group(b, g, gap, known, false, &all);
    b->begins[g] = true;
  }
  close_block(b, b->groups, false, &all);
  return p;
}

/* ---- sliding, and what friction remembers ---- */

/* What contacts remember of friction, turned with them; of a group the lanes from l on. was: the root of the last
 * overlap, of Mindlin's law. mean: of the normals, where both are known. */
INLINE void recall(Block *b, Eight *eight, ScreeLawId law, double stiffness, int g, int l, Real was,
                   const Vector *mean) {
  size_t s = (size_t)(g * LANES + l);
  Vector h = get3(COLUMNS(eight[g].shear), (size_t)l), n = get3(COLUMNS(b->n), s);
  Real turned = get(b->turned + s), shrink, adds;
  if (law == SCREE_LAW_mindlin) {
    soften_mindlin(stiffness, get(b->root + s), was, get(b->root_reff + s), &shrink, &adds);
    put(b->shrink + s, shrink);
    put(b->adds + s, adds);
  }
  put3(COLUMNS(b->rub), s, mean ? turn_history(h, n, *mean, turned) : turn_alone(h, n, turned));
  if (law != SCREE_LAW_tangential_linear || !b->at.friction_prev[0]) return;
  Vector f = get_floats3(b->at.friction_prev, s);
  put3(COLUMNS(b->dash), s, mean ? turn_history(f, n, *mean, turned) : turn_alone(f, n, turned));
}

/* Mindlin's 8 G* over a step; a quarter of it, for two means are taken as sums. */
INLINE double stiffness_of(const ScreeWorld *w, const Class *c) {
  return 8.0 * c->def.pair.param[SCREE_PARAM_Gstar] * (0.25 * scree_contact_dt(w));
}

INLINE Real root_before(const Eight *eight, ScreeLawId law, int l) {
  return law == SCREE_LAW_mindlin ? root_or_none(get(eight->last + l)) : splat(0.0);
}

INLINE void recall_groups(const ScreeWorld *w, const Class *c, Block *b, ScreeLawId law) {
  double stiffness = stiffness_of(w, c);
  bool alike = b->alike;
  Eight *eight = b->at.eight;
  for (int g = 0; g < b->groups; g++) {
    fetch_pairs(&b->at, (size_t)((g + FAR) * LANES), alike);
    UNROLLED(int l = 0; l < LANES; l += WIDTH) {
      recall(b, eight, law, stiffness, g, l, root_before(&eight[g], law, l), NULL);
    }
  }
}

/* Where surfaces slide, roots of the overlap for the laws, which wait least for them here, and, one group later, what
 * friction remembers. Where a group takes several registers each of them goes through all groups before the next: what
 * a slice has in common stays in registers. */
INLINE void slide_groups(const ScreeWorld *w, const Class *c, Block *b, ScreeLawId law, bool rolls) {
  const Turn *turn = w->turn;
  Eight *eight = b->at.eight;
  const double *arm2 = scree_second_arm(b);
  double half_step = 0.5 * scree_contact_dt(w), stiffness = stiffness_of(w, c);
  bool uneven = !b->even, alike = b->alike, slides = law != SCREE_LAW_NONE, fetches = !b->packed;
  for (int l = 0; l < LANES; l += WIDTH) {
    Turns own = {0};
    Real was = {0};
    Vector mean = {{0}, {0}, {0}};
    for (int g = 0, groups = b->groups; g < groups; g++) {
      size_t s = (size_t)(g * LANES + l);
      bool begins = b->begins[g];
      if (fetches && l == 0) fetch_pairs(&b->at, (size_t)((g + FAR) * LANES), alike);
      Real once = root(get(b->d + s));
      put(b->root + s, once);
      put(b->fourth + s, root(once));
      if (!slides && !rolls) continue;
      if (uneven) put(b->root_reff + s, root(get(b->reff + s)));
      if (begins) own = load_turns(turn, eight[g].i + l);
      Turns second = load_turns(turn, eight[g].j + l);
      Surfaces at = surfaces_of(half_step, &own, &second, get3(COLUMNS(b->n), s), get(b->arm1 + s), get(arm2 + s),
                                get(b->per + s));
      put3(COLUMNS(b->slide), s, at.slide);
      put(b->turned + s, at.turned);
      if (rolls) put3(COLUMNS(b->spin), s, at.spin);
      if (!slides) continue;
      if (g > 0) recall(b, eight, law, stiffness, g - 1, l, was, &mean);
      was = root_before(&eight[g], law, l), mean = at.mean;
    }
    if (slides) recall(b, eight, law, stiffness, b->groups - 1, l, was, &mean);
  }
}

/* One loop for each law of friction. */
INLINE void slide_law(const ScreeWorld *w, const Class *c, Block *b, bool rolls) {
  switch (c->def.tangential) {
  case SCREE_LAW_mindlin: slide_groups(w, c, b, SCREE_LAW_mindlin, rolls); break;
  case SCREE_LAW_tangential_linear: slide_groups(w, c, b, SCREE_LAW_tangential_linear, rolls); break;
  case SCREE_LAW_coulomb: slide_groups(w, c, b, SCREE_LAW_coulomb, rolls); break;
  default: slide_groups(w, c, b, SCREE_LAW_NONE, rolls); break;
  }
}

static void slide(const ScreeWorld *w, const Run *run, Block *b) {
  const Class *c = scree_class_of(w, run->a, run->b);
  if (scree_rolls(c))
    slide_law(w, c, b, true);
  else
    slide_law(w, c, b, false);
}

/* Those of a group from l on. */
INLINE unsigned lanes_of(unsigned bits, int l) { return bits >> l & ((1U << WIDTH) - 1); }

/* ---- latched speeds ---- */

/* Damping that latches the impact speed goes as 1/v0. In a free impact the overlap never exceeds the elastic one at v0;
 * a contact that began slowly and is pressed later would be damped beyond all measure. So the latched speed is at least
 * the one whose elastic impact reaches the present overlap, v^2 = 2 K d^(n+1)/((n+1) m): free impacts keep their law to
 * the bit, and a pressed contact is damped as an impact of its own depth. Such pairs are never alike (runs.c): each has
 * a damping of its own, in the list. */
static void latch(ScreeWorld *w, const Run *run, Block *b) {
  const Class *c = scree_class_of(w, run->a, run->b);
  Pairs *q = &b->at;
  for (int s = 0; s < b->groups * LANES; s += WIDTH) {
    Real d = get(b->d + s), chi = get(q->chi + s), power = d * d;
    if (c->n == 1.5)
      power *= root(d);
    else if (c->n != 1.0)
      for (int l = 0; l < WIDTH; l++) power[l] = pow(d[l], c->n + 1.0);
    Real v2 = 2.0 / (c->n + 1.0) * get(q->k + s) * power * inverse_masses(w, run, &KEPT(q, i, s), &KEPT(q, j, s)),
         latched = chi - c->rate;
    Mask rises = both(mask_of(lanes_of(b->touch[s / LANES], s % LANES)),
                      below(splat(c->latch * c->latch), latched * latched * v2));
    if (bits_of(rises) == 0) continue;
    chi = choose(rises, c->latch / root(v2) + c->rate, chi);
    put(q->chi + s, chi);
  }
}

/* ---- sums ---- */

/* Force and torque of some grains, in units. */
typedef struct Sum {
  Int c[6];
} Sum;

/* Grains of other threads, whose loads have to wait, and lanes without one. */
static __attribute__((noinline, cold)) void scatter_some(Worker *worker, const int32_t *grain, unsigned touch,
                                                         const Sum *sum) {
  Rows rows = rows_of(sum->c);
  for (; touch != 0; touch &= touch - 1) {
    int l = __builtin_ctz(touch);
    size_t g = (size_t)grain[l];
    bool own = g >= worker->sums.first && g < worker->sums.last;
    if (own) {
      add_row(worker->sums.load.four[g], worker->sums.load.two[g], &rows, l);
      continue;
    }
    Elsewhere *owed = scree_owe(worker, grain[l]);
    if (owed) write_row(owed->four, owed->two, &rows, l);
  }
}

/* The thread's sums, in the registers. */
typedef struct Own {
  Loads load;
  uint32_t first, count;
} Own;

/* Those of its border, and which of them the second grains of a block add to. */
typedef struct Beyond {
  Own sums;
  const int32_t (*slot)[LANES];
} Beyond;

/* Adds to the grains' loads; lanes that do not touch add nothing. */
INLINE void scatter(Worker *worker, Own own, const int32_t *grain, unsigned touch, Sum sum) {
  if (all_below(grain, own.first, own.count)) {
    Rows rows = rows_of(sum.c);
    UNROLLED(int l = 0; l < WIDTH; l++) add_row(own.load.four[grain[l]], own.load.two[grain[l]], &rows, l);
  } else {
    Sum copy = sum; /* its address must not keep the others from registers */
    scatter_some(worker, grain, touch, &copy);
  }
}

/* Force and torque on a wall about its body's reference point, of lanes that touch; t: couples, of rolling and
 * twisting.
 */
static void push_walls(ScreeWorld *w, Worker *worker, const int32_t *j, unsigned touch, Int fx, Int fy, Int fz,
                       const Int *t, const Block *b, int s) {
  double per = w->torque_unit / w->force_unit * w->wall_arm;
  for (; touch != 0; touch &= touch - 1) {
    int l = __builtin_ctz(touch);
    Wide *sum = worker->now.wall[-1 - j[l]];
    double f[3] = {(double)fx[l], (double)fy[l], (double)fz[l]};
    double at[3] = {b->lever[0][s + l], b->lever[1][s + l], b->lever[2][s + l]};
    for (int k = 0; k < 3; k++) {
      int y = (k + 1) % 3, z = (k + 2) % 3;
      sum[k] += k == 0 ? fx[l] : k == 1 ? fy[l] : fz[l];
      sum[3 + k] += llrint((at[y] * f[z] - at[z] * f[y]) * w->wall_arm + (double)t[k][l] * per);
    }
  }
}

/* Work on the triangles of meshes that wear. */
static void wear_out(ScreeWorld *w, Worker *worker, size_t p, unsigned touch, Int normal, Int shear) {
  for (; touch != 0; touch &= touch - 1) {
    int l = __builtin_ctz(touch);
    scree_wear(w, worker, p + (size_t)l, normal[l], shear[l]);
  }
}

typedef struct Work {
  Int normal, tangential, rolling;
} Work;

/* A block on its way. */
typedef struct Finish {
  double per_force, per_torque; /* units, inverted */
  double mu;
  double pressed, rubbed; /* from force times way, and from force times speed, to units of work */
  double small2; /* N^2: below, forces and torques are less than 2^51 units: an arm is at most the largest radius */
  double light2; /* N^2: below, no sum runs over (bounds.c) */
  bool large;    /* some are not small */
  ScreeWorld *w;
  const Run *run;
  const Class *c;
  Worker *worker;
  Work work;
} Finish;

INLINE Friction friction(const Finish *f, ScreeLawId law, int s, Vector slide, Real limit, bool often) {
  Block *b = &f->worker->block;
  Vector h = get3(COLUMNS(b->rub), (size_t)s);
  if (law == SCREE_LAW_coulomb) return coulomb(f->w, f->run, f->c, &b->at, s, h, slide, limit);
  if (law == SCREE_LAW_mindlin) return mindlin(h, slide, get(b->shrink + s), get(b->adds + s), limit, often, &b->slips);
  return linear(f->w, f->c, b, s, h, slide, limit);
}

/* Whether friction remembers its force itself. */
INLINE bool keeps_force(ScreeLawId law) { return law == SCREE_LAW_mindlin || law == SCREE_LAW_coulomb; }

INLINE Int units(Mask touch, Real x, bool large) { return large ? nearest(touch, x) : nearest_small(touch, x); }

/* Adds to some work; returns what. */
INLINE Int book(Int *work, Mask touch, Real x, bool large) {
  Int booked = units(touch, x, large);
  *work = sum_of(*work, booked);
  return booked;
}

/* The forces and their work. Laws for what slides, and whether anything rolls: the same of a whole run. */
INLINE void rub(Finish *f, Work *work, int g, int l, ScreeLawId law, bool walls, bool rolls, bool often) {
  ScreeWorld *w = f->w;
  Worker *worker = f->worker;
  Block *b = &worker->block;
  Pairs *q = &b->at;
  Eight *eight = &q->eight[g];
  int s = g * LANES + l;
  size_t p = (size_t)s, part = (size_t)l;
  unsigned lanes = lanes_of(b->touch[g], l);
  Mask touch = mask_of(lanes);
  Real force = get(b->force + s), d = get(b->d + s), last = get(eight->last + part), size2 = force * force;
  force = only(both(touch, below(splat(0.0), force)), force); /* no attraction */
  Real press = {0}, pressed = {0}, rubbed = {0};              /* and work */
  Int normal = {0}, tangential = {0};
  if (LEDGER) {
    press = get_floats(q->press + p);
    /* Work over the approach by the mean of both forces, as in Verlet's own energy balance. */
    pressed = (press + force) * (d - last) * f->pressed;
    if (!SMALL_FIRST) normal = book(&work->normal, touch, pressed, false);
    unsigned idle = bits_of(both(touch, equal(force + press, splat(0.0)))); /* neither is negative */
    for (; idle != 0; idle &= idle - 1)
      scree_give_up(w, worker, f->c, q, p + (size_t)__builtin_ctz(idle), b->d[s + __builtin_ctz(idle)]);
    put_floats(q->press + p, force);
  }
  put(b->force + s, force);
  if (law != SCREE_LAW_NONE) {
    Vector slide = get3(COLUMNS(b->slide), (size_t)s);
    Real limit = f->mu * force;
    if (walls) limit *= get(b->grip + s);
    Friction drag = friction(f, law, s, slide, limit, often);
    put3(COLUMNS(eight->shear), part, only3(touch, drag.history));
    if (law == SCREE_LAW_tangential_linear && f->c->dashes) put_floats3(q->friction_prev, p, only3(touch, drag.force));
    if (!keeps_force(law)) put3(COLUMNS(b->rub), (size_t)s, drag.force);
    if (LEDGER) rubbed = dot(plus(drag.before, drag.force), slide) * f->rubbed;
    if (LEDGER && !SMALL_FIRST) tangential = book(&work->tangential, touch, rubbed, false);
    size2 += drag.size2;
  }
  if (rolls) {
    Vector n = get3(COLUMNS(b->n), (size_t)s);
    Surfaces at = {.spin = get3(COLUMNS(b->spin), (size_t)s), .turned = get(b->turned + s)};
    Vector then = get_floats3(q->torque_prev, p), torque = resist(w, f->run, f->c, b, s, n, &at, force);
    put3(COLUMNS(b->resist), (size_t)s, torque);
    put_floats3(q->torque_prev, p, only3(touch, torque));
    work->rolling = sum_of(work->rolling, nearest(touch, dot(plus(then, torque), at.spin) * f->rubbed));
    double per = w->force_unit / w->torque_unit;
    size2 += dot(torque, torque) * (per * per);
  }
  /* A heavy contact may not fit into the integer sums (bounds.c); NaN counts as heavy, since it would become any
   * integer. */
  Real work2 = LEDGER ? pressed * pressed + rubbed * rubbed : splat(0.0);
  unsigned heavy = bits_of(except(touch, both(below(size2, splat(f->light2)), below(work2, splat(0x1p114)))));
  if (SMALL_FIRST) {
    Mask small = both(below(size2, splat(f->small2)), below(work2, splat(0x1p102)));
    bool large = bits_of(except(touch, small)) != 0;
    if (large) f->large = true;
    if (LEDGER) normal = book(&work->normal, touch, pressed, large);
    if (LEDGER) tangential = book(&work->tangential, touch, rubbed, large);
  }
  for (; heavy != 0; heavy &= heavy - 1) {
    int h = __builtin_ctz(heavy);
    double most = fmax(fabs(pressed[h]), fabs(rubbed[h]));
    scree_note_heavy(w, worker, scree_place_of(b, s + h), size2[h], most);
    if (most < 0x1p57) continue;
    /* to the sums of 128 bits, and away from those of 64 */
    *(f->c->plastic ? &worker->now.tally.plastic : &worker->now.tally.viscous) += normal[h];
    worker->now.tally.tangential += tangential[h];
    work->normal[h] -= normal[h], work->tangential[h] -= tangential[h];
  }
  put(eight->last + part, d);
  if (walls && w->wearing > 0) wear_out(w, worker, scree_place_of(b, s), lanes, normal, tangential);
}

INLINE void rub_groups(Finish *f, ScreeLawId law, bool walls, bool rolls, bool often) {
  const Block *b = &f->worker->block;
  Work work = f->work;
  Ahead ahead = f->worker->ahead;
  bool fetches = !walls && !b->packed;
  for (int g = 0, groups = b->groups; g < groups; g++) {
    UNROLLED(int l = 0; l < LANES; l += WIDTH) rub(f, &work, g, l, law, walls, rolls, often);
    if (fetches) fetch_ahead(f->w, &ahead);
  }
  f->worker->ahead = ahead;
  f->work = work;
}

/* Forces in units, those on the second grain; torques on both. */
typedef struct Units {
  Int force[3], first[3], second[3];
} Units;

INLINE Units units_of(double per_force, double per_torque, const Block *b, const Eight *eight, int g, int l, Mask touch,
                      ScreeLawId law, bool rolls, bool even, bool large) {
  Block *m = (Block *)b;
  Eight *e = (Eight *)eight;
  size_t s = (size_t)(g * LANES + l);
  Vector n = get3(COLUMNS(m->n), s), push = scale(get(b->force + s) * per_force, n);
  Units u = {0};
  if (law != SCREE_LAW_NONE) {
    Vector rub = keeps_force(law) ? get3(COLUMNS(e->shear), (size_t)l) : get3(COLUMNS(m->rub), s);
    Vector turn = cross(n, rub);
    Vector one = scale(get(b->arm1 + s) * per_torque, turn);
    u.first[0] = units(touch, one.x, large), u.first[1] = units(touch, one.y, large);
    u.first[2] = units(touch, one.z, large);
    memcpy(u.second, u.first, sizeof u.first);
    if (!even) {
      Vector two = scale(get(b->arm2 + s) * per_torque, turn);
      u.second[0] = units(touch, two.x, large), u.second[1] = units(touch, two.y, large);
      u.second[2] = units(touch, two.z, large);
    }
    push = minus(push, scale(splat(per_force), rub));
  }
  if (rolls) {
    Vector torque = scale(splat(per_torque), get3(COLUMNS(m->resist), s));
    Int extra[3] = {units(touch, torque.x, large), units(touch, torque.y, large), units(touch, torque.z, large)};
    for (int k = 0; k < 3; k++) {
      u.first[k] = sum_of(u.first[k], extra[k]);
      u.second[k] = difference_of(u.second[k], extra[k]);
    }
  }
  u.force[0] = units(touch, push.x, large), u.force[1] = units(touch, push.y, large);
  u.force[2] = units(touch, push.z, large);
  return u;
}

/* What some lanes of a group give to the grains: to the second ones; of their slice to the first ones, where it ends.
 */
typedef struct Gift {
  Sum other, own;
  unsigned touch; /* lanes of the slice that touch */
} Gift;

INLINE void give(ScreeWorld *w, Worker *worker, const Eight *eight, Own loads, const Beyond *beyond, int g, int l,
                 Gift gift, bool ends, bool walls) {
  const Block *b = &worker->block;
  const Int *o = gift.other.c;
  unsigned touch = lanes_of(b->touch[g], l);
  if (walls)
    push_walls(w, worker, eight[g].j + l, touch, o[0], o[1], o[2], o + 3, b, g * LANES + l);
  else if (beyond)
    scatter(worker, beyond->sums, beyond->slot[g] + l, touch, gift.other);
  else
    scatter(worker, loads, eight[g].j + l, touch, gift.other);
  if (ends) scatter(worker, loads, eight[g].i + l, gift.touch, gift.own);
}

/* Of a run whose second grains are another thread's. */
INLINE Beyond beyond_of(const Finish *f) {
  const Worker *worker = f->worker;
  const Border *border = worker->sums.border;
  Elsewheres *owed = &worker->now.owed[worker->now.late];
  size_t group = (size_t)(worker->block.at.eight - &f->w->pairs.eight[f->run->begin / LANES]);
  owed->summed = true;
  return (Beyond){{owed->sum, 0, (uint32_t)border->grains},
                  (const int32_t(*)[LANES])border->slot + f->run->border + group};
}

/* Adds to the grains what they have to bear: to the first ones once per slice. */
INLINE void add_groups(Finish *f, const Beyond *beyond, ScreeLawId law, bool walls, bool rolls, bool even, bool large) {
  ScreeWorld *w = f->w; /* what is stored might change the pointers, for all the compiler knows */
  Worker *worker = f->worker;
  const Block *b = &worker->block;
  const Eight *eight = b->at.eight;
  double per_force = f->per_force, per_torque = f->per_torque;
  const Sums *sums = &worker->sums;
  Own loads = {sums->load, (uint32_t)sums->first, (uint32_t)(sums->last - sums->first)};
  int groups = b->groups;
  for (int l = 0; l < LANES; l += WIDTH) { /* as in sliding */
    Gift gift = {0};
    for (int g = 0; g < groups; g++) {
      bool begins = b->begins[g];
      unsigned touch = lanes_of(b->touch[g], l);
      Units u = units_of(per_force, per_torque, b, &eight[g], g, l, mask_of(touch), law, rolls, even, large);
      if (LATER && g > 0) give(w, worker, eight, loads, beyond, g - 1, l, gift, begins, walls);
      if (begins) gift.own = (Sum){0}, gift.touch = 0;
      gift.touch |= touch;
      for (int k = 0; k < 3; k++) {
        gift.own.c[k] = difference_of(gift.own.c[k], u.force[k]);
        gift.own.c[3 + k] = sum_of(gift.own.c[3 + k], u.first[k]);
        gift.other.c[k] = u.force[k], gift.other.c[3 + k] = u.second[k];
      }
      if (!LATER) give(w, worker, eight, loads, beyond, g, l, gift, b->begins[g + 1], walls);
    }
    if (LATER) give(w, worker, eight, loads, beyond, groups - 1, l, gift, true, walls);
  }
}

INLINE void finish_all(Finish *f, ScreeLawId law, bool walls, bool rolls) {
  if (walls && law != SCREE_LAW_NONE) recall_groups(f->w, f->c, &f->worker->block, law);
  if (f->run->slips && law == SCREE_LAW_mindlin && !walls && !rolls)
    rub_groups(f, law, walls, rolls, true);
  else
    rub_groups(f, law, walls, rolls, false);
  if (f->worker->now.tally.lost > 0) return; /* the run ends here: no sum of nonsense */
  bool even = f->worker->block.even, large = SMALL_FIRST && f->large;
  if (!walls && f->run->away && !f->run->sparse && f->worker->sums.border) {
    Beyond beyond = beyond_of(f);
    add_groups(f, &beyond, law, walls, rolls, even, large);
  } else if (large)
    add_groups(f, NULL, law, walls, rolls, even, true);
  else if (!walls && !rolls && even)
    add_groups(f, NULL, law, walls, rolls, true, false);
  else
    add_groups(f, NULL, law, walls, rolls, even, false);
}

/* One loop for each law of friction; what rolls is rarer and dearer, and decides by itself. */
INLINE void finish_law(Finish *f, bool walls, bool rolls) {
  switch (f->c->def.tangential) {
  case SCREE_LAW_mindlin: finish_all(f, SCREE_LAW_mindlin, walls, rolls); break;
  case SCREE_LAW_tangential_linear: finish_all(f, SCREE_LAW_tangential_linear, walls, rolls); break;
  case SCREE_LAW_coulomb: finish_all(f, SCREE_LAW_coulomb, walls, rolls); break;
  default: finish_all(f, SCREE_LAW_NONE, walls, rolls); break;
  }
}

static void finish_grains(Finish *f) { finish_law(f, false, false); }
static void finish_rolling(Finish *f) { finish_law(f, false, true); }
static void finish_walls(Finish *f) { finish_law(f, true, false); }
static void finish_rolling_walls(Finish *f) { finish_law(f, true, true); }

static void finish(ScreeWorld *w, const Run *run, Worker *worker) {
  const Class *c = scree_class_of(w, run->a, run->b);
  Finish f = {.per_force = 1.0 / w->force_unit,
              .per_torque = 1.0 / w->torque_unit,
              .mu = c->def.pair.param[SCREE_PARAM_mu],
              .pressed = w->starting ? 0.0 : 0.5 / w->energy_unit,
              .rubbed = -0.5 * scree_contact_dt(w) / w->energy_unit,
              .light2 = w->light2,
              .w = w,
              .run = run,
              .c = c,
              .worker = worker};
  double small = 0x1p48 * fmin(w->force_unit, w->torque_unit / w->max_radius);
  f.small2 = small * small;
  bool rolls = scree_rolls(c);
  if (run->walls)
    rolls ? finish_rolling_walls(&f) : finish_walls(&f);
  else
    rolls ? finish_rolling(&f) : finish_grains(&f);
  *(c->plastic ? &worker->now.tally.plastic : &worker->now.tally.viscous) += total(f.work.normal);
  worker->now.tally.tangential += total(f.work.tangential);
  worker->now.tally.rolling += total(f.work.rolling);
}

extern const Kernels JOIN(scree_dem_kernels_, SCREE_ISA);
const Kernels JOIN(scree_dem_kernels_, SCREE_ISA) = {geometry, pick, slide, latch, finish};
