/* Windows along a spatial axis, for compact kernels: indices of 32 bits, and no division. */
#ifndef OPMILL_COMPACT_AXIS_H
#define OPMILL_COMPACT_AXIS_H

#include "opmill/types.h"

/* A function of its own: inlined, it would leave the loop that calls it too few registers. */
#if defined(__GNUC__)
#define OPMILL_APART __attribute__((noinline))
#else
#define OPMILL_APART
#endif

typedef struct opmill_compact_axis {
    int32_t in, out, taps, stride, dilation, begin;
} opmill_compact_axis;

/* Axis `k` of those behind batch and channels; one element where k is negative. */
static inline opmill_compact_axis
opmill_compact_axis_of(const opmill_tensor *x, const opmill_tensor *y, int32_t k,
                       const int64_t *taps, const int64_t *strides, const int64_t *dilations,
                       const int64_t *begin) {
    opmill_compact_axis axis = {1, 1, 1, 1, 1, 0};
    if (k >= 0) {
        axis.in = (int32_t)x->dims[2 + k];
        axis.out = (int32_t)y->dims[2 + k];
        axis.taps = (int32_t)taps[k];
        axis.stride = (int32_t)strides[k];
        axis.dilation = (int32_t)dilations[k];
        axis.begin = (int32_t)begin[k];
    }
    return axis;
}

/* The taps of a window that begins at `start` which are no padding: the first, and their count. */
static inline int32_t opmill_compact_taps(const opmill_compact_axis *axis, int32_t start,
                                          int32_t *count) {
    int32_t from = 0, to = axis->taps;
    while (from < to && start + from * axis->dilation < 0) {
        from++;
    }
    while (to > from && start + (to - 1) * axis->dilation >= axis->in) {
        to--;
    }
    *count = to - from;
    return from;
}

#endif
