/* Threads get grains that cost as much, not as many, and help each other; no grain is lost between them, and the bits
 * do not tell. */
#include <stdlib.h>
#include <string.h>

#include "dem/contact.h"
#include "support/worlds.h"

enum { SIDE = 12, PACKED = SIDE * SIDE * SIDE, GRAINS = 2 * PACKED };

/* Half of the grains are packed in a block on a floor, each touching six others; the other half fly above them, apart
 * from each other. */
static ScreeWorld *uneven_world(int threads) {
  const double r = 1e-3, touching = 1.998e-3, apart = 4.5e-3;
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  static ScreeGrain g[GRAINS];
  for (int k = 0; k < 3; k++) def.high[k] = 0.1;
  def.threads = threads;
  def.expected_speed = 1.0;
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0.0, 0.0, 1.0}};
  cr_assert_eq(scree_world_add_wall(w, &floor, NULL), SCREE_OK, "%s", scree_last_error());
  for (int i = 0; i < GRAINS; i++) {
    bool flies = i >= PACKED;
    int n = i % PACKED, at[3] = {n % SIDE, n / SIDE % SIDE, n / (SIDE * SIDE)};
    g[i] = (ScreeGrain){.id = (uint64_t)i + 1, .radius = r};
    for (int k = 0; k < 3; k++) {
      g[i].position[k] = r + at[k] * (flies ? apart : touching) + (flies && k == 2 ? 0.035 : 0.0);
      g[i].velocity[k] = flies ? 0.3 * sin(7.0 * i + k) : 0.0;
    }
  }
  start_with(w, GRAINS, g);
  return w;
}

/* The threads' grains follow each other, from the first to the last, in tiles of their own. */
static void check_shares(const ScreeWorld *w) {
  size_t next = 0;
  for (int n = 0; n < w->def.threads; n++) {
    const Worker *worker = w->worker[n];
    cr_expect_eq(worker->first, next, "thread %d of %d", n, w->def.threads);
    cr_expect_eq(worker->first, w->tile[worker->tile].grains);
    cr_expect_eq(worker->last, w->tile[worker->tile_end].grains);
    next = worker->last;
  }
  cr_expect_eq(next, w->count);
}

static double unevenness(const ScreeWorld *w) {
  double most = 0.0, sum = 0.0;
  for (int n = 0; n < w->def.threads; n++) {
    most = fmax(most, scree_share_cost(w, n));
    sum += scree_share_cost(w, n);
  }
  return most * w->def.threads / sum - 1.0;
}

/* How many pairs of grains touch, of those that a thread has listed. */
static size_t touching(const ScreeWorld *w, int thread) {
  const Worker *worker = w->worker[thread];
  size_t count = 0;
  for (size_t p = w->tile[worker->tile].pairs; p < w->tile[worker->tile_end].pairs; p++)
    count += KEPT(&w->pairs, j, p) >= 0 && w->pairs.k[p] != 0.0;
  return count;
}

Test(share, threads_get_grains_that_cost_as_much) {
  for (int threads = 2; threads <= 7; threads++) {
    ScreeWorld *w = uneven_world(threads);
    for (int n = 0; n < 3; n++) cr_assert_eq(scree_rebuild(w, NULL, 0, false), SCREE_OK); /* shares settle */
    size_t fewest = GRAINS, most = 0, least_pairs = SIZE_MAX, most_pairs = 0;
    for (int n = 0; n < threads; n++) {
      size_t grains = w->worker[n]->last - w->worker[n]->first, pairs = touching(w, n);
      fewest = grains < fewest ? grains : fewest, most = grains > most ? grains : most;
      least_pairs = pairs < least_pairs ? pairs : least_pairs, most_pairs = pairs > most_pairs ? pairs : most_pairs;
    }
    check_shares(w);
    cr_expect_lt(unevenness(w), 0.05, "%d threads: %g", threads, unevenness(w));
    /* by numbers of grains, some thread would have none of the pairs that touch */
    cr_expect_gt(most, 3 * fewest / 2, "%d threads: %zu and %zu grains", threads, fewest, most);
    if (threads == 2) cr_expect_gt((double)least_pairs, 0.6 * (double)most_pairs, "%zu, %zu", least_pairs, most_pairs);
    scree_world_destroy(w);
  }
}

/* As if each thread's contacts had taken so many times what their pairs say; every third time another program came
 * between those of the first. */
static void take_time(ScreeWorld *w, const double *times) {
  for (int step = 0; step < 12; step++)
    for (int n = 0; n < w->def.threads; n++) {
      Worker *worker = w->worker[n];
      double ticks =
          times[n] * 1e3 * scree_share_cost(w, n) / worker->dearer / (double)(worker->tile_end - worker->tile);
      for (size_t t = worker->tile; t < worker->tile_end; t++)
        scree_share_timed(w, worker, t, (uint64_t)(step % 3 == 2 && n == 0 ? 10.0 * ticks : ticks));
    }
}

/* Processors differ in what walls, gaps and pairs cost against each other. */
Test(share, shares_follow_what_contacts_took) {
  ScreeWorld *w = uneven_world(2);
  for (int n = 0; n < 3; n++) cr_assert_eq(scree_rebuild(w, NULL, 0, false), SCREE_OK);
  size_t pairs = touching(w, 0);
  cr_expect_eq(w->worker[0]->dearer, 1.0);
  take_time(w, (double[]){1.2, 1.0});
  cr_assert_eq(scree_rebuild(w, NULL, 0, false), SCREE_OK);
  double ratio = w->worker[0]->dearer / w->worker[1]->dearer;
  cr_expect(fabs(ratio - 1.2) < 1e-3, "%g", ratio);
  cr_expect_lt(unevenness(w), 0.05, "%g", unevenness(w));
  cr_expect(touching(w, 0) < 0.97 * (double)pairs && touching(w, 0) > 0.8 * (double)pairs, "%zu of %zu", touching(w, 0),
            pairs);
  cr_assert_eq(scree_rebuild(w, NULL, 0, false), SCREE_OK); /* nothing was timed: as before */
  cr_expect_eq(w->worker[0]->dearer / w->worker[1]->dearer, ratio);
  take_time(w, (double[]){1.0, 1.0}); /* one list of two */
  scree_shares_learn(w);
  cr_expect(fabs(w->worker[0]->dearer - 0.5 * (1.0 + 1.2 / 1.1)) < 0.01, "%g", w->worker[0]->dearer);
  for (int n = 0; n < 20; n++) take_time(w, (double[]){50.0, 1.0}), scree_shares_learn(w); /* within bounds */
  cr_expect(w->worker[0]->dearer <= 1.25 && w->worker[1]->dearer >= 0.8, "%g, %g", w->worker[0]->dearer,
            w->worker[1]->dearer);
  cr_expect_gt(w->worker[0]->dearer, 1.2);
  scree_world_destroy(w);
}

/* A box of grains that touch their neighbours, periodic where it is told to be; a stray one far above it. */
static ScreeWorld *packed_box(int threads, const int *sides, const bool *periodic, bool stray) {
  const double r = 1e-3, step = 1.998e-3;
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  static ScreeGrain g[GRAINS];
  int count = sides[0] * sides[1] * sides[2];
  uint64_t seed = 11;
  cr_assert_lt(count, GRAINS);
  for (int k = 0; k < 3; k++) {
    def.periodic[k] = periodic[k];
    def.low[k] = periodic[k] ? 0.0 : -0.01, def.high[k] = sides[k] * step + (periodic[k] ? 0.0 : 0.01);
  }
  if (stray) def.high[2] = 1.0;
  def.threads = threads;
  def.expected_speed = 1.0;
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
  for (int i = 0; i < count; i++) {
    int n = i * 17 % count, at[3] = {n % sides[0], n / sides[0] % sides[1], n / (sides[0] * sides[1])};
    g[i] = (ScreeGrain){.id = (uint64_t)i, .radius = r};
    for (int k = 0; k < 3; k++) g[i].position[k] = (at[k] + 0.5 + random_in(&seed, -1e-4, 1e-4)) * step;
  }
  g[count] = (ScreeGrain){.id = (uint64_t)count, .radius = r, .position = {step, step, 0.9}};
  start_with(w, (size_t)(count + stray), g);
  return w;
}

static size_t between_threads(const ScreeWorld *w) {
  size_t count = 0;
  for (size_t p = 0; p < w->pairs.count; p++) {
    int32_t i = KEPT(&w->pairs, i, p), j = KEPT(&w->pairs, j, p);
    if (j < 0 || w->pairs.k[p] == 0.0) continue;
    const Worker *second = w->worker[w->def.threads / 2];
    count += ((size_t)i < second->first) != ((size_t)j < second->first);
  }
  return count;
}

/* Runs know whether pairs of theirs are around a period; a grain that goes around one is known until the next list. */
Test(share, images_are_looked_for_where_they_matter) {
  const int sides[3] = {24, 6, 6};
  const bool periodic[3] = {true, false, false};
  scree_grains_per_tile = 64;
  ScreeWorld *w = packed_box(1, sides, periodic, false);
  double half = 0.5 * (w->def.high[0] - w->def.low[0]);
  int runs[2] = {0, 0};
  size_t last = 0;
  for (size_t r = 0; r < w->tile[w->tiles].runs; r++) {
    const Run *run = &w->run[r];
    bool across = false;
    for (size_t p = run->begin; p < run->end; p++) {
      size_t i = (size_t)KEPT(&w->pairs, i, p), j = (size_t)KEPT(&w->pairs, j, p);
      across |= i < w->count && j < w->count && fabs(w->record[j].x[0] - w->record[i].x[0]) > half;
    }
    cr_expect_eq(run->across, across, "run %zu", r);
    runs[across]++;
  }
  cr_expect(runs[0] > 5 && runs[1] > 1, "%d and %d", runs[0], runs[1]);
  for (size_t i = 0; i < w->count; i++)
    if (w->record[i].x[0] > w->record[last].x[0]) last = i;
  cr_expect(!w->wrapped);
  w->record[last].x[0] = w->def.high[0] - 1e-9, w->record[last].v[0] = 1e-3;
  cr_assert_eq(scree_drift(w), SCREE_OK, "%s", scree_last_error());
  cr_expect(w->wrapped && w->record[last].x[0] < half);
  cr_assert_eq(scree_rebuild(w, NULL, 0, false), SCREE_OK, "%s", scree_last_error());
  cr_expect(!w->wrapped);
  scree_world_destroy(w);
}

/* Halves of the threads lie on both sides of a plane, across the axis along which the fewest grains meet there. What
 * the list before cost may have moved the border since the grains were sorted, by a layer or two. */
Test(share, threads_are_divided_by_a_plane) {
  static const struct {
    int sides[3];
    bool periodic[3];
    int axis;
    bool stray;
  } boxes[] = {{{13, 13, 13}, {true, true, false}, 2, false},  {{20, 100, 1}, {false, false, false}, 1, false},
               {{31, 9, 11}, {false, false, false}, 0, true},  {{13, 13, 9}, {true, true, false}, 2, false},
               {{23, 9, 11}, {false, false, false}, 0, false}, {{11, 21, 7}, {false, false, true}, 1, false},
               {{13, 9, 11}, {false, true, true}, 0, false}};
  for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
    for (int threads = 2; threads <= 5; threads++) {
      ScreeWorld *w = packed_box(threads, boxes[b].sides, boxes[b].periodic, boxes[b].stray);
      int axis = boxes[b].axis, layer = boxes[b].sides[(axis + 1) % 3] * boxes[b].sides[(axis + 2) % 3];
      for (int lists = 0; lists < 3; lists++) {
        size_t border = w->worker[threads / 2]->first, astray = 0;
        double last = -INFINITY, *x = malloc(w->count * sizeof *x);
        cr_assert_not_null(x);
        for (size_t i = 0; i < w->count; i++) x[i] = w->record[i].x[axis];
        for (size_t i = 0; i < border; i++) last = fmax(last, x[i]);
        for (size_t i = border; i < w->count; i++) astray += x[i] < last - 2e-4;
        cr_expect_leq(astray, (size_t)(2 * layer), "box %zu, %d threads: %zu of %zu", b, threads, astray, w->count);
        cr_expect_leq(between_threads(w), (size_t)(2 * layer), "box %zu, %d threads: %zu meet", b, threads,
                      between_threads(w));
        free(x);
        cr_assert_eq(scree_rebuild(w, NULL, 0, false), SCREE_OK);
      }
      scree_world_destroy(w);
    }
}

/* The list before tells what grains cost, also when some have gone since, or all fly in the end. */
Test(share, no_grain_is_lost_between_threads) {
  ScreeWorld *w = uneven_world(3);
  uint64_t gone[PACKED - 1];
  cr_assert_eq(scree_world_step(w, 20), SCREE_OK, "%s", scree_last_error());
  for (uint64_t i = 0; i < PACKED - 1; i++) gone[i] = i + 1;
  cr_assert_eq(scree_world_remove(w, PACKED - 1, gone), SCREE_OK, "%s", scree_last_error());
  check_shares(w);
  cr_expect_eq(w->count, (size_t)PACKED + 1);
  for (int n = 0; n < 4; n++) {
    cr_assert_eq(scree_rebuild(w, NULL, 0, false), SCREE_OK);
    check_shares(w);
  }
  cr_expect_lt(unevenness(w), 0.1, "%g", unevenness(w));
  scree_world_destroy(w);
}

Test(share, bits_do_not_depend_on_the_shares) {
  static ScreeGrain alone[GRAINS], many[GRAINS];
  const int counts[] = {1, 2, 3, 7};
  scree_grains_per_thread = 1.0;
  for (int c = 0; c < 4; c++) {
    ScreeWorld *w = uneven_world(counts[c]);
    cr_assert_eq(scree_world_step(w, 300), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_read(w, c == 0 ? alone : many), SCREE_OK);
    if (c > 0) cr_expect_eq(memcmp(alone, many, sizeof alone), 0, "%d threads", counts[c]);
    scree_world_destroy(w);
  }
}

/* Who helps before doing its own does every tile of the others that it can get. */
Test(share, bits_do_not_depend_on_who_helps) {
  static ScreeGrain alone[GRAINS], many[GRAINS];
  const int counts[] = {1, 2, 3, 7};
  const Helpfulness ways[] = {HELP_NEVER, HELP_WHEN_DONE, HELP_FIRST};
  scree_grains_per_thread = 1.0;
  scree_grains_per_tile = 100;
  for (int n = 0; n < 12; n++) {
    ScreeWorld *w = uneven_world(counts[n / 3]);
    size_t helps = 0;
    scree_helpfulness = ways[n % 3];
    for (int s = 0; s < 40; s++) {
      cr_assert_eq(scree_world_step(w, 5), SCREE_OK, "%s", scree_last_error());
      for (int t = 0; t < w->def.threads; t++) helps += w->worker[t]->helps;
    }
    cr_assert_eq(scree_world_read(w, n == 0 ? alone : many), SCREE_OK);
    if (n > 0) cr_expect_eq(memcmp(alone, many, sizeof alone), 0, "%d threads, way %d", counts[n / 3], n % 3);
    if (ways[n % 3] == HELP_FIRST && counts[n / 3] > 1) cr_expect_geq(helps, 40, "%zu", helps);
    if (ways[n % 3] == HELP_NEVER || counts[n / 3] == 1) cr_expect_eq(helps, 0, "%zu", helps);
    scree_world_destroy(w);
  }
}

/* Grains of others that a thread touches: each once, in order when the list is made, and every group of its runs knows
 * which they are. */
static size_t check_border(const ScreeWorld *w, int thread, bool fresh) {
  const Worker *worker = w->worker[thread];
  const Border *border = &worker->border;
  size_t found = 0;
  int32_t before = -1;
  for (size_t b = 0; b < border->grains; b++) {
    size_t grain = (size_t)border->grain[b];
    if (grain == w->count) continue; /* it has gone */
    cr_expect(grain < worker->first || (grain >= worker->last && grain < w->count), "grain %zu", grain);
    if (fresh) cr_expect_lt(before, border->grain[b]);
    before = border->grain[b];
  }
  for (size_t r = w->tile[worker->tile].runs; r < w->tile[worker->tile_end].runs; r++)
    for (size_t p = w->run[r].begin; p < w->run[r].end && w->run[r].away; p++) {
      int32_t j = KEPT(&w->pairs, j, p),
              slot = border->slot[w->run[r].border + (p - w->run[r].begin) / LANES][p % LANES];
      if ((size_t)j == w->count) continue;
      cr_expect((size_t)slot < border->grains && border->grain[slot] == j, "pair %zu: slot %d, grain %d", p, slot, j);
      found++;
    }
  return found;
}

Test(share, borders_are_what_threads_touch_of_others) {
  const int sides[3] = {24, 6, 6};
  const bool periodic[3] = {true, false, false};
  scree_grains_per_thread = 1.0;
  scree_grains_per_tile = 64;
  for (int threads = 2; threads <= 5; threads++) {
    ScreeWorld *w = packed_box(threads, sides, periodic, false);
    size_t found = 0;
    for (int n = 0; n < threads; n++) found += check_border(w, n, true);
    cr_expect_gt(found, 20, "%d threads: %zu", threads, found);
    cr_assert_eq(scree_world_step(w, 20), SCREE_OK, "%s", scree_last_error());
    int32_t moved[GRAINS];
    uint8_t gone[GRAINS] = {0};
    size_t before = w->count;
    for (size_t i = 0; i < before; i += 5) gone[i] = 1;
    scree_close_gaps(w, gone, moved);
    scree_list_forget(w, moved, before);
    size_t after = 0;
    for (int n = 0; n < threads; n++) after += check_border(w, n, false);
    cr_expect(after > found / 3 && after < found, "%d threads: %zu of %zu", threads, after, found);
    check_shares(w);
    scree_world_destroy(w);
  }
}

/* Of the grains that stay each has one place, with all that lies with it, in its tile; few have moved. */
static void check_gaps(ScreeWorld *w, const uint8_t *gone, size_t most_moves) {
  static Record record[GRAINS];
  static Turn turn[GRAINS];
  static Load load[GRAINS];
  static size_t tile_of[GRAINS], taken[GRAINS];
  static int32_t moved[GRAINS];
  size_t before = w->count, left = 0, moves = 0;
  memcpy(record, w->record, before * sizeof *record), memcpy(turn, w->turn, before * sizeof *turn);
  for (size_t i = 0, t = 0; i < before; i++) {
    while (i >= w->tile[t + 1].grains) t++;
    load[i] = scree_load_of(w->load, i), tile_of[i] = t, taken[i] = 0;
  }
  scree_close_gaps(w, gone, moved);
  for (size_t i = 0; i < before; i++) {
    if (gone[i]) cr_expect_eq(moved[i], -1);
    if (gone[i]) continue;
    size_t to = (size_t)moved[i], t = tile_of[i];
    Load now = scree_load_of(w->load, to);
    cr_assert_lt(to, w->count, "grain %zu", i);
    cr_expect_eq(taken[to]++, 0, "place %zu", to);
    cr_expect(to >= w->tile[t].grains && to < w->tile[t + 1].grains, "grain %zu left its tile", i);
    cr_expect(memcmp(&w->record[to], &record[i], sizeof *record) == 0 &&
                  memcmp(&w->turn[to], &turn[i], sizeof *turn) == 0 && memcmp(&now, &load[i], sizeof now) == 0,
              "grain %zu", i);
    left++, moves += to != i;
  }
  cr_expect_eq(left, w->count);
  cr_expect_leq(moves, most_moves);
  check_shares(w);
}

Test(share, few_grains_move_where_few_go) {
  static uint8_t gone[GRAINS];
  uint64_t seed = 5;
  scree_grains_per_tile = 50;
  for (int many = 0; many < 6; many++) { /* one; some; a whole tile and more; nearly all; all but the first; all */
    ScreeWorld *w = uneven_world(3);
    size_t count = w->count, one = many == 0 ? count / 3 : 0;
    cr_assert_eq(scree_world_step(w, 3), SCREE_OK, "%s", scree_last_error());
    for (size_t i = 0; i < count; i++) {
      double chance = random_in(&seed, 0.0, 1.0);
      gone[i] = many == 0   ? i == one
                : many == 1 ? chance < 0.01
                : many == 2 ? (i > 100 && i < 300) || chance < 0.3
                : many == 3 ? chance < 0.98
                            : i > 0 || many == 5;
    }
    check_gaps(w, gone, many == 0 ? w->tiles : count);
    scree_world_destroy(w);
  }
}

static void open_all(const ScreeWorld *w) {
  for (int n = 0; n < w->def.threads; n++) scree_open_tiles(w->worker[n], w->worker[n]->tile_end);
}

/* Every tile is taken once: from the front by its owner, from the back by those who help. */
Test(share, every_tile_is_taken_once) {
  enum { THREADS = 3 };
  ScreeWorld *w = uneven_world(THREADS);
  int taken[64] = {0};
  size_t tile, before = 0;
  cr_assert_leq(w->tiles, 64);
  scree_helpfulness = HELP_FIRST;
  open_all(w);
  cr_assert(scree_take_tile(w->worker[1], &tile));
  cr_expect_eq(tile, w->worker[1]->tile);
  taken[tile]++;
  for (before = w->tiles; scree_take_others(w, 1, 1, &tile) != NULL; before = tile) {
    cr_expect(tile < w->worker[1]->tile || tile >= w->worker[1]->tile_end, "its own tile %zu", tile);
    if (before < w->tiles && before / (w->tiles / THREADS) == tile / (w->tiles / THREADS))
      cr_expect_eq(tile, before - 1);
    taken[tile]++;
  }
  while (scree_take_others(w, 0, 1, &tile) != NULL) taken[tile]++;
  for (size_t t = 0; t < w->tiles; t++) cr_expect_eq(taken[t], 1, "tile %zu", t);
  for (int n = 0; n < THREADS; n++) cr_expect_not(scree_take_tile(w->worker[n], &tile));
  scree_helpfulness = HELP_WHEN_DONE;
  for (uint32_t few = 1; few < 4; few++) { /* are left to their owner */
    open_all(w);
    while (scree_take_others(w, 0, few, &tile) != NULL) taken[tile]++;
    for (size_t t = 0; t < w->tiles; taken[t++] = 1)
      cr_expect_eq(taken[t], t < w->worker[0]->tile_end || t % (w->tiles / THREADS) < few ? 1 : 2, "tile %zu", t);
  }
  scree_world_destroy(w);
}

/* The memory that helping takes is bounded: one tile, and an eighth of what a thread has itself. */
Test(share, who_helps_has_done_enough_some_time) {
  scree_grains_per_tile = 50;
  ScreeWorld *w = uneven_world(2);
  size_t most = w->tiles / 2 / 8 + 1;
  cr_assert_geq(most, 3);
  for (Worker *worker = w->worker[0]; worker->helps < most; worker->helps++)
    cr_assert(scree_help_room(w, worker), "after %zu of %zu", worker->helps, most);
  cr_expect_not(scree_help_room(w, w->worker[0]));
  w->worker[0]->helps = 0;
  scree_world_destroy(w);
}

typedef struct Pieces {
  ScreeWorld *w;
  size_t each; /* of a thread */
  uint32_t few;
  atomic_int done[256], by_others;
} Pieces;

static void do_piece(void *context, int number, const Worker *owner, size_t piece) {
  Pieces *p = context;
  bool own = piece / p->each == (size_t)number;
  atomic_fetch_add(&p->done[piece], 1);
  atomic_fetch_add(&p->by_others, !own);
  if (owner != p->w->worker[piece / p->each]) atomic_fetch_add(&p->done[piece], 100);
}

static void do_pieces(void *context, int number, int threads) {
  Pieces *p = context;
  (void)threads;
  scree_do_pieces(p->w, number, p->each * (size_t)number, p->each * (size_t)(number + 1), p->few, do_piece, p);
}

/* By its owner, or by who has time; some work nobody may do for another. */
Test(share, every_piece_is_done_once) {
  enum { THREADS = 3 };
  const Helpfulness ways[] = {HELP_NEVER, HELP_WHEN_DONE, HELP_FIRST};
  const uint32_t few[] = {0, 1, HELPS_NOBODY};
  static Pieces p;
  scree_grains_per_thread = 1.0;
  p.w = uneven_world(THREADS);
  for (int n = 0; n < 9 * 200; n++) {
    scree_helpfulness = ways[n % 3];
    p.few = few[n / 3 % 3], p.each = (size_t)(n % 85);
    atomic_store(&p.by_others, 0);
    for (size_t k = 0; k < 256; k++) atomic_store(&p.done[k], 0);
    if (p.each == 0) p.each = 1;
    scree_pool_run(p.w->pool, do_pieces, &p);
    for (size_t k = 0; k < 256; k++)
      cr_assert_eq(atomic_load(&p.done[k]), k < THREADS * p.each, "piece %zu of %zu, way %d", k, p.each, n % 9);
    if (n % 3 == 0 || n / 3 % 3 == 2) cr_assert_eq(atomic_load(&p.by_others), 0, "way %d", n % 9);
  }
  scree_helpfulness = HELP_WHEN_DONE;
  scree_world_destroy(p.w);
}
