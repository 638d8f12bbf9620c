/* shapes.h: the distance of a centre from a wall, and the direction to it. One text for one grain (wall.c) and, after
 * lanes.h, for as many as a register holds (side.c): every operation is elementwise and correctly rounded, so both give
 * the same bits.
 *
 * In a point no gap changes faster than its position does: what bounds of distances build on (cull.c). */
#ifndef SCREE_SHAPES_H
#define SCREE_SHAPES_H

#include <math.h>

#include "engine.h"

#if !defined(SCREE_LANES_H)
#define INLINE static inline __attribute__((always_inline))
typedef double Real;
typedef bool Mask;
INLINE Real splat(double x) { return x; }
INLINE Real root(Real x) { return sqrt(x); }
INLINE Mask below(Real a, Real b) { return a < b; }
INLINE Mask equal(Real a, Real b) { return a == b; }
INLINE unsigned bits_of(Mask mask) { return mask; }
INLINE Real choose(Mask mask, Real a, Real b) { return mask ? a : b; }
#endif

/* b: the same for all. */
INLINE Real scree_along(const Real *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Inside a round wall a grain on the axis of symmetry touches a ring, which cannot be held by one contact: the sides
 * would alternate. Within a small part of the grain's radius around the axis the distance from it is rounded off, and
 * the normal, the gradient of the rounded distance, gets shorter: on the axis the sides cancel, energy is kept, and
 * farther out nothing changes. There is no friction within. Returns the rounded distance. */
#define SCREE_ROUNDED 0.05 /* of the grain's radius */
INLINE Real scree_round_off(Real distance, Real radius, Real *slope) {
  Real width = SCREE_ROUNDED * radius;
  Mask near = below(distance, width);
  *slope = splat(1.0);
  if (bits_of(near) == 0) return distance;
  *slope = choose(near, distance / width, *slope);
  return choose(near, 0.5 * (distance * distance / width + width), distance);
}

/* Towards the wall along the radial direction of an axis or a centre. */
INLINE Real scree_radial(const Real *unit, Real distance, const ScreeWallDef *w, Real grain, Real *normal) {
  Real slope = splat(1.0), rounded = w->inside ? scree_round_off(distance, grain, &slope) : distance,
       side = w->inside ? slope : splat(-1.0);
  for (int k = 0; k < 3; k++) normal[k] = side * unit[k];
  return w->inside ? w->radius - rounded : distance - w->radius;
}

/* A unit vector across an axis, for points on it. */
INLINE void scree_any_across(const double *axis, double *unit) {
  int least = fabs(axis[0]) <= fabs(axis[1]) && fabs(axis[0]) <= fabs(axis[2]) ? 0
              : fabs(axis[1]) <= fabs(axis[2])                                 ? 1
                                                                               : 2;
  double size2 = 0.0;
  for (int k = 0; k < 3; k++) {
    unit[k] = (k == least ? 1.0 : 0.0) - axis[least] * axis[k];
    size2 += unit[k] * unit[k];
  }
  for (int k = 0; k < 3; k++) unit[k] /= sqrt(size2);
}

/* Shells of revolution: in the half-plane through the axis the wall is a segment from (0, r0) to (length, r1), and the
 * nearest point of it is touched: its inside, its outside, or a rim. */
INLINE Real scree_shell_gap(double length, double r0, double r1, Real along, Real distance, const double *axis,
                            const Real *unit, Real *normal) {
  double dr = r1 - r0;
  Real zero = splat(0.0), one = splat(1.0), t = (along * length + (distance - r0) * dr) / (length * length + dr * dr);
  t = choose(below(t, zero), zero, choose(below(one, t), one, t));
  Real to_along = t * length - along, to_out = r0 + t * dr - distance,
       gap = root(to_along * to_along + to_out * to_out);
  Mask on = equal(gap, zero); /* the centre is on the shell: no side is right */
  for (int k = 0; k < 3; k++) normal[k] = choose(on, unit[k], (to_along * axis[k] + to_out * unit[k]) / gap);
  return gap;
}

/* Endless cone, inside: the surface leans by the half angle from the axis. */
INLINE Real scree_cone_gap(const ScreeWallDef *w, Real along, Real distance, const Real *unit, Real *normal) {
  double c = cos(w->angle), s = sin(w->angle);
  for (int k = 0; k < 3; k++) normal[k] = c * unit[k] - s * w->axis[k];
  return along * s - distance * c;
}

/* Shapes around an axis; to: from the wall's point. */
INLINE Real scree_round_gap(const ScreeWallDef *w, const Real *to, Real along, Real grain, Real *normal) {
  Real out[3], unit[3], slope;
  for (int k = 0; k < 3; k++) out[k] = to[k] - along * w->axis[k];
  Real distance = root(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
  Mask on = equal(distance, splat(0.0));
  for (int k = 0; k < 3; k++) unit[k] = out[k] / distance;
  if (bits_of(on) != 0) {
    double across[3];
    scree_any_across(w->axis, across);
    for (int k = 0; k < 3; k++) unit[k] = choose(on, splat(across[k]), unit[k]);
  }
  if (w->shape == SCREE_WALL_CYLINDER && w->length == 0.0) return scree_radial(unit, distance, w, grain, normal);
  distance = scree_round_off(distance, grain, &slope);
  for (int k = 0; k < 3; k++) unit[k] = unit[k] * slope;
  if (w->shape == SCREE_WALL_CONE && w->length == 0.0) return scree_cone_gap(w, along, distance, unit, normal);
  double r0 = w->shape == SCREE_WALL_DISC ? w->radius2 : w->radius,
         r1 = w->shape == SCREE_WALL_CONE ? w->radius2 : w->radius;
  return scree_shell_gap(w->shape == SCREE_WALL_DISC ? 0.0 : w->length, r0, r1, along, distance, w->axis, unit, normal);
}

INLINE Real scree_sphere_gap(const ScreeWallDef *w, const Real *to, Real grain, Real *normal) {
  Real distance = root(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]), unit[3];
  Mask out = below(splat(0.0), distance);
  for (int k = 0; k < 3; k++) unit[k] = choose(out, to[k] / distance, splat(k == 0));
  return scree_radial(unit, distance, w, grain, normal);
}

/* x: the centre in the wall's own coordinates. Blocks and meshes are no such shapes. */
INLINE Real scree_shape_gap(const ScreeWallDef *w, const Real *x, Real grain, Real *normal) {
  Real to[3] = {x[0] - w->point[0], x[1] - w->point[1], x[2] - w->point[2]}, along = scree_along(to, w->axis);
  if (w->shape == SCREE_WALL_SPHERE) return scree_sphere_gap(w, to, grain, normal);
  if (w->shape != SCREE_WALL_PLANE) return scree_round_gap(w, to, along, grain, normal);
  for (int k = 0; k < 3; k++) normal[k] = splat(-w->axis[k]);
  return along;
}

/* ---- walls that move ---- */

/* A centre as its body sees it: from the reference point in space, and in its own coordinates. */
INLINE void scree_enter(const Frame *f, const Real *x, Real *to, Real *own) {
  for (int k = 0; k < 3; k++) to[k] = x[k] - f->near[k];
  for (int k = 0; k < 3; k++) {
    own[k] = f->turn[0][k] * to[0] + f->turn[1][k] * to[1] + f->turn[2][k] * to[2];
    own[k] += f->home[k];
  }
}

/* A direction of its own coordinates in space. */
INLINE void scree_leave(const Frame *f, const Real *own, Real *space) {
  for (int k = 0; k < 3; k++) space[k] = scree_along(own, f->turn[k]);
}

/* Velocity of its surface along an axis at a lever: at the end of the step, and in its middle. */
INLINE void scree_ground(const Frame *f, const Real *lever, int k, Real *v, Real *u) {
  int y = (k + 1) % 3, z = (k + 2) % 3;
  *v = f->w[y] * lever[z] - f->w[z] * lever[y];
  *u = f->middle_w[y] * lever[z] - f->middle_w[z] * lever[y];
  *v += f->v[k];
  *u += f->middle_v[k];
}

#endif
