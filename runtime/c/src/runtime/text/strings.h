/* The memory for strings that a kernel creates. A kernel finds the bytes of all strings first, each
 * with its NUL; requests one block for them, the last step that can fail; and then writes. */
#ifndef OPMILL_STRINGS_H
#define OPMILL_STRINGS_H

#include <stddef.h>

#include "opmill/types.h"

/* A sum of sizes; SIZE_MAX where it is larger. */
static inline size_t opmill_strings_add(size_t bytes, size_t more) {
    return more > SIZE_MAX - bytes ? SIZE_MAX : bytes + more;
}

/* Sets `block` to memory for the strings of the output of this name, from context->strings. Of 0
 * bytes there is none. Otherwise it refuses the call, and the kernel returns its result. */
int opmill_strings_begin(opmill_context *context, const char *output, size_t bytes, char **block);

#endif
