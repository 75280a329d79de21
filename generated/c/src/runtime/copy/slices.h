/* Slices of one size that follow each other in the output, from anywhere in the input. */
#ifndef OPMILL_SLICES_H
#define OPMILL_SLICES_H

#include <stdint.h>
#include <string.h>

#include "runtime/platform/platform.h"

enum {
    OPMILL_SLICES_AHEAD = 4,       /* slices that are prefetched: processors do not predict them */
    OPMILL_SLICE_HEAD_BYTES = 256, /* of each; the rest follows */
    OPMILL_SLICE_LINE_BYTES = 64
};

#define OPMILL_MOVE_SLICES(bytes)                                                 \
    for (int64_t i = 0; i < count; i++) {                                         \
        memcpy(to + i * (bytes), from + offsets[i] * (bytes), (size_t)(bytes));   \
    }

/* The same for a few bytes: four slices at a time. */
#define OPMILL_MOVE_SMALL_SLICES(bytes)                                               \
    {                                                                                 \
        int64_t i = 0;                                                                \
        for (; i < count - 3; i += 4) {                                               \
            uint8_t four[4 * (bytes)];                                                \
            memcpy(four, from + offsets[i] * (bytes), bytes);                         \
            memcpy(four + (bytes), from + offsets[i + 1] * (bytes), bytes);           \
            memcpy(four + 2 * (bytes), from + offsets[i + 2] * (bytes), bytes);       \
            memcpy(four + 3 * (bytes), from + offsets[i + 3] * (bytes), bytes);       \
            memcpy(to + i * (bytes), four, sizeof four);                              \
        }                                                                             \
        for (; i < count; i++) {                                                      \
            memcpy(to + i * (bytes), from + offsets[i] * (bytes), bytes);             \
        }                                                                             \
    }

/* Slices that are moved by memcpy. */
static inline void opmill_move_long_slices(uint8_t *to, const uint8_t *from, const int64_t *offsets,
                                           int64_t count, int64_t slice) {
    const int64_t head = slice < OPMILL_SLICE_HEAD_BYTES ? slice : (int64_t)OPMILL_SLICE_HEAD_BYTES;
    for (int64_t i = 0; i < count; i++) {
        if (i + OPMILL_SLICES_AHEAD < count) {
            const uint8_t *const next = from + offsets[i + OPMILL_SLICES_AHEAD] * slice;
            for (int64_t at = 0; at < head; at += OPMILL_SLICE_LINE_BYTES) {
                OPMILL_PREFETCH(next + at);
            }
        }
        memcpy(to + i * slice, from + offsets[i] * slice, (size_t)slice);
    }
}

/* Slice i of the output is slice offsets[i] of the input. */
static inline void opmill_move_slices(void *out, const void *in, const int64_t *offsets,
                                      int64_t count, int64_t slice) {
    const uint8_t *const from = in;
    uint8_t *const to = out;
    switch (slice) { /* sizes that a few registers hold: no call of memcpy */
    case 1:
        OPMILL_MOVE_SMALL_SLICES(1)
        break;
    case 2:
        OPMILL_MOVE_SMALL_SLICES(2)
        break;
    case 4:
        OPMILL_MOVE_SMALL_SLICES(4)
        break;
    case 8:
        OPMILL_MOVE_SMALL_SLICES(8)
        break;
    case 12:
        OPMILL_MOVE_SLICES(12)
        break;
    case 16:
        OPMILL_MOVE_SLICES(16)
        break;
    case 32:
        OPMILL_MOVE_SLICES(32)
        break;
    case 64:
        OPMILL_MOVE_SLICES(64)
        break;
    default:
        opmill_move_long_slices(to, from, offsets, count, slice);
        break;
    }
}

#endif
