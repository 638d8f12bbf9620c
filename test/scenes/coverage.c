/* coverage.c: everything a scene may be made of, and how many scenes had it. A new law or shape of a wall is missed
 * here until the generator uses it. */
#include "coverage.h"

enum { ROLLINGS = SCREE_ROLLING_SPRING + 1, SHAPES = SCREE_WALL_MESH + 1, MOTIONS = SCREE_MOTION_TURN_SERVO + 1 };

typedef struct Feature {
  const char *name;
  long scenes;
} Feature;

enum {
  TWISTING,
  CALIBRATED,
  EXPONENT,
  PERIODIC,
  STREAM,
  OUTLET,
  FIXED,
  OWN_SKIN,
  OWN_SPEED,
  WEAR,
  INSERTED,
  REMOVED,
  BODY_FORCE,
  PRESSED,
  UNEQUAL,
  MATERIALS_1,
  MATERIALS_2,
  MATERIALS_3,
  MANY,
  FEATURES
};
static Feature feature[FEATURES] = {{"twisting", 0},
                                    {"calibrated", 0},
                                    {"exponent", 0},
                                    {"a periodic axis", 0},
                                    {"a stream", 0},
                                    {"an outlet", 0},
                                    {"a fixed grain", 0},
                                    {"a skin of its own", 0},
                                    {"an expected speed of its own", 0},
                                    {"wear", 0},
                                    {"a wall that comes", 0},
                                    {"a wall that goes", 0},
                                    {"a body force", 0},
                                    {"grains that begin pressed", 0},
                                    {"unequal radii", 0},
                                    {"one material", 0},
                                    {"two materials", 0},
                                    {"three materials", 0},
                                    {"sixty grains", 0}};
static long laws[SCREE_LAW_COUNT + 1], rollings[ROLLINGS], shapes[SHAPES][2], motions[MOTIONS];

static void note(int what, bool there) { feature[what].scenes += there; }

static void note_contact(const ScreeContactDef *c) {
  laws[c->normal]++, laws[c->tangential]++;
  rollings[c->rolling_model]++;
  note(TWISTING, c->twisting > 0.0);
  note(CALIBRATED, c->calibrated);
  note(EXPONENT, !isnan(c->pair.exponent));
}

static void note_wall(const SceneWall *w) {
  bool second =
      w->def.shape == SCREE_WALL_CYLINDER || w->def.shape == SCREE_WALL_CONE ? w->def.length > 0.0 : w->def.inside;
  shapes[w->def.shape][second]++;
  for (int i = 0; i < w->motions; i++) motions[w->motion[i].def.kind]++;
  note(WEAR, w->def.wear);
  note(INSERTED, w->insert_at > 0.0);
  note(REMOVED, isfinite(w->remove_at));
}

void coverage_note(const Scene *s) {
  bool fixed = false, unequal = false;
  note_contact(&s->contact);
  for (int a = 0; a < s->materials; a++)
    for (int b = a; b < s->materials; b++)
      if (s->has_own[a][b]) note_contact(&s->pair[a][b]);
  for (int i = 0; i < s->walls; i++) note_wall(&s->wall[i]);
  for (int i = 0; i < s->grains; i++) fixed |= s->grain[i].fixed, unequal |= s->grain[i].radius != s->grain[0].radius;
  note(FIXED, fixed);
  note(UNEQUAL, unequal);
  note(PERIODIC, s->def.periodic[0] || s->def.periodic[1] || s->def.periodic[2]);
  note(STREAM, s->streams > 0);
  note(OUTLET, s->outlets > 0);
  note(OWN_SKIN, !isnan(s->def.skin));
  note(OWN_SPEED, !isnan(s->def.expected_speed));
  note(BODY_FORCE, s->def.body_force[0] != 0.0);
  note(PRESSED, s->pressed);
  note(MATERIALS_1 + s->materials - 1, true);
  note(MANY, s->grains >= 60);
}

static int miss(FILE *file, const char *kind, const char *name) {
  fprintf(file, "no scene has %s%s\n", kind, name);
  return 1;
}

int coverage_missing(FILE *file) {
  static const char *const rolling_names[] = {"none", "constant", "viscous", "spring"};
  static const char *const shape_names[SHAPES] = {"plane", "box", "cylinder", "sphere", "cone", "disc", "mesh"};
  static const char *const motion_names[MOTIONS] = {"velocity",  "rotation", "oscillation",
                                                    "waypoints", "servo",    "torque servo"};
  int missing = 0;
  for (int law = 0; law < SCREE_LAW_COUNT; law++) {
    const ScreeLawInfo *info = scree_law_info((ScreeLawId)law);
    if (info->group != SCREE_LINE && laws[law] == 0) missing += miss(file, "the law ", info->name);
  }
  for (int i = 0; i < ROLLINGS; i++)
    if (rollings[i] == 0) missing += miss(file, "the rolling model ", rolling_names[i]);
  for (int i = 0; i < SHAPES; i++)
    for (int second = 0; second < 2; second++) {
      bool is_two = i != SCREE_WALL_PLANE && i != SCREE_WALL_DISC && i != SCREE_WALL_MESH;
      if (shapes[i][second] == 0 && (is_two || second == 0))
        missing += miss(file, "one of the two walls of the shape ", shape_names[i]);
    }
  for (int i = 0; i < MOTIONS; i++)
    if (motions[i] == 0) missing += miss(file, "the motion ", motion_names[i]);
  for (int i = 0; i < FEATURES; i++)
    if (feature[i].scenes == 0) missing += miss(file, "", feature[i].name);
  return missing;
}
