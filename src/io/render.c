/* render.c: see render.h.
 *
 * The eye is far away, so a sphere is a disc whose depth is a root. Two by two samples per pixel:
 *
 *     place     what must be in sight decides scale and middle
 *     scan      every sphere into a buffer of depths and owners: 8 bytes per sample
 *     shade     each sample from its sphere's normal: two lights, the occlusion of its surroundings, a dark contour
 * where the depth jumps; lines of walls over it where nothing is in front of them dress     title, time, colour bar,
 * scale, axes */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/render.h"

#include "core/nearest.h"
#include "core/status.h"
#include "io/trajectory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES 2 /* per pixel and axis */
#define PI 3.14159265358979323846
#define FAR (-3e38f)

/* ---- what is asked for ---- */

ScreeRenderDef scree_render_def_default(void) {
  return (ScreeRenderDef){.width = 1200,
                          .height = 900,
                          .azimuth = -60,
                          .elevation = 20,
                          .column = SCREE_FIELD_velocity,
                          .component = -1,
                          .low = NAN,
                          .high = NAN,
                          .box_low = {NAN, NAN, NAN},
                          .box_high = {NAN, NAN, NAN}};
}

static int components_of(int column) { return column < 0 ? 3 : scree_fields[column].components; }

static ScreeStatus unknown_field(const char *name) {
  char list[200] = "position";
  const char *nearest = scree_is_near(name, "position") ? "position" : NULL;
  for (int i = 0; i < SCREE_FIELD_COUNT; i++) {
    const char *field = scree_fields[i].name;
    strncat(list, ", ", sizeof list - strlen(list) - 1);
    strncat(list, field, sizeof list - strlen(list) - 1);
    if (!nearest && scree_is_near(name, field)) nearest = field;
  }
  if (nearest) return scree_fail(SCREE_UNKNOWN, "no field \"%.60s\": did you mean \"%s\"?", name, nearest);
  return scree_fail(SCREE_UNKNOWN, "no field \"%.60s\"; there are: %s; of vectors also .x, .y, .z", name, list);
}

ScreeStatus scree_render_colour(ScreeRenderDef *def, const char *name) {
  size_t length = strcspn(name, ".");
  int column = SCREE_FIELD_COUNT, component = -1;
  if (strncmp(name, "position", length) == 0 && length == 8) column = -1;
  for (int i = 0; i < SCREE_FIELD_COUNT; i++)
    if (strncmp(name, scree_fields[i].name, length) == 0 && !scree_fields[i].name[length] && length) column = i;
  if (column == SCREE_FIELD_COUNT) return unknown_field(name);
  if (name[length]) {
    const char *axis = name + length + 1;
    component = *axis >= 'x' && *axis <= 'z' && !axis[1] ? *axis - 'x' : -1;
    if (component < 0 || components_of(column) != 3)
      return scree_fail(SCREE_UNKNOWN, "no field \"%.60s\": only vectors have parts, .x, .y and .z", name);
  }
  def->column = column;
  def->component = component;
  return SCREE_OK;
}

ScreeStatus scree_render_view(ScreeRenderDef *def, const char *text) {
  static const struct {
    const char *name;
    double azimuth, elevation;
  } views[] = {{"x", 0, 0}, {"y", -90, 0}, {"z", -90, 90}, {"iso", -60, 20}};
  for (int i = 0; i < 4; i++)
    if (strcmp(text, views[i].name) == 0) {
      def->azimuth = views[i].azimuth;
      def->elevation = views[i].elevation;
      return SCREE_OK;
    }
  double azimuth, elevation;
  int end = 0;
  if (sscanf(text, "%lf,%lf%n", &azimuth, &elevation, &end) != 2 || text[end] || !(fabs(azimuth) <= 3600) ||
      !(fabs(elevation) <= 90))
    return scree_fail(SCREE_INVALID,
                      "a view is x, y, z, iso, or AZIMUTH,ELEVATION in degrees, the elevation in -90 ... 90 (got "
                      "\"%.60s\")",
                      text);
  def->azimuth = azimuth;
  def->elevation = elevation;
  return SCREE_OK;
}

/* ---- place ---- */

typedef struct Picture {
  const ScreeRenderDef *def;
  const ScreePolyData *grains;
  const ScreeSurface *walls;
  double axis[3][3];               /* to the right, up, to the eye */
  double unit;                     /* pixels of the design per pixel: 1 at 1200 x 900 */
  double left, right, top, bottom; /* pixels of the image that hold the grains */
  double scale, middle[2], depth;  /* pixels per metre; what is in the middle, m */
  int wide, high;                  /* samples */
  float *z;                        /* samples, towards the eye */
  uint32_t *owner;                 /* 1 + the grain; 0: none */
  unsigned char *line;             /* cover by lines, 0 ... 255 */
  float *open;                     /* per pixel: share of the surroundings' light that arrives */
  ScreeColour *colour;             /* of each grain */
} Picture;

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void look(Picture *p) {
  double a = p->def->azimuth * PI / 180, e = p->def->elevation * PI / 180;
  double ca = cos(a), sa = sin(a), ce = cos(e), se = sin(e);
  memcpy(p->axis, (double[3][3]){{-sa, ca, 0}, {-se * ca, -se * sa, ce}, {ce * ca, ce * sa, se}}, sizeof p->axis);
}

typedef struct Range {
  double low, high;
} Range;

static void widen(Range *r, double low, double high) {
  r->low = fmin(r->low, low);
  r->high = fmax(r->high, high);
}

static const double *radii_of(const ScreePolyData *grains) { return grains->column[SCREE_FIELD_radius].values; }

/* What the grains take of an axis of the view, and the box that is to stay in sight. */
static Range extent(const Picture *p, int axis) {
  Range r = {INFINITY, -INFINITY};
  const double *radius = radii_of(p->grains);
  for (size_t i = 0; i < p->grains->rows; i++) {
    double x = dot(p->axis[axis], p->grains->point + 3 * i);
    widen(&r, x - radius[i], x + radius[i]);
  }
  for (int i = 0; i < 8 && !isnan(p->def->box_low[0]); i++) {
    double corner[3];
    for (int k = 0; k < 3; k++) corner[k] = i >> k & 1 ? p->def->box_high[k] : p->def->box_low[k];
    double x = dot(p->axis[axis], corner);
    widen(&r, x, x);
  }
  return r;
}

#define WALLS_BEYOND 0.6 /* of the grains' extent: so much more of the walls is shown, at each side */

static Range walls_extent(const Picture *p, int axis) {
  Range r = {INFINITY, -INFINITY};
  for (size_t i = 0; p->walls && i < 2 * p->walls->lines; i++) {
    double x = dot(p->axis[axis], p->walls->line + 3 * i);
    widen(&r, x, x);
  }
  return r;
}

static void place(Picture *p) {
  Range r[3], walls[3];
  double size = 0;
  for (int k = 0; k < 3; k++) {
    r[k] = extent(p, k);
    walls[k] = walls_extent(p, k);
    if (!(r[k].high >= r[k].low)) r[k] = walls[k].high >= walls[k].low ? walls[k] : (Range){-1, 1};
    if (k < 2) size = fmax(size, r[k].high - r[k].low);
  }
  for (int k = 0; k < 2; k++) {
    double more = WALLS_BEYOND * size;
    Range grains = r[k];
    if (walls[k].low < walls[k].high)
      widen(&r[k], fmax(walls[k].low, grains.low - more), fmin(walls[k].high, grains.high + more));
  }
  double across = fmax(r[0].high - r[0].low, 1e-30), tall = fmax(r[1].high - r[1].low, 1e-30);
  p->scale = fmin((p->right - p->left) / across, (p->bottom - p->top) / tall);
  for (int k = 0; k < 2; k++) p->middle[k] = (r[k].low + r[k].high) / 2;
  p->depth = (r[2].low + r[2].high) / 2;
}

/* A point of space in samples; depth in samples too. */
static void project(const Picture *p, const double *x, double *out) {
  out[0] = SAMPLES * ((p->left + p->right) / 2 + p->scale * (dot(p->axis[0], x) - p->middle[0]));
  out[1] = SAMPLES * ((p->top + p->bottom) / 2 - p->scale * (dot(p->axis[1], x) - p->middle[1]));
  out[2] = SAMPLES * p->scale * (dot(p->axis[2], x) - p->depth);
}

/* ---- scan ---- */

#define SMALLEST 0.8 /* samples: a smaller sphere is drawn so large, or it would vanish */

static void scan_sphere(Picture *p, size_t grain) {
  double c[3], r = fmax(SAMPLES * p->scale * radii_of(p->grains)[grain], SMALLEST), r2 = r * r;
  project(p, p->grains->point + 3 * grain, c);
  int top = (int)fmax(ceil(c[1] - r - 0.5), 0), bottom = (int)fmin(floor(c[1] + r - 0.5), p->high - 1);
  for (int j = top; j <= bottom; j++) {
    double dy = j + 0.5 - c[1], half2 = r2 - dy * dy;
    if (half2 <= 0) continue;
    double half = sqrt(half2);
    int left = (int)fmax(ceil(c[0] - half - 0.5), 0), right = (int)fmin(floor(c[0] + half - 0.5), p->wide - 1);
    float *z = p->z + (size_t)j * (size_t)p->wide;
    uint32_t *owner = p->owner + (size_t)j * (size_t)p->wide;
    float near = (float)(c[2] + half), cx = (float)(c[0] - 0.5), cz = (float)c[2], h2 = (float)half2;
    for (int i = left; i <= right; i++) {
      if (near <= z[i]) continue; /* even its nearest point of this row is behind */
      float dx = (float)i - cx, depth = cz + sqrtf(fmaxf(h2 - dx * dx, 0));
      if (depth > z[i]) z[i] = depth, owner[i] = (uint32_t)grain + 1;
    }
  }
}

/* ---- lines of walls ---- */

#define LINE_THICKNESS 1.5 /* pixels of the design */

/* The part of a segment within the room for grains, or a little beside it; false: none. */
static bool clip(const Picture *p, double *a, double *b) {
  double t0 = 0, t1 = 1, d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, beside = 8 * p->unit;
  const double low[2] = {SAMPLES * (p->left - beside), SAMPLES * (p->top - beside)},
               top[2] = {SAMPLES * (p->right + beside), SAMPLES * (p->bottom + beside)};
  for (int k = 0; k < 2; k++) {
    if (d[k] == 0) {
      if (a[k] < low[k] || a[k] > top[k]) return false;
      continue;
    }
    double s0 = (low[k] - a[k]) / d[k], s1 = (top[k] - a[k]) / d[k];
    t0 = fmax(t0, fmin(s0, s1));
    t1 = fmin(t1, fmax(s0, s1));
  }
  if (t0 >= t1) return false;
  for (int k = 0; k < 3; k++) b[k] = a[k] + t1 * d[k], a[k] += t0 * d[k];
  return true;
}

/* One sample of a line: hidden behind spheres. */
static void scan_line_sample(Picture *p, const double *a, const double *d, double size2, double r, int i, int j) {
  double x = i + 0.5 - a[0], y = j + 0.5 - a[1], t = fmin(fmax((x * d[0] + y * d[1]) / size2, 0), 1);
  double cover = r + 0.5 - hypot(x - t * d[0], y - t * d[1]);
  size_t at = (size_t)j * (size_t)p->wide + (size_t)i;
  if (cover <= 0 || p->z[at] > a[2] + t * d[2]) return;
  unsigned char value = (unsigned char)(255 * fmin(cover, 1));
  if (value > p->line[at]) p->line[at] = value;
}

static void scan_line(Picture *p, const double *from, const double *to) {
  double a[3], b[3], r = SAMPLES * fmax(LINE_THICKNESS * p->unit, 0.8) / 2, reach = r + 1;
  project(p, from, a);
  project(p, to, b);
  if (!clip(p, a, b)) return;
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, size2 = fmax(d[0] * d[0] + d[1] * d[1], 1e-12);
  bool steep = fabs(d[1]) > fabs(d[0]); /* walk along the longer axis, and only across the line on the other */
  int along = steep, other = !steep, last[2] = {p->wide - 1, p->high - 1};
  double slope = d[along] != 0 ? d[other] / d[along] : 0, spread = reach * sqrt(1 + slope * slope) + 1;
  int first = (int)fmax(floor(fmin(a[along], b[along]) - reach), 0),
      end = (int)fmin(ceil(fmax(a[along], b[along]) + reach), last[along]);
  for (int m = first; m <= end; m++) {
    double middle = a[other] + slope * (m + 0.5 - a[along]);
    int low = (int)fmax(floor(middle - spread), 0), high = (int)fmin(ceil(middle + spread), last[other]);
    for (int n = low; n <= high; n++) scan_line_sample(p, a, d, size2, r, steep ? n : m, steep ? m : n);
  }
}

/* ---- the light of the surroundings ---- */

#define DIRECTIONS 8
#define STEPS 3

/* The normal of a sample's sphere. */
static void normal_of(const Picture *p, int i, int j, float *n) {
  size_t at = (size_t)j * (size_t)p->wide + (size_t)i, grain = p->owner[at] - 1;
  double c[3], r = fmax(SAMPLES * p->scale * radii_of(p->grains)[grain], SMALLEST);
  project(p, p->grains->point + 3 * grain, c);
  n[0] = (float)((i + 0.5 - c[0]) / r);
  n[1] = (float)((c[1] - j - 0.5) / r);
  n[2] = sqrtf(fmaxf(1 - n[0] * n[0] - n[1] * n[1], 0));
}

/* What stands above the surface around a pixel shades it. The pattern turns from pixel to pixel in a tile of 4 x 4,
 * over which the result is averaged afterwards. */
static float open_at(const Picture *p, int x, int y, double reach) {
  int i = SAMPLES * x, j = SAMPLES * y;
  size_t at = (size_t)j * (size_t)p->wide + (size_t)i;
  if (!p->owner[at]) return 1;
  float n[3], z = p->z[at], blocked = 0;
  normal_of(p, i, j, n);
  int tile = (x & 3) + 4 * (y & 3), turn = (tile * 7) & 15;
  for (int d = 0; d < DIRECTIONS; d++) {
    double angle = 2 * PI * (d + turn / 16.0) / DIRECTIONS, c = cos(angle), s = sin(angle);
    float worst = 0;
    for (int k = 1; k <= STEPS; k++) {
      double far = reach * (k - 0.5 * ((turn >> 1) & 1)) / STEPS;
      int di = (int)lround(far * c), dj = (int)lround(far * s);
      if (i + di < 0 || j + dj < 0 || i + di >= p->wide || j + dj >= p->high || (!di && !dj)) continue;
      float rise = p->z[(size_t)(j + dj) * (size_t)p->wide + (size_t)(i + di)] - z;
      if (rise < -1e30f) continue;
      float size = sqrtf((float)(di * di + dj * dj) + rise * rise);
      float facing = (n[0] * (float)di - n[1] * (float)dj + n[2] * rise) / size;
      float fade = fmaxf(0, 1 - size / (float)(2.2 * reach));
      worst = fmaxf(worst, (facing - 0.08f) * fade);
    }
    blocked += worst;
  }
  return 1 - 0.95f * fminf(blocked / DIRECTIONS * 1.6f, 1);
}

static double mean_radius(const ScreePolyData *grains) {
  double sum = 0;
  for (size_t i = 0; i < grains->rows; i++) sum += radii_of(grains)[i];
  return grains->rows ? sum / (double)grains->rows : 0;
}

static void light_surroundings(Picture *p) {
  int width = p->def->width, height = p->def->height;
  double reach = fmin(fmax(1.3 * SAMPLES * p->scale * mean_radius(p->grains), 4), 160);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) p->open[(size_t)y * (size_t)width + (size_t)x] = open_at(p, x, y, reach);
}

/* The mean over a tile, of what lies at about the same depth. */
static float open_mean(const Picture *p, int x, int y) {
  int width = p->def->width, height = p->def->height, count = 0;
  float sum = 0, z = p->z[(size_t)(SAMPLES * y) * (size_t)p->wide + (size_t)(SAMPLES * x)];
  for (int j = y - 1; j <= y + 2; j++)
    for (int i = x - 1; i <= x + 2; i++) {
      if (i < 0 || j < 0 || i >= width || j >= height) continue;
      if (fabsf(p->z[(size_t)(SAMPLES * j) * (size_t)p->wide + (size_t)(SAMPLES * i)] - z) > 6 * SAMPLES) continue;
      sum += p->open[(size_t)j * (size_t)width + (size_t)i];
      count++;
    }
  return count ? sum / (float)count : 1;
}

/* ---- shade ---- */

static const ScreeColour white = {1, 1, 1}, ink = {0.012f, 0.014f, 0.018f}, wall_ink = {0.10f, 0.12f, 0.15f};

/* Is this sample at the rim of its sphere, with nothing close behind? */
static bool is_contour(const Picture *p, int i, int j, double r) {
  static const int next[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  if (r < 5) return false;
  float z = p->z[(size_t)j * (size_t)p->wide + (size_t)i], jump = (float)fmax(0.3 * r, 4);
  for (int k = 0; k < 4; k++) {
    int x = i + next[k][0], y = j + next[k][1];
    if (x < 0 || y < 0 || x >= p->wide || y >= p->high) continue;
    if (p->z[(size_t)y * (size_t)p->wide + (size_t)x] < z - jump) return true;
  }
  return false;
}

static ScreeColour shade(const Picture *p, int i, int j, float open) {
  size_t at = (size_t)j * (size_t)p->wide + (size_t)i;
  ScreeColour out = white;
  if (p->owner[at]) {
    static const float key[3] = {-0.42f, 0.58f, 0.70f}, fill[3] = {0.75f, 0.05f, 0.66f};
    float n[3];
    normal_of(p, i, j, n);
    float k = fmaxf(n[0] * key[0] + n[1] * key[1] + n[2] * key[2], 0),
          f = fmaxf(n[0] * fill[0] + n[1] * fill[1] + n[2] * fill[2], 0);
    float ambient = open * (0.40f + 0.12f * n[1]), light = ambient + (0.35f + 0.65f * open) * (0.58f * k + 0.14f * f);
    float half = fmaxf(n[0] * -0.23f + n[1] * 0.315f + n[2] * 0.92f, 0), shine = half * half;
    shine = shine * shine, shine = shine * shine, shine = shine * shine, shine = 0.10f * shine * shine * open;
    ScreeColour c = p->colour[p->owner[at] - 1];
    out = (ScreeColour){c.r * light + shine, c.g * light + shine, c.b * light + shine};
    double r = SAMPLES * p->scale * radii_of(p->grains)[p->owner[at] - 1];
    if (is_contour(p, i, j, r)) out = scree_colour_mix(out, ink, 0.62f);
  }
  return p->line[at] ? scree_colour_mix(out, wall_ink, 0.0024f * p->line[at]) : out;
}

static void resolve(const Picture *p, ScreeImage *image) {
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++) {
      ScreeColour sum = {0, 0, 0};
      float open = open_mean(p, x, y);
      for (int k = 0; k < SAMPLES * SAMPLES; k++) {
        ScreeColour c = shade(p, SAMPLES * x + k % SAMPLES, SAMPLES * y + k / SAMPLES, open);
        sum.r += c.r, sum.g += c.g, sum.b += c.b;
      }
      const float part = 1.0f / (SAMPLES * SAMPLES);
      image->pixel[(size_t)y * (size_t)image->width + (size_t)x] =
          (ScreeColour){fminf(sum.r * part, 1), fminf(sum.g * part, 1), fminf(sum.b * part, 1)};
    }
}

/* ---- colours of the grains ---- */

static double value_of(const Picture *p, size_t grain) {
  const ScreeRenderDef *d = p->def;
  if (d->column >= 0) return scree_polydata_value(p->grains, d->column, grain, d->component);
  const double *x = p->grains->point + 3 * grain;
  return d->component < 0 ? sqrt(dot(x, x)) : x[d->component];
}

static void colour_grains(Picture *p, ScreeRenderDef *def) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < p->grains->rows; i++) {
    double v = value_of(p, i);
    low = fmin(low, v), high = fmax(high, v);
  }
  if (isnan(def->low)) def->low = isfinite(low) ? low : 0;
  if (isnan(def->high)) def->high = isfinite(high) ? high : 0;
  double span = def->high - def->low;
  for (size_t i = 0; i < p->grains->rows; i++) {
    double v = value_of(p, i);
    p->colour[i] = def->names ? scree_colour_of((int)v) : scree_colour_map(span > 0 ? (v - def->low) / span : 0.5);
  }
}

/* ---- dress ---- */

static const ScreeColour text_ink = {0.02f, 0.022f, 0.026f}, pale_ink = {0.13f, 0.14f, 0.15f};

/* 1, 2 or 5 times a power of ten, not above the value. */
static double round_down(double value) {
  double power = pow(10, floor(log10(value))), m = value / power;
  return power * (m >= 5 ? 5 : m >= 2 ? 2 : 1);
}

static void number_text(double value, char *text, size_t size) {
  snprintf(text, size, "%.3g", value == 0 ? 0.0 : value);
  char *e = strstr(text, "e-0");
  if (!e) e = strstr(text, "e+0");
  if (e) memmove(e + 2, e + 3, strlen(e + 3) + 1);
}

/* A number as near to its neighbours needs: ticks that are steps of `step`. */
static void tick_text(double value, double step, char *text, size_t size) {
  int decimals = (int)fmax(0, -floor(log10(step) + 1e-9));
  if (decimals > 4 || fabs(value) >= 1e5)
    number_text(value, text, size);
  else
    snprintf(text, size, "%.*f", decimals, fabs(value) < step / 1e3 ? 0.0 : value);
}

static void draw_tick(ScreeImage *image, const Picture *p, double x, double y, const char *text) {
  double u = p->unit;
  scree_image_line(image, x, y, x + 6 * u, y, fmax(1.2 * u, 0.8), text_ink);
  scree_image_text(image, x + 12 * u, y + 6 * u, 12.5 * u, SCREE_LEFT, text_ink, text);
}

static void draw_bar_label(ScreeImage *image, const Picture *p, double x, double y) {
  const ScreeRenderDef *d = p->def;
  const char *name = d->column < 0 ? "position" : scree_fields[d->column].name;
  const char *unit = d->column < 0 ? "m" : scree_fields[d->column].unit;
  char label[80], spaced[60];
  snprintf(spaced, sizeof spaced, "%s", d->names ? "material" : name);
  for (char *c = spaced; *c; c++)
    if (*c == '_') *c = ' ';
  bool magnitude = components_of(d->column) == 3 && d->component < 0;
  snprintf(label, sizeof label, "%s%s%s%s%c%s%s%s", magnitude ? "|" : "", spaced, magnitude ? "|" : "",
           d->component >= 0 ? " " : "", d->component >= 0 ? 'x' + d->component : '\0', "", "", "");
  scree_image_text(image, x, y, 13.5 * p->unit, SCREE_LEFT, text_ink, label);
  if (!*unit || d->names) return;
  snprintf(label, sizeof label, "[%s]", unit);
  scree_image_text(image, x, y + 23 * p->unit, 12.5 * p->unit, SCREE_LEFT, text_ink, label);
}

/* What has a name has a patch of its colour. */
static void draw_names(ScreeImage *image, const Picture *p, double x, double y) {
  double u = p->unit;
  bool seen[64] = {false};
  for (size_t i = 0; i < p->grains->rows; i++) {
    double v = value_of(p, i);
    if (v >= 0 && v < 64) seen[(int)v] = true;
  }
  for (size_t i = 0; i < p->def->name_count && i < 64; i++) {
    char name[13];
    if (!seen[i]) continue;
    bool cut = strlen(p->def->names[i]) > 11;
    snprintf(name, sizeof name, "%.*s%s", cut ? 9 : 11, p->def->names[i], cut ? ".." : "");
    scree_image_rectangle(image, x, y, 18 * u, 18 * u, scree_colour_of((int)i));
    scree_image_text(image, x + 27 * u, y + 15 * u, 12.5 * u, SCREE_LEFT, text_ink, name);
    y += 28 * u;
  }
}

static void draw_bar(ScreeImage *image, const Picture *p) {
  double u = p->unit, x = image->width - 148 * u, top = 150 * u, height = image->height - 270 * u, width = 20 * u;
  double low = p->def->low, high = p->def->high, span = high - low;
  bool flat = !(span > 1e-9 * fmax(fabs(low), fabs(high))); /* between such numbers there are no round ones */
  char text[40];
  draw_bar_label(image, p, x, top - 46 * u);
  if (p->def->names) {
    draw_names(image, p, x, top - 20 * u);
    return;
  }
  int rows = (int)fmax(height, 1);
  for (int i = 0; i < rows; i++)
    scree_image_rectangle(image, x, top + i * height / rows, width, height / rows,
                          scree_colour_map(!flat ? 1 - (i + 0.5) / rows : 0.5));
  const double edge[4][4] = {{0, 0, 1, 0}, {1, 0, 1, 1}, {1, 1, 0, 1}, {0, 1, 0, 0}};
  for (int k = 0; k < 4; k++)
    scree_image_line(image, x + edge[k][0] * width, top + edge[k][1] * height, x + edge[k][2] * width,
                     top + edge[k][3] * height, fmax(1.0 * u, 0.8), pale_ink);
  number_text(high, text, sizeof text);
  if (flat) {
    draw_tick(image, p, x + width, top + height / 2, text);
    return;
  }
  draw_tick(image, p, x + width, top, text);
  number_text(low, text, sizeof text);
  draw_tick(image, p, x + width, top + height, text);
  double step = round_down(span / 4), apart = 20 * u / height;
  double first = ceil(low / step);
  for (int n = 0; (first + n) * step < high; n++) {
    double v = (first + n) * step, t = (v - low) / span;
    if (t < apart || t > 1 - apart) continue;
    tick_text(v, step, text, sizeof text);
    draw_tick(image, p, x + width, top + (1 - t) * height, text);
  }
}

/* A length that is a round number. */
static void draw_scale(ScreeImage *image, const Picture *p) {
  double u = p->unit, length = round_down((p->right - p->left) / p->scale * 0.26), size = length * p->scale;
  double x = p->right - size, y = image->height - 38 * u, thick = fmax(1.6 * u, 0.9);
  char text[40], number[32];
  double shown = length >= 1 ? length : length >= 1e-3 ? length * 1e3 : length * 1e6;
  number_text(shown, number, sizeof number);
  snprintf(text, sizeof text, "%s %s", number, length >= 1 ? "m" : length >= 1e-3 ? "mm" : "um");
  scree_image_line(image, x, y, x + size, y, thick, text_ink);
  scree_image_line(image, x, y - 5 * u, x, y + 5 * u, thick, text_ink);
  scree_image_line(image, x + size, y - 5 * u, x + size, y + 5 * u, thick, text_ink);
  scree_image_text(image, x + size / 2, y + 24 * u, 12.5 * u, SCREE_CENTRE, text_ink, text);
}

static void draw_axes(ScreeImage *image, const Picture *p) {
  static const char *const names[] = {"x", "y", "z"};
  double u = p->unit, x = 62 * u, y = image->height - 56 * u, size = 34 * u;
  for (int k = 0; k < 3; k++) {
    double dx = p->axis[0][k], dy = -p->axis[1][k], long2 = dx * dx + dy * dy;
    ScreeColour colour = scree_colour_of(k == 0 ? 3 : k == 1 ? 2 : 0);
    if (long2 < 0.01) continue; /* towards the eye */
    scree_image_line(image, x, y, x + size * dx, y + size * dy, fmax(2 * u, 1), colour);
    double beyond = size + 11 * u / sqrt(long2);
    scree_image_text(image, x + beyond * dx, y + beyond * dy + 4.5 * u, 11 * u, SCREE_CENTRE, text_ink, names[k]);
  }
}

/* Cut to the room there is. */
static void fit_text(char *text, double size, double room) {
  size_t length = strlen(text);
  while (length > 2 && scree_text_width(text, size) > room) {
    do length--;
    while (length > 2 && ((unsigned char)text[length] & 0xC0) == 0x80);
    strcpy(text + length - 2, "..");
  }
}

static void draw_heading(ScreeImage *image, const Picture *p) {
  double u = p->unit, y = 42 * u;
  char title[200], caption[80], time[32];
  number_text(p->grains->time, time, sizeof time);
  snprintf(caption, sizeof caption, "t = %s s", time);
  double room = image->width - 84 * u - scree_text_width(caption, 15 * u);
  snprintf(title, sizeof title, "%s", p->def->title ? p->def->title : "");
  fit_text(title, 17 * u, room);
  scree_image_text(image, 28 * u, y, 17 * u, SCREE_LEFT, text_ink, title);
  scree_image_text(image, image->width - 28 * u, y, 15 * u, SCREE_RIGHT, text_ink, caption);
  snprintf(caption, sizeof caption, "%zu grain%s", p->grains->rows, p->grains->rows == 1 ? "" : "s");
  scree_image_text(image, 28 * u, y + 27 * u, 12 * u, SCREE_LEFT, pale_ink, caption);
}

/* ---- the whole ---- */

static ScreeStatus allocate(Picture *p) {
  size_t samples = (size_t)p->wide * (size_t)p->high;
  p->z = malloc(samples * sizeof *p->z);
  p->owner = calloc(samples, sizeof *p->owner);
  p->line = calloc(samples, 1);
  p->open = malloc(samples / (SAMPLES * SAMPLES) * sizeof *p->open);
  p->colour = malloc((p->grains->rows + 1) * sizeof *p->colour);
  if (!p->z || !p->owner || !p->line || !p->open || !p->colour)
    return scree_fail(SCREE_NO_MEMORY, "no memory for a picture of %d x %d", p->def->width, p->def->height);
  for (size_t i = 0; i < samples; i++) p->z[i] = FAR;
  return SCREE_OK;
}

static void release(Picture *p) { free(p->z), free(p->owner), free(p->line), free(p->open), free(p->colour); }

static void draw(Picture *p, ScreeImage *image) {
  for (size_t i = 0; i < p->grains->rows; i++) scan_sphere(p, i);
  for (size_t i = 0; p->walls && i < p->walls->lines; i++)
    scan_line(p, p->walls->line + 6 * i, p->walls->line + 6 * i + 3);
  light_surroundings(p);
  resolve(p, image);
  draw_heading(image, p);
  draw_bar(image, p);
  draw_scale(image, p);
  draw_axes(image, p);
}

ScreeStatus scree_render(ScreeRenderDef *def, const ScreePolyData *grains, const ScreeSurface *walls,
                         ScreeImage *image) {
  if (def->width < 64 || def->height < 64 || def->width > 4096 || def->height > 4096)
    return scree_fail(SCREE_INVALID, "a picture has 64 ... 4096 pixels each way (got %d x %d)", def->width,
                      def->height);
  Picture p = {.def = def, .grains = grains, .walls = walls};
  p.wide = SAMPLES * def->width, p.high = SAMPLES * def->height;
  p.unit = fmin(def->width / 1200.0, def->height / 900.0);
  p.left = 40 * p.unit, p.right = def->width - 180 * p.unit;
  p.top = 92 * p.unit, p.bottom = def->height - 92 * p.unit;
  look(&p);
  place(&p);
  ScreeStatus status = allocate(&p);
  if (status == SCREE_OK) status = scree_image_create(image, def->width, def->height, white);
  if (status == SCREE_OK) {
    colour_grains(&p, def);
    draw(&p, image);
  }
  release(&p);
  return status;
}
