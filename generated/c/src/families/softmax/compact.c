/* Softmax, compact: one line after the other. */
#include "families/softmax/compact.h"

#include "families/softmax/compact_line.h"

typedef void line_function(const float *x, float *y, int32_t length);

static int compute(const opmill_tensor *x, const opmill_tensor *y, const opmill_softmax_plan *plan,
                   line_function *line) {
    int32_t lines = 1, length = 1;
    for (int32_t i = 0; i < x->rank; i++) {
        const int32_t dim = (int32_t)x->dims[i];
        *(i >= plan->begin && i < plan->end ? &length : &lines) *= dim;
    }
    for (int32_t i = 0; i < lines; i++) {
        line((const float *)x->data + i * length, (float *)y->data + i * length, length);
    }
    return OPMILL_OK;
}

int opmill_softmax_compact(const opmill_tensor *x, opmill_tensor *y,
                           const opmill_softmax_plan *plan, opmill_context *context) {
    (void)context;
    return compute(x, y, plan, opmill_softmax_compact_line);
}

int opmill_softmax_compact_short(const opmill_tensor *x, opmill_tensor *y,
                                 const opmill_softmax_plan *plan, opmill_context *context) {
    (void)context;
    return compute(x, y, plan, opmill_softmax_compact_short_line);
}
