/* The engine in the hands of someone careless or hostile: it refuses with a sentence or runs, and never crashes, hangs
 * or answers with numbers that are none. The sanitizers run these too. */
#include <stdlib.h>
#include <string.h>

#include "support/worlds.h"

static const ScreeMaterial rubber = {70e6, 0.25, 2500.0};
static const ScreeWallDef ground = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};

static ScreeWorld *world_of(const ScreeWorldDef *def, ScreeMaterial material) {
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWorld *w = empty_world(def, &contact, material);
  cr_assert_eq(scree_world_add_wall(w, &ground, NULL), SCREE_OK, "%s", scree_last_error());
  return w;
}

static ScreeWorldDef still_air(void) {
  ScreeWorldDef def = scree_world_def_default();
  memset(def.gravity, 0, sizeof def.gravity);
  def.expected_speed = 1.0;
  return def;
}

/* Every number of a measure and of the grains is one. */
static void expect_numbers(ScreeWorld *w, const char *what) {
  ScreeMeasure m;
  size_t n = scree_world_count(w);
  ScreeGrain *g = calloc(n, sizeof *g);
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_read(w, g), SCREE_OK);
  cr_expect(isfinite(m.kinetic) && isfinite(m.potential) && isfinite(m.elastic) && isfinite(m.dissipated_viscous) &&
                isfinite(m.dissipated_friction) && isfinite(m.residual) && m.kinetic >= 0.0 && m.elastic >= 0.0,
            "%s: kinetic %.3g, elastic %.3g, residual %.3g J", what, m.kinetic, m.elastic, m.residual);
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      cr_expect(isfinite(g[i].position[k]) && isfinite(g[i].velocity[k]) && isfinite(g[i].spin[k]), "%s: grain %zu",
                what, i);
  free(g);
}

/* A refusal has a sentence of its own. */
#define EXPECT_REFUSED(call, what)                                                                                     \
  do {                                                                                                                 \
    ScreeStatus status_ = (call);                                                                                      \
    cr_expect(status_ != SCREE_OK && strlen(scree_last_error()) > 8, "%s is accepted", what);                          \
  } while (0)

Test(hostile, centres_in_one_place_are_refused) {
  ScreeWorldDef def = still_air();
  for (int fixed = 0; fixed < 2; fixed++) {
    ScreeWorld *w = world_of(&def, rubber);
    ScreeGrain g[2] = {{.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1, .fixed = fixed},
                       {.id = 2, .position = {0.5, 0.5, 0.5}, .radius = 0.1}};
    cr_assert_eq(scree_world_add_grains(w, 2, g), SCREE_OK);
    EXPECT_REFUSED(scree_world_start(w), "a pair of coincident grains");
    cr_expect(strstr(scree_last_error(), "overlaps grain"), "%s", scree_last_error());
    scree_world_destroy(w);
  }
  ScreeWorld *w = world_of(&def, rubber); /* and on a wall */
  ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.0}, .radius = 0.1};
  cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
  EXPECT_REFUSED(scree_world_start(w), "a centre on a wall");
  scree_world_destroy(w);
}

Test(hostile, a_world_of_fixed_grains_stands_still) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeWorld *w = world_of(&def, rubber);
  ScreeGrain g[2] = {{.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1, .fixed = true},
                     {.id = 2, .position = {0.5, 0.5, 0.05}, .radius = 0.1, .fixed = true}};
  start_with(w, 2, g);
  uint64_t hash = scree_world_hash(w);
  cr_assert_eq(scree_world_step(w, 100), SCREE_OK);
  cr_assert_eq(scree_world_step(w, 0), SCREE_OK);
  cr_expect_eq(scree_world_hash(w), hash);
  expect_numbers(w, "fixed");
  scree_world_destroy(w);
}

Test(hostile, tight_domains_hold_their_grains) {
  /* a domain of one cell, one smaller than its grain, one with a grain in every corner */
  const struct {
    double high;
    int count;
    double at[2][3];
  } cases[] = {
      {0.21, 1, {{0.1, 0.1, 0.1}}}, {0.01, 1, {{0.005, 0.005, 0.005}}}, {1.0, 2, {{0.0, 0.0, 0.2}, {1.0, 1.0, 1.0}}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ScreeWorldDef def = still_air();
    ScreeGrain g[2];
    for (int k = 0; k < 3; k++) def.high[k] = cases[i].high;
    ScreeWorld *w = world_of(&def, rubber);
    for (int j = 0; j < cases[i].count; j++) {
      g[j] = (ScreeGrain){.id = (uint64_t)j, .radius = i == 1 ? 0.005 : 0.1};
      memcpy(g[j].position, cases[i].at[j], sizeof g[j].position);
    }
    start_with(w, (size_t)cases[i].count, g);
    cr_assert_eq(scree_world_step(w, 300), SCREE_OK, "%s", scree_last_error());
    expect_numbers(w, "tight");
    scree_world_destroy(w);
  }
}

/* The narrowest periodic domain that is accepted: a grain is a neighbour of both sides of another, never twice its
 * partner. */
Test(hostile, a_domain_without_an_end_is_refused) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeWorld *w = NULL;
  def.low[2] = -1e308;
  EXPECT_REFUSED(scree_world_create(&def, &w), "a domain that reaches to -1e308 m");
  def.low[2] = -1e100;
  ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1};
  ScreeContactDef contact = scree_contact_def_default();
  w = empty_world(&def, &contact, rubber);
  cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
  if (scree_world_start(w) == SCREE_OK && scree_world_step(w, 10) == SCREE_OK) expect_numbers(w, "a domain of 1e100 m");
  scree_world_destroy(w);
}

/* Of the undefined-behaviour sanitizer: anchors are counted in units of the skin. */
Test(hostile, a_skin_of_minus_zero_is_none) {
  uint64_t hash[2];
  for (int i = 0; i < 2; i++) {
    ScreeWorldDef def = still_air();
    def.skin = i ? -0.0 : 0.0;
    ScreeWorld *w = world_of(&def, rubber);
    ScreeGrain g[2] = {{.id = 1, .position = {0.5, 0.5, 0.5}, .velocity = {0.1, 0, 0}, .radius = 0.1},
                       {.id = 2, .position = {0.75, 0.5, 0.5}, .radius = 0.1}};
    cr_assert_eq(scree_world_add_grains(w, 2, g), SCREE_OK);
    cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_step(w, 500), SCREE_OK, "%s", scree_last_error());
    hash[i] = scree_world_hash(w);
    scree_world_destroy(w);
  }
  cr_expect_eq(hash[0], hash[1]);
}

Test(hostile, the_narrowest_periodic_domain_conserves_energy) {
  ScreeWorldDef def = still_air();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeMeasure start, m;
  for (int k = 0; k < 3; k++) def.periodic[k] = true, def.high[k] = 0.44 * (1.0 + 1e-12); /* 4 R + 2 skins */
  def.timestep = 2e-5;
  contact.normal = SCREE_LAW_hertz;
  contact.pair.restitution = NAN;
  contact.tangential = SCREE_LAW_NONE;
  ScreeWorld *w = empty_world(&def, &contact, rubber);
  ScreeGrain g[3] = {{.id = 1, .position = {0.1, 0.2, 0.1}, .velocity = {1, 0, 0}, .radius = 0.1},
                     {.id = 2, .position = {0.31, 0.2, 0.1}, .velocity = {-1, 0.1, 0}, .radius = 0.1},
                     {.id = 3, .position = {0.2, 0.2, 0.32}, .velocity = {0.5, 0.1, 0.7}, .radius = 0.1}};
  start_with(w, 3, g);
  cr_assert_eq(scree_world_measure(w, &start), SCREE_OK);
  cr_assert_eq(scree_world_step(w, 50000), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  cr_expect(relative(m.kinetic + m.elastic, start.kinetic) < 1e-4, "%.9g J, then %.9g J", start.kinetic,
            m.kinetic + m.elastic);
  for (int k = 0; k < 3; k++) cr_expect(fabs(m.momentum[k] - start.momentum[k]) < 1e-12, "momentum %d", k);
  scree_world_destroy(w);
}

/* From nanometres to a thousand kilometres, from jelly to diamond and beyond. */
Test(hostile, extreme_sizes_and_stiffnesses_run_or_are_refused) {
  const double radius[] = {1e-300, 1e-100, 1e-9, 1e-6, 1e3, 1e6, 1e9, 1e100, 1e200},
               young[] = {1e-300, 1e-3, 1.0, 1e15, 1e20, 1e300, INFINITY}, density[] = {1e-300, 1e-3, 1e6, 1e30, 1e300};
  int ran = 0;
  for (size_t r = 0; r < sizeof radius / sizeof *radius; r++)
    for (size_t y = 0; y < sizeof young / sizeof *young; y++)
      for (size_t d = 0; d < sizeof density / sizeof *density; d++) {
        ScreeWorldDef def = scree_world_def_default();
        ScreeContactDef contact = scree_contact_def_default();
        ScreeGrain g[2] = {{.id = 1, .radius = radius[r]}, {.id = 2, .radius = radius[r]}};
        ScreeWorld *w = NULL;
        int id;
        for (int k = 0; k < 3; k++) {
          def.high[k] = 10.0 * radius[r];
          g[0].position[k] = k < 2 ? 5.0 * radius[r] : 1.01 * radius[r];
          g[1].position[k] = k < 2 ? 5.0 * radius[r] : 3.03 * radius[r];
        }
        if (scree_world_create(&def, &w) != SCREE_OK) continue;
        ScreeStatus status = scree_world_add_material(w, (ScreeMaterial){young[y], 0.3, density[d]}, &id);
        if (status == SCREE_OK) status = scree_world_set_contact(w, -1, -1, &contact);
        if (status == SCREE_OK) status = scree_world_add_wall(w, &ground, NULL);
        if (status == SCREE_OK) status = scree_world_add_grains(w, 2, g);
        if (status == SCREE_OK) status = scree_world_start(w);
        if (status == SCREE_OK) {
          ran++;
          status = scree_world_step(w, 50);
          expect_numbers(w, "extreme");
        }
        if (status != SCREE_OK) cr_expect(strlen(scree_last_error()) > 10);
        scree_world_destroy(w);
      }
  cr_expect(ran > 30, "%d of them ran", ran);
}

Test(hostile, a_size_ratio_of_a_thousand_runs) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeMeasure m;
  ScreeWorld *w = world_of(&def, rubber);
  ScreeGrain g[3] = {{.id = 1, .position = {0.5, 0.5, 0.2}, .radius = 0.2},
                     {.id = 2, .position = {0.5, 0.5, 0.4005}, .radius = 2e-4},
                     {.id = 3, .position = {0.1, 0.5, 0.0005}, .velocity = {0.3, 0, 0}, .radius = 2e-4}};
  start_with(w, 3, g);
  cr_assert_eq(scree_world_step(w, 20000), SCREE_OK, "%s", scree_last_error());
  expect_numbers(w, "ratio 1000");
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  cr_expect(fabs(m.residual) < 1e-6 * m.scale, "residual %.3g of %.3g J", m.residual, m.scale);
  scree_world_destroy(w);
}

Test(hostile, time_steps_near_nothing_run_and_impossible_ones_are_refused) {
  const double tiny[] = {1e-12, 1e-300, 5e-324}, wrong[] = {0.0, -1.0, INFINITY, -INFINITY, 1.0};
  for (int i = 0; i < 3; i++) {
    ScreeWorldDef def = still_air();
    def.timestep = tiny[i];
    ScreeWorld *w = world_of(&def, rubber);
    ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.0999}, .velocity = {1, 0, 0}, .spin = {1, 2, 3}, .radius = 0.1};
    start_with(w, 1, &g);
    cr_assert_eq(scree_world_step(w, 100), SCREE_OK, "%s", scree_last_error());
    expect_numbers(w, "tiny step");
    scree_world_destroy(w);
  }
  for (int i = 0; i < 5; i++) {
    ScreeWorldDef def = still_air();
    def.timestep = wrong[i];
    ScreeWorld *w = world_of(&def, rubber);
    ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1};
    cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
    EXPECT_REFUSED(scree_world_start(w), "a wrong time step");
    scree_world_destroy(w);
  }
}

Test(hostile, violence_stops_the_run_with_a_sentence) {
  ScreeWorldDef def = scree_world_def_default();
  def.gravity[2] = -1e6;
  ScreeWorld *w = world_of(&def, rubber);
  ScreeGrain g = {.id = 77, .position = {0.5, 0.5, 0.5}, .radius = 0.1};
  start_with(w, 1, &g);
  cr_expect_eq(scree_world_step(w, 100000), SCREE_OUT_OF_RANGE);
  cr_expect(strstr(scree_last_error(), "grain 77"), "%s", scree_last_error());
  scree_world_destroy(w);
  const double speed[] = {1e4, 1e8, 1e20, 1e150};
  for (int i = 0; i < 4; i++) {
    def = still_air();
    w = world_of(&def, rubber);
    g.velocity[0] = speed[i];
    cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
    if (scree_world_start(w) == SCREE_OK) cr_expect_eq(scree_world_step(w, 1000), SCREE_OUT_OF_RANGE);
    cr_expect(strstr(scree_last_error(), "grain 77") || strstr(scree_last_error(), "speed"), "%s", scree_last_error());
    scree_world_destroy(w);
  }
}

Test(hostile, more_threads_than_grains_change_nothing) {
  const int threads[] = {1, 2, 3, 8, 64};
  uint64_t hash = 0;
  for (int t = 0; t < 5; t++) {
    ScreeWorldDef def = scree_world_def_default();
    def.threads = threads[t];
    ScreeWorld *w = world_of(&def, rubber);
    ScreeGrain g[3] = {{.id = 1, .position = {0.5, 0.5, 0.0999}, .radius = 0.1},
                       {.id = 2, .position = {0.5, 0.55, 0.293}, .radius = 0.1},
                       {.id = 3, .position = {0.3001, 0.5, 0.1}, .velocity = {1, 0, 0}, .radius = 0.1}};
    start_with(w, 3, g);
    cr_assert_eq(scree_world_step(w, 20), SCREE_OK, "%s", scree_last_error());
    if (t == 0) hash = scree_world_hash(w);
    cr_expect_eq(scree_world_hash(w), hash, "%d threads", threads[t]);
    scree_world_destroy(w);
  }
  const int wrong[] = {0, -1, 1025, INT32_MAX};
  for (int t = 0; t < 4; t++) {
    ScreeWorldDef def = scree_world_def_default();
    ScreeWorld *w = NULL;
    def.threads = wrong[t];
    EXPECT_REFUSED(scree_world_create(&def, &w), "a wrong number of threads");
    cr_expect_null(w);
  }
}

Test(hostile, ids_may_be_any_number_but_not_twice) {
  ScreeWorldDef def = still_air();
  ScreeWorld *w = world_of(&def, rubber);
  ScreeGrain g[3] = {{.id = UINT64_MAX, .position = {0.2, 0.5, 0.5}, .radius = 0.1},
                     {.id = 0, .position = {0.5, 0.5, 0.5}, .radius = 0.1},
                     {.id = UINT64_MAX - 1, .position = {0.8, 0.5, 0.5}, .radius = 0.1}};
  start_with(w, 3, g);
  cr_assert_eq(scree_world_read(w, g), SCREE_OK);
  cr_expect(g[0].id == 0 && g[1].id == UINT64_MAX - 1 && g[2].id == UINT64_MAX && g[2].position[0] == 0.2);
  scree_world_destroy(w);
  w = world_of(&def, rubber);
  g[0].id = UINT64_MAX;
  cr_assert_eq(scree_world_add_grains(w, 3, g), SCREE_OK);
  EXPECT_REFUSED(scree_world_start(w), "an id used twice");
  scree_world_destroy(w);
}

Test(hostile, nothing_that_is_no_number_comes_in) {
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int b = 0; b < 3; b++) {
    ScreeWorldDef def = scree_world_def_default();
    ScreeWorld *w = NULL;
    double *const whole[] = {&def.gravity[0], &def.body_force[2], &def.low[1], &def.high[0], &def.max_overlap};
    for (size_t f = 0; f < sizeof whole / sizeof *whole; f++) {
      double keep = *whole[f];
      *whole[f] = bad[b];
      EXPECT_REFUSED(scree_world_create(&def, &w), "a world");
      cr_expect_null(w);
      *whole[f] = keep;
    }
    w = world_of(&def, rubber);
    ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1};
    double *const grain[] = {&g.position[0], &g.position[1], &g.position[2], &g.velocity[0],
                             &g.velocity[2], &g.spin[1],     &g.radius};
    for (size_t f = 0; f < sizeof grain / sizeof *grain; f++) {
      double keep = *grain[f];
      *grain[f] = bad[b];
      EXPECT_REFUSED(scree_world_add_grains(w, 1, &g), "a grain");
      *grain[f] = keep;
    }
    cr_expect_eq(scree_world_count(w), 0);
    ScreeMaterial m = rubber;
    int id = -3;
    m.poisson = bad[b];
    EXPECT_REFUSED(scree_world_add_material(w, m, &id), "a Poisson ratio");
    cr_expect_eq(id, -3);
    scree_world_destroy(w);
  }
  /* of a contact: refused when it is set, or when the world starts */
  const double wrong[] = {INFINITY, -INFINITY, -1.0};
  for (int b = 0; b < 3; b++)
    for (int field = 0; field < 7; field++) {
      ScreeWorldDef def = still_air();
      ScreeContactDef contact = scree_contact_def_default();
      ScreeWorld *w = world_of(&def, rubber);
      ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1};
      double *const fields[] = {&contact.pair.restitution,
                                &contact.pair.stiffness,
                                &contact.pair.exponent,
                                &contact.pair.min_speed,
                                &contact.pair.length,
                                &contact.pair.param[SCREE_PARAM_mu],
                                &contact.pair.param[SCREE_PARAM_Gstar]};
      *fields[field] = wrong[b];
      cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
      ScreeStatus status = scree_world_set_contact(w, -1, -1, &contact);
      if (status == SCREE_OK) status = scree_world_start(w);
      cr_expect_neq(status, SCREE_OK, "field %d = %g of a contact is accepted", field, wrong[b]);
      scree_world_destroy(w);
    }
}

Test(hostile, null_arguments_and_wrong_order_return_a_status) {
  ScreeWorldDef def = still_air();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1};
  ScreeMeasure m;
  ScreeWorld *w = NULL;
  int id;
  EXPECT_REFUSED(scree_world_create(NULL, &w), "NULL");
  EXPECT_REFUSED(scree_world_create(&def, NULL), "NULL");
  EXPECT_REFUSED(scree_world_add_material(NULL, rubber, &id), "NULL");
  EXPECT_REFUSED(scree_world_set_contact(NULL, 0, 0, &contact), "NULL");
  EXPECT_REFUSED(scree_world_add_wall(NULL, &ground, NULL), "NULL");
  EXPECT_REFUSED(scree_world_add_grains(NULL, 1, &g), "NULL");
  EXPECT_REFUSED(scree_world_start(NULL), "NULL");
  EXPECT_REFUSED(scree_world_step(NULL, 1), "NULL");
  EXPECT_REFUSED(scree_world_measure(NULL, &m), "NULL");
  EXPECT_REFUSED(scree_world_read(NULL, &g), "NULL");
  scree_world_destroy(NULL);
  w = world_of(&def, rubber);
  EXPECT_REFUSED(scree_world_add_material(w, rubber, NULL), "NULL");
  EXPECT_REFUSED(scree_world_set_contact(w, 0, 0, NULL), "NULL");
  EXPECT_REFUSED(scree_world_add_wall(w, NULL, NULL), "NULL");
  EXPECT_REFUSED(scree_world_add_grains(w, 1, NULL), "NULL");
  EXPECT_REFUSED(scree_world_measure(w, NULL), "NULL");
  EXPECT_REFUSED(scree_world_read(w, NULL), "NULL");
  EXPECT_REFUSED(scree_world_step(w, 1), "a step before the start");
  EXPECT_REFUSED(scree_world_measure(w, &m), "a measure before the start");
  EXPECT_REFUSED(scree_world_start(w), "a world without grains");
  cr_assert_eq(scree_world_add_grains(w, 0, &g), SCREE_OK);
  cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
  cr_assert_eq(scree_world_add_grains(w, 0, &g), SCREE_OK);
  cr_expect_eq(scree_world_count(w), 1);
  cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
  EXPECT_REFUSED(scree_world_start(w), "a second start");
  EXPECT_REFUSED(scree_world_add_material(w, rubber, &id), "a material after the start");
  EXPECT_REFUSED(scree_world_set_contact(w, -1, -1, &contact), "a contact after the start");
  EXPECT_REFUSED(scree_world_add_wall(w, &ground, NULL), "a wall after the start");
  EXPECT_REFUSED(scree_world_add_grains(w, 1, &g), "a grain after the start");
  cr_assert_eq(scree_world_step(w, 10), SCREE_OK);
  expect_numbers(w, "after refusals");
  scree_world_destroy(w);
}

Test(hostile, laws_and_materials_that_do_not_exist_are_refused) {
  ScreeWorldDef def = still_air();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWorld *w = world_of(&def, rubber);
  const int pairs[][2] = {{-1, 0}, {0, 1}, {-2, -2}, {INT32_MAX, 0}, {0, INT32_MIN}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    EXPECT_REFUSED(scree_world_set_contact(w, pairs[i][0], pairs[i][1], &contact), "a pair of materials");
  const int laws[] = {-1, SCREE_LAW_COUNT, 9999, SCREE_LAW_mindlin, SCREE_LAW_cyl_johnson};
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
    contact.normal = (ScreeLawId)laws[i];
    EXPECT_REFUSED(scree_world_set_contact(w, -1, -1, &contact), "a normal law");
  }
  contact = scree_contact_def_default();
  contact.tangential = (ScreeLawId)-5;
  EXPECT_REFUSED(scree_world_set_contact(w, -1, -1, &contact), "a tangential law");
  contact.tangential = SCREE_LAW_hertz;
  EXPECT_REFUSED(scree_world_set_contact(w, -1, -1, &contact), "a tangential law");
  scree_world_destroy(w);
}
