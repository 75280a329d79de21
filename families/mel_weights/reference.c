/* The formulas of the mel scale, with the C library's functions in long double. */
#include <math.h>

#include "reference.h"
#include "values.h"

static int64_t whole(const opmill_tensor *x) {
    return x->type == OPMILL_INT32 ? *(const int32_t *)x->data : *(const int64_t *)x->data;
}

static double edge_of(const opmill_tensor *const *inputs, int64_t i) {
    const long double low = (long double)get_real(inputs[3]->data, inputs[3]->type, 0);
    const long double high = (long double)get_real(inputs[4]->data, inputs[4]->type, 0);
    const long double share = (long double)i / (long double)(whole(inputs[0]) + 2);
    const long double hertz = low + (700 + low) * expm1l(share * logl((700 + high) / (700 + low)));
    const long double length = (long double)whole(inputs[1]) + 1;
    return (double)floorl(length * hertz / (long double)whole(inputs[2]));
}

static double weight_of(double row, double left, double centre, double right) {
    if (row >= centre && row < right) {
        return (right - row) / (right - centre);
    }
    if (left == centre) {
        return row == centre;
    }
    return left < centre && row >= left && row <= centre ? (row - left) / (centre - left) : 0;
}

void reference_mel_weights(const opmill_operator *operator, const opmill_tensor *const *inputs,
                           int32_t input_count, const void *attributes,
                           const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const output = outputs[0];
    const int64_t bands = output->dims[1];
    (void)operator;
    (void)input_count;
    (void)attributes;
    (void)output_count;
    for (int64_t i = 0; i < output->dims[0] * bands; i++) {
        const int64_t band = i % bands;
        const double weight = weight_of((double)(i / bands), edge_of(inputs, band),
                                        edge_of(inputs, band + 1), edge_of(inputs, band + 2));
        switch (output->type) {
        case OPMILL_FLOAT:
        case OPMILL_DOUBLE:
        case OPMILL_FLOAT16:
        case OPMILL_BFLOAT16:
            set_real(output->data, output->type, i, weight);
            break;
        default:
            set_whole(output->data, output->type, i, (int64_t)weight);
            break;
        }
    }
}
