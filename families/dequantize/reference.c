/* Dequantization, one element after the other, in double. */
#include "formats.h"
#include "reference.h"
#include "values.h"

/* The position of the scale of an element. */
static int64_t scale_of(const opmill_operator *operator, const void *attributes,
                        const opmill_tensor *x, const opmill_tensor *scale, int64_t element) {
    const int64_t *const given = attribute_of(operator, attributes, "block_size");
    const int64_t block = given != NULL ? *given : 0;
    const int64_t axis = axis_of(operator, attributes, x->rank, 1);
    int64_t index[64];
    if (scale->rank == 0 || (scale->rank == 1 && scale->dims[0] == 1)) {
        return 0;
    }
    for (int32_t i = x->rank - 1; i >= 0; i--) {
        index[i] = element % x->dims[i];
        element /= x->dims[i];
    }
    if (block == 0) {
        return index[axis];
    }
    index[axis] /= block;
    return position_of(index, scale->dims, scale->rank);
}

void reference_dequantize(const opmill_operator *operator, const opmill_tensor *const *inputs,
                          int32_t input_count, const void *attributes,
                          const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const scale = inputs[1], *const y = outputs[0];
    const opmill_tensor *const zero = input_count > 2 ? inputs[2] : NULL;
    const int64_t count = count_of(y->dims, y->rank);
    (void)output_count;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = scale_of(operator, attributes, x, scale, i);
        const double offset = zero != NULL ? number_at(zero, at) : 0;
        volatile double product = (number_at(x, i) - offset) * number_at(scale, at);
        set_real(y->data, y->type, i, product);
    }
}
