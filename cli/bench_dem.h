/* bench_dem.h: `scree bench dem`. */
#ifndef SCREE_CLI_BENCH_DEM_H
#define SCREE_CLI_BENCH_DEM_H

#include "cli.h"

int bench_dem(int argc, char **argv);

#endif
