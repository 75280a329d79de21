/* SequenceLength: the number of elements. */
#include "families/sequences/kernel_length.h"

int opmill_sequences_length_compute(const opmill_tensor *const *input_sequence,
                                    int32_t input_sequence_count, opmill_tensor *length,
                                    const opmill_sequences_plan *plan, opmill_context *context) {
    int64_t *const number = length->data;
    (void)input_sequence;
    (void)plan;
    (void)context;
    *number = input_sequence_count;
    return OPMILL_OK;
}
