/* The mean and the deviation of the elements that share them, in double. */
#include <math.h>

#include "reference.h"
#include "values.h"

/* Position of the element whose index is the sum of two. */
static int64_t position_of_sum(const opmill_tensor *x, const int64_t *outer, const int64_t *inner) {
    return position_of(outer, x->dims, x->rank) + position_of(inner, x->dims, x->rank);
}

/* Normalizes the elements at one index of the axes that remain: all indices of the others. */
static void normalize(const opmill_tensor *x, const opmill_tensor *y, const int64_t *outer,
                      const int64_t *inner_dims) {
    int64_t inner[OPMILL_MAX_RANK] = {0};
    double sum = 0, squares = 0, count = 0;
    do {
        sum += get_real(x->data, x->type, position_of_sum(x, outer, inner));
        count++;
    } while (next_index(inner, inner_dims, x->rank));
    do {
        const double value = get_real(x->data, x->type, position_of_sum(x, outer, inner));
        squares += (value - sum / count) * (value - sum / count);
    } while (next_index(inner, inner_dims, x->rank));
    do {
        const int64_t at = position_of_sum(x, outer, inner);
        set_real(y->data, y->type, at,
                 (get_real(x->data, x->type, at) - sum / count) / (sqrt(squares / count) + 1e-9));
    } while (next_index(inner, inner_dims, x->rank));
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
    int64_t outer[OPMILL_MAX_RANK] = {0}, outer_dims[OPMILL_MAX_RANK], inner_dims[OPMILL_MAX_RANK];
    (void)input_count;
    (void)output_count;
    if (count_of(x->dims, x->rank) == 0) {
        return;
    }
    for (int32_t axis = 0; axis < x->rank; axis++) {
        bool reduced = axes->count == 0;
        for (int64_t i = 0; i < axes->count; i++) {
            reduced = reduced || (axes->values[i] + x->rank) % x->rank == axis;
        }
        outer_dims[axis] = reduced ? 1 : x->dims[axis];
        inner_dims[axis] = reduced ? x->dims[axis] : 1;
    }
    do {
        normalize(x, y, outer, inner_dims);
    } while (next_index(outer, outer_dims, x->rank));
}
