/* SplitToSequence: the input is the whole, the new tensors are the parts. Without the axis, each
 * has one position of it. */
#include "families/sequences/kernel_split.h"

#include <string.h>

#include "runtime/copy/strips.h"
#include "runtime/numbers/elements.h"

/* A row of the input, before the axis, has one row of each part in turn. */
static void unstack(const opmill_tensor *whole, const opmill_tensor **parts, int32_t count,
                    int32_t axis) {
    size_t bytes = 0;
    int64_t rows = 1;
    const unsigned char *from = whole->data;
    if (!opmill_tensor_bytes(whole->dims + axis + 1, whole->rank - axis - 1, whole->type, &bytes) ||
        bytes == 0) {
        return;
    }
    for (int32_t i = 0; i < axis; i++) {
        rows *= whole->dims[i];
    }
    for (int64_t row = 0; row < rows; row++) {
        for (int32_t k = 0; k < count; k++, from += bytes) {
            memcpy((unsigned char *)parts[k]->data + (size_t)row * bytes, from, bytes);
        }
    }
}

int opmill_sequences_split_compute(const opmill_tensor *input, const opmill_tensor *split,
                                   const opmill_tensor **output_sequence,
                                   int32_t output_sequence_count, const opmill_sequences_plan *plan,
                                   opmill_context *context) {
    const int32_t axis = (int32_t)plan->axis;
    opmill_strips strips;
    (void)split;
    if (plan->drops_axis) {
        unstack(input, output_sequence, output_sequence_count, axis);
        return OPMILL_OK;
    }
    opmill_strips_begin(&strips, input->dims, input->rank, input->type, axis);
    strips.parts = output_sequence;
    strips.count = output_sequence_count;
    strips.gather = false;
    strips.whole = input->data;
    opmill_strips_run(&strips, context);
    return OPMILL_OK;
}
