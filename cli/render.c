/* render.c: `scree render`: a picture of one frame of a run. */
#include "cli.h"

#include "io/digits.h"
#include "output.h"
#include "picture.h"
#include "run_open.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char verb[] = "render";

enum { KEY_JSON = 256, KEY_FRAME, KEY_COLOUR, KEY_SIZE, KEY_VIEW, KEY_RANGE };

typedef struct RenderOptions {
  const char *run, *file;
  long frame;
  bool json;
  ScreeRenderDef def;
} RenderOptions;

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "the picture (default: picture.png in the run's folder)", 1},
    {"frame", KEY_FRAME, "K", 0, "which frame: from 0, or from the end: -1 is the last (default)", 1},
    {"colour", KEY_COLOUR, "FIELD", 0,
     "what colours the grains: position, velocity (default), force, ... as in the trajectory; of a vector its "
     "magnitude, "
     "or a part: velocity.z",
     1},
    {"color", KEY_COLOUR, "FIELD", OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
    {"range", KEY_RANGE, "LOW:HIGH", 0, "of the colours (default: from the least to the largest value)", 1},
    {"size", KEY_SIZE, "WxH", 0, "pixels (default: 1200x900)", 1},
    {"view", KEY_VIEW, "x|y|z|iso|AZIM,ELEV", 0,
     "from where: along an axis, from the front right (iso, default), or degrees around z from +x and above the "
     "horizon",
     1},
    {"json", KEY_JSON, NULL, 0, "what was drawn, as JSON", 3},
    {0},
};

static void parse_size(const char *text, const struct argp_state *state, ScreeRenderDef *def) {
  int end = 0;
  if (sscanf(text, "%5dx%5d%n", &def->width, &def->height, &end) != 2 || text[end] || def->width < 64 ||
      def->height < 64 || def->width > 4096 || def->height > 4096)
    refuse(state, "--size must be WIDTHxHEIGHT, each in 64 ... 4096 (got \"%s\")", text);
}

static void parse_range(const char *text, const struct argp_state *state, ScreeRenderDef *def) {
  int end = 0;
  if (sscanf(text, "%lf:%lf%n", &def->low, &def->high, &end) != 2 || text[end] || !(def->low < def->high) ||
      !isfinite(def->high - def->low))
    refuse(state, "--range must be LOW:HIGH, two numbers in order (got \"%s\")", text);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  RenderOptions *o = state->input;
  switch (key) {
  case 'o': o->file = argument; return 0;
  case KEY_JSON: o->json = true; return 0;
  case KEY_FRAME:
    if (!read_frame_number(argument, strlen(argument), &o->frame))
      refuse(state, "--frame must be a whole number (got \"%s\")", argument);
    return 0;
  case KEY_COLOUR:
    if (scree_render_colour(&o->def, argument) != SCREE_OK) refuse(state, "--colour: %s", scree_last_error());
    return 0;
  case KEY_SIZE: parse_size(argument, state, &o->def); return 0;
  case KEY_RANGE: parse_range(argument, state, &o->def); return 0;
  case KEY_VIEW:
    if (scree_render_view(&o->def, argument) != SCREE_OK) refuse(state, "--view: %s", scree_last_error());
    return 0;
  case ARGP_KEY_ARG: return take_only_argument(state, argument, &o->run);
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Draws one frame of a run as a PNG: shaded spheres, the walls as lines, a colour bar, a scale. RUN is the folder "
    "that "
    "scree run wrote; it may still be running.\v"
    "Examples:\n"
    "  scree render box/scene.run\n"
    "  scree render box/scene.run --frame 0 --colour contacts --view y -o start.png\n"
    "  scree render box/scene.run --colour velocity.z --range -1:1 \\\n"
    "      --size 1920x1080 --view -30,45 -o fall.png";

/* The first frame and the last stay in sight, so that the pictures of a run fit together. */
static ScreeStatus find_bounds(RunFiles *run, ScreePolyData *grains, ScreeRenderDef *def) {
  bounds_clear(def->box_low, def->box_high);
  size_t ends[2] = {0, run->frames - 1};
  for (int i = 0; i < 2; i++) {
    ScreeStatus status = scree_trajectory_read(run->trajectory, ends[i], grains);
    if (status != SCREE_OK) return status;
    bounds_add(def->box_low, def->box_high, grains);
  }
  return SCREE_OK;
}

static const char **material_names(const ScreeScene *scene) {
  const char **names = checked_alloc(scene->materials.count, sizeof *names);
  for (size_t i = 0; i < scene->materials.count; i++) names[i] = scree_scene_material(scene, i)->item.name;
  return names;
}

static void print_result(const RenderOptions *o, const char *file, size_t frame, const ScreePolyData *grains) {
  const ScreeRenderDef *d = &o->def;
  if (!o->json) {
    printf("%s: frame %zu, t = %s, %zu grains\n", file, frame, scree_quantity(grains->time, "s", 6).text, grains->rows);
    return;
  }
  static const char *const parts[] = {"", ".x", ".y", ".z"};
  char *colour =
      checked_format("%s%s", d->column < 0 ? "position" : scree_fields[d->column].name, parts[d->component + 1]);
  json_t *object = json_object();
  json_object_set_new(object, "file", json_text(file));
  json_object_set_new(object, "frame", json_integer((json_int_t)frame));
  json_put(object, "time", grains->time);
  json_object_set_new(object, "particles", json_integer((json_int_t)grains->rows));
  json_object_set_new(object, "width", json_integer(d->width));
  json_object_set_new(object, "height", json_integer(d->height));
  json_object_set_new(object, "colour", json_string(colour));
  json_put(object, "low", d->low);
  json_put(object, "high", d->high);
  json_print(object);
  free(colour);
}

/* The walls where they were in a frame. */
static ScreeStatus frame_walls(const RunFiles *run, size_t frame, ScreeSurface *walls) {
  ScreePose *poses = checked_alloc(run->scene->walls.count + 1, sizeof *poses);
  char *path = checked_format("%s/wall_poses.csv", run->folder);
  ScreeStatus status = scree_poses_read(path, (long)frame, poses, run->scene->walls.count);
  scene_surface(run->scene, poses, walls);
  free(path), free(poses);
  return status;
}

static int render(RenderOptions *o, RunFiles *run, const char *file) {
  ScreePolyData grains = scree_frame_of_grains();
  ScreeSurface walls;
  ScreeImage image = {0};
  size_t frame = 0;
  if (!resolve_frame(run, verb, o->frame, &frame)) return EXIT_MISUSE;
  const char **names = material_names(run->scene);
  ScreeStatus status = frame_walls(run, frame, &walls);
  o->def.title = run->scene->title;
  if (o->def.column == SCREE_FIELD_type) o->def.names = names, o->def.name_count = run->scene->materials.count;
  if (status == SCREE_OK) status = find_bounds(run, &grains, &o->def);
  if (status == SCREE_OK) status = scree_trajectory_read(run->trajectory, frame, &grains);
  if (status == SCREE_OK) status = scree_render(&o->def, &grains, &walls, &image);
  if (status == SCREE_OK) status = scree_image_write_png(&image, file);
  if (status == SCREE_OK) print_result(o, file, frame, &grains);
  scree_image_free(&image);
  scree_surface_free(&walls);
  scree_polydata_free(&grains);
  free(names);
  return status == SCREE_OK ? EXIT_DONE : failure(verb, "%s", scree_last_error());
}

int verb_render(int argc, char **argv) {
  RenderOptions o = {.frame = -1, .def = scree_render_def_default()};
  const struct argp argp = {options, parse, "RUN", doc, NULL, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  RunFiles run;
  int status = open_run(&run, verb, o.run);
  if (status == EXIT_DONE) {
    char *file = o.file ? checked_format("%s", o.file) : checked_format("%s/picture.png", o.run);
    status = check_writable(verb, file);
    if (status == EXIT_DONE) status = render(&o, &run, file);
    free(file);
  }
  close_run(&run);
  return status;
}
