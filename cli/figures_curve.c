/* figures_curve.c: numbers over the requested restitution, one curve per law. */
#include "figures_parts.h"

#include "compare.h"

#include <math.h>

#define STEPS 50 /* c_r = 1/STEPS ... 1 */

typedef double CurveValue(double requested, const ScreeImpactResult *result, double hertz_duration);

struct CurveFigure {
  const char *label;
  const char *column;
  CurveValue *value;
  const char *reference, *reference_title; /* a function of x, drawn dotted */
  const char *settings;
  bool factor_only; /* laws without a damping factor have no curve */
};

static double factor(double requested, const ScreeImpactResult *result, double hertz) {
  (void)hertz;
  return scree_law_factor(result->pair.law, requested);
}

static double restitution(double requested, const ScreeImpactResult *result, double hertz) {
  (void)requested, (void)hertz;
  return result->restitution;
}

static double loss(double requested, const ScreeImpactResult *result, double hertz) {
  (void)requested, (void)hertz;
  return 1.0 - result->restitution * result->restitution;
}

static double duration(double requested, const ScreeImpactResult *result, double hertz) {
  (void)requested;
  return result->duration / hertz;
}

static double error(double requested, const ScreeImpactResult *result, double hertz) {
  (void)hertz;
  if (requested == 1.0) return NAN; /* no error to show: a logarithm of nothing */
  return fabs(requested - result->restitution) / requested;
}

const CurveFigure curve_factor = {"damping factor X = χ v0/K", "factor", factor, NULL, NULL, "set yrange [0:8]", true};
const CurveFigure curve_restitution = {"achieved restitution", "achieved",         restitution, "x",
                                       "as requested",         "set yrange [0:1]", false};
const CurveFigure curve_loss = {"share of the energy lost", "lost", loss, "1-x**2", "1 - c_r²",
                                "set yrange [0:1]",         false};
const CurveFigure curve_duration = {
    "duration / duration of Hertz", "relative_duration", duration, "1", "Hertz", "set yrange [0:3]", false};
const CurveFigure curve_error = {"relative error |c_r - e|/c_r",
                                 "relative_error",
                                 error,
                                 NULL,
                                 NULL,
                                 "set logscale y\nset yrange [1e-4:20]\nset format y '10^%T'",
                                 false};

/* ---- data ------------------------------------------------------------------------------------------------------- */

static double requested_at(int step) { return (double)step / STEPS; }

/* NaN where the law cannot run. */
static double value_at(const FigureContext *context, ScreeLawId law, double requested) {
  const CurveFigure *figure = context->detail;
  Case collision = context->subject->collision;
  collision.restitution = scree_law_info(law)->domain == SCREE_E_NONE ? NAN : requested;
  CaseResolved resolved;
  ScreeImpactResult result;
  ScreeStatus status = compare_define(&collision, law, context->subject->reference, context->subject->speed,
                                      context->subject->mass, &resolved);
  if (status == SCREE_OK) status = scree_impact_run(&resolved.def, &result);
  return status == SCREE_OK ? figure->value(requested, &result, compare_hertz_duration(&resolved.def)) : NAN;
}

static bool has_curve(const FigureContext *context, ScreeLawId law) {
  const CurveFigure *figure = context->detail;
  if (figure->factor_only && !(scree_law_info(law)->flags & SCREE_FACTOR)) return false;
  return isfinite(value_at(context, law, 0.5));
}

bool curve_applies(const FigureContext *context) {
  for (int i = 0; i < context->subject->law_count; i++)
    if (has_curve(context, context->subject->laws[i])) return true;
  return false;
}

void curve_data(FILE *stream, const FigureContext *context) {
  const CurveFigure *figure = context->detail;
  fprintf(stream, "law,requested_restitution,%s\n", figure->column);
  for (int i = 0, curves = 0; i < context->subject->law_count; i++) {
    ScreeLawId law = context->subject->laws[i];
    if (!has_curve(context, law)) continue;
    if (curves++) fputs("\n\n", stream);
    for (int k = 1; k <= STEPS; k++) {
      double value = value_at(context, law, requested_at(k));
      if (isfinite(value)) figure_write_row(stream, scree_law_info(law)->name, (double[]){requested_at(k), value}, 2);
    }
  }
}

/* ---- script ----------------------------------------------------------------------------------------------------- */

void curve_script(FILE *stream, const char *data, bool terminal, const FigureContext *context) {
  const CurveFigure *figure = context->detail;
  figure_write_axes(stream, context, terminal, "requested restitution c_r", figure->label);
  fprintf(stream, "set xrange [0:1]\n%s\nplot ", figure->settings);
  if (figure->reference)
    fprintf(stream, "%s with lines lw 1.5 lc rgb '#555555' dashtype 3 title '%s'", figure->reference,
            figure->reference_title);
  for (int i = 0, index = 0; i < context->subject->law_count; i++) {
    ScreeLawId law = context->subject->laws[i];
    if (!has_curve(context, law)) continue;
    fprintf(stream, "%s\\\n  %s index %d using 2:3 with ", index || figure->reference ? ", " : "", data, index);
    figure_write_style(stream, terminal, i);
    fprintf(stream, " title '%s'", scree_law_info(law)->name);
    index++;
  }
  fputc('\n', stream);
}
