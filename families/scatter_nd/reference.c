/* A copy of data, which takes one element of the updates after the other. */
#include "combine.h"
#include "reference.h"
#include "values.h"

void reference_scatter_nd(const opmill_operator *operator, const opmill_tensor *const *inputs,
                          int32_t input_count, const void *attributes,
                          const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const data = inputs[0], *const indices = inputs[1];
    const int32_t width = (int32_t)indices->dims[indices->rank - 1];
    const int64_t slice = count_of(data->dims + width, data->rank - width);
    const int64_t rows = count_of(indices->dims, indices->rank - 1);
    const char *const *const word = attribute_of(operator, attributes, "reduction");
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < count_of(data->dims, data->rank); i++) {
        copy_element(outputs[0], i, data, i);
    }
    for (int64_t row = 0; slice > 0 && row < rows; row++) {
        int64_t target[OPMILL_MAX_RANK];
        for (int32_t k = 0; k < width; k++) {
            const int64_t value = ((const int64_t *)indices->data)[row * width + k];
            target[k] = value < 0 ? value + data->dims[k] : value;
        }
        for (int64_t i = 0; i < slice; i++) {
            combine_element(outputs[0], position_of(target, data->dims, width) * slice + i,
                            inputs[2], row * slice + i, word != NULL ? *word : "none");
        }
    }
}
