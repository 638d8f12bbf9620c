/* bulk.c: when the list must be made anew. What moves together stays together: a block that falls, a bed that is shaken
 * and a flow that is sheared keep their list far longer than a grain takes to cross the skin.
 *
 * The list holds all pairs that were closer than R + s when it was made; R is the sum of their radii, s the skin. It is
 * good while no other pair touches. Let X be where a grain was then, x where it is now, and U(x) = a + B x a field of
 * velocities; B is kept as long as the list, a may be another one in every step. Let
 *
 *   Y = M x - c,   M' = M (I + B dt)^-1,   c' = c + M' a dt,   at first M = I, c = 0.
 *
 * A step x' = x + u dt makes Y' - Y = M' (u - a - B x) dt: the field itself leaves Y where it is, and
 *
 *   |Y - X| <= e = sum of |M'| |u - U(x)| dt,   |M| the largest stretch by M.
 *
 * Two grains that touch now, |x1 - x2| < R, have |Y1 - Y2| < |M| R, so they were closer than |M| R + 2 e then. The list
 * is good while (|M| - 1) R + 2 e <= s. Across a periodic boundary the same holds for the image that touches if the
 * image of Y is the Y of the image: M may not change along periodic axes, and B has no gradient along them.
 *
 * Every step takes for a the middle of the box that the grains' u - B x fill, and its half diagonal for |u - U|: no sum
 * that depends on an order. When that bound is used up, e is found anew: anchors tell X modulo some skins.
 *
 * Walls see how far a grain moved, not how far it moved relative to others. Pairs with them are listed within some
 * skins (scree_wall_skin). Meshes list triangles: no grain may move farther, relative to the mesh. Of other walls the
 * gaps of all grains that are not listed are looked at, whenever these could have used up what was left at the last
 * look.
 *
 * Nothing here leaves a trace in the results. */
#include <stdlib.h>
#include <string.h>

#include "contact.h"

/* ---- the field ---- */

enum { SAMPLES = 4096 };

/* A velocity u of a place x as the field's fit sees them; along periodic axes there is no gradient. */
static void sample(const ScreeWorld *w, size_t i, double *x, const double **u) {
  for (int k = 0; k < 3; k++) x[k] = w->def.periodic[k] ? 0.0 : w->record[i].x[k] - w->record[0].x[k];
  *u = w->turn[i].v;
}

/* Half the diagonal of the box that u - B x fills: what grains may stray by in a unit of time [m/s]. */
static double spread(const ScreeWorld *w, size_t stride, double gradient[3][3]) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size[3];
  for (size_t i = 0; i < w->count; i += stride) {
    double x[3];
    const double *u;
    sample(w, i, x, &u);
    for (int k = 0; k < 3; k++) {
      double rest = u[k] - scree_dot(gradient[k], x);
      low[k] = fmin(low[k], rest), high[k] = fmax(high[k], rest);
    }
  }
  for (int k = 0; k < 3; k++) size[k] = high[k] - low[k];
  return 0.5 * sqrt(scree_dot(size, size));
}

/* The adjugate, and the determinant. */
static double adjugate(double m[3][3], double a[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int r0 = (j + 1) % 3, r1 = (j + 2) % 3, c0 = (i + 1) % 3, c1 = (i + 2) % 3;
      a[i][j] = m[r0][c0] * m[r1][c1] - m[r0][c1] * m[r1][c0];
    }
  return m[0][0] * a[0][0] + m[0][1] * a[1][0] + m[0][2] * a[2][0];
}

/* Least squares: B = <u x> <x x>^-1 about the means; false where it says nothing. */
static bool fit(const ScreeWorld *w, size_t stride, double gradient[3][3]) {
  double n = 0.0, mx[3] = {0}, mu[3] = {0}, xx[3][3] = {{0}}, ux[3][3] = {{0}}, inverse[3][3], uu = 0.0, told = 0.0;
  for (size_t i = 0; i < w->count; i += stride, n++) {
    double x[3];
    const double *u;
    sample(w, i, x, &u);
    for (int k = 0; k < 3; k++) {
      mx[k] += x[k], mu[k] += u[k], uu += u[k] * u[k];
      for (int j = 0; j < 3; j++) xx[k][j] += x[k] * x[j], ux[k][j] += u[k] * x[j];
    }
  }
  for (int k = 0; k < 3; k++) mx[k] /= n, mu[k] /= n;
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++) xx[k][j] = xx[k][j] / n - mx[k] * mx[j], ux[k][j] = ux[k][j] / n - mu[k] * mx[j];
  for (int k = 0; k < 3; k++) /* all in a plane: nothing is told across it */
    if (!(xx[k][k] > w->max_radius * w->max_radius)) {
      for (int j = 0; j < 3; j++) xx[k][j] = xx[j][k] = j == k, ux[j][k] = 0.0;
    }
  double det = adjugate(xx, inverse);
  if (!(det > 1e-4 * xx[0][0] * xx[1][1] * xx[2][2])) return false;
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++) {
      gradient[k][j] = 0.0;
      for (int l = 0; l < 3; l++) gradient[k][j] += ux[k][l] * inverse[l][j] / det;
      told += gradient[k][j] * ux[k][j];
    }
  return told > 0.2 * (uu / n - scree_dot(mu, mu)) && isfinite(told);
}

/* How fast the field stretches distances against time, at most [1/s]: the largest eigenvalue of -(B + B^T)/2, by
 * Gershgorin's circles. A rotation does not. */
static double squeeze(double gradient[3][3]) {
  double most = 0.0;
  for (int k = 0; k < 3; k++) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    double rate =
        -gradient[k][k] + 0.5 * fabs(gradient[k][y] + gradient[y][k]) + 0.5 * fabs(gradient[k][z] + gradient[z][k]);
    most = fmax(most, rate);
  }
  return most;
}

/* A gradient is taken where the list will last longer with it. */
static void choose_field(ScreeWorld *w) {
  Bulk *b = &w->bulk;
  double none[3][3] = {{0}}, gradient[3][3], forward[3][3], det;
  size_t stride = w->count / SAMPLES + 1;
  memcpy(b->gradient, none, sizeof none);
  b->sheared = false;
  if (w->count < 2 || !b->anchored || !fit(w, stride, gradient)) return;
  double plain = spread(w, stride, none), sheared = spread(w, stride, gradient) + squeeze(gradient) * w->max_radius;
  if (!(sheared < 0.8 * plain)) return;
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++) forward[k][j] = (k == j) + gradient[k][j] * w->dt;
  det = adjugate(forward, b->back_step);
  if (!(det > 0.5 && det < 2.0)) return;
  for (int k = 0; k < 9; k++) b->back_step[k / 3][k % 3] /= det;
  memcpy(b->gradient, gradient, sizeof gradient);
  b->sheared = true;
}

/* The largest stretch by a matrix: the root of the largest eigenvalue of M^T M, by Gershgorin's circles. */
static double stretch(double m[3][3]) {
  double most = 0.0;
  for (int i = 0; i < 3; i++) {
    double reach = 0.0;
    for (int j = 0; j < 3; j++) {
      double entry = m[0][i] * m[0][j] + m[1][i] * m[1][j] + m[2][i] * m[2][j];
      reach += i == j ? entry : fabs(entry);
    }
    most = fmax(most, reach);
  }
  return sqrt(most);
}

void scree_bulk_step(ScreeWorld *w, const Extent *u, const Extent *rest) {
  Bulk *b = &w->bulk;
  double back[3][3], most[3], half[3], a[3];
  for (int k = 0; k < 3; k++) {
    most[k] = fmax(-u->least[k], u->most[k]);
    half[k] = 0.5 * (rest->most[k] - rest->least[k]);
    a[k] = rest->least[k] + half[k];
  }
  if (b->sheared) {
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 3; j++)
        back[k][j] = b->back[k][0] * b->back_step[0][j] + b->back[k][1] * b->back_step[1][j] +
                     b->back[k][2] * b->back_step[2][j];
    memcpy(b->back, back, sizeof back);
    b->stretch = stretch(back);
  }
  for (int k = 0; k < 3; k++) b->shift[k] += scree_dot(b->back[k], a) * w->dt;
  b->strayed += b->stretch * sqrt(scree_dot(half, half)) * w->dt;
  double way = sqrt(scree_dot(most, most)) * w->dt;
  w->moved += way;
  b->wall_way += way;
}

/* ---- anchors ---- */

/* Ten bits for each axis of a place, modulo four skins or a little more: of a periodic axis the modulus is a whole
 * part, and crossing the boundary changes nothing. */
enum { ANCHOR_BITS = 10, ANCHOR_STEPS = 1 << ANCHOR_BITS };

static inline int64_t whole_below(double x) {
  int64_t n = (int64_t)x;
  return n - ((double)n > x);
}

static void anchor_share(void *context, int number, int threads) {
  ScreeWorld *w = context;
  size_t begin = scree_pool_begin(w->count, number, threads), end = scree_pool_begin(w->count, number + 1, threads);
  for (size_t i = begin; i < end; i++) {
    uint32_t anchor = 0;
    for (int k = 0; k < 3; k++) {
      int64_t place = whole_below((w->record[i].x[k] - w->def.low[k]) * w->bulk.anchor_units[k]);
      anchor |= ((uint32_t)place % ANCHOR_STEPS) << (ANCHOR_BITS * k);
    }
    w->turn[i].anchor = anchor;
  }
}

void scree_bulk_listed(ScreeWorld *w) {
  Bulk *b = &w->bulk;
  *b = (Bulk){.stretch = 1.0, .anchored = w->count > 0, .wall_slack = scree_wall_skin(w)};
  for (int k = 0; k < 3; k++) {
    double length = w->def.high[k] - w->def.low[k], modulus = 4.0 * w->skin;
    if (w->def.periodic[k]) modulus = length / floor(length / modulus);
    b->anchor_units[k] = ANCHOR_STEPS / modulus;
    b->back[k][k] = 1.0;
    b->anchored = b->anchored && length * b->anchor_units[k] < 1e12; /* so that their last bits are right */
  }
  if (b->anchored) scree_pool_run(w->pool, anchor_share, w);
  choose_field(w);
  w->moved = 0.0;
  scree_bodies_listed(w);
}

/* ---- looks ---- */

static bool needs_ways(const ScreeWorld *w) { return w->bulk.sheared || w->meshes > 0; }

/* Of each grain of a thread: Y - X, within half a step of the anchors; x - X where a gradient or a mesh asks for it. */
static void look_share(void *context, int number, int threads) {
  const ScreeWorld *w = context;
  const Bulk *b = &w->bulk;
  size_t begin = scree_pool_begin(w->count, number, threads), end = scree_pool_begin(w->count, number + 1, threads);
  Look look = {.strayed2 = 0.0};
  bool whole = needs_ways(w);
  double unit[3];
  for (int k = 0; k < 3; k++) {
    look.strayed.least[k] = look.moved.least[k] = INFINITY, look.strayed.most[k] = look.moved.most[k] = -INFINITY;
    unit[k] = 1.0 / b->anchor_units[k];
  }
  for (size_t i = begin; i < end; i++) {
    const double *x = w->record[i].x;
    double strayed2 = 0.0, moved2 = 0.0;
    for (int k = 0; k < 3; k++) {
      double y = b->sheared ? scree_dot(b->back[k], x) - b->shift[k] : x[k] - b->shift[k];
      double at = (y - w->def.low[k]) * b->anchor_units[k];
      int64_t below = whole_below(at), then = w->turn[i].anchor >> (ANCHOR_BITS * k);
      int64_t steps = ((below - then + ANCHOR_STEPS / 2) & (ANCHOR_STEPS - 1)) - ANCHOR_STEPS / 2;
      double e = ((double)steps + (at - (double)below) - 0.5) * unit[k], way = e + (x[k] - y);
      strayed2 += e * e;
      look.strayed.least[k] = e < look.strayed.least[k] ? e : look.strayed.least[k];
      look.strayed.most[k] = e > look.strayed.most[k] ? e : look.strayed.most[k];
      if (!whole) continue;
      moved2 += way * way;
      look.moved.least[k] = way < look.moved.least[k] ? way : look.moved.least[k];
      look.moved.most[k] = way > look.moved.most[k] ? way : look.moved.most[k];
    }
    look.strayed2 = strayed2 > look.strayed2 ? strayed2 : look.strayed2;
    look.moved2 = moved2 > look.moved2 ? moved2 : look.moved2;
  }
  w->worker[number]->look = look;
}

/* Half the diagonal of a box, and its middle. */
static double half_of(const Extent *box, double *middle) {
  double half[3];
  for (int k = 0; k < 3; k++) {
    half[k] = 0.5 * (box->most[k] - box->least[k]);
    middle[k] = box->least[k] + half[k];
  }
  return sqrt(scree_dot(half, half));
}

static double used(const ScreeWorld *w);

/* A field that no longer holds: without it grains are nearer to where they came from, moved by one and the same way. */
static void drop_field(ScreeWorld *w, double strayed, const double *way) {
  Bulk *b = &w->bulk, sheared = *b;
  double share = used(w);
  b->sheared = false;
  b->stretch = 1.0;
  b->strayed = strayed;
  memset(b->gradient, 0, sizeof b->gradient);
  memset(b->back, 0, sizeof b->back);
  for (int k = 0; k < 3; k++) b->back[k][k] = 1.0, b->shift[k] = way[k];
  if (!(used(w) < share)) *b = sheared;
}

/* How far grains strayed in truth: about the field's places, or about the middle of the box that they fill. */
static void look_at_grains(ScreeWorld *w) {
  Bulk *b = &w->bulk;
  Look all;
  double middle[3], step[3];
  scree_pool_run(w->pool, look_share, w);
  all = w->worker[0]->look;
  for (int t = 1; t < w->def.threads; t++) {
    const Look *l = &w->worker[t]->look;
    all.strayed2 = fmax(all.strayed2, l->strayed2);
    all.moved2 = fmax(all.moved2, l->moved2);
    scree_unite(&all.strayed, &l->strayed);
    scree_unite(&all.moved, &l->moved);
  }
  for (int k = 0; k < 3; k++) step[k] = 0.5 / b->anchor_units[k];
  double doubt = sqrt(scree_dot(step, step)), boxed = half_of(&all.strayed, middle), plain = sqrt(all.strayed2);
  for (int k = 0; k < 3 && boxed < plain; k++) b->shift[k] += middle[k];
  b->strayed = fmin(boxed, plain) + doubt;
  if (needs_ways(w)) w->moved = fmin(w->moved, sqrt(all.moved2) + doubt);
  if (b->sheared) drop_field(w, half_of(&all.moved, middle) + doubt, middle);
}

/* The share of what the list allows that is used up: beyond 1 a pair may be missed. A millionth is for rounding. */
static double used(const ScreeWorld *w) {
  const Bulk *b = &w->bulk;
  double allowed = w->skin * (1.0 - 1e-6) - 2.0 * w->max_radius * fmax(b->stretch - 1.0, 0.0);
  double share = b->strayed == 0.0 && allowed >= 0.0 ? 0.0 : allowed > 0.0 ? 2.0 * b->strayed / allowed : INFINITY;
  if (w->meshes == 0) return share;
  double way = w->moved + w->meshes_moved;
  return fmax(share, way == 0.0 ? 0.0 : way / scree_wall_skin(w));
}

/* The least gap of those that are not listed, over the grains of a thread. */
static void gaps_share(void *context, int number, int threads) {
  const ScreeWorld *w = context;
  size_t begin = scree_pool_begin(w->count, number, threads), end = scree_pool_begin(w->count, number + 1, threads);
  double least = INFINITY, normal[3], lever[3];
  for (int wall = 0; wall < w->walls; wall++) {
    if (scree_is_mesh(w, wall) || !scree_body_of(w, wall)->present) continue;
    for (size_t i = begin; i < end; i++) {
      const Record *r = &w->record[i];
      if (scree_is_beside(w, i, wall) || scree_is_fixed(r)) continue;
      least = fmin(least, scree_wall_gap(w, wall, r, normal, lever) - r->r);
    }
  }
  w->worker[number]->look.gap = least;
}

/* Is a grain that is not listed with a wall close to it? Otherwise the walls are as good as listed now. */
static bool walls_come_near(ScreeWorld *w) {
  Bulk *b = &w->bulk;
  if (w->walls == MESH_SLOTS * w->meshes || b->wall_way + w->walls_moved <= b->wall_slack) return false;
  double least = INFINITY;
  scree_pool_run(w->pool, gaps_share, w);
  for (int t = 0; t < w->def.threads; t++) least = fmin(least, w->worker[t]->look.gap);
  if (!(least > 0.25 * scree_wall_skin(w))) return true;
  b->wall_slack = least;
  b->wall_way = 0.0;
  scree_walls_seen(w);
  return false;
}

/* A look costs some per cent of a list: it is not worth while for the last of what is allowed. */
bool scree_needs_rebuild(ScreeWorld *w) {
  static const double late = 0.9, ambiguous = 3.0; /* anchors tell e up to two skins */
  Bulk *b = &w->bulk;
  if (!isfinite(w->walls_moved)) return true; /* one came or went */
  if (used(w) > 1.0) {
    if (!b->anchored || b->looked > late || 2.0 * b->strayed > ambiguous * w->skin) return true;
    look_at_grains(w);
    b->looked = used(w);
    if (b->looked > 1.0) return true;
  }
  return walls_come_near(w);
}
