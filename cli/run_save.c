/* run_save.c: checkpoints of a run. Its other files are on disk before the checkpoint that names their lengths gets its
 * own name: whatever is killed when, the newest checkpoint has everything it needs. */
#include "run.h"

#include "io/checkpoint.h"
#include "output.h"
#include "run_note.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char verb[] = "run";

/* Saving takes a twentieth of the time at most. */
#define SHARE 20.0

bool run_saves(const Run *run) { return !isinf(run->scene->run.checkpoint.every); }

bool run_save_is_due(const Run *run) {
  const ScreeSceneCheckpoint *c = &run->scene->run.checkpoint;
  return run_saves(run) && c->wall && wall_clock() - run->saved_at >= fmax(c->every, SHARE * run->saving);
}

static RunNote describe(const Run *run) {
  const ScreeSceneOutput *output = &run->scene->run.output;
  RunNote note = {.particles = (int64_t)scree_world_count(run->world),
                  .logged = run->logged,
                  .frames = run->frames.count,
                  .last_frame = run->frames.last,
                  .rising = run->rising,
                  .format = output->format,
                  .contacts = output->contacts,
                  .seconds = run->seconds + wall_clock() - run->start,
                  .log_every = run->log_every,
                  .frame_every = run->frame_every,
                  .deepest = run->deepest,
                  .kinetic = run->sample.m.kinetic,
                  .max_overlap = run->scene->max_overlap,
                  .scene = scene_essence(run->scene),
                  .flow = flow_pack(&run->flow, run->scene)};
  memcpy(note.low, run->frames.low, sizeof note.low);
  memcpy(note.high, run->frames.high, sizeof note.high);
  return note;
}

static bool write_all(Run *run, RunNote *note) {
  if (!sync_logs(&run->folder, verb, &note->lengths) || !walls_sync(&run->walls, verb, note->walls_length) ||
      !frames_mark(&run->frames, verb, note->mark))
    return false;
  Blob packed = note_pack(note);
  ScreeStatus status = scree_checkpoint_write(run->folder.checkpoints, run->world, packed.data, packed.size);
  free(packed.data);
  if (status != SCREE_OK) failure(verb, "%s", scree_last_error());
  return status == SCREE_OK;
}

bool run_save(Run *run) {
  if (!run_saves(run) || run->saved == run->step) return true;
  double before = wall_clock();
  RunNote note = describe(run);
  bool done = write_all(run, &note);
  free(note.scene.data), free(note.flow.data);
  for (int i = 0; i < FRAME_STREAMS; i++) free(note.mark[i].data);
  if (done) run->saved = run->step;
  run->saved_at = wall_clock();
  run->saving = run->saved_at - before;
  return done;
}
