/* QLinearConv, one output after the other, summed in 64 bits. */
#include <math.h>

#include "convolution_taps.h"
#include "formats.h"
#include "reference.h"
#include "values.h"

typedef struct sums {
    const opmill_tensor *x, *w;
    double x_zero, w_zero;
    int64_t sum;
} sums;

/* The value of a map, or the only one. */
static double value_of(const opmill_tensor *values, int64_t map) {
    return number_at(values, count_of(values->dims, values->rank) > 1 ? map : 0);
}

static double single(double number) {
    volatile float rounded = (float)number;
    return (double)rounded;
}

/* The nearest integer, ties to even, with an integer added, as one of a type; NaN is the lowest. */
static int64_t limited(double number, double added, int32_t type) {
    const double low = type == OPMILL_INT8 ? -128 : 0, high = low + 255;
    if (isnan(number) || number < -1000) {
        return (int64_t)low;
    }
    if (number > 1000) {
        return (int64_t)high;
    }
    const double below = floor(number), rest = number - below;
    const double whole = rest > 0.5 || (rest == 0.5 && fmod(below, 2) != 0) ? below + 1 : below;
    const double sum = whole + added;
    return (int64_t)(sum < low ? low : sum > high ? high : sum);
}

static void add(void *state, int64_t x_position, int64_t w_position) {
    sums *const sums = state;
    if (x_position >= 0) {
        sums->sum += (int64_t)(number_at(sums->x, x_position) - sums->x_zero) *
                     (int64_t)(number_at(sums->w, w_position) - sums->w_zero);
    }
}

void reference_qlinear_conv(const opmill_operator *operator, const opmill_tensor *const *inputs,
                            int32_t input_count, const void *attributes,
                            const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const w = inputs[3], *const y = outputs[0];
    const opmill_tensor *const bias = input_count > 8 ? inputs[8] : NULL;
    const convolution conv = convolution_of(operator, attributes, x, w, y);
    int64_t index[OPMILL_MAX_RANK] = {0}, element = 0;
    (void)output_count;
    if (count_of(y->dims, y->rank) == 0) {
        return;
    }
    do {
        sums state = {x, w, number_at(inputs[2], 0), value_of(inputs[5], index[1]),
                      bias != NULL ? (int64_t)number_at(bias, index[1]) : 0};
        for_each_tap(&conv, index, add, &state);
        const uint64_t bits = (uint64_t)state.sum & 0xffffffffu;
        const double whole = (double)bits - (bits >= 0x80000000u ? 4294967296.0 : 0);
        const double both = single(number_at(inputs[1], 0) * value_of(inputs[4], index[1]));
        const double number = single(single(whole) * single(both / number_at(inputs[6], 0)));
        set_whole(y->data, y->type, element++, limited(number, number_at(inputs[7], 0), y->type));
    } while (next_index(index, y->dims, y->rank));
}
