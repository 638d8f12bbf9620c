/* figures.h: the figures of the reviews and of the exact solution, one table for every verb that draws them. Their
 * cases are fixed (the review's collision and joint, MODELS.md 9.1 and 8), so a figure is known by its id alone. */
#ifndef SCREE_CLI_FIGURES_H
#define SCREE_CLI_FIGURES_H

typedef struct FigureInfo {
  const char *id;      /* also the name of the picture: force_overlap */
  const char *title;   /* one line */
  const char *caption; /* what is seen, for whoever prints the picture */
} FigureInfo;

int figure_count(void);
/* i from 0 to figure_count() - 1 */
const FigureInfo *figure_info(int i);
/* -1 when there is no such figure. */
int figure_find(const char *id);
/* Draws to PATH (.svg, .png or .pdf), leaving the .gp and .csv beside it, or as text on standard output for "-".
 * Returns an exit status; EXIT_FAILED after a sentence, also when gnuplot is missing: then the CSV is still there. */
int figure_draw(const char *verb, int i, const char *path);

#endif
