/* Scenes as structs: inheritance, defaults, what is written reads back to the same bits; placed grains; random numbers
 * against published ones; walls against sampled surfaces. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* open_memstream */
#endif
#include "core/nearest.h"
#include "core/random.h"
#include "io/scene_keys.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                                           \
  "scree: 1\nmaterials:\n  a: {young: 10 MPa, poisson: 0.2, density: 2500}\n  b: {young: 1e7, poisson: 0.3, density: " \
  "1 g/cm3}\n"
#define TAIL                                                                                                           \
  "domain: {low: [0, 0, 0], high: [1, 1, 1]}\nparticles: [{list: [{position: [0.5, 0.5, 0.5]}], radius: 1 cm, "        \
  "material: a}]\nrun: {duration: 1 ms}\n"

static ScreeScene *read_ok(const char *text) {
  ScreeScene *scene = NULL;
  ScreeFault fault = {0};
  cr_assert_eq(scree_scene_read_text("test", text, strlen(text), NULL, 0, &scene, &fault), SCREE_OK, "%s: %s",
               fault.where, fault.sentence);
  return scene;
}

static char *written(const ScreeScene *scene) {
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  scree_scene_write(scene, stream);
  fclose(stream);
  return text;
}

Test(scene, defaults_are_the_engines) {
  ScreeScene *s = read_ok(HEAD TAIL);
  ScreeContactDef engine = scree_contact_def_default();
  const ScreeContactDef *d = &scree_scene_contact_of(s, 0, 1)->def;
  ScreeWorldDef world = scree_world_def_default();
  cr_expect(d->normal == engine.normal && d->tangential == engine.tangential);
  cr_expect(d->pair.restitution == engine.pair.restitution);
  cr_expect(d->pair.param[SCREE_PARAM_mu] == engine.pair.param[SCREE_PARAM_mu]);
  cr_expect(d->rolling_model == engine.rolling_model && d->rolling_damping == engine.rolling_damping);
  cr_expect(memcmp(s->gravity, world.gravity, sizeof world.gravity) == 0);
  cr_expect(s->max_overlap == world.max_overlap && isnan(s->expected_speed) && isnan(s->run.timestep));
  cr_expect(scree_scene_material(s, 1)->material.density == 1000);
  scree_scene_free(s);
}

Test(scene, pairs_inherit_from_the_default) {
  ScreeScene *s =
      read_ok(HEAD "contacts:\n  [b, a]: {friction: 0.1}\n  default: {normal: thornton, sigma_y: 1e6, rolling: "
                   "0.3, friction: 0.7}\n  [b, b]: {normal: hertz}\n" TAIL);
  const ScreeContactDef *aa = &scree_scene_contact_of(s, 0, 0)->def, *ab = &scree_scene_contact_of(s, 0, 1)->def,
                        *bb = &scree_scene_contact_of(s, 1, 1)->def;
  cr_expect(aa->normal == SCREE_LAW_thornton && ab->normal == SCREE_LAW_thornton && bb->normal == SCREE_LAW_hertz);
  cr_expect(aa->pair.param[SCREE_PARAM_mu] == 0.7 && ab->pair.param[SCREE_PARAM_mu] == 0.1);
  cr_expect(ab->rolling == 0.3 && ab->rolling_model == SCREE_ROLLING_SPRING);
  cr_expect(ab->pair.param[SCREE_PARAM_sigma_y] == 1e6);
  cr_expect(isnan(bb->pair.param[SCREE_PARAM_sigma_y]), "a parameter that hertz does not have is forgotten");
  cr_expect(isnan(bb->pair.restitution), "a restitution that hertz does not take is forgotten");
  cr_expect(isnan(aa->pair.restitution), "the yield strength was given: nothing is left to calibrate");
  scree_scene_free(s);
}

Test(scene, what_is_written_reads_back_to_the_same_bits) {
  ScreeScene *s = read_ok(
      HEAD
      "title: \"a \\\"b\\\" \\\\ c\"\ngravity: [0.1, 1e-300, -9.80665]\nexpected_speed: 3.3\ncontacts: {default: "
      "{normal: "
      "tsuji, alpha: 0.3, tangential: coulomb, veps: 0.123456789012345678, rolling: {model: viscous, coefficient: "
      "0.1}}}\nwalls: [{cone: {apex: [0, 0, 0], axis: [0, 1, 2], angle: 33 deg}, material: b}, {cylinder: {radius: 3, "
      "from: [0, 0, 0], to: [0, 0, 0.1]}, material: a}]\n" TAIL);
  char *first = written(s);
  ScreeScene *again = read_ok(first);
  char *second = written(again);
  cr_expect_str_eq(first, second);
  cr_expect_str_eq(again->title, "a \"b\" \\ c");
  cr_expect(memcmp(again->gravity, s->gravity, sizeof s->gravity) == 0);
  cr_expect(memcmp(&scree_scene_wall(again, 0)->def, &scree_scene_wall(s, 0)->def, sizeof(ScreeWallDef)) == 0);
  cr_expect(scree_scene_contact(again, 0)->def.pair.param[SCREE_PARAM_veps] ==
            scree_scene_contact(s, 0)->def.pair.param[SCREE_PARAM_veps]);
  free(first);
  free(second);
  scree_scene_free(s);
  scree_scene_free(again);
}

Test(scene, the_table_of_keys_is_whole) {
  for (int i = 0; i < SCREE_KEY_COUNT; i++) {
    cr_expect(scree_keys[i].name && *scree_keys[i].help, "key %d has no help", i);
    cr_expect(*scree_key_kind_name((ScreeKeyId)i), "%s has no kind", scree_keys[i].name);
    for (int j = 0; j < i; j++)
      cr_expect(scree_keys[i].section != scree_keys[j].section || strcmp(scree_keys[i].name, scree_keys[j].name) != 0,
                "%s is there twice", scree_keys[i].name);
  }
  for (int i = 0; i < SCREE_SECTION_COUNT; i++) {
    int keys = 0;
    for (int j = 0; j < SCREE_KEY_COUNT; j++) keys += (int)scree_keys[j].section == i;
    cr_expect(keys > 0 && keys <= 64, "%s: the bits of a 64-bit number say which were given", scree_sections[i].name);
  }
}

Test(scene, settings_reach_every_kind_of_place) {
  const char *const settings[] = {"particles.0.list.0.radius=2 cm", "contacts.[a, b].friction=0.25",
                                  "run.log.every=1 us", "materials.c={young: 1e6, poisson: 0.1, density: 900}",
                                  "domain.periodic=[yes, no, yes]"};
  ScreeScene *s = NULL;
  ScreeFault fault = {0};
  const char text[] = HEAD "contacts: {default: {friction: 0.6}, [a, b]: {friction: 0.5}}\n" TAIL;
  cr_assert_eq(scree_scene_read_text("test", text, strlen(text), settings, 5, &s, &fault), SCREE_OK, "%s: %s",
               fault.where, fault.sentence);
  cr_expect(((ScreeSceneGrain *)scree_scene_particles(s, 0)->list.at)->radius == 0.02);
  cr_expect(scree_scene_contact_of(s, 1, 0)->def.pair.param[SCREE_PARAM_mu] == 0.25);
  cr_expect(s->materials.count == 3 && s->run.log.every == 1e-6);
  cr_expect(s->domain.periodic[0] && !s->domain.periodic[1] && s->domain.periodic[2]);
  scree_scene_free(s);
}

Test(scene, a_built_world_has_the_grains) {
  ScreeScene *s = read_ok(HEAD TAIL);
  ScreeWorld *world = NULL;
  ScreeFault fault;
  cr_assert_eq(scree_scene_build(s, 1, 1, &world, &fault), SCREE_OK, "%s", fault.sentence);
  cr_expect_eq(scree_world_count(world), 1);
  ScreeGrain grain;
  cr_assert_eq(scree_world_read(world, &grain), SCREE_OK);
  cr_expect(grain.radius == 0.01 && grain.position[2] == 0.5 && grain.id == 1);
  scree_world_destroy(world);
  scree_scene_free(s);
}

Test(scene, few_grains_get_few_threads) {
  cr_expect_eq(scree_scene_threads(8, 0), 1);
  cr_expect_eq(scree_scene_threads(8, 3999), 1);
  cr_expect_eq(scree_scene_threads(8, 4000), 2);
  cr_expect_eq(scree_scene_threads(8, 1000000), 8);
}

/* ---- random numbers ---- */

Test(random, philox_gives_the_published_words) {
  /* Random123's known answers for philox4x32-10: counter and key zero */
  static const uint32_t words[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  ScreeRandom random = {0};
  double u[4];
  scree_random(&random, SCREE_DRAW_RADIUS, 0, 0, u);
  for (int i = 0; i < 4; i++) cr_expect_eq(u[i], (words[i] + 0.5) * 0x1p-32);
}

Test(random, normal_numbers_have_their_moments) {
  ScreeRandom random = {.seed = 5};
  double sum[5] = {0};
  const int count = 25000;
  for (int i = 0; i < count; i++) {
    double z[4];
    scree_random_normal(&random, SCREE_DRAW_VELOCITY, (uint64_t)i, 0, z);
    for (int k = 0; k < 4; k++) {
      double power = 1;
      for (int p = 1; p <= 4; p++) sum[p] += power *= z[k];
    }
  }
  /* a hundred thousand of them: four standard errors, sqrt((E z^2p - (E z^p)^2)/N) */
  cr_expect(fabs(sum[1] / (4 * count)) < 4 * sqrt(1 / 1e5));
  cr_expect(fabs(sum[2] / (4 * count) - 1) < 4 * sqrt(2 / 1e5));
  cr_expect(fabs(sum[3] / (4 * count)) < 4 * sqrt(15 / 1e5));
  cr_expect(fabs(sum[4] / (4 * count) - 3) < 4 * sqrt(96 / 1e5));
}

Test(random, streams_groups_and_attempts_differ) {
  double a[4], b[4], c[4], d[4];
  scree_random(&(ScreeRandom){1, 0}, SCREE_DRAW_PLACE, 3, 0, a);
  scree_random(&(ScreeRandom){1, 0}, SCREE_DRAW_VELOCITY, 3, 0, b);
  scree_random(&(ScreeRandom){1, 1}, SCREE_DRAW_PLACE, 3, 0, c);
  scree_random(&(ScreeRandom){1, 0}, SCREE_DRAW_PLACE, 3, 1, d);
  cr_expect(a[0] != b[0] && a[0] != c[0] && a[0] != d[0] && b[0] != c[0]);
}

/* ---- walls ---- */

/* A point of the wall's surface, from two numbers in 0 ... 1. */
typedef void Surface(double u, double v, double *x);

static void expect_distance(const ScreeWallDef *wall, Surface *surface, const char *name) {
  ScreeRandom random = {.seed = 9};
  for (uint64_t n = 0; n < 30; n++) {
    double u[4], nearest = INFINITY;
    scree_random(&random, SCREE_DRAW_PLACE, n, 0, u);
    double x[3] = {4 * u[0] - 2, 4 * u[1] - 2, 4 * u[2] - 2};
    enum { FINE = 400 };
    for (int i = 0; i <= FINE; i++)
      for (int j = 0; j <= FINE; j++) {
        double p[3];
        surface((double)i / FINE, (double)j / FINE, p);
        nearest = fmin(nearest, hypot(hypot(x[0] - p[0], x[1] - p[1]), x[2] - p[2]));
      }
    double distance = fabs(scree_wall_distance(wall, x));
    /* the samples are at most 0.02 apart */
    cr_expect(distance <= nearest + 1e-12 && nearest <= distance + 0.02, "%s at (%g, %g, %g): %g, sampled %g", name,
              x[0], x[1], x[2], distance, nearest);
  }
}

static const double turn = 6.283185307179586;
static void on_pipe(double u, double v, double *x) { x[0] = cos(turn * u), x[1] = sin(turn * u), x[2] = v; }
static void on_funnel(double u, double v, double *x) {
  x[0] = (0.2 + v) * cos(turn * u), x[1] = (0.2 + v) * sin(turn * u), x[2] = v;
}
static void on_disc(double u, double v, double *x) {
  x[0] = (0.3 + 0.7 * v) * cos(turn * u), x[1] = (0.3 + 0.7 * v) * sin(turn * u), x[2] = 0;
}
static void on_ball(double u, double v, double *x) {
  double z = cos(0.5 * turn * v), flat = sin(0.5 * turn * v);
  x[0] = flat * cos(turn * u), x[1] = flat * sin(turn * u), x[2] = z;
}

Test(walls, distances_are_those_to_sampled_surfaces) {
  const double up[3] = {0, 0, 1};
  ScreeWallDef pipe = {.shape = SCREE_WALL_CYLINDER, .radius = 1, .length = 1};
  ScreeWallDef funnel = {.shape = SCREE_WALL_CONE, .radius = 0.2, .radius2 = 1.2, .length = 1};
  ScreeWallDef disc = {.shape = SCREE_WALL_DISC, .radius = 1, .radius2 = 0.3};
  ScreeWallDef ball = {.shape = SCREE_WALL_SPHERE, .radius = 1};
  memcpy(pipe.axis, up, sizeof up), memcpy(funnel.axis, up, sizeof up), memcpy(disc.axis, up, sizeof up);
  expect_distance(&pipe, on_pipe, "pipe");
  expect_distance(&funnel, on_funnel, "funnel");
  expect_distance(&disc, on_disc, "disc");
  expect_distance(&ball, on_ball, "ball");
}

Test(walls, signs_say_on_which_side) {
  ScreeWallDef box = {.shape = SCREE_WALL_BOX, .low = {0, 0, 0}, .high = {1, 2, 3}, .inside = true};
  const double in[3] = {0.25, 1, 1}, out[3] = {-3, 1, -4};
  cr_expect_eq(scree_wall_distance(&box, in), 0.25);
  cr_expect_lt(scree_wall_distance(&box, out), 0);
  box.inside = false;
  cr_expect_eq(scree_wall_distance(&box, in), -0.25);
  cr_expect_eq(scree_wall_distance(&box, out), 5);
  ScreeWallDef cone = {.shape = SCREE_WALL_CONE, .axis = {0, 0, 1}, .angle = 0.5};
  const double axis[3] = {0, 0, 2};
  cr_expect(fabs(scree_wall_distance(&cone, axis) - 2 * sin(0.5)) < 1e-15);
}

/* ---- words ---- */

Test(nearest, edits) {
  cr_expect_eq(scree_edit_distance("", "abc"), 3);
  cr_expect_eq(scree_edit_distance("friction", "friction"), 0);
  cr_expect_eq(scree_edit_distance("firction", "friction"), 1);
  cr_expect_eq(scree_edit_distance("kitten", "sitting"), 3);
  cr_expect(scree_is_near("dens", "density") && scree_is_near("frction", "friction"));
  cr_expect(!scree_is_near("x", "density") && !scree_is_near("qqqq", "title"));
}
