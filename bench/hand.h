/* hand.h: loops written by hand, the limit the batch kernels are measured against. */
#ifndef SCREE_BENCH_HAND_H
#define SCREE_BENCH_HAND_H

#include "models/batch.h"

/* What a law's arithmetic needs beyond + - * / and comparisons; only laws that need sqrt alone can vectorise. */
typedef enum HandKind { HAND_NONE, HAND_SQRT, HAND_LIBM } HandKind;

typedef struct HandLoop {
  void (*run)(const ScreeBatch *batch);
  HandKind kind;
} HandLoop;

#define HAND_TABLE(isa, name) extern const HandLoop hand_loops_##isa[SCREE_LAW_COUNT];
SCREE_ISA_LIST(HAND_TABLE)
#undef HAND_TABLE

#endif
