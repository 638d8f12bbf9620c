/* impact.h: the laboratory of one collision: integration with located events, closed forms, calibration,
 * time-step limits, oblique impacts. Closed forms and integration return the same ScreeImpactResult. */
#ifndef SCREE_IMPACT_H
#define SCREE_IMPACT_H

#include "models.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When a contact ends. */
typedef enum ScreeSeparation {
  SCREE_AT_OVERLAP, /* the overlap returns to zero (plastic laws: to the permanent dent) */
  SCREE_AT_FORCE,   /* the force first returns to zero while separating */
  SCREE_CLAMPED,    /* the force is kept >= 0 and the contact lasts until the overlap is zero */
} ScreeSeparation;

typedef enum ScreeOutcome {
  SCREE_SEPARATED,
  SCREE_STALLED, /* creeps towards zero overlap and never arrives (overdamped): e = 0, duration infinite */
} ScreeOutcome;

typedef struct ScreeImpactDef {
  ScreeLawId law;
  ScreePairDef pair; /* pair.speed is the impact speed */
  ScreeSeparation separation;
  bool calibrated;     /* first find the damping parameter that delivers pair.restitution */
  double tolerance;    /* relative, of the integration; default 1e-13 */
  int max_evaluations; /* work limit; default 20 million */
} ScreeImpactDef;

/* Nothing known of the pair (scree_pair_def_default), exit at zero overlap, tolerance 1e-13. To be set: pair.speed,
 * pair.mass (or densities and radii) and pair.stiffness (or geometry, radii, moduli), and what the law takes. */
SCREE_API ScreeImpactDef scree_impact_def_default(ScreeLawId law);

typedef struct ScreeImpactResult {
  ScreeOutcome outcome;
  double requested_restitution; /* NaN when none was */
  double restitution;           /* exit speed over impact speed */
  double exit_speed;            /* m/s, > 0 separating */
  double max_overlap;           /* m */
  double max_force;             /* N, of the total force over the whole contact */
  double max_force_time;        /* s */
  double duration;              /* s */
  double loading_time;          /* s, until maximum overlap */
  double exit_overlap;          /* m, at which the contact ended */
  double energy_initial;        /* J */
  double energy_dissipated_loading;
  double energy_dissipated_unloading;
  double energy_stored_exit;      /* J, elastic energy abandoned when the contact ends at F = 0 */
  double energy_residual;         /* J: initial - kinetic - dissipated - stored at the end; 0 when energy closes */
  double switch_overlap;          /* m, where the law last changed branch; NaN when it did not */
  double switch_speed;            /* m/s */
  double memory[SCREE_MAX_SLOTS]; /* the law's memory at the end */
  bool calibrated;                /* the damping parameter was found by calibration */
  ScreeParamId parameter;         /* which; SCREE_PARAM_COUNT when none */
  double parameter_value;
  int steps, evaluations;
  ScreePair pair; /* as prepared: resolved parameters, warning */
} ScreeImpactResult;

/* Integrates the collision. SCREE_OUT_OF_RANGE when a law's overlap limit is exceeded. */
SCREE_API ScreeStatus scree_impact_run(const ScreeImpactDef *def, ScreeImpactResult *result);

/* The same result from closed forms and quadratures; SCREE_UNSUPPORTED where none exists. */
SCREE_API ScreeStatus scree_impact_exact(const ScreeImpactDef *def, ScreeImpactResult *result);

typedef struct ScreeTracePoint {
  double time, overlap, velocity, force; /* velocity > 0 approaching; force as applied (clamped if asked) */
  double elastic, kinetic, dissipated;   /* J */
} ScreeTracePoint;

/* The collision as `count` >= 8 points, spaced so that both branches and the force peak are resolved evenly: equal
 * arcs of the curve (overlap, velocity, force), with the located events (peak force, maximum overlap, branch changes,
 * exit) among them. */
SCREE_API ScreeStatus scree_impact_trace(const ScreeImpactDef *def, int count, ScreeTracePoint *points,
                                         ScreeImpactResult *result);

typedef struct ScreeCalibration {
  ScreeParamId parameter; /* the law's damping parameter */
  const char *name;       /* of the parameter */
  const char *unit;
  double value;
  double input_restitution; /* the restitution to request from the plain law so that it delivers the target; NaN
                               when the law takes none or no input does */
  double restitution;       /* achieved by integration with that value */
  bool closed_form;
  int impacts; /* integrated while searching */
} ScreeCalibration;

/* The damping parameter that delivers def->pair.restitution for this case and separation. SCREE_UNREACHABLE says
 * which range can be reached. */
SCREE_API ScreeStatus scree_impact_calibrate(const ScreeImpactDef *def, ScreeCalibration *out);

typedef struct ScreeTimestep {
  double transformed; /* s, estimate in transformed space; NaN when the law is no power law */
  double tangent;     /* s, 2/sqrt(k/m) with the tangent stiffness at the elastic maximum overlap */
  double lagged;      /* s, the tangent limit when the damping force uses the velocity of the last half step */
  double recommended; /* s, a tenth of the lagged limit (of the tangent limit, where nothing is damped) */
} ScreeTimestep;

SCREE_API ScreeStatus scree_impact_timestep(const ScreeImpactDef *def, ScreeTimestep *out);

/* ---- oblique impact --------------------------------------------------------------------------------------------- */

/* Two spheres, or a sphere and a fixed wall, in the plane of impact. Body 1 moves against body 2; its approach has a
 * normal component and a tangential one; spins are about the axis normal to the plane of impact, positive when they
 * increase the sliding speed of body 1's surface: vs = vt + R1 w1 + R2 w2. */
typedef struct ScreeObliqueDef {
  ScreeImpactDef normal;      /* law, pair (radii, materials; mass optional), pair.speed = normal approach speed */
  ScreeTangential tangential; /* friction law */
  double tangential_speed;    /* m/s, relative velocity of the centres along the surface */
  double spin[2];             /* rad/s */
  double mass[2];             /* kg; NaN: from radius and density; mass[1] infinite: a wall */
  double inertia_factor;      /* I = factor m R^2; default 0.4 (solid sphere) */
} ScreeObliqueDef;

typedef struct ScreeObliqueResult {
  ScreeImpactResult normal;
  double impact_angle;           /* rad, of the approach from the normal */
  double rebound_angle;          /* rad, of the centre's velocity from the normal after impact (relative motion) */
  double contact_rebound_angle;  /* rad, of the contact point's velocity */
  double tangential_speed;       /* m/s after impact, relative velocity of the centres */
  double sliding_speed;          /* m/s after impact, at the contact point */
  double spin[2];                /* rad/s after impact */
  double tangential_restitution; /* tangential speed after over before, of the centres (e_t of Chung & Ooi) */
  double contact_restitution;    /* -(sliding speed after)/(before), beta of Walton */
  double impulse_ratio;          /* tangential over normal impulse */
  double max_tangential_force;   /* N */
  double energy_friction;        /* J, lost by sliding and tangential damping */
  double energy_tangential_exit; /* J, elastic tangential energy abandoned at separation */
  double energy_residual;        /* J */
  int stick_slip_changes;
} ScreeObliqueResult;

/* A normal law and a tangential one with nothing known; regularisation speed 1e-3 m/s, no dashpot, solid spheres. To be
 * set: what scree_impact_def_default leaves, geometry and radii, tangential.friction, the speeds and spins. */
SCREE_API ScreeObliqueDef scree_oblique_def_default(ScreeLawId normal, ScreeLawId tangential);
SCREE_API ScreeStatus scree_oblique_run(const ScreeObliqueDef *def, ScreeObliqueResult *result);

#ifdef __cplusplus
}
#endif
#endif
