/* SVMClassifier: kernel functions, sums and probabilities in double, rounded to float once. */
#include "families/svm_classifier/kernel.h"

#include <string.h>

#include "runtime/estimators/estimators.h"
#include "runtime/numbers/integers.h"
#include "runtime/estimators/post_transform.h"
#include "runtime/estimators/support_vectors.h"
#include "runtime/call/workspace.h"

/* The doubles of a call in the workspace. */
typedef struct scratch {
    double *features, *kernels, *pairs; /* of a row, its support vectors, its pairs of classes */
    double *r, *q, *qp, *p;             /* for probabilities */
    int64_t *votes;
} scratch;

static double *take(double **next, int64_t count) {
    double *const begin = *next;
    *next += count;
    return begin;
}

/* All lists in one workspace. */
static scratch scratch_of(const opmill_tensor *X, const opmill_svm_classifier_plan *plan,
                          void *workspace) {
    const int64_t classes = plan->classes, square = plan->probabilities > 0 ? classes * classes : 0;
    double *next = opmill_workspace_begin(workspace);
    scratch lists;
    lists.features = take(&next, opmill_feature_count(X));
    lists.kernels = take(&next, plan->vectors);
    lists.pairs = take(&next, plan->rho.dims[0]);
    lists.r = take(&next, square);
    lists.q = take(&next, square);
    lists.qp = take(&next, classes);
    lists.p = take(&next, classes);
    lists.votes = (int64_t *)(void *)next;
    return lists;
}

size_t opmill_svm_classifier_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                             const opmill_shape *Z,
                                             const opmill_svm_classifier_plan *plan,
                                             const opmill_context *context) {
    const int64_t classes = plan->classes, pairs = plan->rho.dims[0];
    int64_t square, words, bytes;
    (void)Y;
    (void)Z;
    (void)context;
    if (plan->vectors < 0) {
        return opmill_features_bytes(X, 1);
    }
    if (opmill_mul(classes, 2 * classes, &square) || opmill_add(square, 3 * classes, &words) ||
        opmill_add(words, opmill_feature_count(X), &words) ||
        opmill_add(words, plan->vectors, &words) || opmill_add(words, pairs, &words) ||
        opmill_mul(words, (int64_t)sizeof(double), &bytes)) {
        return SIZE_MAX;
    }
    return opmill_workspace_size((uint64_t)bytes);
}

/* The weighted kernel functions of the support vectors of a class. */
static double class_sum(const double *kernels, const float *weights, int64_t first, int64_t count) {
    return opmill_dot(kernels + first, weights + first, count);
}

/* Scores each pair of classes, and counts votes. */
static void score_pairs(const scratch *lists, const opmill_svm_classifier_plan *plan) {
    const int64_t *const counts = plan->vectors_per_class.data;
    const float *const weights = plan->coefficients.data, *const rho = plan->rho.data;
    int64_t pair = 0, first_of_i = 0;
    memset(lists->votes, 0, (size_t)plan->classes * sizeof *lists->votes);
    for (int64_t i = 0; i < plan->classes; i++) {
        int64_t first_of_j = first_of_i + counts[i];
        for (int64_t j = i + 1; j < plan->classes; j++, pair++) {
            const float *const of_i = weights + (j - 1) * plan->vectors;
            const float *const of_j = weights + i * plan->vectors;
            lists->pairs[pair] = class_sum(lists->kernels, of_i, first_of_i, counts[i]) +
                                 class_sum(lists->kernels, of_j, first_of_j, counts[j]) +
                                 (double)rho[pair];
            lists->votes[lists->pairs[pair] > 0 ? i : j]++;
            first_of_j += counts[j];
        }
        first_of_i += counts[i];
    }
}

static int64_t most_votes(const int64_t *votes, int64_t classes) {
    int64_t best = 0;
    for (int64_t i = 1; i < classes; i++) {
        best = votes[i] > votes[best] ? i : best;
    }
    return best;
}

static void estimate(const scratch *lists, const opmill_svm_classifier_plan *plan, float *z) {
    const float *const a = plan->prob_a.data, *const b = plan->prob_b.data;
    const int64_t classes = plan->classes;
    int64_t pair = 0;
    for (int64_t i = 0; i < classes; i++) {
        lists->r[i * classes + i] = 0;
        for (int64_t j = i + 1; j < classes; j++, pair++) {
            const double p =
                opmill_pair_probability(lists->pairs[pair], (double)a[pair], (double)b[pair]);
            lists->r[i * classes + j] = p;
            lists->r[j * classes + i] = 1 - p;
        }
    }
    opmill_couple_probabilities(lists->r, classes, lists->q, lists->qp, lists->p);
    for (int64_t i = 0; i < classes; i++) {
        z[i] = (float)lists->p[i];
    }
}

/* The scores of a row from its support vectors; returns the position of its label. */
static int64_t classify(const scratch *lists, const opmill_svm_classifier_plan *plan,
                        int64_t features, float *z) {
    const float *const vectors = plan->support_vectors.data;
    for (int64_t i = 0; i < plan->vectors; i++) {
        lists->kernels[i] = opmill_support_kernel(
            plan->kernel, &plan->kernel_params, lists->features, vectors + i * features, features);
    }
    score_pairs(lists, plan);
    if (plan->probabilities > 0) {
        estimate(lists, plan, z);
    } else if (plan->classes == 2) {
        z[0] = (float)-lists->pairs[0];
        z[1] = (float)lists->pairs[0];
    } else {
        for (int64_t i = 0; i < plan->rho.dims[0]; i++) {
            z[i] = (float)lists->pairs[i];
        }
    }
    return most_votes(lists->votes, plan->classes);
}

/* Scores without support vectors: one offset serves all classes. */
static int64_t classify_linear(const double *features, const opmill_svm_classifier_plan *plan,
                               int64_t count, float *z) {
    const float *const weights = plan->coefficients.data, *const rho = plan->rho.data;
    for (int64_t i = 0; i < plan->classes; i++) {
        z[i] = (float)(opmill_dot(features, weights + i * count, count) + (double)rho[0]);
    }
    return opmill_largest_score(z, plan->classes);
}

int opmill_svm_classifier_compute(const opmill_tensor *X, opmill_tensor *Y, opmill_tensor *Z,
                                  const opmill_svm_classifier_plan *plan, opmill_context *context) {
    const int64_t width = Z->dims[1], count = opmill_feature_count(X);
    scratch lists;
    if (plan->vectors < 0) {
        lists.features = opmill_workspace_begin(context->workspace);
    } else {
        lists = scratch_of(X, plan, context->workspace);
    }
    for (int64_t row = 0; row < Z->dims[0]; row++) {
        float *const z = (float *)Z->data + row * width;
        opmill_read_features(X, row, 1, lists.features);
        const int64_t chosen = plan->vectors < 0 ? classify_linear(lists.features, plan, count, z)
                                                 : classify(&lists, plan, count, z);
        opmill_put_label(Y, row, &plan->labels_ints, &plan->labels_strings, chosen);
        opmill_post_transform(plan->transform, z, OPMILL_FLOAT, 0, width);
    }
    return OPMILL_OK;
}
