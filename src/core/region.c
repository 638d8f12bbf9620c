/* region.c: see region.h. */
#include "core/region.h"

#include "core/status.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static bool finite3(const double *v) { return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]); }

ScreeStatus scree_region_check(const ScreeRegion *g) {
  double d[3] = {g->to[0] - g->from[0], g->to[1] - g->from[1], g->to[2] - g->from[2]};
  bool round = g->shape == SCREE_REGION_CYLINDER || g->shape == SCREE_REGION_SPHERE || g->shape == SCREE_REGION_DISC;
  bool flat = g->shape == SCREE_REGION_DISC || g->shape == SCREE_REGION_BEYOND;
  if ((int)g->shape < SCREE_REGION_BOX || g->shape > SCREE_REGION_BEYOND)
    return scree_fail(SCREE_UNKNOWN, "no such shape of a region (%d)", (int)g->shape);
  if (round && !(g->radius > 0.0 && isfinite(g->radius)))
    return scree_fail(SCREE_INVALID, "a round region needs a radius > 0 m (got %.10g)", g->radius);
  if (flat && !(finite3(g->point) && dot(g->normal, g->normal) > 0.0 && isfinite(dot(g->normal, g->normal))))
    return scree_fail(SCREE_INVALID, "a disc or a plane needs a point and a normal that is not zero");
  if (g->shape == SCREE_REGION_SPHERE && !finite3(g->point))
    return scree_fail(SCREE_INVALID, "a region's numbers must be finite");
  if (g->shape == SCREE_REGION_CYLINDER && !(dot(d, d) > 0.0 && isfinite(dot(d, d))))
    return scree_fail(SCREE_INVALID, "the ends of a cylinder must be two different points");
  for (int k = 0; k < 3 && g->shape == SCREE_REGION_BOX; k++)
    if (!(g->high[k] > g->low[k] && isfinite(g->high[k] - g->low[k])))
      return scree_fail(SCREE_INVALID, "a box must have high > low on every axis (axis %d: %.10g ... %.10g m)", k,
                        g->low[k], g->high[k]);
  return SCREE_OK;
}

void scree_region_bounds(const ScreeRegion *g, double low[3], double high[3]) {
  double d[3] = {g->to[0] - g->from[0], g->to[1] - g->from[1], g->to[2] - g->from[2]};
  const double *axis = g->shape == SCREE_REGION_CYLINDER ? d : g->normal;
  double size2 = dot(axis, axis);
  for (int k = 0; k < 3; k++) {
    /* a disc across an axis reaches as far along k as the axis is not along k */
    double wide = g->radius * sqrt(fmax(0.0, 1.0 - axis[k] * axis[k] / size2));
    switch (g->shape) {
    case SCREE_REGION_BOX: low[k] = g->low[k], high[k] = g->high[k]; break;
    case SCREE_REGION_CYLINDER:
      low[k] = fmin(g->from[k], g->to[k]) - wide, high[k] = fmax(g->from[k], g->to[k]) + wide;
      break;
    case SCREE_REGION_SPHERE: low[k] = g->point[k] - g->radius, high[k] = g->point[k] + g->radius; break;
    case SCREE_REGION_DISC: low[k] = g->point[k] - wide, high[k] = g->point[k] + wide; break;
    default: low[k] = -INFINITY, high[k] = INFINITY;
    }
  }
}

double scree_region_volume(const ScreeRegion *g) {
  double d[3] = {g->to[0] - g->from[0], g->to[1] - g->from[1], g->to[2] - g->from[2]};
  switch (g->shape) {
  case SCREE_REGION_BOX: return (g->high[0] - g->low[0]) * (g->high[1] - g->low[1]) * (g->high[2] - g->low[2]);
  case SCREE_REGION_CYLINDER: return PI * g->radius * g->radius * sqrt(dot(d, d));
  case SCREE_REGION_SPHERE: return 4.0 / 3.0 * PI * g->radius * g->radius * g->radius;
  case SCREE_REGION_DISC: return 0.0;
  default: return INFINITY;
  }
}

double scree_region_thickness(const ScreeRegion *g) {
  double d[3] = {g->to[0] - g->from[0], g->to[1] - g->from[1], g->to[2] - g->from[2]};
  switch (g->shape) {
  case SCREE_REGION_BOX: return fmin(g->high[0] - g->low[0], fmin(g->high[1] - g->low[1], g->high[2] - g->low[2]));
  case SCREE_REGION_CYLINDER: return fmin(sqrt(dot(d, d)), g->radius);
  case SCREE_REGION_SPHERE: return g->radius;
  case SCREE_REGION_DISC: return 0.0;
  default: return INFINITY;
  }
}

bool scree_region_holds(const ScreeRegion *g, const double x[3]) {
  if (g->shape == SCREE_REGION_BOX) {
    bool in = true;
    for (int k = 0; k < 3; k++) in = in && x[k] >= g->low[k] && x[k] <= g->high[k];
    return in;
  }
  const double *origin = g->shape == SCREE_REGION_CYLINDER ? g->from : g->point;
  double to[3] = {x[0] - origin[0], x[1] - origin[1], x[2] - origin[2]};
  if (g->shape == SCREE_REGION_SPHERE) return dot(to, to) <= g->radius * g->radius;
  if (g->shape == SCREE_REGION_BEYOND) return dot(to, g->normal) >= 0.0;
  if (g->shape == SCREE_REGION_DISC) return false;
  double d[3] = {g->to[0] - g->from[0], g->to[1] - g->from[1], g->to[2] - g->from[2]}, size2 = dot(d, d),
         along = dot(to, d) / size2;
  return along >= 0.0 && along <= 1.0 && dot(to, to) - along * along * size2 <= g->radius * g->radius;
}

/* ---- random points ---- */

bool scree_space_is_spanned(const ScreeSpace *space, int axis, double low, double high) {
  return space->periodic[axis] && low <= space->low[axis] && high >= space->high[axis];
}

/* Two unit vectors across an axis and each other. */
static void across(const double *axis, double *first, double *second) {
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(axis[k]) < fabs(axis[least])) least = k;
  double size = 0;
  for (int k = 0; k < 3; k++) {
    first[k] = (k == least) - axis[least] * axis[k];
    size += first[k] * first[k];
  }
  for (int k = 0; k < 3; k++) first[k] /= sqrt(size);
  for (int k = 0; k < 3; k++)
    second[k] = axis[(k + 1) % 3] * first[(k + 2) % 3] - axis[(k + 2) % 3] * first[(k + 1) % 3];
}

static bool point_in_box(const ScreeRegion *g, const ScreeSpace *space, double r, const double *u, double *x) {
  for (int k = 0; k < 3; k++) {
    double inset = scree_space_is_spanned(space, k, g->low[k], g->high[k]) ? 0 : r, low = g->low[k] + inset,
           high = g->high[k] - inset;
    if (inset == 0) low = space->low[k], high = space->high[k];
    if (high < low) return false;
    x[k] = low + u[k] * (high - low);
  }
  return true;
}

/* In a cylinder along a unit axis, or on a disc, whose length is 0. */
static bool point_around(const ScreeRegion *g, const double *from, const double *axis, double length, double r,
                         const double *u, double *x) {
  double first[3], second[3], inset = g->shape == SCREE_REGION_DISC ? 0.0 : r;
  if (g->radius < r || length < 2 * inset) return false;
  across(axis, first, second);
  double out = (g->radius - r) * sqrt(u[0]), angle = 2 * PI * u[1], along = inset + u[2] * (length - 2 * inset);
  for (int k = 0; k < 3; k++) x[k] = from[k] + along * axis[k] + out * (cos(angle) * first[k] + sin(angle) * second[k]);
  return true;
}

static bool point_in_sphere(const ScreeRegion *g, double r, const double *u, double *x) {
  if (g->radius < r) return false;
  double out = (g->radius - r) * cbrt(u[0]), z = 2 * u[1] - 1, flat = sqrt(1 - z * z), angle = 2 * PI * u[2];
  double unit[3] = {flat * cos(angle), flat * sin(angle), z};
  for (int k = 0; k < 3; k++) x[k] = g->point[k] + out * unit[k];
  return true;
}

bool scree_region_point(const ScreeRegion *g, const ScreeSpace *space, double r, const double *u, double x[3]) {
  bool disc = g->shape == SCREE_REGION_DISC;
  double axis[3], length;
  switch (g->shape) {
  case SCREE_REGION_BOX: return point_in_box(g, space, r, u, x);
  case SCREE_REGION_SPHERE: return point_in_sphere(g, r, u, x);
  case SCREE_REGION_CYLINDER:
  case SCREE_REGION_DISC:
    for (int k = 0; k < 3; k++) axis[k] = disc ? g->normal[k] : g->to[k] - g->from[k];
    length = sqrt(dot(axis, axis));
    for (int k = 0; k < 3; k++) axis[k] /= length;
    return point_around(g, disc ? g->point : g->from, axis, disc ? 0.0 : length, r, u, x);
  default: return false;
  }
}
