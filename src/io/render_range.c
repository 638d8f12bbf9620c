/* render_range.c: see render_parts.h. The range of the colours.
 *
 * From the first to the last percent of the values, or to the least and the largest one where these are not far beyond:
 * one grain that is shot away does not take the colours from all others. The ends are round numbers. Speeds below a
 * small part of what a grain gains while it falls by its diameter are noise: such a range is not spread over all
 * colours, and where nearly all grains are far below it, they are at rest and have one colour. */
#include "io/render_parts.h"

#include "core/status.h"
#include "io/trajectory.h"

#include <math.h>
#include <stdlib.h>

#define TAIL 0.01      /* of the grains at each end */
#define NEAR_TAIL 0.3  /* of the range without tails: so far beyond it the values still belong to it */
#define NEAR_ZERO 0.35 /* of the top: magnitudes that begin below it begin at zero */
#define REST 1e-3      /* of the natural speed: at rest */
#define NOISE 0.05     /* of the natural speed: a smaller range is not spread */
#define REST_TONE 0.3  /* of the colour map */

double scree_picture_value(const Picture *p, size_t grain) {
  const ScreeRenderDef *d = p->def;
  if (d->column >= 0) return scree_polydata_value(p->grains, d->column, grain, d->component);
  const double *x = p->grains->point + 3 * grain;
  return d->component < 0 ? sqrt(scree_picture_dot(x, x)) : x[d->component];
}

/* 1, 2 or 5 and the power of ten that goes with it, not above the value. */
static double leading_digit(double value, double *exponent) {
  *exponent = floor(log10(value));
  double m = value / pow(10, *exponent);
  return m >= 5 ? 5 : m >= 2 ? 2 : 1;
}

double scree_round_down(double value) {
  double exponent, digit = leading_digit(value, &exponent);
  return digit * pow(10, exponent);
}

/* So many steps, as the number that is written so: by a division where the step is a fraction. */
static double steps_of(double count, double digit, double exponent) {
  return exponent < 0 ? count * digit / pow(10, -exponent) : count * digit * pow(10, exponent);
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Counts and given values keep their full range. */
static bool is_exact(const ScreeRenderDef *d) {
  return d->column == SCREE_FIELD_id || d->column == SCREE_FIELD_type || d->column == SCREE_FIELD_radius ||
         d->column == SCREE_FIELD_contacts;
}

static bool is_magnitude(const ScreeRenderDef *d) {
  return d->component < 0 && d->column >= 0 && scree_fields[d->column].components == 3;
}

/* Returns the scale that velocities, or spins, are judged by; 0 without gravity or for other columns. */
static double natural(const Picture *p) {
  double r = p->mean_radius, speed = p->def->gravity > 0 ? sqrt(p->def->gravity * 2 * r) : 0;
  if (p->def->column == SCREE_FIELD_velocity) return speed;
  return p->def->column == SCREE_FIELD_angular_velocity && r > 0 ? speed / r : 0;
}

typedef struct Range {
  double low, high;
} Range;

/* v: finite, sorted, not empty. */
static Range robust(const ScreeRenderDef *d, const double *v, size_t count) {
  double least = v[0], most = v[count - 1];
  if (is_exact(d)) return (Range){least, most};
  size_t tail = (size_t)(TAIL * (double)count);
  Range r = {v[tail], v[count - 1 - tail]};
  double more = NEAR_TAIL * (r.high - r.low);
  if (least >= r.low - more) r.low = least;
  if (most <= r.high + more) r.high = most;
  if (is_magnitude(d) && r.low < NEAR_ZERO * r.high) r.low = 0;
  return r;
}

static Range spread(Range r, double span) {
  if (!(r.high - r.low < span)) return r;
  if (r.low >= 0) return r.low < span ? (Range){0, fmax(span, r.high)} : r;
  double middle = (r.low + r.high) / 2;
  return (Range){middle - span / 2, middle + span / 2};
}

/* Outwards, to round numbers. */
static Range rounded(Range r) {
  double span = r.high - r.low, size = fmax(fabs(r.low), fabs(r.high));
  if (!(span > 1e-9 * size) || !isfinite(span)) return r;
  double exponent, digit = leading_digit(span / 4, &exponent), step = digit * pow(10, exponent);
  return (Range){steps_of(floor(r.low / step + 1e-9), digit, exponent),
                 steps_of(ceil(r.high / step - 1e-9), digit, exponent)};
}

/* Magnitude of what a grain does, sorted: what 99 % do not exceed. */
static double most_of(const double *v, size_t count) {
  size_t tail = (size_t)(TAIL * (double)count);
  return fmax(fabs(v[tail]), fabs(v[count - 1 - tail]));
}

static void choose(Picture *p, ScreeRenderDef *def, const double *v, size_t count) {
  double scale = natural(p);
  Range r = count ? robust(def, v, count) : (Range){0, 0};
  bool chosen = isnan(def->low) && isnan(def->high);
  def->at_rest = chosen && count && scale > 0 && most_of(v, count) <= REST * scale;
  p->rest_speed = count ? most_of(v, count) : 0;
  if (def->at_rest) {
    def->low = v[0], def->high = v[count - 1];
    return;
  }
  if (!is_exact(def)) r = rounded(spread(r, NOISE * scale));
  if (isnan(def->low)) def->low = r.low;
  if (isnan(def->high)) def->high = r.high;
  p->below = count && v[0] < def->low;
  p->above = count && v[count - 1] > def->high;
}

static void colour_all(Picture *p) {
  const ScreeRenderDef *def = p->def;
  double span = def->high - def->low;
  for (size_t i = 0; i < p->grains->rows; i++) {
    double v = scree_picture_value(p, i), t = span > 0 ? (v - def->low) / span : 0.5;
    p->colour[i] =
        def->names ? scree_colour_of(v >= 0 && v < 1e9 ? (int)v : 0) : scree_colour_map(def->at_rest ? REST_TONE : t);
  }
}

ScreeStatus scree_picture_colours(Picture *p, ScreeRenderDef *def) {
  double *v = malloc((p->grains->rows + 1) * sizeof *v);
  size_t count = 0;
  if (!v) return scree_fail(SCREE_NO_MEMORY, "no memory for the colours of %zu grains", p->grains->rows);
  for (size_t i = 0; i < p->grains->rows; i++) {
    double value = scree_picture_value(p, i);
    if (isfinite(value)) v[count++] = value;
  }
  qsort(v, count, sizeof *v, by_value);
  choose(p, def, v, count);
  free(v);
  colour_all(p);
  return SCREE_OK;
}
