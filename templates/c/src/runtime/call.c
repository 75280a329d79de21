#include "runtime/call.h"

#include "runtime/call_parts.h"
#include "runtime/elements.h"
#include "runtime/isa.h"
#include "runtime/messages.h"

static OPMILL_COLD int wrong_count(const opmill_kernel *kernel, int32_t least, int32_t given,
                                   opmill_context *context) {
    const int32_t most = kernel->input_count;
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, kernel->label);
    const char *text = opmill_put_until(&message, OPMILL_TEXT_INPUT_COUNT);
    opmill_put_range(&message, least, most, opmill_is_variadic(kernel->inputs, most));
    text = opmill_put_until(&message, text);
    opmill_put_int(&message, given);
    opmill_put_until(&message, text);
    return OPMILL_ERROR_CALL;
}

static OPMILL_COLD int wrong_type(const opmill_kernel *kernel, opmill_value value, int32_t type,
                                  opmill_context *context) {
    const opmill_parameter *parameter = value.parameter;
    opmill_name name;
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_TYPE, kernel->label);
    const char *text = opmill_put_until(&message, OPMILL_TEXT_WRONG_TYPE), *rest = "";
    opmill_put_text(&message, opmill_name_of(value, &name));
    text = opmill_put_until(&message, text);
    if (parameter->type_count > 1) {
        rest = opmill_put_until(&message, OPMILL_TEXT_ONE_OF);
    }
    opmill_put_types(&message, parameter);
    opmill_put_until(&message, rest);
    text = opmill_put_until(&message, text);
    opmill_put_text(&message, opmill_type_name(type));
    opmill_put_until(&message, text);
    return OPMILL_ERROR_TYPE;
}

static OPMILL_COLD int other_type(const opmill_kernel *kernel, opmill_value value,
                                  const opmill_binding *binding, int32_t type,
                                  opmill_context *context) {
    const int32_t variable = value.parameter->variable;
    opmill_name name, first;
    return FILL(context, OPMILL_ERROR_TYPE, kernel->label, OPMILL_TEXT_OTHER_TYPE,
                opmill_name_of(value, &name), opmill_type_name(binding->types[variable]),
                opmill_name_of(opmill_value_at(kernel->inputs, kernel->input_count,
                                               binding->first[variable]),
                               &first),
                opmill_type_name(type));
}

static int check_type(const opmill_kernel *kernel, int32_t position, int32_t type,
                      opmill_binding *binding, opmill_context *context) {
    const opmill_value value = opmill_value_at(kernel->inputs, kernel->input_count, position);
    const opmill_parameter *parameter = value.parameter;
    const int32_t variable = parameter->variable;
    if (variable >= 0 && parameter->same && binding->types[variable] != OPMILL_UNDEFINED) {
        return binding->types[variable] == type
                   ? OPMILL_OK
                   : other_type(kernel, value, binding, type, context);
    }
    if (!opmill_is_listed(parameter, type)) {
        return wrong_type(kernel, value, type, context);
    }
    if (variable >= 0 && parameter->same) {
        binding->types[variable] = type;
        binding->first[variable] = position;
    }
    return OPMILL_OK;
}

int opmill_call_inputs(const opmill_kernel *kernel, const opmill_tensor *const *inputs,
                       int32_t input_count, bool contents, opmill_binding *binding,
                       opmill_context *context) {
    const int32_t most = kernel->input_count;
    const bool variadic = opmill_is_variadic(kernel->inputs, most);
    const int32_t least = opmill_least_values(kernel->inputs, most);
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
        const opmill_value value = opmill_value_at(kernel->inputs, most, i);
        int code;
        if (inputs[i] == NULL) {
            opmill_name name;
            if (value.parameter->option == OPMILL_OPTIONAL) {
                continue;
            }
            return FILL(context, OPMILL_ERROR_CALL, kernel->label, OPMILL_TEXT_INPUT_MISSING,
                        opmill_name_of(value, &name));
        }
        code = check_type(kernel, i, inputs[i]->type, binding, context);
        if (code == OPMILL_OK) {
            code = opmill_call_form(kernel, "", value, inputs[i], contents, context);
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
        if (attributes == NULL) {
            if (attribute->required != 0) {
                return FILL(context, OPMILL_ERROR_ATTRIBUTE, kernel->label,
                            OPMILL_TEXT_ATTRIBUTE_REQUIRED, attribute->name);
            }
            continue;
        }
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
