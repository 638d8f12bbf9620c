/* foreign.c: see foreign.h. Words are in lower case, without what stands between their letters and digits. */
#include "core/foreign.h"

#include <stddef.h>
#include <string.h>

enum { LONGEST = 40 };

/* Hertz and Hooke alone are laws of the catalogue too, but without the damping that their users mean. */
#define HERTZ "Hertz-Mindlin here is `normal: tsuji` (or zhang_sharf) with `tangential: mindlin`"
#define LINEAR                                                                                                         \
  "the linear spring and dashpot here is `normal: kelvin_voigt` with its `stiffness` in N/m, and `tangential: "        \
  "tangential_linear` with its `kt`"
#define NO_COHESION "cohesion is not there yet: grains do not attract each other"
#define NO_BONDS "bonds between grains are not there yet"
#define NO_SHAPES "grains are spheres: other shapes are not there yet"
#define NO_HEAT "heat is not there yet"
#define NO_FLUID "fluid between grains is not there yet"
#define MINDLIN "here it is `tangential: mindlin`, which rescales its spring while a contact unloads"
#define COULOMB "friction without a spring is `tangential: coulomb` here"
#define ROLLING "here it is `rolling`, a coefficient, or `rolling: {model: constant, coefficient: ...}`"
#define PLASTIC "the linear plastic contact here is `normal: hysteretic_linear`, without cohesion"

static const struct {
  const char *word, *here;
} rows[] = {
    /* ---- normal laws ---- */
    {"hertz", HERTZ},
    {"hertzmindlin", HERTZ},
    {"hertzian", HERTZ},
    {"hertzhistory", HERTZ},
    {"hertzmaterial", HERTZ},
    {"hertzmindlinnoslip", HERTZ},
    {"hooke", LINEAR},
    {"linear", LINEAR},
    {"linearspring", LINEAR},
    {"hookehistory", LINEAR},
    {"hookestiffness", LINEAR},
    {"hookean", LINEAR},
    {"linearspringdashpot", LINEAR},
    {"springdashpot", LINEAR},
    {"lsd", LINEAR},
    {"linearviscoelastic", LINEAR},
    {"cundallstrack", LINEAR},
    {"luding", PLASTIC},
    {"linearplastic", PLASTIC},
    {"linearplasticviscoelastic", PLASTIC},
    {"thorntonning", "its plastic part here is `normal: thornton`, without adhesion"},
    /* ---- attraction ---- */
    {"jkr", NO_COHESION},
    {"sjkr", NO_COHESION},
    {"sjkr2", NO_COHESION},
    {"dmt", NO_COHESION},
    {"eepa", NO_COHESION},
    {"mdr", NO_COHESION},
    {"edinburgh", NO_COHESION},
    {"cohesion", NO_COHESION},
    {"cohesive", NO_COHESION},
    {"cohesionenergydensity", NO_COHESION},
    {"adhesion", NO_COHESION},
    {"adhesive", NO_COHESION},
    {"surfaceenergy", NO_COHESION},
    {"workofadhesion", NO_COHESION},
    {"vanderwaals", NO_COHESION},
    {"liquidbridge", NO_COHESION},
    {"capillary", NO_COHESION},
    {"washino", NO_COHESION},
    {"willett", NO_COHESION},
    {"bond", NO_BONDS},
    {"bonds", NO_BONDS},
    {"bonded", NO_BONDS},
    {"parallelbond", NO_BONDS},
    {"cohfrictmat", NO_BONDS},
    /* ---- tangential laws ---- */
    {"mindlinrescale", MINDLIN},
    {"mindlinforce", MINDLIN},
    {"mindlinrescaleforce", MINDLIN},
    {"mindlinderesiewicz", MINDLIN},
    {"tangentialhistory", MINDLIN},
    {"linearhistory", "the linear spring with a friction limit here is `tangential: tangential_linear` with its `kt`"},
    {"linearnohistory", COULOMB},
    {"nohistory", COULOMB},
    {"tangentialnohistory", COULOMB},
    {"slidingfriction", "here it is `friction`"},
    {"coefficientfriction", "here it is `friction`"},
    {"coefficientoffriction", "here it is `friction`"},
    {"frictioncoefficient", "here it is `friction`"},
    {"staticfriction", "here it is `friction`: one coefficient for sticking and sliding"},
    {"frictionangle", "here it is `friction`, the tangent of that angle"},
    {"xmu", "here it is `friction`"},
    /* ---- rolling, twisting ---- */
    {"rollingfriction", ROLLING},
    {"rollingresistance", ROLLING},
    {"rollingmodel", ROLLING},
    {"coefficientrollingfriction", ROLLING},
    {"rollfriction", ROLLING},
    {"sds", ROLLING},
    {"epsd", ROLLING},
    {"epsd2", ROLLING},
    {"epsd3", ROLLING},
    {"cdt", ROLLING},
    {"torsion", "here it is `twisting`"},
    {"torsionfriction", "here it is `twisting`"},
    {"twistingfriction", "here it is `twisting`"},
    {"coefficienttorsionfriction", "here it is `twisting`"},
    /* ---- damping, stiffness, materials ---- */
    {"cor", "here it is `restitution`"},
    {"coefficientrestitution", "here it is `restitution`"},
    {"coefficientofrestitution", "here it is `restitution`"},
    {"restitutioncoefficient", "here it is `restitution`"},
    {"coeffrestitution", "here it is `restitution`"},
    {"en", "here it is `restitution`"},
    {"kn", "here it is `stiffness` for a law of a given stiffness (kelvin_voigt, in N/m)"},
    {"gamman", "the dashpot follows from `restitution`, or is the law's own parameter (`scree show LAW`)"},
    {"e", "Young's modulus is `young`, of a material; the restitution is `restitution`, of a contact"},
    {"youngsmodulus", "here it is `young`, of a material"},
    {"youngmodulus", "here it is `young`, of a material"},
    {"elasticmodulus", "here it is `young`, of a material"},
    {"emod", "here it is `young`, of a material"},
    {"shearmodulus", "here it follows from `young` and `poisson`, of a material"},
    {"nu", "Poisson's ratio here is `poisson`, of a material"},
    {"poissonsratio", "here it is `poisson`, of a material"},
    {"poissonratio", "here it is `poisson`, of a material"},
    {"rho", "here it is `density`, of a material"},
    /* ---- grains, walls, runs ---- */
    {"diameter", "here it is `radius`, half of it"},
    {"clump", NO_SHAPES},
    {"clumps", NO_SHAPES},
    {"multisphere", NO_SHAPES},
    {"superquadric", NO_SHAPES},
    {"polyhedron", NO_SHAPES},
    {"temperature", NO_HEAT},
    {"thermalconductivity", NO_HEAT},
    {"heat", NO_HEAT},
    {"fluid", NO_FLUID},
    {"cfd", NO_FLUID},
    {"drag", NO_FLUID},
    {"pack", "here it is `fill`"},
    {"insertpack", "here it is `fill`"},
    {"insertstream", "here it is `stream`"},
    {"insertion", "here it is `stream` (while the run goes on) or `fill` (before it)"},
    {"stl", "here it is `mesh`, of a wall"},
    {"meshsurface", "here it is `mesh`, of a wall"},
    {"steps", "here it is `duration`, in seconds"},
    {"nsteps", "here it is `duration`, in seconds"},
    {"tmax", "here it is `duration`, in seconds"},
    {"timemax", "here it is `duration`, in seconds"},
    {"dt", "here it is `timestep`"},
    {"timestepsize", "here it is `timestep`"},
    {"dump", "here it is `output: {every: ...}`"},
    {"thermo", "here it is `log: {every: ...}`"},
    {"restart", "here it is `checkpoint`; `scree run --resume FOLDER` goes on"},
    {"simulation", "here it is `run`"},
};

/* false: too long for any of the words. */
static int reduce(const char *word, char out[LONGEST]) {
  size_t n = 0;
  for (; *word; word++) {
    char c = *word;
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) continue;
    if (n + 1 == LONGEST) return 0;
    out[n++] = c;
  }
  out[n] = '\0';
  return 1;
}

const char *scree_foreign_word(const char *word) {
  char reduced[LONGEST];
  if (!reduce(word, reduced)) return NULL;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].word, reduced) == 0) return rows[i].here;
  return NULL;
}
