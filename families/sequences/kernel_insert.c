/* SequenceInsert: all elements, and one more. */
#include "families/sequences/kernel_insert.h"

int opmill_sequences_insert_compute(const opmill_tensor *const *input_sequence,
                                    int32_t input_sequence_count, const opmill_tensor *tensor,
                                    const opmill_tensor **output_sequence,
                                    int32_t output_sequence_count,
                                    const opmill_sequences_plan *plan, opmill_context *context) {
    (void)output_sequence_count;
    (void)context;
    for (int32_t i = 0; i < input_sequence_count; i++) {
        output_sequence[i < plan->index ? i : i + 1] = input_sequence[i];
    }
    output_sequence[plan->index] = tensor;
    return OPMILL_OK;
}
