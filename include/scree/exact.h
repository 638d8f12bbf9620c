/* exact.h: closed forms of the power-law oscillator F = K d^p + alpha sqrt(m K) d^((p-1)/2) v, the
 * generalised Tsuji law, of which the linear dashpot (p = 1) and Tsuji's law (p = 3/2) are members. */
#ifndef SCREE_EXACT_H
#define SCREE_EXACT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ScreeExactDef {
  double exponent;    /* p >= 1 */
  double restitution; /* 0 < e <= 1 under the overlap convention; or NaN and alpha >= 0 */
  double alpha;
  double speed, mass, stiffness; /* m/s, kg, N/m^p */
} ScreeExactDef;

/* p = 3/2, speed 0.3, mass 4.6, stiffness 5.2e9 */
SCREE_API ScreeExactDef scree_exact_def_default(void);

typedef struct ScreeExact {
  double exponent, restitution, alpha;
  double alpha_effective;     /* a = alpha/sqrt(2(p+1)): the damping ratio of the transformed, linear oscillator */
  double restitution_clamped; /* exit at F = 0: exp(-2 k acos a) */
  double max_overlap;         /* m */
  double max_force;           /* N, damping included */
  double max_force_time;      /* s */
  double duration;            /* s, infinite when a >= 1 */
  double duration_elastic;    /* s */
  double duration_ratio;
  double loading_time;        /* s */
  double duration_zero_force; /* s, until F = 0 */
  double overlap_zero_force;  /* m */
  double energy_initial;
  double energy_dissipated_loading;
  double energy_dissipated_unloading;            /* until d = 0 */
  double energy_dissipated_unloading_zero_force; /* until F = 0 */
  double timestep_transformed;                   /* s */
  double timestep_tangent;                       /* s */
  /* the oscillator's own constants, for the states below */
  double speed, mass, stiffness;
} ScreeExact;

SCREE_API ScreeStatus scree_exact_solve(const ScreeExactDef *def, ScreeExact *out);

typedef struct ScreeExactPoint {
  double time, overlap, velocity, force; /* force includes the damping */
} ScreeExactPoint;

/* State at a fraction 0 <= phase <= 1 of the transformed time until the overlap returns (the phase portrait). */
SCREE_API ScreeStatus scree_exact_at_phase(const ScreeExact *exact, double phase, ScreeExactPoint *out);
/* State at time 0 <= t <= duration. */
SCREE_API ScreeStatus scree_exact_at_time(const ScreeExact *exact, double time, ScreeExactPoint *out);

/* Velocity at an overlap on the loading or unloading branch: the phase portrait as v(d). */
SCREE_API ScreeStatus scree_exact_velocity(const ScreeExact *exact, double overlap, bool unloading, double *velocity);

#ifdef __cplusplus
}
#endif
#endif
