/* See is_prepared.h. */
#include "runtime/call/is_prepared.h"

#include <stddef.h>

#include "opmill/operator.h"

bool opmill_is_prepared(const opmill_context *context) {
    for (size_t i = 0; context->prepared != NULL && i < context->prepared_count; i++) {
        if (context->prepared[i].input == OPMILL_PREPARE_ATTRIBUTES &&
            context->prepared[i].bytes > 0) {
            return true;
        }
    }
    return false;
}
