/* How a reduction walks through memory; reduce.c makes it, the loops of reduce_body.h follow it. */
#ifndef OPMILL_REDUCE_WALK_H
#define OPMILL_REDUCE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"
#include "runtime/platform.h"

/* Before a loop over vectors: unrolled, GCC adds the elements one by one. */
#if OPMILL_GNU && !defined(__clang__)
#define OPMILL_REDUCE_VECTORS _Pragma("GCC unroll 1")
#else
#define OPMILL_REDUCE_VECTORS
#endif

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

/* The innermost axis of `length` adjacent elements is either summed, or has sums of its own.
 *
 * Short rows that follow each other in memory are taken `fold` at a time for one row; their parts
 * of the totals are added at the end, and the `rest`, of rows that do not fill one. */
typedef struct opmill_reduce_walk {
    const void *data;
    void *to;
    opmill_reduce_axes kept, gone; /* without the innermost axis */
    bool sums_inner;
    int64_t length;
    int64_t share;             /* of a task: elements of one sum, sums, or groups of columns */
    int64_t shares;            /* of one sum */
    int64_t groups, width;     /* of columns that are summed together, and how many these are */
    int64_t fold, rest;        /* rows, elements */
    opmill_reduce_part *parts; /* of the one sum, one for each share */
} opmill_reduce_walk;

enum {
    OPMILL_REDUCE_BLOCK = 1024,  /* adjacent elements that are added as parts */
    OPMILL_REDUCE_ROWS = 64,     /* rows that are */
    OPMILL_REDUCE_COLUMNS = 1024 /* at most, that are summed together */
};

/* Where one is among the elements of some axes. */
typedef struct opmill_reduce_place {
    int64_t index[OPMILL_MAX_RANK];
    int64_t offset;
} opmill_reduce_place;

/* Element `position`, in row-major order. */
static inline opmill_reduce_place opmill_reduce_begin(const opmill_reduce_axes *axes,
                                                      int64_t position) {
    opmill_reduce_place place;
    place.offset = 0;
    for (int32_t i = 0; i < axes->count; i++) {
        place.index[i] = position % axes->dims[i];
        place.offset += place.index[i] * axes->strides[i];
        position /= axes->dims[i];
    }
    return place;
}

/* Goes on to the next element; after the last one, to the first. */
static inline void opmill_reduce_step(const opmill_reduce_axes *axes, opmill_reduce_place *place) {
    for (int32_t i = 0; i < axes->count; i++) {
        place->offset += axes->strides[i];
        if (++place->index[i] < axes->dims[i]) {
            return;
        }
        place->offset -= axes->dims[i] * axes->strides[i];
        place->index[i] = 0;
    }
}

#endif
