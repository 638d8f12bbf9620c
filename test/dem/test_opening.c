/* Which way grains came to an outlet, against every step of theirs traced by brute force: through an opening, by a hole
 * in the vessel's wall, or from outside. */
#include "support/hopper.h"
#include "support/worlds.h"

static const ScreeMaterial soft = {2e6, 0.25, 2500.0};
static const double rings[5][2] = {{0.012, 0.0}, {0.018, 0.006}, {0.024, 0.012}, {0.03, 0.018}, {0.03, 0.07}};
enum { AROUND = 16, GRAINS = 400, CELL = 2 * AROUND };

typedef struct Case {
  int threads;
  size_t lost;  /* triangles of the hopper, from one in the middle row on */
  double drive; /* m/s: the whole hopper moves sideways */
  bool rim;     /* the opening is the line of the mesh's corners, not a disc */
} Case;

static Hopper hopper(const Case *c) {
  Hopper h = hopper_of(5, rings, AROUND);
  if (c->lost) hopper_lose(&h, CELL + 6, c->lost); /* halfway up the cone */
  return h;
}

/* The lowest rim of the hopper, and the disc that fits it. */
static ScreeOpeningDef outlet_of(const ScreeRims *rims, bool rim) {
  ScreeOpeningDef d = scree_opening_def_default();
  for (size_t i = 0; i < rims->count; i++) {
    const ScreeRim *r = &rims->rim[i];
    if (r->high[2] > 1e-9) continue;
    d.corner = rim ? r->corner : NULL;
    d.corners = rim ? r->edges : 0;
  }
  d.radius = 0.012;
  d.normal[2] = 1.0;
  d.towards[2] = -1.0;
  return d;
}

static ScreeWorld *build(const Case *c, bool opening, size_t *outside) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  for (int k = 0; k < 3; k++) def.low[k] = k < 2 ? -0.08 : -0.06, def.high[k] = k < 2 ? 0.08 : 0.09;
  def.outside = SCREE_OUTSIDE_REMOVE;
  def.max_overlap = 0.4;
  def.expected_speed = 1.5;
  def.threads = c->threads;
  contact.pair.restitution = 0.4;
  ScreeWorld *w = empty_world(&def, &contact, soft);
  Hopper h = hopper(c);
  ScreeMesh *mesh = hopper_mesh(&h);
  ScreeRims *rims = rims_of(&h);
  int wall = -1, outlet = -1;
  cr_assert_eq(scree_world_add_wall(w, &(ScreeWallDef){.shape = SCREE_WALL_MESH, .mesh = mesh}, &wall), SCREE_OK);
  if (c->drive != 0.0) {
    ScreeMotionDef m = scree_motion_def_default(SCREE_MOTION_OSCILLATION);
    m.amplitude[0] = c->drive, m.frequency = 8.0;
    cr_assert_eq(scree_world_move_wall(w, wall, &m), SCREE_OK);
  }
  ScreeRegion below = {.shape = SCREE_REGION_BEYOND, .point = {0, 0, -0.02}, .normal = {0, 0, -1}};
  cr_assert_eq(scree_world_add_outlet(w, &below, &outlet), SCREE_OK);
  ScreeOpeningDef d = outlet_of(rims, c->rim);
  if (c->drive != 0.0) d.wall = wall;
  if (opening) cr_assert_eq(scree_world_set_opening(w, outlet, &d), SCREE_OK, "%s", scree_last_error());
  scree_rims_destroy(rims), scree_mesh_destroy(mesh);
  ScreeGrain g[GRAINS];
  size_t count = 0;
  uint64_t random = 11;
  *outside = 0;
  for (int i = 0; i < 60; i++) { /* beside the cone, where nothing holds them */
    double angle = 2 * acos(-1.0) * i / 60;
    g[count] =
        (ScreeGrain){.id = count + 1, .radius = 0.0015, .position = {0.045 * cos(angle), 0.045 * sin(angle), 0.01}};
    count += i % 6 == 0;
  }
  *outside = count;
  for (int i = 0; count < GRAINS && i < 20000; i++) { /* in the bin */
    ScreeGrain *n = &g[count];
    *n = (ScreeGrain){.id = count + 1, .radius = 0.0018};
    for (int k = 0; k < 3; k++) n->position[k] = uniform(&random, k < 2 ? -0.028 : 0.02, k < 2 ? 0.028 : 0.068);
    bool free = hypot(n->position[0], n->position[1]) < 0.026;
    for (size_t j = 0; j < count && free; j++) {
      double d2 = 0.0;
      for (int k = 0; k < 3; k++) d2 += pow(g[j].position[k] - n->position[k], 2);
      free = d2 > 0.0036 * 0.0036;
    }
    count += free;
  }
  start_with(w, count, g);
  return w;
}

typedef struct Counts {
  size_t through, leaked;
} Counts;

static Counts counts_of(const ScreeWorld *w) {
  ScreeFlow flow, leak;
  cr_assert_eq(scree_world_outlet_flow(w, 0, &flow), SCREE_OK);
  cr_assert_eq(scree_world_outlet_leak(w, 0, &leak), SCREE_OK);
  return (Counts){flow.grains, leak.grains};
}

/* Every step of every grain: where the hopper stands, does it cross the disc, and which way? Who is gone is counted. */
static Counts trace(const Case *c, long steps) {
  size_t outside;
  ScreeWorld *w = build(c, false, &outside);
  static double was[GRAINS + 1][3], z[GRAINS + 1];
  static bool out[GRAINS + 1], gone[GRAINS + 1];
  Counts counts = {0, 0};
  memset(out, 0, sizeof out), memset(gone, 0, sizeof gone);
  for (long s = 0; s <= steps; s++) {
    ScreeGrain g[GRAINS];
    bool here[GRAINS + 1] = {false};
    size_t n = scree_world_count(w);
    ScreeWallLoad pose;
    cr_assert_eq(scree_world_wall_load(w, 0, &pose), SCREE_OK);
    cr_assert_eq(scree_world_read(w, g), SCREE_OK);
    for (size_t i = 0; i < n; i++) {
      double x[3];
      for (int k = 0; k < 3; k++) x[k] = g[i].position[k] - (pose.position[k] - pose.home[k]);
      size_t id = (size_t)g[i].id;
      here[id] = true;
      if (s > 0 && (was[id][2] < 0.0) != (x[2] < 0.0)) {
        double part = was[id][2] / (was[id][2] - x[2]), px = was[id][0] + part * (x[0] - was[id][0]),
               py = was[id][1] + part * (x[1] - was[id][1]);
        if (hypot(px, py) < 0.012) out[id] = x[2] < 0.0;
      }
      memcpy(was[id], x, sizeof x);
      z[id] = g[i].position[2];
    }
    for (size_t id = 1; id <= GRAINS; id++)
      if (s > 0 && !here[id] && !gone[id]) {
        gone[id] = true;
        if (z[id] < -0.015) out[id] ? counts.through++ : counts.leaked++; /* the others left by the sides */
      }
    if (s < steps) cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
  }
  scree_world_destroy(w);
  return counts;
}

static void step(ScreeWorld *w, long n) { cr_assert_eq(scree_world_step(w, n), SCREE_OK, "%s", scree_last_error()); }

enum { STEPS = 18000 };

static void judge(Case c, bool leaks) {
  Counts want = trace(&c, STEPS);
  cr_expect(want.through > 60, "%zu came through", want.through);
  cr_expect(leaks ? want.leaked > 20 : want.leaked == 10, "%zu leaked", want.leaked);
  for (int i = 0; i < 3; i++) {
    size_t outside;
    c.threads = 1 + i, c.rim = i == 1;
    ScreeWorld *w = build(&c, true, &outside);
    for (long s = 0; s < STEPS; s += 37 * (i + 1)) step(w, 37 * (i + 1) < STEPS - s ? 37 * (i + 1) : STEPS - s);
    Counts got = counts_of(w);
    cr_expect(got.through == want.through && got.leaked == want.leaked,
              "%zu through and %zu leaked instead of %zu and %zu (%d threads)", got.through, got.leaked, want.through,
              want.leaked, c.threads);
    ScreeMeasure m;
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_expect_eq(m.removed.grains, GRAINS - scree_world_count(w));
    scree_world_destroy(w);
  }
}

Test(opening, of_a_whole_hopper_only_what_was_never_inside_is_leaked) { judge((Case){.threads = 1}, false); }
Test(opening, four_missing_triangles_leak_what_brute_force_finds) { judge((Case){.threads = 1, .lost = 4}, true); }
Test(opening, it_moves_with_the_hopper) { judge((Case){.threads = 1, .lost = 4, .drive = 0.004}, true); }

Test(opening, the_run_itself_is_the_same_with_and_without_one) {
  size_t outside;
  Case c = {.threads = 1, .lost = 4};
  ScreeWorld *with = build(&c, true, &outside), *without = build(&c, false, &outside);
  step(with, 2000), step(without, 2000);
  cr_expect_eq(scree_world_hash(with), scree_world_hash(without));
  Counts a = counts_of(with), b = counts_of(without);
  cr_expect(b.leaked == 0 && a.through + a.leaked == b.through);
  scree_world_destroy(with), scree_world_destroy(without);
}

Test(opening, a_restart_goes_on_with_what_was_seen) {
  for (int moving = 0; moving < 2; moving++) {
    size_t outside, size;
    void *state;
    Case c = {.threads = 1, .lost = 4, .drive = moving ? 0.004 : 0.0};
    ScreeWorld *whole = build(&c, true, &outside);
    step(whole, STEPS);
    Counts want = counts_of(whole);
    ScreeWorld *w = build(&c, true, &outside);
    for (long s = 0; s < STEPS; s += 2997) { /* between looks, too */
      step(w, 2997 < STEPS - s ? 2997 : STEPS - s);
      cr_assert_eq(scree_world_save(w, &state, &size), SCREE_OK, "%s", scree_last_error());
      scree_world_destroy(w);
      /* a world defined as before, without its grains: start it anew from the same definition */
      ScreeWorldDef def = scree_world_def_default();
      ScreeContactDef contact = scree_contact_def_default();
      for (int k = 0; k < 3; k++) def.low[k] = k < 2 ? -0.08 : -0.06, def.high[k] = k < 2 ? 0.08 : 0.09;
      def.outside = SCREE_OUTSIDE_REMOVE, def.max_overlap = 0.4, def.expected_speed = 1.5, def.threads = 2;
      contact.pair.restitution = 0.4;
      w = empty_world(&def, &contact, soft);
      Hopper h = hopper(&c);
      ScreeMesh *mesh = hopper_mesh(&h);
      ScreeRims *rims = rims_of(&h);
      int wall;
      cr_assert_eq(scree_world_add_wall(w, &(ScreeWallDef){.shape = SCREE_WALL_MESH, .mesh = mesh}, &wall), SCREE_OK);
      ScreeMotionDef m = scree_motion_def_default(SCREE_MOTION_OSCILLATION);
      m.amplitude[0] = c.drive, m.frequency = 8.0;
      if (moving) cr_assert_eq(scree_world_move_wall(w, wall, &m), SCREE_OK);
      ScreeRegion below = {.shape = SCREE_REGION_BEYOND, .point = {0, 0, -0.02}, .normal = {0, 0, -1}};
      cr_assert_eq(scree_world_add_outlet(w, &below, NULL), SCREE_OK);
      if (s == 0) { /* a world without the opening does not take the state */
        cr_expect_neq(scree_world_restore(w, state, size), SCREE_OK);
        cr_expect(strstr(scree_last_error(), "openings"), "%s", scree_last_error());
      }
      ScreeOpeningDef d = outlet_of(rims, false);
      if (moving) d.wall = wall;
      cr_assert_eq(scree_world_set_opening(w, 0, &d), SCREE_OK);
      cr_assert_eq(scree_world_restore(w, state, size), SCREE_OK, "%s", scree_last_error());
      free(state);
      scree_rims_destroy(rims), scree_mesh_destroy(mesh);
    }
    Counts got = counts_of(w);
    cr_expect(got.through == want.through && got.leaked == want.leaked, "%zu and %zu instead of %zu and %zu",
              got.through, got.leaked, want.through, want.leaked);
    cr_expect_eq(scree_world_hash(w), scree_world_hash(whole));
    scree_world_destroy(w), scree_world_destroy(whole);
  }
}

/* ---- single grains, whose ways are known ---- */

static ScreeWorld *empty_room(const ScreeOpeningDef *d, bool periodic) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  for (int k = 0; k < 3; k++) def.low[k] = 0.0, def.high[k] = 0.1, def.gravity[k] = 0.0;
  def.periodic[0] = periodic;
  def.outside = SCREE_OUTSIDE_REMOVE, def.expected_speed = 2.0, def.timestep = 1e-5, def.max_overlap = 0.4;
  ScreeWorld *w = empty_world(&def, &contact, soft);
  ScreeRegion below = {.shape = SCREE_REGION_BEYOND, .point = {0, 0, 0.02}, .normal = {0, 0, -1}};
  cr_assert_eq(scree_world_add_outlet(w, &below, NULL), SCREE_OK);
  cr_assert_eq(scree_world_set_opening(w, 0, d), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_expect(w, 0, 0.0005, 0.001, 2.0), SCREE_OK);
  return w;
}

static ScreeOpeningDef hole_at(double x, double y, double radius) {
  ScreeOpeningDef d = scree_opening_def_default();
  d.point[0] = x, d.point[1] = y, d.point[2] = 0.05, d.radius = radius, d.normal[2] = 7.0, d.towards[2] = -0.1;
  return d;
}

Test(opening, grains_put_in_between_looks_are_seen_from_where_they_came) {
  ScreeOpeningDef d = hole_at(0.05, 0.05, 0.01);
  ScreeWorld *w = empty_room(&d, false);
  cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
  step(w, 5);
  ScreeGrain g[3] = {{.id = 1, .radius = 0.001, .position = {0.05, 0.05, 0.05001}, .velocity = {0, 0, -1}},
                     {.id = 2, .radius = 0.001, .position = {0.05, 0.0599, 0.05001}, .velocity = {0, 0, -1}},
                     {.id = 3, .radius = 0.001, .position = {0.05, 0.0701, 0.05001}, .velocity = {0, 0, -1}}};
  cr_assert_eq(scree_world_insert(w, 3, g), SCREE_OK, "%s", scree_last_error());
  step(w, 6000);
  Counts c = counts_of(w);
  cr_expect(c.through == 2 && c.leaked == 1, "%zu and %zu", c.through, c.leaked);
  g[0].position[2] = 0.045; /* the same id again, below the opening now */
  cr_assert_eq(scree_world_insert(w, 1, g), SCREE_OK, "%s", scree_last_error());
  step(w, 6000);
  c = counts_of(w);
  cr_expect(c.through == 2 && c.leaked == 2, "%zu and %zu", c.through, c.leaked);
  scree_world_destroy(w);
}

Test(opening, who_comes_back_in_and_leaves_elsewhere_has_leaked) {
  ScreeOpeningDef d = hole_at(0.05, 0.05, 0.01);
  ScreeWorld *w = empty_room(&d, false);
  ScreeWallDef floor = {.shape = SCREE_WALL_DISC, .point = {0.05, 0.05, 0.04}, .axis = {0, 0, 1}, .radius = 0.02},
               lid = {.shape = SCREE_WALL_DISC,
                      .point = {0.05, 0.05, 0.07},
                      .axis = {0.5, 0, -sqrt(0.75)},
                      .radius = 0.02};
  cr_assert_eq(scree_world_add_wall(w, &floor, NULL), SCREE_OK);
  cr_assert_eq(scree_world_add_wall(w, &lid, NULL), SCREE_OK);
  ScreeGrain g = {.id = 1, .radius = 0.001, .position = {0.05, 0.05, 0.055}, .velocity = {0, 0, -1}};
  start_with(w, 1, &g);
  bool was_below = false, above_again = false;
  for (int i = 0; i < 40000 && scree_world_count(w) > 0; i += 10) {
    step(w, 10);
    if (scree_world_count(w) > 0) scree_world_read(w, &g);
    was_below = was_below || g.position[2] < 0.05;
    above_again = above_again || (was_below && g.position[2] > 0.051);
  }
  cr_expect(was_below && above_again, "the floor sends it back");
  Counts c = counts_of(w);
  cr_expect(c.through == 0, "%zu and %zu", c.through, c.leaked);
  scree_world_destroy(w);
}

Test(opening, across_a_periodic_side_it_is_whole) {
  ScreeOpeningDef d = hole_at(0.0, 0.05, 0.01);
  ScreeWorld *w = empty_room(&d, true);
  ScreeGrain g[4];
  const double x[4] = {0.095, 0.005, 0.088, 0.02};
  for (size_t i = 0; i < 4; i++)
    g[i] = (ScreeGrain){.id = i + 1,
                        .radius = 0.001,
                        .position = {x[i], 0.047 + 0.003 * (double)(i % 2), 0.055},
                        .velocity = {0, 0, -1}};
  g[0].velocity[0] = g[2].velocity[0] = 1.0; /* over the side on the way: at x = 0 and 0.093 in its plane */
  start_with(w, 4, g);
  step(w, 8000);
  Counts c = counts_of(w);
  cr_expect(c.through + c.leaked == 4 && c.leaked == 1, "%zu and %zu", c.through, c.leaked);
  scree_world_destroy(w);
}

/* An L of six corners, whose middle lies close to its inner corner, against the test of two rectangles. */
Test(opening, a_line_of_corners_holds_what_lies_within) {
  const double line[6][3] = {{0.02, 0.02, 0.05}, {0.08, 0.02, 0.05}, {0.08, 0.04, 0.05},
                             {0.04, 0.04, 0.05}, {0.04, 0.08, 0.05}, {0.02, 0.08, 0.05}};
  ScreeOpeningDef d = scree_opening_def_default();
  d.corner = line, d.corners = 6, d.towards[2] = -1;
  ScreeWorld *w = empty_room(&d, false);
  ScreeGrain g[400];
  uint64_t random = 9;
  size_t inside = 0;
  for (size_t i = 0; i < 400; i++) {
    double x = 0.01 + 0.08 * ((double)(i % 20) + 0.5) / 20, y = 0.01 + 0.08 * ((double)(i / 20) + 0.5) / 20;
    g[i] = (ScreeGrain){
        .id = i + 1, .radius = 0.0005, .position = {x, y, uniform(&random, 0.051, 0.055)}, .velocity = {0, 0, -1}};
    inside += (x > 0.02 && x < 0.08 && y > 0.02 && y < 0.04) || (x > 0.02 && x < 0.04 && y > 0.02 && y < 0.08);
  }
  start_with(w, 400, g);
  step(w, 6000);
  Counts c = counts_of(w);
  cr_expect(c.through == inside && c.leaked == 400 - inside, "%zu through instead of %zu, %zu leaked", c.through,
            inside, c.leaked);
  scree_world_destroy(w);
}

Test(opening, bad_definitions_get_a_sentence) {
  ScreeOpeningDef good = hole_at(0.05, 0.05, 0.01);
  ScreeWorld *w = empty_room(&good, true);
  const double straight[3][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, two[2][3] = {{0, 0, 0}, {1, 1, 1}};
  ScreeOpeningDef bad[10];
  for (int i = 0; i < 10; i++) bad[i] = good;
  bad[0].radius = 0, bad[1].radius = NAN, bad[2].normal[2] = 0, bad[3].towards[2] = 0, bad[4].towards[2] = NAN;
  bad[5].towards[2] = 0, bad[5].towards[0] = 1, bad[6].wall = 3, bad[7].radius = 0.06; /* more than half a period */
  bad[8].corner = straight, bad[8].corners = 3, bad[9].corner = two, bad[9].corners = 2;
  for (int i = 0; i < 10; i++) cr_expect_neq(scree_world_set_opening(w, 0, &bad[i]), SCREE_OK, "number %d", i);
  cr_expect_neq(scree_world_set_opening(w, 1, &good), SCREE_OK);
  cr_expect_neq(scree_world_set_opening(w, -1, &good), SCREE_OK);
  cr_expect_neq(scree_world_set_opening(NULL, 0, &good), SCREE_OK);
  cr_expect_neq(scree_world_set_opening(w, 0, NULL), SCREE_OK);
  cr_expect_eq(scree_world_set_opening(w, 0, &good), SCREE_OK, "another replaces it");
  cr_assert_eq(scree_world_start(w), SCREE_OK);
  cr_expect_neq(scree_world_set_opening(w, 0, &good), SCREE_OK, "it has started");
  ScreeFlow flow;
  cr_expect_neq(scree_world_outlet_leak(w, 1, &flow), SCREE_OK);
  cr_expect_neq(scree_world_outlet_leak(w, 0, NULL), SCREE_OK);
  scree_world_destroy(w);
}
