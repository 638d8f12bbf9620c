/* wall.c: analytic walls: what a definition must satisfy, and the distance of a point from them. */
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "engine.h"
#include "mesh.h"
#include "shapes.h"

/* ---- definitions ---- */

static bool all_finite(const ScreeWallDef *d) {
  bool finite = isfinite(d->radius) && isfinite(d->radius2) && isfinite(d->length) && isfinite(d->angle);
  for (int k = 0; k < 3; k++)
    finite = finite && isfinite(d->point[k]) && isfinite(d->axis[k]) && isfinite(d->low[k]) && isfinite(d->high[k]);
  return finite;
}

static ScreeStatus check_round(const ScreeWallDef *d) {
  bool funnel = d->shape == SCREE_WALL_CONE && d->length > 0.0, disc = d->shape == SCREE_WALL_DISC;
  if (d->length < 0.0) return scree_fail(SCREE_INVALID, "a wall's length must be >= 0 m (got %.10g)", d->length);
  if (d->shape == SCREE_WALL_CONE && !funnel)
    return d->angle > 0.0 && d->angle < 1.5
               ? SCREE_OK
               : scree_fail(SCREE_INVALID, "a cone needs a half angle in 0 ... 1.5 rad (got %.10g)", d->angle);
  if (funnel && !(d->radius >= 0.0 && d->radius2 >= 0.0 && d->radius + d->radius2 > 0.0))
    return scree_fail(SCREE_INVALID, "a funnel needs two radii >= 0 m that are not both zero (got %.10g and %.10g)",
                      d->radius, d->radius2);
  if (!funnel && !(d->radius > 0.0))
    return scree_fail(SCREE_INVALID, "a round wall needs a radius > 0 m (got %.10g)", d->radius);
  if (disc && !(d->radius2 >= 0.0 && d->radius2 < d->radius))
    return scree_fail(SCREE_INVALID, "the hole of a disc must be smaller than the disc (got %.10g and %.10g m)",
                      d->radius2, d->radius);
  return SCREE_OK;
}

/* A box around the grains is six planes: in a corner a grain touches three of them. */
static ScreeStatus split_box(const ScreeWallDef *d, ScreeWallDef *parts, int *count) {
  for (int k = 0; k < 3; k++)
    if (!(d->high[k] > d->low[k]))
      return scree_fail(SCREE_INVALID, "a box must have high > low on every axis (axis %d: %.10g ... %.10g m)", k,
                        d->low[k], d->high[k]);
  *count = d->inside ? 6 : 1;
  parts[0] = *d;
  for (int face = 0; face < 6 && d->inside; face++) {
    ScreeWallDef plane = {.shape = SCREE_WALL_PLANE, .material = d->material};
    int axis = face / 2;
    plane.point[axis] = face % 2 ? d->high[axis] : d->low[axis];
    plane.axis[axis] = face % 2 ? -1.0 : 1.0;
    parts[face] = plane;
  }
  return SCREE_OK;
}

/* A mesh has a wall for each contact that a grain may have with it at once. */
static ScreeStatus split_mesh(const ScreeWallDef *d, ScreeWallDef *parts, int *count) {
  if (!d->mesh) return scree_fail(SCREE_MISSING, "a wall of the shape mesh needs a mesh");
  *count = MESH_SLOTS;
  for (int slot = 0; slot < MESH_SLOTS; slot++) {
    parts[slot] = (ScreeWallDef){.shape = SCREE_WALL_MESH, .material = d->material, .mesh = d->mesh, .wear = d->wear};
    scree_mesh_bounds(d->mesh, parts[slot].low, parts[slot].high);
  }
  return SCREE_OK;
}

ScreeStatus scree_wall_prepare(const ScreeWallDef *d, ScreeWallDef *parts, int *count) {
  if (!all_finite(d)) return scree_fail(SCREE_INVALID, "a wall's numbers must be finite");
  if (d->shape == SCREE_WALL_BOX) return split_box(d, parts, count);
  if (d->shape == SCREE_WALL_MESH) return split_mesh(d, parts, count);
  if ((int)d->shape < SCREE_WALL_PLANE || d->shape > SCREE_WALL_DISC)
    return scree_fail(SCREE_UNKNOWN, "no such shape of a wall (%d)", (int)d->shape);
  double largest = fmax(fabs(d->axis[0]), fmax(fabs(d->axis[1]), fabs(d->axis[2]))), axis[3] = {0.0, 0.0, 0.0};
  if (d->shape != SCREE_WALL_SPHERE && !(largest > 0.0))
    return scree_fail(SCREE_INVALID, "a wall needs an axis or a normal that is not zero");
  for (int k = 0; k < 3 && largest > 0.0; k++) axis[k] = d->axis[k] / largest; /* its square cannot overflow */
  double size = sqrt(scree_dot(axis, axis));
  if (d->shape != SCREE_WALL_PLANE) SCREE_TRY(check_round(d));
  parts[0] = *d;
  for (int k = 0; k < 3 && size > 0.0; k++) parts[0].axis[k] = axis[k] / size;
  *count = 1;
  return SCREE_OK;
}

/* ---- distances ---- */

/* A solid block, from outside: the nearest point of it; from within, the nearest face. */
static double block_gap(const ScreeWallDef *w, const double *x, double *normal) {
  double to[3], d2 = 0.0, deepest = -INFINITY;
  int face = 0;
  for (int k = 0; k < 3; k++) {
    double nearest = fmin(fmax(x[k], w->low[k]), w->high[k]);
    to[k] = nearest - x[k];
    d2 += to[k] * to[k];
    double under = w->low[k] - x[k], above = x[k] - w->high[k], depth = fmax(under, above);
    if (depth > deepest) deepest = depth, face = above > under ? k + 3 : k;
  }
  double gap = sqrt(d2);
  for (int k = 0; k < 3; k++) normal[k] = gap > 0.0 ? to[k] / gap : face % 3 == k ? (face < 3 ? 1.0 : -1.0) : 0.0;
  return gap > 0.0 ? gap : deepest;
}

static double gap_of(const ScreeWallDef *w, const double *x, double grain, double *normal) {
  if (w->shape == SCREE_WALL_BOX) return block_gap(w, x, normal);
  if (w->shape == SCREE_WALL_MESH) return scree_mesh_gap(w->mesh, x, normal);
  return scree_shape_gap(w, x, grain, normal);
}

double scree_wall_distance(const ScreeWallDef *wall, const double position[3]) {
  ScreeWallDef part[6];
  int count = 0;
  double nearest = NAN, normal[3];
  if (!wall || !position || scree_wall_prepare(wall, part, &count) != SCREE_OK) return NAN;
  if (part->shape == SCREE_WALL_MESH) count = 1;
  for (int i = 0; i < count; i++) nearest = fmin(nearest, gap_of(&part[i], position, 0.0, normal));
  return nearest;
}

/* Walls that end within the domain: they have images where it is periodic. */
bool scree_wall_is_bounded(const ScreeWallDef *w) {
  bool endless = w->shape == SCREE_WALL_PLANE ||
                 ((w->shape == SCREE_WALL_CYLINDER || w->shape == SCREE_WALL_CONE) && w->length == 0.0);
  return !endless && !(w->shape == SCREE_WALL_SPHERE && w->inside);
}

double scree_wall_distance_in(const ScreeWorldDef *world, const ScreeWallDef *wall, const double position[3]) {
  double nearest = scree_wall_distance(wall, position);
  if (!world || isnan(nearest) || !scree_wall_is_bounded(wall)) return nearest;
  if (wall->shape == SCREE_WALL_BOX && wall->inside) return nearest; /* six planes */
  for (int image = 0; image < 27; image++) {
    const int shift[3] = {image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1};
    double x[3];
    bool wanted = true;
    for (int k = 0; k < 3; k++) {
      wanted = wanted && (shift[k] == 0 || world->periodic[k]);
      x[k] = position[k] + shift[k] * (world->high[k] - world->low[k]);
    }
    if (wanted) nearest = fmin(nearest, scree_wall_distance(wall, x));
  }
  return nearest;
}

/* The gap to the wall itself, not to its images. */
static double own_gap(const Body *b, const ScreeWallDef *w, const double *x, double grain, double *normal,
                      double *lever) {
  if (!b->moves) return gap_of(w, x, grain, normal);
  double to[3], own[3], towards[3];
  scree_enter(&b->frame, x, to, own);
  double gap = gap_of(w, own, grain, towards);
  scree_leave(&b->frame, towards, normal);
  if (b->turns) memcpy(lever, to, sizeof to);
  return gap;
}

double scree_nearest_wall(const ScreeWorld *w, const Record *grain, int *wall) {
  double nearest = INFINITY, normal[3], lever[3];
  *wall = -1;
  for (int i = 0; i < w->walls; i++) {
    if (!scree_body_of(w, i)->present) continue;
    double gap = scree_wall_gap(w, i, grain, normal, lever);
    if (gap < nearest) nearest = gap, *wall = i;
  }
  return nearest;
}

double scree_wall_gap(const ScreeWorld *world, int number, const Record *grain, double *normal, double *lever) {
  const ScreeWallDef *w = &world->wall[number];
  const Body *body = scree_body_of(world, number);
  for (int k = 0; k < 3; k++) lever[k] = grain->x[k];
  double best = own_gap(body, w, grain->x, grain->r, normal, lever);
  if (world->images == 1 || !scree_wall_is_bounded(w)) return best;
  for (int image = 1; image < world->images; image++) { /* the nearest of the wall's images */
    double x[3], towards[3], arm[3] = {grain->x[0], grain->x[1], grain->x[2]};
    for (int k = 0; k < 3; k++) x[k] = grain->x[k] + world->image[image][k];
    double gap = own_gap(body, w, x, grain->r, towards, arm);
    if (!(gap < best)) continue;
    best = gap;
    for (int k = 0; k < 3; k++) normal[k] = towards[k], lever[k] = arm[k];
  }
  return best;
}

/* ---- displacements ---- */

static double length_between(const double *a, const double *b) {
  double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return sqrt(scree_dot(d, d));
}

/* A block, or a mesh within it: its farthest corner. */
static double block_shift(const ScreeWallDef *w, const Frame *then, const Frame *now) {
  double most = 0.0;
  for (int corner = 0; corner < 8; corner++) {
    double own[3], before[3], after[3];
    for (int k = 0; k < 3; k++) own[k] = corner >> k & 1 ? w->high[k] : w->low[k];
    scree_point_of(then, own, before);
    scree_point_of(now, own, after);
    most = fmax(most, length_between(before, after));
  }
  return most;
}

/* Shapes of revolution are where their point and axis are. The angle between two axes is little more than the distance
 * of their tips; of endless ones the part within the domain counts, seen from the point nearest to its middle. */
double scree_wall_shift(const ScreeWorld *world, const ScreeWallDef *w, const Frame *then, const Frame *now) {
  double p0[3], p1[3], a0[3], a1[3], middle[3], half[3];
  if (w->shape == SCREE_WALL_BOX || w->shape == SCREE_WALL_MESH) return block_shift(w, then, now);
  scree_point_of(then, w->point, p0);
  scree_point_of(now, w->point, p1);
  if (w->shape == SCREE_WALL_SPHERE) return length_between(p0, p1);
  scree_to_space(then, w->axis, a0);
  scree_to_space(now, w->axis, a1);
  double tilt = 1.1 * length_between(a0, a1), far = 0.0;
  for (int k = 0; k < 3; k++) {
    middle[k] = 0.5 * (world->def.low[k] + world->def.high[k]);
    half[k] = 0.5 * (world->def.high[k] - world->def.low[k]);
  }
  far = sqrt(scree_dot(half, half)) + world->max_radius + scree_wall_skin(world, PACES - 1);
  double to0[3], to1[3], along0, along1;
  for (int k = 0; k < 3; k++) to0[k] = middle[k] - p0[k], to1[k] = middle[k] - p1[k];
  along0 = scree_dot(to0, a0), along1 = scree_dot(to1, a1);
  if (w->shape == SCREE_WALL_PLANE) return fabs(along1 - along0) + tilt * far;
  if (w->length > 0.0 || w->shape == SCREE_WALL_DISC)
    return length_between(p0, p1) + tilt * (w->length + fmax(w->radius, w->radius2));
  if (w->shape == SCREE_WALL_CONE) return length_between(p0, p1) + tilt * (sqrt(scree_dot(to0, to0)) + far);
  for (int k = 0; k < 3; k++) p0[k] += along0 * a0[k], p1[k] += along1 * a1[k];
  return length_between(p0, p1) + tilt * far;
}
