/* Concat: the inputs are the parts, the output is the whole. */
#include "families/concat/kernel.h"

#include "runtime/copy/strips.h"

int opmill_concat_compute(const opmill_tensor *const *inputs, int32_t inputs_count,
                          opmill_tensor *concat_result, const opmill_concat_plan *plan,
                          opmill_context *context) {
    opmill_strips strips;
    opmill_strips_begin(&strips, concat_result->dims, concat_result->rank, concat_result->type,
                        (int32_t)plan->axis);
    strips.parts = inputs;
    strips.count = inputs_count;
    strips.gather = true;
    strips.whole = concat_result->data;
    opmill_strips_run(&strips, context);
    return OPMILL_OK;
}

void opmill_concat_choose(const opmill_tensor *const *inputs, int32_t inputs_count,
                          const opmill_shape *concat_result, const opmill_concat_plan *plan,
                          const opmill_context *context, opmill_choice *choice) {
    opmill_strips strips;
    (void)inputs;
    opmill_strips_begin(&strips, concat_result->dims, concat_result->rank, concat_result->type,
                        (int32_t)plan->axis);
    strips.count = inputs_count;
    opmill_strips_choose(&strips, context, choice);
}
