/* Tiles whose grains nobody needs any more are swept while others are still at work on their contacts: each is swept
 * once, none too early, and the bits do not tell. */
#define _GNU_SOURCE /* for sched_getaffinity */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "dem/contact.h"
#include "dem/listing.h"
#include "support/worlds.h"

enum { LONG = 64, WIDE = 6, GRAINS = LONG * WIDE * WIDE };

/* A long block on a floor, under a lid, periodic sideways: grains touch, cross the boundary, and some are held. The
 * faster ones are on a floor that shakes. */
static ScreeWorld *long_block(int threads, double max_overlap, double speed) {
  const double r = 1e-3, step = 1.997e-3;
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0.0, 0.0, 1.0}},
               lid = {.shape = SCREE_WALL_PLANE, .point = {0.0, 0.0, 0.02}, .axis = {0.0, 0.0, -1.0}};
  ScreeMotionDef shaking = scree_motion_def_default(SCREE_MOTION_OSCILLATION);
  ScreeGrain g[GRAINS];
  uint64_t seed = 5;
  int shaken;
  def.high[0] = LONG * step, def.high[1] = WIDE * step, def.high[2] = 0.03;
  def.periodic[0] = def.periodic[1] = true;
  def.threads = threads;
  def.expected_speed = 1.0;
  def.max_overlap = max_overlap;
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
  cr_assert_eq(scree_world_add_wall(w, &floor, &shaken), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_add_wall(w, &lid, NULL), SCREE_OK, "%s", scree_last_error());
  shaking.amplitude[2] = 2e-4;
  shaking.frequency = 200.0;
  if (speed > 0.1) cr_assert_eq(scree_world_move_wall(w, shaken, &shaking), SCREE_OK, "%s", scree_last_error());
  for (int i = 0; i < GRAINS; i++) {
    int at[3] = {i / (WIDE * WIDE), i / WIDE % WIDE, i % WIDE};
    g[i] = (ScreeGrain){.id = (uint64_t)(i * 5 % GRAINS), .radius = r, .fixed = i == GRAINS / 2};
    for (int k = 0; k < 3; k++) {
      g[i].position[k] = (at[k] + 0.501) * step;
      g[i].velocity[k] = g[i].fixed ? 0.0 : random_in(&seed, -speed, speed);
    }
  }
  start_with(w, GRAINS, g);
  return w;
}

static ScreeWorld *long_world(int threads, double max_overlap) { return long_block(threads, max_overlap, 0.3); }
static ScreeWorld *calm_world(int threads) { return long_block(threads, 0.1, 0.01); }

static void use(bool early) {
  scree_early_from = early ? 0 : SIZE_MAX;
  scree_grains_per_tile = 20;
  scree_grains_per_thread = 1.0;
}

/* Tiles of a thread that the last pass swept. */
static size_t swept_early(const ScreeWorld *w, int thread) {
  const Worker *worker = w->worker[thread];
  size_t count = 0;
  for (size_t t = worker->tile; t < worker->gone[0]; t++) count += w->tile[t].turns > 0;
  return count;
}

static bool is_in(const ScreeWorld *w, size_t tile, int32_t grain) {
  return (size_t)grain >= w->tile[tile].grains && (size_t)grain < w->tile[tile + 1].grains;
}

/* The tile that a pair of this tile meets; SIZE_MAX: a wall, or nobody. */
static size_t met_by(const ScreeWorld *w, size_t tile, size_t p) {
  int32_t i = KEPT(&w->pairs, i, p), j = KEPT(&w->pairs, j, p), partner = is_in(w, tile, i) ? j : i;
  size_t other = 0;
  if (j < 0 || (size_t)i >= w->count || (size_t)j >= w->count) return SIZE_MAX;
  while (!is_in(w, other, partner)) other++;
  return other;
}

/* By the pairs of the list: what should be known of a tile. */
static Tile known_of(const ScreeWorld *w, const Worker *owner, size_t tile) {
  Tile known = {.first = tile, .last = tile, .user = tile};
  size_t far = (owner->tile_end - owner->tile) / 2;
  for (size_t t = 0; t < w->tiles; t++)
    for (size_t p = w->tile[t].pairs; p < w->tile[t + 1].pairs; p++) {
      size_t other = met_by(w, t, p);
      if (other == SIZE_MAX || other == t || (t != tile && other != tile)) continue;
      size_t partner = t == tile ? other : t, gap = partner > tile ? partner - tile : tile - partner;
      bool own = partner >= owner->tile && partner < owner->tile_end, near = own && gap <= far;
      if (t == tile) {
        known.owes |= !own, known.bound |= own && !near;
        if (near && other < known.first) known.first = other;
        if (near && other > known.last) known.last = other;
      } else {
        if (near && t > known.user) known.user = t;
        if (!own) known.waits = true;
        if (own && !near) *(t < tile ? &known.kept : &known.held) = true;
      }
    }
  return known;
}

/* At first every pair lies with its first grain; later some grains are faster, and look for the others. */
Test(early, a_tile_waits_for_those_that_need_its_grains) {
  for (int steps = 0; steps <= 20; steps += 20)
    for (int threads = 1; threads <= 3; threads++) {
      use(true);
      ScreeWorld *w = long_world(threads, 0.1);
      size_t waiting = 0, held = 0, later = 0;
      cr_assert_eq(scree_world_step(w, steps), SCREE_OK, "%s", scree_last_error());
      cr_assert_geq(w->tiles, 30);
      cr_assert(w->layered);
      for (int n = 0; n < threads; n++)
        for (size_t t = w->worker[n]->tile; t < w->worker[n]->tile_end; t++) {
          Tile known = known_of(w, w->worker[n], t), *tile = &w->tile[t];
          waiting += tile->waits, held += tile->held;
          later += tile->user > t;
          cr_expect(tile->waits == known.waits && tile->owes == known.owes, "tile %zu, %d threads", t, threads);
          cr_expect(tile->held == known.held && tile->kept == known.kept && tile->bound == known.bound,
                    "tile %zu, %d threads", t, threads);
          cr_expect(tile->first == known.first && tile->last == known.last && tile->user == known.user,
                    "tile %zu, %d threads: %zu %zu %zu", t, threads, tile->first, tile->last, tile->user);
        }
      if (steps == 0) cr_expect_leq(waiting, w->tiles * (size_t)(threads - 1) / 4, "%zu of %zu", waiting, w->tiles);
      if (threads == 1) cr_expect(waiting == 0 && (held > 0) == (steps > 0), "%zu, %zu", waiting, held);
      cr_expect(steps == 0 ? later == 0 : later > w->tiles / 4, "%zu of %zu", later, w->tiles);
      scree_world_destroy(w);
    }
}

/* What a thread owes is gathered when its tail and its head are done, and every thread owes to the one after it: with
 * two, whose borders are two, each to the other. */
Test(early, every_thread_owes_to_the_next) {
  for (int steps = 0; steps <= 20; steps += 20)
    for (int threads = 1; threads <= 3; threads++) {
      use(true);
      ScreeWorld *w = long_world(threads, 0.1);
      cr_assert_eq(scree_world_step(w, steps), SCREE_OK, "%s", scree_last_error());
      for (int n = 0; n < threads; n++) {
        const Worker *worker = w->worker[n];
        size_t waits = 0, owing = 0, tiles = worker->tile_end - worker->tile;
        cr_expect(worker->head <= worker->tail && worker->tail + tiles / 4 >= worker->tile_end);
        for (size_t t = worker->tile; t < worker->tile_end; t++) {
          waits += w->tile[t].waits, owing += w->tile[t].owes;
          cr_expect(!w->tile[t].owes || t < worker->head || t >= worker->tail, "tile %zu of %zu", t, tiles);
          if (steps == 0) cr_expect(!w->tile[t].waits || t < worker->tile + tiles / 3, "tile %zu of %zu", t, tiles);
        }
        cr_expect_eq(waits, worker->waits, "%zu", waits);
        if (threads == 1) cr_expect(owing == 0 && waits == 0, "%zu", owing);
        if (steps == 0) cr_expect_eq(worker->head, worker->tile, "%d of %d threads", n, threads);
        if (threads > 1) cr_expect(owing > 0 && waits > 0 && worker->tail < worker->tile_end, "%zu, %zu", owing, waits);
      }
      scree_world_destroy(w);
    }
}

/* Where tiles that owe lie all along a thread, as in columns, nothing can be shown before the end: nobody waits for it,
 * and tiles are done in their order. */
Test(early, who_owes_all_along_keeps_nobody_waiting) {
  use(true);
  ScreeWorld *w = long_world(2, 0.1);
  const Worker *first = w->worker[0], *second = w->worker[1];
  cr_expect(w->held_up > 0 && first->tail < first->tile_end && second->tail < second->tile_end);
  for (size_t t = first->tile; t < first->tile_end; t += 3) w->tile[t].owes = true;
  scree_early_plan(w);
  cr_expect_eq(w->held_up, 0);
  cr_expect(first->tail == first->tile_end && first->head == first->tile_end);
  cr_expect(second->tail == second->tile_end && second->head == second->tile_end);
  scree_world_destroy(w);
}

/* Contacts that begin the turnover sweep the tiles that nobody needs, and the turnover itself the others. */
Test(early, every_tile_is_swept_once) {
  Record drifted[GRAINS], swept[GRAINS];
  for (int steps = 0; steps <= 20; steps += 20) { /* later some grains are faster: they look for the others */
    use(true);
    ScreeWorld *w = long_world(1, 0.1);
    cr_assert_eq(scree_world_step(w, steps), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_drift(w), SCREE_OK);
    memcpy(drifted, w->record, sizeof drifted);
    cr_assert_eq(scree_contacts(w, PASS_ON), SCREE_OK);
    cr_expect(steps == 0 ? swept_early(w, 0) == w->tiles : swept_early(w, 0) < w->tiles);
    memcpy(swept, w->record, sizeof swept);
    cr_assert_eq(scree_turnover(w), SCREE_OK);
    cr_expect_not(w->turning);
    for (size_t t = 0; t < w->tiles; t++)
      for (size_t i = w->tile[t].grains; i < w->tile[t + 1].grains; i++) {
        bool early = memcmp(&drifted[i], &swept[i], sizeof swept[i]) != 0,
             late = memcmp(&swept[i], &w->record[i], sizeof swept[i]) != 0;
        cr_expect(scree_is_fixed(&swept[i]) || (early == !w->tile[t].held && late == !early), "grain %zu", i);
      }
    scree_world_destroy(w);
  }
}

Test(early, bits_do_not_depend_on_it) {
  const Helpfulness ways[] = {HELP_WHEN_DONE, HELP_NEVER, HELP_FIRST};
  ScreeMeasure late = {0};
  uint64_t hash = 0;
  for (int n = 0; n < 8; n++) {
    use(n > 0);
    scree_helpfulness = ways[n % 3];
    ScreeWorld *w = long_world(n < 2 ? 1 : n < 5 ? 2 : 3, 0.1);
    ScreeMeasure m;
    for (int part = 0; part < 20; part++) cr_assert_eq(scree_world_step(w, 50), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    if (n == 0) hash = scree_world_hash(w), late = m;
    cr_expect_eq(scree_world_hash(w), hash, "run %d", n);
    cr_expect(m.residual == late.residual && m.kinetic == late.kinetic && m.work == late.work, "run %d", n);
    cr_expect(n == 0 ? w->passes[PASS_ON] == 0 : w->passes[PASS_ON] > 500, "run %d: %ld", n, w->passes[PASS_ON]);
    scree_world_destroy(w);
  }
}

/* A contact that gets too deep ends the run at the same step, with the same words and the same world. */
Test(early, too_deep_a_contact_is_told_in_its_step) {
  char words[2][400];
  uint64_t hash[2];
  long step[2];
  for (int early = 0; early < 2; early++) {
    use(early);
    ScreeWorld *w = long_world(1, 0.05);
    cr_expect_eq(scree_world_step(w, 100000), SCREE_OUT_OF_RANGE);
    snprintf(words[early], sizeof words[early], "%s", scree_last_error());
    hash[early] = scree_world_hash(w), step[early] = scree_world_steps(w);
    cr_expect(scree_world_is_whole(w), "%s", words[early]);
    cr_expect_gt(step[early], 20, "%s", words[early]);
    scree_world_destroy(w);
  }
  cr_expect_str_eq(words[0], words[1]);
  cr_expect_eq(hash[0], hash[1]);
  cr_expect_eq(step[0], step[1]);
}

/* However fast a wall or a grain comes, no overlap is beyond what was said to be possible. */
Test(early, no_contact_is_deeper_than_foreseen) {
  use(false);
  ScreeWorld *w = long_world(1, 0.2);
  double tightest = INFINITY;
  for (int s = 0; s < 2000; s++) {
    double before = w->max_overlap;
    cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
    double bound = before + fmax(w->bulk.step_closed, w->bulk.step_way + w->walls_step) / w->min_radius;
    cr_expect_leq(w->max_overlap, bound, "step %d", s);
    tightest = fmin(tightest, bound - w->max_overlap);
  }
  cr_expect_lt(tightest, 0.02, "%g", tightest);
  scree_world_destroy(w);
}

/* ---- two steps in one pass ---- */

/* Steps up to a pass that may do two: their contacts are not done yet. */
static void step_to_pass(ScreeWorld *w) {
  cr_assert_eq(scree_world_step(w, 20), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_drift(w), SCREE_OK);
  cr_assert_eq(scree_contacts(w, PASS_ALONE), SCREE_OK);
  w->step++;
  cr_assert_eq(scree_turnover(w), SCREE_OK);
}

/* After a pass of two steps, by the pairs of the list: a tile has met again only who has gone on, and went on again
 * only when all had met it. */
static void check_pass(const ScreeWorld *w) {
  for (size_t t = 0; t < w->tiles; t++)
    for (size_t p = w->tile[t].pairs; p < w->tile[t + 1].pairs; p++) {
      size_t other = met_by(w, t, p);
      if (other == SIZE_MAX) continue;
      if (w->tile[t].meets > 0) cr_expect_geq(w->tile[other].turns, 1, "tile %zu has met %zu", t, other);
      if (w->tile[other].turns > 1) cr_expect_eq(w->tile[t].meets, 1, "tile %zu went on before %zu", other, t);
    }
}

/* The second half of a pass of two steps. */
static void end_pass(ScreeWorld *w) {
  cr_assert_eq(scree_turnover(w), SCREE_OK);
  cr_assert_eq(scree_confirm_pass(w), SCREE_OK, "%s", scree_last_error());
  w->step++;
  cr_assert_eq(scree_choose_pass(w, 9), PASS_ON);
  cr_assert_eq(scree_contacts(w, PASS_ON), SCREE_OK);
  w->step++;
  cr_assert_eq(scree_turnover(w), SCREE_OK);
  for (size_t t = 0; t < w->tiles; t++) cr_expect(w->tile[t].meets == 0 && w->tile[t].turns == 0, "tile %zu", t);
}

static int processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* Whatever threads find done by others when they look. Where there are cores for them, they find it mostly; beside
 * other programs now and then. */
Test(early, who_meets_again_has_waited_for_those_it_meets) {
  for (int threads = 1; threads <= 3; threads++)
    for (int helping = 0; helping < 2; helping++) {
      long passes = 0, again = 0, onward = 0, owing = 0, waiting = 0;
      use(true);
      scree_helpfulness = helping ? HELP_WHEN_DONE : HELP_NEVER;
      ScreeWorld *w = calm_world(threads);
      step_to_pass(w);
      bool cores = threads == 2 && processors() > 1;
      for (int n = 0; n < 150 || (n < 5000 && cores && (waiting == 0 || owing == 0)); n++) {
        if (scree_needs_rebuild(w)) cr_assert_eq(scree_rebuild(w, NULL, 0, false), SCREE_OK);
        if (scree_choose_pass(w, 2) != PASS_TWICE) {
          cr_assert_eq(scree_contacts(w, PASS_ALONE), SCREE_OK);
          w->step++;
          cr_assert_eq(scree_turnover(w), SCREE_OK);
          continue;
        }
        cr_assert_eq(scree_contacts(w, PASS_TWICE), SCREE_OK);
        check_pass(w);
        passes++;
        for (size_t t = 0; t < w->tiles; t++) {
          again += w->tile[t].meets, onward += w->tile[t].turns > 1;
          owing += w->tile[t].owes && w->tile[t].meets > 0, waiting += w->tile[t].waits && w->tile[t].turns > 0;
        }
        end_pass(w);
      }
      cr_expect_gt(passes, 100);
      cr_expect(onward < again && again < passes * (long)w->tiles, "%ld of %ld", onward, again);
      if (threads == 1) cr_expect(3 * onward > passes * (long)w->tiles, "%ld of %ld", onward, again);
      if (cores)
        cr_expect(waiting > 0 && owing > 0, "in %ld passes %ld got what they waited for, %ld met them", passes, waiting,
                  owing);
      scree_world_destroy(w);
    }
}

/* One thread does all shares, one after the other: the second finds what it waits for, the first does not. */
Test(early, who_does_not_get_what_others_owe_stays) {
  use(true);
  ScreeWorld *w = calm_world(2);
  step_to_pass(w);
  scree_pool_use(w->pool, 1);
  cr_assert_eq(scree_choose_pass(w, 2), PASS_TWICE);
  cr_assert_eq(scree_contacts(w, PASS_TWICE), SCREE_OK);
  check_pass(w);
  for (int n = 0; n < 2; n++)
    for (size_t t = w->worker[n]->tile; t < w->worker[n]->tile_end; t++) {
      if (w->tile[t].waits) cr_expect_eq(w->tile[t].turns, n, "tile %zu", t);
      if (w->tile[t].owes) cr_expect_eq(w->tile[t].meets, 0, "tile %zu", t);
    }
  cr_expect(!w->worker[0]->got && w->worker[1]->got && w->worker[1]->moved);
  end_pass(w);
  scree_world_destroy(w);
}

/* A pass of two steps leaves tiles that were swept twice, once and not at all; what remains is done in its step. One
 * thread alone: those that meet the far end of a period wait for it. */
Test(early, every_tile_meets_and_goes_on_once_a_step) {
  static Record at[4][GRAINS];
  static bool stays[GRAINS], again[GRAINS], onward[GRAINS];
  use(true);
  ScreeWorld *w = calm_world(1);
  step_to_pass(w);
  memcpy(at[0], w->record, sizeof at[0]);
  cr_assert_eq(scree_choose_pass(w, 1), PASS_ON);
  cr_assert_eq(scree_choose_pass(w, 2), PASS_TWICE);
  cr_assert_eq(scree_contacts(w, PASS_TWICE), SCREE_OK);
  memcpy(at[1], w->record, sizeof at[1]);
  size_t twice = 0;
  for (size_t t = 0; t < w->tiles; t++) {
    const Tile *tile = &w->tile[t];
    again[t] = !tile->bound;
    for (size_t other = tile->first; other <= tile->last; other++) again[t] &= !w->tile[other].held;
    for (size_t other = tile->first; other <= tile->last && !again[t]; other++) stays[other] = true;
  }
  for (size_t t = 0; t < w->tiles; t++) {
    const Tile *tile = &w->tile[t];
    onward[t] = again[t] && !stays[t] && !tile->kept && !tile->held;
    cr_expect_eq(tile->meets, again[t], "tile %zu", t);
    cr_expect_eq(tile->turns, tile->held ? 0 : 1 + onward[t], "tile %zu", t);
    twice += onward[t];
  }
  cr_expect_gt(twice, w->tiles / 4);
  end_pass(w);
  memcpy(at[2], w->record, sizeof at[2]);
  for (size_t t = 0; t < w->tiles; t++)
    for (size_t i = w->tile[t].grains; i < w->tile[t + 1].grains; i++) {
      if (scree_is_fixed(&at[0][i])) continue;
      cr_expect(memcmp(&at[0][i], &at[1][i], sizeof at[0][i]) != 0, "grain %zu", i);
      cr_expect_eq(memcmp(&at[1][i], &at[2][i], sizeof at[1][i]) == 0, onward[t], "grain %zu", i);
    }
  scree_world_destroy(w);
}

/* Also parts of runs, which end in the middle of what could have been a pass, and measures between. */
Test(early, bits_do_not_depend_on_passes_of_two_steps) {
  const Helpfulness ways[] = {HELP_WHEN_DONE, HELP_NEVER, HELP_FIRST};
  ScreeMeasure late = {0};
  uint64_t hash = 0;
  double floor[2][3], torque[3];
  for (int n = 0; n < 8; n++) {
    use(n > 0);
    scree_helpfulness = ways[n % 3];
    ScreeWorld *w = calm_world(n < 2 ? 1 : n < 5 ? 2 : 3);
    ScreeMeasure m;
    for (int part = 0; part < 60; part++) {
      cr_assert_eq(scree_world_step(w, part % 37), SCREE_OK, "%s", scree_last_error());
      cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    }
    cr_assert_eq(scree_world_wall_force(w, 0, floor[n > 0], torque), SCREE_OK);
    if (n == 0) hash = scree_world_hash(w), late = m, memcpy(floor[1], floor[0], sizeof floor[0]);
    cr_expect_eq(scree_world_hash(w), hash, "run %d", n);
    cr_expect(m.residual == late.residual && m.kinetic == late.kinetic &&
                  m.dissipated_viscous == late.dissipated_viscous,
              "run %d", n);
    cr_expect(m.dissipated_friction == late.dissipated_friction && m.max_overlap == late.max_overlap, "run %d", n);
    cr_expect_arr_eq(floor[0], floor[1], sizeof floor[0], "run %d", n);
    cr_expect(n == 0 ? w->passes[PASS_TWICE] == 0 : w->passes[PASS_TWICE] > 300, "run %d: %ld", n,
              w->passes[PASS_TWICE]);
    scree_world_destroy(w);
  }
}

/* In a world in motion too, grains never close in by more than a pass of two steps had room for. */
Test(early, there_is_room_for_the_second_step) {
  use(true);
  ScreeWorld *w = calm_world(1);
  int twice = 0;
  double fullest = 0.0;
  cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
  for (int s = 0; s < 2000; s++) {
    cr_assert_eq(scree_drift(w), SCREE_OK);
    if (scree_needs_rebuild(w)) cr_assert_eq(scree_rebuild(w, NULL, 0, false), SCREE_OK);
    bool could = scree_choose_pass(w, 2) == PASS_TWICE;
    cr_assert_eq(scree_contacts(w, PASS_ALONE), SCREE_OK);
    w->step++;
    cr_assert_eq(scree_turnover(w), SCREE_OK);
    if (could) cr_expect_eq(scree_confirm_pass(w), SCREE_OK, "%s", scree_last_error());
    if (could) fullest = fmax(fullest, fmax(w->bulk.step_closed, w->bulk.step_way) / w->bulk.room);
    twice += could;
    if (scree_needs_rebuild(w)) cr_assert_eq(scree_rebuild(w, NULL, 0, false), SCREE_OK);
    cr_assert_eq(scree_contacts(w, PASS_ALONE), SCREE_OK);
    w->step++;
    cr_assert_eq(scree_correct(w), SCREE_OK);
  }
  cr_expect_gt(twice, 1000);
  cr_expect(fullest > 0.0 && fullest < 0.5, "%g", fullest);
  scree_world_destroy(w);
}

/* Grains that are suddenly faster than there was room for, or a list that no longer holds, end the run. */
Test(early, a_pass_that_was_wrong_is_not_confirmed) {
  for (int n = 0; n < 3; n++) {
    use(true);
    ScreeWorld *w = calm_world(1);
    step_to_pass(w);
    cr_assert_eq(scree_choose_pass(w, 2), PASS_TWICE);
    cr_assert_eq(scree_confirm_pass(w), SCREE_OK, "%s", scree_last_error());
    if (n == 0) w->bulk.step_closed = 1.01 * w->bulk.room;
    if (n == 1) w->bulk.strayed[0] = 1.01 * w->bulk.allowance[0];
    if (n == 2) w->bulk.wall_way[0] = 1.01 * w->bulk.wall_slack[0];
    cr_expect_eq(scree_confirm_pass(w), SCREE_OUT_OF_RANGE, "%d", n);
    scree_world_destroy(w);
  }
}

/* Grains that came have no overlap that is known, and who touched those that went is no longer held: after a change
 * contacts are looked at once before they pass on. */
Test(early, after_a_change_contacts_are_alone) {
  for (int n = 0; n < 3; n++) {
    const ScreeGrain comes = {.id = GRAINS, .radius = 1e-3, .position = {0.02, 5e-3, 0.018}};
    const int32_t goes = GRAINS / 3;
    use(true);
    ScreeWorld *w = calm_world(1);
    cr_assert_eq(scree_world_step(w, 20), SCREE_OK, "%s", scree_last_error());
    if (n == 1) cr_assert_eq(scree_put_in(w, &comes, 1), SCREE_OK, "%s", scree_last_error());
    if (n == 2) cr_assert_eq(scree_take_out(w, &goes, 1), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_drift(w), SCREE_OK);
    cr_expect_eq(scree_choose_pass(w, 5), n == 0 ? PASS_TWICE : PASS_ALONE, "%d", n);
    cr_assert_eq(scree_contacts(w, PASS_ALONE), SCREE_OK);
    w->step++;
    cr_assert_eq(scree_turnover(w), SCREE_OK);
    cr_expect_eq(scree_choose_pass(w, 5), PASS_TWICE, "%d", n);
    scree_world_destroy(w);
  }
}

/* Grains that shear evenly and touch nobody: their list ends because distances are stretched, though hardly any grain
 * strays, and no pass of two steps goes beyond its end. */
Test(early, a_list_that_shear_uses_up_is_not_passed) {
  enum { N = 12 };
  const double r = 1e-3, step = 2.2 * r;
  use(true);
  for (int n = 0; n < 12; n++) {
    double rate = (double[]){1.0, 1.3, 1.5, 3.0, 4.0, 6.0}[n / 2];
    ScreeWorldDef def = scree_world_def_default();
    ScreeContactDef contact = scree_contact_def_default();
    static ScreeGrain g[N * N * N];
    for (int k = 0; k < 3; k++) def.low[k] = -1.0, def.high[k] = 1.0, def.gravity[k] = 0.0;
    def.expected_speed = 1.0;
    def.threads = 1 + n % 2;
    ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
    for (int i = 0; i < N * N * N; i++) {
      int at[3] = {i % N, i / N % N, i / N / N};
      g[i] = (ScreeGrain){.id = (uint64_t)i, .radius = r};
      for (int k = 0; k < 3; k++) g[i].position[k] = (at[k] + 0.5) * step;
      g[i].velocity[0] = rate * (g[i].position[2] - 0.5 * N * step);
    }
    start_with(w, N * N * N, g);
    cr_assert_eq(scree_world_step(w, 3500), SCREE_OK, "%g/s: %s", rate, scree_last_error());
    cr_expect(w->bulk.sheared && w->rebuilds > 1 && w->passes[PASS_TWICE] > 100, "%g/s: %ld lists, %ld passes of two",
              rate, w->rebuilds, w->passes[PASS_TWICE]);
    scree_world_destroy(w);
  }
}

/* Grains that others spin up until they turn more than a radian in a step. */
static ScreeWorld *spun_up(int threads, double spin) {
  const double r = 1e-3, step = 1.99 * r;
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef smooth = scree_contact_def_default(), rough = smooth;
  ScreeGrain g[GRAINS];
  int other;
  def.high[0] = LONG * step, def.high[1] = def.high[2] = WIDE * step;
  for (int k = 0; k < 3; k++) def.periodic[k] = true, def.gravity[k] = 0.0;
  def.expected_speed = 1.0, def.max_overlap = 0.4, def.timestep = 1e-5, def.threads = threads;
  smooth.tangential = SCREE_LAW_NONE;
  ScreeWorld *w = empty_world(&def, &smooth, (ScreeMaterial){1e7, 0.3, 2500.0});
  cr_assert_eq(scree_world_add_material(w, (ScreeMaterial){1e7, 0.3, 2500.0}, &other), SCREE_OK);
  cr_assert_eq(scree_world_set_contact(w, other, other, &rough), SCREE_OK, "%s", scree_last_error());
  for (int i = 0; i < GRAINS; i++) {
    int at[3] = {i % LONG, i / LONG % WIDE, i / LONG / WIDE};
    g[i] = (ScreeGrain){.id = (uint64_t)(i * 5 % GRAINS), .radius = r};
    for (int k = 0; k < 3; k++) g[i].position[k] = (at[k] + 0.5) * step;
  }
  for (int p = 0; p < 5; p++) {
    ScreeGrain *small = &g[4 * p + 2 + LONG * (2 + p % 3) + LONG * WIDE * (2 + p % 2)];
    small[0].material = small[1].material = other;
    small[0].radius = 0.7 * r;
    small[0].position[0] += 0.3 * r;
    small[0].spin[1] = (spin - 1e-5 * p) / def.timestep;
    small[1].spin[1] = -0.99999 / def.timestep;
  }
  start_with(w, GRAINS, g);
  return w;
}

/* A grain that runs away in the second step of a pass is told in that step, with any number of threads; of several in
 * one step that of the smallest id. */
Test(early, who_runs_away_is_told_in_its_step) {
  int late = 0;
  for (double spin = 0.9990; spin < 0.9999; spin += 7e-5) {
    char first[300];
    use(false);
    for (int threads = 0; threads <= 4; threads++) { /* 0: one, each step by itself */
      ScreeWorld *w = spun_up(threads > 0 ? threads : 1, spin);
      cr_expect_eq(scree_world_step(w, 300), SCREE_OUT_OF_RANGE);
      if (threads == 0) snprintf(first, sizeof first, "%s", scree_last_error());
      cr_expect_str_eq(scree_last_error(), first, "%d threads", threads);
      cr_expect(strstr(first, "more than a radian"), "%s", first);
      late += threads > 0 && w->passes[PASS_TWICE] > 0;
      scree_world_destroy(w);
      use(true);
    }
  }
  cr_expect_gt(late, 20, "%d after passes of two steps", late);
}
