/* Sums of quantized tensors, compact. */
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
