/* render_gates.c: see render_parts.h. Where grains come and go: without it a stream begins, and a jet ends, in mid-air.
 * Boxes and planes are cut at what is shown; round regions are shown as rings, where their middle is. */
#include "io/render_parts.h"

#include <math.h>
#include <string.h>

#define AROUND 48
#define PI 3.14159265358979323846

static bool is_shown(const Picture *p, const double *x) {
  for (int k = 0; k < 3; k++)
    if (!(x[k] >= p->room_low[k] && x[k] <= p->room_high[k])) return false;
  return true;
}

static void draw_ring(const double *middle, const double *axis, double radius, ScreeGateLine *line, void *context) {
  double u[3], v[3], x[2][3], size = sqrt(scree_picture_dot(axis, axis)), unit[3];
  for (int k = 0; k < 3; k++) unit[k] = axis[k] / size;
  scree_surface_across(unit, u, v);
  for (int i = 0; i <= AROUND; i++) {
    double c = radius * cos(2 * PI * i / AROUND), s = radius * sin(2 * PI * i / AROUND);
    for (int k = 0; k < 3; k++) x[i & 1][k] = middle[k] + c * u[k] + s * v[k];
    if (i & 1) line(context, x[0], x[1]); /* every other piece: they are shorter than those of a broken line */
  }
}

static bool draw_box(const Picture *p, const ScreeRegion *r, ScreeGateLine *line, void *context) {
  double low[3], high[3];
  for (int k = 0; k < 3; k++) {
    low[k] = fmax(r->low[k], p->room_low[k]), high[k] = fmin(r->high[k], p->room_high[k]);
    if (!(low[k] <= high[k])) return false;
  }
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) {
      double a[3], b[3];
      if (i >> k & 1) continue;
      for (int j = 0; j < 3; j++) a[j] = b[j] = i >> j & 1 ? high[j] : low[j];
      b[k] = high[k];
      line(context, a, b);
    }
  return true;
}

/* All beyond a plane: the outline of the plane. */
static bool draw_beyond(const Picture *p, const ScreeRegion *r, ScreeGateLine *line, void *context) {
  double size = sqrt(scree_picture_dot(r->normal, r->normal));
  ScreeWallDef plane = {.shape = SCREE_WALL_PLANE};
  ScreeSurface s = {0};
  memcpy(plane.point, r->point, sizeof plane.point);
  for (int k = 0; k < 3; k++) plane.axis[k] = r->normal[k] / size;
  scree_surface_add(&s, &plane, 0, p->room_low, p->room_high);
  for (size_t i = 0; i < s.corners && !s.failed; i++)
    line(context, s.point + 3 * s.corner[i], s.point + 3 * s.corner[(i + 1) % s.corners]);
  bool shown = s.polygons > 0;
  scree_surface_free(&s);
  return shown;
}

bool scree_gate_outline(const Picture *p, const ScreeRegion *r, ScreeGateLine *line, void *context) {
  double axis[3];
  switch (r->shape) {
  case SCREE_REGION_BOX: return draw_box(p, r, line, context);
  case SCREE_REGION_BEYOND: return draw_beyond(p, r, line, context);
  case SCREE_REGION_DISC:
    if (!is_shown(p, r->point)) return false;
    draw_ring(r->point, r->normal, r->radius, line, context);
    return true;
  case SCREE_REGION_CYLINDER:
    if (!is_shown(p, r->from) && !is_shown(p, r->to)) return false;
    for (int k = 0; k < 3; k++) axis[k] = r->to[k] - r->from[k];
    draw_ring(r->from, axis, r->radius, line, context);
    draw_ring(r->to, axis, r->radius, line, context);
    return true;
  case SCREE_REGION_SPHERE:
    if (!is_shown(p, r->point)) return false;
    draw_ring(r->point, p->axis[2], r->radius, line, context);
    return true;
  }
  return false;
}
