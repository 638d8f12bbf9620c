/* run_folder.h: the folder of a run and its files. */
#ifndef SCREE_CLI_RUN_FOLDER_H
#define SCREE_CLI_RUN_FOLDER_H

#include "io/scene.h"

#include <jansson.h>

typedef struct RunFolder {
  char *path;
  int lock; /* held while the run writes */
  FILE *text, *csv;
} RunFolder;

/* "scene.yaml" runs in "scene.run" beside it. */
char *default_folder(const char *scene_file);

/* Is the folder free? Checked before anything is computed. Returns an exit status. */
int check_folder(const char *verb, const char *path, const char *scene_file, bool overwrite);
/* Makes the folder, writes the scene as it was understood, opens the logs. */
bool open_folder(RunFolder *folder, const char *verb, const char *path, const ScreeScene *scene, bool overwrite);
/* Both write aside and rename. */
bool write_summary(const RunFolder *folder, const char *verb, json_t *summary);
bool write_grains(const RunFolder *folder, const char *verb, const ScreeScene *scene, const ScreeWorld *world);
/* Closes the logs; false when they could not be written. */
bool close_folder(RunFolder *folder, const char *verb);

#endif
