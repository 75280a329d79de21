/* SequenceAt: a copy of one tensor. */
#include "families/sequences/kernel_at.h"

#include "runtime/copy/whole_copy.h"

int opmill_sequences_at_compute(const opmill_tensor *const *input_sequence,
                                int32_t input_sequence_count, opmill_tensor *tensor,
                                const opmill_sequences_plan *plan, opmill_context *context) {
    (void)input_sequence_count;
    opmill_whole_copy_run(input_sequence[plan->index], tensor, context);
    return OPMILL_OK;
}
