/* Each element of the output is looked up in the input. */
#include "reference.h"
#include "values.h"

void reference_transpose(const opmill_operator *operator, const opmill_tensor *const *inputs,
                         int32_t input_count, const void *attributes,
                         const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const data = inputs[0];
    const opmill_tensor *const transposed = outputs[0];
    const opmill_ints *const perm = attribute_of(operator, attributes, "perm");
    int64_t index[OPMILL_MAX_RANK] = {0}, origin[OPMILL_MAX_RANK], position = 0;
    int more = count_of(transposed->dims, transposed->rank) > 0;
    (void)input_count;
    (void)output_count;
    clear_last_byte(transposed);
    while (more) {
        for (int32_t i = 0; i < data->rank; i++) {
            const bool given = perm->count >= 0;
            origin[given ? perm->values[i] : data->rank - 1 - i] = index[i];
        }
        copy_element(transposed, position++, data, position_of(origin, data->dims, data->rank));
        more = next_index(index, transposed->dims, transposed->rank);
    }
}
