/* Softmax of one line, compact. */
#include "families/softmax/compact_line.h"

#include <math.h>

#include "runtime/vectors/lanes.h"
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

/* exp(x - largest). A NaN passes comparisons by; it comes back through the sum. */
static void exponentials(const float *x, float *y, int32_t length) {
    float largest = -INFINITY;
    for (int32_t i = 0; i < length; i++) {
        largest = x[i] > largest ? x[i] : largest;
    }
    for (int32_t i = 0; i < length; i++) {
        y[i] = opmill_exp_float(x[i] - largest);
    }
}

static void multiply(float *y, int32_t length, float factor) {
    for (int32_t i = 0; i < length; i++) {
        y[i] *= factor;
    }
}

void opmill_softmax_compact_line(const float *x, float *y, int32_t length) {
    double sum = 0;
    exponentials(x, y, length);
    for (int32_t i = 0; i < length; i += OPMILL_LANES_BLOCK) {
        const int32_t left = length - i;
        sum += (double)sum_of(y + i, left < OPMILL_LANES_BLOCK ? left : OPMILL_LANES_BLOCK);
    }
    multiply(y, length, (float)(1 / sum));
}

/* The quotient of two floats is the same whether it is rounded to double before or not. */
void opmill_softmax_compact_short_line(const float *x, float *y, int32_t length) {
    exponentials(x, y, length);
    multiply(y, length, 1 / sum_of(y, length));
}
