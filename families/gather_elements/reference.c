/* Each element of the output is looked up by its index. */
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_gather_elements(const opmill_operator *operator, const opmill_tensor *const *inputs,
                               int32_t input_count, const void *attributes,
                               const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const data = inputs[0], *const indices = inputs[1];
    const int64_t axis = axis_of(operator, attributes, data->rank, 0);
    int64_t index[OPMILL_MAX_RANK] = {0}, origin[OPMILL_MAX_RANK], position = 0;
    bool more = count_of(indices->dims, indices->rank) > 0;
    (void)input_count;
    (void)output_count;
    while (more) {
        const int64_t value = indices->type == OPMILL_INT32
                                  ? ((const int32_t *)indices->data)[position]
                                  : ((const int64_t *)indices->data)[position];
        memcpy(origin, index, sizeof origin);
        origin[axis] = value < 0 ? value + data->dims[axis] : value;
        copy_element(outputs[0], position++, data, position_of(origin, data->dims, data->rank));
        more = next_index(index, indices->dims, indices->rank) != 0;
    }
}
