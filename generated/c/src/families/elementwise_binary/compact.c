/* Sums and products, compact. */
#include "families/elementwise_binary/compact.h"

void opmill_add_quantized_compact(const void *a, const void *b, void *y,
                                  const opmill_add_quantized_compact_plan *plan,
                                  const opmill_limits *limits) {
    const opmill_compact_source left = {a, plan->a}, right = {b, plan->b};
    const opmill_compact_sink sink = opmill_compact_sink_by(y, &plan->y, limits);
    for (int32_t i = 0; i < plan->count; i++) {
        opmill_compact_write(&sink, i,
                             opmill_compact_read(&left, i) + opmill_compact_read(&right, i));
    }
}

#define DEFINE(function, a, b, expression)                                                       \
    int function(const opmill_tensor *left, const opmill_tensor *right, opmill_tensor *y,         \
                 const opmill_elementwise_binary_plan *plan, opmill_context *context) {           \
        const int32_t count = opmill_compact_count(y);                                            \
        const int32_t left_step = opmill_compact_count(left) == count;                            \
        const int32_t right_step = opmill_compact_count(right) == count;                          \
        const float *lefts = left->data, *rights = right->data;                                   \
        float *const to = y->data;                                                                \
        (void)plan;                                                                               \
        (void)context;                                                                            \
        for (int32_t i = 0; i < count; i++, lefts += left_step, rights += right_step) {           \
            const float a = *lefts, b = *rights;                                                  \
            to[i] = (expression);                                                                 \
        }                                                                                         \
        return OPMILL_OK;                                                                         \
    }

DEFINE(opmill_add_compact, a, b, a + b)
DEFINE(opmill_sub_compact, a, b, a - b)
DEFINE(opmill_mul_compact, a, b, a *b)
