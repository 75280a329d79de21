/* Error messages, the checks of a single tensor (rank, dims, data, alignment, strings) and the
 * names of parameters, used by all checks of a call. */
#include "runtime/call/call_parts.h"

#include <stdint.h>
#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/call/messages.h"

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

void opmill_put_range(opmill_message *message, int32_t min_count, int32_t max_count,
                      bool variadic) {
    if (min_count == max_count && !variadic) {
        opmill_put_int(message, min_count);
        return;
    }
    const char *text =
        opmill_put_until(message, variadic ? OPMILL_TEXT_COUNT_AT_LEAST : OPMILL_TEXT_COUNT_RANGE);
    opmill_put_int(message, min_count);
    text = opmill_put_until(message, text);
    if (!variadic) {
        opmill_put_int(message, max_count);
        opmill_put_until(message, text);
    }
}

const char *opmill_name_of(opmill_value value, opmill_name *name) {
    opmill_message message = {name->text, name->text + sizeof name->text - 1};
    if (value.parameter->option != OPMILL_VARIADIC && !value.is_item) {
        return value.parameter->name;
    }
    opmill_put_text(&message, value.parameter->name);
    opmill_put_text(&message, "[");
    opmill_put_int(&message, value.index);
    opmill_put_text(&message, "]");
    return name->text;
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
    default: { /* of a sequence: that of pointers */
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

#define TEXT_OF(number) #number
#define TEXT_OF_VALUE(macro) TEXT_OF(macro)
#define HIGHEST_RANK TEXT_OF_VALUE(OPMILL_MAX_RANK)

/* "<who><name><text>"; each "{}" in the text is replaced by one of the numbers. */
static OPMILL_COLD int wrong_form(const opmill_operator *operator, const char *who,
                                  opmill_value value, const char *text, const int64_t *numbers,
                                  opmill_context *context) {
    opmill_name name;
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, operator->label);
    opmill_put_text(&message, who);
    opmill_put_text(&message, opmill_name_of(value, &name));
    for (text = opmill_put_until(&message, text); *text != '\0';
         text = opmill_put_until(&message, text)) {
        opmill_put_int(&message, *numbers++);
    }
    return OPMILL_ERROR_CALL;
}

int opmill_call_form(const opmill_operator *operator, const char *who, opmill_value value,
                     const opmill_tensor *tensor, bool contents, opmill_context *context) {
    const int64_t rank = tensor->rank;
    size_t bytes = 0;
    if (rank < 0 || rank > OPMILL_MAX_RANK) {
        return wrong_form(operator, who, value, " has rank {}, expected 0 to " HIGHEST_RANK, &rank,
                          context);
    }
    if (rank > 0 && tensor->dims == NULL) {
        return wrong_form(operator, who, value, ".dims is NULL, expected an array", NULL, context);
    }
    for (int32_t i = 0; i < tensor->rank; i++) {
        if (tensor->dims[i] < 0) {
            return wrong_form(operator, who, value, ".dims[{}] is {}, expected at least 0",
                              (const int64_t[]){i, tensor->dims[i]}, context);
        }
    }
    if (!opmill_tensor_bytes(tensor->dims, tensor->rank, tensor->type, &bytes)) {
        return wrong_form(operator, who, value,
                          " is larger than the address space, expected at most PTRDIFF_MAX bytes",
                          NULL, context);
    }
    if (tensor->data == NULL && !contents) {
        return OPMILL_OK;
    }
    if (bytes > 0 && tensor->data == NULL) {
        return wrong_form(operator, who, value, ".data is NULL, expected an array", NULL, context);
    }
    if (bytes > 0 && !is_aligned(tensor->data, tensor->type)) {
        return wrong_form(operator, who, value,
                          ".data is misaligned, expected the alignment of its elements", NULL,
                          context);
    }
    return OPMILL_OK;
}

/* The elements of a string tensor; `who` as in opmill_call_form. */
static int check_strings(const opmill_operator *operator, const char *who, opmill_value value,
                         const opmill_tensor *tensor, opmill_context *context) {
    const char *const *const strings = tensor->data;
    size_t bytes = 0;
    if (tensor->type != OPMILL_STRING || strings == NULL ||
        !opmill_tensor_bytes(tensor->dims, tensor->rank, tensor->type, &bytes)) {
        return OPMILL_OK;
    }
    for (size_t i = 0; i < bytes / sizeof *strings; i++) {
        if (strings[i] == NULL) {
            return wrong_form(operator, who, value, ".data[{}] is NULL, expected a string",
                              (const int64_t[]){(int64_t)i}, context);
        }
    }
    return OPMILL_OK;
}

static OPMILL_COLD int two_types(const opmill_operator *operator, opmill_value value, int32_t type,
                                 int32_t other, opmill_context *context) {
    opmill_name name;
    return FAIL(context, OPMILL_ERROR_TYPE, operator->label, opmill_name_of(value, &name),
                " has tensors of types ", opmill_type_name(type), " and ", opmill_type_name(other),
                ", expected one type");
}

static OPMILL_COLD int other_contents(const opmill_operator *operator, opmill_value value,
                                      int32_t type, int32_t other, opmill_context *context) {
    opmill_name name;
    return FAIL(context, OPMILL_ERROR_TYPE, operator->label, opmill_name_of(value, &name), " is ",
                opmill_type_name(type), " with contents of type ", opmill_type_name(other),
                ", expected ", opmill_type_name(opmill_contents_type(type)));
}

/* The maximum number of elements of a value whose elements are tensors. */
static int64_t max_items(int32_t type) {
    if (opmill_contents_type(type) == OPMILL_UNDEFINED || type == OPMILL_SEQUENCE) {
        return 0;
    }
    return opmill_is_optional(type) ? 1 : opmill_is_map(type) ? 2 : INT32_MAX;
}

/* The dims and the pointers of a value whose elements are tensors. */
static int check_pointers(const opmill_operator *operator, opmill_value value,
                          const opmill_tensor *given, opmill_context *context) {
    const opmill_tensor *const *const items = given->data;
    if (given->rank != 1) {
        const int64_t rank = given->rank;
        return wrong_form(operator, "", value,
                          opmill_is_optional(given->type) ? " has rank {}, expected 1 (an optional)"
                          : opmill_is_map(given->type)    ? " has rank {}, expected 1 (a map)"
                                                          : " has rank {}, expected 1 (a sequence)",
                          &rank, context);
    }
    const int64_t length = given->dims[0];
    const int64_t max_length = max_items(given->type);
    if (opmill_is_map(given->type) && length < 2) {
        return wrong_form(operator, "", value,
                          " has {} tensors, expected 2 (the keys and the values)", &length,
                          context);
    }
    if (length > max_length) {
        return wrong_form(operator, "", value, " has {} tensors, expected {} at most",
                          (const int64_t[]){length, max_length}, context);
    }
    if (length > 0 && items == NULL) {
        return wrong_form(operator, "", value, ".data is NULL, expected an array", NULL, context);
    }
    for (int64_t i = 0; i < length; i++) {
        if (items[i] == NULL) {
            return wrong_form(operator, "", value, ".data[{}] is NULL, expected a tensor", &i,
                              context);
        }
    }
    return OPMILL_OK;
}

/* The contents of an optional, and the tensors of these if they are a sequence. */
static int check_contents(const opmill_operator *operator, opmill_value value,
                          const opmill_tensor *optional, bool contents, opmill_context *context) {
    const opmill_tensor *const own = *(const opmill_tensor *const *)optional->data;
    if (own->type != opmill_contents_type(optional->type)) {
        return other_contents(operator, value, optional->type, own->type, context);
    }
    int code = opmill_call_form(operator, "contents of ", value, own, contents, context);
    if (code == OPMILL_OK) {
        code = opmill_call_strings(operator, value, own, context);
    }
    return code == OPMILL_OK ? opmill_call_items(operator, value, own, contents, context) : code;
}

/* Refuses keys that do not ascend, which includes keys that occur twice. */
static int check_order(const opmill_operator *operator, opmill_value value,
                       const opmill_tensor *keys, opmill_context *context) {
    const int64_t count = keys->data != NULL ? keys->dims[0] : 0;
    const int64_t *const integers = keys->data;
    const char *const *const strings = keys->data;
    const bool are_strings = keys->type == OPMILL_STRING;
    for (int64_t i = 1; i < count; i++) {
        if (are_strings ? strcmp(strings[i - 1], strings[i]) >= 0
                        : integers[i - 1] >= integers[i]) {
            return wrong_form(
                operator, "keys of ", value,
                " are not ascending at index {}, expected each above the one before it", &i,
                context);
        }
    }
    return OPMILL_OK;
}

/* The keys or the values of a map. */
static int check_part(const opmill_operator *operator, const char *who, opmill_value value,
                      const opmill_tensor *part, int32_t type, bool contents,
                      opmill_context *context) {
    if (part->type != type) {
        opmill_name name;
        return FAIL(context, OPMILL_ERROR_TYPE, operator->label, who, opmill_name_of(value, &name),
                    " have type ", opmill_type_name(part->type), ", expected ",
                    opmill_type_name(type), " (the type of the map)");
    }
    const int code = opmill_call_form(operator, who, value, part, contents, context);
    if (code == OPMILL_OK && part->rank != 1) {
        const int64_t rank = part->rank;
        return wrong_form(operator, who, value, " have rank {}, expected 1", &rank, context);
    }
    return code == OPMILL_OK ? check_strings(operator, who, value, part, context) : code;
}

/* The keys and the values of a map, whose pointers have been checked. */
static int check_map(const opmill_operator *operator, opmill_value value, const opmill_tensor *map,
                     bool contents, opmill_context *context) {
    const opmill_tensor *const *const parts = map->data;
    int code = check_part(operator, "keys of ", value, parts[0], opmill_key_type(map->type),
                          contents, context);
    if (code == OPMILL_OK) {
        code = check_part(operator, "values of ", value, parts[1], opmill_element_type(map->type),
                          contents, context);
    }
    if (code == OPMILL_OK && parts[0]->dims[0] != parts[1]->dims[0]) {
        return wrong_form(operator, "values of ", value, " have length {}, expected {} (the keys)",
                          (const int64_t[]){parts[1]->dims[0], parts[0]->dims[0]}, context);
    }
    return code == OPMILL_OK ? check_order(operator, value, parts[0], context) : code;
}

int opmill_call_items(const opmill_operator *operator, opmill_value value,
                      const opmill_tensor *given, bool contents, opmill_context *context) {
    const opmill_tensor *const *const items = given->data;
    const int32_t type = given->type - OPMILL_SEQUENCE;
    if (!opmill_has_items(given->type)) {
        return OPMILL_OK;
    }
    int code = check_pointers(operator, value, given, context);
    const int64_t length = code == OPMILL_OK ? given->dims[0] : 0;
    if (opmill_is_optional(given->type)) {
        return length > 0 ? check_contents(operator, value, given, contents, context) : code;
    }
    if (opmill_is_map(given->type)) {
        return code == OPMILL_OK ? check_map(operator, value, given, contents, context) : code;
    }
    opmill_name own;
    opmill_parameter named = *value.parameter;
    if (named.option == OPMILL_VARIADIC) { /* an item is "xs[1][0]", the first one of xs[1] */
        named.name = opmill_name_of(value, &own);
        named.option = OPMILL_SINGLE;
    }
    for (int64_t i = 0; i < length && code == OPMILL_OK; i++) {
        const opmill_value item = {&named, (int32_t)i, true};
        if (items[i]->type != type) {
            return two_types(operator, value, type, items[i]->type, context);
        }
        code = opmill_call_form(operator, "", item, items[i], contents, context);
        if (code == OPMILL_OK) {
            code = opmill_call_strings(operator, item, items[i], context);
        }
        if (code == OPMILL_OK && opmill_is_map(type)) {
            code = opmill_call_items(operator, item, items[i], contents, context);
        }
    }
    return code;
}

int opmill_call_strings(const opmill_operator *operator, opmill_value value,
                        const opmill_tensor *tensor, opmill_context *context) {
    return check_strings(operator, "", value, tensor, context);
}

void opmill_put_elements(opmill_message *message, const opmill_parameter *parameter) {
    for (int32_t i = 0; i < parameter->type_count; i++) {
        opmill_put_text(message, i > 0 ? ", " : "");
        opmill_put_text(message, opmill_type_name(opmill_element_type(parameter->types[i])));
    }
}

/* The type that messages name: of a parameter that takes optionals alone, that of their contents.
 */
static int32_t named(const opmill_parameter *parameter, int32_t type) {
    return opmill_takes_optionals(parameter) ? opmill_contents_type(type) : type;
}

/* What makes a type a sequence, an optional or a map, of whatever keys: 0 for that of a tensor. */
static int32_t form_of(int32_t type) {
    return opmill_is_map(type) ? OPMILL_MAP_INT64 : type - opmill_element_type(type);
}

void opmill_put_types(opmill_message *message, const opmill_parameter *parameter, int32_t given) {
    const char *between = "";
    int32_t form = form_of(named(parameter, parameter->types[0]));
    for (int32_t i = 0; i < parameter->type_count; i++) {
        if (form_of(named(parameter, parameter->types[i])) == form_of(named(parameter, given))) {
            form = form_of(named(parameter, given));
        }
    }
    for (int32_t i = 0; i < parameter->type_count; i++) {
        const int32_t type = named(parameter, parameter->types[i]);
        if (form_of(type) == form) {
            opmill_put_text(message, between);
            opmill_put_text(message, opmill_type_name(type));
            between = ", ";
        }
    }
}
