/* GroupedMatMul, one element of the output after the other, summed in double. */
#include "reference.h"
#include "values.h"

void reference_grouped_matmul(const opmill_operator *operator, const opmill_tensor *const *inputs,
                              int32_t input_count, const void *attributes,
                              const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const input = inputs[0], *const weights = inputs[1];
    const opmill_tensor *const indices = inputs[2], *const y = outputs[0];
    const opmill_tensor *const bias = input_count > 3 ? inputs[3] : NULL;
    const int64_t depth = weights->dims[1], columns = weights->dims[2];
    (void)operator;
    (void)attributes;
    (void)output_count;
    for (int64_t element = 0; element < count_of(y->dims, y->rank); element++) {
        const int64_t position = element / columns, column = element % columns;
        const int64_t group = indices->type == OPMILL_INT32
                                  ? ((const int32_t *)indices->data)[position]
                                  : ((const int64_t *)indices->data)[position];
        const int64_t row = position / indices->dims[1];
        double sum = 0;
        for (int64_t k = 0; k < depth; k++) {
            sum += get_real(input->data, input->type, row * depth + k) *
                   get_real(weights->data, weights->type, (group * depth + k) * columns + column);
        }
        if (bias != NULL) {
            sum += get_real(bias->data, bias->type, group * columns + column);
        }
        set_real(y->data, y->type, element, sum);
    }
}
