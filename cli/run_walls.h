/* run_walls.h: what a run tells of its walls: loads with every line of the log, and, where any moves, their places with
 * every frame. */
#ifndef SCREE_CLI_RUN_WALLS_H
#define SCREE_CLI_RUN_WALLS_H

#include "io/scene.h"
#include "io/wall_mesh.h"
#include "io/wall_pose.h"

#include <jansson.h>

enum { WALL_FILES = 2 }; /* walls.csv, wall_poses.csv */

typedef struct RunWalls {
  const ScreeScene *scene;
  const ScreeWorld *world;
  char *folder;
  FILE *log, *poses; /* NULL: there are no walls; none of them moves, or no frames are written */
  double *time;      /* s, of the frames */
  size_t frames, capacity;
} RunWalls;

/* All return false after the error was shown. length: of the files of a run that goes on, what comes after is cut off;
 * NULL: it begins. */
bool walls_open(RunWalls *walls, const char *verb, const char *folder, const ScreeScene *scene, const ScreeWorld *world,
                const int64_t *length);
bool walls_log(RunWalls *walls, const char *verb, long step);
bool walls_frame(RunWalls *walls, const char *verb, long frame, long step);
/* The files are on disk, with these lengths. */
bool walls_sync(RunWalls *walls, const char *verb, int64_t *length);
bool walls_close(RunWalls *walls, const char *verb);

/* For summary.json: a list with the loads of now. */
json_t *walls_summary(const RunWalls *walls);

/* The work on the triangles of the meshes that wear, so far; nothing on other polygons. */
ScreeStatus surface_wear(const ScreeScene *scene, const ScreeWorld *world, ScreeSurface *surface);

/* The poses of all walls of the scene now; to be freed. */
ScreePose *poses_now(const ScreeScene *scene, const ScreeWorld *world);

#endif
