/* Integers are added up in their own type, modulo its width; floats are computed from their index.
 */
#include <string.h>

#include "reference.h"
#include "values.h"

/* The step of a call that gives none is 1. */
static double real_step(const opmill_tensor *const *inputs, int32_t input_count) {
    return input_count > 2 && inputs[2] != NULL ? get_real(inputs[2]->data, inputs[2]->type, 0) : 1;
}

static uint64_t whole_at(const opmill_tensor *tensor) {
    switch (tensor->type) {
    case OPMILL_INT16:
        return (uint64_t)*(const int16_t *)tensor->data;
    case OPMILL_INT32:
        return (uint64_t)*(const int32_t *)tensor->data;
    default:
        return (uint64_t)*(const int64_t *)tensor->data;
    }
}

void reference_range(const opmill_operator *operator, const opmill_tensor *const *inputs,
                     int32_t input_count, const void *attributes,
                     const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const output = outputs[0];
    const int64_t *const stash = attribute_of(operator, attributes, "stash_type");
    const int32_t type = output->type;
    const int is_half = type == OPMILL_FLOAT16 || type == OPMILL_BFLOAT16;
    (void)output_count;
    if (type == OPMILL_INT16 || type == OPMILL_INT32 || type == OPMILL_INT64) {
        uint64_t value = whole_at(inputs[0]);
        for (int64_t i = 0; i < output->dims[0]; i++) {
            set_bits(output->data, type, i, value);
            value += input_count > 2 && inputs[2] != NULL ? whole_at(inputs[2]) : 1;
        }
        return;
    }
    for (int64_t i = 0; i < output->dims[0]; i++) {
        const double start = get_real(inputs[0]->data, type, 0);
        const double delta = real_step(inputs, input_count);
        if (is_half && (stash == NULL || *stash == 1)) {
            volatile float number = (float)i * (float)delta;
            number = number + (float)start;
            set_real(output->data, type, i, (double)number);
        } else {
            volatile double number = (double)i * delta;
            number = number + start;
            set_real(output->data, type, i, is_half ? (double)(float)number : number);
        }
    }
}
