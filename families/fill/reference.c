/* Every element from the one of the attribute. */
#include "reference.h"
#include "values.h"

void reference_fill(const opmill_operator *operator, const opmill_tensor *const *inputs,
                    int32_t input_count, const void *attributes,
                    const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const output = outputs[0];
    const opmill_tensor *const *const member = attribute_of(operator, attributes, "value");
    const opmill_tensor *const value = member != NULL ? *member : NULL;
    const int64_t count = count_of(output->dims, output->rank);
    (void)inputs;
    (void)input_count;
    (void)output_count;
    clear_last_byte(output);
    for (int64_t i = 0; i < count; i++) {
        if (value == NULL) {
            set_whole(output->data, output->type, i, 0);
        } else {
            copy_element(output, i, value, 0);
        }
    }
}
