/* run.c: `scree run`: a scene from its first step to its last. The loop knows events only: what happens every so many
 * steps is a row of `events`. */
#include "scene_file.h"

#include "case.h"
#include "output.h"
#include "progress.h"
#include "run_folder.h"
#include "run_frames.h"
#include "run_log.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char verb[] = "run";

/* ---- options ---------------------------------------------------------------------------------------------------- */

enum { KEY_JSON = 256, KEY_THREADS, KEY_UNTIL, KEY_OVERWRITE };

typedef struct RunOptions {
  SceneOptions scene;
  const char *folder;
  int threads; /* 0: what pays */
  double until;
  bool overwrite, json;
} RunOptions;

static const struct argp_option own_options[] = {
    {"output", 'o', "DIR", 0, "the run's folder (default: scene.run for scene.yaml)", 1},
    {"overwrite", KEY_OVERWRITE, NULL, 0, "replace the run that the folder holds", 1},
    {"threads", KEY_THREADS, "N", 0,
     "threads (default: one per 2000 grains, up to all processors); the results do not depend on them", 1},
    {"until", KEY_UNTIL, "T", 0, "end at this time instead of the scene's duration", 1},
    {"json", KEY_JSON, NULL, 0, "the summary as JSON instead of the log", 3},
    {0},
};

static int parse_threads(const char *argument, struct argp_state *state) {
  double count = 0;
  if (read_quantity(argument, "1", (Limits){1, 1024, false}, &count) != SCREE_OK || count != floor(count))
    refuse(state, "--threads must be a whole number in 1 ... 1024 (got \"%s\")", argument);
  return (int)count;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  RunOptions *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &o->scene; return 0;
  case 'o': o->folder = argument; return 0;
  case KEY_OVERWRITE: o->overwrite = true; return 0;
  case KEY_THREADS: o->threads = parse_threads(argument, state); return 0;
  case KEY_JSON: o->json = true; return 0;
  case KEY_UNTIL:
    if (read_quantity(argument, "s", (Limits){0, 1e12, true}, &o->until) != SCREE_OK)
      refuse(state, "--until: %s", scree_last_error());
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Runs a scene. The log goes to standard output; the run's folder gets scene.yaml (as it was understood), log.txt, "
    "log.csv, the trajectory, walls.vtp, final.csv (the grains at the end), picture.png and summary.json. Interrupt it "
    "(Ctrl-C) and it ends in order: a last "
    "line of the log, the summary, exit status 1.\v"
    "Examples:\n"
    "  scree run box/scene.yaml\n"
    "  scree run box --until '50 ms' --set particles.0.count=500 -o small\n"
    "  scree run chute -o steep --set 'gravity=[4.5, 0, -8.7]' --threads 2";

/* ---- state ------------------------------------------------------------------------------------------------------ */

typedef struct Run {
  const RunOptions *options;
  ScreeScene *scene;
  ScreeWorld *world;
  RunFolder folder;
  RunFrames frames;
  Progress progress;
  long step, last;
  long times[8];    /* of each event: which one comes next */
  long logged;      /* step of the last line */
  double logged_at; /* wall clock then */
  double start;     /* wall clock */
  Sample sample;    /* of the last line */
  char *error;      /* the engine's sentence, when it stopped the run */
} Run;

static volatile sig_atomic_t stop_signal;

static void note_signal(int number) { stop_signal = number; }

/* A second signal ends the program at once. */
static void catch_signals(void) {
  struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static bool write_log(Run *run) {
  ScreeMeasure m;
  if (scree_world_measure(run->world, &m) != SCREE_OK) return false;
  double now = wall_clock(), seconds = now - run->logged_at;
  double done = (double)(run->step - run->logged) * (double)m.grains;
  run->sample = (Sample){.m = m, .speed = run->step > run->logged && seconds > 0 ? 1e-6 * done / seconds : 0};
  run->logged = run->step;
  run->logged_at = now;
  progress_clear(&run->progress);
  log_text_line(run->folder.text, &run->sample);
  log_csv_line(run->folder.csv, &run->sample);
  fflush(run->folder.text);
  fflush(run->folder.csv);
  if (!run->options->json) {
    log_text_line(stdout, &run->sample);
    fflush(stdout);
  }
  return !ferror(run->folder.text) && !ferror(run->folder.csv);
}

static double log_every(const Run *run) { return log_interval(run->scene); }

static bool write_frame(Run *run) {
  progress_clear(&run->progress);
  return frames_write(&run->frames, verb, run->world, run->step);
}

static double frame_every(const Run *run) { return run->frames.trajectory ? frame_interval(run->scene) : INFINITY; }

/* What happens on the way: the simulated time between two of them, and what is done; in this order where several fall
 * on one step. A false return ends the run. */
static const struct {
  double (*every)(const Run *run); /* s */
  bool (*act)(Run *run);
} events[] = {
    {log_every, write_log},
    {frame_every, write_frame},
};
#define EVENT_COUNT (sizeof events / sizeof *events)

/* The step of an event's n-th time, at n times its interval and not at multiples of a rounded one: lines fall on the
 * times that were asked for. */
static long due_step(const Run *run, size_t event) {
  double steps = (double)run->times[event] * events[event].every(run) / scree_world_timestep(run->world);
  return steps < 1e15 ? (long)round(steps) : (long)1e15;
}

static long next_event(const Run *run) {
  long next = run->last;
  for (size_t i = 0; i < EVENT_COUNT; i++) {
    long due = due_step(run, i);
    if (due <= run->step) due = run->step + 1; /* more often than every step */
    if (due < next) next = due;
  }
  return next;
}

static bool fire_events(Run *run) {
  bool going = true;
  for (size_t i = 0; i < EVENT_COUNT; i++) {
    if (due_step(run, i) > run->step) continue;
    going = events[i].act(run) && going;
    /* those that fall between two steps are one; at once, since an interval may be any part of a step */
    double gone = (double)run->step * scree_world_timestep(run->world) / events[i].every(run);
    if (gone > (double)run->times[i] + 2.0) run->times[i] = gone < 1e18 ? (int64_t)gone : (int64_t)1e18;
    for (int ahead = 0; ahead < 4 && due_step(run, i) <= run->step; ahead++) run->times[i]++;
  }
  return going;
}

/* ---- the loop --------------------------------------------------------------------------------------------------- */

#define SLICE 0.1 /* s between looks at the clock and the signals */

/* Steps until something is due: an event, or a look around. */
static long slice(const Run *run, long due, double seconds_per_step) {
  double steps = seconds_per_step > 0 ? SLICE / seconds_per_step : 1;
  long left = due - run->step;
  return steps < 1 ? 1 : steps < (double)left ? (long)steps : left;
}

static bool advance(Run *run, long steps) {
  if (scree_world_step(run->world, steps) != SCREE_OK) {
    ScreeMeasure m;
    run->error = name_materials(run->scene, scree_last_error());
    if (scree_world_measure(run->world, &m) == SCREE_OK) run->step = m.step; /* whole steps: the next one failed */
    return false;
  }
  run->step += steps;
  progress_update(&run->progress, run->step, run->last, (double)run->step * scree_world_timestep(run->world));
  return true;
}

/* The state in which the engine stopped, and why, are the log's last lines. */
static bool write_stop(Run *run) {
  bool logged = write_log(run);
  fprintf(run->folder.text, "# stopped: %s\n", run->error);
  return fflush(run->folder.text) == 0 && logged;
}

/* False when a file could not be written. */
static bool loop(Run *run) {
  double seconds_per_step = 0;
  bool going = fire_events(run);
  while (going && run->step < run->last && !stop_signal) {
    long due = next_event(run), steps = slice(run, due, seconds_per_step);
    double before = wall_clock();
    if (!advance(run, steps)) return write_stop(run);
    seconds_per_step = (wall_clock() - before) / (double)steps;
    if (run->step == due) going = fire_events(run);
  }
  if (going && run->logged != run->step) going = write_log(run);
  return going;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static json_t *energies(const ScreeMeasure *m) {
  json_t *object = json_object();
  json_put(object, "kinetic", m->kinetic);
  json_put(object, "potential", m->potential);
  json_put(object, "elastic", m->elastic);
  json_put(object, "dissipated", dissipated(m));
  json_put(object, "dissipated_viscous", m->dissipated_viscous);
  json_put(object, "dissipated_plastic", m->dissipated_plastic);
  json_put(object, "dissipated_clamp", m->dissipated_clamp);
  json_put(object, "dissipated_friction", m->dissipated_friction);
  json_put(object, "dissipated_rolling", m->dissipated_rolling);
  json_put(object, "work", m->work);
  json_put(object, "residual", m->residual);
  return object;
}

static double relative_residual(const ScreeMeasure *m) { return m->scale > 0 ? fabs(m->residual) / m->scale : 0; }

static int threads_of(const Run *run) {
  int given = run->options->threads;
  return given ? given : scree_scene_threads(default_threads(), scree_world_count(run->world));
}

static json_t *summarise(const Run *run) {
  const ScreeMeasure *m = &run->sample.m;
  double seconds = wall_clock() - run->start;
  char hash[20];
  char *reason = name_materials(run->scene, scree_world_timestep_reason(run->world));
  snprintf(hash, sizeof hash, "%016" PRIx64, scree_world_hash(run->world));
  json_t *object = json_object();
  json_object_set_new(object, "title", json_text(run->scene->title));
  json_object_set_new(object, "version", json_string(scree_version()));
  json_object_set_new(object, "steps", json_integer(run->step));
  json_put(object, "time", (double)run->step * scree_world_timestep(run->world));
  json_put(object, "timestep", scree_world_timestep(run->world));
  json_object_set_new(object, "timestep_reason", json_string(reason));
  json_object_set_new(object, "particles", json_integer((json_int_t)m->grains));
  json_object_set_new(object, "contacts", json_integer((json_int_t)m->contacts));
  json_object_set_new(object, "frames", json_integer(run->frames.count));
  json_put(object, "max_overlap", m->max_overlap);
  json_object_set_new(object, "energy", energies(m));
  json_put(object, "energy_residual_relative", relative_residual(m));
  json_object_set_new(object, "hash", json_string(hash));
  json_object_set_new(object, "threads", json_integer(threads_of(run)));
  json_put(object, "wall_seconds", seconds);
  json_put(object, "particle_steps_per_second", seconds > 0 ? (double)run->step * (double)m->grains / seconds : 0);
  json_put(object, "bytes_per_particle", (double)scree_world_bytes(run->world) / (double)m->grains);
  json_object_set_new(object, "interrupted", json_boolean(stop_signal != 0));
  json_object_set_new(object, "error", json_text(run->error));
  json_object_set_new(object, "folder", json_text(run->folder.path));
  free(reason);
  return object;
}

static void print_end(const Run *run, const json_t *summary) {
  const ScreeMeasure *m = &run->sample.m;
  printf("# %ld steps, %.3g s of motion in %.3g s: %.3g million particle-steps per second\n", run->step,
         json_real_value(json_object_get(summary, "time")), json_real_value(json_object_get(summary, "wall_seconds")),
         1e-6 * json_real_value(json_object_get(summary, "particle_steps_per_second")));
  printf("# energy residual %.2g of %.3g J\n", relative_residual(m), m->scale);
  printf("# hash %s\n", json_string_value(json_object_get(summary, "hash")));
  printf("# %s holds scene.yaml, log.txt, log.csv, final.csv, summary.json", run->folder.path);
  if (run->frames.trajectory)
    printf(", %s (%ld frames)", strrchr(scree_trajectory_path(run->frames.trajectory), '/') + 1, run->frames.count);
  puts(run->scene->run.output.picture ? ", picture.png" : "");
}

/* The end is a frame too; after an error the grains are wherever it left them: only a picture of that. */
static bool finish_frames(Run *run) {
  bool done = run->error || run->frames.last == run->step || write_frame(run);
  return frames_draw(&run->frames, verb, run->folder.path, run->scene, run->world, run->step) && done;
}

/* Files first, then what is said about them. */
static int finish(Run *run, bool logged) {
  progress_clear(&run->progress);
  bool seen = finish_frames(run);
  json_t *summary = summarise(run);
  bool written = write_grains(&run->folder, verb, run->scene, run->world);
  written = write_summary(&run->folder, verb, summary) && written && seen && logged;
  if (run->options->json)
    json_print(json_incref(summary));
  else
    print_end(run, summary);
  json_decref(summary);
  if (run->error) return failure(verb, "%s", run->error);
  if (stop_signal) return failure(verb, "interrupted at step %ld of %ld", run->step, run->last);
  return written ? EXIT_DONE : EXIT_FAILED;
}

static int execute(Run *run) {
  catch_signals();
  if (!run->options->json) log_text_heading(stdout);
  run->progress = progress_start();
  run->start = run->logged_at = wall_clock();
  bool logged = loop(run);
  return finish(run, logged);
}

/* Checks and builds everything before the first file is written. */
static int prepare(Run *run, const char *folder) {
  ScreeFault fault;
  int status = check_folder(verb, folder, run->options->scene.file, run->options->overwrite);
  if (status != EXIT_DONE) return status;
  ScreeStatus built = scree_scene_build(run->scene, run->options->threads, default_threads(), &run->world, &fault);
  if (built != SCREE_OK) return show_fault(verb, built, &fault);
  double steps = run_steps(run->scene, scree_world_timestep(run->world));
  if (!(steps <= 1e15)) return misuse(verb, "%.3g steps are too many: shorten run.duration", steps);
  run->last = (long)steps;
  return open_folder(&run->folder, verb, folder, run->scene, run->options->overwrite) &&
                 frames_open(&run->frames, verb, folder, run->scene, run->world)
             ? EXIT_DONE
             : EXIT_FAILED;
}

int verb_run(int argc, char **argv) {
  RunOptions o = {.until = NAN};
  const struct argp_child children[] = {{scene_argp(), 0, NULL, 0}, {0}};
  const struct argp argp = {own_options, parse, "SCENE", doc, children, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  Run run = {.options = &o, .folder = {.lock = -1}};
  int status = EXIT_MISUSE;
  if (open_scene(verb, &o.scene, &run.scene, &status)) {
    char *folder = o.folder ? checked_format("%s", o.folder) : default_folder(o.scene.file);
    if (!isnan(o.until)) run.scene->run.duration = o.until;
    status = prepare(&run, folder);
    if (status == EXIT_DONE) status = execute(&run);
    free(folder);
  }
  if (!frames_close(&run.frames, verb) && status == EXIT_DONE) status = EXIT_FAILED;
  if (!close_folder(&run.folder, verb) && status == EXIT_DONE) status = EXIT_FAILED;
  scree_world_destroy(run.world);
  scree_scene_free(run.scene);
  close_scene_options(&o.scene);
  free(run.error);
  return status;
}
