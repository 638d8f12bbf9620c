/* figures_exact.c: the exact solution of the power-law oscillator (MODELS.md 5) beside integrated collisions. */
#include "figures_parts.h"
#include "output.h"

#include "io/digits.h"

#include <math.h>

/* Numbers, and where they come from. */
static void write_row(FILE *stream, const char *source, const double *values, size_t count) {
  scree_put_numbers(stream, values, count);
  fprintf(stream, ",%s\n", source);
}

static const double exponents[] = {1, 1.5, 2, 2.5, 3};
#define EXPONENTS ((int)(sizeof exponents / sizeof *exponents))

/* Unit mass, stiffness and speed: the laws are similar. */
static ScreeExact solve(double exponent, double restitution, double alpha) {
  ScreeExact exact;
  const ScreeExactDef def = {exponent, restitution, alpha, 1.0, 1.0, 1.0};
  if (scree_exact_solve(&def, &exact) != SCREE_OK) exact = (ScreeExact){.alpha = NAN};
  return exact;
}

static ScreeImpactDef oscillator(double exponent, double alpha) {
  ScreeImpactDef def = scree_impact_def_default(SCREE_LAW_power_law_tsuji);
  def.pair = scree_pair_def_default();
  def.pair.stiffness = def.pair.mass = def.pair.speed = 1.0;
  def.pair.exponent = exponent;
  def.pair.param[SCREE_PARAM_alpha] = alpha;
  return def;
}

static ScreeImpactResult integrate(double exponent, double alpha) {
  ScreeImpactDef def = oscillator(exponent, alpha);
  ScreeImpactResult result;
  if (scree_impact_run(&def, &result) != SCREE_OK)
    result = (ScreeImpactResult){.restitution = NAN, .max_overlap = NAN, .duration = NAN};
  return result;
}

/* The strength that gives e, found without the closed form. */
static double alpha_by_bisection(double exponent, double e) {
  double low = 0, high = sqrt(2 * (exponent + 1));
  for (int i = 0; i < 40; i++) {
    double middle = 0.5 * (low + high);
    *(integrate(exponent, middle).restitution > e ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

static void next_block(FILE *stream, int *blocks) {
  if ((*blocks)++) fputs("\n\n", stream);
}

/* Pairs of blocks (closed form, integration), one per label, lines and circles of one colour. */
static void write_pairs(FILE *stream, const char *data, int pairs, const char *columns, const char *name,
                        const double *labels) {
  for (int i = 0; i < pairs; i++)
    fprintf(stream,
            "%s\\\n  %s index %d using %s with lines lt %d title '%s = %g', "
            "%s index %d using %s with points pt 6 ps 0.9 lw 1.3 lc rgb '#000000' %s",
            i ? ", " : "", data, 2 * i, columns, i + 1, name, labels[i], data, 2 * i + 1, columns,
            i + 1 < pairs ? "notitle" : "title 'integrated'");
}

/* ---- alpha over e ----------------------------------------------------------------------------------------------- */

static const double marks[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};
#define MARKS ((int)(sizeof marks / sizeof *marks))

void exact_alpha_data(FILE *stream, const FigureContext *context) {
  (void)context;
  int blocks = 0;
  fputs("exponent,restitution,alpha,source\n", stream);
  for (int i = 0; i < EXPONENTS; i++) {
    next_block(stream, &blocks);
    for (int k = 2; k <= 200; k++)
      write_row(stream, "exact", (double[]){exponents[i], k / 200.0, solve(exponents[i], k / 200.0, NAN).alpha}, 3);
    next_block(stream, &blocks);
    for (int k = 0; k < MARKS; k++)
      write_row(stream, "bisection", (double[]){exponents[i], marks[k], alpha_by_bisection(exponents[i], marks[k])}, 3);
  }
}

void exact_alpha_script(FILE *stream, const char *data, bool terminal, const FigureContext *context) {
  figure_write_axes(stream, context, terminal, "restitution e", "damping strength α");
  fputs("set xrange [0:1]\nset yrange [0:*]\nplot ", stream);
  write_pairs(stream, data, EXPONENTS, "2:3", "p", exponents);
  fputc('\n', stream);
}

/* ---- force over time -------------------------------------------------------------------------------------------- */

/* The force rises with a vertical tangent. */
static double dense_at_ends(double share) { return 0.5 * (1 - cos(M_PI * 0.5 * (1 - cos(M_PI * share)))); }

static const double force_exponents[] = {1.5, 2};

/* Blocks per exponent: total and elastic force in closed form, then integrated. Forces over the peak of the total. */
void exact_force_data(FILE *stream, const FigureContext *context) {
  (void)context;
  int blocks = 0;
  fputs("exponent,time,force,elastic,source\n", stream);
  for (int i = 0; i < 2; i++) {
    double p = force_exponents[i];
    ScreeExact exact = solve(p, 0.5, NAN);
    next_block(stream, &blocks);
    for (int k = 0; k <= 200; k++) {
      ScreeExactPoint point;
      if (scree_exact_at_phase(&exact, dense_at_ends(k / 200.0), &point) != SCREE_OK) continue;
      write_row(stream, "exact",
                (double[]){p, point.time / exact.duration, point.force / exact.max_force,
                           pow(fmax(point.overlap, 0), p) / exact.max_force},
                4);
    }
    ScreeTracePoint points[33];
    ScreeImpactResult result;
    ScreeImpactDef def = oscillator(p, exact.alpha);
    next_block(stream, &blocks);
    if (!succeeded(scree_impact_trace(&def, 33, points, &result))) continue;
    for (int k = 0; k < 33; k++)
      write_row(stream, "integration",
                (double[]){p, points[k].time / result.duration, points[k].force / result.max_force,
                           pow(fmax(points[k].overlap, 0), p) / result.max_force},
                4);
  }
}

void exact_force_script(FILE *stream, const char *data, bool terminal, const FigureContext *context) {
  figure_write_axes(stream, context, terminal, "time / duration of contact", "force / peak force");
  fputs("set xrange [0:1]\nset yrange [-0.2:1.1]\nplot 0 lc rgb '#555555' lw 1 notitle", stream);
  for (int i = 0; i < 2; i++)
    fprintf(stream,
            ", \\\n  %s index %d using 2:3 with lines lt %d title 'p = %g, total', "
            "%s index %d using 2:4 with lines lt %d dashtype " PLOT_DASHES " title 'p = %g, elastic part', "
            "%s index %d using 2:3 with points pt 6 ps 0.9 lc rgb '#000000' %s",
            data, 2 * i, i + 1, force_exponents[i], data, 2 * i, i + 1, force_exponents[i], data, 2 * i + 1,
            i ? "title 'integrated'" : "notitle");
  fputc('\n', stream);
}

/* ---- maximum overlap over e ------------------------------------------------------------------------------------- */

#define OVERLAP_EXPONENTS 3 /* the first of the table */

void exact_overlap_data(FILE *stream, const FigureContext *context) {
  (void)context;
  int blocks = 0;
  fputs("exponent,restitution,max_overlap,source\n", stream);
  for (int i = 0; i < OVERLAP_EXPONENTS; i++) {
    double p = exponents[i];
    next_block(stream, &blocks);
    for (int k = 2; k <= 200; k++)
      write_row(stream, "exact", (double[]){p, k / 200.0, solve(p, k / 200.0, NAN).max_overlap}, 3);
    next_block(stream, &blocks);
    for (int k = 0; k < MARKS; k++)
      write_row(stream, "integration", (double[]){p, marks[k], integrate(p, solve(p, marks[k], NAN).alpha).max_overlap},
                3);
  }
}

void exact_overlap_script(FILE *stream, const char *data, bool terminal, const FigureContext *context) {
  figure_write_axes(stream, context, terminal, "restitution e",
                    "maximum overlap [m] (m = 1 kg, K = 1 N/m^p, v0 = 1 m/s)");
  fputs("set xrange [0:1]\nplot ", stream);
  write_pairs(stream, data, OVERLAP_EXPONENTS, "2:3", "p", exponents);
  fputc('\n', stream);
}

/* ---- duration over damping -------------------------------------------------------------------------------------- */

void exact_duration_data(FILE *stream, const FigureContext *context) {
  (void)context;
  int blocks = 0;
  fputs("exponent,damping_ratio,duration_ratio,source\n", stream);
  for (int i = 0; i < EXPONENTS; i++) {
    double p = exponents[i], strength = sqrt(2 * (p + 1)), elastic = integrate(p, 0).duration;
    next_block(stream, &blocks);
    for (int k = 0; k <= 180; k++)
      write_row(stream, "exact", (double[]){p, k / 200.0, solve(p, NAN, strength * k / 200.0).duration_ratio}, 3);
    next_block(stream, &blocks);
    for (int k = 1; k <= 9; k++)
      write_row(stream, "integration", (double[]){p, k / 10.0, integrate(p, strength * k / 10.0).duration / elastic},
                3);
  }
}

void exact_duration_script(FILE *stream, const char *data, bool terminal, const FigureContext *context) {
  figure_write_axes(stream, context, terminal, "damping ratio a = α/√(2(p+1))", "duration / duration without damping");
  fputs("set xrange [0:0.95]\nset yrange [0.9:*]\nset key inside left top\n"
        "plot 1/sqrt(1-x**2) with lines lw 1.5 lc rgb '#000000' dashtype 3 title 'bound 1/√(1-a²)', ",
        stream);
  write_pairs(stream, data, EXPONENTS, "2:3", "p", exponents);
  fputc('\n', stream);
}

/* ---- phase portrait --------------------------------------------------------------------------------------------- */

static const double portraits[] = {0.9, 0.7, 0.5, 0.3};
#define PORTRAITS ((int)(sizeof portraits / sizeof *portraits))

void exact_phase_data(FILE *stream, const FigureContext *context) {
  (void)context;
  int blocks = 0;
  fputs("restitution,overlap,velocity,source\n", stream);
  for (int i = 0; i < PORTRAITS; i++) {
    ScreeExact exact = solve(1.5, portraits[i], NAN);
    next_block(stream, &blocks);
    for (int k = 0; k <= 200; k++) {
      ScreeExactPoint point;
      if (scree_exact_at_phase(&exact, k / 200.0, &point) == SCREE_OK)
        write_row(stream, "exact", (double[]){portraits[i], point.overlap, point.velocity}, 3);
    }
    ScreeTracePoint points[25];
    ScreeImpactResult result;
    ScreeImpactDef def = oscillator(1.5, exact.alpha);
    next_block(stream, &blocks);
    if (!succeeded(scree_impact_trace(&def, 25, points, &result))) continue;
    for (int k = 0; k < 25; k++)
      write_row(stream, "integration", (double[]){portraits[i], points[k].overlap, points[k].velocity}, 3);
  }
}

void exact_phase_script(FILE *stream, const char *data, bool terminal, const FigureContext *context) {
  figure_write_axes(stream, context, terminal, "overlap [m] (m = 1 kg, K = 1 N/m^1.5, v0 = 1 m/s)",
                    "velocity / impact speed");
  fputs("set xrange [0:*]\nset yrange [-1:1.05]\nplot 0 lc rgb '#555555' lw 1 notitle, ", stream);
  write_pairs(stream, data, PORTRAITS, "2:3", "e", portraits);
  fputc('\n', stream);
}

/* ---- f(p) ------------------------------------------------------------------------------------------------------- */

void exact_factor_data(FILE *stream, const FigureContext *context) {
  (void)context;
  static const double marked[] = {1, 1.5, 2, 2.5, 3, 3.5, 4, 5};
  const double ratio = log(2) / sqrt(M_PI * M_PI + log(2) * log(2)); /* of the linear oscillator with e = 0.5 */
  int blocks = 0;
  fputs("exponent,factor,source\n", stream);
  next_block(stream, &blocks);
  for (int k = 0; k <= 100; k++) write_row(stream, "exact", (double[]){1 + k / 25.0, sqrt(2 * (2 + k / 25.0))}, 2);
  next_block(stream, &blocks);
  for (size_t k = 0; k < sizeof marked / sizeof *marked; k++)
    write_row(stream, "bisection", (double[]){marked[k], alpha_by_bisection(marked[k], 0.5) / ratio}, 2);
}

void exact_factor_script(FILE *stream, const char *data, bool terminal, const FigureContext *context) {
  figure_write_axes(stream, context, terminal, "exponent p", "factor f(p)");
  fputs("set xrange [0.8:5.2]\nset yrange [1.8:3.6]\nset key inside left top\n", stream);
  fputs("set label 2 'p = 1: linear, f = 2' at 1,2 offset 1.5,-0.7\n"
        "set label 3 'p = 3/2: Hertz, f = √5' at 1.5,sqrt(5) offset 1.5,-0.7\n",
        stream);
  fprintf(stream,
          "plot %s index 0 using 1:2 with lines lt 1 title '√(2(p+1))', "
          "%s index 1 using 1:2 with points pt 6 ps 1.1 lw 1.3 lc rgb '#000000' title 'integrated'\n",
          data, data);
}
