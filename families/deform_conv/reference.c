/* Each output asks every element of its image for its weight. */
#include <math.h>

#include "reference.h"
#include "values.h"

static int64_t entry(const opmill_ints *list, int32_t i, int64_t otherwise) {
    return list != NULL && list->count > i ? list->values[i] : otherwise;
}

typedef struct sampler {
    const opmill_tensor *x;
    int64_t image;
    double at[OPMILL_MAX_RANK];
} sampler;

static double sample(const sampler *from) {
    const opmill_tensor *const x = from->x;
    const int64_t pixels = count_of(x->dims + 2, x->rank - 2);
    double sum = 0;
    for (int64_t pixel = 0; pixel < pixels; pixel++) {
        int64_t rest = pixel;
        double weight = 1;
        for (int32_t a = x->rank - 3; a >= 0; a--) {
            const double distance = fabs(from->at[a] - (double)(rest % x->dims[2 + a]));
            weight *= distance < 1 ? 1 - distance : 0; /* 0 for NaN */
            rest /= x->dims[2 + a];
        }
        sum += weight > 0 ? weight * get_real(x->data, x->type, from->image * pixels + pixel) : 0;
    }
    return sum;
}

void reference_deform_conv(const opmill_operator *operator, const opmill_tensor *const *inputs,
                           int32_t input_count, const void *attributes,
                           const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const w = inputs[1], *const offset = inputs[2];
    const opmill_tensor *const b = input_count > 3 ? inputs[3] : NULL;
    const opmill_tensor *const mask = input_count > 4 ? inputs[4] : NULL;
    const opmill_tensor *const y = outputs[0];
    const opmill_ints *const strides = attribute_of(operator, attributes, "strides");
    const opmill_ints *const dilations = attribute_of(operator, attributes, "dilations");
    const opmill_ints *const pads = attribute_of(operator, attributes, "pads");
    const int64_t group = int_of(operator, attributes, "group", 1);
    const int64_t offset_group = int_of(operator, attributes, "offset_group", 1);
    const int32_t axes = x->rank - 2;
    const int64_t taps = count_of(w->dims + 2, axes), positions = count_of(y->dims + 2, axes);
    (void)output_count;
    for (int64_t i = 0; i < count_of(y->dims, y->rank); i++) {
        const int64_t n = i / positions / y->dims[1], map = i / positions % y->dims[1];
        double sum = b != NULL ? get_real(b->data, b->type, map) : 0;
        for (int64_t k = 0; k < w->dims[1] * taps; k++) {
            const int64_t channel = map / (y->dims[1] / group) * w->dims[1] + k / taps;
            const int64_t row = n * offset_group + channel / (x->dims[1] / offset_group);
            sampler from = {x, n * x->dims[1] + channel, {0}};
            int64_t position = i % positions, tap = k % taps;
            for (int32_t a = axes - 1; a >= 0; a--) {
                const int64_t moved =
                    ((row * taps + k % taps) * axes + a) * positions + i % positions;
                from.at[a] =
                    (double)(position % y->dims[2 + a] * entry(strides, a, 1) - entry(pads, a, 0) +
                             tap % w->dims[2 + a] * entry(dilations, a, 1)) +
                    get_real(offset->data, offset->type, moved);
                position /= y->dims[2 + a];
                tap /= w->dims[2 + a];
            }
            double value = sample(&from);
            if (mask != NULL) {
                value *= get_real(mask->data, mask->type,
                                  (row * taps + k % taps) * positions + i % positions);
            }
            sum += value * get_real(w->data, w->type, map * w->dims[1] * taps + k);
        }
        set_real(y->data, y->type, i, sum);
    }
}
