/* wall.c: distances to the analytic walls. */
#include <math.h>

#include "engine.h"

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Towards the wall along the radial direction of an axis or a centre. */
static double radial(const double *offset, double distance, double radius, bool inside, double *normal) {
  double side = inside ? 1.0 : -1.0;
  for (int k = 0; k < 3; k++) normal[k] = distance > 0.0 ? side * offset[k] / distance : (k == 0 ? side : 0.0);
  return inside ? radius - distance : distance - radius;
}

double scree_wall_gap(const ScreeWallDef *w, const double *x, double *normal) {
  double to[3] = {x[0] - w->point[0], x[1] - w->point[1], x[2] - w->point[2]};
  double along = dot(to, w->axis);
  if (w->shape == SCREE_WALL_PLANE) {
    for (int k = 0; k < 3; k++) normal[k] = -w->axis[k];
    return along;
  }
  if (w->shape == SCREE_WALL_SPHERE) return radial(to, sqrt(dot(to, to)), w->radius, w->inside, normal);
  double out[3] = {to[0] - along * w->axis[0], to[1] - along * w->axis[1], to[2] - along * w->axis[2]};
  double distance = sqrt(dot(out, out));
  if (w->shape == SCREE_WALL_CYLINDER) return radial(out, distance, w->radius, w->inside, normal);
  /* cone, inside: the surface leans by the half angle from the axis */
  double c = cos(w->angle), s = sin(w->angle), unit[3];
  radial(out, distance, 0.0, true, unit);
  for (int k = 0; k < 3; k++) normal[k] = c * unit[k] - s * w->axis[k];
  return along * s - distance * c;
}
