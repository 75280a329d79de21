/* FeatureVectorizer: rows of several matrices side by side, as floats. */
#include "families/feature_vectorizer/kernel.h"

/* Elements of a tensor from one on. */
static void convert(float *to, const opmill_tensor *from, int64_t begin, int64_t count) {
    switch (from->type) {
    case OPMILL_FLOAT:
        for (int64_t i = 0; i < count; i++) {
            to[i] = ((const float *)from->data)[begin + i];
        }
        break;
    case OPMILL_DOUBLE:
        for (int64_t i = 0; i < count; i++) {
            to[i] = (float)((const double *)from->data)[begin + i];
        }
        break;
    case OPMILL_INT32:
        for (int64_t i = 0; i < count; i++) {
            to[i] = (float)((const int32_t *)from->data)[begin + i];
        }
        break;
    default:
        for (int64_t i = 0; i < count; i++) {
            to[i] = (float)((const int64_t *)from->data)[begin + i];
        }
    }
}

int opmill_feature_vectorizer_compute(const opmill_tensor *const *X, int32_t X_count,
                                      opmill_tensor *Y, const opmill_feature_vectorizer_plan *plan,
                                      opmill_context *context) {
    const int64_t rows = Y->dims[0], columns = Y->dims[1];
    const int64_t *const widths = plan->inputdimensions.data; /* not read if it is absent */
    const bool has_widths = plan->inputdimensions.type != OPMILL_UNDEFINED;
    float *to = Y->data;
    (void)context;
    for (int32_t k = 0; k < X_count; k++) {
        const int64_t size = X[k]->dims[X[k]->rank - 1], width = has_widths ? widths[k] : size;
        const int64_t copied = size < width ? size : width;
        for (int64_t row = 0; row < rows; row++) {
            convert(to + row * columns, X[k], row * size, copied);
            for (int64_t i = copied; i < width; i++) {
                to[row * columns + i] = 0;
            }
        }
        to += width;
    }
    return OPMILL_OK;
}
