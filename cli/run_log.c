/* run_log.c: the columns, once. */
#include "run_log.h"
#include "io/digits.h"

double dissipated(const ScreeMeasure *m) {
  return m->dissipated_viscous + m->dissipated_plastic + m->dissipated_clamp + m->dissipated_friction +
         m->dissipated_rolling + m->dissipated_walls;
}

#define COLUMN(name, expression)                                                                                       \
  static double value_##name(const Sample *s) { return (double)(expression); }
COLUMN(step, s->m.step)
COLUMN(time, s->m.time)
COLUMN(timestep, s->m.timestep)
COLUMN(particles, s->m.grains)
COLUMN(contacts, s->m.contacts)
COLUMN(kinetic, s->m.kinetic)
COLUMN(potential, s->m.potential)
COLUMN(elastic, s->m.elastic)
COLUMN(dissipated, dissipated(&s->m))
COLUMN(dissipated_viscous, s->m.dissipated_viscous)
COLUMN(dissipated_plastic, s->m.dissipated_plastic)
COLUMN(dissipated_clamp, s->m.dissipated_clamp)
COLUMN(dissipated_friction, s->m.dissipated_friction)
COLUMN(dissipated_rolling, s->m.dissipated_rolling)
COLUMN(dissipated_walls, s->m.dissipated_walls)
COLUMN(kinetic_walls, s->m.kinetic_walls)
COLUMN(work, s->m.work)
COLUMN(scheme, s->m.scheme)
COLUMN(residual, s->m.residual)
COLUMN(max_overlap, s->m.peak_overlap)
COLUMN(speed, s->speed)

/* In the text a column is as wide as its widest number; NULL: in the CSV only. */
static const struct {
  const char *text, *csv, *unit; /* unit "": a number */
  int width;
  const char *format;
  double (*value)(const Sample *s);
} columns[] = {
    {"step", "step", "", 10, "%.0f", value_step},
    {"t", "time", "s", 12, "%.6g", value_time},
    {"dt", "timestep", "s", 12, "%.6g", value_timestep},
    {"N", "particles", "", 9, "%.0f", value_particles},
    {"contacts", "contacts", "", 9, "%.0f", value_contacts},
    {"kinetic", "kinetic", "J", 12, "%.5e", value_kinetic},
    {"potential", "potential", "J", 12, "%.5e", value_potential},
    {"elastic", "elastic", "J", 12, "%.5e", value_elastic},
    {"dissipated", "dissipated", "J", 12, "%.5e", value_dissipated},
    {NULL, "dissipated_viscous", "J", 0, NULL, value_dissipated_viscous},
    {NULL, "dissipated_plastic", "J", 0, NULL, value_dissipated_plastic},
    {NULL, "dissipated_clamp", "J", 0, NULL, value_dissipated_clamp},
    {NULL, "dissipated_friction", "J", 0, NULL, value_dissipated_friction},
    {NULL, "dissipated_rolling", "J", 0, NULL, value_dissipated_rolling},
    {NULL, "dissipated_walls", "J", 0, NULL, value_dissipated_walls},
    {NULL, "kinetic_walls", "J", 0, NULL, value_kinetic_walls},
    {NULL, "work", "J", 0, NULL, value_work},
    {NULL, "scheme", "J", 0, NULL, value_scheme},
    {"residual", "residual", "J", 10, "%.2e", value_residual},
    {"max_overlap", "max_overlap", "", 11, "%.3e", value_max_overlap},
    {"Mps", "mps", "1e6/s", 7, "%.3g", value_speed},
};
#define COLUMN_COUNT (sizeof columns / sizeof *columns)

static void text_row(FILE *stream, bool units) {
  fputc('#', stream);
  for (size_t i = 0; i < COLUMN_COUNT; i++) {
    char cell[16] = "";
    if (!columns[i].text) continue;
    if (*columns[i].unit) snprintf(cell, sizeof cell, "[%s]", columns[i].unit);
    fprintf(stream, " %*s", columns[i].width - (i == 0), units ? cell : columns[i].text);
  }
  fputc('\n', stream);
}

void log_text_heading(FILE *stream) {
  fputs("# Mps: million particle-steps per second of the clock since the line before; residual: energy that no account "
        "explains\n",
        stream);
  text_row(stream, false);
  text_row(stream, true);
}

void log_text_line(FILE *stream, const Sample *sample) {
  for (size_t i = 0; i < COLUMN_COUNT; i++) {
    char cell[40];
    if (!columns[i].text) continue;
    snprintf(cell, sizeof cell, columns[i].format, columns[i].value(sample));
    fprintf(stream, " %*s", columns[i].width, cell);
  }
  fputc('\n', stream);
}

void log_csv_heading(FILE *stream) {
  for (size_t i = 0; i < COLUMN_COUNT; i++) {
    const char *unit = columns[i].unit;
    fprintf(stream, "%s%s%s%s%s", i ? "," : "", columns[i].csv, *unit ? " [" : "", unit, *unit ? "]" : "");
  }
  fputc('\n', stream);
}

void log_csv_line(FILE *stream, const Sample *sample) {
  for (size_t i = 0; i < COLUMN_COUNT; i++)
    fprintf(stream, "%s%s", i ? "," : "", scree_digits(columns[i].value(sample)).text);
  fputc('\n', stream);
}
