/* DynamicQuantizeLinear: the range of the input, then its elements over the scale, each rounded. */
#include "families/dynamic_quantize/kernel.h"

#include "runtime/quantized/dynamic.h"

int opmill_dynamic_quantize_compute(const opmill_tensor *x, opmill_tensor *y,
                                    opmill_tensor *y_scale, opmill_tensor *y_zero_point,
                                    const opmill_dynamic_quantize_plan *plan,
                                    opmill_context *context) {
    int64_t count = 1;
    (void)plan;
    for (int32_t i = 0; i < x->rank; i++) {
        count *= x->dims[i];
    }
    opmill_quantize_dynamically(x->data, count, y->data, y_scale->data, y_zero_point->data,
                                context);
    return OPMILL_OK;
}
