/* The sweep over the grains against the halves of velocity Verlet written out for one grain, bit for bit, on every
 * instruction set. */
#include "dem/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/worlds.h"

enum { GRAINS = 517 };

static uint64_t seed = 99;

/* Grains of two materials and many radii, equal neighbours among them; every seventh is fixed and moves on. One axis is
 * not periodic. */
static ScreeWorld *strange_world(void) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWorld *w = NULL;
  static ScreeGrain g[GRAINS];
  int first, second;
  def.body_force[0] = 300.0;
  def.periodic[0] = def.periodic[1] = true;
  def.expected_speed = 5.0;
  cr_assert_eq(scree_world_create(&def, &w), SCREE_OK);
  cr_assert_eq(scree_world_add_material(w, (ScreeMaterial){1e8, 0.3, 2500.0}, &first), SCREE_OK);
  cr_assert_eq(scree_world_add_material(w, (ScreeMaterial){2e8, 0.2, 1500.0}, &second), SCREE_OK);
  cr_assert_eq(scree_world_set_contact(w, -1, -1, &contact), SCREE_OK);
  for (int i = 0; i < GRAINS; i++) {
    g[i] = (ScreeGrain){.id = (uint64_t)(i * 31 % GRAINS), .material = i % 3 == 0 ? first : second};
    g[i].radius = i % 4 < 2 ? 2e-3 : random_in(&seed, 1e-3, 5e-3);
    g[i].fixed = i % 7 == 3;
    for (int k = 0; k < 3; k++) {
      g[i].position[k] = random_in(&seed, 0.0, 1.0);
      g[i].velocity[k] = random_in(&seed, -3.0, 3.0);
      g[i].spin[k] = random_in(&seed, -50.0, 50.0);
    }
  }
  cr_assert_eq(scree_world_add_grains(w, GRAINS, g), SCREE_OK);
  w->def.max_overlap = 0.5;
  cr_assert_eq(scree_world_start(w), SCREE_OK, "%s", scree_last_error());
  return w;
}

/* Loads of all sizes, with odd last bits: those beyond 2^53 must be rounded as a cast rounds them. */
static void load_at_random(ScreeWorld *w) {
  for (size_t i = 0; i < w->count; i++) {
    Load load;
    for (int k = 0; k < 3; k++) {
      load.force[k] = (int64_t)(random_in(&seed, -1.0, 1.0) * 0x1p60) >> (int)random_in(&seed, 0.0, 60.0);
      load.torque[k] = (int64_t)(random_in(&seed, -1.0, 1.0) * 0x1p59) >> (int)random_in(&seed, 0.0, 59.0);
      load.force[k] ^= (int64_t)i, load.torque[k] ^= (int64_t)i;
    }
    scree_put_load(w->load, i, load);
  }
}

typedef struct Copy {
  Record record[GRAINS];
  Turn turn[GRAINS];
  Load load[GRAINS];
  int64_t gained;
  __extension__ __int128 work;
} Copy;

static void keep(const ScreeWorld *w, Copy *c) {
  memcpy(c->record, w->record, sizeof c->record);
  memcpy(c->turn, w->turn, sizeof c->turn);
  for (size_t i = 0; i < GRAINS; i++) c->load[i] = scree_load_of(w->load, i);
}

/* One grain by the formulas of motion.c, in its order. */
static void expect_one(const ScreeWorld *w, Copy *c, size_t i, bool correct, bool drift) {
  Record *r = &c->record[i];
  Turn *t = &c->turn[i];
  Load *load = &c->load[i];
  const double *field = w->field[t->material];
  bool fixed = isinf(r->m);
  double push = 0.5 * w->dt * w->force_unit / r->m, twist = 0.5 * w->dt * w->torque_unit / (0.4 * r->m * r->r * r->r);
  double h[3], q[3], power = 0.0;
  for (int k = 0; k < 3; k++) {
    h[k] = fixed ? 0.0 : (double)load->force[k] * push + 0.5 * w->dt * field[k];
    q[k] = fixed ? 0.0 : (double)load->torque[k] * twist;
    if (correct) r->v[k] = t->v[k] + h[k], t->w[k] += q[k];
    power -= (double)load->force[k] * w->force_unit * r->v[k] + (double)load->torque[k] * w->torque_unit * t->w[k];
  }
  if (fixed) c->work += (__typeof__(c->work))(correct + drift) * llrint(0.5 * w->dt * power / w->energy_unit);
  for (int k = 0; k < 3 && drift; k++) {
    double u = r->v[k] + h[k], length = w->def.high[k] - w->def.low[k];
    r->x[k] += u * w->dt;
    r->v[k] = u + h[k];
    t->v[k] = u;
    t->w[k] += q[k];
    load->force[k] = load->torque[k] = 0;
    double shift = !w->def.periodic[k]         ? 0.0
                   : r->x[k] >= w->def.high[k] ? -length
                   : r->x[k] < w->def.low[k]   ? length
                                               : 0.0;
    if (shift == 0.0) continue;
    r->x[k] += shift;
    if (!fixed) c->gained += llrint(-r->m * field[k] * shift / w->jump_unit);
  }
}

static void check(ScreeWorld *w, ScreeStatus (*half)(ScreeWorld *), bool correct, bool drift, const char *name) {
  static Copy expected;
  expected.gained = 0, expected.work = 0;
  keep(w, &expected);
  for (size_t i = 0; i < w->count; i++) expect_one(w, &expected, i, correct, drift);
  double jump = w->ledger.jump + (double)expected.gained * w->jump_unit;
  __extension__ __int128 work = w->ledger.work + expected.work;
  half(w); /* the loads are beyond all sense, and so are some speeds: the sweep goes to its end all the same */
  cr_expect_eq(memcmp(expected.record, w->record, sizeof expected.record), 0, "records, %s", name);
  cr_expect_eq(memcmp(expected.turn, w->turn, sizeof expected.turn), 0, "turns, %s", name);
  for (size_t i = 0; i < w->count; i++) {
    Load load = scree_load_of(w->load, i);
    cr_expect_eq(memcmp(&expected.load[i], &load, sizeof load), 0, "load of %zu, %s", i, name);
  }
  cr_expect(w->ledger.jump == jump && w->ledger.work == work, "ledger, %s", name);
}

Test(sweep, agrees_with_one_grain_at_a_time_on_every_instruction_set) {
  int usual = scree_isa_current();
  for (int isa = 0; isa < scree_isa_count(); isa++) {
    if (!scree_isa_supported(isa)) continue;
    scree_isa_use(isa);
    ScreeWorld *w = strange_world();
    double jumps = 0.0;
    for (int n = 0; n < 20; n++) {
      load_at_random(w);
      check(w, scree_drift, false, true, scree_isa_name(isa));
      load_at_random(w);
      check(w, scree_turnover, true, true, scree_isa_name(isa));
      load_at_random(w);
      check(w, scree_correct, true, false, scree_isa_name(isa));
      jumps += fabs(w->ledger.jump);
    }
    cr_expect_gt(jumps, 0.0, "some must cross a boundary");
    scree_world_destroy(w);
  }
  scree_isa_use(usual);
}

/* The fastest grain of a world is found whatever its place, and whatever it suffers from. */
Test(sweep, a_grain_that_runs_away_is_named) {
  for (size_t at = 0; at < GRAINS; at += 129)
    for (int what = 0; what < 3; what++) {
      ScreeWorld *w = strange_world();
      char name[32];
      if (what == 0) w->record[at].v[1] = 1.01 * w->record[at].r / w->dt;
      if (what == 1) w->turn[at].w[2] = 1.01 / w->dt;
      if (what == 2) w->record[at].v[0] = NAN;
      snprintf(name, sizeof name, "grain %llu ", (unsigned long long)w->turn[at].id);
      cr_expect_eq(scree_drift(w), SCREE_OUT_OF_RANGE);
      cr_expect(strstr(scree_last_error(), name) != NULL, "%s: %s", name, scree_last_error());
      scree_world_destroy(w);
    }
}

/* A large grain may be faster than a small one may: no false alarm. */
Test(sweep, a_large_grain_may_move_by_the_radius_of_a_small_one) {
  ScreeWorld *w = strange_world();
  size_t largest = 0;
  for (size_t i = 0; i < w->count; i++)
    if (w->record[i].r > w->record[largest].r) largest = i;
  for (int k = 0; k < 3; k++) w->record[largest].v[k] = k == 0 ? 0.99 * w->record[largest].r / w->dt : 0.0;
  cr_expect_eq(scree_drift(w), SCREE_OK, "%s", scree_last_error());
  scree_world_destroy(w);
}
