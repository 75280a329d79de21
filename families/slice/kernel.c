/* Slice: the axes of the input, which the strided copy takes in steps. */
#include "families/slice/kernel.h"

#include "runtime/copy/strided_copy.h"

static void describe(opmill_strided_copy *copy, const opmill_tensor *data, const int64_t *dims,
                     const opmill_slice_plan *plan) {
    int64_t strides[OPMILL_MAX_RANK];
    int64_t stride = 1, first = 0;
    for (int32_t i = data->rank - 1; i >= 0; i--) {
        strides[i] = stride;
        first += plan->first.values[i] * stride;
        stride *= data->dims[i];
    }
    opmill_strided_begin(copy, data->type, first);
    for (int32_t i = 0; i < data->rank; i++) {
        /* The step may leave the axis where only one element is taken. */
        opmill_strided_axis(copy, dims[i], dims[i] > 1 ? plan->step.values[i] * strides[i] : 0);
    }
}

int opmill_slice_compute(const opmill_tensor *data, opmill_tensor *output,
                         const opmill_slice_plan *plan, opmill_context *context) {
    opmill_strided_copy copy;
    describe(&copy, data, output->dims, plan);
    opmill_strided_run(&copy, data->data, output->data, context);
    return OPMILL_OK;
}

void opmill_slice_choose(const opmill_tensor *data, const opmill_shape *output,
                         const opmill_slice_plan *plan, const opmill_context *context,
                         opmill_choice *choice) {
    opmill_strided_copy copy;
    describe(&copy, data, output->dims, plan);
    opmill_strided_choose(&copy, context, choice);
}
