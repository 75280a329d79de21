/* The mean and the sum of adjacent elements, compact. */
#include "families/reduce/compact.h"

#include <math.h>

#include "families/reduce/walk.h"
#include "runtime/compact/compact_lanes.h"
#include "runtime/quantized/compact.h"

#define NAME(name) name##_of_floats
#define SOURCE float
#define READ(x, i) ((x)[i])
#include "families/reduce/compact_body.h"

#define NAME(name) name##_of_quantized
#define SOURCE opmill_compact_source
#define READ(x, i) opmill_compact_read(x, i)
#include "families/reduce/compact_body.h"

void opmill_reduce_mean_compact(const void *x, void *y,
                                const opmill_reduce_mean_compact_plan *plan) {
    float *to = y;
    for (int32_t row = 0; row < plan->rows; row++) {
        *to++ = mean_of_floats(x, row * plan->length, plan->length);
    }
}

void opmill_reduce_sum_compact(const void *x, void *y, const opmill_reduce_sum_compact_plan *plan) {
    float *to = y;
    for (int32_t row = 0; row < plan->rows; row++) {
        *to++ = (float)total_of_floats(x, row * plan->length, plan->length);
    }
}

typedef float mean_function(const opmill_compact_source *x, int32_t first, int32_t length);

/* The quotient of two floats is the same whether it is rounded to double before or not. */
static float short_mean(const opmill_compact_source *x, int32_t first, int32_t length) {
    return sum_of_quantized(x, first, length) / (float)length;
}

static void quantize_means(const void *x, void *y,
                           const opmill_reduce_mean_quantized_compact_plan *plan,
                           const opmill_limits *limits, mean_function *mean) {
    const opmill_compact_source source = {x, plan->x};
    const opmill_compact_sink sink = opmill_compact_sink_by(y, &plan->y, limits);
    for (int32_t row = 0; row < plan->rows; row++) {
        opmill_compact_write(&sink, row, mean(&source, row * plan->length, plan->length));
    }
}

void opmill_reduce_mean_quantized_compact(const void *x, void *y,
                                          const opmill_reduce_mean_quantized_compact_plan *plan,
                                          const opmill_limits *limits) {
    quantize_means(x, y, plan, limits, mean_of_quantized);
}

void opmill_reduce_mean_quantized_compact_short(
    const void *x, void *y, const opmill_reduce_mean_quantized_compact_plan *plan,
    const opmill_limits *limits) {
    quantize_means(x, y, plan, limits, short_mean);
}
