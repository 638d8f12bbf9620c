/* render.c: see render.h, and render_parts.h for the other parts.
 *
 * The eye is far away, so a sphere is a disc whose depth is a root. Two by two samples per pixel:
 *
 *     place     what must be in sight decides scale and middle
 *     scan      every sphere into a buffer of depths and owners: 8 bytes per sample
 *     shade     each sample from its sphere's normal: two lights, the occlusion of its surroundings, a dark contour
 *               where the depth jumps
 *     layers    the walls before and behind the grains
 *     dress     title, time, colour bar, scale, axes */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/render_parts.h"

#include "core/nearest.h"
#include "core/status.h"
#include "io/trajectory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES RENDER_SAMPLES
#define PI 3.14159265358979323846
#define FAR RENDER_FAR

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
                          .box_high = {NAN, NAN, NAN},
                          .gravity = 0};
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

/* What the grains take of an axis of the view, and the box that is to stay in sight. */
static Range extent(const Picture *p, int axis) {
  Range r = {INFINITY, -INFINITY};
  const double *radius = scree_picture_radii(p->grains);
  for (size_t i = 0; i < p->grains->rows; i++) {
    double x = scree_picture_dot(p->axis[axis], p->grains->point + 3 * i);
    widen(&r, x - radius[i], x + radius[i]);
  }
  for (int i = 0; i < 8 && !isnan(p->def->box_low[0]); i++) {
    double corner[3];
    for (int k = 0; k < 3; k++) corner[k] = i >> k & 1 ? p->def->box_high[k] : p->def->box_low[k];
    double x = scree_picture_dot(p->axis[axis], corner);
    widen(&r, x, x);
  }
  return r;
}

#define LARGE_BEYOND 0.5 /* of the grains' size: so much of a large wall is shown at each side of the grains */

/* A wall adds its extent along both axes of the picture; a wall that is too large counts in part. */
static void add_wall(const Picture *p, size_t first, size_t end, const Range *grains, Range *all) {
  const ScreeSurface *s = &p->walls;
  Range r[3] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
  double size = 0;
  for (int64_t c = first ? s->end[first - 1] : 0; c < s->end[end - 1]; c++)
    for (int k = 0; k < 3; k++) {
      double x = scree_picture_dot(p->axis[k], s->point + 3 * s->corner[c]);
      widen(&r[k], x, x);
    }
  for (int k = 0; k < 3; k++) size = fmax(size, r[k].high - r[k].low);
  double more = LARGE_BEYOND * p->size;
  for (int k = 0; k < 3; k++) {
    bool large = size > 1.8 * RENDER_LARGE * p->size; /* along the diagonal a wall of that size is longer */
    widen(&all[k], large ? fmax(r[k].low, grains[k].low - more) : r[k].low,
          large ? fmin(r[k].high, grains[k].high + more) : r[k].high);
  }
}

static void add_domain(const Picture *p, Range *all) {
  const ScreeRenderRoom *room = p->room;
  double size = 0;
  for (int k = 0; k < 3; k++) size = fmax(size, room->high[k] - room->low[k]);
  if (!room->periodic || size > RENDER_LARGE * p->size) return;
  for (int i = 0; i < 8; i++) {
    double corner[3];
    for (int k = 0; k < 3; k++) corner[k] = i >> k & 1 ? room->high[k] : room->low[k];
    for (int k = 0; k < 3; k++) {
      double x = scree_picture_dot(p->axis[k], corner);
      widen(&all[k], x, x);
    }
  }
}

static void place(Picture *p) {
  Range grains[3], r[3];
  for (int k = 0; k < 3; k++) r[k] = grains[k] = extent(p, k);
  for (size_t i = 0, end; i < p->walls.polygons; i = end) {
    for (end = i; end < p->walls.polygons && p->walls.wall[end] == p->walls.wall[i]; end++) {
    }
    add_wall(p, i, end, grains, r);
  }
  if (p->room) add_domain(p, r);
  for (int k = 0; k < 3; k++)
    if (!(r[k].high >= r[k].low)) r[k] = (Range){-1, 1};
  double across = fmax(r[0].high - r[0].low, 1e-30), tall = fmax(r[1].high - r[1].low, 1e-30);
  p->scale = fmin((p->right - p->left) / across, (p->bottom - p->top) / tall);
  for (int k = 0; k < 2; k++) p->middle[k] = (r[k].low + r[k].high) / 2;
  p->depth = (r[2].low + r[2].high) / 2;
}

/* A point of space in samples; depth in samples too. */
void scree_picture_project(const Picture *p, const double *x, double *out) {
  out[0] = SAMPLES * ((p->left + p->right) / 2 + p->scale * (scree_picture_dot(p->axis[0], x) - p->middle[0]));
  out[1] = SAMPLES * ((p->top + p->bottom) / 2 - p->scale * (scree_picture_dot(p->axis[1], x) - p->middle[1]));
  out[2] = SAMPLES * p->scale * (scree_picture_dot(p->axis[2], x) - p->depth);
}

/* ---- scan ---- */

#define SMALLEST 0.8 /* samples: a smaller sphere is drawn so large, or it would vanish */

static void scan_sphere(Picture *p, size_t grain) {
  double c[3], r = fmax(SAMPLES * p->scale * scree_picture_radii(p->grains)[grain], SMALLEST), r2 = r * r;
  scree_picture_project(p, p->grains->point + 3 * grain, c);
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

/* ---- the light of the surroundings ---- */

#define DIRECTIONS 8
#define STEPS 3

/* The normal of a sample's sphere. */
static void normal_of(const Picture *p, int i, int j, float *n) {
  size_t at = (size_t)j * (size_t)p->wide + (size_t)i, grain = p->owner[at] - 1;
  double c[3], r = fmax(SAMPLES * p->scale * scree_picture_radii(p->grains)[grain], SMALLEST);
  scree_picture_project(p, p->grains->point + 3 * grain, c);
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
  for (size_t i = 0; i < grains->rows; i++) sum += scree_picture_radii(grains)[i];
  return grains->rows ? sum / (double)grains->rows : 0;
}

static void light_surroundings(Picture *p) {
  int width = p->def->width, height = p->def->height;
  double reach = fmin(fmax(1.3 * SAMPLES * p->scale * p->mean_radius, 4), 160);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) p->open[(size_t)y * (size_t)width + (size_t)x] = open_at(p, x, y, reach);
}

/* The mean over a tile, of what lies at about the same depth. */
float scree_picture_open(const Picture *p, int x, int y) {
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

static const ScreeColour white = {1, 1, 1}, ink = {0.012f, 0.014f, 0.018f};

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
    double r = SAMPLES * p->scale * scree_picture_radii(p->grains)[p->owner[at] - 1];
    if (is_contour(p, i, j, r)) out = scree_colour_mix(out, ink, 0.62f);
  }
  return out;
}

/* ---- the whole ---- */

static ScreeStatus allocate(Picture *p) {
  size_t samples = (size_t)p->wide * (size_t)p->high;
  p->z = malloc(samples * sizeof *p->z);
  p->owner = calloc(samples, sizeof *p->owner);
  p->open = malloc(samples / (SAMPLES * SAMPLES) * sizeof *p->open);
  p->colour = malloc((p->grains->rows + 1) * sizeof *p->colour);
  if (!p->z || !p->owner || !p->open || !p->colour)
    return scree_fail(SCREE_NO_MEMORY, "no memory for a picture of %d x %d", p->def->width, p->def->height);
  for (size_t i = 0; i < samples; i++) p->z[i] = FAR;
  return SCREE_OK;
}

static void release(Picture *p) {
  free(p->z), free(p->owner), free(p->open), free(p->colour);
  scree_surface_free(&p->walls);
}

static ScreeStatus draw(Picture *p, ScreeImage *image) {
  WallView view;
  for (size_t i = 0; i < p->grains->rows; i++) scan_sphere(p, i);
  light_surroundings(p);
  ScreeStatus status = scree_wall_view(p, &view);
  if (status == SCREE_OK) status = scree_picture_resolve(p, &view, shade, image);
  scree_wall_view_free(&view);
  if (status == SCREE_OK) scree_picture_dress(p, image);
  return status;
}

ScreeStatus scree_render(ScreeRenderDef *def, const ScreePolyData *grains, const ScreeRenderRoom *room,
                         ScreeImage *image) {
  if (def->width < 64 || def->height < 64 || def->width > 4096 || def->height > 4096)
    return scree_fail(SCREE_INVALID, "a picture has 64 ... 4096 pixels each way (got %d x %d)", def->width,
                      def->height);
  Picture p = {.def = def, .grains = grains, .room = room, .mean_radius = mean_radius(grains)};
  p.wide = SAMPLES * def->width, p.high = SAMPLES * def->height;
  p.unit = fmin(def->width / 1200.0, def->height / 900.0);
  p.left = 40 * p.unit, p.right = def->width - 180 * p.unit;
  p.top = 92 * p.unit, p.bottom = def->height - 92 * p.unit;
  look(&p);
  ScreeStatus status = scree_picture_walls(&p);
  if (status == SCREE_OK) {
    place(&p);
    status = allocate(&p);
  }
  if (status == SCREE_OK) status = scree_picture_colours(&p, def);
  if (status == SCREE_OK) status = scree_image_create(image, def->width, def->height, white);
  if (status == SCREE_OK) status = draw(&p, image);
  release(&p);
  return status;
}
