/* Every element by its row and its column. */
#include "reference.h"
#include "values.h"

void reference_eye(const opmill_operator *operator, const opmill_tensor *const *inputs,
                   int32_t input_count, const void *attributes, const opmill_tensor *const *outputs,
                   int32_t output_count) {
    const opmill_tensor *const output = outputs[0];
    const int64_t k = *(const int64_t *)attribute_of(operator, attributes, "k");
    const int64_t rows = output->dims[0], columns = output->dims[1];
    (void)inputs;
    (void)input_count;
    (void)output_count;
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t column = 0; column < columns; column++) {
            set_whole(output->data, output->type, row * columns + column, column - row == k);
        }
    }
}
