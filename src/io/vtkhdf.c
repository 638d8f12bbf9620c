/* vtkhdf.c: VTKHDF 2.0, temporal PolyData: one HDF5 file that grows by a frame at a time.
 *
 * All frames lie behind each other in the same data sets; the group Steps says where each begins. With one part per
 * frame, frame s has
 *
 *     Points[PointOffsets[s] ...]          NumberOfPoints[s] of them; PointData (lines: CellData) likewise
 *     Vertices: NumberOfCells[s]           1, a cell of all points; lines: 0, and as many in Lines as there are
 *     Connectivity                         0, 1, 2, ... shared by all frames: ConnectivityIdOffsets is 0
 *     Offsets[CellOffsets[s] + s ...]      NumberOfCells[s] + 1 numbers, so that an empty kind has one 0 per frame
 *
 * A run may be killed at any time, and what was flushed must stay readable:
 *   - the data of a frame, and where they lie, are flushed before the frame is counted (NSteps), by a second flush:
 *     within one the library writes in an order of its own;
 *   - a compressed chunk is never written twice, since it would move, and its old place be used again, before the
 *     index on disk knows: a chunk holds just one frame of grains. Where the number of rows changes from frame to frame
 *     (lines, grains that come and go), or is so small that compressing pays nothing, chunks are not compressed and are
 *     rewritten in place;
 *   - the file has the oldest superblock, which has no mark "open for writing" that a killed process leaves behind.
 *
 * Damage is found twice. Every chunk carries HDF5's Fletcher32, for whoever reads the file; it says nothing of the
 * library's own bookkeeping, which this superblock does not protect, nor which frames of a shared chunk are meant. So
 * FieldData/checksum has a number for each frame, over all that was read of it. scree goes by these alone: of a chunk
 * that is damaged it takes the frames that are not. NSteps is held against the attribute Sealed, which is one less
 * while a frame is counted, and equal to it where the file was closed or marked. Files of earlier versions have none
 * of the three, and get none when a run goes on with them.
 *
 * That is enough for a viewer, but not for a run that goes on: the library changes its own bookkeeping in place, and a
 * process may be killed in the middle of that. So a mark holds every byte of the file that may still change, which are
 * all but those of whole chunks, and the file's length. Put back, they give the file as it was at the mark, bit for
 * bit, whatever happened to it since:
 *
 *     frames, length, count of ranges, then for each: offset, length, bytes      integers of 8 bytes, little endian */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/format.h"

#include "core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define COMPRESSION 4                     /* of deflate; more takes far longer for little */
#define SMALL_FRAME 256                   /* rows; below, frames share chunks that are not compressed */
#define PLAIN_CHUNK 1024                  /* rows of such a chunk, and of the bookkeeping */
#define LARGE_FRAME (1 << 16)             /* rows; from here on plain chunks are larger */
#define LARGEST_CHUNK (100 * 1000 * 1000) /* rows; HDF5 allows 4 GB */

enum { VERTICES, LINES, STRIPS, POLYGONS, KINDS };
static const char *const kind_names[KINDS] = {"Vertices", "Lines", "Strips", "Polygons"};

/* A data set that grows. */
typedef struct Series {
  hid_t set;
  hsize_t rows, width; /* width 0: of one dimension */
  hsize_t chunk;       /* rows of one */
  hsize_t whole;       /* chunks that are full and known to the file's list of such */
} Series;

#define MAX_SERIES (2 * SCREE_MAX_COLUMNS + 32)

/* A stretch of the file. */
typedef struct Range {
  uint64_t at, size;
} Range;

typedef struct Kind {
  Series cells, ids, connectivity, offsets;
} Kind;

typedef struct File {
  char *path;
  hid_t file, root, steps, count, sealed; /* the attributes NSteps and Sealed */
  bool checked;                           /* it has checksums */
  int64_t frames, points, rows;
  Series number_of_points, point, column[SCREE_MAX_COLUMNS], step, checksum;
  Kind kind[KINDS];
  Series time, part_offset, parts, point_offset, cell_offset, id_offset, step_offset, checksum_offset,
      column_offset[SCREE_MAX_COLUMNS];
  size_t columns;
  Series *all[MAX_SERIES];
  size_t series;
  Range *whole; /* chunks that are full: nothing writes there again */
  size_t wholes, whole_capacity;
  bool broken; /* a write failed: closing would try again what is left, and the library does not survive that */
} File;

static ScreeStatus cannot(const char *what, const char *path) {
  int reason = errno;
  return scree_fail(SCREE_FILE, "cannot %s %.300s: %s", what, path,
                    reason ? strerror(reason) : "the HDF5 library failed");
}

/* HDF5 1.10 does not survive an allocation that fails: it ends the program, or reads where nothing is. What it will ask
 * for is asked for first, and given back. */
static bool has_room(size_t bytes) {
  void *room = malloc(bytes + ((size_t)8 << 20));
  free(room);
  return room != NULL;
}

static ScreeStatus no_room(const char *path) { return scree_fail(SCREE_NO_MEMORY, "no memory for %.300s", path); }

static hid_t memory_type(ScreeColumnType type) {
  return type == SCREE_COLUMN_INT32   ? H5T_NATIVE_INT32
         : type == SCREE_COLUMN_INT64 ? H5T_NATIVE_INT64
                                      : H5T_NATIVE_DOUBLE;
}

/* ---- growing data sets ---- */

static bool series_make(Series *s, hid_t parent, const char *name, hid_t type, hsize_t chunk, bool compressed) {
  hsize_t none[2] = {0, s->width}, most[2] = {H5S_UNLIMITED, s->width}, rows[2] = {chunk, s->width};
  int rank = s->width ? 2 : 1;
  hid_t space = H5Screate_simple(rank, none, most), creation = H5Pcreate(H5P_DATASET_CREATE);
  bool done = space >= 0 && creation >= 0 && H5Pset_chunk(creation, rank, rows) >= 0;
  if (done && compressed) done = H5Pset_shuffle(creation) >= 0 && H5Pset_deflate(creation, COMPRESSION) >= 0;
  done = done && H5Pset_fletcher32(creation) >= 0; /* the last filter: over the bytes on disk */
  if (done) s->set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  H5Pclose(creation);
  H5Sclose(space);
  s->chunk = chunk;
  return s->set >= 0;
}

/* One that is there already: with the chunks it was made with. */
static bool series_reopen(Series *s, hid_t parent, const char *name) {
  hsize_t size[2] = {0, 0}, chunk[2] = {0, 0};
  int rank = s->width ? 2 : 1;
  s->set = H5Dopen2(parent, name, H5P_DEFAULT);
  if (s->set < 0) return false;
  hid_t space = H5Dget_space(s->set), creation = H5Dget_create_plist(s->set);
  bool done = H5Sget_simple_extent_ndims(space) == rank && H5Sget_simple_extent_dims(space, size, NULL) == rank &&
              H5Pget_chunk(creation, rank, chunk) == rank && (rank == 1 || size[1] == s->width) && chunk[0] > 0;
  H5Pclose(creation);
  H5Sclose(space);
  s->rows = size[0], s->chunk = chunk[0];
  return done;
}

static bool exists(hid_t parent, const char *name) { return H5Lexists(parent, name, H5P_DEFAULT) > 0; }

static bool series_create(File *f, Series *s, hid_t parent, const char *name, hid_t type, hsize_t width, hsize_t chunk,
                          bool compressed) {
  *s = (Series){.width = width, .set = -1};
  f->all[f->series++] = s;
  return exists(parent, name) ? series_reopen(s, parent, name) : series_make(s, parent, name, type, chunk, compressed);
}

static bool numbers_create(File *f, Series *s, hid_t parent, const char *name, hsize_t width) {
  return series_create(f, s, parent, name, H5T_NATIVE_INT64, width, PLAIN_CHUNK, false);
}

static bool series_append(Series *s, hid_t type, size_t rows, const void *values) {
  if (rows == 0) return true;
  hsize_t size[2] = {s->rows + rows, s->width}, start[2] = {s->rows, 0}, count[2] = {rows, s->width};
  if (H5Dset_extent(s->set, size) < 0) return false;
  hid_t space = H5Dget_space(s->set), memory = H5Screate_simple(s->width ? 2 : 1, count, NULL);
  bool done = space >= 0 && memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dwrite(s->set, type, memory, space, H5P_DEFAULT, values) >= 0;
  H5Sclose(memory);
  H5Sclose(space);
  s->rows += rows;
  return done;
}

static bool append_number(Series *s, int64_t number) { return series_append(s, H5T_NATIVE_INT64, 1, &number); }

/* first, first + stride, ... */
static bool append_sequence(Series *s, int64_t first, int64_t stride, size_t count) {
  int64_t *numbers = malloc((count ? count : 1) * sizeof *numbers);
  for (size_t i = 0; numbers && i < count; i++) numbers[i] = first + stride * (int64_t)i;
  bool done = numbers && series_append(s, H5T_NATIVE_INT64, count, numbers);
  free(numbers);
  return done;
}

/* ---- attributes and groups ---- */

static bool put_text(hid_t object, const char *name, const char *text) {
  if (H5Aexists(object, name) > 0) return true;
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  bool done = H5Tset_size(type, strlen(text)) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0;
  hid_t attribute = done ? H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
  done = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Tclose(type);
  H5Sclose(space);
  return done;
}

static bool put_version(hid_t object) {
  if (H5Aexists(object, "Version") > 0) return true;
  const int64_t version[2] = {2, 0};
  hsize_t two = 2;
  hid_t space = H5Screate_simple(1, &two, NULL);
  hid_t attribute = H5Acreate2(object, "Version", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, version) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  return done;
}

static hid_t make_group(hid_t parent, const char *name) {
  if (exists(parent, name)) return H5Gopen2(parent, name, H5P_DEFAULT);
  return H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

/* ---- creation ---- */

static bool create_kinds(File *f) {
  for (int i = 0; i < KINDS; i++) {
    Kind *k = &f->kind[i];
    hid_t group = make_group(f->root, kind_names[i]);
    bool done = group >= 0 && numbers_create(f, &k->cells, group, "NumberOfCells", 0) &&
                numbers_create(f, &k->ids, group, "NumberOfConnectivityIds", 0) &&
                numbers_create(f, &k->connectivity, group, "Connectivity", 0) &&
                numbers_create(f, &k->offsets, group, "Offsets", 0);
    if (group >= 0) H5Gclose(group);
    if (!done) return false;
  }
  return true;
}

/* The values, and in Steps where those of each frame begin. */
static bool create_columns(File *f, const ScreePolyData *frame, hsize_t chunk, bool compressed) {
  hid_t points = make_group(f->root, "PointData"), cells = make_group(f->root, "CellData");
  hid_t point_offsets = make_group(f->steps, "PointDataOffsets"),
        cell_offsets = make_group(f->steps, "CellDataOffsets");
  hid_t data = frame->lines ? cells : points, offsets = frame->lines ? cell_offsets : point_offsets;
  bool done = points >= 0 && cells >= 0 && point_offsets >= 0 && cell_offsets >= 0;
  for (size_t i = 0; i < frame->columns && done; i++) {
    const ScreeColumn *c = &frame->column[i];
    hsize_t width = c->components > 1 ? (hsize_t)c->components : 0;
    done = series_create(f, &f->column[i], data, c->name, memory_type(c->type), width, chunk, compressed) &&
           (!*c->unit || put_text(f->column[i].set, "unit", c->unit)) &&
           numbers_create(f, &f->column_offset[i], offsets, c->name, 0);
    f->columns = i + 1;
  }
  H5Gclose(points), H5Gclose(cells), H5Gclose(point_offsets), H5Gclose(cell_offsets);
  return done;
}

/* The step's number and the checksum as field data, one per frame. */
static bool create_fields(File *f) {
  hid_t data = make_group(f->root, "FieldData"), offsets = make_group(f->steps, "FieldDataOffsets");
  bool done = data >= 0 && offsets >= 0 && numbers_create(f, &f->step, data, "step", 0) &&
              numbers_create(f, &f->step_offset, offsets, "step", 0);
  if (f->checked)
    done = done && numbers_create(f, &f->checksum, data, "checksum", 0) &&
           numbers_create(f, &f->checksum_offset, offsets, "checksum", 0);
  H5Gclose(data), H5Gclose(offsets);
  return done;
}

static hid_t create_counter(hid_t object, const char *name, int64_t *value) {
  if (H5Aexists(object, name) > 0) {
    hid_t counter = H5Aopen(object, name, H5P_DEFAULT);
    return counter >= 0 && H5Aread(counter, H5T_NATIVE_INT64, value) >= 0 ? counter : -1;
  }
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t counter = H5Acreate2(object, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Sclose(space);
  return counter >= 0 && H5Awrite(counter, H5T_NATIVE_INT64, value) >= 0 ? counter : -1;
}

/* A file that is new has both, one of an earlier version NSteps alone. */
static bool create_counts(File *f) {
  int64_t sealed = 0;
  f->checked = H5Aexists(f->steps, "NSteps") <= 0 || H5Aexists(f->steps, "Sealed") > 0;
  f->count = create_counter(f->steps, "NSteps", &f->frames);
  if (f->checked) f->sealed = create_counter(f->steps, "Sealed", &sealed);
  return f->count >= 0 && (!f->checked || f->sealed >= 0);
}

static bool create_steps(File *f) {
  f->steps = make_group(f->root, "Steps");
  return f->steps >= 0 && create_counts(f) &&
         series_create(f, &f->time, f->steps, "Values", H5T_NATIVE_DOUBLE, 0, PLAIN_CHUNK, false) &&
         numbers_create(f, &f->part_offset, f->steps, "PartOffsets", 0) &&
         numbers_create(f, &f->parts, f->steps, "NumberOfParts", 0) &&
         numbers_create(f, &f->point_offset, f->steps, "PointOffsets", 0) &&
         numbers_create(f, &f->cell_offset, f->steps, "CellOffsets", KINDS) &&
         numbers_create(f, &f->id_offset, f->steps, "ConnectivityIdOffsets", KINDS);
}

/* Groups and data sets; what is there already is opened. */
static bool create_all(File *f, const ScreePolyData *frame) {
  bool compressed = !frame->lines && !frame->varies && frame->rows >= SMALL_FRAME;
  hsize_t plain = frame->rows < LARGE_FRAME ? PLAIN_CHUNK : LARGE_FRAME / 4;
  hsize_t chunk = !compressed ? plain : frame->rows < LARGEST_CHUNK ? frame->rows : LARGEST_CHUNK;
  f->root = make_group(f->file, "VTKHDF");
  return f->root >= 0 && put_version(f->root) && put_text(f->root, "Type", "PolyData") && create_steps(f) &&
         numbers_create(f, &f->number_of_points, f->root, "NumberOfPoints", 0) &&
         series_create(f, &f->point, f->root, "Points", H5T_NATIVE_DOUBLE, 3, chunk, compressed) &&
         put_text(f->point.set, "unit", "m") && create_kinds(f) && create_columns(f, frame, chunk, compressed) &&
         create_fields(f) && H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0;
}

static ScreeStatus close_file(void *state);

static File *new_file(const char *path) {
  File *f = calloc(1, sizeof *f);
  if (f) f->path = strdup(path);
  if (!f || !f->path || !has_room(0)) {
    if (f) free(f->path);
    free(f);
    scree_fail(SCREE_NO_MEMORY, "no memory for a trajectory");
    return NULL;
  }
  f->file = f->root = f->steps = f->count = f->sealed = -1;
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* errors are sentences here, not prints */
  return f;
}

/* Viewers may look at a run that is going on: no locks. */
static hid_t open_access(void) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_file_locking(access, false, true);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG); /* with all that is open in it */
  return access;
}

static ScreeStatus create_file(const char *path, const ScreePolyData *frame, void **state) {
  File *f = new_file(path);
  if (!f) return SCREE_NO_MEMORY;
  hid_t access = open_access();
  errno = 0;
  f->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  ScreeStatus status = f->file >= 0 && create_all(f, frame) ? SCREE_OK : cannot("write", path);
  f->broken = status != SCREE_OK;
  if (status == SCREE_OK)
    *state = f;
  else
    close_file(f);
  return status;
}

/* ---- writing ---- */

static bool write_kind(Kind *k, size_t cells, size_t per_cell) {
  size_t ids = cells * per_cell;
  bool done = append_number(&k->cells, (int64_t)cells) && append_number(&k->ids, (int64_t)ids) &&
              append_sequence(&k->offsets, 0, (int64_t)per_cell, cells + 1);
  if (done && ids > k->connectivity.rows)
    done = append_sequence(&k->connectivity, (int64_t)k->connectivity.rows, 1, ids - k->connectivity.rows);
  return done;
}

static bool write_data(File *f, const ScreePolyData *frame) {
  bool done = append_number(&f->number_of_points, (int64_t)frame->points) &&
              series_append(&f->point, H5T_NATIVE_DOUBLE, frame->points, frame->point);
  for (size_t i = 0; i < f->columns && done; i++)
    done = series_append(&f->column[i], memory_type(frame->column[i].type), frame->rows, frame->column[i].values);
  return done && write_kind(&f->kind[VERTICES], !frame->lines, frame->points) &&
         write_kind(&f->kind[LINES], frame->lines ? frame->rows : 0, 2) && write_kind(&f->kind[STRIPS], 0, 0) &&
         write_kind(&f->kind[POLYGONS], 0, 0) && append_number(&f->step, frame->step) &&
         (!f->checked || append_number(&f->checksum, (int64_t)scree_polydata_checksum(frame, (size_t)f->frames)));
}

/* Where the frame lies. */
static bool write_places(File *f, const ScreePolyData *frame) {
  const int64_t cells[KINDS] = {[VERTICES] = frame->lines ? 0 : f->frames, [LINES] = frame->lines ? f->rows : 0},
                ids[KINDS] = {0};
  bool done = series_append(&f->time, H5T_NATIVE_DOUBLE, 1, &frame->time) &&
              append_number(&f->part_offset, f->frames) && append_number(&f->parts, 1) &&
              append_number(&f->point_offset, f->points) &&
              series_append(&f->cell_offset, H5T_NATIVE_INT64, 1, cells) &&
              series_append(&f->id_offset, H5T_NATIVE_INT64, 1, ids) && append_number(&f->step_offset, f->frames) &&
              (!f->checked || append_number(&f->checksum_offset, f->frames));
  for (size_t i = 0; i < f->columns && done; i++) done = append_number(&f->column_offset[i], f->rows);
  return done;
}

static bool count_frame(File *f) {
  int64_t frames = f->frames + 1;
  return H5Awrite(f->count, H5T_NATIVE_INT64, &frames) >= 0;
}

/* As many as there are. */
static bool seal(File *f) { return !f->checked || H5Awrite(f->sealed, H5T_NATIVE_INT64, &f->frames) >= 0; }

static bool flush(File *f) { return H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0; }

static ScreeStatus write_frame(void *state, const ScreePolyData *frame) {
  File *f = state;
  size_t bytes = frame->points * 3 * sizeof(double), widest = frame->rows * 3 * sizeof(double);
  if (!has_room(4 * (bytes > widest ? bytes : widest))) return no_room(f->path);
  errno = 0;
  if (!(write_data(f, frame) && write_places(f, frame) && seal(f) && flush(f) && count_frame(f) && flush(f)))
    return f->broken = true, cannot("write", f->path);
  f->frames++;
  f->points += (int64_t)frame->points;
  f->rows += (int64_t)frame->rows;
  return SCREE_OK;
}

static ScreeStatus close_file(void *state) {
  File *f = state;
  errno = 0;
  bool writes = f->count >= 0 && !f->broken, closed = f->file < 0 || f->broken;
  if (!closed) closed = (!writes || seal(f)) && H5Fclose(f->file) >= 0;
  ScreeStatus status = closed ? SCREE_OK : cannot("write", f->path);
  free(f->whole);
  free(f->path);
  free(f);
  return status;
}

/* ---- marks ---- */

static bool add_whole(File *f, Range range) {
  if (f->wholes == f->whole_capacity) {
    size_t capacity = f->whole_capacity ? 2 * f->whole_capacity : 256;
    Range *grown = realloc(f->whole, capacity * sizeof *grown);
    if (!grown) return false;
    f->whole = grown;
    f->whole_capacity = capacity;
  }
  f->whole[f->wholes++] = range;
  return true;
}

/* Chunks that have become full since the last mark. */
static bool find_whole(File *f) {
  for (size_t i = 0; i < f->series; i++) {
    Series *s = f->all[i];
    for (; s->whole < s->rows / s->chunk; s->whole++) {
      hsize_t at[2] = {s->whole * s->chunk, 0}, size = 0;
      haddr_t address = HADDR_UNDEF;
      unsigned mask;
      if (H5Dget_chunk_info_by_coord(s->set, at, &mask, &address, &size) < 0) return false;
      if (address != HADDR_UNDEF && !add_whole(f, (Range){address, size})) return false;
    }
  }
  return true;
}

static int by_place(const void *a, const void *b) {
  const Range *x = a, *y = b;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* What lies between the whole chunks of a file. gap: room for one more than those. */
static size_t find_gaps(File *f, uint64_t length, Range *gap) {
  size_t count = 0;
  uint64_t at = 0;
  if (f->wholes > 0) qsort(f->whole, f->wholes, sizeof *f->whole, by_place);
  for (size_t i = 0; i <= f->wholes; i++) {
    uint64_t end = i < f->wholes ? f->whole[i].at : length;
    if (end > at) gap[count++] = (Range){at, end - at};
    if (i < f->wholes) at = end + f->whole[i].size;
  }
  return count;
}

static bool read_at(int file, void *data, uint64_t size, uint64_t at) {
  for (char *to = data; size > 0;) {
    ssize_t got = pread(file, to, size, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got, at += (uint64_t)got, size -= (uint64_t)got;
  }
  return true;
}

static bool write_at(int file, const void *data, uint64_t size, uint64_t at) {
  for (const char *from = data; size > 0;) {
    ssize_t put = pwrite(file, from, size, (off_t)at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    from += put, at += (uint64_t)put, size -= (uint64_t)put;
  }
  return true;
}

enum { MARK_HEAD = 3 }; /* numbers */

static ScreeStatus take_mark(File *f, int file, void **data, size_t *size) {
  struct stat info;
  if (fstat(file, &info) != 0 || fsync(file) != 0) return cannot("sync", f->path);
  Range *gap = malloc((f->wholes + 1) * sizeof *gap);
  size_t count = gap ? find_gaps(f, (uint64_t)info.st_size, gap) : 0, bytes = MARK_HEAD * 8 + count * sizeof *gap;
  for (size_t i = 0; i < count; i++) bytes += gap[i].size;
  unsigned char *mark = gap ? malloc(bytes) : NULL, *at = mark;
  bool done = mark != NULL;
  if (done) {
    const uint64_t head[MARK_HEAD] = {(uint64_t)f->frames, (uint64_t)info.st_size, count};
    memcpy(at, head, sizeof head);
    at += sizeof head;
  }
  for (size_t i = 0; i < count && done; i++) {
    memcpy(at, &gap[i], sizeof *gap);
    done = read_at(file, at + sizeof *gap, gap[i].size, gap[i].at);
    at += sizeof *gap + gap[i].size;
  }
  free(gap);
  if (!mark) return scree_fail(SCREE_NO_MEMORY, "no memory for the bookkeeping of %.300s", f->path);
  if (!done) return free(mark), cannot("read", f->path);
  *data = mark, *size = bytes;
  return SCREE_OK;
}

static ScreeStatus mark_file(void *state, void **data, size_t *size) {
  File *f = state;
  errno = 0;
  if (f->broken || !seal(f) || !flush(f) || !find_whole(f)) return f->broken = true, cannot("write", f->path);
  int file = open(f->path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return cannot("read", f->path);
  ScreeStatus status = take_mark(f, file, data, size);
  close(file);
  return status;
}

static ScreeStatus bad_mark(const char *path) {
  return scree_fail(SCREE_FILE, "what was kept of %.300s makes no sense", path);
}

/* Ranges in order, within the file, and as long as the mark says. */
static bool mark_is_sound(const unsigned char *mark, size_t size) {
  uint64_t head[MARK_HEAD], end = 0;
  if (size < sizeof head) return false;
  memcpy(head, mark, sizeof head);
  size_t left = size - sizeof head;
  const unsigned char *at = mark + sizeof head;
  for (uint64_t i = 0; i < head[2]; i++) {
    Range r;
    if (left < sizeof r) return false;
    memcpy(&r, at, sizeof r);
    left -= sizeof r;
    if (r.at < end || r.at > head[1] || r.size > head[1] - r.at || r.size > left) return false;
    end = r.at + r.size;
    at += sizeof r + r.size, left -= r.size;
  }
  return left == 0;
}

/* The file's bytes as they were at the mark. */
static ScreeStatus put_back(const char *path, const unsigned char *mark) {
  uint64_t head[MARK_HEAD];
  struct stat info;
  memcpy(head, mark, sizeof head);
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return cannot("go on with", path);
  bool done = fstat(file, &info) == 0;
  if (done && (uint64_t)info.st_size < head[1]) {
    close(file);
    return scree_fail(SCREE_FILE, "cannot go on with %.300s: it is shorter than it was (%lld of %llu bytes)", path,
                      (long long)info.st_size, (unsigned long long)head[1]);
  }
  const unsigned char *at = mark + sizeof head;
  for (uint64_t i = 0; i < head[2] && done; i++) {
    Range r;
    memcpy(&r, at, sizeof r);
    done = write_at(file, at + sizeof r, r.size, r.at);
    at += sizeof r + r.size;
  }
  done = done && ftruncate(file, (off_t)head[1]) == 0 && fsync(file) == 0;
  ScreeStatus status = done ? SCREE_OK : cannot("go on with", path);
  close(file);
  return status;
}

static ScreeStatus resume_file(const char *path, const ScreePolyData *frame, const void *data, size_t size,
                               void **state) {
  uint64_t frames;
  if (!mark_is_sound(data, size)) return bad_mark(path);
  memcpy(&frames, data, sizeof frames);
  SCREE_TRY(put_back(path, data));
  File *f = new_file(path);
  if (!f) return SCREE_NO_MEMORY;
  hid_t access = open_access();
  errno = 0;
  f->file = H5Fopen(path, H5F_ACC_RDWR, access);
  H5Pclose(access);
  bool fits = f->file >= 0 && create_all(f, frame) && f->frames >= 0 && (uint64_t)f->frames == frames;
  f->points = (int64_t)f->point.rows;
  f->rows = f->columns > 0 ? (int64_t)f->column[0].rows : 0;
  f->broken = !fits;
  ScreeStatus status = fits ? SCREE_OK : cannot("go on with", path);
  if (status == SCREE_OK)
    *state = f;
  else
    close_file(f);
  return status;
}

/* ---- reading ---- */

static ScreeStatus damaged(const File *f, const char *name) {
  if (errno == ENOMEM) return scree_fail(SCREE_NO_MEMORY, "no memory to read %.300s", f->path);
  return scree_fail(SCREE_FILE, "%.300s is damaged, or no trajectory: %s", f->path, name);
}

/* A data set as it is read: `bytes` of a chunk, before it was packed. */
typedef struct Source {
  hid_t set;
  hsize_t first, count, chunk; /* rows; of a chunk */
  size_t row, bytes;
  bool packed;
} Source;

/* The filters as series_make sets them. */
static bool filters_are_ours(hid_t creation, bool *packed) {
  static const H5Z_filter_t ours[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  int count = H5Pget_nfilters(creation);
  bool same = count == 1 || count == 3;
  for (int i = 0; same && i < count; i++) {
    size_t numbers = 0;
    same = H5Pget_filter2(creation, (unsigned)i, NULL, &numbers, NULL, 0, NULL, NULL) == ours[3 - count + i];
  }
  *packed = count == 3;
  return same;
}

static bool source_open(Source *s, hid_t type, int width) {
  hsize_t rows[2] = {0, 0};
  int rank = width > 1 ? 2 : 1;
  hid_t creation = H5Dget_create_plist(s->set), stored = H5Dget_type(s->set);
  bool sound = creation >= 0 && stored >= 0 && H5Tequal(stored, type) > 0 && H5Pget_layout(creation) == H5D_CHUNKED &&
               H5Pget_chunk(creation, rank, rows) == rank && rows[0] > 0 && rows[0] <= LARGEST_CHUNK &&
               (rank == 1 || rows[1] == (hsize_t)width) && filters_are_ours(creation, &s->packed);
  s->chunk = rows[0];
  s->row = (size_t)width * H5Tget_size(type);
  s->bytes = rows[0] * s->row;
  if (creation >= 0) H5Pclose(creation);
  if (stored >= 0) H5Tclose(stored);
  return sound;
}

/* shuffle has all first bytes of the numbers together, then all second ones, ... */
static void unshuffle(const unsigned char *from, unsigned char *to, size_t bytes, size_t width) {
  size_t count = bytes / width;
  for (size_t k = 0; k < width; k++)
    for (size_t i = 0; i < count; i++) to[i * width + k] = from[k * count + i];
}

/* A whole chunk, of `size` bytes in the file: numbers, shuffled, deflated, four bytes of Fletcher32. */
static bool unpack_chunk(const Source *s, const hsize_t *corner, hsize_t size, size_t width, unsigned char *out) {
  uint32_t mask = 0;
  uLongf got = (uLongf)s->bytes;
  unsigned char *packed = malloc(size), *shuffled = malloc(s->bytes);
  bool done = packed && shuffled && H5Dread_chunk(s->set, H5P_DEFAULT, corner, &mask, packed) >= 0 &&
              uncompress(shuffled, &got, packed, (uLong)size - 4) == Z_OK && got == s->bytes;
  if (done) unshuffle(shuffled, out, s->bytes, width);
  free(packed), free(shuffled);
  return done;
}

/* The rows that are wanted of the chunk that begins at row `at`. */
static bool read_packed(const Source *s, hsize_t at, hsize_t size, size_t width, unsigned char *values) {
  const hsize_t corner[2] = {at, 0};
  hsize_t from = at > s->first ? at : s->first, end = s->first + s->count;
  if (end > at + s->chunk) end = at + s->chunk;
  if (size <= 4 || size > s->bytes + s->bytes / 8 + 1024 || s->bytes / 1100 > size) return false;
  unsigned char *chunk = malloc(s->bytes);
  bool done = chunk && unpack_chunk(s, corner, size, width, chunk);
  if (done) memcpy(values + (from - s->first) * s->row, chunk + (from - at) * s->row, (end - from) * s->row);
  free(chunk);
  return done;
}

/* The library believes what a file says of its chunks, and reads beyond its own buffers where that is damaged. So
 * packed chunks are unpacked here; *whole: the others, whose size is known, may be read by the library. */
static bool read_chunks(Source *s, hid_t type, int width, void *values, bool *whole) {
  if (!source_open(s, type, width)) return false;
  for (hsize_t at = s->first / s->chunk * s->chunk; at < s->first + s->count; at += s->chunk) {
    hsize_t corner[2] = {at, 0}, size = 0;
    haddr_t address = HADDR_UNDEF;
    unsigned mask = 0;
    bool found =
        H5Dget_chunk_info_by_coord(s->set, corner, &mask, &address, &size) >= 0 && mask == 0 && address != HADDR_UNDEF;
    if (!found || (s->packed ? !read_packed(s, at, size, H5Tget_size(type), values) : size != s->bytes + 4))
      return false;
  }
  *whole = s->packed;
  return true;
}

/* The rows through the library; the frame's own checksum decides where it has one. */
static bool read_by_library(const File *f, hid_t set, hid_t space, hid_t type, const hsize_t *start,
                            const hsize_t *part, void *values) {
  hid_t transfer = H5Pcreate(H5P_DATASET_XFER),
        memory = H5Screate_simple(H5Sget_simple_extent_ndims(space), part, NULL);
  if (f->checked) H5Pset_edc_check(transfer, H5Z_DISABLE_EDC);
  bool done = memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, part, NULL) >= 0 &&
              H5Dread(set, type, memory, space, transfer, values) >= 0;
  if (memory >= 0) H5Sclose(memory);
  H5Pclose(transfer);
  return done;
}

/* Rows [first, first + count) of a data set. Files of earlier versions are read by the library alone. */
static ScreeStatus read_rows(const File *f, const char *name, hid_t type, int width, int64_t first, size_t count,
                             void *values) {
  if (count == 0) return SCREE_OK;
  if (!has_room(4 * count * (size_t)width * sizeof(double))) return no_room(f->path);
  errno = 0;
  hsize_t size[2] = {0, 0}, start[2] = {(hsize_t)first, 0}, part[2] = {count, (hsize_t)width};
  hid_t set = H5Dopen2(f->root, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
  int rank = width > 1 ? 2 : 1;
  bool whole = false, done = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                             H5Sget_simple_extent_dims(space, size, NULL) == rank &&
                             (rank == 1 || size[1] == (hsize_t)width) && first >= 0 && start[0] <= size[0] &&
                             count <= size[0] - start[0];
  Source source = {.set = set, .first = start[0], .count = count};
  done = done && (!f->checked || read_chunks(&source, type, width, values, &whole));
  done = done && (whole || read_by_library(f, set, space, type, start, part, values));
  if (space >= 0) H5Sclose(space);
  if (set >= 0) H5Dclose(set);
  return done ? SCREE_OK : damaged(f, name);
}

static ScreeStatus read_number(const File *f, const char *name, size_t index, int64_t *number) {
  return read_rows(f, name, H5T_NATIVE_INT64, 1, (int64_t)index, 1, number);
}

/* -1: not there. */
static int64_t counter_of(const File *f, const char *name) {
  int64_t count = -1;
  hid_t attribute = f->root >= 0 ? H5Aopen_by_name(f->root, "Steps", name, H5P_DEFAULT, H5P_DEFAULT) : -1;
  if (attribute < 0) return -1;
  if (H5Aread(attribute, H5T_NATIVE_INT64, &count) < 0) count = -1;
  H5Aclose(attribute);
  return count;
}

/* Frames that may be there, whatever was counted. */
static int64_t rows_of(const File *f, const char *name) {
  hsize_t size[2] = {0, 0};
  hid_t set = H5Dopen2(f->root, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
  bool found =
      space >= 0 && H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, size, NULL) == 1;
  if (space >= 0) H5Sclose(space);
  if (set >= 0) H5Dclose(set);
  return found && size[0] < INT64_MAX ? (int64_t)size[0] : -1;
}

static ScreeStatus read_count(File *f, bool salvage, ScreeTimes *times) {
  f->root = H5Gopen2(f->file, "VTKHDF", H5P_DEFAULT);
  f->checked = f->root >= 0 && exists(f->root, "FieldData") && exists(f->root, "FieldData/checksum");
  int64_t count = salvage && f->root >= 0 ? rows_of(f, "Steps/Values") : counter_of(f, "NSteps");
  if (count < 0 || count > 1000 * 1000 * 1000) return damaged(f, salvage ? "Steps/Values" : "Steps/NSteps");
  int64_t sealed = counter_of(f, "Sealed");
  if (!salvage && f->checked != (sealed >= 0)) return damaged(f, "it has lost its checksums");
  if (!salvage && f->checked && (count < sealed || count > sealed + 1))
    return damaged(f, "its counts of frames do not match");
  times->count = (size_t)count;
  times->time = malloc((times->count + 1) * sizeof *times->time);
  if (!times->time) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu frames", times->count);
  return read_rows(f, "Steps/Values", H5T_NATIVE_DOUBLE, 1, 0, times->count, times->time);
}

static ScreeStatus open_file(const char *path, bool salvage, ScreeTimes *times, void **state) {
  File *f = new_file(path);
  if (!f) return SCREE_NO_MEMORY;
  hid_t access = open_access();
  errno = 0;
  f->file = H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  ScreeStatus status = f->file >= 0 ? read_count(f, salvage, times)
                       : errno      ? cannot("read", path)
                                    : damaged(f, "no HDF5 file");
  if (status == SCREE_OK)
    *state = f;
  else
    close_file(f);
  return status;
}

static ScreeStatus read_frame(void *state, size_t index, ScreePolyData *frame, uint64_t *checksum) {
  File *f = state;
  int64_t points = 0, first_point = 0, first_row = 0, sum = 0;
  SCREE_TRY(read_number(f, "NumberOfPoints", index, &points));
  SCREE_TRY(read_number(f, "Steps/PointOffsets", index, &first_point));
  SCREE_TRY(read_number(f, "FieldData/step", index, &frame->step));
  if (f->checked) SCREE_TRY(read_number(f, "FieldData/checksum", index, &sum));
  *checksum = (uint64_t)sum;
  if (points < 0 || points > ((int64_t)1 << 40)) return damaged(f, "NumberOfPoints");
  SCREE_TRY(scree_polydata_resize(frame, (size_t)points / (frame->lines ? 2 : 1)));
  SCREE_TRY(read_rows(f, "Points", H5T_NATIVE_DOUBLE, 3, first_point, (size_t)points, frame->point));
  for (size_t i = 0; i < frame->columns; i++) {
    const ScreeColumn *c = &frame->column[i];
    char name[120];
    snprintf(name, sizeof name, "Steps/%sDataOffsets/%s", frame->lines ? "Cell" : "Point", c->name);
    SCREE_TRY(read_number(f, name, index, &first_row));
    snprintf(name, sizeof name, "%sData/%s", frame->lines ? "Cell" : "Point", c->name);
    SCREE_TRY(read_rows(f, name, memory_type(c->type), c->components, first_row, frame->rows, c->values));
  }
  return SCREE_OK;
}

const ScreeFormat scree_format_vtkhdf = {
    .name = "vtkhdf",
    .ending = "vtkhdf",
    .create = create_file,
    .write = write_frame,
    .open = open_file,
    .mark = mark_file,
    .resume = resume_file,
    .read = read_frame,
    .close = close_file,
};
