/* figures_parts.h: what the parts of the figures share: their subject, the functions behind figures.c's table, the one
 * look of all. */
#ifndef SCREE_CLI_FIGURES_PARTS_H
#define SCREE_CLI_FIGURES_PARTS_H

#include "case.h"
#include "compare_values.h"
#include "figures.h"
#include "io/digits.h"
#include "plot.h"

/* What a set of figures is about; the exact solution's is fixed. */
typedef enum FigureSet { FIGURES_POINT, FIGURES_SPEED, FIGURES_EXACT, FIGURES_LINE } FigureSet;

/* The laws and the collision that are drawn. */
typedef struct FigureSubject {
  const ScreeLawId *laws; /* at most PLOT_STYLES */
  int law_count;
  Case collision;
  double speed, mass;         /* swept ones, as in compare.h; NaN: the collision's */
  double reference;           /* at which laws are calibrated, as in compare.h */
  Span speeds;                /* of what is drawn over the speed; NaN: around the collision's */
  double requested;           /* there */
  char shown[96];             /* what of a sweep this is, for the title; "": nothing is swept */
  const double *restitutions; /* of the courses, at most FIGURE_COURSES */
  int restitution_count;
  double damped; /* restitution of the damped line figures */
} FigureSubject;
#define FIGURE_COURSES 11

typedef struct FigureContext {
  const FigureInfo *info;
  const FigureSubject *subject;
  const void *detail; /* the figure's own row in the table of its family */
} FigureContext;

typedef void FigureData(FILE *stream, const FigureContext *context);
typedef void FigureScript(FILE *stream, const char *data, bool terminal, const FigureContext *context);

/* The review's laws and collision; its joint with `line`. */
FigureSubject figure_subject_default(FigureSet set);
FigureSet figure_set(int i);
/* Is there anything to draw? */
bool figure_applies(int i, const FigureSubject *subject);
/* As figure_draw, about a subject; figure_write stops before gnuplot. */
int figure_draw_about(const char *verb, int i, const char *path, const FigureSubject *subject);
bool figure_write_about(const char *verb, int i, const char *path, const FigureSubject *subject);

/* ---- the families ------------------------------------------------------------------------------------------------ */

/* Courses of collisions, one panel per law (figures_course.c). */
typedef struct CourseFigure CourseFigure;
extern const CourseFigure course_force_overlap, course_velocity_overlap, course_force_time, course_velocities_time,
    course_kinetic_time, course_mechanical_time;
FigureData course_data;
FigureScript course_script;

/* Numbers over the restitution, one curve per law (figures_curve.c). */
typedef struct CurveFigure CurveFigure;
extern const CurveFigure curve_factor, curve_restitution, curve_loss, curve_duration, curve_error;
FigureData curve_data;
FigureScript curve_script;
/* Has one of the laws such a number? */
bool curve_applies(const FigureContext *context);

/* The restitution over the impact speed (figures_speed.c). */
FigureData speed_data;
FigureScript speed_script;
/* Does one of the laws run? */
bool speed_applies(const FigureContext *context);

/* The exact solution of the power-law oscillator (figures_exact.c). */
FigureData exact_alpha_data, exact_force_data, exact_overlap_data, exact_duration_data, exact_phase_data,
    exact_factor_data;
FigureScript exact_alpha_script, exact_force_script, exact_overlap_script, exact_duration_script, exact_phase_script,
    exact_factor_script;

/* Cylinder contacts (figures_line.c). */
typedef struct LineFigure {
  bool over_time, damped;
} LineFigure;
extern const LineFigure line_elastic_overlap, line_elastic_time, line_damped_overlap, line_damped_time;
FigureData line_data;
FigureScript line_script;

/* ---- the look --------------------------------------------------------------------------------------------------- */

/* A row of data: a word, then numbers. */
void figure_write_row(FILE *stream, const char *word, const double *values, size_t count);
/* The figure's title, with `more` and what of a sweep is shown: `set title '...'` or another command. */
void figure_write_title(FILE *stream, const FigureContext *context, const char *command, const char *more);
/* Title, labels and a key to the right (below in the terminal). */
void figure_write_axes(FILE *stream, const FigureContext *context, bool terminal, const char *x_label,
                       const char *y_label);
/* "overlap [µm]", in the unit of a prefix. */
typedef struct AxisLabel {
  char text[40];
} AxisLabel;
AxisLabel figure_label(const char *name, ScreePrefix prefix);
/* "lines lt N", or in the terminal "points pt N": it has more letters than kinds of lines. */
void figure_write_style(FILE *stream, bool terminal, int curve);
/* '#rrggbb' at 0 <= share <= 1 of a ramp that keeps its order for every kind of sight and in print. */
typedef struct Colour {
  char text[8];
} Colour;
Colour figure_ramp(double share);

#endif
