/* oblique.c: oracles of impacts with friction. */
#include "oracle.h"

static const ScreeLawId tangential[] = {SCREE_LAW_mindlin, SCREE_LAW_coulomb, SCREE_LAW_tangential_linear};

/* The sphere of Chung & Ooi's tests: R = 2.5 mm aluminium oxide on a wall at 3.9 m/s. */
static ScreeObliqueDef ball(ScreeLawId law, double degrees) {
  ScreeObliqueDef d = scree_oblique_def_default(SCREE_LAW_zhang_sharf, law);
  double angle = degrees * acos(-1.0) / 180.0;
  d.normal.pair.geometry = SCREE_SPHERE_PLANE;
  d.normal.pair.radius[0] = 2.5e-3;
  d.normal.pair.material[0] = (ScreeMaterial){380e9, 0.23, 4000.0};
  d.normal.pair.restitution = 0.98;
  d.normal.pair.speed = 3.9 * cos(angle);
  d.tangential_speed = 3.9 * sin(angle);
  d.tangential.friction = 0.092;
  d.tangential.kt = 2e7;
  d.tangential.veps = 0.05;
  return d;
}

static void gross_sliding(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  for (double degrees = 35.0; degrees < 86.0; degrees += 5.0) {
    ScreeObliqueDef d = ball(SCREE_LAW_mindlin, degrees);
    ScreeObliqueResult r;
    if (scree_oblique_run(&d, &r) != SCREE_OK) return scree_tally_failure(check, "oblique");
    double bite = 0.092 * 1.98, spin = -2.5 * bite * d.normal.pair.speed / 2.5e-3;
    double et = 1.0 - bite * d.normal.pair.speed / d.tangential_speed;
    double worst = fmax(scree_relative(r.tangential_restitution, et), scree_relative(r.spin[0], spin));
    /* the other outputs follow from these: angles, the sliding speed; the largest friction is known at steps only */
    double vt = et * d.tangential_speed, vn = 0.98 * d.normal.pair.speed, vs = vt + 2.5e-3 * spin;
    worst = fmax(worst, fmax(fabs(r.rebound_angle - atan(vt / vn)), fabs(r.contact_rebound_angle - atan(vs / vn))));
    worst = fmax(worst, fmax(scree_relative(r.sliding_speed, vs),
                             scree_relative(r.contact_restitution, -vs / d.tangential_speed)));
    if (fabs(r.max_tangential_force / (0.092 * r.normal.max_force) - 1.0) > 0.02) worst = INFINITY;
    scree_tally(check, worst, "%g degrees", degrees);
  }
}

static void energy(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  uint64_t random = 7;
  for (int i = 0; i < 90; i++) {
    ScreeObliqueDef d = ball(tangential[i % 3], scree_uniform(&random, 0.5, 89.0));
    ScreeObliqueResult r;
    d.normal.law = i % 2 ? SCREE_LAW_tsuji : SCREE_LAW_hertz;
    d.normal.pair.restitution = i % 2 ? scree_uniform(&random, 0.2, 1.0) : NAN;
    d.normal.separation = i % 4 < 2 ? SCREE_CLAMPED : SCREE_AT_FORCE;
    d.tangential.friction = scree_uniform(&random, 0.0, 1.0);
    d.tangential.gt = scree_uniform(&random, 0.0, 5.0);
    d.spin[0] = scree_uniform(&random, -2000.0, 2000.0);
    if (scree_oblique_run(&d, &r) != SCREE_OK) return scree_tally_failure(check, "oblique");
    double all = r.normal.energy_initial + r.normal.pair.mass * d.tangential_speed * d.tangential_speed;
    double gives =
        fmax(0.0, -r.energy_friction / all) + fmax(0.0, fabs(r.impulse_ratio) - d.tangential.friction * (1.0 + 1e-9));
    scree_tally(check, fabs(r.energy_residual) / all + gives, "%s, case %d", scree_law_info(d.tangential.law)->name, i);
  }
}

/* The incremental law stepped in time, as a particle engine does it. */
static double stepped_speed(const ScreeObliqueDef *d, const ScreeObliqueResult *exact, int steps) {
  const ScreePair *pair = &exact->normal.pair;
  double memory[SCREE_MAX_SLOTS], history[2] = {0.0, 0.0};
  ScreeLaw law = scree_law_touch(pair, d->normal.pair.speed, memory);
  ScreeTangential t = d->tangential;
  ScreeMaterial m = d->normal.pair.material[0];
  t.shear_stiffness = 8.0 * scree_composite_shear_modulus(m, m) * sqrt(d->normal.pair.radius[0]);
  double dt = exact->normal.duration / steps, v = d->normal.pair.speed, x = 0.5 * v * dt;
  double mass = pair->mass * 2.0 / 7.0, start = d->tangential_speed, vs = start;
  while (x > 0.0) {
    double normal = scree_law_force(pair->law, &law, x, v, memory);
    double force = scree_tangential_step(&t, x, normal, vs, dt, history);
    v -= normal / pair->mass * dt;
    vs += force / mass * dt;
    x += v * dt;
  }
  return start + mass * (vs - start) / pair->mass;
}

static void stepped(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  for (int i = 0; i < 21; i++) {
    ScreeObliqueDef d = ball(tangential[i % 3], 3.0 + 3.0 * i);
    ScreeObliqueResult r;
    d.tangential.gt = tangential[i % 3] == SCREE_LAW_tangential_linear ? 2.0 : 0.0;
    if (scree_oblique_run(&d, &r) != SCREE_OK) return scree_tally_failure(check, "oblique");
    scree_tally(check, fabs(stepped_speed(&d, &r, 16000) - r.tangential_speed) / 3.9, "%s at %g degrees",
                scree_law_info(tangential[i % 3])->name, 3.0 + 3.0 * i);
  }
}

static void mirror(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  for (int i = 0; i < 24; i++) {
    ScreeObliqueDef d = ball(tangential[i % 3], 4.0 + 3.0 * i), m = d;
    ScreeObliqueResult a, b;
    m.tangential_speed = -d.tangential_speed;
    if (scree_oblique_run(&d, &a) != SCREE_OK || scree_oblique_run(&m, &b) != SCREE_OK)
      return scree_tally_failure(check, "oblique");
    bool same = a.tangential_speed == -b.tangential_speed && a.spin[0] == -b.spin[0];
    scree_tally(check, same ? 0.0 : INFINITY, "%s at %g degrees", scree_law_info(tangential[i % 3])->name,
                4.0 + 3.0 * i);
  }
}

static const Oracle oracles[] = {
    {"gross sliding", "tangential restitution and spin follow the closed form", 1e-10, gross_sliding, NULL},
    {"energy", "energy closes with friction, friction only takes, impulse stays in the cone", 1e-9, energy, NULL},
    {"stepped law", "the incremental law of a particle engine converges to the located one", 3e-4, stepped, NULL},
    {"mirror", "mirrored impacts are mirror images to the bit", 0.0, mirror, NULL},
};

const Suite scree_suite_oblique = {.name = "oblique", .oracles = oracles, .count = sizeof oracles / sizeof *oracles};
