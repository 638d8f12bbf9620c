/* dem.h: what the oracles of the particle engine share: small worlds, impacts through the engine, and an integrator of
 * two grains that knows nothing of the engine's. Private to src/verify. */
#ifndef SCREE_VERIFY_DEM_H
#define SCREE_VERIFY_DEM_H

#include "oracle.h"

/* Everything a world is made of; the grains belong to the caller. */
typedef struct Scene {
  ScreeWorldDef def;
  ScreeMaterial material[2];
  int materials;
  ScreeContactDef contact; /* of every pair of materials */
  ScreeWallDef wall[3];
  const ScreeMotionDef *motion[3]; /* NULL: the wall stands */
  double remove_at[3];             /* s; 0: it stays */
  int walls;
  ScreeMotionDef course[3]; /* motions of the first wall, one within the other */
  int courses;
  const ScreeGrain *grain;
  size_t grains;
} Scene;

/* No gravity, one material, a cube of this size around the origin; the overlap may reach 0.3 radii. */
Scene scree_scene(ScreeMaterial material, const ScreeContactDef *contact, double size);
/* Creates and starts the world; NULL after a tally of the failure. */
ScreeWorld *scree_scene_start(ScreeCheck *check, const Scene *scene);
/* Steps; false after a tally of the failure. */
bool scree_scene_steps(ScreeCheck *check, ScreeWorld *world, long steps);

/* Grains on a cubic lattice of `side` cells of a box, jittered, with random velocities of zero mean; radii vary by
 * `spread`. The caller frees. */
ScreeGrain *scree_lattice(const int *side, const double *low, double cell, double radius, double spread, double speed,
                          uint64_t random);
/* Soft grains of sand's density, with friction and rolling resistance (a spring; 0: none). */
extern const ScreeMaterial scree_grit;
ScreeContactDef scree_gritty(double friction, double rolling);

/* A contact of one normal law alone: no friction; e as requested where the law takes one. */
ScreeContactDef scree_bare_contact(ScreeLawId normal, double restitution);

/* ---- one impact through the engine ---- */

/* Body 1 meets a plane wall (radius[1] = 0), a fixed grain or a free one. Speeds are relative, normal > 0 approaching;
 * spins are about n x t and positive where they increase the sliding speed, as the laboratory defines them. The plane
 * of impact and the wall are oblique to all axes. */
typedef struct EngineImpact {
  ScreeContactDef contact;
  ScreeMaterial material[2];
  double radius[2];
  bool fixed;    /* the second grain is */
  bool reversed; /* the second body's material is named first */
  double normal_speed, tangential_speed, spin[2];
  double timestep; /* s; NaN: the engine's own */
  double phase;    /* gap at the start, in steps of approach: where in a step the first touch falls */
  bool audit;      /* measures the ledger's residual at every step */
} EngineImpact;

typedef struct EngineRebound {
  double normal_speed;              /* m/s, > 0 separating */
  double tangential_speed, spin[2]; /* as before, of body 1 relative to body 2 */
  double out_of_plane;              /* m/s, largest speed or R spin that has no business to be there */
  double max_overlap, max_force;    /* m, N, at steps */
  double duration;                  /* s, from first to last touch, interpolated */
  double timestep;
  ScreeMeasure measure; /* at the end */
  double residual;      /* J, the largest of an audit */
} EngineRebound;

bool scree_engine_impact(ScreeCheck *check, const EngineImpact *impact, EngineRebound *out);
double scree_sphere_mass(double radius, double density);
/* K of two spheres, or of a sphere and a plane (r2 = 0), from the textbook formula [N/m^1.5]. */
double scree_hertz_stiffness(ScreeMaterial a, ScreeMaterial b, double r1, double r2);

/* ---- two grains, integrated independently ---- */

/* Marches two grains of a scene (or one and the scene's first plane wall) for a time, in `steps` steps of a classical
 * Runge-Kutta scheme on the differential form of the laws: d/dt of every history is its rotation with the contact plus
 * its growth. The normal law must have no memory. The grains are overwritten. */
bool scree_couple_run(ScreeCheck *check, const Scene *scene, double time, long steps, ScreeGrain grain[2]);

/* Tangential laws of the sphere on a wall that the literature's low-angle rebounds can be told apart by. */
typedef enum SlipReading {
  SLIP_INCREMENTAL,  /* MODELS.md 7: dF = -kt dx, shrinking with kt on unloading */
  SLIP_NEVER_SHRINK, /* the same without the shrinking */
  SLIP_TOTAL,        /* F = -kt(d) x, the displacement being the history, as many particle codes have it */
  SLIP_EXACT,        /* Mindlin & Deresiewicz: annuli that stick or slip one by one */
} SlipReading;
/* e_t of a sphere's centre, from the impact angle to the normal. */
double scree_slip_restitution(SlipReading reading, double poisson, double friction, double factor, double angle);
/* beta of a spinning sphere by the codes behind the published spin tests. */
double scree_slip_damped_beta(double poisson, double friction, double e, double x);

/* ---- vectors ---- */

static inline double scree_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline void scree_cross(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
