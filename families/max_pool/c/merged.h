/* A call with axes merged where that changes nothing: outer axes, then the axis of rows, then the
 * last one. */
#ifndef OPMILL_MAX_POOL_MERGED_H
#define OPMILL_MAX_POOL_MERGED_H

#include "problem.h"

typedef struct max_pool_merged {
    int64_t planes;
    int32_t outer_count;
    opmill_window_axis outer[OPMILL_MAX_WINDOW_AXES];
    opmill_window_axis high;
    opmill_window_axis wide;
    int64_t outer_in; /* elements of X in all outer axes of a plane, counted in rows' planes */
    int64_t outer_out;
} max_pool_merged;

/* The axes of the problem, as few as will do. False where some are so long that products of extents
 * and strides could overflow, or empty. */
bool opmill_max_pool_merge(max_pool_merged *merged, const max_pool_problem *problem);

#endif
