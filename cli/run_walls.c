/* run_walls.c: see run_walls.h. */
#include "cli.h"

#include "core/status.h"
#include "io/digits.h"
#include "io/format.h"
#include "io/trajectory.h"
#include "output.h"
#include "picture.h"
#include "run_walls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[WALL_FILES] = {"walls.csv", "wall_poses.csv"};

static bool cannot(const char *verb, const char *what, const char *folder, const char *name) {
  failure(verb, "cannot %s %s/%s: %s", what, folder, name, strerror(errno));
  return false;
}

static ScreeWallLoad load_of(const ScreeScene *scene, const ScreeWorld *world, size_t wall) {
  ScreeWallLoad load = {0};
  scree_world_wall_load(world, scree_scene_wall_number(scene, wall), &load); /* the number exists */
  return load;
}

ScreePose *poses_now(const ScreeScene *scene, const ScreeWorld *world) {
  ScreePose *poses = checked_alloc(scene->walls.count + 1, sizeof *poses);
  for (size_t i = 0; i < scene->walls.count; i++) {
    ScreeWallLoad load = load_of(scene, world, i);
    poses[i] = scree_pose_of(&load);
  }
  return poses;
}

/* ---- files ---- */

static FILE *open_file(const RunWalls *w, const char *verb, int file, const int64_t *length) {
  char *path = checked_format("%s/%s", w->folder, names[file]);
  FILE *stream = fopen(path, length ? "r+" : "w");
  struct stat info;
  if (stream && length && fstat(fileno(stream), &info) == 0 && info.st_size < length[file]) {
    failure(verb, "%s is shorter than it was at the checkpoint: it cannot be continued", path);
    fclose(stream), free(path);
    return NULL;
  }
  bool fine =
      stream && (!length || (ftruncate(fileno(stream), (off_t)length[file]) == 0 && fseeko(stream, 0, SEEK_END) == 0));
  if (!fine) cannot(verb, length ? "go on with" : "write", w->folder, names[file]);
  if (!fine && stream) fclose(stream);
  free(path);
  return fine ? stream : NULL;
}

/* "a, b" is quoted; quotes are doubled. */
static void put_name(FILE *stream, const char *name) {
  bool plain = !strpbrk(name, ",\"\n\r");
  if (!plain) fputc('"', stream);
  for (const char *c = name; *c; c++) {
    if (*c == '"') fputc('"', stream);
    fputc(*c, stream);
  }
  if (!plain) fputc('"', stream);
}

static void put_vector(FILE *stream, const double *v) {
  fputc(',', stream);
  scree_put_numbers(stream, v, 3);
}

bool walls_open(RunWalls *w, const char *verb, const char *folder, const ScreeScene *scene, const ScreeWorld *world,
                const int64_t *length) {
  *w = (RunWalls){.scene = scene, .world = world, .folder = checked_format("%s", folder)};
  bool moving = scree_scene_walls_change(scene) && scree_format_writes(scene->run.output.format);
  if (scene->walls.count > 0 && !(w->log = open_file(w, verb, 0, length))) return false;
  if (moving && !(w->poses = open_file(w, verb, 1, length))) return false;
  if (!length && w->log)
    fputs("step,time,wall,name,present,force_x,force_y,force_z,torque_x,torque_y,torque_z,power,work,x,y,z,"
          "rotation_x,rotation_y,rotation_z\n",
          w->log);
  if (!length && w->poses) scree_poses_heading(w->poses);
  if (!length || !w->poses) return true;
  char *path = checked_format("%s/%s", folder, names[1]);
  ScreeStatus status = scree_poses_times(path, &w->time, &w->frames);
  w->capacity = w->frames;
  free(path);
  return status == SCREE_OK || (failure(verb, "%s", scree_last_error()), false);
}

bool walls_sync(RunWalls *w, const char *verb, int64_t *length) {
  FILE *const streams[WALL_FILES] = {w->log, w->poses};
  for (int i = 0; i < WALL_FILES; i++) {
    length[i] = 0;
    if (!streams[i]) continue;
    if (fflush(streams[i]) != 0 || fsync(fileno(streams[i])) != 0) return cannot(verb, "write", w->folder, names[i]);
    length[i] = (int64_t)ftello(streams[i]);
  }
  return true;
}

bool walls_close(RunWalls *w, const char *verb) {
  FILE *const streams[WALL_FILES] = {w->log, w->poses};
  bool done = true;
  for (int i = 0; i < WALL_FILES; i++) {
    if (!streams[i]) continue;
    bool failed = ferror(streams[i]) != 0;
    if (fclose(streams[i]) != 0 || failed) done = cannot(verb, "write", w->folder, names[i]);
  }
  free(w->time), free(w->folder);
  return done;
}

/* ---- lines and frames ---- */

bool walls_log(RunWalls *w, const char *verb, long step) {
  double time = (double)step * scree_world_timestep(w->world);
  for (size_t i = 0; i < w->scene->walls.count; i++) {
    const ScreeSceneWall *wall = scree_scene_wall(w->scene, i);
    ScreeWallLoad load = load_of(w->scene, w->world, i);
    ScreePose pose = scree_pose_of(&load);
    double shift[3], rotation[3];
    for (int k = 0; k < 3; k++) shift[k] = load.position[k] - load.home[k];
    scree_pose_rotation(&pose, rotation);
    fprintf(w->log, "%ld,%s,%zu,", step, scree_digits(time).text, i);
    put_name(w->log, wall->name ? wall->name : "");
    fprintf(w->log, ",%d", load.present);
    put_vector(w->log, load.force);
    put_vector(w->log, load.torque);
    fputc(',', w->log);
    scree_put_numbers(w->log, (double[]){load.power, load.work}, 2);
    put_vector(w->log, shift);
    put_vector(w->log, rotation);
    fputc('\n', w->log);
  }
  if (!w->log || (fflush(w->log) == 0 && !ferror(w->log))) return true;
  return cannot(verb, "write", w->folder, names[0]);
}

static bool note_time(RunWalls *w, double time) {
  if (w->frames == w->capacity) {
    w->capacity = w->capacity ? 2 * w->capacity : 64;
    double *more = realloc(w->time, w->capacity * sizeof *more);
    if (!more) return false;
    w->time = more;
  }
  w->time[w->frames++] = time;
  return true;
}

ScreeStatus surface_wear(const ScreeScene *scene, const ScreeWorld *world, ScreeSurface *surface) {
  for (int k = 0; k < 2; k++) surface->work[k] = checked_alloc(surface->polygons + 1, sizeof *surface->work[k]);
  for (size_t p = 0; p < surface->polygons; p++) {
    int wall = surface->wall[p];
    bool first = p == 0 || surface->wall[p - 1] != wall; /* the triangles of a mesh follow each other */
    if (first && scree_scene_wall(scene, (size_t)wall)->def.wear)
      SCREE_TRY(scree_world_read_wear(world, scree_scene_wall_number(scene, (size_t)wall), surface->work[0] + p,
                                      surface->work[1] + p));
  }
  return SCREE_OK;
}

static bool wears(const ScreeScene *scene) {
  for (size_t i = 0; i < scene->walls.count; i++)
    if (scree_scene_wall(scene, i)->def.wear) return true;
  return false;
}

static ScreeStatus write_surface(const RunWalls *w, const ScreePose *poses, long frame) {
  ScreeSurface surface;
  scene_surface(w->scene, poses, &surface);
  char *path = checked_format("%s/walls_%06ld.vtp", w->folder, frame),
       *list = checked_format("%s/walls.pvd", w->folder);
  ScreeStatus status = wears(w->scene) ? surface_wear(w->scene, w->world, &surface) : SCREE_OK;
  if (status == SCREE_OK) status = scree_vtp_write_surface(path, &surface);
  if (status == SCREE_OK) status = scree_vtp_write_list(list, w->time, w->frames);
  scree_surface_free(&surface);
  free(path), free(list);
  return status;
}

bool walls_frame(RunWalls *w, const char *verb, long frame, long step) {
  double time = (double)step * scree_world_timestep(w->world);
  if (!w->poses) return true;
  ScreePose *poses = poses_now(w->scene, w->world);
  for (size_t i = 0; i < w->scene->walls.count; i++) scree_poses_row(w->poses, frame, step, time, (int)i, &poses[i]);
  bool noted = note_time(w, time), written = fflush(w->poses) == 0 && !ferror(w->poses);
  ScreeStatus status = noted && written ? write_surface(w, poses, frame) : SCREE_OK;
  free(poses);
  if (!written) return cannot(verb, "write", w->folder, names[1]);
  if (!noted || status != SCREE_OK) failure(verb, "%s", noted ? scree_last_error() : "no memory for the frames");
  return noted && status == SCREE_OK;
}

/* ---- the summary ---- */

static json_t *vector_json(const double *v) {
  json_t *array = json_array();
  for (int k = 0; k < 3; k++) json_array_append_new(array, json_number(v[k]));
  return array;
}

json_t *walls_summary(const RunWalls *w) {
  json_t *array = json_array();
  for (size_t i = 0; i < w->scene->walls.count; i++) {
    ScreeWallLoad load = load_of(w->scene, w->world, i);
    double shift[3];
    for (int k = 0; k < 3; k++) shift[k] = load.position[k] - load.home[k];
    json_t *object = json_object();
    json_object_set_new(object, "name", json_text(scree_scene_wall(w->scene, i)->name));
    json_object_set_new(object, "present", json_boolean(load.present));
    json_object_set_new(object, "force", vector_json(load.force));
    json_object_set_new(object, "torque", vector_json(load.torque));
    json_object_set_new(object, "about", vector_json(load.about));
    json_put(object, "power", load.power);
    json_put(object, "work", load.work);
    json_object_set_new(object, "displacement", vector_json(shift));
    json_array_append_new(array, object);
  }
  return array;
}
