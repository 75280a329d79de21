/* MatMulIntegerToFloat and DynamicQuantizeMatMul, one element of the product after the other. */
#include <math.h>

#include "formats.h"
#include "reference.h"
#include "values.h"

/* What the left factor is: its scale, its zero point, and whether it is quantized first. */
typedef struct left {
    const opmill_tensor *tensor;
    double scale, zero;
    bool is_quantized;
} left;

/* The position of element (i, j) of the matrix of a stack to which an element of the output
 * belongs; a vector on the left is a row, one on the right a column. */
static int64_t position_in(const opmill_tensor *tensor, const int64_t *index, int32_t batch_rank,
                           int64_t i, int64_t j, bool is_left) {
    int64_t position = 0;
    const int32_t own = tensor->rank > 2 ? tensor->rank - 2 : 0;
    for (int32_t axis = 0; axis < own; axis++) {
        const int64_t at = tensor->dims[axis] == 1 ? 0 : index[batch_rank - own + axis];
        position = position * tensor->dims[axis] + at;
    }
    if (tensor->rank == 1) {
        return is_left ? j : i;
    }
    position = position * tensor->dims[tensor->rank - 2] + i;
    return position * tensor->dims[tensor->rank - 1] + j;
}

/* The scale or zero point of a column. */
static double value_of(const opmill_tensor *values, const int64_t *index, int32_t batch_rank,
                       int64_t column, double otherwise) {
    if (values == NULL) {
        return otherwise;
    }
    if (values->rank == 0 || (values->rank == 1 && values->dims[0] == 1)) {
        return number_at(values, 0);
    }
    const int64_t at =
        values->rank == 1 ? column : position_in(values, index, batch_rank, 0, column, false);
    return number_at(values, at);
}

static double single(double number) {
    volatile float rounded = (float)number;
    return (double)rounded;
}

/* The nearest integer, ties to even, with an integer added, from 0 to 255; of NaN 0. */
static double limited(double number, double added) {
    const double whole = rint(number) + added;
    return isnan(whole) || whole < 0 ? 0 : whole > 255 ? 255 : whole;
}

/* An element of the left factor less its zero point. */
static double element_of_left(const left *of, int64_t at) {
    const double number = number_at(of->tensor, at);
    return (of->is_quantized ? limited(single(number / of->scale), of->zero) : number) - of->zero;
}

static void find_range(left *of) {
    double low = 0, high = 0, other = 0;
    for (int64_t i = 0; i < count_of(of->tensor->dims, of->tensor->rank); i++) {
        const double number = number_at(of->tensor, i);
        low = number < low ? number : low;
        high = number > high ? number : high;
        other = isnan(number) ? number : other;
    }
    const double range = single(high - low);
    of->scale = isnan(other) ? other : range == 0 ? 1 : single(range / 255.0);
    of->zero = limited(-single(low / of->scale), 0);
}

void reference_quantized_matmul(const opmill_operator *operator, const opmill_tensor *const *inputs,
                                int32_t input_count, const void *attributes,
                                const opmill_tensor *const *outputs, int32_t output_count) {
    const bool is_dynamic = inputs[0]->type == OPMILL_FLOAT;
    const int32_t last = is_dynamic ? 3 : 5; /* the position of the zero point of B */
    const opmill_tensor *const a = inputs[0], *const b = inputs[1], *const y = outputs[0];
    const opmill_tensor *const b_scale = inputs[is_dynamic ? 2 : 3];
    const opmill_tensor *const b_zero = input_count > last ? inputs[last] : NULL;
    const opmill_tensor *const bias = input_count > last + 1 ? inputs[last + 1] : NULL;
    const int32_t batch_rank = y->rank - (a->rank > 1) - (b->rank > 1);
    const int64_t depth = a->dims[a->rank - 1];
    int64_t index[OPMILL_MAX_RANK] = {0}, element = 0;
    left of = {a, 1, 0, is_dynamic};
    (void)operator;
    (void)attributes;
    (void)output_count;
    if (is_dynamic) {
        find_range(&of);
    } else {
        of.scale = number_at(inputs[2], 0);
        of.zero = input_count > 4 && inputs[4] != NULL ? number_at(inputs[4], 0) : 0;
    }
    if (count_of(y->dims, y->rank) == 0) {
        return;
    }
    do {
        const int64_t row = a->rank > 1 ? index[batch_rank] : 0;
        const int64_t column = b->rank > 1 ? index[y->rank - 1] : 0;
        const double zero = value_of(b_zero, index, batch_rank, column, 0);
        double sum = 0;
        for (int64_t k = 0; k < depth; k++) {
            const int64_t p = position_in(a, index, batch_rank, row, k, true);
            const int64_t q = position_in(b, index, batch_rank, k, column, false);
            sum += element_of_left(&of, p) * (number_at(b, q) - zero);
        }
        const double scale = single(of.scale * value_of(b_scale, index, batch_rank, column, 1));
        double number = single(single(sum) * scale);
        if (bias != NULL) {
            number = single(number + number_at(bias, column));
        }
        set_real(y->data, y->type, element++, number);
    } while (next_index(index, y->dims, y->rank));
}
