/* Channels, one after the other and one element after the other, in double. */
#include <math.h>

#include "reference.h"
#include "values.h"

static int64_t flag_of(const opmill_operator *operator, const void *attributes, const char *name,
                       int64_t otherwise) {
    const int64_t *const given = attribute_of(operator, attributes, name);
    return given != NULL ? *given : otherwise;
}

static double at(const opmill_tensor *tensor, int64_t i) {
    return get_real(tensor->data, tensor->type, i);
}

void reference_batch_normalization(const opmill_operator *operator,
                                   const opmill_tensor *const *inputs, int32_t input_count,
                                   const void *attributes, const opmill_tensor *const *outputs,
                                   int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const double epsilon = *(const float *)attribute_of(operator, attributes, "epsilon");
    const double momentum = *(const float *)attribute_of(operator, attributes, "momentum");
    const bool test = flag_of(operator, attributes, "is_test", 0) != 0;
    const int64_t mode = flag_of(operator, attributes, "training_mode", -1);
    const bool by_count = mode < 0 && attribute_of(operator, attributes, "is_test") == NULL;
    const bool training = by_count ? output_count > 1 : mode < 0 ? !test : mode == 1;
    const int64_t channels = count_of(inputs[1]->dims, inputs[1]->rank);
    const int64_t all = count_of(x->dims, x->rank);
    int64_t plane = 1;
    (void)input_count;
    for (int32_t i = 2; i < x->rank && flag_of(operator, attributes, "spatial", 1) != 0; i++) {
        plane *= x->dims[i];
    }
    for (int64_t channel = 0; channel < channels; channel++) {
        double mean = at(inputs[3], channel), variance = at(inputs[4], channel);
        if (training) {
            double sum = 0, squares = 0, count = 0;
            for (int64_t i = 0; i < all; i++) {
                if (i / plane % channels == channel) {
                    sum += at(x, i);
                    count++;
                }
            }
            for (int64_t i = 0; i < all; i++) {
                if (i / plane % channels == channel) {
                    squares += (at(x, i) - sum / count) * (at(x, i) - sum / count);
                }
            }
            const double results[4] = {mean * momentum + sum / count * (1 - momentum),
                                       variance * momentum + squares / count * (1 - momentum),
                                       sum / count, squares / count};
            for (int32_t i = 1; i < output_count; i++) {
                if (outputs[i] != NULL) {
                    set_real(outputs[i]->data, outputs[i]->type, channel, results[i - 1]);
                }
            }
            mean = sum / count;
            variance = squares / count;
        }
        for (int64_t i = 0; i < all; i++) {
            if (i / plane % channels == channel) {
                const double factor = at(inputs[1], channel) / sqrt(variance + epsilon);
                set_real(y->data, y->type, i, (at(x, i) - mean) * factor + at(inputs[2], channel));
            }
        }
    }
}
