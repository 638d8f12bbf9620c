/* collision.h: the motion of one normal collision, shared by the laboratory's runs, traces and searches.
 *
 * The overlap is written d = rest + L x^q with x the state and s the independent variable, dx/ds = w = v/v0 and
 * dt/ds = (L/v0) q x^(q-1). With q a multiple that makes q n and q m integers (n, m: elastic and damping exponents),
 * the fractional powers at first touch and at separation become polynomials in x, so a Runge-Kutta step keeps its order
 * there; MODELS.md 5 uses the same map with q = 2/(p+1). rest is 0 while loading and the permanent dent of a plastic
 * law while unloading. */
#ifndef SCREE_COLLISION_H
#define SCREE_COLLISION_H

#include "dop853.h"
#include "models/catalogue.h"
#include "scree/impact.h"

/* State vector: x, w = v/v0, t v0/L, dissipated energy/(m v0^2), flowing memory. */
enum { STATE_X, STATE_W, STATE_T, STATE_Q, STATE_MEMORY };

/* Tangential part of an oblique collision: state vs (sliding speed/v0), the law's history, work of friction/(m v0^2).
 * History is the stored force over the force scale (mindlin) or the spring's stretch over L (tangential_linear). */
typedef enum ScreeSlideMode { SCREE_SMOOTH, SCREE_STICKING, SCREE_SLIDING } ScreeSlideMode;
typedef struct ScreeSlide {
  ScreeTangential law;
  double mass;        /* effective mass of the sliding motion, meff/(1 + 1/inertia factor) */
  double speed;       /* initial sliding speed [m/s] */
  double sign;        /* of the friction force while sliding */
  double start_ratio; /* |trial force|/normal force at first touch */
  double peak;        /* largest tangential force [N] */
  ScreeSlideMode mode;
  int at; /* index of vs in the state */
  int changes;
} ScreeSlide;

typedef struct ScreeMotion {
  const ScreeLawOps *ops;
  ScreeLaw law;
  double memory[SCREE_MAX_SLOTS]; /* of the last accepted state; trial evaluations work on a copy */
  double mass, speed;
  double length; /* L [m] */
  double rest;   /* m */
  double limit;  /* m, largest overlap the law allows */
  int q;
  bool flowing;      /* the first memory slot is part of the state */
  bool loop_work;    /* dissipation is the work of the force */
  ScreeSlide *slide; /* NULL in head-on collisions */
  double final[SCREE_ODE_MAX];
  ScreeOde ode;
} ScreeMotion;

/* Where the state is, in SI units. */
typedef struct ScreeMotionPoint {
  double d, v, time, force;
  double dissipated; /* by the dashpot, J */
} ScreeMotionPoint;

/* A stretch of the motion between two accepted states: any state inside is one step of length h in (0, span] away. */
typedef struct ScreeSegment {
  double y[SCREE_ODE_MAX], slope[SCREE_ODE_MAX];
  double span;
  double rest;
  double memory[SCREE_MAX_SLOTS];
  bool mark; /* a located event lies at its end */
} ScreeSegment;

typedef struct ScreeRecorder {
  void (*segment)(const ScreeSegment *segment, void *context);
  void *context;
} ScreeRecorder;

ScreeStatus scree_motion_begin(const ScreeImpactDef *def, const ScreePair *pair, ScreeMotion *motion, double *y);
double scree_motion_force(const ScreeMotion *motion, const double *y);
/* dF/ds of the normal force along the motion [N]. */
double scree_motion_force_trend(const ScreeMotion *motion, const double *y);
double scree_motion_overlap(const ScreeMotion *motion, const double *y);
ScreeMotionPoint scree_motion_point(const ScreeMotion *motion, const double *y);
/* Integrates a prepared pair; recorder and slide may be NULL. */
ScreeStatus scree_collide(const ScreeImpactDef *def, const ScreePair *pair, const ScreeRecorder *recorder,
                          ScreeSlide *slide, ScreeMotion *motion, ScreeImpactResult *result);

/* The tangential part, in oblique.c. */
void scree_slide_begin(ScreeMotion *motion, double *y);
void scree_slide_slope(const ScreeMotion *motion, const double *y, double d, double normal, double stretch, double *dy);
double scree_slide_force(const ScreeMotion *motion, const double *y, double d, double normal);
/* Positive while the mode lasts; changes sign where sticking ends or sliding stops. */
double scree_slide_event(const ScreeMotion *motion, const double *y);
void scree_slide_switch(ScreeMotion *motion, double *y);
/* Checks the definition, calibrates when asked, prepares the pair; fills what the result says of it. */
ScreeStatus scree_impact_prepare(const ScreeImpactDef *def, ScreeImpactDef *ready, ScreeImpactResult *result);

#endif
