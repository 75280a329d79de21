/* SequenceConstruct: the elements are the inputs. */
#include "families/sequences/kernel_construct.h"

int opmill_sequences_construct_compute(const opmill_tensor *const *inputs, int32_t inputs_count,
                                       const opmill_tensor **output_sequence,
                                       int32_t output_sequence_count,
                                       const opmill_sequences_plan *plan, opmill_context *context) {
    (void)output_sequence_count;
    (void)plan;
    (void)context;
    for (int32_t i = 0; i < inputs_count; i++) {
        output_sequence[i] = inputs[i];
    }
    return OPMILL_OK;
}
