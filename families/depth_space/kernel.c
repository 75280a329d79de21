/* DepthToSpace and SpaceToDepth: the pieces of the axes in the order of the output, which the
 * strided copy writes. */
#include "families/depth_space/kernel.h"

#include "runtime/copy/strided_copy.h"

static void describe(opmill_strided_copy *copy, const opmill_tensor *input,
                     const opmill_depth_space_plan *plan) {
    int64_t strides[OPMILL_MAX_RANK];
    int64_t stride = 1;
    for (int32_t i = (int32_t)plan->pieces.count - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= plan->pieces.values[i];
    }
    opmill_strided_begin(copy, input->type, 0);
    for (int32_t i = 0; i < (int32_t)plan->order.count; i++) {
        const int64_t axis = plan->order.values[i];
        opmill_strided_axis(copy, plan->pieces.values[axis], strides[axis]);
    }
}

int opmill_depth_space_compute(const opmill_tensor *input, opmill_tensor *output,
                               const opmill_depth_space_plan *plan, opmill_context *context) {
    opmill_strided_copy copy;
    describe(&copy, input, plan);
    opmill_strided_run(&copy, input->data, output->data, context);
    return OPMILL_OK;
}

void opmill_depth_space_choose(const opmill_tensor *input, const opmill_shape *output,
                               const opmill_depth_space_plan *plan, const opmill_context *context,
                               opmill_choice *choice) {
    opmill_strided_copy copy;
    (void)output;
    describe(&copy, input, plan);
    opmill_strided_choose(&copy, context, choice);
}
