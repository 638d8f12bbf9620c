/* scene.h: a scene file: what it says (plain structs), the grains it asks for, the world it describes.
 *
 *     scree_scene_read     text and --set options become a ScreeScene          scene_read.c, scene_set.c
 *     scree_scene_place    its groups of particles become grains               scene_place.c
 *     scree_scene_build    all of it becomes a world that has started          scene_build.c
 *     scree_scene_write    the scene as it was understood, as YAML             scene_write.c
 *     scree_scene_hints    numbers whose unit was probably forgotten           scene_hint.c
 *     scree_scene_doubts   walls, falls and streams that are hardly meant      scene_doubt.c
 *     scree_scene_leaks    grains beside a vessel, and rims they may leave by  scene_leak.c
 *
 * Every key is one row of scene_keys.def: the reader, the nearest word in an error, the written scene and the manual
 * expand from it. A number that was not given is NaN, a text NULL, a count -1. */
#ifndef SCREE_SCENE_H
#define SCREE_SCENE_H

#include "io/mesh_file.h"
#include "io/tree.h"
#include "scree/rim.h"

#include <stdio.h>

/* A growing array of structs. */
typedef struct ScreeArray {
  void *at;
  size_t count, capacity;
} ScreeArray;

/* What every entry of a list or of a map of names begins with. */
typedef struct ScreeItem {
  char *name;
  const ScreeNode *node; /* for errors found later */
} ScreeItem;

typedef struct ScreeSceneMaterial {
  ScreeItem item;
  ScreeMaterial material;
} ScreeSceneMaterial;

typedef struct ScreeSceneRolling {
  int model; /* ScreeRolling */
  double coefficient, damping, stiffness;
} ScreeSceneRolling;

typedef struct ScreeSceneContact {
  ScreeItem item;
  int a, b; /* materials; -1: default */
  ScreeSceneRolling rolling;
  int regularisation; /* ScreeRegularisation */
  ScreeContactDef def;
} ScreeSceneContact;

/* A wall or a region: the form says which numbers count. */
typedef struct ScreeShape {
  int form; /* ScreeKeyId of the form that was chosen */
  double low[3], high[3], point[3], axis[3], from[3], to[3];
  double radius, radius2, angle, hole;
  bool inside;
} ScreeShape;

/* Waypoints: of displacements, or of angles about an axis. */
typedef struct ScreeSceneTable {
  double axis[3], point[3];
  bool smooth, repeat, turns;
  ScreeArray row; /* ScreeWaypoint */
} ScreeSceneTable;

typedef struct ScreeSceneMotion {
  ScreeItem item;
  int form; /* ScreeKeyId of the form that was chosen */
  double stop;
  ScreeSceneTable table;
  ScreeMotionDef def;
} ScreeSceneMotion;

typedef struct ScreeSceneRotate {
  double axis[3], angle;
} ScreeSceneRotate;

typedef struct ScreeSceneMesh {
  char *file; /* as given; once loaded, its whole path */
  double scale, translate[3];
  bool turned, wear;
  ScreeSceneRotate rotate;
  ScreeTriangles triangles;
  ScreeMesh *mesh; /* NULL until it is loaded */
  ScreeRims *rims; /* numbered from 1 where a user sees them */
} ScreeSceneMesh;

typedef struct ScreeSceneWall {
  ScreeItem item;
  char *name, *material;
  int material_id;
  ScreeShape shape;
  ScreeWallDef def;
  ScreeArray motions; /* ScreeSceneMotion */
  ScreeSceneMesh mesh;
  double insert_at, remove_at;
} ScreeSceneWall;

/* Radii: one value (form 0), or a distribution. */
typedef struct ScreeSceneSizes {
  int form;
  double value, min, max, mean, sd;
  ScreeArray table; /* ScreeShare */
  int by;           /* 0: number, 1: mass */
} ScreeSceneSizes;

typedef struct ScreeSceneVelocity {
  double vector[3];
  double random; /* m/s, root mean square speed of a Maxwellian; NaN: none */
} ScreeSceneVelocity;

typedef struct ScreeSceneGrain {
  ScreeItem item;
  double position[3], velocity[3], spin[3], radius;
  int64_t id;
} ScreeSceneGrain;

typedef struct ScreeLattice {
  double low[3], high[3], spacing, jitter; /* m; spacing and jitter NaN: automatic */
} ScreeLattice;

typedef struct ScreeSceneStream {
  char *name;
  ScreeShape region;
  double rate, number_rate, from, until;
} ScreeSceneStream;

/* A file of grains; read when they are placed, so that a run that goes on needs it no more. */
typedef struct ScreeSceneFile {
  char *file;       /* as given */
  ScreeArray words; /* char *: columns of a table, materials of types */
  double length, velocity, spin, density;
} ScreeSceneFile;

typedef struct ScreeSceneParticles {
  ScreeItem item;
  int form; /* fill, lattice, list, stream or a file */
  ScreeShape region;
  ScreeLattice lattice;
  ScreeArray list; /* ScreeSceneGrain */
  ScreeSceneStream stream;
  ScreeSceneFile csv, lammps;
  int64_t count, seed;
  double mass, fraction;
  ScreeSceneSizes radius;
  char *material;
  int material_id;
  ScreeSceneVelocity velocity;
  double spin[3];
  bool fixed;
} ScreeSceneParticles;

typedef struct ScreeSceneDomain {
  double low[3], high[3];
  bool periodic[3];
  int outside; /* ScreeOutside */
} ScreeSceneDomain;

typedef struct ScreeSceneRectangle {
  double at[3], side[2][3]; /* m */
} ScreeSceneRectangle;

/* The opening that grains must cross: of form 0, none. */
typedef struct ScreeSceneThrough {
  int form;
  const ScreeNode *node;
  char *mesh; /* the name of a wall */
  int64_t rim;
  ScreeShape disc;
  ScreeSceneRectangle corner;
  double towards[3];
  ScreeOpeningDef def; /* complete once the scene's meshes are loaded */
  double line[4][3];   /* the corners of a rectangle */
  size_t wall;         /* whose rim it is */
} ScreeSceneThrough;

typedef struct ScreeSceneOutlet {
  ScreeItem item;
  char *name;
  ScreeShape shape;
  ScreeSceneThrough through;
  double orifice, bulk_density, grain_diameter; /* m, kg/m3, m: for Beverloo's law; NaN: not asked for */
} ScreeSceneOutlet;

typedef struct ScreeSceneLog {
  double every;
} ScreeSceneLog;

typedef struct ScreeSceneOutput {
  double every;
  int format; /* as scree_format_name counts them */
  bool contacts, picture;
} ScreeSceneOutput;

typedef struct ScreeSceneCheckpoint {
  double every; /* s; infinite: none */
  bool wall;    /* by the clock, not in simulated time */
} ScreeSceneCheckpoint;

typedef struct ScreeSceneRun {
  double duration, timestep; /* s; time step NaN: automatic */
  double max_residual;       /* of the energy ledger; NaN: no limit */
  ScreeSceneLog log;
  ScreeSceneOutput output;
  ScreeSceneCheckpoint checkpoint;
} ScreeSceneRun;

typedef struct ScreeScene {
  ScreeSource *source;
  ScreeArray options; /* ScreeSource *, of the --set texts */
  ScreeNode root;
  int64_t version;
  char *title;
  double gravity[3], body_force[3], expected_speed, max_overlap;
  ScreeArray materials; /* ScreeSceneMaterial */
  ScreeArray contacts;  /* ScreeSceneContact; the first is the default */
  ScreeSceneDomain domain;
  ScreeArray walls;     /* ScreeSceneWall */
  ScreeArray particles; /* ScreeSceneParticles */
  ScreeArray outlets;   /* ScreeSceneOutlet */
  ScreeSceneRun run;
} ScreeScene;

#define SCREE_SCENE_VERSION 1
#define SCREE_SCENE_MAX_GRAINS 1000000000

/* Reads a file, applies `path=value` settings in order, checks everything that can be known without placing grains. The
 * fault is filled when this fails. The scene is freed with scree_scene_free. */
ScreeStatus scree_scene_read(const char *path, const char *const *settings, size_t count, ScreeScene **scene,
                             ScreeFault *fault);
/* The same for a text. */
ScreeStatus scree_scene_read_text(const char *name, const char *text, size_t length, const char *const *settings,
                                  size_t count, ScreeScene **scene, ScreeFault *fault);
/* Reads the files of its meshes; `path`: of the scene, beside which they are, or NULL: in the working folder.
 * scree_scene_read does this; after scree_scene_read_text it remains to be done. */
ScreeStatus scree_scene_load(ScreeScene *scene, const char *path, ScreeFault *fault);
void scree_scene_free(ScreeScene *scene);

/* Numbers whose unit was probably forgotten, or that are unlikely in any: places, and sentences for each. Returns how
 * many there are. */
#define SCREE_SCENE_HINTS 12
size_t scree_scene_hints(const ScreeScene *scene, ScreeFault hints[SCREE_SCENE_HINTS]);
/* Walls outside the domain, a fall that nothing ends, streams that ask for too much: the same, the first few of them.
 */
#define SCREE_SCENE_DOUBTS 8
size_t scree_scene_doubts(const ScreeScene *scene, ScreeFault doubts[SCREE_SCENE_DOUBTS]);
/* Grains that do not lie where they are held, as a world that has just started has them: those of one fill or lattice
 * on both sides of a mesh, and gaps in a mesh that they can leave by. The first few. */
typedef struct ScreeLeak {
  ScreeFault fault;
  size_t group, wall; /* of particles, of walls */
  size_t rim;         /* from 1; 0: grains on both sides */
  size_t grains[2];   /* on either side; of a gap, of the group */
} ScreeLeak;
#define SCREE_SCENE_LEAKS 8
ScreeStatus scree_scene_leaks(const ScreeScene *scene, const ScreeWorld *world, ScreeLeak leaks[SCREE_SCENE_LEAKS],
                              size_t *count);
/* What the scene that a run leaves begins with: all of its numbers are SI, and meant so. */
#define SCREE_SCENE_RESOLVED "# As scree "

static inline ScreeSceneMaterial *scree_scene_material(const ScreeScene *s, size_t i) {
  return (ScreeSceneMaterial *)s->materials.at + i;
}
static inline ScreeSceneContact *scree_scene_contact(const ScreeScene *s, size_t i) {
  return (ScreeSceneContact *)s->contacts.at + i;
}
static inline ScreeSceneWall *scree_scene_wall(const ScreeScene *s, size_t i) {
  return (ScreeSceneWall *)s->walls.at + i;
}
static inline ScreeSceneParticles *scree_scene_particles(const ScreeScene *s, size_t i) {
  return (ScreeSceneParticles *)s->particles.at + i;
}
static inline ScreeSceneOutlet *scree_scene_outlet(const ScreeScene *s, size_t i) {
  return (ScreeSceneOutlet *)s->outlets.at + i;
}
/* The streams among the groups, in order; NULL after the last. */
const ScreeSceneParticles *scree_scene_stream(const ScreeScene *scene, size_t stream);
/* Does the number of grains change in a run? */
bool scree_scene_flows(const ScreeScene *scene);
/* Grains that streams may bring until the end [about]. */
double scree_scene_arrivals(const ScreeScene *scene);

/* kg/s: what a stream asks for, and about what its region can let through; infinite: more than it will ask for. */
double scree_scene_stream_rate(const ScreeScene *scene, const ScreeSceneParticles *stream);
double scree_scene_stream_limit(const ScreeScene *scene, const ScreeSceneParticles *stream);

/* rad from the vertical: the steepest cone, or mesh around its lowest rim, that leads to the opening above an outlet;
 * NaN: there is none, as in a flat bottom. */
double scree_scene_outlet_angle(const ScreeScene *scene, size_t outlet);

/* How two materials meet: their own entry, or the default. */
const ScreeSceneContact *scree_scene_contact_of(const ScreeScene *scene, int a, int b);

/* The rim that an outlet's opening is; NULL: it is none, or has no opening. */
const ScreeRim *scree_scene_opening_rim(const ScreeScene *scene, const ScreeSceneOutlet *outlet);

/* As the library takes them. */
ScreeRegion scree_shape_region(const ScreeShape *shape);
ScreeStreamDef scree_scene_stream_def(const ScreeSceneParticles *group);
ScreeSizes scree_scene_sizes(const ScreeSceneSizes *sizes); /* its table is the scene's */

/* The grains of all groups, in order; ids are those of lists or follow the largest of them. The caller frees. `placed`:
 * how many of each group; may be NULL. */
ScreeStatus scree_scene_place(const ScreeScene *scene, ScreeGrain **grains, size_t *count, size_t *placed,
                              ScreeFault *fault);
/* The places of a lattice along each axis: start + i step for i in first ... first + used - 1, which are those of
 * `count` that lie in the domain; each grain is shifted by `jitter` at most. */
typedef struct ScreeLatticePlan {
  double start[3], step[3], jitter[3]; /* m */
  double count[3], first[3], used[3];
} ScreeLatticePlan;
ScreeLatticePlan scree_scene_lattice(const ScreeScene *scene, const ScreeSceneParticles *group);
/* Threads for so many grains, those to come included: `threads` if it is not 0. */
int scree_scene_threads_for(const ScreeScene *scene, int threads, int most, size_t grains);
/* Threads that pay for this many grains: below some thousands a step is too short to share, and on a busy machine
 * waiting for each other costs far more than sharing saves. */
int scree_scene_threads(int most, size_t grains);
/* A world with the scene's grains, started. threads 0: what pays, up to `most`; otherwise just so many. */
ScreeStatus scree_scene_build(const ScreeScene *scene, int threads, int most, ScreeWorld **world, ScreeFault *fault);

/* The same with these grains instead of those that the scene places. */
ScreeStatus scree_scene_build_grains(const ScreeScene *scene, int threads, const ScreeGrain *grains, size_t count,
                                     ScreeWorld **world, ScreeFault *fault);
/* The same world as a state of it was saved. What is wrong with the state is the fault's sentence, without a place. */
ScreeStatus scree_scene_restore(const ScreeScene *scene, int threads, const void *state, size_t size,
                                ScreeWorld **world, ScreeFault *fault);

/* A sentence of the engine with "materials 0 and 1" and "wall 2" by their names in the scene, and with the key that
 * helps where a grain left the domain. */
void scree_scene_name_materials(const ScreeScene *scene, const char *sentence, char *named, size_t size);

/* YAML that reads back to the same scene, bit for bit; files of grains have their full paths. */
void scree_scene_write(const ScreeScene *scene, FILE *stream);
/* The same for a folder that holds copies of the scene's files. */
void scree_scene_write_beside(const ScreeScene *scene, FILE *stream);

/* Files that a scene names: meshes by their walls, then files of grains by their groups. */
#define SCREE_SCENE_NAME 160
size_t scree_scene_inputs(const ScreeScene *scene);
/* The name of an input's copy; false where there is none. Meshes of the same content share a copy. */
bool scree_scene_copy_name(const ScreeScene *scene, size_t input, char name[SCREE_SCENE_NAME]);
/* The path of the file itself, to be freed, and the checksum of what was read from it; 0: not known. */
char *scree_scene_copy_source(const ScreeScene *scene, size_t input, uint64_t *content);

/* A motion as the engine takes it; its waypoints are the scene's. */
ScreeMotionDef scree_scene_motion_def(const ScreeSceneMotion *motion);
/* The engine's number of a wall, the first of its faces. */
int scree_scene_wall_number(const ScreeScene *scene, size_t index);
/* Does any wall move, come, go or wear? */
bool scree_scene_walls_change(const ScreeScene *scene);
/* A motion in words. */
void scree_motion_text(const ScreeSceneMotion *motion, char *text, size_t size);
void scree_scene_free_wall(ScreeSceneWall *wall); /* what its motions hold */
void scree_scene_free_mesh(ScreeSceneMesh *mesh);

#endif
