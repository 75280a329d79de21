/* Each element of the output is looked up by its index. */
#include "reference.h"
#include "values.h"

void reference_array_feature_extractor(const opmill_operator *operator,
                                       const opmill_tensor *const *inputs, int32_t input_count,
                                       const void *attributes, const opmill_tensor *const *outputs,
                                       int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const z = outputs[0];
    const int64_t *const indices = inputs[1]->data;
    const int64_t count = z->dims[z->rank - 1];
    (void)operator;
    (void)input_count;
    (void)attributes;
    (void)output_count;
    for (int64_t i = 0; i < count_of(z->dims, z->rank); i++) {
        copy_element(z, i, x, i / count * x->dims[x->rank - 1] + indices[i % count]);
    }
}
