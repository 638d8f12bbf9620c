/* wall_pose.h: where walls that move are: as a file of a run, frame by frame, and as polygons. */
#ifndef SCREE_WALL_POSE_H
#define SCREE_WALL_POSE_H

#include "io/wall_mesh.h"

#include <stdio.h>

/* A point p of the wall as it was defined is at position + turn (p - home). */
typedef struct ScreePose {
  double home[3], position[3], turn[3][3];
  bool present;
} ScreePose;

ScreePose scree_pose_at_rest(void);
ScreePose scree_pose_of(const ScreeWallLoad *load);
/* Its rotation as a vector: the axis times the angle, which is at most pi [rad]. */
void scree_pose_rotation(const ScreePose *pose, double rotation[3]);

/* Adds a wall where it is; one that is not there adds nothing. */
void scree_surface_add_at(ScreeSurface *surface, const ScreeWallDef *wall, const ScreePose *pose, int number,
                          const double *low, const double *high);

/* wall_poses.csv: one row per frame and wall. */
void scree_poses_heading(FILE *stream);
void scree_poses_row(FILE *stream, long frame, long step, double time, int wall, const ScreePose *pose);
/* The poses of a frame; walls without a row are at rest. A file that is not there has none. */
ScreeStatus scree_poses_read(const char *path, long frame, ScreePose *poses, size_t walls);
/* Times of all its frames [s], in order; to be freed. */
ScreeStatus scree_poses_times(const char *path, double **times, size_t *count);

#endif
