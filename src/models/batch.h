/* batch.h: the kernels' tables, one per instruction set. */
#ifndef SCREE_BATCH_H
#define SCREE_BATCH_H

#include "core/isa.h"
#include "scree/models.h"

typedef void ScreeBatchKernel(const ScreeBatch *batch);

#define SCREE_ISA_TABLE(isa, name) extern ScreeBatchKernel *const scree_batch_kernels_##isa[SCREE_LAW_COUNT];
SCREE_ISA_LIST(SCREE_ISA_TABLE)
#undef SCREE_ISA_TABLE

#endif
