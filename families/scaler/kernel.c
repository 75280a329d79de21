/* Scaler: float is computed in float, every other type in double and rounded to float once. */
#include "families/scaler/kernel.h"

#include "runtime/numbers/elements.h"

/* A list along the features; its step is 0 where one value serves them all. */
typedef struct feature_list {
    const float *values;
    int64_t step;
} feature_list;

static feature_list list_of(const opmill_tensor *list, const float *otherwise) {
    if (list->type == OPMILL_UNDEFINED) {
        return (feature_list){otherwise, 0};
    }
    return (feature_list){list->data, list->dims[0] == 1 ? 0 : 1};
}

#define SCALE_EACH(type, wide)                                                                     \
    for (int64_t row = 0; row < rows; row++) {                                                     \
        const type *const x = (const type *)X->data + row * features;                              \
        float *const y = (float *)Y->data + row * features;                                        \
        for (int64_t i = 0; i < features; i++) {                                                   \
            const wide difference = (wide)x[i] - (wide)offset.values[i * offset.step];             \
            y[i] = (float)(difference * (wide)scale.values[i * scale.step]);                       \
        }                                                                                          \
    }                                                                                              \
    break;

int opmill_scaler_compute(const opmill_tensor *X, opmill_tensor *Y, const opmill_scaler_plan *plan,
                          opmill_context *context) {
    static const float zero = 0, one = 1;
    const feature_list offset = list_of(&plan->offset, &zero);
    const feature_list scale = list_of(&plan->scale, &one);
    const int64_t features = X->dims[X->rank - 1];
    int64_t rows = features > 0;
    for (int32_t i = 0; i + 1 < X->rank; i++) {
        rows *= X->dims[i];
    }
    (void)context;
    switch (X->type) {
    case OPMILL_FLOAT:
        SCALE_EACH(float, float)
    case OPMILL_DOUBLE:
        SCALE_EACH(double, double)
    case OPMILL_INT32:
        SCALE_EACH(int32_t, double)
    default:
        SCALE_EACH(int64_t, double)
    }
    return OPMILL_OK;
}
