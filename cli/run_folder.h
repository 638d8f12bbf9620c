/* run_folder.h: the folder of a run and its files. */
#ifndef SCREE_CLI_RUN_FOLDER_H
#define SCREE_CLI_RUN_FOLDER_H

#include "io/scene.h"

#include <jansson.h>

#define DRAFT_NAME ".scree-begun" /* of a folder that is being made: see run_begin.c */

typedef struct RunFolder {
  char *path, *checkpoints;
  int lock;                /* held while the run writes; -1: not yet */
  FILE *text, *csv, *flow; /* flow: NULL where no grains come or go */
  bool told;               /* that they cannot be written */
} RunFolder;

/* "scene.yaml" runs in "scene.run" beside it. */
char *default_folder(const char *scene_file);

/* Does a folder hold a run? */
bool is_run(const char *path);
/* The folder of the run whose scene, as it was understood, this file is; NULL: it is none's. */
char *run_of_scene(const char *scene_file);

/* Is the folder free? Checked before anything is computed. Returns an exit status. */
int check_folder(const char *verb, const char *path, const char *scene_file, bool overwrite);
/* Is there nothing in it? */
bool is_free_folder(const char *path);
/* Locks a folder that exists; one that does not is left for open_folder (run_begin.h) to make. Returns an exit status.
 */
int claim_folder(RunFolder *folder, const char *verb, const char *path);
/* Says how far the run is that the folder holds, and that its scene was named without --resume: `scene` and `until`
 * (NULL: none) as they were given. Returns an exit status. */
int refuse_rerun(const char *verb, const char *path, const char *scene, const char *until);
/* Does the folder hold a run that has written more than headings? */
bool has_progress(const char *path);
/* Removes what a run leaves, but for checkpoints. */
bool clear_folder(const char *path); /* false: it cannot be read */
/* Opens one of the logs; NULL after the error was shown. */
FILE *open_log(const RunFolder *folder, const char *verb, const char *name, const char *mode);
/* One line that names the run's files, those of a series by their pattern; `frames`: in the trajectory. */
void print_folder(const RunFolder *folder, long frames);
/* The logs as long as they were; what was written since is cut off. */
typedef struct LogLengths {
  int64_t text, csv, flow; /* bytes of log.txt, log.csv and flow.csv; -1: there is none */
} LogLengths;
bool resume_logs(RunFolder *folder, const char *verb, LogLengths lengths);
/* What the logs were given is in their files. */
bool flush_logs(RunFolder *folder, const char *verb);
/* The logs are on disk, with these lengths. */
bool sync_logs(RunFolder *folder, const char *verb, LogLengths *lengths);
/* The scene as it is now; what an earlier end left, and files that a killed process did not bring to theirs, are gone.
 */
bool refresh_folder(const RunFolder *folder, const char *verb, const ScreeScene *scene);
/* What a run that ended left; NULL: nothing that could be read. */
json_t *read_summary(const RunFolder *folder);
/* Both write aside and rename. */
bool write_summary(const RunFolder *folder, const char *verb, json_t *summary);
bool write_grains(const RunFolder *folder, const char *verb, const ScreeScene *scene, const ScreeWorld *world);
/* Frees the paths. */
void forget_folder(RunFolder *folder);
/* Closes the logs, lets go of the lock; false when they could not be written. */
bool close_folder(RunFolder *folder, const char *verb);

#endif
