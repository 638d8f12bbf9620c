/* vicinity.h: what is in the way of a grain that is to be put somewhere: the grains around a part of the domain, hashed
 * into cells as wide as the largest grain, and the walls as they stand now. Private to the engine. */
#ifndef SCREE_VICINITY_H
#define SCREE_VICINITY_H

#include "engine.h"

typedef struct Site {
  double x[3], r;
  uint64_t id;
  size_t next; /* site + 1 in the same cell; 0: none */
} Site;

typedef struct Vicinity {
  const ScreeWorld *w;
  double width[3];  /* m, of a cell */
  int64_t cells[3]; /* along a periodic axis; 0 elsewhere */
  size_t *head, mask;
  Site *site;
  size_t count, capacity;
} Vicinity;

typedef struct Obstacle {
  enum { NOTHING, A_WALL, A_GRAIN } kind;
  uint64_t number; /* of the wall, or the grain's id */
  double overlap;  /* m */
} Obstacle;

/* The grains that could touch one whose centre is in the box. */
ScreeStatus scree_vicinity_open(Vicinity *v, const ScreeWorld *w, const double *low, const double *high);
ScreeStatus scree_vicinity_add(Vicinity *v, const double *x, double r, uint64_t id);
/* Touching to within rounding is allowed. */
Obstacle scree_vicinity_obstacle(const Vicinity *v, const double *x, double r);
void scree_vicinity_close(Vicinity *v);

#endif
