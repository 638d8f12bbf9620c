/* engine.h: how grains lie in memory, and the stages of a step.
 *
 * per grain    Record 64 B  position, radius, velocity, mass: one cache line, all that the gap test reads
 *              Turn   32 B  spin, material
 *              Sum    48 B  force and torque as integers in units of `force_unit`, `torque_unit`
 *              Half   48 B  half a step's worth of acceleration, for the velocity prediction
 *              id      8 B
 * per pair     index 8 B, stiffness 8, damping 8, tangential history 24, last overlap 8, last force 4,
 *              then what the laws in use need
 *              (own constants, memory, rolling history): 60 B in the usual case
 *
 * Forces are summed as 64-bit integers: their sum does not depend on the order, so threads, sorting and the order of
 * the input leave no trace in the bits, and action equals reaction exactly. A pair is kept while it is within the skin;
 * its contact memory lies with it and moves with it when the grains are sorted. */
#ifndef SCREE_ENGINE_H
#define SCREE_ENGINE_H

#include <math.h>
#include <stdatomic.h>

#include "pool.h"
#include "scree/impact.h"
#include "scree/world.h"

typedef struct Record {
  double x[3], r, v[3], m;
} Record;

typedef struct Turn {
  double w[3];
  int32_t material, spare;
} Turn;

typedef struct Sum {
  int64_t force[3], torque[3];
} Sum;

typedef struct Half {
  double v[3], w[3];
} Half;

/* What one pair of materials needs of the laws, prepared once. */
typedef struct Class {
  bool used;
  ScreeContactDef def;  /* with the calibrated parameter in place */
  int constants, slots; /* of the normal law: u[] and memory that a contact carries */
  bool plastic;
} Class;

/* Pairs within the skin. Arrays of `capacity`; own[] and memory[] only where a law in use needs them. */
typedef struct Pairs {
  size_t count, capacity;
  int32_t *i, *j;          /* j < 0: wall -1-j */
  double *k, *chi;         /* k = 0: not touching */
  double *shear[3], *last; /* tangential history and the overlap it belongs to */
  float *press;            /* normal force of the last step [N], for the work it does */
  double *own[6], *memory, *roll[3];
} Pairs;

typedef struct Ledger {
  double start; /* J, total at the start */
  /* J, work done on contacts so far: normal forces of viscous and of plastic laws, friction, rolling */
  double viscous, plastic, tangential, rolling;
  double clamp; /* J, stored energy that contacts gave up while their law would have pulled */
  double work;  /* J, done by fixed grains */
  double jump;  /* J, potential gained by crossing periodic boundaries */
  double scale;
} Ledger;

struct ScreeWorld {
  ScreeWorldDef def;
  ScreeMaterial *material;
  int materials;
  Class *class; /* materials x materials, symmetric; class_default before start */
  ScreeContactDef contact_default;
  bool has_default;
  ScreeWallDef *wall;
  int walls;

  size_t count;
  Record *record;
  Turn *turn;
  Sum *sum;
  Half *half;
  uint64_t *id;
  Pairs pairs;

  Pool *pool;
  bool started;
  double dt, skin;
  /* Units of the integer sums, powers of two so that scaling is exact: force [N], torque [N m], energy [J]. */
  double force_unit, torque_unit, energy_unit;
  double *anchor; /* positions at the last rebuild, 3 per grain */
  double max_radius, min_radius;
  double max_overlap; /* relative, in the last step */
  long step, rebuilds;
  double time;
  Ledger ledger;
  double (*field)[3];     /* m/s2, gravity and body force, per material */
  _Atomic int64_t gained; /* potential of grains that crossed a periodic boundary in this step, in energy units */
  _Atomic int64_t work;   /* done by fixed grains in this step, in energy units */
  int constants, slots;   /* largest over the classes in use */
  bool friction, rolls;
  char reason[256];
};

/* A fixed grain has an infinite mass: nothing moves it, and its partner's mass is the effective one. */
static inline bool scree_is_fixed(const Record *r) { return isinf(r->m); }

static inline Class *scree_class_of(const ScreeWorld *w, int a, int b) { return &w->class[a * w->materials + b]; }

/* Of the rolling spring [N m/rad], after EPSD2: 2.25 mu_r^2 R^2 of the contact's secant stiffness. */
static inline double scree_rolling_stiffness(const Class *c, double k, double overlap, double reff) {
  return k * sqrt(overlap) * reff * reff * 2.25 * c->def.rolling * c->def.rolling;
}

/* material.c */
ScreeStatus scree_classes_prepare(ScreeWorld *w);
/* What a new contact freezes: the law's constants at the approach speed. second: the other grain, NULL for a wall. */
ScreeStatus scree_contact_touch(const ScreeWorld *w, const Class *c, int ma, int mb, const Record *first,
                                const Record *second, double v0, ScreeLaw *law);

/* grid.c */
ScreeStatus scree_rebuild(ScreeWorld *w);
bool scree_needs_rebuild(const ScreeWorld *w);
void scree_pairs_free(Pairs *pairs);

/* contact.c */
ScreeStatus scree_contacts(ScreeWorld *w);

/* wall.c: checks a wall and splits it into the parts the engine knows (six at most). */
ScreeStatus scree_wall_prepare(const ScreeWallDef *def, ScreeWallDef *parts, int *count);
/* The unit vector from the centre towards the wall, and the distance of the centre from it. */
double scree_wall_gap(const ScreeWallDef *wall, const double *x, double *normal);

/* ledger.c */
/* The law of a touching pair as it was frozen, with its memory, and the energy it stores at an overlap. */
double scree_stored(const ScreeWorld *w, size_t pair, double overlap);
double scree_exact_sum(size_t count, double (*value)(const ScreeWorld *, size_t), const ScreeWorld *w);

/* Shortest image of a difference vector. */
static inline double scree_image(const ScreeWorld *w, int axis, double dx) {
  if (!w->def.periodic[axis]) return dx;
  double length = w->def.high[axis] - w->def.low[axis];
  if (dx > 0.5 * length) return dx - length;
  if (dx < -0.5 * length) return dx + length;
  return dx;
}

#endif
