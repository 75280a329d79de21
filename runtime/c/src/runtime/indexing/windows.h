/* Windows that slide along the spatial axes of a pooling. By the time that there are any, the rules
 * have accepted the call. On every axis, tap t of window y is at
 *
 *     x = y * stride + t * dilation - begin
 *
 * and what is not from 0 to in - 1 is padding. */
#ifndef OPMILL_WINDOWS_H
#define OPMILL_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

enum { OPMILL_MAX_WINDOW_AXES = OPMILL_MAX_RANK - 2 };

/* One spatial axis. */
typedef struct opmill_window_axis {
    int64_t in;
    int64_t out;
    int64_t kernel;
    int64_t stride;
    int64_t dilation;
    int64_t begin;
} opmill_window_axis;

/* Elements along an axis: the first, and how many follow each other a dilation apart. */
typedef struct opmill_taps {
    int64_t first;
    int64_t count;
} opmill_taps;

/* Those of window `y` that are no padding. */
static inline opmill_taps opmill_taps_of(const opmill_window_axis *axis, int64_t y) {
    const int64_t start = y * axis->stride - axis->begin;
    if (axis->dilation == 1) { /* without a division */
        const int64_t first = start > 0 ? start : 0, left = axis->kernel - (first - start);
        const int64_t behind = axis->in - first, count = left < behind ? left : behind;
        const opmill_taps adjacent = {count > 0 ? first : 0, count > 0 ? count : 0};
        return adjacent;
    }
    const int64_t skipped = start < 0 ? (-1 - start) / axis->dilation + 1 : 0;
    opmill_taps taps = {0, 0};
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

/* Up to where products of a few numbers of an axis stay within int64. */
static inline bool opmill_window_axis_is_moderate(const opmill_window_axis *axis) {
    const int64_t moderate = 1 << 30;
    return axis->in < moderate && axis->out < moderate && axis->kernel < moderate &&
           axis->stride < moderate && axis->dilation < moderate && axis->begin < moderate &&
           axis->kernel * axis->dilation < moderate;
}

#endif
