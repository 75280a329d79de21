/* Indices that are data. They are checked as a whole before anything is written. Kernels then read
 * them again, in blocks, and each value once: should another thread have changed it meanwhile, it
 * selects some position of the axis, never one outside.
 *
 *     opmill_indices indices;
 *     opmill_indices_begin(&indices, given, data, axis, 1);
 *     if (!opmill_indices_check(&indices, context)) {
 *         return OPMILL_ERROR_CALL;
 *     }
 *     int64_t offsets[OPMILL_INDEX_BLOCK];
 *     opmill_indices_read(&indices, first, count, offsets);
 */
#ifndef OPMILL_INDICES_H
#define OPMILL_INDICES_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"
#include "runtime/platform/platform.h"

enum {
    OPMILL_INDEX_BLOCK = OPMILL_ON_STACK(1024, 128) /* offsets that a kernel reads at a time */
};

typedef struct opmill_indices {
    const opmill_tensor *tensor; /* int32 or int64 */
    int64_t count;               /* of tuples */
    int32_t components;          /* of a tuple, one for each axis of data from `first` on */
    int32_t first;
    const int64_t *sizes; /* of these axes */
    int32_t isa;          /* of the loops that read them, from when they are checked on */
} opmill_indices;

/* A tuple is `components` values that follow each other in the tensor, whose size they divide; of 0
 * components there is one tuple for each position of the axes before the last. */
void opmill_indices_begin(opmill_indices *indices, const opmill_tensor *tensor,
                          const opmill_tensor *data, int32_t first, int32_t components);

/* True if all values lie on their axes, a negative one counted from the end; else the first that
 * does not is reported in the context. */
bool opmill_indices_check(opmill_indices *indices, opmill_context *context);

/* The row-major positions, on their axes alone, that `count` tuples select, at most
 * OPMILL_INDEX_BLOCK. No axis is empty. */
void opmill_indices_read(const opmill_indices *indices, int64_t first, int64_t count,
                         int64_t *offsets);

#endif
