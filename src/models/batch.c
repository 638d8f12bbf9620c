/* batch.c: chooses the widest instruction set this processor has and runs batches with it. */
#include "batch.h"

#include <stdatomic.h>
#include <string.h>

#include "core/status.h"

typedef struct Isa {
  const char *name;
  ScreeBatchKernel *const *kernels;
} Isa;

/* Widest first. */
static const Isa isas[] = {
#define ISA_ROW(isa, name) {name, scree_batch_kernels_##isa},
    SCREE_ISA_LIST(ISA_ROW)
#undef ISA_ROW
};
enum { ISA_COUNT = sizeof isas / sizeof *isas };

static bool supported(int index) {
#ifdef SCREE_X86_LEVELS
  __builtin_cpu_init();
  bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  const bool levels[] = {v4, v3, v2};
  return levels[index];
#else
  (void)index;
  return true;
#endif
}

/* Index of the set in use, -1 before the first look. Races write the same value. */
static _Atomic int chosen = -1;

static int current(void) {
  int now = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (now >= 0) return now;
  now = 0;
  while (now < ISA_COUNT - 1 && !supported(now)) now++;
  atomic_store_explicit(&chosen, now, memory_order_relaxed);
  return now;
}

int scree_batch_isa_count(void) { return ISA_COUNT; }
const char *scree_batch_isa_name(int index) { return index >= 0 && index < ISA_COUNT ? isas[index].name : NULL; }
const char *scree_batch_isa(void) { return isas[current()].name; }

ScreeStatus scree_batch_use_isa(const char *name) {
  SCREE_NEED(name);
  for (int i = 0; i < ISA_COUNT; i++) {
    if (strcmp(isas[i].name, name) != 0) continue;
    if (!supported(i)) return scree_fail(SCREE_UNSUPPORTED, "this processor does not support %s", name);
    atomic_store_explicit(&chosen, i, memory_order_relaxed);
    return SCREE_OK;
  }
  return scree_fail(SCREE_UNKNOWN, "unknown instruction set \"%.40s\"", name);
}

void scree_batch_force(ScreeLawId id, const ScreeBatch *batch) {
  ScreeBatchKernel *kernel = (unsigned)id < SCREE_LAW_COUNT ? isas[current()].kernels[id] : NULL;
  if (kernel) kernel(batch); /* tangential laws have none */
}
