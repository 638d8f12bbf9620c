/* balance.c: what is conserved: momentum and angular momentum step by step, energy as the step shrinks. */
#include "invariants.h"

#include <string.h>

#include "dem/engine.h"

/* ---- momentum --------------------------------------------------------------------------------------------------- */

/* What acts on all free grains together, about the origin, and what they have. */
typedef struct Balance {
  double force[3], torque[3];       /* N, N m: of contacts, as read from the grains */
  double from[3], turned[3];        /* N, N m: as walls and fixed grains tell, with the opposite sign */
  double field[3], field_torque[3]; /* N, N m */
  double momentum[3], angular[3];   /* kg m/s, kg m2/s */
  double size, lever;               /* N, sum of the sizes of forces; m, the farthest grain */
  double carried, swung;            /* kg m/s, kg m2/s: sums of sizes */
  size_t changes, contacts;
  bool fresh; /* grains came or went at the end of this step */
} Balance;

static void add_cross(double *sum, const double *x, const double *f) {
  for (int k = 0; k < 3; k++) sum[k] += x[(k + 1) % 3] * f[(k + 2) % 3] - x[(k + 2) % 3] * f[(k + 1) % 3];
}

static double length(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void add_grain(const Scene *s, const ScreeGrain *g, const ScreeGrainLoad *l, Balance *b) {
  double field[3], density = s->material[g->material].density,
                   mass = 4.0 / 3.0 * acos(-1.0) * g->radius * g->radius * g->radius * density;
  b->size += length(l->force);
  b->lever = fmax(b->lever, length(g->position));
  double sign = g->fixed ? -1.0 : 1.0, *force = g->fixed ? b->from : b->force,
         *torque = g->fixed ? b->turned : b->torque;
  double push[3];
  for (int k = 0; k < 3; k++) {
    push[k] = sign * l->force[k];
    force[k] += push[k], torque[k] += sign * l->torque[k];
    field[k] = mass * s->def.gravity[k] + mass / density * s->def.body_force[k];
  }
  add_cross(torque, g->position, push);
  if (g->fixed) return;
  for (int k = 0; k < 3; k++) b->field[k] += field[k];
  add_cross(b->field_torque, g->position, field);
  b->size += length(field);
  b->carried += mass * length(g->velocity);
  b->swung += mass * length(g->velocity) * length(g->position);
}

static void take_balance(const Scene *s, ScreeWorld *w, Balance *b) {
  static ScreeGrain grain[4 * MAX_GRAINS];
  static ScreeGrainLoad load[4 * MAX_GRAINS];
  ScreeMeasure m;
  memset(b, 0, sizeof *b);
  scree_world_measure(w, &m);
  scree_world_read(w, grain);
  scree_world_read_loads(w, load);
  memcpy(b->momentum, m.momentum, sizeof b->momentum);
  memcpy(b->angular, m.angular_momentum, sizeof b->angular);
  b->changes = m.inserted.grains + m.removed.grains;
  b->contacts = m.contacts;
  for (size_t i = 0; i < scree_world_count(w); i++) add_grain(s, &grain[i], &load[i], b);
  for (int i = 0; i < s->walls; i++)
    for (int part = 0; part < scene_engine_walls(s, i); part++) {
      double force[3], torque[3];
      scree_world_wall_force(w, scene_first_wall(s, i) + part, force, torque);
      for (int k = 0; k < 3; k++) b->from[k] -= force[k], b->turned[k] -= torque[k];
    }
}

static double most_apart(const double *a, const double *b) {
  return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
}

/* Action is reaction: what grains feel is what walls and fixed grains give. */
static void judge_reaction(Trial *t, const ScreeWorld *w, const Balance *b, bool turns) {
  double count = (double)(b->contacts + 8), unit = count * w->force_unit, far = most_apart(b->force, b->from),
         limit = 1e-12 * b->size + 4.0 * unit;
  if (far > limit)
    trial_fail(t,
               "step %ld: contacts push free grains with (%.10g, %.10g, %.10g) N, walls and fixed grains say (%.10g, "
               "%.10g, %.10g) N: %.3g N apart (limit %.3g)",
               scree_world_steps(w), b->force[0], b->force[1], b->force[2], b->from[0], b->from[1], b->from[2], far,
               limit);
  if (!turns) return;
  far = most_apart(b->torque, b->turned);
  double reach = b->lever + length(w->def.low) + length(w->def.high);
  limit =
      1e-11 * b->size * reach + 8.0 * count * (w->torque_unit + w->force_unit * reach + w->force_unit / w->wall_arm);
  t->measured = fmax(t->measured, far / (b->size * t->scene->radius + limit));
  if (far > limit)
    trial_fail(t,
               "step %ld: contacts turn free grains with (%.10g, %.10g, %.10g) N m about the origin, walls and fixed "
               "grains say (%.10g, %.10g, %.10g) N m: %.3g of force times radius apart",
               scree_world_steps(w), b->torque[0], b->torque[1], b->torque[2], b->turned[0], b->turned[1], b->turned[2],
               far / (b->size * t->scene->radius));
}

/* A step changes momentum by half a step of the forces before and half a step of those after it: exactly, in this
 * scheme, and angular momentum too. */
static void judge_change(Trial *t, const ScreeWorld *w, const Balance *a, const Balance *b, bool turns) {
  double dt = w->dt, want[3], swing[3], far, limit;
  for (int k = 0; k < 3; k++) {
    want[k] = a->momentum[k] + 0.5 * dt * (a->from[k] + a->field[k] + b->from[k] + b->field[k]);
    swing[k] = a->angular[k] + 0.5 * dt * (a->turned[k] + a->field_torque[k] + b->turned[k] + b->field_torque[k]);
  }
  double count = (double)(a->contacts + b->contacts + 16), size = a->size + b->size,
         reach = b->lever + length(w->def.low) + length(w->def.high);
  far = most_apart(b->momentum, want);
  limit = 1e-12 * (a->carried + b->carried + dt * size) + 8.0 * dt * count * w->force_unit;
  if (far > limit)
    trial_fail(
        t,
        "step %ld: the momentum becomes (%.10g, %.10g, %.10g), by forces on walls, fixed grains and fields (%.10g, "
        "%.10g, %.10g) kg m/s: %.3g apart (limit %.3g)",
        scree_world_steps(w), b->momentum[0], b->momentum[1], b->momentum[2], want[0], want[1], want[2], far, limit);
  if (!turns) return;
  far = most_apart(b->angular, swing);
  limit = 1e-11 * (a->swung + b->swung + dt * size * reach) +
          16.0 * dt * count * (w->torque_unit + w->force_unit * reach + w->force_unit / w->wall_arm);
  if (far > limit)
    trial_fail(t,
               "step %ld: the angular momentum becomes (%.10g, %.10g, %.10g), by torques on walls, fixed grains and "
               "fields (%.10g, %.10g, %.10g) kg m2/s: %.3g apart (limit %.3g)",
               scree_world_steps(w), b->angular[0], b->angular[1], b->angular[2], swing[0], swing[1], swing[2], far,
               limit);
}

static bool has_free(const Scene *s) { return s->grains > 0 || s->streams > 0; }

void judge_momentum(Trial *t) {
  const Scene *s = t->scene;
  Way way = way_default();
  ScreeWorld *w = NULL;
  Balance before, now;
  bool turns = !s->def.periodic[0] && !s->def.periodic[1] && !s->def.periodic[2];
  long steps = s->steps < 400 ? s->steps : 400;
  if (!has_free(s) || !trial_base(t)->started) return;
  if (scene_build(s, &way, &w) == SCREE_OK && scree_world_start(w) == SCREE_OK) {
    t->applies = true;
    take_balance(s, w, &before);
    judge_reaction(t, w, &before, turns);
    for (long step = 0; step < steps && !t->failed && scree_world_step(w, 1) == SCREE_OK; step++) {
      take_balance(s, w, &now);
      now.fresh =
          now.changes != before.changes; /* the loads are those of grains that went, and not of those who came */
      if (!now.fresh) judge_reaction(t, w, &now, turns);
      if (!now.fresh && !before.fresh) judge_change(t, w, &before, &now, turns);
      before = now;
    }
  }
  scree_world_destroy(w);
}

/* ---- energy ----------------------------------------------------------------------------------------------------- */

enum { LOOKS = 16 };

/* Shares of the energy that there was: LARGEST is the residual at the step that the engine chooses, SHRINKS what a
 * quarter of the step leaves of it. The scheme is of the second order: a sixteenth; where a step falls on the first
 * touch of a law that jumps there, a quarter. TINY is what rounding and the few last steps of contacts leave, more with
 * regularised Coulomb friction, whose regularisation widens with the step. DRIFT is the growth of the residual in the
 * second half of a run, of all that accounts exchange there, and FINE_DRIFT that at a quarter of the step: some
 * thousand scenes reach 0.007 and 0.0004. */
static const double LARGEST = 0.02, SHRINKS = 0.4, TINY = 1e-5, TINY_COULOMB = 1e-4, TINY_LEFT = 1e-3, DRIFT = 0.05,
                    FINE_DRIFT = 0.005;

/* The ledger of one run, looked at some times. */
typedef struct Audit {
  bool ends;       /* without a failure */
  bool removes;    /* grains go */
  double residual; /* the largest, over the energy that there was */
  double drift;    /* what it grows by in the second half, over all that accounts then exchange */
} Audit;

enum { ACCOUNTS = 11 };

static void accounts_of(const ScreeMeasure *m, double *account) {
  const double all[ACCOUNTS] = {m->kinetic,
                                m->potential,
                                m->elastic,
                                m->dissipated_viscous,
                                m->dissipated_plastic,
                                m->dissipated_clamp,
                                m->dissipated_friction,
                                m->dissipated_rolling,
                                m->kinetic_walls,
                                m->dissipated_walls,
                                m->work};
  memcpy(account, all, sizeof all);
}

static Audit audit_run(const Scene *s, double timestep, double speed, long steps) {
  Way way = way_default();
  Scene scene = *s;
  ScreeWorld *w = NULL;
  Audit audit = {0};
  double most = 0.0, scale = 0.0, exchanged = 0.0, middle = 0.0, end = 0.0, before[ACCOUNTS], now[ACCOUNTS];
  scene.def.timestep = timestep, scene.def.expected_speed = speed;
  audit.ends = scene_build(&scene, &way, &w) == SCREE_OK && scree_world_start(w) == SCREE_OK;
  for (int look = 0; look <= LOOKS && audit.ends; look++) {
    ScreeMeasure m;
    audit.ends = scree_world_step(w, steps * look / LOOKS - scree_world_steps(w)) == SCREE_OK;
    if (!audit.ends) continue;
    scree_world_measure(w, &m);
    most = fmax(most, fabs(m.residual));
    audit.removes |= m.removed.grains > 0;
    scale = fmax(scale, fmax(m.scale, m.kinetic + m.elastic)); /* the ledger's own does not count the start */
    accounts_of(&m, now);
    for (int i = 0; i < ACCOUNTS && look > LOOKS / 2; i++) exchanged += fabs(now[i] - before[i]);
    memcpy(before, now, sizeof before);
    if (look == LOOKS / 2) middle = m.residual;
    end = m.residual;
  }
  scree_world_destroy(w);
  audit.residual = scale > 0.0 ? most / scale : 0.0;
  audit.drift = fabs(end - middle) / (exchanged + 1e-9 * scale + 1e-300);
  return audit;
}

/* At its speed limit such a servo is booked by the square of the step, which is much where nothing else happens. */
static bool has_damped_servo(const Scene *s) {
  for (int i = 0; i < s->walls; i++)
    for (int m = 0; m < s->wall[i].motions; m++) {
      const ScreeMotionDef *d = &s->wall[i].motion[m].def;
      if (d->kind >= SCREE_MOTION_SERVO && !isnan(d->damping)) return true;
    }
  return false;
}

static bool has_coulomb(const Scene *s) {
  bool any = s->contact.tangential == SCREE_LAW_coulomb;
  for (int a = 0; a < s->materials; a++)
    for (int b = a; b < s->materials; b++) any |= s->has_own[a][b] && s->pair[a][b].tangential == SCREE_LAW_coulomb;
  return any;
}

void judge_energy(Trial *t) {
  const Outcome *base = trial_base(t);
  double r[3];
  Audit audit[3];
  if (!base->started || base->status != SCREE_OK) return;
  for (int i = 0; i < 3; i++) {
    int finer = 1 << i;
    audit[i] = audit_run(t->scene, base->timestep / finer, base->expected_speed, t->scene->steps * finer);
    if (!audit[i].ends) return; /* a finer step may meet the overlap limit */
    r[i] = audit[i].residual;
  }
  t->applies = true;
  t->measured = r[2];
  /* the step is chosen for impacts at the expected speed: grains that begin pressed may be stiffer than those */
  if (r[0] > LARGEST && !t->scene->pressed)
    trial_fail(t, "%.3g of the energy that there was is accounted for by nothing (limit %.3g)", r[0], LARGEST);
  bool removes = audit[0].removes || audit[1].removes || audit[2].removes;
  double drift = fmax(audit[0].drift / DRIFT, audit[2].drift / FINE_DRIFT);
  if (drift > 1.0 && !removes && !has_damped_servo(t->scene))
    trial_fail(t, "the residual grows by %.3g (steps of a quarter: %.3g) of what accounts exchange in the second half",
               audit[0].drift, audit[2].drift);
  /* outlets are looked at every so many steps: with another step grains go at another time, out of other contacts */
  double tiny = removes ? TINY_LEFT : has_coulomb(t->scene) ? TINY_COULOMB : TINY;
  if (r[2] > tiny && r[2] > SHRINKS * r[0])
    trial_fail(t, "steps of a quarter leave %.3g of the energy without account, whole steps %.3g, half steps %.3g",
               r[2], r[0], r[1]);
}
