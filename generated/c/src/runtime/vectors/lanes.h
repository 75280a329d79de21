/* Runs of elements combined in a fixed order, which is the same for every instruction set and any
 * number of threads: element i of a block goes to lane i modulo 32, lane k is combined with lane
 * k + 16, then k + 8, and so on; what does not fill all lanes is combined last, and so are blocks.
 */
#ifndef OPMILL_LANES_H
#define OPMILL_LANES_H

#include "runtime/platform/platform.h"

enum {
    OPMILL_LANES = 32,
    OPMILL_LANES_BLOCK = 1024, /* adjacent elements whose sum has the type of the elements */
    /* Of these, how many are converted or computed at a time: whole rounds of lanes. */
    OPMILL_LANES_CHUNK = OPMILL_ON_STACK(OPMILL_LANES_BLOCK, 64),
    OPMILL_LANES_ROWS = 64 /* rows whose sums, column by column, have it */
};

/* Before a loop over vectors: unrolled, GCC combines the elements one by one. */
#if OPMILL_GNU && !defined(__clang__)
#define OPMILL_LANES_VECTORS _Pragma("GCC unroll 1")
#else
#define OPMILL_LANES_VECTORS
#endif

/* Combines an array of all lanes in its first element; COMBINE(a, b) is an expression. */
#define OPMILL_LANES_JOIN(lanes, COMBINE)                \
    do {                                                 \
        OPMILL_LANES_VECTORS                             \
        for (int k = 0; k < 16; k++) {                   \
            lanes[k] = COMBINE(lanes[k], lanes[k + 16]); \
        }                                                \
        OPMILL_LANES_VECTORS                             \
        for (int k = 0; k < 8; k++) {                    \
            lanes[k] = COMBINE(lanes[k], lanes[k + 8]);  \
        }                                                \
        OPMILL_LANES_VECTORS                             \
        for (int k = 0; k < 4; k++) {                    \
            lanes[k] = COMBINE(lanes[k], lanes[k + 4]);  \
        }                                                \
        lanes[0] = COMBINE(lanes[0], lanes[2]);          \
        lanes[1] = COMBINE(lanes[1], lanes[3]);          \
        lanes[0] = COMBINE(lanes[0], lanes[1]);          \
    } while (0)

#endif
