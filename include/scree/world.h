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

/* What becomes of a grain that leaves the domain where it is not periodic. */
typedef enum ScreeOutside {
  SCREE_OUTSIDE_STOP,   /* the run stops */
  SCREE_OUTSIDE_REMOVE, /* it is taken out and counted */
} ScreeOutside;

/* m from the origin: no domain may reach farther. */
#define SCREE_FARTHEST 1e100

typedef struct ScreeWorldDef {
  double gravity[3];      /* m/s2 */
  double body_force[3];   /* N/m3, on every grain's volume beside gravity */
  double low[3], high[3]; /* m, the domain; grains must stay inside where it is not periodic */
  bool periodic[3];
  ScreeOutside outside;  /* default: the run stops */
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
  /* of the spring [N m/rad]; 0, the default: 2.25 mu_r^2 R^2 of force at rest over overlap (Ai et al. 2011) */
  double rolling_stiffness;
  double twisting; /* mu_t: torque mu_t R F_n against spin about the normal; 0: none */
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
  SCREE_WALL_MESH,     /* mesh; six walls: one for each contact that a grain may have with it at once */
} ScreeWallShape;

/* A surface of triangles, a thin shell: grains may touch both sides, its rims and corners. Triangles without area, or
 * there before, count once or not at all; holes, cracks and sides of more than two triangles are allowed, and the order
 * of triangles and corners leaves no trace. */
typedef struct ScreeMesh ScreeMesh;

typedef struct ScreeMeshDef {
  const double (*vertex)[3]; /* m */
  size_t vertices;
  const uint32_t (*triangle)[3]; /* indices of vertices */
  size_t triangles;
} ScreeMeshDef;

/* Copies what it needs. A world that has the mesh as a wall keeps it alive by itself. */
SCREE_API ScreeStatus scree_mesh_create(const ScreeMeshDef *def, ScreeMesh **mesh);
SCREE_API void scree_mesh_destroy(ScreeMesh *mesh);
/* Its vertices and triangles as they were given; valid while the mesh lives. */
SCREE_API ScreeMeshDef scree_mesh_def(const ScreeMesh *mesh);
SCREE_API double scree_mesh_distance(const ScreeMesh *mesh,
                                     const double position[3]); /* m, from the nearest triangle */

/* Pipes, funnels and discs are thin shells: grains may touch them from either side, and their rims. */
typedef struct ScreeWallDef {
  ScreeWallShape shape;
  double point[3], axis[3];
  double low[3], high[3]; /* m, corners of a box */
  double radius, radius2; /* m */
  double length;          /* m, along the axis; 0: endless */
  double angle;           /* rad, half angle of an endless cone */
  bool inside;            /* grains are inside (box, endless cylinder, sphere) */
  const ScreeMesh *mesh;  /* of a mesh: where it was created; motions carry it */
  bool wear;              /* of a mesh: the work of contacts is kept for each of its triangles */
  int material;
} ScreeWallDef;

/* Distance of a point from a wall's surface [m], negative beyond it; NaN for a wall that cannot be. */
SCREE_API double scree_wall_distance(const ScreeWallDef *wall, const double position[3]);
/* The same in the domain of a world: to the nearest image of a wall that ends, where the domain is periodic. */
SCREE_API double scree_wall_distance_in(const ScreeWorldDef *world, const ScreeWallDef *wall, const double position[3]);

typedef enum ScreeMotionKind {
  SCREE_MOTION_LINEAR,      /* velocity */
  SCREE_MOTION_ROTATION,    /* speed about the axis through the point */
  SCREE_MOTION_OSCILLATION, /* amplitude, and `angle` about the axis through the point: sin(2 pi f t + phase) -
                               sin(phase) */
  SCREE_MOTION_WAYPOINTS,   /* a table of displacements, and angles about the axis through the point */
  SCREE_MOTION_SERVO,       /* free along the axis under a load, against the grains */
  SCREE_MOTION_TURN_SERVO,  /* free about the axis through the point under a torque, against the grains */
} ScreeMotionKind;

typedef struct ScreeWaypoint {
  double time;            /* s, of the motion's clock */
  double shift[3], angle; /* m, rad */
} ScreeWaypoint;

/* How a wall moves. Several motions of one wall are carried out one within the other: the first is the innermost, and
 * each carries those before it, with their axes and points. Every motion begins where the wall is, without a jump.
 *
 * A motion's clock runs from `start` to `stop`. With a ramp it speeds up evenly from standstill, and slows down before
 * it stops; what the motion does is a function of its clock. */
typedef struct ScreeMotionDef {
  ScreeMotionKind kind;
  double velocity[3];            /* m/s */
  double axis[3], point[3];      /* of any length; m */
  double speed;                  /* rad/s */
  double amplitude[3];           /* m */
  double angle;                  /* rad, amplitude of an oscillation about the axis */
  double frequency, phase;       /* Hz, rad */
  const ScreeWaypoint *waypoint; /* copied; the first at displacement zero, times ascending */
  size_t waypoints;
  bool smooth;              /* waypoints: no jumps of the velocity, no overshoot; otherwise straight between them */
  bool repeat;              /* waypoints: begins anew at the last, which then is the place of the first */
  double start, stop, ramp; /* s; default 0, infinite, 0 */
  /* A servo: a wall of its own inertia that the load pushes along (about) the axis. NaN: chosen at the start: the mass
   * (moment about the axis) of all free grains; load over max_speed; a tenth of the expected speed. */
  double load;                        /* N or N m */
  double inertia, damping, max_speed; /* kg or kg m2; N s/m or N m s; m/s or rad/s */
} ScreeMotionDef;

SCREE_API ScreeMotionDef scree_motion_def_default(ScreeMotionKind kind);

typedef struct ScreeGrain {
  uint64_t id; /* unique, permanent */
  double position[3], velocity[3], spin[3];
  double radius;
  int material;
  bool fixed; /* keeps its velocity and spin whatever happens: frozen bases, moving plates of grains */
} ScreeGrain;

/* ---- grains that come and go ----
 *
 * Outlets and the domain are looked at, and streams bring grains, at the end of steps whose number is a multiple of 32,
 * or of less where an outlet is so thin that a grain at twice the expected speed would pass it unseen. When the
 * neighbour list is made anew has no influence on it. */

typedef enum ScreeRegionShape {
  SCREE_REGION_BOX,      /* low, high */
  SCREE_REGION_CYLINDER, /* from, to, radius */
  SCREE_REGION_SPHERE,   /* point, radius */
  SCREE_REGION_DISC,     /* point, normal, radius: for streams */
  SCREE_REGION_BEYOND,   /* all beyond the plane through the point, where its normal points to: for outlets */
} ScreeRegionShape;

typedef struct ScreeRegion {
  ScreeRegionShape shape;
  double low[3], high[3], from[3], to[3], point[3], normal[3]; /* m; the normal has any length */
  double radius;                                               /* m */
} ScreeRegion;

/* Distributions of radii. Normal and lognormal ones are cut at three standard deviations. */
typedef enum ScreeSizeKind {
  SCREE_SIZES_ONE,       /* mean */
  SCREE_SIZES_UNIFORM,   /* min, max */
  SCREE_SIZES_NORMAL,    /* mean, sd */
  SCREE_SIZES_LOGNORMAL, /* mean, sd, of the radius itself */
  SCREE_SIZES_TABLE,     /* radii and their shares */
} ScreeSizeKind;

typedef struct ScreeShare {
  double radius, share; /* m; of any sum */
} ScreeShare;

typedef struct ScreeSizes {
  ScreeSizeKind kind;
  double min, max, mean, sd; /* m */
  const ScreeShare *table;   /* copied by whoever keeps it */
  size_t rows;
  bool by_mass; /* the distribution is that of the mass over the radii, not of the number */
} ScreeSizes;

/* A stream of grains: they appear at random places of a region, whole within it (on a disc: their centres on it), where
 * nothing is in the way, as many as the rate asks for. A grain that finds no place waits; none is left out, so sizes
 * keep their distribution. The same grains come for any number of threads. */
typedef struct ScreeStreamDef {
  ScreeRegion region;
  double mass_rate, number_rate; /* kg/s, 1/s: one of them, the other NaN */
  double from, until;            /* s; default 0 and infinity */
  double mass, count;            /* kg, grains: it ends when it has brought so much; default infinity */
  ScreeSizes sizes;
  int material;
  double velocity[3], spin[3]; /* m/s, rad/s */
  uint64_t seed;               /* of the random numbers; streams of a world differ all the same */
} ScreeStreamDef;

SCREE_API ScreeStreamDef scree_stream_def_default(void);

typedef struct ScreeFlow {
  size_t grains;
  double mass; /* kg */
} ScreeFlow;

/* The opening that grains must cross on their way to an outlet: a disc, or what a closed line of corners holds. Those
 * that came last through it in the direction that leads out are the outlet's flow; the others, which were never inside
 * or found another way, leave all the same and are counted apart. A way is straight from one look at the outlets to the
 * next, and no grain moves farther than its radius in between at twice the expected speed. */
typedef struct ScreeOpeningDef {
  double point[3], normal[3], radius; /* m; of any length */
  const double (*corner)[3];          /* m, in order; copied. NULL: a disc. They need not lie in one plane */
  size_t corners;                     /* three or more */
  double towards[3]; /* the direction in which grains cross it to leave, of any length; it must not lie in it */
  int wall;          /* which it moves with, defined where the wall is; -1: it stands */
} ScreeOpeningDef;

SCREE_API ScreeOpeningDef scree_opening_def_default(void);

typedef struct ScreeStreamFlow {
  double asked, delivered; /* by now: kg of a mass rate, grains of a number rate */
  ScreeFlow brought;
  size_t waits; /* times that a grain which was due found no place */
} ScreeStreamFlow;

SCREE_API ScreeStatus scree_world_create(const ScreeWorldDef *def, ScreeWorld **world);
SCREE_API void scree_world_destroy(ScreeWorld *world);

SCREE_API ScreeStatus scree_world_add_material(ScreeWorld *world, ScreeMaterial material, int *id);
/* Properties of a pair of materials; a = b = -1: of every pair that has none of its own. */
SCREE_API ScreeStatus scree_world_set_contact(ScreeWorld *world, int a, int b, const ScreeContactDef *def);
SCREE_API ScreeStatus scree_world_add_wall(ScreeWorld *world, const ScreeWallDef *def, int *id);
/* The same of a mesh that nobody else has. */
SCREE_API ScreeStatus scree_world_add_mesh(ScreeWorld *world, const ScreeMeshDef *def, int material, int *id);
/* Adds a motion to a wall; the six faces of a box move together, whichever of them is named. */
SCREE_API ScreeStatus scree_world_move_wall(ScreeWorld *world, int wall, const ScreeMotionDef *def);
/* A wall that is there from one time to another [s] only. When it goes, what its contacts stored is lost; where it
 * comes no grain may be: the step is refused with the grain's id and depth. */
SCREE_API ScreeStatus scree_world_time_wall(ScreeWorld *world, int wall, double insert_at, double remove_at);
SCREE_API ScreeStatus scree_world_add_grains(ScreeWorld *world, size_t count, const ScreeGrain *grains);

/* A region that takes grains out whose centre comes into it, and counts them. Fixed grains stay. */
SCREE_API ScreeStatus scree_world_add_outlet(ScreeWorld *world, const ScreeRegion *region, int *id);
/* The first 64 outlets may have an opening. */
SCREE_API ScreeStatus scree_world_set_opening(ScreeWorld *world, int outlet, const ScreeOpeningDef *def);
SCREE_API ScreeStatus scree_world_add_stream(ScreeWorld *world, const ScreeStreamDef *def, int *id);
/* Grains that will be inserted: time step, units and search grids are chosen at the start, for them too. A world that
 * expects grains, or has a stream, may start with none. */
SCREE_API ScreeStatus scree_world_expect(ScreeWorld *world, int material, double min_radius, double max_radius,
                                         double speed);

/* Checks the whole, chooses the time step, computes the first forces. After it grains alone can come and go. */
SCREE_API ScreeStatus scree_world_start(ScreeWorld *world);
/* A contact beyond the overlap limit ends the call with SCREE_OUT_OF_RANGE after the step in which it was found, which
 * is brought to its end: the world is whole, can be measured, read and saved, and be restored with a larger limit. A
 * grain that runs away, or a force that is no number, leaves a world that is not whole. */
SCREE_API ScreeStatus scree_world_step(ScreeWorld *world, long steps);
/* Between two steps, and fit to go on or to be saved. */
SCREE_API bool scree_world_is_whole(const ScreeWorld *world);
SCREE_API long scree_world_steps(const ScreeWorld *world); /* done so far */

/* Between steps: all of the grains, or none when one of them overlaps a grain or a wall, lies outside the domain, has
 * an id that is in use, or is none that was expected. Contacts of the others stay as they are. */
SCREE_API ScreeStatus scree_world_insert(ScreeWorld *world, size_t count, const ScreeGrain *grains);
/* The same for taking out: all of the ids must exist. Contacts of these grains end. */
SCREE_API ScreeStatus scree_world_remove(ScreeWorld *world, size_t count, const uint64_t *ids);
/* Larger than any id that was ever used, but for the largest there is. */
SCREE_API uint64_t scree_world_next_id(const ScreeWorld *world);
/* What went through an outlet so far; outlet -1: what left the domain. */
SCREE_API ScreeStatus scree_world_outlet_flow(const ScreeWorld *world, int outlet, ScreeFlow *flow);
/* Counts the grains that reached an outlet another way than through its opening; zero for an outlet without one. */
SCREE_API ScreeStatus scree_world_outlet_leak(const ScreeWorld *world, int outlet, ScreeFlow *flow);
SCREE_API ScreeStatus scree_world_stream_flow(const ScreeWorld *world, int stream, ScreeStreamFlow *flow);

/* A run's state as bytes (free them), and back: a world defined as before (def, materials, contacts, walls, but no
 * grains) takes a state in place of scree_world_start and goes on bit for bit, with any number of threads. A state that
 * is damaged, or does not fit the world (numbers of materials, walls, outlets, streams, memory of contacts), is refused
 * and leaves the world as it was; that gravity, laws and shapes are the same is for the caller to see to, as scree run
 * does. Only the overlap limit may differ; with a larger one the sums go over to units that have room for it. A world
 * that is not whole, or holds numbers that are not finite, is not saved. The bytes tell how far lists reached, too,
 * which on several threads may differ from one run to the next: compare grains, not states. */
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
  double kinetic_walls, dissipated_walls; /* of walls under a load: in their inertia; in dampers and at speed limits */
  double work;                            /* J, done by fixed grains and walls that move, and by the loads of walls */
  /* J, of grains that came and went: kinetic, potential, and what their contacts stored */
  double brought_in, taken_out;
  /* J, (F dt)^2/8m and the like of torques: by so much the energy that velocity Verlet keeps from step to step lies
   * below the kinetic one while contacts push. It is zero for grains without contacts. */
  double scheme;
  double residual; /* J: start energy + work + brought in - taken out + scheme - all of the others above */
  double scale; /* J, against which the residual is judged: the largest total of kinetic, elastic, dissipated so far */
  double max_overlap;  /* of the smaller radius, in the last step */
  double peak_overlap; /* the largest since the start, or since scree_world_forget_peak */
  double momentum[3], angular_momentum[3];
  long rebuilds;
  ScreeFlow inserted, removed; /* since the start, in whatever way */
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

/* What a wall, all faces of a box together, feels and does. */
typedef struct ScreeWallLoad {
  double force[3], torque[3]; /* N, N m: of the grains on it; the torque about `about` */
  double about[3]; /* m, where the point of its first turning motion is now; of a wall that does not turn, the origin */
  double power, work;          /* W, J: of the wall on the grains, now and so far */
  double home[3], position[3]; /* m, its reference point at the start and now */
  double turn[3][3];           /* a point p of the wall as defined is now at position + turn (p - home) */
  double velocity[3], spin[3]; /* m/s of the reference point, rad/s */
  bool moves, present;
} ScreeWallLoad;

SCREE_API ScreeStatus scree_world_wall_load(const ScreeWorld *world, int wall, ScreeWallLoad *out);
/* Of a mesh that wears: the work [J] that contacts took up on each triangle, as given, so far: of normal forces (lost
 * in impacts and plastic deformation, once they are over) and of friction. Either may be NULL. */
SCREE_API ScreeStatus scree_world_read_wear(const ScreeWorld *world, int wall, double *normal, double *shear);
SCREE_API size_t scree_world_bytes(const ScreeWorld *world); /* memory in use */
SCREE_API int scree_world_threads(const ScreeWorld *world);
SCREE_API double scree_world_timestep(const ScreeWorld *world);
SCREE_API double scree_world_expected_speed(const ScreeWorld *world); /* m/s, given or chosen at the start */
/* Why this time step: a sentence; valid while the world lives. */
SCREE_API const char *scree_world_timestep_reason(const ScreeWorld *world);

/* Forces and torques are rounded to units that have room for the largest contacts; beside those the smallest grains may
 * have forces that the units do not resolve. */
typedef struct ScreeResolution {
  double force_unit, torque_unit; /* N, N m */
  /* The grain that suffers most: its material and radius [m], its weight, or without gravity 1e-5 of the
   * softest contact's force at the overlap limit [N], and the rounding of its forces, or of what friction turns it
   * by, over that. Above 1e-3 its friction and its rest are not right. */
  int material;
  double radius, force, rounding;
} ScreeResolution;
SCREE_API ScreeStatus scree_world_resolution(const ScreeWorld *world, ScreeResolution *out);

#ifdef __cplusplus
}
#endif
#endif
