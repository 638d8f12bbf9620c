/* trace.c: see trace.h. */
#include "cli.h"

#include "io/digits.h"

#include "trace.h"
#include <math.h>

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

/* One panel: columns of the CSV over the time or the overlap. */
typedef struct Panel {
  bool over_time;
  const char *y_label;
  const char *curves[4]; /* y, and "title ..." */
} Panel;

static const Panel panels[] = {
    {false, "force [N]", {"4 notitle"}},
    {true, "force [N]", {"4 notitle"}},
    {false, "velocity [m/s]", {"3 notitle"}},
    {true,
     "energy [J]",
     {"6 title 'kinetic'", "5 title 'elastic'", "7 title 'dissipated'", "($5+$6+$7) title 'sum' dashtype 2"}},
};

static ScreePrefix axis_prefix(const Trace *trace, bool over_time) {
  double most = 0;
  for (int i = 0; i < trace->count; i++)
    most = fmax(most, over_time ? trace->points[i].time : trace->points[i].overlap);
  return scree_prefix(most, over_time ? "s" : "m");
}

static void write_panel(FILE *stream, const Trace *trace, const Panel *panel, const char *data) {
  const ScreePrefix prefix = axis_prefix(trace, panel->over_time);
  fprintf(stream, "set xlabel '%s [%s]'\nset ylabel '%s'\nplot", panel->over_time ? "time" : "overlap", prefix.unit,
          panel->y_label);
  for (int i = 0; i < 4 && panel->curves[i]; i++)
    fprintf(stream, "%s %s skip 1 using (%g*$%d):%s with lines", i ? "," : "", data, prefix.factor,
            panel->over_time ? 1 : 2, panel->curves[i]);
  fputc('\n', stream);
}

static void write_script(FILE *stream, const char *data, bool terminal, const void *context) {
  const Trace *trace = context;
  if (terminal) {
    fputs("set title ", stream);
    plot_write_quoted(stream, trace->title);
    fputc('\n', stream);
    for (int i = 0; i < 2; i++) write_panel(stream, trace, &panels[i], data);
    return;
  }
  fputs("set key outside bottom center horizontal samplen 2\nset multiplot layout 2,2 title ", stream);
  plot_write_quoted(stream, trace->title);
  fputc('\n', stream);
  for (size_t i = 0; i < sizeof panels / sizeof *panels; i++) write_panel(stream, trace, &panels[i], data);
  fputs("unset multiplot\n", stream);
}

Figure trace_figure(const Trace *trace) { return (Figure){trace_write_csv, write_script, trace}; }
