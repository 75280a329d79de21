/* Each element of the output is looked up by its index. */
#include <string.h>

#include "reference.h"
#include "values.h"

static int64_t index_at(const opmill_tensor *indices, int64_t position) {
    return indices->type == OPMILL_INT32 ? ((const int32_t *)indices->data)[position]
                                         : ((const int64_t *)indices->data)[position];
}

void reference_gather(const opmill_operator *operator, const opmill_tensor *const *inputs,
                      int32_t input_count, const void *attributes,
                      const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const data = inputs[0], *const indices = inputs[1];
    const bool tuples = strcmp(operator->name, "GatherND") == 0;
    const int64_t *const batch = attribute_of(operator, attributes, "batch_dims");
    const int32_t shared = tuples && batch != NULL ? (int32_t)*batch : 0;
    const int32_t first = tuples ? shared : (int32_t)axis_of(operator, attributes, data->rank, 0);
    const int32_t width = tuples ? (int32_t)indices->dims[indices->rank - 1] : 1;
    const int32_t rows = indices->rank - (tuples ? 1 : 0); /* axes of indices, without the tuples */
    int64_t index[OPMILL_MAX_RANK] = {0}, origin[OPMILL_MAX_RANK], position = 0;
    bool more = count_of(outputs[0]->dims, outputs[0]->rank) > 0;
    (void)input_count;
    (void)output_count;
    while (more) {
        const int32_t begin = tuples ? 0 : first; /* where the axes of indices begin */
        const int64_t row = position_of(index + begin, indices->dims, rows) * width;
        memcpy(origin, index, (size_t)first * sizeof *origin);
        for (int32_t k = 0; k < width; k++) {
            const int64_t value = index_at(indices, row + k);
            origin[first + k] = value < 0 ? value + data->dims[first + k] : value;
        }
        for (int32_t i = first + width; i < data->rank; i++) {
            origin[i] = index[begin + rows + i - first - width];
        }
        copy_element(outputs[0], position++, data, position_of(origin, data->dims, data->rank));
        more = next_index(index, outputs[0]->dims, outputs[0]->rank) != 0;
    }
}
