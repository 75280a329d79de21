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

typedef struct opmill_reduction opmill_reduction;

extern const opmill_reduction opmill_reduction_l1;
extern const opmill_reduction opmill_reduction_l2;
extern const opmill_reduction opmill_reduction_log_sum;
extern const opmill_reduction opmill_reduction_log_sum_exp;
extern const opmill_reduction opmill_reduction_max;
extern const opmill_reduction opmill_reduction_mean;
extern const opmill_reduction opmill_reduction_min;
extern const opmill_reduction opmill_reduction_prod;
extern const opmill_reduction opmill_reduction_sum;
extern const opmill_reduction opmill_reduction_sum_square;

/* Writes to `to` what is left of `data` when it is reduced along the axes that `reduces` marks
 * by 1. */
void opmill_reduce_run(const opmill_reduction *reduction, const opmill_tensor *data,
                       const int64_t *reduces, void *to, const opmill_context *context);

/* Tells how that is done: as one result of all elements, in rows or in columns. */
void opmill_reduce_choose(const opmill_reduction *reduction, const opmill_tensor *data,
                          const int64_t *reduces, const opmill_context *context,
                          opmill_choice *choice);

#endif
