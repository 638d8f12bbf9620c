/* shrink.c: takes steps, grains, walls, materials and features away from a scene while it fails by the same invariant,
 * and makes its numbers round. Each reduction of the list is tried until none helps. */
#include "shrink.h"

#include <string.h>

typedef struct Shrinker {
  Scene *scene; /* fails */
  const Invariant *invariant;
  const char *command, *folder;
  const char *kind;
  char *reason;
  size_t size;
  long tried;
} Shrinker;

static bool fails(Shrinker *s, const Scene *scene) {
  static Trial trial;
  trial.has_base = trial.applies = trial.failed = false;
  trial.scene = scene, trial.command = s->command, trial.folder = s->folder;
  s->invariant->judge(&trial);
  s->tried++;
  if (!trial.failed) return false;
  if (!s->kind) s->kind = trial.kind;
  if (strcmp(trial.kind, s->kind) != 0) return false;
  snprintf(s->reason, s->size, "%s", trial.reason);
  return true;
}

/* Keeps a smaller scene if it fails. */
static bool keep(Shrinker *s, const Scene *smaller) {
  if (!fails(s, smaller)) return false;
  *s->scene = *smaller;
  return true;
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static bool shorten(Shrinker *s) {
  bool any = false;
  for (long cut = s->scene->steps / 2; cut > 0;) {
    Scene smaller = *s->scene;
    smaller.steps -= cut;
    if (smaller.steps > 0 && keep(s, &smaller))
      any = true;
    else
      cut /= 2;
  }
  return any;
}

/* ---- things ----------------------------------------------------------------------------------------------------- */

static void drop_grains(Scene *s, int from, int count) {
  memmove(&s->grain[from], &s->grain[from + count], (size_t)(s->grains - from - count) * sizeof *s->grain);
  s->grains -= count;
}

static bool drop_most_grains(Shrinker *s) {
  bool any = false;
  for (int part = s->scene->grains / 2; part > 0; part /= 2)
    for (int from = s->scene->grains - part; from >= 0; from -= part) {
      if (from + part > s->scene->grains) continue;
      Scene smaller = *s->scene;
      drop_grains(&smaller, from, part);
      any |= keep(s, &smaller);
    }
  return any;
}

static bool drop_walls(Shrinker *s) {
  bool any = false;
  for (int i = s->scene->walls - 1; i >= 0; i--) {
    Scene smaller = *s->scene;
    for (int m = smaller.wall[i].motions - 1; m >= 0; m--) { /* a motion, then the wall */
      smaller = *s->scene;
      SceneWall *w = &smaller.wall[i];
      memmove(&w->motion[m], &w->motion[m + 1], (size_t)(w->motions - m - 1) * sizeof *w->motion);
      w->motions--;
      any |= keep(s, &smaller);
    }
    smaller = *s->scene;
    memmove(&smaller.wall[i], &smaller.wall[i + 1], (size_t)(smaller.walls - i - 1) * sizeof *smaller.wall);
    smaller.walls--;
    any |= keep(s, &smaller);
  }
  return any;
}

static bool drop_triangles(Shrinker *s) {
  bool any = false;
  for (int i = 0; i < s->scene->walls; i++)
    for (size_t t = s->scene->wall[i].mesh.triangles; t-- > 0;) {
      Scene smaller = *s->scene;
      SceneMesh *m = &smaller.wall[i].mesh;
      if (m->triangles <= 1 || t >= m->triangles) continue;
      memmove(&m->triangle[t], &m->triangle[t + 1], (m->triangles - t - 1) * sizeof *m->triangle);
      m->triangles--;
      any |= keep(s, &smaller);
    }
  return any;
}

static bool drop_flows(Shrinker *s) {
  bool any = false;
  for (int i = s->scene->streams - 1; i >= 0; i--) {
    Scene smaller = *s->scene;
    memmove(&smaller.stream[i], &smaller.stream[i + 1], (size_t)(smaller.streams - i - 1) * sizeof *smaller.stream);
    smaller.streams--;
    any |= keep(s, &smaller);
  }
  for (int i = s->scene->outlets - 1; i >= 0; i--) {
    Scene smaller = *s->scene;
    memmove(&smaller.outlet[i], &smaller.outlet[i + 1], (size_t)(smaller.outlets - i - 1) * sizeof *smaller.outlet);
    smaller.outlets--;
    any |= keep(s, &smaller);
  }
  return any;
}

/* ---- features --------------------------------------------------------------------------------------------------- */

static void for_contacts(Scene *s, void (*change)(ScreeContactDef *)) {
  change(&s->contact);
  for (int a = 0; a < s->materials; a++)
    for (int b = a; b < s->materials; b++)
      if (s->has_own[a][b]) change(&s->pair[a][b]);
}

static void no_rolling(ScreeContactDef *c) { c->rolling_model = SCREE_ROLLING_NONE, c->rolling = 0.0; }
static void no_twisting(ScreeContactDef *c) { c->twisting = 0.0; }
static void no_friction(ScreeContactDef *c) { c->tangential = SCREE_LAW_NONE; }
static void no_dashpot(ScreeContactDef *c) { c->pair.param[SCREE_PARAM_gt] = NAN; }
static void no_calibration(ScreeContactDef *c) { c->calibrated = false; }
static void no_loss(ScreeContactDef *c) {
  if (!isnan(c->pair.restitution)) c->pair.restitution = 1.0;
}
static void plain_law(ScreeContactDef *c) {
  if (!isnan(c->pair.stiffness) && c->normal != SCREE_LAW_hooke) {
    c->normal = SCREE_LAW_hooke, c->pair.restitution = c->pair.exponent = NAN;
  } else if (isnan(c->pair.stiffness)) {
    double mu = c->pair.param[SCREE_PARAM_mu];
    c->normal = SCREE_LAW_hertz, c->pair.restitution = c->pair.exponent = NAN;
    c->pair.param[SCREE_PARAM_mu] = mu;
  }
}

static bool equal_scenes(const Scene *a, const Scene *b) { return memcmp(a, b, sizeof *a) == 0; }

static void simplify(Scene *s, int feature) {
  switch (feature) {
  case 0: for_contacts(s, no_rolling); break;
  case 1: for_contacts(s, no_twisting); break;
  case 2: for_contacts(s, no_friction); break;
  case 3: for_contacts(s, no_dashpot); break;
  case 4: for_contacts(s, no_calibration); break;
  case 5: for_contacts(s, plain_law); break;
  case 6: memset(s->has_own, 0, sizeof s->has_own); break;
  case 7:
    for (int i = 0; i < s->grains; i++) s->grain[i].material = 0;
    for (int i = 0; i < s->walls; i++) s->wall[i].def.material = 0;
    for (int i = 0; i < s->streams; i++) s->stream[i].material = 0;
    memset(s->has_own, 0, sizeof s->has_own);
    s->materials = 1;
    break;
  case 8: memset(s->def.gravity, 0, sizeof s->def.gravity); break;
  case 9: memset(s->def.body_force, 0, sizeof s->def.body_force); break;
  case 10: s->def.skin = NAN; break;
  case 11: s->def.outside = SCREE_OUTSIDE_STOP; break;
  case 12:
    for (int i = 0; i < s->grains; i++) s->grain[i].fixed = false;
    break;
  case 13:
    for (int i = 0; i < s->grains; i++) memset(s->grain[i].spin, 0, sizeof s->grain[i].spin);
    break;
  case 14:
    for (int i = 0; i < s->grains; i++) memset(s->grain[i].velocity, 0, sizeof s->grain[i].velocity);
    break;
  case 15:
    for (int i = 0; i < s->grains; i++) s->grain[i].id = (uint64_t)i + 1;
    break;
  case 16:
    for (int i = 0; i < s->walls; i++) s->wall[i].insert_at = -INFINITY;
    break;
  case 17:
    for (int i = 0; i < s->walls; i++) s->wall[i].remove_at = INFINITY;
    break;
  case 18:
    for (int i = 0; i < s->walls; i++) s->wall[i].def.wear = false;
    break;
  case 19: s->def.periodic[0] = false; break;
  case 20: s->def.periodic[1] = false; break;
  case 21: s->def.periodic[2] = false; break;
  case 22: for_contacts(s, no_loss); break;
  case 23: s->def.expected_speed = NAN; break;
  default:
    for (int i = 0; i < s->grains; i++) s->grain[i].radius = s->radius;
  }
}
enum { FEATURES = 25 };

static bool drop_features(Shrinker *s) {
  bool any = false;
  for (int feature = 0; feature < FEATURES; feature++) {
    static Scene smaller;
    smaller = *s->scene;
    simplify(&smaller, feature);
    if (!equal_scenes(&smaller, s->scene)) any |= keep(s, &smaller);
  }
  return any;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static double rounded(double x, int digits) {
  if (x == 0.0 || !isfinite(x)) return x;
  double unit = pow(10.0, floor(log10(fabs(x))) - digits + 1);
  return round(x / unit) * unit;
}
static void round3(double *x, int digits) {
  for (int k = 0; k < 3; k++) x[k] = rounded(x[k], digits);
}

static bool round_numbers(Shrinker *s) {
  bool any = false;
  for (int digits = 6; digits >= 2; digits -= 2) {
    static Scene smaller;
    smaller = *s->scene;
    for (int i = 0; i < smaller.grains; i++) {
      ScreeGrain *g = &smaller.grain[i];
      round3(g->velocity, digits), round3(g->spin, digits);
      g->radius = rounded(g->radius, digits);
    }
    if (!equal_scenes(&smaller, s->scene)) any |= keep(s, &smaller);
  }
  return any;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

long scene_shrink(Scene *scene, const Invariant *invariant, const char *command, const char *folder, char *reason,
                  size_t size) {
  Shrinker s = {scene, invariant, command, folder, NULL, reason, size, 0};
  bool (*const reductions[])(Shrinker *) = {shorten,       drop_most_grains, drop_walls,   drop_flows,
                                            drop_features, drop_triangles,   round_numbers};
  reason[0] = '\0';
  if (!fails(&s, scene)) return s.tried;
  for (int turn = 0; turn < 6; turn++) {
    bool any = false;
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) any |= reductions[i](&s);
    if (!any) break;
  }
  fails(&s, scene); /* the reason of the smallest */
  return s.tried;
}
