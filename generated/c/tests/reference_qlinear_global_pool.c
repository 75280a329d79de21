/* QLinearGlobalAveragePool, element by element of the input, each step rounded to float. */
#include <math.h>

#include "reference.h"
#include "values.h"

static int64_t whole_at(const opmill_tensor *tensor, int64_t i) {
    return tensor->type == OPMILL_INT8 ? ((const int8_t *)tensor->data)[i]
                                       : ((const uint8_t *)tensor->data)[i];
}

void reference_qlinear_global_pool(const opmill_operator *operator,
                                   const opmill_tensor *const *inputs, int32_t input_count,
                                   const void *attributes, const opmill_tensor *const *outputs,
                                   int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const bool last = int_of(operator, attributes, "channels_last", 0) != 0;
    const int64_t all = count_of(x->dims, x->rank), results = count_of(y->dims, y->rank);
    const int64_t channels = x->dims[x->rank - 1], low = y->type == OPMILL_INT8 ? -128 : 0;
    const int64_t high = low + 255, count = results > 0 ? all / results : 1;
    volatile float ratio = (float)count; /* so that each step is rounded */
    (void)input_count;
    (void)output_count;
    ratio = *(const float *)inputs[3]->data * ratio;
    ratio = *(const float *)inputs[1]->data / ratio;
    for (int64_t k = 0; k < results; k++) {
        int64_t sum = 0;
        for (int64_t i = 0; i < all; i++) {
            const int64_t own = last ? i / (count * channels) * channels + i % channels : i / count;
            sum += own == k ? whole_at(x, i) - whole_at(inputs[2], 0) : 0;
        }
        volatile float mean = (float)sum;
        mean = mean * ratio;
        mean = rintf(mean) + (float)whole_at(inputs[4], 0);
        set_whole(y->data, y->type, k,
                  mean > (float)high  ? high
                  : mean > (float)low ? (int64_t)mean
                                      : low);
    }
}
