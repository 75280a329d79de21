/* Each element of a part is the next one of the input along the axis. */
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_split(const opmill_operator *operator, const opmill_tensor *const *inputs,
                     int32_t input_count, const void *attributes,
                     const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const input = inputs[0];
    const int64_t axis = axis_of(operator, attributes, input->rank, 0);
    int64_t before = 0;
    (void)input_count;
    for (int32_t part = 0; part < output_count; part++) {
        const opmill_tensor *const output = outputs[part];
        int64_t index[OPMILL_MAX_RANK] = {0}, origin[OPMILL_MAX_RANK], position = 0;
        bool more = count_of(output->dims, output->rank) > 0;
        while (more) {
            memcpy(origin, index, sizeof origin);
            origin[axis] += before;
            copy_element(output, position++, input, position_of(origin, input->dims, input->rank));
            more = next_index(index, output->dims, output->rank) != 0;
        }
        before += output->dims[axis];
    }
}
