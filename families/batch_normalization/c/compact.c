/* BatchNormalization, compact: a center, a factor and a bias for each channel. */
#include "families/batch_normalization/compact.h"

#include <math.h>
#include <stdbool.h>

#include "runtime/quantized/compact.h"

/* True if the library computes in float. */
static bool fits(double center, double factor) {
    const double size = fabs(factor);
    return fabs(center) < 0x1p60 && size < 0x1p40 && (size > 0x1p-40 || size == 0);
}

int opmill_batch_normalization_compact(const opmill_tensor *x, const opmill_tensor *scale,
                                       const opmill_tensor *bias, const opmill_tensor *mean,
                                       const opmill_tensor *variance, opmill_tensor *y,
                                       opmill_tensor *running_mean, opmill_tensor *running_variance,
                                       opmill_tensor *saved_mean, opmill_tensor *saved_variance,
                                       const opmill_batch_normalization_plan *plan,
                                       opmill_context *context) {
    const int32_t channels = opmill_compact_count(mean), count = opmill_compact_count(y);
    const int32_t length = count / ((int32_t)y->dims[0] * channels);
    const float *from = x->data;
    float *to = y->data;
    (void)running_mean;
    (void)running_variance;
    (void)saved_mean;
    (void)saved_variance;
    (void)context;
    for (int32_t left = count, c = 0; left > 0; left -= length, c = c + 1 < channels ? c + 1 : 0) {
        const float center = ((const float *)mean->data)[c], added = ((const float *)bias->data)[c];
        const double spread = (double)((const float *)variance->data)[c];
        const double factor =
            (double)((const float *)scale->data)[c] / sqrt(spread + plan->epsilon);
        if (fits((double)center, factor)) {
            const float by = (float)factor;
            for (int32_t i = 0; i < length; i++) {
                *to++ = (*from++ - center) * by + added;
            }
        } else {
            for (int32_t i = 0; i < length; i++) {
                *to++ = (float)(((double)*from++ - (double)center) * factor + (double)added);
            }
        }
    }
    return OPMILL_OK;
}
