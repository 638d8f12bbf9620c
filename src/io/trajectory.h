/* trajectory.h: frames of a run on disk.
 *
 *     scree_trajectory_create, _write, _close      frame by frame, each on disk before the call returns
 *     scree_trajectory_open, _read, _close         any frame, of whatever format the folder holds
 *
 * A format is one row of the table in trajectory.c. Grains and contacts become frames here as well. */
#ifndef SCREE_TRAJECTORY_H
#define SCREE_TRAJECTORY_H

#include "io/polydata.h"
#include "scree/world.h"

/* ---- frames ---- */

typedef enum ScreeField {
#define FIELD(name, ...) SCREE_FIELD_##name,
#include "io/fields.def"
  SCREE_FIELD_COUNT
} ScreeField;

typedef struct ScreeFieldInfo {
  const char *name;
  ScreeColumnType type;
  int components;
  const char *unit, *column, *help;
} ScreeFieldInfo;

extern const ScreeFieldInfo scree_fields[SCREE_FIELD_COUNT];

/* An empty frame of grains: column i is field i. Freed with scree_polydata_free. */
ScreePolyData scree_frame_of_grains(void);
/* An empty frame of contacts: lines between centres, or from a centre to the wall. */
ScreePolyData scree_frame_of_contacts(void);
/* Fills the frames with what the world is now; contacts need the grains of the same time. */
ScreeStatus scree_frame_take_grains(ScreePolyData *frame, const ScreeWorld *world, int64_t step, double time);
ScreeStatus scree_frame_take_contacts(ScreePolyData *frame, const ScreeWorld *world, const ScreePolyData *grains);

/* ---- files ---- */

typedef struct ScreeTrajectory ScreeTrajectory;

/* Names of the formats, "" after the last; the last one writes nothing. */
const char *scree_format_name(int format);
/* "vtkhdf|vtp|none" */
const char *scree_format_words(void);
/* Does this format write anything? */
bool scree_format_writes(int format);
/* Patterns (fnmatch) of the files that a trajectory of that stem may leave in a folder; NULL after the last. */
const char *scree_format_pattern(int index);

/* Begins folder/stem.* for frames with the columns of `frame`, whose rows hint at how many there will be. */
ScreeStatus scree_trajectory_create(const char *folder, const char *stem, int format, const ScreePolyData *frame,
                                    ScreeTrajectory **trajectory);
ScreeStatus scree_trajectory_write(ScreeTrajectory *trajectory, const ScreePolyData *frame);
/* The trajectory as it is now, on disk; with what `data` (to be freed) holds a later process goes on from here,
 * whatever happened to the files since: later frames, and what a killed process left half written, are gone. */
ScreeStatus scree_trajectory_mark(ScreeTrajectory *trajectory, void **data, size_t *size);
ScreeStatus scree_trajectory_resume(const char *folder, const char *stem, int format, const ScreePolyData *frame,
                                    const void *data, size_t size, ScreeTrajectory **trajectory);

/* Opens what a run left in the folder. */
ScreeStatus scree_trajectory_open(const char *folder, const char *stem, ScreeTrajectory **trajectory);
/* The same where the list of the frames itself is damaged: those that may be there, each of which may be refused. */
ScreeStatus scree_trajectory_salvage(const char *folder, const char *stem, ScreeTrajectory **trajectory);
size_t scree_trajectory_frames(const ScreeTrajectory *trajectory);
double scree_trajectory_time(const ScreeTrajectory *trajectory, size_t frame); /* s */
const char *scree_trajectory_path(const ScreeTrajectory *trajectory);
/* The columns that `frame` has, which must be in the file. SCREE_FILE with a sentence where they are not those that
 * were written. */
ScreeStatus scree_trajectory_read(ScreeTrajectory *trajectory, size_t index, ScreePolyData *frame);

/* Either kind; NULL is fine. */
ScreeStatus scree_trajectory_close(ScreeTrajectory *trajectory);

#endif
