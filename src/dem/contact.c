/* contact.c: from positions to forces. Pairs are taken in blocks: the gap of every pair, then the touching ones packed
 * into contiguous arrays, one run of the normal law's batch per pair of materials in the block, then friction and
 * rolling, and the results added to both grains as integers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "engine.h"

enum { BLOCK = 256 };

/* The touching pairs of a block, packed. */
typedef struct Block {
  int count;
  size_t pair[BLOCK];
  int class_a[BLOCK], class_b[BLOCK];
  double n[3][BLOCK];        /* from the first grain to the second */
  double d[BLOCK], v[BLOCK]; /* overlap, approach speed */
  double slide[3][BLOCK];    /* velocity of the first grain's surface relative to the second's, in the contact plane */
  double r1[BLOCK], r2[BLOCK], reff[BLOCK]; /* lever arms; effective radius */
  double k[BLOCK], chi[BLOCK], u[6][BLOCK], memory[BLOCK], force[BLOCK];
} Block;

/* A contribution to a grain of another thread's. */
typedef struct Elsewhere {
  int32_t grain;
  Sum sum;
} Elsewhere;

/* What a thread adds up besides forces. */
typedef struct Tally {
  int64_t viscous, plastic, clamp, tangential, rolling; /* work, in energy units */
  double max_overlap;
  ScreeStatus status;
  uint64_t id_a, id_b;  /* of the pair that failed */
  char sentence[200];   /* of a library call that failed: the last error is the thread's own */
  size_t first, last;   /* grains whose sums this thread owns */
  Elsewhere *elsewhere; /* what it has to add to the others' grains */
  size_t count, capacity;
} Tally;

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static int64_t to_units(double value, double per_unit) { return llrint(value * per_unit); }

/* ---- geometry ---- */

/* Normal of a pair, its overlap; false when apart. */
static bool touches(const ScreeWorld *w, size_t p, double *n, double *overlap) {
  const Record *a = &w->record[w->pairs.i[p]];
  int32_t j = w->pairs.j[p];
  if (j < 0) {
    *overlap = a->r - scree_wall_gap(&w->wall[-1 - j], a->x, n);
    return *overlap > 0.0;
  }
  const Record *b = &w->record[j];
  double dx[3];
  for (int k = 0; k < 3; k++) dx[k] = scree_image(w, k, b->x[k] - a->x[k]);
  double d2 = dot(dx, dx), reach = a->r + b->r;
  if (d2 >= reach * reach && w->pairs.k[p] == 0.0) return false; /* the usual case of a pair within the skin */
  double distance = sqrt(d2);
  *overlap = reach - distance;
  for (int k = 0; k < 3; k++) n[k] = dx[k] / distance;
  return *overlap > 0.0;
}

/* How far the centres approach each other in a step. */
static double approach(const ScreeWorld *w, size_t p, const double *n) {
  const double *a = w->record[w->pairs.i[p]].v;
  int32_t j = w->pairs.j[p];
  double rel[3];
  for (int k = 0; k < 3; k++) rel[k] = a[k] - (j < 0 ? 0.0 : w->record[j].v[k]);
  return dot(rel, n) * w->dt;
}

/* Relative velocity of the surfaces: the grains' own, and their spins on the arms R - d/2. */
static void surface_motion(const ScreeWorld *w, Block *b, int s, const double *n) {
  size_t p = b->pair[s];
  int32_t i = w->pairs.i[p], j = w->pairs.j[p];
  const Record *first = &w->record[i];
  const Turn *t1 = &w->turn[i];
  double arm1 = first->r - 0.5 * b->d[s], arm2 = 0.0, rel[3], spin[3];
  for (int k = 0; k < 3; k++) rel[k] = first->v[k], spin[k] = arm1 * t1->w[k];
  b->reff[s] = first->r;
  if (j >= 0) {
    const Record *second = &w->record[j];
    arm2 = second->r - 0.5 * b->d[s];
    for (int k = 0; k < 3; k++) rel[k] -= second->v[k], spin[k] += arm2 * w->turn[j].w[k];
    b->reff[s] = first->r * second->r / (first->r + second->r);
  }
  double normal = dot(rel, n);
  b->v[s] = normal;
  b->r1[s] = arm1;
  b->r2[s] = arm2;
  b->slide[0][s] = rel[0] - normal * n[0] + (spin[1] * n[2] - spin[2] * n[1]);
  b->slide[1][s] = rel[1] - normal * n[1] + (spin[2] * n[0] - spin[0] * n[2]);
  b->slide[2][s] = rel[2] - normal * n[2] + (spin[0] * n[1] - spin[1] * n[0]);
}

/* ---- birth and death ---- */

static int material_of(const ScreeWorld *w, int32_t j) {
  return j < 0 ? w->wall[-1 - j].material : w->turn[j].material;
}

static ScreeStatus begin_contact(ScreeWorld *w, const Block *b, int s) {
  Pairs *q = &w->pairs;
  size_t p = b->pair[s];
  int32_t i = q->i[p], j = q->j[p];
  ScreeLaw law;
  int ma = w->turn[i].material, mb = material_of(w, j);
  SCREE_TRY(scree_contact_touch(w, scree_class_of(w, ma, mb), ma, mb, &w->record[i], j < 0 ? NULL : &w->record[j],
                                b->v[s], &law));
  q->k[p] = law.k;
  q->chi[p] = law.chi;
  q->last[p] = 0.0;
  q->press[p] = 0.0F;
  for (int k = 0; k < 3; k++) q->shear[k][p] = 0.0;
  for (int k = 0; k < 3 && w->rolls; k++) q->roll[k][p] = 0.0;
  for (int k = 0; k < w->constants; k++) q->own[k][p] = law.u[k];
  if (w->slots > 0) q->memory[p] = 0.0;
  return SCREE_OK;
}

/* Books work of a normal force with the kind of law that made it. */
static void book(const ScreeWorld *w, const Class *c, double work, Tally *t) {
  *(c->plastic ? &t->plastic : &t->viscous) += to_units(work, 1.0 / w->energy_unit);
}

static void end_contact(const ScreeWorld *w, size_t p, const double *n, Tally *t) {
  const Class *c = scree_class_of(w, w->turn[w->pairs.i[p]].material, material_of(w, w->pairs.j[p]));
  book(w, c, 0.5 * (double)w->pairs.press[p] * approach(w, p, n), t);
  if (w->pairs.press[p] == 0.0F && !c->plastic)
    t->clamp += to_units(scree_stored(w, p, w->pairs.last[p]), 1.0 / w->energy_unit);
}

static ScreeStatus gather(ScreeWorld *w, size_t from, size_t to, Block *b, Tally *t) {
  Pairs *q = &w->pairs;
  b->count = 0;
  for (size_t p = from; p < to; p++) {
    double n[3], overlap;
    if (!touches(w, p, n, &overlap)) {
      if (q->k[p] != 0.0) end_contact(w, p, n, t);
      q->k[p] = 0.0; /* a contact that ended leaves no memory */
      continue;
    }
    int s = b->count++;
    b->pair[s] = p;
    b->d[s] = overlap;
    for (int k = 0; k < 3; k++) b->n[k][s] = n[k];
    surface_motion(w, b, s, n);
    int32_t i = q->i[p], j = q->j[p];
    b->class_a[s] = w->turn[i].material;
    b->class_b[s] = material_of(w, j);
    double smaller = j < 0 ? w->record[i].r : fmin(w->record[i].r, w->record[j].r);
    double share = overlap / smaller;
    if (share > t->max_overlap) t->max_overlap = share;
    if (share > w->def.max_overlap) {
      t->id_a = w->id[i];
      t->id_b = j < 0 ? UINT64_MAX : w->id[j];
      return t->status = SCREE_OUT_OF_RANGE;
    }
    if (q->k[p] == 0.0 && (t->status = begin_contact(w, b, s)) != SCREE_OK) {
      snprintf(t->sentence, sizeof t->sentence, "%s", scree_last_error());
      return t->status;
    }
    b->k[s] = q->k[p];
    b->chi[s] = q->chi[p];
    for (int k = 0; k < w->constants; k++) b->u[k][s] = q->own[k][p];
    if (w->slots > 0) b->memory[s] = q->memory[p];
  }
  return SCREE_OK;
}

/* ---- normal forces ---- */

/* Runs the batch of one class over a stretch of the block, all of whose contacts belong to it. */
static void run_law(const ScreeWorld *w, Block *b, int from, int to) {
  const Class *c = scree_class_of(w, b->class_a[from], b->class_b[from]);
  const ScreeLawInfo *info = scree_law_info(c->def.normal);
  double n = isnan(c->def.pair.exponent) ? info->exponent : c->def.pair.exponent;
  bool own_m = c->def.normal == SCREE_LAW_falcon && !isnan(c->def.pair.param[SCREE_PARAM_gamma]);
  bool own_r = c->def.normal == SCREE_LAW_alizadeh && !isnan(c->def.pair.param[SCREE_PARAM_nl]);
  double m = own_m                                      ? c->def.pair.param[SCREE_PARAM_gamma]
             : info->damping_exponent == info->exponent ? n
                                                        : info->damping_exponent;
  if (c->def.normal == SCREE_LAW_power_law_tsuji) m = 0.5 * (n - 1.0);
  ScreeBatch batch = {
      .count = (size_t)(to - from),
      .n = n,
      .m = m,
      .r = own_r ? c->def.pair.param[SCREE_PARAM_nl] : info->rate_exponent,
      .d = b->d + from,
      .v = b->v + from,
      .k = b->k + from,
      .chi = b->chi + from,
      .u = {b->u[0] + from, b->u[1] + from, b->u[2] + from, b->u[3] + from, b->u[4] + from, b->u[5] + from},
      .memory = {b->memory + from, NULL},
      .force = b->force + from};
  scree_batch_force(c->def.normal, &batch);
  if (info->slots == 0 || info->group != SCREE_POINT) return;
  for (int s = from; s < to; s++) { /* memory that flows with time (jian, xiong): one step further */
    ScreeLaw law = {.n = n, .m = m, .r = batch.r, .k = b->k[s], .chi = b->chi[s]};
    for (int k = 0; k < 6; k++) law.u[k] = k < w->constants ? b->u[k][s] : 0.0;
    b->memory[s] += w->dt * scree_law_rate(c->def.normal, &law, b->d[s], b->v[s], &b->memory[s]);
  }
}

static void normal_forces(ScreeWorld *w, Block *b) {
  for (int from = 0; from < b->count;) {
    int to = from + 1;
    while (to < b->count && b->class_a[to] == b->class_a[from] && b->class_b[to] == b->class_b[from]) to++;
    run_law(w, b, from, to);
    from = to;
  }
  for (int s = 0; s < b->count; s++) {
    if (w->slots > 0) w->pairs.memory[b->pair[s]] = b->memory[s];
    b->force[s] = b->force[s] > 0.0 ? b->force[s] : 0.0; /* no attraction */
  }
}

/* ---- friction ---- */

/* History turns with the contact: into the new plane, keeping its length, and about the normal with the mean spin. */
static void turn_history(const ScreeWorld *w, const Block *b, int s, double *h) {
  size_t p = b->pair[s];
  double n[3] = {b->n[0][s], b->n[1][s], b->n[2][s]}, before = dot(h, h);
  if (before == 0.0) return;
  double out = dot(h, n);
  for (int k = 0; k < 3; k++) h[k] -= out * n[k];
  double after = dot(h, h), scale = after > 0.0 ? sqrt(before / after) : 0.0;
  int32_t i = w->pairs.i[p], j = w->pairs.j[p];
  double mean[3];
  for (int k = 0; k < 3; k++) mean[k] = j < 0 ? 0.5 * w->turn[i].w[k] : 0.5 * (w->turn[i].w[k] + w->turn[j].w[k]);
  double angle = dot(mean, n) * w->dt;
  double h0 = scale * h[0], h1 = scale * h[1], h2 = scale * h[2];
  h[0] = h0 + angle * (n[1] * h2 - n[2] * h1);
  h[1] = h1 + angle * (n[2] * h0 - n[0] * h2);
  h[2] = h2 + angle * (n[0] * h1 - n[1] * h0);
}

/* Shortens a vector to a limit; true when it was longer. */
static bool clip(double *f, double limit) {
  double size2 = dot(f, f);
  if (size2 <= limit * limit) return false;
  double scale = size2 > 0.0 ? limit / sqrt(size2) : 0.0;
  for (int k = 0; k < 3; k++) f[k] *= scale;
  return true;
}

/* Force of friction on the first grain. */
static void friction_force(ScreeWorld *w, const Block *b, int s, const Class *c, const double *slide, double *f) {
  Pairs *q = &w->pairs;
  size_t p = b->pair[s];
  double h[3] = {q->shear[0][p], q->shear[1][p], q->shear[2][p]};
  const double *param = c->def.pair.param;
  double limit = param[SCREE_PARAM_mu] * b->force[s];
  turn_history(w, b, s, h);
  if (c->def.tangential == SCREE_LAW_mindlin) {
    double last = q->last[p], shrink = b->d[s] < last ? sqrt(b->d[s] / last) : 1.0;
    double kt = param[SCREE_PARAM_Gstar] * 8.0 * sqrt(b->reff[s] * b->d[s]);
    for (int k = 0; k < 3; k++) f[k] = h[k] * shrink - kt * slide[k] * w->dt;
    clip(f, limit);
    for (int k = 0; k < 3; k++) h[k] = f[k];
  } else if (c->def.tangential == SCREE_LAW_tangential_linear) {
    double kt = param[SCREE_PARAM_kt], gt = isnan(param[SCREE_PARAM_gt]) ? 0.0 : param[SCREE_PARAM_gt];
    for (int k = 0; k < 3; k++) {
      h[k] += slide[k] * w->dt;
      f[k] = -(kt * h[k] + gt * slide[k]);
    }
    if (clip(f, limit))
      for (int k = 0; k < 3; k++) h[k] = -(f[k] + gt * slide[k]) / kt;
  } else {
    double speed = sqrt(dot(slide, slide)), veps = isnan(param[SCREE_PARAM_veps]) ? 1e-3 : param[SCREE_PARAM_veps];
    double share = c->def.regularisation == SCREE_TANH ? tanh(speed / veps) : speed / sqrt(speed * speed + veps * veps);
    for (int k = 0; k < 3; k++) f[k] = speed > 0.0 ? -limit * share * slide[k] / speed : 0.0;
  }
  for (int k = 0; k < 3; k++) q->shear[k][p] = h[k];
  q->last[p] = b->d[s];
}

/* ---- rolling and twisting ---- */

/* Of two grains that roll on each other about the point of contact. */
static double rolling_inertia(const ScreeWorld *w, int32_t i, int32_t j) {
  const Record *a = &w->record[i], *b = j < 0 ? NULL : &w->record[j];
  double first = 1.0 / (1.4 * a->m * a->r * a->r);
  return 1.0 / (b ? first + 1.0 / (1.4 * b->m * b->r * b->r) : first);
}

/* Torque on the first grain; its opposite acts on the second. */
static void resisting_torque(ScreeWorld *w, const Block *b, int s, const Class *c, double *torque) {
  Pairs *q = &w->pairs;
  size_t p = b->pair[s];
  int32_t i = q->i[p], j = q->j[p];
  double n[3] = {b->n[0][s], b->n[1][s], b->n[2][s]}, rel[3];
  for (int k = 0; k < 3; k++) rel[k] = w->turn[i].w[k] - (j < 0 ? 0.0 : w->turn[j].w[k]);
  double twist = dot(rel, n), roll[3], limit = c->def.rolling * b->reff[s] * b->force[s];
  for (int k = 0; k < 3; k++) roll[k] = rel[k] - twist * n[k];
  double rate = sqrt(dot(roll, roll));
  for (int k = 0; k < 3; k++) torque[k] = 0.0;
  if (c->def.rolling_model == SCREE_ROLLING_CONSTANT) {
    /* regularised at a spin that moves the surface by a millionth of the radius per step */
    double small = 1e-6 / w->dt, share = rate / sqrt(rate * rate + small * small);
    for (int k = 0; k < 3; k++) torque[k] = rate > 0.0 ? -limit * share * roll[k] / rate : 0.0;
  } else if (c->def.rolling_model == SCREE_ROLLING_VISCOUS) {
    for (int k = 0; k < 3; k++) torque[k] = -limit * b->reff[s] * roll[k];
  } else if (c->def.rolling_model == SCREE_ROLLING_SPRING) {
    /* after Ai et al. 2011: the spring slips at the limit; while it holds, a dashpot beside it calms it */
    double h[3] = {q->roll[0][p], q->roll[1][p], q->roll[2][p]},
           kr = scree_rolling_stiffness(c, b->k[s], b->d[s], b->reff[s]),
           cr = 2.0 * c->def.rolling_damping * sqrt(kr * rolling_inertia(w, i, j));
    turn_history(w, b, s, h);
    for (int k = 0; k < 3; k++) h[k] += roll[k] * w->dt;
    bool slips = clip(h, kr > 0.0 ? limit / kr : 0.0);
    for (int k = 0; k < 3; k++) torque[k] = -kr * h[k] - (slips ? 0.0 : cr * roll[k]);
    clip(torque, limit);
    for (int k = 0; k < 3; k++) q->roll[k][p] = h[k];
  }
  if (c->def.twisting > 0.0) {
    double small = 1e-6 / w->dt, most = c->def.twisting * b->reff[s] * b->force[s];
    double against = -most * twist / sqrt(twist * twist + small * small);
    for (int k = 0; k < 3; k++) torque[k] += against * n[k];
  }
}

/* ---- summing ---- */

static bool defer(Tally *t, int32_t grain, const Sum *sum) {
  if (t->count == t->capacity) {
    size_t capacity = t->capacity ? 2 * t->capacity : 256;
    Elsewhere *grown = realloc(t->elsewhere, capacity * sizeof *grown);
    if (!grown) return false;
    t->elsewhere = grown;
    t->capacity = capacity;
  }
  t->elsewhere[t->count++] = (Elsewhere){grain, *sum};
  return true;
}

static void add(Sum *to, const Sum *sum) {
  for (int k = 0; k < 3; k++) {
    to->force[k] += sum->force[k];
    to->torque[k] += sum->torque[k];
  }
}

static void scatter(ScreeWorld *w, const Block *b, int s, const double *friction, const double *torque, Tally *t) {
  size_t p = b->pair[s];
  int32_t i = w->pairs.i[p], j = w->pairs.j[p];
  double n[3] = {b->n[0][s], b->n[1][s], b->n[2][s]}, per_force = 1.0 / w->force_unit,
         per_torque = 1.0 / w->torque_unit;
  double turn[3] = {n[1] * friction[2] - n[2] * friction[1], n[2] * friction[0] - n[0] * friction[2],
                    n[0] * friction[1] - n[1] * friction[0]};
  Sum first, second;
  for (int k = 0; k < 3; k++) {
    int64_t force = to_units(friction[k] - b->force[s] * n[k], per_force), extra = to_units(torque[k], per_torque);
    first.force[k] = force;
    first.torque[k] = to_units(b->r1[s] * turn[k], per_torque) + extra;
    second.force[k] = -force;
    second.torque[k] = to_units(b->r2[s] * turn[k], per_torque) - extra;
  }
  add(&w->sum[i], &first);
  if (j < 0) return;
  if ((size_t)j >= t->first && (size_t)j < t->last)
    add(&w->sum[j], &second);
  else if (!defer(t, j, &second))
    t->status = SCREE_NO_MEMORY;
}

static void finish_block(ScreeWorld *w, Block *b, Tally *t) {
  for (int s = 0; s < b->count; s++) {
    const Class *c = scree_class_of(w, b->class_a[s], b->class_b[s]);
    double slide[3] = {b->slide[0][s], b->slide[1][s], b->slide[2][s]}, friction[3] = {0.0, 0.0, 0.0},
           torque[3] = {0.0, 0.0, 0.0};
    size_t p = b->pair[s];
    /* Work over the approach by the mean of both forces, as in Verlet's own energy balance; in the step of first touch
     * the approach is that of the whole step. */
    double mean = 0.5 * ((double)w->pairs.press[p] + b->force[s]);
    double gained = w->pairs.press[p] > 0.0F ? b->d[s] - w->pairs.last[p] : b->v[s] * w->dt;
    book(w, c, mean * gained, t);
    if (b->force[s] == 0.0 && w->pairs.press[p] == 0.0F && !c->plastic)
      t->clamp += to_units(scree_stored(w, p, w->pairs.last[p]) - scree_stored(w, p, b->d[s]), 1.0 / w->energy_unit);
    w->pairs.press[p] = (float)b->force[s];
    if (c->def.tangential == SCREE_LAW_NONE) w->pairs.last[p] = b->d[s];
    if (c->def.tangential != SCREE_LAW_NONE) {
      friction_force(w, b, s, c, slide, friction);
      t->tangential += to_units(-dot(friction, slide) * w->dt, 1.0 / w->energy_unit);
    }
    if (c->def.rolling_model != SCREE_ROLLING_NONE || c->def.twisting > 0.0) {
      int32_t i = w->pairs.i[p], j = w->pairs.j[p];
      double rel[3];
      for (int k = 0; k < 3; k++) rel[k] = w->turn[i].w[k] - (j < 0 ? 0.0 : w->turn[j].w[k]);
      resisting_torque(w, b, s, c, torque);
      t->rolling += to_units(-dot(torque, rel) * w->dt, 1.0 / w->energy_unit);
    }
    scatter(w, b, s, friction, torque, t);
  }
}

static ScreeStatus explain(const ScreeWorld *w, const Tally *t) {
  if (*t->sentence) return scree_fail(t->status, "%s", t->sentence);
  if (t->status == SCREE_NO_MEMORY)
    return scree_fail(SCREE_NO_MEMORY, "no memory for the contacts of step %ld", w->step);
  if (t->id_b == UINT64_MAX)
    return scree_fail(SCREE_OUT_OF_RANGE,
                      "step %ld: grain %llu overlaps a wall by %.3g of its radius (limit %.3g): too soft, too fast or "
                      "a step too long",
                      w->step, (unsigned long long)t->id_a, t->max_overlap, w->def.max_overlap);
  return scree_fail(SCREE_OUT_OF_RANGE,
                    "step %ld: grains %llu and %llu overlap by %.3g of the smaller radius (limit %.3g): too soft, too "
                    "fast or a step too long",
                    w->step, (unsigned long long)t->id_a, (unsigned long long)t->id_b, t->max_overlap,
                    w->def.max_overlap);
}

typedef struct Job {
  ScreeWorld *world;
  Tally *tally; /* one per thread */
} Job;

/* Pairs are ordered by their first grain: a share of the pairs that begins and ends with a grain's own makes the thread
 * the owner of a range of grains. */
static size_t share_begin(const ScreeWorld *w, int number, int threads) {
  size_t p = scree_pool_begin(w->pairs.count, number, threads);
  while (p > 0 && p < w->pairs.count && w->pairs.i[p] == w->pairs.i[p - 1]) p++;
  return p;
}

static size_t first_grain(const ScreeWorld *w, int number, int threads) {
  if (number == 0) return 0;
  size_t p = share_begin(w, number, threads);
  return number == threads || p >= w->pairs.count ? w->count : (size_t)w->pairs.i[p];
}

static void clear_sums(void *context, int number, int threads) {
  const Job *job = context;
  ScreeWorld *w = job->world;
  size_t from = scree_pool_begin(w->count, number, threads), to = scree_pool_begin(w->count, number + 1, threads);
  memset(w->sum + from, 0, (to - from) * sizeof *w->sum);
}

static void run_share(void *context, int number, int threads) {
  const Job *job = context;
  ScreeWorld *w = job->world;
  Tally *t = &job->tally[number];
  static _Thread_local Block b;
  size_t begin = share_begin(w, number, threads), end = share_begin(w, number + 1, threads);
  t->first = first_grain(w, number, threads);
  t->last = first_grain(w, number + 1, threads);
  for (size_t from = begin; from < end && t->status == SCREE_OK; from += BLOCK) {
    size_t to = from + BLOCK < end ? from + BLOCK : end;
    if (gather(w, from, to, &b, t) != SCREE_OK) return;
    normal_forces(w, &b);
    finish_block(w, &b, t);
  }
}

/* The threads' tallies become the world's; the order of integer sums does not matter. */
static ScreeStatus collect(ScreeWorld *w, Tally *tally, int threads) {
  int64_t viscous = 0, plastic = 0, clamp = 0, tangential = 0, rolling = 0;
  ScreeStatus status = SCREE_OK;
  w->max_overlap = 0.0;
  for (int i = 0; i < threads; i++) {
    Tally *t = &tally[i];
    for (size_t e = 0; e < t->count; e++) add(&w->sum[t->elsewhere[e].grain], &t->elsewhere[e].sum);
    viscous += t->viscous, plastic += t->plastic, clamp += t->clamp;
    tangential += t->tangential, rolling += t->rolling;
    w->max_overlap = fmax(w->max_overlap, t->max_overlap);
    if (t->status != SCREE_OK && status == SCREE_OK) status = explain(w, t);
    free(t->elsewhere);
  }
  w->ledger.viscous += (double)viscous * w->energy_unit;
  w->ledger.plastic += (double)plastic * w->energy_unit;
  w->ledger.clamp += (double)clamp * w->energy_unit;
  w->ledger.tangential += (double)tangential * w->energy_unit;
  w->ledger.rolling += (double)rolling * w->energy_unit;
  return status;
}

ScreeStatus scree_contacts(ScreeWorld *w) {
  Tally *tally = calloc((size_t)w->def.threads, sizeof *tally);
  if (!tally) return scree_fail(SCREE_NO_MEMORY, "no memory for the contacts");
  Job job = {w, tally};
  scree_pool_run(w->pool, clear_sums, &job);
  scree_pool_run(w->pool, run_share, &job);
  ScreeStatus status = collect(w, tally, w->def.threads);
  free(tally);
  return status;
}
