/* render_walls.c: see render_parts.h. Walls as a picture sees them.
 *
 *     points     of the surface, in samples; those in one place are one
 *     facets     polygons cut into triangles, with normals that turn smoothly over what is hardly bent
 *     sides      rims, creases and silhouettes become edges; what a smooth side joins, and faces the same way, is a
 * patch veils      a patch that stands between the eye and the grains lets them be seen: the half of a vessel towards
 * the eye. Grains tell: they are behind it, and hardly any in front of it. A body among them (a screw, blades) has
 * grains on both sides and stays solid
 *
 * A triangle takes about 150 bytes while the picture is drawn. */
#include "io/render_parts.h"

#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BENT 0.80        /* cosine of 37 degrees: beyond it a side is a crease */
#define WELD 1.2345e-9   /* of the walls' size: points that are nearer are one; no round number, see weld */
#define MOST_AROUND 96   /* triangles around a point: its normal is of these */
#define WITNESSES 2000   /* grains that are asked where a wall is */
#define FEW_IN_FRONT 0.2 /* of those that a veil hides or that hide it */
#define MANY_HIDDEN 0.25 /* of all grains: a body that hides more of them is a veil: a lid */

typedef struct Patch {
  int32_t wall;
  int behind, front;                 /* grains */
  double area, middle[3], normal[3]; /* samples^2; that times its middle, and times its side that is seen */
  bool veil;
} Patch;

typedef struct Wall {
  size_t first, end; /* facets */
  int rims, inside;  /* sides without a neighbour; grains within */
  double volume, area, middle[3];
} Wall;

typedef struct Side {
  uint32_t low, high, facet;
  bool turned; /* the facet goes from the high end to the low one */
} Side;

typedef struct Workshop {
  const Picture *p;
  WallView *v;
  uint32_t *polygon; /* of each facet */
  uint32_t *parent;  /* of each facet: towards the first of its patch */
  Side *side;
  Patch *patch;
  Wall *wall;
  size_t sides, patches, walls;
} Workshop;

static ScreeStatus no_memory(void) { return scree_fail(SCREE_NO_MEMORY, "no memory for the walls of a picture"); }

void scree_wall_view_free(WallView *v) {
  free(v->point), free(v->facet), free(v->edge);
  *v = (WallView){0};
}

bool scree_wall_view_add(WallView *v, const double *a, const double *b, WallEdge edge) {
  if (v->points + 2 > v->point_capacity) {
    size_t wanted = v->point_capacity + v->point_capacity / 2 + 64;
    double(*point)[3] = realloc(v->point, wanted * sizeof *point);
    if (!point) return false;
    v->point = point, v->point_capacity = wanted;
  }
  if (v->edges + 1 > v->edge_capacity) {
    size_t wanted = v->edge_capacity + v->edge_capacity / 2 + 64;
    WallEdge *grown = realloc(v->edge, wanted * sizeof *grown);
    if (!grown) return false;
    v->edge = grown, v->edge_capacity = wanted;
  }
  memcpy(v->point[v->points], a, sizeof *v->point), memcpy(v->point[v->points + 1], b, sizeof *v->point);
  for (int k = 0; k < 2; k++) edge.end[k] = (uint32_t)v->points++;
  v->edge[v->edges++] = edge;
  return true;
}

/* ---- points ---- */

typedef struct Place {
  int64_t at[3];
  uint32_t point;
} Place;

static int by_place(const void *a, const void *b) {
  const Place *x = a, *y = b;
  for (int k = 0; k < 3; k++)
    if (x->at[k] != y->at[k]) return x->at[k] < y->at[k] ? -1 : 1;
  return x->point < y->point ? -1 : x->point > y->point;
}

/* Points are one where they are in the same cell of a fine grid. Its width is no round number, so that round
 * coordinates do not lie on its borders. */
static bool weld(const ScreeSurface *s, uint32_t *first) {
  Place *place = malloc((s->points + 1) * sizeof *place);
  double size = 0;
  if (!place) return false;
  for (size_t i = 0; i < 3 * s->points; i++) size = fmax(size, fabs(s->point[i]));
  for (size_t i = 0; i < s->points; i++) {
    for (int k = 0; k < 3; k++) {
      double cell = floor(s->point[3 * i + (size_t)k] / (size * WELD));
      place[i].at[k] = fabs(cell) <= 2 / WELD ? (int64_t)cell : 0; /* what is no number gives no facet */
    }
    place[i].point = (uint32_t)i;
  }
  qsort(place, s->points, sizeof *place, by_place);
  for (size_t i = 0, same = 0; i < s->points; i++) {
    if (memcmp(place[i].at, place[same].at, sizeof place->at) != 0) same = i;
    first[place[i].point] = place[same].point;
  }
  free(place);
  return true;
}

/* ---- facets ---- */

/* The normal of a triangle as the eye sees it, with its area; false: it has none. */
static bool normal_of(const WallView *v, const uint32_t *corner, double *n) {
  const double *a = v->point[corner[0]], *b = v->point[corner[1]], *c = v->point[corner[2]];
  double d[3], e[3];
  for (int k = 0; k < 3; k++) d[k] = b[k] - a[k], e[k] = c[k] - a[k];
  d[1] = -d[1], e[1] = -e[1]; /* upwards */
  for (int k = 0; k < 3; k++) n[k] = d[(k + 1) % 3] * e[(k + 2) % 3] - d[(k + 2) % 3] * e[(k + 1) % 3];
  double size = sqrt(scree_picture_dot(n, n));
  return size > 0 && isfinite(size);
}

static void take_polygon(Workshop *w, const uint32_t *first, size_t polygon) {
  const ScreeSurface *s = &w->p->walls;
  int64_t begin = polygon ? s->end[polygon - 1] : 0;
  for (int64_t k = begin + 1; k + 1 < s->end[polygon]; k++) {
    WallFacet f = {.corner = {first[s->corner[begin]], first[s->corner[k]], first[s->corner[k + 1]]},
                   .wall = s->wall[polygon]};
    double n[3];
    if (f.corner[0] == f.corner[1] || f.corner[1] == f.corner[2] || f.corner[2] == f.corner[0]) continue;
    if (!normal_of(w->v, f.corner, n)) continue;
    w->polygon[w->v->facets] = (uint32_t)polygon;
    w->v->facet[w->v->facets++] = f;
  }
}

static bool make_facets(Workshop *w) {
  const ScreeSurface *s = &w->p->walls;
  WallView *v = w->v;
  size_t most = s->corners; /* triangles */
  uint32_t *first = malloc((s->points + 1) * sizeof *first);
  v->point_capacity = s->points + 1;
  v->point = malloc(v->point_capacity * sizeof *v->point);
  v->facet = malloc((most + 1) * sizeof *v->facet);
  w->polygon = malloc((most + 1) * sizeof *w->polygon);
  bool fine = first && v->point && v->facet && w->polygon && weld(s, first);
  v->points = s->points;
  for (size_t i = 0; fine && i < s->points; i++) scree_picture_project(w->p, s->point + 3 * i, v->point[i]);
  for (size_t i = 0; fine && i < s->polygons; i++) take_polygon(w, first, i);
  free(first);
  return fine;
}

/* ---- sides ---- */

static int by_ends(const void *a, const void *b) {
  const Side *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return x->facet < y->facet ? -1 : x->facet > y->facet;
}

static bool make_sides(Workshop *w) {
  w->sides = 3 * w->v->facets;
  w->side = malloc((w->sides + 1) * sizeof *w->side);
  if (!w->side) return false;
  for (size_t i = 0; i < w->sides; i++) {
    const uint32_t *corner = w->v->facet[i / 3].corner;
    uint32_t a = corner[i % 3], b = corner[(i + 1) % 3];
    w->side[i] = (Side){a < b ? a : b, a < b ? b : a, (uint32_t)(i / 3), a > b};
  }
  qsort(w->side, w->sides, sizeof *w->side, by_ends);
  return true;
}

static uint32_t root_of(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static void unite(uint32_t *parent, uint32_t a, uint32_t b) {
  a = root_of(parent, a), b = root_of(parent, b);
  parent[a > b ? a : b] = a < b ? a : b;
}

/* How two facets meet at a side. */
typedef struct Meeting {
  bool crease, turns; /* it is bent; one of them is seen from the other face */
} Meeting;

static Meeting meeting_of(const Workshop *w, const Side *a, const Side *b) {
  double n[3], m[3];
  normal_of(w->v, w->v->facet[a->facet].corner, n);
  normal_of(w->v, w->v->facet[b->facet].corner, m);
  if (w->polygon[a->facet] == w->polygon[b->facet]) return (Meeting){0};
  double along = a->turned == b->turned ? -1 : 1; /* one of them is the other way round */
  double size = sqrt(scree_picture_dot(n, n) * scree_picture_dot(m, m));
  return (Meeting){scree_picture_dot(n, m) * along < BENT * size, n[2] * m[2] * along < 0};
}

/* One past the sides of one wall that are the same as the first. Sides of other walls in that place are among them:
 * walls have facets one after the other. */
static size_t same_sides(const Workshop *w, size_t first) {
  size_t next = first + 1;
  const Side *s = w->side;
  while (next < w->sides && s[next].low == s[first].low && s[next].high == s[first].high &&
         w->v->facet[s[next].facet].wall == w->v->facet[s[first].facet].wall)
    next++;
  return next;
}

static bool make_edges(Workshop *w) {
  WallView *v = w->v;
  v->edge_capacity = w->sides + 1;
  v->edge = malloc(v->edge_capacity * sizeof *v->edge);
  w->parent = malloc((v->facets + 1) * sizeof *w->parent);
  if (!v->edge || !w->parent) return false;
  for (size_t i = 0; i < v->facets; i++) w->parent[i] = (uint32_t)i;
  for (size_t i = 0, next; i < w->sides; i = next) {
    next = same_sides(w, i);
    if (next - i == 2) {
      Meeting meeting = meeting_of(w, &w->side[i], &w->side[i + 1]);
      if (!meeting.crease && !meeting.turns) unite(w->parent, w->side[i].facet, w->side[i + 1].facet);
      if (!meeting.crease) continue;
    }
    if (next - i == 1) w->wall[v->facet[w->side[i].facet].wall].rims++;
    v->edge[v->edges++] =
        (WallEdge){.end = {w->side[i].low, w->side[i].high}, .facet = {w->side[i].facet, w->side[next - 1].facet}};
  }
  return true;
}

/* ---- smooth normals ---- */

/* The smooth normal at a corner, on the side of the facet that is seen. */
static void smooth_corner(const WallView *v, size_t facet, const uint32_t *around, size_t count, double *sum) {
  const WallFacet *f = &v->facet[facet];
  double own[3];
  normal_of(v, f->corner, own);
  double size = sqrt(scree_picture_dot(own, own)), side = own[2] < 0 ? -1 : 1;
  memset(sum, 0, sizeof own);
  for (size_t i = 0; i < count && count <= MOST_AROUND; i++) {
    double n[3];
    if (v->facet[around[i]].wall != f->wall) continue;
    normal_of(v, v->facet[around[i]].corner, n);
    double both = scree_picture_dot(own, n), limit = BENT * size * sqrt(scree_picture_dot(n, n));
    if (fabs(both) < limit) continue;
    for (int k = 0; k < 3; k++) sum[k] += both < 0 ? -n[k] : n[k];
  }
  if (count > MOST_AROUND) memcpy(sum, own, sizeof own);
  size = sqrt(scree_picture_dot(sum, sum)) * side;
  for (int k = 0; k < 3; k++) sum[k] /= size;
}

/* Where the smooth surface turns away from the eye, a facet is crossed by its silhouette. */
static bool add_silhouette(WallView *v, size_t facet, double n[3][3]) {
  const uint32_t *corner = v->facet[facet].corner;
  double end[2][3];
  int ends = 0;
  for (int k = 0; k < 3; k++) {
    int next = (k + 1) % 3;
    if ((n[k][2] < 0) == (n[next][2] < 0)) continue;
    double t = n[k][2] / (n[k][2] - n[next][2]);
    const double *a = v->point[corner[k]], *b = v->point[corner[next]];
    for (int j = 0; j < 3; j++) end[ends][j] = a[j] + t * (b[j] - a[j]);
    ends++;
  }
  if (ends < 2) return true;
  uint32_t own = (uint32_t)facet;
  return scree_wall_view_add(v, end[0], end[1], (WallEdge){.facet = {own, own}});
}

/* The rim of something round is seen from the side, not from behind. */
static bool set_normals(WallView *v, size_t facet, double n[3][3]) {
  WallFacet *f = &v->facet[facet];
  bool fine = add_silhouette(v, facet, n);
  for (int i = 0; i < 3; i++) {
    double up = fmax(n[i][2], 0), size = fmax(sqrt(n[i][0] * n[i][0] + n[i][1] * n[i][1] + up * up), 1e-30);
    for (int k = 0; k < 3; k++) f->normal[i][k] = (float)((k == 2 ? up : n[i][k]) / size);
  }
  f->flat = memcmp(f->normal[0], f->normal[1], sizeof f->normal[0]) == 0 &&
            memcmp(f->normal[0], f->normal[2], sizeof f->normal[0]) == 0;
  return fine;
}

/* Lists of the facets around each point, then the corners. */
static bool smooth(WallView *v) {
  size_t points = v->points;
  uint32_t *start = calloc(points + 2, sizeof *start), *around = malloc((3 * v->facets + 1) * sizeof *around);
  bool fine = start && around;
  for (size_t i = 0; fine && i < 3 * v->facets; i++) start[v->facet[i / 3].corner[i % 3] + 2]++;
  for (size_t i = 2; fine && i < points + 2; i++) start[i] += start[i - 1];
  for (size_t i = 0; fine && i < 3 * v->facets; i++)
    around[start[v->facet[i / 3].corner[i % 3] + 1]++] = (uint32_t)(i / 3);
  for (size_t i = 0; fine && i < v->facets; i++) {
    double n[3][3];
    for (int k = 0; k < 3; k++) {
      uint32_t corner = v->facet[i].corner[k], from = start[corner];
      smooth_corner(v, i, around + from, start[corner + 1] - from, n[k]);
    }
    fine = set_normals(v, i, n);
  }
  free(start), free(around);
  return fine;
}

/* ---- veils ---- */

typedef struct Witness {
  double x[3]; /* samples */
  bool inside; /* of the wall that is looked at */
} Witness;

static int by_height(const void *a, const void *b) {
  const Witness *x = a, *y = b;
  for (int k = 1; k >= 0; k--)
    if (x->x[k] != y->x[k]) return x->x[k] < y->x[k] ? -1 : 1;
  return x->x[2] < y->x[2] ? -1 : x->x[2] > y->x[2];
}

static Witness *call_witnesses(const Picture *p, size_t *count) {
  size_t rows = p->grains->rows;
  Witness *grain = malloc((rows < WITNESSES ? rows + 1 : WITNESSES) * sizeof *grain);
  *count = rows < WITNESSES ? rows : WITNESSES;
  for (size_t i = 0; grain && i < *count; i++) {
    grain[i].inside = false;
    scree_picture_project(p, p->grains->point + 3 * (i * rows / *count), grain[i].x);
  }
  if (grain) qsort(grain, *count, sizeof *grain, by_height);
  return grain;
}

/* Does the side pass to the right of a point, in its row? The same whichever way round the side is given, and of two
 * facets that share it one has the point. */
static bool passes_right(const double *a, const double *b, const double *x) {
  if ((a[1] > x[1]) == (b[1] > x[1])) return false;
  const double *upper = a[1] < b[1] ? a : b, *lower = a[1] < b[1] ? b : a;
  return x[0] < upper[0] + (x[1] - upper[1]) * ((lower[0] - upper[0]) / (lower[1] - upper[1]));
}

/* Depth of a facet behind or before a point of the picture; false: it is not there. */
static bool depth_at(const WallView *v, const WallFacet *f, const double *x, double *depth) {
  const double *a = v->point[f->corner[0]], *b = v->point[f->corner[1]], *c = v->point[f->corner[2]];
  if ((passes_right(a, b, x) + passes_right(b, c, x) + passes_right(c, a, x)) % 2 == 0) return false;
  double area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
  double s = ((x[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (x[1] - a[1])) / area,
         t = ((b[0] - a[0]) * (x[1] - a[1]) - (x[0] - a[0]) * (b[1] - a[1])) / area;
  *depth = a[2] + s * (b[2] - a[2]) + t * (c[2] - a[2]);
  return fabs(area) > 1e-9;
}

static size_t first_below(const Witness *grain, size_t count, double y) {
  size_t low = 0;
  while (low < count) {
    size_t middle = (low + count) / 2;
    if (grain[middle].x[1] < y)
      low = middle + 1;
    else
      count = middle;
  }
  return low;
}

static void ask(Workshop *w, const WallFacet *f, Witness *grain, size_t count) {
  const double *a = w->v->point[f->corner[0]], *b = w->v->point[f->corner[1]], *c = w->v->point[f->corner[2]];
  double low = fmin(a[1], fmin(b[1], c[1])), high = fmax(a[1], fmax(b[1], c[1])), depth;
  Patch *patch = &w->patch[f->patch];
  for (size_t i = first_below(grain, count, low); i < count && grain[i].x[1] <= high; i++) {
    if (!depth_at(w->v, f, grain[i].x, &depth)) continue;
    if (depth > grain[i].x[2])
      patch->behind++, grain[i].inside = !grain[i].inside;
    else
      patch->front++;
  }
}

/* Area, middle and side of the patch, and the volume of what is closed. */
static void measure(Workshop *w, const WallFacet *f) {
  const double *a = w->v->point[f->corner[0]], *b = w->v->point[f->corner[1]], *c = w->v->point[f->corner[2]];
  Wall *wall = &w->wall[f->wall];
  Patch *patch = &w->patch[f->patch];
  double n[3];
  normal_of(w->v, f->corner, n);
  double area = sqrt(scree_picture_dot(n, n)) / 2, side = n[2] < 0 ? -1 : 1;
  patch->area += area, wall->area += area;
  for (int k = 0; k < 3; k++) {
    double middle = (k == 1 ? -1 : 1) * (a[k] + b[k] + c[k]) / 3 * area; /* upwards, as normals are */
    patch->middle[k] += middle, wall->middle[k] += middle;
    patch->normal[k] += side * n[k];
  }
  wall->volume += (a[2] + b[2] + c[2]) / 6 * n[2]; /* by the divergence of (0, 0, z) */
}

/* A body is closed, and grains are around it, not in it. */
static bool is_body(const Wall *wall, const ScreeWallDef *def, size_t witnesses) {
  if (wall->rims || def->shape == SCREE_WALL_PLANE) return false;
  if (def->shape == SCREE_WALL_BOX || def->shape == SCREE_WALL_SPHERE) return !def->inside;
  if (def->shape == SCREE_WALL_CYLINDER && !(def->length > 0)) return !def->inside;
  return wall->volume > 0 && 2 * (size_t)wall->inside < witnesses;
}

static void judge(Patch *patch, bool body, size_t witnesses) {
  int both = patch->behind + patch->front;
  patch->veil = both > 0 && patch->front <= FEW_IN_FRONT * both;
  if (body && patch->behind < MANY_HIDDEN * (double)witnesses) patch->veil = false;
}

/* Without grains that tell: what has most of its wall behind it. A plane lets pass what is on its side. */
static void guess(const Workshop *w, Patch *patch, bool body) {
  const Wall *wall = &w->wall[patch->wall];
  const ScreeRenderWall *given = &w->p->room->wall[patch->wall];
  if (body || patch->behind + patch->front > 0) return;
  double towards = 0, size = sqrt(wall->area * scree_picture_dot(patch->normal, patch->normal));
  if (given->def->shape == SCREE_WALL_PLANE) {
    for (int k = 0; k < 3; k++) towards += w->p->axis[2][k] * scree_picture_dot(given->pose.turn[k], given->def->axis);
    patch->veil = towards < 0;
    return;
  }
  for (int k = 0; k < 3; k++)
    towards += patch->normal[k] * (patch->middle[k] / patch->area - wall->middle[k] / wall->area);
  patch->veil = towards > 1e-3 * size;
}

static bool make_patches(Workshop *w) {
  WallView *v = w->v;
  uint32_t *number = malloc((v->facets + 1) * sizeof *number);
  if (!number) return false;
  for (size_t i = 0; i < v->facets; i++) {
    uint32_t root = root_of(w->parent, (uint32_t)i); /* the first of its patch */
    if (root == i) number[i] = (uint32_t)w->patches++;
    v->facet[i].patch = number[root];
  }
  free(number);
  w->patch = calloc(w->patches + 1, sizeof *w->patch);
  for (size_t i = 0; w->patch && i < v->facets; i++) w->patch[v->facet[i].patch].wall = v->facet[i].wall;
  return w->patch != NULL;
}

static bool find_veils(Workshop *w) {
  WallView *v = w->v;
  size_t count;
  if (!make_patches(w)) return false;
  Witness *grain = call_witnesses(w->p, &count);
  if (!grain) return false;
  for (size_t i = 0; i < v->facets;) {
    Wall *wall = &w->wall[v->facet[i].wall];
    for (size_t k = 0; k < count; k++) grain[k].inside = false;
    for (wall->first = i; i < v->facets && v->facet[i].wall == v->facet[wall->first].wall; i++) {
      measure(w, &v->facet[i]);
      ask(w, &v->facet[i], grain, count);
    }
    for (size_t k = 0; k < count; k++) wall->inside += grain[k].inside;
  }
  free(grain);
  for (size_t i = 0; i < w->patches; i++) {
    Patch *patch = &w->patch[i];
    bool body = is_body(&w->wall[patch->wall], w->p->room->wall[patch->wall].def, count);
    judge(patch, body, count);
    guess(w, patch, body);
  }
  for (size_t i = 0; i < v->facets; i++) v->facet[i].veil = w->patch[v->facet[i].patch].veil;
  for (size_t i = 0; i < v->edges; i++)
    v->edge[i].veil = v->facet[v->edge[i].facet[0]].veil && v->facet[v->edge[i].facet[1]].veil;
  return true;
}

/* ---- the whole ---- */

typedef struct Pen {
  const Picture *p;
  WallView *v;
  WallEdge edge;
  bool failed;
} Pen;

static void draw_line(void *context, const double *from, const double *to) {
  Pen *pen = context;
  double a[3], b[3];
  scree_picture_project(pen->p, from, a);
  scree_picture_project(pen->p, to, b);
  pen->failed |= !scree_wall_view_add(pen->v, a, b, pen->edge);
}

/* The edges of a domain that repeats itself, and where grains come and go. */
static bool add_outlines(const Picture *p, WallView *v) {
  const ScreeRenderRoom *room = p->room;
  Pen pen = {.p = p, .v = v, .edge = {.veil = true}};
  double corner[8][3];
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) corner[i][k] = i >> k & 1 ? room->high[k] : room->low[k];
  for (int i = 0; i < 8 && room->periodic; i++)
    for (int k = 0; k < 3; k++)
      if (!(i >> k & 1)) draw_line(&pen, corner[i], corner[i | 1 << k]);
  pen.edge.broken = true;
  for (size_t i = 0; i < room->gates; i++) scree_gate_outline(p, &room->gate[i].region, draw_line, &pen);
  return !pen.failed;
}

ScreeStatus scree_wall_view(const Picture *p, WallView *view) {
  *view = (WallView){0};
  if (!p->room) return SCREE_OK;
  Workshop w = {.p = p, .v = view, .walls = p->room->walls};
  w.wall = calloc(w.walls + 1, sizeof *w.wall);
  bool fine = w.wall && make_facets(&w) && make_sides(&w) && make_edges(&w) && smooth(view) && find_veils(&w) &&
              add_outlines(p, view);
  free(w.wall), free(w.polygon), free(w.parent), free(w.side), free(w.patch);
  return fine ? SCREE_OK : no_memory();
}
