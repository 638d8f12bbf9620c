/* run.c: `scree run`: a scene from its first step to its last. The loop knows events only: what happens every so many
 * steps is a row of `events`. */
#include "run.h"

#include "case.h"
#include "io/digits.h"
#include "output.h"
#include "run_advice.h"
#include "run_begin.h"
#include "stop.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char verb[] = "run";

/* ---- options ---------------------------------------------------------------------------------------------------- */

enum { KEY_JSON = 256, KEY_THREADS, KEY_UNTIL, KEY_OVERWRITE, KEY_RESUME };

static const struct argp_option own_options[] = {
    {"output", 'o', "DIR", 0, "the run's folder (default: scene.run for scene.yaml)", 1},
    {"resume", KEY_RESUME, NULL, 0,
     "go on from the newest checkpoint, bit for bit: of a run that was stopped, killed, or ended and is to last longer",
     1},
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
  case KEY_RESUME: o->resume = true; return 0;
  case KEY_THREADS: o->threads = parse_threads(argument, state); return 0;
  case KEY_JSON: o->json = true; return 0;
  case KEY_UNTIL:
    if (read_quantity(argument, "s", (Limits){0, 1e12, true}, &o->until) != SCREE_OK)
      refuse(state, "--until: %s", scree_last_error());
    o->until_text = argument;
    return 0;
  case ARGP_KEY_END:
    if (o->resume && o->overwrite) refuse(state, "--resume and --overwrite exclude each other");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Runs a scene, given as a file, as a folder with a scene.yaml, or as - for standard input. The log goes to "
    "standard "
    "output; the run's folder gets scene.yaml (as it was understood) and copies of its files, log.txt, log.csv, "
    "walls.csv (the loads on them), "
    "the trajectory, walls.vtp, "
    "final.csv (the grains at the end), picture.png, summary.json and checkpoints. Interrupt it (Ctrl-C) and it ends "
    "in "
    "order: a checkpoint, a last line of the log, the summary, exit status 1. --resume goes on, given the scene or the "
    "run's folder.\v"
    "Examples:\n"
    "  scree run box/scene.yaml\n"
    "  scree run box --until '50 ms' --set particles.0.count=500 -o small\n"
    "  scree run --resume small --until '60 ms'\n"
    "  scree run chute -o steep --set 'gravity=[4.5, 0, -8.7]' --threads 2";

/* ---- energy from nowhere ---------------------------------------------------------------------------------------- */

#define RISING 3 /* lines */

static const ScreeGrain *fastest_of(const ScreeGrain *grain, size_t count, double *speed) {
  const ScreeGrain *fastest = grain;
  *speed = -1;
  for (size_t i = 0; i < count; i++) {
    const double *v = grain[i].velocity;
    double size = grain[i].fixed ? 0 : sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (size > *speed) *speed = size, fastest = &grain[i];
  }
  return fastest;
}

/* J: `created` is what no account explains, and what contacts gave that can only take, which is how steps that are too
 * long are booked; `all` is what there is and was lost. */
static void find_created(const ScreeMeasure *m, double *created, double *all) {
  const double lost[] = {m->dissipated_viscous, m->dissipated_plastic, m->dissipated_friction, m->dissipated_rolling};
  *created = -m->residual;
  *all = m->kinetic + m->elastic + m->dissipated_clamp;
  for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
    *created -= fmin(0, lost[i]);
    *all += fmax(0, lost[i]);
  }
}

static char *energy_sentence(const Run *run, const ScreeMeasure *m, double created, double all) {
  ScreeGrain *grains = checked_alloc(m->grains, sizeof *grains);
  double speed = 0;
  char *sentence = NULL;
  if (scree_world_read(run->world, grains) == SCREE_OK) {
    const ScreeGrain *g = fastest_of(grains, m->grains, &speed);
    sentence =
        checked_format("step %ld: %.4g J have come from nowhere, of %.4g J in all; the fastest is grain %llu at "
                       "(%.6g, %.6g, %.6g) m with %.4g m/s: the time step of %.4g s is too long for these contacts; "
                       "a smaller run.timestep or a larger expected_speed would pass",
                       m->step, created, all, (unsigned long long)g->id, g->position[0], g->position[1], g->position[2],
                       speed, m->timestep);
  }
  free(grains);
  return sentence;
}

/* The ledger closes to a few thousandths, and contacts take. A run of which more than half of all energy came from
 * nowhere, and which gets faster on line after line, is a numerical explosion and nothing else; rounding of a large
 * potential is none. */
static void watch_energy(Run *run, const ScreeMeasure *m) {
  double created, all;
  find_created(m, &created, &all);
  bool rises = m->kinetic > run->sample.m.kinetic && created > 0.5 * all && created > 1e-9 * fabs(m->potential);
  run->rising = rises ? run->rising + 1 : 0;
  if (run->rising >= RISING && !run->error) run->error = energy_sentence(run, m, created, all);
}

/* ---- standard output -------------------------------------------------------------------------------------------- */

/* A run is worth more than the reader of its log, which is in the folder too: where the reader has gone (`| head`, a
 * pager that was left) the run goes on without it. Other errors show at the end, in the exit status. */
static void flush_stdout(const Run *run) {
  errno = 0;
  if (fflush(stdout) == 0 || errno != EPIPE) return;
  fprintf(stderr, "scree %s: nobody reads standard output any more: the run goes on, and its log in %s/log.txt\n", verb,
          run->folder.path);
  if (!freopen("/dev/null", "w", stdout)) clearerr(stdout);
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static bool write_log(Run *run) {
  ScreeMeasure m;
  if (scree_world_measure(run->world, &m) != SCREE_OK) return false;
  double now = wall_clock(), seconds = now - run->logged_at;
  watch_energy(run, &m);
  run->sample = (Sample){.m = m, .speed = run->work > 0 && seconds > 0 ? 1e-6 * run->work / seconds : 0};
  run->work_done += run->work;
  run->work = 0;
  run->logged = run->step;
  run->logged_at = now;
  run->deepest = fmax(run->deepest, m.peak_overlap);
  scree_world_forget_peak(run->world); /* a line shows the deepest contact since the one before */
  progress_clear(&run->progress);
  log_text_line(run->folder.text, &run->sample);
  log_csv_line(run->folder.csv, &run->sample);
  if (!run->options->json) log_text_line(stdout, &run->sample);
  if (run->folder.flow) flow_line(run->folder.flow, &run->flow, run->scene, run->world, &m);
  flow_warn(run->folder.text, run->options->json ? NULL : stdout, &run->flow, run->scene, run->world);
  flush_stdout(run);
  bool flushed = flush_logs(&run->folder, verb);
  if (!run->error) run->error = residual_error(run, &m);
  return flushed && walls_log(&run->walls, verb, run->step);
}

static double log_every(const Run *run) { return run->log_every; }

static bool write_frame(Run *run) {
  progress_clear(&run->progress);
  long before = run->frames.count;
  return frames_write(&run->frames, verb, run->world, run->step) &&
         (run->frames.count == before || walls_frame(&run->walls, verb, before, run->step));
}

static double frame_every(const Run *run) { return run->frames.trajectory ? run->frame_every : INFINITY; }

static double save_every(const Run *run) {
  const ScreeSceneCheckpoint *c = &run->scene->run.checkpoint;
  return c->wall ? INFINITY : c->every;
}

/* What happens on the way: the simulated time between two of them, and what is done; in this order where several fall
 * on one step. A false return ends the run. */
static const struct {
  double (*every)(const Run *run); /* s */
  bool (*act)(Run *run);
} events[] = {
    {log_every, write_log},
    {frame_every, write_frame},
    {save_every, run_save}, /* last: what came before on the same step is in it */
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

/* On to the first time after this step. Those that fall between two steps are one; at once, since an interval may be
 * any part of a step. */
static void pass_event(Run *run, size_t i) {
  double gone = (double)run->step * scree_world_timestep(run->world) / events[i].every(run);
  if (gone > (double)run->times[i] + 2.0) run->times[i] = gone < 1e18 ? (int64_t)gone : (int64_t)1e18;
  for (int ahead = 0; ahead < 4 && due_step(run, i) <= run->step; ahead++) run->times[i]++;
}

static bool fire_events(Run *run) {
  bool going = true;
  for (size_t i = 0; i < EVENT_COUNT; i++) {
    if (due_step(run, i) > run->step) continue;
    going = going && events[i].act(run);
    pass_event(run, i);
  }
  return going;
}

/* ---- the loop --------------------------------------------------------------------------------------------------- */

/* Between looks at the clock and the signals: so long, or so many steps where those take longer, but not much longer. A
 * stretch of steps begins and ends with passes through memory of its own. */
#define SLICE 0.1 /* s */
#define SLICE_STEPS 32.0
#define SLICE_MOST 1.0 /* s */

/* Steps until something is due: an event, or a look around. */
static long slice(const Run *run, long due, double seconds_per_step) {
  const ScreeSceneCheckpoint *c = &run->scene->run.checkpoint;
  double least = c->wall ? fmin(SLICE, c->every) : SLICE, most = c->wall ? fmin(SLICE_MOST, c->every) : SLICE_MOST,
         steps = 1;
  if (seconds_per_step > 0) steps = fmax(least / seconds_per_step, fmin(SLICE_STEPS, most / seconds_per_step));
  long left = due - run->step;
  return steps < 1 ? 1 : steps < (double)left ? (long)steps : left;
}

/* False when the world is not fit to go on. The engine may stop it where it is. */
static bool advance(Run *run, long steps) {
  double before = (double)scree_world_count(run->world);
  long from = run->step;
  if (scree_world_step(run->world, steps) != SCREE_OK) run->error = name_materials(run->scene, scree_last_error());
  run->step = scree_world_steps(run->world); /* whole steps: the next one failed */
  run->work += 0.5 * (before + (double)scree_world_count(run->world)) * (double)(run->step - from);
  if (!run->error)
    progress_update(&run->progress, run->step, run->last, (double)run->step * scree_world_timestep(run->world));
  return scree_world_is_whole(run->world);
}

/* Before the first events of a run there is a checkpoint already: whatever is killed when, there is one. */
static bool begin_events(Run *run) {
  for (size_t i = 0; i < EVENT_COUNT && run->logged >= 0; i++) pass_event(run, i);
  return run->logged >= 0 || (run_save(run) && fire_events(run));
}

/* Until the end, a signal, an error, or a file that cannot be written: the last gives false. */
static bool step_on(Run *run) {
  double seconds_per_step = 0;
  bool going = begin_events(run);
  while (going && run->step < run->last && !stop_signal && !run->error) {
    long due = next_event(run), steps = slice(run, due, seconds_per_step);
    double before = wall_clock();
    if (!advance(run, steps)) return true;
    seconds_per_step = (wall_clock() - before) / (double)steps;
    if (run->step == due) going = fire_events(run);
    if (going && run_save_is_due(run)) going = run_save(run);
  }
  return going;
}

/* Keeps the sentence that was shown of a file, for the summary. The first one tells why the run ended. */
static bool note_written(Run *run, bool done) {
  if (!done && !run->unwritten) run->unwritten = checked_format("%s", last_failure());
  return done;
}

static bool is_finished(const Run *run) { return run->step >= run->last && !run->error; }

static const char *why_stopped(const Run *run) { return run->error ? run->error : run->unwritten; }

/* What an end adds to the log is not in the checkpoint: a run that goes on cuts it off again. */
static bool loop(Run *run) {
  bool going = step_on(run);
  if (going && scree_world_is_whole(run->world)) going = run_save(run);
  if (going && run->logged != run->step) going = write_log(run);
  note_written(run, going);
  if (!why_stopped(run)) return going;
  fprintf(run->folder.text, "# stopped: %s\n", why_stopped(run));
  return note_written(run, flush_logs(&run->folder, verb)) && going;
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
  json_put(object, "dissipated_walls", m->dissipated_walls);
  json_put(object, "kinetic_walls", m->kinetic_walls);
  json_put(object, "work", m->work);
  json_put(object, "brought_in", m->brought_in);
  json_put(object, "taken_out", m->taken_out);
  json_put(object, "scheme", m->scheme);
  json_put(object, "residual", m->residual);
  return object;
}

static json_t *summarise(const Run *run) {
  const ScreeMeasure *m = &run->sample.m;
  double own = wall_clock() - run->start, seconds = run->seconds + own;
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
  json_put(object, "max_overlap", run->deepest);
  json_object_set_new(object, "energy", energies(m));
  json_put(object, "energy_residual_relative", relative_residual(m));
  char *loose = residual_warning(&run->folder, m);
  json_object_set_new(object, "energy_warning", json_text(loose));
  free(loose);
  json_object_set_new(object, "walls", walls_summary(&run->walls));
  json_object_set_new(object, "hash", json_string(hash));
  json_object_set_new(object, "threads", json_integer(scree_world_threads(run->world)));
  json_put(object, "wall_seconds", seconds);
  json_put(object, "particle_steps_per_second", own > 0 ? (run->work_done + run->work) / own : 0);
  json_put(object, "bytes_per_particle", m->grains ? (double)scree_world_bytes(run->world) / (double)m->grains : NAN);
  flow_json(object, run->folder.path, run->scene, run->world, m, is_finished(run));
  json_object_set_new(object, "interrupted", json_boolean(stop_signal != 0 && run->step < run->last));
  json_object_set_new(object, "error", json_text(why_stopped(run)));
  json_object_set_new(object, "resumed", run->resumed >= 0 ? json_integer(run->resumed) : json_null());
  json_object_set_new(object, "checkpoint", run->saved >= 0 ? json_integer(run->saved) : json_null());
  json_object_set_new(object, "folder", json_text(run->folder.path));
  free(reason);
  return object;
}

/* The speed is that of this process, which may have gone on from another's end. */
static void print_speed(const Run *run, const json_t *summary) {
  int threads = scree_world_threads(run->world);
  printf("# %ld steps, %s of motion in %s", run->step,
         scree_quantity(json_real_value(json_object_get(summary, "time")), "s", 3).text,
         scree_quantity(json_real_value(json_object_get(summary, "wall_seconds")), "s", 3).text);
  if (run->resumed < 0)
    printf(": ");
  else if (run->step > run->resumed)
    printf("; from step %ld on ", run->resumed);
  if (run->step > run->resumed)
    printf("%.3g million particle-steps per second on %d thread%s",
           1e-6 * json_real_value(json_object_get(summary, "particle_steps_per_second")), threads,
           threads > 1 ? "s" : "");
  putchar('\n');
}

static void print_end(const Run *run, const json_t *summary) {
  const ScreeMeasure *m = &run->sample.m;
  print_speed(run, summary);
  printf("# energy residual %.2g of %.3g J\n", relative_residual(m), m->scale);
  printf("# hash %s\n", json_string_value(json_object_get(summary, "hash")));
  flow_print_end(run->folder.path, run->scene, run->world, is_finished(run));
  print_folder(&run->folder, run->frames.trajectory ? run->frames.count : 0);
}

/* The end is a frame too; after an error the grains are wherever it left them: only a picture of that. */
static bool finish_frames(Run *run) {
  bool done = note_written(run, run->error || run->frames.last == run->step || write_frame(run));
  return note_written(run, frames_draw(&run->frames, verb, run->folder.path, run->scene, run->world, run->step)) &&
         done;
}

/* How an error, an interruption or a full disk is not the end. */
static void tell_how(const Run *run) {
  const char *folder = run->folder.path;
  if (run->saved < 0 && run_saves(run) && run->unwritten && !has_progress(folder))
    failure(verb, "scree run --resume %s begins the run again, once there is room or the right to write", folder);
  if (run->saved < 0) return;
  bool deep = run->error && run->saved == run->step && strstr(run->error, " overlaps ");
  if (deep && run->scene->max_overlap >= 0.5)
    failure(verb, "the state of this step is kept in %s, but no limit is larger: the material has to be stiffer",
            folder);
  else if (deep)
    failure(verb, "the state of this step is kept: scree run --resume %s --set max_overlap=%.3g goes on", folder,
            fmin(0.5, 2 * run->scene->max_overlap));
  else if (run->error)
    failure(verb, "the newest checkpoint in %s is of step %ld, %s", run->folder.checkpoints, run->saved,
            "from which scree run --resume comes here again");
  else
    failure(verb, "scree run --resume %s goes on from step %ld%s", folder, run->saved,
            run->unwritten ? ", once there is room or the right to write" : "");
}

/* Of a run of which nothing was left to do, what it said when it ended stands. */
static json_t *final_summary(const Run *run) {
  static const char *const same[] = {"steps", "hash", "error", "interrupted"};
  json_t *summary = summarise(run);
  bool stands = run->earlier != NULL;
  for (size_t i = 0; i < sizeof same / sizeof *same && stands; i++)
    stands = json_equal(json_object_get(run->earlier, same[i]), json_object_get(summary, same[i]));
  if (!stands) return summary;
  json_decref(summary);
  return json_incref(run->earlier);
}

/* Files first, then what is said about them: the summary is the last, since it tells which failed. */
static int finish(Run *run, bool logged) {
  progress_clear(&run->progress);
  if (run->sample.m.step != run->step) scree_world_measure(run->world, &run->sample.m); /* nothing was left to do */
  bool seen = finish_frames(run);
  bool written = note_written(run, write_grains(&run->folder, verb, run->scene, run->world));
  json_t *summary = final_summary(run);
  const char *loose = json_string_value(json_object_get(summary, "energy_warning"));
  if (loose && !run->error) fprintf(stderr, "scree %s: warning: %s\n", verb, loose);
  written = write_summary(&run->folder, verb, summary) && written && seen && logged;
  if (run->options->json)
    json_print(json_incref(summary));
  else
    print_end(run, summary), flush_stdout(run);
  json_decref(summary);
  flow_warn_end(verb, run->scene, run->world);
  if (run->error)
    failure(verb, "%s", run->error);
  else if (stop_signal && run->step < run->last)
    failure(verb, "interrupted at step %ld of %ld", run->step, run->last);
  else if (written)
    return EXIT_DONE;
  tell_how(run);
  return EXIT_FAILED;
}

static int execute(Run *run) {
  catch_signals();
  ignore_closed_pipes();
  warn_threads(verb, run->options->threads);
  run->progress = progress_start(verb);
  run->progress.last_step = run->step;
  run->start = run->logged_at = run->saved_at = wall_clock();
  if (!run->options->json && run->resumed >= 0)
    printf("# goes on from step %ld, %s\n", run->step,
           scree_quantity((double)run->step * scree_world_timestep(run->world), "s", 6).text);
  if (!run->options->json) log_text_heading(stdout);
  if (!run->flow.mass) flow_start(&run->flow, run->scene, run->world, 0);
  bool logged = loop(run);
  return finish(run, logged);
}

/* Checks and builds everything before the first file is written. */
static int begin(Run *run, const char *folder, bool overwrite) {
  ScreeFault fault;
  int status = check_folder(verb, folder, run->options->scene.file, overwrite);
  if (status != EXIT_DONE) return status;
  show_hints(verb, run->scene);
  ScreeStatus built = scree_scene_build(run->scene, run->options->threads, default_threads(), &run->world, &fault);
  if (built != SCREE_OK) return show_fault(verb, built, &fault);
  warn_leaks(verb, run->scene, run->world, (ScreeLeak[SCREE_SCENE_LEAKS]){{.rim = 0}});
  double steps = run_steps(run->scene, scree_world_timestep(run->world));
  if (!(steps <= 1e15)) return misuse(verb, "%.3g steps are too many: shorten run.duration", steps);
  run->last = (long)steps;
  warn_of_rounding(verb, run->scene, run->world);
  warn_of_days(verb, run->scene, run->world);
  run->log_every = log_interval(run->scene);
  run->frame_every = frame_interval(run->scene, scree_world_timestep(run->world));
  return open_folder(&run->folder, verb, folder, run->scene, overwrite) &&
                 frames_open(&run->frames, verb, folder, run->scene, run->world) &&
                 walls_open(&run->walls, verb, folder, run->scene, run->world, NULL)
             ? EXIT_DONE
             : EXIT_FAILED;
}

static int prepare(Run *run, const char *folder) {
  if (!run->options->resume) return begin(run, folder, run->options->overwrite);
  bool anew = false;
  int status = run_resume(run, verb, folder, &anew);
  if (status != EXIT_DONE || !anew) return status;
  fprintf(stderr, "scree %s: %s holds nothing to go on from: the run begins\n", verb, folder);
  return begin(run, folder, true);
}

/* The folder of the run's files. A run that goes on may be named by its folder, or by the scene that it keeps there.
 * One that begins anew, by its folder; that scene by itself is a scene like others. NULL after the error was shown. */
static char *choose_folder(const RunOptions *o) {
  struct stat info;
  if (o->folder) return checked_format("%s", o->folder);
  bool named = o->scene.path && stat(o->scene.path, &info) == 0 && S_ISDIR(info.st_mode);
  char *run = o->resume || named ? run_of_scene(o->scene.file) : NULL;
  if (run && (o->resume || o->overwrite)) return run;
  if (run) return refuse_rerun(verb, run, o->scene.path, o->until_text), free(run), NULL;
  if (stat(o->scene.file, &info) == 0 && S_ISREG(info.st_mode)) return default_folder(o->scene.file);
  misuse(verb, "the scene is no file that a run could be named after: name the run's folder with -o");
  return NULL;
}

/* Completes the folders that a killed process left half made, before anything is read from them. */
static bool mend_folders(const RunOptions *o) {
  if (o->folder && !mend_folder(verb, o->folder)) return false;
  if (!o->scene.path) return true;
  const char *slash = strrchr(o->scene.path, '/');
  char *parent = slash ? checked_format("%.*s", (int)(slash - o->scene.path), o->scene.path) : checked_format(".");
  bool done = mend_folder(verb, o->scene.path) && mend_folder(verb, parent);
  free(parent);
  return done;
}

int verb_run(int argc, char **argv) {
  RunOptions o = {.until = NAN};
  const struct argp_child children[] = {{scene_argp(), 0, NULL, 0}, {0}};
  const struct argp argp = {own_options, parse, "SCENE", doc, children, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  Run run = {.options = &o, .folder = {.lock = -1}, .logged = -1, .saved = -1, .resumed = -1};
  int status = EXIT_FAILED;
  if (mend_folders(&o) && open_scene(verb, &o.scene, &run.scene, &status)) {
    char *folder = choose_folder(&o);
    if (!isnan(o.until)) run.scene->run.duration = o.until;
    status = folder ? prepare(&run, folder) : EXIT_MISUSE;
    if (status == EXIT_DONE) status = execute(&run);
    free(folder);
  }
  if (!frames_close(&run.frames, verb) && status == EXIT_DONE) status = EXIT_FAILED;
  if (!walls_close(&run.walls, verb) && status == EXIT_DONE) status = EXIT_FAILED;
  if (!close_folder(&run.folder, verb) && status == EXIT_DONE) status = EXIT_FAILED;
  flow_end(&run.flow);
  scree_world_destroy(run.world);
  scree_scene_free(run.scene);
  close_scene_options(&o.scene);
  free(run.error), free(run.unwritten);
  json_decref(run.earlier);
  return status;
}
