/* dem_small.c: small worlds: what each entry of the ledger took, conservation, periodic images, rebuilds, sizes, the
 * time step; and two grains in space against their independent integration. */
#include <stdlib.h>
#include <string.h>

#include "dem.h"
#include "dem_oracles.h"

static const ScreeMaterial soft = {5e6, 0.3, 2000.0};

/* ---- the ledger, entry by entry ---- */

static double difference(double value, double expected, double scale) { return fabs(value - expected) / scale; }

/* A sphere meets a wall: the normal laws' entries must make up the loss of normal energy, friction that of the rest. */
static void one_loss(ScreeCheck *check, ScreeLawId law, double e, double mu, double *clamp) {
  EngineImpact i = {.contact = scree_bare_contact(law, e), .material = {soft, soft}, .radius = {0.01, 0.0}};
  EngineRebound out;
  i.normal_speed = 0.3, i.tangential_speed = mu > 0.0 ? 0.2 : 0.0, i.spin[0] = mu > 0.0 ? 15.0 : 0.0;
  i.phase = 0.4;
  i.audit = true;
  i.timestep = law == SCREE_LAW_tsuji ? 2e-7 : 2e-6; /* a clamp begins at a step */
  if (mu > 0.0) i.contact.tangential = SCREE_LAW_mindlin, i.contact.pair.param[SCREE_PARAM_mu] = mu;
  if (!scree_engine_impact(check, &i, &out)) return;
  const ScreeMeasure *m = &out.measure;
  double mass = scree_sphere_mass(0.01, soft.density), inertia = 0.4 * mass * 1e-4, start = 0.5 * mass * 0.09;
  double normal = start - 0.5 * mass * out.normal_speed * out.normal_speed;
  double rest = 0.5 * mass * (i.tangential_speed * i.tangential_speed - out.tangential_speed * out.tangential_speed) +
                0.5 * inertia * (i.spin[0] * i.spin[0] - out.spin[0] * out.spin[0]);
  bool plastic = scree_law_info(law)->group == SCREE_PLASTIC;
  double worst =
      difference(plastic ? m->dissipated_plastic : m->dissipated_viscous + m->dissipated_clamp, normal, start);
  worst = fmax(worst, fabs(plastic ? m->dissipated_viscous + m->dissipated_clamp : m->dissipated_plastic) / start);
  worst = fmax(worst, fmax(difference(m->dissipated_friction, rest, start), fabs(m->dissipated_rolling) / start));
  worst = fmax(worst, fmax(fabs(m->residual), fabs(m->elastic) + fabs(m->work)) / start);
  /* while the contact lasts, friction is booked half a step ahead of the velocities */
  double ahead = 0.5 * i.timestep * mu * out.max_force * (i.tangential_speed + 0.01 * i.spin[0]);
  worst = fmax(worst, fmax(out.residual - ahead, 0.0) / start);
  *clamp = m->dissipated_clamp / start;
  scree_tally(check, worst, "%s, mu = %g: normal %.5g J of %.5g J, friction %.5g J of %.5g J",
              scree_law_info(law)->name, mu,
              plastic ? m->dissipated_plastic : m->dissipated_viscous + m->dissipated_clamp, normal,
              m->dissipated_friction, rest);
}

void scree_dem_ledger_terms(ScreeCheck *check, const ScreeLawInfo *info) {
  const ScreeLawId laws[] = {SCREE_LAW_hertz,           SCREE_LAW_zhang_sharf,
                             SCREE_LAW_tsuji,           SCREE_LAW_goldsmith_plastic,
                             SCREE_LAW_jankowski_exact, SCREE_LAW_thornton};
  (void)info;
  for (int l = 0; l < 6; l++)
    for (int rough = 0; rough < 2; rough++) {
      double clamp = NAN;
      one_loss(check, laws[l], 0.6, rough ? 0.4 : 0.0, &clamp);
      if (laws[l] != SCREE_LAW_tsuji) {
        scree_tally(check, fabs(clamp), "%s gives nothing up: %.3g", scree_law_info(laws[l])->name, clamp);
        continue;
      }
      /* what a dashpot that would pull gives up is what the laboratory leaves when it lets go at F = 0 */
      ScreeImpactDef def = scree_impact_def_default(SCREE_LAW_tsuji);
      ScreeImpactResult lab;
      def.pair.geometry = SCREE_SPHERE_PLANE;
      def.pair.radius[0] = 0.01;
      def.pair.material[0] = soft;
      def.pair.restitution = 0.6;
      def.pair.speed = 0.3;
      def.separation = SCREE_AT_FORCE;
      if (scree_impact_run(&def, &lab) != SCREE_OK) return scree_tally_failure(check, "laboratory");
      scree_tally(check, fabs(clamp - lab.energy_stored_exit / lab.energy_initial),
                  "tsuji gives up %.5f, laboratory %.5f", clamp, lab.energy_stored_exit / lab.energy_initial);
    }
}

/* The work of a step is the mean of its forces over its way, down to the last one: at the automatic step too the ledger
 * of linear springs, which let go with a kink, closes: to the force's single precision, or where the last force still
 * changes the velocity, to the fourth power of the step (w h = 0.1). */
void scree_dem_ledger_step(ScreeCheck *check, const ScreeLawInfo *info) {
  const ScreeLawId laws[] = {SCREE_LAW_ye_linear, SCREE_LAW_kelvin_voigt, SCREE_LAW_tsuji, SCREE_LAW_hysteretic_linear};
  (void)info;
  for (int l = 0; l < 4; l++)
    for (int phase = 0; phase < 4; phase++) {
      EngineImpact i = {.contact = scree_bare_contact(laws[l], 0.7), .material = {soft, soft}, .radius = {0.01, 0.01}};
      EngineRebound out;
      i.contact.pair.stiffness = laws[l] == SCREE_LAW_tsuji ? NAN : 1e4;
      i.normal_speed = 0.3, i.timestep = NAN, i.phase = 1.0 + 0.25 * phase;
      if (!scree_engine_impact(check, &i, &out)) return;
      double start = 0.25 * scree_sphere_mass(0.01, soft.density) * 0.09; /* of the relative motion */
      scree_tally(check, fabs(out.measure.residual) / start, "%s, phase %d of 4: e = %.4f",
                  scree_law_info(laws[l])->name, phase, out.normal_speed / 0.3);
    }
}

/* A fixed grain that moves at V sends an elastic one off at 2V: it does the work 2 m V^2. One that spins and rubs does
 * the work that the other gains and friction takes. */
void scree_dem_work(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  for (int spins = 0; spins < 2; spins++) {
    ScreeContactDef contact = scree_bare_contact(SCREE_LAW_hertz, NAN);
    if (spins) contact.tangential = SCREE_LAW_mindlin, contact.pair.param[SCREE_PARAM_mu] = 0.3;
    Scene s = scree_scene(soft, &contact, 1.0);
    ScreeGrain grain[2] = {{.id = 1, .radius = 0.01},
                           {.id = 2, .position = {0.012, -0.016, 0.0}, .radius = 0.01, .fixed = true}},
               now[2];
    ScreeMeasure m;
    grain[1].velocity[0] = -0.6 * 0.3, grain[1].velocity[1] = 0.8 * 0.3;
    if (spins) grain[1].spin[2] = 40.0, grain[1].spin[0] = 3.0;
    s.def.expected_speed = 0.3;
    s.def.timestep = 2e-6;
    s.grain = grain, s.grains = 2;
    ScreeWorld *w = scree_scene_start(check, &s);
    if (!w) return;
    if (scree_scene_steps(check, w, 10000)) {
      scree_world_read(w, now);
      scree_world_measure(w, &m);
      double mass = scree_sphere_mass(0.01, soft.density), unit = 2.0 * mass * 0.09, held = 0.0;
      for (int k = 0; k < 3; k++)
        held = fmax(held, fabs(now[1].velocity[k] - grain[1].velocity[k]) + fabs(now[1].spin[k] - grain[1].spin[k]));
      double worst =
          fmax(held, fmax(difference(m.work, m.kinetic + m.dissipated_friction, unit), fabs(m.residual) / unit));
      if (!spins) {
        worst = fmax(worst, difference(m.work, unit, unit));
        worst = fmax(worst, fmax(fabs(now[0].velocity[0] / -0.36 - 1.0), fabs(now[0].velocity[1] / 0.48 - 1.0)));
      }
      if (m.contacts > 0 || m.kinetic == 0.0) worst = INFINITY;
      scree_tally(check, worst, "%s: work %.6g J, gained %.6g J, rubbed %.6g J", spins ? "spinning" : "pushing", m.work,
                  m.kinetic, m.dissipated_friction);
    }
    scree_world_destroy(w);
  }
}

/* ---- company ---- */

/* Two grains that touch from the start and approach along x, the second perhaps fixed; `at` m along y. */
static void meet(ScreeGrain *g, double r1, double r2, double at, bool fixed) {
  static const double speed = 0.2;
  g[0] =
      (ScreeGrain){.position = {0.0, at, 0.0}, .velocity = {speed, 0.0, 0.0}, .spin = {0.0, 0.0, 30.0}, .radius = r1};
  g[1] = (ScreeGrain){.position = {0.999 * (r1 + r2), at, 0.0}, .radius = r2, .fixed = fixed};
}

/* The pair, others of another material who are all alike, and the company, half of it on either side: as many as make
 * the engine go through whole groups. */
enum { OTHERS = 4, COMPANY = 6, ALL = 2 * (1 + OTHERS + COMPANY) };

static size_t gather(ScreeGrain *grain, int pair, int company) {
  const double r = 0.01, second[] = {r, r, 0.6 * r, r};
  const bool fixed[] = {false, true, false, false};
  meet(grain, r, second[pair], 0.0, fixed[pair]);
  for (int i = 0; i < OTHERS; i++) { /* the smallest in all worlds: units are chosen by them */
    meet(grain + 2 + 2 * i, 0.6 * r, 0.6 * r, 0.3 + 0.03 * i, false);
    grain[2 + 2 * i].material = grain[3 + 2 * i].material = 1;
  }
  for (int i = 0; i < COMPANY && company >= 0; i++)
    meet(grain + 2 + 2 * OTHERS + 2 * i, r, second[company], (i < COMPANY / 2 ? 0.05 : -0.2) + 0.03 * i,
         fixed[company]);
  for (int i = 0; i < ALL; i++) grain[i].id = (uint64_t)(i + 1);
  return company < 0 ? ALL - 2 * COMPANY : ALL;
}

/* One of each pair of half the company goes, one after the other: the list is kept, their places are nobody's. */
static bool leave(ScreeWorld *w, int from) {
  bool fine = true;
  for (int i = 0; i < COMPANY && fine; i += 2) {
    uint64_t id = (uint64_t)(2 + 2 * OTHERS + from + i + 1);
    fine = scree_world_remove(w, 1, &id) == SCREE_OK;
  }
  return fine;
}

/* Two alike that meet: they are a contact while they touch, which holds energy, and none before and after. */
static void meeting(ScreeCheck *check) {
  ScreeContactDef contact = scree_bare_contact(SCREE_LAW_hertz, NAN);
  Scene s = scree_scene(soft, &contact, 1.0);
  ScreeGrain grain[2];
  ScreeMeasure m = {0};
  double most = 0.0;
  int touching = 0, wrong = 0;
  meet(grain, 0.01, 0.01, 0.0, false);
  grain[0].id = 1, grain[1].id = 2, grain[1].position[0] = 0.0201;
  s.def.expected_speed = 0.3, s.def.timestep = 2e-6;
  s.grain = grain, s.grains = 2;
  ScreeWorld *w = scree_scene_start(check, &s);
  for (int i = 0; w && i < 4000 && scree_scene_steps(check, w, 1) && scree_world_measure(w, &m) == SCREE_OK; i++) {
    scree_world_read(w, grain);
    bool touch = grain[1].position[0] - grain[0].position[0] < 0.02;
    touching += touch, wrong += m.contacts != touch || scree_world_contact_count(w) != touch;
    most = fmax(most, m.elastic);
  }
  double half = 0.25 * scree_sphere_mass(0.01, soft.density) * 0.04; /* of the relative motion */
  bool fine = touching > 1000 && touching < 3000 && fabs(most / half - 1.0) < 1e-3;
  scree_tally(check, fine ? (double)wrong : (double)INFINITY, "a contact for %d steps, %.5g J of %.5g J", touching,
              most, half);
  scree_world_destroy(w);
}

/* Where all grains of a stretch are alike the engine takes stiffness, damping and arms of one for those of all: a pair
 * must not notice what others are about, of its size and mass or not. */
void scree_dem_company(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  meeting(check);
  for (int pair = 0; pair < 4; pair++) {
    ScreeGrain alone[2] = {{0}};
    for (int company = -1; company < 6; company++) {
      ScreeContactDef contact = scree_bare_contact(pair == 3 ? SCREE_LAW_zhang_sharf : SCREE_LAW_tsuji, 0.5);
      contact.tangential = SCREE_LAW_mindlin, contact.pair.param[SCREE_PARAM_mu] = 0.3;
      Scene s = scree_scene(soft, &contact, 1.0);
      ScreeGrain grain[ALL], now[ALL];
      s.def.expected_speed = 0.3, s.def.timestep = 2e-6;
      s.material[1] = (ScreeMaterial){1e7, 0.2, 3000.0}, s.materials = 2;
      s.grain = grain, s.grains = gather(grain, pair, company < 4 ? company : pair);
      ScreeWorld *w = scree_scene_start(check, &s);
      if (!w) return;
      bool fine = scree_scene_steps(check, w, 20);
      if (company >= 4) fine = leave(w, company == 4 ? 0 : COMPANY) && fine;
      if (fine && scree_scene_steps(check, w, 4980) && scree_world_read(w, now) == SCREE_OK) {
        double worst = 0.0, away = now[1].velocity[0] - now[0].velocity[0];
        if (company < 0) memcpy(alone, now, sizeof alone);
        for (int i = 0; i < 2; i++)
          for (int k = 0; k < 3; k++)
            worst = fmax(worst, fmax(fabs(now[i].velocity[k] - alone[i].velocity[k]),
                                     0.01 * fabs(now[i].spin[k] - alone[i].spin[k])));
        bool over = away > 0.05 && scree_world_contact_count(w) == 0;
        scree_tally(check, over ? worst : INFINITY, "pair %d, company %d: apart at %.4g m/s", pair, company, away);
      }
      scree_world_destroy(w);
    }
  }
}

/* ---- two grains in space ---- */

/* A pair through the engine for a time, twice: 2 y(h/2) - y(h) leaves nothing of an error of first order. */
static bool through_engine(ScreeCheck *check, Scene *s, double time, long steps, ScreeGrain *out) {
  ScreeGrain coarse[2];
  for (int f = 0; f < 2; f++) {
    s->def.timestep = time / (double)(steps << f);
    ScreeWorld *w = scree_scene_start(check, s);
    bool fine = w && scree_scene_steps(check, w, steps << f) && scree_world_read(w, f ? out : coarse) == SCREE_OK;
    scree_world_destroy(w);
    if (!fine) return false;
  }
  for (size_t b = 0; b < s->grains; b++)
    for (int k = 0; k < 3; k++) {
      out[b].velocity[k] += out[b].velocity[k] - coarse[b].velocity[k];
      out[b].spin[k] += out[b].spin[k] - coarse[b].spin[k];
    }
  return true;
}

/* Random unlike pairs, soft and spinning in all directions, so that the line of centres and the grains turn by tenths
 * of radians while they touch. */
static void one_couple(ScreeCheck *check, int number, uint64_t *random) {
  ScreeContactDef contact = scree_bare_contact(SCREE_LAW_zhang_sharf, scree_uniform(random, 0.5, 1.0));
  const ScreeLawId tangential[] = {SCREE_LAW_mindlin, SCREE_LAW_tangential_linear, SCREE_LAW_coulomb};
  contact.tangential = tangential[number % 3];
  contact.pair.param[SCREE_PARAM_mu] = scree_uniform(random, 0.3, 1.0);
  contact.pair.param[SCREE_PARAM_kt] = 1000.0;
  contact.pair.param[SCREE_PARAM_gt] = 0.002;
  contact.pair.param[SCREE_PARAM_veps] = 0.2;
  contact.pair.min_speed = 1e-3;
  contact.rolling_model = (ScreeRolling)(number / 3 % 4);
  /* too weak to stop the spin, where the schemes differ; a spring may be strong */
  contact.rolling = contact.rolling_model == SCREE_ROLLING_SPRING ? 0.3 : 0.02;
  contact.rolling_damping = 0.3;
  contact.twisting = number % 2 ? 0.02 : 0.0;
  Scene s = scree_scene((ScreeMaterial){1e6, 0.3, 2000.0}, &contact, 1.0);
  s.materials = 2;
  s.material[1] = (ScreeMaterial){2e6, 0.2, 1500.0};
  ScreeGrain g[2] = {{.id = 4, .radius = 0.010}, {.id = 9, .radius = 0.014, .material = 1}}, now[2];
  bool wall = number % 4 == 3;
  double to[3], size;
  for (int k = 0; k < 3; k++) to[k] = scree_uniform(random, -1.0, 1.0);
  size = sqrt(scree_dot(to, to));
  for (int k = 0; k < 3; k++) {
    to[k] /= size;
    g[1].position[k] = to[k] * (g[0].radius + g[1].radius) * (1.0 + 1e-6);
    for (int b = 0; b < 2; b++) {
      g[b].velocity[k] = scree_uniform(random, -0.4, 0.4) + (b ? -0.5 : 0.5) * to[k];
      g[b].spin[k] = copysign(scree_uniform(random, 40.0, 100.0), scree_uniform(random, -1.0, 1.0));
    }
    /* constant resistance would stop a slow rolling or twisting, and where it stops the schemes differ */
    if (contact.rolling_model == SCREE_ROLLING_CONSTANT || contact.twisting > 0.0)
      g[1].spin[k] = copysign(g[1].spin[k], -g[0].spin[k]);
    s.wall[0].axis[k] = -to[k];
    s.wall[0].point[k] = to[k] * g[0].radius * (1.0 + 1e-6);
  }
  s.wall[0].material = 1;
  s.walls = wall;
  s.def.expected_speed = 0.5;
  s.grain = g, s.grains = wall ? 1 : 2;
  double time = 0.02;
  if (!through_engine(check, &s, time, 8000, now) || !scree_couple_run(check, &s, time, 20000, g)) return;
  double worst = 0.0;
  for (size_t b = 0; b < s.grains; b++)
    for (int k = 0; k < 3; k++) {
      worst = fmax(worst, fabs(now[b].velocity[k] - g[b].velocity[k]));
      worst = fmax(worst, fabs(now[b].spin[k] - g[b].spin[k]) * g[b].radius);
    }
  scree_tally(check, worst, "%s with rolling model %d, case %d%s", scree_law_info(contact.tangential)->name,
              contact.rolling_model, number, wall ? ", wall" : "");
}

void scree_dem_couple(ScreeCheck *check, const ScreeLawInfo *info) {
  uint64_t random = 17;
  (void)info;
  for (int number = 0; number < 48; number++) one_couple(check, number, &random);
}

/* ---- a cluster ---- */

enum { CLUSTER = 64 };

/* Grains of three sizes on a jittered lattice, flying together and spinning; `at`: where, `drift`: the common velocity.
 */
static void cluster(ScreeGrain *g, const double *at, const double *drift) {
  uint64_t random = 5;
  for (int i = 0; i < CLUSTER; i++) {
    int c[3] = {i % 4, i / 4 % 4, i / 16};
    g[i] = (ScreeGrain){.id = (uint64_t)((i * 37) % CLUSTER), .radius = 0.008 + 0.002 * (i % 3)};
    for (int k = 0; k < 3; k++) {
      double x = (c[k] - 1.5) * 0.025;
      g[i].position[k] = at[k] + x + scree_uniform(&random, -0.001, 0.001);
      g[i].velocity[k] = drift[k] - 20.0 * x + scree_uniform(&random, -0.1, 0.1);
      g[i].spin[k] = scree_uniform(&random, -20.0, 20.0);
    }
  }
}

static ScreeContactDef rubbing(void) {
  ScreeContactDef contact = scree_contact_def_default();
  contact.normal = SCREE_LAW_tsuji;
  contact.rolling_model = SCREE_ROLLING_SPRING;
  contact.rolling = 0.1;
  contact.twisting = 0.05;
  return contact;
}

/* No walls, no gravity: whatever the contacts do, momentum and angular momentum stay. */
void scree_dem_momentum(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  for (int model = SCREE_ROLLING_NONE; model <= SCREE_ROLLING_SPRING; model++) {
    ScreeContactDef contact = rubbing();
    ScreeGrain g[CLUSTER];
    ScreeMeasure start, end;
    contact.rolling_model = (ScreeRolling)model;
    Scene s = scree_scene(soft, &contact, 4.0);
    cluster(g, (double[]){0.1, -0.05, 0.02}, (double[]){0.3, -0.2, 0.1});
    s.def.expected_speed = 1.0;
    s.grain = g, s.grains = CLUSTER;
    ScreeWorld *w = scree_scene_start(check, &s);
    if (!w) return;
    scree_world_measure(w, &start);
    if (scree_scene_steps(check, w, 5000)) {
      scree_world_measure(w, &end);
      double linear = 0.0, angular = 0.0, worst = 0.0;
      for (int i = 0; i < CLUSTER; i++)
        linear += scree_sphere_mass(g[i].radius, soft.density) * 0.5,
            angular += scree_sphere_mass(g[i].radius, soft.density) * 0.05;
      for (int k = 0; k < 3; k++) {
        worst = fmax(worst, fabs(end.momentum[k] - start.momentum[k]) / linear);
        worst = fmax(worst, fabs(end.angular_momentum[k] - start.angular_momentum[k]) / angular);
      }
      if (!(end.dissipated_friction > 0.0 && end.kinetic < 0.9 * start.kinetic)) worst = INFINITY; /* they did meet */
      scree_tally(check, worst, "rolling model %d: %.3g J of %.3g J left", model, end.kinetic, start.kinetic);
    }
    scree_world_destroy(w);
  }
}

/* 2,197 grains of two sizes in a periodic box, so that threads meet at many borders: any number of them gives the same
 * bits and the same ledger. */
void scree_dem_threads(ScreeCheck *check, const ScreeLawInfo *info) {
  enum { SIDE = 13, N = SIDE * SIDE * SIDE };
  ScreeContactDef contact = rubbing();
  Scene s = scree_scene(soft, &contact, SIDE * 0.021);
  ScreeGrain *g = calloc(N, sizeof *g);
  uint64_t random = 3, hash[3];
  ScreeMeasure m[3];
  (void)info;
  for (int i = 0; g && i < N; i++) {
    int c[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    g[i] = (ScreeGrain){.id = (uint64_t)i, .radius = i % 5 ? 0.0095 : 0.0115};
    for (int k = 0; k < 3; k++) {
      g[i].position[k] = (c[k] - 6.0) * 0.021;
      g[i].velocity[k] = scree_uniform(&random, -0.5, 0.5);
      g[i].spin[k] = scree_uniform(&random, -20.0, 20.0);
    }
  }
  for (int k = 0; k < 3; k++) s.def.periodic[k] = true;
  s.def.expected_speed = 1.0;
  s.grain = g, s.grains = N;
  for (int t = 0; t < 3; t++) {
    s.def.threads = t + 1;
    ScreeWorld *w = g ? scree_scene_start(check, &s) : NULL;
    if (!w) return free(g);
    bool fine = scree_scene_steps(check, w, 100);
    hash[t] = scree_world_hash(w);
    scree_world_measure(w, &m[t]);
    scree_world_destroy(w);
    if (!fine) return free(g);
    bool same = hash[t] == hash[0] && m[t].kinetic == m[0].kinetic && m[t].residual == m[0].residual;
    scree_tally(check, same && m[t].contacts > N / 5 ? 0.0 : INFINITY, "%d threads, %zu contacts: %016llx", t + 1,
                m[t].contacts, (unsigned long long)hash[t]);
  }
  double worst = 0.0; /* forces between grains of different threads are opposite, too */
  for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(m[1].momentum[k] - m[0].momentum[k]));
  scree_tally(check, worst, "momentum differs by %.1e", worst);
  free(g);
}

/* The cluster falls into a bowl, with lists rebuilt at nearly every step and never: not a bit may differ. */
void scree_dem_rebuilds(ScreeCheck *check, const ScreeLawInfo *info) {
  ScreeGrain g[CLUSTER], now[2][CLUSTER];
  ScreeMeasure m[2];
  uint64_t hash[2];
  (void)info;
  for (int often = 0; often < 2; often++) {
    ScreeContactDef contact = rubbing();
    Scene s = scree_scene(soft, &contact, 1.0);
    cluster(g, (double[]){0.02, -0.03, 0.0}, (double[]){0.5, 0.2, -0.4});
    s.wall[0] = (ScreeWallDef){.shape = SCREE_WALL_SPHERE, .radius = 0.13, .inside = true};
    s.walls = 1;
    s.def.gravity[2] = -9.81;
    s.def.expected_speed = 1.0;
    s.def.skin = often ? 2e-5 : 0.9;
    s.grain = g, s.grains = CLUSTER;
    ScreeWorld *w = scree_scene_start(check, &s);
    if (!w) return;
    bool fine = scree_scene_steps(check, w, 4000);
    scree_world_read(w, now[often]);
    scree_world_measure(w, &m[often]);
    hash[often] = scree_world_hash(w);
    scree_world_destroy(w);
    if (!fine) return;
  }
  double worst = hash[0] == hash[1] && memcmp(now[0], now[1], sizeof now[0]) == 0 ? 0.0 : INFINITY;
  worst = fmax(worst, fabs(m[0].dissipated_friction - m[1].dissipated_friction) + fabs(m[0].residual - m[1].residual));
  if (m[1].rebuilds < 1000 || m[0].rebuilds > 1 || m[1].contacts == 0) worst = INFINITY;
  scree_tally(check, worst, "%ld rebuilds and %ld, %zu contacts at the end", m[0].rebuilds, m[1].rebuilds,
              m[1].contacts);
}

enum { DEEP = 8, CROWD = DEEP * DEEP * DEEP };

/* A loose lattice of slow grains above a floor, few of them a hundred times faster; radii down to `smallest`. */
static void crowd(ScreeGrain *g, double smallest) {
  const double jet[3] = {2.0, 1.2, -3.0};
  uint64_t random = 11;
  for (int i = 0; i < CROWD; i++) {
    int c[3] = {i % DEEP, i / DEEP % DEEP, i / DEEP / DEEP};
    g[i] = (ScreeGrain){.id = (uint64_t)i, .radius = scree_uniform(&random, smallest, 0.0102)};
    for (int k = 0; k < 3; k++) {
      g[i].position[k] = (c[k] - 0.5 * (DEEP - 1)) * 0.021 + scree_uniform(&random, -2e-4, 2e-4);
      g[i].velocity[k] = (i % 29 == 13 ? jet[k] : 0.0) + scree_uniform(&random, -0.03, 0.03);
    }
  }
}

/* The crowd between periodic sides, with lists of nearly every step, of a skin that is given and of the one that is
 * chosen: the fast are listed with partners farther away and do not end the list of all, but no bit differs. */
void scree_dem_fast(ScreeCheck *check, const ScreeLawInfo *info) {
  const double skin[3] = {1e-6, 2e-3, NAN}, smallest[2] = {9e-3, 2e-3};
  const long steps = 400;
  ScreeGrain g[CROWD];
  uint64_t hash = 0;
  (void)info;
  for (int n = 0; n < 6; n++) {
    ScreeContactDef contact = rubbing();
    Scene s = scree_scene(soft, &contact, DEEP * 0.021);
    ScreeMeasure m;
    crowd(g, smallest[n / 3]);
    s.wall[0] = (ScreeWallDef){.shape = SCREE_WALL_PLANE, .point = {0, 0, -DEEP * 0.0105}, .axis = {0, 0, 1}};
    s.walls = 1;
    s.def.periodic[0] = s.def.periodic[1] = true;
    s.def.low[2] = -1.0, s.def.high[2] = 1.0;
    s.def.expected_speed = 5.0;
    s.def.skin = skin[n % 3];
    s.grain = g, s.grains = CROWD;
    ScreeWorld *w = scree_scene_start(check, &s);
    if (!w) return;
    bool fine = scree_scene_steps(check, w, steps);
    scree_world_measure(w, &m);
    uint64_t now = scree_world_hash(w);
    scree_world_destroy(w);
    if (!fine) return;
    if (n % 3 == 0) hash = now;
    bool often = n % 3 == 0 ? m.rebuilds > steps * 9 / 10 : m.rebuilds < steps / 2;
    scree_tally(check, now == hash && often && m.dissipated_friction > 0.0 ? 0.0 : INFINITY,
                "skin %g m, radii from %g m: %ld rebuilds, %zu contacts: %016llx", skin[n % 3], smallest[n / 3],
                m.rebuilds, m.contacts, (unsigned long long)now);
  }
}

/* A full periodic box, and the same grains shifted by half of it on every axis, falling: only rounding differs, which
 * collisions amplify, hence few steps. */
void scree_dem_periodic(ScreeCheck *check, const ScreeLawInfo *info) {
  const double size = 0.1;
  ScreeGrain g[CLUSTER], now[2][CLUSTER];
  ScreeMeasure m[2];
  (void)info;
  for (int shifted = 0; shifted < 2; shifted++) {
    ScreeContactDef contact = rubbing();
    Scene s = scree_scene(soft, &contact, size);
    cluster(g, (double[]){0.0, 0.0, 0.0}, (double[]){0.3, 0.2, -0.1});
    for (int k = 0; k < 3; k++) {
      s.def.periodic[k] = true;
      s.def.gravity[k] = 1.0 + k; /* across the boundaries: the ledger must know */
      for (int i = 0; i < CLUSTER; i++) {
        double x = g[i].position[k] + 0.5 * size * shifted;
        g[i].position[k] = x - size * floor(x / size + 0.5);
      }
    }
    s.def.expected_speed = 1.0;
    s.grain = g, s.grains = CLUSTER;
    ScreeWorld *w = scree_scene_start(check, &s);
    if (!w) return;
    bool fine = scree_scene_steps(check, w, 1000);
    scree_world_read(w, now[shifted]);
    scree_world_measure(w, &m[shifted]);
    scree_world_destroy(w);
    if (!fine) return;
  }
  double worst =
      fmax(fabs(m[0].residual - m[1].residual), fabs(m[0].dissipated_friction - m[1].dissipated_friction)) / m[0].scale;
  for (int i = 0; i < CLUSTER; i++)
    for (int k = 0; k < 3; k++) {
      double shift = remainder(now[1][i].position[k] - now[0][i].position[k] - 0.5 * size, size);
      worst = fmax(worst, fmax(fabs(shift), fabs(now[1][i].velocity[k] - now[0][i].velocity[k])));
      worst = fmax(worst, 0.01 * fabs(now[1][i].spin[k] - now[0][i].spin[k]));
      if (!(fabs(now[1][i].position[k]) <= 0.5 * size)) worst = INFINITY;
    }
  if (m[0].contacts != m[1].contacts || m[0].contacts == 0) worst = INFINITY;
  scree_tally(check, worst, "%zu contacts, and %zu shifted; residual %.2g of the energy", m[0].contacts, m[1].contacts,
              m[0].residual / m[0].scale);
}

/* ---- sizes, the step ---- */

/* Radii over a factor of 20 at random places, overlapping a little: as many contacts as all pairs have. */
void scree_dem_sizes(ScreeCheck *check, const ScreeLawInfo *info) {
  enum { MOST = 1500 };
  ScreeContactDef contact = scree_contact_def_default();
  Scene s = scree_scene(soft, &contact, 1.0);
  ScreeGrain *g = calloc(MOST, sizeof *g);
  uint64_t random = 23;
  size_t n = 0, contacts = 0;
  ScreeMeasure m;
  (void)info;
  for (int attempt = 0; g && attempt < 60000 && n < MOST; attempt++) {
    ScreeGrain next = {.id = n, .radius = 0.012 * pow(20.0, pow(scree_uniform(&random, 0.0, 1.0), 3.0))};
    size_t touching = 0;
    bool fits = true;
    for (int k = 0; k < 3; k++) next.position[k] = scree_uniform(&random, -0.5, 0.5);
    for (size_t i = 0; i < n && fits; i++) {
      double dx[3], reach = next.radius + g[i].radius;
      for (int k = 0; k < 3; k++) dx[k] = remainder(next.position[k] - g[i].position[k], 1.0);
      double distance = sqrt(scree_dot(dx, dx));
      fits = reach - distance < 0.28 * fmin(next.radius, g[i].radius);
      touching += distance < reach;
    }
    if (!fits) continue;
    contacts += touching;
    g[n++] = next;
  }
  for (int k = 0; k < 3; k++) s.def.periodic[k] = true;
  s.def.expected_speed = 1.0;
  s.grain = g, s.grains = n;
  ScreeWorld *w = g ? scree_scene_start(check, &s) : NULL;
  if (w && scree_world_measure(w, &m) == SCREE_OK)
    scree_tally(check, fabs((double)m.contacts - (double)contacts) + (contacts > 100 ? 0.0 : INFINITY),
                "%zu contacts of %zu grains, %zu by all pairs", m.contacts, n, contacts);
  scree_world_destroy(w);
  free(g);
}

/* A tenth of the laboratory's limit for the smallest grains, of the stiffest pair of materials; a quarter is refused.
 */
void scree_dem_timestep(ScreeCheck *check, const ScreeLawInfo *info) {
  const ScreeLawId laws[] = {SCREE_LAW_hertz, SCREE_LAW_zhang_sharf, SCREE_LAW_tsuji, SCREE_LAW_flores};
  (void)info;
  for (int l = 0; l < 4; l++) {
    ScreeContactDef contact = scree_bare_contact(laws[l], 0.5);
    Scene s = scree_scene(soft, &contact, 1.0);
    ScreeGrain g[3] = {{.id = 1, .radius = 0.02},
                       {.id = 2, .position = {0.1}, .radius = 0.01},
                       {.id = 3, .position = {0.2}, .radius = 0.01, .material = 1}};
    ScreeImpactDef def = scree_impact_def_default(laws[l]);
    ScreeTimestep step;
    s.material[1] = (ScreeMaterial){8e6, 0.25, 1000.0};
    s.materials = 2;
    s.def.expected_speed = 0.7;
    s.grain = g, s.grains = 3;
    def.pair.geometry = SCREE_SPHERE_SPHERE;
    def.pair.radius[0] = def.pair.radius[1] = 0.01;
    def.pair.material[0] = def.pair.material[1] = s.material[1];
    def.pair.restitution = contact.pair.restitution;
    def.pair.speed = 0.7;
    if (scree_impact_timestep(&def, &step) != SCREE_OK) return scree_tally_failure(check, "laboratory");
    ScreeWorld *w = scree_scene_start(check, &s);
    if (!w) return;
    double chosen = scree_world_timestep(w);
    scree_world_destroy(w);
    scree_tally(check, scree_relative(chosen, 0.1 * step.lagged), "%s: %.6g s, a tenth of %.6g s",
                scree_law_info(laws[l])->name, chosen, step.lagged);
    ScreeCheck aside = {0};
    s.def.timestep = 0.26 * step.lagged;
    w = scree_scene_start(&aside, &s);
    scree_world_destroy(w);
    scree_tally(check, w ? INFINITY : 0.0, "%s: 0.26 of the limit is %s", scree_law_info(laws[l])->name,
                w ? "taken" : "refused");
  }
}
