/* run_frames.c: see run_frames.h. */
#include "cli.h"

#include "io/format.h"
#include "output.h"
#include "picture.h"
#include "run_frames.h"
#include "run_walls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writing a frame takes about as long as so many steps. */
#define FRAME_STEPS 50

double frame_interval(const ScreeScene *scene, double timestep) {
  double every = scene->run.output.every;
  return isnan(every) ? fmax(scene->run.duration / 50, FRAME_STEPS * timestep) : every;
}

static bool shown(const char *verb, ScreeStatus status) {
  if (status != SCREE_OK) failure(verb, "%s", scree_last_error());
  return status == SCREE_OK;
}

static bool write_walls(const RunFrames *f, const char *verb, const char *folder) {
  if (f->walls.polygons == 0 || f->moving) return true; /* those that move have a file per frame */
  char *path = checked_format("%s/walls.vtp", folder);
  ScreeStatus status = scree_vtp_write_surface(path, &f->walls);
  free(path);
  return shown(verb, status);
}

/* The walls, and each trajectory: begun, or with marks taken up again. */
static bool open_streams(RunFrames *f, const char *verb, const char *folder, const ScreeSceneOutput *o,
                         const Blob *mark) {
  const struct {
    const char *stem;
    const ScreePolyData *frame;
    ScreeTrajectory **trajectory;
    bool wanted;
  } stream[FRAME_STREAMS] = {{"trajectory", &f->grains, &f->trajectory, true},
                             {"contacts", &f->contacts, &f->touching, o->contacts}};
  if (!scree_format_writes(o->format)) return true;
  if (!write_walls(f, verb, folder)) return false;
  for (int i = 0; i < FRAME_STREAMS; i++) {
    if (!stream[i].wanted) continue;
    ScreeStatus status =
        mark ? scree_trajectory_resume(folder, stream[i].stem, o->format, stream[i].frame, mark[i].data, mark[i].size,
                                       stream[i].trajectory)
             : scree_trajectory_create(folder, stream[i].stem, o->format, stream[i].frame, stream[i].trajectory);
    if (!shown(verb, status)) return false;
  }
  return true;
}

static bool prepare_frames(RunFrames *f, const char *verb, const ScreeScene *scene, const ScreeWorld *world) {
  *f = (RunFrames){.grains = scree_frame_of_grains(), .contacts = scree_frame_of_contacts(), .last = -1};
  f->grains.varies = scree_scene_flows(scene);
  scene_surface(scene, NULL, &f->walls);
  f->moving = scree_scene_walls_change(scene);
  bounds_clear(f->low, f->high);
  return shown(verb, scree_frame_take_grains(&f->grains, world, 0, 0));
}

bool frames_open(RunFrames *f, const char *verb, const char *folder, const ScreeScene *scene, const ScreeWorld *world) {
  if (!prepare_frames(f, verb, scene, world)) return false;
  bounds_add(f->low, f->high, &f->grains);
  return open_streams(f, verb, folder, &scene->run.output, NULL);
}

bool frames_resume(RunFrames *f, const char *verb, const char *folder, const ScreeScene *scene, const ScreeWorld *world,
                   const Blob mark[FRAME_STREAMS], long count, long last) {
  if (!prepare_frames(f, verb, scene, world)) return false;
  f->count = count;
  f->last = last;
  return open_streams(f, verb, folder, &scene->run.output, mark);
}

bool frames_mark(const RunFrames *f, const char *verb, Blob mark[FRAME_STREAMS]) {
  ScreeTrajectory *const stream[FRAME_STREAMS] = {f->trajectory, f->touching};
  for (int i = 0; i < FRAME_STREAMS; i++)
    if (stream[i] && !shown(verb, scree_trajectory_mark(stream[i], &mark[i].data, &mark[i].size))) return false;
  return true;
}

bool frames_write(RunFrames *f, const char *verb, const ScreeWorld *world, long step) {
  double time = (double)step * scree_world_timestep(world);
  if (!f->trajectory || f->failed) return !f->failed;
  f->failed = true;
  if (!shown(verb, scree_frame_take_grains(&f->grains, world, step, time)) ||
      !shown(verb, scree_trajectory_write(f->trajectory, &f->grains)))
    return false;
  if (f->touching && (!shown(verb, scree_frame_take_contacts(&f->contacts, world, &f->grains)) ||
                      !shown(verb, scree_trajectory_write(f->touching, &f->contacts))))
    return false;
  f->failed = false;
  f->count++;
  f->last = step;
  return true;
}

/* The walls where they are now. */
static bool write_picture(RunFrames *f, const char *verb, const char *folder, const ScreeScene *scene,
                          const ScreeWorld *world) {
  ScreeRenderDef def = scene_render_def(scene);
  ScreeImage image = {0};
  ScreePose *poses = poses_now(scene, world);
  ScreeRenderRoom room = scene_room(scene, poses);
  bounds_add(f->low, f->high, &f->grains);
  memcpy(def.box_low, f->low, sizeof f->low);
  memcpy(def.box_high, f->high, sizeof f->high);
  char *path = checked_format("%s/picture.png", folder);
  ScreeStatus status = scree_render(&def, &f->grains, &room, &image);
  if (status == SCREE_OK) status = scree_image_write_png(&image, path);
  scree_image_free(&image);
  room_free(&room);
  free(path), free(poses);
  return shown(verb, status);
}

/* The meshes that wear, as they were defined, and the work on their triangles so far. */
static bool write_wear(const char *verb, const char *folder, const ScreeScene *scene, const ScreeWorld *world) {
  ScreeSurface surface = {0};
  for (size_t i = 0; i < scene->walls.count; i++) {
    const ScreeWallDef *def = &scree_scene_wall(scene, i)->def;
    if (def->wear) scree_surface_add(&surface, def, (int)i, scene->domain.low, scene->domain.high);
  }
  ScreeStatus status = surface_wear(scene, world, &surface);
  if (status == SCREE_OK && surface.polygons > 0) {
    char *path = checked_format("%s/wear.vtp", folder);
    status = scree_vtp_write_surface(path, &surface);
    free(path);
  }
  scree_surface_free(&surface);
  return shown(verb, status);
}

bool frames_draw(RunFrames *f, const char *verb, const char *folder, const ScreeScene *scene, const ScreeWorld *world,
                 long step) {
  double time = (double)step * scree_world_timestep(world);
  if (!write_wear(verb, folder, scene, world)) return false;
  return !scene->run.output.picture || (shown(verb, scree_frame_take_grains(&f->grains, world, step, time)) &&
                                        write_picture(f, verb, folder, scene, world));
}

bool frames_close(RunFrames *f, const char *verb) {
  bool done = shown(verb, scree_trajectory_close(f->trajectory));
  done = shown(verb, scree_trajectory_close(f->touching)) && done;
  scree_polydata_free(&f->grains);
  scree_polydata_free(&f->contacts);
  scree_surface_free(&f->walls);
  return done;
}
