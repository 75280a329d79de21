/* ConcatFromSequence: the tensors are the parts, the output is the whole. Along a new axis, each
 * tensor is one position of it. */
#include "families/sequences/kernel_concat.h"

#include <string.h>

#include "runtime/copy/strips.h"
#include "runtime/numbers/elements.h"

/* A row of the output, before the new axis, has one row of each tensor in turn. */
static void stack(const opmill_tensor *const *parts, int32_t count, const opmill_tensor *whole,
                  int32_t axis) {
    size_t bytes = 0;
    int64_t rows = 1;
    unsigned char *to = whole->data;
    if (!opmill_tensor_bytes(whole->dims + axis + 1, whole->rank - axis - 1, whole->type, &bytes) ||
        bytes == 0) {
        return;
    }
    for (int32_t i = 0; i < axis; i++) {
        rows *= whole->dims[i];
    }
    for (int64_t row = 0; row < rows; row++) {
        for (int32_t k = 0; k < count; k++, to += bytes) {
            memcpy(to, (const unsigned char *)parts[k]->data + (size_t)row * bytes, bytes);
        }
    }
}

int opmill_sequences_concat_compute(const opmill_tensor *const *input_sequence,
                                    int32_t input_sequence_count, opmill_tensor *concat_result,
                                    const opmill_sequences_plan *plan, opmill_context *context) {
    const int32_t axis = (int32_t)plan->axis;
    opmill_strips strips;
    if (plan->stacks) {
        stack(input_sequence, input_sequence_count, concat_result, axis);
        return OPMILL_OK;
    }
    opmill_strips_begin(&strips, concat_result->dims, concat_result->rank, concat_result->type,
                        axis);
    strips.parts = input_sequence;
    strips.count = input_sequence_count;
    strips.gather = true;
    strips.whole = concat_result->data;
    opmill_strips_run(&strips, context);
    return OPMILL_OK;
}
