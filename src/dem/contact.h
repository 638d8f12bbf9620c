/* contact.h: what a thread works with between positions and forces. Private to contact.c, pass.c and the kernels. */
#ifndef SCREE_CONTACT_H
#define SCREE_CONTACT_H

#include "core/isa.h"
#include "cull.h"
#include "engine.h"
#include "mesh.h"
#include "sweep.h"

enum { GROUPS = 16, BLOCK = GROUPS * LANES + 8 };
enum { GROUPS_AT_ONCE = 64 }; /* of near runs, that are looked through for those awake */

/* What pairs keep, brought together from where they lie. */
typedef struct Pack {
  _Alignas(64) Eight eight[GROUPS];
  double k[BLOCK], chi[BLOCK], memory[BLOCK], own[6][BLOCK], roll[3][BLOCK], twist[BLOCK];
  float press[BLOCK], torque_prev[3][BLOCK], friction_prev[3][BLOCK];
  size_t from[BLOCK]; /* their places in the list */
  int count;
} Pack;

/* Some groups of eight pairs of a run, as contiguous arrays. Lanes that do not touch have d = 0. The pairs follow each
 * other in the list or, where few of it touch, are those that do, packed. */
typedef struct Block {
  _Alignas(64) double n[3][BLOCK];   /* from the first grain to the second */
  double d[BLOCK], v[BLOCK];         /* overlap, approach speed */
  double per[BLOCK];                 /* of grains: 1/distance */
  double root[BLOCK], fourth[BLOCK]; /* of d, and its root */
  double arm1[BLOCK], arm2[BLOCK];   /* from the centres to the middle of the overlap; of even runs the first is both */
  double reff[BLOCK], root_reff[BLOCK];
  double k[BLOCK], chi[BLOCK]; /* of runs that are alike: what all pairs have; others keep their own */
  double memory[BLOCK], force[BLOCK];
  double secant[BLOCK]; /* N/m, force at rest over overlap: of rolling springs on laws that are no power of it */
  /* velocity of the first grain's surface relative to the second's in the contact plane, in the middle of the step */
  double slide[3][BLOCK];
  double turned[BLOCK];              /* angle that the contact turned about its normal in the step */
  double rub[3][BLOCK];              /* what friction remembers, then its force on the first grain */
  double shrink[BLOCK], adds[BLOCK]; /* of Mindlin's law (kernels.c) */
  double dash[3][BLOCK];             /* friction of the last step, turned with the contact, where a dashpot is in it */
  double spin[3][BLOCK];             /* of the first grain relative to the second, in the middle of the step */
  double resist[3][BLOCK];
  double lever[3][BLOCK]; /* of walls: from the reference point of the wall's body to the contact */
  double grip[BLOCK];     /* of walls: 1, or 0 where a normal shorter than one cannot carry friction */
  Pairs at;               /* what the pairs keep: arrays that begin with the block's first; k and chi above, if alike */
  size_t pair;            /* the first in the list */
  bool packed;
  bool even, alike;                     /* as the run */
  double radius;                        /* of all grains of an even run */
  double all_reff, all_k, all_chi;      /* what reff (NaN: of nothing in particular), k and chi are full of */
  uint8_t touch[GROUPS], known[GROUPS]; /* bit per lane: touches now; touched before */
  bool begins[GROUPS + 1];              /* another slice than that of the group before; true after the last */
  unsigned changes;                     /* some contact begins or ends */
  int groups, active;                   /* active: lanes that touch or touched, between grains */
  int slips; /* of a run so far: lanes of registers in which some are beyond the limit of friction */
  Pack pack;
  double max_overlap; /* of the smaller radius, over the blocks of a step so far */
} Block;

/* Where a pair of the block lies in the list. */
static inline size_t scree_place_of(const Block *b, int s) { return b->packed ? b->pack.from[s] : b->pair + (size_t)s; }

/* The block begins with this pair of the list, and the next ones follow. What pairs that are alike have is at hand;
 * with each of them it lies where nobody else looks, and would have to be waited for. */
static inline void scree_block_begin(const ScreeWorld *w, Block *b, size_t p) {
  const Pairs *q = &w->pairs;
  b->pair = p;
  b->packed = false;
  b->at = (Pairs){.eight = q->eight + p / LANES, .press = q->press + p};
  b->at.k = b->alike ? b->k : q->k + p, b->at.chi = b->alike ? b->chi : q->chi + p;
  for (int k = 0; k < 3 && w->rolls; k++) b->at.roll[k] = q->roll[k] + p;
  if (w->twists) b->at.twist = q->twist + p;
  for (int k = 0; k < 3 && w->resists; k++) b->at.torque_prev[k] = q->torque_prev[k] + p;
  for (int k = 0; k < 3 && w->dashes; k++) b->at.friction_prev[k] = q->friction_prev[k] + p;
  for (int k = 0; k < w->constants; k++) b->at.own[k] = q->own[k] + p;
  if (w->slots > 0) b->at.memory = q->memory + p;
}

static inline const double *scree_second_arm(const Block *b) { return b->even ? b->arm1 : b->arm2; }

__extension__ typedef __int128 Wide;

/* What a thread adds up of contacts besides forces. Work in energy units. */
typedef struct Tally {
  Wide viscous, plastic, clamp, tangential, rolling;
  size_t lost;      /* pair + 1 whose force is no number, the first by ids */
  double heaviest2; /* N^2, what the contact exerts that exerts most, of those that are not light */
  ScreeStatus status;
  char sentence[200]; /* of a library call that failed: the last error is the thread's own */
} Tally;

/* What a look at a thread's grains finds (bulk.c). */
typedef struct Look {
  Extent strayed[PACES], moved[PACES];   /* m, of Y - X; of x - X, where there is a gradient */
  double strayed2[PACES], moved2[PACES]; /* m2, largest */
  double fastest2;                       /* (m/s)^2, of speeds against the field */
  double gap[PACES];                     /* m, least of those to walls that are not listed */
} Look;

/* Prepared pairs of the last contacts that began: in a bed of equal grains all are the same. */
typedef struct Recent {
  const Class *class;
  Record first, second;
  int material; /* of the first */
  bool wall;
  ScreePair pair;
} Recent;

/* What a grain of another thread's gets: its load, as loads lie. */
typedef struct Elsewhere {
  int64_t four[4], two[2];
  int32_t grain;
} Elsewhere;
/* What waits to be added to grains of others: sums of those that its runs `away` touch, and single loads of the rest,
 * pairs that began to touch since, and tiles that were done for others. */
typedef struct Elsewheres {
  Elsewhere *item;
  size_t count, capacity;
  Loads sum;   /* one for each grain of the border */
  bool summed; /* something was added to them */
} Elsewheres;

/* Grains of others that a thread's runs `away` touch, in order while none was taken out; for each group of these runs,
 * which of them its second grains are. Made with the list. */
typedef struct Border {
  int32_t *grain;
  size_t grains;
  int32_t (*slot)[LANES];
  size_t groups;
} Border;

/* Where a thread adds what grains bear: load[grain], of these grains. The others' wait. */
typedef struct Sums {
  Loads load;
  size_t first, last;
  const Border *border; /* NULL: it does a tile for another, whose border is not its own */
} Sums;

/* A tile of another thread's that this one did, and what its grains bear of it. */
typedef struct Help {
  size_t tile, room; /* grains that there is room for */
  Loads load;
} Help;

enum { AT_OTHERS = 1, AT_SLOTS = 2 }; /* bits of a busy group */

/* A grain beside a mesh (site.c). */
typedef struct MeshSite {
  int32_t grain, body;
  size_t view, views;
  size_t pair, more; /* the pairs of the first slot, and of those after it */
  bool idle;         /* no slot has a contact, and its spots say so */
  bool several;      /* slots after the first may have contacts; if not, their spots say so */
} MeshSite;

/* An image of the mesh, as the site saw it when the list was made. */
typedef struct View {
  double lever[3]; /* from the reference point of the body to the centre */
  double own[3];   /* the centre in the mesh's own coordinates */
  size_t near, count;
} View;

/* The place of one slot: what a wall's gap, normal and lever are. */
typedef struct Spot {
  double n[3], gap, lever[3];
  int32_t facet;
} Spot;

typedef struct Sites {
  MeshSite *site;
  View *view;
  NearList near;
  Spot *spot; /* sites x MESH_SLOTS */
  size_t sites, site_capacity, views, view_capacity;
  Feet feet;
  /* A byte per group of the thread's pairs: one is with a wall that is no mesh; a slot of it has a contact, or had one.
   * The others are passed over (side.c). */
  uint8_t *busy;
  size_t groups, first_group;
  bool listed;     /* since the last step */
  Wide (*wear)[2]; /* per facet of all meshes that wear: work of normal forces and of friction, in energy units */
} Sites;

/* A grain beside a mesh, among what is near its cluster; false: no memory. */
bool scree_site_add(const ScreeWorld *w, Sites *sites, const Cull *cull, int wall, size_t grain, bool *found);
bool scree_sites_listed(Sites *sites);                 /* room for the spots; false: no memory */
bool scree_sites_touch(ScreeWorld *w, Worker *worker); /* false: no memory */
void scree_sites_clear(Sites *sites);
void scree_sites_free(Sites *sites);
size_t scree_sites_bytes(const Sites *sites);

/* Adds to the work on the triangle that the pair's slot touches, in energy units. */
void scree_wear(const ScreeWorld *w, Worker *worker, size_t pair, int64_t normal, int64_t shear);

enum { FAR = 24 }; /* groups between the fetching of what they keep and its use */

/* What is fetched for the next tile, and how much of it with each group of this one (kernels.c). */
typedef struct Ahead {
  size_t grain, grain_end, other, other_end, pair, pair_end;
  int grains_each, others_each;
} Ahead;

/* What a thread gathers in a step, of contacts and of the sweep after them. */
typedef struct Gathered {
  Tally tally;
  double max_overlap; /* of the smaller radius */
  Wide (*wall)[6];    /* force and torque on each wall */
  Sweep sweep;
  Elsewheres *owed; /* two: what others may read, and what came after they might */
  int late;         /* which of them grows */
} Gathered;

struct Worker {
  Block block;
  Ahead ahead;
  Gathered now, next; /* of the step at hand; of the other one, where a pass does contacts of two */
  double to_come;     /* m, that grains may close in by until the step at hand */
  size_t front[2],
      gone[2]; /* tiles of its own before these have met, and gone on, in either step of a pass (early.c) */
  Look look;
  Recent recent[4];
  size_t first, last; /* grains whose loads this thread owns */
  size_t tile, tile_end;
  size_t head, tail;     /* its tiles that owe loads to others lie before the one and from the other on (early.c) */
  size_t waits, waiting; /* its tiles that wait for others; those that have not gone on in this pass */
  _Alignas(64) atomic_uint_least64_t open; /* its tiles that nobody has begun (share.c); on a line of its own */
  /* What its tiles owe to others, when all of it has been gathered; whether those that others meet have gone on. */
  _Atomic(const Elsewheres *) shown;
  atomic_bool moved;
  _Alignas(64) Sums sums;
  const Sites *beside; /* where the tile at hand has its grains beside meshes: its owner's */
  Border border;
  Elsewheres owed[2][2]; /* what it has to add to the others' grains, of each step of a pass (Gathered) */
  bool got;              /* what the others have shown was added to its own */
  double dearer;         /* what its tiles' contacts take, over what their pairs say, relative to all threads' */
  double took, reckoned; /* both, of the passes that were timed since it was learnt (share.c) */
  int learnt;            /* lists that `dearer` is the mean of */
  Help *help;            /* what it did of the others' tiles in this step */
  size_t helps, help_capacity;
  Sites sites;
  Cull cull;
  bool no_memory;
};

/* Compiled once per instruction set (kernels.c). */
typedef struct Kernels {
  /* Overlaps, normals and approach of the run's pairs from `pair` on, until the block is full; groups in which nothing
   * touches or touched are passed over, or end the block. Returns the pair to go on with. */
  size_t (*geometry)(const ScreeWorld *w, const Run *run, size_t pair, Worker *worker);
  /* The same of runs of which little touches: those pairs alone are packed into the block. */
  size_t (*pick)(const ScreeWorld *w, const Run *run, size_t pair, Worker *worker);
  /* Of pairs of grains: how their surfaces slide, what friction remembers, and the roots that laws need. */
  void (*slide)(const ScreeWorld *w, const Run *run, Block *b);
  /* Laws that latch the impact speed: keeps it up with the overlap. */
  void (*latch)(ScreeWorld *w, const Run *run, Block *b);
  /* Friction, work, and the sums. */
  void (*finish)(ScreeWorld *w, const Run *run, Worker *worker);
} Kernels;

#define SCREE_DEM_KERNELS(isa, name) extern const Kernels scree_dem_kernels_##isa;
SCREE_ISA_LIST(SCREE_DEM_KERNELS)
#undef SCREE_DEM_KERNELS

/* As the kernel `geometry`, for walls (side.c). */
typedef size_t SideKernel(const ScreeWorld *w, const Run *run, size_t pair, Worker *worker);
#define SCREE_DEM_SIDE(isa, name) extern SideKernel *const scree_dem_side_##isa;
SCREE_ISA_LIST(SCREE_DEM_SIDE)
#undef SCREE_DEM_SIDE
size_t scree_sides(const ScreeWorld *w, const Run *run, size_t pair, Worker *worker); /* the one in use */

/* contact.c: forces of a tile's contacts, and what else comes of them. */
void scree_run_tile(ScreeWorld *w, Worker *worker, size_t tile);

/* elsewhere.c: room for one more; false: no memory, of which the pass will tell. */
bool scree_grow_owed(Worker *worker, Elsewheres *owed);

/* One more that a grain of another thread's will get, its load to be written; NULL: no memory. What others may be
 * reading stays as it is. */
static inline Elsewhere *scree_owe(Worker *worker, int32_t grain) {
  Elsewheres *owed = &worker->now.owed[worker->now.late];
  if (owed->count == owed->capacity && !scree_grow_owed(worker, owed)) return NULL;
  owed->item[owed->count].grain = grain;
  return &owed->item[owed->count++];
}

/* Finds the threads' borders anew, of a new list whose runs are the world's already. */
ScreeStatus scree_borders_find(ScreeWorld *w, const Pairs *pairs);
/* Grains lie elsewhere now, or are gone: negative. before, none: the sentinel's numbers, until now and from now on. */
void scree_border_move(Border *border, const int32_t *moved, int32_t before, int32_t none);
/* Nothing is owed yet. */
void scree_owe_nothing(const Worker *worker, Elsewheres *owed);
/* What a thread's tiles owe to others is complete, and they may have it. */
void scree_show_owed(Worker *worker);
/* Adds to a thread's grains what the others owe them, once and as soon as all have shown it; false: not yet. */
bool scree_get_owed(ScreeWorld *w, int number);
void scree_owed_free(Worker *worker);
size_t scree_owed_bytes(const Worker *worker);
bool scree_help_room(const ScreeWorld *w, Worker *worker); /* for one more tile */
/* From now on the thread adds up what the grains of another's tile bear; scree_help_end: what its own do. */
void scree_help_begin(const ScreeWorld *w, Worker *worker, const Worker *owner, size_t tile);
void scree_help_end(const ScreeWorld *w, Worker *worker);
void scree_help_free(Worker *worker);
size_t scree_help_bytes(const Worker *worker);

/* share.c */
bool scree_share_is_timed(const ScreeWorld *w); /* are the contacts of the pass at hand? */
uint64_t scree_ticks(void);                     /* of a clock that goes evenly */
void scree_share_timed(ScreeWorld *w, Worker *worker, size_t tile, uint64_t ticks); /* one of its own */
void scree_open_tiles(Worker *worker, size_t end);  /* its own before an end: nobody has begun one */
bool scree_take_tile(Worker *worker, size_t *tile); /* the next of its own */
bool scree_others_need_help(const ScreeWorld *w, int number, uint32_t few); /* has anybody more than a few left? */
/* The last one of who has most left, whom it returns; NULL: nobody has more than a few. */
const Worker *scree_take_others(const ScreeWorld *w, int number, uint32_t few, size_t *tile);
/* Does a thread's own tiles, or other pieces of work, from a first one to an end, and then the last ones of those who
 * have more than a few left. What a piece is done to must not depend on who does it. */
typedef void PieceJob(void *context, int number, const Worker *owner, size_t piece);
enum { HELPS_NOBODY = 0x7fffffff };
void scree_do_pieces(const ScreeWorld *w, int number, size_t first, size_t end, uint32_t few, PieceJob *job,
                     void *context);
/* The last forces of a contact that ended do half a step's work over the approach v and the slide of the step's
 * middle. */
void scree_end_contact(const ScreeWorld *w, Worker *worker, const Class *c, const Pairs *pairs, size_t pair, double v,
                       const double *slide);
/* The same of the torques of rolling and twisting, over the spin of the first grain relative to the second. */
void scree_end_rolling(const ScreeWorld *w, Worker *worker, const Class *c, const Pairs *pairs, size_t pair,
                       const double *spin);
/* Chooses the pair that an error names, by ids and not by threads. a, b: pair + 1, or 0 for none. */
size_t scree_first_lost(const ScreeWorld *w, size_t a, size_t b);
/* A contact that is not light (bounds.c): what it exerts [N^2], and the larger of its works in units. */
void scree_note_heavy(const ScreeWorld *w, Worker *worker, size_t pair, double size2, double work);
/* A contact that goes on without force: what it stored at the last overlap and no longer does is lost. */
void scree_give_up(const ScreeWorld *w, Worker *worker, const Class *c, const Pairs *pairs, size_t pair,
                   double overlap);

#endif
