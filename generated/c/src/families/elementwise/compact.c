/* Relu, compact. */
#include "families/elementwise/compact.h"

#include "runtime/quantized/compact.h"

int opmill_relu_compact(const opmill_tensor *x, opmill_tensor *y,
                        const opmill_elementwise_plan *plan, opmill_context *context) {
    const int32_t count = opmill_compact_count(y);
    const float *const from = x->data;
    float *const to = y->data;
    (void)plan;
    (void)context;
    for (int32_t i = 0; i < count; i++) {
        to[i] = from[i] < 0 ? 0 : from[i]; /* a NaN and -0 stay */
    }
    return OPMILL_OK;
}
