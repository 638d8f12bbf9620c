#include "bench.h"
int bench_laws(const BenchOptions *options) { (void)options; return 0; }
