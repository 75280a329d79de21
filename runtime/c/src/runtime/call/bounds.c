/* Checks and reads values of int64 or int32 tensors that must lie in a range. Each read clamps to
 * the range again, as another thread may have changed the value since the check. */
#include "runtime/call/bounds.h"

#include "runtime/call/message.h"

static int64_t value_at(const opmill_tensor *tensor, int64_t position) {
    if (tensor->type == OPMILL_INT32) {
        return ((const volatile int32_t *)tensor->data)[position];
    }
    return ((const volatile int64_t *)tensor->data)[position];
}

bool opmill_bounds_check(const opmill_tensor *tensor, const char *name, int64_t lowest,
                         int64_t highest, opmill_context *context) {
    int64_t index[OPMILL_MAX_RANK], size = 1;
    for (int32_t i = 0; i < tensor->rank; i++) {
        size *= tensor->dims[i];
    }
    for (int64_t position = 0; position < size; position++) {
        const int64_t value = value_at(tensor, position);
        if (lowest <= value && value <= highest) {
            continue;
        }
        int64_t rest = position;
        for (int32_t i = tensor->rank - 1; i >= 0; i--) {
            index[i] = rest % tensor->dims[i];
            rest /= tensor->dims[i];
        }
        opmill_message message = opmill_contents_begin(context);
        opmill_put_text(&message, name);
        if (tensor->rank > 0) {
            opmill_put_ints(&message, index, tensor->rank);
        }
        opmill_put_text(&message, " is ");
        opmill_put_int(&message, value);
        opmill_put_text(&message, ", expected ");
        opmill_put_int(&message, lowest);
        if (lowest < highest) {
            opmill_put_text(&message, " to ");
            opmill_put_int(&message, highest);
        }
        return false;
    }
    return true;
}

int64_t opmill_bounds_read(const opmill_tensor *tensor, int64_t position, int64_t lowest,
                           int64_t highest) {
    const int64_t value = value_at(tensor, position);
    return value < lowest ? lowest : value > highest ? highest : value;
}
