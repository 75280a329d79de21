/* A call of MaxPool in plain numbers: every extent of the output is at least 1. */
#ifndef OPMILL_MAX_POOL_PROBLEM_H
#define OPMILL_MAX_POOL_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opmill/types.h>

#include "runtime/numbers/integers.h"
#include "runtime/indexing/windows.h"

typedef struct max_pool_problem {
    const void *x;
    void *y;
    int64_t *indices; /* NULL where the call does not ask for them */
    int32_t type;
    int32_t axis_count; /* at least 1 */
    bool column_major;  /* how indices count */
    int64_t planes;     /* of batch and channels, or of the batch where channels are last */
    int64_t channels;   /* of an element, which lie side by side; 0 where they are planes */
    int64_t in_size;    /* of a plane */
    int64_t out_size;
    opmill_window_axis axes[OPMILL_MAX_WINDOW_AXES];
} max_pool_problem;

#endif
