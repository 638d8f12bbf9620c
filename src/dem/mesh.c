/* mesh.c: where a sphere touches a surface of triangles.
 *
 * Every triangle near the centre c has one point p that is nearest to it, at the distance d in the direction n, from
 * the point to the centre. Which of these points are contacts, and of which kind, is decided in three steps:
 *
 *   shared     A point on a side or at a corner is no minimum of the distance when another triangle that has the same
 *              side or corner comes nearer; of equals one remains. Faces, convex edges and corners remain, once each.
 *
 *   covered    A point behind the tangent plane of a nearer minimum, d_i (n_i . n_j) >= d_j, is no contact of its own:
 *
 *                        c                    beyond the angle below it is out of reach, d_i >= d_j / cos(angle), and
 *                       /|                    within it belongs to the same contact. So cracks, T-junctions, images
 *                  d_i / | d_j                that meet at a periodic boundary and triangles of the same plane make
 *                     /  |                    no contacts of their own, whether they share corners or not, and a
 *              ------p_i-p_j------            plane of many triangles is a plane.
 *
 *   blended    What remains are minima of the distance: a face, a convex edge, a corner, or several of them in a
 *              valley. In a sharp valley, cos(angle) < 1 - the deepest overlap, each is a contact: it begins at no
 *              overlap. In a shallower one (a drum of many facets) the second would begin in the middle of the first's
 *              overlap, with a kick, and count the load twice: there they are one contact, at the distance
 *
 *                D = min over w_i >= 0, sum w_i = 1, of  sum w_i d_i - f r sum_{i<j} w_i w_j (1 - n_i . n_j)
 *
 *              The term is f r/2 |n_i - n_j|^2 per pair: the programme is convex, and describes the valley filled by a
 *              fillet that the centre follows with a radius of curvature f r. The contact's normal is the gradient of
 *              D: sum w_i n_i, and how the n_i of edges and corners turn. So the force has an energy, and the ledger
 *              closes. A point joins with no weight (at d_i - d_j = d_j (1/cos - 1) > f r (1 - cos)), so between the
 *              facets of a drum both D and the normal are continuous: the normal turns at 1/(f r) at most. Where edges
 *              or corners are blended it may jump by f/4 of the angle when they take turns with faces; and where the
 *              surface is so rough that several valleys lie within one fillet, D may, by f r angle^2/8.
 *              D is below the exact distance by f r angle^2/8 at most, in the middle of the valley, and the normal is
 *              shorter than one by angle^2/8. Single contacts have D = d and the normal n to the bit.
 *
 * Both sides of a surface can be touched: n points to where the centre is. The triangles are ordered in space, then by
 * their corners: the order in which they are given leaves no trace.
 *
 * 240 bytes per triangle, and a tree of boxes over them. */
#include "mesh.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "engine.h"
#include "scree/rim.h"

#define FILLET 0.2    /* f: radius of curvature of the centre's way through a valley, over the grain's radius */
#define COVERED 1e-11 /* of the radius: rounding of distances */
#define FLAT 1e-12    /* area over the square of the longest side: below it a triangle is a line */
enum {
  LEAF = 4,
  MAP = 64,
  BLEND = 3, /* feet that can be blended beside the first: normals have three components */
  BLEND_STEPS = 200,
};

typedef struct Facet {
  double corner[3][3];
  double n[3];
  double inward[3][3]; /* unit vectors in its plane, across the side that begins at the corner */
  double per[3];       /* 1/m2, of the sides' lengths */
  int32_t vertex[3];
} Facet;

typedef struct Node {
  double low[3], high[3];
  int32_t first, count; /* facets; a leaf has no children */
  int32_t left, right;
} Node;

/* A sphere around a facet: its middle and radius, a little large. */
typedef struct Ball {
  double x[3], r;
} Ball;

struct ScreeMesh {
  Facet *facet;
  Ball *ball;
  uint32_t *given; /* the triangle's number as given */
  size_t facets;
  ScreeMeshDef def; /* as given, copied */
  Node *node;
  int32_t nodes;
  double low[3], high[3];
  /* Where there are triangles at all: a bit per cell. Most grains are nowhere near, and know at once. */
  uint64_t map[MAP][MAP]; /* bits along x, rows by z and y */
  double per_cell[3];     /* 1/m */
  atomic_int owners;
};

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cross(const double *a, const double *b, double *c) {
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}
static void minus(const double *a, const double *b, double *c) {
  for (int k = 0; k < 3; k++) c[k] = a[k] - b[k];
}

/* ---- triangles ---- */

/* False when the corners lie on a line. */
static bool make_facet(Facet *f) {
  double side[3][3], longest2 = 0.0;
  for (int e = 0; e < 3; e++) {
    minus(f->corner[(e + 1) % 3], f->corner[e], side[e]);
    longest2 = fmax(longest2, dot(side[e], side[e]));
  }
  cross(side[0], side[1], f->n);
  double area = sqrt(dot(f->n, f->n));
  if (!(area > FLAT * longest2)) return false;
  for (int k = 0; k < 3; k++) f->n[k] /= area;
  for (int e = 0; e < 3; e++) {
    double length = sqrt(dot(side[e], side[e]));
    f->per[e] = 1.0 / (length * length);
    cross(f->n, side[e], f->inward[e]);
    for (int k = 0; k < 3; k++) f->inward[e][k] /= length;
  }
  return isfinite(f->per[0]) && isfinite(f->per[1]) && isfinite(f->per[2]);
}

static Ball ball_of(const Facet *f) {
  Ball b = {.r = 0.0};
  for (int k = 0; k < 3; k++) b.x[k] = (f->corner[0][k] + f->corner[1][k] + f->corner[2][k]) / 3.0;
  for (int c = 0; c < 3; c++) {
    double to[3];
    minus(f->corner[c], b.x, to);
    b.r = fmax(b.r, sqrt(dot(to, to)) * (1.0 + 1e-6));
  }
  return b;
}

/* The nearest point of a triangle. Seen along its normal, the plane falls into seven regions: its own, one per side,
 * one per corner. end: see Foot. */
static double nearest(const Facet *f, const double *x, double *n, int32_t *end) {
  end[0] = end[1] = -1;
  double to[3][3], inside[3];
  for (int e = 0; e < 3; e++) {
    minus(x, f->corner[e], to[e]);
    inside[e] = dot(to[e], f->inward[e]);
  }
  if (inside[0] >= 0.0 && inside[1] >= 0.0 && inside[2] >= 0.0) {
    double height = dot(to[0], f->n), sign = height < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 3; k++) n[k] = sign * f->n[k];
    return sign * height;
  }
  int corner = 0;
  for (int e = 0; e < 3; e++) {
    if (inside[e] >= 0.0) continue;
    double side[3];
    minus(f->corner[(e + 1) % 3], f->corner[e], side);
    double along = dot(to[e], side) * f->per[e];
    corner = along <= 0.0 ? e : (e + 1) % 3;
    if (!(along > 0.0 && along < 1.0)) continue;
    end[0] = f->vertex[e], end[1] = f->vertex[(e + 1) % 3];
    for (int k = 0; k < 3; k++) n[k] = to[e][k] - along * side[k];
    double d = sqrt(dot(n, n));
    for (int k = 0; k < 3; k++) n[k] = d > 0.0 ? n[k] / d : f->n[k];
    return d;
  }
  double d = sqrt(dot(to[corner], to[corner]));
  end[0] = end[1] = f->vertex[corner];
  for (int k = 0; k < 3; k++) n[k] = d > 0.0 ? to[corner][k] / d : f->n[k];
  return d;
}

/* ---- order ---- */

/* A triangle on its way into the mesh. */
typedef struct Raw {
  uint64_t place; /* in space, along Morton's curve */
  double corner[3][3];
  uint32_t given;
} Raw;

static int by_corner(const void *a, const void *b) {
  const double *x = a, *y = b;
  for (int k = 0; k < 3; k++)
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  return 0;
}

static int by_corners(const Raw *x, const Raw *y) {
  for (int c = 0; c < 3; c++) {
    int order = by_corner(x->corner[c], y->corner[c]);
    if (order != 0) return order;
  }
  return 0;
}

static int by_place(const void *a, const void *b) {
  const Raw *x = a, *y = b;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  int order = by_corners(x, y);
  return order != 0 ? order : x->given < y->given ? -1 : x->given > y->given;
}

/* Every third bit. */
static uint64_t spread(uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffu;
  x = (x | x << 16) & 0x1f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  return (x | x << 2) & 0x1249249249249249u;
}

static uint64_t place_of(const ScreeMesh *m, const Raw *r) {
  uint64_t place = 0;
  for (int k = 0; k < 3; k++) {
    double size = m->high[k] - m->low[k], middle = (r->corner[0][k] + r->corner[1][k] + r->corner[2][k]) / 3.0,
           part = size > 0.0 ? (middle - m->low[k]) / size : 0.0;
    place |= spread((uint64_t)(fmin(fmax(part, 0.0), 1.0) * 2097151.0)) << k;
  }
  return place;
}

/* ---- the tree ---- */

static void include(Node *n, const double *x) {
  for (int k = 0; k < 3; k++) n->low[k] = fmin(n->low[k], x[k]), n->high[k] = fmax(n->high[k], x[k]);
}

/* Halves of halves, in the order of the facets. Returns the node. */
static int32_t grow_tree(ScreeMesh *m, int32_t first, int32_t count) {
  int32_t at = m->nodes++;
  Node n = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}, first, count, -1, -1};
  if (count <= LEAF) {
    for (int32_t f = first; f < first + count; f++)
      for (int c = 0; c < 3; c++) include(&n, m->facet[f].corner[c]);
  } else {
    n.left = grow_tree(m, first, count / 2);
    n.right = grow_tree(m, first + count / 2, count - count / 2);
    include(&n, m->node[n.left].low), include(&n, m->node[n.left].high);
    include(&n, m->node[n.right].low), include(&n, m->node[n.right].high);
  }
  m->node[at] = n;
  return at;
}

static double box_distance2(const Node *n, const double *x) {
  double d2 = 0.0;
  for (int k = 0; k < 3; k++) {
    double below = n->low[k] - x[k], above = x[k] - n->high[k], out = below > above ? below : above;
    d2 += out > 0.0 ? out * out : 0.0;
  }
  return d2;
}

/* ---- the map ---- */

static int cell_of(const ScreeMesh *m, int axis, double x) {
  double cell = (x - m->low[axis]) * m->per_cell[axis];
  return cell < 0.0 ? 0 : cell > MAP - 1 ? MAP - 1 : (int)cell;
}

/* The bits of cells from one to another. */
static uint64_t stretch_of(int from, int to) { return (~(uint64_t)0 >> (MAP - 1 - (to - from))) << from; }

static void draw_map(ScreeMesh *m) {
  for (int k = 0; k < 3; k++) m->per_cell[k] = m->high[k] > m->low[k] ? MAP / (m->high[k] - m->low[k]) : 0.0;
  for (size_t f = 0; f < m->facets; f++) {
    int from[3], to[3];
    for (int k = 0; k < 3; k++) {
      const double(*c)[3] = (const double(*)[3])m->facet[f].corner;
      from[k] = cell_of(m, k, fmin(c[0][k], fmin(c[1][k], c[2][k])));
      to[k] = cell_of(m, k, fmax(c[0][k], fmax(c[1][k], c[2][k])));
    }
    for (int z = from[2]; z <= to[2]; z++)
      for (int y = from[1]; y <= to[1]; y++) m->map[z][y] |= stretch_of(from[0], to[0]);
  }
}

/* Is there a triangle in the cells around a point? */
static bool is_near(const ScreeMesh *m, const double *x, double within) {
  int from[3], to[3];
  for (int k = 0; k < 3; k++) {
    if (x[k] - within > m->high[k] || x[k] + within < m->low[k]) return false;
    from[k] = cell_of(m, k, x[k] - within), to[k] = cell_of(m, k, x[k] + within);
  }
  uint64_t row = stretch_of(from[0], to[0]);
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++)
      if (m->map[z][y] & row) return true;
  return false;
}

/* ---- making ---- */

static ScreeStatus check_def(const ScreeMeshDef *d) {
  SCREE_NEED_AS(d, "the mesh");
  if (d->triangles == 0 || d->vertices == 0 || !d->vertex || !d->triangle)
    return scree_fail(SCREE_MISSING, "a mesh needs vertices and triangles");
  if (d->triangles > INT32_MAX / 4 || d->vertices > UINT32_MAX)
    return scree_fail(SCREE_INVALID, "a mesh may have up to %d triangles (got %zu)", INT32_MAX / 4, d->triangles);
  for (size_t v = 0; v < d->vertices; v++)
    for (int k = 0; k < 3; k++)
      if (!(fabs(d->vertex[v][k]) <= 1e100))
        return scree_fail(SCREE_INVALID,
                          "vertex %zu of the mesh is at (%.6g, %.6g, %.6g) m: its numbers must be finite", v,
                          d->vertex[v][0], d->vertex[v][1], d->vertex[v][2]);
  for (size_t t = 0; t < d->triangles; t++)
    for (int c = 0; c < 3; c++)
      if (d->triangle[t][c] >= d->vertices)
        return scree_fail(SCREE_INVALID, "triangle %zu of the mesh names vertex %lu, but there are %zu", t,
                          (unsigned long)d->triangle[t][c], d->vertices);
  return SCREE_OK;
}

static void gather(const ScreeMeshDef *d, ScreeMesh *m, Raw *raw) {
  for (int k = 0; k < 3; k++) m->low[k] = INFINITY, m->high[k] = -INFINITY;
  for (size_t t = 0; t < d->triangles; t++) {
    raw[t].given = (uint32_t)t;
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 3; k++) raw[t].corner[c][k] = d->vertex[d->triangle[t][c]][k] + 0.0; /* one zero */
    qsort(raw[t].corner, 3, sizeof raw[t].corner[0], by_corner);
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 3; k++) {
        m->low[k] = fmin(m->low[k], raw[t].corner[c][k]);
        m->high[k] = fmax(m->high[k], raw[t].corner[c][k]);
      }
  }
  for (size_t t = 0; t < d->triangles; t++) raw[t].place = place_of(m, &raw[t]);
  qsort(raw, d->triangles, sizeof *raw, by_place);
}

/* A corner of a facet. */
typedef struct Corner {
  double x[3];
  int32_t *vertex;
} Corner;

/* Corners at the same place are one vertex. */
static bool number_vertices(ScreeMesh *m) {
  Corner *corner = malloc(3 * m->facets * sizeof *corner);
  int32_t number = 0;
  if (!corner) return false;
  for (size_t c = 0; c < 3 * m->facets; c++) {
    corner[c].vertex = &m->facet[c / 3].vertex[c % 3];
    memcpy(corner[c].x, m->facet[c / 3].corner[c % 3], sizeof corner[c].x);
  }
  qsort(corner, 3 * m->facets, sizeof *corner, by_corner);
  for (size_t c = 0; c < 3 * m->facets; c++)
    *corner[c].vertex = c > 0 && by_corner(&corner[c], &corner[c - 1]) != 0 ? ++number : number;
  free(corner);
  return true;
}

static void fill(ScreeMesh *m, const Raw *raw, size_t count) {
  for (size_t t = 0; t < count; t++) {
    if (t > 0 && by_corners(&raw[t], &raw[t - 1]) == 0) continue;
    Facet *f = &m->facet[m->facets];
    memcpy(f->corner, raw[t].corner, sizeof f->corner);
    if (!make_facet(f)) continue;
    m->ball[m->facets] = ball_of(f);
    m->given[m->facets++] = raw[t].given;
  }
}

static void *copy_of(const void *from, size_t size) {
  void *to = malloc(size);
  return to ? memcpy(to, from, size) : NULL;
}

ScreeStatus scree_mesh_create(const ScreeMeshDef *def, ScreeMesh **mesh) {
  SCREE_NEED(mesh);
  SCREE_TRY(check_def(def));
  size_t n = def->triangles;
  ScreeMesh *m = calloc(1, sizeof *m);
  Raw *raw = malloc(n * sizeof *raw);
  if (m) {
    m->facet = malloc(n * sizeof *m->facet);
    m->ball = malloc(n * sizeof *m->ball);
    m->given = malloc(n * sizeof *m->given);
    m->node = malloc(2 * n * sizeof *m->node);
    m->def = (ScreeMeshDef){copy_of(def->vertex, def->vertices * sizeof *def->vertex), def->vertices,
                            copy_of(def->triangle, n * sizeof *def->triangle), n};
    m->owners = 1;
  }
  if (!m || !raw || !m->facet || !m->ball || !m->given || !m->node || !m->def.vertex || !m->def.triangle) {
    free(raw);
    scree_mesh_destroy(m);
    return scree_fail(SCREE_NO_MEMORY, "no memory for a mesh of %zu triangles", n);
  }
  gather(def, m, raw);
  fill(m, raw, n);
  free(raw);
  if (m->facets == 0) {
    scree_mesh_destroy(m);
    return scree_fail(SCREE_INVALID, "no triangle of the mesh has an area");
  }
  if (!number_vertices(m)) {
    scree_mesh_destroy(m);
    return scree_fail(SCREE_NO_MEMORY, "no memory for a mesh of %zu triangles", n);
  }
  grow_tree(m, 0, (int32_t)m->facets);
  draw_map(m);
  *mesh = m;
  return SCREE_OK;
}

ScreeMesh *scree_mesh_share(const ScreeMesh *mesh) {
  ScreeMesh *m = (ScreeMesh *)mesh; /* its owners are counted whoever reads it */
  atomic_fetch_add(&m->owners, 1);
  return m;
}

void scree_mesh_destroy(ScreeMesh *m) {
  if (!m || atomic_fetch_sub(&m->owners, 1) > 1) return;
  free(m->facet), free(m->ball), free(m->given), free(m->node), free((void *)m->def.vertex),
      free((void *)m->def.triangle);
  free(m);
}

size_t scree_mesh_facets(const ScreeMesh *m) { return m->facets; }
ScreeMeshDef scree_mesh_def(const ScreeMesh *m) { return m ? m->def : (ScreeMeshDef){NULL, 0, NULL, 0}; }
uint32_t scree_mesh_triangle_of(const ScreeMesh *m, int32_t facet) { return m->given[facet]; }
void scree_mesh_bounds(const ScreeMesh *m, double *low, double *high) {
  memcpy(low, m->low, sizeof m->low);
  memcpy(high, m->high, sizeof m->high);
}

/* ---- looking for triangles ---- */

enum { DEPTH = 64 }; /* of the stack: a tree of halves of 2^29 facets is 30 deep */

static int by_distance(const void *a, const void *b) {
  const Near *x = a, *y = b;
  if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
  return x->facet < y->facet ? -1 : x->facet > y->facet;
}

static bool add_near(NearList *l, int32_t facet, double distance) {
  if (l->count == l->capacity) {
    size_t capacity = l->capacity ? 2 * l->capacity : 256;
    Near *grown = realloc(l->near, capacity * sizeof *grown);
    if (!grown) return false;
    l->near = grown;
    l->capacity = capacity;
  }
  l->near[l->count++] = (Near){facet, (float)(distance * (1.0 - 1e-6))};
  return true;
}

/* From a place of the list on: mostly a few. */
static void sort_near(NearList *l, size_t begin) {
  size_t count = l->count - begin;
  Near *near = l->near + begin;
  if (count > 32) {
    qsort(near, count, sizeof *near, by_distance);
    return;
  }
  for (size_t e = 1; e < count; e++) {
    Near moving = near[e];
    size_t at = e;
    for (; at > 0 && by_distance(&moving, &near[at - 1]) < 0; at--) near[at] = near[at - 1];
    near[at] = moving;
  }
}

/* Adds a facet that comes closer than `within`; false: no memory. */
static bool consider(const ScreeMesh *m, int32_t facet, const double *x, double within, NearList *l) {
  double unused[3], d = nearest(&m->facet[facet], x, unused, (int32_t[2]){0});
  return !(d < within) || add_near(l, facet, d);
}

/* To the leaves of the tree that come closer to a point than some distance. */
typedef struct Walk {
  const ScreeMesh *m;
  const double *x;
  double within2;
  int depth;
  int32_t stack[DEPTH];
} Walk;

static void set_out(Walk *walk, const ScreeMesh *m, const double *x, double within) {
  walk->m = m, walk->x = x;
  walk->within2 = within * within * (1.0 + 1e-12);
  walk->depth = is_near(m, x, within) ? 1 : 0;
  walk->stack[0] = 0;
}

/* NULL: that was the last. */
static const Node *next_leaf(Walk *walk) {
  while (walk->depth > 0) {
    const Node *n = &walk->m->node[walk->stack[--walk->depth]];
    if (box_distance2(n, walk->x) > walk->within2) continue;
    if (n->left < 0) return n;
    walk->stack[walk->depth++] = n->left;
    walk->stack[walk->depth++] = n->right;
  }
  return NULL;
}

bool scree_mesh_near(const ScreeMesh *m, const double *x, double within, NearList *l) {
  size_t begin = l->count;
  Walk walk;
  set_out(&walk, m, x, within);
  for (const Node *leaf; (leaf = next_leaf(&walk));)
    for (int32_t f = leaf->first; f < leaf->first + leaf->count; f++)
      if (!consider(m, f, x, within, l)) return false;
  sort_near(l, begin);
  return true;
}

static double ball_distance(const Ball *b, const double *x) {
  double to[3];
  minus(x, b->x, to);
  return sqrt(dot(to, to)) - b->r;
}

bool scree_mesh_some(const ScreeMesh *m, const double *x, double within, size_t most, NearList *l, bool *many) {
  size_t begin = l->count;
  Walk walk;
  *many = false;
  set_out(&walk, m, x, within);
  for (const Node *leaf; !*many && (leaf = next_leaf(&walk));) {
    for (int32_t f = leaf->first; f < leaf->first + leaf->count; f++) {
      double d = ball_distance(&m->ball[f], x);
      if (d < within && !add_near(l, f, fmax(d, 0.0))) return false;
    }
    *many = l->count - begin > most;
  }
  return true;
}

bool scree_mesh_pick(const ScreeMesh *m, const double *x, double within, const Near *of, size_t count, double away,
                     NearList *l) {
  size_t begin = l->count;
  double bound = within + away;
  if (!is_near(m, x, within)) return true;
  for (size_t e = 0; e < count; e++) {
    const Ball *b = &m->ball[of[e].facet];
    double to[3], reach = within + b->r;
    if ((double)of[e].distance >= bound) continue;
    minus(x, b->x, to);
    if (dot(to, to) < reach * reach && !consider(m, of[e].facet, x, within, l)) return false;
  }
  sort_near(l, begin);
  return true;
}

double scree_mesh_gap(const ScreeMesh *m, const double *x, double *normal) {
  int32_t stack[DEPTH];
  int depth = 0;
  double best = INFINITY, n[3];
  stack[depth++] = 0;
  while (depth > 0) {
    const Node *node = &m->node[stack[--depth]];
    if (box_distance2(node, x) > best * best) continue;
    if (node->left >= 0) { /* the nearer half first */
      double l2 = box_distance2(&m->node[node->left], x), r2 = box_distance2(&m->node[node->right], x);
      stack[depth++] = l2 < r2 ? node->right : node->left;
      stack[depth++] = l2 < r2 ? node->left : node->right;
      continue;
    }
    for (int32_t f = node->first; f < node->first + node->count; f++) {
      int32_t end[2];
      double d = nearest(&m->facet[f], x, n, end);
      if (!(d < best)) continue;
      best = d;
      for (int k = 0; k < 3; k++) normal[k] = -n[k];
    }
  }
  return best;
}

double scree_mesh_distance(const ScreeMesh *m, const double position[3]) {
  double normal[3];
  if (!m || !position) return NAN;
  for (int k = 0; k < 3; k++)
    if (!isfinite(position[k])) return NAN;
  return scree_mesh_gap(m, position, normal);
}

/* ---- ways across ---- */

/* Does the way from a point, so far along it, come through a box that is a little larger than the node's? */
static bool way_meets_box(const Node *n, const double *from, const double *way, double slack) {
  double begin = 0.0, end = 1.0;
  for (int k = 0; k < 3; k++) {
    double low = n->low[k] - slack - from[k], high = n->high[k] + slack - from[k];
    if (way[k] == 0.0) {
      if (low > 0.0 || high < 0.0) return false;
      continue;
    }
    double a = low / way[k], b = high / way[k];
    begin = fmax(begin, fmin(a, b)), end = fmin(end, fmax(a, b));
  }
  return begin <= end;
}

/* The segment meets the plane at this point, no farther outside the sides than the slack: no way slips between two
 * triangles. */
static bool way_meets_facet(const Facet *f, const double *from, const double *way, double slack) {
  double to[3], x[3];
  minus(f->corner[0], from, to);
  double height = dot(to, f->n), rise = dot(way, f->n), part = rise != 0.0 ? height / rise : 0.0;
  if (rise == 0.0 ? fabs(height) > slack : !(part >= 0.0 && part <= 1.0)) return false;
  for (int e = 0; e < 3; e++) {
    for (int k = 0; k < 3; k++) x[k] = from[k] + part * way[k] - f->corner[e][k];
    if (!(dot(x, f->inward[e]) >= -slack)) return false;
  }
  return true;
}

bool scree_mesh_crosses(const ScreeMesh *m, const double from[3], const double to[3]) {
  int32_t stack[DEPTH];
  int depth = 0;
  double way[3], slack = 0.0;
  if (!m || !from || !to) return false;
  minus(to, from, way);
  if (!isfinite(dot(way, way)) || !isfinite(dot(from, from))) return false;
  for (int k = 0; k < 3; k++) slack = fmax(slack, 1e-12 * fmax(fabs(m->low[k]), fabs(m->high[k])));
  stack[depth++] = 0;
  while (depth > 0) {
    const Node *n = &m->node[stack[--depth]];
    if (!way_meets_box(n, from, way, slack)) continue;
    for (int32_t f = n->first; n->left < 0 && f < n->first + n->count; f++)
      if (way_meets_facet(&m->facet[f], from, way, slack)) return true;
    if (n->left >= 0) stack[depth++] = n->left, stack[depth++] = n->right;
  }
  return false;
}

/* ---- contacts ---- */

double scree_mesh_reach(Reach r) { return r.radius * (1.0 + FILLET * r.deepest); }

int scree_mesh_feet(const ScreeMesh *m, const double *x, Reach r, const Near *near, size_t count, double moved,
                    int32_t view, Feet *feet, int found) {
  double reach = scree_mesh_reach(r);
  size_t room = (size_t)found + count;
  if (room > feet->capacity) {
    Foot *grown = realloc(feet->foot, 2 * room * sizeof *grown);
    if (!grown) return -1;
    feet->foot = grown;
    feet->capacity = 2 * room;
  }
  for (size_t e = 0; e < count && (double)near[e].distance < reach + moved; e++) {
    const Facet *f = &m->facet[near[e].facet];
    Foot *foot = &feet->foot[found];
    double to[3];
    minus(x, f->corner[0], to);
    if (fabs(dot(to, f->n)) >= reach) continue;
    foot->d = nearest(f, x, foot->n, foot->end);
    foot->facet = near[e].facet;
    foot->view = view;
    if (foot->d < reach) found++;
  }
  return found;
}

void scree_mesh_fetch(const ScreeMesh *m, int32_t facet) {
  const char *line = (const char *)&m->facet[facet];
  for (size_t at = 0; at < sizeof(Facet); at += 64) __builtin_prefetch(line + at);
}

static bool comes_first(const Foot *a, const Foot *b) {
  if (a->d != b->d) return a->d < b->d;
  return a->facet != b->facet ? a->facet < b->facet : a->view < b->view;
}

int32_t scree_mesh_nearest(const Foot *foot, int count) {
  int first = 0;
  for (int i = 1; i < count; i++)
    if (comes_first(&foot[i], &foot[first])) first = i;
  return count > 0 ? foot[first].facet : -1;
}

static bool has_vertex(const Facet *f, int32_t v) {
  return f->vertex[0] == v || f->vertex[1] == v || f->vertex[2] == v;
}

/* Drops the points where a neighbour comes nearer. */
static int minima(const ScreeMesh *m, Foot *foot, int count) {
  int left = 0;
  for (int i = 0; i < count; i++) {
    foot[i].shared = false;
    for (int j = 0; j < count && foot[i].end[0] >= 0 && !foot[i].shared; j++) {
      const Facet *f = &m->facet[foot[j].facet];
      foot[i].shared = j != i && foot[j].view == foot[i].view && has_vertex(f, foot[i].end[0]) &&
                       has_vertex(f, foot[i].end[1]) && comes_first(&foot[j], &foot[i]);
    }
  }
  for (int i = 0; i < count; i++)
    if (!foot[i].shared) foot[left++] = foot[i];
  return left;
}

/* The nearest point, those it does not cover, and so on. */
static int uncovered(Foot *foot, int count, double tolerance, Foot *kept) {
  int number = 0;
  while (count > 0 && number < MESH_FEET) {
    int first = 0, left = 0;
    for (int i = 1; i < count; i++)
      if (comes_first(&foot[i], &foot[first])) first = i;
    Foot best = kept[number++] = foot[first];
    for (int i = 0; i < count; i++)
      if (foot[i].d * dot(foot[i].n, best.n) < best.d - tolerance) foot[left++] = foot[i];
    count = left;
  }
  return number;
}

/* What belongs to one valley: shallow angles, from one to the next. Returns the number of valleys. */
static int sort_valleys(const Foot *foot, int count, double cosine, int *valley) {
  int valleys = 0;
  for (int i = 0; i < count; i++) {
    valley[i] = valleys++;
    for (int j = 0; j < i; j++) {
      if (valley[j] == valley[i] || !(dot(foot[i].n, foot[j].n) > cosine)) continue;
      int gone = valley[i] > valley[j] ? valley[i] : valley[j], stays = valley[i] + valley[j] - gone;
      for (int k = 0; k <= i; k++) valley[k] = valley[k] == gone ? stays : valley[k] > gone ? valley[k] - 1 : valley[k];
      valleys--;
    }
  }
  return valleys;
}

/* The slope of the blend's distance along each weight, up to a constant. */
static void find_slopes(const Foot *foot, int count, double radius, const double *weight, double *slope) {
  for (int i = 0; i < count; i++) {
    slope[i] = foot[i].d - foot[0].d;
    for (int j = 0; j < count; j++)
      if (j != i && weight[j] > 0.0) slope[i] -= radius * weight[j] * (1.0 - dot(foot[i].n, foot[j].n));
  }
}

/* Weights of the feet `in` that make their slopes equal, whatever their sign: with u the weights of all but the first
 * and e_i = n_i - n_0, sum_j (e_i . e_j) u_j = |e_i|^2/2 - (d_i - d_0)/radius. False when the e_i depend on each other.
 */
static bool level(const Foot *foot, const int *in, int count, double radius, double *weight) {
  double e[BLEND][3], a[BLEND][BLEND], u[BLEND] = {0.0};
  int n = count - 1;
  weight[0] = 1.0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) e[i][k] = foot[in[i + 1]].n[k] - foot[in[0]].n[k];
    u[i] = 0.5 * dot(e[i], e[i]) - (foot[in[i + 1]].d - foot[in[0]].d) / radius;
    for (int j = 0; j <= i; j++) { /* Cholesky's factor, row by row */
      double sum = dot(e[i], e[j]), whole = dot(e[i], e[i]);
      for (int k = 0; k < j; k++) sum -= a[i][k] * a[j][k];
      if (i == j && !(sum > 1e-9 * whole)) return false;
      a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
    }
    for (int j = 0; j < i; j++) u[i] -= a[i][j] * u[j];
    u[i] /= a[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) u[i] -= a[j][i] * u[j];
    u[i] /= a[i][i];
    weight[i + 1] = u[i];
    weight[0] -= u[i];
  }
  return true;
}

/* From the present weights towards the levelled ones, as far as none becomes negative; who gets there leaves. Returns
 * how many are in. */
static int settle_in(const Foot *foot, int *in, int count, double radius, double *weight) {
  double wanted[BLEND + 1];
  while (count > 1) {
    double part = 1.0;
    int left = 0, out = -1;
    if (!level(foot, in, count, radius, wanted)) return 0;
    for (int i = 0; i < count; i++) {
      double now = weight[in[i]], way = now - wanted[i];
      if (wanted[i] < 0.0 && now <= part * way) part = now / way, out = i;
    }
    for (int i = 0; i < count; i++) weight[in[i]] += part * (wanted[i] - weight[in[i]]);
    if (out < 0) break;
    weight[in[out]] = 0.0;
    for (int i = 0; i < count; i++)
      if (i != out) in[left++] = in[i];
    count = left;
  }
  if (count == 1) weight[in[0]] = 1.0;
  return count;
}

/* The same pair by pair: the steepest descent is settled exactly, until none descends. Slow, but never at a loss. */
static void settle_pairs(const Foot *foot, int count, double radius, double *weight) {
  double slope[MESH_FEET];
  for (int step = 0; step < BLEND_STEPS; step++) {
    int down = 0, up = -1;
    find_slopes(foot, count, radius, weight, slope);
    for (int i = 0; i < count; i++) {
      if (slope[i] < slope[down]) down = i;
      if (weight[i] > 0.0 && (up < 0 || slope[i] > slope[up])) up = i;
    }
    double gain = slope[up] - slope[down], bend = 2.0 * radius * (1.0 - dot(foot[up].n, foot[down].n));
    if (!(gain > 1e-15 * radius)) return;
    double way = gain < bend * weight[up] ? gain / bend : weight[up];
    weight[up] = way == weight[up] ? 0.0 : weight[up] - way;
    weight[down] += way;
  }
}

/* The weights of the blend, after Wolfe's method for the nearest point of a polytope: feet come in while they would
 * lower the distance, and leave when their weight is used up. */
static void find_weights(const Foot *foot, int count, double radius, double *weight) {
  double slope[MESH_FEET];
  int in[BLEND + 1] = {0}, number = 1;
  for (int i = 0; i < count; i++) weight[i] = i == 0; /* the nearest is the first */
  for (int step = 0; step < BLEND_STEPS && number > 0; step++) {
    int down = 0;
    find_slopes(foot, count, radius, weight, slope);
    for (int i = 1; i < count; i++)
      if (slope[i] < slope[down]) down = i;
    if (!(slope[in[0]] - slope[down] > 1e-14 * radius)) return;
    for (int i = 0; i < number; i++)
      if (in[i] == down) return; /* what is in is level, up to rounding */
    if (number == BLEND + 1) break;
    in[number++] = down;
    number = settle_in(foot, in, number, radius, weight);
  }
  settle_pairs(foot, count, radius, weight);
}

/* How the direction to a side or a corner turns as the centre moves along v, times the distance: the part of v across
 * that direction, and across the side. */
static void turning(const ScreeMesh *m, const Foot *foot, const double *v, double *turn) {
  const Facet *f = &m->facet[foot->facet];
  double along = dot(v, foot->n), side[3] = {0.0, 0.0, 0.0}, size2 = 0.0;
  for (int e = 0; e < 3 && foot->end[0] != foot->end[1]; e++)
    if (f->vertex[e] == foot->end[0]) minus(f->corner[(e + 1) % 3], f->corner[e], side), size2 = dot(side, side);
  double slip = size2 > 0.0 ? dot(v, side) / size2 : 0.0;
  for (int k = 0; k < 3; k++) turn[k] = v[k] - along * foot->n[k] - slip * side[k];
}

static Foot blend(const ScreeMesh *m, const Foot *foot, int count, double radius) {
  if (count == 1) return foot[0];
  double weight[MESH_FEET], most = 0.0, n[3] = {0.0, 0.0, 0.0}, turn[3];
  Foot all = {.d = 0.0};
  find_weights(foot, count, radius, weight);
  for (int i = 0; i < count; i++) {
    all.d += weight[i] * foot[i].d;
    for (int j = 0; j < i; j++) all.d -= radius * weight[i] * weight[j] * (1.0 - dot(foot[i].n, foot[j].n));
    for (int k = 0; k < 3; k++) n[k] += weight[i] * foot[i].n[k];
    if (weight[i] > most) most = weight[i], all.facet = foot[i].facet, all.view = foot[i].view;
  }
  memcpy(all.n, n, sizeof n);
  for (int i = 0; i < count; i++) {
    if (foot[i].end[0] < 0 || weight[i] == 0.0) continue;
    turning(m, &foot[i], n, turn);
    for (int k = 0; k < 3; k++) all.n[k] += radius * weight[i] / foot[i].d * turn[k];
  }
  return all;
}

int scree_mesh_settle(const ScreeMesh *m, Foot *foot, int count, Reach r, Foot *contact) {
  Foot kept[MESH_FEET], valley_feet[MESH_FEET];
  int valley[MESH_FEET], contacts = 0, number = uncovered(foot, minima(m, foot, count), COVERED * r.radius, kept),
                         valleys = sort_valleys(kept, number, 1.0 - r.deepest, valley);
  for (int v = 0; v < valleys; v++) {
    int members = 0;
    for (int i = 0; i < number; i++)
      if (valley[i] == v) valley_feet[members++] = kept[i];
    Foot c = blend(m, valley_feet, members, FILLET * r.radius);
    if (!(c.d < r.radius)) continue;
    int at = contacts < MESH_SLOTS ? contacts++ : MESH_SLOTS;
    for (; at > 0 && c.d < contact[at - 1].d; at--)
      if (at < MESH_SLOTS) contact[at] = contact[at - 1];
    if (at < MESH_SLOTS) contact[at] = c;
  }
  return contacts;
}
