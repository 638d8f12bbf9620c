/* bench_scene.c: `scree bench scene`: how fast a scene runs here, and in what state it does. The world is that of
 * `scree run`; nothing is written, and nothing but steps is timed. */
#include "bench_scene.h"

#include "bench_cores.h"
#include "bench_parts.h"
#include "output.h"
#include "progress.h"
#include "scene_file.h"
#include "stop.h"

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
  long warm, steps, windows; /* steps 0: as many as fill a second */
} BenchOptions;

static const struct argp_option own_options[] = {
    {"threads", KEY_THREADS, "N", 0, "threads (default as scree run: one per 2000 grains, up to all processors)", 1},
    {"warm", KEY_WARM, "N", 0, "steps before the first window (default 100)", 1},
    {"steps", KEY_STEPS, "N", 0, "steps of a window (default: as many as fill a second)", 1},
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
    "between grains for both of them; those with walls are told apart. Where they still change much from the first "
    "window to the last, it says so. Interrupt it (Ctrl-C) and it tells what was "
    "measured until then.\v"
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
  double seconds, wall, work; /* s: by which speeds go, and of the clock; particle-steps */
  double round_trip;          /* s, between two cores, before it; NaN on one thread */
  long steps, rebuilds;
  State end;
} Window;

typedef struct Bench {
  const BenchOptions *options;
  const ScreeScene *scene;
  ScreeWorld *world;
  Progress progress;
  int threads;
  long begin;              /* step that what progress shows is counted from */
  double seconds_per_step; /* lately; 0: unknown */
  long measured;           /* windows, of which the last may have been interrupted */
  Window *window;
} Bench;

static double mps(const Window *w) { return w->seconds > 0 ? 1e-6 * w->work / w->seconds : NAN; }

static double time_of(const ScreeWorld *world) {
  return (double)scree_world_steps(world) * scree_world_timestep(world);
}

#define WINDOW 1.0 /* s, where the steps of a window are not given */
#define SLICE 0.25 /* s between looks at the clock and the signals */
#define FIRST 0.02 /* s, until the first look: grains that fly may soon lie, and a world that is empty may be full */
#define LEAST 32   /* steps of a slice where their number is given: each begins and ends with a half kick of its own */

/* Steps until the next look, of `left`: a quarter of a second of them, but at most twice as many as the last time,
 * for the speed that they are reckoned with may be that of another state. */
static long slice(const Bench *b, long left, long last, long least) {
  double seconds = last == 0 ? FIRST : SLICE;
  double steps = b->seconds_per_step > 0 ? seconds / b->seconds_per_step : 1;
  if (last > 0) steps = fmin(steps, 2.0 * (double)last);
  steps = fmax(steps, (double)least);
  return steps < (double)left ? (long)steps : left;
}

/* The steps that are left of a window: of those asked for, or of a second at the latest speed. */
static long left_of(const Bench *b, const Window *w, long asked) {
  if (asked > 0) return asked - w->steps;
  if (b->seconds_per_step == 0) return 1;
  double steps = round((WINDOW - w->seconds) / b->seconds_per_step);
  return steps > 0 ? (long)fmin(steps, 1e9) : w->steps == 0; /* one at least */
}

static ScreeStatus step_on(Bench *b, Window *w, long steps) {
  double begin = bench_clock(b->threads), wall = wall_clock();
  ScreeStatus status = scree_world_step(b->world, steps);
  double spent = bench_clock(b->threads) - begin;
  w->wall += wall_clock() - wall;
  b->seconds_per_step = spent / (double)steps;
  w->seconds += spent;
  w->steps += steps;
  return status;
}

/* Until its steps are done or a signal comes. */
static ScreeStatus step_window(Bench *b, Window *w, long asked, long windows_left) {
  long left, steps = 0;
  ScreeStatus status = SCREE_OK;
  while (status == SCREE_OK && !stop_signal && (left = left_of(b, w, asked)) > 0) {
    steps = slice(b, left, steps, asked > 0 ? LEAST : 1);
    status = step_on(b, w, steps);
    double to_come = (double)left_of(b, w, asked) +
                     (double)windows_left * (asked > 0 ? (double)asked : WINDOW / b->seconds_per_step);
    long step = scree_world_steps(b->world) - b->begin;
    progress_update(&b->progress, step, step + (long)fmin(to_come, 1e15), time_of(b->world));
  }
  return status;
}

/* Grains that come and go on the way count half: as in the speed that a run's log shows. */
static ScreeStatus measure_window(Bench *b, Window *w, long rebuilds_before) {
  double before = (double)scree_world_count(b->world);
  *w = (Window){.round_trip = b->threads > 1 ? bench_round_trip() : NAN};
  ScreeStatus status = step_window(b, w, b->options->steps, b->options->windows - b->measured - 1);
  w->work = 0.5 * (before + (double)scree_world_count(b->world)) * (double)w->steps;
  progress_clear(&b->progress);
  if (status == SCREE_OK) status = read_state(b->scene, b->world, &w->end);
  w->rebuilds = w->end.rebuilds - rebuilds_before;
  return status;
}

static ScreeStatus warm_up(Bench *b) {
  Window warm = {0};
  ScreeStatus status = b->options->warm > 0 ? step_window(b, &warm, b->options->warm, 0) : SCREE_OK;
  progress_clear(&b->progress);
  return status;
}

static void print_heading_of(const Bench *b);
static void print_window(const Bench *b, const Window *w);

/* The last window of none is the state at the start, after the warming. One that was interrupted has fewer steps. */
static ScreeStatus measure(Bench *b) {
  bool text = !b->options->json;
  ScreeStatus status = warm_up(b);
  if (status == SCREE_OK) status = read_state(b->scene, b->world, &b->window[0].end);
  long rebuilds = b->window[0].end.rebuilds;
  if (status == SCREE_OK && text) print_heading_of(b);
  b->progress = progress_start(verb); /* what was warmed does not count into the speed of the windows */
  b->begin = scree_world_steps(b->world);
  while (status == SCREE_OK && !stop_signal && b->measured < b->options->windows) {
    Window window;
    status = measure_window(b, &window, rebuilds);
    if (status != SCREE_OK || window.steps == 0) break;
    rebuilds = window.end.rebuilds;
    b->window[b->measured++] = window;
    if (text) print_window(b, &window);
  }
  return status;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

/* Million particle-steps per second, over the windows. */
static Spread speeds(const Bench *b) {
  size_t count = (size_t)b->measured;
  double *speed = checked_alloc(count + 1, sizeof *speed);
  for (size_t i = 0; i < count; i++) speed[i] = mps(&b->window[i]);
  Spread found = bench_spread(speed, count);
  free(speed);
  return found;
}

static double per_particle(double sum, const State *s) { return s->particles ? sum / (double)s->particles : NAN; }

static const Window *last_window(const Bench *b) { return &b->window[b->measured ? b->measured - 1 : 0]; }

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
  json_put(object, "wall_seconds", w->wall);
  json_put(object, "mps", mps(w));
  json_put(object, "core_round_trip", w->round_trip);
  json_object_set_new(object, "steps", json_integer(w->steps));
  json_object_set_new(object, "rebuilds", json_integer(w->rebuilds));
  put_state(object, &w->end);
  return object;
}

static void print_json(const Bench *b) {
  json_t *root = json_object(), *windows = json_array();
  const State *last = &last_window(b)->end;
  Spread speed = speeds(b);
  json_object_set_new(root, "scene", json_text(b->options->scene.path));
  json_object_set_new(root, "version", json_string(scree_version()));
  json_object_set_new(root, "instruction_set", json_string(scree_batch_isa()));
  json_object_set_new(root, "threads", json_integer(b->threads));
  json_object_set_new(root, "clock", json_string(b->threads == 1 ? "processor" : "wall"));
  json_put(root, "timestep", scree_world_timestep(b->world));
  json_object_set_new(root, "warm", json_integer(b->options->warm));
  json_object_set_new(root, "steps", json_integer(b->options->steps ? b->options->steps : last_window(b)->steps));
  json_put(root, "mps_best", speed.most);
  json_put(root, "mps_median", speed.median);
  json_put(root, "bytes_per_particle", per_particle(last->bytes, last));
  json_put(root, "peak_bytes", peak_bytes());
  put_state(root, last);
  for (long i = 0; i < b->measured; i++) json_array_append_new(windows, window_json(&b->window[i]));
  json_object_set_new(root, "windows", windows);
  json_object_set_new(root, "interrupted", json_boolean(stop_signal != 0));
  json_print(root);
}

static void print_heading_of(const Bench *b) {
  printf("%zu particles, time step %.4g s, %d thread%s, %s\n", b->window[0].end.particles,
         scree_world_timestep(b->world), b->threads, b->threads == 1 ? "" : "s", scree_batch_isa());
  if (b->options->windows == 0 || stop_signal) return;
  if (b->options->steps)
    printf("windows of %ld steps after %ld\n\n", b->options->steps, b->options->warm);
  else
    printf("windows of about %g s after %ld steps\n\n", WINDOW, b->options->warm);
  printf("window  %8s  %9s  %8s  %8s  %9s  %s\n", b->threads == 1 ? "CPU [s]" : "wall [s]", "steps", "Mps", "rebuilds",
         "particles", "contacts each");
  fflush(stdout);
}

/* Now and not at the end: a window may take long. */
static void print_window(const Bench *b, const Window *w) {
  printf("%6ld  %8.3f  %9ld  %8s  %8ld  %9zu  %13s\n", b->measured, w->seconds, w->steps, number_text(mps(w), 4).text,
         w->rebuilds, w->end.particles, number_text(per_particle(2.0 * (double)w->end.contacts, &w->end), 4).text);
  fflush(stdout);
}

/* A quarter, and more than the noise where grains hardly touch: what was measured is the speed of no one state. */
static void tell_change(const Bench *b) {
  if (b->measured < 2) return;
  const State *ends[2] = {&b->window[0].end, &last_window(b)->end};
  double each[2];
  for (int i = 0; i < 2; i++) each[i] = per_particle(2.0 * (double)ends[i]->contacts, ends[i]);
  double change = fabs(each[1] - each[0]);
  if (!(change > 0.2 && change > 0.25 * fmax(each[0], each[1]))) return;
  printf(
      "state          still changing, from %s to %s contacts per particle: a larger --warm would show the steady one\n",
      number_text(each[0], 4).text, number_text(each[1], 4).text);
}

/* Processor's time says nothing of how long a user waits. */
static void tell_waiting(const Bench *b) {
  double spent = 0.0, wall = 0.0;
  for (long i = 0; i < b->measured; i++) spent += b->window[i].seconds, wall += b->window[i].wall;
  if (b->threads == 1 && wall > 1.05 * spent)
    printf("by the clock   %.0f %% longer: other programs had the processor\n", 100.0 * (wall / spent - 1.0));
}

/* Between cores that share no cache threads wait several times as long for each other, and for each other's grains. */
static void tell_cores(const Bench *b) {
  double least = INFINITY, most = 0.0;
  for (long i = 0; i < b->measured; i++)
    least = fmin(least, b->window[i].round_trip), most = fmax(most, b->window[i].round_trip);
  if (most == 0.0) return; /* one thread, or one core */
  printf("cores          %.0f ns there and back between two of them", 1e9 * least);
  if (most > 2.0 * least) printf(", in other windows up to %.0f: the host moved them", 1e9 * most);
  putchar('\n');
}

static void print_end(const Bench *b) {
  const State *s = &last_window(b)->end;
  Spread speed = speeds(b);
  if (b->measured)
    printf("\nbest %s, median %s million particle-steps per second\n", number_text(speed.most, 4).text,
           number_text(speed.median, 4).text);
  printf("contacts       %s per particle between grains, %zu with walls\n",
         number_text(per_particle(2.0 * (double)s->contacts, s), 4).text, s->wall_contacts);
  printf("mean overlap   %s m, %s of the smaller radius\n", number_text(s->overlap, 4).text,
         number_text(s->relative, 4).text);
  printf("kinetic        %.6g J of translation, %.6g J of rotation\n", s->translation, s->rotation);
  printf("energy         residual %.2g of what there was\n", s->residual);
  printf("memory         %s bytes per particle\n", number_text(per_particle(s->bytes, s), 4).text);
  tell_cores(b);
  tell_waiting(b);
  tell_change(b);
}

static void tell_interruption(const Bench *b) {
  if (b->measured)
    failure(verb, "interrupted in window %ld of %ld", b->measured, b->options->windows);
  else
    failure(verb, "interrupted before the first window");
}

static int run_bench(const BenchOptions *o, const ScreeScene *scene) {
  Bench b = {.options = o, .scene = scene, .progress = progress_start(verb)};
  ScreeFault fault;
  show_hints(verb, scene);
  warn_threads(verb, o->threads);
  ScreeStatus status = scree_scene_build(scene, o->threads, default_threads(), &b.world, &fault);
  if (status != SCREE_OK) return show_fault(verb, status, &fault);
  catch_signals();
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
    print_end(&b);
  }
  if (exit_status == EXIT_DONE && stop_signal) tell_interruption(&b);
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
  if (stop_signal) end_by_signal();
  return status;
}
