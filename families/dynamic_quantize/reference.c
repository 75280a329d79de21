/* DynamicQuantizeLinear: the range first, then one element after the other. */
#include <math.h>

#include "reference.h"
#include "values.h"

/* The nearest integer, ties to even, with an integer added, from 0 to 255; of NaN 0. */
static double limited(double number, double added) {
    if (isnan(number) || number < -1000) {
        return 0;
    }
    if (number > 1000) {
        return 255;
    }
    const double below = floor(number), rest = number - below;
    const double whole = rest > 0.5 || (rest == 0.5 && fmod(below, 2) != 0) ? below + 1 : below;
    const double sum = whole + added;
    return sum < 0 ? 0 : sum > 255 ? 255 : sum;
}

static float single(double number) {
    volatile float rounded = (float)number;
    return rounded;
}

void reference_dynamic_quantize(const opmill_operator *operator, const opmill_tensor *const *inputs,
                                int32_t input_count, const void *attributes,
                                const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0];
    const float *const items = x->data;
    const int64_t count = count_of(x->dims, x->rank);
    float low = 0, high = 0, other = 0;
    (void)operator;
    (void)input_count;
    (void)attributes;
    (void)output_count;
    for (int64_t i = 0; i < count; i++) {
        low = items[i] < low ? items[i] : low;
        high = items[i] > high ? items[i] : high;
        other = isnan(items[i]) ? items[i] : other;
    }
    const float range = single((double)high - (double)low);
    const float part = range == 0 ? 1 : single((double)range / 255.0);
    const float scale = isnan(other) ? other : part;
    const double zero = limited(-(double)single((double)low / (double)scale), 0);
    set_real(outputs[1]->data, OPMILL_FLOAT, 0, (double)scale);
    set_whole(outputs[2]->data, OPMILL_UINT8, 0, (int64_t)zero);
    for (int64_t i = 0; i < count; i++) {
        const double number = limited((double)single((double)items[i] / (double)scale), zero);
        set_whole(outputs[0]->data, OPMILL_UINT8, i, (int64_t)number);
    }
}
