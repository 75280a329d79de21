/* TreeEnsembleClassifier: votes of leaves are added for each class, whose largest sum decides; if
 * all votes of two classes are for one of them, the sign of its sum, or half of 1. */
#include "families/tree_classifier/kernel.h"

#include "runtime/estimators/estimators.h"
#include "runtime/estimators/post_transform.h"
#include "runtime/trees/lists.h"

static opmill_tree_lists lists_of(const opmill_tree_classifier_plan *plan) {
    return (opmill_tree_lists){
        .tree_ids = &plan->nodes_treeids,
        .node_ids = &plan->nodes_nodeids,
        .features = &plan->nodes_featureids,
        .modes = &plan->nodes_modes,
        .true_ids = &plan->nodes_truenodeids,
        .false_ids = &plan->nodes_falsenodeids,
        .values = &plan->nodes_values,
        .value_doubles = &plan->nodes_values_as_tensor,
        .missing = &plan->nodes_missing,
        .vote_trees = &plan->vote_treeids,
        .vote_nodes = &plan->vote_nodeids,
        .vote_targets = &plan->vote_ids,
        .weights = &plan->vote_weights,
        .weight_doubles = &plan->vote_weights_as_tensor,
        .vote_nodes_name = "class_nodeids",
    };
}

/* The class of two that all votes are for; -1 where sums of all classes are computed. */
static int64_t single_of(const opmill_tensor *X, const opmill_tree_classifier_plan *plan,
                         int64_t classes, const opmill_context *context) {
    const opmill_tree_lists lists = lists_of(plan);
    const int64_t single = opmill_tree_lists_single(&lists, X, plan->single, context);
    return classes == 2 && single >= 0 && single < 2 ? single : -1;
}

size_t opmill_tree_classifier_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                              const opmill_shape *Z,
                                              const opmill_tree_classifier_plan *plan,
                                              const opmill_context *context) {
    const opmill_tree_lists lists = lists_of(plan);
    const bool has_single = single_of(X, plan, Z->dims[1], context) >= 0;
    (void)Y;
    return opmill_tree_lists_workspace(&lists, X, has_single ? 1 : Z->dims[1], context);
}

int opmill_tree_classifier_arrange(const opmill_tensor *X, const opmill_shape *Y,
                                   const opmill_shape *Z, const opmill_tree_classifier_plan *plan,
                                   opmill_packing *packing, void *to, opmill_context *context) {
    const opmill_tree_lists lists = lists_of(plan);
    (void)Y;
    return opmill_tree_lists_arrange(&lists, X, Z->dims[1], packing, to, context);
}

/* What the rows of a call share. */
typedef struct result {
    const opmill_tensor *Y;
    float *z;
    int64_t classes, single;
    const opmill_tree_classifier_plan *plan;
    const opmill_tensor *base; /* or NULL */
} result;

/* Writes two scores for one, which is that of the second class; returns the label's position. */
static int64_t split_score(const opmill_forest_job *job, double sum, float *z) {
    const result *const own = job->state;
    const int64_t transform = own->plan->transform, single = own->single;
    const bool has_one = own->base != NULL && own->base->dims[0] == 1;
    const float score =
        (float)opmill_forest_based(job->forest, sum, own->base, has_one ? 0 : single);
    const bool is_positive = job->forest->head->is_positive != 0;
    const bool is_probit = transform == OPMILL_TRANSFORM_PROBIT;
    const bool is_plain = transform == OPMILL_TRANSFORM_NONE;
    z[0] = is_probit || (is_plain && is_positive) ? 1 - score : -score;
    z[1] = score;
    return score > (is_positive && (is_plain || is_probit) ? 0.5F : 0);
}

static void finish(const opmill_forest_job *job, int64_t row, const double *scores) {
    const result *const own = job->state;
    const opmill_tree_classifier_plan *const plan = own->plan;
    float *const z = own->z + row * own->classes;
    int64_t chosen;
    if (own->single >= 0) {
        chosen = split_score(job, scores[0], z);
    } else {
        for (int64_t i = 0; i < own->classes; i++) {
            z[i] = (float)opmill_forest_based(job->forest, scores[i], own->base, i);
        }
        chosen = opmill_largest_score(z, own->classes);
    }
    opmill_put_label(own->Y, row, &plan->labels_ints, &plan->labels_strings, chosen);
    opmill_post_transform(plan->transform, z, OPMILL_FLOAT, 0, own->classes);
}

int opmill_tree_classifier_compute(const opmill_tensor *X, opmill_tensor *Y, opmill_tensor *Z,
                                   const opmill_tree_classifier_plan *plan,
                                   opmill_context *context) {
    const opmill_tree_lists lists = lists_of(plan);
    const result own = {
        .Y = Y,
        .z = Z->data,
        .classes = Z->dims[1],
        .single = single_of(X, plan, Z->dims[1], context),
        .plan = plan,
        .base = opmill_either_list(&plan->base_values, &plan->base_values_as_tensor),
    };
    opmill_forest_job job = {
        .X = X,
        .first_target = own.single >= 0 ? own.single : 0,
        .targets = own.single >= 0 ? 1 : Z->dims[1],
        .aggregate = OPMILL_AGGREGATE_SUM,
        .finish = finish,
        .state = &own,
    };
    return opmill_tree_lists_run(&lists, &job, context);
}
