/* format.h: what a file format of trajectories provides; trajectory.c holds the table. */
#ifndef SCREE_FORMAT_H
#define SCREE_FORMAT_H

#include "io/polydata.h"

/* A reader knows this before the first frame is read. Salvage: bookkeeping that contradicts itself is passed over, and
 * every frame is offered that may be there. */
typedef struct ScreeTimes {
  size_t count;
  double *time; /* s */
} ScreeTimes;

typedef struct ScreeFormat {
  const char *name;   /* in scenes */
  const char *ending; /* of the file that stands for the whole: "vtkhdf" */
  ScreeStatus (*create)(const char *path, const ScreePolyData *frame, void **state);
  ScreeStatus (*write)(void *state, const ScreePolyData *frame);
  /* What it takes to come back to this moment, by a file that is on disk when the call returns; to be freed. */
  ScreeStatus (*mark)(void *state, void **data, size_t *size);
  /* Goes on as it was at the mark: later frames, and what a killed process left half written, are gone. */
  ScreeStatus (*resume)(const char *path, const ScreePolyData *frame, const void *data, size_t size, void **state);
  ScreeStatus (*open)(const char *path, bool salvage, ScreeTimes *times, void **state);
  /* frame->time is that of the list; *checksum is left alone where the file has none for the frame. */
  ScreeStatus (*read)(void *state, size_t index, ScreePolyData *frame, uint64_t *checksum);
  ScreeStatus (*close)(void *state); /* frees the state, whatever it returns */
} ScreeFormat;

extern const ScreeFormat scree_format_vtkhdf, scree_format_vtp;

/* A surface of polygons with one column per polygon, as a .vtp file. */
struct ScreeSurface;
ScreeStatus scree_vtp_write_surface(const char *path, const struct ScreeSurface *surface);
/* stem.pvd, the list of stem_000000.vtp and so on with their times [s]. */
ScreeStatus scree_vtp_write_list(const char *path, const double *time, size_t count);

#endif
