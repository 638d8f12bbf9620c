/* scene_place.c: groups of particles become grains. Nothing overlaps at the start: every grain is tested against those
 * before it (hashed cells as wide as the largest grain) and against the walls. Places, radii and velocities are random
 * numbers of (seed, group, grain, attempt), so that a scene always gives the same grains. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/scene_keys.h"

#include "core/region.h"
#include "core/sizes.h"
#include "core/status.h"
#include "io/grain_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ATTEMPTS 10000      /* at a place for one grain before the region counts as full */
#define BYTES_PER_GRAIN 600 /* of a run, about: beyond the machine's memory a count is refused */
#define GAP 1e-6            /* between the grains of an automatic lattice, over their size */
#define TOUCHING 1e-9       /* overlap over size that is rounding */

static const double PI = 3.14159265358979323846;

/* ---- cells ---- */

typedef struct Placer {
  const ScreeScene *scene;
  ScreeWorldDef domain; /* the scene's, for distances from walls */
  ScreeFault *fault;
  ScreeGrain *grain;
  size_t count, capacity;
  double width[3];     /* of a cell */
  int64_t cells[3];    /* along a periodic axis, 0 elsewhere */
  size_t *head, *next; /* grain + 1; 0 ends a chain */
  size_t mask;
  uint64_t next_id;
  int64_t *amount;      /* grains of each group; -1: as many as fit */
  ScreeGrainFile *file; /* of each group that has one */
  size_t *placed;       /* how many of each group; may be NULL */
  double press;         /* overlap over the smaller radius that is allowed: files hold grains that touch */
} Placer;

static size_t number_of(const Placer *p, const ScreeSceneParticles *group) {
  return (size_t)(group - scree_scene_particles(p->scene, 0));
}
static int64_t amount_of(const Placer *p, const ScreeSceneParticles *group) { return p->amount[number_of(p, group)]; }

static int64_t cell_of(const Placer *p, int axis, double x) {
  double low = p->scene->domain.low[axis], cell = floor((x - low) / p->width[axis]);
  cell = fmin(fmax(cell, -1e15), 1e15);
  int64_t i = (int64_t)cell, n = p->cells[axis];
  return n ? (i % n + n) % n : i;
}

static size_t slot_of(const Placer *p, int64_t i, int64_t j, int64_t k) {
  uint64_t h =
      (uint64_t)i * 0x9e3779b97f4a7c15u ^ (uint64_t)j * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)k * 0x165667b19e3779f9u;
  return (size_t)(h ^ h >> 29 ^ h >> 47) & p->mask;
}

static ScreeStatus prepare_cells(Placer *p, double largest) {
  size_t slots = 64;
  while (slots < p->capacity) slots *= 2;
  p->mask = slots - 1;
  p->head = calloc(slots, sizeof *p->head);
  p->next = malloc((p->capacity + 1) * sizeof *p->next);
  p->grain = malloc((p->capacity + 1) * sizeof *p->grain);
  if (!p->head || !p->next || !p->grain)
    return scree_blame(p->fault, NULL, SCREE_NO_MEMORY, "no memory for %zu grains", p->capacity);
  const ScreeSceneDomain *d = &p->scene->domain;
  for (int k = 0; k < 3; k++) {
    p->width[k] = 2 * largest;
    if (!d->periodic[k]) continue;
    double length = d->high[k] - d->low[k], cells = floor(length / p->width[k]);
    p->cells[k] = (int64_t)fmin(fmax(cells, 1), 1e9);
    p->width[k] = length / (double)p->cells[k];
  }
  return SCREE_OK;
}

/* ---- what is in the way ---- */

typedef struct Obstacle {
  enum { NOTHING, OUTSIDE, WALL, GRAIN } kind;
  size_t index;
  double overlap; /* m */
} Obstacle;

static double image(const Placer *p, int axis, double dx) {
  const ScreeSceneDomain *d = &p->scene->domain;
  double length = d->high[axis] - d->low[axis];
  return d->periodic[axis] ? dx - length * round(dx / length) : dx;
}

static bool hits_grain(const Placer *p, const double *x, double r, size_t other, Obstacle *found) {
  const ScreeGrain *g = &p->grain[other];
  double d2 = 0, reach = (r + g->radius) * (1 - TOUCHING) - p->press * fmin(r, g->radius);
  for (int k = 0; k < 3; k++) {
    double dx = image(p, k, x[k] - g->position[k]);
    d2 += dx * dx;
  }
  if (d2 >= reach * reach) return false;
  *found = (Obstacle){GRAIN, other, r + g->radius - sqrt(d2)};
  return true;
}

static bool hits_any_grain(const Placer *p, const double *x, double r, Obstacle *found) {
  int64_t at[3] = {cell_of(p, 0, x[0]), cell_of(p, 1, x[1]), cell_of(p, 2, x[2])};
  for (int n = 0; n < 27; n++) {
    int64_t c[3] = {at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1};
    for (int k = 0; k < 3; k++)
      if (p->cells[k]) c[k] = (c[k] + p->cells[k]) % p->cells[k];
    for (size_t i = p->head[slot_of(p, c[0], c[1], c[2])]; i != 0; i = p->next[i - 1])
      if (hits_grain(p, x, r, i - 1, found)) return true;
  }
  return false;
}

static Obstacle in_the_way(const Placer *p, const double *x, double r) {
  const ScreeSceneDomain *d = &p->scene->domain;
  Obstacle found = {NOTHING, 0, 0};
  for (int k = 0; k < 3; k++)
    if (!d->periodic[k] && !(x[k] >= d->low[k] && x[k] <= d->high[k])) return (Obstacle){OUTSIDE, 0, 0};
  for (size_t i = 0; i < p->scene->walls.count; i++) {
    if (!isnan(scree_scene_wall(p->scene, i)->insert_at)) continue; /* not there yet */
    double distance = scree_wall_distance_in(&p->domain, &scree_scene_wall(p->scene, i)->def, x);
    if (distance < r * (1 - TOUCHING - p->press)) return (Obstacle){WALL, i, r - distance};
  }
  hits_any_grain(p, x, r, &found);
  return found;
}

static void add_grain(Placer *p, const ScreeGrain *grain) {
  size_t i = p->count++;
  p->grain[i] = *grain;
  for (int k = 0; k < 3; k++) { /* inside a periodic domain, as the engine keeps it */
    const ScreeSceneDomain *d = &p->scene->domain;
    double length = d->high[k] - d->low[k], *x = &p->grain[i].position[k];
    if (d->periodic[k] && !(*x >= d->low[k] && *x < d->high[k])) *x -= length * floor((*x - d->low[k]) / length);
  }
  const double *x = p->grain[i].position;
  size_t slot = slot_of(p, cell_of(p, 0, x[0]), cell_of(p, 1, x[1]), cell_of(p, 2, x[2]));
  p->next[i] = p->head[slot];
  p->head[slot] = i + 1;
}

/* ---- regions ---- */

ScreeRegion scree_shape_region(const ScreeShape *s) {
  ScreeRegion region = {.radius = s->radius};
  switch (s->form) {
  case SCREE_KEY_fill_box:
  case SCREE_KEY_inlet_box:
  case SCREE_KEY_outlet_box: region.shape = SCREE_REGION_BOX; break;
  case SCREE_KEY_fill_cylinder:
  case SCREE_KEY_inlet_cylinder:
  case SCREE_KEY_outlet_cylinder: region.shape = SCREE_REGION_CYLINDER; break;
  case SCREE_KEY_inlet_disc: region.shape = SCREE_REGION_DISC; break;
  case SCREE_KEY_outlet_beyond: region.shape = SCREE_REGION_BEYOND; break;
  default: region.shape = SCREE_REGION_SPHERE;
  }
  memcpy(region.low, s->low, sizeof region.low);
  memcpy(region.high, s->high, sizeof region.high);
  memcpy(region.from, s->from, sizeof region.from);
  memcpy(region.to, s->to, sizeof region.to);
  memcpy(region.point, s->point, sizeof region.point);
  memcpy(region.normal, s->axis, sizeof region.normal);
  return region;
}

ScreeSizes scree_scene_sizes(const ScreeSceneSizes *s) {
  ScreeSizes sizes = {.min = s->min, .max = s->max, .mean = s->mean, .sd = s->sd, .by_mass = s->by == 1};
  sizes.table = s->table.at;
  sizes.rows = s->table.count;
  switch (s->form) {
  case SCREE_KEY_sizes_uniform: sizes.kind = SCREE_SIZES_UNIFORM; break;
  case SCREE_KEY_sizes_normal: sizes.kind = SCREE_SIZES_NORMAL; break;
  case SCREE_KEY_sizes_lognormal: sizes.kind = SCREE_SIZES_LOGNORMAL; break;
  case SCREE_KEY_sizes_table: sizes.kind = SCREE_SIZES_TABLE; break;
  default: sizes.kind = SCREE_SIZES_ONE, sizes.mean = s->value;
  }
  return sizes;
}

static double draw_radius(const ScreeSceneParticles *group, const ScreeRandom *random, uint64_t index) {
  ScreeSizes sizes = scree_scene_sizes(&group->radius);
  return scree_sizes_draw(&sizes, random, index);
}

static double largest_radius(const ScreeSceneParticles *group) {
  ScreeSizes sizes = scree_scene_sizes(&group->radius);
  return scree_sizes_largest(&sizes);
}

static ScreeSpace space_of(const ScreeScene *s) {
  const ScreeSceneDomain *d = &s->domain;
  ScreeSpace space;
  memcpy(space.low, d->low, sizeof space.low);
  memcpy(space.high, d->high, sizeof space.high);
  memcpy(space.periodic, d->periodic, sizeof space.periodic);
  return space;
}

/* ---- fill ---- */

static ScreeGrain grain_of(Placer *p, const ScreeSceneParticles *group) {
  ScreeGrain g = {.id = p->next_id++, .material = group->material_id, .fixed = group->fixed};
  memcpy(g.velocity, group->velocity.vector, sizeof g.velocity);
  memcpy(g.spin, group->spin, sizeof g.spin);
  return g;
}

typedef struct Sized {
  double radius;
  size_t index;
} Sized;

static int by_size(const void *a, const void *b) {
  const Sized *x = a, *y = b;
  if (x->radius != y->radius) return x->radius > y->radius ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static const ScreeNode *place_of(const ScreeSceneParticles *group, const char *key) {
  const ScreeNode *node = scree_node_value(group->item.node, key, NULL);
  return node ? node : group->item.node;
}

static const char *amount_key(const ScreeSceneParticles *group) {
  return !isnan(group->mass) ? "mass" : !isnan(group->fraction) ? "fraction" : "count";
}

/* Groups are placed in order: smaller grains that came first leave no holes for larger ones. */
static bool smaller_came_first(const Placer *p, const ScreeSceneParticles *group) {
  ScreeRegion region = scree_shape_region(&group->region), other;
  double low[3], high[3], from[3], to[3];
  scree_region_bounds(&region, low, high);
  for (const ScreeSceneParticles *g = scree_scene_particles(p->scene, 0); g < group; g++) {
    if (g->form != SCREE_KEY_particles_fill || !(largest_radius(g) < largest_radius(group))) continue;
    other = scree_shape_region(&g->region);
    scree_region_bounds(&other, from, to);
    bool shared = true;
    for (int k = 0; k < 3; k++) shared = shared && from[k] < high[k] && to[k] > low[k];
    if (shared) return true;
  }
  return false;
}

static ScreeStatus too_many(Placer *p, const ScreeSceneParticles *group, size_t placed) {
  return scree_blame(p->fault, place_of(group, amount_key(group)), SCREE_INVALID,
                     "only %zu of %lld grains fit into this region without touching: %slower the count, enlarge the "
                     "region, or start from a lattice",
                     placed, (long long)amount_of(p, group),
                     smaller_came_first(p, group) ? "list the larger grains first, or " : "");
}

static ScreeStatus place_one(Placer *p, const ScreeSceneParticles *group, const ScreeRandom *random, const Sized *sized,
                             ScreeGrain *grain, bool *placed) {
  ScreeSpace space = space_of(p->scene);
  ScreeRegion region = scree_shape_region(&group->region);
  *placed = false;
  for (uint32_t attempt = 0; attempt < ATTEMPTS && !*placed; attempt++) {
    double u[4];
    scree_random(random, SCREE_DRAW_PLACE, sized->index, attempt, u);
    if (!scree_region_point(&region, &space, sized->radius, u, grain->position))
      return scree_blame(p->fault, place_of(group, "fill"), SCREE_INVALID,
                         "the region is too small for a grain of radius %.6g m", sized->radius);
    *placed = in_the_way(p, grain->position, sized->radius).kind == NOTHING;
  }
  return SCREE_OK;
}

/* A region that reaches out of the domain is a mistake somewhere; grains would silently gather within. */
static ScreeStatus check_region(Placer *p, const ScreeSceneParticles *group) {
  const ScreeSceneDomain *d = &p->scene->domain;
  ScreeRegion region = scree_shape_region(&group->region);
  double from[3], to[3];
  if (group->form != SCREE_KEY_particles_fill) return SCREE_OK;
  scree_region_bounds(&region, from, to);
  for (int k = 0; k < 3; k++) {
    double low = from[k], high = to[k], slack = 1e-9 * (d->high[k] - d->low[k]);
    if (d->periodic[k] || (low >= d->low[k] - slack && high <= d->high[k] + slack)) continue;
    return scree_blame(p->fault, place_of(group, "fill"), SCREE_INVALID,
                       "the region reaches from %.6g to %.6g m along %c, out of the domain, which is %.6g ... %.6g m",
                       low, high, "xyz"[k], d -> low[k], d -> high[k]);
  }
  return SCREE_OK;
}

/* What no patience could place is refused before memory is asked for: the volume of the grains, from the first of
 * them. */
static ScreeStatus check_volume(Placer *p, const ScreeSceneParticles *group, const ScreeRandom *random) {
  if (group->form != SCREE_KEY_particles_fill) return SCREE_OK;
  SCREE_TRY(check_region(p, group));
  int64_t count = amount_of(p, group), sample = count < 1000 ? count : 1000;
  ScreeRegion region = scree_shape_region(&group->region);
  double volume = 0;
  for (int64_t i = 0; i < sample; i++) {
    double r = draw_radius(group, random, (uint64_t)i);
    volume += 4.0 / 3.0 * PI * r * r * r;
  }
  double share = volume * (double)count / (double)sample / scree_region_volume(&region);
  if (share <= 0.75) return SCREE_OK;
  return scree_blame(p->fault, place_of(group, amount_key(group)), SCREE_INVALID,
                     "%lld grains have %.3g times the volume of the region: random places fill about 0.3 of it",
                     (long long)count, share);
}

/* The largest first: they find no place among the small ones. Ids follow the order of the draws all the same. */
static ScreeStatus place_fill(Placer *p, const ScreeSceneParticles *group, const ScreeRandom *random) {
  size_t count = (size_t)amount_of(p, group);
  Sized *sized = malloc(count * sizeof *sized);
  if (!sized) return scree_blame(p->fault, NULL, SCREE_NO_MEMORY, "no memory for %zu grains", count);
  for (size_t i = 0; i < count; i++) sized[i] = (Sized){draw_radius(group, random, i), i};
  ScreeStatus status = SCREE_OK;
  qsort(sized, count, sizeof *sized, by_size);
  uint64_t first_id = p->next_id;
  for (size_t i = 0; i < count && status == SCREE_OK; i++) {
    ScreeGrain grain = grain_of(p, group);
    bool placed = false;
    grain.id = first_id + sized[i].index;
    grain.radius = sized[i].radius;
    status = place_one(p, group, random, &sized[i], &grain, &placed);
    if (status == SCREE_OK && !placed) status = too_many(p, group, i);
    if (status == SCREE_OK) add_grain(p, &grain);
  }
  free(sized);
  return status;
}

/* ---- lattice ---- */

#define SHAKEN 0.02 /* radii: an automatic jitter, enough to leave no plane a plane */

/* One axis of a box along which a lattice has ends. Without a given jitter there are as many places as without any, and
 * grains are shifted as far as these leave room for. */
static void lay_axis(const ScreeLattice *l, int k, double r, ScreeLatticePlan *plan) {
  bool automatic = isnan(l->jitter), packed = isnan(l->spacing);
  double size = l->high[k] - l->low[k], inset = r + (automatic ? 0 : l->jitter), room = size - 2 * inset;
  double step = packed ? 2 * inset * (1 + GAP) : l->spacing;
  double count = room < -TOUCHING * size ? 0 : floor(fmax(room, 0) / step * (1 + TOUCHING)) + 1;
  plan->count[k] = count, plan->step[k] = step, plan->jitter[k] = automatic ? 0 : l->jitter;
  if (automatic && count > 0) {
    double left = fmax(0, room - (count - 1) * step),
           free = packed ? left / (2 * count) : fmin(0.5 * left, fmax(0, 0.5 * step - r));
    plan->jitter[k] = fmin(SHAKEN * r, free * (1 - GAP));
    if (packed) plan->step[k] = step + 2 * plan->jitter[k];
  }
  plan->start[k] = l->low[k] + r + plan->jitter[k];
}

/* An axis that closes upon itself: the lattice is stretched. */
static void lay_periodic_axis(const ScreeScene *s, const ScreeLattice *l, int k, double r, ScreeLatticePlan *plan) {
  double size = s->domain.high[k] - s->domain.low[k], given = isnan(l->jitter) ? 0 : l->jitter,
         spacing = isnan(l->spacing) ? 2 * (r + given) * (1 + GAP) : l->spacing;
  plan->count[k] = floor(size / spacing * (1 + TOUCHING));
  plan->step[k] = plan->count[k] > 0 ? size / plan->count[k] : spacing;
  plan->jitter[k] = isnan(l->jitter) ? fmin(SHAKEN * r, fmax(0, 0.5 * plan->step[k] - r) * (1 - GAP)) : l->jitter;
  plan->start[k] = s->domain.low[k] + 0.5 * plan->step[k];
}

/* Places that lie outside the domain are none. */
static void clip_axis(const ScreeScene *s, int k, ScreeLatticePlan *plan) {
  double low = s->domain.low[k], high = s->domain.high[k], shift = plan->jitter[k], last = plan->count[k] - 1;
  plan->first[k] = 0, plan->used[k] = plan->count[k];
  if (s->domain.periodic[k] || plan->count[k] == 0) return;
  double from = fmax(0, ceil((low - shift - plan->start[k]) / plan->step[k] - TOUCHING)),
         to = fmin(last, floor((high + shift - plan->start[k]) / plan->step[k] + TOUCHING));
  plan->first[k] = fmin(from, 9e15);
  plan->used[k] = fmax(0, to - from + 1);
}

ScreeLatticePlan scree_scene_lattice(const ScreeScene *scene, const ScreeSceneParticles *group) {
  ScreeSpace space = space_of(scene);
  const ScreeLattice *l = &group->lattice;
  ScreeLatticePlan plan;
  for (int k = 0; k < 3; k++) {
    if (scree_space_is_spanned(&space, k, l->low[k], l->high[k]))
      lay_periodic_axis(scene, l, k, largest_radius(group), &plan);
    else
      lay_axis(l, k, largest_radius(group), &plan);
    clip_axis(scene, k, &plan);
  }
  return plan;
}

static double lattice_points(const Placer *p, const ScreeSceneParticles *group) {
  ScreeLatticePlan l = scree_scene_lattice(p->scene, group);
  return l.used[0] * l.used[1] * l.used[2];
}

/* Upper limit of the grains of a group. */
static double group_size(const Placer *p, const ScreeSceneParticles *group) {
  if (group->form != SCREE_KEY_particles_lattice) return (double)amount_of(p, group);
  double points = lattice_points(p, group);
  return group->count >= 0 ? fmin(points, (double)group->count) : points;
}

static ScreeStatus check_lattice(Placer *p, const ScreeSceneParticles *group) {
  if (group->form != SCREE_KEY_particles_lattice) return SCREE_OK;
  const ScreeLattice *l = &group->lattice;
  const ScreeNode *map = place_of(group, "lattice"), *node = scree_node_value(map, "spacing", NULL);
  double least = 2 * (largest_radius(group) + (isnan(l->jitter) ? 0 : l->jitter));
  double points = lattice_points(p, group);
  if (!(points <= SCREE_SCENE_MAX_GRAINS))
    return scree_blame(p->fault, map, SCREE_INVALID, "the lattice has %.3g points; %.0e is the limit", points,
                       (double)SCREE_SCENE_MAX_GRAINS);
  if (isnan(l->spacing) || l->spacing >= least * (1 - TOUCHING)) return SCREE_OK;
  return scree_blame(p->fault, node ? node : map, SCREE_INVALID,
                     "grains of this size and jitter would overlap: spacing must be %.6g m at least", least);
}

static bool lies_outside(const ScreeLatticePlan *l) {
  bool any = true;
  double used = 1;
  for (int k = 0; k < 3; k++) any = any && l->count[k] > 0, used *= l->used[k];
  return any && used == 0;
}

/* Points where a wall or an earlier grain is in the way stay empty. */
static ScreeStatus place_lattice(Placer *p, const ScreeSceneParticles *group, const ScreeRandom *random) {
  ScreeLatticePlan l = scree_scene_lattice(p->scene, group);
  size_t placed = 0, wanted = (size_t)group_size(p, group), points = (size_t)lattice_points(p, group);
  uint64_t n[3], used[3], first[3]; /* random numbers go by the place in the whole lattice */
  for (int k = 0; k < 3; k++)
    n[k] = (uint64_t)fmin(l.count[k], 9e15), used[k] = (uint64_t)l.used[k], first[k] = (uint64_t)l.first[k];
  if (lies_outside(&l))
    return scree_blame(p->fault, place_of(group, "lattice"), SCREE_INVALID, "the lattice lies outside the domain");
  for (size_t i = 0; i < points && placed < wanted; i++) {
    uint64_t at[3] = {first[0] + i % used[0], first[1] + i / used[0] % used[1], first[2] + i / used[0] / used[1]};
    double u[4], x[3], radius = draw_radius(group, random, placed);
    scree_random(random, SCREE_DRAW_PLACE, at[0] + n[0] * (at[1] + n[1] * at[2]), 0, u);
    for (int k = 0; k < 3; k++) x[k] = l.start[k] + (double)at[k] * l.step[k] + l.jitter[k] * (2 * u[k] - 1);
    if (in_the_way(p, x, radius).kind != NOTHING) continue;
    ScreeGrain grain = grain_of(p, group);
    grain.radius = radius;
    memcpy(grain.position, x, sizeof x);
    add_grain(p, &grain);
    placed++;
  }
  if (placed == 0)
    return scree_blame(p->fault, place_of(group, "lattice"), SCREE_INVALID,
                       "no grain of this size fits into the lattice");
  if (group->count > (int64_t)placed)
    return scree_blame(p->fault, place_of(group, "count"), SCREE_INVALID,
                       "only %zu of %lld grains fit on the lattice: lower the count or enlarge its box", placed,
                       (long long)group->count);
  return SCREE_OK;
}

/* ---- list ---- */

static ScreeStatus refuse_grain(Placer *p, const ScreeNode *node, Obstacle o) {
  if (o.kind == OUTSIDE) return scree_blame(p->fault, node, SCREE_INVALID, "this grain lies outside the domain");
  if (o.kind == GRAIN)
    return scree_blame(p->fault, node, SCREE_INVALID, "this grain overlaps grain %llu by %.6g m",
                       (unsigned long long)p->grain[o.index].id, o.overlap);
  const char *name = scree_scene_wall(p->scene, o.index)->name;
  return scree_blame(p->fault, node, SCREE_INVALID, "this grain overlaps wall %zu%s%s%s by %.6g m", o.index,
                     name ? " (" : "", name ? name : "", name ? ")" : "", o.overlap);
}

static ScreeStatus place_list(Placer *p, const ScreeSceneParticles *group) {
  for (size_t i = 0; i < group->list.count; i++) {
    const ScreeSceneGrain *g = (const ScreeSceneGrain *)group->list.at + i;
    Obstacle found = in_the_way(p, g->position, g->radius);
    if (found.kind != NOTHING) return refuse_grain(p, scree_node_value(g->item.node, "position", NULL), found);
    ScreeGrain grain = {.radius = g->radius, .material = group->material_id, .fixed = group->fixed};
    grain.id = g->id >= 0 ? (uint64_t)g->id : p->next_id++;
    memcpy(grain.position, g->position, sizeof grain.position);
    for (int k = 0; k < 3; k++) grain.velocity[k] = isnan(g->velocity[k]) ? 0 : g->velocity[k];
    memcpy(grain.spin, g->spin, sizeof grain.spin);
    add_grain(p, &grain);
  }
  return SCREE_OK;
}

/* A packing that was saved goes on: its grains may press on each other as far as a run would let them. */
static ScreeStatus place_file(Placer *p, const ScreeSceneParticles *group) {
  const ScreeGrainFile *file = &p->file[number_of(p, group)];
  p->press = p->scene->max_overlap;
  for (size_t i = 0; i < file->count; i++) {
    ScreeGrain grain = file->grain[i].grain;
    ScreeNode node = scree_grain_file_place(file, i);
    Obstacle found = in_the_way(p, grain.position, grain.radius);
    if (found.kind != NOTHING) return refuse_grain(p, &node, found);
    if (!file->grain[i].numbered) grain.id = p->next_id++;
    add_grain(p, &grain);
  }
  p->press = 0;
  return SCREE_OK;
}

/* An id that is given, and where. */
typedef struct Given {
  uint64_t id;
  ScreeNode node; /* source and bytes alone */
} Given;

static int by_id(const void *a, const void *b) {
  const Given *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return x->node.at < y->node.at ? -1 : x->node.at > y->node.at;
}

static size_t list_given(const Placer *p, const ScreeSceneParticles *group, Given *given) {
  const ScreeGrainFile *file = &p->file[number_of(p, group)];
  size_t count = 0;
  for (size_t j = 0; j < group->list.count; j++) {
    const ScreeSceneGrain *g = (const ScreeSceneGrain *)group->list.at + j;
    const ScreeNode *node = scree_node_value(g->item.node, "id", NULL);
    if (g->id >= 0) given[count++] = (Given){(uint64_t)g->id, node ? *node : *g->item.node};
  }
  for (size_t j = 0; j < file->count; j++)
    if (file->grain[j].numbered) given[count++] = (Given){file->grain[j].grain.id, scree_grain_file_place(file, j)};
  return count;
}

/* Numbers that lists and files give must differ; others count on from the largest. */
static ScreeStatus check_ids(Placer *p) {
  const ScreeScene *s = p->scene;
  size_t count = 0, total = 0;
  for (size_t i = 0; i < s->particles.count; i++) total += scree_scene_particles(s, i)->list.count + p->file[i].count;
  Given *given = malloc((total + 1) * sizeof *given);
  if (!given) return scree_blame(p->fault, NULL, SCREE_NO_MEMORY, "no memory for %zu grains", total);
  for (size_t i = 0; i < s->particles.count; i++) count += list_given(p, scree_scene_particles(s, i), given + count);
  ScreeStatus status = SCREE_OK;
  qsort(given, count, sizeof *given, by_id);
  if (count > 0) p->next_id = given[count - 1].id + 1;
  for (size_t i = 1; i < count && status == SCREE_OK; i++)
    if (given[i].id == given[i - 1].id)
      status = scree_blame(p->fault, &given[i].node, SCREE_INVALID, "the id %llu is used twice",
                           (unsigned long long)given[i].id);
  free(given);
  return status;
}

/* ---- velocities ---- */

/* A Maxwellian without net momentum: the mass-weighted mean is taken off. */
static void stir(Placer *p, const ScreeSceneParticles *group, const ScreeRandom *random, size_t first) {
  double sum[3] = {0}, mass = 0;
  if (isnan(group->velocity.random)) return;
  for (size_t i = first; i < p->count; i++) {
    double z[4], r = p->grain[i].radius, m = r * r * r;
    scree_random_normal(random, SCREE_DRAW_VELOCITY, i - first, 0, z);
    for (int k = 0; k < 3; k++) {
      p->grain[i].velocity[k] = group->velocity.random / sqrt(3.0) * z[k];
      sum[k] += m * p->grain[i].velocity[k];
    }
    mass += m;
  }
  for (size_t i = first; i < p->count; i++)
    for (int k = 0; k < 3; k++) p->grain[i].velocity[k] -= sum[k] / mass;
}

/* ---- all groups ---- */

static ScreeStatus check_memory(Placer *p, double grains) {
  double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), need = grains * BYTES_PER_GRAIN;
  const ScreeNode *node = scree_node_value(&p->scene->root, "particles", NULL);
  if (grains > SCREE_SCENE_MAX_GRAINS)
    return scree_blame(p->fault, node, SCREE_INVALID, "%.3g grains are more than the limit of %.0e", grains,
                       (double)SCREE_SCENE_MAX_GRAINS);
  if (need > memory)
    return scree_blame(p->fault, node, SCREE_INVALID, "%.3g grains need about %.3g GB of memory, this machine has %.3g",
                       grains, need / 1e9, memory / 1e9);
  return SCREE_OK;
}

/* As many as have a volume together, the last one if half of it is asked for. */
static int64_t count_to_volume(const ScreeSceneParticles *group, const ScreeRandom *random, double volume) {
  double sum = 0;
  for (int64_t i = 0; i < SCREE_SCENE_MAX_GRAINS; i++) {
    double r = draw_radius(group, random, (uint64_t)i), own = 4.0 / 3.0 * PI * r * r * r;
    if (sum + 0.5 * own > volume) return i;
    sum += own;
  }
  return SCREE_SCENE_MAX_GRAINS;
}

static ScreeStatus count_fill(Placer *p, const ScreeSceneParticles *group, const ScreeRandom *random) {
  int64_t *amount = &p->amount[number_of(p, group)];
  ScreeRegion region = scree_shape_region(&group->region);
  double density = scree_scene_material(p->scene, (size_t)group->material_id)->material.density,
         room = scree_region_volume(&region),
         volume = isnan(group->mass) ? group->fraction * room : group->mass / density;
  if (isnan(volume)) return SCREE_OK; /* a count is given */
  if (volume > 0.75 * room)
    return scree_blame(p->fault, place_of(group, amount_key(group)), SCREE_INVALID,
                       "these grains have %.3g times the volume of the region: random places fill about 0.3 of it",
                       volume / room);
  *amount = count_to_volume(group, random, volume);
  if (*amount > 0) return SCREE_OK;
  return scree_blame(p->fault, place_of(group, amount_key(group)), SCREE_INVALID,
                     "this is less than half of the first grain's: no grain would be placed");
}

/* How many grains a group has, as far as that is known before they are placed; its file is read. */
static ScreeStatus count_group(Placer *p, const ScreeSceneParticles *group, const ScreeRandom *random) {
  size_t number = number_of(p, group);
  int64_t *amount = &p->amount[number];
  *amount = group->count;
  switch (group->form) {
  case SCREE_KEY_particles_list: *amount = (int64_t)group->list.count; return SCREE_OK;
  case SCREE_KEY_particles_stream: *amount = 0; return SCREE_OK; /* they come later */
  case SCREE_KEY_particles_csv:
  case SCREE_KEY_particles_lammps:
    SCREE_TRY(scree_grain_file_read(p->scene, group, &p->file[number], p->fault));
    *amount = (int64_t)p->file[number].count;
    return SCREE_OK;
  case SCREE_KEY_particles_fill: return count_fill(p, group, random);
  default: return SCREE_OK;
  }
}

static double largest_of(const Placer *p, const ScreeSceneParticles *group) {
  const ScreeGrainFile *file = &p->file[number_of(p, group)];
  double largest = 0;
  if (group->form == SCREE_KEY_particles_fill || group->form == SCREE_KEY_particles_lattice)
    largest = largest_radius(group);
  for (size_t j = 0; j < group->list.count; j++)
    largest = fmax(largest, ((const ScreeSceneGrain *)group->list.at)[j].radius);
  for (size_t j = 0; j < file->count; j++) largest = fmax(largest, file->grain[j].grain.radius);
  return largest;
}

static ScreeStatus place_group(Placer *p, const ScreeSceneParticles *group, const ScreeRandom *random) {
  size_t first = p->count;
  switch (group->form) {
  case SCREE_KEY_particles_fill: SCREE_TRY(place_fill(p, group, random)); break;
  case SCREE_KEY_particles_lattice: SCREE_TRY(place_lattice(p, group, random)); break;
  case SCREE_KEY_particles_list: SCREE_TRY(place_list(p, group)); break;
  case SCREE_KEY_particles_csv:
  case SCREE_KEY_particles_lammps: SCREE_TRY(place_file(p, group)); break;
  default: break;
  }
  stir(p, group, random, first);
  return SCREE_OK;
}

static ScreeStatus place_all(Placer *p) {
  const ScreeScene *s = p->scene;
  double total = 0, largest = 0;
  p->amount = calloc(s->particles.count + 1, sizeof *p->amount);
  p->file = calloc(s->particles.count + 1, sizeof *p->file);
  if (!p->amount || !p->file) return scree_blame(p->fault, NULL, SCREE_NO_MEMORY, "no memory for the grains");
  for (size_t i = 0; i < s->particles.count; i++) {
    const ScreeSceneParticles *group = scree_scene_particles(s, i);
    ScreeRandom random = {.seed = (uint64_t)group->seed, .group = (uint32_t)i};
    SCREE_TRY(count_group(p, group, &random));
    SCREE_TRY(check_volume(p, group, &random));
    SCREE_TRY(check_lattice(p, group));
    total += group_size(p, group);
    largest = fmax(largest, largest_of(p, group));
  }
  SCREE_TRY(check_memory(p, total));
  p->capacity = (size_t)total;
  SCREE_TRY(check_ids(p));
  SCREE_TRY(prepare_cells(p, largest > 0 ? largest : 1));
  for (size_t i = 0; i < s->particles.count; i++) {
    const ScreeSceneParticles *group = scree_scene_particles(s, i);
    size_t before = p->count;
    SCREE_TRY(place_group(p, group, &(ScreeRandom){.seed = (uint64_t)group->seed, .group = (uint32_t)i}));
    if (p->placed) p->placed[i] = p->count - before;
  }
  return SCREE_OK;
}

ScreeStatus scree_scene_place(const ScreeScene *scene, ScreeGrain **grains, size_t *count, size_t *placed,
                              ScreeFault *fault) {
  Placer p = {.scene = scene, .domain = scree_world_def_default(), .fault = fault, .next_id = 1, .placed = placed};
  memcpy(p.domain.low, scene->domain.low, sizeof p.domain.low);
  memcpy(p.domain.high, scene->domain.high, sizeof p.domain.high);
  memcpy(p.domain.periodic, scene->domain.periodic, sizeof p.domain.periodic);
  ScreeStatus status = place_all(&p);
  for (size_t i = 0; p.file && i < scene->particles.count; i++) scree_grain_file_free(&p.file[i]);
  free(p.head), free(p.next), free(p.amount), free(p.file);
  if (status != SCREE_OK) {
    free(p.grain);
    return status;
  }
  *grains = p.grain;
  *count = p.count;
  return SCREE_OK;
}
