/* bench_engine.c: `scree bench engine`: what every law of the catalogue costs in the particle engine, and what share of
 * its speed every instruction set keeps: a step of one settled bed, beside the same step with Hertz-Mindlin's law
 * (tsuji and mindlin) on the best set that the machine has. Both are measured in turns: what disturbs the one disturbs
 * the other. */
#include "bench_engine.h"

#include "bench_parts.h"
#include "output.h"

#include <math.h>
#include <string.h>

static const char verb[] = "bench engine";

enum { KEY_JSON = 256, KEY_SECONDS, KEY_OUTPUT };
enum { TURNS = 7 };

typedef struct BenchOptions {
  bool json, some;
  bool only[SCREE_LAW_COUNT]; /* laws asked for; all, and the instruction sets, when `some` is false */
  double seconds;             /* measuring time of a row */
  const char *output;
} BenchOptions;

static const struct argp_option own_options[] = {
    {"seconds", KEY_SECONDS, "S", 0, "time each law is measured for (default 1); an instruction set four times that",
     1},
    {"json", KEY_JSON, NULL, 0, "results as JSON", 2},
    {"output", KEY_OUTPUT, "FILE", 0, "results as JSON into this file, besides the table", 2},
    {0},
};

/* Those that grains can have. */
static bool is_in_engine(const ScreeLawInfo *info) {
  return info->group == SCREE_POINT || info->group == SCREE_PLASTIC;
}

static void add_law(BenchOptions *o, const char *name, const struct argp_state *state) {
  ScreeLawId law;
  if (scree_law_find(name, &law) != SCREE_OK) refuse(state, "%s", scree_last_error());
  if (!is_in_engine(scree_law_info(law))) refuse(state, "%s is no normal law of grains", name);
  o->only[law] = o->some = true;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  BenchOptions *o = state->input;
  switch (key) {
  case KEY_JSON: o->json = true; return 0;
  case KEY_SECONDS: o->seconds = bench_seconds("seconds", argument, 60, state); return 0;
  case KEY_OUTPUT: o->output = argument; return 0;
  case ARGP_KEY_ARG: add_law(o, argument, state); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Measures what each law of the catalogue costs in the particle engine, and how fast each instruction set of this "
    "machine is: a step of one settled bed on one thread, in turns with the same step under Hertz-Mindlin's law "
    "(tsuji, mindlin) on the best instruction set. Ratios are of the fastest of seven turns each. With laws named, "
    "only "
    "these.\v"
    "Examples:\n"
    "  scree bench engine\n"
    "  scree bench engine thornton jian --seconds 0.2\n"
    "  scree bench engine --output engine.json";

/* ---- measuring -------------------------------------------------------------------------------------------------- */

/* What may be expected: of a law, at most this many times the reference's cost; of an instruction set, at least this
 * share of its speed. */
static double law_limit(ScreeLawId law) {
  static const ScreeLawId powers[] = {/* more than roots: pow, cbrt, exp, log, or a branch into one of them */
                                      SCREE_LAW_bordbar_hyppanen,
                                      SCREE_LAW_thornton,
                                      SCREE_LAW_yigit,
                                      SCREE_LAW_yigit_linear,
                                      SCREE_LAW_jian,
                                      SCREE_LAW_xiong,
                                      SCREE_LAW_choi,
                                      SCREE_LAW_roy_carretero,
                                      SCREE_LAW_goldsmith_plastic,
                                      SCREE_LAW_empirical_m1};
  for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
    if (powers[i] == law) return 2.5;
  return 1.3;
}

static double isa_limit(const char *isa) { return strstr(isa, "v3") ? 0.6 : 0.35; }

typedef struct Row {
  const char *name;
  Spread cost; /* ns of a step for each contact */
  double contacts;
  double ratio, limit; /* of a law: its cost over the reference's; of an instruction set: its speed over that */
  bool met;
} Row;

typedef struct Bench {
  const BenchOptions *options;
  const char *best_isa;
  ScreeGrain tile[BED_GRAINS];
  Row laws[SCREE_LAW_COUNT], sets[8];
  int law_count, set_count;
} Bench;

static ScreeStatus bed_with(const Bench *b, ScreeLawId law, ScreeWorld **world) {
  const ScreeLawInfo *info = scree_law_info(law);
  BedDef def = bed_def_default();
  def.copies[0] = 2; /* 3,402 grains: they stay in the second-level cache, where laws differ most */
  def.world.timestep = 4e-6;
  def.world.max_overlap = 0.5; /* some laws are soft */
  def.contact.normal = law;
  def.contact.pair.restitution = info->domain == SCREE_E_NONE ? NAN : 0.7;
  if (info->exponent == 1.0 && law != SCREE_LAW_yigit_linear) def.contact.pair.stiffness = 100.0;
  /* a force that goes with the volume is hardly any at first: moduli that carry the bed at about Hertz's overlap */
  if (law == SCREE_LAW_roy_carretero)
    def.contact.pair.param[SCREE_PARAM_E1] = def.contact.pair.param[SCREE_PARAM_E2] = 25.0 * BED_YOUNG;
  return bed_build(&def, b->tile, world);
}

/* A world on its instruction set, and what its turns cost. */
typedef struct Side {
  ScreeWorld *world;
  const char *isa;
  double cost[TURNS], contacts;
} Side;

static ScreeStatus take_turn(Side *s, long steps, double *cost) {
  ScreeMeasure m;
  ScreeStatus status = scree_batch_use_isa(s->isa);
  double begin = bench_clock(1);
  if (status == SCREE_OK) status = scree_world_step(s->world, steps);
  double spent = bench_clock(1) - begin;
  if (status == SCREE_OK) status = scree_world_measure(s->world, &m);
  if (status != SCREE_OK) return status;
  s->contacts = 2.0 * (double)m.contacts / (double)scree_world_count(s->world);
  *cost = 1e9 * spent / (double)steps / (double)m.contacts;
  return SCREE_OK;
}

/* Both in turns; a first pair of turns warms them, and tells how many steps fill the time. */
static ScreeStatus alternate(Side side[2], double seconds) {
  long steps = 8;
  for (int turn = -1; turn < TURNS; turn++) {
    double unused, begin = bench_clock(1);
    for (int k = 0; k < 2; k++) {
      ScreeStatus status = take_turn(&side[k], steps, turn < 0 ? &unused : &side[k].cost[turn]);
      if (status != SCREE_OK) return status;
    }
    double spent = bench_clock(1) - begin;
    if (turn < 0) steps = lround(fmax(8.0, (double)steps * seconds / TURNS / fmax(spent, 1e-6)));
  }
  return SCREE_OK;
}

/* One law on one instruction set beside the reference. */
static ScreeStatus compare(Bench *b, ScreeLawId law, const char *isa, double seconds, Row *row, double *ratio) {
  Side side[2] = {{.isa = b->best_isa}, {.isa = isa}};
  ScreeStatus status = bed_with(b, SCREE_LAW_tsuji, &side[0].world);
  if (status == SCREE_OK) status = bed_with(b, law, &side[1].world);
  if (status == SCREE_OK) status = alternate(side, seconds);
  if (status == SCREE_OK) status = scree_batch_use_isa(b->best_isa);
  row->cost = bench_spread(side[1].cost, TURNS);
  row->contacts = side[1].contacts;
  *ratio = row->cost.least / bench_spread(side[0].cost, TURNS).least;
  for (int k = 0; k < 2; k++) scree_world_destroy(side[k].world);
  return status;
}

static ScreeStatus compare_law(Bench *b, const ScreeLawInfo *info, Row *row) {
  *row = (Row){.name = info->name, .limit = law_limit(info->law)};
  ScreeStatus status = compare(b, info->law, b->best_isa, b->options->seconds, row, &row->ratio);
  row->met = row->ratio <= row->limit;
  return status;
}

/* Four times as long: there are two of them, and what they promise is a share of speed. */
static ScreeStatus compare_isa(Bench *b, const char *isa, Row *row) {
  double cost = NAN;
  *row = (Row){.name = isa, .limit = isa_limit(isa)};
  ScreeStatus status = compare(b, SCREE_LAW_tsuji, isa, 4.0 * b->options->seconds, row, &cost);
  row->ratio = 1.0 / cost;
  row->met = row->ratio >= row->limit;
  return status;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

static void print_row(const Bench *b, const Row *r, bool first, const char *heading, const char *kind,
                      const char *limit) {
  if (b->options->json) return;
  if (first)
    printf("\n%-32s %13s %8s %9s %6s\n%-32s %13s %8s %9s %6s\n", "", "ns a contact", "", "contacts", "", heading,
           "best", "median", "a grain", kind);
  printf("%-32s %13.2f %8.2f %9.2f %6.2f  %s %.2f%s\n", r->name, r->cost.least, r->cost.median, r->contacts, r->ratio,
         limit, r->limit, r->met ? "" : ": NOT met");
  fflush(stdout);
}

static json_t *rows_json(const Row *rows, int count, const char *kind) {
  json_t *array = json_array();
  for (int i = 0; i < count; i++) {
    const Row *r = &rows[i];
    json_t *row = json_object();
    json_object_set_new(row, "name", json_string(r->name));
    json_put(row, "nanoseconds_per_contact_best", r->cost.least);
    json_put(row, "nanoseconds_per_contact_median", r->cost.median);
    json_put(row, "contacts_per_particle", r->contacts);
    json_put(row, kind, r->ratio);
    json_put(row, "limit", r->limit);
    json_object_set_new(row, "met", json_boolean(r->met));
    json_array_append_new(array, row);
  }
  return array;
}

static json_t *whole_json(const Bench *b) {
  json_t *root = json_object();
  json_object_set_new(root, "version", json_string(scree_version()));
  json_object_set_new(root, "instruction_set", json_string(b->best_isa));
  json_object_set_new(root, "particles", json_integer(2 * BED_GRAINS));
  json_object_set_new(root, "turns", json_integer(TURNS));
  json_object_set_new(root, "laws", rows_json(b->laws, b->law_count, "cost_ratio"));
  json_object_set_new(root, "instruction_sets", rows_json(b->sets, b->set_count, "speed_ratio"));
  return root;
}

static bool write_output(const Bench *b) {
  OutputFile file;
  if (!output_open(&file, verb, b->options->output)) return false;
  json_t *root = whole_json(b);
  bool written = json_dumpf(root, file.stream, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0;
  json_decref(root);
  if (written && fputc('\n', file.stream) != EOF) return output_commit(&file, verb);
  output_drop(&file);
  return false;
}

static ScreeStatus measure_laws(Bench *b) {
  for (int law = 0; law < SCREE_LAW_COUNT; law++) {
    const ScreeLawInfo *info = scree_law_info((ScreeLawId)law);
    if (!is_in_engine(info) || (b->options->some && !b->options->only[law])) continue;
    Row *row = &b->laws[b->law_count];
    ScreeStatus status = compare_law(b, info, row);
    if (status != SCREE_OK) return status;
    print_row(b, row, b->law_count++ == 0, "law", "cost", "at most");
  }
  return SCREE_OK;
}

static ScreeStatus measure_sets(Bench *b) {
  for (int i = 0; i < scree_batch_isa_count() && !b->options->some; i++) {
    const char *isa = scree_batch_isa_name(i);
    if (strcmp(isa, b->best_isa) == 0 || scree_batch_use_isa(isa) != SCREE_OK) continue;
    Row *row = &b->sets[b->set_count];
    ScreeStatus status = compare_isa(b, isa, row);
    if (status != SCREE_OK) return status;
    print_row(b, row, b->set_count++ == 0, "instruction set, tsuji", "speed", "at least");
  }
  return SCREE_OK;
}

int bench_engine(int argc, char **argv) {
  static Bench b;
  BenchOptions o = {.seconds = 1.0};
  static const struct argp argp = {own_options, parse, "[LAW...]", doc, NULL, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  b.options = &o;
  b.best_isa = scree_batch_isa();
  if (!o.json)
    printf("A step of %d settled grains, one thread, beside tsuji and mindlin on %s\n", 2 * BED_GRAINS, b.best_isa);
  ScreeStatus status = bed_settle(1, b.tile);
  if (status == SCREE_OK) status = measure_laws(&b);
  if (status == SCREE_OK) status = measure_sets(&b);
  if (status != SCREE_OK) return report(verb, status);
  if (o.json) json_print(whole_json(&b));
  return !o.output || write_output(&b) ? EXIT_DONE : EXIT_FAILED;
}
