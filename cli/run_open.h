/* run_open.h: a finished run, or one that is going on, as other verbs read it: its scene and its trajectory. */
#ifndef SCREE_CLI_RUN_OPEN_H
#define SCREE_CLI_RUN_OPEN_H

#include "io/scene.h"
#include "io/trajectory.h"

typedef struct RunFiles {
  const char *folder;
  ScreeScene *scene;
  ScreeTrajectory *trajectory;
  size_t frames; /* at least one */
  const char *verb;
  bool skip;      /* damaged frames are left out, with a warning for each */
  size_t skipped; /* so many */
} RunFiles;

/* Returns an exit status, after the error was shown. */
int open_run(RunFiles *run, const char *verb, const char *folder, bool skip);
void close_run(RunFiles *run);

/* Reads a frame into `grains`. False where it is damaged: after a warning where those are skipped, or after the error
 * was shown, with an exit status in *status. */
bool open_frame(RunFiles *run, size_t index, ScreePolyData *grains, int *status);

/* A frame's number: from 0, or from the end when negative. */
bool read_frame_number(const char *text, size_t length, long *number);
/* The same as an index; false after the error was shown. */
bool resolve_frame(const RunFiles *run, const char *verb, long number, size_t *index);

/* Would the file be writable? What a user named wrong is wrong use, before any work is done. Returns an exit status. */
int check_writable(const char *verb, const char *path);

#endif
