/* checkpoint.c: see checkpoint.h. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/checksum.h"
#include "core/status.h"
#include "io/aside.h"

static const char magic[8] = "scree-cp", suffix[] = ".checkpoint", part[] = ".part", damaged[] = ".damaged";
enum { VERSION = 1, KEPT = 2, HEADER = 40 };

/* Want of memory or of open files is the program's own, whatever the file. */
static ScreeStatus cannot(const char *what, const char *path) {
  bool scarce = errno == ENOMEM || errno == EMFILE || errno == ENFILE;
  return scree_fail(scarce ? SCREE_NO_MEMORY : SCREE_INVALID, "cannot %s %s: %s", what, path, strerror(errno));
}

static uint64_t sum_of(const void *header, const void *note, size_t note_size, const void *state, size_t state_size) {
  uint64_t sum = scree_checksum(scree_checksum(SCREE_CHECKSUM_START, header, HEADER), note, note_size);
  return scree_checksum(sum, state, state_size);
}

/* ---- names ---- */

/* The step of a checkpoint's name, or -1. */
static long step_of(const char *name) {
  char *end;
  if (*name < '0' || *name > '9') return -1;
  long step = strtol(name, &end, 10);
  return strcmp(end, suffix) == 0 ? step : -1;
}

static int newest_first(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return x > y ? -1 : x < y;
}

ScreeStatus scree_checkpoint_list(const char *folder, long **steps, size_t *count) {
  DIR *dir = opendir(folder);
  *steps = NULL;
  *count = 0;
  if (!dir) return errno == ENOENT || errno == ENOTDIR ? SCREE_OK : cannot("read the folder", folder);
  bool failed = false;
  for (struct dirent *entry; !failed && (entry = readdir(dir));) {
    long step = step_of(entry->d_name);
    if (step < 0) continue;
    long *grown = realloc(*steps, (*count + 1) * sizeof *grown);
    failed = !grown;
    if (failed) continue;
    *steps = grown;
    grown[(*count)++] = step;
  }
  closedir(dir);
  if (*steps) qsort(*steps, *count, sizeof **steps, newest_first);
  if (!failed) return SCREE_OK;
  free(*steps);
  *steps = NULL, *count = 0;
  return scree_fail(SCREE_NO_MEMORY, "no memory for the checkpoints of %.300s", folder);
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
  uint64_t sum = sum_of(header, note, note_size, state, state_size);
  return write_all(file, header, HEADER) && write_all(file, note, note_size) && write_all(file, state, state_size) &&
         write_all(file, &sum, sizeof sum) && fsync(file) == 0;
}

static bool ends_in(const char *name, const char *tail) {
  size_t length = strlen(name), end = strlen(tail);
  return length > end && strcmp(name + length - end, tail) == 0;
}

/* Files that a killed process did not bring to their end; with `all`, damaged ones too. */
static void remove_rest(const char *folder, bool all) {
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    bool ours = strstr(entry->d_name, suffix) != NULL;
    if (ours && (ends_in(entry->d_name, part) || (all && ends_in(entry->d_name, damaged))))
      unlinkat(dirfd(dir), entry->d_name, 0);
  }
  if (dir) closedir(dir);
}

static void remove_old(const char *folder, size_t kept) {
  size_t count;
  long *steps;
  char path[4096];
  scree_checkpoint_list(folder, &steps, &count); /* a list that cannot be had costs room on the disk */
  for (size_t i = kept; i < count; i++)
    if (path_of(path, sizeof path, folder, steps[i], "")) unlink(path);
  free(steps);
}

void scree_checkpoint_clear(const char *folder) {
  remove_old(folder, 0);
  remove_rest(folder, true);
  rmdir(folder);
}

void scree_checkpoint_put_aside(const char *folder, long step) {
  size_t count;
  long *steps;
  char path[4096], aside[4096];
  scree_checkpoint_list(folder, &steps, &count);
  for (size_t i = 0; i < count && steps[i] > step; i++)
    if (path_of(path, sizeof path, folder, steps[i], "") && path_of(aside, sizeof aside, folder, steps[i], damaged))
      rename(path, aside);
  free(steps);
  remove_rest(folder, false);
}

ScreeStatus scree_checkpoint_write(const char *folder, ScreeWorld *world, const void *note, size_t note_size) {
  void *state = NULL;
  size_t size = 0;
  char path[4096], aside[4096];
  SCREE_NEED(folder);
  long step = scree_world_steps(world);
  if (!path_of(path, sizeof path, folder, step, "") || !path_of(aside, sizeof aside, folder, step, part))
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
  remove_old(folder, KEPT);
  return SCREE_OK;
}

/* ---- reading ---- */

static ScreeStatus read_file(const char *path, void **data, size_t *size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (file < 0) return cannot("read", path);
  bool regular = fstat(file, &info) == 0 && S_ISREG(info.st_mode);
  *size = regular ? (size_t)info.st_size : 0;
  *data = regular ? malloc(*size + 1) : NULL;
  size_t done = 0;
  ssize_t got = 1;
  while (*data && done < *size && got > 0) {
    got = read(file, (char *)*data + done, *size - done);
    if (got < 0 && errno == EINTR)
      got = 1;
    else if (got > 0)
      done += (size_t)got;
  }
  ScreeStatus status = got < 0 ? cannot("read", path) : SCREE_OK;
  close(file);
  if (status != SCREE_OK || done == *size) return status;
  if (regular && !*data) return scree_fail(SCREE_NO_MEMORY, "no memory for the %zu bytes of %s", *size, path);
  return scree_fail(SCREE_INVALID, "cannot read %s: it is no file, or was cut while it was read", path);
}

ScreeStatus scree_checkpoint_unpack(void *data, size_t size, ScreeCheckpoint *c) {
  uint64_t numbers[4], sum;
  const unsigned char *at = data;
  *c = (ScreeCheckpoint){.data = data};
  if (size < sizeof magic || memcmp(at, magic, sizeof magic) != 0)
    return scree_fail(SCREE_INVALID, size == 0 ? "it is empty" : "it is no checkpoint of scree");
  if (size < HEADER + 8) return scree_fail(SCREE_INVALID, "it is cut off");
  memcpy(numbers, at + sizeof magic, sizeof numbers);
  uint64_t room = size - HEADER - 8;
  if (numbers[0] != VERSION)
    return scree_fail(SCREE_UNSUPPORTED, "it has version %llu, and this program reads version %d",
                      (unsigned long long)numbers[0], VERSION);
  if (numbers[1] > LONG_MAX || numbers[2] > room || numbers[3] != room - numbers[2])
    return scree_fail(SCREE_INVALID, "it is longer or shorter than it should be");
  const unsigned char *note = at + HEADER, *state = note + numbers[2];
  memcpy(&sum, state + numbers[3], sizeof sum);
  if (sum != sum_of(at, note, numbers[2], state, numbers[3]))
    return scree_fail(SCREE_INVALID, "its checksum does not match: some of its bytes are not those that were written");
  c->step = (long)numbers[1];
  c->note = note, c->state = state;
  c->note_size = numbers[2], c->state_size = numbers[3];
  return SCREE_OK;
}

ScreeStatus scree_checkpoint_load(const char *folder, long step, ScreeCheckpoint *c) {
  char path[sizeof c->path];
  void *data = NULL;
  size_t size = 0;
  SCREE_NEED(folder);
  SCREE_NEED(c);
  *c = (ScreeCheckpoint){0};
  if (!path_of(path, sizeof path, folder, step, "")) return scree_fail(SCREE_INVALID, "the path is too long");
  ScreeStatus status = read_file(path, &data, &size);
  if (status == SCREE_OK) {
    status = scree_checkpoint_unpack(data, size, c);
    if (status == SCREE_OK && c->step != step) status = scree_fail(SCREE_INVALID, "it is of step %ld", c->step);
    if (status != SCREE_OK) {
      char why[200];
      snprintf(why, sizeof why, "%s", scree_last_error());
      scree_fail(status, "%.300s cannot be used: %s", path, why);
    }
  } else {
    free(data);
  }
  if (status != SCREE_OK) scree_checkpoint_free(c);
  memcpy(c->path, path, sizeof path);
  return status;
}

ScreeStatus scree_checkpoint_read(const char *folder, ScreeCheckpoint *c, int *skipped) {
  SCREE_NEED(folder);
  SCREE_NEED(c);
  size_t count, i = 0;
  long *steps;
  SCREE_TRY(scree_checkpoint_list(folder, &steps, &count));
  ScreeStatus status = SCREE_MISSING;
  while (i < count && (status = scree_checkpoint_load(folder, steps[i], c)) != SCREE_OK && status != SCREE_NO_MEMORY)
    i++;
  free(steps);
  if (skipped) *skipped = (int)i;
  if (i < count) return status;
  if (count > 0) return scree_fail(SCREE_MISSING, "none of the %zu checkpoints in %s is whole", count, folder);
  return scree_fail(SCREE_MISSING, "there is no checkpoint in %s", folder);
}

void scree_checkpoint_free(ScreeCheckpoint *c) {
  free(c->data);
  c->data = NULL, c->note = c->state = NULL;
}
