/* render.h: a picture of grains and walls, seen from far away: spheres coloured by a field, walls of steel that are
 * translucent where they stand before the grains, a colour bar, a scale and the time. Drawn by the processor alone; the
 * same bytes for any number of threads. */
#ifndef SCREE_RENDER_H
#define SCREE_RENDER_H

#include "io/image.h"
#include "io/polydata.h"
#include "io/wall_pose.h"

typedef struct ScreeRenderDef {
  int width, height;         /* pixels; 64 ... 4096 */
  double azimuth, elevation; /* degrees, of the eye: azimuth 0 is on +x, 90 on +y; elevation 90 is above */
  const char *title;         /* may be NULL */
  int column, component;     /* what colours, as in scree_polydata_value; column -1: the position */
  double low, high;          /* of the colours; NaN: chosen by the grains' values */
  const char *const *names;  /* the column holds indices of these; NULL: it holds numbers */
  size_t name_count;
  double box_low[3], box_high[3]; /* m, stays in sight whatever the grains do; NaN: nothing */
  double gravity;                 /* m/s2, its size: grains that move far slower than they fall are at rest */
  bool at_rest;                   /* out: the colour says no more than that */
} ScreeRenderDef;

/* 1200 x 900, seen from the front, the right and a little above; coloured by speed. */
ScreeRenderDef scree_render_def_default(void);

/* Reads "velocity", "velocity.x", "position.z" ...; the sentence of the error lists the fields. */
ScreeStatus scree_render_colour(ScreeRenderDef *def, const char *name);
/* Reads x, y, z, iso, or AZIMUTH,ELEVATION in degrees. */
ScreeStatus scree_render_view(ScreeRenderDef *def, const char *text);

typedef struct ScreeRenderWall {
  const ScreeWallDef *def;
  ScreePose pose;
} ScreeRenderWall;

/* A gate is the region of an outlet or a stream; broken lines show it with its kind and name. */
typedef struct ScreeRenderGate {
  ScreeRegion region;
  const char *kind, *name; /* the name may be NULL */
} ScreeRenderGate;

/* A room holds the walls, and the gates of grains that come and go. */
typedef struct ScreeRenderRoom {
  const ScreeRenderWall *wall;
  size_t walls;
  const ScreeRenderGate *gate;
  size_t gates;
  double low[3], high[3]; /* m, the domain: endless walls are cut at it */
  bool periodic;          /* its edges are drawn */
} ScreeRenderRoom;

/* grains: a frame of them (trajectory.h). room: may be NULL. The range of the colours in def->low, def->high. The image
 * is freed with scree_image_free. */
ScreeStatus scree_render(ScreeRenderDef *def, const ScreePolyData *grains, const ScreeRenderRoom *room,
                         ScreeImage *image);

#endif
