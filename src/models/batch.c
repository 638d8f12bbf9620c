/* batch.c: runs batches with the kernels of the instruction set in use. */
#include "batch.h"

#include <string.h>

#include "core/status.h"

static ScreeBatchKernel *const *const tables[] = {
#define TABLE_OF(isa, name) scree_batch_kernels_##isa,
    SCREE_ISA_LIST(TABLE_OF)
#undef TABLE_OF
};

int scree_batch_isa_count(void) { return scree_isa_count(); }
const char *scree_batch_isa_name(int index) { return scree_isa_name(index); }
const char *scree_batch_isa(void) { return scree_isa_name(scree_isa_current()); }

ScreeStatus scree_batch_use_isa(const char *name) {
  SCREE_NEED(name);
  for (int i = 0; i < scree_isa_count(); i++) {
    if (strcmp(scree_isa_name(i), name) != 0) continue;
    if (!scree_isa_supported(i)) return scree_fail(SCREE_UNSUPPORTED, "this processor does not support %s", name);
    scree_isa_use(i);
    return SCREE_OK;
  }
  return scree_fail(SCREE_UNKNOWN, "unknown instruction set \"%.40s\"", name);
}

void scree_batch_force(ScreeLawId id, const ScreeBatch *batch) {
  ScreeBatchKernel *kernel = (unsigned)id < SCREE_LAW_COUNT ? tables[scree_isa_current()][id] : NULL;
  if (kernel) kernel(batch); /* tangential laws have none */
}
