/* The bits of the elements, one by one: those after the last packed element are 0. */
#include "reference.h"
#include "values.h"

void reference_bit_cast(const opmill_operator *operator, const opmill_tensor *const *inputs,
                        int32_t input_count, const void *attributes,
                        const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const output = outputs[0];
    const int64_t count = count_of(output->dims, output->rank);
    (void)operator;
    (void)input_count;
    (void)attributes;
    (void)output_count;
    clear_last_byte(output);
    for (int64_t i = 0; i < count; i++) {
        copy_element(output, i, inputs[0], i);
    }
}
