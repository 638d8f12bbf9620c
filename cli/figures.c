/* figures.c: the table of figures, and what all of them share. A figure is a row here, a function that writes its data
 * and one that writes its script; families of figures share both and have a row of their own besides. */
#include "figures_parts.h"

#include "compare.h"
#include "io/digits.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct FigureRow {
  FigureInfo info;
  FigureSet set;
  PlotSize size;
  FigureData *data;
  FigureScript *script;
  const void *detail;
} FigureRow;

#define COURSE(detail) FIGURES_POINT, PLOT_LARGE, course_data, course_script, &(detail)
#define CURVE(detail) FIGURES_POINT, PLOT_NORMAL, curve_data, curve_script, &(detail)
#define SPEED FIGURES_SPEED, PLOT_NORMAL, speed_data, speed_script, NULL
#define EXACT(name) FIGURES_EXACT, PLOT_NORMAL, exact_##name##_data, exact_##name##_script, NULL
#define LINE(detail) FIGURES_LINE, PLOT_NORMAL, line_data, line_script, &(detail)

static const FigureRow figures[] = {
    {{"damping_factor", "Damping factor over the requested restitution",
      "Factor X of K d^n (1 + X v/v0). From 0.7 on the laws nearly agree, except Gharib and Hurmuzlu's; below, those "
      "without 1/c_r stay finite and cannot reach small restitutions."},
     CURVE(curve_factor)},
    {{"restitution", "Achieved over requested restitution",
      "The dotted diagonal is what was asked for. Laws above it lose too little."},
     CURVE(curve_restitution)},
    {{"force_overlap", "Force over overlap",
      "One panel per law; colours are requested restitutions, the dashed line is the Hertz contact without loss. The "
      "enclosed area is the energy lost."},
     COURSE(course_force_overlap)},
    {{"velocity_overlap", "Relative velocity over overlap",
      "Every collision starts at the impact speed; where it returns to zero overlap, the velocity is the achieved "
      "restitution times the impact speed."},
     COURSE(course_velocity_overlap)},
    {{"force_time", "Force over time",
      "Damping moves the peak to earlier times; small restitutions leave a long tail in the laws with 1/c_r."},
     COURSE(course_force_time)},
    {{"sphere_velocities_time", "Velocities of both spheres over time",
      "The first sphere (falling curves) hits the second (rising curves), which is at rest and of the same mass."},
     COURSE(course_velocities_time)},
    {{"kinetic_energy_time", "Kinetic energy of both spheres over time",
      "The dip is energy stored in the contact; what does not come back is lost."},
     COURSE(course_kinetic_time)},
    {{"mechanical_energy_time", "Mechanical energy of both spheres over time",
      "Kinetic and stored energy together: it falls where the contact dissipates."},
     COURSE(course_mechanical_time)},
    {{"energy_loss", "Share of the energy lost over the requested restitution",
      "Of the kinetic energy of the relative motion; the dotted line is 1 - c_r^2, what a restitution means."},
     CURVE(curve_loss)},
    {{"relative_duration", "Duration of contact relative to Hertz",
      "Over a Hertz contact with the same number K, mass and speed. Linear laws have K in N/m and are far stiffer."},
     CURVE(curve_duration)},
    {{"relative_error", "Relative error of the achieved restitution",
      "|c_r - e|/c_r. Laws that deliver the restitution exactly lie below the picture."},
     CURVE(curve_error)},
    {{"restitution_speed", "Restitution over the impact speed",
      "Every law delivers the requested restitution at one speed, with a strength that holds for the others. "
      "Plastic laws and most viscous ones lose more in faster impacts."},
     SPEED},
    {{"exact_alpha", "Damping strength over restitution, exact and by integration",
      "Lines: the closed form; circles: found by bisection on integrated collisions."},
     EXACT(alpha)},
    {{"exact_force_time", "Normalised force over time at e = 0.5",
      "Lines: closed form; circles: integration. The elastic part peaks later than the total force."},
     EXACT(force)},
    {{"exact_max_overlap", "Maximum overlap over restitution",
      "Lines: closed form; circles: integration; unit mass, stiffness and speed."},
     EXACT(overlap)},
    {{"exact_duration", "Duration of contact over damping",
      "Relative to no damping. The bound 1/sqrt(1-a^2) is met by the linear oscillator alone."},
     EXACT(duration)},
    {{"exact_phase", "Phase portrait of the Hertz contact with Tsuji damping",
      "Every trajectory leaves at minus its restitution. Lines: closed form; circles: integration."},
     EXACT(phase)},
    {{"exact_factor", "Universal factor f(p) = alpha over the damping ratio",
      "Line: sqrt(2(p+1)); circles: strengths found by bisection at e = 0.5."},
     EXACT(factor)},
    {{"line_force_overlap", "Cylinder contact: force per length over overlap, elastic",
      "All line laws in one joint at the same mass and speed."},
     LINE(line_elastic_overlap)},
    {{"line_force_time", "Cylinder contact: force per length over time, elastic",
      "The stiffer the law, the shorter the contact and the higher its peak."},
     LINE(line_elastic_time)},
    {{"line_force_overlap_damped", "Cylinder contact: force per length over overlap, damped",
      "The same collisions with the damping factor of Lankarani and Nikravesh."},
     LINE(line_damped_overlap)},
    {{"line_force_time_damped", "Cylinder contact: force per length over time, damped",
      "Damping breaks the symmetry of loading and unloading."},
     LINE(line_damped_time)},
};
#define FIGURE_COUNT ((int)(sizeof figures / sizeof *figures))

int figure_count(void) { return FIGURE_COUNT; }
const FigureInfo *figure_info(int i) { return &figures[i].info; }
FigureSet figure_set(int i) { return figures[i].set; }

int figure_find(const char *id) {
  for (int i = 0; i < FIGURE_COUNT; i++)
    if (strcmp(figures[i].info.id, id) == 0) return i;
  return -1;
}

/* ---- subjects --------------------------------------------------------------------------------------------------- */

/* The review's damped laws, and the one that delivers what was asked for. */
static const ScreeLawId *review_laws(int *count) {
  static ScreeLawId laws[PLOT_STYLES];
  *count = 0;
  for (int i = 0; i < compare_review_count(); i++)
    if (compare_review_law(i) != SCREE_LAW_hertz) laws[(*count)++] = compare_review_law(i);
  laws[(*count)++] = SCREE_LAW_zhang_sharf;
  return laws;
}

/* Laws whose restitution depends on the speed, one of those that draw the same curve, beside one that does not. */
static const ScreeLawId *speed_laws(int *count) {
  static const ScreeLawId laws[] = {
      SCREE_LAW_zhang_sharf,   SCREE_LAW_wang,          SCREE_LAW_schaefer, SCREE_LAW_bordbar_hyppanen,
      SCREE_LAW_alizadeh,      SCREE_LAW_kuwabara_kono, SCREE_LAW_choi,     SCREE_LAW_xiong,
      SCREE_LAW_roy_carretero, SCREE_LAW_thornton,      SCREE_LAW_yigit};
  *count = (int)(sizeof laws / sizeof *laws);
  return laws;
}

static const ScreeLawId *line_laws(int *count) {
  static ScreeLawId laws[PLOT_STYLES];
  *count = 0;
  for (int law = 0; law < SCREE_LAW_COUNT && *count < PLOT_STYLES; law++)
    if (scree_law_info((ScreeLawId)law)->group == SCREE_LINE) laws[(*count)++] = (ScreeLawId)law;
  return laws;
}

FigureSubject figure_subject_default(FigureSet set) {
  static const double restitutions[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  FigureSubject subject = {.collision = case_default(),
                           .speed = NAN,
                           .mass = NAN,
                           .reference = NAN,
                           .speeds = {NAN, NAN},
                           .requested = 0.5,
                           .restitutions = restitutions,
                           .restitution_count = 9,
                           .damped = 0.7};
  const ScreeLawId *(*laws)(int *) = set == FIGURES_LINE ? line_laws : set == FIGURES_SPEED ? speed_laws : review_laws;
  subject.laws = laws(&subject.law_count);
  if (set == FIGURES_LINE) { /* Table 5 of the review: both cylinders are free */
    const double hole = 37.6e-3, pin = 8.29e-3;
    subject.collision.mass = hole * pin / (hole + pin);
    subject.collision.speed = 0.2;
    subject.collision.damping = SCREE_LAW_lankarani_nikravesh;
  }
  return subject;
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

typedef struct Drawing {
  const FigureRow *row;
  FigureContext context;
} Drawing;

static void write_data(FILE *stream, const void *drawing) {
  const Drawing *d = drawing;
  d->row->data(stream, &d->context);
}

static void write_script(FILE *stream, const char *data, bool terminal, const void *drawing) {
  const Drawing *d = drawing;
  d->row->script(stream, data, terminal, &d->context);
}

static Drawing drawing_of(int i, const FigureSubject *subject) {
  const FigureRow *row = &figures[i];
  return (Drawing){row, {&row->info, subject, row->detail}};
}

bool figure_applies(int i, const FigureSubject *subject) {
  Drawing drawing = drawing_of(i, subject);
  if (figures[i].data == speed_data) return speed_applies(&drawing.context);
  return figures[i].data != curve_data || curve_applies(&drawing.context);
}

int figure_draw_about(const char *verb, int i, const char *path, const FigureSubject *subject) {
  Drawing drawing = drawing_of(i, subject);
  const Figure figure = {write_data, write_script, &drawing};
  return plot_draw_sized(verb, path, figures[i].size, &figure);
}

bool figure_write_about(const char *verb, int i, const char *path, const FigureSubject *subject) {
  Drawing drawing = drawing_of(i, subject);
  const Figure figure = {write_data, write_script, &drawing};
  return plot_write(verb, path, figures[i].size, &figure);
}

int figure_draw(const char *verb, int i, const char *path) {
  const FigureSubject subject = figure_subject_default(figures[i].set);
  return figure_draw_about(verb, i, path, &subject);
}

/* ---- the look --------------------------------------------------------------------------------------------------- */

void figure_write_row(FILE *stream, const char *word, const double *values, size_t count) {
  fprintf(stream, "%s,", word);
  scree_put_numbers(stream, values, count);
  fputc('\n', stream);
}

void figure_write_title(FILE *stream, const FigureContext *context, const char *command, const char *more) {
  const char *shown = context->subject->shown;
  char *title = checked_format("%s%s%s%s", context->info->title, more, *shown ? " " : "", shown);
  fprintf(stream, "%s ", command);
  plot_write_quoted(stream, title);
  fputc('\n', stream);
  free(title);
}

void figure_write_axes(FILE *stream, const FigureContext *context, bool terminal, const char *x_label,
                       const char *y_label) {
  figure_write_title(stream, context, "set title", "");
  fprintf(stream, "set xlabel '%s'\nset ylabel '%s'\n", x_label, y_label);
  fputs(terminal ? "set key below\n" : "set key outside right top samplen 3 spacing 1.15\n", stream);
}

AxisLabel figure_label(const char *name, ScreePrefix prefix) {
  AxisLabel label;
  bool micro = prefix.unit[0] == 'u';
  snprintf(label.text, sizeof label.text, "%s [%s%.4s]", name, micro ? "µ" : "", prefix.unit + micro);
  return label;
}

void figure_write_style(FILE *stream, bool terminal, int curve) {
  fprintf(stream, terminal ? "points pt %d" : "lines lt %d", curve + 1);
}

/* Viridis (Smith, van der Walt), without its yellow end, which white paper swallows. */
Colour figure_ramp(double share) {
  static const unsigned char stops[][3] = {{68, 1, 84},    {70, 50, 126},  {54, 92, 141}, {39, 127, 142},
                                           {31, 161, 135}, {74, 193, 109}, {160, 204, 40}};
  const int last = sizeof stops / sizeof *stops - 1;
  double place = fmin(fmax(share, 0.0), 1.0) * last;
  int low = (int)place < last ? (int)place : last - 1;
  double part = place - low;
  unsigned rgb[3];
  for (int i = 0; i < 3; i++) rgb[i] = (unsigned)lround((1 - part) * stops[low][i] + part * stops[low + 1][i]);
  Colour colour;
  snprintf(colour.text, sizeof colour.text, "#%02x%02x%02x", rgb[0] & 0xff, rgb[1] & 0xff, rgb[2] & 0xff);
  return colour;
}
