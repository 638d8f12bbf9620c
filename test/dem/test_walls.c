/* Walls, fixed grains and fields. Distances and normals are judged by brute force: the nearest point of a finely
 * sampled surface. Everything goes through a world, as a user would do it. */
#include <stdlib.h>
#include <string.h>

#include "support/worlds.h"

static const ScreeMaterial rubber = {70e6, 0.25, 2500.0};

/* Elastic, frictionless contacts in a domain of [-size, size]^3 without gravity. */
static ScreeWorldDef elastic_def(double size) {
  ScreeWorldDef def = scree_world_def_default();
  memset(def.gravity, 0, sizeof def.gravity);
  for (int k = 0; k < 3; k++) def.low[k] = -size, def.high[k] = size;
  def.expected_speed = 1.0;
  return def;
}

static ScreeContactDef elastic_contact(void) {
  ScreeContactDef contact = scree_contact_def_default();
  contact.normal = SCREE_LAW_hertz;
  contact.pair.restitution = NAN;
  contact.tangential = SCREE_LAW_NONE;
  return contact;
}

static ScreeWorld *world_with(const ScreeWorldDef *def, const ScreeContactDef *contact, int walls,
                              const ScreeWallDef *wall) {
  ScreeWorld *w = empty_world(def, contact, rubber);
  for (int i = 0; i < walls; i++)
    cr_assert_eq(scree_world_add_wall(w, &wall[i], NULL), SCREE_OK, "%s", scree_last_error());
  return w;
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static double mass_of(double r, double density) { return 4.0 / 3.0 * acos(-1.0) * r * r * r * density; }

/* ---- surfaces by sampling ---- */

/* A patch of a surface: u, v in 0 ... 1; `round`: u is an angle. */
typedef struct Patch {
  const ScreeWallDef *wall;
  double e[3][3]; /* frame: e[2] along the axis */
  int face;       /* of a box */
} Patch;

static const double endless = 4.0; /* m, of a wall without an end: more than any probe can see */

static void frame(const double *axis, double e[3][3]) {
  double size = sqrt(dot(axis, axis)), any[3] = {0.3, -0.5, 0.8}, along = 0.0;
  for (int k = 0; k < 3; k++) e[2][k] = size > 0.0 ? axis[k] / size : k == 2;
  along = dot(any, e[2]);
  for (int k = 0; k < 3; k++) e[0][k] = any[k] - along * e[2][k];
  size = sqrt(dot(e[0], e[0]));
  for (int k = 0; k < 3; k++) e[0][k] /= size;
  for (int k = 0; k < 3; k++) e[1][k] = e[2][(k + 1) % 3] * e[0][(k + 2) % 3] - e[2][(k + 2) % 3] * e[0][(k + 1) % 3];
}

/* Local coordinates of the surface point (u, v): across, across, along the axis. */
static void local_point(const ScreeWallDef *w, double u, double v, double *p) {
  double angle = 2.0 * acos(-1.0) * u, out = 0.0, along = 0.0;
  switch (w->shape) {
  case SCREE_WALL_PLANE: p[0] = endless * (2.0 * u - 1.0), p[1] = endless * (2.0 * v - 1.0), p[2] = 0.0; return;
  case SCREE_WALL_CYLINDER:
    out = w->radius;
    along = w->length > 0.0 ? v * w->length : endless * (2.0 * v - 1.0);
    break;
  case SCREE_WALL_SPHERE:
    out = w->radius * sin(acos(-1.0) * v);
    along = w->radius * cos(acos(-1.0) * v);
    break;
  case SCREE_WALL_CONE:
    out = w->length > 0.0 ? w->radius + v * (w->radius2 - w->radius) : endless * v * sin(w->angle);
    along = w->length > 0.0 ? v * w->length : endless * v * cos(w->angle);
    break;
  default: out = w->radius2 + v * (w->radius - w->radius2); break;
  }
  p[0] = out * cos(angle), p[1] = out * sin(angle), p[2] = along;
}

static double distance_to(const Patch *s, double u, double v, const double *x) {
  double p[3], d2 = 0.0;
  const ScreeWallDef *w = s->wall;
  if (w->shape == SCREE_WALL_BOX) {
    int axis = s->face / 2;
    p[axis] = s->face % 2 ? w->high[axis] : w->low[axis];
    p[(axis + 1) % 3] = w->low[(axis + 1) % 3] + u * (w->high[(axis + 1) % 3] - w->low[(axis + 1) % 3]);
    p[(axis + 2) % 3] = w->low[(axis + 2) % 3] + v * (w->high[(axis + 2) % 3] - w->low[(axis + 2) % 3]);
  } else {
    double q[3];
    local_point(w, u, v, q);
    for (int k = 0; k < 3; k++) p[k] = w->point[k] + q[0] * s->e[0][k] + q[1] * s->e[1][k] + q[2] * s->e[2][k];
  }
  for (int k = 0; k < 3; k++) d2 += (x[k] - p[k]) * (x[k] - p[k]);
  return sqrt(d2);
}

static double clamped(double v) { return fmin(fmax(v, 0.0), 1.0); }

/* The best of a coarse sampling, then ever finer ones around it. */
static double nearest_on(const Patch *s, const double *x) {
  enum { COARSE = 48, FINE = 4, ROUNDS = 26 };
  bool turns = s->wall->shape != SCREE_WALL_BOX && s->wall->shape != SCREE_WALL_PLANE;
  double best = INFINITY, at[2] = {0.0, 0.0}, window = 1.5 / COARSE;
  for (int i = 0; i <= COARSE; i++)
    for (int j = 0; j <= COARSE; j++) {
      double d = distance_to(s, (double)i / COARSE, (double)j / COARSE, x);
      if (d < best) best = d, at[0] = (double)i / COARSE, at[1] = (double)j / COARSE;
    }
  for (int round = 0; round < ROUNDS; round++, window *= 0.5) {
    double around[2] = {at[0], at[1]};
    for (int i = -FINE; i <= FINE; i++)
      for (int j = -FINE; j <= FINE; j++) {
        double u = around[0] + window * i / FINE, v = clamped(around[1] + window * j / FINE);
        if (!turns) u = clamped(u);
        double d = distance_to(s, u, v, x);
        if (d < best) best = d, at[0] = u, at[1] = v;
      }
  }
  return best;
}

static double brute_distance(const ScreeWallDef *w, const double *x) {
  Patch s = {.wall = w};
  double best = INFINITY;
  frame(w->axis, s.e);
  for (s.face = 0; s.face < (w->shape == SCREE_WALL_BOX ? 6 : 1); s.face++) best = fmin(best, nearest_on(&s, x));
  return best;
}

/* ---- probes ---- */

/* What the engine makes of a wall, seen from a point: a ball there that overlaps by a twentieth of the expected
 * distance must do so, and flee along the normal. */
static void probe(const ScreeWallDef *wall, const double *x, const char *name, double *reach) {
  ScreeWorldDef def = elastic_def(10.0);
  ScreeContactDef contact = elastic_contact();
  ScreeMeasure m;
  double distance = brute_distance(wall, x), r = 1.05 * distance;
  ScreeWorld *w = world_with(&def, &contact, 1, wall);
  ScreeGrain g = {.id = 1, .position = {x[0], x[1], x[2]}, .radius = r};
  start_with(w, 1, &g);
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  double gap = r * (1.0 - m.max_overlap);
  cr_expect(m.contacts == 1 && fabs(gap - distance) < 1e-7, "%s at (%.4f, %.4f, %.4f): %zu contacts, %.9f m, not %.9f",
            name, x[0], x[1], x[2], m.contacts, gap, distance);
  cr_assert_eq(scree_world_step(w, 1), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
  double speed = sqrt(dot(g.velocity, g.velocity)), touched[3];
  cr_expect(speed > 0.0, "%s does not push", name);
  for (int k = 0; k < 3; k++) touched[k] = x[k] - gap * g.velocity[k] / speed;
  cr_expect(brute_distance(wall, touched) < 1e-6, "%s at (%.4f, %.4f, %.4f): the normal misses the wall by %.2e m",
            name, x[0], x[1], x[2], brute_distance(wall, touched));
  *reach = distance;
  scree_world_destroy(w);
}

/* Where a grain may be: solids and closed walls have one side, thin shells two. */
static bool allowed(const ScreeWallDef *w, const double *x) {
  double to[3] = {x[0] - w->point[0], x[1] - w->point[1], x[2] - w->point[2]}, e[3][3], distance2 = dot(to, to);
  frame(w->axis, e);
  double along = dot(to, e[2]), out2 = distance2 - along * along;
  bool within = true;
  switch (w->shape) {
  case SCREE_WALL_PLANE: return along > 0.0;
  case SCREE_WALL_BOX:
    for (int k = 0; k < 3; k++) within = within && x[k] > w->low[k] && x[k] < w->high[k];
    return within == w->inside;
  case SCREE_WALL_SPHERE: return (distance2 < w->radius * w->radius) == w->inside;
  case SCREE_WALL_CYLINDER: return w->length > 0.0 || (out2 < w->radius * w->radius) == w->inside;
  case SCREE_WALL_CONE: return w->length > 0.0 || (along > 0.0 && sqrt(fmax(out2, 0.0)) < along * tan(w->angle));
  default: return true;
  }
}

static const struct {
  const char *name;
  ScreeWallDef wall;
} shapes[] = {
    {"plane", {.shape = SCREE_WALL_PLANE, .point = {0.1, 0.2, -0.3}, .axis = {1.0, -2.0, 0.5}}},
    {"block", {.shape = SCREE_WALL_BOX, .low = {-0.3, -0.5, -0.2}, .high = {0.4, 0.1, 0.6}}},
    {"endless cylinder, inside",
     {.shape = SCREE_WALL_CYLINDER, .point = {0.1, 0.0, 0.2}, .axis = {1.0, 1.0, 3.0}, .radius = 0.7, .inside = true}},
    {"endless cylinder, outside",
     {.shape = SCREE_WALL_CYLINDER, .point = {0.1, 0.0, 0.2}, .axis = {-1.0, 0.4, 2.0}, .radius = 0.3}},
    {"pipe",
     {.shape = SCREE_WALL_CYLINDER, .point = {-0.2, 0.1, -0.5}, .axis = {0.3, 0.2, 1.0}, .radius = 0.4, .length = 0.8}},
    {"sphere, inside", {.shape = SCREE_WALL_SPHERE, .point = {0.1, 0.2, 0.0}, .radius = 0.8, .inside = true}},
    {"sphere, outside", {.shape = SCREE_WALL_SPHERE, .point = {0.1, 0.2, 0.0}, .radius = 0.4}},
    {"endless cone", {.shape = SCREE_WALL_CONE, .point = {0.0, 0.1, -0.9}, .axis = {0.2, -0.1, 1.0}, .angle = 0.6}},
    {"funnel",
     {.shape = SCREE_WALL_CONE,
      .point = {0.0, 0.1, -0.4},
      .axis = {0.3, 0.5, 1.0},
      .radius = 0.2,
      .radius2 = 0.7,
      .length = 0.6}},
    {"funnel that ends in a point",
     {.shape = SCREE_WALL_CONE, .point = {0.0, 0.1, -0.4}, .axis = {0.3, 0.5, -1.0}, .radius = 0.5, .length = 0.6}},
    {"disc", {.shape = SCREE_WALL_DISC, .point = {0.1, -0.1, 0.2}, .axis = {2.0, 1.0, 1.0}, .radius = 0.6}},
    {"disc with a hole",
     {.shape = SCREE_WALL_DISC, .point = {0.1, -0.1, 0.2}, .axis = {0.1, 1.0, 1.0}, .radius = 0.7, .radius2 = 0.4}},
};

/* Around the axis of a round wall the distance is rounded off, within a twentieth of the grain's radius. */
static bool near_axis(const ScreeWallDef *w, const double *x, double r) {
  double to[3] = {x[0] - w->point[0], x[1] - w->point[1], x[2] - w->point[2]}, e[3][3];
  if (w->shape == SCREE_WALL_PLANE || w->shape == SCREE_WALL_BOX) return false;
  frame(w->axis, e);
  double along = w->shape == SCREE_WALL_SPHERE ? 0.0 : dot(to, e[2]);
  return dot(to, to) - along * along < 0.05 * r * 0.05 * r;
}

Test(walls, distance_and_normal_are_those_of_the_nearest_point) {
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    uint64_t random = 100 + s;
    int probes = 0;
    double nearest = INFINITY, farthest = 0.0;
    for (int attempt = 0; attempt < 400 && probes < 60; attempt++) {
      double x[3], reach;
      for (int k = 0; k < 3; k++) x[k] = uniform(&random, -1.0, 1.0);
      double distance = brute_distance(&shapes[s].wall, x);
      if (!allowed(&shapes[s].wall, x) || distance < 0.01 || near_axis(&shapes[s].wall, x, 1.05 * distance)) continue;
      probe(&shapes[s].wall, x, shapes[s].name, &reach);
      nearest = fmin(nearest, reach), farthest = fmax(farthest, reach);
      probes++;
    }
    cr_expect(probes >= 40 && farthest > 4.0 * nearest, "%s: %d probes, %.3g ... %.3g m", shapes[s].name, probes,
              nearest, farthest);
  }
}

/* Every side, edge, corner and rim by name, with the distance known by hand. */
Test(walls, sides_edges_and_rims_by_hand) {
  const ScreeWallDef block = {.shape = SCREE_WALL_BOX, .high = {1.0, 1.0, 1.0}};
  const ScreeWallDef pipe = {.shape = SCREE_WALL_CYLINDER, .axis = {0, 0, 1}, .radius = 0.5, .length = 1.0};
  const ScreeWallDef funnel = {
      .shape = SCREE_WALL_CONE, .axis = {0, 0, 1}, .radius = 0.2, .radius2 = 1.0, .length = 0.8};
  const ScreeWallDef ring = {.shape = SCREE_WALL_DISC, .axis = {0, 0, 1}, .radius = 0.8, .radius2 = 0.3};
  const double half = sqrt(0.5);
  const struct {
    const char *name;
    const ScreeWallDef *wall;
    double x[3], distance, normal[3]; /* towards the wall */
  } cases[] = {
      {"block, face", &block, {0.4, 0.3, 1.2}, 0.2, {0, 0, -1}},
      {"block, edge", &block, {1.3, 0.5, -0.4}, 0.5, {-0.6, 0, 0.8}},
      {"block, corner", &block, {-0.1, 1.2, 1.2}, 0.3, {1.0 / 3.0, -2.0 / 3.0, -2.0 / 3.0}},
      {"pipe, inside", &pipe, {0.3, 0.0, 0.4}, 0.2, {1, 0, 0}},
      {"pipe, outside", &pipe, {0.0, -0.7, 0.9}, 0.2, {0, 1, 0}},
      {"pipe, rim from inside", &pipe, {0.2, 0.0, 1.4}, 0.5, {0.6, 0, -0.8}},
      {"pipe, rim from outside", &pipe, {0.8, 0.0, -0.4}, 0.5, {-0.6, 0, 0.8}},
      {"funnel, inside", &funnel, {0.3, 0.0, 0.3}, 0.2 * half, {half, 0, -half}},
      {"funnel, outside", &funnel, {0.0, 0.9, 0.3}, 0.4 * half, {0, -half, half}},
      {"funnel, narrow rim", &funnel, {0.2, 0.0, -0.3}, 0.3, {0, 0, 1}},
      {"funnel, wide rim", &funnel, {1.3, 0.0, 1.2}, 0.5, {-0.6, 0, -0.8}},
      {"disc, top", &ring, {0.5, 0.0, 0.2}, 0.2, {0, 0, -1}},
      {"disc, bottom", &ring, {0.0, 0.5, -0.1}, 0.1, {0, 0, 1}},
      {"disc, rim", &ring, {1.1, 0.0, 0.4}, 0.5, {-0.6, 0, -0.8}},
      {"disc, hole", &ring, {0.0, 0.1, 0.0}, 0.2, {0, 1, 0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ScreeWorldDef def = elastic_def(3.0);
    ScreeContactDef contact = elastic_contact();
    ScreeMeasure m;
    double r = cases[i].distance / 0.98, speed;
    ScreeWorld *w = world_with(&def, &contact, 1, cases[i].wall);
    ScreeGrain g = {.id = 1, .position = {cases[i].x[0], cases[i].x[1], cases[i].x[2]}, .radius = r};
    start_with(w, 1, &g);
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_expect(m.contacts == 1 && fabs(m.max_overlap - 0.02) < 1e-12, "%s: %zu contacts, overlap %.12f", cases[i].name,
              m.contacts, m.max_overlap);
    cr_assert_eq(scree_world_step(w, 1), SCREE_OK);
    cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
    speed = sqrt(dot(g.velocity, g.velocity));
    for (int k = 0; k < 3; k++)
      cr_expect(fabs(-g.velocity[k] / speed - cases[i].normal[k]) < 1e-9, "%s: normal %d is %.12f, not %.12f",
                cases[i].name, k, -g.velocity[k] / speed, cases[i].normal[k]);
    scree_world_destroy(w);
  }
}

/* Inside, a box is six walls: a face, an edge, a corner hold a ball with one, two, three contacts, each with its own
 * overlap, and the ball flees from all of them. */
Test(walls, a_box_around_the_grains_holds_them_at_faces_edges_and_corners) {
  const ScreeWallDef box = {.shape = SCREE_WALL_BOX, .high = {1.0, 1.0, 1.0}, .inside = true};
  const double r = 0.1;
  for (int corner = 1; corner < 27; corner++) { /* each axis: free, at the low wall, at the high wall */
    ScreeWorldDef def = elastic_def(1.5);
    ScreeContactDef contact = elastic_contact();
    ScreeMeasure m;
    ScreeGrain g = {.id = 1, .radius = r};
    int side[3] = {corner % 3, corner / 3 % 3, corner / 9}, touching = 0;
    double deepest = 0.0;
    for (int k = 0; k < 3; k++) {
      double overlap = 0.01 * (k + 1) * r;
      g.position[k] = side[k] == 0 ? 0.5 : side[k] == 1 ? r - overlap : 1.0 - r + overlap;
      touching += side[k] != 0;
      if (side[k] != 0) deepest = 0.01 * (k + 1);
    }
    ScreeWorld *w = world_with(&def, &contact, 1, &box);
    start_with(w, 1, &g);
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    cr_expect(m.contacts == (size_t)touching && fabs(m.max_overlap - deepest) < 1e-12, "place %d: %zu contacts, %.9f",
              corner, m.contacts, m.max_overlap);
    cr_assert_eq(scree_world_step(w, 1), SCREE_OK);
    cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
    for (int k = 0; k < 3; k++)
      cr_expect(side[k] == 0   ? g.velocity[k] == 0.0
                : side[k] == 1 ? g.velocity[k] > 0.0
                               : g.velocity[k] < 0.0,
                "place %d: velocity %d is %.3g", corner, k, g.velocity[k]);
    scree_world_destroy(w);
  }
}

/* ---- closed vessels ---- */

typedef struct Vessel {
  const char *name;
  int walls;
  ScreeWallDef wall[3];
  bool periodic;          /* along z */
  double low, high;       /* room of the ball's centre along z [m] */
  double at_low, at_high; /* and about the z axis, at both ends */
} Vessel;

static const Vessel vessels[] = {
    {"box",
     1,
     {{.shape = SCREE_WALL_BOX, .low = {-0.12, -0.12, 0.0}, .high = {0.12, 0.12, 0.24}, .inside = true}},
     false,
     0.1,
     0.14,
     0.0283,
     0.0283},
    {"sphere",
     1,
     {{.shape = SCREE_WALL_SPHERE, .point = {0, 0, 0.12}, .radius = 0.12, .inside = true}},
     false,
     0.1,
     0.14,
     0.02,
     0.02},
    {"endless cylinder",
     1,
     {{.shape = SCREE_WALL_CYLINDER, .axis = {0, 0, 1}, .radius = 0.12, .inside = true}},
     true,
     0.0,
     1.0,
     0.02,
     0.02},
    {"pipe and two discs",
     3,
     {{.shape = SCREE_WALL_CYLINDER, .axis = {0, 0, 1}, .radius = 0.12, .length = 0.23},
      {.shape = SCREE_WALL_DISC, .axis = {0, 0, 1}, .radius = 0.12},
      {.shape = SCREE_WALL_DISC, .point = {0, 0, 0.23}, .axis = {0, 0, 1}, .radius = 0.12}},
     false,
     0.1,
     0.13,
     0.02,
     0.02},
    {"funnel and two discs",
     3,
     {{.shape = SCREE_WALL_CONE, .axis = {0, 0, 1}, .radius = 0.15, .radius2 = 0.11, .length = 0.25},
      {.shape = SCREE_WALL_DISC, .axis = {0, 0, 1}, .radius = 0.15},
      {.shape = SCREE_WALL_DISC, .point = {0, 0, 0.25}, .axis = {0, 0, 1}, .radius = 0.11}},
     false,
     0.1,
     0.15,
     0.0328,
     0.0248},
    {"endless cone and a lid",
     2,
     {{.shape = SCREE_WALL_CONE, .axis = {0, 0, 1}, .angle = 0.5},
      {.shape = SCREE_WALL_PLANE, .point = {0, 0, 0.36}, .axis = {0, 0, -1}}},
     false,
     0.2085,
     0.26,
     0.0,
     0.0282}};

Test(walls, a_ball_in_a_closed_vessel_keeps_its_energy_and_stays_inside) {
  const double r = 0.1;
  for (size_t i = 0; i < sizeof vessels / sizeof *vessels; i++) {
    const Vessel *vessel = &vessels[i];
    ScreeWorldDef def = elastic_def(0.5);
    ScreeContactDef contact = elastic_contact();
    ScreeMeasure start, m;
    ScreeGrain g = {.id = 1, .position = {0.002, -0.001, 0.0}, .velocity = {0.9, 0.5, 0.7}, .radius = r};
    double slack = 0.06 * r; /* walls give way by about that much */
    size_t touched = 0;
    def.periodic[2] = vessel->periodic;
    if (vessel->periodic) def.low[2] = 0.0, def.high[2] = 1.0;
    def.timestep = 2e-6;
    g.position[2] = 0.5 * (vessel->low + vessel->high);
    ScreeWorld *w = world_with(&def, &contact, vessel->walls, vessel->wall);
    start_with(w, 1, &g);
    cr_assert_eq(scree_world_measure(w, &start), SCREE_OK);
    double worst = 0.0, energy = start.kinetic + start.elastic;
    for (int part = 0; part < 1000; part++) {
      cr_assert_eq(scree_world_step(w, 50), SCREE_OK, "%s: %s", vessel->name, scree_last_error());
      cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
      cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
      worst = fmax(worst, fabs(m.kinetic + m.elastic - energy) / energy);
      touched += m.contacts > 0;
      double share = (g.position[2] - vessel->low) / (vessel->high - vessel->low);
      double wide = vessel->at_low + clamped(share) * (vessel->at_high - vessel->at_low) + 2.0 * slack;
      cr_assert(g.position[2] > vessel->low - slack && g.position[2] < vessel->high + slack &&
                    hypot(g.position[0], g.position[1]) < wide,
                "%s: the ball left it at (%.5f, %.5f, %.5f)", vessel->name, g.position[0], g.position[1],
                g.position[2]);
    }
    cr_expect(worst < 1e-6, "%s: the energy drifts by %.2e", vessel->name, worst);
    cr_expect(touched > 100, "%s: touched in %zu of 1000 looks", vessel->name, touched);
    scree_world_destroy(w);
  }
}

/* ---- fixed grains ---- */

Test(walls, fixed_grains_keep_their_course_whatever_hits_them) {
  ScreeWorldDef def = elastic_def(1.0);
  ScreeContactDef contact = scree_contact_def_default(); /* with friction */
  ScreeMeasure m;
  ScreeGrain g[4] = {
      {.id = 1, .position = {0.0, 0.0, 0.0}, .radius = 0.1, .fixed = true},
      {.id = 2,
       .position = {0.0, 0.19, 0.0},
       .velocity = {0.1, -0.2, 0.3},
       .spin = {1, 2, 3},
       .radius = 0.1,
       .fixed = true},
      {.id = 3, .position = {0.25, 0.02, 0.0}, .velocity = {-1.0, 0, 0}, .radius = 0.1},
      {.id = 4, .position = {0.1, 0.45, 0.1}, .velocity = {0, -1.0, 0}, .spin = {0, 0, 30}, .radius = 0.12}};
  const ScreeGrain before[2] = {g[0], g[1]};
  ScreeWorld *w = world_with(&def, &contact, 0, NULL);
  start_with(w, 4, g);
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  cr_expect_eq(m.contacts, 0, "two fixed grains that overlap do not touch");
  double dt = scree_world_timestep(w), lost = 0.0;
  for (int part = 0; part < 200; part++) {
    cr_assert_eq(scree_world_step(w, 10), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_read(w, g), SCREE_OK);
    cr_assert(memcmp(&g[0], &before[0], sizeof g[0]) == 0, "a fixed grain at rest moves");
    for (int k = 0; k < 3; k++) {
      double t = dt * 10.0 * (part + 1), expected = before[1].position[k] + before[1].velocity[k] * t;
      cr_assert(g[1].velocity[k] == before[1].velocity[k] && g[1].spin[k] == before[1].spin[k] &&
                    fabs(g[1].position[k] - expected) < 1e-12,
                "a fixed grain leaves its course");
    }
  }
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  lost = m.dissipated_viscous + m.dissipated_friction;
  cr_expect(g[2].velocity[0] > 0.0 && g[3].velocity[1] > 0.0 && lost > 0.0, "both were hit");
  cr_expect(fabs(m.residual) < 1e-4 * m.scale, "residual %.3g of %.3g J", m.residual, m.scale);
  scree_world_destroy(w);
}

/* A moving wall of one grain: an elastic rebound in its frame gives 2 V in ours, whatever the mass, and it is the
 * fixed grain that has done the work. The error falls with the step. */
Test(walls, a_fixed_grain_that_pushes_gives_twice_its_speed_and_books_the_work) {
  const double speed = 0.5, r = 0.05, mass = mass_of(r, rubber.density);
  double error[2];
  for (int fine = 0; fine < 2; fine++) {
    ScreeWorldDef def = elastic_def(1.0);
    ScreeContactDef contact = elastic_contact();
    ScreeMeasure m;
    ScreeGrain g[2] = {
        {.id = 1, .position = {-0.16, 0.0, 0.0}, .velocity = {speed, 0, 0}, .radius = 0.1, .fixed = true},
        {.id = 2, .position = {0.0, 0.0, 0.0}, .radius = r}};
    def.timestep = fine ? 2e-6 : 2e-5;
    ScreeWorld *w = world_with(&def, &contact, 0, NULL);
    start_with(w, 2, g);
    cr_assert_eq(scree_world_step(w, lround(0.1 / def.timestep)), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_read(w, g), SCREE_OK);
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    error[fine] = fabs(g[1].velocity[0] / (2.0 * speed) - 1.0);
    cr_expect(m.contacts == 0 && error[fine] < (fine ? 1e-7 : 1e-4), "v = %.9f instead of 2 V", g[1].velocity[0]);
    cr_expect(relative(m.work, 0.5 * mass * g[1].velocity[0] * g[1].velocity[0]) < (fine ? 1e-7 : 1e-4),
              "work %.9g J, energy gained %.9g J", m.work, 0.5 * mass * g[1].velocity[0] * g[1].velocity[0]);
    cr_expect(relative(m.work, m.kinetic) < (fine ? 1e-7 : 1e-4) && fabs(m.residual) < (fine ? 1e-7 : 1e-4) * m.scale,
              "work %.9g J, kinetic %.9g J, residual %.3g J", m.work, m.kinetic, m.residual);
    scree_world_destroy(w);
  }
  cr_expect(error[1] < 0.1 * error[0], "errors %.2e, then %.2e", error[0], error[1]);
}

/* A ball rests on a fixed one that begins to spin under it: friction drives the ball, and what it gains and what is
 * lost in sliding is the spinning grain's work. */
Test(walls, the_work_of_a_spinning_fixed_grain_is_what_others_gain_and_lose) {
  ScreeWorldDef def = elastic_def(1.0);
  ScreeContactDef contact = scree_contact_def_default();
  ScreeMeasure m;
  ScreeGrain g[2] = {{.id = 1, .position = {0, 0, 0}, .spin = {0, 0, 20.0}, .radius = 0.1, .fixed = true},
                     {.id = 2, .position = {0.0, 0.31, 0.0}, .velocity = {0, -1.0, 0}, .radius = 0.2}};
  ScreeWorld *w = world_with(&def, &contact, 0, NULL);
  start_with(w, 2, g);
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  double before = m.kinetic;
  cr_assert_eq(scree_world_step(w, lround(0.05 / scree_world_timestep(w))), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  cr_assert_eq(scree_world_read(w, g), SCREE_OK);
  cr_expect(g[1].velocity[0] < -0.1 && g[1].spin[2] < -0.1 && m.work > 0.01 * before && m.dissipated_friction > 0.0,
            "driven to (%.3f, %.3f) m/s, %.3f 1/s by %.3g J", g[1].velocity[0], g[1].velocity[1], g[1].spin[2], m.work);
  double gained = m.kinetic - before + m.dissipated_viscous + m.dissipated_clamp + m.dissipated_friction;
  cr_expect(relative(m.work, gained) < 1e-3 && m.contacts == 0, "work %.6g J, gained and lost %.6g J", m.work, gained);
  scree_world_destroy(w);
}

/* ---- fields ---- */

/* A body force f [N/m3] accelerates each material by f/rho; the potential it has is booked also where grains leave
 * through a periodic boundary and come in again. */
Test(walls, a_body_force_accelerates_by_its_share_of_the_density) {
  ScreeWorldDef def = elastic_def(1.0);
  ScreeContactDef contact = elastic_contact();
  const ScreeMaterial light = {70e6, 0.25, 500.0};
  const double force[3] = {3000.0, -400.0, 250.0}, density[2] = {rubber.density, light.density};
  ScreeMeasure start, m;
  int id;
  memcpy(def.body_force, force, sizeof force);
  def.periodic[0] = true;
  def.timestep = 1e-4;
  ScreeWorld *w = world_with(&def, &contact, 0, NULL);
  cr_assert_eq(scree_world_add_material(w, light, &id), SCREE_OK);
  ScreeGrain g[2] = {{.id = 1, .position = {0, 0.5, 0.0}, .radius = 0.1},
                     {.id = 2, .position = {0, -0.4, 0.5}, .velocity = {0.2, 0, 0}, .radius = 0.05, .material = id}};
  const ScreeGrain before[2] = {g[0], g[1]};
  start_with(w, 2, g);
  cr_assert_eq(scree_world_measure(w, &start), SCREE_OK);
  const long steps = 10000;
  const double t = 1e-4 * (double)steps;
  cr_assert_eq(scree_world_step(w, steps), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_read(w, g), SCREE_OK);
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  int crossings = 0;
  double fallen = 0.0; /* work of the force along the whole way */
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) {
      double a = force[k] / density[i], way = before[i].velocity[k] * t + 0.5 * a * t * t;
      double x = before[i].position[k] + way, wrapped = k == 0 ? x - 2.0 * floor((x + 1.0) / 2.0) : x;
      crossings += k == 0 ? (int)floor((x + 1.0) / 2.0) : 0;
      fallen += mass_of(before[i].radius, density[i]) * a * way;
      cr_expect(fabs(g[i].velocity[k] - before[i].velocity[k] - a * t) < 1e-10 &&
                    fabs(g[i].position[k] - wrapped) < 1e-10,
                "grain %d, axis %d: %.12f m, %.12f m/s", i, k, g[i].position[k], g[i].velocity[k]);
    }
  cr_expect(crossings == 2, "%d crossings", crossings);
  cr_expect(relative(m.kinetic - start.kinetic, fallen) < 1e-9, "gained %.9g J of %.9g J", m.kinetic - start.kinetic,
            fallen);
  cr_expect(relative(start.potential - m.potential, fallen) < 1e-9, "potential fell by %.9g J of %.9g J",
            start.potential - m.potential, fallen);
  cr_expect(fabs(m.residual) < 1e-9 * m.scale, "residual %.3g of %.3g J", m.residual, m.scale);
  scree_world_destroy(w);
}

/* Gravity and a body force that balances it: a grain of that density floats. */
Test(walls, a_grain_of_the_right_density_floats) {
  ScreeWorldDef def = elastic_def(1.0);
  ScreeContactDef contact = elastic_contact();
  ScreeGrain g = {.id = 1, .radius = 0.1};
  def.gravity[2] = -8.0;
  def.body_force[2] = 8.0 * rubber.density;
  ScreeWorld *w = world_with(&def, &contact, 0, NULL);
  start_with(w, 1, &g);
  cr_assert_eq(scree_world_step(w, 1000), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_read(w, &g), SCREE_OK);
  cr_expect(g.position[2] == 0.0 && g.velocity[2] == 0.0, "%.3g m, %.3g m/s", g.position[2], g.velocity[2]);
  scree_world_destroy(w);
}

/* ---- refusals ---- */

Test(walls, wrong_walls_get_a_sentence) {
  const double up[3] = {0, 0, 1};
  ScreeWallDef whole = {
      .axis = {0, 0, 1}, .high = {1, 1, 1}, .radius = 0.5, .radius2 = 0.2, .length = 1.0, .angle = 0.5};
  const struct {
    const char *word; /* that the sentence must contain */
    ScreeWallDef wall;
  } cases[] = {
      {"axis", {.shape = SCREE_WALL_PLANE}},
      {"axis", {.shape = SCREE_WALL_CYLINDER, .radius = 0.1}},
      {"high > low", {.shape = SCREE_WALL_BOX, .high = {1.0, 0.0, 1.0}}},
      {"high > low", {.shape = SCREE_WALL_BOX, .low = {2.0, 0.0, 0.0}, .high = {1.0, 1.0, 1.0}, .inside = true}},
      {"radius", {.shape = SCREE_WALL_SPHERE}},
      {"radius", {.shape = SCREE_WALL_SPHERE, .radius = -1.0, .inside = true}},
      {"radius", {.shape = SCREE_WALL_CYLINDER, .axis = {0, 0, 1}}},
      {"radius", {.shape = SCREE_WALL_DISC, .axis = {0, 0, 1}}},
      {"length", {.shape = SCREE_WALL_CYLINDER, .axis = {0, 0, 1}, .radius = 0.1, .length = -1.0}},
      {"length", {.shape = SCREE_WALL_CONE, .axis = {0, 0, 1}, .angle = 0.5, .length = -1.0}},
      {"half angle", {.shape = SCREE_WALL_CONE, .axis = {0, 0, 1}}},
      {"half angle", {.shape = SCREE_WALL_CONE, .axis = {0, 0, 1}, .angle = 1.6}},
      {"half angle", {.shape = SCREE_WALL_CONE, .axis = {0, 0, 1}, .angle = -0.5}},
      {"radii", {.shape = SCREE_WALL_CONE, .axis = {0, 0, 1}, .length = 1.0}},
      {"radii", {.shape = SCREE_WALL_CONE, .axis = {0, 0, 1}, .length = 1.0, .radius = 0.2, .radius2 = -0.1}},
      {"hole", {.shape = SCREE_WALL_DISC, .axis = {0, 0, 1}, .radius = 0.1, .radius2 = 0.1}},
      {"hole", {.shape = SCREE_WALL_DISC, .axis = {0, 0, 1}, .radius = 0.1, .radius2 = -0.1}},
  };
  ScreeWorldDef def = elastic_def(1.0);
  ScreeContactDef contact = elastic_contact();
  ScreeWorld *w = world_with(&def, &contact, 0, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int id = -7;
    cr_expect_eq(scree_world_add_wall(w, &cases[i].wall, &id), SCREE_INVALID, "wall %zu is accepted", i);
    cr_expect(strstr(scree_last_error(), cases[i].word) && id == -7, "wall %zu: %s", i, scree_last_error());
  }
  /* a number that is not finite, in any field, of any shape */
  double *const fields[] = {&whole.point[0], &whole.point[2], &whole.axis[1], &whole.low[0], &whole.high[2],
                            &whole.radius,   &whole.radius2,  &whole.length,  &whole.angle};
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int shape = SCREE_WALL_PLANE; shape <= SCREE_WALL_DISC; shape++)
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
      for (int b = 0; b < 3; b++) {
        double keep = *fields[f];
        *fields[f] = bad[b];
        whole.shape = (ScreeWallShape)shape;
        cr_expect_eq(scree_world_add_wall(w, &whole, NULL), SCREE_INVALID, "shape %d, field %zu", shape, f);
        cr_expect(strstr(scree_last_error(), "finite"), "%s", scree_last_error());
        *fields[f] = keep;
      }
  for (int material = -1; material <= 1; material += 2) {
    ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {up[0], up[1], up[2]}, .material = material};
    cr_expect_eq(scree_world_add_wall(w, &floor, NULL), SCREE_UNKNOWN);
    cr_expect(strstr(scree_last_error(), "material"), "%s", scree_last_error());
  }
  /* none of them is there */
  ScreeGrain g = {.id = 1, .radius = 0.3};
  ScreeMeasure m;
  start_with(w, 1, &g);
  cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
  cr_expect_eq(m.contacts, 0);
  scree_world_destroy(w);
}

/* A ball that falls along the axis of a cone touches a ring: one contact must not throw it from side to side. */
static double residual_in_a_cone(bool friction, double timestep, double *used) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = elastic_contact();
  ScreeWallDef cone = {.shape = SCREE_WALL_CONE, .point = {0.5, 0.5, 0.0}, .axis = {0, 0, 1}, .angle = 0.7};
  ScreeMeasure m;
  def.expected_speed = 1.0;
  def.timestep = timestep;
  if (friction) contact.tangential = SCREE_LAW_mindlin, contact.pair.param[SCREE_PARAM_mu] = 0.4;
  ScreeWorld *w = world_with(&def, &contact, 1, &cone);
  ScreeGrain g = {.id = 1, .position = {0.5 + 1e-6, 0.5, 0.12}, .radius = 0.05};
  start_with(w, 1, &g);
  *used = scree_world_timestep(w);
  double worst = 0.0;
  for (int i = 0; i < 100; i++) {
    cr_assert_eq(scree_world_step(w, lround(0.02 / *used)), SCREE_OK, "%s", scree_last_error());
    cr_assert_eq(scree_world_measure(w, &m), SCREE_OK);
    worst = fmax(worst, fabs(m.residual) / m.scale);
  }
  scree_world_destroy(w);
  return worst;
}

/* At the automatic step the balance wavers within a contact; that goes with the square of the step. */
Test(walls, a_ball_on_the_axis_of_a_cone_keeps_its_energy) {
  for (int friction = 0; friction < 2; friction++) {
    double dt, coarse = residual_in_a_cone(friction, NAN, &dt), fine = residual_in_a_cone(friction, dt / 8.0, &dt);
    cr_expect(coarse < 0.05 && fine < 1e-3, "friction %d: worst residual %.3g, then %.3g", friction, coarse, fine);
  }
}
