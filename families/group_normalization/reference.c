/* Groups of channels, one after the other and one element after the other, in double. */
#include <math.h>

#include "reference.h"
#include "values.h"

static double rounded(double value, int32_t type) {
    double element;
    set_real(&element, type, 0, value);
    return get_real(&element, type, 0);
}

void reference_group_normalization(const opmill_operator *operator,
                                   const opmill_tensor *const *inputs, int32_t input_count,
                                   const void *attributes, const opmill_tensor *const *outputs,
                                   int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const int64_t *const given = attribute_of(operator, attributes, "num_groups");
    const int64_t *const named = attribute_of(operator, attributes, "stash_type");
    const double epsilon = *(const float *)attribute_of(operator, attributes, "epsilon");
    const int64_t groups = given != NULL ? *given : x->dims[1], all = count_of(x->dims, x->rank);
    const int32_t stash = named != NULL ? (int32_t)*named : x->type;
    int64_t plane = 1;
    (void)input_count;
    (void)output_count;
    for (int32_t i = 2; i < x->rank; i++) {
        plane *= x->dims[i];
    }
    for (int64_t first = 0; first < all;) {
        const int64_t size = x->dims[1] / groups * plane;
        double mean = 0, variance = 0;
        for (int64_t i = first; i < first + size; i++) {
            mean += rounded(get_real(x->data, x->type, i), stash);
        }
        mean /= (double)size; /* once: that of equal elements is one of them */
        for (int64_t i = first; i < first + size; i++) {
            const double less = rounded(get_real(x->data, x->type, i), stash) - mean;
            variance += less * less / (double)size;
        }
        for (int64_t i = first; i < first + size; i++) {
            const double less = rounded(get_real(x->data, x->type, i), stash) - mean;
            const int64_t channel = i / plane % x->dims[1];
            const int64_t at = channel * inputs[1]->dims[0] / x->dims[1];
            set_real(y->data, y->type, i,
                     less / sqrt(variance + epsilon) * get_real(inputs[1]->data, x->type, at) +
                         get_real(inputs[2]->data, x->type, at));
        }
        first += size;
    }
}
