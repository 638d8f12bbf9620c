/* What a run survives: overlaps beyond the limit, numbers that are none, steps in slices. */
#include "dem/contact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/worlds.h"

typedef struct Setup {
  double max_overlap, young;
  int threads;
  ScreeLawId normal;
  ScreeRolling rolling;
} Setup;

static const Setup usual = {.max_overlap = 0.1, .young = 1e8, .threads = 1, .normal = SCREE_LAW_zhang_sharf};

/* A handful of grains that fall on a floor and on each other, one of them carried by a fixed grain that moves. */
enum { COUNT = 12 };

static ScreeWorld *falling(const Setup *s, bool grains) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  ScreeGrain g[COUNT];
  def.max_overlap = s->max_overlap;
  def.threads = s->threads;
  def.expected_speed = 3.0;
  contact.normal = s->normal;
  contact.rolling_model = s->rolling;
  contact.rolling = s->rolling ? 0.2 : 0.0;
  for (int i = 0; i < COUNT; i++)
    g[i] = (ScreeGrain){.id = (uint64_t)(100 + i),
                        .position = {0.3 + 0.11 * (i % 3), 0.3 + 0.105 * (i / 3 % 2), 0.06 + 0.11 * (i / 6)},
                        .velocity = {0, 0, -2.0},
                        .spin = {3, -2, 1},
                        .radius = 0.05};
  g[0].fixed = true;
  g[0].velocity[2] = 0.1;
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){s->young, 0.3, 2000.0});
  cr_assert_eq(scree_world_add_wall(w, &floor, NULL), SCREE_OK);
  if (grains) start_with(w, COUNT, g);
  return w;
}

static ScreeWorld *again(ScreeWorld *w, const Setup *s) {
  void *data = NULL;
  size_t size = 0;
  cr_assert_eq(scree_world_save(w, &data, &size), SCREE_OK, "%s", scree_last_error());
  ScreeWorld *copy = falling(s, false);
  cr_assert_eq(scree_world_restore(copy, data, size), SCREE_OK, "%s", scree_last_error());
  free(data);
  return copy;
}

/* ---- starts ---- */

/* Two grains that touch, and one that stands in the floor, too deep for a start unless the floor is not there yet. */
static ScreeWorld *in_the_floor(double from) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  const ScreeGrain g[3] = {{.id = 1, .position = {0.2, 0.2, 0.2}, .radius = 0.01},
                           {.id = 2, .position = {0.2195, 0.2, 0.2}, .radius = 0.01},
                           {.id = 3, .position = {0.5, 0.5, 0.0088}, .radius = 0.01}};
  int wall;
  memset(def.gravity, 0, sizeof def.gravity);
  def.expected_speed = 1.0;
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
  cr_assert_eq(scree_world_add_wall(w, &floor, &wall), SCREE_OK);
  cr_assert_eq(scree_world_time_wall(w, wall, from, INFINITY), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_add_grains(w, 3, g), SCREE_OK, "%s", scree_last_error());
  return w;
}

Test(survival, a_start_that_failed_leaves_nothing_behind) {
  ScreeWorld *w = in_the_floor(0.0), *fresh = in_the_floor(1.0);
  ScreeMeasure was, is;
  cr_assert_eq(scree_world_start(w), SCREE_OUT_OF_RANGE);
  cr_expect(strstr(scree_last_error(), "grain 3"), "%s", scree_last_error());
  cr_assert_eq(scree_world_time_wall(w, 0, 1.0, INFINITY), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_start(fresh), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_step(w, 5), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_step(fresh, 5), SCREE_OK, "%s", scree_last_error());
  cr_expect_eq(scree_world_hash(w), scree_world_hash(fresh));
  cr_assert_eq(scree_world_measure(w, &is), SCREE_OK);
  cr_assert_eq(scree_world_measure(fresh, &was), SCREE_OK);
  cr_expect_eq(is.peak_overlap, was.peak_overlap, "%g, %g", is.peak_overlap, was.peak_overlap);
  scree_world_destroy(w), scree_world_destroy(fresh);
}

/* ---- overlaps ---- */

Test(survival, a_contact_beyond_the_limit_leaves_a_world_that_is_whole) {
  Setup tight = usual, wide = usual;
  tight.max_overlap = 0.02, wide.max_overlap = 0.4, wide.threads = 3;
  ScreeWorld *w = falling(&tight, true), *free_of_it = falling(&wide, true);
  char place[32];
  cr_assert_eq(scree_world_step(w, 100000), SCREE_OUT_OF_RANGE);
  long step = scree_world_steps(w);
  snprintf(place, sizeof place, "step %ld: grain 1", step);
  cr_expect(strstr(scree_last_error(), place) && strstr(scree_last_error(), "limit 0.02"), "%s", scree_last_error());
  cr_expect(strstr(scree_last_error(), "too soft"), "%s", scree_last_error());
  cr_assert(scree_world_is_whole(w) && step > 0);
  /* what was before it is the same for both limits but for the units of the sums */
  ScreeMeasure a, b;
  cr_assert_eq(scree_world_step(free_of_it, step), SCREE_OK, "%s", scree_last_error());
  cr_assert(scree_world_measure(w, &a) == SCREE_OK && scree_world_measure(free_of_it, &b) == SCREE_OK);
  cr_expect(a.max_overlap > 0.02 && a.step == step && a.contacts == b.contacts);
  cr_expect_float_eq(a.kinetic, b.kinetic, 1e-9 * b.kinetic);
  cr_expect_float_eq(a.residual, b.residual, 1e-9 * b.scale);
  /* taken up with a larger limit it goes on as if that had always been */
  ScreeWorld *on = again(w, &wide);
  cr_assert_eq(scree_world_step(on, 2000), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_step(free_of_it, 2000), SCREE_OK, "%s", scree_last_error());
  cr_assert(scree_world_measure(on, &a) == SCREE_OK && scree_world_measure(free_of_it, &b) == SCREE_OK);
  cr_expect_eq(a.contacts, b.contacts);
  cr_expect_float_eq(a.kinetic, b.kinetic, 1e-6 * b.kinetic);
  cr_expect_float_eq(a.work, b.work, 1e-6 * fabs(b.work));
  cr_expect(fabs(a.residual) < 2e-3 * a.scale, "%g of %g", a.residual, a.scale);
  scree_world_destroy(w), scree_world_destroy(on), scree_world_destroy(free_of_it);
}

Test(survival, the_same_limit_stops_the_same_world_again) {
  Setup tight = usual, threads = usual;
  tight.max_overlap = threads.max_overlap = 0.02, threads.threads = 4;
  ScreeWorld *w = falling(&tight, true);
  cr_assert_eq(scree_world_step(w, 100000), SCREE_OUT_OF_RANGE);
  ScreeWorld *on = again(w, &threads);
  cr_assert_eq(scree_world_step(on, 5), SCREE_OUT_OF_RANGE);
  cr_assert_eq(scree_world_step(w, 5), SCREE_OUT_OF_RANGE);
  cr_expect_eq(scree_world_steps(w), scree_world_steps(on));
  cr_expect_eq(scree_world_hash(w), scree_world_hash(on));
  scree_world_destroy(w), scree_world_destroy(on);
}

/* Twice the limit is more than the sums have room for. */
Test(survival, an_overlap_far_beyond_the_limit_is_not_saved) {
  ScreeWorld *w = falling(&usual, true);
  void *data;
  size_t size;
  cr_assert_eq(scree_world_step(w, 10), SCREE_OK);
  memcpy(w->record[2].x, w->record[1].x, sizeof w->record[1].x);
  w->record[2].x[2] += 0.06;
  w->bulk.strayed[0] = 1.0; /* the list is made anew */
  cr_assert_eq(scree_world_step(w, 10), SCREE_OUT_OF_RANGE);
  cr_expect(strstr(scree_last_error(), "step 11: grain") && strstr(scree_last_error(), "overlaps"), "%s",
            scree_last_error());
  cr_expect(!scree_world_is_whole(w));
  cr_expect_neq(scree_world_save(w, &data, &size), SCREE_OK);
  scree_world_destroy(w);
}

/* Many pairs are pushed into each other, each deeper than the sums have room for: the deepest is told, whichever a
 * thread meets first, and of equally deep ones that of the smallest ids. */
Test(survival, the_deepest_overlap_is_told_for_any_number_of_threads) {
  enum { PAIRS = 200 };
  char told[300] = "";
  ScreeGrain g[2 * PAIRS];
  scree_grains_per_thread = 1.0;
  scree_grains_per_tile = 16;
  for (int threads = 1; threads <= 7; threads += threads < 3 ? 1 : 4) {
    ScreeWorldDef def = scree_world_def_default();
    ScreeContactDef contact = scree_contact_def_default();
    for (int k = 0; k < 3; k++) def.high[k] = 10.0;
    def.threads = threads;
    def.expected_speed = 1.0;
    ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e8, 0.3, 2000.0});
    for (int i = 0; i < 2 * PAIRS; i++)
      g[i] = (ScreeGrain){.id = (uint64_t)(2 * PAIRS - i),
                          .position = {0.5 + 0.4 * (i / 2 % 20), 0.5 + 0.4 * (i / 40), 5.0 + 0.101 * (i % 2)},
                          .radius = 0.05};
    start_with(w, 2 * PAIRS, g);
    for (size_t i = 0; i < w->count; i++) { /* by their ids: the pairs 101 and 102, 201 and 202 are the deepest */
      uint64_t id = w->turn[i].id;
      if (id % 2 == 1) w->record[i].x[2] -= id == 101 || id == 201 ? 0.04 : 0.025 + 1e-5 * (double)(id % 97);
    }
    w->bulk.strayed[0] = 1.0; /* the list is made anew */
    cr_assert_eq(scree_world_step(w, 1), SCREE_OUT_OF_RANGE);
    cr_expect(strstr(scree_last_error(), "grain 101 at") && strstr(scree_last_error(), "overlaps grain 102"), "%s",
              scree_last_error());
    if (threads == 1) snprintf(told, sizeof told, "%s", scree_last_error());
    cr_expect_str_eq(scree_last_error(), told, "%d threads", threads);
    scree_world_destroy(w);
  }
}

Test(survival, grains_that_start_too_close_are_told_so) {
  Setup tight = usual;
  tight.max_overlap = 1e-3;
  ScreeWorld *w = falling(&tight, false);
  ScreeGrain g[2] = {{.id = 7, .position = {0.5, 0.5, 0.5}, .radius = 0.05},
                     {.id = 8, .position = {0.5, 0.5, 0.59985}, .radius = 0.05}};
  cr_assert_eq(scree_world_add_grains(w, 2, g), SCREE_OK);
  cr_expect_eq(scree_world_start(w), SCREE_OUT_OF_RANGE);
  cr_expect(strstr(scree_last_error(), "step 0: grain") && strstr(scree_last_error(), "they start so"), "%s",
            scree_last_error());
  scree_world_destroy(w);
}

Test(survival, the_peak_is_kept_until_it_is_forgotten) {
  ScreeWorld *w = falling(&usual, true);
  ScreeMeasure m;
  double deepest = 0.0;
  for (int i = 0; i < 600; i++) {
    cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    deepest = fmax(deepest, m.max_overlap);
    cr_assert_eq(m.peak_overlap, deepest);
  }
  ScreeWorld *on = again(w, &usual);
  cr_assert_eq(scree_world_measure(on, &m), SCREE_OK);
  cr_expect_eq(m.peak_overlap, deepest);
  scree_world_forget_peak(on);
  cr_assert_eq(scree_world_step(on, 1), SCREE_OK);
  cr_assert_eq(scree_world_measure(on, &m), SCREE_OK);
  cr_expect(m.peak_overlap == m.max_overlap && m.peak_overlap < deepest);
  scree_world_destroy(w), scree_world_destroy(on);
}

/* ---- slices ---- */

Test(survival, a_measure_does_not_depend_on_how_the_steps_were_called) {
  ScreeWorld *w = falling(&usual, true), *sliced = falling(&usual, true);
  ScreeMeasure a, b;
  cr_assert_eq(scree_world_step(w, 1500), SCREE_OK);
  for (int done = 0, part = 1; done < 1500; done += part, part = part % 7 + 1)
    cr_assert_eq(scree_world_step(sliced, done + part < 1500 ? part : 1500 - done), SCREE_OK);
  cr_assert(scree_world_measure(w, &a) == SCREE_OK && scree_world_measure(sliced, &b) == SCREE_OK);
  cr_expect(a.step == 1500 && b.step == 1500 && a.work != 0.0);
  cr_expect_eq(a.work, b.work);
  cr_expect_eq(a.residual, b.residual);
  cr_expect_eq(a.dissipated_friction, b.dissipated_friction);
  scree_world_destroy(w), scree_world_destroy(sliced);
}

/* ---- numbers that are none ---- */

static void expect_refusal(ScreeWorld *w, const char *what) {
  void *data;
  size_t size;
  cr_expect_eq(scree_world_save(w, &data, &size), SCREE_OUT_OF_RANGE, "%s was saved", what);
  cr_expect_eq(scree_world_step(w, 3), SCREE_OUT_OF_RANGE, "%s was not seen", what);
  cr_expect(strstr(scree_last_error(), "grain") && strstr(scree_last_error(), "step "), "%s: %s", what,
            scree_last_error());
  cr_expect(!scree_world_is_whole(w), "%s", what);
  cr_expect_neq(scree_world_save(w, &data, &size), SCREE_OK, "%s was saved", what);
  scree_world_destroy(w);
}

static size_t a_contact(const ScreeWorld *w) {
  for (size_t p = 0; p < w->pairs.count; p++)
    if (w->pairs.k[p] != 0.0 && w->pairs.press[p] > 0.0F) return p;
  cr_assert(false, "nothing touches");
  return 0;
}

static ScreeWorld *touching(const Setup *s) {
  ScreeWorld *w = falling(s, true);
  while (scree_world_contact_count(w) < 6) cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_step(w, 5), SCREE_OK);
  return w;
}

Test(survival, numbers_that_are_none_are_seen_and_never_saved) {
  static const double wild[] = {NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
    Setup rolls = usual, remembers = usual;
    rolls.rolling = SCREE_ROLLING_SPRING;
    remembers.normal = SCREE_LAW_jian;
    ScreeWorld *w = touching(&usual);
    w->record[3].v[1] = wild[i];
    expect_refusal(w, "a velocity");
    w = touching(&usual);
    w->turn[3].w[2] = wild[i];
    expect_refusal(w, "a spin");
    w = touching(&usual);
    KEPT(&w->pairs, shear[0], a_contact(w)) = wild[i];
    expect_refusal(w, "a tangential history");
    w = touching(&usual);
    w->pairs.k[a_contact(w)] = wild[i];
    expect_refusal(w, "a stiffness");
    w = touching(&rolls);
    w->pairs.roll[1][a_contact(w)] = wild[i];
    expect_refusal(w, "a rolling history");
    if (!isnan(wild[i])) continue; /* these laws come back from infinity by themselves */
    w = touching(&usual);
    w->pairs.chi[a_contact(w)] = wild[i];
    expect_refusal(w, "a damping");
    w = touching(&remembers);
    w->pairs.memory[a_contact(w)] = wild[i];
    expect_refusal(w, "a memory");
  }
}

/* A position follows from velocities, which are looked at: it is only kept out of files. */
Test(survival, a_position_that_is_none_is_never_saved) {
  ScreeWorld *w = touching(&usual);
  void *data;
  size_t size;
  w->record[3].x[1] = NAN;
  cr_expect_eq(scree_world_save(w, &data, &size), SCREE_OUT_OF_RANGE);
  cr_expect(strstr(scree_last_error(), "not finite"), "%s", scree_last_error());
  scree_world_destroy(w);
}
