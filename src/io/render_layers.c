/* render_layers.c: see render_parts.h. Walls in layers.
 *
 * A sample may see several walls, before the grain that it shows and, where there is none, one behind the other. Rows
 * of samples are taken band by band; in a band each sample keeps its nearest layers, in order of their depth, and they
 * are laid over each other at the end. Memory is that of one band, whatever the walls are. */
#include "io/render_parts.h"

#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  LAYERS = 12,   /* of a sample; behind so many of them nothing is seen */
  BAND = 32,     /* rows of samples */
  TAPS = 16,     /* directions in which grains may shade a wall */
  TAP_STEPS = 4, /* distances */
};

#define THICKNESS 1.5 /* of a line, pixels of the design */
#define PRESSED 0.3   /* of the mean radius: see Canvas.lift */
#define LIFT 3        /* samples: a line lies on its wall, and so much nearer */
#define DASH 6        /* pixels of the design: a piece of a broken line, and its gap */
#define MARGIN 10     /* pixels of the design beside the place of the picture: walls fade away in them */
#define PI 3.14159265358979323846
#define NORMAL 32767.0f /* a component of a normal is kept as so many parts */

typedef enum LayerKind { SOLID, VEIL, LINE, FAINT_LINE } LayerKind;

typedef struct Layer {
  float z;
  int16_t nx, ny;
  uint8_t kind, cover; /* of a line, 0 ... 255 */
} Layer;

/* A band lists its facets, then its edges. */
typedef struct Bands {
  uint32_t *start, *item;
} Bands;

typedef struct Canvas {
  const Picture *p;
  const WallView *v;
  ScreeSampleColour *shade;
  Bands facets, edges;
  int bands;
  int top, end; /* rows of the band */
  double lift;  /* samples, of veils: grains that press into a wall do not come through it */
  double tap[TAPS][2];
  Layer *layer; /* LAYERS per sample of the band */
  uint8_t *count;
} Canvas;

/* ---- bands ---- */

typedef struct Rows {
  int first, last; /* bands */
} Rows;

static Rows rows_of(const Canvas *c, double low, double high) {
  double first = floor(low / BAND), last = floor(high / BAND);
  if (!(last >= 0 && first < c->bands)) return (Rows){0, -1};
  return (Rows){(int)fmax(first, 0), (int)fmin(last, c->bands - 1)};
}

static Rows rows_of_facet(const Canvas *c, size_t i) {
  const uint32_t *corner = c->v->facet[i].corner;
  double a = c->v->point[corner[0]][1], b = c->v->point[corner[1]][1], d = c->v->point[corner[2]][1];
  return rows_of(c, fmin(a, fmin(b, d)) - 1, fmax(a, fmax(b, d)) + 1);
}

static Rows rows_of_edge(const Canvas *c, size_t i) {
  double a = c->v->point[c->v->edge[i].end[0]][1], b = c->v->point[c->v->edge[i].end[1]][1],
         beside = RENDER_SAMPLES * THICKNESS * c->p->unit + 2;
  return rows_of(c, fmin(a, b) - beside, fmax(a, b) + beside);
}

static bool sort_bands(const Canvas *c, Bands *b, size_t count, Rows (*rows)(const Canvas *, size_t)) {
  b->start = calloc((size_t)c->bands + 2, sizeof *b->start);
  if (!b->start) return false;
  for (size_t i = 0; i < count; i++) {
    Rows r = rows(c, i);
    for (int band = r.first; band <= r.last; band++) b->start[band + 2]++;
  }
  for (int band = 2; band < c->bands + 2; band++) b->start[band] += b->start[band - 1];
  b->item = malloc(((size_t)b->start[c->bands + 1] + 1) * sizeof *b->item);
  for (size_t i = 0; b->item && i < count; i++) {
    Rows r = rows(c, i);
    for (int band = r.first; band <= r.last; band++) b->item[b->start[band + 1]++] = (uint32_t)i;
  }
  return b->item != NULL;
}

/* ---- layers ---- */

static Layer *layers_of(const Canvas *c, int i, int j, uint8_t **count) {
  size_t at = (size_t)(j - c->top) * (size_t)c->p->wide + (size_t)i;
  *count = &c->count[at];
  return c->layer + LAYERS * at;
}

/* In order of depth, the nearest first; the farthest one is left out where there are too many. */
static void add_layer(const Canvas *c, int i, int j, Layer new) {
  if (new.z <= c->p->z[(size_t)j * (size_t)c->p->wide + (size_t)i]) return; /* behind a grain */
  uint8_t *count;
  Layer *layer = layers_of(c, i, j, &count);
  int at = *count;
  if (at == LAYERS && new.z <= layer[LAYERS - 1].z) return;
  if (at == LAYERS) at--;
  for (; at > 0 && layer[at - 1].z < new.z; at--) layer[at] = layer[at - 1];
  layer[at] = new;
  if (*count < LAYERS) ++*count;
}

/* ---- facets ---- */

/* These values change linearly over a triangle. */
typedef struct Slope {
  double at, x, y;
} Slope;

static Slope slope_of(const double *a, const double *b, const double *d, double det, double qa, double qb, double qd) {
  double x = ((qb - qa) * (d[1] - a[1]) - (qd - qa) * (b[1] - a[1])) / det,
         y = ((qd - qa) * (b[0] - a[0]) - (qb - qa) * (d[0] - a[0])) / det;
  return (Slope){qa - x * a[0] - y * a[1], x, y};
}

/* Where the side from a to b, a above b, crosses a row: the same for both triangles that share it. */
static double crossing(const double *a, const double *b, double y) {
  return b[1] > a[1] ? a[0] + (y - a[1]) * ((b[0] - a[0]) / (b[1] - a[1])) : a[0];
}

static Layer layer_of(const WallFacet *f, double z, const double *n) {
  double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), scale = size > 0 ? (double)NORMAL / size : 0;
  return (Layer){.z = (float)z,
                 .nx = (int16_t)lround(n[0] * scale),
                 .ny = (int16_t)lround(n[1] * scale),
                 .kind = f->veil ? VEIL : SOLID};
}

static void scan_facet(const Canvas *c, const WallFacet *f) {
  int order[3] = {0, 1, 2};
  const double *x[3];
  for (int k = 0; k < 3; k++) x[k] = c->v->point[f->corner[k]];
  for (int k = 1; k < 3; k++) /* from above; of equal height by their number */
    for (int m = k; m > 0; m--) {
      const double *a = x[order[m - 1]], *b = x[order[m]];
      if (a[1] < b[1] || (a[1] == b[1] && f->corner[order[m - 1]] < f->corner[order[m]])) break;
      int other = order[m];
      order[m] = order[m - 1], order[m - 1] = other;
    }
  const double *a = x[order[0]], *b = x[order[1]], *d = x[order[2]];
  double det = (b[0] - a[0]) * (d[1] - a[1]) - (d[0] - a[0]) * (b[1] - a[1]);
  if (fabs(det) < 1e-9 || !isfinite(det)) return;
  Slope depth = slope_of(a, b, d, det, a[2], b[2], d[2]), n[3];
  double lift = f->veil ? c->lift : 0;
  double least = fmin(a[2], fmin(b[2], d[2])), most = fmax(a[2], fmax(b[2], d[2]));
  const float *na = f->normal[order[0]], *nb = f->normal[order[1]], *nd = f->normal[order[2]];
  for (int k = 0; k < 3; k++) n[k] = slope_of(a, b, d, det, (double)na[k], (double)nb[k], (double)nd[k]);
  Layer flat = layer_of(f, 0, (double[3]){(double)na[0], (double)na[1], (double)na[2]});
  int first = (int)fmax(ceil(a[1] - 0.5), c->top), end = (int)fmin(ceil(d[1] - 0.5), c->end);
  for (int j = first; j < end; j++) {
    double y = j + 0.5, one = crossing(a, d, y), two = y < b[1] ? crossing(a, b, y) : crossing(b, d, y);
    int left = (int)fmin(fmax(ceil(fmin(one, two) - 0.5), 0), c->p->wide),
        right = (int)fmin(fmax(ceil(fmax(one, two) - 0.5), 0), c->p->wide);
    for (int i = left; i < right; i++) {
      double at = i + 0.5, z = lift + fmin(fmax(depth.at + depth.x * at + depth.y * y, least), most), m[3];
      if (f->flat) {
        flat.z = (float)z;
        add_layer(c, i, j, flat);
        continue;
      }
      for (int k = 0; k < 3; k++) m[k] = fmin(fmax(n[k].at + n[k].x * at + n[k].y * y, -1), 1);
      add_layer(c, i, j, layer_of(f, z, m));
    }
  }
}

/* ---- edges ---- */

/* Lines that meet count as one. */
static void add_line_sample(const Canvas *c, int i, int j, float z, double cover, bool veil) {
  uint8_t *count, value = (uint8_t)(255 * fmin(cover, 1)), kind = veil ? FAINT_LINE : LINE;
  Layer *layer = layers_of(c, i, j, &count);
  for (int k = 0; k < *count; k++)
    if (layer[k].kind >= LINE && fabsf(layer[k].z - z) < 4 * LIFT) {
      if (value > layer[k].cover) layer[k].cover = value;
      if (kind < layer[k].kind) layer[k].kind = kind;
      return;
    }
  if (value) add_layer(c, i, j, (Layer){.z = z, .kind = kind, .cover = value});
}

static void scan_edge(const Canvas *c, const WallEdge *e) {
  const double *a = c->v->point[e->end[0]], *b = c->v->point[e->end[1]];
  double r = RENDER_SAMPLES * fmax(THICKNESS * c->p->unit, 0.7) / 2, reach = r + 1;
  double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, size2 = d[0] * d[0] + d[1] * d[1];
  double dash = DASH * RENDER_SAMPLES * c->p->unit;
  if (!isfinite(size2)) return;
  double lift = LIFT + (e->veil ? c->lift : 0), low = fmin(a[0], b[0]) - reach, high = fmax(a[0], b[0]) + reach;
  int first = (int)fmax(floor(fmin(a[1], b[1]) - reach), c->top),
      end = (int)fmin(ceil(fmax(a[1], b[1]) + reach), c->end);
  for (int j = first; j < end; j++) {
    double y = j + 0.5 - a[1], from = low, to = high;
    if (fabs(d[1]) > 1e-9) { /* the strip around the line */
      double middle = a[0] + y * d[0] / d[1], half = reach * sqrt(size2) / fabs(d[1]) + 1;
      from = fmax(from, middle - half), to = fmin(to, middle + half);
    }
    int left = (int)fmin(fmax(floor(from), 0), c->p->wide), right = (int)fmin(fmax(ceil(to), 0), c->p->wide);
    for (int i = left; i < right; i++) {
      double x = i + 0.5 - a[0], t = size2 > 0 ? fmin(fmax((x * d[0] + y * d[1]) / size2, 0), 1) : 0;
      double cover = r + 0.5 - hypot(x - t * d[0], y - t * d[1]);
      if (e->broken && fmod(t * sqrt(size2), 2 * dash) > dash) continue;
      if (cover > 0) add_line_sample(c, i, j, (float)(a[2] + t * d[2] + lift), cover, e->veil);
    }
  }
}

/* ---- light ---- */

static const ScreeColour steel = {0.54f, 0.575f, 0.615f}, glass = {0.46f, 0.54f, 0.64f},
                         line_ink = {0.055f, 0.07f, 0.095f};

static float power(float x, int n) {
  float out = 1;
  for (x = fmaxf(x, 0); n; n >>= 1, x *= x)
    if (n & 1) out *= x;
  return out;
}

/* Brushed steel: two lights, and their reflections as streaks across the direction in which it is round; darker where
 * it turns away. */
static ScreeColour light_of(const Layer *l, float nx, float ny, float nz, float open) {
  float key = fmaxf(-0.42f * nx + 0.58f * ny + 0.70f * nz, 0), fill = fmaxf(0.75f * nx + 0.05f * ny + 0.66f * nz, 0);
  float light = open * (0.34f + 0.16f * ny) + (0.4f + 0.6f * open) * (0.52f * key + 0.20f * fill);
  float shine = 0.30f * power(1 - fabsf(nx + 0.28f), 4) + 0.22f * power(1 - fabsf(nx - 0.62f), 9);
  ScreeColour c = l->kind == VEIL ? glass : steel;
  shine *= (0.3f + 0.7f * open) * (0.45f + 0.55f * nz);
  return (ScreeColour){c.r * light + 0.60f * shine, c.g * light + 0.63f * shine, c.b * light + 0.66f * shine};
}

/* How much of what is behind is hidden: a veil is seen where it turns away from the eye, as glass is. */
static float cover_of(const Layer *l, float nz) {
  switch (l->kind) {
  case SOLID: return 0.94f;
  case VEIL: return 0.05f + 0.45f * power(1 - nz, 3);
  case LINE: return 0.0034f * l->cover;
  default: return 0.0025f * l->cover;
  }
}

/* Grains that stand close to a wall take light from it. */
static float wall_open(const Canvas *canvas, const Layer *l, int i, int j) {
  const Picture *p = canvas->p;
  double reach = fmin(fmax(1.5 * RENDER_SAMPLES * p->scale * p->mean_radius, 6), 120);
  float nx = l->nx / NORMAL, ny = l->ny / NORMAL, nz = sqrtf(fmaxf(1 - nx * nx - ny * ny, 0)), blocked = 0;
  for (int d = 0; d < TAPS; d++) {
    float worst = 0;
    for (int k = 1; k <= TAP_STEPS; k++) {
      double far = reach * (k - 0.5 * (d & 1)) / TAP_STEPS;
      int x = i + (int)lround(far * canvas->tap[d][0]), y = j + (int)lround(far * canvas->tap[d][1]);
      if (x < 0 || y < 0 || x >= p->wide || y >= p->high) continue;
      float rise = p->z[(size_t)y * (size_t)p->wide + (size_t)x] - l->z;
      if (rise < -1e30f || rise > 2 * (float)reach) continue;
      float dx = (float)(x - i), dy = (float)(j - y), size = sqrtf(dx * dx + dy * dy + rise * rise);
      float facing = (nx * dx + ny * dy + nz * rise) / fmaxf(size, 1e-6f);
      worst = fmaxf(worst, facing * fmaxf(0, 1 - size / (float)(2 * reach)));
    }
    blocked += worst;
  }
  return 1 - 0.6f * fminf(blocked / TAPS * 1.5f, 1);
}

/* The share of a wall that is shown: all within the place of the picture, none beyond the margin around it. */
static float shown(const Picture *p, int x, int y) {
  double beside = fmax(fmax(p->left - x - 0.5, x + 0.5 - p->right), fmax(p->top - y - 0.5, y + 0.5 - p->bottom));
  return (float)fmin(fmax(1 - beside / (MARGIN * p->unit), 0), 1);
}

static ScreeColour compose(const Layer *layer, int count, ScreeColour behind, float part, float open) {
  for (int k = count - 1; k >= 0; k--) {
    float nx = layer[k].nx / NORMAL, ny = layer[k].ny / NORMAL, nz = sqrtf(fmaxf(1 - nx * nx - ny * ny, 0));
    ScreeColour c =
        layer[k].kind >= LINE ? line_ink : light_of(&layer[k], nx, ny, nz, layer[k].kind == SOLID ? open : 1);
    behind = scree_colour_mix(behind, c, part * cover_of(&layer[k], nz));
  }
  return behind;
}

/* ---- pixels ---- */

static float open_of_walls(const Canvas *c, int i, int j) {
  uint8_t *count;
  const Layer *layer = layers_of(c, i, j, &count);
  for (int k = 0; k < *count; k++)
    if (layer[k].kind == SOLID) return wall_open(c, &layer[k], i, j);
  return 1;
}

static ScreeColour pixel_of(const Canvas *c, int x, int y) {
  ScreeColour sum = {0, 0, 0};
  int i = RENDER_SAMPLES * x, j = RENDER_SAMPLES * y;
  float open = scree_picture_open(c->p, x, y), walls = open_of_walls(c, i, j), here = shown(c->p, x, y);
  for (int k = 0; k < RENDER_SAMPLES * RENDER_SAMPLES; k++) {
    int si = i + k % RENDER_SAMPLES, sj = j + k / RENDER_SAMPLES;
    uint8_t *count;
    const Layer *layer = layers_of(c, si, sj, &count);
    ScreeColour s = compose(layer, *count, c->shade(c->p, si, sj, open), here, walls);
    sum.r += s.r, sum.g += s.g, sum.b += s.b;
  }
  const float part = 1.0f / (RENDER_SAMPLES * RENDER_SAMPLES);
  return (ScreeColour){fminf(sum.r * part, 1), fminf(sum.g * part, 1), fminf(sum.b * part, 1)};
}

static void draw_band(Canvas *c, int band, ScreeImage *image) {
  c->top = band * BAND;
  c->end = c->top + BAND < c->p->high ? c->top + BAND : c->p->high;
  memset(c->count, 0, BAND * (size_t)c->p->wide);
  for (uint32_t k = c->facets.start[band]; k < c->facets.start[band + 1]; k++)
    scan_facet(c, &c->v->facet[c->facets.item[k]]);
  for (uint32_t k = c->edges.start[band]; k < c->edges.start[band + 1]; k++)
    scan_edge(c, &c->v->edge[c->edges.item[k]]);
  for (int y = c->top / RENDER_SAMPLES; y < c->end / RENDER_SAMPLES; y++)
    for (int x = 0; x < image->width; x++)
      image->pixel[(size_t)y * (size_t)image->width + (size_t)x] = pixel_of(c, x, y);
}

ScreeStatus scree_picture_resolve(const Picture *p, const WallView *view, ScreeSampleColour *shade, ScreeImage *image) {
  Canvas c = {.p = p, .v = view, .shade = shade, .bands = (p->high + BAND - 1) / BAND};
  c.lift = PRESSED * RENDER_SAMPLES * p->scale * p->mean_radius;
  size_t samples = BAND * (size_t)p->wide;
  for (int d = 0; d < TAPS; d++) c.tap[d][0] = cos(2 * PI * d / TAPS), c.tap[d][1] = sin(2 * PI * d / TAPS);
  c.layer = malloc(LAYERS * samples * sizeof *c.layer);
  c.count = malloc(samples);
  bool fine = c.layer && c.count && sort_bands(&c, &c.facets, view->facets, rows_of_facet) &&
              sort_bands(&c, &c.edges, view->edges, rows_of_edge);
  for (int band = 0; fine && band < c.bands; band++) draw_band(&c, band, image);
  free(c.layer), free(c.count), free(c.facets.start), free(c.facets.item), free(c.edges.start), free(c.edges.item);
  return fine ? SCREE_OK
              : scree_fail(SCREE_NO_MEMORY, "no memory for a picture of %d x %d", p->def->width, p->def->height);
}
