/* alike.c: the same physics described otherwise gives the same motion, up to what rounding does in it.
 *
 * A difference of 1e-16 of the coordinates grows from contact to contact, in scenes of some hundred steps by a factor
 * of 1e3 at most; the limits leave room for that. Where a step falls beside a threshold (a first touch, an outlet) two
 * descriptions may fall on both sides of it: so rarely that no seed of the tests does. */
#include "invariants.h"

#include <stdlib.h>
#include <string.h>

#include "transform.h"

static double most3(const double *a, const double *b) {
  return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
}

/* Of the base's scales: positions by the smallest radius, speeds by the fastest grain, spins by both. */
static double difference(const Scene *s, const Outcome *a, const ScreeGrain *b, int *worst) {
  double speed = s->speed, radius = s->radius, most = 0.0;
  for (int i = 0; i < a->grains; i++) {
    radius = fmin(radius, a->grain[i].radius);
    for (int k = 0; k < 3; k++) speed = fmax(speed, fabs(a->grain[i].velocity[k]));
  }
  for (int i = 0; i < a->grains; i++) {
    double own[3], period[3];
    for (int k = 0; k < 3; k++) { /* periodic images are the same place */
      period[k] = s->def.high[k] - s->def.low[k];
      own[k] = b[i].position[k];
      if (s->def.periodic[k]) own[k] += period[k] * round((a->grain[i].position[k] - own[k]) / period[k]);
    }
    double d =
        fmax(most3(a->grain[i].position, own) / radius, fmax(most3(a->grain[i].velocity, b[i].velocity) / speed,
                                                             most3(a->grain[i].spin, b[i].spin) * radius / speed));
    if (a->grain[i].id != b[i].id) d = INFINITY;
    if (!(d <= most)) most = d, *worst = i;
  }
  return most;
}

/* The other's grains are in the base's terms now. */
static void compare(Trial *t, const char *name, const Outcome *other, double limit) {
  const Outcome *base = &t->base;
  int worst = 0;
  t->applies = t->applies || (base->started && base->status == SCREE_OK);
  if (t->failed) return;
  if (base->started != other->started || base->status != other->status || labs(base->steps - other->steps) > 1) {
    trial_fail(t, "%s: \"%s\" after %ld steps, and \"%s\" after %ld", name, base->sentence, base->steps,
               other->sentence, other->steps);
    return;
  }
  if (base->status != SCREE_OK) return;
  if (base->grains != other->grains) {
    trial_fail(t, "%s: %d grains at the end, and %d", name, base->grains, other->grains);
    return;
  }
  double d = difference(t->scene, base, other->grain, &worst);
  t->measured = fmax(t->measured, d);
  if (d <= limit) return;
  const ScreeGrain *a = &base->grain[worst], *b = &other->grain[worst];
  trial_fail(t,
             "%s: grain %llu differs by %.3g of the scales: at (%.10g, %.10g, %.10g), v (%.6g, %.6g, %.6g), w (%.6g, "
             "%.6g, %.6g); and (%.10g, %.10g, %.10g), v (%.6g, %.6g, %.6g), w (%.6g, %.6g, %.6g)",
             name, (unsigned long long)a->id, d, a->position[0], a->position[1], a->position[2], a->velocity[0],
             a->velocity[1], a->velocity[2], a->spin[0], a->spin[1], a->spin[2], b->position[0], b->position[1],
             b->position[2], b->velocity[0], b->velocity[1], b->velocity[2], b->spin[0], b->spin[1], b->spin[2]);
}

/* The step and the speed that the engine chose must be those of the other description, up to rounding; then they are
 * given, so that no step more or less is done. */
static bool agree(Trial *t, const char *name, const Scene *other, double timestep, double speed) {
  static Outcome chosen;
  Way way = way_default();
  Scene probe = *other;
  probe.steps = 0;
  scene_run(&probe, &way, &chosen);
  const double floor = 1e-5; /* m/s, what the engine and the laboratory take for rest */
  if (t->base.started && (speed <= floor || t->base.expected_speed <= floor)) return false;
  if (chosen.started != t->base.started) {
    trial_fail(t, "%s: \"%s\", and \"%s\"", name, t->base.sentence, chosen.sentence);
    return false;
  }
  if (!chosen.started) return false;
  double far = fmax(fabs(chosen.timestep / timestep - 1.0), fabs(chosen.expected_speed / speed - 1.0));
  if (!(far < 1e-5))
    trial_fail(t, "%s: a step of %.10g s for %.10g m/s is chosen instead of %.10g s for %.10g m/s", name,
               chosen.timestep, chosen.expected_speed, timestep, speed);
  return far < 1e-5;
}

/* What streams draw is not moved with the scene: only shifted. */
static bool has_draws(const Scene *s) { return s->streams > 0; }

static void judge_moved(Trial *t, const char *name, const Motion3 *m, bool with_domain, double limit) {
  static Outcome other;
  const Outcome *base = trial_base(t);
  Scene scene = *t->scene;
  Motion3 back = *m;
  Way way = way_default();
  scene_move(&scene, m);
  if (!with_domain) {
    memcpy(scene.def.low, t->scene->def.low, sizeof scene.def.low);
    memcpy(scene.def.high, t->scene->def.high, sizeof scene.def.high);
  }
  if (!agree(t, name, &scene, base->timestep, base->expected_speed)) return;
  scene.def.timestep = base->timestep, scene.def.expected_speed = base->expected_speed;
  scene_run(&scene, &way, &other);
  for (int k = 0; k < 3; k++) back.from[m->from[k]] = k, back.sign[m->from[k]] = m->sign[k];
  for (int i = 0; i < other.grains; i++) {
    ScreeGrain *g = &other.grain[i];
    for (int k = 0; k < 3; k++) g->position[k] -= m->shift[k];
    motion3_polar(&back, g->position, g->position);
    motion3_polar(&back, g->velocity, g->velocity);
    motion3_axial(&back, g->spin, g->spin);
  }
  compare(t, name, &other, limit);
}

static void judge_motion(Trial *t, const char *name, const Motion3 *m, double limit) {
  judge_moved(t, name, m, true, limit);
}

/* ---- the invariants --------------------------------------------------------------------------------------------- */

/* By powers of two of the radius, a few to some hundred: rounding of coordinates grows by as much. */
void judge_translate(Trial *t) {
  Draws d = draws_of(t->scene->seed, "translate");
  double shift[3];
  int exponent;
  frexp(t->scene->radius, &exponent);
  for (int k = 0; k < 3; k++) shift[k] = ldexp((double)(draw_below(&d, 3) - 1), exponent + draw_below(&d, 8));
  Motion3 m = motion3_shift(shift);
  judge_motion(t, "translated", &m, 1e-7);
}

/* The moment of a servo that is left to the engine is that of the grains where they are, which is no matter of periods.
 */
static bool turns_by_grains(const Scene *s) {
  for (int i = 0; i < s->walls; i++)
    for (int m = 0; m < s->wall[i].motions; m++) {
      const ScreeMotionDef *d = &s->wall[i].motion[m].def;
      if (d->kind == SCREE_MOTION_TURN_SERVO && isnan(d->inertia)) return true;
    }
  return false;
}

/* Grains and walls go along the periodic axes, the domain stays. Regions know nothing of periods. */
void judge_around(Trial *t) {
  const ScreeWorldDef *def = &t->scene->def;
  Draws d = draws_of(t->scene->seed, "around");
  double shift[3], part = draw_uniform(&d, 0.2, 0.5);
  if (has_draws(t->scene) || t->scene->outlets > 0 || turns_by_grains(t->scene)) return;
  if (!def->periodic[0] && !def->periodic[1] && !def->periodic[2]) return;
  for (int k = 0; k < 3; k++) shift[k] = def->periodic[k] ? part * (def->high[k] - def->low[k]) : 0.0;
  Motion3 m = motion3_shift(shift);
  judge_moved(t, "another beginning of the periods", &m, false, 1e-7);
}

void judge_mirror(Trial *t) {
  if (has_draws(t->scene)) return;
  for (int axis = 0; axis < 3; axis++) {
    Motion3 m = motion3_mirror(axis);
    judge_motion(t, (const char *[]){"mirrored in x", "mirrored in y", "mirrored in z"}[axis], &m, 1e-7);
  }
}

void judge_turn(Trial *t) {
  if (has_draws(t->scene)) return;
  for (int axis = 0; axis < 3; axis += 2) {
    Motion3 m = motion3_turn(axis);
    judge_motion(t, axis == 0 ? "turned about x" : "turned about z", &m, 1e-7);
  }
}

void judge_units(Trial *t) {
  static Outcome other;
  const Outcome *base = trial_base(t);
  Draws d = draws_of(t->scene->seed, "units");
  Scene scene = *t->scene;
  Way way = way_default();
  /* no speed may come near those that the engine and the laboratory take for rest */
  Units3 u = {ldexp(1.0, 3 * (draw_below(&d, 5) - 2)), ldexp(1.0, 2 * (draw_below(&d, 7) - 3)),
              ldexp(1.0, 3 * (draw_below(&d, 7) - 3))};
  u.time = fmax(u.time, u.length / 8.0);
  char name[120];
  snprintf(name, sizeof name, "units of %g m, %g s, %g kg", u.length, u.time, u.mass);
  scene_convert(&scene, &u);
  double timestep = base->timestep / u.time, speed = base->expected_speed / u.length * u.time;
  if (!agree(t, name, &scene, timestep, speed)) return;
  scene.def.timestep = timestep, scene.def.expected_speed = speed;
  scene_run(&scene, &way, &other);
  for (int i = 0; i < other.grains; i++)
    for (int k = 0; k < 3; k++) {
      other.grain[i].position[k] *= u.length;
      other.grain[i].velocity[k] *= u.length / u.time;
      other.grain[i].spin[k] /= u.time;
    }
  compare(t, name, &other, 1e-7);
}

/* By a millionth of a millionth of the scales. A contact that begins, a spin that is zero or nearly so, must not jump.
 */
void judge_nudge(Trial *t) {
  static Outcome other;
  const Outcome *base = trial_base(t);
  Draws d = draws_of(t->scene->seed, "nudge");
  Scene scene = *t->scene;
  Way way = way_default();
  const double share = 1e-12;
  for (int i = 0; i < scene.grains; i++)
    for (int k = 0; k < 3; k++) {
      ScreeGrain *g = &scene.grain[i];
      if (g->fixed) continue;
      g->velocity[k] += share * scene.speed * draw_uniform(&d, -1.0, 1.0);
      g->spin[k] += share * scene.speed / scene.radius * draw_uniform(&d, -1.0, 1.0);
    }
  scene.def.timestep = base->timestep, scene.def.expected_speed = base->expected_speed;
  if (!base->started) return;
  scene_run(&scene, &way, &other);
  compare(t, "nudged", &other, 1e-6);
}
