/* world.h: grains. Spheres with translation and rotation, every point law of the catalogue by name, friction, rolling
 * and twisting resistance, analytic walls, periodic boundaries, an energy ledger.
 *
 * A run repeats bit for bit for any number of threads and any order of the input: forces are summed as integers, whose
 * sum does not depend on the order, and nothing else is shared between grains. Grains are known by their 64-bit id.
 *
 *     ScreeWorldDef def = scree_world_def_default();
 *     scree_world_create(&def, &world);
 *     scree_world_add_material, scree_world_set_contact, scree_world_add_wall, scree_world_add_grains
 *     scree_world_start(world);              checks everything, chooses the time step
 *     scree_world_step(world, 1000);
 *     scree_world_measure(world, &m);        energies, contacts, ...
 *     scree_world_destroy(world);
 */
#ifndef SCREE_WORLD_H
#define SCREE_WORLD_H

#include "models.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ScreeWorld ScreeWorld;

typedef struct ScreeWorldDef {
  double gravity[3];      /* m/s2 */
  double body_force[3];   /* N/m3, on every grain's volume beside gravity */
  double low[3], high[3]; /* m, the domain; grains must stay inside where it is not periodic */
  bool periodic[3];
  double timestep;       /* s; NaN: chosen from laws, materials, radii and the expected speed */
  double expected_speed; /* m/s, of impacts; NaN: from the domain's height, gravity and the grains' speeds */
  double max_overlap;    /* of the smaller radius; a contact beyond stops the run; default 0.1 */
  double skin;           /* m, of the neighbour list; NaN: chosen */
  int threads;           /* >= 1 */
} ScreeWorldDef;

SCREE_API ScreeWorldDef scree_world_def_default(void);

typedef enum ScreeRolling {
  SCREE_ROLLING_NONE,
  SCREE_ROLLING_CONSTANT, /* torque mu_r R F_n against the rolling velocity */
  SCREE_ROLLING_VISCOUS,  /* torque proportional to the rolling velocity */
  SCREE_ROLLING_SPRING,   /* spring and dashpot, limited to mu_r R F_n */
} ScreeRolling;

/* How two materials meet. */
typedef struct ScreeContactDef {
  ScreeLawId normal;
  /* Restitution and the law's parameters; masses, radii and moduli come from the grains. Laws that latch the impact
   * speed keep it up with the overlap of contacts that are pressed deeper than the impact would; min_speed is a floor.
   */
  ScreePairDef pair;
  bool calibrated;       /* the requested restitution is delivered by clamped contacts at the expected speed */
  ScreeLawId tangential; /* SCREE_LAW_NONE: frictionless */
  ScreeRegularisation regularisation; /* of coulomb */
  ScreeRolling rolling_model;
  double rolling;         /* mu_r */
  double rolling_damping; /* of the spring: share of critical damping; default 0.3 */
  double twisting;        /* mu_t: torque mu_t R F_n against spin about the normal; 0: none */
} ScreeContactDef;

/* zhang_sharf with e = 0.8, mindlin with mu = 0.5, no rolling resistance. */
SCREE_API ScreeContactDef scree_contact_def_default(void);

typedef enum ScreeWallShape {
  SCREE_WALL_PLANE,    /* point, axis: the normal, towards the grains */
  SCREE_WALL_BOX,      /* low, high; inside: six planes, six walls; outside: a solid block */
  SCREE_WALL_CYLINDER, /* point, axis, radius; endless, inside or outside; with a length: a pipe from the point on */
  SCREE_WALL_SPHERE,   /* point, radius; inside or outside */
  SCREE_WALL_CONE,     /* apex point, axis into the cone, half angle: endless, inside; or, with a length, a funnel from
                        * `radius` at the point to `radius2` at its end */
  SCREE_WALL_DISC,     /* point, axis, radius; radius2: of a hole in it */
} ScreeWallShape;

/* Pipes, funnels and discs are thin shells: grains may touch them from either side, and their rims. */
typedef struct ScreeWallDef {
  ScreeWallShape shape;
  double point[3], axis[3];
  double low[3], high[3]; /* m, corners of a box */
  double radius, radius2; /* m */
  double length;          /* m, along the axis; 0: endless */
  double angle;           /* rad, half angle of an endless cone */
  bool inside;            /* grains are inside (box, endless cylinder, sphere) */
  int material;
} ScreeWallDef;

/* Distance of a point from a wall's surface [m], negative beyond it; NaN for a wall that cannot be. */
SCREE_API double scree_wall_distance(const ScreeWallDef *wall, const double position[3]);

typedef struct ScreeGrain {
  uint64_t id; /* unique, permanent */
  double position[3], velocity[3], spin[3];
  double radius;
  int material;
  bool fixed; /* keeps its velocity and spin whatever happens: frozen bases, moving plates of grains */
} ScreeGrain;

SCREE_API ScreeStatus scree_world_create(const ScreeWorldDef *def, ScreeWorld **world);
SCREE_API void scree_world_destroy(ScreeWorld *world);

SCREE_API ScreeStatus scree_world_add_material(ScreeWorld *world, ScreeMaterial material, int *id);
/* Properties of a pair of materials; a = b = -1: of every pair that has none of its own. */
SCREE_API ScreeStatus scree_world_set_contact(ScreeWorld *world, int a, int b, const ScreeContactDef *def);
SCREE_API ScreeStatus scree_world_add_wall(ScreeWorld *world, const ScreeWallDef *def, int *id);
SCREE_API ScreeStatus scree_world_add_grains(ScreeWorld *world, size_t count, const ScreeGrain *grains);

/* Checks the whole, chooses the time step, computes the first forces. After it nothing can be added. */
SCREE_API ScreeStatus scree_world_start(ScreeWorld *world);
/* A contact beyond the overlap limit ends the call with SCREE_OUT_OF_RANGE after the step in which it was found, which
 * is brought to its end: the world is whole, can be measured, read and saved, and be restored with a larger limit. A
 * grain that runs away, or a force that is no number, leaves a world that is not whole. */
SCREE_API ScreeStatus scree_world_step(ScreeWorld *world, long steps);
/* Between two steps, and fit to go on or to be saved. */
SCREE_API bool scree_world_is_whole(const ScreeWorld *world);
SCREE_API long scree_world_steps(const ScreeWorld *world); /* done so far */

/* A run's state as bytes (free them), and back: a world defined as before (def, materials, contacts, walls, but no
 * grains) takes a state in place of scree_world_start and goes on bit for bit, with any number of threads. A state that
 * is damaged or of another world is refused and leaves the world as it was. Only the overlap limit may differ; with a
 * larger one the sums go over to units that have room for it. A world that is not whole, or holds numbers that are not
 * finite, is not saved. */
SCREE_API ScreeStatus scree_world_save(ScreeWorld *world, void **data, size_t *size);
SCREE_API ScreeStatus scree_world_restore(ScreeWorld *world, const void *data, size_t size);

/* The ledger and what a log line shows. Energies in J. */
typedef struct ScreeMeasure {
  long step;
  double time, timestep;
  size_t grains, contacts; /* contacts include those with walls */
  double kinetic, potential, elastic;
  /* Lost so far: in dashpots, in plastic laws, by contacts whose law would pull (the stored rest is given up), in
   * sliding, in rolling and twisting. */
  double dissipated_viscous, dissipated_plastic, dissipated_clamp, dissipated_friction, dissipated_rolling;
  double work;     /* J, done on the grains by fixed grains that move */
  double residual; /* J: start energy + work - all of the above */
  double scale; /* J, against which the residual is judged: the largest total of kinetic, elastic, dissipated so far */
  double max_overlap;  /* of the smaller radius, in the last step */
  double peak_overlap; /* the largest since the start, or since scree_world_forget_peak */
  double momentum[3], angular_momentum[3];
  long rebuilds;
} ScreeMeasure;

SCREE_API ScreeStatus scree_world_measure(ScreeWorld *world, ScreeMeasure *out);
SCREE_API void scree_world_forget_peak(ScreeWorld *world);
/* Over ids, positions, velocities, spins and contact memory; independent of order and threads. */
SCREE_API uint64_t scree_world_hash(ScreeWorld *world);
/* Grains in order of their ids; `grains` holds scree_world_count of them. */
SCREE_API size_t scree_world_count(const ScreeWorld *world);
SCREE_API ScreeStatus scree_world_read(const ScreeWorld *world, ScreeGrain *grains);
/* What acts on the grains at this time, in order of their ids as scree_world_read. */
typedef struct ScreeGrainLoad {
  double force[3], torque[3]; /* N, N m, of contacts alone */
  int contacts;
} ScreeGrainLoad;

SCREE_API ScreeStatus scree_world_read_loads(const ScreeWorld *world, ScreeGrainLoad *loads);

typedef struct ScreeContact {
  uint64_t first, second; /* ids; second: the wall's number where `wall` is set */
  bool wall;
  double point[3], normal[3]; /* m; unit vector from the first to the second */
  double overlap;             /* m */
  double force;               /* N, normal, repulsive */
  double friction[3];         /* N, on the first */
} ScreeContact;

/* The contacts of this time, in order of their ids. `contacts` holds scree_world_contact_count of them. */
SCREE_API size_t scree_world_contact_count(const ScreeWorld *world);
SCREE_API ScreeStatus scree_world_read_contacts(const ScreeWorld *world, ScreeContact *contacts);

/* Force of the grains on a wall in the last step [N] and its torque about the origin [N m]; either may be NULL. */
SCREE_API ScreeStatus scree_world_wall_force(const ScreeWorld *world, int wall, double force[3], double torque[3]);
SCREE_API size_t scree_world_bytes(const ScreeWorld *world); /* memory in use */
SCREE_API double scree_world_timestep(const ScreeWorld *world);
SCREE_API double scree_world_expected_speed(const ScreeWorld *world); /* m/s, given or chosen at the start */
/* Why this time step: a sentence; valid while the world lives. */
SCREE_API const char *scree_world_timestep_reason(const ScreeWorld *world);

#ifdef __cplusplus
}
#endif
#endif
