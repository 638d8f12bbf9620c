/* models.h: the catalogue of contact laws and one law at work.
 *
 * A law is one row of catalogue.def and one src/models/<law>.inl. The path from numbers to a force:
 *
 *     ScreePairDef  what a user knows: stiffness or materials and geometry, mass, restitution, parameters
 *         |  scree_pair_prepare: checks everything, solves for the damping factor; once per pair of materials
 *     ScreePair     prepared constants
 *         |  scree_law_touch: freezes what the law latches at first touch (impact speed); once per contact
 *     ScreeLaw      a few coefficients; with up to SCREE_MAX_SLOTS numbers of memory this is all a contact carries
 *         |  scree_law_force, scree_law_damping, scree_law_stored; scree_batch_force for many at once
 *       force
 */
#ifndef SCREE_MODELS_H
#define SCREE_MODELS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the catalogue ------------------------------------------------------------------------------------------- */

typedef enum ScreeGroup { SCREE_POINT, SCREE_PLASTIC, SCREE_LINE, SCREE_TANGENTIAL, SCREE_GROUP_COUNT } ScreeGroup;

/* What a law's row says about it; the tests hold every law to its flags. */
typedef enum ScreeLawFlag {
  SCREE_USES_V0 = 1 << 0,       /* latches the impact speed at first touch */
  SCREE_CONSTANT_E = 1 << 1,    /* restitution does not depend on the impact speed */
  SCREE_ATTRACTIVE = 1 << 2,    /* pulls at the end of a free impact unless clamped */
  SCREE_EMPIRICAL = 1 << 3,     /* no restitution in the law: a requested one calibrates the first parameter */
  SCREE_FREE_EXPONENT = 1 << 4, /* the elastic exponent may be changed */
  SCREE_DELIVERS_E = 1 << 5,    /* the requested restitution is delivered exactly (in the law's own convention) */
  SCREE_LOOP_WORK = 1 << 6,     /* no recoverable energy is defined; only the work of the loop is reported */
  SCREE_SELF_CLAMPED = 1 << 7,  /* the law itself sets F = 0 before the overlap returns to zero */
  SCREE_INTERNAL_ONLY = 1 << 8, /* line law of a pin in a hole; refuses external contact */
  SCREE_ELASTIC = 1 << 9,       /* conservative by itself: luo_nahon can wrap it; line laws take any law's factor */
  SCREE_FACTOR = 1 << 10,       /* Hunt-Crossley form: its factor X(e) can damp any elastic law */
} ScreeLawFlag;

/* Requested restitution a law accepts. */
typedef enum ScreeDomain {
  SCREE_E_CLOSED, /* 0 <= e <= 1 */
  SCREE_E_OPEN,   /* 0 <  e <= 1 */
  SCREE_E_NONE,   /* the law takes none */
} ScreeDomain;

typedef enum ScreeLawId {
#define SCREE_LAW(id, ...) SCREE_LAW_##id,
#include "catalogue.def"
#undef SCREE_LAW
  SCREE_LAW_COUNT,
  SCREE_LAW_NONE = SCREE_LAW_COUNT
} ScreeLawId;

typedef enum ScreeParamId {
#define SCREE_PARAM(name) SCREE_PARAM_##name,
#include "params.def"
#undef SCREE_PARAM
  SCREE_PARAM_COUNT
} ScreeParamId;

/* One parameter of one law. */
typedef struct ScreeParamInfo {
  ScreeParamId id;
  const char *name;
  const char *unit;    /* as text; "1" for a pure number */
  double low, high;    /* limits, both allowed */
  double preset;       /* value when not given; NaN: no preset */
  const char *meaning; /* one line */
} ScreeParamInfo;

typedef struct ScreeLawInfo {
  ScreeLawId law;
  const char *name;
  const char *aliases; /* space separated, "" when none */
  ScreeGroup group;
  double exponent;         /* elastic exponent n; NaN when the law is no power law */
  double damping_exponent; /* m of the damping term d^m |v|^(r-1) v; n for laws that have none of their own */
  double rate_exponent;    /* r */
  int slots;               /* numbers of memory a contact carries */
  unsigned flags;          /* ScreeLawFlag */
  ScreeDomain domain;
  const char *reference;
  const char *formula;
  const char *limits; /* validity in words */
  const ScreeParamInfo *params;
  int param_count;
} ScreeLawInfo;

/* NULL when law is out of range. The catalogue lives as long as the program. */
SCREE_API const ScreeLawInfo *scree_law_info(ScreeLawId law);

/* Finds a law by its name or one of its aliases. SCREE_UNKNOWN names the nearest laws in the sentence. */
SCREE_API ScreeStatus scree_law_find(const char *name, ScreeLawId *law);

SCREE_API const char *scree_group_name(ScreeGroup group);
SCREE_API const char *scree_param_name(ScreeParamId param);
/* The parameter of that law, or NULL when it takes none of that name. */
SCREE_API const ScreeParamInfo *scree_law_param(ScreeLawId law, const char *name);

/* SCREE_INVALID with the law's domain in the sentence when it does not take this restitution; NaN is "not given". */
SCREE_API ScreeStatus scree_law_accepts(ScreeLawId law, double restitution);
/* Damping factor X(e) of a Hunt-Crossley law; NaN for laws that have none. */
SCREE_API double scree_law_factor(ScreeLawId law, double restitution);

/* ---- stiffness -------------------------------------------------------------------------------------------------- */

typedef enum ScreeGeometry {
  SCREE_NO_GEOMETRY, /* stiffness and mass are given as numbers */
  SCREE_SPHERE_SPHERE,
  SCREE_SPHERE_PLANE,
  SCREE_SPHERE_IN_SPHERE,  /* body 1 is the hollow, body 2 the ball */
  SCREE_PLANE_PLANE,       /* square patch of half width a; linear */
  SCREE_CYLINDER_INTERNAL, /* body 1 is the hole, body 2 the pin */
  SCREE_CYLINDER_EXTERNAL,
} ScreeGeometry;

typedef struct ScreeMaterial {
  double young;   /* Pa */
  double poisson; /* 1 */
  double density; /* kg/m3 */
} ScreeMaterial;

/* E* = 1/((1-nu1^2)/E1 + (1-nu2^2)/E2) [Pa] */
SCREE_API double scree_composite_modulus(ScreeMaterial a, ScreeMaterial b);
/* 1/G* = (2-nu1)/G1 + (2-nu2)/G2 [Pa] */
SCREE_API double scree_composite_shear_modulus(ScreeMaterial a, ScreeMaterial b);
/* R of the pair [m]; infinite or NaN where the geometry has none. */
SCREE_API double scree_effective_radius(ScreeGeometry geometry, double r1, double r2);
/* K and its exponent. size1, size2: radii; for plane_plane size1 is the half width a. */
SCREE_API ScreeStatus scree_stiffness(ScreeGeometry geometry, ScreeMaterial a, ScreeMaterial b, double size1,
                                      double size2, double *stiffness, double *exponent);

/* ---- one pair --------------------------------------------------------------------------------------------------- */

/* A conservative force of the user's own, for luo_nahon. energy may be NULL: it is then integrated numerically. */
typedef struct ScreeElastic {
  double (*force)(double overlap, void *user);  /* N, > 0 for overlap > 0 */
  double (*energy)(double overlap, void *user); /* J */
  void *user;
} ScreeElastic;

typedef struct ScreePairDef {
  double stiffness;   /* K [N/m^n] */
  double exponent;    /* n; NaN: the law's own */
  double mass;        /* effective mass [kg]; NaN: from radii and densities of spheres, where given */
  double restitution; /* requested */
  double speed;       /* impact speed v0 [m/s] (in a particle run: the expected one) */
  double min_speed;   /* floor of the latched speed [m/s] */
  double param[SCREE_PARAM_COUNT];

  ScreeGeometry geometry;
  double radius[2];          /* m */
  double length;             /* m, of a line contact */
  double half_width;         /* m, plane_plane */
  ScreeMaterial material[2]; /* the second defaults to the first where NaN */

  ScreeLawId damping;         /* line laws, luo_nahon: whose factor damps; SCREE_LAW_NONE: the law's default */
  ScreeLawId elastic;         /* luo_nahon: the wrapped elastic law; SCREE_LAW_NONE: K d^n */
  const ScreeElastic *custom; /* luo_nahon: the user's own elastic force; outlives the pair */
  const char *variant;        /* line laws: "recommended" (default), "printed" or the law's own; outlives the pair */
} ScreePairDef;

/* All NaN, no geometry, min_speed 1e-9. */
SCREE_API ScreePairDef scree_pair_def_default(void);
/* The case of Table 2 of the review by Skrinjar, Slavic & Boltezar (Int. J. Mech. Sci. 145, 2018, 171-187):
 * m = 4.6 kg, K = 5.2e9, 0.3 m/s as printed there. K is that of aluminium spheres of 20 mm radius, and laws that need
 * sizes or moduli get those; such spheres would weigh 0.09 kg each. */
SCREE_API ScreePairDef scree_pair_def_review(void);
/* The journal bearing of the same review's Table 5: 5 mm hole, 4.75 mm pin, 15 mm long, steel, both free; 0.2 m/s. */
SCREE_API ScreePairDef scree_pair_def_joint(void);
/* Mass of a body [kg] from its radius and density (and the length of a cylinder); NaN when unknown, infinite for a
 * wall. */
SCREE_API double scree_pair_def_body_mass(const ScreePairDef *def, int body);
/* Effective mass [kg]: as given, else from both bodies, of which walls, hollows and holes are fixed; NaN when unknown.
 */
SCREE_API double scree_pair_def_mass(const ScreePairDef *def);
/* Sets a parameter by name; SCREE_UNKNOWN when the law takes none of that name. */
SCREE_API ScreeStatus scree_pair_def_set(ScreePairDef *def, ScreeLawId law, const char *name, double value);

/* Prepared pair: read only. */
typedef struct ScreePair {
  ScreeLawId law; /* the law that computes (luo_nahon over a line law becomes that law) */
  double k;       /* stiffness */
  double n, m, r; /* elastic, damping and rate exponents */
  double mass;
  double factor;                          /* latched damping: chi = factor/v0 + rate (Hunt-Crossley form) */
  double rate;                            /* damping that needs no v0 */
  double c;                               /* damping coefficient of the other forms */
  double min_speed;                       /* m/s */
  double u[8];                            /* the law's own constants, see its .inl */
  double limit;                           /* largest overlap the law allows [m]; infinite when none */
  double reduced_modulus, reduced_radius; /* E* [Pa], R [m]; NaN when unknown */
  const ScreeElastic *custom;
  double resolved[SCREE_PARAM_COUNT]; /* every parameter the law used or can report, NaN otherwise */
  ScreeLawId damping;                 /* line laws: whose factor damps; SCREE_LAW_NONE: nothing does, or chi_hat */
  char warning[192];                  /* a validity limit that is exceeded, "" when none */
} ScreePair;

SCREE_API ScreeStatus scree_pair_prepare(ScreeLawId law, const ScreePairDef *def, ScreePair *pair);

/* ---- one contact ------------------------------------------------------------------------------------------------ */

#define SCREE_MAX_SLOTS 2

typedef struct ScreeLaw {
  double n, m, r; /* exponents: the same for all contacts of a batch */
  double k;       /* stiffness */
  double chi;     /* damping */
  double u[6];    /* the law's own */
  const ScreeElastic *custom;
} ScreeLaw;

/* The calls below take normal laws (point, plastic, line), prepared; they check nothing, being made for inner loops.
 *
 * What the law freezes when a contact begins at approach speed v0 (<= 0: the contact began while separating, the
 * latched damping is off). memory: the law's slots, set to their start values. */
SCREE_API ScreeLaw scree_law_touch(const ScreePair *pair, double v0, double *memory);
/* Force [N] at overlap d > 0 [m] and rate v [m/s]; updates the memory of plastic laws. */
SCREE_API double scree_law_force(ScreeLawId id, const ScreeLaw *law, double d, double v, double *memory);
/* Viscous coefficient c [N s/m]: dissipated power is c v^2. */
SCREE_API double scree_law_damping(ScreeLawId id, const ScreeLaw *law, double d, double v, const double *memory);
/* Energy that the contact can still give back [J]. */
SCREE_API double scree_law_stored(ScreeLawId id, const ScreeLaw *law, double d, const double *memory);
/* Energy that plastic flow has consumed so far [J]: a function of the memory alone. */
SCREE_API double scree_law_lost(ScreeLawId id, const ScreeLaw *law, const double *memory);
/* Overlap at which an unloading contact ends [m]: 0, or the permanent dent of a plastic law. */
SCREE_API double scree_law_rest(ScreeLawId id, const ScreeLaw *law, const double *memory);
/* Changes sign where the law changes branch; NaN when it has no branches. */
SCREE_API double scree_law_branch(ScreeLawId id, const ScreeLaw *law, double d, double v, const double *memory);
/* Rate of the first memory slot of laws whose memory flows with time; 0 otherwise. */
SCREE_API double scree_law_rate(ScreeLawId id, const ScreeLaw *law, double d, double v, const double *memory);

/* ---- many contacts ---------------------------------------------------------------------------------------------- */

/* Contiguous arrays of `count` values that do not overlap, 64-byte aligned for speed (not required). All contacts share
 * law and exponents; coefficients are per contact, copied from the ScreeLaw that scree_law_touch returned (k, chi,
 * u[0..5] as the law uses them). An array the law does not read may be NULL; when in doubt fill all. memory: the law's
 * slots. root, fourth: sqrt(d) and its root where
 * both are known, which spares the law its own; else NULL. */
typedef struct ScreeBatch {
  size_t count;
  double n, m, r;
  const double *d, *v, *root, *fourth;
  const double *k, *chi;
  const double *u[6];
  double *memory[SCREE_MAX_SLOTS];
  double *force;
} ScreeBatch;

/* Writes force[i] for all i. The bits are those of scree_law_force for every instruction set. */
SCREE_API void scree_batch_force(ScreeLawId id, const ScreeBatch *batch);

/* Instruction sets of the batch kernels, and the one in use ("x86-64-v2", "-v3", "-v4" or "generic"). */
SCREE_API int scree_batch_isa_count(void);
SCREE_API const char *scree_batch_isa_name(int index);
SCREE_API const char *scree_batch_isa(void);
/* Chooses one by name for the whole process, for tests and measurements; SCREE_UNSUPPORTED when this processor lacks
 * it. */
SCREE_API ScreeStatus scree_batch_use_isa(const char *name);

/* ---- line contacts ---------------------------------------------------------------------------------------------- */

typedef struct ScreeLineResult {
  double overlap;          /* m */
  double force;            /* N */
  double force_per_length; /* N/m */
  double stiffness;        /* dF/dd [N/m] */
  double overlap_limit;    /* m, infinite when the law has none */
  double energy;           /* J */
} ScreeLineResult;

SCREE_API ScreeStatus scree_line_force(ScreeLawId law, const ScreePairDef *def, double overlap, ScreeLineResult *out);
/* The overlap that carries a force [N]. */
SCREE_API ScreeStatus scree_line_overlap(ScreeLawId law, const ScreePairDef *def, double force, ScreeLineResult *out);

/* ---- tangential laws -------------------------------------------------------------------------------------------- */

typedef enum ScreeRegularisation { SCREE_TANH, SCREE_SQRT } ScreeRegularisation;

/* Prepared constants of a tangential law for one pair. */
typedef struct ScreeTangential {
  ScreeLawId law;
  double friction;        /* mu */
  double shear_stiffness; /* mindlin: 8 G* sqrt(R) [N/m^1.5], so k_t = shear_stiffness sqrt(d) */
  double kt, gt;          /* tangential_linear: N/m, N s/m */
  double veps;            /* coulomb: m/s */
  ScreeRegularisation regularisation;
} ScreeTangential;

/* From a pair's materials, radii and parameters (mu, kt, gt, veps, Gstar, Reff); the regularisation is tanh. */
SCREE_API ScreeStatus scree_tangential_prepare(ScreeLawId law, const ScreePairDef *def, ScreeTangential *tangential);
/* Tangential stiffness at overlap d [N/m]; 0 for coulomb. */
SCREE_API double scree_tangential_stiffness(const ScreeTangential *t, double d);
/* Force of the regularised coulomb law on the sliding speed vt. */
SCREE_API double scree_coulomb_force(const ScreeTangential *t, double normal_force, double vt);
/* One step of a law with history, in the contact plane. In: stored force f and overlap at the last step (memory),
 * displacement increment dx = vt dt. Out: the new force (also stored). */
SCREE_API double scree_tangential_step(const ScreeTangential *t, double d, double normal_force, double vt, double dt,
                                       double memory[2]);

#ifdef __cplusplus
}
#endif
#endif
