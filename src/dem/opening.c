/* opening.c: see opening.h. A grain came through an opening when the straight way of its centre between two looks
 * crossed it, and the last such crossing led out. So one that bounces back, one that was never inside, and one that
 * found another way are all told from it.
 *
 * A line of corners is closed by triangles from its middle. On which side of a line the way passes is a volume whose
 * sign belongs to the pair of corners, not to the triangle, and a point on a plane belongs to one side of it: so a way
 * is counted once, through whichever triangle it goes, and ways that follow each other are counted as one. Triangles
 * that are folded over each other cancel.
 *
 * What is known of a grain is found by its id, since grains change their places in memory: 40 bytes in a list, and 8 to
 * 16 in slots of which half or more are free, and only where an outlet has an opening. */
#include "opening.h"

#include <stdlib.h>
#include <string.h>

#include "core/status.h"

enum { MOST = 64, SPARE = 256 };

struct Passages {
  Passage *list;
  size_t count, room;
  uint32_t *slot; /* by a hash of the id: where in the list, + 1; 0: free */
  size_t mask;
};

/* ---- definition ---- */

ScreeOpeningDef scree_opening_def_default(void) { return (ScreeOpeningDef){.radius = NAN, .wall = -1}; }

static bool all_finite(const double *v) { return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]); }

/* The middle of a line of corners, and its vector area. */
static void measure_line(const ScreeOpeningDef *d, double *middle, double *area) {
  double length = 0.0;
  memset(middle, 0, 24), memset(area, 0, 24);
  for (size_t i = 0; i < d->corners; i++) {
    const double *a = d->corner[i], *b = d->corner[(i + 1) % d->corners];
    double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, size = sqrt(scree_dot(along, along));
    length += size;
    for (int k = 0; k < 3; k++) middle[k] += size * 0.5 * (a[k] + b[k]);
  }
  for (int k = 0; k < 3; k++) middle[k] /= length;
  for (size_t i = 0; i < d->corners; i++) {
    double a[3], b[3], c[3];
    for (int k = 0; k < 3; k++) {
      a[k] = d->corner[i][k] - middle[k], b[k] = d->corner[(i + 1) % d->corners][k] - middle[k];
    }
    scree_cross(a, b, c);
    for (int k = 0; k < 3; k++) area[k] += 0.5 * c[k];
  }
}

static ScreeStatus check_opening(const ScreeWorld *w, const ScreeOpeningDef *d, const Opening *o) {
  double size = sqrt(scree_dot(o->across, o->across)), way = sqrt(scree_dot(d->towards, d->towards));
  if (!all_finite(o->middle) || !(size > 0.0 && isfinite(size)) || !(o->reach > 0.0 && isfinite(o->reach)))
    return scree_fail(SCREE_INVALID,
                      "an opening is a disc with a radius > 0 m and a normal, or a line of three corners "
                      "or more that do not lie on a line");
  if (!(way > 0.0 && isfinite(way) && fabs(scree_dot(o->across, d->towards)) > 1e-3 * size * way))
    return scree_fail(SCREE_INVALID, "the direction in which grains cross an opening must not lie in it");
  if (d->wall < -1 || d->wall >= w->walls)
    return scree_fail(SCREE_UNKNOWN, "the wall %d that an opening moves with does not exist", d->wall);
  for (int k = 0; k < 3; k++)
    if (w->def.periodic[k] && !(o->reach < 0.5 * (w->def.high[k] - w->def.low[k])))
      return scree_fail(SCREE_UNSUPPORTED, "an opening of %.6g m does not fit the periodic domain, %.6g m along %c",
                        2.0 * o->reach, w->def.high[k] - w->def.low[k], "xyz"[k]);
  return SCREE_OK;
}

ScreeStatus scree_world_set_opening(ScreeWorld *w, int outlet, const ScreeOpeningDef *d) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(d);
  Opening o = {.def = *d};
  if (w->started) return scree_fail(SCREE_INVALID, "the world has started: nothing can be added");
  if (outlet < 0 || outlet >= w->outlets)
    return scree_fail(SCREE_UNKNOWN, "no such outlet (%d): there are %d", outlet, w->outlets);
  if (outlet >= MOST) return scree_fail(SCREE_UNSUPPORTED, "only the first %d outlets may have an opening", MOST);
  bool line = d->corners > 0 && d->corner;
  o.reach = d->radius;
  memcpy(o.middle, d->point, sizeof o.middle), memcpy(o.across, d->normal, sizeof o.across);
  if (line) {
    measure_line(d, o.middle, o.across);
    o.reach = 0.0;
    for (size_t i = 0; i < d->corners; i++) {
      double to[3] = {d->corner[i][0] - o.middle[0], d->corner[i][1] - o.middle[1], d->corner[i][2] - o.middle[2]};
      o.reach = fmax(o.reach, sqrt(scree_dot(to, to)));
    }
  }
  SCREE_TRY(check_opening(w, d, &o));
  o.sign = scree_dot(o.across, d->towards) > 0.0 ? 1 : -1;
  double(*corner)[3] = line ? malloc(d->corners * sizeof *corner) : NULL;
  Opening *kept = malloc(sizeof *kept);
  if (!kept || (line && !corner)) {
    free(kept), free(corner);
    return scree_fail(SCREE_NO_MEMORY, "no memory for an opening");
  }
  if (line) memcpy(corner, d->corner, d->corners * sizeof *corner);
  o.def.corner = (const double(*)[3])corner;
  o.def.corners = line ? d->corners : 0;
  *kept = o;
  if (w->outlet[outlet].opening) free((void *)w->outlet[outlet].opening->def.corner), free(w->outlet[outlet].opening);
  w->openings += w->outlet[outlet].opening == NULL;
  w->outlet[outlet].opening = kept;
  return SCREE_OK;
}

ScreeStatus scree_world_outlet_leak(const ScreeWorld *w, int outlet, ScreeFlow *flow) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(flow);
  if (outlet < 0 || outlet >= w->outlets)
    return scree_fail(SCREE_UNKNOWN, "no such outlet (%d): there are %d", outlet, w->outlets);
  *flow = w->outlet[outlet].leaked;
  return SCREE_OK;
}

/* ---- the table ---- */

static uint32_t *slot_of(const struct Passages *p, uint64_t id) {
  uint64_t h = id * 0x9e3779b97f4a7c15u;
  size_t at = (size_t)(h ^ h >> 32) & p->mask;
  while (p->slot[at] && p->list[p->slot[at] - 1].id != id) at = (at + 1) & p->mask;
  return &p->slot[at];
}

Passage *scree_passage_of(const ScreeWorld *w, uint64_t id) {
  uint32_t found = w->passages ? *slot_of(w->passages, id) : 0;
  return found ? &w->passages->list[found - 1] : NULL;
}

static void free_table(struct Passages *p) {
  if (p) free(p->list), free(p->slot);
  free(p);
}

/* Some grains more find room. */
static struct Passages *new_table(size_t grains) {
  size_t slots = SPARE, room = grains + grains / 4 + SPARE;
  while (slots < 2 * room) slots *= 2;
  struct Passages *p = malloc(sizeof *p);
  if (!p) return NULL;
  *p = (struct Passages){malloc(room * sizeof *p->list), 0, room, calloc(slots, sizeof *p->slot), slots - 1};
  if (p->list && p->slot) return p;
  free_table(p);
  return NULL;
}

static void put(struct Passages *p, Passage passage) {
  uint32_t *slot = slot_of(p, passage.id);
  if (*slot == 0) *slot = (uint32_t)++p->count;
  p->list[*slot - 1] = passage;
}

static Passage at_rest(const ScreeWorld *w, size_t i) {
  const double *x = w->record[i].x;
  return (Passage){.id = w->turn[i].id, .x = {x[0], x[1], x[2]}};
}

/* Anew, of the grains there are: those who went are forgotten. Grains from `fresh` on have no past. */
static ScreeStatus renew(ScreeWorld *w, size_t fresh) {
  struct Passages *table = new_table(w->count);
  if (!table) return scree_fail(SCREE_NO_MEMORY, "no memory for the ways of %zu grains", w->count);
  for (size_t i = 0; i < w->count; i++) {
    const Passage *was = i < fresh ? scree_passage_of(w, w->turn[i].id) : NULL;
    put(table, was ? *was : at_rest(w, i));
  }
  free_table(w->passages);
  w->passages = table;
  return SCREE_OK;
}

static void note_poses(ScreeWorld *w) {
  for (int i = 0; i < w->outlets; i++) {
    Opening *o = w->outlet[i].opening;
    if (o && o->def.wall >= 0 && scree_body_of(w, o->def.wall)->moves) o->then = scree_body_of(w, o->def.wall)->frame;
  }
}

ScreeStatus scree_openings_start(ScreeWorld *w) {
  if (w->openings == 0) return SCREE_OK;
  note_poses(w);
  return renew(w, 0);
}

ScreeStatus scree_openings_enter(ScreeWorld *w, size_t first) {
  if (w->openings == 0) return SCREE_OK;
  if (!w->passages || w->passages->count + (w->count - first) > w->passages->room) return renew(w, first);
  for (size_t i = first; i < w->count; i++) put(w->passages, at_rest(w, i));
  return SCREE_OK;
}

void scree_openings_free(ScreeWorld *w) {
  for (int i = 0; i < w->outlets; i++)
    if (w->outlet[i].opening) free((void *)w->outlet[i].opening->def.corner), free(w->outlet[i].opening);
  free_table(w->passages);
  w->passages = NULL;
}

size_t scree_openings_bytes(const ScreeWorld *w) {
  const struct Passages *p = w->passages;
  return p ? p->room * sizeof *p->list + (p->mask + 1) * sizeof *p->slot : 0;
}

/* ---- ways ---- */

static int through_disc(const Opening *o, const double *a, const double *b) {
  double from = 0.0, to = 0.0, off = 0.0;
  for (int k = 0; k < 3; k++) from += (a[k] - o->middle[k]) * o->across[k], to += (b[k] - o->middle[k]) * o->across[k];
  if ((from < 0.0) == (to < 0.0)) return 0;
  for (int k = 0; k < 3; k++) {
    double x = a[k] + from / (from - to) * (b[k] - a[k]) - o->middle[k];
    off += x * x;
  }
  return off <= o->def.radius * o->def.radius ? (to < 0.0 ? -1 : 1) : 0;
}

/* The sign tells on which side of the line between two corners the segment passes. */
static double volume(const double *a, const double *way, const double *p, const double *q) {
  double to_p[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]}, to_q[3] = {q[0] - a[0], q[1] - a[1], q[2] - a[2]}, c[3];
  scree_cross(to_p, to_q, c);
  return scree_dot(way, c);
}

static int through_triangle(const double *middle, const double *p, const double *q, const double *a, const double *b) {
  double to_p[3], to_q[3], n[3], from = 0.0, to = 0.0;
  for (int k = 0; k < 3; k++) to_p[k] = p[k] - middle[k], to_q[k] = q[k] - middle[k];
  scree_cross(to_p, to_q, n);
  for (int k = 0; k < 3; k++) from += (a[k] - middle[k]) * n[k], to += (b[k] - middle[k]) * n[k];
  return (from < 0.0) == (to < 0.0) ? 0 : to < 0.0 ? -1 : 1;
}

static int through_line(const Opening *o, const double *a, const double *b) {
  double way[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, spoke = volume(a, way, o->middle, o->def.corner[0]);
  int sum = 0;
  for (size_t i = 0; i < o->def.corners; i++) {
    const double *p = o->def.corner[i], *q = o->def.corner[(i + 1) % o->def.corners];
    double next = volume(a, way, o->middle, q);
    if ((spoke < 0.0) != (next < 0.0) && (spoke < 0.0) == (volume(a, way, p, q) < 0.0))
      sum += through_triangle(o->middle, p, q, a, b);
    spoke = next;
  }
  return sum;
}

/* m, to be added to a place for its image that is nearest to the opening. */
static void to_image(const ScreeWorld *w, const double *middle, const double *x, double *shift) {
  for (int k = 0; k < 3; k++) {
    double length = w->def.high[k] - w->def.low[k];
    shift[k] = w->def.periodic[k] ? -length * round((x[k] - middle[k]) / length) : 0.0;
  }
}

static void to_own(const Frame *f, const double *x, double *own) {
  double arm[3] = {x[0] - f->at[0], x[1] - f->at[1], x[2] - f->at[2]};
  scree_to_own(f, arm, own);
  for (int k = 0; k < 3; k++) own[k] += f->home[k];
}

/* 1: out, -1: back in, 0: not through it. */
static int crossing(const ScreeWorld *w, const Opening *o, const double *from, const double *to) {
  const Body *body = o->def.wall >= 0 ? scree_body_of(w, o->def.wall) : NULL;
  double middle[3], shift[3], a[3], b[3], off = 0.0, way = 0.0;
  bool moves = body && body->moves;
  if (moves)
    scree_point_of(&body->frame, o->middle, middle);
  else
    memcpy(middle, o->middle, sizeof middle);
  to_image(w, middle, to, shift);
  for (int k = 0; k < 3; k++) a[k] = from[k] + shift[k], b[k] = to[k] + shift[k];
  if (moves) {
    double x[3], y[3];
    Frame then = o->then; /* where a state has been restored from, home is not in it */
    memcpy(then.home, body->frame.home, sizeof then.home);
    to_own(&then, a, x), to_own(&body->frame, b, y);
    memcpy(a, x, sizeof a), memcpy(b, y, sizeof b);
  }
  for (int k = 0; k < 3; k++) {
    off += (b[k] - o->middle[k]) * (b[k] - o->middle[k]);
    way += (b[k] - a[k]) * (b[k] - a[k]);
  }
  if (!(sqrt(off) <= (o->reach + sqrt(way)) * (1.0 + 1e-9))) return 0;
  int sum = o->sign * (o->def.corners ? through_line : through_disc)(o, a, b);
  return (sum > 0) - (sum < 0);
}

uint64_t scree_openings_look(const ScreeWorld *w, size_t grain) {
  Passage *p = scree_passage_of(w, w->turn[grain].id);
  if (!p) return 0;
  double to[3], from[3];
  memcpy(to, w->record[grain].x, sizeof to);
  for (int k = 0; k < 3; k++) from[k] = to[k] - scree_image(w, k, to[k] - p->x[k]);
  for (int i = 0; i < w->outlets; i++) {
    int side = w->outlet[i].opening ? crossing(w, w->outlet[i].opening, from, to) : 0;
    if (side > 0) p->through |= (uint64_t)1 << i;
    if (side < 0) p->through &= ~((uint64_t)1 << i);
  }
  memcpy(p->x, to, sizeof to);
  return p->through;
}

ScreeStatus scree_openings_looked(ScreeWorld *w) {
  if (w->openings == 0) return SCREE_OK;
  note_poses(w);
  return w->passages->count > 2 * w->count + SPARE ? renew(w, w->count) : SCREE_OK;
}
