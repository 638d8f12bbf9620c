/* trajectory.c: the table of formats, and what the world is as frames. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/trajectory.h"

#include "core/status.h"
#include "io/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- formats ---- */

static const ScreeFormat no_format = {.name = "none"};

static const ScreeFormat *const formats[] = {&scree_format_vtkhdf, &scree_format_vtp, &no_format};
#define FORMAT_COUNT ((int)(sizeof formats / sizeof *formats))

static const char *const patterns[] = {"trajectory.vtkhdf", "trajectory.pvd", "trajectory_*.vtp", "contacts.vtkhdf",
                                       "contacts.pvd",      "contacts_*.vtp", "walls.vtp",        "walls.pvd",
                                       "walls_*.vtp",       "wear.vtp"};

const char *scree_format_name(int format) { return format >= 0 && format < FORMAT_COUNT ? formats[format]->name : ""; }

const char *scree_format_words(void) {
  static _Thread_local char words[80];
  words[0] = '\0';
  for (int i = 0; i < FORMAT_COUNT; i++) {
    if (i) strncat(words, "|", sizeof words - strlen(words) - 1);
    strncat(words, formats[i]->name, sizeof words - strlen(words) - 1);
  }
  return words;
}

bool scree_format_writes(int format) { return format >= 0 && format < FORMAT_COUNT && formats[format]->create; }

const char *scree_format_pattern(int index) {
  return index < (int)(sizeof patterns / sizeof *patterns) ? patterns[index] : NULL;
}

/* ---- files ---- */

struct ScreeTrajectory {
  const ScreeFormat *format;
  char *path;
  void *state;
  ScreeTimes times; /* when reading */
};

static ScreeTrajectory *new_trajectory(const char *folder, const char *stem, const ScreeFormat *format) {
  ScreeTrajectory *t = calloc(1, sizeof *t);
  if (!t || asprintf(&t->path, "%s/%s.%s", folder, stem, format->ending) < 0) {
    scree_fail(SCREE_NO_MEMORY, "no memory for a trajectory");
    free(t);
    return NULL;
  }
  t->format = format;
  return t;
}

ScreeStatus scree_trajectory_create(const char *folder, const char *stem, int format, const ScreePolyData *frame,
                                    ScreeTrajectory **trajectory) {
  if (!scree_format_writes(format)) return scree_fail(SCREE_UNSUPPORTED, "this format writes no files");
  ScreeTrajectory *t = new_trajectory(folder, stem, formats[format]);
  if (!t) return SCREE_NO_MEMORY;
  ScreeStatus status = t->format->create(t->path, frame, &t->state);
  if (status == SCREE_OK)
    *trajectory = t;
  else
    scree_trajectory_close(t);
  return status;
}

ScreeStatus scree_trajectory_write(ScreeTrajectory *t, const ScreePolyData *frame) {
  return t->format->write(t->state, frame);
}

ScreeStatus scree_trajectory_mark(ScreeTrajectory *t, void **data, size_t *size) {
  return t->format->mark(t->state, data, size);
}

ScreeStatus scree_trajectory_resume(const char *folder, const char *stem, int format, const ScreePolyData *frame,
                                    const void *data, size_t size, ScreeTrajectory **trajectory) {
  if (!scree_format_writes(format)) return scree_fail(SCREE_UNSUPPORTED, "this format writes no files");
  ScreeTrajectory *t = new_trajectory(folder, stem, formats[format]);
  if (!t) return SCREE_NO_MEMORY;
  ScreeStatus status = t->format->resume(t->path, frame, data, size, &t->state);
  if (status == SCREE_OK)
    *trajectory = t;
  else
    scree_trajectory_close(t);
  return status;
}

static ScreeStatus open_any(const char *folder, const char *stem, bool salvage, ScreeTrajectory **trajectory) {
  for (int i = 0; i < FORMAT_COUNT; i++) {
    if (!formats[i]->open) continue;
    ScreeTrajectory *t = new_trajectory(folder, stem, formats[i]);
    if (!t) return SCREE_NO_MEMORY;
    bool exists = access(t->path, F_OK) == 0;
    ScreeStatus status = exists ? t->format->open(t->path, salvage, &t->times, &t->state) : SCREE_OK;
    if (exists && status == SCREE_OK) return *trajectory = t, SCREE_OK;
    scree_trajectory_close(t);
    SCREE_TRY(status);
  }
  return scree_fail(SCREE_FILE, "%s holds no trajectory", folder);
}

ScreeStatus scree_trajectory_open(const char *folder, const char *stem, ScreeTrajectory **trajectory) {
  return open_any(folder, stem, false, trajectory);
}

ScreeStatus scree_trajectory_salvage(const char *folder, const char *stem, ScreeTrajectory **trajectory) {
  return open_any(folder, stem, true, trajectory);
}

size_t scree_trajectory_frames(const ScreeTrajectory *t) { return t->times.count; }

double scree_trajectory_time(const ScreeTrajectory *t, size_t frame) { return t->times.time[frame]; }

const char *scree_trajectory_path(const ScreeTrajectory *t) { return t->path; }

ScreeStatus scree_trajectory_read(ScreeTrajectory *t, size_t index, ScreePolyData *frame) {
  if (index >= t->times.count)
    return scree_fail(SCREE_INVALID, "%s has %zu frames: no frame %zu", t->path, t->times.count, index);
  uint64_t sum = 0;
  frame->time = t->times.time[index];
  ScreeStatus status = t->format->read(t->state, index, frame, &sum);
  if (status == SCREE_OK && sum != 0 && sum != scree_polydata_checksum(frame, index))
    status = scree_fail(SCREE_FILE, "%.300s is damaged: the checksum does not match the values", t->path);
  if (status != SCREE_FILE) return status;
  char why[450];
  snprintf(why, sizeof why, "%s", scree_last_error());
  return scree_fail(status, "frame %zu: %s", index, why);
}

ScreeStatus scree_trajectory_close(ScreeTrajectory *t) {
  if (!t) return SCREE_OK;
  ScreeStatus status = t->state ? t->format->close(t->state) : SCREE_OK;
  free(t->times.time);
  free(t->path);
  free(t);
  return status;
}

/* ---- frames ---- */

const ScreeFieldInfo scree_fields[SCREE_FIELD_COUNT] = {
#define FIELD(name, type, components, unit, column, help)                                                              \
  [SCREE_FIELD_##name] = {#name, SCREE_COLUMN_##type, components, unit, column, help},
#include "io/fields.def"
};

ScreePolyData scree_frame_of_grains(void) {
  ScreePolyData frame = {0};
  for (int i = 0; i < SCREE_FIELD_COUNT; i++) {
    const ScreeFieldInfo *f = &scree_fields[i];
    scree_polydata_add(&frame, f->name, f->type, f->components, f->unit);
  }
  return frame;
}

ScreeStatus scree_frame_take_grains(ScreePolyData *frame, const ScreeWorld *world, int64_t step, double time) {
  size_t count = scree_world_count(world);
  SCREE_TRY(scree_polydata_resize(frame, count));
  frame->step = step;
  frame->time = time;
  ScreeGrain *grains = malloc((count ? count : 1) * sizeof *grains);
  ScreeGrainLoad *loads = malloc((count ? count : 1) * sizeof *loads);
  ScreeStatus status = grains && loads ? SCREE_OK : scree_fail(SCREE_NO_MEMORY, "no memory for %zu grains", count);
  if (status == SCREE_OK) status = scree_world_read(world, grains);
  if (status == SCREE_OK) status = scree_world_read_loads(world, loads);
  void *const values[SCREE_FIELD_COUNT] = {
#define FIELD(name, ...) [SCREE_FIELD_##name] = frame->column[SCREE_FIELD_##name].values,
#include "io/fields.def"
  };
  for (size_t i = 0; i < count && status == SCREE_OK; i++) {
    const ScreeGrain *g = &grains[i];
    ((int64_t *)values[SCREE_FIELD_id])[i] = (int64_t)g->id;
    ((int32_t *)values[SCREE_FIELD_type])[i] = g->material;
    ((double *)values[SCREE_FIELD_radius])[i] = g->radius;
    ((int32_t *)values[SCREE_FIELD_contacts])[i] = loads[i].contacts;
    for (size_t k = 0; k < 3; k++) {
      frame->point[3 * i + k] = g->position[k];
      ((double *)values[SCREE_FIELD_velocity])[3 * i + k] = g->velocity[k];
      ((double *)values[SCREE_FIELD_angular_velocity])[3 * i + k] = g->spin[k];
      ((double *)values[SCREE_FIELD_force])[3 * i + k] = loads[i].force[k];
    }
  }
  free(grains);
  free(loads);
  return status;
}

enum { CONTACT_first, CONTACT_second, CONTACT_wall, CONTACT_normal_force, CONTACT_overlap, CONTACT_friction };

ScreePolyData scree_frame_of_contacts(void) {
  ScreePolyData frame = {.lines = true};
  scree_polydata_add(&frame, "first", SCREE_COLUMN_INT64, 1, "");
  scree_polydata_add(&frame, "second", SCREE_COLUMN_INT64, 1, "");
  scree_polydata_add(&frame, "wall", SCREE_COLUMN_INT32, 1, "");
  scree_polydata_add(&frame, "normal_force", SCREE_COLUMN_DOUBLE, 1, "N");
  scree_polydata_add(&frame, "overlap", SCREE_COLUMN_DOUBLE, 1, "m");
  scree_polydata_add(&frame, "friction", SCREE_COLUMN_DOUBLE, 3, "N");
  return frame;
}

/* The row of a grain; rows are in order of ids. */
static size_t row_of(const ScreePolyData *grains, int64_t id) {
  const int64_t *ids = grains->column[SCREE_FIELD_id].values;
  size_t low = 0, high = grains->rows;
  while (low + 1 < high) {
    size_t middle = (low + high) / 2;
    if (ids[middle] <= id)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* From the first's centre along the normal, so that a line across a periodic side stays short. */
static void put_contact(ScreePolyData *frame, size_t i, const ScreeContact *c, const ScreePolyData *grains) {
  const double *radii = grains->column[SCREE_FIELD_radius].values;
  size_t first = row_of(grains, (int64_t)c->first), second = c->wall ? first : row_of(grains, (int64_t)c->second);
  double reach = radii[first] - c->overlap + (c->wall ? 0 : radii[second]);
  const double *x = &grains->point[3 * first];
  for (size_t k = 0; k < 3; k++) {
    frame->point[6 * i + k] = x[k];
    frame->point[6 * i + 3 + k] = x[k] + reach * c->normal[k];
    ((double *)frame->column[CONTACT_friction].values)[3 * i + k] = c->friction[k];
  }
  ((int64_t *)frame->column[CONTACT_first].values)[i] = (int64_t)c->first;
  ((int64_t *)frame->column[CONTACT_second].values)[i] = (int64_t)c->second;
  ((int32_t *)frame->column[CONTACT_wall].values)[i] = c->wall;
  ((double *)frame->column[CONTACT_normal_force].values)[i] = c->force;
  ((double *)frame->column[CONTACT_overlap].values)[i] = c->overlap;
}

ScreeStatus scree_frame_take_contacts(ScreePolyData *frame, const ScreeWorld *world, const ScreePolyData *grains) {
  size_t count = scree_world_contact_count(world);
  SCREE_TRY(scree_polydata_resize(frame, count));
  frame->step = grains->step;
  frame->time = grains->time;
  ScreeContact *contacts = malloc((count ? count : 1) * sizeof *contacts);
  if (!contacts) return scree_fail(SCREE_NO_MEMORY, "no memory for %zu contacts", count);
  ScreeStatus status = scree_world_read_contacts(world, contacts);
  for (size_t i = 0; i < count && status == SCREE_OK; i++) put_contact(frame, i, &contacts[i], grains);
  free(contacts);
  return status;
}
