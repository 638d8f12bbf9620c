/* run.h: a run while it goes on, as the files of `scree run` share it. */
#ifndef SCREE_CLI_RUN_H
#define SCREE_CLI_RUN_H

#include "scene_file.h"

#include "progress.h"
#include "run_flow.h"
#include "run_folder.h"
#include "run_frames.h"
#include "run_log.h"
#include "run_walls.h"

typedef struct RunOptions {
  SceneOptions scene;
  const char *folder;
  int threads; /* 0: what pays */
  double until;
  const char *until_text; /* as given; NULL: it was not */
  bool overwrite, resume, json;
} RunOptions;

typedef struct Run {
  const RunOptions *options;
  ScreeScene *scene;
  ScreeWorld *world;
  RunFolder folder;
  RunFrames frames;
  RunWalls walls;
  Progress progress;
  long step, last;
  long times[8];                 /* of each event: which one comes next */
  double log_every, frame_every; /* s of motion: as the run was begun, where the scene leaves it to the run */
  long logged;                   /* step of the last line; -1: none yet */
  double logged_at;              /* wall clock then, or when this process began */
  double start;                  /* wall clock */
  double seconds;                /* that earlier processes spent on this run */
  long resumed;                  /* the step this process went on from; -1: it began the run */
  json_t *earlier;               /* of a run that had ended already: its summary, or NULL */
  double work;                   /* grains times steps since the last line, and of all lines of this process */
  double work_done;
  FlowState flow;
  Sample sample;           /* of the last line */
  double deepest;          /* overlap, over all lines */
  long rising;             /* lines one after the other on which energy came from nowhere */
  long saved;              /* step of the newest checkpoint; -1: none */
  double saved_at, saving; /* wall clock when it was done, and what it took */
  char *error;             /* the engine's sentence, when it stopped the run */
  char *unwritten;         /* what was said of the first file that could not be written */
} Run;

/* run_save.c: a checkpoint of now, unless there is one, or none are wanted; false after the error was shown. */
bool run_save(Run *run);
bool run_saves(const Run *run);
/* By the clock. */
bool run_save_is_due(const Run *run);

/* run_resume.c: takes up the run that the folder holds. Returns an exit status; *anew: there is nothing to go on from
 * and nothing to lose, so that the run may begin. */
int run_resume(Run *run, const char *verb, const char *folder, bool *anew);

#endif
