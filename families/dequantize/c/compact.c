/* DequantizeLinear, compact. */
#include "families/dequantize/compact.h"

#include <stddef.h>

void opmill_dequantize_one_compact(const void *x, void *y,
                                   const opmill_dequantize_one_compact_plan *plan) {
    const opmill_compact_source source = {x, plan->x};
    float *const to = y;
    for (int32_t i = 0; i < plan->count; i++) {
        to[i] = opmill_compact_read(&source, i);
    }
}

int opmill_dequantize_compact(const opmill_tensor *x, const opmill_tensor *x_scale,
                              const opmill_tensor *x_zero, opmill_tensor *y,
                              const opmill_dequantize_plan *plan, opmill_context *context) {
    const int32_t scales = opmill_compact_count(x_scale), count = opmill_compact_count(x);
    const float *const values = x_scale->data;
    float *to = y->data;
    int32_t inner = count; /* elements that follow each other and have one scale */
    (void)context;
    if (scales > 1) {
        inner = 1;
        for (int32_t i = (int32_t)plan->axis + 1; i < x->rank; i++) {
            inner *= (int32_t)x->dims[i];
        }
    }
    for (int32_t i = 0, k = 0; i < count; k = k + 1 < scales ? k + 1 : 0) {
        const int32_t zero = x_zero != NULL ? opmill_compact_number(x_zero, k) : 0;
        for (const int32_t end = i + inner; i < end; i++) {
            *to++ = (float)(opmill_compact_number(x, i) - zero) * values[k];
        }
    }
    return OPMILL_OK;
}
