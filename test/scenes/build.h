/* build.h: worlds of a scene, runs of it in different ways, and what can be read of a world, for comparison. */
#ifndef TEST_SCENES_BUILD_H
#define TEST_SCENES_BUILD_H

#include "scene.h"

enum { SENTENCE = 400, SAMPLES = 3 };

/* How a scene is run; none of it may leave a trace in the results. */
typedef struct Way {
  int threads;
  int isa;             /* -1: the widest; an index into the instruction sets */
  int helpfulness;     /* of src/dem/engine.h */
  size_t per_tile;     /* grains of a tile, at most */
  bool early;          /* tiles go ahead of each other, few as the grains are */
  double skin;         /* m; NaN: the scene's */
  const int *order;    /* of the input: grain i is the scene's order[i]; NULL: as it is */
  const uint64_t *ids; /* of the scene's grains; NULL: its own */
  long chunk;          /* steps per call; 0: all at once */
  double resume;       /* share of the steps after which the run is saved and restored; NaN: never */
  int resume_threads;
} Way;

Way way_default(void);

/* A reading holds the state of a world at one time. Every field is compared bit by bit. */
#define READING_LIST(X)                                                                                                \
  X(hash)     /* of the world: ids, positions, velocities, spins, memory of contacts */                                \
  X(grains)   /* in the scene's order */                                                                               \
  X(loads)    /* forces, torques, numbers of contacts */                                                               \
  X(energies) /* of grains, contacts and walls, and what was lost */                                                   \
  X(momenta)                                                                                                           \
  X(overlaps)                                                                                                          \
  X(contacts) /* as scree_world_read_contacts gives them */                                                            \
  X(walls)    /* forces and torques, poses, power and work */                                                          \
  X(wear)                                                                                                              \
  X(flows) /* and what they carried: sums in the order of ids */

typedef struct Reading {
#define READING_FIELD(name) uint64_t name;
  READING_LIST(READING_FIELD)
#undef READING_FIELD
} Reading;

typedef struct Outcome {
  bool started;
  ScreeStatus status;
  char sentence[SENTENCE]; /* "" when all went well */
  double timestep, expected_speed;
  int samples; /* taken before the run ended */
  Reading sample[SAMPLES];
  long steps;
  /* Of the end. */
  ScreeMeasure measure;
  int grains;
  ScreeGrain grain[2 * MAX_GRAINS]; /* in the order of ids */
} Outcome;

ScreeStatus scene_build(const Scene *scene, const Way *way, ScreeWorld **world); /* not started yet */
/* Runs a scene to its end, or to its failure. */
void scene_run(const Scene *scene, const Way *way, Outcome *out);
/* Names in what two outcomes differ, first the sample, then its fields; false: in nothing. */
bool outcome_difference(const Outcome *a, const Outcome *b, bool with_ids, char *names, size_t size);

/* Walls as the engine counts them: a box around grains and a mesh are six. */
int scene_engine_walls(const Scene *scene, int wall);
/* First of the scene's wall. */
int scene_first_wall(const Scene *scene, int wall);

#endif
