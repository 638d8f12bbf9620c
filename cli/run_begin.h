/* run_begin.h: how the folder of a run comes to be: whole or not at all, whatever is killed when. */
#ifndef SCREE_CLI_RUN_BEGIN_H
#define SCREE_CLI_RUN_BEGIN_H

#include "run_folder.h"

/* Makes the folder of a new run: copies of the scene's files, the scene as it was understood, logs with their headings.
 * An old run, with overwrite, is there until the new one is whole. False after the error was shown. */
bool open_folder(RunFolder *folder, const char *verb, const char *path, const ScreeScene *scene, bool overwrite);

/* Brings to its end what a killed process left half done of that; a folder that is none, or not there, is fine. */
bool mend_folder(const char *verb, const char *path);

/* Writes the scene as it is now, and what is missing of the copies of its files. */
bool write_scene(const RunFolder *folder, const char *verb, const ScreeScene *scene);

#endif
