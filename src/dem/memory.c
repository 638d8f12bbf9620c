/* memory.c: the engine's large arrays: whole cache lines and, from some megabytes on, large pages: neighbours in a bed
 * of a million grains lie in thousands of small ones, more than the processor remembers. */
#define _DEFAULT_SOURCE
#include "memory.h"

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { LINE = 64 };
static const size_t page = (size_t)1 << 21;

void *scree_allocate(size_t bytes) {
  size_t alignment = bytes >= 2 * page ? page : LINE, size = (bytes + alignment - 1) / alignment * alignment;
  if (bytes > SIZE_MAX / 2) return NULL;
  void *memory = aligned_alloc(alignment, size > 0 ? size : alignment);
#ifdef __linux__
  if (memory && alignment == page) madvise(memory, size, MADV_HUGEPAGE); /* a wish: small pages are right as well */
#endif
  return memory;
}
