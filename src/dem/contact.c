/* contact.c: from positions to forces, of one tile. Its runs are taken in blocks: overlaps and relative motion of the
 * pairs (kernels.c), contacts that begin and end, the normal law over the whole block, then friction, rolling, work and
 * the sums (kernels.c). Which tiles, by whom and when: pass.c. */
#include "contact.h"

#include <stdio.h>
#include <string.h>

#include "core/status.h"

static const Kernels *const kernel_table[] = {
#define KERNELS_OF(isa, name) &scree_dem_kernels_##isa,
    SCREE_ISA_LIST(KERNELS_OF)
#undef KERNELS_OF
};

static SideKernel *const *const side_table[] = {
#define SIDE_OF(isa, name) &scree_dem_side_##isa,
    SCREE_ISA_LIST(SIDE_OF)
#undef SIDE_OF
};

size_t scree_sides(const ScreeWorld *w, const Run *run, size_t p, Worker *worker) {
  return (*side_table[scree_isa_current()])(w, run, p, worker);
}

static int64_t to_units(double value, double unit) { return llrint(value / unit); }

/* ---- birth and death ---- */

static bool same(const Record *a, const Record *b) { return a->r == b->r && a->m == b->m; }

/* The prepared pair, from the last few if one is the same. */
static ScreeStatus prepared(const ScreeWorld *w, Worker *worker, const Run *run, int32_t i, int32_t j,
                            const ScreePair **pair) {
  static const Record none;
  const Class *c = scree_class_of(w, run->a, run->b);
  const Record *first = &w->record[i], *second = j < 0 ? &none : &w->record[j];
  int ma = w->turn[i].material, mb = scree_material_of(w, j); /* in the order of the grains, not of the run */
  Recent *slot = &worker->recent[(size_t)(ma + 3 * mb + 2 * run->walls) % 4];
  *pair = &slot->pair;
  if (slot->class == c && slot->material == ma && slot->wall == run->walls && same(&slot->first, first) &&
      same(&slot->second, second))
    return SCREE_OK;
  slot->class = NULL;
  SCREE_TRY(scree_contact_pair(w, c, ma, mb, first, j < 0 ? NULL : second, &slot->pair));
  *slot = (Recent){c, *first, *second, ma, run->walls, slot->pair};
  return SCREE_OK;
}

/* In the middle of the step: how fast the overlap grows. */
static double approach(const ScreeWorld *w, int32_t i, int32_t j, const Block *b, int s) {
  double u = 0.0, wall[3] = {0.0, 0.0, 0.0};
  if (j < 0 && scree_body_of(w, -1 - j)->moves) {
    Surface surface =
        scree_surface(&scree_body_of(w, -1 - j)->frame, (double[]){b->lever[0][s], b->lever[1][s], b->lever[2][s]});
    memcpy(wall, surface.u, sizeof wall);
  }
  const double *other = j < 0 ? wall : w->turn[j].v;
  for (int k = 0; k < 3; k++) u += (w->turn[i].v[k] - other[k]) * b->n[k][s];
  return u;
}

/* Of runs that are alike the block has what all pairs have, and nothing is brought back from it: what lies with the
 * pair tells others whether it is in touch, and in a step changes only here. */
static void keep_stiffness(ScreeWorld *w, Block *b, int s, double k, double chi) {
  size_t p = scree_place_of(b, s);
  if (b->alike)
    w->pairs.k[p] = k, w->pairs.chi[p] = chi;
  else
    b->at.k[s] = k, b->at.chi[s] = chi;
}

/* Memory that flows with time (jian, xiong) has flowed since the touch, which fell within the step: `last` is how far
 * apart the surfaces were before it. */
static double flowed(const ScreeWorld *w, const Class *c, const ScreeLaw *law, double d, double v, double last) {
  double begin = 0.0;
  if (c->slots == 0 || c->plastic) return 0.0;
  return 0.5 * scree_contact_dt(w) * d / (d - last) *
         (scree_law_rate(c->def.normal, law, 0.0, v, &begin) + scree_law_rate(c->def.normal, law, d, v, &begin));
}

static ScreeStatus begin_contact(ScreeWorld *w, Worker *worker, const Run *run, int s) {
  Block *b = &worker->block;
  Pairs *q = &b->at;
  size_t p = (size_t)s;
  const ScreePair *pair;
  double memory[SCREE_MAX_SLOTS] = {0.0};
  SCREE_TRY(prepared(w, worker, run, KEPT(q, i, p), KEPT(q, j, p), &pair));
  /* A contact that begins while separating would latch no damping at all; its speed rises with the overlap. */
  double v0 = scree_class_of(w, run->a, run->b)->latch > 0.0 ? fmax(b->v[s], pair->min_speed) : b->v[s];
  ScreeLaw law = scree_law_touch(pair, v0, memory);
  keep_stiffness(w, b, s, law.k, law.chi);
  KEPT(q, last, p) =
      fmin(b->d[s] - approach(w, KEPT(q, i, p), KEPT(q, j, p), b, s) * scree_contact_dt(w), 0.0); /* apart, before */
  q->press[p] = 0.0F;
  for (int k = 0; k < 3; k++) KEPT(q, shear[k], p) = 0.0;
  for (int k = 0; k < 3 && w->rolls; k++) q->roll[k][p] = 0.0;
  if (w->twists) q->twist[p] = 0.0;
  for (int k = 0; k < 3 && w->resists; k++) q->torque_prev[k][p] = 0.0F;
  for (int k = 0; k < 3 && w->dashes; k++) q->friction_prev[k][p] = 0.0F;
  for (int k = 0; k < w->constants; k++) q->own[k][p] = law.u[k];
  if (w->slots > 0)
    q->memory[p] = memory[0] + flowed(w, scree_class_of(w, run->a, run->b), &law, b->d[s], b->v[s], KEPT(q, last, p));
  return SCREE_OK;
}

void scree_give_up(const ScreeWorld *w, Worker *worker, const Class *c, const Pairs *q, size_t p, double overlap) {
  if (c->plastic || !(KEPT(q, last, p) > 0.0)) return;
  double before = scree_stored(w, c, q, p, KEPT(q, last, p)),
         after = overlap > 0.0 ? scree_stored(w, c, q, p, overlap) : 0.0;
  worker->now.tally.clamp += to_units(before - after, w->energy_unit);
}

void scree_end_contact(const ScreeWorld *w, Worker *worker, const Class *c, const Pairs *q, size_t p, double v,
                       const double *slide) {
  Tally *t = &worker->now.tally;
  double press = (double)q->press[p];
  int64_t work = to_units(0.5 * press * v * w->dt, w->energy_unit);
  if (c->plastic)
    t->plastic += work;
  else
    t->viscous += work;
  if (press == 0.0) scree_give_up(w, worker, c, q, p, 0.0);
  if (c->def.tangential == SCREE_LAW_NONE) return;
  double friction[3];
  scree_friction_prev(c, q, p, friction);
  t->tangential += to_units(-0.5 * scree_dot(friction, slide) * w->dt, w->energy_unit);
}

void scree_end_rolling(const ScreeWorld *w, Worker *worker, const Class *c, const Pairs *q, size_t p,
                       const double *spin) {
  if (!scree_rolls(c)) return;
  double torque[3] = {(double)q->torque_prev[0][p], (double)q->torque_prev[1][p], (double)q->torque_prev[2][p]};
  worker->now.tally.rolling += to_units(-0.5 * scree_dot(torque, spin) * w->dt, w->energy_unit);
}

/* Of a lane that no longer touches: how its surfaces slide, and the spin of the first grain relative to the second. */
static void parting(const ScreeWorld *w, const Block *b, int s, double *slide, double *spin) {
  int32_t j = KEPT(&b->at, j, s);
  const Turn *first = &w->turn[KEPT(&b->at, i, s)], *second = j < 0 ? NULL : &w->turn[j];
  const double arm1 = b->arm1[s], arm2 = scree_second_arm(b)[s];
  double n[3] = {b->n[0][s], b->n[1][s], b->n[2][s]}, along = 0.0;
  for (int k = 0; k < 3; k++) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    if (j < 0) {
      slide[k] = b->slide[k][s], spin[k] = b->spin[k][s];
      continue;
    }
    double sy = arm1 * first->w[y] + arm2 * second->w[y], sz = arm1 * first->w[z] + arm2 * second->w[z];
    slide[k] = first->v[k] - second->v[k] + (sy * n[z] - sz * n[y]);
    spin[k] = first->w[k] - second->w[k];
    along += slide[k] * n[k];
  }
  for (int k = 0; k < 3; k++) slide[k] -= along * n[k];
}

/* The last work of a contact wears the triangle it ends on, too. */
static void end_one(const ScreeWorld *w, Worker *worker, const Class *c, int s, double u, const double *slide) {
  const Block *b = &worker->block;
  Tally *t = &worker->now.tally;
  Wide normal = t->viscous + t->plastic, shear = t->tangential;
  scree_end_contact(w, worker, c, &b->at, (size_t)s, u, slide);
  if (w->wearing > 0 && KEPT(&b->at, j, s) < 0)
    scree_wear(w, worker, scree_place_of(b, s), (int64_t)(t->viscous + t->plastic - normal),
               (int64_t)(t->tangential - shear));
}

/* By their ids, the smaller one first; walls after grains. */
static bool comes_first(const ScreeWorld *w, size_t p, size_t q) {
  uint64_t id[2][2];
  for (int k = 0; k < 2; k++) {
    int32_t i = KEPT(&w->pairs, i, k ? q : p), j = KEPT(&w->pairs, j, k ? q : p);
    uint64_t a = w->turn[i].id, b = j < 0 ? UINT64_MAX + 1 + (uint64_t)j : w->turn[j].id;
    id[k][0] = b < a ? b : a, id[k][1] = b < a ? a : b;
  }
  return id[0][0] != id[1][0] ? id[0][0] < id[1][0] : id[0][1] < id[1][1];
}

size_t scree_first_lost(const ScreeWorld *w, size_t a, size_t b) {
  if (a == 0 || b == 0) return a + b;
  return comes_first(w, a - 1, b - 1) ? a : b;
}

void scree_note_heavy(const ScreeWorld *w, Worker *worker, size_t pair, double size2, double work) {
  Tally *t = &worker->now.tally;
  double most = 0x1p61 * w->force_unit;
  if (!(size2 < most * most) || !(work < 0x1p62))
    t->lost = scree_first_lost(w, t->lost, pair + 1);
  else
    t->heaviest2 = fmax(t->heaviest2, size2);
}

static ScreeStatus begin_and_end(ScreeWorld *w, Worker *worker, const Run *run) {
  Block *b = &worker->block;
  const Class *c = scree_class_of(w, run->a, run->b);
  for (int g = 0; g < b->groups; g++) {
    for (unsigned bits = b->touch[g] & ~(unsigned)b->known[g]; bits != 0; bits &= bits - 1) {
      int l = __builtin_ctz(bits);
      SCREE_TRY(begin_contact(w, worker, run, g * LANES + l));
    }
    for (unsigned bits = b->known[g] & ~(unsigned)b->touch[g]; bits != 0; bits &= bits - 1) {
      int l = __builtin_ctz(bits);
      int s = g * LANES + l;
      double u = approach(w, KEPT(&b->at, i, s), KEPT(&b->at, j, s), b, s), slide[3], spin[3];
      parting(w, b, s, slide, spin);
      end_one(w, worker, c, s, u, slide);
      scree_end_rolling(w, worker, c, &b->at, (size_t)s, spin);
      KEPT(&b->at, last, s) = 0.0; /* a contact that ended leaves no memory */
      keep_stiffness(w, b, s, 0.0, b->at.chi[s]);
    }
  }
  return SCREE_OK;
}

/* ---- normal forces ---- */

/* Memory that flows with time (jian, xiong): one step further. */
static void advance_memory(const ScreeWorld *w, const Class *c, Block *b) {
  const Pairs *q = &b->at;
  for (int s = 0; s < b->groups * LANES; s++) {
    if (b->d[s] == 0.0) continue;
    size_t p = (size_t)s;
    ScreeLaw law = {.n = c->n, .m = c->m, .r = c->r, .k = q->k[p], .chi = q->chi[p]};
    for (int k = 0; k < 6; k++) law.u[k] = k < w->constants ? q->own[k][p] : 0.0;
    b->memory[s] += scree_contact_dt(w) * scree_law_rate(c->def.normal, &law, b->d[s], b->v[s], &b->memory[s]);
  }
}

/* Force at rest over overlap, where it is no power of the overlap; lanes that do not touch have none. */
static void find_secants(const Class *c, Block *b, ScreeBatch batch) {
  _Alignas(64) double still[BLOCK] = {0.0}, memory[BLOCK];
  batch.v = still, batch.force = b->secant, batch.memory[0] = memory;
  if (c->slots > 0) memcpy(memory, b->memory, batch.count * sizeof *memory);
  scree_batch_force(c->def.normal, &batch);
  for (size_t s = 0; s < batch.count; s++) b->secant[s] = b->d[s] > 0.0 ? b->secant[s] / b->d[s] : 0.0;
}

/* Constants of the law that no contact carries: they are zero in every pair that was prepared. */
static const _Alignas(64) double no_constant[BLOCK];

static void normal_forces(ScreeWorld *w, const Class *c, Block *b) {
  Pairs *q = &b->at;
  ScreeBatch batch = {.count = (size_t)(b->groups * LANES),
                      .n = c->n,
                      .m = c->m,
                      .r = c->r,
                      .d = b->d,
                      .v = b->v,
                      .root = b->root,
                      .fourth = b->fourth,
                      .k = q->k,
                      .chi = q->chi,
                      .memory = {b->memory, NULL},
                      .force = b->force};
  for (int k = 0; k < 6; k++) batch.u[k] = k < w->constants ? q->own[k] : no_constant;
  if (c->slots > 0) memcpy(b->memory, q->memory, batch.count * sizeof *b->memory);
  scree_batch_force(c->def.normal, &batch);
  if (c->def.rolling_model == SCREE_ROLLING_SPRING && c->def.rolling_stiffness == 0.0 && !c->power_law)
    find_secants(c, b, batch);
  if (c->slots == 0) return;
  if (!c->plastic) advance_memory(w, c, b);
  for (int s = 0; s < b->groups * LANES; s++)
    if (b->d[s] > 0.0) q->memory[s] = b->memory[s];
}

/* ---- the stage ---- */

/* Times the overlap limit: up to it the sums have room, and a step with contacts beyond the limit is brought to its end
 * before it is refused: such a world can be measured, saved and taken on with a larger limit. */
#define BOUND 2.0

static void fail(Worker *worker, ScreeStatus status) {
  worker->now.tally.status = status;
  snprintf(worker->now.tally.sentence, sizeof worker->now.tally.sentence, "%s", scree_last_error());
}

/* Back to where the pairs lie. */
static void unpack(ScreeWorld *w, const Pack *pack, bool alike) {
  Pairs *q = &w->pairs;
  for (int s = 0; s < pack->count; s++) {
    size_t p = pack->from[s];
    if (!alike) q->k[p] = pack->k[s], q->chi[p] = pack->chi[s];
    KEPT(q, last, p) = KEPT(pack, last, s), q->press[p] = pack->press[s];
    for (int k = 0; k < 3; k++) KEPT(q, shear[k], p) = KEPT(pack, shear[k], s);
    for (int k = 0; k < 3 && w->rolls; k++) q->roll[k][p] = pack->roll[k][s];
    if (w->twists) q->twist[p] = pack->twist[s];
    for (int k = 0; k < 3 && w->resists; k++) q->torque_prev[k][p] = pack->torque_prev[k][s];
    for (int k = 0; k < 3 && w->dashes; k++) q->friction_prev[k][p] = pack->friction_prev[k][s];
    for (int k = 0; k < w->constants; k++) q->own[k][p] = pack->own[k][s];
    if (w->slots > 0) q->memory[p] = pack->memory[s];
  }
}

static void fill(double *array, double value) {
  for (int s = 0; s < BLOCK; s++) array[s] = value;
}

/* The first pair of a run whose grains are still there. */
static size_t first_real(const ScreeWorld *w, const Run *run) {
  int32_t none = (int32_t)w->count;
  size_t p = run->begin;
  while (p < run->end && (KEPT(&w->pairs, i, p) == none || KEPT(&w->pairs, j, p) == none)) p++;
  return p;
}

/* What is the same of all pairs of a run is written once, and not again for the next run of its kind. */
static ScreeStatus fill_block(const ScreeWorld *w, Worker *worker, const Run *run) {
  Block *b = &worker->block;
  size_t p = first_real(w, run);
  bool some = !run->walls && p < run->end;
  b->even = some && run->even && !run->sparse, b->alike = some && run->alike;
  int32_t i = KEPT(&w->pairs, i, some ? p : run->begin);
  double r = w->record[i].r, reff = b->even ? r * r / (r + r) : NAN;
  if (b->even && b->all_reff != reff) fill(b->reff, reff), fill(b->root_reff, sqrt(reff));
  b->radius = r, b->all_reff = reff;
  if (!b->alike) return SCREE_OK;
  const ScreePair *pair;
  double memory[SCREE_MAX_SLOTS] = {0.0};
  SCREE_TRY(prepared(w, worker, run, i, KEPT(&w->pairs, j, p), &pair));
  ScreeLaw law = scree_law_touch(pair, w->expected_speed, memory);
  if (b->all_k != law.k) fill(b->k, law.k);
  if (b->all_chi != law.chi) fill(b->chi, law.chi);
  b->all_k = law.k, b->all_chi = law.chi;
  return SCREE_OK;
}

static void run_blocks(ScreeWorld *w, Worker *worker, Run *run) {
  const Kernels *kernels = kernel_table[scree_isa_current()];
  const Class *c = scree_class_of(w, run->a, run->b);
  Block *b = &worker->block;
  size_t active = 0, lanes = 0;
  ScreeStatus status = fill_block(w, worker, run);
  b->max_overlap = worker->now.max_overlap;
  b->slips = 0;
  if (status != SCREE_OK) {
    fail(worker, status);
    return;
  }
  for (size_t p = run->begin; p < run->end;) {
    p = run->walls    ? scree_sides(w, run, p, worker)
        : run->sparse ? kernels->pick(w, run, p, worker)
                      : kernels->geometry(w, run, p, worker);
    if (b->max_overlap > BOUND * w->def.max_overlap) {
      worker->now.tally.status = SCREE_OUT_OF_RANGE;
      return;
    }
    if (b->groups == 0) continue;
    lanes += (size_t)(b->groups * LANES);
    active += (size_t)b->active;
    status = b->changes ? begin_and_end(w, worker, run) : SCREE_OK;
    if (status != SCREE_OK) {
      fail(worker, status);
      return;
    }
    if (!run->walls) kernels->slide(w, run, b);
    if (c->latch > 0.0) kernels->latch(w, run, b);
    normal_forces(w, c, b);
    kernels->finish(w, run, worker);
    if (b->packed) unpack(w, &b->pack, b->alike);
  }
  worker->now.max_overlap = b->max_overlap;
  run->sparse = 2 * active < run->end - run->begin;
  run->active = (uint32_t)active;
  run->slips = 3 * (size_t)b->slips > lanes;
}

static bool is_own(const Worker *worker, size_t tile) { return tile >= worker->tile && tile < worker->tile_end; }

/* The thread's next tile; that of a helper is the one before. */
static void look_ahead(const ScreeWorld *w, Worker *worker, size_t tile) {
  bool own = is_own(worker, tile);
  worker->ahead = (Ahead){0};
  if (own ? tile + 1 == worker->tile_end : tile == 0) return;
  const Tile *now = &w->tile[tile], *next = &w->tile[own ? tile + 1 : tile - 1], *after = next + 1;
  size_t groups = (now[1].pairs - now->pairs) / LANES + 1, first_pairs = next->pairs + FAR * LANES;
  worker->ahead = (Ahead){next->grains,
                          after->grains,
                          next->others,
                          after->others,
                          next->pairs,
                          first_pairs < after->pairs ? first_pairs : after->pairs,
                          (int)((after->grains - next->grains) / groups) + 1,
                          (int)((after->others - next->others) / groups) + 1};
}

void scree_run_tile(ScreeWorld *w, Worker *worker, size_t tile) {
  bool timed = scree_share_is_timed(w) && is_own(worker, tile) && worker->to_come == 0.0; /* once in a pass */
  uint64_t begun = timed ? scree_ticks() : 0;
  look_ahead(w, worker, tile);
  for (size_t r = w->tile[tile].runs; r < w->tile[tile + 1].runs && worker->now.tally.status == SCREE_OK; r++)
    run_blocks(w, worker, &w->run[r]);
  if (timed) scree_share_timed(w, worker, tile, scree_ticks() - begun);
}
