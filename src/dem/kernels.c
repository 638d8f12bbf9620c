/* kernels.c: the pair loop, eight pairs at a time. Compiled once per instruction set with SCREE_ISA set to its name.
 *
 * geometry   records of both grains, loaded whole and transposed: overlap, normal, relative motion
 * finish     friction and rolling on the histories that lie with the pair, the work of all forces, and the sums: forces
 *            and torques as integers, transposed back and added to the grains' loads
 *
 * Between the two, contact.c begins and ends contacts and runs the normal law. */
#include "contact.h"
#include "lanes.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define INLINE static inline __attribute__((always_inline))

enum { AHEAD = 64, FAR = 128 }; /* pairs between the prefetch of a grain, or of a pair's memory, and its use */

/* Into the second-level cache: the first has too few places for lines on their way, and would stall. */
#define FETCH(address) __builtin_prefetch(address, 0, 2)

typedef struct Vector8 {
  Real8 x, y, z;
} Vector8;

INLINE Real8 dot8(Vector8 a, Vector8 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE Vector8 cross8(Vector8 a, Vector8 b) {
  return (Vector8){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
INLINE Vector8 scale8(Real8 s, Vector8 a) { return (Vector8){s * a.x, s * a.y, s * a.z}; }
INLINE Vector8 add8(Vector8 a, Vector8 b) { return (Vector8){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE Vector8 sub8(Vector8 a, Vector8 b) { return (Vector8){a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE Vector8 only8(Int8 mask, Vector8 a) { return (Vector8){only(mask, a.x), only(mask, a.y), only(mask, a.z)}; }
INLINE Vector8 get8(double *const *a, size_t at) { return (Vector8){get(a[0] + at), get(a[1] + at), get(a[2] + at)}; }
INLINE void put8(double *const *a, size_t at, Vector8 v) {
  put(a[0] + at, v.x), put(a[1] + at, v.y), put(a[2] + at, v.z);
}
#define COLUMNS(a) ((double *const[]){(a)[0], (a)[1], (a)[2]})

/* ---- geometry ---- */

/* Shortest image of a difference. */
INLINE Real8 image8(const ScreeWorld *w, int axis, Real8 dx) {
  if (!w->def.periodic[axis]) return dx;
  Real8 length = splat(w->def.high[axis] - w->def.low[axis]), half = 0.5 * length;
  return dx - only(dx > half, length) + only(dx < -half, length);
}

typedef struct Motion8 {
  Vector8 rel, w1, w2; /* of the middle of the step */
} Motion8;

INLINE Motion8 load_motion(const ScreeWorld *w, const int32_t *i, const int32_t *j) {
  Real8 row[LANES], last;
  for (int l = 0; l < LANES; l++) {
    const Turn *first = &w->turn[i[l]], *second = &w->turn[j[l]];
    Real4 a, b, c, d;
    memcpy(&a, first->v, sizeof a); /* v, v, v, w */
    memcpy(&b, second->v, sizeof b);
    memcpy(&c, first->v + 2, sizeof c); /* v, w, w, w */
    memcpy(&d, second->v + 2, sizeof d);
    Real4 rel = __builtin_shufflevector(a - b, a, 0, 1, 2, 7), spin = __builtin_shufflevector(c, d, 2, 3, 5, 6);
    row[l] = __builtin_shufflevector(rel, spin, 0, 1, 2, 3, 4, 5, 6, 7);
    last[l] = second->w[2];
  }
  transpose(row);
  return (Motion8){{row[0], row[1], row[2]}, {row[3], row[4], row[5]}, {row[6], row[7], last}};
}

typedef struct Pair8 {
  Vector8 dx, rel; /* x_j - x_i, v_i - v_j */
  Real8 r1, r2;
} Pair8;

INLINE Pair8 load_pairs(const ScreeWorld *w, const int32_t *i, const int32_t *j) {
  Real8 row[LANES];
  for (int l = 0; l < LANES; l++) {
    Real8 a = get(w->record[i[l]].x), b = get(w->record[j[l]].x), d = b - a;
    /* the radii ride along in the places of the differences nobody needs */
    d = __builtin_shufflevector(d, a, 0, 1, 2, 11, 4, 5, 6, 7);
    row[l] = __builtin_shufflevector(d, b, 0, 1, 2, 3, 4, 5, 6, 11);
  }
  transpose(row);
  return (Pair8){
      {image8(w, 0, row[0]), image8(w, 1, row[1]), image8(w, 2, row[2])}, {-row[4], -row[5], -row[6]}, row[3], row[7]};
}

/* Relative velocity of the surfaces: the grains' own, and their spins on the arms R - d/2. */
INLINE void surface_motion(const ScreeWorld *w, const int32_t *i, const int32_t *j, const Pair8 *p, Vector8 n, Real8 d,
                           Block *b, int s) {
  Motion8 m = load_motion(w, i, j);
  Real8 arm1 = p->r1 - 0.5 * d, arm2 = p->r2 - 0.5 * d;
  Vector8 spin = add8(scale8(arm1, m.w1), scale8(arm2, m.w2));
  put8(COLUMNS(b->slide), (size_t)s, add8(sub8(m.rel, scale8(dot8(m.rel, n), n)), cross8(spin, n)));
  put(b->turned + s, dot8(scale8(splat(0.5), add8(m.w1, m.w2)), n) * w->dt);
  put8(COLUMNS(b->spin), (size_t)s, sub8(m.w1, m.w2));
  put(b->arm1 + s, arm1);
  put(b->arm2 + s, arm2);
}

/* What the laws read of the contact's own memory. */
INLINE void load_memory(const ScreeWorld *w, size_t p, Block *b, int s) {
  const Pairs *q = &w->pairs;
  put(b->chi + s, get(q->chi + p));
  for (int k = 0; k < w->constants; k++) put(b->u[k] + s, get(q->own[k] + p));
  if (w->slots > 0) put(b->memory + s, get(q->memory + p));
}

static void deepest(Block *b, size_t p, Real8 d, Real8 smaller) {
  for (int l = 0; l < LANES; l++)
    if (d[l] > b->max_overlap * smaller[l]) {
      b->max_overlap = d[l] / smaller[l];
      b->deepest = p + (size_t)l;
    }
}

/* Nine streams are more than the processor follows by itself, and partners lie anywhere. */
INLINE void fetch_ahead(const ScreeWorld *w, size_t p) {
  const Pairs *q = &w->pairs;
  FETCH(q->k + p + FAR);
  FETCH(q->chi + p + FAR);
  for (int k = 0; k < 3; k++) FETCH(q->shear[k] + p + FAR);
  FETCH(q->last + p + FAR);
  FETCH(q->press + p + FAR);
  FETCH(q->i + p + 2 * FAR);
  FETCH(q->j + p + 2 * FAR);
  for (int l = 0; l < LANES; l++) {
    int32_t j = q->j[p + AHEAD + (size_t)l];
    FETCH(&w->record[j]);
    FETCH(&w->turn[j]);
    FETCH(&w->load[j]);
    FETCH((const char *)(&w->load[j] + 1) - 1); /* half of the loads lie on two lines */
  }
}

static size_t geometry(const ScreeWorld *w, const Run *run, size_t p, Block *b) {
  const Class *c = scree_class_of(w, run->a, run->b);
  bool surfaces =
      c->def.tangential != SCREE_LAW_NONE || c->def.rolling_model != SCREE_ROLLING_NONE || c->def.twisting > 0.0;
  for (b->groups = 0; p < run->end && b->groups < GROUPS; p += LANES) {
    const int32_t *i = w->pairs.i + p, *j = w->pairs.j + p;
    fetch_ahead(w, p);
    Pair8 pair = load_pairs(w, i, j);
    Real8 d2 = dot8(pair.dx, pair.dx), reach = pair.r1 + pair.r2, k = get(w->pairs.k + p);
    unsigned known = bits_of(k != 0.0);
    /* sqrt(x * x) = x exactly: what is apart by this test is apart by the next */
    if ((known | bits_of(d2 < reach * reach)) == 0) continue;
    Real8 distance = root(d2), overlap = reach - distance, d = only(overlap > 0.0, overlap);
    Vector8 n = scale8(1.0 / distance, pair.dx);
    Real8 v = dot8(pair.rel, n);
    int s = b->groups * LANES;
    b->pair[b->groups] = p;
    b->known[b->groups] = (uint8_t)known;
    b->touch[b->groups] = (uint8_t)bits_of(overlap > 0.0);
    b->groups++;
    put8(COLUMNS(b->n), (size_t)s, n);
    put(b->d + s, d);
    put(b->v + s, v);
    put(b->k + s, k);
    put(b->reff + s, pair.r1 * pair.r2 / reach);
    Real8 smaller = choose(pair.r1 < pair.r2, pair.r1, pair.r2);
    if (bits_of(d > b->max_overlap * smaller) != 0) deepest(b, p, d, smaller);
    if (surfaces) surface_motion(w, i, j, &pair, n, d, b, s);
    load_memory(w, p, b, s);
  }
  return p;
}

/* ---- latched speeds ---- */

INLINE Real8 inverse_masses(const ScreeWorld *w, const Run *run, const int32_t *i, const int32_t *j) {
  Real8 first, second = {0};
  for (int l = 0; l < LANES; l++) {
    first[l] = w->record[i[l]].m;
    if (!run->walls) second[l] = w->record[j[l]].m;
  }
  return run->walls ? 1.0 / first : 1.0 / first + 1.0 / second;
}

/* Damping that latches the impact speed goes as 1/v0. In a free impact the overlap never exceeds the elastic one at v0;
 * a contact that began slowly and is pressed later would be damped beyond all measure. So the latched speed is at least
 * the one whose elastic impact reaches the present overlap, v^2 = 2 K d^(n+1)/((n+1) m): free impacts keep their law to
 * the bit, and a pressed contact is damped as an impact of its own depth. */
static void latch(ScreeWorld *w, const Run *run, Block *b) {
  const Class *c = scree_class_of(w, run->a, run->b);
  Pairs *q = &w->pairs;
  for (int g = 0; g < b->groups; g++) {
    int s = g * LANES;
    size_t p = b->pair[g];
    Real8 d = get(b->d + s), chi = get(b->chi + s), power = d * d;
    if (c->n == 1.5)
      power *= root(d);
    else if (c->n != 1.0)
      for (int l = 0; l < LANES; l++) power[l] = pow(d[l], c->n + 1.0);
    Real8 v2 = 2.0 / (c->n + 1.0) * get(b->k + s) * power * inverse_masses(w, run, q->i + p, q->j + p),
          latched = chi - c->rate;
    Int8 rises = mask_of(b->touch[g]) & (latched * latched * v2 > c->latch * c->latch);
    if (bits_of(rises) == 0) continue;
    chi = choose(rises, c->latch / root(v2) + c->rate, chi);
    put(b->chi + s, chi);
    put(q->chi + p, chi);
  }
}

/* ---- friction ---- */

/* History turns with the contact: into the new plane, keeping its length, and about the normal with the mean spin. */
INLINE Vector8 turn_history(Vector8 h, Vector8 n, Real8 angle) {
  Real8 before = dot8(h, h);
  h = sub8(h, scale8(dot8(h, n), n));
  Real8 after = dot8(h, h);
  h = scale8(only(after > 0.0, root(before / after)), h);
  return add8(h, scale8(angle, cross8(n, h)));
}

/* Shortens vectors to a limit; where they were longer. */
INLINE Int8 clip8(Vector8 *f, Real8 limit) {
  Real8 size2 = dot8(*f, *f);
  Int8 longer = size2 > limit * limit;
  if (bits_of(longer) != 0) *f = scale8(choose(longer, limit / root(size2), splat(1.0)), *f);
  return longer;
}

typedef struct Friction {
  Vector8 before, force, history; /* before: the last step's force, turned with the contact */
} Friction;

/* MODELS 7: the tangential spring of no micro-slip, its stiffness that of the step's mean overlap; on unloading the
 * force shrinks with the stiffness. */
INLINE Friction mindlin8(const ScreeWorld *w, const Class *c, Vector8 h, Vector8 slide, Real8 d, Real8 last, Real8 reff,
                         Real8 limit) {
  last = only(last > 0.0, last); /* below zero in the step of first touch */
  Real8 kt = c->def.pair.param[SCREE_PARAM_Gstar] * 8.0 * root(reff * (0.5 * (d + last))), shrink = splat(1.0);
  Int8 unloads = d < last;
  if (bits_of(unloads) != 0) shrink = choose(unloads, root(d / last), shrink);
  /* half of what the step adds shrinks, too */
  Vector8 f = sub8(scale8(shrink, h), scale8(0.5 * (1.0 + shrink) * kt * w->dt, slide));
  clip8(&f, limit);
  return (Friction){h, f, f};
}

/* Cundall & Strack: spring and dashpot; sliding resets the spring so that both together are at the limit. */
INLINE Friction linear8(const ScreeWorld *w, const Class *c, Vector8 h, Vector8 slide, Real8 limit) {
  double kt = c->def.pair.param[SCREE_PARAM_kt], gt = c->def.pair.param[SCREE_PARAM_gt];
  if (isnan(gt)) gt = 0.0;
  Vector8 dash = scale8(splat(gt), slide), before = scale8(splat(-1.0), add8(scale8(splat(kt), h), dash));
  h = add8(h, scale8(splat(w->dt), slide));
  Vector8 f = scale8(splat(-1.0), add8(scale8(splat(kt), h), dash));
  Int8 slips = clip8(&f, limit);
  Vector8 reset = scale8(splat(-1.0 / kt), add8(f, dash));
  reset = only8(dot8(reset, f) < 0.0, reset); /* a dashpot beyond the limit does not load the spring backwards */
  h = (Vector8){choose(slips, reset.x, h.x), choose(slips, reset.y, h.y), choose(slips, reset.z, h.z)};
  return (Friction){before, f, h};
}

/* Regularised: the share of the limit is a function of the sliding speed (contact.c). The history is the last force,
 * for the work it does. */
INLINE Friction coulomb8(Vector8 h, Vector8 slide, Real8 share, Real8 limit) {
  Real8 speed = root(dot8(slide, slide));
  Vector8 f = scale8(only(speed > 0.0, -limit * share / speed), slide);
  return (Friction){h, f, f};
}

INLINE Friction friction8(ScreeWorld *w, const Run *run, const Class *c, const Block *b, int s, size_t p, Real8 force,
                          Real8 last) {
  Vector8 n = get8(COLUMNS((double(*)[BLOCK])b->n), (size_t)s),
          slide = get8(COLUMNS((double(*)[BLOCK])b->slide), (size_t)s);
  Real8 limit = c->def.pair.param[SCREE_PARAM_mu] * force;
  if (run->walls) limit *= get(b->grip + s);
  Vector8 h = turn_history(get8(w->pairs.shear, p), n, get(b->turned + s));
  if (c->def.tangential == SCREE_LAW_coulomb) return coulomb8(h, slide, get(b->share + s), limit);
  if (c->def.tangential == SCREE_LAW_mindlin)
    return mindlin8(w, c, h, slide, get(b->d + s), last, get(b->reff + s), limit);
  return linear8(w, c, h, slide, limit);
}

/* ---- rolling and twisting ---- */

/* 1 / (m r^2) of both grains; none for a wall. */
INLINE Real8 inverse_moments(const ScreeWorld *w, const Run *run, const int32_t *i, const int32_t *j) {
  Real8 first, second = {0};
  for (int l = 0; l < LANES; l++) {
    const Record *a = &w->record[i[l]];
    first[l] = 1.0 / (a->m * a->r * a->r);
    if (run->walls) continue;
    const Record *b = &w->record[j[l]];
    second[l] = 1.0 / (b->m * b->r * b->r);
  }
  return first + second;
}

INLINE Real8 smaller8(Real8 a, Real8 b) { return choose(a < b, a, b); }

/* After Ai et al. 2011: the spring slips at the limit; while it holds, a dashpot beside it calms it. Grains roll about
 * the point of contact, with moments of 7/5 m r^2. held: the torque of the last step, at the stiffness and the limit it
 * had. */
INLINE Vector8 rolling_spring8(ScreeWorld *w, const Class *c, const Block *b, int s, size_t p, Vector8 n, Vector8 roll,
                               Real8 limit, Real8 limit_before, Real8 inverse, Vector8 *held) {
  Real8 reff = get(b->reff + s), last = get(w->pairs.last + p),
        per = get(b->k + s) * reff * reff * (2.25 * c->def.rolling * c->def.rolling), damp = 1.4 / inverse,
        kr = per * root(get(b->d + s)), kr_before = per * root(only(last > 0.0, last)),
        cr = 2.0 * c->def.rolling_damping * root(kr * damp),
        cr_before = 2.0 * c->def.rolling_damping * root(kr_before * damp);
  Vector8 h = turn_history(get8(w->pairs.roll, p), n, get(b->turned + s));
  *held = scale8(-kr_before, h);
  Int8 held_on =
      dot8(*held, *held) < limit_before * limit_before * (1.0 - 1e-5); /* the last force is kept as a float */
  *held = sub8(*held, scale8(only(held_on, cr_before), roll));
  clip8(held, limit_before);
  h = add8(h, scale8(splat(w->dt), roll));
  Int8 slips = clip8(&h, only(kr > 0.0, limit / kr));
  put8(w->pairs.roll, p, only8(get(b->d + s) > 0.0, h));
  Vector8 torque = sub8(scale8(-kr, h), scale8(only(~slips, cr), roll));
  clip8(&torque, limit);
  return torque;
}

/* Torque on the first grain; its opposite acts on the second. `before`: that of the last step as far as it is known,
 * for the work: a torque that goes with the normal force was smaller by as much as that. No torque is larger than half
 * of what would stop the motion within the step: what it brakes comes to rest and does not chatter. */
INLINE Vector8 resist8(ScreeWorld *w, const Run *run, const Class *c, const Block *b, int s, size_t p, Vector8 n,
                       Vector8 spin, Real8 force, Real8 press, Vector8 *before) {
  Real8 ratio = only(force > 0.0, press / force);
  Real8 reff = get(b->reff + s), inverse = inverse_moments(w, run, w->pairs.i + p, w->pairs.j + p);
  if (run->walls) force *= get(b->grip + s), press *= get(b->grip + s);
  Real8 limit = c->def.rolling * reff * force, most = 0.2 / (inverse * w->dt), twist = dot8(spin, n);
  Vector8 roll = sub8(spin, scale8(twist, n)), torque = {{0}, {0}, {0}}, held = torque;
  Real8 rate = root(dot8(roll, roll));
  if (c->def.rolling_model == SCREE_ROLLING_CONSTANT)
    torque = scale8(-only(rate > 0.0, smaller8(limit / rate, most)), roll);
  else if (c->def.rolling_model == SCREE_ROLLING_VISCOUS)
    torque = scale8(-smaller8(limit * reff, most), roll);
  else if (c->def.rolling_model == SCREE_ROLLING_SPRING)
    torque = rolling_spring8(w, c, b, s, p, n, roll, limit, c->def.rolling * reff * press, inverse, &held);
  *before = c->def.rolling_model == SCREE_ROLLING_SPRING ? held : scale8(ratio, torque);
  if (c->def.twisting > 0.0) {
    Real8 size = choose(twist < 0.0, -twist, twist), against = smaller8(c->def.twisting * reff * force / size, most);
    Vector8 twisting = scale8(-only(size > 0.0, against) * twist, n);
    torque = add8(torque, twisting);
    *before = add8(*before, scale8(ratio, twisting));
  }
  return torque;
}

/* ---- sums ---- */

INLINE void add_row(Load *load, Int8 row) {
  Int4 low = __builtin_shufflevector(row, row, 0, 1, 2, 3), old4;
  Int2 high = __builtin_shufflevector(row, row, 4, 5), old2;
  memcpy(&old4, load->force, sizeof old4);
  memcpy(&old2, load->torque + 1, sizeof old2);
  old4 += low;
  old2 += high;
  memcpy(load->force, &old4, sizeof old4);
  memcpy(load->torque + 1, &old2, sizeof old2);
}

/* Adds rows of force and torque to the grains of the lanes that touch. */
INLINE void scatter(ScreeWorld *w, Worker *worker, const int32_t *grain, unsigned touch, Int8 fx, Int8 fy, Int8 fz,
                    Int8 tx, Int8 ty, Int8 tz, bool own) {
  Real8 row[LANES] = {(Real8)fx, (Real8)fy, (Real8)fz, (Real8)tx, (Real8)ty, (Real8)tz, {0}, {0}};
  transpose(row);
  for (; touch != 0; touch &= touch - 1) {
    int l = __builtin_ctz(touch);
    int32_t g = grain[l];
    if (own || ((size_t)g >= worker->first && (size_t)g < worker->last)) {
      add_row(&w->load[g], (Int8)row[l]);
    } else {
      Load load;
      memcpy(&load, &row[l], sizeof load);
      scree_defer(worker, g, &load);
    }
  }
}

/* In integer units; lanes that do not touch give nothing. */
INLINE Int8 units(Int8 mask, Real8 value, double per_unit) { return nearest(only(mask, value * per_unit)); }

/* What no integer holds, numbers that are none among them: they would become any integer at all. */
INLINE Int8 unbounded(Int8 mask, Vector8 value, double unit) {
  double most = 0x1p62 * unit;
  return mask & ~(dot8(value, value) < splat(most * most));
}

/* Of lanes of which one may be lost, and then is any integer at all: no overflow. */
INLINE int64_t total(Int8 x) {
  uint64_t sum = 0;
  for (int l = 0; l < LANES; l++) sum += (uint64_t)x[l];
  return (int64_t)sum;
}

/* Force and torque on a wall about its body's reference point, of lanes that touch; t: couples, of rolling and
 * twisting.
 */
static void push_walls(ScreeWorld *w, Worker *worker, const int32_t *j, unsigned touch, Int8 fx, Int8 fy, Int8 fz,
                       const Int8 *t, const Block *b, int s) {
  double per = w->torque_unit / w->force_unit * w->wall_arm;
  for (; touch != 0; touch &= touch - 1) {
    int l = __builtin_ctz(touch);
    int64_t *sum = worker->wall[-1 - j[l]];
    double f[3] = {-(double)fx[l], -(double)fy[l], -(double)fz[l]};
    double at[3] = {b->lever[0][s + l], b->lever[1][s + l], b->lever[2][s + l]};
    for (int k = 0; k < 3; k++) {
      int y = (k + 1) % 3, z = (k + 2) % 3;
      sum[k] -= k == 0 ? fx[l] : k == 1 ? fy[l] : fz[l];
      sum[3 + k] += llrint((at[y] * f[z] - at[z] * f[y]) * w->wall_arm + (double)t[k][l] * per);
    }
  }
}

/* Work on the triangles of meshes that wear. */
static void wear_out(ScreeWorld *w, Worker *worker, size_t p, unsigned touch, Int8 normal, Int8 shear) {
  for (; touch != 0; touch &= touch - 1) {
    int l = __builtin_ctz(touch);
    scree_wear(w, worker, p + (size_t)l, normal[l], shear[l]);
  }
}

/* Sums that may run over where a number is lost, which is found a few lines later: the run ends, and they are not used.
 */
typedef uint64_t Whole8 __attribute__((vector_size(64)));
INLINE Int8 sum8(Int8 a, Int8 b) { return (Int8)((Whole8)a + (Whole8)b); }
INLINE Int8 difference8(Int8 a, Int8 b) { return (Int8)((Whole8)a - (Whole8)b); }

typedef struct Work8 {
  Int8 normal, tangential, rolling;
} Work8;

INLINE void finish_group(ScreeWorld *w, const Run *run, const Class *c, Worker *worker, int g, Work8 *work) {
  Block *b = &worker->block;
  Pairs *q = &w->pairs;
  size_t p = b->pair[g];
  int s = g * LANES;
  Int8 touch = mask_of(b->touch[g]);
  double per_force = 1.0 / w->force_unit, per_torque = 1.0 / w->torque_unit, per_energy = 1.0 / w->energy_unit;
  Real8 force = get(b->force + s), d = get(b->d + s), last = get(q->last + p);
  Int8 lost = touch & ~(force * force < splat(0x1p124 * w->force_unit * w->force_unit));
  force = only(touch & (force > 0.0), force); /* no attraction */
  Float8 before;
  memcpy(&before, q->press + p, sizeof before);
  Real8 press = __builtin_convertvector(before, Real8);
  /* Work over the approach by the mean of both forces, as in Verlet's own energy balance. */
  Int8 pressed = units(touch, 0.5 * (press + force) * (d - last), per_energy), rubbed = {0};
  work->normal = sum8(work->normal, pressed);
  for (unsigned idle = bits_of(touch & (force == 0.0) & (press == 0.0)); idle != 0; idle &= idle - 1)
    scree_give_up(w, worker, c, q, p + (size_t)__builtin_ctz(idle), d[__builtin_ctz(idle)]);
  before = __builtin_convertvector(force, Float8);
  memcpy(q->press + p, &before, sizeof before);
  put(b->force + s, force);
  Vector8 n = only8(touch, get8(COLUMNS(b->n), (size_t)s)), push = scale8(-force, n);
  Int8 t1[3] = {{0}, {0}, {0}}, t2[3] = {{0}, {0}, {0}};
  if (c->def.tangential != SCREE_LAW_NONE) {
    Friction f = friction8(w, run, c, b, s, p, force, last);
    f.force = only8(touch, f.force);
    put8(q->shear, p, only8(touch, f.history));
    Vector8 way = scale8(splat(-0.5 * w->dt), get8(COLUMNS(b->slide), (size_t)s));
    rubbed = units(touch, dot8(add8(f.before, f.force), way), per_energy);
    work->tangential = sum8(work->tangential, rubbed);
    push = add8(f.force, push);
    Vector8 turn = cross8(n, f.force), first = scale8(get(b->arm1 + s), turn), second = scale8(get(b->arm2 + s), turn);
    t1[0] = units(touch, first.x, per_torque), t1[1] = units(touch, first.y, per_torque);
    t1[2] = units(touch, first.z, per_torque);
    t2[0] = units(touch, second.x, per_torque), t2[1] = units(touch, second.y, per_torque);
    t2[2] = units(touch, second.z, per_torque);
  }
  if (c->def.rolling_model != SCREE_ROLLING_NONE || c->def.twisting > 0.0) {
    Vector8 spin = get8(COLUMNS(b->spin), (size_t)s), before_torque,
            torque = resist8(w, run, c, b, s, p, n, spin, force, press, &before_torque);
    work->rolling =
        sum8(work->rolling, units(touch, dot8(add8(before_torque, torque), spin) * (-0.5 * w->dt), per_energy));
    Int8 extra[3] = {units(touch, torque.x, per_torque), units(touch, torque.y, per_torque),
                     units(touch, torque.z, per_torque)};
    for (int k = 0; k < 3; k++) t1[k] = sum8(t1[k], extra[k]), t2[k] = difference8(t2[k], extra[k]);
    lost |= unbounded(touch, torque, w->torque_unit);
  }
  lost |= unbounded(touch, push, w->force_unit);
  if (bits_of(lost) != 0) { /* the run ends here: no sum of nonsense */
    worker->tally.lost = p + (size_t)__builtin_ctz(bits_of(lost)) + 1;
    return;
  }
  put(q->last + p, d);
  Int8 fx = units(touch, push.x, per_force), fy = units(touch, push.y, per_force), fz = units(touch, push.z, per_force);
  const int32_t *i = q->i + p, *j = q->j + p;
  scatter(w, worker, i, b->touch[g], fx, fy, fz, t1[0], t1[1], t1[2], true);
  if (run->walls && w->wearing > 0) wear_out(w, worker, p, b->touch[g], pressed, rubbed);
  if (run->walls)
    push_walls(w, worker, j, b->touch[g], fx, fy, fz, t2, b, s);
  else
    scatter(w, worker, j, b->touch[g], -fx, -fy, -fz, t2[0], t2[1], t2[2], false);
}

static void finish(ScreeWorld *w, const Run *run, Worker *worker) {
  const Class *c = scree_class_of(w, run->a, run->b);
  Work8 work = {{0}, {0}, {0}};
  for (int g = 0; g < worker->block.groups; g++) finish_group(w, run, c, worker, g, &work);
  if (c->plastic)
    worker->tally.plastic += total(work.normal);
  else
    worker->tally.viscous += total(work.normal);
  worker->tally.tangential += total(work.tangential);
  worker->tally.rolling += total(work.rolling);
}

extern const Kernels JOIN(scree_dem_kernels_, SCREE_ISA);
const Kernels JOIN(scree_dem_kernels_, SCREE_ISA) = {geometry, latch, finish};
