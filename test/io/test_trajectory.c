/* test_trajectory.c: frames come back as they were written, in every format; what is damaged or missing gets a
 * sentence. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/image.h"
#include "io/trajectory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static void make_folder(void) {
  strcpy(folder, "/tmp/scree-trajectory-XXXXXX");
  cr_assert(mkdtemp(folder));
}

static void remove_folder(void) {
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  cr_assert(system(command) == 0);
}

TestSuite(trajectory, .init = make_folder, .fini = remove_folder);

/* Numbers that no rounding forgives. */
static double number(size_t frame, size_t i) { return sin(1.0 + 7.0 * (double)frame + 0.1 * (double)i) * 1e-3; }

static void fill(ScreePolyData *d, size_t frame, size_t rows) {
  cr_assert(scree_polydata_resize(d, rows) == SCREE_OK);
  d->time = 0.1 * (double)frame;
  d->step = (int64_t)(1000 * frame);
  for (size_t i = 0; i < 3 * d->points; i++) d->point[i] = number(frame, i);
  for (size_t c = 0; c < d->columns; c++) {
    ScreeColumn *column = &d->column[c];
    for (size_t i = 0; i < rows * (size_t)column->components; i++) {
      if (column->type == SCREE_COLUMN_DOUBLE) ((double *)column->values)[i] = number(frame + c, i);
      if (column->type == SCREE_COLUMN_INT32) ((int32_t *)column->values)[i] = (int32_t)(i * 3 + c) - 5;
      if (column->type == SCREE_COLUMN_INT64) ((int64_t *)column->values)[i] = ((int64_t)1 << 52) + (int64_t)i;
    }
  }
}

static void expect_equal(const ScreePolyData *a, const ScreePolyData *b) {
  cr_assert(a->rows == b->rows && a->points == b->points);
  cr_expect(a->time == b->time && a->step == b->step);
  cr_expect(memcmp(a->point, b->point, 3 * a->points * sizeof(double)) == 0);
  for (size_t c = 0; c < a->columns; c++) {
    const ScreeColumn *x = &a->column[c], *y = &b->column[c];
    cr_expect(memcmp(x->values, y->values, a->rows * (size_t)x->components * scree_column_size(x->type)) == 0, "%s",
              x->name);
  }
}

static ScreePolyData new_frame(bool lines) { return lines ? scree_frame_of_contacts() : scree_frame_of_grains(); }

/* Writes frames of these many rows, reads them back in another order. */
static void round_trip(int format, bool lines, const size_t *rows, size_t count) {
  ScreePolyData out = new_frame(lines), in = new_frame(lines);
  ScreeTrajectory *t = NULL;
  fill(&out, 0, rows[0]);
  cr_assert(scree_trajectory_create(folder, "x", format, &out, &t) == SCREE_OK, "%s", scree_last_error());
  for (size_t i = 0; i < count; i++) {
    fill(&out, i, rows[i]);
    cr_assert(scree_trajectory_write(t, &out) == SCREE_OK, "%s", scree_last_error());
  }
  cr_assert(scree_trajectory_close(t) == SCREE_OK);
  cr_assert(scree_trajectory_open(folder, "x", &t) == SCREE_OK, "%s", scree_last_error());
  cr_assert(scree_trajectory_frames(t) == count);
  for (size_t k = count; k-- > 0;) {
    fill(&out, k, rows[k]);
    cr_assert(scree_trajectory_read(t, k, &in) == SCREE_OK, "%s", scree_last_error());
    cr_expect(scree_trajectory_time(t, k) == out.time);
    expect_equal(&out, &in);
  }
  cr_expect(scree_trajectory_read(t, count, &in) == SCREE_INVALID);
  scree_trajectory_close(t);
  scree_polydata_free(&out);
  scree_polydata_free(&in);
}

static const size_t varying[] = {300, 5, 0, 3000, 299, 300}, small[] = {0, 3, 3, 0, 2}, constant[] = {700, 700, 700};

Test(trajectory, every_format_gives_grains_back) {
  for (int format = 0; scree_format_writes(format); format++) {
    round_trip(format, false, varying, 6);
    remove_folder(), make_folder();
    round_trip(format, false, small, 5);
    remove_folder(), make_folder();
    round_trip(format, false, constant, 3);
    remove_folder(), make_folder();
  }
}

Test(trajectory, every_format_gives_contacts_back) {
  for (int format = 0; scree_format_writes(format); format++) {
    round_trip(format, true, varying, 6);
    remove_folder(), make_folder();
    round_trip(format, true, small, 5);
    remove_folder(), make_folder();
  }
}

Test(trajectory, a_frame_is_readable_while_the_next_is_written) {
  for (int format = 0; scree_format_writes(format); format++) {
    ScreePolyData out = new_frame(false), in = new_frame(false);
    ScreeTrajectory *writer = NULL, *reader = NULL;
    fill(&out, 0, 400);
    cr_assert(scree_trajectory_create(folder, "x", format, &out, &writer) == SCREE_OK);
    cr_assert(scree_trajectory_write(writer, &out) == SCREE_OK);
    cr_assert(scree_trajectory_open(folder, "x", &reader) == SCREE_OK, "%s", scree_last_error());
    cr_expect(scree_trajectory_frames(reader) == 1);
    cr_expect(scree_trajectory_read(reader, 0, &in) == SCREE_OK);
    expect_equal(&out, &in);
    scree_trajectory_close(reader);
    fill(&out, 1, 400);
    cr_assert(scree_trajectory_write(writer, &out) == SCREE_OK);
    cr_expect(scree_trajectory_close(writer) == SCREE_OK);
    scree_polydata_free(&out), scree_polydata_free(&in);
    remove_folder(), make_folder();
  }
}

/* ---- damage ---- */

static bool same_frame(const ScreePolyData *a, const ScreePolyData *b) {
  bool same = a->rows == b->rows && a->points == b->points && a->time == b->time && a->step == b->step &&
              memcmp(a->point, b->point, 3 * a->points * sizeof(double)) == 0;
  for (size_t c = 0; c < a->columns && same; c++) {
    const ScreeColumn *x = &a->column[c], *y = &b->column[c];
    same = memcmp(x->values, y->values, a->rows * (size_t)x->components * scree_column_size(x->type)) == 0;
  }
  return same;
}

typedef struct Verdict {
  int intact, refused, silent; /* files: as they were; refused, as a whole or a frame of it; wrong without a word */
} Verdict;

/* Reads a trajectory that was damaged, and counts how that ends. */
static void judge(bool lines, const size_t *rows, size_t count, Verdict *v) {
  ScreePolyData out = new_frame(lines), in = new_frame(lines);
  ScreeTrajectory *t = NULL;
  bool refused = scree_trajectory_open(folder, "x", &t) != SCREE_OK, wrong = false;
  for (size_t i = 0; !refused && i < scree_trajectory_frames(t) && i < count; i++) {
    fill(&out, i, rows[i]);
    if (scree_trajectory_read(t, i, &in) != SCREE_OK)
      refused = true;
    else
      wrong = wrong || !same_frame(&out, &in);
  }
  wrong = wrong || (!refused && scree_trajectory_frames(t) != count);
  if (refused) cr_expect(strlen(scree_last_error()) > 20, "no sentence");
  scree_trajectory_close(t);
  scree_polydata_free(&out), scree_polydata_free(&in);
  *(wrong ? &v->silent : refused ? &v->refused : &v->intact) += 1;
}

static unsigned char *bytes_of(const char *name, size_t *size);
static void write_frames(ScreeTrajectory *t, bool lines, size_t from, size_t to, const size_t *rows);

static void put_bytes(const char *name, size_t at, const unsigned char *data, size_t size) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "r+b");
  cr_assert(file && fseek(file, (long)at, SEEK_SET) == 0 && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

/* Flips one bit after the other in one of a trajectory's files, `stride` bits apart, then makes zeros of one block
 * after the other. Returns how the flipped bits ended. */
static Verdict damage_all(int format, bool lines, const size_t *rows, size_t count, const char *name, size_t stride) {
  enum { BLOCK = 512 };
  ScreePolyData hint = new_frame(lines);
  ScreeTrajectory *t = NULL;
  Verdict v = {0}, blocks = {0}, good = {0};
  size_t size = 0;
  fill(&hint, 0, rows[0]);
  cr_assert(scree_trajectory_create(folder, "x", format, &hint, &t) == SCREE_OK, "%s", scree_last_error());
  write_frames(t, lines, 0, count, rows);
  cr_assert(scree_trajectory_close(t) == SCREE_OK);
  unsigned char *data = bytes_of(name, &size);
  for (size_t bit = 3; bit < 8 * size; bit += stride) {
    unsigned char flipped = data[bit / 8] ^ (unsigned char)(1u << bit % 8);
    int before = v.silent;
    put_bytes(name, bit / 8, &flipped, 1);
    judge(lines, rows, count, &v);
    cr_expect(v.silent == before, "%s: bit %zu of byte %zu of %zu", name, bit % 8, bit / 8, size);
    put_bytes(name, bit / 8, data + bit / 8, 1);
  }
  for (size_t at = 0; at + BLOCK <= size; at += BLOCK * (stride / 300 + 1)) {
    static const unsigned char zeros[BLOCK];
    int before = blocks.silent;
    put_bytes(name, at, zeros, BLOCK);
    judge(lines, rows, count, &blocks);
    cr_expect(blocks.silent == before, "%s: zeros from byte %zu of %zu", name, at, size);
    put_bytes(name, at, data + at, BLOCK);
  }
  judge(lines, rows, count, &good);
  cr_expect(good.intact == 1);
  free(data);
  scree_polydata_free(&hint);
  remove_folder(), make_folder();
  return v;
}

static const size_t forty[] = {40, 40, 40}, many[] = {300, 300, 300}, changing[] = {30, 7, 0, 41};

Test(trajectory, what_is_damaged_in_one_file_is_refused_or_as_it_was) {
  Verdict v = damage_all(0, false, forty, 3, "x.vtkhdf", 9001);
  cr_expect(v.refused > 8 && v.intact > 20);
  v = damage_all(0, false, many, 3, "x.vtkhdf", 9001);
  cr_expect(v.refused > 40 && v.intact > 20);
  v = damage_all(0, true, changing, 4, "x.vtkhdf", 9001);
  cr_expect(v.refused > 4 && v.intact > 20);
}

Test(trajectory, what_is_damaged_in_files_by_frame_is_refused_or_as_it_was) {
  Verdict v = damage_all(1, false, many, 3, "x_000001.vtp", 211);
  cr_expect(v.refused > 500 && v.intact > 20);
  v = damage_all(1, true, changing, 4, "x.pvd", 7);
  cr_expect(v.refused > 300 && v.intact == 0);
}

/* A frame is lost, and not those beside it, though they share chunks; a list is lost, and not its frames. */
Test(trajectory, the_other_frames_are_there) {
  for (int format = 0; scree_format_writes(format); format++) {
    ScreePolyData hint = new_frame(false), in = new_frame(false), out = new_frame(false);
    ScreeTrajectory *t = NULL;
    const char *name = format == 0 ? "x.vtkhdf" : "x_000001.vtp";
    size_t size = 0, at = 0;
    fill(&hint, 0, 40);
    cr_assert(scree_trajectory_create(folder, "x", format, &hint, &t) == SCREE_OK);
    write_frames(t, false, 0, 3, forty);
    cr_assert(scree_trajectory_close(t) == SCREE_OK);
    unsigned char *data = bytes_of(name, &size);
    const double wanted = number(1, 100); /* a coordinate of the second frame, not compressed among few */
    while (format == 0 && memcmp(data + at, &wanted, sizeof wanted) != 0) cr_assert(++at + sizeof wanted < size);
    if (format == 1) at = (size_t)((unsigned char *)memmem(data, size, "<AppendedData", 13) - data) + 200;
    put_bytes(name, at, (const unsigned char[1]){data[at] ^ 1}, 1);
    cr_assert(scree_trajectory_open(folder, "x", &t) == SCREE_OK, "%s", scree_last_error());
    for (size_t i = 0; i < 3; i++) {
      fill(&out, i, 40);
      ScreeStatus status = scree_trajectory_read(t, i, &in);
      cr_expect(status == (i == 1 ? SCREE_FILE : SCREE_OK), "frame %zu: %s", i, scree_last_error());
      if (i == 1)
        cr_expect(strstr(scree_last_error(), "frame 1: ") && strstr(scree_last_error(), "damaged"), "%s",
                  scree_last_error());
      else
        expect_equal(&out, &in);
    }
    scree_trajectory_close(t);
    put_bytes(name, at, data + at, 1);
    free(data);
    name = format == 0 ? "x.vtkhdf" : "x.pvd";
    data = bytes_of(name, &size);
    for (size_t bit = 0; bit < 8 * size; bit++) { /* one after which the list is refused */
      if (format == 0 && bit % 64 != 0) continue; /* the lowest of the eight bytes of a count */
      put_bytes(name, bit / 8, (const unsigned char[1]){data[bit / 8] ^ (unsigned char)(1u << bit % 8)}, 1);
      bool refused = scree_trajectory_open(folder, "x", &t) != SCREE_OK;
      bool counts = refused && (format == 1 || strstr(scree_last_error(), "counts of frames"));
      if (!refused) scree_trajectory_close(t);
      if (counts) break;
      put_bytes(name, bit / 8, data + bit / 8, 1);
      cr_assert(bit + 64 < 8 * size, "no list was refused");
    }
    cr_assert(scree_trajectory_salvage(folder, "x", &t) == SCREE_OK, "%s", scree_last_error());
    cr_assert(scree_trajectory_frames(t) == 3);
    for (size_t i = 0; i < 3; i++) {
      fill(&out, i, 40);
      cr_assert(scree_trajectory_read(t, i, &in) == SCREE_OK, "%s", scree_last_error());
      expect_equal(&out, &in);
    }
    scree_trajectory_close(t);
    free(data);
    scree_polydata_free(&hint), scree_polydata_free(&in), scree_polydata_free(&out);
    remove_folder(), make_folder();
  }
}

/* ---- marks ---- */

static unsigned char *bytes_of(const char *name, size_t *size) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  cr_assert(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *data = malloc(*size + 1);
  cr_assert(fread(data, 1, *size, file) == *size);
  fclose(file);
  return data;
}

static void write_frames(ScreeTrajectory *t, bool lines, size_t from, size_t to, const size_t *rows) {
  ScreePolyData out = new_frame(lines);
  for (size_t i = from; i < to; i++) {
    fill(&out, i, rows[i]);
    cr_assert(scree_trajectory_write(t, &out) == SCREE_OK, "%s", scree_last_error());
  }
  scree_polydata_free(&out);
}

static void expect_frames(bool lines, size_t count, const size_t *rows) {
  ScreePolyData out = new_frame(lines), in = new_frame(lines);
  ScreeTrajectory *t = NULL;
  cr_assert(scree_trajectory_open(folder, "x", &t) == SCREE_OK, "%s", scree_last_error());
  cr_assert(scree_trajectory_frames(t) == count, "%zu frames instead of %zu", scree_trajectory_frames(t), count);
  for (size_t i = 0; i < count; i++) {
    fill(&out, i, rows[i]);
    cr_assert(scree_trajectory_read(t, i, &in) == SCREE_OK, "%s", scree_last_error());
    expect_equal(&out, &in);
  }
  cr_assert(scree_trajectory_close(t) == SCREE_OK);
  scree_polydata_free(&out), scree_polydata_free(&in);
}

/* Everything that the mark does not hold is as it was: nothing wrote to it. */
static void expect_untouched(const unsigned char *before, const unsigned char *mark, const char *name) {
  uint64_t head[3], range[2] = {0, 0}, at = 0;
  size_t size, checked = 0;
  unsigned char *after = bytes_of(name, &size);
  memcpy(head, mark, sizeof head);
  mark += sizeof head;
  for (uint64_t i = 0; i <= head[2]; i++) {
    if (i < head[2]) memcpy(range, mark, sizeof range);
    uint64_t end = i < head[2] ? range[0] : head[1];
    cr_assert(memcmp(before + at, after + at, end - at) == 0, "bytes %zu ... %zu were changed", (size_t)at,
              (size_t)end);
    checked += end - at;
    at = range[0] + range[1];
    mark += sizeof range + range[1];
  }
  cr_expect(checked > 0 || head[1] < 1000000);
  free(after);
}

/* Frames of these rows, a mark after `at` of them, more frames; then back to the mark and on to the end. */
static void go_back(int format, bool lines, const size_t *rows, size_t count, size_t at, size_t torn) {
  const char *name = format == 0 ? "x.vtkhdf" : "x.pvd";
  ScreePolyData hint = new_frame(lines);
  ScreeTrajectory *t = NULL;
  void *mark = NULL;
  size_t size = 0, length = 0, again;
  fill(&hint, 0, rows[0]);
  cr_assert(scree_trajectory_create(folder, "x", format, &hint, &t) == SCREE_OK, "%s", scree_last_error());
  for (size_t i = 0; i < at; i++) { /* a mark now and then: what is known of an earlier one is kept */
    write_frames(t, lines, i, i + 1, rows);
    if (i % 3) continue;
    free(mark);
    cr_assert(scree_trajectory_mark(t, &mark, &size) == SCREE_OK, "%s", scree_last_error());
  }
  free(mark);
  cr_assert(scree_trajectory_mark(t, &mark, &size) == SCREE_OK, "%s", scree_last_error());
  unsigned char *before = bytes_of(name, &length);
  write_frames(t, lines, at, torn, rows);
  if (format == 0) expect_untouched(before, mark, name);
  cr_assert(scree_trajectory_close(t) == SCREE_OK);
  if (format == 0) expect_untouched(before, mark, name);
  cr_assert(scree_trajectory_resume(folder, "x", format, &hint, mark, size, &t) == SCREE_OK, "%s", scree_last_error());
  unsigned char *after = bytes_of(name, &again);
  cr_expect(again == length && memcmp(before, after, length) == 0, "not as it was");
  write_frames(t, lines, at, count, rows);
  cr_assert(scree_trajectory_close(t) == SCREE_OK);
  expect_frames(lines, count, rows);
  free(before), free(after), free(mark);
  scree_polydata_free(&hint);
  char command[100];
  snprintf(command, sizeof command, "rm %s/x*", folder);
  cr_assert(system(command) == 0);
}

Test(trajectory, goes_on_from_a_mark_whatever_was_written_since) {
  static const size_t same[] = {300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300};
  static const size_t few[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
  static const size_t mixed[] = {300, 310, 500, 12, 0, 1, 299, 2500, 700, 701, 702, 40};
  static const size_t growing[] = {0, 0, 3, 900, 900, 1100, 1024, 0, 5000, 1, 1, 2048};
  for (int format = 0; format < 2; format++)
    for (size_t at = 0; at < 12; at += 1 + at % 3)
      for (int lines = 0; lines < 2; lines++) {
        go_back(format, lines, same, 12, at, 12);
        go_back(format, lines, few, 12, at, at + 1);
        go_back(format, lines, mixed, 12, at, 11);
        go_back(format, lines, growing, 12, at, at);
      }
}

/* So many frames that the library's own index grows and splits. */
Test(trajectory, goes_on_from_a_mark_in_a_long_file) {
  size_t rows[400];
  for (size_t i = 0; i < 400; i++) rows[i] = 256 + i % 3 * (i > 200);
  go_back(0, false, rows, 400, 130, 399);
}

Test(trajectory, a_mark_that_makes_no_sense_leaves_the_file_alone) {
  ScreePolyData hint = new_frame(false);
  ScreeTrajectory *t = NULL;
  unsigned char *mark = NULL;
  size_t size = 0, length, again, rows[] = {3, 3, 3};
  cr_assert(scree_trajectory_create(folder, "x", 0, &hint, &t) == SCREE_OK, "%s", scree_last_error());
  write_frames(t, false, 0, 3, rows);
  cr_assert(scree_trajectory_mark(t, (void **)&mark, &size) == SCREE_OK, "%s", scree_last_error());
  cr_assert(scree_trajectory_close(t) == SCREE_OK);
  unsigned char *before = bytes_of("x.vtkhdf", &length);
  for (size_t byte = 8; byte < 40; byte++) {
    mark[byte] ^= 0x41;
    if (byte < 16 || byte >= 24) /* another length or count, another range */
      cr_expect(scree_trajectory_resume(folder, "x", 0, &hint, mark, size, &t) != SCREE_OK, "byte %zu", byte);
    mark[byte] ^= 0x41;
  }
  for (size_t cut = 0; cut < size; cut += 1 + size / 50)
    cr_expect(scree_trajectory_resume(folder, "x", 0, &hint, mark, cut, &t) != SCREE_OK, "%zu bytes", cut);
  unsigned char *after = bytes_of("x.vtkhdf", &again);
  cr_expect(again == length && memcmp(before, after, length) == 0);
  cr_expect(truncate(strcat(folder, "/x.vtkhdf"), (off_t)length / 2) == 0);
  *strrchr(folder, '/') = '\0';
  cr_expect(scree_trajectory_resume(folder, "x", 0, &hint, mark, size, &t) == SCREE_FILE);
  cr_expect(strstr(scree_last_error(), "shorter than it was"), "%s", scree_last_error());
  free(before), free(after), free(mark);
}

Test(trajectory, a_column_that_is_not_there_gets_a_sentence) {
  for (int format = 0; scree_format_writes(format); format++) {
    ScreePolyData out = new_frame(false), in = new_frame(false);
    ScreeTrajectory *t = NULL;
    fill(&out, 0, 10);
    cr_assert(scree_trajectory_create(folder, "x", format, &out, &t) == SCREE_OK);
    cr_assert(scree_trajectory_write(t, &out) == SCREE_OK);
    scree_trajectory_close(t);
    cr_assert(scree_trajectory_open(folder, "x", &t) == SCREE_OK);
    scree_polydata_add(&in, "heat", SCREE_COLUMN_DOUBLE, 1, "J");
    cr_expect(scree_trajectory_read(t, 0, &in) == SCREE_FILE);
    cr_expect(strstr(scree_last_error(), "heat"), "%s", scree_last_error());
    scree_trajectory_close(t);
    scree_polydata_free(&out), scree_polydata_free(&in);
    remove_folder(), make_folder();
  }
}

Test(trajectory, errors) {
  ScreePolyData frame = new_frame(false);
  ScreeTrajectory *t = NULL;
  fill(&frame, 0, 1);
  cr_expect(scree_trajectory_open(folder, "x", &t) == SCREE_FILE);
  cr_expect(strstr(scree_last_error(), "no trajectory"));
  for (int format = 0; scree_format_writes(format); format++) {
    cr_expect(scree_trajectory_create("/nowhere/at/all", "x", format, &frame, &t) == SCREE_FILE);
    cr_expect(strstr(scree_last_error(), "No such file"), "%s", scree_last_error());
  }
  int none = 0;
  while (scree_format_writes(none)) none++;
  cr_expect_str_eq(scree_format_name(none), "none");
  cr_expect(scree_trajectory_create(folder, "x", none, &frame, &t) == SCREE_UNSUPPORTED);
  cr_expect_str_eq(scree_format_words(), "vtkhdf|vtp|none");
  cr_expect(scree_trajectory_close(NULL) == SCREE_OK);
  scree_polydata_free(&frame);
}

Test(trajectory, values_and_magnitudes) {
  ScreePolyData d = new_frame(false);
  fill(&d, 0, 4);
  double *v = d.column[SCREE_FIELD_velocity].values;
  v[3] = 2, v[4] = -3, v[5] = 6;
  cr_expect(scree_polydata_value(&d, SCREE_FIELD_velocity, 1, -1) == 7);
  cr_expect(scree_polydata_value(&d, SCREE_FIELD_velocity, 1, 1) == -3);
  cr_expect(scree_polydata_value(&d, SCREE_FIELD_id, 3, -1) == 4503599627370499.0);
  cr_expect(scree_polydata_find(&d, "force") == SCREE_FIELD_force && scree_polydata_find(&d, "heat") == -1);
  scree_polydata_free(&d);
}

/* ---- pictures ---- */

/* Oklab lightness of a linear colour, from the definition. */
static double lightness(ScreeColour c) {
  return 0.2104542553 * cbrt(0.4122214708 * c.r + 0.5363325363 * c.g + 0.0514459929 * c.b) +
         0.7936177850 * cbrt(0.2119034982 * c.r + 0.6806995451 * c.g + 0.1073969566 * c.b) -
         0.0040720468 * cbrt(0.0883024619 * c.r + 0.2817188376 * c.g + 0.6299787005 * c.b);
}

Test(image, the_colour_map_is_even_in_lightness) {
  for (int i = 0; i < 100; i++) {
    double step = lightness(scree_colour_map((i + 1) / 100.0)) - lightness(scree_colour_map(i / 100.0));
    cr_expect(fabs(step - 0.0054) < 0.0009, "at %d: %g", i, step);
  }
  ScreeColour low = scree_colour_map(-1), nan = scree_colour_map(NAN), zero = scree_colour_map(0);
  cr_expect(memcmp(&low, &zero, sizeof low) == 0 && memcmp(&nan, &zero, sizeof nan) == 0);
}

Test(image, drawing_outside_is_harmless) {
  ScreeImage image;
  ScreeColour white = {1, 1, 1}, black = {0, 0, 0};
  cr_assert(scree_image_create(&image, 40, 30, white) == SCREE_OK);
  scree_image_line(&image, -100, -100, -50, 500, 3, black);
  scree_image_rectangle(&image, 60, 60, 10, 10, black);
  scree_image_text(&image, 500, 15, 10, SCREE_LEFT, black, "out");
  scree_image_text(&image, -500, 15, 10, SCREE_RIGHT, black, "out");
  for (int i = 0; i < 40 * 30; i++) cr_assert(image.pixel[i].r == 1);
  scree_image_rectangle(&image, -5, -5, 100, 100, black);
  for (int i = 0; i < 40 * 30; i++) cr_assert(image.pixel[i].r == 0);
  scree_image_free(&image);
}

Test(image, every_letter_has_strokes_and_no_two_are_alike) {
  enum { SIDE = 40 };
  static float seen[95][SIDE * SIDE];
  for (int c = 33; c < 127; c++) {
    ScreeImage image;
    float ink = 0;
    cr_assert(scree_image_create(&image, SIDE, SIDE, (ScreeColour){1, 1, 1}) == SCREE_OK);
    scree_image_text(&image, 8, 28, 18, SCREE_LEFT, (ScreeColour){0, 0, 0}, (char[2]){(char)c, '\0'});
    for (int i = 0; i < SIDE * SIDE; i++) seen[c - 32][i] = image.pixel[i].r, ink += 1 - image.pixel[i].r;
    cr_expect(ink > 2, "%c", c);
    for (int k = 33; k < c; k++) cr_expect(memcmp(seen[c - 32], seen[k - 32], sizeof *seen) != 0, "%c %c", c, k);
    scree_image_free(&image);
  }
  cr_expect(scree_text_width("\xc3\xb6", 7) == scree_text_width("\xe2\x82\xac", 7), "a letter beyond ASCII is one box");
  cr_expect(scree_text_width("", 7) == 0);
}
