/* scene.h: random scenes. A seed gives a description (generate.c); a description gives a world (build.c), a scene file
 * (write.c), another description of the same physics (transform.c) and smaller ones (shrink.c). invariants.c lists what
 * must hold of every scene, main.c drives.
 *
 * A description is one block of plain numbers: no pointers, so that it is copied by assignment. */
#ifndef TEST_SCENES_SCENE_H
#define TEST_SCENES_SCENE_H

#include <math.h>
#include <scree/scree.h>
#include <stdio.h>

enum {
  MAX_MATERIALS = 3,
  MAX_GRAINS = 216,
  MAX_WALLS = 5,
  MAX_MOTIONS = 2,
  MAX_WAYPOINTS = 4,
  MAX_VERTICES = 49,
  MAX_TRIANGLES = 72,
  MAX_STREAMS = 2,
  MAX_OUTLETS = 2
};

typedef struct SceneMesh {
  size_t vertices, triangles;
  double vertex[MAX_VERTICES][3]; /* m */
  uint32_t triangle[MAX_TRIANGLES][3];
} SceneMesh;

/* The table of waypoints stands beside the motion whose pointer build.c sets. */
typedef struct SceneMotion {
  ScreeMotionDef def;
  ScreeWaypoint waypoint[MAX_WAYPOINTS];
} SceneMotion;

typedef struct SceneWall {
  ScreeWallDef def;
  double end[3]; /* m, of a pipe or a funnel that begins at the point: its axis and length follow */
  SceneMesh mesh;
  SceneMotion motion[MAX_MOTIONS];
  int motions;
  double insert_at, remove_at; /* s; -+infinity: always there */
} SceneWall;

typedef struct Scene {
  uint64_t seed;
  /* Scales that differences are judged by, and times were chosen from: mean radius [m], speed of impacts [m/s], about
   * how long the scene lasts [s]. */
  double radius, speed, time;
  ScreeWorldDef def; /* threads: 1 */
  ScreeMaterial material[MAX_MATERIALS];
  int materials;
  ScreeContactDef contact;                            /* of every pair that has none of its own */
  ScreeContactDef pair[MAX_MATERIALS][MAX_MATERIALS]; /* a <= b */
  bool has_own[MAX_MATERIALS][MAX_MATERIALS];
  SceneWall wall[MAX_WALLS];
  int walls;
  ScreeStreamDef stream[MAX_STREAMS];
  int streams;
  ScreeRegion outlet[MAX_OUTLETS];
  int outlets;
  ScreeGrain grain[MAX_GRAINS];
  int grains;
  bool pressed; /* grains may overlap at the start */
  long steps;
} Scene;

/* ---- draws (generate.c) ---- */

/* Random numbers that depend on a seed, a topic and how many of the topic were drawn: what one topic draws leaves the
 * others alone. */
typedef struct Draws {
  uint64_t seed, topic, count;
} Draws;

Draws draws_of(uint64_t seed, const char *topic);
double draw_uniform(Draws *d, double low, double high);
double draw_log_uniform(Draws *d, double low, double high);
int draw_below(Draws *d, int count);
bool draw_chance(Draws *d, double probability);
void draw_direction(Draws *d, double *unit);
void draw_permutation(Draws *d, int count, int *order);

void scene_generate(uint64_t seed, Scene *scene);
/* n of the stiffness [N/m^n] that a contact takes. */
double scene_stiffness_exponent(const ScreeContactDef *contact);
/* Axis and length of a pipe or a funnel from its two ends. */
void scene_align(SceneWall *wall);

/* ---- words (write.c) ---- */

/* Writes scene.yaml and the files it names into a folder, which exists. */
bool scene_write(const Scene *scene, const char *folder);
/* One line: laws, walls, numbers. */
void scene_print(const Scene *scene, FILE *file);
const char *scene_shape_name(const ScreeWallDef *wall);
const char *scene_motion_name(const ScreeMotionDef *motion);

#endif
