/* A walk of several lanes at once, each with a root and a row of features; included for each type
 * of nodes and each variant.
 *
 * Lanes do not wait for each other's loads, and no step has a branch to mispredict. A lane that has
 * reached its leaf stays there. */
static void WALK(const NODE *nodes, const opmill_walk *walk, const uint32_t *roots,
                 const REAL *rows, uint32_t *leaves) {
    const uint32_t node_mask = walk->node_mask, feature_mask = walk->feature_mask;
    uint32_t at[OPMILL_WALK_LANES];
    for (int lane = 0; lane < OPMILL_WALK_LANES; lane++) {
        at[lane] = roots[lane * walk->root_step] & node_mask;
    }
    for (uint32_t step = 0; step < walk->depth; step++) {
        uint32_t moved = 0;
        for (int lane = 0; lane < OPMILL_WALK_LANES; lane++) {
            const NODE *const node = &nodes[at[lane]];
            const REAL split = node->split;
            const REAL x = rows[lane * walk->row_step + (node->feature & feature_mask)];
            const uint32_t next = node->next[TEST] & node_mask;
            moved |= next ^ at[lane];
            at[lane] = next;
        }
        if (moved == 0) {
            break;
        }
    }
    for (int lane = 0; lane < OPMILL_WALK_LANES; lane++) {
        leaves[lane] = nodes[at[lane]].next[1];
    }
}
