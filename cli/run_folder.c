/* run_folder.c: see run_folder.h. */
#include "cli.h"

#include "io/checkpoint.h"
#include "io/digits.h"
#include "io/trajectory.h"
#include "output.h"
#include "run_begin.h"
#include "run_flow.h"
#include "run_folder.h"
#include "scene_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files that a run leaves beside its trajectory, in the order in which it lists them. */
static const char *const files[] = {"scene.yaml", "mesh_[0-9]*_*", "grains_[0-9]*_*", "log.txt",
                                    "log.csv",    "walls.csv",     "wall_poses.csv",  "flow.csv",
                                    "final.csv",  "summary.json",  "picture.png"};
#define FILE_COUNT (sizeof files / sizeof *files)

static const char checkpoints[] = "checkpoint"; /* a folder */

static bool is_ours(const char *name) {
  for (size_t i = 0; i < FILE_COUNT; i++)
    if (fnmatch(files[i], name, 0) == 0) return true;
  for (int i = 0; scree_format_pattern(i); i++)
    if (fnmatch(scree_format_pattern(i), name, 0) == 0) return true;
  return false;
}

/* One of ours that was written aside when its process was killed: six letters after the name. */
static bool is_torn(const char *name) {
  char stem[256];
  size_t length = strlen(name);
  if (length < 8 || length >= sizeof stem || name[length - 7] != '.') return false;
  memcpy(stem, name, length - 7);
  stem[length - 7] = '\0';
  return is_ours(stem);
}

char *default_folder(const char *scene_file) {
  const char *slash = strrchr(scene_file, '/'), *dot = strrchr(scene_file, '.');
  size_t stem = dot && dot > (slash ? slash + 1 : scene_file) ? (size_t)(dot - scene_file) : strlen(scene_file);
  return checked_format("%.*s.run", (int)stem, scene_file);
}

/* False with errno where the folder cannot be read, with errno 0 where something is in it. */
bool is_free_folder(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) return false;
  bool empty = true;
  errno = 0;
  for (struct dirent *entry; (entry = readdir(folder));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
        fnmatch(DRAFT_NAME ".??????", entry->d_name, 0) != 0) /* left by a process that was killed when it began */
      empty = false;
  closedir(folder);
  return empty;
}

static bool holds_scene(const char *path, const char *scene_file) {
  struct stat scene, copy;
  char *inside = checked_format("%s/scene.yaml", path);
  bool same = stat(scene_file, &scene) == 0 && stat(inside, &copy) == 0 && scene.st_dev == copy.st_dev &&
              scene.st_ino == copy.st_ino;
  free(inside);
  return same;
}

bool is_run(const char *path) {
  char *log = checked_format("%s/log.csv", path);
  bool found = access(log, F_OK) == 0;
  free(log);
  return found;
}

/* Did a run write the folder's scene? It can be written again from itself. */
static bool keeps_scene(const char *path) {
  char start[sizeof SCREE_SCENE_RESOLVED] = "", *name = checked_format("%s/scene.yaml", path);
  FILE *stream = is_run(path) ? fopen(name, "r") : NULL;
  bool kept = stream && fread(start, 1, sizeof start - 1, stream) == sizeof start - 1 &&
              strcmp(start, SCREE_SCENE_RESOLVED) == 0;
  if (stream) fclose(stream);
  free(name);
  return kept;
}

char *run_of_scene(const char *scene_file) {
  const char *slash = strrchr(scene_file, '/');
  int length = slash && slash > scene_file ? (int)(slash - scene_file) : 1; /* one: the root */
  char *folder = slash ? checked_format("%.*s", length, scene_file) : checked_format(".");
  if (strcmp(slash ? slash + 1 : scene_file, "scene.yaml") == 0 && is_run(folder)) return folder;
  free(folder);
  return NULL;
}

static bool cannot(const char *verb, const char *what, const char *path) {
  failure(verb, "cannot %s %s: %s", what, path, strerror(errno));
  return false;
}

void forget_folder(RunFolder *f) {
  free(f->path);
  free(f->checkpoints);
  f->path = f->checkpoints = NULL;
}

static bool lock_folder(RunFolder *f, const char *verb) {
  f->lock = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (f->lock < 0) return cannot(verb, "open the folder", f->path);
  if (flock(f->lock, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK) return true; /* a file system without locks */
  failure(verb, "another run is writing to %s: name another folder with -o, or wait until it has ended", f->path);
  return false;
}

/* Does no process write to it now? */
static bool is_free(const char *path, const char *verb) {
  RunFolder probe = {.path = (char *)path, .lock = -1};
  bool available = lock_folder(&probe, verb);
  if (probe.lock >= 0) close(probe.lock);
  return available;
}

#define TAIL 4096 /* bytes; a line of the log has some 500 */

/* The step and the time step [s] of the log's last line; false where there is none. The file's last one may be torn. */
static bool read_last_line(const char *path, long *step, double *timestep) {
  char tail[TAIL + 1];
  char *name = checked_format("%s/log.csv", path);
  FILE *stream = fopen(name, "r");
  free(name);
  if (!stream) return false;
  if (fseeko(stream, -TAIL, SEEK_END) != 0) rewind(stream); /* a short one from its beginning */
  tail[fread(tail, 1, TAIL, stream)] = '\0';
  fclose(stream);
  char *end = strrchr(tail, '\n');
  if (!end) return false;
  *end = '\0';
  const char *line = strrchr(tail, '\n');
  return sscanf(line ? line + 1 : tail, "%ld,%*f,%lf", step, timestep) == 2;
}

/* The steps that the folder's scene asks for; -1: unknown. */
static long steps_asked(const char *path, double timestep) {
  ScreeScene *scene = NULL;
  ScreeFault fault;
  char *name = checked_format("%s/scene.yaml", path);
  double steps = scree_scene_read(name, NULL, 0, &scene, &fault) == SCREE_OK ? run_steps(scene, timestep) : -1;
  scree_scene_free(scene);
  free(name);
  return steps >= 0 && steps <= 1e15 ? (long)steps : -1;
}

static bool has_checkpoints(const char *path) {
  size_t count = 0;
  char *folder = checked_format("%s/%s", path, checkpoints);
  long *steps;
  bool unknown = scree_checkpoint_list(folder, &steps, &count) != SCREE_OK;
  free(steps);
  free(folder);
  return count > 0 || unknown;
}

/* How far the run is that the folder holds, in words; true: at its end. */
static bool tell_state(const char *path, char *state, size_t size) {
  long step = 0, last = -1;
  double timestep = 0;
  *state = '\0';
  if (read_last_line(path, &step, &timestep)) last = steps_asked(path, timestep);
  if (last >= 0 && step >= last)
    snprintf(state, size, " that has ended, at step %ld", step);
  else if (last >= 0)
    snprintf(state, size, " that was left at step %ld of %ld", step, last);
  return last >= 0 && step >= last;
}

/* Says what may be done. */
static int refuse_run(const char *verb, const char *path) {
  char state[120];
  bool ended = tell_state(path, state, sizeof state);
  const char *resume = !has_checkpoints(path) ? ""
                       : ended                ? "--resume with a later --until goes on with it, "
                                              : "--resume goes on with it, ";
  return misuse(verb, "the folder %s holds a run%s: %s--overwrite replaces it, -o names another folder", path, state,
                resume);
}

int refuse_rerun(const char *verb, const char *path, const char *scene, const char *until) {
  char state[120];
  char *end = until ? checked_format(" --until '%s'", until) : checked_format("%s", "");
  bool ended = tell_state(path, state, sizeof state);
  int status = misuse(verb,
                      "%s is the scene of the run in %s%s: scree run --resume %s%s goes on with the run, scree run %s "
                      "-o NEW%s computes all of it again in another folder",
                      scene, path, state, path, ended && !until ? " --until LATER" : end, scene, end);
  free(end);
  return status;
}

int check_folder(const char *verb, const char *path, const char *scene_file, bool overwrite) {
  struct stat info;
  if (stat(path, &info) != 0) return EXIT_DONE;
  if (!S_ISDIR(info.st_mode)) return misuse(verb, "%s is no folder: name another with -o", path);
  bool again = overwrite && keeps_scene(path); /* of the run itself, which begins anew */
  if (holds_scene(path, scene_file) && !again)
    return misuse(verb, "%s holds the scene itself, which the run would replace: name another folder with -o", path);
  if (is_free_folder(path)) return EXIT_DONE;
  if (errno) return failure(verb, "cannot read the folder %s: %s", path, strerror(errno));
  if (!is_run(path)) return misuse(verb, "the folder %s holds other files and no run: name another with -o", path);
  if (overwrite) return EXIT_DONE; /* its lock may be ours already; open_folder sees to it */
  return is_free(path, verb) ? refuse_run(verb, path) : EXIT_FAILED;
}

int claim_folder(RunFolder *f, const char *verb, const char *path) {
  struct stat info;
  *f = (RunFolder){
      .path = checked_format("%s", path), .checkpoints = checked_format("%s/%s", path, checkpoints), .lock = -1};
  if (stat(path, &info) != 0) return EXIT_DONE;
  if (!S_ISDIR(info.st_mode)) return misuse(verb, "%s is no folder: name another with -o", path);
  return lock_folder(f, verb) ? EXIT_DONE : EXIT_FAILED;
}

/* A run that came no further than its first checkpoint has no line, even where it ended in order and has a summary. */
bool has_progress(const char *path) {
  char *log = checked_format("%s/log.csv", path);
  FILE *stream = fopen(log, "r");
  bool unknown = !stream && errno != ENOENT;
  int lines = 0;
  for (int c; stream && lines < 2 && (c = getc(stream)) != EOF;) lines += c == '\n';
  if (stream) fclose(stream);
  free(log);
  return unknown || lines >= 2;
}

FILE *open_log(const RunFolder *f, const char *verb, const char *name, const char *mode) {
  char *path = checked_format("%s/%s", f->path, name);
  FILE *stream = fopen(path, mode);
  if (!stream) cannot(verb, "write", path);
  free(path);
  return stream;
}

bool clear_folder(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) return false;
  for (struct dirent *entry; (entry = readdir(folder));)
    if (is_ours(entry->d_name) || is_torn(entry->d_name)) unlinkat(dirfd(folder), entry->d_name, 0);
  closedir(folder);
  return true;
}

/* ---- going on ---- */

static FILE *cut_log(const RunFolder *f, const char *verb, const char *name, int64_t length) {
  struct stat info;
  FILE *stream = open_log(f, verb, name, "r+");
  if (!stream) return NULL;
  if (fstat(fileno(stream), &info) == 0 && info.st_size < length) {
    failure(verb, "%s/%s is shorter than it was at the checkpoint: it cannot be continued", f->path, name);
  } else if (ftruncate(fileno(stream), (off_t)length) == 0 && fseeko(stream, 0, SEEK_END) == 0) {
    return stream;
  } else {
    cannot(verb, "write the log in", f->path);
  }
  fclose(stream);
  return NULL;
}

bool resume_logs(RunFolder *f, const char *verb, LogLengths lengths) {
  f->text = cut_log(f, verb, "log.txt", lengths.text);
  f->csv = f->text ? cut_log(f, verb, "log.csv", lengths.csv) : NULL;
  if (f->csv && lengths.flow >= 0) f->flow = cut_log(f, verb, "flow.csv", lengths.flow);
  return f->csv && (f->flow || lengths.flow < 0);
}

/* Once is enough: a stream that has failed fails again at the next line and when it is closed. */
static bool cannot_log(RunFolder *f, const char *verb) {
  if (!f->told) cannot(verb, "write the log in", f->path);
  f->told = true;
  return false;
}

bool flush_logs(RunFolder *f, const char *verb) {
  FILE *const logs[] = {f->text, f->csv, f->flow};
  for (int i = 0; i < 3; i++)
    if (logs[i] && (fflush(logs[i]) != 0 || ferror(logs[i]))) return cannot_log(f, verb);
  return true;
}

static bool sync_log(FILE *stream, int64_t *length) {
  *length = fflush(stream) == 0 && fsync(fileno(stream)) == 0 ? (int64_t)ftello(stream) : -1;
  return *length >= 0;
}

bool sync_logs(RunFolder *f, const char *verb, LogLengths *lengths) {
  lengths->flow = -1;
  return (sync_log(f->text, &lengths->text) && sync_log(f->csv, &lengths->csv) &&
          (!f->flow || sync_log(f->flow, &lengths->flow))) ||
         cannot_log(f, verb);
}

bool refresh_folder(const RunFolder *f, const char *verb, const ScreeScene *scene) {
  static const char *const ends[] = {"summary.json", "final.csv", "picture.png"};
  DIR *folder = opendir(f->path);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    bool old = is_torn(entry->d_name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) old = old || strcmp(entry->d_name, ends[i]) == 0;
    if (old) unlinkat(dirfd(folder), entry->d_name, 0);
  }
  if (folder) closedir(folder);
  return write_scene(f, verb, scene);
}

/* ---- what is there ---- */

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The names in a folder that a pattern takes, in order; to be freed, and the array. */
static char **find_names(const char *path, const char *pattern, size_t *count) {
  char **names = NULL;
  DIR *folder = opendir(path);
  *count = 0;
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    if (fnmatch(pattern, entry->d_name, 0) != 0) continue;
    names = realloc(names, (*count + 1) * sizeof *names);
    if (!names) exit(failure(NULL, "out of memory"));
    names[(*count)++] = checked_format("%s", entry->d_name);
  }
  if (folder) closedir(folder);
  if (names) qsort(names, *count, sizeof *names, by_name);
  return names;
}

/* Names a series by its pattern, other files one by one; `frames` above 0: the file has so many. */
static void print_names(const char *path, const char *pattern, bool series, long frames) {
  size_t count;
  char **names = find_names(path, pattern, &count);
  if (series && count > 1) printf(", %s (%zu files)", pattern, count);
  for (size_t i = 0; i < count; i++) {
    if (!series || count == 1) printf("%s%s", strcmp(names[i], files[0]) == 0 ? " " : ", ", names[i]);
    free(names[i]);
  }
  if (frames > 0 && count == 1) printf(" (%ld frame%s)", frames, frames == 1 ? "" : "s");
  free(names);
}

void print_folder(const RunFolder *f, long frames) {
  size_t last = FILE_COUNT - 1; /* the picture */
  printf("# %s holds", f->path);
  for (size_t i = 0; i < last; i++) print_names(f->path, files[i], false, 0);
  for (int i = 0; scree_format_pattern(i); i++) {
    const char *pattern = scree_format_pattern(i);
    bool listed = strncmp(pattern, "trajectory.", 11) == 0;
    print_names(f->path, pattern, strchr(pattern, '*') != NULL, listed ? frames : 0);
  }
  print_names(f->path, files[last], false, 0);
  size_t kept = 0;
  long *steps = NULL;
  if (scree_checkpoint_list(f->checkpoints, &steps, &kept) != SCREE_OK) kept = 0;
  free(steps);
  if (kept > 0) printf(", %s/ (%zu checkpoint%s)", checkpoints, kept, kept == 1 ? "" : "s");
  putchar('\n');
}

/* ---- the end ---- */

json_t *read_summary(const RunFolder *f) {
  char *path = checked_format("%s/summary.json", f->path);
  json_t *summary = json_load_file(path, 0, NULL);
  free(path);
  return summary;
}

bool write_summary(const RunFolder *f, const char *verb, json_t *summary) {
  char *path = checked_format("%s/summary.json", f->path);
  OutputFile file;
  bool done = output_open(&file, verb, path);
  if (done) {
    json_write(file.stream, summary);
    done = output_commit(&file, verb);
  }
  free(path);
  return done;
}

static void print_grain(FILE *stream, const ScreeScene *scene, const ScreeGrain *g) {
  fprintf(stream, "%llu", (unsigned long long)g->id);
  const double *const vectors[] = {g->position, g->velocity, g->spin};
  for (int i = 0; i < 3; i++) {
    fputc(',', stream);
    scree_put_numbers(stream, vectors[i], 3);
  }
  fprintf(stream, ",%s,%s\n", scree_digits(g->radius).text,
          scree_scene_material(scene, (size_t)g->material)->item.name);
}

bool write_grains(const RunFolder *f, const char *verb, const ScreeScene *scene, const ScreeWorld *world) {
  size_t count = scree_world_count(world);
  ScreeGrain *grains = checked_alloc(count, sizeof *grains);
  char *path = checked_format("%s/final.csv", f->path);
  OutputFile file;
  bool done = scree_world_read(world, grains) == SCREE_OK && output_open(&file, verb, path);
  if (done) {
    fputs("id,x,y,z,vx,vy,vz,wx,wy,wz,radius,material\n", file.stream);
    for (size_t i = 0; i < count; i++) print_grain(file.stream, scene, &grains[i]);
    done = output_commit(&file, verb);
  }
  free(path);
  free(grains);
  return done;
}

bool close_folder(RunFolder *f, const char *verb) {
  bool done = true;
  FILE *const logs[] = {f->text, f->csv, f->flow};
  for (int i = 0; i < 3; i++) {
    if (!logs[i]) continue;
    bool failed = ferror(logs[i]) != 0;
    if (fclose(logs[i]) != 0 || failed) done = cannot_log(f, verb);
  }
  if (f->lock >= 0) close(f->lock);
  forget_folder(f);
  return done;
}
