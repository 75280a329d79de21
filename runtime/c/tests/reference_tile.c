/* Each output element is the input element at its index modulo the input's dims. */
#include "reference.h"
#include "values.h"

void reference_tile(const opmill_operator *operator, const opmill_tensor *const *inputs,
                    int32_t input_count, const void *attributes,
                    const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const input = inputs[0], *const output = outputs[0];
    int64_t index[OPMILL_MAX_RANK] = {0}, origin[OPMILL_MAX_RANK] = {0}, position = 0;
    (void)operator;
    (void)input_count;
    (void)attributes;
    (void)output_count;
    if (count_of(output->dims, output->rank) == 0) {
        return;
    }
    do {
        for (int32_t i = 0; i < input->rank; i++) {
            origin[i] = index[i] % input->dims[i];
        }
        copy_element(output, position++, input, position_of(origin, input->dims, input->rank));
    } while (next_index(index, output->dims, output->rank));
}
