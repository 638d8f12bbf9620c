/* run_open.c: see run_open.h. */
#include "cli.h"

#include "output.h"
#include "run_open.h"
#include "scene_file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a library that falls ---- */

static char fall[600]; /* what is said then */

static void tell_fall(int number) {
  (void)number;
  ssize_t written = write(STDERR_FILENO, fall, strlen(fall));
  _exit(written > 0 ? EXIT_FAILED : EXIT_MISUSE);
}

/* Some damaged bits of its own bookkeeping make the HDF5 library (1.10) divide by zero, or read beyond its memory.
 * Sanitizers have handlers of their own. */
static void expect_falls(const RunFiles *run) {
#ifndef __SANITIZE_ADDRESS__
  snprintf(fall, sizeof fall,
           "scree %s: the trajectory in %.200s is damaged where the HDF5 library does not survive it; "
           "scree run %.200s -o NEW computes the run again, bit for bit\n",
           run->verb, run->folder, run->folder);
  signal(SIGFPE, tell_fall);
  signal(SIGSEGV, tell_fall);
#endif
  (void)run;
}

int open_run(RunFiles *run, const char *verb, const char *folder, bool skip) {
  struct stat info;
  ScreeFault fault;
  *run = (RunFiles){.folder = folder, .verb = verb, .skip = skip};
  if (!folder) return misuse(verb, "no run was named: give the folder that scree run wrote");
  if (stat(folder, &info) != 0) return misuse(verb, "no run %s: %s", folder, strerror(errno));
  if (!S_ISDIR(info.st_mode)) return misuse(verb, "%s is no folder: a run is the folder that scree run wrote", folder);
  char *path = checked_format("%s/scene.yaml", folder);
  bool exists = access(path, F_OK) == 0;
  ScreeStatus status = exists ? scree_scene_read(path, NULL, 0, &run->scene, &fault) : SCREE_OK;
  free(path);
  if (!exists) return misuse(verb, "%s is no run: it holds no scene.yaml", folder);
  if (status != SCREE_OK) return show_fault(verb, status, &fault);
  expect_falls(run);
  status = scree_trajectory_open(folder, "trajectory", &run->trajectory);
  if (status == SCREE_FILE && skip) {
    fprintf(stderr, "scree %s: warning: %s: frames that are there are taken\n", verb, scree_last_error());
    status = scree_trajectory_salvage(folder, "trajectory", &run->trajectory);
  }
  if (status == SCREE_FILE && !skip && strstr(scree_last_error(), " is damaged"))
    return misuse(verb, "%s; --skip-damaged takes the frames that are whole", scree_last_error());
  if (status != SCREE_OK) return report(verb, status);
  run->frames = scree_trajectory_frames(run->trajectory);
  if (run->frames == 0) return misuse(verb, "%s has no frames yet", scree_trajectory_path(run->trajectory));
  return EXIT_DONE;
}

void close_run(RunFiles *run) {
  scree_trajectory_close(run->trajectory);
  scree_scene_free(run->scene);
}

/* How a run whose frames are damaged can be helped. */
static int refuse_frame(const RunFiles *run) {
  return failure(run->verb,
                 "%s; --skip-damaged leaves such frames out, scree run %s -o NEW computes them again, bit for bit",
                 scree_last_error(), run->folder);
}

bool open_frame(RunFiles *run, size_t index, ScreePolyData *grains, int *status) {
  ScreeStatus read = scree_trajectory_read(run->trajectory, index, grains);
  *status = EXIT_DONE;
  if (read == SCREE_OK) return true;
  if (read != SCREE_FILE)
    *status = failure(run->verb, "%s", scree_last_error());
  else if (!run->skip)
    *status = refuse_frame(run);
  else
    fprintf(stderr, "scree %s: warning: %s: left out\n", run->verb, scree_last_error());
  run->skipped += *status == EXIT_DONE;
  return false;
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
