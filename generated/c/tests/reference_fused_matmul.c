/* FusedMatMul, one element of the product after the other, summed in double. */
#include "reference.h"
#include "values.h"

static bool flag(const opmill_operator *operator, const void *attributes, const char *name) {
    return *(const int64_t *)attribute_of(operator, attributes, name) != 0;
}

/* The position of element (i, j) of an operand's matrix in the batch of the output. */
static int64_t operand_position(const opmill_tensor *tensor, bool moves, bool swaps,
                                const int64_t *index, int32_t batch_rank, int64_t i, int64_t j,
                                bool is_left) {
    const int32_t own = tensor->rank - 2;
    int64_t position = 0;
    if (tensor->rank == 1) {
        return is_left ? j : i;
    }
    const int64_t first = swaps ? j : i, last = swaps ? i : j;
    if (moves) {
        position = first;
    }
    for (int32_t axis = 0; axis < own; axis++) {
        const int64_t dim = tensor->dims[moves ? axis + 1 : axis];
        position = position * dim + (dim == 1 ? 0 : index[batch_rank - own + axis]);
    }
    if (!moves) {
        position = position * tensor->dims[tensor->rank - 2] + first;
    }
    return position * tensor->dims[tensor->rank - 1] + last;
}

void reference_fused_matmul(const opmill_operator *operator, const opmill_tensor *const *inputs,
                            int32_t input_count, const void *attributes,
                            const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const a = inputs[0], *const b = inputs[1], *const y = outputs[0];
    const bool moves_a = flag(operator, attributes, "transBatchA");
    const bool moves_b = flag(operator, attributes, "transBatchB");
    const bool swaps_a = flag(operator, attributes, "transA");
    const bool swaps_b = flag(operator, attributes, "transB");
    const double alpha = *(const float *)attribute_of(operator, attributes, "alpha");
    const int32_t batch_rank = y->rank - (a->rank > 1) - (b->rank > 1);
    const int32_t summed = a->rank == 1 || !swaps_a ? a->rank - 1 : moves_a ? 0 : a->rank - 2;
    int64_t index[OPMILL_MAX_RANK] = {0}, element = 0;
    (void)input_count;
    (void)output_count;
    if (count_of(y->dims, y->rank) == 0) {
        return;
    }
    do {
        const int64_t row = a->rank > 1 ? index[batch_rank] : 0;
        const int64_t column = b->rank > 1 ? index[y->rank - 1] : 0;
        double sum = 0;
        for (int64_t k = 0; k < a->dims[summed]; k++) {
            sum +=
                get_real(a->data, a->type,
                         operand_position(a, moves_a, swaps_a, index, batch_rank, row, k, true)) *
                get_real(
                    b->data, b->type,
                    operand_position(b, moves_b, swaps_b, index, batch_rank, k, column, false));
        }
        set_real(y->data, y->type, element, sum * alpha);
        element++;
    } while (next_index(index, y->dims, y->rank));
}
