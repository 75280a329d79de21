/* Each bin asks every pixel of its image. */
#include <math.h>

#include "reference.h"
#include "values.h"

static bool is_in(double first, double last, double scale, int64_t bin, int64_t bins, int64_t at) {
    const int64_t start = (int64_t)round(first * scale), end = (int64_t)round(last * scale);
    const int64_t size = end - start + 1 > 1 ? end - start + 1 : 1, from_start = at - start;
    /* floor(bin * size / bins) <= from_start < ceil((bin + 1) * size / bins) */
    return from_start >= 0 && (from_start + 1) * bins > bin * size &&
           from_start * bins < (bin + 1) * size;
}

void reference_max_roi_pool(const opmill_operator *operator, const opmill_tensor *const *inputs,
                            int32_t input_count, const void *attributes,
                            const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const rois = inputs[1], *const y = outputs[0];
    const double scale = *(const float *)attribute_of(operator, attributes, "spatial_scale");
    const int64_t plane = x->dims[2] * x->dims[3];
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < count_of(y->dims, 4); i++) {
        const int64_t column = i % y->dims[3], row = i / y->dims[3] % y->dims[2];
        const int64_t channel = i / y->dims[3] / y->dims[2] % x->dims[1];
        const int64_t region = i / y->dims[3] / y->dims[2] / x->dims[1];
        double numbers[5];
        int64_t best = -1;
        for (int k = 0; k < 5; k++) {
            numbers[k] = get_real(rois->data, rois->type, region * 5 + k);
        }
        const int64_t first = ((int64_t)numbers[0] * x->dims[1] + channel) * plane;
        for (int64_t at = 0; at < plane; at++) {
            if (is_in(numbers[2], numbers[4], scale, row, y->dims[2], at / x->dims[3]) &&
                is_in(numbers[1], numbers[3], scale, column, y->dims[3], at % x->dims[3])) {
                const double value = get_real(x->data, x->type, first + at);
                const double old = best < 0 ? 0 : get_real(x->data, x->type, best);
                if (best < 0 || (!isnan(old) && (isnan(value) || value > old))) {
                    best = first + at;
                }
            }
        }
        if (best < 0) {
            set_real(y->data, y->type, i, 0);
        } else {
            copy_element(y, i, x, best);
        }
    }
}
