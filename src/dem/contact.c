/* contact.c: from positions to forces. A thread takes the runs of its tiles in blocks: overlaps and relative motion of
 * the pairs (kernels.c), contacts that begin and end, the normal law over the whole block, then friction, rolling, work
 * and the sums (kernels.c). */
#include "contact.h"

#include <stdio.h>
#include <stdlib.h>
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
  q->k[p] = law.k, q->chi[p] = law.chi;
  KEPT(q, last, p) =
      fmin(b->d[s] - approach(w, KEPT(q, i, p), KEPT(q, j, p), b, s) * w->dt, 0.0); /* apart, before this step */
  q->press[p] = 0.0F;
  for (int k = 0; k < 3; k++) KEPT(q, shear[k], p) = 0.0;
  for (int k = 0; k < 3 && w->rolls; k++) q->roll[k][p] = 0.0;
  for (int k = 0; k < w->constants; k++) q->own[k][p] = law.u[k];
  if (w->slots > 0) q->memory[p] = memory[0];
  return SCREE_OK;
}

void scree_give_up(const ScreeWorld *w, Worker *worker, const Class *c, const Pairs *q, size_t p, double overlap) {
  if (c->plastic || !(KEPT(q, last, p) > 0.0)) return;
  double before = scree_stored(w, c, q, p, KEPT(q, last, p)),
         after = overlap > 0.0 ? scree_stored(w, c, q, p, overlap) : 0.0;
  worker->tally.clamp += to_units(before - after, w->energy_unit);
}

void scree_end_contact(const ScreeWorld *w, Worker *worker, const Class *c, const Pairs *q, size_t p, double v,
                       const double *slide) {
  Tally *t = &worker->tally;
  double press = (double)q->press[p];
  int64_t work = to_units(0.5 * press * v * w->dt, w->energy_unit);
  if (c->plastic)
    t->plastic += work;
  else
    t->viscous += work;
  if (press == 0.0) scree_give_up(w, worker, c, q, p, 0.0);
  if (c->def.tangential == SCREE_LAW_NONE) return;
  double h[3] = {KEPT(q, shear[0], p), KEPT(q, shear[1], p), KEPT(q, shear[2], p)},
         per = c->def.tangential == SCREE_LAW_tangential_linear ? -c->def.pair.param[SCREE_PARAM_kt] : 1.0;
  t->tangential += to_units(-0.5 * per * scree_dot(h, slide) * w->dt, w->energy_unit);
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

/* The same of rolling and twisting: the torque of the last step over the spin of this one. */
static void end_rolling(const ScreeWorld *w, Worker *worker, const Class *c, int s, const double *spin) {
  const Block *b = &worker->block;
  const Pairs *q = &b->at;
  size_t p = (size_t)s;
  double press = (double)q->press[p], limit = c->def.rolling * b->reff[s] * press, torque = 0.0; /* against the spin */
  double n[3] = {b->n[0][s], b->n[1][s], b->n[2][s]}, roll[3];
  double twist = scree_dot(spin, n);
  for (int k = 0; k < 3; k++) roll[k] = spin[k] - twist * n[k];
  double rate = sqrt(scree_dot(roll, roll));
  if (c->def.rolling_model == SCREE_ROLLING_SPRING) {
    double h[3] = {q->roll[0][p], q->roll[1][p], q->roll[2][p]}, size = sqrt(scree_dot(h, h)),
           kr = scree_rolling_stiffness(c, q->k[p], fmax(KEPT(q, last, p), 0.0), b->reff[s]);
    torque = fmin(kr, size > 0.0 ? limit / size : kr) * scree_dot(h, roll);
  } else if (c->def.rolling_model == SCREE_ROLLING_CONSTANT) {
    torque = limit * rate;
  } else if (c->def.rolling_model == SCREE_ROLLING_VISCOUS) {
    torque = limit * b->reff[s] * rate * rate;
  }
  torque += c->def.twisting * b->reff[s] * press * fabs(twist);
  worker->tally.rolling += to_units(0.5 * torque * w->dt, w->energy_unit);
}

/* The last work of a contact wears the triangle it ends on, too. */
static void end_one(const ScreeWorld *w, Worker *worker, const Class *c, int s, double u, const double *slide) {
  const Block *b = &worker->block;
  Tally *t = &worker->tally;
  Wide normal = t->viscous + t->plastic, shear = t->tangential;
  scree_end_contact(w, worker, c, &b->at, (size_t)s, u, slide);
  if (w->wearing > 0 && KEPT(&b->at, j, s) < 0)
    scree_wear(w, worker, scree_place_of(b, s), (int64_t)(t->viscous + t->plastic - normal),
               (int64_t)(t->tangential - shear));
}

/* Of runs that are alike stiffness and damping are not brought back from packs: they change only here. */
static void keep_stiffness(ScreeWorld *w, const Block *b, int s, double k, double chi) {
  size_t p = scree_place_of(b, s);
  w->pairs.k[p] = k, w->pairs.chi[p] = chi;
}

static ScreeStatus begin_and_end(ScreeWorld *w, Worker *worker, const Run *run) {
  Block *b = &worker->block;
  const Class *c = scree_class_of(w, run->a, run->b);
  for (int g = 0; g < b->groups; g++) {
    for (unsigned bits = b->touch[g] & ~(unsigned)b->known[g]; bits != 0; bits &= bits - 1) {
      int l = __builtin_ctz(bits);
      SCREE_TRY(begin_contact(w, worker, run, g * LANES + l));
      if (b->alike) keep_stiffness(w, b, g * LANES + l, b->at.k[g * LANES + l], b->at.chi[g * LANES + l]);
    }
    for (unsigned bits = b->known[g] & ~(unsigned)b->touch[g]; bits != 0; bits &= bits - 1) {
      int l = __builtin_ctz(bits);
      int s = g * LANES + l;
      double u = approach(w, KEPT(&b->at, i, s), KEPT(&b->at, j, s), b, s), slide[3], spin[3];
      parting(w, b, s, slide, spin);
      end_one(w, worker, c, s, u, slide);
      if (scree_rolls(c)) end_rolling(w, worker, c, s, spin);
      b->at.k[s] = KEPT(&b->at, last, s) = 0.0; /* a contact that ended leaves no memory */
      if (b->alike) keep_stiffness(w, b, s, 0.0, w->pairs.chi[scree_place_of(b, s)]);
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
    b->memory[s] += w->dt * scree_law_rate(c->def.normal, &law, b->d[s], b->v[s], &b->memory[s]);
  }
}

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
                      .k = b->alike ? b->k : q->k,
                      .chi = b->alike ? b->chi : q->chi,
                      .memory = {b->memory, NULL},
                      .force = b->force};
  for (int k = 0; k < 6; k++) batch.u[k] = k < w->constants ? q->own[k] : b->d;
  if (c->slots > 0) memcpy(b->memory, q->memory, batch.count * sizeof *b->memory);
  scree_batch_force(c->def.normal, &batch);
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
  worker->tally.status = status;
  snprintf(worker->tally.sentence, sizeof worker->tally.sentence, "%s", scree_last_error());
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
  b->all_reff = reff;
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
  size_t active = 0;
  ScreeStatus status = fill_block(w, worker, run);
  if (status != SCREE_OK) {
    fail(worker, status);
    return;
  }
  for (size_t p = run->begin; p < run->end;) {
    p = run->walls    ? scree_sides(w, run, p, worker)
        : run->sparse ? kernels->pick(w, run, p, worker)
                      : kernels->geometry(w, run, p, worker);
    if (b->max_overlap > BOUND * w->def.max_overlap) {
      worker->tally.status = SCREE_OUT_OF_RANGE;
      return;
    }
    if (b->groups == 0) continue;
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
  run->sparse = 2 * active < run->end - run->begin;
  run->active = (uint32_t)active;
}

/* The thread's next tile; that of a helper is the one before. */
static void look_ahead(const ScreeWorld *w, Worker *worker, size_t tile) {
  bool own = tile >= worker->tile && tile < worker->tile_end;
  const Tile *now = &w->tile[tile], *next = own ? now + 1 : now - 1, *after = next + 1;
  size_t groups = (now[1].pairs - now->pairs) / LANES + 1;
  worker->ahead = (Ahead){0};
  if (own ? tile + 1 == worker->tile_end : tile == 0) return;
  worker->ahead = (Ahead){next->grains,
                          after->grains,
                          next->others,
                          after->others,
                          (int)((after->grains - next->grains) / groups) + 1,
                          (int)((after->others - next->others) / groups) + 1};
}

static void run_tile(ScreeWorld *w, Worker *worker, size_t tile) {
  look_ahead(w, worker, tile);
  for (size_t r = w->tile[tile].runs; r < w->tile[tile + 1].runs && worker->tally.status == SCREE_OK; r++)
    run_blocks(w, worker, &w->run[r]);
}

/* The pass before did this tile's contacts; not those of the next step. */
static bool is_done_ahead(ScreeWorld *w, size_t tile) {
  if (w->tile[tile].meets == 0) return false;
  w->tile[tile].meets--;
  return true;
}

/* Does tiles of threads that have not come to them. */
static void help_others(ScreeWorld *w, int number) {
  Worker *worker = w->worker[number];
  const Worker *owner;
  size_t tile;
  if (scree_pool_active(w->pool) < w->def.threads) return;
  while (worker->tally.status == SCREE_OK && scree_others_need_help(w, number) && scree_help_room(w, worker) &&
         (owner = scree_take_others(w, number, &tile)) != NULL) {
    if (is_done_ahead(w, tile)) continue;
    scree_help_begin(w, worker, owner, tile);
    run_tile(w, worker, tile);
  }
}

/* What is gathered from now on is of the next step, or again of this one. */
static void change_step(Worker *worker) {
  Gathered this = {worker->tally, worker->block.max_overlap, worker->wall, worker->sweep};
  worker->tally = worker->next.tally;
  worker->block.max_overlap = worker->next.max_overlap;
  worker->wall = worker->next.wall;
  worker->sweep = worker->next.sweep;
  worker->next = this;
}

/* Of a step nothing is gathered yet; its tally may hold what a rebuild before it found. */
static void gather_nothing(ScreeWorld *w, int number) {
  Worker *worker = w->worker[number];
  worker->block.max_overlap = 0.0;
  if (w->walls > 0) memset(worker->wall, 0, (size_t)w->walls * sizeof *worker->wall);
  if (w->turning) scree_turnover_share(w, number);
}

/* Tiles go on when all that need them have met, but for those that have to wait, or went on in the pass before. */
static void go_on(ScreeWorld *w, int number, int step) {
  Worker *worker = w->worker[number];
  size_t front = worker->front[step], *t = &worker->gone[step];
  for (; *t < front && w->tile[*t].user < front && worker->tally.status == SCREE_OK; ++*t)
    if (step == 0 ? w->tile[*t].turns == 0 && !w->tile[*t].waits : w->tile[*t].onward)
      scree_turnover_tile(w, number, *t);
}

/* Contacts of the next step, in tiles whose pairs meet only grains that have gone on to it. */
static void follow(ScreeWorld *w, int number) {
  Worker *worker = w->worker[number];
  size_t gone = worker->gone[0], *t = &worker->front[1];
  change_step(worker);
  worker->to_come = w->bulk.room;
  for (; *t < gone && w->tile[*t].last < gone && worker->tally.status == SCREE_OK; ++*t) {
    if (!w->tile[*t].again) continue;
    run_tile(w, worker, *t);
    w->tile[*t].meets++;
  }
  go_on(w, number, 1);
  worker->to_come = 0.0;
  change_step(worker);
}

static void run_share(void *context, int number, int threads) {
  ScreeWorld *w = context;
  Worker *worker = w->worker[number];
  size_t tile;
  (void)threads;
  worker->elsewheres = worker->helps = 0;
  for (int step = 0; step < 2; step++) worker->front[step] = worker->gone[step] = worker->tile;
  if (w->ahead)
    change_step(worker);
  else
    gather_nothing(w, number);
  if (w->pass == PASS_TWICE) {
    change_step(worker);
    gather_nothing(w, number);
    change_step(worker);
  }
  if (w->meshes > 0 && !scree_sites_touch(w, worker)) {
    worker->no_memory = true;
    return;
  }
  if (w->meshes > 0) scree_open_own(worker);
  if (scree_helpfulness == HELP_FIRST) help_others(w, number);
  scree_help_end(w, worker);
  while (worker->tally.status == SCREE_OK && scree_take_tile(worker, &tile)) {
    if (!is_done_ahead(w, tile)) run_tile(w, worker, tile);
    worker->front[0] = tile + 1;
    if (w->turning) go_on(w, number, 0);
    if (w->pass == PASS_TWICE) follow(w, number);
  }
  if (scree_helpfulness == HELP_WHEN_DONE) help_others(w, number);
}

static void name_partner(const ScreeWorld *w, int32_t j, char *name, size_t size) {
  if (j < 0)
    snprintf(name, size, "wall %d", -1 - j);
  else
    snprintf(name, size, "grain %llu", (unsigned long long)w->turn[j].id);
}

/* m/s; of a wall: to its surface about where the grain is. */
static double relative_speed(const ScreeWorld *w, int32_t i, int32_t j) {
  const Record *r = &w->record[i];
  double v[3], wall[3] = {0.0, 0.0, 0.0};
  if (j < 0 && scree_body_of(w, -1 - j)->moves) {
    const Frame *f = &scree_body_of(w, -1 - j)->frame;
    Surface surface = scree_surface(f, (double[]){r->x[0] - f->at[0], r->x[1] - f->at[1], r->x[2] - f->at[2]});
    memcpy(wall, surface.v, sizeof wall);
  }
  for (int k = 0; k < 3; k++) v[k] = r->v[k] - (j < 0 ? wall[k] : w->record[j].v[k]);
  return sqrt(scree_dot(v, v));
}

/* A pair whose force is no number, or more than the sums can hold. */
static ScreeStatus explain_lost(const ScreeWorld *w, size_t p) {
  int32_t i = KEPT(&w->pairs, i, p), j = KEPT(&w->pairs, j, p);
  const double *x = w->record[i].x;
  char other[64];
  name_partner(w, j, other, sizeof other);
  return scree_fail(SCREE_OUT_OF_RANGE,
                    "step %ld: the force between grain %llu at (%.6g, %.6g, %.6g) m and %s is beyond all bounds, at a "
                    "relative speed of %.4g m/s: the step of %.4g s is too long for this contact",
                    w->step + 1, (unsigned long long)w->turn[i].id, x[0], x[1], x[2], other, relative_speed(w, i, j),
                    w->dt);
}

/* Of the smaller radius; negative where a listed pair is apart. */
static double overlap_of(const ScreeWorld *w, const Worker *worker, size_t p) {
  int32_t i = KEPT(&w->pairs, i, p), j = KEPT(&w->pairs, j, p), none = (int32_t)w->count;
  const Record *a = &w->record[i];
  double d[3], lever[3];
  if (i == none || j == none) return -INFINITY;
  if (j < 0 && scree_is_mesh(w, -1 - j)) return 1.0 - worker->sites.spot[w->pairs.spot[p]].gap / a->r;
  if (j < 0) return 1.0 - scree_wall_gap(w, -1 - j, a, d, lever) / a->r;
  const Record *b = &w->record[j];
  for (int k = 0; k < 3; k++) d[k] = scree_image(w, k, b->x[k] - a->x[k]);
  return (a->r + b->r - sqrt(scree_dot(d, d))) / fmin(a->r, b->r);
}

typedef struct Deepest {
  double overlap;
  int32_t i, j;           /* of two grains that of the smaller id first */
  uint64_t first, second; /* their ids; of a wall a number above all grains' */
} Deepest;

static bool is_before(const Deepest *a, const Deepest *b) {
  if (a->overlap != b->overlap) return a->overlap > b->overlap;
  return a->first != b->first ? a->first < b->first : a->second < b->second;
}

/* Of all pairs: threads end where they first meet one beyond the bound, and which of them does is chance. */
static Deepest find_deepest(const ScreeWorld *w) {
  Deepest deepest = {.overlap = -INFINITY};
  for (int n = 0; n < w->def.threads; n++) {
    const Worker *worker = w->worker[n];
    for (size_t p = w->tile[worker->tile].pairs; p < w->tile[worker->tile_end].pairs; p++) {
      int32_t i = KEPT(&w->pairs, i, p), j = KEPT(&w->pairs, j, p);
      Deepest d = {overlap_of(w, worker, p), i, j, w->turn[i].id, j < 0 ? UINT64_MAX : w->turn[j].id};
      if (j >= 0 && d.second < d.first) d = (Deepest){d.overlap, j, i, d.second, d.first};
      if (is_before(&d, &deepest)) deepest = d;
    }
  }
  return deepest;
}

/* The speed is that of now, in the middle of a compression that has slowed it: that at the touch is not kept. */
ScreeStatus scree_explain_overlap(const ScreeWorld *w, long step) {
  Deepest deepest = find_deepest(w);
  int32_t i = deepest.i, j = deepest.j;
  const double *x = w->record[i].x;
  double speed = relative_speed(w, i, j);
  char other[64], cause[160];
  name_partner(w, j, other, sizeof other);
  if (step == 0)
    snprintf(cause, sizeof cause, "they start so; place them apart");
  else if (speed > w->expected_speed) /* which sets the step's length and not how deep a contact gets */
    snprintf(cause, sizeof cause,
             "they still move at %.4g m/s against each other, faster than the expected %.4g m/s:", speed,
             w->expected_speed);
  else
    snprintf(cause, sizeof cause,
             "the material is too soft for this load, or for their speed, still %.4g m/s against each other:", speed);
  return scree_fail(SCREE_OUT_OF_RANGE,
                    "step %ld: grain %llu at (%.6g, %.6g, %.6g) m overlaps %s by %.4g of the smaller radius (limit "
                    "%.4g): %s%s",
                    step, (unsigned long long)w->turn[i].id, x[0], x[1], x[2], other, deepest.overlap,
                    w->def.max_overlap, cause,
                    step == 0 ? "" : " a stiffer material, slower grains, or a larger overlap limit would pass");
}

static ScreeStatus explain(const ScreeWorld *w, const Worker *worker) {
  const Tally *t = &worker->tally;
  if (worker->no_memory) return scree_fail(SCREE_NO_MEMORY, "no memory for the contacts of step %ld", w->step + 1);
  if (*t->sentence) return scree_fail(t->status, "%s", t->sentence);
  if (t->lost > 0) return explain_lost(w, t->lost - 1);
  return scree_explain_overlap(w, w->dt == 0.0 ? 0 : w->step + 1);
}

/* The threads' tallies, of this stage and of a rebuild before it, become the world's; the order of integer sums does
 * not matter. */
static ScreeStatus collect(ScreeWorld *w) {
  __extension__ __int128 viscous = 0, plastic = 0, clamp = 0, tangential = 0, rolling = 0;
  w->max_overlap = 0.0;
  for (int i = 0; i < w->def.threads; i++) {
    Worker *worker = w->worker[i];
    Tally *t = &worker->tally;
    if (t->status != SCREE_OK || worker->no_memory || t->lost > 0) return explain(w, worker);
    viscous += t->viscous, plastic += t->plastic, clamp += t->clamp;
    tangential += t->tangential, rolling += t->rolling;
    *t = (Tally){0};
    w->max_overlap = fmax(w->max_overlap, worker->block.max_overlap);
  }
  w->peak_overlap = fmax(w->peak_overlap, w->max_overlap);
  w->too_deep = w->max_overlap > w->def.max_overlap;
  w->ledger.viscous += (double)viscous * w->energy_unit;
  w->ledger.plastic += (double)plastic * w->energy_unit;
  w->ledger.clamp += (double)clamp * w->energy_unit;
  w->ledger.tangential += (double)tangential * w->energy_unit;
  w->ledger.rolling += (double)rolling * w->energy_unit;
  return SCREE_OK;
}

ScreeStatus scree_contacts(ScreeWorld *w, Pass pass) {
  w->pass = pass;
  if (pass != PASS_ALONE) scree_turnover_begin(w);
  scree_open_tiles(w);
  scree_pool_run(w->pool, run_share, w);
  w->ahead = pass == PASS_TWICE;
  w->passes[pass]++;
  w->met = true;
  return collect(w);
}

/* ---- workers ---- */

ScreeStatus scree_workers_create(ScreeWorld *w) {
  w->worker = calloc((size_t)w->def.threads, sizeof *w->worker);
  if (!w->worker) return scree_fail(SCREE_NO_MEMORY, "no memory for %d threads", w->def.threads);
  for (int i = 0; i < w->def.threads; i++) {
    size_t size = (sizeof(Worker) + 63) / 64 * 64;
    Worker *worker = w->worker[i] = aligned_alloc(64, size);
    if (!worker) return scree_fail(SCREE_NO_MEMORY, "no memory for %d threads", w->def.threads);
    memset(worker, 0, size);
    worker->wall = calloc((size_t)w->walls + 1, sizeof *worker->wall);
    worker->next.wall = calloc((size_t)w->walls + 1, sizeof *worker->wall);
    if (!worker->wall || !worker->next.wall) return scree_fail(SCREE_NO_MEMORY, "no memory for %d walls", w->walls);
    worker->sites.wear = calloc(w->wearing + 1, sizeof *worker->sites.wear);
    if (!worker->sites.wear) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu triangles that wear", w->wearing);
  }
  return SCREE_OK;
}

void scree_workers_destroy(ScreeWorld *w) {
  for (int i = 0; w->worker && i < w->def.threads; i++) {
    if (!w->worker[i]) continue;
    free(w->worker[i]->elsewhere), free(w->worker[i]->wall), free(w->worker[i]->next.wall);
    scree_help_free(w->worker[i]);
    scree_sites_free(&w->worker[i]->sites);
    scree_cull_free(&w->worker[i]->cull);
    free(w->worker[i]);
  }
  free(w->worker);
  w->worker = NULL;
}

size_t scree_workers_bytes(const ScreeWorld *w) {
  size_t bytes = 0;
  for (int i = 0; w->worker && i < w->def.threads; i++)
    bytes += sizeof(Worker) + w->worker[i]->elsewhere_capacity * sizeof(Elsewhere) + scree_help_bytes(w->worker[i]) +
             scree_sites_bytes(&w->worker[i]->sites) + scree_cull_bytes(w, &w->worker[i]->cull);
  return bytes;
}
