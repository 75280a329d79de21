/* Activations, compact. */
#include "families/elementwise/compact.h"

#include <math.h>

#include "runtime/quantized/compact.h"

#define DEFINE(name, expression)                                                            \
    int opmill_##name##_compact(const opmill_tensor *tensor, opmill_tensor *y,              \
                                const opmill_elementwise_plan *plan,                        \
                                opmill_context *context) {                                  \
        const int32_t count = opmill_compact_count(y);                                      \
        const float alpha = (float)plan->alpha, beta = (float)plan->beta;                   \
        const float *const from = tensor->data;                                             \
        float *const to = y->data;                                                          \
        (void)alpha;                                                                        \
        (void)beta;                                                                         \
        (void)context;                                                                      \
        for (int32_t i = 0; i < count; i++) {                                               \
            const float x = from[i];                                                        \
            to[i] = (expression);                                                           \
        }                                                                                   \
        return OPMILL_OK;                                                                   \
    }

/* The expressions and the order of their operations are those of rows.yaml. */
DEFINE(abs, fabsf(x))
DEFINE(hard_sigmoid, alpha *x + beta < 0 ? 0 : alpha * x + beta > 1 ? 1 : alpha * x + beta)
DEFINE(hard_swish, x *((x + 3 < 0 ? 0 : x + 3 > 6 ? 6 : x + 3) / 6))
DEFINE(leaky_relu, x < 0 ? alpha * x : x)
DEFINE(neg, -x)
DEFINE(relu, x < 0 ? 0 : x) /* a NaN and -0 stay */
