/* Reductions along some axes, of every type that the operators take.
 *
 * Elements are combined in blocks, and blocks in a wider type, so that an error grows with a block
 * and not with the tensor: sums and magnitudes of float in float and then in double; squares,
 * products and everything of double in double; float16 and bfloat16 as float. Integers wrap around,
 * or become doubles where a root or a logarithm follows; their mean is exact. The order in which
 * elements are combined depends on the shape alone: the result has the same bits on every number of
 * threads and every instruction set. */
#ifndef OPMILL_REDUCE_REDUCTION_H
#define OPMILL_REDUCE_REDUCTION_H

#include "opmill/types.h"

typedef enum opmill_reduce_operation {
    OPMILL_REDUCE_L1,
    OPMILL_REDUCE_L2,
    OPMILL_REDUCE_LOG_SUM,
    OPMILL_REDUCE_LOG_SUM_EXP,
    OPMILL_REDUCE_MAX,
    OPMILL_REDUCE_MEAN,
    OPMILL_REDUCE_MIN,
    OPMILL_REDUCE_PROD,
    OPMILL_REDUCE_SUM,
    OPMILL_REDUCE_SUM_SQUARE
} opmill_reduce_operation;

/* Writes to `to` what is left of `data` when it is reduced along the axes that `reduces` marks
 * by 1. */
void opmill_reduce_run(opmill_reduce_operation operation, const opmill_tensor *data,
                       const int64_t *reduces, void *to, const opmill_context *context);

/* Tells how that is done: as one result of all elements, in rows or in columns. */
void opmill_reduce_choose(opmill_reduce_operation operation, const opmill_tensor *data,
                          const int64_t *reduces, const opmill_context *context,
                          opmill_choice *choice);

#endif
