/* The mean of adjacent elements, compact. */
#include "families/reduce/compact.h"

#include <math.h>

#include "families/reduce/walk.h"
#include "runtime/lanes.h"

#define SUM(a, b) ((a) + (b))

/* The sum of a block, in the order of the library: lanes, and the rest. */
static double block(const float *x, int32_t count) {
    float lanes[OPMILL_LANES], rest = 0;
    double whole = 0;
    int32_t i = 0;
    for (; i < OPMILL_LANES; i++) {
        lanes[i] = 0;
    }
    for (i = 0; i + OPMILL_LANES <= count; i += OPMILL_LANES) {
        for (int32_t k = 0; k < OPMILL_LANES; k++) {
            lanes[k] += x[i + k];
        }
    }
    const bool has_lanes = i > 0;
    for (; i < count; i++) {
        rest += x[i];
    }
    if (has_lanes) {
        OPMILL_LANES_JOIN(lanes, SUM);
        rest = lanes[0] + rest;
    }
    if (isfinite(rest)) {
        return (double)rest;
    }
    for (i = 0; i < count; i++) { /* floats are infinite where doubles are not */
        whole += (double)x[i];
    }
    return whole;
}

int opmill_reduce_mean_compact(const opmill_tensor *x, opmill_tensor *y,
                               const opmill_reduce_plan *plan, opmill_context *context) {
    const float *from = x->data;
    float *to = y->data;
    int32_t rows = 1, length = 1;
    (void)context;
    for (int32_t i = 0; i < x->rank; i++) {
        *(plan->reduces.values[i] != 0 ? &length : &rows) *= (int32_t)x->dims[i];
    }
    for (int32_t row = 0; row < rows; row++) {
        double total = 0;
        for (int32_t i = 0; i < length; i += OPMILL_REDUCE_BLOCK) {
            const int32_t left = length - i;
            total += block(from + i, left < OPMILL_REDUCE_BLOCK ? left : OPMILL_REDUCE_BLOCK);
        }
        from += length;
        *to++ = (float)(total / (double)length);
    }
    return OPMILL_OK;
}
