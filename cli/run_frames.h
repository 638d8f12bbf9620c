/* run_frames.h: what a run leaves to look at: its trajectory, contacts, walls and a picture. */
#ifndef SCREE_CLI_RUN_FRAMES_H
#define SCREE_CLI_RUN_FRAMES_H

#include "io/scene.h"
#include "io/trajectory.h"
#include "io/wall_mesh.h"

/* Bytes of any kind; whoever asked for them frees them. */
typedef struct Blob {
  void *data;
  size_t size;
} Blob;

enum { FRAME_STREAMS = 2 }; /* grains, contacts */

typedef struct RunFrames {
  ScreePolyData grains, contacts;         /* of the last frame */
  ScreeTrajectory *trajectory, *touching; /* NULL where none is written */
  ScreeSurface walls;
  bool moving;            /* some of them are not where they were */
  double low[3], high[3]; /* around the grains of the first frame and the last: the picture shows it */
  long count, last;       /* frames, and the step of the last one; -1: none */
  bool failed;            /* a frame could not be written, and that was said */
} RunFrames;

/* The simulated time between two frames. */
double frame_interval(const ScreeScene *scene, double timestep);

/* All return false after the error was shown. */
bool frames_open(RunFrames *frames, const char *verb, const char *folder, const ScreeScene *scene,
                 const ScreeWorld *world);
/* The same where a run goes on: each trajectory as it was at its mark. */
bool frames_resume(RunFrames *frames, const char *verb, const char *folder, const ScreeScene *scene,
                   const ScreeWorld *world, const Blob mark[FRAME_STREAMS], long count, long last);
/* What frames_resume needs to come back to now; the files are on disk. */
bool frames_mark(const RunFrames *frames, const char *verb, Blob mark[FRAME_STREAMS]);
bool frames_write(RunFrames *frames, const char *verb, const ScreeWorld *world, long step);
/* The picture, unless the scene wants none. */
bool frames_draw(RunFrames *frames, const char *verb, const char *folder, const ScreeScene *scene,
                 const ScreeWorld *world, long step);
bool frames_close(RunFrames *frames, const char *verb);

#endif
