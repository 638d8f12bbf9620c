/* scene_file.c: see scene_file.h. */
#include "scene_file.h"

#include "output.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { KEY_SET = 600 };

static const struct argp_option options[] = {
    {"set", KEY_SET, "PATH=VALUE", 0,
     "change the scene: run.duration=2s, materials.glass.young=1e7, particles.0.count=100", 2},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
  SceneOptions *o = state->input;
  switch (key) {
  case KEY_SET:
    o->settings = checked_realloc(o->settings, (o->count + 1) * sizeof *o->settings);
    o->settings[o->count++] = argument;
    return 0;
  case ARGP_KEY_ARG: return take_only_argument(state, argument, &o->path);
  default: return ARGP_ERR_UNKNOWN;
  }
}

const struct argp *scene_argp(void) {
  static const struct argp argp = {options, parse, NULL, NULL, NULL, NULL, NULL};
  return &argp;
}

/* All of standard input; NULL after the error was shown. */
static char *read_input(const char *verb, size_t *length) {
  char *text = NULL;
  size_t room = 0;
  *length = 0;
  for (size_t got = 1; got > 0; *length += got) {
    if (*length + 1 >= room) {
      room = room ? 2 * room : 65536;
      text = checked_realloc(text, room);
    }
    got = fread(text + *length, 1, room - 1 - *length, stdin);
  }
  if (!ferror(stdin)) return text[*length] = '\0', text;
  failure(verb, "cannot read standard input: %s", strerror(errno));
  free(text);
  return NULL;
}

static bool read_from_input(const char *verb, SceneOptions *o, ScreeScene **scene, int *status) {
  ScreeFault fault;
  size_t length;
  char *text = read_input(verb, &length);
  o->file = checked_format("-");
  *status = EXIT_FAILED;
  if (!text) return false;
  ScreeStatus result = scree_scene_read_text("standard input", text, length, o->settings, o->count, scene, &fault);
  if (result == SCREE_OK) result = scree_scene_load(*scene, NULL, &fault);
  if (result != SCREE_OK) *status = show_fault(verb, result, &fault);
  free(text);
  return result == SCREE_OK;
}

bool open_scene(const char *verb, SceneOptions *o, ScreeScene **scene, int *status) {
  struct stat info;
  if (!o->path) {
    *status = misuse(verb, "no scene was named: give a file, or a folder that holds a scene.yaml");
    return false;
  }
  if (strcmp(o->path, "-") == 0) return read_from_input(verb, o, scene, status);
  bool folder = stat(o->path, &info) == 0 && S_ISDIR(info.st_mode);
  const char *slash = o->path[strlen(o->path) - 1] == '/' ? "" : "/";
  o->file = folder ? checked_format("%s%sscene.yaml", o->path, slash) : checked_format("%s", o->path);
  ScreeFault fault;
  ScreeStatus result = scree_scene_read(o->file, o->settings, o->count, scene, &fault);
  if (result != SCREE_OK) *status = show_fault(verb, result, &fault);
  return result == SCREE_OK;
}

void close_scene_options(SceneOptions *o) {
  free(o->settings);
  free(o->file);
}

/* One printable line: control characters, which a file's name may hold, show as '?'. */
static void clean(char *text) {
  for (unsigned char *c = (unsigned char *)text; *c; c++)
    if (*c < 0x20 || *c == 0x7f) *c = '?';
}

int show_fault(const char *verb, ScreeStatus status, const ScreeFault *given) {
  ScreeFault copy = *given, *f = &copy;
  clean(f->where), clean(f->sentence), clean(f->excerpt);
  bool ours = status == SCREE_NO_MEMORY || status == SCREE_NO_CONVERGENCE;
  if (!*f->where) return (ours ? failure : misuse)(verb, "%s", f->sentence);
  bool option = strncmp(f->where, "--", 2) == 0;
  char number[16] = "";
  if (option)
    fprintf(stderr, "scree %s: %s: %s\n", verb, f->where, f->sentence);
  else
    fprintf(stderr, "%s: %s\n", f->where, f->sentence);
  if (!option) snprintf(number, sizeof number, "%d", f->line);
  fprintf(stderr, "%5s | %s\n%5s | %*s^", number, f->excerpt, "", f->caret, "");
  for (int i = 1; i < f->underline; i++) fputc('~', stderr);
  fputc('\n', stderr);
  return ours ? EXIT_FAILED : EXIT_MISUSE;
}

static void show_warning(const char *verb, const ScreeFault *given) {
  ScreeFault f = *given;
  bool option = strncmp(f.where, "--", 2) == 0;
  clean(f.where), clean(f.sentence);
  if (option) fprintf(stderr, "scree %s: ", verb);
  fprintf(stderr, "%s: warning: %s\n", f.where, f.sentence);
}

void show_hints(const char *verb, const ScreeScene *scene) {
  ScreeFault hints[SCREE_SCENE_HINTS + SCREE_SCENE_DOUBTS];
  size_t count = scree_scene_hints(scene, hints);
  count += scree_scene_doubts(scene, hints + count);
  for (size_t i = 0; i < count; i++) show_warning(verb, &hints[i]);
}

size_t warn_leaks(const char *verb, const ScreeScene *scene, const ScreeWorld *world,
                  ScreeLeak leaks[SCREE_SCENE_LEAKS]) {
  size_t count = 0;
  if (scree_scene_leaks(scene, world, leaks, &count) != SCREE_OK)
    fprintf(stderr, "scree %s: warning: %s\n", verb, scree_last_error());
  for (size_t i = 0; i < count; i++) show_warning(verb, &leaks[i].fault);
  return count;
}

void warn_threads(const char *verb, int threads) {
  int processors = default_threads();
  if (threads > processors)
    fprintf(stderr, "scree %s: warning: %d threads on %d processor%s wait for each other: --threads %d is faster\n",
            verb, threads, processors, processors == 1 ? "" : "s", processors);
}

char *name_materials(const ScreeScene *scene, const char *sentence) {
  char named[512];
  scree_scene_name_materials(scene, sentence, named, sizeof named);
  return checked_format("%s", named);
}

double run_steps(const ScreeScene *scene, double timestep) { return fmax(1, round(scene->run.duration / timestep)); }

double log_interval(const ScreeScene *scene) {
  return isnan(scene->run.log.every) ? scene->run.duration / 50 : scene->run.log.every;
}

int default_threads(void) {
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count < 1 ? 1 : count > 1024 ? 1024 : count;
}
