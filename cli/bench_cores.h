/* bench_cores.h: how far apart the cores are that threads run on. */
#ifndef SCREE_CLI_BENCH_CORES_H
#define SCREE_CLI_BENCH_CORES_H

/* s: from one core to another and back, by way of a line of memory that both write to, at the moment; NaN where there
 * is one core alone, no second thread, or where other programs have the cores. Takes some milliseconds, 0.2 s then. */
double bench_round_trip(void);

#endif
