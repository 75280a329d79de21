/* Each element compares its position on the new axis with the index there. */
#include "reference.h"
#include "values.h"

/* Whether an index, without its fraction, is a position. */
static bool is_at(const opmill_tensor *indices, int64_t i, int64_t position) {
    switch (indices->type) {
    case OPMILL_FLOAT16:
    case OPMILL_FLOAT:
    case OPMILL_DOUBLE: {
        const double index = get_real(indices->data, indices->type, i);
        const double low = position > 0 ? (double)position : (double)position - 1;
        const double high = position < 0 ? (double)position : (double)position + 1;
        return position > 0   ? index >= low && index < high
               : position < 0 ? index > low && index <= high
                              : index > low && index < high;
    }
    case OPMILL_INT8:
        return ((const int8_t *)indices->data)[i] == position;
    case OPMILL_INT16:
        return ((const int16_t *)indices->data)[i] == position;
    case OPMILL_INT32:
        return ((const int32_t *)indices->data)[i] == position;
    case OPMILL_INT64:
        return ((const int64_t *)indices->data)[i] == position;
    case OPMILL_UINT8:
        return ((const uint8_t *)indices->data)[i] == position;
    case OPMILL_UINT16:
        return ((const uint16_t *)indices->data)[i] == position;
    case OPMILL_UINT32:
        return ((const uint32_t *)indices->data)[i] == position;
    default:
        return position >= 0 && ((const uint64_t *)indices->data)[i] == (uint64_t)position;
    }
}

void reference_one_hot(const opmill_operator *operator, const opmill_tensor *const *inputs,
                       int32_t input_count, const void *attributes,
                       const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const indices = inputs[0], *const output = outputs[0];
    const int32_t axis = (int32_t)axis_of(operator, attributes, output->rank, -1);
    const int64_t count = count_of(output->dims, output->rank), depth = output->dims[axis];
    const bool wraps = operator->since_version >= 11;
    int64_t index[OPMILL_MAX_RANK] = {0}, origin[OPMILL_MAX_RANK] = {0};
    (void)input_count;
    (void)output_count;
    for (int64_t position = 0; position < count; position++) {
        for (int32_t i = 0; i < indices->rank; i++) {
            origin[i] = index[i < axis ? i : i + 1];
        }
        const int64_t from = position_of(origin, indices->dims, indices->rank);
        const bool on = is_at(indices, from, index[axis]) ||
                        (wraps && is_at(indices, from, index[axis] - depth));
        copy_element(output, position, inputs[2], on ? 1 : 0);
        (void)next_index(index, output->dims, output->rank);
    }
}
