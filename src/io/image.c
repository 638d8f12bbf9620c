/* image.c: see image.h. Strokes are drawn by their distance from each pixel's middle. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/image.h"

#include "core/status.h"
#include "io/aside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define PI 3.14159265358979323846

ScreeStatus scree_image_create(ScreeImage *image, int width, int height, ScreeColour background) {
  size_t count = (size_t)width * (size_t)height;
  *image = (ScreeImage){width, height, malloc(count * sizeof *image->pixel)};
  if (!image->pixel) return scree_fail(SCREE_NO_MEMORY, "no memory for a picture of %d x %d", width, height);
  for (size_t i = 0; i < count; i++) image->pixel[i] = background;
  return SCREE_OK;
}

void scree_image_free(ScreeImage *image) {
  free(image->pixel);
  image->pixel = NULL;
}

/* ---- colours ---- */

ScreeColour scree_colour_mix(ScreeColour a, ScreeColour b, float s) {
  return (ScreeColour){a.r + s * (b.r - a.r), a.g + s * (b.g - a.g), a.b + s * (b.b - a.b)};
}

/* IEC 61966-2-1 */
static double linear_of(double c) { return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4); }
static double srgb_of(double c) { return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055; }

ScreeColour scree_colour_of_srgb(double r, double g, double b) {
  return (ScreeColour){(float)linear_of(r), (float)linear_of(g), (float)linear_of(b)};
}

static float within(double c) { return (float)fmin(fmax(c, 0), 1); }

/* Oklab (Ottosson 2020): lightness, chroma, hue in degrees. */
static ScreeColour colour_of_oklch(double lightness, double chroma, double hue) {
  double a = chroma * cos(hue * PI / 180), b = chroma * sin(hue * PI / 180);
  double l = lightness + 0.3963377774 * a + 0.2158037573 * b, m = lightness - 0.1055613458 * a - 0.0638541728 * b,
         s = lightness - 0.0894841775 * a - 1.2914855480 * b;
  l = l * l * l, m = m * m * m, s = s * s * s;
  return (ScreeColour){within(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                       within(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                       within(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/* Equal steps in lightness, a steady turn of the hue, and as much chroma as the screen has on the way. */
ScreeColour scree_colour_map(double t) {
  t = t > 0 ? fmin(t, 1) : 0;
  return colour_of_oklch(0.42 + 0.50 * t, 0.135 - 0.165 * t + 0.19 * t * t, 282 - 180 * t);
}

ScreeColour scree_colour_of(int i) {
  static const double hue[] = {255, 50, 150, 20, 310, 95, 200, 340};
  static const double lightness[] = {0.58, 0.72, 0.66, 0.58, 0.60, 0.82, 0.74, 0.74};
  return colour_of_oklch(lightness[i % 8], 0.14, hue[i % 8]);
}

/* ---- strokes ---- */

static void blend(ScreeImage *image, int x, int y, double cover, ScreeColour colour) {
  if (x < 0 || y < 0 || x >= image->width || y >= image->height || cover <= 0) return;
  ScreeColour *p = &image->pixel[(size_t)y * (size_t)image->width + (size_t)x];
  *p = scree_colour_mix(*p, colour, (float)fmin(cover, 1));
}

/* How much of the unit interval from `i` on lies within [from, to]. */
static double share(double from, double to, int i) { return fmax(0, fmin(to, i + 1) - fmax(from, i)); }

void scree_image_rectangle(ScreeImage *image, double x, double y, double width, double height, ScreeColour colour) {
  int bottom = (int)fmin(ceil(y + height), image->height), right = (int)fmin(ceil(x + width), image->width);
  for (int j = (int)fmax(floor(y), 0); j < bottom; j++)
    for (int i = (int)fmax(floor(x), 0); i < right; i++)
      blend(image, i, j, share(x, x + width, i) * share(y, y + height, j), colour);
}

static double distance(double px, double py, double x0, double y0, double x1, double y1) {
  double dx = x1 - x0, dy = y1 - y0, size2 = dx * dx + dy * dy;
  double t = size2 > 0 ? ((px - x0) * dx + (py - y0) * dy) / size2 : 0;
  t = fmin(fmax(t, 0), 1);
  return hypot(px - x0 - t * dx, py - y0 - t * dy);
}

void scree_image_line(ScreeImage *image, double x0, double y0, double x1, double y1, double thickness,
                      ScreeColour colour) {
  double r = thickness / 2, reach = r + 1;
  int top = (int)fmax(floor(fmin(y0, y1) - reach), 0), left = (int)fmax(floor(fmin(x0, x1) - reach), 0);
  int bottom = (int)fmin(ceil(fmax(y0, y1) + reach), image->height),
      right = (int)fmin(ceil(fmax(x0, x1) + reach), image->width);
  for (int j = top; j < bottom; j++)
    for (int i = left; i < right; i++) blend(image, i, j, r + 0.5 - distance(i + 0.5, j + 0.5, x0, y0, x1, y1), colour);
}

/* ---- text ----
 *
 * A glyph is a few strokes. A point is two characters: x from '0' in half units, y from 'e' (the base line) in half
 * units, so that 'o' is the height of a small letter, 's' that of a capital, 'a' the depth of a descender. A stroke is
 * a line through its points; after '~' a smooth curve from the first to the last that the points in between pull at,
 * and after '@' a closed one. */

typedef struct Glyph {
  int width; /* half units */
  const char *strokes;
} Glyph;

static const Glyph glyphs[95] = {
    ['!' - 32] = {2, "1s1i 1e1e"},
    ['"' - 32] = {3, "0s0p 3s3p"},
    ['#' - 32] = {8, "1e3s 5e7s 0j8j 0n8n"},
    ['$' - 32] = {8, "~8q7s4s0s0l8l8e4e1e0g 4t4d"},
    ['%' - 32] = {8, "0e8s @0s0o3o3s @5i5e8e8i"},
    ['&' - 32] = {8, "~8e1p1s5s5o0i0e5e8i"},
    ['\'' - 32] = {2, "1s1p"},
    ['(' - 32] = {3, "~3t0q0d3a"},
    [')' - 32] = {3, "~0t3q3d0a"},
    ['*' - 32] = {6, "1l5p 5l1p 3k3q"},
    ['+' - 32] = {6, "0j6j 3g3m"},
    [',' - 32] = {2, "1e0b"},
    ['-' - 32] = {5, "0j5j"},
    ['.' - 32] = {2, "1e1e"},
    ['/' - 32] = {5, "0c5s"},
    ['0' - 32] = {7, "@0s0l0e7e7l7s"},
    ['1' - 32] = {6, "1p4s4e"},
    ['2' - 32] = {7, "~0p0s4s7s7o7l0e 0e7e"},
    ['3' - 32] = {7, "~0q1s3s7s7l3l ~3l7l7e3e1e0g"},
    ['4' - 32] = {7, "5e5s0h7h"},
    ['5' - 32] = {7, "6s1s1m ~1m2n3n7n7e3e1e0g"},
    ['6' - 32] = {7, "@0m0e7e7m ~6s2s0o0i"},
    ['7' - 32] = {7, "0s7s2e"},
    ['8' - 32] = {7, "@1s1l6l6s @0l0e7e7l"},
    ['9' - 32] = {7, "@0s0k7k7s ~7o7i5e1e"},
    [':' - 32] = {2, "1e1e 1m1m"},
    [';' - 32] = {2, "1e0b 1m1m"},
    ['<' - 32] = {6, "6n0j6f"},
    ['=' - 32] = {6, "0h6h 0l6l"},
    ['>' - 32] = {6, "0n6j0f"},
    ['?' - 32] = {6, "~0q0s6s6m3m3i 3e3e"},
    ['@' - 32] = {10, "@3n3h7h7n 7n7h ~7i8g:g:s0s0c8c"},
    ['A' - 32] = {8, "0e4s8e 1i7i"},
    ['B' - 32] = {8, "0e0s ~0s5s7s7l5l0l ~0l5l8l8e5e0e"},
    ['C' - 32] = {8, "~8q7s4s0s0l0e4e7e8g"},
    ['D' - 32] = {8, "0e0s ~0s4s8s8l8e4e0e"},
    ['E' - 32] = {7, "7s0s0e7e 0l6l"},
    ['F' - 32] = {7, "7s0s0e 0l6l"},
    ['G' - 32] = {8, "~8q7s4s0s0l0e4e8e8k 8k5k"},
    ['H' - 32] = {8, "0e0s 8e8s 0l8l"},
    ['I' - 32] = {2, "1e1s"},
    ['J' - 32] = {6, "~6s6h6e3e0e0h"},
    ['K' - 32] = {8, "0e0s 0j7s 2m8e"},
    ['L' - 32] = {7, "0s0e7e"},
    ['M' - 32] = {10, "0e0s5g:s:e"},
    ['N' - 32] = {8, "0e0s8e8s"},
    ['O' - 32] = {9, "@0s0l0e9e9l9s"},
    ['P' - 32] = {8, "0e0s ~0s5s8s8k5k0k"},
    ['Q' - 32] = {9, "@0s0l0e9e9l9s 6h9d"},
    ['R' - 32] = {8, "0e0s ~0s5s8s8k5k0k 4k8e"},
    ['S' - 32] = {8, "~8q7s4s0s0l8l8e4e1e0g"},
    ['T' - 32] = {8, "0s8s 4s4e"},
    ['U' - 32] = {8, "~0s0i0e4e8e8i8s"},
    ['V' - 32] = {8, "0s4e8s"},
    ['W' - 32] = {12, "0s3e6s9e<s"},
    ['X' - 32] = {8, "0e8s 0s8e"},
    ['Y' - 32] = {8, "0s4l8s 4l4e"},
    ['Z' - 32] = {8, "0s8s0e8e"},
    ['[' - 32] = {3, "3t0t0b3b"},
    ['\\' - 32] = {5, "0s5c"},
    [']' - 32] = {3, "0t3t3b0b"},
    ['^' - 32] = {6, "0o3s6o"},
    ['_' - 32] = {7, "0c7c"},
    ['`' - 32] = {3, "0s2p"},
    ['a' - 32] = {7, "@0o0j0e7e7j7o 7o7e"},
    ['b' - 32] = {7, "0s0e @0o0j0e7e7j7o"},
    ['c' - 32] = {7, "~7m6o4o0o0j0e4e6e7g"},
    ['d' - 32] = {7, "7s7e @0o0j0e7e7j7o"},
    ['e' - 32] = {7, "0j7j ~7j7o4o0o0j0e4e6e7g"},
    ['f' - 32] = {5, "~5s4s2s2p2m 2m2e 0o5o"},
    ['g' - 32] = {7, "@0o0j0e7e7j7o ~7o7e7a3a1a0b"},
    ['h' - 32] = {7, "0s0e ~0j0o4o7o7k7e"},
    ['i' - 32] = {2, "1o1e 1r1r"},
    ['j' - 32] = {3, "~2o2c2a0a 2r2r"},
    ['k' - 32] = {7, "0s0e 0h6o 2j7e"},
    ['l' - 32] = {3, "~1s1h1e3e"},
    ['m' - 32] = {10, "0o0e ~0j0o3o5o5k5e ~5j5o8o:o:k:e"},
    ['n' - 32] = {7, "0o0e ~0j0o4o7o7k7e"},
    ['o' - 32] = {7, "@0o0j0e7e7j7o"},
    ['p' - 32] = {7, "0o0a @0o0j0e7e7j7o"},
    ['q' - 32] = {7, "7o7a @0o0j0e7e7j7o"},
    ['r' - 32] = {5, "0o0e ~0j0o3o5o"},
    ['s' - 32] = {6, "~6n5o3o0o0j6j6e3e1e0f"},
    ['t' - 32] = {5, "~2r2h2e4e5e 0o5o"},
    ['u' - 32] = {7, "~0o0h0e3e7e7j 7o7e"},
    ['v' - 32] = {7, "0o3e7o"},
    ['w' - 32] = {10, "0o3e5o7e:o"},
    ['x' - 32] = {7, "0e7o 0o7e"},
    ['y' - 32] = {7, "0o4e 7o2a"},
    ['z' - 32] = {6, "0o6o0e6e"},
    ['{' - 32] = {4, "~4t2t2j0j ~4b2b2j0j"},
    ['|' - 32] = {2, "1t1b"},
    ['}' - 32] = {4, "~0t2t2j4j ~0b2b2j4j"},
    ['~' - 32] = {7, "~0i1l3k5i7l"},
    [0] = {4, ""}, /* space */
};
static const Glyph stranger = {7, "0e0s7s7e0e"}; /* what is not ASCII */

#define CAPITAL 7.0 /* units */
#define WIDE 1.14   /* units of x per unit of y */
#define GAP 1.35    /* between letters */

/* The next letter of a UTF-8 text; anything beyond ASCII is one stranger. */
static const Glyph *next_glyph(const char **text) {
  unsigned char c = (unsigned char)*(*text)++;
  if (c >= 32 && c < 127) return &glyphs[c - 32];
  while (((unsigned char)**text & 0xC0) == 0x80) (*text)++;
  return &stranger;
}

double scree_text_width(const char *text, double size) {
  double units = 0;
  while (*text) units += WIDE * next_glyph(&text)->width / 2.0 + GAP;
  return units > 0 ? (units - GAP) * size / CAPITAL : 0;
}

/* Where letters are drawn before they are blended, so that strokes that cross do not darken each other. */
typedef struct Mask {
  int left, top, width, height;
  float *cover;
  double x, y, scale, radius; /* of the current letter's origin, of a unit, of the pen */
} Mask;

typedef struct Point {
  double x, y;
} Point;

static void mask_line(Mask *m, Point a, Point b) {
  double x0 = m->x + m->scale * a.x, y0 = m->y - m->scale * a.y, x1 = m->x + m->scale * b.x, y1 = m->y - m->scale * b.y;
  double reach = m->radius + 1;
  for (int j = (int)floor(fmin(y0, y1) - reach); j <= (int)ceil(fmax(y0, y1) + reach); j++)
    for (int i = (int)floor(fmin(x0, x1) - reach); i <= (int)ceil(fmax(x0, x1) + reach); i++) {
      int column = i - m->left, row = j - m->top;
      if (column < 0 || row < 0 || column >= m->width || row >= m->height) continue;
      float *cover = &m->cover[(size_t)row * (size_t)m->width + (size_t)column];
      double here = m->radius + 0.5 - distance(i + 0.5, j + 0.5, x0, y0, x1, y1);
      *cover = fmaxf(*cover, (float)fmin(fmax(here, 0), 1));
    }
}

#define PIECES 6 /* lines of a curve between two middles */

static Point middle(Point a, Point b) { return (Point){(a.x + b.x) / 2, (a.y + b.y) / 2}; }

/* A parabola from a to c, pulled at by b. */
static void mask_curve(Mask *m, Point a, Point b, Point c) {
  Point before = a;
  for (int i = 1; i <= PIECES; i++) {
    double t = (double)i / PIECES, s = 1 - t;
    Point now = {s * s * a.x + 2 * s * t * b.x + t * t * c.x, s * s * a.y + 2 * s * t * b.y + t * t * c.y};
    mask_line(m, before, now);
    before = now;
  }
}

static void mask_stroke(Mask *m, char kind, const Point *p, int count) {
  if (kind == '@') {
    for (int i = 0; i < count; i++) {
      Point a = p[i], b = p[(i + 1) % count], c = p[(i + 2) % count];
      mask_curve(m, middle(a, b), b, middle(b, c));
    }
  } else if (kind == '~') {
    for (int i = 1; i + 1 < count; i++)
      mask_curve(m, i == 1 ? p[0] : middle(p[i - 1], p[i]), p[i],
                 i + 2 == count ? p[count - 1] : middle(p[i], p[i + 1]));
  } else {
    for (int i = 0; i + 1 < count; i++) mask_line(m, p[i], p[i + 1]);
  }
}

static void mask_glyph(Mask *m, const Glyph *glyph) {
  for (const char *s = glyph->strokes; *s; s += *s == ' ') {
    Point p[16];
    int count = 0;
    char kind = *s == '~' || *s == '@' ? *s++ : ' ';
    for (; *s && *s != ' ' && count < 16; s += 2) p[count++] = (Point){WIDE * (s[0] - '0') / 2.0, (s[1] - 'e') / 2.0};
    mask_stroke(m, kind, p, count);
  }
}

void scree_image_text(ScreeImage *image, double x, double y, double size, ScreeAlign align, ScreeColour colour,
                      const char *text) {
  double width = scree_text_width(text, size), thickness = fmax(size * 0.14, 1.0);
  x -= align == SCREE_RIGHT ? width : align == SCREE_CENTRE ? width / 2 : 0;
  Mask m = {.left = (int)floor(x - size), .top = (int)floor(y - 2 * size), .x = x, .y = y};
  m.width = (int)ceil(width + 2 * size), m.height = (int)ceil(3 * size);
  m.scale = size / CAPITAL, m.radius = thickness / 2;
  m.cover = calloc((size_t)m.width * (size_t)m.height, sizeof *m.cover);
  if (!m.cover) return;
  while (*text) {
    const Glyph *glyph = next_glyph(&text);
    mask_glyph(&m, glyph);
    m.x += (WIDE * glyph->width / 2.0 + GAP) * m.scale;
  }
  for (int j = 0; j < m.height; j++)
    for (int i = 0; i < m.width; i++)
      blend(image, m.left + i, m.top + j, m.cover[(size_t)j * (size_t)m.width + (size_t)i], colour);
  free(m.cover);
}

/* ---- PNG (ISO/IEC 15948): a signature, and chunks of length, name, data, checksum ---- */

static void put_word(unsigned char *at, uint32_t word) {
  for (int k = 0; k < 4; k++) at[k] = (unsigned char)(word >> (24 - 8 * k));
}

static void put_chunk(FILE *stream, const char *name, const unsigned char *data, size_t length) {
  unsigned char word[4];
  uLong sum = crc32(crc32(0, NULL, 0), (const Bytef *)name, 4);
  if (length) sum = crc32(sum, data, (uInt)length);
  put_word(word, (uint32_t)length);
  fwrite(word, 1, 4, stream);
  fwrite(name, 1, 4, stream);
  fwrite(data, 1, length, stream);
  put_word(word, (uint32_t)sum);
  fwrite(word, 1, 4, stream);
}

/* sRGB of every linear value in steps fine enough for 8 bits. */
#define TONES 4096
static void fill_tones(unsigned char *tone) {
  for (int i = 0; i < TONES; i++) tone[i] = (unsigned char)lround(255 * srgb_of((i + 0.5) / TONES));
}

static unsigned char tone_of(const unsigned char *tone, float c) {
  int i = (int)(c * TONES);
  return tone[i < 0 ? 0 : i >= TONES ? TONES - 1 : i];
}

/* Each row as differences from the one above (filter 2), which pack well. */
static unsigned char *filtered_rows(const ScreeImage *image, size_t *length) {
  size_t row = 3 * (size_t)image->width;
  unsigned char tone[TONES];
  unsigned char *bytes = malloc((row + 1) * (size_t)image->height), *before = calloc(2, row), *now = before + row;
  *length = (row + 1) * (size_t)image->height;
  if (!bytes || !before) return free(bytes), free(before), NULL;
  fill_tones(tone);
  for (int j = 0; j < image->height; j++) {
    const ScreeColour *p = image->pixel + (size_t)j * (size_t)image->width;
    unsigned char *out = bytes + (size_t)j * (row + 1);
    for (size_t i = 0; i < (size_t)image->width; i++) {
      now[3 * i] = tone_of(tone, p[i].r);
      now[3 * i + 1] = tone_of(tone, p[i].g);
      now[3 * i + 2] = tone_of(tone, p[i].b);
    }
    *out++ = 2;
    for (size_t i = 0; i < row; i++) out[i] = (unsigned char)(now[i] - before[i]);
    memcpy(before, now, row);
  }
  free(before);
  return bytes;
}

ScreeStatus scree_image_write_png(const ScreeImage *image, const char *path) {
  static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  unsigned char header[13] = {[8] = 8, [9] = 2}; /* 8 bits, RGB */
  size_t length = 0;
  unsigned char *rows = filtered_rows(image, &length);
  uLongf packed_length = compressBound(length);
  unsigned char *packed = malloc(packed_length);
  ScreeStatus status = SCREE_OK;
  if (!rows || !packed || compress2(packed, &packed_length, rows, length, 6) != Z_OK)
    status = scree_fail(SCREE_NO_MEMORY, "no memory to write a picture of %d x %d", image->width, image->height);
  ScreeAside file;
  if (status == SCREE_OK) status = scree_aside_open(&file, path);
  if (status == SCREE_OK) {
    put_word(header, (uint32_t)image->width);
    put_word(header + 4, (uint32_t)image->height);
    fwrite(signature, 1, sizeof signature, file.stream);
    put_chunk(file.stream, "IHDR", header, sizeof header);
    put_chunk(file.stream, "sRGB", (const unsigned char *)"", 1);
    put_chunk(file.stream, "IDAT", packed, packed_length);
    put_chunk(file.stream, "IEND", (const unsigned char *)"", 0);
    status = scree_aside_commit(&file);
  }
  free(rows);
  free(packed);
  return status;
}
