/* Checks the inputs of a call against the description of its operator version: their number, types
 * and form. Also checks the requested instruction set and the size of the workspace. */
#include "runtime/call/call.h"

#include "runtime/call/call_parts.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/call/messages.h"

static OPMILL_COLD int wrong_count(const opmill_operator *operator, int32_t min_count,
                                   int32_t given, opmill_context *context) {
    const int32_t max_count = operator->input_count;
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, operator->label);
    const char *text = opmill_put_until(&message, OPMILL_TEXT_INPUT_COUNT);
    opmill_put_int(&message, given);
    text = opmill_put_until(&message, text);
    opmill_put_range(&message, min_count, max_count,
                     opmill_is_variadic(operator->inputs, max_count));
    opmill_put_until(&message, text);
    return OPMILL_ERROR_CALL;
}

OPMILL_COLD int opmill_call_wrong_type(const opmill_operator *operator, opmill_value value,
                                       const char *type, int32_t given, opmill_context *context) {
    const opmill_parameter *parameter = value.parameter;
    opmill_name name;
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_TYPE, operator->label);
    const char *text = opmill_put_until(&message, OPMILL_TEXT_WRONG_TYPE), *rest = "";
    opmill_put_text(&message, opmill_name_of(value, &name));
    text = opmill_put_until(&message, text);
    opmill_put_text(&message, type);
    text = opmill_put_until(&message, text);
    if (parameter->type_count > 1) {
        rest = opmill_put_until(&message, OPMILL_TEXT_ONE_OF);
    }
    opmill_put_types(&message, parameter, given);
    opmill_put_until(&message, rest);
    opmill_put_until(&message, text);
    return OPMILL_ERROR_TYPE;
}

static OPMILL_COLD int wrong_type(const opmill_operator *operator, opmill_value value, int32_t type,
                                  opmill_context *context) {
    const bool takes_optionals = opmill_takes_optionals(value.parameter);
    opmill_name name;
    if (takes_optionals && !opmill_is_optional(type)) {
        return FAIL(context, OPMILL_ERROR_TYPE, operator->label, opmill_name_of(value, &name),
                    " has type ", opmill_type_name(type), ", expected an optional");
    }
    if (opmill_takes_maps(value.parameter) && !opmill_is_map(type)) {
        return FAIL(context, OPMILL_ERROR_TYPE, operator->label, opmill_name_of(value, &name),
                    " has type ", opmill_type_name(type), ", expected a map");
    }
    return opmill_call_wrong_type(
        operator, value, opmill_type_name(takes_optionals ? opmill_contents_type(type) : type),
        type, context);
}

static OPMILL_COLD int other_type(const opmill_operator *operator, opmill_value value,
                                  const opmill_binding *binding, int32_t type,
                                  opmill_context *context) {
    const int32_t variable = value.parameter->variable;
    opmill_name name, first;
    return FILL(context, OPMILL_ERROR_TYPE, operator->label, OPMILL_TEXT_OTHER_TYPE,
                opmill_name_of(value, &name), opmill_type_name(type),
                opmill_type_name(binding->types[variable]),
                opmill_name_of(opmill_value_at(operator->inputs, operator->input_count,
                                               binding->first[variable]),
                               &first));
}

static int check_type(const opmill_operator *operator, int32_t position, int32_t type,
                      opmill_binding *binding, opmill_context *context) {
    const opmill_value value = opmill_value_at(operator->inputs, operator->input_count, position);
    const opmill_parameter *parameter = value.parameter;
    const int32_t variable = parameter->variable;
    if (variable >= 0 && parameter->homogeneous && binding->types[variable] != OPMILL_UNDEFINED) {
        return binding->types[variable] == type
                   ? OPMILL_OK
                   : other_type(operator, value, binding, type, context);
    }
    if (!opmill_is_listed(parameter, type)) {
        return wrong_type(operator, value, type, context);
    }
    if (variable >= 0 && parameter->homogeneous) {
        binding->types[variable] = type;
        binding->first[variable] = position;
    }
    return OPMILL_OK;
}

/* `is_partial` states that inputs may be missing. */
static int check_inputs(const opmill_operator *operator, const opmill_tensor *const *inputs,
                        int32_t input_count, bool contents, bool is_partial,
                        opmill_binding *binding, opmill_context *context) {
    const int32_t max_count = operator->input_count;
    const bool variadic = opmill_is_variadic(operator->inputs, max_count);
    const int32_t min_count = is_partial ? 0 : opmill_min_values(operator->inputs, max_count);
    if (context == NULL) {
        return OPMILL_ERROR_CALL;
    }
    if (input_count < min_count || (!variadic && input_count > max_count)) {
        return wrong_count(operator, min_count, input_count, context);
    }
    if (input_count > 0 && inputs == NULL) {
        return FAIL(context, OPMILL_ERROR_CALL, operator->label,
                    "inputs is NULL, expected an array");
    }
    for (int32_t i = 0; i < OPMILL_MAX_VARIABLES; i++) {
        binding->types[i] = OPMILL_UNDEFINED;
    }
    for (int32_t i = 0; i < input_count; i++) {
        const opmill_value value = opmill_value_at(operator->inputs, max_count, i);
        int code;
        if (inputs[i] == NULL) {
            opmill_name name;
            if (is_partial || value.parameter->option == OPMILL_OPTIONAL) {
                continue;
            }
            return FILL(context, OPMILL_ERROR_CALL, operator->label, OPMILL_TEXT_INPUT_ABSENT,
                        opmill_name_of(value, &name));
        }
        code = check_type(operator, i, inputs[i]->type, binding, context);
        if (code == OPMILL_OK) {
            code = opmill_call_form(operator, "", value, inputs[i], contents, context);
        }
        if (code == OPMILL_OK) {
            code = opmill_call_strings(operator, value, inputs[i], context);
        }
        if (code == OPMILL_OK) {
            code = opmill_call_items(operator, value, inputs[i], contents, context);
        }
        if (code != OPMILL_OK) {
            return code;
        }
    }
    return OPMILL_OK;
}

int opmill_call_inputs(const opmill_operator *operator, const opmill_tensor *const *inputs,
                       int32_t input_count, bool contents, opmill_binding *binding,
                       opmill_context *context) {
    return check_inputs(operator, inputs, input_count, contents, false, binding, context);
}

int opmill_call_known_inputs(const opmill_operator *operator, const opmill_tensor *const *inputs,
                             int32_t input_count, bool contents, opmill_context *context) {
    opmill_binding binding;
    return check_inputs(operator, inputs, input_count, contents, true, &binding, context);
}

static int check_gaps(const opmill_operator *operator, int32_t type, opmill_context *context) {
    for (int32_t i = 0; i < operator->gap_count; i++) {
        if (operator->gaps[i].type == type) {
            return FAIL(context, OPMILL_ERROR_TYPE, operator->label, "type ",
                        opmill_type_name(type),
                        " is not supported in C, expected another: ", operator->gaps[i].reason);
        }
    }
    return OPMILL_OK;
}

int opmill_call_gaps(const opmill_operator *operator, const opmill_tensor *const *inputs,
                     int32_t input_count, const opmill_shape *shapes, int32_t output_count,
                     opmill_context *context) {
    int code = OPMILL_OK;
    for (int32_t i = 0; i < input_count && code == OPMILL_OK; i++) {
        code = inputs[i] != NULL
                   ? check_gaps(operator, opmill_element_type(inputs[i]->type), context)
                   : OPMILL_OK;
    }
    for (int32_t i = 0; i < output_count && code == OPMILL_OK; i++) {
        code = check_gaps(operator, opmill_element_type(shapes[i].type), context);
    }
    return code;
}

int opmill_call_isa(const opmill_operator *operator, opmill_context *context) {
    if (context->isa == OPMILL_ISA_AUTO || opmill_isa_available(context->isa)) {
        return OPMILL_OK;
    }
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, operator->label);
    opmill_put_text(&message, "instruction set ");
    opmill_put_int(&message, context->isa);
    opmill_put_text(&message, " is not available, expected one of this machine");
    return OPMILL_ERROR_CALL;
}

int opmill_call_workspace(const opmill_operator *operator, size_t bytes, opmill_context *context) {
    if (bytes == 0 || (context->workspace != NULL && context->workspace_size >= bytes)) {
        return OPMILL_OK;
    }
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, operator->label);
    opmill_put_text(&message, "workspace_size is ");
    opmill_put_int(&message, context->workspace == NULL ? 0 : (int64_t)context->workspace_size);
    opmill_put_text(&message, ", expected at least ");
    opmill_put_int(&message, (int64_t)bytes);
    return OPMILL_ERROR_CALL;
}
