/* Softmax, compact: one line after the other. */
#include "families/softmax/compact.h"

#include <math.h>

#include "runtime/compact/compact_lanes.h"
#include "runtime/math/exponential.h"

/* The sum of a block, in the order of the library: lanes, then the rest. */
static float sum_of(const float *x, int32_t count) {
    float lanes[OPMILL_LANES], sum = 0;
    int32_t i = 0;
    if (count >= OPMILL_LANES) {
        for (; i + OPMILL_LANES <= count; i += OPMILL_LANES) {
            for (int32_t k = 0; k < OPMILL_LANES; k++) {
                lanes[k] = i == 0 ? x[k] : lanes[k] + x[i + k];
            }
        }
        sum = opmill_compact_join(lanes);
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

static void softmax(const float *x, float *y, int32_t length) {
    double sum = 0;
    exponentials(x, y, length);
    for (int32_t i = 0; i < length; i += OPMILL_LANES_BLOCK) {
        const int32_t left = length - i;
        sum += (double)sum_of(y + i, left < OPMILL_LANES_BLOCK ? left : OPMILL_LANES_BLOCK);
    }
    multiply(y, length, (float)(1 / sum));
}

/* The quotient of two floats is the same whether it is rounded to double before or not. */
static void short_softmax(const float *x, float *y, int32_t length) {
    exponentials(x, y, length);
    multiply(y, length, 1 / sum_of(y, length));
}

void opmill_softmax_compact(const void *x, void *y, const opmill_softmax_compact_plan *plan) {
    for (int32_t i = 0; i < plan->lines; i++) {
        softmax((const float *)x + i * plan->length, (float *)y + i * plan->length, plan->length);
    }
}

void opmill_softmax_compact_short(const void *x, void *y, const opmill_softmax_compact_plan *plan) {
    for (int32_t i = 0; i < plan->lines; i++) {
        short_softmax((const float *)x + i * plan->length, (float *)y + i * plan->length,
                      plan->length);
    }
}
