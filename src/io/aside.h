/* aside.h: a file that is either complete or absent: written beside its place, synced and renamed. */
#ifndef SCREE_ASIDE_H
#define SCREE_ASIDE_H

#include "scree/base.h"

#include <stdio.h>

typedef struct ScreeAside {
  FILE *stream;
  char *path, *aside; /* aside is NULL where the file is written in place: a device, a pipe */
} ScreeAside;

ScreeStatus scree_aside_open(ScreeAside *file, const char *path);
/* Closes; when anything went wrong the file is gone and its old content is still there. */
ScreeStatus scree_aside_commit(ScreeAside *file);

/* The names in a folder are on disk. */
ScreeStatus scree_sync_folder(const char *folder);

#endif
