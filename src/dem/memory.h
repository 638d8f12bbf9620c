/* memory.h: memory for the engine's arrays. */
#ifndef SCREE_MEMORY_H
#define SCREE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Aligned to a cache line at least; NULL when there is none. free() releases it. */
void *scree_allocate(size_t bytes);

/* For up to four arrays whose elements are used together, the number, 0 to 3, says which of them: those of one index
 * lie at different places of their pages. Of pages' first places the first-level cache holds eight lines. What is
 * allocated so only scree_free_apart() releases. */
void *scree_allocate_apart(size_t bytes, int number);
void scree_free_apart(void *memory);

#endif
