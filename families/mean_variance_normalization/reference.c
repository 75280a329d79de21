/* For each element, the mean and the deviation of all that share them, in double. */
#include <math.h>

#include "reference.h"
#include "values.h"

/* Whether two elements have the same index in every axis that is kept. */
static bool share(const opmill_tensor *x, const bool *gone, int64_t a, int64_t b) {
    for (int32_t axis = x->rank - 1; axis >= 0; axis--) {
        if (!gone[axis] && a % x->dims[axis] != b % x->dims[axis]) {
            return false;
        }
        a /= x->dims[axis];
        b /= x->dims[axis];
    }
    return true;
}

void reference_mean_variance_normalization(const opmill_operator *operator,
                                           const opmill_tensor *const *inputs, int32_t input_count,
                                           const void *attributes,
                                           const opmill_tensor *const *outputs,
                                           int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const opmill_ints *const given = attribute_of(operator, attributes, "axes");
    const int64_t channels[] = {0, 2, 3};
    const opmill_ints usual = {channels, 3};
    const opmill_ints *const axes = given != NULL && given->count >= 0 ? given : &usual;
    const int64_t all = count_of(x->dims, x->rank);
    bool gone[OPMILL_MAX_RANK];
    (void)input_count;
    (void)output_count;
    for (int32_t axis = 0; axis < x->rank; axis++) {
        gone[axis] = axes->count == 0;
        for (int64_t i = 0; i < axes->count; i++) {
            gone[axis] = gone[axis] || (axes->values[i] + x->rank) % x->rank == axis;
        }
    }
    for (int64_t i = 0; i < all; i++) {
        double sum = 0, squares = 0, count = 0;
        for (int64_t k = 0; k < all; k++) {
            if (share(x, gone, i, k)) {
                sum += get_real(x->data, x->type, k);
                count++;
            }
        }
        for (int64_t k = 0; k < all; k++) {
            if (share(x, gone, i, k)) {
                const double less = get_real(x->data, x->type, k) - sum / count;
                squares += less * less;
            }
        }
        set_real(y->data, y->type, i,
                 (get_real(x->data, x->type, i) - sum / count) / (sqrt(squares / count) + 1e-9));
    }
}
