/* ledger.c: energies, momenta and the hash. Sums over grains and contacts are taken in integers on a scale set by the
 * largest term, so that they do not depend on the order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "engine.h"

/* value(world, index) summed exactly to about 2^-62 of the largest term. */
static double exact_sum(size_t count, double (*value)(const ScreeWorld *, size_t), const ScreeWorld *w) {
  double largest = 0.0;
  for (size_t i = 0; i < count; i++) {
    double size = fabs(value(w, i));
    if (isnan(size)) return NAN;
    largest = fmax(largest, size);
  }
  if (!(largest > 0.0) || isinf(largest)) return largest;
  int exponent;
  frexp(largest, &exponent);
  double unit = ldexp(1.0, exponent - 60);
  __int128 sum = 0;
  for (size_t i = 0; i < count; i++) sum += llrint(value(w, i) / unit);
  return (double)sum * unit;
}

static double inertia(const Record *r) { return 0.4 * r->m * r->r * r->r; }

static double kinetic(const ScreeWorld *w, size_t i) {
  const Record *r = &w->record[i];
  if (scree_is_fixed(r)) return 0.0;
  return 0.5 * r->m * scree_dot(r->v, r->v) + 0.5 * inertia(r) * scree_dot(w->turn[i].w, w->turn[i].w);
}
static double potential(const ScreeWorld *w, size_t i) {
  const Record *r = &w->record[i];
  return scree_is_fixed(r) ? 0.0 : -r->m * scree_dot(w->field[w->turn[i].material], r->x);
}

#define MOMENTUM(axis)                                                                                                 \
  static double momentum_##axis(const ScreeWorld *w, size_t i) {                                                       \
    const Record *r = &w->record[i];                                                                                   \
    return scree_is_fixed(r) ? 0.0 : r->m * r->v[axis];                                                                \
  }
MOMENTUM(0)
MOMENTUM(1)
MOMENTUM(2)
#define ANGULAR(axis, b, c)                                                                                            \
  static double angular_##axis(const ScreeWorld *w, size_t i) {                                                        \
    const Record *r = &w->record[i];                                                                                   \
    if (scree_is_fixed(r)) return 0.0;                                                                                 \
    return r->m * (r->x[b] * r->v[c] - r->x[c] * r->v[b]) + inertia(r) * w->turn[i].w[axis];                           \
  }
ANGULAR(0, 1, 2)
ANGULAR(1, 2, 0)
ANGULAR(2, 0, 1)

/* ---- contacts ---- */

static const Class *class_of_pair(const ScreeWorld *w, size_t p) {
  int32_t j = KEPT(&w->pairs, j, p);
  return scree_class_of(w, w->turn[KEPT(&w->pairs, i, p)].material, scree_material_of(w, j));
}

/* As it was frozen when the contact began. */
static ScreeLaw law_of(const ScreeWorld *w, const Class *c, const Pairs *q, size_t p) {
  ScreeLaw law = {.n = c->n, .m = c->m, .r = c->r, .k = q->k[p], .chi = q->chi[p]};
  for (int k = 0; k < w->constants; k++) law.u[k] = q->own[k][p];
  return law;
}

double scree_stored(const ScreeWorld *w, const Class *c, const Pairs *q, size_t p, double overlap) {
  ScreeLaw law = law_of(w, c, q, p);
  double memory[SCREE_MAX_SLOTS] = {w->slots > 0 ? q->memory[p] : 0.0};
  return scree_law_stored(c->def.normal, &law, overlap, memory);
}

static double stored_normal(const ScreeWorld *w, size_t p, bool plastic) {
  if (w->pairs.k[p] == 0.0) return 0.0;
  const Class *c = class_of_pair(w, p);
  return c->plastic == plastic ? scree_stored(w, c, &w->pairs, p, KEPT(&w->pairs, last, p)) : 0.0;
}
static double stored_viscous(const ScreeWorld *w, size_t p) { return stored_normal(w, p, false); }

static double stored_plastic(const ScreeWorld *w, size_t p) { return stored_normal(w, p, true); }

static double stored_tangential(const ScreeWorld *w, size_t p) {
  const Pairs *q = &w->pairs;
  if (q->k[p] == 0.0) return 0.0;
  const Class *c = class_of_pair(w, p);
  if (c->def.tangential == SCREE_LAW_NONE || c->def.tangential == SCREE_LAW_coulomb) return 0.0;
  double h2 = KEPT(q, shear[0], p) * KEPT(q, shear[0], p) + KEPT(q, shear[1], p) * KEPT(q, shear[1], p) +
              KEPT(q, shear[2], p) * KEPT(q, shear[2], p);
  if (c->def.tangential == SCREE_LAW_tangential_linear) return 0.5 * c->def.pair.param[SCREE_PARAM_kt] * h2;
  int32_t j = KEPT(q, j, p);
  double r1 = w->record[KEPT(q, i, p)].r, reff = j < 0 ? r1 : r1 * w->record[j].r / (r1 + w->record[j].r);
  double kt = 8.0 * c->def.pair.param[SCREE_PARAM_Gstar] * sqrt(reff * KEPT(q, last, p));
  return kt > 0.0 ? 0.5 * h2 / kt : 0.0;
}

/* 1/(kg m2), as friction.h has it; none of a wall, or of a fixed grain. */
static double inverse_moments(const ScreeWorld *w, size_t p) {
  int32_t j = KEPT(&w->pairs, j, p);
  const Record *a = &w->record[KEPT(&w->pairs, i, p)];
  return 1.0 / (a->m * a->r * a->r) + (j < 0 ? 0.0 : 1.0 / (w->record[j].m * w->record[j].r * w->record[j].r));
}

/* N m/rad, of the rolling spring of a touching pair at its last overlap. */
static double rolling_stiffness(const ScreeWorld *w, const Class *c, const Pairs *q, size_t p) {
  if (c->def.rolling_model == SCREE_ROLLING_CONSTANT) return SCREE_HOLDS / (inverse_moments(w, p) * w->dt * w->dt);
  if (c->def.rolling_stiffness > 0.0) return c->def.rolling_stiffness;
  int32_t j = KEPT(q, j, p);
  double d = KEPT(q, last, p), memory[SCREE_MAX_SLOTS] = {w->slots > 0 ? q->memory[p] : 0.0},
         r1 = w->record[KEPT(q, i, p)].r, reff = j < 0 ? r1 : r1 * w->record[j].r / (r1 + w->record[j].r);
  if (!(d > 0.0)) return 0.0;
  ScreeLaw law = law_of(w, c, q, p);
  return scree_law_force(c->def.normal, &law, d, 0.0, memory) / d * reff * reff * 2.25 * c->def.rolling *
         c->def.rolling;
}

static double stored_rolling(const ScreeWorld *w, size_t p) {
  const Pairs *q = &w->pairs;
  if (q->k[p] == 0.0) return 0.0;
  const Class *c = class_of_pair(w, p);
  double held = 0.0;
  if (scree_winds(c))
    held += 0.5 * rolling_stiffness(w, c, q, p) *
            (q->roll[0][p] * q->roll[0][p] + q->roll[1][p] * q->roll[1][p] + q->roll[2][p] * q->roll[2][p]);
  if (c->def.twisting > 0.0)
    held += 0.5 * SCREE_HOLDS / (inverse_moments(w, p) * w->dt * w->dt) * q->twist[p] * q->twist[p];
  return held;
}

static double kinetic_of_walls(const ScreeWorld *w) {
  double sum = 0.0;
  for (int b = 0; b < w->bodies; b++)
    for (int m = 0; m < w->body[b].courses; m++) {
      const Course *c = &w->body[b].course[m];
      sum += 0.5 * c->inertia * c->v * c->v; /* of servos; others have no inertia */
    }
  return sum;
}

double scree_grain_energy(const ScreeWorld *w, size_t i) { return kinetic(w, i) + potential(w, i); }

Held scree_held(const ScreeWorld *w, size_t p) {
  return (Held){stored_viscous(w, p) + stored_plastic(w, p), stored_tangential(w, p), stored_rolling(w, p)};
}

ScreeStatus scree_world_measure(ScreeWorld *w, ScreeMeasure *m) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED_AS(m, "the measure");
  if (!w->started) return scree_fail(SCREE_INVALID, "the world was not started");
  *m = (ScreeMeasure){.step = w->step,
                      .time = w->time,
                      .timestep = w->dt,
                      .grains = w->count,
                      .max_overlap = w->max_overlap,
                      .peak_overlap = w->peak_overlap,
                      .rebuilds = w->rebuilds,
                      .inserted = w->inserted,
                      .removed = w->removed};
  for (size_t p = 0; p < w->pairs.count; p++) m->contacts += w->pairs.k[p] != 0.0;
  m->kinetic = exact_sum(w->count, kinetic, w);
  m->potential = exact_sum(w->count, potential, w) - w->ledger.jump;
  double viscous = exact_sum(w->pairs.count, stored_viscous, w), plastic = exact_sum(w->pairs.count, stored_plastic, w),
         shear = exact_sum(w->pairs.count, stored_tangential, w), roll = exact_sum(w->pairs.count, stored_rolling, w);
  const Ledger *l = &w->ledger;
  m->elastic = viscous + plastic + shear + roll;
  m->dissipated_viscous = l->viscous - viscous - l->clamp + 0.0; /* + 0: no -0 */
  m->dissipated_plastic = l->plastic - plastic + 0.0;
  m->dissipated_clamp = l->clamp;
  m->dissipated_friction = l->tangential - shear + 0.0;
  m->dissipated_rolling = l->rolling - roll + 0.0;
  m->kinetic_walls = kinetic_of_walls(w);
  m->dissipated_walls = l->walls;
  m->work = (double)l->work * w->energy_unit + l->push;
  m->brought_in = l->brought;
  m->taken_out = l->taken;
  m->scheme = exact_sum(w->count, scree_telescoped, w);
  double lost = m->dissipated_viscous + m->dissipated_plastic + m->dissipated_clamp + m->dissipated_friction +
                m->dissipated_rolling + m->dissipated_walls;
  m->residual = l->start + m->work - (m->kinetic - m->scheme + m->kinetic_walls + m->potential + m->elastic + lost) +
                l->brought - l->taken;
  w->ledger.scale = m->scale = fmax(l->scale, m->kinetic + m->kinetic_walls + m->elastic + fabs(lost));
  double (*const linear[])(const ScreeWorld *, size_t) = {momentum_0, momentum_1, momentum_2};
  double (*const angular[])(const ScreeWorld *, size_t) = {angular_0, angular_1, angular_2};
  for (int k = 0; k < 3; k++) {
    m->momentum[k] = exact_sum(w->count, linear[k], w);
    m->angular_momentum[k] = exact_sum(w->count, angular[k], w);
  }
  return SCREE_OK;
}

/* ---- hash ---- */

static uint64_t mix(uint64_t h, uint64_t value) {
  h ^= value + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  return (h ^ (h >> 27)) * 0x94d049bb133111ebu;
}
static uint64_t bits(double x) {
  uint64_t b;
  x += 0.0; /* one zero */
  memcpy(&b, &x, sizeof b);
  return b;
}

uint64_t scree_world_hash(ScreeWorld *w) {
  if (!w) return 0;
  uint64_t total = 0;
  for (size_t i = 0; i < w->count; i++) {
    uint64_t h = mix(1, w->turn[i].id);
    for (int k = 0; k < 3; k++) {
      h = mix(mix(mix(h, bits(w->record[i].x[k])), bits(w->record[i].v[k])), bits(w->turn[i].w[k]));
    }
    total += h;
  }
  for (size_t p = 0; p < w->pairs.count; p++) {
    const Pairs *q = &w->pairs;
    if (q->k[p] == 0.0) continue;
    bool wall = KEPT(q, j, p) < 0;
    uint64_t a = w->turn[KEPT(q, i, p)].id, b = wall ? (uint64_t)(-1 - KEPT(q, j, p)) : w->turn[KEPT(q, j, p)].id;
    double sign = wall || a < b ? 1.0 : -1.0; /* history belongs to the first grain of the pair */
    uint64_t h = sign > 0.0 ? mix(mix(wall ? 3 : 2, a), b) : mix(mix(2, b), a);
    for (int k = 0; k < 3; k++) h = mix(h, bits(sign * KEPT(q, shear[k], p)));
    for (int k = 0; k < 3 && w->rolls; k++) h = mix(h, bits(sign * q->roll[k][p]));
    if (w->twists) h = mix(h, bits(q->twist[p]));
    h = mix(mix(mix(mix(h, bits(q->k[p])), bits(q->chi[p])), bits(KEPT(q, last, p))), bits((double)q->press[p]));
    for (int k = 0; k < w->constants; k++) h = mix(h, bits(q->own[k][p]));
    if (w->slots > 0) h = mix(h, bits(q->memory[p]));
    total += h;
  }
  return total;
}
