/* image.h: a picture of plain numbers, and what draws on it: strokes, text, colours; written as PNG. */
#ifndef SCREE_IMAGE_H
#define SCREE_IMAGE_H

#include "scree/base.h"

/* Linear light, 0 ... 1: sums and means of colours are right. */
typedef struct ScreeColour {
  float r, g, b;
} ScreeColour;

typedef struct ScreeImage {
  int width, height;
  ScreeColour *pixel; /* row by row from the top */
} ScreeImage;

ScreeStatus scree_image_create(ScreeImage *image, int width, int height, ScreeColour background);
void scree_image_free(ScreeImage *image);
/* 8 bits per channel, sRGB. Written aside and renamed. */
ScreeStatus scree_image_write_png(const ScreeImage *image, const char *path);

/* ---- colours ---- */

ScreeColour scree_colour_mix(ScreeColour a, ScreeColour b, float share_of_b);
ScreeColour scree_colour_of_srgb(double r, double g, double b);
/* Perceptually uniform, from dark blue (0) over green to light yellow (1). */
ScreeColour scree_colour_map(double t);
/* Of the i-th of a few things that are to be told apart. */
ScreeColour scree_colour_of(int i);

/* ---- drawing, anti-aliased; lengths in pixels, y downwards ---- */

void scree_image_rectangle(ScreeImage *image, double x, double y, double width, double height, ScreeColour colour);
void scree_image_line(ScreeImage *image, double x0, double y0, double x1, double y1, double thickness,
                      ScreeColour colour);

typedef enum ScreeAlign { SCREE_LEFT, SCREE_CENTRE, SCREE_RIGHT } ScreeAlign;
/* x: its left end, middle or right end; y: the base line; size: height of a capital letter. */
void scree_image_text(ScreeImage *image, double x, double y, double size, ScreeAlign align, ScreeColour colour,
                      const char *text);
double scree_text_width(const char *text, double size);

#endif
