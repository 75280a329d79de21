/* ConvInteger, one output after the other, summed in 64 bits. */
#include "convolution_taps.h"
#include "formats.h"
#include "reference.h"
#include "values.h"

typedef struct sums {
    const opmill_tensor *x, *w;
    int64_t x_zero, w_zero, sum;
} sums;

/* The zero point of a map, or the only one. */
static int64_t zero_of(const opmill_tensor *zero, int64_t map) {
    if (zero == NULL) {
        return 0;
    }
    return (int64_t)number_at(zero, count_of(zero->dims, zero->rank) > 1 ? map : 0);
}

static void add(void *state, int64_t x_position, int64_t w_position) {
    sums *const sums = state;
    if (x_position >= 0) {
        sums->sum += ((int64_t)number_at(sums->x, x_position) - sums->x_zero) *
                     ((int64_t)number_at(sums->w, w_position) - sums->w_zero);
    }
}

void reference_conv_integer(const opmill_operator *operator, const opmill_tensor *const *inputs,
                            int32_t input_count, const void *attributes,
                            const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const w = inputs[1], *const y = outputs[0];
    const opmill_tensor *const x_zero = input_count > 2 ? inputs[2] : NULL;
    const opmill_tensor *const w_zero = input_count > 3 ? inputs[3] : NULL;
    const convolution conv = convolution_of(operator, attributes, x, w, y);
    int64_t index[OPMILL_MAX_RANK] = {0}, element = 0;
    (void)output_count;
    if (count_of(y->dims, y->rank) == 0) {
        return;
    }
    do {
        sums state = {x, w, zero_of(x_zero, 0), zero_of(w_zero, index[1]), 0};
        for_each_tap(&conv, index, add, &state);
        set_bits(y->data, y->type, element++, (uint64_t)state.sum);
    } while (next_index(index, y->dims, y->rank));
}
