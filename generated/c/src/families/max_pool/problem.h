/* A call of MaxPool in plain numbers. By the time there is a problem, the rules have accepted the
 * call: every extent of the output is at least 1. On every axis,
 *
 *     x = y * stride + tap * dilation - begin
 *
 * and what is not from 0 to in - 1 is padding. */
#ifndef OPMILL_MAX_POOL_PROBLEM_H
#define OPMILL_MAX_POOL_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opmill/types.h>

enum { MAX_POOL_MAX_AXES = OPMILL_MAX_RANK - 2 };

/* One spatial axis. */
typedef struct max_pool_axis {
    int64_t in;
    int64_t out;
    int64_t kernel;
    int64_t stride;
    int64_t dilation;
    int64_t begin;
} max_pool_axis;

typedef struct max_pool_problem {
    const void *x;
    void *y;
    int64_t *indices; /* NULL where the call does not ask for them */
    int32_t type;
    int32_t axis_count; /* at least 1 */
    bool column_major;  /* how indices count */
    int64_t planes;     /* of batch and channels */
    int64_t in_size;    /* of a plane */
    int64_t out_size;
    max_pool_axis axes[MAX_POOL_MAX_AXES];
} max_pool_problem;

/* Elements along an axis: the first, and how many follow each other a dilation apart. */
typedef struct max_pool_taps {
    int64_t first;
    int64_t count;
} max_pool_taps;

/* Those of window `y` that are no padding. */
static inline max_pool_taps max_pool_taps_of(const max_pool_axis *axis, int64_t y) {
    const int64_t start = y * axis->stride - axis->begin;
    const int64_t skipped = start < 0 ? (-1 - start) / axis->dilation + 1 : 0;
    max_pool_taps taps = {0, 0};
    if (start < axis->in && skipped < axis->kernel) {
        taps.first = start + skipped * axis->dilation;
        if (taps.first < axis->in) {
            const int64_t fitting = (axis->in - 1 - taps.first) / axis->dilation + 1;
            const int64_t left = axis->kernel - skipped;
            taps.count = left < fitting ? left : fitting;
        }
    }
    return taps;
}

static inline int64_t max_pool_least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max_pool_most(int64_t a, int64_t b) { return a > b ? a : b; }

#endif
