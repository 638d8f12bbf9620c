/* wall_mesh.c: see wall_mesh.h. Round walls are shells of revolution: rings of points, joined by quadrilaterals. */
#include "io/wall_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AROUND 64 /* points of a ring */
#define RINGS 33  /* of a sphere, the poles included */
#define PI 3.14159265358979323846

/* ---- growing ---- */

static bool reserve(void **array, size_t *capacity, size_t count, size_t size) {
  if (count <= *capacity) return true;
  size_t wanted = *capacity ? 2 * *capacity : 64;
  while (wanted < count) wanted *= 2;
  void *grown = realloc(*array, wanted * size);
  if (!grown) return false;
  *array = grown;
  *capacity = wanted;
  return true;
}

static int64_t add_point(ScreeSurface *s, const double *x) {
  if (!reserve((void **)&s->point, &s->point_capacity, s->points + 1, 3 * sizeof *s->point)) return s->failed = true, 0;
  memcpy(s->point + 3 * s->points, x, 3 * sizeof *x);
  return (int64_t)s->points++;
}

static void add_polygon(ScreeSurface *s, int number, const int64_t *corner, size_t count) {
  size_t capacity = s->polygon_capacity;
  if (!reserve((void **)&s->corner, &s->corner_capacity, s->corners + count, sizeof *s->corner) ||
      !reserve((void **)&s->end, &capacity, s->polygons + 1, sizeof *s->end) ||
      !reserve((void **)&s->wall, &s->polygon_capacity, s->polygons + 1, sizeof *s->wall)) {
    s->failed = true;
    return;
  }
  memcpy(s->corner + s->corners, corner, count * sizeof *corner);
  s->corners += count;
  s->end[s->polygons] = (int64_t)s->corners;
  s->wall[s->polygons++] = number;
}

void scree_surface_add_polygon(ScreeSurface *s, int number, const double (*point)[3], size_t count) {
  int64_t corner[SCREE_SURFACE_CORNERS];
  for (size_t i = 0; i < count; i++) corner[i] = add_point(s, point[i]);
  add_polygon(s, number, corner, count);
}

void scree_surface_free(ScreeSurface *s) {
  free(s->point), free(s->corner), free(s->end), free(s->wall), free(s->work[0]), free(s->work[1]);
  *s = (ScreeSurface){0};
}

/* ---- boxes ---- */

/* Corner i of a box: bit k chooses the low or the high side of axis k. */
static void box_corner(const double *low, const double *high, int i, double *x) {
  for (int k = 0; k < 3; k++) x[k] = i >> k & 1 ? high[k] : low[k];
}

static void add_box(ScreeSurface *s, const double *low, const double *high, int number) {
  static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  int64_t corner[8];
  for (int i = 0; i < 8; i++) {
    double x[3];
    box_corner(low, high, i, x);
    corner[i] = add_point(s, x);
  }
  for (int f = 0; f < 6; f++) {
    int64_t face[4];
    for (int i = 0; i < 4; i++) face[i] = corner[faces[f][i]];
    add_polygon(s, number, face, 4);
  }
}

/* ---- planes ---- */

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double *a, const double *b, double *c) {
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

void scree_surface_across(const double *axis, double *u, double *v) {
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(axis[k]) < fabs(axis[least])) least = k;
  double helper[3] = {0, 0, 0};
  helper[least] = 1;
  cross(axis, helper, u);
  double size = sqrt(dot(u, u));
  for (int k = 0; k < 3; k++) u[k] /= size;
  cross(axis, u, v);
}

/* Where the plane meets the edges of the domain, in order around its normal. A plane that lies on a side of the domain,
 * up to rounding, is that side. */
static void add_plane(ScreeSurface *s, const ScreeWallDef *w, int number, const double *low, const double *high) {
  double x[24][3], angle[24], u[3], v[3], middle[3] = {0, 0, 0}, size = 0;
  int count = 0;
  for (int k = 0; k < 3; k++) size = fmax(size, high[k] - low[k]);
  double tiny = 1e-9 * size;
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) {
      double a[3], b[3], from[3], to[3];
      if (i >> k & 1) continue;
      box_corner(low, high, i, a);
      box_corner(low, high, i | 1 << k, b);
      for (int j = 0; j < 3; j++) from[j] = a[j] - w->point[j], to[j] = b[j] - w->point[j];
      double da = dot(from, w->axis), db = dot(to, w->axis);
      if (fabs(da) < tiny) da = 0;
      if (fabs(db) < tiny) db = 0;
      if (da * db > 0 || da == db) continue;
      double t = da / (da - db), p[3];
      bool known = false;
      for (int j = 0; j < 3; j++) p[j] = a[j] + t * (b[j] - a[j]);
      for (int n = 0; n < count; n++)
        known |= fabs(p[0] - x[n][0]) + fabs(p[1] - x[n][1]) + fabs(p[2] - x[n][2]) < 4 * tiny;
      if (!known) memcpy(x[count++], p, sizeof p);
    }
  if (count < 3) return;
  scree_surface_across(w->axis, u, v);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) middle[k] += x[i][k] / count;
  for (int i = 0; i < count; i++) {
    double d[3] = {x[i][0] - middle[0], x[i][1] - middle[1], x[i][2] - middle[2]};
    angle[i] = atan2(dot(d, v), dot(d, u));
  }
  for (int i = 1; i < count; i++)
    for (int j = i; j > 0 && angle[j - 1] > angle[j]; j--) {
      double other[3], turn = angle[j];
      memcpy(other, x[j], sizeof other), memcpy(x[j], x[j - 1], sizeof other), memcpy(x[j - 1], other, sizeof other);
      angle[j] = angle[j - 1], angle[j - 1] = turn;
    }
  int64_t corner[24];
  for (int i = 0; i < count; i++) corner[i] = add_point(s, x[i]);
  add_polygon(s, number, corner, (size_t)count);
}

/* ---- shells of revolution ---- */

typedef struct Ring {
  double along, radius;
} Ring;

static void ring_point(const ScreeWallDef *w, const double *u, const double *v, Ring ring, int i, double *x) {
  double c = cos(2 * PI * i / AROUND), s = sin(2 * PI * i / AROUND);
  for (int k = 0; k < 3; k++) x[k] = w->point[k] + ring.along * w->axis[k] + ring.radius * (c * u[k] + s * v[k]);
}

static void add_shell(ScreeSurface *s, const ScreeWallDef *w, int number, const Ring *ring, int count) {
  double u[3], v[3];
  scree_surface_across(w->axis, u, v);
  int64_t before[AROUND], now[AROUND];
  for (int r = 0; r < count; r++) {
    for (int i = 0; i < AROUND; i++) {
      double x[3];
      ring_point(w, u, v, ring[r], i, x);
      now[i] = add_point(s, x);
    }
    for (int i = 0; i < AROUND && r > 0; i++) {
      int next = (i + 1) % AROUND;
      int64_t corner[4] = {before[i], before[next], now[next], now[i]};
      add_polygon(s, number, corner, 4);
    }
    memcpy(before, now, sizeof before);
  }
}

static void add_sphere(ScreeSurface *s, const ScreeWallDef *given, int number) {
  ScreeWallDef w = *given;
  Ring ring[RINGS];
  memcpy(w.axis, (double[3]){0, 0, 1}, sizeof w.axis);
  for (int i = 0; i < RINGS; i++) {
    double polar = PI * i / (RINGS - 1);
    ring[i] = (Ring){-w.radius * cos(polar), w.radius * sin(polar)};
  }
  add_shell(s, &w, number, ring, RINGS);
}

/* How far the domain reaches along the axis, as seen from the wall's point. */
static void reach(const ScreeWallDef *w, const double *low, const double *high, double *from, double *to) {
  *from = INFINITY, *to = -INFINITY;
  for (int i = 0; i < 8; i++) {
    double x[3];
    box_corner(low, high, i, x);
    for (int k = 0; k < 3; k++) x[k] -= w->point[k];
    double along = dot(x, w->axis);
    *from = fmin(*from, along), *to = fmax(*to, along);
  }
}

static void add_tube(ScreeSurface *s, const ScreeWallDef *w, int number, Ring from, Ring to) {
  Ring ring[2] = {from, to};
  add_shell(s, w, number, ring, 2);
}

/* Every triangle, in order. */
static void add_triangles(ScreeSurface *s, const ScreeMesh *mesh, int number) {
  ScreeMeshDef def = scree_mesh_def(mesh);
  int64_t first = (int64_t)s->points;
  for (size_t v = 0; v < def.vertices; v++) add_point(s, def.vertex[v]);
  for (size_t i = 0; i < def.triangles; i++)
    add_polygon(s, number,
                (int64_t[]){first + def.triangle[i][0], first + def.triangle[i][1], first + def.triangle[i][2]}, 3);
}

void scree_surface_add(ScreeSurface *s, const ScreeWallDef *w, int number, const double *low, const double *high) {
  double from, to;
  switch (w->shape) {
  case SCREE_WALL_PLANE: add_plane(s, w, number, low, high); return;
  case SCREE_WALL_BOX: add_box(s, w->low, w->high, number); return;
  case SCREE_WALL_SPHERE: add_sphere(s, w, number); return;
  case SCREE_WALL_MESH: add_triangles(s, w->mesh, number); return;
  case SCREE_WALL_DISC: {
    Ring rings[2] = {{0, w->radius2}, {0, w->radius}};
    add_shell(s, w, number, rings, 2);
    return;
  }
  case SCREE_WALL_CYLINDER:
    from = 0, to = w->length;
    if (!(w->length > 0)) reach(w, low, high, &from, &to);
    add_tube(s, w, number, (Ring){from, w->radius}, (Ring){to, w->radius});
    return;
  case SCREE_WALL_CONE:
    if (w->length > 0) {
      add_tube(s, w, number, (Ring){0, w->radius}, (Ring){w->length, w->radius2});
      return;
    }
    reach(w, low, high, &from, &to);
    if (to > 0) add_tube(s, w, number, (Ring){0, 0}, (Ring){to, to * tan(w->angle)});
    return;
  }
}
