/* QLinearMatMul, one element of the product after the other, summed in double. */
#include <math.h>

#include "formats.h"
#include "reference.h"
#include "values.h"

/* The position of element (i, j) of the matrix of a stack to which an element of the output
 * belongs; a vector on the left is a row, one on the right a column. */
static int64_t operand_position(const opmill_tensor *tensor, const int64_t *index,
                                int32_t batch_rank, int64_t i, int64_t j, bool is_left) {
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

/* The scale or zero point of a row or column. */
static double value_of(const opmill_tensor *values, const int64_t *index, int32_t batch_rank,
                       int64_t line, bool is_left) {
    if (values->rank == 0 || (values->rank == 1 && values->dims[0] == 1)) {
        return number_at(values, 0);
    }
    const int64_t at = values->rank == 1
                           ? line
                           : operand_position(values, index, batch_rank, is_left ? line : 0,
                                              is_left ? 0 : line, is_left);
    return number_at(values, at);
}

static double single(double number) {
    volatile float rounded = (float)number;
    return (double)rounded;
}

/* The nearest integer, ties to even, with an integer added, as one of a type; NaN is the lowest. */
static double limited(double number, double added, int32_t type) {
    const double low = type == OPMILL_INT8 ? -128 : 0, high = low + 255;
    if (isnan(number) || number < -1000) {
        return low;
    }
    if (number > 1000) {
        return high;
    }
    const double below = floor(number), rest = number - below;
    const double whole = rest > 0.5 || (rest == 0.5 && fmod(below, 2) != 0) ? below + 1 : below;
    const double sum = whole + added;
    return sum < low ? low : sum > high ? high : sum;
}

static bool is_whole(int32_t type) { return type == OPMILL_INT8 || type == OPMILL_UINT8; }

void reference_qlinear_matmul(const opmill_operator *operator, const opmill_tensor *const *inputs,
                              int32_t input_count, const void *attributes,
                              const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const a = inputs[0], *const b = inputs[3], *const y = outputs[0];
    const int32_t batch_rank = y->rank - (a->rank > 1) - (b->rank > 1);
    const int64_t depth = a->dims[a->rank - 1];
    int64_t index[OPMILL_MAX_RANK] = {0}, element = 0;
    (void)operator;
    (void)input_count;
    (void)attributes;
    (void)output_count;
    if (count_of(y->dims, y->rank) == 0) {
        return;
    }
    do {
        const int64_t row = a->rank > 1 ? index[batch_rank] : 0;
        const int64_t column = b->rank > 1 ? index[y->rank - 1] : 0;
        const double p = value_of(inputs[2], index, batch_rank, row, true);
        const double q = value_of(inputs[5], index, batch_rank, column, false);
        double sum = 0;
        for (int64_t k = 0; k < depth; k++) {
            const int64_t left = operand_position(a, index, batch_rank, row, k, true);
            const int64_t right = operand_position(b, index, batch_rank, k, column, false);
            sum += (number_at(a, left) - p) * (number_at(b, right) - q);
        }
        if (is_whole(a->type) && is_whole(b->type)) { /* as an int32, which wraps around */
            const uint64_t bits = (uint64_t)(int64_t)sum & 0xffffffffu;
            sum = (double)bits - (bits >= 0x80000000u ? 4294967296.0 : 0);
        }
        const double both = single(value_of(inputs[1], index, batch_rank, row, true) *
                                   value_of(inputs[4], index, batch_rank, column, false));
        const double factor = single(both / number_at(inputs[6], 0));
        const double zero = number_at(inputs[7], 0);
        double number = single(single(sum) * factor);
        if (is_whole(y->type)) {
            set_whole(y->data, y->type, element, (int64_t)limited(number, zero, y->type));
        } else {
            number = zero != 0 ? single(number + zero) : number;
            const struct element value = element_of(number);
            set_bits(y->data, y->type, element,
                     bits_of_element(&value, y->type, true, "up", false));
        }
        element++;
    } while (next_index(index, y->dims, y->rank));
}
