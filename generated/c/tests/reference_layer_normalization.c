/* Rows, one after the other and one element after the other, in double. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static double rounded(double value, int64_t stash) {
    double element;
    set_real(&element, (int32_t)stash, 0, value);
    return get_real(&element, (int32_t)stash, 0);
}

/* The element that broadcasts to element `at` of x. */
static double broadcast(const opmill_tensor *tensor, const opmill_tensor *x, int64_t at) {
    int64_t position = 0, unit = 1;
    for (int32_t axis = x->rank - 1, own = tensor->rank - 1; own >= 0; axis--, own--) {
        position += tensor->dims[own] == 1 ? 0 : at % x->dims[axis] * unit;
        unit *= tensor->dims[own];
        at /= x->dims[axis];
    }
    return get_real(tensor->data, tensor->type, position);
}

void reference_layer_normalization(const opmill_operator *operator,
                                   const opmill_tensor *const *inputs, int32_t input_count,
                                   const void *attributes, const opmill_tensor *const *outputs,
                                   int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const scale = inputs[1], *const y = outputs[0];
    const opmill_tensor *const bias = input_count > 2 ? inputs[2] : NULL;
    const int64_t axis = axis_of(operator, attributes, x->rank, -1);
    const int64_t stash = *(const int64_t *)attribute_of(operator, attributes, "stash_type");
    const double epsilon = *(const float *)attribute_of(operator, attributes, "epsilon");
    const bool centered = strcmp(family_parameter(operator, "centered"), "true") == 0;
    int64_t rows = 1, length = 1;
    for (int64_t i = 0; i < x->rank; i++) {
        *(i < axis ? &rows : &length) *= x->dims[i];
    }
    for (int64_t row = 0; row < rows; row++) {
        const int64_t first = row * length;
        double mean = 0, variance = 0;
        for (int64_t i = first; centered && i < first + length; i++) {
            mean += rounded(get_real(x->data, x->type, i), stash);
        }
        mean = centered ? mean / (double)length : 0;
        for (int64_t i = first; i < first + length; i++) {
            const double less = rounded(get_real(x->data, x->type, i), stash) - mean;
            variance += less * less;
        }
        const double factor = 1 / sqrt(variance / (double)length + epsilon);
        for (int64_t i = first; i < first + length; i++) {
            const double less = rounded(get_real(x->data, x->type, i), stash) - mean;
            const double result = less * factor * broadcast(scale, x, i);
            set_real(y->data, y->type, i, bias == NULL ? result : result + broadcast(bias, x, i));
        }
        if (output_count > 1 && outputs[1] != NULL) {
            set_real(outputs[1]->data, outputs[1]->type, row, mean);
        }
        if (output_count > 2 && outputs[2] != NULL) {
            set_real(outputs[2]->data, outputs[2]->type, row, factor);
        }
    }
}
