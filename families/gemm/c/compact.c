/* Gemm, compact: each element of the output is one sum. */
#include "families/gemm/compact.h"

#include <stddef.h>

#include "runtime/compact/compact_axis.h"

static float sum_of(const float *a, const float *b, const opmill_gemm_compact_plan *plan) {
    float sum = 0;
    for (int32_t k = plan->terms; k > 0; k--, a += plan->a_step, b += plan->b_step) {
        sum += *a * *b;
    }
    return sum;
}

OPMILL_APART static float sum_in_parts(const float *a, const float *b, int32_t count) {
    float first = 0, second = 0, third = 0, fourth = 0;
    const float *const whole = a + (count & ~3), *const end = a + count;
    if (a < whole) {
        do {
            first += *a++ * *b++;
            second += *a++ * *b++;
            third += *a++ * *b++;
            fourth += *a++ * *b++;
        } while (a < whole);
    }
    while (a < end) {
        first += *a++ * *b++;
    }
    return (first + second) + (third + fourth);
}

void opmill_gemm_compact(const void *a, const void *b, const void *c, void *y,
                         const opmill_gemm_compact_plan *plan, const opmill_limits *limits) {
    const float *left = a, *added = c;
    float *to = y;
    for (int32_t i = 0; i < plan->rows; i++, left += plan->a_row) {
        const float *right = b;
        for (int32_t j = 0; j < plan->columns; j++, right += plan->b_column) {
            float sum =
                plan->in_parts ? sum_in_parts(left, right, plan->terms) : sum_of(left, right, plan);
            if (added != NULL) {
                sum = sum * plan->alpha +
                      (added[i * plan->c_row + j * plan->c_column] * plan->beta + 0);
            } else if (plan->alpha != 1) {
                sum = sum * plan->alpha + 0;
            }
            if (limits != NULL) {
                sum = limits->low > sum ? limits->low : sum;
                sum = limits->high < sum ? limits->high : sum;
            }
            *to++ = sum;
        }
    }
}
