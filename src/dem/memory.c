/* memory.c: the engine's large arrays: whole cache lines and, from some megabytes on, large pages: neighbours in a bed
 * of a million grains lie in thousands of small ones, more than the processor remembers. */
#define _DEFAULT_SOURCE
#include "memory.h"

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { LINE = 64, SMALL_PAGE = 4096, APART = SMALL_PAGE / 4 };
static const size_t page = (size_t)1 << 21;

static void *allocate(size_t bytes, size_t least) {
  size_t alignment = bytes >= 2 * page ? page : least, size = (bytes + alignment - 1) / alignment * alignment;
  if (bytes > SIZE_MAX / 2) return NULL;
  void *memory = aligned_alloc(alignment, size > 0 ? size : alignment);
#ifdef __linux__
  if (memory && alignment == page) madvise(memory, size, MADV_HUGEPAGE); /* a wish: small pages are right as well */
#endif
  return memory;
}

void *scree_allocate(size_t bytes) { return allocate(bytes, LINE); }

/* Beside the places of a page that are left out an access beyond an array would not be seen: not where they are looked
 * for. */
#if defined(__SANITIZE_ADDRESS__)
#define EXACT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EXACT 1
#endif
#endif

#if defined(EXACT)
void *scree_allocate_apart(size_t bytes, int number) { return number >= 0 ? scree_allocate(bytes) : NULL; }
void scree_free_apart(void *memory) { free(memory); }
#else
void *scree_allocate_apart(size_t bytes, int number) {
  size_t begin = (size_t)(number % 4) * APART;
  if (bytes > SIZE_MAX / 2) return NULL;
  char *memory = allocate(begin + bytes, SMALL_PAGE);
  return memory ? memory + begin : NULL;
}

void scree_free_apart(void *memory) {
  if (memory) free((char *)memory - (uintptr_t)memory % SMALL_PAGE);
}
#endif
