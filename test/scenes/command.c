/* command.c: what `scree check` says of a scene, `scree run` does; and the run has the bits of the library. */
#define _GNU_SOURCE
#include "invariants.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs a command with all that it says in a file; its exit status, or -1. */
static int call(char *const *arguments, const char *output) {
  posix_spawn_file_actions_t actions;
  pid_t pid;
  int status = -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  if (posix_spawn(&pid, arguments[0], &actions, NULL, arguments, environ) == 0)
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  posix_spawn_file_actions_destroy(&actions);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void slurp(const char *path, char *text, size_t size) {
  FILE *f = fopen(path, "r");
  size_t read = f ? fread(text, 1, size - 1, f) : 0;
  text[read] = '\0';
  if (f) fclose(f);
}

/* The number of a key of the summary, or NULL. */
static const char *value_of(const char *json, const char *key) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char *at = strstr(json, quoted);
  return at ? at + strlen(quoted) + strspn(at + strlen(quoted), " \"") : NULL;
}

static void compare_run(Trial *t, int status, const char *said, const char *summary) {
  const Outcome *base = &t->base;
  const char *hash = value_of(summary, "hash"), *steps = value_of(summary, "steps");
  /* a run ends where energy comes from nowhere, a library's user may look at the ledger */
  if (status == 1 && base->status == SCREE_OK && strstr(said, "come from nowhere")) return;
  if (status != (base->status == SCREE_OK ? 0 : 1)) {
    trial_fail(t, "scree run ends with %d, the library with \"%s\"; the run says: %.600s", status, base->sentence,
               said);
    return;
  }
  if (base->status != SCREE_OK) return;
  if (!hash || !steps) {
    trial_fail(t, "the summary lacks the hash or the steps");
    return;
  }
  uint64_t ours = base->sample[SAMPLES - 1].hash, theirs = strtoull(hash, NULL, 16);
  if (atol(steps) != base->steps)
    trial_fail(t, "scree run does %ld steps, asked for %ld", atol(steps), base->steps);
  else if (ours != theirs)
    trial_fail(t, "scree run ends with the hash %016" PRIx64 ", the library with %016" PRIx64, theirs, ours);
}

void judge_check(Trial *t) {
  char folder[3000], scene[3100], output[3100], run[3100], until[64], path[3200], said[20000], summary[20000];
  const Outcome *base = trial_base(t);
  if (!t->command || (t->scene->grains == 0 && t->scene->streams == 0)) return;
  t->applies = true;
  snprintf(folder, sizeof folder, "%s/check", t->folder);
  snprintf(scene, sizeof scene, "%s/scene.yaml", folder);
  snprintf(output, sizeof output, "%s/output.txt", folder);
  snprintf(run, sizeof run, "%s/run", folder);
  mkdir(folder, 0755);
  if (!scene_write(t->scene, folder)) {
    trial_fail(t, "the scene cannot be written to %s", folder);
    return;
  }
  int checked = call((char *[]){(char *)t->command, "check", scene, NULL}, output);
  slurp(output, said, sizeof said);
  if (checked < 0 || (checked == 2) != !base->started)
    trial_fail(t, "scree check ends with %d, the library %s \"%s\"; the check says: %.600s", checked,
               base->started ? "starts" : "refuses:", base->sentence, said);
  if (t->failed || !base->started) return;
  snprintf(until, sizeof until, "%.17g", (double)t->scene->steps * base->timestep);
  int status =
      call((char *[]){(char *)t->command, "run", scene, "-o", run, "--overwrite", "--until", until, NULL}, output);
  slurp(output, said, sizeof said);
  snprintf(path, sizeof path, "%s/summary.json", run);
  slurp(path, summary, sizeof summary);
  compare_run(t, status, said, summary);
}
