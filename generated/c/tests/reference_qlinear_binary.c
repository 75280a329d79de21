/* Quantised sums and products, one element at a time, each step rounded to float. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static float number_at(const opmill_tensor *tensor, int64_t i) {
    if (tensor == NULL) {
        return 0;
    }
    return tensor->type == OPMILL_INT8    ? (float)((const int8_t *)tensor->data)[i]
           : tensor->type == OPMILL_UINT8 ? (float)((const uint8_t *)tensor->data)[i]
                                          : ((const float *)tensor->data)[i];
}

/* The element of a tensor that belongs to element `at` of the output. */
static int64_t operand_position(const opmill_tensor *tensor, const opmill_tensor *output,
                                int64_t at) {
    int64_t position = 0, unit = 1;
    for (int32_t own = tensor->rank - 1, axis = output->rank - 1; own >= 0; own--, axis--) {
        position += tensor->dims[own] == 1 ? 0 : at % output->dims[axis] * unit;
        unit *= tensor->dims[own];
        at /= output->dims[axis];
    }
    return position;
}

void reference_qlinear_binary(const opmill_operator *operator, const opmill_tensor *const *inputs,
                              int32_t input_count, const void *attributes,
                              const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const a = inputs[0], *const b = inputs[3], *const c = outputs[0];
    const volatile float scale_a = number_at(inputs[1], 0), scale_b = number_at(inputs[4], 0);
    const volatile float scale_c = number_at(inputs[6], 0);
    const float zero_a = number_at(inputs[2], 0), zero_b = number_at(inputs[5], 0);
    const float zero_c = number_at(input_count > 7 ? inputs[7] : NULL, 0);
    const bool adds = strcmp(family_parameter(operator, "function"), "add") == 0;
    const float low = c->type == OPMILL_INT8 ? -128 : 0, high = c->type == OPMILL_INT8 ? 127 : 255;
    (void)attributes;
    (void)output_count;
    for (int64_t i = 0; i < count_of(c->dims, c->rank); i++) {
        const float x = number_at(a, operand_position(a, c, i)),
                    y = number_at(b, operand_position(b, c, i));
        volatile float result, other, moved; /* so that each step is rounded */
        if (adds) {
            volatile float by_a = scale_a / scale_c, by_b = scale_b / scale_c;
            moved = by_a * zero_a;
            other = by_b * zero_b;
            moved = moved + other;
            moved = zero_c - moved;
            other = y * by_b;
            other = other + moved;
            result = x * by_a;
            result = result + other;
        } else {
            volatile float by = scale_a * scale_b;
            by = by / scale_c;
            result = (x - zero_a) * (y - zero_b);
            result = result * by;
            result = result + zero_c;
        }
        result = rintf(result);
        set_whole(c->data, c->type, i,
                  result > high  ? (int64_t)high
                  : result > low ? (int64_t)result
                                 : (int64_t)low);
    }
}
