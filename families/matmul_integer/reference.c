/* MatMulInteger, one element of the product after the other, summed in 64 bits. */
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

/* The zero point of a row or column. */
static int64_t zero_of(const opmill_tensor *zero, const int64_t *index, int32_t batch_rank,
                       int64_t line, bool is_left) {
    if (zero == NULL) {
        return 0;
    }
    if (zero->rank == 0 || (zero->rank == 1 && zero->dims[0] == 1)) {
        return (int64_t)number_at(zero, 0);
    }
    const int64_t at = zero->rank == 1
                           ? line
                           : operand_position(zero, index, batch_rank, is_left ? line : 0,
                                              is_left ? 0 : line, is_left);
    return (int64_t)number_at(zero, at);
}

void reference_matmul_integer(const opmill_operator *operator, const opmill_tensor *const *inputs,
                              int32_t input_count, const void *attributes,
                              const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const a = inputs[0], *const b = inputs[1], *const y = outputs[0];
    const opmill_tensor *const a_zero = input_count > 2 ? inputs[2] : NULL;
    const opmill_tensor *const b_zero = input_count > 3 ? inputs[3] : NULL;
    const int32_t batch_rank = y->rank - (a->rank > 1) - (b->rank > 1);
    const int64_t depth = a->dims[a->rank - 1];
    int64_t index[OPMILL_MAX_RANK] = {0}, element = 0;
    (void)operator;
    (void)attributes;
    (void)output_count;
    if (count_of(y->dims, y->rank) == 0) {
        return;
    }
    do {
        const int64_t row = a->rank > 1 ? index[batch_rank] : 0;
        const int64_t column = b->rank > 1 ? index[y->rank - 1] : 0;
        const int64_t p = zero_of(a_zero, index, batch_rank, row, true);
        const int64_t q = zero_of(b_zero, index, batch_rank, column, false);
        int64_t sum = 0;
        for (int64_t k = 0; k < depth; k++) {
            const int64_t left = operand_position(a, index, batch_rank, row, k, true);
            const int64_t right = operand_position(b, index, batch_rank, k, column, false);
            sum += ((int64_t)number_at(a, left) - p) * ((int64_t)number_at(b, right) - q);
        }
        set_bits(y->data, y->type, element, (uint64_t)sum);
        element++;
    } while (next_index(index, y->dims, y->rank));
}
