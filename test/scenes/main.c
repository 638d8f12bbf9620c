/* main.c: random scenes against invariants.
 *
 *     random_scenes [--seed S] [--count N] [--stride N] [--invariant NAME] [--all] [--shrink]
 *                   [--command PATH] [--folder DIR] [--first] [--coverage] [--progress] [--print] [--list]
 *
 * Seeds are S, S + stride, ...; of an invariant that is dear not every seed is judged, unless it is named or --all is
 * given. A failure prints one line that replays it; with --shrink, which that line has, also the smallest scene that
 * still fails, which then lies as a scene file in a folder of the folder. --first ends with the first scene that fails.
 * --command is scree, which the invariant `check` needs. Exit status: 0 all hold, 1 one does not (or, with --coverage,
 * no scene had some law, wall or motion), 2 wrong use. */
#define _POSIX_C_SOURCE 200809L
#include "coverage.h"
#include "invariants.h"
#include "shrink.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct Options {
  uint64_t seed, stride;
  long count;
  const char *invariant, *command, *folder, *program;
  bool shrink, all, progress, print, coverage, first;
} Options;

typedef struct Tally {
  long judged, failed, skipped;
} Tally;

static void usage(FILE *file) {
  fprintf(
      file,
      "usage: random_scenes [--seed S] [--count N] [--stride N] [--invariant NAME] [--all] [--shrink]\n"
      "                     [--command PATH] [--folder DIR] [--first] [--coverage] [--progress] [--print] [--list]\n");
}

static bool parse(int argc, char **argv, Options *o) {
  *o = (Options){.seed = 1, .stride = 1, .count = 1, .folder = ".", .program = argv[0]};
  for (int i = 1; i < argc; i++) {
    const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    struct {
      const char *name;
      bool *flag;
    } flags[] = {{"--shrink", &o->shrink}, {"--all", &o->all},           {"--progress", &o->progress},
                 {"--print", &o->print},   {"--coverage", &o->coverage}, {"--first", &o->first}};
    bool known = false;
    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
      if (strcmp(name, flags[f].name) == 0) *flags[f].flag = known = true;
    if (known) continue;
    if (!value) return false;
    i++;
    if (strcmp(name, "--seed") == 0)
      o->seed = strtoull(value, NULL, 0);
    else if (strcmp(name, "--stride") == 0)
      o->stride = strtoull(value, NULL, 0);
    else if (strcmp(name, "--count") == 0)
      o->count = strtol(value, NULL, 0);
    else if (strcmp(name, "--invariant") == 0)
      o->invariant = value;
    else if (strcmp(name, "--command") == 0)
      o->command = value;
    else if (strcmp(name, "--folder") == 0)
      o->folder = value;
    else
      return false;
  }
  return true;
}

static void list(void) {
  for (int i = 0; i < invariant_count; i++)
    printf("%-10s one scene in %2d  %s\n", invariants[i].name, invariants[i].every, invariants[i].promise);
}

static void report(const Options *o, const Scene *scene, const Invariant *invariant, const Trial *trial) {
  printf("FAILED seed %llu, %s: %s\n", (unsigned long long)scene->seed, invariant->name, trial->reason);
  printf("  replay: %s --seed %llu --invariant %s%s%s --shrink\n", o->program, (unsigned long long)scene->seed,
         invariant->name, o->command ? " --command " : "", o->command ? o->command : "");
  printf("  scene: ");
  scene_print(scene, stdout);
  fflush(stdout);
}

static void shrink(const Options *o, const Scene *scene, const Invariant *invariant) {
  static Scene small;
  char folder[3000], reason[1200];
  small = *scene;
  long tried = scene_shrink(&small, invariant, o->command, o->folder, reason, sizeof reason);
  snprintf(folder, sizeof folder, "%s/%s_%llu", o->folder, invariant->name, (unsigned long long)scene->seed);
  mkdir(folder, 0755);
  bool written = scene_write(&small, folder);
  printf("  smallest of %ld tried: %s\n  scene: ", tried, reason[0] ? reason : "fails no more");
  scene_print(&small, stdout);
  printf("  %s %s/scene.yaml\n", written ? "written to" : "cannot be written to", folder);
  fflush(stdout);
}

/* One scene in `every`, by a draw of the seed, so that invariants do not go with laws. */
static bool is_chosen(const Options *o, const Invariant *invariant, uint64_t seed) {
  Draws d = draws_of(seed, invariant->name);
  if (o->invariant) return strcmp(o->invariant, invariant->name) == 0;
  return o->all || draw_below(&d, invariant->every) == 0;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_progress(const Options *o, long done, double begun, const Tally *tally, double *shown) {
  long failed = 0;
  double time = now(), spent = time - begun;
  for (int i = 0; i < invariant_count; i++) failed += tally[i].failed;
  if (!o->progress || time - *shown < 10.0) return;
  *shown = time;
  fprintf(stderr, "scenes: %ld of %ld, %ld failures, %.0f s, about %.0f s left\n", done, o->count, failed, spent,
          spent / (double)done * (double)(o->count - done));
}

/* All chosen invariants of one scene; false: one does not hold. */
static bool judge_scene(const Options *o, const Scene *scene, Trial *trial, Tally *tally) {
  bool all = true;
  *trial = (Trial){.scene = scene, .command = o->command, .folder = o->folder};
  for (int i = 0; i < invariant_count; i++) {
    const Invariant *invariant = &invariants[i];
    if (!is_chosen(o, invariant, scene->seed)) continue;
    trial->applies = trial->failed = false;
    invariant->judge(trial);
    tally[i].judged += trial->applies, tally[i].skipped += !trial->applies, tally[i].failed += trial->failed;
    if (!trial->failed) continue;
    all = false;
    report(o, scene, invariant, trial);
    if (o->shrink) shrink(o, scene, invariant);
  }
  return all;
}

static void print_tally(const Tally *tally) {
  for (int i = 0; i < invariant_count; i++)
    if (tally[i].judged + tally[i].skipped > 0)
      printf("%-10s %6ld scenes, %ld failed, %ld without say\n", invariants[i].name, tally[i].judged, tally[i].failed,
             tally[i].skipped);
}

int main(int argc, char **argv) {
  Options o;
  static Scene scene;
  static Trial trial;
  Tally tally[64] = {0};
  long started = 0, ended = 0, failures = 0;
  if (argc == 2 && strcmp(argv[1], "--list") == 0) return list(), 0;
  if (!parse(argc, argv, &o)) return usage(stderr), 2;
  double begun = now(), shown = begun;
  mkdir(o.folder, 0755);
  for (long n = 0; n < o.count && !(o.first && failures > 0); n++) {
    scene_generate(o.seed + (uint64_t)n * o.stride, &scene);
    if (o.print) printf("%llu: ", (unsigned long long)scene.seed), scene_print(&scene, stdout);
    failures += !judge_scene(&o, &scene, &trial, tally);
    const Outcome *base = trial_base(&trial);
    if (o.print) printf("  %s\n", base->sentence[0] ? base->sentence : "runs to its end");
    if (base->started) coverage_note(&scene);
    started += base->started, ended += base->status == SCREE_OK && base->started;
    show_progress(&o, n + 1, begun, tally, &shown);
  }
  int missing = o.coverage ? coverage_missing(stdout) : 0;
  print_tally(tally);
  printf("%ld scenes from seed %llu: %ld start, %ld run to their end, %ld fail; %.1f s\n", o.count,
         (unsigned long long)o.seed, started, ended, failures, now() - begun);
  return failures > 0 || missing > 0 ? 1 : 0;
}
