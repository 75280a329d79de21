/* LinearRegressor: sums in double, each rounded to float once before the row is transformed. */
#include "families/linear_regressor/kernel.h"

#include "runtime/estimators/estimators.h"
#include "runtime/estimators/post_transform.h"
#include "runtime/call/workspace.h"

size_t opmill_linear_regressor_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                               const opmill_linear_regressor_plan *plan,
                                               const opmill_context *context) {
    (void)Y;
    (void)plan;
    (void)context;
    return opmill_features_bytes(X, 1);
}

int opmill_linear_regressor_compute(const opmill_tensor *X, opmill_tensor *Y,
                                    const opmill_linear_regressor_plan *plan,
                                    opmill_context *context) {
    double *const features = opmill_workspace_begin(context->workspace);
    const int64_t targets = Y->dims[1], count = opmill_feature_count(X);
    for (int64_t row = 0; row < Y->dims[0]; row++) {
        float *const y = (float *)Y->data + row * targets;
        opmill_read_features(X, row, 1, features);
        opmill_linear_scores(features, count, &plan->coefficients, &plan->intercepts, y, targets);
        opmill_post_transform(plan->transform, y, OPMILL_FLOAT, 0, targets);
    }
    return OPMILL_OK;
}
