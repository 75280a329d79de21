/* The weights of a row, and the class at a share of their sum. */
#ifndef OPMILL_MULTINOMIAL_SUMS_H
#define OPMILL_MULTINOMIAL_SUMS_H

#include <stdint.h>

#include "opmill/types.h"
#include "runtime/math/math.h"

/* The running sums of exp(x - max(x)) of a row of a matrix, added in order; `exp` is that loop. */
void opmill_multinomial_add_up(const opmill_tensor *input, int64_t row, opmill_math_loop *exp,
                               double *sums);

/* The first class whose sum is above a share, less than 1, of the last sum. */
int64_t opmill_multinomial_class(const double *sums, int64_t classes, double share);

#endif
