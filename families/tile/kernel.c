/* Tile: on each axis the input as a whole is repeated. */
#include "families/tile/kernel.h"

#include "runtime/copy/copy.h"
#include "runtime/numbers/elements.h"

static void describe(opmill_copy *copy, const opmill_tensor *input, const opmill_tile_plan *plan) {
    opmill_copy_begin(copy, opmill_type_bytes(input->type));
    for (int32_t i = 0; i < input->rank; i++) {
        opmill_copy_repeat(copy, plan->repeats.values[i]);
        opmill_copy_keep(copy, input->dims[i]);
    }
}

int opmill_tile_compute(const opmill_tensor *input, opmill_tensor *output,
                        const opmill_tile_plan *plan, opmill_context *context) {
    opmill_copy copy;
    describe(&copy, input, plan);
    opmill_copy_run(&copy, input->data, output->data, context);
    return OPMILL_OK;
}

void opmill_tile_choose(const opmill_tensor *input, const opmill_shape *output,
                        const opmill_tile_plan *plan, const opmill_context *context,
                        opmill_choice *choice) {
    opmill_copy copy;
    (void)output;
    describe(&copy, input, plan);
    opmill_copy_choose(&copy, context, choice);
}
