/* Builds forms; see forest.h. A walk through the trees numbers nodes as it first meets them. */
#include "runtime/trees/forest.h"

#include <math.h>
#include <string.h>

#include "runtime/numbers/integers.h"
#include "runtime/call/message.h"
#include "runtime/numbers/reals.h"
#include "runtime/trees/parts.h"

enum { NUMBERS_LIMIT = INT32_MAX / 2 };

/* The smallest power of 2 that is not less, at least 1. */
static int64_t power_of_2(int64_t count) {
    int64_t power = 1;
    while (power < count) {
        power *= 2;
    }
    return power;
}

/* True if 32 bits hold all numbers of a form. */
static bool is_countable(const opmill_forest_counts *counts) {
    return counts->nodes <= NUMBERS_LIMIT && counts->leaves <= NUMBERS_LIMIT &&
           counts->votes <= NUMBERS_LIMIT && counts->trees <= NUMBERS_LIMIT &&
           counts->total <= NUMBERS_LIMIT;
}

/* Sets the parts in memory that begins at an address, or at NULL for their sizes alone. */
static uint64_t set_parts(opmill_forest *forest, const opmill_forest_counts *counts, void *memory) {
    const int64_t nodes = power_of_2(counts->total), leaves = power_of_2(counts->leaves);
    opmill_parts parts = {memory, 0};
    memset(forest, 0, sizeof *forest);
    forest->counts = *counts;
    forest->node_mask = (uint32_t)(nodes - 1);
    forest->leaf_mask = (uint32_t)(leaves - 1);
    forest->head = opmill_part(&parts, 1, sizeof *forest->head);
    if (counts->doubles) {
        forest->doubles = opmill_part(&parts, nodes, sizeof *forest->doubles);
    } else {
        forest->floats = opmill_part(&parts, nodes, sizeof *forest->floats);
    }
    forest->roots = opmill_part(&parts, counts->trees, sizeof *forest->roots);
    forest->firsts = opmill_part(&parts, leaves + 1, sizeof *forest->firsts);
    forest->targets = opmill_part(&parts, counts->votes, sizeof *forest->targets);
    /* A walk that adds one vote for each leaf takes any leaf's. */
    forest->weights = opmill_part(&parts, leaves > counts->votes ? leaves : counts->votes,
                                  sizeof *forest->weights);
    return parts.bytes;
}

uint64_t opmill_forest_bytes(const opmill_forest_counts *counts) {
    opmill_forest forest;
    return is_countable(counts) ? set_parts(&forest, counts, NULL) : UINT64_MAX;
}

opmill_forest opmill_forest_at(const opmill_forest_counts *counts, void *memory) {
    opmill_forest forest;
    set_parts(&forest, counts, memory);
    return forest;
}

/* The scratch memory of a walk. */
typedef struct walk {
    uint32_t *numbers; /* of each node in the form */
    uint32_t *leaves;  /* of each leaf in the form; NONE for one that is not reached */
    uint32_t *heights; /* of each node, the longest path to a leaf */
    uint32_t *stack;
    uint32_t *sets;  /* of each node the first of its members; only where there are sets */
    uint8_t *states; /* of each node: how many sides have been entered, then DONE */
    uint32_t next;   /* the next number */
} walk;

static const uint32_t NONE = UINT32_MAX;

enum { NEW = 0, BOTH = 2, DONE = 3 };

static uint64_t set_walk(walk *path, const opmill_forest_counts *counts, void *memory) {
    opmill_parts parts = {memory, 0};
    path->numbers = opmill_part(&parts, counts->nodes, sizeof *path->numbers);
    path->leaves = opmill_part(&parts, counts->leaves, sizeof *path->leaves);
    path->heights = opmill_part(&parts, counts->nodes, sizeof *path->heights);
    path->stack = opmill_part(&parts, counts->nodes, sizeof *path->stack);
    path->sets = opmill_part(&parts, counts->nodes, sizeof *path->sets);
    path->states = opmill_part(&parts, counts->nodes, sizeof *path->states);
    path->next = 0;
    return parts.bytes;
}

uint64_t opmill_forest_scratch_bytes(const opmill_forest_counts *counts) {
    walk path;
    return is_countable(counts) ? set_walk(&path, counts, NULL) : UINT64_MAX;
}

static double member_at(const opmill_forest_lists *lists, uint32_t i) {
    return opmill_real_at(lists->members->data, lists->members->type, i);
}

/* Finds the first member of each set. */
static void find_sets(walk *path, const opmill_forest_lists *lists) {
    uint32_t at = 0;
    for (int64_t i = 0; i < lists->counts.nodes && lists->members != NULL; i++) {
        path->sets[i] = at;
        if (lists->modes[i] == OPMILL_BRANCH_MEMBER) {
            while (!isnan(member_at(lists, at))) {
                at++;
            }
            at++;
        }
    }
}

/* Number of nodes that replace one node: one for each member of a set, at least one. */
static uint32_t node_width(const walk *path, const opmill_forest_lists *lists, uint32_t node) {
    uint32_t count = 0;
    if (lists->modes[node] != OPMILL_BRANCH_MEMBER) {
        return 1;
    }
    while (!isnan(member_at(lists, path->sets[node] + count))) {
        count++;
    }
    return count > 0 ? count : 1;
}

static void number_node(walk *path, const opmill_forest_lists *lists, uint32_t node) {
    path->numbers[node] = path->next;
    path->next += node_width(path, lists, node);
}

static void number_leaf(walk *path, int32_t follower) {
    uint32_t *const number = &path->leaves[~follower];
    if (*number == NONE) {
        *number = path->next++;
    }
}

static uint32_t height_of(const walk *path, int32_t follower) {
    return follower < 0 ? 0 : path->heights[follower];
}

static int refuse_cycle(int32_t node, opmill_context *context) {
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, "node ");
    opmill_put_int(&message, node);
    opmill_put_text(&message, " is its own descendant, expected trees without cycles");
    return OPMILL_ERROR_CALL;
}

/* Numbers what follows a root, which is a new node. */
static int walk_tree(walk *path, const opmill_forest_lists *lists, int32_t root,
                     opmill_context *context) {
    uint32_t count = 0;
    number_node(path, lists, (uint32_t)root);
    path->stack[count++] = (uint32_t)root;
    while (count > 0) {
        const uint32_t node = path->stack[count - 1];
        const int32_t *const next = lists->next + 2 * (size_t)node;
        if (path->states[node] == BOTH) {
            const uint32_t no = height_of(path, next[0]), yes = height_of(path, next[1]);
            path->heights[node] = (no > yes ? no : yes) + node_width(path, lists, node);
            path->states[node] = DONE;
            count--;
            continue;
        }
        const int32_t child = next[path->states[node] == NEW ? 1 : 0];
        path->states[node]++;
        if (child < 0) {
            number_leaf(path, child);
        } else if (path->states[child] == NEW) {
            number_node(path, lists, (uint32_t)child);
            path->stack[count++] = (uint32_t)child;
        } else if (path->states[child] != DONE) {
            return refuse_cycle(child, context);
        }
    }
    return OPMILL_OK;
}

static uint32_t number_of(const walk *path, int32_t follower) {
    return follower < 0 ? path->leaves[~follower] : path->numbers[follower];
}

static void put_node(opmill_forest *forest, uint32_t number, double split, uint32_t feature,
                     uint32_t next0, uint32_t next1) {
    if (forest->doubles != NULL) {
        forest->doubles[number] = (opmill_double_node){split, feature, {next0, next1}};
    } else {
        forest->floats[number] = (opmill_float_node){(float)split, feature, {next0, next1}};
    }
}

/* One node for each member of a set: the first one that is equal leads to where `yes` is. */
static void put_set(opmill_forest *forest, const walk *path, const opmill_forest_lists *lists,
                    uint32_t node, uint32_t feature, uint32_t no, uint32_t yes) {
    const uint32_t number = path->numbers[node], width = node_width(path, lists, node);
    for (uint32_t i = 0; i < width; i++) {
        put_node(forest, number + i, member_at(lists, path->sets[node] + i),
                 feature | OPMILL_NODE_EQUAL, i + 1 < width ? number + i + 1 : no, yes);
        feature &= ~OPMILL_NODE_NAN; /* has been decided by the first */
    }
}

/* Writes an inner node; returns its flags. */
static uint32_t put_inner(opmill_forest *forest, const walk *path, const opmill_forest_lists *lists,
                          uint32_t node) {
    static const uint32_t FLAGS[] = {
        [OPMILL_BRANCH_LEQ] = OPMILL_NODE_LESS | OPMILL_NODE_EQUAL,
        [OPMILL_BRANCH_LT] = OPMILL_NODE_LESS,
        [OPMILL_BRANCH_GTE] = OPMILL_NODE_LESS,
        [OPMILL_BRANCH_GT] = OPMILL_NODE_LESS | OPMILL_NODE_EQUAL,
        [OPMILL_BRANCH_EQ] = OPMILL_NODE_EQUAL,
        [OPMILL_BRANCH_NEQ] = OPMILL_NODE_EQUAL,
        [OPMILL_BRANCH_MEMBER] = OPMILL_NODE_EQUAL,
    };
    const uint8_t mode = lists->modes[node];
    /* These are compared by their opposites: NaN, which neither is, changes sides too. */
    const bool is_opposite =
        mode == OPMILL_BRANCH_GTE || mode == OPMILL_BRANCH_GT || mode == OPMILL_BRANCH_NEQ;
    const bool missing = lists->missing != NULL && lists->missing[node] != 0;
    const uint32_t flags = FLAGS[mode] | (missing != is_opposite ? OPMILL_NODE_NAN : 0);
    const uint32_t feature = (uint32_t)lists->features[node] | flags;
    const int32_t *const next = lists->next + 2 * (size_t)node;
    const uint32_t no = number_of(path, next[is_opposite ? 1 : 0]);
    const uint32_t yes = number_of(path, next[is_opposite ? 0 : 1]);
    if (mode == OPMILL_BRANCH_MEMBER) {
        put_set(forest, path, lists, node, feature, no, yes);
    } else {
        put_node(forest, path->numbers[node],
                 opmill_real_at(lists->splits->data, lists->splits->type, node), feature, no, yes);
    }
    return flags;
}

/* Writes all nodes that have been reached. */
static void put_nodes(opmill_forest *forest, const walk *path, const opmill_forest_lists *lists) {
    opmill_forest_head *const head = forest->head;
    uint32_t any = 0, all = UINT32_MAX;
    for (int64_t i = 0; i < lists->counts.nodes; i++) {
        if (path->states[i] == DONE) {
            const uint32_t flags = put_inner(forest, path, lists, (uint32_t)i);
            any |= flags;
            all &= flags;
            if (lists->features[i] > head->top_feature) {
                head->top_feature = lists->features[i];
            }
        }
    }
    for (int64_t i = 0; i < lists->counts.leaves; i++) {
        if (path->leaves[i] != NONE) {
            put_node(forest, path->leaves[i], (double)NAN, 0, path->leaves[i], (uint32_t)i);
        }
    }
    head->variant = OPMILL_WALK_ANY;
    if ((any & OPMILL_NODE_NAN) == 0 && (all & OPMILL_NODE_LESS) != 0) {
        head->variant = (all & OPMILL_NODE_EQUAL) != 0   ? OPMILL_WALK_LEQ
                        : (any & OPMILL_NODE_EQUAL) == 0 ? OPMILL_WALK_LT
                                                         : OPMILL_WALK_ANY;
    }
}

static void put_votes(opmill_forest *forest, const opmill_forest_lists *lists) {
    const int64_t leaves = lists->counts.leaves;
    const int64_t count = lists->firsts != NULL ? lists->firsts[leaves] : lists->counts.votes;
    opmill_forest_head *const head = forest->head;
    head->is_single = count == leaves;
    head->is_positive = 1;
    head->only_target = lists->counts.votes > 0 ? (int32_t)lists->targets[0] : -1;
    for (int64_t i = 0; i < lists->counts.votes; i++) {
        if (lists->targets[i] != lists->targets[0]) {
            head->only_target = -1;
        }
        const double weight = opmill_real_at(lists->weights->data, lists->weights->type, i);
        head->is_positive = head->is_positive != 0 && weight >= 0;
    }
    for (int64_t i = 0; i <= leaves; i++) {
        forest->firsts[i] = (uint32_t)(lists->firsts != NULL ? lists->firsts[i] : i);
        head->is_single = head->is_single != 0 && forest->firsts[i] == (uint32_t)i;
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t vote = lists->order != NULL ? lists->order[i] : i;
        const double weight = opmill_real_at(lists->weights->data, lists->weights->type, vote);
        forest->targets[i] = (uint32_t)lists->targets[vote];
        forest->weights[i] = weight;
        head->is_single = head->is_single != 0 && forest->targets[i] == forest->targets[0];
        head->has_negative_zero = head->has_negative_zero != 0 || (weight == 0 && signbit(weight));
    }
}

int opmill_forest_build(opmill_forest *forest, const opmill_forest_lists *lists, void *scratch,
                        opmill_context *context) {
    walk path;
    const opmill_forest_counts counts = lists->counts;
    /* Whatever is not reached is read by nobody, but a form has no memory that is unset. */
    memset(forest->head, 0, (size_t)opmill_forest_bytes(&forest->counts));
    set_walk(&path, &counts, scratch);
    memset(path.states, NEW, (size_t)counts.nodes);
    memset(path.leaves, 0xff, (size_t)counts.leaves * sizeof *path.leaves);
    find_sets(&path, lists);
    forest->head->top_feature = -1;
    forest->head->trees = (uint32_t)counts.trees;
    for (int64_t i = 0; i < counts.trees; i++) {
        const int32_t root = lists->roots[i];
        if (root < 0) {
            number_leaf(&path, root);
        } else if (path.states[root] == NEW) {
            const int code = walk_tree(&path, lists, root, context);
            if (code != OPMILL_OK) {
                return code;
            }
        }
        forest->roots[i] = number_of(&path, root);
        if (height_of(&path, root) > forest->head->depth) {
            forest->head->depth = height_of(&path, root);
        }
    }
    put_nodes(forest, &path, lists);
    put_votes(forest, lists);
    forest->head->is_built = 1;
    return OPMILL_OK;
}
