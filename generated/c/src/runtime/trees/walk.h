/* Walks from roots to leaves; see forest.h. */
#ifndef OPMILL_TREES_WALK_H
#define OPMILL_TREES_WALK_H

#include "runtime/trees/forest.h"

enum { OPMILL_WALK_LANES = 8 };

/* Lane i walks from roots[i * root_step] with the row that begins at rows[i * row_step]. */
typedef struct opmill_walk {
    int64_t root_step, row_step;
    uint32_t node_mask, feature_mask, depth;
} opmill_walk;

/* Writes the leaf of each lane, of which any number may be returned for a damaged form. The rows
 * are floats or doubles, as the nodes are. */
void opmill_walk_lanes(const opmill_forest *forest, const opmill_walk *walk, const uint32_t *roots,
                       const void *rows, uint32_t *leaves);

#endif
