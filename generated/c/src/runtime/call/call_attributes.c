/* The attributes of a call: lists and tensors that can be read, and sparse ones whose parts fit. */
#include <stdint.h>

#include "opmill/numbers.h"
#include "runtime/call/call.h"
#include "runtime/call/call_parts.h"
#include "runtime/call/is_prepared.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/integers.h"
#include "runtime/call/messages.h"

/* A list of a call: an array where it is not empty, of texts that are not NULL. */
static int check_list(const opmill_operator *operator, const opmill_attribute *attribute,
                      const void *member, opmill_context *context) {
    const opmill_strings *const strings = attribute->kind == OPMILL_KIND_STRINGS ? member : NULL;
    const opmill_floats *const floats = attribute->kind == OPMILL_KIND_FLOATS ? member : NULL;
    const opmill_ints *const ints = attribute->kind == OPMILL_KIND_INTS ? member : NULL;
    const int64_t count = strings != NULL  ? strings->count
                          : floats != NULL ? floats->count
                                           : ints->count;
    const bool is_null = strings != NULL  ? strings->values == NULL
                         : floats != NULL ? floats->values == NULL
                                          : ints->values == NULL;
    if (count > 0 && is_null) {
        return FAIL(context, OPMILL_ERROR_ATTRIBUTE, operator->label, "attribute '",
                    attribute->name, "' is NULL, expected an array");
    }
    if (count < 0 && attribute->required != 0) {
        return FILL(context, OPMILL_ERROR_ATTRIBUTE, operator->label, OPMILL_TEXT_ATTRIBUTE_ABSENT,
                    attribute->name);
    }
    for (int64_t i = 0; strings != NULL && i < count && !opmill_is_prepared(context); i++) {
        if (strings->values[i] == NULL) {
            return FAIL(context, OPMILL_ERROR_ATTRIBUTE, operator->label, "attribute '",
                        attribute->name, "' has a NULL, expected strings");
        }
    }
    return OPMILL_OK;
}

/* A tensor of a call: its form is that of an input, and its type one of ONNX's. */
static int check_tensor(const opmill_operator *operator, const opmill_attribute *attribute,
                        const opmill_tensor *tensor, opmill_context *context) {
    const opmill_parameter named = {.name = attribute->name, .option = OPMILL_SINGLE};
    if (tensor == NULL) {
        return attribute->required == 0 ? OPMILL_OK
                                        : FILL(context, OPMILL_ERROR_ATTRIBUTE, operator->label,
                                               OPMILL_TEXT_ATTRIBUTE_ABSENT, attribute->name);
    }
    if (opmill_type_bits(tensor->type) == 0) {
        opmill_message message =
            opmill_message_begin(context, OPMILL_ERROR_ATTRIBUTE, operator->label);
        opmill_put_text(&message, "attribute '");
        opmill_put_text(&message, attribute->name);
        opmill_put_text(&message, "' has type ");
        opmill_put_int(&message, tensor->type);
        opmill_put_text(&message, ", expected an element type of ONNX");
        return OPMILL_ERROR_ATTRIBUTE;
    }
    const opmill_value value = {&named, 0, false};
    const int code = opmill_call_form(operator, "", value, tensor, true, context);
    return code == OPMILL_OK ? opmill_call_strings(operator, value, tensor, context) : code;
}

/* Where `index` values fail: "<name>.indices[i, k] is x, expected at least 0 and below n". */
static OPMILL_COLD int wrong_index(const opmill_operator *operator, const char *name, int64_t row,
                                   int64_t axis, int64_t index, int64_t limit,
                                   opmill_context *context) {
    const int64_t position[] = {row, axis};
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_ATTRIBUTE, operator->label);
    opmill_put_text(&message, name);
    opmill_put_text(&message, ".indices");
    opmill_put_list(&message, (opmill_ints){position, axis >= 0 ? 2 : 1});
    opmill_put_text(&message, " is ");
    opmill_put_int(&message, index);
    opmill_put_text(&message, ", expected at least 0 and below ");
    opmill_put_int(&message, limit);
    return OPMILL_ERROR_ATTRIBUTE;
}

/* True if each row of indices comes after the one before it, and lies within the limits. */
static int check_indices(const opmill_operator *operator, const char *name, const int64_t *indices,
                         int64_t count, const int64_t *limits, int32_t width, bool rows,
                         opmill_context *context) {
    for (int64_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < width; k++) {
            const int64_t index = indices[i * width + k];
            if (index < 0 || index >= limits[k]) {
                return wrong_index(operator, name, i, rows ? k : -1, index, limits[k], context);
            }
        }
    }
    for (int64_t i = 1; i < count; i++) {
        const int64_t *const before = indices + (i - 1) * width, *const after = indices + i * width;
        int32_t k = 0;
        while (k < width && before[k] == after[k]) {
            k++;
        }
        if (k == width || before[k] > after[k]) {
            opmill_message message =
                opmill_message_begin(context, OPMILL_ERROR_ATTRIBUTE, operator->label);
            opmill_put_text(&message, name);
            opmill_put_text(&message, ".indices[");
            opmill_put_int(&message, i);
            opmill_put_text(&message, "] is not after indices[");
            opmill_put_int(&message, i - 1);
            opmill_put_text(&message, "], expected ascending order");
            return OPMILL_ERROR_ATTRIBUTE;
        }
    }
    return OPMILL_OK;
}

/* The pointers of a sparse tensor, and the form of its parts. */
static int check_parts(const opmill_operator *operator, const char *name,
                       const opmill_sparse_tensor *given, opmill_context *context) {
    const opmill_tensor *const parts[] = {given->values, given->indices};
    static const char *const NAMES[] = {"sparse values", "sparse indices"};
    if (given->rank < 0 || given->rank > OPMILL_MAX_RANK) {
        opmill_message message =
            opmill_message_begin(context, OPMILL_ERROR_ATTRIBUTE, operator->label);
        opmill_put_text(&message, name);
        opmill_put_text(&message, ".dims has ");
        opmill_put_int(&message, given->rank);
        opmill_put_text(&message, " entries, expected at most ");
        opmill_put_int(&message, OPMILL_MAX_RANK);
        return OPMILL_ERROR_ATTRIBUTE;
    }
    if (given->rank > 0 && given->dims == NULL) {
        return FAIL(context, OPMILL_ERROR_ATTRIBUTE, operator->label, name,
                    ".dims is NULL, expected an array");
    }
    for (int32_t i = 0; i < given->rank; i++) {
        if (given->dims[i] < 0) {
            opmill_message message =
                opmill_message_begin(context, OPMILL_ERROR_ATTRIBUTE, operator->label);
            opmill_put_text(&message, name);
            opmill_put_text(&message, ".dims[");
            opmill_put_int(&message, i);
            opmill_put_text(&message, "] is ");
            opmill_put_int(&message, given->dims[i]);
            opmill_put_text(&message, ", expected at least 0");
            return OPMILL_ERROR_ATTRIBUTE;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (parts[i] == NULL) {
            return FAIL(context, OPMILL_ERROR_ATTRIBUTE, operator->label, name,
                        i == 0 ? ".values is NULL, expected a tensor"
                               : ".indices is NULL, expected a tensor");
        }
        const opmill_attribute named = {.name = NAMES[i], .kind = OPMILL_KIND_TENSOR};
        const int code = check_tensor(operator, &named, parts[i], context);
        if (code != OPMILL_OK) {
            return code;
        }
    }
    return OPMILL_OK;
}

/* The number of elements that dims give, INT64_MAX where it is larger: such a call is refused. */
static int64_t size_of(const int64_t *dims, int32_t rank) {
    int64_t size = 1;
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] == 0) {
            return 0;
        }
    }
    for (int32_t i = 0; i < rank; i++) {
        if (opmill_mul(size, dims[i], &size)) {
            return INT64_MAX;
        }
    }
    return size;
}

/* A sparse tensor of a call: its parts fit together, and its indices are those of elements. */
static int check_sparse(const opmill_operator *operator, const opmill_attribute *attribute,
                        const opmill_sparse_tensor *given, opmill_context *context) {
    const char *const name = attribute->name;
    if (given == NULL) {
        return check_tensor(operator, attribute, NULL, context);
    }
    const int code = check_parts(operator, name, given, context);
    if (code != OPMILL_OK) {
        return code;
    }
    if (given->values->rank != 1) {
        opmill_message message =
            opmill_message_begin(context, OPMILL_ERROR_ATTRIBUTE, operator->label);
        opmill_put_text(&message, name);
        opmill_put_text(&message, ".values has rank ");
        opmill_put_int(&message, given->values->rank);
        opmill_put_text(&message, ", expected 1");
        return OPMILL_ERROR_ATTRIBUTE;
    }
    if (given->indices->type != OPMILL_INT64) {
        return FAIL(context, OPMILL_ERROR_ATTRIBUTE, operator->label, name, ".indices has type ",
                    opmill_type_name(given->indices->type), ", expected int64");
    }
    const int64_t count = given->values->dims[0];
    const bool rows = given->indices->rank == 2;
    if ((given->indices->rank != 1 && !rows) || given->indices->dims[0] != count ||
        (rows && given->indices->dims[1] != given->rank)) {
        opmill_message message =
            opmill_message_begin(context, OPMILL_ERROR_ATTRIBUTE, operator->label);
        opmill_put_text(&message, name);
        opmill_put_text(&message, ".indices has shape ");
        opmill_put_list(&message, (opmill_ints){given->indices->dims, given->indices->rank});
        opmill_put_text(&message, ", expected [");
        opmill_put_int(&message, count);
        opmill_put_text(&message, "] or [");
        opmill_put_int(&message, count);
        opmill_put_text(&message, ", ");
        opmill_put_int(&message, given->rank);
        opmill_put_text(&message, "]");
        return OPMILL_ERROR_ATTRIBUTE;
    }
    const int64_t size = size_of(given->dims, given->rank);
    return check_indices(operator, name, given->indices->data, count, rows ? given->dims : &size,
                         rows ? given->rank : 1, rows, context);
}

/* A graph of a call: it can be run, and what it declares of outputs can be read. */
static int check_graph(const opmill_operator *operator, const opmill_attribute *attribute,
                       const opmill_graph *graph, opmill_context *context) {
    if (graph == NULL) {
        return check_tensor(operator, attribute, NULL, context);
    }
    if (graph->run == NULL) {
        return FAIL(context, OPMILL_ERROR_ATTRIBUTE, operator->label, attribute->name,
                    ".run is NULL, expected a function");
    }
    if (graph->output_type_count > 0 && graph->output_types == NULL) {
        return FAIL(context, OPMILL_ERROR_ATTRIBUTE, operator->label, attribute->name,
                    ".output_types is NULL, expected an array");
    }
    for (int32_t i = 0; i < graph->output_type_count; i++) {
        const opmill_shape *const declared = &graph->output_types[i];
        const bool is_type = declared->type == OPMILL_UNDEFINED ||
                             declared->type == OPMILL_SEQUENCE ||
                             opmill_type_bits(opmill_element_type(declared->type)) > 0;
        if (is_type && declared->rank >= 0 && declared->rank <= OPMILL_MAX_RANK) {
            continue;
        }
        opmill_message message =
            opmill_message_begin(context, OPMILL_ERROR_ATTRIBUTE, operator->label);
        opmill_put_text(&message, attribute->name);
        opmill_put_text(&message, ".output_types[");
        opmill_put_int(&message, i);
        opmill_put_text(&message, is_type ? "] has rank " : "] has type ");
        opmill_put_int(&message, is_type ? declared->rank : declared->type);
        opmill_put_text(&message, is_type ? ", expected 0 to " : ", expected a type of ONNX");
        if (is_type) {
            opmill_put_int(&message, OPMILL_MAX_RANK);
        }
        return OPMILL_ERROR_ATTRIBUTE;
    }
    return OPMILL_OK;
}

int opmill_call_attributes(const opmill_operator *operator, const void *attributes,
                           opmill_context *context) {
    for (int32_t i = 0; i < operator->attribute_count; i++) {
        const opmill_attribute *attribute = &operator->attributes[i];
        if (attributes == NULL) {
            if (attribute->required != 0) {
                return FILL(context, OPMILL_ERROR_ATTRIBUTE, operator->label,
                            OPMILL_TEXT_ATTRIBUTE_ABSENT, attribute->name);
            }
            continue;
        }
        const void *member = (const char *)attributes + attribute->offset;
        if (attribute->kind == OPMILL_KIND_STRING) {
            const char *text = *(const char *const *)member;
            const char *const absent =
                *(const char *const *)((const char *)operator->defaults + attribute->offset);
            if (text == NULL && attribute->required != 0) {
                return FILL(context, OPMILL_ERROR_ATTRIBUTE, operator->label,
                            OPMILL_TEXT_ATTRIBUTE_ABSENT, attribute->name);
            }
            if (text == NULL && absent != NULL) {
                return FAIL(context, OPMILL_ERROR_ATTRIBUTE, operator->label, "attribute '",
                            attribute->name, "' is NULL, expected a string (the default is '",
                            absent, "')");
            }
        } else if (attribute->kind == OPMILL_KIND_SPARSE_TENSOR) {
            const int code = check_sparse(operator, attribute,
                                          *(const opmill_sparse_tensor *const *)member, context);
            if (code != OPMILL_OK) {
                return code;
            }
        } else if (attribute->kind == OPMILL_KIND_TENSOR) {
            const int code =
                check_tensor(operator, attribute, *(const opmill_tensor *const *)member, context);
            if (code != OPMILL_OK) {
                return code;
            }
        } else if (attribute->kind == OPMILL_KIND_GRAPH) {
            const int code =
                check_graph(operator, attribute, *(const opmill_graph *const *)member, context);
            if (code != OPMILL_OK) {
                return code;
            }
        } else if (attribute->kind == OPMILL_KIND_TYPE_PROTO) {
            if (attribute->required != 0 && *(const int32_t *)member == OPMILL_UNDEFINED) {
                return FILL(context, OPMILL_ERROR_ATTRIBUTE, operator->label,
                            OPMILL_TEXT_ATTRIBUTE_ABSENT, attribute->name);
            }
        } else if (attribute->kind != OPMILL_KIND_INT && attribute->kind != OPMILL_KIND_FLOAT) {
            const int code = check_list(operator, attribute, member, context);
            if (code != OPMILL_OK) {
                return code;
            }
        }
    }
    return OPMILL_OK;
}
