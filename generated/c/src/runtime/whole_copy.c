#include "runtime/whole_copy.h"

#include "runtime/copy.h"
#include "runtime/elements.h"

static void describe(opmill_copy *copy, const opmill_tensor *tensor) {
    size_t bytes = 0;
    (void)opmill_tensor_bytes(tensor->dims, tensor->rank, tensor->type, &bytes);
    opmill_copy_begin(copy, (int64_t)bytes);
    opmill_copy_keep(copy, bytes > 0);
}

void opmill_whole_copy_run(const opmill_tensor *from, opmill_tensor *to,
                           const opmill_context *context) {
    opmill_copy copy;
    describe(&copy, from);
    opmill_copy_run(&copy, from->data, to->data, context);
}

void opmill_whole_copy_choose(const opmill_tensor *from, const opmill_context *context,
                              opmill_choice *choice) {
    opmill_copy copy;
    describe(&copy, from);
    opmill_copy_choose(&copy, context, choice);
}
