/* Each element of the output is found in the input that it comes from. */
#include "reference.h"
#include "values.h"

/* The position of the element of an input at an index of the output, an axis of 1 read at 0. */
static int64_t position_in(const opmill_tensor *tensor, const int64_t *index, int32_t rank) {
    int64_t own[OPMILL_MAX_RANK];
    for (int32_t i = 0; i < tensor->rank; i++) {
        own[i] = tensor->dims[i] == 1 ? 0 : index[rank - tensor->rank + i];
    }
    return position_of(own, tensor->dims, tensor->rank);
}

void reference_where(const opmill_operator *operator, const opmill_tensor *const *inputs,
                     int32_t input_count, const void *attributes,
                     const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const output = outputs[0];
    int64_t index[OPMILL_MAX_RANK] = {0}, position = 0;
    (void)operator;
    (void)input_count;
    (void)attributes;
    (void)output_count;
    if (count_of(output->dims, output->rank) == 0) {
        return;
    }
    do {
        const int64_t asked = position_in(inputs[0], index, output->rank);
        const opmill_tensor *const from =
            inputs[((const uint8_t *)inputs[0]->data)[asked] != 0 ? 1 : 2];
        copy_element(output, position++, from, position_in(from, index, output->rank));
    } while (next_index(index, output->dims, output->rank));
}
