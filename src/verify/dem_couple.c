/* dem_couple.c: two grains, or a grain and a plane, without the engine. The laws of MODELS.md 7 are written as a
 * differential equation: the history h of a contact obeys h' = W x h + growth, W being the rotation of the normal plus
 * the mean spin about it; limits are imposed after each step of the classical Runge-Kutta scheme. No list, no step
 * law, no integer sums: what it shares with the engine is the normal law's formula only. */
#include <string.h>

#include "dem.h"

enum { X, V = 3, W = 6, BODY = 9, SHEAR = 18, ROLL = 21, STATE = 24 };

typedef struct Couple {
  const ScreeContactDef *contact;
  ScreePair pair;
  ScreeLaw law;
  bool touching, wall;
  double radius[2], mass[2], reff, shear, gravity[3], point[3], axis[3];
} Couple;

/* What the geometry of a state is. */
typedef struct Pose {
  double n[3], d, approach, slide[3], roll[3], twist, turn[3], arm[2], normal;
} Pose;

static void pose_of(const Couple *c, const double *y, Pose *p) {
  const double *a = y, *b = y + BODY;
  double rel[3], distance, spin[3], sum[3];
  for (int k = 0; k < 3; k++) p->n[k] = c->wall ? -c->axis[k] : b[X + k] - a[X + k];
  distance = c->wall ? scree_dot(a, c->axis) - scree_dot(c->point, c->axis) : sqrt(scree_dot(p->n, p->n));
  if (!c->wall)
    for (int k = 0; k < 3; k++) p->n[k] /= distance;
  p->d = c->radius[0] + (c->wall ? 0.0 : c->radius[1]) - distance;
  p->arm[0] = c->radius[0] - 0.5 * p->d;
  p->arm[1] = c->wall ? 0.0 : c->radius[1] - 0.5 * p->d;
  for (int k = 0; k < 3; k++) {
    rel[k] = a[V + k] - b[V + k];
    spin[k] = p->arm[0] * a[W + k] + p->arm[1] * b[W + k];
    sum[k] = a[W + k] + b[W + k];
    p->roll[k] = a[W + k] - b[W + k];
  }
  p->approach = scree_dot(rel, p->n);
  scree_cross(spin, p->n, p->slide);
  double across[3];
  for (int k = 0; k < 3; k++) across[k] = rel[k] - p->approach * p->n[k], p->slide[k] += across[k];
  p->twist = scree_dot(p->roll, p->n);
  for (int k = 0; k < 3; k++) p->roll[k] -= p->twist * p->n[k];
  /* n' = -across/distance between grains; a plane's normal stays */
  double change[3], about = 0.5 * scree_dot(sum, p->n);
  for (int k = 0; k < 3; k++) change[k] = c->wall ? 0.0 : -across[k] / distance;
  scree_cross(p->n, change, p->turn);
  for (int k = 0; k < 3; k++) p->turn[k] += about * p->n[k];
  double memory[SCREE_MAX_SLOTS] = {0.0};
  p->normal = p->d > 0.0 ? fmax(scree_law_force(c->pair.law, &c->law, p->d, p->approach, memory), 0.0) : 0.0;
}

static void limit(double *v, double most) {
  double size = sqrt(scree_dot(v, v));
  for (int k = 0; k < 3 && size > most; k++) v[k] *= most / size;
}

/* Friction on body 1, from the history and the motion. */
static void friction(const Couple *c, const double *y, const Pose *p, double *f) {
  const double *param = c->contact->pair.param, most = param[SCREE_PARAM_mu] * p->normal;
  double speed = sqrt(scree_dot(p->slide, p->slide)), veps = param[SCREE_PARAM_veps];
  for (int k = 0; k < 3; k++) switch (c->contact->tangential) {
    case SCREE_LAW_mindlin: f[k] = y[SHEAR + k]; break;
    case SCREE_LAW_tangential_linear:
      f[k] = -param[SCREE_PARAM_kt] * y[SHEAR + k] - param[SCREE_PARAM_gt] * p->slide[k];
      break;
    case SCREE_LAW_coulomb: f[k] = speed > 0.0 ? -most * tanh(speed / veps) * p->slide[k] / speed : 0.0; break;
    default: f[k] = 0.0;
    }
  if (c->contact->tangential != SCREE_LAW_NONE) limit(f, most);
}

/* EPSD2: 2.25 mu_r^2 R^2 of the secant stiffness; a dashpot beside it while it holds (Ai et al. 2011). */
static double rolling_spring(const Couple *c, const Pose *p) {
  double k = p->d > 0.0 ? c->law.k * sqrt(p->d) : 0.0;
  return 2.25 * c->contact->rolling * c->contact->rolling * c->reff * c->reff * k;
}

static void resistance(const Couple *c, const double *y, const Pose *p, double *torque) {
  const ScreeContactDef *def = c->contact;
  double most = def->rolling * c->reff * p->normal, rate = sqrt(scree_dot(p->roll, p->roll));
  double spring = rolling_spring(c, p), inertia = 1.0 / (1.4 * c->mass[0] * c->radius[0] * c->radius[0]);
  if (!c->wall) inertia += 1.0 / (1.4 * c->mass[1] * c->radius[1] * c->radius[1]);
  double damping = 2.0 * def->rolling_damping * sqrt(spring / inertia),
         wound = spring * sqrt(scree_dot(y + ROLL, y + ROLL));
  for (int k = 0; k < 3; k++) {
    torque[k] = 0.0;
    if (def->rolling_model == SCREE_ROLLING_CONSTANT && rate > 0.0) torque[k] = -most * p->roll[k] / rate;
    if (def->rolling_model == SCREE_ROLLING_VISCOUS) torque[k] = -most * c->reff * p->roll[k];
    if (def->rolling_model == SCREE_ROLLING_SPRING)
      torque[k] = -spring * y[ROLL + k] - (wound < most * (1.0 - 1e-12) ? damping * p->roll[k] : 0.0);
  }
  if (def->rolling_model == SCREE_ROLLING_SPRING) limit(torque, most);
  for (int k = 0; k < 3; k++)
    torque[k] -= p->twist == 0.0 ? 0.0 : copysign(def->twisting * c->reff * p->normal, p->twist) * p->n[k];
}

static void slope(const Couple *c, const double *y, double *dy) {
  Pose p;
  double f[3], torque[3], lever[3], swing[3], wind[3];
  pose_of(c, y, &p);
  friction(c, y, &p, f);
  resistance(c, y, &p, torque);
  scree_cross(p.n, f, lever);
  scree_cross(p.turn, y + SHEAR, swing);
  scree_cross(p.turn, y + ROLL, wind);
  double kt = p.d > 0.0 ? c->shear * sqrt(p.d) : 0.0;
  double shrink = p.d > 0.0 && p.approach < 0.0 ? 0.5 * p.approach / p.d : 0.0; /* kt'/kt while unloading */
  for (int k = 0; k < 3; k++) {
    for (int b = 0; b < 2; b++) {
      double side = b == 0 ? 1.0 : -1.0, m = c->mass[b], inertia = 0.4 * m * c->radius[b] * c->radius[b];
      double *out = dy + b * BODY;
      out[X + k] = y[b * BODY + V + k];
      out[V + k] = isfinite(m) ? side * (f[k] - p.normal * p.n[k]) / m + c->gravity[k] : 0.0;
      out[W + k] = isfinite(m) ? (p.arm[b] * lever[k] + side * torque[k]) / inertia : 0.0;
    }
    bool mindlin = c->contact->tangential == SCREE_LAW_mindlin;
    dy[SHEAR + k] = swing[k] + (mindlin ? shrink * y[SHEAR + k] - kt * p.slide[k] : p.slide[k]);
    dy[ROLL + k] = wind[k] + p.roll[k];
  }
}

/* Histories end with the contact, stay in its plane and within their limits. */
static void settle(Couple *c, double *y) {
  Pose p;
  double f[3];
  pose_of(c, y, &p);
  if (p.d <= 0.0) {
    memset(y + SHEAR, 0, 6 * sizeof *y);
    c->touching = false;
    return;
  }
  const double *param = c->contact->pair.param;
  friction(c, y, &p, f);
  if (c->contact->tangential == SCREE_LAW_mindlin) memcpy(y + SHEAR, f, sizeof f);
  if (c->contact->tangential == SCREE_LAW_tangential_linear)
    for (int k = 0; k < 3; k++) y[SHEAR + k] = -(f[k] + param[SCREE_PARAM_gt] * p.slide[k]) / param[SCREE_PARAM_kt];
  double spring = rolling_spring(c, &p), most = c->contact->rolling * c->reff * p.normal;
  if (c->contact->rolling_model == SCREE_ROLLING_SPRING) limit(y + ROLL, spring > 0.0 ? most / spring : 0.0);
}

static void advance(Couple *c, double *y, double h) {
  double k[4][STATE], z[STATE];
  static const double reach[4] = {0.0, 0.5, 0.5, 1.0};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < STATE; i++) z[i] = y[i] + (s > 0 ? reach[s] * h * k[s - 1][i] : 0.0);
    slope(c, z, k[s]);
  }
  for (int i = 0; i < STATE; i++) y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

/* The law freezes the approach speed when the contact begins. */
static void touch(Couple *c, const double *y) {
  Pose p;
  double memory[SCREE_MAX_SLOTS];
  pose_of(c, y, &p);
  if (c->touching || p.d <= 0.0) return;
  c->law = scree_law_touch(&c->pair, p.approach, memory);
  c->touching = true;
}

static bool prepare(ScreeCheck *check, const Scene *s, const ScreeGrain *g, Couple *c) {
  *c = (Couple){.contact = &s->contact, .wall = s->walls > 0};
  ScreePairDef def = s->contact.pair;
  int second = c->wall ? s->wall[0].material : g[1].material;
  def.geometry = c->wall ? SCREE_SPHERE_PLANE : SCREE_SPHERE_SPHERE;
  for (int b = 0; b < 2; b++) {
    bool moves = b == 0 || !c->wall;
    c->radius[b] = def.radius[b] = moves ? g[b].radius : NAN;
    def.material[b] = s->material[b == 0 ? g[0].material : second];
    c->mass[b] = moves && !g[b].fixed ? scree_sphere_mass(g[b].radius, def.material[b].density) : INFINITY;
  }
  def.mass = 1.0 / (1.0 / c->mass[0] + 1.0 / c->mass[1]);
  def.speed = s->def.expected_speed;
  if (scree_pair_prepare(s->contact.normal, &def, &c->pair) != SCREE_OK) {
    scree_tally_failure(check, "pair");
    return false;
  }
  c->reff = c->wall ? g[0].radius : g[0].radius * g[1].radius / (g[0].radius + g[1].radius);
  c->shear = 8.0 * scree_composite_shear_modulus(def.material[0], def.material[1]) * sqrt(c->reff);
  memcpy(c->gravity, s->def.gravity, sizeof c->gravity);
  double size = sqrt(scree_dot(s->wall[0].axis, s->wall[0].axis));
  for (int k = 0; k < 3 && c->wall; k++) c->axis[k] = s->wall[0].axis[k] / size, c->point[k] = s->wall[0].point[k];
  return true;
}

bool scree_couple_run(ScreeCheck *check, const Scene *scene, double time, long steps, ScreeGrain g[2]) {
  Couple c;
  double y[STATE] = {0.0};
  if (!prepare(check, scene, g, &c)) return false;
  for (int b = 0; b < (c.wall ? 1 : 2); b++) {
    memcpy(y + b * BODY + X, g[b].position, sizeof g[b].position);
    memcpy(y + b * BODY + V, g[b].velocity, sizeof g[b].velocity);
    memcpy(y + b * BODY + W, g[b].spin, sizeof g[b].spin);
  }
  for (long s = 0; s < steps; s++) {
    touch(&c, y);
    advance(&c, y, time / (double)steps);
    settle(&c, y);
  }
  for (int b = 0; b < (c.wall ? 1 : 2); b++) {
    memcpy(g[b].position, y + b * BODY + X, sizeof g[b].position);
    memcpy(g[b].velocity, y + b * BODY + V, sizeof g[b].velocity);
    memcpy(g[b].spin, y + b * BODY + W, sizeof g[b].spin);
  }
  return true;
}

/* ---- readings of a sphere's low-angle rebound ---- */

enum { ANNULI = 400, SLIP_STEPS = 12000 };

/* The contact as a row of independent springs under a parabola x^2/R (Popov & Hess' reduction, which reproduces Hertz,
 * Cattaneo and Mindlin & Deresiewicz exactly): each sticks until it is pulled beyond mu times its own load. */
static double annuli_force(double *pull, double d, double width, double press, double stiffness, double moved,
                           double friction) {
  double sum = 0.0;
  for (int i = 0; i < ANNULI; i++) {
    double x = (i + 0.5) * width, load = 0.75 * (d - x * x) * press;
    if (load <= 0.0) {
      pull[i] = 0.0;
      continue;
    }
    pull[i] = fmax(fmin(pull[i] - stiffness * moved, friction * load), -friction * load);
    sum += pull[i];
  }
  return 2.0 * sum * width;
}

/* One step of the friction force, clipped to mu Fn; state: force, displacement. */
static double slip_step(SlipReading reading, double state[2], double d, double last, double kt, double moved,
                        double most) {
  bool unloads = d < last;
  state[1] += moved;
  if (reading == SLIP_TOTAL)
    state[0] = -kt * state[1];
  else
    state[0] = state[0] * (reading == SLIP_INCREMENTAL && unloads ? sqrt(d / last) : 1.0) - kt * moved;
  state[0] = fmax(fmin(state[0], most), -most);
  state[1] = -state[0] / kt;
  return state[0];
}

/* In units of mass, K, R and the normal speed: F = d^1.5 (1 + X v), kt = 2(1-nu)/(2-nu) times the normal tangent
 * stiffness 1.5 sqrt(d), mass of the sliding 2/7. Velocity Verlet; stepped finely, it owes the engine nothing. */
double scree_slip_restitution(SlipReading reading, double poisson, double friction, double factor, double angle) {
  double pull[ANNULI] = {0.0}, state[2] = {0.0, 0.0}, ratio = 2.0 * (1.0 - poisson) / (2.0 - poisson);
  double d = 0.0, v = 1.0, start = tan(angle), vs = start, a = 0.0, at = 0.0, last = 0.0, dt = 3.2 / SLIP_STEPS;
  double width = sqrt(1.02 * pow(1.25, 0.4)) / ANNULI;
  while ((d += v * dt + 0.5 * a * dt * dt) > 0.0) {
    double press = 1.0 + factor * (v + a * dt), normal = d * sqrt(d) * press, kt = 1.5 * ratio * sqrt(d);
    double moved = (vs + at * dt) * dt, f;
    if (reading == SLIP_EXACT)
      f = annuli_force(pull, d, width, press, 0.75 * ratio, moved, friction);
    else
      f = slip_step(reading, state, d, last, kt, moved, friction * normal);
    v += 0.5 * dt * (a - normal);
    vs += 0.5 * dt * (at + 3.5 * f);
    a = -normal, at = 3.5 * f, last = d;
  }
  return 1.0 - 2.0 / 7.0 * (1.0 - vs / start);
}

/* The reading of the codes behind the published spin tests: the total displacement of SLIP_TOTAL, a dashpot beside it
 * as strong as the normal one while the spring holds, mu times the elastic part of the normal force as the spring's
 * limit; the normal force is tsuji's, which may pull. -vs'/vs of a spinning sphere, x = 3.5 mu (1 + e) vn/vs. */
double scree_slip_damped_beta(double poisson, double friction, double e, double x) {
  double ratio = 2.0 * (1.0 - poisson) / (2.0 - poisson), zeta = -log(e) / hypot(acos(-1.0), log(e)), moved = 0.0;
  double start = 3.5 * friction * (1.0 + e) / x, d = 0.0, v = 1.0, vs = start, a = 0.0, at = 0.0, dt = 1e-4;
  while ((d += v * dt + 0.5 * a * dt * dt) > 0.0) {
    double elastic = d * sqrt(d), kt = 1.5 * ratio * sqrt(d), slide = vs + at * dt;
    double normal = elastic + sqrt(5.0) * zeta * sqrt(sqrt(d)) * (v + a * dt), most = friction * elastic;
    moved += slide * dt;
    double spring = -kt * moved, f = spring - 2.0 * sqrt(5.0 / 6.0) * zeta * sqrt(kt) * slide;
    if (fabs(spring) > most) f = spring = copysign(most, spring); /* slides: no dashpot */
    moved = -spring / kt;
    v += 0.5 * dt * (a - normal);
    vs += 0.5 * dt * (at + 3.5 * f);
    a = -normal, at = 3.5 * f;
  }
  return -vs / start;
}
