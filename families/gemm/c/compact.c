/* Gemm, compact: each element of the output is one sum. */
#include "families/gemm/compact.h"

#include <stddef.h>

#include "runtime/compact/compact_axis.h"

enum { SMALL_ROWS = 4 }; /* up to which the library sums rows by rows in four parts */

static float sum_of(const float *a, int32_t a_step, const float *b, int32_t b_step, int32_t count) {
    float sum = 0;
    for (int32_t k = 0; k < count; k++, a += a_step, b += b_step) {
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

int opmill_gemm_compact(const opmill_tensor *a, const opmill_tensor *b, const opmill_tensor *c,
                        opmill_tensor *y, const opmill_gemm_plan *plan, opmill_context *context) {
    const int32_t rows = (int32_t)y->dims[0], columns = (int32_t)y->dims[1];
    const int32_t terms = (int32_t)a->dims[plan->transpose_a ? 0 : 1];
    const int32_t a_row = plan->transpose_a ? 1 : terms, a_step = plan->transpose_a ? rows : 1;
    const int32_t b_column = plan->transpose_b ? terms : 1;
    const int32_t b_step = plan->transpose_b ? 1 : columns;
    const float alpha = (float)plan->alpha, beta = (float)plan->beta;
    const float *const added = c != NULL && plan->beta != 0 ? c->data : NULL;
    int32_t c_row = 0, c_column = 0;
    const bool in_parts =
        rows <= SMALL_ROWS && columns > 1 && terms > 1 && plan->transpose_b && a_step == 1;
    float *to = y->data;
    if (added != NULL && c->rank > 0) {
        const int32_t width = (int32_t)c->dims[c->rank - 1];
        c_column = width > 1 ? 1 : 0;
        c_row = c->rank > 1 && c->dims[0] > 1 ? width : 0;
    }
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < columns; j++) {
            const float *left = (const float *)a->data + i * a_row;
            const float *right = (const float *)b->data + j * b_column;
            float sum = in_parts ? sum_in_parts(left, right, terms)
                                 : sum_of(left, a_step, right, b_step, terms);
            if (added != NULL) {
                sum = sum * alpha + (added[i * c_row + j * c_column] * beta + 0);
            } else if (alpha != 1) {
                sum = sum * alpha + 0;
            }
            if (context->limits != NULL) {
                sum = context->limits->low > sum ? context->limits->low : sum;
                sum = context->limits->high < sum ? context->limits->high : sum;
            }
            *to++ = sum;
        }
    }
    return OPMILL_OK;
}
