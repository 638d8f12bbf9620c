/* Grains that come and go: what happens elsewhere leaves no trace, the ledger closes, streams keep their rates, outlets
 * count, nothing overlaps, and all of it repeats with other threads and after a restart. */
#include <stdlib.h>
#include <string.h>

#include "support/worlds.h"

static const ScreeMaterial glass = {1e7, 0.25, 2500.0};

typedef struct Setup {
  ScreeWorldDef def;
  ScreeContactDef contact;
  ScreeMaterial material;
  bool box; /* walls around the domain */
} Setup;

static Setup setup(void) {
  Setup s = {.def = scree_world_def_default(), .contact = scree_contact_def_default(), .material = glass, .box = true};
  for (int k = 0; k < 3; k++) s.def.high[k] = 0.1;
  s.def.max_overlap = 0.3;
  s.contact.pair.restitution = 0.5;
  s.contact.rolling_model = SCREE_ROLLING_SPRING;
  s.contact.rolling = 0.02;
  return s;
}

static ScreeWorld *new_world(const Setup *s) {
  ScreeWorld *w = empty_world(&s->def, &s->contact, s->material);
  ScreeWallDef box = {.shape = SCREE_WALL_BOX, .inside = true};
  memcpy(box.low, s->def.low, sizeof box.low);
  memcpy(box.high, s->def.high, sizeof box.high);
  if (s->box) cr_assert_eq(scree_world_add_wall(w, &box, NULL), SCREE_OK);
  return w;
}

static void start(ScreeWorld *w) { cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error()); }
static void step(ScreeWorld *w, long n) { cr_assert_eq(scree_world_step(w, n), SCREE_OK, "%s", scree_last_error()); }

static ScreeMeasure measure(ScreeWorld *w) {
  ScreeMeasure m;
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  return m;
}

static double mass_of(double r, double density) { return 4.0 / 3.0 * acos(-1.0) * r * r * r * density; }

/* A loose lattice of n x n x layers from a height on, with random velocities. */
static size_t lattice(ScreeGrain *g, size_t n, size_t layers, double z, double radius, uint64_t first_id) {
  uint64_t random = 7;
  size_t count = 0;
  for (size_t i = 0; i < n * n * layers; i++) {
    g[count] = (ScreeGrain){.id = first_id + i, .radius = radius * uniform(&random, 0.8, 1.0)};
    g[count].position[0] = 0.01 + 0.08 * (double)(i % n) / (double)(n - 1);
    g[count].position[1] = 0.01 + 0.08 * (double)(i / n % n) / (double)(n - 1);
    g[count].position[2] = z + 2.3 * radius * (double)(i / n / n);
    for (int k = 0; k < 3; k++) g[count].velocity[k] = uniform(&random, -0.2, 0.2);
    count++;
  }
  return count;
}

static const ScreeGrain *find(const ScreeGrain *g, size_t count, uint64_t id) {
  for (size_t i = 0; i < count; i++)
    if (g[i].id == id) return &g[i];
  return NULL;
}

/* Every grain of the first that the second has too, bit for bit. */
static void expect_same_bits(ScreeWorld *a, ScreeWorld *b, size_t shared) {
  ScreeGrain ga[600], gb[600];
  size_t na = scree_world_count(a), nb = scree_world_count(b), same = 0;
  cr_assert(na <= 600 && nb <= 600);
  cr_assert_eq(scree_world_read(a, ga), SCREE_OK);
  cr_assert_eq(scree_world_read(b, gb), SCREE_OK);
  for (size_t i = 0; i < na; i++) {
    const ScreeGrain *g = find(gb, nb, ga[i].id);
    if (!g) continue;
    same++;
    cr_assert(memcmp(g->position, ga[i].position, 24) == 0 && memcmp(g->velocity, ga[i].velocity, 24) == 0 &&
                  memcmp(g->spin, ga[i].spin, 24) == 0,
              "grain %llu differs", (unsigned long long)g->id);
  }
  cr_assert_eq(same, shared, "%zu grains in both", same);
}

/* ---- putting in and taking out by hand ---- */

Test(flow, what_comes_and_goes_far_away_leaves_no_trace_in_the_others) {
  Setup s = setup();
  ScreeWorld *plain = new_world(&s), *busy = new_world(&s);
  ScreeGrain g[500], far = {.id = 9000, .position = {0.05, 0.05, 0.095}, .radius = 0.004};
  size_t n = lattice(g, 9, 6, 0.005, 0.0042, 1);
  for (int i = 0; i < 2; i++) {
    ScreeWorld *w = i ? busy : plain;
    cr_assert_eq(scree_world_expect(w, 0, 0.003, 0.0045, 1.0), SCREE_OK);
    start_with(w, n, g);
  }
  for (int round = 0; round < 150; round++) {
    step(plain, 57);
    step(busy, 20);
    if (round % 2 == 0) {
      cr_assert_eq(scree_world_insert(busy, 1, &far), SCREE_OK, "%s", scree_last_error());
      cr_assert_eq(scree_world_count(busy), n + 1);
    }
    step(busy, 17);
    if (round % 2 == 0) cr_assert_eq(scree_world_remove(busy, 1, &far.id), SCREE_OK, "%s", scree_last_error());
    step(busy, 20);
    expect_same_bits(plain, busy, n);
  }
  ScreeMeasure m = measure(plain);
  cr_expect(m.contacts > 200, "%zu contacts", m.contacts);
  cr_expect_eq(scree_world_hash(plain), scree_world_hash(busy)); /* contact memory too */
  scree_world_destroy(plain), scree_world_destroy(busy);
}

static bool same_contact(const ScreeContact *a, const ScreeContact *b) {
  bool same = a->first == b->first && a->second == b->second && a->wall == b->wall && a->overlap == b->overlap &&
              a->force == b->force;
  for (int k = 0; k < 3; k++) same = same && a->friction[k] == b->friction[k] && a->point[k] == b->point[k];
  return same;
}

/* Grains at rest in a box, with ids from 1 to 486. */
static ScreeWorld *settled(const Setup *s) {
  ScreeWorld *w = new_world(s);
  ScreeGrain g[500];
  start_with(w, lattice(g, 9, 6, 0.005, 0.0042, 1), g);
  step(w, 15000);
  return w;
}

Test(flow, contacts_among_those_who_stay_keep_their_memory) {
  Setup s = setup();
  ScreeWorld *w = settled(&s);
  ScreeContact before[2000], after[2000];
  size_t contacts = scree_world_contact_count(w), kept = 0, matched = 0;
  cr_assert(contacts > 300 && contacts < 2000, "%zu", contacts);
  cr_assert_eq(scree_world_read_contacts(w, before), SCREE_OK);
  uint64_t gone[3] = {40, 7, 122};
  cr_assert_eq(scree_world_remove(w, 3, gone), SCREE_OK, "%s", scree_last_error());
  size_t left = scree_world_contact_count(w);
  cr_assert_eq(scree_world_read_contacts(w, after), SCREE_OK);
  for (size_t i = 0; i < contacts; i++) {
    bool ended = false;
    for (int k = 0; k < 3; k++) ended |= before[i].first == gone[k] || (!before[i].wall && before[i].second == gone[k]);
    if (ended) continue;
    kept++;
    for (size_t j = 0; j < left; j++) matched += same_contact(&after[j], &before[i]);
  }
  cr_expect_eq(kept, left);
  cr_expect_eq(matched, kept, "%zu of %zu contacts are the same", matched, kept);
  cr_expect(contacts > left, "%zu contacts, then %zu", contacts, left);
  scree_world_destroy(w);
}

static double relative_residual(ScreeWorld *w) {
  ScreeMeasure m = measure(w);
  return fabs(m.residual) / m.scale;
}

/* Taking out grains that press on others: what their contacts hold goes with them. */
Test(flow, the_ledger_closes_when_grains_are_taken_out_of_a_bed) {
  Setup s = setup();
  s.def.timestep = 5e-6;
  ScreeWorld *w = settled(&s);
  double before = relative_residual(w);
  for (uint64_t id = 1; id <= 200; id += 3) {
    cr_assert_eq(scree_world_remove(w, 1, &id), SCREE_OK);
    step(w, 10);
  }
  ScreeMeasure m = measure(w);
  cr_expect_eq(m.removed.grains, 67);
  cr_expect(relative_residual(w) < before + 2e-5, "residual %.2e, then %.2e", before, relative_residual(w));
  /* the energies are a good part of the whole: the bound says something */
  cr_expect(fabs(m.taken_out) > 0.05 * m.scale, "%.3e J of %.3e J", m.taken_out, m.scale);
  scree_world_destroy(w);
}

/* Grains are taken from the middle of their contacts: elastic energy is what counts here. */
Test(flow, the_energy_of_squeezed_contacts_is_booked) {
  Setup s = setup();
  memset(s.def.gravity, 0, sizeof s.def.gravity);
  s.box = false;
  s.contact.pair.restitution = 1.0;
  s.contact.rolling_model = SCREE_ROLLING_NONE;
  s.def.expected_speed = 1.0;
  for (int friction = 0; friction < 2; friction++) {
    s.contact.tangential = friction ? SCREE_LAW_mindlin : SCREE_LAW_NONE;
    ScreeWorld *w = new_world(&s);
    ScreeGrain g[2] = {{.id = 1, .position = {0.040, 0.05, 0.05}, .velocity = {0.5, 0.2, 0}, .radius = 0.005},
                       {.id = 2, .position = {0.0501, 0.05, 0.05}, .velocity = {-0.5, 0, 0}, .radius = 0.005}};
    start_with(w, 2, g);
    double most = 0.0;
    while (measure(w).elastic >= most) most = measure(w).elastic, step(w, 1);
    ScreeMeasure held = measure(w);
    uint64_t id = 2;
    cr_assert_eq(scree_world_remove(w, 1, &id), SCREE_OK);
    step(w, 3);
    ScreeMeasure m = measure(w);
    cr_expect(held.elastic > 0.3 * held.scale, "%.3e of %.3e J are elastic", held.elastic, held.scale);
    cr_expect_eq(m.elastic, 0.0);
    /* what there is comes of the contact's own steps: removal adds nothing to it */
    cr_expect(fabs(m.residual) < 1e-4 * m.scale && fabs(m.residual - held.residual) < 1e-6 * m.scale,
              "residual %.3e, then %.3e of %.3e J", held.residual, m.residual, m.scale);
    scree_world_destroy(w);
  }
}

Test(flow, a_grain_that_is_put_in_must_be_expected_and_touch_nothing) {
  Setup s = setup();
  ScreeWorld *w = new_world(&s);
  ScreeMaterial steel = {2e8, 0.3, 7800.0};
  int other;
  cr_assert_eq(scree_world_add_material(w, steel, &other), SCREE_OK);
  ScreeGrain here = {.id = 5, .position = {0.05, 0.05, 0.05}, .radius = 0.005};
  cr_assert_eq(scree_world_add_grains(w, 1, &here), SCREE_OK);
  cr_assert_eq(scree_world_insert(w, 1, &here), SCREE_INVALID); /* not started */
  start(w);
  uint64_t hash = scree_world_hash(w);
  ScreeGrain good = {.id = 6, .position = {0.02, 0.05, 0.05}, .radius = 0.005};
  struct {
    const char *says;
    ScreeGrain grain;
  } bad[] = {
      {"overlap grain 5", {.id = 6, .position = {0.0599, 0.05, 0.05}, .radius = 0.005}},
      {"overlap wall 0", {.id = 6, .position = {0.0049, 0.05, 0.05}, .radius = 0.005}},
      {"outside the domain", {.id = 6, .position = {-0.2, 0.05, 0.05}, .radius = 0.005}},
      {"radius of 0.004 m", {.id = 6, .position = {0.02, 0.05, 0.05}, .radius = 0.004}},
      {"radius of 0.006 m", {.id = 6, .position = {0.02, 0.05, 0.05}, .radius = 0.006}},
      {"no grain was expected", {.id = 6, .position = {0.02, 0.05, 0.05}, .radius = 0.005, .material = 1}},
      {"material 2, which does not exist", {.id = 6, .position = {0.02, 0.05, 0.05}, .radius = 0.005, .material = 2}},
      {"there is a grain 5", {.id = 5, .position = {0.02, 0.05, 0.05}, .radius = 0.005}},
      {"comes at 400 m/s", {.id = 6, .position = {0.02, 0.05, 0.05}, .velocity = {400, 0, 0}, .radius = 0.005}},
      {"spin of", {.id = 6, .position = {0.02, 0.05, 0.05}, .spin = {1e9, 0, 0}, .radius = 0.005}},
      {"not finite", {.id = 6, .position = {0.02, NAN, 0.05}, .radius = 0.005}},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ScreeGrain both[2] = {good, bad[i].grain};
    both[0].id = 77;
    both[0].position[2] = 0.09;
    cr_expect_neq(scree_world_insert(w, 2, both), SCREE_OK, "%s", bad[i].says);
    cr_expect(strstr(scree_last_error(), bad[i].says), "\"%s\" is not in \"%s\"", bad[i].says, scree_last_error());
  }
  ScreeGrain twins[2] = {good, good};
  twins[1].id = 8;
  twins[1].position[0] += 0.0099;
  cr_expect_neq(scree_world_insert(w, 2, twins), SCREE_OK);
  cr_expect(strstr(scree_last_error(), "grain 8 would overlap grain 6"), "%s", scree_last_error());
  twins[1].id = 6;
  cr_expect_neq(scree_world_insert(w, 2, twins), SCREE_OK);
  cr_expect(strstr(scree_last_error(), "used twice"), "%s", scree_last_error());
  cr_expect(scree_world_count(w) == 1 && scree_world_hash(w) == hash, "a refused grain has come in");
  cr_expect_eq(scree_world_insert(w, 1, &good), SCREE_OK, "%s", scree_last_error());
  cr_expect_eq(scree_world_next_id(w), 7);
  uint64_t ids[3] = {6, 5, 99};
  cr_expect_eq(scree_world_remove(w, 3, ids), SCREE_UNKNOWN);
  ids[2] = 6;
  cr_expect_neq(scree_world_remove(w, 2, (uint64_t[]){6, 6}), SCREE_OK);
  cr_expect_eq(scree_world_count(w), 2);
  cr_expect_eq(scree_world_remove(w, 2, ids), SCREE_OK);
  cr_expect_eq(scree_world_count(w), 0);
  step(w, 50); /* an empty world goes on */
  cr_expect_eq(scree_world_insert(w, 1, &good), SCREE_OK, "%s", scree_last_error());
  step(w, 50);
  cr_expect(relative_residual(w) < 1e-9, "%.3e", relative_residual(w));
  scree_world_destroy(w);
}

Test(flow, across_a_periodic_side_grains_are_in_the_way_too) {
  Setup s = setup();
  s.box = false;
  s.def.periodic[0] = s.def.periodic[1] = true;
  ScreeWorld *w = new_world(&s);
  ScreeGrain here = {.id = 1, .position = {0.001, 0.05, 0.05}, .radius = 0.005},
             there = {.id = 2, .position = {0.0969, 0.05, 0.05}, .radius = 0.005};
  start_with(w, 1, &here);
  cr_expect_neq(scree_world_insert(w, 1, &there), SCREE_OK);
  there.position[0] = 0.1969; /* the same place a period on */
  cr_expect_neq(scree_world_insert(w, 1, &there), SCREE_OK);
  there.position[0] = 0.0909;
  cr_expect_eq(scree_world_insert(w, 1, &there), SCREE_OK, "%s", scree_last_error());
  scree_world_destroy(w);
}

/* ---- streams and outlets ---- */

static ScreeStreamDef rain(void) {
  ScreeStreamDef d = scree_stream_def_default();
  d.region = (ScreeRegion){.shape = SCREE_REGION_BOX, .low = {0.02, 0.02, 0.07}, .high = {0.08, 0.08, 0.1}};
  d.sizes = (ScreeSizes){.kind = SCREE_SIZES_UNIFORM, .min = 0.002, .max = 0.004};
  d.velocity[2] = -1.0;
  d.number_rate = 4000.0;
  return d;
}

/* A box with rain above and a hole in the floor: everything at once. */
static ScreeWorld *shower(int threads, const ScreeStreamDef *d, bool begin) {
  Setup s = setup();
  s.def.threads = threads;
  ScreeWorld *w = new_world(&s);
  ScreeRegion hole = {
      .shape = SCREE_REGION_CYLINDER, .from = {0.05, 0.05, 0}, .to = {0.05, 0.05, 0.006}, .radius = 0.02};
  cr_assert_eq(scree_world_add_stream(w, d, NULL), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_add_outlet(w, &hole, NULL), SCREE_OK);
  if (begin) start(w);
  return w;
}

Test(flow, a_stream_keeps_its_rate_within_one_grain) {
  for (int by_mass = 0; by_mass < 2; by_mass++) {
    ScreeStreamDef d = rain();
    d.from = 0.003;
    d.until = 0.05;
    double heaviest = mass_of(0.004, glass.density), rate = by_mass ? 1.2 : 4000.0;
    d.mass_rate = by_mass ? rate : NAN; /* of about 0.28 g each */
    d.number_rate = by_mass ? NAN : rate;
    ScreeWorld *w = shower(1, &d, true);
    double dt = scree_world_timestep(w);
    for (int i = 0; i < 60; i++) {
      step(w, 192);
      ScreeStreamFlow f;
      cr_assert_eq(scree_world_stream_flow(w, 0, &f), SCREE_OK);
      double t = measure(w).time, asked = rate * fmax(0.0, fmin(t, d.until) - d.from);
      cr_expect(fabs(f.asked - asked) < 1e-12 * rate, "asked %.9g, should be %.9g", f.asked, asked);
      cr_expect(fabs(f.delivered - asked) <= 0.5000001 * (by_mass ? heaviest : 1.0), "at %.6g s: %.9g of %.9g", t,
                f.delivered, asked);
      cr_expect_eq(f.waits, 0);
    }
    cr_expect(192 * 60 * dt > d.until, "the run ends at %.3g s", 192 * 60 * dt);
    ScreeMeasure m = measure(w);
    ScreeFlow out;
    cr_assert_eq(scree_world_outlet_flow(w, 0, &out), SCREE_OK);
    cr_expect(m.inserted.grains > 100 && out.grains > 5, "%zu came, %zu went", m.inserted.grains, out.grains);
    cr_expect_eq(m.inserted.grains - m.removed.grains, m.grains);
    cr_expect_eq(out.grains, m.removed.grains);
    cr_expect_eq(out.mass, m.removed.mass);
    /* the mass that is left is the difference */
    ScreeGrain g[1000];
    cr_assert_eq(scree_world_read(w, g), SCREE_OK);
    double left = 0.0;
    for (size_t i = 0; i < m.grains; i++) left += mass_of(g[i].radius, glass.density);
    cr_expect(relative(m.inserted.mass - m.removed.mass, left) < 1e-12);
    scree_world_destroy(w);
  }
}

Test(flow, a_stream_ends_with_its_total_and_sizes_keep_their_distribution) {
  ScreeStreamDef d = rain();
  d.count = 300;
  ScreeWorld *w = shower(1, &d, true);
  step(w, 32 * 800);
  ScreeStreamFlow f;
  cr_assert_eq(scree_world_stream_flow(w, 0, &f), SCREE_OK);
  cr_expect(f.brought.grains == 300 && f.asked == 300.0 && f.delivered == 300.0, "%zu, asked %.9g", f.brought.grains,
            f.asked);
  /* uniform in 2 ... 4 mm: the mean of r^3 is 30 mm3, its standard deviation 16.5 mm3: four standard errors */
  double mean = f.brought.mass / 300.0 / mass_of(1e-3, glass.density);
  cr_expect(fabs(mean - 30.0) < 4.0 * 16.5 / sqrt(300.0), "mean of r^3: %.4g mm3", mean);
  scree_world_destroy(w);
  d.count = INFINITY;
  d.mass = 0.01;
  w = shower(1, &d, true);
  step(w, 32 * 800);
  cr_assert_eq(scree_world_stream_flow(w, 0, &f), SCREE_OK);
  cr_expect(fabs(f.brought.mass - 0.01) <= 0.5 * mass_of(0.004, glass.density), "%.6g kg", f.brought.mass);
  cr_expect_eq(f.asked, f.delivered);
  scree_world_destroy(w);
}

/* Brute force over all pairs, at the moment they come: nothing overlaps what is new. */
Test(flow, nothing_comes_into_an_overlap) {
  ScreeStreamDef d = rain();
  d.number_rate = 40000.0; /* more than fits */
  d.velocity[2] = -0.3;
  ScreeWorld *w = shower(1, &d, true);
  ScreeGrain g[3000];
  uint64_t newest = 0;
  size_t seen = 0;
  for (int i = 0; i < 120; i++) {
    step(w, 32);
    size_t n = scree_world_count(w);
    cr_assert(n <= 3000);
    cr_assert_eq(scree_world_read(w, g), SCREE_OK);
    for (size_t a = 0; a < n; a++) {
      if (g[a].id < newest) continue;
      seen++;
      const double *x = g[a].position;
      double r = g[a].radius * (1.0 - 2e-9);
      cr_expect(x[0] >= 0.02 + r && x[0] <= 0.08 - r && x[2] >= 0.07 + r && x[2] <= 0.1 - r, "not whole in the inlet");
      for (size_t b = 0; b < n; b++) {
        double d2 = 0.0, reach = (g[a].radius + g[b].radius) * (1.0 - 2e-9);
        for (int k = 0; k < 3; k++) d2 += (x[k] - g[b].position[k]) * (x[k] - g[b].position[k]);
        cr_expect(a == b || d2 >= reach * reach, "grains %llu and %llu overlap", (unsigned long long)g[a].id,
                  (unsigned long long)g[b].id);
      }
    }
    newest = scree_world_next_id(w);
  }
  cr_expect(seen > 200, "%zu grains came", seen);
  ScreeStreamFlow f;
  cr_assert_eq(scree_world_stream_flow(w, 0, &f), SCREE_OK);
  cr_expect(f.delivered < 0.9 * f.asked && f.waits > 50, "asked %.4g, delivered %.4g, %zu waits", f.asked, f.delivered,
            f.waits);
  scree_world_destroy(w);
}

static uint64_t hash_of_shower(int threads, long slice) {
  ScreeStreamDef d = rain();
  d.number_rate = 20000.0;
  ScreeWorld *w = shower(threads, &d, true);
  for (long done = 0; done < 6400; done += slice) step(w, slice);
  ScreeMeasure m = measure(w);
  cr_expect(m.removed.grains > 10 && m.inserted.grains > 200, "%zu came, %zu went", m.inserted.grains,
            m.removed.grains);
  uint64_t hash = scree_world_hash(w);
  scree_world_destroy(w);
  return hash;
}

Test(flow, threads_and_slices_of_steps_leave_no_trace) {
  uint64_t hash = hash_of_shower(1, 6400);
  for (int threads = 2; threads <= 4; threads++) cr_expect_eq(hash_of_shower(threads, 6400), hash, "%d", threads);
  cr_expect_eq(hash_of_shower(1, 1), hash);
  cr_expect_eq(hash_of_shower(2, 100), hash);
}

/* The skin decides when the list is made anew. */
Test(flow, the_neighbour_list_has_no_influence) {
  uint64_t hash[2];
  for (int i = 0; i < 2; i++) {
    Setup s = setup();
    ScreeStreamDef d = rain();
    s.def.outside = SCREE_OUTSIDE_REMOVE;
    s.box = false;
    s.def.skin = i ? 1.7e-3 : 1e-4;
    ScreeWorld *w = new_world(&s);
    cr_assert_eq(scree_world_add_stream(w, &d, NULL), SCREE_OK);
    start(w);
    step(w, 12000);
    ScreeFlow out;
    cr_assert_eq(scree_world_outlet_flow(w, -1, &out), SCREE_OK);
    cr_expect(out.grains > 20, "%zu left", out.grains);
    hash[i] = scree_world_hash(w);
    scree_world_destroy(w);
  }
  cr_expect_eq(hash[0], hash[1]);
}

Test(flow, a_run_goes_on_bit_for_bit_after_a_restart_in_mid_stream) {
  ScreeStreamDef d = rain();
  d.number_rate = 20000.0; /* some wait */
  d.velocity[2] = -0.5;
  for (long at = 6001; at < 6100; at += 33) {
    ScreeWorld *w = shower(1, &d, true), *again = shower(3, &d, false);
    void *data = NULL;
    size_t size = 0;
    step(w, at);
    cr_assert_eq(scree_world_save(w, &data, &size), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_restore(again, data, size), SCREE_OK, "%s", scree_last_error());
    cr_expect_eq(scree_world_hash(w), scree_world_hash(again));
    step(w, 3000);
    step(again, 1234), step(again, 3000 - 1234);
    cr_expect_eq(scree_world_hash(w), scree_world_hash(again));
    ScreeMeasure a = measure(w), b = measure(again);
    cr_expect(memcmp(&a.inserted, &b.inserted, sizeof a.inserted) == 0);
    cr_expect(memcmp(&a.removed, &b.removed, sizeof a.removed) == 0);
    cr_expect(a.brought_in == b.brought_in && a.taken_out == b.taken_out && a.residual == b.residual);
    cr_expect(a.removed.grains > 5, "%zu of %zu at %g", a.removed.grains, a.inserted.grains, a.time);
    ScreeStreamFlow f, h;
    cr_assert_eq(scree_world_stream_flow(w, 0, &f), SCREE_OK);
    cr_assert_eq(scree_world_stream_flow(again, 0, &h), SCREE_OK);
    cr_expect(f.waits == h.waits && f.waits > 0 && f.delivered == h.delivered && f.asked == h.asked);
    ScreeFlow o, q;
    cr_assert_eq(scree_world_outlet_flow(w, 0, &o), SCREE_OK);
    cr_assert_eq(scree_world_outlet_flow(again, 0, &q), SCREE_OK);
    cr_expect(memcmp(&o, &q, sizeof o) == 0);
    /* cut short or of another world: refused, and the world can still take the right one */
    ScreeWorld *third = shower(1, &d, false), *other = new_world(&(Setup){setup().def, setup().contact, glass, true});
    cr_expect_neq(scree_world_restore(third, data, size - 8), SCREE_OK);
    cr_expect_neq(scree_world_restore(other, data, size), SCREE_OK);
    cr_expect_eq(scree_world_restore(third, data, size), SCREE_OK, "%s", scree_last_error());
    step(third, 3000);
    cr_expect_eq(scree_world_hash(w), scree_world_hash(third));
    free(data);
    scree_world_destroy(w), scree_world_destroy(again), scree_world_destroy(third), scree_world_destroy(other);
  }
}

Test(flow, the_ledger_closes_with_streams_and_outlets) {
  ScreeStreamDef d = rain();
  d.number_rate = 20000.0;
  ScreeWorld *w = shower(1, &d, true);
  double worst = 0.0;
  for (int i = 0; i < 40; i++) {
    step(w, 320);
    worst = fmax(worst, relative_residual(w));
  }
  ScreeMeasure m = measure(w);
  cr_expect(worst < 1e-4, "worst residual %.2e", worst);
  cr_expect(m.brought_in > 0.1 * m.scale && m.removed.grains > 50, "%.3e J in, %zu went", m.brought_in,
            m.removed.grains);
  scree_world_destroy(w);
}

Test(flow, everything_may_leave_and_the_run_goes_on) {
  Setup s = setup();
  s.box = false;
  s.def.outside = SCREE_OUTSIDE_REMOVE;
  s.contact.tangential = SCREE_LAW_NONE; /* friction has a residual of its own, of the order of the step */
  s.contact.rolling_model = SCREE_ROLLING_NONE;
  ScreeWorld *w = new_world(&s);
  ScreeGrain g[500];
  size_t n = lattice(g, 9, 3, 0.01, 0.0042, 1);
  double mass = 0.0;
  for (size_t i = 0; i < n; i++) mass += mass_of(g[i].radius, glass.density);
  start_with(w, n, g);
  step(w, lround(0.25 / scree_world_timestep(w)));
  cr_expect_eq(scree_world_count(w), 0);
  ScreeFlow out;
  cr_assert_eq(scree_world_outlet_flow(w, -1, &out), SCREE_OK);
  cr_expect(out.grains == n && relative(out.mass, mass) < 1e-12, "%zu of %zu", out.grains, n);
  ScreeMeasure m = measure(w);
  cr_expect(m.kinetic == 0.0 && m.elastic == 0.0 && m.contacts == 0);
  cr_expect(fabs(m.residual) < 1e-5 * m.scale, "%.3e of %.3e J", m.residual, m.scale);
  scree_world_destroy(w);
}

Test(flow, a_grain_that_leaves_stops_the_run_unless_told_otherwise) {
  Setup s = setup();
  s.box = false;
  ScreeWorld *w = new_world(&s);
  ScreeGrain g = {.id = 12, .position = {0.05, 0.05, 0.0001}, .velocity = {0, 0, -0.5}, .radius = 0.005};
  start_with(w, 1, &g);
  double dt = scree_world_timestep(w);
  ScreeStatus status = SCREE_OK;
  long last = 0;
  for (; last < 3200 && status == SCREE_OK; last++) status = scree_world_step(w, 1);
  cr_expect_eq(status, SCREE_OUT_OF_RANGE);
  cr_expect(strstr(scree_last_error(), "grain 12 left the domain"), "%s", scree_last_error());
  /* at the first multiple of 32 steps after it left */
  cr_expect_eq(last, (long)ceil(ceil(0.0001 / (0.5 * dt)) / 32.0) * 32, "step %ld of %.3g s", last, dt);
  scree_world_destroy(w);
}

/* Grains fall through a plate of a tenth of their radius: none passes unseen. */
Test(flow, a_thin_outlet_misses_nobody) {
  Setup s = setup();
  s.box = false;
  s.def.outside = SCREE_OUTSIDE_REMOVE;
  ScreeWorld *w = new_world(&s);
  ScreeGrain g[500];
  size_t n = lattice(g, 9, 3, 0.06, 0.0042, 1);
  for (size_t i = 0; i < n; i++) memcpy(g[i].velocity, (double[]){0, 0, -1}, sizeof g[i].velocity);
  ScreeRegion plate = {.shape = SCREE_REGION_BOX, .low = {0, 0, 0.02}, .high = {0.1, 0.1, 0.0203}};
  int id;
  cr_assert_eq(scree_world_add_outlet(w, &plate, &id), SCREE_OK);
  start_with(w, n, g);
  step(w, 20000);
  ScreeFlow through, left;
  cr_assert_eq(scree_world_outlet_flow(w, id, &through), SCREE_OK);
  cr_assert_eq(scree_world_outlet_flow(w, -1, &left), SCREE_OK);
  cr_expect(through.grains == n && left.grains == 0, "%zu were caught, %zu got past", through.grains, left.grains);
  scree_world_destroy(w);
  w = new_world(&s);
  plate.high[2] = plate.low[2] + 1e-9;
  cr_assert_eq(scree_world_add_outlet(w, &plate, &id), SCREE_OK);
  cr_assert_eq(scree_world_add_grains(w, n, g), SCREE_OK);
  cr_expect_eq(scree_world_start(w), SCREE_INVALID);
  cr_expect(strstr(scree_last_error(), "would pass it in a step"), "%s", scree_last_error());
  scree_world_destroy(w);
}

/* Which points a region holds, against its definition; a stream's places are even. */
Test(flow, outlets_of_every_shape_take_what_is_in_them) {
  Setup s = setup();
  memset(s.def.gravity, 0, sizeof s.def.gravity);
  s.box = false;
  s.def.expected_speed = 0.1;
  ScreeRegion region[] = {
      {.shape = SCREE_REGION_BOX, .low = {0.02, 0.03, 0.04}, .high = {0.06, 0.08, 0.09}},
      {.shape = SCREE_REGION_CYLINDER, .from = {0.03, 0.03, 0.02}, .to = {0.06, 0.06, 0.08}, .radius = 0.02},
      {.shape = SCREE_REGION_SPHERE, .point = {0.05, 0.04, 0.05}, .radius = 0.03},
      {.shape = SCREE_REGION_BEYOND, .point = {0.05, 0.05, 0.05}, .normal = {0, 3, -4}},
  };
  for (size_t i = 0; i < sizeof region / sizeof *region; i++) {
    const ScreeRegion *r = &region[i];
    ScreeWorld *w = new_world(&s);
    ScreeGrain g[1000], now[1000];
    size_t inside = 0;
    for (size_t k = 0; k < 1000; k++) {
      g[k] = (ScreeGrain){.id = k, .radius = 0.001};
      const double x[3] = {0.005 + 0.01 * (double)(k % 10), 0.005 + 0.01 * (double)(k / 10 % 10),
                           0.0051 + 0.01 * (double)(k / 100)};
      memcpy(g[k].position, x, sizeof x);
      double c[3] = {x[0] - r->point[0], x[1] - r->point[1], x[2] - r->point[2]};
      bool in = false;
      if (i == 0) in = x[0] > 0.02 && x[0] < 0.06 && x[1] > 0.03 && x[1] < 0.08 && x[2] > 0.04 && x[2] < 0.09;
      if (i == 1) { /* along (1, 1, 2) / sqrt 6 */
        double t = (x[0] - 0.03 + x[1] - 0.03 + 2 * (x[2] - 0.02)) / sqrt(6.0), d2 = 0.0;
        double at[3] = {0.03 + t / sqrt(6.0), 0.03 + t / sqrt(6.0), 0.02 + 2 * t / sqrt(6.0)};
        for (int q = 0; q < 3; q++) d2 += (x[q] - at[q]) * (x[q] - at[q]);
        in = t > 0 && t < 0.03 * sqrt(6.0) && d2 < 0.02 * 0.02;
      }
      if (i == 2) in = c[0] * c[0] + c[1] * c[1] + c[2] * c[2] < 0.03 * 0.03;
      if (i == 3) in = 3 * c[1] - 4 * c[2] > 0;
      inside += in;
    }
    cr_assert_eq(scree_world_add_outlet(w, r, NULL), SCREE_OK, "%s", scree_last_error());
    start_with(w, 1000, g);
    step(w, 31);
    cr_expect_eq(scree_world_count(w), 1000);
    step(w, 1);
    cr_expect_eq(scree_world_count(w), 1000 - inside, "shape %zu: %zu left, %zu were inside", i, scree_world_count(w),
                 inside);
    cr_assert_eq(scree_world_read(w, now), SCREE_OK);
    scree_world_destroy(w);
  }
}

Test(flow, a_disc_brings_grains_in_its_plane) {
  Setup s = setup();
  ScreeStreamDef d = rain();
  s.box = false;
  s.def.outside = SCREE_OUTSIDE_REMOVE;
  memset(s.def.gravity, 0, sizeof s.def.gravity);
  d.region =
      (ScreeRegion){.shape = SCREE_REGION_DISC, .point = {0.05, 0.05, 0.08}, .normal = {0, 0, 2}, .radius = 0.03};
  d.sizes = (ScreeSizes){.kind = SCREE_SIZES_ONE, .mean = 0.003};
  ScreeWorld *w = new_world(&s);
  cr_assert_eq(scree_world_add_stream(w, &d, NULL), SCREE_OK, "%s", scree_last_error());
  start(w);
  ScreeGrain g[1000];
  uint64_t newest = 0;
  double mean = 0.0;
  size_t count = 0;
  for (int i = 0; i < 300; i++) {
    step(w, 32);
    cr_assert_eq(scree_world_read(w, g), SCREE_OK);
    for (size_t a = 0; a < scree_world_count(w); a++) {
      if (g[a].id < newest) continue;
      double out = hypot(g[a].position[0] - 0.05, g[a].position[1] - 0.05);
      cr_expect(fabs(g[a].position[2] - 0.08) < 1e-15 && out <= 0.027, "z %.9g, out %.9g", g[a].position[2], out);
      mean += out * out;
      count++;
    }
    newest = scree_world_next_id(w);
  }
  mean /= (double)count; /* of an even disc R^2/2, standard deviation R^2/sqrt(12) */
  cr_expect(fabs(mean - 0.5 * 0.027 * 0.027) < 4.0 * 0.027 * 0.027 / sqrt(12.0 * (double)count), "%.4g over %zu",
            mean / (0.027 * 0.027), count);
  scree_world_destroy(w);
}

Test(flow, bad_definitions_get_a_sentence) {
  Setup s = setup();
  ScreeWorld *w = new_world(&s);
  ScreeStreamDef d = rain();
#define REFUSED(member, value, words)                                                                                  \
  do {                                                                                                                 \
    ScreeStreamDef bad = d;                                                                                            \
    bad.member = value;                                                                                                \
    cr_expect_neq(scree_world_add_stream(w, &bad, NULL), SCREE_OK, "%s = %s", #member, #value);                        \
    cr_expect(strstr(scree_last_error(), words), "%s = %s: %s", #member, #value, scree_last_error());                  \
  } while (0)
  REFUSED(number_rate, NAN, "one of them");
  REFUSED(mass_rate, 1.0, "one of them");
  REFUSED(number_rate, 0.0, "> 0");
  REFUSED(number_rate, INFINITY, "> 0");
  REFUSED(from, -1.0, "0 s or later");
  REFUSED(until, 0.0, "must end after");
  REFUSED(mass, 0.0, "in all");
  REFUSED(material, 3, "does not exist");
  REFUSED(velocity[1], INFINITY, "finite");
  REFUSED(sizes.min, 0.05, "min <= max");
  REFUSED(sizes.max, 0.04, "too small");
  REFUSED(sizes.kind, (ScreeSizeKind)9, "no such distribution");
  REFUSED(region, ((ScreeRegion){.shape = SCREE_REGION_BEYOND, .normal = {0, 0, 1}}), "beyond a plane");
  REFUSED(region.shape, SCREE_REGION_SPHERE, "radius");
  REFUSED(region.shape, (ScreeRegionShape)17, "no such shape");
  REFUSED(region.high[0], 0.2, "out of the domain");
  REFUSED(region.high[0], NAN, "high > low");
#undef REFUSED
  cr_expect_neq(
      scree_world_add_outlet(w, &(ScreeRegion){.shape = SCREE_REGION_DISC, .radius = 1, .normal = {0, 0, 1}}, NULL),
      SCREE_OK);
  cr_expect_neq(scree_world_add_outlet(w, &(ScreeRegion){.shape = SCREE_REGION_BEYOND}, NULL), SCREE_OK);
  cr_expect_neq(scree_world_expect(w, 4, 0.001, 0.002, 0.0), SCREE_OK);
  cr_expect_neq(scree_world_expect(w, 0, 0.002, 0.001, 0.0), SCREE_OK);
  cr_expect_neq(scree_world_expect(w, 0, 0.0, 0.001, 0.0), SCREE_OK);
  cr_expect_eq(scree_world_start(w), SCREE_MISSING); /* nobody is there, and nobody was expected */
  cr_assert_eq(scree_world_add_stream(w, &d, NULL), SCREE_OK);
  start(w);
  cr_expect_neq(scree_world_add_stream(w, &d, NULL), SCREE_OK);
  cr_expect_neq(scree_world_expect(w, 0, 0.001, 0.002, 0.0), SCREE_OK);
  ScreeFlow flow;
  cr_expect_neq(scree_world_outlet_flow(w, 0, &flow), SCREE_OK);
  ScreeStreamFlow f;
  cr_expect_neq(scree_world_stream_flow(w, 1, &f), SCREE_OK);
  scree_world_destroy(w);
  s.def.outside = (ScreeOutside)5;
  cr_expect_neq(scree_world_create(&s.def, &w), SCREE_OK);
}

/* By mass: half of the mass in each of two sizes means eight small grains for a large one. */
Test(flow, a_distribution_by_mass_shares_the_mass) {
  const ScreeShare rows[2] = {{0.002, 1.0}, {0.004, 1.0}};
  const ScreeSizes sizes[] = {{.kind = SCREE_SIZES_TABLE, .table = rows, .rows = 2, .by_mass = true},
                              {.kind = SCREE_SIZES_UNIFORM, .min = 0.002, .max = 0.004, .by_mass = true}};
  for (int i = 0; i < 2; i++) {
    ScreeStreamDef d = rain();
    d.sizes = sizes[i];
    d.count = 900;
    ScreeWorld *w = shower(1, &d, true);
    double below = 0.0, all = 0.0;
    uint64_t newest = 0;
    ScreeGrain g[2000];
    ScreeStreamFlow f = {0};
    while (f.brought.grains < 900) {
      step(w, 32);
      cr_assert(scree_world_count(w) < 2000);
      cr_assert_eq(scree_world_read(w, g), SCREE_OK);
      for (size_t a = 0; a < scree_world_count(w); a++) {
        if (g[a].id < newest) continue;
        double mass = mass_of(g[a].radius, 1.0);
        all += mass;
        if (g[a].radius < 0.003) below += mass;
      }
      newest = scree_world_next_id(w);
      cr_assert_eq(scree_world_stream_flow(w, 0, &f), SCREE_OK);
    }
    /* half: of 900 grains a ninth are large; 4 standard errors of the share are about 0.12 (table) and 0.08 */
    cr_expect(fabs(below / all - 0.5) < 0.12, "distribution %d: %.3f of the mass is below 3 mm", i, below / all);
    scree_world_destroy(w);
  }
}

/* A few who leave cost no new list: the others keep theirs, and go on as with a new one. */
Test(flow, the_list_outlives_those_who_leave) {
  static ScreeGrain g[400], kept[2][400];
  Setup s = setup();
  for (int fresh = 0; fresh < 2; fresh++) {
    ScreeWorld *w = new_world(&s);
    size_t count = lattice(g, 8, 5, 0.01, 0.004, 1);
    cr_assert_eq(scree_world_add_grains(w, count, g), SCREE_OK, "%s", scree_last_error());
    start(w);
    step(w, 400);
    for (uint64_t id = 7; id < 60; id += 13) {
      long before = measure(w).rebuilds;
      cr_assert_eq(scree_world_remove(w, 1, &id), SCREE_OK, "%s", scree_last_error());
      cr_expect_eq(measure(w).rebuilds, before, "%ld lists for one grain", measure(w).rebuilds - before);
      ScreeGrain back = {.id = 1000 + id, .radius = 0.0035, .position = {0.05, 0.05, 0.094}};
      if (fresh) { /* somebody who comes and goes far above makes lists anew */
        cr_assert_eq(scree_world_insert(w, 1, &back), SCREE_OK, "%s", scree_last_error());
        cr_assert_eq(scree_world_remove(w, 1, &back.id), SCREE_OK, "%s", scree_last_error());
      }
      step(w, 150);
    }
    cr_assert_eq(scree_world_read(w, kept[fresh]), SCREE_OK);
    cr_expect_eq(memcmp(kept[fresh], kept[0], scree_world_count(w) * sizeof *g), 0, "another list, other bits");
    scree_world_destroy(w);
  }
}

/* Who is listed with which wall is known of those who stay: the lowest of a falling troop meets the floor, although it
 * has taken the place of a grain that lay there. */
Test(flow, walls_are_met_after_others_left) {
  ScreeGrain g[38], now[38];
  Setup s = setup();
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  uint64_t id = 1;
  s.box = false;
  s.def.low[2] = -0.05;
  ScreeWorld *w = new_world(&s);
  cr_assert_eq(scree_world_add_wall(w, &floor, NULL), SCREE_OK);
  for (int i = 0; i < 38; i++) {
    g[i] = (ScreeGrain){.id = (uint64_t)i + 1, .radius = 0.002, .position = {0.01, 0.01, i == 0 ? 0.002 : 0.02}};
    if (i < 2) continue;
    g[i].position[0] += 0.01 * ((i - 2) % 6), g[i].position[1] += 0.01 * ((i - 2) / 6), g[i].position[2] = 0.08;
  }
  cr_assert_eq(scree_world_add_grains(w, 38, g), SCREE_OK, "%s", scree_last_error());
  start(w);
  cr_assert_eq(scree_world_remove(w, 1, &id), SCREE_OK, "%s", scree_last_error());
  while (measure(w).time < 0.1) {
    step(w, 50);
    cr_assert_eq(scree_world_read(w, now), SCREE_OK);
    for (int i = 0; i < 37; i++)
      cr_assert_gt(now[i].position[2], 0.0, "grain %d fell through the floor", (int)now[i].id);
  }
  scree_world_destroy(w);
}
