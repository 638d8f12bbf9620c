/* verify.c: `scree verify`: every oracle on every law, as a table, JSON or an HTML report. */
#include "cli.h"

#include "output.h"
#include "verify/verify.h"
#include "verify_report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char verb[] = "verify";

enum { KEY_JSON = 256, KEY_REPORT, KEY_ALL };

typedef struct VerifyOptions {
  const char *suite, *report;
  bool json, all;
} VerifyOptions;

static const struct argp_option options[] = {
    {"all", KEY_ALL, NULL, 0, "a row for every law, not only the worst of each oracle", 0},
    {"json", KEY_JSON, NULL, 0, "every check as JSON", 0},
    {"report", KEY_REPORT, "FILE.html", 0,
     "one self-contained page with every check and the figures (- for standard output)", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
  VerifyOptions *o = state->input;
  switch (key) {
  case KEY_JSON: o->json = true; return 0;
  case KEY_ALL: o->all = true; return 0;
  case KEY_REPORT: o->report = argument; return 0;
  case ARGP_KEY_ARG: return take_only_argument(state, argument, &o->suite);
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "The executable proof: every oracle (closed form, energy balance, another integrator, limits, similarity, claims "
    "of "
    "the catalogue, reference values, ...) on every law, with the worst residual, its limit and the case it occurred "
    "in. "
    "Exit status 1 when any check fails. Suites: laws, line, exact, oblique, batch, reference, dem (its parts: "
    "dem.contact, dem.bulk); without one, all of these. And dem.machines (a drum, hoppers), half a minute by itself.\v"
    "Examples:\n"
    "  scree verify\n"
    "  scree verify reference --all\n"
    "  scree verify dem\n"
    "  scree verify laws --json\n"
    "  scree verify --report report.html";

/* ---- collecting ------------------------------------------------------------------------------------------------- */

static void collect(const ScreeCheck *check, void *context) {
  VerifyChecks *all = context;
  if (all->count == all->capacity) {
    int capacity = all->capacity ? 2 * all->capacity : 256;
    VerifyCheck *grown = checked_alloc((size_t)capacity, sizeof *grown);
    if (all->count) memcpy(grown, all->check, (size_t)all->count * sizeof *grown);
    free(all->check);
    all->check = grown;
    all->capacity = capacity;
  }
  VerifyCheck *own = &all->check[all->count++];
  own->check = *check;
  snprintf(own->subject, sizeof own->subject, "%s", check->subject); /* the suite may reuse its memory */
  all->failed += !check->passed;
}

bool verify_same_oracle(const VerifyCheck *a, const VerifyCheck *b) {
  return strcmp(a->check.suite, b->check.suite) == 0 && strcmp(a->check.oracle, b->check.oracle) == 0;
}

int verify_oracle_end(const VerifyChecks *all, int first) {
  int i = first;
  while (i < all->count && verify_same_oracle(&all->check[first], &all->check[i])) i++;
  return i;
}

/* The check that comes nearest to its limit, or exceeds it most. */
int verify_worst(const VerifyChecks *all, int first, int end) {
  int worst = first;
  double most = -1.0;
  for (int i = first; i < end; i++) {
    const ScreeCheck *c = &all->check[i].check;
    double share = c->limit > 0.0 ? c->worst / c->limit : c->worst;
    if (!c->passed) share += 1e6; /* a failure before any near miss */
    if (share > most) most = share, worst = i;
  }
  return worst;
}

/* ---- output ----------------------------------------------------------------------------------------------------- */

static void print_json(const VerifyChecks *all, double seconds) {
  json_t *array = json_array();
  for (int i = 0; i < all->count; i++) {
    const ScreeCheck *c = &all->check[i].check;
    json_t *object = json_object();
    json_object_set_new(object, "suite", json_string(c->suite));
    json_object_set_new(object, "oracle", json_string(c->oracle));
    json_object_set_new(object, "subject", json_string(all->check[i].subject));
    json_put(object, "worst", c->worst);
    json_put(object, "limit", c->limit);
    json_object_set_new(object, "cases", json_integer(c->cases));
    json_object_set_new(object, "passed", json_boolean(c->passed));
    json_object_set_new(object, "worst_case", json_string(c->at));
    json_array_append_new(array, object);
  }
  json_t *object = json_object();
  json_object_set_new(object, "version", json_string(scree_version()));
  json_object_set_new(object, "passed", json_integer(all->count - all->failed));
  json_object_set_new(object, "failed", json_integer(all->failed));
  json_put(object, "seconds", seconds);
  json_object_set_new(object, "checks", array);
  json_print(object);
}

static void table_check(Table *table, const VerifyCheck *own, const char *subject, int cases) {
  const ScreeCheck *c = &own->check;
  table_cell(table, "%s", c->suite);
  table_cell(table, "%s", c->oracle);
  table_cell(table, "%s", subject);
  table_cell(table, "%d", cases);
  table_cell(table, "%.2g", c->worst);
  table_cell(table, "%.2g", c->limit);
  table_cell(table, "%s", c->passed ? "pass" : "FAIL");
  table_cell(table, "%s", c->at);
}

static void print_text(const VerifyChecks *all, bool every_row, double seconds) {
  Table *table = table_new("lllrrrll");
  const char *const headings[] = {"suite", "oracle", "subject", "cases", "worst", "limit", "", "worst case"};
  for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) table_cell(table, "%s", headings[i]);
  int cases = 0;
  for (int i = 0; i < all->count;) {
    int end = verify_oracle_end(all, i), worst = verify_worst(all, i, end), sum = 0;
    for (int k = i; k < end; k++) sum += all->check[k].check.cases;
    cases += sum;
    bool one = end == i + 1;
    char subject[96];
    snprintf(subject, sizeof subject, one ? "%s" : "%s (worst of %d)", all->check[worst].subject, end - i);
    if (!every_row) table_check(table, &all->check[worst], subject, sum);
    for (int k = i; k < end; k++)
      if (every_row || (!all->check[k].check.passed && k != worst))
        table_check(table, &all->check[k], all->check[k].subject, all->check[k].check.cases);
    i = end;
  }
  table_print(table);
  printf("\n%d checks over %d cases in %.1f s: %d passed, %d failed\n", all->count, cases, seconds,
         all->count - all->failed, all->failed);
}

int verb_verify(int argc, char **argv) {
  VerifyOptions o = {0};
  static const struct argp argp = {options, parse, "[SUITE]", doc, NULL, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  bool page_first = o.report && strcmp(o.report, "-") == 0;
  if (o.json && page_first) return misuse(verb, "--json and --report - exclude each other on standard output");
  VerifyChecks all = {0};
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  ScreeStatus status = scree_verify(o.suite, collect, &all);
  clock_gettime(CLOCK_MONOTONIC, &end);
  if (status != SCREE_OK) return report(verb, status);
  double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
  int code = all.failed ? EXIT_FAILED : EXIT_DONE;
  if (o.report) {
    int written = verify_write_report(verb, o.report, &all, seconds);
    if (written != EXIT_DONE) code = written;
  }
  if (o.json)
    print_json(&all, seconds);
  else if (!page_first)
    print_text(&all, o.all, seconds);
  free(all.check);
  return code;
}
