/* isa.c: what this processor can run. */
#include "isa.h"

#include <stdatomic.h>
#include <stddef.h>

static const char *const names[] = {
#define ISA_NAME(isa, name) name,
    SCREE_ISA_LIST(ISA_NAME)
#undef ISA_NAME
};
enum { ISA_COUNT = sizeof names / sizeof *names };

int scree_isa_count(void) { return ISA_COUNT; }
const char *scree_isa_name(int index) { return index >= 0 && index < ISA_COUNT ? names[index] : NULL; }

bool scree_isa_supported(int index) {
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
  return index == 0;
#endif
}

/* Index of the set in use, -1 before the first look. Races write the same value. */
static _Atomic int chosen = -1;

int scree_isa_current(void) {
  int now = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (now >= 0) return now;
  now = 0;
  while (now < ISA_COUNT - 1 && !scree_isa_supported(now)) now++;
  scree_isa_use(now);
  return now;
}

void scree_isa_use(int index) { atomic_store_explicit(&chosen, index, memory_order_relaxed); }
