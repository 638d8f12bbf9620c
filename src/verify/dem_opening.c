/* dem_opening.c: which way grains came to an outlet: flights whose crossings of an opening are known beforehand. */
#include <math.h>
#include <string.h>

#include "dem.h"
#include "dem_oracles.h"

static const ScreeMaterial soft = {1e7, 0.25, 2500.0};
static const double PI = 3.14159265358979323846;
enum { FLIGHTS = 64 };

/* A room without gravity, with an outlet and its opening. */
static ScreeWorld *room(ScreeCheck *check, const Scene *s, const ScreeRegion *outlet, const ScreeOpeningDef *opening,
                        const ScreeMotionDef *motion) {
  ScreeWallDef lug = {.shape = SCREE_WALL_DISC, .point = {0.09, 0.09, 0.0}, .axis = {0, 0, 1}, .radius = 1e-3};
  ScreeWorld *w = NULL;
  int id;
  bool fine = scree_world_create(&s->def, &w) == SCREE_OK && scree_world_add_material(w, soft, &id) == SCREE_OK &&
              scree_world_set_contact(w, -1, -1, &s->contact) == SCREE_OK;
  if (motion) /* the opening moves with a wall that nobody meets */
    fine = fine && scree_world_add_wall(w, &lug, &id) == SCREE_OK && scree_world_move_wall(w, id, motion) == SCREE_OK;
  fine = fine && scree_world_add_outlet(w, outlet, NULL) == SCREE_OK &&
         scree_world_set_opening(w, 0, opening) == SCREE_OK && scree_world_expect(w, 0, 1e-3, 1e-3, 1.0) == SCREE_OK &&
         scree_world_start(w) == SCREE_OK;
  if (fine) return w;
  scree_tally_failure(check, "start");
  scree_world_destroy(w);
  return NULL;
}

static void judge(ScreeCheck *check, const ScreeWorld *w, size_t through, const char *what) {
  ScreeFlow flow = {0}, leak = {0};
  if (w) scree_world_outlet_flow(w, 0, &flow), scree_world_outlet_leak(w, 0, &leak);
  bool right = flow.grains == through && leak.grains == FLIGHTS - through && through > 10 && through < FLIGHTS - 10;
  scree_tally(check, right ? 0.0 : INFINITY, "%s: %zu came through instead of %zu, %zu another way", what, flow.grains,
              through, leak.grains);
}

/* Down through an L of six corners, over the periodic side; half of them are put in just before they cross it. */
static void fly_through_a_line(ScreeCheck *check) {
  const double line[6][3] = {{0.07, -0.03, 0}, {0.13, -0.03, 0}, {0.13, -0.01, 0},
                             {0.09, -0.01, 0}, {0.09, 0.03, 0},  {0.07, 0.03, 0}};
  ScreeContactDef contact = scree_bare_contact(SCREE_LAW_zhang_sharf, 0.8);
  Scene s = scree_scene(soft, &contact, 0.2);
  ScreeRegion below = {.shape = SCREE_REGION_BEYOND, .point = {0, 0, -0.05}, .normal = {0, 0, -1}};
  ScreeOpeningDef opening = scree_opening_def_default();
  ScreeGrain g[FLIGHTS];
  size_t through = 0;
  opening.corner = line, opening.corners = 6, opening.towards[2] = -1.0;
  s.def.periodic[0] = true, s.def.timestep = 1e-5, s.def.expected_speed = 1.0;
  for (int i = 0; i < FLIGHTS; i++) {
    double x = 0.0637 + 0.0096 * (i % 8), y = -0.0363 + 0.0096 * (double)(i / 8), slant = i % 3 - 1;
    bool late = i % 2;
    if (i % 8 == 4) x = 0.10001, slant = i % 3 ? 1.0 : -1.0; /* over the side between the looks that see the crossing */
    g[i] = (ScreeGrain){.id = (uint64_t)i + 1, .radius = 1e-3, .velocity = {0.2 * slant, 0, -0.9}};
    g[i].position[2] = late ? 1e-4 : 0.02;
    g[i].position[0] = x - 0.2 * slant / 0.9 * g[i].position[2]; /* in the plane it is at x */
    g[i].position[1] = y;
    if (g[i].position[0] >= 0.1) g[i].position[0] -= 0.2;
    through += (x > 0.07 && x < 0.13 && y > -0.03 && y < -0.01) || (x > 0.07 && x < 0.09 && y > -0.03 && y < 0.03);
  }
  ScreeWorld *w = room(check, &s, &below, &opening, NULL);
  for (int late = 0; w && late < 2; late++) {
    ScreeGrain batch[FLIGHTS];
    size_t count = 0;
    for (int i = 0; i < FLIGHTS; i++)
      if (i % 2 == late) batch[count++] = g[i];
    if (scree_world_insert(w, count, batch) != SCREE_OK) scree_tally_failure(check, "insert");
    if (!scree_scene_steps(check, w, late ? 9000 : 5)) break; /* between two looks */
  }
  judge(check, w, through, "a line of corners");
  scree_world_destroy(w);
}

/* Past an opening that is shaken up and down: what counts is where they were last against it. */
static void fly_past_a_moving_disc(ScreeCheck *check) {
  ScreeContactDef contact = scree_bare_contact(SCREE_LAW_zhang_sharf, 0.8);
  Scene s = scree_scene(soft, &contact, 0.2);
  ScreeRegion right = {.shape = SCREE_REGION_BEYOND, .point = {0.05, 0, 0}, .normal = {1, 0, 0}};
  ScreeOpeningDef opening = scree_opening_def_default();
  ScreeMotionDef motion = scree_motion_def_default(SCREE_MOTION_OSCILLATION);
  ScreeGrain g[FLIGHTS];
  bool out[FLIGHTS] = {false}, gone[FLIGHTS] = {false};
  size_t through = 0;
  opening.radius = 0.3, opening.normal[2] = 1.0, opening.towards[2] = -1.0, opening.wall = 0;
  motion.amplitude[2] = 0.03, motion.frequency = 21.0;
  s.def.timestep = 1e-5, s.def.expected_speed = 1.0;
  for (int i = 0; i < FLIGHTS; i++)
    g[i] = (ScreeGrain){.id = (uint64_t)i + 1,
                        .radius = 1e-3,
                        .position = {-0.09 + 0.0021 * (i % 13), -0.05 + 0.0013 * i, -0.035 + 0.0011 * i},
                        .velocity = {0.9, 0, 0}};
  for (long step = 0; step < 20000; step++) { /* the looks, and where all are then */
    double t = 1e-5 * (double)step, was = 0.03 * sin(2 * PI * 21.0 * (t - 1e-5)), now = 0.03 * sin(2 * PI * 21.0 * t);
    for (int i = 0; i < FLIGHTS; i++) {
      bool before = g[i].position[2] < was, after = g[i].position[2] < now;
      if (step > 0 && !gone[i] && before != after) out[i] = after;
      if (gone[i] || step % 32 != 0 || !(g[i].position[0] + 0.9 * t >= 0.05)) continue;
      gone[i] = true, through += out[i];
    }
  }
  ScreeWorld *w = room(check, &s, &right, &opening, &motion);
  if (w && scree_world_insert(w, FLIGHTS, g) != SCREE_OK) scree_tally_failure(check, "insert");
  if (w) scree_scene_steps(check, w, 20000);
  judge(check, w, through, "a shaken disc");
  scree_world_destroy(w);
}

void scree_dem_openings(ScreeCheck *check, const ScreeLawInfo *info) {
  (void)info;
  fly_through_a_line(check);
  fly_past_a_moving_disc(check);
}
