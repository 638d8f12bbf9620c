/* polydata.h: what one frame of a trajectory is to a file: points or lines, and columns of values that go with them. */
#ifndef SCREE_POLYDATA_H
#define SCREE_POLYDATA_H

#include "scree/base.h"

typedef enum ScreeColumnType { SCREE_COLUMN_INT32, SCREE_COLUMN_INT64, SCREE_COLUMN_DOUBLE } ScreeColumnType;

typedef struct ScreeColumn {
  const char *name, *unit; /* "" where there is none; both must outlive the frame */
  ScreeColumnType type;
  int components; /* 1 or 3 */
  void *values;   /* rows x components */
} ScreeColumn;

#define SCREE_MAX_COLUMNS 12

/* Points: one row of each column per point. Lines: line i joins the points 2i and 2i + 1, one row per line. */
typedef struct ScreePolyData {
  double time; /* s */
  int64_t step;
  bool lines;
  bool varies; /* the number of rows changes from frame to frame */
  size_t points, rows;
  double *point; /* points x 3, m */
  size_t columns;
  ScreeColumn column[SCREE_MAX_COLUMNS];
  size_t capacity; /* rows that fit */
} ScreePolyData;

static inline size_t scree_column_size(ScreeColumnType type) { return type == SCREE_COLUMN_INT32 ? 4 : 8; }

/* A new column at the end. */
void scree_polydata_add(ScreePolyData *data, const char *name, ScreeColumnType type, int components, const char *unit);
/* Room for so many rows, which lose their values; points follow. */
ScreeStatus scree_polydata_resize(ScreePolyData *data, size_t rows);
/* The column of that name, -1 when there is none. */
int scree_polydata_find(const ScreePolyData *data, const char *name);
/* A value as a number; component -1: the magnitude of a vector. */
double scree_polydata_value(const ScreePolyData *data, int column, size_t row, int component);
/* Over all that a frame is: its number in the file, time, step, points and values. */
uint64_t scree_polydata_checksum(const ScreePolyData *data, size_t frame);
void scree_polydata_free(ScreePolyData *data); /* its arrays, not the struct itself */

#endif
