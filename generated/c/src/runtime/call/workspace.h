/* The scratch memory of a call, which may begin at any address: kernels that keep numbers there ask
 * for some bytes more, and begin at the first address that suits every type. */
#ifndef OPMILL_WORKSPACE_H
#define OPMILL_WORKSPACE_H

#include <stddef.h>
#include <stdint.h>

enum { OPMILL_WORKSPACE_ALIGNMENT = 64 };

/* Size to request for `bytes` from an aligned address on; SIZE_MAX, which nobody can
 * give, where a size_t does not hold it. */
static inline size_t opmill_workspace_size(uint64_t bytes) {
    if (bytes == 0) {
        return 0;
    }
    return bytes < SIZE_MAX - OPMILL_WORKSPACE_ALIGNMENT
               ? (size_t)bytes + OPMILL_WORKSPACE_ALIGNMENT
               : SIZE_MAX;
}

/* The first aligned address of a workspace of that size; NULL of none. */
static inline void *opmill_workspace_begin(void *workspace) {
    const size_t skipped = (size_t)(-(uintptr_t)workspace % OPMILL_WORKSPACE_ALIGNMENT);
    return workspace == NULL ? NULL : (char *)workspace + skipped;
}

#endif
