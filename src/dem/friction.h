/* friction.h: what resists sliding, rolling and twisting, as many pairs at a time as registers hold. Part of kernels.c,
 * which says when. */
#ifndef SCREE_FRICTION_H
#define SCREE_FRICTION_H

#include "contact.h"
#include "grains.h"

INLINE Real inverse_masses(const ScreeWorld *w, const Run *run, const int32_t *i, const int32_t *j) {
  Real first = {0}, second = {0};
  for (int l = 0; l < WIDTH; l++) {
    first[l] = w->record[i[l]].m;
    if (!run->walls) second[l] = w->record[j[l]].m;
  }
  return run->walls ? 1.0 / first : 1.0 / first + 1.0 / second;
}

/* ---- friction ---- */

/* Where the contacts' surfaces slide, in the middle of the step. */
typedef struct Surfaces {
  Vector slide; /* velocity of the first surface relative to the second's in the contact plane */
  Vector spin;  /* of the first grain relative to the second */
  Vector mean;  /* of the contact's normals before and after the step */
  Real turned;  /* angle that the contact turned about its normal in the step */
} Surfaces;

/* The grains' own velocities, and their spins on the arms R - d/2. per: 1/distance; in a step centres go straight on at
 * these velocities, so that the normal of the step before was n + dt u/distance, u being their part in the plane; what
 * the distance changes is left out. */
INLINE Surfaces surfaces_of(double half_step, const Turns *first, const Turns *second, Vector n, Real arm1, Real arm2,
                            Real per) {
  Vector arms = plus(scale(arm1, first->w), scale(arm2, second->w)), motion = minus(first->u, second->u),
         flat = minus(motion, scale(dot(motion, n), n));
  return (Surfaces){.slide = plus(flat, cross(arms, n)),
                    .spin = minus(first->w, second->w),
                    .mean = plus(n, scale(half_step * per, flat)),
                    .turned = dot(plus(first->w, second->w), n) * half_step};
}

/* History turns with the contact: into the new plane, keeping its length, and about the normal with the mean spin. What
 * is perpendicular to n' goes from there to n by h - h.n (n + n')/(1 + n.n'), without a part about the normal. With the
 * mean of both normals in place of (n + n')/(1 + n.n') its length is kept to the fourth power of the angle at a
 * constant distance, else to the third power of the step. About the normal it is turned to the first. */
INLINE Vector turn_history(Vector h, Vector n, Vector mean, Real angle) {
  return plus(minus(h, scale(dot(h, n), mean)), scale(angle, cross(n, h)));
}

/* A divisor that is never zero: what is added is lost beside any other number. */
INLINE Real divisor(Real x) { return x + 1e-150; }

/* The same where only the new normal is known, and for rolling springs. What the plane takes is h.n: its square over
 * |h|^2 is `part`. The length comes back by 1/sqrt(1 - part), a series where that is small. */
INLINE Vector turn_alone(Vector h, Vector n, Real angle) {
  Real before = dot(h, h), along = dot(h, n), part = along * along / divisor(before);
  Vector flat = minus(h, scale(along, n)), turned = plus(flat, scale(angle, cross(n, h)));
  Real factor = 1.0 + part * (0.5 + 0.375 * part);
  Mask large = below(splat(0x1p-17), part);
  if (bits_of(large) != 0) {
    Real after = dot(flat, flat);
    factor = choose(large, only(below(splat(0.0), after), root(before / after)), factor);
  }
  return scale(factor, turned);
}

/* Shortens vectors to a limit; where they were longer. Whether any is comes late, and a wrong guess of it costs as much
 * as a root and a quotient: where some mostly are, `often`, nobody asks. `lanes` counts those of registers with some.
 */
INLINE Mask clip_counted(Vector *f, Real limit, Real *size2, bool often, int *lanes) {
  *size2 = dot(*f, *f);
  Mask longer = below(limit * limit, *size2);
  if (often || bits_of(longer) != 0) {
    *f = scale(choose(longer, limit / root(*size2), splat(1.0)), *f);
    *lanes += !often || bits_of(longer) != 0 ? WIDTH : 0;
  }
  return longer;
}
INLINE Mask clip(Vector *f, Real limit, Real *size2) {
  int lanes = 0;
  return clip_counted(f, limit, size2, false, &lanes);
}

/* Of an overlap that is below zero in the step of first touch. */
INLINE Real root_or_none(Real last) { return root(only(below(splat(0.0), last), last)); }

/* MODELS 7: the tangential spring of no micro-slip, its stiffness 8 G* sqrt(Reff d) the mean of the step's begin and
 * end; on unloading the force shrinks with the stiffness. How much is left of it, and what a sliding speed adds. now,
 * was, root_reff: sqrt(d), that of the step before, sqrt(Reff). */
INLINE void soften_mindlin(double stiffness, Real now, Real was, Real root_reff, Real *shrink, Real *adds) {
  *shrink = smaller_of(now / divisor(was), splat(1.0));
  /* half of what the step adds shrinks, too */
  *adds = stiffness * (1.0 + *shrink) * (root_reff * (now + was));
}

typedef struct Friction {
  Vector before, force, history; /* before: the last step's force, turned with the contact */
  Real size2;                    /* of the force before the limit */
} Friction;

INLINE Friction mindlin(Vector h, Vector slide, Real shrink, Real adds, Real limit, bool often, int *lanes) {
  Friction f = {.before = h, .force = minus(scale(shrink, h), scale(adds, slide))};
  clip_counted(&f.force, limit, &f.size2, often, lanes);
  f.history = f.force;
  return f;
}

/* Cundall & Strack: spring and dashpot; sliding resets the spring so that both together are at the limit. The spring
 * alone tells the last force; with a dashpot it is kept beside it. */
INLINE Friction linear(const ScreeWorld *w, const Class *c, const Block *b, int s, Vector h, Vector slide, Real limit) {
  double kt = c->def.pair.param[SCREE_PARAM_kt], gt = c->dashes ? c->def.pair.param[SCREE_PARAM_gt] : 0.0;
  Vector dash = scale(splat(gt), slide);
  Friction f = {.before = c->dashes ? get3(COLUMNS(((Block *)b)->dash), (size_t)s) : scale(splat(-kt), h)};
  h = plus(h, scale(splat(scree_contact_dt(w)), slide));
  f.force = scale(splat(-1.0), plus(scale(splat(kt), h), dash));
  Mask slips = clip(&f.force, limit, &f.size2);
  Vector reset = scale(splat(-1.0 / kt), plus(f.force, dash));
  /* a dashpot beyond the limit does not load the spring backwards */
  reset = only3(below(dot(reset, f.force), splat(0.0)), reset);
  f.history = choose3(slips, reset, h);
  return f;
}

/* Regularised Coulomb: the share of the limit at a sliding speed. Below the speed that the limit would stop in two
 * steps the step cannot resolve more: friction would chatter. The history is the last force, for the work it does. */
INLINE Friction coulomb(const ScreeWorld *w, const Run *run, const Class *c, const Pairs *q, int s, Vector h,
                        Vector slide, Real limit) {
  const double *param = c->def.pair.param;
  /* what a force on the surfaces of two grains moves: masses and rotations together */
  Real slower = 2.0 * w->dt * 3.5 * limit * inverse_masses(w, run, &KEPT(q, i, s), &KEPT(q, j, s));
  Real own = splat(isnan(param[SCREE_PARAM_veps]) ? 1e-3 : param[SCREE_PARAM_veps]),
       veps = choose(below(own, slower), slower, own), speed2 = dot(slide, slide), per;
  if (c->def.regularisation == SCREE_TANH) {
    Real speed = root(speed2), share = speed / veps;
    for (int l = 0; l < WIDTH; l++) share[l] = tanh(share[l]);
    per = only(below(splat(0.0), speed), share / speed);
  } else {
    per = 1.0 / root(speed2 + veps * veps);
  }
  Friction f = {.before = h, .force = scale(-limit * per, slide)};
  f.size2 = dot(f.force, f.force);
  f.history = f.force;
  return f;
}

/* ---- rolling and twisting ---- */

/* 1 / (m r^2) of both grains; none for a wall. */
INLINE Real inverse_moments(const ScreeWorld *w, const Run *run, const int32_t *i, const int32_t *j) {
  Real first = {0}, second = {0};
  for (int l = 0; l < WIDTH; l++) {
    const Record *a = &w->record[i[l]];
    first[l] = 1.0 / (a->m * a->r * a->r);
    if (run->walls) continue;
    const Record *b = &w->record[j[l]];
    second[l] = 1.0 / (b->m * b->r * b->r);
  }
  return first + second;
}

/* Stiffness of the rolling spring [N m/rad]. The model `constant` holds like Coulomb's friction, as stiffly as the step
 * bears; `spring` is as given, or after Ai et al. 2011 2.25 mu_r^2 R^2 of the contact's secant stiffness, the force at
 * rest over the overlap. */
INLINE Real rolling_stiffness(const ScreeWorld *w, const Class *c, const Block *b, int s, Real inverse) {
  if (c->def.rolling_model == SCREE_ROLLING_CONSTANT) return SCREE_HOLDS / (inverse * (w->dt * w->dt));
  if (c->def.rolling_stiffness > 0.0) return splat(c->def.rolling_stiffness);
  Real reff = get(b->reff + s), d = get(b->d + s),
       per = get(b->at.k + s) * reff * reff * (2.25 * c->def.rolling * c->def.rolling);
  if (!c->power_law) return get(b->secant + s) * reff * reff * (2.25 * c->def.rolling * c->def.rolling);
  if (c->n == 1.5) return per * root(d);
  if (c->n == 1.0) return per;
  if (c->n == 2.0) return per * d;
  Real power = {0};
  for (int l = 0; l < WIDTH; l++) power[l] = d[l] > 0.0 ? pow(d[l], c->n - 1.0) : 0.0;
  return per * power;
}

/* A spring that slips at the limit; while it holds, a dashpot beside it calms it. Grains roll about the point of
 * contact, with moments of 7/5 m r^2. h: the angle it is wound up by, turned with the contact. */
INLINE Vector wind_up(const ScreeWorld *w, const Class *c, Vector *h, Vector turn, Real kr, Real limit, Real inverse) {
  Real size2, cr = 2.0 * c->def.rolling_damping * root(kr * (1.4 / inverse));
  *h = plus(*h, scale(splat(scree_contact_dt(w)), turn));
  Mask slips = clip(h, only(below(splat(0.0), kr), limit / kr), &size2);
  Vector torque = minus(scale(-kr, *h), scale(choose(slips, splat(0.0), cr), turn));
  clip(&torque, limit, &size2);
  return torque;
}

INLINE Vector rolling_spring(const ScreeWorld *w, const Class *c, const Block *b, int s, Vector n, Real turned,
                             Vector roll, Real limit, Real inverse) {
  Vector h = turn_alone(get3(b->at.roll, (size_t)s), n, turned),
         torque = wind_up(w, c, &h, roll, rolling_stiffness(w, c, b, s, inverse), limit, inverse);
  put3(b->at.roll, (size_t)s, only3(below(splat(0.0), get(b->d + s)), h));
  return torque;
}

/* The same about the normal, as stiffly as the step bears. */
INLINE Real twisting_spring(const ScreeWorld *w, const Class *c, const Block *b, int s, Real twist, Real limit,
                            Real inverse) {
  Vector h = {get(b->at.twist + s), {0}, {0}},
         torque =
             wind_up(w, c, &h, (Vector){twist, {0}, {0}}, SCREE_HOLDS / (inverse * (w->dt * w->dt)), limit, inverse);
  put(b->at.twist + s, only(below(splat(0.0), get(b->d + s)), h.x));
  return torque.x;
}

/* Torque on the first grain; its opposite acts on the second. A viscous one is at most a tenth of what stops the motion
 * within the step. */
INLINE Vector resist(ScreeWorld *w, const Run *run, const Class *c, const Block *b, int s, Vector n, const Surfaces *at,
                     Real force) {
  Real reff = get(b->reff + s), inverse = inverse_moments(w, run, &KEPT(&b->at, i, s), &KEPT(&b->at, j, s));
  if (run->walls) force *= get(b->grip + s);
  Real limit = c->def.rolling * reff * force, twist = dot(at->spin, n);
  Vector roll = minus(at->spin, scale(twist, n)), torque = {{0}, {0}, {0}};
  if (c->def.rolling_model == SCREE_ROLLING_VISCOUS)
    torque = scale(-smaller_of(limit * reff, 0.03 / (inverse * w->dt)), roll);
  else if (c->def.rolling_model != SCREE_ROLLING_NONE)
    torque = rolling_spring(w, c, b, s, n, at->turned, roll, limit, inverse);
  if (c->def.twisting > 0.0)
    torque = plus(torque, scale(twisting_spring(w, c, b, s, twist, c->def.twisting * reff * force, inverse), n));
  return torque;
}

#endif
