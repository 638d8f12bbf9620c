/* generate.c: a random scene from a seed.
 *
 * Lengths follow from a radius, speeds from a speed of impacts, stiffnesses from the overlap that an impact at that
 * speed should reach, times from the duration of such an impact: so grains touch within some hundred steps, whatever
 * the units. Laws are dealt in turn, seed by seed; the rest is drawn. Grains begin on a lattice with jitter and are
 * pushed out of the walls that were put around and among them; a grain that finds no room is left out. */
#include "scene.h"

#include <string.h>

/* ---- draws ------------------------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t z) { /* SplitMix64's */
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

Draws draws_of(uint64_t seed, const char *topic) {
  uint64_t name = 1;
  for (; *topic; topic++) name = mix(name ^ (uint64_t)(unsigned char)*topic);
  return (Draws){seed, name, 0};
}

double draw_uniform(Draws *d, double low, double high) {
  uint64_t bits = mix(mix(mix(d->seed + 0x9e3779b97f4a7c15u) ^ d->topic) + 0x9e3779b97f4a7c15u * ++d->count);
  return low + (high - low) * ((double)(bits >> 11) * 0x1p-53);
}
double draw_log_uniform(Draws *d, double low, double high) { return exp(draw_uniform(d, log(low), log(high))); }
int draw_below(Draws *d, int count) { return (int)draw_uniform(d, 0.0, count); }
bool draw_chance(Draws *d, double probability) { return draw_uniform(d, 0.0, 1.0) < probability; }

void draw_direction(Draws *d, double *unit) {
  double z = draw_uniform(d, -1.0, 1.0), angle = draw_uniform(d, 0.0, 2.0 * acos(-1.0)), flat = sqrt(1.0 - z * z);
  unit[0] = flat * cos(angle), unit[1] = flat * sin(angle), unit[2] = z;
}

void draw_permutation(Draws *d, int count, int *order) {
  for (int i = 0; i < count; i++) {
    int j = draw_below(d, i + 1);
    order[i] = order[j];
    order[j] = i;
  }
}

/* ---- a scene in the making -------------------------------------------------------------------------------------- */

/* How it begins. */
typedef enum Start {
  CLOUD,   /* apart, moving at random */
  RAIN,    /* apart, moving together */
  PRESSED, /* overlapping, nearly at rest */
  ROLLING, /* few, on a floor under gravity */
  RESTING, /* a small heap in a box under gravity, for a long time */
} Start;

typedef struct Making {
  Scene *s;
  uint64_t seed;
  Start start;
  double softness;        /* overlap of an impact at the speed of the scene, over the radius */
  double gap;             /* m, between grains of the lattice; negative: overlap */
  double low[3], high[3]; /* m, what the lattice fills */
  int cells[3];
  ScreeMesh *mesh[MAX_WALLS];
} Making;

static Draws topic(const Making *m, const char *name) { return draws_of(m->seed, name); }

static double mean_density(const Scene *s) { return s->material[0].density; }
static double mass_of(const Scene *s, double r) { return 4.0 / 3.0 * acos(-1.0) * r * r * r * mean_density(s); }

static void draw_scales(Making *m) {
  Scene *s = m->s;
  Draws d = topic(m, "scales");
  s->radius = draw_log_uniform(&d, 5e-4, 0.2);
  s->speed = draw_log_uniform(&d, 0.02, 5.0);
  m->softness = draw_log_uniform(&d, 3e-3, 0.03);
  m->start = (Start[]){
      CLOUD, CLOUD, CLOUD, CLOUD, RAIN, RAIN, RAIN, RAIN, PRESSED, PRESSED, ROLLING, RESTING}[draw_below(&d, 12)];
  s->steps = 16 * (1 + draw_below(&d, 16));
  if (m->start == ROLLING) s->steps *= 4;
  if (m->start == RESTING) s->steps *= 8;
  s->pressed = m->start >= PRESSED;
  /* a Hertzian impact takes about three times overlap over speed, and some fifty steps */
  s->time = (double)s->steps * 0.06 * m->softness * s->radius / s->speed;
  s->def = scree_world_def_default();
  /* grains that are pressed and at rest tell the engine no speed */
  if (draw_chance(&d, s->pressed ? 0.85 : 0.5)) s->def.expected_speed = s->speed * draw_uniform(&d, 1.5, 4.0);
  if (draw_chance(&d, 0.3)) s->def.skin = s->radius * draw_log_uniform(&d, 1e-3, 1.0);
  s->def.max_overlap = draw_chance(&d, 0.05) ? m->softness : draw_chance(&d, 0.5) ? 0.1 : 0.4;
}

/* ---- materials and laws ----------------------------------------------------------------------------------------- */

static ScreeLawId normal_law(int index) {
  for (int law = 0; law < SCREE_LAW_COUNT; law++) {
    ScreeGroup group = scree_law_info((ScreeLawId)law)->group;
    if (group != SCREE_POINT && group != SCREE_PLASTIC) continue;
    if (index-- == 0) return (ScreeLawId)law;
  }
  return SCREE_LAW_NONE;
}

static int normal_laws(void) {
  int count = 0;
  while (normal_law(count) != SCREE_LAW_NONE) count++;
  return count;
}

static void draw_materials(Making *m) {
  Scene *s = m->s;
  Draws d = topic(m, "materials");
  double density = draw_log_uniform(&d, 300.0, 9000.0), f = m->softness;
  s->materials = 1 + draw_below(&d, MAX_MATERIALS);
  for (int i = 0; i < s->materials; i++) {
    ScreeMaterial *a = &s->material[i];
    a->density = i == 0 || draw_chance(&d, 0.5) ? density : density * draw_log_uniform(&d, 0.5, 2.0);
    a->poisson = draw_chance(&d, 0.5) ? 0.3 : draw_uniform(&d, 0.0, 0.45);
    a->young = 5.0 * density * s->speed * s->speed / (f * f * sqrt(f)) * draw_log_uniform(&d, 0.7, 2.0);
  }
}

static void draw_tangential(const Making *m, Draws *d, ScreeContactDef *c) {
  const Scene *s = m->s;
  double overlap = m->softness * s->radius, mass = 0.5 * mass_of(s, s->radius),
         stiffness = mass * s->speed * s->speed / (overlap * overlap);
  c->tangential = (ScreeLawId[]){SCREE_LAW_mindlin, SCREE_LAW_mindlin, SCREE_LAW_coulomb, SCREE_LAW_tangential_linear,
                                 SCREE_LAW_NONE}[draw_below(d, 5)];
  c->pair.param[SCREE_PARAM_mu] = draw_chance(d, 0.1) ? 0.0 : draw_log_uniform(d, 0.02, 1.0);
  if (c->tangential == SCREE_LAW_coulomb) {
    c->pair.param[SCREE_PARAM_veps] = s->speed * draw_log_uniform(d, 1e-4, 0.1);
    c->regularisation = draw_chance(d, 0.5) ? SCREE_TANH : SCREE_SQRT;
  }
  if (c->tangential == SCREE_LAW_tangential_linear) {
    double kt = stiffness * draw_uniform(d, 0.2, 0.8);
    c->pair.param[SCREE_PARAM_kt] = kt;
    if (draw_chance(d, 0.6)) c->pair.param[SCREE_PARAM_gt] = sqrt(mass * kt) * draw_log_uniform(d, 0.05, 1.0);
  }
}

static void draw_resistance(const Making *m, Draws *d, ScreeContactDef *c) {
  c->rolling_model = draw_chance(d, 0.5) ? SCREE_ROLLING_NONE : (ScreeRolling)(1 + draw_below(d, 3));
  if (c->rolling_model != SCREE_ROLLING_NONE) c->rolling = draw_log_uniform(d, 0.003, 0.5);
  /* enough to hold a grain on a slope */
  if (c->rolling_model != SCREE_ROLLING_NONE && m->start == ROLLING && draw_chance(d, 0.6))
    c->rolling = draw_uniform(d, 0.3, 0.8);
  if (c->rolling_model == SCREE_ROLLING_VISCOUS) c->rolling /= m->s->speed;
  if (c->rolling_model == SCREE_ROLLING_SPRING && draw_chance(d, 0.5)) c->rolling_damping = draw_uniform(d, 0.0, 1.0);
  if (draw_chance(d, 0.3)) c->twisting = draw_log_uniform(d, 0.003, 0.5);
}

/* Stiffness of K d^n that an impact of two mean grains compresses by the wanted overlap. */
static double stiffness_of(const Making *m, double n) {
  const Scene *s = m->s;
  return 0.25 * mass_of(s, s->radius) * s->speed * s->speed * (n + 1.0) / pow(m->softness * s->radius, n + 1.0);
}

double scene_stiffness_exponent(const ScreeContactDef *c) {
  if (c->normal == SCREE_LAW_yigit_linear) return 1.5; /* linear pieces of a law that is not */
  return isnan(c->pair.exponent) ? scree_law_info(c->normal)->exponent : c->pair.exponent;
}

static void draw_contact(const Making *m, Draws *d, ScreeLawId law, ScreeContactDef *c) {
  const ScreeLawInfo *info = scree_law_info(law);
  *c = scree_contact_def_default();
  c->normal = law;
  c->pair.restitution = info->domain == SCREE_E_NONE ? NAN : draw_uniform(d, 0.3, 0.98);
  c->calibrated = info->domain != SCREE_E_NONE && draw_chance(d, 0.15);
  if ((info->flags & SCREE_FREE_EXPONENT) && draw_chance(d, 0.25))
    c->pair.exponent = (double[]){1.0, 1.25, 1.5, 2.0}[draw_below(d, 4)];
  double n = scene_stiffness_exponent(c);
  if (n != 1.5 && law != SCREE_LAW_roy_carretero) c->pair.stiffness = stiffness_of(m, n);
  draw_tangential(m, d, c);
  draw_resistance(m, d, c);
  if (law == SCREE_LAW_alizadeh) { /* its viscosity and the friction of tangential laws share a name */
    c->tangential = SCREE_LAW_NONE;
    c->pair.param[SCREE_PARAM_mu] = NAN;
  }
  if (law == SCREE_LAW_roy_carretero) { /* moduli that its lens of two spheres is compressed by as wanted */
    double f = m->softness, rho = mean_density(m->s), v = m->s->speed;
    c->pair.param[SCREE_PARAM_E1] = 3.0 * rho * v * v / (f * f * f);
    c->pair.param[SCREE_PARAM_E2] = c->pair.param[SCREE_PARAM_E1] * draw_log_uniform(d, 0.5, 2.0);
    if (draw_chance(d, 0.5)) {
      c->pair.restitution = NAN;
      c->calibrated = false;
      c->pair.param[SCREE_PARAM_D1] = c->pair.param[SCREE_PARAM_E1] * f * m->s->radius / v * draw_uniform(d, 0.05, 0.5);
      c->pair.param[SCREE_PARAM_D2] = c->pair.param[SCREE_PARAM_D1] * draw_log_uniform(d, 0.3, 3.0);
    }
  }
}

/* Between grains of one material neither body is the first. */
static void make_even(ScreeContactDef *c) {
  double *param = c->pair.param;
  if (c->normal != SCREE_LAW_roy_carretero) return;
  param[SCREE_PARAM_E2] = param[SCREE_PARAM_E1], param[SCREE_PARAM_D2] = param[SCREE_PARAM_D1];
}

static void draw_contacts(Making *m) {
  Scene *s = m->s;
  Draws d = topic(m, "contacts");
  int laws = normal_laws();
  draw_contact(m, &d, normal_law((int)(s->seed % (uint64_t)laws)), &s->contact);
  make_even(&s->contact);
  for (int a = 0; a < s->materials; a++)
    for (int b = a; b < s->materials; b++) {
      s->has_own[a][b] = s->materials > 1 && draw_chance(&d, 0.4);
      if (!s->has_own[a][b]) continue;
      draw_contact(m, &d, normal_law(draw_below(&d, laws)), &s->pair[a][b]);
      if (a == b) make_even(&s->pair[a][b]);
    }
}

/* ---- grains ----------------------------------------------------------------------------------------------------- */

static void draw_lattice(Making *m) {
  Scene *s = m->s;
  Draws d = topic(m, "lattice");
  int most = m->start == RESTING ? 3 : draw_chance(&d, 0.1) ? 6 : draw_chance(&d, 0.3) ? 4 : 3;
  double f = m->softness;
  m->gap = s->radius * f * draw_uniform(&d, 0.1, 3.0);
  if (m->start == PRESSED || m->start == RESTING) m->gap = -2.0 * s->radius * f * draw_uniform(&d, 0.1, 0.8);
  for (int k = 0; k < 3; k++) {
    m->cells[k] = m->start == ROLLING && k == 2 ? 1 : 1 + draw_below(&d, most);
    s->def.periodic[k] = m->start < ROLLING && draw_chance(&d, 0.2);
    if (s->def.periodic[k]) m->cells[k] = m->cells[k] < 3 ? 3 : m->cells[k];
    if (s->def.periodic[k] && s->def.skin > 0.2 * s->radius) s->def.skin = 0.2 * s->radius;
    double width = m->cells[k] * (2.0 * s->radius + m->gap);
    m->low[k] = draw_chance(&d, 0.3) ? 0.0 : s->radius * draw_uniform(&d, -40.0, 40.0);
    m->high[k] = m->low[k] + width;
    double margin = s->def.periodic[k] ? 0.0 : s->radius * draw_log_uniform(&d, 0.5, 8.0);
    s->def.low[k] = m->low[k] - margin, s->def.high[k] = m->high[k] + margin;
  }
}

static double draw_radius(const Making *m, Draws *d, int kind) {
  double r = m->s->radius;
  if (kind == 0) return r;
  if (kind == 1) return draw_chance(d, 0.5) ? r : 0.6 * r;
  return r * draw_uniform(d, 0.5, 1.0);
}

static void set_motion(const Making *m, Draws *d, ScreeGrain *g) {
  const Scene *s = m->s;
  double v = s->speed;
  for (int k = 0; k < 3; k++) {
    g->velocity[k] = g->spin[k] = 0.0;
    if (m->start == CLOUD || m->start == RAIN) g->velocity[k] = draw_uniform(d, -v, v) * (m->start == RAIN ? 0.3 : 1.0);
    if (m->start != PRESSED && m->start != RESTING) g->spin[k] = draw_uniform(d, -v, v) / g->radius;
  }
  if (m->start == RAIN) g->velocity[2] -= v;
  if (m->start == ROLLING) {
    g->velocity[0] = 0.1 * draw_uniform(d, -v, v), g->velocity[1] = 0.1 * draw_uniform(d, -v, v);
    if (draw_chance(d, 0.7)) { /* without sliding, or at rest */
      double rate = draw_chance(d, 0.5) ? 1.0 : 0.0;
      for (int k = 0; k < 3; k++) g->velocity[k] *= rate;
      g->spin[0] = -g->velocity[1] / g->radius, g->spin[1] = g->velocity[0] / g->radius;
      g->spin[2] = rate * draw_uniform(d, -v, v) / g->radius;
    }
  }
}

/* Along periodic axes the lattice begins anywhere, and goes around. */
static void shift_around(const Scene *s, const double *shift, ScreeGrain *g) {
  for (int k = 0; k < 3; k++) {
    double low = s->def.low[k], period = s->def.high[k] - low;
    if (s->def.periodic[k]) g->position[k] = low + fmod(g->position[k] - low + shift[k] * period + period, period);
  }
}

static void draw_grains(Making *m) {
  Scene *s = m->s;
  Draws d = topic(m, "grains");
  int sizes = draw_below(&d, 3);
  double jitter = m->gap > 0.0 ? 0.3 * m->gap : 0.0, fixed = draw_chance(&d, 0.2) ? 0.2 : 0.0,
         loose = draw_uniform(&d, 0.0, 0.4);
  bool mixed = draw_chance(&d, 0.6);
  const double shift[3] = {draw_uniform(&d, 0.0, 1.0), draw_uniform(&d, 0.0, 1.0), draw_uniform(&d, 0.0, 1.0)};
  for (int cell = 0; cell < m->cells[0] * m->cells[1] * m->cells[2] && s->grains < MAX_GRAINS; cell++) {
    int at[3] = {cell % m->cells[0], cell / m->cells[0] % m->cells[1], cell / m->cells[0] / m->cells[1]};
    ScreeGrain g = {.radius = draw_radius(m, &d, sizes), .material = mixed ? draw_below(&d, s->materials) : 0};
    double slack = s->radius - g.radius;
    for (int k = 0; k < 3; k++)
      g.position[k] = m->low[k] + (at[k] + 0.5) * (2.0 * s->radius + m->gap) +
                      draw_uniform(&d, -1.0, 1.0) * (jitter + (m->gap > 0.0 ? slack : 0.0));
    if (m->start == ROLLING) g.position[2] += g.radius - s->radius;
    shift_around(s, shift, &g);
    set_motion(m, &d, &g);
    g.fixed = draw_chance(&d, fixed);
    if (g.fixed && draw_chance(&d, 0.5)) memset(g.velocity, 0, sizeof g.velocity), memset(g.spin, 0, sizeof g.spin);
    if (s->grains > 0 && draw_chance(&d, loose)) continue;
    s->grain[s->grains++] = g;
  }
}

static void draw_ids(Making *m) {
  Scene *s = m->s;
  Draws d = topic(m, "ids");
  int order[MAX_GRAINS];
  draw_permutation(&d, s->grains, order);
  bool plain = draw_chance(&d, 0.3);
  uint64_t step = draw_chance(&d, 0.5) ? 1 : 1000003;
  for (int i = 0; i < s->grains; i++) s->grain[i].id = plain ? (uint64_t)i + 1 : (uint64_t)order[i] * step + 7;
}

/* ---- walls ------------------------------------------------------------------------------------------------------ */

static void middle_of(const Making *m, double *x) {
  for (int k = 0; k < 3; k++) x[k] = 0.5 * (m->low[k] + m->high[k]);
}

static double half_width(const Making *m, bool flat) {
  double sum = 0.0;
  for (int k = 0; k < (flat ? 2 : 3); k++) sum += 0.25 * pow(m->high[k] - m->low[k], 2.0);
  return sqrt(sum);
}

static void add_vertex(SceneMesh *mesh, double x, double y, double z) {
  double *v = mesh->vertex[mesh->vertices++];
  v[0] = x, v[1] = y, v[2] = z;
}
static void add_triangle(SceneMesh *mesh, size_t a, size_t b, size_t c) {
  uint32_t *t = mesh->triangle[mesh->triangles++];
  t[0] = (uint32_t)a, t[1] = (uint32_t)b, t[2] = (uint32_t)c;
}

/* As a reader of scenes makes it a unit vector, and then the engine. */
static void make_unit_twice(double *axis) {
  double size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]), most = 0.0;
  for (int k = 0; k < 3; k++) axis[k] /= size, most = fmax(most, fabs(axis[k]));
  for (int k = 0; k < 3; k++) axis[k] /= most;
  size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  for (int k = 0; k < 3; k++) axis[k] /= size;
}

/* To a unit vector that both leave as it is, bit for bit; a direction that has none nearby is changed a little. */
static void make_unit(double *axis) {
  double before[3];
  for (int turn = 1; turn < 1000; turn++) {
    memcpy(before, axis, sizeof before);
    make_unit_twice(axis);
    if (memcmp(before, axis, sizeof before) == 0) return;
    if (turn % 4 == 0) axis[2] += 1e-3;
  }
}

void scene_align(SceneWall *wall) {
  double *axis = wall->def.axis, size = 0.0;
  if (wall->def.length == 0.0) return;
  for (int k = 0; k < 3; k++) axis[k] = wall->end[k] - wall->def.point[k];
  size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  for (int k = 0; k < 3; k++) axis[k] /= size;
  wall->def.length = size;
}

/* A floor of bumps, or a valley along y: heights over a grid under the lattice. */
static void draw_relief(const Making *m, Draws *d, SceneMesh *mesh) {
  size_t cells = (size_t)(1 + draw_below(d, 6));
  bool valley = draw_chance(d, 0.5);
  double r = m->s->radius, wide[2], slope = draw_uniform(d, 0.1, 1.5), bump = r * draw_log_uniform(d, 0.01, 0.5);
  for (int k = 0; k < 2; k++) wide[k] = m->high[k] - m->low[k] + 2.0 * r;
  for (size_t j = 0; j <= cells; j++)
    for (size_t i = 0; i <= cells; i++) {
      double x = (double)i / (double)cells - 0.5, y = (double)j / (double)cells - 0.5;
      double z = valley ? slope * fabs(x) * wide[0] : draw_uniform(d, 0.0, 1.0) * bump;
      add_vertex(mesh, 0.5 * (m->low[0] + m->high[0]) + x * wide[0], 0.5 * (m->low[1] + m->high[1]) + y * wide[1],
                 m->low[2] + z);
    }
  for (size_t j = 0; j < cells; j++)
    for (size_t i = 0; i < cells; i++) {
      size_t a = j * (cells + 1) + i, b = a + cells + 1;
      add_triangle(mesh, a, a + 1, b);
      add_triangle(mesh, a + 1, b + 1, b);
    }
}

/* A tetrahedron among the grains, or some of its faces. */
static void draw_tetrahedron(const Making *m, Draws *d, SceneMesh *mesh) {
  double middle[3], size = m->s->radius * draw_uniform(d, 0.5, 4.0);
  middle_of(m, middle);
  for (int i = 0; i < 4; i++) {
    double n[3];
    draw_direction(d, n);
    add_vertex(mesh, middle[0] + size * n[0], middle[1] + size * n[1], middle[2] + size * n[2]);
  }
  int faces = 1 + draw_below(d, 4);
  for (int i = 0; i < faces; i++) add_triangle(mesh, (size_t)(i + 1) % 4, (size_t)(i + 2) % 4, (size_t)(i + 3) % 4);
}

/* An axis along z, or tilted from it. In a periodic scene what has no end must be the same in every period. */
static void draw_axis(const Making *m, Draws *d, double *axis) {
  const bool *periodic = m->s->def.periodic;
  double tilt = draw_chance(d, 0.5) ? 0.0 : 0.4;
  for (int k = 0; k < 3; k++) axis[k] = (k == 2) + tilt * draw_uniform(d, -1.0, 1.0);
  if (!periodic[0] && !periodic[1] && !periodic[2]) return;
  for (int k = 0; k < 3; k++)
    if (periodic[k]) axis[k] = 0.0;
  if (axis[0] == 0.0 && axis[1] == 0.0 && axis[2] == 0.0) axis[2] = 1.0;
}

static void draw_shape(const Making *m, Draws *d, SceneWall *wall) {
  const Scene *s = m->s;
  ScreeWallDef *w = &wall->def;
  double r = s->radius, gap = r * m->softness * draw_uniform(d, 0.0, 2.0), middle[3], around = half_width(m, false),
         beside = half_width(m, true);
  middle_of(m, middle);
  memcpy(w->point, middle, sizeof w->point);
  draw_axis(m, d, w->axis);
  make_unit(w->axis);
  switch (w->shape) {
  case SCREE_WALL_PLANE: w->point[2] = m->low[2] - gap; break;
  case SCREE_WALL_BOX:
    w->inside = draw_chance(d, 0.6);
    for (int k = 0; k < 3; k++) {
      double half = r * draw_uniform(d, 0.3, 2.0), at = draw_uniform(d, m->low[k], m->high[k]);
      w->low[k] = w->inside ? m->low[k] - gap : at - half;
      w->high[k] = w->inside ? m->high[k] + gap : at + half;
    }
    break;
  case SCREE_WALL_CYLINDER:
    w->inside = draw_chance(d, 0.6);
    w->radius = w->inside ? fmax(beside * draw_uniform(d, 0.7, 1.1), 1.3 * r) : r * draw_uniform(d, 0.3, 2.0);
    if (draw_chance(d, 0.5)) {
      w->length = draw_uniform(d, 0.3, 1.2) * (m->high[2] - m->low[2]);
      w->point[2] -= 0.5 * w->length;
    }
    if (!w->inside) w->point[0] += draw_uniform(d, -1.0, 1.0) * beside;
    break;
  case SCREE_WALL_SPHERE:
    w->inside = draw_chance(d, 0.5);
    w->radius = w->inside ? fmax(around * draw_uniform(d, 0.7, 1.1), 1.5 * r) : r * draw_uniform(d, 0.3, 3.0);
    for (int k = 0; k < 3 && !w->inside; k++) w->point[k] = draw_uniform(d, m->low[k], m->high[k]);
    break;
  case SCREE_WALL_CONE:
    w->angle = draw_uniform(d, 0.3, 1.3);
    w->point[2] = m->low[2] - r * draw_uniform(d, 0.0, 4.0);
    if (draw_chance(d, 0.5)) {
      w->radius = r * draw_uniform(d, 0.0, 2.0), w->radius2 = beside * draw_uniform(d, 0.5, 1.5);
      w->length = draw_uniform(d, 0.5, 1.5) * (m->high[2] - m->low[2]);
      w->angle = 0.0;
    }
    break;
  case SCREE_WALL_DISC:
    w->point[2] = m->low[2] + draw_uniform(d, -1.0, 1.0) * r;
    w->radius = fmax(r, beside) * draw_uniform(d, 0.4, 1.2);
    if (draw_chance(d, 0.5)) w->radius2 = w->radius * draw_uniform(d, 0.2, 0.8);
    break;
  case SCREE_WALL_MESH:
    w->wear = draw_chance(d, 0.5);
    if (draw_chance(d, 0.6))
      draw_relief(m, d, &wall->mesh);
    else
      draw_tetrahedron(m, d, &wall->mesh);
    break;
  }
  for (int k = 0; k < 3; k++) wall->end[k] = w->point[k] + w->length * w->axis[k];
  scene_align(wall);
}

static bool is_endless(const ScreeWallDef *w) {
  return w->shape == SCREE_WALL_PLANE || (w->shape == SCREE_WALL_BOX && w->inside) ||
         (w->shape == SCREE_WALL_SPHERE && w->inside) ||
         ((w->shape == SCREE_WALL_CYLINDER || w->shape == SCREE_WALL_CONE) && w->length == 0.0);
}

/* No grain may lie between a wall and its own image and touch both: only the nearest is there for it. */
static bool has_room_beside(const Scene *s, const SceneWall *wall, int axis) {
  const ScreeWallDef *w = &wall->def;
  double size = 2.0 * fmax(w->radius, w->radius2) + w->length, low = INFINITY, high = -INFINITY;
  if (w->shape == SCREE_WALL_BOX)
    size = sqrt(3.0) * fmax(w->high[0] - w->low[0], fmax(w->high[1] - w->low[1], w->high[2] - w->low[2]));
  for (size_t i = 0; i < wall->mesh.vertices; i++)
    for (int k = 0; k < 3; k++)
      low = fmin(low, wall->mesh.vertex[i][axis]), high = fmax(high, wall->mesh.vertex[i][axis]);
  if (w->shape == SCREE_WALL_MESH) size = high - low;
  return size + 2.5 * s->radius <= s->def.high[axis] - s->def.low[axis];
}

/* Shapes that go on beyond a period: the engine takes them as they are, and where their images would differ a grain
 * that goes around meets another wall. Only those that do not differ are used. */
static bool fits_periods(const Scene *s, const SceneWall *wall) {
  const bool *periodic = s->def.periodic;
  const ScreeWallDef *w = &wall->def;
  bool any = periodic[0] || periodic[1] || periodic[2];
  if (!any) return true;
  for (int k = 0; k < 3; k++)
    if (periodic[k] && !is_endless(w) && !has_room_beside(s, wall, k)) return false;
  switch (w->shape) {
  case SCREE_WALL_PLANE:
    for (int k = 0; k < 3; k++)
      if (periodic[k] && w->axis[k] != 0.0) return false;
    return true;
  case SCREE_WALL_BOX: return !w->inside;
  case SCREE_WALL_CYLINDER:
    for (int k = 0; k < 3; k++)
      if (w->length == 0.0 && periodic[k] && (w->axis[(k + 1) % 3] != 0.0 || w->axis[(k + 2) % 3] != 0.0)) return false;
    return true;
  case SCREE_WALL_SPHERE: return !w->inside;
  case SCREE_WALL_CONE: return w->length > 0.0;
  default: return true;
  }
}

/* ---- motions ---------------------------------------------------------------------------------------------------- */

static void draw_waypoints(const Making *m, Draws *d, SceneMotion *motion, bool turns, double rate) {
  const Scene *s = m->s;
  motion->def.waypoints = (size_t)(2 + draw_below(d, MAX_WAYPOINTS - 1));
  motion->def.smooth = draw_chance(d, 0.5), motion->def.repeat = draw_chance(d, 0.5);
  double time = 0.0;
  for (size_t i = 0; i < motion->def.waypoints; i++) {
    ScreeWaypoint *p = &motion->waypoint[i];
    *p = (ScreeWaypoint){.time = time};
    double span = s->time * draw_uniform(d, 0.15, 0.5);
    for (int k = 0; k < 3 && i > 0 && !turns; k++) p->shift[k] = s->speed * 0.1 * s->time * draw_uniform(d, -1.0, 1.0);
    if (i > 0 && turns) p->angle = rate * 0.1 * s->time * draw_uniform(d, -1.0, 1.0);
    time += span;
  }
}

static void draw_servo(const Making *m, Draws *d, ScreeMotionDef *def) {
  const Scene *s = m->s;
  double mass = mass_of(s, s->radius) * (s->grains + 1), reach = half_width(m, false);
  bool turns = def->kind == SCREE_MOTION_TURN_SERVO;
  double share = fmin(1.0, (double)s->steps / 256.0); /* in few steps it must not reach its speed limit at once */
  def->load = share * mass * s->speed / s->time * draw_uniform(d, -1.0, 1.0) * (turns ? reach : 1.0);
  if (draw_chance(d, 0.5)) def->inertia = mass * draw_log_uniform(d, 1.0, 10.0) * (turns ? reach * reach : 1.0);
  if (draw_chance(d, 0.3))
    def->damping = mass / s->time * draw_uniform(d, 0.0, 3.0) * (turns ? reach * reach : 1.0);
  else if (draw_chance(d, 0.5))
    def->max_speed = s->speed * draw_log_uniform(d, 0.01, 0.5) / (turns ? reach : 1.0);
}

static void draw_motion(const Making *m, Draws *d, const ScreeWallDef *wall, SceneMotion *motion) {
  const Scene *s = m->s;
  bool any = s->def.periodic[0] || s->def.periodic[1] || s->def.periodic[2];
  bool may_turn = !(any && is_endless(wall));
  int kind = draw_below(d, may_turn ? 8 : 4);
  double rate = 0.5 * s->speed / (half_width(m, false) + 2.0 * s->radius), n[3];
  ScreeMotionKind kinds[] = {SCREE_MOTION_LINEAR,    SCREE_MOTION_OSCILLATION, SCREE_MOTION_WAYPOINTS,
                             SCREE_MOTION_SERVO,     SCREE_MOTION_ROTATION,    SCREE_MOTION_OSCILLATION,
                             SCREE_MOTION_WAYPOINTS, SCREE_MOTION_TURN_SERVO};
  bool turns = kind >= 4;
  ScreeMotionDef *def = &motion->def;
  *def = scree_motion_def_default(kinds[kind]);
  draw_direction(d, n);
  if (turns || def->kind == SCREE_MOTION_SERVO) draw_axis(m, d, def->axis);
  if (turns) {
    middle_of(m, def->point);
    if (draw_chance(d, 0.5)) memcpy(def->axis, n, sizeof n);
  }
  def->frequency = def->kind == SCREE_MOTION_OSCILLATION ? draw_uniform(d, 0.3, 3.0) / s->time : 0.0;
  double around = 2.0 * acos(-1.0) * def->frequency;
  for (int k = 0; k < 3; k++) {
    if (def->kind == SCREE_MOTION_LINEAR) def->velocity[k] = 0.5 * s->speed * n[k];
    if (def->kind == SCREE_MOTION_OSCILLATION && !turns) def->amplitude[k] = 0.5 * s->speed / around * n[k];
  }
  if (def->kind == SCREE_MOTION_ROTATION) def->speed = rate * draw_uniform(d, -1.0, 1.0);
  if (def->kind == SCREE_MOTION_OSCILLATION && turns) def->angle = fmin(rate / around, 1.0);
  if (def->kind == SCREE_MOTION_OSCILLATION) def->phase = draw_chance(d, 0.5) ? 0.0 : draw_uniform(d, 0.0, 6.0);
  if (def->kind == SCREE_MOTION_WAYPOINTS) draw_waypoints(m, d, motion, turns, rate);
  if (def->kind >= SCREE_MOTION_SERVO) draw_servo(m, d, def);
  if (draw_chance(d, 0.3)) def->start = s->time * draw_uniform(d, 0.0, 0.4);
  if (draw_chance(d, 0.3)) def->stop = s->time * draw_uniform(d, 0.5, 1.2);
  if (def->kind < SCREE_MOTION_SERVO && draw_chance(d, 0.3)) def->ramp = s->time * draw_uniform(d, 0.0, 0.04);
}

static double middle_of_wall(const SceneWall *wall, int axis) {
  const ScreeWallDef *w = &wall->def;
  double sum = 0.0;
  if (w->shape == SCREE_WALL_BOX) return 0.5 * (w->low[axis] + w->high[axis]);
  for (size_t i = 0; i < wall->mesh.vertices; i++) sum += wall->mesh.vertex[i][axis] / (double)wall->mesh.vertices;
  return wall->mesh.vertices > 0 ? sum : w->point[axis];
}

/* What ends lies anywhere along a periodic axis, also across its side: its middle within, since it has one image on
 * either side. */
static void shift_wall(const Scene *s, Draws *d, SceneWall *wall) {
  ScreeWallDef *w = &wall->def;
  for (int k = 0; k < 3; k++) {
    double low = s->def.low[k], period = s->def.high[k] - low,
           shift = low + draw_uniform(d, 0.0, 1.0) * period - middle_of_wall(wall, k);
    if (!s->def.periodic[k] || is_endless(w)) continue;
    w->point[k] += shift, wall->end[k] += shift, w->low[k] += shift, w->high[k] += shift;
    for (size_t i = 0; i < wall->mesh.vertices; i++) wall->mesh.vertex[i][k] += shift;
  }
  scene_align(wall);
}

static void draw_wall(Making *m, Draws *d) {
  Scene *s = m->s;
  SceneWall *wall = &s->wall[s->walls];
  *wall = (SceneWall){.insert_at = -INFINITY, .remove_at = INFINITY};
  wall->def.material = draw_below(d, s->materials);
  wall->def.shape = (ScreeWallShape)draw_below(d, SCREE_WALL_MESH + 1);
  if (m->start == ROLLING && s->walls == 0) wall->def.shape = SCREE_WALL_PLANE;
  if (m->start == RESTING && s->walls == 0) wall->def.shape = SCREE_WALL_BOX;
  draw_shape(m, d, wall);
  if (m->start == RESTING && s->walls == 0)
    for (int k = 0; k < 3; k++) wall->def.inside = true, wall->def.low[k] = m->low[k], wall->def.high[k] = m->high[k];
  if (m->start == ROLLING && s->walls == 0)
    memcpy(wall->def.axis, (double[]){0.0, 0.0, 1.0}, sizeof wall->def.axis), wall->def.point[2] = m->low[2];
  if (!fits_periods(s, wall)) return;
  shift_wall(s, d, wall);
  wall->motions = draw_chance(d, 0.6) ? 0 : 1 + (draw_chance(d, 0.3) && MAX_MOTIONS > 1);
  for (int i = 0; i < wall->motions; i++) draw_motion(m, d, &wall->def, &wall->motion[i]);
  if (draw_chance(d, 0.1)) wall->insert_at = s->time * draw_uniform(d, 0.1, 0.8);
  if (draw_chance(d, 0.1)) wall->remove_at = s->time * draw_uniform(d, 0.85, 1.0);
  s->walls++;
}

static void draw_walls(Making *m) {
  Draws d = topic(m, "walls");
  int walls = m->start >= ROLLING ? 1 + draw_below(&d, 2) : draw_below(&d, 4);
  for (int i = 0; i < walls && m->s->walls < MAX_WALLS; i++) draw_wall(m, &d);
}

/* ---- room ------------------------------------------------------------------------------------------------------- */

static void create_meshes(Making *m) {
  for (int i = 0; i < m->s->walls; i++) {
    const SceneMesh *from = &m->s->wall[i].mesh;
    ScreeMeshDef def = {(const double(*)[3])from->vertex, from->vertices, (const uint32_t(*)[3])from->triangle,
                        from->triangles};
    m->mesh[i] = NULL;
    if (from->triangles > 0 && scree_mesh_create(&def, &m->mesh[i]) != SCREE_OK) m->mesh[i] = NULL;
  }
}

static double wall_distance(const Making *m, int wall, const double *x) {
  ScreeWallDef def = m->s->wall[wall].def;
  def.mesh = m->mesh[wall];
  return scree_wall_distance_in(&m->s->def, &def, x);
}

/* The wall that comes later is not in the way at the start. */
static bool is_there(const SceneWall *wall) { return !(wall->insert_at > 0.0); }

/* Moves a grain out of the walls along the gradient of the distance; false: it finds no room. */
static bool push_out(const Making *m, ScreeGrain *g, double clearance) {
  double step = 1e-4 * g->radius;
  for (int turn = 0; turn < 12; turn++) {
    bool free = true;
    for (int i = 0; i < m->s->walls; i++) {
      if (!is_there(&m->s->wall[i])) continue;
      double d = wall_distance(m, i, g->position), gradient[3], want = g->radius + clearance;
      if (isnan(d)) return false;
      if (d >= want) continue;
      free = false;
      for (int k = 0; k < 3; k++) {
        double x[3] = {g->position[0], g->position[1], g->position[2]};
        x[k] += step;
        gradient[k] = (wall_distance(m, i, x) - d) / step;
      }
      for (int k = 0; k < 3; k++) g->position[k] += (want - d + 1e-3 * g->radius * m->softness) * gradient[k];
    }
    if (free) return true;
  }
  return false;
}

static double gap_between(const Scene *s, const ScreeGrain *a, const ScreeGrain *b) {
  double sum = 0.0;
  for (int k = 0; k < 3; k++) {
    double x = b->position[k] - a->position[k], period = s->def.high[k] - s->def.low[k];
    if (s->def.periodic[k]) x -= period * round(x / period);
    sum += x * x;
  }
  return sqrt(sum) - a->radius - b->radius;
}

static bool is_inside(const Scene *s, const ScreeGrain *g) {
  for (int k = 0; k < 3; k++)
    if (!(g->position[k] >= s->def.low[k] && g->position[k] < s->def.high[k])) return false;
  return true;
}

static void make_room(Making *m) {
  Scene *s = m->s;
  int kept = 0;
  double depth = m->start >= PRESSED ? 0.3 * m->softness * s->radius : 0.0,
         most = m->start == PRESSED || m->start == RESTING ? 2.0 * m->softness * s->radius : 0.0;
  create_meshes(m);
  for (int i = 0; i < s->grains; i++) {
    ScreeGrain g = s->grain[i];
    bool room = push_out(m, &g, -depth) && is_inside(s, &g);
    for (int j = 0; j < kept && room; j++)
      room = gap_between(s, &g, &s->grain[j]) >= -most || (g.fixed && s->grain[j].fixed);
    if (room) s->grain[kept++] = g;
  }
  s->grains = kept;
  for (int i = 0; i < s->walls; i++) scree_mesh_destroy(m->mesh[i]);
}

/* ---- fields and flows ------------------------------------------------------------------------------------------- */

/* In a rolling scene the static overlap is about that at which grains begin. */
static void draw_fields(Making *m) {
  Scene *s = m->s;
  Draws d = topic(m, "fields");
  double scale = s->speed * s->speed / s->radius, n[3], share = 0.3 * m->softness;
  draw_direction(&d, n);
  double pull = draw_chance(&d, 0.4) ? 0.0 : scale * draw_log_uniform(&d, 0.01, 1.0);
  bool down = draw_chance(&d, 0.7);
  for (int k = 0; k < 3; k++) s->def.gravity[k] = pull * (down ? -(k == 2) : n[k]);
  if (draw_chance(&d, 0.15))
    for (int k = 0; k < 3; k++) s->def.body_force[k] = mean_density(s) * scale * 0.2 * draw_uniform(&d, -1.0, 1.0);
  if (m->start < ROLLING) return;
  double tilt = draw_chance(&d, 0.5) ? 0.0 : draw_uniform(&d, 0.0, 0.4),
         g = stiffness_of(m, 1.5) * pow(share * s->radius, 1.5) / mass_of(s, s->radius);
  s->def.gravity[0] = g * sin(tilt), s->def.gravity[1] = 0.0, s->def.gravity[2] = -g * cos(tilt);
  memset(s->def.body_force, 0, sizeof s->def.body_force);
}

static void draw_region(const Making *m, Draws *d, ScreeRegion *region) {
  const Scene *s = m->s;
  double middle[3], size = s->radius * draw_uniform(d, 1.0, 4.0), n[3];
  region->shape = (ScreeRegionShape[]){SCREE_REGION_BOX, SCREE_REGION_CYLINDER, SCREE_REGION_SPHERE,
                                       SCREE_REGION_BEYOND}[draw_below(d, 4)];
  for (int k = 0; k < 3; k++) middle[k] = draw_uniform(d, m->low[k], m->high[k]);
  draw_direction(d, n);
  for (int k = 0; k < 3; k++) {
    region->low[k] = middle[k] - size, region->high[k] = middle[k] + size;
    region->from[k] = middle[k] - 0.5 * size * n[k], region->to[k] = middle[k] + 0.5 * size * n[k];
    region->point[k] = middle[k], region->normal[k] = n[k];
  }
  region->radius = size;
}

static void draw_stream(Making *m, Draws *d) {
  Scene *s = m->s;
  ScreeStreamDef *f = &s->stream[s->streams];
  double r = s->radius, mass = mass_of(s, r), looks = fmax(1.0, (double)s->steps / 32.0),
         number = draw_uniform(d, 0.5, 4.0) * looks / s->time;
  *f = scree_stream_def_default();
  f->region.shape = (ScreeRegionShape[]){SCREE_REGION_BOX, SCREE_REGION_CYLINDER, SCREE_REGION_SPHERE,
                                         SCREE_REGION_DISC}[draw_below(d, 4)];
  double middle[3], half = 1.6 * r;
  for (int k = 0; k < 3; k++) middle[k] = draw_uniform(d, s->def.low[k], s->def.high[k]);
  for (int k = 0; k < 3; k++) { /* within the domain, widened if need be */
    if (!s->def.periodic[k] && s->def.high[k] - s->def.low[k] < 4.0 * half) s->def.high[k] = s->def.low[k] + 4.0 * half;
    middle[k] = fmin(fmax(middle[k], s->def.low[k] + half), s->def.high[k] - half);
    f->region.low[k] = middle[k] - half, f->region.high[k] = middle[k] + half;
    f->region.from[k] = f->region.to[k] = f->region.point[k] = middle[k];
    f->region.normal[k] = k == 2;
  }
  f->region.from[2] -= half, f->region.to[2] += half;
  f->region.radius = half;
  f->number_rate = draw_chance(d, 0.5) ? number : NAN;
  if (isnan(f->number_rate)) f->mass_rate = number * mass;
  if (draw_chance(d, 0.3)) f->from = 0.3 * s->time;
  if (draw_chance(d, 0.3)) f->until = 0.8 * s->time;
  f->sizes = (ScreeSizes){.kind = SCREE_SIZES_UNIFORM, .min = 0.5 * r, .max = r};
  if (draw_chance(d, 0.3)) f->sizes = (ScreeSizes){.kind = SCREE_SIZES_ONE, .mean = r};
  f->material = draw_below(d, s->materials);
  f->velocity[2] = -s->speed * draw_uniform(d, 0.0, 1.0);
  f->seed = (uint64_t)draw_below(d, 1000);
  s->streams++;
}

static void draw_flows(Making *m) {
  Scene *s = m->s;
  Draws d = topic(m, "flows");
  s->def.outside = draw_chance(&d, 0.6) ? SCREE_OUTSIDE_REMOVE : SCREE_OUTSIDE_STOP;
  if (m->start >= ROLLING) return;
  int outlets = draw_chance(&d, 0.2) ? 1 + draw_below(&d, MAX_OUTLETS) : 0,
      streams = draw_chance(&d, 0.2) ? 1 + draw_below(&d, MAX_STREAMS) : 0;
  for (int i = 0; i < outlets; i++) draw_region(m, &d, &s->outlet[s->outlets++]);
  for (int i = 0; i < streams; i++) draw_stream(m, &d);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

void scene_generate(uint64_t seed, Scene *scene) {
  Making m = {.s = scene, .seed = seed};
  memset(scene, 0, sizeof *scene);
  scene->seed = seed;
  draw_scales(&m);
  draw_materials(&m);
  draw_contacts(&m);
  draw_lattice(&m);
  draw_grains(&m);
  draw_fields(&m);
  draw_walls(&m);
  draw_flows(&m);
  make_room(&m);
  draw_ids(&m);
}
