/* dem_bulk.c: many grains: gases, beds, a chute, a shear cell, a silo, heaps. */
#include <stdlib.h>
#include <string.h>

#include "dem.h"
#include "dem_oracles.h"

/* ---- gases ---- */

static const ScreeMaterial rubber = {1e6, 0.3, 1000.0};

/* 1,000 elastic grains, 100,000 steps of a 400th of a contact. */
void scree_dem_elastic_gas(ScreeCheck *check, const ScreeLawInfo *info) {
  enum { SAMPLES = 100, STEPS = 100000, N = 1000 };
  ScreeContactDef contact = scree_bare_contact(SCREE_LAW_hertz, NAN);
  Scene s = scree_scene(rubber, &contact, 1.0);
  ScreeGrain *g = scree_lattice((int[]){10, 10, 10}, s.def.low, 0.1, 0.035, 0.2, 0.2, 77);
  ScreeMeasure start, m;
  double drift = 0.0, momentum = 0.0, linear = 0.0;
  (void)info;
  for (int k = 0; k < 3; k++) s.def.periodic[k] = true;
  s.def.expected_speed = 0.5;
  s.def.timestep = 3.5e-5;
  s.grain = g, s.grains = N;
  ScreeWorld *w = g ? scree_scene_start(check, &s) : NULL;
  if (!w) return free(g);
  scree_world_measure(w, &start);
  for (int i = 0; i < N; i++)
    linear += scree_sphere_mass(g[i].radius, rubber.density) * sqrt(scree_dot(g[i].velocity, g[i].velocity));
  for (int t = 0; t < SAMPLES && scree_scene_steps(check, w, STEPS / SAMPLES); t++) {
    scree_world_measure(w, &m);
    drift = fmax(drift, fabs((m.kinetic + m.elastic) / start.kinetic - 1.0));
    for (int k = 0; k < 3; k++) momentum = fmax(momentum, fabs(m.momentum[k] - start.momentum[k]) / linear);
  }
  bool done = m.step == STEPS && m.rebuilds > 100;
  scree_tally(check, done ? drift : INFINITY, "energy off by %.2e at most; %ld rebuilds", drift, m.rebuilds);
  /* every step rounds every grain's momentum: 2^-53 each, adding up at random */
  scree_tally(check, done ? 1e-6 * momentum / (0x1p-53 * sqrt((double)STEPS * N)) : INFINITY, "momentum off by %.2e",
              momentum);
  scree_world_destroy(w);
  free(g);
}

/* ---- cooling ---- */

/* The restitution that the engine delivers at this step, over phases and speeds of the gas. */
static double delivered(ScreeCheck *check, const ScreeContactDef *contact, ScreeMaterial m, double radius, double step,
                        double speed) {
  double sum = 0.0;
  for (int p = 0; p < 16; p++) {
    EngineImpact i = {.contact = *contact, .material = {m, m}, .radius = {radius, radius}, .timestep = step};
    EngineRebound out;
    i.normal_speed = speed * (0.5 + 0.1 * p);
    i.phase = 1.0 + (p * 5 % 16 + 0.5) / 16.0;
    if (!scree_engine_impact(check, &i, &out)) return NAN;
    sum += out.normal_speed / i.normal_speed / 16.0;
  }
  return sum;
}

/* Temperature T = m <v^2>/3, from the kinetic energy of n grains that do not spin. */
static double temperature(ScreeWorld *w) {
  ScreeMeasure m;
  return scree_world_measure(w, &m) == SCREE_OK ? 2.0 * m.kinetic / (3.0 * (double)m.grains) : NAN;
}

/* Haff: T = T0/(1 + t/tau)^2, so that 1/sqrt(T) grows linearly: each grain meets others w = 4 g n s^2 sqrt(pi T/m)
 * times a second, s the diameter, g = (1 - f/2)/(1 - f)^3 (Carnahan & Starling) at the volume fraction f; the mean
 * collision takes (1 - e^2) T, so T' = -(1 - e^2) w T/3. */
void scree_dem_haff(ScreeCheck *check, const ScreeLawInfo *info) {
  enum { SIDE = 18, N = SIDE * SIDE * SIDE, SAMPLES = 8 };
  const double radius = 0.016, pi = acos(-1.0), step = 2.5e-5;
  const ScreeMaterial stiff = {1e9, 0.3, 1000.0};
  ScreeContactDef elastic = scree_bare_contact(SCREE_LAW_hertz, NAN), damped = scree_bare_contact(SCREE_LAW_tsuji, 0.9);
  damped.calibrated = true;
  Scene s = scree_scene(stiff, &elastic, 1.0);
  ScreeGrain *g = scree_lattice((int[]){SIDE, SIDE, SIDE}, s.def.low, 1.0 / SIDE, radius, 0.0, 0.2, 77);
  (void)info;
  for (int k = 0; k < 3; k++) s.def.periodic[k] = true;
  s.def.expected_speed = 0.5;
  s.def.timestep = step;
  s.grain = g, s.grains = N;
  ScreeWorld *w = g ? scree_scene_start(check, &s) : NULL; /* first the elastic gas forgets the lattice */
  if (!w) return free(g);
  bool fine = scree_scene_steps(check, w, 15000);
  scree_world_read(w, g);
  scree_world_destroy(w);
  s.contact = damped;
  w = fine ? scree_scene_start(check, &s) : NULL;
  if (!w) return free(g);
  double mass = scree_sphere_mass(radius, stiff.density), start = temperature(w), time = 0.0, worst = 0.0, slope = 0.0;
  double e = delivered(check, &damped, stiff, radius, step, 1.5 * sqrt(start / mass));
  double f = N * mass / stiff.density, contact_value = (1.0 - 0.5 * f) / pow(1.0 - f, 3.0);
  double rate = 4.0 * contact_value * N * 4.0 * radius * radius * sqrt(pi / mass); /* w/sqrt(T) */
  double theory = (1.0 - e * e) * rate / 6.0, met = 0.0, bound = 0.0;
  for (int i = 1; i <= SAMPLES && fine; i++) {
    fine = scree_scene_steps(check, w, 5000);
    time += 5000 * step;
    double now = temperature(w);
    slope = (1.0 / sqrt(now) - 1.0 / sqrt(start)) / time;
    /* Each grain met others 3 ln(T0/T)/(1 - e^2) times. What a collision takes is exponentially distributed, and the
     * number of collisions is Poisson's: the loss scatters by sqrt(2/number). Two contacts overlap in time with the
     * probability w t_c; the velocities' kurtosis changes the rate by less than half a per cent at e = 0.9. */
    met = 3.0 * log(start / now) / (1.0 - e * e);
    bound = 3.0 * sqrt(2.0 / (0.5 * N * met)) + rate * sqrt(start) * 5e-4 + 5e-3;
    worst = fmax(worst, fabs(slope / theory - 1.0) / bound);
    scree_tally(check, fabs(slope / theory - 1.0) / bound,
                "after %.0f collisions a grain T = %.3f T0; slope %.4f of Haff's, bound %.3f", met, now / start,
                slope / theory, bound);
  }
  scree_world_destroy(w);
  free(g);
}

/* ---- the ledger in bulk ---- */

/* Largest share of the residual over a run, measured ten times. */
static bool run_ledger(ScreeCheck *check, const Scene *s, double time, ScreeMeasure *m, double *worst) {
  ScreeWorld *w = scree_scene_start(check, s);
  *worst = 0.0;
  if (!w) return false;
  bool fine = scree_world_measure(w, m) == SCREE_OK;
  for (int i = 0; i < 10 && fine; i++) {
    fine = scree_scene_steps(check, w, lround(0.1 * time / scree_world_timestep(w)));
    scree_world_measure(w, m);
    *worst = fmax(*worst, fabs(m->residual) / m->scale);
  }
  scree_world_destroy(w);
  return fine;
}

/* A plate of fixed grains across a periodic box, closely set and staggered in height, so that it is rough and tight. */
static void plate(ScreeGrain *g, int across, double size, double z, double speed, double rise, uint64_t first) {
  double cell = size / across;
  for (int i = 0; i < across * across; i++) {
    g[i] = (ScreeGrain){.id = first + (uint64_t)i, .radius = 0.6 * cell, .fixed = true, .velocity = {speed, 0.0, rise}};
    g[i].position[0] = (i % across + 0.5) * cell - 0.5 * size;
    g[i].position[1] = (i / across + 0.5) * cell - 0.5 * size;
    g[i].position[2] = z + 0.1 * cell * (i % 3);
  }
}

enum { ACROSS = 10, PLATE = ACROSS * ACROSS };

/* Loose grains over a plate, with room for a second one in the array. The caller frees. */
static ScreeGrain *over_plate(double size, int layers, double speed, size_t *count) {
  double low[3] = {-0.5 * size, -0.5 * size, -0.5 * size + 0.018};
  ScreeGrain *loose = scree_lattice((int[]){8, 8, layers}, low, size / 8.0, 0.0062, 0.15, 0.05, 77);
  size_t n = 64 * (size_t)layers;
  ScreeGrain *g = loose ? realloc(loose, (n + 2 * PLATE) * sizeof *g) : NULL;
  if (!g) free(loose);
  if (g) plate(g + n, ACROSS, size, -0.5 * size + 0.005, speed, 0.0, 100000);
  *count = n + PLATE;
  return g;
}

void scree_dem_ledger_bed(ScreeCheck *check, const ScreeLawInfo *info) {
  ScreeContactDef contact = scree_gritty(0.5, 0.1);
  Scene s = scree_scene(scree_grit, &contact, 0.12);
  ScreeGrain *g = scree_lattice((int[]){8, 8, 16}, (double[]){-0.06, -0.06, -0.06}, 0.015, 0.0062, 0.15, 0.1, 77);
  ScreeMeasure m;
  double worst;
  (void)info;
  s.def.high[2] = 0.3;
  s.def.gravity[2] = -9.81;
  s.def.periodic[0] = s.def.periodic[1] = true;
  s.def.expected_speed = 1.5;
  s.wall[0] = (ScreeWallDef){.shape = SCREE_WALL_PLANE, .point = {0.0, 0.0, -0.06}, .axis = {0.0, 0.0, 1.0}};
  s.walls = 1;
  s.grain = g, s.grains = 1024;
  if (g && run_ledger(check, &s, 0.6, &m, &worst)) {
    bool settled =
        m.kinetic < 1e-3 * m.scale && m.contacts > 1500 && m.dissipated_rolling > 0.0 && m.dissipated_friction > 0.0;
    scree_tally(check, settled ? worst : INFINITY,
                "%zu contacts, lost in dashpots %.2f, friction %.2f, rolling %.2f of %.3g J", m.contacts,
                m.dissipated_viscous / m.scale, m.dissipated_friction / m.scale, m.dissipated_rolling / m.scale,
                m.scale);
  }
  free(g);
}

void scree_dem_ledger_chute(ScreeCheck *check, const ScreeLawInfo *info) {
  ScreeContactDef contact = scree_gritty(0.4, 0.05);
  Scene s = scree_scene(scree_grit, &contact, 0.12);
  size_t n;
  ScreeGrain *g = over_plate(0.12, 8, 0.0, &n);
  ScreeMeasure m;
  double worst, tilt = 28.0 * acos(-1.0) / 180.0, mass = 512.0 * scree_sphere_mass(0.0062, scree_grit.density);
  (void)info;
  s.def.high[2] = 0.3;
  s.def.gravity[0] = 9.81 * sin(tilt), s.def.gravity[2] = -9.81 * cos(tilt);
  s.def.periodic[0] = s.def.periodic[1] = true;
  s.def.expected_speed = 1.5;
  s.grain = g, s.grains = n;
  if (g && run_ledger(check, &s, 1.2, &m, &worst)) {
    bool flows = m.momentum[0] > 0.05 * mass && m.dissipated_friction > 0.1 * m.scale && m.dissipated_rolling > 0.0;
    scree_tally(check, flows ? worst : INFINITY,
                "mean speed %.3f m/s, lost in dashpots %.2f, friction %.2f, rolling %.2f of %.3g J",
                m.momentum[0] / mass, m.dissipated_viscous / m.scale, m.dissipated_friction / m.scale,
                m.dissipated_rolling / m.scale, m.scale);
  }
  free(g);
}

/* Settles a bed on a moving plate and lays a second one on it, moving the other way and slowly down. */
static bool shear_cell(ScreeCheck *check, Scene *s, ScreeGrain *g, size_t *n) {
  ScreeWorld *w = scree_scene_start(check, s);
  bool fine = w && scree_scene_steps(check, w, lround(0.3 / scree_world_timestep(w)));
  double top = -INFINITY;
  if (fine) scree_world_read(w, g);
  scree_world_destroy(w);
  for (size_t i = 0; i < *n; i++)
    if (!g[i].fixed) top = fmax(top, g[i].position[2]);
  plate(g + *n, ACROSS, 0.12, top + 0.0128, 0.2, -0.005, 200000);
  *n += PLATE;
  return fine;
}

/* Between two rough plates that move against each other: the energy is the plates' work. */
void scree_dem_ledger_shear(ScreeCheck *check, const ScreeLawInfo *info) {
  ScreeContactDef contact = scree_gritty(0.5, 0.05);
  Scene s = scree_scene(scree_grit, &contact, 0.12);
  size_t n;
  ScreeGrain *g = over_plate(0.12, 6, -0.2, &n);
  ScreeMeasure m;
  double worst;
  (void)info;
  s.def.high[2] = 0.12;
  s.def.gravity[2] = -9.81;
  s.def.periodic[0] = s.def.periodic[1] = true;
  s.def.expected_speed = 1.0;
  s.grain = g, s.grains = n;
  bool fine = g && shear_cell(check, &s, g, &n);
  s.grains = n;
  if (fine && run_ledger(check, &s, 1.5, &m, &worst)) {
    bool rubs = m.work > 0.3 * m.scale && m.dissipated_friction > 0.2 * m.work && m.dissipated_rolling > 0.0;
    scree_tally(check, rubs ? worst : INFINITY,
                "work %.3g J; lost in dashpots %.2f, friction %.2f, rolling %.2f of it; %zu contacts", m.work,
                m.dissipated_viscous / m.work, m.dissipated_friction / m.work, m.dissipated_rolling / m.work,
                m.contacts);
  }
  free(g);
}

/* ---- a silo ---- */

typedef struct Silo {
  double weight, bottom, wall, height; /* N, N, N, m */
} Silo;

/* A cylinder filled by letting a loose lattice fall. The floor is a plane, or fixed grains that sink slowly, so that
 * the filling slides down everywhere along the wall, which is what Janssen assumes. */
static bool fill_silo(ScreeCheck *check, double bore, int layers, bool sinking, Silo *out) {
  const double radius = 0.005, cell = 0.0112;
  ScreeContactDef contact = scree_gritty(0.5, 0.0);
  Scene s = scree_scene(scree_grit, &contact, 4.0 * bore);
  int across = (int)(2.0 * bore / cell);
  double low = -0.5 * across * cell;
  ScreeGrain *g =
      scree_lattice((int[]){across, across, layers + 1}, (double[]){low, low, -cell}, cell, radius, 0.1, 0.05, 77);
  size_t n = 0, all = (size_t)across * (size_t)across * (size_t)(layers + 1);
  double force[3], torque[3];
  *out = (Silo){0};
  for (size_t i = 0; g && i < all; i++) {
    bool floor = g[i].position[2] < 0.0, inside = hypot(g[i].position[0], g[i].position[1]) < bore - 1.12 * radius;
    if (floor ? !sinking : !inside) continue;
    g[n] = g[i];
    if (floor) {
      g[n].fixed = true;
      g[n].radius = 0.6 * cell;
      g[n].position[2] = -g[n].radius;
      g[n].velocity[0] = g[n].velocity[1] = 0.0, g[n].velocity[2] = -0.02;
    } else
      out->weight += 9.81 * scree_sphere_mass(g[n].radius, scree_grit.density);
    n++;
  }
  s.def.low[2] = -0.1, s.def.high[2] = cell * layers + 0.1;
  s.def.gravity[2] = -9.81;
  s.def.expected_speed = 1.0;
  s.wall[0] = (ScreeWallDef){.shape = SCREE_WALL_CYLINDER, .axis = {0.0, 0.0, 1.0}, .radius = bore, .inside = true};
  s.wall[1] = (ScreeWallDef){.shape = SCREE_WALL_PLANE, .axis = {0.0, 0.0, 1.0}};
  s.walls = sinking ? 1 : 2;
  s.grain = g, s.grains = n;
  ScreeWorld *w = g ? scree_scene_start(check, &s) : NULL;
  bool fine = w && scree_scene_steps(check, w, lround(0.6 / scree_world_timestep(w)));
  for (int i = 0; i < 80 && fine; i++) { /* means over the last ripples */
    fine = scree_scene_steps(check, w, lround(0.01 / scree_world_timestep(w)));
    scree_world_wall_force(w, 0, force, torque);
    out->wall -= force[2] / 80.0;
    if (!sinking) scree_world_wall_force(w, 1, force, torque);
    out->bottom -= force[2] / 80.0;
  }
  if (sinking) out->bottom = out->weight - out->wall;
  if (fine) scree_world_read(w, g);
  size_t loose = 0;
  for (size_t i = 0; i < n && fine; i++)
    if (!g[i].fixed) out->height += 2.0 * g[i].position[2], loose++;
  out->height /= (double)loose;
  scree_world_destroy(w);
  free(g);
  return fine;
}

/* Janssen: W = w L (1 - exp(-h/L)), w the weight of the filling per height, L = R/(2 mu K). */
static double janssen(double per_height, double length, double weight) {
  return -per_height * length * expm1(-weight / per_height / length);
}

/* L is fitted to all fillings. The load rests on some (R/r)^2 force chains of exponential strength, which slide by a
 * diameter and a half while it is averaged, renewing themselves about four times: a standard deviation of r/(2R). */
void scree_dem_janssen(ScreeCheck *check, const ScreeLawInfo *info) {
  enum { FILLINGS = 4 };
  const double bore = 0.028, deviation = 0.5 * 0.005 / bore;
  Silo silo[FILLINGS], still;
  double length = NAN, least = INFINITY;
  (void)info;
  for (int i = 0; i < FILLINGS; i++)
    if (!fill_silo(check, bore, 8 << i, true, &silo[i])) return;
  const Silo *tall = &silo[FILLINGS - 1];
  double per_height = tall->weight / tall->height;
  for (double trial = 0.2 * bore; trial < 10.0 * bore; trial *= 1.01) {
    double sum = 0.0;
    for (int i = 0; i < FILLINGS; i++)
      sum += pow(log(silo[i].bottom / janssen(per_height, trial, silo[i].weight)), 2.0);
    if (sum < least) least = sum, length = trial;
  }
  for (int i = 0; i < FILLINGS; i++) {
    double expected = janssen(per_height, length, silo[i].weight);
    scree_tally(check, fabs(silo[i].bottom / expected - 1.0) / (3.0 * deviation),
                "%.2f N of %.2f N reach the bottom, Janssen %.2f N (L = %.3f m)", silo[i].bottom, silo[i].weight,
                expected, length);
  }
  /* twice the filling, and the load stays: within three deviations of the quotient. K is between the active pressure of
   * a friction angle of 30 degrees, a third, and that of a liquid, 1. */
  double ratio = bore / (2.0 * 0.5 * length), more = tall->bottom / silo[FILLINGS - 2].bottom - 1.0;
  scree_tally(check, fabs(more) / (3.0 * sqrt(2.0) * deviation), "doubling the filling adds %.1f %%", 100.0 * more);
  scree_tally(check, fmax(1.0 / 3.0 / ratio, ratio), "K = %.3f", ratio);
  if (!fill_silo(check, bore, 16, false, &still)) return;
  scree_tally(check, fabs((still.bottom + still.wall) / still.weight - 1.0) / 1e-3,
              "floor %.4f N and wall %.4f N carry %.4f N", still.bottom, still.wall, still.weight);
}

/* ---- heaps ---- */

/* A column against a wall falls apart into a wedge on a rough floor; its slope follows from its centre of mass: a wedge
 * of height H and length L has it at (L/3, H/3). Degrees; NaN after a failure. */
static double slope_of_heap(ScreeCheck *check, double friction, double rolling, uint64_t seed) {
  enum { LOOSE = 8 * 5 * 16, FLOOR = 60 * 5 };
  const double cell = 0.0112, width = 5.0 * cell;
  ScreeContactDef contact = scree_gritty(friction, rolling);
  Scene s = scree_scene(scree_grit, &contact, 1.0);
  ScreeGrain *loose =
      scree_lattice((int[]){8, 5, 16}, (double[]){0.0, -0.5 * width, 0.0}, cell, 0.005, 0.1, 0.02, seed);
  ScreeGrain *g = loose ? realloc(loose, (LOOSE + FLOOR) * sizeof *g) : NULL;
  if (!g) return free(loose), NAN;
  for (int i = 0; i < FLOOR; i++) {
    ScreeGrain fixed = {.id = (uint64_t)(LOOSE + i), .radius = 0.6 * cell, .fixed = true};
    fixed.position[0] = (i % 60 + 0.5) * cell, fixed.position[1] = (i / 60 + 0.5) * cell - 0.5 * width;
    fixed.position[2] = -fixed.radius;
    g[LOOSE + i] = fixed;
  }
  s.def.low[0] = -0.1, s.def.high[0] = 0.7;
  s.def.low[1] = -0.5 * width, s.def.high[1] = 0.5 * width;
  s.def.periodic[1] = true;
  s.def.gravity[2] = -9.81;
  s.def.expected_speed = 1.0;
  s.wall[0] = (ScreeWallDef){.shape = SCREE_WALL_PLANE, .axis = {1.0, 0.0, 0.0}};
  s.wall[1] = (ScreeWallDef){.shape = SCREE_WALL_PLANE, .point = {60.0 * cell, 0.0, 0.0}, .axis = {-1.0, 0.0, 0.0}};
  s.walls = 2;
  s.grain = g, s.grains = LOOSE + FLOOR;
  ScreeWorld *w = scree_scene_start(check, &s);
  bool fine = w && scree_scene_steps(check, w, lround(0.8 / scree_world_timestep(w)));
  double x = 0.0, z = 0.0;
  if (fine) scree_world_read(w, g);
  for (int i = 0; i < LOOSE && fine; i++) x += g[i].position[0], z += g[i].position[2];
  scree_world_destroy(w);
  free(g);
  return fine ? atan2(z, x) * 180.0 / acos(-1.0) : NAN;
}

/* Means of two heaps, which scatter by half a degree: each step of friction, then of rolling resistance, must steepen
 * them by a degree at least, two standard deviations of the difference. */
void scree_dem_repose(ScreeCheck *check, const ScreeLawInfo *info) {
  const double friction[] = {0.05, 0.2, 0.6, 0.6, 0.6}, rolling[] = {0.0, 0.0, 0.0, 0.1, 0.4};
  double before = NAN;
  (void)info;
  for (int i = 0; i < 5; i++) {
    double slope =
        0.5 * (slope_of_heap(check, friction[i], rolling[i], 1) + slope_of_heap(check, friction[i], rolling[i], 2));
    double grown = slope - before;
    if (i > 0)
      scree_tally(check, grown > 0.0 ? 1.0 / grown : INFINITY, "%.1f degrees at mu = %.2f, mu_r = %.1f; %.1f before",
                  slope, friction[i], rolling[i], before);
    before = slope;
  }
}
