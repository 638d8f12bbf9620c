/* Sides of grains that face walls: what the kernel computes for several pairs at once is, to the bit, what the gap of
 * each grain by itself gives: for every shape, still and moving, around axes, whichever walls share a group. */
#include <string.h>

#include "dem/contact.h"
#include "support/worlds.h"

enum { GRAINS = 240 };
static const double r = 1e-3;

static uint64_t seed;

static const ScreeWallDef wall[] = {
    {.shape = SCREE_WALL_PLANE, .point = {0, 0, -0.7}, .axis = {0.1, 0.2, 1}},
    {.shape = SCREE_WALL_CYLINDER, .point = {0, 0, 0}, .axis = {0, 0.3, 1}, .radius = 1.2, .inside = true},
    {.shape = SCREE_WALL_CYLINDER, .point = {0.5, 0, 0}, .axis = {0, 0, 1}, .radius = 0.05},
    {.shape = SCREE_WALL_CYLINDER, .point = {0, 0.1, -0.4}, .axis = {0, 0, 1}, .radius = 0.2, .length = 0.5},
    {.shape = SCREE_WALL_CONE, .point = {0, 0, -0.3}, .axis = {0, 0, 1}, .radius = 0.1, .radius2 = 0.4, .length = 0.3},
    {.shape = SCREE_WALL_CONE, .point = {0, 0, -1.5}, .axis = {0, 0, 1}, .angle = 0.8},
    {.shape = SCREE_WALL_DISC, .point = {0, 0, 0.2}, .axis = {1, 0, 1}, .radius = 0.3, .radius2 = 0.1},
    {.shape = SCREE_WALL_SPHERE, .point = {0, 0, 0}, .radius = 1.3, .inside = true},
    {.shape = SCREE_WALL_SPHERE, .point = {-0.5, 0, 0}, .radius = 0.1},
    {.shape = SCREE_WALL_BOX, .low = {-0.2, -0.6, -0.1}, .high = {0.2, -0.5, 0.1}},
};
enum { WALLS = sizeof wall / sizeof *wall };

/* Clear of all walls by a little more than the radius. */
static bool is_free(const ScreeWorldDef *def, const double *x) {
  for (int i = 0; i < WALLS; i++)
    if (!(scree_wall_distance_in(def, &wall[i], x) > 0.97 * r)) return false;
  return true;
}

/* Anywhere, just beside a wall, on an axis or very close to one. */
static void place(const ScreeWorldDef *def, int i, double *x) {
  do {
    for (int k = 0; k < 3; k++) x[k] = random_in(&seed, -0.8, 0.8);
    if (i % 4 == 1)
      x[0] = i % 8 == 1 ? 0.0 : random_in(&seed, -0.06, 0.06) * r, x[1] = random_in(&seed, -0.06, 0.06) * r;
    if (i % 4 == 1 && i % 3 == 0) x[0] = x[1] = 0.0;
    if (i % 4 == 1) x[2] = -0.6 + 1.2 * i / GRAINS + random_in(&seed, -5.0, 5.0) * r; /* one above the other */
    if (i % 4 == 2) {                                                                 /* down to a wall */
      int to = i / 4 % WALLS;
      for (int n = 0; n < 200 && scree_wall_distance(&wall[to], x) > 0.985 * r; n++) {
        double gap = scree_wall_distance(&wall[to], x), e = 1e-5, way[3];
        for (int k = 0; k < 3; k++) {
          double y[3] = {x[0], x[1], x[2]};
          y[k] += e;
          way[k] = (gap - scree_wall_distance(&wall[to], y)) / e;
        }
        for (int k = 0; k < 3; k++) x[k] += fmin(gap - 0.98 * r, gap) * way[k];
      }
    }
  } while (!is_free(def, x));
}

static ScreeWorld *world_of(bool moves, bool periodic) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  static ScreeGrain g[GRAINS];
  int id;
  seed = 3;
  for (int k = 0; k < 3; k++) {
    def.low[k] = periodic ? -0.85 : -2.0, def.high[k] = -def.low[k];
    def.gravity[k] = 0.0, def.periodic[k] = periodic;
  }
  def.skin = periodic ? 0.8 : 2.0, def.max_overlap = 0.5, def.expected_speed = 1.0, def.timestep = 1e-5;
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
  for (int i = 0; i < WALLS; i++) {
    cr_assert_eq(scree_world_add_wall(w, &wall[i], &id), SCREE_OK, "%s", scree_last_error());
    if (!moves || i % 3 == 2) continue;
    ScreeMotionDef motion = scree_motion_def_default(i % 3 == 0 ? SCREE_MOTION_ROTATION : SCREE_MOTION_OSCILLATION);
    motion.axis[0] = 0.3, motion.axis[2] = i % 3 == 0, motion.speed = 0.1, motion.point[1] = 0.2;
    motion.amplitude[0] = 1e-5, motion.frequency = 100.0;
    if (i % 3 == 1) motion.axis[0] = 0.0;
    cr_assert_eq(scree_world_move_wall(w, id, &motion), SCREE_OK, "%s", scree_last_error());
  }
  for (int i = 0; i < GRAINS; i++) {
    g[i] = (ScreeGrain){.id = (uint64_t)i, .radius = r * random_in(&seed, 0.99, 1.0)};
    place(&def, i, g[i].position);
    for (int k = 0; k < 3; k++)
      g[i].velocity[k] = random_in(&seed, -0.1, 0.1), g[i].spin[k] = random_in(&seed, -10.0, 10.0);
  }
  start_with(w, GRAINS, g);
  return w;
}

static bool same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* One pair by itself. */
static bool is_right(const ScreeWorld *w, const Block *b, int s) {
  int32_t i = KEPT(&w->pairs, i, b->pair + (size_t)s), j = KEPT(&w->pairs, j, b->pair + (size_t)s);
  const Record *grain = &w->record[i];
  const Body *body = scree_body_of(w, -1 - j);
  double n[3], lever[3], v[3], gap = scree_wall_gap(w, -1 - j, grain, n, lever), d = fmax(grain->r - gap, 0.0),
                               arm = grain->r - 0.5 * d;
  bool right = same(d, b->d[s]) && same(arm, b->arm1[s]) && (b->touch[s / LANES] >> s % LANES & 1) == (d > 0.0);
  for (int k = 0; k < 3; k++) lever[k] += arm * n[k];
  Surface ground = body->moves ? scree_surface(&body->frame, lever) : (Surface){0};
  for (int k = 0; k < 3; k++) {
    right = right && same(n[k], b->n[k][s]) && same(lever[k], b->lever[k][s]);
    v[k] = grain->v[k] - ground.v[k];
  }
  return right && same(scree_dot(v, n), b->v[s]) && same(scree_dot(n, n) > 1.0 - 1e-9 ? 1.0 : 0.0, b->grip[s]);
}

static void compare(ScreeWorld *w, int *pairs, int *touching) {
  Worker *worker = w->worker[0];
  Block *b = &worker->block;
  for (size_t q = 0; q < w->pairs.count; q++) w->pairs.k[q] = 1.0; /* as if they touched: none is passed over */
  for (size_t e = 0; e < w->tile[w->tiles].runs; e++)
    for (size_t p = w->run[e].begin; p < w->run[e].end && w->run[e].walls;) {
      p = scree_sides(w, &w->run[e], p, worker);
      for (int s = 0; s < b->groups * LANES; s++) {
        size_t q = b->pair + (size_t)s;
        if ((size_t)KEPT(&w->pairs, i, q) >= w->count) {
          cr_expect_eq(b->touch[s / LANES] >> s % LANES & 1, 0, "the sentinel touches");
          continue;
        }
        ++*pairs, *touching += b->d[s] > 0.0;
        cr_expect(is_right(w, b, s), "%s: grain %llu and wall %d", scree_isa_name(scree_isa_current()),
                  (unsigned long long)w->turn[KEPT(&w->pairs, i, q)].id, -1 - KEPT(&w->pairs, j, q));
      }
    }
}

Test(side, kernels_give_what_single_grains_do) {
  int usual = scree_isa_current();
  for (int kind = 0; kind < 4; kind++) {
    ScreeWorld *w = world_of(kind & 1, kind & 2);
    int pairs = 0, touching = 0, isas = 0;
    cr_assert_eq(scree_world_step(w, kind & 1 ? 20 : 0), SCREE_OK, "%s", scree_last_error());
    for (int isa = 0; isa < scree_isa_count(); isa++) {
      if (!scree_isa_supported(isa)) continue;
      scree_isa_use(isa);
      compare(w, &pairs, &touching);
      isas++;
    }
    scree_isa_use(usual);
    cr_expect(pairs > isas * GRAINS, "%d pairs", pairs);
    cr_expect(touching > isas * 10, "%d touch", touching);
    scree_world_destroy(w);
  }
}
