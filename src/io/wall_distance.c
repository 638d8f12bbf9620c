/* wall_distance.c: how far a point is from a wall, so that grains can be placed clear of it. Axes have unit length. */
#include "io/scene.h"

#include <math.h>

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Around the grains: to the nearest face. A block: outside to its surface, within it minus the depth. */
static double box_distance(const ScreeWallDef *w, const double *x) {
  double outside2 = 0, nearest = INFINITY;
  for (int k = 0; k < 3; k++) {
    double margin = fmin(x[k] - w->low[k], w->high[k] - x[k]);
    if (margin < 0) outside2 += margin * margin;
    nearest = fmin(nearest, margin);
  }
  if (w->inside) return nearest;
  return outside2 > 0 ? sqrt(outside2) : -nearest;
}

/* From (along, out) to the segment from (0, r0) to (length, r1): a shell of revolution seen in a half-plane. */
static double shell_distance(double length, double r0, double r1, double along, double out) {
  double dr = r1 - r0, size2 = length * length + dr * dr;
  double t = (along * length + (out - r0) * dr) / size2;
  t = fmin(fmax(t, 0.0), 1.0);
  return hypot(along - t * length, out - r0 - t * dr);
}

double scree_wall_distance(const ScreeWallDef *w, const double *x) {
  if (w->shape == SCREE_WALL_BOX) return box_distance(w, x);
  double to[3] = {x[0] - w->point[0], x[1] - w->point[1], x[2] - w->point[2]};
  double from_center = sqrt(dot(to, to));
  if (w->shape == SCREE_WALL_SPHERE) return w->inside ? w->radius - from_center : from_center - w->radius;
  double along = dot(to, w->axis), out2 = dot(to, to) - along * along, out = sqrt(fmax(out2, 0.0));
  switch (w->shape) {
  case SCREE_WALL_PLANE: return along;
  case SCREE_WALL_DISC: return shell_distance(0.0, w->radius2, w->radius, along, out);
  case SCREE_WALL_CYLINDER:
    if (w->length > 0) return shell_distance(w->length, w->radius, w->radius, along, out);
    return w->inside ? w->radius - out : out - w->radius;
  default:
    if (w->length > 0) return shell_distance(w->length, w->radius, w->radius2, along, out);
    return along * sin(w->angle) - out * cos(w->angle);
  }
}
