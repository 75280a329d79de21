/* The direct kernel: each output gathers its taps, in standard C, for every type and shape.
 *
 * It is the one where no faster kernel fits: for tiny calls, wherever the compiler has no vector
 * extensions or OPMILL_PLAIN_C is defined, and where the workspace of the others would be too
 * large. It needs no workspace. The others call it for single rows (phases.h says why).
 */
#ifndef OPMILL_CONV_TRANSPOSE_DIRECT_H
#define OPMILL_CONV_TRANSPOSE_DIRECT_H

#include "problem.h"

/* Outputs [from, to) of the row of map `map` (counted over all groups) of batch item `item` whose
 * coordinates on all axes but the last are `row`. */
void opmill_conv_transpose_direct_row(const conv_transpose_problem *problem, int64_t item,
                                      int64_t map, const int64_t *row, int64_t from, int64_t to);

void opmill_conv_transpose_direct(const conv_transpose_problem *problem, int32_t threads);

#endif
