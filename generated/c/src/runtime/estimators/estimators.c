/* See estimators.h. */
#include "runtime/estimators/estimators.h"

#include "runtime/numbers/integers.h"
#include "runtime/numbers/reals.h"
#include "runtime/call/workspace.h"

int64_t opmill_feature_count(const opmill_tensor *X) { return X->dims[X->rank - 1]; }

size_t opmill_features_bytes(const opmill_tensor *X, int64_t rows) {
    int64_t bytes;
    if (opmill_mul(opmill_feature_count(X), rows, &bytes) ||
        opmill_mul(bytes, (int64_t)sizeof(double), &bytes)) {
        return SIZE_MAX;
    }
    return opmill_workspace_size((uint64_t)bytes);
}

void opmill_read_features(const opmill_tensor *X, int64_t first, int64_t rows, double *features) {
    const int64_t begin = first * opmill_feature_count(X);
    const int64_t count = rows * opmill_feature_count(X);
    switch (X->type) {
    case OPMILL_INT32:
        for (int64_t i = 0; i < count; i++) {
            features[i] = (double)((const int32_t *)X->data)[begin + i];
        }
        break;
    case OPMILL_INT64:
        for (int64_t i = 0; i < count; i++) {
            features[i] = (double)((const int64_t *)X->data)[begin + i];
        }
        break;
    case OPMILL_FLOAT:
        for (int64_t i = 0; i < count; i++) {
            features[i] = (double)((const float *)X->data)[begin + i];
        }
        break;
    default:
        for (int64_t i = 0; i < count; i++) {
            features[i] = opmill_real_at(X->data, X->type, begin + i);
        }
        break;
    }
}

double opmill_dot(const double *x, const float *weights, int64_t count) {
    double sums[4] = {0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int64_t j = 0; j < 4; j++) {
            sums[j] += x[i + j] * (double)weights[i + j];
        }
    }
    for (; i < count; i++) {
        sums[0] += x[i] * (double)weights[i];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void opmill_linear_scores(const double *features, int64_t feature_count,
                          const opmill_tensor *coefficients, const opmill_tensor *intercepts,
                          float *scores, int64_t count) {
    const float *const weights = coefficients->data;
    const float *const added = intercepts->type == OPMILL_UNDEFINED ? NULL : intercepts->data;
    for (int64_t i = 0; i < count; i++) {
        const double sum = opmill_dot(features, weights + i * feature_count, feature_count);
        scores[i] = (float)(sum + (added == NULL ? 0 : (double)added[i]));
    }
}

int64_t opmill_largest_score(const float *scores, int64_t count) {
    int64_t largest = 0;
    for (int64_t i = 1; i < count; i++) {
        largest = scores[i] > scores[largest] ? i : largest;
    }
    return largest;
}

void opmill_put_label(const opmill_tensor *Y, int64_t row, const opmill_tensor *integers,
                      const opmill_tensor *texts, int64_t index) {
    if (Y->type == OPMILL_STRING) {
        ((const char **)Y->data)[row] = ((const char *const *)texts->data)[index];
    } else {
        ((int64_t *)Y->data)[row] = ((const int64_t *)integers->data)[index];
    }
}
