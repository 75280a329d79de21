/* Search for the position of the largest or smallest element along an axis. A NaN is taken before
 * any number. */
#ifndef OPMILL_ARG_REDUCE_SEARCH_H
#define OPMILL_ARG_REDUCE_SEARCH_H

#include <stdbool.h>

#include "opmill/types.h"
#include "runtime/platform/platform.h"

enum { OPMILL_ARG_BLOCK = OPMILL_ON_STACK(256, 64) /* elements that are compared together */ };

/* Data as a matrix for each position of the axes before the one that goes: `length` rows of `inner`
 * elements. */
typedef struct opmill_arg_search {
    const void *data;
    int64_t *found;
    int64_t length, inner;
    bool last; /* of equal elements, the last */
} opmill_arg_search;

/* The results from `first` to `first + count` - 1, counted through all matrices; of one matrix,
 * unless `inner` is 1. */
typedef void opmill_arg_loop(const opmill_arg_search *search, int64_t first, int64_t count);

/* The loop for an element type and a level of enum opmill_isa. */
typedef opmill_arg_loop *opmill_arg_finder(int32_t type, int32_t isa);

opmill_arg_finder opmill_arg_largest;
opmill_arg_finder opmill_arg_smallest;

void opmill_arg_run(opmill_arg_finder *finder, const opmill_tensor *data, opmill_tensor *reduced,
                    int32_t axis, bool last, const opmill_context *context);

#endif
