/* checksum.c: see checksum.h. */
#include "core/checksum.h"

#include <string.h>

/* Eight bytes at a time through a multiplication and a rotation. Each step is a bijection of the sum so far, so that
 * any one word that differs changes the result. */
uint64_t scree_checksum(uint64_t h, const void *data, size_t size) {
  const unsigned char *at = data;
  while (size > 0) {
    uint64_t word = 0;
    size_t width = size < 8 ? size : 8;
    memcpy(&word, at, width);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h = (h << 29 | h >> 35) + width;
    at += width, size -= width;
  }
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}
