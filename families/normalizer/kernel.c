/* Normalizer: rows divided by their norms, in double, with one rounding to float. */
#include "families/normalizer/kernel.h"

#include <math.h>
#include <stdbool.h>

/* An exact factor that brings the largest size near 1, so that no square overflows or vanishes. */
static double factor_of(double largest) {
    int exponent = 0;
    if (largest == 0 || !(largest <= 0x1.fffffffffffffp1023)) {
        return 1;
    }
    frexp(largest, &exponent);
    exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
    return ldexp(1, -exponent);
}

/* NaN if either number is. */
static double larger(double a, double b) { return b > a || b != b ? b : a; }

#define DIVIDE_ROWS(type)                                                                          \
    for (int64_t row = 0; row < rows; row++) {                                                     \
        const type *const x = (const type *)X->data + row * length;                                \
        float *const y = (float *)Y->data + row * length;                                          \
        double largest = (double)x[0], size = 0, sum = 0, factor = 1;                              \
        for (int64_t i = 0; i < length; i++) {                                                     \
            largest = larger(largest, (double)x[i]);                                               \
            size = larger(size, fabs((double)x[i]));                                               \
        }                                                                                          \
        if (!by_largest) {                                                                         \
            factor = factor_of(size);                                                              \
            for (int64_t i = 0; i < length; i++) {                                                 \
                const double part = fabs((double)x[i]) * factor;                                   \
                sum += by_squares ? part * part : part;                                            \
            }                                                                                      \
        }                                                                                          \
        const double divisor = by_largest ? largest : by_squares ? sqrt(sum) : sum;                \
        for (int64_t i = 0; i < length; i++) {                                                     \
            y[i] = (float)(divisor == 0 ? (double)x[i] : (double)x[i] * factor / divisor);         \
        }                                                                                          \
    }                                                                                              \
    break;

int opmill_normalizer_compute(const opmill_tensor *X, opmill_tensor *Y,
                              const opmill_normalizer_plan *plan, opmill_context *context) {
    const bool by_largest = plan->norm[0] == 'M', by_squares = plan->norm[1] == '2';
    const int64_t length = X->dims[X->rank - 1], rows = X->rank == 2 ? X->dims[0] : 1;
    (void)context;
    if (length == 0) {
        return OPMILL_OK;
    }
    switch (X->type) {
    case OPMILL_FLOAT:
        DIVIDE_ROWS(float)
    case OPMILL_DOUBLE:
        DIVIDE_ROWS(double)
    case OPMILL_INT32:
        DIVIDE_ROWS(int32_t)
    default:
        DIVIDE_ROWS(int64_t)
    }
    return OPMILL_OK;
}
