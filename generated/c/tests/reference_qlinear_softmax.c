/* QLinearSoftmax, one element at a time, in long double. */
#include <math.h>

#include "reference.h"
#include "values.h"

static int whole_at(const opmill_tensor *tensor, int64_t i) {
    return tensor->type == OPMILL_INT8 ? ((const int8_t *)tensor->data)[i]
                                       : ((const uint8_t *)tensor->data)[i];
}

void reference_qlinear_softmax(const opmill_operator *operator, const opmill_tensor *const *inputs,
                               int32_t input_count, const void *attributes,
                               const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const int64_t axis = axis_of(operator, attributes, x->rank, -1);
    const int64_t opset = *(const int64_t *)attribute_of(operator, attributes, "opset");
    const int64_t end = opset >= 13 ? axis + 1 : x->rank, count = count_of(x->dims, x->rank);
    const long double scale = *(const float *)inputs[1]->data;
    const long double parts = floorl((long double)(1 / *(const float *)inputs[3]->data));
    const int low = y->type == OPMILL_INT8 ? -128 : 0, high = y->type == OPMILL_INT8 ? 127 : 255;
    int64_t length = 1, step = 1;
    (void)input_count;
    (void)output_count;
    for (int64_t i = axis; i < x->rank; i++) {
        *(i < end ? &length : &step) *= x->dims[i];
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t first = i / (length * step) * length * step + i % step;
        long double sum = 0, result;
        int top = -128;
        for (int64_t k = first; k < first + length * step; k += step) {
            top = whole_at(x, k) > top ? whole_at(x, k) : top;
        }
        for (int64_t k = first; k < first + length * step; k += step) {
            sum += expl(scale * (whole_at(x, k) - top));
        }
        result = floorl(expl(scale * (whole_at(x, i) - top)) * parts / sum + 0.5L);
        result += whole_at(inputs[4], 0);
        set_whole(y->data, y->type, i, result > high ? high : result > low ? (int64_t)result : low);
    }
}
