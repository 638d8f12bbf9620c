/* recommend.c: `scree recommend`: which law fits a case. Every law collides at several speeds and restitutions; a hard
 * wish that it breaks excludes it, everything else costs points, and both are said. */
#include "compare.h"

#include "compare_sheet.h"
#include "core/status.h"
#include "io/digits.h"
#include "output.h"
#include "result.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char verb[] = "recommend";

#define SPEEDS SPREAD /* from low to high, as compare's */
#define WANTED 3      /* restitutions from low to high */
#define MIDDLE (SPEEDS / 2)
#define TRACE_POINTS 64
#define JOHNSON_FACTOR 1.25 /* how far a static force between cylinders may be from cyl_johnson's */
#define TOLERANCE 1e-10     /* of the integration: errors of interest are far larger */
#define CLEARLY 2e-3        /* a change of the restitution with speed that counts as one */

/* ---- one law under test ----------------------------------------------------------------------------------------- */

typedef struct Candidate {
  const ScreeLawInfo *info;
  int tests;                /* restitutions tried: 1 or WANTED */
  double wanted[WANTED];    /* those */
  double e[WANTED][SPEEDS]; /* achieved */
  double error;             /* largest |e - wanted|; at the middle speed alone where e shall fall */
  bool attracts;            /* by its catalogue row, unless the separation cuts it off */
  double pull, jump;        /* deepest attraction and first force, over the peak force, of a trace */
  double lost[2];           /* J at the middle speed, loading and unloading */
  double distance;          /* |ln| of the static force over cyl_johnson's, at a typical overlap; 0 between spheres */
  double dent;              /* m, left after the collision at the middle speed */
  double nanoseconds, slowness; /* of one evaluation; relative to hertz */
  bool stalls, misfit;
  Strength strength; /* that was calibrated at the middle speed */
  char warning[192];
  char excluded[400]; /* "" while it is in the race */
  double points;
} Candidate;

typedef struct RecommendOptions RecommendOptions;

/* ---- hard wishes ------------------------------------------------------------------------------------------------ */

/* Does the law break the wish? Then the reason is written. */
typedef bool Breaks(const Candidate *c, char *reason, size_t size);

static bool pulls(const Candidate *c, char *reason, size_t size) {
  snprintf(reason, size, "pulls before the contact ends (--separation clamp cuts that)");
  if (c->pull > 1e-9)
    snprintf(reason, size, "pulls with %.2g of its peak force before the contact ends (--separation clamp cuts that)",
             c->pull);
  return c->attracts;
}

static bool leaves_no_dent(const Candidate *c, char *reason, size_t size) {
  snprintf(reason, size, "leaves no permanent dent");
  return !(c->dent > 0);
}

static bool leaves_dent(const Candidate *c, char *reason, size_t size) {
  snprintf(reason, size, "leaves a dent of %s", scree_quantity(c->dent, "m", 3).text);
  return c->dent > 0;
}

/* Largest rise and fall of e over the speeds. */
static double change(const Candidate *c) {
  double largest = 0;
  for (int k = 0; k < c->tests; k++) {
    double difference = c->e[k][SPEEDS - 1] - c->e[k][0];
    if (fabs(difference) > fabs(largest)) largest = difference;
  }
  return largest;
}

static bool varies(const Candidate *c, char *reason, size_t size) {
  snprintf(reason, size, "its restitution changes by %+.3f from the lowest to the highest speed", change(c));
  return fabs(change(c)) > CLEARLY;
}

static bool does_not_fall(const Candidate *c, char *reason, size_t size) {
  bool rises = change(c) > CLEARLY;
  snprintf(reason, size, "its restitution %s with speed", rises ? "rises" : "does not fall");
  return change(c) > -CLEARLY;
}

static bool jumps(const Candidate *c, char *reason, size_t size) {
  snprintf(reason, size, "its force jumps to %.2g of the peak at first touch", c->jump);
  return c->jump > 1e-6;
}

static int state_numbers(const Candidate *c) { return c->info->slots + (c->info->flags & SCREE_USES_V0 ? 1 : 0); }

static bool remembers(const Candidate *c, char *reason, size_t size) {
  const char *what = c->info->flags & SCREE_USES_V0 ? "the impact speed" : "its history";
  snprintf(reason, size, "every contact must remember %s", what);
  return state_numbers(c) > 0;
}

static const struct Wish {
  const char *option, *help;
  Breaks *breaks;
} wishes[] = {
    {"no-attraction", "the force never pulls", pulls},
    {"permanent-dent", "the collision leaves a dent", leaves_no_dent},
    {"no-dent", "the collision leaves no dent", leaves_dent},
    {"constant-restitution", "e does not change with speed", varies},
    {"falling-restitution", "e falls with speed; it is wanted at the middle one", does_not_fall},
    {"no-jump", "the force starts at zero", jumps},
    {"no-memory", "a contact keeps nothing but overlap and velocity", remembers},
};
#define WISHES ((int)(sizeof wishes / sizeof *wishes))
enum { FALLING = 4 };

/* ---- points ----------------------------------------------------------------------------------------------------- */

#define POINT_ERROR 0.01 /* of e: one point */
#define LIBM_SLOWNESS 3  /* laws of sqrt and products cost up to twice a hertz, one with pow far more */

typedef double Points(const Candidate *c);

static double error_points(const Candidate *c) { return c->error < 1e-6 ? 0 : c->error / POINT_ERROR; }
static double warning_points(const Candidate *c) { return *c->warning ? 2 : 0; }
static double misfit_points(const Candidate *c) { return c->misfit ? 2 : 0; }
static double pull_points(const Candidate *c) { return c->attracts ? 1 : 0; }
static double jump_points(const Candidate *c) { return c->jump > 1e-6 ? 1 : 0; }
static double stall_points(const Candidate *c) { return c->stalls ? 1 : 0; }
static double cost_points(const Candidate *c) { return c->slowness > LIBM_SLOWNESS ? 1 : 0; }
static bool is_calibrated(const Candidate *c) { return c->strength.parameter < SCREE_PARAM_COUNT; }
static double fitted_points(const Candidate *c) { return is_calibrated(c) ? 0.5 : 0; }
static double state_points(const Candidate *c) { return 0.5 * state_numbers(c); }

static double one_sided_points(const Candidate *c) {
  if (c->info->flags & SCREE_LOOP_WORK) return 0; /* the phases are not told apart */
  double total = c->lost[0] + c->lost[1];
  return total > 0 && c->lost[1] < 1e-9 * total ? 0.5 : 0;
}

static const struct Criterion {
  const char *key, *rule;
  Points *points;
} criteria[] = {
    {"error", "1 point per 0.01 of the largest error in e", error_points},
    {"validity", "2 where a validity limit of the law is exceeded", warning_points},
    {"geometry", "2 for a linear force between spheres, or a static one over 1.25 times away from cyl_johnson",
     misfit_points},
    {"attraction", "1 if it pulls before the end", pull_points},
    {"jump", "1 if the force jumps at first touch", jump_points},
    {"stall", "1 if it stalls at one of the speeds", stall_points},
    {"cost", "1 if a force costs more than 3 times that of hertz (pow, exp, log)", cost_points},
    {"fitted", "0.5 if its strength had to be calibrated", fitted_points},
    {"state", "0.5 per number that a contact must keep", state_points},
    {"one_sided", "0.5 if all loss is in the approach", one_sided_points},
};
#define CRITERIA ((int)(sizeof criteria / sizeof *criteria))

/* ---- options ---------------------------------------------------------------------------------------------------- */

struct RecommendOptions {
  Case collision;
  Span restitution, speed;
  bool speeds_given;
  double tolerance; /* NaN: none */
  bool wanted[WISHES];
  bool line, json, markdown;
  double overlap, johnson_force; /* between cylinders: a typical overlap [m] and cyl_johnson's static force there [N] */
};

enum { KEY_JSON = 256, KEY_MARKDOWN, KEY_RESTITUTION, KEY_SPEEDS, KEY_TOLERANCE, KEY_WISH };

static const struct argp_option fixed_options[] = {
    {"restitution", KEY_RESTITUTION, "E", 0, "wanted: a value or low:high (default 0.5)", 1},
    {"speeds", KEY_SPEEDS, "LOW:HIGH", 0, "instead of --speed: range of impact speeds (default 0.03:3 m/s)", 1},
    {"tolerance", KEY_TOLERANCE, "DE", 0, "largest error in e; laws beyond it are excluded", 1},
    {NULL, 0, NULL, 0, "Output:", 5},
    {"json", KEY_JSON, NULL, 0, "results as JSON", 5},
    {"markdown", KEY_MARKDOWN, NULL, 0, "the table as Markdown", 5},
};
#define FIXED_OPTIONS ((int)(sizeof fixed_options / sizeof *fixed_options))

static void take_span(struct argp_state *state, const char *option, const char *text, const char *unit, Limits limits,
                      Span *out) {
  if (read_span(text, unit, limits, out) != SCREE_OK) refuse(state, "--%s: %s", option, scree_last_error());
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  static const Limits restitutions = {0, 1, true}, speeds = {0, 1e6, true};
  RecommendOptions *o = state->input;
  if (key >= KEY_WISH && key < KEY_WISH + WISHES) {
    o->wanted[key - KEY_WISH] = true;
    return 0;
  }
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &o->collision; return 0;
  case KEY_JSON: o->json = true; return 0;
  case KEY_MARKDOWN: o->markdown = true; return 0;
  case KEY_RESTITUTION: take_span(state, "restitution", argument, "1", restitutions, &o->restitution); return 0;
  case KEY_SPEEDS:
    take_span(state, "speeds", argument, "m/s", speeds, &o->speed);
    o->speeds_given = true;
    return 0;
  case KEY_TOLERANCE:
    if (read_quantity(argument, "1", restitutions, &o->tolerance) != SCREE_OK)
      refuse(state, "--tolerance: %s", scree_last_error());
    return 0;
  case ARGP_KEY_ARG: refuse(state, "takes no argument (got \"%.40s\"): laws are what it finds", argument);
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Which law fits a case: every law collides over the range of speeds; laws that break a wish are excluded, the "
    "others ranked, with reasons.\v"
    "A law whose strength is empirical is calibrated to the wanted restitution at the middle speed, and so is, under "
    "--separation force or clamp, one that delivers it at the overlap exit alone. Cylinder laws are ranked when "
    "--internal, --external or --length is given. Where no law is left, the exit status is 1.\n\n"
    "Examples:\n"
    "  scree recommend --restitution 0.7 --speeds 0.1:2\n"
    "  scree recommend --restitution 0.3:0.8 --no-attraction --constant-restitution\n"
    "  scree recommend --restitution 0.6 --permanent-dent --radius '5 mm' \\\n"
    "      --young '200 GPa' --poisson 0.3 --density '7800 kg/m3' \\\n"
    "      --speeds 0.5:5 --json";

/* The options of the wishes come from their table. */
static const struct argp_option *all_options(void) {
  static struct argp_option list[FIXED_OPTIONS + WISHES + 2];
  int n = 0;
  for (int i = 0; i < FIXED_OPTIONS; i++) list[n++] = fixed_options[i];
  list[n++] = (struct argp_option){.doc = "Wishes, all hard:", .group = 4};
  for (int i = 0; i < WISHES; i++)
    list[n++] = (struct argp_option){wishes[i].option, KEY_WISH + i, NULL, 0, wishes[i].help, 4};
  list[n] = (struct argp_option){0};
  return list;
}

static ScreeStatus check_options(const RecommendOptions *o) {
  if (o->json && o->markdown) return scree_fail(SCREE_INVALID, "--json and --markdown exclude each other");
  if (o->speeds_given && !isnan(o->collision.speed))
    return scree_fail(SCREE_INVALID, "--speed and --speeds exclude each other");
  if (o->wanted[FALLING] && !(o->speed.high > o->speed.low))
    return scree_fail(SCREE_INVALID, "--falling-restitution needs a range of speeds: give --speeds LOW:HIGH");
  for (int i = 0; i < WISHES; i++)
    for (int k = i + 1; k < WISHES; k++) {
      bool opposite = (wishes[i].breaks == leaves_no_dent && wishes[k].breaks == leaves_dent) ||
                      (wishes[i].breaks == varies && wishes[k].breaks == does_not_fall);
      if (opposite && o->wanted[i] && o->wanted[k])
        return scree_fail(SCREE_INVALID, "--%s and --%s contradict each other", wishes[i].option, wishes[k].option);
    }
  CaseResolved resolved; /* what every law would miss is said once */
  Case collision = o->collision;
  collision.speed = NAN;
  return compare_resolve(&collision, o->line ? SCREE_LAW_cyl_johnson : SCREE_LAW_hertz, o->speed.high, NAN, &resolved);
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

static double speed_at(const RecommendOptions *o, int i) { return value_between(o->speed, i, SPEEDS, true); }

/* Delivers e at the overlap exit alone: another exit asks for another strength, unless that was given. */
static bool needs_fit(const ScreeLawInfo *info, const ScreeImpactDef *def) {
  bool overlap_only = info->flags & SCREE_DELIVERS_E && info->flags & SCREE_ATTRACTIVE;
  if (!overlap_only || def->separation == SCREE_AT_OVERLAP || isnan(def->pair.restitution)) return false;
  return info->param_count > 0 && isnan(def->pair.param[info->params[0].id]);
}

static ScreeStatus define(const RecommendOptions *o, const Candidate *c, double wanted, int speed,
                          ScreeImpactDef *def) {
  CaseResolved resolved;
  Case collision = o->collision;
  collision.restitution = c->info->domain == SCREE_E_NONE ? NAN : wanted;
  SCREE_TRY(compare_resolve(&collision, c->info->law, speed_at(o, speed), NAN, &resolved));
  *def = resolved.def;
  def->tolerance = TOLERANCE;
  def->calibrated = def->calibrated || needs_fit(c->info, def);
  return SCREE_OK;
}

/* The force [N] at rest. */
static double static_force(const ScreePair *pair, double speed, double overlap) {
  double memory[SCREE_MAX_SLOTS] = {0};
  const ScreeLaw law = scree_law_touch(pair, speed, memory);
  return scree_law_force(pair->law, &law, overlap, 0.0, memory);
}

/* Infinite beyond the overlaps of the law. */
static double johnson_distance(const RecommendOptions *o, const ScreeImpactDef *def, const ScreePair *pair) {
  double distance = fabs(log(static_force(pair, def->pair.speed, o->overlap) / o->johnson_force));
  return isfinite(distance) ? distance : INFINITY;
}

/* A force that grows linearly between spheres, or one between cylinders that is far from Johnson's, which follows from
 * elasticity (MODELS.md 8). */
static bool is_misfit(const ScreeImpactDef *def, const ScreeImpactResult *result, const Candidate *c) {
  if (c->info->group == SCREE_LINE) return c->distance > log(JOHNSON_FACTOR);
  ScreeGeometry shape = def->pair.geometry;
  return shape >= SCREE_SPHERE_SPHERE && shape <= SCREE_SPHERE_IN_SPHERE && result->pair.n == 1.0;
}

/* What one collision at the middle speed shows besides its restitution. */
static ScreeStatus look_closer(const RecommendOptions *o, const ScreeImpactDef *def, Candidate *c) {
  ScreeTracePoint points[TRACE_POINTS];
  ScreeImpactResult result;
  SCREE_TRY(scree_impact_trace(def, TRACE_POINTS, points, &result));
  double lowest = 0;
  for (int i = 0; i < TRACE_POINTS; i++) lowest = fmin(lowest, points[i].force);
  c->pull = -lowest / result.max_force;
  c->jump = points[0].force / result.max_force;
  c->lost[0] = result.energy_dissipated_loading;
  c->lost[1] = result.energy_dissipated_unloading;
  bool plastic = c->info->group == SCREE_PLASTIC;
  c->dent = plastic && result.exit_overlap > 1e-9 * result.max_overlap ? result.exit_overlap : 0;
  if (o->line) c->distance = johnson_distance(o, def, &result.pair);
  c->misfit = is_misfit(def, &result, c);
  return SCREE_OK;
}

/* All speeds for one restitution. The strength found at the middle speed holds for the others. */
static ScreeStatus try_restitution(const RecommendOptions *o, int k, Candidate *c) {
  ScreeImpactDef def;
  ScreeImpactResult middle, result;
  SCREE_TRY(define(o, c, c->wanted[k], MIDDLE, &def));
  SCREE_TRY(scree_impact_run(&def, &middle));
  const Strength strength = result_strength(&middle, speed_at(o, MIDDLE));
  for (int i = 0; i < SPEEDS; i++) {
    SCREE_TRY(define(o, c, c->wanted[k], i, &def));
    strength_hold(&strength, &def);
    SCREE_TRY(scree_impact_run(&def, &result));
    c->e[k][i] = result.restitution;
    c->stalls = c->stalls || result.outcome == SCREE_STALLED;
    if (*result.pair.warning) snprintf(c->warning, sizeof c->warning, "%s", result.pair.warning);
    if (i == MIDDLE && k == c->tests / 2) SCREE_TRY(look_closer(o, &def, c));
  }
  if (k == c->tests / 2) c->strength = strength;
  return SCREE_OK;
}

static double largest_error(const Candidate *c, bool middle_only) {
  double largest = 0;
  for (int k = 0; k < c->tests; k++)
    for (int i = 0; i < SPEEDS; i++)
      if (!middle_only || i == MIDDLE) largest = fmax(largest, fabs(c->e[k][i] - c->wanted[k]));
  return largest;
}

/* ---- cost ------------------------------------------------------------------------------------------------------- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Time of one force [ns]: the best of a few short runs at overlaps of the collision. */
static double measure(const ScreeImpactDef *def) {
  enum { EVALUATIONS = 2000, REPEATS = 7 };
  ScreeImpactResult result;
  ScreeImpactDef plain = *def;
  if (scree_impact_run(&plain, &result) != SCREE_OK) return NAN;
  double memory[SCREE_MAX_SLOTS] = {0}, best = INFINITY;
  const ScreeLaw law = scree_law_touch(&result.pair, def->pair.speed, memory);
  double sum = 0;
  for (int r = 0; r < REPEATS; r++) {
    double start = now();
    for (int i = 1; i <= EVALUATIONS; i++)
      sum +=
          scree_law_force(result.pair.law, &law, result.max_overlap * i / EVALUATIONS, 0.5 * def->pair.speed, memory);
    best = fmin(best, (now() - start) / EVALUATIONS);
  }
  return isfinite(sum) ? 1e9 * best : NAN; /* a sum that is used cannot be optimised away */
}

static double hertz_cost(void) {
  ScreeImpactDef def = scree_impact_def_default(SCREE_LAW_hertz);
  def.pair = scree_pair_def_review();
  return measure(&def);
}

/* ---- judgement -------------------------------------------------------------------------------------------------- */

static void exclude(const RecommendOptions *o, Candidate *c) {
  if (!isnan(o->tolerance) && c->error > o->tolerance)
    snprintf(c->excluded, sizeof c->excluded, "misses the wanted restitution by up to %.3f", c->error);
  for (int i = 0; i < WISHES && !*c->excluded; i++)
    if (o->wanted[i] && !wishes[i].breaks(c, c->excluded, sizeof c->excluded)) *c->excluded = '\0';
}

static void judge(const RecommendOptions *o, double hertz, Candidate *c) {
  bool range = o->restitution.high > o->restitution.low;
  c->tests = range ? WANTED : 1;
  c->attracts = c->info->flags & SCREE_ATTRACTIVE && o->collision.separation == SCREE_AT_OVERLAP;
  for (int k = 0; k < c->tests; k++)
    c->wanted[k] = o->restitution.low + (o->restitution.high - o->restitution.low) * k / (WANTED - 1);
  if (c->info->domain == SCREE_E_NONE && o->restitution.low < 1) {
    snprintf(c->excluded, sizeof c->excluded, "conservative: returns e = 1 whatever is wanted");
    return;
  }
  for (int k = 0; k < c->tests; k++)
    if (!succeeded(try_restitution(o, k, c))) {
      snprintf(c->excluded, sizeof c->excluded, "%s", scree_last_error());
      return;
    }
  c->error = largest_error(c, o->wanted[FALLING]);
  ScreeImpactDef def;
  if (define(o, c, c->wanted[c->tests / 2], MIDDLE, &def) == SCREE_OK) c->nanoseconds = measure(&def);
  c->slowness = c->nanoseconds / hertz;
  exclude(o, c);
  for (int i = 0; i < CRITERIA; i++) c->points += criteria[i].points(c);
}

/* Fewer points first, then the nearer to cyl_johnson, then the order of the catalogue; the excluded last. */
static int by_rank(const void *a, const void *b) {
  const Candidate *x = a, *y = b;
  int excluded = (*x->excluded != '\0') - (*y->excluded != '\0');
  if (excluded) return excluded;
  if (!*x->excluded && fabs(x->points - y->points) > 1e-6) return x->points < y->points ? -1 : 1;
  if (!*x->excluded && x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
  return (int)x->info->law - (int)y->info->law;
}

/* The largest overlap of cyl_johnson at the middle speed is the typical one. */
static void find_typical_overlap(RecommendOptions *o) {
  const Candidate johnson = {.info = scree_law_info(SCREE_LAW_cyl_johnson), .strength = NO_STRENGTH};
  ScreeImpactDef def;
  ScreeImpactResult result;
  o->overlap = o->johnson_force = NAN;
  if (!o->line || define(o, &johnson, o->restitution.high, MIDDLE, &def) != SCREE_OK) return;
  if (scree_impact_run(&def, &result) != SCREE_OK) return;
  o->overlap = result.max_overlap;
  o->johnson_force = static_force(&result.pair, def.pair.speed, o->overlap);
}

static Candidate *judge_all(const RecommendOptions *o, int *count) {
  Candidate *all = checked_alloc(SCREE_LAW_COUNT, sizeof *all);
  double hertz = hertz_cost();
  *count = 0;
  for (int law = 0; law < SCREE_LAW_COUNT; law++) {
    const ScreeLawInfo *info = scree_law_info((ScreeLawId)law);
    bool fits = o->line ? info->group == SCREE_LINE : info->group == SCREE_POINT || info->group == SCREE_PLASTIC;
    if (!fits) continue;
    all[*count].info = info;
    all[*count].strength = NO_STRENGTH;
    judge(o, hertz, &all[(*count)++]);
  }
  qsort(all, (size_t)*count, sizeof *all, by_rank);
  return all;
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

typedef struct Reasons {
  char text[600];
} Reasons;

static void add(Reasons *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Reasons *r, const char *format, ...) {
  size_t used = strlen(r->text);
  if (used && used + 3 < sizeof r->text) used += (size_t)snprintf(r->text + used, sizeof r->text - used, "; ");
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->text + used, sizeof r->text - used, format, arguments);
  va_end(arguments);
}

static Reasons reasons_of(const Candidate *c) {
  Reasons r = {""};
  if (c->error < 1e-6)
    add(&r, "delivers e");
  else
    add(&r, "misses e by up to %.2g", c->error);
  const Strength *s = &c->strength;
  if (is_calibrated(c)) add(&r, "calibrated %s", parameter_text(c->info->law, s->parameter, s->value, 4).text);
  if (fabs(change(c)) > CLEARLY) add(&r, "e changes by %+.3f over the speeds", change(c));
  if (c->dent > 0) add(&r, "dent %s", scree_quantity(c->dent, "m", 3).text);
  if (c->attracts && c->pull > 1e-9)
    add(&r, "pulls with %.2g %% of its peak", 100 * c->pull);
  else if (c->attracts)
    add(&r, "pulls at the end");
  if (c->jump > 1e-6) add(&r, "jumps to %.0f %% of its peak", 100 * c->jump);
  if (c->stalls) add(&r, "stalls at some speeds");
  if (c->misfit) add(&r, c->info->group == SCREE_LINE ? "far from cyl_johnson" : "linear between spheres");
  if (c->info->flags & SCREE_USES_V0) add(&r, "keeps the impact speed");
  if (c->info->slots) add(&r, "keeps %d number%s of history", c->info->slots, c->info->slots > 1 ? "s" : "");
  if (one_sided_points(c) > 0) add(&r, "loses energy in the approach only");
  if (*c->warning) add(&r, "%s", c->warning);
  return r;
}

/* ---- output ----------------------------------------------------------------------------------------------------- */

static json_t *span_json(Span span) {
  json_t *object = json_object();
  json_put(object, "low", span.low);
  json_put(object, "high", span.high);
  return object;
}

static json_t *achieved_json(const RecommendOptions *o, const Candidate *c) {
  json_t *array = json_array();
  for (int k = 0; k < c->tests; k++)
    for (int i = 0; i < SPEEDS; i++) {
      json_t *object = json_object();
      json_put(object, "wanted", c->wanted[k]);
      json_put(object, "speed", speed_at(o, i));
      json_put(object, "restitution", c->e[k][i]);
      json_array_append_new(array, object);
    }
  return array;
}

static json_t *ranked_json(const RecommendOptions *o, const Candidate *c, int rank) {
  json_t *object = json_object(), *points = json_object();
  json_object_set_new(object, "rank", json_integer(rank));
  json_object_set_new(object, "law", json_string(c->info->name));
  json_put(object, "points", c->points);
  for (int i = 0; i < CRITERIA; i++) json_put(points, criteria[i].key, criteria[i].points(c));
  json_object_set_new(object, "points_by_criterion", points);
  json_put(object, "restitution_error", c->error);
  json_object_set_new(object, "achieved", achieved_json(o, c));
  json_put(object, "attraction", c->pull);
  json_put(object, "jump", c->jump);
  json_put(object, "dent", c->dent);
  json_object_set_new(object, "state_numbers", json_integer(state_numbers(c)));
  json_put(object, "nanoseconds", c->nanoseconds);
  json_put(object, "cost_relative", c->slowness);
  json_object_set_new(object, "calibrated", json_boolean(is_calibrated(c)));
  json_object_set_new(object, "reasons", json_string(reasons_of(c).text));
  json_object_set_new(object, "limits", json_string(c->info->limits));
  return object;
}

static json_t *excluded_json(const Candidate *c) {
  json_t *object = json_object();
  json_object_set_new(object, "law", json_string(c->info->name));
  json_object_set_new(object, "reason", json_string(c->excluded));
  return object;
}

static void print_json(const RecommendOptions *o, const Candidate *all, int count) {
  json_t *object = json_object(), *ranked = json_array(), *out = json_array(), *rules = json_object(),
         *hard = json_array();
  for (int i = 0; i < count; i++) {
    if (*all[i].excluded)
      json_array_append_new(out, excluded_json(&all[i]));
    else
      json_array_append_new(ranked, ranked_json(o, &all[i], i + 1));
  }
  for (int i = 0; i < CRITERIA; i++) json_object_set_new(rules, criteria[i].key, json_string(criteria[i].rule));
  for (int i = 0; i < WISHES; i++)
    if (o->wanted[i]) json_array_append_new(hard, json_string(wishes[i].option));
  json_object_set_new(object, "restitution", span_json(o->restitution));
  json_object_set_new(object, "speeds", span_json(o->speed));
  json_object_set_new(object, "wishes", hard);
  json_object_set_new(object, "criteria", rules);
  json_object_set_new(object, "ranked", ranked);
  json_object_set_new(object, "excluded", out);
  json_print(object);
}

static void print_question(const RecommendOptions *o) {
  CaseResolved resolved;
  ScreePair pair;
  ScreeLawId law = o->line ? SCREE_LAW_cyl_johnson : SCREE_LAW_hertz;
  Case collision = o->collision;
  if (o->line) collision.restitution = 1;
  if (compare_resolve(&collision, law, speed_at(o, MIDDLE), NAN, &resolved) == SCREE_OK &&
      scree_pair_prepare(law, &resolved.def.pair, &pair) == SCREE_OK)
    case_print(&resolved, &pair), case_print_damping(&pair);
  printf("wanted: e = %g ... %g at %g ... %g m/s", o->restitution.low, o->restitution.high, o->speed.low,
         o->speed.high);
  for (int i = 0; i < WISHES; i++)
    if (o->wanted[i]) printf(", %s", wishes[i].help);
  puts("\n\npoints, fewer are better:");
  for (int i = 0; i < CRITERIA; i++) printf("  %-11s %s\n", criteria[i].key, criteria[i].rule);
  putchar('\n');
}

static void print_ranking(const RecommendOptions *o, const Candidate *all, int count) {
  Sheet *sheet = sheet_new("rlrrrrrrl", o->markdown);
  const char *const headings[] = {"rank", "law", "points", "error", "e slow", "e mid", "e fast", "ns", "why"};
  for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) sheet_cell(sheet, "%s", headings[i]);
  for (int i = 0; i < count && !*all[i].excluded; i++) {
    const Candidate *c = &all[i];
    const double *e = c->e[c->tests / 2];
    sheet_cell(sheet, "%d", i + 1);
    sheet_cell(sheet, "%s", c->info->name);
    sheet_cell(sheet, "%s", fixed_text(c->points, 1).text);
    sheet_cell(sheet, "%s", fixed_text(c->error, 3).text);
    sheet_cell(sheet, "%s", fixed_text(e[0], 3).text);
    sheet_cell(sheet, "%s", fixed_text(e[MIDDLE], 3).text);
    sheet_cell(sheet, "%s", fixed_text(e[SPEEDS - 1], 3).text);
    sheet_cell(sheet, "%s", fixed_text(c->nanoseconds, 1).text);
    sheet_cell(sheet, "%s", reasons_of(c).text);
  }
  sheet_end(sheet);
}

static void print_excluded(const RecommendOptions *o, const Candidate *all, int count) {
  int first = 0;
  while (first < count && !*all[first].excluded) first++;
  if (first == count) return;
  putchar('\n');
  if (!o->markdown) puts("excluded:");
  for (int i = first; i < count; i++) {
    char label[64];
    snprintf(label, sizeof label, "  %s", all[i].info->name);
    if (o->markdown)
      printf("* %s: %s\n", all[i].info->name, all[i].excluded);
    else
      print_wrapped(label, 33, all[i].excluded);
  }
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

static int print_answer(const RecommendOptions *o, const Candidate *all, int count) {
  bool none = *all[0].excluded;
  if (o->json) {
    print_json(o, all, count);
  } else {
    if (!o->markdown) print_question(o);
    if (!none) print_ranking(o, all, count);
    print_excluded(o, all, count);
  }
  return none ? failure(verb, "no law fits: the reasons of each are on standard output") : EXIT_DONE;
}

int verb_recommend(int argc, char **argv) {
  RecommendOptions o = {.collision = case_default(), .restitution = {0.5, 0.5}, .speed = {0.03, 3.0}, .tolerance = NAN};
  const struct argp_child children[] = {{case_argp(SCOPE_COMPARE), 0, NULL, 0}, {0}};
  const struct argp argp = {all_options(), parse, "", doc, children, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  o.line = o.collision.internal || o.collision.external || !isnan(o.collision.length);
  if (o.line && o.collision.damping == SCREE_LAW_NONE) o.collision.damping = SCREE_LAW_zhang_sharf;
  if (!o.speeds_given && !isnan(o.collision.speed)) o.speed = (Span){o.collision.speed, o.collision.speed};
  ScreeStatus status = check_options(&o);
  if (status != SCREE_OK) return report(verb, status);
  o.collision.speed = NAN; /* every collision gets its own */
  find_typical_overlap(&o);
  int count = 0;
  Candidate *all = judge_all(&o, &count);
  int code = print_answer(&o, all, count);
  free(all);
  return code;
}
