/* dem_machines.c: equipment: a rotating drum, hoppers, a loaded lid. */
#include <stdlib.h>

#include "dem.h"
#include "dem_oracles.h"

static const double pi = 3.14159265358979323846;

/* ---- a drum ---- */

typedef struct Drum {
  double angle;              /* degrees, of the centre of mass from the lowest point */
  double power;              /* W, mean of the wall's */
  double lifted;             /* W, mean of the torque of the weight about the axis, times the speed */
  double spun;               /* W, what the grains' angular momentum took of it */
  double dissipated, gained; /* W, means: dissipated; kinetic, potential and elastic energy gained */
  double residual;
} Drum;

static double total_dissipated(const ScreeMeasure *m) {
  return m->dissipated_viscous + m->dissipated_plastic + m->dissipated_clamp + m->dissipated_friction +
         m->dissipated_rolling;
}

/* A cylinder about the y axis, periodic along it, a third full, turns at `speed` [rad/s]. */
static bool turn_drum(ScreeCheck *check, double friction, double rolling, double speed, Drum *out) {
  enum { SAMPLES = 400 };
  const double bore = 0.05, cell = 0.0056, width = 5.0 * cell;
  ScreeContactDef contact = scree_gritty(friction, rolling);
  Scene s = scree_scene(scree_grit, &contact, 0.11);
  ScreeMotionDef motion = scree_motion_def_default(SCREE_MOTION_ROTATION);
  ScreeGrain *g =
      scree_lattice((int[]){16, 5, 7}, (double[]){-8.0 * cell, -0.5 * width, -0.045}, cell, 0.0025, 0.1, 0.02, 5);
  size_t n = 0, all = 16 * 5 * 7;
  double mass = 0.0;
  for (size_t i = 0; g && i < all; i++)
    if (hypot(g[i].position[0], g[i].position[2]) < bore - 0.0028) g[n++] = g[i];
  for (size_t i = 0; i < n; i++) mass += scree_sphere_mass(g[i].radius, scree_grit.density);
  motion.axis[1] = 1.0;
  motion.speed = speed;
  s.def.low[1] = -0.5 * width, s.def.high[1] = 0.5 * width;
  s.def.periodic[1] = true;
  s.def.gravity[2] = -9.81;
  s.def.expected_speed = 0.5;
  s.wall[0] = (ScreeWallDef){.shape = SCREE_WALL_CYLINDER, .axis = {0.0, 1.0, 0.0}, .radius = bore, .inside = true};
  s.motion[0] = &motion;
  s.walls = 1;
  s.grain = g, s.grains = n;
  *out = (Drum){0};
  ScreeWorld *w = g ? scree_scene_start(check, &s) : NULL;
  bool fine = w && scree_scene_steps(check, w, lround(1.0 / scree_world_timestep(w)));
  ScreeMeasure begin = {0}, m = {0};
  ScreeWallLoad before = {0}, load = {0};
  double x = 0.0, z = 0.0;
  if (fine) scree_world_measure(w, &begin), scree_world_wall_load(w, 0, &before);
  for (int i = 0; i < SAMPLES && fine; i++) {
    fine = scree_scene_steps(check, w, lround(2.0 / SAMPLES / scree_world_timestep(w)));
    scree_world_read(w, g);
    for (size_t k = 0; k < n; k++) {
      double share = scree_sphere_mass(g[k].radius, scree_grit.density) / mass / SAMPLES;
      x += share * g[k].position[0], z += share * g[k].position[2];
    }
  }
  if (fine) {
    scree_world_measure(w, &m), scree_world_wall_load(w, 0, &load);
    double time = m.time - begin.time;
    out->angle = fabs(atan2(x, -z)) * 180.0 / pi;
    out->power = (load.work - before.work) / time;
    /* the weight's torque about y is -x times its z component */
    out->lifted = mass * 9.81 * -x * speed;
    out->spun = (m.angular_momentum[1] - begin.angular_momentum[1]) / time * speed;
    out->dissipated = (total_dissipated(&m) - total_dissipated(&begin)) / time;
    out->gained = (m.kinetic + m.potential + m.elastic - begin.kinetic - begin.potential - begin.elastic) / time;
    out->residual = fabs(m.residual) / m.scale;
  }
  scree_world_destroy(w);
  free(g);
  return fine;
}

/* The wall's torque carries the weight that leans to one side, so the power is speed times the weight times its lever,
 * up to what the grains' angular momentum took; all of it ends as heat; and the filling leans more with friction. The
 * lever is sampled 400 times in a drum that avalanches some times a second: a per cent. */
void scree_dem_drum(ScreeCheck *check, const ScreeLawInfo *info) {
  const double friction[] = {0.2, 0.6}, rolling[] = {0.0, 0.1};
  double before = 0.0;
  (void)info;
  for (int i = 0; i < 2; i++) {
    Drum d;
    if (!turn_drum(check, friction[i], rolling[i], 1.5, &d)) return;
    double lever = d.lifted + d.spun;
    scree_tally(check, fabs(d.power / lever - 1.0) / 0.01,
                "mu = %.1f: the wall gives %.4g W; speed times the torque of the weight %.4g W", friction[i], d.power,
                lever);
    scree_tally(check, fabs((d.dissipated + d.gained) / d.power - 1.0) / 1e-3, "%.4g W of %.4g W become heat",
                d.dissipated, d.power);
    scree_tally(check, d.residual / 1e-3, "residual %.2g", d.residual);
    double grown = d.angle - before;
    scree_tally(check, grown > 5.0 ? 0.0 : INFINITY, "leans by %.1f degrees, %.1f before", d.angle, before);
    before = d.angle;
  }
  /* sand-like grains: dynamic angles of 25 to 45 degrees are what drums of sand and glass beads show */
  scree_tally(check, before > 25.0 && before < 45.0 ? 0.0 : INFINITY, "leans by %.1f degrees", before);
}

/* ---- hoppers ---- */

typedef struct Discharge {
  double rate, density; /* kg/s; kg/m3, of the bulk at rest */
  double residual;
} Discharge;

/* A flat-bottomed bin is filled by letting a loose lattice fall onto a lid, which is taken away; what falls out leaves
 * the domain. The rate is that between an eighth and three eighths of the filling. */
static bool discharge(ScreeCheck *check, double orifice, Discharge *out) {
  enum { SIDE = 13, LAYERS = 18 };
  const double bore = 0.04, cell = 0.0058, opened = 0.25;
  const ScreeMaterial soft = {2e6, 0.3, 2500.0};
  ScreeContactDef contact = scree_gritty(0.5, 0.0);
  Scene s = scree_scene(soft, &contact, 0.1);
  ScreeGrain *g = scree_lattice((int[]){SIDE, SIDE, LAYERS}, (double[]){-0.5 * SIDE * cell, -0.5 * SIDE * cell, 0.0},
                                cell, 0.0025, 0.1, 0.05, 3);
  size_t n = 0, all = (size_t)SIDE * SIDE * LAYERS;
  double mass = 0.0, height = 0.0;
  for (size_t i = 0; g && i < all; i++)
    if (hypot(g[i].position[0], g[i].position[1]) < bore - 0.0028) g[n++] = g[i];
  for (size_t i = 0; i < n; i++) mass += scree_sphere_mass(g[i].radius, soft.density);
  s.def.low[2] = -0.02, s.def.high[2] = 0.12;
  s.def.outside = SCREE_OUTSIDE_REMOVE;
  s.def.gravity[2] = -9.81;
  s.def.expected_speed = 0.7;
  s.wall[0] = (ScreeWallDef){.shape = SCREE_WALL_CYLINDER, .axis = {0.0, 0.0, 1.0}, .radius = bore, .inside = true};
  s.wall[1] = (ScreeWallDef){
      .shape = SCREE_WALL_DISC, .axis = {0.0, 0.0, 1.0}, .radius = bore + 0.01, .radius2 = 0.5 * orifice};
  s.wall[2] = (ScreeWallDef){.shape = SCREE_WALL_DISC, .axis = {0.0, 0.0, 1.0}, .radius = 0.5 * orifice};
  s.remove_at[2] = opened;
  s.walls = 3;
  s.grain = g, s.grains = n;
  *out = (Discharge){0};
  ScreeWorld *w = g ? scree_scene_start(check, &s) : NULL;
  double step = scree_world_timestep(w), left = 0.0, first = NAN, from = NAN;
  bool fine = w && scree_scene_steps(check, w, lround((opened - 0.01) / step));
  if (fine) scree_world_read(w, g);
  for (size_t i = 0; i < n && fine; i++)
    height += 2.0 * g[i].position[2] * scree_sphere_mass(g[i].radius, soft.density) / mass;
  out->density = mass / (pi * bore * bore * height);
  ScreeMeasure m = {0};
  for (int i = 0; i < 1000 && fine && left < 0.375 * mass; i++) {
    ScreeFlow flow;
    fine = scree_scene_steps(check, w, lround(0.005 / step)) && scree_world_outlet_flow(w, -1, &flow) == SCREE_OK &&
           scree_world_measure(w, &m) == SCREE_OK;
    left = flow.mass;
    if (isnan(first) && left > 0.125 * mass) first = left, from = m.time;
  }
  out->rate = (left - first) / (m.time - from);
  out->residual = fabs(m.residual) / m.scale;
  scree_world_destroy(w);
  free(g);
  return fine;
}

/* Beverloo, Leniger & van de Velde 1961: W = C rho_b sqrt(g) (D - k d)^(5/2); for spheres k is near 1.5 (1.4 in the
 * original), and C in 0.55 ... 0.65. A rate of some six hundred grains that leave in jerks scatters by 3 %: by 0.01 in
 * the mean constant of three orifices, by 0.056 in the exponent between the outer two; three of these are allowed. (C
 * and k fitted together would scatter by a tenth each.) */
void scree_dem_beverloo(ScreeCheck *check, const ScreeLawInfo *info) {
  enum { ORIFICES = 3 };
  const double orifice[ORIFICES] = {0.025, 0.035, 0.045}, free_width = 1.5 * 0.005;
  double constant = 0.0, rate[ORIFICES];
  (void)info;
  for (int i = 0; i < ORIFICES; i++) {
    Discharge out;
    if (!discharge(check, orifice[i], &out)) return;
    double own = out.rate / (out.density * sqrt(9.81) * pow(orifice[i] - free_width, 2.5));
    rate[i] = out.rate / out.density;
    constant += own / ORIFICES;
    scree_tally(check, out.residual / 1e-3, "%.0f mm: %.4g kg/s at %.0f kg/m3, C = %.3f, residual %.2g",
                1e3 * orifice[i], out.rate, out.density, own, out.residual);
  }
  scree_tally(check, fabs(constant - 0.6) / (0.05 + 3.0 * 0.01), "C = %.3f, published 0.55 ... 0.65", constant);
  double exponent = log(rate[2] / rate[0]) / log((orifice[2] - free_width) / (orifice[0] - free_width));
  scree_tally(check, fabs(exponent - 2.5) / (3.0 * 0.056), "exponent %.3f", exponent);
}
