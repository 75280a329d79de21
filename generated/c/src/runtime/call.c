#include "runtime/call.h"

#include <stdint.h>
#include <string.h>

#include "runtime/elements.h"
#include "runtime/isa.h"
#include "runtime/message.h"
#include "runtime/messages.h"
#include "runtime/platform.h"
#include "runtime/rules.h"

/* The parts of a message, ended by NULL. */
#define FAIL(context, code, label, ...) \
    fail(context, code, label, (const char *const[]){__VA_ARGS__, NULL})

static OPMILL_COLD int fail(opmill_context *context, int32_t code, const char *label,
                            const char *const *parts) {
    opmill_message message = opmill_message_begin(context, code, label);
    for (; *parts != NULL; parts++) {
        opmill_put_text(&message, *parts);
    }
    return code;
}

/* A shared text whose gaps the parts fill, in order. */
#define FILL(context, code, label, text, ...) \
    fill(context, code, label, text, (const char *const[]){__VA_ARGS__, NULL})

static OPMILL_COLD int fill(opmill_context *context, int32_t code, const char *label,
                            const char *text, const char *const *parts) {
    opmill_message message = opmill_message_begin(context, code, label);
    text = opmill_put_until(&message, text);
    for (; *parts != NULL; parts++) {
        opmill_put_text(&message, *parts);
        text = opmill_put_until(&message, text);
    }
    return code;
}

/* How many there may be: "2", "2..3". */
static void put_range(opmill_message *message, int32_t least, int32_t most) {
    if (least == most) {
        opmill_put_int(message, least);
        return;
    }
    const char *text = opmill_put_until(message, OPMILL_TEXT_ARITY_RANGE);
    opmill_put_int(message, least);
    text = opmill_put_until(message, text);
    opmill_put_int(message, most);
    opmill_put_until(message, text);
}

static OPMILL_COLD int wrong_count(const opmill_kernel *kernel, int32_t least, int32_t given,
                                   opmill_context *context) {
    const int32_t most = kernel->input_count;
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, kernel->label);
    const char *text = opmill_put_until(&message, OPMILL_TEXT_INPUT_COUNT);
    if (most > 0 && kernel->inputs[most - 1].option == OPMILL_VARIADIC) {
        const char *rest = opmill_put_until(&message, OPMILL_TEXT_ARITY_LEAST);
        opmill_put_int(&message, least);
        opmill_put_until(&message, rest);
    } else {
        put_range(&message, least, most);
    }
    text = opmill_put_until(&message, text);
    opmill_put_int(&message, given);
    opmill_put_until(&message, text);
    return OPMILL_ERROR_CALL;
}

/* The least number of inputs or outputs that a call may have. */
static int32_t least_of(const opmill_parameter *parameters, int32_t count) {
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

/* The form of a tensor: what would make a rule or a kernel read outside of it. */
static int check_form(const opmill_kernel *kernel, const char *who, const char *name,
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

static bool is_listed(const opmill_parameter *parameter, int32_t type) {
    for (int32_t i = 0; i < parameter->type_count; i++) {
        if (parameter->types[i] == type) {
            return true;
        }
    }
    return false;
}

static void put_types(opmill_message *message, const opmill_parameter *parameter) {
    for (int32_t i = 0; i < parameter->type_count; i++) {
        opmill_put_text(message, i > 0 ? ", " : "");
        opmill_put_text(message, opmill_type_name(parameter->types[i]));
    }
}

static OPMILL_COLD int wrong_type(const opmill_kernel *kernel, const opmill_parameter *parameter,
                                  int32_t type, opmill_context *context) {
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_TYPE, kernel->label);
    const char *text = opmill_put_until(&message, OPMILL_TEXT_WRONG_TYPE), *rest = "";
    opmill_put_text(&message, parameter->name);
    text = opmill_put_until(&message, text);
    if (parameter->type_count > 1) {
        rest = opmill_put_until(&message, OPMILL_TEXT_ONE_OF);
    }
    put_types(&message, parameter);
    opmill_put_until(&message, rest);
    text = opmill_put_until(&message, text);
    opmill_put_text(&message, opmill_type_name(type));
    opmill_put_until(&message, text);
    return OPMILL_ERROR_TYPE;
}

static int check_type(const opmill_kernel *kernel, const opmill_parameter *parameter, int32_t type,
                      opmill_binding *binding, opmill_context *context) {
    const int32_t variable = parameter->variable;
    if (variable >= 0 && parameter->same && binding->types[variable] != OPMILL_UNDEFINED) {
        if (binding->types[variable] == type) {
            return OPMILL_OK;
        }
        return FILL(context, OPMILL_ERROR_TYPE, kernel->label, OPMILL_TEXT_OTHER_TYPE,
                    parameter->name, opmill_type_name(binding->types[variable]),
                    binding->first[variable], opmill_type_name(type));
    }
    if (!is_listed(parameter, type)) {
        return wrong_type(kernel, parameter, type, context);
    }
    if (variable >= 0 && parameter->same) {
        binding->types[variable] = type;
        binding->first[variable] = parameter->name;
    }
    return OPMILL_OK;
}

static const opmill_parameter *parameter_at(const opmill_parameter *parameters, int32_t count,
                                            int32_t position) {
    return &parameters[position < count ? position : count - 1];
}

int opmill_call_inputs(const opmill_kernel *kernel, const opmill_tensor *const *inputs,
                       int32_t input_count, bool contents, opmill_binding *binding,
                       opmill_context *context) {
    const int32_t most = kernel->input_count;
    const bool variadic = most > 0 && kernel->inputs[most - 1].option == OPMILL_VARIADIC;
    const int32_t least = least_of(kernel->inputs, most);
    if (context == NULL) {
        return OPMILL_ERROR_CALL;
    }
    if (input_count < least || (!variadic && input_count > most)) {
        return wrong_count(kernel, least, input_count, context);
    }
    if (input_count > 0 && inputs == NULL) {
        return FAIL(context, OPMILL_ERROR_CALL, kernel->label, "inputs is NULL");
    }
    for (int32_t i = 0; i < OPMILL_MAX_VARIABLES; i++) {
        binding->types[i] = OPMILL_UNDEFINED;
    }
    for (int32_t i = 0; i < input_count; i++) {
        const opmill_parameter *parameter = parameter_at(kernel->inputs, most, i);
        int code;
        if (inputs[i] == NULL) {
            if (parameter->option == OPMILL_OPTIONAL) {
                continue;
            }
            return FILL(context, OPMILL_ERROR_CALL, kernel->label, OPMILL_TEXT_INPUT_MISSING,
                        parameter->name);
        }
        code = check_type(kernel, parameter, inputs[i]->type, binding, context);
        if (code == OPMILL_OK) {
            code = check_form(kernel, "", parameter->name, inputs[i], contents, context);
        }
        if (code != OPMILL_OK) {
            return code;
        }
    }
    return OPMILL_OK;
}

int opmill_call_attributes(const opmill_kernel *kernel, const void *attributes,
                           opmill_context *context) {
    for (int32_t i = 0; i < kernel->attribute_count; i++) {
        const opmill_attribute *attribute = &kernel->attributes[i];
        const void *member = (const char *)attributes + attribute->offset;
        if (attribute->kind == OPMILL_KIND_STRING) {
            const char *text = *(const char *const *)member;
            const char *const absent =
                *(const char *const *)((const char *)kernel->defaults + attribute->offset);
            if (text == NULL && attribute->required != 0) {
                return FILL(context, OPMILL_ERROR_ATTRIBUTE, kernel->label,
                            OPMILL_TEXT_ATTRIBUTE_REQUIRED, attribute->name);
            }
            if (text == NULL && absent != NULL) {
                return FAIL(context, OPMILL_ERROR_ATTRIBUTE, kernel->label, "attribute '",
                            attribute->name, "' is NULL; its default is '", absent, "'");
            }
        } else if (attribute->kind == OPMILL_KIND_INTS) {
            const opmill_ints *list = member;
            if (list->count > 0 && list->values == NULL) {
                return FAIL(context, OPMILL_ERROR_ATTRIBUTE, kernel->label, "attribute '",
                            attribute->name, "' has no values");
            }
            if (list->count < 0 && attribute->required != 0) {
                return FILL(context, OPMILL_ERROR_ATTRIBUTE, kernel->label,
                            OPMILL_TEXT_ATTRIBUTE_REQUIRED, attribute->name);
            }
        } else if (attributes == kernel->defaults && attribute->required != 0) {
            return FILL(context, OPMILL_ERROR_ATTRIBUTE, kernel->label,
                        OPMILL_TEXT_ATTRIBUTE_REQUIRED, attribute->name);
        }
    }
    return OPMILL_OK;
}

int opmill_call_results(const opmill_kernel *kernel, const void *results, int32_t output_count,
                        opmill_context *context) {
    const int32_t least = least_of(kernel->outputs, kernel->output_count);
    if (context == NULL) {
        return OPMILL_ERROR_CALL;
    }
    if (output_count < least || output_count > kernel->output_count) {
        opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, kernel->label);
        const char *text = opmill_put_until(&message, OPMILL_TEXT_OUTPUT_COUNT);
        put_range(&message, least, kernel->output_count);
        text = opmill_put_until(&message, text);
        opmill_put_int(&message, output_count);
        opmill_put_until(&message, text);
        return OPMILL_ERROR_CALL;
    }
    if (results == NULL) {
        return FAIL(context, OPMILL_ERROR_CALL, kernel->label, "the place for the results is NULL");
    }
    return OPMILL_OK;
}

int32_t opmill_call_asked(const opmill_kernel *kernel, opmill_tensor *const *outputs,
                          int32_t output_count) {
    if (outputs == NULL || output_count > kernel->output_count) {
        return output_count; /* which is refused */
    }
    while (output_count > 0 && outputs[output_count - 1] == NULL &&
           kernel->outputs[output_count - 1].option == OPMILL_OPTIONAL) {
        output_count--;
    }
    return output_count;
}

/* The type that an attribute names, as a number of TensorProto.DataType or as its name there. */
static int named_type(const opmill_kernel *kernel, const opmill_attribute *attribute,
                      const opmill_parameter *parameter, const void *member, int32_t *type,
                      opmill_context *context) {
    const bool is_text = attribute->kind == OPMILL_KIND_STRING;
    const char *const word = is_text ? *(const char *const *)member : NULL;
    const int64_t number = is_text ? opmill_type_of_name(word) : *(const int64_t *)member;
    const bool known = number > 0 && number <= INT32_MAX && opmill_type_bits((int32_t)number) > 0;
    if (known && is_listed(parameter, (int32_t)number)) {
        *type = (int32_t)number;
        return OPMILL_OK;
    }
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_ATTRIBUTE, kernel->label);
    const char *text = opmill_put_until(&message, OPMILL_TEXT_NAMED_TYPE);
    opmill_put_text(&message, attribute->name);
    text = opmill_put_until(&message, text);
    if (known) {
        opmill_put_text(&message, opmill_type_name((int32_t)number));
    } else if (is_text) {
        opmill_put_string(&message, word, strlen(word));
    } else {
        opmill_put_int(&message, number);
    }
    text = opmill_put_until(&message, text);
    put_types(&message, parameter);
    opmill_put_until(&message, text);
    return OPMILL_ERROR_ATTRIBUTE;
}

/* The type of an output. One of several sources does not apply where its attribute is absent, or
 * where no input binds its variable. */
static int output_type(const opmill_kernel *kernel, int32_t output, const opmill_binding *binding,
                       const void *attributes, int32_t *type, opmill_context *context) {
    const opmill_parameter *parameter = &kernel->outputs[output];
    for (int32_t i = 0; i < kernel->type_source_count; i++) {
        const opmill_type_source *source = &kernel->type_sources[i];
        if (source->output != output) {
            continue;
        }
        if (source->attribute >= 0) {
            const opmill_attribute *attribute = &kernel->attributes[source->attribute];
            const void *member = (const char *)attributes + attribute->offset;
            if (attribute->kind != OPMILL_KIND_STRING || *(const char *const *)member != NULL) {
                return named_type(kernel, attribute, parameter, member, type, context);
            }
        } else if (source->variable >= 0) {
            *type = binding->types[source->variable];
        } else {
            *type = source->type;
        }
        if (*type != OPMILL_UNDEFINED) {
            return OPMILL_OK;
        }
    }
    *type = parameter->variable >= 0 ? binding->types[parameter->variable] : parameter->types[0];
    return OPMILL_OK;
}

int opmill_call_types(const opmill_kernel *kernel, const opmill_binding *binding,
                      const void *attributes, opmill_shape *shapes, int32_t output_count,
                      opmill_context *context) {
    for (int32_t i = 0; i < output_count; i++) {
        const int32_t last = kernel->output_count - 1;
        size_t bytes;
        shapes[i].type = OPMILL_UNDEFINED;
        const int code = output_type(kernel, i < last ? i : last, binding, attributes,
                                     &shapes[i].type, context);
        if (code != OPMILL_OK) {
            return code;
        }
        for (int32_t k = 0; k < shapes[i].rank; k++) {
            if (shapes[i].dims[k] < 0) {
                opmill_message message =
                    opmill_message_begin(context, OPMILL_ERROR_INTERNAL, kernel->label);
                const char *text = opmill_put_until(&message, OPMILL_TEXT_DERIVED_DIM);
                opmill_put_int(&message, shapes[i].dims[k]);
                opmill_put_until(&message, text);
                return OPMILL_ERROR_INTERNAL;
            }
        }
        if (!opmill_tensor_bytes(shapes[i].dims, shapes[i].rank, shapes[i].type, &bytes)) {
            return opmill_rule_overflow(kernel->label, context);
        }
    }
    return OPMILL_OK;
}

static OPMILL_COLD int wrong_measure(const opmill_kernel *kernel, const opmill_shape *bound,
                                     const opmill_shape *shape, opmill_context *context) {
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_INTERNAL, kernel->label);
    const char *text = opmill_put_until(&message, OPMILL_TEXT_MEASURED_SHAPE);
    opmill_put_list(&message, (opmill_ints){bound->dims, bound->rank});
    text = opmill_put_until(&message, text);
    opmill_put_list(&message, (opmill_ints){shape->dims, shape->rank});
    opmill_put_until(&message, text);
    return OPMILL_ERROR_INTERNAL;
}

int opmill_call_measured(const opmill_kernel *kernel, const opmill_shape *bounds,
                         const opmill_shape *shapes, int32_t output_count,
                         opmill_context *context) {
    for (int32_t i = 0; i < output_count; i++) {
        bool within = shapes[i].rank == bounds[i].rank && shapes[i].type == bounds[i].type;
        for (int32_t k = 0; within && k < shapes[i].rank; k++) {
            within = shapes[i].dims[k] >= 0 && shapes[i].dims[k] <= bounds[i].dims[k];
        }
        if (!within) {
            return wrong_measure(kernel, &bounds[i], &shapes[i], context);
        }
    }
    return OPMILL_OK;
}

static bool overlap(const opmill_tensor *a, size_t a_bytes, const opmill_tensor *b) {
    size_t b_bytes = 0;
    (void)opmill_tensor_bytes(b->dims, b->rank, b->type, &b_bytes);
    const uintptr_t a_start = (uintptr_t)a->data, b_start = (uintptr_t)b->data;
    return a_bytes > 0 && b_bytes > 0 && a_start < b_start + b_bytes && b_start < a_start + a_bytes;
}

static int check_output(const opmill_kernel *kernel, const opmill_parameter *parameter,
                        const opmill_tensor *output, const opmill_shape *shape,
                        opmill_context *context) {
    const opmill_ints wanted = {shape->dims, shape->rank};
    if (output == NULL) {
        return FAIL(context, OPMILL_ERROR_CALL, kernel->label, "out for ", parameter->name,
                    " is missing");
    }
    if (output->type != shape->type) {
        return FILL(context, OPMILL_ERROR_TYPE, kernel->label, OPMILL_TEXT_OUT_TYPE,
                    parameter->name, opmill_type_name(shape->type),
                    opmill_type_name(output->type));
    }
    const int code = check_form(kernel, "out for ", parameter->name, output, true, context);
    if (code != OPMILL_OK) {
        return code;
    }
    if (!opmill_same_ints(opmill_dims(output), wanted)) {
        opmill_message message = opmill_message_begin(context, OPMILL_ERROR_SHAPE, kernel->label);
        const char *text = opmill_put_until(&message, OPMILL_TEXT_OUT_SHAPE);
        opmill_put_text(&message, parameter->name);
        text = opmill_put_until(&message, text);
        opmill_put_list(&message, wanted);
        text = opmill_put_until(&message, text);
        opmill_put_list(&message, opmill_dims(output));
        opmill_put_until(&message, text);
        return OPMILL_ERROR_SHAPE;
    }
    return OPMILL_OK;
}

int opmill_call_outputs(const opmill_kernel *kernel, const opmill_tensor *const *inputs,
                        int32_t input_count, const opmill_shape *shapes,
                        opmill_tensor *const *outputs, int32_t output_count,
                        opmill_context *context) {
    for (int32_t i = 0; i < output_count; i++) {
        const opmill_parameter *parameter = parameter_at(kernel->outputs, kernel->output_count, i);
        size_t bytes = 0;
        if (outputs[i] == NULL && parameter->option == OPMILL_OPTIONAL) {
            continue;
        }
        const int code = check_output(kernel, parameter, outputs[i], &shapes[i], context);
        if (code != OPMILL_OK) {
            return code;
        }
        (void)opmill_tensor_bytes(shapes[i].dims, shapes[i].rank, shapes[i].type, &bytes);
        for (int32_t k = 0; k < input_count; k++) {
            if (inputs[k] != NULL && overlap(outputs[i], bytes, inputs[k])) {
                return FAIL(context, OPMILL_ERROR_CALL, kernel->label, "out for ", parameter->name,
                            " overlaps ",
                            parameter_at(kernel->inputs, kernel->input_count, k)->name);
            }
        }
        for (int32_t k = 0; k < i; k++) {
            if (outputs[k] != NULL && overlap(outputs[i], bytes, outputs[k])) {
                return FAIL(context, OPMILL_ERROR_CALL, kernel->label, "out for ", parameter->name,
                            " overlaps another output");
            }
        }
    }
    return OPMILL_OK;
}

int opmill_call_tell(const opmill_kernel *kernel, const opmill_shape *shapes,
                     opmill_shape *const *places, int32_t output_count, opmill_context *context) {
    for (int32_t i = 0; i < output_count; i++) {
        if (places[i] == NULL && kernel->outputs[i].option != OPMILL_OPTIONAL) {
            return FAIL(context, OPMILL_ERROR_CALL, kernel->label, "the place for the shape of ",
                        kernel->outputs[i].name, " is NULL");
        }
    }
    for (int32_t i = 0; i < output_count; i++) {
        if (places[i] != NULL) {
            *places[i] = shapes[i];
        }
    }
    return OPMILL_OK;
}

static int check_gaps(const opmill_kernel *kernel, int32_t type, opmill_context *context) {
    for (int32_t i = 0; i < kernel->gap_count; i++) {
        if (kernel->gaps[i].type == type) {
            return FAIL(context, OPMILL_ERROR_TYPE, kernel->label, "this library does not compute ",
                        opmill_type_name(type), ": ", kernel->gaps[i].reason);
        }
    }
    return OPMILL_OK;
}

int opmill_call_gaps(const opmill_kernel *kernel, const opmill_tensor *const *inputs,
                     int32_t input_count, const opmill_shape *shapes, int32_t output_count,
                     opmill_context *context) {
    int code = OPMILL_OK;
    for (int32_t i = 0; i < input_count && code == OPMILL_OK; i++) {
        code = inputs[i] != NULL ? check_gaps(kernel, inputs[i]->type, context) : OPMILL_OK;
    }
    for (int32_t i = 0; i < output_count && code == OPMILL_OK; i++) {
        code = check_gaps(kernel, shapes[i].type, context);
    }
    return code;
}

int opmill_call_isa(const opmill_kernel *kernel, opmill_context *context) {
    if (context->isa == OPMILL_ISA_AUTO || opmill_isa_available(context->isa)) {
        return OPMILL_OK;
    }
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, kernel->label);
    opmill_put_text(&message, "instruction set ");
    opmill_put_int(&message, context->isa);
    opmill_put_text(&message, " is not available here");
    return OPMILL_ERROR_CALL;
}

int opmill_call_workspace(const opmill_kernel *kernel, size_t bytes, opmill_context *context) {
    if (bytes == 0 || (context->workspace != NULL && context->workspace_size >= bytes)) {
        return OPMILL_OK;
    }
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, kernel->label);
    opmill_put_text(&message, "needs a workspace of ");
    opmill_put_int(&message, (int64_t)bytes);
    opmill_put_text(&message, " bytes, got ");
    opmill_put_int(&message, context->workspace == NULL ? 0 : (int64_t)context->workspace_size);
    return OPMILL_ERROR_CALL;
}
