/* Checks and writes stacks. Elements of less than a byte are copied bit by bit where the positions
 * are not those of whole bytes. */
#include "runtime/graphs/stack.h"

#include <string.h>

#include "runtime/call/rules.h"
#include "runtime/numbers/elements.h"

int64_t opmill_count_of(const int64_t *dims, int32_t rank) {
    int64_t count = 1;
    for (int32_t i = 0; i < rank; i++) {
        count *= dims[i];
    }
    return count;
}

void opmill_value_shape(const opmill_tensor *value, opmill_shape *shape) {
    shape->type = value != NULL ? value->type : OPMILL_UNDEFINED;
    shape->rank = value != NULL ? value->rank : 0;
    for (int32_t i = 0; i < shape->rank; i++) {
        shape->dims[i] = value->dims[i];
    }
}

void opmill_copy_elements(void *to, int64_t to_at, const void *from, int64_t from_at, int64_t count,
                          int32_t type) {
    const uint64_t bits = (uint64_t)opmill_type_bits(type);
    uint64_t target = (uint64_t)to_at * bits, source = (uint64_t)from_at * bits;
    uint64_t left = (uint64_t)count * bits;
    if (target % 8 == 0 && source % 8 == 0 && left >= 8) {
        const size_t bytes = (size_t)(left / 8);
        memmove((unsigned char *)to + target / 8, (const unsigned char *)from + source / 8, bytes);
        target += 8 * (uint64_t)bytes;
        source += 8 * (uint64_t)bytes;
        left %= 8;
    }
    for (; left > 0; left--, target++, source++) {
        unsigned char *const byte = (unsigned char *)to + target / 8;
        const unsigned bit = (((const unsigned char *)from)[source / 8] >> (source % 8)) & 1u;
        *byte = (unsigned char)((*byte & ~(1u << (target % 8))) | (bit << (target % 8)));
    }
}

/* Sets the bits after the last of some elements to 0: those of its byte, before it is written. */
static void clear_end(void *to, int64_t count, int32_t type) {
    const uint64_t bits = (uint64_t)count * (uint64_t)opmill_type_bits(type);
    if (bits % 8 != 0) {
        ((unsigned char *)to)[bits / 8] = 0;
    }
}

void opmill_copy_tensor(void *to, const opmill_tensor *from) {
    const int64_t count = opmill_count_of(from->dims, from->rank);
    if (count > 0) {
        clear_end(to, count, from->type);
        opmill_copy_elements(to, 0, from->data, 0, count, from->type);
    }
}

/* The axis, counted from the front. */
static int32_t axis_of(const opmill_stack *stack, int32_t rank) {
    return (int32_t)(stack->axis < 0 ? stack->axis + rank : stack->axis);
}

/* Refuses a value that does not fit the first one. */
static OPMILL_COLD int wrong_value(const opmill_stack *stack, int64_t run,
                                   const opmill_tensor *value, const opmill_tensor *first) {
    const bool is_tensor = value != NULL && !opmill_is_sequence(value->type);
    const int32_t code = is_tensor ? OPMILL_ERROR_SHAPE : OPMILL_ERROR_CALL;
    opmill_message message = opmill_runs_error(stack->runs, code);
    opmill_put_result(&message, stack->runs, stack->output);
    opmill_put_text(&message, " of iteration ");
    opmill_put_int(&message, run);
    opmill_put_text(&message, " is ");
    opmill_put_described(&message, value);
    opmill_put_text(&message, ", expected ");
    if (is_tensor) {
        opmill_put_described(&message, first);
        opmill_put_text(&message, " (that of iteration 0)");
    } else {
        opmill_put_text(&message, "a tensor");
    }
    return code;
}

static int check_values(const opmill_stack *stack) {
    const opmill_graph_results *results = stack->first;
    const opmill_tensor *const first = stack->count > 0 ? results->tensors[stack->output] : NULL;
    for (int64_t run = 0; run < stack->count; run++, results = results->next) {
        const opmill_tensor *const value = results->tensors[stack->output];
        const bool fits = value != NULL && !opmill_is_sequence(value->type) &&
                          value->type == first->type &&
                          opmill_same_ints(opmill_dims(value), opmill_dims(first));
        if (!fits) {
            return wrong_value(stack, run, value, first);
        }
    }
    return OPMILL_OK;
}

/* The declared type and shape of an output, where there is no result; unknown dims are 0. */
static int declared_shape(const opmill_stack *stack, opmill_shape *shape) {
    const opmill_shape *const declared = opmill_runs_declared(stack->runs, stack->output);
    if (declared == NULL || opmill_is_sequence(declared->type)) {
        opmill_message message = opmill_runs_error(stack->runs, OPMILL_ERROR_CALL);
        opmill_put_text(&message, "number of iterations is 0, expected at least 1 (");
        opmill_put_result(&message, stack->runs, stack->output);
        opmill_put_text(&message, " has no declared type)");
        return OPMILL_ERROR_CALL;
    }
    shape->type = declared->type;
    shape->rank = declared->rank;
    for (int32_t i = 0; i < shape->rank; i++) {
        shape->dims[i] = declared->dims[i] < 0 ? 0 : declared->dims[i];
    }
    return OPMILL_OK;
}

static OPMILL_COLD int wrong_axis(const opmill_stack *stack, int32_t rank) {
    opmill_message message = opmill_runs_error(stack->runs, OPMILL_ERROR_SHAPE);
    opmill_put_text(&message, stack->axis_name);
    opmill_put_text(&message, "[");
    opmill_put_int(&message, stack->axis_index);
    opmill_put_text(&message, "] is ");
    opmill_put_int(&message, stack->axis);
    opmill_put_text(&message, ", expected ");
    opmill_put_int(&message, -(int64_t)rank);
    opmill_put_text(&message, " to ");
    opmill_put_int(&message, rank - 1);
    return OPMILL_ERROR_SHAPE;
}

int opmill_stack_shape(const opmill_stack *stack, opmill_shape *shape) {
    const opmill_call *const call = stack->runs->call;
    size_t bytes;
    int code = check_values(stack);
    if (code == OPMILL_OK && stack->count > 0) {
        opmill_value_shape(stack->first->tensors[stack->output], shape);
    } else if (code == OPMILL_OK) {
        code = declared_shape(stack, shape);
    }
    if (code != OPMILL_OK) {
        return code;
    }
    const int32_t rank = shape->rank + 1;
    if (stack->axis < -rank || stack->axis >= rank) {
        return wrong_axis(stack, rank);
    }
    if (rank > OPMILL_MAX_RANK) {
        opmill_message message = opmill_runs_error(stack->runs, OPMILL_ERROR_SHAPE);
        opmill_put_text(&message, "stack of ");
        opmill_put_result(&message, stack->runs, stack->output);
        opmill_put_text(&message, " has rank ");
        opmill_put_int(&message, rank);
        opmill_put_text(&message, ", expected at most ");
        opmill_put_int(&message, OPMILL_MAX_RANK);
        return OPMILL_ERROR_SHAPE;
    }
    const int32_t axis = axis_of(stack, rank);
    for (int32_t i = shape->rank; i > axis; i--) {
        shape->dims[i] = shape->dims[i - 1];
    }
    shape->dims[axis] = stack->count;
    shape->rank = rank;
    return opmill_tensor_bytes(shape->dims, rank, shape->type, &bytes)
               ? OPMILL_OK
               : opmill_rule_overflow(call->operator->label, call->context);
}

void opmill_stack_write(const opmill_stack *stack, void *data) {
    const opmill_graph_results *results = stack->first;
    if (stack->count == 0) {
        return;
    }
    const opmill_tensor *const first = results->tensors[stack->output];
    const int32_t axis = axis_of(stack, first->rank + 1);
    const int64_t outer = opmill_count_of(first->dims, axis);
    const int64_t *const behind = axis < first->rank ? first->dims + axis : NULL;
    const int64_t inner = opmill_count_of(behind, first->rank - axis);
    if (outer == 0 || inner == 0) {
        return;
    }
    clear_end(data, outer * stack->count * inner, first->type);
    for (int64_t run = 0; run < stack->count; run++, results = results->next) {
        const int64_t at = stack->reversed ? stack->count - 1 - run : run;
        const opmill_tensor *const value = results->tensors[stack->output];
        for (int64_t row = 0; row < outer; row++) {
            opmill_copy_elements(data, (row * stack->count + at) * inner, value->data, row * inner,
                                 inner, value->type);
        }
    }
}
