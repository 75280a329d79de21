/* Copies a tensor unchanged, as a strided copy of one contiguous axis. */
#include "runtime/copy/whole_copy.h"

#include "runtime/copy/strided_copy.h"

static void describe(opmill_strided_copy *copy, const opmill_tensor *tensor) {
    opmill_strided_begin(copy, tensor->type, 0);
    int64_t elements = 1;
    for (int32_t i = 0; i < tensor->rank; i++) {
        if (tensor->dims[i] == 0) {
            copy->empty = true;
            return;
        }
        elements *= tensor->dims[i];
    }
    opmill_strided_axis(copy, elements, 1);
}

void opmill_whole_copy_run(const opmill_tensor *from, opmill_tensor *to,
                           const opmill_context *context) {
    opmill_strided_copy copy;
    describe(&copy, from);
    opmill_strided_run(&copy, from->data, to->data, context);
}

void opmill_whole_copy_choose(const opmill_tensor *from, const opmill_context *context,
                              opmill_choice *choice) {
    opmill_strided_copy copy;
    describe(&copy, from);
    opmill_strided_choose(&copy, context, choice);
}
