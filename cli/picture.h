/* picture.h: what pictures of a run share, while it runs and afterwards. */
#ifndef SCREE_CLI_PICTURE_H
#define SCREE_CLI_PICTURE_H

#include "io/render.h"
#include "io/scene.h"
#include "io/wall_pose.h"

/* The walls of a scene where they are (poses NULL: as they were defined). */
void scene_surface(const ScreeScene *scene, const ScreePose *poses, ScreeSurface *surface);

/* The same for a picture, and where grains come and go; freed with room_free. */
ScreeRenderRoom scene_room(const ScreeScene *scene, const ScreePose *poses);
void room_free(ScreeRenderRoom *room);
/* A picture of a scene as it is asked for by default: the title, and what speeds are measured by. */
ScreeRenderDef scene_render_def(const ScreeScene *scene);

/* A box around grains, their radii included. */
void bounds_clear(double *low, double *high);
void bounds_add(double *low, double *high, const ScreePolyData *grains);

#endif
