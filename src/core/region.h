/* region.h: parts of space that grains are put into or taken out of. */
#ifndef SCREE_REGION_H
#define SCREE_REGION_H

#include "scree/world.h"

/* The domain as far as regions know it. */
typedef struct ScreeSpace {
  double low[3], high[3];
  bool periodic[3];
} ScreeSpace;

/* Numbers that no region can have get a sentence. */
ScreeStatus scree_region_check(const ScreeRegion *region);
/* The box around it; infinite for a half-space. */
void scree_region_bounds(const ScreeRegion *region, double low[3], double high[3]);
double scree_region_volume(const ScreeRegion *region); /* m3; of a disc 0 */
/* The shortest way through it [m]; infinite for a half-space. */
double scree_region_thickness(const ScreeRegion *region);
bool scree_region_holds(const ScreeRegion *region, const double x[3]);
/* Does an interval along a periodic axis reach around the domain? */
bool scree_space_is_spanned(const ScreeSpace *space, int axis, double low, double high);
/* An even random point, from three numbers in 0 ... 1, such that a grain of radius r lies within the region; false when
 * none does. Along a periodic axis a box as wide as the domain has no ends. */
bool scree_region_point(const ScreeRegion *region, const ScreeSpace *space, double r, const double *u, double x[3]);

#endif
