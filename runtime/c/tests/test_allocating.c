/* opmill_run_allocating: of every example, beside the outputs of opmill_run; with an allocator that
 * is absent, refuses, or provides something else than asked for. */
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "compare.h"
#include "opmill/operators.h"
#include "values.h"

static long calls;

/* A call from the table, and what its allocator is to do. */
typedef struct trial {
    const opmill_operator *operator;
    const void *attributes;
    call_tensors inputs, expected, outputs;
    opmill_context context;
    int outputs_code, workspace_code; /* what its functions return */
    size_t missing;                   /* bytes by which the workspace is too small */
    bool other_dims;                  /* the first output has one dim more */
    opmill_tensor changed;
    opmill_shape shape;
    guarded workspace, texts;
    size_t workspace_size;
    int outputs_asked, workspaces_asked;
    bool right_shapes;
} trial;

/* An example that does not request an output says nothing of its shape. */
static bool is_shape_of(const opmill_shape *shape, const opmill_tensor *tensor) {
    if (tensor->type == OPMILL_UNDEFINED) {
        return true;
    }
    bool same = shape->type == tensor->type && shape->rank == tensor->rank;
    for (int32_t i = 0; same && i < shape->rank; i++) {
        same = shape->dims[i] == tensor->dims[i];
    }
    return same;
}

static int provide_outputs(void *user, const opmill_shape *shapes, opmill_tensor **outputs,
                           int32_t output_count) {
    trial *const made = user;
    made->outputs_asked++;
    made->right_shapes = output_count == made->expected.count;
    for (int32_t i = 0; i < output_count; i++) {
        outputs[i] = made->outputs.taken[i];
        made->right_shapes =
            made->right_shapes && is_shape_of(&shapes[i], &made->expected.tensors[i]);
    }
    if (made->other_dims) {
        made->shape = shapes[0];
        made->shape.dims[made->shape.rank] = 1;
        made->changed = *outputs[0];
        made->changed.dims = made->shape.dims;
        made->changed.rank = made->shape.rank + 1;
        outputs[0] = &made->changed;
    }
    return made->outputs_code;
}

static int provide_workspace(void *user, size_t bytes, opmill_context *context) {
    trial *const made = user;
    made->workspaces_asked++;
    made->workspace_size = bytes;
    guarded_free(&made->workspace);
    made->workspace = guarded_new(bytes, true);
    context->workspace = bytes > 0 ? made->workspace.data : NULL;
    context->workspace_size = bytes < made->missing ? 0 : bytes - made->missing;
    return made->workspace_code;
}

static void trial_begin(trial *made, const case_table *table, const case_example *example) {
    memset(made, 0, sizeof *made);
    made->operator = operator_of(table);
    made->attributes = example->attributes;
    tensors_of_case(&made->inputs, example->inputs, example->input_count, NULL, 0, -1, 0);
    tensors_of_case(&made->expected, example->outputs, example->output_count, NULL, 0, -1, 0);
    tensors_like(&made->outputs, &made->expected, true);
    made->workspace = guarded_new(0, true);
    made->texts = guarded_new(0, true);
}

static void trial_end(trial *made) {
    tensors_free(&made->inputs);
    tensors_free(&made->expected);
    tensors_free(&made->outputs);
    guarded_free(&made->workspace);
    guarded_free(&made->texts);
}

static int call_it(trial *made) {
    opmill_shape shapes[MAX_TENSORS];
    opmill_tensor *outputs[MAX_TENSORS];
    const opmill_allocator allocator = {made, provide_outputs, provide_workspace};
    const opmill_string_allocator strings = {&made->texts, provide_strings};
    const opmill_context fresh = OPMILL_CONTEXT_INIT;
    made->context = fresh;
    made->context.strings = &strings;
    made->outputs_asked = made->workspaces_asked = 0;
    calls++;
    const int code = opmill_run_allocating(made->operator, made->inputs.given, made->inputs.count,
                                           made->attributes, shapes, outputs, made->outputs.count,
                                           &allocator, &made->context);
    made->context.strings = NULL;
    if (code == OPMILL_OK) {
        for (int32_t i = 0; i < made->outputs.count; i++) {
            check(is_shape_of(&shapes[i], &made->expected.tensors[i]), "the shapes are returned");
        }
    }
    return code;
}

/* The outputs of opmill_run. */
static void run_plainly(const trial *made, call_tensors *outputs, guarded *texts) {
    const opmill_string_allocator strings = {texts, provide_strings};
    opmill_context context = OPMILL_CONTEXT_INIT;
    context.strings = &strings;
    size_t bytes = 0;
    tensors_like(outputs, &made->expected, true);
    check(opmill_workspace(made->operator, made->inputs.given, made->inputs.count, made->attributes,
                           outputs->count, &bytes, &context) == OPMILL_OK,
          "the workspace is returned");
    guarded workspace = guarded_new(bytes, true);
    context.workspace = bytes > 0 ? workspace.data : NULL;
    context.workspace_size = bytes;
    check(opmill_run(made->operator, made->inputs.given, made->inputs.count, made->attributes,
                     outputs->taken, outputs->count, &context) == OPMILL_OK,
          "opmill_run succeeds");
    guarded_free(&workspace);
}

static void check_success(trial *made) {
    call_tensors plain;
    const int code = call_it(made);
    check(code == OPMILL_OK, "the call succeeds");
    if (code != OPMILL_OK) {
        fail("%s", made->context.error.message);
        return;
    }
    check(made->outputs_asked == 1 && made->workspaces_asked == 1, "memory is asked for once");
    check(made->right_shapes, "the allocator gets the shapes");
    check(tensors_intact(&made->outputs) && guarded_intact(&made->workspace),
          "nothing beside is written");
    guarded texts = guarded_new(0, true);
    run_plainly(made, &plain, &texts);
    for (int32_t i = 0; i < plain.count; i++) {
        check_elements(&made->outputs.tensors[i], &plain.tensors[i], NULL, "opmill_run");
    }
    tensors_free(&plain);
    guarded_free(&texts);
}

/* What a call without one of its pointers returns. */
static void check_absent(trial *made) {
    opmill_shape shapes[MAX_TENSORS];
    opmill_tensor *outputs[MAX_TENSORS];
    const opmill_allocator allocator = {made, provide_outputs, provide_workspace};
    opmill_context *const context = &made->context;
    for (int absent = 0; absent < 4; absent++) {
        const int code = opmill_run_allocating(
            made->operator, made->inputs.given, made->inputs.count, made->attributes,
            absent == 0 ? NULL : shapes, absent == 1 ? NULL : outputs, made->outputs.count,
            absent == 2 ? NULL : &allocator, absent == 3 ? NULL : context);
        check(code == OPMILL_ERROR_CALL, "an absent pointer is refused");
        if (absent < 3) {
            check_refused(code, context, &made->outputs, OPMILL_ERROR_CALL, NULL);
        }
    }
}

static void check_failures(trial *made) {
    check_absent(made);
    made->outputs_code = OPMILL_ERROR_SHAPE;
    check(call_it(made) == OPMILL_ERROR_SHAPE, "the outputs' function ends the call");
    made->outputs_code = OPMILL_OK;
    made->workspace_code = OPMILL_ERROR_TYPE;
    check(call_it(made) == OPMILL_ERROR_TYPE, "the workspace's function ends the call");
    made->workspace_code = OPMILL_OK;
    check(tensors_untouched(&made->outputs), "nothing is written");
    if (made->workspace_size > 0) {
        made->missing = 1;
        check_refused(call_it(made), &made->context, &made->outputs, OPMILL_ERROR_CALL, NULL);
        made->missing = 0;
    }
    if (made->outputs.given[0] != NULL && made->expected.tensors[0].rank < OPMILL_MAX_RANK) {
        made->other_dims = true;
        check_refused(call_it(made), &made->context, &made->outputs, OPMILL_ERROR_SHAPE, NULL);
        made->other_dims = false;
    }
}

int main(void) {
    char text[64];
    for (int32_t i = 0; i < case_table_count(); i++) {
        const case_table *const table = case_table_at(i);
        for (const case_example *example = next_example(table, NULL); example != NULL;
             example = next_example(table, example)) {
            trial made;
            if (!cases_fit(example->inputs, example->input_count) ||
                !cases_fit(example->outputs, example->output_count)) {
                continue;
            }
            trial_begin(&made, table, example);
            about("%s '%s'", made.operator->label, example->name);
            if (example == witness_of(table)) {
                check_failures(&made);
            }
            check_success(&made);
            trial_end(&made);
        }
    }
    snprintf(text, sizeof text, "%ld calls", calls);
    return finish(text);
}
