/* drum.c: what a mesh costs: the same 25,000 grains in a turning drum, as an analytic cylinder and as 100,000
 * triangles. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 1000, ALONG = 50, MOST = 25000 };

static const double radius = 60e-3, length = 50e-3, grain = 1e-3, PI = 3.14159265358979323846;

static ScreeMesh *drum_mesh(void) {
  double(*vertex)[3] = malloc(sizeof *vertex * AROUND * (ALONG + 1));
  uint32_t(*triangle)[3] = malloc(sizeof *triangle * 2 * AROUND * ALONG);
  ScreeMesh *mesh = NULL;
  if (!vertex || !triangle) exit(bench_fail(EXIT_FAILED, "no memory for the drum"));
  for (int j = 0; j <= ALONG; j++)
    for (int i = 0; i < AROUND; i++) {
      double *v = vertex[j * AROUND + i], angle = 2.0 * PI * i / AROUND;
      v[0] = radius * cos(angle), v[1] = length * j / ALONG, v[2] = radius * sin(angle);
    }
  for (int j = 0; j < ALONG; j++)
    for (int i = 0; i < AROUND; i++) {
      uint32_t a = (uint32_t)(j * AROUND + i), b = (uint32_t)(j * AROUND + (i + 1) % AROUND), up = AROUND;
      memcpy(triangle[2 * a], (uint32_t[3]){a, b, a + up}, sizeof *triangle);
      memcpy(triangle[2 * a + 1], (uint32_t[3]){b, b + up, a + up}, sizeof *triangle);
    }
  ScreeMeshDef def = {(const double(*)[3])vertex, (size_t)AROUND * (ALONG + 1), (const uint32_t(*)[3])triangle,
                      (size_t)2 * AROUND * ALONG};
  bench_check(scree_mesh_create(&def, &mesh), "making the drum");
  free(vertex), free(triangle);
  return mesh;
}

static ScreeWorld *drum_with(const ScreeMesh *mesh, size_t count, const ScreeGrain *grains) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeMotionDef turn = scree_motion_def_default(SCREE_MOTION_ROTATION);
  ScreeWallDef wall = {.shape = mesh ? SCREE_WALL_MESH : SCREE_WALL_CYLINDER, .mesh = mesh};
  ScreeWorld *world = NULL;
  int id;
  for (int k = 0; k < 3; k++) def.low[k] = k == 1 ? 0.0 : -1.1 * radius, def.high[k] = k == 1 ? length : 1.1 * radius;
  def.periodic[1] = true;
  def.expected_speed = 1.0;
  if (!mesh) wall.axis[1] = 1.0, wall.radius = radius, wall.inside = true;
  turn.axis[1] = 1.0, turn.speed = 2.0 * PI * 0.5;
  bench_check(scree_world_create(&def, &world), "drum");
  bench_check(scree_world_add_material(world, (ScreeMaterial){2e7, 0.25, 2500.0}, &id), "drum");
  bench_check(scree_world_set_contact(world, -1, -1, &contact), "drum");
  bench_check(scree_world_add_wall(world, &wall, &id), "drum");
  bench_check(scree_world_move_wall(world, id, &turn), "drum");
  bench_check(scree_world_add_grains(world, count, grains), "drum");
  bench_check(scree_world_start(world), "drum");
  return world;
}

/* A lattice in the lower part of the drum. */
static size_t fill(ScreeGrain *g) {
  size_t count = 0;
  double cell = 2.02 * grain;
  for (double z = -radius; count < MOST && z < radius; z += cell)
    for (double y = grain; count < MOST && y < length - grain; y += cell)
      for (double x = -radius; count < MOST && x < radius; x += cell) {
        if (sqrt(x * x + z * z) > radius - 1.1 * grain) continue;
        g[count] = (ScreeGrain){.id = count, .radius = grain * (0.9 + 0.1 * (double)(count * 7 % 11) / 11.0)};
        g[count].position[0] = x, g[count].position[1] = y, g[count].position[2] = z;
        count++;
      }
  return count;
}

/* Seconds per step of both, in turns and from the same state on; the best of their stretches, which are long enough
 * that each makes its lists anew several times: those of a mesh are dearer. */
static void measure(ScreeWorld *const *world, double seconds, double *best) {
  enum { STRETCH = 1000 };
  best[0] = best[1] = INFINITY;
  for (double spent = 0.0; spent < 2.0 * seconds;)
    for (int k = 0; k < 2; k++) {
      double begin = bench_clock();
      bench_check(scree_world_step(world[k], STRETCH), "drum");
      double took = bench_clock() - begin;
      best[k] = fmin(best[k], took / STRETCH);
      spent += took;
    }
}

static size_t wall_contacts(const ScreeWorld *world) {
  size_t count = scree_world_contact_count(world), at_wall = 0;
  ScreeContact *contact = malloc((count + 1) * sizeof *contact);
  if (!contact) exit(bench_fail(EXIT_FAILED, "no memory for %zu contacts", count));
  bench_check(scree_world_read_contacts(world, contact), "drum");
  for (size_t i = 0; i < count; i++) at_wall += contact[i].wall;
  free(contact);
  return at_wall;
}

int bench_drum(const BenchOptions *options) {
  ScreeGrain *g = malloc(MOST * sizeof *g);
  if (!g) return bench_fail(EXIT_FAILED, "no memory for the grains");
  size_t count = fill(g), touching[2];
  ScreeWorld *world = drum_with(NULL, count, g);
  bench_check(scree_world_step(world, lround(0.05 / scree_world_timestep(world))), "filling the drum");
  bench_check(scree_world_read(world, g), "drum");
  scree_world_destroy(world);
  for (size_t i = 0; i < count; i++) /* the facets are inside the cylinder */
    for (int k = 0; k < 3; k += 2) g[i].position[k] *= cos(PI / AROUND);
  ScreeMesh *mesh = drum_mesh();
  ScreeWorld *both[2] = {drum_with(NULL, count, g), drum_with(mesh, count, g)};
  double seconds[2];
  for (int k = 0; k < 2; k++) bench_check(scree_world_step(both[k], 200), "drum"); /* warm */
  measure(both, options->seconds, seconds);
  for (int k = 0; k < 2; k++) touching[k] = wall_contacts(both[k]), scree_world_destroy(both[k]);
  scree_mesh_destroy(mesh);
  free(g);
  double ratio = seconds[1] / seconds[0], goal = 2.0;
  if (options->json)
    printf("{\"grains\": %zu, \"triangles\": %d, \"contacts_cylinder\": %zu, \"contacts_mesh\": %zu, "
           "\"step_cylinder\": %.6g, \"step_mesh\": %.6g, \"ratio\": %.4g, "
           "\"goal\": %g, \"met\": %s}\n",
           count, 2 * AROUND * ALONG, touching[0], touching[1], seconds[0], seconds[1], ratio, goal,
           ratio < goal ? "true" : "false");
  else
    printf("drum of %zu grains, one thread\n  cylinder          %.3f ms a step, %zu contacts with the wall\n"
           "  %d triangles  %.3f ms a step, %zu contacts with the wall\n  ratio             %.2f (goal %g: %s)\n",
           count, 1e3 * seconds[0], touching[0], 2 * AROUND * ALONG, 1e3 * seconds[1], touching[1], ratio, goal,
           ratio < goal ? "met" : "NOT met");
  return ratio < goal ? EXIT_DONE : bench_fail(EXIT_FAILED, "the goal of %g is not met: %.2f", goal, ratio);
}
