/* The walk of GatherElements and ScatterElements: over the indices in row-major order, each of
 * which selects an element of data, whose other coordinates are those of the index itself.
 *
 * A row of indices selects elements that are `step` apart but for the indices: the element for
 * index j of the row is number base + j * step + offset * stride, where offset is the index,
 * counted from the front. */
#ifndef OPMILL_ELEMENT_WALK_H
#define OPMILL_ELEMENT_WALK_H

#include <stdint.h>

#include "opmill/types.h"
#include "runtime/indexing/indices.h"

typedef struct opmill_walk_axis {
    int64_t size;
    int64_t stride; /* in elements of data; 0 for the axis of the indices */
} opmill_walk_axis;

typedef struct opmill_element_walk {
    opmill_indices indices;
    int64_t row;    /* indices of a row */
    int64_t rows;   /* 0 where there are no indices */
    int64_t step;   /* from one element of a row to the next, in elements of data */
    int64_t stride; /* of the axis */
    int64_t
        group; /* rows that may select the same elements follow each other in groups of so many */
    int32_t count; /* of axes that rows differ in, outermost first */
    opmill_walk_axis axes[OPMILL_MAX_RANK];
} opmill_element_walk;

/* Callback for `count` adjacent indices of a row: `first` is the number of the
 * first in row-major order, `base` that of the element of data that it would select with offset 0.
 */
typedef void opmill_visit(const opmill_element_walk *walk, void *state, int64_t first, int64_t base,
                          const int64_t *offsets, int64_t count);

void opmill_walk_begin(opmill_element_walk *walk, const opmill_tensor *data,
                       const opmill_tensor *indices, int32_t axis);

/* Visits the indices `from` to `to` - 1 of each of the rows `first` to `end` - 1, in order. */
void opmill_walk_rows(const opmill_element_walk *walk, int64_t first, int64_t end, int64_t from,
                      int64_t to, opmill_visit *visit, void *state);

#endif
