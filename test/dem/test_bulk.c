/* The list outlives what grains do together, and misses no pair: in every step all that touch are looked for among all
 * pairs of grains, and of grains and walls, and every bound that the engine keeps is held against the ways that grains
 * went in truth. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dem/contact.h"
#include "support/worlds.h"

enum { SIDE = 9, GRAINS = SIDE * SIDE * SIDE };
static const double r = 1e-3;

static uint64_t seed;

/* Grains of different sizes on a loose lattice; their velocities follow a field, but for some noise. */
typedef struct Case {
  const char *name;
  double a[3], b[3][3]; /* m/s, 1/s: the field */
  double noise;         /* m/s */
  double shot[3];       /* m/s, that some are faster by: */
  int shots;            /* each of so many */
  bool tail;            /* few have most of the noise */
  double skin;          /* of the radius */
  double gravity;
  bool periodic[3], floor;
  bool mesh;       /* the floor is one */
  double shake;    /* m, amplitude of the floor */
  double height;   /* m, of the lattice above the floor */
  double smallest; /* radius, of the largest; 0: 0.8 */
  int steps;
  double fewer; /* rebuilds, at least, than if no grain may move by half the skin */
} Case;

/* A floor of small triangles below the lattice, and some way beyond it. */
static void add_mesh(ScreeWorld *w, double length, int *id) {
  enum { N = 12 };
  static double vertex[(N + 1) * (N + 1)][3];
  static uint32_t triangle[2 * N * N][3];
  ScreeMesh *mesh = NULL;
  for (uint32_t v = 0; v < (N + 1) * (N + 1); v++) {
    vertex[v][0] = -0.2 * length + v % (N + 1) * 1.4 * length / N;
    vertex[v][1] = -0.2 * length + v / (N + 1) * 1.4 * length / N;
    vertex[v][2] = -0.05 * r;
  }
  for (uint32_t t = 0; t < N * N; t++) {
    uint32_t v = t / N * (N + 1) + t % N, both[2][3] = {{v, v + 1, v + N + 2}, {v, v + N + 2, v + N + 1}};
    memcpy(triangle[2 * t], both, sizeof both);
  }
  ScreeMeshDef def = {(const double(*)[3])vertex, (N + 1) * (N + 1), (const uint32_t(*)[3])triangle, 2 * N * N};
  cr_assert_eq(scree_mesh_create(&def, &mesh), SCREE_OK, "%s", scree_last_error());
  ScreeWallDef floor = {.shape = SCREE_WALL_MESH, .mesh = mesh};
  cr_assert_eq(scree_world_add_wall(w, &floor, id), SCREE_OK, "%s", scree_last_error());
  scree_mesh_destroy(mesh);
}

/* A floor, which may be shaken, and a pipe around. */
static void add_walls(const Case *c, ScreeWorld *w, double length) {
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .point = {0, 0, -0.05 * r}, .axis = {0, 0, 1}},
               pipe = {.shape = SCREE_WALL_CYLINDER,
                       .point = {0.5 * length, 0.5 * length, 0},
                       .axis = {0, 0, 1},
                       .radius = 0.02,
                       .inside = true};
  int id;
  if (c->mesh)
    add_mesh(w, length, &id);
  else
    cr_assert_eq(scree_world_add_wall(w, &floor, &id), SCREE_OK);
  if (c->shake > 0.0) {
    ScreeMotionDef motion = scree_motion_def_default(SCREE_MOTION_OSCILLATION);
    motion.amplitude[2] = c->shake, motion.frequency = 200.0;
    cr_assert_eq(scree_world_move_wall(w, id, &motion), SCREE_OK);
  }
  cr_assert_eq(scree_world_add_wall(w, &pipe, &id), SCREE_OK);
}

static const double spacing = 2.1 * r; /* of the lattice */

/* The grain of a place of the lattice. */
static ScreeGrain grain_of(const Case *c, int i) {
  int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
  double middle = 0.5 * SIDE * spacing;
  ScreeGrain g = {.id = (uint64_t)i, .radius = r * random_in(&seed, c->smallest > 0.0 ? c->smallest : 0.8, 1.0)};
  for (int k = 0; k < 3; k++)
    g.position[k] = (at[k] + 0.5) * spacing + random_in(&seed, -0.04, 0.04) * r + (k == 2 ? c->height : 0.0);
  for (int k = 0; k < 3; k++) {
    double noise = random_in(&seed, -1.0, 1.0);
    g.velocity[k] = c->a[k] + (c->tail ? pow(noise, 15.0) : noise) * c->noise;
    if (c->shots > 0 && i % c->shots == c->shots / 2) g.velocity[k] += c->shot[k];
    for (int j = 0; j < 3; j++) g.velocity[k] += c->b[k][j] * (g.position[j] - middle);
  }
  return g;
}

static ScreeWorld *world_of(const Case *c, double skin, int threads) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  static ScreeGrain g[GRAINS];
  seed = 7;
  for (int k = 0; k < 3; k++) {
    def.periodic[k] = c->periodic[k];
    def.gravity[k] = k == 2 ? c->gravity : 0.0;
    def.low[k] = c->periodic[k] ? 0.0 : -10.0;
    def.high[k] = c->periodic[k] ? SIDE * spacing : 10.0;
  }
  def.max_overlap = 0.5, def.skin = skin, def.timestep = c->smallest > 0.0 ? 1e-6 : 1e-5;
  def.expected_speed = 2.0, def.threads = threads;
  for (int i = 0; i < GRAINS; i++) g[i] = grain_of(c, i);
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
  if (c->floor || c->mesh) add_walls(c, w, SIDE * spacing);
  start_with(w, GRAINS, g);
  return w;
}

static bool listed(const ScreeWorld *w, int32_t i, int32_t j) {
  for (size_t q = 0; q < w->pairs.count; q++)
    if ((KEPT(&w->pairs, i, q) == i && KEPT(&w->pairs, j, q) == j) ||
        (KEPT(&w->pairs, i, q) == j && KEPT(&w->pairs, j, q) == i))
      return true;
  return false;
}

/* Touching pairs that the list does not hold; `touching` counts all. Meshes are seen by what they do
 * (nothing_depends_on_the_skin). */
static int missed(const ScreeWorld *w, int *touching) {
  int missing = 0;
  for (int32_t i = 0; i < (int32_t)w->count; i++) {
    const Record *a = &w->record[i];
    double normal[3], lever[3];
    for (int wall = 0; wall < w->walls; wall++)
      if (!scree_is_mesh(w, wall) && scree_wall_gap(w, wall, a, normal, lever) < a->r)
        ++*touching, missing += !listed(w, i, -1 - wall);
    for (int32_t j = i + 1; j < (int32_t)w->count; j++) {
      const Record *b = &w->record[j];
      double d2 = 0.0, reach = a->r + b->r;
      for (int k = 0; k < 3; k++) d2 += pow(scree_image(w, k, b->x[k] - a->x[k]), 2.0);
      if (d2 < reach * reach) ++*touching, missing += !listed(w, i, j);
    }
  }
  return missing;
}

/* Pairs within reach that a list just made does not hold, or that it holds twice. */
static int unlisted(const ScreeWorld *w) {
  static bool held[GRAINS + 1][GRAINS + 1];
  int missing = 0;
  memset(held, 0, sizeof held);
  for (size_t q = 0; q < w->pairs.count; q++) {
    int32_t i = KEPT(&w->pairs, i, q), j = KEPT(&w->pairs, j, q);
    if (j < 0 || i == (int32_t)w->count || j == (int32_t)w->count) continue; /* a wall, or nobody */
    missing += held[i][j];
    held[i][j] = held[j][i] = true;
  }
  for (size_t i = 0; i < w->count; i++)
    for (size_t j = i + 1; j < w->count; j++) {
      double d2 = 0.0, reach = (scree_reach_of(w, i) + scree_reach_of(w, j)) * (1.0 - 1e-9);
      for (int k = 0; k < 3; k++) d2 += pow(scree_image(w, k, w->record[j].x[k] - w->record[i].x[k]), 2.0);
      missing += d2 < reach * reach && !held[i][j];
    }
  return missing;
}

/* By id: where grains were when the list was made and a step ago, and what they moved by since it was made. */
static struct Trace { double then[3], last[3], way[3]; /* m */ } trace[2 * GRAINS];

static void follow(const ScreeWorld *w, bool anew) {
  for (size_t i = 0; i < w->count; i++) {
    struct Trace *t = &trace[w->turn[i].id];
    for (int k = 0; k < 3; k++) {
      double x = w->record[i].x[k];
      t->way[k] = anew ? 0.0 : t->way[k] + scree_image(w, k, x - t->last[k]);
      if (anew) t->then[k] = x;
      t->last[k] = x;
    }
  }
}

/* Does M stretch distances by more than is said? */
static bool stretches(const Bulk *b) {
  bool wrong = false;
  for (int d = 1; d < 27; d++) {
    double v[3] = {d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1}, m[3];
    for (int k = 0; k < 3; k++) m[k] = scree_dot(b->back[k], v);
    wrong |= scree_dot(m, m) > b->stretch * b->stretch * scree_dot(v, v) * (1.0 + 1e-9);
  }
  return wrong;
}

/* Bounds that do not hold: how far grains are from where they came from by the field, which is also less than their
 * pace allows; how far they moved; how near they may be to walls they are not listed with. */
static int unbounded(const ScreeWorld *w) {
  const Bulk *b = &w->bulk;
  const double doubt = 1e-9 * r;
  int wrong = stretches(b);
  for (size_t i = 0; i < w->count; i++) {
    const Record *g = &w->record[i];
    const struct Trace *t = &trace[w->turn[i].id];
    int p = scree_pace_of(w, i);
    double e[3], normal[3], lever[3];
    for (int k = 0; k < 3; k++) e[k] = scree_image(w, k, scree_dot(b->back[k], g->x) - b->shift[k] - t->then[k]);
    double strayed = sqrt(scree_dot(e, e)) - doubt, way = sqrt(scree_dot(t->way, t->way)) - doubt;
    wrong += strayed > b->strayed[p];
    wrong += strayed + (b->stretch - 1.0) * g->r > b->allowance[p];
    wrong += way > b->moved[p];
    for (int wall = 0; wall < w->walls; wall++) {
      if (scree_is_mesh(w, wall) || scree_is_beside(w, i, wall)) continue;
      double left = b->wall_slack[p] - b->wall_way[p] - w->walls_moved;
      wrong += scree_wall_gap(w, wall, g, normal, lever) - g->r + doubt < left || left < -doubt;
    }
  }
  return wrong;
}

/* Pairs of a group that are closer than it thinks, or in contact, while it sleeps; `asleep` counts such groups. */
static int oversleep(const ScreeWorld *w, long *asleep) {
  const Pairs *q = &w->pairs;
  int wrong = 0;
  for (size_t n = 0; n < w->tile[w->tiles].runs; n++) {
    const Run *run = &w->run[n];
    for (size_t p = run->begin; p < run->end && run->near; p++) {
      double left = (double)q->wake[run->wake + (p - run->begin) / LANES] - w->bulk.closed[run->hasty], d2 = 0.0;
      if (!(left > 0.0)) continue;
      *asleep += p % LANES == 0;
      const Record *a = &w->record[KEPT(q, i, p)], *b = &w->record[KEPT(q, j, p)];
      for (int k = 0; k < 3; k++) d2 += pow(scree_image(w, k, b->x[k] - a->x[k]), 2.0);
      wrong += sqrt(d2) - (a->r + b->r) < left || q->k[p] != 0.0; /* nobody is at NAN */
    }
  }
  return wrong;
}

static const Case cases[] = {
    {"a block that falls", .skin = 0.05, .gravity = -9.81, .a = {0.3, 0, 0}, .steps = 2000, .fewer = INFINITY},
    {"a block that flies around", .skin = 0.1, .a = {1, -0.7, 0.4}, .noise = 0.02, .periodic = {1, 1, 1}, .steps = 1500,
     .fewer = 20},
    {"shear", .skin = 0.2, .b = {{0, 0, 40}}, .noise = 0.02, .steps = 800, .fewer = 5},
    {"shear between periodic sides", .skin = 0.2, .a = {0.5, 0.5, 0}, .b = {{0, 0, 40}, {0, 0, 20}}, .noise = 0.02,
     .periodic = {1, 1, 0}, .steps = 800, .fewer = 10},
    {"rotation", .skin = 0.2, .b = {{0, -30, 0}, {30, 0, 0}}, .noise = 0.02, .steps = 800, .fewer = 6},
    {"collapse", .skin = 0.2, .b = {{-20, 0, 0}, {0, -20, 0}, {0, 0, -20}}, .noise = 0.01, .steps = 500, .fewer = 2.5},
    {"gas", .skin = 0.3, .noise = 0.5, .periodic = {1, 1, 1}, .steps = 500, .fewer = 0.9},
    {"a gradient along a periodic axis", .skin = 0.2, .b = {{0, 0, 40}}, .noise = 0.02, .periodic = {1, 1, 1},
     .steps = 500, .fewer = 0.9},
    {"a block that widens across a periodic boundary", .skin = 0.2, .b = {{0, 0, 0}, {0, 0, 0}, {0, 0, 30}},
     .periodic = {1, 1, 1}, .steps = 400, .fewer = 0.9},
    {"a block that comes down on a floor", .skin = 0.1, .a = {0.2, 0, -0.5}, .height = 2e-3, .floor = true,
     .steps = 500, .fewer = 5},
    {"a fall on a floor", .skin = 0.1, .gravity = -9.81, .a = {0.05, 0, -0.1}, .noise = 0.01, .floor = true,
     .steps = 1500, .fewer = 1.2},
    {"a floor that is shaken", .skin = 0.1, .gravity = -9.81, .noise = 0.01, .floor = true, .shake = 0.3e-3,
     .steps = 1500, .fewer = 1.4},
    {"gas of many sizes", .skin = 0.05, .noise = 3.0, .smallest = 0.1, .periodic = {1, 0, 1}, .steps = 300,
     .fewer = 0.9},
    {"a thin skin", .skin = 0.01, .a = {0.3, 0, -0.3}, .noise = 0.02, .floor = true, .steps = 300, .fewer = 1.8},
    {"a projectile through a bed", .skin = 0.1, .noise = 0.02, .shot = {3, 2, 1}, .shots = GRAINS,
     .periodic = {1, 1, 1}, .steps = 400, .fewer = 1.6},
    {"a projectile that crosses a thin skin in a step", .skin = 0.01, .noise = 1e-4, .shot = {8, 0, 0}, .shots = GRAINS,
     .steps = 200, .fewer = 1},
    {"a projectile through a block", .skin = 0.02, .noise = 0.01, .shot = {3, 2, 1}, .shots = GRAINS, .steps = 400,
     .fewer = 2},
    {"jets", .skin = 0.1, .gravity = -9.81, .noise = 0.02, .shot = {0.5, 0, -4}, .shots = 43, .floor = true,
     .steps = 400, .fewer = 1.3},
    {"some fall out of a block", .skin = 0.05, .noise = 0.01, .shot = {0, 0, -0.7}, .shots = 60, .steps = 600,
     .fewer = 2},
    {"a gas with a heavy tail", .skin = 0.2, .noise = 4.0, .tail = true, .periodic = {1, 1, 1}, .steps = 400,
     .fewer = 1.1},
    {"projectiles through shear", .skin = 0.2, .b = {{0, 0, 40}}, .noise = 0.02, .shot = {-2, 2, -3}, .shots = 180,
     .periodic = {1, 0, 0}, .steps = 400, .fewer = 1.3},
    {"projectiles of many sizes", .skin = 0.05, .noise = 0.05, .smallest = 0.1, .shot = {8, -6, 5}, .shots = 31,
     .periodic = {1, 0, 1}, .steps = 500, .fewer = 1.2},
    {"a mesh that jets fall on", .skin = 0.1, .gravity = -9.81, .noise = 0.02, .shot = {0.5, 0, -4}, .shots = 43,
     .mesh = true, .steps = 400, .fewer = 1.3},
    {"a mesh that jets come down to", .skin = 0.1, .noise = 0.01, .shot = {0.3, 0, -5}, .shots = 43, .height = 15e-3,
     .mesh = true, .steps = 700, .fewer = 1.3},
    {"a mesh that is shaken", .skin = 0.1, .gravity = -9.81, .noise = 0.05, .shot = {0.5, 0, -2}, .shots = 60,
     .periodic = {1, 1, 0}, .mesh = true, .shake = 0.3e-3, .steps = 600, .fewer = 1},
    {"no skin", .skin = 0.0, .a = {0.3, 0, -0.3}, .noise = 0.02, .floor = true, .steps = 100, .fewer = 1},
};

static double fastest(const ScreeWorld *w) {
  double most2 = 0.0;
  for (size_t i = 0; i < w->count; i++) most2 = fmax(most2, scree_dot(w->turn[i].v, w->turn[i].v));
  return sqrt(most2);
}

Test(bulk, the_list_misses_no_pair_and_lasts) {
  long all_asleep = 0;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    const Case *c = &cases[n];
    ScreeWorld *w = world_of(c, c->skin * r, 1);
    int missing = 0, touching = 0, beyond = unlisted(w), wrong = 0, late = 0;
    long before = w->rebuilds, known = before, asleep = 0;
    double way = 0.0;
    follow(w, true);
    for (int s = 0; s < c->steps; s++) {
      cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s: %s", c->name, scree_last_error());
      if (s % 5 == 0) missing += missed(w, &touching);
      if (w->rebuilds != known) beyond += unlisted(w);
      follow(w, w->rebuilds != known);
      wrong += unbounded(w);
      late += oversleep(w, &asleep);
      known = w->rebuilds;
      way += fastest(w) * w->dt;
    }
    cr_expect_eq(missing, 0, "%s: %d of %d touching pairs are not in the list", c->name, missing, touching);
    cr_expect_eq(beyond, 0, "%s: %d pairs within reach are not listed", c->name, beyond);
    cr_expect_eq(wrong, 0, "%s: %d bounds do not hold", c->name, wrong);
    cr_expect_eq(late, 0, "%s: %d pairs are closer than the sleep of their groups allows", c->name, late);
    all_asleep += asleep;
    double rebuilds = (double)(w->rebuilds - before), plain = way / fmax(0.5 * w->skin, way / c->steps);
    cr_expect(touching > 30 || isinf(c->fewer), "%s: only %d touch", c->name, touching);
    cr_expect(isinf(c->fewer) ? rebuilds == 0.0 : c->fewer * rebuilds <= plain, "%s: %g rebuilds, %g by ways alone",
              c->name, rebuilds, plain);
    scree_world_destroy(w);
  }
  cr_expect(all_asleep > 100000, "%ld groups slept", all_asleep);
}

/* Grains anywhere in boxes of any shape, few of them fast: no pair within reach is missed, none is there twice. */
Test(bulk, lists_of_any_skin_and_pace_are_those_of_all_pairs) {
  const Case even = {.noise = 0.1}, sizes = {.noise = 0.1, .smallest = 0.1};
  int wrong = 0, paced = 0;
  for (int trial = 0; trial < 200; trial++) {
    ScreeWorld *w = world_of(trial % 2 ? &sizes : &even, 0.1 * r, 1);
    seed = (uint64_t)trial;
    w->skin = w->def.skin = r * pow(10.0, random_in(&seed, -2.0, 0.5));
    w->haste = random_in(&seed, 1.0, 16.0);
    for (int k = 0; k < 3; k++) {
      w->def.periodic[k] = random_in(&seed, 0.0, 1.0) < 0.6;
      w->def.low[k] = random_in(&seed, -0.1, 0.1);
      w->def.high[k] = w->def.low[k] + (4.0 * r + 2.0 * w->skin) * pow(4.0, random_in(&seed, 0.0, 1.0));
    }
    for (size_t i = 0; i < w->count; i++) {
      double faster = random_in(&seed, 0.0, 1.0) < 0.04 ? pow(10.0, random_in(&seed, 0.0, 2.0)) : 1.0;
      for (int k = 0; k < 3; k++) {
        w->record[i].x[k] = random_in(&seed, w->def.low[k], w->def.high[k]);
        w->turn[i].v[k] = faster * random_in(&seed, -0.1, 0.1);
      }
    }
    cr_assert_eq(scree_rebuild(w, NULL, 0, false), SCREE_OK, "%s", scree_last_error());
    wrong += unlisted(w);
    paced += w->bulk.paced;
    scree_world_destroy(w);
  }
  cr_expect_eq(wrong, 0, "%d pairs are missing, or there twice", wrong);
  cr_expect(paced > 100, "%d lists have fast grains", paced);
}

/* Without a skin the list is made in every step. */
Test(bulk, nothing_depends_on_the_skin) {
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    const Case *c = &cases[n];
    const double skin[] = {0.0, c->skin * r, NAN};
    uint64_t hash[3];
    for (int s = 0; s < 3; s++) {
      ScreeWorld *w = world_of(c, skin[s], 1);
      cr_assert_eq(scree_world_step(w, c->steps), SCREE_OK, "%s: %s", c->name, scree_last_error());
      cr_expect(s > 0 || c->noise == 0.0 || w->rebuilds > 0.9 * c->steps, "%s: %ld lists", c->name, w->rebuilds);
      hash[s] = scree_world_hash(w);
      scree_world_destroy(w);
    }
    cr_expect(hash[1] == hash[0] && hash[2] == hash[0], "%s", c->name);
  }
}

/* Two grains, head on: nothing is closer than the bound of their speeds says, and it is used up when they touch. They
 * are asleep until then, and touch in the same step as grains whose list is made in every step. */
Test(bulk, a_pair_sleeps_until_it_touches) {
  const double along[][3] = {{1, 0, 0}, {0.6, 0, -0.8}, {-1, 2, 3}};
  for (int n = 0; n < 6; n++) {
    const double *u = along[n % 3], gap = 0.05 * r * (1 + n), speed = 0.1 * (1 + n), size = sqrt(scree_dot(u, u));
    ScreeWorld *w[2];
    for (int s = 0; s < 2; s++) {
      ScreeWorldDef def = scree_world_def_default();
      ScreeContactDef contact = scree_contact_def_default();
      ScreeGrain g[2] = {{.id = 1, .radius = r}, {.id = 2, .radius = r}};
      for (int k = 0; k < 3; k++) {
        def.gravity[k] = 0.0, def.low[k] = -0.1, def.high[k] = 0.1, def.periodic[k] = n >= 3;
        g[1].position[k] = (2.0 * r + gap) * u[k] / size;
        g[1].velocity[k] = -speed * u[k] / size;
      }
      def.max_overlap = 0.5, def.skin = s ? r : 0.0, def.timestep = 1e-6, def.expected_speed = 2.0;
      w[s] = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
      start_with(w[s], 2, g);
    }
    long asleep = 0, steps = 0;
    for (; scree_world_contact_count(w[0]) == 0; steps++) {
      cr_assert_eq(scree_world_step(w[0], 1), SCREE_OK);
      cr_assert_eq(scree_world_step(w[1], 1), SCREE_OK);
      cr_assert_eq(oversleep(w[1], &asleep), 0, "%d: in step %ld", n, steps);
      cr_assert_eq(scree_world_hash(w[0]), scree_world_hash(w[1]), "%d: in step %ld", n, steps);
    }
    cr_expect(fabs((double)steps - gap / (speed * 1e-6)) < 2.0 && asleep >= steps - 2 && w[1]->rebuilds == 1,
              "%d: %ld of %ld steps asleep, %ld lists", n, asleep, steps, w[1]->rebuilds);
    scree_world_destroy(w[0]), scree_world_destroy(w[1]);
  }
}

/* A flow that stops soon after the list was made: the list goes on without the field. */
Test(bulk, a_field_that_ends_is_dropped) {
  const Case c = {.a = {0.6, -0.3, 0.2}, .b = {{0, 0, 40}}, .noise = 1e-3, .gravity = -9.81};
  ScreeWorld *w = world_of(&c, 0.2 * r, 1);
  long known = w->rebuilds, asleep = 0;
  int wrong = 0, sheared = 0;
  while (w->rebuilds == known) cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
  known = w->rebuilds;
  follow(w, true);
  for (int s = 0; s < 150 && w->rebuilds == known; s++) {
    for (size_t i = 0; i < w->count && s == 3; i++)
      for (int k = 0; k < 3; k++) w->record[i].v[k] = c.a[k] + 1e-3 * (double)(i % 3);
    cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
    sheared += w->bulk.sheared;
    follow(w, false);
    wrong += unbounded(w) + oversleep(w, &asleep);
  }
  cr_expect_eq(wrong, 0, "%d bounds do not hold", wrong);
  cr_expect(sheared > 3 && sheared < 100 && w->rebuilds == known, "sheared in %d steps, %ld lists", sheared,
            w->rebuilds - known);
  scree_world_destroy(w);
}

/* Whoever moves more than its radius in a step is named, the fast as well as the slow, of whichever thread; of two that
 * of the smaller id. */
Test(bulk, a_fast_grain_that_runs_away_is_found) {
  const Case c = {.noise = 0.02, .shot = {3, 2, 1}, .shots = 43};
  scree_grains_per_thread = 1.0;
  for (int threads = 1; threads <= 3; threads++)
    for (int n = 0; n < 3; n++) {
      ScreeWorld *w = world_of(&c, 0.1 * r, threads);
      cr_assert_eq(scree_world_step(w, 60), SCREE_OK, "%s", scree_last_error());
      size_t i = n == 1 ? w->count - 1 : 0;
      while (i > 0 && scree_pace_of(w, i) == 0) i--;
      while (i < w->count && scree_pace_of(w, i) == 0) i++;
      cr_assert(w->bulk.paced && i < w->count);
      w->record[i].v[0] = 1.5 * r / w->dt;
      size_t other = n == 2 ? w->count - 1 : i;
      w->record[other].v[0] = 1.6 * r / w->dt;
      char grain[32];
      if (w->turn[other].id < w->turn[i].id) i = other;
      snprintf(grain, sizeof grain, "grain %llu at", (unsigned long long)w->turn[i].id);
      cr_expect_eq(scree_world_step(w, 1), SCREE_OUT_OF_RANGE);
      cr_expect(strstr(scree_last_error(), "more than its radius") && strstr(scree_last_error(), grain), "%s: %s",
                grain, scree_last_error());
      scree_world_destroy(w);
    }
}

/* Some are taken out, which ends no list, and others put in, which does. */
Test(bulk, bounds_hold_while_grains_come_and_go) {
  const Case c = {.gravity = -9.81, .noise = 0.02, .shot = {0.5, 0, -3}, .shots = 43, .floor = true, .height = 1e-3};
  ScreeWorld *w = world_of(&c, 0.1 * r, 1);
  int missing = 0, touching = 0, wrong = 0, kept = 0;
  long asleep = 0;
  follow(w, true);
  for (int s = 0; s < 400; s++) {
    long known = w->rebuilds;
    if (s % 20 == 19) {
      uint64_t gone[3];
      for (size_t g = 0; g < 3; g++) gone[g] = w->turn[(g * 97 + (size_t)s) % w->count].id;
      cr_assert_eq(scree_world_remove(w, 3, gone), SCREE_OK, "%s", scree_last_error());
      kept += w->rebuilds == known;
    }
    if (s % 50 == 0) {
      ScreeGrain come = grain_of(&c, GRAINS + s / 50);
      come.position[2] += (4 + s) * r, come.velocity[2] = -1.5;
      cr_assert_eq(scree_world_insert(w, 1, &come), SCREE_OK, "%s", scree_last_error());
    }
    if (w->rebuilds != known) follow(w, true);
    known = w->rebuilds;
    cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
    if (s % 5 == 0) missing += missed(w, &touching);
    follow(w, w->rebuilds != known);
    wrong += unbounded(w) + oversleep(w, &asleep);
  }
  cr_expect_eq(missing, 0, "%d of %d touching pairs are not in the list", missing, touching);
  cr_expect_eq(wrong, 0, "%d bounds do not hold", wrong);
  cr_expect(kept == 20 && touching > 1000 && w->bulk.paced, "%d, %d", kept, touching);
  scree_world_destroy(w);
}

Test(bulk, rebuilds_do_not_depend_on_threads) {
  scree_grains_per_thread = 1.0;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    ScreeWorld *w = world_of(&cases[n], cases[n].skin * r, 1), *v = world_of(&cases[n], cases[n].skin * r, 3);
    cr_assert_eq(scree_world_step(w, 200), SCREE_OK);
    cr_assert_eq(scree_world_step(v, 200), SCREE_OK);
    cr_expect_eq(w->rebuilds, v->rebuilds, "%s", cases[n].name);
    cr_expect_eq(scree_world_hash(w), scree_world_hash(v), "%s", cases[n].name);
    scree_world_destroy(w), scree_world_destroy(v);
  }
}

Test(bulk, instruction_sets_list_the_same_pairs) {
  int usual = scree_isa_current();
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    uint64_t hash = 0;
    size_t pairs = 0;
    for (int isa = 0; isa < scree_isa_count(); isa++) {
      if (!scree_isa_supported(isa)) continue;
      scree_isa_use(isa);
      ScreeWorld *w = world_of(&cases[n], cases[n].skin * r, 1);
      cr_assert_eq(scree_world_step(w, 50), SCREE_OK);
      if (pairs > 0) {
        cr_expect_eq(w->pairs.count, pairs, "%s, %s", cases[n].name, scree_isa_name(isa));
        cr_expect_eq(scree_world_hash(w), hash, "%s, %s", cases[n].name, scree_isa_name(isa));
      }
      pairs = w->pairs.count, hash = scree_world_hash(w);
      scree_world_destroy(w);
    }
  }
  scree_isa_use(usual);
}

/* The skin that is chosen: some radii where few are near and all move apart, little where many are near; the same for
 * any number of threads. */
Test(bulk, the_skin_follows_motion_and_density) {
  scree_grains_per_thread = 1.0;
  double chosen[2][2];
  for (int dilute = 0; dilute < 2; dilute++)
    for (int many = 0; many < 2; many++) {
      ScreeWorldDef def = scree_world_def_default();
      ScreeContactDef contact = scree_contact_def_default();
      static ScreeGrain g[GRAINS];
      double pitch = dilute ? 6.0 * r : 2.05 * r;
      seed = 3;
      for (int i = 0; i < GRAINS; i++) {
        int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        g[i] = (ScreeGrain){.id = (uint64_t)i, .radius = r};
        for (int k = 0; k < 3; k++)
          g[i].position[k] = (at[k] + 0.5) * pitch, g[i].velocity[k] = random_in(&seed, -0.5, 0.5);
      }
      for (int k = 0; k < 3; k++) def.gravity[k] = 0.0, def.high[k] = SIDE * pitch, def.periodic[k] = true;
      def.timestep = 1e-5, def.expected_speed = 2.0, def.max_overlap = 0.5, def.threads = many ? 3 : 1;
      contact.pair.restitution = 1.0;
      ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
      start_with(w, GRAINS, g);
      cr_assert_eq(scree_world_step(w, 1500), SCREE_OK, "%s", scree_last_error());
      chosen[dilute][many] = w->skin / r;
      scree_world_destroy(w);
    }
  cr_expect_eq(chosen[0][0], chosen[0][1]);
  cr_expect_eq(chosen[1][0], chosen[1][1]);
  cr_expect(chosen[0][0] > 0.06 && chosen[0][0] < 0.5, "dense: %.3g radii", chosen[0][0]);
  cr_expect(chosen[1][0] > 0.7 && chosen[1][0] <= 2.0, "dilute: %.3g radii", chosen[1][0]);
}

/* Lists that follow each other soon take turns with two blocks of memory, and a block that is too short, or far too
 * long, gives way to another; a list that lasts has no other beside it, and what the world says it takes is what it
 * has. */
Test(bulk, memory_of_a_list_is_kept_for_the_next_while_they_are_made_often) {
  enum { BIG = 1 << 23 };
  const Case gas = {.noise = 0.5, .periodic = {1, 1, 1}}, rest = {0};
  scree_shares_timed = false; /* how long a list is depends on the shares a little */
  ScreeWorld *w = world_of(&gas, 0.3 * r, 2);
  int again = 0, lists = 0;
  while (w->rebuilds < 5) cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
  for (int s = 0; s < 2000; s++) {
    if (s == 1000) free(w->spare), w->spare = malloc(64), w->spare_room = 64;
    if (s == 1500) free(w->spare), w->spare = malloc(BIG), w->spare_room = BIG; /* as if most grains had gone */
    const char *spare = w->spare, *block = w->pairs.block;
    size_t room = w->spare_room, bytes = scree_world_bytes(w);
    long known = w->rebuilds;
    cr_assert_not_null(spare);
    cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
    if (w->rebuilds == known) continue;
    lists++, again += w->pairs.block == spare;
    cr_expect(w->pairs.block == spare ? w->pairs.room == room && room < BIG : w->pairs.room > room || room == BIG);
    cr_expect_leq(w->pairs.block + w->pairs.capacity * (sizeof(Eight) / LANES + 20), w->pairs.block + w->pairs.room);
    cr_expect_eq(w->spare, block);
    if (w->spare_room == room) cr_expect_lt(fabs((double)scree_world_bytes(w) / (double)bytes - 1.0), 0.1);
  }
  cr_expect(lists > 10 && 10 * again > 8 * lists, "%d of %d lists in memory that was there", again, lists);
  size_t with = scree_world_bytes(w), spare = w->spare_room;
  w->rebuilt_at = w->step - (long)(2.0 * w->life); /* as if it had lasted */
  cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
  cr_expect_not_null(w->spare);
  cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
  cr_expect_null(w->spare);
  cr_expect_eq(scree_world_bytes(w), with - spare);
  scree_world_destroy(w);
  w = world_of(&rest, 0.3 * r, 1);
  cr_assert_eq(scree_world_step(w, 100), SCREE_OK, "%s", scree_last_error());
  cr_expect_null(w->spare);
  scree_world_destroy(w);
}
