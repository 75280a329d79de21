/* QLinearConcat, one element at a time, each step rounded to float. */
#include <math.h>

#include "reference.h"
#include "values.h"

static float number_at(const opmill_tensor *tensor, int64_t i) {
    return tensor->type == OPMILL_INT8    ? (float)((const int8_t *)tensor->data)[i]
           : tensor->type == OPMILL_UINT8 ? (float)((const uint8_t *)tensor->data)[i]
                                          : ((const float *)tensor->data)[i];
}

void reference_qlinear_concat(const opmill_operator *operator, const opmill_tensor *const *inputs,
                              int32_t input_count, const void *attributes,
                              const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const y = outputs[0];
    const int64_t axis = axis_of(operator, attributes, y->rank, 0);
    const float low = y->type == OPMILL_INT8 ? -128 : 0, high = y->type == OPMILL_INT8 ? 127 : 255;
    int64_t inner = 1;
    (void)output_count;
    (void)input_count;
    for (int64_t i = axis + 1; i < y->rank; i++) {
        inner *= y->dims[i];
    }
    for (int64_t i = 0; i < count_of(y->dims, y->rank); i++) {
        const int64_t row = i / inner / y->dims[axis];
        int64_t position = i / inner % y->dims[axis];
        int32_t k = 2;
        while (position >= inputs[k]->dims[axis]) {
            position -= inputs[k]->dims[axis];
            k += 3;
        }
        const int64_t from = (row * inputs[k]->dims[axis] + position) * inner + i % inner;
        volatile float number = number_at(inputs[k], from); /* so that each step is rounded */
        if (number_at(inputs[k + 1], 0) != number_at(inputs[0], 0) ||
            number_at(inputs[k + 2], 0) != number_at(inputs[1], 0)) {
            number = number - number_at(inputs[k + 2], 0);
            number = number * number_at(inputs[k + 1], 0);
            number = number / number_at(inputs[0], 0);
            number = rintf(number) + number_at(inputs[1], 0);
        }
        set_whole(y->data, y->type, i,
                  number > high  ? (int64_t)high
                  : number > low ? (int64_t)number
                                 : (int64_t)low);
    }
}
