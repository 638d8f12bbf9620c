/* bench.c: `scree bench`: the engine's are here (bench_dem.c, bench_scene.c, bench_engine.c); the others are handed
 * over to scree-bench, the program beside this one that is built where SUNDIALS is. */
#include "bench_dem.h"
#include "bench_engine.h"
#include "bench_scene.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char verb[] = "bench";

static int print_help(void) {
  puts("Usage: scree bench dem|scene|engine|impact|laws|drum [OPTIONS]\n\n"
       "Measures the speed of this build; all but dem and scene beside a peer in the same run.\n\n"
       "Examples:\n"
       "  scree bench dem        particle-steps per second and bytes per particle, 10,000 to ten million grains\n"
       "  scree bench scene box  how fast a scene of yours runs on this machine, and in what state\n"
       "  scree bench engine     what each law, and each instruction set, costs in the particle engine\n"
       "  scree bench impact     impacts per second, beside CVODE\n"
       "  scree bench laws       force evaluations per second of every law, each instruction set\n"
       "  scree bench drum       a step in a drum of 100,000 triangles, beside the analytic cylinder\n\n"
       "The last three are scree-bench's, which `make scree-bench` builds beside this program.");
  return EXIT_DONE;
}

/* NULL: scree-bench measures it. */
typedef struct BenchRow {
  const char *name, *title;
  int (*run)(int argc, char **argv);
} BenchRow;
static const BenchRow benches[] = {
    {"dem", "scree bench dem", bench_dem},
    {"scene", "scree bench scene", bench_scene},
    {"engine", "scree bench engine", bench_engine},
    {"impact", NULL, NULL},
    {"laws", NULL, NULL},
    {"drum", NULL, NULL},
};

static const BenchRow *find_bench(const char *name) {
  for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
    if (strcmp(name, benches[i].name) == 0) return &benches[i];
  return NULL;
}

static bool wants_help(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
  return false;
}

/* The sibling's path in `path`; false when there is none to run. */
static bool find_sibling(char *path, size_t size) {
  static const char name[] = "scree-bench";
  ssize_t length = readlink("/proc/self/exe", path, size - sizeof name);
  if (length <= 0) return false;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  if (!slash) return false;
  memcpy(slash + 1, name, sizeof name);
  return access(path, X_OK) == 0;
}

/* Instead of this program; returns where there is none. */
static int hand_over(int argc, char **argv) {
  char path[PATH_MAX];
  if (find_sibling(path, sizeof path)) {
    argv[0] = path;
    execv(path, argv);
  }
  if (wants_help(argc, argv)) return print_help();
  return failure(verb, "scree-bench is not beside this program: `make scree-bench` in scree's sources builds it beside "
                       "build/scree (it needs libsundials-dev); `make bench` would also run it all, for forty minutes");
}

int verb_bench(int argc, char **argv) {
  static const char all[] = "dem, scene, engine, impact, laws and drum";
  static const struct argp argp = {NULL, NULL, "dem|scene|engine|impact|laws|drum", NULL, NULL, NULL, NULL};
  const BenchRow *bench = argc > 1 ? find_bench(argv[1]) : NULL;
  if (bench && bench->run) {
    argv[1] = (char *)bench->title;
    return bench->run(argc - 1, argv + 1);
  }
  if (options_wanted) options_wanted(&argp);
  if (bench) return hand_over(argc, argv);
  if (wants_help(argc, argv)) return print_help();
  return argc > 1 ? misuse(verb, "no benchmark \"%.40s\": there are %s", argv[1], all)
                  : misuse(verb, "say which benchmark: there are %s", all);
}
