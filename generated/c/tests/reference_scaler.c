/* Each element by itself, with the values of its feature. */
#include "reference.h"
#include "values.h"

static double value_of(const opmill_floats *list, int64_t feature, double otherwise) {
    return list->count < 0 ? otherwise : (double)list->values[list->count == 1 ? 0 : feature];
}

void reference_scaler(const opmill_operator *operator, const opmill_tensor *const *inputs,
                      int32_t input_count, const void *attributes,
                      const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0];
    const opmill_floats *const offset = attribute_of(operator, attributes, "offset");
    const opmill_floats *const scale = attribute_of(operator, attributes, "scale");
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        const int64_t feature = i % x->dims[x->rank - 1];
        double difference = get_real(x->data, x->type, i) - value_of(offset, feature, 0);
        if (x->type == OPMILL_FLOAT) {
            difference = (double)(float)difference; /* exact, but for this rounding */
        }
        set_real(outputs[0]->data, OPMILL_FLOAT, i, difference * value_of(scale, feature, 1));
    }
}
