/* dop853.h: a high-order step for the small autonomous systems of the laboratory. */
#ifndef SCREE_DOP853_H
#define SCREE_DOP853_H

#define SCREE_ODE_MAX 8

typedef struct ScreeOde {
  int size;
  void (*slope)(const double *y, double *dy, void *context);
  void *context;
  double tolerance;
  double floor[SCREE_ODE_MAX]; /* magnitude below which an error counts as absolute */
  long evaluations;
} ScreeOde;

/* All states hold SCREE_ODE_MAX numbers, zero beyond the size. One step from y with slope = f(y), of length h, to next.
 * Returns the error estimate over the tolerance (accept when
 * <= 1); NaN when the slope was not finite on the way. Costs 11 evaluations. */
double scree_ode_step(ScreeOde *ode, const double *y, const double *slope, double h, double *next);

#endif
