/* A plain engine without lists, blocks, batches or sorting: every pair, every step, in the order of the input. The real
 * one must give its bits, through neighbour rebuilds and thousands of steps. Written from the definition of the step,
 * not from its code: Tsuji's law clamped, Mindlin friction, a floor that rests or is shaken while it runs like a
 * conveyor, periodic in x and y; or, without periods, a bowl of triangles, of which every one is looked at in every
 * step. */
#include <stdlib.h>
#include <string.h>

#include "dem/mesh.h"
#include "support/worlds.h"

enum { N = 60, WALL = N };

static const ScreeMaterial stuff = {2e8, 0.3, 1500.0};
static const double friction = 0.4, restitution = 0.6, floor_speed = 3.0;

typedef struct Ball {
  bool here;                           /* grains may come later, and go */
  double x[3], v[3], u[3], w[3], r, m; /* u: velocity of the middle of the step */
  int64_t force[3], torque[3];
} Ball;

typedef struct Touch {
  bool on;
  double k, chi, shear[3], last;
  double aim[3]; /* with a mesh: its last direction */
} Touch;

static Ball ball[N];
static Touch touch[N][N + 1], bowl_touch[N][MESH_SLOTS];
static const ScreeMesh *bowl; /* NULL: the floor, and periods */
static NearList everything;
static Feet feet;
static double dt, step_of_history, force_unit, torque_unit, min_radius;

/* The floor: height A sin(2 pi f t + phase) less its beginning, and a speed in x. */
static const double amplitude = 0.001, frequency = 20.0, phase = 0.4, conveyor = 0.6;
static bool floor_moves;
static double floor_x[3], floor_v[3], floor_u[3]; /* u: over the step */

static void move_floor(double time, bool first) {
  double before[3] = {floor_x[0], 0.0, floor_x[2]}, rate = 2.0 * acos(-1.0) * frequency, angle = rate * time + phase;
  if (!floor_moves) return;
  floor_x[0] = conveyor * time, floor_v[0] = conveyor;
  floor_x[2] = amplitude * (sin(angle) - sin(phase)), floor_v[2] = amplitude * (rate * cos(angle));
  for (int k = 0; k < 3; k++) floor_u[k] = first ? floor_v[k] : (floor_x[k] - before[k]) / dt;
}

static double image(double dx) { return bowl ? dx : dx > 0.5 ? dx - 1.0 : dx < -0.5 ? dx + 1.0 : dx; }
static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void begin(Touch *t, const Ball *a, const Ball *b) {
  ScreePairDef def = scree_pair_def_default();
  ScreePair pair;
  double memory[SCREE_MAX_SLOTS];
  def.geometry = b ? SCREE_SPHERE_SPHERE : SCREE_SPHERE_PLANE;
  def.radius[0] = a->r;
  if (b) def.radius[1] = b->r;
  def.material[0] = def.material[1] = stuff;
  def.mass = 1.0 / (1.0 / a->m + 1.0 / (b ? b->m : INFINITY));
  def.restitution = restitution;
  def.speed = floor_speed;
  cr_assert_eq(scree_pair_prepare(SCREE_LAW_tsuji, &def, &pair), SCREE_OK);
  ScreeLaw law = scree_law_touch(&pair, 1.0, memory); /* tsuji latches nothing */
  *t = (Touch){.on = true, .k = law.k, .chi = law.chi};
}

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

/* How the surfaces slide over each other, and by which angle the contact turns about its normal in the step; between
 * balls also the mean of the normals before and after it: per is 1/distance. */
static double sliding(const Ball *a, const Ball *b, double arm1, double arm2, const double *unit, double per,
                      double *slide, double *middle) {
  double mid[3], spin[3], mean[3], rolled[3];
  for (int k = 0; k < 3; k++) {
    mid[k] = b ? a->u[k] - b->u[k] : a->u[k] - floor_u[k];
    spin[k] = b ? arm1 * a->w[k] + arm2 * b->w[k] : arm1 * a->w[k];
    mean[k] = b ? a->w[k] + b->w[k] : 0.5 * a->w[k];
  }
  cross(spin, unit, rolled);
  double along = dot(mid, unit);
  for (int k = 0; k < 3; k++) {
    double flat = mid[k] - along * unit[k];
    slide[k] = flat + rolled[k];
    if (b) middle[k] = unit[k] + 0.5 * step_of_history * per * flat;
  }
  return b ? dot(mean, unit) * (0.5 * step_of_history) : dot(mean, unit) * step_of_history;
}

static double divisor(double x) { return x + 1e-150; }

/* History turned with the contact at its length. At walls only the new normal is known; roots close to one are series:
 * to a few last bits they are what they say. */
static void turn_history(double *h, const double *n, const double *middle, double angle) {
  double before = dot(h, h), out = dot(h, n), part = out * out / divisor(before), turned[3];
  cross(n, h, turned);
  for (int k = 0; k < 3; k++) h[k] -= out * (middle ? middle[k] : n[k]);
  double after = dot(h, h), scale = 1.0 + part * (0.5 + 0.375 * part);
  if (part > 0x1p-17) scale = after > 0.0 ? sqrt(before / after) : 0.0;
  for (int k = 0; k < 3; k++) h[k] = (middle ? 1.0 : scale) * (h[k] + angle * turned[k]);
}

/* The force of friction: history shrunk with the stiffness, and what the step adds. */
static void drag(const Touch *t, double overlap, double reff, const double *n, const double *middle, double angle,
                 const double *slide, double *f) {
  double h[3] = {t->shear[0], t->shear[1], t->shear[2]};
  double was = sqrt(t->last), now = sqrt(overlap), shrink = fmin(now / divisor(was), 1.0);
  turn_history(h, n, middle, angle);
  double stiffness = 8.0 * scree_composite_shear_modulus(stuff, stuff) * (0.25 * step_of_history),
         adds = stiffness * (1.0 + shrink) * (sqrt(reff) * (now + was));
  for (int k = 0; k < 3; k++) f[k] = shrink * h[k] - adds * slide[k];
}

/* What a contact does: of a with b, or with the floor or the bowl when b is NULL. n: towards b, shorter than one where
 * facets of the bowl are blended; friction acts across its direction. */
static void act(Ball *a, Ball *b, Touch *t, double overlap, double reff, const double *n, const double *dx,
                double per) {
  if (!t->on) begin(t, a, b);
  double size = bowl && !b ? sqrt(dot(n, n)) : 1.0, unit[3] = {n[0] / size, n[1] / size, n[2] / size};
  double arm1 = a->r - 0.5 * overlap, arm2 = b ? b->r - 0.5 * overlap : 0.0, rel[3], slide[3], f[3], turn[3], middle[3];
  for (int k = 0; k < 3; k++) rel[k] = b ? a->v[k] - b->v[k] : a->v[k] - floor_v[k];
  double v = b ? per * dot(rel, dx) : dot(rel, n), angle = sliding(a, b, arm1, arm2, unit, per, slide, middle);
  double normal = t->k * (overlap * sqrt(overlap)) + t->chi * sqrt(sqrt(overlap)) * v;
  normal = normal > 0.0 ? normal : 0.0;
  drag(t, overlap, reff, n, b ? middle : NULL, angle, slide, f);
  double size2 = dot(f, f), limit = friction * normal;
  if (size2 > limit * limit) {
    double scale = size2 > 0.0 ? limit / sqrt(size2) : 0.0;
    for (int k = 0; k < 3; k++) f[k] *= scale;
  }
  memcpy(t->shear, f, sizeof f);
  t->last = overlap;
  arm1 = arm1 / size;
  cross(n, f, turn);
  for (int k = 0; k < 3; k++) {
    int64_t push = llrint((f[k] - normal * n[k]) / force_unit);
    a->force[k] += push;
    a->torque[k] += llrint(arm1 * turn[k] / torque_unit);
    if (!b) continue;
    b->force[k] -= push;
    b->torque[k] += llrint(arm2 * turn[k] / torque_unit);
  }
}

/* One pair: a with b, or with the floor when b is NULL. */
static void meet(Ball *a, Ball *b, Touch *t) {
  double dx[3] = {0.0, 0.0, -1.0}, overlap, reff = a->r, n[3], per = 0.0;
  if (b) {
    for (int k = 0; k < 3; k++) dx[k] = k < 2 ? image(b->x[k] - a->x[k]) : b->x[k] - a->x[k];
    double d2 = dot(dx, dx), distance = sqrt(d2), reach = a->r + b->r;
    overlap = d2 >= reach * reach ? -1.0 : reach - distance;
    reff = a->r * b->r / reach;
    per = 1.0 / distance;
    for (int k = 0; k < 3; k++) n[k] = per * dx[k];
  } else {
    overlap = a->r - (a->x[2] - floor_x[2]);
    for (int k = 0; k < 3; k++) n[k] = dx[k];
  }
  if (overlap > 0.0)
    act(a, b, t, overlap, reff, n, dx, per);
  else
    t->on = false;
}

/* A contact goes on as the one that had nearly its direction; others begin in the first place that is free. */
static void meet_bowl(Ball *a, Touch *t) {
  Foot contact[MESH_SLOTS];
  Reach reach = {a->r, 0.1};
  int found = scree_mesh_feet(bowl, a->x, reach, everything.near, everything.count, INFINITY, 0, &feet, 0),
      contacts = scree_mesh_settle(bowl, feet.foot, found, reach, contact), place[MESH_SLOTS];
  bool was[MESH_SLOTS], taken[MESH_SLOTS] = {false};
  double unit[MESH_SLOTS][3];
  for (int s = 0; s < MESH_SLOTS; s++) was[s] = t[s].on;
  for (int c = 0; c < contacts; c++) {
    double size = sqrt(dot(contact[c].n, contact[c].n));
    place[c] = -1;
    for (int k = 0; k < 3; k++) unit[c][k] = contact[c].n[k] / size;
    for (int s = 0; s < MESH_SLOTS; s++)
      if (was[s] && !taken[s] && place[c] < 0 && dot(unit[c], t[s].aim) > 0.99) place[c] = s, taken[s] = true;
  }
  for (int c = 0; c < contacts; c++)
    for (int s = 0; s < MESH_SLOTS && place[c] < 0; s++)
      if (!was[s] && !taken[s]) place[c] = s, taken[s] = true;
  for (int s = 0; s < MESH_SLOTS; s++) t[s].on = t[s].on && taken[s];
  for (int c = 0; c < contacts; c++) {
    double size = sqrt(dot(contact[c].n, contact[c].n)),
           n[3] = {-unit[c][0] * size, -unit[c][1] * size, -unit[c][2] * size};
    act(a, NULL, &t[place[c]], a->r - contact[c].d, a->r, n, NULL, 0.0);
    memcpy(t[place[c]].aim, unit[c], sizeof unit[c]);
  }
}

static void forces(void) {
  for (int i = 0; i < N; i++)
    memset(ball[i].force, 0, sizeof ball[i].force), memset(ball[i].torque, 0, sizeof ball[i].torque);
  for (int i = 0; i < N; i++) {
    for (int j = i + 1; j < N; j++)
      if (ball[i].here && ball[j].here) meet(&ball[i], &ball[j], &touch[i][j]);
    if (ball[i].here && bowl) meet_bowl(&ball[i], bowl_touch[i]);
    if (ball[i].here && !bowl) meet(&ball[i], NULL, &touch[i][WALL]);
  }
}

static const double gravity[3] = {0.0, 0.0, -9.81};

static void step(long number) {
  move_floor((double)number * dt, false);
  for (int i = 0; i < N; i++) {
    Ball *b = &ball[i];
    double push = 0.5 * dt * force_unit / b->m, twist = 0.5 * dt * torque_unit / (0.4 * b->m * b->r * b->r);
    for (int k = 0; k < 3; k++) {
      double dv = (double)b->force[k] * push + 0.5 * dt * gravity[k], dw = (double)b->torque[k] * twist;
      b->u[k] = b->v[k] + dv;
      b->x[k] += b->u[k] * dt;
      b->v[k] = b->u[k] + dv;
      b->w[k] += dw;
      if (k < 2 && !bowl && b->x[k] >= 1.0)
        b->x[k] -= 1.0;
      else if (k < 2 && !bowl && b->x[k] < 0.0)
        b->x[k] += 1.0;
    }
  }
  forces();
  for (int i = 0; i < N; i++) {
    Ball *b = &ball[i];
    double push = 0.5 * dt * force_unit / b->m, twist = 0.5 * dt * torque_unit / (0.4 * b->m * b->r * b->r);
    for (int k = 0; k < 3; k++) {
      b->v[k] = b->u[k] + ((double)b->force[k] * push + 0.5 * dt * gravity[k]);
      b->w[k] += (double)b->torque[k] * twist;
    }
  }
}

/* The unit of the integer sums, as world.h's engine documents it: sixty-four of the stiffest contacts must fit. */
static double unit_of_forces(double largest, double max_overlap) {
  Touch t;
  Ball a = {.r = largest, .m = 4.0 / 3.0 * acos(-1.0) * largest * largest * largest * stuff.density};
  begin(&t, &a, NULL);
  double d = max_overlap * largest, most = t.k * (d * sqrt(d)) + t.chi * sqrt(sqrt(d)) * floor_speed;
  int exponent;
  frexp(most, &exponent);
  return ldexp(1.0, exponent + 8 - 62);
}

static void shake(ScreeWorld *world) {
  ScreeMotionDef up = scree_motion_def_default(SCREE_MOTION_OSCILLATION),
                 along = scree_motion_def_default(SCREE_MOTION_LINEAR);
  up.amplitude[2] = amplitude, up.frequency = frequency, up.phase = phase;
  along.velocity[0] = conveyor;
  cr_assert_eq(scree_world_move_wall(world, 0, &up), SCREE_OK, "%s", scree_last_error());
  cr_assert_eq(scree_world_move_wall(world, 0, &along), SCREE_OK, "%s", scree_last_error());
}

/* A grain appears as it was defined, or is gone with its contacts; the others feel its last push until the next forces.
 */
static void come(ScreeWorld *world, ScreeGrain *g, int i) {
  ScreeStatus status = SCREE_INVALID;
  for (double z = 2.85; status != SCREE_OK && z > 1.0; z -= 0.1) { /* the first place that is free */
    g[i].position[2] = z;
    status = scree_world_insert(world, 1, &g[i]);
  }
  cr_assert_eq(status, SCREE_OK, "%s", scree_last_error());
  memcpy(ball[i].x, g[i].position, sizeof ball[i].x);
  memcpy(ball[i].v, g[i].velocity, sizeof ball[i].v);
  memcpy(ball[i].w, g[i].spin, sizeof ball[i].w);
  memset(ball[i].force, 0, sizeof ball[i].force);
  memset(ball[i].torque, 0, sizeof ball[i].torque);
  ball[i].here = true;
}

static void go(ScreeWorld *world, const ScreeGrain *g, int i) {
  cr_assert_eq(scree_world_remove(world, 1, &g[i].id), SCREE_OK, "%s", scree_last_error());
  for (int j = 0; j <= N; j++) {
    touch[i][j] = (Touch){0};
    if (j < N) touch[j][i] = (Touch){0};
  }
  ball[i].here = false;
}

/* moves: the floor. flows: every block a grain is taken from the heap or put in again high above it. */
/* A tub of facets with bumps, sharp and shallow valleys. */
static ScreeMesh *make_bowl(uint64_t random) {
  enum { CELLS = 14 };
  double vertex[(CELLS + 1) * (CELLS + 1)][3];
  uint32_t triangle[2 * CELLS * CELLS][3];
  size_t count = 0;
  for (int j = 0; j <= CELLS; j++)
    for (int i = 0; i <= CELLS; i++) {
      double *v = vertex[j * (CELLS + 1) + i], x = -0.3 + 1.6 * i / CELLS, y = -0.3 + 1.6 * j / CELLS;
      double out = fmax(fabs(x - 0.5), fabs(y - 0.5));
      v[0] = x, v[1] = y, v[2] = -0.1 + uniform(&random, 0.0, 0.03) + (out > 0.6 ? 8.0 * (out - 0.6) : 0.0);
    }
  for (uint32_t j = 0; j < CELLS; j++)
    for (uint32_t i = 0; i < CELLS; i++) {
      uint32_t a = j * (CELLS + 1) + i, c = a + CELLS + 1;
      memcpy(triangle[count++], (uint32_t[3]){a, a + 1, c}, sizeof *triangle);
      memcpy(triangle[count++], (uint32_t[3]){a + 1, c + 1, c}, sizeof *triangle);
    }
  ScreeMeshDef def = {(const double(*)[3])vertex, (CELLS + 1) * (CELLS + 1), (const uint32_t(*)[3])triangle, count};
  ScreeMesh *mesh = NULL;
  cr_assert_eq(scree_mesh_create(&def, &mesh), SCREE_OK, "%s", scree_last_error());
  return mesh;
}

static void compare_engines(uint64_t random, bool moves, bool flows, bool in_bowl) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeMesh *mesh = in_bowl ? make_bowl(random) : NULL;
  ScreeWallDef floor = {.shape = in_bowl ? SCREE_WALL_MESH : SCREE_WALL_PLANE, .axis = {0, 0, 1}, .mesh = mesh};
  ScreeGrain grain[N];
  def.periodic[0] = def.periodic[1] = !in_bowl;
  def.expected_speed = floor_speed;
  def.high[2] = 3.0;
  for (int k = 0; k < 3 && in_bowl; k++) def.low[k] = -2.0, def.high[k] = 3.0;
  bowl = mesh;
  everything.count = 0;
  if (bowl) cr_assert(scree_mesh_near(bowl, (double[]){0.5, 0.5, 0.5}, 100.0, &everything));
  contact.normal = SCREE_LAW_tsuji;
  contact.pair.restitution = restitution;
  contact.pair.param[SCREE_PARAM_mu] = friction;
  double largest = 0.0;
  min_radius = INFINITY;
  step_of_history = 0.0;
  memset(touch, 0, sizeof touch), memset(bowl_touch, 0, sizeof bowl_touch);
  floor_moves = moves;
  for (int i = 0; i < N; i++) {
    grain[i] = (ScreeGrain){.id = 5 + (uint64_t)(i * 37 % N), .radius = 0.07 * uniform(&random, 0.7, 1.3)};
    for (int k = 0; k < 3; k++) {
      grain[i].position[k] = (double)(k == 0 ? i % 4 : k == 1 ? i / 4 % 4 : i / 16) * 0.25 + 0.125;
      grain[i].velocity[k] = uniform(&random, -0.8, 0.8);
      grain[i].spin[k] = uniform(&random, -9.0, 9.0);
    }
    largest = fmax(largest, grain[i].radius);
    min_radius = fmin(min_radius, grain[i].radius);
    ball[i] = (Ball){.here = true, .r = grain[i].radius};
    ball[i].m = 4.0 / 3.0 * acos(-1.0) * ball[i].r * ball[i].r * ball[i].r * stuff.density;
    memcpy(ball[i].x, grain[i].position, sizeof ball[i].x);
    memcpy(ball[i].v, grain[i].velocity, sizeof ball[i].v);
    memcpy(ball[i].w, grain[i].spin, sizeof ball[i].w);
  }
  ScreeWorld *world = empty_world(&def, &contact, stuff);
  cr_assert_eq(scree_world_add_wall(world, &floor, NULL), SCREE_OK);
  if (moves) shake(world);
  start_with(world, N, grain);
  dt = scree_world_timestep(world);
  force_unit = unit_of_forces(largest, def.max_overlap);
  int exponent;
  frexp(min_radius, &exponent);
  torque_unit = ldexp(force_unit, exponent - 1);
  move_floor(0.0, true);
  forces(); /* at the start no time passes: history gathers nothing */
  step_of_history = dt;
  ScreeMeasure m;
  for (int block = 0; block < 40; block++) {
    int mover = block / 2 * 7 % N;
    if (flows && block % 2 == 0) go(world, grain, mover);
    if (flows && block % 2 == 1) come(world, grain, mover);
    cr_assert_eq(scree_world_step(world, 250), SCREE_OK, "%s", scree_last_error());
    for (int s = 0; s < 250; s++) step(250 * block + s + 1);
    ScreeGrain now[N];
    cr_assert_eq(scree_world_read(world, now), SCREE_OK);
    size_t count = scree_world_count(world);
    cr_assert_eq(count, (size_t)N - (flows && block % 2 == 0));
    for (int i = 0; i < N; i++) {
      const ScreeGrain *g = NULL;
      for (size_t j = 0; j < count; j++)
        if (now[j].id == grain[i].id) g = &now[j];
      cr_assert_eq(g != NULL, ball[i].here);
      if (!g) continue;
      cr_assert(memcmp(g->velocity, ball[i].v, sizeof ball[i].v) == 0,
                "velocity of grain %d after %d steps: %.17g and %.17g", i, 250 * (block + 1), g->velocity[2],
                ball[i].v[2]);
      cr_assert(memcmp(g->spin, ball[i].w, sizeof ball[i].w) == 0, "spin of grain %d after %d steps", i,
                250 * (block + 1));
      cr_assert(memcmp(g->position, ball[i].x, sizeof ball[i].x) == 0, "position of grain %d after %d steps", i,
                250 * (block + 1));
    }
  }
  cr_assert_eq(scree_world_measure(world, &m), SCREE_OK);
  cr_expect(m.rebuilds > 20 && m.contacts > (moves   ? 4
                                             : flows ? 15
                                                     : 40),
            "%ld rebuilds, %zu contacts", m.rebuilds, m.contacts);
  scree_world_destroy(world);
  scree_mesh_destroy(mesh);
}

Test(brute_force, gives_the_same_bits_through_thousands_of_steps) {
  for (uint64_t scene = 0; scene < 6; scene++) compare_engines(77 + 1000 * scene, false, false, false);
}

Test(brute_force, gives_the_same_bits_on_a_floor_that_moves) {
  for (uint64_t scene = 0; scene < 4; scene++) compare_engines(12 + 1000 * scene, true, false, false);
}

Test(brute_force, gives_the_same_bits_while_grains_come_and_go) {
  for (uint64_t scene = 0; scene < 3; scene++) compare_engines(177 + 1000 * scene, false, true, false);
}

Test(brute_force, gives_the_same_bits_over_triangles) {
  for (uint64_t scene = 0; scene < 4; scene++) compare_engines(5 + 1000 * scene, false, false, true);
}
