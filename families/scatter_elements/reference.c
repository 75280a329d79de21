/* A copy of data, which takes one update after the other. */
#include <string.h>

#include "combine.h"
#include "reference.h"
#include "values.h"

void reference_scatter_elements(const opmill_operator *operator, const opmill_tensor *const *inputs,
                                int32_t input_count, const void *attributes,
                                const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const data = inputs[0], *const indices = inputs[1];
    const int64_t axis = axis_of(operator, attributes, data->rank, 0);
    const char *const *const word = attribute_of(operator, attributes, "reduction");
    int64_t index[OPMILL_MAX_RANK] = {0}, target[OPMILL_MAX_RANK], update = 0;
    bool more = count_of(indices->dims, indices->rank) > 0;
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < count_of(data->dims, data->rank); i++) {
        copy_element(outputs[0], i, data, i);
    }
    while (more) {
        const int64_t value = indices->type == OPMILL_INT32
                                  ? ((const int32_t *)indices->data)[update]
                                  : ((const int64_t *)indices->data)[update];
        memcpy(target, index, sizeof target);
        target[axis] = value < 0 ? value + data->dims[axis] : value;
        combine_element(outputs[0], position_of(target, data->dims, data->rank), inputs[2],
                        update++, word != NULL ? *word : "none");
        more = next_index(index, indices->dims, indices->rank) != 0;
    }
}
