/* The order of sums that lines and means have, in little code. */
#ifndef OPMILL_COMPACT_LANES_H
#define OPMILL_COMPACT_LANES_H

#include "runtime/vectors/lanes.h"

/* The sum of all lanes, in the order of OPMILL_LANES_JOIN; they are overwritten. */
static inline float opmill_compact_join(float *lanes) {
    for (int half = OPMILL_LANES / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; k++) {
            lanes[k] += lanes[k + half];
        }
    }
    return lanes[0];
}

#endif
