/* scene_file.h: what the verbs that take a scene share: its argument, --set, and how its errors are shown. */
#ifndef SCREE_CLI_SCENE_FILE_H
#define SCREE_CLI_SCENE_FILE_H

#include "cli.h"

#include "io/scene.h"

typedef struct SceneOptions {
  const char *path; /* as given: a file, a folder with a scene.yaml, or - for standard input */
  const char **settings;
  size_t count;
  char *file; /* what was opened */
} SceneOptions;

/* Options --set and the argument SCENE, for an argp child whose input is a SceneOptions. */
const struct argp *scene_argp(void);

/* Reads the scene; false after the error was shown, with the exit status in *status. */
bool open_scene(const char *verb, SceneOptions *options, ScreeScene **scene, int *status);
void close_scene_options(SceneOptions *options);

/* Numbers whose unit was probably forgotten, and what else is hardly meant: a line for each on standard error. */
void show_hints(const char *verb, const ScreeScene *scene);
/* The same for grains beside a vessel, or gaps that they can leave it by, in a world that has just started. Returns how
 * many there are. */
size_t warn_leaks(const char *verb, const ScreeScene *scene, const ScreeWorld *world,
                  ScreeLeak leaks[SCREE_SCENE_LEAKS]);
/* A line where more threads were asked for than there are processors. */
void warn_threads(const char *verb, int threads);

/* "file:line:column: sentence", the line and a caret; returns the exit status that belongs to it. */
int show_fault(const char *verb, ScreeStatus status, const ScreeFault *fault);

/* A sentence of the engine with materials by name instead of by number. */
char *name_materials(const ScreeScene *scene, const char *sentence);

/* Steps of the whole run, and the simulated time between two lines of its log. */
double run_steps(const ScreeScene *scene, double timestep);
double log_interval(const ScreeScene *scene);

/* Processors that this process may use. */
int default_threads(void);

#endif
