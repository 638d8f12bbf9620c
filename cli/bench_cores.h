/* bench_cores.h: how far apart the cores are that threads run on. */
#ifndef SCREE_CLI_BENCH_CORES_H
#define SCREE_CLI_BENCH_CORES_H

/* s: from one core to another and back, by way of a line of memory that both write to, at the moment; NaN where there
 * is one core alone, or no second thread. Takes some milliseconds. */
double bench_round_trip(void);

#endif
