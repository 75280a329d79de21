/* QLinearWhere, one element at a time, each step rounded to float. */
#include <math.h>

#include "reference.h"
#include "values.h"

static float number_at(const opmill_tensor *tensor, int64_t i) {
    return tensor->type == OPMILL_INT8    ? (float)((const int8_t *)tensor->data)[i]
           : tensor->type == OPMILL_UINT8 ? (float)((const uint8_t *)tensor->data)[i]
                                          : ((const float *)tensor->data)[i];
}

/* The position of the element of an input at an index of the output, an axis of 1 read at 0. */
static int64_t position_in(const opmill_tensor *tensor, const int64_t *index, int32_t rank) {
    int64_t own[OPMILL_MAX_RANK];
    for (int32_t i = 0; i < tensor->rank; i++) {
        own[i] = tensor->dims[i] == 1 ? 0 : index[rank - tensor->rank + i];
    }
    return position_of(own, tensor->dims, tensor->rank);
}

void reference_qlinear_where(const opmill_operator *operator, const opmill_tensor *const *inputs,
                             int32_t input_count, const void *attributes,
                             const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const z = outputs[0];
    const float low = z->type == OPMILL_INT8 ? -128 : 0, high = z->type == OPMILL_INT8 ? 127 : 255;
    int64_t index[OPMILL_MAX_RANK] = {0}, position = 0;
    (void)operator;
    (void)input_count;
    (void)attributes;
    (void)output_count;
    if (count_of(z->dims, z->rank) == 0) {
        return;
    }
    do {
        const int64_t asked = position_in(inputs[0], index, z->rank);
        const opmill_tensor *const *const from =
            inputs + (((const uint8_t *)inputs[0]->data)[asked] != 0 ? 1 : 4);
        const int64_t own = position_in(from[0], index, z->rank);
        volatile float number = number_at(from[0], own); /* so that each step is rounded */
        if (number_at(from[1], 0) != number_at(inputs[7], 0) ||
            number_at(from[2], 0) != number_at(inputs[8], 0)) {
            number = number - number_at(from[2], 0);
            number = number * number_at(from[1], 0);
            number = number / number_at(inputs[7], 0);
            number = rintf(number) + number_at(inputs[8], 0);
        }
        set_whole(z->data, z->type, position++,
                  number > high  ? (int64_t)high
                  : number > low ? (int64_t)number
                                 : (int64_t)low);
    } while (next_index(index, z->dims, z->rank));
}
