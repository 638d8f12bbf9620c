/* side.c: the sides of grains that face walls: gaps, normals and how the surfaces move, as many pairs at a time as a
 * register holds; compiled once per instruction set. Pairs of a group mostly meet the same wall; where they do not,
 * each wall is computed for all of them and its own are kept. Meshes bring what their sites found (site.c); blocks, and
 * walls that have images, are computed one by one. */
#include "contact.h"
#include "grains.h"
#include "shapes.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

enum { ALL = (1 << WIDTH) - 1 };

/* Grains of WIDTH pairs, and where they face. */
typedef struct Side {
  Real x[3], r, v[3], u[3], spin[3]; /* u, spin: of the middle of the step */
  Real n[3], gap, lever[3];          /* as scree_wall_gap gives them */
  Mask mesh;
} Side;

INLINE Real dot3(const Real *a, const Real *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

INLINE void load_grains(const ScreeWorld *w, const int32_t *i, Side *side) {
  Records r = load_records(w->record, i);
  Turns t = load_turns(w->turn, i);
  side->x[0] = r.x.x, side->x[1] = r.x.y, side->x[2] = r.x.z;
  side->v[0] = r.v.x, side->v[1] = r.v.y, side->v[2] = r.v.z;
  side->u[0] = t.u.x, side->u[1] = t.u.y, side->u[2] = t.u.z;
  side->spin[0] = t.w.x, side->spin[1] = t.w.y, side->spin[2] = t.w.z;
  side->r = r.r;
  for (int k = 0; k < 3; k++) side->n[k] = side->lever[k] = splat(0.0);
  side->gap = splat(0.0);
}

/* ---- gaps ---- */

static bool is_one_by_one(const ScreeWorld *w, int wall) {
  const ScreeWallDef *d = &w->wall[wall];
  return d->shape == SCREE_WALL_BOX || d->shape == SCREE_WALL_MESH || (w->images > 1 && scree_wall_is_bounded(d));
}

static unsigned lanes_at(const int32_t *j, int32_t wall) {
  unsigned bits = 0;
  UNROLLED(int l = 0; l < WIDTH; l++) bits |= (unsigned)(j[l] == wall) << l;
  return bits;
}

/* Of one wall, as scree_wall_gap. */
INLINE void face(const ScreeWorld *w, int wall, Mask those, Side *side) {
  const Body *b = scree_body_of(w, wall);
  Real to[3] = {side->x[0], side->x[1], side->x[2]}, own[3], towards[3], n[3], gap;
  if (b->moves) {
    scree_enter(&b->frame, side->x, to, own);
    gap = scree_shape_gap(&w->wall[wall], own, side->r, towards);
    scree_leave(&b->frame, towards, n);
  } else {
    gap = scree_shape_gap(&w->wall[wall], side->x, side->r, n);
  }
  side->gap = choose(those, gap, side->gap);
  for (int k = 0; k < 3; k++) {
    side->n[k] = choose(those, n[k], side->n[k]);
    side->lever[k] = choose(those, b->turns ? to[k] : side->x[k], side->lever[k]);
  }
}

/* Lane by lane; the sentinel touches nothing. */
static void face_one(const ScreeWorld *w, const Worker *worker, size_t p, double *n, double *gap, double *lever) {
  int32_t i = KEPT(&w->pairs, i, p), j = KEPT(&w->pairs, j, p);
  if (!scree_is_mesh(w, -1 - j)) {
    *gap = scree_wall_gap(w, -1 - j, &w->record[i], n, lever);
    return;
  }
  static const Spot none = {.n = {1.0}, .gap = INFINITY};
  const Spot *spot = (size_t)i < w->count ? &worker->beside->spot[w->pairs.spot[p]] : &none;
  memcpy(n, spot->n, sizeof spot->n);
  memcpy(lever, spot->lever, sizeof spot->lever);
  *gap = spot->gap;
}

static void face_each(const ScreeWorld *w, const Worker *worker, size_t p, unsigned those, Side *side) {
  unsigned mesh = 0;
  for (unsigned left = those; left != 0; left &= left - 1) {
    int l = __builtin_ctz(left);
    double n[3], gap, lever[3];
    face_one(w, worker, p + (size_t)l, n, &gap, lever);
    side->gap[l] = gap;
    for (int k = 0; k < 3; k++) side->n[k][l] = n[k], side->lever[k][l] = lever[k];
    mesh |= (unsigned)scree_is_mesh(w, -1 - KEPT(&w->pairs, j, p + (size_t)l)) << l;
  }
  side->mesh = mask_of(mesh);
}

static void face_walls(const ScreeWorld *w, const Worker *worker, size_t p, Side *side) {
  const int32_t *j = &KEPT(&w->pairs, j, p);
  unsigned left = ALL, each = 0;
  side->mesh = mask_of(0);
  while (left != 0) {
    int32_t wall = j[__builtin_ctz(left)];
    unsigned those = lanes_at(j, wall);
    left &= ~those;
    if (is_one_by_one(w, -1 - wall))
      each |= those;
    else
      face(w, -1 - wall, mask_of(those), side);
  }
  if (each != 0) face_each(w, worker, p, each, side);
}

/* ---- motion ---- */

/* Velocities of the walls' surfaces at the levers; zeros where nothing moves. */
typedef struct Ground {
  Real v[3], u[3], w[3];
} Ground;

INLINE void add_ground(const Frame *f, const Real *lever, Mask those, Ground *g) {
  for (int k = 0; k < 3; k++) {
    Real v, u;
    scree_ground(f, lever, k, &v, &u);
    g->v[k] = choose(those, v, g->v[k]);
    g->u[k] = choose(those, u, g->u[k]);
    g->w[k] = choose(those, splat(f->middle_w[k]), g->w[k]);
  }
}

static void find_ground(const ScreeWorld *w, const int32_t *j, const Real *lever, Ground *g) {
  for (int k = 0; k < 3; k++) g->v[k] = g->u[k] = g->w[k] = splat(0.0);
  for (unsigned left = ALL; left != 0;) {
    int32_t wall = j[__builtin_ctz(left)];
    unsigned those = lanes_at(j, wall);
    left &= ~those;
    const Body *b = scree_body_of(w, -1 - wall);
    if (b->moves) add_ground(&b->frame, lever, mask_of(those), g);
  }
}

/* A normal that is shorter than one, near an axis or of a mesh's valley, tells the direction of the contact plane. */
INLINE void stretch(const Side *side, Real size2, Mask unit, Real *n) {
  if (bits_of(except(unit, side->mesh)) == ALL) return;
  Mask some = below(splat(0.0), size2), as_is = except(unit, side->mesh);
  Real size = root(size2);
  for (int k = 0; k < 3; k++) n[k] = choose(as_is, n[k], choose(some, n[k] / size, splat(k == 0)));
}

/* Returns which lanes touch. */
static unsigned look(const ScreeWorld *w, Worker *worker, size_t p, int s) {
  Block *b = &worker->block;
  Side side;
  Ground wall;
  Real n[3], lever[3], v[3], u[3], mean[3], surface[3], zero = splat(0.0), one = splat(1.0);
  load_grains(w, &KEPT(&w->pairs, i, p), &side);
  face_walls(w, worker, p, &side);
  unsigned real = 0;
  UNROLLED(int l = 0; l < WIDTH; l++) real |= (unsigned)((size_t)KEPT(&w->pairs, i, p + (size_t)l) < w->count) << l;
  Real overlap = side.r - side.gap;
  Mask touches = both(below(zero, overlap), mask_of(real));
  Real d = choose(touches, overlap, zero), arm = side.r - 0.5 * d, size2 = dot3(side.n, side.n);
  /* times the normal: to the contact, also where the normal of a mesh is shorter than one */
  Real arm1 = bits_of(side.mesh) ? choose(both(side.mesh, below(zero, size2)), arm / root(size2), arm) : arm;
  for (int k = 0; k < 3; k++) {
    n[k] = side.n[k];
    lever[k] = side.lever[k] + arm1 * n[k];
    put(b->n[k] + s, n[k]);
    put(b->lever[k] + s, lever[k]);
  }
  find_ground(w, &KEPT(&w->pairs, j, p), lever, &wall);
  for (int k = 0; k < 3; k++) v[k] = side.v[k] - wall.v[k], u[k] = side.u[k] - wall.u[k];
  put(b->v + s, dot3(v, n));
  Mask unit = below(splat(1.0 - 1e-9), size2);
  put(b->grip + s, choose(side.mesh, one, choose(unit, one, zero)));
  stretch(&side, size2, unit, n);
  Real middle = dot3(u, n);
  for (int k = 0; k < 3; k++) {
    surface[k] = arm * side.spin[k];
    mean[k] = 0.5 * (side.spin[k] + wall.w[k]);
    put(b->spin[k] + s, side.spin[k] - wall.w[k]);
  }
  for (int k = 0; k < 3; k++) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    put(b->slide[k] + s, u[k] - middle * n[k] + (surface[y] * n[z] - surface[z] * n[y]));
  }
  put(b->turned + s, dot3(mean, n) * scree_contact_dt(w));
  put(b->d + s, d);
  put(b->root + s, root(d));
  put(b->fourth + s, root(root(d)));
  put(b->arm1 + s, arm1);
  put(b->arm2 + s, zero);
  put(b->reff + s, side.r);
  put(b->root_reff + s, root(side.r));
  return bits_of(touches);
}

/* ---- blocks ---- */

/* A group of slots of which none has a contact, or had one. */
static bool all_idle(const Worker *worker, size_t p) {
  return worker->beside->busy[p / LANES - worker->beside->first_group] == 0;
}

static void deepest(const ScreeWorld *w, Block *b, size_t p, int s) {
  for (int l = 0; l < LANES; l++) {
    double d = b->d[s + l], r = w->record[KEPT(&w->pairs, i, p + (size_t)l)].r;
    if (d > b->max_overlap * r) b->max_overlap = d / r;
  }
}

static size_t side(const ScreeWorld *w, const Run *run, size_t p, Worker *worker) {
  Block *b = &worker->block;
  b->changes = 0;
  for (b->groups = 0; p < run->end && b->groups < GROUPS; p += LANES) {
    int s = b->groups * LANES;
    unsigned touch = 0, known = 0;
    bool idle = w->meshes > 0 && all_idle(worker, p);
    for (int l = 0; l < LANES && !idle; l += WIDTH) touch |= look(w, worker, p + (size_t)l, s + l) << l;
    for (int l = 0; l < LANES && !idle; l++) known |= (unsigned)(w->pairs.k[p + (size_t)l] != 0.0) << l;
    if (touch != 0) deepest(w, b, p, s);
    if ((touch | known) == 0 && b->groups > 0) break;
    if ((touch | known) == 0) continue;
    b->touch[b->groups] = (uint8_t)touch, b->known[b->groups] = (uint8_t)known;
    b->changes |= touch ^ known;
    b->begins[b->groups] = true;
    if (b->groups++ == 0) scree_block_begin(w, b, p);
  }
  b->begins[b->groups] = true;
  return p;
}

extern SideKernel *const JOIN(scree_dem_side_, SCREE_ISA);
SideKernel *const JOIN(scree_dem_side_, SCREE_ISA) = side;
