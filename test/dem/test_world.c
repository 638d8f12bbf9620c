/* The particle engine: single contacts against the laboratory, bulk conservation, repeatability. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dem/engine.h"
#include "support/worlds.h"

static const ScreeMaterial glass = {70e6, 0.25, 2500.0};

static ScreeWorldDef weightless(void) {
  ScreeWorldDef def = scree_world_def_default();
  memset(def.gravity, 0, sizeof def.gravity);
  return def;
}

/* Two equal spheres meet head on: restitution through the engine. */
static double collide(const ScreeContactDef *contact, double speed, double timestep, double *used) {
  ScreeWorldDef def = weightless();
  def.expected_speed = speed;
  def.timestep = timestep;
  ScreeWorld *w = empty_world(&def, contact, glass);
  ScreeGrain g[2] = {
      {.id = 1, .position = {0.45, 0.5, 0.5}, .velocity = {0.5 * speed, 0, 0}, .radius = 0.01},
      {.id = 2, .position = {0.4701 + 1e-9, 0.5, 0.5}, .velocity = {-0.5 * speed, 0, 0}, .radius = 0.01}};
  start_with(w, 2, g);
  if (used) *used = scree_world_timestep(w);
  for (int i = 0; i < 100000; i++) {
    cr_assert_eq(scree_world_step(w, 20), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_read(w, g), SCREE_OK);
    if (g[0].velocity[0] < g[1].velocity[0] && g[1].position[0] - g[0].position[0] > 0.02) break;
  }
  scree_world_destroy(w);
  return (g[1].velocity[0] - g[0].velocity[0]) / speed;
}

static bool in_engine(const ScreeLawInfo *info) { return info->group == SCREE_POINT || info->group == SCREE_PLASTIC; }

/* What the laboratory gives for the same pair, clamped. */
static double laboratory(const ScreeContactDef *contact, double speed) {
  ScreeImpactDef def = scree_impact_def_default(contact->normal);
  ScreeImpactResult r;
  double exponent = contact->pair.exponent;
  def.pair = contact->pair;
  def.pair.geometry = SCREE_SPHERE_SPHERE;
  def.pair.radius[0] = def.pair.radius[1] = 0.01;
  def.pair.material[0] = glass;
  def.pair.exponent = exponent;
  def.pair.speed = speed;
  def.separation = SCREE_CLAMPED;
  def.calibrated = contact->calibrated;
  cr_assert_eq(scree_impact_run(&def, &r), SCREE_OK, "%s: %s", scree_law_info(contact->normal)->name,
               scree_last_error());
  return r.restitution;
}

Test(world, every_law_rebounds_as_in_the_laboratory_and_converges) {
  FOR_EACH_LAW(info) {
    if (!in_engine(info)) continue;
    ScreeContactDef contact = scree_contact_def_default();
    double speed = 0.2, dt;
    contact.normal = info->law;
    contact.tangential = SCREE_LAW_NONE;
    contact.pair.restitution = info->domain == SCREE_E_NONE ? NAN : 0.7;
    if (info->exponent == 1.0 && info->law != SCREE_LAW_yigit_linear)
      contact.pair.stiffness = 1e5; /* spheres are no linear springs */
    double exact = laboratory(&contact, speed), coarse = collide(&contact, speed, NAN, &dt),
           fine = collide(&contact, speed, dt / 8.0, NULL);
    cr_expect(fabs(coarse - exact) < 0.02, "%s: %.5f at the automatic step, laboratory %.5f", info->name, coarse,
              exact);
    /* a dashpot that jumps at first touch errs by where in its step the touch falls */
    double floor = info->damping_exponent == 0.0 ? 2e-3 : 3e-4;
    cr_expect(fabs(fine - exact) < fmax(0.4 * fabs(coarse - exact), floor), "%s: error %.2e, then %.2e", info->name,
              coarse - exact, fine - exact);
  }
}

Test(world, calibrated_contacts_deliver_the_requested_restitution) {
  const ScreeLawId laws[] = {SCREE_LAW_flores, SCREE_LAW_tsuji, SCREE_LAW_lankarani_nikravesh,
                             SCREE_LAW_jankowski_simple};
  for (int i = 0; i < 4; i++) {
    ScreeContactDef contact = scree_contact_def_default();
    contact.normal = laws[i];
    contact.tangential = SCREE_LAW_NONE;
    contact.pair.restitution = 0.5;
    contact.calibrated = true;
    double dt;
    collide(&contact, 0.2, NAN, &dt);
    double e = collide(&contact, 0.2, dt / 8.0, NULL);
    cr_expect(fabs(e - 0.5) < 2e-3, "%s: %.5f", scree_law_info(laws[i])->name, e);
  }
}

/* PEERS: free fall for 1 s from 10 m ends at 5.095 m. */
Test(world, free_fall) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  def.high[2] = 20.0;
  def.timestep = NAN;
  ScreeWorld *w = empty_world(&def, &contact, glass);
  ScreeGrain g = {.id = 7, .position = {0.5, 0.5, 10.0}, .radius = 0.05};
  start_with(w, 1, &g);
  long steps = lround(1.0 / scree_world_timestep(w));
  cr_assert_eq(scree_world_step(w, steps), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
  double t = (double)steps * scree_world_timestep(w);
  cr_expect(fabs(g.position[2] - (10.0 - 0.5 * 9.81 * t * t)) < 1e-9, "%.9g", g.position[2]);
  scree_world_destroy(w);
}

/* PEERS: a sphere sliding at 1 m/s with mu = 0.1 rolls without slip after 2 v0/(7 mu g) = 0.29125 s at 5/7 m/s. */
Test(world, a_sliding_sphere_comes_to_roll) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  ScreeMeasure m;
  def.expected_speed = 1.0;
  contact.pair.param[SCREE_PARAM_mu] = 0.1;
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
  double r = 0.05, mass = 4.0 / 3.0 * acos(-1.0) * r * r * r * 2500.0;
  double k = 4.0 / 3.0 * 1e7 / (2.0 * (1.0 - 0.09)) * sqrt(r), sink = pow(mass * 9.81 / k, 2.0 / 3.0);
  ScreeGrain g = {.id = 1, .position = {0.2, 0.5, r - sink}, .velocity = {1.0, 0, 0}, .radius = r};
  cr_assert_eq(scree_world_add_wall(w, &floor, NULL), SCREE_OK, "%s", scree_last_error());
  start_with(w, 1, &g);
  double dt = scree_world_timestep(w);
  cr_assert_eq(scree_world_step(w, lround(0.2 / dt)), SCREE_OK);
  cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
  cr_expect(fabs(g.velocity[0] - (1.0 - 0.1 * 9.81 * 0.2)) < 2e-3, "%.6f", g.velocity[0]);
  cr_assert_eq(scree_world_step(w, lround(0.2 / dt)), SCREE_OK);
  cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
  cr_expect(fabs(g.velocity[0] - 5.0 / 7.0) < 2e-3 && fabs(g.spin[1] * r - 5.0 / 7.0) < 5e-3, "v = %.6f, w R = %.6f",
            g.velocity[0], g.spin[1] * r);
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  cr_expect(fabs(m.residual) < 1e-3 * m.scale, "residual %.3g of %.3g J", m.residual, m.scale);
  scree_world_destroy(w);
}

/* ---- many grains ---- */

/* Cells per side of a cubic lattice for n grains; in integers, since a compiler may fold cbrt differently than libm
 * rounds. */
static size_t lattice(size_t n) {
  size_t side = 1;
  while (side * side * side < n) side++;
  return side;
}

static ScreeGrain *random_gas(size_t n, double size, double radius, double spread, double speed, uint64_t seed) {
  ScreeGrain *g = calloc(n, sizeof *g);
  size_t side = lattice(n);
  for (size_t i = 0; i < n; i++) {
    size_t c[3] = {i % side, i / side % side, i / side / side};
    g[i].id = 1000 + 7 * i;
    g[i].radius = radius * (1.0 + spread * uniform(&seed, -1.0, 1.0));
    for (int k = 0; k < 3; k++) {
      g[i].position[k] = ((double)c[k] + 0.5) * size / (double)side;
      g[i].velocity[k] = speed * uniform(&seed, -1.0, 1.0);
      g[i].spin[k] = speed / radius * uniform(&seed, -1.0, 1.0);
    }
  }
  return g;
}

/* Of a vector about an axis of z. */
static void rotate(double angle, const double *v, double *turned) {
  turned[0] = cos(angle) * v[0] - sin(angle) * v[1];
  turned[1] = sin(angle) * v[0] + cos(angle) * v[1];
  turned[2] = v[2];
}

/* Two grains that turn as one about the centre of the first, which is fixed; the other is too heavy to feel it. What
 * friction remembers turns with them. Returns how far it is from where it should be after one radian, of its size. */
static double after_a_radian(ScreeLawId law, int steps) {
  enum { FIXED = 1, HEAVY = 2 };
  const double r = 0.01, overlap = 1e-4, at[3] = {0.5, 0.5, 0.5}, dt = 1e-4, angle = 1.0 / steps;
  ScreeWorldDef def = weightless();
  ScreeContactDef contact = scree_contact_def_default();
  def.timestep = dt, def.expected_speed = 1.0;
  contact.tangential = law;
  contact.pair.param[SCREE_PARAM_mu] = 0.5;
  contact.pair.param[SCREE_PARAM_kt] = law == SCREE_LAW_mindlin ? NAN : 1e4;
  contact.pair.restitution = 1.0;
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){70e6, 0.25, 1e12});
  double arm[3] = {(2.0 * r - overlap) * 0.6, (2.0 * r - overlap) * 0.8, 0.0}, next[3];
  ScreeGrain g[2] = {{.id = FIXED, .position = {at[0], at[1], at[2]}, .radius = r, .fixed = true},
                     {.id = HEAVY, .position = {at[0] + arm[0], at[1] + arm[1], at[2]}, .radius = r}};
  start_with(w, 2, g);
  size_t heavy = w->turn[0].id == HEAVY ? 0 : 1, pair = 0;
  while (pair < w->pairs.count && !(KEPT(&w->pairs, last, pair) > 0.0)) pair++;
  cr_assert_lt(pair, w->pairs.count, "they do not touch");
  double size = 0.1 * 0.5 * (double)w->pairs.press[pair] / (law == SCREE_LAW_mindlin ? 1.0 : 1e4);
  double then[3] = {-0.8 * 0.8 * size, 0.8 * 0.6 * size, 0.6 * size}, expected[3], off = 0.0;
  for (int k = 0; k < 3; k++) KEPT(&w->pairs, shear[k], pair) = then[k];
  for (int s = 0; s < steps; s++) {
    rotate(angle, arm, next);
    for (int k = 0; k < 3; k++) w->record[heavy].v[k] = (next[k] - arm[k]) / dt, arm[k] = next[k];
    w->turn[0].w[2] = w->turn[1].w[2] = sin(angle) / dt; /* nothing slides at the end of the chord */
    cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
    cr_assert(w->turn[heavy].id == HEAVY && KEPT(&w->pairs, last, pair) > 0.0, "another order, or list");
  }
  rotate(1.0, then, expected);
  for (int k = 0; k < 3; k++) off += pow(KEPT(&w->pairs, shear[k], pair) - expected[k], 2.0);
  scree_world_destroy(w);
  return sqrt(off) / size;
}

/* With the angle of a step to the third power: what a step takes goes with the fourth. Without its length back it would
 * be the first, half an angle. */
Test(world, friction_turns_with_its_contact_at_its_length) {
  const ScreeLawId laws[] = {SCREE_LAW_mindlin, SCREE_LAW_tangential_linear};
  for (int n = 0; n < 2; n++) {
    double coarse = after_a_radian(laws[n], 25), fine = after_a_radian(laws[n], 50);
    cr_expect(coarse < 1e-4, "%d: off by %.3g", n, coarse);
    cr_expect(fine < 0.15 * coarse || fine < 1e-9, "%d: off by %.3g and %.3g", n, coarse, fine);
  }
}

Test(world, an_elastic_gas_keeps_its_energy_and_momentum) {
  ScreeWorldDef def = weightless();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeMeasure start, end;
  size_t n = 343;
  for (int k = 0; k < 3; k++) def.periodic[k] = true;
  def.expected_speed = 1.0;
  contact.normal = SCREE_LAW_hertz;
  contact.pair.restitution = NAN;
  contact.tangential = SCREE_LAW_NONE;
  ScreeWorld *w = empty_world(&def, &contact, glass);
  ScreeGrain *g = random_gas(n, 1.0, 0.05, 0.2, 0.4, 5);
  start_with(w, n, g);
  cr_assert_eq(scree_world_measure(w, &start), SCREE_OK);
  cr_assert_eq(scree_world_step(w, 10000), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_measure(w, &end), SCREE_OK);
  cr_expect(fabs(end.kinetic + end.elastic - start.kinetic) < 2e-4 * start.kinetic, "energy %.9g, then %.9g",
            start.kinetic, end.kinetic + end.elastic);
  for (int k = 0; k < 3; k++)
    cr_expect(fabs(end.momentum[k] - start.momentum[k]) < 1e-12 * start.kinetic, "momentum %d", k);
  cr_expect(end.rebuilds > 3 && end.step == 10000);
  free(g);
  scree_world_destroy(w);
}

/* A settling, rubbing, periodic box: the hash after many steps. */
static uint64_t settle(const int *order, size_t n, int threads, long steps, ScreeMeasure *m) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  def.periodic[0] = def.periodic[1] = true;
  def.threads = threads;
  def.expected_speed = 1.0;
  contact.normal = SCREE_LAW_tsuji;
  contact.pair.restitution = 0.5;
  contact.rolling_model = SCREE_ROLLING_SPRING;
  contact.rolling = 0.05;
  ScreeWorld *w = empty_world(&def, &contact, glass);
  ScreeGrain *g = random_gas(n, 1.0, 0.37 / (double)lattice(n), 0.25, 0.3, 9), *own = calloc(n, sizeof *own);
  for (size_t i = 0; i < n; i++) own[i] = g[order ? order[i] : (int)i];
  cr_assert_eq(scree_world_add_wall(w, &floor, NULL), SCREE_OK);
  start_with(w, n, own);
  cr_assert_eq(scree_world_step(w, steps), SCREE_OK, "%s", scree_last_error());
  if (m) cr_assert_eq(scree_world_measure(w, m), SCREE_OK);
  uint64_t hash = scree_world_hash(w);
  free(g), free(own);
  scree_world_destroy(w);
  return hash;
}

Test(world, bits_do_not_depend_on_the_order_of_the_input) {
  enum { N = 216 };
  int reversed[N], shuffled[N];
  uint64_t random = 3;
  for (int i = 0; i < N; i++) reversed[i] = N - 1 - i, shuffled[i] = i;
  for (int i = N - 1; i > 0; i--) {
    int j = (int)uniform(&random, 0.0, i + 1.0), keep = shuffled[i];
    shuffled[i] = shuffled[j], shuffled[j] = keep;
  }
  uint64_t plain = settle(NULL, N, 1, 3000, NULL);
  cr_expect_eq(plain, settle(reversed, N, 1, 3000, NULL));
  cr_expect_eq(plain, settle(shuffled, N, 1, 3000, NULL));
  cr_expect_neq(plain, settle(NULL, N, 1, 3001, NULL));
}

Test(world, bits_do_not_depend_on_the_number_of_threads) {
  ScreeMeasure one, many;
  uint64_t hash = settle(NULL, 216, 1, 3000, &one);
  for (int threads = 2; threads <= 4; threads++) {
    cr_expect_eq(settle(NULL, 216, threads, 3000, &many), hash, "%d threads", threads);
    cr_expect(memcmp(&one.kinetic, &many.kinetic, sizeof one.kinetic) == 0 && one.residual == many.residual);
  }
}

Test(world, bits_do_not_depend_on_the_instruction_set) {
  uint64_t first = 0;
  for (int i = 0; i < scree_batch_isa_count(); i++) {
    if (scree_batch_use_isa(scree_batch_isa_name(i)) != SCREE_OK) continue;
    uint64_t hash = settle(NULL, 216, 1, 2000, NULL);
    if (first == 0) first = hash;
    cr_expect_eq(hash, first, "%s", scree_batch_isa());
  }
}

Test(world, the_ledger_closes_in_a_settling_bed_with_friction_and_rolling) {
  ScreeMeasure m;
  settle(NULL, 512, 1, 30000, &m);
  cr_expect(m.contacts > 300, "%zu contacts", m.contacts);
  cr_expect(fabs(m.residual) < 1e-3 * m.scale, "residual %.3g of %.3g J", m.residual, m.scale);
  cr_expect((m.dissipated_viscous + m.dissipated_plastic + m.dissipated_clamp) > 0.0 && m.dissipated_friction > 0.0);
}

/* Sizes from 1 to 20: the levels of the grid find every contact that all pairs would. */
Test(world, a_size_ratio_of_twenty_loses_no_contact) {
  enum { MOST = 3000 };
  ScreeWorldDef def = weightless();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeGrain *g = calloc(MOST, sizeof *g);
  ScreeMeasure m;
  uint64_t random = 21;
  size_t n = 0, contacts = 0;
  for (int k = 0; k < 3; k++) def.periodic[k] = true;
  def.max_overlap = 0.5;
  def.expected_speed = 1.0;
  for (int attempt = 0; attempt < 20000 && n < MOST; attempt++) {
    ScreeGrain new = {.id = n, .radius = 0.01 * pow(20.0, pow(uniform(&random, 0.0, 1.0), 12.0))};
    for (int k = 0; k < 3; k++) new.position[k] = uniform(&random, 0.0, 1.0);
    size_t touching = 0;
    bool fits = true;
    for (size_t i = 0; i < n && fits; i++) {
      double d2 = 0.0, reach = new.radius + g[i].radius;
      for (int k = 0; k < 3; k++) {
        double dx = fabs(new.position[k] - g[i].position[k]);
        dx = dx > 0.5 ? 1.0 - dx : dx;
        d2 += dx * dx;
      }
      fits = reach - sqrt(d2) < 0.4 * fmin(new.radius, g[i].radius);
      touching += d2 < reach * reach;
    }
    if (!fits) continue;
    contacts += touching;
    g[n++] = new;
  }
  ScreeWorld *w = empty_world(&def, &contact, glass);
  start_with(w, n, g);
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  cr_expect_eq(m.contacts, contacts, "%zu contacts, %zu by all pairs of %zu grains", m.contacts, contacts, n);
  cr_expect(contacts > 100 && n > 1000, "%zu contacts of %zu grains", contacts, n);
  free(g);
  scree_world_destroy(w);
}

/* A sphere of 1 kg and 0.1 m radius on a floor of its own material, E = 1e7 Pa, nu = 0.3. */
Test(world, a_resting_sphere_sinks_as_hertz_says) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  double r = 0.1, volume = 4.0 / 3.0 * acos(-1.0) * r * r * r, k = 4.0 / 3.0 * 1e7 / (2.0 * 0.91) * sqrt(r),
         sink = pow(9.81 / k, 2.0 / 3.0);
  def.expected_speed = 0.05;
  contact.pair.restitution = 0.3;
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 1.0 / volume});
  ScreeGrain g = {.id = 1, .position = {0.5, 0.5, r}, .radius = r};
  cr_assert_eq(scree_world_add_wall(w, &floor, NULL), SCREE_OK);
  start_with(w, 1, &g);
  cr_assert_eq(scree_world_step(w, 60000), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
  cr_expect(relative(r - g.position[2], sink) < 1e-4, "sinks %.6g m, Hertz %.6g m", r - g.position[2], sink);
  scree_world_destroy(w);
}

/* Gravity along a periodic axis: grains gain potential at each crossing, and the ledger knows. */
Test(world, crossing_a_periodic_boundary_is_booked) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeMeasure m;
  def.gravity[0] = 3.0;
  def.gravity[2] = 0.0;
  def.periodic[0] = true;
  def.expected_speed = 3.0;
  ScreeWorld *w = empty_world(&def, &contact, glass);
  ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.5}, .velocity = {1.0, 0, 0}, .radius = 0.1};
  start_with(w, 1, &g);
  cr_assert_eq(scree_world_step(w, lround(1.2 / scree_world_timestep(w))), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
  cr_expect(g.velocity[0] > 4.0 && g.position[0] < 1.0, "it crossed three times");
  cr_expect(fabs(m.residual) < 1e-9 * m.scale, "residual %.3g of %.3g J", m.residual, m.scale);
  scree_world_destroy(w);
}

/* A ball is put at a point of each wall, moved inwards along the wall's own normal until it overlaps by a hundredth of
 * its radius: that is the overlap the engine must see. */
Test(world, walls_stand_where_they_should) {
  const double r = 0.05, away = 0.99 * r, a = 0.5;
  const struct {
    ScreeWallDef wall;
    double at[3];
  } cases[] = {
      {{.shape = SCREE_WALL_PLANE, .point = {0.5, 0.5, 0.2}, .axis = {0, 0, 3}}, {0.4, 0.6, 0.2 + away}},
      {{.shape = SCREE_WALL_SPHERE, .point = {0.5, 0.5, 0.5}, .radius = 0.4, .inside = true},
       {0.5, 0.5 + 0.4 - away, 0.5}},
      {{.shape = SCREE_WALL_SPHERE, .point = {0.5, 0.5, 0.2}, .radius = 0.1},
       {0.5 + 0.6 * (0.1 + away), 0.5, 0.2 + 0.8 * (0.1 + away)}},
      {{.shape = SCREE_WALL_CYLINDER, .point = {0.3, 0.5, 0.5}, .axis = {1, 0, 0}, .radius = 0.4, .inside = true},
       {0.7, 0.5, 0.1 + away}},
      {{.shape = SCREE_WALL_CYLINDER, .point = {0.5, 0.1, 0.2}, .axis = {0, 2, 0}, .radius = 0.1},
       {0.5 - 0.1 - away, 0.8, 0.2}},
      /* 0.3 m from the apex along the surface, then inwards: (-cos a, sin a) */
      {{.shape = SCREE_WALL_CONE, .point = {0.5, 0.5, 0.2}, .axis = {0, 0, 1}, .angle = a},
       {0.5, 0.5 + 0.3 * sin(a) - away * cos(a), 0.2 + 0.3 * cos(a) + away * sin(a)}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ScreeWorldDef def = weightless();
    ScreeContactDef contact = scree_contact_def_default();
    ScreeMeasure m;
    def.expected_speed = 0.2;
    ScreeWorld *w = empty_world(&def, &contact, glass);
    ScreeGrain g = {.id = 1, .position = {cases[i].at[0], cases[i].at[1], cases[i].at[2]}, .radius = r};
    cr_assert_eq(scree_world_add_wall(w, &cases[i].wall, NULL), SCREE_OK, "%s", scree_last_error());
    start_with(w, 1, &g);
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_expect(m.contacts == 1 && fabs(m.max_overlap - 0.01) < 1e-12, "wall %zu: %zu contacts, overlap %.9f", i,
              m.contacts, m.max_overlap);
    /* and the ball is pushed back the way it came in */
    cr_assert_eq(scree_world_step(w, 200), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_expect_eq(m.contacts, 0, "wall %zu does not push the ball out", i);
    scree_world_destroy(w);
  }
}

/* A rolling and spinning ball on a floor: resistance slows it, and what it takes is booked. */
Test(world, rolling_and_twisting_resistance_only_brake) {
  for (int model = SCREE_ROLLING_NONE; model <= SCREE_ROLLING_SPRING; model++) {
    ScreeWorldDef def = scree_world_def_default();
    ScreeContactDef contact = scree_contact_def_default();
    ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
    ScreeMeasure m;
    const double r = 0.05, mass = 4.0 / 3.0 * acos(-1.0) * r * r * r * glass.density;
    const double k = 4.0 / 3.0 * glass.young / (2.0 * (1.0 - glass.poisson * glass.poisson)) * sqrt(r);
    def.expected_speed = 0.5;
    contact.rolling_model = (ScreeRolling)model;
    contact.rolling = model == SCREE_ROLLING_VISCOUS ? 0.5 : 0.05;
    contact.twisting = model == SCREE_ROLLING_NONE ? 0.0 : 0.02;
    ScreeWorld *w = empty_world(&def, &contact, glass);
    ScreeGrain g = {.id = 1,
                    .position = {0.2, 0.5, r - pow(mass * 9.81 / k, 2.0 / 3.0)},
                    .velocity = {0.4, 0, 0},
                    .spin = {0, 8.0, 5.0},
                    .radius = r};
    cr_assert_eq(scree_world_add_wall(w, &floor, NULL), SCREE_OK);
    start_with(w, 1, &g);
    cr_assert_eq(scree_world_step(w, lround(0.1 / scree_world_timestep(w))), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    if (model == SCREE_ROLLING_NONE)
      cr_expect(fabs(g.velocity[0] - 0.4) < 1e-3 && g.spin[2] == 5.0, "free rolling: v = %.6f, spin %.6f",
                g.velocity[0], g.spin[2]);
    else
      cr_expect(g.velocity[0] < 0.399 && g.velocity[0] > 0.0 && g.spin[2] < 4.9 && g.spin[2] > -1e-3 &&
                    m.dissipated_rolling > 0.0,
                "model %d: v = %.6f, spin %.6f, lost %.3g J", model, g.velocity[0], g.spin[2], m.dissipated_rolling);
    cr_expect(fabs(m.residual) < 1e-3 * m.scale, "model %d: residual %.3g of %.3g J", model, m.residual, m.scale);
    scree_world_destroy(w);
  }
}

Test(world, wrong_worlds_get_a_sentence) {
  ScreeWorldDef def = weightless();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.5}, .radius = 0.1}, twice[2];
  ScreeWorld *w = NULL;
  def.high[0] = -1.0;
  cr_expect_eq(scree_world_create(&def, &w), SCREE_INVALID);
  def = weightless();
  def.timestep = 1.0;
  w = empty_world(&def, &contact, glass);
  cr_expect_eq(scree_world_start(w), SCREE_MISSING);
  cr_assert_eq(scree_world_add_grains(w, 1, &g), SCREE_OK);
  cr_expect_eq(scree_world_start(w), SCREE_INVALID);
  cr_expect(strstr(scree_last_error(), "time step"), "%s", scree_last_error());
  g.material = 5;
  cr_expect_eq(scree_world_add_grains(w, 1, &g), SCREE_UNKNOWN);
  scree_world_destroy(w);
  def.timestep = NAN;
  g.material = 0;
  twice[0] = twice[1] = g;
  twice[1].position[0] = 0.9;
  w = empty_world(&def, &contact, glass);
  cr_assert_eq(scree_world_add_grains(w, 2, twice), SCREE_OK);
  cr_expect_eq(scree_world_start(w), SCREE_INVALID);
  scree_world_destroy(w);
  contact.normal = SCREE_LAW_cyl_johnson;
  cr_assert_eq(scree_world_create(&def, &w), SCREE_OK);
  cr_expect_eq(scree_world_set_contact(w, -1, -1, &contact), SCREE_UNSUPPORTED);
  scree_world_destroy(w);
}

/* Loads are the sums of the contacts, and grains at rest carry their weight. */
Test(world, contacts_and_loads_add_up) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef floor = {.shape = SCREE_WALL_BOX, .low = {0, 0, 0}, .high = {1, 1, 1}, .inside = true};
  ScreeWorld *w = empty_world(&def, &contact, glass);
  ScreeGrain g[60];
  ScreeGrainLoad load[60];
  for (int i = 0; i < 60; i++)
    g[i] = (ScreeGrain){.id = (uint64_t)(59 - i) * 7 + 3,
                        .position = {0.14 + 0.24 * (i % 4), 0.14 + 0.24 * (i / 4 % 4), 0.14 + 0.24 * (i / 16)},
                        .velocity = {0.1 * (i % 5), -0.1 * (i % 3), 0},
                        .radius = 0.1 + 0.001 * (i % 7)};
  cr_assert_eq(scree_world_add_wall(w, &floor, NULL), SCREE_OK);
  start_with(w, 60, g);
  cr_assert_eq(scree_world_step(w, 4000), SCREE_OK, "%s", scree_last_error());
  size_t count = scree_world_contact_count(w);
  ScreeContact *c = malloc(count * sizeof *c);
  cr_assert_eq(scree_world_read(w, g), SCREE_OK);
  cr_assert_eq(scree_world_read_loads(w, load), SCREE_OK);
  cr_assert_eq(scree_world_read_contacts(w, c), SCREE_OK);
  double sum[60][3] = {{0.0}}, largest = 0.0;
  int touched[60] = {0};
  cr_assert(count > 60, "%zu contacts", count);
  for (size_t e = 0; e < count; e++) {
    int a = 0, b = 0;
    while (g[a].id != c[e].first) a++;
    while (!c[e].wall && g[b].id != c[e].second) b++;
    touched[a]++;
    if (!c[e].wall) touched[b]++;
    largest = fmax(largest, c[e].force);
    cr_expect(c[e].overlap > 0.0 && c[e].force >= 0.0);
    for (int k = 0; k < 3; k++) {
      double f = c[e].friction[k] - c[e].force * c[e].normal[k];
      sum[a][k] += f;
      if (!c[e].wall) sum[b][k] -= f;
    }
  }
  for (int i = 0; i < 60; i++) {
    cr_expect_eq(load[i].contacts, touched[i]);
    for (int k = 0; k < 3; k++) /* the contacts' forces are kept as floats */
      cr_expect(fabs(load[i].force[k] - sum[i][k]) < 1e-6 * largest, "grain %d: %g, contacts %g N", i, load[i].force[k],
                sum[i][k]);
  }
  free(c);
  scree_world_destroy(w);
}

/* A state taken at any step and restored, with other threads, ends where the uninterrupted run does. */
static ScreeWorld *state_world(int threads, bool grains) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef box = {.shape = SCREE_WALL_BOX, .low = {0, 0, 0}, .high = {1, 1, 1}, .inside = true};
  ScreeGrain g[200];
  ScreeWorld *w;
  int id;
  def.threads = threads;
  def.max_overlap = 0.4; /* the plastic contacts are soft */
  def.periodic[0] = true;
  contact.rolling_model = SCREE_ROLLING_SPRING;
  contact.rolling = 0.1;
  w = empty_world(&def, &contact, glass);
  cr_assert_eq(scree_world_add_material(w, (ScreeMaterial){2e8, 0.3, 4000.0}, &id), SCREE_OK);
  contact.normal = SCREE_LAW_thornton; /* with memory */
  contact.pair.restitution = NAN;
  contact.pair.param[SCREE_PARAM_sigma_y] = 2e7;
  cr_assert_eq(scree_world_set_contact(w, 0, 1, &contact), SCREE_OK, "%s", scree_last_error());
  box.low[0] = -5, box.high[0] = 5;
  cr_assert_eq(scree_world_add_wall(w, &box, NULL), SCREE_OK);
  for (int i = 0; i < 200; i++)
    g[i] = (ScreeGrain){.id = (uint64_t)(i * 7919 % 1009),
                        .position = {0.1 + 0.16 * (i % 6), 0.1 + 0.16 * (i / 6 % 6), 0.09 + 0.16 * (i / 36)},
                        .velocity = {0.4 * sin(i), 0.4 * cos(3 * i), 0},
                        .spin = {cos(i), 0, sin(i)},
                        .radius = 0.07 + 0.0001 * (i % 50),
                        .material = i % 2,
                        .fixed = i % 40 == 0};
  if (grains) cr_assert_eq(scree_world_add_grains(w, 200, g), SCREE_OK);
  return w;
}

Test(world, a_restored_state_goes_on_bit_for_bit) {
  ScreeWorld *whole = state_world(1, true);
  cr_assert_eq(scree_world_start(whole), SCREE_OK, "%s", scree_last_error());
  uint64_t at[6];
  void *state[6];
  size_t size[6];
  ScreeMeasure end, m;
  for (int i = 0; i < 6; i++) {
    cr_assert_eq(scree_world_step(whole, 137 * i), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_save(whole, &state[i], &size[i]), SCREE_OK, "%s", scree_last_error());
    at[i] = scree_world_hash(whole);
  }
  cr_assert_eq(scree_world_step(whole, 1000), SCREE_OK);
  cr_assert_eq(scree_world_measure(whole, &end), SCREE_OK);
  for (int i = 0; i < 6; i++) {
    ScreeWorld *w = state_world(1 + i % 4, false);
    cr_assert_eq(scree_world_restore(w, state[i], size[i]), SCREE_OK, "%s", scree_last_error());
    cr_expect_eq(scree_world_hash(w), at[i], "state %d", i);
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_assert_eq(scree_world_step(w, end.step - m.step), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_expect_eq(scree_world_hash(w), scree_world_hash(whole), "state %d", i);
    cr_expect(m.time == end.time && m.kinetic == end.kinetic && m.residual == end.residual &&
                  m.contacts == end.contacts,
              "state %d: residual %.17g and %.17g J", i, m.residual, end.residual);
    void *again = NULL;
    size_t length = 0;
    scree_world_destroy(w);
    w = state_world(2, false); /* what was restored saves the same bytes */
    cr_assert_eq(scree_world_restore(w, state[i], size[i]), SCREE_OK);
    cr_assert_eq(scree_world_save(w, &again, &length), SCREE_OK);
    cr_expect(length == size[i] && memcmp(again, state[i], length) == 0, "state %d", i);
    free(again);
    scree_world_destroy(w);
  }
  /* cut off or changed anywhere: refused, or taken whole; never worse */
  for (size_t cut = size[3] % 8; cut < size[3]; cut += 8 + size[3] / 40 / 8 * 8) {
    ScreeWorld *w = state_world(1, false);
    cr_expect_neq(scree_world_restore(w, state[3], cut), SCREE_OK, "%zu of %zu bytes", cut, size[3]);
    cr_expect_eq(scree_world_restore(w, state[3], size[3]), SCREE_OK, "after a refusal: %s", scree_last_error());
    scree_world_destroy(w);
  }
  for (int i = 0; i < 6; i++) free(state[i]);
  scree_world_destroy(whole);
}

static uint64_t word_of(const unsigned char *state, size_t word) {
  uint64_t value;
  memcpy(&value, state + 8 * word, 8);
  return value;
}

static void refuses(const void *state, size_t size, const char *what, size_t word) {
  ScreeWorld *w = state_world(1, false);
  cr_expect_neq(scree_world_restore(w, state, size), SCREE_OK, "%s word %zu of %zu", what, word, size / 8);
  cr_expect(strlen(scree_last_error()) > 8);
  scree_world_destroy(w);
}

/* A flipped bit, another word, two words that changed places, anywhere. */
Test(world, a_damaged_state_is_refused) {
  ScreeWorld *w = state_world(1, true);
  unsigned char *state = NULL;
  size_t size = 0;
  uint64_t random = 7;
  cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_step(w, 200), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_save(w, (void **)&state, &size), SCREE_OK, "%s", scree_last_error());
  scree_world_destroy(w);
  size_t words = size / 8, stride = words / 300 + 1;
  for (size_t at = 0; at < words; at += stride) {
    uint64_t was = word_of(state, at), bit = was ^ (uint64_t)1 << (size_t)uniform(&random, 0.0, 64.0);
    double any = uniform(&random, -1.0, 1.0);
    size_t other = (size_t)uniform(&random, 0.0, (double)words);
    memcpy(state + 8 * at, &bit, 8);
    refuses(state, size, "a flipped bit in", at);
    memcpy(state + 8 * at, &any, 8);
    refuses(state, size, "another number in", at);
    memcpy(state + 8 * at, &was, 8);
    uint64_t there = word_of(state, other);
    if (there == was) continue;
    memcpy(state + 8 * at, &there, 8), memcpy(state + 8 * other, &was, 8);
    refuses(state, size, "another place of", at);
    memcpy(state + 8 * at, &was, 8), memcpy(state + 8 * other, &there, 8);
  }
  w = state_world(1, false);
  cr_expect_eq(scree_world_restore(w, state, size), SCREE_OK, "%s", scree_last_error());
  scree_world_destroy(w);
  free(state);
}

/* Version 3 is the same without a checksum. */
Test(world, a_state_of_another_version_is_refused) {
  ScreeWorld *w = state_world(1, true), *again = state_world(1, false);
  unsigned char *state = NULL;
  size_t size = 0;
  cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_step(w, 200), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_save(w, (void **)&state, &size), SCREE_OK, "%s", scree_last_error());
  int64_t own;
  memcpy(&own, state + 8, sizeof own);
  for (int64_t version = own - 2; version <= own + 2; version++) {
    char sentence[64];
    if (version == own) continue;
    memcpy(state + 8, &version, sizeof version);
    snprintf(sentence, sizeof sentence, "the state has version %lld, this library reads", (long long)version);
    cr_expect_eq(scree_world_restore(again, state, size), SCREE_UNSUPPORTED);
    cr_expect(strstr(scree_last_error(), sentence), "%s", scree_last_error());
  }
  scree_world_destroy(again);
  scree_world_destroy(w);
  free(state);
}

/* Whatever the domain and the expected speed: a free impact delivers what the law promises. */
Test(world, restitution_does_not_depend_on_the_speed_or_the_domain) {
  const double speed[] = {1.0, 0.1, 0.01, 0.001}, height[] = {0.1, 10.0};
  for (int h = 0; h < 2; h++)
    for (int i = 0; i < 4; i++) {
      ScreeWorldDef def = weightless();
      ScreeContactDef contact = scree_contact_def_default();
      ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
      def.expected_speed = sqrt(2.0 * 9.81 * height[h]);
      contact.pair.restitution = 0.5;
      ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e8, 0.25, 2500.0});
      ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.0020001}, .velocity = {0, 0, -speed[i]}, .radius = 0.002};
      cr_assert_eq(scree_world_add_wall(w, &floor, NULL), SCREE_OK);
      start_with(w, 1, &g);
      for (int s = 0; s < 100000 && !(g.velocity[2] > 0.0 && g.position[2] > 0.002); s++) {
        cr_assert_eq(scree_world_step(w, 20), SCREE_OK, "%s", scree_last_error());
        cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
      }
      cr_expect(fabs(g.velocity[2] / speed[i] - 0.5) < 2e-3, "%g m/s of %g expected: e = %.5f", speed[i],
                def.expected_speed, g.velocity[2] / speed[i]);
      scree_world_destroy(w);
    }
}

/* beta2 of xiong is zero; it once was the overlap unless another pair of materials had a constant in its place. */
Test(world, constants_that_are_zero_do_not_hang_on_other_materials) {
  double speed[2];
  for (int others = 0; others < 2; others++) {
    ScreeWorldDef def = weightless();
    ScreeContactDef contact = scree_contact_def_default(), other = contact;
    ScreeMaterial material = {1e7, 0.25, 2500.0};
    ScreeGrain g[3] = {{.id = 1, .position = {0.3, 0.5, 0.5}, .velocity = {1, 0, 0}, .radius = 0.05},
                       {.id = 2, .position = {0.401, 0.5, 0.5}, .radius = 0.05},
                       {.id = 3, .position = {0.9, 0.9, 0.9}, .radius = 0.05, .material = 1}};
    ScreeWorld *w;
    int id;
    contact.normal = SCREE_LAW_xiong;
    contact.pair.restitution = 0.6;
    other.normal = SCREE_LAW_thornton; /* has four constants */
    def.expected_speed = 1.0;
    w = empty_world(&def, &contact, material);
    cr_assert_eq(scree_world_add_material(w, material, &id), SCREE_OK);
    if (others) cr_assert_eq(scree_world_set_contact(w, id, id, &other), SCREE_OK);
    start_with(w, 3, g);
    cr_assert_eq(scree_world_step(w, 400), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_read(w, g), SCREE_OK);
    speed[others] = g[1].velocity[0];
    scree_world_destroy(w);
  }
  cr_expect(speed[0] > 0.1 && speed[0] == speed[1], "%.17g and %.17g m/s", speed[0], speed[1]);
}

/* Nothing moves and nothing falls, but grains are pressed: they fly apart, and the step is short enough for that. */
Test(world, pressed_grains_at_rest_get_a_step_that_follows_them) {
  for (double overlap = 1e-3; overlap < 0.1; overlap *= 3.0) {
    ScreeWorldDef def = weightless();
    ScreeContactDef contact = scree_contact_def_default();
    ScreeGrain g[3] = {{.id = 1, .position = {0.3, 0.5, 0.5}, .radius = 0.05},
                       {.id = 2, .position = {0.4 - 0.05 * overlap, 0.5, 0.5}, .radius = 0.05},
                       {.id = 3, .position = {0.2 + 0.05 * overlap, 0.5, 0.5}, .radius = 0.05}};
    ScreeMeasure m;
    double worst = 0.0;
    def.expected_speed = NAN;
    ScreeWorld *w = empty_world(&def, &contact, glass);
    start_with(w, 3, g);
    for (int i = 0; i < 50; i++) {
      cr_assert_eq(scree_world_step(w, 5), SCREE_OK, "%s", scree_last_error());
      cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
      worst = fmax(worst, fabs(m.residual));
    }
    cr_expect(m.kinetic > 0.0 && worst < 1e-3 * (m.kinetic + m.dissipated_viscous), "overlap %g: residual %g of %g J",
              overlap, worst, m.kinetic + m.dissipated_viscous);
    scree_world_destroy(w);
  }
}

/* A wall goes while a spinning ball is pressed on it: the torques of the last step act for half a step more, and that
 * work is booked. */
Test(world, the_last_torque_of_a_contact_is_booked) {
  for (int model = SCREE_ROLLING_NONE; model <= SCREE_ROLLING_SPRING; model++) {
    ScreeWorldDef def = weightless();
    ScreeContactDef contact = scree_contact_def_default();
    ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
    ScreeGrain g = {.id = 1, .position = {0.5, 0.5, 0.0495}, .spin = {20.0, 0.0, 30.0}, .radius = 0.05};
    ScreeMeasure m;
    double force[3];
    int id;
    contact.normal = SCREE_LAW_hertz;
    contact.pair.restitution = NAN;
    contact.tangential = SCREE_LAW_NONE;
    contact.rolling_model = (ScreeRolling)model;
    contact.rolling = 0.2, contact.twisting = 0.2;
    def.timestep = 2e-6, def.expected_speed = 1.0;
    ScreeWorld *w = empty_world(&def, &contact, glass);
    cr_assert_eq(scree_world_add_wall(w, &floor, &id), SCREE_OK);
    cr_assert_eq(scree_world_time_wall(w, id, 0.0, 20.5 * def.timestep), SCREE_OK, "%s", scree_last_error());
    start_with(w, 1, &g);
    cr_assert_eq(scree_world_step(w, 20), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_wall_force(w, id, force, NULL), SCREE_OK);
    cr_assert_eq(scree_world_step(w, 5), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    double last = 0.5 * 0.2 * 0.05 * fabs(force[2]) * 30.0 * def.timestep; /* of twisting, in half a step */
    cr_expect(m.contacts == 0 && last > 0.0 && fabs(m.residual) < 0.1 * last,
              "model %d: residual %g J, the last work %g", model, m.residual, last);
    scree_world_destroy(w);
  }
}
