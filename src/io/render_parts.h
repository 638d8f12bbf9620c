/* render_parts.h: what the parts of a picture share.
 *
 *     render_room.c      which walls are shown, and how much of those without end
 *     render.c           scale and middle; grains into a buffer of depths; their light; the order of the whole
 *     render_walls.c     the walls' triangles, edges, and which of them stand before the grains
 *     render_gates.c     outlets and streams
 *     render_layers.c    translucent layers of walls, over the grains
 *     render_range.c     the range of the colours
 *     render_dress.c     title, time, colour bar, scale, axes
 *
 * A sample is a quarter of a pixel: two by two of them. Depths are in samples, and grow towards the eye. */
#ifndef SCREE_RENDER_PARTS_H
#define SCREE_RENDER_PARTS_H

#include "io/render.h"

#define RENDER_SAMPLES 2 /* per pixel and axis */
#define RENDER_FAR (-3e38f)

typedef struct Picture {
  const ScreeRenderDef *def;
  const ScreePolyData *grains;
  const ScreeRenderRoom *room;
  ScreeSurface walls;               /* what is shown of them */
  double room_low[3], room_high[3]; /* m, what is shown of the space */
  double size;                      /* m, of the grains: their largest extent, and not less than some diameters */
  double mean_radius;               /* m, of the grains */
  double axis[3][3];                /* to the right, up, to the eye */
  double unit;                      /* pixels of the design per pixel: 1 at 1200 x 900 */
  double left, right, top, bottom;  /* pixels of the image that hold grains and walls */
  double scale, middle[2], depth;   /* pixels per metre; what is in the middle, m */
  int wide, high;                   /* samples */
  float *z;                         /* samples, towards the eye */
  uint32_t *owner;                  /* 1 + the grain; 0: none */
  float *open;                      /* per pixel: share of the surroundings' light that arrives */
  ScreeColour *colour;              /* of each grain */
  bool below, above;                /* some grains lie beyond the range of the colours */
  double rest_speed;                /* at rest: what 99 % of the grains do not exceed */
} Picture;

static inline double scree_picture_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline const double *scree_picture_radii(const ScreePolyData *grains) {
  return grains->column[2].values; /* SCREE_FIELD_radius, see trajectory.h */
}

/* A point of space in samples. */
void scree_picture_project(const Picture *p, const double *x, double *out);

/* ---- render_room.c ---- */

#define RENDER_LARGE 4 /* of the grains' size: a larger wall does not decide how much is shown */

/* Fills p->size and p->walls. */
ScreeStatus scree_picture_walls(Picture *p);

/* ---- render_walls.c ---- */

typedef struct WallFacet {
  uint32_t corner[3]; /* points */
  uint32_t patch;     /* of one side of a smooth part */
  int32_t wall;
  float normal[3][3]; /* at the corners: right, up, to the eye, which none of them turns away from */
  bool flat, veil;    /* the normals are one; it stands before the grains and lets them be seen */
} WallFacet;

typedef struct WallEdge {
  uint32_t end[2];
  uint32_t facet[2]; /* that meet there; both the same at a rim */
  bool veil, broken;
} WallEdge;

typedef struct WallView {
  double (*point)[3]; /* samples: to the right, down, to the eye */
  WallFacet *facet;
  WallEdge *edge;
  size_t points, facets, edges, point_capacity, edge_capacity;
} WallView;

ScreeStatus scree_wall_view(const Picture *p, WallView *view);
void scree_wall_view_free(WallView *view);
/* Adds an edge between points [samples]; its ends are filled in. False: no memory. */
bool scree_wall_view_add(WallView *view, const double *a, const double *b, WallEdge edge);

/* ---- render_gates.c ---- */

typedef void ScreeGateLine(void *context, const double *a, const double *b);

/* The outline of a gate [m], as far as it lies in what is shown; false: it does not. */
bool scree_gate_outline(const Picture *p, const ScreeRegion *region, ScreeGateLine *line, void *context);

/* ---- render_layers.c ---- */

/* A sample shows this colour without walls. `open`: see Picture. */
typedef ScreeColour ScreeSampleColour(const Picture *p, int i, int j, float open);

/* Fills the image: grains by `shade`, walls before and behind them. */
ScreeStatus scree_picture_resolve(const Picture *p, const WallView *view, ScreeSampleColour *shade, ScreeImage *image);
/* The mean of p->open around a pixel. */
float scree_picture_open(const Picture *p, int x, int y);

/* ---- render_range.c ---- */

double scree_picture_value(const Picture *p, size_t grain);
/* Chooses def->low and high where they are NaN, and colours the grains. */
ScreeStatus scree_picture_colours(Picture *p, ScreeRenderDef *def);
/* 1, 2 or 5 times a power of ten, not above the value. */
double scree_round_down(double value);

/* ---- render_dress.c ---- */

void scree_picture_dress(const Picture *p, ScreeImage *image);

#endif
