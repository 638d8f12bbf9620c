/* grid.c: grains are put into levels by size and pace, each level into a grid of cells as wide as twice its largest
 * reach. Grids are built by all threads, and are the same for any number of them: each orders the grains of a part of
 * the cells. */
#include "grid.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Octave of a radius above the smallest. */
static int octave_of(const ScreeWorld *w, double r) {
  int octave = ilogb(r / w->min_radius * (1.0 + 1e-9));
  return octave < OCTAVES - 1 ? octave : OCTAVES - 1;
}

/* Of one size the fast come first: they look for the slow, which are many and whose cells are narrow. */
int scree_grids_level(const Grids *g, size_t i) {
  int octave = g->levels > g->paces ? octave_of(g->w, g->w->record[i].r) : 0;
  return g->paces * octave + g->paces - 1 - scree_pace_of(g->w, i);
}

/* Of a level the grain need not belong to: it may lie anywhere. */
static int cell_of(const Grid *g, int axis, double x) {
  double c = (x - g->low[axis]) * g->per_width[axis];
  return c < 0.0 ? 0 : c >= g->cells[axis] ? g->cells[axis] - 1 : (int)c;
}

static size_t cell_index(const Grid *g, const int *c) {
  return ((size_t)c[2] * (size_t)g->cells[1] + (size_t)c[1]) * (size_t)g->cells[0] + (size_t)c[0];
}

/* ---- building ---- */

static size_t grain_of(const Grid *g, size_t member) { return g->grain ? (size_t)g->grain[member] : member; }

static void box_share(void *context, int number, int threads) {
  Grids *g = context;
  const ScreeWorld *w = g->w;
  const Grid *grid = g->now;
  size_t n = grid->members;
  Extent box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  double widest = 0.0;
  for (size_t m = scree_pool_begin(n, number, threads); m < scree_pool_begin(n, number + 1, threads); m++) {
    const Record *r = &w->record[grain_of(grid, m)];
    double reach = scree_reach_of(w, grain_of(grid, m));
    widest = reach > widest ? reach : widest;
    for (int k = 0; k < 3; k++) {
      box.least[k] = r->x[k] < box.least[k] ? r->x[k] : box.least[k];
      box.most[k] = r->x[k] > box.most[k] ? r->x[k] : box.most[k];
    }
  }
  g->box[number] = box;
  g->widest[number] = widest;
}

/* The space that the grains of a level take, and the largest reach. */
static double enclose(Grids *g, Extent *box) {
  double widest = 0.0;
  scree_pool_run(g->w->pool, box_share, g);
  *box = g->box[0];
  for (int t = 0; t < g->w->def.threads; t++) {
    scree_unite(box, &g->box[t]);
    widest = fmax(widest, g->widest[t]);
  }
  return widest;
}

/* Cells over the space its grains take, no more than a few per grain. */
static size_t lay_out(const ScreeWorld *w, Grid *g, const Extent *box, double wide) {
  size_t total = 1;
  g->half = !w->layered; /* otherwise the first grain of every pair looks for the second */
  for (int k = 0; k < 3; k++) {
    double begin = w->def.periodic[k] ? w->def.low[k] : box->least[k],
           length = w->def.periodic[k] ? w->def.high[k] - w->def.low[k] : box->most[k] - box->least[k];
    double room = fmax((8.0 * (double)g->members + 64.0) / (double)total, 1.0);
    double cells = fmin(fmax(floor(length / wide), 1.0), room);
    g->low[k] = begin;
    g->cells[k] = (int)cells;
    g->per_width[k] = length > 0.0 ? (double)g->cells[k] / length : 0.0;
    total *= (size_t)g->cells[k];
    if (w->def.periodic[k] && g->cells[k] < 3) g->half = false; /* a neighbour would be met on both sides */
  }
  return total;
}

static void cells_share(void *context, int number, int threads) {
  const Grids *g = context;
  const ScreeWorld *w = g->w;
  Grid *grid = g->now;
  size_t n = grid->members;
  for (size_t m = scree_pool_begin(n, number, threads); m < scree_pool_begin(n, number + 1, threads); m++) {
    const double *x = w->record[grain_of(grid, m)].x;
    int c[3] = {cell_of(grid, 0, x[0]), cell_of(grid, 1, x[1]), cell_of(grid, 2, x[2])};
    grid->cell[m] = (int32_t)cell_index(grid, c);
  }
}

static size_t cells_in(const Grid *g) { return (size_t)g->cells[0] * (size_t)g->cells[1] * (size_t)g->cells[2]; }

/* start[c + 1]: how many members the thread's cells before c hold. */
static void count_share(void *context, int number, int threads) {
  const Grids *g = context;
  const Grid *grid = g->now;
  int32_t from = (int32_t)scree_pool_begin(cells_in(grid), number, threads),
          to = (int32_t)scree_pool_begin(cells_in(grid), number + 1, threads), sum = 0;
  int32_t *next = grid->start + 1;
  memset(next + from, 0, (size_t)(to - from) * sizeof *next);
  for (size_t m = 0; m < grid->members; m++)
    if (grid->cell[m] >= from && grid->cell[m] < to) next[grid->cell[m]]++;
  for (int32_t c = from; c < to; c++) {
    int32_t here = next[c];
    next[c] = sum;
    sum += here;
  }
  g->count[number] = (size_t)sum;
}

Centre scree_grids_centre(const Grids *g, size_t i) {
  const Record *r = &g->w->record[i];
  Centre c;
  for (int k = 0; k < 3; k++) c.x[k] = (uint32_t)(int64_t)((r->x[k] - g->low[k]) * g->per[k]);
  c.reach = (float)((scree_reach_of(g->w, i) + g->doubt) * g->per_radius);
  return c;
}

/* start[c + 1] grows from the begin of cell c to its end, which is the begin of the next. */
static void order_share(void *context, int number, int threads) {
  const Grids *g = context;
  const ScreeWorld *w = g->w;
  const Grid *grid = g->now;
  int32_t from = (int32_t)scree_pool_begin(cells_in(grid), number, threads),
          to = (int32_t)scree_pool_begin(cells_in(grid), number + 1, threads), before = 0;
  int32_t *next = grid->start + 1;
  for (int t = 0; t < number; t++) before += (int32_t)g->count[t];
  for (int32_t c = from; c < to; c++) next[c] += before;
  for (size_t m = 0; m < grid->members; m++) {
    if (grid->cell[m] < from || grid->cell[m] >= to) continue;
    size_t i = grain_of(grid, m);
    int32_t at = next[grid->cell[m]]++;
    Centre c = scree_grids_centre(g, i);
    grid->member[at] = (int32_t)i;
    g->slot[i] = at;
    for (int k = 0; k < 3; k++) grid->x[k][at] = c.x[k];
    grid->r[at] = (float)(scree_reach_of(w, i) * g->per_radius);
  }
}

/* How wide its cells must be: a grain finds its partners of its own level in the cells beside its own, and grains of
 * the levels before, which reach as far as `finer`, find theirs within AROUND cells. A billionth is for rounding. */
static double width_of(const Grid *grid, double finer) {
  return (1.0 + 1e-9) * fmax(2.0 * grid->widest, (grid->widest + finer) / AROUND);
}

/* `grain`: those of the level; NULL: all. */
static bool build_grid(Grids *g, Grid *grid, const int32_t *grain, size_t n) {
  Extent box;
  *grid = (Grid){.members = n, .grain = grain};
  g->now = grid;
  grid->widest = enclose(g, &box);
  size_t total = lay_out(g->w, grid, &box, width_of(grid, g->finer)), room = n + NEAR_LANES;
  g->finer = fmax(g->finer, grid->widest);
  grid->start = malloc((total + 1) * sizeof *grid->start);
  grid->member = scree_allocate(room * sizeof *grid->member);
  grid->r = scree_allocate(room * sizeof *grid->r);
  grid->cell = malloc(n * sizeof *grid->cell);
  for (int k = 0; k < 3; k++) grid->x[k] = scree_allocate(room * sizeof *grid->x[k]);
  if (!grid->start || !grid->member || !grid->r || !grid->cell || !grid->x[0] || !grid->x[1] || !grid->x[2])
    return false;
  for (size_t m = n; m < room; m++) { /* read with the last ones, never used */
    grid->member[m] = 0, grid->r[m] = 0.0F;
    for (int k = 0; k < 3; k++) grid->x[k][m] = 0;
  }
  grid->start[0] = 0;
  scree_pool_run(g->w->pool, cells_share, g);
  scree_pool_run(g->w->pool, count_share, g);
  scree_pool_run(g->w->pool, order_share, g);
  free(grid->cell);
  grid->cell = NULL, grid->grain = NULL;
  return true;
}

/* Whole numbers for positions. */
static void choose_numbers(Grids *g) {
  const ScreeWorld *w = g->w;
  Grid all = {.members = w->count};
  Extent box;
  g->now = &all;
  enclose(g, &box);
  g->doubt = 0.0;
  g->per_radius = (1.0 + 1e-5) / w->max_radius; /* what single precision may lose is less */
  for (int k = 0; k < 3; k++) {
    bool periodic = w->def.periodic[k];
    double length = periodic ? w->def.high[k] - w->def.low[k] : fmax(box.most[k] - box.least[k], w->min_radius);
    double one = length * (periodic ? 0x1p-32 : 0x1p-30);
    g->low[k] = periodic ? w->def.low[k] : box.least[k];
    g->per[k] = 1.0 / one;
    g->size[k] = (float)(one / w->max_radius);
    g->doubt += 2.0 * one;
  }
}

/* Grains of several levels: the index of each, level by level. */
static bool build_levels(Grids *g) {
  const ScreeWorld *w = g->w;
  size_t n = w->count, start[LEVELS + 1] = {0}, next[LEVELS];
  int32_t *grain = malloc((n + 1) * sizeof *grain);
  if (!grain) return false;
  for (size_t i = 0; i < n; i++) start[scree_grids_level(g, i) + 1]++;
  for (int level = 0; level < LEVELS; level++) start[level + 1] += start[level];
  memcpy(next, start, sizeof next);
  for (size_t i = 0; i < n; i++) grain[next[scree_grids_level(g, i)]++] = (int32_t)i;
  bool fine = true;
  for (int level = 0; level < g->levels && fine; level++)
    if (start[level + 1] > start[level])
      fine = build_grid(g, &g->level[level], grain + start[level], start[level + 1] - start[level]);
  free(grain);
  return fine;
}

bool scree_grids_build(Grids *g, ScreeWorld *w) {
  size_t threads = (size_t)w->def.threads;
  *g = (Grids){.w = w, .paces = w->bulk.paced ? PACES : 1};
  g->levels = g->paces * (1 + octave_of(w, w->max_radius));
  g->slot = malloc((w->count + 1) * sizeof *g->slot);
  g->count = calloc(threads, sizeof *g->count);
  g->box = calloc(threads, sizeof *g->box);
  g->widest = calloc(threads, sizeof *g->widest);
  if (!g->slot || !g->count || !g->box || !g->widest) return false;
  if (w->count == 0) return true;
  choose_numbers(g);
  return g->levels == 1 ? build_grid(g, &g->level[0], NULL, w->count) : build_levels(g);
}

void scree_grids_free(Grids *g) {
  for (int level = 0; level < LEVELS; level++) {
    Grid *grid = &g->level[level];
    free(grid->start), free(grid->member), free(grid->r), free(grid->cell);
    for (int k = 0; k < 3; k++) free(grid->x[k]);
  }
  free(g->slot), free(g->count), free(g->box), free(g->widest);
}

/* ---- rows ---- */

/* The cells from c - n to c + n, which may reach around a periodic boundary; where they would meet there, all. */
static void span(const ScreeWorld *w, const Grid *g, int axis, int c, int n, int *from, int *to) {
  int cells = g->cells[axis];
  bool wraps = w->def.periodic[axis] && cells > 2 * n;
  *from = wraps ? c - n : c > n ? c - n : 0;
  *to = wraps ? c + n : c < cells - 1 - n ? c + n : cells - 1;
  if (w->def.periodic[axis] && !wraps) *from = 0, *to = cells - 1;
}

static int around(int c, int cells) { return c < 0 ? c + cells : c >= cells ? c - cells : c; }

/* Cells x0 ... x1 of a row, which may reach around a periodic boundary. */
static int add_row(const Grid *g, int x0, int x1, int y, int z, Row *row) {
  int n = g->cells[0], rows = 0;
  if (x0 < 0) rows += add_row(g, n + x0, n - 1, y, z, row + rows);
  if (x1 >= n) rows += add_row(g, 0, x1 - n, y, z, row + rows);
  int from = x0 < 0 ? 0 : x0, to = x1 >= n ? n - 1 : x1;
  size_t first = cell_index(g, (int[]){from, y, z}), last = cell_index(g, (int[]){to, y, z});
  row[rows] = (Row){g->start[first], g->start[last + 1]};
  return rows + 1;
}

/* All cells that a reach leads into: no more than AROUND on either side (width_of). */
static int rows_around(const ScreeWorld *w, const Grid *g, const int *c, double reach, Row *row) {
  int from[3], to[3], rows = 0;
  for (int k = 0; k < 3; k++) {
    int n = 1;
    while (n < AROUND && n < reach * g->per_width[k]) n++;
    span(w, g, k, c[k], n, &from[k], &to[k]);
  }
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++)
      rows += add_row(g, from[0], to[0], around(y, g->cells[1]), around(z, g->cells[2]), row + rows);
  return rows;
}

/* The neighbouring row at an offset; false when there is none. */
static bool neighbour(const ScreeWorld *w, const Grid *g, int axis, int c, int offset, int *result) {
  int n = g->cells[axis], at = c + offset;
  if (at >= 0 && at < n) {
    *result = at;
    return true;
  }
  if (!w->def.periodic[axis] || n < 3) return false; /* with fewer than three cells all are neighbours as they are */
  *result = around(at, n);
  return true;
}

/* The own cell behind the grain, then the cells that come after it: each pair of cells is met once. */
static int rows_ahead(const ScreeWorld *w, const Grid *g, const int *c, int32_t slot, Row *row) {
  int x0, x1, y, z, rows = 0;
  size_t own = cell_index(g, c);
  span(w, g, 0, c[0], 1, &x0, &x1);
  row[rows++] = (Row){slot + 1, g->start[own + 1]};
  if (x1 > c[0]) rows += add_row(g, c[0] + 1, c[0] + 1, c[1], c[2], row + rows);
  for (int r = 1; r < 5; r++) { /* (dy, dz) = (1, 0), (-1, 1), (0, 1), (1, 1) */
    int dy = r == 1 ? 1 : r - 3, dz = r > 1;
    if (neighbour(w, g, 2, c[2], dz, &z) && neighbour(w, g, 1, c[1], dy, &y))
      rows += add_row(g, x0, x1, y, z, row + rows);
  }
  return rows;
}

/* The same for a cell with neighbours on all sides. */
static int rows_inside(const Grid *g, const int *c, int32_t slot, Row *row) {
  const int32_t *own = g->start + cell_index(g, c);
  ptrdiff_t y = g->cells[0], z = (ptrdiff_t)g->cells[0] * g->cells[1];
  row[0] = (Row){slot + 1, own[2]};
  row[1] = (Row){own[y - 1], own[y + 2]};
  for (int dy = -1; dy <= 1; dy++) row[3 + dy] = (Row){own[z + dy * y - 1], own[z + dy * y + 2]};
  return 5;
}

int scree_grids_rows(const Grids *g, size_t i, int own, int level, Row *row, bool *later) {
  const ScreeWorld *w = g->w;
  const Grid *grid = &g->level[level];
  bool inside = true;
  int c[3];
  *later = level == own && !grid->half;
  if (grid->members == 0) return 0;
  for (int k = 0; k < 3; k++) {
    c[k] = cell_of(grid, k, w->record[i].x[k]);
    inside = inside && c[k] > 0 && c[k] < grid->cells[k] - 1;
  }
  if (level != own || !grid->half) return rows_around(w, grid, c, scree_reach_of(w, i) + grid->widest, row);
  return inside ? rows_inside(grid, c, g->slot[i], row) : rows_ahead(w, grid, c, g->slot[i], row);
}
