/* Support functions of the generated rules: bounded lists, values of tensors, floor, ceil and
 * rounding of doubles to float types, and the errors that a rule can return. */
#include "runtime/call/rules.h"

#include <math.h>

#include "runtime/numbers/half.h"
#include "runtime/call/messages.h"

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

bool opmill_list_repeat(opmill_list *list, int64_t item, int64_t count) {
    if (count > OPMILL_MAX_LIST) {
        return true;
    }
    list->count = opmill_max(count, 0);
    for (int64_t i = 0; i < list->count; i++) {
        list->values[i] = item;
    }
    return false;
}

bool opmill_floats_repeat(opmill_float_list *list, double item, int64_t count) {
    if (count > OPMILL_MAX_LIST) {
        return true;
    }
    list->count = opmill_max(count, 0);
    for (int64_t i = 0; i < list->count; i++) {
        list->values[i] = item;
    }
    return false;
}

void opmill_floats_copy(opmill_float_list *to, const opmill_float_list *from) {
    to->count = from->count;
    memcpy(to->values, from->values, (size_t)from->count * sizeof from->values[0]);
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
    for (int64_t i = 0; i < opmill_min(dims.count, OPMILL_MAX_RANK); i++) {
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

/* One value of a tensor of integers or bools; false for other types and beyond int64. */
static bool integer_at(const opmill_tensor *tensor, int64_t index, int64_t *value) {
    switch (tensor->type) {
    case OPMILL_INT8:
        *value = ((const int8_t *)tensor->data)[index];
        return true;
    case OPMILL_UINT8:
    case OPMILL_BOOL:
        *value = ((const uint8_t *)tensor->data)[index];
        return true;
    case OPMILL_INT16:
        *value = ((const int16_t *)tensor->data)[index];
        return true;
    case OPMILL_UINT16:
        *value = ((const uint16_t *)tensor->data)[index];
        return true;
    case OPMILL_INT32:
        *value = ((const int32_t *)tensor->data)[index];
        return true;
    case OPMILL_UINT32:
        *value = ((const uint32_t *)tensor->data)[index];
        return true;
    case OPMILL_UINT64:
        *value = (int64_t)(((const uint64_t *)tensor->data)[index] & INT64_MAX);
        return ((const uint64_t *)tensor->data)[index] <= INT64_MAX;
    default:
        return false;
    }
}

static bool holds_integers(int32_t type) {
    return type == OPMILL_INT8 || type == OPMILL_INT16 || type == OPMILL_INT32 ||
           type == OPMILL_INT64 || type == OPMILL_UINT8 || type == OPMILL_UINT16 ||
           type == OPMILL_UINT32 || type == OPMILL_UINT64 || type == OPMILL_BOOL;
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

int64_t opmill_byte_count(const char *text) { return (int64_t)strlen(text); }

int64_t opmill_byte_at(const char *text, int64_t index) {
    if (index < 0 || index >= opmill_byte_count(text)) {
        return -1;
    }
    return (unsigned char)text[index];
}

bool opmill_is_int64(double value) {
    /* Within these bounds the conversion is defined; 2^63 itself is one too many. */
    return value >= -0x1p63 && value < 0x1p63 && (double)(int64_t)value == value;
}

double opmill_product(double a, double b) {
    /* Through memory, so that no compiler fuses it with an addition. */
    volatile double product = a * b;
    return product;
}

/* 2^52 and above, every double is whole; NaN and infinities come back too. */
static bool has_fraction(double value) { return value > -0x1p52 && value < 0x1p52 && value != 0; }

double opmill_floor(double value) {
    double whole;
    if (!has_fraction(value)) {
        return value;
    }
    whole = (double)(int64_t)value;
    return whole > value ? whole - 1 : whole;
}

double opmill_ceil(double value) {
    double whole;
    if (!has_fraction(value)) {
        return value;
    }
    whole = (double)(int64_t)value;
    if (whole < value) {
        return whole + 1;
    }
    return whole == 0 ? -0.0 : whole; /* from (-1, 0) */
}

/* 2^exponent, of a normal double. */
static double power_of_two(int exponent) {
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* To so many bits of precision, where `lowest` is the least exponent of a normal number. */
static double to_precision(double value, int precision, int lowest, int highest) {
    uint64_t bits;
    uint64_t mantissa;
    uint64_t rest;
    uint64_t half;
    int exponent;
    int shift;
    double result;
    memcpy(&bits, &value, sizeof bits);
    exponent = (int)(bits >> 52 & 2047) - 1023;
    if (exponent == 1024 || value == 0) {
        return value;
    }
    /* Below lowest, a unit is that of the smallest normal number. Doubles that are subnormal
     * themselves, and all others below half a unit, become 0. */
    shift = 53 - precision + (exponent < lowest ? lowest - exponent : 0);
    if (shift > 53) {
        return value < 0 ? -0.0 : 0.0;
    }
    mantissa = (bits & 0xfffffffffffffu) | UINT64_C(1) << 52;
    half = UINT64_C(1) << (shift - 1);
    rest = mantissa & (half * 2 - 1);
    mantissa >>= shift;
    if (rest > half || (rest == half && (mantissa & 1) != 0)) {
        mantissa++;
    }
    result = (double)mantissa * power_of_two(exponent - 52 + shift);
    if (result >= power_of_two(highest - 1) * 2) {
        result = HUGE_VAL;
    }
    return value < 0 ? -result : result;
}

double opmill_rounded(double value, const char *type) {
    if (strcmp(type, "float") == 0) {
        return to_precision(value, 24, -126, 128);
    }
    if (strcmp(type, "float16") == 0) {
        return to_precision(value, 11, -14, 16);
    }
    return strcmp(type, "bfloat16") == 0 ? to_precision(value, 8, -126, 128) : value;
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

int opmill_rule_values(const char *op, const opmill_tensor *tensor, const char *name,
                       opmill_list *storage, opmill_ints *values, opmill_context *context) {
    int64_t size;
    if (opmill_tensor_size(tensor, &size) || !holds_integers(tensor->type) ||
        (size > 0 && tensor->data == NULL)) {
        return opmill_rule_value(op, name, context);
    }
    values->values = tensor->data;
    values->count = size;
    if (tensor->type == OPMILL_INT64) {
        return OPMILL_OK;
    }
    if (size > OPMILL_MAX_LIST) {
        opmill_message message = opmill_message_begin(context, OPMILL_ERROR_SHAPE, op);
        const char *text = opmill_put_until(&message, OPMILL_TEXT_VALUES_MANY);
        opmill_put_text(&message, name);
        text = opmill_put_until(&message, text);
        opmill_put_int(&message, size);
        text = opmill_put_until(&message, text);
        opmill_put_int(&message, OPMILL_MAX_LIST);
        opmill_put_until(&message, text);
        return OPMILL_ERROR_SHAPE;
    }
    for (int64_t i = 0; i < size; i++) {
        if (!integer_at(tensor, i, &storage->values[i])) {
            return opmill_rule_overflow(op, context);
        }
    }
    storage->count = size;
    *values = opmill_list_view(storage);
    return OPMILL_OK;
}

int opmill_rule_index(const char *op, opmill_context *context) {
    return fail(op, OPMILL_ERROR_INTERNAL, OPMILL_TEXT_RULE_INDEX, "", context);
}

int opmill_rule_list(const char *op, opmill_context *context) {
    if (OPMILL_MAX_RANK < 64) {
        opmill_message message = opmill_message_begin(context, OPMILL_ERROR_SHAPE, op);
        opmill_put_text(&message, "list is too long for this build, expected at most ");
        opmill_put_int(&message, OPMILL_MAX_LIST);
        opmill_put_text(&message, " values (twice OPMILL_MAX_RANK)");
        return OPMILL_ERROR_SHAPE;
    }
    return fail(op, OPMILL_ERROR_INTERNAL, OPMILL_TEXT_RULE_LIST, "", context);
}
