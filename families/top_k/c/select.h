/* The first keys of a row, with their indices, in ascending order; of equal keys the lower index
 * first. */
#ifndef OPMILL_TOP_K_SELECT_H
#define OPMILL_TOP_K_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "families/top_k/keys.h"

/* A key of 32 bits in the upper half, its index in the lower one. */
typedef uint64_t top_k_narrow;

typedef struct top_k_wide {
    uint64_t key, index;
} top_k_wide;

/* Few elements of a row: a heap with the last of those that are the first so far at its root. Keys
 * arrive block by block; then the heap is sorted. */
typedef struct top_k_heap {
    void *pairs;
    int64_t capacity; /* at least 1 */
    int64_t filled;
} top_k_heap;

void opmill_top_k_offer(top_k_heap *heap, const top_k_keys *kind, const void *keys, int64_t first,
                        int64_t count);
void opmill_top_k_sort_heap(top_k_heap *heap, bool is_wide);

/* Many elements of a row: a selection and a sort by digits. `pairs` and `spare` have space for
 * `wanted` pairs each; the one that holds the result is returned. */
void *opmill_top_k_select(const top_k_keys *kind, const void *keys, int64_t count, int64_t wanted,
                          void *pairs, void *spare);

static inline int64_t opmill_top_k_index(const void *pairs, bool is_wide, int64_t i) {
    return is_wide ? (int64_t)((const top_k_wide *)pairs)[i].index
                   : (int64_t)(((const top_k_narrow *)pairs)[i] & UINT32_MAX);
}

#endif
