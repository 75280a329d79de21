/* Split: the input is the whole, the outputs are the parts. */
#include "families/split/kernel.h"

#include "runtime/copy/strips.h"

/* The whole is only read, where it is scattered. */
static opmill_strips strips_of(const opmill_tensor *input, const opmill_split_plan *plan) {
    opmill_strips strips;
    opmill_strips_begin(&strips, input->dims, input->rank, input->type, (int32_t)plan->axis);
    strips.gather = false;
    strips.whole = input->data;
    return strips;
}

int opmill_split_compute(const opmill_tensor *input, opmill_tensor *const *outputs,
                         int32_t outputs_count, const opmill_split_plan *plan,
                         opmill_context *context) {
    opmill_strips strips = strips_of(input, plan);
    strips.parts = (const opmill_tensor *const *)outputs;
    strips.count = outputs_count;
    opmill_strips_run(&strips, context);
    return OPMILL_OK;
}

void opmill_split_choose(const opmill_tensor *input, int32_t outputs_count,
                         const opmill_split_plan *plan, const opmill_context *context,
                         opmill_choice *choice) {
    opmill_strips strips = strips_of(input, plan);
    strips.count = outputs_count;
    opmill_strips_choose(&strips, context, choice);
}
