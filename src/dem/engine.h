/* engine.h: how grains and contacts lie in memory, and the stages of a step.
 *
 * per grain    Record 64 B  position, radius, velocity, mass: one cache line, what the gap test reads
 *              Turn   64 B  velocity of the middle of the step, spin, id, material, anchor: what friction reads
 *              Load   48 B  force and torque as integers in units of `force_unit`, `torque_unit`      176 B in all
 * per pair     index 8 B, stiffness 8, damping 8, tangential history 24, last overlap 8, last force 4: 60 B, then what
 *              the laws in use need (own constants, memory, rolling history)
 *
 * Grains lie in Morton order, many that lie close in layers (order.c). A tile is a stretch of them; the pairs that its
 * grains found lie together, ordered into runs: one pair of materials, touching, near or with walls, a multiple of
 * LANES long. So a run's pairs share their laws and go through the kernels eight at a time; eight grains lie beside
 * each other, their first pairs in one group, their second ones in the next (runs.c). Only runs of which little touches
 * are packed. Near pairs lie in the order of their gaps, and a group of eight is not looked at before it could touch: 4
 * B per group say when.
 *
 * Forces are summed as 64-bit integers: their sum does not depend on the order, so threads, sorting, tiles and the
 * order of the input leave no trace in the bits, and action equals reaction exactly. A pair is kept while it is within
 * the skin; its contact memory lies with it and moves with it when the list is rebuilt. */
#ifndef SCREE_ENGINE_H
#define SCREE_ENGINE_H

#include <math.h>
#include <stdatomic.h>

#include "pool.h"
#include "scree/impact.h"
#include "scree/world.h"

enum { LANES = 8 };

/* How fast a grain was when the list was made, against what grains do together (bulk.c): 0 are the slow. */
enum { PACES = 4, PACE_SHIFT = 30 };

typedef struct Record {
  double x[3], r, v[3], m;
} Record;

/* While contacts are computed `v` and `w` belong to the middle of the step and the record's velocity is predicted for
 * its end; between steps `w` and the record's velocity are those of the time. */
typedef struct Turn {
  double v[3], w[3];
  uint64_t id;
  int32_t material;
  uint32_t anchor; /* position at the last rebuild, modulo some skins: ten bits for each axis; above them the pace
                      (bulk.c) */
} Turn;

typedef struct Load {
  int64_t force[3], torque[3];
} Load;

/* Where they lie: four numbers in one array, two in another. In a row, a quarter of them would be added to on two lines
 * of the cache at a time. */
typedef struct Loads {
  int64_t (*four)[4], (*two)[2];
} Loads;

static inline Load scree_load_of(Loads loads, size_t grain) {
  const int64_t *a = loads.four[grain], *b = loads.two[grain];
  return (Load){{a[0], a[1], a[2]}, {a[3], b[0], b[1]}};
}
static inline void scree_put_load(Loads loads, size_t grain, Load load) {
  int64_t *a = loads.four[grain], *b = loads.two[grain];
  for (int k = 0; k < 3; k++) a[k] = load.force[k];
  a[3] = load.torque[0], b[0] = load.torque[1], b[1] = load.torque[2];
}

/* Arrays of the grains, which lie apart (memory.h). */
enum { OF_RECORDS, OF_TURNS, OF_FOURS, OF_TWOS };

/* What one pair of materials needs of the laws, prepared once. */
typedef struct Class {
  bool given;            /* by the user, for this pair */
  ScreeContactDef asked; /* as given */
  ScreeContactDef def;   /* as run: with the calibrated parameter in place */
  bool meets;            /* contacts of this class can happen */
  int first;             /* the material of the body that the law calls the first */
  /* The calibrated parameter holds for the pair of masses and radii it was found for; others follow by powers. */
  ScreeParamId scaled;
  double mass, radius, mass_power, radius_power;
  int constants, slots; /* of the normal law: u[] and memory that a contact carries */
  bool plastic;
  bool freezes;       /* stiffness or damping depend on how a contact begins */
  double n, m, r;     /* exponents of the normal law */
  double latch, rate; /* laws that latch the impact speed v0: chi = latch/v0 + rate; latch = 0: others */
  bool power_law;     /* at rest the force is k d^n: what rolling springs take their stiffness from */
  bool dashes;        /* friction has a dashpot, whose last force the history does not tell */
} Class;

/* Eight pairs and what every step changes of them: lines of the cache that follow each other without a gap, which the
 * processor fetches ahead by itself; nine arrays were more than it follows. */
typedef struct Eight {
  int32_t i[LANES], j[LANES]; /* j < 0: wall -1-j */
  double last[LANES];         /* overlap of the last step; 0: not touching */
  double shear[3][LANES];     /* tangential history */
} Eight;

/* Pairs within the skin. Arrays of `capacity`; own[] and memory[] only where a law in use needs them. The list is
 * padded with pairs of the sentinel grain, the one after the last. */
typedef struct Pairs {
  size_t count, capacity;
  char *block; /* that holds the arrays */
  size_t room; /* its bytes */
  Eight *eight;
  double *k, *chi;       /* stiffness, damping; k = 0: not touching. Where all are alike a step reads them of nobody */
  float *press;          /* normal force of the last step [N], for the work it does */
  float *torque_prev[3]; /* N m, of rolling and twisting on the first grain in the last step, for the work it does */
  float *friction_prev[3]; /* N, on the first grain in the last step: of laws whose history does not tell it */
  float *wake;             /* m, per group of near runs: while grains have closed in by less, none of it can touch */
  size_t wakes;            /* such groups */
  double *own[6], *memory;
  double *roll[3], *twist; /* angles that the springs of rolling and twisting are wound up by */
  /* Of worlds with meshes: from the surface to the centre, in the mesh's own coordinates, when a slot's contact was
   * last computed; where the slot's place is noted (site.c). */
  double *aim[3];
  int32_t *spot;
} Pairs;

/* What one pair keeps. */
#define KEPT(pairs, what, pair) ((pairs)->eight[(pair) / LANES].what[(pair) % LANES])

typedef struct Run {
  size_t begin, end; /* pairs */
  int32_t a, b;      /* materials */
  bool walls;
  bool away;       /* with grains of other threads */
  bool across;     /* some of its pairs are around a period */
  bool even;       /* all its grains have one radius */
  bool alike;      /* and one mass, one material and a law that freezes nothing else: one stiffness, one damping */
  bool sparse;     /* fewer than half of its pairs touched in the last step */
  bool near;       /* nothing touched when the list was made: its groups sleep until they could */
  bool hasty;      /* of a near one: with grains that are not slow */
  size_t wake;     /* of a near one: where its groups begin in the pairs' `wake` */
  size_t border;   /* of one away: where its groups begin in its thread's border (contact.h) */
  bool slips;      /* in more than a third of its registers some were beyond the limit of friction in the last step */
  uint32_t active; /* between grains: how many touched in the last step, or in the one before */
} Run;

typedef struct Tile {
  size_t grains, pairs; /* where they begin; they end where the next tile's begin */
  size_t runs;
  size_t others; /* grains of other tiles that its pairs meet */
  double took;   /* ticks, of its contacts when it was last timed; 0: not yet (share.c) */
  /* In layers (early.c): it has pairs with grains of other threads' tiles; with those of its own that are far from it.
   */
  bool owes, bound;
  /* Its grains are in pairs of other threads' tiles; of its own that are far after it, or far before it. */
  atomic_bool waits;
  bool held, kept;
  bool barred;          /* what meets it in the second step of this pass does so after the pass */
  uint8_t meets, turns; /* contacts and sweeps done ahead of their step */
  size_t first, last;   /* tiles that its pairs meet, of those not far: from the first to the last */
  size_t user;          /* the last of them that meets it */
} Tile;

/* What is done in one pass through memory (early.c). */
typedef enum Pass {
  PASS_ALONE, /* contacts alone */
  PASS_ON,    /* tiles whose grains nobody needs any more go on to the next step */
  PASS_TWICE  /* and meet again there */
} Pass;

/* Where a body is and how it moves. A point p of its own coordinates, those its walls were defined in, lies at
 * at + turn (p - home). Walls that never move have none: their own coordinates are those of space. */
typedef struct Frame {
  double home[3], at[3]; /* m, the reference point: in its own coordinates, and now in space */
  double near[3];        /* m, `at`, brought back by whole periods: where the images of bounded walls are looked for */
  double turn[3][3];     /* own to space */
  double v[3], w[3];     /* m/s of the reference point and rad/s, at the end of the step: what normal laws see */
  double middle_v[3], middle_w[3]; /* the step's displacement and rotation over its length: what friction sees */
} Frame;

/* A motion of a body, and the state of a servo: its coordinate s [m or rad] obeys inertia s'' = push + load - damping
 * s'.
 */
typedef struct Course {
  ScreeMotionDef def; /* its axis is a unit vector or zero, its waypoints are a copy */
  double s, v, u;     /* u: of the middle of the step */
  double push;        /* N or N m, of the grains along the coordinate */
  double inertia, damping, max_speed;
} Course;

/* The walls that move together: one wall, or the six faces of a box. */
typedef struct Body {
  int first, count; /* walls */
  bool moves, turns, present;
  double insert_at, remove_at; /* s */
  Course *course;
  int courses;
  Frame frame, then;              /* now, and when the list was made */
  double now;                     /* s, the frame's time */
  __extension__ __int128 load[6]; /* of the grains on it: force, and torque about where levers begin, as the walls' */
  size_t wear;                    /* of a mesh that wears: where its triangles begin among those of all */
  double work;                    /* J, done on the grains so far */
} Body;

typedef struct Ledger {
  double start; /* J, total at the start */
  /* J, work done on contacts so far: normal forces of viscous and of plastic laws, friction, rolling */
  double viscous, plastic, tangential, rolling;
  double clamp;                /* J, stored energy that contacts gave up while their law would have pulled */
  __extension__ __int128 work; /* done by fixed grains, in energy units: a step may be booked in one part or in two */
  double push;                 /* J, work of walls and of what loads them */
  double walls;                /* J, lost in the dampers and at the speed limits of walls under a load */
  double jump;                 /* J, potential gained by crossing periodic boundaries */
  double brought, taken;       /* J, of grains that came and went */
  double pending;              /* J, that the last pushes of those who went will give in the half step that comes */
  double scale;
} Ledger;

/* Materials that grains may have after the start: of any, of moving ones. */
enum { KNOWN_ANY = 1, KNOWN_FREE = 2 };

/* A stream, and how far it has come. Which grain comes next, and where it is tried, follows from these counters. */
typedef struct Stream {
  ScreeStreamDef def;
  ScreeFlow brought;
  int64_t tries; /* of the grain that is next, so far */
  int64_t waits;
} Stream;

/* The opening of an outlet (opening.c). */
typedef struct Opening {
  ScreeOpeningDef def;         /* its corners are a copy */
  double middle[3], across[3]; /* m; of any length: the normal, or the vector area */
  double reach;                /* m, from the middle */
  int sign;                    /* of ways along `across` that lead out */
  Frame then;                  /* of its wall, at the last look */
} Opening;

typedef struct Outlet {
  ScreeRegion region;
  ScreeFlow flow, leaked;
  Opening *opening; /* NULL: grains may come from anywhere */
} Outlet;

/* A box of velocities or displacements. */
typedef struct Extent {
  double least[3], most[3];
} Extent;

static inline void scree_unite(Extent *all, const Extent *part) {
  for (int k = 0; k < 3; k++) {
    all->least[k] = fmin(all->least[k], part->least[k]);
    all->most[k] = fmax(all->most[k], part->most[k]);
  }
}

/* What grains do together since the list was made, and how far they strayed from that (bulk.c). */
typedef struct Bulk {
  bool sheared;                           /* the field has a gradient */
  double gradient[3][3], back_step[3][3]; /* B [1/s], (I + B dt)^-1 */
  double back[3][3], shift[3];            /* M and c: where a grain comes from is about M x - c */
  double stretch;                         /* of distances by M, at most */
  bool paced;                             /* not all grains have the same pace */
  double allowance[PACES];                /* m, that |Y - X| of a grain may reach */
  double strayed[PACES];                  /* m, bound of |Y - X| */
  double moved[PACES];                    /* m, bound of a grain's way */
  double closed[2];                       /* m, bound of what two grains closed in by: slow ones; any (bulk.c) */
  double step_closed, step_way;           /* m, the same in the last step, of any two; the way of any grain */
  double room;                            /* m, that step_closed of the step to come must not exceed (early.c) */
  double looked;                          /* what was used up at the last look, of what the list allows */
  bool anchored;
  double anchor_units[PACES][3]; /* 1/m */
  /* m, bound of a grain's way since gaps to walls were looked at, and the least then */
  double wall_way[PACES], wall_slack[PACES];
} Bulk;

typedef struct Worker Worker; /* contact.h: what a thread keeps for itself */

struct ScreeWorld {
  ScreeWorldDef def;
  double image[27]
              [3]; /* m, shifts to the images of what is bounded: the first is none, then those along periodic axes */
  int images;
  ScreeMaterial *material;
  int materials;
  Class *class; /* materials x materials, symmetric */
  ScreeContactDef contact_default;
  bool has_default;
  ScreeWallDef *wall;
  int walls;
  int meshes;
  size_t wearing; /* triangles of meshes that wear */
  int *body_of;   /* of each wall */
  Body *body;
  int bodies;
  double (*field)[3];                           /* m/s2, gravity and body force, per material */
  double (*kick)[8];                            /* m/s, half a step of it, as rows of the sweep */
  uint8_t *known;                               /* KNOWN_*, per material: expected, or there at the start */
  double expect_low, expect_high, expect_speed; /* m, m/s, of grains to come; none: infinity, 0, 0 */
  Outlet *outlet;
  int outlets, openings;
  struct Passages *passages; /* of every grain, where an outlet has an opening */
  Stream *stream;
  int streams;
  ScreeFlow left; /* through the sides of the domain */
  ScreeFlow inserted, removed;
  uint64_t next_id; /* above all that were ever used */
  long look_every;  /* steps between two looks at outlets, streams and the domain */

  size_t count; /* grains; each array has a sentinel more */
  size_t capacity;
  Record *record;
  Turn *turn;
  Loads load;
  Pairs pairs;
  atomic_bool wrapped; /* a grain left through a period since the list was made */
  char *spare;         /* the block of the list before, where lists are made often (pairs.c) */
  size_t spare_room;
  bool takes_turns; /* the last two lists did */
  Tile *tile;       /* and one that closes the last */
  size_t tiles;
  Run *run;
  int32_t *other; /* by tile; as often as they are met */
  bool layered;   /* many grains that lie close, in layers (order.c) */
  size_t held_up; /* tiles that a front may be ahead of one that waits for what other threads owe (early.c) */
  bool turning;   /* the turnover to the next step has begun */
  Pass pass;
  long passes[3]; /* of each kind, so far */
  bool ahead;     /* contacts of the step at hand have begun in the pass before */
  bool met;       /* the last contacts were those of the grains there are */

  Pool *pool;
  Worker **worker; /* one per thread */
  bool started, failed;
  double dt, skin, expected_speed;
  double haste;        /* what the fastest are allowed, of what the slow are */
  double meshes_moved; /* m, bound of what the meshes' surfaces moved since the last rebuild */
  double walls_step;   /* m, bound of what walls moved by in the last step */
  double walls_moved;  /* m, of other walls since gaps to them were looked at; infinite: a wall came or went */
  Bulk bulk;
  uint8_t *beside; /* per grain a bit for each wall: listed with it */
  size_t beside_width, beside_capacity;
  /* Units of the integer sums, powers of two so that scaling is exact: force [N], torque [N m], energy [J],
   * potential of a period [J]. */
  double force_unit, torque_unit, energy_unit, jump_unit;
  double least_force; /* N, of the softest contact of the smallest grains at the overlap limit */
  double light2;      /* N^2: contacts that exert less cannot make a sum run over (bounds.c) */
  bool pairs_counted; /* of the present list, for that */
  double wall_arm;    /* 1/m, power of two that scales the arms of torques on walls below one */
  double max_radius, min_radius;
  double max_overlap;  /* relative, in the last step */
  double peak_overlap; /* the largest since a user forgot it */
  double unit_overlap; /* the limit that the units of the sums were chosen for */
  bool too_deep;       /* the last step ended with a contact beyond the limit */
  long step, rebuilds, rebuilt_at;
  double life;                   /* steps that the last list lasted */
  long forced_at, forced_every;  /* steps: when grains last came or went, and in which intervals they do; 0: none */
  double near_pairs, near_power; /* listed pairs that do not touch, per grain, and how they grow with the skin */
  double time;
  Ledger ledger;
  int constants, slots; /* largest over the classes in use */
  bool rolls;           /* a class in use has a rolling spring */
  bool twists;          /* a class in use resists twisting */
  bool resists;         /* a class in use resists rolling or twisting */
  bool dashes;          /* a class in use has a dashpot in its friction */
  bool starting;        /* the contacts at hand are those of the start: no time passes */
  char reason[256];
};

static inline bool scree_winds(const Class *c) {
  return c->def.rolling_model == SCREE_ROLLING_SPRING || c->def.rolling_model == SCREE_ROLLING_CONSTANT;
}
static inline bool scree_rolls(const Class *c) {
  return c->def.rolling_model != SCREE_ROLLING_NONE || c->def.twisting > 0.0;
}

/* A fixed grain has an infinite mass: nothing moves it, and its partner's mass is the effective one. */
static inline bool scree_is_fixed(const Record *r) { return isinf(r->m); }

static inline Class *scree_class_of(const ScreeWorld *w, int a, int b) { return &w->class[a * w->materials + b]; }
static inline int scree_material_of(const ScreeWorld *w, int32_t j) {
  return j < 0 ? w->wall[-1 - j].material : w->turn[j].material;
}

static inline bool scree_is_mesh(const ScreeWorld *w, int wall) { return w->wall[wall].shape == SCREE_WALL_MESH; }
static inline Body *scree_body_of(const ScreeWorld *w, int wall) { return &w->body[w->body_of[wall]]; }

/* m, gaps beyond which count as this one: no listed pair was farther apart when the list was made. */
static inline double scree_widest_gap(const ScreeWorld *w) { return 2.0 * w->bulk.allowance[PACES - 1]; }

/* m, more than what rounding can do to the gap of two grains in a step, or to its measure. */
static inline double scree_gap_rounding(const ScreeWorld *w) {
  double farthest = w->max_radius;
  for (int k = 0; k < 3; k++) farthest = fmax(farthest, fmax(fabs(w->def.low[k]), fabs(w->def.high[k])));
  return 1e-14 * farthest;
}

/* Listed with a wall, which is no mesh? */
static inline bool scree_is_beside(const ScreeWorld *w, size_t grain, int wall) {
  return w->beside[grain * w->beside_width + (size_t)wall / 8] >> wall % 8 & 1;
}

static inline int scree_pace_of(const ScreeWorld *w, size_t grain) {
  return (int)(w->turn[grain].anchor >> PACE_SHIFT);
}
/* m, that the skin is chosen from upwards. */
static inline double scree_least_skin(const ScreeWorld *w) { return 0.03 * w->min_radius; }

/* m, of a pair that is listed: the sum of their reaches is the distance at most. */
static inline double scree_reach_of(const ScreeWorld *w, size_t grain) {
  return w->record[grain].r + w->bulk.allowance[scree_pace_of(w, grain)];
}

/* m, within which pairs of grains of a pace and walls are listed: what moves along a wall together should not need a
 * new list often, and such pairs are few. Far below half a period: of a mesh the image that was nearest remains the
 * one. */
static inline double scree_wall_skin(const ScreeWorld *w, int pace) {
  double skin = 6.0 * w->bulk.allowance[pace];
  for (int k = 0; k < 3; k++)
    if (w->def.periodic[k]) skin = fmin(skin, fmax(w->skin, 0.1 * (w->def.high[k] - w->def.low[k])));
  return skin;
}

/* Sums of what a contact beyond all bounds exerts may run over before the run ends for it. */
static inline void scree_add_wrapped(int64_t *sum, int64_t x) { *sum = (int64_t)((uint64_t)*sum + (uint64_t)x); }

static inline double scree_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline void scree_cross(const double *a, const double *b, double *c) {
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Vectors of a body's own coordinates to space, and back. */
static inline void scree_to_space(const Frame *f, const double *own, double *space) {
  for (int k = 0; k < 3; k++) space[k] = scree_dot(f->turn[k], own);
}
static inline void scree_to_own(const Frame *f, const double *space, double *own) {
  for (int k = 0; k < 3; k++) own[k] = f->turn[0][k] * space[0] + f->turn[1][k] * space[1] + f->turn[2][k] * space[2];
}
/* Where a point of its own coordinates is. */
static inline void scree_point_of(const Frame *f, const double *own, double *space) {
  double arm[3] = {own[0] - f->home[0], own[1] - f->home[1], own[2] - f->home[2]};
  scree_to_space(f, arm, space);
  for (int k = 0; k < 3; k++) space[k] += f->at[k];
}

/* Stiffness over what stops two grains alone within a step: a spring that holds as if it were rigid. All contacts of a
 * grain turn it together: with twelve neighbours that are no smaller (a smaller one counts less than their ratio of
 * surfaces) and 1/I = 2.5/(m r^2) the fastest of their modes has (omega dt)^2 = 30 SCREE_HOLDS at most, where velocity
 * Verlet bears 4, and less with a dashpot. */
#define SCREE_HOLDS 0.02

/* s, by which histories of contacts go on. */
static inline double scree_contact_dt(const ScreeWorld *w) { return w->starting ? 0.0 : w->dt; }

/* The friction on the first grain of a touching pair in the last step [N]. */
static inline void scree_friction_prev(const Class *c, const Pairs *q, size_t p, double *force) {
  double per = c->def.tangential == SCREE_LAW_NONE                ? 0.0
               : c->def.tangential == SCREE_LAW_tangential_linear ? -c->def.pair.param[SCREE_PARAM_kt]
                                                                  : 1.0;
  for (int k = 0; k < 3; k++) force[k] = c->dashes ? (double)q->friction_prev[k][p] : per * KEPT(q, shear[k], p);
}

/* material.c */
ScreeStatus scree_classes_prepare(ScreeWorld *w);
/* The pair of two grains, or of a grain and a wall (second NULL), ready to touch. */
ScreeStatus scree_contact_pair(const ScreeWorld *w, const Class *c, int ma, int mb, const Record *first,
                               const Record *second, ScreePair *pair);

/* order.c: sorts the grains in space; place[old] = new. */
ScreeStatus scree_sort_grains(ScreeWorld *w, int32_t *place);

/* list.c */
/* Where there are fewer, fewer threads are faster; tests of threads make it small. */
extern double scree_grains_per_thread;
extern size_t scree_grains_per_tile; /* at most; tests of several tiles make it small */
/* moved: where each of the `before` grains of the old list has gone, -1 for those that were taken out; NULL: all are in
 * their places. forced: because grains came or went, and not because the list was used up. */
ScreeStatus scree_rebuild(ScreeWorld *w, const int32_t *moved, size_t before, bool forced);
/* Some grains were taken out, and the gaps closed: the list holds for them as it did. Not with meshes, whose sites
 * know grains. */
void scree_list_forget(ScreeWorld *w, const int32_t *moved, size_t before);

/* bounds.c: a new list; whether the sums held what contacts exerted in this step, the heaviest this much [N^2]. */
void scree_bounds_listed(ScreeWorld *w);
ScreeStatus scree_bounds_check(ScreeWorld *w, double heaviest2);

/* skin.c: grains hardly move any more, and a list with far fewer pairs would do. */
bool scree_list_is_wide(const ScreeWorld *w);

/* pairs.c */
void scree_pairs_free(Pairs *pairs);
void scree_pairs_free_spare(ScreeWorld *w);
void scree_pairs_tidy(ScreeWorld *w); /* the same where the next list is late */

/* share.c */
/* Where the grains of each thread begin in the list that comes, and where those of the last end: threads + 1 numbers.
 */
void scree_share_grains(const ScreeWorld *w, size_t *first);
/* What the contacts of a thread's grains cost in the present list, about, in cycles. */
double scree_share_cost(const ScreeWorld *w, int thread);
bool scree_shares_are_even(const ScreeWorld *w);
extern bool scree_shares_timed;         /* tests of what must not change from run to run: false */
void scree_shares_learn(ScreeWorld *w); /* what a list's contacts took; before the next one is made */
/* When a thread takes tiles of others: when its own are done; tests: never, or before its own. */
typedef enum { HELP_WHEN_DONE, HELP_NEVER, HELP_FIRST } Helpfulness;
extern Helpfulness scree_helpfulness;

/* bulk.c */
/* After a step of positions, for each pace: the box of the grains' velocities, and that of u - B x. */
void scree_bulk_step(ScreeWorld *w, const Extent *u, const Extent *rest);
/* Before a list is made: the field, what each grain is allowed and where it is. */
void scree_bulk_begin(ScreeWorld *w);
/* The share of what the list allows that grains of each pace have used up. */
double scree_bulk_used(const ScreeWorld *w, double share[PACES]);
bool scree_needs_rebuild(ScreeWorld *w);
/* Every pair that could touch is listed; more > 0: also when grains and walls have moved by so much [m] in one step
 * more.
 */
bool scree_list_holds(const ScreeWorld *w, double more);
bool scree_list_will_hold(ScreeWorld *w, double more); /* the same, by a look at all grains if need be */

/* motion.c: the halves of velocity Verlet. */
/* Velocity and spin of a grain in the middle of the step that comes. */
void scree_middle(const ScreeWorld *w, size_t grain, double *velocity, double *spin);
/* J, by which the scheme's energy of a grain under its present contacts lies below m v^2/2: what telescopes from step
 * to step and is zero again when its contacts have ended. */
double scree_telescoped(const ScreeWorld *w, size_t grain);
ScreeStatus scree_drift(ScreeWorld *w);    /* positions to the end of the step, velocities predicted */
ScreeStatus scree_correct(ScreeWorld *w);  /* velocities of the end of the step */
ScreeStatus scree_turnover(ScreeWorld *w); /* correct, then the drift of the next step, in one sweep */
void scree_turnover_begin(ScreeWorld *w);  /* the next turnover does what remains of it */
/* A thread's part of that: at first, and when a tile of its own is done. */
void scree_turnover_share(ScreeWorld *w, int number);
void scree_turnover_tile(ScreeWorld *w, int number, size_t tile);

/* early.c */
extern size_t scree_early_from; /* grains; tests of it make it small */
/* How the contacts of the step at hand are gone through, where so many steps follow by themselves. */
Pass scree_choose_pass(ScreeWorld *w, long steps);
/* Grains are where a pass that did contacts twice expected them; otherwise it fails. */
ScreeStatus scree_confirm_pass(const ScreeWorld *w);

/* pass.c */
ScreeStatus scree_workers_create(ScreeWorld *w);
void scree_workers_destroy(ScreeWorld *w);
size_t scree_workers_bytes(const ScreeWorld *w);
/* Sets too_deep where a contact is beyond the limit but the step is whole; fails where it cannot be. Other passes
 * than PASS_ALONE: a turnover follows, and begins with it. */
ScreeStatus scree_contacts(ScreeWorld *w, Pass pass);
/* The deepest contact of the last step, in a sentence. */
ScreeStatus scree_explain_overlap(const ScreeWorld *w, long step);
/* Loads that threads kept for the grains of others: each adds what is for its own. */
void scree_collect_deferred(ScreeWorld *w, int number);

/* wall.c: checks a wall and splits it into the parts the engine knows (six at most). */
ScreeStatus scree_wall_prepare(const ScreeWallDef *def, ScreeWallDef *parts, int *count);
/* The unit vector from the centre towards the wall, and the distance of the centre from it. Close to an axis of
 * symmetry the vector is shorter (wall.c). lever: from the reference point of a body that turns, or of its
 * nearest image, to the centre; of others from the origin. */
double scree_wall_gap(const ScreeWorld *w, int wall, const Record *grain, double *normal, double *lever);
/* The wall that a grain is nearest to, as the walls stand now, and the distance of its centre from it [m]; infinite and
 * -1 where there are none. */
double scree_nearest_wall(const ScreeWorld *w, const Record *grain, int *wall);
bool scree_wall_is_bounded(const ScreeWallDef *wall); /* it ends within the domain: it has images */
/* How far at most the gap to a point of the domain changed from one pose to another [m]: a cylinder that turns about
 * its axis or a plane that moves in itself goes nowhere. */
double scree_wall_shift(const ScreeWorld *w, const ScreeWallDef *wall, const Frame *then, const Frame *now);

/* body.c: the bodies that walls belong to. */
ScreeStatus scree_body_add(ScreeWorld *w, int first, int count);
void scree_bodies_free(ScreeWorld *w);
void scree_bodies_prepare(ScreeWorld *w);       /* reference points, and the poses of the world's time */
double scree_bodies_lever(const ScreeWorld *w); /* m, how far reference points are from the origin */
double scree_bodies_speed(const ScreeWorld *w); /* m/s, bound of the walls' speeds within the domain */
ScreeStatus scree_bodies_start(ScreeWorld *w);  /* what servos left open is chosen; no wall may be too fast */
ScreeStatus scree_bodies_drift(ScreeWorld *w);  /* to the end of the step; the first half of its work */
void scree_bodies_feel(ScreeWorld *w);          /* the loads of the contacts just computed */
void scree_bodies_correct(ScreeWorld *w);       /* the second half of the step's work */
bool scree_bodies_rest(const ScreeWorld *w);    /* none moves, and none comes or goes in the next two steps */
void scree_bodies_listed(ScreeWorld *w);        /* the list holds for where they are now */
void scree_walls_seen(ScreeWorld *w);           /* the same of walls that are no meshes: their gaps were looked at */
/* Velocities of a wall's surface at a lever, and its spin; nothing moves: zeros. */
typedef struct Surface {
  double v[3], u[3], w[3]; /* u, w: of the middle of the step */
} Surface;
Surface scree_surface(const Frame *f, const double *lever);

/* path.c: motions as functions of time. */
ScreeStatus scree_motion_prepare(const ScreeMotionDef *def, Course *course);
/* A motion's part of a pose at a time: it carries what came before it. */
void scree_motion_carry(const Course *course, double time, Frame *frame);
/* The same, but nothing moves, or only this servo at a rate of one: how the frame goes with its coordinate. */
void scree_motion_probe(const Course *course, double time, bool moves, Frame *frame);
double scree_motion_speed(const Course *course, double *spin); /* the largest [m/s], and rad/s */
bool scree_motion_runs(const Course *course, double time);

/* change.c */
/* Closes the gaps that grains leave: tile by tile, whose last grains fill its gaps and what the tiles before it left
 * over. So few grains move where few go, and all stay in their tiles. moved: where everybody has gone; -1: who is taken
 * out. */
void scree_close_gaps(ScreeWorld *w, const uint8_t *gone, int32_t *moved);
/* Takes the grains of these indices out, which are in the order of their ids, and books them. */
ScreeStatus scree_take_out(ScreeWorld *w, const int32_t *grain, size_t count);
/* Puts new grains in that were checked already, with ids of their own. */
ScreeStatus scree_put_in(ScreeWorld *w, const ScreeGrain *grain, size_t count);
double scree_grain_mass(const ScreeWorld *w, double radius, int material);

/* flow.c: outlets, streams and the domain, at the end of a step. */
ScreeStatus scree_flow_prepare(ScreeWorld *w);
static inline bool scree_flow_is_due(const ScreeWorld *w, long step) { return step % w->look_every == 0; }
/* whole: velocities are those of the end of the step; they are after it, if anything changed. */
ScreeStatus scree_flow(ScreeWorld *w, bool *whole);
void scree_flow_free(ScreeWorld *w);

/* mesh.c */
ScreeMesh *scree_mesh_share(const ScreeMesh *mesh); /* one owner more */

/* site.c: the direction from the centre to the mesh that a slot's contact had, in space. */
void scree_mesh_normal(const ScreeWorld *w, const Pairs *pairs, size_t pair, int wall, double *normal);

/* ledger.c */
/* J, kinetic and potential energy of a grain; nothing of a fixed one. */
double scree_grain_energy(const ScreeWorld *w, size_t grain);
/* J, what the springs of a touching pair hold. */
typedef struct Held {
  double normal, tangential, rolling;
} Held;
Held scree_held(const ScreeWorld *w, size_t pair);
/* The energy a touching pair stores at an overlap, by its law as it was frozen and its memory. */
double scree_stored(const ScreeWorld *w, const Class *c, const Pairs *pairs, size_t pair, double overlap);

/* Shortest image of a difference vector. */
static inline double scree_image(const ScreeWorld *w, int axis, double dx) {
  if (!w->def.periodic[axis]) return dx;
  double length = w->def.high[axis] - w->def.low[axis];
  if (dx > 0.5 * length) return dx - length;
  if (dx < -0.5 * length) return dx + length;
  return dx;
}

#endif
