/* bulk.c: when the list must be made anew. What moves together stays together: a block that falls, a bed that is shaken
 * and a flow that is sheared keep their list far longer than a grain takes to cross the skin.
 *
 * The list holds all pairs that were closer than R + s1 + s2 when it was made; R is the sum of their radii, s what a
 * grain is allowed to stray by. It is good while no other pair touches. Let X be where a grain was then, x where it is
 * now, and U(x) = a + B x a field of velocities; B is kept as long as the list, a may be another one in every step. Let
 *
 *   Y = M x - c,   M' = M (I + B dt)^-1,   c' = c + M' a dt,   at first M = I, c = 0.
 *
 * A step x' = x + u dt makes Y' - Y = M' (u - a - B x) dt: the field itself leaves Y where it is, and
 *
 *   |Y - X| <= e = sum of |M'| |u - U(x)| dt,   |M| the largest stretch by M.
 *
 * Two grains that touch now, |x1 - x2| < R, have |Y1 - Y2| < |M| R, so they were closer than |M| R + e1 + e2 then. The
 * list is good while e + (|M| - 1) r <= s for every grain. Across a periodic boundary the same holds for the image that
 * touches if the image of Y is the Y of the image: M may not change along periodic axes, and B has no gradient along
 * them.
 *
 * A few fast grains, below the orifice of a hopper or in the tail of a gas, should not end the list of all. Grains get
 * one of four paces when the list is made, by |u - U|: the slow may stray by half the skin, every pace by a factor more
 * than the one before.
 *
 * Every step takes for a the middle of the box that the u - B x of the slow fill, and for |u - U| of each pace the way
 * from there to the farthest corner of its own box: no sum that depends on an order. When that bound is used up, e is
 * found anew: anchors tell X modulo some allowances.
 *
 * The same boxes tell how much nearer two grains can have come to each other, and near pairs need not be tested before
 * that is their gap (kernels.c). In a step their distance d becomes |(I + B dt) d + (w1 - w2) dt|, w = u - B x, which
 * is at least d/|(I + B dt)^-1| - |w1 - w2| dt, and no two w are farther apart than the corners of their box. What the
 * field squeezes out of a gap g is (1 - 1/|..|) (R + g): at most that of the widest gap of the list, as which wider
 * ones count. Slow pairs have their own bound, and one holds for all.
 *
 * Walls see how far a grain moved, not how far it moved relative to others. Pairs with them are listed within some
 * skins (scree_wall_skin). Meshes list triangles: no grain may move farther, relative to the mesh. Of other walls the
 * gaps of all grains that are not listed are looked at, whenever these could have used up what was left at the last
 * look: of each pace what its own grains had left, and its own way. Less would do no harm but in time.
 *
 * Nothing here leaves a trace in the results. */
#include <stdlib.h>
#include <string.h>

#include "contact.h"

/* ---- the field ---- */

enum { SAMPLES = 1024 };

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

static bool is_empty(const Extent *box) { return box->least[0] > box->most[0]; }

/* From a point to the farthest corner of a box. */
static double farthest(const Extent *box, const double *from) {
  double far[3];
  for (int k = 0; k < 3; k++) far[k] = fmax(box->most[k] - from[k], from[k] - box->least[k]);
  return sqrt(scree_dot(far, far));
}

/* The middle of the box of the slowest there are. */
static void middle_of(const Extent *box, double *middle) {
  int p = 0;
  while (p < PACES - 1 && is_empty(&box[p])) p++;
  for (int k = 0; k < 3; k++) middle[k] = box[p].least[k] + 0.5 * (box[p].most[k] - box[p].least[k]);
}

/* What two grains can have closed in by, in a step. A millionth is for rounding of the sum, the rest for that of
 * places. */
static void close_in(ScreeWorld *w, const Extent *rest) {
  Bulk *b = &w->bulk;
  Extent all = rest[0];
  double squeezed = 0.0;
  for (int p = 1; p < PACES; p++) scree_unite(&all, &rest[p]);
  if (b->sheared) squeezed = fmax(1.0 - 1.0 / stretch(b->back_step), 0.0) * (2.0 * w->max_radius + scree_widest_gap(w));
  for (int any = 0; any < 2; any++) {
    const Extent *box = any ? &all : &rest[0];
    double size[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3 && !is_empty(box); k++) size[k] = box->most[k] - box->least[k];
    double closed = (sqrt(scree_dot(size, size)) * w->dt + squeezed) * (1.0 + 1e-6) + scree_gap_rounding(w);
    b->closed[any] += closed;
    if (any) b->step_closed = closed;
  }
}

/* M of the step to come. */
static void back_to_come(const Bulk *b, double back[3][3]) {
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++)
      back[k][j] =
          b->back[k][0] * b->back_step[0][j] + b->back[k][1] * b->back_step[1][j] + b->back[k][2] * b->back_step[2][j];
}

void scree_bulk_step(ScreeWorld *w, const Extent *u, const Extent *rest) {
  static const double still[3];
  Bulk *b = &w->bulk;
  double back[3][3], a[3];
  middle_of(rest, a);
  if (b->sheared) {
    back_to_come(b, back);
    memcpy(b->back, back, sizeof back);
    b->stretch = stretch(back);
  }
  for (int k = 0; k < 3; k++) b->shift[k] += scree_dot(b->back[k], a) * w->dt;
  close_in(w, rest);
  b->step_way = 0.0;
  for (int p = 0; p < PACES; p++) {
    if (is_empty(&u[p])) continue;
    double way = farthest(&u[p], still) * w->dt;
    b->step_way = fmax(b->step_way, way);
    b->strayed[p] += b->stretch * farthest(&rest[p], a) * w->dt;
    b->moved[p] += way;
    b->wall_way[p] += way;
  }
}

/* ---- anchors ---- */

/* Ten bits for each axis of a place, modulo eight allowances or a little more: of a periodic axis the modulus is a
 * whole part, and crossing the boundary changes nothing. */
enum { ANCHOR_BITS = 10, ANCHOR_STEPS = 1 << ANCHOR_BITS };

static inline int64_t whole_below(double x) {
  int64_t n = (int64_t)x;
  return n - ((double)n > x);
}

/* How the grains' speeds against the field lie: about a mean, up to a fastest; beyond each limit a pace begins. */
typedef struct Speeds {
  ScreeWorld *w;
  double mean[3];
  double limit2[PACES - 1]; /* (m/s)^2 */
} Speeds;

static inline double speed2(const Speeds *s, size_t i) {
  const double *u = s->w->turn[i].v;
  double x[3], rest[3] = {u[0] - s->mean[0], u[1] - s->mean[1], u[2] - s->mean[2]};
  if (s->w->bulk.sheared) {
    sample(s->w, i, x, &u);
    for (int k = 0; k < 3; k++) rest[k] -= scree_dot(s->w->bulk.gradient[k], x);
  }
  return scree_dot(rest, rest);
}

static void fastest_share(void *context, int number, int threads) {
  const Speeds *s = context;
  ScreeWorld *w = s->w;
  size_t begin = scree_pool_begin(w->count, number, threads), end = scree_pool_begin(w->count, number + 1, threads);
  double most2 = 0.0;
  for (size_t i = begin; i < end; i++) {
    double v2 = speed2(s, i);
    most2 = v2 > most2 ? v2 : most2;
  }
  w->worker[number]->look.fastest2 = most2;
}

static void anchor_share(void *context, int number, int threads) {
  const Speeds *s = context;
  ScreeWorld *w = s->w;
  size_t begin = scree_pool_begin(w->count, number, threads), end = scree_pool_begin(w->count, number + 1, threads);
  for (size_t i = begin; i < end; i++) {
    uint32_t pace = 0, anchor = 0;
    double v2 = w->bulk.paced ? speed2(s, i) : 0.0;
    for (int p = 0; p < PACES - 1 && w->bulk.paced; p++) pace += v2 > s->limit2[p];
    for (int k = 0; k < 3 && w->bulk.anchored; k++) {
      int64_t place = whole_below((w->record[i].x[k] - w->def.low[k]) * w->bulk.anchor_units[pace][k]);
      anchor |= ((uint32_t)place % ANCHOR_STEPS) << (ANCHOR_BITS * k);
    }
    w->turn[i].anchor = anchor | pace << PACE_SHIFT;
  }
}

/* How much faster than most the fastest is: few may be fast, since they have many near pairs and a grid of their own.
 */
static double tail_of(const Speeds *s, double fastest2) {
  enum { FEW = 24 };
  double v2[SAMPLES + 1], tail = 16.0;
  size_t stride = s->w->count / SAMPLES + 1, n = 0, fast = SIZE_MAX;
  for (size_t i = 0; i < s->w->count; i += stride) v2[n++] = speed2(s, i);
  for (; fast > n / FEW && tail > 1.0; tail *= 0.9) {
    double limit2 = fastest2 / (tail * tail);
    fast = 0;
    for (size_t i = 0; i < n; i++) fast += v2[i] > limit2;
  }
  return tail / 0.9;
}

/* Of the speeds against the field: the mean of samples, and the square of the largest. */
static double find_speeds(Speeds *s) {
  const ScreeWorld *w = s->w;
  double n = 0.0, most2 = 0.0;
  for (size_t i = 0; i < w->count; i += w->count / SAMPLES + 1, n++) {
    double x[3];
    const double *u;
    sample(w, i, x, &u);
    for (int k = 0; k < 3; k++) s->mean[k] += u[k] - scree_dot(w->bulk.gradient[k], x);
  }
  for (int k = 0; k < 3; k++) s->mean[k] /= n;
  scree_pool_run(w->pool, fastest_share, s);
  for (int t = 0; t < w->def.threads; t++) most2 = fmax(most2, w->worker[t]->look.fastest2);
  return most2;
}

/* m, that no grain is allowed more than, lest its partners be many. Of a periodic axis anchors need eight times as
 * much, and the shortest image should be the only one within reach. */
static double most_allowed(const ScreeWorld *w) {
  double most = 2.0 * w->min_radius;
  for (int k = 0; k < 3; k++) {
    double length = w->def.high[k] - w->def.low[k];
    if (w->def.periodic[k]) most = fmin(most, fmin(0.25 * length - w->max_radius, 0.125 * length));
  }
  return most;
}

/* What grains are allowed grows from pace to pace by one factor; so do the speeds that paces begin at. */
static void choose_paces(ScreeWorld *w, Speeds *s) {
  Bulk *b = &w->bulk;
  double base = 0.5 * w->skin, haste = fmax(w->haste, 1.0),
         fastest2 = w->count > 1 && haste > 1.0 ? find_speeds(s) : 0.0;
  bool known = haste > 1.0 && base > 0.0 && fastest2 > 0.0 && isfinite(fastest2);
  haste = known ? fmin(fmin(haste, most_allowed(w) / base), tail_of(s, fastest2)) : 1.0;
  b->paced = haste > (b->sheared ? 1.9 : 1.1); /* a sweep with a gradient has twice the extremes to keep apart */
  if (!b->paced) haste = 1.0;
  double factor = b->paced ? cbrt(haste) : 1.0;
  for (int p = 0; p < PACES; p++, base *= factor) b->allowance[p] = base;
  s->limit2[0] = fastest2 / (haste * haste);
  for (int p = 1; p < PACES - 1; p++) s->limit2[p] = s->limit2[p - 1] * factor * factor;
  w->haste = haste;
}

/* 1/m, of the anchors of a pace. */
static void choose_units(const ScreeWorld *w, double allowance, double *units) {
  for (int k = 0; k < 3; k++) {
    double length = w->def.high[k] - w->def.low[k], modulus = 8.0 * allowance;
    if (w->def.periodic[k]) modulus = length / floor(length / modulus);
    units[k] = ANCHOR_STEPS / modulus;
  }
}

void scree_bulk_begin(ScreeWorld *w) {
  Bulk *b = &w->bulk;
  Speeds speeds = {.w = w};
  *b = (Bulk){
      .stretch = 1.0, .anchored = w->count > 0, .step_closed = b->step_closed, .step_way = b->step_way}; /* as it was */
  choose_units(w, 0.5 * w->skin, b->anchor_units[0]);
  for (int k = 0; k < 3; k++) {
    b->back[k][k] = 1.0;
    double steps = (w->def.high[k] - w->def.low[k]) * b->anchor_units[0][k];
    b->anchored = b->anchored && steps < 1e12; /* so that their last bits are right */
  }
  choose_field(w);
  choose_paces(w, &speeds);
  for (int p = 0; p < PACES; p++) {
    choose_units(w, b->allowance[p], b->anchor_units[p]);
    b->wall_slack[p] = scree_wall_skin(w, p);
  }
  scree_pool_run(w->pool, anchor_share, &speeds);
}

/* ---- looks ---- */

static bool needs_ways(const ScreeWorld *w) { return w->bulk.sheared || w->meshes > 0; }

static const Extent nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static inline void widen(Extent *box, int k, double x) {
  box->least[k] = x < box->least[k] ? x : box->least[k];
  box->most[k] = x > box->most[k] ? x : box->most[k];
}

/* Of each grain of a thread: Y - X, within half a step of the anchors; x - X where a gradient or a mesh asks for it. */
static void look_share(void *context, int number, int threads) {
  const ScreeWorld *w = context;
  const Bulk *b = &w->bulk;
  size_t begin = scree_pool_begin(w->count, number, threads), end = scree_pool_begin(w->count, number + 1, threads);
  Look look = {.fastest2 = 0.0};
  bool whole = needs_ways(w);
  double unit[PACES][3];
  for (int p = 0; p < PACES; p++) {
    look.strayed[p] = look.moved[p] = nothing;
    for (int k = 0; k < 3; k++) unit[p][k] = 1.0 / b->anchor_units[p][k];
  }
  for (size_t i = begin; i < end; i++) {
    const double *x = w->record[i].x;
    int p = scree_pace_of(w, i);
    double strayed2 = 0.0, moved2 = 0.0;
    for (int k = 0; k < 3; k++) {
      double y = b->sheared ? scree_dot(b->back[k], x) - b->shift[k] : x[k] - b->shift[k];
      double at = (y - w->def.low[k]) * b->anchor_units[p][k];
      int64_t below = whole_below(at), then = w->turn[i].anchor >> (ANCHOR_BITS * k);
      int64_t steps = ((below - then + ANCHOR_STEPS / 2) & (ANCHOR_STEPS - 1)) - ANCHOR_STEPS / 2;
      double e = ((double)steps + (at - (double)below) - 0.5) * unit[p][k], way = e + (x[k] - y);
      strayed2 += e * e;
      widen(&look.strayed[p], k, e);
      if (!whole) continue;
      moved2 += way * way;
      widen(&look.moved[p], k, way);
    }
    look.strayed2[p] = strayed2 > look.strayed2[p] ? strayed2 : look.strayed2[p];
    look.moved2[p] = moved2 > look.moved2[p] ? moved2 : look.moved2[p];
  }
  w->worker[number]->look = look;
}

/* What grains of each pace strayed by, if all were moved by one and the same way. */
static void strayed_from(const Extent *box, const double *way, const double *doubt, double *strayed) {
  for (int p = 0; p < PACES; p++) strayed[p] = is_empty(&box[p]) ? 0.0 : farthest(&box[p], way) + doubt[p];
}

/* A field that no longer holds: without it grains are nearer to where they came from, moved by one and the same way. */
static void drop_field(ScreeWorld *w, const Extent *moved, const double *doubt) {
  Bulk *b = &w->bulk, sheared = *b;
  double share[PACES], before = scree_bulk_used(w, share);
  b->sheared = false;
  b->stretch = 1.0;
  memset(b->gradient, 0, sizeof b->gradient);
  memset(b->back, 0, sizeof b->back);
  for (int k = 0; k < 3; k++) b->back[k][k] = 1.0;
  middle_of(moved, b->shift);
  strayed_from(moved, b->shift, doubt, b->strayed);
  if (!(scree_bulk_used(w, share) < before)) *b = sheared;
}

static Look all_looks(const ScreeWorld *w) {
  Look all = w->worker[0]->look;
  for (int t = 1; t < w->def.threads; t++) {
    const Look *l = &w->worker[t]->look;
    for (int p = 0; p < PACES; p++) {
      all.strayed2[p] = fmax(all.strayed2[p], l->strayed2[p]);
      all.moved2[p] = fmax(all.moved2[p], l->moved2[p]);
      scree_unite(&all.strayed[p], &l->strayed[p]);
      scree_unite(&all.moved[p], &l->moved[p]);
    }
  }
  return all;
}

/* How far grains strayed in truth: about the field's places, or about the middle of the box that the slow fill. */
static void look_at_grains(ScreeWorld *w) {
  Bulk *b = &w->bulk;
  double middle[3], boxed[PACES], doubt[PACES], share[PACES];
  scree_pool_run(w->pool, look_share, w);
  Look all = all_looks(w);
  for (int p = 0; p < PACES; p++) {
    double step[3];
    for (int k = 0; k < 3; k++) step[k] = 0.5 / b->anchor_units[p][k];
    doubt[p] = sqrt(scree_dot(step, step));
    b->strayed[p] = is_empty(&all.strayed[p]) ? 0.0 : sqrt(all.strayed2[p]) + doubt[p];
    if (needs_ways(w)) b->moved[p] = fmin(b->moved[p], sqrt(all.moved2[p]) + doubt[p]);
  }
  Bulk plain = *b;
  double before = scree_bulk_used(w, share);
  middle_of(all.strayed, middle);
  strayed_from(all.strayed, middle, doubt, boxed);
  memcpy(b->strayed, boxed, sizeof boxed);
  for (int k = 0; k < 3; k++) b->shift[k] += middle[k];
  if (!(scree_bulk_used(w, share) < before)) *b = plain;
  if (b->sheared) drop_field(w, all.moved, doubt);
}

/* Beyond 1 a pair may be missed: e + (|M| - 1) r <= s for either grain. A millionth is for rounding. more: m, that
 * grains may still stray by, until distances are stretched so much. */
static double used_at(const ScreeWorld *w, double more, double stretch, double share[PACES]) {
  const Bulk *b = &w->bulk;
  double most = 0.0;
  for (int p = 0; p < PACES; p++) {
    double allowed = b->allowance[p] * (1.0 - 1e-6) - w->max_radius * fmax(stretch - 1.0, 0.0);
    double way = b->moved[p] + w->meshes_moved, strayed = b->strayed[p] + stretch * more;
    share[p] = strayed == 0.0 && allowed >= 0.0 ? 0.0 : allowed > 0.0 ? strayed / allowed : INFINITY;
    if (w->meshes > 0 && way > 0.0) share[p] = fmax(share[p], way / scree_wall_skin(w, p));
    most = fmax(most, share[p]);
  }
  return most;
}

double scree_bulk_used(const ScreeWorld *w, double share[PACES]) { return used_at(w, 0.0, w->bulk.stretch, share); }

/* The least gap of those that are not listed, over the grains of a thread. */
static void gaps_share(void *context, int number, int threads) {
  const ScreeWorld *w = context;
  size_t begin = scree_pool_begin(w->count, number, threads), end = scree_pool_begin(w->count, number + 1, threads);
  double *least = w->worker[number]->look.gap, normal[3], lever[3];
  for (int p = 0; p < PACES; p++) least[p] = INFINITY;
  for (int wall = 0; wall < w->walls; wall++) {
    if (scree_is_mesh(w, wall) || !scree_body_of(w, wall)->present) continue;
    for (size_t i = begin; i < end; i++) {
      const Record *r = &w->record[i];
      int p = scree_pace_of(w, i);
      if (scree_is_beside(w, i, wall) || scree_is_fixed(r)) continue;
      least[p] = fmin(least[p], scree_wall_gap(w, wall, r, normal, lever) - r->r);
    }
  }
}

/* Anchors tell e up to four allowances. */
static bool is_ambiguous(const Bulk *b) {
  for (int p = 0; p < PACES; p++)
    if (b->strayed[p] > 3.0 * b->allowance[p]) return true;
  return false;
}

/* Could a grain that is not listed with a wall have come to it since the last look, having moved so much more? */
static bool walls_are_due(const ScreeWorld *w, double more) {
  const Bulk *b = &w->bulk;
  if (w->walls == MESH_SLOTS * w->meshes) return false;
  for (int p = 0; p < PACES; p++)
    if (b->wall_way[p] + w->walls_moved + more > b->wall_slack[p]) return true;
  return false;
}

static void look(ScreeWorld *w) {
  double share[PACES];
  look_at_grains(w);
  w->bulk.looked = scree_bulk_used(w, share);
}

bool scree_list_holds(const ScreeWorld *w, double more) {
  const Bulk *b = &w->bulk;
  double share[PACES], back[3][3], to_come = b->stretch;
  if (more > 0.0 && b->sheared) {
    back_to_come(b, back);
    to_come = stretch(back);
  }
  return !walls_are_due(w, more) && used_at(w, more, to_come, share) <= 1.0;
}

bool scree_list_will_hold(ScreeWorld *w, double more) {
  static const double worth = 0.3;
  Bulk *b = &w->bulk;
  double share[PACES];
  if (scree_list_holds(w, more)) return true;
  if (!b->anchored || is_ambiguous(b) || scree_bulk_used(w, share) < b->looked + worth) return false;
  look(w);
  return scree_list_holds(w, more);
}

/* Is a grain that is not listed with a wall close to it? Otherwise the walls are as good as listed now. */
static bool walls_come_near(ScreeWorld *w) {
  Bulk *b = &w->bulk;
  if (!walls_are_due(w, 0.0)) return false;
  scree_pool_run(w->pool, gaps_share, w);
  for (int p = 0; p < PACES; p++) {
    double least = INFINITY;
    for (int t = 0; t < w->def.threads; t++) least = fmin(least, w->worker[t]->look.gap[p]);
    if (!(least > 0.25 * scree_wall_skin(w, p))) return true;
    b->wall_slack[p] = least;
    b->wall_way[p] = 0.0;
  }
  scree_walls_seen(w);
  return false;
}

/* A look costs some per cent of a list: it is not worth while for the last of what is allowed. */
bool scree_needs_rebuild(ScreeWorld *w) {
  static const double late = 0.9;
  Bulk *b = &w->bulk;
  double share[PACES];
  if (w->spare) scree_pairs_tidy(w);
  if (!isfinite(w->walls_moved)) return true; /* one came or went */
  if (scree_list_is_wide(w)) return true;
  if (scree_bulk_used(w, share) > 1.0) {
    if (!b->anchored || b->looked > late || is_ambiguous(b)) return true;
    look(w);
    if (b->looked > 1.0) return true;
  }
  return walls_come_near(w);
}
