/* Meshes from files: the same box in every format; what is wrong in a file is said in one sentence that names it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* open_memstream */
#endif
#include "io/mesh_file.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A box of 2 x 3 x 4 at (1, 1, 1): 52 in area, 8 corners, 12 triangles, 18 sides. */
static const double corner[8][3] = {{1, 1, 1}, {3, 1, 1}, {1, 4, 1}, {3, 4, 1},
                                    {1, 1, 5}, {3, 1, 5}, {1, 4, 5}, {3, 4, 5}};
static const int quad[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
static const ScreePlacement as_it_is = {.scale = 1.0};

static void put_u32(FILE *f, uint32_t x, bool big) {
  for (int i = 0; i < 4; i++) fputc((int)(x >> 8 * (big ? 3 - i : i) & 255), f);
}
static void put_float(FILE *f, double x, bool big) {
  float value = (float)x;
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_u32(f, bits, big);
}

static void corner_of(int triangle, int c, int *v) {
  static const int fan[2][3] = {{0, 1, 2}, {0, 2, 3}};
  *v = quad[triangle / 2][fan[triangle % 2][c]];
}

static void write_stl(FILE *f, const char *header, uint32_t count, int triangles) {
  char head[80] = "";
  snprintf(head, sizeof head, "%s", header);
  fwrite(head, 1, 80, f);
  put_u32(f, count, false);
  for (int t = 0; t < triangles; t++) {
    for (int k = 0; k < 3; k++) put_float(f, NAN, false); /* normals are not used */
    for (int c = 0, v; c < 3; c++) {
      corner_of(t, c, &v);
      for (int k = 0; k < 3; k++) put_float(f, corner[v][k], false);
    }
    fputs("ab", f);
  }
}

static void write_ascii_stl(FILE *f) {
  fprintf(f, "\n  Solid box of 2 solids\r\n");
  for (int t = 0; t < 12; t++) {
    fprintf(f, " facet normal nan 0 1e400\n outer loop\n");
    for (int c = 0, v; c < 3; c++) {
      corner_of(t, c, &v);
      fprintf(f, "  VERTEX %.17g\t%g %.3e\r\n", corner[v][0], corner[v][1], corner[v][2]);
    }
    fprintf(f, " endloop\n endfacet\n");
  }
  fprintf(f, "endsolid box of 2 solids\n");
}

static void write_obj(FILE *f) {
  fprintf(f, "# a box\nmtllib none.mtl\no box\n");
  for (int v = 0; v < 8; v++) fprintf(f, "v %g %g %g 1.0\n", corner[v][0], corner[v][1], corner[v][2]);
  fprintf(f, "vn 0 0 1\nvt 0 0\ns off\n");
  for (int q = 0; q < 6; q++) /* quadrilaterals, in all the ways to name a corner, continued on a second line */
    fprintf(f, "f %d %d/1 \\\n %d//1 %d/1/1 # face\n", quad[q][0] + 1, quad[q][1] + 1, quad[q][2] - 8, quad[q][3] + 1);
}

static void write_ply(FILE *f, int code) {
  static const char *const codes[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  fprintf(
      f,
      "ply\nformat %s 1.0\ncomment end of nothing\nelement vertex 8\nproperty uchar red\nproperty float z\nproperty "
      "float y\nproperty float x\nelement face 6\nproperty list uchar int vertex_indices\nelement edge 0\nproperty "
      "int a\nend_header\n",
      codes[code]);
  for (int v = 0; v < 8; v++) {
    if (code == 0) fprintf(f, "255 %g %g %g\n", corner[v][2], corner[v][1], corner[v][0]);
    if (code > 0) fputc(255, f);
    for (int k = 2; k >= 0 && code > 0; k--) put_float(f, corner[v][k], code == 2);
  }
  for (int q = 0; q < 6; q++) {
    if (code == 0) fprintf(f, "4 %d %d %d %d\n", quad[q][0], quad[q][1], quad[q][2], quad[q][3]);
    if (code > 0) fputc(4, f);
    for (int c = 0; c < 4 && code > 0; c++) put_u32(f, (uint32_t)quad[q][c], code == 2);
  }
}

static void check_box(const char *name, const char *bytes, size_t size) {
  ScreeTriangles t;
  cr_assert_eq(scree_triangles_parse(name, bytes, size, &as_it_is, &t), SCREE_OK, "%s", scree_last_error());
  cr_expect(t.vertices == 8 && t.triangles == 12, "%s: %zu vertices, %zu triangles", name, t.vertices, t.triangles);
  cr_expect(t.welded == 28 && t.flat == 0 && t.twice == 0 && t.open == 0 && t.crossed == 0, "%s", name);
  cr_expect_float_eq(t.area, 52.0, 1e-12);
  for (int k = 0; k < 3; k++) cr_expect(t.low[k] == corner[0][k] && t.high[k] == corner[7][k]);
  scree_triangles_free(&t);
}

static void write_any(FILE *f, int kind) {
  switch (kind) {
  case 0: write_stl(f, "solid that is binary all the same", 12, 12); break;
  case 1: write_ascii_stl(f); break;
  case 2: write_obj(f); break;
  default: write_ply(f, kind - 3);
  }
}

Test(mesh_file, every_format_gives_the_same_box) {
  static const char *const names[] = {"a.stl", "b.STL", "c.obj", "dir.obj/d.ply", "e.ply", "f.PLY"};
  for (int kind = 0; kind < 6; kind++) {
    char *bytes = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&bytes, &size);
    write_any(f, kind);
    fclose(f);
    check_box(names[kind], bytes, size);
    free(bytes);
  }
}

static void refuse(const char *name, const char *bytes, size_t size, const char *words) {
  ScreeTriangles t;
  cr_expect_neq(scree_triangles_parse(name, bytes, size, &as_it_is, &t), SCREE_OK, "%s: %s", name, words);
  cr_expect(strncmp(scree_last_error(), name, strlen(name)) == 0 && strstr(scree_last_error(), words),
            "\"%s\" does not say \"%s\"", scree_last_error(), words);
  cr_expect(t.vertex == NULL && t.triangle == NULL);
}

Test(mesh_file, binary_files_that_lie_are_refused) {
  char *bytes = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&bytes, &size);
  write_stl(f, "header", 12, 12);
  fclose(f);
  refuse("cut.stl", bytes, size - 1, "promises 12 triangles, the file holds 11");
  refuse("cut.stl", bytes, 40, "header of 84 bytes");
  refuse("none.stl", bytes, 0, "empty");
  refuse("odd.step", bytes, size, ".stl, .obj and .ply");
  refuse("noend", bytes, size, ".stl, .obj and .ply");
  memset(bytes + 80, 0xff, 4);
  refuse("many.stl", bytes, size, "promises 4294967295");
  memset(bytes + 80, 0, 4);
  refuse("few.stl", bytes, size, "no triangles");
  bytes[80] = 12;
  memset(bytes + 84 + 50 * 3 + 12, 0xff, 4); /* a coordinate that is no number */
  refuse("nan.stl", bytes, size, "not finite");
  memset(bytes + 84, 0, 600);
  refuse("flat.stl", bytes, size, "has an area");
  free(bytes);
}

static void refuse_text(const char *name, const char *text, const char *words) {
  refuse(name, text, strlen(text), words);
}

Test(mesh_file, wrong_texts_are_refused_with_their_line) {
  refuse_text("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n", "line 4: there should be a number");
  refuse_text("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", "ends at line 5");
  refuse_text("a.stl", "solid a\nfaces\n", "line 2");
  refuse_text("a.stl", "solid a\nendsolid a\n", "no triangles");
  refuse_text("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\nvertex", "not finite");
  refuse_text("a.obj", "v 0 0\nf 1 1 1\n", "line 1");
  refuse_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "names vertex 4 of 3");
  refuse_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "names vertex 0 of 3");
  refuse_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "line 4");
  refuse_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", "line 4");
  refuse_text("a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face of 2 corners");
  refuse_text("a.obj", "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 0.5 0\nv 0 4 0\nf 1 2 3 4 5\n", "not convex");
  refuse_text("a.obj", "v 0 0 0\n", "no triangles");
  refuse_text("a.ply", "plx\n", "\"ply\"");
  refuse_text("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", "end_header");
  refuse_text("a.ply", "ply\nformat ascii 1.0\nelement vertex 9999999999\nproperty float x\nend_header\n1\n",
              "promises 9999999999");
  refuse_text("a.ply", "ply\nformat zip 1.0\nend_header\n", "line 2");
  refuse_text("a.ply", "ply\nproperty float x\n", "element before its properties");
  refuse_text("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n", "not finite");
  refuse_text("a.ply",
              "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement "
              "face 1\nproperty list uchar int vertex_index\nend_header\n1 2 3\n3 0 0 1\n",
              "names vertex 2 of 1");
}

Test(mesh_file, corners_are_welded_and_doubles_dropped) {
  const char *text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1e-8 0 1e-8\nv 1 1 0\nv 1 -1e-8 0\n"
                     "f 1 2 3\nf 4 3 6\nf 2 5 3\nf 1 1 2\nf 1 2 6\nf 3 1 2\n";
  ScreeTriangles t;
  cr_assert_eq(scree_triangles_parse("a.obj", text, strlen(text), &as_it_is, &t), SCREE_OK, "%s", scree_last_error());
  cr_expect(t.vertices == 4 && t.triangles == 2 && t.flat == 2 && t.twice == 2, "%zu %zu %zu %zu", t.vertices,
            t.triangles, t.flat, t.twice);
  cr_expect(t.open == 4 && t.crossed == 0);
  cr_expect_float_eq(t.area, 1.0, 1e-12);
  scree_triangles_free(&t);
}

Test(mesh_file, a_mark_of_byte_order_is_no_part_of_the_text) {
  const char *text = "\xEF\xBB\xBFv 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 2 3 4\n";
  ScreeTriangles t;
  cr_assert_eq(scree_triangles_parse("a.obj", text, strlen(text), &as_it_is, &t), SCREE_OK);
  cr_expect_float_eq(t.area, 0.5, 1e-15);
  scree_triangles_free(&t);
}

Test(mesh_file, sheets_may_cross) {
  const char *text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n";
  ScreeTriangles t;
  cr_assert_eq(scree_triangles_parse("a.obj", text, strlen(text), &as_it_is, &t), SCREE_OK);
  cr_expect(t.open == 6 && t.crossed == 1);
  scree_triangles_free(&t);
}

Test(mesh_file, poses_scale_then_turn_then_shift) {
  const char *text = "v 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n";
  ScreePlacement pose = {.scale = 1e-3, .axis = {0, 0, 5}, .angle = acos(-1.0) / 2.0, .shift = {10, 20, 30}};
  const double expected[3][3] = {{10, 20.001, 30}, {9.999, 20, 30}, {10, 20, 30.001}};
  ScreeTriangles t;
  cr_assert_eq(scree_triangles_parse("a.obj", text, strlen(text), &pose, &t), SCREE_OK);
  for (int v = 0; v < 3; v++)
    for (int k = 0; k < 3; k++) cr_expect_float_eq(t.vertex[v][k], expected[v][k], 1e-14 * 30);
  scree_triangles_free(&t);
  pose.scale = 1e40;
  cr_expect_neq(scree_triangles_parse("a.obj", text, strlen(text), &pose, &t), SCREE_OK);
}

Test(mesh_file, files_that_are_none_are_named) {
  char path[] = "/tmp/scree_meshXXXXXX.stl";
  ScreeTriangles t;
  int file = mkstemps(path, 4);
  FILE *f = fdopen(file, "w");
  write_stl(f, "box", 12, 12);
  fclose(f);
  cr_expect_eq(scree_triangles_read(path, &as_it_is, &t), SCREE_OK, "%s", scree_last_error());
  cr_expect_eq(t.triangles, 12);
  scree_triangles_free(&t);
  unlink(path);
  cr_expect_neq(scree_triangles_read(path, &as_it_is, &t), SCREE_OK);
  cr_expect(strstr(scree_last_error(), path) && strstr(scree_last_error(), "No such file"), "%s", scree_last_error());
  cr_expect_neq(scree_triangles_read("/tmp", &as_it_is, &t), SCREE_OK);
  cr_expect(strstr(scree_last_error(), "/tmp"), "%s", scree_last_error());
}
