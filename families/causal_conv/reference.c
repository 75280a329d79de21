/* A causal convolution, element by element, in double. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_causal_conv(const opmill_operator *operator, const opmill_tensor *const *inputs,
                           int32_t input_count, const void *attributes,
                           const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const w = inputs[1], *const y = outputs[0];
    const opmill_tensor *const bias = input_count > 2 ? inputs[2] : NULL;
    const opmill_tensor *const past = input_count > 3 ? inputs[3] : NULL;
    const opmill_tensor *const present = output_count > 1 ? outputs[1] : NULL;
    const char *const *const word = attribute_of(operator, attributes, "activation");
    const int64_t channels = x->dims[1], length = x->dims[2], size = w->dims[2], state = size - 1;
    for (int64_t at = 0; at < count_of(x->dims, 3); at++) {
        const int64_t line = at / length, t = at % length, c = line % channels;
        double sum = bias != NULL ? get_real(bias->data, x->type, c) : 0;
        for (int64_t k = 0; k < size; k++) {
            const int64_t from = t + k - state;
            const double item = from >= 0 ? get_real(x->data, x->type, line * length + from)
                                : past != NULL
                                    ? get_real(past->data, x->type, line * state + state + from)
                                    : 0;
            sum += get_real(w->data, x->type, c * size + k) * item;
        }
        if (strcmp(*word, "none") != 0) {
            sum = sum / (1 + exp(-sum));
        }
        set_real(y->data, y->type, at, sum);
    }
    for (int64_t at = 0; present != NULL && at < count_of(present->dims, 3); at++) {
        const int64_t line = at / state, from = at % state + length - state;
        if (from >= 0) {
            copy_element(present, at, x, line * length + from);
        } else if (past != NULL) {
            copy_element(present, at, past, line * state + state + from);
        } else {
            set_real(present->data, present->type, at, 0);
        }
    }
}
