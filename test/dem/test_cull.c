/* What is looked for once for several grains misses nothing: the list holds the pairs of grains and walls, and the
 * triangles beside grains, that a search of each grain among all finds, and no others. */
#include <stdlib.h>
#include <string.h>

#include "dem/contact.h"
#include "support/worlds.h"

static const double r = 5e-4, skin = 2e-4; /* of walls it is three times that */

static uint64_t seed;

#define MM(x, y, z)                                                                                                    \
  { 1e-3 * (x), 1e-3 * (y), 1e-3 * (z) }
static const double lone[3] = MM(0, 0, 60);
static const ScreeWallDef wall[] = {
    {.shape = SCREE_WALL_PLANE, .point = MM(0, 0, -9), .axis = {0.1, 0.2, 1}},
    {.shape = SCREE_WALL_CYLINDER, .point = MM(0, 0, 0), .axis = {0, 0, 1}, .radius = 9.5e-3, .inside = true},
    {.shape = SCREE_WALL_CONE,
     .point = MM(0, 0, -6),
     .axis = {0, 0, 1},
     .radius = 2e-3,
     .radius2 = 6e-3,
     .length = 4e-3},
    {.shape = SCREE_WALL_CYLINDER, .point = MM(-4, 4, -2), .axis = {0, 1, 1}, .radius = 2e-3, .length = 3e-3},
    {.shape = SCREE_WALL_DISC, .point = MM(0, 0, 4), .axis = {1, 0, 1}, .radius = 3e-3, .radius2 = 1e-3},
    {.shape = SCREE_WALL_SPHERE, .point = MM(4, 4, 4), .radius = 1.5e-3},
    {.shape = SCREE_WALL_BOX, .low = MM(-5, -5, 2), .high = MM(-3, -3, 3)},
    /* a grain on its axis is nearer to it by 0.025 r than the axis is: within the skin, and the axis is not */
    {.shape = SCREE_WALL_CYLINDER,
     .point = MM(0, 0, 55),
     .axis = {0, 0, 1},
     .radius = 5e-4 * 1.01 + 6e-4,
     .length = 10e-3},
};
enum { WALLS = sizeof wall / sizeof *wall, COARSE = 6, FINE = 60 };

/* Around all, it would keep grains from meeting images. */
static bool is_left_out(int i, bool periodic) { return periodic && i == 1; }

/* A wavy sheet of squares halved, from a corner on. */
static ScreeMesh *sheet(int side, double pitch, const double *from) {
  size_t vertices = (size_t)((side + 1) * (side + 1)), triangles = (size_t)(2 * side * side), t = 0;
  double(*vertex)[3] = malloc(vertices * sizeof *vertex);
  uint32_t(*triangle)[3] = malloc(triangles * sizeof *triangle);
  for (int y = 0; y <= side; y++)
    for (int x = 0; x <= side; x++) {
      double at[3] = {pitch * x, pitch * y, 0.2 * pitch * sin(1.3 * x + 0.7 * y)};
      for (int k = 0; k < 3; k++) vertex[y * (side + 1) + x][k] = from[k] + at[k];
    }
  for (uint32_t y = 0; y < (uint32_t)side; y++)
    for (uint32_t x = 0; x < (uint32_t)side; x++) {
      uint32_t a = y * (uint32_t)(side + 1) + x, b = a + 1, c = a + (uint32_t)side + 1, d = c + 1;
      memcpy(triangle[t++], (uint32_t[]){a, b, d}, sizeof *triangle);
      memcpy(triangle[t++], (uint32_t[]){a, d, c}, sizeof *triangle);
    }
  ScreeMeshDef def = {(const double(*)[3])vertex, vertices, (const uint32_t(*)[3])triangle, triangles};
  ScreeMesh *mesh = NULL;
  cr_assert_eq(scree_mesh_create(&def, &mesh), SCREE_OK, "%s", scree_last_error());
  free(vertex), free(triangle);
  return mesh;
}

/* A loose lattice, shuffled a little, where nothing is in the way; and one grain far from all. */
static size_t fill(const ScreeWorldDef *def, ScreeMesh *const *mesh, ScreeGrain *g) {
  size_t count = 0;
  double gap[3];
  for (int n = 0; n < 17 * 17 * 17; n++) {
    const int at[3] = {n % 17, n / 17 % 17, n / 17 / 17};
    double x[3];
    bool fits = true;
    for (int k = 0; k < 3; k++) x[k] = (at[k] - 8) * 2.3 * r + random_in(&seed, -0.14, 0.14) * r;
    for (int i = 0; i < WALLS; i++)
      fits = fits && (is_left_out(i, def->periodic[0]) || scree_wall_distance_in(def, &wall[i], x) > 0.99 * r);
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 27 && fits; k++) {
        for (int a = 0; a < 3; a++)
          gap[a] = x[a] + (def->periodic[a] ? k / (int)pow(3, a) % 3 - 1 : 0) * (def->high[a] - def->low[a]);
        fits = scree_mesh_distance(mesh[i], gap) > 0.99 * r;
      }
    }
    if (!fits) continue;
    g[count] = (ScreeGrain){.id = count + 1, .radius = r * random_in(&seed, 0.9, 1.0), .fixed = count % 50 == 7};
    memcpy(g[count++].position, x, sizeof x);
  }
  if (def->periodic[0]) return count;
  g[count] = (ScreeGrain){.id = count + 1, .radius = r};
  memcpy(g[count].position, lone, sizeof lone);
  return count + 1;
}

static ScreeWorld *world_of(bool moves, bool periodic, int threads) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeMesh *mesh[2] = {sheet(COARSE, 1.1e-3, (double[])MM(2.9, -6, -3)), sheet(FINE, 0.06e-3, (double[])MM(-6, 2, 2))};
  ScreeGrain *g = malloc(18 * 18 * 18 * sizeof *g);
  int ids[WALLS + 2];
  seed = 11;
  for (int k = 0; k < 3; k++) {
    def.high[k] = periodic && k < 2 ? 9.78e-3 : 80e-3, def.low[k] = -def.high[k];
    def.gravity[k] = 0.0, def.periodic[k] = periodic && k < 2;
  }
  def.skin = skin, def.max_overlap = 0.5, def.expected_speed = 1.0, def.timestep = 1e-6, def.threads = threads;
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
  for (int i = 0; i < WALLS; i++)
    if (!is_left_out(i, periodic)) cr_assert_eq(scree_world_add_wall(w, &wall[i], &ids[i]), SCREE_OK);
  for (int i = 0; i < 2; i++) {
    ScreeWallDef def_of = {.shape = SCREE_WALL_MESH, .mesh = mesh[i]};
    cr_assert_eq(scree_world_add_wall(w, &def_of, &ids[WALLS + i]), SCREE_OK, "%s", scree_last_error());
  }
  ScreeMotionDef motion = scree_motion_def_default(SCREE_MOTION_ROTATION);
  motion.axis[0] = 0.3, motion.axis[2] = 1.0, motion.speed = 10.0, motion.point[1] = 2e-3;
  for (int i = 0; i < WALLS + 2 && moves; i++)
    if (i % 2 == 0 || i == WALLS + 1) /* not the second */
      cr_assert_eq(scree_world_move_wall(w, ids[i], &motion), SCREE_OK);
  start_with(w, fill(&def, mesh, g), g);
  for (int i = 0; i < 2; i++) scree_mesh_destroy(mesh[i]);
  free(g);
  return w;
}

/* Every wall that is no mesh. */
static size_t compare_walls(const ScreeWorld *w) {
  size_t expected = 0, held = 0;
  for (size_t i = 0; i < w->count; i++)
    for (int n = 0; n < w->walls; n++) {
      const Record *grain = &w->record[i];
      double normal[3], lever[3];
      if (scree_is_mesh(w, n)) continue;
      bool near = scree_wall_gap(w, n, grain, normal, lever) < grain->r + scree_wall_skin(w, scree_pace_of(w, i));
      cr_expect_eq(scree_is_beside(w, i, n), near, "grain %llu, wall %d", (unsigned long long)w->turn[i].id, n);
      expected += near && !scree_is_fixed(grain);
    }
  for (size_t p = 0; p < w->pairs.count; p++)
    held += (size_t)KEPT(&w->pairs, i, p) < w->count && KEPT(&w->pairs, j, p) < 0 &&
            !scree_is_mesh(w, -1 - KEPT(&w->pairs, j, p));
  cr_expect_eq(held, expected, "%zu of %zu pairs with walls", held, expected);
  return expected;
}

/* The triangles near a grain, of one image of a mesh, among all. */
static void near_alone(const ScreeWorld *w, const Body *b, size_t grain, int image, NearList *list) {
  const Record *g = &w->record[grain];
  double to[3], own[3],
      within = scree_mesh_reach((Reach){g->r, w->def.max_overlap}) + scree_wall_skin(w, scree_pace_of(w, grain));
  for (int k = 0; k < 3; k++) to[k] = g->x[k] - (b->moves ? b->frame.near[k] : 0.0) + w->image[image][k];
  memcpy(own, to, sizeof own);
  if (b->moves) scree_to_own(&b->frame, to, own);
  for (int k = 0; k < 3 && b->moves; k++) own[k] += b->frame.home[k];
  list->count = 0;
  cr_assert(scree_mesh_near(w->wall[b->first].mesh, own, within, list));
}

static size_t compare_mesh(const ScreeWorld *w, int body, const Worker *worker) {
  const Sites *s = &worker->sites;
  NearList list = {NULL, 0, 0};
  size_t at = 0, triangles = 0;
  for (size_t i = worker->first; i < worker->last; i++) {
    while (at < s->sites && (s->site[at].grain < (int32_t)i || s->site[at].body != body)) at++;
    const MeshSite *site = at < s->sites && s->site[at].grain == (int32_t)i ? &s->site[at] : NULL;
    size_t view = site ? site->view : 0, end = site ? site->view + site->views : 0;
    for (int image = 0; image < w->images && !scree_is_fixed(&w->record[i]); image++) {
      near_alone(w, &w->body[body], i, image, &list);
      triangles += list.count;
      if (list.count == 0) continue;
      cr_expect(view < end, "grain %llu misses %zu triangles", (unsigned long long)w->turn[i].id, list.count);
      if (view == end) continue;
      bool same = s->view[view].count == list.count &&
                  memcmp(s->near.near + s->view[view].near, list.near, list.count * sizeof *list.near) == 0;
      cr_expect(same, "grain %llu, image %d of body %d", (unsigned long long)w->turn[i].id, image, body);
      view++;
    }
    cr_expect_eq(view, end, "grain %llu has views of nothing", (unsigned long long)w->turn[i].id);
  }
  free(list.near);
  return triangles;
}

Test(cull, lists_hold_what_each_grain_finds_alone) {
  for (int kind = 0; kind < 4; kind++) {
    ScreeWorld *w = world_of(kind & 1, kind & 2, kind == 3 ? 3 : 1);
    for (int round = 0; round < 2; round++) {
      size_t triangles = 0, pairs = compare_walls(w);
      for (int b = 0; b < w->bodies; b++)
        for (int t = 0; t < w->def.threads && scree_is_mesh(w, w->body[b].first); t++)
          triangles += compare_mesh(w, b, w->worker[t]);
      cr_expect(pairs > 300 && triangles > 1000, "%zu pairs, %zu triangles", pairs, triangles);
      cr_expect_eq(w->bulk.paced, round == 1);
      cr_assert_eq(scree_world_step(w, 20), SCREE_OK, "%s", scree_last_error());
      for (size_t i = 0; i < w->count; i += 31) w->turn[i].v[0] = 1e3 * (double)(i % 7 + 1); /* some become fast */
      w->haste = 4.0;
      cr_assert_eq(scree_rebuild(w, NULL, 0, true), SCREE_OK);
    }
    scree_world_destroy(w);
  }
}

static ScreeWorld *start(ScreeMesh *mesh, const ScreeWallDef *floor, size_t count, const ScreeGrain *g) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef surface = {.shape = SCREE_WALL_MESH, .mesh = mesh};
  int id;
  for (int k = 0; k < 3; k++) def.high[k] = 50e-3, def.low[k] = -50e-3, def.gravity[k] = 0.0;
  def.skin = skin, def.expected_speed = 1.0;
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
  cr_assert_eq(scree_world_add_wall(w, &surface, &id), SCREE_OK, "%s", scree_last_error());
  if (floor) cr_assert_eq(scree_world_add_wall(w, floor, &id), SCREE_OK);
  start_with(w, count, g);
  scree_mesh_destroy(mesh);
  return w;
}

static int64_t contacts_of(ScreeWorld *w) {
  ScreeMeasure m;
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  return (int64_t)m.contacts;
}

/* A sheet lies below the floor, near the grains but out of their reach: their pairs with it are passed over, those with
 * the floor beside them are not. */
Test(cull, grains_touch_a_floor_beside_an_idle_mesh) {
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  ScreeGrain g[8];
  for (int i = 0; i < 8; i++)
    g[i] = (ScreeGrain){.id = (uint64_t)i, .radius = r, .position = {(i - 4) * 2.2 * r, 0.0, 0.99 * r}};
  ScreeWorld *w = start(sheet(COARSE, 1.1e-3, (double[])MM(-3, -3, -0.4)), &floor, 8, g);
  cr_expect_gt(w->worker[0]->sites.sites, 4);
  cr_expect_eq(contacts_of(w), 8);
  scree_world_destroy(w);
}

/* In a sharp valley a grain has two contacts; when it has left, both have ended. */
Test(cull, contacts_in_a_valley_end) {
  const double vertex[][3] = {MM(-5, 0, 0), MM(5, 0, 0), MM(-5, -5, 5), MM(5, -5, 5), MM(-5, 5, 5), MM(5, 5, 5)};
  const uint32_t triangle[][3] = {{0, 1, 3}, {0, 3, 2}, {0, 1, 5}, {0, 5, 4}};
  ScreeMeshDef def = {vertex, 6, triangle, 4};
  ScreeMesh *mesh = NULL;
  cr_assert_eq(scree_mesh_create(&def, &mesh), SCREE_OK, "%s", scree_last_error());
  ScreeGrain g = {.id = 1, .radius = r, .position = {0.3 * r, 0.0, 0.99 * r * sqrt(2.0)}};
  ScreeWorld *w = start(mesh, NULL, 1, &g);
  cr_expect_eq(contacts_of(w), 2);
  for (int i = 0; i < 100 && w->record[0].x[2] < 1.2 * r * sqrt(2.0); i++)
    cr_assert_eq(scree_world_step(w, 50), SCREE_OK, "%s", scree_last_error());
  cr_expect_gt(w->record[0].x[2], 1.2 * r * sqrt(2.0), "it has left");
  cr_expect_eq(contacts_of(w), 0);
  double left = w->record[0].v[2];
  cr_assert_eq(scree_world_step(w, 10), SCREE_OK);
  cr_expect_eq(w->record[0].v[2], left, "nothing pushes it any more");
  scree_world_destroy(w);
}
