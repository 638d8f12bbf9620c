/* transform.h: the same physics described otherwise: shifted, mirrored, turned, in other units, or from a place so near
 * that nothing should change. */
#ifndef TEST_SCENES_TRANSFORM_H
#define TEST_SCENES_TRANSFORM_H

#include "scene.h"

/* Every point p goes to matrix p + shift; polar vectors to matrix v, axial ones to det(matrix) matrix w. The matrix
 * permutes the axes, with signs. */
typedef struct Motion3 {
  int from[3];     /* component k comes from component from[k] */
  double sign[3];  /* times this */
  double shift[3]; /* m */
} Motion3;

Motion3 motion3_shift(const double *shift);
Motion3 motion3_mirror(int axis);
Motion3 motion3_turn(int axis); /* by 90 degrees about an axis */
double motion3_handedness(const Motion3 *m);
void motion3_point(const Motion3 *m, const double *x, double *out);
void motion3_polar(const Motion3 *m, const double *v, double *out);
void motion3_axial(const Motion3 *m, const double *w, double *out);

void scene_move(Scene *scene, const Motion3 *motion);

/* Units of length, time and mass, in those of the scene: all numbers become those in the new units. */
typedef struct Units3 {
  double length, time, mass;
} Units3;
void scene_convert(Scene *scene, const Units3 *units);

#endif
