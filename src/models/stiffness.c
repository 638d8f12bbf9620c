/* stiffness.c: elastic constants of pairs, MODELS.md 1.2 and 7. */
#include <math.h>

#include "core/status.h"
#include "scree/models.h"

static double compliance(ScreeMaterial m) { return (1.0 - m.poisson * m.poisson) / m.young; }

double scree_composite_modulus(ScreeMaterial a, ScreeMaterial b) { return 1.0 / (compliance(a) + compliance(b)); }

static double shear_compliance(ScreeMaterial m) { return (2.0 - m.poisson) * 2.0 * (1.0 + m.poisson) / m.young; }

double scree_composite_shear_modulus(ScreeMaterial a, ScreeMaterial b) {
  return 1.0 / (shear_compliance(a) + shear_compliance(b));
}

double scree_effective_radius(ScreeGeometry geometry, double r1, double r2) {
  switch (geometry) {
  case SCREE_SPHERE_SPHERE:
  case SCREE_CYLINDER_EXTERNAL: return r1 * r2 / (r1 + r2);
  case SCREE_SPHERE_PLANE: return r1;
  case SCREE_SPHERE_IN_SPHERE:
  case SCREE_CYLINDER_INTERNAL: return r1 > r2 ? r1 * r2 / (r1 - r2) : NAN;
  case SCREE_PLANE_PLANE: return INFINITY;
  case SCREE_NO_GEOMETRY: break;
  }
  return NAN;
}

ScreeStatus scree_stiffness(ScreeGeometry geometry, ScreeMaterial a, ScreeMaterial b, double size1, double size2,
                            double *stiffness, double *exponent) {
  SCREE_NEED(stiffness);
  SCREE_NEED(exponent);
  double modulus = scree_composite_modulus(a, b);
  if (!(modulus > 0.0)) return scree_fail(SCREE_MISSING, "the stiffness needs Young moduli and Poisson ratios");
  if (!(size1 > 0.0))
    return scree_fail(SCREE_MISSING, geometry == SCREE_PLANE_PLANE
                                         ? "plane-plane contact needs the half width of the patch"
                                         : "the stiffness needs a radius");
  *exponent = 1.5;
  switch (geometry) {
  case SCREE_PLANE_PLANE:
    *stiffness = size1 * modulus / 0.475;
    *exponent = 1.0;
    return SCREE_OK;
  case SCREE_SPHERE_PLANE: break;
  case SCREE_SPHERE_SPHERE:
  case SCREE_SPHERE_IN_SPHERE:
    if (!(size2 > 0.0)) return scree_fail(SCREE_MISSING, "this geometry needs a second radius");
    if (geometry == SCREE_SPHERE_IN_SPHERE && size1 <= size2)
      return scree_fail(SCREE_INVALID,
                        "a sphere in a sphere needs a hollow larger than the ball (radii %.10g m and %.10g m)", size1,
                        size2);
    break;
  default: return scree_fail(SCREE_UNSUPPORTED, "no point-contact stiffness for this geometry");
  }
  *stiffness = 4.0 / 3.0 * modulus * sqrt(scree_effective_radius(geometry, size1, size2));
  return SCREE_OK;
}
