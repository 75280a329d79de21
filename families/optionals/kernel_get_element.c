/* OptionalGetElement: a copy of the contents, whose elements may have 6 bits, as those of no
 * strided copy. Those of a sequence are pointers. */
#include "families/optionals/kernel_get_element.h"

#include <string.h>

#include "runtime/numbers/elements.h"

int opmill_optionals_get_element_compute(const opmill_tensor *input, opmill_tensor *output,
                                         const opmill_optionals_plan *plan,
                                         opmill_context *context) {
    unsigned char *const to = output->data;
    size_t bytes = 0;
    unsigned used = (unsigned)opmill_type_bits(input->type);
    (void)plan;
    (void)context;
    if (!opmill_tensor_bytes(input->dims, input->rank, input->type, &bytes) || bytes == 0) {
        return OPMILL_OK;
    }
    memcpy(to, input->data, bytes);
    for (int32_t i = 0; i < input->rank; i++) {
        used = used * (unsigned)(input->dims[i] % 8) % 8;
    }
    if (used % 8 != 0) { /* no bits after the last element */
        to[bytes - 1] = (unsigned char)(to[bytes - 1] & ((1U << used % 8) - 1));
    }
    return OPMILL_OK;
}
