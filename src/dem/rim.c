/* rim.c: the rims of a mesh: its edges of one triangle alone, joined into loops and chains.
 *
 *   edges    sorted by their two corners; one that is there once is open
 *   joints   at a corner of two open edges they follow each other. Where more meet (openings that touch at a corner,
 * the foot of a vane) those follow each other that run straightest; at an odd number one remains: a chain ends loops a
 * walk along the joints that comes to a corner for the second time has closed a loop, which is taken off: so openings
 * that touch at corners are loops of their own, and no loop visits a corner twice
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "scree/rim.h"

#define FLAT 0.01     /* of the opening's width: what a flat rim may leave its plane by */
#define ROUND 0.01    /* of the radius, the same of a circle */
#define NO_WIDTH 1e-6 /* area over the square of the length: below it a loop is a crack */
#define FULL_TURN                                                                                                      \
  0.03              /* what the length of a circle's polygon may differ by from the circle: eight corners or more      \
                     */
enum { MANY = 64 }; /* open edges at a corner: beyond, they are joined in their order */

typedef struct Edge {
  uint32_t low, high; /* vertices */
  uint32_t triangle, opposite;
  bool forward; /* the triangle runs from low to high */
} Edge;

/* An end of an open edge. */
typedef struct End {
  uint32_t vertex, edge;
} End;

enum { NONE = UINT32_MAX };

typedef struct Maker {
  const ScreeMesh *mesh;
  double (*vertex)[3]; /* welded */
  size_t vertices;
  uint32_t (*triangle)[3];
  size_t triangles;
  Edge *edge; /* all, then only the open ones */
  size_t open;
  End *end;             /* two per open edge, by vertex */
  uint32_t (*next)[2];  /* of each open edge: the one that follows at its low and its high vertex */
  bool *used;           /* of each open edge */
  uint32_t *seen;       /* of each vertex: where the walk came by, + 1 */
  uint32_t *walk, *via; /* the vertices of the walk, and the edges that led on from them */
  ScreeRim *rim;
  double (*corner)[3], (*out)[3];
  size_t rims, corners, outs;
  ScreeRims all;
} Maker;

/* The allocation starts with the public part; the rims' arrays follow it. */
typedef struct Held {
  ScreeRims all;
  ScreeRim *rim;
  double (*corner)[3], (*out)[3];
} Held;

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void minus(const double *a, const double *b, double *c) {
  for (int k = 0; k < 3; k++) c[k] = a[k] - b[k];
}
static void add_cross(const double *a, const double *b, double factor, double *sum) {
  for (int k = 0; k < 3; k++) sum[k] += factor * (a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
}
static int order_of(const double *a, const double *b) {
  for (int k = 0; k < 3; k++)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

/* ---- vertices and triangles ---- */

typedef struct Placed {
  double x[3];
  uint32_t given;
} Placed;

static int by_place(const void *a, const void *b) {
  const Placed *x = a, *y = b;
  int order = order_of(x->x, y->x);
  return order ? order : x->given < y->given ? -1 : x->given > y->given;
}

/* Vertices at the same place are one; those are numbered by their places. */
static bool weld(Maker *m, const ScreeMeshDef *d, uint32_t *number) {
  Placed *placed = malloc((d->vertices + 1) * sizeof *placed);
  if (!placed) return false;
  for (size_t v = 0; v < d->vertices; v++) {
    placed[v].given = (uint32_t)v;
    for (int k = 0; k < 3; k++) placed[v].x[k] = d->vertex[v][k] + 0.0; /* one zero */
  }
  qsort(placed, d->vertices, sizeof *placed, by_place);
  for (size_t v = 0; v < d->vertices; v++) {
    if (v == 0 || order_of(placed[v].x, placed[v - 1].x) != 0)
      memcpy(m->vertex[m->vertices++], placed[v].x, sizeof placed[v].x);
    number[placed[v].given] = (uint32_t)(m->vertices - 1);
  }
  free(placed);
  return true;
}

static int by_corners(const void *a, const void *b) {
  const uint32_t *x = a, *y = b;
  uint32_t p[3], q[3];
  memcpy(p, x, sizeof p), memcpy(q, y, sizeof q);
  for (int pass = 0; pass < 3; pass++)
    for (int c = 0; c < 2; c++) {
      uint32_t s = p[c], t = q[c];
      if (s > p[c + 1]) p[c] = p[c + 1], p[c + 1] = s;
      if (t > q[c + 1]) q[c] = q[c + 1], q[c + 1] = t;
    }
  for (int c = 0; c < 3; c++)
    if (p[c] != q[c]) return p[c] < q[c] ? -1 : 1;
  return 0;
}

/* The first of equal corners leads, whichever way round; equal triangles that differ in that are ordered by it. */
static int by_triangle(const void *a, const void *b) {
  const uint32_t *x = a, *y = b;
  int order = by_corners(a, b);
  for (int c = 0; c < 3 && order == 0; c++) order = x[c] < y[c] ? -1 : x[c] > y[c];
  return order;
}

static void lead_with_lowest(uint32_t *t) {
  while (t[0] > t[1] || t[0] > t[2]) {
    uint32_t first = t[0];
    t[0] = t[1], t[1] = t[2], t[2] = first;
  }
}

static void take_triangles(Maker *m, const ScreeMeshDef *d, const uint32_t *number) {
  size_t count = 0;
  for (size_t i = 0; i < d->triangles; i++) {
    uint32_t *t = m->triangle[count];
    for (int c = 0; c < 3; c++) t[c] = number[d->triangle[i][c]];
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    lead_with_lowest(t);
    count++;
  }
  qsort(m->triangle, count, sizeof *m->triangle, by_triangle);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || by_corners(m->triangle[i], m->triangle[m->triangles - 1]) != 0)
      memmove(m->triangle[m->triangles++], m->triangle[i], sizeof *m->triangle);
}

/* ---- edges ---- */

static int by_ends(const void *a, const void *b) {
  const Edge *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static uint32_t root_of(uint32_t *parent, uint32_t at) {
  while (parent[at] != at) at = parent[at] = parent[parent[at]];
  return at;
}

/* Counts the edges of each kind and keeps the open ones. */
static void sort_edges(Maker *m, uint32_t *parent) {
  size_t sides = 3 * m->triangles;
  for (size_t i = 0; i < sides; i++) {
    const uint32_t *t = m->triangle[i / 3];
    uint32_t a = t[i % 3], b = t[(i + 1) % 3];
    m->edge[i] = (Edge){a < b ? a : b, a < b ? b : a, (uint32_t)(i / 3), t[(i + 2) % 3], a < b};
  }
  qsort(m->edge, sides, sizeof *m->edge, by_ends);
  m->all.pieces = m->triangles;
  for (size_t t = 0; t < m->triangles; t++) parent[t] = (uint32_t)t;
  for (size_t i = 0, next; i < sides; i = next) {
    const Edge *e = &m->edge[i];
    for (next = i + 1; next < sides && m->edge[next].low == e->low && m->edge[next].high == e->high; next++) {
      uint32_t a = root_of(parent, e->triangle), b = root_of(parent, m->edge[next].triangle);
      m->all.pieces -= a != b;
      parent[a] = b;
    }
    m->all.edges++;
    m->all.crossed += next - i > 2;
    m->all.flipped += next - i == 2 && e->forward == m->edge[i + 1].forward;
    if (next - i == 1) m->edge[m->open++] = *e;
  }
  m->all.open = m->open;
}

/* ---- joints ---- */

static int by_vertex(const void *a, const void *b) {
  const End *x = a, *y = b;
  if (x->vertex != y->vertex) return x->vertex < y->vertex ? -1 : 1;
  return x->edge < y->edge ? -1 : x->edge > y->edge;
}

static uint32_t *next_at(Maker *m, End end) { return &m->next[end.edge][m->edge[end.edge].high == end.vertex]; }

static void join(Maker *m, End a, End b) { *next_at(m, a) = b.edge, *next_at(m, b) = a.edge; }

static void direction_of(const Maker *m, End end, double *d) {
  const Edge *e = &m->edge[end.edge];
  minus(m->vertex[e->low == end.vertex ? e->high : e->low], m->vertex[end.vertex], d);
  double size = sqrt(dot(d, d));
  for (int k = 0; k < 3; k++) d[k] /= size;
}

/* Pairs the edges that run straightest first; an odd edge remains. */
static void join_straightest(Maker *m, const End *end, size_t count) {
  double d[MANY][3];
  bool free_end[MANY];
  for (size_t i = 0; i < count; i++) direction_of(m, end[i], d[i]), free_end[i] = true;
  for (size_t left = count; left > 1; left -= 2) {
    size_t a = 0, b = 0;
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
      for (size_t j = i + 1; j < count; j++)
        if (free_end[i] && free_end[j] && dot(d[i], d[j]) < least) least = dot(d[i], d[j]), a = i, b = j;
    if (a == b) return; /* a direction is no number */
    free_end[a] = free_end[b] = false;
    join(m, end[a], end[b]);
  }
}

static void join_all(Maker *m) {
  size_t ends = 2 * m->open;
  for (size_t e = 0; e < m->open; e++) {
    m->end[2 * e] = (End){m->edge[e].low, (uint32_t)e};
    m->end[2 * e + 1] = (End){m->edge[e].high, (uint32_t)e};
    m->next[e][0] = m->next[e][1] = NONE;
  }
  qsort(m->end, ends, sizeof *m->end, by_vertex);
  for (size_t i = 0, last; i < ends; i = last) {
    for (last = i + 1; last < ends && m->end[last].vertex == m->end[i].vertex;) last++;
    if (last - i <= MANY)
      join_straightest(m, m->end + i, last - i);
    else
      for (size_t j = i; j + 1 < last; j += 2) join(m, m->end[j], m->end[j + 1]);
  }
}

/* ---- loops and chains ---- */

/* In the plane of an edge's triangle, across the edge and away from the triangle. */
static void find_out(const Maker *m, const Edge *e, double *out) {
  const double *a = m->vertex[e->low];
  double along[3], to[3];
  minus(m->vertex[e->high], a, along);
  minus(m->vertex[e->opposite], a, to);
  double part = dot(to, along) / dot(along, along), size = 0.0;
  for (int k = 0; k < 3; k++) out[k] = part * along[k] - to[k];
  size = sqrt(dot(out, out));
  for (int k = 0; k < 3; k++) out[k] = size > 0.0 ? out[k] / size : 0.0;
}

/* The walk's vertices from a place on are a rim, joined by the edges between them. */
static void take_rim(Maker *m, size_t from, size_t to, bool closed) {
  ScreeRim *r = &m->rim[m->rims++];
  *r = (ScreeRim){.corner = (const double(*)[3])(m->corner + m->corners),
                  .out = (const double(*)[3])(m->out + m->outs),
                  .edges = to - from,
                  .closed = closed};
  for (size_t i = from; i < to + !closed; i++) memcpy(m->corner[m->corners++], m->vertex[m->walk[i]], 24);
  for (size_t i = from; i < to; i++) find_out(m, &m->edge[m->via[i]], m->out[m->outs++]);
}

/* From an end of an edge along the joints, until a chain ends or all loops are closed. */
static void walk_from(Maker *m, uint32_t edge, uint32_t vertex) {
  size_t at = 0; /* the last vertex of the walk */
  m->walk[0] = vertex, m->seen[vertex] = 1;
  while (edge != NONE && !m->used[edge]) {
    const Edge *e = &m->edge[edge];
    uint32_t on = e->low == m->walk[at] ? e->high : e->low, following = m->next[edge][e->high == on];
    m->used[edge] = true;
    m->via[at] = edge;
    if (m->seen[on]) { /* a loop: the walk goes on from where it began */
      size_t from = m->seen[on] - 1;
      take_rim(m, from, at + 1, true);
      for (; at > from; at--) m->seen[m->walk[at]] = 0;
    } else {
      m->walk[++at] = on, m->seen[on] = (uint32_t)at + 1;
    }
    edge = following;
  }
  if (at > 0) take_rim(m, 0, at, false);
  for (size_t i = 0; i <= at; i++) m->seen[m->walk[i]] = 0;
}

static void walk_all(Maker *m) {
  for (size_t e = 0; e < m->open; e++) /* chains from their ends */
    for (int side = 0; side < 2; side++)
      if (!m->used[e] && m->next[e][side] == NONE) walk_from(m, (uint32_t)e, side ? m->edge[e].high : m->edge[e].low);
  for (size_t e = 0; e < m->open; e++)
    if (!m->used[e]) walk_from(m, (uint32_t)e, m->edge[e].low);
}

/* ---- what they measure ---- */

static const double *corner_after(const ScreeRim *r, size_t i) {
  return r->corner[r->closed ? (i + 1) % r->edges : i + 1];
}

static void measure_length(ScreeRim *r) {
  for (int k = 0; k < 3; k++) r->low[k] = INFINITY, r->high[k] = -INFINITY;
  for (size_t i = 0; i < r->edges; i++) {
    double along[3];
    minus(corner_after(r, i), r->corner[i], along);
    double length = sqrt(dot(along, along));
    r->length += length;
    for (int k = 0; k < 3; k++) r->centre[k] += length * (r->corner[i][k] + 0.5 * along[k]);
  }
  for (size_t i = 0; i < r->edges + !r->closed; i++)
    for (int k = 0; k < 3; k++) {
      r->low[k] = fmin(r->low[k], r->corner[i][k]), r->high[k] = fmax(r->high[k], r->corner[i][k]);
    }
  for (int k = 0; k < 3; k++) r->centre[k] /= r->length;
}

/* The vector area of any surface that closes the rim is half the sum of the cross products. */
static void measure_opening(ScreeRim *r) {
  double sum[3] = {0.0, 0.0, 0.0}, farthest = 0.0, least = INFINITY, most = 0.0, mean = 0.0;
  for (size_t i = 0; i < r->edges; i++) {
    double a[3], b[3];
    minus(r->corner[i], r->centre, a);
    minus(corner_after(r, i), r->centre, b);
    add_cross(a, b, 0.5, sum);
  }
  r->area = sqrt(dot(sum, sum));
  if (!(r->area > NO_WIDTH * r->length * r->length)) {
    r->area = 0.0;
    return;
  }
  for (int k = 0; k < 3; k++) r->normal[k] = sum[k] / r->area;
  for (size_t i = 0; i < r->edges; i++) {
    double to[3];
    minus(r->corner[i], r->centre, to);
    double size = sqrt(dot(to, to));
    farthest = fmax(farthest, fabs(dot(to, r->normal)));
    least = fmin(least, size), most = fmax(most, size), mean += size / (double)r->edges;
  }
  r->flat = farthest <= FLAT * sqrt(r->area);
  double around = 2.0 * acos(-1.0) * mean;
  if (r->flat && most - least <= 2.0 * ROUND * mean && fabs(r->length - around) <= FULL_TURN * around) r->radius = mean;
}

static void measure(ScreeRim *r) {
  r->radius = NAN;
  measure_length(r);
  if (r->closed) measure_opening(r);
}

static int rank_of(const ScreeRim *r) { return !r->closed ? 2 : r->area > 0.0 ? 0 : 1; }

/* Lengths that differ by rounding alone are the same: then places decide. */
static int by_rank(const void *a, const void *b) {
  const ScreeRim *x = a, *y = b;
  if (rank_of(x) != rank_of(y)) return rank_of(x) < rank_of(y) ? -1 : 1;
  float p = (float)x->length, q = (float)y->length;
  if (p != q) return p > q ? -1 : 1;
  return order_of(x->centre, y->centre);
}

/* ---- the whole ---- */

static bool make_rims(Maker *m) {
  ScreeMeshDef d = scree_mesh_def(m->mesh);
  uint32_t *number = malloc((d.vertices + 1) * sizeof *number), *parent = malloc((d.triangles + 1) * sizeof *parent);
  m->vertex = malloc((d.vertices + 1) * sizeof *m->vertex);
  m->triangle = malloc((d.triangles + 1) * sizeof *m->triangle);
  m->edge = malloc((3 * d.triangles + 1) * sizeof *m->edge);
  bool done = number && parent && m->vertex && m->triangle && m->edge && weld(m, &d, number);
  if (done) take_triangles(m, &d, number), sort_edges(m, parent);
  free(number), free(parent);
  if (!done) return false;
  m->end = malloc((2 * m->open + 1) * sizeof *m->end);
  m->next = malloc((m->open + 1) * sizeof *m->next);
  m->used = calloc(m->open + 1, sizeof *m->used);
  m->seen = calloc(m->vertices + 1, sizeof *m->seen);
  m->walk = malloc((m->open + 2) * sizeof *m->walk);
  m->via = malloc((m->open + 2) * sizeof *m->via);
  m->rim = malloc((m->open + 1) * sizeof *m->rim);
  m->corner = malloc((2 * m->open + 1) * sizeof *m->corner);
  m->out = malloc((m->open + 1) * sizeof *m->out);
  if (!(m->end && m->next && m->used && m->seen && m->walk && m->via && m->rim && m->corner && m->out)) return false;
  join_all(m);
  walk_all(m);
  for (size_t i = 0; i < m->rims; i++) {
    measure(&m->rim[i]);
    m->all.cracks += rank_of(&m->rim[i]) == 1, m->all.chains += rank_of(&m->rim[i]) == 2;
  }
  qsort(m->rim, m->rims, sizeof *m->rim, by_rank);
  return true;
}

ScreeStatus scree_mesh_rims(const ScreeMesh *mesh, ScreeRims **rims) {
  SCREE_NEED_AS(mesh, "the mesh");
  SCREE_NEED(rims);
  Maker m = {.mesh = mesh};
  Held *held = malloc(sizeof *held);
  bool done = held && make_rims(&m);
  free(m.vertex), free(m.triangle), free(m.edge), free(m.end), free(m.next), free(m.used), free(m.seen), free(m.walk);
  free(m.via);
  if (!done) {
    free(held), free(m.rim), free(m.corner), free(m.out);
    return scree_fail(SCREE_NO_MEMORY, "no memory for the rims of a mesh");
  }
  m.all.rim = m.rim, m.all.count = m.rims;
  *held = (Held){m.all, m.rim, m.corner, m.out};
  *rims = &held->all;
  return SCREE_OK;
}

void scree_rims_destroy(ScreeRims *rims) {
  Held *held = (Held *)rims; /* its first member */
  if (!held) return;
  free(held->rim), free(held->corner), free(held->out);
  free(held);
}
