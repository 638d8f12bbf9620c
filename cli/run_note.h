/* run_note.h: what a run keeps in a checkpoint beside the state of the world.
 *
 *     version of the note, then the numbers of `RunNote` in their order, 8 bytes each;
 *     then the length and the bytes of: the scene's text without what may change, flow.csv's last line as far as
 *     the next one needs it, the mark of each trajectory */
#ifndef SCREE_CLI_RUN_NOTE_H
#define SCREE_CLI_RUN_NOTE_H

#include "run_folder.h"
#include "run_frames.h"
#include "run_walls.h"

typedef struct RunNote {
  int64_t particles;
  LogLengths lengths;
  int64_t walls_length[WALL_FILES];
  int64_t logged;                /* step of the last line; -1: none */
  int64_t frames, last_frame;    /* how many, and the step of the last; -1: none */
  int64_t rising;                /* lines one after the other on which energy came from nowhere */
  int64_t format, contacts;      /* of run.output: what is written cannot change on the way */
  double seconds;                /* wall clock spent so far */
  double log_every, frame_every; /* s of motion */
  double deepest;                /* largest overlap of all lines */
  double kinetic;                /* J, on the last line */
  double max_overlap;            /* the limit */
  double low[3], high[3];        /* m, what the picture shows */
  Blob scene, flow, mark[FRAME_STREAMS];
} RunNote;

/* The scene's text as far as it decides what happens: duration, log, checkpoints, names of meshes and the like are left
 * out. */
Blob scene_essence(const ScreeScene *scene);
/* Leaves the names of meshes out of an essence that may have them. */
void forget_meshes(Blob *scene);

Blob note_pack(RunNote *note);
/* Parts of the note lie within `data`; false where the bytes make no sense. */
bool note_unpack(const void *data, size_t size, RunNote *note);

#endif
