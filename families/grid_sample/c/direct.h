/* A faster way for images of up to three axes: offsets of 32 bits, and loops that vectorise. The
 * results have the same bits as those of the general way. */
#ifndef OPMILL_GRID_SAMPLE_DIRECT_H
#define OPMILL_GRID_SAMPLE_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include "families/grid_sample/sums.h"
#include "families/grid_sample/taps.h"
#include "opmill/types.h"

enum {
    SAMPLE_MAX_AXES = 3,
    SAMPLE_MAX_LINES = 4,       /* pairs of neighbours along the last axis, for a position */
    SAMPLE_MAX_PIXELS = 1 << 27 /* so that no sum of offsets overflows */
};

/* The positions of a block. For linear interpolation, element 2 * k of a position has the number
 * `offsets[k]`, element 2 * k + 1 is its neighbour on the last axis. The nearest element has the
 * number `offsets[0]`, -1 for none. */
typedef struct sample_block {
    double positions[SAMPLE_MAX_AXES][SAMPLE_BLOCK];
    double at[SAMPLE_MAX_AXES][2][SAMPLE_BLOCK]; /* times the stride of the axis */
    double factors[SAMPLE_MAX_AXES][2][SAMPLE_BLOCK];
    double products[3][SAMPLE_BLOCK];
    int32_t offsets[SAMPLE_MAX_LINES][SAMPLE_BLOCK];
    union {
        float floats[2 * SAMPLE_MAX_LINES][SAMPLE_BLOCK];
        double doubles[2 * SAMPLE_MAX_LINES][SAMPLE_BLOCK];
    } weights;
    int64_t count;
} sample_block;

typedef struct sample_image {
    sample_filter filter;
    const sample_axis *axes;
    int32_t axis_count;
    bool wide; /* whether weights are doubles */
} sample_image;

/* Fills a block from the grid, whose coordinates begin at number `first`. False where reflection
 * moves one of its positions: then the general way must be used. */
typedef bool sample_position(sample_block *block, const sample_image *image, const void *grid,
                             int32_t type, int64_t first);

/* Stores the elements of the output for a block. */
typedef void sample_sum(const sample_block *block, int32_t lines, const void *image, void *to);

typedef struct sample_direct {
    sample_position *position; /* NULL where only the general way is possible */
    sample_sum *sum;           /* NULL for the nearest element */
} sample_direct;

sample_direct opmill_sample_direct(const sample_image *image, int64_t pixels, int32_t type,
                                   int64_t bytes, int32_t isa);

/* Stores the nearest elements; `bytes` is 1, 2, 4 or 8. */
void opmill_sample_nearest(const sample_block *block, const void *image, const void *zero, void *to,
                           int64_t bytes);

#endif
