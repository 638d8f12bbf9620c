/* impact.c: `scree-bench impact`: impacts per second of scree_impact_run beside CVODE at equal accuracy.
 *
 * For each side the tolerance is loosened by factors of three as long as the restitution of all cases of a law (several
 * restitutions and speeds) stays within 1e-10 of the exact one. At these tolerances the two are timed in turns, so that
 * both see the same disturbances, and the best time of each counts. scree computes everything it reports (peak force,
 * energies, durations); the peer only the restitution, the largest overlap and the duration. */
#include "bench.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double wanted_error = 1e-10;
static const double goal = 20.0;

enum { MAX_CASES = 9, SETUPS = 2 * PEER_METHOD_COUNT };

typedef struct Row {
  ScreeLawId law;
  PeerForm form;
} Row;

static const Row rows[] = {
    {SCREE_LAW_hertz, PEER_HERTZ},
    {SCREE_LAW_hunt_crossley, PEER_HUNT_CROSSLEY},
    {SCREE_LAW_tsuji, PEER_TSUJI},
    {SCREE_LAW_kelvin_voigt, PEER_KELVIN_VOIGT},
    {SCREE_LAW_kuwabara_kono, PEER_KUWABARA_KONO},
    {SCREE_LAW_goldsmith_plastic, PEER_GOLDSMITH},
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct Case {
  ScreeImpactDef def;
  PeerCase peer;
  double exact; /* restitution */
} Case;

/* One contestant at its tolerance. */
typedef struct Side {
  double tolerance; /* 0: none reaches the wanted error */
  double error;     /* largest over the cases */
  double evaluations;
  double time; /* best, s per impact */
} Side;

typedef struct Outcome {
  Side scree, setup[SETUPS];
  int best, best_mapped; /* fastest set-up of the peer, -1: none reaches the wanted error */
} Outcome;

static PeerSetup setup_at(int i) {
  return (PeerSetup){.method = (PeerMethod)(i % PEER_METHOD_COUNT), .mapped = i >= PEER_METHOD_COUNT};
}

/* ---- cases ---- */

/* Strengths are given as parameters, so that no run spends time on calibration. */
static void set_strength(Case *c, double e) {
  ScreePairDef *pair = &c->def.pair;
  if (c->def.law == SCREE_LAW_hertz) return;
  pair->restitution = e;
  if (c->def.law == SCREE_LAW_kelvin_voigt) {
    ScreeExactDef oscillator = scree_exact_def_default();
    ScreeExact exact;
    oscillator.exponent = 1.0;
    oscillator.restitution = e;
    bench_check(scree_exact_solve(&oscillator, &exact), "kelvin_voigt");
    pair->param[SCREE_PARAM_zeta] = exact.alpha_effective;
    pair->restitution = NAN;
  }
  if (c->def.law == SCREE_LAW_kuwabara_kono) {
    ScreeCalibration found;
    bench_check(scree_impact_calibrate(&c->def, &found), "kuwabara_kono");
    pair->param[found.parameter] = found.value;
    pair->restitution = NAN;
  }
}

static PeerCase peer_case(PeerForm form, const ScreeImpactDef *def) {
  ScreePair pair;
  double memory[SCREE_MAX_SLOTS];
  bench_check(scree_pair_prepare(def->law, &def->pair, &pair), "preparing");
  double speed = def->pair.speed;
  ScreeLaw law = scree_law_touch(&pair, speed, memory);
  double length = pow(pair.mass * speed * speed / pair.k, 1.0 / (pair.n + 1.0));
  switch (form) {
  case PEER_HERTZ: return (PeerCase){form, 0.0};
  case PEER_HUNT_CROSSLEY: return (PeerCase){form, law.chi * speed};
  case PEER_GOLDSMITH: return (PeerCase){form, law.chi}; /* 1/e^2 */
  default: return (PeerCase){form, law.chi * pow(length, pair.m + 1.0) / (pair.mass * speed)};
  }
}

/* The closed form; where there is none, a run at 1e-14, which the peer has to confirm in `doubt`. */
static double exact_restitution(const Case *c, double *doubt) {
  ScreeImpactResult r;
  if (scree_impact_exact(&c->def, &r) == SCREE_OK) return r.restitution;
  ScreeImpactDef def = c->def;
  def.tolerance = 1e-14;
  bench_check(scree_impact_run(&def, &r), "reference");
  PeerResult other = {0};
  Peer *peer = peer_create(c->peer.form, (PeerSetup){PEER_ADAMS_FIXED_POINT, .mapped = true});
  if (!peer) exit(bench_fail(EXIT_FAILED, "CVODE could not be set up"));
  peer_set_tolerance(peer, 1e-14);
  bool done = peer_impact(peer, &c->peer, &other);
  peer_destroy(peer);
  *doubt = fmax(*doubt, done ? fabs(other.restitution - r.restitution) : INFINITY);
  return r.restitution;
}

/* The first case is the one that is timed. */
static int make_cases(const Row *row, Case *cases, double *doubt) {
  static const double restitutions[] = {0.5, 0.3, 0.8}, speeds[] = {0.3, 0.03, 3.0};
  int count = 0;
  *doubt = 0.0;
  for (int e = 0; e < 3; e++)
    for (int v = 0; v < 3; v++) {
      if (row->law == SCREE_LAW_hertz && e > 0) continue;
      Case *c = &cases[count++];
      c->def = scree_impact_def_default(row->law);
      c->def.pair = scree_pair_def_review();
      c->def.pair.speed = speeds[v];
      set_strength(c, restitutions[e]);
      c->peer = peer_case(row->form, &c->def);
      c->exact = exact_restitution(c, doubt);
    }
  return count;
}

/* ---- equal accuracy ---- */

typedef struct Runner {
  const Case *cases;
  int count;
  Peer *peer; /* NULL: scree */
} Runner;

/* One impact; NaN when it failed. */
static double run_case(const Runner *run, int index, double tolerance, double *evaluations) {
  const Case *c = &run->cases[index];
  if (run->peer) {
    PeerResult r;
    bool done = peer_impact(run->peer, &c->peer, &r);
    *evaluations = (double)r.evaluations;
    return done ? r.restitution : NAN;
  }
  ScreeImpactResult r;
  ScreeImpactDef def = c->def;
  def.tolerance = tolerance;
  ScreeStatus status = scree_impact_run(&def, &r);
  *evaluations = r.evaluations;
  return status == SCREE_OK ? r.restitution : NAN;
}

static double largest_error(const Runner *run, double tolerance) {
  double worst = 0.0, evaluations;
  if (run->peer) peer_set_tolerance(run->peer, tolerance);
  for (int i = 0; i < run->count; i++) {
    double e = run_case(run, i, tolerance, &evaluations);
    worst = isnan(e) ? INFINITY : fmax(worst, fabs(e - run->cases[i].exact));
  }
  return worst;
}

/* From tight to loose until the error is too large: a loose tolerance that is right by luck does not count. */
static Side loosest_tolerance(const Runner *run) {
  Side side = {.tolerance = 0.0, .error = INFINITY};
  double tolerance = 1e-15;
  for (int i = 0; tolerance < 9e-3; i++) {
    double error = largest_error(run, tolerance);
    bool good = error <= wanted_error;
    if (!good && side.tolerance > 0.0) break;
    if (good) side.tolerance = tolerance, side.error = error;
    if (error < side.error) side.error = error;
    tolerance *= i % 2 ? 10.0 / 3.0 : 3.0;
  }
  if (side.tolerance > 0.0) {
    if (run->peer) peer_set_tolerance(run->peer, side.tolerance);
    run_case(run, 0, side.tolerance, &side.evaluations);
  }
  side.time = INFINITY;
  return side;
}

/* ---- timing ---- */

static double time_impacts(const Runner *run, double tolerance, int count) {
  double ignored;
  double start = bench_clock();
  for (int i = 0; i < count; i++) run_case(run, 0, tolerance, &ignored);
  return (bench_clock() - start) / count;
}

/* Impacts that take about a millisecond together. */
static int sample_size(const Runner *run, const Side *side) {
  double once = time_impacts(run, side->tolerance, 3);
  return once < 1e-3 ? (int)(1e-3 / once) + 1 : 1;
}

static void time_in_turns(const Runner *runs, Side **sides, int count, double seconds) {
  int samples[1 + SETUPS];
  for (int i = 0; i < count; i++) samples[i] = sides[i]->tolerance > 0.0 ? sample_size(&runs[i], sides[i]) : 0;
  double end = bench_clock() + seconds;
  do {
    for (int i = 0; i < count; i++)
      if (samples[i]) sides[i]->time = fmin(sides[i]->time, time_impacts(&runs[i], sides[i]->tolerance, samples[i]));
  } while (bench_clock() < end);
}

static int fastest(const Side *setups, int from, int to) {
  int best = -1;
  for (int i = from; i < to; i++)
    if (setups[i].tolerance > 0.0 && (best < 0 || setups[i].time < setups[best].time)) best = i;
  return best;
}

static Outcome measure(const Row *row, const Case *cases, int count, double seconds) {
  Outcome out;
  Runner runs[1 + SETUPS] = {{cases, count, NULL}};
  Side *sides[1 + SETUPS] = {&out.scree};
  out.scree = loosest_tolerance(&runs[0]);
  for (int i = 0; i < SETUPS; i++) {
    Peer *peer = peer_create(row->form, setup_at(i));
    if (!peer) exit(bench_fail(EXIT_FAILED, "CVODE could not be set up"));
    runs[i + 1] = (Runner){cases, count, peer};
    sides[i + 1] = &out.setup[i];
    out.setup[i] = loosest_tolerance(&runs[i + 1]);
  }
  time_in_turns(runs, sides, 1 + SETUPS, seconds);
  for (int i = 0; i < SETUPS; i++) peer_destroy(runs[i + 1].peer);
  out.best = fastest(out.setup, 0, PEER_METHOD_COUNT);
  out.best_mapped = fastest(out.setup, PEER_METHOD_COUNT, SETUPS);
  return out;
}

/* ---- printing ---- */

/* Of the peer's best time over scree's; infinite when no set-up of the peer reaches the wanted error. */
static double ratio_to(const Outcome *o, int setup) {
  return setup < 0 ? INFINITY : o->setup[setup].time / o->scree.time;
}

static void print_side_text(const char *law, const char *name, const Side *s) {
  if (s->tolerance > 0.0)
    printf("%-18s %-22s %9.0e %9.1e %11.2f %12.0f %11.0f", law, name, s->tolerance, s->error, 1e6 * s->time,
           1.0 / s->time, s->evaluations);
  else
    printf("%-18s %-22s %9s %9.1e %11s %12s %11s", law, name, "none", s->error, "-", "-", "-");
}

static void print_text(const Row *row, const Outcome *o, double doubt) {
  print_side_text(scree_law_info(row->law)->name, "scree", &o->scree);
  puts("");
  for (int i = 0; i < SETUPS; i++) {
    print_side_text("", peer_setup_name(setup_at(i)), &o->setup[i]);
    printf(" %8.1fx%s\n", ratio_to(o, i), i == o->best ? "  <- counts" : "");
  }
  if (doubt > 0.0) printf("%-18s reference: scree at 1e-14; CVODE at 1e-14 differs by %.1e\n", "", doubt);
}

static void print_side_json(const char *name, const Side *s, const char *end) {
  if (s->tolerance > 0.0)
    printf("{\"name\": \"%s\", \"tolerance\": %.3g, \"error\": %.3g, \"seconds_per_impact\": %.6g, \"evaluations\": "
           "%.0f}%s",
           name, s->tolerance, s->error, s->time, s->evaluations, end);
  else
    printf("{\"name\": \"%s\", \"tolerance\": null, \"error\": %.3g}%s", name, isfinite(s->error) ? s->error : 1e300,
           end);
}

static void print_json(const Row *row, const Outcome *o, bool last) {
  printf("    {\"law\": \"%s\", \"scree\": ", scree_law_info(row->law)->name);
  print_side_json("scree", &o->scree, ",\n     \"cvode\": [");
  for (int i = 0; i < SETUPS; i++)
    print_side_json(peer_setup_name(setup_at(i)), &o->setup[i], i + 1 < SETUPS ? ",\n               " : "],\n");
  double plain = ratio_to(o, o->best), mapped = ratio_to(o, o->best_mapped);
  printf("     \"best\": \"%s\", ", o->best < 0 ? "none" : peer_setup_name(setup_at(o->best)));
  if (isfinite(plain))
    printf("\"ratio\": %.4g, ", plain);
  else
    printf("\"ratio\": null, ");
  if (isfinite(mapped))
    printf("\"ratio_mapped\": %.4g}%s\n", mapped, last ? "" : ",");
  else
    printf("\"ratio_mapped\": null}%s\n", last ? "" : ",");
}

typedef struct Summary {
  double log_sum, smallest, log_sum_mapped, smallest_mapped;
  int count, count_mapped;
} Summary;

static void add_to(Summary *s, const Outcome *o) {
  double plain = ratio_to(o, o->best), mapped = ratio_to(o, o->best_mapped);
  if (isfinite(plain)) s->log_sum += log(plain), s->count++;
  if (isfinite(mapped)) s->log_sum_mapped += log(mapped), s->count_mapped++;
  s->smallest = fmin(s->smallest, plain);
  s->smallest_mapped = fmin(s->smallest_mapped, mapped);
}

static void print_summary(const Summary *s, bool json) {
  double mean = exp(s->log_sum / s->count), mapped = exp(s->log_sum_mapped / s->count_mapped);
  bool met = s->smallest >= goal;
  if (json) {
    printf("  ],\n  \"geometric_mean\": %.4g, \"smallest\": %.4g, \"goal\": %g, \"met\": %s,\n", mean, s->smallest,
           goal, met ? "true" : "false");
    printf("  \"geometric_mean_mapped\": %.4g, \"smallest_mapped\": %.4g\n}\n", mapped, s->smallest_mapped);
    return;
  }
  printf("\nagainst CVODE's best set-up: geometric mean %.1fx, smallest %.1fx\n", mean, s->smallest);
  printf("against CVODE given scree's own change of variables (mapped): geometric mean %.1fx, smallest %.1fx\n", mapped,
         s->smallest_mapped);
  printf("goal: at least %gx: %s\n", goal, met ? "met" : "missed");
}

int bench_impact(const BenchOptions *options) {
  Summary summary = {.smallest = INFINITY, .smallest_mapped = INFINITY};
  if (options->json) {
    printf("{\n  \"benchmark\": \"impact\", \"version\": \"%s\", \"wanted_error\": %g,\n  \"laws\": [\n",
           scree_version(), wanted_error);
  } else {
    printf("Impacts at equal accuracy: the restitution within %g of the exact one; e = 0.5, v0 = 0.3 m/s is timed.\n\n",
           wanted_error);
    printf("%-18s %-22s %9s %9s %11s %12s %11s %9s\n", "law", "", "tolerance", "error", "us/impact", "impacts/s",
           "evaluations", "ratio");
  }
  for (int i = 0; i < ROWS; i++) {
    Case cases[MAX_CASES];
    double doubt;
    int count = make_cases(&rows[i], cases, &doubt);
    Outcome outcome = measure(&rows[i], cases, count, options->seconds);
    if (outcome.scree.tolerance == 0.0)
      return bench_fail(EXIT_FAILED, "%s: no tolerance reaches an error of %g", scree_law_info(rows[i].law)->name,
                        wanted_error);
    add_to(&summary, &outcome);
    if (options->json)
      print_json(&rows[i], &outcome, i + 1 == ROWS);
    else
      print_text(&rows[i], &outcome, doubt);
    fflush(stdout);
  }
  print_summary(&summary, options->json);
  return EXIT_DONE;
}
