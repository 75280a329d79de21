/* Lists that follow each other in one block of memory. */
#ifndef OPMILL_TREES_PARTS_H
#define OPMILL_TREES_PARTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct opmill_parts {
    char *memory; /* aligned; NULL where only the bytes are counted */
    uint64_t bytes;
} opmill_parts;

/* The next list, aligned to 64 bytes; NULL where there is no memory. Up to 2^31 elements of up to
 * 64 bytes cannot overflow the sum. */
static inline void *opmill_part(opmill_parts *parts, int64_t count, size_t size) {
    void *const part = parts->memory != NULL ? parts->memory + (size_t)parts->bytes : NULL;
    parts->bytes += ((uint64_t)count * size + 63) / 64 * 64;
    return part;
}

#endif
