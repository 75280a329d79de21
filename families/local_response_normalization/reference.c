/* One element after the other, in double. */
#include <math.h>

#include "reference.h"
#include "values.h"

static double number_of(const opmill_operator *operator, const void *attributes, const char *name) {
    return *(const float *)attribute_of(operator, attributes, name);
}

void reference_local_response_normalization(const opmill_operator *operator,
                                            const opmill_tensor *const *inputs, int32_t input_count,
                                            const void *attributes,
                                            const opmill_tensor *const *outputs,
                                            int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const int64_t size = *(const int64_t *)attribute_of(operator, attributes, "size");
    const double alpha = number_of(operator, attributes, "alpha");
    const double beta = number_of(operator, attributes, "beta");
    const double bias = number_of(operator, attributes, "bias");
    int64_t plane = 1;
    (void)input_count;
    (void)output_count;
    for (int32_t i = 2; i < x->rank; i++) {
        plane *= x->dims[i];
    }
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        const int64_t channel = i / plane % x->dims[1];
        double sum = 0;
        for (int64_t k = 0; k < x->dims[1]; k++) {
            if (channel - k <= (size - 1) / 2 && k - channel <= size / 2) {
                const double near = get_real(x->data, x->type, i + (k - channel) * plane);
                sum += near * near;
            }
        }
        set_real(y->data, y->type, i,
                 get_real(x->data, x->type, i) / pow(bias + alpha / (double)size * sum, beta));
    }
}
