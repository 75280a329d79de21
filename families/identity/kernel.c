/* Identity: all elements of the input. */
#include "families/identity/kernel.h"

#include "runtime/copy/whole_copy.h"

int opmill_identity_compute(const opmill_tensor *input, opmill_tensor *output,
                            const opmill_identity_plan *plan, opmill_context *context) {
    (void)plan;
    opmill_whole_copy_run(input, output, context);
    return OPMILL_OK;
}

void opmill_identity_choose(const opmill_tensor *input, const opmill_shape *output,
                            const opmill_identity_plan *plan, const opmill_context *context,
                            opmill_choice *choice) {
    (void)output;
    (void)plan;
    opmill_whole_copy_choose(input, context, choice);
}
