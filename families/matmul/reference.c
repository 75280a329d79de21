/* MatMul, one element of the product after the other, summed in double, of integers wrapped around.
 */
#include <string.h>

#include "reference.h"
#include "values.h"

/* The position in a tensor of element (i, j) of the matrix that a place in the output belongs to.
 */
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

void reference_matmul(const opmill_operator *operator, const opmill_tensor *const *inputs,
                      int32_t input_count, const void *attributes,
                      const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const a = inputs[0], *const b = inputs[1], *const y = outputs[0];
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
        double sum = 0;
        uint64_t whole = 0;
        for (int64_t k = 0; k < depth; k++) {
            const int64_t p = operand_position(a, index, batch_rank, row, k, true);
            const int64_t q = operand_position(b, index, batch_rank, k, column, false);
            if (type_bytes(y->type, 1) == 8 && y->type != OPMILL_DOUBLE) {
                whole += ((const uint64_t *)a->data)[p] * ((const uint64_t *)b->data)[q];
            } else if (y->type == OPMILL_INT32 || y->type == OPMILL_UINT32) {
                whole += (uint64_t)((const uint32_t *)a->data)[p] * ((const uint32_t *)b->data)[q];
            } else {
                sum += get_real(a->data, a->type, p) * get_real(b->data, b->type, q);
            }
        }
        if (type_bytes(y->type, 1) >= 4 && y->type != OPMILL_DOUBLE && y->type != OPMILL_FLOAT) {
            set_bits(y->data, y->type, element, whole);
        } else {
            set_real(y->data, y->type, element, sum);
        }
        element++;
    } while (next_index(index, y->dims, y->rank));
}
