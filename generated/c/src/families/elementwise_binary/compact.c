/* Sums and products, compact. */
#include "families/elementwise_binary/compact.h"

#include "runtime/quantized/compact.h"

int opmill_add_quantized(const opmill_tensor *a, const opmill_tensor *a_scale,
                         const opmill_tensor *a_zero, const opmill_tensor *b,
                         const opmill_tensor *b_scale, const opmill_tensor *b_zero,
                         const opmill_tensor *y_scale, const opmill_tensor *y_zero,
                         opmill_tensor *y, const opmill_elementwise_binary_plan *plan,
                         opmill_context *context) {
    const opmill_compact_source left = opmill_compact_source_of(a, a_scale, a_zero);
    const opmill_compact_source right = opmill_compact_source_of(b, b_scale, b_zero);
    const opmill_compact_sink sink = opmill_compact_sink_of(y, y_scale, y_zero, context->limits);
    const int32_t count = opmill_compact_count(y);
    (void)plan;
    for (int32_t i = 0; i < count; i++) {
        opmill_compact_write(&sink, i,
                             opmill_compact_read(&left, i) + opmill_compact_read(&right, i));
    }
    return OPMILL_OK;
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
