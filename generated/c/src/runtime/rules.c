#include "runtime/rules.h"

#include "runtime/half.h"
#include "runtime/messages.h"

bool opmill_list_set(opmill_list *list, opmill_ints values) {
    if (values.count > OPMILL_MAX_LIST) {
        return true;
    }
    if (values.count > 0) {
        memmove(list->values, values.values, (size_t)values.count * sizeof list->values[0]);
    }
    list->count = values.count;
    return false;
}

bool opmill_list_extend(opmill_list *list, opmill_ints values) {
    if (values.count > OPMILL_MAX_LIST - list->count) {
        return true;
    }
    if (values.count > 0) {
        memmove(list->values + list->count, values.values,
                (size_t)values.count * sizeof list->values[0]);
    }
    list->count += values.count;
    return false;
}

void opmill_list_repeat(opmill_list *list, int64_t item, int64_t count) {
    list->count = opmill_min(opmill_max(count, 0), OPMILL_MAX_LIST);
    for (int64_t i = 0; i < list->count; i++) {
        list->values[i] = item;
    }
}

opmill_ints opmill_slice(opmill_ints values, int64_t start, int64_t stop) {
    const int64_t first = opmill_min(start, values.count);
    const int64_t last = opmill_max(opmill_min(stop, values.count), first);
    const opmill_ints part = {last > first ? values.values + first : NULL, last - first};
    return part;
}

bool opmill_same_ints(opmill_ints a, opmill_ints b) {
    if (a.count != b.count) {
        return false;
    }
    for (int64_t i = 0; i < a.count; i++) {
        if (a.values[i] != b.values[i]) {
            return false;
        }
    }
    return true;
}

void opmill_set_shape(opmill_shape *shape, opmill_ints dims) {
    shape->rank = (int32_t)dims.count;
    for (int64_t i = 0; i < dims.count; i++) {
        shape->dims[i] = dims.values[i];
    }
}

bool opmill_tensor_size(const opmill_tensor *tensor, int64_t *size) {
    int64_t product = 1;
    bool overflow = false;
    for (int32_t i = 0; i < tensor->rank; i++) {
        if (tensor->dims[i] == 0) {
            *size = 0;
            return false;
        }
        overflow = overflow || opmill_mul(product, tensor->dims[i], &product);
    }
    *size = product;
    return overflow;
}

bool opmill_tensor_values(const opmill_tensor *tensor, opmill_ints *values) {
    int64_t size;
    if (opmill_tensor_size(tensor, &size) || tensor->type != OPMILL_INT64 ||
        (size > 0 && tensor->data == NULL)) {
        return true;
    }
    values->values = tensor->data;
    values->count = size;
    return false;
}

bool opmill_tensor_number(const opmill_tensor *tensor, int64_t index, double *number) {
    if (tensor->data == NULL) {
        return true;
    }
    switch (tensor->type) {
    case OPMILL_FLOAT:
        *number = (double)((const float *)tensor->data)[index];
        return false;
    case OPMILL_DOUBLE:
        *number = ((const double *)tensor->data)[index];
        return false;
    case OPMILL_FLOAT16:
        *number = (double)opmill_float16_to_float(((const uint16_t *)tensor->data)[index]);
        return false;
    case OPMILL_BFLOAT16:
        *number = (double)opmill_bfloat16_to_float(((const uint16_t *)tensor->data)[index]);
        return false;
    default:
        return true;
    }
}

bool opmill_is_int64(double value) {
    /* Within these bounds the conversion is defined; 2^63 itself is one too many. */
    return value >= -0x1p63 && value < 0x1p63 && (double)(int64_t)value == value;
}

static int fail(const char *op, int32_t code, const char *text, const char *name,
                opmill_context *context) {
    opmill_message message = opmill_message_begin(context, code, op);
    text = opmill_put_until(&message, text);
    opmill_put_text(&message, name);
    opmill_put_until(&message, text);
    return code;
}

int opmill_rule_overflow(const char *op, opmill_context *context) {
    return fail(op, OPMILL_ERROR_SHAPE, OPMILL_TEXT_OVERFLOW, "", context);
}

int opmill_rule_value(const char *op, const char *name, opmill_context *context) {
    return fail(op, OPMILL_ERROR_CALL, OPMILL_TEXT_VALUE_NEEDED, name, context);
}

int opmill_rule_index(const char *op, opmill_context *context) {
    return fail(op, OPMILL_ERROR_INTERNAL, OPMILL_TEXT_RULE_INDEX, "", context);
}

int opmill_rule_list(const char *op, opmill_context *context) {
    return fail(op, OPMILL_ERROR_INTERNAL, "internal error: a list of the rule is too long", "",
                context);
}
