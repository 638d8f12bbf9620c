/* run_resume.c: how a run that was stopped or killed goes on. Nothing is changed on disk before a checkpoint has been
 * read, understood and turned into a world; then the logs and trajectories are cut back to it. */
#include "run.h"

#include "io/checkpoint.h"
#include "io/digits.h"
#include "output.h"
#include "run_note.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AROUND 60 /* characters that are shown of a line that differs */

/* ---- is it the same scene? ---- */

typedef struct Line {
  const char *at;
  int length;
} Line;

static Line line_at(const char *text, size_t size, size_t at) {
  size_t begin = at < size ? at : size;
  while (begin > 0 && text[begin - 1] != '\n') begin--;
  if (at - begin > AROUND / 2) begin = at - AROUND / 2;
  size_t end = begin;
  while (end < size && text[end] != '\n' && end - begin < AROUND) end++;
  return (Line){text + begin, (int)(end - begin)};
}

/* The key of the scene's top level that a place of its text belongs to. */
static Line key_at(const char *text, size_t at) {
  while (at > 0 && (text[at] == ' ' || text[at - 1] != '\n')) at--;
  return (Line){text + at, (int)strcspn(text + at, ":\n")};
}

/* Exit status: wrong use where the scene would be another. */
static int compare_scenes(const char *verb, const Blob *was, const Blob *is) {
  size_t same = 0;
  const char *a = was->data, *b = is->data;
  while (same < was->size && same < is->size && a[same] == b[same]) same++;
  if (same == was->size && same == is->size) return EXIT_DONE;
  Line key = key_at(b, same < is->size ? same : is->size - 1), before = line_at(a, was->size, same),
       now = line_at(b, is->size, same);
  return misuse(
      verb,
      "the run was begun with another scene, which differs in %.*s: \"%.*s\" then, \"%.*s\" now; a run may only "
      "go on with another title, max_overlap, run.duration, run.max_residual, run.log, run.checkpoint, "
      "run.output.every and "
      "run.output.picture",
      key.length, key.at, before.length, before.at, now.length, now.at);
}

static int check_same(const Run *run, const char *verb, const RunNote *note) {
  const ScreeSceneOutput *o = &run->scene->run.output;
  Blob is = scene_essence(run->scene), was = {checked_alloc(note->scene.size + 1, 1), note->scene.size};
  memcpy(was.data, note->scene.data, was.size);
  forget_meshes(&was);
  int status = compare_scenes(verb, &was, &is);
  free(is.data), free(was.data);
  if (status != EXIT_DONE) return status;
  if (note->format != o->format || note->contacts != o->contacts)
    return misuse(verb, "run.output.format and run.output.contacts cannot change while a run goes on");
  return EXIT_DONE;
}

/* ---- a checkpoint that is whole ---- */

typedef struct Found {
  ScreeCheckpoint checkpoint;
  RunNote note;
} Found;

static int threads_for(const Run *run, const RunNote *note) {
  int given = run->options->threads;
  return given ? given : scree_scene_threads(default_threads(), (size_t)note->particles);
}

/* False with a sentence in `why` where the checkpoint is of no use; *status is set where the scene is, and where the
 * checkpoint may be whole, but there is no memory for it. */
static bool try_checkpoint(Run *run, const char *verb, long step, Found *found, char *why, size_t size, int *status) {
  ScreeFault fault = {0};
  ScreeStatus loaded = scree_checkpoint_load(run->folder.checkpoints, step, &found->checkpoint);
  if (loaded != SCREE_OK) {
    snprintf(why, size, "%s", scree_last_error());
    if (loaded == SCREE_NO_MEMORY) *status = report(verb, loaded);
    return false;
  }
  ScreeCheckpoint *c = &found->checkpoint;
  if (!note_unpack(c->note, c->note_size, &found->note)) {
    snprintf(why, size, "%.300s cannot be used: what it says of the run is of another version of scree", c->path);
  } else if ((*status = check_same(run, verb, &found->note)) != EXIT_DONE) {
    *why = '\0';
  } else {
    loaded =
        scree_scene_restore(run->scene, threads_for(run, &found->note), c->state, c->state_size, &run->world, &fault);
    if (loaded == SCREE_OK) return true;
    snprintf(why, size, "%.300s cannot be used: %s", c->path, fault.sentence);
    if (loaded == SCREE_NO_MEMORY) *status = report(verb, loaded);
  }
  scree_checkpoint_free(c);
  return false;
}

/* Exit status. The world is that of the newest checkpoint that is of use. */
static int find_checkpoint(Run *run, const char *verb, const long *steps, size_t count, Found *found) {
  for (size_t i = 0; i < count; i++) {
    char why[900];
    int status = EXIT_DONE;
    if (try_checkpoint(run, verb, steps[i], found, why, sizeof why, &status)) return EXIT_DONE;
    if (status != EXIT_DONE) return status;
    failure(verb, i + 1 < count ? "%s; the one before is used" : "%s", why);
  }
  return failure(verb, "no checkpoint in %s is of use; nothing was changed", run->folder.checkpoints);
}

/* ---- going on ---- */

static void take_note(Run *run, const RunNote *note, long step) {
  const ScreeSceneRun *r = &run->scene->run;
  run->step = run->saved = run->resumed = step;
  flow_start(&run->flow, run->scene, run->world, (double)step * scree_world_timestep(run->world));
  flow_unpack(&run->flow, run->scene, note->flow);
  run->logged = note->logged;
  run->seconds = note->seconds;
  run->deepest = note->deepest;
  run->rising = note->rising;
  run->sample.m.kinetic = note->kinetic;
  run->log_every = isnan(r->log.every) ? note->log_every : r->log.every;
  run->frame_every = isnan(r->output.every) ? note->frame_every : r->output.every;
}

static int check_end(Run *run, const char *verb) {
  double steps = run_steps(run->scene, scree_world_timestep(run->world));
  if (!(steps <= 1e15)) return misuse(verb, "%.3g steps are too many: shorten run.duration", steps);
  run->last = (long)steps;
  if (run->last >= run->step) return EXIT_DONE;
  return misuse(verb, "the run is at %s already (step %ld), beyond the end at %s: --until a later time goes on",
                scree_quantity((double)run->step * scree_world_timestep(run->world), "s", 6).text, run->step,
                scree_quantity(run->scene->run.duration, "s", 6).text);
}

/* The files as they were at the checkpoint. */
static bool cut_back(Run *run, const char *verb, const RunNote *note) {
  const ScreeScene *scene = run->scene;
  if (!frames_resume(&run->frames, verb, run->folder.path, scene, run->world, note->mark, note->frames,
                     note->last_frame))
    return false;
  memcpy(run->frames.low, note->low, sizeof note->low);
  memcpy(run->frames.high, note->high, sizeof note->high);
  if (!resume_logs(&run->folder, verb, note->lengths) ||
      !walls_open(&run->walls, verb, run->folder.path, scene, run->world, note->walls_length) ||
      !refresh_folder(&run->folder, verb, scene))
    return false;
  scree_checkpoint_put_aside(run->folder.checkpoints, run->step);
  return true;
}

static int take_up(Run *run, const char *verb, const Found *found) {
  take_note(run, &found->note, found->checkpoint.step);
  int status = check_end(run, verb);
  if (status != EXIT_DONE) return status;
  if (run->step == run->last) {
    run->earlier = read_summary(&run->folder);
    fprintf(stderr,
            "scree %s: the run has ended already, at %s: --until a later time, or --set run.duration, goes on\n", verb,
            scree_quantity((double)run->step * scree_world_timestep(run->world), "s", 4).text);
  }
  if (found->note.max_overlap != run->scene->max_overlap)
    fprintf(stderr, "scree %s: max_overlap was %.6g and is %.6g from step %ld on\n", verb, found->note.max_overlap,
            run->scene->max_overlap, run->step);
  return cut_back(run, verb, &found->note) ? EXIT_DONE : EXIT_FAILED;
}

int run_resume(Run *run, const char *verb, const char *folder, bool *anew) {
  size_t count = 0;
  int status = claim_folder(&run->folder, verb, folder);
  if (status != EXIT_DONE) return status;
  long *steps = NULL;
  ScreeStatus listed = run->folder.lock < 0 ? SCREE_OK : scree_checkpoint_list(run->folder.checkpoints, &steps, &count);
  if (listed != SCREE_OK) return report(verb, listed);
  Found found = {0};
  *anew = count == 0 && !has_progress(folder);
  if (count > 0)
    status = find_checkpoint(run, verb, steps, count, &found);
  else if (!*anew)
    status = misuse(verb, "%s holds a run without checkpoints, which cannot go on: --overwrite begins it anew", folder);
  free(steps);
  if (status == EXIT_DONE && count > 0) status = take_up(run, verb, &found);
  scree_checkpoint_free(&found.checkpoint);
  return status;
}
