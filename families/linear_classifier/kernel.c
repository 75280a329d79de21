/* LinearClassifier: scores in double, each rounded to float once before a label is chosen. */
#include "families/linear_classifier/kernel.h"

#include "runtime/estimators/estimators.h"
#include "runtime/estimators/post_transform.h"
#include "runtime/call/workspace.h"

size_t opmill_linear_classifier_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                                const opmill_shape *Z,
                                                const opmill_linear_classifier_plan *plan,
                                                const opmill_context *context) {
    (void)Y;
    (void)Z;
    (void)plan;
    (void)context;
    return opmill_features_bytes(X, 1);
}

int opmill_linear_classifier_compute(const opmill_tensor *X, opmill_tensor *Y, opmill_tensor *Z,
                                     const opmill_linear_classifier_plan *plan,
                                     opmill_context *context) {
    double *const features = opmill_workspace_begin(context->workspace);
    const int64_t classes = Z->dims[1], scores = plan->scores, count = opmill_feature_count(X);
    for (int64_t row = 0; row < Z->dims[0]; row++) {
        float *const z = (float *)Z->data + row * classes;
        opmill_read_features(X, row, 1, features);
        /* One score is that of the second class of two. */
        opmill_linear_scores(features, count, &plan->coefficients, &plan->intercepts,
                             z + classes - scores, scores);
        const int64_t chosen = scores == 1 ? z[1] > 0 : opmill_largest_score(z, classes);
        if (scores == 1) {
            z[0] = -z[1];
        }
        opmill_put_label(Y, row, &plan->labels_ints, &plan->labels_strings, chosen);
        opmill_post_transform(plan->transform, z, OPMILL_FLOAT, 0, classes);
    }
    return OPMILL_OK;
}
