/* picture.c: see picture.h. */
#include "cli.h"

#include "io/trajectory.h"
#include "output.h"
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void scene_surface(const ScreeScene *s, const ScreePose *poses, ScreeSurface *surface) {
  const ScreeSceneDomain *d = &s->domain;
  const ScreePose rest = scree_pose_at_rest();
  *surface = (ScreeSurface){0};
  for (size_t i = 0; i < s->walls.count; i++)
    scree_surface_add_at(surface, &scree_scene_wall(s, i)->def, poses ? &poses[i] : &rest, (int)i, d->low, d->high);
}

ScreeRenderRoom scene_room(const ScreeScene *s, const ScreePose *poses) {
  const ScreeSceneDomain *d = &s->domain;
  const ScreeSceneParticles *stream;
  size_t streams = 0;
  while (scree_scene_stream(s, streams)) streams++;
  ScreeRenderWall *wall = checked_alloc(s->walls.count + 1, sizeof *wall);
  ScreeRenderGate *gate = checked_alloc(s->outlets.count + streams + 1, sizeof *gate);
  ScreeRenderRoom room = {.wall = wall, .walls = s->walls.count, .gate = gate};
  memcpy(room.low, d->low, sizeof room.low);
  memcpy(room.high, d->high, sizeof room.high);
  room.periodic = d->periodic[0] || d->periodic[1] || d->periodic[2];
  for (size_t i = 0; i < s->walls.count; i++) wall[i] = (ScreeRenderWall){&scree_scene_wall(s, i)->def, poses[i]};
  for (size_t i = 0; i < s->outlets.count; i++) {
    const ScreeSceneOutlet *outlet = scree_scene_outlet(s, i);
    gate[room.gates++] = (ScreeRenderGate){scree_shape_region(&outlet->shape), "outlet", outlet->name};
  }
  for (size_t i = 0; (stream = scree_scene_stream(s, i)); i++)
    gate[room.gates++] = (ScreeRenderGate){scree_scene_stream_def(stream).region, "stream", stream->stream.name};
  return room;
}

void room_free(ScreeRenderRoom *room) { free((void *)room->wall), free((void *)room->gate); }

ScreeRenderDef scene_render_def(const ScreeScene *s) {
  ScreeRenderDef def = scree_render_def_default();
  def.title = s->title;
  def.gravity = sqrt(s->gravity[0] * s->gravity[0] + s->gravity[1] * s->gravity[1] + s->gravity[2] * s->gravity[2]);
  return def;
}

void bounds_clear(double *low, double *high) {
  for (int k = 0; k < 3; k++) low[k] = high[k] = NAN;
}

void bounds_add(double *low, double *high, const ScreePolyData *grains) {
  const double *radius = grains->column[SCREE_FIELD_radius].values;
  for (size_t i = 0; i < grains->rows; i++)
    for (int k = 0; k < 3; k++) { /* fmin and fmax leave NaN aside */
      low[k] = fmin(low[k], grains->point[3 * i + (size_t)k] - radius[i]);
      high[k] = fmax(high[k], grains->point[3 * i + (size_t)k] + radius[i]);
    }
}
