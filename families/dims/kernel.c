/* Shape and Size: the rule has computed the values. */
#include "families/dims/kernel.h"

int opmill_dims_compute(opmill_tensor *output, const opmill_dims_plan *plan,
                        opmill_context *context) {
    int64_t *const values = output->data;
    (void)context;
    for (int32_t i = 0; i < plan->values.count; i++) {
        values[i] = plan->values.values[i];
    }
    return OPMILL_OK;
}
