/* figures_course.c: the courses of collisions: one panel per law, one colour per requested restitution, and the Hertz
 * contact in every panel. */
#include "figures_parts.h"

#include "compare.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 121

/* Over the time or the overlap, in a unit that suits; y as gnuplot sees the columns of the data. */
struct CourseFigure {
  const char *y, *y_label;
  const char *second; /* a second curve of every collision */
  bool over_time;
  enum { FORCE, RELATIVE_VELOCITY, VELOCITIES, ENERGY } quantity;
};

const CourseFigure course_force_overlap = {"($6*1e-3)", "force [kN]", NULL, false, FORCE};
const CourseFigure course_velocity_overlap = {"5", "velocity [m/s]", NULL, false, RELATIVE_VELOCITY};
const CourseFigure course_force_time = {"($6*1e-3)", "force [kN]", NULL, true, FORCE};
const CourseFigure course_velocities_time = {"7", "velocity [m/s]", "8", true, VELOCITIES};
const CourseFigure course_kinetic_time = {"9", "energy [J]", NULL, true, ENERGY};
const CourseFigure course_mechanical_time = {"10", "energy [J]", NULL, true, ENERGY};

/* ---- the collisions --------------------------------------------------------------------------------------------- */

/* Body 1 moves, body 2 rests; share = m1/(m1 + m2) splits the relative motion. Only the effective mass of a case
 * without bodies is known: its bodies count as equal. */
static double mass_share(const ScreePairDef *pair) {
  switch (pair->geometry) {
  case SCREE_SPHERE_PLANE:
  case SCREE_SPHERE_IN_SPHERE:
  case SCREE_PLANE_PLANE: return 0.0;
  default: break;
  }
  double m1 = scree_pair_def_body_mass(pair, 0), m2 = scree_pair_def_body_mass(pair, 1);
  return m1 > 0 && m2 > 0 ? m1 / (m1 + m2) : 0.5;
}

/* The case of a curve; restitution NaN: the Hertz contact. */
static bool resolve(const FigureSubject *subject, ScreeLawId law, double restitution, CaseResolved *out) {
  Case collision = subject->collision;
  collision.restitution = scree_law_info(law)->domain == SCREE_E_NONE ? NAN : restitution;
  if (law == SCREE_LAW_hertz) collision.exponent = NAN;
  return compare_define(&collision, law, subject->reference, subject->speed, subject->mass, out) == SCREE_OK;
}

static bool run(const FigureSubject *subject, ScreeLawId law, double restitution, ScreeImpactResult *result) {
  CaseResolved resolved;
  return resolve(subject, law, restitution, &resolved) && scree_impact_run(&resolved.def, result) == SCREE_OK;
}

/* Time before and after contact that is shown, and the end of the axis: creeping laws take long. */
#define MARGIN 0.25
#define LONGEST 3.0

/* ---- data ------------------------------------------------------------------------------------------------------- */

typedef struct CourseMotion {
  double share, speed, mass;
} CourseMotion;

/* Kinetic energy that the collision cannot touch. */
static double carried_energy(CourseMotion m) {
  return m.share < 1 ? 0.5 * m.mass * m.speed * m.speed * m.share / (1 - m.share) : 0;
}

static void write_point(FILE *stream, const char *name, double restitution, const ScreeTracePoint *p, CourseMotion m) {
  double centre = m.share * m.speed;
  double carried = carried_energy(m);
  const double row[] = {restitution,
                        p->time,
                        p->overlap,
                        p->velocity,
                        p->force,
                        centre + (1 - m.share) * p->velocity,
                        centre - m.share * p->velocity,
                        carried + p->kinetic,
                        carried + p->kinetic + p->elastic};
  figure_write_row(stream, name, row, sizeof row / sizeof *row);
}

/* One curve, with free flight before and after it. */
static void write_course(FILE *stream, const FigureSubject *subject, ScreeLawId law, double restitution) {
  CaseResolved resolved;
  ScreeImpactResult result;
  ScreeTracePoint points[POINTS];
  if (!resolve(subject, law, restitution, &resolved)) return;
  if (!succeeded(scree_impact_trace(&resolved.def, POINTS, points, &result))) return;
  const char *name = scree_law_info(law)->name;
  const ScreePairDef *pair = &resolved.def.pair;
  CourseMotion motion = {mass_share(pair), pair->speed, result.pair.mass};
  double hertz = compare_hertz_duration(&resolved.def), margin = isnan(hertz) ? result.duration : hertz;
  ScreeTracePoint before = points[0], after = points[POINTS - 1];
  before.force = after.force = 0; /* some laws jump to a force at first touch, and from one at the end */
  before.elastic = after.elastic = 0;
  before.time = -MARGIN * margin;
  write_point(stream, name, restitution, &before, motion);
  before.time = points[0].time;
  write_point(stream, name, restitution, &before, motion);
  for (int i = 0; i < POINTS; i++) write_point(stream, name, restitution, &points[i], motion);
  write_point(stream, name, restitution, &after, motion);
  after.time += 2 * LONGEST * margin;
  write_point(stream, name, restitution, &after, motion);
}

/* The Hertz contact is block 0, then one block per law and restitution that runs. */
void course_data(FILE *stream, const FigureContext *context) {
  const FigureSubject *s = context->subject;
  ScreeImpactResult result;
  fputs("law,requested_restitution,time,overlap,velocity,force,velocity1,velocity2,kinetic,mechanical\n", stream);
  write_course(stream, s, SCREE_LAW_hertz, 1);
  for (int i = 0; i < s->law_count; i++)
    for (int k = 0; k < s->restitution_count; k++) {
      if (!run(s, s->laws[i], s->restitutions[k], &result)) continue;
      fputs("\n\n", stream);
      write_course(stream, s, s->laws[i], s->restitutions[k]);
    }
}

/* ---- script ----------------------------------------------------------------------------------------------------- */

/* What the panels have in common, in the units of the axes. */
typedef struct Extent {
  double force, overlap, time;
  double natural_time; /* without creeping */
  double speed;
  double carried, energy; /* of the common motion, of all motion at first touch */
} Extent;

/* Laws of another exponent live on other scales, attractive ones below zero, and some peaks and depths would flatten
 * all others: these keep axes of their own. */
static bool shares_axes(const FigureSubject *s, ScreeLawId law) {
  ScreeImpactResult result, hertz;
  if (scree_law_info(law)->flags & SCREE_ATTRACTIVE || !run(s, SCREE_LAW_hertz, 1, &hertz)) return false;
  for (int k = 0; k < s->restitution_count; k++) {
    if (!run(s, law, s->restitutions[k], &result)) continue;
    if (result.pair.n != 1.5 || result.max_force > 1.8 * hertz.max_force) return false;
    if (result.max_overlap > 1.8 * hertz.max_overlap) return false;
  }
  return true;
}

static void widen(Extent *extent, const ScreeImpactResult *result) {
  extent->force = fmax(extent->force, result->max_force);
  extent->overlap = fmax(extent->overlap, result->max_overlap);
  if (isfinite(result->duration)) extent->time = fmax(extent->time, result->duration);
}

static void widen_by_motion(const FigureSubject *s, ScreeLawId law, Extent *extent) {
  CaseResolved resolved;
  if (!resolve(s, law, 1, &resolved)) return;
  const ScreePairDef *pair = &resolved.def.pair;
  extent->speed = pair->speed;
  extent->carried = carried_energy((CourseMotion){mass_share(pair), pair->speed, pair->mass});
  extent->energy = extent->carried + 0.5 * pair->mass * pair->speed * pair->speed;
}

static void widen_by_law(const FigureSubject *s, ScreeLawId law, Extent *extent) {
  ScreeImpactResult result;
  for (int k = 0; k < s->restitution_count; k++)
    if (run(s, law, s->restitutions[k], &result)) widen(extent, &result);
}

/* Of the panels that share their axes. */
static Extent common_extent(const FigureSubject *s) {
  ScreeImpactResult hertz;
  Extent extent = {0};
  widen_by_motion(s, SCREE_LAW_hertz, &extent);
  if (run(s, SCREE_LAW_hertz, 1, &hertz)) widen(&extent, &hertz);
  extent.natural_time = extent.time;
  for (int i = 0; i < s->law_count; i++)
    if (shares_axes(s, s->laws[i])) widen_by_law(s, s->laws[i], &extent);
  return extent;
}

/* Does the law's panel show the Hertz contact? With another exponent they have nothing in common. */
static bool like_hertz(ScreeLawId law) { return scree_law_info(law)->exponent == 1.5; }

/* Of one panel. */
static Extent own_extent(const FigureSubject *s, ScreeLawId law) {
  ScreeImpactResult hertz;
  Extent extent = {0};
  widen_by_motion(s, law, &extent);
  widen_by_law(s, law, &extent);
  if (like_hertz(law) && run(s, SCREE_LAW_hertz, 1, &hertz)) widen(&extent, &hertz);
  extent.natural_time = extent.time;
  return extent;
}

/* 1, 2 or 5 times a power of ten, about a quarter of the range: the labels of neighbours keep apart. */
static double tic_step(double range) {
  double power = pow(10, floor(log10(range / 4)));
  double rest = range / 4 / power;
  return power * (rest > 7 ? 10 : rest > 3.5 ? 5 : rest > 1.5 ? 2 : 1);
}

/* [low:high] with a little room. */
static void write_range(FILE *stream, double low, double high) {
  double room = 0.05 * (high - low);
  if (!(room > 0)) return;
  fprintf(stream, "set yrange [%.6g:%.6g]\n", low - room, high + room);
}

/* The axis that all panels share, and its column for gnuplot. */
typedef struct CourseAxis {
  ScreePrefix prefix;
  AxisLabel label;
  char x[24];
} CourseAxis;

static CourseAxis axis_of(const CourseFigure *figure, Extent extent) {
  CourseAxis axis = {.prefix = figure->over_time ? scree_prefix(extent.natural_time, "s")
                                                 : scree_prefix(extent.overlap, "m")};
  axis.label = figure_label(figure->over_time ? "time" : "overlap", axis.prefix);
  snprintf(axis.x, sizeof axis.x, "(%g*$%d)", axis.prefix.factor, figure->over_time ? 3 : 4);
  return axis;
}

static void write_ranges(FILE *stream, const CourseFigure *figure, const CourseAxis *axis, Extent extent, bool own) {
  double unit = axis->prefix.factor, low = figure->over_time ? -unit * MARGIN * extent.natural_time : 0;
  double end = fmin(extent.time, LONGEST * extent.natural_time) + MARGIN * extent.natural_time;
  double high = unit * (figure->over_time ? end : 1.04 * extent.overlap);
  if (high > low) fprintf(stream, "set xrange [%.6g:%.6g]\nset xtics %.6g\n", low, high, tic_step(high - low));
  switch (figure->quantity) {
  case FORCE: fprintf(stream, "set yrange [%s:%.6g]\n", own ? "*" : "0", 1.05e-3 * extent.force); break;
  case RELATIVE_VELOCITY: write_range(stream, -extent.speed, extent.speed); break;
  case VELOCITIES: write_range(stream, 0, extent.speed); break;
  case ENERGY: write_range(stream, extent.carried, extent.energy); break;
  }
}

/* style: from "with" on. */
static void write_curve(FILE *stream, const char *data, int index, const CourseFigure *figure, const CourseAxis *axis,
                        const char *style) {
  fprintf(stream, "%s index %d using %s:%s %s", data, index, axis->x, figure->y, style);
  if (!figure->second) return;
  int until_title = (int)(strstr(style, " title") ? strstr(style, " title") - style : (long)strlen(style));
  fprintf(stream, ", %s index %d using %s:%s %.*s notitle", data, index, axis->x, figure->second, until_title, style);
}

#define HERTZ_STYLE "lw 1.5 dashtype " PLOT_DASHES " lc rgb '#000000'"

static Colour course_colour(const FigureSubject *s, int k) {
  return figure_ramp(s->restitution_count > 1 ? (double)k / (s->restitution_count - 1) : 0.5);
}

/* Over the overlap the force of Hertz returns on its own way: dashes drawn twice are a line. */
static void write_hertz(FILE *stream, const char *data, const CourseFigure *figure, const CourseAxis *axis) {
  bool loading_only = figure->quantity == FORCE && !figure->over_time;
  char every[24] = "";
  if (loading_only) snprintf(every, sizeof every, "every ::::%d", POINTS / 2);
  fprintf(stream, "%s index 0 %s using %s:%s with lines " HERTZ_STYLE, data, every, axis->x, figure->y);
  if (figure->second)
    fprintf(stream, ", %s index 0 using %s:%s with lines " HERTZ_STYLE, data, axis->x, figure->second);
}

/* The curves of one law; returns the next free index. */
static int write_panel(FILE *stream, const char *data, const FigureContext *context, const CourseAxis *axis,
                       ScreeLawId law, int index) {
  const CourseFigure *figure = context->detail;
  const FigureSubject *s = context->subject;
  ScreeImpactResult result;
  fputs("plot 0 lw 0.5 lc rgb '#999999'", stream);
  for (int k = 0; k < s->restitution_count; k++) {
    if (!run(s, law, s->restitutions[k], &result)) continue;
    char style[64];
    snprintf(style, sizeof style, "with lines lw 1.6 dashtype 1 lc rgb '%s'", course_colour(s, k).text);
    fputs(", \\\n  ", stream);
    write_curve(stream, data, index++, figure, axis, style);
  }
  if (like_hertz(law)) {
    fputs(", \\\n  ", stream);
    write_hertz(stream, data, figure, axis);
  }
  fputc('\n', stream);
  return index;
}

/* The terminal has room for one plot: the middle restitution of the laws that share their axes. */
static void write_text(FILE *stream, const char *data, const FigureContext *context) {
  const CourseFigure *figure = context->detail;
  const FigureSubject *s = context->subject;
  ScreeImpactResult result;
  int middle = s->restitution_count / 2;
  const Extent common = common_extent(s);
  const CourseAxis axis = axis_of(figure, common);
  figure_write_axes(stream, context, true, axis.label.text, figure->y_label);
  write_ranges(stream, figure, &axis, common, false);
  char requested[32];
  snprintf(requested, sizeof requested, ", c_r = %.3g", s->restitutions[middle]);
  figure_write_title(stream, context, "set title", requested);
  fputs("plot ", stream);
  write_curve(stream, data, 0, figure, &axis, "with points pt 1 title 'hertz'");
  for (int i = 0, index = 1; i < s->law_count; i++)
    for (int k = 0; k < s->restitution_count; k++) {
      if (!run(s, s->laws[i], s->restitutions[k], &result)) continue;
      char style[80];
      snprintf(style, sizeof style, "with points pt %d title '%s'", i + 2, scree_law_info(s->laws[i])->name);
      if (k == middle && shares_axes(s, s->laws[i])) {
        fputs(", ", stream);
        write_curve(stream, data, index, figure, &axis, style);
      }
      index++;
    }
  fputc('\n', stream);
}

/* One key for all panels, above them: gnuplot's own belongs to one plot and keeps to its width. */
static void write_key(FILE *stream, const FigureSubject *s) {
  const double low = 0.08, step = 0.9 / (s->restitution_count + 1), y = 0.925;
  for (int k = 0; k <= s->restitution_count; k++) {
    double x = low + k * step;
    fprintf(stream, "set arrow %d from screen %.4g,%.4g to screen %.4g,%.4g nohead ", k + 1, x, y, x + 0.025, y);
    if (k == 0)
      fputs(HERTZ_STYLE "\n", stream);
    else
      fprintf(stream, "lw 2.5 dashtype 1 lc rgb '%s'\n", course_colour(s, k - 1).text);
    char text[40] = "Hertz";
    if (k) snprintf(text, sizeof text, "c_r = %.3g", s->restitutions[k - 1]);
    fprintf(stream, "set label %d '%s' at screen %.4g,%.4g left\n", k + 2, text, x + 0.03, y);
  }
}

static void write_layout(FILE *stream, const FigureContext *context, int rows, int columns) {
  fprintf(stream, "set multiplot layout %d,%d margins screen 0.06,0.985,0.07,0.865 spacing screen %.3g,%.3g\n", rows,
          columns, columns > 1 ? 0.042 : 0, rows > 1 ? 0.075 : 0);
  figure_write_title(stream, context, "set label 1 at screen 0.5,0.97 center font ',17'", "");
  fputs("unset key\nset title offset 0,-0.6\nset xtics nomirror\nset ytics nomirror\nset border 3\n", stream);
  write_key(stream, context->subject);
}

void course_script(FILE *stream, const char *data, bool terminal, const FigureContext *context) {
  const CourseFigure *figure = context->detail;
  const FigureSubject *s = context->subject;
  if (terminal) {
    write_text(stream, data, context);
    return;
  }
  int columns = (int)ceil(sqrt(s->law_count)), rows = (s->law_count + columns - 1) / columns;
  const Extent common = common_extent(s);
  const CourseAxis axis = axis_of(figure, common);
  write_layout(stream, context, rows, columns);
  for (int i = 0, index = 1; i < s->law_count; i++) {
    ScreeLawId law = s->laws[i];
    bool own = !shares_axes(s, law), bottom = i + columns >= s->law_count;
    fprintf(stream, "set title '%s%s'\nset xlabel '%s'\nset ylabel '%s'\n", scree_law_info(law)->name,
            own ? " (own scale)" : "", bottom ? axis.label.text : "", i % columns ? "" : figure->y_label);
    write_ranges(stream, figure, &axis, own ? own_extent(s, law) : common, own);
    index = write_panel(stream, data, context, &axis, law, index);
    if (i == 0) fputs("unset label\nunset arrow\n", stream);
  }
  fputs("unset multiplot\n", stream);
}
