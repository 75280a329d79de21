/* The dims of the input from `start` to `end`, or their product. */
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_dims(const opmill_operator *operator, const opmill_tensor *const *inputs,
                    int32_t input_count, const void *attributes,
                    const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const data = inputs[0];
    int64_t *const values = outputs[0]->data;
    int64_t start = int_of(operator, attributes, "start", 0);
    int64_t end = int_of(operator, attributes, "end", data->rank);
    int64_t count = 0;
    (void)input_count;
    (void)output_count;
    if (strcmp(operator->name, "Size") == 0) {
        values[0] = count_of(data->dims, data->rank);
        return;
    }
    start += start < 0 ? data->rank : 0;
    end += end < 0 ? data->rank : 0;
    for (int64_t axis = 0; axis < data->rank; axis++) {
        if (axis >= start && axis < end) {
            values[count++] = data->dims[axis];
        }
    }
}
