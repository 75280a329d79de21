/* Elimination on a copy, with the largest pivot; tests have small matrices. The product of the
 * pivots keeps its exponent apart, so that it is as large as it may be on the way. */
#include <math.h>
#include <stdlib.h>

#include "reference.h"
#include "values.h"

static double eliminate(double *a, int64_t n) {
    double result = 1;
    int exponent = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++) {
            const double x = fabs(a[i * n + k]), y = fabs(a[best * n + k]);
            best = !isnan(y) && (isnan(x) || x > y) ? i : best;
        }
        for (int64_t j = 0; j < n; j++) {
            const double other = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = other;
        }
        int power = 0;
        const double pivot = frexp(a[k * n + k], &power);
        result *= best == k ? pivot : -pivot;
        exponent += isfinite(pivot) ? power : 0;
        for (int64_t i = k + 1; i < n && a[k * n + k] != 0; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (int64_t j = k; j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
    return result == 0 ? 0 : ldexp(result, exponent);
}

void reference_determinant(const opmill_operator *operator, const opmill_tensor *const *inputs,
                           int32_t input_count, const void *attributes,
                           const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0];
    const int64_t n = x->dims[x->rank - 1];
    const int64_t count = count_of(outputs[0]->dims, outputs[0]->rank);
    double *const a = malloc((size_t)(n * n + 1) * sizeof *a);
    (void)operator;
    (void)attributes;
    (void)input_count;
    (void)output_count;
    if (a == NULL) {
        abort();
    }
    for (int64_t m = 0; m < count; m++) {
        for (int64_t i = 0; i < n * n; i++) {
            a[i] = get_real(x->data, x->type, m * n * n + i);
        }
        set_real(outputs[0]->data, x->type, m, eliminate(a, n));
    }
    free(a);
}
