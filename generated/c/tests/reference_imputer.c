/* Each element by itself, with the value of its feature. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static int64_t whole_at(const opmill_tensor *x, int64_t i) {
    return x->type == OPMILL_INT32 ? ((const int32_t *)x->data)[i] : ((const int64_t *)x->data)[i];
}

void reference_imputer(const opmill_operator *operator, const opmill_tensor *const *inputs,
                       int32_t input_count, const void *attributes,
                       const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const opmill_floats *const floats = attribute_of(operator, attributes, "imputed_value_floats");
    const opmill_ints *const integers = attribute_of(operator, attributes, "imputed_value_int64s");
    const float *const real = attribute_of(operator, attributes, "replaced_value_float");
    const int64_t whole = int_of(operator, attributes, "replaced_value_int64", 0);
    const bool is_float = x->type == OPMILL_FLOAT || x->type == OPMILL_DOUBLE;
    const int64_t count = is_float ? floats->count : integers->count;
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        const int64_t feature = count == 1 ? 0 : i % x->dims[x->rank - 1];
        if (is_float) {
            const double item = get_real(x->data, x->type, i);
            if (item == (double)*real || (isnan(item) && isnan(*real))) {
                set_real(y->data, y->type, i, (double)floats->values[feature]);
                continue;
            }
        } else if (whole_at(x, i) == whole) {
            set_whole(y->data, y->type, i, integers->values[feature]);
            continue;
        }
        memcpy((char *)y->data + type_bytes(y->type, i),
               (const char *)x->data + type_bytes(x->type, i), type_bytes(x->type, 1));
    }
}
