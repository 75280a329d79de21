/* TreeEnsemble: nodes and leaves follow each other by position; each leaf has one vote. */
#include "families/tree_ensemble/kernel.h"

#include <math.h>
#include <string.h>

#include "runtime/numbers/integers.h"
#include "runtime/call/message.h"
#include "runtime/estimators/post_transform.h"
#include "runtime/numbers/reals.h"
#include "runtime/trees/parts.h"
#include "runtime/trees/votes.h"
#include "runtime/call/workspace.h"

static int64_t length_of(const opmill_tensor *list) {
    return list->type != OPMILL_UNDEFINED ? list->dims[0] : 0;
}

static opmill_forest_counts counts_of(const opmill_tensor *X,
                                      const opmill_tree_ensemble_plan *plan) {
    const int64_t nodes = length_of(&plan->nodes_featureids);
    const int64_t leaves = length_of(&plan->leaf_weights);
    opmill_forest_counts counts = {
        .nodes = nodes,
        .leaves = leaves,
        .trees = length_of(&plan->tree_roots),
        .votes = leaves,
        .doubles = X->type == OPMILL_DOUBLE,
        .wide = X->type == OPMILL_DOUBLE,
    };
    if (opmill_add(nodes + leaves, length_of(&plan->membership_values), &counts.total)) {
        counts.total = INT64_MAX;
    }
    return counts;
}

/* The lists of a call as building reads them, in scratch memory, and what is behind them. */
typedef struct links {
    int32_t *next, *roots;
    void *rest;
} links;

static uint64_t set_links(links *lists, const opmill_forest_counts *counts, void *scratch) {
    opmill_parts parts = {scratch, 0};
    lists->next = opmill_part(&parts, 2 * counts->nodes, sizeof *lists->next);
    lists->roots = opmill_part(&parts, counts->trees, sizeof *lists->roots);
    lists->rest = scratch != NULL ? (char *)scratch + (size_t)parts.bytes : NULL;
    return parts.bytes;
}

size_t opmill_tree_ensemble_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                            const opmill_tree_ensemble_plan *plan,
                                            const opmill_context *context) {
    const opmill_forest_counts counts = counts_of(X, plan);
    const uint64_t form = opmill_forest_bytes(&counts);
    uint64_t building = opmill_forest_scratch_bytes(&counts);
    links lists;
    if (opmill_forest_prepared(&counts, context).head != NULL) {
        return opmill_forest_workspace(0, 0,
                                       opmill_forest_run_bytes(&counts, X, Y->dims[1], context));
    }
    if (form == UINT64_MAX || building == UINT64_MAX) {
        return SIZE_MAX;
    }
    building += set_links(&lists, &counts, NULL);
    return opmill_forest_workspace(form, building,
                                   opmill_forest_run_bytes(&counts, X, Y->dims[1], context));
}

/* Refuses a mode that does not exist, and sets that are not one for each node that has one. */
static int check_sets(const opmill_tree_ensemble_plan *plan, opmill_context *context) {
    const uint8_t *const modes = plan->nodes_modes.data;
    const opmill_tensor *const members = &plan->membership_values;
    const int64_t count = length_of(members);
    int64_t nodes = 0, sets = 0;
    for (int64_t i = 0; i < length_of(&plan->nodes_featureids); i++) {
        if (modes[i] > OPMILL_BRANCH_MEMBER) {
            opmill_message message = opmill_contents_begin(context);
            opmill_put_text(&message, "nodes_modes[");
            opmill_put_int(&message, i);
            opmill_put_text(&message, "] is ");
            opmill_put_int(&message, modes[i]);
            opmill_put_text(&message, ", expected 0 to 6");
            return OPMILL_ERROR_CALL;
        }
        nodes += modes[i] == OPMILL_BRANCH_MEMBER;
    }
    if (count > 0 && !isnan(opmill_real_at(members->data, members->type, count - 1))) {
        opmill_message message = opmill_contents_begin(context);
        opmill_put_text(&message,
                        "membership_values has no NaN at its end, expected one after each set");
        return OPMILL_ERROR_CALL;
    }
    for (int64_t i = 0; i < count; i++) {
        sets += isnan(opmill_real_at(members->data, members->type, i)) != 0;
    }
    if (sets != nodes) {
        opmill_message message = opmill_contents_begin(context);
        opmill_put_text(&message, "membership_values has ");
        opmill_put_count(&message, sets, "set", "sets");
        opmill_put_text(&message, ", expected ");
        opmill_put_int(&message, nodes);
        opmill_put_text(&message, " (nodes of mode 6)");
        return OPMILL_ERROR_CALL;
    }
    return OPMILL_OK;
}

/* The position of a node, or ~i for leaf i. */
static int32_t follower(const opmill_tensor *ids, const opmill_tensor *leaves, int64_t i) {
    const int32_t id = (int32_t)((const int64_t *)ids->data)[i];
    return ((const int64_t *)leaves->data)[i] != 0 ? ~id : id;
}

static int build(opmill_forest *forest, const opmill_tree_ensemble_plan *plan, void *scratch,
                 opmill_context *context) {
    const opmill_forest_counts counts = forest->counts;
    const bool tracks = length_of(&plan->nodes_missing) > 0;
    links linked;
    const int code = check_sets(plan, context);
    if (code != OPMILL_OK) {
        return code;
    }
    set_links(&linked, &counts, scratch);
    for (int64_t i = 0; i < counts.nodes; i++) {
        linked.next[2 * i] = follower(&plan->nodes_falsenodeids, &plan->nodes_falseleafs, i);
        linked.next[2 * i + 1] = follower(&plan->nodes_truenodeids, &plan->nodes_trueleafs, i);
    }
    for (int64_t i = 0; i < counts.trees; i++) {
        linked.roots[i] = (int32_t)((const int64_t *)plan->tree_roots.data)[i];
    }
    const opmill_forest_lists lists = {
        .counts = counts,
        .next = linked.next,
        .modes = plan->nodes_modes.data,
        .features = plan->nodes_featureids.data,
        .splits = &plan->nodes_splits,
        .missing = tracks ? plan->nodes_missing.data : NULL,
        .members = length_of(&plan->membership_values) > 0 ? &plan->membership_values : NULL,
        .roots = linked.roots,
        .targets = plan->leaf_targetids.data,
        .weights = &plan->leaf_weights,
    };
    return opmill_forest_build(forest, &lists, linked.rest, context);
}

int opmill_tree_ensemble_arrange(const opmill_tensor *X, const opmill_shape *Y,
                                 const opmill_tree_ensemble_plan *plan, opmill_packing *packing,
                                 void *to, opmill_context *context) {
    const opmill_forest_counts counts = counts_of(X, plan);
    const opmill_tensor *const parts[] = {
        &plan->tree_roots,         &plan->nodes_featureids,  &plan->nodes_modes,
        &plan->nodes_splits,       &plan->nodes_truenodeids, &plan->nodes_trueleafs,
        &plan->nodes_falsenodeids, &plan->nodes_falseleafs,  &plan->nodes_missing,
        &plan->membership_values,  &plan->leaf_targetids,    &plan->leaf_weights,
    };
    uint64_t digest = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        digest = opmill_packing_sample(digest, parts[i]);
    }
    const int64_t keys[OPMILL_PACKING_KEYS] = {
        X->type, X->dims[1], Y->dims[1], counts.nodes, counts.leaves, counts.trees, counts.total,
    };
    packing->bytes = opmill_forest_bytes(&counts);
    memcpy(packing->keys, keys, sizeof keys);
    memcpy(&packing->keys[OPMILL_PACKING_KEYS - 1], &digest, sizeof digest);
    if (to == NULL) {
        return OPMILL_OK;
    }
    opmill_forest forest = opmill_forest_at(&counts, to);
    return build(&forest, plan, opmill_workspace_begin(context->workspace), context);
}

/* What the rows of a call share. */
typedef struct result {
    opmill_tensor *Y;
    int64_t transform;
} result;

static void finish(const opmill_forest_job *job, int64_t row, const double *scores) {
    const result *const own = job->state;
    const int64_t first = row * job->targets;
    for (int64_t i = 0; i < job->targets; i++) {
        opmill_real_put(own->Y->data, own->Y->type, first + i, scores[i]);
    }
    opmill_post_transform(own->transform, own->Y->data, own->Y->type, first, job->targets);
}

int opmill_tree_ensemble_compute(const opmill_tensor *X, opmill_tensor *Y,
                                 const opmill_tree_ensemble_plan *plan, opmill_context *context) {
    const opmill_forest_counts counts = counts_of(X, plan);
    char *scratch = opmill_workspace_begin(context->workspace);
    opmill_forest forest = opmill_forest_prepared(&counts, context);
    int code = OPMILL_OK;
    if (forest.head == NULL) {
        forest = opmill_forest_at(&counts, scratch);
        scratch += (size_t)opmill_forest_bytes(&counts);
        code = build(&forest, plan, scratch, context);
    }
    const result own = {Y, plan->transform};
    const opmill_forest_job job = {
        .forest = &forest,
        .X = X,
        .targets = Y->dims[1],
        .aggregate = plan->aggregate,
        .finish = finish,
        .state = &own,
    };
    if (code == OPMILL_OK) {
        opmill_forest_run(&job, scratch, context);
    }
    return code;
}
