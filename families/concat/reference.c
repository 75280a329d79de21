/* Each element of the output is found in the input that it comes from. */
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_concat(const opmill_operator *operator, const opmill_tensor *const *inputs,
                      int32_t input_count, const void *attributes,
                      const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const output = outputs[0];
    const int64_t axis = axis_of(operator, attributes, output->rank, 1);
    int64_t index[OPMILL_MAX_RANK] = {0}, origin[OPMILL_MAX_RANK], position = 0;
    (void)input_count;
    (void)output_count;
    if (count_of(output->dims, output->rank) == 0) {
        return;
    }
    do {
        int32_t part = 0;
        memcpy(origin, index, sizeof origin);
        while (origin[axis] >= inputs[part]->dims[axis]) {
            origin[axis] -= inputs[part]->dims[axis];
            part++;
        }
        copy_element(output, position++, inputs[part],
                     position_of(origin, inputs[part]->dims, inputs[part]->rank));
    } while (next_index(index, output->dims, output->rank));
}
