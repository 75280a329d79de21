/* OptionalHasElement: whether there are contents. */
#include "families/optionals/kernel_has_element.h"

#include <stdbool.h>

int opmill_optionals_has_element_compute(const opmill_tensor *input, opmill_tensor *output,
                                         const opmill_optionals_plan *plan,
                                         opmill_context *context) {
    bool *const result = output->data;
    (void)plan;
    (void)context;
    *result = input != NULL;
    return OPMILL_OK;
}
