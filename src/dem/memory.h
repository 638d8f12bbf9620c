/* memory.h: memory for the engine's arrays; free() releases it. */
#ifndef SCREE_MEMORY_H
#define SCREE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Aligned to a cache line at least; NULL when there is none. */
void *scree_allocate(size_t bytes);

#endif
