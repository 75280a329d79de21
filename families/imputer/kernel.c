/* Imputer: a copy with other values where an element equals the replaced one. */
#include "families/imputer/kernel.h"

#include <math.h>

/* One value serves all features where `step` is 0. */
#define REPLACE(type, wide, values, is_replaced)                                                   \
    for (int64_t row = 0; row < rows; row++) {                                                     \
        const type *const x = (const type *)X->data + row * features;                              \
        type *const y = (type *)Y->data + row * features;                                          \
        for (int64_t i = 0; i < features; i++) {                                                   \
            y[i] = (is_replaced) ? (type)((const wide *)(values)->data)[i * step] : x[i];          \
        }                                                                                          \
    }                                                                                              \
    break;

int opmill_imputer_compute(const opmill_tensor *X, opmill_tensor *Y,
                           const opmill_imputer_plan *plan, opmill_context *context) {
    const opmill_tensor *const floats = &plan->imputed_value_floats;
    const opmill_tensor *const integers = &plan->imputed_value_int64s;
    const int64_t features = X->dims[X->rank - 1];
    const int64_t step = (floats->type == OPMILL_FLOAT ? floats : integers)->dims[0] > 1;
    const bool any_nan = isnan(plan->replaced_value_float);
    const double real = plan->replaced_value_float;
    const int64_t whole = plan->replaced_value_int64;
    int64_t rows = features > 0;
    for (int32_t i = 0; i + 1 < X->rank; i++) {
        rows *= X->dims[i];
    }
    (void)context;
    switch (X->type) {
    case OPMILL_FLOAT:
        REPLACE(float, float, floats, any_nan ? isnan(x[i]) : (double)x[i] == real)
    case OPMILL_DOUBLE:
        REPLACE(double, float, floats, any_nan ? isnan(x[i]) : x[i] == real)
    case OPMILL_INT32:
        REPLACE(int32_t, int64_t, integers, (int64_t)x[i] == whole)
    default:
        REPLACE(int64_t, int64_t, integers, x[i] == whole)
    }
    return OPMILL_OK;
}
