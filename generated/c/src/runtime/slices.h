/* Slices of one size that follow each other in the output, from anywhere in the input. */
#ifndef OPMILL_SLICES_H
#define OPMILL_SLICES_H

#include <stdint.h>
#include <string.h>

#define OPMILL_MOVE_SLICES(bytes)                                                 \
    for (int64_t i = 0; i < count; i++) {                                         \
        memcpy(to + i * (bytes), from + offsets[i] * (bytes), (size_t)(bytes));   \
    }

/* Slice i of the output is slice offsets[i] of the input. */
static inline void opmill_move_slices(void *out, const void *in, const int64_t *offsets,
                                      int64_t count, int64_t slice) {
    const uint8_t *const from = in;
    uint8_t *const to = out;
    switch (slice) { /* sizes that a few registers hold: no call of memcpy */
    case 1:
        OPMILL_MOVE_SLICES(1)
        break;
    case 2:
        OPMILL_MOVE_SLICES(2)
        break;
    case 4:
        OPMILL_MOVE_SLICES(4)
        break;
    case 8:
        OPMILL_MOVE_SLICES(8)
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
        OPMILL_MOVE_SLICES(slice)
        break;
    }
}

#endif
