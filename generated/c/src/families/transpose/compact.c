/* Transpose, compact: elements in the order of y, by the steps of its axes in x. */
#include "families/transpose/compact.h"

#include <string.h>

#include "runtime/compact/compact_steps.h"

static void transpose(const opmill_tensor *x, const opmill_tensor *y,
                      const opmill_transpose_plan *plan, int32_t bytes) {
    opmill_compact_steps steps;
    const char *const from = x->data;
    char *to = y->data;
    int32_t step[OPMILL_COMPACT_RANK], next = 1;
    for (int32_t i = x->rank - 1; i >= 0; i--) {
        step[i] = next;
        next *= (int32_t)x->dims[i];
    }
    opmill_compact_steps_begin(&steps, y);
    for (int32_t i = 0; i < y->rank; i++) {
        steps.step[i] = step[plan->axes.values[i]];
    }
    for (int32_t left = next, at = 0; left > 0; left--, at = opmill_compact_next(&steps, at)) {
        memcpy(to, from + (ptrdiff_t)at * bytes, (size_t)bytes);
        to += bytes;
    }
}

#define DEFINE(bytes)                                                                         \
    int opmill_transpose_compact_##bytes(const opmill_tensor *x, opmill_tensor *y,            \
                                         const opmill_transpose_plan *plan,                   \
                                         opmill_context *context) {                           \
        (void)context;                                                                        \
        transpose(x, y, plan, bytes);                                                         \
        return OPMILL_OK;                                                                     \
    }
DEFINE(1)
DEFINE(2)
DEFINE(4)
DEFINE(8)
