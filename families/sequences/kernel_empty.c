/* SequenceEmpty: nothing. */
#include "families/sequences/kernel_empty.h"

int opmill_sequences_empty_compute(const opmill_tensor **output, int32_t output_count,
                                   const opmill_sequences_plan *plan, opmill_context *context) {
    (void)output;
    (void)output_count;
    (void)plan;
    (void)context;
    return OPMILL_OK;
}
