/* For each element, the norm of its line by way of the largest, in double. */
#include <math.h>

#include "reference.h"
#include "values.h"

void reference_lp_normalization(const opmill_operator *operator, const opmill_tensor *const *inputs,
                                int32_t input_count, const void *attributes,
                                const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const int64_t axis = axis_of(operator, attributes, x->rank, -1);
    const int64_t p = *(const int64_t *)attribute_of(operator, attributes, "p");
    int64_t step = 1;
    (void)input_count;
    (void)output_count;
    for (int32_t i = (int32_t)axis + 1; i < x->rank; i++) {
        step *= x->dims[i];
    }
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        const int64_t length = x->dims[axis], first = i - i / step % length * step;
        double norm = 0;
        for (int64_t k = first; k < first + length * step; k += step) {
            const double number = get_real(x->data, x->type, k);
            norm = p == 1 ? norm + fabs(number) : hypot(norm, number);
        }
        for (int64_t k = first; k < first + length * step; k += step) { /* of hypot(inf, NaN) too */
            norm = isnan(get_real(x->data, x->type, k)) ? NAN : norm;
        }
        set_real(y->data, y->type, i, norm == 0 ? 0 : get_real(x->data, x->type, i) / norm);
    }
}
