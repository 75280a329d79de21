#include "runtime/call_parts.h"

#include <stdint.h>

#include "runtime/elements.h"
#include "runtime/messages.h"

OPMILL_COLD int opmill_call_fail(opmill_context *context, int32_t code, const char *label,
                                 const char *const *parts) {
    opmill_message message = opmill_message_begin(context, code, label);
    for (; *parts != NULL; parts++) {
        opmill_put_text(&message, *parts);
    }
    return code;
}

OPMILL_COLD int opmill_call_fill(opmill_context *context, int32_t code, const char *label,
                                 const char *text, const char *const *parts) {
    opmill_message message = opmill_message_begin(context, code, label);
    text = opmill_put_until(&message, text);
    for (; *parts != NULL; parts++) {
        opmill_put_text(&message, *parts);
        text = opmill_put_until(&message, text);
    }
    return code;
}

void opmill_put_range(opmill_message *message, int32_t least, int32_t most, bool variadic) {
    if (least == most && !variadic) {
        opmill_put_int(message, least);
        return;
    }
    const char *text =
        opmill_put_until(message, variadic ? OPMILL_TEXT_ARITY_LEAST : OPMILL_TEXT_ARITY_RANGE);
    opmill_put_int(message, least);
    text = opmill_put_until(message, text);
    if (!variadic) {
        opmill_put_int(message, most);
        opmill_put_until(message, text);
    }
}

bool opmill_is_variadic(const opmill_parameter *parameters, int32_t count) {
    return count > 0 && parameters[count - 1].option == OPMILL_VARIADIC;
}

int32_t opmill_least_values(const opmill_parameter *parameters, int32_t count) {
    int32_t least = 0;
    for (int32_t i = 0; i < count; i++) {
        if (parameters[i].option == OPMILL_SINGLE) {
            least = i + 1;
        } else if (parameters[i].option == OPMILL_VARIADIC && parameters[i].least > 0) {
            least = i + parameters[i].least;
        }
    }
    return least;
}

/* The alignment that C asks of an element type: no type here needs more than its parts do. */
static size_t alignment_of(int32_t type) {
    switch (type) {
    case OPMILL_STRING:
        return sizeof(const char *);
    case OPMILL_COMPLEX64:
        return sizeof(float);
    case OPMILL_COMPLEX128:
        return sizeof(double);
    default: {
        const int32_t bytes = opmill_type_bytes(type);
        return bytes > 1 ? (size_t)bytes : 1;
    }
    }
}

/* On some machines C aligns 8-byte types to 4; what the caller's compiler does is right. */
typedef struct int64_after_byte {
    char byte;
    int64_t value;
} int64_after_byte;

static bool is_aligned(const void *data, int32_t type) {
    size_t alignment = alignment_of(type);
    if (alignment == 8 && offsetof(int64_after_byte, value) < 8) {
        alignment = offsetof(int64_after_byte, value);
    }
    return (uintptr_t)data % alignment == 0;
}

int opmill_call_form(const opmill_kernel *kernel, const char *who, const char *name,
                     const opmill_tensor *tensor, bool contents, opmill_context *context) {
    size_t bytes = 0;
    if (tensor->rank < 0 || tensor->rank > OPMILL_MAX_RANK) {
        opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, kernel->label);
        opmill_put_text(&message, who);
        opmill_put_text(&message, name);
        opmill_put_text(&message, " has rank ");
        opmill_put_int(&message, tensor->rank);
        opmill_put_text(&message, ", expected 0 to 64");
        return OPMILL_ERROR_CALL;
    }
    if (tensor->rank > 0 && tensor->dims == NULL) {
        return FAIL(context, OPMILL_ERROR_CALL, kernel->label, who, name, " has no dims");
    }
    for (int32_t i = 0; i < tensor->rank; i++) {
        if (tensor->dims[i] < 0) {
            opmill_message message =
                opmill_message_begin(context, OPMILL_ERROR_CALL, kernel->label);
            opmill_put_text(&message, who);
            opmill_put_text(&message, name);
            opmill_put_text(&message, " has a negative dim: ");
            opmill_put_int(&message, tensor->dims[i]);
            return OPMILL_ERROR_CALL;
        }
    }
    if (!opmill_tensor_bytes(tensor->dims, tensor->rank, tensor->type, &bytes)) {
        return FAIL(context, OPMILL_ERROR_CALL, kernel->label, who, name,
                    " is larger than memory can be");
    }
    if (tensor->data == NULL && !contents) {
        return OPMILL_OK;
    }
    if (bytes > 0 && tensor->data == NULL) {
        return FAIL(context, OPMILL_ERROR_CALL, kernel->label, who, name, " has no data");
    }
    if (bytes > 0 && !is_aligned(tensor->data, tensor->type)) {
        return FAIL(context, OPMILL_ERROR_CALL, kernel->label, who, name, " is not aligned for ",
                    opmill_type_name(tensor->type));
    }
    return OPMILL_OK;
}

bool opmill_is_listed(const opmill_parameter *parameter, int32_t type) {
    for (int32_t i = 0; i < parameter->type_count; i++) {
        if (parameter->types[i] == type) {
            return true;
        }
    }
    return false;
}

void opmill_put_types(opmill_message *message, const opmill_parameter *parameter) {
    for (int32_t i = 0; i < parameter->type_count; i++) {
        opmill_put_text(message, i > 0 ? ", " : "");
        opmill_put_text(message, opmill_type_name(parameter->types[i]));
    }
}
