/* bench_dem.c: `scree bench dem`: the engine's speed and size on one settled bed, repeated sideways to any number of
 * grains, so that every size is at the same state. */
#include "bench_dem.h"

#include "bench_parts.h"
#include "output.h"

#include <math.h>

static const char verb[] = "bench dem";

enum { KEY_JSON = 256, KEY_THREADS, KEY_SMALLEST, KEY_LARGEST, KEY_SECONDS };

typedef struct BenchOptions {
  bool json;
  int threads;
  double smallest, largest, seconds;
} BenchOptions;

static const struct argp_option own_options[] = {
    {"threads", KEY_THREADS, "N", 0, "threads of the engine (default 1)", 1},
    {"smallest", KEY_SMALLEST, "N", 0, "about so many grains in the smallest bed (default 10000)", 1},
    {"largest", KEY_LARGEST, "N", 0,
     "and in the largest (default 10000000; 1e6 takes a tenth of the time); ten times as many from bed to bed", 1},
    {"seconds", KEY_SECONDS, "S", 0, "time each size is measured for (default 2)", 1},
    {"json", KEY_JSON, NULL, 0, "results as JSON", 2},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
  BenchOptions *o = state->input;
  switch (key) {
  case KEY_JSON: o->json = true; return 0;
  case KEY_THREADS: o->threads = (int)bench_count("threads", argument, 1, 1024, state); return 0;
  case KEY_SMALLEST: o->smallest = (double)bench_count("smallest", argument, 1e3, 1e8, state); return 0;
  case KEY_LARGEST: o->largest = (double)bench_count("largest", argument, 1e3, 1e8, state); return 0;
  case KEY_SECONDS: o->seconds = bench_seconds("seconds", argument, 60, state); return 0;
  case ARGP_KEY_ARG: refuse(state, "takes no argument (got \"%s\")", argument); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Measures the particle engine on a settled bed of Hertz-Mindlin grains with the energy ledger on: particle-steps "
    "per second and bytes per particle from 10,000 grains to ten million. One small bed is settled and repeated "
    "sideways, "
    "so all sizes are at the same state. On one thread the time is that of the processor, which other programs disturb "
    "less.\v"
    "Examples:\n"
    "  scree bench dem --largest 1e6\n"
    "  scree bench dem --threads 2 --json";

/* ---- measuring ---- */

typedef struct Result {
  size_t particles;
  double contacts, bytes, speed, residual;
  long steps, rebuilds;
} Result;

/* The fastest of three stretches. */
static ScreeStatus measure(const ScreeGrain *tile, double particles, const BenchOptions *o, Result *r) {
  ScreeWorld *world = NULL;
  BedDef def = bed_def_default();
  double copies = particles / BED_GRAINS;
  def.world.threads = o->threads;
  def.copies[0] = (int)fmax(round(sqrt(copies)), 1.0);
  def.copies[1] = (int)fmax(round(copies / def.copies[0]), 1.0);
  ScreeStatus status = bed_build(&def, tile, &world);
  ScreeMeasure m = {0};
  *r = (Result){.particles = world ? scree_world_count(world) : 0};
  long steps = 4;
  if (status == SCREE_OK) status = scree_world_step(world, steps); /* warm */
  for (int stretch = 0; stretch < 3 && status == SCREE_OK; stretch++) {
    double begin = bench_clock(o->threads), spent = 0.0;
    long done = 0;
    while (spent < o->seconds / 3.0 && status == SCREE_OK) {
      status = scree_world_step(world, steps);
      done += steps;
      spent = bench_clock(o->threads) - begin;
      if (spent < 0.1 * o->seconds) steps *= 2;
    }
    r->steps += done;
    r->speed = fmax(r->speed, (double)r->particles * (double)done / spent);
  }
  if (status == SCREE_OK) status = scree_world_measure(world, &m);
  if (status == SCREE_OK) {
    size_t between = m.contacts; /* each counts for both grains, those with the floor for one: the floor is few */
    r->contacts = 2.0 * (double)between / (double)r->particles;
    r->bytes = (double)scree_world_bytes(world) / (double)r->particles;
    r->residual = fabs(m.residual) / fmax(m.scale, 1e-300);
    r->rebuilds = m.rebuilds;
  }
  scree_world_destroy(world);
  return status;
}

static void print_results(const Result *r, int count, const BenchOptions *o) {
  json_t *root = json_object(), *rows = json_array();
  double fastest = 0.0, slowest = INFINITY;
  Table *table = o->json ? NULL : table_new("rrrrr");
  const char *const heading[] = {"particles", "contacts", "bytes", "Mps", "steps"};
  for (int k = 0; table && k < 5; k++) table_cell(table, "%s", heading[k]);
  for (int i = 0; i < count; i++) {
    if (r[i].particles < 2000000) fastest = fmax(fastest, r[i].speed), slowest = fmin(slowest, r[i].speed);
    if (table) {
      table_cell(table, "%zu", r[i].particles);
      table_cell(table, "%.2f", r[i].contacts);
      table_cell(table, "%.0f", r[i].bytes);
      table_cell(table, "%.2f", 1e-6 * r[i].speed);
      table_cell(table, "%ld", r[i].steps);
    }
    json_t *row = json_object();
    json_object_set_new(row, "particles", json_integer((json_int_t)r[i].particles));
    json_put(row, "contacts_per_particle", r[i].contacts);
    json_put(row, "bytes_per_particle", r[i].bytes);
    json_put(row, "particle_steps_per_second", r[i].speed);
    json_put(row, "energy_residual_relative", r[i].residual);
    json_object_set_new(row, "steps", json_integer(r[i].steps));
    json_object_set_new(row, "rebuilds", json_integer(r[i].rebuilds));
    json_array_append_new(rows, row);
  }
  if (table) {
    table_print(table);
    if (count > 1 && r[1].particles < 2000000)
      printf("\nOf %s the dearest particle-step costs %.0f %% more than the cheapest.\n",
             r[count - 1].particles < 2000000 ? "all these" : "those up to a million grains",
             100.0 * (fastest / slowest - 1.0));
    json_decref(rows), json_decref(root);
    return;
  }
  json_object_set_new(root, "threads", json_integer(o->threads));
  json_object_set_new(root, "instruction_set", json_string(scree_batch_isa()));
  json_object_set_new(root, "sizes", rows);
  json_put(root, "cost_spread", fastest / slowest - 1.0);
  json_print(root);
}

int bench_dem(int argc, char **argv) {
  BenchOptions o = {.threads = 1, .smallest = 1e4, .largest = 1e7, .seconds = 2.0};
  static const struct argp argp = {own_options, parse, NULL, doc, NULL, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  if (o.smallest > o.largest) return misuse(verb, "--smallest is larger than --largest");
  static ScreeGrain tile[BED_GRAINS];
  ScreeStatus status = bed_settle(o.threads, tile);
  Result result[8];
  int count = 0;
  for (double n = o.smallest, last = 0.0; last < o.largest && status == SCREE_OK;
       last = n, n = fmin(10.0 * n, o.largest))
    status = measure(tile, n, &o, &result[count++]);
  if (status != SCREE_OK) return report(verb, status);
  print_results(result, count, &o);
  return EXIT_DONE;
}
