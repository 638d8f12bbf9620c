/* run_note.c: see run_note.h. */
#include "cli.h"

#include "output.h"
#include "run_note.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE_VERSION = 2 };

/* ---- the scene ---- */

/* What a mesh holds, for the comparison: its file may have changed under the same name. FNV-1a over the corners. */
static uint64_t content_of(const ScreeTriangles *t) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < 3 * t->triangles; i++) {
    const unsigned char *bytes = (const unsigned char *)t->vertex[t->triangle[i / 3][i % 3]];
    for (size_t k = 0; k < sizeof *t->vertex; k++) hash = (hash ^ bytes[k]) * 0x100000001b3;
  }
  return hash;
}

/* Without the names of meshes: a mesh is its content, wherever its file is and whatever it is called there. */
void forget_meshes(Blob *scene) {
  static const char key[] = "mesh: \"";
  const size_t width = sizeof key - 1;
  char *text = scene->data;
  size_t kept = 0;
  for (size_t at = 0; at < scene->size; at++) {
    text[kept++] = text[at];
    if (kept < width || memcmp(text + kept - width, key, width) != 0) continue;
    while (at + 1 < scene->size && text[at + 1] != '"') at += text[at + 1] == '\\' ? 2 : 1;
  }
  scene->size = kept;
}

Blob scene_essence(const ScreeScene *scene) {
  static const ScreeSceneRun any = {
      .duration = 1, .max_residual = NAN, .log.every = NAN, .output.every = NAN, .checkpoint.every = INFINITY};
  ScreeScene essence = *scene; /* reads, and frees nothing */
  char *text = NULL;
  size_t length = 0;
  essence.title = NULL;
  essence.max_overlap = 0.1;
  essence.run = any;
  essence.run.timestep = scene->run.timestep;
  FILE *stream = open_memstream(&text, &length);
  bool whole = false;
  if (stream) {
    scree_scene_write_beside(&essence, stream); /* files by names that do not depend on where they are */
    for (size_t i = 0; i < scene->walls.count; i++) {
      const ScreeSceneMesh *mesh = &scree_scene_wall(scene, i)->mesh;
      if (mesh->file) fprintf(stream, "# content of walls.%zu.mesh: %016" PRIx64 "\n", i, content_of(&mesh->triangles));
    }
    whole = !ferror(stream);
    whole = fclose(stream) == 0 && whole;
  }
  if (!whole) out_of_memory();
  Blob blob = {text, length};
  forget_meshes(&blob);
  return blob;
}

/* ---- bytes ---- */

typedef struct Tape {
  unsigned char *at;
  size_t left;
  bool reading, failed;
} Tape;

static void pass(Tape *t, void *value, size_t size) {
  if (t->left < size) {
    t->failed = true;
    return;
  }
  if (size > 0) t->reading ? memcpy(value, t->at, size) : memcpy(t->at, value, size);
  t->at += size, t->left -= size;
}

static void pass_blob(Tape *t, Blob *blob) {
  uint64_t size = blob->size;
  pass(t, &size, sizeof size);
  if (t->failed || size > t->left) {
    t->failed = true;
    return;
  }
  if (t->reading) {
    *blob = (Blob){t->at, size};
    t->at += size, t->left -= size;
  } else {
    pass(t, blob->data, size);
  }
}

static void pass_note(Tape *t, RunNote *n) {
  int64_t *const whole[] = {&n->particles,       &n->lengths.text,    &n->lengths.csv, &n->lengths.flow,
                            &n->walls_length[0], &n->walls_length[1], &n->logged,      &n->frames,
                            &n->last_frame,      &n->rising,          &n->format,      &n->contacts};
  double *const real[] = {&n->seconds, &n->log_every, &n->frame_every, &n->deepest, &n->kinetic, &n->max_overlap};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) pass(t, whole[i], sizeof **whole);
  for (size_t i = 0; i < sizeof real / sizeof *real; i++) pass(t, real[i], sizeof **real);
  pass(t, n->low, sizeof n->low);
  pass(t, n->high, sizeof n->high);
  pass_blob(t, &n->scene);
  pass_blob(t, &n->flow);
  for (int i = 0; i < FRAME_STREAMS; i++) pass_blob(t, &n->mark[i]);
}

Blob note_pack(RunNote *note) {
  int64_t version = NOTE_VERSION;
  size_t size = sizeof version + sizeof *note + note->scene.size + note->flow.size;
  for (int i = 0; i < FRAME_STREAMS; i++) size += 8 + note->mark[i].size;
  Blob blob = {checked_alloc(size, 1), 0};
  Tape tape = {.at = blob.data, .left = size};
  pass(&tape, &version, sizeof version);
  pass_note(&tape, note);
  blob.size = size - tape.left;
  return blob;
}

bool note_unpack(const void *data, size_t size, RunNote *note) {
  int64_t version = 0;
  Tape tape = {.at = (unsigned char *)data, .left = size, .reading = true}; /* only read */
  *note = (RunNote){0};
  pass(&tape, &version, sizeof version);
  if (version == NOTE_VERSION) pass_note(&tape, note);
  return version == NOTE_VERSION && !tape.failed && tape.left == 0 && note->particles >= 0 && note->lengths.text >= 0 &&
         note->lengths.csv >= 0 && note->lengths.flow >= -1 && note->walls_length[0] >= 0 &&
         note->walls_length[1] >= 0 && note->logged >= -1 && note->frames >= 0 && note->last_frame >= -1 &&
         note->log_every > 0 && note->frame_every > 0;
}
