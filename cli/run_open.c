/* run_open.c: see run_open.h. */
#include "cli.h"

#include "output.h"
#include "run_open.h"
#include "scene_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int open_run(RunFiles *run, const char *verb, const char *folder) {
  struct stat info;
  ScreeFault fault;
  *run = (RunFiles){.folder = folder};
  if (!folder) return misuse(verb, "no run was named: give the folder that scree run wrote");
  if (stat(folder, &info) != 0) return misuse(verb, "no run %s: %s", folder, strerror(errno));
  if (!S_ISDIR(info.st_mode)) return misuse(verb, "%s is no folder: a run is the folder that scree run wrote", folder);
  char *path = checked_format("%s/scene.yaml", folder);
  bool exists = access(path, F_OK) == 0;
  ScreeStatus status = exists ? scree_scene_read(path, NULL, 0, &run->scene, &fault) : SCREE_OK;
  free(path);
  if (!exists) return misuse(verb, "%s is no run: it holds no scene.yaml", folder);
  if (status != SCREE_OK) return show_fault(verb, status, &fault);
  status = scree_trajectory_open(folder, "trajectory", &run->trajectory);
  if (status != SCREE_OK) return report(verb, status);
  run->frames = scree_trajectory_frames(run->trajectory);
  if (run->frames == 0) return misuse(verb, "%s has no frames yet", scree_trajectory_path(run->trajectory));
  return EXIT_DONE;
}

void close_run(RunFiles *run) {
  scree_trajectory_close(run->trajectory);
  scree_scene_free(run->scene);
}

bool read_frame_number(const char *text, size_t length, long *number) {
  char digits[20], *end;
  if (length == 0 || length >= sizeof digits) return false;
  memcpy(digits, text, length);
  digits[length] = '\0';
  errno = 0;
  *number = strtol(digits, &end, 10);
  return !*end && errno == 0 && digits[0] != ' ' && digits[0] != '+';
}

bool resolve_frame(const RunFiles *run, const char *verb, long number, size_t *index) {
  long count = (long)run->frames, frame = number < 0 ? count + number : number;
  if (frame < 0 || frame >= count) {
    misuse(verb, "no frame %ld: the run has %ld, from 0 to %ld, or counted from the end from -1 to %ld", number, count,
           count - 1, -count);
    return false;
  }
  *index = (size_t)frame;
  return true;
}

int check_writable(const char *verb, const char *path) {
  struct stat info;
  if (strcmp(path, "-") == 0) return EXIT_DONE;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return misuse(verb, "cannot write %s: it is a folder", path);
  const char *slash = strrchr(path, '/');
  char *folder =
      slash == path ? checked_format("/") : checked_format("%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  bool writable = access(folder, W_OK | X_OK) == 0;
  int reason = errno;
  free(folder);
  return writable ? EXIT_DONE : misuse(verb, "cannot write %s: %s", path, strerror(reason));
}
