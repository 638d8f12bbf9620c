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
  const void *note, *state; /* within data */
  size_t note_size, state_size;
  void *data;      /* to be freed with scree_checkpoint_free */
  char path[4096]; /* where it was found */
} ScreeCheckpoint;

/* Saves the world into `folder`, which is made if it does not exist, and removes all but the two newest. */
ScreeStatus scree_checkpoint_write(const char *folder, ScreeWorld *world, const void *note, size_t note_size);

/* Steps of the checkpoints in a folder, newest first; to be freed. None where there is no folder. */
ScreeStatus scree_checkpoint_list(const char *folder, long **steps, size_t *count);
/* One of them. A damaged one is refused with a sentence that says what is wrong with it; SCREE_NO_MEMORY is the
 * program's own want of memory or of open files, of which the checkpoint knows nothing. */
ScreeStatus scree_checkpoint_load(const char *folder, long step, ScreeCheckpoint *checkpoint);
/* The newest that is whole. A damaged one is passed over; `skipped` (may be NULL) counts those. SCREE_MISSING when
 * there is none. */
ScreeStatus scree_checkpoint_read(const char *folder, ScreeCheckpoint *checkpoint, int *skipped);
void scree_checkpoint_free(ScreeCheckpoint *checkpoint);

/* Those after `step` are damaged: they keep their bytes, but lose their place to what comes. */
void scree_checkpoint_put_aside(const char *folder, long step);
/* Removes all checkpoints, and the folder if nothing else is in it. */
void scree_checkpoint_clear(const char *folder);

/* The parts of a file's bytes, which the checkpoint takes over also when it fails. */
ScreeStatus scree_checkpoint_unpack(void *data, size_t size, ScreeCheckpoint *checkpoint);

#endif
