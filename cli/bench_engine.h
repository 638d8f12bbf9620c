/* bench_engine.h: `scree bench engine`. */
#ifndef SCREE_CLI_BENCH_ENGINE_H
#define SCREE_CLI_BENCH_ENGINE_H

#include "cli.h"

int bench_engine(int argc, char **argv);

#endif
