/* motion.c: velocity Verlet with a predicted velocity: the contact laws see x(t + dt) and v(t + dt), so damping and
 * friction are of second order too.
 *
 *   drift     x += (v + h) dt,  v += h + f       h: half a step of a(t);  f: h as floats, the prediction of the rest
 *   correct   v += h' - f                        h': half a step of a(t + dt)
 *
 * f is taken back exactly as it was added: its rounding stays in the predicted velocity. */
#include "contact.h"

typedef struct Kick {
  double v[3], w[3];
} Kick;

/* Half a step's worth of a grain's acceleration, from its load and the field. */
static inline Kick half_kick(const ScreeWorld *w, const Record *r, const Load *load) {
  const double *field = w->field[load->material];
  double push = 0.5 * w->dt * w->force_unit / r->m, twist = 0.5 * w->dt * w->torque_unit / (0.4 * r->m * r->r * r->r);
  Kick h;
  for (int k = 0; k < 3; k++) {
    h.v[k] = (double)load->force[k] * push + 0.5 * w->dt * field[k];
    h.w[k] = (double)load->torque[k] * twist;
  }
  return h;
}

/* A grain that leaves through a periodic boundary comes in on the other side at once, not when the list is rebuilt: the
 * rebuilds leave no trace in the bits. The potential it gains is booked, in integers as all sums. */
static void wrap(const ScreeWorld *w, Record *r, const double *field, Tally *t) {
  for (int k = 0; k < 3; k++) {
    if (!w->def.periodic[k]) continue;
    double length = w->def.high[k] - w->def.low[k], shift = 0.0;
    if (r->x[k] >= w->def.high[k])
      shift = -length;
    else if (r->x[k] < w->def.low[k])
      shift = length;
    if (shift == 0.0) continue;
    r->x[k] += shift;
    if (!scree_is_fixed(r)) t->gained += llrint(-r->m * field[k] * shift / w->energy_unit);
  }
}

/* Half a step's work of what holds a fixed grain on its course, against the contacts. */
static int64_t work_of_fixed(const ScreeWorld *w, const Record *r, const double *spin, const Load *load) {
  double power = 0.0;
  for (int k = 0; k < 3; k++)
    power -= (double)load->force[k] * w->force_unit * r->v[k] + (double)load->torque[k] * w->torque_unit * spin[k];
  return llrint(0.5 * w->dt * power / w->energy_unit);
}

static inline void drift_one(ScreeWorld *w, size_t i, const Kick *h, Tally *t) {
  Record *r = &w->record[i];
  Load *load = &w->load[i];
  double *spin = w->spin[i];
  double speed2 = 0.0;
  for (int k = 0; k < 3; k++) {
    float f = (float)h->v[k], g = (float)h->w[k];
    double v = r->v[k] + h->v[k];
    speed2 += v * v;
    r->x[k] += v * w->dt;
    r->v[k] = v + (double)f;
    spin[k] = spin[k] + h->w[k] + (double)g;
    w->half[i].v[k] = f;
    w->half[i].w[k] = g;
    load->force[k] = load->torque[k] = 0;
  }
  wrap(w, r, w->field[load->material], t);
  if (speed2 > t->max_speed2) t->max_speed2 = speed2;
}

static inline void correct_one(ScreeWorld *w, size_t i, const Kick *h) {
  for (int k = 0; k < 3; k++) {
    w->record[i].v[k] = w->record[i].v[k] - (double)w->half[i].v[k] + h->v[k];
    w->spin[i][k] = w->spin[i][k] - (double)w->half[i].w[k] + h->w[k];
  }
}

static const Kick still; /* of fixed grains */

static void sweep(ScreeWorld *w, int number, bool correct, bool drift) {
  Worker *worker = w->worker[number];
  Tally *t = &worker->tally;
  if (correct) scree_collect_deferred(w, number);
  for (size_t i = worker->first; i < worker->last; i++) {
    const Record *r = &w->record[i];
    bool fixed = scree_is_fixed(r);
    Kick h = fixed ? still : half_kick(w, r, &w->load[i]);
    if (fixed && correct) t->work += work_of_fixed(w, r, w->spin[i], &w->load[i]);
    if (correct) correct_one(w, i, &h);
    if (fixed && drift) t->work += work_of_fixed(w, r, w->spin[i], &w->load[i]);
    if (drift) drift_one(w, i, &h, t);
  }
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

static void book(ScreeWorld *w) {
  int64_t gained = 0, work = 0;
  double fastest2 = 0.0;
  for (int i = 0; i < w->def.threads; i++) {
    Tally *t = &w->worker[i]->tally;
    gained += t->gained, work += t->work;
    fastest2 = fmax(fastest2, t->max_speed2);
    t->gained = t->work = 0;
    t->max_speed2 = 0.0;
  }
  w->ledger.jump += (double)gained * w->energy_unit;
  w->ledger.work += (double)work * w->energy_unit;
  w->moved += sqrt(fastest2) * w->dt;
}

void scree_drift(ScreeWorld *w) {
  scree_pool_run(w->pool, drift_share, w);
  book(w);
}

void scree_correct(ScreeWorld *w) {
  scree_pool_run(w->pool, correct_share, w);
  book(w);
}

void scree_turnover(ScreeWorld *w) {
  scree_pool_run(w->pool, turnover_share, w);
  book(w);
}
