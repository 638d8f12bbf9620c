/* picture.c: see picture.h. */
#include "cli.h"

#include "io/trajectory.h"
#include "picture.h"

#include <math.h>

void scene_surface(const ScreeScene *s, const ScreePose *poses, ScreeSurface *surface) {
  const ScreeSceneDomain *d = &s->domain;
  const ScreePose rest = scree_pose_at_rest();
  *surface = (ScreeSurface){0};
  for (size_t i = 0; i < s->walls.count; i++)
    scree_surface_add_at(surface, &scree_scene_wall(s, i)->def, poses ? &poses[i] : &rest, (int)i, d->low, d->high);
  if (d->periodic[0] || d->periodic[1] || d->periodic[2]) scree_surface_add_edges(surface, d->low, d->high);
}

void bounds_clear(double *low, double *high) {
  for (int k = 0; k < 3; k++) low[k] = high[k] = NAN;
}

void bounds_add(double *low, double *high, const ScreePolyData *grains) {
  const double *radius = grains->column[SCREE_FIELD_radius].values;
  for (size_t i = 0; i < grains->rows; i++)
    for (int k = 0; k < 3; k++) { /* fmin and fmax leave NaN aside */
      low[k] = fmin(low[k], grains->point[3 * i + (size_t)k] - radius[i]);
      high[k] = fmax(high[k], grains->point[3 * i + (size_t)k] + radius[i]);
    }
}
