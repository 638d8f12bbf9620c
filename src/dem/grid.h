/* grid.h: which grains are near a grain. Private to the making of the list. */
#ifndef SCREE_GRID_H
#define SCREE_GRID_H

#include "contact.h"

/* Levels of sizes, each of paces; cells that a grain looks into on either side, at most. */
enum {
  OCTAVES = 24,
  LEVELS = OCTAVES * PACES,
  NEAR_LANES = 16,
  AROUND = 3,
  ROWS = 2 * (2 * AROUND + 1) * (2 * AROUND + 1)
};

/* Grains of one size, ordered by cell: cells of a row lie side by side, and so do their grains. Positions are whole
 * numbers: of a periodic axis the period is 2^32, so differences are those of the nearest images by themselves; of
 * others all space that grains take is below 2^30. */
typedef struct Grid {
  double low[3], per_width[3];
  int cells[3];
  bool half;            /* pairs within the level: half the neighbours are looked at */
  size_t members;       /* 0: no grain of this level */
  int32_t *start;       /* cells + 1 */
  int32_t *member;      /* grains */
  uint32_t *x[3];       /* their positions */
  double widest;        /* m, the largest reach */
  float *r;             /* their reaches, of the largest radius of all */
  const int32_t *grain; /* while it is built: the grains of the level in their order, NULL: all; and their cells */
  int32_t *cell;
} Grid;

typedef struct Grids {
  const ScreeWorld *w;
  Grid level[LEVELS];
  int levels;            /* that may have grains */
  int paces;             /* levels of a size */
  double finer;          /* m, while they are built: the largest reach of those before */
  double low[3], per[3]; /* of the whole numbers: (x - low) per */
  float size[3];         /* of a one, of the largest radius: no square leaves the range of floats */
  double doubt;          /* m, that distances may be wrong by */
  double per_radius;     /* 1/m, makes radii those of the grids */
  int32_t *slot;         /* of each grain: its place among the members of its level */
  size_t *count;         /* per thread, while a grid is built */
  Extent *box;           /* per thread, and the largest reach */
  double *widest;
  Grid *now;
} Grids;

/* A stretch of members that lie side by side. */
typedef struct Row {
  int32_t from, to;
} Row;

/* What a grain looks for. */
typedef struct Centre {
  uint32_t x[3];
  float reach; /* of the largest radius */
} Centre;

/* Compiled once per instruction set (near.c): members within reach of the centre, and some a little beyond; `out` has
 * room for all members of the rows and a register more. Returns how many. */
typedef size_t NearKernel(const Grids *g, const Grid *grid, const Row *row, int rows, Centre centre, int32_t *out);
#define SCREE_DEM_NEAR(isa, name) extern NearKernel *const scree_dem_near_##isa;
SCREE_ISA_LIST(SCREE_DEM_NEAR)
#undef SCREE_DEM_NEAR

bool scree_grids_build(Grids *g, ScreeWorld *w); /* false: no memory */
void scree_grids_free(Grids *g);
/* Where partners of a grain are to be looked for in a level, its own or a coarser one; *later: of these only grains
 * behind it count. Returns the number of rows. */
int scree_grids_rows(const Grids *g, size_t grain, int own, int level, Row *row, bool *later);
int scree_grids_level(const Grids *g, size_t grain);
Centre scree_grids_centre(const Grids *g, size_t grain);

#endif
