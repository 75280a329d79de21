/* QLinearConv, one output after the other, each tap of each channel, summed in 64 bits. */
#include <math.h>
#include <string.h>

#include "formats.h"
#include "reference.h"
#include "values.h"

static int64_t entry(const opmill_ints *list, int32_t i, int64_t otherwise) {
    return list != NULL && list->count > 0 ? list->values[i] : otherwise;
}

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

void reference_qlinear_conv(const opmill_operator *operator, const opmill_tensor *const *inputs,
                            int32_t input_count, const void *attributes,
                            const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const w = inputs[3], *const y = outputs[0];
    const opmill_tensor *const bias = input_count > 8 ? inputs[8] : NULL;
    const opmill_ints *const strides = attribute_of(operator, attributes, "strides");
    const opmill_ints *const dilations = attribute_of(operator, attributes, "dilations");
    const opmill_ints *const pads = attribute_of(operator, attributes, "pads");
    const char *const auto_pad =
        *(const char *const *)attribute_of(operator, attributes, "auto_pad");
    const int64_t group = *(const int64_t *)attribute_of(operator, attributes, "group");
    int64_t index[OPMILL_MAX_RANK] = {0}, tap[OPMILL_MAX_RANK], at[OPMILL_MAX_RANK];
    int64_t begin[OPMILL_MAX_RANK], element = 0;
    (void)output_count;
    if (count_of(y->dims, y->rank) == 0) {
        return;
    }
    for (int32_t i = 2; i < x->rank; i++) {
        begin[i] = entry(pads, i - 2, 0);
        if (strncmp(auto_pad, "SAME", 4) == 0) {
            const int64_t missing = (y->dims[i] - 1) * entry(strides, i - 2, 1) +
                                    (w->dims[i] - 1) * entry(dilations, i - 2, 1) + 1 - x->dims[i];
            const int64_t odd = strcmp(auto_pad, "SAME_LOWER") == 0 ? 1 : 0;
            begin[i] = missing > 0 ? (missing + odd) / 2 : 0;
        }
    }
    do {
        int64_t sum = bias != NULL ? (int64_t)number_at(bias, index[1]) : 0;
        memset(tap, 0, sizeof tap);
        tap[0] = index[1];
        if (w->dims[1] > 0) {
            const int64_t first = index[1] / (w->dims[0] / group) * w->dims[1];
            int32_t axis;
            do {
                bool inside = true;
                at[0] = index[0];
                at[1] = first + tap[1];
                for (int32_t i = 2; i < x->rank; i++) {
                    at[i] = index[i] * entry(strides, i - 2, 1) +
                            tap[i] * entry(dilations, i - 2, 1) - begin[i];
                    inside = inside && at[i] >= 0 && at[i] < x->dims[i];
                }
                if (inside) {
                    const double p = number_at(x, position_of(at, x->dims, x->rank));
                    const double q = number_at(w, position_of(tap, w->dims, w->rank));
                    sum += (int64_t)(p - number_at(inputs[2], 0)) *
                           (int64_t)(q - value_of(inputs[5], index[1]));
                }
                for (axis = w->rank - 1; axis >= 1; axis--) { /* not the map */
                    if (++tap[axis] < w->dims[axis]) {
                        break;
                    }
                    tap[axis] = 0;
                }
            } while (axis >= 1);
        }
        const uint64_t bits = (uint64_t)sum & 0xffffffffu;
        const double whole = (double)bits - (bits >= 0x80000000u ? 4294967296.0 : 0);
        const double both = single(number_at(inputs[1], 0) * value_of(inputs[4], index[1]));
        const double number = single(single(whole) * single(both / number_at(inputs[6], 0)));
        set_whole(y->data, y->type, element, limited(number, number_at(inputs[7], 0), y->type));
        element++;
    } while (next_index(index, y->dims, y->rank));
}
