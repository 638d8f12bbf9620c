/* dem_resistance.c: friction, rolling and twisting in all combinations, and over all normal laws: each closes its
 * ledger and stops where the closed form says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dem.h"
#include "dem_oracles.h"

static const double g = 9.81, radius = 2.5e-3;
static const ScreeMaterial soft = {1e7, 0.3, 2500.0};

/* ---- what is combined ---- */

typedef struct Normal {
  ScreeLawId law;
  double exponent, stiffness; /* NaN: the law's, and that of spheres */
} Normal;

static const Normal normals[] = {{SCREE_LAW_hooke, NAN, 1e4},
                                 {SCREE_LAW_hertz, NAN, NAN},
                                 {SCREE_LAW_zhang_sharf, 2.0, 1e9},
                                 {SCREE_LAW_zhang_sharf, NAN, NAN},
                                 {SCREE_LAW_tsuji, NAN, NAN},
                                 {SCREE_LAW_kelvin_voigt, NAN, 1e4},
                                 {SCREE_LAW_hysteretic_linear, NAN, 1e4}};

typedef struct Tangential {
  ScreeLawId law;
  ScreeRegularisation regularisation;
  double dashpot; /* N s/m; NaN: none */
  const char *name;
} Tangential;

/* The second dashpot alone exceeds Coulomb's limit while the ball slides. */
static const Tangential tangentials[] = {{SCREE_LAW_NONE, SCREE_TANH, NAN, "frictionless"},
                                         {SCREE_LAW_mindlin, SCREE_TANH, NAN, "mindlin"},
                                         {SCREE_LAW_coulomb, SCREE_TANH, NAN, "coulomb (tanh)"},
                                         {SCREE_LAW_coulomb, SCREE_SQRT, NAN, "coulomb (sqrt)"},
                                         {SCREE_LAW_tangential_linear, SCREE_TANH, NAN, "linear"},
                                         {SCREE_LAW_tangential_linear, SCREE_TANH, 0.03, "linear, dashpot"},
                                         {SCREE_LAW_tangential_linear, SCREE_TANH, 0.265, "linear, strong dashpot"}};

enum { NORMALS = sizeof normals / sizeof *normals, TANGENTIALS = sizeof tangentials / sizeof *tangentials };

static ScreeContactDef combine(int n, int t, int rolling, bool twists) {
  ScreeContactDef c = scree_bare_contact(normals[n].law, 0.6);
  c.pair.exponent = normals[n].exponent;
  c.pair.stiffness = normals[n].stiffness;
  c.pair.param[SCREE_PARAM_mu] = 0.4;
  c.tangential = tangentials[t].law;
  c.regularisation = tangentials[t].regularisation;
  if (c.tangential == SCREE_LAW_tangential_linear) c.pair.param[SCREE_PARAM_kt] = 2857.0;
  c.pair.param[SCREE_PARAM_gt] = tangentials[t].dashpot;
  c.rolling_model = (ScreeRolling)rolling;
  c.rolling = rolling == SCREE_ROLLING_VISCOUS ? 0.5 : rolling ? 0.1 : 0.0;
  c.twisting = twists ? 0.1 : 0.0;
  return c;
}

/* ---- balls on walls ---- */

typedef enum Motion { SLIDES, ROLLS, STICKS, RESTS, IN_A_GROOVE, MOTIONS } Motion;
static const char *const motion_names[] = {"slides", "rolls", "sticks", "rests", "in a groove"};

/* A ball that touches one plane, or two at 0.6 and 0.8. */
static Scene place(Motion motion, const ScreeContactDef *contact, double sink, ScreeGrain *ball) {
  Scene s = scree_scene(soft, contact, 1.0);
  const double v = 0.05;
  s.def.gravity[2] = -g;
  s.def.expected_speed = 0.5;
  *ball = (ScreeGrain){.id = 1, .radius = radius, .position = {0.0, 0.0, radius - sink}};
  if (motion == SLIDES || motion == ROLLS || motion == IN_A_GROOVE) ball->spin[2] = 5.0;
  if (motion == SLIDES || motion == ROLLS) ball->velocity[0] = v;
  if (motion == ROLLS) ball->spin[1] = v / (radius - 0.5 * sink);
  if (motion == STICKS) ball->velocity[0] = 1e-4;
  if (motion == IN_A_GROOVE) {
    ball->position[2] = (radius - sink) / 0.8;
    ball->velocity[1] = v, ball->spin[0] = 3.0;
  }
  s.walls = motion == IN_A_GROOVE ? 2 : 1;
  for (int k = 0; k < s.walls; k++) {
    s.wall[k] = (ScreeWallDef){.shape = SCREE_WALL_PLANE, .axis = {0.0, 0.0, 1.0}};
    if (s.walls == 2) s.wall[k].axis[0] = k ? 0.6 : -0.6, s.wall[k].axis[2] = 0.8;
  }
  s.grain = ball, s.grains = 1;
  return s;
}

/* J, what there was: the most that was kinetic, stored and lost together. */
static double energy_of(const ScreeMeasure *m) {
  return m->kinetic + m->elastic +
         fabs(m->dissipated_viscous + m->dissipated_plastic + m->dissipated_clamp + m->dissipated_friction +
              m->dissipated_rolling);
}

/* Runs in stretches of fifty steps; the largest residual over the energy that there was. */
static double worst_residual(ScreeCheck *check, ScreeWorld *w, long steps) {
  ScreeMeasure m;
  double worst = 0.0, most = 0.0;
  for (long s = 0; s < steps; s += 50) {
    if (!scree_scene_steps(check, w, 50) || scree_world_measure(w, &m) != SCREE_OK) return NAN;
    worst = fmax(worst, fabs(m.residual)), most = fmax(most, energy_of(&m));
  }
  return worst / most;
}

/* At a third of the automatic step: where normals turn, work is booked to the second order of the step. */
void scree_dem_resistance(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  for (int n = 0; n < NORMALS; n++)
    for (int t = 0; t < TANGENTIALS; t++)
      for (int rolling = SCREE_ROLLING_NONE; rolling <= SCREE_ROLLING_SPRING; rolling++)
        for (int variant = 0; variant < 2 * MOTIONS; variant++) {
          Motion motion = (Motion)(variant / 2);
          ScreeContactDef contact = combine(n, t, rolling, variant % 2);
          ScreeGrain ball;
          Scene s = place(motion, &contact, 2e-7, &ball);
          ScreeWorld *w = scree_scene_start(check, &s);
          if (!w) return;
          s.def.timestep = scree_world_timestep(w) / 3.0;
          scree_world_destroy(w);
          w = scree_scene_start(check, &s);
          if (!w) return;
          scree_tally(check, worst_residual(check, w, 1200), "%s, %s, rolling model %d%s: a ball %s",
                      scree_law_info(normals[n].law)->name, tangentials[t].name, rolling,
                      variant % 2 ? ", twisting" : "", motion_names[motion]);
          scree_world_destroy(w);
        }
}

/* ---- where it stops ---- */

/* m, the overlap at which the law carries the ball's weight on the plane. */
static double sink_of(ScreeCheck *check, const ScreeContactDef *contact) {
  ScreePairDef def = contact->pair;
  ScreeImpactDef impact = scree_impact_def_default(contact->normal);
  ScreePair pair;
  double low = 0.0, high = 0.5 * radius, weight = scree_sphere_mass(radius, soft.density) * g;
  def.geometry = SCREE_SPHERE_PLANE;
  def.radius[0] = radius;
  def.material[0] = def.material[1] = soft;
  def.mass = weight / g;
  def.speed = 0.1;
  impact.pair = def;
  if (scree_freeze_strength(&impact) != SCREE_OK ||
      scree_pair_prepare(contact->normal, &impact.pair, &pair) != SCREE_OK) {
    scree_tally_failure(check, "overlap under the weight");
    return NAN;
  }
  for (int i = 0; i < 100; i++) {
    double middle = 0.5 * (low + high), memory[SCREE_MAX_SLOTS];
    ScreeLaw law = scree_law_touch(&pair, def.speed, memory);
    *(scree_law_force(pair.law, &law, middle, 0.0, memory) < weight ? &low : &high) = middle;
  }
  return low;
}

/* A ball that rolls with mu_r stops after v^2 (1 + 0.4 R^2/a^2)/(2 mu_r g R/a), a the arm, whatever the normal law. The
 * mean of a while at the end is taken: springs that nothing damps ring on. */
static void check_stop(ScreeCheck *check, const ScreeContactDef *contact, const char *name) {
  const double v = 0.05;
  ScreeGrain ball, now;
  double sink = sink_of(check, contact), arm = radius - 0.5 * sink, mu = contact->rolling;
  double expected = 0.5 * v * v * (1.0 + 0.4 * radius * radius / (arm * arm)) / (mu * g * radius / arm);
  /* half of the angle to wind up to the limit is lost on the way, and all of it goes back */
  if (contact->rolling_stiffness > 0.0)
    expected -= 0.5 * arm * mu * radius * scree_sphere_mass(radius, soft.density) * g / contact->rolling_stiffness;
  Scene s = place(ROLLS, contact, sink, &ball);
  ball.spin[2] = 0.0;
  s.def.expected_speed = 0.1;
  s.def.max_overlap = 0.5;
  ScreeWorld *w = isnan(sink) ? NULL : scree_scene_start(check, &s);
  if (!w) return;
  double mean[2] = {0.0, 0.0}, dt = scree_world_timestep(w);
  bool fine = scree_scene_steps(check, w, lround(0.06 / dt)); /* it rolls for 24 ms, then a soft spring rings */
  for (int i = 0; i < 200 && fine; i++) {
    fine = scree_scene_steps(check, w, lround(2e-4 / dt)) && scree_world_read(w, &now) == SCREE_OK;
    mean[i / 100] += now.position[0] / 100.0;
  }
  scree_world_destroy(w);
  if (!fine) return;
  scree_tally(check, fmax(fabs(mean[1] / expected - 1.0), fabs(mean[1] - mean[0]) / expected),
              "%s: %.4f mm, then %.4f, expected %.4f", name, 1e3 * mean[0], 1e3 * mean[1], 1e3 * expected);
}

/* Every normal law carries the same weight, so every rolling spring stops the ball at the same place. */
void scree_dem_rolling_laws(ScreeCheck *check, const ScreeLawInfo *info) {
  ScreeContactDef contact = scree_bare_contact(info->law, 0.6);
  char name[64];
  contact.pair.param[SCREE_PARAM_mu] = 0.6;
  contact.tangential = SCREE_LAW_mindlin;
  contact.rolling = 0.3;
  contact.rolling_model = SCREE_ROLLING_SPRING;
  if (info->exponent == 1.0 && info->law != SCREE_LAW_yigit_linear) contact.pair.stiffness = 1e4;
  check_stop(check, &contact, info->name);
  if (info->law != SCREE_LAW_hertz) return;
  contact.rolling_model = SCREE_ROLLING_CONSTANT;
  check_stop(check, &contact, "constant");
  contact.rolling_model = SCREE_ROLLING_SPRING;
  for (int stiffness = 0; stiffness < 2; stiffness++) { /* as given; the limit decides where the ball stops */
    contact.rolling_stiffness = stiffness ? 1e-3 : 3e-4;
    snprintf(name, sizeof name, "spring of %g N m/rad", contact.rolling_stiffness);
    check_stop(check, &contact, name);
  }
}

/* ---- at rest ---- */

/* A heap of unlike grains in a box comes to rest, and nothing is lost any more: what brakes does not shake. */
void scree_dem_rests(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  for (int t = 0; t < TANGENTIALS; t++)
    for (int rolling = SCREE_ROLLING_CONSTANT; rolling <= SCREE_ROLLING_SPRING; rolling++) {
      ScreeContactDef contact = combine(4, t, rolling, true);
      const int side[3] = {4, 4, 3};
      const double low[3] = {-10e-3, -10e-3, -10e-3};
      contact.pair.restitution = 0.3;
      if (t % 2 == 0 || contact.tangential == SCREE_LAW_coulomb) continue; /* which holds nothing: it creeps */
      Scene s = scree_scene(soft, &contact, 0.06);
      s.def.gravity[2] = -g;
      s.wall[0] = (ScreeWallDef){
          .shape = SCREE_WALL_BOX, .low = {-10e-3, -10e-3, -10e-3}, .high = {10e-3, 10e-3, 30e-3}, .inside = true};
      s.walls = 1;
      s.grain = scree_lattice(side, low, 5e-3, 2.2e-3, 0.1, 0.05, 7);
      s.grains = 48;
      ScreeWorld *w = s.grain ? scree_scene_start(check, &s) : NULL;
      ScreeMeasure then, now;
      if (w && scree_scene_steps(check, w, lround(0.4 / scree_world_timestep(w))) &&
          scree_world_measure(w, &then) == SCREE_OK &&
          scree_scene_steps(check, w, lround(0.1 / scree_world_timestep(w))) &&
          scree_world_measure(w, &now) == SCREE_OK) {
        double lost = fabs(now.dissipated_rolling - then.dissipated_rolling) +
                      fabs(now.dissipated_friction - then.dissipated_friction);
        scree_tally(check, fmax(now.kinetic, lost) / energy_of(&now) / 1e-8,
                    "%s, rolling model %d: %.1e J kinetic, %.1e J lost in the last 0.1 s, of %.1e J",
                    tangentials[t].name, rolling, now.kinetic, lost, energy_of(&now));
      }
      scree_world_destroy(w);
      free((void *)s.grain);
    }
}

/* Two grains that are pressed together when the run begins: what brakes a spin of next to nothing does not turn it
 * round and make it grow in the first step. */
void scree_dem_pressed_start(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  for (int t = 0; t < TANGENTIALS; t++)
    for (int rolling = SCREE_ROLLING_NONE; rolling <= SCREE_ROLLING_SPRING; rolling++) {
      ScreeContactDef contact = combine(1, t, rolling, true);
      ScreeGrain grain[2] = {{.id = 1, .radius = radius, .spin = {1e-12, 1e-12, 1e-12}},
                             {.id = 2, .radius = radius, .position = {1.98 * radius, 0.0, 0.0}}},
                 now[2];
      Scene s = scree_scene(soft, &contact, 0.06);
      s.grain = grain, s.grains = 2;
      ScreeWorld *w = scree_scene_start(check, &s);
      if (!w) return;
      if (scree_scene_steps(check, w, 1) && scree_world_read(w, now) == SCREE_OK) {
        double spin = fmax(sqrt(scree_dot(now[0].spin, now[0].spin)), sqrt(scree_dot(now[1].spin, now[1].spin)));
        scree_tally(check, spin / 1e-11, "%s, rolling model %d: %.3g rad/s after a step", tangentials[t].name, rolling,
                    spin);
      }
      scree_world_destroy(w);
    }
}
