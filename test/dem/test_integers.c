/* The integers that forces and works become: those of llrint on every instruction set, near zero and at both ends of
 * what each way of making them holds; and a world whose works need the longer way while its forces do not. */
#include "integers.h"

#include <string.h>

#include "support/worlds.h"

typedef void Maker(const double *x, size_t count, unsigned touch, int64_t *large, int64_t *small);
static const struct {
  const char *name;
  Maker *make;
} makers[] = {
#define MAKER_OF(isa, name) {name, test_integers_##isa},
    SCREE_ISA_LIST(MAKER_OF)
#undef MAKER_OF
};

enum { NUMBERS = 4096 };

/* Around powers of two up to a bound, halves, zeros, and random numbers between. */
static void numbers(double *x, double bound, uint64_t seed) {
  size_t n = 0;
  for (double power = 0.5; power < bound; power *= 2.0)
    for (int k = -3; k <= 3; k++)
      for (int sign = -1; sign <= 1; sign += 2) x[n++] = sign * (power + 0.5 * k);
  const double edge[] = {0.0,
                         -0.0,
                         0.5,
                         -0.5,
                         1.5,
                         -1.5,
                         2.5,
                         -2.5,
                         0x1p-1074,
                         -0x1p-60,
                         bound * (1.0 - 0x1p-53),
                         -bound * (1.0 - 0x1p-53)};
  for (size_t k = 0; k < sizeof edge / sizeof *edge; k++) x[n++] = edge[k];
  while (n < NUMBERS) x[n++] = random_in(&seed, -1.0, 1.0) * ldexp(1.0, (int)random_in(&seed, -2.0, log2(bound)));
}

Test(integers, every_instruction_set_rounds_as_llrint) {
  static double x[NUMBERS];
  static int64_t large[NUMBERS], small[NUMBERS];
  for (int isa = 0; isa < scree_batch_isa_count(); isa++)
    for (size_t m = 0; m < sizeof makers / sizeof *makers; m++) {
      if (strcmp(makers[m].name, scree_batch_isa_name(isa)) != 0) continue;
      for (int way = 0; way < 2; way++)
        for (unsigned touch = 0; touch < 256; touch += 85) {
          numbers(x, way ? 0x1p51 : 0x1p62, 7 + touch);
          makers[m].make(x, NUMBERS, touch, large, small);
          for (size_t i = 0; i < NUMBERS; i++) {
            int width = strstr(makers[m].name, "v4") ? 8 : strstr(makers[m].name, "v3") ? 4 : 2;
            int64_t expected = touch >> (i % (size_t)width) & 1 ? llrint(x[i]) : 0, got = way ? small[i] : large[i];
            cr_assert_eq(got, expected, "%s, %s: %a is %lld", makers[m].name, way ? "small" : "large", x[i],
                         (long long)got);
          }
        }
    }
}

/* A ball presses on a plane by 2^47 units and spins so fast that friction's work of a step is beyond 2^51: small
 * forces, large works. Every instruction set books the same, and what the ball loses. */
Test(integers, large_works_of_small_forces_are_booked) {
  const double r = 2.5e-3;
  double lost = NAN;
  for (int isa = 0; isa < scree_batch_isa_count(); isa++) {
    cr_assert_eq(scree_batch_use_isa(scree_batch_isa_name(isa)), SCREE_OK);
    for (int sign = -1; sign <= 1; sign += 2) {
      ScreeWorldDef def = scree_world_def_default();
      ScreeContactDef contact = scree_contact_def_default();
      ScreeMeasure m;
      contact.normal = SCREE_LAW_hooke;
      contact.pair.restitution = NAN;
      contact.pair.stiffness = 1e4;
      contact.tangential = SCREE_LAW_coulomb; /* never tries more than its limit */
      for (int k = 0; k < 3; k++) def.low[k] = -0.5, def.high[k] = 0.5;
      double mass = 4.0 / 3.0 * 3.14159265358979 * r * r * r * 2500.0, overlap = 2e-3 * r;
      def.gravity[2] = -1e4 * overlap / mass;
      def.max_overlap = 0.3;
      def.timestep = 2e-5;
      def.expected_speed = 1.0;
      ScreeGrain grain = {.id = 1, .radius = r, .position = {0.0, 0.0, r - overlap}, .spin = {0.0, sign * 4e4, 0.0}};
      ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e7, 0.3, 2500.0});
      ScreeWallDef plane = {.shape = SCREE_WALL_PLANE, .axis = {0.0, 0.0, 1.0}};
      cr_assert_eq(scree_world_add_wall(w, &plane, NULL), SCREE_OK);
      start_with(w, 1, &grain);
      cr_assert_eq(scree_world_step(w, 20), SCREE_OK, "%s", scree_last_error());
      cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
      cr_expect(fabs(m.residual) < 1e-6 * m.dissipated_friction, "%s: residual %g of %g J", scree_batch_isa(),
                m.residual, m.dissipated_friction);
      if (isnan(lost)) lost = m.dissipated_friction;
      cr_expect_eq(m.dissipated_friction, lost, "%s: %.17g J, others %.17g", scree_batch_isa(), m.dissipated_friction,
                   lost);
      scree_world_destroy(w);
    }
  }
}
