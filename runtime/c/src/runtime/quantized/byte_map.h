/* A function of bytes, as a table of its 256 values. */
#ifndef OPMILL_QUANTIZED_BYTE_MAP_H
#define OPMILL_QUANTIZED_BYTE_MAP_H

#include <stdint.h>

enum { OPMILL_BYTES = 256 }; /* entries of a table */

/* Writes the entry of each of `count` bytes; nothing overlaps. `isa` is one that opmill_isa_select
 * gave. */
void opmill_map_bytes(uint8_t *to, const uint8_t *from, const uint8_t *table, int64_t count,
                      int32_t isa);

#endif
