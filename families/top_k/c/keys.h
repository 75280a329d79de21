/* Elements as unsigned keys: the smaller the key, the earlier the element in the result. Equal
 * elements have equal keys, which zeros of both signs and all NaNs are among themselves. */
#ifndef OPMILL_TOP_K_KEYS_H
#define OPMILL_TOP_K_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

enum {
    TOP_K_RUN = 32,    /* keys that are compared together */
    TOP_K_COLUMNS = 16 /* that are read together, at most */
};

typedef struct top_k_keys {
    /* Writes the keys of `count` adjacent elements, uint32_t or uint64_t. */
    void (*read)(const void *from, int64_t count, const struct top_k_keys *keys, void *to);

    /* From `first` on in steps of TOP_K_RUN: the first step with a key below the limit, or one that
     * has fewer keys than that left. */
    int64_t (*skip)(const void *keys, int64_t first, int64_t count, uint64_t limit);

    uint64_t infinity; /* the pattern of a floating type's infinity */
    uint64_t flip;     /* what an ordered pattern is combined with */
    int32_t width;     /* of an element, in bits */
    bool is_wide;      /* keys are of 64 bits, not of 32 */
} top_k_keys;

/* Keys of 32 bits are chosen where elements and indices below `length` fit that. */
top_k_keys opmill_top_k_keys(int32_t type, bool largest, int64_t length, int32_t isa);

/* The keys of neighbouring columns, whose rows are `row_bytes` apart: column after column, each of
 * `length` keys. */
void opmill_top_k_read_columns(const top_k_keys *keys, const unsigned char *from, int64_t row_bytes,
                               int64_t length, int64_t columns, void *to);

#endif
