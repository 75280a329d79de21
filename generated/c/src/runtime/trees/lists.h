/* Lists of nodes and votes that name each other by ids, as TreeEnsembleClassifier and
 * TreeEnsembleRegressor have them. */
#ifndef OPMILL_TREES_LISTS_H
#define OPMILL_TREES_LISTS_H

#include "runtime/call/prepared.h"
#include "runtime/trees/votes.h"

/* The attributes; those of a tensor that is absent have type OPMILL_UNDEFINED. A list of floats and
 * one of doubles are alternatives, of which one may be empty. */
typedef struct opmill_tree_lists {
    const opmill_tensor *tree_ids, *node_ids, *features, *modes, *true_ids, *false_ids;
    const opmill_tensor *values, *value_doubles, *missing;
    const opmill_tensor *vote_trees, *vote_nodes, *vote_targets;
    const opmill_tensor *weights, *weight_doubles;
    const char *vote_nodes_name;
} opmill_tree_lists;

/* The one of two lists that is present and not empty; NULL for none. */
const opmill_tensor *opmill_either_list(const opmill_tensor *a, const opmill_tensor *b);

/* The bytes of a workspace for opmill_tree_lists_run; SIZE_MAX where a size_t does not hold them.
 */
size_t opmill_tree_lists_workspace(const opmill_tree_lists *lists, const opmill_tensor *X,
                                   int64_t targets, const opmill_context *context);

/* Describes the form of the lists for rows as X and so many targets, and makes it where `to` is not
 * NULL, in the workspace of a call. Refuses what opmill_tree_lists_run refuses. */
int opmill_tree_lists_arrange(const opmill_tree_lists *lists, const opmill_tensor *X,
                              int64_t targets, opmill_packing *packing, void *to,
                              opmill_context *context);

/* The target that all votes of a prepared form are for, -1 for several or none; `otherwise` in
 * calls without a form. */
int64_t opmill_tree_lists_single(const opmill_tree_lists *lists, const opmill_tensor *X,
                                 int64_t otherwise, const opmill_context *context);

/* Builds a form, or takes the prepared one, and runs a job with it, of which X, the targets and
 * what the family does are set. Refuses ids, modes and features that do not exist, and cycles, with
 * OPMILL_ERROR_CALL. */
int opmill_tree_lists_run(const opmill_tree_lists *lists, opmill_forest_job *job,
                          opmill_context *context);

#endif
