/* Each column of an inverse is the solution for a column of the identity; tests have small
 * matrices. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "reference.h"
#include "values.h"

/* Solves a x = b by elimination with the largest pivot, on copies; false without a solution. */
static bool solve(double *a, double *b, int64_t n) {
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++) {
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        }
        if (a[best * n + k] == 0) {
            return false;
        }
        for (int64_t j = 0; j < n; j++) {
            const double other = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = other;
        }
        const double right = b[k];
        b[k] = b[best];
        b[best] = right;
        for (int64_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (int64_t j = k; j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        for (int64_t j = k + 1; j < n; j++) {
            b[k] -= a[k * n + j] * b[j];
        }
        b[k] /= a[k * n + k];
    }
    return true;
}

void reference_inverse(const opmill_operator *operator, const opmill_tensor *const *inputs,
                       int32_t input_count, const void *attributes,
                       const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0];
    const int64_t n = x->dims[x->rank - 1];
    const int64_t count = n == 0 ? 0 : count_of(x->dims, x->rank) / (n * n);
    double *const a = malloc((size_t)(n * n + 1) * sizeof *a);
    double *const b = malloc((size_t)(n + 1) * sizeof *b);
    (void)operator;
    (void)attributes;
    (void)input_count;
    (void)output_count;
    if (a == NULL || b == NULL) {
        abort();
    }
    for (int64_t m = 0; m < count; m++) {
        for (int64_t column = 0; column < n; column++) {
            bool legal = true;
            for (int64_t i = 0; i < n * n; i++) {
                a[i] = get_real(x->data, x->type, m * n * n + i);
                legal = legal && isfinite(a[i]);
            }
            for (int64_t i = 0; i < n; i++) {
                b[i] = i == column;
            }
            legal = legal && solve(a, b, n);
            for (int64_t i = 0; i < n; i++) {
                set_real(outputs[0]->data, x->type, (m * n + i) * n + column, legal ? b[i] : NAN);
            }
        }
    }
    free(a);
    free(b);
}
