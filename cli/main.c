/* main.c: the verb table, and how the command ends. */
#include "cli.h"

#include "output.h"

#include "core/nearest.h"
#include "core/status.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Verb {
  const char *name, *help;
  int (*run)(int argc, char **argv);
} Verb;

static const Verb verbs[] = {
#define VERB(name, help) {#name, help, verb_##name},
#include "verbs.def"
#undef VERB
};
#define VERB_COUNT (sizeof verbs / sizeof *verbs)

/* ---- messages --------------------------------------------------------------------------------------------------- */

#define SENTENCE_MAX 500

static char printed[SENTENCE_MAX]; /* that was printed last */

const char *last_failure(void) { return printed; }

/* One line whatever a user typed: control characters show as '?', a long text is cut. */
static void print_sentence(const char *who, const char *format, va_list arguments) {
  int length = vsnprintf(printed, sizeof printed, format, arguments);
  for (unsigned char *c = (unsigned char *)printed; *c; c++)
    if (*c < 0x20 || *c == 0x7f) *c = '?';
  fprintf(stderr, "%s: %s%s\n", who, printed, length < SENTENCE_MAX ? "" : "...");
}

static void complain(const char *verb, const char *format, va_list arguments) {
  char who[40];
  snprintf(who, sizeof who, verb ? "scree %s" : "scree", verb);
  print_sentence(who, format, arguments);
}

int misuse(const char *verb, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  complain(verb, format, arguments);
  va_end(arguments);
  return EXIT_MISUSE;
}

int failure(const char *verb, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  complain(verb, format, arguments);
  va_end(arguments);
  return EXIT_FAILED;
}

int report(const char *verb, ScreeStatus status) {
  bool our_limit = status == SCREE_NO_CONVERGENCE || status == SCREE_NO_MEMORY;
  return (our_limit ? failure : misuse)(verb, "%s", scree_last_error());
}

ScreeStatus blame_option(ScreeStatus status, const char *option) {
  char sentence[400];
  snprintf(sentence, sizeof sentence, "%s", scree_last_error());
  return scree_fail(status, "--%s: %s", option, sentence);
}

void refuse(const struct argp_state *state, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_sentence(state->name, format, arguments);
  va_end(arguments);
  exit(EXIT_MISUSE);
}

/* The outermost parser: without an error stream argp adds no second line ("Try --help") to getopt's sentence. */
static error_t parse_quietly(int key, char *argument, struct argp_state *state) {
  (void)argument;
  if (key != ARGP_KEY_INIT) return ARGP_ERR_UNKNOWN;
  state->child_inputs[0] = state->input;
  state->err_stream = NULL;
  return 0;
}

void parse_options(const struct argp *argp, int argc, char **argv, void *input) {
  if (options_wanted) options_wanted(argp);
  const struct argp_child children[] = {{argp, 0, NULL, 0}, {0}};
  const struct argp quiet = {NULL, parse_quietly, NULL, NULL, children, NULL, NULL};
  error_t error = argp_parse(&quiet, argc, argv, 0, NULL, input);
  if (error == ENOMEM) fprintf(stderr, "%s: out of memory\n", argv[0]);
  if (error) exit(error == ENOMEM ? EXIT_FAILED : EXIT_MISUSE);
}

error_t take_only_argument(struct argp_state *state, const char *argument, const char **slot) {
  if (*slot) refuse(state, "one argument is enough: \"%s\" and \"%s\" were given", *slot, argument);
  *slot = argument;
  return 0;
}

/* ---- help ------------------------------------------------------------------------------------------------------- */

static int print_help(void) {
  puts("scree: contact mechanics, every law by name, verified against exact solutions\n\n"
       "Usage: scree VERB [ARGUMENTS]\n");
  for (size_t i = 0; i < VERB_COUNT; i++) printf("  %-10s %s\n", verbs[i].name, verbs[i].help);
  puts("\n  scree help VERB, scree VERB --help     what a verb takes, with examples\n"
       "  scree --version\n\n"
       "Examples:\n"
       "  scree impact zhang_sharf --restitution 0.5\n"
       "  scree impact tsuji --restitution 0.8 --radius '5 mm' --young '70 GPa' \\\n"
       "      --poisson 0.22 --density '2500 kg/m3' --speed '1 m/s'\n"
       "  scree compare flores hu_guo zhang_sharf --restitution 0.1:0.9:0.2\n"
       "  scree new box\n\n"
       "Numbers may carry units ('10 mm', '70 GPa', '60 rpm'); a plain number is SI.\n"
       "Exit status: 0 done, 1 failed, 2 wrong use.");
  return EXIT_DONE;
}

static int print_version(void) {
  printf("scree %s\n", scree_version());
  return EXIT_DONE;
}

/* ---- verbs ------------------------------------------------------------------------------------------------------ */

static const Verb *find_verb(const char *name) {
  for (size_t i = 0; i < VERB_COUNT; i++)
    if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
  return NULL;
}

/* How unlike what was typed a verb is; its beginning is as good as all of it. */
static int unlikeness(const char *typed, const Verb *verb) {
  size_t length = strlen(typed);
  bool beginning = length >= 2 && strncmp(typed, verb->name, length) == 0;
  return beginning ? 0 : scree_edit_distance(typed, verb->name);
}

static int unknown_verb(const char *name) {
  const Verb *nearest = &verbs[0];
  for (size_t i = 1; i < VERB_COUNT; i++)
    if (unlikeness(name, &verbs[i]) < unlikeness(name, nearest)) nearest = &verbs[i];
  if (2 * unlikeness(name, nearest) <= (int)strlen(name))
    return misuse(NULL, "there is no verb \"%.40s\": did you mean \"%s\"? (scree --help lists them)", name,
                  nearest->name);
  return misuse(NULL, "there is no verb \"%.40s\" (scree --help lists them)", name);
}

/* Hands the verb its own arguments, with "scree VERB" as argv[0] so that argp's messages name it. */
static int run_verb(const Verb *verb, int argc, char **argv) {
  char name[32];
  snprintf(name, sizeof name, "scree %s", verb->name);
  argv[0] = name;
  return verb->run(argc, argv);
}

static int help_verb(int argc, char **argv) {
  if (argc < 3) return print_help();
  const Verb *verb = find_verb(argv[2]);
  if (!verb) return unknown_verb(argv[2]);
  char help[] = "--help";
  char *arguments[] = {NULL, help, NULL};
  return run_verb(verb, 2, arguments);
}

/* A full disk or a closed pipe must not look like success; runs at exit, whoever calls it. */
static void close_stdout(void) {
  bool failed = ferror(stdout) != 0;
  if (fclose(stdout) != 0 || failed) {
    fprintf(stderr, "scree: standard output could not be written: %s\n", strerror(errno));
    _exit(EXIT_FAILED);
  }
}

int main(int argc, char **argv) {
  output_prepare();
  atexit(close_stdout);
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk, not the end */
  argp_err_exit_status = EXIT_MISUSE;
  static char version[32];
  snprintf(version, sizeof version, "scree %s", scree_version());
  argp_program_version = version;

  if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return print_help();
  if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) return print_version();
  if (strcmp(argv[1], "help") == 0) return help_verb(argc, argv);
  if (strcmp(argv[1], "__complete") == 0) return complete(argc, argv);
  if (argv[1][0] == '-') return misuse(NULL, "a verb comes first, not \"%.40s\" (scree --help lists them)", argv[1]);
  const Verb *verb = find_verb(argv[1]);
  return verb ? run_verb(verb, argc - 1, argv + 1) : unknown_verb(argv[1]);
}
