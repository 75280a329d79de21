/* OptionalGetElement: a copy of the contents. */
#include "families/optionals/kernel_get_element.h"

#include "runtime/copy/whole_copy.h"

int opmill_optionals_get_element_compute(const opmill_tensor *input, opmill_tensor *output,
                                         const opmill_optionals_plan *plan,
                                         opmill_context *context) {
    (void)plan;
    opmill_whole_copy_run(input, output, context);
    return OPMILL_OK;
}
