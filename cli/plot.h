/* plot.h: figures through gnuplot. The script and its data stay beside the picture, so that it can be drawn again. */
#ifndef SCREE_CLI_PLOT_H
#define SCREE_CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

/* A figure: its data as CSV and its script. `write_script` finds the data under the gnuplot name `data` (a quoted
 * file name or a data block); `terminal` is true when text is drawn instead of a picture: no multiplot, no colours. */
typedef struct Figure {
  void (*write_data)(FILE *stream, const void *context);
  void (*write_script)(FILE *stream, const char *data, bool terminal, const void *context);
  const void *context;
} Figure;

/* Many panels need a larger picture. */
typedef enum PlotSize { PLOT_NORMAL, PLOT_LARGE } PlotSize;

/* Draws to FILE.svg, .png or .pdf (leaving FILE.gp and FILE.csv), or as text on standard output for "-". Returns an
 * exit status. */
int plot_draw(const char *verb, const char *path, const Figure *figure);
int plot_draw_sized(const char *verb, const char *path, PlotSize size, const Figure *figure);

/* In two parts, for many pictures in one folder: the data and script of FOLDER/NAME.svg, then one gnuplot for all
 * names. */
bool plot_write(const char *verb, const char *path, PlotSize size, const Figure *figure);
int plot_run(const char *verb, const char *folder, const char *const *names, int count);

/* Is this a path plot_draw takes? */
bool plot_path_valid(const char *path);

/* Colour-blind safe line styles, from Okabe & Ito's palette: `set linetype` commands for 1 ... PLOT_STYLES. */
#define PLOT_STYLES 16
#define PLOT_DASHES "(16,10)"
void plot_write_palette(FILE *stream);

/* A gnuplot string literal: single quotes, doubled inside. */
void plot_write_quoted(FILE *stream, const char *text);

#endif
