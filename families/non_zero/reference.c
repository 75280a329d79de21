/* Element after element in row-major order; the index of one that is not zero is a column. */
#include <string.h>

#include "reference.h"
#include "values.h"

/* Whether element i is not zero: all of its bytes are, but for the sign of a floating zero. */
static bool is_other(const opmill_tensor *x, int64_t i) {
    switch (x->type) {
    case OPMILL_STRING:
        return ((const char *const *)x->data)[i][0] != '\0';
    case OPMILL_FLOAT16:
    case OPMILL_BFLOAT16:
    case OPMILL_FLOAT:
    case OPMILL_DOUBLE:
        return get_real(x->data, x->type, i) != 0;
    case OPMILL_COMPLEX64:
    case OPMILL_COMPLEX128:
        return get_real(x->data, x->type, 2 * i) != 0 || get_real(x->data, x->type, 2 * i + 1) != 0;
    default: {
        const size_t bytes = type_bytes(x->type, 1);
        const unsigned char *const element = (const unsigned char *)x->data + (size_t)i * bytes;
        bool other = false;
        for (size_t k = 0; k < bytes; k++) {
            other = other || element[k] != 0;
        }
        return other;
    }
    }
}

void reference_non_zero(const opmill_operator *operator, const opmill_tensor *const *inputs,
                        int32_t input_count, const void *attributes,
                        const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0];
    int64_t *const y = outputs[0]->data;
    const int64_t columns = outputs[0]->dims[1];
    int64_t index[OPMILL_MAX_RANK] = {0}, column = 0;
    (void)operator;
    (void)input_count;
    (void)attributes;
    (void)output_count;
    if (count_of(x->dims, x->rank) == 0) {
        return;
    }
    do {
        if (is_other(x, position_of(index, x->dims, x->rank))) {
            for (int32_t axis = 0; axis < x->rank; axis++) {
                y[axis * columns + column] = index[axis];
            }
            column++;
        }
    } while (next_index(index, x->dims, x->rank));
}
