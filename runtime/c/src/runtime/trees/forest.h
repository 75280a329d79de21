/* Ensembles of decision trees in the form in which rows of features pass them: nodes in the order
 * of a walk, leaves behind them, and the votes of each leaf.
 *
 * A form is numbers without pointers, so that it can be built once and read in many calls. Whoever
 * reads it limits every index, and the number of steps: a damaged form changes results alone. */
#ifndef OPMILL_TREES_FOREST_H
#define OPMILL_TREES_FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opmill/types.h"

/* The comparisons of nodes, numbered as TreeEnsemble-5 does. */
enum {
    OPMILL_BRANCH_LEQ = 0,
    OPMILL_BRANCH_LT = 1,
    OPMILL_BRANCH_GTE = 2,
    OPMILL_BRANCH_GT = 3,
    OPMILL_BRANCH_EQ = 4,
    OPMILL_BRANCH_NEQ = 5,
    OPMILL_BRANCH_MEMBER = 6
};

/* Aggregation of the votes for a target, numbered as TreeEnsemble-5 does. */
enum {
    OPMILL_AGGREGATE_AVERAGE = 0,
    OPMILL_AGGREGATE_SUM = 1,
    OPMILL_AGGREGATE_MIN = 2,
    OPMILL_AGGREGATE_MAX = 3
};

/* The largest number of features: their positions share a word with three flags. */
enum { OPMILL_FOREST_FEATURES = 1 << 29 };

/* Parameters that determine the size of a form: the lengths of its lists, or bounds of these, and
 * the types of its numbers. */
typedef struct opmill_forest_counts {
    int64_t nodes; /* inner ones, of which some may be unreachable */
    int64_t leaves;
    int64_t total; /* of nodes in the form: those, leaves, and one for each member of a set */
    int64_t trees;
    int64_t votes;
    bool doubles; /* whether features and thresholds are compared as doubles, else as floats */
    bool wide;    /* whether votes are added in double, else in float */
} opmill_forest_counts;

/* An ensemble as lists, from which a form is built. */
typedef struct opmill_forest_lists {
    opmill_forest_counts counts; /* at most those of the form */
    const int32_t *next;  /* of each node, what follows if its comparison is false, then if it is
                           * true: a node, or ~i for leaf i */
    const uint8_t *modes; /* of each node */
    const int64_t *features;
    const opmill_tensor *splits;
    const int64_t *missing;       /* whether NaN counts as true; NULL for nowhere */
    const opmill_tensor *members; /* of the sets, each ended by a NaN */
    const int32_t *roots;         /* of each tree, as `next` */
    const int64_t *firsts;        /* of each leaf the first vote, then the number of votes; NULL
                                   * where each leaf has the vote of its number */
    const int32_t *order;         /* of the votes in the order of leaves; NULL for as they are */
    const int64_t *targets;       /* of the votes */
    const opmill_tensor *weights; /* NULL for no votes */
} opmill_forest_lists;

/* The variants of a walk: all nodes compare with <= or all with <, and NaN is false; or any. */
enum { OPMILL_WALK_LEQ = 0, OPMILL_WALK_LT = 1, OPMILL_WALK_ANY = 2 };

/* The head of a form. */
typedef struct opmill_forest_head {
    int64_t top_feature; /* the largest position of a feature; -1 without inner nodes */
    uint32_t trees, depth;
    int32_t is_built; /* 0 where the lists are no trees */
    int32_t variant;
    int32_t is_single;         /* whether each leaf has one vote, all for one target */
    int32_t has_negative_zero; /* whether some weight is -0 */
    int32_t only_target;       /* the one that all votes are for; -1 for several, or no votes */
    int32_t is_positive;       /* whether all weights are at least 0, also those that count for
                                * nothing */
} opmill_forest_head;

/* A node of a form. Of an inner one, three bits of `feature` state whether a feature below the
 * threshold, one equal to it and NaN continue at next[1]. A leaf follows itself, and next[1] is
 * its number. */
typedef struct opmill_float_node {
    float split;
    uint32_t feature, next[2];
} opmill_float_node;

typedef struct opmill_double_node {
    double split;
    uint32_t feature, next[2];
} opmill_double_node;

#define OPMILL_NODE_LESS (UINT32_C(1) << 29)
#define OPMILL_NODE_EQUAL (UINT32_C(1) << 30)
#define OPMILL_NODE_NAN (UINT32_C(1) << 31)

/* The parts of a form. Masks are powers of 2 minus 1, and the lists are as long. */
typedef struct opmill_forest {
    opmill_forest_counts counts;
    opmill_forest_head *head;
    opmill_float_node *floats; /* or NULL */
    opmill_double_node *doubles;
    uint32_t *roots;   /* of nodes */
    uint32_t *firsts;  /* of each leaf the first vote, then the number of votes */
    uint32_t *targets; /* of the votes */
    double *weights;   /* of the votes, each a number of the type in which they are added */
    uint32_t node_mask, leaf_mask;
} opmill_forest;

/* Size of a form in bytes, a multiple of 64; UINT64_MAX if it overflows. */
uint64_t opmill_forest_bytes(const opmill_forest_counts *counts);

/* The parts of a form in aligned memory. */
opmill_forest opmill_forest_at(const opmill_forest_counts *counts, void *memory);

/* The bytes of scratch memory that building needs; UINT64_MAX as above. */
uint64_t opmill_forest_scratch_bytes(const opmill_forest_counts *counts);

/* Builds a form in aligned memory, whatever that contains. Refuses nodes that are their own
 * descendants with OPMILL_ERROR_CALL. */
int opmill_forest_build(opmill_forest *forest, const opmill_forest_lists *lists, void *scratch,
                        opmill_context *context);

#endif
