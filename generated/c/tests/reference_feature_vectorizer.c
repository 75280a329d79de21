/* Each element of the output is found in the input that it comes from. */
#include "reference.h"
#include "values.h"

void reference_feature_vectorizer(const opmill_operator *operator,
                                  const opmill_tensor *const *inputs, int32_t input_count,
                                  const void *attributes, const opmill_tensor *const *outputs,
                                  int32_t output_count) {
    const opmill_ints *const widths = attribute_of(operator, attributes, "inputdimensions");
    const int64_t rows = outputs[0]->dims[0], columns = outputs[0]->dims[1];
    (void)output_count;
    (void)input_count;
    for (int64_t i = 0; i < rows * columns; i++) {
        int64_t column = i % columns;
        int32_t k = 0;
        for (;; k++) {
            const int64_t width =
                widths->count < 0 ? inputs[k]->dims[inputs[k]->rank - 1] : widths->values[k];
            if (column < width) {
                break;
            }
            column -= width;
        }
        const opmill_tensor *const x = inputs[k];
        const int64_t size = x->dims[x->rank - 1], at = i / columns * size + column;
        float value = 0;
        if (column < size && x->type == OPMILL_INT64) {
            value = (float)((const int64_t *)x->data)[at];
        } else if (column < size && x->type == OPMILL_INT32) {
            value = (float)((const int32_t *)x->data)[at];
        } else if (column < size) {
            value = (float)get_real(x->data, x->type, at);
        }
        ((float *)outputs[0]->data)[i] = value;
    }
}
