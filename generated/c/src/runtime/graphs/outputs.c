/* Returns the outputs of a call whose graphs have run. Items of sequences are copied to one block
 * of the caller's: the graphs' owner frees what graphs returned. */
#include "runtime/graphs/outputs.h"

#include "runtime/call/block.h"
#include "runtime/call/call.h"
#include "runtime/call/call_parts.h"
#include "runtime/graphs/stack.h"

/* The position in the block of the items. */
typedef struct cursor {
    unsigned char *block; /* NULL where only its bytes are counted */
    size_t bytes;
} cursor;

/* Memory for so many bytes at a multiple of the alignment; NULL while bytes are counted. */
static void *take(cursor *at, size_t bytes) {
    const size_t start = at->bytes;
    const size_t end = opmill_block_add(opmill_block_add(start, bytes), OPMILL_ITEM_ALIGNMENT - 1);
    at->bytes = end == SIZE_MAX ? end : end - end % OPMILL_ITEM_ALIGNMENT;
    return at->block != NULL ? at->block + start : NULL;
}

/* A copy of a tensor in the block. */
static const opmill_tensor *put_item(cursor *at, const opmill_tensor *item) {
    size_t bytes = 0;
    (void)opmill_tensor_bytes(item->dims, item->rank, item->type, &bytes);
    opmill_tensor *const copy = take(at, sizeof *copy);
    int64_t *const dims = take(at, (size_t)item->rank * sizeof *dims);
    void *const data = take(at, bytes);
    if (copy == NULL) {
        return NULL;
    }
    for (int32_t i = 0; i < item->rank; i++) {
        dims[i] = item->dims[i];
    }
    *copy = (opmill_tensor){data, dims, item->rank, item->type};
    opmill_copy_tensor(data, item);
    return copy;
}

static opmill_value value_of(const opmill_call *call, int32_t output) {
    const opmill_operator *const operator = call->operator;
    return opmill_value_at(operator->outputs, operator->output_count, output);
}

/* The type and shape of an output, of a type that the operator returns. */
static int find_shape(const opmill_call *call, const opmill_graph_outputs *outputs, int32_t output,
                      opmill_shape *shape) {
    const opmill_value value = value_of(call, output);
    const int code = outputs->shape(outputs->user, output, shape);
    if (code != OPMILL_OK || opmill_is_listed(value.parameter, shape->type)) {
        return code;
    }
    const char *const type =
        shape->type == OPMILL_UNDEFINED ? "optional" : opmill_type_name(shape->type);
    return opmill_call_wrong_type(call->operator, value, type, shape->type, call->context);
}

/* Checks all outputs, also those that the call does not request, and counts the bytes of items. */
static int check_shapes(const opmill_call *call, const opmill_graph_outputs *outputs,
                        cursor *items) {
    opmill_shape shape;
    int code = OPMILL_OK;
    for (int32_t i = 0; i < outputs->count && code == OPMILL_OK; i++) {
        code = outputs->shape(outputs->user, i, &shape);
    }
    for (int32_t i = 0; i < call->output_count && code == OPMILL_OK; i++) {
        opmill_shape *const stored = call->all_shapes != NULL ? &call->all_shapes[i] : &shape;
        code = find_shape(call, outputs, i, stored);
        const bool has_items = code == OPMILL_OK && opmill_is_sequence(stored->type);
        for (int64_t k = 0; has_items && k < stored->dims[0]; k++) {
            (void)put_item(items, outputs->item(outputs->user, i, k));
        }
    }
    return code == OPMILL_OK && items->bytes > PTRDIFF_MAX - OPMILL_ITEM_ALIGNMENT
               ? opmill_rule_overflow(call->operator->label, call->context)
               : code;
}

/* The outputs' memory, which the caller gives, and the block for the items. */
static int check_memory(const opmill_call *call, const opmill_graph_outputs *outputs,
                        cursor *items) {
    const opmill_operator *const operator = call->operator;
    opmill_extent before = {0, 0};
    opmill_shape shape;
    void *block = NULL;
    for (int32_t i = 0; i < call->output_count; i++) {
        int code = find_shape(call, outputs, i, &shape);
        if (code == OPMILL_OK) {
            code =
                opmill_call_check_output(operator, call->inputs, call->input_count, call->outputs,
                                         i, shape.type, &shape, &before, call->context);
        }
        if (code != OPMILL_OK) {
            return code;
        }
    }
    if (items->bytes == 0) {
        return OPMILL_OK;
    }
    const char *const name = operator->outputs[operator->output_count - 1].name;
    const size_t bytes = items->bytes + OPMILL_ITEM_ALIGNMENT - 1;
    const int code = opmill_block_tensors(call->context, name, bytes, &block);
    if (code != OPMILL_OK) {
        opmill_contents_label(call->context, operator->label);
        return code;
    }
    const size_t past = (uintptr_t)block % OPMILL_ITEM_ALIGNMENT;
    items->block = (unsigned char *)block + (past > 0 ? OPMILL_ITEM_ALIGNMENT - past : 0);
    items->bytes = 0;
    return OPMILL_OK;
}

int opmill_graph_return(const opmill_call *call, const opmill_graph_outputs *outputs) {
    cursor items = {NULL, 0};
    int code = check_shapes(call, outputs, &items);
    if (code == OPMILL_OK && call->allocated != NULL) {
        code = call->allocator->outputs(call->allocator->user, call->all_shapes, call->allocated,
                                        call->output_count);
    }
    if (code == OPMILL_OK) {
        code = check_memory(call, outputs, &items);
    }
    for (int32_t i = 0; i < call->output_count && code == OPMILL_OK; i++) {
        opmill_tensor *const output = call->outputs[i];
        if (!opmill_is_sequence(output->type)) {
            outputs->write(outputs->user, i, output->data);
            continue;
        }
        const opmill_tensor **const pointers = output->data;
        for (int64_t k = 0; k < output->dims[0]; k++) {
            pointers[k] = put_item(&items, outputs->item(outputs->user, i, k));
        }
    }
    return code;
}
