/* SVMRegressor: kernel functions and sums in double, rounded to float once. */
#include "families/svm_regressor/kernel.h"

#include "runtime/estimators/estimators.h"
#include "runtime/estimators/post_transform.h"
#include "runtime/estimators/support_vectors.h"
#include "runtime/call/workspace.h"

size_t opmill_svm_regressor_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                            const opmill_svm_regressor_plan *plan,
                                            const opmill_context *context) {
    (void)Y;
    (void)plan;
    (void)context;
    return opmill_features_bytes(X, 1);
}

int opmill_svm_regressor_compute(const opmill_tensor *X, opmill_tensor *Y,
                                 const opmill_svm_regressor_plan *plan, opmill_context *context) {
    double *const features = opmill_workspace_begin(context->workspace);
    const int64_t count = opmill_feature_count(X);
    const float *const weights = plan->coefficients.data, *const rho = plan->rho.data;
    float *const y = Y->data;
    for (int64_t row = 0; row < Y->dims[0]; row++) {
        double sum = 0;
        opmill_read_features(X, row, 1, features);
        if (plan->n_supports == 0) {
            sum = opmill_dot(features, weights, count);
        }
        for (int64_t i = 0; i < plan->n_supports; i++) {
            const float *const vector = (const float *)plan->support_vectors.data + i * count;
            sum += (double)weights[i] * opmill_support_kernel(plan->kernel, &plan->kernel_params,
                                                              features, vector, count);
        }
        sum += (double)rho[0];
        if (plan->one_class) {
            y[row] = sum > 0 ? 1 : -1;
        } else {
            y[row] = (float)sum;
            opmill_post_transform(plan->transform, y, OPMILL_FLOAT, row, 1);
        }
    }
    return OPMILL_OK;
}
