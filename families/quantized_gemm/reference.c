/* QGemm, one element of the product after the other. */
#include <math.h>

#include "formats.h"
#include "reference.h"
#include "values.h"

static double single(double number) {
    volatile float rounded = (float)number;
    return (double)rounded;
}

/* The scale or zero point of a column. */
static double of_column(const opmill_tensor *values, int64_t column) {
    return number_at(values, values->rank == 1 && values->dims[0] > 1 ? column : 0);
}

/* The element of C that is added. */
static double third(const opmill_tensor *c, int64_t row, int64_t column) {
    if (c == NULL) {
        return 0;
    }
    const int64_t columns = c->rank > 0 ? c->dims[c->rank - 1] : 1;
    const int64_t own = c->rank > 1 && c->dims[0] > 1 ? row : 0;
    return number_at(c, own * columns + (columns > 1 ? column : 0));
}

static const opmill_tensor *given(const opmill_tensor *const *inputs, int32_t count, int32_t at) {
    return count > at ? inputs[at] : NULL;
}

void reference_quantized_gemm(const opmill_operator *operator, const opmill_tensor *const *inputs,
                              int32_t input_count, const void *attributes,
                              const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const a = inputs[0], *const b = inputs[3], *const y = outputs[0];
    const opmill_tensor *const y_scale = given(inputs, input_count, 7);
    const opmill_tensor *const y_zero = given(inputs, input_count, 8);
    const bool flip_a = int_of(operator, attributes, "transA", 0) != 0;
    const bool flip_b = int_of(operator, attributes, "transB", 0) != 0;
    const float alpha = *(const float *)attribute_of(operator, attributes, "alpha");
    const int64_t m = y->dims[0], n = y->dims[1], depth = a->dims[flip_a ? 0 : 1];
    (void)output_count;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            double sum = third(given(inputs, input_count, 6), i, j);
            for (int64_t k = 0; k < depth; k++) {
                const double p = number_at(a, flip_a ? k * m + i : i * depth + k);
                const double q = number_at(b, flip_b ? j * depth + k : k * n + j);
                sum += (p - number_at(inputs[2], 0)) * (q - of_column(inputs[5], j));
            }
            const uint64_t bits = (uint64_t)(int64_t)sum & 0xffffffffu; /* as an int32 */
            sum = (double)bits - (bits >= 0x80000000u ? 4294967296.0 : 0);
            double by = single((double)alpha * number_at(inputs[1], 0));
            by = single(by * of_column(inputs[4], j));
            by = y_scale != NULL ? single(by / number_at(y_scale, 0)) : by;
            const double number = single(single(sum) * by);
            if (y_scale == NULL) {
                set_real(y->data, y->type, i * n + j, number);
                continue;
            }
            const double low = y->type == OPMILL_INT8 ? -128 : 0, high = low + 255;
            const double whole = rint(number) + number_at(y_zero, 0);
            const double end = isnan(whole) || whole < low ? low : high;
            set_whole(y->data, y->type, i * n + j,
                      (int64_t)(whole >= low && whole <= high ? whole : end));
        }
    }
}
