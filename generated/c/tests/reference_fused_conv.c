/* FusedConv, one output after the other, summed in double, then activated. */
#include "activation.h"
#include "convolution_taps.h"
#include "reference.h"
#include "values.h"

typedef struct sums {
    const opmill_tensor *x, *w;
    double sum;
} sums;

static double parameter(const opmill_floats *list, int64_t i) {
    return list != NULL && i < list->count ? (double)list->values[i] : 0;
}

static void add(void *state, int64_t x_position, int64_t w_position) {
    sums *const sums = state;
    const double number = x_position >= 0 ? get_real(sums->x->data, sums->x->type, x_position) : 0;
    sums->sum += number * get_real(sums->w->data, sums->w->type, w_position);
}

void reference_fused_conv(const opmill_operator *operator, const opmill_tensor *const *inputs,
                          int32_t input_count, const void *attributes,
                          const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const w = inputs[1], *const y = outputs[0];
    const opmill_tensor *const bias = input_count > 2 ? inputs[2] : NULL;
    const opmill_tensor *const added = input_count > 3 ? inputs[3] : NULL;
    const char *const *const name = attribute_of(operator, attributes, "activation");
    const opmill_floats *const numbers = attribute_of(operator, attributes, "activation_params");
    const convolution conv = convolution_of(operator, attributes, x, w, y);
    int64_t index[OPMILL_MAX_RANK] = {0}, element = 0;
    (void)output_count;
    if (count_of(y->dims, y->rank) == 0) {
        return;
    }
    do {
        sums state = {x, w, bias != NULL ? get_real(bias->data, bias->type, index[1]) : 0};
        for_each_tap(&conv, index, add, &state);
        double sum = state.sum;
        if (added != NULL) {
            sum += get_real(added->data, added->type, element);
        }
        if (*name != NULL) {
            sum = activation_of(*name, sum, parameter(numbers, 0), parameter(numbers, 1), 0);
        }
        set_real(y->data, y->type, element++, sum);
    } while (next_index(index, y->dims, y->rank));
}
