/* Division of an elementwise output among threads, and the decision that an output is so
 * large that it goes around the caches. */
#ifndef OPMILL_ELEMENTWISE_SHARES_H
#define OPMILL_ELEMENTWISE_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"
#include "runtime/platform/platform.h"

/* Size of the block computed in L1 before it is written around the caches: little, so that it is
 * computed while what came before is on its way to memory. */
enum { OPMILL_STAGE_BYTES = OPMILL_ON_STACK(2 * 1024, 512) };

typedef struct opmill_shares {
    int32_t threads;
    int64_t tasks;
    int64_t step; /* elements of a task; the last may have fewer */
    bool stream;
} opmill_shares;

/* Shares out `count` elements, at least 1, of `bytes` each; tasks begin at multiples of `unit`. */
opmill_shares opmill_share(int64_t count, int32_t bytes, int64_t unit, bool can_stream,
                           const opmill_context *context);

#endif
