/* See lists.h. Nodes are found by their ids in an order that is sorted once; as ids usually count
 * up, the first guess is right. */
#include "runtime/trees/lists.h"

#include <string.h>

#include "runtime/call/message.h"
#include "runtime/trees/parts.h"
#include "runtime/call/workspace.h"

enum { LEAF = 7 };

/* State of building, beside the lists. */
typedef struct builder {
    const opmill_tree_lists *lists;
    const int64_t *tree_ids, *node_ids;
    int64_t nodes, votes;
    int32_t *sorted, *spare; /* positions of nodes, in the order of tree and node ids */
    int32_t *ranks;          /* of each node in that order */
    int32_t *followers;      /* of each node its position, or ~i for leaf i */
    int32_t *next, *roots, *owners, *order;
    int64_t *firsts;
    uint8_t *modes;
    void *rest; /* for the walk */
    opmill_context *context;
} builder;

const opmill_tensor *opmill_either_list(const opmill_tensor *a, const opmill_tensor *b) {
    return a->type != OPMILL_UNDEFINED && a->dims[0] > 0   ? a
           : b->type != OPMILL_UNDEFINED && b->dims[0] > 0 ? b
                                                           : NULL;
}

static const opmill_tensor *weights_of(const opmill_tree_lists *lists) {
    return opmill_either_list(lists->weights, lists->weight_doubles);
}

/* True if integers become floats before they are compared with thresholds. */
static bool narrows(const opmill_tree_lists *lists) {
    return opmill_either_list(lists->values, lists->value_doubles)->type == OPMILL_FLOAT;
}

/* Bounds of the lengths, for features of a type. */
static opmill_forest_counts counts_of(const opmill_tree_lists *lists, int32_t type) {
    const int64_t nodes = lists->tree_ids->dims[0];
    const opmill_tensor *const weights = weights_of(lists);
    const bool has_doubles = weights != NULL && weights->type == OPMILL_DOUBLE;
    return (opmill_forest_counts){
        .nodes = nodes,
        .leaves = nodes,
        .total = nodes,
        .trees = nodes,
        .votes = weights != NULL ? weights->dims[0] : 0,
        .doubles = type == OPMILL_DOUBLE || !narrows(lists),
        .wide = type != OPMILL_FLOAT || has_doubles,
    };
}

static uint64_t set_builder(builder *links, const opmill_forest_counts *counts, void *scratch) {
    opmill_parts parts = {scratch, 0};
    links->nodes = counts->nodes;
    links->votes = counts->votes;
    links->sorted = opmill_part(&parts, links->nodes, sizeof *links->sorted);
    links->spare = opmill_part(&parts, links->nodes, sizeof *links->spare);
    links->ranks = opmill_part(&parts, links->nodes, sizeof *links->ranks);
    links->followers = opmill_part(&parts, links->nodes, sizeof *links->followers);
    links->next = opmill_part(&parts, 2 * links->nodes, sizeof *links->next);
    links->roots = opmill_part(&parts, links->nodes, sizeof *links->roots);
    links->owners = opmill_part(&parts, links->votes, sizeof *links->owners);
    links->order = opmill_part(&parts, links->votes, sizeof *links->order);
    links->firsts = opmill_part(&parts, links->nodes + 1, sizeof *links->firsts);
    links->modes = opmill_part(&parts, links->nodes, sizeof *links->modes);
    links->rest = scratch != NULL ? (char *)scratch + (size_t)parts.bytes : NULL;
    return parts.bytes;
}

static uint64_t building_bytes(const opmill_forest_counts *counts) {
    builder links;
    const uint64_t walk = opmill_forest_scratch_bytes(counts);
    return walk != UINT64_MAX ? set_builder(&links, counts, NULL) + walk : UINT64_MAX;
}

static const int64_t *ints_of(const opmill_tensor *tensor) { return tensor->data; }

/* The number of a mode; -1 for another word. */
static int mode_of(const char *word) {
    static const char *const ENDS[] = {"LEQ", "LT", "GTE", "GT", "EQ", "NEQ"};
    static const char START[] = {'B', 'R', 'A', 'N', 'C', 'H', '_'};
    if (strncmp(word, START, sizeof START) != 0) {
        return strcmp(word, "LEAF") == 0 ? LEAF : -1;
    }
    for (int mode = 0; mode <= OPMILL_BRANCH_NEQ; mode++) {
        if (strcmp(word + sizeof START, ENDS[mode]) == 0) {
            return mode;
        }
    }
    return -1;
}

static int read_modes(const builder *links) {
    const char *const *const words = links->lists->modes->data;
    for (int64_t i = 0; i < links->nodes; i++) {
        const int mode = mode_of(words[i]);
        if (mode < 0) {
            opmill_message message = opmill_contents_begin(links->context);
            opmill_put_text(&message, "nodes_modes[");
            opmill_put_int(&message, i);
            opmill_put_text(&message, "] is '");
            opmill_put_string(&message, words[i], strlen(words[i]));
            opmill_put_text(&message,
                            "', expected 'LEAF' or 'BRANCH_' with LEQ, LT, GTE, GT, EQ or NEQ");
            return OPMILL_ERROR_CALL;
        }
        links->modes[i] = (uint8_t)mode;
    }
    return OPMILL_OK;
}

/* Compares the ids of a node with a pair: negative where they come before it, 0 where equal. */
static int compare(const builder *links, int32_t node, int64_t tree, int64_t id) {
    const int64_t own_tree = links->tree_ids[node], own_id = links->node_ids[node];
    return own_tree != tree ? (own_tree < tree ? -1 : 1)
           : own_id != id   ? (own_id < id ? -1 : 1)
                            : 0;
}

static bool is_ordered(const builder *links, int32_t a, int32_t b) {
    return compare(links, a, links->tree_ids[b], links->node_ids[b]) <= 0;
}

/* Merges two sorted runs, of which the first one's nodes come first where ids are equal. */
static void merge(const builder *links, const int32_t *from, int32_t *to, int64_t first,
                  int64_t middle, int64_t end) {
    int64_t a = first, b = middle;
    for (int64_t i = first; i < end; i++) {
        const bool takes_a = a < middle && (b >= end || is_ordered(links, from[a], from[b]));
        to[i] = takes_a ? from[a++] : from[b++];
    }
}

static void sort(builder *links) {
    bool is_sorted = true;
    for (int64_t i = 0; i < links->nodes; i++) {
        links->sorted[i] = (int32_t)i;
        is_sorted = is_sorted && (i == 0 || is_ordered(links, (int32_t)i - 1, (int32_t)i));
    }
    for (int64_t width = 1; width < links->nodes && !is_sorted; width *= 2) {
        int32_t *const from = links->sorted;
        for (int64_t first = 0; first < links->nodes; first += 2 * width) {
            const int64_t middle = first + width < links->nodes ? first + width : links->nodes;
            const int64_t end = middle + width < links->nodes ? middle + width : links->nodes;
            merge(links, from, links->spare, first, middle, end);
        }
        links->sorted = links->spare;
        links->spare = from;
    }
    for (int64_t rank = 0; rank < links->nodes; rank++) {
        links->ranks[links->sorted[rank]] = (int32_t)rank;
    }
}

/* Refuses two nodes with the same ids, by the first one that repeats another's. */
static int check_ids(const builder *links) {
    int32_t wrong = INT32_MAX;
    for (int64_t rank = 1; rank < links->nodes; rank++) {
        const int32_t a = links->sorted[rank - 1], b = links->sorted[rank];
        if (b < wrong && compare(links, a, links->tree_ids[b], links->node_ids[b]) == 0) {
            wrong = b;
        }
    }
    if (wrong == INT32_MAX) {
        return OPMILL_OK;
    }
    opmill_message message = opmill_contents_begin(links->context);
    opmill_put_text(&message, "nodes_nodeids[");
    opmill_put_int(&message, wrong);
    opmill_put_text(&message, "] is ");
    opmill_put_int(&message, links->node_ids[wrong]);
    opmill_put_text(&message, ", expected one node of this id in tree ");
    opmill_put_int(&message, links->tree_ids[wrong]);
    return OPMILL_ERROR_CALL;
}

/* The node of these ids; -1 for none. `near` is one whose ids are likely to be near. */
static int32_t find(const builder *links, int32_t near, int64_t tree, int64_t id) {
    const uint64_t guess =
        (uint64_t)links->ranks[near] + (uint64_t)id - (uint64_t)links->node_ids[near];
    int64_t first = 0, end = links->nodes;
    if (guess < (uint64_t)links->nodes && compare(links, links->sorted[guess], tree, id) == 0) {
        return links->sorted[guess];
    }
    while (first < end) {
        const int64_t middle = first + (end - first) / 2;
        const int order = compare(links, links->sorted[middle], tree, id);
        if (order == 0) {
            return links->sorted[middle];
        }
        if (order < 0) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return -1;
}

/* "<name>[i] is 5, expected a node of tree 0" */
static int refuse_id(const builder *links, const char *name, int64_t i, int64_t id, int64_t tree) {
    opmill_message message = opmill_contents_begin(links->context);
    opmill_put_text(&message, name);
    opmill_put_text(&message, "[");
    opmill_put_int(&message, i);
    opmill_put_text(&message, "] is ");
    opmill_put_int(&message, id);
    opmill_put_text(&message, ", expected a node of tree ");
    opmill_put_int(&message, tree);
    return OPMILL_ERROR_CALL;
}

static int refuse_feature(const builder *links, int64_t i, int64_t feature, int64_t count) {
    opmill_message message = opmill_contents_begin(links->context);
    opmill_put_text(&message, "nodes_featureids[");
    opmill_put_int(&message, i);
    opmill_put_text(&message, "] is ");
    opmill_put_int(&message, feature);
    opmill_put_text(&message, ", expected 0 to ");
    opmill_put_int(&message, count - 1);
    return OPMILL_ERROR_CALL;
}

/* Numbers the leaves; returns how many there are. */
static int64_t number_leaves(const builder *links) {
    int32_t leaves = 0;
    for (int64_t i = 0; i < links->nodes; i++) {
        links->followers[i] = links->modes[i] == LEAF ? ~leaves++ : (int32_t)i;
    }
    return leaves;
}

/* Finds what follows each node. */
static int link_nodes(const builder *links, int64_t feature_count) {
    const opmill_tree_lists *const lists = links->lists;
    const int64_t *const features = ints_of(lists->features);
    const char *const names[] = {"nodes_truenodeids", "nodes_falsenodeids"};
    const int64_t *const ids[] = {ints_of(lists->true_ids), ints_of(lists->false_ids)};
    for (int64_t i = 0; i < links->nodes; i++) {
        if (links->modes[i] == LEAF) {
            continue;
        }
        if (features[i] < 0 || features[i] >= feature_count) {
            return refuse_feature(links, i, features[i], feature_count);
        }
        for (int side = 0; side < 2; side++) {
            const int32_t found = find(links, (int32_t)i, links->tree_ids[i], ids[side][i]);
            if (found < 0) {
                return refuse_id(links, names[side], i, ids[side][i], links->tree_ids[i]);
            }
            links->next[2 * i + 1 - side] = links->followers[found];
        }
    }
    return OPMILL_OK;
}

/* Finds the leaf of each vote, and the votes of each leaf in their order; those for a node that is
 * none count for nothing. */
static int link_votes(const builder *links, int64_t leaves) {
    const opmill_tree_lists *const lists = links->lists;
    const int64_t *const firsts = links->firsts;
    int32_t near = 0, *const cursors = links->spare;
    memset(links->firsts, 0, (size_t)(leaves + 1) * sizeof *links->firsts);
    for (int64_t i = 0; i < links->votes; i++) {
        const int64_t tree = ints_of(lists->vote_trees)[i], id = ints_of(lists->vote_nodes)[i];
        const int32_t found = find(links, near, tree, id);
        if (found < 0) {
            return refuse_id(links, lists->vote_nodes_name, i, id, tree);
        }
        near = found;
        links->owners[i] = ~links->followers[found];
        if (links->owners[i] >= 0) {
            links->firsts[links->owners[i] + 1]++;
        }
    }
    for (int64_t i = 0; i < leaves; i++) {
        links->firsts[i + 1] += firsts[i];
        cursors[i] = (int32_t)firsts[i];
    }
    for (int64_t i = 0; i < links->votes; i++) {
        if (links->owners[i] >= 0) {
            links->order[cursors[links->owners[i]]++] = (int32_t)i;
        }
    }
    return OPMILL_OK;
}

/* The first listed node of each tree, in the order of the list; returns how many there are. */
static int64_t find_roots(const builder *links) {
    int64_t count = 0;
    int32_t *const is_first = links->spare;
    memset(is_first, 0, (size_t)links->nodes * sizeof *is_first);
    for (int64_t rank = 0; rank < links->nodes;) {
        const int64_t tree = links->tree_ids[links->sorted[rank]];
        int32_t first = links->sorted[rank];
        for (; rank < links->nodes && links->tree_ids[links->sorted[rank]] == tree; rank++) {
            first = links->sorted[rank] < first ? links->sorted[rank] : first;
        }
        is_first[first] = 1;
    }
    for (int64_t i = 0; i < links->nodes; i++) {
        if (is_first[i] != 0) {
            links->roots[count++] = links->followers[i];
        }
    }
    return count;
}

/* Builds a form for rows of so many features. */
static int build(opmill_forest *forest, const opmill_tree_lists *lists, int64_t feature_count,
                 void *scratch, opmill_context *context) {
    builder links;
    set_builder(&links, &forest->counts, scratch);
    links.lists = lists;
    links.tree_ids = ints_of(lists->tree_ids);
    links.node_ids = ints_of(lists->node_ids);
    links.context = context;
    int code = read_modes(&links);
    if (code != OPMILL_OK) {
        return code;
    }
    sort(&links);
    code = check_ids(&links);
    const int64_t leaves = code == OPMILL_OK ? number_leaves(&links) : 0;
    if (code == OPMILL_OK) {
        code = link_nodes(&links, feature_count);
    }
    if (code == OPMILL_OK) {
        code = link_votes(&links, leaves);
    }
    if (code != OPMILL_OK) {
        return code;
    }
    opmill_forest_lists linked = {
        .counts = forest->counts,
        .next = links.next,
        .modes = links.modes,
        .features = ints_of(lists->features),
        .splits = opmill_either_list(lists->values, lists->value_doubles),
        .missing = lists->missing->type != OPMILL_UNDEFINED && lists->missing->dims[0] > 0
                       ? ints_of(lists->missing)
                       : NULL,
        .roots = links.roots,
        .firsts = links.firsts,
        .order = links.order,
        .targets = links.votes > 0 ? ints_of(lists->vote_targets) : NULL,
        .weights = weights_of(lists),
    };
    linked.counts.leaves = leaves;
    linked.counts.trees = find_roots(&links);
    return opmill_forest_build(forest, &linked, links.rest, context);
}

size_t opmill_tree_lists_workspace(const opmill_tree_lists *lists, const opmill_tensor *X,
                                   int64_t targets, const opmill_context *context) {
    const opmill_forest_counts counts = counts_of(lists, X->type);
    const uint64_t run = opmill_forest_run_bytes(&counts, X, targets, context);
    if (opmill_forest_prepared(&counts, context).head != NULL) {
        return opmill_forest_workspace(0, 0, run);
    }
    return opmill_forest_workspace(opmill_forest_bytes(&counts), building_bytes(&counts), run);
}

/* A digest of some values of all lists that a form is built from. */
static int64_t sample_of(const opmill_tree_lists *lists) {
    const opmill_tensor *const parts[] = {
        lists->tree_ids, lists->node_ids,       lists->features,   lists->modes,
        lists->true_ids, lists->false_ids,      lists->values,     lists->value_doubles,
        lists->missing,  lists->vote_trees,     lists->vote_nodes, lists->vote_targets,
        lists->weights,  lists->weight_doubles,
    };
    uint64_t digest = 0;
    int64_t key;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        digest = opmill_packing_sample(digest, parts[i]);
    }
    memcpy(&key, &digest, sizeof key);
    return key;
}

int opmill_tree_lists_arrange(const opmill_tree_lists *lists, const opmill_tensor *X,
                              int64_t targets, opmill_packing *packing, void *to,
                              opmill_context *context) {
    const opmill_forest_counts counts = counts_of(lists, X->type);
    const int64_t keys[OPMILL_PACKING_KEYS] = {
        X->type, X->dims[1], targets, counts.nodes, counts.votes, sample_of(lists), narrows(lists),
    };
    packing->bytes = opmill_forest_bytes(&counts);
    memcpy(packing->keys, keys, sizeof keys);
    if (to == NULL) {
        return OPMILL_OK;
    }
    opmill_forest forest = opmill_forest_at(&counts, to);
    return build(&forest, lists, X->dims[1], opmill_workspace_begin(context->workspace), context);
}

int64_t opmill_tree_lists_single(const opmill_tree_lists *lists, const opmill_tensor *X,
                                 int64_t otherwise, const opmill_context *context) {
    const opmill_forest_counts counts = counts_of(lists, X->type);
    const opmill_forest forest = opmill_forest_prepared(&counts, context);
    return forest.head != NULL ? forest.head->only_target : otherwise;
}

int opmill_tree_lists_run(const opmill_tree_lists *lists, opmill_forest_job *job,
                          opmill_context *context) {
    const opmill_forest_counts counts = counts_of(lists, job->X->type);
    char *scratch = opmill_workspace_begin(context->workspace);
    opmill_forest forest = opmill_forest_prepared(&counts, context);
    int code = OPMILL_OK;
    if (forest.head == NULL) {
        forest = opmill_forest_at(&counts, scratch);
        scratch += (size_t)opmill_forest_bytes(&counts);
        code = build(&forest, lists, job->X->dims[1], scratch, context);
    }
    if (code == OPMILL_OK) {
        job->forest = &forest;
        job->narrows = narrows(lists);
        opmill_forest_run(job, scratch, context);
    }
    return code;
}
