/* test_render.c: what a picture shows: vessels where their outlines are, grains behind translucent walls, colours that
 * do not follow one grain, rest as rest. Nothing here asks for certain bytes. */
#include "io/render.h"
#include "io/trajectory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 600, HEIGHT = 450 };

/* The place of the picture, pixels: see scree_render. */
static const double left = 20, right = 510, top = 46, bottom = 404;

static void set_grain(ScreePolyData *d, size_t i, double x, double y, double z, double radius, double speed) {
  memcpy(d->point + 3 * i, (double[3]){x, y, z}, 3 * sizeof *d->point);
  ((double *)d->column[SCREE_FIELD_radius].values)[i] = radius;
  ((double *)d->column[SCREE_FIELD_velocity].values)[3 * i] = speed;
}

static ScreePolyData frame_of(size_t rows) {
  ScreePolyData d = scree_frame_of_grains();
  cr_assert(scree_polydata_resize(&d, rows) == SCREE_OK);
  for (size_t c = 0; c < d.columns; c++)
    if (rows)
      memset(d.column[c].values, 0, rows * (size_t)d.column[c].components * scree_column_size(d.column[c].type));
  d.time = 0, d.step = 0;
  return d;
}

static ScreeRenderDef def_of(const char *view) {
  ScreeRenderDef def = scree_render_def_default();
  cr_assert(scree_render_view(&def, view) == SCREE_OK);
  def.width = WIDTH, def.height = HEIGHT, def.gravity = 9.81;
  return def;
}

typedef struct Scene {
  ScreeWallDef def[80];
  ScreeRenderWall wall[80];
  ScreeRenderRoom room;
} Scene;

static void add_wall(Scene *s, ScreeWallDef def) {
  s->def[s->room.walls] = def;
  s->wall[s->room.walls] = (ScreeRenderWall){&s->def[s->room.walls], scree_pose_at_rest()};
  s->room.wall = s->wall;
  s->room.walls++;
}

static void set_domain(Scene *s, double size) {
  for (int k = 0; k < 3; k++) s->room.low[k] = -size, s->room.high[k] = size;
}

static ScreeWallDef tube(double radius, double low, double length) {
  return (ScreeWallDef){.shape = SCREE_WALL_CYLINDER,
                        .point = {0, 0, low},
                        .axis = {0, 0, 1},
                        .radius = radius,
                        .length = length,
                        .inside = true};
}

static ScreeWallDef plane(double x, double y, double z, double nx, double ny, double nz) {
  return (ScreeWallDef){.shape = SCREE_WALL_PLANE, .point = {x, y, z}, .axis = {nx, ny, nz}};
}

static ScreeWallDef box(double x, double y, double z, double half, bool inside) {
  return (ScreeWallDef){.shape = SCREE_WALL_BOX,
                        .low = {x - half, y - half, z - half},
                        .high = {x + half, y + half, z + half},
                        .inside = inside};
}

static ScreeImage draw(ScreeRenderDef *def, const ScreePolyData *grains, const ScreeRenderRoom *room) {
  ScreeImage image;
  cr_assert(scree_render(def, grains, room, &image) == SCREE_OK, "%s", scree_last_error());
  for (int i = 0; i < image.width * image.height; i++) {
    ScreeColour c = image.pixel[i];
    cr_assert(c.r >= 0 && c.r <= 1 && c.g >= 0 && c.g <= 1 && c.b >= 0 && c.b <= 1, "pixel %d is no colour", i);
  }
  return image;
}

static ScreeColour at(const ScreeImage *image, double x, double y) {
  return image->pixel[(int)floor(y) * image->width + (int)floor(x)];
}

static bool is_blank(ScreeColour c) { return c.r == 1 && c.g == 1 && c.b == 1; }

static float apart(ScreeColour a, ScreeColour b) {
  return fmaxf(fabsf(a.r - b.r), fmaxf(fabsf(a.g - b.g), fabsf(a.b - b.b)));
}

/* Grey, as steel is; grains are coloured. */
static float chroma(ScreeColour c) { return fmaxf(c.r, fmaxf(c.g, c.b)) - fminf(c.r, fminf(c.g, c.b)); }

/* ---- grains alone ---- */

/* One sphere of radius 1 seen along -y: its outline on the picture is where the projection says, and hollow shading
 * does not reach beyond it. */
Test(render, one_sphere) {
  ScreePolyData d = frame_of(1);
  set_grain(&d, 0, 0, 0, 0, 1, 0);
  ScreeRenderDef def = def_of("y");
  cr_assert(scree_render_colour(&def, "radius") == SCREE_OK);
  for (int k = 0; k < 3; k++) def.box_low[k] = -4, def.box_high[k] = 4;
  ScreeImage image = draw(&def, &d, NULL);
  cr_expect(def.low == 1 && def.high == 1);
  double scale = (bottom - top) / 8, x0 = (left + right) / 2, y0 = (top + bottom) / 2;
  for (int y = 60; y < 390; y++)
    for (int x = 60; x < 500; x++) {
      double r = hypot(x + 0.5 - x0, y + 0.5 - y0) / scale;
      if (r < 1 - 1.5 / scale) cr_assert(!is_blank(at(&image, x, y)), "%d %d", x, y);
      if (r > 1 + 1.5 / scale) cr_assert(is_blank(at(&image, x, y)), "%d %d", x, y);
    }
  scree_image_free(&image);
  scree_polydata_free(&d);
}

Test(render, no_grains_and_no_walls) {
  ScreePolyData d = frame_of(0);
  ScreeRenderDef def = scree_render_def_default();
  ScreeImage image = draw(&def, &d, NULL);
  scree_image_free(&image);
  def.width = 63;
  cr_expect(scree_render(&def, &d, NULL, &image) == SCREE_INVALID);
  scree_polydata_free(&d);
}

/* ---- walls ---- */

/* A tube of radius 1 and length 2 is a square from the side, whole in sight, and nothing is drawn beside it. */
Test(render, a_vessel_is_where_its_outline_is) {
  ScreePolyData d = frame_of(1);
  set_grain(&d, 0, 0, 0, -0.8, 0.1, 1);
  Scene s = {0};
  set_domain(&s, 5);
  add_wall(&s, tube(1, -1, 2));
  ScreeRenderDef def = def_of("y");
  ScreeImage image = draw(&def, &d, &s.room);
  double half = (bottom - top) / 2, x0 = (left + right) / 2, y0 = (top + bottom) / 2;
  for (int y = 30; y < 415; y++)
    for (int x = 70; x < 500; x++) {
      double out = fmax(fabs(x + 0.5 - x0), fabs(y + 0.5 - y0)) - half;
      if (out < -2) cr_assert(!is_blank(at(&image, x, y)), "%d %d", x, y);
      if (out > 2) cr_assert(is_blank(at(&image, x, y)), "%d %d", x, y);
    }
  /* its rim is a dark line around it, and round walls are shaded: lighter in one place than in another */
  float rim = at(&image, x0, y0 - half + 0.5).g, within = at(&image, x0, y0 - half + 8).g;
  cr_expect(rim < 0.75f * within, "rim %g, wall %g", (double)rim, (double)within);
  cr_expect(apart(at(&image, x0 - 0.9 * half, y0), at(&image, x0 - 0.25 * half, y0)) > 0.08f);
  scree_image_free(&image);
  scree_polydata_free(&d);
}

/* The half of a tube towards the eye lets a grain be seen almost as it is; the half behind it is solid; a block in
 * front of it hides it. */
Test(render, grains_are_seen_through_the_half_towards_the_eye) {
  ScreePolyData d = frame_of(8);
  ScreeRenderDef def = def_of("y"); /* the eye is at -y */
  set_grain(&d, 0, 0, 0, 0, 0.3, 1);
  for (size_t i = 1; i < 8; i++)
    set_grain(&d, i, 0.2 * (double)i - 0.8, 0, -0.8, 0.1, 0); /* the block hides few of them */
  Scene s = {0}, blocked = {0}, bare = {0};
  set_domain(&s, 5), set_domain(&blocked, 5), set_domain(&bare, 5);
  add_wall(&s, tube(1, -1, 2));
  add_wall(&bare, box(0, 5, 0, 1, false)); /* behind, and as large */
  add_wall(&blocked, tube(1, -1, 2));
  add_wall(&blocked, box(0, -0.7, 0, 0.2, false));
  double x0 = (left + right) / 2, y0 = (top + bottom) / 2;
  ScreeImage veiled = draw(&def, &d, &s.room), naked = draw(&def, &d, &bare.room),
             hidden = draw(&def, &d, &blocked.room);
  ScreeColour grain = at(&naked, x0, y0), through = at(&veiled, x0, y0), block = at(&hidden, x0, y0);
  cr_expect(chroma(grain) > 0.2f, "a grain is coloured");
  cr_expect(apart(grain, through) < 0.12f, "the wall before it changes it by %g", (double)apart(grain, through));
  cr_expect(apart(grain, through) > 1e-4f, "but the wall is there");
  cr_expect(chroma(block) < 0.1f && apart(grain, block) > 0.2f, "a block hides it: %g %g", (double)chroma(block),
            (double)apart(grain, block));
  /* beside the grain the wall behind is seen: not much of the white of the paper is left */
  ScreeColour wall = at(&veiled, x0 + 100, y0);
  cr_expect(chroma(wall) < 0.1f && wall.g < 0.85f, "wall %g", (double)wall.g);
  scree_image_free(&veiled), scree_image_free(&naked), scree_image_free(&hidden);
  scree_polydata_free(&d);
}

/* From above, grains on a table hide it; from below, the table lets them be seen. */
Test(render, a_plane_is_solid_on_the_side_of_the_grains) {
  ScreePolyData d = frame_of(1);
  set_grain(&d, 0, 0, 0, 0.3, 0.3, 1);
  Scene s = {0};
  set_domain(&s, 2);
  add_wall(&s, plane(0, 0, 0, 0, 0, 1));
  float beside[2], grain[2];
  for (int below = 0; below < 2; below++) {
    ScreeRenderDef def = def_of(below ? "-90,-90" : "z");
    for (int k = 0; k < 3; k++) def.box_low[k] = -1, def.box_high[k] = 1;
    ScreeImage image = draw(&def, &d, &s.room);
    double x0 = (left + right) / 2, y0 = (top + bottom) / 2;
    beside[below] = at(&image, x0 + 120, y0).g;
    grain[below] = chroma(at(&image, x0, y0));
    scree_image_free(&image);
  }
  cr_expect(grain[0] > 0.2f && grain[1] > 0.2f, "%g %g", (double)grain[0], (double)grain[1]);
  cr_expect(beside[0] < 0.85f && beside[1] > 0.9f, "%g %g", (double)beside[0], (double)beside[1]);
  scree_polydata_free(&d);
}

/* A drum of walls without end: its two planes are discs, and its cylinder ends at them. */
Test(render, walls_without_end_are_cut_where_grains_can_be) {
  ScreePolyData d = frame_of(1);
  set_grain(&d, 0, 0, 0, -0.5, 0.2, 1);
  Scene s = {0};
  set_domain(&s, 8);
  add_wall(&s, (ScreeWallDef){.shape = SCREE_WALL_CYLINDER, .axis = {0, 1, 0}, .radius = 1, .inside = true});
  add_wall(&s, plane(0, -0.5, 0, 0, 1, 0));
  add_wall(&s, plane(0, 0.5, 0, 0, -1, 0));
  ScreeRenderDef def = def_of("y");
  ScreeImage image = draw(&def, &d, &s.room);
  double half = (bottom - top) / 2, x0 = (left + right) / 2, y0 = (top + bottom) / 2;
  for (int i = 0; i < 360; i += 5) {
    double c = cos(i * 0.017453292519943295), z = sin(i * 0.017453292519943295);
    cr_expect(!is_blank(at(&image, x0 + 0.95 * half * c, y0 - 0.95 * half * z)), "%d", i);
    cr_expect(is_blank(at(&image, x0 + 1.05 * half * c, y0 - 1.05 * half * z)), "%d", i);
  }
  scree_image_free(&image);
  def = def_of("x"); /* from its side it is half as wide as high */
  image = draw(&def, &d, &s.room);
  cr_expect(!is_blank(at(&image, x0 + 0.45 * half, y0)) && is_blank(at(&image, x0 + 0.55 * half, y0)));
  scree_image_free(&image);
  s.wall[2].pose.position[1] = -0.4; /* the plane behind moves in, and the cylinder ends where it is now */
  image = draw(&def, &d, &s.room);
  int wide = 0;
  for (int x = 20; x < 510; x++) wide += !is_blank(at(&image, x, y0 - 0.5 * half));
  cr_expect_float_eq(wide, 0.6 * half, 4, "%d of %g", wide, 0.6 * half);
  scree_image_free(&image);
  scree_polydata_free(&d);
}

/* How wide a grain is drawn: coloured pixels of the row through the middle. */
static int width_of_grain(ScreeRenderRoom *room) {
  ScreePolyData d = frame_of(8);
  for (size_t i = 0; i < 8; i++) set_grain(&d, i, i & 1 ? 0.9 : -0.9, i & 2 ? 0.9 : -0.9, i & 4 ? 0.9 : -0.9, 0.1, 1);
  set_grain(&d, 0, 0, 0, 0, 1, 1);
  ScreeRenderDef def = def_of("y");
  ScreeImage image = draw(&def, &d, room);
  int wide = 0, most = 0;
  for (int y = 46; y < 404; y++, wide = 0)
    for (int x = 20; x < 510; x++) wide += chroma(at(&image, x, y)) > 0.1f, most = wide > most ? wide : most;
  scree_image_free(&image);
  scree_polydata_free(&d);
  return most;
}

/* Equipment is framed; what is far larger than the grains does not make them small. */
Test(render, large_walls_do_not_decide_the_frame) {
  Scene none = {0}, vessel = {0}, large = {0};
  set_domain(&none, 1e6), set_domain(&vessel, 1e6), set_domain(&large, 1e6);
  add_wall(&vessel, tube(2, -2, 4));
  add_wall(&large, plane(0, 0, -1, 0, 0, 1));
  add_wall(&large, box(0, 0, 400, 500, true)); /* far larger than twenty diameters, and than the grains */
  add_wall(&large, tube(3000, -1, 9000));
  int alone = width_of_grain(&none.room), framed = width_of_grain(&vessel.room), beside = width_of_grain(&large.room);
  cr_expect(framed > 0.45 * alone && framed < 0.6 * alone, "%d of %d", framed, alone);
  cr_expect(beside > 0.03 * alone, "%d of %d", beside, alone);
}

/* A wall is where its pose says: a block that went to the right. */
Test(render, walls_that_move_are_drawn_where_they_are) {
  ScreePolyData d = frame_of(1);
  set_grain(&d, 0, 0, 0, 0, 0.2, 1);
  ScreeRenderDef def = def_of("y");
  for (int k = 0; k < 3; k++) def.box_low[k] = -2, def.box_high[k] = 2;
  double scale = (bottom - top) / 4, x0 = (left + right) / 2, y0 = (top + bottom) / 2;
  for (int moved = 0; moved < 3; moved++) {
    Scene s = {0};
    set_domain(&s, 2);
    add_wall(&s, box(-1, 0, 0, 0.4, false));
    s.wall[0].pose.present = moved < 2;
    s.wall[0].pose.position[0] = moved ? 2 : 0;
    ScreeImage image = draw(&def, &d, &s.room);
    cr_expect(is_blank(at(&image, x0 - scale, y0)) == (moved != 0));
    cr_expect(is_blank(at(&image, x0 + scale, y0)) == (moved != 1));
    scree_image_free(&image);
  }
  scree_polydata_free(&d);
}

/* A closed mesh among grains is a body: its side towards the eye is solid, though grains are behind it. */
Test(render, a_body_among_grains_stays_solid) {
  static const uint32_t triangle[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                           {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  double vertex[8][3];
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) vertex[i][k] = i >> k & 1 ? 0.3 : -0.3;
  ScreeMesh *mesh = NULL;
  ScreeMeshDef given = {.vertex = (const double(*)[3])vertex, .vertices = 8, .triangle = triangle, .triangles = 12};
  cr_assert(scree_mesh_create(&given, &mesh) == SCREE_OK);
  ScreePolyData d = frame_of(11 * 11);
  for (size_t i = 0; i < 121; i++)
    set_grain(&d, i, 0.2 * (double)(i % 11) - 1, 0.5, 0.2 * (double)(i / 11) - 1, 0.1, 1);
  Scene s = {0};
  set_domain(&s, 2);
  add_wall(&s, (ScreeWallDef){.shape = SCREE_WALL_MESH, .mesh = mesh});
  ScreeRenderDef def = def_of("y");
  ScreeImage image = draw(&def, &d, &s.room);
  double x0 = (left + right) / 2, y0 = (top + bottom) / 2;
  ScreeColour face = at(&image, x0 + 10, y0 + 10);
  cr_expect(chroma(face) < 0.1f, "the block is before the grains");
  /* edges are lines, the diagonals of faces are none */
  double half = 0.3 * (bottom - top) / 2.2;
  for (double x = -0.7; x < 0.75; x += 0.1) cr_expect(apart(at(&image, x0 + x * half, y0 - 5), face) < 0.02f, "%g", x);
  float edge = 1;
  for (double x = half - 3; x < half + 3; x++) edge = fminf(edge, at(&image, x0 + x, y0 - 5).g);
  cr_expect(edge < 0.7f * face.g, "edge %g, face %g", (double)edge, (double)face.g);
  scree_image_free(&image);
  scree_mesh_destroy(mesh);
  scree_polydata_free(&d);
}

/* Where grains come and go is a broken line: as much ink as paper, of every kind of region; what lies beyond what is
 * shown is not drawn, and without gates there is nothing. */
Test(render, gates_are_broken_lines) {
  ScreePolyData d = frame_of(1);
  set_grain(&d, 0, 0, 0, 0, 0.2, 1);
  const ScreeRenderGate gate[6] = {
      {.region = {.shape = SCREE_REGION_BEYOND, .point = {0, 0, -0.5}, .normal = {0, 0, -3}}, .kind = "outlet"},
      {.region = {.shape = SCREE_REGION_BOX, .low = {-0.8, -0.8, -0.5}, .high = {0.8, 0.8, 9}}, .kind = "stream"},
      {.region = {.shape = SCREE_REGION_DISC, .point = {0, 0, -0.5}, .normal = {0, 0, 1}, .radius = 0.8},
       .kind = "stream"},
      {.region = {.shape = SCREE_REGION_CYLINDER, .from = {0, 0, -0.5}, .to = {0, 0, 0}, .radius = 0.8},
       .kind = "outlet"},
      {.region = {.shape = SCREE_REGION_SPHERE, .radius = 0.8}, .kind = "outlet", .name = "a"},
      {.region = {.shape = SCREE_REGION_DISC, .point = {0, 0, -99}, .normal = {0, 0, 1}, .radius = 0.8},
       .kind = "stream"}};
  for (int i = -1; i < 6; i++) {
    Scene s = {0};
    set_domain(&s, 1);
    s.room.gate = i < 0 ? NULL : &gate[i], s.room.gates = i >= 0;
    ScreeRenderDef def = def_of("z");
    for (int k = 0; k < 3; k++) def.box_low[k] = -1, def.box_high[k] = 1;
    ScreeImage image = draw(&def, &d, &s.room);
    int ink = 0, changes = 0;
    for (int y = 50; y < 380; y++)
      for (int x = 24; x < 420; x++) {
        if (hypot(x - (left + right) / 2, y - (top + bottom) / 2) < 60) continue; /* the grain has a dark rim */
        bool line = chroma(at(&image, x, y)) < 0.1f && at(&image, x, y).g < 0.85f;
        ink += line, changes += line != (chroma(at(&image, x, y - 1)) < 0.1f && at(&image, x, y - 1).g < 0.85f);
      }
    if (i < 0 || i == 5)
      cr_expect(ink == 0, "%d: %d", i, ink);
    else
      cr_expect(ink > 100 && ink < 3000 && changes > 40, "%d: %d pixels, %d changes", i, ink, changes);
    scree_image_free(&image);
  }
  scree_polydata_free(&d);
}

/* Numbers that break projections: walls and domains as far as doubles reach, nothing at all, many layers. */
Test(render, nothing_makes_a_picture_of_no_numbers) {
  static const char *const views[] = {"x", "y", "z", "iso", "17,-90"};
  for (int v = 0; v < 5; v++)
    for (int kind = 0; kind < 5; kind++) {
      ScreePolyData d = frame_of(kind == 1 ? 0 : 3);
      for (size_t i = 0; i < d.rows; i++) set_grain(&d, i, (double)i, 0, 0, kind == 2 ? 1e-30 : 0.5, 1e300 * (double)i);
      Scene s = {0};
      set_domain(&s, kind == 0 ? 1e308 : 3);
      s.room.periodic = kind < 2;
      add_wall(&s, plane(0, 0, -1, 0, 0, 1));
      add_wall(&s, (ScreeWallDef){.shape = SCREE_WALL_CONE, .point = {0, 0, -1}, .axis = {0, 0, 1}, .angle = 1.5});
      add_wall(&s, (ScreeWallDef){.shape = SCREE_WALL_CYLINDER, .axis = {0, 0, 1}, .radius = 2, .inside = true});
      add_wall(&s, (ScreeWallDef){.shape = SCREE_WALL_SPHERE, .radius = kind == 3 ? 1e200 : 3, .inside = true});
      add_wall(&s, (ScreeWallDef){.shape = SCREE_WALL_DISC, .axis = {0, 0, 1}, .radius = 2, .radius2 = 1e-12});
      for (int i = 0; kind == 4 && i < 60; i++) add_wall(&s, box(0, 0, 0, 1 + 0.01 * i, true));
      ScreeRenderDef def = def_of(views[v]);
      def.width = 200, def.height = 150;
      ScreeImage image = draw(&def, &d, &s.room);
      scree_image_free(&image);
      scree_polydata_free(&d);
    }
}

/* ---- colours ---- */

static ScreePolyData spread_of(size_t rows, double fastest) {
  ScreePolyData d = frame_of(rows);
  for (size_t i = 0; i < rows; i++)
    set_grain(&d, i, (double)(i % 20), (double)(i / 20 % 20), (double)(i / 400), 0.5, (double)i / (double)rows);
  set_grain(&d, rows - 1, 0, 0, 0, 0.5, fastest);
  return d;
}

static ScreeRenderDef colour(const ScreePolyData *d, const char *field) {
  ScreeRenderDef def = def_of("iso");
  cr_assert(scree_render_colour(&def, field) == SCREE_OK);
  ScreeImage image = draw(&def, d, NULL);
  scree_image_free(&image);
  return def;
}

Test(render, one_grain_does_not_take_the_colours_from_the_others) {
  ScreePolyData d = spread_of(1000, 1), shot = spread_of(1000, 1e4);
  ScreeRenderDef def = colour(&d, "velocity"), with = colour(&shot, "velocity");
  cr_expect(def.low == 0 && def.high == 1, "%g %g", def.low, def.high);
  cr_expect(with.low == def.low && with.high == def.high, "%g %g", with.low, with.high);
  def = colour(&d, "velocity.x"), with = colour(&shot, "velocity.x");
  cr_expect(with.low == def.low && with.high == def.high, "%g %g", with.low, with.high);
  cr_expect(!def.at_rest && !with.at_rest);
  scree_polydata_free(&d), scree_polydata_free(&shot);
}

/* Two in a hundred are not outliers, and the ends are round numbers. */
Test(render, the_range_covers_the_grains_and_ends_round) {
  for (double scale = 1e-3; scale < 1e7; scale *= 7.3) {
    ScreePolyData d = spread_of(500, 1);
    double *v = d.column[SCREE_FIELD_velocity].values;
    for (size_t i = 0; i < 500; i++) v[3 * i] = scale * (i % 50 ? 1 + (double)i / 500 : 9);
    ScreeRenderDef def = scree_render_def_default();
    def.width = 200, def.height = 150; /* no gravity: there is no natural speed */
    ScreeImage image = draw(&def, &d, NULL);
    cr_expect(def.low <= scale && def.high >= 9 * scale && def.high <= 12 * scale, "%g %g %g", scale, def.low,
              def.high);
    char text[32];
    snprintf(text, sizeof text, "%.2g", def.high);
    cr_expect_float_eq(atof(text), def.high, 1e-9 * def.high);
    scree_image_free(&image);
    scree_polydata_free(&d);
  }
}

/* Noise of 1e-9 m/s is one colour, whatever its pattern; a grain that still rolls does not change that. */
Test(render, at_rest_all_grains_have_one_colour) {
  ScreeImage image[2];
  for (int k = 0; k < 2; k++) {
    ScreePolyData d = spread_of(900, 1);
    double *v = d.column[SCREE_FIELD_velocity].values;
    for (size_t i = 0; i < 900; i++) v[3 * i] = 1e-9 * (double)((i * (k ? 7 : 31)) % 900 + 1);
    v[0] = 2e-3;
    ScreeRenderDef def = def_of("iso");
    image[k] = draw(&def, &d, NULL);
    cr_expect(def.at_rest);
    scree_polydata_free(&d);
  }
  for (int y = 50; y < 400; y++)
    for (int x = 0; x < 510; x++) cr_assert(apart(at(&image[0], x, y), at(&image[1], x, y)) == 0, "%d %d", x, y);
  scree_image_free(&image[0]), scree_image_free(&image[1]);

  /* slow, but no noise: the scale is not spread over less than a twentieth of what a grain gains by falling */
  ScreePolyData d = spread_of(900, 1);
  double *v = d.column[SCREE_FIELD_velocity].values;
  for (size_t i = 0; i < 900; i++) v[3 * i] = 1e-5 * (double)i;
  ScreeRenderDef def = colour(&d, "velocity");
  cr_expect(!def.at_rest && def.high >= 0.05 * sqrt(9.81) && def.high < 0.3 * sqrt(9.81), "%g", def.high);
  def = def_of("iso"), def.low = 0, def.high = 1e-3; /* who asks for a range gets it */
  ScreeImage asked = draw(&def, &d, NULL);
  cr_expect(!def.at_rest && def.low == 0 && def.high == 1e-3);
  scree_image_free(&asked);
  scree_polydata_free(&d);
}
