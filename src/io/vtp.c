/* vtp.c: VTK's XML files: a .vtp per frame and a .pvd that lists them; also surfaces of walls.
 *
 * The numbers stand behind the XML, compressed by zlib in blocks. Each array begins with a header of 64-bit numbers:
 * how many blocks, their size, the size of the last one where it is smaller (0: it is not), the compressed size of
 * each. Every file, the .pvd too, is written aside and renamed. The checksum of a frame stands among its field data,
 * that of the list in a comment at its end. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/format.h"

#include "core/checksum.h"
#include "core/status.h"
#include "io/aside.h"
#include "io/digits.h"
#include "io/wall_mesh.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define BLOCK ((size_t)1 << 20)
#define COMPRESSION 4
#define MAX_ARRAYS (SCREE_MAX_COLUMNS + 6)

static const char *const type_names[] = {"Int32", "Int64", "Float64"};

/* ---- arrays behind the XML ---- */

typedef struct Array {
  const char *section, *name;
  ScreeColumnType type;
  int components;
  size_t rows;
  const void *values;
  unsigned char *packed;
  size_t size;
} Array;

static size_t array_bytes(const Array *a) { return a->rows * (size_t)a->components * scree_column_size(a->type); }

static ScreeStatus pack(Array *a) {
  size_t bytes = array_bytes(a), blocks = (bytes + BLOCK - 1) / BLOCK;
  size_t header = 8 * (3 + blocks), room = header + blocks * compressBound(BLOCK);
  a->packed = malloc(room);
  if (!a->packed) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu bytes of a frame", bytes);
  uint64_t first[3] = {blocks, BLOCK, bytes % BLOCK};
  memcpy(a->packed, first, sizeof first);
  a->size = header;
  for (size_t i = 0; i < blocks; i++) {
    size_t length = i + 1 < blocks || bytes % BLOCK == 0 ? BLOCK : bytes % BLOCK;
    uLongf packed = (uLongf)(room - a->size);
    if (compress2(a->packed + a->size, &packed, (const Bytef *)a->values + i * BLOCK, length, COMPRESSION) != Z_OK)
      return scree_fail(SCREE_NO_MEMORY, "no memory to compress a frame");
    uint64_t size = packed;
    memcpy(a->packed + 8 * (3 + i), &size, sizeof size);
    a->size += packed;
  }
  return SCREE_OK;
}

/* ---- one file ---- */

typedef struct Piece {
  double time;
  int64_t step;
  uint64_t checksum;
  bool timed;
  size_t points, verts, lines, polys;
  size_t count;
  Array array[MAX_ARRAYS];
} Piece;

static void add_array(Piece *p, const char *section, const char *name, ScreeColumnType type, int components,
                      size_t rows, const void *values) {
  p->array[p->count++] = (Array){section, name, type, components, rows, values, NULL, 0};
}

static void put_header(const Piece *p, FILE *stream) {
  const char *open = "";
  size_t offset = 0;
  fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n",
        stream);
  if (p->timed)
    fprintf(stream,
            "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%s"
            "</DataArray>\n<DataArray type=\"Int64\" Name=\"step\" NumberOfTuples=\"1\" format=\"ascii\">%lld"
            "</DataArray>\n<DataArray type=\"Int64\" Name=\"checksum\" NumberOfTuples=\"1\" format=\"ascii\">%lld"
            "</DataArray>\n</FieldData>\n",
            scree_digits(p->time).text, (long long)p->step, (long long)p->checksum);
  fprintf(stream,
          "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" NumberOfStrips=\"0\" "
          "NumberOfPolys=\"%zu\">\n",
          p->points, p->verts, p->lines, p->polys);
  for (size_t i = 0; i < p->count; i++) {
    const Array *a = &p->array[i];
    if (strcmp(open, a->section) != 0) {
      if (*open) fprintf(stream, "</%s>\n", open);
      fprintf(stream, "<%s>\n", a->section);
      open = a->section;
    }
    fprintf(stream,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%zu\"/>\n",
            type_names[a->type], a->name, a->components, offset);
    offset += a->size;
  }
  fprintf(stream, "</%s>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", open);
}

/* Packs, writes, and frees what was packed. */
static ScreeStatus write_piece(Piece *p, const char *path) {
  ScreeStatus status = SCREE_OK;
  ScreeAside file = {0};
  for (size_t i = 0; i < p->count && status == SCREE_OK; i++) status = pack(&p->array[i]);
  if (status == SCREE_OK) status = scree_aside_open(&file, path);
  if (status == SCREE_OK) {
    put_header(p, file.stream);
    for (size_t i = 0; i < p->count; i++) fwrite(p->array[i].packed, 1, p->array[i].size, file.stream);
    fputs("\n</AppendedData>\n</VTKFile>\n", file.stream);
    status = scree_aside_commit(&file);
  }
  for (size_t i = 0; i < p->count; i++) free(p->array[i].packed);
  return status;
}

static int64_t *sequence(int64_t first, int64_t stride, size_t count) {
  int64_t *numbers = malloc((count ? count : 1) * sizeof *numbers);
  for (size_t i = 0; numbers && i < count; i++) numbers[i] = first + stride * (int64_t)i;
  return numbers;
}

/* One vertex per point, or lines of two points. */
static ScreeStatus write_frame_file(const char *path, const ScreePolyData *f, size_t number) {
  Piece p = {.time = f->time, .step = f->step, .timed = true, .points = f->points};
  p.checksum = scree_polydata_checksum(f, number);
  *(f->lines ? &p.lines : &p.verts) = f->rows;
  int64_t *connectivity = sequence(0, 1, f->points), *offsets = sequence(f->lines ? 2 : 1, f->lines ? 2 : 1, f->rows);
  ScreeStatus status = SCREE_OK;
  if (!connectivity || !offsets) status = scree_fail(SCREE_NO_MEMORY, "no memory for a frame of %zu rows", f->rows);
  for (size_t i = 0; i < f->columns; i++) {
    const ScreeColumn *c = &f->column[i];
    add_array(&p, f->lines ? "CellData" : "PointData", c->name, c->type, c->components, f->rows, c->values);
  }
  add_array(&p, "Points", "Points", SCREE_COLUMN_DOUBLE, 3, f->points, f->point);
  add_array(&p, f->lines ? "Lines" : "Verts", "connectivity", SCREE_COLUMN_INT64, 1, f->points, connectivity);
  add_array(&p, f->lines ? "Lines" : "Verts", "offsets", SCREE_COLUMN_INT64, 1, f->rows, offsets);
  if (status == SCREE_OK) status = write_piece(&p, path);
  free(connectivity);
  free(offsets);
  return status;
}

ScreeStatus scree_vtp_write_surface(const char *path, const ScreeSurface *s) {
  if (s->failed) return scree_fail(SCREE_NO_MEMORY, "no memory for the walls");
  Piece p = {.points = s->points, .polys = s->polygons};
  add_array(&p, "CellData", "wall", SCREE_COLUMN_INT32, 1, s->polygons, s->wall);
  if (s->work[0]) add_array(&p, "CellData", "normal_work", SCREE_COLUMN_DOUBLE, 1, s->polygons, s->work[0]);
  if (s->work[1]) add_array(&p, "CellData", "shear_work", SCREE_COLUMN_DOUBLE, 1, s->polygons, s->work[1]);
  add_array(&p, "Points", "Points", SCREE_COLUMN_DOUBLE, 3, s->points, s->point);
  add_array(&p, "Polys", "connectivity", SCREE_COLUMN_INT64, 1, s->corners, s->corner);
  add_array(&p, "Polys", "offsets", SCREE_COLUMN_INT64, 1, s->polygons, s->end);
  return write_piece(&p, path);
}

/* ---- the list of frames ---- */

typedef struct File {
  char *path; /* of the .pvd */
  size_t count, capacity;
  double *time; /* when writing: all of them, for the list */
  char **name;  /* when reading: files of the frames */
} File;

static ScreeStatus no_memory(void) { return scree_fail(SCREE_NO_MEMORY, "no memory for a trajectory"); }

static ScreeStatus close_file(void *state) {
  File *f = state;
  for (size_t i = 0; i < f->count && f->name; i++) free(f->name[i]);
  free(f->name), free(f->time), free(f->path), free(f);
  return SCREE_OK;
}

static int stem_length(const char *path) {
  const char *dot = strrchr(path, '.');
  return (int)(dot ? (size_t)(dot - path) : strlen(path));
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

#define SEAL "<!-- checksum %016" PRIx64 " -->\n"
#define END "</VTKFile>\n"

/* The list but for its checksum and its end. */
static bool list_text(const char *name, const double *time, size_t count, char **text, size_t *length) {
  FILE *stream = open_memstream(text, length);
  if (!stream) return false;
  fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
        "<Collection>\n",
        stream);
  for (size_t i = 0; i < count; i++)
    fprintf(stream, "<DataSet timestep=\"%s\" group=\"\" part=\"0\" file=\"%.*s_%06zu.vtp\"/>\n",
            scree_digits(time[i]).text, stem_length(name), name, i);
  fputs("</Collection>\n", stream);
  bool done = !ferror(stream);
  return fclose(stream) == 0 && done;
}

ScreeStatus scree_vtp_write_list(const char *path, const double *time, size_t count) {
  char *text = NULL;
  size_t length = 0;
  ScreeAside file;
  if (!list_text(base_name(path), time, count, &text, &length)) return no_memory();
  ScreeStatus status = scree_aside_open(&file, path);
  if (status == SCREE_OK) {
    fwrite(text, 1, length, file.stream);
    fprintf(file.stream, SEAL END, scree_checksum(SCREE_CHECKSUM_START, text, length));
    status = scree_aside_commit(&file);
  }
  free(text);
  return status;
}

static ScreeStatus write_list(const File *f) { return scree_vtp_write_list(f->path, f->time, f->count); }

static ScreeStatus create_file(const char *path, const ScreePolyData *frame, void **state) {
  (void)frame;
  File *f = calloc(1, sizeof *f);
  if (!f || !(f->path = strdup(path))) return free(f), no_memory();
  ScreeStatus status = write_list(f);
  if (status == SCREE_OK)
    *state = f;
  else
    close_file(f);
  return status;
}

/* The frame first, then the list that names it. */
static ScreeStatus write_frame(void *state, const ScreePolyData *frame) {
  File *f = state;
  char *path;
  if (f->count == f->capacity) {
    size_t capacity = f->capacity ? 2 * f->capacity : 64;
    double *time = realloc(f->time, capacity * sizeof *time);
    if (!time) return no_memory();
    f->time = time;
    f->capacity = capacity;
  }
  if (asprintf(&path, "%.*s_%06zu.vtp", stem_length(f->path), f->path, f->count) < 0) return no_memory();
  ScreeStatus status = write_frame_file(path, frame, f->count);
  free(path);
  SCREE_TRY(status);
  f->time[f->count++] = frame->time;
  return write_list(f);
}

/* ---- marks: the times of the frames, whose files are on disk and stay as they are ---- */

static ScreeStatus sync_folder_of(const char *path) {
  char *folder;
  int length = (int)(base_name(path) - path);
  if ((length ? asprintf(&folder, "%.*s", length, path) : asprintf(&folder, ".")) < 0) return no_memory();
  ScreeStatus status = scree_sync_folder(folder);
  free(folder);
  return status;
}

static ScreeStatus mark_file(void *state, void **data, size_t *size) {
  File *f = state;
  SCREE_TRY(sync_folder_of(f->path));
  *size = f->count * sizeof *f->time;
  *data = malloc(*size + 1);
  if (!*data) return no_memory();
  if (f->count) memcpy(*data, f->time, *size);
  return SCREE_OK;
}

static ScreeStatus need_frames(const File *f) {
  for (size_t i = 0; i < f->count; i++) {
    char *path;
    if (asprintf(&path, "%.*s_%06zu.vtp", stem_length(f->path), f->path, i) < 0) return no_memory();
    bool there = access(path, F_OK) == 0;
    if (!there) scree_fail(SCREE_FILE, "cannot go on with %.300s: %.300s is missing", f->path, path);
    free(path);
    if (!there) return SCREE_FILE;
  }
  return SCREE_OK;
}

/* Frames that came after the mark. */
static ScreeStatus drop_frames(const File *f) {
  for (size_t i = f->count;; i++) {
    char *path;
    if (asprintf(&path, "%.*s_%06zu.vtp", stem_length(f->path), f->path, i) < 0) return no_memory();
    int failed = unlink(path);
    free(path);
    if (failed) return SCREE_OK;
  }
}

static ScreeStatus resume_file(const char *path, const ScreePolyData *frame, const void *data, size_t size,
                               void **state) {
  (void)frame;
  if (size % sizeof(double) != 0) return scree_fail(SCREE_FILE, "what was kept of %.300s makes no sense", path);
  File *f = calloc(1, sizeof *f);
  if (!f || !(f->path = strdup(path)) || !(f->time = malloc(size + sizeof *f->time))) {
    if (f) close_file(f);
    return no_memory();
  }
  f->count = size / sizeof *f->time, f->capacity = f->count + 1;
  if (size) memcpy(f->time, data, size);
  ScreeStatus status = need_frames(f);
  if (status == SCREE_OK) status = write_list(f);
  if (status == SCREE_OK) status = drop_frames(f);
  if (status == SCREE_OK)
    *state = f;
  else
    close_file(f);
  return status;
}

/* ---- reading: what this file writes, and little more ---- */

static ScreeStatus damaged(const char *path, const char *what) {
  return scree_fail(SCREE_FILE, "%.300s is damaged, or not of scree: %s", path, what);
}

static ScreeStatus read_whole(const char *path, char **text, size_t *length) {
  FILE *stream = fopen(path, "rb");
  if (!stream) return scree_fail(SCREE_FILE, "cannot read %.300s: %s", path, strerror(errno));
  long size = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
  rewind(stream);
  *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
  *length = *text ? fread(*text, 1, (size_t)size, stream) : 0;
  bool done = *text && *length == (size_t)size;
  if (*text) (*text)[*length] = '\0';
  fclose(stream);
  if (done) return SCREE_OK;
  free(*text);
  return scree_fail(SCREE_FILE, "cannot read %.300s", path);
}

/* The value of an attribute within the tag that begins at `tag`; its length in *length. NULL: not there. */
static const char *attribute(const char *tag, const char *name, size_t *length) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, " %s=\"", name);
  const char *end = strchr(tag, '>'), *at = strstr(tag, wanted);
  if (!end || !at || at > end) return NULL;
  at += strlen(wanted);
  const char *quote = strchr(at, '"');
  if (!quote || quote > end) return NULL;
  *length = (size_t)(quote - at);
  return at;
}

static bool number_attribute(const char *tag, const char *name, unsigned long long *number) {
  size_t length;
  const char *text = attribute(tag, name, &length);
  return text && sscanf(text, "%llu", number) == 1;
}

static ScreeStatus add_frame(File *f, ScreeTimes *times, double time, const char *name, size_t length) {
  if (times->count == f->capacity) {
    size_t capacity = f->capacity ? 2 * f->capacity : 64;
    double *grown = realloc(times->time, capacity * sizeof *grown);
    if (grown) times->time = grown;
    char **names = realloc(f->name, capacity * sizeof *names);
    if (names) f->name = names;
    if (!grown || !names) return no_memory();
    f->capacity = capacity;
  }
  const char *folder = f->path;
  int prefix = (int)(base_name(folder) - folder);
  if (asprintf(&f->name[f->count], "%.*s%.*s", prefix, folder, (int)length, name) < 0) return no_memory();
  f->count++;
  times->time[times->count++] = time;
  return SCREE_OK;
}

/* The end of the list as this file writes it: with the checksum of all before, or, as once, without. */
static ScreeStatus check_list(const char *path, const char *text, size_t length) {
  static const char older[] = "</Collection>\n" END;
  char seal[64];
  size_t size = (size_t)snprintf(seal, sizeof seal, SEAL END, (uint64_t)0);
  if (length >= sizeof older - 1 && strcmp(text + length - (sizeof older - 1), older) == 0) return SCREE_OK;
  if (length < size) return damaged(path, "it is cut off");
  snprintf(seal, sizeof seal, SEAL END, scree_checksum(SCREE_CHECKSUM_START, text, length - size));
  return strcmp(text + length - size, seal) == 0 ? SCREE_OK : damaged(path, "its checksum does not match");
}

/* The files that a list would name, whose times they hold themselves. */
static ScreeStatus find_frames(File *f, ScreeTimes *times) {
  const char *base = base_name(f->path);
  ScreeStatus status = SCREE_OK;
  for (bool there = true; there && status == SCREE_OK;) {
    char *path;
    if (asprintf(&path, "%.*s_%06zu.vtp", stem_length(f->path), f->path, f->count) < 0) return no_memory();
    there = access(path, F_OK) == 0;
    const char *name = path + (base - f->path);
    if (there) status = add_frame(f, times, NAN, name, strlen(name));
    free(path);
  }
  return status;
}

static ScreeStatus read_list(File *f, ScreeTimes *times) {
  char *text;
  size_t length;
  SCREE_TRY(read_whole(f->path, &text, &length));
  ScreeStatus status = check_list(f->path, text, length);
  for (const char *at = text; status == SCREE_OK && (at = strstr(at, "<DataSet ")); at++) {
    double time;
    const char *timestep = attribute(at, "timestep", &length);
    bool timed = timestep && sscanf(timestep, "%lf", &time) == 1;
    const char *name = attribute(at, "file", &length);
    status =
        timed && name ? add_frame(f, times, time, name, length) : damaged(f->path, "a DataSet without time or file");
  }
  free(text);
  return status;
}

static ScreeStatus open_file(const char *path, bool salvage, ScreeTimes *times, void **state) {
  File *f = calloc(1, sizeof *f);
  ScreeStatus status = f && (f->path = strdup(path)) ? SCREE_OK : no_memory();
  if (status == SCREE_OK) status = salvage ? find_frames(f, times) : read_list(f, times);
  if (status == SCREE_OK)
    *state = f;
  else if (f)
    close_file(f);
  return status;
}

typedef struct Text {
  const char *path, *xml;
  const unsigned char *data; /* the appended part */
  size_t length;             /* of it */
} Text;

static ScreeStatus unpack(const Text *t, const char *tag, const char *name, void *values, size_t bytes) {
  unsigned long long offset = 0;
  uint64_t head[3], size;
  if (!number_attribute(tag, "offset", &offset) || offset > t->length || t->length - offset < sizeof head)
    return damaged(t->path, name);
  const unsigned char *at = t->data + offset, *sizes = at + sizeof head, *end = t->data + t->length;
  memcpy(head, at, sizeof head);
  if (bytes == 0) return SCREE_OK;
  if (head[1] == 0 || head[2] != bytes % head[1] || head[0] != (bytes + head[1] - 1) / head[1] ||
      head[0] > (uint64_t)(end - sizes) / 8)
    return damaged(t->path, name);
  at = sizes + 8 * head[0];
  for (uint64_t i = 0; i < head[0]; i++) {
    memcpy(&size, sizes + 8 * i, sizeof size);
    uint64_t start = i * head[1], wanted = bytes - start < head[1] ? bytes - start : head[1];
    uLongf got = (uLongf)wanted;
    if (size > (uint64_t)(end - at) || uncompress((Bytef *)values + start, &got, at, (uLong)size) != Z_OK ||
        got != wanted)
      return damaged(t->path, name);
    at += size;
  }
  return SCREE_OK;
}

static ScreeStatus read_array(const Text *t, const char *name, ScreeColumnType type, int components, size_t rows,
                              void *values) {
  char wanted[120];
  snprintf(wanted, sizeof wanted, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"", type_names[type],
           name, components);
  const char *tag = strstr(t->xml, wanted);
  if (!tag) return damaged(t->path, name);
  return unpack(t, tag, name, values, rows * (size_t)components * scree_column_size(type));
}

/* The text between the tags of a field; NULL: not there. */
static const char *field(const Text *t, const char *name) {
  char wanted[40];
  snprintf(wanted, sizeof wanted, "Name=\"%s\"", name);
  const char *at = strstr(t->xml, wanted);
  at = at ? strchr(at, '>') : NULL;
  return at ? at + 1 : NULL;
}

/* Files of earlier versions have no checksum. */
static ScreeStatus read_fields(const Text *t, ScreePolyData *frame, uint64_t *checksum) {
  const char *time = field(t, "TimeValue"), *step = field(t, "step"), *sum = field(t, "checksum");
  long long number = 0, sealed = 0;
  double own;
  if (!step || sscanf(step, "%lld", &number) != 1) return damaged(t->path, "step");
  if (!time || sscanf(time, "%lf", &own) != 1) return damaged(t->path, "TimeValue");
  if (isnan(frame->time)) frame->time = own; /* salvaged */
  if (own != frame->time) return damaged(t->path, "its time is not that of the list");
  if (sum && sscanf(sum, "%lld", &sealed) != 1) return damaged(t->path, "checksum");
  frame->step = number;
  *checksum = (uint64_t)sealed;
  return SCREE_OK;
}

static ScreeStatus read_arrays(const Text *t, ScreePolyData *frame) {
  const char *piece = strstr(t->xml, "<Piece ");
  unsigned long long points;
  if (!piece || !number_attribute(piece, "NumberOfPoints", &points)) return damaged(t->path, "Piece");
  if (points / 1100 > t->length) return damaged(t->path, "NumberOfPoints"); /* zlib packs no better */
  SCREE_TRY(scree_polydata_resize(frame, (size_t)points / (frame->lines ? 2 : 1)));
  SCREE_TRY(read_array(t, "Points", SCREE_COLUMN_DOUBLE, 3, frame->points, frame->point));
  for (size_t i = 0; i < frame->columns; i++) {
    const ScreeColumn *c = &frame->column[i];
    SCREE_TRY(read_array(t, c->name, c->type, c->components, frame->rows, c->values));
  }
  return SCREE_OK;
}

static ScreeStatus read_frame(void *state, size_t index, ScreePolyData *frame, uint64_t *checksum) {
  File *f = state;
  char *text;
  size_t length;
  SCREE_TRY(read_whole(f->name[index], &text, &length));
  static const char mark[] = "<AppendedData encoding=\"raw\">\n_";
  char *appended = strstr(text, mark);
  ScreeStatus status = appended ? SCREE_OK : damaged(f->name[index], "AppendedData");
  if (appended) {
    const char *data = appended + strlen(mark);
    *appended = '\0'; /* the XML ends here */
    Text t = {f->name[index], text, (const unsigned char *)data, length - (size_t)(data - text)};
    status = read_fields(&t, frame, checksum);
    if (status == SCREE_OK) status = read_arrays(&t, frame);
  }
  free(text);
  return status;
}

const ScreeFormat scree_format_vtp = {
    .name = "vtp",
    .ending = "pvd",
    .create = create_file,
    .write = write_frame,
    .mark = mark_file,
    .resume = resume_file,
    .open = open_file,
    .read = read_frame,
    .close = close_file,
};
