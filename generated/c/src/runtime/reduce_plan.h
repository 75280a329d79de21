/* How a reduction walks through memory; reduce.c makes it, the loops of reduce_body.h follow it. */
#ifndef OPMILL_REDUCE_PLAN_H
#define OPMILL_REDUCE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

/* Some axes, adjacent ones of a kind joined, with their distances in elements. */
typedef struct opmill_reduce_axes {
    int32_t count;
    int64_t dims[OPMILL_MAX_RANK];
    int64_t strides[OPMILL_MAX_RANK];
    int64_t size; /* the product of the dims */
} opmill_reduce_axes;

/* What a part of one sum of all elements comes to. */
typedef union opmill_reduce_part {
    double real;
    uint64_t integer;
} opmill_reduce_part;

/* The innermost axis of `length` adjacent elements is either summed, or has sums of its own. */
typedef struct opmill_reduce_plan {
    const void *data;
    void *to;
    opmill_reduce_axes kept, gone; /* without the innermost axis */
    bool sums_inner;
    int64_t length;
    int64_t share; /* of sums, or of columns, that a task makes; of elements, for one sum */
    int64_t shares;
    opmill_reduce_part *parts; /* of the one sum, one for each share */
} opmill_reduce_plan;

enum { OPMILL_REDUCE_BLOCK = 1024, OPMILL_REDUCE_COLUMNS = 256, OPMILL_REDUCE_ROWS = 64 };

/* The distance of element `position` of some axes, in row-major order. */
static inline int64_t opmill_reduce_offset(const opmill_reduce_axes *axes, int64_t position) {
    int64_t offset = 0;
    for (int32_t i = axes->count - 1; i >= 0; i--) {
        offset += position % axes->dims[i] * axes->strides[i];
        position /= axes->dims[i];
    }
    return offset;
}

/* Goes on to the next element; `index` and the distance are all 0 at the first. */
static inline void opmill_reduce_step(const opmill_reduce_axes *axes, int64_t *index,
                                      int64_t *offset) {
    for (int32_t i = axes->count - 1; i >= 0; i--) {
        *offset += axes->strides[i];
        if (++index[i] < axes->dims[i]) {
            return;
        }
        *offset -= axes->dims[i] * axes->strides[i];
        index[i] = 0;
    }
}

#endif
