/* opening.h: the openings of outlets, and which grains came through them. Private to the engine. */
#ifndef SCREE_OPENING_H
#define SCREE_OPENING_H

#include "engine.h"

/* Room for all grains that are there, as if each had been where it is for ever, outside of every opening. */
ScreeStatus scree_openings_start(ScreeWorld *w);
/* The same for the grains from an index on, which have come. */
ScreeStatus scree_openings_enter(ScreeWorld *w, size_t first);
/* Looks at a grain's way since the last look; grains apart may be looked at by different threads. Bit o: it came last
 * through the opening of outlet o in the direction that leads out. */
uint64_t scree_openings_look(const ScreeWorld *w, size_t grain);
/* After a look at all grains. */
ScreeStatus scree_openings_looked(ScreeWorld *w);
void scree_openings_free(ScreeWorld *w);
size_t scree_openings_bytes(const ScreeWorld *w);

/* A grain as it was at the last look. */
typedef struct Passage {
  uint64_t id, through;
  double x[3]; /* m */
} Passage;
/* That of a grain; NULL: it was never seen. */
Passage *scree_passage_of(const ScreeWorld *w, uint64_t id);

#endif
