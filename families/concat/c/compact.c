/* Concat, compact: a copy for each input and index of the axes before. */
#include "families/concat/compact.h"

#include <string.h>

#include "runtime/numbers/elements.h"

int opmill_concat_compact(const opmill_tensor *const *inputs, int32_t inputs_count,
                          opmill_tensor *y, const opmill_concat_plan *plan,
                          opmill_context *context) {
    size_t blocks = 1, inner = (size_t)opmill_type_bytes(y->type);
    char *to = y->data;
    (void)context;
    for (int32_t i = 0; i < y->rank; i++) {
        *(i < plan->axis ? &blocks : &inner) *= i == plan->axis ? 1 : (size_t)y->dims[i];
    }
    for (size_t block = 0; block < blocks; block++) {
        for (int32_t k = 0; k < inputs_count; k++) {
            const size_t bytes = inner * (size_t)inputs[k]->dims[plan->axis];
            if (bytes > 0) {
                memcpy(to, (const char *)inputs[k]->data + block * bytes, bytes);
                to += bytes;
            }
        }
    }
    return OPMILL_OK;
}
