/* TfIdfVectorizer: tokens become numbers, those of the pool; the n-grams of the pool become a tree,
 * a node for each of their beginnings; each position of a row is followed through the tree. */
#include "families/tf_idf/kernel.h"

#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/numbers/integers.h"
#include "runtime/call/workspace.h"

/* A step in the tree: from a node by a token to another node, 0 for an unused entry. */
typedef struct edge {
    int64_t node, token, child;
} edge;

/* The pool and what is made of it, in the workspace. */
typedef struct gram_tree {
    const opmill_tensor *pool;
    int64_t tokens, grams, nodes;
    uint64_t mask;    /* of both tables: their size, a power of 2, minus 1 */
    int64_t *numbers; /* a table of positions in the pool, counted from 1; 0 for an unused entry */
    edge *edges;      /* a table */
    int64_t *counts;  /* of each node: how often its n-gram occurs in a row */
    int64_t *node_gram; /* of each node: its n-gram of the pool; -1 for none */
    int64_t *touched;   /* the nodes whose counts are not 0 */
    int64_t touched_count;
    bool is_plain;      /* whether the coordinates of n-grams ascend, and no n-gram occurs twice */
    int64_t *gram_node; /* of each n-gram of the pool: its node; 0 where it is not counted */
    int64_t *row;       /* the tokens of a row: their numbers, 0 for those that the pool lacks */
} gram_tree;

static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static uint64_t hash_text(const char *text) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    }
    return mixed(hash);
}

static const opmill_tensor *pool_of(const opmill_tf_idf_plan *plan) {
    return plan->pool_strings.type == OPMILL_STRING ? &plan->pool_strings : &plan->pool_int64s;
}

/* Sets the sizes, and the number of words that all lists take; true where it exceeds int64. */
static bool describe(gram_tree *tree, const opmill_tensor *X, const opmill_tf_idf_plan *plan,
                     int64_t *words) {
    int64_t size = 2, all, more;
    tree->pool = pool_of(plan);
    tree->tokens = tree->pool->dims[0];
    tree->grams = plan->ngram_indexes.dims[0];
    while (size / 2 < tree->tokens) {
        if (opmill_mul(size, 2, &size)) {
            return true;
        }
    }
    tree->mask = (uint64_t)size - 1;
    /* a table of numbers and one of edges; three lists of as many nodes as tokens, and the root */
    if (opmill_mul(size, 1 + (int64_t)(sizeof(edge) / sizeof(int64_t)), &all) ||
        opmill_mul(tree->tokens + 1, 3, &more) || opmill_add(more, tree->grams, &more) ||
        opmill_add(all, more, &all)) {
        return true;
    }
    return opmill_add(all, X->dims[X->rank - 1], words);
}

size_t opmill_tf_idf_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                     const opmill_tf_idf_plan *plan,
                                     const opmill_context *context) {
    gram_tree tree;
    int64_t words, bytes;
    (void)context;
    if (Y->rank == 2 && Y->dims[0] == 0) {
        return 0;
    }
    if (describe(&tree, X, plan, &words) || opmill_mul(words, (int64_t)sizeof(int64_t), &bytes)) {
        return SIZE_MAX;
    }
    return opmill_workspace_size((uint64_t)bytes);
}

/* The entry of an integer, or the unused one where it belongs. */
static int64_t *find_integer(const gram_tree *tree, int64_t value) {
    const int64_t *const pool = tree->pool->data;
    uint64_t at = mixed((uint64_t)value) & tree->mask;
    while (tree->numbers[at] != 0 && pool[tree->numbers[at] - 1] != value) {
        at = (at + 1) & tree->mask;
    }
    return &tree->numbers[at];
}

static int64_t *find_text(const gram_tree *tree, const char *text) {
    const char *const *const pool = tree->pool->data;
    uint64_t at = hash_text(text) & tree->mask;
    while (tree->numbers[at] != 0 && strcmp(pool[tree->numbers[at] - 1], text) != 0) {
        at = (at + 1) & tree->mask;
    }
    return &tree->numbers[at];
}

/* Token `i` of the pool or of X: its entry among the numbers. */
static int64_t *find(const gram_tree *tree, const opmill_tensor *tensor, int64_t i) {
    switch (tensor->type) {
    case OPMILL_STRING:
        return find_text(tree, ((const char *const *)tensor->data)[i]);
    case OPMILL_INT32:
        return find_integer(tree, ((const int32_t *)tensor->data)[i]);
    default:
        return find_integer(tree, ((const int64_t *)tensor->data)[i]);
    }
}

/* The edge from a node by a token, or the unused one where it belongs. */
static edge *find_edge(const gram_tree *tree, int64_t node, int64_t token) {
    uint64_t at = mixed(mixed((uint64_t)node) + (uint64_t)token) & tree->mask;
    while (tree->edges[at].child != 0 &&
           (tree->edges[at].node != node || tree->edges[at].token != token)) {
        at = (at + 1) & tree->mask;
    }
    return &tree->edges[at];
}

/* Puts an n-gram of the pool into the tree; returns its node. */
static int64_t add_gram(gram_tree *tree, int64_t start, int64_t length) {
    int64_t node = 0;
    for (int64_t i = start; i < start + length; i++) {
        int64_t *const number = find(tree, tree->pool, i);
        *number = *number == 0 ? i + 1 : *number;
        edge *const to = find_edge(tree, node, *number);
        if (to->child == 0) {
            *to = (edge){node, *number, ++tree->nodes};
        }
        node = to->child;
    }
    return node;
}

static void build(gram_tree *tree, const opmill_tf_idf_plan *plan, void *memory) {
    const int64_t size = (int64_t)tree->mask + 1;
    tree->nodes = 0;
    tree->edges = memory;
    tree->numbers = (int64_t *)(void *)(tree->edges + size);
    tree->counts = tree->numbers + size;
    tree->touched = tree->counts + tree->tokens + 1;
    tree->node_gram = tree->touched + tree->tokens + 1;
    tree->gram_node = tree->node_gram + tree->tokens + 1;
    tree->row = tree->gram_node + tree->grams;
    memset(tree->edges, 0, (size_t)size * sizeof *tree->edges);
    memset(tree->numbers, 0, (size_t)size * sizeof *tree->numbers);
    for (int64_t i = 0; i <= tree->tokens; i++) {
        tree->counts[i] = 0;
        tree->node_gram[i] = -1;
    }
    tree->touched_count = 0;
    tree->is_plain = true;
    const int64_t *const indexes = plan->ngram_indexes.data;
    int64_t gram = 0;
    for (int64_t i = 0; i < plan->ngram_counts.count; i++) {
        const bool is_last = i + 1 == plan->ngram_counts.count;
        const int64_t end = is_last ? tree->tokens : plan->ngram_counts.values[i + 1];
        const bool is_counted = plan->min_gram_length <= i + 1 && i < plan->max_gram_length;
        for (int64_t at = plan->ngram_counts.values[i]; at < end; at += i + 1) {
            const int64_t node = is_counted ? add_gram(tree, at, i + 1) : 0;
            tree->is_plain = tree->is_plain && (node == 0 || tree->node_gram[node] < 0) &&
                             (gram == 0 || indexes[gram - 1] < indexes[gram]);
            tree->node_gram[node] = node == 0 ? -1 : gram;
            tree->gram_node[gram++] = node;
        }
    }
}

static void touch(gram_tree *tree, int64_t node) {
    if (tree->counts[node]++ == 0) {
        tree->touched[tree->touched_count++] = node;
    }
}

/* Follows the tokens at every `step` positions from the node of the first one. */
static void follow(gram_tree *tree, const opmill_tf_idf_plan *plan, int64_t node, int64_t start,
                   int64_t step, int64_t length) {
    int64_t at = start + step;
    for (int64_t depth = 2; depth <= plan->max_gram_length && at < length; depth++) {
        node = tree->row[at] == 0 ? 0 : find_edge(tree, node, tree->row[at])->child;
        if (node == 0) {
            return;
        }
        if (depth >= plan->min_gram_length) {
            touch(tree, node);
        }
        at += step;
    }
}

static void count_row(gram_tree *tree, const opmill_tf_idf_plan *plan, int64_t length) {
    for (int64_t i = 0; i < length; i++) {
        const int64_t node = tree->row[i] == 0 ? 0 : find_edge(tree, 0, tree->row[i])->child;
        if (node == 0) {
            continue;
        }
        if (plan->min_gram_length == 1) {
            touch(tree, node);
        }
        if (plan->max_gram_length > 1) {
            const int64_t last = opmill_min(plan->max_skip_count, length - 1 - i - 1);
            for (int64_t skips = 0; skips <= last; skips++) {
                follow(tree, plan, node, i, skips + 1, length);
            }
        }
    }
}

/* What an n-gram that occurs so often contributes. */
static float part_of(const opmill_tf_idf_plan *plan, int64_t gram, int64_t count) {
    const float part = strcmp(plan->mode, "IDF") == 0 ? 1 : (float)count;
    if (plan->weights.type != OPMILL_FLOAT || strcmp(plan->mode, "TF") == 0) {
        return part;
    }
    return part * ((const float *)plan->weights.data)[gram];
}

/* Writes the results of a row, and sets the counts to 0 again. The sum of what n-grams with one
 * coordinate contribute has the order of the pool. */
static void write_row(gram_tree *tree, const opmill_tf_idf_plan *plan, float *row) {
    const int64_t *const indexes = plan->ngram_indexes.data;
    for (int64_t gram = 0; gram < tree->grams && !tree->is_plain; gram++) {
        const int64_t count = tree->counts[tree->gram_node[gram]];
        if (count > 0) {
            row[indexes[gram]] += part_of(plan, gram, count);
        }
    }
    for (int64_t i = 0; i < tree->touched_count; i++) {
        int64_t *const count = &tree->counts[tree->touched[i]];
        const int64_t gram = tree->node_gram[tree->touched[i]];
        if (tree->is_plain && gram >= 0) {
            row[indexes[gram]] += part_of(plan, gram, *count); /* 0 and -0 are 0 */
        }
        *count = 0;
    }
    tree->touched_count = 0;
}

int opmill_tf_idf_compute(const opmill_tensor *X, opmill_tensor *Y, const opmill_tf_idf_plan *plan,
                          opmill_context *context) {
    const int64_t length = X->dims[X->rank - 1], width = Y->dims[Y->rank - 1];
    const int64_t rows = X->rank == 2 ? X->dims[0] : 1;
    int64_t words;
    gram_tree tree;
    if (rows == 0) {
        return OPMILL_OK;
    }
    (void)describe(&tree, X, plan, &words);
    build(&tree, plan, opmill_workspace_begin(context->workspace));
    for (int64_t r = 0; r < rows; r++) {
        float *const row = (float *)Y->data + r * width;
        for (int64_t i = 0; i < length; i++) {
            tree.row[i] = *find(&tree, X, r * length + i);
        }
        memset(row, 0, (size_t)width * sizeof *row);
        count_row(&tree, plan, length);
        write_row(&tree, plan, row);
    }
    return OPMILL_OK;
}
