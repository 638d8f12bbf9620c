/* batch.h: the kernels' tables, one per instruction set. */
#ifndef SCREE_BATCH_H
#define SCREE_BATCH_H

#include "scree/models.h"

typedef void ScreeBatchKernel(const ScreeBatch *batch);

#ifdef SCREE_X86_LEVELS
#define SCREE_ISA_LIST(X)                                                                                              \
  X(v4, "x86-64-v4")                                                                                                   \
  X(v3, "x86-64-v3")                                                                                                   \
  X(v2, "x86-64-v2")
#else
#define SCREE_ISA_LIST(X) X(generic, "generic")
#endif

#define SCREE_ISA_TABLE(isa, name) extern ScreeBatchKernel *const scree_batch_kernels_##isa[SCREE_LAW_COUNT];
SCREE_ISA_LIST(SCREE_ISA_TABLE)
#undef SCREE_ISA_TABLE

#endif
