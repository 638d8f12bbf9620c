/* checksum.h: 64 bits over bytes, for files and states: damage is found, forgery is not. */
#ifndef SCREE_CHECKSUM_H
#define SCREE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define SCREE_CHECKSUM_START 1

/* Continues the sum `h` over so many bytes. The result depends on how the bytes are split into calls:
 * a reader takes the writer's pieces. */
uint64_t scree_checksum(uint64_t h, const void *data, size_t size);

#endif
