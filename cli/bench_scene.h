/* bench_scene.h: `scree bench scene`. */
#ifndef SCREE_CLI_BENCH_SCENE_H
#define SCREE_CLI_BENCH_SCENE_H

#include "cli.h"

int bench_scene(int argc, char **argv);

#endif
