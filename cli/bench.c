/* bench.c: `scree bench`: the engine's is here (bench_dem.c); the laboratory's is handed over to scree-bench, the
 * program beside this one that is built where SUNDIALS is. */
#include "bench_dem.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char verb[] = "bench";

static int print_help(void) {
  puts("Usage: scree bench dem|impact|laws|drum [OPTIONS]\n\n"
       "Measures the speed of this build; impact, laws and drum beside a peer in the same run.\n\n"
       "Examples:\n"
       "  scree bench dem        particle-steps per second and bytes per particle, 10,000 to ten million grains\n"
       "  scree bench impact     impacts per second, beside CVODE\n"
       "  scree bench laws       force evaluations per second of every law, each instruction set\n"
       "  scree bench drum       a step in a drum of 100,000 triangles, beside the analytic cylinder");
  return EXIT_DONE;
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

int verb_bench(int argc, char **argv) {
  bool wants_help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
  if (wants_help) return print_help();
  if (argc > 1 && strcmp(argv[1], "dem") == 0) {
    argv[1] = "scree bench dem";
    return bench_dem(argc - 1, argv + 1);
  }
  char path[PATH_MAX];
  if (find_sibling(path, sizeof path)) {
    argv[0] = path;
    execv(path, argv);
  }
  return failure(verb, "scree-bench is not beside this program: `make bench` builds it (it needs libsundials-dev)");
}
