/* vectors.h: vectors in space, as many at a time as registers hold. */
#ifndef SCREE_VECTORS_H
#define SCREE_VECTORS_H

#include "lanes.h"

typedef struct Vector {
  Real x, y, z;
} Vector;

INLINE Real dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE Vector cross(Vector a, Vector b) {
  return (Vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
INLINE Vector scale(Real s, Vector a) { return (Vector){s * a.x, s * a.y, s * a.z}; }
INLINE Vector plus(Vector a, Vector b) { return (Vector){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE Vector minus(Vector a, Vector b) { return (Vector){a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE Vector only3(Mask mask, Vector a) { return (Vector){only(mask, a.x), only(mask, a.y), only(mask, a.z)}; }
INLINE Vector choose3(Mask mask, Vector a, Vector b) {
  return (Vector){choose(mask, a.x, b.x), choose(mask, a.y, b.y), choose(mask, a.z, b.z)};
}
INLINE Vector get3(double *const *a, size_t at) { return (Vector){get(a[0] + at), get(a[1] + at), get(a[2] + at)}; }
INLINE void put3(double *const *a, size_t at, Vector v) {
  put(a[0] + at, v.x), put(a[1] + at, v.y), put(a[2] + at, v.z);
}
INLINE Vector get_floats3(float *const *a, size_t at) {
  return (Vector){get_floats(a[0] + at), get_floats(a[1] + at), get_floats(a[2] + at)};
}
INLINE void put_floats3(float *const *a, size_t at, Vector v) {
  put_floats(a[0] + at, v.x), put_floats(a[1] + at, v.y), put_floats(a[2] + at, v.z);
}
#define COLUMNS(a) ((double *const[]){(a)[0], (a)[1], (a)[2]})

#endif
