/* QuantizeLinear, compact. */
#include "families/quantize/compact.h"

#include <stddef.h>

void opmill_quantize_one_compact(const void *x, void *y,
                                 const opmill_quantize_one_compact_plan *plan) {
    const opmill_compact_target target = opmill_compact_range(plan->y.lowest, plan->y.zero);
    const float *const from = x;
    uint8_t *const to = y;
    for (int32_t i = 0; i < plan->count; i++) {
        to[i] = opmill_compact_round(from[i] / plan->y.scale, &target);
    }
}

int opmill_quantize_compact(const opmill_tensor *x, const opmill_tensor *y_scale,
                            const opmill_tensor *y_zero, opmill_tensor *y,
                            const opmill_quantize_plan *plan, opmill_context *context) {
    const int32_t scales = opmill_compact_count(y_scale), count = opmill_compact_count(x);
    const float *from = x->data, *const values = y_scale->data;
    uint8_t *to = y->data;
    int32_t inner = count; /* elements that follow each other and have one scale */
    (void)context;
    if (scales > 1) {
        inner = 1;
        for (int32_t i = (int32_t)plan->axis + 1; i < x->rank; i++) {
            inner *= (int32_t)x->dims[i];
        }
    }
    for (int32_t i = 0, k = 0; i < count; k = k + 1 < scales ? k + 1 : 0) {
        const opmill_compact_target target = opmill_compact_target_of(
            y->type, y_zero != NULL ? opmill_compact_number(y_zero, k) : 0);
        for (const int32_t end = i + inner; i < end; i++) {
            *to++ = opmill_compact_round(*from++ / values[k], &target);
        }
    }
    return OPMILL_OK;
}
