/* SequenceErase: all elements but one. */
#include "families/sequences/kernel_erase.h"

int opmill_sequences_erase_compute(const opmill_tensor *const *input_sequence,
                                   int32_t input_sequence_count,
                                   const opmill_tensor **output_sequence,
                                   int32_t output_sequence_count, const opmill_sequences_plan *plan,
                                   opmill_context *context) {
    (void)input_sequence_count;
    (void)context;
    for (int32_t i = 0; i < output_sequence_count; i++) {
        output_sequence[i] = input_sequence[i < plan->index ? i : i + 1];
    }
    return OPMILL_OK;
}
