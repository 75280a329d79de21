/* Computes cumulative sums of the exponentials of a row, and finds the class of a random share by
 * binary search. */
#include "families/multinomial/sums.h"

#include <math.h>

#include "runtime/math/arithmetic.h"
#include "runtime/numbers/reals.h"

void opmill_multinomial_add_up(const opmill_tensor *input, int64_t row, opmill_math_loop *exp,
                               double *sums) {
    const int64_t classes = input->dims[1], begin = row * classes;
    double largest = -(double)INFINITY, sum = 0;
    for (int64_t i = 0; i < classes; i++) {
        sums[i] = opmill_real_at(input->data, input->type, begin + i);
        largest = sums[i] > largest ? sums[i] : largest;
    }
    for (int64_t i = 0; i < classes; i++) {
        sums[i] -= largest;
    }
    for (int64_t i = 0; i < classes; i += OPMILL_MATH_BLOCK) {
        double block[OPMILL_MATH_BLOCK];
        const int64_t left = classes - i;
        const int64_t count = left < OPMILL_MATH_BLOCK ? left : OPMILL_MATH_BLOCK;
        exp(sums + i, block, count);
        for (int64_t k = 0; k < count; k++) {
            sum += block[k];
            sums[i + k] = sum;
        }
    }
}

/* There is one: the share is less than 1, so that the product is rounded to less than the sum. */
int64_t opmill_multinomial_class(const double *sums, int64_t classes, double share) {
    const double wanted = share * sums[classes - 1];
    int64_t low = 0, high = classes - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sums[middle] > wanted) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}
