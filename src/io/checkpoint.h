/* checkpoint.h: a run's state on disk. A checkpoint is complete or absent: it is written aside, synced and renamed, and
 * the two newest are kept, so that a full disk, a killed process or a damaged file costs one interval at most.
 *
 * A file is  "scree-cp", version, step, lengths of the note and of the state, note, state, checksum  with integers of 8
 * bytes, little endian; the checksum is over everything before it. The note is the run's own: what it needs beside the
 * world's state to go on. */
#ifndef SCREE_CHECKPOINT_H
#define SCREE_CHECKPOINT_H

#include "scree/world.h"

typedef struct ScreeCheckpoint {
  long step;
  void *note, *state; /* to be freed with scree_checkpoint_free */
  size_t note_size, state_size;
  char path[4096]; /* where it was found */
} ScreeCheckpoint;

/* Saves the world into `folder`, which is made if it does not exist, and removes all but the two newest. */
ScreeStatus scree_checkpoint_write(const char *folder, ScreeWorld *world, const void *note, size_t note_size);
/* The newest checkpoint that is whole. A damaged one is passed over; `skipped` (may be NULL) counts those.
 * SCREE_MISSING when there is none. */
ScreeStatus scree_checkpoint_read(const char *folder, ScreeCheckpoint *checkpoint, int *skipped);
void scree_checkpoint_free(ScreeCheckpoint *checkpoint);

#endif
