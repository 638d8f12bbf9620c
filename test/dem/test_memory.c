/* Memory that runs out: every allocation of a start, of a step with a new list and of a restoration fails once, and
 * some with all after them. The call says so; what may be tried again then gives the bits that it would have given. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "dem/contact.h"
#include "scree/rim.h"
#include "support/worlds.h"

/* ---- an allocator that fails (linked with --wrap) ---- */

static atomic_bool armed;
static atomic_long seen, first_to_fail, end_of_failures;

static bool fails(void) {
  if (!atomic_load(&armed)) return false;
  long n = atomic_fetch_add(&seen, 1);
  return n >= atomic_load(&first_to_fail) && n < atomic_load(&end_of_failures);
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *memory, size_t size) { return fails() ? NULL : __real_realloc(memory, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

static void fail_from(long n, bool all) {
  atomic_store(&seen, 0);
  atomic_store(&first_to_fail, n);
  atomic_store(&end_of_failures, all ? 1L << 40 : n + 1);
  atomic_store(&armed, true);
}

/* Whether there were so many allocations. */
static bool stop_failing(void) {
  atomic_store(&armed, false);
  return atomic_load(&seen) > atomic_load(&first_to_fail);
}

/* ---- a world that needs all kinds of memory ---- */

enum { SIDE = 5, COUNT = SIDE * SIDE * SIDE, STEPS = 20 };

/* Grains of two sizes close together, in motion, above a floor; several tiles for each of three threads. */
static ScreeWorld *world(bool grains) {
  const double r = 1e-3;
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  ScreeGrain g[COUNT];
  uint64_t seed = 5;
  scree_grains_per_thread = 1.0;
  scree_grains_per_tile = 10;
  for (int k = 0; k < 3; k++) def.high[k] = 0.03;
  def.periodic[0] = true;
  def.threads = 3;
  def.expected_speed = 2.0;
  contact.rolling_model = SCREE_ROLLING_SPRING, contact.rolling = 0.1;
  for (int i = 0; i < COUNT; i++) {
    g[i] = (ScreeGrain){.id = (uint64_t)i + 1, .radius = i % 3 ? r : 0.9 * r};
    for (int k = 0; k < 3; k++) {
      int at = k == 0 ? i % SIDE : k == 1 ? i / SIDE % SIDE : i / (SIDE * SIDE);
      g[i].position[k] = (at + 0.51) * 1.99e-3, g[i].velocity[k] = random_in(&seed, -0.5, 0.5);
      g[i].spin[k] = random_in(&seed, -50, 50);
    }
  }
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
  cr_assert_eq(scree_world_add_wall(w, &floor, NULL), SCREE_OK, "%s", scree_last_error());
  if (grains) cr_assert_eq(scree_world_add_grains(w, COUNT, g), SCREE_OK, "%s", scree_last_error());
  return w;
}

static uint64_t hash_after(ScreeWorld *w, const char *what, long n) {
  cr_assert_eq(scree_world_step(w, STEPS), SCREE_OK, "%s, allocation %ld: %s", what, n, scree_last_error());
  return scree_world_hash(w);
}

static uint64_t undisturbed(void) {
  ScreeWorld *w = world(true);
  cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
  uint64_t hash = hash_after(w, "undisturbed", 0);
  scree_world_destroy(w);
  return hash;
}

static void expect_told(ScreeStatus status, const char *what, long n) {
  cr_assert_eq(status, SCREE_NO_MEMORY, "%s, allocation %ld: status %d", what, n, (int)status);
  cr_assert(strstr(scree_last_error(), "no memory"), "%s, allocation %ld: %s", what, n, scree_last_error());
}

/* One allocation after the other, then every fifth with all that follow; returns how many failures were told. */
static long at_every_allocation(bool (*once)(long n, bool all, long *told)) {
  long told = 0;
  for (int all = 0; all < 2; all++)
    for (long n = 0; once(n, all, &told); n += all ? 5 : 1) cr_assert_lt(n, 5000);
  return told;
}

/* ---- the promises ---- */

static uint64_t wanted;

static bool start_once(long n, bool all, long *told) {
  ScreeWorld *w = world(true);
  fail_from(n, all);
  ScreeStatus status = scree_world_start(w);
  bool more = stop_failing();
  if (status != SCREE_OK) {
    expect_told(status, "start", n), ++*told;
    cr_assert_eq(scree_world_start(w), SCREE_OK, "allocation %ld: %s", n, scree_last_error());
  }
  cr_assert_eq(hash_after(w, "start", n), wanted, "allocation %ld of a start%s", n, all ? " and all after it" : "");
  scree_world_destroy(w);
  return more;
}

Test(memory, a_start_that_had_none_may_be_tried_again) {
  wanted = undisturbed();
  cr_expect_gt(at_every_allocation(start_once), 60);
}

static bool step_once(long n, bool all, long *told) {
  ScreeWorld *w = world(true);
  cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
  w->bulk.strayed[0] = 1.0; /* a list is due, with the first step */
  fail_from(n, all);
  ScreeStatus status = scree_world_step(w, STEPS);
  bool more = stop_failing();
  if (status != SCREE_OK) {
    expect_told(status, "step", n), ++*told;
    cr_assert(!scree_world_is_whole(w), "allocation %ld", n);
    cr_assert_eq(scree_world_step(w, 1), SCREE_INVALID, "allocation %ld", n);
  } else {
    cr_assert_eq(scree_world_hash(w), wanted, "allocation %ld of a step", n); /* it can do without */
  }
  scree_world_destroy(w);
  return more;
}

Test(memory, a_step_that_had_none_ends_the_world_and_never_falsifies_it) {
  size_t usual = scree_early_from;
  for (int early = 0; early < 2; early++) {
    scree_early_from = early ? 0 : usual;
    wanted = undisturbed();
    cr_expect_gt(at_every_allocation(step_once), 20, "early %d", early);
  }
}

static void *state;
static size_t size;

static bool restore_once(long n, bool all, long *told) {
  ScreeWorld *w = world(false);
  fail_from(n, all);
  ScreeStatus status = scree_world_restore(w, state, size);
  bool more = stop_failing();
  if (status != SCREE_OK) {
    expect_told(status, "restoration", n), ++*told;
    cr_assert_eq(scree_world_restore(w, state, size), SCREE_OK, "allocation %ld: %s", n, scree_last_error());
  }
  cr_assert_eq(hash_after(w, "restoration", n), wanted, "allocation %ld of a restoration", n);
  scree_world_destroy(w);
  return more;
}

Test(memory, a_restoration_that_had_none_may_be_tried_again) {
  ScreeWorld *w = world(true);
  cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
  hash_after(w, "before", 0);
  cr_assert_eq(scree_world_save(w, &state, &size), SCREE_OK, "%s", scree_last_error());
  wanted = hash_after(w, "after", 0);
  scree_world_destroy(w);
  cr_expect_gt(at_every_allocation(restore_once), 60);
  free(state);
}

Test(memory, rims_and_openings_that_had_none_may_be_asked_for_again) {
  const double x[4][3] = {{0, 0, 0}, {1e-3, 0, 0}, {0, 1e-3, 0}, {1e-3, 1e-3, 0}};
  const uint32_t t[2][3] = {{0, 1, 2}, {1, 3, 2}};
  ScreeMeshDef def = {x, 4, t, 2};
  ScreeMesh *mesh = NULL;
  ScreeRims *rims = NULL;
  cr_assert_eq(scree_mesh_create(&def, &mesh), SCREE_OK);
  bool more = true;
  for (long n = 0; more; n++) {
    fail_from(n, false);
    ScreeStatus status = scree_mesh_rims(mesh, &rims);
    more = stop_failing();
    cr_assert(more ? status == SCREE_NO_MEMORY : status == SCREE_OK, "allocation %ld", n);
  }
  cr_assert_eq(rims->count, 1);
  ScreeWorld *w = world(true);
  ScreeOpeningDef opening = scree_opening_def_default();
  ScreeRegion below = {.shape = SCREE_REGION_BEYOND, .point = {0, 0, -1}, .normal = {0, 0, -1}};
  opening.corner = rims->rim[0].corner, opening.corners = 4, opening.towards[2] = -1;
  cr_assert_eq(scree_world_add_outlet(w, &below, NULL), SCREE_OK);
  for (more = true; more;) {
    static long n;
    fail_from(n++, false);
    ScreeStatus status = scree_world_set_opening(w, 0, &opening);
    more = stop_failing();
    cr_assert(more ? status == SCREE_NO_MEMORY : status == SCREE_OK, "allocation %ld", n);
  }
  long told = 0;
  for (long n = 0; !w->started; n++) { /* without some of the memory it starts all the same */
    fail_from(n, false);
    ScreeStatus status = scree_world_start(w);
    cr_assert(stop_failing() || status == SCREE_OK);
    told += status == SCREE_NO_MEMORY && strstr(scree_last_error(), "ways") != NULL;
    cr_assert(status == SCREE_OK || status == SCREE_NO_MEMORY, "allocation %ld: %s", n, scree_last_error());
  }
  cr_expect_eq(told, 3, "%ld failures of the table of ways", told);
  cr_assert_eq(scree_world_step(w, STEPS), SCREE_OK, "%s", scree_last_error());
  scree_rims_destroy(rims), scree_mesh_destroy(mesh), scree_world_destroy(w);
}
