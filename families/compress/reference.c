/* Each element is kept or not by its index along the axis. */
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_compress(const opmill_operator *operator, const opmill_tensor *const *inputs,
                        int32_t input_count, const void *attributes,
                        const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const data = inputs[0], *const condition = inputs[1];
    const int64_t count = count_of(data->dims, data->rank);
    const bool flat = attribute_of(operator, attributes, "axis") == NULL;
    const int64_t axis = flat ? 0 : axis_of(operator, attributes, data->rank, 0);
    int64_t index[OPMILL_MAX_RANK] = {0}, written = 0;
    (void)input_count;
    (void)output_count;
    for (int64_t position = 0; position < count; position++) {
        const int64_t at = flat ? position : index[axis];
        if (at < count_of(condition->dims, condition->rank) &&
            ((const unsigned char *)condition->data)[at] != 0) {
            copy_element(outputs[0], written++, data, position);
        }
        (void)next_index(index, data->dims, data->rank);
    }
}
