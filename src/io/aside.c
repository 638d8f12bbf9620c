/* aside.c: see aside.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/aside.h"

#include "core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ScreeStatus cannot_write(const char *path, int reason) {
  return scree_fail(SCREE_FILE, "cannot write %.300s: %s", path, strerror(reason));
}

/* With the permissions that fopen would give. */
static FILE *open_new(const char *path, char **aside) {
  if (asprintf(aside, "%s.XXXXXX", path) < 0) return *aside = NULL, NULL;
  int descriptor = mkstemp(*aside);
  if (descriptor < 0) return NULL;
  mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  FILE *stream = fdopen(descriptor, "wb");
  if (stream) return stream;
  int reason = errno;
  close(descriptor);
  unlink(*aside);
  errno = reason;
  return NULL;
}

ScreeStatus scree_aside_open(ScreeAside *f, const char *path) {
  struct stat existing;
  *f = (ScreeAside){.path = strdup(path)};
  if (!f->path) return scree_fail(SCREE_NO_MEMORY, "no memory for a file's name");
  errno = 0;
  if (stat(path, &existing) == 0 && !S_ISREG(existing.st_mode))
    f->stream = fopen(path, "wb");
  else
    f->stream = open_new(path, &f->aside);
  if (f->stream) return SCREE_OK;
  int reason = errno;
  free(f->path), free(f->aside);
  return cannot_write(path, reason);
}

ScreeStatus scree_aside_commit(ScreeAside *f) {
  bool done = fflush(f->stream) == 0 && !ferror(f->stream) && (!f->aside || fsync(fileno(f->stream)) == 0);
  int reason = errno;
  if (fclose(f->stream) != 0 && done) done = false, reason = errno;
  if (done && f->aside && rename(f->aside, f->path) != 0) done = false, reason = errno;
  if (!done && f->aside) unlink(f->aside);
  ScreeStatus status = done ? SCREE_OK : cannot_write(f->path, reason);
  free(f->path), free(f->aside);
  return status;
}

ScreeStatus scree_sync_folder(const char *folder) {
  int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return cannot_write(folder, errno);
  int failed = fsync(dir) != 0 && errno != EINVAL ? errno : 0; /* some file systems cannot */
  close(dir);
  return failed ? cannot_write(folder, failed) : SCREE_OK;
}
