/* bench_dem.c: `scree bench dem`: the engine's speed and size on one settled bed, repeated sideways to any number of
 * grains, so that every size is at the same state. */
#include "bench_dem.h"

#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char verb[] = "bench dem";

enum { KEY_JSON = 256, KEY_THREADS, KEY_SMALLEST, KEY_LARGEST, KEY_SECONDS };
enum { SIDE = 9, LAYERS = 21, TILE = SIDE * SIDE * LAYERS }; /* grains of the bed that is settled first */

typedef struct BenchOptions {
  bool json;
  int threads;
  double smallest, largest, seconds;
} BenchOptions;

static const struct argp_option own_options[] = {
    {"threads", KEY_THREADS, "N", 0, "threads of the engine (default 1)", 1},
    {"smallest", KEY_SMALLEST, "N", 0, "grains of the smallest bed (default 10000)", 1},
    {"largest", KEY_LARGEST, "N", 0, "grains of the largest bed (default 10000000; 1e6 takes a tenth of the time)", 1},
    {"seconds", KEY_SECONDS, "S", 0, "time each size is measured for (default 2)", 1},
    {"json", KEY_JSON, NULL, 0, "results as JSON", 2},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
  BenchOptions *o = state->input;
  char *end;
  double value = argument ? strtod(argument, &end) : 0.0;
  bool number = argument && *argument && *end == '\0';
  switch (key) {
  case KEY_JSON: o->json = true; return 0;
  case KEY_THREADS:
    if (!number || !(value >= 1.0 && value <= 1024.0) || value != floor(value))
      refuse(state, "--threads: must be a whole number in 1 ... 1024 (got \"%s\")", argument);
    o->threads = (int)value;
    return 0;
  case KEY_SMALLEST:
  case KEY_LARGEST:
    if (!number || !(value >= 1e3 && value <= 1e8))
      refuse(state, "--%s: must be a number in 1e3 ... 1e8 (got \"%s\")", key == KEY_LARGEST ? "largest" : "smallest",
             argument);
    *(key == KEY_LARGEST ? &o->largest : &o->smallest) = value;
    return 0;
  case KEY_SECONDS:
    if (!number || !(value > 0.0 && value <= 60.0))
      refuse(state, "--seconds: must be in 0 ... 60 (got \"%s\")", argument);
    o->seconds = value;
    return 0;
  case ARGP_KEY_ARG: refuse(state, "takes no argument (got \"%s\")", argument); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Measures the particle engine on a settled bed of Hertz-Mindlin grains with the energy ledger on: particle-steps "
    "per "
    "second and bytes per particle from 10,000 grains to ten million. One small bed is settled and repeated sideways, "
    "so "
    "all sizes are at the same state. On one thread the time is that of the processor, which other programs disturb "
    "less.\v"
    "Examples:\n"
    "  scree bench dem --largest 1e6\n"
    "  scree bench dem --threads 2 --json";

/* ---- states ---- */

static const double diameter = 1e-3, width = SIDE * 1.08e-3;

/* The benchmark's grains; friction only when measured, so that the bed packs to nearly six contacts a grain. */
static ScreeStatus make_world(double lengths[2], bool friction, int threads, ScreeWorld **world) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  int id;
  def.high[0] = lengths[0], def.high[1] = lengths[1], def.high[2] = 2.5 * LAYERS * diameter;
  def.low[2] = -diameter;
  def.periodic[0] = def.periodic[1] = true;
  def.gravity[2] *= 3.0; /* presses the bed to six contacts a grain, the state that the figures are stated for */
  def.expected_speed = 0.5;
  def.threads = threads;
  contact.normal = SCREE_LAW_tsuji;
  contact.pair.restitution = 0.5;
  if (!friction) contact.tangential = SCREE_LAW_NONE;
  ScreeStatus status = scree_world_create(&def, world);
  if (status == SCREE_OK) status = scree_world_add_material(*world, (ScreeMaterial){1e7, 0.25, 2500.0}, &id);
  if (status == SCREE_OK) status = scree_world_set_contact(*world, -1, -1, &contact);
  if (status == SCREE_OK) status = scree_world_add_wall(*world, &floor, NULL);
  return status;
}

/* Loose layers fall and come to rest. */
static ScreeStatus settle(int threads, ScreeGrain *g) {
  ScreeWorld *world = NULL;
  uint64_t random = 12345;
  for (int i = 0; i < TILE; i++) {
    g[i] = (ScreeGrain){.id = (uint64_t)i, .radius = 0.5 * diameter};
    int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    for (int k = 0; k < 3; k++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      double jitter = ((double)(random >> 11) * 0x1p-53 - 0.5) * 0.07 * diameter;
      g[i].position[k] = (at[k] + 0.5) * (k == 2 ? 1.1 * diameter : width / SIDE) + jitter;
      g[i].velocity[k] = jitter * 2e3;
    }
  }
  ScreeStatus status = make_world((double[]){width, width}, false, threads, &world);
  if (status == SCREE_OK) status = scree_world_add_grains(world, TILE, g);
  if (status == SCREE_OK) status = scree_world_start(world);
  if (status == SCREE_OK) status = scree_world_step(world, lround(0.12 / scree_world_timestep(world)));
  if (status == SCREE_OK) status = scree_world_read(world, g);
  scree_world_destroy(world);
  return status;
}

/* copies[0] x copies[1] of the settled bed. */
static ScreeStatus repeat(const ScreeGrain *tile, const int *copies, int threads, ScreeWorld **world) {
  ScreeStatus status = make_world((double[]){width * copies[0], width * copies[1]}, true, threads, world);
  size_t n = (size_t)copies[0] * (size_t)copies[1] * TILE;
  ScreeGrain *all = malloc(n * sizeof *all);
  if (!all) return SCREE_NO_MEMORY;
  for (size_t c = 0; c < n / TILE; c++)
    for (size_t i = 0; i < TILE; i++) {
      ScreeGrain *g = &all[c * TILE + i];
      *g = tile[i];
      g->id = c * TILE + i;
      g->position[0] += width * (double)(c % (size_t)copies[0]);
      g->position[1] += width * (double)(c / (size_t)copies[0]);
    }
  if (status == SCREE_OK) status = scree_world_add_grains(*world, n, all);
  free(all);
  if (status == SCREE_OK) status = scree_world_start(*world);
  return status;
}

/* ---- measuring ---- */

typedef struct Result {
  size_t particles;
  double contacts, bytes, speed, residual;
  long steps, rebuilds;
} Result;

static double now(int threads) {
  struct timespec t;
  clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The fastest of three stretches. */
static ScreeStatus measure(const ScreeGrain *tile, double particles, const BenchOptions *o, Result *r) {
  ScreeWorld *world = NULL;
  double side = sqrt(particles / TILE);
  int copies[2] = {(int)fmax(round(side), 1.0), 1};
  copies[1] = (int)fmax(round(particles / TILE / copies[0]), 1.0);
  ScreeStatus status = repeat(tile, copies, o->threads, &world);
  ScreeMeasure m = {0};
  *r = (Result){.particles = world ? scree_world_count(world) : 0};
  long steps = 4;
  if (status == SCREE_OK) status = scree_world_step(world, steps); /* warm */
  for (int stretch = 0; stretch < 3 && status == SCREE_OK; stretch++) {
    double begin = now(o->threads), spent = 0.0;
    long done = 0;
    while (spent < o->seconds / 3.0 && status == SCREE_OK) {
      status = scree_world_step(world, steps);
      done += steps;
      spent = now(o->threads) - begin;
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
      printf("\nUp to a million grains the dearest particle-step costs %.0f %% more than the cheapest.\n",
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
  static ScreeGrain tile[TILE];
  ScreeStatus status = settle(o.threads, tile);
  if (o.smallest > o.largest) return misuse(verb, "--smallest is larger than --largest");
  Result result[8];
  int count = 0;
  for (double n = o.smallest; n <= o.largest * 1.001 && status == SCREE_OK; n *= 10.0)
    status = measure(tile, n, &o, &result[count++]);
  if (status != SCREE_OK) return report(verb, status);
  print_results(result, count, &o);
  return EXIT_DONE;
}
