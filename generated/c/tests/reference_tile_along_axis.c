/* Along one axis: the output's dims, which are judged by themselves, say which and how often. */
#include "reference.h"

void reference_tile_along_axis(const opmill_operator *operator, const opmill_tensor *const *inputs,
                               int32_t input_count, const void *attributes,
                               const opmill_tensor *const *outputs, int32_t output_count) {
    reference_tile(operator, inputs, input_count, attributes, outputs, output_count);
}
