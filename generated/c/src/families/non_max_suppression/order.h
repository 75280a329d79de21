/* Scores in falling order, a part at a time: a few selected boxes rarely need all of them. */
#ifndef OPMILL_NON_MAX_SUPPRESSION_ORDER_H
#define OPMILL_NON_MAX_SUPPRESSION_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/platform/platform.h"

enum { NMS_BUCKETS = OPMILL_ON_STACK(2048, 256) };

/* An entry has the score's key above and the box below: ascending entries have falling scores, of
 * equal ones the lower box first, NaN last. */
typedef struct nms_order {
    uint64_t *all; /* of each of the three lists, as many entries as there are scores */
    uint64_t *part;
    uint64_t *spare;
    int64_t count;  /* of all entries */
    int64_t wanted; /* entries of the next part, about */
    int32_t bucket; /* the first that is not in a part yet; NMS_BUCKETS at the end */
    uint32_t sizes[NMS_BUCKETS];
} nms_order;

/* Takes `count` scores; with `filters`, those alone that are at least `lowest`. The first parts
 * have about `wanted` entries. The lists are the caller's. */
void opmill_nms_order_begin(nms_order *order, const float *scores, int64_t count, bool filters,
                            float lowest, int64_t wanted);

/* The next part, in order, and how many entries it has; 0 at the end. */
const uint64_t *opmill_nms_order_next(nms_order *order, int64_t *count);

#endif
