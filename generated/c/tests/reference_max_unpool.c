/* Zeros, and then one element after the other. */
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_max_unpool(const opmill_operator *operator, const opmill_tensor *const *inputs,
                          int32_t input_count, const void *attributes,
                          const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const indices = inputs[1];
    const opmill_tensor *const output = outputs[0];
    const opmill_ints *const kernel = attribute_of(operator, attributes, "kernel_shape");
    const opmill_ints *const strides = attribute_of(operator, attributes, "strides");
    const opmill_ints *const pads = attribute_of(operator, attributes, "pads");
    const int64_t all = count_of(output->dims, output->rank);
    int64_t dims[OPMILL_MAX_RANK];
    (void)input_count;
    (void)output_count;
    for (int32_t i = 0; i < x->rank; i++) {
        dims[i] = x->dims[i];
        if (i >= 2) {
            const int32_t k = i - 2, n = x->rank - 2;
            const int64_t stride = strides->values == NULL ? 1 : strides->values[k];
            dims[i] = (dims[i] - 1) * stride + kernel->values[k];
            dims[i] -= pads->values == NULL ? 0 : pads->values[k] + pads->values[n + k];
        }
    }
    memset(output->data, 0, type_bytes(output->type, all));
    for (int64_t i = 0; i < count_of(x->dims, x->rank) && all > 0; i++) {
        int64_t index[OPMILL_MAX_RANK], rest = ((const int64_t *)indices->data)[i];
        for (int32_t axis = x->rank - 1; axis >= 0; axis--) {
            index[axis] = rest % dims[axis];
            rest /= dims[axis];
        }
        copy_element(output, position_of(index, output->dims, output->rank), x, i);
    }
}
