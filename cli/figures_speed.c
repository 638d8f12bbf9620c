/* figures_speed.c: the restitution over the impact speed, one curve per law. A law that has to be calibrated is so at
 * one speed, and keeps its strength. */
#include "figures_parts.h"

#include "compare.h"

#include <math.h>

#define POINTS 41
#define AROUND 10.0 /* without a sweep: from a tenth of the collision's speed to ten times */

/* The axis holds the speeds to draw and `reference`, the speed of the calibration (NaN: each speed has its own). */
typedef struct SpeedAxis {
  Span speeds;
  double reference;
} SpeedAxis;

static Case requested_case(const FigureSubject *s, ScreeLawId law) {
  Case collision = s->collision;
  collision.restitution = scree_law_info(law)->domain == SCREE_E_NONE ? NAN : s->requested;
  return collision;
}

/* A sweep has a range and says where it calibrates; otherwise both lie around the collision's own speed. */
static SpeedAxis axis_of(const FigureSubject *s, ScreeLawId law) {
  SpeedAxis axis = {s->speeds, s->reference};
  Case collision = requested_case(s, law);
  CaseResolved resolved;
  bool range = s->speeds.high > s->speeds.low;
  if (range || compare_resolve(&collision, law, s->speed, s->mass, &resolved) != SCREE_OK) return axis;
  double own = resolved.def.pair.speed;
  axis.speeds = (Span){own / AROUND, own * AROUND};
  if (isnan(axis.reference)) axis.reference = own;
  return axis;
}

/* The restitutions of a law; returns the number of speeds at which it runs. */
static int find_curve(const FigureSubject *s, ScreeLawId law, double speeds[POINTS], double values[POINTS]) {
  const SpeedAxis axis = axis_of(s, law);
  Case collision = requested_case(s, law);
  Strength strength;
  int count = 0;
  if (compare_calibrate(&collision, law, axis.reference, s->mass, &strength) != SCREE_OK) return 0;
  for (int i = 0; i < POINTS; i++) {
    CaseResolved resolved;
    ScreeImpactResult result;
    double speed = value_between(axis.speeds, i, POINTS, true);
    if (compare_resolve(&collision, law, speed, s->mass, &resolved) != SCREE_OK) continue;
    strength_hold(&strength, &resolved.def);
    if (scree_impact_run(&resolved.def, &result) != SCREE_OK) continue;
    speeds[count] = speed;
    values[count++] = result.restitution;
  }
  return count;
}

bool speed_applies(const FigureContext *context) {
  double speeds[POINTS], values[POINTS];
  for (int i = 0; i < context->subject->law_count; i++)
    if (find_curve(context->subject, context->subject->laws[i], speeds, values) > 0) return true;
  return false;
}

void speed_data(FILE *stream, const FigureContext *context) {
  const FigureSubject *s = context->subject;
  fputs("law,speed,restitution\n", stream);
  for (int i = 0, curves = 0; i < s->law_count; i++) {
    double speeds[POINTS], values[POINTS];
    int count = find_curve(s, s->laws[i], speeds, values);
    if (count && curves++) fputs("\n\n", stream);
    for (int k = 0; k < count; k++)
      figure_write_row(stream, scree_law_info(s->laws[i])->name, (double[]){speeds[k], values[k]}, 2);
  }
}

void speed_script(FILE *stream, const char *data, bool terminal, const FigureContext *context) {
  const FigureSubject *s = context->subject;
  figure_write_axes(stream, context, terminal, "impact speed [m/s]", "achieved restitution");
  fputs("set logscale x\nset autoscale xfix\nset yrange [0:1]\nplot ", stream);
  for (int i = 0, index = 0; i < s->law_count; i++) {
    double speeds[POINTS], values[POINTS];
    if (!find_curve(s, s->laws[i], speeds, values)) continue;
    fprintf(stream, "%s\\\n  %s index %d using 2:3 with ", index ? ", " : "", data, index);
    figure_write_style(stream, terminal, i);
    fprintf(stream, " title '%s'", scree_law_info(s->laws[i])->name);
    index++;
  }
  fputc('\n', stream);
}
