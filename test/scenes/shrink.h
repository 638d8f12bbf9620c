/* shrink.h: the smallest scene that still fails. */
#ifndef TEST_SCENES_SHRINK_H
#define TEST_SCENES_SHRINK_H

#include "invariants.h"

/* Takes away and simplifies as long as the invariant fails; how many scenes were tried. */
long scene_shrink(Scene *scene, const Invariant *invariant, const char *command, const char *folder, char *reason,
                  size_t size);

#endif
