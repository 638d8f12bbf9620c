/* What the engine once did wrong when it was used outside the usual: crashes, numbers that were none, ledgers that did
 * not close. Each test stands for one of them. */
#include <stdlib.h>
#include <string.h>

#include "support/worlds.h"

static const ScreeMaterial rubber = {70e6, 0.25, 2500.0};
static const ScreeWallDef ground = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};

static ScreeWorldDef still_air(void) {
  ScreeWorldDef def = scree_world_def_default();
  memset(def.gravity, 0, sizeof def.gravity);
  def.expected_speed = 1.0;
  return def;
}

static ScreeWorld *world_with(const ScreeWorldDef *def, const ScreeContactDef *contact) {
  ScreeContactDef usual = scree_contact_def_default();
  return empty_world(def, contact ? contact : &usual, rubber);
}

/* ---- crashes ---- */

Test(misuse, readers_of_no_world_answer_nothing) {
  cr_expect_eq(scree_world_count(NULL), 0);
  cr_expect_eq(scree_world_bytes(NULL), 0);
  cr_expect_eq(scree_world_hash(NULL), 0);
  cr_expect(!(scree_world_timestep(NULL) > 0.0));
  cr_expect_not_null(scree_world_timestep_reason(NULL));
}

Test(misuse, a_count_of_grains_that_wraps_around_is_refused) {
  ScreeWorldDef def = still_air();
  ScreeWorld *w = world_with(&def, NULL);
  ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1};
  cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
  cr_expect_eq(scree_world_add_grains(w, SIZE_MAX, &g), SCREE_INVALID);
  cr_expect_eq(scree_world_add_grains(w, SIZE_MAX / sizeof g, &g), SCREE_INVALID);
  cr_expect_eq(scree_world_count(w), 1);
  scree_world_destroy(w);
}

/* "As large as you like": cells are counted in more than 31 bits, or not made so many. */
Test(misuse, a_domain_of_ten_thousand_kilometres_holds_millimetre_grains) {
  const double size[] = {1e6, 1e7, 1e9, 1e12, 1e100};
  for (int i = 0; i < 5; i++) {
    ScreeWorldDef def = still_air();
    ScreeMeasure m;
    for (int k = 0; k < 3; k++) def.low[k] = -size[i], def.high[k] = size[i];
    ScreeWorld *w = world_with(&def, NULL);
    ScreeGrain g[2] = {{.id = 1, .position = {0, 0, 0}, .radius = 1e-3},
                       {.id = 2, .position = {0, 0, 1.99e-3}, .radius = 1e-3}};
    start_with(w, 2, g);
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_expect_eq(m.contacts, 1, "%zu contacts in %g m", m.contacts, size[i]);
    scree_world_destroy(w);
  }
}

/* A start that fails leaves the world open: other laws may be set, and nothing of the first attempt remains. */
Test(misuse, a_failed_start_leaves_nothing_behind) {
  ScreeWorldDef def = still_air();
  ScreeContactDef contact = scree_contact_def_default();
  contact.normal = SCREE_LAW_tsuji;
  ScreeWorld *w = world_with(&def, &contact);
  ScreeGrain g[4] = {{.id = 0, .position = {0.1, 0.1, 0.1}, .radius = 0.05},
                     {.id = 1, .position = {0.1, 0.1, 0.199}, .radius = 0.05},
                     {.id = 2, .position = {0.9, 0.9, 0.9}, .radius = 0.05},
                     {.id = 3, .position = {0.9, 0.9, 0.95}, .radius = 0.05}};
  cr_assert_eq(scree_world_add_grains(w, 4, g), SCREE_OK);
  cr_assert_eq(scree_world_start(w), SCREE_OUT_OF_RANGE);
  contact = scree_contact_def_default(); /* a law with constants and memory of its own, and a rolling spring */
  contact.normal = SCREE_LAW_thornton;
  contact.pair.restitution = NAN;
  contact.pair.param[SCREE_PARAM_sigma_y] = 1e6;
  contact.rolling_model = SCREE_ROLLING_SPRING;
  contact.rolling = 0.1;
  cr_assert_eq(scree_world_set_contact(w, -1, -1, &contact), SCREE_OK);
  cr_assert_eq(scree_world_set_contact(w, 0, 0, &contact), SCREE_OK);
  cr_expect_eq(scree_world_start(w), SCREE_OUT_OF_RANGE);
  scree_world_destroy(w);
}

Test(misuse, a_second_start_chooses_the_expected_speed_anew) {
  ScreeContactDef contact = scree_contact_def_default();
  const ScreeGrain slow = {.id = 1, .position = {0.8, 0.5, 0.5}, .velocity = {0.01, 0, 0}, .radius = 0.1},
                   fast = {.id = 2, .position = {0.2, 0.5, 0.5}, .velocity = {5.0, 0, 0}, .radius = 0.1};
  double dt[2];
  for (int twice = 0; twice < 2; twice++) {
    ScreeWorldDef def = still_air();
    ScreeWorld *w = NULL;
    int id;
    def.expected_speed = NAN;
    cr_assert_eq(scree_world_create(&def, &w), SCREE_OK);
    cr_assert_eq(scree_world_add_material(w, rubber, &id), SCREE_OK);
    cr_assert_eq(scree_world_add_grains(w, 1, &slow), SCREE_OK);
    if (twice) cr_assert_eq(scree_world_start(w), SCREE_MISSING); /* no contact yet */
    cr_assert_eq(scree_world_set_contact(w, -1, -1, &contact), SCREE_OK);
    start_with(w, 1, &fast);
    dt[twice] = scree_world_timestep(w);
    scree_world_destroy(w);
  }
  cr_expect_eq(dt[0], dt[1], "%.6g s at once, %.6g s after a failed start", dt[0], dt[1]);
}

/* ---- refusals ---- */

/* DESIGN: a step above the limit is refused with the number that would work. */
Test(misuse, the_time_step_of_the_refusal_is_accepted) {
  ScreeWorldDef def = still_air();
  ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1};
  def.timestep = 1.0;
  ScreeWorld *w = world_with(&def, NULL);
  cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
  cr_assert_eq(scree_world_start(w), SCREE_INVALID);
  const char *range = strstr(scree_last_error(), "at most ");
  cr_assert_not_null(range, "%s", scree_last_error());
  def.timestep = strtod(range + 8, NULL) * (1.0 - 1e-5); /* printed with six digits */
  scree_world_destroy(w);
  w = world_with(&def, NULL);
  cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
  cr_expect_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
  scree_world_destroy(w);
}

Test(misuse, unknown_shapes_and_models_are_refused) {
  ScreeWorldDef def = still_air();
  ScreeWorld *w = world_with(&def, NULL);
  ScreeWallDef wall = {.axis = {0, 0, 1}, .high = {1, 1, 1}, .radius = 0.2, .radius2 = 0.1, .angle = 0.5};
  const int shapes[] = {-1, SCREE_WALL_DISC + 1, 99};
  for (int i = 0; i < 3; i++) {
    wall.shape = (ScreeWallShape)shapes[i];
    cr_expect_neq(scree_world_add_wall(w, &wall, NULL), SCREE_OK, "shape %d", shapes[i]);
  }
  ScreeContactDef contact = scree_contact_def_default();
  contact.rolling_model = (ScreeRolling)77;
  cr_expect_neq(scree_world_set_contact(w, -1, -1, &contact), SCREE_OK, "rolling model 77");
  contact = scree_contact_def_default();
  contact.tangential = SCREE_LAW_coulomb;
  contact.regularisation = (ScreeRegularisation)77;
  cr_expect_neq(scree_world_set_contact(w, -1, -1, &contact), SCREE_OK, "regularisation 77");
  scree_world_destroy(w);
}

Test(misuse, settings_that_make_no_sense_are_refused) {
  const struct {
    const char *what;
    double skin, speed, rolling, twisting, damping;
  } cases[] = {{"a skin below zero", -0.01, 1.0, 0.0, 0.0, 0.3},
               {"a skin of minus infinity", -INFINITY, 1.0, 0.0, 0.0, 0.3},
               {"an expected speed below zero", NAN, -1.0, 0.0, 0.0, 0.3},
               {"an expected speed of zero", NAN, 0.0, 0.0, 0.0, 0.3},
               {"infinite rolling", NAN, 1.0, INFINITY, 0.0, 0.3},
               {"rolling that overflows the sums", NAN, 1.0, 1e6, 0.0, 0.3},
               {"infinite twisting", NAN, 1.0, 0.0, INFINITY, 0.3},
               {"twisting that overflows the sums", NAN, 1.0, 0.0, 1e6, 0.3},
               {"infinite rolling damping", NAN, 1.0, 0.1, 0.0, INFINITY}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ScreeWorldDef def = still_air();
    ScreeContactDef contact = scree_contact_def_default();
    ScreeWorld *w = NULL;
    ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1};
    int id;
    def.skin = cases[i].skin;
    def.expected_speed = cases[i].speed;
    contact.rolling_model = SCREE_ROLLING_SPRING;
    contact.rolling = cases[i].rolling;
    contact.twisting = cases[i].twisting;
    contact.rolling_damping = cases[i].damping;
    ScreeStatus status = scree_world_create(&def, &w);
    if (status == SCREE_OK) status = scree_world_add_material(w, rubber, &id);
    if (status == SCREE_OK) status = scree_world_set_contact(w, -1, -1, &contact);
    if (status == SCREE_OK) status = scree_world_add_grains(w, 1, &g);
    if (status == SCREE_OK) status = scree_world_start(w);
    cr_expect_neq(status, SCREE_OK, "%s is accepted", cases[i].what);
    scree_world_destroy(w);
  }
}

Test(misuse, a_negative_number_of_steps_is_refused) {
  ScreeWorldDef def = still_air();
  ScreeWorld *w = world_with(&def, NULL);
  ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1};
  start_with(w, 1, &g);
  cr_expect_eq(scree_world_step(w, -5), SCREE_INVALID);
  scree_world_destroy(w);
}

/* An axis may have any length that is not zero. */
Test(misuse, walls_with_very_long_or_short_axes_stand_where_they_should) {
  const double size[] = {1e200, 1e-200};
  for (int i = 0; i < 2; i++) {
    ScreeWorldDef def = still_air();
    ScreeWallDef wall = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, size[i]}};
    ScreeMeasure m;
    ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.099}, .radius = 0.1};
    ScreeWorld *w = world_with(&def, NULL);
    cr_assert_eq(scree_world_add_wall(w, &wall, NULL), SCREE_OK, "an axis of %g: %s", size[i], scree_last_error());
    cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
    cr_assert_eq(scree_world_start(w), SCREE_OK, "an axis of %g: %s", size[i], scree_last_error());
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_expect(m.contacts == 1 && fabs(m.max_overlap - 0.01) < 1e-12);
    scree_world_destroy(w);
  }
}

Test(misuse, the_largest_id_is_not_taken_for_a_wall) {
  ScreeWorldDef def = still_air();
  ScreeWorld *w = world_with(&def, NULL);
  ScreeGrain g[2] = {{.id = UINT64_MAX, .position = {0.5, 0.5, 0.5}, .radius = 0.1},
                     {.id = 0, .position = {0.5, 0.5, 0.65}, .radius = 0.1}};
  cr_assert_eq(scree_world_add_grains(w, 2, g), SCREE_OK);
  cr_assert_eq(scree_world_start(w), SCREE_OUT_OF_RANGE);
  cr_expect(strstr(scree_last_error(), "18446744073709551615") && !strstr(scree_last_error(), "wall"), "%s",
            scree_last_error());
  scree_world_destroy(w);
}

/* luo_nahon over another elastic law: as in the laboratory, or refused; not silently something else. */
static double soft_spring(double overlap, void *user) { return *(double *)user * overlap; }

Test(misuse, luo_nahon_over_another_law_is_that_law_or_refused) {
  double stiffness = 5e6;
  const ScreeElastic spring = {soft_spring, NULL, &stiffness};
  for (int custom = 0; custom < 2; custom++) {
    ScreeWorldDef def = still_air();
    ScreeContactDef contact = scree_contact_def_default();
    ScreeGrain g[2] = {{.id = 1, .position = {0.3, 0.5, 0.5}, .velocity = {1.0, 0, 0}, .radius = 0.1},
                       {.id = 2, .position = {0.5001, 0.5, 0.5}, .radius = 0.1}};
    ScreeWorld *w = NULL;
    int id;
    contact.normal = SCREE_LAW_luo_nahon;
    contact.tangential = SCREE_LAW_NONE;
    contact.pair.restitution = 1.0;
    if (custom) contact.pair.custom = &spring;
    if (!custom) contact.pair.elastic = SCREE_LAW_hooke, contact.pair.stiffness = stiffness;
    def.timestep = 1e-5;
    cr_assert_eq(scree_world_create(&def, &w), SCREE_OK);
    cr_assert_eq(scree_world_add_material(w, rubber, &id), SCREE_OK);
    ScreeStatus status = scree_world_set_contact(w, -1, -1, &contact);
    if (status == SCREE_OK) status = scree_world_add_grains(w, 2, g);
    if (status == SCREE_OK) status = scree_world_start(w);
    double deepest = 0.0, mass = 4.0 / 3.0 * acos(-1.0) * 1e-3 * rubber.density;
    for (int step = 0; step < 1000 && status == SCREE_OK; step++) {
      ScreeMeasure m;
      status = scree_world_step(w, 1);
      cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
      deepest = fmax(deepest, 0.1 * m.max_overlap);
    }
    /* K d: v sqrt(meff/K) */
    cr_expect(status == SCREE_UNSUPPORTED || relative(deepest, sqrt(0.5 * mass / stiffness)) < 0.01,
              "%s: %s, %.4g m deep instead of %.4g m", custom ? "custom" : "hooke", scree_status_name(status), deepest,
              sqrt(0.5 * mass / stiffness));
    scree_world_destroy(w);
  }
}

/* ---- after a failure ---- */

/* A run that stopped stays where it stopped: another step cannot make half a step count as none. */
Test(misuse, a_run_that_failed_does_not_go_on) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeWorld *w = world_with(&def, NULL);
  ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1}, before, after;
  start_with(w, 1, &g);
  cr_assert_eq(scree_world_step(w, 1000000), SCREE_OUT_OF_RANGE);
  memset(&before, 0, sizeof before), memset(&after, 0, sizeof after);
  cr_assert_eq(scree_world_read(w, &before), SCREE_OK);
  cr_expect_neq(scree_world_step(w, 10), SCREE_OK);
  cr_assert_eq(scree_world_read(w, &after), SCREE_OK);
  cr_expect(memcmp(before.position, after.position, sizeof before.position) == 0 &&
                memcmp(before.velocity, after.velocity, sizeof before.velocity) == 0,
            "it went on from %.9g m to %.9g m", before.position[2], after.position[2]);
  scree_world_destroy(w);
}

/* ---- periodic domains ---- */

Test(misuse, grains_given_outside_a_periodic_domain_are_brought_in_or_refused) {
  ScreeWorldDef def = still_air();
  ScreeMeasure m;
  def.periodic[0] = true;
  ScreeWorld *w = world_with(&def, NULL);
  ScreeGrain g[2] = {{.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1},
                     {.id = 2, .position = {3.691, 0.5, 0.5}, .radius = 0.1}}; /* its image touches the first */
  cr_assert_eq(scree_world_add_grains(w, 2, g), SCREE_OK);
  if (scree_world_start(w) == SCREE_OK) {
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_assert_eq(scree_world_read(w, g), SCREE_OK);
    cr_expect(m.contacts == 1 && g[1].position[0] < 1.0, "%zu contacts, x = %.3f m", m.contacts, g[1].position[0]);
  }
  scree_world_destroy(w);
}

Test(misuse, a_grain_faster_than_its_domain_stays_in_it_or_stops_the_run) {
  const double speed[] = {1e4, 1e8, 1e20, 1e160};
  for (int i = 0; i < 4; i++) {
    ScreeWorldDef def = still_air();
    ScreeMeasure m;
    for (int k = 0; k < 3; k++) def.periodic[k] = true;
    ScreeWorld *w = world_with(&def, NULL);
    ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.5}, .velocity = {speed[i], 0, 0}, .radius = 0.1};
    cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
    if (scree_world_start(w) == SCREE_OK && scree_world_step(w, 100) == SCREE_OK) {
      cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
      cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
      cr_expect(g.position[0] >= 0.0 && g.position[0] <= 1.0, "%g m/s: x = %.3g m", speed[i], g.position[0]);
      cr_expect(m.kinetic > 0.0 && isfinite(m.kinetic), "%g m/s: kinetic %.3g J", speed[i], m.kinetic);
    }
    scree_world_destroy(w);
  }
}

/* A vertical periodic shaft: what a grain gains at each crossing must fit the integers it is summed in. */
Test(misuse, the_ledger_closes_in_tall_periodic_shafts) {
  const double height[] = {1.0, 5.0, 50.0, 1000.0};
  for (int i = 0; i < 4; i++) {
    ScreeWorldDef def = scree_world_def_default();
    ScreeMeasure m;
    def.high[2] = height[i];
    def.periodic[2] = true;
    def.expected_speed = 20.0;
    ScreeWorld *w = world_with(&def, NULL);
    ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.05}, .radius = 0.1};
    start_with(w, 1, &g);
    cr_assert_eq(scree_world_step(w, 2000), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_expect(fabs(m.residual) < 1e-9 * m.scale, "%g m: residual %.3g of %.3g J", height[i], m.residual, m.scale);
    scree_world_destroy(w);
  }
}

/* ---- the ledger ---- */

Test(misuse, the_ledger_is_even_when_grains_start_in_sliding_and_rolling_contact) {
  for (int linear = 0; linear < 2; linear++) {
    ScreeWorldDef def = still_air();
    ScreeContactDef contact = scree_contact_def_default();
    ScreeMeasure m;
    if (linear) {
      contact.tangential = SCREE_LAW_tangential_linear;
      contact.pair.param[SCREE_PARAM_kt] = 1e4;
      contact.pair.param[SCREE_PARAM_gt] = 1e3;
    }
    contact.rolling_model = SCREE_ROLLING_SPRING;
    contact.rolling = 0.1;
    ScreeWorld *w = world_with(&def, &contact);
    ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.099}, .velocity = {1, 0, 0}, .spin = {0, 5, 0}, .radius = 0.1};
    cr_assert_eq(scree_world_add_wall(w, &ground, NULL), SCREE_OK);
    start_with(w, 1, &g);
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_expect(fabs(m.residual) < 1e-12 * m.kinetic && fabs(m.dissipated_friction) < 1e-12 * m.kinetic &&
                  fabs(m.dissipated_rolling) < 1e-12 * m.kinetic,
              "before the first step: residual %.3g, friction %.3g, rolling %.3g of %.3g J", m.residual,
              m.dissipated_friction, m.dissipated_rolling, m.kinetic);
    scree_world_destroy(w);
  }
}

/* The list of neighbours is a means: what is lost in contacts does not depend on how often it is rebuilt. */
Test(misuse, the_ledger_does_not_depend_on_the_skin) {
  const double skin[] = {NAN, 0.05, 1e-5, 0.0};
  ScreeMeasure first, m;
  for (int i = 0; i < 4; i++) {
    ScreeWorldDef def = still_air();
    ScreeGrain g[27];
    for (int k = 0; k < 3; k++) def.periodic[k] = true;
    def.skin = skin[i];
    ScreeWorld *w = world_with(&def, NULL);
    for (int j = 0; j < 27; j++)
      g[j] = (ScreeGrain){.id = (uint64_t)j,
                          .position = {(j % 3 + 0.5) / 3.0, (j / 3 % 3 + 0.5) / 3.0, (j / 9 + 0.5) / 3.0},
                          .velocity = {sin(j), cos(7 * j), sin(3 * j)},
                          .radius = 0.12};
    start_with(w, 27, g);
    cr_assert_eq(scree_world_step(w, 3000), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    if (i == 0) first = m;
    cr_expect_eq(m.kinetic, first.kinetic);
    cr_expect(relative(m.dissipated_viscous, first.dissipated_viscous) < 1e-9 &&
                  relative(m.residual, first.residual) < 1e-6,
              "skin %g: lost %.9g J, residual %.3g J; usual skin: %.9g J, %.3g J", skin[i], m.dissipated_viscous,
              m.residual, first.dissipated_viscous, first.residual);
    scree_world_destroy(w);
  }
}

/* A ball on a floor for a second, at the step the library chose itself: it slides, rolls, spins and comes to rest, and
 * nothing is booked that was not lost. */
Test(misuse, resistances_close_the_ledger_at_the_automatic_step) {
  const struct {
    const char *what;
    ScreeLawId tangential;
    double kt;
    ScreeRolling model;
    double rolling, twisting;
  } cases[] = {{"mindlin", SCREE_LAW_mindlin, NAN, SCREE_ROLLING_NONE, 0.0, 0.0},
               {"coulomb", SCREE_LAW_coulomb, NAN, SCREE_ROLLING_NONE, 0.0, 0.0},
               {"a stiff linear spring", SCREE_LAW_tangential_linear, 1e8, SCREE_ROLLING_NONE, 0.0, 0.0},
               {"twisting 0.1", SCREE_LAW_mindlin, NAN, SCREE_ROLLING_NONE, 0.0, 0.1},
               {"twisting 0.5", SCREE_LAW_mindlin, NAN, SCREE_ROLLING_NONE, 0.0, 0.5},
               {"constant rolling 0.5", SCREE_LAW_mindlin, NAN, SCREE_ROLLING_CONSTANT, 0.5, 0.0},
               {"rolling spring 1", SCREE_LAW_mindlin, NAN, SCREE_ROLLING_SPRING, 1.0, 0.0},
               {"rolling spring 5", SCREE_LAW_mindlin, NAN, SCREE_ROLLING_SPRING, 5.0, 0.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ScreeWorldDef def = scree_world_def_default();
    ScreeContactDef contact = scree_contact_def_default();
    ScreeMeasure start, m;
    def.expected_speed = 1.0;
    def.high[0] = 5.0;
    contact.tangential = cases[i].tangential;
    contact.pair.param[SCREE_PARAM_kt] = cases[i].kt;
    contact.rolling_model = cases[i].model;
    contact.rolling = cases[i].rolling;
    contact.twisting = cases[i].twisting;
    ScreeWorld *w = world_with(&def, &contact);
    ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.1001}, .velocity = {1, 0, 0}, .spin = {0, 0, 3}, .radius = 0.1};
    cr_assert_eq(scree_world_add_wall(w, &ground, NULL), SCREE_OK);
    cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
    if (scree_world_start(w) == SCREE_OK) { /* or refused: a shorter step is needed */
      cr_assert_eq(scree_world_measure(w, &start), SCREE_OK);
      cr_assert_eq(scree_world_step(w, lround(1.0 / scree_world_timestep(w))), SCREE_OK, "%s", scree_last_error());
      cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
      cr_expect(fabs(m.residual) < 5e-3 * start.kinetic, "%s: residual %.2e of the kinetic energy", cases[i].what,
                m.residual / start.kinetic);
    }
    scree_world_destroy(w);
  }
}

/* A grain ten thousand times lighter than the one that stands on it. */
Test(misuse, a_light_grain_under_a_heavy_one_does_not_explode) {
  const double ratio[] = {100.0, 1e4, 1e6};
  for (int i = 0; i < 3; i++) {
    ScreeWorldDef def = scree_world_def_default();
    ScreeMeasure m;
    ScreeWorld *w = world_with(&def, NULL);
    int light;
    ScreeMaterial material = rubber;
    material.density /= ratio[i];
    cr_assert_eq(scree_world_add_material(w, material, &light), SCREE_OK);
    ScreeGrain g[2] = {{.id = 1, .position = {0.5, 0.5, 0.3}, .radius = 0.1},
                       {.id = 2, .position = {0.5, 0.5, 0.1}, .radius = 0.1, .material = light}};
    cr_assert_eq(scree_world_add_wall(w, &ground, NULL), SCREE_OK);
    start_with(w, 2, g);
    /* the heavy one has landed after 0.016 s; the last ratio's step is so short that a tenth of that must do */
    cr_assert_eq(scree_world_step(w, lround(fmin(0.05 / scree_world_timestep(w), 2e6))), SCREE_OK, "a ratio of %g: %s",
                 ratio[i], scree_last_error());
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_expect(fabs(m.residual) < 1e-3 * m.scale, "a ratio of %g: residual %.3g of %.3g J", ratio[i], m.residual,
              m.scale);
    scree_world_destroy(w);
  }
}
