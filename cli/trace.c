/* trace.c: see trace.h. */
#include "cli.h"

#include "io/digits.h"
#include "trace.h"

void trace_write_csv(FILE *stream, const void *context) {
  const Trace *trace = context;
  fputs("time,overlap,velocity,force,elastic,kinetic,dissipated\n", stream);
  for (int i = 0; i < trace->count; i++) {
    const ScreeTracePoint *p = &trace->points[i];
    scree_put_numbers(stream,
                      (double[]){p->time, p->overlap, p->velocity, p->force, p->elastic, p->kinetic, p->dissipated}, 7);
    fputc('\n', stream);
  }
}

/* One panel: columns of the CSV, scaled to the units of its labels. */
typedef struct Panel {
  const char *x_label, *y_label;
  const char *curves[4]; /* "using ... title ..." */
} Panel;

static const Panel panels[] = {
    {"overlap [um]", "force [N]", {"using (1e6*$2):4 notitle"}},
    {"time [ms]", "force [N]", {"using (1e3*$1):4 notitle"}},
    {"overlap [um]", "velocity [m/s]", {"using (1e6*$2):3 notitle"}},
    {"time [ms]",
     "energy [J]",
     {"using (1e3*$1):6 title 'kinetic'", "using (1e3*$1):5 title 'elastic'", "using (1e3*$1):7 title 'dissipated'",
      "using (1e3*$1):($5+$6+$7) title 'sum' dashtype 2"}},
};

static void write_panel(FILE *stream, const Panel *panel, const char *data) {
  fprintf(stream, "set xlabel '%s'\nset ylabel '%s'\nplot", panel->x_label, panel->y_label);
  for (int i = 0; i < 4 && panel->curves[i]; i++)
    fprintf(stream, "%s %s skip 1 %s with lines", i ? "," : "", data, panel->curves[i]);
  fputc('\n', stream);
}

static void write_script(FILE *stream, const char *data, bool terminal, const void *context) {
  const Trace *trace = context;
  if (terminal) {
    fputs("set title ", stream);
    plot_write_quoted(stream, trace->title);
    fputc('\n', stream);
    for (int i = 0; i < 2; i++) write_panel(stream, &panels[i], data);
    return;
  }
  fputs("set key outside bottom center horizontal samplen 2\nset multiplot layout 2,2 title ", stream);
  plot_write_quoted(stream, trace->title);
  fputc('\n', stream);
  for (size_t i = 0; i < sizeof panels / sizeof *panels; i++) write_panel(stream, &panels[i], data);
  fputs("unset multiplot\n", stream);
}

Figure trace_figure(const Trace *trace) { return (Figure){trace_write_csv, write_script, trace}; }
