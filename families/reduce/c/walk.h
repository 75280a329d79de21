/* Access pattern of a reduction; reduction.c plans it, the loops of body.h follow it. */
#ifndef OPMILL_REDUCE_WALK_H
#define OPMILL_REDUCE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "families/reduce/wide.h"
#include "opmill/types.h"
#include "runtime/math/math.h"
#include "runtime/platform/platform.h"

enum {
    OPMILL_REDUCE_BLOCK = 1024, /* adjacent elements that are combined as parts */
    OPMILL_REDUCE_ROWS = 64,    /* rows that are */
    OPMILL_REDUCE_CHUNK = OPMILL_ON_STACK(1024, 64),   /* of a block, that are fetched together */
    OPMILL_REDUCE_COLUMNS = OPMILL_ON_STACK(1024, 16), /* at most, that are combined together */
    OPMILL_REDUCE_RESULTS = OPMILL_ON_STACK(64, 16),   /* of rows, at a time */
    OPMILL_REDUCE_FOLD = 256, /* columns at most of several rows taken for one */
    /* True if the columns of such a row are combined in parts, as there is no memory for all. */
    OPMILL_REDUCE_UNFOLDS = OPMILL_REDUCE_COLUMNS < OPMILL_REDUCE_FOLD
};

/* Some axes, adjacent ones of a kind joined, with their distances in elements. */
typedef struct opmill_reduce_axes {
    int32_t count;
    int64_t dims[OPMILL_MAX_RANK];
    int64_t strides[OPMILL_MAX_RANK];
    int64_t size; /* the product of the dims */
} opmill_reduce_axes;

/* What elements come to, before they are finished: the member is that of the loops' `totals`. */
typedef union opmill_reduce_total {
    double real;
    uint64_t integer;
    int64_t signed_integer;
    opmill_wide wide;
} opmill_reduce_total;

typedef union opmill_reduce_totals {
    double real[OPMILL_REDUCE_COLUMNS];
    uint64_t integer[OPMILL_REDUCE_COLUMNS];
    int64_t signed_integer[OPMILL_REDUCE_COLUMNS];
    opmill_wide wide[OPMILL_REDUCE_COLUMNS];
} opmill_reduce_totals;

typedef enum opmill_reduce_member {
    OPMILL_REDUCE_REAL,
    OPMILL_REDUCE_INTEGER,
    OPMILL_REDUCE_SIGNED_INTEGER,
    OPMILL_REDUCE_WIDE
} opmill_reduce_member;

/* What is subtracted from the elements of each result before their exponentials are taken: in float
 * where these are floats. */
typedef union opmill_reduce_shifts {
    float float_[OPMILL_REDUCE_COLUMNS];
    double double_[OPMILL_REDUCE_COLUMNS];
} opmill_reduce_shifts;

/* The innermost axis of `length` adjacent elements is either reduced, or has results of its own.
 *
 * Short rows that follow each other in memory are taken `fold` at a time for one row; their parts
 * of the totals are joined at the end, with the `rest`, of rows that do not fill one. */
typedef struct opmill_reduce_walk {
    const void *data;
    opmill_reduce_axes remaining, gone; /* without the innermost axis */
    bool reduces_inner;
    int64_t length;
    int64_t share;         /* of a task: elements of one result, results, or groups of columns */
    int64_t groups, width; /* of columns that are combined together, and how many these are */
    int64_t fold, rest;    /* rows, elements */
    opmill_reduce_total *parts; /* of the one result, one for each share from `part` on */
    int64_t part;
    opmill_math_loop *exp; /* of the type of the shifts */
} opmill_reduce_walk;

/* The loops for an element type and an instruction set. `shifts` matter to exponentials alone. */
typedef struct opmill_reduce_loops {
    opmill_reduce_member member;
    /* Totals of no elements. */
    void (*none)(opmill_reduce_totals *totals, int64_t count);
    /* A share of the one result of all elements, and `count` shares joined with those before. */
    void (*part)(const opmill_reduce_walk *walk, int64_t share, const opmill_reduce_shifts *shifts);
    void (*join)(const opmill_reduce_walk *walk, int64_t count, opmill_reduce_totals *totals);
    /* Results whose innermost elements are adjacent. */
    void (*rows)(const opmill_reduce_walk *walk, int64_t first, int64_t count,
                 const opmill_reduce_shifts *shifts, opmill_reduce_totals *totals);
    /* Adjacent results; `offset` is where the first elements are. */
    void (*columns)(const opmill_reduce_walk *walk, int64_t offset, int64_t width,
                    const opmill_reduce_shifts *shifts, opmill_reduce_totals *totals);
} opmill_reduce_loops;

/* The element types by the loops that they take; an integer has loops as a double, too. */
typedef enum opmill_reduce_kind {
    OPMILL_REDUCE_FLOAT,
    OPMILL_REDUCE_DOUBLE,
    OPMILL_REDUCE_FLOAT16,
    OPMILL_REDUCE_BFLOAT16,
    OPMILL_REDUCE_INT32,
    OPMILL_REDUCE_UINT32,
    OPMILL_REDUCE_INT64,
    OPMILL_REDUCE_UINT64,
    OPMILL_REDUCE_INT8,
    OPMILL_REDUCE_UINT8,
    OPMILL_REDUCE_BOOL,
    OPMILL_REDUCE_INT32_AS_DOUBLE,
    OPMILL_REDUCE_UINT32_AS_DOUBLE,
    OPMILL_REDUCE_INT64_AS_DOUBLE,
    OPMILL_REDUCE_UINT64_AS_DOUBLE,
    OPMILL_REDUCE_KINDS
} opmill_reduce_kind;

/* The loops of a kind for a level of enum opmill_isa. */
typedef const opmill_reduce_loops *opmill_reduce_finder(opmill_reduce_kind kind, int32_t isa);

opmill_reduce_finder opmill_reduce_exact_squares; /* of integers */
opmill_reduce_finder opmill_reduce_exact_sums;    /* of integers */
opmill_reduce_finder opmill_reduce_exponentials;
opmill_reduce_finder opmill_reduce_magnitudes;
opmill_reduce_finder opmill_reduce_maxima;
opmill_reduce_finder opmill_reduce_minima;
opmill_reduce_finder opmill_reduce_products;
opmill_reduce_finder opmill_reduce_squares;
opmill_reduce_finder opmill_reduce_sums;

/* Where one is among the elements of some axes. */
typedef struct opmill_reduce_position {
    int64_t index[OPMILL_MAX_RANK];
    int64_t offset;
} opmill_reduce_position;

/* Element `position`, in row-major order. */
static inline opmill_reduce_position opmill_reduce_begin(const opmill_reduce_axes *axes,
                                                         int64_t position) {
    opmill_reduce_position element;
    element.offset = 0;
    for (int32_t i = 0; i < axes->count; i++) {
        element.index[i] = position % axes->dims[i];
        element.offset += element.index[i] * axes->strides[i];
        position /= axes->dims[i];
    }
    return element;
}

/* Goes on to the next element; after the last one, to the first. */
static inline void opmill_reduce_step(const opmill_reduce_axes *axes,
                                      opmill_reduce_position *element) {
    for (int32_t i = 0; i < axes->count; i++) {
        element->offset += axes->strides[i];
        if (++element->index[i] < axes->dims[i]) {
            return;
        }
        element->offset -= axes->dims[i] * axes->strides[i];
        element->index[i] = 0;
    }
}

#endif
