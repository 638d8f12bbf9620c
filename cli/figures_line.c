/* figures_line.c: cylinder contacts: force per length over overlap and over time, one curve per line law. A law that
 * does not take the joint (an internal one between two cylinders) has none; the table says why. */
#include "figures_parts.h"
#include "output.h"

#include "compare.h"

#include <math.h>

#define POINTS 241

const LineFigure line_elastic_overlap = {false, false};
const LineFigure line_elastic_time = {true, false};
const LineFigure line_damped_overlap = {false, true};
const LineFigure line_damped_time = {true, true};

/* The course of one law; false where it cannot run. */
static bool course_of(const FigureContext *context, ScreeLawId law, ScreeTracePoint *points, double *length) {
  const LineFigure *figure = context->detail;
  Case collision = context->subject->collision;
  collision.restitution = figure->damped ? context->subject->damped : 1.0;
  CaseResolved resolved;
  ScreeImpactResult result;
  if (compare_define(&collision, law, context->subject->reference, context->subject->speed, context->subject->mass,
                     &resolved) != SCREE_OK)
    return false;
  *length = resolved.def.pair.length;
  return succeeded(scree_impact_trace(&resolved.def, POINTS, points, &result));
}

void line_data(FILE *stream, const FigureContext *context) {
  ScreeTracePoint points[POINTS];
  double length = 0;
  fputs("law,time,overlap,velocity,force_per_length\n", stream);
  for (int i = 0, curves = 0; i < context->subject->law_count; i++) {
    if (!course_of(context, context->subject->laws[i], points, &length)) continue;
    if (curves++) fputs("\n\n", stream);
    for (int k = 0; k < POINTS; k++)
      figure_write_row(stream, scree_law_info(context->subject->laws[i])->name,
                       (double[]){points[k].time, points[k].overlap, points[k].velocity, points[k].force / length}, 4);
  }
}

/* The first law that runs sets the scale: all forces have about the same size. */
static ScreePrefix axis_prefix(const FigureContext *context) {
  const LineFigure *figure = context->detail;
  ScreeTracePoint points[POINTS];
  double length = 0, most = 0;
  for (int i = 0; i < context->subject->law_count && most == 0; i++) {
    if (!course_of(context, context->subject->laws[i], points, &length)) continue;
    for (int k = 0; k < POINTS; k++) most = fmax(most, figure->over_time ? points[k].time : points[k].overlap);
  }
  return scree_prefix(most, figure->over_time ? "s" : "m");
}

void line_script(FILE *stream, const char *data, bool terminal, const FigureContext *context) {
  const LineFigure *figure = context->detail;
  ScreeTracePoint points[POINTS];
  double length = 0;
  const ScreePrefix prefix = axis_prefix(context);
  figure_write_axes(stream, context, terminal, figure_label(figure->over_time ? "time" : "overlap", prefix).text,
                    "force per length [N/mm]");
  if (figure->damped) {
    char requested[32];
    snprintf(requested, sizeof requested, ", c_r = %.3g", context->subject->damped);
    figure_write_title(stream, context, "set title", requested);
  }
  fputs("set xrange [0:*]\nset yrange [0:*]\nplot ", stream);
  int index = 0;
  /* without damping the force returns on its own way: dashes drawn twice are a line */
  char half[24] = "";
  if (!figure->damped && !figure->over_time) snprintf(half, sizeof half, " every ::::%d", POINTS / 2);
  /* every second curve is dashed: some laws are the same, and the one below must show; from the ninth on the colours
   * return */
  for (int i = 0; i < context->subject->law_count; i++) {
    ScreeLawId law = context->subject->laws[i];
    if (!course_of(context, law, points, &length)) continue;
    fprintf(stream, "%s\\\n  %s index %d%s using (%g*$%d):(1e-3*$5) with ", index ? ", " : "", data, index, half,
            prefix.factor, figure->over_time ? 2 : 3);
    if (terminal)
      figure_write_style(stream, true, i);
    else
      fprintf(stream, "lines lt %d dashtype %s", i + 1, (i % 2 == 0) != (i >= 8) ? PLOT_DASHES : "1");
    fprintf(stream, " title '%s'", scree_law_info(law)->name);
    index++;
  }
  fputs(index ? "\n" : "NaN notitle\n", stream);
}
