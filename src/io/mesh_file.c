/* mesh_file.c: see mesh_file.h. The readers are strict: the two kinds of STL are told apart by the file's size, and
 * what is cut off, no number, or announces more than it has is refused before memory is asked for. (assimp reads all of
 * these formats too, but works for more than ten seconds on some damaged files of a few hundred bytes.) */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* newlocale, strtod_l */
#endif
#include "io/mesh_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/checksum.h"
#include "core/status.h"

#define WELD 2e-7  /* of the largest extent: corners closer than this are one; single precision resolves 6e-8 */
#define FLAT 1e-12 /* area over the square of the longest side: a line */
#define MAX_TRIANGLES 100000000
#define MAX_BYTES ((size_t)8 << 30)

/* ---- corners as they come ---- */

/* Three corners per triangle. */
typedef struct Soup {
  double (*corner)[3];
  size_t count, capacity; /* corners */
} Soup;

static ScreeStatus add_corner(Soup *s, const double *x) {
  if (s->count == s->capacity) {
    size_t capacity = s->capacity ? 2 * s->capacity : 3072;
    void *grown = realloc(s->corner, capacity * sizeof *s->corner);
    if (!grown) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu triangles", capacity / 3);
    s->corner = grown;
    s->capacity = capacity;
  }
  for (int k = 0; k < 3; k++)
    if (!isfinite(x[k])) return scree_fail(SCREE_INVALID, "number %zu of its corners is not finite", s->count + 1);
  memcpy(s->corner[s->count++], x, 3 * sizeof *x);
  return SCREE_OK;
}

/* ---- STL ---- */

enum { STL_HEADER = 84, STL_TRIANGLE = 50 };

static uint64_t stl_count(const unsigned char *b) {
  return (uint64_t)b[80] | (uint64_t)b[81] << 8 | (uint64_t)b[82] << 16 | (uint64_t)b[83] << 24;
}

static double stl_float(const unsigned char *b) {
  uint32_t bits = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

static ScreeStatus read_binary(const unsigned char *b, size_t size, Soup *s) {
  if (size < STL_HEADER)
    return scree_fail(SCREE_INVALID, "a binary STL has a header of %d bytes; this file has %zu", STL_HEADER, size);
  uint64_t count = stl_count(b), there = (size - STL_HEADER) / STL_TRIANGLE;
  if (count > there)
    return scree_fail(SCREE_INVALID, "the header promises %llu triangles, the file holds %llu: it is cut off or no STL",
                      (unsigned long long)count, (unsigned long long)there);
  if (count > MAX_TRIANGLES) return scree_fail(SCREE_INVALID, "more than %d triangles", MAX_TRIANGLES);
  for (uint64_t t = 0; t < count; t++)
    for (int c = 0; c < 3; c++) {
      const unsigned char *at = b + STL_HEADER + t * STL_TRIANGLE + 12 + 12 * c;
      double x[3] = {stl_float(at), stl_float(at + 4), stl_float(at + 8)};
      SCREE_TRY(add_corner(s, x));
    }
  return SCREE_OK;
}

/* Words of a text, and the line they are on. */
typedef struct Words {
  const char *at, *end;
  size_t line;
  char word[64];
  locale_t c;
} Words;

static bool next_word(Words *w) {
  size_t length = 0;
  while (w->at < w->end && isspace((unsigned char)*w->at)) w->line += *w->at++ == '\n';
  while (w->at < w->end && !isspace((unsigned char)*w->at)) {
    if (length < sizeof w->word - 1) w->word[length++] = *w->at;
    w->at++;
  }
  w->word[length] = '\0';
  return length > 0;
}

static bool next_is(Words *w, const char *word) { return next_word(w) && strcasecmp(w->word, word) == 0; }

static void rest_of_line(Words *w) {
  while (w->at < w->end && *w->at != '\n') w->at++;
}

static ScreeStatus unexpected(const Words *w, const char *wanted) {
  if (!*w->word) return scree_fail(SCREE_INVALID, "it ends at line %zu where %s should be", w->line, wanted);
  return scree_fail(SCREE_INVALID, "line %zu: there should be %s, not \"%.40s\"", w->line, wanted, w->word);
}

static ScreeStatus next_number(Words *w, double *value) {
  char *end = NULL;
  if (next_word(w)) *value = strtod_l(w->word, &end, w->c);
  return end && end != w->word && !*end ? SCREE_OK : unexpected(w, "a number");
}

/* facet normal x y z / outer loop / vertex x y z (three) / endloop / endfacet */
static ScreeStatus read_facet(Words *w, Soup *s) {
  double x[3];
  if (!next_is(w, "normal")) return unexpected(w, "\"normal\"");
  for (int k = 0; k < 3; k++)
    if (!next_word(w)) return unexpected(w, "a number"); /* its value is not used: some write none that makes sense */
  if (!next_is(w, "outer")) return unexpected(w, "\"outer loop\"");
  if (!next_is(w, "loop")) return unexpected(w, "\"loop\"");
  for (int c = 0; c < 3; c++) {
    if (!next_is(w, "vertex")) return unexpected(w, "\"vertex\"");
    for (int k = 0; k < 3; k++) SCREE_TRY(next_number(w, &x[k]));
    SCREE_TRY(add_corner(s, x));
  }
  if (!next_is(w, "endloop")) return unexpected(w, "\"endloop\"");
  return next_is(w, "endfacet") ? SCREE_OK : unexpected(w, "\"endfacet\"");
}

static ScreeStatus read_solids(Words *w, Soup *s) {
  while (next_word(w)) {
    if (strcasecmp(w->word, "solid") != 0) return unexpected(w, "\"solid\"");
    rest_of_line(w);
    for (;;) {
      if (!next_word(w)) return unexpected(w, "\"endsolid\"");
      if (strcasecmp(w->word, "endsolid") == 0) break;
      if (strcasecmp(w->word, "facet") != 0) return unexpected(w, "\"facet\" or \"endsolid\"");
      SCREE_TRY(read_facet(w, s));
    }
    rest_of_line(w);
  }
  return SCREE_OK;
}

static ScreeStatus read_ascii(const char *text, size_t size, Soup *s) {
  Words w = {.at = text, .end = text + size, .line = 1, .c = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  if (!w.c) return scree_fail(SCREE_NO_MEMORY, "no memory for a locale");
  ScreeStatus status = read_solids(&w, s);
  freelocale(w.c);
  return status;
}

/* Headers of binary files begin with "solid" often enough: the size tells. */
static ScreeStatus read_stl(const char *bytes, size_t size, Soup *s) {
  const unsigned char *b = (const unsigned char *)bytes;
  bool exact = size >= STL_HEADER && stl_count(b) * STL_TRIANGLE == size - STL_HEADER;
  size_t blank = 0;
  while (blank < size && isspace((unsigned char)bytes[blank])) blank++;
  if (!exact && size - blank >= 5 && strncasecmp(bytes + blank, "solid", 5) == 0 && !memchr(bytes, '\0', size))
    return read_ascii(bytes, size, s);
  return read_binary(b, size, s);
}

/* ---- OBJ ---- */

/* The vertices of an OBJ or PLY, and the polygon being read: it is cut into a fan of triangles. */
typedef struct Points {
  Soup vertex;
  double first[3], last[3], normal[3]; /* normal: of the fan's first triangle that has one */
  int corners;
} Points;

/* A fan covers a polygon once if all its triangles lie the same way round; one that folds back does not. */
static bool folds_back(Points *p, const double *x) {
  double a[3], b[3], n[3];
  for (int k = 0; k < 3; k++) a[k] = p->last[k] - p->first[k], b[k] = x[k] - p->first[k];
  for (int k = 0; k < 3; k++) n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
  if (p->normal[0] == 0.0 && p->normal[1] == 0.0 && p->normal[2] == 0.0) memcpy(p->normal, n, sizeof n);
  return n[0] * p->normal[0] + n[1] * p->normal[1] + n[2] * p->normal[2] < 0.0;
}

static ScreeStatus add_polygon_corner(Points *p, int64_t index, Soup *s) {
  if (index < 0 || (uint64_t)index >= p->vertex.count)
    return scree_fail(SCREE_INVALID, "a face names vertex %lld of %zu", (long long)index + 1, p->vertex.count);
  const double *x = p->vertex.corner[index];
  if (p->corners == 0) memset(p->normal, 0, sizeof p->normal);
  if (p->corners >= 2) {
    if (folds_back(p, x))
      return scree_fail(SCREE_UNSUPPORTED, "a face of more than three corners is not convex: cut it into triangles");
    SCREE_TRY(add_corner(s, p->first));
    SCREE_TRY(add_corner(s, p->last));
    SCREE_TRY(add_corner(s, x));
  }
  if (p->corners++ == 0) memcpy(p->first, x, sizeof p->first);
  memcpy(p->last, x, sizeof p->last);
  return SCREE_OK;
}

/* A word of the line, which a backslash at its end continues. */
static bool word_of_line(Words *w) {
  while (w->at < w->end) {
    if (*w->at == '\\' && w->at + 1 < w->end && (w->at[1] == '\n' || w->at[1] == '\r')) {
      w->line++;
      w->at += w->at[1] == '\r' && w->at + 2 < w->end ? 3 : 2;
    } else if (*w->at == '\n' || !isspace((unsigned char)*w->at)) {
      break;
    } else {
      w->at++;
    }
  }
  *w->word = '\0';
  return w->at < w->end && *w->at != '\n' && *w->at != '#' && next_word(w);
}

/* "3", "3/1", "3//2", "-1": the number before the first slash, from one, or back from the last. */
static ScreeStatus obj_index(const Words *w, size_t vertices, int64_t *index) {
  char *end = NULL;
  errno = 0;
  long long number = strtoll(w->word, &end, 10);
  if (end == w->word || (*end && *end != '/') || number == 0 || errno != 0) return unexpected(w, "a vertex's number");
  *index = number > 0 ? number - 1 : (int64_t)vertices + number;
  return SCREE_OK;
}

static ScreeStatus obj_line(Words *w, Points *p, Soup *s) {
  double x[3];
  if (strcmp(w->word, "v") == 0) {
    for (int k = 0; k < 3; k++) {
      char *end = NULL;
      if (word_of_line(w)) x[k] = strtod_l(w->word, &end, w->c);
      if (!end || end == w->word || *end) return unexpected(w, "a number");
    }
    return add_corner(&p->vertex, x);
  }
  if (strcmp(w->word, "f") != 0) return SCREE_OK; /* normals, groups, materials: nothing a wall needs */
  p->corners = 0;
  while (word_of_line(w)) {
    int64_t index = 0;
    SCREE_TRY(obj_index(w, p->vertex.count, &index));
    SCREE_TRY(add_polygon_corner(p, index, s));
  }
  return p->corners >= 3 ? SCREE_OK : scree_fail(SCREE_INVALID, "line %zu: a face of %d corners", w->line, p->corners);
}

static ScreeStatus read_obj(const char *text, size_t size, Soup *s) {
  Words w = {.at = text, .end = text + size, .line = 1, .c = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  Points p = {.corners = 0};
  ScreeStatus status = w.c ? SCREE_OK : scree_fail(SCREE_NO_MEMORY, "no memory for a locale");
  while (status == SCREE_OK && w.at < w.end) {
    if (word_of_line(&w)) status = obj_line(&w, &p, s);
    rest_of_line(&w);
    if (w.at < w.end) w.at++, w.line++;
  }
  if (w.c) freelocale(w.c);
  free(p.vertex.corner);
  return status;
}

/* ---- PLY ---- */

enum { PLY_ELEMENTS = 16, PLY_PROPERTIES = 64 };
typedef enum PlyCode { PLY_ASCII, PLY_LITTLE, PLY_BIG } PlyCode;

typedef struct PlyType {
  const char *name, *alias;
  size_t bytes;
  char kind; /* i, u, f */
} PlyType;

static const PlyType ply_types[] = {
    {"char", "int8", 1, 'i'}, {"uchar", "uint8", 1, 'u'}, {"short", "int16", 2, 'i'},   {"ushort", "uint16", 2, 'u'},
    {"int", "int32", 4, 'i'}, {"uint", "uint32", 4, 'u'}, {"float", "float32", 4, 'f'}, {"double", "float64", 8, 'f'}};

typedef struct PlyProperty {
  const PlyType *count, *type; /* count: of a list; NULL: one value */
  int role;                    /* 0 ... 2: a coordinate; 3: the corners of a face; -1: something else */
} PlyProperty;

typedef struct PlyElement {
  bool vertex, face;
  uint64_t count;
  PlyProperty property[PLY_PROPERTIES];
  int properties;
} PlyElement;

typedef struct Ply {
  PlyCode code;
  PlyElement element[PLY_ELEMENTS];
  int elements;
  Words w;
} Ply;

static const PlyType *ply_type(const char *name) {
  for (size_t i = 0; i < sizeof ply_types / sizeof *ply_types; i++)
    if (strcmp(name, ply_types[i].name) == 0 || strcmp(name, ply_types[i].alias) == 0) return &ply_types[i];
  return NULL;
}

static ScreeStatus ply_property(Ply *p) {
  Words *w = &p->w;
  if (p->elements == 0) return unexpected(w, "an element before its properties");
  PlyElement *e = &p->element[p->elements - 1];
  if (e->properties == PLY_PROPERTIES) return scree_fail(SCREE_INVALID, "more than %d properties", PLY_PROPERTIES);
  PlyProperty *q = &e->property[e->properties++];
  *q = (PlyProperty){.role = -1};
  bool list = next_word(w) && strcmp(w->word, "list") == 0;
  if (list && !(next_word(w) && (q->count = ply_type(w->word)) && q->count->kind != 'f'))
    return unexpected(w, "the type of a list's length");
  if (list) next_word(w);
  if (!(q->type = ply_type(w->word))) return unexpected(w, "a type");
  if (!next_word(w)) return unexpected(w, "a property's name");
  if (e->vertex && !list && w->word[1] == '\0' && *w->word >= 'x' && *w->word <= 'z') q->role = *w->word - 'x';
  if (e->face && list && (strcmp(w->word, "vertex_indices") == 0 || strcmp(w->word, "vertex_index") == 0)) q->role = 3;
  return SCREE_OK;
}

static ScreeStatus ply_element(Ply *p) {
  Words *w = &p->w;
  if (p->elements == PLY_ELEMENTS) return scree_fail(SCREE_INVALID, "more than %d kinds of elements", PLY_ELEMENTS);
  PlyElement *e = &p->element[p->elements++];
  if (!next_word(w)) return unexpected(w, "an element's name");
  *e = (PlyElement){.vertex = strcmp(w->word, "vertex") == 0, .face = strcmp(w->word, "face") == 0};
  char *end = NULL;
  errno = 0;
  if (next_word(w) && isdigit((unsigned char)*w->word)) e->count = strtoull(w->word, &end, 10);
  return end && !*end && errno == 0 ? SCREE_OK : unexpected(w, "how many there are");
}

static ScreeStatus ply_format(Ply *p) {
  static const char *const codes[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  if (next_word(&p->w))
    for (int i = 0; i < 3; i++)
      if (strcmp(p->w.word, codes[i]) == 0) return p->code = (PlyCode)i, SCREE_OK;
  return unexpected(&p->w, "ascii, binary_little_endian or binary_big_endian");
}

static ScreeStatus ply_header(Ply *p) {
  Words *w = &p->w;
  if (!next_is(w, "ply")) return unexpected(w, "\"ply\"");
  for (;;) {
    if (!next_word(w)) return unexpected(w, "\"end_header\"");
    if (strcmp(w->word, "end_header") == 0) break;
    if (strcmp(w->word, "format") == 0) SCREE_TRY(ply_format(p));
    if (strcmp(w->word, "element") == 0) SCREE_TRY(ply_element(p));
    if (strcmp(w->word, "property") == 0) SCREE_TRY(ply_property(p));
    rest_of_line(w); /* also of comments */
  }
  rest_of_line(w);
  if (w->at < w->end) w->at++, w->line++;
  return SCREE_OK;
}

static ScreeStatus ply_value(Ply *p, const PlyType *type, double *value) {
  Words *w = &p->w;
  if (p->code == PLY_ASCII) return next_number(w, value);
  unsigned char b[8];
  uint64_t bits = 0;
  if ((size_t)(w->end - w->at) < type->bytes) return scree_fail(SCREE_INVALID, "it is cut off");
  memcpy(b, w->at, type->bytes);
  w->at += type->bytes;
  for (size_t i = 0; i < type->bytes; i++)
    bits |= (uint64_t)b[p->code == PLY_LITTLE ? i : type->bytes - 1 - i] << (8 * i);
  uint32_t half = (uint32_t)bits;
  float single;
  memcpy(&single, &half, sizeof single);
  memcpy(value, &bits, sizeof *value);
  if (type->kind == 'f' && type->bytes == 4) *value = (double)single;
  if (type->kind == 'u') *value = (double)bits;
  if (type->kind == 'i') {
    uint64_t sign = (uint64_t)1 << (8 * type->bytes - 1);
    *value = (double)(bits & (sign - 1)) - (bits & sign ? (double)sign : 0.0);
  }
  return SCREE_OK;
}

static ScreeStatus ply_list(Ply *p, const PlyProperty *q, Points *points, Soup *s) {
  double count, index;
  SCREE_TRY(ply_value(p, q->count, &count));
  if (!(count >= 0.0 && count <= 1e6)) return scree_fail(SCREE_INVALID, "a list of %.3g values", count);
  points->corners = 0;
  for (int i = 0; i < (int)count; i++) {
    SCREE_TRY(ply_value(p, q->type, &index));
    if (q->role != 3) continue;
    if (!(fabs(index) < 1e15)) return scree_fail(SCREE_INVALID, "a face names vertex %.3g", index);
    SCREE_TRY(add_polygon_corner(points, (int64_t)index, s));
  }
  return SCREE_OK;
}

static ScreeStatus ply_row(Ply *p, const PlyElement *e, Points *points, Soup *s) {
  double x[3] = {NAN, NAN, NAN}, value;
  for (int i = 0; i < e->properties; i++) {
    const PlyProperty *q = &e->property[i];
    if (q->count) {
      SCREE_TRY(ply_list(p, q, points, s));
    } else {
      SCREE_TRY(ply_value(p, q->type, &value));
      if (q->role >= 0) x[q->role] = value;
    }
  }
  return e->vertex ? add_corner(&points->vertex, x) : SCREE_OK;
}

/* What an element's rows take at least: a header cannot promise more than the file can hold. */
static ScreeStatus ply_room(const Ply *p, const PlyElement *e) {
  size_t least = 0, room = (size_t)(p->w.end - p->w.at);
  for (int i = 0; i < e->properties; i++)
    least += p->code == PLY_ASCII ? 1 : e->property[i].count ? e->property[i].count->bytes : e->property[i].type->bytes;
  if (e->count == 0 || (least > 0 && e->count <= room / least)) return SCREE_OK;
  return scree_fail(SCREE_INVALID, "the header promises %llu elements, %zu bytes remain: it is cut off or damaged",
                    (unsigned long long)e->count, room);
}

static ScreeStatus read_ply(const char *text, size_t size, Soup *s) {
  Ply p = {.w = {.at = text, .end = text + size, .line = 1, .c = newlocale(LC_ALL_MASK, "C", (locale_t)0)}};
  Points points = {.corners = 0};
  ScreeStatus status = p.w.c ? ply_header(&p) : scree_fail(SCREE_NO_MEMORY, "no memory for a locale");
  for (int i = 0; i < p.elements && status == SCREE_OK; i++) {
    status = ply_room(&p, &p.element[i]);
    for (uint64_t row = 0; row < p.element[i].count && status == SCREE_OK; row++)
      status = ply_row(&p, &p.element[i], &points, s);
  }
  if (p.w.c) freelocale(p.w.c);
  free(points.vertex.corner);
  return status;
}

/* ---- places ---- */

/* Rodrigues: x cos + (a cross x) sin + a (a . x)(1 - cos). */
static void place(const ScreePlacement *p, double *x) {
  double scaled[3] = {x[0] * p->scale, x[1] * p->scale, x[2] * p->scale}, a[3] = {0.0, 0.0, 0.0};
  double size = sqrt(p->axis[0] * p->axis[0] + p->axis[1] * p->axis[1] + p->axis[2] * p->axis[2]);
  double c = cos(p->angle), s = sin(p->angle), along = 0.0;
  for (int k = 0; k < 3 && size > 0.0; k++) a[k] = p->axis[k] / size, along += a[k] * scaled[k];
  bool turns = size > 0.0 && p->angle != 0.0;
  for (int k = 0; k < 3; k++) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    double turned = scaled[k] * c + (a[y] * scaled[z] - a[z] * scaled[y]) * s + a[k] * along * (1.0 - c);
    x[k] = (turns ? turned : scaled[k]) + p->shift[k];
  }
}

static ScreeStatus place_all(const ScreePlacement *p, Soup *s) {
  for (size_t i = 0; i < s->count; i++) {
    place(p, s->corner[i]);
    for (int k = 0; k < 3; k++)
      if (!(fabs(s->corner[i][k]) <= 1e30))
        return scree_fail(SCREE_INVALID, "a corner of triangle %zu is %.3g m away", i / 3, fabs(s->corner[i][k]));
  }
  return SCREE_OK;
}

/* ---- welding ---- */

/* Cells as wide as the tolerance, hashed; each holds the vertices that lie in it. */
typedef struct Welder {
  ScreeTriangles *out;
  double tolerance;
  uint32_t *head, *next; /* vertex + 1; 0: none */
  size_t mask;
} Welder;

static size_t slot_of(const Welder *w, const int64_t *c) {
  uint64_t h = (uint64_t)c[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)c[1] * 0xc2b2ae3d27d4eb4fu ^
               (uint64_t)c[2] * 0x165667b19e3779f9u;
  return (size_t)(h ^ h >> 29 ^ h >> 47) & w->mask;
}

static bool together(const Welder *w, const double *a, const double *b) {
  return fabs(a[0] - b[0]) <= w->tolerance && fabs(a[1] - b[1]) <= w->tolerance && fabs(a[2] - b[2]) <= w->tolerance;
}

/* The vertex at a place: one that is there, or a new one. */
static uint32_t weld(Welder *w, const double *x) {
  int64_t cell[3], low[3], high[3];
  double width = 4.0 * w->tolerance;
  for (int k = 0; k < 3; k++) {
    cell[k] = (int64_t)floor((x[k] - w->out->low[k]) / width);
    low[k] = (int64_t)floor((x[k] - w->tolerance - w->out->low[k]) / width);
    high[k] = (int64_t)floor((x[k] + w->tolerance - w->out->low[k]) / width);
  }
  for (int64_t i = low[0]; i <= high[0]; i++)
    for (int64_t j = low[1]; j <= high[1]; j++)
      for (int64_t k = low[2]; k <= high[2]; k++)
        for (uint32_t v = w->head[slot_of(w, (int64_t[]){i, j, k})]; v != 0; v = w->next[v - 1])
          if (together(w, w->out->vertex[v - 1], x)) return v - 1;
  uint32_t fresh = (uint32_t)w->out->vertices++;
  size_t slot = slot_of(w, cell);
  memcpy(w->out->vertex[fresh], x, sizeof w->out->vertex[fresh]);
  w->next[fresh] = w->head[slot];
  w->head[slot] = fresh + 1;
  return fresh;
}

static void measure_extent(const Soup *s, ScreeTriangles *t) {
  for (int k = 0; k < 3; k++) t->low[k] = INFINITY, t->high[k] = -INFINITY;
  for (size_t i = 0; i < s->count; i++)
    for (int k = 0; k < 3; k++) {
      t->low[k] = fmin(t->low[k], s->corner[i][k]);
      t->high[k] = fmax(t->high[k], s->corner[i][k]);
    }
}

static ScreeStatus weld_all(const Soup *s, ScreeTriangles *t) {
  measure_extent(s, t);
  double extent = fmax(t->high[0] - t->low[0], fmax(t->high[1] - t->low[1], t->high[2] - t->low[2]));
  size_t slots = 64;
  while (slots < s->count) slots *= 2;
  Welder w = {.out = t, .tolerance = fmax(WELD * extent, 1e-300), .mask = slots - 1};
  t->vertex = malloc(s->count * sizeof *t->vertex);
  t->triangle = malloc(s->count / 3 * sizeof *t->triangle);
  w.head = calloc(slots, sizeof *w.head);
  w.next = malloc(s->count * sizeof *w.next);
  bool fine = t->vertex && t->triangle && w.head && w.next;
  for (size_t i = 0; i < s->count && fine; i++) t->triangle[i / 3][i % 3] = weld(&w, s->corner[i]);
  t->triangles = s->count / 3;
  free(w.head), free(w.next);
  return fine ? SCREE_OK : scree_fail(SCREE_NO_MEMORY, "no memory for %zu triangles", s->count / 3);
}

/* ---- cleaning ---- */

/* Twice the area, as a vector across the triangle; the longest side squared. */
static double area_vector(const ScreeTriangles *t, const uint32_t *corner, double *n) {
  double side[3][3], longest2 = 0.0;
  for (int e = 0; e < 3; e++) {
    double size2 = 0.0;
    for (int k = 0; k < 3; k++) {
      side[e][k] = t->vertex[corner[(e + 1) % 3]][k] - t->vertex[corner[e]][k];
      size2 += side[e][k] * side[e][k];
    }
    longest2 = fmax(longest2, size2);
  }
  for (int k = 0; k < 3; k++) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    n[k] = side[0][y] * side[1][z] - side[0][z] * side[1][y];
  }
  return longest2;
}

static double size_of(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void drop_flat(ScreeTriangles *t) {
  size_t kept = 0;
  for (size_t i = 0; i < t->triangles; i++) {
    double n[3], longest2 = area_vector(t, t->triangle[i], n), area = size_of(n);
    if (!(area > FLAT * longest2)) continue;
    memmove(t->triangle[kept++], t->triangle[i], sizeof t->triangle[i]);
  }
  t->flat = t->triangles - kept;
  t->triangles = kept;
}

typedef struct Sorted {
  uint32_t corner[3];
  size_t index;
} Sorted;

static int by_corners(const void *a, const void *b) {
  const Sorted *x = a, *y = b;
  for (int c = 0; c < 3; c++)
    if (x->corner[c] != y->corner[c]) return x->corner[c] < y->corner[c] ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static void swap_if(uint32_t *a, uint32_t *b) {
  if (*a <= *b) return;
  uint32_t c = *a;
  *a = *b, *b = c;
}

static bool drop_twice(ScreeTriangles *t) {
  Sorted *sorted = malloc((t->triangles + 1) * sizeof *sorted);
  if (!sorted) return false;
  for (size_t i = 0; i < t->triangles; i++) {
    uint32_t *c = sorted[i].corner;
    memcpy(c, t->triangle[i], sizeof sorted[i].corner);
    swap_if(&c[0], &c[1]), swap_if(&c[1], &c[2]), swap_if(&c[0], &c[1]);
    sorted[i].index = i;
  }
  qsort(sorted, t->triangles, sizeof *sorted, by_corners);
  for (size_t i = 1; i < t->triangles; i++) /* the first of them stays */
    if (memcmp(sorted[i].corner, sorted[i - 1].corner, sizeof sorted[i].corner) == 0)
      t->triangle[sorted[i].index][0] = UINT32_MAX;
  free(sorted);
  size_t kept = 0;
  for (size_t i = 0; i < t->triangles; i++) {
    if (t->triangle[i][0] == UINT32_MAX) continue;
    memmove(t->triangle[kept++], t->triangle[i], sizeof t->triangle[i]);
  }
  t->twice = t->triangles - kept;
  t->triangles = kept;
  return true;
}

/* ---- sides ---- */

typedef struct Side {
  uint32_t low, high;
  uint32_t triangle;
} Side;

static int by_ends(const void *a, const void *b) {
  const Side *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static Side *sorted_sides(const ScreeTriangles *t) {
  Side *side = malloc((3 * t->triangles + 1) * sizeof *side);
  if (!side) return NULL;
  for (size_t i = 0; i < 3 * t->triangles; i++) {
    uint32_t a = t->triangle[i / 3][i % 3], b = t->triangle[i / 3][(i + 1) % 3];
    swap_if(&a, &b);
    side[i] = (Side){a, b, (uint32_t)(i / 3)};
  }
  qsort(side, 3 * t->triangles, sizeof *side, by_ends);
  return side;
}

/* One past the last of the sides that are the same as the first. */
static size_t same_sides(const Side *side, size_t first, size_t count) {
  size_t next = first + 1;
  while (next < count && side[next].low == side[first].low && side[next].high == side[first].high) next++;
  return next;
}

static bool count_sides(ScreeTriangles *t) {
  Side *side = sorted_sides(t);
  if (!side) return false;
  for (size_t i = 0, next; i < 3 * t->triangles; i = next) {
    next = same_sides(side, i, 3 * t->triangles);
    t->open += next - i == 1;
    t->crossed += next - i > 2;
  }
  free(side);
  return true;
}

/* ---- the whole ---- */

static const char *ending_of(const char *name) {
  const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');
  return dot && (!slash || dot > slash) ? dot + 1 : "";
}

static ScreeStatus read_soup(const char *name, const char *bytes, size_t size, Soup *s) {
  const char *ending = ending_of(name);
  if (size == 0) return scree_fail(SCREE_INVALID, "it is empty");
  if (size > 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) bytes += 3, size -= 3; /* some editors begin a text with it */
  if (strcasecmp(ending, "stl") == 0) return read_stl(bytes, size, s);
  if (strcasecmp(ending, "obj") == 0) return read_obj(bytes, size, s);
  if (strcasecmp(ending, "ply") == 0) return read_ply(bytes, size, s);
  return scree_fail(SCREE_UNSUPPORTED, "meshes are read from .stl, .obj and .ply files");
}

static ScreeStatus clean(const Soup *s, ScreeTriangles *t) {
  if (s->count < 3) return scree_fail(SCREE_INVALID, "it has no triangles");
  if (s->count / 3 > MAX_TRIANGLES) return scree_fail(SCREE_INVALID, "more than %d triangles", MAX_TRIANGLES);
  SCREE_TRY(weld_all(s, t));
  t->welded = s->count - t->vertices;
  drop_flat(t);
  if (!drop_twice(t) || !count_sides(t))
    return scree_fail(SCREE_NO_MEMORY, "no memory for %zu triangles", t->triangles);
  for (size_t i = 0; i < t->triangles; i++) {
    double n[3];
    area_vector(t, t->triangle[i], n);
    t->area += 0.5 * size_of(n);
  }
  return t->triangles > 0 ? SCREE_OK : scree_fail(SCREE_INVALID, "none of its triangles has an area");
}

/* The sentence says which file. */
static ScreeStatus name_file(const char *name, ScreeStatus status) {
  char sentence[300];
  snprintf(sentence, sizeof sentence, "%s", scree_last_error());
  return scree_fail(status, "%s: %s", name, sentence);
}

ScreeStatus scree_triangles_parse(const char *name, const void *bytes, size_t size, const ScreePlacement *pose,
                                  ScreeTriangles *out) {
  Soup soup = {NULL, 0, 0};
  *out = (ScreeTriangles){.vertex = NULL};
  ScreeStatus status = read_soup(name, bytes, size, &soup);
  if (status == SCREE_OK) status = place_all(pose, &soup);
  if (status == SCREE_OK) status = clean(&soup, out);
  free(soup.corner);
  out->content = scree_checksum(SCREE_CHECKSUM_START, bytes, size);
  if (status == SCREE_OK) return status;
  scree_triangles_free(out);
  return name_file(name, status);
}

static ScreeStatus read_all(const char *path, char **bytes, size_t *size) {
  struct stat about;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return scree_fail(SCREE_INVALID, "%s: %s", path, strerror(errno));
  ScreeStatus status = SCREE_OK;
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
    status = scree_fail(SCREE_INVALID, "%s: this is no file", path);
  else if ((uint64_t)about.st_size > MAX_BYTES)
    status = scree_fail(SCREE_UNSUPPORTED, "%s: larger than 8 GB", path);
  else if (!(*bytes = malloc((size_t)about.st_size + 1)))
    status = scree_fail(SCREE_NO_MEMORY, "%s: no memory for %lld bytes", path, (long long)about.st_size);
  for (*size = 0; status == SCREE_OK && *size < (size_t)about.st_size;) {
    ssize_t got = read(file, *bytes + *size, (size_t)about.st_size - *size);
    if (got < 0) status = scree_fail(SCREE_INVALID, "%s: %s", path, strerror(errno));
    if (got <= 0) break;
    *size += (size_t)got;
  }
  close(file);
  return status;
}

ScreeStatus scree_triangles_read(const char *path, const ScreePlacement *pose, ScreeTriangles *out) {
  char *bytes = NULL;
  size_t size = 0;
  *out = (ScreeTriangles){.vertex = NULL};
  ScreeStatus status = read_all(path, &bytes, &size);
  if (status == SCREE_OK) status = scree_triangles_parse(path, bytes, size, pose, out);
  free(bytes);
  return status;
}

void scree_triangles_free(ScreeTriangles *t) {
  free(t->vertex), free(t->triangle);
  *t = (ScreeTriangles){.vertex = NULL};
}
