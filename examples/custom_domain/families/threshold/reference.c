/* Slow reference of Threshold for the tests of the C library. */
#include "opmill/operators/threshold.h"

#include "reference.h"
#include "values.h"

void reference_threshold(const opmill_operator *operator, const opmill_tensor *const *inputs,
                         int32_t input_count, const void *attributes,
                         const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const image = inputs[0], *const output = outputs[0];
    const opmill_threshold_1_attributes *const given = attributes;
    const int64_t level = given != NULL ? given->level : 128;
    (void)operator;
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < count_of(output->dims, output->rank); i++) {
        const int64_t pixel = image->type == OPMILL_UINT8 ? ((const uint8_t *)image->data)[i]
                                                          : ((const uint16_t *)image->data)[i];
        if (pixel < level) {
            ((uint8_t *)output->data)[i] = 0;
        } else {
            ((uint8_t *)output->data)[i] = 255;
        }
    }
}
