/* grain_file.h: files of grains: tables with a heading (CSV) and LAMMPS data files. What is wrong with one is blamed on
 * its own line and column. */
#ifndef SCREE_GRAIN_FILE_H
#define SCREE_GRAIN_FILE_H

#include "io/scene.h"

typedef struct ScreeFileGrain {
  ScreeGrain grain;
  bool numbered;  /* the file gives its id */
  bool moves;     /* and, in a section of its own, its velocity */
  size_t at, end; /* bytes of its line */
} ScreeFileGrain;

typedef struct ScreeGrainFile {
  ScreeSource *source;
  ScreeFileGrain *grain;
  size_t count, capacity;
} ScreeGrainFile;

/* The file's path: from the folder of the scene where it is relative; to be freed. */
char *scree_grain_file_path(const ScreeScene *scene, const char *file);
/* Reads the file of a group of the form csv or lammps. */
ScreeStatus scree_grain_file_read(const ScreeScene *scene, const ScreeSceneParticles *group, ScreeGrainFile *file,
                                  ScreeFault *fault);
/* The same for a text: what the fuzzer calls. */
ScreeStatus scree_grain_file_parse(const ScreeScene *scene, const ScreeSceneParticles *group, ScreeGrainFile *file,
                                   ScreeFault *fault);
/* The place of a grain, for errors found later. */
ScreeNode scree_grain_file_place(const ScreeGrainFile *file, size_t grain);
void scree_grain_file_free(ScreeGrainFile *file);

#endif
