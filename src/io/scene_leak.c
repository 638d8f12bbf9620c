/* scene_leak.c: grains that a mesh does not hold: some of a fill lie on its other side, or it has a gap where they are.
 *
 *   sides   A grain and a neighbour of the same fill are together when nothing of a mesh is on the straight way between
 *           them: grains around a shaft, a blade or a screw are, since there is a way around. Openings are closed for
 *           this, or all space would be one:
 *
 *             chimney | |     a flat rim whose surface ends upwards is prolonged upwards: what lies above it falls in
 *                    \   /
 *                     \ /
 *               cap   ---     any other flat rim is closed by triangles from its middle
 *
 *           Rims that another mesh continues are no openings, and neither are rims that are not flat. Groups of
 *           grains that are together are on two sides where neighbours of both have a mesh or an opening between them.
 *   gaps    A rim whose edges face each other across it interrupts the surface, as missing triangles do; the edges of
 * an outlet, a tube's end or a plate look past each other. It is meant where it is round, one of many alike (a sieve),
 * the lowest or highest end of the mesh, or named by an outlet. Otherwise it is a gap when the smallest grain fits into
 * it, nothing closes it, and grains lie at that height, in sight, on one side only.
 *
 * Each grain is compared with some twenty neighbours, in cells; a way is looked up in a tree of boxes. */
#include "io/scene_keys.h"

#include "core/region.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UPWARDS 0.3  /* mean cosine of a rim's edges with up, from which on it is prolonged */
#define ON_IT 0.25   /* of the distance from an edge: a place on the arc around it is on a surface */
#define NEAR 1.6     /* m per mean distance of grains: within it they are neighbours */
#define FACING -0.3  /* cosine of edges that face each other */
#define AHEAD 0.5    /* cosine of an edge's direction and the way to the edge that it faces */
#define ALIKE 1e-3   /* of the length: rims of a sieve */
#define LEVEL 0.01   /* of the mesh's height: a rim at its end */
#define SMALL 0.25   /* of the area of the largest rim at that end: too small to be meant */
#define ONE_SIDE 0.9 /* of the grains in sight */
enum {
  SIEVE = 8,        /* rims alike */
  MOST_RIMS = 2000, /* of a mesh, the longest */
  EDGES = 64,       /* of a rim, looked at for what goes on from them */
  ARC = 8,          /* places on either half of the arc around an edge, 15 degrees apart */
  SAMPLES = 512,    /* of a rim, looked at for gaps */
  PER_EDGE = 8,
  SEEN = 24,     /* grains that are nearest to a rim */
  LONELY = 64,   /* grains together that are looked for farther away */
  TRIES = 20000, /* such grains */
};

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void minus(const double *a, const double *b, double *c) {
  for (int k = 0; k < 3; k++) c[k] = a[k] - b[k];
}
static void cross(const double *a, const double *b, double *c) {
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* ---- triangles ---- */

typedef struct Soup {
  double (*vertex)[3];
  uint32_t (*triangle)[3];
  size_t vertices, triangles, vertex_room, triangle_room;
  bool failed;
} Soup;

static bool grow(void **at, size_t *room, size_t count, size_t size) {
  if (count <= *room) return true;
  size_t wanted = *room ? 2 * *room : 1024;
  while (wanted < count) wanted *= 2;
  void *grown = realloc(*at, wanted * size);
  if (!grown) return false;
  *at = grown, *room = wanted;
  return true;
}

static uint32_t add_vertex(Soup *s, const double *x) {
  if (!grow((void **)&s->vertex, &s->vertex_room, s->vertices + 1, sizeof *s->vertex)) return s->failed = true, 0;
  memcpy(s->vertex[s->vertices], x, sizeof *s->vertex);
  return (uint32_t)s->vertices++;
}

static void add_triangle(Soup *s, uint32_t a, uint32_t b, uint32_t c) {
  if (!grow((void **)&s->triangle, &s->triangle_room, s->triangles + 1, sizeof *s->triangle)) {
    s->failed = true;
    return;
  }
  uint32_t t[3] = {a, b, c};
  memcpy(s->triangle[s->triangles++], t, sizeof t);
}

static ScreeStatus mesh_of(const Soup *s, ScreeMesh **mesh) {
  ScreeMeshDef def = {(const double(*)[3])s->vertex, s->vertices, (const uint32_t(*)[3])s->triangle, s->triangles};
  if (s->failed) return scree_fail(SCREE_NO_MEMORY, "no memory to look for leaks");
  return scree_mesh_create(&def, mesh);
}

/* ---- the scene ---- */

/* The grains of a fill, in cells. */
typedef struct Fill {
  double (*x)[3];
  size_t count;
  double low[3], high[3], smallest, largest;
  double width; /* m, of a cell: neighbours are nearer */
  int64_t cells[3];
  size_t *first; /* of each cell, in `member` */
  size_t *member;
  uint32_t *parent; /* grains that are together have one root */
  size_t *size;     /* of each root */
  bool *clear;      /* of each cell: no mesh is near */
} Fill;

typedef struct Leaks {
  const ScreeScene *scene;
  ScreeWorldDef space;
  double up[3];      /* unit vector; zero without gravity */
  ScreeMesh *plain;  /* all meshes that are there at the start */
  ScreeMesh *closed; /* with their openings closed */
  const ScreeGrain *grain;
  size_t grains;
  ScreeLeak *leak;
  size_t count;
} Leaks;

static bool is_there(const ScreeSceneWall *w) { return isnan(w->insert_at); }
static bool is_mesh(const ScreeSceneWall *w) { return w->mesh.mesh && is_there(w); }

static const char *wall_name(const Leaks *l, size_t wall, char text[80]) {
  const ScreeSceneWall *w = scree_scene_wall(l->scene, wall);
  if (w->name)
    snprintf(text, 80, "\"%.60s\"", w->name);
  else
    snprintf(text, 80, "of wall %zu", wall);
  return text;
}

/* ---- openings are closed ---- */

static void middle_of(const ScreeRim *r, size_t edge, double part, double *x) {
  const double *a = r->corner[edge], *b = r->corner[r->closed ? (edge + 1) % r->edges : edge + 1];
  for (int k = 0; k < 3; k++) x[k] = a[k] + part * (b[k] - a[k]);
}

/* Does a surface go on from an edge, at any angle? Looked for on an arc around it, from 60 degrees off its triangle on.
 */
static bool is_continued(const Leaks *l, const ScreeRim *r, size_t e, double away) {
  double a[3], b[3], along[3], across[3], middle[3];
  middle_of(r, e, 0.0, a), middle_of(r, e, 1.0, b), middle_of(r, e, 0.5, middle);
  minus(b, a, along);
  cross(along, r->out[e], across);
  double size = sqrt(dot(along, along));
  for (int i = -ARC; i <= ARC; i++) {
    double x[3], angle = i * (2.0 / 3.0 * acos(-1.0)) / ARC;
    for (int k = 0; k < 3; k++) x[k] = middle[k] + away * (cos(angle) * r->out[e][k] + sin(angle) * across[k] / size);
    if (scree_mesh_distance(l->plain, x) < ON_IT * away) return true;
  }
  return false;
}

/* Does no other part of a mesh begin at most of its edges? */
static bool is_free(const Leaks *l, const ScreeRim *r, double away) {
  size_t step = r->edges / EDGES + 1, looked = 0, continued = 0;
  for (size_t e = 0; e < r->edges; e += step, looked++) continued += is_continued(l, r, e, away);
  return 2 * continued < looked;
}

static void close_rim(const Leaks *l, const ScreeRim *r, Soup *s) {
  double lean = 0.0, rise[3], tall = 0.0;
  for (size_t e = 0; e < r->edges; e++) {
    double a[3], b[3], along[3];
    middle_of(r, e, 0.0, a), middle_of(r, e, 1.0, b);
    minus(b, a, along);
    lean += sqrt(dot(along, along)) / r->length * dot(r->out[e], l->up);
  }
  for (int k = 0; k < 3; k++) tall += 2.0 * (l->space.high[k] - l->space.low[k]);
  for (int k = 0; k < 3; k++) rise[k] = tall * l->up[k];
  uint32_t first = (uint32_t)s->vertices, count = (uint32_t)r->edges;
  for (size_t e = 0; e < r->edges; e++) add_vertex(s, r->corner[e]);
  for (size_t e = 0; e < r->edges && lean > UPWARDS; e++) {
    double x[3] = {r->corner[e][0] + rise[0], r->corner[e][1] + rise[1], r->corner[e][2] + rise[2]};
    add_vertex(s, x);
  }
  uint32_t middle = lean > UPWARDS ? 0 : add_vertex(s, r->centre);
  for (uint32_t e = 0; e < count; e++) {
    uint32_t a = first + e, b = first + (e + 1) % count;
    if (lean > UPWARDS)
      add_triangle(s, a, b, b + count), add_triangle(s, a, b + count, a + count);
    else
      add_triangle(s, a, b, middle);
  }
}

static ScreeStatus close_all(Leaks *l, double radius) {
  Soup s = {.failed = false};
  for (size_t i = 0; i < l->scene->walls.count; i++) {
    const ScreeSceneWall *w = scree_scene_wall(l->scene, i);
    if (!is_mesh(w)) continue;
    ScreeMeshDef d = scree_mesh_def(w->mesh.mesh);
    uint32_t first = (uint32_t)s.vertices;
    for (size_t v = 0; v < d.vertices; v++) add_vertex(&s, d.vertex[v]);
    for (size_t t = 0; t < d.triangles; t++)
      add_triangle(&s, first + d.triangle[t][0], first + d.triangle[t][1], first + d.triangle[t][2]);
  }
  ScreeStatus status = mesh_of(&s, &l->plain);
  for (size_t i = 0; i < l->scene->walls.count && status == SCREE_OK; i++) {
    const ScreeSceneWall *w = scree_scene_wall(l->scene, i);
    for (size_t n = 0; is_mesh(w) && n < w->mesh.rims->count && n < MOST_RIMS; n++) {
      const ScreeRim *r = &w->mesh.rims->rim[n];
      if (r->closed && r->flat && is_free(l, r, fmin(radius, 0.25 * sqrt(r->area)))) close_rim(l, r, &s);
    }
  }
  if (status == SCREE_OK) status = mesh_of(&s, &l->closed);
  free(s.vertex), free(s.triangle);
  return status;
}

/* ---- the grains of a fill ---- */

static int64_t cell_along(const Fill *f, int axis, double x) {
  double cell = floor((x - f->low[axis]) / f->width);
  return cell < 0.0 ? 0 : cell >= (double)f->cells[axis] ? f->cells[axis] - 1 : (int64_t)cell;
}

static size_t cell_of(const Fill *f, const double *x) {
  return (size_t)((cell_along(f, 2, x[2]) * f->cells[1] + cell_along(f, 1, x[1])) * f->cells[0] +
                  cell_along(f, 0, x[0]));
}

static size_t all_cells(const Fill *f) { return (size_t)(f->cells[0] * f->cells[1] * f->cells[2]); }

/* Grains of its material whose centre lies in its region: other groups at the same place are the same to a vessel. */
static bool collect(const Leaks *l, const ScreeSceneParticles *group, Fill *f) {
  bool fill = group->form == SCREE_KEY_particles_fill;
  ScreeRegion region = {.shape = SCREE_REGION_BOX};
  if (fill) region = scree_shape_region(&group->region);
  if (!fill) memcpy(region.low, group->lattice.low, 24), memcpy(region.high, group->lattice.high, 24);
  *f = (Fill){.x = malloc((l->grains + 1) * sizeof *f->x), .smallest = INFINITY};
  for (int k = 0; k < 3; k++) f->low[k] = INFINITY, f->high[k] = -INFINITY;
  for (size_t i = 0; f->x && i < l->grains; i++) {
    const ScreeGrain *g = &l->grain[i];
    if (g->fixed || g->material != group->material_id || !scree_region_holds(&region, g->position)) continue;
    memcpy(f->x[f->count++], g->position, sizeof *f->x);
    f->smallest = fmin(f->smallest, g->radius), f->largest = fmax(f->largest, g->radius);
    for (int k = 0; k < 3; k++)
      f->low[k] = fmin(f->low[k], g->position[k]), f->high[k] = fmax(f->high[k], g->position[k]);
  }
  return f->x != NULL;
}

static void choose_width(Fill *f) {
  double volume = 1.0;
  for (int k = 0; k < 3; k++) volume *= fmax(f->high[k] - f->low[k], 2.0 * f->largest);
  f->width = fmax(NEAR * cbrt(volume / (double)f->count), 2.5 * f->largest);
  for (double cells = INFINITY; cells > 4.0 * (double)f->count + 64.0; f->width *= 1.26) {
    cells = 1.0;
    for (int k = 0; k < 3; k++) {
      f->cells[k] = (int64_t)fmin(fmax(floor((f->high[k] - f->low[k]) / f->width) + 1.0, 1.0), 1e6);
      cells *= (double)f->cells[k];
    }
    if (cells <= 4.0 * (double)f->count + 64.0) break;
  }
}

static bool sort_into_cells(const Leaks *l, Fill *f) {
  choose_width(f);
  f->first = calloc(all_cells(f) + 2, sizeof *f->first);
  f->member = malloc((f->count + 1) * sizeof *f->member);
  f->parent = malloc((f->count + 1) * sizeof *f->parent);
  f->size = calloc(f->count + 1, sizeof *f->size);
  f->clear = calloc(all_cells(f) + 1, sizeof *f->clear);
  if (!(f->first && f->member && f->parent && f->size && f->clear)) return false;
  for (size_t i = 0; i < f->count; i++) f->first[cell_of(f, f->x[i]) + 2]++, f->parent[i] = (uint32_t)i;
  for (size_t c = 0; c < all_cells(f); c++) f->first[c + 1] += f->first[c];
  for (size_t i = 0; i < f->count; i++) f->member[f->first[cell_of(f, f->x[i]) + 1]++] = i;
  for (size_t c = 0; c < all_cells(f); c++) { /* a way of a cell's width from there meets nothing */
    int64_t at[3] = {(int64_t)c % f->cells[0], (int64_t)c / f->cells[0] % f->cells[1],
                     (int64_t)c / (f->cells[0] * f->cells[1])};
    double x[3];
    if (f->first[c] == f->first[c + 1]) continue;
    for (int k = 0; k < 3; k++) x[k] = f->low[k] + ((double)at[k] + 0.5) * f->width;
    f->clear[c] = scree_mesh_distance(l->closed, x) > (1.0 + 0.5 * sqrt(3.0)) * f->width;
  }
  return true;
}

static void free_fill(Fill *f) {
  free(f->x), free(f->first), free(f->member), free(f->parent), free(f->size), free(f->clear);
}

/* ---- together ---- */

static uint32_t root_of(Fill *f, size_t i) {
  uint32_t at = (uint32_t)i;
  while (f->parent[at] != at) at = f->parent[at] = f->parent[f->parent[at]];
  return at;
}

static void unite(Fill *f, size_t i, size_t j) {
  uint32_t a = root_of(f, i), b = root_of(f, j);
  f->parent[a < b ? b : a] = a < b ? a : b;
}

/* What is done with a grain and another one that is seen from x, a place of its own or of its image. */
typedef void Pairing(const Leaks *l, Fill *f, size_t i, size_t j, const double *x, void *context);

static void around(const Leaks *l, Fill *f, size_t i, const double *x, int64_t cells, Pairing *act, void *context) {
  double within = (double)cells * f->width;
  int64_t low[3], high[3];
  for (int k = 0; k < 3; k++) {
    if (x[k] < f->low[k] - within || x[k] > f->high[k] + within) return;
    low[k] = cell_along(f, k, x[k] - within), high[k] = cell_along(f, k, x[k] + within);
  }
  for (int64_t c = low[2]; c <= high[2]; c++)
    for (int64_t b = low[1]; b <= high[1]; b++)
      for (int64_t a = low[0]; a <= high[0]; a++) {
        size_t cell = (size_t)((c * f->cells[1] + b) * f->cells[0] + a);
        for (size_t n = f->first[cell]; n < f->first[cell + 1]; n++) {
          double to[3];
          minus(f->x[f->member[n]], x, to);
          if (f->member[n] != i && dot(to, to) <= within * within) act(l, f, i, f->member[n], x, context);
        }
      }
}

/* The same around the images of a grain where the domain is periodic. */
static void around_all(const Leaks *l, Fill *f, size_t i, int64_t cells, Pairing *act, void *context) {
  for (int n = 0; n < 27; n++) {
    double x[3];
    bool image = true;
    for (int k = 0, rest = n; k < 3; k++, rest /= 3) {
      int shift = (rest + 1) % 3 - 1; /* 0, 1, -1 */
      image = image && (shift == 0 || l->space.periodic[k]);
      x[k] = f->x[i][k] + shift * (l->space.high[k] - l->space.low[k]);
    }
    if (image) around(l, f, i, x, cells, act, context);
  }
}

/* No longer than a cell's width: cells without a mesh nearby know. */
static bool is_blocked(const Leaks *l, const Fill *f, const double *x, size_t j) {
  return !f->clear[cell_of(f, f->x[j])] && scree_mesh_crosses(l->closed, x, f->x[j]);
}

static void join(const Leaks *l, Fill *f, size_t i, size_t j, const double *x, void *context) {
  (void)context;
  if (root_of(f, i) != root_of(f, j) && !is_blocked(l, f, x, j)) unite(f, i, j);
}

static void join_far(const Leaks *l, Fill *f, size_t i, size_t j, const double *x, void *context) {
  (void)context;
  if (root_of(f, i) != root_of(f, j) && !scree_mesh_crosses(l->closed, x, f->x[j])) unite(f, i, j);
}

static uint32_t count_groups(Fill *f) {
  uint32_t largest = root_of(f, 0);
  memset(f->size, 0, f->count * sizeof *f->size);
  for (size_t i = 0; i < f->count; i++) f->size[root_of(f, i)]++;
  for (size_t i = 0; i < f->count; i++)
    if (f->size[i] > f->size[largest]) largest = (uint32_t)i;
  return largest;
}

/* A few grains that a corner hides from their neighbours may see others farther away. */
static uint32_t join_lonely(const Leaks *l, Fill *f, uint32_t main) {
  size_t tries = 0;
  for (size_t i = 0; i < f->count && tries < TRIES; i++) {
    size_t root = root_of(f, i);
    if (root == main || f->size[root] > LONELY) continue;
    tries++;
    around_all(l, f, i, 3, join_far, NULL);
  }
  return count_groups(f);
}

/* ---- both sides ---- */

typedef struct Sides {
  uint32_t main;
  bool *other;    /* of each root: it lies beyond */
  size_t *blocks; /* of each wall: pairs that it separates */
  size_t at[2];   /* a grain of either side */
} Sides;

static void separate(const Leaks *l, Fill *f, size_t i, size_t j, const double *x, void *context) {
  Sides *s = context;
  uint32_t a = root_of(f, i), b = root_of(f, j);
  if (a != s->main || b == s->main || !is_blocked(l, f, x, j)) return;
  s->other[b] = true;
  s->at[0] = i, s->at[1] = j;
  for (size_t w = 0; w < l->scene->walls.count; w++) {
    const ScreeSceneWall *wall = scree_scene_wall(l->scene, w);
    if (is_mesh(wall)) s->blocks[w] += scree_mesh_crosses(wall->mesh.mesh, x, f->x[j]);
  }
}

static size_t most_of(const Leaks *l, const size_t *blocks) {
  size_t most = SIZE_MAX;
  for (size_t w = 0; w < l->scene->walls.count; w++)
    if (is_mesh(scree_scene_wall(l->scene, w)) && (most == SIZE_MAX || blocks[w] > blocks[most])) most = w;
  return most;
}

static const ScreeNode *place_of(const ScreeSceneParticles *group) {
  const ScreeNode *node = scree_node_value(group->item.node, scree_keys[group->form].name, NULL);
  return node ? node : group->item.node;
}

static void tell_sides(Leaks *l, size_t group, const Fill *f, const Sides *s, size_t beyond) {
  const ScreeSceneParticles *p = scree_scene_particles(l->scene, group);
  const double *a = f->x[s->at[0]], *b = f->x[s->at[1]];
  size_t wall = most_of(l, s->blocks);
  char name[80];
  if (l->count == SCREE_SCENE_LEAKS) return;
  ScreeLeak *leak = &l->leak[l->count++];
  *leak = (ScreeLeak){.group = group, .wall = wall, .grains = {f->size[s->main], beyond}};
  scree_blame(&leak->fault, place_of(p), SCREE_OK,
              "the grains of this %s lie on both sides of the mesh %s: %zu on one (as at [%.4g, %.4g, %.4g] m), %zu on "
              "the other (as at [%.4g, %.4g, %.4g] m); does its region reach out of the vessel?",
              scree_keys[p->form].name, wall_name(l, wall, name), leak->grains[0], a[0], a[1], a[2], leak->grains[1],
              b[0], b[1], b[2]);
}

static ScreeStatus find_sides(Leaks *l, size_t group, Fill *f) {
  Sides s = {.other = calloc(f->count + 1, sizeof *s.other),
             .blocks = calloc(l->scene->walls.count + 1, sizeof *s.blocks)};
  size_t beyond = 0;
  if (s.other && s.blocks) {
    for (size_t i = 0; i < f->count; i++) around_all(l, f, i, 1, join, NULL);
    s.main = join_lonely(l, f, count_groups(f));
    for (size_t i = 0; i < f->count && f->size[s.main] < f->count; i++) around_all(l, f, i, 1, separate, &s);
    for (size_t i = 0; i < f->count; i++) beyond += s.other[root_of(f, i)];
    if (beyond > 0) tell_sides(l, group, f, &s, beyond);
  }
  bool done = s.other && s.blocks;
  free(s.other), free(s.blocks);
  return done ? SCREE_OK : scree_fail(SCREE_NO_MEMORY, "no memory to look for leaks");
}

/* ---- gaps ---- */

/* A place on a rim, the direction that leads on from its edge, and the normal of the surface. */
typedef struct Sample {
  double x[3], out[3], normal[3];
} Sample;

static size_t take_samples(const ScreeRim *r, Sample *sample) {
  size_t count = 0, step = r->edges / SAMPLES + 1;
  for (size_t e = 0; e < r->edges; e += step) {
    double a[3], b[3], along[3];
    middle_of(r, e, 0.0, a), middle_of(r, e, 1.0, b);
    minus(b, a, along);
    double parts = fmin(fmax(ceil(sqrt(dot(along, along)) / r->length * SAMPLES / 4), 1.0), PER_EDGE);
    for (double p = 0.5; p < parts && count < SAMPLES; p += 1.0) {
      Sample *s = &sample[count++];
      middle_of(r, e, p / parts, s->x);
      memcpy(s->out, r->out[e], sizeof s->out);
      cross(s->out, along, s->normal);
    }
  }
  return count;
}

static bool faces_another(const Sample *sample, size_t count, const Sample *s) {
  for (size_t i = 0; i < count; i++) {
    double to[3];
    minus(sample[i].x, s->x, to);
    if (dot(sample[i].out, s->out) < FACING && dot(to, s->out) > AHEAD * sqrt(dot(to, to))) return true;
  }
  return false;
}

/* Does a ball of this radius, beside the edge, touch nothing? */
static bool fits(const Leaks *l, const double *x, double radius) {
  for (int k = 0; k < 3; k++)
    if (!l->space.periodic[k] && !(x[k] > l->space.low[k] && x[k] < l->space.high[k])) return false;
  for (size_t w = 0; w < l->scene->walls.count; w++) {
    const ScreeSceneWall *wall = scree_scene_wall(l->scene, w);
    if (is_there(wall) && !(scree_wall_distance_in(&l->space, &wall->def, x) >= 0.9 * radius)) return false;
  }
  return true;
}

typedef struct Seen {
  size_t grain[SEEN], count;
  double distance2[SEEN];
} Seen;

static void note_seen(const Leaks *l, Fill *f, size_t i, size_t j, const double *x, void *context) {
  Seen *s = context;
  double to[3];
  (void)l, (void)i;
  minus(f->x[j], x, to);
  double d2 = dot(to, to);
  size_t at = s->count < SEEN ? s->count++ : SEEN;
  for (; at > 0 && s->distance2[at - 1] > d2; at--)
    if (at < SEEN) s->distance2[at] = s->distance2[at - 1], s->grain[at] = s->grain[at - 1];
  if (at < SEEN) s->distance2[at] = d2, s->grain[at] = j;
}

/* The nearest grains lie at this height, in sight, and on one side of the surface. */
static bool grains_are_at(const Leaks *l, Fill *f, const Sample *s, const double *x) {
  Seen seen = {.count = 0};
  int64_t most = f->cells[0] + f->cells[1] + f->cells[2];
  double height = dot(x, l->up), there = 0.0, sight = 0.0;
  for (int64_t cells = 1; seen.count < SEEN; cells *= 2) {
    seen.count = 0;
    double to[3];
    for (int k = 0; k < 3; k++) to[k] = fmin(fmax(x[k], f->low[k]), f->high[k]); /* from far: where the fill is near */
    around(l, f, SIZE_MAX, to, cells, note_seen, &seen);
    if (cells > most) break;
  }
  bool reached = false;
  for (size_t i = 0; i < seen.count; i++) {
    const double *g = f->x[seen.grain[i]];
    double to[3];
    if (scree_mesh_crosses(l->plain, x, g)) continue;
    minus(g, s->x, to);
    reached =
        reached || dot(to, to) < 16.0 * f->largest * f->largest || (dot(l->up, l->up) > 0.0 && dot(g, l->up) > height);
    sight += 1.0, there += dot(to, s->normal) > 0.0;
  }
  return reached && fmax(there, sight - there) >= ONE_SIDE * sight;
}

static bool is_named(const Leaks *l, const ScreeRim *r) {
  for (size_t o = 0; o < l->scene->outlets.count; o++)
    if (scree_scene_opening_rim(l->scene, scree_scene_outlet(l->scene, o)) == r) return true;
  return false;
}

static size_t count_alike(const ScreeRims *rims, size_t n) {
  size_t low = n, high = n + 1;
  double length = rims->rim[n].length;
  while (low > 0 && rims->rim[low - 1].length <= length * (1.0 + ALIKE) && n - low < SIEVE) low--;
  while (high < rims->count && rims->rim[high].length >= length * (1.0 - ALIKE) && high - n < SIEVE) high++;
  return high - low;
}

static bool is_around(const ScreeRim *outer, const ScreeRim *inner) {
  bool in = true;
  for (int k = 0; k < 3; k++) {
    double slack = 1e-9 * outer->length;
    in = in && outer->low[k] <= inner->low[k] + slack && outer->high[k] >= inner->high[k] - slack;
  }
  return in;
}

/* Level, at the lowest or highest end of its mesh, and not small beside another one there. */
static bool is_end(const Leaks *l, const ScreeSceneWall *w, const ScreeRim *r) {
  ScreeMeshDef d = scree_mesh_def(w->mesh.mesh);
  double low = INFINITY, high = -INFINITY, height = dot(r->centre, l->up);
  if (!r->flat || r->edges == 3 || !(fabs(dot(r->normal, l->up)) > 0.98)) return false; /* of one triangle: never */
  for (size_t v = 0; v < d.vertices; v++) {
    double z = dot(d.vertex[v], l->up);
    low = fmin(low, z), high = fmax(high, z);
  }
  double slack = LEVEL * (high - low) + 1e-9 * r->length;
  if (height > low + slack && height < high - slack) return false;
  for (size_t n = 0; n < w->mesh.rims->count && n < MOST_RIMS; n++) {
    const ScreeRim *q = &w->mesh.rims->rim[n];
    bool beside = q->flat && fabs(dot(q->centre, l->up) - height) <= slack && !is_around(q, r);
    if (beside && r->area < SMALL * q->area) return false;
  }
  return true;
}

static bool is_meant(const Leaks *l, const ScreeSceneWall *w, size_t n) {
  const ScreeRim *r = &w->mesh.rims->rim[n];
  return !r->closed || !(r->area > 0.0) || !isnan(r->radius) || count_alike(w->mesh.rims, n) >= SIEVE ||
         is_named(l, r) || is_end(l, w, r);
}

static bool is_gap(const Leaks *l, Fill *f, const ScreeRim *r, Sample *sample) {
  size_t count = take_samples(r, sample);
  for (size_t i = 0; i < count; i++) {
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = sample[i].x[k] + f->smallest * sample[i].out[k];
    if (faces_another(sample, count, &sample[i]) && fits(l, x, f->smallest) && grains_are_at(l, f, &sample[i], x))
      return true;
  }
  return false;
}

static void tell_gap(Leaks *l, size_t group, size_t wall, size_t n, size_t grains) {
  const ScreeSceneWall *w = scree_scene_wall(l->scene, wall);
  const ScreeRim *r = &w->mesh.rims->rim[n];
  const ScreeNode *node = scree_node_value(w->item.node, "mesh", NULL);
  char name[80], through[140] = "";
  for (size_t i = 0; i < l->count; i++)
    if (l->leak[i].wall == wall && l->leak[i].rim == n + 1) return; /* for another group */
  if (l->count == SCREE_SCENE_LEAKS) return;
  ScreeLeak *leak = &l->leak[l->count++];
  *leak = (ScreeLeak){.group = group, .wall = wall, .rim = n + 1, .grains = {grains, 0}};
  if (w->name) snprintf(through, sizeof through, " (through: {mesh: %.60s, rim: %zu})", w->name, n + 1);
  scree_blame(&leak->fault, node ? node : w->item.node, SCREE_OK,
              "rim %zu of the mesh %s, %.3g m around [%.4g, %.4g, %.4g] m, is a gap in its surface where grains are: "
              "they leave through it; are triangles missing? One that is meant is named by an outlet%s",
              n + 1, wall_name(l, wall, name), r->length, r->centre[0], r->centre[1], r->centre[2], through);
}

static ScreeStatus find_gaps(Leaks *l, size_t group, Fill *f) {
  Sample *sample = malloc(SAMPLES * sizeof *sample);
  if (!sample) return scree_fail(SCREE_NO_MEMORY, "no memory to look for leaks");
  for (size_t i = 0; i < l->scene->walls.count; i++) {
    const ScreeSceneWall *w = scree_scene_wall(l->scene, i);
    for (size_t n = 0; is_mesh(w) && n < w->mesh.rims->count && n < MOST_RIMS; n++)
      if (!is_meant(l, w, n) && is_gap(l, f, &w->mesh.rims->rim[n], sample)) tell_gap(l, group, i, n, f->count);
  }
  free(sample);
  return SCREE_OK;
}

/* ---- the whole ---- */

static ScreeStatus look_at(Leaks *l, size_t group) {
  Fill f = {.x = NULL};
  bool done = collect(l, scree_scene_particles(l->scene, group), &f) && (f.count == 0 || sort_into_cells(l, &f));
  ScreeStatus status = done ? SCREE_OK : scree_fail(SCREE_NO_MEMORY, "no memory to look for leaks");
  if (status == SCREE_OK && f.count > 0) status = find_sides(l, group, &f);
  if (status == SCREE_OK && f.count > 0) status = find_gaps(l, group, &f);
  free_fill(&f);
  return status;
}

static ScreeStatus look_at_all(Leaks *l) {
  const ScreeScene *s = l->scene;
  double g = sqrt(dot(s->gravity, s->gravity)), radius = INFINITY;
  for (int k = 0; k < 3; k++) l->up[k] = g > 0.0 ? -s->gravity[k] / g : 0.0;
  for (size_t i = 0; i < l->grains; i++) radius = fmin(radius, l->grain[i].radius);
  l->space = scree_world_def_default();
  memcpy(l->space.low, s->domain.low, sizeof l->space.low);
  memcpy(l->space.high, s->domain.high, sizeof l->space.high);
  memcpy(l->space.periodic, s->domain.periodic, sizeof l->space.periodic);
  SCREE_TRY(close_all(l, radius));
  for (size_t i = 0; i < s->particles.count; i++) {
    int form = scree_scene_particles(s, i)->form;
    if (form == SCREE_KEY_particles_fill || form == SCREE_KEY_particles_lattice) SCREE_TRY(look_at(l, i));
  }
  return SCREE_OK;
}

ScreeStatus scree_scene_leaks(const ScreeScene *scene, const ScreeWorld *world, ScreeLeak leaks[SCREE_SCENE_LEAKS],
                              size_t *count) {
  bool any = false;
  for (size_t i = 0; i < scene->walls.count; i++) any = any || is_mesh(scree_scene_wall(scene, i));
  *count = 0;
  Leaks l = {.scene = scene, .leak = leaks, .grains = scree_world_count(world)};
  if (!any || l.grains == 0) return SCREE_OK;
  ScreeGrain *grain = malloc(l.grains * sizeof *grain);
  ScreeStatus status =
      grain ? scree_world_read(world, grain) : scree_fail(SCREE_NO_MEMORY, "no memory to look for leaks");
  l.grain = grain;
  if (status == SCREE_OK) status = look_at_all(&l);
  scree_mesh_destroy(l.plain), scree_mesh_destroy(l.closed);
  free(grain);
  if (status == SCREE_OK) *count = l.count;
  return status;
}
