/* polydata.c: see polydata.h. */
#include "io/polydata.h"

#include "core/checksum.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void scree_polydata_add(ScreePolyData *d, const char *name, ScreeColumnType type, int components, const char *unit) {
  if (d->columns == SCREE_MAX_COLUMNS) return;
  d->column[d->columns++] = (ScreeColumn){.name = name, .unit = unit, .type = type, .components = components};
}

static bool grow(void **array, size_t bytes) {
  void *grown = realloc(*array, bytes ? bytes : 1);
  if (grown) *array = grown;
  return grown != NULL;
}

ScreeStatus scree_polydata_resize(ScreePolyData *d, size_t rows) {
  size_t per_row = d->lines ? 2 : 1;
  if (rows > d->capacity || !d->point) {
    bool done = rows < SIZE_MAX / 64 && grow((void **)&d->point, rows * per_row * 3 * sizeof *d->point);
    for (size_t i = 0; i < d->columns && done; i++) {
      ScreeColumn *c = &d->column[i];
      done = grow(&c->values, rows * (size_t)c->components * scree_column_size(c->type));
    }
    if (!done) return scree_fail(SCREE_NO_MEMORY, "no memory for a frame of %zu rows", rows);
    d->capacity = rows;
  }
  d->rows = rows;
  d->points = rows * per_row;
  return SCREE_OK;
}

int scree_polydata_find(const ScreePolyData *d, const char *name) {
  for (size_t i = 0; i < d->columns; i++)
    if (strcmp(d->column[i].name, name) == 0) return (int)i;
  return -1;
}

double scree_polydata_value(const ScreePolyData *d, int column, size_t row, int component) {
  const ScreeColumn *c = &d->column[column];
  if (c->components == 3 && component < 0) {
    const double *v = (const double *)c->values + 3 * row;
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
  size_t i = row * (size_t)c->components + (size_t)(component < 0 ? 0 : component);
  switch (c->type) {
  case SCREE_COLUMN_INT32: return ((const int32_t *)c->values)[i];
  case SCREE_COLUMN_INT64: return (double)((const int64_t *)c->values)[i];
  default: return ((const double *)c->values)[i];
  }
}

uint64_t scree_polydata_checksum(const ScreePolyData *d, size_t frame) {
  uint64_t head[] = {frame, 0, (uint64_t)d->step, d->rows, d->points, d->columns};
  memcpy(&head[1], &d->time, sizeof d->time);
  uint64_t sum = scree_checksum(SCREE_CHECKSUM_START, head, sizeof head);
  sum = scree_checksum(sum, d->point, 3 * d->points * sizeof *d->point);
  for (size_t i = 0; i < d->columns; i++) {
    const ScreeColumn *c = &d->column[i];
    sum = scree_checksum(sum, c->values, d->rows * (size_t)c->components * scree_column_size(c->type));
  }
  return sum;
}

void scree_polydata_free(ScreePolyData *d) {
  free(d->point);
  for (size_t i = 0; i < d->columns; i++) free(d->column[i].values);
  *d = (ScreePolyData){0};
}
