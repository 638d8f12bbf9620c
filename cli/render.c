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

enum { KEY_JSON = 256, KEY_FRAME, KEY_COLOUR, KEY_SIZE, KEY_VIEW, KEY_RANGE, KEY_SKIP };

typedef struct RenderOptions {
  const char *run, *file;
  long frame;
  bool json, skip;
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
    {"range", KEY_RANGE, "LOW:HIGH", 0,
     "of the colours (default: of the values, without the last hundredth at each end where it lies far off)", 1},
    {"size", KEY_SIZE, "WxH", 0, "pixels (default: 1200x900)", 1},
    {"view", KEY_VIEW, "x|y|z|iso|AZIM,ELEV", 0,
     "from where: along an axis, from the front right (iso, default), or degrees around z from +x and above the "
     "horizon",
     1},
    {"skip-damaged", KEY_SKIP, NULL, 0, "draw the last frame before that is whole where this one is damaged", 1},
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
  case KEY_SKIP: o->skip = true; return 0;
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
    "Draws one frame of a run as a PNG: grains as spheres, walls as steel that is cut away towards the eye, a colour "
    "bar, a scale. RUN is the folder that scree run wrote; it may still be running.\v"
    "Examples:\n"
    "  scree render box/scene.run\n"
    "  scree render box/scene.run --frame 0 --colour contacts --view y -o start.png\n"
    "  scree render box/scene.run --colour velocity.z --range -1:1 \\\n"
    "      --size 1920x1080 --view -30,45 -o fall.png";

/* The first frame and the last stay in sight, so that the pictures of a run fit together. */
static int find_bounds(RunFiles *run, ScreePolyData *grains, ScreeRenderDef *def) {
  bounds_clear(def->box_low, def->box_high);
  size_t ends[2] = {0, run->frames - 1};
  for (int i = 0; i < 2; i++) {
    int status = EXIT_DONE;
    if (open_frame(run, ends[i], grains, &status)) bounds_add(def->box_low, def->box_high, grains);
    if (status != EXIT_DONE) return status;
  }
  return EXIT_DONE;
}

/* The frame, or the last one before it that is whole where damaged ones are skipped. */
static int find_frame(RunFiles *run, size_t *frame, ScreePolyData *grains) {
  int status = EXIT_DONE;
  while (!open_frame(run, *frame, grains, &status)) {
    if (status != EXIT_DONE) return status;
    if (*frame == 0) return failure(verb, "no frame up to this one is whole");
    (*frame)--;
  }
  return EXIT_DONE;
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
  json_object_set_new(object, "at_rest", json_boolean(d->at_rest));
  json_print(object);
  free(colour);
}

/* Returns the pose of each wall in a frame; the caller frees the array. */
static ScreePose *frame_poses(const RunFiles *run, size_t frame, ScreeStatus *status) {
  ScreePose *poses = checked_alloc(run->scene->walls.count + 1, sizeof *poses);
  char *path = checked_format("%s/wall_poses.csv", run->folder);
  *status = scree_poses_read(path, (long)frame, poses, run->scene->walls.count);
  free(path);
  return poses;
}

/* The scene's part of what is asked for. */
static void take_scene(const ScreeScene *scene, const char *const *names, ScreeRenderDef *def) {
  ScreeRenderDef own = scene_render_def(scene);
  def->title = own.title;
  def->gravity = own.gravity;
  if (def->column == SCREE_FIELD_type) def->names = names, def->name_count = scene->materials.count;
}

static int render(RenderOptions *o, RunFiles *run, const char *file) {
  ScreePolyData grains = scree_frame_of_grains();
  ScreeImage image = {0};
  size_t frame = 0;
  ScreeStatus status;
  if (!resolve_frame(run, verb, o->frame, &frame)) return EXIT_MISUSE;
  int found = find_bounds(run, &grains, &o->def);
  if (found == EXIT_DONE) found = find_frame(run, &frame, &grains);
  if (found != EXIT_DONE) return scree_polydata_free(&grains), found;
  if (run->skipped > 0) bounds_add(o->def.box_low, o->def.box_high, &grains); /* an end may be lost */
  const char **names = material_names(run->scene);
  ScreePose *poses = frame_poses(run, frame, &status);
  ScreeRenderRoom room = scene_room(run->scene, poses);
  take_scene(run->scene, names, &o->def);
  if (status == SCREE_OK) status = scree_render(&o->def, &grains, &room, &image);
  if (status == SCREE_OK) status = scree_image_write_png(&image, file);
  if (status == SCREE_OK) print_result(o, file, frame, &grains);
  scree_image_free(&image);
  scree_polydata_free(&grains);
  room_free(&room);
  free(names), free(poses);
  return status == SCREE_OK ? EXIT_DONE : failure(verb, "%s", scree_last_error());
}

int verb_render(int argc, char **argv) {
  RenderOptions o = {.frame = -1, .def = scree_render_def_default()};
  const struct argp argp = {options, parse, "RUN", doc, NULL, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  RunFiles run;
  int status = open_run(&run, verb, o.run, o.skip);
  if (status == EXIT_DONE) {
    char *file = o.file ? checked_format("%s", o.file) : checked_format("%s/picture.png", o.run);
    status = check_writable(verb, file);
    if (status == EXIT_DONE) status = render(&o, &run, file);
    free(file);
  }
  close_run(&run);
  return status;
}
