/* cli.h: what every verb shares. Include it first: it asks the C library for argp and POSIX. */
#ifndef SCREE_CLI_H
#define SCREE_CLI_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "scree/scree.h"

#include <argp.h>
#include <stdbool.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_MISUSE = 2 };

/* A verb gets argv[0] = "scree VERB" and returns an exit status. */
#define VERB(name, help) int verb_##name(int argc, char **argv);
#include "verbs.def"
#undef VERB

/* Prints "scree VERB: SENTENCE" to stderr and returns the exit status that belongs to it. */
int misuse(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
int failure(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The sentence that either printed last, for those who also put it on record; valid until the next. */
const char *last_failure(void);
/* The same for the sentence of the last library call. */
int report(const char *verb, ScreeStatus status);

/* Prepends "--OPTION: " to the last error's sentence; returns status. */
ScreeStatus blame_option(ScreeStatus status, const char *option);

/* `scree __complete`, for the shells' completion; no verb of its own, so that no help lists it. */
int complete(int argc, char **argv);
/* Gets a verb's options instead of parse_options parsing them; NULL unless the shells ask. */
extern void (*options_wanted)(const struct argp *argp);

/* Parses with argp; usage errors end the program with EXIT_MISUSE. */
void parse_options(const struct argp *argp, int argc, char **argv, void *input);

/* For argp parsers: prints "scree VERB: SENTENCE" to stderr and ends the program with EXIT_MISUSE. */
_Noreturn void refuse(const struct argp_state *state, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For argp parsers: takes the verb's only argument (LAW), refuses a second one. */
error_t take_only_argument(struct argp_state *state, const char *argument, const char **slot);

#endif
