/* render_room.c: see render_parts.h. Which walls a picture shows, and how much of those without end.
 *
 *     size      the largest extent of the grains, and not less than twenty diameters
 *     room      the box around the grains, and around every wall that is not larger than four such sizes; a plane that
 * is not farther away than two sizes belongs to it
 *     cut       walls without end are cut at that room, a little beyond it, and at the domain; a plane also ends at the
 * round walls without end that hold the grains, and these end at the planes: a drum is a drum, not a pipe between two
 * squares */
#include "io/render_parts.h"

#include "core/status.h"
#include "io/trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 20      /* diameters */
#define BEYOND 0.06   /* of the room's size: so much more of a wall without end */
#define PLANE_AWAY 2  /* sizes: a plane that is farther away is not shown */
#define AROUND 64     /* planes that stand for a round wall */
#define TOUCHING 1e-9 /* of the room's size: what lies on a cut stays */
#define PI 3.14159265358979323846

typedef struct Box {
  double low[3], high[3];
} Box;

static Box no_box(void) { return (Box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

static void widen(Box *b, const double *x, double by) {
  for (int k = 0; k < 3; k++) {
    b->low[k] = fmin(b->low[k], x[k] - by);
    b->high[k] = fmax(b->high[k], x[k] + by);
  }
}

static bool is_empty(const Box *b) { return !(b->low[0] <= b->high[0]); }

static double size_of(const Box *b) {
  double size = 0;
  for (int k = 0; k < 3; k++) size = fmax(size, b->high[k] - b->low[k]);
  return size;
}

static void join(Box *b, const Box *other) {
  if (is_empty(other)) return;
  widen(b, other->low, 0);
  widen(b, other->high, 0);
}

static Box box_of_grains(const Picture *p) {
  Box b = no_box();
  const double *radius = scree_picture_radii(p->grains);
  for (size_t i = 0; i < p->grains->rows; i++) widen(&b, p->grains->point + 3 * i, radius[i]);
  if (isnan(p->def->box_low[0])) return b;
  widen(&b, p->def->box_low, 0);
  widen(&b, p->def->box_high, 0);
  return b;
}

static bool is_endless(const ScreeWallDef *w) {
  return w->shape == SCREE_WALL_PLANE ||
         ((w->shape == SCREE_WALL_CYLINDER || w->shape == SCREE_WALL_CONE) && !(w->length > 0));
}

/* Moves a point to its present place; the pose carries a wall without end as a whole. */
static ScreeWallDef moved(const ScreeRenderWall *wall) {
  ScreeWallDef w = *wall->def;
  const ScreePose *pose = &wall->pose;
  for (int k = 0; k < 3; k++) {
    w.axis[k] = w.point[k] = 0;
    for (int j = 0; j < 3; j++) {
      w.axis[k] += pose->turn[k][j] * wall->def->axis[j];
      w.point[k] += pose->turn[k][j] * (wall->def->point[j] - pose->home[j]);
    }
    w.point[k] += pose->position[k];
  }
  return w;
}

/* ---- the room ---- */

/* Walls with an end, as they are; what they take of the room. */
static void add_ending(Picture *p, Box *room) {
  const ScreeRenderRoom *r = p->room;
  for (size_t i = 0; i < r->walls; i++) {
    if (is_endless(r->wall[i].def)) continue;
    Box box = no_box();
    size_t first = p->walls.points;
    scree_surface_add_at(&p->walls, r->wall[i].def, &r->wall[i].pose, (int)i, r->low, r->high);
    for (size_t n = first; n < p->walls.points; n++) widen(&box, p->walls.point + 3 * n, 0);
    if (!is_empty(&box) && !(size_of(&box) > RENDER_LARGE * p->size)) join(room, &box);
  }
}

/* A plane near the grains is seen, if not whole. */
static void reach_plane(const Picture *p, const ScreeWallDef *w, Box *room) {
  double middle[3], away = 0;
  for (int k = 0; k < 3; k++) middle[k] = (room->low[k] + room->high[k]) / 2;
  for (int k = 0; k < 3; k++) away += (middle[k] - w->point[k]) * w->axis[k];
  if (!(away >= 0 && away <= PLANE_AWAY * p->size)) return;
  for (int k = 0; k < 3; k++) middle[k] -= away * w->axis[k];
  widen(room, middle, 0);
}

/* A round wall without end is whole across its axis. */
static void reach_round(const Picture *p, const ScreeWallDef *w, Box *room) {
  double along[2] = {INFINITY, -INFINITY};
  for (int i = 0; i < 8; i++) {
    double t = 0;
    for (int k = 0; k < 3; k++) t += ((i >> k & 1 ? room->high[k] : room->low[k]) - w->point[k]) * w->axis[k];
    along[0] = fmin(along[0], t), along[1] = fmax(along[1], t);
  }
  Box box = no_box();
  for (int end = 0; end < 2; end++) {
    double r = w->shape == SCREE_WALL_CONE ? fmax(along[end], 0) * tan(w->angle) : w->radius;
    for (int k = 0; k < 3; k++) {
      double x = w->point[k] + along[end] * w->axis[k], wide = r * sqrt(fmax(1 - w->axis[k] * w->axis[k], 0));
      box.low[k] = fmin(box.low[k], x - wide), box.high[k] = fmax(box.high[k], x + wide);
    }
  }
  if (!(size_of(&box) > RENDER_LARGE * p->size)) join(room, &box);
}

static Box room_of(Picture *p, const Box *grains) {
  const ScreeRenderRoom *r = p->room;
  Box room = *grains, whole;
  memcpy(whole.low, r->low, sizeof whole.low), memcpy(whole.high, r->high, sizeof whole.high);
  add_ending(p, &room);
  if (is_empty(&room)) return whole;
  for (int round = 0; round < 2; round++)
    for (size_t i = 0; i < r->walls; i++) {
      ScreeWallDef w = moved(&r->wall[i]);
      if (!is_endless(&w) || !r->wall[i].pose.present || (w.shape != SCREE_WALL_PLANE) != round) continue;
      round ? reach_round(p, &w, &room) : reach_plane(p, &w, &room);
    }
  double more = BEYOND * size_of(&room);
  for (int k = 0; k < 3; k++) {
    room.low[k] = fmax(room.low[k] - more, fmin(r->low[k], room.low[k]));
    room.high[k] = fmin(room.high[k] + more, fmax(r->high[k], room.high[k]));
  }
  return room;
}

/* ---- cuts ---- */

/* Half a space: where n x >= offset. */
typedef struct Half {
  double n[3], offset;
} Half;

typedef double Corner[3];

/* Where a side meets the cut: the same bits whichever way round the side is given. */
static void meet(const Half *h, const double *a, const double *b, double *out) {
  for (int k = 0; k < 3; k++) {
    if (a[k] == b[k]) continue;
    if (a[k] > b[k]) {
      const double *other = a;
      a = b, b = other;
    }
    break;
  }
  double da = scree_picture_dot(h->n, a) - h->offset, db = scree_picture_dot(h->n, b) - h->offset, t = da / (da - db);
  for (int k = 0; k < 3; k++) out[k] = a[k] + t * (b[k] - a[k]);
}

/* Cuts a convex polygon; how many corners are left. */
static size_t cut(const Half *h, double tiny, Corner *x, size_t count) {
  Corner out[SCREE_SURFACE_CORNERS];
  size_t left = 0;
  bool whole = true;
  for (size_t i = 0; i < count; i++) whole &= scree_picture_dot(h->n, x[i]) - h->offset >= -tiny;
  if (whole) return count;
  for (size_t i = 0; i < count && left + 2 < SCREE_SURFACE_CORNERS; i++) {
    const double *a = x[i], *b = x[(i + 1) % count];
    bool in = scree_picture_dot(h->n, a) >= h->offset, next = scree_picture_dot(h->n, b) >= h->offset;
    if (in) memcpy(out[left++], a, sizeof *out);
    if (in != next) meet(h, a, b, out[left++]);
  }
  memcpy(x, out, left * sizeof *out);
  return left < 3 ? 0 : left;
}

static Half half_of_plane(const ScreeWallDef *w) {
  Half h = {.offset = scree_picture_dot(w->axis, w->point)};
  memcpy(h.n, w->axis, sizeof h.n);
  return h;
}

/* The inside of a round wall without end, side by side: the planes through its axis' neighbours that touch it between
 * the points of its rings (wall_mesh.c). */
static Half half_of_round(const ScreeWallDef *w, const double *u, const double *v, int side) {
  double turn = 2 * PI * (side + 0.5) / AROUND, c = cos(turn), s = sin(turn), flat = cos(PI / AROUND);
  double out[3], lean = w->shape == SCREE_WALL_CONE ? tan(w->angle) * flat : 0;
  for (int k = 0; k < 3; k++) out[k] = c * u[k] + s * v[k];
  Half h;
  for (int k = 0; k < 3; k++) h.n[k] = lean * w->axis[k] - out[k];
  h.offset = scree_picture_dot(h.n, w->point) - (w->shape == SCREE_WALL_CYLINDER ? w->radius * flat : 0);
  return h;
}

static size_t cut_by_round(const ScreeWallDef *w, double tiny, Corner *x, size_t count) {
  double u[3], v[3];
  scree_surface_across(w->axis, u, v);
  for (int side = 0; side < AROUND && count; side++) {
    Half h = half_of_round(w, u, v, side);
    count = cut(&h, tiny, x, count);
  }
  return count;
}

/* Cuts a polygon of a wall without end by the other walls. */
static size_t cut_by_others(const ScreeRenderRoom *r, size_t own, double tiny, Corner *x, size_t count) {
  for (size_t i = 0; i < r->walls && count; i++) {
    if (i == own || !is_endless(r->wall[i].def) || !r->wall[i].pose.present) continue;
    ScreeWallDef w = moved(&r->wall[i]);
    if (w.shape == SCREE_WALL_PLANE) {
      Half h = half_of_plane(&w);
      count = cut(&h, tiny, x, count);
    } else if (r->wall[own].def->shape == SCREE_WALL_PLANE && (w.inside || w.shape == SCREE_WALL_CONE)) {
      count = cut_by_round(&w, tiny, x, count);
    }
  }
  return count;
}

static void add_endless(Picture *p, const Box *room, size_t number) {
  const ScreeRenderWall *wall = &p->room->wall[number];
  ScreeSurface s = {0};
  double tiny = TOUCHING * size_of(room);
  scree_surface_add_at(&s, wall->def, &wall->pose, (int)number, room->low, room->high);
  p->walls.failed |= s.failed;
  for (size_t i = 0; i < s.polygons && !s.failed; i++) {
    Corner x[SCREE_SURFACE_CORNERS];
    int64_t first = i ? s.end[i - 1] : 0;
    size_t count = (size_t)(s.end[i] - first);
    for (size_t k = 0; k < count; k++) memcpy(x[k], s.point + 3 * s.corner[(size_t)first + k], sizeof *x);
    count = cut_by_others(p->room, number, tiny, x, count);
    if (count) scree_surface_add_polygon(&p->walls, (int)number, x, count);
  }
  scree_surface_free(&s);
}

ScreeStatus scree_picture_walls(Picture *p) {
  Box grains = box_of_grains(p);
  p->size = is_empty(&grains) ? INFINITY : fmax(size_of(&grains), LEAST * 2 * p->mean_radius);
  if (!p->room) return SCREE_OK;
  Box room = room_of(p, &grains);
  memcpy(p->room_low, room.low, sizeof room.low), memcpy(p->room_high, room.high, sizeof room.high);
  for (size_t i = 0; i < p->room->walls; i++)
    if (is_endless(p->room->wall[i].def)) add_endless(p, &room, i);
  return p->walls.failed ? scree_fail(SCREE_NO_MEMORY, "no memory for the walls of a picture") : SCREE_OK;
}
