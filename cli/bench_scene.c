/* bench_scene.c: `scree bench scene`: how fast a scene runs here, and in what state it does. The world is that of
 * `scree run`; nothing is written, and nothing but steps is timed. */
#include "bench_scene.h"

#include "bench_parts.h"
#include "output.h"
#include "progress.h"
#include "scene_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char verb[] = "bench scene";

enum { KEY_JSON = 256, KEY_THREADS, KEY_WARM, KEY_STEPS, KEY_WINDOWS };

typedef struct BenchOptions {
  SceneOptions scene;
  bool json;
  int threads;               /* 0: as scree run chooses */
  long warm, steps, windows; /* steps 0: about a second */
} BenchOptions;

static const struct argp_option own_options[] = {
    {"threads", KEY_THREADS, "N", 0, "threads (default as scree run: one per 2000 grains, up to all processors)", 1},
    {"warm", KEY_WARM, "N", 0, "steps before the first window (default 100)", 1},
    {"steps", KEY_STEPS, "N", 0, "steps of a window (default: about a second of them)", 1},
    {"windows", KEY_WINDOWS, "N", 0, "how many are measured (default 5); 0: the state alone", 1},
    {"json", KEY_JSON, NULL, 0, "results as JSON", 3},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
  BenchOptions *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &o->scene; return 0;
  case KEY_THREADS: o->threads = (int)bench_count("threads", argument, 1, 1024, state); return 0;
  case KEY_WARM: o->warm = bench_count("warm", argument, 0, 1e9, state); return 0;
  case KEY_STEPS: o->steps = bench_count("steps", argument, 1, 1e9, state); return 0;
  case KEY_WINDOWS: o->windows = bench_count("windows", argument, 0, 1000, state); return 0;
  case KEY_JSON: o->json = true; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Measures how fast a scene runs on this machine, without writing anything: windows of so many steps each, and for "
    "each the million particle-steps per second and the state it ended in. On one thread the time is that of the "
    "processor, which other programs disturb less; on more it is that of the clock. Contacts per particle count those "
    "between grains for both of them; those with walls are told apart.\v"
    "Examples:\n"
    "  scree bench scene box\n"
    "  scree bench scene box/scene.yaml --threads 2 --steps 500 --json\n"
    "  scree bench scene box --set particles.0.count=500 --warm 1000 --windows 3";

/* ---- the state -------------------------------------------------------------------------------------------------- */

/* What a window ended in. Means are over the contacts between grains; NaN where there are none. */
typedef struct State {
  size_t particles, contacts, wall_contacts; /* contacts: between grains */
  double translation, rotation;              /* J, kinetic */
  double overlap, relative;                  /* m; of the smaller radius */
  double residual;                           /* of the energy that there was, relative */
  double bytes;
  long rebuilds; /* so far */
} State;

static double square(const double *v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

/* Of grains that move; solid spheres. Fixed ones have no kinetic energy, as in the ledger. */
static void sum_kinetic(const ScreeScene *scene, const ScreeGrain *grain, size_t count, State *s) {
  for (size_t i = 0; i < count; i++) {
    const ScreeGrain *g = &grain[i];
    if (g->fixed) continue;
    double r = g->radius, density = scree_scene_material(scene, (size_t)g->material)->material.density;
    double mass = density * 4.0 / 3.0 * acos(-1.0) * r * r * r;
    s->translation += 0.5 * mass * square(g->velocity);
    s->rotation += 0.5 * 0.4 * mass * r * r * square(g->spin);
  }
}

static int compare_id(const void *id, const void *grain) {
  uint64_t a = *(const uint64_t *)id, b = ((const ScreeGrain *)grain)->id;
  return (a > b) - (a < b);
}

static double radius_of(const ScreeGrain *grain, size_t count, uint64_t id) {
  const ScreeGrain *found = bsearch(&id, grain, count, sizeof *grain, compare_id);
  return found ? found->radius : NAN;
}

static void sum_contacts(const ScreeContact *contact, size_t contacts, const ScreeGrain *grain, size_t count,
                         State *s) {
  for (size_t i = 0; i < contacts; i++) {
    const ScreeContact *c = &contact[i];
    s->wall_contacts += c->wall;
    if (c->wall) continue;
    s->contacts++;
    s->overlap += c->overlap;
    s->relative += c->overlap / fmin(radius_of(grain, count, c->first), radius_of(grain, count, c->second));
  }
  s->overlap /= (double)s->contacts;
  s->relative /= (double)s->contacts;
}

static ScreeStatus read_state(const ScreeScene *scene, ScreeWorld *world, State *s) {
  ScreeMeasure m;
  *s = (State){.particles = scree_world_count(world)};
  size_t contacts = scree_world_contact_count(world);
  ScreeGrain *grain = checked_alloc(s->particles, sizeof *grain);
  ScreeContact *contact = checked_alloc(contacts, sizeof *contact);
  ScreeStatus status = scree_world_measure(world, &m);
  if (status == SCREE_OK) status = scree_world_read(world, grain);
  if (status == SCREE_OK) status = scree_world_read_contacts(world, contact);
  if (status == SCREE_OK) {
    sum_kinetic(scene, grain, s->particles, s);
    sum_contacts(contact, contacts, grain, s->particles, s);
    s->residual = m.scale > 0 ? fabs(m.residual) / m.scale : 0;
    s->bytes = (double)scree_world_bytes(world);
    s->rebuilds = m.rebuilds;
  }
  free(contact);
  free(grain);
  return status;
}

/* ---- measuring -------------------------------------------------------------------------------------------------- */

typedef struct Window {
  double seconds, work; /* work: particle-steps */
  long rebuilds;
  State end;
} Window;

typedef struct Bench {
  const BenchOptions *options;
  const ScreeScene *scene;
  ScreeWorld *world;
  Progress progress;
  int threads;
  long steps;
  Window *window;
} Bench;

static double mps(const Window *w) { return w->seconds > 0 ? 1e-6 * w->work / w->seconds : NAN; }

/* As many steps as fill about a second. The trial doubles until it is long enough to tell. */
static ScreeStatus choose_steps(Bench *b) {
  b->steps = b->options->steps;
  for (long trial = 1; b->steps == 0; trial *= 2) {
    double begin = bench_clock(b->threads);
    ScreeStatus status = scree_world_step(b->world, trial);
    if (status != SCREE_OK) return status;
    double spent = bench_clock(b->threads) - begin;
    if (spent > 0.1) b->steps = (long)fmax(1, round((double)trial / spent));
  }
  return SCREE_OK;
}

/* Grains that come and go on the way count half: as in the speed that a run's log shows. */
static ScreeStatus measure_window(Bench *b, Window *w, long rebuilds_before) {
  double before = (double)scree_world_count(b->world), begin = bench_clock(b->threads);
  ScreeStatus status = scree_world_step(b->world, b->steps);
  w->seconds = bench_clock(b->threads) - begin;
  w->work = 0.5 * (before + (double)scree_world_count(b->world)) * (double)b->steps;
  if (status == SCREE_OK) status = read_state(b->scene, b->world, &w->end);
  w->rebuilds = w->end.rebuilds - rebuilds_before;
  return status;
}

static double time_of(const ScreeWorld *world) {
  return (double)scree_world_steps(world) * scree_world_timestep(world);
}

/* In pieces, for a long one should be seen to go on. */
static ScreeStatus warm_up(Bench *b) {
  long all = b->options->warm, piece = all / 100 + 1;
  ScreeStatus status = SCREE_OK;
  for (long done = 0; done < all && status == SCREE_OK; done += piece) {
    status = scree_world_step(b->world, piece < all - done ? piece : all - done);
    progress_update(&b->progress, done + piece, all, time_of(b->world));
  }
  progress_clear(&b->progress);
  b->progress = progress_start(verb); /* what was warmed does not count into the speed of the windows */
  return status;
}

/* The last window of none is the state at the start, after the warming. */
static ScreeStatus measure(Bench *b) {
  long windows = b->options->windows;
  State start = {0};
  ScreeStatus status = warm_up(b);
  if (status == SCREE_OK && windows > 0) status = choose_steps(b);
  if (status == SCREE_OK) status = read_state(b->scene, b->world, &start);
  long rebuilds = start.rebuilds, first = scree_world_steps(b->world);
  b->window[0] = (Window){.end = start};
  for (long i = 0; i < windows && status == SCREE_OK; i++) {
    status = measure_window(b, &b->window[i], rebuilds);
    rebuilds = b->window[i].end.rebuilds;
    long step = scree_world_steps(b->world) - first;
    progress_update(&b->progress, step, windows * b->steps, time_of(b->world));
  }
  progress_clear(&b->progress);
  return status;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

/* Million particle-steps per second, over the windows. */
static Spread speeds(const Bench *b) {
  size_t count = (size_t)b->options->windows;
  double *speed = checked_alloc(count + 1, sizeof *speed);
  for (size_t i = 0; i < count; i++) speed[i] = mps(&b->window[i]);
  Spread found = bench_spread(speed, count);
  free(speed);
  return found;
}

static double per_particle(double sum, const State *s) { return s->particles ? sum / (double)s->particles : NAN; }

static const State *last_state(const Bench *b) {
  long windows = b->options->windows;
  return &b->window[windows ? windows - 1 : 0].end;
}

/* The most memory of this program; getrusage would tell that of its parent where it was larger. NaN: unknown. */
static double peak_bytes(void) {
  FILE *stream = fopen("/proc/self/status", "r");
  char line[128];
  double kilobytes = NAN;
  while (stream && isnan(kilobytes) && fgets(line, sizeof line, stream))
    if (strncmp(line, "VmHWM:", 6) == 0) kilobytes = strtod(line + 6, NULL);
  if (stream) fclose(stream);
  return 1024.0 * kilobytes;
}

static void put_state(json_t *object, const State *s) {
  json_object_set_new(object, "particles", json_integer((json_int_t)s->particles));
  json_put(object, "contacts_per_particle", per_particle(2.0 * (double)s->contacts, s));
  json_object_set_new(object, "wall_contacts", json_integer((json_int_t)s->wall_contacts));
  json_put(object, "kinetic_translation", s->translation);
  json_put(object, "kinetic_rotation", s->rotation);
  json_put(object, "mean_overlap", s->overlap);
  json_put(object, "mean_overlap_relative", s->relative);
  json_put(object, "energy_residual_relative", s->residual);
}

static json_t *window_json(const Window *w) {
  json_t *object = json_object();
  json_put(object, "seconds", w->seconds);
  json_put(object, "mps", mps(w));
  json_object_set_new(object, "rebuilds", json_integer(w->rebuilds));
  put_state(object, &w->end);
  return object;
}

static void print_json(const Bench *b) {
  json_t *root = json_object(), *windows = json_array();
  const State *last = last_state(b);
  Spread speed = speeds(b);
  json_object_set_new(root, "scene", json_text(b->options->scene.path));
  json_object_set_new(root, "version", json_string(scree_version()));
  json_object_set_new(root, "instruction_set", json_string(scree_batch_isa()));
  json_object_set_new(root, "threads", json_integer(b->threads));
  json_object_set_new(root, "clock", json_string(b->threads == 1 ? "processor" : "wall"));
  json_put(root, "timestep", scree_world_timestep(b->world));
  json_object_set_new(root, "warm", json_integer(b->options->warm));
  json_object_set_new(root, "steps", json_integer(b->steps));
  json_put(root, "mps_best", speed.most);
  json_put(root, "mps_median", speed.median);
  json_put(root, "bytes_per_particle", per_particle(last->bytes, last));
  json_put(root, "peak_bytes", peak_bytes());
  put_state(root, last);
  for (long i = 0; i < b->options->windows; i++) json_array_append_new(windows, window_json(&b->window[i]));
  json_object_set_new(root, "windows", windows);
  json_print(root);
}

static void print_windows(const Bench *b) {
  const char *const heading[] = {
      "window", b->threads == 1 ? "CPU [s]" : "wall [s]", "Mps", "rebuilds", "particles", "contacts each"};
  Table *table = table_new("rrrrrr");
  for (size_t i = 0; i < sizeof heading / sizeof *heading; i++) table_cell(table, "%s", heading[i]);
  for (long i = 0; i < b->options->windows; i++) {
    const Window *w = &b->window[i];
    table_cell(table, "%ld", i + 1);
    table_cell(table, "%.3f", w->seconds);
    table_number(table, mps(w), 4);
    table_cell(table, "%ld", w->rebuilds);
    table_cell(table, "%zu", w->end.particles);
    table_number(table, per_particle(2.0 * (double)w->end.contacts, &w->end), 4);
  }
  table_print(table);
}

static void print_text(const Bench *b) {
  const State *s = last_state(b);
  Spread speed = speeds(b);
  printf("%zu particles, time step %.4g s, %d thread%s, %s\n", s->particles, scree_world_timestep(b->world), b->threads,
         b->threads == 1 ? "" : "s", scree_batch_isa());
  if (b->options->windows) {
    printf("windows of %ld steps after %ld\n\n", b->steps, b->options->warm);
    print_windows(b);
    printf("\nbest %s, median %s million particle-steps per second\n", number_text(speed.most, 4).text,
           number_text(speed.median, 4).text);
  }
  printf("contacts       %s per particle between grains, %zu with walls\n",
         number_text(per_particle(2.0 * (double)s->contacts, s), 4).text, s->wall_contacts);
  printf("mean overlap   %s m, %s of the smaller radius\n", number_text(s->overlap, 4).text,
         number_text(s->relative, 4).text);
  printf("kinetic        %.6g J of translation, %.6g J of rotation\n", s->translation, s->rotation);
  printf("energy         residual %.2g of what there was\n", s->residual);
  printf("memory         %s bytes per particle\n", number_text(per_particle(s->bytes, s), 4).text);
}

static int run_bench(const BenchOptions *o, const ScreeScene *scene) {
  Bench b = {.options = o, .scene = scene, .progress = progress_start(verb)};
  ScreeFault fault;
  ScreeStatus status = scree_scene_build(scene, o->threads, default_threads(), &b.world, &fault);
  if (status != SCREE_OK) return show_fault(verb, status, &fault);
  b.threads = scree_world_threads(b.world);
  b.window = checked_alloc((size_t)o->windows + 1, sizeof *b.window);
  int exit_status = EXIT_DONE;
  if (measure(&b) != SCREE_OK) {
    char *sentence = name_materials(scene, scree_last_error());
    exit_status = failure(verb, "%s", sentence);
    free(sentence);
  } else if (o->json) {
    print_json(&b);
  } else {
    print_text(&b);
  }
  free(b.window);
  scree_world_destroy(b.world);
  return exit_status;
}

int bench_scene(int argc, char **argv) {
  BenchOptions o = {.warm = 100, .windows = 5};
  const struct argp_child children[] = {{scene_argp(), 0, NULL, 0}, {0}};
  const struct argp argp = {own_options, parse, "SCENE", doc, children, NULL, NULL};
  ScreeScene *scene = NULL;
  int status = EXIT_DONE;
  parse_options(&argp, argc, argv, &o);
  if (open_scene(verb, &o.scene, &scene, &status)) status = run_bench(&o, scene);
  scree_scene_free(scene);
  close_scene_options(&o.scene);
  return status;
}
