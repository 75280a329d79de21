/* Sums along some axes, for every type that operators take which reduce tensors.
 *
 * float16 and bfloat16 are summed as floats, floats in blocks whose sums are added as doubles, so
 * that an error grows with a block and not with the tensor. Integers wrap around. The order in
 * which elements are combined depends on the shape alone: the result has the same bits on every
 * number of threads and every instruction set. */
#ifndef OPMILL_REDUCE_H
#define OPMILL_REDUCE_H

#include "opmill/types.h"

/* Writes to `to` the sums of `data` along the axes that `reduces` marks by 1. */
void opmill_reduce_sum(const opmill_tensor *data, const int64_t *reduces, void *to,
                       const opmill_context *context);

/* Tells how that is done: as one sum of all elements, in rows or in columns. */
void opmill_reduce_choose(const opmill_tensor *data, const int64_t *reduces,
                          const opmill_context *context, opmill_choice *choice);

#endif
