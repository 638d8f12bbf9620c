/* coverage.h: what the scenes of a run had in them. */
#ifndef TEST_SCENES_COVERAGE_H
#define TEST_SCENES_COVERAGE_H

#include "scene.h"

/* Counts what a scene that starts is made of. */
void coverage_note(const Scene *scene);
/* Prints what no scene had; how many things that is. */
int coverage_missing(FILE *file);

#endif
