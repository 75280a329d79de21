/* Expand: an axis on which input and output agree is kept; any other has one position in the input
 * (or none: it is missing on the left) and is repeated. */
#include "families/expand/kernel.h"

#include "runtime/copy/copy.h"
#include "runtime/numbers/elements.h"

static void describe(opmill_copy *copy, const opmill_tensor *input, const int64_t *dims,
                     int32_t rank) {
    const int32_t missing = rank - input->rank;
    opmill_copy_begin(copy, opmill_type_bytes(input->type));
    for (int32_t i = 0; i < rank; i++) {
        if (i >= missing && input->dims[i - missing] == dims[i]) {
            opmill_copy_keep(copy, dims[i]);
        } else {
            opmill_copy_repeat(copy, dims[i]);
        }
    }
}

int opmill_expand_compute(const opmill_tensor *input, const opmill_tensor *shape,
                          opmill_tensor *output, const opmill_expand_plan *plan,
                          opmill_context *context) {
    opmill_copy copy;
    (void)shape;
    (void)plan;
    describe(&copy, input, output->dims, output->rank);
    opmill_copy_run(&copy, input->data, output->data, context);
    return OPMILL_OK;
}

void opmill_expand_choose(const opmill_tensor *input, const opmill_tensor *shape,
                          const opmill_shape *output, const opmill_expand_plan *plan,
                          const opmill_context *context, opmill_choice *choice) {
    opmill_copy copy;
    (void)shape;
    (void)plan;
    describe(&copy, input, output->dims, output->rank);
    opmill_copy_choose(&copy, context, choice);
}
