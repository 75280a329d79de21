/* The public entry points, opmill_infer to opmill_run_allocating: each runs the checks and the
 * rule, then its own last step. */
#include "runtime/call/driver.h"

#include <math.h>
#include <string.h>

#include "runtime/call/block.h"
#include "runtime/call/call.h"
#include "runtime/call/call_parts.h"
#include "runtime/platform/parallel.h"
#include "runtime/call/prepared.h"

/* The number of parameters that are not variadic. */
static int32_t listed(const opmill_parameter *parameters, int32_t count) {
    return count - opmill_is_variadic(parameters, count);
}

/* Sets the lists of inputs. A short list is copied, so that absent inputs at its end are NULL. */
static void list_inputs(opmill_call *call, const opmill_tensor **copies) {
    const opmill_operator *operator = call->operator;
    const int32_t count = listed(operator->inputs, operator->input_count);
    const opmill_tensor *const *inputs = call->inputs;
    if (call->input_count < count) {
        for (int32_t i = 0; i < count; i++) {
            copies[i] = i < call->input_count ? inputs[i] : NULL;
        }
        call->inputs = copies;
    }
    call->value_count = call->input_count > count ? call->input_count - count : 0;
    call->values = call->value_count > 0 ? inputs + count : NULL;
}

/* Refuses limits that the kernel does not apply. */
static OPMILL_COLD int check_limits(const opmill_call *call) {
    const opmill_operator *operator = call->operator;
    const opmill_limits *limits = call->context->limits;
    if (!operator->implementation->takes_limits) {
        return FAIL(call->context, OPMILL_ERROR_CALL, operator->label,
                    "limits are given, expected NULL for this operator");
    }
    const int32_t type = call->shapes[0].type;
    if (type != OPMILL_FLOAT) {
        return FAIL(call->context, OPMILL_ERROR_CALL, operator->label,
                    "limits are given, expected NULL where ", operator->outputs[0].name,
                    " has type ", opmill_type_name(type));
    }
    if (isnan(limits->low) || isnan(limits->high)) {
        return FAIL(call->context, OPMILL_ERROR_CALL, operator->label, "limits.",
                    isnan(limits->low) ? "low" : "high", " is NaN, expected a number");
    }
    return OPMILL_OK;
}

int opmill_call_need_contents(const opmill_call *call, int32_t position) {
    const opmill_operator *operator = call->operator;
    if (call->inputs[position] == NULL || opmill_call_contents(call->inputs[position]) != NULL) {
        return OPMILL_OK;
    }
    return FAIL(call->context, OPMILL_ERROR_CALL, operator->label, operator->inputs[position].name,
                " is an optional without contents, expected one with contents");
}

/* Sets the dim of an output that can be nothing but an optional. Its contents are the first input;
 * the rule has derived their shape. */
static void shape_optional(const opmill_call *call) {
    const opmill_operator *operator = call->operator;
    if (call->output_count > 0 && opmill_takes_optionals(&operator->outputs[0])) {
        call->shapes[0].rank = 1;
        call->shapes[0].dims[0] = call->inputs[0] != NULL;
    }
}

/* The checks and the rule, which set `shapes` and `plan`. */
static int prepare(opmill_call *call, const opmill_tensor **copies) {
    const opmill_operator *operator = call->operator;
    opmill_context *context = call->context;
    opmill_binding binding;
    int code = opmill_call_inputs(operator, call->inputs, call->input_count, call->needs_data,
                                  &binding, context);
    if (code == OPMILL_OK) {
        code = opmill_call_attributes(operator, call->attributes, context);
    }
    if (code == OPMILL_OK) {
        code = opmill_call_results(operator, call->results, call->output_count, context);
    }
    if (code != OPMILL_OK) {
        return code;
    }
    call->attributes = call->attributes != NULL ? call->attributes : operator->defaults;
    list_inputs(call, copies);
    if (call->rest != NULL) {
        call->rest->stored = call->all_shapes;
        call->rest->offered = call->outputs;
        call->rest->like =
            operator->outputs[operator->output_count - 1].homogeneous ? NULL : call->values;
        call->rest->like_count = call->value_count;
        code = opmill_call_shapes(operator, &binding, call->attributes, operator->output_count - 1,
                                  call->output_count, call->rest, context);
    }
    if (code == OPMILL_OK) {
        code = operator->implementation->derive(call);
    }
    if (code == OPMILL_OK && operator->implementation->shape != NULL) {
        code = operator->implementation->shape(call);
        if (code == OPMILL_ERROR_CALL) {
            opmill_contents_label(call->context, operator->label);
        }
    }
    if (code == OPMILL_OK && call->rest != NULL && call->rest->is_sequence) {
        opmill_shape *const sequence = &call->shapes[operator->output_count - 1];
        sequence->rank = 1;
        sequence->dims[0] = call->rest->given;
    }
    if (code == OPMILL_OK && operator->runs_graphs == 0) {
        shape_optional(call);
        code = opmill_call_types(operator, &binding, call->attributes, call->shapes,
                                 call->output_count, call->rest, context);
    }
    if (code == OPMILL_OK && context->prepared_count > 0) {
        code = opmill_prepared_check(call);
    }
    if (code == OPMILL_OK && context->limits != NULL) {
        code = check_limits(call);
    }
    return code;
}

int opmill_call_perform(opmill_call *call, const opmill_tensor **inputs, opmill_shape *shapes,
                        void *plan) {
    call->shapes = shapes;
    call->plan = plan;
    const int code = prepare(call, inputs);
    return code == OPMILL_OK ? call->end(call) : code;
}

static int check_workspace(const opmill_call *call) {
    const opmill_implementation *implementation = call->operator->implementation;
    if (implementation->workspace == NULL) {
        return OPMILL_OK;
    }
    return opmill_call_workspace(call->operator, implementation->workspace(call), call->context);
}

/* The dims beyond the rank are unset. */
static void copy_shape(opmill_shape *to, const opmill_shape *from) {
    to->rank = from->rank;
    to->type = from->type;
    memcpy(to->dims, from->dims, (size_t)from->rank * sizeof *from->dims);
}

/* Replaces bounds by the shapes that the data determine. */
static int refine(const opmill_call *call) {
    const int32_t count = call->output_count;
    if (call->operator->implementation->measure == NULL) {
        return OPMILL_OK;
    }
    opmill_shape *bounds = call->shapes + call->operator->implementation->shape_count;
    for (int32_t i = 0; i < count; i++) {
        copy_shape(&bounds[i], &call->shapes[i]);
    }
    int code = opmill_call_isa(call->operator, call->context);
    if (code == OPMILL_OK) {
        code = check_workspace(call);
    }
    if (code == OPMILL_OK) {
        code = call->operator->implementation->measure(call);
        if (code == OPMILL_ERROR_CALL) {
            opmill_contents_label(call->context, call->operator->label);
        }
    }
    if (code == OPMILL_OK) {
        code = opmill_call_measured(call->operator, bounds, call->shapes, count, call->context);
    }
    return code;
}

static int check_gaps(const opmill_call *call) {
    if (call->operator->gap_count == 0) {
        return OPMILL_OK;
    }
    const int32_t listed_count = opmill_shapes_listed(call->rest, call->output_count);
    return opmill_call_gaps(call->operator, call->inputs, call->input_count, call->shapes,
                            listed_count, call->context);
}

/* Where the caller wants the shape of a listed output; NULL for nowhere. */
static opmill_shape *wanted_shape(const opmill_call *call, int32_t index) {
    return call->each_shape != NULL ? call->each_shape[index] : &call->all_shapes[index];
}

static int end_infer(const opmill_call *call) {
    const opmill_operator *operator = call->operator;
    if (operator->runs_graphs != 0) {
        return FAIL(call->context, OPMILL_ERROR_CALL, operator->label,
                    "types of the outputs are unknown, expected a call (graphs decide them)");
    }
    const int32_t max_count = listed(operator->outputs, operator->output_count);
    const int32_t count = call->output_count < max_count ? call->output_count : max_count;
    for (int32_t i = 0; i < count; i++) {
        if (wanted_shape(call, i) == NULL && operator->outputs[i].option != OPMILL_OPTIONAL) {
            return FAIL(call->context, OPMILL_ERROR_CALL, operator->label, "shape for ",
                        operator->outputs[i].name, " is NULL, expected a shape");
        }
    }
    for (int32_t i = 0; i < count; i++) {
        opmill_shape *wanted = wanted_shape(call, i);
        if (wanted != NULL) {
            copy_shape(wanted, &call->shapes[i]);
        }
    }
    return OPMILL_OK;
}

static int end_measure(const opmill_call *call) {
    const int code = refine(call);
    return code == OPMILL_OK ? end_infer(call) : code;
}

static int end_workspace(const opmill_call *call) {
    *call->bytes = call->operator->implementation->workspace(call);
    return OPMILL_OK;
}

static int end_choose(const opmill_call *call) {
    const opmill_implementation *implementation = call->operator->implementation;
    opmill_choice *choice = call->choice;
    int code = opmill_call_isa(call->operator, call->context);
    if (code == OPMILL_OK) {
        code = check_gaps(call);
    }
    if (code != OPMILL_OK) {
        return code;
    }
    *choice = (opmill_choice){NULL, OPMILL_ISA_AUTO, 0};
    if (implementation->choose != NULL) {
        implementation->choose(call, choice);
        choice->threads = opmill_parallel_threads(choice->threads);
    }
    return OPMILL_OK;
}

/* Sets the elements of an output that is a sequence to new tensors, without elements of their own,
 * if its operator creates them. The rule gives their shapes once more. */
static int create_items(const opmill_call *call) {
    const opmill_operator *operator = call->operator;
    const int32_t position = operator->output_count - 1;
    opmill_shapes *const rest = call->rest;
    const opmill_tensor **const items = call->outputs[position]->data;
    void *block;
    if (!rest->creates || rest->bytes == 0) {
        return OPMILL_OK;
    }
    const int code =
        opmill_block_tensors(call->context, operator->outputs[position].name,
                             opmill_block_add(rest->bytes, OPMILL_ITEM_ALIGNMENT - 1), &block);
    if (code != OPMILL_OK) {
        opmill_contents_label(call->context, operator->label);
        return code;
    }
    const size_t past = (uintptr_t)block % OPMILL_ITEM_ALIGNMENT;
    rest->block = (unsigned char *)block + (past > 0 ? OPMILL_ITEM_ALIGNMENT - past : 0);
    rest->items = items;
    rest->given = 0;
    rest->bytes = 0;
    return operator->implementation->derive(call);
}

/* Runs the kernel once the shapes are final and the outputs exist. */
static int compute(const opmill_call *call) {
    const opmill_operator *operator = call->operator;
    const bool measures = operator->implementation->measure != NULL;
    int code = opmill_call_outputs(operator, call->inputs, call->input_count, call->shapes,
                                   call->rest, call->outputs, call->output_count, call->context);
    if (code == OPMILL_OK && !measures) {
        code = opmill_call_isa(operator, call->context);
    }
    if (code == OPMILL_OK) {
        code = check_gaps(call);
    }
    if (code == OPMILL_OK && !measures) {
        code = check_workspace(call);
    }
    if (code == OPMILL_OK && call->rest != NULL && call->rest->is_sequence) {
        code = create_items(call);
    }
    if (code != OPMILL_OK) {
        return code;
    }
    code = operator->implementation->compute(call);
    if (code == OPMILL_ERROR_CALL) {
        opmill_contents_label(call->context, operator->label);
    }
    return code;
}

/* Runs the graphs, which determine the outputs: the kernel checks or requests these afterwards. */
static int run_graphs(const opmill_call *call) {
    int code = opmill_call_isa(call->operator, call->context);
    if (code == OPMILL_OK) {
        code = check_workspace(call);
    }
    return code == OPMILL_OK ? call->operator->implementation->compute(call) : code;
}

static int end_run(const opmill_call *call) {
    if (call->operator->runs_graphs != 0) {
        return run_graphs(call);
    }
    const int code = refine(call);
    return code == OPMILL_OK ? compute(call) : code;
}

/* Asks the caller for the workspace. */
static int reserve(const opmill_call *call) {
    const opmill_implementation *implementation = call->operator->implementation;
    const size_t bytes = implementation->workspace != NULL ? implementation->workspace(call) : 0;
    return call->allocator->workspace(call->allocator->user, bytes, call->context);
}

static int end_allocating(const opmill_call *call) {
    if (call->operator->runs_graphs != 0) {
        const int reserved = reserve(call);
        return reserved == OPMILL_OK ? run_graphs(call) : reserved;
    }
    const bool measures = call->operator->implementation->measure != NULL;
    int code = measures ? reserve(call) : OPMILL_OK;
    if (code == OPMILL_OK) {
        code = end_measure(call);
    }
    if (code == OPMILL_OK) {
        code = call->allocator->outputs(call->allocator->user, call->all_shapes, call->allocated,
                                        call->output_count);
    }
    if (code == OPMILL_OK) { /* of a measured call, it must still suffice */
        code = measures ? check_workspace(call) : reserve(call);
    }
    return code == OPMILL_OK ? compute(call) : code;
}

/* Sets what all calls have, member by member: clearing the whole struct first is slower. */
static void set_call(opmill_call *call, opmill_shapes *rest, const opmill_operator *operator,
                     const opmill_tensor *const *inputs, int32_t input_count,
                     const void *attributes, int32_t output_count, opmill_context *context) {
    call->operator = operator;
    call->inputs = inputs;
    call->attributes = attributes;
    call->outputs = NULL;
    call->rest = operator->runs_graphs == 0 &&
                         (opmill_is_variadic(operator->outputs, operator->output_count) ||
                          opmill_gives_sequence(operator->outputs, operator->output_count))
                     ? rest
                     : NULL;
    call->context = context;
    call->input_count = input_count;
    call->output_count = output_count;
    call->needs_data = false;
    call->all_shapes = NULL;
    call->each_shape = NULL;
    call->allocated = NULL;
}

static int infer(opmill_call *call, opmill_shape *shapes, bool measures) {
    call->needs_data = measures;
    call->end = measures ? end_measure : end_infer;
    call->results = call->all_shapes = shapes;
    return call->operator->implementation->enter(call);
}

static int infer_each(opmill_call *call, opmill_shape *const *shapes, bool measures) {
    while (call->output_count > 1 && shapes[call->output_count - 1] == NULL) {
        call->output_count--;
    }
    call->needs_data = measures;
    call->end = measures ? end_measure : end_infer;
    call->results = call->each_shape = shapes;
    return call->operator->implementation->enter(call);
}

int opmill_infer(const opmill_operator *operator, const opmill_tensor *const *inputs,
                 int32_t input_count, const void *attributes, opmill_shape *shapes,
                 int32_t output_count, opmill_context *context) {
    opmill_call call;
    opmill_shapes rest;
    set_call(&call, &rest, operator, inputs, input_count, attributes, output_count, context);
    return infer(&call, shapes, false);
}

int opmill_measure(const opmill_operator *operator, const opmill_tensor *const *inputs,
                   int32_t input_count, const void *attributes, opmill_shape *shapes,
                   int32_t output_count, opmill_context *context) {
    opmill_call call;
    opmill_shapes rest;
    set_call(&call, &rest, operator, inputs, input_count, attributes, output_count, context);
    return infer(&call, shapes, true);
}

int opmill_infer_each(const opmill_operator *operator, const opmill_tensor *const *inputs,
                      int32_t input_count, const void *attributes, opmill_shape *const *shapes,
                      opmill_context *context) {
    opmill_call call;
    opmill_shapes rest;
    set_call(&call, &rest, operator, inputs, input_count, attributes, operator->output_count,
             context);
    return infer_each(&call, shapes, false);
}

int opmill_measure_each(const opmill_operator *operator, const opmill_tensor *const *inputs,
                        int32_t input_count, const void *attributes, opmill_shape *const *shapes,
                        opmill_context *context) {
    opmill_call call;
    opmill_shapes rest;
    set_call(&call, &rest, operator, inputs, input_count, attributes, operator->output_count,
             context);
    return infer_each(&call, shapes, true);
}

int opmill_workspace(const opmill_operator *operator, const opmill_tensor *const *inputs,
                     int32_t input_count, const void *attributes, int32_t output_count,
                     size_t *bytes, opmill_context *context) {
    if (operator->implementation->workspace == NULL) {
        const int code = opmill_call_results(operator, bytes, output_count, context);
        if (code == OPMILL_OK) {
            *bytes = 0;
        }
        return code;
    }
    opmill_call call;
    opmill_shapes rest;
    set_call(&call, &rest, operator, inputs, input_count, attributes, output_count, context);
    call.end = end_workspace;
    call.results = call.bytes = bytes;
    return operator->implementation->enter(&call);
}

int opmill_choose(const opmill_operator *operator, const opmill_tensor *const *inputs,
                  int32_t input_count, const void *attributes, int32_t output_count,
                  opmill_choice *choice, opmill_context *context) {
    opmill_call call;
    opmill_shapes rest;
    set_call(&call, &rest, operator, inputs, input_count, attributes, output_count, context);
    call.end = end_choose;
    call.results = call.choice = choice;
    return operator->implementation->enter(&call);
}

int opmill_run(const opmill_operator *operator, const opmill_tensor *const *inputs,
               int32_t input_count, const void *attributes, opmill_tensor *const *outputs,
               int32_t output_count, opmill_context *context) {
    opmill_call call;
    opmill_shapes rest;
    set_call(&call, &rest, operator, inputs, input_count, attributes,
             opmill_call_asked(operator, outputs, output_count), context);
    call.needs_data = true;
    call.end = end_run;
    call.results = call.outputs = outputs;
    return operator->implementation->enter(&call);
}

int opmill_run_allocating(const opmill_operator *operator, const opmill_tensor *const *inputs,
                          int32_t input_count, const void *attributes, opmill_shape *shapes,
                          opmill_tensor **outputs, int32_t output_count,
                          const opmill_allocator *allocator, opmill_context *context) {
    opmill_call call;
    opmill_shapes rest;
    set_call(&call, &rest, operator, inputs, input_count, attributes, output_count, context);
    call.needs_data = true;
    call.end = end_allocating;
    call.results = outputs != NULL && allocator != NULL ? shapes : NULL;
    call.all_shapes = shapes;
    call.outputs = call.allocated = outputs;
    call.allocator = allocator;
    return operator->implementation->enter(&call);
}
