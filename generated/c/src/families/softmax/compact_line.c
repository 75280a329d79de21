/* Softmax of one line, compact. */
#include "families/softmax/compact_line.h"

#include <math.h>

#include "runtime/lanes.h"
#include "runtime/math/exponential.h"

#define SUM(a, b) ((a) + (b))

/* The sum of a block, in the order of the library: lanes, then the rest. */
static float sum_of(const float *x, int32_t count) {
    float lanes[OPMILL_LANES], sum = 0;
    int32_t i = 0;
    if (count >= OPMILL_LANES) {
        for (; i < OPMILL_LANES; i++) {
            lanes[i] = x[i];
        }
        for (; i + OPMILL_LANES <= count; i += OPMILL_LANES) {
            for (int32_t k = 0; k < OPMILL_LANES; k++) {
                lanes[k] += x[i + k];
            }
        }
        OPMILL_LANES_JOIN(lanes, SUM);
        sum = lanes[0];
    }
    for (; i < count; i++) {
        sum += x[i];
    }
    return sum;
}

/* A NaN passes comparisons by; it comes back through the sum. */
void opmill_softmax_compact_line(const float *x, float *y, int32_t length) {
    float largest = -INFINITY;
    double sum = 0;
    for (int32_t i = 0; i < length; i++) {
        largest = x[i] > largest ? x[i] : largest;
    }
    for (int32_t i = 0; i < length; i++) {
        y[i] = opmill_exp_float(x[i] - largest);
    }
    for (int32_t i = 0; i < length; i += OPMILL_LANES_BLOCK) {
        const int32_t left = length - i;
        sum += (double)sum_of(y + i, left < OPMILL_LANES_BLOCK ? left : OPMILL_LANES_BLOCK);
    }
    const float factor = (float)(1 / sum);
    for (int32_t i = 0; i < length; i++) {
        y[i] *= factor;
    }
}
