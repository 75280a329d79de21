/* The memory for what a call creates: the strings or the tensors of an output. */
#ifndef OPMILL_BLOCK_H
#define OPMILL_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "opmill/types.h"

/* A sum of sizes; SIZE_MAX where it is larger. */
static inline size_t opmill_block_add(size_t bytes, size_t more) {
    return more > SIZE_MAX - bytes ? SIZE_MAX : bytes + more;
}

/* Sets `block` to memory of the context for the strings of the output of this name, or for its
 * tensors. Of 0 bytes there is none. Refuses the call, without its label, where there is no
 * allocator or no memory. */
int opmill_block_strings(opmill_context *context, const char *output, size_t bytes, void **block);
int opmill_block_tensors(opmill_context *context, const char *output, size_t bytes, void **block);

#endif
