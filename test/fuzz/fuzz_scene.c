/* Any text as a scene, with settings after bytes 0xff: it is understood, or refused with one sentence at a place; what
 * is understood and written reads back to the same text. Nothing is placed or run: reading alone must not hang. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* open_memstream */
#endif
#include "io/scene.h"
#include "io/units.h"

#include "bytes.h"

static void fail(const char *promise, const char *more) {
  fprintf(stderr, "broken promise: %s: %s\n", promise, more);
  abort();
}

static void check_fault(const ScreeFault *f) {
  if (strlen(f->sentence) < 8) fail("a failure has a sentence", f->sentence);
  for (const char *c = f->sentence; *c; c++)
    if ((unsigned char)*c < 0x20) fail("a sentence is one printable line", f->sentence);
  for (const char *c = f->excerpt; *c; c++)
    if ((unsigned char)*c < 0x20) fail("an excerpt is one printable line", f->excerpt);
  if (!*f->where) return;
  if (f->line < 1 || f->column < 1) fail("a place has a line and a column", f->where);
  if (f->caret < 0 || f->underline < 1) fail("a caret is in the excerpt", f->where);
}

static char *written(const ScreeScene *scene) {
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (!stream) abort();
  scree_scene_write(scene, stream);
  fclose(stream);
  return text;
}

static void check_round_trip(const ScreeScene *scene) {
  char *first = written(scene);
  ScreeScene *again = NULL;
  ScreeFault fault = {0};
  if (scree_scene_read_text("written", first, strlen(first), NULL, 0, &again, &fault) != SCREE_OK) {
    fprintf(stderr, "%s\n%s: %s\n", first, fault.where, fault.sentence);
    fail("a written scene can be read", fault.sentence);
  }
  char *second = written(again);
  if (strcmp(first, second) != 0) {
    fprintf(stderr, "%s\n---\n%s\n", first, second);
    fail("a written scene reads back to itself", "");
  }
  scree_scene_free(again);
  free(first);
  free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { SETTINGS = 4 };
  const char *settings[SETTINGS];
  size_t count = 0, length = size;
  char *text = malloc(size + 1);
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  for (size_t i = 0; i < size && count < SETTINGS; i++) {
    if ((unsigned char)text[i] != 0xff) continue;
    if (length == size) length = i;
    text[i] = '\0';
    settings[count++] = text + i + 1;
  }
  ScreeScene *scene = NULL;
  ScreeFault fault = {0}, hints[SCREE_SCENE_HINTS];
  if (scree_scene_read_text("fuzz", text, length, settings, count, &scene, &fault) == SCREE_OK) {
    check_round_trip(scene);
    for (size_t i = scree_scene_hints(scene, hints); i > 0; i--) check_fault(&hints[i - 1]);
  } else {
    check_fault(&fault);
  }
  scree_scene_free(scene);
  free(text);
  return 0;
}
