/* motion.c: velocity Verlet with a predicted velocity.
 *
 *   drift     u = v + h,  x += u dt,  v = u + h       h: half a step of a(t)
 *   correct   v = u + h'                              h': half a step of a(t + dt)
 *
 * Contact laws see x(t + dt) and the predicted v(t + dt), so damping is of second order; friction and rolling gather
 * their displacements with u, the velocity of the middle of the step, so they are too. With forces F and F' at its ends
 * a step changes the kinetic energy by (F + F') u dt / 2 up to a difference that telescopes: what contacts take is
 * booked in the same way, and the ledger closes. */
#include "contact.h"

#include <stdio.h>

#include "core/status.h"

typedef struct Kick {
  double v[3], w[3];
} Kick;

/* Half a step's worth of a grain's acceleration, from its load and the field. */
static inline Kick half_kick(const ScreeWorld *w, const Record *r, Load load, const double *field) {
  double push = 0.5 * w->dt * w->force_unit / r->m, twist = 0.5 * w->dt * w->torque_unit / (0.4 * r->m * r->r * r->r);
  Kick h;
  for (int k = 0; k < 3; k++) {
    h.v[k] = (double)load.force[k] * push + 0.5 * w->dt * field[k];
    h.w[k] = (double)load.torque[k] * twist;
  }
  return h;
}

void scree_middle(const ScreeWorld *w, size_t i, double *velocity, double *spin) {
  const Record *r = &w->record[i];
  Kick h = {{0}, {0}};
  if (!scree_is_fixed(r)) h = half_kick(w, r, scree_load_of(w->load, i), w->field[w->turn[i].material]);
  for (int k = 0; k < 3; k++) velocity[k] = r->v[k] + h.v[k], spin[k] = w->turn[i].w[k] + h.w[k];
}

double scree_telescoped(const ScreeWorld *w, size_t i) {
  const Record *r = &w->record[i];
  if (scree_is_fixed(r)) return 0.0;
  const double *field = w->field[w->turn[i].material];
  Kick h = half_kick(w, r, scree_load_of(w->load, i), field);
  double free[3] = {0.5 * w->dt * field[0], 0.5 * w->dt * field[1], 0.5 * w->dt * field[2]};
  return 0.5 * r->m * (scree_dot(h.v, h.v) - scree_dot(free, free)) + 0.2 * r->m * r->r * r->r * scree_dot(h.w, h.w);
}

/* A grain that leaves through a periodic boundary comes in on the other side at once, not when the list is rebuilt: the
 * rebuilds leave no trace in the bits. The potential it gains is booked, in integers as all sums. */
void scree_wrap(ScreeWorld *w, size_t i, Sweep *s) {
  Record *r = &w->record[i];
  const double *field = w->field[w->turn[i].material];
  for (int k = 0; k < 3; k++) {
    if (!w->def.periodic[k]) continue;
    double length = w->def.high[k] - w->def.low[k], shift = 0.0;
    if (r->x[k] >= w->def.high[k])
      shift = -length;
    else if (r->x[k] < w->def.low[k])
      shift = length;
    if (shift == 0.0) continue;
    r->x[k] += shift;
    if (!atomic_load_explicit(&w->wrapped, memory_order_relaxed))     /* once: others read what lies beside it */
      atomic_store_explicit(&w->wrapped, true, memory_order_relaxed); /* who needs it waits for this sweep */
    if (!scree_is_fixed(r)) s->gained += llrint(-r->m * field[k] * shift / w->jump_unit);
  }
}

int64_t scree_work_of_fixed(const ScreeWorld *w, size_t i) {
  const double *v = w->record[i].v, *spin = w->turn[i].w;
  Load load = scree_load_of(w->load, i);
  double power = 0.0;
  for (int k = 0; k < 3; k++)
    power -= (double)load.force[k] * w->force_unit * v[k] + (double)load.torque[k] * w->torque_unit * spin[k];
  return llrint(0.5 * w->dt * power / w->energy_unit);
}

/* ---- the sweep ---- */

static const SweepKernels *const sweep_table[] = {
#define SWEEP_OF(isa, name) &scree_dem_sweep_##isa,
    SCREE_ISA_LIST(SWEEP_OF)
#undef SWEEP_OF
};

/* Half a step of the field, as rows of the sweep. */
static void prepare_kicks(ScreeWorld *w) {
  for (int m = 0; m < w->materials; m++)
    for (int k = 0; k < 8; k++) w->kick[m][k] = k < 3 ? 0.5 * w->dt * w->field[m][k] : 0.0;
}

/* No component of a grain below the limits: none moves more than the smallest radius, or turns a radian, in a step. */
static void prepare_sweep(const ScreeWorld *w, Sweep *s) {
  double shortest = w->min_radius / w->dt, least = 1.0 / w->dt;
  *s = (Sweep){.kick = (const double(*)[8])w->kick, .sheared = w->bulk.sheared, .paced = w->bulk.paced};
  for (int k = 0; k < 8; k++) {
    bool periodic = k < 3 && w->def.periodic[k];
    s->low[k] = periodic ? w->def.low[k] : -INFINITY;
    s->high[k] = periodic ? w->def.high[k] : INFINITY;
    s->limit[k] = k < 3 ? 0.33 * shortest * shortest : k < 6 ? 0.33 * least * least : INFINITY;
    for (int p = 0; p < PACES; p++) {
      s->least[p][k] = s->least_rest[p][k] = INFINITY;
      s->most[p][k] = s->most_rest[p][k] = -INFINITY;
    }
    for (int j = 0; j < 3; j++) s->gradient[j][k] = k < 3 ? w->bulk.gradient[k][j] : 0.0;
  }
}

/* Grains that move more than their radius, or turn more than a radian, in a step. Now: a pass of two steps will have
 * taken them on when the step is booked. */
static void look_for_runaways(const ScreeWorld *w, Sweep *s, size_t first, size_t last) {
  for (size_t i = first; i < last; i++) {
    const Turn *turn = &w->turn[i];
    double dt2 = w->dt * w->dt, r = w->record[i].r;
    if (scree_dot(turn->v, turn->v) * dt2 <= r * r && scree_dot(turn->w, turn->w) * dt2 <= 1.0) continue;
    if (!s->away || turn->id < s->away_turn.id) s->away_record = w->record[i], s->away_turn = *turn;
    s->away = true;
  }
}

static void sweep_grains(ScreeWorld *w, Sweep *s, SweepKernel *kernel, size_t tile) {
  size_t first = w->tile[tile].grains, last = w->tile[tile + 1].grains;
  kernel(w, s, first, last);
  if (s->doubtful) look_for_runaways(w, s, first, last);
}

typedef struct Sweeping {
  ScreeWorld *w;
  SweepKernel *kernel;
} Sweeping;

static void sweep_tile(void *context, int number, const Worker *owner, size_t tile) {
  const Sweeping *s = context;
  ScreeWorld *w = s->w;
  (void)owner;
  if (w->turning && w->tile[tile].turns > 0)
    w->tile[tile].turns--;
  else
    sweep_grains(w, &w->worker[number]->now.sweep, s->kernel, tile);
}

/* A thread opens its tiles when all that their grains bear has been added: from then on others may help. */
static void sweep(ScreeWorld *w, int number, bool correct, bool drift) {
  const SweepKernels *kernels = sweep_table[scree_isa_current()];
  Sweeping s = {w, correct && drift ? kernels->turnover : drift ? kernels->drift : kernels->correct};
  Worker *worker = w->worker[number];
  if (correct) scree_collect_deferred(w, number);
  if (!w->turning) prepare_sweep(w, &worker->now.sweep);
  scree_do_pieces(w, number, worker->tile, worker->tile_end, 1, sweep_tile, &s);
}

static void drift_share(void *context, int number, int threads) {
  (void)threads;
  sweep(context, number, false, true);
}
static void correct_share(void *context, int number, int threads) {
  (void)threads;
  sweep(context, number, true, false);
}
static void turnover_share(void *context, int number, int threads) {
  (void)threads;
  sweep(context, number, true, true);
}

/* What a grain that runs away probably suffers from. */
static void likely_cause(const ScreeWorld *w, double speed, char *cause, size_t size) {
  if (!isfinite(speed))
    snprintf(cause, size, "what it touches has no sensible force");
  else if (w->expected_speed < 0.1 * speed)
    snprintf(cause, size, "the step of %.4g s was chosen for %.4g m/s: a higher expected speed, or a shorter step",
             w->dt, w->expected_speed);
  else
    snprintf(cause, size, "a step of %.4g s is too long for so stiff a contact, or so fast a grain", w->dt);
}

static ScreeStatus explain(const ScreeWorld *w, const Sweep *found) {
  const Record *r = &found->away_record;
  const double *u = found->away_turn.v, *spin = found->away_turn.w;
  double speed = sqrt(scree_dot(u, u));
  bool turns = speed * w->dt <= r->r;
  char cause[160];
  likely_cause(w, turns ? sqrt(scree_dot(spin, spin)) * r->r : speed, cause, sizeof cause);
  return scree_fail(SCREE_OUT_OF_RANGE, "step %ld: grain %llu at (%.6g, %.6g, %.6g) m %s %.4g %s in a step: %s",
                    w->step + 1, (unsigned long long)found->away_turn.id, r->x[0], r->x[1], r->x[2],
                    turns ? "turns at" : "moves at", turns ? sqrt(scree_dot(spin, spin)) : speed,
                    turns ? "rad/s, more than a radian" : "m/s, more than its radius", cause);
}

static void unite_rows(Extent *all, const double *least, const double *most) {
  scree_unite(all, &(Extent){{least[0], least[1], least[2]}, {most[0], most[1], most[2]}});
}

static ScreeStatus book(ScreeWorld *w, bool drifted) {
  static const Extent nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  int64_t gained = 0;
  __extension__ __int128 work = 0;
  Extent u[PACES], rest[PACES]; /* m/s, of the velocities of each pace, and of u - B x */
  const Sweep *away = NULL;
  for (int p = 0; p < PACES; p++) u[p] = rest[p] = nothing;
  for (int i = 0; i < w->def.threads; i++) {
    const Sweep *s = &w->worker[i]->now.sweep;
    gained += s->gained, work += s->work;
    for (int p = 0; p < PACES; p++) {
      unite_rows(&u[p], s->least[p], s->most[p]);
      unite_rows(&rest[p], s->sheared ? s->least_rest[p] : s->least[p], s->sheared ? s->most_rest[p] : s->most[p]);
    }
    if (s->away && (!away || s->away_turn.id < away->away_turn.id)) away = s;
  }
  w->ledger.jump += (double)gained * w->jump_unit;
  w->ledger.work += work;
  if (drifted && w->count > 0) scree_bulk_step(w, u, rest);
  return away ? explain(w, away) : SCREE_OK;
}

/* The half step that those who went still push in is done. Only a drift begins it: after a change there is no turnover.
 */
static void settle_pending(ScreeWorld *w) {
  w->ledger.taken -= w->ledger.pending;
  w->ledger.pending = 0.0;
}

ScreeStatus scree_drift(ScreeWorld *w) {
  settle_pending(w);
  prepare_kicks(w);
  scree_pool_run(w->pool, drift_share, w);
  return book(w, true);
}

ScreeStatus scree_correct(ScreeWorld *w) {
  prepare_kicks(w);
  scree_pool_run(w->pool, correct_share, w);
  return book(w, false);
}

/* ---- begun early (early.c) ---- */

void scree_turnover_begin(ScreeWorld *w) {
  prepare_kicks(w);
  w->turning = true;
}

void scree_turnover_share(ScreeWorld *w, int number) { prepare_sweep(w, &w->worker[number]->now.sweep); }

void scree_turnover_tile(ScreeWorld *w, int number, size_t tile) {
  const SweepKernels *kernels = sweep_table[scree_isa_current()];
  sweep_grains(w, &w->worker[number]->now.sweep, kernels->turnover, tile);
  w->tile[tile].turns++;
}

ScreeStatus scree_turnover(ScreeWorld *w) {
  prepare_kicks(w);
  scree_pool_run(w->pool, turnover_share, w);
  w->turning = false;
  return book(w, true);
}
