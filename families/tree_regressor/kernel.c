/* TreeEnsembleRegressor: votes of leaves become one number for each target. */
#include "families/tree_regressor/kernel.h"

#include "runtime/estimators/post_transform.h"
#include "runtime/trees/lists.h"

static opmill_tree_lists lists_of(const opmill_tree_regressor_plan *plan) {
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
        .vote_nodes_name = "target_nodeids",
    };
}

size_t opmill_tree_regressor_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                             const opmill_tree_regressor_plan *plan,
                                             const opmill_context *context) {
    const opmill_tree_lists lists = lists_of(plan);
    return opmill_tree_lists_workspace(&lists, X, Y->dims[1], context);
}

int opmill_tree_regressor_arrange(const opmill_tensor *X, const opmill_shape *Y,
                                  const opmill_tree_regressor_plan *plan, opmill_packing *packing,
                                  void *to, opmill_context *context) {
    const opmill_tree_lists lists = lists_of(plan);

    return opmill_tree_lists_arrange(&lists, X, Y->dims[1], packing, to, context);
}

/* What the rows of a call share. */
typedef struct result {
    float *y;
    const opmill_tensor *base; /* or NULL */
    int64_t transform;
} result;

static void finish(const opmill_forest_job *job, int64_t row, const double *scores) {
    const result *const own = job->state;
    float *const y = own->y + row * job->targets;
    for (int64_t i = 0; i < job->targets; i++) {
        y[i] = (float)opmill_forest_based(job->forest, scores[i], own->base, i);
    }
    opmill_post_transform(own->transform, y, OPMILL_FLOAT, 0, job->targets);
}

int opmill_tree_regressor_compute(const opmill_tensor *X, opmill_tensor *Y,
                                  const opmill_tree_regressor_plan *plan, opmill_context *context) {
    const opmill_tree_lists lists = lists_of(plan);
    const result own = {
        .y = Y->data,
        .base = opmill_either_list(&plan->base_values, &plan->base_values_as_tensor),
        .transform = plan->transform,
    };
    opmill_forest_job job = {
        .X = X,
        .targets = Y->dims[1],
        .aggregate = plan->aggregate,
        .finish = finish,
        .state = &own,
    };
    return opmill_tree_lists_run(&lists, &job, context);
}
