/* checkpoint.c: see checkpoint.h. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/status.h"
#include "io/aside.h"

static const char magic[8] = "scree-cp", suffix[] = ".checkpoint";
enum { VERSION = 1, KEPT = 2, HEADER = 40 };

static ScreeStatus cannot(const char *what, const char *path) {
  return scree_fail(SCREE_INVALID, "cannot %s %s: %s", what, path, strerror(errno));
}

/* ---- checksum ---- */

/* Eight bytes at a time through a multiplication and a rotation: any flipped bit changes it. */
static uint64_t checksum(uint64_t h, const void *data, size_t size) {
  const unsigned char *at = data;
  while (size > 0) {
    uint64_t word = 0;
    size_t width = size < 8 ? size : 8;
    memcpy(&word, at, width);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h = (h << 29 | h >> 35) + width;
    at += width, size -= width;
  }
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

/* ---- names ---- */

/* The step of a checkpoint's name, or -1. */
static long step_of(const char *name) {
  char *end;
  if (*name < '0' || *name > '9') return -1;
  long step = strtol(name, &end, 10);
  return strcmp(end, suffix) == 0 ? step : -1;
}

/* Steps of the checkpoints in the folder, newest first. */
static int newest_first(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return x > y ? -1 : x < y;
}

static long *list_steps(const char *folder, size_t *count) {
  DIR *dir = opendir(folder);
  long *steps = NULL;
  *count = 0;
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    long step = step_of(entry->d_name);
    if (step < 0) continue;
    long *grown = realloc(steps, (*count + 1) * sizeof *steps);
    if (!grown) break;
    steps = grown;
    steps[(*count)++] = step;
  }
  if (dir) closedir(dir);
  if (steps) qsort(steps, *count, sizeof *steps, newest_first);
  return steps;
}

static bool path_of(char *path, size_t size, const char *folder, long step, const char *tail) {
  int length = snprintf(path, size, "%s/%012ld%s%s", folder, step, suffix, tail);
  return length > 0 && (size_t)length < size;
}

/* ---- writing ---- */

static bool write_all(int file, const void *data, size_t size) {
  const char *at = data;
  while (size > 0) {
    ssize_t written = write(file, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written, size -= (size_t)written;
  }
  return true;
}

static bool write_parts(int file, long step, const void *note, size_t note_size, const void *state, size_t state_size) {
  unsigned char header[HEADER];
  const uint64_t numbers[4] = {VERSION, (uint64_t)step, note_size, state_size};
  memcpy(header, magic, sizeof magic);
  memcpy(header + sizeof magic, numbers, sizeof numbers);
  uint64_t sum = checksum(checksum(checksum(1, header, HEADER), note, note_size), state, state_size);
  return write_all(file, header, HEADER) && write_all(file, note, note_size) && write_all(file, state, state_size) &&
         write_all(file, &sum, sizeof sum) && fsync(file) == 0;
}

static void remove_old(const char *folder) {
  size_t count;
  long *steps = list_steps(folder, &count);
  char path[4096];
  for (size_t i = KEPT; i < count; i++)
    if (path_of(path, sizeof path, folder, steps[i], "")) unlink(path);
  free(steps);
}

ScreeStatus scree_checkpoint_write(const char *folder, ScreeWorld *world, const void *note, size_t note_size) {
  void *state = NULL;
  size_t size = 0;
  char path[4096], aside[4096];
  SCREE_NEED(folder);
  long step = scree_world_steps(world);
  if (!path_of(path, sizeof path, folder, step, "") || !path_of(aside, sizeof aside, folder, step, ".part"))
    return scree_fail(SCREE_INVALID, "the path of the checkpoint is too long: %.100s...", folder);
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) return cannot("make the folder", folder);
  SCREE_TRY(scree_world_save(world, &state, &size));
  int file = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool fine = file >= 0 && write_parts(file, step, note, note_size, state, size);
  int reason = errno;
  if (file >= 0 && close(file) != 0 && fine) fine = false, reason = errno;
  free(state);
  if (fine && rename(aside, path) != 0) fine = false, reason = errno;
  if (!fine) {
    if (file >= 0) unlink(aside);
    errno = reason;
    return cannot("write", path);
  }
  SCREE_TRY(scree_sync_folder(folder));
  remove_old(folder);
  return SCREE_OK;
}

/* ---- reading ---- */

static unsigned char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  struct stat info;
  unsigned char *data = NULL;
  *size = 0;
  if (file && fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= HEADER + 8) {
    data = malloc((size_t)info.st_size);
    if (data) *size = fread(data, 1, (size_t)info.st_size, file);
    if (*size != (size_t)info.st_size) free(data), data = NULL;
  }
  if (file) fclose(file);
  return data;
}

static void *copy(const void *data, size_t size) {
  void *memory = malloc(size + 1);
  if (memory && size > 0) memcpy(memory, data, size);
  return memory;
}

/* True when the file is whole; the checkpoint then owns its parts. */
static bool unpack(const unsigned char *data, size_t size, ScreeCheckpoint *c) {
  uint64_t numbers[4], sum;
  if (size < HEADER + 8 || memcmp(data, magic, sizeof magic) != 0) return false;
  memcpy(numbers, data + sizeof magic, sizeof numbers);
  uint64_t room = size - HEADER - 8;
  if (numbers[0] != VERSION || numbers[2] > room || numbers[3] != room - numbers[2]) return false;
  const unsigned char *note = data + HEADER, *state = note + numbers[2];
  memcpy(&sum, state + numbers[3], sizeof sum);
  if (sum != checksum(checksum(checksum(1, data, HEADER), note, numbers[2]), state, numbers[3])) return false;
  c->step = (long)numbers[1];
  c->note_size = numbers[2], c->state_size = numbers[3];
  c->note = copy(note, c->note_size), c->state = copy(state, c->state_size);
  return c->note && c->state;
}

ScreeStatus scree_checkpoint_read(const char *folder, ScreeCheckpoint *c, int *skipped) {
  SCREE_NEED(folder);
  SCREE_NEED(c);
  size_t count;
  long *steps = list_steps(folder, &count);
  bool found = false;
  int damaged = 0;
  *c = (ScreeCheckpoint){0};
  for (size_t i = 0; i < count && !found; i++) {
    size_t size = 0;
    unsigned char *data = path_of(c->path, sizeof c->path, folder, steps[i], "") ? read_file(c->path, &size) : NULL;
    found = data && unpack(data, size, c);
    if (!found) scree_checkpoint_free(c), damaged++;
    free(data);
  }
  free(steps);
  if (skipped) *skipped = damaged;
  if (found) return SCREE_OK;
  if (damaged > 0) return scree_fail(SCREE_MISSING, "none of the %d checkpoints in %s is whole", damaged, folder);
  return scree_fail(SCREE_MISSING, "there is no checkpoint in %s", folder);
}

void scree_checkpoint_free(ScreeCheckpoint *c) {
  free(c->note), free(c->state);
  c->note = c->state = NULL;
}
