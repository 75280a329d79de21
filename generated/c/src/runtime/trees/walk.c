/* Walks several lanes, each a tree and a row, from root to leaf at once. Instantiates walk_body.h
 * for float and double nodes, with one comparison for all nodes or one for each node. */
#include "runtime/trees/walk.h"

#define TEST_ANY                                                                                   \
    (((x < split) & (node->feature >> 29)) | ((x == split) & (node->feature >> 30)) |              \
     ((x != x) & (node->feature >> 31)))

#define REAL float
#define NODE opmill_float_node

#define WALK walk_floats_leq
#define TEST x <= split
#include "runtime/trees/walk_body.h"
#undef WALK
#undef TEST

#define WALK walk_floats_lt
#define TEST x < split
#include "runtime/trees/walk_body.h"
#undef WALK
#undef TEST

#define WALK walk_floats_any
#define TEST TEST_ANY
#include "runtime/trees/walk_body.h"
#undef WALK
#undef TEST

#undef REAL
#undef NODE
#define REAL double
#define NODE opmill_double_node

#define WALK walk_doubles_leq
#define TEST x <= split
#include "runtime/trees/walk_body.h"
#undef WALK
#undef TEST

#define WALK walk_doubles_lt
#define TEST x < split
#include "runtime/trees/walk_body.h"
#undef WALK
#undef TEST

#define WALK walk_doubles_any
#define TEST TEST_ANY
#include "runtime/trees/walk_body.h"

void opmill_walk_lanes(const opmill_forest *forest, const opmill_walk *walk, const uint32_t *roots,
                       const void *rows, uint32_t *leaves) {
    const int32_t variant = forest->head->variant;
    if (forest->doubles != NULL) {
        (variant == OPMILL_WALK_LEQ ? walk_doubles_leq
         : variant == OPMILL_WALK_LT
             ? walk_doubles_lt
             : walk_doubles_any)(forest->doubles, walk, roots, rows, leaves);
    } else {
        (variant == OPMILL_WALK_LEQ  ? walk_floats_leq
         : variant == OPMILL_WALK_LT ? walk_floats_lt
                                     : walk_floats_any)(forest->floats, walk, roots, rows, leaves);
    }
}
