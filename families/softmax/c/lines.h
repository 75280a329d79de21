/* Softmax, LogSoftmax and Hardmax of all lines of a tensor.
 *
 * Seen from the axes of its lines, the tensor is matrices, one after the other: a line is a column,
 * or a run of adjacent elements where a matrix has one column. */
#ifndef OPMILL_SOFTMAX_LINES_H
#define OPMILL_SOFTMAX_LINES_H

#include <stdint.h>

#include "opmill/types.h"
#include "runtime/softmax/loops.h"

/* A line has the axes from `begin` to `end`. */
void opmill_softmax_run(opmill_softmax_function function, const opmill_tensor *input, int64_t begin,
                        int64_t end, void *to, const opmill_context *context);

/* Tells how that would be done: `empty`, `rows` or `columns`. */
void opmill_softmax_choose(const opmill_tensor *input, int64_t begin, int64_t end,
                           const opmill_context *context, opmill_choice *choice);

#endif
