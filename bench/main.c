/* main.c: scree-bench: reads the options and starts a benchmark. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int bench_fail(int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("scree bench: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return status;
}

void bench_check(ScreeStatus status, const char *doing) {
  if (status != SCREE_OK) exit(bench_fail(EXIT_FAILED, "%s: %s", doing, scree_last_error()));
}

static void print_help(void) {
  puts("Usage: scree bench impact [--json] [--seconds S]\n"
       "       scree bench laws [--json] [--seconds S] [LAW...]\n"
       "       scree bench drum [--json] [--seconds S]\n\n"
       "Measures the speed of this build; every number stands beside a peer measured in the same run.\n\n"
       "  impact   impacts per second of scree_impact_run beside SUNDIALS CVODE, both at the loosest tolerance that\n"
       "           keeps the restitution within 1e-10 of its exact value\n"
       "  laws     nanoseconds per contact of scree_batch_force for each law and instruction set, beside a loop\n"
       "           written by hand and compiled with the same flags; checks that all give the same bits\n"
       "  drum     a step of 25,000 grains in a turning drum of 100,000 triangles, beside the analytic cylinder\n\n"
       "  --json        machine-readable output\n"
       "  --seconds S   measuring time per law or drum (impact: 1, laws: 0.1, drum: 6)\n"
       "  --help        this text");
}

static bool parse_seconds(const char *text, double *seconds) {
  char *end;
  *seconds = strtod(text, &end);
  return end != text && *end == '\0' && *seconds > 0.0 && *seconds <= 3600.0;
}

static int add_law(BenchOptions *options, const char *name) {
  ScreeLawId law;
  if (scree_law_find(name, &law) != SCREE_OK) return bench_fail(EXIT_MISUSE, "%s", scree_last_error());
  if (scree_law_info(law)->group == SCREE_TANGENTIAL)
    return bench_fail(EXIT_MISUSE, "%s is a tangential law: only normal laws have batches", name);
  options->only[law] = options->some = true;
  return EXIT_DONE;
}

/* Everything after the benchmark's name. */
static int parse(int argc, char **argv, bool takes_laws, BenchOptions *options) {
  for (int i = 2; i < argc; i++) {
    const char *word = argv[i];
    const char *seconds = strncmp(word, "--seconds=", 10) == 0 ? word + 10 : NULL;
    if (strcmp(word, "--json") == 0) {
      options->json = true;
    } else if (seconds || strcmp(word, "--seconds") == 0) {
      if (!seconds && ++i == argc) return bench_fail(EXIT_MISUSE, "--seconds needs a number");
      if (!seconds) seconds = argv[i];
      if (!parse_seconds(seconds, &options->seconds))
        return bench_fail(EXIT_MISUSE, "--seconds must be more than 0 and at most 3600 (got \"%.40s\")", seconds);
    } else if (word[0] == '-') {
      return bench_fail(EXIT_MISUSE, "unknown option \"%.40s\"; see --help", word);
    } else if (!takes_laws) {
      return bench_fail(EXIT_MISUSE, "this benchmark takes no arguments (got \"%.40s\")", word);
    } else {
      int status = add_law(options, word);
      if (status != EXIT_DONE) return status;
    }
  }
  return EXIT_DONE;
}

static const struct {
  const char *name;
  int (*run)(const BenchOptions *options);
  double seconds;
  bool takes_laws;
} benches[] = {
    {"impact", bench_impact, 1.0, false},
    {"laws", bench_laws, 0.1, true},
    {"drum", bench_drum, 6.0, false},
};

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return print_help(), EXIT_DONE;
  if (argc < 2) return bench_fail(EXIT_MISUSE, "say which benchmark: impact, laws or drum; see --help");
  for (size_t i = 0; i < sizeof benches / sizeof *benches; i++) {
    if (strcmp(argv[1], benches[i].name) != 0) continue;
    BenchOptions options = {.seconds = benches[i].seconds};
    int status = parse(argc, argv, benches[i].takes_laws, &options);
    return status == EXIT_DONE ? benches[i].run(&options) : status;
  }
  return bench_fail(EXIT_MISUSE, "no benchmark \"%.40s\": there are impact, laws and drum", argv[1]);
}
