/* Transpose: the axes of the input in the order of the output, which the strided copy writes. */
#include "families/transpose/kernel.h"

#include "runtime/copy/strided_copy.h"

static void describe(opmill_strided_copy *copy, const opmill_tensor *data,
                     const opmill_list *order) {
    int64_t strides[OPMILL_MAX_RANK];
    int64_t stride = 1;
    for (int32_t i = data->rank - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= data->dims[i];
    }
    opmill_strided_begin(copy, data->type, 0);
    for (int32_t i = 0; i < data->rank; i++) {
        const int64_t axis = order->values[i];
        opmill_strided_axis(copy, data->dims[axis], strides[axis]);
    }
}

int opmill_transpose_compute(const opmill_tensor *data, opmill_tensor *transposed,
                             const opmill_transpose_plan *plan, opmill_context *context) {
    opmill_strided_copy copy;
    describe(&copy, data, &plan->axes);
    opmill_strided_run(&copy, data->data, transposed->data, context);
    return OPMILL_OK;
}

void opmill_transpose_choose(const opmill_tensor *data, const opmill_shape *transposed,
                             const opmill_transpose_plan *plan, const opmill_context *context,
                             opmill_choice *choice) {
    opmill_strided_copy copy;
    (void)transposed;
    describe(&copy, data, &plan->axes);
    opmill_strided_choose(&copy, context, choice);
}
