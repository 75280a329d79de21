/* Checks of the outputs that a call requests: their number, types, shapes and memory. */
#include <stdint.h>
#include <string.h>

#include "opmill/numbers.h"
#include "runtime/call/call.h"
#include "runtime/call/call_parts.h"
#include "runtime/call/driver.h"
#include "runtime/numbers/elements.h"
#include "runtime/call/messages.h"

int opmill_call_results(const opmill_operator *operator, const void *results, int32_t output_count,
                        opmill_context *context) {
    const int32_t max_count = operator->output_count;
    const bool variadic = opmill_is_variadic(operator->outputs, max_count);
    const int32_t min_count = opmill_min_values(operator->outputs, max_count);
    if (context == NULL) {
        return OPMILL_ERROR_CALL;
    }
    if (output_count < min_count || (!variadic && output_count > max_count)) {
        opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, operator->label);
        const char *text = opmill_put_until(&message, OPMILL_TEXT_OUTPUT_COUNT);
        opmill_put_int(&message, output_count);
        text = opmill_put_until(&message, text);
        opmill_put_range(&message, min_count, max_count, variadic);
        opmill_put_until(&message, text);
        return OPMILL_ERROR_CALL;
    }
    if (results == NULL) {
        return FAIL(context, OPMILL_ERROR_CALL, operator->label,
                    "array of results is NULL, expected an array");
    }
    return OPMILL_OK;
}

int32_t opmill_call_asked(const opmill_operator *operator, opmill_tensor *const *outputs,
                          int32_t output_count) {
    if (outputs == NULL || output_count > operator->output_count) {
        return output_count; /* which is refused */
    }
    while (output_count > 0 && outputs[output_count - 1] == NULL &&
           operator->outputs[output_count - 1].option == OPMILL_OPTIONAL) {
        output_count--;
    }
    return output_count;
}

/* The type of an attribute that is a tensor. */
static int tensor_type(const opmill_operator *operator, const opmill_attribute *attribute,
                       const opmill_parameter *parameter, const opmill_tensor *tensor,
                       int32_t *type, opmill_context *context) {
    if (opmill_is_listed(parameter, tensor->type)) {
        *type = tensor->type;
        return OPMILL_OK;
    }
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_ATTRIBUTE, operator->label);
    const char *text = opmill_put_until(&message, OPMILL_TEXT_NAMED_TENSOR);
    opmill_put_text(&message, attribute->name);
    text = opmill_put_until(&message, text);
    opmill_put_text(&message, opmill_type_name(tensor->type));
    text = opmill_put_until(&message, text);
    opmill_put_types(&message, parameter, tensor->type);
    opmill_put_until(&message, text);
    return OPMILL_ERROR_ATTRIBUTE;
}

/* The type that an output has whose elements are of the same type as a value of this type: a
 * sequence, an optional with it as its contents, the contents of it, or a tensor. */
static int32_t fitted(const opmill_parameter *parameter, int32_t type) {
    if (type == OPMILL_UNDEFINED || opmill_is_listed(parameter, type)) {
        return type;
    }
    if (opmill_takes_optionals(parameter)) {
        return opmill_is_optional(type) ? type : OPMILL_OPTIONAL_TYPE + type;
    }
    if (opmill_is_optional(type)) {
        return opmill_contents_type(type);
    }
    return opmill_takes_sequences(parameter) ? OPMILL_SEQUENCE + opmill_element_type(type)
                                             : opmill_element_type(type);
}

/* The type that an attribute names, as a number of TensorProto.DataType or as its name there. */
static int named_type(const opmill_operator *operator, const opmill_attribute *attribute,
                      const opmill_parameter *parameter, const void *member, int32_t *type,
                      opmill_context *context) {
    const bool is_text = attribute->kind == OPMILL_KIND_STRING;
    const char *const word = is_text ? *(const char *const *)member : NULL;
    const int64_t number = is_text ? opmill_type_of_name(word) : *(const int64_t *)member;
    const bool known = number > 0 && number <= INT32_MAX && opmill_type_bits((int32_t)number) > 0;
    if (known && opmill_is_listed(parameter, fitted(parameter, (int32_t)number))) {
        *type = fitted(parameter, (int32_t)number);
        return OPMILL_OK;
    }
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_ATTRIBUTE, operator->label);
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
    opmill_put_elements(&message, parameter);
    opmill_put_until(&message, text);
    return OPMILL_ERROR_ATTRIBUTE;
}

/* The type of an optional whose contents have the type that an attribute is. */
static int described_type(const opmill_operator *operator, const opmill_attribute *attribute,
                          const opmill_parameter *parameter, int32_t described, int32_t *type,
                          opmill_context *context) {
    const bool is_type = opmill_type_bits(described) > 0 && !opmill_is_optional(described);
    *type = is_type ? fitted(parameter, described) : OPMILL_UNDEFINED;
    if (*type != OPMILL_UNDEFINED && opmill_is_listed(parameter, *type)) {
        return OPMILL_OK;
    }
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_ATTRIBUTE, operator->label);
    opmill_put_text(&message, "attribute '");
    opmill_put_text(&message, attribute->name);
    opmill_put_text(&message, "' is ");
    opmill_put_text(&message, opmill_type_name(described));
    opmill_put_text(&message, ", expected one of ");
    opmill_put_types(&message, parameter, described);
    return OPMILL_ERROR_ATTRIBUTE;
}

/* True if an attribute names a type: it is present, and the number of one that has a default is not
 * 0, which is UNDEFINED. */
static bool names_type(const opmill_attribute *attribute, const void *member) {
    if (attribute->kind == OPMILL_KIND_STRING) {
        return *(const char *const *)member != NULL;
    }
    if (attribute->kind == OPMILL_KIND_TENSOR || attribute->kind == OPMILL_KIND_SPARSE_TENSOR) {
        return *(const void *const *)member != NULL;
    }
    if (attribute->kind == OPMILL_KIND_TYPE_PROTO) {
        return *(const int32_t *)member != OPMILL_UNDEFINED;
    }
    if (attribute->optional != 0) {
        return ((const opmill_int *)member)->present != 0;
    }
    return attribute->required != 0 || *(const int64_t *)member != 0;
}

/* True if a call gives an attribute that has no default; a flag, an INT that has a value in every
 * call, is given where it is 1. */
static bool is_given(const opmill_attribute *attribute, const void *member) {
    switch (attribute->kind) {
    case OPMILL_KIND_INT:
        return attribute->optional != 0 ? ((const opmill_int *)member)->present != 0
                                        : *(const int64_t *)member == 1;
    case OPMILL_KIND_FLOAT:
        return ((const opmill_float *)member)->present != 0;
    case OPMILL_KIND_INTS:
        return ((const opmill_ints *)member)->count >= 0;
    case OPMILL_KIND_FLOATS:
        return ((const opmill_floats *)member)->count >= 0;
    case OPMILL_KIND_STRINGS:
        return ((const opmill_strings *)member)->count >= 0;
    default:
        return *(const void *const *)member != NULL;
    }
}

/* The tensor of an attribute's own, whose type is that of an output; NULL where there is none. */
static const opmill_tensor *tensor_of(const opmill_attribute *attribute, const void *member) {
    if (attribute->kind == OPMILL_KIND_TENSOR) {
        return *(const opmill_tensor *const *)member;
    }
    if (attribute->kind == OPMILL_KIND_SPARSE_TENSOR) {
        const opmill_sparse_tensor *const given = *(const opmill_sparse_tensor *const *)member;
        return given != NULL ? given->values : NULL;
    }
    return NULL;
}

/* The type of an output. One of several sources, but the last, does not apply where its attribute
 * names no type, or where no input binds its variable, or binds the very type beside it. */
static int output_type(const opmill_operator *operator, int32_t output,
                       const opmill_binding *binding, const void *attributes, int32_t *type,
                       opmill_context *context) {
    const opmill_parameter *parameter = &operator->outputs[output];
    for (int32_t i = 0; i < operator->type_source_count; i++) {
        const opmill_type_source *source = &operator->type_sources[i];
        if (source->output != output) {
            continue;
        }
        if (source->attribute >= 0) {
            const opmill_attribute *attribute = &operator->attributes[source->attribute];
            const void *member = (const char *)attributes + attribute->offset;
            const bool is_last = i + 1 == operator->type_source_count || source[1].output != output;
            const opmill_tensor *const tensor = tensor_of(attribute, member);
            if (tensor != NULL) {
                return tensor_type(operator, attribute, parameter, tensor, type, context);
            }
            if (source->type != OPMILL_UNDEFINED) {
                if (is_given(attribute, member)) {
                    *type = source->type;
                    return OPMILL_OK;
                }
                continue;
            }
            if (attribute->kind == OPMILL_KIND_TYPE_PROTO && names_type(attribute, member)) {
                return described_type(operator, attribute, parameter, *(const int32_t *)member,
                                      type, context);
            }
            if (names_type(attribute, member) || (is_last && attribute->kind == OPMILL_KIND_INT)) {
                return named_type(operator, attribute, parameter, member, type, context);
            }
        } else if (source->variable >= 0 && source->type != OPMILL_UNDEFINED) {
            const int32_t bound = binding->types[source->variable];
            if (bound == source->type || bound == OPMILL_UNDEFINED) {
                continue;
            }
            *type = source->type;
        } else if (source->variable >= 0) {
            *type = fitted(parameter, binding->types[source->variable]);
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

int opmill_call_shapes(const opmill_operator *operator, const opmill_binding *binding,
                       const void *attributes, int32_t first, int32_t output_count,
                       opmill_shapes *shapes, opmill_context *context) {
    shapes->stored = shapes->stored != NULL ? shapes->stored + first : NULL;
    shapes->offered = shapes->offered != NULL ? shapes->offered + first : NULL;
    shapes->count = output_count > first ? output_count - first : 0;
    shapes->type = OPMILL_UNDEFINED;
    shapes->given = 0;
    shapes->negative = 0;
    shapes->too_large = false;
    shapes->is_sequence = opmill_takes_sequences(&operator->outputs[first]);
    shapes->creates = shapes->is_sequence && operator->creates_tensors != 0;
    shapes->bytes = 0;
    shapes->block = NULL;
    shapes->items = NULL;
    const int code = output_type(operator, first, binding, attributes, &shapes->type, context);
    if (shapes->is_sequence) {
        shapes->type = opmill_element_type(shapes->type);
        shapes->stored = NULL;
        shapes->offered = NULL;
        shapes->count = INT32_MAX;
    }
    shapes->unlike = shapes->count;
    return code;
}

static OPMILL_COLD int negative_dim(const opmill_operator *operator, int64_t dim,
                                    opmill_context *context) {
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_INTERNAL, operator->label);
    const char *text = opmill_put_until(&message, OPMILL_TEXT_DERIVED_DIM);
    opmill_put_int(&message, dim);
    opmill_put_until(&message, text);
    return OPMILL_ERROR_INTERNAL;
}

static OPMILL_COLD int too_many_axes(const opmill_operator *operator, int32_t output, int32_t rank,
                                     opmill_context *context) {
    const opmill_value value = opmill_value_at(operator->outputs, operator->output_count, output);
    opmill_name name;
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_SHAPE, operator->label);
    opmill_put_text(&message, opmill_name_of(value, &name));
    opmill_put_text(&message, " has rank ");
    opmill_put_int(&message, rank);
    opmill_put_text(&message, ", expected at most ");
    opmill_put_int(&message, OPMILL_MAX_RANK);
    return OPMILL_ERROR_SHAPE;
}

static OPMILL_COLD int missing_shape(const opmill_operator *operator, const opmill_shapes *shapes,
                                     opmill_context *context) {
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_INTERNAL, operator->label);
    const char *text = opmill_put_until(&message, OPMILL_TEXT_DERIVED_COUNT);
    opmill_put_int(&message, shapes->given);
    text = opmill_put_until(&message, text);
    opmill_put_int(&message, shapes->count);
    opmill_put_until(&message, text);
    return OPMILL_ERROR_INTERNAL;
}

int opmill_call_types(const opmill_operator *operator, const opmill_binding *binding,
                      const void *attributes, opmill_shape *shapes, int32_t output_count,
                      const opmill_shapes *rest, opmill_context *context) {
    const opmill_implementation *const own = operator->implementation;
    const bool has_types = own != NULL && own->shape != NULL;
    const int32_t count = opmill_shapes_listed(rest, output_count);
    for (int32_t i = 0; i < count; i++) {
        size_t bytes;
        int code = OPMILL_OK;
        if (!has_types) {
            shapes[i].type = OPMILL_UNDEFINED;
            code = output_type(operator, i, binding, attributes, &shapes[i].type, context);
        }
        if (code != OPMILL_OK) {
            return code;
        }
        if (shapes[i].rank > OPMILL_MAX_RANK) {
            return too_many_axes(operator, i, shapes[i].rank, context);
        }
        for (int32_t k = 0; k < shapes[i].rank; k++) {
            if (shapes[i].dims[k] < 0) {
                return negative_dim(operator, shapes[i].dims[k], context);
            }
        }
        if (operator->outputs[i].bounded
                ? !opmill_size_fits_int64(shapes[i].dims, shapes[i].rank, shapes[i].type)
                : !opmill_tensor_bytes(shapes[i].dims, shapes[i].rank, shapes[i].type, &bytes)) {
            return opmill_rule_overflow(operator->label, context);
        }
    }
    if (rest == NULL) {
        return OPMILL_OK;
    }
    if (rest->given < rest->count && !rest->is_sequence) {
        return missing_shape(operator, rest, context);
    }
    if (rest->negative < 0) {
        return negative_dim(operator, rest->negative, context);
    }
    return rest->too_large ? opmill_rule_overflow(operator->label, context) : OPMILL_OK;
}

static OPMILL_COLD int wrong_measure(const opmill_operator *operator, const opmill_shape *bound,
                                     const opmill_shape *shape, opmill_context *context) {
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_INTERNAL, operator->label);
    const char *text = opmill_put_until(&message, OPMILL_TEXT_MEASURED_SHAPE);
    opmill_put_list(&message, (opmill_ints){shape->dims, shape->rank});
    text = opmill_put_until(&message, text);
    opmill_put_list(&message, (opmill_ints){bound->dims, bound->rank});
    opmill_put_until(&message, text);
    return OPMILL_ERROR_INTERNAL;
}

int opmill_call_measured(const opmill_operator *operator, const opmill_shape *bounds,
                         const opmill_shape *shapes, int32_t output_count,
                         opmill_context *context) {
    for (int32_t i = 0; i < output_count; i++) {
        size_t bytes;
        bool within = shapes[i].rank == bounds[i].rank && shapes[i].type == bounds[i].type;
        for (int32_t k = 0; within && k < shapes[i].rank; k++) {
            within = shapes[i].dims[k] >= 0 && shapes[i].dims[k] <= bounds[i].dims[k];
        }
        if (!within) {
            return wrong_measure(operator, &bounds[i], &shapes[i], context);
        }
        if (!opmill_tensor_bytes(shapes[i].dims, shapes[i].rank, shapes[i].type, &bytes)) {
            return opmill_rule_overflow(operator->label, context);
        }
    }
    return OPMILL_OK;
}

typedef opmill_extent extent;

static extent extent_of(const opmill_tensor *tensor) {
    size_t bytes = 0;
    (void)opmill_tensor_bytes(tensor->dims, tensor->rank, tensor->type, &bytes);
    const extent all = {(uintptr_t)tensor->data, (uintptr_t)tensor->data + bytes};
    return all;
}

static bool overlap(extent a, extent b) {
    return a.start < a.end && b.start < b.end && a.start < b.end && b.start < a.end;
}

/* True if memory overlaps that of an input, or of a tensor of one that is a sequence, an optional
 * or a map. */
static bool overlaps_input(extent own, const opmill_tensor *input) {
    const opmill_tensor *value = input;
    if (opmill_is_optional(input->type)) {
        if (overlap(own, extent_of(input)) || input->dims[0] == 0) {
            return overlap(own, extent_of(input));
        }
        value = *(const opmill_tensor *const *)input->data;
    }
    const opmill_tensor *const *const items = value->data;
    const int64_t count = opmill_has_items(value->type) ? value->dims[0] : 0;
    for (int64_t i = 0; i < count; i++) {
        if (overlap(own, extent_of(items[i]))) {
            return true;
        }
    }
    return overlap(own, extent_of(value));
}

static int check_output(const opmill_operator *operator, opmill_value value,
                        const opmill_tensor *output, int32_t type, const opmill_shape *shape,
                        opmill_context *context) {
    opmill_name name;
    if (output == NULL) {
        return FAIL(context, OPMILL_ERROR_CALL, operator->label, "out for ",
                    opmill_name_of(value, &name), " is NULL, expected a tensor");
    }
    if (output->type != type) {
        return FILL(context, OPMILL_ERROR_TYPE, operator->label, OPMILL_TEXT_OUT_TYPE,
                    opmill_name_of(value, &name), opmill_type_name(output->type),
                    opmill_type_name(type));
    }
    const int code = opmill_call_form(operator, "out for ", value, output, true, context);
    if (code != OPMILL_OK || shape == NULL) {
        return code;
    }
    const opmill_ints wanted = {shape->dims, shape->rank};
    if (!opmill_same_ints(opmill_dims(output), wanted)) {
        opmill_message message = opmill_message_begin(context, OPMILL_ERROR_SHAPE, operator->label);
        const char *text = opmill_put_until(&message, OPMILL_TEXT_OUT_SHAPE);
        opmill_put_text(&message, opmill_name_of(value, &name));
        text = opmill_put_until(&message, text);
        opmill_put_list(&message, opmill_dims(output));
        text = opmill_put_until(&message, text);
        opmill_put_list(&message, wanted);
        opmill_put_until(&message, text);
        return OPMILL_ERROR_SHAPE;
    }
    return OPMILL_OK;
}

/* True if output `index` overlaps one before it, all of which lie within `before`. */
static bool overlaps_output(opmill_tensor *const *outputs, int32_t index, extent own,
                            extent before) {
    for (int32_t i = 0; overlap(own, before) && i < index; i++) {
        if (outputs[i] != NULL && overlap(own, extent_of(outputs[i]))) {
            return true;
        }
    }
    return false;
}

int opmill_call_check_output(const opmill_operator *operator, const opmill_tensor *const *inputs,
                             int32_t input_count, opmill_tensor *const *outputs, int32_t index,
                             int32_t type, const opmill_shape *shape, opmill_extent *before,
                             opmill_context *context) {
    const opmill_value value = opmill_value_at(operator->outputs, operator->output_count, index);
    opmill_name name;
    const int code = check_output(operator, value, outputs[index], type, shape, context);
    if (code != OPMILL_OK) {
        return code;
    }
    const extent own = extent_of(outputs[index]);
    for (int32_t k = 0; k < input_count; k++) {
        if (inputs[k] != NULL && overlaps_input(own, inputs[k])) {
            opmill_name other;
            return FAIL(
                context, OPMILL_ERROR_CALL, operator->label, "out for ",
                opmill_name_of(value, &name), " overlaps ",
                opmill_name_of(opmill_value_at(operator->inputs, operator->input_count, k), &other),
                ", expected separate memory");
        }
    }
    if (overlaps_output(outputs, index, own, *before)) {
        return FAIL(context, OPMILL_ERROR_CALL, operator->label, "out for ",
                    opmill_name_of(value, &name),
                    " overlaps another output, expected separate memory");
    }
    if (own.start < own.end) {
        before->start = before->end == 0 || own.start < before->start ? own.start : before->start;
        before->end = own.end > before->end ? own.end : before->end;
    }
    return OPMILL_OK;
}

int opmill_call_outputs(const opmill_operator *operator, const opmill_tensor *const *inputs,
                        int32_t input_count, const opmill_shape *shapes, const opmill_shapes *rest,
                        opmill_tensor *const *outputs, int32_t output_count,
                        opmill_context *context) {
    const int32_t listed = opmill_shapes_listed(rest, output_count);
    extent before = {0, 0};
    for (int32_t i = 0; i < output_count; i++) {
        const opmill_value value = opmill_value_at(operator->outputs, operator->output_count, i);
        /* Those of a variadic output that were there when the rule gave the shapes have been
         * compared with these. */
        const opmill_shape *shape = i < listed                   ? &shapes[i]
                                    : rest->stored != NULL       ? &rest->stored[i - listed]
                                    : i - listed == rest->unlike ? &rest->wanted
                                                                 : NULL;
        if (outputs[i] == NULL && value.parameter->option == OPMILL_OPTIONAL) {
            continue;
        }
        const int32_t type = i < listed ? shapes[i].type : opmill_shapes_type(rest, i - listed);
        const int code = opmill_call_check_output(operator, inputs, input_count, outputs, i, type,
                                                  shape, &before, context);
        if (code != OPMILL_OK) {
            return code;
        }
    }
    return OPMILL_OK;
}
