/* Sums and products of tensors that are broadcast, compact: one walk for all operations. */
#include "families/elementwise_binary/compact_broadcast.h"

#include "runtime/compact/compact_steps.h"
#include "runtime/quantized/compact.h"

static int compute(const opmill_tensor *a, const opmill_tensor *b, const opmill_tensor *y,
                   const opmill_elementwise_binary_plan *plan, float (*of)(float a, float b)) {
    opmill_compact_steps of_a, of_b;
    const float *const left = a->data, *const right = b->data;
    float *to = y->data;
    int32_t at_a = 0, at_b = 0;
    opmill_compact_broadcast(&of_a, y, a, y->rank - a->rank);
    opmill_compact_broadcast(&of_b, y, b, (int32_t)plan->first);
    for (int32_t left_over = opmill_compact_count(y); left_over > 0; left_over--) {
        *to++ = of(left[at_a], right[at_b]);
        at_a = opmill_compact_next(&of_a, at_a);
        at_b = opmill_compact_next(&of_b, at_b);
    }
    return OPMILL_OK;
}

#define DEFINE(name, expression)                                                              \
    static float name(float a, float b) { return expression; }                                \
    int opmill_##name##_broadcast(const opmill_tensor *a, const opmill_tensor *b,             \
                                  opmill_tensor *y, const opmill_elementwise_binary_plan *plan, \
                                  opmill_context *context) {                                  \
        (void)context;                                                                        \
        return compute(a, b, y, plan, name);                                                  \
    }

DEFINE(add, a + b)
DEFINE(sub, a - b)
DEFINE(mul, a *b)
