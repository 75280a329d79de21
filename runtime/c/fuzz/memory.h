/* Blocks of exactly the requested number of bytes, so that AddressSanitizer sees every access
 * beside them; in other builds patterns stand on both sides of each and are checked. */
#ifndef OPMILL_FUZZ_MEMORY_H
#define OPMILL_FUZZ_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEMORY_BLOCKS = 256 };

typedef struct memory_block {
    unsigned char *all, *data;
    size_t size;
    bool sealed;
    uint64_t sum;
} memory_block;

typedef struct memory {
    int32_t count;
    memory_block blocks[MEMORY_BLOCKS];
} memory;

/* A block that begins `shift` bytes after an address that any type may begin at. */
void *memory_new(memory *all, size_t size, size_t shift);

/* From now on no block that there is may change. */
void memory_seal(memory *all);

/* True if no sealed block changed, and nothing beside any block. */
bool memory_intact(const memory *all);

void memory_free(memory *all);

#endif
