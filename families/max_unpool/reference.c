/* Zeros, and then one element after the other. */
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_max_unpool(const opmill_operator *operator, const opmill_tensor *const *inputs,
                          int32_t input_count, const void *attributes,
                          const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const indices = inputs[1];
    const opmill_tensor *const output = outputs[0];
    const int64_t all = count_of(output->dims, output->rank);
    (void)operator;
    (void)input_count;
    (void)attributes;
    (void)output_count;
    memset(output->data, 0, type_bytes(output->type, all));
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        copy_element(output, ((const int64_t *)indices->data)[i], x, i);
    }
}
