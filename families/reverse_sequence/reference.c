/* Each element of the output is looked up in the input. */
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_reverse_sequence(const opmill_operator *operator, const opmill_tensor *const *inputs,
                                int32_t input_count, const void *attributes,
                                const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const input = inputs[0];
    const int64_t batch = *(const int64_t *)attribute_of(operator, attributes, "batch_axis");
    int64_t index[OPMILL_MAX_RANK] = {0}, origin[OPMILL_MAX_RANK], position = 0;
    bool more = count_of(input->dims, input->rank) > 0;
    (void)input_count;
    (void)output_count;
    while (more) {
        const int64_t length = ((const int64_t *)inputs[1]->data)[index[batch]];
        memcpy(origin, index, sizeof origin);
        if (index[1 - batch] < length) {
            origin[1 - batch] = length - 1 - index[1 - batch];
        }
        copy_element(outputs[0], position++, input, position_of(origin, input->dims, input->rank));
        more = next_index(index, input->dims, input->rank) != 0;
    }
}
